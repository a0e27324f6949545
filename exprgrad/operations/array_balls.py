"""Arrays of numbers with a bound on the error of each: the running error bound of a sweep.

    x = ArrayBall.of(np.array([0.1, 2.0]), 1.0)          # doubles that are off by up to one unit of 2^-53
    BALLS.function(table.SIN)(x), x * 2 + 1, BALL_NUMPY.sum(x)

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

`BALL_NUMPY` stands for `np` in the kernels of operations on whole arrays. What only moves elements takes their bounds
along. A sum of n terms adds an error of at most n (in pairs about log n) to the sum of their sizes (Higham, chapter 4).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache, partial, partialmethod, reduce

import numpy as np

from exprgrad.annotations import Any
from exprgrad.operations import table
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.on_arrays import ARRAYS, elementwise
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.operations.operators import give_operators

UNIT = 2.0**-53
SMALL = 2.0**33
"""Relative errors, in units of 2^-53, that are no greater are small to first order."""

WHOLE = 2.0**53
"""Whole numbers up to this one are exact."""

_SHORT = 2.0**20
"""Numbers with so many binary places or fewer are told from others, since their sums and products are exact."""

_SLOPE = 16.0
"""The relative error of a slope that a rule makes of exact numbers."""

_BLOCK = 25.0
"""More than the roundings of a term of NumPy's pairwise sums before pairs are made."""


class ArrayBall:
    """Middles with bounds on their errors; all multiples of 1/`scale`, if that is finite, and up to `most`."""

    __slots__ = ("_error", "absolute", "mid", "most", "relative", "scale")
    __array_ufunc__ = None  # so that an array leaves arithmetic to the ball
    __hash__ = None  # type: ignore[assignment] # == compares elements
    __add__: Any
    __mul__: Any
    __truediv__: Any

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
    def of(cls, thing: Any, relative: float = 0.0) -> ArrayBall:
        """A ball as it is; numbers whose doubles have this relative error."""
        if isinstance(thing, cls):
            return thing
        if isinstance(thing, int | float) and not relative:
            scale = next((s for s in (1.0, _SHORT) if thing * s % 1 == 0), math.inf)
            return cls(np.float64(thing), 0.0, 0.0, scale, abs(thing))
        is_long = getattr(thing, "dtype", None) == np.longdouble
        array = thing if is_long else np.asarray(thing, np.float64)
        if relative or not array.size or array.item(0) * _SHORT % 1:
            return cls(array, relative)
        for scale in (1.0, _SHORT):
            scaled = array * scale
            if (np.floor(scaled) == scaled).all():
                return cls(array, 0.0, 0.0, scale, float(np.max(np.abs(array))))
        return cls(array)

    @property
    def is_exact(self) -> bool:
        """Return whether no element has an error."""
        return not self.relative and self.has_ratio

    @property
    def has_ratio(self) -> bool:
        """Return whether all errors are relative."""
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
        """Return where the relative error is at most `enough`."""
        if self.has_ratio and self.relative * UNIT <= enough:
            return np.isfinite(self.mid)
        return (self.error * UNIT <= enough * np.abs(self.mid)) & np.isfinite(self.mid)

    @property
    def told(self) -> Any:
        """Return where the elements are told from 0, or are 0."""
        return (self.error == 0) | (self.error * UNIT < np.abs(self.mid))

    def unknown(self, mask: Any) -> ArrayBall:
        """The same, without a bound where the mask holds."""
        return self.off(np.where(mask, math.inf, 0.0))

    def off(self, more: Any) -> ArrayBall:
        """The same, whose elements may be off by so much more."""
        shape = np.broadcast_shapes(self.shape, np.shape(more))
        mid = np.broadcast_to(self.mid, shape)
        return ArrayBall(mid, self.relative, self.absolute + more)

    def zero_where(self, mask: Any) -> ArrayBall:
        """The same, exactly 0 where the mask holds."""
        return ArrayBall(np.where(mask, 0.0, self.mid), 0.0, np.where(mask, 0.0, self.error))  # fmt: skip

    shape: Any = property(lambda self: self.mid.shape)
    ndim: Any = property(lambda self: np.ndim(self.mid))
    size: Any = property(lambda self: np.size(self.mid))

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
        errors = np.array(np.broadcast_to(self.error, self.shape))
        errors[key], self.mid[key] = other.error, other.mid
        self.relative, self.absolute, self._error = 0.0, errors, None
        self.scale = math.inf


