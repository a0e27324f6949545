"""Output that is longer than the screen, through the reader's pager.

`$PAGER` names it, else it is `less`; there is none where standard input or output is not a terminal.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from exprgrad.views.blocks import Block
from exprgrad.views.layout import lines
from exprgrad.views.output import has_colour, show_blocks, width

_QUIT_AT_END = "FRX"
"""For less: leave at the end if all fits, keep colours, leave the text on the screen."""


def show_paged(blocks: list[Block]) -> None:
    """Draw blocks on standard output, page by page if they do not fit on a terminal."""
    pager = _pager()
    if pager is None or _fits(blocks) or not _piped(_drawn(blocks), pager):
        show_blocks(blocks)


def _pager() -> list[str] | None:
    """The command that shows text page by page, if it is wanted."""
    if any(s is None or not s.isatty() for s in (sys.stdin, sys.stdout)):
        return None
    import shlex
    from shutil import which

    with suppress(ValueError):  # a quotation mark that is never closed
        wanted = os.environ.get("PAGER", "").strip() or "less"
        words = shlex.split(wanted)
        if which(words[0]):  # as git does: a pager may be a pipeline
            return ["sh", "-c", wanted] if os.name == "posix" else words
    return None


def _fits(blocks: list[Block]) -> bool:
    """Whether the screen shows them at once, with a line for the prompt."""
    rows = os.get_terminal_size(sys.stdout.fileno()).lines
    return sum(1 for _ in lines(blocks, width())) < rows


def _drawn(blocks: list[Block]) -> str:
    """What would be drawn on standard output."""
    import io

    from exprgrad.views import visible
    from exprgrad.views.console import draw

    encoding = sys.stdout.encoding or "utf-8"
    blocks = visible.each_encodable(blocks, encoding)
    buffer = io.StringIO()
    if has_colour(sys.stdout) and "utf" in encoding.lower():
        draw(lines(blocks, width()), buffer, width(), terminal=True)
    else:
        for line in lines(blocks, width()):
            buffer.write("".join(visible.line(text) for text, _ in line) + "\n")
    return buffer.getvalue()


def _piped(text: str, pager: list[str]) -> bool:
    """Hand a text to the pager and wait until it is left; whether it could be started."""
    import subprocess

    environment = {"LESS": _QUIT_AT_END, "LESSCHARSET": "utf-8", **os.environ}
    sys.stdout.flush()
    try:
        process = subprocess.Popen(pager, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    with suppress(BrokenPipeError, KeyboardInterrupt):
        process.communicate(text.encode(sys.stdout.encoding or "utf-8", "replace"))
    while True:  # Ctrl-C is for the pager
        with suppress(KeyboardInterrupt):
            process.wait()
            return True
