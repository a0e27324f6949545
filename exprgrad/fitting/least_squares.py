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
from collections.abc import Callable, Iterator
from functools import partial

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


Ways = Iterator[tuple[bool, Callable[[], Estimate]]]
"""Ways to an estimate; one marked True is tried only if none before it converged."""


def fitted(model: Model, bounds: Bounds, steps: int) -> Fit:
    """Least squares from the model's start: the best estimate of those that converged."""
    problem = Residuals(model)
    own = limits(model.parameters, bounds)
    _refuse_points(model, own)
    first = [model.start[name] for name in model.parameters]
    start = np.clip(np.array(first), *own)
    problem.at(start)
    with np.errstate(all="ignore"):  # what overflows is judged afterwards
        best = _least(problem, start, own if bounds else None, steps)
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


def _least(
    problem: Residuals, start: Array, own: Limits | None, steps: int
) -> Estimate:
    """The best estimate."""
    if own is not None:
        best = _best(_tried(_bounded(problem, start, own, steps)), start)
        return _off_saddles(
            problem, best, steps, (np.array(own.lower), np.array(own.upper))
        )
    best = _best(_tried(_ways(problem, start, steps)), start)
    if best.rss > POOR * _spread(problem):
        best = _best([best, *_tried(_around(problem, start, steps))], start)
    return _off_saddles(problem, best, steps, None)


def _off_saddles(
    problem: Residuals, best: Estimate, steps: int, bounds: tuple[Array, Array] | None
) -> Estimate:
    """The estimate, or one from a lower point beside it: at a saddle or a maximum the gradient vanishes, too."""
    method = "lm" if bounds is None else "trf"
    for _ in range(MOST_SADDLES):
        lower = _lower_beside(problem, best, bounds) if best.converged else None
        if lower is None:
            return best
        best = _searched(problem, lower, method, steps, bounds)
    still = best.converged and _lower_beside(problem, best, bounds) is not None
    return best._replace(offset=math.inf) if still else best


def _lower_beside(
    problem: Residuals, best: Estimate, bounds: tuple[Array, Array] | None
) -> Array | None:
    """A point with a smaller sum of squares, along the direction in which that curves down; None if it curves up."""
    _, jacobian = problem.at(best.values)
    free = np.ones(len(best.values), bool)
    if bounds is not None:
        free = (best.values > bounds[0]) & (best.values < bounds[1])
    size = lengths(jacobian)
    curvature = _curvature(problem, best.values, size, free)
    if curvature is None:
        return None
    eigenvalues, directions = np.linalg.eigh(curvature)
    if eigenvalues[0] > -CURVED:
        return None
    length = math.sqrt(best.rss) or 1.0
    for step in (1e-1, -1e-1, 1e-3, -1e-3):
        there = best.values.copy()
        there[free] += step * length * directions[:, 0] / size[free]
        if bounds is not None:
            there = np.clip(there, *bounds)
        try:
            value, _ = problem.predicted(there)
        except DomainError:
            continue
        off = value - problem.target
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


def _tried(ways: Ways) -> list[Estimate]:
    """The estimates of the ways that lead somewhere."""
    found: list[Estimate] = []
    for spare, way in ways:
        if spare and any(estimate.converged for estimate in found):
            break
        try:
            found.append(way())
        except (DomainError, np.linalg.LinAlgError, ValueError):
            continue
    return found


def _best(found: list[Estimate], start: Array) -> Estimate:
    """The estimate closest to the data; among equals, the one with the signs of the start."""
    if not found:
        raise UsageError(
            "no method gets anywhere from this start", hint="try another start"
        )
    able = [estimate for estimate in found if estimate.converged] or found
    least = min(estimate.rss for estimate in able)
    equal = [estimate for estimate in able if estimate.rss <= least * (1 + 1e-6)]
    return min(equal, key=lambda estimate: int((estimate.values * start < 0).sum()))


def _spread(problem: Residuals) -> float:
    """The sum of the squared distances of the data from their mean."""
    off = problem.target - problem.target.mean()
    return float(off @ off)


