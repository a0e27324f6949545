"""Blocks on a colour terminal, drawn by rich."""

from __future__ import annotations

from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from exprgrad.views.blocks import Block, Heading, Note, Table, fit
from exprgrad.views.plain import width_of


def draw(blocks: list[Block], stream: TextIO, width: int) -> None:
    """Print the blocks."""
    console = Console(file=stream, width=width, highlight=False, soft_wrap=True)
    for i, block in enumerate(blocks):
        if i and not (isinstance(block, Note) and isinstance(blocks[i - 1], Note)):
            console.print()
        match block:
            case Heading(text):
                console.print(Text(text, style="bold"))
            case Note(text):
                console.print(Text(f"note: {text}", style="yellow"))
            case Table():
                _table(console, block, width)


def _table(console: Console, table: Table, width: int) -> None:
    titles = [column.title for column in table.columns]
    widths = [
        max(map(width_of, (title, *(row[i] for row in table.rows))))
        for i, title in enumerate(titles)
    ]
    table, _ = fit(table, width, widths, 2)
    drawn = RichTable(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim"
    )
    for column in table.columns:
        drawn.add_column(
            column.title,
            justify="right" if column.number else "left",
            style=column.style,
            no_wrap=True,
        )
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    if table.title:
        console.print(Text(table.title, style="bold"))
    console.print(drawn)
    if table.footer:
        console.print(Text(table.footer, style="dim"))
