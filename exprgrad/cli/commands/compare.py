"""`exprgrad compare`: the ways to compute a derivative, side by side."""

from __future__ import annotations

from exprgrad.cli.arguments import source_of
from exprgrad.cli.declared import Annotated, Literal, Option
from exprgrad.cli.options import At, Expr, File, Strict

FormatOption = Annotated[
    Literal["table", "json", "markdown"],
    Option("--format", help="How to write the table."),
]


def compare_command(
    expression: Expr = None,
    at: At = None,
    file: File = None,
    format_: FormatOption = "table",
    times: Annotated[bool, Option(help="Show how long each method took.")] = True,
    strict: Strict = False,
) -> int:
    """Numeric, symbolic, forward and reverse derivatives against a 50-digit reference."""
    from exprgrad.cli.typed import expression_at
    from exprgrad.expressions.comparison import compare
    from exprgrad.views.answers.comparison import ComparisonView
    from exprgrad.views.formats import write

    source = source_of(expression, file)
    parsed, bindings = expression_at(source, at or [], strict=strict)
    write(ComparisonView(compare(parsed, bindings.exact), times), format_)
    return 0
