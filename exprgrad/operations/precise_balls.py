"""Balls on numbers of any precision, which know when they are a + b*pi with fractions a and b.

    with precise(200) as numbers:            # balls of 200 bits
        tenth = numbers.number((1, 10))
        tenth * 3 == numbers.number((3, 10)) # True: decided by fractions
        numbers.function(SIN)(tenth)         # a value and its radius, about 1e-61
        numbers.function(SIN)(numbers.named("pi"))    # 0, exactly

A ball that came about from such numbers by rational operations carries a and b along. As pi is irrational,
it is 0 only if both are; so 0 is known to be 0, and a comparison at a tie is decided. Everything else is
as on doubles (see `ball_functions`), by mpmath in a context with a few bits to spare, since its functions
are not correctly rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.operations import table
from exprgrad.operations.ball_functions import OWN, STEEPER, Balls, Function
from exprgrad.operations.balls import (
    ABOVE,
    Ball,
    Undecided,
    with_nothing,
)
from exprgrad.operations.high_precision import working
from exprgrad.operations.operation import Operation

if TYPE_CHECKING:
    from typing import ClassVar

SPARE_BITS = 12
"""Bits beyond those that count: what kernels may lose."""

LONGEST = 4000
"""Bits of a fraction that is carried along."""

LARGEST = 32768
"""The binary exponent of an argument that still makes sense to a function."""

STEEPEST = 2048
"""The same for a function that grows faster than any power: the work grows with the square of the exponent."""


class PreciseBall(Ball):
    """A ball whose numbers are mpmath's.

    Where the number is known to be a + b*pi, `fraction` is a and `turns` is b; else `fraction` is None.
    Each precision has a class of its own, made by `PreciseBalls`.
    """

    __slots__ = ("fraction", "turns")

    context: ClassVar[Any]
    above: ClassVar[Any]
    pi: ClassVar[Any]
    fraction: Fraction | None
    turns: Fraction | int

    def __init__(self, mid: Any, rad: Any = 0) -> None:
        self.mid, self.fraction, self.turns = mid, None, 0
        self.rad = rad * self.above if rad else self.least

    @classmethod
    def of(cls, thing: Any) -> Any:
        """A number as a ball: what it is, a pair as a fraction."""
        if isinstance(thing, Ball):
            return thing
        pair = isinstance(thing, tuple)
        return cls.known(Fraction(*thing) if pair else Fraction(thing))

    @classmethod
    def known(cls, fraction: Fraction, turns: Fraction | int = 0) -> PreciseBall:
        """The number fraction + turns*pi, which is carried along unless it is too long."""
        p, q = fraction.numerator, fraction.denominator
        mid = cls.context.mpf(p) / q
        length = p.bit_length() + q.bit_length()
        if turns:
            more = cls.pi * turns.numerator / turns.denominator
            rad = (abs(mid) + abs(more)) * 8 * cls.unit
            found = cls(mid + more, rad)
            length += turns.numerator.bit_length() + turns.denominator.bit_length()
        else:
            kept = p.bit_length() <= cls.context.prec and not q & (q - 1)
            found = cls(mid, 0 if kept else 4 * abs(mid) * cls.unit)
        if length < LONGEST:
            found.fraction, found.turns = fraction, turns
        return found

    @classmethod
    def floor(cls, mid: Any) -> int:
        """The largest whole number that is not above a middle (math.floor goes through a double)."""
        if mid and cls.context.mag(mid) > LARGEST:
            raise Undecided("a whole part is too large")
        return int(cls.context.floor(mid))

    @classmethod
    def log(cls, mid: Any) -> Any:
        """The natural logarithm of a middle."""
        return cls.context.ln(mid)

    def rounded(self, mid: Any, rad: Any) -> Ball:
        """The result of an operation that is rounded once: nothing underflows here."""
        return type(self)(mid, rad + abs(mid) * self.unit)

    def _keeps(self, product: Any, x: Any, y: Any) -> bool:
        return False  # fractions know

    def __add__(self, other: Any) -> Ball:
        other = self.of(other)
        x, y = self.fraction, other.fraction
        if x is None or y is None:
            # what a sum loses is found by fractions; to compute it costs more here than it saves
            return self.rounded(self.mid + other.mid, self.rad + other.rad)
        return self.known(x + y, self.turns + other.turns)

    def __mul__(self, other: Any) -> Ball:
        other = self.of(other)
        x, y = self.fraction, other.fraction
        if x is None or y is None or (self.turns and other.turns):
            return super().__mul__(other)
        return self.known(x * y, self.turns * y + x * other.turns)

    def __truediv__(self, other: Any) -> Ball:
        other = self.of(other)
        x, y = self.fraction, other.fraction
        if x is not None and y is not None:
            if other.turns:
                if not x and not y:
                    return self.known(Fraction(self.turns) / other.turns)
            elif y:
                return self.known(x / y, self.turns / y)
        return super().__truediv__(other)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Ball:
        x = self.fraction
        return super().__neg__() if x is None else self.known(-x, -self.turns)

    def __abs__(self) -> Ball:
        x = self.fraction
        if x is None:
            return super().__abs__()
        if self.turns:
            return self if self.sign() >= 0 else -self
        return self.known(abs(x))

    def sign(self) -> int:
        """-1, 0 or 1. Raises `Undecided`, but not of a fraction."""
        x = self.fraction
        if x is None or self.turns:
            return super().sign()
        return (x > 0) - (x < 0)

    def __floor__(self) -> int:
        x = self.fraction
        return super().__floor__() if x is None or self.turns else math.floor(x)


class PreciseBalls(Balls):
    """Balls of so many bits, for a `with` block and the thread that runs it: see `precise`."""

    ball: type[PreciseBall]

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.reals = working(0)  # and never given back: its precision is ours
        self.context = self.reals.context
        self.context.prec = bits + SPARE_BITS
        self.kernel_unit = self.context.ldexp(1, -bits)
        self.ball = type(
            "PreciseBall",
            (PreciseBall,),
            {
                "__slots__": (),
                "context": self.context,
                "above": self.context.mpf(ABOVE),
                "unit": self.context.ldexp(1, -self.context.prec),
                "least": self.context.mpf(0),
                "smallest": self.context.mpf(0),
                "pi": +self.context.pi,
                "whole": 2**bits,
                "raised": lambda x, y: self.function(table.POW)(x, y),
            },
        )
        with_nothing(self.ball)
        self._kernels: dict[Operation, Callable[..., Any]] = {}
        super().__init__()

    def __enter__(self) -> PreciseBalls:
        return self

    def __exit__(self, *exception: object) -> None:
        _IDLE.setdefault(self.bits, []).append(self)

    def named(self, name: str) -> Ball:
        """The constant e, pi or tau."""
        if name == "e":
            return self.ball(+self.context.e, 8 * self.ball.unit)
        return self.ball.known(Fraction(0), 2 if name == "tau" else 1)

    def kernel(self, operation: Operation) -> Callable[..., Any]:
        """The operation on mpmath's numbers: never complex, never with an argument of absurd size."""
        known = self._kernels.get(operation)
        if known is not None:
            return known
        compute, context = self.reals.function(operation), self.context
        limited = slice(_OF_ANY_SIZE.get(operation, 0), None)
        largest = STEEPEST if operation.steep else LARGEST

        def kernel(*arguments: Any) -> Any:
            if any(x and context.mag(x) > largest for x in arguments[limited]):
                raise OverflowError("a number is too large")
            result = compute(*arguments)
            if not context.isfinite(result):
                raise OverflowError("a number is too large")
            return result

        self._kernels[operation] = kernel
        return kernel

    def slope(self, operation: Operation) -> Callable[..., Any]:
        """The partial of an operation of one argument on mpmath's numbers."""
        return self.reals.partials(operation)[0]

    def defined(self, operation: Operation) -> Function:
        """How the operation is computed: exactly where the result is a fraction, or one of pi."""
        compute = self._computed(operation)
        rational, angular = _RATIONAL.get(operation), _ANGULAR.get(operation)
        if rational is None and angular is None:
            return compute

        def known(*balls: Any) -> Ball:
            fractions = [ball.fraction for ball in balls]
            found: Known = None
            if None in fractions:
                pass
            elif not any(ball.turns for ball in balls):
                found = rational(*fractions) if rational is not None else None
            elif angular is not None and not any(fractions):
                found = angular(*[Fraction(ball.turns) for ball in balls])
            if found is None:
                return compute(*balls)
            return self.ball.known(*(found if isinstance(found, tuple) else (found,)))

        return known

    def _computed(self, operation: Operation) -> Function:
        """How the operation is computed where its result is no fraction."""
        if operation in _PRECISE:
            return lambda *balls: self.number(_PRECISE[operation](self, *balls))
        known = operation.mpmath is not None and operation.bend is not None
        if operation.formula is not None and operation not in OWN and not known:
            # run on balls, a formula says itself where it loses digits
            return lambda *balls: self.by_formula(operation, *balls)
        return super().defined(operation)


