"""The table's operations on numbers of any precision, by mpmath.

    with working(50) as numbers:            # 50 digits and some to spare
        x = numbers.number(0.1)
        numbers.function(TAN)(x)            # the value
        numbers.partials(TAN)[0](y, x)      # a local partial

An operation is a function of mpmath, or its `formula` in terms of others. mpmath keeps
its precision in a context, and its functions change it on the way, so a context serves one computation
at a time: `working` takes one from those that are idle. `mpmath.mp`, the context that the host process
may use, is never touched, and there is nothing that threads would have to wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.operation import ARITHMETIC, Operation

if TYPE_CHECKING:
    from fractions import Fraction

SPARE = 15
"""Digits beyond those that are asked for."""

KEPT = 100
"""Digits of arithmetic on results that have left their context."""

_CONSTANTS = 4096
"""Bits of the constants that mpmath computes in advance: see `_mpmath`."""

_IDLE: list[HighPrecision] = []


class HighPrecision(Numbers):
    """The real numbers of one mpmath context, for rules to run on."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.faults = (*ARITHMETIC, NotImplementedError, context.NoConvergence)
        self.zero = context.zero
        super().__init__(self._real_function, {"pi": context.pi})

    def __enter__(self) -> HighPrecision:
        return self

    def __exit__(self, *exception: object) -> None:
        _IDLE.append(self)

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
        mp, known = self.context, operation.mpmath
        if isinstance(known, str):
            return _real(mp, getattr(mp, known))
        if known is not None:
            return partial(known, mp)
        if operation.native:
            return operation.kernel
        if operation.formula is not None:
            return self._late(operation.formula)
        raise LookupError(
            f"{operation.name} has neither an mpmath function nor a formula"
        )

    def _late(self, formula: Callable[..., Any]) -> Callable[..., Any]:
        """A formula, bound when it is first called: its operations may be declared in terms of it."""
        return lambda *arguments: self.bind(formula)(*arguments)


def working(digits: int) -> HighPrecision:
    """Numbers of so many digits and some to spare, for a `with` block and the thread that runs it."""
    try:
        numbers = _IDLE.pop()
    except IndexError:
        numbers = HighPrecision(_mpmath().MPContext())  # in two milliseconds
    numbers.context.dps = digits + SPARE
    return numbers


def kept(number: Any) -> Any:
    """A result for use outside of its context, with all of its digits."""
    return _keeping().convert(number)


def fraction(number: Any) -> Fraction:
    """A number of any precision as a fraction."""
    from fractions import Fraction

    size, exponent = map(int, number.man_exp)
    return (-size if number < 0 else size) * Fraction(2) ** exponent


def mag(number: Any) -> int:
    """The binary exponent of a number that is not 0: it is less than 2 to this power."""
    return int(_keeping().mag(number))


def decimal(number: Any, digits: int) -> str:
    """A number as a decimal of so many digits."""
    return str(_keeping().nstr(kept(number), digits))


@cache
def _keeping() -> Any:
    """A context whose precision stays as it is: only arithmetic is done in it, by any thread."""
    context = _mpmath().MPContext()
    context.dps = KEPT
    return context


@cache
def _mpmath() -> Any:
    """The library, with its constants computed to more digits than a look usually takes.

    It stores the digits of a constant and their number one after the other. A thread that reads one of
    them before and the other after another thread has stored both gets a wrong number.
    """
    import mpmath

    for constant in (mpmath.libmp.mpf_pi, mpmath.libmp.mpf_ln2, mpmath.libmp.mpf_e):
        constant(_CONSTANTS)
    return mpmath


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
