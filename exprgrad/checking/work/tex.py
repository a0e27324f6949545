r"""Worked solutions in LaTeX, as they are printed: their lines as those of text see them, and the reader of their sides.

page(r"&= \frac{1}{2}x^2 \\")         "=  frac{1}{2}x^2", every sign at its place
joined(["\\frac{x}", "{2}"])          ["\\frac{x} {2}", ""]
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.language.latex.commands import letters
from exprgrad.language.latex.plain import Plain, plain
from exprgrad.lazy import pattern

_MATHEMATICS = pattern(r"\$+([^$]+)\$+|\\\[(.+?)\\\]|\\\((.+?)\\\)")
_LAYOUT = pattern(r"\s*\\(?:begin|end)\s*\{(?:align|equation|gather|split|aligned|eqnarray|multline)\*?\}")  # fmt: skip
_COMMAND = pattern(r"\\([a-zA-Z]{2,})")
_NAMES = pattern(r"\\[a-zA-Z]+|[a-zA-Z]")
_ROW = pattern(r"^\s*(?:&|=)|\\(?:end|intertext)|&\s*=")


def joined(lines: Sequence[str]) -> list[str]:
    """The lines with those that an open bracket, a display or a row without its end continues put behind the first."""
    if not any("\\" in line for line in lines):
        return [*lines]
    found: list[str] = []
    first = depth = begun = 0
    shown, aligned = False, False
    for i, line in enumerate(lines):
        text = _LAYOUT.sub(lambda m: " " * len(m[0]), line)
        if "\\end" in line or not text.strip():
            # a bracket that was never closed ends with its display, and does not take the rest of the page
            aligned, depth = False, 0
        row_goes_on = aligned and first >= begun and not _ROW.search(text) and not found[first].rstrip().endswith("\\\\")  # fmt: skip
        is_bar = text.lstrip().startswith("_") and found and found[first].rstrip(" \\").endswith("|")  # fmt: skip
        if (depth > 0 or shown or row_goes_on or is_bar) and text.strip() and found:
            if depth > 0 or is_bar:  # a row that was broken in brackets
                found[first] = found[first].rstrip().removesuffix("\\\\")
            found[first] = f"{found[first]} {text.strip()}"
            found.append("")
        else:
            found.append(text)
            first, depth = (i, 0) if text.strip() else (first, 0)
        depth += sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
        shown = (shown or "\\[" in text) and "\\]" not in text
        if "\\begin" in line:
            aligned, begun = True, i + (not text.strip())
    return found


def page(line: str) -> tuple[Plain, str]:
    """A line in the signs of text, and without what is no mathematics; the ends of rows and of columns are semicolons.

    A row goes on behind a sign. Commands are digits there: no word of a sentence is among them.
    """
    text, starts, ends = plain(line)
    text = re.sub(r"\n(?=\s*[-+*/]|\s*$)|(?<=[-+*/=])(\s*)\n", lambda m: " " * len(m[0]), text)  # fmt: skip
    signs = [*text.replace("\n", ";")]
    for command in _COMMAND.finditer(line):
        first, last = command.span(1)
        # digits are part of no word: frac would be taken for prose
        if text[first:last] == command[1] != "lim" and not letters(command[0]):
            signs[first:last] = "0" * (last - first)
    alone, end = [*signs], 0
    for found in [*_MATHEMATICS.finditer(line), None]:
        start = found.start() if found is not None else len(line)
        if end or found is not None:
            alone[end:start] = ";" * (start - end)
        end = found.end() if found is not None else end
    return Plain("".join(signs), starts, ends), "".join(alone)


def letters_of(text: str) -> set[str]:
    """The letters of a formula that belong to no command."""
    return {name for name in _NAMES.findall(text) if len(name) == 1}


class Stated(NamedTuple):
    """A problem as a line states it: its function or equation; `own` says that the line is not part of the solution."""

    function: str
    wrt: str | None
    order: int
    own: bool
    name: str = ""
    parameters: tuple[str, ...] = ()
    line: str = ""


def mathematics(line: str) -> list[str]:
    """Return what is mathematics in a line: all of it where nothing is marked as such."""
    pieces = [next(filter(None, m.groups())) for m in _MATHEMATICS.finditer(line)]
    return [f"${piece}$" for piece in pieces or [line]]
