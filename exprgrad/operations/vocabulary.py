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
    """The known name that is most like this one, if any; short names have to be very alike."""
    import difflib

    by_small = {k.lower(): k for k in known}
    if len(name) > 2 * max(map(len, by_small), default=0):
        return None  # nothing known has even half of its letters
    for i in range(len(name) - 1):
        transposed = f"{name[:i]}{name[i + 1]}{name[i]}{name[i + 2 :]}".lower()
        if len(name) > 2 and transposed in by_small and transposed != name:
            return by_small[transposed]
    cutoff = 0.72 if len(name) > 3 else 0.8
    close = difflib.get_close_matches(name.lower(), by_small, 1, cutoff)
    return by_small[close[0]] if close else None


def did_you_mean(
    name: str, known: Iterable[str], otherwise: str, before: str = ""
) -> str:
    """A hint for a name that is not known: the one that was meant, or what else to do.

    `before` is a sign that stands in front of the known names when they are typed.
    """
    close = similar(name, known) if name else None
    return f"did you mean {before}{close}?" if close else otherwise