def is_short(numbers: Any) -> Any:
    """Which numbers have few binary places before and behind the point."""
    scaled = numbers * _SHORT
    return (np.floor(scaled) == scaled) & (np.abs(numbers) < 2.0**30)


def joined(*masks: Any) -> Any:
    """The union of masks."""
    return reduce(np.logical_or, masks)


def may_equal(one: Any, other: Any) -> Any:
    """Return where two numbers may be the same."""
    a, b = ArrayBall.of(one), ArrayBall.of(other)
    if a.is_exact and b.is_exact:
        return np.equal(a.mid, b.mid)
    return ~(np.abs(a.mid - b.mid) > (a.error + b.error) * UNIT)  # nan may be anything


# Operations on every element: the result, of which the middles are given


def _rounded(mid: Any, scale: float, most: float, relative: float = 1.0) -> ArrayBall:
    """A result of exact numbers: exact itself if it is a multiple of 1/scale that is not too large."""
    if most * scale <= WHOLE:
        return ArrayBall(mid, 0.0, 0.0, scale, most)
    return ArrayBall(mid, relative)


def _sum(mid: Any, a: ArrayBall, b: ArrayBall) -> ArrayBall:
    if a.is_exact and b.is_exact:
        return _rounded(mid, max(a.scale, b.scale), a.most + b.most)
    return ArrayBall(mid, 1.0, a.error + b.error)


def _product(mid: Any, a: ArrayBall, b: ArrayBall) -> ArrayBall:
    if a.is_exact and b.is_exact:
        return _rounded(mid, a.scale * b.scale, a.most * b.most)
    absolute: Any = 0.0
    if not a.has_ratio:
        absolute = np.abs(b.mid) * a.absolute
    if not b.has_ratio:
        own = np.abs(a.mid) * b.absolute
        absolute = own if a.has_ratio else absolute + own + a.absolute * b.absolute * UNIT  # fmt: skip
    return ArrayBall(mid, a.relative + b.relative + 1.0, absolute)


def _quotient(mid: Any, a: ArrayBall, b: ArrayBall) -> ArrayBall:
    absolute: Any = 0.0
    if not (a.has_ratio and b.has_ratio):
        size = np.abs(b.mid)
        absolute = (a.absolute + np.abs(mid) * b.absolute) / size
        if not b.has_ratio:
            absolute = np.where(b.absolute <= SMALL * size, absolute, math.inf)
    return ArrayBall(mid, a.relative + b.relative + 1.0, absolute)


def _power(mid: Any, x: ArrayBall, y: ArrayBall) -> ArrayBall:
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


def _chosen(mid: Any, condition: ArrayBall, a: ArrayBall, b: ArrayBall) -> ArrayBall:
    """Of `if`: what the condition chooses, and nothing known where that is not told from 0."""
    if a.has_ratio and b.has_ratio:
        found = ArrayBall(mid, max(a.relative, b.relative))
        found.scale, found.most = max(a.scale, b.scale), max(a.most, b.most)
    else:
        found = ArrayBall(mid, 0.0, np.where(condition.mid != 0, a.error, b.error))
    return found if condition.is_exact else found.unknown(~condition.told)


def _kinked(mid: Any, *own: ArrayBall) -> ArrayBall:
    """Return what has slopes from -1 to 1, and rounds nothing."""
    first, last = own[0], own[-1]
    relative, absolute = first.relative, first.absolute
    if len(own) > 1 and not (first.has_ratio and last.has_ratio and relative == last.relative):  # fmt: skip
        winner = np.where(mid == first.mid, first.error, last.error)
        both = np.maximum(first.error, last.error)
        relative, absolute = 0.0, np.where(may_equal(first, last), both, winner)
        if not absolute.any():
            return ArrayBall.of(mid)
    scale = max(ball.scale for ball in own)
    return ArrayBall(mid, relative, absolute, scale, max(ball.most for ball in own))


