"""The same results for programs: JSON, CSV and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from exprgrad.operations.operation import show
from exprgrad.views.blocks import Table

Cells = Sequence[str | float | None]
"""A row for programs: texts, numbers, and None for what does not exist."""


def to_json(fields: dict[str, Any]) -> str:
    """One JSON object; floats in full precision, whole numbers as such."""
    import json

    return json.dumps(_whole(fields), ensure_ascii=False, allow_nan=False, indent=2)


def _whole(thing: Any) -> Any:
    if isinstance(thing, float):
        return int(thing) if thing.is_integer() and abs(thing) < 2**53 else thing
    if isinstance(thing, dict):
        return {key: _whole(value) for key, value in thing.items()}
    if hasattr(thing, "tolist"):
        return _whole(thing.tolist())
    if isinstance(thing, (list, tuple)):
        return [_whole(value) for value in thing]
    return thing


def csv_lines(header: Cells, rows: Iterable[Cells]) -> Iterator[str]:
    """Comma-separated values; floats in full precision, nothing for what does not exist."""
    yield csv_line(header)
    yield from map(csv_line, rows)


def csv_line(row: Cells) -> str:
    """A row of comma-separated values."""
    from exprgrad.data import dialect

    return dialect.line(
        [
            "" if cell is None else cell if isinstance(cell, str) else show(cell)
            for cell in row
        ]
    )


def markdown_lines(table: Table) -> Iterator[str]:
    """A Markdown table."""
    rule = ["---:" if column.number else "---" for column in table.columns]
    titles = tuple(column.title for column in table.columns)
    every: list[tuple[str, ...]] = [titles, tuple(rule), *table.rows]
    for row in every:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
