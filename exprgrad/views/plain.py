"""Blocks as plain text: no colour, no import beyond the standard library."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from exprgrad.views.blocks import Block, Heading, Note, Table, fit

GAP = 2


def width_of(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.combining(c) != 0 for c in text)
    return len(text) + wide - marks


def lines(blocks: list[Block], width: int) -> Iterator[str]:
    """The lines of an output for a terminal of that width."""
    for i, block in enumerate(blocks):
        if i and not (isinstance(block, Note) and isinstance(blocks[i - 1], Note)):
            yield ""
        match block:
            case Heading(text):
                yield text
            case Note(text):
                yield f"note: {text}"
            case Table():
                yield from _table(block, width)


def _table(table: Table, width: int) -> Iterator[str]:
    titles = [column.title for column in table.columns]
    widths = [
        max(map(width_of, (title, *(row[i] for row in table.rows))))
        for i, title in enumerate(titles)
    ]
    table, widths = fit(table, width, widths, GAP)
    if table.title:
        yield table.title
    yield _row(tuple(column.title for column in table.columns), table, widths)
    yield (" " * GAP).join("─" * w for w in widths)
    for row in table.rows:
        yield _row(row, table, widths)
    yield from table.footer.splitlines()


def _row(cells: tuple[str, ...], table: Table, widths: list[int]) -> str:
    parts = []
    for cell, column, width in zip(cells, table.columns, widths, strict=True):
        pad = " " * (width - width_of(cell))
        parts.append(pad + cell if column.number else cell + pad)
    return (" " * GAP).join(parts).rstrip()
