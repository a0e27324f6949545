"""Brackets: how deep they are nested, and what square ones mean.

    x[0], X[1, -2], X[1][0]         an index: whole numbers directly after a name
    softmax(z)[0], (X @ w)[0]       or after a bracket, where a text has a sign or function of arrays
    [1, x], [[1, 2]], [[1], [2]]    arrays: with a comma inside, an array inside, or as an element of one
    w=[5]                           as the whole value of a variable: an array of one element
    [x+1], x [2], x[y], 2[3]        nothing but brackets

A bracket after the name of a function belongs to its call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from exprgrad.errors import Span
from exprgrad.language.lalr import END
from exprgrad.lazy import pattern
from exprgrad.operations.vocabulary import CONSTANTS

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")

CLOSED_BY = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉"}
_CLOSES = frozenset(CLOSED_BY.values())

_OPENED = frozenset(("_LPAR", "_LINDEX", "_LARRAY", "OPEN"))
_CLOSED = frozenset(("_RPAR", "_RINDEX", "_RARRAY", "CLOSE"))
"""The kinds of tokens that open and close something."""

_OTHERS = "".join(c for c in map(chr, range(128)) if c not in "()[]{}")
_NO_BRACKETS = str.maketrans("", "", _OTHERS)
CALLING = ("(", "[", "{")
"""The brackets that make a call of a name before them."""

_OF_ARRAYS = frozenset(("@", "matmul", "softmax", "transpose", "reshape"))

_WHOLE = r"\s*(?:[-−–+]\s*)?[0-9]+\s*"
INDEX = pattern(rf"\[{_WHOLE}(?:,{_WHOLE})*\]")
"""A square bracket with whole numbers in it."""


def match(texts: Iterable[str]) -> bool:
    """Return whether every bracket among these texts is closed by its own."""
    # `translate` drops all but the brackets, so the loop goes over few signs of a long text
    signs = "".join(texts).translate(_NO_BRACKETS)
    opened: list[str] = []
    for sign in signs:
        if sign in CLOSED_BY:
            opened.append(CLOSED_BY[sign])
        elif not opened or opened.pop() != sign:
            return False
    return not opened


def pairs(
    kinds: Sequence[str],
    opening: Collection[str] = _OPENED,
    closing: Collection[str] = _CLOSED,
) -> dict[int, int]:
    """The closing bracket of every opening one, whatever its shape."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for place, kind in enumerate(kinds):
        if kind in opening:
            opened.append(place)
        elif kind in closing and opened:
            found[opened.pop()] = place
    return found


def outer(pairs: Mapping[int, int], start: int, end: int) -> Iterator[int]:
    """Yield the places from one to another, without those between brackets, of which these are the pairs."""
    while start < end:
        yield start
        start = pairs.get(start, start) + 1


def called(texts: Sequence[str]) -> set[str]:
    """The texts that a bracket follows."""
    return {before for before, sign in pairwise(texts) if sign in CALLING}


def nesting(sign: str) -> int:
    """Return how a character changes the depth of nesting: 1, -1, or 0 if it is not a bracket."""
    return (sign in _OPENING) - (sign in _CLOSING)


def closed(text: Sequence[str]) -> dict[int, int]:
    """The places of closing brackets by those of the opening ones, of whatever shape, in a text or among tokens."""
    return pairs(text, _OPENING, _CLOSING)


def unpaired(text: Sequence[str]) -> tuple[list[int], list[int]]:
    """The places of brackets that are never closed, and of those that close nothing."""
    ends = closed(text)
    pairs = {*ends, *ends.values()}
    alone = [i for i, sign in enumerate(text) if nesting(sign) and i not in pairs]
    return [i for i in alone if nesting(text[i]) > 0], [i for i in alone if nesting(text[i]) < 0]  # fmt: skip


