"""Tapes in arrays with bounds: the sweeps of `values`, and beside them how far every element may be off.

    found = swept(tape, leaves, names, written)
    found.value                              # an `ArrayBall`; so is found.gradient["x"]
    found.refused                            # why there is none, by this sweep

Elements at a corner, or where a condition may turn, have no bound: about these, germs and more digits decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.graph.value import is_array
from exprgrad.operations import table
from exprgrad.operations.array_balls import (
    BALL_NUMPY,
    UNIT,
    ArrayBall,
    bounded,
    joined,
    may_be_at_corner,
    slope_ball,
)
from exprgrad.operations.array_kernels import unbroadcast
from exprgrad.operations.number_types import Step
from exprgrad.operations.on_arrays import elementwise, flagged
from exprgrad.sweeps.arrays import values as arrays
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.operations.array_operation import ArrayOperation


class Primals(NamedTuple):
    """The forward sweep: a ball for every node, the number type that made them, and what stands in the way.

    `gradient` is that of a value that is one number, if it was asked for.
    """

    numbers: BallArrays
    balls: list[ArrayBall]
    refused: ExprgradError | None = None
    gradient: dict[str, ArrayBall] | None = None

    @property
    def value(self) -> ArrayBall:
        """The value of the root."""
        return self.balls[self.numbers.tape.root]

    @property
    def values(self) -> list[Any]:
        """The values of all nodes."""
        return [ball.mid for ball in self.balls]


def primals(
    tape: Tape,
    leaves: Mapping[str, ArrayBall],
    written: arrays.Written,
    by_rows: bool = False,
) -> Primals:
    """The forward sweep from these variables. Raises `ShapeError`, with the place.

    By rows, each element stands alone, and elements without a value are left as they are.
    """
    numbers = BallArrays(tape, written, by_rows)
    with np.errstate(all="call", call=numbers.note):
        balls = numbers.primals = forward(tape, numbers, leaves)
    found = Primals(numbers, balls)
    if numbers.faulty and not by_rows:
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
) -> Primals:
    """Both sweeps from these variables. Raises `ShapeError`, with the place."""
    found = primals(tape, leaves, written)
    if found.refused is not None or found.value.size != 1:
        return found
    try:
        return found._replace(gradient=gradients(tape, found, names))
    except ExprgradError as error:
        return found._replace(refused=error.with_traceback(None))


def gradients(tape: Tape, found: Primals, names: Sequence[str]) -> dict[str, ArrayBall]:
    """The reverse sweep: the adjoints of these variables, from 1 for every element of the result."""
    numbers, balls = found.numbers, found.balls
    seed = ArrayBall(np.ones(balls[tape.root].shape), 0.0, 0.0, 1.0, 1.0)
    with np.errstate(all="call", call=numbers.note):
        adjoints = reverse(tape, numbers, balls, tape.active(names), seed)
    own = {name: adjoints[tape.variables[name]] for name in names}
    return {
        name: ArrayBall(np.zeros(balls[tape.variables[name]].shape)) if g is None else g
        for name, g in own.items()
    }


class BallArrays(arrays.Placed):
    """Arrays with bounds on their errors as a number type; by rows, each element stands alone.

    `primals` are the balls of the forward sweep, once there are all, and `corners` the masks of elements that may
    stand at one, by node.
    """

    compute = staticmethod(flagged)

    def __init__(
        self, tape: Tape, written: arrays.Written, by_rows: bool = False
    ) -> None:
        super().__init__(tape, written)
        self.faulty, self.by_rows = False, by_rows
        self.primals: Sequence[ArrayBall] = ()
        self.corners: dict[int, Any] = {}
        self._flags: set[str] = set()
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
            return ArrayBall.of(data)
        ratio = leaf.ratio
        error = 1.0 if ratio is None else Coordinate.of(ratio).error
        return ArrayBall.of(np.float64(data or 0.0), error)

    def value(self, step: Step, arguments: Sequence[Any]) -> ArrayBall:
        """A result with its bound."""
        operation, own = step.operation, arguments
        self._flags.clear()
        try:
            if operation.whole is not None:
                found = valued(operation.whole, own)
            else:
                mid = elementwise(operation, [b.mid for b in own])
                found = bounded(operation, mid, own)
        except (ValueError, IndexError, TypeError, MemoryError):
            mid = super().value(step, [b.mid for b in own])  # says what is wrong
            return ArrayBall(mid).unknown(np.True_)
        found.mid = np.asarray(found.mid)
        mask = None if operation.whole else may_be_at_corner(operation, own)
        if mask is not None:
            self.corners[step.node] = mask
            if operation.domain and not all(b.is_exact for b in own):
                inexact = joined(*(b.error != 0 for b in own))
                found = found.unknown(mask & inexact)  # it may have no value
        if operation.mean and not self.by_rows:
            found = BALL_NUMPY.mean(found)
        if self._flags:
            there = np.isfinite(found.mid)
            if not there.all():
                self.faulty, found = True, found.unknown(~there)
            if not (operation.exact or operation.steps):
                through = own if operation is table.MUL else own[: not operation.mean]
                found = _without_underflow(found, *through)
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
        mask = self.corners.get(step.node)
        if mask is not None:
            found = found.unknown(mask)
        return unbroadcast(BALL_NUMPY, found, own[position].shape)  # type: ignore[no-any-return] # a ball

    def contribution(self, step: Step, g: ArrayBall, slope: ArrayBall) -> ArrayBall:
        """An adjoint or a tangent times a local partial; 0 where nothing goes on, but for slopes that are infinite."""
        found: ArrayBall = g * slope
        if self._flags or self.faulty:
            lacking = ~np.isfinite(slope.mid)
            if lacking.any():
                still = (g.mid == 0) & (g.error == 0)
                if (
                    self._needed is None
                ):  # where the result depends on: no branch that is not taken
                    values = [ball.mid for ball in self.primals]
                    self._needed = arrays.needed(self.tape, values)
                needed = self._needed[step.node]
                mask = lacking & (np.False_ if needed is None else needed)
                found = found.zero_where(still).unknown(mask)
            found = _without_underflow(found, g, slope)
        return found

    def slope(
        self, step: Step, position: int, result: ArrayBall, own: Sequence[ArrayBall]
    ) -> ArrayBall | None:
        """A local partial; None for the number 1."""
        operation = step.operation
        rule = operation.partials[position]
        if not callable(rule):
            return None if rule == 1 else ArrayBall.of(np.nan if rule is None else rule)
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
    found = ArrayBall.of(row.value(BALL_NUMPY, *_given(row, own)))
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
    found, x = ArrayBall.of(rule(BALL_NUMPY, g, y, *_given(row, own))), own[0]
    # extremes that tie, and the norm of 0, are corners
    if row is table.NORM and not y.error * UNIT * 2.0**20 < y.mid:
        return found.unknown(np.True_)
    if row in _EXTREMES:
        axis = int(own[1].mid) if len(own) > 1 else None
        top = y.mid if axis is None else np.expand_dims(y.mid, axis)
        near = np.abs(x.mid - top) <= 2 * UNIT * x.error
        tied = near & (near.sum(axis=axis, keepdims=axis is not None) > 1)
        return found.unknown(tied) if tied.any() else found
    return found


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


_EXTREMES = (table.AMAX, table.AMAX_ALONG, table.AMIN, table.AMIN_ALONG)
