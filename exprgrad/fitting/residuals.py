"""A model at its data: residuals with their Jacobian, and the mean of a loss as an objective."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np

from exprgrad.annotations import Any
from exprgrad.errors import (
    DomainError,
    ExprgradError,
    UsageError,
)
from exprgrad.expressions.expression import Expression
from exprgrad.fitting.model import Model
from exprgrad.optimize.objective import Bounds, Entries, Objective, limits

Array = np.ndarray[Any, np.dtype[np.float64]]

LONGEST_FORMULA = 2000
"""The most operations of a model that is searched for linear parameters."""


class Residuals:
    """The residuals of a model (predicted minus observed) and their Jacobian with respect to the parameters."""

    def __init__(self, model: Model) -> None:
        self.model = model
        count = {len(model.columns[name]) for name in model.used} or {0}
        if len(count) > 1:
            raise UsageError("the columns have different lengths")
        self.points = count.pop()
        if self.points < len(model.parameters):
            points = "1 point does" if self.points == 1 else f"{self.points} points do"
            raise UsageError(
                f"{points} not determine {len(model.parameters)} parameters",
                hint="as many points as parameters, or more",
            )
        known = {n: np.array(model.columns[n], float) for n in model.used}
        self.known = known | model.constants
        self.target = self._column(model.target)
        self.evaluations = 0
        self._compiled = model.prediction.compile(model.parameters)
        self._last: tuple[bytes, Array, Array] | None = None
        self.fault: ExprgradError | None = None

    def _column(self, side: Expression) -> Array:
        given = [self.known[name] for name in side.variables]
        rows = side.compile(()).arrays(*given)
        if rows.faults:
            raise located(*next(iter(rows.faults.items())))
        return np.broadcast_to(rows.value, (self.points,)).copy()

    def predicted(self, values: Array) -> tuple[Array, Array]:
        """Predictions and their Jacobian, a row per point. Raises `DomainError` with the row."""
        if not np.isfinite(values).all():
            raise DomainError("a parameter is no longer finite")
        at = dict(zip(self.model.parameters, values.tolist(), strict=True))
        given = [at[n] if n in at else self.known[n] for n in self._compiled.variables]
        self.evaluations += 1
        rows = self._compiled.arrays(*given)
        if rows.faults:
            raise located(*next(iter(rows.faults.items())))
        shape = (self.points,)
        value = np.broadcast_to(rows.value, shape)
        jacobian = np.broadcast_to(rows.gradient, (len(values), *shape)).T
        return value, np.ascontiguousarray(jacobian)

    def at(self, values: Array) -> tuple[Array, Array]:
        """Residuals and Jacobian; where they do not exist, large residuals and the last Jacobian."""
        key = values.tobytes()
        if self._last is not None and self._last[0] == key:
            return self._last[1:]
        try:
            value, jacobian = self.predicted(values)
        except DomainError as error:
            if self._last is None:
                raise
            self.fault = error
            worse = 10 * np.abs(self._last[1]) + np.abs(self.target).max() + 1.0
            return worse, self._last[2]
        self._last = key, value - self.target, jacobian
        return self._last[1:]

    def linear(self) -> list[int]:
        """The positions of parameters in which, together, the prediction is linear."""
        right = self.model.prediction
        found: list[int] = []
        if len(right.tape.steps) > LONGEST_FORMULA:
            return []
        for i, name in enumerate(self.model.parameters):
            others = {self.model.parameters[j] for j in found} | {name}
            try:
                slope = right.derivative(name)
            except ExprgradError:
                continue
            if not others & set(slope.variables):
                found.append(i)
        return found


def located(row: int, error: ExprgradError) -> ExprgradError:
    """The error of a row, with its number from 1."""
    error.message = f"row {row + 1}: {error.message}"
    error.args = (error.message,)
    return error


class MeanLoss(Objective):
    """The mean of a loss over all points, or over a batch that changes with every step."""

    has_curvature = False

    def __init__(
        self, model: Model, loss: str, bounds: Bounds, batch: int | None, seed: int
    ) -> None:
        self._problem = Residuals(model)
        self.expression = model.loss(loss)
        self.names = model.parameters
        self.start: Entries = [model.start[name] for name in self.names]
        self.limits = limits(self.names, bounds)
        self._compiled = self.expression.compile(self.names, subgradient=True)
        known = self._problem.known
        self._known = {n: known[n] for n in self.expression.variables if n in known}
        points = self._problem.points
        if batch is not None and not 1 <= batch <= points:
            raise UsageError(f"a batch has from 1 to {points} points, not {batch}")
        self._batches = None if batch is None else _batches(points, batch, seed)

    def evaluate(self, entries: Sequence[float]) -> tuple[float, Entries]:
        """The mean loss and its gradient, over all points or the next batch."""
        chosen = slice(None) if self._batches is None else next(self._batches)
        return self._mean(entries, chosen)

    def over_all(self, entries: Sequence[float]) -> tuple[float, Entries]:
        """The mean loss and its gradient, over all points."""
        return self._mean(entries, slice(None))

    def _mean(self, entries: Sequence[float], chosen: Any) -> tuple[float, Entries]:
        at = self.at(entries)
        given = [
            at[n] if n in at else _chosen(self._known[n], chosen)
            for n in self.expression.variables
        ]
        rows = self._compiled.arrays(*given)
        if rows.faults:
            raise located(*next(iter(rows.faults.items())))
        return float(rows.value.mean()), rows.gradient.mean(axis=1).tolist()


def _chosen(column: Any, chosen: Any) -> Any:
    return column if np.ndim(column) == 0 else column[chosen]


def _batches(points: int, size: int, seed: int) -> Iterator[Any]:
    """Batches of indices: every pass takes all points in a new order."""
    order = list(range(points))
    shuffled = random.Random(seed)
    while True:
        shuffled.shuffle(order)
        for start in range(0, points, size):
            yield np.array(order[start : start + size])
