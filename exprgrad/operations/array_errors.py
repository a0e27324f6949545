"""Bounds on the errors of operations on whole arrays, and of their adjoints: see `estimates`.

Each row of the table has a rule: `value` is given the result and the estimates of the arguments, `pull` the
adjoint of an argument, its position, and the estimates of the adjoint of the result, of the result and of
the arguments. A sum of n terms adds an error of at most n (in pairs about log n) to the sum of their sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from exprgrad.annotations import Any
from exprgrad.operations.estimates import (
    Estimate,
    joined,
    product,
    without_underflow,
)

Operands = Sequence[Estimate]

_BLOCK = 25.0
"""More than the roundings of a term of NumPy's pairwise sums before pairs are made."""


class ArrayErrors:
    """What goes nowhere but into another place: transposed, reshaped, stacked, taken elements."""

    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        """The estimate of the result."""
        taken = [e for e in own if isinstance(e.array, np.ndarray)]
        whole = all(e.whole for e in taken)
        relative = max(e.relative for e in taken)

        def absolute() -> float:
            return max(e.absolute for e in taken)

        return _scattered(array, relative, absolute, *taken, whole=whole)

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        """The estimate of an adjoint."""
        return _scattered(array, g.relative, lambda: g.absolute, g)


def _scattered(
    array: Any,
    relative: float,
    absolute: float | Callable[[], float],
    *own: Estimate,
    whole: bool = False,
) -> Estimate:
    """A result that is bad altogether where anything is bad in an operand."""
    found = Estimate(array, relative, absolute, whole=whole)
    if any(e.bad is not None and e.bad.any() for e in own):
        found.bad = np.ones(np.shape(array), bool)
    return found


class _Repeated(ArrayErrors):
    """Elements taken by any of NumPy's keys, some perhaps several times."""

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        count = g.array.size
        return _scattered(array, math.inf, count * (g.absolute + count * g.most), g)


def summed(array: Any, x: Estimate, count: int, share: float = 1.0) -> Estimate:
    """Sums of so many terms, or so large a share of them."""
    paired = np.ndim(array) == 0 and x.array.flags.forc  # else not in one loop
    steps = min(count - 1.0, _BLOCK + math.log2(count + 1)) if paired else count - 1.0
    relative = x.near + steps if x.sign else math.inf
    found = _scattered(array, relative, math.inf, x, whole=x.whole)
    if x.whole and x.is_exact and x.most * count < 2.0**53:
        found.relative = found.absolute = 0.0
        return found
    if x.sign:
        size = found.most / share
    else:
        size = float(np.abs(x.array).sum()) if paired else count * x.most
    own = count * x.absolute
    if not x.sign and x.relative < math.inf:
        own = min(own, x.relative * size)
    found.absolute = min(found.absolute, (own + steps * size) * share)
    return found


class _Sum(ArrayErrors):
    def __init__(self, roundings: float) -> None:
        self._roundings = roundings

    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        x = own[0]
        count = x.array.size // max(1, np.size(array))
        share = 1 / count if self._roundings and count else 1.0
        return _rounded(summed(array, x, count, share), self._roundings)

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        return _rounded(super().pull(array, position, g, y, own), self._roundings * 2)


def _rounded(found: Estimate, times: float) -> Estimate:
    """The same with so many roundings more."""
    if times:
        found.whole = False
        found.relative += times
        found.absolute += times * found.most
    return found


class _Extreme(ArrayErrors):
    """The greatest or the least element: a corner where it may be another one."""

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        found = _rounded(super().pull(array, position, g, y, own), 1.0)
        x = own[0]
        axis = int(own[1].array) if len(own) > 1 else None
        top = y.array if axis is None else np.expand_dims(y.array, axis)
        near = np.abs(x.array - top) <= 2.0**-52 * x.absolute
        tied = near & (near.sum(axis=axis, keepdims=axis is not None) > 1)
        if tied.any():
            found.bad = joined(found.bad, tied)
        return found


