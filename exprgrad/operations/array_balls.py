"""Arrays of numbers with a bound on the error of each: the running error bound of a sweep.

With u = 2^-53, no element of a ball is off by more than

    u (relative |middle| + absolute)

where `relative` is one number for the whole array and `absolute` one, or an array where elements differ. So what
multiplies, divides and rounds exact numbers costs nothing beside the arithmetic itself:

    product    a.relative + b.relative + 1       |a| b.absolute + |b| a.absolute
    sum        1                                 the errors of a and of b
    f(x)       that of the kernel                (|f'| + its error) times the error of x

(Higham, *Accuracy and Stability of Numerical Algorithms*, section 3.3: running error analysis.) The table's own
rules give the partials. To first order that is an alarm and no proof: elements whose bound is not small are looked
at singly.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache, partial, reduce

import numpy as np

from exprgrad.annotations import Any
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.on_arrays import ARRAYS, elementwise
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import (
    ABS,
    ADD,
    DIV,
    EQ,
    FLOOR,
    IF,
    MAX,
    MIN,
    MOD,
    MUL,
    NE,
    NEG,
    RELU,
    SUB,
)

UNIT = 2.0**-53
SMALL = 2.0**33
"""Relative errors, in units of 2^-53, that are no greater are small to first order."""

WHOLE = 2.0**53
"""Whole numbers up to this one are exact."""

_SHORT = 2.0**20
"""Numbers with so many binary places or fewer are told from others, since their sums and products are exact."""

_SLOPE = 16.0
"""The relative error of a slope that a rule makes of exact numbers."""


class ArrayBall:
    """Middles with bounds on their errors; all multiples of 1/`scale`, if that is finite, and up to `most`."""

    __slots__ = ("_error", "absolute", "mid", "most", "relative", "scale")
    __array_ufunc__ = None  # so that an array leaves arithmetic to the ball
    __hash__ = None  # type: ignore[assignment] # == compares elements

    def __init__(
        self,
        mid: Any,
        relative: float = 0.0,
        absolute: Any = 0.0,
        scale: float = math.inf,
        most: float = 0.0,
    ) -> None:
        self.mid, self.relative, self.absolute = mid, relative, absolute
        self.scale, self.most = scale, most
        self._error: Any = None

    @classmethod
    def of(cls, array: Any, relative: float = 0.0) -> ArrayBall:
        """Numbers whose doubles have this relative error."""
        if relative or not array.size or array.item(0) * _SHORT % 1:
            return cls(array, relative)
        for scale in (1.0, _SHORT):
            scaled = array * scale
            if (np.floor(scaled) == scaled).all():
                return cls(array, 0.0, 0.0, scale, float(np.max(np.abs(array))))
        return cls(array)

    @property
    def is_exact(self) -> bool:
        """Whether no element has an error."""
        return not self.relative and self.has_ratio

    @property
    def has_ratio(self) -> bool:
        """Whether all errors are relative."""
        return isinstance(self.absolute, float) and not self.absolute

    @property
    def error(self) -> Any:
        """A bound on the error of each element, in units of 2^-53."""
        if self._error is None:
            self._error = self.absolute
            if self.relative:
                own = np.abs(self.mid)
                own = own if self.relative == 1 else own * self.relative
                self._error = own if self.has_ratio else own + self.absolute
        return self._error

    @property
    def radius(self) -> Any:
        """A bound on the error of each element."""
        radius = np.broadcast_to(self.error * UNIT, np.shape(self.mid))
        return np.where(radius <= math.inf, radius, math.inf)

    def known(self, enough: float) -> Any:
        """Where the relative error is at most `enough`."""
        if self.has_ratio and self.relative * UNIT <= enough:
            return np.isfinite(self.mid)
        return (self.error * UNIT <= enough * np.abs(self.mid)) & np.isfinite(self.mid)

    def unknown(self, mask: Any) -> ArrayBall:
        """The same, without a bound where the mask holds."""
        return self.off(np.where(mask, math.inf, 0.0))

    def off(self, more: Any) -> ArrayBall:
        """The same, whose elements may be off by so much more."""
        shape = np.broadcast_shapes(self.shape, np.shape(more))
        mid = np.broadcast_to(self.mid, shape)
        return ArrayBall(mid, self.relative, self.absolute + more)

    # What NumPy's arrays have

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.mid.shape  # type: ignore[no-any-return] # of an array

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return np.ndim(self.mid)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return np.size(self.mid)

    def __float__(self) -> float:
        return float(self.mid)

    def astype(self, kind: Any) -> Any:
        """The middles as numbers of another type."""
        return self.mid.astype(kind)

    def moved(self, move: Callable[[Any], Any]) -> ArrayBall:
        """The elements in other places, or some of them."""
        absolute = self.absolute
        if np.ndim(absolute):
            absolute = move(np.broadcast_to(absolute, self.shape))
        return ArrayBall(move(self.mid), self.relative, absolute, self.scale, self.most)

    def __getitem__(self, key: Any) -> ArrayBall:
        return self.moved(lambda array: array[key])

    def __setitem__(self, key: Any, other: ArrayBall) -> None:
        self.write(lambda array, own: array.__setitem__(key, own), other)

    def write(self, put: Callable[[Any, Any], None], other: ArrayBall) -> None:
        """Put other elements into places."""
        errors = np.array(np.broadcast_to(self.error, self.shape))
        put(errors, np.broadcast_to(other.error, other.shape))
        put(self.mid, other.mid)
        self.relative, self.absolute, self._error = 0.0, errors, None
        self.scale = math.inf

    # Arithmetic

    def __add__(self, other: Any) -> ArrayBall:
        return _sum(self, as_ball(other), np.add)

    def __radd__(self, other: Any) -> ArrayBall:
        return _sum(as_ball(other), self, np.add)

    def __sub__(self, other: Any) -> ArrayBall:
        return _sum(self, as_ball(other), np.subtract)

    def __rsub__(self, other: Any) -> ArrayBall:
        return _sum(as_ball(other), self, np.subtract)

    def __neg__(self) -> ArrayBall:
        return ArrayBall(-self.mid, self.relative, self.absolute, self.scale, self.most)

    def __mul__(self, other: Any) -> ArrayBall:
        return _product(self, as_ball(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ArrayBall:
        return _quotient(self, as_ball(other))

    def __rtruediv__(self, other: Any) -> ArrayBall:
        return _quotient(as_ball(other), self)

    def __pow__(self, other: Any) -> ArrayBall:
        other = as_ball(other)
        return power(self, other, np.power(self.mid, other.mid))

    def __abs__(self) -> ArrayBall:
        return function(ABS, self)


def is_short(numbers: Any) -> Any:
    """Which numbers have few binary places before and behind the point."""
    scaled = numbers * _SHORT
    return (np.floor(scaled) == scaled) & (np.abs(numbers) < 2.0**30)


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A comparison of middles."""
    return lambda self, other: compare(self.mid, getattr(other, "mid", other))


