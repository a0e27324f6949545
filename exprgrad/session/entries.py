"""A session text cut into entries: at line breaks outside brackets, and at `;`."""

from __future__ import annotations

import re

from exprgrad.annotations import NamedTuple
from exprgrad.language.brackets import nesting
from exprgrad.language.questions import continues
from exprgrad.patterns import pattern

_MARK = pattern(r"#[^\n]*|;|(?P<empty>\n[^\S\n]*(?=\n|\Z))|\n|[(\[{]|[)\]}]")
_MARK_IN_LINE = pattern(r"#.*|[;()\[\]{}]")


class Entry(NamedTuple):
    """One statement or command as typed: its text, which begins at `start` in `source`.

    A `quiet` one, before `;`, shows no result.
    """

    text: str
    start: int
    source: str
    quiet: bool = False

    @property
    def line(self) -> int:
        """The number of the line in the source, from 1."""
        return self.source.count("\n", 0, self.start) + 1


class Argument(NamedTuple):
    """What was typed after a command, and where it begins in the entry."""

    text: str
    start: int
    entry: Entry


def split(source: str) -> list[Entry]:
    """The entries of a text, without comments and empty ones.

    A statement continues over line breaks while a bracket is open, up to an empty line.
    """
    entries: list[Entry] = []
    pieces: list[str] = []  # of the entry so far, with blanks in place of comments
    start = copied = depth = 0

    def end(at: int, quiet: bool) -> None:
        text = "".join([*pieces, source[copied:at]])
        lead = len(text) - len(text.lstrip())
        if lead < len(text):
            entries.append(Entry(text.strip(), start + lead, source, quiet))

    for match in _MARK.finditer(source):
        mark = match.group()
        if mark[0] == "#":
            pieces += [source[copied : match.start()], " " * len(mark)]
            copied = match.end()
        elif (mark == ";" and _belongs(source, start, match.start())) or (
            mark == "\n" and depth <= 0 and continues(source, start, match.start())
        ):
            continue
        elif mark == ";" or (mark[0] == "\n" and (depth <= 0 or match["empty"])):
            end(match.start(), mark == ";")
            start = copied = match.end()
            depth = 0
            pieces.clear()
        else:
            depth += nesting(mark)
    end(len(source), False)
    return entries


def _belongs(source: str, start: int, semicolon: int) -> bool:
    """Whether a semicolon ends no statement: x^2 + y^2 = 25; dy/dx = -x/y, a command's, or the blank of LaTeX."""
    if source.endswith("\\", 0, semicolon):
        return True
    slope = re.compile(
        r"(?:\s|\\[ ,;!])*(?:\\[dt]?frac\s*\{\s*d[^{}]*\}\s*\{\s*d[^{}]*\}\s*|d(?:\^?[2-9²³])?\s*[^\W\d_]\s*/\s*d[^=;\n]*|[^\W\d_]['’′]+\s*)="
    )
    before = source[start:semicolon].strip()
    if before.startswith(":check") and source[semicolon + 1 :].lstrip()[:1] != ":":
        return True
    defines = re.match(r"[^\W\d]\w*(?:\s*\([^()]*\))?\s*=", before)
    return (
        slope.match(source, semicolon + 1) is not None
        and "=" in before
        and (defines is None or re.match(r"x\s*=[^,]*,\s*y\s*=", before) is not None)
    )


class OpenBrackets:
    """Whether a bracket is open, line by line, so that a statement may continue on the next."""

    def __init__(self) -> None:
        self._depth = 0

    def after(self, line: str) -> bool:
        """Whether one is open after another line."""
        if not line.strip():
            self._depth = 0
        for mark in _MARK_IN_LINE.findall(line):
            self._depth = 0 if mark == ";" else self._depth + nesting(mark)
        self._depth = max(self._depth, 0)
        return self._depth > 0


def unfinished(source: str) -> bool:
    """Whether a bracket is open at the end of a text."""
    brackets = OpenBrackets()
    return [brackets.after(line) for line in source.split("\n")][-1]
