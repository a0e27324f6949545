"""`exprgrad ops`: the operations with their derivative rules."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Format(StrEnum):
    """How the table is written."""

    table = "table"
    json = "json"
    markdown = "markdown"


def ops_command(
    name: Annotated[
        str | None, typer.Argument(help="Tell more of this operation.")
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", help="How to write the table.")
    ] = Format.table,
) -> int:
    """List the operations with their derivative rules."""
    from exprgrad.views import formats, output
    from exprgrad.views.operations import details, operation_table

    table = operation_table(name, code=format_ is Format.markdown)
    if not table.rows:
        raise _unknown(name or "")
    if format_ is Format.json:
        titles = [column.title for column in table.columns]
        rows = [dict(zip(titles, row, strict=True)) for row in table.rows]
        output.emit(formats.to_json({"operations": rows}))
    elif format_ is Format.markdown:
        output.emit_lines(formats.markdown_lines(table))
    elif name is None:
        footer = "exprgrad ops NAME tells more of one: its real domain, its other names"
        output.show(
            [
                table._replace(
                    footer=footer,
                    columns=table.columns[:2],
                    rows=[r[:2] for r in table.rows],
                )
            ]
        )
    else:
        output.show(details(name))
    return 0


def _unknown(name: str) -> Exception:
    from exprgrad.errors import UsageError
    from exprgrad.operations.operation import function_names
    from exprgrad.operations.vocabulary import did_you_mean

    hint = did_you_mean(name, function_names(), "exprgrad ops lists them all")
    return UsageError(f"no operation is called {name}", hint=hint)
