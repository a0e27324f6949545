"""Other readings of what was typed: the brackets that a reader of books would put.

    list(likely("1/2x"))        # ["1/(2x)", ...]

Texts only: whether one of them is what was meant is for others to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from exprgrad.language.brackets import outside
from exprgrad.operations.operation import TABLE

_FACTOR = r"[^\W\d_]\w*(?:\s*\^\s*(?:\d+|\([^()]*\)))?(?![\w(^])"
_SLASH = re.compile(r"/\s*(\d[\d.]*\s*" + _FACTOR + ")")
_SLASH_STAR = re.compile(r"/\s*(\d[\d.]*\s*\*\s*" + _FACTOR + ")")
_SLASH_BRACKET = re.compile(r"/\s*(\d[\d.]*\s*\([^()]*\))")
_HAT = re.compile(
    r"\^\s*(-?\d[\d.]*\s*[^\W\d_]\w*|-?\d+/\d+|-?[^\W\d_]\s*[^\W\d_])(?!\w)"
)
_NAMES = "|".join(
    name for row in TABLE.values() if row.bare for name in (row.called, *row.aliases)
)
_BARE = re.compile(rf"\b({_NAMES})\s+([\w^*]+\s*[/*]\s*\w+)")
_BARE_BRACKET = re.compile(rf"\b({_NAMES})\s+(\d*[^\W\d_]\w*)\s*(\([^()]*\))")
_BARE_POWER = re.compile(rf"\b({_NAMES})\s+([^\W\d_])\s*\^\s*(\d+)")


def likely(source: str) -> Iterator[str]:
    """Other readings of a text: 1/2x as 1/(2x), e^2x as e^(2x), sin x/2 as sin(x/2), 1/x+1 as 1/(x+1)."""
    for pattern, form in (
        (_SLASH, r"/(\1)"),
        (_SLASH_BRACKET, r"/(\1)"),
        (_HAT, r"^(\1)"),
        (_BARE, r"\1(\2)"),
        (_BARE_BRACKET, r"\1(\2\3)"),
        (_BARE_POWER, r"\1(\2)^\3"),
    ):
        changed = pattern.sub(form, source)
        if changed != source:
            yield changed
    above, slash, below = _divided(source)
    if slash:
        yield f"{above}/({below})"
        yield f"({above})/({below})"


def with_star(source: str) -> Iterator[str]:
    """The reading of 1/2*x as 1/(2*x), which is less likely."""
    changed = _SLASH_STAR.sub(r"/(\1)", source)
    if changed != source:
        yield changed


def _divided(source: str) -> tuple[str, str, str]:
    """A text parted at its only slash outside of brackets, if there is one."""
    places = list(outside(source, "/"))
    if len(places) != 1:
        return source, "", ""
    return source[: places[0]].strip(), "/", source[places[0] + 1 :].strip()
