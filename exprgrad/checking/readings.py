"""Other readings of what was typed: the brackets that a reader of books would put.

    next(consistent("e^2x", "2e^2x")).meant     "e^(2x)"

Texts only: whether one of them is what was meant is for others to find out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.language.brackets import nesting, parted
from exprgrad.language.characters import RAISED
from exprgrad.lazy import pattern
from exprgrad.operations.operation import TABLE

_NAMES = "|".join(
    name for row in TABLE.values() if row.bare for name in (row.called, *row.aliases)
)
_GROUP = r"\((?:[^()]|\([^()]*\))*+\)"
_ATOM = (
    rf"(?:√\s*(?:\w++|{_GROUP})|\d[\d.]*+|(?:{_NAMES})\s+\w++|[^\W\d_]\w*+(?:\s*{_GROUP})?|{_GROUP})"
    r"(?:\s*\^\s*(?:-?\d++|[^\W\d_]|\([^()]*\)))?"
)
_SLASH_STAR = pattern(rf"/\s*(\d[\d.]*\s*\*\s*{_ATOM})", signs="/")
_POWER = r"-?\d[\d.]*\s*[^\W\d_]\w*|-?\d+/\d+|-?[^\W\d_]\s*[^\W\d_]"

RULES = (
    (pattern(rf"/\s*(?!(?:{_NAMES})(?![^\W\d_])\s*[\w(])({_ATOM}(?:\s*{_ATOM})++)", signs="/"), r"/(\1)"),
    (pattern(rf"/\s*((?:\d[\d.]*+[^\W\d_]|[^\W\d_{RAISED}]{{2,}})(?:\s*\^\s*\d+|[{RAISED}]+)?)(?![\w(^])", signs="/"), r"/(\1)"),
    (pattern(rf"\^\s*({_POWER})(?!\w)", signs="^"), r"^(\1)"),
    (pattern(rf"\b({_NAMES})\s+([\w^*]+\s*[/*]\s*\w+)", signs=" "), r"\1(\2)"),
    (pattern(rf"\b({_NAMES})\s+(\d*[^\W\d_]\w*)\s*({_GROUP})", signs=" "), r"\1(\2\3)"),
    (pattern(rf"\b({_NAMES})\s+(\d[\d.]*+)\s*({_GROUP})", signs=" "), r"\1(\2)*\3"),
    (pattern(rf"(?<![^\W\d_])((?:{_NAMES})(?:\s*\^\s*\d+|[²³])?)\s+(\d*[^\W\d_])\s*(e(?:\s*\^\s*(?:{_GROUP}|-?\w+)|[{RAISED}]+))", signs=" "), r"\1(\2)*\3"),
    (pattern(rf"(?<![^\W\d_])({_NAMES})\s*([^\W\d_])\s*\^\s*(\d+)", signs="^"), r"\1(\2)^\3"),
    (pattern(r"(?<![^\W\d_])sqrt\s*(\d[\d.]*+)\s*(?=[^\W\d_])"), r"sqrt(\1)*"),
    (pattern(r"√\s*(\d[\d.]*\s*[^\W\d_](?:\s*\^\s*\d+)?)", signs="√"), r"√(\1)"),
    (pattern(r"(?<![^\W\d_])log(?=\s*\(|\s+\w|[^\W\d_](?![^\W\d_]))"), "log10"),
    (pattern(r"(?<![^\W\d_])σ(?=\s*\()|\\sigma(?=\s*(?:\\left\s*)?\()", signs="σ\\"), r"(\g<0>)"),
    (pattern(r"\\log(?![A-Za-z]|\s*_)", signs="\\"), r"\\log_{10}"),
)  # fmt: skip
"""How a shorthand is written, and how else it is read: with the brackets that a reader of books would put, to base 10."""

MOST_TOGETHER = 4
"""Shorthands of which every choice is tried together."""

_LABEL = pattern(
    r"""\s*(?: [^\W\d_] \s* ['’′]+ \s* (?:\(\s*[^\W\d_]\s*\))? | d\s*[^\W\d_]\s*/\s*d\s*[^\W\d_]
          | [fghy] \s* (?:\(\s*[^\W\d_]\s*\))? )? \s* =(?!=)\s*""",
    re.VERBOSE,
)


_BLANK = r"(?:\s|~|\\[ ,;:!]|\\q?quad(?![A-Za-z]))*"
_FOR = r"(?:where|for|if|when|with|provided(?:\s+that)?)"
_RELATED = r"(?:[<>≤≥≠∈]|!=|\\(?:neq?|[gl]e?q?|[gl]t|in)(?![A-Za-z]))"
_WHERE = pattern(
    rf"(?:[,;]?{_BLANK}(?:(?<=\s){_FOR}\s+|\\text\{{\s*{_FOR}\s*\}})(?:all\s+)?|[,;]{_BLANK}(?=\(?[^\W\d_]\s*{_RELATED})|(?<=\s)(?=\(\s*[^\W\d_]\s*{_RELATED}[^()]*\)$))"
    rf"(?!.*\b(?:{_FOR}|else|otherwise)\b)(?P<conditions>[^=;]*?{_RELATED}[^=<>;]*(?:(?:[<>]=?|!=)[^=;]*)?)$",
    signs="<>≤≥≠∈!\\",
)
_EVERYWHERE = pattern(r"[,;]?\s+for\s+(?:all|any|every)\s+(?:real\s+)?(?:numbers?\s+)?[^\W\d_]\s*$")  # fmt: skip


class Reading(NamedTuple):
    """Both texts, read otherwise in the same way; `meant` are the parts that are read so."""

    problem: str
    claim: str
    meant: str


def unlabelled(claim: str) -> str:
    r"""An answer without what stands around it: f'(x) = 2x, dy/dx = 2x, = 2x, 2x.; \cdot is a sign."""
    claim = re.sub(r"\\(?:cdot|times)(?![A-Za-z])", "*", claim)
    claim = conditioned(re.sub(r"(?<![\d.\s])\.\s*$", "", claim))[0]
    match = _LABEL.match(claim)
    return claim[match.end() :] if match and claim[match.end() :].strip() else claim


def conditioned(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without the conditions at its end: `1/x for a > 0, x > 0`; a set is none that is asked for.

    Several values, each with its condition, are one conditional expression.
    """
    *_, last = re.split(_EQUALS, text)
    if (cases := in_cases(last)) != last:
        return (cases if last == text else text), ()
    match = _WHERE.search(text) or _EVERYWHERE.search(text)
    if match is None or "\\begin" in text or sum(map(nesting, text[: match.start()])) != 0:  # fmt: skip
        return text, ()  # there is none, or it stands in brackets
    where = match.groupdict().get("conditions") or "∈"
    return text[: match.start()].rstrip(), () if "∈" in where or "\\in" in where else (where.strip(" ()."),)  # fmt: skip


_EQUALS = r"(?<![<>=!])=(?!=)"


def in_cases(text: str) -> str:
    """Return a text with its values and their conditions, 1 for x > 0, -1 for x < 0, as one conditional expression."""
    if not any(sign in text for sign in "<>≤≥") or re.search(_EQUALS, text):
        return text
    from exprgrad.language.words.conditionals import in_our_notation

    return in_our_notation(text, is_partial=True) or text


def consistent(problem: str, claim: str) -> Iterator[Reading]:
    """Other readings of both texts: each shorthand is read in one way wherever it stands, e^2x as e^(2x)."""
    plain = [" ".join(text.split()) for text in (problem, claim)]
    found = [rule for rule in RULES if any(map(rule[0].search, plain))]
    tried = {(problem, claim)}
    # the fewest first, so that no more is told to be meant than makes the claim right
    for count in range(1, min(len(found), MOST_TOGETHER) + 1):
        for rules in itertools.combinations(found, count):
            texts = problem, claim
            for shorthand, form in rules:
                texts = (shorthand.sub(form, texts[0]), shorthand.sub(form, texts[1]))
            if texts not in tried:
                tried.add(texts)
                yield Reading(*texts, _bracketed(problem, claim, rules))


def _bracketed(
    problem: str, claim: str, rules: Sequence[tuple[re.Pattern[str], str]]
) -> str:
    """The parts of the texts that are read otherwise, with what stands before them."""
    found: dict[str, None] = {}
    for text in (problem, claim):
        for shorthand, form in rules:
            for match in shorthand.finditer(text):
                operator = match[0][0] in "^/"
                head = _operand_before(text[: match.start()]) if operator else ""
                found[head + match.expand(form)] = None
    return " and ".join(found)


def _operand_before(text: str) -> str:
    """The number, the name or the brackets at the end of a text."""
    text = text.rstrip()
    start, depth = len(text), 0
    while start and (depth or text[start - 1] in ")." or text[start - 1].isalnum()):
        start -= 1
        depth -= nesting(text[start])
        if not depth and text[start] in "([{":
            break
    return text[start:].lstrip("0123456789.") or text[start:]


def unlikely(source: str) -> Iterator[str]:
    """Readings that what was typed does not have, but may have been meant: 1/x+1 as 1/(x+1), 1/2*x as 1/(2*x)."""
    if _SLASH_STAR.search(source):
        yield _SLASH_STAR.sub(r"/(\1)", source)
    parts = [source[a:b].strip() for a, b in parted(source, "/")]
    if len(parts) == 2:  # of the only slash outside of brackets
        above, below = parts
        yield f"{above}/({below})"
        yield f"({above})/({below})"
