"""Where output goes: drawn with colour or plainly, with stand-ins for what a stream cannot encode."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import TextIO

from exprgrad.data.files import unwritable
from exprgrad.errors import UsageError
from exprgrad.views.blocks import Block
from exprgrad.views.layout import Line, lines

_PLAIN = str.maketrans(
    {
        "∂": "d",
        "─": "-",
        "→": "->",
        "·": "*",
        "×": "x",
        "—": "-",
        "…": "...",
        "✓": "ok",
        "✗": "x",
    }
)


class PipeClosed(Exception):
    """The reader of the output has closed it."""


def emit(text: str, stream: TextIO | None = None) -> None:
    """Write text and a line break, with stand-ins for what the stream cannot encode.

    Raises `PipeClosed` when nobody reads any more, `UsageError` when writing fails.
    """
    stream = stream or sys.stdout
    if stream is None:
        raise UsageError("there is no standard output to write to")
    try:
        _write(text, stream)
    except BrokenPipeError:
        raise PipeClosed from None
    except OSError as error:
        raise unwritable("the output", error) from None


def _write(text: str, stream: TextIO) -> None:
    encoding = stream.encoding or "utf-8"
    if not text.isascii():
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            text = (
                text.translate(_PLAIN)
                .encode(encoding, "backslashreplace")
                .decode(encoding)
            )
    stream.write(text + "\n")


def width() -> int:
    """The columns of the terminal; 80 where there is none."""
    columns = shutil.get_terminal_size((80, 24)).columns
    return columns if sys.stdout is not None and sys.stdout.isatty() else 80


def show_blocks(blocks: list[Block]) -> None:
    """Draw blocks on standard output."""
    show_lines(lines(blocks, width()))


def show_lines(styled: Iterable[Line]) -> None:
    """Draw lines on standard output: with colour on a terminal that has it, plainly elsewhere."""
    if (
        sys.stdout is not None
        and has_colour(sys.stdout)
        and "utf" in (sys.stdout.encoding or "").lower()
    ):
        from exprgrad.views.console import draw

        try:
            draw(styled, sys.stdout, width())
        except BrokenPipeError:
            raise PipeClosed from None
        return
    emit_lines("".join(text for text, _ in line) for line in styled)


def emit_lines(texts: Iterable[str]) -> None:
    """Write lines to standard output."""
    for line in texts:
        emit(line)


def emit_error(text: str) -> None:
    """Write a line to standard error."""
    emit(text, sys.stderr)


def has_colour(stream: TextIO) -> bool:
    """Whether escape codes are welcome: a terminal, not a dumb one, and no NO_COLOR."""
    return (
        stream.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "") not in ("dumb", "")
    )
