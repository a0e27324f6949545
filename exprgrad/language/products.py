"""Names that are products written without a sign.

A name such as `xyz` is split into declared variables if that can be done in exactly one way.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator

from exprgrad.language.characters import RAISED, raised
from exprgrad.language.leibniz import without_operators
from exprgrad.language.notes import shorten
from exprgrad.language.shapes import is_latex
from exprgrad.language.undefined import FUNCTION_LETTERS
from exprgrad.language.undefined import names as undefined_names
from exprgrad.lazy import pattern
from exprgrad.operations.operation import (
    TABLE,
    elsewhere_names,
    function_names,
    named,
    own_name,
)
from exprgrad.operations.vocabulary import (
    CONSTANTS,
    SPOKEN_FUNCTIONS,
    is_function,
    similar,
)

_LETTER = pattern(
    rf"(?<![^\W\d_])(?![{''.join(sorted(FUNCTION_LETTERS))}σ]\s*(?:\^\{{\([^{{}}]*\)\}}\s*)?[(\[])[^\W\d_](?:_?[0-9]+)?(?!\w)"
)
_SHORT = pattern(r"(?<![^\W\d_])(?!(?:if|for|and|or)\b)[^\W\d_]{2,3}(?!\w)")

_JOINED = pattern(
    r"(?:^|(?<=[-+*/^=(;,−·]))\s*+([^\W\d_]{4,}+)(?=\s*(?:$|[-+*/^=);,−·]))"
)
"""A word between operators, which is a name unless it is a product of others."""

_COMMAND = pattern(r"\\[a-zA-Z]+|[{\s]d(?=[\s}]|[a-z][\s}^])|\{d(?=[(\[])")
"""Commands, and the d of a derivative, which are no names in LaTeX."""

_RAISED = pattern(f"[{RAISED}]+")

_CALLED = pattern(rf"(?<![^\W\d_])[^\W\d_]([{''.join(FUNCTION_LETTERS)}])(?=\()")

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"

# each piece is found within a call for the one before it: for 1,800 letters Python's stack is too short
LONGEST_SPLIT = 200
"""The longest name that is split, in characters."""

Piece = tuple[str, str]
"""A part of a split name: NAME, FUNCTION or NUMBER, and its text."""


class Splitter:
    """Splits a name into declared variables and constants.

    One of the pieces may be a function, or `several`, whose argument follows: `sinx`, `xln`. A number may come
    right after the function: `sin2x`. The name `argument` is a piece beside functions only.
    """

    def __init__(
        self,
        declared: Collection[str],
        called: bool = False,
        several: bool = False,
        argument: str = "",
    ) -> None:
        self._several = several
        self._argument = "" if argument in declared else argument
        self._pieces = dict.fromkeys((*declared, *CONSTANTS), "NAME")
        if argument:
            self._pieces[argument] = "NAME"
        self._pieces |= _functions(called, several, len(TABLE))
        self._longest = max(map(len, self._pieces))

    def ways(self, name: str) -> list[list[Piece]]:
        """Up to two ways to split a name; none for the name of a function."""
        if len(name) > LONGEST_SPLIT or named(name) or name.lower() in SPOKEN_FUNCTIONS:
            return []

        # once for each state: the pieces a and aa split the sixty letters of aaa...b in more than 10^12 ways
        @functools.cache
        def ways_from(
            start: int, has_function: bool, after: bool, has_argument: bool
        ) -> list[list[Piece]]:
            """Up to three ways from a place on: whether a function came before, and right before, and the argument."""
            if start == len(name):
                return [[]] if has_function or not has_argument else []
            found: list[list[Piece]] = []
            for kind, text in self._next(name, start, has_function, after):
                called, is_argument = kind == "FUNCTION", text == self._argument
                then = has_function or called, called, has_argument or is_argument
                rests = ways_from(start + len(text), *then)
                found += [[(kind, text), *rest] for rest in rests]
            return found[:3]

        # one of the three may be the name as a whole
        return [way for way in ways_from(0, False, False, False) if len(way) > 1][:2]

    def _next(
        self, name: str, start: int, has_function: bool, after: bool
    ) -> Iterator[Piece]:
        """The pieces that may come next, longest first."""
        for end in range(min(len(name), start + self._longest), start, -1):
            kind = self._pieces.get(name[start:end])
            if kind == "FUNCTION" and has_function and (after or not self._several):
                continue
            if kind:
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


@functools.cache
def _functions(called: bool, elsewhere: bool, rows: int) -> dict[str, str]:
    """The functions that may be a piece, also by the names that they have `elsewhere`, in a table of so many rows."""
    known = (*function_names(), *elsewhere_names()) if elsewhere else function_names()
    own = {name: own_name(name) or name for name in known}
    bare = {name for name in known if is_function(own[name], called)}
    # a foreign name of two letters, other than tg, is more likely a product: the lb of albx
    kept = {name for name in bare if name in (own[name], "tg") or len(name) > 2}
    return dict.fromkeys((name for name in known if name in kept), "FUNCTION")


def written(way: list[tuple[str, str]]) -> str:
    """A split name written out: `x*ln`, `sin(2*x)`, `sin(x)*cos(x)`."""
    factors: list[str] = []
    calls: list[list[str]] = []
    for kind, piece in way:
        if kind == "FUNCTION":
            calls.append([piece])
        else:
            (calls[-1] if calls else factors).append(piece)
    for function, *inside in calls:
        factors.append(f"{function}({'*'.join(inside)})" if inside else function)
    return "*".join(factors)


def might_be(name: str) -> str | None:
    """Return what a name of several letters might be taken for, with what to do then; None where nothing comes to mind."""
    if "_" in name:
        return None
    for cut in (len(name) - 1, len(name) - 2):
        function, rest = name[:cut], name[cut:]
        plain = rest.lstrip("0123456789")
        if cut > 1 and own_name(function) and len(plain) == 1 and plain.isalpha():
            if is_function(function, called=False):
                return f"{function} {rest} put a space"
            return f"a function write {function}({rest})"
    if _is_product(name):
        return f"{'*'.join(name)} write the sign{'s' * (len(name) > 2)}"
    return None


def _is_product(name: str) -> bool:
    """Return whether a name looks like letters side by side: two of them, three that make no word, or Greek ones."""
    if not name.isalpha() or name in ("mu", "nu", "xi", "eta") or name[0] in "ΔδΔ∂":
        return False
    if not name.isascii():
        return len(name) < 4
    has_vowels = not {*"aeiou"}.isdisjoint(name.lower())
    is_word = has_vowels and (name.islower() or name.istitle())
    return len(name) == 2 or (len(name) == 3 and (name in _ALPHABET or not is_word))


def meant(name: str, declared: Collection[str]) -> str:
    """A hint for a name that is called but is not a function."""
    ways = splits(name, set(declared) | {c for c in name if c.isalpha()}, called=True)
    functions = [way for way in ways if len(way) == 2 and way[-1][0] == "FUNCTION"]
    if functions:
        return f"did you mean {written(functions[0])}(...)?"
    product = f"for a product write {'*'.join(name) if name[1:] in FUNCTION_LETTERS else f'{shorten(name)}*'}(...)"  # fmt: skip
    close = similar(name, function_names())
    return f"did you mean {close}? F{product[1:]}" if close else product


def letters(text: str, variable: str | None) -> set[str]:
    """The names that the texts of a homework problem declare, so that others can be split into them.

    Every letter that stands alone is a name: with `k` in the answer, kt is k*t. So are words between operators,
    and the letters of `factors`.
    """
    undefined = undefined_names(text)
    text = _without_signs(text)
    letters = set(_LETTER.findall(text))
    splitter = Splitter(letters, several=True, argument=variable or "x")
    letters.update(word for word in _JOINED.findall(text) if not (is_function(word.rstrip("θφωλαβ"), called=False) or splitter.ways(word)))  # fmt: skip
    if variable is not None:
        letters |= factors(text, [variable])
    return letters - set(CONSTANTS) - undefined


PARAMETERS = frozenset("abcdgkmnpqrABCKαβγκλμσωφ")
"""Letters that are constants by custom."""


def customary(
    texts: Iterable[str], known: Collection[str] = (), formulas: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the variable, x or t, of texts whose other letters are `known` or constants by custom: of A e^(kx) the x.

    There is none where that is not clear, or where it names one of the `formulas`.
    """
    text = " ; ".join(texts)
    words = {word for word in _SHORT.findall(text) if len(word) > 2 and not (is_function(word, called=True) or own_name(word))}  # fmt: skip
    for variable in "xt":
        names = letters(text, variable) | words  # cat is hardly c*a*t
        own = {name for name in names if not name.endswith("0")}  # v_0 is a constant
        if variable in own and own - {variable, *known} <= PARAMETERS:
            return () if variable in formulas else (variable,)
    return ()


def factors(text: str, by: Collection[str], known: Collection[str] = ()) -> set[str]:
    """The letters of names that are products because a variable is in them that is differentiated by.

    A name of two letters is one, the kx of `d/dx e^(kx)`; one of three where the variable stands nowhere alone.
    """
    text = _without_signs(text)
    found: set[str] = set()
    alone = set(_LETTER.findall(text))
    for name in _SHORT.findall(text):
        if len(name) == 3 and (is_function(name, called=True) or own_name(name) or is_function(name[:2], called=False)):  # fmt: skip
            continue  # asin, but also lnx
        varies = any(v in name and (len(name) == 2 or v not in alone) for v in by)
        if varies and name not in CONSTANTS:
            found.update(name)
    # of xf(x), an f that is not `known` is no factor
    return found - {*_CALLED.findall(text)}.difference(by, known)


def _without_signs(text: str) -> str:
    """A text without what is no name in it: the d of d/dx, and commands of LaTeX; xeˣ is xe^(x)."""
    text = _RAISED.sub(lambda m: f"^({raised(m[0])})", without_operators(text))
    return _COMMAND.sub(" ", text) if is_latex(text) else text
