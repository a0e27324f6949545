"""A trust region: steps to the least value of a parabola, within a radius in which it has proved right.

    m(p) = f + g p + p H p / 2,   |p| <= radius

The minimum is looked for by conjugate gradients, which need products of the Hessian with a vector only; they leave the
region where they meet its boundary or negative curvature (Steihaug 1983; Nocedal and Wright, *Numerical Optimization*,
algorithms 4.1 and 7.2).
"""

from __future__ import annotations

import math

from exprgrad.errors import DomainError
from exprgrad.optimize.descent import Point
from exprgrad.optimize.objective import Entries, Objective
from exprgrad.optimize.options import Options
from exprgrad.optimize.second_order import ROUNDING, SecondOrder, as_low

ENOUGH, GOOD, POOR = 0.15, 0.75, 0.25
"""How much of the promised decrease a step needs; from where the radius grows, and below which it shrinks."""

LEAST_RADIUS = 1e-18
"""Relative to the size of the point, or to 1: a smaller step changes nothing."""


class TrustRegion(SecondOrder):
    """The method; see above."""

    def __init__(self, objective: Objective, options: Options) -> None:
        super().__init__(objective, options)
        self._radius = 1.0

    def lower(self, here: Point) -> Point | None:
        """The next point, by a step that does what the parabola promised."""
        size = max(1.0, math.hypot(*here.entries))
        while LEAST_RADIUS * size < self._radius < math.inf:
            step, promised = self._step(here)
            there = self.tried(self.objective.moved(here.entries, 1.0, step))
            won = -math.inf if there is None else here.value - there.value
            if there is not None and as_low(here, there):
                return there
            if won < POOR * promised:
                self._radius = math.hypot(*step) / 4
            elif won > GOOD * promised and math.hypot(*step) > 0.99 * self._radius:
                self._radius *= 2
            if there is not None and won > 0 and won >= ENOUGH * promised:
                return there
            if promised <= ROUNDING * abs(here.value):
                break  # smaller steps promise less still
        self._radius = 1.0
        return None

    def _step(self, here: Point) -> tuple[Entries, float]:
        """The step to the least value of the parabola within the radius, and the decrease that it promises.

        All of it is computed with the gradient scaled to 1, so that squares neither overflow nor vanish.
        """
        dot, moved = self.objective.dot, self.objective.moved
        enough = min(0.5, math.sqrt(here.norm))
        step = [0.0] * len(here.entries)
        rest = [g / here.norm for g in here.gradient]
        direction = [-r for r in rest]
        promised = 0.0
        for _ in range(2 * len(step) + 2):
            turned = self._product(here, direction)
            bend = 0.0 if turned is None else dot(direction, turned)
            if not math.isfinite(bend):
                turned, bend = None, 0.0
            if turned is None and any(step):
                break  # as far as the curvature is known
            square = dot(rest, rest)
            length = square / bend if bend > 0 else math.inf
            inside = moved(step, length, direction) if length < math.inf else []
            if turned is None or not inside or math.hypot(*inside) >= self._radius:
                length = self._to_boundary(step, direction)
                promised += length * (square - length * bend / 2)
                step = moved(step, length, direction)
                break
            promised += length * square / 2
            step, rest = inside, moved(rest, length, turned)
            if math.hypot(*rest) <= enough:
                break
            direction = moved([-r for r in rest], dot(rest, rest) / square, direction)
        return step, promised * here.norm

    def _product(self, here: Point, direction: Entries) -> Entries | None:
        """The Hessian times a direction, scaled like the gradient; None where there is none."""
        try:
            found = self.objective.hessian_product(here.entries, direction)
        except DomainError as error:
            self.problem = error
            return None
        scaled = [x / here.norm for x in found]
        return scaled if math.isfinite(sum(map(abs, scaled))) else None

    def _to_boundary(self, step: Entries, direction: Entries) -> float:
        """How far along a direction the radius ends."""
        dot = self.objective.dot
        square, along = dot(direction, direction), dot(step, direction)
        left = self._radius**2 - dot(step, step)
        return (math.sqrt(along * along + square * max(left, 0.0)) - along) / square
