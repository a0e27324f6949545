"""`exprgrad graph`: the computation graph of an expression, in the terminal or as a file."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.commands import declared as row
from exprgrad.commands.arguments import sources
from exprgrad.commands.typed import expression_at
from exprgrad.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.expressions.expression import Evaluation


class Graph(row.OnExpression):
    """The computation graph: values flow forward in it, adjoints back."""

    example = 'exprgrad graph "ln(x1) + x1*x2" --at x1=2,x2=5'
    pages = "pictures, traces"
    values = row.AS_POINT
    needs_point = False

    at: list[str] = row.AT
    output: Path | None = row.PICTURE
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
            save(graph, self.output, *sources(None, self.file, bindings), more=more)
            views = []
        return row.Result(*views, **(beside(evaluation) if evaluation else {}))


def _page(evaluation: Evaluation | None) -> str:
    """The page that walks through both sweeps."""
    from exprgrad.pictures.walk import walk_page

    if evaluation is None:
        raise UsageError("a walk needs values", hint="add --at x=...")
    return walk_page(evaluation)