class _Product(ArrayErrors):
    """Sums of products over an axis."""

    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        x, y = own
        if not x.array.ndim or not y.array.ndim:
            return product(array, x, y)
        size = _across(x, -1) * _across(y, 0) if y.array.ndim < 3 else math.inf
        return _contracted(array, x, y, x.array.shape[-1], size)

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        other = own[1 - position]
        count = max(1, g.array.size * other.array.size // max(1, array.size))
        inner = own[0].array.shape[-1] if own[0].array.ndim else 1
        size = math.inf
        if g.array.ndim < 3 > other.array.ndim:
            axis = 0 if position else -1
            size = _across(g, axis) * _across(other, axis)
        return _contracted(array, g, other, max(1, round(count / inner)), size)


def _across(x: Estimate, axis: int) -> float:
    """The greatest norm along an axis: no sum of |x_k y_k| exceeds the product of norms."""
    a = x.array.T if axis == 0 else x.array
    if not a.ndim:
        return abs(float(a))
    return float(np.sqrt(np.einsum("...i,...i->...", a, a).max(initial=0.0)))


def _contracted(
    array: Any, x: Estimate, y: Estimate, count: int, size: float
) -> Estimate:
    """Sums of so many products, in any order, whose absolute values add up to no more than `size`."""
    whole = x.whole and y.whole
    if count == 1 and x.least > 1e-145 and y.least > 1e-145:  # no underflow
        relative = x.ratio + y.ratio + 1
        absolute = x.most * y.absolute + y.most * x.absolute + x.most * y.most
        return _scattered(array, relative, absolute, x, y, whole=whole)
    found = _scattered(array, math.inf, math.inf, x, y, whole=whole)
    if whole and x.is_exact and y.is_exact and x.most * y.most * count < 2.0**53:
        found.relative = found.absolute = 0.0
        return found
    if x.sign and y.sign:
        found.relative = x.near + y.near + count
        found.absolute = found.relative * found.most
    else:
        own = x.most * y.absolute + y.most * x.absolute
        found.absolute = count * (own + min(count * x.most * y.most, 1.01 * size))
    return found


class _Norm(ArrayErrors):
    """The root of a sum of squares: a corner at 0."""

    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        (x,) = own
        count = x.array.size
        absolute = math.sqrt(count) * x.absolute
        roundings = min(count, _BLOCK + math.log2(count + 1)) / 2 + 6
        if x.relative < math.inf:
            return _scattered(array, x.relative + roundings, math.inf, x)
        found = _scattered(array, math.inf, absolute, x)
        found.absolute += roundings * found.most
        return found

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        (x,) = own
        size, rounding = g.most, g.absolute + 4 * g.most
        relative = g.ratio + x.relative + y.ratio + 4
        absolute = size * (x.absolute / y.least + y.ratio) + rounding if y.least else math.inf  # fmt: skip
        found = _scattered(array, relative, absolute, g, y, x)
        if not y.least or y.absolute * 2.0**-33 > y.least:
            found.bad = np.ones(np.shape(array), bool)
        return found


def _shifted(x: Estimate) -> float:
    """The error of an exponent x - max(x)."""
    low, high = x.range
    return 2 * x.absolute + (high - low)


class _Softmax(ArrayErrors):
    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        x = own[0]
        relative = 2 * _shifted(x) + x.array.size + 12
        return without_underflow(_scattered(array, relative, math.inf, x))

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        # y*(g - sum(g*y)), where the y add up to 1
        mean = g.absolute + g.most * (2 * y.relative + y.array.size + 1)
        spread = g.absolute + mean + 2 * g.most
        absolute = y.most * spread + 2 * g.most * (y.absolute + y.most)
        return _scattered(array, math.inf, absolute, g, y)


class _LogSumExp(ArrayErrors):
    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        x = own[0]
        found = _scattered(array, math.inf, math.inf, x)
        found.absolute = (
            2 * _shifted(x) + x.array.size + 2 * found.most + 2 * x.most + 50
        )
        return found

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        x = own[0]
        low, high = x.range
        exponent = x.absolute + y.absolute + (high - low) + math.log(x.array.size)
        found = _scattered(array, g.ratio + exponent + 6, math.inf, g, x, y)
        found.absolute = min(found.absolute, g.absolute + g.most * (exponent + 6))
        return without_underflow(found, g)


class _CrossEntropy(ArrayErrors):
    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        z, t = own
        found = _scattered(array, math.inf, math.inf, z, t)
        rows = max(1, z.array.size // z.array.shape[-1])
        log, error = _log_softmax(z)
        if t.array.shape == z.array.shape:
            mass = float(np.abs(t.array).sum()) / rows
            error = mass * error + log * (
                t.absolute * z.array.shape[-1] + z.array.size * mass
            )
        else:
            error += log * min(rows, _BLOCK + math.log2(rows + 1))
        found.absolute = error + 4 * found.most
        return found

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        z, t = own
        log, error = _log_softmax(z)
        share = max(1, z.array.size // z.array.shape[-1])
        if position:
            size = log
        elif t.array.shape == z.array.shape:
            mass = float(np.abs(t.array).sum(axis=-1).max())
            classes = z.array.shape[-1]
            error = mass * (error + classes + 4) + t.absolute * (classes + 1)
            size = mass + t.most
        else:
            size, error = 1.0, error + 4
        absolute = (g.absolute * size + g.most * (error + 4 * size)) / share
        return _scattered(array, math.inf, absolute, g, z, t)


def _log_softmax(z: Estimate) -> tuple[float, float]:
    """The size of logarithms of a softmax, and their error."""
    low, high = z.range
    classes = z.array.shape[-1]
    size = high - low + math.log(classes)
    return size, 2 * _shifted(z) + classes + 8 + 2 * size


MOVED, TAKEN, SUM, MEAN = ArrayErrors(), _Repeated(), _Sum(0.0), _Sum(1.0)
EXTREME, PRODUCT, NORM = _Extreme(), _Product(), _Norm()
SOFTMAX, LOGSUMEXP, CROSS_ENTROPY = _Softmax(), _LogSumExp(), _CrossEntropy()