_IDLE: dict[int, list[PreciseBalls]] = {}


def precise(bits: int) -> PreciseBalls:
    """Balls of so many bits, for a `with` block; they serve one computation at a time."""
    try:
        return _IDLE[bits].pop()
    except (KeyError, IndexError):
        return PreciseBalls(bits)


_OF_ANY_SIZE = dict.fromkeys([table.POW, table.SQRT, table.LN, table.LOG1P, table.ASINH, table.ATAN], 1)  # fmt: skip
"""Functions whose first argument may have any size: what they take does not grow with it."""


# Functions whose formula, or mpmath's own, loses digits somewhere.


def _softplus(n: Balls, x: Ball) -> Ball:
    exp, log1p = n.function(table.EXP), n.function(table.LOG1P)
    return n.function(table.RELU)(x) + log1p(exp(-abs(x)))  # type: ignore[no-any-return] # a ball


def _acosh(n: Balls, x: Ball) -> Ball:
    n.refuse_outside(table.ACOSH, (x,))
    sqrt, log1p = n.function(table.SQRT), n.function(table.LOG1P)
    return log1p((x - 1) + sqrt((x - 1) * (x + 1)))  # type: ignore[no-any-return] # a ball


def _asinh(n: Balls, x: Ball) -> Ball:
    size = abs(x)
    if not size.ends[0] > 1:
        return n.smooth(table.ASINH, x)
    # far away the radius counts against the size, which no bound on |f''| knows
    found = n.by_formula(table.ASINH, size)
    return found if x.mid > 0 else -found


