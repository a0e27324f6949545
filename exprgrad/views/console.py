"""Blocks on a colour terminal, drawn by rich."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.text import Text

from exprgrad.views.blocks import Block
from exprgrad.views.layout import lines


def draw(blocks: list[Block], stream: TextIO, width: int) -> None:
    """Print the blocks. Long lines are left to the terminal, so that they can be copied whole."""
    console = Console(file=stream, width=width, highlight=False)
    for line in lines(blocks, width):
        console.print(Text.assemble(*line), soft_wrap=True)
