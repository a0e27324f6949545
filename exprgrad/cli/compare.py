"""`exprgrad compare`: the ways to compute a derivative, side by side."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from exprgrad.cli.arguments import source_of
from exprgrad.cli.options import At, Expr, File, Strict


class Format(StrEnum):
    """How the comparison is written."""

    table = "table"
    json = "json"
    markdown = "markdown"


def compare_command(
    expression: Expr = None,
    at: At = None,
    file: File = None,
    format_: Annotated[
        Format, typer.Option("--format", help="How to write the table.")
    ] = Format.table,
    times: Annotated[bool, typer.Option(help="Show how long each method took.")] = True,
    strict: Strict = False,
) -> int:
    """Numeric, symbolic, forward and reverse derivatives against a 50-digit reference."""
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.comparison import compare
    from exprgrad.expressions.expression import parse
    from exprgrad.views import comparison as view
    from exprgrad.views import formats, output

    bindings = Bindings(at or [], "--at")
    parsed = parse(source_of(expression, file), bindings.values, strict=strict)
    bindings.check(parsed)
    found = compare(parsed, bindings.values)
    if format_ is Format.json:
        output.emit(formats.to_json(view.fields(found)))
    elif format_ is Format.markdown:
        output.emit_lines(formats.markdown_lines(view.table(found, times)))
    else:
        output.show(view.blocks(found, times))
    return 0
