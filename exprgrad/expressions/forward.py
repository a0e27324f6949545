"""Gradients in arrays by forward mode: a sweep for each element of the variables.

    gradient, sweeps = forward_gradient(tape, given, gradient, written, found, 0.5e-10)

Reverse mode takes one sweep for all, so this is to see that both agree, and what it costs.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from exprgrad.annotations import Any
from exprgrad.errors import Hint, UsageError
from exprgrad.expressions.elements import Answered, balls, stands
from exprgrad.operations.array_balls import ArrayBall
from exprgrad.sweeps.arrays.bounds import primals
from exprgrad.sweeps.arrays.elements import work
from exprgrad.sweeps.arrays.tangents import along
from exprgrad.sweeps.arrays.values import Written
from exprgrad.sweeps.coordinates import Coordinates
from exprgrad.sweeps.tape import Tape

MOST_WORK = 100_000_000
"""Elements of nodes, each times its cost, that all sweeps may visit: a few seconds."""

OF_A_STEP = 1000
"""Elements that take as long as what a step costs besides."""


def forward_gradient(
    tape: Tape,
    given: Mapping[str, Coordinates],
    gradient: Mapping[str, Any],
    written: Written,
    found: Answered | None = None,
    enough: float = 0.0,
) -> tuple[dict[str, Any], int]:
    """The partials of a number by forward sweeps, and how many these are.

    `gradient` is that of reverse mode, which `found` bounds: partials that no sweep decides, such as those at
    corners, stay as they are there. Without it the sweeps alone count. Raises `UsageError` where they are too much work.
    """
    leaves = balls(given)
    primal = primals(tape, leaves, written)
    count = sum(np.size(own) for own in gradient.values())
    each = work(tape, primal.values) + OF_A_STEP * len(tape.steps)
    if count * each > MOST_WORK:
        raise UsageError(
            f"forward mode would take {count:,} sweeps, one per element of the variables, which is too much "
            "work here; reverse mode takes one for all",
            hint=Hint("argument", name="mode", value="reverse"),
        )
    sure = primal.refused is None
    partials = {name: np.array(own, float) for name, own in gradient.items()}
    for name, own in partials.items():
        bound = None if found is None else np.array(found.bound(name))
        for place in np.ndindex(own.shape):
            one = np.zeros(own.shape)
            one[place] = 1.0
            tangent = along(tape, primal, dict.fromkeys(leaves) | {name: ArrayBall.of(one)})  # fmt: skip
            if bound is None:
                own[place] = tangent.mid.item()
            elif sure and stands(tangent, enough) and not np.isnan(own[place]):
                own[place] = tangent.mid.item()
                bound[place] = np.max(tangent.radius)
        if found is not None:
            found.set_bound(bound, name)
    return partials, count
