"""Tangents of arrays, with bounds on their errors: derivatives along a direction, in one forward sweep.

    found = primals(tape, leaves, written)                  # see `array_bounds`
    along(tape, found, {"x": estimate, "y": None})          # the tangent of the result, an `Estimate`

What has None for its tangent stands still. An elementwise operation sums its local partials times the tangents
of its operands, in the shape of the result,

    t = sum of d op/d v_j * t_j

and what an operation on whole arrays does to tangents its rule in `array_errors` says. An element at a corner
is bad if anything that moves goes into it: about these, germs decide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.operations import array_errors
from exprgrad.operations.estimates import Estimate, joined, nothing, total
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.array_bounds import Estimates, Primals
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.operations.operation import Whole

Seed = Mapping[str, Estimate | None]
"""The tangents of the variables, by name."""


def along(tape: Tape, found: Primals, seed: Seed) -> Estimate:
    """The tangent of the result, in its shape."""
    numbers: Estimates = found.numbers
    with np.errstate(all="call", call=numbers.note):
        tangent = forward(tape, Tangents(tape, found, seed), seed)[tape.root]
    value = found.estimates[tape.root].array
    return nothing(value.shape) if tangent is None else tangent


class Tangents(Numbers):
    """Tangents as a number type: estimates, and None for what does not move."""

    chooses = False  # but element by element

    def __init__(self, tape: Tape, found: Primals, seed: Seed) -> None:
        super().__init__(lambda operation: operation.kernel)
        self._tape, self._seed = tape, seed
        self._numbers, self._estimates = found.numbers, found.estimates
        self._moving: list[Any] | None = None

    def constant(self, leaf: Any) -> None:
        """A constant stands still."""

    def value(
        self, step: Step, arguments: Sequence[Estimate | None]
    ) -> Estimate | None:
        """The tangent of a step."""
        if all(t is None for t in arguments):
            return None
        own = [self._estimates[j] for j in step.operands]
        result = self._estimates[step.node]
        if step.operation.whole is not None:
            found = self._pushed(step.operation.whole, arguments, result, own)
        else:
            found = self._elementwise(step, arguments, result, own)
        found.array = np.asarray(found.array)  # of a number, too
        return found

    def _elementwise(
        self,
        step: Step,
        tangents: Sequence[Estimate | None],
        result: Estimate,
        own: Sequence[Estimate],
    ) -> Estimate:
        """The tangent of an elementwise operation, or of the mean over one."""
        operation = step.operation
        if operation.choose is not None and operation.arity == 3:
            each = _chosen(operation, tangents, own)
        else:
            each = self._summed(step, tangents, result, own)
        mask = self._numbers.corner(step)
        if mask is not None:
            each = _marked(each, mask & self._moves(step.operands))
        if operation.mean:
            return array_errors.MEAN.value(np.asarray(np.mean(each.array)), [each])
        return _widened(each, result.array.shape)

    def _pushed(
        self,
        row: Whole,
        tangents: Sequence[Estimate | None],
        result: Estimate,
        own: Sequence[Estimate],
    ) -> Estimate:
        """The tangent of an operation on whole arrays."""
        moves = [t is not None and row.pull(i) for i, t in enumerate(tangents)]
        if not any(moves):
            return nothing(result.array.shape)
        rule = getattr(array_errors, row.errors)
        return rule.push(row, tangents, result, own)  # type: ignore[no-any-return] # an estimate

    def _summed(
        self,
        step: Step,
        tangents: Sequence[Estimate | None],
        result: Estimate,
        own: Sequence[Estimate],
    ) -> Estimate:
        """The sum of local partials times tangents, in the shape of all operands together."""
        sums: Estimate | None = None
        for position, t in enumerate(tangents):
            if t is not None:
                part = self._contribution(step, position, t, result, own)
                sums = part if sums is None else total(sums.array + part.array, sums, part)  # fmt: skip
        assert sums is not None
        return _widened(sums, np.broadcast_shapes(*(e.array.shape for e in own)))

    def _contribution(
        self,
        step: Step,
        position: int,
        t: Estimate,
        result: Estimate,
        own: Sequence[Estimate],
    ) -> Estimate:
        """A local partial times a tangent."""
        if step.operation.partials[position] == 0:
            still = nothing(t.array.shape)
            still.bad = t.bad
            return still
        slope = self._numbers.slope(step, position, result, own)
        if slope is None:
            return t
        found = self._numbers.contribution(t, slope)
        if slope.most < math.inf and not slope.holes:
            return found
        # counts though the tangent is 0, like a corner, which a row need not declare there
        steep = ~np.isfinite(slope.array) & self._moves([step.operands[position]])
        return _marked(found, steep)

    def _moves(self, operands: Sequence[int]) -> Any:
        """Whether anything that moves goes into the elements of these, together."""
        if self._moving is None:
            given = {
                name: None if t is None else t.array != 0
                for name, t in self._seed.items()
            }
            shapes = [np.shape(e.array) for e in self._estimates]
            self._moving = forward(self._tape, _Moving(shapes), given)
        return joined(np.zeros((), bool), *(self._moving[j] for j in operands))


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


def _chosen(
    operation: Operation,
    tangents: Sequence[Estimate | None],
    own: Sequence[Estimate],
) -> Estimate:
    """The tangent of what the condition chooses, element by element; the other may have none."""
    choose = operation.choose
    assert choose is not None
    shape = np.broadcast_shapes(*(e.array.shape for e in own))
    condition, holds = own[0], own[0].array != 0
    taken, other = (
        tangents[choose(truth) or 0] or nothing(shape) for truth in (1.0, 0.0)
    )
    array = np.where(holds, taken.array, other.array)
    bad = np.where(holds, _bad(taken), _bad(other))
    first = tangents[0]
    tied = None if first is None else first.bad
    bad = np.broadcast_to(joined(bad, tied, _bad(condition)), shape)
    found = Estimate(
        np.broadcast_to(array, shape),
        max(taken.relative, other.relative),
        max(taken.absolute, other.absolute),
        bad if bad.any() else None,
    )
    return found.told(lambda: np.where(holds, taken.radius, other.radius))


def _bad(estimate: Estimate) -> Any:
    return np.zeros((), bool) if estimate.bad is None else estimate.bad


def _marked(found: Estimate, mask: Any) -> Estimate:
    """The same, about which nothing is known where a mask holds."""
    if not mask.any():
        return found
    bad = np.broadcast_to(mask, found.array.shape)
    marked = found.moved(found.array, joined(found.bad, bad))
    return marked.told(lambda: found.radius)


def _widened(found: Estimate, shape: tuple[int, ...]) -> Estimate:
    """The same, repeated to a shape."""
    if found.array.shape == shape:
        return found
    bad = None if found.bad is None else np.broadcast_to(found.bad, shape)
    wide = found.moved(np.broadcast_to(found.array, shape), bad)
    return wide.told(lambda: found.radius)
