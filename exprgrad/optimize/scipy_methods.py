"""Quasi-Newton and trust-region methods: SciPy's, with this engine's gradients and Hessian products.

Where a trial point has no value, the method is told of one that is too high, so that it comes back
nearer; what it ends with is evaluated again and judged by its gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from exprgrad.errors import DomainError
from exprgrad.optimize.callbacks import Line, pulled
from exprgrad.optimize.descent import (
    DescentStep,
    Minimum,
    Steps,
    Stop,
    away,
    gone,
    minimum,
    stopped,
)
from exprgrad.optimize.objective import Objective
from exprgrad.optimize.options import Options

Array = np.ndarray[Any, np.dtype[np.float64]]


def descend(objective: Objective, options: Options) -> Steps:
    """The steps of SciPy's method as they come, and where it ends."""
    run = _Run(objective, options)
    yield run.last
    if not run.stop():
        yield from pulled(run.finish)
    return run.end()


class _Run:
    """The functions that SciPy calls, and the last of the points that it accepted."""

    def __init__(self, objective: Objective, options: Options) -> None:
        self.objective, self.options = objective, options
        self.problem: DomainError | None = None
        self._known: dict[bytes, tuple[float, Array]] = {}
        self._line = Line()
        entries = objective.clipped(objective.start)
        self._best = np.array(entries, float).ravel()
        value, gradient = objective.evaluate(entries)
        self._remember(self._best, value, np.array(gradient, float).ravel())
        self.first = self.last = self._step(0)

    def value(self, x: Array) -> tuple[float, Array]:
        """The value and the gradient; where there is none, a value that is too high."""
        found = self._known.get(x.tobytes())
        if found is not None:
            return found
        self._line.check()
        try:
            value, gradient = self.objective.evaluate(self._entries(x))
        except DomainError as error:
            self.problem = error
            return self.last.value + abs(self.last.value) + 1.0, np.zeros(len(x))
        slope = np.array(gradient, float).ravel()
        self._remember(x, value, slope)
        return value, slope

    def curvature(self, x: Array, vector: Array) -> Array:
        """The Hessian times a vector."""
        own = self.objective.hessian_product(self._entries(x), vector.tolist())
        return np.array(own, float)

    def accept(self, intermediate_result: Any) -> None:
        """SciPy's callback: a step is done."""
        x = intermediate_result.x
        if x.tobytes() != self._best.tobytes() and x.tobytes() in self._known:
            self._best = x.copy()
            self.last = self._step(self.last.step + 1)
            self._line.give(self.last)
            if self.stop():
                raise StopIteration

    def finish(self, line: Line) -> None:
        """Run the method, which gives its steps to the line."""
        self._line = line
        optimize.minimize(
            self.value,
            self._best.copy(),
            jac=True,
            callback=self.accept,
            **self._how(),
        )

    def _how(self) -> dict[str, Any]:
        most = self.options.steps
        if self.options.method == "trust":
            limit: dict[str, Any] = {"maxiter": most, "gtol": 0.0}
            return {"method": "trust-ncg", "hessp": self.curvature, "options": limit}
        limit = {"maxiter": most, "maxfun": 20 * most + 20, "maxcor": 20, "maxls": 50}
        exact = {"ftol": 0.0, "gtol": 0.0}
        return {
            "method": "L-BFGS-B",
            "bounds": optimize.Bounds(*map(np.ravel, self.objective.limits)),
            "options": limit | exact,
        }

    def end(self) -> Minimum:
        """The last accepted point, judged by its gradient."""
        value, gradient = self._known[self._best.tobytes()]
        stop = self.stop() or self._stalled(self.last.gradient_norm)
        self.objective.done(self._entries(self._best))
        return minimum(
            self.objective, self.options, self._entries(self._best), value,
            self._unflat(gradient), self.last.step, stop,
        )  # fmt: skip

    def stop(self) -> Stop | None:
        """Why the last step is the end; None where it is not."""
        last = self.last
        own = stopped(self.options, last.step, last.value, last.gradient_norm)
        if own is None and away(last.value, self.first.value):
            own = gone(self.objective, self._entries(self._best), last.step, last.value)
        return own

    def _stalled(self, norm: float) -> Stop:
        why = "no step from here makes the value smaller"
        if norm <= self.options.tolerance * self.first.gradient_norm:
            return Stop("converged", f"{why}; the gradient norm fell to {norm:.2g}")
        if self.problem is not None:
            why += f"; some points near it have no value: {self.problem.message}"
        return Stop("stalled", why)

    def _entries(self, x: Array) -> list[Any]:
        return self._unflat(x)

    def _unflat(self, x: Array) -> list[Any]:
        if isinstance(self.objective.start[0], np.ndarray):
            return [x.copy()]
        own: list[Any] = x.tolist()
        return own

    def _remember(self, x: Array, value: float, gradient: Array) -> None:
        if len(self._known) > 200:
            kept = self._best.tobytes()
            self._known = {k: v for k, v in self._known.items() if k == kept}
        self._known[x.tobytes()] = value, gradient

    def _step(self, number: int) -> DescentStep:
        """The best point as a step."""
        value, gradient = self._known[self._best.tobytes()]
        entries = self._entries(self._best)
        norm = self.objective.norm(entries, self._unflat(gradient))
        return DescentStep(number, value, norm, self.objective.at(entries))
