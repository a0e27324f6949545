"""A page of the manual on a terminal: its Markdown as blocks, through the reader's pager where it is longer than the screen.

The pages use headings, paragraphs, lists, tables and fenced code, and in a line `code`, *emphasis*, **bold**,
[links](page.md) and ![pictures](file.svg). `$PAGER` names the pager, else it is `less`; there is none where standard
input or output is not a terminal.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile

from exprgrad.lazy import pattern
from exprgrad.views.blocks import Block, Column, Heading, Lines, Styled, Table
from exprgrad.views.layout import Line
from exprgrad.views.output import drawn, has_colour, laid_out, show_lines

_FENCE = "```"
_ITEM = pattern(r"(?:- |\d+\. )")
_BAR = pattern(r"(?<!\\)\|")
_INLINE = pattern(
    r"`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*|(?<!\w)\*(?P<emphasis>[^\s*][^*]*)\*"
    r"|(?P<picture>!?)\[(?P<text>[^]]*)\]\((?P<target>[^)]*)\)"
)
_LONG = 50
_TYPED = ("$ ", "> ", ">>> ")
"""What stands before a line that is typed."""


def page_blocks(text: str) -> Iterator[Block]:
    """The blocks of a page for standard output: where that has no colour, code keeps its backquotes."""
    quotes = sys.stdout is None or not has_colour(sys.stdout)
    rest = iter(text.splitlines())
    paragraph: list[str] = []
    for line in rest:
        starts = line.startswith(("#", _FENCE, "|", "<!--"))
        if paragraph and (not line or starts):
            yield _paragraph(paragraph, quotes)
            paragraph = []
        if line.startswith("#"):
            yield Heading(line.lstrip("# "))
        elif line.startswith(_FENCE):
            # takewhile consumes the line at which it stops, too: here the fence that closes the code
            yield _code(list(takewhile(lambda code: code != _FENCE, rest)), line)
        elif line.startswith("|"):
            # the line behind a table goes with it: it is empty or a comment
            yield _table([line, *takewhile(lambda row: row.startswith("|"), rest)])
        elif line and not starts:
            paragraph.append(line)
    if paragraph:
        yield _paragraph(paragraph, quotes)


def _paragraph(written: list[str], quotes: bool) -> Block:
    """A paragraph, or the items of a list, as one line each for the layout to break."""
    whole: list[str] = []
    for line in written:
        if not whole or _ITEM.match(line):
            whole.append(line)
        else:
            whole[-1] += f" {line.strip()}"
    hang = 2 if _ITEM.match(whole[0]) else 0
    return Styled(tuple(tuple(_pieces(line, quotes)) for line in whole), hang)


def _pieces(line: str, quotes: bool) -> Line:
    """A line in styled pieces."""
    pieces: Line = []
    place = 0
    for found in _INLINE.finditer(line):
        pieces.append((line[place : found.start()], ""))
        pieces.append(_piece(found, quotes))
        place = found.end()
    pieces.append((line[place:], ""))
    return [piece for piece in pieces if piece[0]]


def _piece(found: re.Match[str], quotes: bool) -> tuple[str, str]:
    if found["code"]:
        return (found.group() if quotes else found["code"], "cyan")
    if found["target"] is None:
        style = "bold" if found["bold"] else "italic"
        return (found["bold"] or found["emphasis"], style)
    # links to samples lead out of exprgrad/manual, and people type file names from the root of the repository
    text, target = found["text"], found["target"].removeprefix("../../")
    if found["picture"]:
        return (f"[{text}: {target}]", "dim")
    topic = target.removesuffix(".md")
    if topic == text:
        return (text, "cyan")
    return (f"{text} ({target if topic == target else f'help {topic}'})", "cyan")


def _code(code: list[str], fence: str) -> Block:
    """Lines to be copied whole; what is typed in them stands out."""
    if fence != f"{_FENCE}console":
        return Lines(tuple(code))
    styled = ((line, "bold cyan" if line.startswith(_TYPED) else "") for line in code)
    return Styled(tuple((piece,) for piece in styled), None)


def _table(rows: list[str]) -> Block:
    """A table; words go on below where there is no room, in the first column only if it is long."""
    cells = []
    for row in rows:
        texts = (c.strip().replace("\\|", "|") for c in _BAR.split(row.strip())[1:-1])
        own = (_pieces(text, quotes=False) for text in texts)
        cells.append(tuple("".join(text for text, _ in pieces) for pieces in own))
    titles, _, *entries = cells
    is_long = max(len(row[0]) for row in entries) > _LONG
    columns = [Column(title, style="" if i else "cyan", wraps=i > 0 or is_long) for i, title in enumerate(titles)]  # fmt: skip
    return Table("", columns, entries)


_QUIT_AT_END = "FRX"
"""For less: leave at the end if all fits, keep colours, leave the text on the screen."""


def show_paged(blocks: list[Block]) -> None:
    """Draw blocks on standard output, page by page if they do not fit on a terminal."""
    pager, lines = _pager(), list(laid_out(blocks))
    # on the screen at once, with a line for the prompt
    if pager and len(lines) >= os.get_terminal_size(sys.stdout.fileno()).lines and _piped(drawn(lines), pager):  # fmt: skip
        return
    show_lines(lines)


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


def _piped(text: str, pager: list[str]) -> bool:
    """Hand a text to the pager and wait until it is left; whether it could be started."""
    import subprocess

    # the reader's own LESS comes last, and wins
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