def _atan(n: Balls, x: Ball) -> Ball:
    if not abs(x).ends[0] > 1:
        return n.smooth(table.ATAN, x)
    quarter = n.named("pi") / 2
    return (quarter if x.mid > 0 else -quarter) - n.smooth(table.ATAN, 1 / x)


def _polygamma(n: Balls, x: Ball, order: Ball) -> Ball:
    low = x.ends[0]
    if not (order.mid >= 1 and low > 0):
        return n.smooth(table.POLYGAMMA, x, order)
    # it has no zero there, and its size falls: so the error is relative, and the slope greatest at the low end
    n.refuse_outside(table.POLYGAMMA, (x, order))
    kernel = n.kernel(table.POLYGAMMA)
    y, slope = kernel(x.mid, order.mid), kernel(low, order.mid + 1)
    relative, _ = table.POLYGAMMA.kernel_error
    own = abs(y) * relative * n.kernel_unit
    return n.ball(y, own + abs(slope) * STEEPER * x.rad)


def _erfc(n: Balls, x: Ball) -> Ball:
    low = x.ends[0]
    if not low > 1:
        return n.smooth(table.ERFC, x)
    # it falls faster than any power, and so does its slope, which is greatest at the low end
    y, slope = n.kernel(table.ERFC)(x.mid), n.slope(table.ERFC)(None, low)
    relative, _ = table.ERFC.kernel_error
    own = abs(y) * relative * n.kernel_unit
    return n.ball(y, own + abs(slope) * STEEPER * x.rad)


_PRECISE: dict[Operation, Callable[..., Ball]] = {
    table.SOFTPLUS: _softplus,
    table.ACOSH: _acosh,
    table.ASINH: _asinh,
    table.ATAN: _atan,
    table.ERFC: _erfc,
    table.POLYGAMMA: _polygamma,
}

# What functions of fractions, and of fractions of pi, are exactly. A function of a fraction gives a fraction
# or a fraction of 1 and one of pi; a function of an angle in half turns gives a fraction. Each gives None where
# the result is none of these, or where the rules for balls are to say why there is no result.

Known = Fraction | tuple[Fraction, Fraction] | None

_ZERO, _HALF = Fraction(0), Fraction(1, 2)


def _power(x: Fraction, y: Fraction) -> Fraction | None:
    if y.denominator != 1:
        return _rooted(x, y) if x > 0 else None
    size = max(abs(x.numerator), x.denominator).bit_length()
    if abs(y) * size >= LONGEST or (not x and y < 0):
        return None
    return x**y.numerator


def _rooted(x: Fraction, y: Fraction) -> Fraction | None:
    """A positive fraction to a power that is not whole, where that is a fraction."""
    if y.denominator > LONGEST:
        return None
    p, q = (_root(n, y.denominator) for n in (x.numerator, x.denominator))
    if p is None or q is None:
        return None
    return _power(Fraction(p, q), Fraction(y.numerator))


