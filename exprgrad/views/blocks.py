"""The parts that an output is made of, and how numbers are written in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Heading(NamedTuple):
    """A line that says what follows."""

    text: str


class Note(NamedTuple):
    """A remark."""

    text: str


class Column(NamedTuple):
    """A column's title, whether it holds numbers, and whether it may be left out or cut.

    When a table is too wide, columns with the highest `spare` go first; 0 never goes.
    """

    title: str
    number: bool = False
    spare: int = 0
    style: str = ""


class Table(NamedTuple):
    """A title, columns and rows of text."""

    title: str
    columns: list[Column]
    rows: Sequence[tuple[str, ...]]
    footer: str = ""


Block = Heading | Note | Table


def number(value: float, digits: int = 10) -> str:
    """A number for people: whole numbers as such, others with so many significant digits."""
    if not math.isfinite(value):
        return "undefined"
    if value == math.floor(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.{digits}g}"


def fit(
    table: Table, width: int, widths: list[int], gap: int
) -> tuple[Table, list[int]]:
    """Leave out spare columns until the table fits the width, and say which in the footer."""
    left_out: list[str] = []
    while sum(widths) + gap * len(widths) > width:
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
        names = ", ".join(reversed(left_out))
        more = f"(left out to fit {width} columns: {names})"
        table = table._replace(footer=f"{table.footer}\n{more}".strip())
    return table, widths
