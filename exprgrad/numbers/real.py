"""A number of many digits that has left its sweep.

    third = kept(Fraction(1, 3))
    third * 3 - 1, decimal(third, 20)        # nearly 0, and 0.33333333333333333333

Arithmetic on it keeps `DIGITS` digits, in any thread and whatever the precision of sweeps. It is a double
where one is asked for, and knows how it is written beyond the range of these.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.operations.operators import give_operators
from exprgrad.operations.precision import Precision

if TYPE_CHECKING:
    from fractions import Fraction

DIGITS = 100
_KEPT = 360  # bits for these, and some to spare


def _quotient(x: Any, y: Any) -> Any:
    if y.is_zero():
        raise ZeroDivisionError("division by 0")
    return x / y


def _remainder(x: Any, y: Any) -> Any:
    return x - y * _quotient(x, y).floor()


def _power(x: Any, y: Any) -> Any:
    if x.is_zero():
        if y < 0:
            raise ZeroDivisionError("0 to a negative power")
        return x if y > 0 else x + 1
    found = x**y
    if not found.is_finite():
        raise ValueError("not a real number")
    return found


class Real:
    """A number, the middle of a ball of Arb; it has no radius."""

    __slots__ = ("arb",)
    __add__: Any  # see `give_operators` below
    __sub__: Any
    __rsub__: Any
    __mul__: Any
    __truediv__: Any
    __pow__: Any
    __rpow__: Any
    __rmul__: Any
    __lt__: Any
    __gt__: Any

    def __init__(self, middle: Any) -> None:
        self.arb = middle

    def __repr__(self) -> str:
        return decimal(self, DIGITS)

    def __reduce__(self) -> tuple[Any, ...]:
        mantissa, exponent = self.arb.man_exp()
        return _restored, (int(mantissa), int(exponent))

    def less(self, step: Real, digits: int) -> Real:
        """Return the difference, with so many digits."""
        with Precision(digits * 10 // 3 + 10):
            return Real((self.arb - step.arb).mid())

    def over(self, other: Real, digits: int) -> Real:
        """Return the quotient, with so many digits."""
        with Precision(digits * 10 // 3 + 10):
            return Real((self.arb / other.arb).mid())

    def __neg__(self) -> Real:
        # a plain minus would round to the 53 bits of the host
        return Real(self.arb.neg(exact=True))

    def __abs__(self) -> Real:
        return -self if self.arb < 0 else self

    def __pos__(self) -> Real:
        return self

    def __hash__(self) -> int:
        return hash(float(self))

    def __bool__(self) -> bool:
        return not self.arb.is_zero()

    def __float__(self) -> float:
        return float(self.arb)

    def __int__(self) -> int:
        # with fewer bits the floor of 2^100 + 1 would be a ball, which is no whole number
        with Precision(MOST_BITS):
            size = int(abs(self.arb).floor().unique_fmpz())
            return -size if self.arb < 0 else size

    def __round__(self) -> int:
        return round(fraction(self))

    def as_integer_ratio(self) -> tuple[int, int]:
        """The fraction that it is."""
        mantissa, exponent = map(int, self.arb.man_exp())
        return (
            (mantissa << exponent, 1) if exponent >= 0 else (mantissa, 1 << -exponent)
        )

    @property
    def _mpf_(self) -> Any:
        return self.arb._mpf_


_KERNELS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": _quotient, "mod": _remainder, "pow": _power,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip


def _operated(name: str, one: Any, other: Any) -> Any:
    ball = type((one if isinstance(one, Real) else other).arb)
    with Precision(_KEPT):
        x, y = _number(one, ball), _number(other, ball)
        if x is None or y is None:
            return NotImplemented
        found = _KERNELS[name](x, y)
        return found if found.__class__ is bool else Real(found.mid())


give_operators(Real, " ".join(_KERNELS), _operated)

MOST_BITS = 4096
"""Bits that no number has more of."""


def _number(thing: Any, ball: Any) -> Any:
    """Another number as a ball of Arb; None for what is none."""
    if isinstance(thing, Real):
        return thing.arb
    if isinstance(thing, int | float):
        return ball(thing)
    ratio = getattr(thing, "as_integer_ratio", None)
    if ratio is None:
        return None
    numerator, denominator = map(int, ratio())
    return ball(numerator) / denominator


def _restored(mantissa: int, exponent: int) -> Real:
    from flint import arb

    with Precision(MOST_BITS):
        return Real(arb((mantissa, exponent)))


def kept(number: Any, bits: int = _KEPT) -> Real:
    """A result for use outside of its sweep, with all of its digits; a fraction with so many bits."""
    if isinstance(number, Real):
        return number
    from flint import arb

    with Precision(bits):
        found = number if isinstance(number, arb) else _number(number, arb)
        return Real(found.mid())


LONGEST = 2**16  # bits of a fraction above which none is made


def fraction(number: Any, most: int = LONGEST) -> Fraction:
    """A number as a fraction. Raises `OverflowError` for one above 2^most, or with so many binary places."""
    from fractions import Fraction

    real = kept(number)
    # e^(2^2000) takes some words here, and would fill the memory as a fraction
    if abs(int(real.arb.man_exp()[1])) > most:
        raise OverflowError("a fraction would be too long")
    return Fraction(*real.as_integer_ratio())


def mag(number: Any) -> int:
    """The binary exponent of a number that is not 0: it is less than 2 to this power."""
    return magnitude(kept(number).arb)


def magnitude(middle: Any) -> int:
    """The same of the middle of a ball."""
    mantissa, exponent = middle.mid().man_exp()
    return int(exponent) + int(mantissa).bit_length()


def decimal(number: Any, digits: int) -> str:
    """A number as a decimal of so many digits, without zeros at its end."""
    from decimal import Decimal

    real = kept(number)
    if not real:
        return "0.0"
    text, _, power = real.arb.str(digits + 5, radius=False).partition("e")
    if text.replace(".", "").endswith("50000"):
        # 1.2355 - 10^-27 to 4 digits is 1.235, though 9 digits of it round up: all digits tell it from a tie
        longer = real.arb.str(digits + MOST_BITS // 3, radius=False)
        text, _, power = longer.partition("e")
    rounded, _, more = f"{Decimal(text):.{digits - 1}e}".partition("e")
    exponent, tail = int(power or 0) + int(more), ""
    # exponents begin where those of mpmath's nstr do
    if min(-(digits // 3), -5) < exponent < digits:
        rounded = f"{Decimal(f'{rounded}e{exponent}'):f}"
    else:
        tail = f"e{exponent:+d}"
    whole, _, part = rounded.partition(".")
    return f"{whole}.{part.rstrip('0') or '0'}{tail}"


def is_definite(rows: Sequence[Sequence[Any]], shift: float = 0.0) -> bool:
    """Return whether A - shift*I is known to be positive definite: whether its Cholesky factorisation goes through.

    The entries of A are numbers or balls, and those above its diagonal are not looked at.
    """
    lower: list[list[Any]] = []
    for i, row in enumerate(rows):
        own: list[Any] = []
        for j in range(i):
            inner = sum(a * b for a, b in zip(own, lower[j], strict=False))
            own.append((row[j] - inner) / lower[j][j])
        pivot = row[i] - shift - sum(a * a for a in own)
        # a ball that may be 0 is not greater than 0, and so proves nothing
        if not pivot > 0:
            return False
        lower.append([*own, pivot**0.5])
    return True
