"""`exprgrad compare`: the ways to compute a derivative, side by side."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from exprgrad.cli.arguments import source_of
from exprgrad.cli.options import At, Expr, File, Strict


def compare_command(
    expression: Expr = None,
    at: At = None,
    file: File = None,
    format_: Annotated[
        Literal["table", "json", "markdown"],
        typer.Option("--format", help="How to write the table."),
    ] = "table",
    times: Annotated[bool, typer.Option(help="Show how long each method took.")] = True,
    strict: Strict = False,
) -> int:
    """Numeric, symbolic, forward and reverse derivatives against a 50-digit reference."""
    from exprgrad.cli.typed import expression_at
    from exprgrad.expressions.comparison import compare
    from exprgrad.views.comparison import ComparisonView
    from exprgrad.views.formats import write

    source = source_of(expression, file)
    parsed, bindings = expression_at(source, at or [], strict=strict)
    write(ComparisonView(compare(parsed, bindings.values), times), format_)
    return 0
