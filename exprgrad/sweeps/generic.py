"""The two sweeps over a tape in numbers of any type: see `graph.sweep`.

    values = forward(tape, BALLS, at)
    adjoints = reverse(tape, BALLS, values, tape.active(tape.variables))

A new use is a new number type, never a new sweep. `Numbers` says what a number type may decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.graph import sweep
from exprgrad.operations.number_types import Numbers
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
    values: list[Any] = [None] * len(tape.nodes)
    for name, i in tape.variables.items():
        values[i] = numbers.number(at[name])
    for i, _ in tape.constants:
        values[i] = numbers.constant(tape.nodes[i])
    steps = [s for s in tape.steps if alive[s.node]] if alive else tape.steps
    return sweep.forward(steps, numbers, values)  # type: ignore[no-any-return] # the list


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
