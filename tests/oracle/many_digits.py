"""The table's rules on mpmath's numbers: an oracle that shares nothing with Arb.

    MP = HighPrecision(mpmath.mp)
    MP.function(TAN)(mpf("0.1"))             # with the precision of the context

An operation is a function of mpmath, or its `formula` in terms of others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from exprgrad.operations.number_types import Numbers
from exprgrad.operations.operation import ARITHMETIC, Operation

NAMES = {"pow": "power", "ln": "log", "abs": "fabs", "round": "nint"}
SAME = "sqrt exp expm1 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sign floor ceil erf erfc gamma digamma sinc factorial".split()  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cbrt": lambda mp, x: mp.sign(x) * mp.cbrt(mp.fabs(x)),
    "step": lambda mp, x: mp.mpf(x >= 0),
    "lgamma": lambda mp, x: mp.re(mp.loggamma(x)),
    "polygamma": lambda mp, x, n: polygamma(mp, x, n),
    "sinc_n": lambda mp, x, n: sinc_derivative(mp, x, n),
    "lt": lambda mp, x, y: mp.mpf(x < y),
    "le": lambda mp, x, y: mp.mpf(x <= y),
    "gt": lambda mp, x, y: mp.mpf(x > y),
    "ge": lambda mp, x, y: mp.mpf(x >= y),
    "eq": lambda mp, x, y: mp.mpf(x == y),
    "ne": lambda mp, x, y: mp.mpf(x != y),
    "not": lambda mp, x: mp.mpf(not x),
    "and": lambda mp, x, y: mp.mpf(bool(x and y)),
    "or": lambda mp, x, y: mp.mpf(bool(x or y)),
    "if": lambda mp, c, x, y: x if c else y,
}


class HighPrecision(Numbers):
    """The real numbers of one mpmath context, for rules to run on."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.faults = (*ARITHMETIC, NotImplementedError, context.NoConvergence)
        self.zero = context.zero
        super().__init__(self._real_function, {"pi": context.pi})

    def number(self, number: Any) -> Any:
        """A number in this context, with all of its digits."""
        return self.context.convert(number)

    def constant(self, leaf: Any) -> Any:
        """A constant with all digits: π and e are not their doubles, a typed decimal is a decimal."""
        mp = self.context
        if leaf.name is not None:
            return 2 * mp.pi if leaf.name == "tau" else +getattr(mp, leaf.name)
        numerator, denominator = leaf.ratio
        return (
            mp.mpf(numerator) if denominator == 1 else mp.mpf(numerator) / denominator
        )

    def _real_function(self, operation: Operation) -> Callable[..., Any]:
        """The operation on real numbers. Raises `ValueError` where it has no real value."""
        mp, name = self.context, operation.name
        if name in FUNCTIONS:
            return partial(FUNCTIONS[name], mp)
        if name in NAMES or name in SAME:
            return _real(mp, getattr(mp, NAMES.get(name, name)))
        if operation.native:
            return operation.kernel
        if operation.formula is not None:
            return self._late(operation.formula)
        raise LookupError(f"{name} has neither an mpmath function nor a formula")

    def _late(self, formula: Callable[..., Any]) -> Callable[..., Any]:
        """A formula, bound when it is first called: its operations may be declared in terms of it."""
        return lambda *arguments: self.bind(formula)(*arguments)


def _real(mp: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    def real(*arguments: Any) -> Any:
        result = function(*arguments)
        if isinstance(result, mp.mpc):
            raise ValueError("not a real number")
        return result

    return real


def polygamma(mp: Any, x: Any, order: Any) -> Any:
    """The derivative of digamma of that order, for which mpmath's own function takes time in proportion to |x| on the far left.

    psi_n(x) = (-1)^n psi_n(1 - x) - pi (d/dx)^n cot(pi x), where with c = cot(pi x) the derivatives are
    pi^n P_n(c), P_0 = c, P_(k+1) = -(1 + c^2) P_k'.
    """
    n = int(order)
    if n == 0 or x > -8:
        return mp.psi(n, x)
    # near -k - 1/2 the two terms, of the size of n!, leave as little as |x|^-n
    with mp.extraprec(20 + n * (n.bit_length() + mp.mag(x) + 2)):
        turn = mp.pi * (x - mp.floor(x))
        c = mp.cos(turn) / mp.sin(turn)
        slope = mp.mpf(0)
        for coefficient in _cotangent(n):
            slope = slope * c + coefficient
        return (-1) ** n * mp.psi(n, 1 - x) - mp.pi ** (n + 1) * slope


def _cotangent(n: int) -> list[int]:
    """The coefficients of P_n, highest power first."""
    rising = [0, 1]
    for _ in range(n):
        derived = [k * a for k, a in enumerate(rising)][1:]
        rising = [
            -(a + b) for a, b in zip([*derived, 0, 0], [0, 0, *derived], strict=True)
        ]
    return rising[::-1]


def sinc_derivative(mp: Any, x: Any, n: Any) -> Any:
    """The derivative of sin(x)/x: by its series near 0, else by the product rule for sin(x) * 1/x."""
    order = int(n)
    with mp.extradps(10 + order + int(abs(x)) if abs(x) <= order + 2 else 20 + order):
        if abs(x) <= order + 2:
            return +_sinc_series(mp, order, x)
        total, factor = mp.mpf(0), 1 / x
        for k in range(order + 1):
            # factor is binomial(order, k) * (1/x)^(k), the k-th derivative
            total += factor * mp.sin(x + (order - k) * mp.pi / 2)
            factor *= -mp.mpf(order - k) / x
        return +total


def _sinc_series(mp: Any, order: int, x: Any) -> Any:
    """Sum over 2k >= order of (-1)^k * x^(2k - order) / ((2k + 1) * (2k - order)!)."""
    k = (order + 1) // 2
    power = x ** (2 * k - order)
    total = mp.mpf(0)
    while True:
        term = power / (2 * k + 1)
        total += -term if k % 2 else term
        if abs(term) <= mp.eps * abs(total) or not power:
            return total
        k += 1
        power *= x * x / ((2 * k - order) * (2 * k - order - 1))
