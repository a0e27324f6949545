"""A format in one file: all that a document says, in capitals."""

from __future__ import annotations

from collections.abc import Iterator

from exprgrad.views.blocks import Block
from exprgrad.views.layout import lines


def document(blocks: list[Block]) -> Iterator[str]:
    """The lines of a document."""
    for line in lines(blocks, 80):
        yield "".join(text for text, _ in line).upper()
