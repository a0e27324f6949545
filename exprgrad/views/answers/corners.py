"""The diagnostic for a partial derivative that does not exist."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import (
    ExprgradError,
    Hint,
    NotDifferentiableError,
    UndecidedError,
)
from exprgrad.expressions.expression import ArrayEvaluation, Evaluation
from exprgrad.sweeps.corners import reason
from exprgrad.views.blocks import number

if TYPE_CHECKING:
    from exprgrad.sweeps.corners import Corner


def missing(evaluation: Evaluation | ArrayEvaluation) -> list[Corner]:
    """The corners at which a partial derivative does not exist."""
    partials = evaluation.gradient or {}
    # at an edge there is one all the same, perhaps beyond the range of doubles
    inner = (c for c in evaluation.corners if c.kind != "edge")
    return [c for c in inner if element(partials, c.variable) is None]


def element(things: Mapping[str, Any], name: str) -> float | None:
    """A number by its name, or an element of an array by x[0, 1]; None for one that does not exist."""
    if name in things:
        thing = things[name]
        return None if thing is None or thing != thing else float(thing)
    array, _, place = name.partition("[")
    found = float(things[array][tuple(map(int, place.rstrip("]").split(",")))])
    return None if math.isnan(found) else found


def edge_notes(evaluation: Evaluation | ArrayEvaluation) -> list[str]:
    """A note for every derivative that was taken from one side, where the other is not defined."""
    partials = [
        edge_note(f"∂/∂{corner.variable}", corner)
        for corner in evaluation.corners
        if corner.kind == "edge"
    ]
    inner = [edge_note(c.variable, c) for c in evaluation.one_sided]
    return [*inner, *partials]


def edge_note(what: str, corner: Corner) -> str:
    """That a derivative was taken from one side."""
    side = "the left" if corner.right is None else "the right"
    if corner.left is corner.right is None:
        side = "one side"  # it is beyond the range of doubles
    return f"{what} is the slope from {side}; the other side is not defined"


def corner_fields(corners: Iterable[Corner]) -> dict[str, Any]:
    """Corners for programs, by variable."""
    return {
        corner.variable: {
            "kind": corner.kind,
            "operation": corner.operation,
            "left": _slope(corner.left),
            "right": _slope(corner.right),
            "span": corner.span,
        }
        for corner in corners
    }


def _slope(slope: float | None) -> float | str | None:
    """JSON has no infinity; an infinite slope is a word there."""
    infinite = {float("inf"): "infinity", -float("inf"): "-infinity"}
    return slope if slope is None else infinite.get(slope, slope)


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


def errors(found: Evaluation | ArrayEvaluation, told: bool = False) -> list[ExprgradError]:  # fmt: skip
    """The diagnostics for the first partial derivatives that do not exist."""
    source = found.expression.source
    return [
        corner_error(c, source, element(found.at, c.variable), found.subgradient, told)
        for c in missing(found)[:MOST_REPORTED]
    ]
