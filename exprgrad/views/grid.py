"""Evaluations at many points: as a table, and as the fields of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exprgrad.data.grid import Row
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number
from exprgrad.views.corners import corner_error
from exprgrad.views.evaluation import reading_notes


def blocks(
    expression: Expression,
    names: Sequence[str],
    rows: list[Row],
    digits: int,
    most: int,
    more: str = "",
) -> list[Block]:
    """The expression, and a table with a row per point; `names` are the variables that vary.

    `more` follows the number of rows that are left out.
    """
    out: list[Block] = [
        Heading(expression.title),
        *map(Note, reading_notes(expression)),
    ]
    return [*out, table(expression, names, rows, digits, most, more)]


def table(
    expression: Expression,
    names: Sequence[str],
    rows: list[Row],
    digits: int,
    most: int,
    more: str = "",
) -> Table:
    """A row per point: the variables that vary, the value, the partial derivatives."""
    first = next((row.evaluation for row in rows if row.evaluation), None)
    partials = list(first.gradient) if first else []
    columns = [
        *(Column(name, number=True, style="cyan") for name in names),
        Column("value", number=True, style="bold"),
        *(Column(f"∂/∂{name}", number=True, style="green") for name in partials),
    ]
    shown = (
        rows
        if not most or len(rows) <= most
        else [*rows[: most // 2], *rows[-(most - most // 2) :]]
    )
    lines = [_line(row, names, partials, digits) for row in shown]
    footer = ""
    if len(shown) < len(rows):
        lines.insert(most // 2, ("…", *[""] * (len(columns) - 1)))
        footer = f"({len(rows) - len(shown)} of {len(rows)} rows left out{more})"
    return Table("", columns, lines, footer)


def _line(
    row: Row, names: Sequence[str], partials: Sequence[str], digits: int
) -> tuple[str, ...]:
    found = row.evaluation
    own = [number(row.at[name], digits) for name in names]
    if found is None:
        return (*own, "none", *["none"] * len(partials))
    gradient = [found.gradient[name] for name in partials]
    return (
        *own,
        number(found.value, digits),
        *("none" if p is None else number(p, digits) for p in gradient),
    )


def fields(expression: Expression, rows: list[Row]) -> dict[str, Any]:
    """The fields of JSON output."""
    return {
        "expression": expression.title,
        "reading": expression.reading,
        "notes": list(expression.notes),
        "rows": [
            {
                "at": row.at,
                "value": row.evaluation.value if row.evaluation else None,
                "gradient": row.evaluation.gradient if row.evaluation else None,
                "error": error.message if (error := problem(row)) else None,
            }
            for row in rows
        ],
    }


def csv_rows(
    names: Sequence[str], rows: list[Row], partials: Sequence[str]
) -> list[list[str | float | None]]:
    """The variables that vary, the value, the partial derivatives, and what is wrong."""
    lines: list[list[str | float | None]] = []
    for row in rows:
        found, error = row.evaluation, problem(row)
        gradient = [found.gradient[name] if found else None for name in partials]
        lines.append(
            [
                *(row.at[name] for name in names),
                found.value if found else None,
                *gradient,
                error.message if error else "",
            ]
        )
    return lines


def problem(row: Row) -> ExprgradError | None:
    """Why a row lacks its value or a partial derivative, if it does."""
    if row.evaluation is None:
        return row.error
    found = row.evaluation
    for corner in found.corners:
        if found.gradient[corner.variable] is None:
            at = found.at[corner.variable]
            return corner_error(corner, found.expression.source, at, found.subgradient)
    return None
