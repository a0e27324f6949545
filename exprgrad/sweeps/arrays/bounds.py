"""Tapes in arrays with bounds: the sweeps of `arrays`, and beside them how far every element may be off.

    found = swept(tape, leaves, names, written)
    found.value                              # an `ArrayBall`; so is found.gradient["x"]
    found.refused                            # why there is none, by this sweep

Elements at a corner, or where a condition may turn, have no bound: about these, germs and more digits decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.graph.value import is_array
from exprgrad.operations import table
from exprgrad.operations.array_balls import (
    UNIT,
    ArrayBall,
    as_ball,
    bounded,
    joined,
    may_be_at_corner,
    slope_ball,
)
from exprgrad.operations.array_kernels import unbroadcast
from exprgrad.operations.ball_numpy import BALL_NUMPY
from exprgrad.operations.number_types import Step
from exprgrad.operations.on_arrays import elementwise, flagged
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.arrays import values as arrays
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.operations.array_operation import ArrayOperation


class Swept(NamedTuple):
    """The value and, if that is one number, the gradient; the values of all nodes; and what stands in the way."""

    value: ArrayBall
    gradient: dict[str, ArrayBall] | None
    values: list[Any]
    refused: ExprgradError | None


class Primals(NamedTuple):
    """The forward sweep: a ball for every node, the number type that made them, and what stands in the way."""

    numbers: BallArrays
    balls: list[ArrayBall]
    refused: ExprgradError | None

    @property
    def values(self) -> list[Any]:
        """The values of all nodes."""
        return [ball.mid for ball in self.balls]


def primals(
    tape: Tape, leaves: Mapping[str, ArrayBall], written: arrays.Written
) -> Primals:
    """The forward sweep from these variables. Raises `ShapeError`, with the place."""
    numbers = BallArrays(tape, written)
    with np.errstate(all="call", call=numbers.note):
        found = Primals(numbers, forward(tape, numbers, leaves), None)
    if numbers.faulty:
        try:
            arrays.refuse(tape, found.values, written)
        except ExprgradError as error:
            return found._replace(refused=error.with_traceback(None))
    return found


def swept(
    tape: Tape,
    leaves: Mapping[str, ArrayBall],
    names: Sequence[str],
    written: arrays.Written,
) -> Swept:
    """Both sweeps from these variables. Raises `ShapeError`, with the place."""
    found = primals(tape, leaves, written)
    value, values = found.balls[tape.root], found.values
    if found.refused is not None or value.size != 1:
        return Swept(value, None, values, found.refused)
    try:
        gradient = gradients(tape, found, names)
    except ExprgradError as error:
        return Swept(value, None, values, error.with_traceback(None))
    return Swept(value, gradient, values, None)


def gradients(tape: Tape, found: Primals, names: Sequence[str]) -> dict[str, ArrayBall]:
    """The reverse sweep: the adjoints of these variables, from 1 for every element of the result."""
    numbers, balls = found.numbers, found.balls
    numbers.primals = balls
    seed = ArrayBall(np.ones(balls[tape.root].shape), 0.0, 0.0, 1.0, 1.0)
    with np.errstate(all="call", call=numbers.note):
        adjoints = reverse(tape, numbers, balls, tape.active(names), seed)
    own = {name: tape.variables[name] for name in names}
    return {
        name: ArrayBall(np.zeros(balls[i].shape))
        if adjoints[i] is None
        else adjoints[i]
        for name, i in own.items()
    }


class BallArrays(arrays.Placed):
    """Arrays with bounds on their errors as a number type; by rows, each element stands alone."""

    compute = staticmethod(flagged)

    def __init__(
        self, tape: Tape, written: arrays.Written, by_rows: bool = False
    ) -> None:
        super().__init__(tape, written)
        self.faulty, self.by_rows = False, by_rows
        self.primals: Sequence[ArrayBall] = ()
        self._flags: set[str] = set()
        self._corners: dict[int, Any] = {}
        self._needed: list[Any] | None = None

    def note(self, flag: str, *_: int) -> None:
        """Keep a floating-point flag that an operation of NumPy raises."""
        self._flags.add(flag)

    def number(self, number: Any) -> Any:
        """A variable as it is."""
        return number

    def constant(self, leaf: Any) -> ArrayBall:
        """A constant: of a decimal that is no double, with its error."""
        data = leaf.data
        if is_array(data):
            return ArrayBall.of(np.asarray(data, np.float64))
        ratio = leaf.ratio
        error = 1.0 if ratio is None else Coordinate.of(ratio).error
        return ArrayBall.of(np.asarray(data or 0.0, np.float64), error)

    def value(self, step: Step, arguments: Sequence[Any]) -> ArrayBall:
        """A result with its bound."""
        operation, own = step.operation, arguments
        self._flags.clear()
        if operation.whole is not None:
            found = self._of_whole(step, own)
        else:
            found = self._elementwise(step, own)
        if self._flags:
            there = np.isfinite(found.mid)
            if not there.all():
                self.faulty, found = True, found.unknown(~there)
            if not (operation.exact or operation.steps):
                through = own if operation is table.MUL else own[: not operation.mean]
                found = _without_underflow(found, *through)
        return found

    def _of_whole(self, step: Step, own: Sequence[ArrayBall]) -> ArrayBall:
        """The result of an operation on whole arrays."""
        row = step.operation.whole
        assert row is not None
        try:
            found = valued(row, own)
        except (ValueError, IndexError, TypeError, MemoryError):
            return as_ball(
                super().value(step, [b.mid for b in own])
            )  # says what is wrong
        return found

    def _elementwise(self, step: Step, own: Sequence[ArrayBall]) -> ArrayBall:
        """The result of an operation on every element."""
        operation = step.operation
        rule = _ARITHMETIC.get(operation)
        try:
            if rule is not None:
                found = rule(*own)
            else:
                mid = elementwise(operation, [b.mid for b in own])
                found = bounded(operation, mid, own)
        except (ValueError, MemoryError):
            return as_ball(
                super().value(step, [b.mid for b in own])
            )  # says what is wrong
        found.mid = np.asarray(found.mid)
        mask = may_be_at_corner(operation, own)
        if mask is not None:
            self._corners[step.node] = mask
            if operation.domain and not all(b.is_exact for b in own):
                inexact = joined(*(b.error != 0 for b in own))
                found = found.unknown(mask & inexact)  # it may have no value
        if operation.mean and not self.by_rows:
            found = BALL_NUMPY.mean(found)
        return found

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> ArrayBall | None:
        """The adjoint that goes to an operand."""
        operation, g = step.operation, adjoint
        self._flags.clear()
        if operation.whole is not None:
            return pulled(operation.whole, position, g, result, own)
        slope = self.slope(step, position, result, own)
        if operation.mean and not self.by_rows:
            full = np.broadcast_shapes(*(b.shape for b in own))
            each = g / float(np.prod(full))
            g = each.moved(lambda array: np.broadcast_to(array, full))
        found = g if slope is None else self.contribution(step, g, slope)
        mask = self._corners.get(step.node)
        if mask is not None:
            found = found.unknown(mask)
        return unbroadcast(BALL_NUMPY, found, own[position].shape)  # type: ignore[no-any-return] # a ball

    def corner(self, step: Step) -> Any:
        """Where the forward sweep found that a step may stand at a corner; None where nowhere."""
        return self._corners.get(step.node)

    def contribution(self, step: Step, g: ArrayBall, slope: ArrayBall) -> ArrayBall:
        """An adjoint or a tangent times a local partial; 0 where nothing goes on, but for slopes that are infinite."""
        found = g * slope
        if self._flags or self.faulty:
            lacking = ~np.isfinite(slope.mid)
            if lacking.any():
                still = (g.mid == 0) & (g.error == 0)
                found.mid = np.where(still, 0.0, found.mid)
                found.absolute = np.where(still, 0.0, found.absolute)
                found = found.unknown(lacking & self._is_needed(step))
            found = _without_underflow(found, g, slope)
        return found

    def _is_needed(self, step: Step) -> Any:
        """Where the result depends on a step: not in a branch that is not taken."""
        if self._needed is None:
            values = [ball.mid for ball in self.primals]
            seed = np.ones(values[self.tape.root].shape, bool)
            everything = [True] * len(values)
            self._needed = reverse(self.tape, arrays.MASKS, values, everything, seed)
        mask = self._needed[step.node]
        return np.False_ if mask is None else mask

    def slope(
        self, step: Step, position: int, result: ArrayBall, own: Sequence[ArrayBall]
    ) -> ArrayBall | None:
        """A local partial; None for the number 1."""
        operation = step.operation
        rule = operation.partials[position]
        if not callable(rule):
            return None if rule == 1 else as_ball(np.nan if rule is None else rule)
        if operation is table.MUL:
            return own[1 - position]
        self._flags.clear()
        found = slope_ball(operation, position, result, own)
        found.mid = np.asarray(found.mid)
        flags = self._flags
        if flags & {"overflow", "divide by zero"}:
            # a number over what overflowed is 0, whatever that would have been
            found = found.unknown(found.mid == 0)
        return _without_underflow(found) if "underflow" in flags else found


def valued(row: ArrayOperation, own: Sequence[ArrayBall]) -> ArrayBall:
    """The result of an operation on whole arrays."""
    found = as_ball(row.value(BALL_NUMPY, *_given(row, own)))
    found.mid = np.asarray(found.mid)
    return found


def pulled(
    row: ArrayOperation,
    position: int,
    g: ArrayBall,
    y: ArrayBall,
    own: Sequence[ArrayBall],
) -> ArrayBall | None:
    """What goes back to an argument of an operation on whole arrays; None for an axis, a length or an index."""
    rule = row.pull(position)
    if rule is None:
        return None
    found = as_ball(rule(BALL_NUMPY, g, y, *_given(row, own)))
    mask = _tied(row, own, y)
    return found if mask is None else found.unknown(mask)


def _given(row: ArrayOperation, own: Sequence[ArrayBall]) -> list[Any]:
    """The arguments; of axes, lengths and indexes no more than the numbers."""
    return [b if row.pull(i) is not None else b.mid for i, b in enumerate(own)]


def _without_underflow(found: ArrayBall, *through: ArrayBall) -> ArrayBall:
    """The same, with an error where it may have lost digits to underflow; it is 0 where an operand of `through` is."""
    smallest = np.finfo(found.mid.dtype).tiny / UNIT  # in units of 2^-53
    lost = np.abs(found.mid) < smallest
    for ball in through:
        lost = lost & ((ball.mid != 0) | (ball.error != 0))
    return found.off(np.where(lost, smallest, 0.0)) if lost.any() else found


def _tied(row: ArrayOperation, own: Sequence[ArrayBall], y: ArrayBall) -> Any:
    """Where an operation on whole arrays may be at a corner: extremes that tie, the norm of 0."""
    x = own[0]
    if row is table.NORM:
        small = ~(y.error * UNIT * 2.0**20 < y.mid)
        return np.broadcast_to(small, x.shape) if small else None
    if row not in _EXTREMES:
        return None
    axis = int(own[1].mid) if len(own) > 1 else None
    top = y.mid if axis is None else np.expand_dims(y.mid, axis)
    near = np.abs(x.mid - top) <= 2 * UNIT * x.error
    tied = near & (near.sum(axis=axis, keepdims=axis is not None) > 1)
    return tied if tied.any() else None


_EXTREMES = (table.AMAX, table.AMAX_ALONG, table.AMIN, table.AMIN_ALONG)

_ARITHMETIC: dict[Operation, Callable[..., ArrayBall]] = {
    table.ADD: ArrayBall.__add__,
    table.SUB: ArrayBall.__sub__,
    table.MUL: ArrayBall.__mul__,
    table.DIV: ArrayBall.__truediv__,
    table.NEG: ArrayBall.__neg__,
}
