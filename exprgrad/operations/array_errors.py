"""Bounds on the errors of operations on whole arrays, of their adjoints and of their tangents: see `estimates`.

Each row of the table has a rule: `value` is given the result and the estimates of the arguments, `pull` the
adjoint of an argument, its position, and the estimates of the adjoint of the result, of the result and of
the arguments. A sum of n terms adds an error of at most n (in pairs about log n) to the sum of their sizes.

`push` gives the tangent of the result, J t, from those of the arguments, None for one that stands still. The
row's value and pulls are enough for that, by the kind of its Jacobian J:

    linear, y = L(x):             J t = L(t)                      sums, means, elements in other places
    bilinear, z = x @ y:          J t = t @ y + x @ t'            products
    symmetric, J = J^T:           J t = pull(t)                   softmax
    one result of each element:   J t = sum(pull(1) * t)          extremes, norm, logsumexp, cross_entropy
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.operations.array_kernels import product_pull_left, product_pull_right
from exprgrad.operations.estimates import (
    SMALLEST,
    UNIT,
    Bound,
    Estimate,
    joined,
    nothing,
    product,
    steps_below,
    total,
    without_underflow,
    worked_out,
)

if TYPE_CHECKING:
    from exprgrad.operations.operation import Whole

Operands = Sequence[Estimate]
Tangents = Sequence[Estimate | None]

_BLOCK = 25.0
"""More than the roundings of a term of NumPy's pairwise sums before pairs are made."""


_CLOSE = 2.0**12
"""Errors that are so many times as large as a sum are bounded well enough."""


class ArrayErrors:
    """What goes nowhere but into another place: transposed, reshaped, stacked, taken elements."""

    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        """The estimate of the result."""
        taken = [e for e in own if isinstance(e.array, np.ndarray)]
        whole = all(e.whole for e in taken)

        def relative() -> float:
            return max(e.relative for e in taken)

        def absolute() -> float:
            return max(e.absolute for e in taken)

        return _scattered(array, relative, absolute, *taken, whole=whole)

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        """The estimate of an adjoint."""
        found = g.moved(array, None)
        found.whole = False
        return _bad_with(found, g)

    def push(
        self, row: Whole, tangents: Tangents, y: Estimate, own: Operands
    ) -> Estimate:
        """The estimate of the tangent: that of the same operation on the tangents, for a linear one."""
        parts = []
        for i, (t, x) in enumerate(zip(tangents, own, strict=True)):
            if row.pull(i) is None:
                t = x  # an axis, a length or an index
            parts.append(nothing(np.shape(x.array)) if t is None else t)
        return self.value(_computed(row, parts), parts)


def _computed(row: Whole, own: Operands) -> Any:
    """The result of an operation on the arrays of these estimates."""
    return np.asarray(row.value(np, *(e.array for e in own)), np.float64)


def _scattered(
    array: Any,
    relative: Bound,
    absolute: Bound,
    *own: Estimate,
    whole: bool = False,
) -> Estimate:
    """A result that is bad altogether where anything is bad in an operand."""
    found = Estimate(array, relative, absolute, whole=whole, depth=steps_below(*own))
    return _bad_with(found, *own)


def _bad_with(found: Estimate, *own: Estimate) -> Estimate:
    """The same, bad altogether where anything is bad in an operand."""
    for operand in own:
        if operand.bad is not None and operand.bad.any():
            found.bad = np.ones(np.shape(found.array), bool)
        if operand.holes:
            found.holes = True
    return found


class _Repeated(ArrayErrors):
    """Elements taken by any of NumPy's keys, some perhaps several times."""

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        count = g.array.size
        return _scattered(
            array, math.inf, lambda: count * (g.absolute + count * g.most), g
        )


def summed(array: Any, x: Estimate, count: int, share: float = 1.0) -> Estimate:
    """Sums of so many terms, or so large a share of them."""
    paired = np.ndim(array) == 0 and x.array.flags.forc  # else not in one loop
    steps = min(count - 1.0, _BLOCK + math.log2(count + 1)) if paired else count - 1.0

    def relative() -> float:
        return x.near + steps if x.sign else math.inf

    def absolute() -> float:
        size = found.most / share if x.sign else count * x.most
        own = count * x.absolute
        if not x.sign and paired and not own + steps * size <= _CLOSE * found.least:
            size = float(np.abs(x.array).sum())
            if x.relative < math.inf:
                own = min(own, x.relative * size)
        return (own + steps * size) * share

    found = _scattered(array, relative, absolute, x, whole=x.whole)
    if x.whole and x.is_exact and x.most * count < 2.0**53:
        found.relative = found.absolute = 0.0
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
        found = super().pull(array, position, g, y, own)
        low, high = g.range
        if self._roundings:
            share = y.array.size / own[0].array.size
            low, high = low * share, high * share
        found.span(low, high)
        return _rounded(found, self._roundings * 2)


def _rounded(found: Estimate, times: float) -> Estimate:
    """The same with so many roundings more."""
    if times:
        ratio, size = found._relative, found._absolute
        found.whole = False
        found._relative = lambda: worked_out(ratio) + times
        found._absolute = lambda: worked_out(size) + times * found.most
    return found


