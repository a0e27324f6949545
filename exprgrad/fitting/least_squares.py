"""Nonlinear least squares, tried in several ways.

SciPy's Levenberg-Marquardt (MINPACK) goes first, with the columns of the Jacobian scaled. Where the model
is linear in some parameters, these are also eliminated (variable projection, Golub and Pereyra 1973, with
Kaufman's Jacobian), which converges from distant starts. What these ways lead to is polished by
Gauss-Newton steps and judged by the relative offset of Bates and Watts (1981): the length of the part
of the residuals that lies in the tangent space, over the length of the rest, per degree of freedom. It
says how far the estimate is from the minimum in units of its own uncertainty.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from contextlib import suppress

import numpy as np
from scipy import optimize

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import DomainError, Hint, UsageError
from exprgrad.fitting.model import Fit, Model
from exprgrad.fitting.residuals import Array, Residuals
from exprgrad.fitting.standard_errors import lengths, pressed, singular, summary
from exprgrad.optimize.objective import Bounds, Limits, limits

CONVERGED = 1e-6
"""The largest relative offset of an estimate that counts as converged."""

EXACT = 1e-13
"""Residuals of this size relative to the data are rounding."""

POOR = 0.5
"""A fit that leaves a larger share of the data's variance is poor, and other starts are tried."""

AROUND = 42
"""How many other starts are tried."""

MOST_SADDLES = 3
"""How many saddles are left, one after the other."""

CURVED = 1e-3
"""A curvature below minus this, where J^T J has the diagonal 1, is no error of the differences."""

DIFFERENCE = 1e-5
"""The relative step of differences."""

POLISH = 30
"""The most Gauss-Newton steps."""

_EPSILON = 3e-16


class Estimate(NamedTuple):
    """Where one way led: parameters with their residual sum of squares and relative offset."""

    values: Array
    rss: float
    offset: float
    evaluations: int

    @property
    def converged(self) -> bool:
        """Whether the gradient vanishes, as far as the residuals can show."""
        return self.offset <= CONVERGED


SPARE = ("trf", "dogbox")
"""Methods that are tried only if none before them converged."""


def fitted(model: Model, bounds: Bounds, steps: int) -> Fit:
    """Least squares from the model's start: the best estimate of those that converged."""
    problem = Residuals(model)
    own = limits(model.parameters, bounds)
    _refuse_points(model, own)
    first = [model.start[name] for name in model.parameters]
    start = np.clip(np.array(first), *own)
    problem.at(start)
    search = _Search(problem, start, own if bounds else None, steps)
    with np.errstate(all="ignore"):  # what overflows is judged afterwards
        best = search.least()
    residuals, jacobian = problem.at(best.values)
    return summary(
        model, best.values.tolist(), "lm", problem.evaluations, best.converged,
        _message(problem, best),
        pressed(best.values, jacobian.T @ residuals, own), offset=best.offset,
    )  # fmt: skip


def _refuse_points(model: Model, own: Limits) -> None:
    """Raise `UsageError` for bounds between which there is nothing to search."""
    for name, low, high in zip(model.parameters, *own, strict=True):
        if low == high:
            raise UsageError(
                f"the bounds leave {name} one value",
                hint=Hint("fix", name=name, value=low),
            )


def _message(problem: Residuals, best: Estimate) -> str:
    what = f"relative offset {best.offset:.1g}"
    if best.converged:
        what = "relative offset " + (
            "below 1e-9" if best.offset < 1e-9 else f"{best.offset:.1g}"
        )
        return f"converged: {what}"
    if singular(problem.at(best.values)[1]):
        return "not converged: the data do not determine all parameters"
    if problem.fault is not None:
        return f"not converged: {problem.fault.message}; {what}"
    return f"not converged: {what}"