for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(ArrayBall, f"__{_name}__", _compared(getattr(operator, _name)))


def as_ball(thing: Any) -> ArrayBall:
    """A ball as it is; exact numbers as one."""
    if isinstance(thing, ArrayBall):
        return thing
    if isinstance(thing, int | float):
        for scale in (1.0, _SHORT):
            if (thing * scale) % 1 == 0:
                return ArrayBall(np.float64(thing), 0.0, 0.0, scale, abs(thing))
    return ArrayBall(np.asarray(thing, np.float64))


def _sum(a: ArrayBall, b: ArrayBall, apply: Callable[..., Any]) -> ArrayBall:
    mid = apply(a.mid, b.mid)
    if a.is_exact and b.is_exact:
        scale, most = max(a.scale, b.scale), a.most + b.most
        if most * scale <= WHOLE:
            return ArrayBall(mid, 0.0, 0.0, scale, most)
        return ArrayBall(mid, 1.0)
    return ArrayBall(mid, 1.0, a.error + b.error)


def _product(a: ArrayBall, b: ArrayBall) -> ArrayBall:
    mid = a.mid * b.mid
    if a.is_exact and b.is_exact:
        scale, most = a.scale * b.scale, a.most * b.most
        if most * scale <= WHOLE:
            return ArrayBall(mid, 0.0, 0.0, scale, most)
    absolute: Any = 0.0
    if not a.has_ratio:
        absolute = np.abs(b.mid) * a.absolute
    if not b.has_ratio:
        own = np.abs(a.mid) * b.absolute
        absolute = own if a.has_ratio else absolute + own + a.absolute * b.absolute * UNIT  # fmt: skip
    return ArrayBall(mid, a.relative + b.relative + 1.0, absolute)


def _quotient(a: ArrayBall, b: ArrayBall) -> ArrayBall:
    mid = a.mid / b.mid
    absolute: Any = 0.0
    if not (a.has_ratio and b.has_ratio):
        size = np.abs(b.mid)
        absolute = (a.absolute + np.abs(mid) * b.absolute) / size
        if not b.has_ratio:
            absolute = np.where(b.absolute <= SMALL * size, absolute, math.inf)
    return ArrayBall(mid, a.relative + b.relative + 1.0, absolute)


