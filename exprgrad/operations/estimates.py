"""Arrays whose elements are off by no more than so much: two numbers for a whole array.

With u = 2^-53, no element v is off by more than u * |v| * `relative`, or by more than u * `absolute`:

    product    |a| A_b + |b| A_a + |ab|     R_a + R_b + 1
    sum        A_a + A_b + |a + b|          the greater of R_a, R_b, and 1, where no signs differ

(Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 1, 3 and 4). Where one of them is not known
the other gives it, by the least or the greatest element. To first order this is an alarm and no proof: elements
whose bound is not small are to be looked at singly, and so are those that are `bad`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from exprgrad.annotations import Any

UNIT = 2.0**-53
SMALLEST = 1e-290
"""What is smaller, besides 0 itself, may have lost digits to underflow."""

WHOLE = 2.0**53
"""Whole numbers up to this one are exact."""


DEEPEST = 40
"""Bounds that wait for others are worked out before more of them wait for one another."""

_least, _greatest = np.minimum.reduce, np.maximum.reduce

MANY = 100_000
"""Elements whose errors are bounded by two numbers for all of them, even where these are not enough."""

FINE = 2.0**12
"""Relative errors that are no greater need no better bound."""

Bound = float | Callable[[], float]
"""A bound, or what gives it when it is asked for."""


class Estimate:
    """An array with bounds on its errors.

    `bad` is None or has a mask of the elements about which nothing is known. `whole` says that all elements
    are whole numbers, whose sums and products are exact; `holes`, that some element has no value. `depth` says
    how many estimates wait for one another below this one.
    """

    __slots__ = (
        "_absolute",
        "_finer",
        "_least",
        "_range",
        "_relative",
        "array",
        "bad",
        "depth",
        "holes",
        "whole",
    )

    def __init__(
        self,
        array: Any,
        relative: Bound = math.inf,
        absolute: Bound = math.inf,
        bad: Any = None,
        whole: bool = False,
        depth: int = 0,
    ) -> None:
        self.array, self.bad, self.whole, self.holes = array, bad, whole, False
        self._relative = relative
        self._absolute: Bound = absolute if relative else 0.0
        self._range: tuple[float, float] | None = None
        self._least: float | None = None
        self._finer: Any = None
        self.depth = depth

    def settle(self) -> None:
        """Work out both bounds."""
        self.relative, self.absolute, self.depth = self.relative, self.absolute, 0
        self._finer = None

    def moved(self, array: Any, bad: Any) -> Estimate:
        """The same bounds for elements that are the same but for their places and signs."""
        found = Estimate(array, bad=bad, whole=self.whole, depth=self.depth)
        found._relative, found._absolute = self._relative, self._absolute
        found.holes = self.holes
        return found

    @property
    def relative(self) -> float:
        """A bound on the relative errors; worked out when it is asked for."""
        found = self._relative
        if callable(found):
            self._relative = found = known(found())
        return found

    @relative.setter
    def relative(self, bound: float) -> None:
        self._relative = bound

    @property
    def absolute(self) -> float:
        """A bound on the absolute errors; worked out when it is asked for."""
        found = self._absolute
        if callable(found) or (found == math.inf != self._relative):
            size = known(found()) if callable(found) else found
            if size == math.inf or not callable(self._relative):
                own = self.relative
                size = min(size, own * self.most) if own < math.inf else size
            self._absolute = found = size
        return found

    @absolute.setter
    def absolute(self, bound: float) -> None:
        self._absolute = bound

    def __add__(self, other: Any) -> Estimate:
        right = estimate(other)
        return total(self.array + right.array, self, right)

    def __sub__(self, other: Any) -> Estimate:
        right = estimate(other)
        return total(self.array - right.array, self, right, -1)

    def __mul__(self, other: Any) -> Estimate:
        right = estimate(other)
        return product(self.array * right.array, self, right)

    def __truediv__(self, other: Any) -> Estimate:
        right = estimate(other)
        return quotient(self.array / right.array, self, right)

    def __rsub__(self, other: Any) -> Estimate:
        return estimate(other) - self

    def __rtruediv__(self, other: Any) -> Estimate:
        return estimate(other) / self

    def __neg__(self) -> Estimate:
        return self * -1.0

    __radd__, __rmul__ = __add__, __mul__

    def closed(self, enough: float) -> Estimate:
        """The same without its operands, which would be kept; one bound is enough if it is that small."""
        if callable(self._relative):
            if self.absolute <= enough * self.least:
                self._relative = self.absolute / self.least if self.least else 0.0
            else:
                self.relative = self.relative
        if callable(self._absolute):
            self._absolute = math.inf if self.relative <= enough else self.absolute
        if self._relative <= enough:  # type: ignore[operator] # it is a number now
            self._finer = None
        elif self.array.size > MANY:
            self._finer = None  # which would keep all operands
        return self

    def __getstate__(self) -> Any:
        self.settle()
        return None, {name: getattr(self, name) for name in self.__slots__}

    def told(self, finer: Callable[[], Any]) -> Estimate:
        """The same, with a bound for each element, which is worked out where the others are not enough."""
        self._finer = finer
        return self

    @property
    def each(self) -> Any:
        """The finer bound for each element, if there is one."""
        if callable(self._finer):
            self._finer = self._finer() * 1.000001
        return self._finer

    @property
    def range(self) -> tuple[float, float]:
        """No element is below the one or above the other, but for those without a value."""
        if self._range is None:
            array = self.array
            if array.size < 2:
                low = high = float(array.item()) if array.size else 0.0
            else:
                low, high = float(_least(array, None)), float(_greatest(array, None))
            if low != low:
                self.holes = True
                low = float(np.fmin.reduce(array, axis=None))
                high = float(np.fmax.reduce(array, axis=None))
            self._range = low, high
        return self._range

    def span(self, *ends: float) -> None:
        """Say that the range lies within these ends, as far as they are numbers.

        Operations that round to nearest never lead out of what the ends of their operands give.
        """
        low, high = min(ends), max(ends)
        if high - low < math.inf:  # it is no number if an end is none
            self._range = low, high

    @property
    def most(self) -> float:
        """No absolute value is greater."""
        low, high = self.range
        return high if high >= -low else -low

    @property
    def least(self) -> float:
        """No absolute value is less."""
        if self._least is None:
            low, high = self.range
            if low > 0 or high < 0:
                self._least = min(abs(low), abs(high))
            else:
                self._least = float(np.fmin.reduce(np.abs(self.array), axis=None))
        return self._least

    @property
    def sign(self) -> int:
        """1 or -1 where no element has the other sign; else 0."""
        low, high = self.range
        return 1 if low >= 0 else -1 if high <= 0 else 0

    @property
    def is_exact(self) -> bool:
        """Whether no element has an error."""
        return self.bad is None and (not self._relative or self._absolute == 0)

    @property
    def ratio(self) -> float:
        """A bound on the relative errors, also where the absolute ones alone are known."""
        if callable(self._relative):
            low, high = self.range
            if low > 0 or high < 0:
                found = self.absolute / self.least
                if found <= FINE:
                    self._relative = found
        if self.relative == math.inf and self.absolute < math.inf:
            if not self.absolute:
                self.relative = 0.0
            elif self.least:
                self.relative = self.absolute / self.least
        return self.relative

    @property
    def near(self) -> float:
        """The same, where it costs little to know."""
        if not callable(self._relative) and self._relative < math.inf:
            return self._relative
        if callable(self._relative) and not (self.range[0] > 0 or self.range[1] < 0):
            return self.relative
        return self.ratio if self.range[0] > 0 or self.range[1] < 0 else math.inf

    @property
    def radius(self) -> Any:
        """A bound on each element's error."""
        if self.is_exact:
            return 0.0
        radius: Any = np.float64(self.absolute * UNIT)
        if self.relative < math.inf:
            with np.errstate(all="ignore"):  # an element without a value is a bad one
                own = np.abs(self.array) * (self.relative * UNIT)
                radius = np.minimum(own, radius)
        if self._finer is not None:
            with np.errstate(all="ignore"):
                radius = np.fmin(self.each, radius)
        if self.bad is not None:
            radius = np.where(self.bad, math.inf, radius)
        return radius