def _around(problem: Residuals, start: Array, steps: int) -> Ways:
    """Ways from other starts, near and far, where the given one led to a poor fit."""
    linear = problem.linear()
    drawn = random.Random(0)
    for i in range(AROUND):
        width = (0.05, 0.2, 0.7)[i % 3]
        factors = [math.exp(drawn.gauss(0.0, width)) for _ in start]
        there = start * np.array(factors)
        if linear:
            yield False, partial(_projected, problem, there, linear, steps)
        else:
            yield False, partial(_searched, problem, there, "lm", steps)


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


def _ways(problem: Residuals, start: Array, steps: int) -> Ways:
    linear = problem.linear()
    yield False, lambda: _searched(problem, start, "lm", steps)
    if linear:
        yield False, lambda: _projected(problem, start, linear, steps)
    yield True, lambda: _searched(problem, start, "trf", steps)
    yield True, lambda: _searched(problem, start, "dogbox", steps)


def _bounded(problem: Residuals, start: Array, own: Limits, steps: int) -> Ways:
    pair = (np.array(own.lower), np.array(own.upper))
    yield False, lambda: _searched(problem, start, "trf", steps, pair)
    yield True, lambda: _searched(problem, start, "dogbox", steps, pair)


def _searched(
    problem: Residuals,
    start: Array,
    method: str,
    steps: int,
    bounds: tuple[Array, Array] | None = None,
) -> Estimate:
    """An estimate by one of SciPy's methods, polished."""
    more = {} if bounds is None else {"bounds": bounds}
    residuals, jacobian = (lambda x: problem.at(x)[0]), (lambda x: problem.at(x)[1])
    found = _least_squares(residuals, jacobian, start, method, steps, **more)
    return _polished(problem, found, bounds)


def _least_squares(
    residuals: Callable[[Array], Array],
    jacobian: Callable[[Array], Array],
    start: Array,
    method: str,
    steps: int,
    **more: Any,
) -> Array:
    """Where SciPy's method ends; it goes on for as long as that changes anything."""
    found = optimize.least_squares(
        residuals, start, jacobian, method=method, x_scale="jac",
        max_nfev=min(steps, 2000), ftol=_EPSILON, xtol=_EPSILON, gtol=_EPSILON, **more,
    )  # fmt: skip
    end: Array = found.x
    return end


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


def _projected(
    problem: Residuals, start: Array, linear: list[int], steps: int
) -> Estimate:
    """An estimate by variable projection: a search over the other parameters alone."""
    own = _Projection(problem, start, linear)
    end = start[own.rest]
    if own.rest:
        end = _least_squares(own.residuals, own.jacobian, end, "lm", steps)
    return _searched(problem, own.solved(end), "lm", steps)


def _polished(
    problem: Residuals, values: Array, bounds: tuple[Array, Array] | None
) -> Estimate:
    """Gauss-Newton steps for as long as the relative offset gets smaller."""
    best = _judged(problem, values, bounds)
    for _ in range(POLISH):
        residuals, jacobian = problem.at(best.values)
        size = lengths(jacobian)
        step, *_ = np.linalg.lstsq(jacobian / size, -residuals)
        new = best.values + step / size
        if bounds is not None:
            new = np.clip(new, *bounds)
        if not np.isfinite(new).all():
            break
        there = _judged(problem, new, bounds)
        if not (there.offset < best.offset and there.rss <= best.rss * (1 + 1e-9)):
            break
        best = there
    return best


def _judged(
    problem: Residuals, values: Array, bounds: tuple[Array, Array] | None
) -> Estimate:
    residuals, jacobian = problem.at(values)
    rss = float(residuals @ residuals)
    if bounds is not None:
        jacobian = jacobian[:, ~pressed(values, jacobian.T @ residuals, bounds)]
    offset = _offset(residuals, jacobian, problem.target)
    return Estimate(values, rss, offset, problem.evaluations)


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
