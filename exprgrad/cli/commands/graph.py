"""`exprgrad graph`: the computation graph of an expression, in the terminal or as a file."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.cli.arguments import source_of, sources
from exprgrad.cli.commands.eval import Subgradient
from exprgrad.cli.declared import Annotated, Literal, Option
from exprgrad.cli.options import At, Expr, File, Picture, Strict
from exprgrad.cli.typed import expression_at
from exprgrad.errors import UsageError

if TYPE_CHECKING:
    from exprgrad.expressions.expression import Evaluation

Stage = Annotated[
    str,
    Option(
        metavar="values|N|all",
        help="Before the reverse sweep, after N steps of the walk, or after both sweeps.",
    ),
]
Depth = Annotated[
    int | None,
    Option(
        min=0,
        help="Fold what lies more operations below the result; 0 folds nothing. [default: so that 80 nodes are left]",
    ),
]
Format = Annotated[
    Literal["text", "json", "svg", "dot", "mermaid"],
    Option("--format", help="How to write the graph to standard output."),
]


def graph_command(
    expression: Expr = None,
    at: At = None,
    output: Picture = None,
    stage: Stage = "all",
    depth: Depth = None,
    subgradient: Subgradient = False,
    file: File = None,
    format_: Format = "text",
    strict: Strict = False,
) -> int:
    """The computation graph: values flow forward in it, adjoints back."""
    from exprgrad.cli.commands.evaluating import corners
    from exprgrad.pictures.files import save
    from exprgrad.pictures.graph import graph_at, graph_of
    from exprgrad.views.answers.graph import GraphView, in_doubles
    from exprgrad.views.formats import to_json, write

    parsed, bindings = expression_at(source_of(expression, file), at or [], (), strict)
    when = _stage(stage)
    evaluation = None
    if at or bindings.values or not parsed.variables:
        if parsed.takes_arrays(bindings.values):
            raise UsageError(
                "the graph of an expression in arrays has no numbers",
                hint="leave --at out",
            )
        evaluation = parsed.evaluate(bindings.exact, subgradient=subgradient)
        graph = graph_at(evaluation, when, depth)
    else:
        graph = graph_of(parsed, None, when, depth)
    view = GraphView(graph, (*parsed.notes, *in_doubles(evaluation)))
    if output is None:
        write(view, format_)
    else:
        more = {
            ".json": lambda: to_json(view.json()),
            ".html": lambda: _page(evaluation),
        }
        save(graph, output, *sources(None, file, bindings), more=more)
    return 0 if evaluation is None else corners(evaluation)


def _page(evaluation: Evaluation | None) -> str:
    """The page that walks through both sweeps."""
    from exprgrad.pictures.pages.walk import walk_page

    if evaluation is None:
        raise UsageError("a walk needs values", hint="add --at x=...")
    return walk_page(evaluation)


def _stage(text: str) -> int | str:
    """The stage that is asked for: a number, or a word."""
    return int(text) if text.isascii() and text.isdecimal() else text
