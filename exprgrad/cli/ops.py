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
        str | None, typer.Argument(help="Only operations with this in their name.")
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", help="How to write the table.")
    ] = Format.table,
) -> int:
    """List the operations with their derivative rules."""
    from exprgrad.errors import UsageError
    from exprgrad.views import formats, output
    from exprgrad.views.operations import operation_table

    table = operation_table()
    if name is not None:
        rows = [
            row for row in table.rows if name in row[0] or name in row[3].split(", ")
        ]
        if not rows:
            raise UsageError(
                f"no operation is called {name}", hint="exprgrad ops lists them all"
            )
        table = table._replace(rows=rows)
    if format_ is Format.table:
        output.show([table])
    elif format_ is Format.markdown:
        output.emit_lines(formats.markdown_lines(table))
    else:
        titles = [column.title for column in table.columns]
        output.emit(
            formats.to_json(
                {
                    "operations": [
                        dict(zip(titles, row, strict=True)) for row in table.rows
                    ]
                }
            )
        )
    return 0
