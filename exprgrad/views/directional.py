"""A directional derivative as blocks, and as the fields of JSON."""

from __future__ import annotations

from typing import Any

from exprgrad.expressions.higher_orders import Directional
from exprgrad.language.notes import shorten
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number


def blocks(found: Directional, digits: int) -> list[Block]:
    """The value, and the table of the direction with the derivative along it."""
    expression = found.expression
    out: list[Block] = [
        Heading(f"{shorten(expression.title, 60)} = {number(found.value, digits)}")
    ]
    out += [Note(note) for note in expression.notes]
    columns = [
        Column("variable", style="cyan"),
        Column("value", number=True),
        Column("seed", number=True),
    ]
    rows: list[tuple[str, ...]] = [
        (name, number(value, digits), number(found.seed.get(name, 0.0), digits))
        for name, value in found.at.items()
    ]
    derivative = (
        "none" if found.derivative is None else number(found.derivative, digits)
    )
    out.append(Table("", columns, rows, f"derivative along the seed: {derivative}"))
    return out


def fields(found: Directional) -> dict[str, Any]:
    """The fields of JSON output."""
    return {
        "expression": found.expression.title,
        "reading": found.expression.reading,
        "at": found.at,
        "seed": found.seed,
        "value": found.value,
        "derivative": found.derivative,
        "notes": list(found.expression.notes),
    }
