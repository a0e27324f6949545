"""The meaning of a name: a constant, a function of the table, or one that was meant.

is_function("sin", called=False)        True: `sin x` needs no bracket
function_base("log_2")                  ("log", "2")
did_you_mean("sinn", names, "...")      "did you mean sin?"
"""

from __future__ import annotations

from collections.abc import Iterable

from exprgrad.operations.operation import named

CONSTANTS = ("e", "pi", "π", "tau")

GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
        "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(),
        "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ",
        strict=True,
    )
)
"""Greek letters by their names; of the capitals those that look like no Latin letter."""

DIFF = "diff"
"""`diff(f, x)` and `diff(f, x, 2)`: the derivative, written as a call."""


SPOKEN_FUNCTIONS = {
    "sine": "sin", "cosine": "cos", "tangent": "tan", "secant": "sec", "cosecant": "csc", "cotangent": "cot",
    "arcsine": "asin", "arccosine": "acos", "arctangent": "atan", "logarithm": "ln", "exponential": "exp",
}  # fmt: skip
"""What functions are called in words."""


def is_function(name: str, called: bool) -> bool:
    """Return whether a name stands for a function: some always do, most only before a bracket."""
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
    """The known names that one slip leads to, or else two slips behind the first letter; the commonest first."""
    if len(name) < 3:
        return []
    slips = {w: _slips(name.lower(), w.lower()) for w in known if abs(len(w) - len(name)) < 3}  # fmt: skip
    near = [w for w, count in slips.items() if count < 2]
    if not near:
        near = [w for w, count in slips.items() if count == 2 and w[:1] == name[:1] and len(name) > 3]  # fmt: skip
    return sorted(near, key=lambda w: (sorted(w) != sorted(name), _COMMON.get(w, 99), w))[:most]  # fmt: skip


def _slips(name: str, word: str) -> int:
    """Letters left out, put in, changed, or swapped with the next one, between a name and a word."""
    before, last = [0], [*range(len(word) + 1)]
    for i, mine in enumerate(name):
        row = [i + 1]
        for j, theirs in enumerate(word):
            # the distance of Damerau and Levenshtein, in its restricted form: no letter takes part in two slips
            row.append(min(last[j + 1] + 1, row[j] + 1, last[j] + (mine != theirs)))
            if i and j and (mine, name[i - 1]) == (word[j - 1], theirs):
                row[-1] = min(row[-1], before[j - 1] + 1)
        before, last = last, row
    return int(last[-1])


def did_you_mean(
    name: str, known: Iterable[str], otherwise: str, before: str = ""
) -> str:
    """A hint for a name that is not known: the one that was meant, or what else to do.

    `before` is a sign that stands in front of the known names when they are typed.
    """
    close = similar(name, known) if name else None
    return f"did you mean {before}{close}?" if close else otherwise
