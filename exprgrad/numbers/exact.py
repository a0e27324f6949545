"""The exact values of functions of fractions, and of fractions of π.

    RATIONAL[SQRT](fmpq(4, 9))               # 2/3
    RATIONAL[ASIN](fmpq(1, 2))               # (0, 1/6): π/6
    ANGULAR[SIN](fmpq(1, 6))                 # 1/2, of an angle in half turns

A function of fractions gives a fraction, or a pair (a, b) for a + b*π; it gives None where the result is none of these,
or where the rules for balls are to say why there is no result.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import fmpq, fmpz

from exprgrad.annotations import Any
from exprgrad.operations import table
from exprgrad.operations.operation import Operation

LONGEST = 2000
"""Bits of the numerator or the denominator of a fraction that is carried along."""

_ZERO, _HALF, _ONE = fmpq(0), fmpq(1, 2), fmpq(1)


def _power(x: Any, y: Any) -> Any:
    if y.q != 1:
        if not x > _ZERO or y.q > LONGEST:
            return None
        roots = [_root(int(n), int(y.q)) for n in (x.p, x.q)]
        return None if None in roots else _power(fmpq(*roots), fmpq(y.p))
    # 2^(10^9) would be written out in a thousand million bits
    if abs(y.p) * x.height_bits() >= LONGEST or (x == _ZERO and y.p < 0):
        return None
    return x ** int(y.p)


def _root(whole: int, degree: int) -> int | None:
    """The root of a whole number, if it is one."""
    found = int(fmpz(whole).root(degree))
    return found if found**degree == whole else None


def _power_even(x: Any, y: Any) -> Any:
    return None if x == _ZERO else _power(abs(x), y)


def _power_odd(x: Any, y: Any) -> Any:
    size = _power_even(x, y)
    return None if size is None else size if x > _ZERO else -size


def _logarithm(x: Any, base: Any) -> Any:
    """The whole logarithm of a power of the base."""
    if not x > _ZERO or not base > _ZERO or base == _ONE:
        return None
    if max(x.height_bits(), base.height_bits()) > 450:
        return None
    logs = [math.log(int(f.p)) - math.log(int(f.q)) for f in (x, base)]
    # two doubles only guess the exponent, and base^k decides; of a base like 1 + 10^-20 they say nothing
    if not logs[1] or abs(logs[0] / logs[1]) > 1000:
        return None
    k = round(logs[0] / logs[1])
    return fmpq(k) if base**k == x else None


def _factorial(x: Any) -> Any:
    whole = x.q == 1 and 0 <= x.p < 300
    return fmpq(math.factorial(int(x.p))) if whole else None


_SINES = {0: 0, 1: 1, 3: 2, 5: 1, 6: 0, 7: -1, 9: -2, 11: -1}
"""Twice the sine of so many twelfths of a turn; at all other fractions of pi it is irrational (Niven)."""


def _sine(turns: Any) -> Any:
    sixths = 6 * turns
    doubled = _SINES.get(int(sixths.p) % 12) if sixths.q == 1 else None
    return None if doubled is None else fmpq(doubled, 2)


def _tangent(turns: Any) -> Any:
    quarters = 4 * turns
    values = {0: _ZERO, 1: _ONE, 3: -_ONE}
    return values.get(int(quarters.p) % 4) if quarters.q == 1 else None


def _sinc(turns: Any) -> Any:
    return _ZERO if turns.q == 1 and turns.p != 0 else None


def _arcsine(x: Any) -> Any:
    # no other fraction has an arcsine that is a fraction of π (Niven's theorem)
    sixths = {_ZERO: 0, _HALF: 1, _ONE: 3}.get(abs(x))
    return (
        None if sixths is None else (_ZERO, fmpq(sixths if x > _ZERO else -sixths, 6))
    )


def _arccosine(x: Any) -> Any:
    angle = _arcsine(x)
    return None if angle is None else (_ZERO, _HALF - angle[1])


def _angle(y: Any, x: Any) -> Any:
    """The angle of a point on an axis or a diagonal."""
    if y == _ZERO:
        return None if x == _ZERO else (_ZERO, fmpq(int(x < _ZERO)))
    # of fractions of π only 0, 1 and -1 are rational tangents, which follows from Niven's theorem
    if x != _ZERO and abs(x) != abs(y):
        return None
    eighths = 2 if x == _ZERO else 1 if x > _ZERO else 3
    return _ZERO, fmpq(eighths if y > _ZERO else -eighths, 4)


RATIONAL: dict[Operation, Callable[..., Any]] = {
    table.POW: _power,
    table.POW_EVEN: _power_even,
    table.POW_ODD: _power_odd,
    table.SQRT: lambda x: _power(x, _HALF),
    table.CBRT: lambda x: _power_odd(x, fmpq(1, 3)),
    table.ROOT: lambda x, n: _power_odd(x, 1 / n) if n != _ZERO and (x > _ZERO or (n.q == 1 and n.p % 2 == 1)) else None,
    table.HYPOT: lambda x, y: _power(x * x + y * y, _HALF),
    table.GAMMA: lambda x: _factorial(x - 1),
    table.FACTORIAL: _factorial,
    table.LGAMMA: lambda x: _ZERO if x in (_ONE, fmpq(2)) else None,
    table.LOG2: lambda x: _logarithm(x, fmpq(2)),
    table.LOG10: lambda x: _logarithm(x, fmpq(10)),
    table.LOG: _logarithm,
    table.ASIN: _arcsine,
    table.ACOS: _arccosine,
    table.ATAN: lambda x: _angle(x, _ONE),
    table.ATAN2: _angle,
}  # fmt: skip

ANGULAR: dict[Operation, Callable[..., Any]] = {
    table.SIN: _sine,
    table.COS: lambda turns: _sine(turns + _HALF),
    table.TAN: _tangent,
    table.COT: lambda turns: _tangent(_HALF - turns),
    table.SINC: _sinc,
    table.SINC_N: lambda turns, order: _sinc(turns),
    table.ATAN2: _angle,
}
