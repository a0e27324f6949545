"""Partial derivatives at a point: the fast sweep, and what is done where it does not hold.

The fast sweep is right unless it meets a corner, a fault or an overflow, which `careful_gradient`
decides from both sides. For digits that are known to be right see `answer`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.errors import NotDifferentiableError, RangeError, Span
from exprgrad.operations.number_types import Step, at_corner, local_partial
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.careful import meets_corner, pull_back_carefully, push_forward
from exprgrad.sweeps.corners import Corner, below
from exprgrad.sweeps.tape import Primals, Tape, pull_back

Gradient = dict[str, float | None]
"""Partial derivatives by name; None where one does not exist."""


class Cancellation(NamedTuple):
    """What the reverse sweep gave for a partial whose contributions cancel, in double precision.

    `lost` counts the leading digits that are gone from the largest contribution.
    """

    partial: float
    lost: int


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
    del adjoints[len(values) :]
    return adjoints if math.isfinite(sum(adjoints)) else None


def careful_gradient(
    tape: Tape,
    values: Primals,
    at: dict[str, float],
    names: Sequence[str],
    subgradient: bool,
) -> tuple[Gradient, tuple[Corner, ...], list[float]]:
    """The partials by these names, why some do not exist, and all adjoints. Raises `RangeError`."""
    active = tape.active(names)
    adjoints, _, blocked = pull_back_carefully(tape, values, active, subgradient)
    culprits = {
        name: step
        for name, step in below(tape, values, blocked).items()
        if name in set(names)
    }
    partials: dict[str, float] = {}
    corners: list[Corner] = []
    if culprits:
        from exprgrad.sweeps.sides import examine

        partials, corners = examine(tape, values, at, culprits)
    for corner in corners:
        if corner.kind == "undetermined":
            _refuse_overflow(corner, culprits[corner.variable], values)
    if not all(map(math.isfinite, adjoints)):
        raise _overflow(names[0])
    gradient = {
        name: partials.get(name)
        if name in culprits
        else adjoints[tape.variables[name]] + 0.0
        for name in names
    }
    return gradient, tuple(corners), adjoints


def _refuse_overflow(corner: Corner, step: Step, values: Primals) -> None:
    """A partial that is infinite where its operation has no corner is one that overflows."""
    arguments = [values[j] or 0.0 for j in step.operands]
    result = values[step.node] or 0.0
    partials = [
        local_partial(step.operation, i, result, arguments)
        for i in range(len(arguments))
    ]
    if not at_corner(step.operation, arguments) and not any(map(math.isnan, partials)):
        raise _overflow(corner.variable, corner.span)


def _overflow(name: str, span: Span | None = None) -> RangeError:
    return RangeError(
        f"the derivative with respect to {name} is too large for double precision", span
    )


def no_slope(
    wrt: Sequence[str], gradient: Sequence[float | None]
) -> NotDifferentiableError:
    """What to say of a point that lacks partial derivatives."""
    missing = [name for name, p in zip(wrt, gradient, strict=True) if p is None]
    return NotDifferentiableError(
        f"the partial derivative with respect to {', '.join(missing)} does not exist here"
    )


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
            gradient[name] = found + 0.0
    return gradient, tangents