class _Search:
    """The search for the least sum of squares from a start, perhaps between bounds, in so many steps at most."""

    def __init__(
        self, problem: Residuals, start: Array, bounds: Limits | None, steps: int
    ) -> None:
        self.problem, self.start, self.steps = problem, start, steps
        self.bounds = bounds and (np.array(bounds.lower), np.array(bounds.upper))
        self.linear = [] if bounds else problem.linear()

    def least(self) -> Estimate:
        """The best estimate."""
        methods = list(SPARE)
        if self.bounds is None:
            methods = ["lm", *(["projected"] if self.linear else []), *SPARE]
        best = self._best(self._tried((self.start, method) for method in methods))
        off = self.problem.target - self.problem.target.mean()
        if self.bounds is None and best.rss > POOR * float(off @ off):
            # from other starts, near and far: the given one has led to a poor fit
            method, drawn = methods[1] if self.linear else "lm", random.Random(0)
            widths = [(0.05, 0.2, 0.7)[i % 3] for i in range(AROUND)]
            factors = [
                [math.exp(drawn.gauss(0.0, w)) for _ in self.start] for w in widths
            ]
            ways = [(self.start * np.array(own), method) for own in factors]
            best = self._best([best, *self._tried(ways)])
        return self._off_saddles(best)

    def _tried(self, ways: Iterable[tuple[Array, str]]) -> list[Estimate]:
        """The estimates of the ways, a start and a method each, that lead somewhere."""
        found: list[Estimate] = []
        for start, method in ways:
            if method in SPARE and any(estimate.converged for estimate in found):
                break
            with suppress(DomainError, np.linalg.LinAlgError, ValueError):
                projected = method == "projected"
                found.append(self._projected(start) if projected else self.searched(start, method))  # fmt: skip
        return found

    def _best(self, found: list[Estimate]) -> Estimate:
        """The estimate closest to the data; among equals, the one with the signs of the start."""
        if not found:
            raise UsageError(
                "no method gets anywhere from this start", hint="try another start"
            )
        able = [estimate for estimate in found if estimate.converged] or found
        least = min(estimate.rss for estimate in able)
        equal = [estimate for estimate in able if estimate.rss <= least * (1 + 1e-6)]
        return min(equal, key=lambda one: int((one.values * self.start < 0).sum()))

    def searched(self, start: Array, method: str) -> Estimate:
        """An estimate by one of SciPy's methods, polished."""
        at = self.problem.at
        found = self._least_squares(
            lambda x: at(x)[0], lambda x: at(x)[1], start, method, self.bounds
        )
        return self._polished(found)

    def _least_squares(
        self,
        residuals: Callable[[Array], Array],
        jacobian: Callable[[Array], Array],
        start: Array,
        method: str,
        bounds: tuple[Array, Array] | None = None,
    ) -> Array:
        """Where SciPy's method ends; it goes on for as long as that changes anything."""
        found = optimize.least_squares(
            residuals, start, jacobian, method=method, x_scale="jac", bounds=bounds or (-math.inf, math.inf),
            max_nfev=min(self.steps, 2000), ftol=_EPSILON, xtol=_EPSILON, gtol=_EPSILON,
        )  # fmt: skip
        end: Array = found.x
        return end

    def _projected(self, start: Array) -> Estimate:
        """An estimate by variable projection: a search over the other parameters alone."""
        own = _Projection(self.problem, start, self.linear)
        end = start[own.rest]
        if own.rest:
            end = self._least_squares(own.residuals, own.jacobian, end, "lm")
        return self.searched(own.solved(end), "lm")

    def _polished(self, values: Array) -> Estimate:
        """Gauss-Newton steps for as long as the relative offset gets smaller."""
        best = self._judged(values)
        for _ in range(POLISH):
            residuals, jacobian = self.problem.at(best.values)
            size = lengths(jacobian)
            step, *_ = np.linalg.lstsq(jacobian / size, -residuals)
            new = self._clipped(best.values + step / size)
            if not np.isfinite(new).all():
                break
            there = self._judged(new)
            if not (there.offset < best.offset and there.rss <= best.rss * (1 + 1e-9)):
                break
            best = there
        return best

    def _clipped(self, values: Array) -> Array:
        return values if self.bounds is None else np.clip(values, *self.bounds)

    def _judged(self, values: Array) -> Estimate:
        residuals, jacobian = self.problem.at(values)
        rss = float(residuals @ residuals)
        if self.bounds is not None:
            held = pressed(values, jacobian.T @ residuals, self.bounds)
            jacobian = jacobian[:, ~held]
        offset = _offset(residuals, jacobian, self.problem.target)
        return Estimate(values, rss, offset, self.problem.evaluations)

    def _off_saddles(self, best: Estimate) -> Estimate:
        """The estimate, or one from a lower point beside it: at a saddle or a maximum the gradient vanishes, too."""
        for _ in range(MOST_SADDLES):
            lower = self._lower_beside(best) if best.converged else None
            if lower is None:
                return best
            best = self.searched(lower, "lm" if self.bounds is None else "trf")
        still = best.converged and self._lower_beside(best) is not None
        return best._replace(offset=math.inf) if still else best

    def _lower_beside(self, best: Estimate) -> Array | None:
        """A point with a smaller sum of squares, along the direction in which that curves down; None if it curves up."""
        _, jacobian = self.problem.at(best.values)
        free = np.ones(len(best.values), bool)
        if self.bounds is not None:
            low, high = self.bounds
            free = (best.values > low) & (best.values < high)
        size = lengths(jacobian)
        curvature = _curvature(self.problem, best.values, size, free)
        if curvature is None:
            return None
        eigenvalues, directions = np.linalg.eigh(curvature)
        if eigenvalues[0] > -CURVED:
            return None
        length = math.sqrt(best.rss) or 1.0
        for step in (1e-1, -1e-1, 1e-3, -1e-3):
            there = best.values.copy()
            there[free] += step * length * directions[:, 0] / size[free]
            there = self._clipped(there)
            try:
                value, _ = self.problem.predicted(there)
            except DomainError:
                continue
            off = value - self.problem.target
            if float(off @ off) < best.rss * (1 - 1e-12):
                return there
        return None


