"""Balls: a number and a radius; between them lies the real number that is meant.

    third = DOUBLES.number((1, 3))           # 0.333... ± 1.9e-17
    third * 3 == 1                           # Undecided: the ball of the product reaches over 1

A ball [m ± r] stands for any one number x with |x - m| <= r. Arithmetic gives a ball that holds the result
for every choice of the operands: the radius is what the operands' radii make of it, and what is rounded
on the way. A comparison that the radius leaves open raises `Undecided`, so that a branch, a corner or
a domain is never decided by rounding. (Tucker, *Validated Numerics*; van der Hoeven, *Ball arithmetic*.)

Here are arithmetic and comparisons, on doubles; `ball_functions` has the functions of the table, and
`precise_balls` the same on numbers of any precision.
"""

from __future__ import annotations

import math

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.operations.operation import ARITHMETIC

if TYPE_CHECKING:
    from typing import ClassVar

ABOVE = 1 + 2.0**-40
"""More than what rounding takes from a radius on its way through one formula."""


class Undecided(ArithmeticError):
    """The ball is too wide to say; more precision may."""


class Undefined(ArithmeticError):
    """No number of the ball has a result: more precision changes nothing."""


FAULTS = (*ARITHMETIC, ArithmeticError, TypeError)
"""What computing with balls may raise. A kernel for floats alone raises TypeError."""


class Ball:
    """The real numbers from `mid - rad` to `mid + rad`, both of them doubles.

    Arithmetic never raises: where there is no result, there is `Nothing`. A product with an exact 0 is 0.
    """

    __slots__ = ("mid", "rad")

    unit: ClassVar[Any] = 2.0**-53
    """The relative error of one rounding."""
    least: ClassVar[Any] = 2.0**-1072
    """More than what a few underflows may lose."""
    smallest: ClassVar[Any] = 1e-290
    """A slope that is smaller may have underflowed on its way."""
    whole: ClassVar[Any] = 2.0**53
    """Whole numbers up to this one are exact."""
    nothing: ClassVar[Any]
    """Makes what stands for a number that there is not, from the fault."""
    raised: ClassVar[Any]
    """The operation x^y, from the module of functions."""

    def __init__(self, mid: Any, rad: Any = 0.0) -> None:
        if not mid - mid == 0 or not rad - rad == 0:
            raise Undecided("a number overflows")
        self.mid, self.rad = mid, rad * ABOVE if rad else rad

    def __repr__(self) -> str:
        return f"[{float(self.mid)!r} ± {float(self.rad):.1e}]"

    @classmethod
    def of(cls, thing: Any) -> Ball:
        """A number as a ball: ints and floats are what they are, a pair is a fraction."""
        if isinstance(thing, Ball):
            return thing
        if isinstance(thing, float):
            return cls(thing)
        return cls._ratio(*(thing if isinstance(thing, tuple) else (int(thing), 1)))

    @classmethod
    def _ratio(cls, numerator: int, denominator: int) -> Ball:
        try:
            mid = numerator / denominator  # of ints: correctly rounded
        except OverflowError:
            raise Undecided("a number overflows") from None
        p, q = mid.as_integer_ratio()
        off = abs(numerator * q - p * denominator)
        return cls(mid, off / (denominator * q) + cls.least if off else 0.0)

    @staticmethod
    def floor(mid: Any) -> int:
        """The largest whole number that is not above a middle."""
        return math.floor(mid)  # type: ignore[no-any-return] # of a float

    @staticmethod
    def log(mid: Any) -> Any:
        """The natural logarithm of a middle."""
        return math.log(mid)

    def _nothing(self, fault: Exception) -> Ball:
        return self.nothing(fault)  # type: ignore[no-any-return] # a ball

    def rounded(self, mid: Any, rad: Any) -> Ball:
        """The result of an operation that is rounded once, with what the operands' radii make."""
        return type(self)(mid, rad + abs(mid) * self.unit + self.least)

    @property
    def exact(self) -> bool:
        """Whether it holds one number alone."""
        return not self.rad

    @property
    def is_zero(self) -> bool:
        """Whether it is known to be 0."""
        return not self.mid and not self.rad

    @property
    def size(self) -> Any:
        """The largest absolute value in the ball."""
        return (abs(self.mid) + self.rad) * ABOVE

    @property
    def ends(self) -> tuple[Any, Any]:
        """The least and the greatest number, rounded outward."""
        low, high = self.mid - self.rad, self.mid + self.rad
        slack = 2 * self.unit
        return low - abs(low) * slack - self.least, high + abs(
            high
        ) * slack + self.least

    def __add__(self, other: Any) -> Ball:
        other = self.of(other)
        mid = self.mid + other.mid
        # what the sum loses is computed exactly (Knuth's TwoSum)
        back = mid - self.mid
        lost = (self.mid - (mid - back)) + (other.mid - back)
        try:
            return type(self)(mid, self.rad + other.rad + abs(lost))
        except FAULTS as fault:
            return self._nothing(fault)

    def __neg__(self) -> Ball:
        return type(self)(-self.mid, self.rad)

    def __pos__(self) -> Ball:
        return self

    def __sub__(self, other: Any) -> Ball:
        if other is self:  # one ball is one number
            return self.of(0)  # type: ignore[no-any-return] # a ball
        difference: Ball = self + -self.of(other)
        return difference

    def __rsub__(self, other: Any) -> Ball:
        return self.of(other) + -self

    def __mul__(self, other: Any) -> Ball:
        other = self.of(other)
        if self.is_zero or other.is_zero:
            return self if self.is_zero else other
        if not other.rad and other.mid == 1:
            return self
        if not self.rad and self.mid == 1:
            return other  # type: ignore[no-any-return] # a ball
        mid = self.mid * other.mid
        try:
            if not (self.rad or other.rad) and self._keeps(mid, self.mid, other.mid):
                return type(self)(mid)
            return self.rounded(mid, abs(self.mid) * other.rad + self.rad * other.size)
        except FAULTS as fault:
            return self._nothing(fault)

    def __truediv__(self, other: Any) -> Ball:
        other = self.of(other)
        try:
            if other.sign() == 0:
                raise Undefined("division by 0")
            if self.is_zero or other is self:
                return self if self.is_zero else self.of(1)
            mid = self.mid / other.mid
            if not (self.rad or other.rad) and self._keeps(self.mid, mid, other.mid):
                return type(self)(mid)
            nearest = (abs(other.mid) - other.rad) / ABOVE
            shift = self.rad / nearest + abs(mid) * ABOVE * (other.rad / nearest)
            return self.rounded(mid, shift)
        except FAULTS as fault:
            return self._nothing(fault)

    def __rtruediv__(self, other: Any) -> Ball:
        return self.of(other) / self

    def _keeps(self, product: Any, x: Any, y: Any) -> bool:
        """Whether product = x*y holds without rounding, as for whole numbers that are not too large."""
        if abs(product) > self.whole or x != self.floor(x) or y != self.floor(y):
            return False
        return bool(x * y == product)

    def __pow__(self, other: Any) -> Ball:
        return self.raised(self.of(other))  # type: ignore[no-any-return] # a ball

    def __rpow__(self, other: Any) -> Ball:
        return self.of(other) ** self

    def __abs__(self) -> Ball:
        return type(self)(abs(self.mid), self.rad)

    def __mod__(self, other: Any) -> Ball:
        try:
            whole: Ball = self.of(other) * math.floor(self / other)
            return self - whole
        except FAULTS as fault:
            return self._nothing(fault)

    def __rmod__(self, other: Any) -> Ball:
        return self.of(other) % self

    __radd__, __rmul__ = __add__, __mul__

    # Questions, which may raise Undecided

    def sign(self) -> int:
        """-1, 0 or 1. Raises `Undecided` where the ball reaches over 0 and is not 0 itself."""
        if abs(self.mid) > self.rad:
            return 1 if self.mid > 0 else -1
        if self.is_zero:
            return 0
        raise Undecided("the sign is open")

    def compared(self, other: Any) -> int:
        """The sign of the difference; of a ball and itself it is 0."""
        if other is self:
            return 0
        if other.__class__ is int and not other:
            return self.sign()
        difference: Ball = self - other
        return difference.sign()

    def __floor__(self) -> int:
        low, high = (self.mid, self.mid) if self.exact else self.ends
        below: int = self.floor(low)
        if below != self.floor(high):
            raise Undecided("the whole part is open")
        return below

    def __ceil__(self) -> int:
        return -math.floor(-self)

    def __round__(self) -> int:
        """The nearest whole number, halves to even."""
        above: int = math.floor(self + self.of((1, 2)))
        tie = above % 2 and self.compared(self.of(above) - self.of((1, 2))) == 0
        return above - 1 if tie else above

    # Comparisons give True, False, or `Nothing` where the radius leaves it open: asked whether that is
    # true, it raises Undecided, but `or` may do without it.

    def _holds(self, other: Any, *orders: int) -> Any:
        try:
            return self.compared(other) in orders
        except Undecided as fault:
            return self.nothing(fault)

    def __lt__(self, other: Any) -> Any:
        return self._holds(other, -1)

    def __le__(self, other: Any) -> Any:
        return self._holds(other, -1, 0)

    def __gt__(self, other: Any) -> Any:
        return self._holds(other, 1)

    def __ge__(self, other: Any) -> Any:
        return self._holds(other, 1, 0)

    def __eq__(self, other: object) -> Any:
        return self._holds(other, 0)

    def __ne__(self, other: object) -> Any:
        return self._holds(other, -1, 1)

    __hash__ = None  # type: ignore[assignment] # what may be equal is not known

    def __bool__(self) -> bool:
        return self.sign() != 0