def power(x: ArrayBall, y: ArrayBall, mid: Any) -> ArrayBall:
    """A power whose middles are these."""
    if x.is_exact and y.is_exact:
        whole = x.scale == y.scale == 1 and not (y.mid < 0).any()
        bits = math.log2(max(x.most, 1.0)) * y.most
        return ArrayBall(mid, 0.0 if whole and bits <= 53 else 6.0)
    if x.has_ratio and y.is_exact:
        largest = y.most if y.scale < math.inf else float(np.max(np.abs(y.mid)))
        return ArrayBall(mid, (largest + 1) * x.relative + 6.0)
    size = np.abs(x.mid)
    absolute: Any = 0.0
    if not x.is_exact:
        # an exponent from 1 on has the greatest slope where the error ends
        slope = np.abs(y.mid) * np.power(size + x.error * UNIT, y.mid - 1)
        gentle = (y.mid >= 1) | (x.error <= SMALL * size)
        absolute = np.where(gentle, slope * x.error * 1.001, math.inf)
    if not y.is_exact:
        own = np.abs(mid * np.log(size)) * y.error
        # a negative number has no powers to what is no whole number
        absolute = absolute + np.where((x.mid > 0) | (y.error == 0), own, math.inf)
    return ArrayBall(mid, 6.0, absolute)


def function(operation: Operation, *arguments: Any) -> ArrayBall:
    """An operation of the table."""
    own = list(map(as_ball, arguments))
    return bounded(operation, elementwise(operation, [np.asarray(b.mid) for b in own]), own)  # fmt: skip


def bounded(operation: Operation, mid: Any, own: Sequence[ArrayBall]) -> ArrayBall:
    """The result of an operation whose middles are these."""
    if operation.rule == "power":
        return power(own[0], own[1], mid)
    if operation.steps:
        return _step(operation, mid, own)
    if operation is IF:
        return _chosen(mid, *own)
    if operation in KINKED:
        return _kinked(operation, mid, own)
    relative, absolute = operation.kernel_error
    if all(ball.is_exact for ball in own):
        if not operation.exact:
            return ArrayBall(mid, relative, absolute)
        rounding = np.where(np.floor(mid) == mid, 0.0, relative * np.abs(mid))
        return ArrayBall(mid, 0.0, rounding)
    condition = _everywhere(operation)
    if condition is not None and own[0].has_ratio:
        return ArrayBall(mid, condition * own[0].relative + relative, absolute)
    return ArrayBall(mid, relative, absolute + _from_arguments(operation, mid, own))


def _from_arguments(operation: Operation, mid: Any, own: Sequence[ArrayBall]) -> Any:
    """The error that comes from those of the arguments, in units of 2^-53."""
    found: Any = 0.0
    if operation is MOD:
        found = function(FLOOR, own[0] / own[1]).absolute
    bend = _bend(operation, own[0].mid)
    result = ArrayBall(mid, operation.kernel_error[0])
    for position, x in enumerate(own):
        if x.is_exact:
            continue
        if len(own) == 1 or None in operation.partials:
            steep = np.abs(slope_of(operation, position, mid, [b.mid for b in own]))
            if bend is not None:
                steep = steep + bend * x.error * UNIT
        else:
            slope = slope_ball(operation, position, result, own)
            steep = np.abs(slope.mid) + slope.error * UNIT
        part = steep * x.error
        if not np.max(part, initial=0.0) < math.inf:
            part = np.where(x.error == 0, 0.0, part)
        found = found + part
    if bend is None and not np.max(found, initial=0.0) <= SMALL:
        # near a pole, or the end of a domain, slopes say nothing of what an error reaches
        found = np.where(found <= SMALL * np.maximum(np.abs(mid), 1.0), found, math.inf)
    return found


def _bend(operation: Operation, x: Any) -> float | None:
    """A bound on the second derivative: none for long doubles, whose slopes may be far smaller."""
    return operation.bend if x.dtype == np.float64 else None


@cache
def _everywhere(operation: Operation) -> float | None:
    """The condition number of a function that has the same one at all numbers."""
    rule = operation.condition_number
    number = math.nan if rule is None else rule(math.nan, math.nan)
    return number if number == number else None


def _step(operation: Operation, mid: Any, own: Sequence[ArrayBall]) -> ArrayBall:
    """What is constant but for its jumps: exact, and not known where one is within reach."""
    if all(ball.is_exact for ball in own):
        largest = float(np.max(np.abs(mid), initial=0.0))
        return ArrayBall(mid, 0.0, 0.0, 1.0, largest)
    if operation.rule == "logic":
        jumps = ~np.logical_and.reduce(np.broadcast_arrays(*map(_told, own)))
    elif len(own) > 1:
        jumps = may_equal(*own)
    else:
        [x] = own
        ends = [x.mid + sign * 2 * UNIT * x.error for sign in (-1.0, 1.0)]
        low, high = (elementwise(operation, [np.asarray(end)]) for end in ends)
        jumps = low != high
    return ArrayBall(mid, 0.0, np.where(jumps, math.inf, 0.0))


