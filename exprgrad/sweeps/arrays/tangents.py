"""Tangents of arrays, with bounds on their errors: derivatives along a direction, in one forward sweep.

    found = primals(tape, leaves, written)                  # see `array_bounds`
    along(tape, found, {"x": ball, "y": None})              # the tangent of the result, an `ArrayBall`

What has None for its tangent stands still. An elementwise operation sums its local partials times the tangents
of its operands, in the shape of the result,

    t = sum of d op/d v_j * t_j

and the value and the pulls of an operation on whole arrays are enough for J t, by the kind of its Jacobian J:

    linear, y = L(x):             J t = L(t)                      sums, means, elements in other places
    bilinear, z = x @ y:          J t = t @ y + x @ t'            products
    symmetric, J = J^T:           J t = pull(t)                   softmax
    one result of each element:   J t = sum(pull(1) * t)          extremes, norm, logsumexp, cross_entropy

An element at a corner has no bound if anything that moves goes into it: about these, germs decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.operations.array_balls import KINKED, ArrayBall, as_ball, function, joined
from exprgrad.operations.ball_numpy import BALL_NUMPY
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import IF
from exprgrad.sweeps.arrays.bounds import BallArrays, Primals, pulled, valued
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.operations.array_operation import ArrayOperation

Seed = Mapping[str, ArrayBall | None]
"""The tangents of the variables, by name."""

Tangents = Sequence[ArrayBall | None]


def along(tape: Tape, found: Primals, seed: Seed) -> ArrayBall:
    """The tangent of the result, in its shape."""
    numbers: BallArrays = found.numbers
    numbers.primals = found.balls
    with np.errstate(all="call", call=numbers.note):
        tangent = forward(tape, ArrayTangents(tape, found, seed), seed)[tape.root]
    shape = found.balls[tape.root].shape
    return ArrayBall(np.zeros(shape)) if tangent is None else tangent


def one_sided(
    tape: Tape, found: Primals, name: str, moves: Any
) -> tuple[ArrayBall, Any]:
    """The slope of the result to one side of a variable, row by row; and where it hangs on the side."""
    numbers = found.numbers
    numbers.primals = found.balls
    seed = dict.fromkeys(tape.variables) | {name: ArrayBall.of(moves)}
    tangents = ArrayTangents(tape, found, seed, one_sided=True)
    with np.errstate(all="call", call=numbers.note):
        slope = forward(tape, tangents, seed)[tape.root]
    shape = moves.shape
    slope = ArrayBall(np.zeros(shape)) if slope is None else slope
    bent = np.broadcast_to(tangents.bent, shape)
    return slope.moved(lambda mid: np.broadcast_to(mid, shape)), bent


class ArrayTangents(Numbers):
    """Tangents as a number type: balls, and None for what does not move.

    Those to one side go on at a kink, and `bent` says where.
    """

    chooses = False  # but element by element

    def __init__(
        self, tape: Tape, found: Primals, seed: Seed, one_sided: bool = False
    ) -> None:
        super().__init__(lambda operation: operation.kernel)
        self._tape, self._seed, self._one_sided = tape, seed, one_sided
        self.bent: Any = np.zeros((), bool)
        self._numbers, self._balls = found.numbers, found.balls
        self._moving: list[Any] | None = None

    def constant(self, leaf: Any) -> None:
        """A constant stands still."""

    def value(self, step: Step, arguments: Tangents) -> ArrayBall | None:
        """The tangent of a step."""
        if all(t is None for t in arguments):
            return None
        own = [self._balls[j] for j in step.operands]
        result = self._balls[step.node]
        if step.operation.whole is not None:
            found = pushed(step.operation.whole, arguments, result, own)
        else:
            found = self._elementwise(step, arguments, result, own)
        found.mid = np.asarray(found.mid)  # of a number, too
        return found

    def _elementwise(
        self,
        step: Step,
        tangents: Tangents,
        result: ArrayBall,
        own: Sequence[ArrayBall],
    ) -> ArrayBall:
        """The tangent of an elementwise operation, or of the mean over one."""
        operation = step.operation
        shape = np.broadcast_shapes(*(b.shape for b in own))
        if operation is IF:
            taken = [as_ball(0.0) if t is None else t for t in tangents[1:]]
            mid = np.where(own[0].mid != 0, *(t.mid for t in taken))
            error = np.where(own[0].mid != 0, *(t.error for t in taken))
            each = ArrayBall(mid, 0.0, error + own[0].error)
            if tangents[0] is not None:
                each = each.off(tangents[0].error)
        else:
            parts = [
                self._contribution(step, position, t, result, own)
                for position, t in enumerate(tangents)
                if t is not None
            ]
            each = reduce(ArrayBall.__add__, parts)
        mask = self._numbers.corner(step)
        if mask is not None and self._one_sided and operation in KINKED:
            each = self._beside(operation, mask, each, tangents, own)
        elif mask is not None:
            each = each.unknown(mask & self._moves(step.operands))
        each = each.moved(lambda array: np.broadcast_to(array, shape))
        return BALL_NUMPY.mean(each) if operation.mean else each

    def _beside(
        self,
        operation: Operation,
        mask: Any,
        each: ArrayBall,
        tangents: Tangents,
        own: Sequence[ArrayBall],
    ) -> ArrayBall:
        """The tangent of what has a kink, on the side to which its operands move."""
        moves = [as_ball(0.0) if t is None else t for t in tangents]
        there = function(operation, *moves)
        self.bent = joined(self.bent, *(mask & ((t.mid != 0) | (t.error != 0)) for t in moves))  # fmt: skip
        mid = np.where(mask, there.mid, each.mid)
        error = np.where(mask, there.error, each.error)
        inexact = joined(*(b.error != 0 for b in own))
        return ArrayBall(mid, 0.0, error).unknown(mask & inexact)

    def _contribution(
        self,
        step: Step,
        position: int,
        t: ArrayBall,
        result: ArrayBall,
        own: Sequence[ArrayBall],
    ) -> ArrayBall:
        """A local partial times a tangent."""
        slope = self._numbers.slope(step, position, result, own)
        if slope is None:
            return t
        found = self._numbers.contribution(step, t, slope)
        if np.isfinite(slope.mid).all():
            return found
        # counts though the tangent is 0, like a corner, which a row need not declare there
        steep = ~np.isfinite(slope.mid) & self._moves([step.operands[position]])
        return found.unknown(steep)

    def _moves(self, operands: Sequence[int]) -> Any:
        """Whether anything that moves goes into the elements of these, together."""
        if self._moving is None:
            given = {
                name: None if t is None else t.mid != 0
                for name, t in self._seed.items()
            }
            shapes = [ball.shape for ball in self._balls]
            self._moving = forward(self._tape, _Moving(shapes), given)
        masks = [self._moving[j] for j in operands if self._moving[j] is not None]
        return joined(np.zeros((), bool), *masks)


def pushed(
    row: ArrayOperation, tangents: Tangents, y: ArrayBall, own: Sequence[ArrayBall]
) -> ArrayBall:
    """The tangent of the result of an operation on whole arrays."""
    active = [i for i in range(len(own)) if row.pull(i) is not None]
    moves = {i: t for i, t in enumerate(tangents) if t is not None and i in active}
    still = {i: ArrayBall(np.zeros(own[i].shape)) for i in active}

    def of(given: Mapping[int, ArrayBall]) -> ArrayBall:
        """The operation on these arguments, and its own for the others."""
        return valued(row, [given.get(i, ball) for i, ball in enumerate(own)])

    if not moves or row.jacobian == "linear":
        return of(still | moves) if moves else ArrayBall(np.zeros(y.shape))
    if row.jacobian == "bilinear":
        parts = [of({i: t}) for i, t in moves.items()]
    elif row.jacobian == "symmetric":
        parts = [_gradient(row, i, t, y, own) for i, t in moves.items()]
    else:
        axis = int(own[1].mid) if y.ndim else None
        one = ArrayBall(np.ones(y.shape))
        terms = [_standing(_gradient(row, i, one, y, own) * t, t) for i, t in moves.items()]  # fmt: skip
        parts = [BALL_NUMPY.sum(term, axis) for term in terms]
    return reduce(ArrayBall.__add__, parts)


def _gradient(
    row: ArrayOperation, i: int, g: ArrayBall, y: ArrayBall, own: Sequence[ArrayBall]
) -> ArrayBall:
    found = pulled(row, i, g, y, own)
    assert found is not None
    return found


def _standing(found: ArrayBall, t: ArrayBall) -> ArrayBall:
    """The same, 0 where the tangent is."""
    if found.has_ratio:
        return found
    still = (t.mid == 0) & (t.error == 0)
    found.absolute = np.where(still, 0.0, found.absolute)
    return found


class _Moving(Numbers):
    """Masks of the elements that depend on something that moves, whatever the slope; None where none does."""

    chooses = False

    def __init__(self, shapes: Sequence[tuple[int, ...]]) -> None:
        super().__init__(lambda operation: operation.kernel)
        self._shapes = shapes

    def constant(self, leaf: Any) -> None:
        """A constant stands still."""

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """The union of the masks of operands; of an operation on whole arrays, any of them is enough."""
        masks = [mask for mask in arguments if mask is not None]
        shape = self._shapes[step.node]
        if not masks:
            return None
        if step.operation.whole or step.operation.mean:
            return np.full(shape, any(mask.any() for mask in masks))
        return np.broadcast_to(joined(*masks), shape)
