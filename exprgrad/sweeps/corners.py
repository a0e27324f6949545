"""Corners: why a partial derivative does not exist, and which step stands in its way."""

from __future__ import annotations

import math
from collections.abc import Callable

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import Span

OF_A_DOUBLE = 17
"""The digits that a double has."""


class Corner(NamedTuple):
    """Why a partial derivative does not exist: what the expression does on both sides.

    `kind` is `corner`, `vertical` (infinite slope), `jump`, `edge` (one side is undefined),
    `oscillating` (a difference quotient without a limit), `isolated` (both are undefined) or `undetermined`.
    `operation`, `arguments` and `span` are those of the part of the expression that is to blame.
    """

    variable: str
    kind: str
    left: float | None
    right: float | None
    operation: str
    arguments: tuple[float, ...]
    span: Span | None


def reason(
    corner: Corner,
    here: str = " here",
    number: Callable[[float], str] = lambda x: f"{x:.10g}",
) -> str:
    """Why there is no derivative, with the slopes on both sides: abs has a corner here; the slope is ..."""
    left, right = corner.left, corner.right
    apart = left is not None and right is not None and left != right
    if apart and number(left or 0.0) == number(right or 0.0):
        number = repr  # slopes that differ must not look the same
    sides = [
        f"{number(slope)} from the {side}"
        if abs(slope) != math.inf
        else f"infinite from the {side}"
        for side, slope in (("left", corner.left), ("right", corner.right))
        if slope is not None
    ]
    slopes = f"; the slope is {' and '.join(sides)}" if sides else ""
    if corner.kind == "corner" and left is not None and left == right:
        slopes += ", and they differ beyond the digits of a double"
    what = {
        "corner": f"{corner.operation} has a corner{here}",
        "vertical": f"{corner.operation} is infinitely steep{here}",
        "jump": f"{corner.operation} jumps{here}",
        "oscillating": "the slope of a line through this point and one nearby has no limit",
        "isolated": "the expression is defined on neither side of this point",
    }.get(corner.kind, corner.kind)
    return f"{what}{slopes}"


class Nearest(NamedTuple):
    """A number that germs gave: the nearest double, perhaps the one beside it, and how far it is off.

    Where more digits than those of a double were asked for, `middle` has the number, and `right` of its
    digits are known. Beyond the range of doubles `value` is None, and there is a `middle`, too.
    """

    value: float | None
    error: float
    middle: Any = None
    right: int = OF_A_DOUBLE