class Nothing:
    """What stands for a number that there is not, with the fault that says why.

    Whoever computes with it gets it back, so a branch that is not taken may hold it; whoever asks it
    something gets the fault raised. It is mixed into a class of balls, and keeps the fault as its middle:
    Python then asks it first, on whichever side of an operator it stands.
    """

    __slots__ = ()

    mid: Any
    rad: Any

    def __init__(self, fault: Exception) -> None:
        known = isinstance(fault, Undecided | Undefined)
        self.mid, self.rad = fault if known else Undecided(str(fault)), None

    def __repr__(self) -> str:
        return f"[{type(self.mid).__name__}: {self.mid}]"

    def _itself(self, *others: Any) -> Any:
        return self

    def _ask(self, *others: Any) -> Any:
        raise self.mid

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _itself
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __mod__ = __rmod__ = _itself
    __neg__ = __pos__ = __abs__ = _itself
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _itself
    sign = compared = __floor__ = __ceil__ = __round__ = __bool__ = _ask
    __hash__ = None  # type: ignore[assignment] # as of balls
    exact = is_zero = False


def fault_of(thing: Any) -> Exception | None:
    """Why there is no number, if there is none."""
    return thing.mid if isinstance(thing, Nothing) else None


def with_nothing(ball: type[Ball]) -> None:
    """Give a class of balls what stands for missing ones of its kind."""
    ball.nothing = type("Nothing", (Nothing, ball), {"__slots__": ()})


with_nothing(Ball)
