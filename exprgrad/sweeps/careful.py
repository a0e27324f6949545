"""Sweeps in floats that know which nodes the result depends on, and where a rule does not hold.

    adjoints, edges, blocked = pull_back_carefully(tape, values, active)

These are the sweeps of `graph.sweep`, with number types that record what the fast ones do not: every
contribution of the reverse sweep, and the tangents of a forward sweep. The fast sweep is right unless it meets a
corner, a fault or an overflow, about which `answer` decides, which has digits that are known to be right.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from exprgrad.annotations import NamedTuple
from exprgrad.errors import NotDifferentiableError
from exprgrad.graph.sweep import forward
from exprgrad.operations.number_types import (
    CAREFUL,
    Numbers,
    Step,
    Undefined,
    at_corner,
    local_partial,
)
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.generic import Linear, linearized, reverse
from exprgrad.sweeps.tape import Primals, Tape, pull_back

Gradient = dict[str, float | None]
"""Partial derivatives by name; None where one does not exist."""


class Edge(NamedTuple):
    """One contribution of a reverse sweep: `adjoint` * `partial` added to a node's adjoint."""

    source: int
    target: int
    position: int
    partial: float


def needed(step: Step, values: Primals) -> tuple[int, ...]:
    """The operands that the result of this step depends on: of `if`, the condition and one branch."""
    own = CAREFUL.needed(step, [values[j] for j in step.operands])
    return tuple(step.operands[position] for position in own)


def live(tape: Tape, values: Primals) -> list[bool]:
    """Which nodes the result depends on at these values: no untaken branch."""
    alive = [False] * len(tape.nodes)
    alive[tape.root] = True
    for step in reversed(tape.steps):
        if alive[step.node]:
            for j in needed(step, values):
                alive[j] = True
    return alive


def meets_corner(tape: Tape, values: Primals, active: Sequence[bool]) -> bool:
    """Return whether some active operation stands where its rule does not give the derivative."""
    return any(
        active[index] and at_corner(operation, [values[j] or 0.0 for j in operands])
        for index, operation, operands in tape.corners
        if all(values[j] is not None for j in operands)
    )


class Tangents(Numbers):
    """Tangents, of which a step makes a sum: that of its local partials times its operands' tangents."""

    chooses = False

    def __init__(self, local: Mapping[int, Sequence[float]]) -> None:
        super().__init__()
        self.local = local

    def value(self, step: Step, arguments: Sequence[float]) -> float:
        """The tangent of a step; what stands still takes no part, whatever the partial."""
        total = 0.0
        for own, tangent in zip(self.local[step.node], arguments, strict=True):
            # an infinite slope times the tangent 0 would be nan
            if own and tangent:
                total += own * tangent
        return total


def push_forward(
    tape: Tape, values: Primals, seeds: Sequence[Mapping[str, float]]
) -> list[list[float]]:
    """Forward sweeps of tangents: the derivative of every node along each of the seeds.

    Nodes that the result does not need keep the tangent 0; a tangent is nan where a rule gives no
    finite partial.
    """
    active = tape.active({name for seed in seeds for name in seed})
    known, _ = linearized(tape, CAREFUL, values, active, partial(_by_rules, values))
    steps = [step for step in tape.steps if step.node in known]
    local = {s.node: [known[s.node].get(i, 0.0) for i in range(len(s.operands))] for s in steps}  # fmt: skip
    numbers = Tangents(local)
    found = []
    for seed in seeds:
        tangents = [0.0] * len(values)
        for name, tangent in seed.items():
            tangents[tape.variables[name]] = tangent
        found.append(forward(steps, numbers, tangents))
    return found


def _by_rules(
    values: Primals, step: Step, positions: Sequence[int]
) -> dict[int, float]:
    """The local partials at these positions; infinite or nan where there is none."""
    own, result = [values[j] or 0.0 for j in step.operands], values[step.node] or 0.0
    return {i: local_partial(step.operation, i, result, own) for i in positions}


def pull_back_carefully(
    tape: Tape, values: Primals, active: Sequence[bool], subgradient: bool = False
) -> tuple[list[float], list[Edge], list[Step]]:
    """The reverse sweep along live nodes: adjoints, every contribution, and the steps it cannot cross.

    Those are the steps at a corner of their operation (unless the rule's convention, a subgradient,
    will do), or with a partial that is infinite. What reaches them is not handed on; `corners`
    decides about the variables below.
    """

    def partials(step: Step, positions: Sequence[int]) -> dict[int, float]:
        arguments = [values[j] or 0.0 for j in step.operands]
        if subgradient or not at_corner(step.operation, arguments):
            own = _by_rules(values, step, positions)
            if all(map(math.isfinite, own.values())):
                return own
        raise Undefined(f"a corner of {step.operation.title}")

    local, blocked = linearized(tape, CAREFUL, values, active, partials)
    found = reverse(tape, Linear(CAREFUL, local), values, active)
    edges = [
        Edge(step.node, step.operands[position], position, partial)
        for step in reversed(tape.steps)
        if step.node in local and found[step.node] is not None
        for position, partial in local[step.node].items()
    ]
    uncrossed = [
        step
        for step in reversed(tape.steps)
        # what lies below a blocked step is blocked as well, by that step and not by itself
        if step.node in blocked and blocked[step.node][0] is step
    ]
    return [adjoint or 0.0 for adjoint in found], edges, uncrossed


def below(tape: Tape, values: Primals, blocked: Sequence[Step]) -> dict[str, Step]:
    """The variables that a blocked step depends on, each with the lowest such step."""
    culprit: dict[int, Step] = {}
    blocked_at = {step.node: step for step in blocked}
    for step in reversed(tape.steps):
        # a step further down takes the blame over from one above it
        own = blocked_at.get(step.node) or culprit.get(step.node)
        if own is not None:
            for j in needed(step, values):
                culprit[j] = own
    return {name: culprit[i] for name, i in tape.variables.items() if i in culprit}


def fast_adjoints(
    tape: Tape, values: Primals, active: list[bool]
) -> list[float] | None:
    """The adjoints; None where a rule does not hold."""
    if meets_corner(tape, values, active):
        return None
    try:
        adjoints, _ = pull_back(tape, values, active)
    except ARITHMETIC:
        return None
    # behind the nodes stand the contributions that `Tape.places` keeps apart
    del adjoints[len(values) :]
    return adjoints if math.isfinite(sum(adjoints)) else None


def no_slope(
    wrt: Sequence[str], gradient: Sequence[float | None]
) -> NotDifferentiableError:
    """Return what to say of a point that lacks partial derivatives."""
    missing = ", ".join(n for n, p in zip(wrt, gradient, strict=True) if p is None)
    what = f"the partial derivative with respect to {missing} does not exist here"
    return NotDifferentiableError(what)


def with_tangents(
    tape: Tape, values: Primals, gradient: Gradient, settled: Collection[str]
) -> tuple[Gradient, dict[str, list[float]]]:
    """The gradient by forward mode, a sweep of tangents a variable; but for those that are settled."""
    gradient = dict(gradient)
    swept = push_forward(tape, values, [{name: 1.0} for name in gradient])
    tangents = dict(zip(gradient, swept, strict=True))
    for name in gradient:
        found = tangents[name][tape.root]
        if name not in settled and math.isfinite(found):
            # -0.0 + 0.0 is 0.0, so that nobody reads a negative zero
            gradient[name] = found + 0.0
    return gradient, tangents
