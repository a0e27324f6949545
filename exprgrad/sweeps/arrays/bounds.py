"""Tapes in arrays with bounds: the sweeps of `values`, and beside them how far every element may be off.

    found = swept(tape, leaves, names, written)
    found.value                              # an `ArrayBall`; so is found.gradient["x"]
    found.refused                            # why there is none, by this sweep

Elements at a corner, or where a condition may turn, have no bound: about these, germs and more digits decide.

Tapes in arrays: the value, and the gradient in the shape of each variable.

The forward sweep lets elements without a value pass as nan. If one is left that the result needs, a
sweep back over masks finds the first: a branch that `if` does not take needs none.

Tangents of arrays, with bounds on their errors: derivatives along a direction, in one forward sweep.

    found = primals(tape, leaves, written)                  # the forward sweep, as above
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

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.graph.value import Value, is_array
from exprgrad.operations import table
from exprgrad.operations.array_balls import (
    BALL_NUMPY,
    KINKED,
    UNIT,
    ArrayBall,
    bounded,
    function,
    joined,
    may_be_at_corner,
    slope_ball,
)
from exprgrad.operations.array_kernels import mean, unbroadcast
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.on_arrays import Arrays, elementwise, fault, flagged
from exprgrad.operations.table import IF, ITEM
from exprgrad.sweeps.coordinates import constant_error
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.operations.array_operation import ArrayOperation

Written = Callable[[Value], str]
"""Gives the text that a node has in the source."""


def evaluate(
    tape: Tape, point: Mapping[str, Any], names: Sequence[str], written: Written
) -> tuple[Any, dict[str, Any] | None]:
    """The value, and the gradient if the value is one number, at a point of numbers and arrays.

    Raises `DomainError` and `ShapeError`, with the place.
    """
    numbers = Placed(tape, written)
    values = forward(tape, numbers, point)
    if not all(np.isfinite(values[step.node]).all() for step in tape.steps):
        refuse(tape, values, written)
    value = plain(values[tape.root])
    # an array has a Jacobian, and no gradient
    if values[tape.root].size != 1:
        return value, None
    found = adjoints(tape, numbers, values, names)
    return value, {name: plain(own) for name, own in found.items()}


def adjoints(
    tape: Tape, numbers: Placed, values: Sequence[Any], names: Sequence[str]
) -> dict[str, Any]:
    """The reverse sweep: the adjoints of these variables, from 1 for every element of the result."""
    seed = numbers.number(np.ones(values[tape.root].shape))
    swept = reverse(tape, numbers, values, tape.active(names), seed)
    found = {}
    for name in names:
        i = tape.variables[name]
        own = np.zeros(values[i].shape) if swept[i] is None else swept[i]
        found[name] = numbers.number(own)
    return found


def plain(array: Any) -> Any:
    """An array without axes as a float."""
    return array + 0.0 if np.ndim(array) else float(array) + 0.0


class Placed(Arrays):
    """Arrays whose errors have a place in the source."""

    def __init__(self, tape: Tape, written: Written) -> None:
        super().__init__()
        self.tape, self.written = tape, written

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """The result, or an error with its place."""
        try:
            return super().value(step, arguments)
        except ExprgradError as error:
            if step.operation is ITEM and not arguments[0].ndim:
                nodes = [self.tape.nodes[j] for j in step.operands]
                base, *indexes = map(self.written, nodes)
                error.message = f"{base} is a number here and has no elements"
                error.args = (error.message,)
                brackets = self.written(self.tape.nodes[step.node]).endswith("]")
                if brackets and len(indexes) == 1 and nodes[0].operation is None:
                    index = indexes[0] if indexes[0].isdigit() else f"({indexes[0]})"
                    error.hint = f"write {base}*{index} for the product"
            error.span = self.tape.nodes[step.node].span
            raise

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """The adjoint that goes to an operand, or an error with its place."""
        try:
            return super().pull(step, position, adjoint, result, own)
        except ExprgradError as error:
            error.span = self.tape.nodes[step.node].span
            raise


def refuse(tape: Tape, values: list[Any], written: Written) -> None:
    """Raise the error of the first node that lacks a value where the result needs it."""
    masks = needed(tape, values)
    for step in tape.steps:
        mask = masks[step.node]
        if mask is None or not (~np.isfinite(values[step.node]) & mask).any():
            continue
        arguments = [values[j] for j in step.operands]
        # of a mean every element is needed, and its mask has the shape of the result
        counts = True if step.operation.mean else mask
        places = [written(tape.nodes[j]) for j in step.operands]
        error = fault(step.operation, arguments, counts, places)
        error.span = tape.nodes[step.node].span
        raise error


def needed(tape: Tape, values: list[Any]) -> list[Any]:
    """Masks of the elements of each node that the result depends on: not those in a branch that is not taken."""
    everything = [True] * len(tape.nodes)
    seed = np.ones(values[tape.root].shape, bool)
    return reverse(tape, _Masks(), values, everything, seed)


class _Masks(Numbers):
    """Which elements the result depends on, as adjoints: the sum of two masks is their union."""

    chooses = False

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        shape, choose = own[position].shape, step.operation.choose
        if step.operation.whole or step.operation.mean:
            # every element of the operand may go into every element of the result
            return np.full(shape, bool(adjoint.any()))
        if choose is not None and position:
            # `choose` decides about one condition, as a rule for floats does
            chosen = np.vectorize(lambda c: choose(c) == position, otypes=[bool])
            adjoint = adjoint & chosen(own[0])
        return unbroadcast(np, adjoint.astype(float), shape) > 0


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
    tape: Tape, leaves: Mapping[str, ArrayBall], written: Written, by_rows: bool = False
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
            refuse(tape, found.values, written)
        except ExprgradError as error:
            return found._replace(refused=error.with_traceback(None))
    return found


def swept(
    tape: Tape, leaves: Mapping[str, ArrayBall], names: Sequence[str], written: Written
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
    """The same with bounds."""
    with np.errstate(all="call", call=found.numbers.note):
        return adjoints(tape, found.numbers, found.balls, names)


class BallArrays(Placed):
    """Arrays with bounds on their errors as a number type; by rows, each element stands alone.

    `primals` are the balls of the forward sweep, once there are all, and `corners` the masks of elements that may
    stand at one, by node.
    """

    compute = staticmethod(flagged)

    def __init__(self, tape: Tape, written: Written, by_rows: bool = False) -> None:
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
        """Numbers as a ball; a ball as it is."""
        return ArrayBall.of(number)

    def constant(self, leaf: Any) -> ArrayBall:
        """A constant: of a decimal that is no double, with its error."""
        data = leaf.data
        if is_array(data):
            return ArrayBall.of(data)
        return ArrayBall.of(np.float64(data or 0.0), constant_error(leaf))

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
            found.mid = np.asarray(found.mid)
            mask = None if operation.whole else may_be_at_corner(operation, own)
            if mask is not None:
                self.corners[step.node] = mask
                if operation.domain and not all(b.is_exact for b in own):
                    inexact = joined(*(b.error != 0 for b in own))
                    found = found.unknown(mask & inexact)  # it may have no value
            if operation.mean and not self.by_rows:
                found = mean(BALL_NUMPY, found)
        except (ValueError, IndexError, TypeError, MemoryError):
            mid = super().value(step, [b.mid for b in own])  # says what is wrong
            return ArrayBall(mid).unknown(np.True_)
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
                if self._needed is None:  # no branch that is not taken
                    values = [ball.mid for ball in self.primals]
                    self._needed = needed(self.tape, values)
                counts = self._needed[step.node]
                mask = lacking & (np.False_ if counts is None else counts)
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
    """Return what goes back to an argument of an operation on whole arrays; None for an axis, a length or an index."""
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
    """The ball with an error where it may have lost digits to underflow; where an operand of `through` is 0, so is it."""
    smallest = np.finfo(found.mid.dtype).tiny / UNIT  # in units of 2^-53
    lost = np.abs(found.mid) < smallest
    for ball in through:
        lost = lost & ((ball.mid != 0) | (ball.error != 0))
    return found.off(np.where(lost, smallest, 0.0)) if lost.any() else found


_EXTREMES = (table.AMAX, table.AMAX_ALONG, table.AMIN, table.AMIN_ALONG)


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
        super().__init__()
        self._tape, self._seed, self._one_sided = tape, seed, one_sided
        self.bent: Any = np.zeros((), bool)
        self._numbers, self._balls = found.numbers, found.balls
        # masks of the elements that depend on something that moves, whatever the slope, by node
        moving = {name: t for name, t in seed.items() if t is not None}
        self._moving = {tape.variables[n]: t.mid != 0 for n, t in moving.items()}

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
        return mean(BALL_NUMPY, each) if operation.mean else each

    def _moves(self, operands: Sequence[int]) -> Any:
        """Return whether anything that moves goes into the elements of these, together."""
        masks = (self._moving[j] for j in operands if j in self._moving)
        return joined(np.zeros((), bool), *masks)


def pushed(
    row: ArrayOperation, tangents: Tangents, y: ArrayBall, own: Sequence[ArrayBall]
) -> ArrayBall:
    """The tangent of the result of an operation on whole arrays."""
    # an argument without a pull is an axis, a length or an index, which does not move
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