class _Reduction(ArrayErrors):
    """No element goes into more than one element of the result."""

    def push(
        self, row: Whole, tangents: Tangents, y: Estimate, own: Operands
    ) -> Estimate:
        """The tangents times the gradient of each element of the result, summed."""
        one = Estimate(np.ones(y.array.shape), 0.0, whole=True)
        axis = int(own[1].array) if y.array.ndim else None
        parts = []
        for i, t in enumerate(tangents):
            pulled = None if t is None else row.pull(i)
            if t is None or pulled is None:
                continue
            slope = pulled(np, one.array, y.array, *(e.array for e in own))
            gradient = self.pull(slope, i, one, y, own)
            terms = product(np.where(t.array == 0, 0.0, slope * t.array), gradient, t)
            parts.append(SUM.value(np.asarray(np.sum(terms.array, axis=axis)), [terms]))
        return _together(parts)


def _together(parts: Operands) -> Estimate:
    """The sum of one estimate or two."""
    first, *rest = parts
    return total(first.array + rest[0].array, first, rest[0]) if rest else first


class _Extreme(_Reduction):
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

        def size() -> float:
            return _across(x, -1) * _across(y, 0) if y.array.ndim < 3 else math.inf

        found = _contracted(array, x, y, x.array.shape[-1], size)
        if max(x.array.ndim, y.array.ndim) < 3:
            found.told(lambda: _each(np.matmul, x, y, x.array.shape[-1]))
        return found

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        other = own[1 - position]
        count = max(1, g.array.size * other.array.size // max(1, array.size))
        inner = own[0].array.shape[-1] if own[0].array.ndim else 1
        axis = 0 if position else -1

        def size() -> float:
            if g.array.ndim < 3 > other.array.ndim:
                return _across(g, axis) * _across(other, axis)
            return math.inf

        terms = max(1, round(count / inner))
        found = _contracted(array, g, other, terms, size)
        x, z = own
        if 0 < x.array.ndim < 3 > z.array.ndim > 0:

            def pulled(a: Any, b: Any) -> Any:
                if position:
                    return product_pull_right(np, a, None, b, z.array)
                return product_pull_left(np, a, None, x.array, b)

            found.told(lambda: _each(pulled, g, other, terms))
        return found

    def push(
        self, row: Whole, tangents: Tangents, y: Estimate, own: Operands
    ) -> Estimate:
        """The product with either factor replaced by its tangent; the sum of both."""
        parts = []
        for i, t in enumerate(tangents):
            if t is not None:
                pair = [own[0], t] if i else [t, own[1]]
                parts.append(self.value(_computed(row, pair), pair))
        return _together(parts)


def _each(
    apply: Callable[[Any, Any], Any], x: Estimate, y: Estimate, count: int
) -> Any:
    """The error of each of the sums of so many products of two arrays."""
    a, b = np.abs(x.array), np.abs(y.array)
    size = apply(a, b) * (count * UNIT)
    if not y.is_exact:
        size = size + apply(a, np.broadcast_to(y.radius, b.shape))
    if not x.is_exact:
        size = size + apply(np.broadcast_to(x.radius, a.shape), b)
    return size


def _across(x: Estimate, axis: int) -> float:
    """The greatest norm along an axis: no sum of |x_k y_k| exceeds the product of norms."""
    a = x.array.T if axis == 0 else x.array
    if not a.ndim:
        return abs(float(a))
    return float(np.sqrt(np.einsum("...i,...i->...", a, a).max(initial=0.0)))


def _contracted(
    array: Any, x: Estimate, y: Estimate, count: int, size: Callable[[], float]
) -> Estimate:
    """Sums of so many products, in any order, whose absolute values add up to no more than `size`."""
    whole = x.whole and y.whole

    def relative() -> float:
        if count == 1:  # unless there may be underflow
            clear = x.least > 1e-145 and y.least > 1e-145
            return x.ratio + y.ratio + 1 if clear else math.inf
        return x.near + y.near + count if x.sign and y.sign else math.inf

    def absolute() -> float:
        own = x.most * y.absolute + y.most * x.absolute
        if count == 1:
            return own + x.most * y.most + SMALLEST
        all_of_them = found.most if x.sign and y.sign else 1.01 * size()
        return count * (own + min(count * x.most * y.most, all_of_them)) + SMALLEST

    found = _scattered(array, relative, absolute, x, y, whole=whole)
    if whole and x.is_exact and y.is_exact and x.most * y.most * count < 2.0**53:
        found.relative = found.absolute = 0.0
    return found


class _Norm(_Reduction):
    """The root of a sum of squares: a corner at 0."""

    def value(self, array: Any, own: Sequence[Estimate]) -> Estimate:
        (x,) = own
        count = int(x.array.size)
        roundings = min(count, _BLOCK + math.log2(count + 1)) / 2 + 6

        def absolute() -> float:
            return math.sqrt(count) * x.absolute + roundings * found.most

        found = _scattered(array, lambda: x.relative + roundings, absolute, x)
        return found

    def pull(
        self, array: Any, position: int, g: Estimate, y: Estimate, own: Operands
    ) -> Estimate:
        (x,) = own

        def relative() -> float:
            return g.ratio + x.relative + y.ratio + 4

        def absolute() -> float:
            if not y.least:
                return math.inf
            of_direction = x.absolute / y.least + y.ratio
            return g.most * of_direction + g.absolute + 4 * g.most

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

    def push(
        self, row: Whole, tangents: Tangents, y: Estimate, own: Operands
    ) -> Estimate:
        """The same as an adjoint: the Jacobian is symmetric."""
        t, pulled = tangents[0], row.pull(0)
        assert t is not None
        assert pulled is not None
        array = pulled(np, t.array, y.array, *(e.array for e in own))
        return self.pull(array, 0, t, y, own)


class _LogSumExp(_Reduction):
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


class _CrossEntropy(_Reduction):
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
