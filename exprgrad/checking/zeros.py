"""The zeros of a function of one number: between points where it changes its sign, and where it touches 0.

zeros([(-1.0, 1.0), (0.0, -2.0), (3.0, 7.0)], lambda x: x * x - 2)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

Function = Callable[[float], "float | None"]
Values = Sequence["tuple[float, float | None]"]


def zeros(values: Values, value: Function, most: int | None = None) -> Iterator[float]:
    """Zeros of a function: where it changes its sign between these points, `most` of them, and where it touches 0."""
    yield from sign_changes(values, value, most)
    for (a, u), (b, v), (c, w) in zip(values, values[1:], values[2:], strict=False):
        if u and v and w and not u == v == w:
            # is it of one sign, and nearest to 0 at the middle place?
            sign = math.copysign(1.0, v)
            if sign * u >= sign * v <= sign * w:
                yield from _touched(value, a, c, b)


def _touched(value: Function, a: float, c: float, middle: float) -> Iterator[float]:
    """Yield where a function reaches 0 around the place between a and c at which it comes nearest to it."""
    start, low, high, nearest = value(a) or 0.0, a, c, math.inf
    tiny = 1e-13 * (1 + abs(start))
    for count in range(1, 91):
        third = (high - low) / 3
        u, v = value(low + third), value(high - third)
        if u is None or v is None:
            return
        # with a single dip, the third behind the larger of the two cannot hold the least
        low, high = (low, high - third) if abs(u) <= abs(v) else (low + third, high)
        if (u < 0) != (start < 0):
            middle = low + third
            break
        middle = (low + high) / 2
        if not count % 10:  # the places are 58 times closer together: is 0 as well?
            least = min(abs(u), abs(v))
            if least > max(nearest / 2, tiny):
                return
            nearest = least
    here = value(middle)
    if here is None:
        return
    if here and (here < 0) != (start < 0):
        yield _bisected(value, a, middle, start)
        yield _bisected(value, middle, c, here)
    elif abs(here) <= tiny:
        yield middle


def sign_changes(
    values: Values, value: Function, most: int | None = None
) -> Iterator[float]:
    """Zeros of a function among these points and between those where it changes its sign.

    With `most`, so many of them next to 0.
    """
    brackets = []
    for (a, u), (b, v) in itertools.pairwise(values):
        if u == 0:
            brackets.append((a, a, u))
        elif u and v and (u < 0) != (v < 0):
            brackets.append((a, b, u))
    brackets.sort(key=lambda bracket: min(abs(bracket[0]), abs(bracket[1])))
    return (_bisected(value, *bracket) for bracket in brackets[:most])


def _bisected(value: Function, a: float, b: float, at_a: float) -> float:
    """A zero, or a jump over it, between a and b."""
    while a < (middle := (a + b) / 2) < b:
        here = value(middle)
        if not here:
            return middle
        a, b = (middle, b) if (here < 0) == (at_a < 0) else (a, middle)
    return min(a, b, key=lambda x: abs(value(x) or 0.0))
