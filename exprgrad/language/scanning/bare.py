"""The end of a bare argument: the `x` of `sin x(x+1)`, the `2π/3` of `cos 2π/3`.

A bracket behind a name is a factor of its own, as in books; one right behind a number belongs to the argument:

    sin x(x+1)      sin(x)*(x+1)           sin 2(x+1)      sin(2*(x+1))
    cos π/4         cos(π/4)               cos x/4         cos(x)/4

Only a number times π under a function of an angle takes a number as its divisor.
"""

from __future__ import annotations

from exprgrad.language import brackets
from exprgrad.language.lalr import END
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import CONSTANTS

_BRACKETS = frozenset(("_LPAR", "_LARRAY", "OPEN"))
_PI = ("pi", "π")
_OPERAND = frozenset("NUMBER NAME _POWER SUPERSCRIPT _BANG _ROOT ROOT DEGREE".split())

_FACTORS = _OPERAND | _BRACKETS | {"_FRAC", "_SQRT", "_CHOOSE", "_CASES"}
"""The kinds of tokens with which a product goes on, in text and in LaTeX."""


def ends(kinds: list[str], texts: list[str]) -> list[int]:
    """The brackets before which a bare argument ends; a division inside of one becomes `_DIVIDED`."""
    found: list[int] = []
    pairs = brackets.pairs(kinds)
    for place in [i for i, kind in enumerate(kinds) if kind == "FUNCTION"]:
        start = behind_exponent(kinds, place + 1, pairs)
        if kinds[start] in _BRACKETS:
            continue
        end = _end(kinds, texts, start, pairs, takes_angle(texts[place]))
        if kinds[end] in _BRACKETS:
            found.append(end)
    return found


def takes_angle(name: str) -> bool:
    """Return whether a function is one of an angle."""
    return any(operation.angle for operation in named(name).values())


def behind_exponent(kinds: list[str], place: int, pairs: dict[int, int]) -> int:
    """Return where the argument of `sin^2 x` begins."""
    if kinds[place] == "SUPERSCRIPT":
        return place + 1
    if kinds[place] != "_POWER":
        return place
    place += 1 + (kinds[place + 1] == "_MINUS")
    return pairs.get(place, place) + (kinds[place] != END)


def _end(
    kinds: list[str], texts: list[str], start: int, pairs: dict[int, int], angle: bool
) -> int:
    """The token behind the argument, as far as it matters."""
    named_so_far, place = False, start
    while True:
        kind = kinds[place]
        if kind in ("_POWER", "_ROOT", "ROOT"):
            # what follows belongs to the sign, whatever it is
            place += 1
            while kinds[place] in ("_MINUS", "_PLUS", "_ROOT", "ROOT"):
                place += 1
            named_so_far = named_so_far or kinds[place] != "NUMBER"
            place = pairs.get(place, place)
        elif kind == "NAME":
            named_so_far = named_so_far or texts[place] not in CONSTANTS
            if kinds[place + 1] == "_LINDEX":
                place = pairs[place + 1]
        elif kind in _BRACKETS:
            # of sin 2(x+1) the bracket is a part, of sin 2x(x+1) a factor behind
            if named_so_far:
                return place
            place, named_so_far = pairs[place], True
        elif kind == "_OVER" and angle and divides_pi(kinds, texts, start, place):
            # one divisor: cos 2π/3/x is cos(2π/3)/x
            kinds[place] = "_DIVIDED"
            return place + 2
        elif kind not in _OPERAND:
            return place
        if kinds[place] == END:
            return place
        place += 1


def divides_pi(kinds: list[str], texts: list[str], start: int, place: int) -> bool:
    """Return whether the argument that begins at `start` is a number times π, and nothing but a number divides it."""
    is_of_pi = texts[place - 1] in _PI and kinds[start : place - 1] in ([], ["NUMBER"])
    is_number = is_of_pi and kinds[place + 1] == "NUMBER"
    return is_number and kinds[place + 2] not in _FACTORS