def _positive(mid: Any, x: ArrayBall) -> ArrayBall:
    if x.has_ratio:
        return _kinked(mid, x)
    return ArrayBall(mid, x.relative, np.where(x.mid < -UNIT * x.error, 0.0, x.absolute))  # fmt: skip


KINKED = (table.ABS, table.RELU, table.MIN, table.MAX)
"""What is made of straight pieces, with slopes from -1 to 1, and is its own derivative at a corner that is at 0."""

_OWN: dict[Operation, Callable[..., ArrayBall]] = {
    table.ADD: _sum, table.SUB: _sum, table.MUL: _product, table.DIV: _quotient,
    table.POW: _power, table.POW_EVEN: _power, table.POW_ODD: _power, table.IF: _chosen,
    table.RELU: _positive, **dict.fromkeys((table.NEG, table.ABS, table.MIN, table.MAX), _kinked),
}  # fmt: skip


def _step(operation: Operation, mid: Any, own: Sequence[ArrayBall]) -> ArrayBall:
    """Return what is constant but for its jumps: exact, and not known where one is within reach."""
    if all(ball.is_exact for ball in own):
        return _rounded(mid, 1.0, float(np.max(np.abs(mid), initial=0.0)), 0.0)
    if len(own) > 1 and operation.rule != "logic":
        return ArrayBall(mid, 0.0, np.where(may_equal(*own), math.inf, 0.0))
    if operation.rule == "logic":  # what surely is true, and what may be
        ends = [[b.told & (b.mid != 0), ~b.told | (b.mid != 0)] for b in own]
    else:
        ends = [[b.mid + s * 2 * UNIT * b.error for s in (-1.0, 1.0)] for b in own]
    low, high = (elementwise(operation, end) for end in zip(*ends, strict=True))
    return ArrayBall(mid, 0.0, np.where(low != high, math.inf, 0.0))


def function(operation: Operation, *arguments: Any) -> ArrayBall:
    """An operation of the table."""
    own = [a if a.__class__ is ArrayBall else ArrayBall.of(a) for a in arguments]
    return bounded(operation, elementwise(operation, [b.mid for b in own]), own)


give_operators(ArrayBall, "add sub mul div neg pow mod abs", lambda name, *own: function(TABLE[name], *own))  # fmt: skip
# comparisons are those of middles
give_operators(ArrayBall, "lt le gt ge eq ne", lambda name, *own: getattr(operator, name)(*[getattr(x, "mid", x) for x in own]))  # fmt: skip


def bounded(operation: Operation, mid: Any, own: Sequence[ArrayBall]) -> ArrayBall:
    """The result of an operation whose middles are these."""
    rule = _OWN.get(operation)
    if rule is not None:
        return rule(mid, *own)
    if operation.steps:
        return _step(operation, mid, own)
    relative, absolute = operation.kernel_error
    if all(ball.is_exact for ball in own):
        # a whole result of other numbers may be rounded: log2(2^53 - 1) is below 53, and mod(-1e-20, 3) below 3
        if operation in (table.MOD, table.FACTORIAL) and all(b.scale == 1 for b in own):
            return _rounded(mid, 1.0, np.max(np.abs(mid), initial=0.0), relative)
        return ArrayBall(mid, relative, absolute)
    condition = _everywhere(operation)
    if condition is not None and own[0].has_ratio:
        return ArrayBall(mid, condition * own[0].relative + relative, absolute)
    bend = _bend(operation, own[0])
    found: Any = 0.0
    if operation is table.MOD:
        found = function(table.FLOOR, own[0] / own[1]).absolute
    for position, x in enumerate(own):
        if x.is_exact:
            continue
        if len(own) == 1 or None in operation.partials:
            steep = np.abs(slope_of(operation, position, mid, [b.mid for b in own]))
            if bend is not None:
                steep = steep + bend * x.error * UNIT
        else:
            slope = slope_ball(operation, position, ArrayBall(mid, relative), own)
            steep = np.abs(slope.mid) + slope.error * UNIT
        part = steep * x.error
        if not np.max(part, initial=0.0) < math.inf:
            part = np.where(x.error == 0, 0.0, part)
        found = found + part
    if bend is None and not np.max(found, initial=0.0) <= SMALL:
        # near a pole, or the end of a domain, slopes say nothing of what an error reaches
        found = np.where(found <= SMALL * np.maximum(np.abs(mid), 1.0), found, math.inf)
    return ArrayBall(mid, relative, absolute + found)


