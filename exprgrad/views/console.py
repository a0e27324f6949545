"""Styled lines on a colour terminal, drawn by rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from exprgrad.views.layout import Line


def draw(lines: Iterable[Line], stream: TextIO, width: int) -> None:
    """Print the lines. Long lines are left to the terminal, so that they can be copied whole."""
    console = Console(file=stream, width=width, highlight=False)
    for line in lines:
        console.print(Text.assemble(*line), soft_wrap=True)