def estimate(thing: Any) -> Estimate:
    """An estimate as it is; that of a number, which is exact."""
    if isinstance(thing, Estimate):
        return thing
    return Estimate(np.float64(thing), 0.0, whole=float(thing).is_integer())


def worked_out(bound: Bound) -> float:
    """A bound, now."""
    return bound() if callable(bound) else bound


def steps_below(*own: Estimate) -> int:
    """The `depth` of what waits for these, of which those that are too deep wait no longer."""
    depth = 0
    for operand in own:
        if operand.depth > DEEPEST:
            operand.settle()
        depth = max(depth, operand.depth)
    return depth + 1


def nothing(shape: tuple[int, ...]) -> Estimate:
    """Zeros."""
    found = Estimate(np.broadcast_to(np.float64(0.0), shape), whole=True)
    found.relative = found.absolute = found._least = 0.0
    found._range = 0.0, 0.0
    return found


def joined(*masks: Any) -> Any:
    """The union of masks; None where all are None."""
    found = None
    for mask in masks:
        if mask is not None:
            found = mask if found is None else found | mask
    return found


def known(bound: float) -> float:
    """A bound, infinite where it came out as no number."""
    return bound * 1.000001 if bound == bound else math.inf


def bounded(
    array: Any,
    relative: Bound,
    absolute: Bound,
    *own: Estimate,
    whole: bool = False,
) -> Estimate:
    """An estimate with these bounds, bad where any of the operands is bad: element by element, or at all."""
    ratio = relative if callable(relative) else known(relative)
    size = absolute if callable(absolute) else known(absolute)
    found = Estimate(array, ratio, size, None, whole, steps_below(*own))
    for operand in own:
        if operand.holes:
            found.holes = True
        if operand.bad is not None:
            try:
                mask = np.broadcast_to(operand.bad, array.shape)
            except ValueError:
                mask = np.full(array.shape, bool(operand.bad.any()))
            found.bad = joined(found.bad, mask)
    return found


