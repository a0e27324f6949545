"""Other readings of what was typed: the brackets that a reader of books would put.

    list(likely("1/2x"))        # ["1/(2x)", ...]

Texts only: whether one of them is what was meant is for others to find out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.language.brackets import outside
from exprgrad.operations.operation import TABLE
from exprgrad.patterns import pattern

_FACTOR = r"[^\W\d_]\w*(?:\s*\^\s*(?:\d+|\([^()]*\)))?(?![\w(^])"
_SLASH = pattern(r"/\s*(\d[\d.]*\s*" + _FACTOR + ")")
_SLASH_STAR = pattern(r"/\s*(\d[\d.]*\s*\*\s*" + _FACTOR + ")")
_SLASH_BRACKET = pattern(r"/\s*(\d[\d.]*\s*\([^()]*\))")
_HAT = pattern(r"\^\s*(-?\d[\d.]*\s*[^\W\d_]\w*|-?\d+/\d+|-?[^\W\d_]\s*[^\W\d_])(?!\w)")
_NAMES = "|".join(
    name for row in TABLE.values() if row.bare for name in (row.called, *row.aliases)
)
_BARE = pattern(rf"\b({_NAMES})\s+([\w^*]+\s*[/*]\s*\w+)")
_BARE_BRACKET = pattern(rf"\b({_NAMES})\s+(\d*[^\W\d_]\w*)\s*(\([^()]*\))")
_BARE_POWER = pattern(rf"(?<![^\W\d_])({_NAMES})\s*([^\W\d_])\s*\^\s*(\d+)")
_ROOT = pattern(r"√\s*(\d[\d.]*\s*[^\W\d_](?:\s*\^\s*\d+)?)")

RULES = (
    (_SLASH, r"/(\1)"),
    (_SLASH_BRACKET, r"/(\1)"),
    (_HAT, r"^(\1)"),
    (_BARE, r"\1(\2)"),
    (_BARE_BRACKET, r"\1(\2\3)"),
    (_BARE_POWER, r"\1(\2)^\3"),
    (_ROOT, r"√(\1)"),
)
"""How a shorthand is written, and with the brackets that a reader of books would put."""

SHORT_ALONE = (_BARE_POWER, _ROOT)
"""Shorthands that stand for themselves, whatever the other text looks like: tan x, √x."""

_LABEL = pattern(
    r"""\s*(?: [^\W\d_] \s* ['’′]+ \s* (?:\(\s*[^\W\d_]\s*\))? | d\s*[^\W\d_]\s*/\s*d\s*[^\W\d_]
          | [fghy] \s* (?:\(\s*[^\W\d_]\s*\))? )? \s* =(?!=)\s*""",
    re.VERBOSE,
)


class Reading(NamedTuple):
    """Both texts, read otherwise in the same way; `meant` are the parts that got brackets."""

    problem: str
    claim: str
    meant: str


def unlabelled(claim: str) -> str:
    r"""An answer without what stands before it: f'(x) = 2x, dy/dx = 2x, = 2x; \cdot is a sign."""
    claim = re.sub(r"\\(?:cdot|times)(?![A-Za-z])", "*", claim)
    match = _LABEL.match(claim)
    return claim[match.end() :] if match and claim[match.end() :].strip() else claim


def consistent(problem: str, claim: str) -> Iterator[Reading]:
    """Readings of a shorthand that occurs on both sides: e^2x as e^(2x), in both."""
    tried = set()
    for rules in (*((rule,) for rule in RULES), *itertools.combinations(RULES, 2)):
        texts, meant = [problem, claim], []
        for shorthand, form in rules:
            both = shorthand.search(texts[0]) or shorthand in SHORT_ALONE
            if not both:
                break
            meant += [shorthand, form]
            texts = [shorthand.sub(form, text) for text in texts]
        else:
            if texts != [problem, claim] and tuple(texts) not in tried:
                tried.add(tuple(texts))
                yield Reading(texts[0], texts[1], _bracketed(problem, claim, rules))


def _bracketed(
    problem: str, claim: str, rules: Sequence[tuple[re.Pattern[str], str]]
) -> str:
    """The parts of the texts to which a reading gives brackets, with what stands before them."""
    found: dict[str, None] = {}
    for text in (problem, claim):
        for shorthand, form in rules:
            for match in shorthand.finditer(text):
                before = re.search(r"[\w.)]*\s*$", text[: match.start()])
                head = before[0].strip() if before and match[0][0] in "^/" else ""
                head = head.lstrip("0123456789.") or head
                found[head + match.expand(form)] = None
    return " and ".join(found)


def likely(source: str) -> Iterator[str]:
    """Other readings of a text: 1/2x as 1/(2x), e^2x as e^(2x), sin x/2 as sin(x/2), 1/x+1 as 1/(x+1)."""
    for shorthand, form in RULES:
        changed = shorthand.sub(form, source)
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
