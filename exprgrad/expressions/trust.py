"""The trust that the numbers of an evaluation deserve, and where digits are lost.

    found = trusted(f.evaluate({"x": 1e-8}))        # of (1 - cos(x))/x^2
    found.conditions["x"]                           # -1.7e-17: a relative change of x does next to nothing
    found.loss                                      # the subtraction costs all 16 digits of doubles

The condition number x*f'/f of a variable says how many times a relative change of it comes back in the
value (in economics, its elasticity). That of a step says the same of the step's operands: digits are lost
in the step where it is large (Higham, *Accuracy and Stability of Numerical Algorithms*, chapter 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import Span
from exprgrad.expressions.expression import Evaluation
from exprgrad.sweeps.bounds import Known

DOUBLE_DIGITS = 16
"""The digits that a double starts with, about."""

LEAST_BITS = 200
"""Bits of the sweep that looks for losses, at least."""


class Loss(NamedTuple):
    """The operation that costs the most digits: what it is, its place, and how many.

    All digits of a double are `DOUBLE_DIGITS`.
    """

    operation: str
    span: Span | None
    digits: int


class Trusted(NamedTuple):
    """An evaluation with the condition number of each variable, by name, and where digits are lost.

    A condition number is None where the value is 0, or there is no partial.
    """

    evaluation: Evaluation
    conditions: Mapping[str, float | None]
    loss: Loss | None


def trusted(evaluation: Evaluation) -> Trusted:
    """Return how far the numbers of an evaluation with bounds can be trusted."""
    value = evaluation.known()
    conditions = {
        name: _elasticity(evaluation.at[name], value, evaluation.known(name))
        for name in evaluation.gradient
    }
    return Trusted(evaluation, conditions, _loss(evaluation))


def _elasticity(x: float, value: Known, partial: Known) -> float | None:
    """x*f'/f, also where f and f' are beyond the range of doubles."""
    if value.value == 0 or not partial.is_number:
        return None
    f: Any = value.value if value.value is not None else value.middle
    slope: Any = partial.value if partial.value is not None else partial.middle
    found = float(slope * x / f)
    return found if math.isfinite(found) else None


def _loss(evaluation: Evaluation) -> Loss | None:
    """The operation that costs the most digits, if any costs one."""
    from exprgrad.numbers.arb import precise
    from exprgrad.sweeps.balls.sweep import costs

    expression = evaluation.expression
    at = expression.coordinates(evaluation.exact)
    with precise(max(LEAST_BITS, evaluation.level)) as numbers:
        found = costs(expression.tape, numbers, at)
    # nan is what an infinite cost has in a part that the result does not take: it is left out, too
    costly = [pair for pair in found if pair[1] >= 10]
    if not costly:
        return None
    step, cost = max(costly, key=lambda pair: pair[1])
    # What doubles give for an exact 0 may have no right digit.
    lost = DOUBLE_DIGITS if cost == math.inf else round(math.log10(cost))
    span = expression.tape.nodes[step.node].span
    return Loss(step.operation.title, span, min(DOUBLE_DIGITS, lost))