def total(array: Any, a: Estimate, b: Estimate, sign: int = 1) -> Estimate:
    """The estimate of a sum, or of a difference."""
    whole, exact = a.whole and b.whole, a.is_exact and b.is_exact

    def relative() -> float:
        if exact:
            return 1.0
        alike = a.sign and a.sign == b.sign * sign
        return max(a.near, b.near) + 1 if alike else math.inf

    def absolute() -> float:
        return a.absolute + b.absolute + found.most

    found = bounded(array, relative, absolute, a, b, whole=whole)
    (low, high), (bottom, top) = a.range, b.range
    if sign < 0:
        bottom, top = -top, -bottom
    found.span(low + bottom, high + top)
    found.told(lambda: a.radius + b.radius + np.abs(array) * UNIT)
    return _exactly(found) if exact and whole else found


def _exactly(found: Estimate) -> Estimate:
    """The same without errors, if it is made of whole numbers that are not too large."""
    if found.most < WHOLE:
        found.relative = found.absolute = 0.0
    return found


def product(array: Any, a: Estimate, b: Estimate, more: float = 1.0) -> Estimate:
    """The estimate of a product."""

    def relative() -> float:
        return a.near + b.near + more

    def absolute() -> float:
        return a.most * b.absolute + b.most * a.absolute + more * found.most

    whole = a.whole and b.whole
    found = bounded(array, relative, absolute, a, b, whole=whole)
    (low, high), (bottom, top) = a.range, b.range
    found.span(low * bottom, low * top, high * bottom, high * top)

    def each() -> Any:
        size = np.abs(array) * (more * UNIT)
        return np.abs(a.array) * b.radius + np.abs(b.array) * a.radius + size

    found.told(each)
    return _exactly(found) if whole and a.is_exact and b.is_exact else found


def quotient(array: Any, a: Estimate, b: Estimate, more: float = 1.0) -> Estimate:
    """The estimate of a quotient."""

    def relative() -> float:
        return a.near + b.ratio + more

    def absolute() -> float:
        if not b.least or not b.ratio < LARGEST:
            return math.inf  # to first order only while the divisor is known
        return (a.absolute + found.most * b.absolute) / b.least + more * found.most

    found = bounded(array, relative, absolute, a, b)
    (low, high), (bottom, top) = a.range, b.range
    if bottom > 0 or top < 0:
        found.span(low / bottom, low / top, high / bottom, high / top)
    return found


LARGEST = 2.0**33
"""Relative errors that are no greater are small to first order."""


def without_underflow(found: Estimate, *through: Estimate) -> Estimate:
    """The same, bad where it may have lost digits to underflow; it is 0 where an operand of `through` is."""
    if found.range[0] >= SMALLEST:
        return found
    lost = np.abs(found.array) < SMALLEST
    for operand in through:
        lost = lost & (operand.array != 0)
    if lost.any():
        found.bad = joined(found.bad, lost)
    return found
