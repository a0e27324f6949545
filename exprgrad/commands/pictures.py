"""`exprgrad graph`, `plot` and `walk`: the computation graph, curves, and both sweeps one step at a time."""

from __future__ import annotations

import sys

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands import declared as row
from exprgrad.commands.declared import source_of, sources
from exprgrad.commands.eval import Eval
from exprgrad.commands.typed import expression_at
from exprgrad.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.expressions.expression import Evaluation


class Walk(row.OnExpression):
    """Both sweeps at a point, one step at a time on a terminal."""

    example = 'exprgrad walk "x*sin(x)" --at x=2'
    pages = "traces"
    values = row.AS_POINT

    at: list[str] = row.AT
    mode: str = Eval.mode
    subgradient: bool = row.SUBGRADIENT
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """The first step, from where one goes on; all that there is to say of a number."""
        from exprgrad.commands.typed import expression_at
        from exprgrad.views.evaluation import EvaluationView, beside
        from exprgrad.views.trace import walk

        parsed, bindings = expression_at(self.source(), self.at, (), self.strict)
        parsed.refuse_arrays(bindings.exact)
        found = parsed.evaluate(
            bindings.exact, mode=self.mode, subgradient=self.subgradient
        )
        steps = walk(found, 6)
        view = steps[0] if steps else EvaluationView(found, sweeps="both")
        result = row.Result(view, **beside(found))
        result.walk = [*steps]
        return result

    def main(self) -> int:
        """Show each step; on a terminal, behind Enter."""
        from exprgrad.commands.hints import shown

        found = self.answer()
        code, steps, place = shown(found, "text"), found.walk, 0
        waits = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        while place + 1 < len(steps):
            key = sys.stdin.readline().strip() if waits else ""
            if key == "q":
                break
            place = max(place - 1, 0) if key == "b" else place + 1
            shown(row.Result(steps[place]), "text")
        return code


class Graph(row.OnExpression):
    """The computation graph: values flow forward in it, adjoints back."""

    example = 'exprgrad graph "ln(x1) + x1*x2" --at x1=2,x2=5'
    pages = "pictures, traces"
    values = row.AS_POINT
    needs_point = False

    at: list[str] = row.AT
    output: Path | None = row.PICTURE
    dark: bool = row.DARK
    stage: str = row.text("Before the reverse sweep, after N steps of the walk, or after both sweeps.", "values|N|all", "all")  # fmt: skip
    depth: int | None = row.whole("Fold what lies more operations below the result; 0 folds nothing. [default: so that 80 nodes are left]", least=0)  # fmt: skip
    subgradient: bool = row.SUBGRADIENT
    format: str = row.formats("How to write the graph to standard output.", "text json svg dot mermaid")  # fmt: skip
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """Draw it, or write the picture to a file."""
        from exprgrad.pictures.graph import graph_at, graph_of
        from exprgrad.pictures.svg import save
        from exprgrad.views.evaluation import beside
        from exprgrad.views.formats import to_json
        from exprgrad.views.pictures import GraphView, in_doubles

        parsed, bindings = expression_at(self.source(), self.at, (), self.strict)
        stage = self.stage
        when = int(stage) if stage.isascii() and stage.isdecimal() else stage
        evaluation = None
        if self.at or bindings.values or not parsed.variables:
            if parsed.takes_arrays(bindings.values):
                raise UsageError(
                    "the graph of an expression in arrays has no numbers",
                    hint="leave --at out",
                )
            evaluation = parsed.evaluate(bindings.exact, subgradient=self.subgradient)
            graph = graph_at(evaluation, when, self.depth)
        else:
            graph = graph_of(parsed, None, when, self.depth)
        view = GraphView(graph, (*parsed.notes, *in_doubles(evaluation)))
        views = [view]
        if self.output is not None:
            more = {
                ".json": lambda: to_json(view.as_dict()),
                ".html": lambda: _page(evaluation),
            }
            inputs = sources(None, self.file, bindings)
            save(graph, self.output, *inputs, more=more, on_dark=self.dark)
            views = []
        return row.Result(*views, **(beside(evaluation) if evaluation else {}))


def _page(evaluation: Evaluation | None) -> str:
    """The page that walks through both sweeps."""
    from exprgrad.pictures.walk import walk_page

    if evaluation is None:
        raise UsageError("a walk needs values", hint="add --at x=...")
    return walk_page(evaluation)


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
    dark: bool = row.DARK
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
        save(plot, self.output, *inputs, more=as_json, on_dark=self.dark)
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
