"""Numbers with error bounds; and corners: why a partial derivative does not exist, and which step stands in its way."""

from __future__ import annotations

import math
from collections.abc import Callable

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import RangeError, Span

DIGITS = 10
"""The digits that are shown, if nothing else is said."""

NEAREST = 17
"""With so many digits a result is the nearest double."""

EXACT, BOUNDED, ZERO = "exact", "bounded", "zero"
UNDECIDED, UNDEFINED, CORNER = "undecided", "undefined", "corner"

MOST_DIGITS = 1000
"""The digits that can be asked for."""


class Known(NamedTuple):
    """A number with an error bound.

    `value` is a double within `error` of it; None where there is none, and for a number beyond the range
    of doubles, which `middle` holds; `right` of its digits are known. `status` is one of

    EXACT       the value itself: the error is 0
    BOUNDED     a number with a bound
    ZERO        0, or closer to it than `error`: no precision has told it from 0
    UNDECIDED   a branch, a domain or a corner hangs on what could not be decided
    UNDEFINED   the expression has no value here
    CORNER      the rules give no partial here
    """

    value: float | None
    error: float
    status: str
    middle: Any = None
    right: int = 0

    @property
    def is_number(self) -> bool:
        """Return whether there is a number, a double or one beyond their range."""
        return self.value is not None or self.middle is not None

    @property
    def digits(self) -> int:
        """Return how many significant digits of `value` are known: 17 is all that a double has."""
        if not self.value:
            return NEAREST if self.status == EXACT else min(NEAREST, self.right)
        if not self.error:
            return NEAREST
        # a digit stands if the error is at most half a unit of it, so an error of half the value leaves none
        if not abs(self.value) > 2 * self.error:
            return 0
        # not of the quotient, which overflows for 1e300 and an error of 1e-300
        known = math.log10(abs(self.value)) - math.log10(2 * self.error)
        return max(0, min(NEAREST, math.floor(known)))

    @property
    def sure(self) -> int:
        """The same, beyond those of a double too: as many as there may be of an exact number."""
        return MOST_DIGITS if self.status == EXACT else max(self.digits, self.right)

    def decimal(self, digits: int = DIGITS) -> str | None:
        """The number as a decimal, also beyond the range of doubles."""
        if self.middle is None:
            return None if self.value is None else f"{self.value:.{digits}g}"
        from exprgrad.numbers.real import decimal

        return decimal(self.middle, digits)

    def to_float(self, what: str = "the number", digits: int = 3) -> float:
        """The nearest double. Raises `RangeError` above their range, which says what it is, to so many digits."""
        if self.value is not None:
            return self.value
        text = self.decimal(digits) or "none"
        if "e-" in text:
            return 0.0
        raise RangeError(f"{what} {text} is beyond the range of double precision")


no_number = Known(None, math.inf, CORNER)
"""What is known of a derivative that does not exist."""

OPEN = no_number._replace(status=UNDECIDED)
"""What is known of one that may not exist."""


class Corner(NamedTuple):
    """Why a partial derivative does not exist: what the expression does on both sides.

    `kind` is `corner`, `vertical` (infinite slope), `jump`, `edge` (one side is undefined),
    `oscillating` (a difference quotient without a limit), `isolated` (both are undefined) or `undetermined`.
    `operation`, `arguments` and `span` are those of the part of the expression that is to blame; one that is `bent`
    has corners of its own, where floor(x)*x and sqrt(x^2) get theirs from a jump or a root.
    """

    variable: str
    kind: str
    left: float | None
    right: float | None
    operation: str
    arguments: tuple[float, ...]
    span: Span | None
    bent: bool = True


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
    both = {"left": left, "right": right}
    known = {side: slope for side, slope in both.items() if slope is not None}
    falls = -math.inf in known.values()

    def written(slope: float) -> str:
        if math.isfinite(slope):
            return number(slope)
        return ("-∞" if slope < 0 else "∞") if falls else "infinite"

    sides = [f"{written(slope)} from the {side}" for side, slope in known.items()]
    slopes = f"; the slope is {' and '.join(sides)}" if sides else ""
    if corner.kind == "corner" and left is not None and left == right:
        slopes += ", and they differ beyond the digits of a double"
    title = corner.operation
    # infinite slopes of both signs: sqrt(|x|) at 0
    if falls and math.inf in known.values():
        slopes += ": a cusp"
    what = {
        "corner": f"{title} {'has' if corner.bent else 'makes'} a corner{here}",
        "vertical": f"{'the expression' if corner.bent else title} is infinitely steep{here}",
        "jump": f"{title} jumps{here}",
        "oscillating": "the slope of a line through this point and one nearby has no limit",
        "isolated": "the expression is defined on neither side of this point",
    }.get(corner.kind, corner.kind)
    return f"{what}{slopes}"
