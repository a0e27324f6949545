"""L-BFGS: the curvature is learned from how the gradient changed in the last steps.

    direction = -H g,   with H from the last pairs  s = x' - x,  y = g' - g   (Nocedal 1980)

A search along the direction bisects until a point is lower by enough and the slope there has flattened (the weak Wolfe
conditions). That also works where the function has corners (Lewis and Overton 2013). With bounds, the search bends
where it meets one, and variables that the gradient presses against theirs stay (Bertsekas 1982).
"""

from __future__ import annotations

import math
from collections import deque

from exprgrad.optimize.descent import Point
from exprgrad.optimize.objective import Entries, Objective
from exprgrad.optimize.options import Options
from exprgrad.optimize.second_order import SecondOrder, as_low

MEMORY = 20
"""Steps that the curvature is learned from."""

LOWER, FLATTER = 1e-4, 0.9
"""Shares of the slope at the start: how much lower a point has to be, and how steep it may still be."""

TRIALS = 60
"""Points of a search, at most."""

Pair = tuple[Entries, Entries, float]
"""A step, the change of the gradient, and their product, which is positive."""


class LimitedMemory(SecondOrder):
    """The method; see above."""

    def __init__(self, objective: Objective, options: Options) -> None:
        super().__init__(objective, options)
        self._pairs: deque[Pair] = deque(maxlen=MEMORY)

    def lower(self, here: Point) -> Point | None:
        """The next point; along the gradient alone where what was learned leads nowhere."""
        there = None
        if self._pairs:
            there = self._searched(here, self._direction(here), 1.0)
        if there is None:
            self._pairs.clear()
            free = self.objective.free(here.entries, here.gradient, here.gradient)
            down = [
                -g / here.norm for g in free
            ]  # a unit, whose squares do not overflow
            there = self._searched(here, down, min(1.0, here.norm))
        if there is not None:
            # a step is remembered if the slope along it has increased
            moved = self.objective.moved
            pair = self._pair(
                moved(there.entries, -1.0, here.entries),
                moved(there.gradient, -1.0, here.gradient),
            )
            self._pairs += [] if pair is None else [pair]
        return there

    def _pair(self, step: Entries, change: Entries) -> Pair | None:
        dot = self.objective.dot
        product = dot(step, change)
        known = 1e-16 * dot(change, change) < product < math.inf
        return (step, change, product) if known else None

    def _direction(self, here: Point) -> Entries:
        """-H g, by a loop back over the steps and one forward; what is pressed against a bound stays."""
        dot, moved = self.objective.dot, self.objective.moved
        pairs = self._free_pairs(here)
        vector = self.objective.free(here.entries, here.gradient, here.gradient)
        weights = []
        for step, change, product in reversed(pairs):
            weights.append(dot(step, vector) / product)
            vector = moved(vector, -weights[-1], change)
        if pairs:
            _, change, product = pairs[-1]
            scale = product / dot(change, change)
            vector = [scale * v for v in vector]
        for (step, change, product), weight in zip(
            pairs, reversed(weights), strict=True
        ):
            vector = moved(vector, weight - dot(change, vector) / product, step)
        return [-v for v in vector]

    def _free_pairs(self, here: Point) -> list[Pair]:
        """The remembered pairs, without the variables that the gradient presses against a bound."""
        if not self.objective.bounded:
            return list(self._pairs)
        own = []
        for step, change, _ in self._pairs:
            at, slope, free = here.entries, here.gradient, self.objective.free
            pair = self._pair(free(at, slope, step), free(at, slope, change))
            if pair is not None:
                own.append(pair)
        return own

    def _searched(self, here: Point, direction: Entries, length: float) -> Point | None:
        """A point along a direction that is lower by enough, and where the slope is flatter if there is one."""
        dot, moved = self.objective.dot, self.objective.moved
        slope = dot(here.gradient, direction)
        if not -math.inf < slope < 0:
            return None
        low, high, best = 0.0, math.inf, None
        for _ in range(TRIALS):
            there, rest = self._tried(here, direction, length)
            if there is not None and as_low(here, there):
                return there
            way = None if there is None else moved(there.entries, -1.0, here.entries)
            if (
                there is None
                or way is None
                or there.value > here.value + LOWER * dot(here.gradient, way)
            ):
                high = length
            elif dot(there.gradient, rest) < FLATTER * slope:
                # so short a step that the value stays the same is too short
                low, best = length, there if there.value < here.value else best
            elif there.value == here.value:
                high = length
            else:
                return there
            length = 2 * length if high == math.inf else (low + high) / 2
        return best

    def _tried(
        self, here: Point, direction: Entries, length: float
    ) -> tuple[Point | None, Entries]:
        """The point so far along, if it has a value, and the direction less what is held by a bound there."""
        ahead = self.objective.moved(here.entries, length, direction)
        entries = self.objective.clipped(ahead)
        rest = [d * (a == e) for d, a, e in zip(direction, ahead, entries, strict=True)]
        return self.tried(entries), rest
