"""The output stream: drawn with colour or plainly, with stand-ins for what a stream cannot encode.

A colour whose relative luminance L is near 0.18 has the same contrast with black as with white,
(L + 0.05)/0.05 = 1.05/(L + 0.05) = 4.6 (WCAG 2, contrast ratio); those that terminals call yellow, cyan
and green have less than 2 with white. A terminal with fewer colours takes the nearest that it has.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

from exprgrad.annotations import TextIO
from exprgrad.errors import UsageError
from exprgrad.views import visible
from exprgrad.views.blocks import Block
from exprgrad.views.layout import Line, lines

COLOURS = {
    "red": "#d7203a",
    "green": "#008700",
    "yellow": "#a56500",
    "blue": "#0077d2",
    "magenta": "#b04fb4",
    "cyan": "#008080",
    "dim": "#767676",
}
"""The colours by the names that views use."""


def draw(lines: Iterable[Line], stream: TextIO, width: int) -> None:
    """Print the lines for a terminal. Long ones are left to it, so that they can be copied whole."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, width=width, highlight=False, force_terminal=True)
    for line in lines:
        texts = (visible.encodable(visible.line(text), "utf-8") for text, _ in line)
        # `bold green` with the colour that the name stands for
        words = (
            [COLOURS.get(word, word) for word in style.split()] for _, style in line
        )
        pieces = zip(texts, map(" ".join, words), strict=True)
        # assembled, not joined: what looks like the markup of rich, [bold], is text here
        console.print(Text.assemble(*pieces), soft_wrap=True)


class PipeClosed(Exception):
    """The reader of the output has closed it."""


def emit(text: str, stream: TextIO | None = None) -> None:
    """Write text for people and a line break, filtered, with stand-ins for what the stream cannot encode.

    Raises `PipeClosed` when nobody reads any more, `UsageError` when writing fails.
    """
    _write(visible.lines(text) + "\n", stream or sys.stdout)


def emit_data(text: str) -> None:
    """Write a piece of a file, byte by byte, to standard output; on a terminal what can be seen of it."""
    seen = sys.stdout is not None and sys.stdout.isatty()
    _write((visible.data(text) if seen else text) + "\n", sys.stdout)


def emit_styled(line: Line) -> None:
    """Write a line of styled pieces to standard error, with colour where it is welcome; rich is not worth its import here."""
    coloured = sys.stderr is not None and has_colour(sys.stderr)
    pieces = ((visible.line(text), CODES[style] if coloured else "") for text, style in line)  # fmt: skip
    text = "".join(f"{c}{text}\x1b[0m" if c else text for text, c in pieces)
    write_error(text + "\n")


CODES = {"": "", "bold": "\x1b[1m", "error": "\x1b[1;31m"}
"""The styles of diagnostics. Red is a colour that every theme of a terminal keeps legible."""


def _write(text: str, stream: TextIO | None) -> None:
    if stream is None:
        raise UsageError("there is no standard output to write to")
    try:
        stream.write(visible.encodable(text, stream.encoding or "utf-8"))
    except BrokenPipeError:
        raise PipeClosed from None
    except OSError as error:
        from exprgrad.data.files import unwritable

        raise unwritable("the output", error) from None


def width() -> int:
    """The columns of the terminal; 80 where there is none."""
    return columns() if sys.stdout is not None and sys.stdout.isatty() else 80


def columns() -> int:
    """The columns of the terminal, wherever is written; 80 where there is none.

    As `shutil.get_terminal_size` says; to import that takes longer than most commands.
    """
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr] # None is caught
    except (AttributeError, ValueError, OSError):
        return 80


def encoding() -> str:
    """The encoding of standard output."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def laid_out(blocks: list[Block]) -> Iterator[Line]:
    """The lines of blocks for standard output."""
    if "utf" not in encoding().lower():
        # before the layout: a stand-in may be longer, <= for ≤, and columns have to be as wide as what is written
        blocks = visible.each_encodable(blocks, encoding())
    return lines(blocks, width())


def show_blocks(blocks: list[Block]) -> None:
    """Draw blocks on standard output."""
    show_lines(laid_out(blocks))


def show_lines(styled: Iterable[Line]) -> None:
    """Draw lines on standard output."""
    _write(drawn(styled), sys.stdout)


def drawn(styled: Iterable[Line]) -> str:
    """Lines as standard output shows them: with colour on a terminal that has it, plainly elsewhere."""
    coloured = sys.stdout is not None and has_colour(sys.stdout)
    if coloured and "utf" in encoding().lower():
        buffer = io.StringIO()
        draw(styled, buffer, width())
        return buffer.getvalue()
    plain = ("".join(visible.line(text) for text, _ in line) for line in styled)
    return "".join(f"{visible.encodable(line, encoding())}\n" for line in plain)


def emit_lines(texts: Iterable[str]) -> None:
    """Write lines to standard output."""
    for line in texts:
        emit(line)


def emit_error(text: str) -> None:
    """Write a line to standard error."""
    write_error(visible.lines(text) + "\n")


def write_error(text: str) -> None:
    """Write text to standard error. Where that is closed or full, the exit code says what happened."""
    # a full disk and a reader that is gone are OSErrors; a stream that was closed raises ValueError
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            encoding = sys.stderr.encoding or "utf-8"
            sys.stderr.write(visible.encodable(text, encoding))
            sys.stderr.flush()


def on_terminal(symbols: str) -> bool:
    """Return whether standard output is a terminal that can show these symbols."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    try:
        symbols.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return os.environ.get("TERM", "") not in ("dumb", "")


def has_colour(stream: TextIO) -> bool:
    """Return whether escape codes are welcome: on a terminal that is not dumb, or where FORCE_COLOR asks, and no NO_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM", "") not in ("dumb", "")
