"""A text of the session language as statements: at line breaks outside brackets, and at `;`."""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = re.compile(r"#[^\n]*|;|(?P<empty>\n[^\S\n]*(?=\n|\Z))|\n|[(\[{]|[)\]}]")


class Line(NamedTuple):
    """One statement: its text from `start` of `source` on; a `quiet` one, before `;`, shows no result."""

    text: str
    start: int
    source: str
    quiet: bool = False

    @property
    def number(self) -> int:
        """The number of the line in the source, from 1."""
        return self.source.count("\n", 0, self.start) + 1


def split(source: str) -> list[Line]:
    """The statements of a text; comments and empty ones are left out.

    A statement goes on over line breaks while a bracket is open, up to an empty line at most.
    """
    return _scan(source)[0]


def unfinished(source: str) -> bool:
    """Whether a bracket is open at the end, so that the statement may go on in another line."""
    return _scan(source)[1] > 0


def _scan(source: str) -> tuple[list[Line], int]:
    lines: list[Line] = []
    start = depth = 0
    comments: list[tuple[int, int]] = []

    def end(at: int, quiet: bool) -> None:
        text = source[start:at]
        for a, b in comments:  # blanks in their place, so that all else keeps its own
            text = text[: a - start] + " " * (b - a) + text[b - start :]
        lead = len(text) - len(text.lstrip())
        if text.strip():
            lines.append(Line(text.strip(), start + lead, source, quiet))

    for match in _MARK.finditer(source):
        mark = match.group()
        if mark[0] == "#":
            comments.append(match.span())
        elif mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark == ";" or depth <= 0 or match.lastgroup == "empty":
            end(match.start(), mark == ";")
            start, depth, comments = match.end(), 0, []
    end(len(source), False)
    return lines, depth