def _bend(operation: Operation, x: ArrayBall) -> float | None:
    """A bound on the second derivative: none for long doubles, whose slopes may be far smaller."""
    return operation.bend if x.mid.dtype == np.float64 else None


@cache
def _everywhere(operation: Operation) -> float | None:
    """The condition number of a function that has the same one at all numbers."""
    rule = operation.condition_number
    number = math.nan if rule is None else rule(math.nan, math.nan)
    return number if number == number else None


def slope_of(operation: Operation, position: int, mid: Any, mids: Sequence[Any]) -> Any:
    """A local partial on arrays; nan or infinite where there is none."""
    return ARRAYS.partials(operation)[position](mid, *mids)


def slope_ball(
    operation: Operation, position: int, result: ArrayBall, own: Sequence[ArrayBall]
) -> ArrayBall:
    """A local partial with its bound."""
    bend = _bend(operation, own[0])
    # of (cos(x) - sinc(x))/x near a zero no part is known by its rule alone
    if bend is not None and operation is not table.SINC:
        slope, rough = slope_of(operation, position, result.mid, [own[0].mid]), _SLOPE
        if operation in (table.ERF, table.ERFC):
            # exp(-x^2) is off by the x^2 units that rounding x^2 counts in it; it is 0 from |x| = 28 on
            size = np.fmax.reduce(np.abs(own[0].mid), axis=None, initial=0.0)
            rough += float(min(size, 28.0)) ** 2
        return ArrayBall(slope, rough, bend * own[0].error)
    return ArrayBall.of(BALLS.partials(operation)[position](result, *own))


BALLS = Numbers(lambda operation: partial(function, operation))
"""These balls as a number type."""

_MAY_BE = Numbers(lambda o: may_equal if o is table.EQ else BALLS.function(o))
"""The same for rules that say where a corner is: what may be equal is."""


def may_be_at_corner(operation: Operation, own: Sequence[ArrayBall]) -> Any:
    """Return where the rule of an operation may not give the derivative, or its value may jump; None where nowhere."""
    rules = [rule for rule in (operation.corner, *operation.edges) if rule is not None]
    if operation.rule == "power" and own[1].is_exact and own[1].size == 1:
        exponent = own[1].mid.item()
        if exponent >= 1 and exponent.is_integer():
            return None  # it is smooth everywhere
    if not rules:
        return None
    found = [_MAY_BE.bind(rule)(*own) for rule in rules]
    masks = [(b.mid != 0) | (b.error != 0) if isinstance(b, ArrayBall) else b for b in found]  # fmt: skip
    mask = joined(*masks)
    return mask if mask.any() else None


