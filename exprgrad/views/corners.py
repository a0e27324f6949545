"""The diagnostic for a partial derivative that does not exist."""

from __future__ import annotations

from exprgrad.errors import (
    ExprgradError,
    Hint,
    NotDifferentiableError,
    UndecidedError,
)
from exprgrad.expressions.expression import Evaluation
from exprgrad.sweeps.corners import Corner
from exprgrad.views.blocks import number


def missing(evaluation: Evaluation) -> list[Corner]:
    """The corners at which a partial derivative does not exist."""
    return [c for c in evaluation.corners if evaluation.gradient[c.variable] is None]


def corner_error(
    corner: Corner, source: str, at: float | None, subgradient: bool = False
) -> ExprgradError:
    """The diagnostic for a partial derivative that does not exist, or one along a direction."""
    which, place = "the derivative along this direction", ""
    if at is not None:
        which, place = f"∂/∂{corner.variable}", f" at {corner.variable} = {number(at)}"
    if corner.kind == "undetermined":
        return UndecidedError(
            f"could not decide whether {which} exists{place}: it depends on how "
            f"{corner.operation} behaves there",
            corner.span,
            "evaluate at a point nearby",
            source=source,
        )
    where = f"{which} does not exist{place}"
    sides = [
        f"{number(slope)} from the {side}"
        if abs(slope) != float("inf")
        else f"infinite from the {side}"
        for side, slope in (("left", corner.left), ("right", corner.right))
        if slope is not None
    ]
    slopes = f"; the slope is {' and '.join(sides)}" if sides else ""
    what = {
        "corner": f"{corner.operation} has a corner here",
        "vertical": f"{corner.operation} is infinitely steep here",
        "jump": f"{corner.operation} jumps here",
        "oscillating": "the slope of a line through this point and one nearby has no limit",
        "isolated": "the expression is defined on neither side of this point",
    }.get(corner.kind, corner.kind)
    hint = "evaluate at a point nearby"
    if corner.kind in ("corner", "jump") and at is not None and not subgradient:
        hint = Hint("subgradient")
    return NotDifferentiableError(
        f"{where}: {what}{slopes}", corner.span, hint, source=source
    )
