"""FLINT's own numbers: a fraction while that is exact, else a ball of Arb; nan where nothing can be told.

    with Precision(64):
        numbers = ENCLOSURES
        numbers.function(SIN)(fmpq(1, 10))    # [0.09983341664682815 +/- 4e-18]
        numbers.function(LN)(fmpq(-1))        # nan

Nothing is raised and nothing is explained, so a sweep of these is several times as fast as one of `arb.Ball`. A
comparison of rules is true only if it surely is; one that is computed is 1, 0 or nan. Whoever meets nan, or has to
know that something does not hold, asks a `Ball`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

from flint import arb, fmpq

from exprgrad.annotations import Any
from exprgrad.errors import UsageError
from exprgrad.numbers.exact import LONGEST, RATIONAL
from exprgrad.operations import table
from exprgrad.operations.arb_kernels import fractional_power, hypot, kernel, whole_power
from exprgrad.operations.number_types import Numbers, float_partials
from exprgrad.operations.operation import Operation
from exprgrad.operations.precision import Precision

# e^(2^2048) already has an exponent of 617 digits
STEEPEST = arb(2) ** 2048
"""The largest argument of functions that grow faster than any power."""

LARGEST = arb(2) ** 32768
"""The largest number whose whole part is written down."""

MOST_BITS = 4096
"""More than any answer takes."""

_NAN, _ZERO, _ONE, _HALF = arb.nan(), fmpq(0), fmpq(1), fmpq(1, 2)


def _ball(thing: Any) -> Any:
    """A number as a ball of Arb."""
    return thing if type(thing) is arb else arb(thing)


def short(number: Any) -> Any:
    """A fraction that is not too long to be carried along; a longer one as a ball."""
    if type(number) is fmpq and number.height_bits() > LONGEST:
        return arb(number)
    return number


class Enclosures(Numbers):
    """These numbers as a number type, of the precision that there is."""

    def __init__(self) -> None:
        with Precision(MOST_BITS):
            # rules are bound to π once and run with any precision, so it has the digits of the greatest
            super().__init__(self._on_enclosures, {"pi": arb.pi()})
        self.inside = functools.cache(self._inside)

    def _inside(
        self, operation: Operation, level: int | None = None
    ) -> Callable[..., Any]:
        """The operation, or the number that it always is, and nan where the arguments are not surely in its domain."""
        if operation is table.DIV and level is None:
            return _quotient
        compute = self.function(operation)
        if level is not None:
            known = fmpq(level)

            def compute(x: Any, *more: Any) -> Any:
                return known if type(x) is fmpq or x.is_finite() else _NAN

        elif operation.native or not operation.domain:
            return compute
        conditions = [self.bind(condition.holds) for condition in operation.domain]

        def within(*arguments: Any) -> Any:
            for holds in conditions:
                if not surely(holds(*arguments)):
                    return _NAN
            return compute(*arguments)

        return within

    def _on_enclosures(self, operation: Operation) -> Callable[..., Any]:
        if operation.native:
            return operation.kernel
        rational, steep = RATIONAL.get(operation), operation.steep
        own = _OWN.get(operation)
        if own is not None and rational is None and not steep:
            return own
        if own is not None:
            compute: Any = own
        elif operation.arb is not None:
            compute = kernel(operation.arb) if isinstance(operation.arb, str) else operation.arb  # fmt: skip
        else:
            if operation.formula is None:
                raise UsageError(f"{operation.title} has no bounds on its errors: it is given by two functions", hint="refine=False")  # fmt: skip
            compute = self.bind(operation.formula)

        def function(*arguments: Any) -> Any:
            if rational is not None and all(type(a) is fmpq for a in arguments):
                found = rational(*arguments)
                if type(found) is fmpq:
                    return short(found)
            # the last argument, since of a power it is the exponent that makes it steep
            if steep and not abs(arguments[-1]) < STEEPEST:
                return _NAN
            return compute(*arguments) if own else compute(*map(_ball, arguments))

        return function


def surely(truth: Any) -> bool:
    """Return whether something holds for certain."""
    return truth if truth.__class__ is bool else truth != 0


def _truth(holds: bool, fails: bool) -> Any:
    return _ONE if holds else _ZERO if fails else _NAN


def _equal(x: Any, y: Any) -> Any:
    if float in (type(x), type(y)):  # FLINT has no fraction equal to a float
        x, y = _ball(x), _ball(y)
    return _truth(x == y, x != y)


def _quotient(x: Any, y: Any) -> Any:
    return x / y if y != 0 else _NAN


def _larger(x: Any, y: Any) -> Any:
    # one that is surely larger is handed on as it is, and remains a fraction if it is one
    return x if x >= y else y if x <= y else _ball(x).max(y)


def _smaller(x: Any, y: Any) -> Any:
    return x if x <= y else y if x >= y else _ball(x).min(y)


def _floor(x: Any) -> Any:
    if type(x) is fmpq:
        return fmpq(x.floor())
    whole = x.floor().unique_fmpz() if abs(x) < LARGEST else None
    return _NAN if whole is None else fmpq(whole)


def _round(x: Any) -> Any:
    """The nearest whole number, halves to even."""
    near = x + _HALF
    above = _floor(near)
    # an even whole number above is right at a tie as well, so only odd ones need the comparison
    if type(above) is not fmpq or above.p % 2 == 0 or near > above:
        return above
    return above - 1 if near == above else _NAN


def _modulo(x: Any, y: Any) -> Any:
    whole = _floor(x / y) if y != 0 else _NAN
    return x if whole == 0 else x - y * whole


def _power(x: Any, y: Any) -> Any:
    # an exponent of 2 may come as a ball without a radius; taken for any number, it would forbid a negative base
    if type(y) is arb and y.is_exact() and (whole := y.unique_fmpz()) is not None:
        y = fmpq(whole)
    if type(y) is fmpq and y.q == 1:
        there = y.p > 0 or (x != 0 if y.p else type(x) is fmpq or x.is_finite())
        return whole_power(_ball(x), int(y.p)) if there else _NAN
    if x == 0:
        return _ZERO if y > 0 else _NAN
    return _ball(x) ** y if x > 0 else _NAN


def _power_even(x: Any, y: Any) -> Any:
    return _ZERO if x == 0 and y > 0 else fractional_power(_ball(x), _ball(y))


def _power_odd(x: Any, y: Any) -> Any:
    size = _power_even(x, y)
    return size if x >= 0 else -size if x < 0 else size.union(-size)


def _angle(y: Any, x: Any) -> Any:
    # beside the negative x-axis the angle jumps from π to -π, and a ball over both would pass for its value
    off_cut = x > 0 or y != 0 or (x < 0 and y == 0)
    return arb.atan2(_ball(y), _ball(x)) if off_cut else _NAN


_OWN: dict[Operation, Callable[..., Any]] = {
    table.ABS: abs,
    table.MOD: _modulo,
    table.FLOOR: _floor,
    table.CEIL: lambda x: -_floor(-x),
    table.ROUND: _round,
    table.RELU: lambda x: _larger(x, _ZERO),
    table.MAX: _larger,
    table.MIN: _smaller,
    table.LT: lambda x, y: _truth(x < y, x >= y),
    table.LE: lambda x, y: _truth(x <= y, x > y),
    table.GT: lambda x, y: _truth(x > y, x <= y),
    table.GE: lambda x, y: _truth(x >= y, x < y),
    table.EQ: _equal,
    table.NE: lambda x, y: 1 - _equal(x, y),
    table.SIGN: lambda x: -_ONE if x < 0 else _truth(x > 0, x == 0),
    table.STEP: lambda x: _truth(x >= 0, x < 0),
    table.NOT: lambda x: _truth(x == 0, x != 0),
    table.AND: lambda x, y: _truth(surely(x) and surely(y), x == 0 or y == 0),
    table.OR: lambda x, y: _truth(surely(x) or surely(y), x == 0 and y == 0),
    table.IF: lambda c, x, y: x if surely(c) else y if c == 0 else _NAN,
    table.HYPOT: lambda x, y: hypot(_ball(x), _ball(y)),
    table.ATAN2: _angle,
    table.POW: _power,
    table.POW_EVEN: _power_even,
    table.POW_ODD: _power_odd,
    table.ROOT: lambda x, n: _power_odd(x, 1 / n),
    table.FACTORIAL: lambda x: (_ball(x) + 1).gamma(),
}
"""Operations that compare, and those that Arb has not or only for some numbers."""

ENCLOSURES = Enclosures()


def distances(
    operation: Operation,
    value: float,
    at: Sequence[tuple[float, float]],
    wanted: Sequence[int],
) -> tuple[float, dict[int, float]]:
    """Return how far a double may be off the result of an operation, and those of its local partials that are wanted.

    `at` are doubles and their errors. Raises `ValueError` where this may be outside of the domain, or at a corner.
    """
    # 64 bits tell a rounding error to a thousandth of half a unit in the last place of a double
    with Precision(64):
        own = [arb(x, e) if e else fmpq(*x.as_integer_ratio()) for x, e in at]
        found = ENCLOSURES.inside(operation)(*own)
        rules = [operation.corner, *[operation.edges[i] for i in wanted]]
        if any(rule and not ENCLOSURES.bind(rule)(*own) == 0 for rule in rules):
            raise ValueError
        balls, middles = [arb(x) for x in own], [x for x, _ in at]
        slopes = {}
        for i in wanted:
            slope = ENCLOSURES.partials(operation)[i](arb(found), *balls)
            slopes[i] = _off(slope, float_partials(operation)[i](value, *middles))
        return _off(found, value), slopes


def _off(number: Any, double: float) -> float:
    """Return how far a double may be off a number. Raises `ValueError` where that is not known."""
    apart = abs(arb(number) - double)
    # float() rounds to the nearest double, which may lie below the bound
    furthest = 0.0 if apart == 0 else math.nextafter(float(apart.upper()), math.inf)
    if not math.isfinite(furthest):
        raise ValueError
    return furthest
