"""The two sweeps over a tape in numbers of any type: see `graph.sweep`.

    values = forward(tape, BALLS, at)
    adjoints = reverse(tape, BALLS, values, tape.active(tape.variables))

A new use is a new number type, never a new sweep. `Numbers` says what a number type may decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.graph import sweep
from exprgrad.operations.number_types import FAULTS, Numbers, Step, Undefined, fault_of
from exprgrad.sweeps.tape import Tape


def forward(
    tape: Tape,
    numbers: Numbers,
    at: Mapping[str, Any],
    alive: Sequence[bool] | None = None,
) -> list[Any]:
    """The value of every node, of those that are `alive` alone; faults stand in their places.

    Is there a value? `isinstance(values[tape.root], Exception)` says no, and which fault it is.
    """
    steps = [s for s in tape.steps if alive[s.node]] if alive else tape.steps
    return sweep.forward(steps, numbers, leaves(tape, numbers, at))  # type: ignore[no-any-return] # the list


def leaves(tape: Tape, numbers: Numbers, at: Mapping[str, Any]) -> list[Any]:
    """Return a list of values with those of the leaves filled in; a fault stands for a number that there is not."""
    values: list[Any] = [None] * len(tape.nodes)
    for name, i in tape.variables.items():
        values[i] = numbers.number(at[name])
        values[i] = fault_of(values[i]) or values[i]
    for i, _ in tape.constants:
        values[i] = numbers.constant(tape.nodes[i])
    return values


def reverse(
    tape: Tape,
    numbers: Numbers,
    values: Sequence[Any],
    active: Sequence[bool],
    seed: Any = None,
) -> list[Any]:
    """The adjoint of every active node that the result depends on, from the seed (1); else None."""
    adjoints: list[Any] = [None] * len(tape.nodes)
    adjoints[tape.root] = numbers.number(1.0) if seed is None else seed
    return sweep.reverse(tape.steps, numbers, values, adjoints, active)  # type: ignore[no-any-return] # the list


Partials = dict[int, Any]
"""The local partials of a step, by the positions of its operands."""

Blocked = dict[int, tuple[Step, Exception]]
"""By node, the step that stands between it and the result, and why its rule does not hold."""


def linearized(
    tape: Tape,
    numbers: Numbers,
    values: Sequence[Any],
    active: Sequence[bool],
    partials: Callable[[Step, Sequence[int]], Partials],
) -> tuple[dict[int, Partials], Blocked]:
    """Return the local partials of all steps between active nodes and the result, and what blocks nodes.

    `partials` gives those of a step at some positions, and raises one of `FAULTS` where its rule does not hold.
    """
    alive, local, blocked = [False] * len(values), dict[int, Partials](), Blocked()
    alive[tape.root] = True
    for step in reversed(tape.steps):
        if not (alive[step.node] and active[step.node]):
            continue
        needed = numbers.needed(step, [values[j] for j in step.operands])
        wanted = [i for i in needed if active[step.operands[i]]]
        try:
            local[step.node] = partials(step, wanted)
        except FAULTS as fault:
            _block(blocked, step.node, (step, fault))
        for j in [step.operands[i] for i in wanted]:
            alive[j] = True
            if step.node in blocked:
                # what a blocked step would hand on to its operands is unknown, too
                _block(blocked, j, blocked[step.node])
    return local, blocked


def _block(blocked: Blocked, j: int, by: tuple[Step, Exception]) -> None:
    """Note who stands between a node and the result; a corner that is certain rather than one that may be."""
    certain = isinstance(by[1], Undefined)
    if certain or not isinstance(blocked.get(j, by)[1], Undefined):
        blocked[j] = by


class Linear(Numbers):
    """Numbers whose local partials have been taken; a step that has none hands nothing on."""

    def __init__(self, numbers: Numbers, local: Mapping[int, Partials]) -> None:
        super().__init__(numbers.function)
        self.needed = numbers.needed  # type: ignore[method-assign] # its own
        self.local = local

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """Return what a step's adjoint contributes to that of its operand."""
        partials = self.local.get(step.node)
        if partials is None:
            return None
        partial = partials[position]
        # the class comes first: whether a ball is equal to 1 may be undecided
        return adjoint if partial.__class__ is int and partial == 1 else adjoint * partial  # fmt: skip
