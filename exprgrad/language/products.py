"""Names that are products written without a sign.

A name such as `xyz` is split into declared variables if that can be done in exactly one way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from exprgrad.language.leibniz import without_operators
from exprgrad.language.notes import shorten
from exprgrad.operations.operation import function_names, named
from exprgrad.operations.vocabulary import CONSTANTS, is_function, similar

_LETTER = re.compile(r"(?<![^\W\d_])[^\W\d_](?:_?[0-9]+)?(?!\w)")
_PAIR = re.compile(r"(?<![^\W\d_])[^\W\d_]{2}(?!\w)")

LONGEST_SPLIT = 200
"""The longest name that is split, in characters."""

Piece = tuple[str, str]
"""A part of a split name: NAME, FUNCTION or NUMBER, and its text."""


class Splitter:
    """Splits a name into declared variables and constants.

    One of the pieces may be a function, whose argument follows: `sinx`, `xln`. A number may come right
    after the function: `sin2x`.
    """

    __slots__ = ("_longest", "_pieces")

    def __init__(self, declared: Collection[str], called: bool = False) -> None:
        self._pieces = dict.fromkeys((*declared, *CONSTANTS), "NAME")
        self._pieces |= {
            f: "FUNCTION" for f in function_names() if is_function(f, called)
        }
        self._longest = max(map(len, self._pieces))

    def ways(self, name: str, most: int = 2) -> list[list[Piece]]:
        """Up to `most` ways to split a name; none for the name of a function."""
        if len(name) > LONGEST_SPLIT or named(name):
            return []
        dead: set[tuple[int, bool, bool]] = set()
        found: list[list[Piece]] = []
        way: list[Piece] = []
        # depth first, by a stack of iterators over the next piece; a state that led nowhere is not tried again
        stack = [((0, False, False), self._next(name, 0, False, False))]
        while stack and len(found) < most:
            state, following = stack[-1]
            piece = next(following, None)
            if piece is None:
                stack.pop()
                if not any(len(w) >= len(way) and w[: len(way)] == way for w in found):
                    dead.add(state)
                if way:
                    way.pop()
                continue
            kind, text = piece
            end = state[0] + len(text)
            after = (end, state[1] or kind == "FUNCTION", kind == "FUNCTION")
            if end == len(name):
                if way:
                    found.append([*way, piece])
            elif after not in dead:
                way.append(piece)
                stack.append((after, self._next(name, *after)))
        return found

    def _next(
        self, name: str, start: int, has_function: bool, after: bool
    ) -> Iterator[Piece]:
        """The pieces that may come next, longest first."""
        for end in range(min(len(name), start + self._longest), start, -1):
            kind = self._pieces.get(name[start:end])
            if kind and not (kind == "FUNCTION" and has_function):
                yield kind, name[start:end]
        digits = start
        while after and digits < len(name) and name[digits].isdigit():
            digits += 1
        if digits > start:
            yield "NUMBER", name[start:digits]


def splits(
    name: str, declared: Collection[str], called: bool = False
) -> list[list[Piece]]:
    """Up to two ways to split a name into these variables, constants and a function.

    Before a bracket (`called`) the function may be any; otherwise only one that needs no brackets.
    """
    return Splitter(declared, called).ways(name)


def written(way: list[tuple[str, str]]) -> str:
    """A split name written out: `x*ln`, `sin(2*x)`."""
    names = [kind for kind, _ in way]
    if "FUNCTION" not in names or names[-1] == "FUNCTION":
        return "*".join(piece for _, piece in way)
    cut = names.index("FUNCTION")
    before = "".join(f"{piece}*" for _, piece in way[:cut])
    argument = "*".join(piece for _, piece in way[cut + 1 :])
    return f"{before}{way[cut][1]}({argument})"


def meant(name: str, declared: Collection[str]) -> str:
    """A hint for a name that is called but is not a function."""
    letters = {c for c in name if c.isalpha()}
    ways = splits(name, set(declared) | letters, called=True)
    functions = [way for way in ways if len(way) == 2 and way[-1][0] == "FUNCTION"]
    if functions:
        return f"did you mean {written(functions[0])}(...)?"
    product = f"for a product write {shorten(name)}*(...)"
    close = similar(name, function_names())
    return f"did you mean {close}? F{product[1:]}" if close else product


def letters(text: str, variable: str | None) -> set[str]:
    """The names that the texts of a homework problem declare, so that others can be split into them.

    Every letter that stands alone is a name: with `k` in the answer, kt is k*t. A pair of letters is also a
    product if one of them is the variable: the kx of `d/dx e^(kx)`.
    """
    text = without_operators(text)  # the d of d/dx is not a name
    letters = set(_LETTER.findall(text))
    if variable is not None:
        pairs = [pair for pair in _PAIR.findall(text) if variable in pair]
        letters.update(*(p for p in pairs if p not in CONSTANTS))
    return letters - set(CONSTANTS)
