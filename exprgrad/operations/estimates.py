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


_least, _greatest = np.minimum.reduce, np.maximum.reduce


class Estimate:
    """An array with bounds on its errors.

    `bad` is None or has a mask of the elements about which nothing is known. `whole` says that all elements
    are whole numbers, whose sums and products are exact; `holes`, that some element has no value.
    """

    __slots__ = (
        "_absolute",
        "_least",
        "_range",
        "array",
        "bad",
        "holes",
        "relative",
        "whole",
    )

    def __init__(
        self,
        array: Any,
        relative: float = math.inf,
        absolute: float | Callable[[], float] = math.inf,
        bad: Any = None,
        whole: bool = False,
    ) -> None:
        self.array, self.bad, self.whole, self.holes = array, bad, whole, False
        self.relative = relative
        self._absolute: float | Callable[[], float] = absolute if relative else 0.0
        self._range: tuple[float, float] | None = None
        self._least: float | None = None

    @property
    def absolute(self) -> float:
        """A bound on the absolute errors; worked out when it is asked for."""
        found = self._absolute
        if callable(found) or (found == math.inf > self.relative):
            size = known(found()) if callable(found) else found
            if self.relative < math.inf:
                size = min(size, self.relative * self.most)
            self._absolute = found = size
        return found

    @absolute.setter
    def absolute(self, bound: float) -> None:
        self._absolute = bound

    def __add__(self, other: Estimate) -> Estimate:
        return total(self.array + other.array, self, other)

    def closed(self, enough: float) -> Estimate:
        """The same without its operands, which would be kept; one bound is enough if it is that small."""
        if callable(self._absolute):
            self._absolute = math.inf if self.relative <= enough else self.absolute
        return self

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest element, but for those without a value."""
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

    @property
    def most(self) -> float:
        """The greatest absolute value."""
        low, high = self.range
        return high if high >= -low else -low

    @property
    def least(self) -> float:
        """The least absolute value."""
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
        return self.bad is None and (not self.relative or self._absolute == 0)

    @property
    def ratio(self) -> float:
        """A bound on the relative errors, also where the absolute ones alone are known."""
        if self.relative == math.inf and self.absolute < math.inf:
            if not self.absolute:
                self.relative = 0.0
            elif self.least:
                self.relative = self.absolute / self.least
        return self.relative

    @property
    def near(self) -> float:
        """The same, where it costs little to know."""
        if self.relative < math.inf:
            return self.relative
        low, high = self.range
        return self.ratio if low > 0 or high < 0 else self.relative

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
        if self.bad is not None:
            radius = np.where(self.bad, math.inf, radius)
        return radius


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
    relative: float,
    absolute: float | Callable[[], float],
    *own: Estimate,
    whole: bool = False,
) -> Estimate:
    """An estimate with these bounds, bad where any of the operands is bad: element by element, or at all."""
    size = absolute if callable(absolute) else known(absolute)
    found = Estimate(array, known(relative), size, None, whole)
    for operand in own:
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
    relative = math.inf
    if exact:
        relative = 1.0
    elif a.sign and a.sign == b.sign * sign:
        relative = max(a.near, b.near) + 1

    def absolute() -> float:
        return a.absolute + b.absolute + found.most

    found = bounded(array, relative, absolute, a, b, whole=whole)
    return _exactly(found) if exact and whole else found


def _exactly(found: Estimate) -> Estimate:
    """The same without errors, if it is made of whole numbers that are not too large."""
    if found.most < WHOLE:
        found.relative = found.absolute = 0.0
    return found


def product(array: Any, a: Estimate, b: Estimate, more: float = 1.0) -> Estimate:
    """The estimate of a product."""

    def absolute() -> float:
        return a.most * b.absolute + b.most * a.absolute + more * found.most

    whole = a.whole and b.whole
    found = bounded(array, a.near + b.near + more, absolute, a, b, whole=whole)
    return _exactly(found) if whole and a.is_exact and b.is_exact else found


def quotient(array: Any, a: Estimate, b: Estimate, more: float = 1.0) -> Estimate:
    """The estimate of a quotient."""

    def absolute() -> float:
        if not b.least or not b.ratio < LARGEST:
            return math.inf  # to first order only while the divisor is known
        return (a.absolute + found.most * b.absolute) / b.least + more * found.most

    relative = a.near + b.ratio + more
    found = bounded(array, relative, absolute, a, b)
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
