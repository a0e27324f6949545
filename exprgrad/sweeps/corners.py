"""Derivatives at corners, kinks and edges, decided from both sides.

Where a rule gives no derivative (|x| at 0, sqrt at 0, a step), the expression as a whole may still
have one: x*|x| and sqrt(x^4) do at 0. So germs are swept forward on each side. The slopes are the
coefficients of h; the derivative exists if they agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from exprgrad.errors import Span
from exprgrad.operations.number_types import Step
from exprgrad.sweeps.careful import needed
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.germs import GERMS, Germ, NoSide
from exprgrad.sweeps.tape import Primals, Tape

MOST_WORK = 400_000
"""Node visits that the examination of all variables may take."""


class Side(NamedTuple):
    """One side of a point: the slope (inf where vertical), or None and why."""

    slope: float | None
    why: str = ""


class Corner(NamedTuple):
    """Why a partial derivative does not exist: what the expression does on both sides.

    `kind` is `corner`, `vertical` (infinite slope), `jump`, `edge` (one side is undefined),
    `isolated` (both are) or `undetermined`. `operation`, `arguments` and `span` tell the part of the expression that is to blame.
    """

    variable: str
    kind: str
    left: float | None
    right: float | None
    operation: str
    arguments: tuple[float, ...]
    span: Span | None


def below(tape: Tape, values: Primals, blocked: Sequence[Step]) -> dict[str, Step]:
    """The variables that a blocked step depends on, each with the lowest such step."""
    culprit: dict[int, Step] = {}
    blocked_at = {step.node: step for step in blocked}
    for step in reversed(tape.steps):
        own = blocked_at.get(step.node) or culprit.get(step.node)
        if own is not None:
            for j in needed(step, values):
                culprit[j] = own
    return {name: culprit[i] for name, i in tape.variables.items() if i in culprit}


def examine(
    tape: Tape, values: Primals, at: dict[str, float], culprits: dict[str, Step]
) -> tuple[dict[str, float], list[Corner]]:
    """The partial derivatives that exist after all, and a `Corner` for every other variable."""
    partials: dict[str, float] = {}
    found: list[Corner] = []
    for name, step in culprits.items():
        affordable = len(culprits) * len(tape.steps) <= MOST_WORK
        slope, corner = along(tape, values, at, {name: 1.0}, step, affordable)
        if slope is not None:
            partials[name] = slope
        if corner is not None:
            found.append(corner)
    return partials, found


def along(
    tape: Tape,
    values: Primals,
    at: dict[str, float],
    seed: Mapping[str, float],
    culprit: Step,
    affordable: bool = True,
) -> tuple[float | None, Corner | None]:
    """The derivative along a direction if it exists, and what is to be said of it if not."""
    left = right = Side(None, "undetermined")
    if affordable:
        left, right = (_side(tape, at, seed, sign, values) for sign in (-1.0, 1.0))
    kind, slope = _decide(left, right)
    if not kind:
        return slope, None
    arguments = tuple(values[j] or 0.0 for j in culprit.operands)
    called = culprit.operation.title
    span = tape.nodes[culprit.node].span
    return slope, Corner(
        ", ".join(seed), kind, left.slope, right.slope, called, arguments, span
    )


def _decide(left: Side, right: Side) -> tuple[str, float | None]:
    """What kind of corner it is, if any, and the derivative, if it exists (at an edge: one-sided)."""
    whys = {left.why, right.why}
    for why in ("undetermined", "jump"):
        if why in whys:
            return why, None
    slopes = [side.slope for side in (left, right) if side.slope is not None]
    if any(math.isinf(slope) for slope in slopes):
        return "vertical", None
    if "edge" in whys:
        return ("edge", slopes[0]) if slopes else ("isolated", None)
    if math.isclose(slopes[0], slopes[1], rel_tol=1e-12, abs_tol=1e-300):
        return "", slopes[1]
    return "corner", None


def _side(
    tape: Tape,
    at: dict[str, float],
    seed: Mapping[str, float],
    direction: float,
    values: Primals,
) -> Side:
    """Sweep germs forward from variables that move along the seed, or against it."""
    moving = dict[str, Any](at)
    for name, tangent in seed.items():
        if tangent:
            moving[name] = Germ(at[name], direction * tangent, 1.0, True)
    germ = forward(tape, GERMS, moving)[tape.root]
    if isinstance(germ, Exception):
        return Side(None, "edge" if isinstance(germ, NoSide) else "undetermined")
    here = values[tape.root] or 0.0
    if not math.isclose(germ.value, here, rel_tol=1e-14, abs_tol=1e-300):
        return Side(None, "jump")
    if math.isclose(germ.p, 1):
        return Side(direction * germ.c + 0.0)
    if germ.p > 1:
        return Side(0.0)
    if not germ.c:
        return Side(None, "undetermined")
    return Side(math.copysign(math.inf, direction * germ.c))
