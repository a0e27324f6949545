"""What a name means: a constant, a function of the table, or one that was meant.

is_function("sin", called=False)        True: `sin x` needs no bracket
function_base("log_2")                  ("log", "2")
did_you_mean("sinn", names, "...")      "did you mean sin?"
"""

from __future__ import annotations

from collections.abc import Iterable

from exprgrad.operations.operation import named

CONSTANTS = ("e", "pi", "π", "tau")

DIFF = "diff"
"""`diff(f, x)` and `diff(f, x, 2)`: the derivative, written as a call."""


SPOKEN_FUNCTIONS = {
    "sine": "sin", "cosine": "cos", "tangent": "tan", "secant": "sec", "cosecant": "csc", "cotangent": "cot",
    "arcsine": "asin", "arccosine": "acos", "arctangent": "atan", "logarithm": "ln", "exponential": "exp",
}  # fmt: skip
"""What functions are called in words."""


def is_function(name: str, called: bool) -> bool:
    """Whether a name stands for a function: some always do, most only before a bracket."""
    if name == DIFF:
        return called
    base, subscript = function_base(name)
    if subscript:
        return called or subscript.isdigit()
    return (called and bool(named(base))) or any(o.bare for o in named(base).values())


def function_base(name: str) -> tuple[str, str]:
    """The function and the subscript of `log_2` or `log_b`; other names have no subscript."""
    if name.startswith("log_"):
        base, _, subscript = name.partition("_")
        plain = subscript[:1].isalpha() and "_" not in subscript
        if (plain or subscript.isdigit()) and subscript.isascii():
            return base, subscript
    return name, ""


def similar(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, if any."""
    return next(iter(alike(name, known)), None)


_COMMON = {name: i for i, name in enumerate("sin cos tan exp ln sqrt log abs sec csc cot asin acos atan sinh cosh tanh".split())}  # fmt: skip
"""Functions in the order in which they are used."""


def alike(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that differ least from a name, the commonest first.

    They have one letter more, less, changed or moved, or two of these behind the first letter.
    """
    known = [*known]
    near: list[str] = []
    if len(name) > 2 + max(map(len, known), default=0):
        return near
    mine, theirs = {name.lower()}, {word: {word.lower()} for word in known}
    for count in (1, 2) if len(name) > 2 else ():
        mine = _shortened(mine)
        theirs = {w: _shortened(own) for w, own in theirs.items() if count == 1 or (w[:1] == name[:1] and (len(name) > 3 or len(w) == 3))}  # fmt: skip
        near = [w for w, own in theirs.items() if not mine.isdisjoint(own) and (len(w) != len(name) or sorted(w) == sorted(name) or sum(map(str.__ne__, w, name)) <= count)]  # fmt: skip
        if near:
            break
    return sorted(near, key=lambda w: (sorted(w) != sorted(name), _COMMON.get(w, 99), w))[:most]  # fmt: skip


def _shortened(words: set[str]) -> set[str]:
    """Words, and those that they are without one of their letters."""
    return words | {w[:i] + w[i + 1 :] for w in words for i in range(len(w))}


def did_you_mean(
    name: str, known: Iterable[str], otherwise: str, before: str = ""
) -> str:
    """A hint for a name that is not known: the one that was meant, or what else to do.

    `before` is a sign that stands in front of the known names when they are typed.
    """
    close = similar(name, known) if name else None
    return f"did you mean {before}{close}?" if close else otherwise