class _BallNumPy:
    """The functions of NumPy that the kernels name."""

    def __getattr__(self, name: str) -> Any:
        """A function of the table, or one that only moves elements."""
        if name in NUMPYS:
            return partial(function, NUMPYS[name])
        apply = getattr(np, name)

        def moved(*arguments: Any, **options: Any) -> Any:
            first, *more = arguments
            if isinstance(first, ArrayBall):
                return first.moved(lambda array: apply(array, *more, **options))
            return apply(*arguments, **options)

        return moved

    shape, size = staticmethod(np.shape), staticmethod(np.size)

    def sum(self, x: Any, axis: Any = None, keepdims: bool = False) -> ArrayBall:
        def apply(array: Any) -> Any:
            return np.asarray(np.sum(array, axis=axis, keepdims=keepdims))

        x = ArrayBall.of(x)
        mid = apply(x.mid)
        count = x.size // max(1, mid.size)
        if x.is_exact and x.most * count * x.scale <= WHOLE:
            return ArrayBall(mid, 0.0, 0.0, x.scale, x.most * count)
        paired = axis is None and x.mid.flags.forc  # else not in one loop
        roundings = count - 1.0
        if paired:
            roundings = min(roundings, _BLOCK + math.log2(count + 1))
        error = apply(np.abs(x.mid)) * (roundings + x.relative)
        if np.ndim(x.absolute):
            error = error + apply(np.broadcast_to(x.absolute, x.shape))
        return ArrayBall(mid, 0.0, error + (0.0 if np.ndim(x.absolute) else count * x.absolute))  # fmt: skip

    def _extreme(
        self, apply: Any, x: ArrayBall, axis: Any = None, keepdims: bool = False
    ) -> ArrayBall:
        """The largest element, or the least, of all or of those along an axis."""
        options = {"axis": axis, "keepdims": keepdims}
        absolute = x.absolute
        if np.ndim(absolute):
            absolute = np.max(np.broadcast_to(absolute, x.shape), **options)
        mid = np.asarray(apply(x.mid, **options))
        return ArrayBall(mid, x.relative, absolute, x.scale, x.most)

    max, min = partialmethod(_extreme, np.max), partialmethod(_extreme, np.min)

    def _contracted(self, apply: Any, x: Any, y: Any, *axes: Any) -> ArrayBall:
        """Sums of products."""
        x, y = ArrayBall.of(x), ArrayBall.of(y)
        mid = np.asarray(apply(x.mid, y.mid, *axes))
        count = 1
        if x.ndim and y.ndim:  # every product goes into one sum
            count = max(1, round(math.sqrt(x.size * y.size / max(1, mid.size))))
        most = x.most * y.most * count
        if x.is_exact and y.is_exact and most * x.scale * y.scale <= WHOLE:
            return ArrayBall(mid, 0.0, 0.0, x.scale * y.scale, most)
        a, b = np.abs(x.mid), np.abs(y.mid)
        error = apply(a, b, *axes) * (count + x.relative + y.relative)
        if not x.has_ratio:
            error = error + apply(np.broadcast_to(x.absolute, x.shape), b, *axes)
        if not y.has_ratio:
            reach = a if x.is_exact else a + x.error * UNIT
            error = error + apply(reach, np.broadcast_to(y.absolute, y.shape), *axes)
        return ArrayBall(mid, 0.0, error)

    matmul = partialmethod(_contracted, np.matmul)
    dot = partialmethod(_contracted, np.dot)
    tensordot = partialmethod(_contracted, np.tensordot)

    def stack(self, parts: Sequence[Any]) -> ArrayBall:
        balls = list(map(ArrayBall.of, parts))
        mid = np.stack([ball.mid for ball in balls])
        if all(ball.has_ratio for ball in balls):
            names = "relative", "scale", "most"
            relative, *exact = (max(getattr(b, n) for b in balls) for n in names)
            return ArrayBall(mid, relative, 0.0, *exact)
        errors = [np.broadcast_to(ball.error, ball.shape) for ball in balls]
        return ArrayBall(mid, 0.0, np.stack(errors))

    class add:  # noqa: N801 # NumPy's function
        """NumPy's sum, of which kernels name one method alone."""

        @staticmethod
        def at(x: ArrayBall, key: Any, g: ArrayBall) -> None:
            """Add numbers to zeros in places, some of which may be named several times."""

            def put(own: Any) -> Any:
                found = np.zeros(x.shape)
                np.add.at(found, key, np.broadcast_to(own, g.shape))
                return found

            x.mid += put(g.mid)
            x.absolute = put(g.error) + put(np.abs(g.mid)) * put(1.0)


NUMPYS = {
    "subtract": table.SUB, "multiply": table.MUL, "divide": table.DIV, "negative": table.NEG, "exp": table.EXP,
    "log": table.LN, "sqrt": table.SQRT, "abs": table.ABS,
}  # fmt: skip
"""The operations of the table that kernels name, by the names that NumPy has for them."""

BALL_NUMPY = _BallNumPy()
