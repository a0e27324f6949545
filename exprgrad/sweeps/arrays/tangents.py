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
from exprgrad.operations.array_balls import (
    BALL_NUMPY,
    KINKED,
    ArrayBall,
    function,
    joined,
)
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.table import IF
from exprgrad.sweeps.arrays.bounds import Primals, pulled, valued
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.operations.array_operation import ArrayOperation

Seed = Mapping[str, ArrayBall | None]
"""The tangents of the variables, by name."""

Tangents = Sequence[ArrayBall | None]


def along(tape: Tape, found: Primals, seed: Seed) -> ArrayBall:
    """The tangent of the result, in its shape."""
    return ArrayTangents(tape, found, seed).result()


def one_sided(
    tape: Tape, found: Primals, name: str, moves: Any
) -> tuple[ArrayBall, Any]:
    """The slope of the result to one side of a variable, row by row; and where it hangs on the side."""
    seed = dict.fromkeys(tape.variables) | {name: ArrayBall.of(moves)}
    tangents = ArrayTangents(tape, found, seed, one_sided=True)
    slope = tangents.result().moved(lambda mid: np.broadcast_to(mid, moves.shape))
    return slope, np.broadcast_to(tangents.bent, moves.shape)


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
        # masks of the elements that depend on something that moves, whatever the slope, by node
        self._moving = {
            tape.variables[name]: t.mid != 0
            for name, t in seed.items()
            if t is not None
        }

    def result(self) -> ArrayBall:
        """The tangent of the result."""
        tape = self._tape
        with np.errstate(all="call", call=self._numbers.note):
            found: ArrayBall | None = forward(tape, self, self._seed)[tape.root]
        return ArrayBall(np.zeros(self._balls[tape.root].shape)) if found is None else found  # fmt: skip

    def constant(self, leaf: Any) -> None:
        """A constant stands still."""

    def value(self, step: Step, arguments: Tangents) -> ArrayBall | None:
        """The tangent of a step."""
        if all(t is None for t in arguments):
            return None
        own = [self._balls[j] for j in step.operands]
        result = self._balls[step.node]
        if step.operation.whole or step.operation.mean:  # any of them is enough
            moves: Any = any(self._moves([j]).any() for j in step.operands)
        else:
            moves = self._moves(step.operands)
        self._moving[step.node] = np.broadcast_to(moves, result.shape)
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
        operation, numbers = step.operation, self._numbers
        moves = [ArrayBall.of(0.0) if t is None else t for t in tangents]
        if operation is IF:
            each = function(IF, ArrayBall(own[0].mid), *moves[1:])
            each = each.off(own[0].error)
            if tangents[0] is not None:
                each = each.off(tangents[0].error)
        else:
            parts = []
            for position, t in enumerate(tangents):
                if t is None:
                    continue
                slope = numbers.slope(step, position, result, own)
                part = t if slope is None else numbers.contribution(step, t, slope)
                if slope is not None and not np.isfinite(slope.mid).all():
                    # counts though the tangent is 0, like a corner, which a row need not declare there
                    steep = ~np.isfinite(slope.mid)
                    part = part.unknown(steep & self._moves([step.operands[position]]))
                parts.append(part)
            each = reduce(ArrayBall.__add__, parts)
        mask = numbers.corners.get(step.node)
        if mask is not None and self._one_sided and operation in KINKED:
            # on the side to which its operands move
            there = function(operation, *moves)
            self.bent = joined(self.bent, *(mask & ((t.mid != 0) | (t.error != 0)) for t in moves))  # fmt: skip
            inexact = joined(*(b.error != 0 for b in own))
            each = function(IF, ArrayBall(mask), there, each).unknown(mask & inexact)
        elif mask is not None:
            each = each.unknown(mask & self._moves(step.operands))
        shape = np.broadcast_shapes(*(b.shape for b in own))
        each = each.moved(lambda array: np.broadcast_to(array, shape))
        return BALL_NUMPY.mean(each) if operation.mean else each

    def _moves(self, operands: Sequence[int]) -> Any:
        """Whether anything that moves goes into the elements of these, together."""
        masks = (self._moving[j] for j in operands if j in self._moving)
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

    parts: list[Any]
    if not moves or row.jacobian == "linear":
        return of(still | moves) if moves else ArrayBall(np.zeros(y.shape))
    if row.jacobian == "bilinear":
        parts = [of({i: t}) for i, t in moves.items()]
    elif row.jacobian == "symmetric":
        parts = [pulled(row, i, t, y, own) for i, t in moves.items()]
    else:
        axis = int(own[1].mid) if y.ndim else None
        one, parts = ArrayBall(np.ones(y.shape)), []
        for i, t in moves.items():
            slope: Any = pulled(row, i, one, y, own)
            term = (slope * t).zero_where((t.mid == 0) & (t.error == 0))
            parts.append(BALL_NUMPY.sum(term, axis))
    found: ArrayBall = reduce(ArrayBall.__add__, parts)
    return found
