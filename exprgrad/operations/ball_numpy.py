"""NumPy's functions on balls: what stands for `np` in the kernels of operations on whole arrays, with bounds.

    table.SOFTMAX.value(BALL_NUMPY, ArrayBall.of(x))             # the same rule, and how far it may be off

What only moves elements takes their bounds along. A sum of n terms adds an error of at most n (in pairs about
log n) to the sum of their sizes (Higham, chapter 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from exprgrad.annotations import Any
from exprgrad.operations import table
from exprgrad.operations.array_balls import (
    UNIT,
    WHOLE,
    ArrayBall,
    as_ball,
    function,
)

_BLOCK = 25.0
"""More than the roundings of a term of NumPy's pairwise sums before pairs are made."""


_OF_TABLE = {"exp": table.EXP, "log": table.LN, "sqrt": table.SQRT, "abs": table.ABS}


class _BallNumPy:
    """The functions of NumPy that the kernels name."""

    def __getattr__(self, name: str) -> Any:
        """A function of the table, or one that only moves elements."""
        if name in _OF_TABLE:
            return partial(function, _OF_TABLE[name])
        apply = getattr(np, name)

        def moved(*arguments: Any, **options: Any) -> Any:
            first, *more = arguments
            if isinstance(first, ArrayBall):
                return first.moved(lambda array: apply(array, *more, **options))
            return apply(*arguments, **options)

        return moved

    shape, size = staticmethod(np.shape), staticmethod(np.size)

    def sum(self, x: Any, axis: Any = None, keepdims: bool = False) -> ArrayBall:
        return summed(as_ball(x), axis, keepdims)

    def mean(self, x: Any, axis: Any = None) -> ArrayBall:
        total = self.sum(x, axis)
        return total / float(x.size // max(1, total.size))

    def max(self, x: ArrayBall, axis: Any = None, keepdims: bool = False) -> ArrayBall:
        return _extreme(np.max, x, axis, keepdims)

    def min(self, x: ArrayBall, axis: Any = None, keepdims: bool = False) -> ArrayBall:
        return _extreme(np.min, x, axis, keepdims)

    def matmul(self, x: Any, y: Any) -> ArrayBall:
        return _contracted(np.matmul, as_ball(x), as_ball(y))

    def dot(self, x: Any, y: Any) -> ArrayBall:
        return _contracted(np.dot, as_ball(x), as_ball(y))

    def tensordot(self, x: Any, y: Any, axes: Any) -> ArrayBall:
        return _contracted(lambda a, b: np.tensordot(a, b, axes), as_ball(x), as_ball(y))  # fmt: skip

    def stack(self, parts: Sequence[Any]) -> ArrayBall:
        balls = list(map(as_ball, parts))
        mid = np.stack([ball.mid for ball in balls])
        if all(ball.has_ratio for ball in balls):
            names = "relative", "scale", "most"
            relative, *exact = (max(getattr(b, n) for b in balls) for n in names)
            return ArrayBall(mid, relative, 0.0, *exact)
        errors = [np.broadcast_to(ball.error, ball.shape) for ball in balls]
        return ArrayBall(mid, 0.0, np.stack(errors))

    def put_along_axis(
        self, x: ArrayBall, places: Any, g: ArrayBall, axis: int
    ) -> None:
        x.write(lambda array, own: np.put_along_axis(array, places, own, axis), g)

    class add:  # noqa: N801 # NumPy's function
        """NumPy's sum, of which kernels name one method alone."""

        @staticmethod
        def at(x: ArrayBall, key: Any, g: ArrayBall) -> None:
            """Add numbers to zeros in places, some of which may be named several times."""

            def put(own: Any) -> Any:
                found = np.zeros(x.shape)
                np.add.at(found, key, np.broadcast_to(own, g.shape))
                return found

            x.mid += put(g.mid)
            x.absolute = put(g.error) + put(np.abs(g.mid)) * put(1.0)


BALL_NUMPY = _BallNumPy()


def summed(x: ArrayBall, axis: Any = None, keepdims: bool = False) -> ArrayBall:
    """Sums of all elements, or of those along axes."""

    def apply(array: Any) -> Any:
        return np.asarray(np.sum(array, axis=axis, keepdims=keepdims))

    mid = apply(x.mid)
    count = x.size // max(1, mid.size)
    if x.is_exact and x.most * count * x.scale <= WHOLE:
        return ArrayBall(mid, 0.0, 0.0, x.scale, x.most * count)
    paired = axis is None and x.mid.flags.forc  # else not in one loop
    roundings = (
        min(count - 1.0, _BLOCK + math.log2(count + 1)) if paired else count - 1.0
    )
    error = apply(np.abs(x.mid)) * (roundings + x.relative)
    if not x.has_ratio:
        scalar = np.ndim(x.absolute) == 0
        error = error + (count * x.absolute if scalar else apply(np.broadcast_to(x.absolute, x.shape)))  # fmt: skip
    return ArrayBall(mid, 0.0, error)


def _extreme(
    apply: Callable[..., Any], x: ArrayBall, axis: Any, keepdims: bool
) -> ArrayBall:
    """The largest element, or the least, of all or of those along an axis."""
    options = {"axis": axis, "keepdims": keepdims}
    mid = np.asarray(apply(x.mid, **options))
    absolute = x.absolute
    if np.ndim(absolute):
        absolute = np.max(np.broadcast_to(absolute, x.shape), **options)
    return ArrayBall(mid, x.relative, absolute, x.scale, x.most)


def _contracted(
    apply: Callable[[Any, Any], Any], x: ArrayBall, y: ArrayBall
) -> ArrayBall:
    """Sums of products."""
    mid = np.asarray(apply(x.mid, y.mid))
    count = 1
    if x.ndim and y.ndim:  # every product goes into one sum
        count = max(1, round(math.sqrt(x.size * y.size / max(1, mid.size))))
    most = x.most * y.most * count
    if x.is_exact and y.is_exact and most * x.scale * y.scale <= WHOLE:
        return ArrayBall(mid, 0.0, 0.0, x.scale * y.scale, most)
    a, b = np.abs(x.mid), np.abs(y.mid)
    error = apply(a, b) * (count + x.relative + y.relative)
    if not x.has_ratio:
        error = error + apply(np.broadcast_to(x.absolute, x.shape), b)
    if not y.has_ratio:
        reach = a if x.is_exact else a + x.error * UNIT
        error = error + apply(reach, np.broadcast_to(y.absolute, y.shape))
    return ArrayBall(mid, 0.0, error)
