"""Names from other programs, other languages and everyday speech: what they mean here, or what to do instead.

    constant("Pi")            "pi"
    instead("integrate")      "integrals are not computed"

Functions that have other names elsewhere are in the operation table (`operations.operation.own_name`).
"""

from __future__ import annotations

from exprgrad.operations.vocabulary import CONSTANTS

MODULES = frozenset(
    "math cmath np numpy scipy sp sympy sym torch tf jnp jax mpmath mp nn special autograd".split()
)
"""Names before a dot that say nothing: `math.sin` is sin."""

DEGREES = frozenset(("deg", "degree", "degrees"))
RADIANS = frozenset(("rad", "radian", "radians"))

_CONSTANTS = {"PI": "pi", "Pi": "pi", "TAU": "tau", "M_PI": "pi", "M_E": "e"}

GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron rho sigma upsilon phi chi psi omega".split()
)

_INTEGRALS = "integrals are not computed; the derivative of a claimed antiderivative can be checked"
_DEGREES = "angles are in radians: write sin(30°), with the sign for degrees"
_STATEMENT = (
    "give the expression alone: statements of a programming language mean nothing here"
)
_EQUATIONS = "equations are not solved here; what is found is derivatives"
_FORMULAS = "it is not a function here: derivatives are simplified as they are shown"
_SAID = "write it with signs: x^2, 2*x, x + 1, x/2"

_INSTEAD = {
    "integrate": _INTEGRALS, "integral": _INTEGRALS, "int": f"{_INTEGRALS}; for the whole part write floor(x)",
    "quad": _INTEGRALS, "antiderivative": _INTEGRALS,
    "solve": _EQUATIONS, "fsolve": _EQUATIONS, "nsolve": _EQUATIONS, "roots": _EQUATIONS,
    "plot": "curves are not drawn here; values at many points make a table",
    "graph": "curves are not drawn here; values at many points make a table",
    "draw": "curves are not drawn here; values at many points make a table",
    "simplify": _FORMULAS, "expand": _FORMULAS, "factor": _FORMULAS, "collect": _FORMULAS,
    "limit": "limits are not computed", "lim": "limits are not computed",
    "prod": "write the product out", "product": "write the product out",
    "sqr": "write x^2 for the square, sqrt(x) for the root", "square": "write x^2",
    "exp2": "write 2^x", "exp10": "write 10^x",
    "sind": _DEGREES, "cosd": _DEGREES, "tand": _DEGREES, "deg2rad": "write x° for degrees",
    "trunc": "write floor(x), ceil(x) or round(x)", "fix": "write floor(x), ceil(x) or round(x)",
    "import": _STATEMENT, "from": _STATEMENT, "print": _STATEMENT, "def": _STATEMENT, "return": _STATEMENT,
    "var": _STATEMENT, "let": _STATEMENT, "const": _STATEMENT, "syms": _STATEMENT, "symbols": _STATEMENT,
    "squared": _SAID, "cubed": _SAID, "times": _SAID, "plus": _SAID, "minus": _SAID, "over": _SAID,
    "divided": _SAID, "power": _SAID, "root": "write sqrt(x), cbrt(x) or root(x, n)",
    "else": "write if(condition, a, b)", "when": "write if(condition, a, b)",
    "of": "write the function with brackets: sin(x)", "the": "write it as a formula, such as x^2 + 1",
}  # fmt: skip


def constant(name: str) -> str | None:
    """The constant that has this name elsewhere; None for other names."""
    return _CONSTANTS.get(name)


def instead(name: str) -> str | None:
    """A hint for a word that means something elsewhere, but nothing here."""
    return _INSTEAD.get(name) or _INSTEAD.get(name.lower())


def is_word(name: str) -> bool:
    """Whether a name looks like a word of a sentence: at least three letters, and not the name of a Greek one."""
    return (
        len(name) > 2
        and name.isascii()
        and name.isalpha()
        and name.lower() not in GREEK
        and name not in CONSTANTS
    ) or name in _SHORT


_SHORT = frozenset(("of", "to", "is", "by"))
