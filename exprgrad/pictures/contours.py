"""Contours of a function of two variables, by marching squares, and its gradients at points between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from exprgrad.annotations import Any
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.pictures.plot_data import Field, Place, Window
from exprgrad.pictures.windows import ticks

CELLS = 56
"""Squares along each side."""

LINES = 11
ARROWS = 9
"""Arrows along each side."""


def field(
    expression: Expression,
    given: Mapping[str, Any],
    across: str,
    up: str,
    window: Window,
) -> Field:
    """The contours and gradients in a window."""
    w = window
    xs = [w.left + (w.right - w.left) * i / CELLS for i in range(CELLS + 1)]
    ys = [w.bottom + (w.top - w.bottom) * i / CELLS for i in range(CELLS + 1)]
    others = {n: x for n, x in given.items() if n in expression.variables}

    @cache  # of the middle of a square each contour that crosses it asks
    def value(x: float, y: float) -> float | None:
        try:
            found = expression.evaluate({**others, across: x, up: y}, (), digits=5)
        except ExprgradError:
            return None
        return found.value

    grid = [[value(x, y) for x in xs] for y in ys]
    heights = levels([z for row in grid for z in row if z is not None])
    lines = [
        tuple(line)
        for height in heights
        for line in _joined(list(_segments(xs, ys, grid, height, value)))
    ]
    return Field(tuple(lines), tuple(heights), tuple(_arrows(expression, others, across, up, w)))  # fmt: skip


def levels(values: list[float]) -> list[float]:
    """Heights: as many values lie between two as between any others, so that valleys are seen as well."""
    if not values:
        return []
    ranked = sorted(values)
    if ranked[0] == ranked[-1]:
        return []
    shares = [(i + 0.5) / LINES for i in range(LINES)]
    found = [ranked[int(t * (len(ranked) - 1))] for t in shares]
    if found[-1] - found[0] < 8 * (found[len(found) // 2 + 1] - found[len(found) // 2 - 1]):  # fmt: skip
        return ticks(ranked[0], ranked[int(0.97 * (len(ranked) - 1))], LINES)
    return list(dict.fromkeys(found))


def _segments(
    xs: list[float],
    ys: list[float],
    grid: list[list[float | None]],
    height: float,
    value: Callable[[float, float], float | None],
) -> Iterator[tuple[Place, Place]]:
    """The pieces of a contour in each square, with its ends where the values between two corners reach the height."""
    for j in range(len(ys) - 1):
        for i in range(len(xs) - 1):
            corners = [(xs[i], ys[j], grid[j][i]), (xs[i + 1], ys[j], grid[j][i + 1]), (xs[i + 1], ys[j + 1], grid[j + 1][i + 1]), (xs[i], ys[j + 1], grid[j + 1][i])]  # fmt: skip
            known = [z for *_, z in corners if z is not None]
            if len(known) < 4 or not min(known) < height <= max(known):
                continue
            ends: list[Place] = []
            for k in range(4):
                (a, b, u), (c, d, v) = corners[k], corners[(k + 1) % 4]
                if u is not None and v is not None and (u < height) != (v < height):
                    t = (height - u) / (v - u)
                    ends.append((a + t * (c - a), b + t * (d - b)))
            middle = sum(known) / 4
            # a jump or a pole between the corners is no contour: the middle would lie far from the mean
            if max(known) - min(known) > 0:
                real = value((xs[i] + xs[i + 1]) / 2, (ys[j] + ys[j + 1]) / 2)
                if real is None or abs(real - middle) > 0.75 * (max(known) - min(known)):  # fmt: skip
                    continue
            if len(ends) == 4 and (middle < height) != (corners[0][2] < height):  # type: ignore[operator] # known
                ends = [ends[3], *ends[:3]]
            for k in range(0, len(ends) - 1, 2):
                yield ends[k], ends[k + 1]


def _joined(segments: list[tuple[Place, Place]]) -> Iterator[list[Place]]:
    """Pieces that meet, as lines."""
    at: dict[Place, list[int]] = {}
    for i, ends in enumerate(segments):
        for end in ends:
            at.setdefault(_key(end), []).append(i)
    used: set[int] = set()
    for i, (a, b) in enumerate(segments):
        if i in used:
            continue
        used.add(i)
        line = [a, b]
        for _ in range(2):
            while True:
                ahead = [k for k in at[_key(line[-1])] if k not in used]
                if not ahead:
                    break
                used.add(ahead[0])
                c, d = segments[ahead[0]]
                line.append(d if _key(c) == _key(line[-1]) else c)
            line.reverse()
        yield line


def _key(place: Place) -> Place:
    return float(f"{place[0]:.9g}"), float(f"{place[1]:.9g}")


def _arrows(
    expression: Expression, others: Mapping[str, Any], across: str, up: str, w: Window
) -> Iterator[tuple[float, float, float, float]]:
    for i in range(ARROWS):
        for j in range(ARROWS):
            x = w.left + (w.right - w.left) * (i + 0.5) / ARROWS
            y = w.bottom + (w.top - w.bottom) * (j + 0.5) / ARROWS
            try:
                found = expression.evaluate({**others, across: x, up: y}, (across, up))
            except ExprgradError:
                continue
            dx, dy = found.gradient[across], found.gradient[up]
            if dx is not None and dy is not None and math.hypot(dx, dy) > 0:
                yield x, y, dx, dy
