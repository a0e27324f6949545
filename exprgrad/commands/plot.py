"""`exprgrad plot`: the curve of an expression, in the terminal or as a picture."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands import declared as row
from exprgrad.commands.arguments import source_of, sources
from exprgrad.commands.typed import expression_at
from exprgrad.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


class Plot(row.Command):
    """The curve of an expression; of two variables, contours and gradients."""

    example = 'exprgrad plot "x^2 sin x" --x=-2:2 --tangent 1'
    pages = "pictures"
    values = row.AS_POINT

    expressions: list[str] = row.argument("The expression, or several; - reads standard input.", "EXPR", list)  # fmt: skip
    x: str | None = row.text("What is shown of the variable. [default: with zeros, extrema, corners and gaps]", "-2:2")  # fmt: skip
    y: str | None = row.text("What is shown of the values, or of a second variable.", "-1:1")  # fmt: skip
    tangent: list[str] = row.texts("Draw the tangent there; may be repeated.", "1")
    with_: str | None = row.text(
        "The function and which of its derivatives.", "f,f',f''"
    )
    at: list[str] = row.AT
    output: Path | None = row.PICTURE
    file: Path | None = row.path("Read the expression from a file.")
    format: str = row.formats("How to write the plot to standard output.", "text json svg")  # fmt: skip
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """Draw it, or write the picture to a file."""
        from exprgrad.pictures.plot import plotted
        from exprgrad.pictures.svg import save
        from exprgrad.views.formats import to_json
        from exprgrad.views.pictures import PlotView

        read = [expression_at(own, self.at, (), self.strict) for own in self._texts()]
        given: dict[str, Any] = {}
        for _, bindings in read:
            given |= bindings.exact
        expressions = [parsed for parsed, _ in read]
        tangents = [_number(x, "--tangent") for own in self.tangent for x in own.split(",")]  # fmt: skip
        across, up = _range(self.x, "--x"), _range(self.y, "--y")
        plot = plotted(expressions, given, across, up, tangents, self.with_)
        view = PlotView(plot, tuple(n for parsed in expressions for n in parsed.notes))
        if self.output is None:
            return row.Result(view)
        inputs = sources(None, self.file, *(bindings for _, bindings in read))
        as_json = {".json": lambda: to_json(view.as_dict())}
        save(plot, self.output, *inputs, more=as_json)
        return row.Result()

    def _texts(self) -> list[str]:
        """The texts of the expressions."""
        if self.file is not None or not self.expressions:
            return [source_of(next(iter(self.expressions), None), self.file)]
        return [source_of(own, None) for own in self.expressions]


def _range(text: str | None, option: str) -> tuple[float, float] | None:
    """Two numbers, `-pi:pi`."""
    if text is None:
        return None
    ends = text.split(":")
    if len(ends) != 2:
        raise UsageError(f"{option} is a range, not {text!r}", hint=f"{option}=-2:2")
    low, high = (_number(end, option) for end in ends)
    if not low < high:
        raise UsageError(f"{option} goes from a number to a greater one, not {text}")
    return low, high


def _number(text: str, option: str) -> float:
    from exprgrad.data.bindings import Bindings

    value = Bindings([f"x={text.strip()}"], option).values["x"]
    if not isinstance(value, float):
        raise UsageError(f"{option} is a number, not {text}")
    return value
