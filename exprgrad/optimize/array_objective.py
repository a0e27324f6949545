"""Minimising an expression in arrays: its variables as one flat array.

    W = [[...]] and b = [...] are one entry of a descent, so that a step is a few NumPy operations.

Value and gradient come from a program that is written once, for the shapes at the start: a list of calls of NumPy
functions, forward and back, into arrays that are reused. If it meets a fault, `Expression.evaluate` says what is wrong.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from exprgrad.annotations import Any
from exprgrad.compiled.array_program import Unsupported, compiled
from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.optimize.objective import (
    LEAST_SCALE,
    Bounds,
    Entries,
    Limits,
    Objective,
    limits,
    pressed,
)

MOST_FOR_DOT = 10_000
"""For longer vectors `numpy.dot` starts threads, which cost more than they gain on a busy machine."""


class ArrayObjective(Objective):
    """An expression as a function of some of its variables, together one flat array."""

    has_curvature = False

    def __init__(
        self,
        expression: Expression,
        start: Mapping[str, Any],
        fixed: Mapping[str, Any] | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        self.expression = expression
        self.names = self.changed(expression, start, fixed)
        point = expression.array_point({**(fixed or {}), **start})
        shapes = [np.shape(point[name]) for name in self.names]
        sizes = [math.prod(shape) for shape in shapes]
        ends = itertools.pairwise(np.cumsum([0, *sizes]).tolist())
        places = (slice(*pair) for pair in ends)
        self._parts = [*zip(self.names, places, shapes, strict=True)]
        own = [np.ravel(point[name]) for name in self.names]
        self.start: Entries = [np.concatenate(own).astype(np.float64)]
        self._fixed = {n: x for n, x in point.items() if n not in self.names}
        if np.size(expression.evaluate(point, ()).value) != 1:
            what = "only a number can be minimised, and this is an array"
            raise UsageError(what, hint="take its sum(...), mean(...) or norm(...)")
        self.bounded = bool(bounds)
        each = limits(self.names, bounds or {})
        self.limits = Limits(
            *([np.repeat(np.array(pair), sizes)] for pair in each)  # type: ignore[arg-type] # arrays for numbers
        )
        try:
            self._run: Any = compiled(expression.tape, point, self.names)
        except Unsupported:
            self._run = None

    def at(self, entries: Sequence[Any]) -> dict[str, Any]:
        """The variables by name, in their shapes."""
        flat = entries[0]
        return {
            name: flat[place].reshape(shape) if shape else float(flat[place][0])
            for name, place, shape in self._parts
        }

    def entries(self, variables: Mapping[str, Any]) -> Entries:
        """The variables by name as one flat array."""
        return [np.concatenate([np.ravel(variables[name]) for name in self.names])]

    def evaluate(self, entries: Sequence[Any]) -> tuple[float, Entries]:
        """The value and the flat gradient. Raises `DomainError`."""
        if self._run is not None:
            value, gradient = self._run(entries[0])
            # one test for all of it: a fault leaves nan or infinity; finite numbers with huge squares only take longer
            if math.isfinite(value + _dot(gradient, gradient)):
                return value, [gradient]
        at = self.at(entries) | self._fixed
        found = self.expression.evaluate(at, self.names, refine=False)
        assert found.gradient is not None
        own = [np.ravel(np.asarray(partial)) for partial in found.gradient.values()]
        return float(found.value), [np.concatenate(own)]

    def clipped(self, entries: Entries) -> Entries:
        """The nearest point within the bounds."""
        if not self.bounded:
            return entries
        return [np.clip(entries[0], self.limits.lower[0], self.limits.upper[0])]

    def free(self, entries: Entries, gradient: Entries, vector: Entries) -> Entries:
        """A vector, with 0 where the gradient presses against a bound."""
        if not self.bounded:
            return vector
        held = pressed(entries[0], gradient[0], *(own[0] for own in self.limits))
        return [np.where(held, 0.0, vector[0])]

    def norm(self, entries: Entries, gradient: Entries) -> float:
        """The length of the gradient, less what is pressed against a bound."""
        g = self.free(entries, gradient, gradient)
        length = math.sqrt(self.dot(g, g))
        # beyond, squares overflow or vanish
        return length if 1e-150 < length < 1e150 else float(np.hypot.reduce(g[0]))

    def largest(self, before: Entries | None, gradient: Entries) -> Entries:
        """The sizes of the partials, or those before where they were greater."""
        sizes = np.abs(gradient[0])
        return [sizes if before is None else np.maximum(before[0], sizes)]

    def relative(self, gradient: Entries, largest: Entries) -> Entries:
        """The partials relative to the largest so far, where these are less than 1."""
        least = LEAST_SCALE * largest[0].max()
        scale = np.clip(np.maximum(largest[0], least), None, 1.0)
        return [gradient[0] / np.where(scale > 0, scale, 1.0)]

    def dot(self, left: Entries, right: Entries) -> float:
        """The scalar product of two vectors."""
        return _dot(left[0], right[0])

    def moved(self, entries: Entries, length: float, direction: Entries) -> Entries:
        """A point, or any vector, and so many times another."""
        with np.errstate(all="ignore"):  # what overflows is judged afterwards
            return [entries[0] + length * direction[0]]

    def same(self, left: Entries, right: Entries) -> bool:
        """Return whether two points are the same."""
        return bool((left[0] == right[0]).all())

    def finite(self, entries: Entries) -> bool:
        """Return whether every number is finite."""
        flat = entries[0]
        return math.isfinite(_dot(flat, flat)) or bool(np.isfinite(flat).all())

    def furthest(self, entries: Entries) -> tuple[str, float]:
        """The element that is largest in size, and its value."""
        sizes = np.where(np.isnan(entries[0]), np.inf, np.abs(entries[0]))
        place = int(np.argmax(sizes))
        name, own, shape = next(part for part in self._parts if place < part[1].stop)
        index = [int(i) for i in np.unravel_index(place - own.start, shape)]
        return f"{name}{index if index else ''}", float(entries[0][place])


def _dot(left: Any, right: Any) -> float:
    """The scalar product of two arrays, in this thread."""
    if left.size > MOST_FOR_DOT:
        return float(np.einsum("i,i", left, right))
    return float(left.dot(right))
