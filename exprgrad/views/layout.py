"""Blocks as lines of styled pieces, for any renderer."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from exprgrad.views.blocks import Block, Column, Heading, Lines, Note, Styled, Table

GAP = "  "

NARROWEST = 24
"""The width to which a column of words shrinks before another column is left out."""

Line = list[tuple[str, str]]
"""Pieces of text, each with the name of a style."""


def width_of(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.combining(c) != 0 for c in text)
    return len(text) + wide - marks


def lines(blocks: list[Block], width: int) -> Iterator[Line]:
    """The lines of an output for a terminal of that width."""
    for i, block in enumerate(blocks):
        if i and not (isinstance(block, Note) and isinstance(blocks[i - 1], Note)):
            yield []
        match block:
            case Heading(text):
                yield [(text, "bold")]
            case Note(text):
                yield [(f"note: {text}", "yellow")]
            case Lines(texts):
                yield from ([(text, "")] for text in texts)
            case Styled(styled):
                yield from (list(line) for line in styled)
            case Table():
                yield from _table(block, width)


def _table(table: Table, width: int) -> Iterator[Line]:
    table, widths = _fit(table, _least(table), width)
    widths = _widths(table)
    if table.columns[-1].wraps and sum(widths) + len(GAP) * len(widths[1:]) > width:
        room = max(12, width - sum(widths[:-1]) - len(GAP) * len(widths[1:]))
        table = table._replace(rows=list(_wrapped(table.rows, room)))
        widths = _widths(table)
    for text in _folded(table.title, width) if table.title else ():
        yield [(text, "bold")]
    titles = tuple(column.title for column in table.columns)
    yield _row(titles, [c._replace(style="dim") for c in table.columns], widths)
    yield [(GAP.join("─" * w for w in widths), "dim")]
    for row in table.rows:
        yield _row(row, table.columns, widths)
    for paragraph in table.footer.splitlines():
        for text in _folded(paragraph, width):
            yield [(text, "dim")]


def _folded(text: str, width: int, break_words: bool = True) -> list[str]:
    """A text in lines of that width; one that fits, as most do, is not worth an import."""
    if width_of(text) <= width:
        return [text]
    import textwrap

    return textwrap.wrap(text, width, break_long_words=break_words)


def _wrapped(rows: Sequence[tuple[str, ...]], room: int) -> Iterator[tuple[str, ...]]:
    """The rows, with the words of the last column on as many lines as they need."""
    for row in rows:
        parts = _folded(row[-1], room, break_words=False)
        yield (*row[:-1], parts[0])
        yield from ((*[""] * (len(row) - 1), part) for part in parts[1:])


def _widths(table: Table) -> list[int]:
    return [
        max(width_of(text) for text in (column.title, *(row[i] for row in table.rows)))
        for i, column in enumerate(table.columns)
    ]


def _least(table: Table) -> list[int]:
    """The widths that the columns need, where the last one may be wrapped."""
    widths = _widths(table)
    if table.columns[-1].wraps:
        widths[-1] = min(widths[-1], NARROWEST)
    return widths


def _fit(table: Table, widths: list[int], width: int) -> tuple[Table, list[int]]:
    """Leave out spare columns until the table fits, and say which in the footer."""
    left_out: list[str] = []
    while sum(widths) + len(GAP) * (len(widths) - 1) > width:
        spare = max(range(len(widths)), key=lambda i: table.columns[i].spare)
        if not table.columns[spare].spare:
            break
        left_out.append(table.columns[spare].title)
        keep = [i for i in range(len(widths)) if i != spare]
        table = table._replace(
            columns=[table.columns[i] for i in keep],
            rows=[tuple(row[i] for i in keep) for row in table.rows],
        )
        widths = [widths[i] for i in keep]
    if left_out:
        more = f"(left out to fit {width} columns: {', '.join(reversed(left_out))})"
        table = table._replace(footer=f"{table.footer}\n{more}".strip())
    return table, widths


def _row(cells: tuple[str, ...], columns: list[Column], widths: list[int]) -> Line:
    pieces: Line = []
    last = max((i for i, cell in enumerate(cells) if cell), default=-1)
    for i, (cell, column, width) in enumerate(zip(cells, columns, widths, strict=True)):
        if i > last:
            break
        pad = " " * (width - width_of(cell))
        gap = GAP if i < last else ""
        text = (
            f"{pad}{cell}{gap}" if column.number else f"{cell}{pad if gap else ''}{gap}"
        )
        pieces.append((text, column.style))
    return pieces
