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
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.comparison import compare
    from exprgrad.expressions.expression import parse
    from exprgrad.views.comparison import ComparisonView
    from exprgrad.views.formats import write

    bindings = Bindings(at or [], "--at")
    parsed = parse(source_of(expression, file), bindings.values, strict=strict)
    bindings.check(parsed)
    write(ComparisonView(compare(parsed, bindings.values), times), format_)
    return 0