def _root(whole: int, degree: int) -> int | None:
    """The root of a whole number, if it is one."""
    if degree == 2:
        found = math.isqrt(whole)
    elif whole.bit_length() < 1000:
        found = round(whole ** (1 / degree))
    else:
        return None
    return found if found**degree == whole else None


def _power_even(x: Fraction, y: Fraction) -> Fraction | None:
    return _power(abs(x), y) if x else None


def _power_odd(x: Fraction, y: Fraction) -> Fraction | None:
    size = _power_even(x, y)
    return None if size is None else size if x > 0 else -size


def _logarithm(x: Fraction, base: Fraction) -> Fraction | None:
    """The whole logarithm of a power of the base."""
    if not x > 0 or not base > 0 or base == 1:
        return None
    if (
        max(f.numerator.bit_length() + f.denominator.bit_length() for f in (x, base))
        > 900
    ):
        return None
    logs = [math.log(f.numerator) - math.log(f.denominator) for f in (x, base)]
    if not logs[1] or abs(logs[0] / logs[1]) > 1000:
        return None
    k = round(logs[0] / logs[1])
    return Fraction(k) if base**k == x else None


def _factorial(x: Fraction) -> Fraction | None:
    whole = x.denominator == 1 and 0 <= x < 1000
    return Fraction(math.factorial(x.numerator)) if whole else None


_SINES = {0: 0, 1: 1, 3: 2, 5: 1, 6: 0, 7: -1, 9: -2, 11: -1}
"""Twice the sine of so many twelfths of a turn; at all other fractions of pi it is irrational (Niven)."""


def _sine(turns: Fraction) -> Fraction | None:
    sixths = 6 * turns
    doubled = _SINES.get(int(sixths) % 12) if sixths.denominator == 1 else None
    return None if doubled is None else Fraction(doubled, 2)


def _tangent(turns: Fraction) -> Fraction | None:
    quarters = 4 * turns % 4
    values = {
        Fraction(0): Fraction(0),
        Fraction(1): Fraction(1),
        Fraction(3): Fraction(-1),
    }
    return values.get(quarters)


def _sinc(turns: Fraction) -> Fraction | None:
    return _ZERO if turns and turns.denominator == 1 else None


def _arcsine(x: Fraction) -> Known:
    sixths = {_ZERO: 0, _HALF: 1, Fraction(1): 3}.get(abs(x))
    return (
        None if sixths is None else (_ZERO, Fraction(sixths if x > 0 else -sixths, 6))
    )


def _arccosine(x: Fraction) -> Known:
    angle = _arcsine(x)
    return (_ZERO, _HALF - angle[1]) if isinstance(angle, tuple) else None


def _angle(y: Fraction, x: Fraction) -> Known:
    """The angle of a point on an axis or a diagonal."""
    if x and y and abs(x) != abs(y):
        return None
    if not y:
        return (_ZERO, Fraction(int(x < 0))) if x else None
    eighths = 2 if not x else 1 if x > 0 else 3
    return _ZERO, Fraction(eighths if y > 0 else -eighths, 4)


_RATIONAL: dict[Operation, Callable[..., Known]] = {
    table.POW: _power,
    table.POW_EVEN: _power_even,
    table.POW_ODD: _power_odd,
    table.SQRT: lambda x: _power(x, _HALF),
    table.CBRT: lambda x: _power_odd(x, Fraction(1, 3)),
    table.ROOT: lambda x, n: _power_odd(x, 1 / n) if n and (x > 0 or n % 2 == 1) else None,
    table.HYPOT: lambda x, y: _power(x * x + y * y, _HALF),
    table.GAMMA: lambda x: _factorial(x - 1),
    table.LGAMMA: lambda x: _ZERO if x in (1, 2) else None,
    table.LOG2: lambda x: _logarithm(x, Fraction(2)),
    table.LOG10: lambda x: _logarithm(x, Fraction(10)),
    table.LOG: _logarithm,
    table.ASIN: _arcsine,
    table.ACOS: _arccosine,
    table.ATAN: lambda x: _angle(x, Fraction(1)),
    table.ATAN2: _angle,
}  # fmt: skip

_ANGULAR: dict[Operation, Callable[..., Known]] = {
    table.SIN: _sine,
    table.COS: lambda turns: _sine(turns + _HALF),
    table.TAN: _tangent,
    table.COT: lambda turns: _tangent(_HALF - turns),
    table.SINC: _sinc,
    table.SINC_N: lambda turns, order: _sinc(turns),
    table.ATAN2: _angle,
}
