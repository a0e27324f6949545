r"""The mathematics in a document: TeX, Markdown or plain text, each piece with its place.

    segments(text, ".tex")      $…$, $$…$$, \(…\), \[…\] and environments; comments and verbatim left out
    segments(text, ".md")       the same, fenced ```math and `x^2`; blocks of code left out

`prose` is the text with marks in place of each piece, for sentences such as "the derivative of $x^2$ is $2x$".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.errors import Span
from exprgrad.language.latex import commands
from exprgrad.lazy import pattern

MARK = "\ue001"
"""Stands for a piece of mathematics in the prose."""

TICK = "\ue002"
"""Stands for the backticks of Markdown around a piece, which are quotation marks in TeX."""


class Segment(NamedTuple):
    """A piece of mathematics: its text, where that begins in the document, and its span with the marks around it."""

    text: str
    start: int
    outer: Span = (0, 0)


_NAMES = "|".join(commands.ENVIRONMENTS)
_INLINE = r"(?:\\.|[^$\\\n]|\n(?!\s*\n))+"
_PIECES = (
    rf"\\begin\s*\{{(?P<name>(?:{_NAMES})\*?)\}}(?:\s*\{{\d+\}})?(?P<body>(?:(?!\\begin\s*\{{(?P=name)\}}).)*?)\\end\s*\{{(?P=name)\}}"
    r"|(?<!\\)\$\$(?P<display>[^$]+)(?<!\\)\$\$"
    r"|(?<!\\)\$(?P<inline>@)\$(?!\d)"
    r"|(?<!\\)\\\[(?P<square>(?:(?!\\\[).)+?)\\\]"
    r"|\\\((?P<round>(?:(?!\\\().)+?)\\\)"
    rf"|{TICK}(?P<ticks>[^{TICK}]+){TICK}"
    r"|^[ \t]*```+[ \t]*math[ \t]*\n(?P<fenced>(?:(?!```).)*)```"
)
_IN_TEX = pattern(_PIECES.replace("@", _INLINE), re.DOTALL | re.MULTILINE)
_IN_TEXT = pattern(
    _PIECES.replace("@", rf"(?=\S){_INLINE}(?<=\S)|[ ]{_INLINE}[ ]"),
    re.DOTALL | re.MULTILINE,
)
"""In text, dollars that enclose a formula have no blanks inside, or on both sides: $20 and $3 are prices."""
_COMMENT = pattern(r"(?<!\\)%[^\n]*")
_VERBATIM = pattern(
    r"\\begin\s*\{(?P<name>verbatim|lstlisting|minted|comment|filecontents)\*?\}.*?(?:\\end\s*\{(?P=name)\*?\}|\Z)|\\verb(?P<mark>[^\w\s])[^\n]*?(?:(?P=mark)|$)",
    re.DOTALL | re.MULTILINE,
)
_FENCE = pattern(r"[ \t]*(```|~~~)`*[ \t]*(\w*)")
_TICKS = pattern(r"(?<!`)`([^`\n]+)`(?!`)")


def without_comments(text: str, suffix: str) -> str:
    """A document with blanks for what is not part of it: comments, verbatim text, blocks of code. Nothing moves."""
    # in TeX, backticks are quotation marks; elsewhere, % is a per cent sign and no comment
    if suffix != ".tex":
        return _TICKS.sub(rf"{TICK}\1{TICK}", _without_fences(text))
    return _COMMENT.sub(_blank, _VERBATIM.sub(_blank, text))


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _without_fences(text: str) -> str:
    """Markdown without the blocks of code, but with those of mathematics."""
    lines = text.split("\n")
    fence = language = ""
    for i, line in enumerate(lines):
        found = _FENCE.match(line)
        # a fence of ~~~ may hold ``` as text
        closes = found is not None and found[1] == fence
        if fence and not (closes and language == "math"):
            lines[i] = line if language == "math" else " " * len(line)
        elif found is not None and not fence and found[2] != "math":
            lines[i] = " " * len(line)
        if closes:
            fence = language = ""
        elif found is not None and not fence:
            fence, language = found[1], found[2]
    return "\n".join(lines)


def segments(text: str, is_tex: bool = True) -> Iterator[Segment]:
    """The pieces of mathematics in a document without its comments, in order."""
    for found in (_IN_TEX if is_tex else _IN_TEXT).finditer(text):
        group = found.lastgroup or ""
        group = "body" if group == "name" else group
        yield Segment(found[group], found.start(group), found.span())


def prose(text: str, pieces: Sequence[Segment]) -> str:
    """The document with marks in place of the pieces; nothing moves."""
    out, end = list[str](), 0
    for piece in pieces:
        start = piece.outer[0]
        out += (text[end:start], MARK * (piece.outer[1] - start))
        end = piece.outer[1]
    return "".join([*out, text[end:]])
