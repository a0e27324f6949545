"""Styled lines on a colour terminal, drawn by rich."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from exprgrad.annotations import TextIO
from exprgrad.views import visible
from exprgrad.views.layout import Line
from exprgrad.views.palette import painted


class _Console(Console):
    """Rich's console, which leaves to the program how it ends when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def draw(
    lines: Iterable[Line], stream: TextIO, width: int, terminal: bool | None = None
) -> None:
    """Print the lines. Long lines are left to the terminal, so that they can be copied whole.

    `terminal` says whether a terminal shows them in the end, if the stream cannot know.
    """
    console = _Console(
        file=stream, width=width, highlight=False, force_terminal=terminal
    )
    for line in lines:
        encoding = stream.encoding or "utf-8"
        texts = (visible.encodable(visible.line(text), encoding) for text, _ in line)
        pieces = zip(texts, (painted(style) for _, style in line), strict=True)
        console.print(Text.assemble(*pieces), soft_wrap=True)
