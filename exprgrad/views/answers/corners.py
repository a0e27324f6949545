"""The diagnostic for a partial derivative that does not exist."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import (
    ExprgradError,
    Hint,
    NotDifferentiableError,
    UndecidedError,
)
from exprgrad.expressions.expression import ArrayEvaluation, Evaluation
from exprgrad.expressions.fields import element, missing
from exprgrad.sweeps.corners import reason
from exprgrad.views.blocks import number

if TYPE_CHECKING:
    from exprgrad.sweeps.corners import Corner


def corner_error(
    corner: Corner,
    source: str,
    at: float | None,
    subgradient: bool = False,
    told: bool = False,
    of: str = "",
) -> ExprgradError:
    """The diagnostic for a partial derivative that does not exist, or one along a direction: `of` an element.

    Where it has been `told` that it does not exist, why.
    """
    which, place = f"the derivative{of} along this direction", ""
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
    hint = "evaluate at a point nearby"
    if corner.kind in ("corner", "jump") and at is not None and not subgradient:
        hint = Hint("subgradient")
    where = "" if told else f"{which} does not exist{place}: "
    return NotDifferentiableError(
        f"{where}{reason(corner, place if told else ' here', number)}",
        corner.span,
        hint,
        source=source,
    )


MOST_REPORTED = 5
"""Partial derivatives that do not exist and are reported one by one."""


def beside(found: Evaluation | ArrayEvaluation, told: bool = False) -> dict[str, Any]:
    """The diagnostics for the first partial derivatives that do not exist, and how many more there are."""
    every, source = missing(found), found.expression.source
    errors = [
        corner_error(c, source, element(found.at, c.variable), found.subgradient, told)
        for c in every[:MOST_REPORTED]
    ]
    return {"errors": errors, "remarks": more(len(every), "variables")}


def more(count: int, what: str) -> list[str]:
    """How many are not reported."""
    return [f"(and {count - MOST_REPORTED} more {what})"] * (count > MOST_REPORTED)
