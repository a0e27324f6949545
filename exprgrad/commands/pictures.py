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
        # in a pipe or a file all steps follow each other
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
        from exprgrad.pictures.walk import walk_page
        from exprgrad.views.evaluation import beside
        from exprgrad.views.pictures import GraphView, NetworkView, in_doubles

        parsed, bindings = expression_at(self.source(), self.at, (), self.strict)
        stage = self.stage
        when = int(stage) if stage.isascii() and stage.isdecimal() else stage
        evaluation, inputs = None, sources(None, self.file, bindings)
        if self.at or bindings.values or not parsed.variables:
            if parsed.takes_arrays(bindings.values):
                # the layers of a network that is written with matrix products
                from exprgrad.pictures.network import of_expression

                if self.format in ("dot", "mermaid"):
                    raise UsageError("a network is written as text, json or svg")
                found = of_expression(parsed, bindings.exact)
                return row.Result(*row.drawn(found, self.output, *inputs, view=NetworkView(found), on_dark=self.dark))  # fmt: skip
            evaluation = parsed.evaluate(bindings.exact, subgradient=self.subgradient)
            graph = graph_at(evaluation, when, self.depth)
        else:
            graph = graph_of(parsed, None, when, self.depth)
        view = GraphView(graph, (*parsed.notes, *in_doubles(evaluation)))

        def page() -> str:
            if evaluation is None:
                # only now: the file may be another kind of picture, which needs none
                raise UsageError("a walk needs values", hint="add --at x=...")
            return walk_page(evaluation)

        views = row.drawn(graph, self.output, *inputs, view=view, more={".html": page}, on_dark=self.dark)  # fmt: skip
        return row.Result(*views, **(beside(evaluation) if evaluation else {}))


class Plot(row.Command):
    """The curve of an expression; of two variables, contours and gradients."""

    example = 'exprgrad plot "x^2 sin x" --x=-2:2 --tangent 1'
    pages = "pictures"
    values = row.AS_POINT

    expressions: list[str] = row.argument("The expression, or several; - reads standard input.", "EXPR", list)  # fmt: skip
    by_name = "--range"

    x: str | None = row.text("The range of the variable. [default: with zeros, extrema, corners and gaps]", "-2:2")  # fmt: skip
    y: str | None = row.text("The range of the values, or of a second variable.", "-1:1")  # fmt: skip
    range_: list[str] = row.texts("The range of a variable by its name, also as --z=-2:2.", "z=-2:2", "--range")  # fmt: skip
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
        from exprgrad.pictures.plot import free_of, plotted
        from exprgrad.views.pictures import PlotView

        # without an expression, there is a file
        texts = [source_of(own, self.file) for own in (*self.expressions,) or (None,)]
        read = [expression_at(own, self.at, (), self.strict) for own in texts]
        given: dict[str, Any] = {}
        for _, bindings in read:
            given |= bindings.exact
        expressions = [parsed for parsed, _ in read]
        tangents = [_number(x, "--tangent") for own in self.tangent for x in own.split(",")]  # fmt: skip
        across, up = _range(self.x, "--x"), _range(self.y, "--y")
        free = free_of(expressions, given)
        for own in self.range_:
            name, _, ends = own.partition("=")
            # the first variable is drawn across, the second up; a third would have a value
            if name not in free[:2]:
                raise UsageError(f"no variable {name} is drawn", hint=f"one of: {', '.join(free)}")  # fmt: skip
            own_range = _range(ends, f"--{name}")
            across, up = (own_range, up) if name == free[0] else (across, own_range)
        plot = plotted(expressions, given, across, up, tangents, self.with_)
        view = PlotView(plot, tuple(n for parsed in expressions for n in parsed.notes))
        inputs = sources(None, self.file, *(bindings for _, bindings in read))
        return row.Result(*row.drawn(plot, self.output, *inputs, view=view, on_dark=self.dark))  # fmt: skip


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

    # so that pi/2 and sqrt(2) are numbers here, too, and errors have a caret
    value = Bindings([f"x={text.strip()}"], option).values["x"]
    if not isinstance(value, float):
        raise UsageError(f"{option} is a number, not {text}")
    return value
