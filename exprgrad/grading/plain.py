"""Mathematics in the words of a document, without marks around it: equations, and sentences about derivatives.

    equations("By the chain rule, f'(x) = 2x cos(x^2).", 0)     f'(x) = 2x cos(x^2)
    sentences("The derivative of x^3 is 3x^2.", 0)              x^3 and 3x^2

What is no formula, such as "the derivative of position is velocity", is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from exprgrad.grading.documents import MARK, TICK, Segment, prose
from exprgrad.language.characters import RAISED
from exprgrad.language.phrases import IS, ORDINALS, RESPECT
from exprgrad.language.shapes import is_latex
from exprgrad.lazy import pattern
from exprgrad.operations.operation import own_name
from exprgrad.operations.vocabulary import CONSTANTS, is_function

LONGEST = 2000
"""Characters of a line that is read."""

_LEFT = pattern(
    r"(?<![\w'’′.^*/+\-(])(?:"
    r"d(?:\^?\d)?/d[^\W\d](?:\^?\d)?[ (][^=\n]{1,200}?"  # d/dx x^2
    r"|[d∂](?:\^?\d)?[^\W\d]/[d∂][^\W\d](?:\^?\d)?"
    r"|[^\W\d](?:_\w+)?['’′]*[ ]?\([^()=\n]{1,40}\)"
    r"|[^\W\d](?:_\w+)?['’′]*"
    r")\s*(?==(?!=))"
)
"""The text before the first `=` of a definition or a claim."""

_WORDS = frozenset(
    "and so then we is are has have where with for which hence thus therefore when if but since because gives give yields "
    "by of its on as in to the at or using while that this from it also now get find let whose here both".split()
)
_MARK = f"(?<!{MARK}){MARK}++"  # a whole piece, so that none is tried from within
_NTH = rf"(?:(?:{'|'.join(ORDINALS)})\s+)?"
_SENTENCE = pattern(
    rf"\b(?:{_NTH}derivative\s+of|differentiating)\s+(?:the\s+function\s+)?(?P<of>[^\n]{{1,200}}?)"
    rf"(?:\s*,?\s*{RESPECT}\s+(?:[^\W\d]|{_MARK}))?\s*,?\s+{IS}\s+"
    rf"|{_MARK}\s+is\s+the\s+{_NTH}derivative\s+of\s+(?P<of2>{_MARK})"
    rf"|(?P<of3>{_MARK})(?:\s+has(?:\s+the)?|\s*,?\s+whose)\s+{_NTH}derivative\s+(?:is\s+)?(?={_MARK})",
    re.IGNORECASE,
)
_CODE = pattern(f"{TICK}([^{TICK}]*){TICK}?")
_OPERATORS = pattern(rf"[\d^*/+()√²³{MARK}]")
_WORD = pattern(rf"(?<![^\W_])[^\W\d_{RAISED}]{{2,}}")


def fragments(text: str, pieces: Sequence[Segment]) -> Iterator[Segment]:
    """The lines of a document outside its marked mathematics, with blanks for that."""
    start = 0
    for line in prose(text, pieces).split("\n"):
        place = start
        for part in re.split(
            rf"([$`{TICK}{MARK}]+|\\[()\[\]]|(?<!\w)\([a-h]\)(?=\s+\w))", line
        ):
            if part.strip() and part[0] not in f"$`{TICK}{MARK}" and len(part) <= LONGEST:  # fmt: skip
                yield Segment(part, place)
            place += len(part)
        start += len(line) + 1


def equations(fragment: Segment) -> Iterator[Segment]:
    """Pieces of a line that may be definitions or claims: from what they are about to where words go on."""
    text, end = fragment.text, 0
    for found in _LEFT.finditer(text):
        # f(x) in the right side of g(x) = f(x) = x^2 begins no piece of its own
        if found.start() >= end:
            end = end_of(text, found.end())
            yield Segment(text[found.start() : end], fragment.start + found.start())


def sentences(text: str, pieces: Sequence[Segment]) -> Iterator[Segment]:
    """Yield what a document claims of a derivative in words, in one line in which all mathematics is marked in the same way."""
    words = f"{prose(text, pieces)}\n"
    for found in _SENTENCE.finditer(words):
        place = found.end()
        # one sign earlier, where `end_of` sees the blank that a word begins behind
        end = place - 1 + end_of(words[place - 1 : words.index("\n", place)], 1)
        of = (found["of"] or found["of2"] or found["of3"]).strip()
        is_claim = is_mathematics(of) and (found["of2"] or is_mathematics(words[place:end]))  # fmt: skip
        if is_claim and (len(of) == 1 or _OPERATORS.search(of) or " " in of):
            source = without_ticks(text[found.start() : end])
            yield Segment(re.sub(r"\s", " ", source), found.start())


def without_ticks(text: str) -> str:
    """A text in which LaTeX in backticks stands between dollars, and other mathematics between blanks."""
    return _CODE.sub(lambda m: m[1].join("$$" if is_latex(m[1]) else "  "), text)


def end_of(text: str, start: int) -> int:
    """Return where a formula ends: at a word, a full stop, or a comma outside of brackets."""
    opened: list[int] = []
    for i in range(start, len(text)):
        c = text[i]
        if c in "([{":
            opened.append(i)
        elif c in ")]}" and opened:
            opened.pop()
        following = text[i + 1 : i + 2]
        stops = c in ";:?" or (c in ".,!" and (not following or following.isspace()))
        if stops and not opened:
            return i
        if c.isalpha() and text[i - 1 : i].isspace():
            word = re.match(r"[^\W\d_]+", text[i:])
            if word and not is_mathematics(word[0]):
                return len(text[: opened[0] if opened else i].rstrip())
    return len(text.rstrip())


def is_mathematics(text: str) -> bool:
    """Return whether every word in a text may be a name of mathematics, and there is something."""
    return bool(text.strip()) and all(map(_is_known, _WORD.findall(text)))


def _is_known(word: str) -> bool:
    if word.lower() in _WORDS:
        return False
    if len(word) == 2 or word in CONSTANTS or is_function(word, called=True) or own_name(word):  # fmt: skip
        return True
    # a function with one or two letters beside it: sinx, xysin
    parts = (word[:-1], word[:-2], word[1:], word[2:])
    return any(is_function(part, called=False) for part in parts)
