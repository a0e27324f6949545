"""Balls on arrays: numbers with a radius of error, element by element, to first order.

With r the radius of an argument, u = 2^-53 and k the error of a kernel in units of u,

    r_f = sum of |partial_i| r_i + k u |f|

(Higham, *Accuracy and Stability of Numerical Algorithms*, section 3.3: running error analysis). The table's
own rules give the partials, and run on these numbers themselves, so partials have radii too. To first order
that is an alarm and no proof: whoever uses it refuses numbers whose radius is not small beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from exprgrad.annotations import Any
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.on_arrays import ARRAYS, Array, elementwise
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ABS, ADD, DIV, EQ, GT, LT, MUL, NE, NEG, POW, SUB

UNIT = 2.0**-53
SMALLEST = 1e-290
"""What is smaller, besides 0 itself, may have lost digits to underflow."""

DEAR = 100
"""The cost from which on a partial is estimated, where only its size is asked for."""

_SHORT = 2.0**20
"""Numbers with so many binary places or fewer, and below 2^30, are added and multiplied exactly."""


class ArrayBall:
    """Middles and radii; a radius is the number 0.0 where every element is exact."""

    __slots__ = ("mid", "rad")

    def __init__(self, mid: Any, rad: Any = 0.0) -> None:
        self.mid, self.rad = mid, rad

    @property
    def is_exact(self) -> bool:
        """Whether no element has an error."""
        return isinstance(self.rad, float) and not self.rad

    @property
    def plain(self) -> ArrayBall:
        """The ball, whose numbers are doubles: see `scaled_balls`."""
        return self

    def masked(self, mask: Any) -> ArrayBall:
        """The number where the mask holds, elsewhere 0."""
        return ArrayBall(np.where(mask, self.mid, 0.0), np.where(mask, self.rad, 0.0))

    def __getitem__(self, rows: Any) -> ArrayBall:
        return ArrayBall(_taken(self.mid, rows), _taken(self.rad, rows))

    def __add__(self, other: Any) -> ArrayBall:
        return _sum(self, _ball(other), np.add)

    def __radd__(self, other: Any) -> ArrayBall:
        return _sum(_ball(other), self, np.add)

    def __sub__(self, other: Any) -> ArrayBall:
        return _sum(self, _ball(other), np.subtract)

    def __rsub__(self, other: Any) -> ArrayBall:
        return _sum(_ball(other), self, np.subtract)

    def __neg__(self) -> ArrayBall:
        return ArrayBall(-self.mid, self.rad)

    def __mul__(self, other: Any) -> ArrayBall:
        return _product(self, _ball(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ArrayBall:
        return _quotient(self, _ball(other))

    def __rtruediv__(self, other: Any) -> ArrayBall:
        return _quotient(_ball(other), self)

    def __pow__(self, other: Any) -> ArrayBall:
        return _applied(POW, self, other)

    def __gt__(self, other: Any) -> ArrayBall:
        return _applied(GT, self, other)

    def __lt__(self, other: Any) -> ArrayBall:
        return _applied(LT, self, other)

    def __abs__(self) -> ArrayBall:
        return _applied(ABS, self)


def _ball(thing: Any) -> ArrayBall:
    return thing if isinstance(thing, ArrayBall) else ArrayBall(np.float64(thing))


def _taken(array: Any, rows: Any) -> Any:
    """These rows; a number stands for every row."""
    return array[rows] if np.ndim(array) else array


def _sum(a: ArrayBall, b: ArrayBall, operator: Callable[..., Any]) -> ArrayBall:
    mid = operator(a.mid, b.mid)
    return ArrayBall(mid, a.rad + b.rad + _rounding(np.abs(mid), (a, b)))


def _product(a: ArrayBall, b: ArrayBall) -> ArrayBall:
    mid = a.mid * b.mid
    size = np.abs(mid)
    rad = _rounding(size, (a, b))
    if not a.is_exact:
        rad = rad + np.abs(b.mid) * a.rad
    if not b.is_exact:
        rad = rad + (np.abs(a.mid) + a.rad) * b.rad
    return _kept(mid, rad, size, (a, b))


def _quotient(a: ArrayBall, b: ArrayBall) -> ArrayBall:
    mid = a.mid / b.mid
    size = np.abs(mid)
    rad = size * UNIT
    sure = (a.rad == 0) & (b.rad == 0)
    if np.any(sure):
        # a product of short numbers is exact, so this is the quotient if it gives a
        short = is_short(mid) & is_short(b.mid) & (mid * b.mid == a.mid)
        rad = np.where(sure & short, 0.0, rad)
    if not (a.is_exact and b.is_exact):
        rad = rad + (a.rad + size * b.rad) / np.abs(b.mid)
    return _kept(mid, rad, size, (a,))


def _rounding(size: Any, operands: Sequence[ArrayBall]) -> Any:
    """The rounding error of a sum or product: none where short numbers are exact."""
    error = size * UNIT
    exact = operands[0].rad == 0
    for ball in operands[1:]:
        exact = exact & (ball.rad == 0)
    if not np.any(exact):
        return error
    short = exact & is_short(size)
    for ball in operands:
        short = short & is_short(ball.mid)
    return np.where(short, 0.0, error)


def is_short(numbers: Any) -> Any:
    """Which numbers have few binary places before and behind the point."""
    scaled = numbers * _SHORT
    return (np.floor(scaled) == scaled) & (np.abs(numbers) < 2.0**30)


def _kept(mid: Any, rad: Any, size: Any, through: Sequence[ArrayBall]) -> ArrayBall:
    """A result, with an infinite radius where it may have lost digits to underflow.

    It is an exact 0 where an operand of `through` is one.
    """
    if not np.fmin.reduce(size, axis=None) < SMALLEST:
        return ArrayBall(mid, rad)
    lost = size < SMALLEST
    for ball in through:
        lost = lost & ~((ball.mid == 0) & (np.asarray(ball.rad) == 0))
    return ArrayBall(mid, np.where(lost, np.inf, rad))


def _applied(operation: Operation, *arguments: Any) -> ArrayBall:
    """An operation of the table, with the radius that its partials give."""
    own = [_ball(argument) for argument in arguments]
    mids = [np.asarray(ball.mid) for ball in own]
    mid = elementwise(operation, mids)
    if operation.steps:
        return ArrayBall(mid)
    if operation.choose is not None:
        return ArrayBall(mid, np.where(mids[0] != 0, own[1].rad, own[-1].rad))
    size, rad = np.abs(mid), from_arguments(operation, mid, own)
    relative, absolute = operation.kernel_error
    rounding = (relative * size + absolute) * UNIT
    if operation.exact:
        rounding = np.where(np.floor(mid) == mid, 0.0, rounding)
        return ArrayBall(mid, rad + rounding)
    return _kept(mid, rad + rounding, size, own[:1])


def from_arguments(operation: Operation, mid: Any, own: Sequence[ArrayBall]) -> Any:
    """The error that comes from those of the arguments."""
    rad: Any = 0.0
    mids = [np.asarray(ball.mid) for ball in own]
    for position, ball in enumerate(own):
        if not ball.is_exact:
            if operation.cost >= DEAR:
                slope = _chord(operation, position, mid, mids, ball.rad)
            else:
                slope = slope_of(operation, position, mid, mids)
            rad = rad + np.where(ball.rad == 0, 0.0, np.abs(slope) * ball.rad)
    return rad


def slope_of(operation: Operation, position: int, mid: Any, mids: Sequence[Any]) -> Any:
    """A local partial on arrays; nan or infinite where there is none."""
    return ARRAYS.partials(operation)[position](np.asarray(mid), *mids)


def _chord(
    operation: Operation, position: int, mid: Any, mids: Sequence[Any], rad: Any
) -> Any:
    """About the size of a local partial that is dear, such as that of digamma; twice, to be sure.

    The step is so small that no pole is near, and what rounding makes of the difference counts.
    """
    moved = list(mids)
    step = np.maximum(np.abs(mids[position]) * 2.0**-30, 2.0 * rad)
    moved[position] = mids[position] + step
    there = elementwise(operation, moved)
    rounding = operation.kernel_error[0] * UNIT * (np.abs(there) + np.abs(mid))
    return 2 * (np.abs(there - mid) + rounding) / step


_OPERATORS: dict[Operation, Callable[..., ArrayBall]] = {
    ADD: lambda a, b: _ball(a) + b,
    SUB: lambda a, b: _ball(a) - b,
    MUL: lambda a, b: _ball(a) * b,
    DIV: lambda a, b: _ball(a) / b,
    NEG: lambda a: -_ball(a),
}


def _meaning(operation: Operation) -> Callable[..., ArrayBall]:
    found = _OPERATORS.get(operation)
    return found or (lambda *arguments: _applied(operation, *arguments))


BALLS = Numbers(_meaning)
"""These balls as a number type."""


def _masks(operation: Operation) -> Callable[..., Any]:
    """What an operation is in the rule for a corner: comparisons hold where they may hold."""
    if operation is EQ:
        return _may_equal
    if operation is NE:
        return _may_differ
    if operation.rule == "logic":
        return lambda *own: elementwise(operation, [_truth(mask) for mask in own]) != 0
    return BALLS.function(operation)


def _may_equal(one: Any, other: Any) -> Any:
    a, b = _ball(one), _ball(other)
    return np.abs(a.mid - b.mid) <= a.rad + b.rad


def _may_differ(one: Any, other: Any) -> Any:
    a, b = _ball(one), _ball(other)
    return (a.mid != b.mid) | (a.rad + b.rad > 0)


def _truth(mask: Any) -> Array:
    return np.asarray(mask.mid if isinstance(mask, ArrayBall) else mask, np.float64)


CORNERS = Numbers(_masks)
"""Masks as a number type, for rules that say where a corner is."""


def may_be_at_corner(operation: Operation, own: Sequence[ArrayBall]) -> Any:
    """Where the rule of an operation may not give the derivative, or its value may jump."""
    found: Any = np.zeros(np.broadcast_shapes(*(np.shape(b.mid) for b in own)), bool)
    rules = [operation.corner, *operation.edges]
    for rule in rules:
        if rule is not None:
            found = found | (_truth(CORNERS.bind(rule)(*own)) != 0)
    if operation.corner is not None and not all(ball.is_exact for ball in own):
        mids = [np.asarray(ball.mid) for ball in own]
        here = elementwise(operation, mids)
        near = 4 * from_arguments(operation, here, own)
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            moved = [
                mid + 2 * sign * ball.rad
                for mid, ball, sign in zip(mids, own, (*signs, 1, 1, 1), strict=False)
            ]
            there = elementwise(operation, moved)
            found = found | (np.abs(there - here) > near + 8 * UNIT * np.abs(here))
    return found
