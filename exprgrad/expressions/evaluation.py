"""What evaluating an expression gives, and the steps from a sweep to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from exprgrad.errors import RangeError, Span
from exprgrad.operations.number_types import Step, local_partial
from exprgrad.operations.number_types import at_corner as stands_at_corner
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.careful import at_corner, push_forward
from exprgrad.sweeps.corners import Corner
from exprgrad.sweeps.tape import Primals, Tape, pull_back

if TYPE_CHECKING:
    from exprgrad.expressions.expression import Expression


class Cancellation(NamedTuple):
    """What the reverse sweep gave for a partial whose contributions cancel, in double precision.

    `lost` counts the leading digits that are gone from the largest contribution.
    """

    partial: float
    lost: int


class Evaluation(NamedTuple):
    """An expression's value at a point and its partial derivatives there.

    `gradient` has one entry per differentiated variable: None where the partial does not exist, and
    then `corners` says why. `primals` and `adjoints` belong to the nodes of `expression.tape`. The
    partials in `cancelled` were computed again with 50 digits; `adjoints` are those of the sweep.
    """

    expression: Expression
    at: dict[str, float]
    value: float
    gradient: dict[str, float | None]
    corners: tuple[Corner, ...]
    primals: Primals
    adjoints: list[float]
    subgradient: bool = False
    tangents: Mapping[str, list[float]] = {}
    cancelled: Mapping[str, Cancellation] = {}


def refuse_overflow(
    expression: Expression,
    open_corners: list[Corner],
    culprits: dict[str, Step],
    values: Primals,
) -> None:
    """A partial that is infinite where its operation has no corner is one that overflows."""
    for corner in open_corners:
        step = culprits[corner.variable]
        arguments = [values[j] or 0.0 for j in step.operands]
        result = values[step.node] or 0.0
        partials = [
            local_partial(step.operation, i, result, arguments)
            for i in range(len(arguments))
        ]
        if not stands_at_corner(step.operation, arguments) and not any(
            map(math.isnan, partials)
        ):
            raise overflow(expression, corner.variable, corner.span)


def overflow(expression: Expression, name: str, span: Span | None = None) -> RangeError:
    """What to raise for a partial that overflows."""
    return RangeError(
        f"the derivative by {name} is too large for double precision",
        span,
        source=expression.source,
    )


def with_tangents(result: Evaluation) -> Evaluation:
    """The evaluation by forward mode: a sweep of tangents a variable, and the gradient from them."""
    tape, gradient = result.expression.tape, dict(result.gradient)
    tangents = {}
    for name in gradient:
        tangents[name] = push_forward(tape, result.primals, {name: 1.0})
        settled = name in result.cancelled or any(
            corner.variable == name for corner in result.corners
        )
        found = tangents[name][tape.root]
        if not settled and math.isfinite(found):
            gradient[name] = found + 0.0
    return result._replace(gradient=gradient, tangents=tangents)


def refined(result: Evaluation, cancelled: Mapping[int, float]) -> Evaluation:
    """The evaluation with the partials of these variables computed again; not if that takes long."""
    from exprgrad.sweeps.precise import recomputed

    tape, gradient, before = result.expression.tape, dict(result.gradient), {}
    found = recomputed(tape, result.primals, result.at, cancelled)
    for name, i in tape.variables.items():
        if i in found:
            partial = result.adjoints[i]
            lost = int(min(math.log10(cancelled[i] / abs(partial)), 15))
            before[name] = Cancellation(partial, lost)
            gradient[name] = found[i]
    return result._replace(gradient=gradient, cancelled=before)


def fast_adjoints(
    tape: Tape, values: Primals, active: list[bool]
) -> tuple[list[float], dict[int, float]] | None:
    """`pull_back`; None where it meets a corner, a fault or an overflow."""
    if at_corner(tape, values, active):
        return None
    try:
        swept = pull_back(tape, values, active)
    except ARITHMETIC:
        return None
    return swept if math.isfinite(sum(swept[0])) else None
