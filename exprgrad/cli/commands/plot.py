"""`exprgrad plot`: the curve of an expression, in the terminal or as a picture."""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.cli.arguments import sources
from exprgrad.cli.declared import Annotated, Argument, Literal, Option, Path
from exprgrad.cli.options import At, File, Picture, Strict
from exprgrad.cli.typed import expression_at
from exprgrad.errors import UsageError

Exprs = Annotated[
    list[str] | None,
    Argument(metavar="EXPR", help="The expression, or several; - reads standard input."),
]  # fmt: skip
Across = Annotated[
    str | None,
    Option("--x", metavar="-2:2", help="What is shown of the variable. [default: with zeros, extrema, corners and gaps]"),
]  # fmt: skip
Up = Annotated[
    str | None,
    Option("--y", metavar="-1:1", help="What is shown of the values, or of a second variable."),
]  # fmt: skip
Tangent = Annotated[
    list[str] | None,
    Option(metavar="1", help="Draw the tangent there; may be repeated."),
]
With = Annotated[
    str | None,
    Option("--with", metavar="f,f',f''", help="The function and which of its derivatives."),
]  # fmt: skip
Format = Annotated[
    Literal["text", "json", "svg"],
    Option("--format", help="How to write the plot to standard output."),
]


def plot_command(
    expression: Exprs = None,
    across: Across = None,
    up: Up = None,
    tangent: Tangent = None,
    with_: With = None,
    at: At = None,
    output: Picture = None,
    file: File = None,
    format_: Format = "text",
    strict: Strict = False,
) -> int:
    """The curve of an expression; of two variables, contours and gradients."""
    from exprgrad.pictures.files import save
    from exprgrad.pictures.plot import plotted
    from exprgrad.views.answers.plot import PlotView
    from exprgrad.views.formats import to_json, write

    read = [expression_at(text, at or [], (), strict) for text in _texts(expression, file, at)]  # fmt: skip
    given: dict[str, Any] = {}
    for _, bindings in read:
        given |= bindings.exact
    expressions = [parsed for parsed, _ in read]
    plot = plotted(
        expressions, given, _range(across, "--x"), _range(up, "--y"),
        [_number(text, "--tangent") for texts in tangent or [] for text in texts.split(",")],
        None if with_ is None else with_,
    )  # fmt: skip
    notes = tuple(note for parsed in expressions for note in parsed.notes)
    view = PlotView(plot, notes)
    if output is None:
        write(view, format_)
    else:
        inputs = sources(None, file, *(bindings for _, bindings in read))
        save(plot, output, *inputs, more={".json": lambda: to_json(view.json())})
    return 0


def _texts(given: list[str] | None, file: Path | None, at: Any) -> list[str]:
    """The texts of the expressions."""
    from exprgrad.cli.arguments import source_of

    if not given:
        return [source_of(None, file)]
    if file is not None:
        return [source_of(given[0], file)]
    return [source_of(text, None) for text in given]


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
