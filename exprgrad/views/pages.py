"""A page of the manual on a terminal: its Markdown as blocks.

The pages use headings, paragraphs, lists, tables and fenced code, and in a line `code`, *emphasis*, **bold**,
[links](page.md) and ![pictures](file.svg).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import takewhile

from exprgrad.patterns import pattern
from exprgrad.views.blocks import Block, Column, Heading, Lines, Styled, Table
from exprgrad.views.layout import Line
from exprgrad.views.output import has_colour

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


def page_blocks(text: str) -> list[Block]:
    """The blocks of a page for standard output: where that has no colour, code keeps its backquotes."""
    coloured = sys.stdout is not None and has_colour(sys.stdout)
    return list(_blocks(text, quotes=not coloured))


def _blocks(text: str, quotes: bool) -> Iterator[Block]:
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
            yield _code(list(takewhile(lambda code: code != _FENCE, rest)), line)
        elif line.startswith("|"):
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