def _curvature(
    problem: Residuals, values: Array, size: Array, free: Any
) -> Array | None:
    """Half the Hessian of the sum of squares, in units of the columns' lengths, by differences of its gradient."""
    places = np.flatnonzero(free)
    if not len(places):
        return None
    rows = []
    for i in places:
        sides = []
        step = DIFFERENCE * max(abs(values[i]), 1 / size[i])
        for sign in (1, -1):
            there = values.copy()
            there[i] += sign * step
            try:
                value, jacobian = problem.predicted(there)
            except DomainError:
                return None
            sides.append(jacobian.T @ (value - problem.target))
        rows.append((sides[0] - sides[1])[places] / (2 * step * size[i] * size[places]))
    found = np.array(rows)
    return (found + found.T) / 2 if np.isfinite(found).all() else None


class _Projection:
    """The residuals as a function of the nonlinear parameters alone: the `linear` ones are solved for."""

    def __init__(self, problem: Residuals, start: Array, linear: list[int]) -> None:
        self._problem, self._start, self._linear = problem, start, linear
        self.rest = [i for i in range(len(start)) if i not in linear]

    def solved(self, nonlinear: Array) -> Array:
        """All parameters, the linear ones by linear least squares."""
        values = self._start.copy()
        values[self.rest] = nonlinear
        values[self._linear] = 0.0
        residuals, jacobian = self._problem.at(values)
        basis = jacobian[:, self._linear]
        size = lengths(basis)
        scaled, *_ = np.linalg.lstsq(basis / size, -residuals)
        values[self._linear] = scaled / size
        return values

    def residuals(self, nonlinear: Array) -> Array:
        """The residuals there."""
        return self._problem.at(self.solved(nonlinear))[0]

    def jacobian(self, nonlinear: Array) -> Array:
        """Kaufman's Jacobian: that of the residuals, less what linear parameters compensate."""
        whole = self._problem.at(self.solved(nonlinear))[1]
        basis = whole[:, self._linear]
        basis, _ = np.linalg.qr(basis / lengths(basis))
        slopes = whole[:, self.rest]
        return slopes - basis @ (basis.T @ slopes)


def _offset(residuals: Array, jacobian: Array, target: Array) -> float:
    """The relative offset; infinite where the Jacobian does not determine the parameters."""
    points, count = jacobian.shape
    if not count:
        return 0.0
    if singular(jacobian):
        return math.inf
    basis, _ = np.linalg.qr(jacobian / lengths(jacobian))
    inside = basis.T @ residuals
    total = float(residuals @ residuals)
    if total <= EXACT**2 * float(target @ target):
        return 0.0
    rest = max(total - float(inside @ inside), EXACT**2 * total)
    degrees = max(points - count, 1)
    return math.sqrt(float(inside @ inside) / count / (rest / degrees))
