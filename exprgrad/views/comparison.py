"""A comparison of methods as a table, and as the fields of JSON."""

from __future__ import annotations

from typing import Any

from exprgrad.expressions.comparison import Comparison
from exprgrad.language.notes import shorten
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number


def blocks(found: Comparison, times: bool = True) -> list[Block]:
    """A heading, the table, and what it says about size."""
    point = ", ".join(f"{name} = {number(value)}" for name, value in found.at.items())
    out: list[Block] = [
        Heading(f"{shorten(found.expression.title, 50)} at {point}"),
        table(found, times),
    ]
    sizes = [f"∂/∂{name} {size}" for name, size in found.formula_sizes.items()]
    out.append(
        Note(
            f"the expression has {found.size} operations, its symbolic derivatives have: {', '.join(sizes[:8])}"
        )
    )
    out.append(
        Note(
            "reverse mode gets the partials by all variables from one sweep; "
            "the other methods need their work once for each"
        )
    )
    return out


def table(found: Comparison, times: bool = True) -> Table:
    """A row per variable and method."""
    columns = [
        Column("", style="cyan"),
        Column("method"),
        Column("derivative", number=True, style="bold"),
        Column("error", number=True),
        Column("evaluations", number=True, spare=2),
        Column("nodes", number=True, spare=1),
        Column("µs", number=True, style="dim", spare=3),
    ]
    rows: list[tuple[str, ...]] = [
        (
            f"∂/∂{m.variable}",
            m.name,
            "none" if m.value is None else f"{m.value:.15g}",
            "" if m.error is None else f"{m.error:.0e}" if m.error else "0",
            str(m.evaluations) if m.evaluations else "",
            str(m.nodes),
            f"{m.seconds * 1e6:.0f}",
        )
        for m in found.methods
    ]
    if not times:
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table("", columns, rows, "error: relative to a reference of 50 digits")


def fields(found: Comparison) -> dict[str, Any]:
    """The fields of JSON output."""
    return {
        "expression": found.expression.title,
        "at": found.at,
        "reference": found.reference,
        "operations": found.size,
        "formula_operations": found.formula_sizes,
        "methods": [m._asdict() for m in found.methods],
    }