def _chosen(mid: Any, condition: ArrayBall, a: ArrayBall, b: ArrayBall) -> ArrayBall:
    """Of `if`: what the condition chooses, and nothing known where that is not told from 0."""
    if a.has_ratio and b.has_ratio:
        found = ArrayBall(mid, max(a.relative, b.relative))
        found.scale, found.most = max(a.scale, b.scale), max(a.most, b.most)
    else:
        found = ArrayBall(mid, 0.0, np.where(condition.mid != 0, a.error, b.error))
    return found if condition.is_exact else found.unknown(~_told(condition))


def _told(condition: ArrayBall) -> Any:
    """Where a number is told from 0, or is 0."""
    error = condition.error
    return (error == 0) | (error * UNIT < np.abs(condition.mid))


def _kinked(operation: Operation, mid: Any, own: Sequence[ArrayBall]) -> ArrayBall:
    """What has slopes from -1 to 1, and rounds nothing."""
    first, last = own[0], own[-1]
    relative, absolute = first.relative, first.absolute
    if len(own) > 1 and not (first.has_ratio and last.has_ratio and relative == last.relative):  # fmt: skip
        winner = np.where(mid == first.mid, first.error, last.error)
        both = np.maximum(first.error, last.error)
        relative, absolute = 0.0, np.where(may_equal(first, last), both, winner)
        if not absolute.any():
            return ArrayBall.of(np.asarray(mid))
    elif operation is RELU and not first.has_ratio:
        absolute = np.where(first.mid < -UNIT * first.error, 0.0, absolute)
    scale = max(ball.scale for ball in own)
    return ArrayBall(mid, relative, absolute, scale, max(ball.most for ball in own))


def slope_of(operation: Operation, position: int, mid: Any, mids: Sequence[Any]) -> Any:
    """A local partial on arrays; nan or infinite where there is none."""
    return ARRAYS.partials(operation)[position](np.asarray(mid), *mids)


def slope_ball(
    operation: Operation, position: int, result: ArrayBall, own: Sequence[ArrayBall]
) -> ArrayBall:
    """A local partial with its bound."""
    bend = _bend(operation, own[0].mid)
    if bend is not None:
        slope = slope_of(operation, position, result.mid, [own[0].mid])
        return ArrayBall(slope, _SLOPE, bend * own[0].error)
    return as_ball(BALLS.partials(operation)[position](result, *own))


KINKED = (ABS, RELU, MIN, MAX)
"""What is made of straight pieces, with slopes from -1 to 1, and is its own derivative at a corner that is at 0."""


_OPERATORS: dict[Operation, Callable[..., ArrayBall]] = {
    ADD: lambda a, b: as_ball(a) + b,
    SUB: lambda a, b: as_ball(a) - b,
    MUL: lambda a, b: as_ball(a) * b,
    DIV: lambda a, b: as_ball(a) / b,
    NEG: lambda a: -as_ball(a),
}


def _meaning(operation: Operation) -> Callable[..., ArrayBall]:
    return _OPERATORS.get(operation) or partial(function, operation)


BALLS = Numbers(_meaning)
"""These balls as a number type."""


def _masks(operation: Operation) -> Callable[..., Any]:
    """What an operation is in the rule for a corner: comparisons hold where they may hold."""
    if operation is EQ:
        return may_equal
    if operation is NE:
        return _may_differ
    if operation.rule == "logic":
        return lambda *own: elementwise(operation, list(map(_truth, own))) != 0
    return BALLS.function(operation)


def may_equal(one: Any, other: Any) -> Any:
    """Where two numbers may be the same."""
    a, b = as_ball(one), as_ball(other)
    if a.is_exact and b.is_exact:
        return np.equal(a.mid, b.mid)
    return ~(np.abs(a.mid - b.mid) > (a.error + b.error) * UNIT)  # nan may be anything


def _may_differ(one: Any, other: Any) -> Any:
    a, b = as_ball(one), as_ball(other)
    return (a.mid != b.mid) | (a.error + b.error > 0)


def _truth(mask: Any) -> Any:
    return np.asarray(getattr(mask, "mid", mask), np.float64)


CORNERS = Numbers(_masks)
"""Masks as a number type, for rules that say where a corner is."""


def may_be_at_corner(operation: Operation, own: Sequence[ArrayBall]) -> Any:
    """Where the rule of an operation may not give the derivative, or its value may jump; None where nowhere."""
    rules = [rule for rule in (operation.corner, *operation.edges) if rule is not None]
    if operation.rule == "power" and own[1].is_exact and own[1].size == 1:
        exponent = own[1].mid.item()
        if exponent >= 1 and exponent.is_integer():
            return None  # it is smooth everywhere
    if not rules:
        return None
    mask = joined(*(_truth(CORNERS.bind(rule)(*own)) != 0 for rule in rules))
    return mask if mask.any() else None


def joined(*masks: Any) -> Any:
    """The union of masks."""
    return reduce(np.logical_or, masks)