def closing(text: str, start: int) -> int | None:
    """Return what follows the first brackets behind a place; None where they are not closed."""
    opened: list[str] = []
    for place in range(start, len(text)):
        sign = text[place]
        if sign in CLOSED_BY:
            opened.append(CLOSED_BY[sign])
        elif sign in _CLOSES and (not opened or opened.pop() != sign):
            return None
        if not opened and not sign.isspace():
            return place + 1
    return None


def outside(text: Iterable[str], marks: str) -> Iterator[int]:
    """Yield where one of some characters occurs outside brackets, in a text or among tokens."""
    depth = 0
    for i, sign in enumerate(text):
        if sign in marks and depth == 0:
            yield i
        depth += nesting(sign)


def parted(text: str, mark: str = ",") -> Iterator[Span]:
    """The spans between the occurrences of a character outside brackets."""
    start = 0
    for place in outside(text, mark):
        yield start, place
        start = place + 1
    yield start, len(text)


def mark(
    source: str,
    kinds: list[str],
    texts: Sequence[str],
    spans: Sequence[Span],
    has_indexes: bool = True,
) -> None:
    """Give square brackets their kinds; only in a text that `has_indexes` can they be those of an index.

    All brackets must match. A constant has no elements: `pi[2]` is a product.
    """
    # in a text about arrays, brackets hold arrays: softmax(z)[0] is an element
    indexed = ("NAME", "LAST", "_RINDEX", "_RPAR" if {*texts} & _OF_ARRAYS else "NAME")
    for i in [i for i, text in enumerate(texts) if i and text == "[" and has_indexes]:
        before, start = texts[i - 1], spans[i][0]
        is_beside = kinds[i - 1] in indexed and spans[i - 1][1] == start
        if is_beside and before not in CONSTANTS and INDEX.match(source, start):
            kinds[i] = "_LINDEX"
            # between them are whole numbers and commas alone, so the next closing bracket is its own
            kinds[kinds.index("_RPAR", i)] = "_RINDEX"
    for start, end in _arrays(kinds, texts).items():
        kinds[start], kinds[end] = "_LARRAY", "_RARRAY"


def mark_values(kinds: list[str], texts: Sequence[str]) -> None:
    """Turn square brackets around a whole value in a list of bindings into arrays."""
    closed = pairs(kinds)
    for start in [i + 1 for i, kind in enumerate(kinds) if kind == "_ASSIGN"]:
        end = closed.get(start, -1)
        whole = kinds[end + 1] in ("_COMMA", END)
        # w=[[5]] is a matrix of one row: every bracket that encloses nothing but the next one counts
        while whole and texts[start] == "[" and closed.get(start) == end:
            kinds[start], kinds[end] = "_LARRAY", "_RARRAY"
            start, end = start + 1, end - 1


def _arrays(kinds: Sequence[str], texts: Sequence[str]) -> dict[int, int]:
    """The first and the last token of every array."""
    closed = pairs(kinds, ("_LPAR", "_LINDEX", "_CASES"), ("_RPAR", "_RINDEX"))
    around = {i: start for start, end in closed.items() for i in outer(closed, start + 1, end)}  # fmt: skip
    lists = {around.get(i) for i, kind in enumerate(kinds) if kind == "_COMMA"}
    square = [
        (start, end)
        for start, end in closed.items()
        if texts[start] == "[" and kinds[start] == "_LPAR" and kinds[start - 1 : start] != ["FUNCTION"]
    ]  # fmt: skip
    found: dict[int, int] = {}
    for start, end in square:
        if start in lists or found.get(start + 1) == end - 1:
            found[start] = end
    # from the left, so that the bracket around one comes first: the inner ones of [[1], [[2]]] are arrays because it is
    for start, end in sorted(square):
        if around.get(start) in found and kinds[start - 1] in ("_LPAR", "_COMMA") and kinds[end + 1] in ("_RPAR", "_COMMA"):  # fmt: skip
            found[start] = end
    return found
