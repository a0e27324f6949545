"""Nonlinear least squares, by several ways in turn.

SciPy's Levenberg-Marquardt (MINPACK) goes first, with the columns of the Jacobian scaled. Where the model
is linear in some parameters, they are also eliminated (variable projection, Golub and Pereyra 1973, with
Kaufman's Jacobian), which converges from starts that are far off. What they end with is polished by
Gauss-Newton steps and judged by the relative offset of Bates and Watts (1981): the length of the part
of the residuals that lies in the tangent space, over the length of the rest, per degree of freedom. It
says how far the estimate is from the minimum in units of its own uncertainty.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import optimize

from exprgrad.errors import DomainError, UsageError
from exprgrad.fitting import Fit, Model, Parameter
from exprgrad.objective import Bounds, Limits, limits
from exprgrad.residuals import Array, Problem

CONVERGED = 1e-6
"""The largest relative offset of an estimate that counts as converged."""

EXACT = 1e-13
"""Residuals of this size relative to the data are rounding."""

SINGULAR = 1e-13
"""The least ratio of singular values, with scaled columns, that still determines all parameters."""

POOR = 0.5
"""A share of the data's variance that no good fit leaves over: other starts are tried then."""

AROUND = 42
"""How many of them."""

POLISH = 30
"""Gauss-Newton steps at most."""

_EPSILON = 3e-16


class Estimate(NamedTuple):
    """Parameters that some way led to, with the rss and the relative offset there."""

    values: Array
    rss: float
    offset: float
    evaluations: int

    @property
    def converged(self) -> bool:
        """Whether the gradient vanishes, as far as the residuals can say."""
        return self.offset <= CONVERGED


Ways = Iterator[tuple[bool, Callable[[], Estimate]]]
"""Ways to an estimate; those marked True are taken only if none before converged."""


def fitted(model: Model, bounds: Bounds, steps: int) -> Fit:
    """Least squares from the model's start; the best of the estimates that converged."""
    problem = Problem(model)
    start = np.array([model.start[name] for name in model.parameters])
    own = limits(model.parameters, bounds)
    for name, low, high in zip(model.parameters, *own, strict=True):
        if low == high:
            raise UsageError(
                f"the bounds leave {name} one value", hint=f"--at {name}={low:g}"
            )
    if bounds:
        start = np.clip(start, own.lower, own.upper)
    problem.at(start)
    ways = (
        _bounded(problem, start, own, steps) if bounds else _ways(problem, start, steps)
    )
    with np.errstate(all="ignore"):  # what overflows is judged afterwards
        best = _best(_tried(ways), start)
        if best.rss > POOR * _spread(problem) and not bounds:
            others = _tried(_around(problem, start, steps))
            best = _best([best, *others], start)
    residuals, jacobian = problem.at(best.values)
    held = _held(best.values, jacobian.T @ residuals, tuple(map(np.array, own)))
    message = _message(problem, best)
    if held.any():
        names = [n for n, at in zip(model.parameters, held, strict=True) if at]
        message += f"; at a bound: {', '.join(names)}"
    return summary(
        model, best.values.tolist(), "lm", problem.evaluations, best.converged, message,
        held=held,
    )  # fmt: skip


def _tried(ways: Ways) -> list[Estimate]:
    """What the ways lead to, as far as they lead anywhere."""
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
    """The estimate closest to the data; of those as close, the one with the signs of the start."""
    if not found:
        raise UsageError("no way leads on from this start", hint="try another start")
    able = [estimate for estimate in found if estimate.converged] or found
    least = min(estimate.rss for estimate in able)
    equal = [estimate for estimate in able if estimate.rss <= least * (1 + 1e-6)]
    return min(equal, key=lambda estimate: int((estimate.values * start < 0).sum()))


def _spread(problem: Problem) -> float:
    """The sum of the squared distances of the data from their mean."""
    off = problem.target - problem.target.mean()
    return float(off @ off)


def _around(problem: Problem, start: Array, steps: int) -> Ways:
    """Ways from other starts, near ones and far ones: the first led to what says little of the data."""
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


def _message(problem: Problem, best: Estimate) -> str:
    what = f"relative offset {best.offset:.1g}"
    if best.converged:
        what = "relative offset " + (
            "below 1e-9" if best.offset < 1e-9 else f"{best.offset:.1g}"
        )
        return f"converged: {what}"
    if _singular(problem.at(best.values)[1]):
        return "not converged: the data do not determine all parameters"
    if problem.fault is not None:
        return f"not converged: {problem.fault.message}; {what}"
    return f"not converged: {what}"


def _ways(problem: Problem, start: Array, steps: int) -> Ways:
    linear = problem.linear()
    yield False, lambda: _searched(problem, start, "lm", steps)
    if linear:
        yield False, lambda: _projected(problem, start, linear, steps)
    yield True, lambda: _searched(problem, start, "trf", steps)
    yield True, lambda: _searched(problem, start, "dogbox", steps)


def _bounded(problem: Problem, start: Array, own: Limits, steps: int) -> Ways:
    pair = (np.array(own.lower), np.array(own.upper))
    yield False, lambda: _searched(problem, start, "trf", steps, pair)
    yield True, lambda: _searched(problem, start, "dogbox", steps, pair)


def _searched(
    problem: Problem,
    start: Array,
    method: str,
    steps: int,
    bounds: tuple[Array, Array] | None = None,
) -> Estimate:
    """An estimate by one of SciPy's methods, polished."""
    found = optimize.least_squares(
        lambda x: problem.at(x)[0],
        start,
        lambda x: problem.at(x)[1],
        method=method,
        x_scale="jac",
        max_nfev=min(steps, 2000),
        ftol=_EPSILON,
        xtol=_EPSILON,
        gtol=_EPSILON,
        **({} if bounds is None else {"bounds": bounds}),
    )
    return _polished(problem, found.x, bounds)


def _projected(
    problem: Problem, start: Array, linear: list[int], steps: int
) -> Estimate:
    """An estimate by variable projection: a search over the other parameters alone."""
    rest = [i for i in range(len(start)) if i not in linear]

    def solved(nonlinear: Array) -> tuple[Array, Array, Array]:
        values = start.copy()
        values[rest] = nonlinear
        values[linear] = 0.0
        residuals, jacobian = problem.at(values)
        basis = jacobian[:, linear]
        size = _lengths(basis)
        scaled, *_ = np.linalg.lstsq(basis / size, -residuals)
        values[linear] = scaled / size
        return (values, *problem.at(values))

    def residuals(nonlinear: Array) -> Array:
        return solved(nonlinear)[1]

    def jacobian(nonlinear: Array) -> Array:
        _, _, whole = solved(nonlinear)
        basis, _ = np.linalg.qr(whole[:, linear] / _lengths(whole[:, linear]))
        slopes = whole[:, rest]
        return slopes - basis @ (basis.T @ slopes)

    values = solved(start[rest])[0] if not rest else None
    if values is None:
        found = optimize.least_squares(
            residuals, start[rest], jacobian, method="lm", x_scale="jac",
            max_nfev=min(steps, 2000), ftol=_EPSILON, xtol=_EPSILON, gtol=_EPSILON,
        )  # fmt: skip
        values = solved(found.x)[0]
    return _searched(problem, values, "lm", steps)


def _polished(
    problem: Problem, values: Array, bounds: tuple[Array, Array] | None
) -> Estimate:
    """Gauss-Newton steps for as long as the relative offset gets smaller."""
    best = _judged(problem, values, bounds)
    for _ in range(POLISH):
        residuals, jacobian = problem.at(best.values)
        size = _lengths(jacobian)
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
    problem: Problem, values: Array, bounds: tuple[Array, Array] | None
) -> Estimate:
    residuals, jacobian = problem.at(values)
    rss = float(residuals @ residuals)
    if bounds is not None:
        jacobian = jacobian[:, ~_held(values, jacobian.T @ residuals, bounds)]
    offset = _offset(residuals, jacobian, problem.target)
    return Estimate(values, rss, offset, problem.evaluations)


def _held(values: Array, slope: Array, bounds: tuple[Array, Array]) -> Array:
    """Which parameters are at a bound that the slope points out of."""
    low, high = bounds
    return ((values <= low) & (slope > 0)) | ((values >= high) & (slope < 0))


def _offset(residuals: Array, jacobian: Array, target: Array) -> float:
    """The relative offset; infinite where the Jacobian does not determine the parameters."""
    points, count = jacobian.shape
    if not count:
        return 0.0
    if _singular(jacobian):
        return math.inf
    basis, _ = np.linalg.qr(jacobian / _lengths(jacobian))
    inside = basis.T @ residuals
    total = float(residuals @ residuals)
    if total <= EXACT**2 * float(target @ target):
        return 0.0
    rest = max(total - float(inside @ inside), EXACT**2 * total)
    degrees = max(points - count, 1)
    return math.sqrt(float(inside @ inside) / count / (rest / degrees))


def _singular(jacobian: Array) -> bool:
    values = np.linalg.svd(jacobian / _lengths(jacobian), compute_uv=False)
    return bool(values[-1] <= SINGULAR * values[0])


def _lengths(jacobian: Array) -> Array:
    """The lengths of the columns; 1 for one that is 0."""
    size = np.sqrt((jacobian * jacobian).sum(axis=0))
    return np.where((size > 0) & np.isfinite(size), size, 1.0)


def summary(
    model: Model,
    values: list[float],
    method: str,
    steps: int,
    converged: bool,
    message: str,
    loss: float | None = None,
    squares: bool = True,
    held: Array | None = None,
) -> Fit:
    """The record of a fit; with standard errors and correlations at a minimum of least squares.

    Parameters that are `held` by a bound have none: the others vary as if they were constants.
    """
    problem = Problem(model)
    predicted, jacobian = problem.predicted(np.array(values))
    residuals = problem.target - predicted
    rss = float(residuals @ residuals)
    degrees = problem.points - len(values)
    free = np.full(len(values), True) if held is None else ~held
    names = [n for n, own in zip(model.parameters, free, strict=True) if own]
    jacobian = jacobian[:, free]
    errors: dict[str, float] = {}
    correlations: dict[str, dict[str, float]] = {}
    if squares and converged and degrees > 0 and names and not _singular(jacobian):
        covariance = _inverse_square(jacobian) * (rss / degrees)
        spread = np.sqrt(np.diag(covariance))
        errors = dict(zip(names, spread.tolist(), strict=True))
        safe = np.where(spread > 0, spread, 1.0)
        scaled = covariance / np.outer(safe, safe)
        np.fill_diagonal(scaled, 1.0)
        table = scaled.tolist()
        correlations = {
            a: dict(zip(names, row, strict=True))
            for a, row in zip(names, table, strict=True)
        }
    parameters = {
        name: Parameter(value, errors.get(name))
        for name, value in zip(model.parameters, values, strict=True)
    }
    return Fit(
        model, method, parameters, correlations, rss, loss, problem.points, steps,
        converged, message, predicted.tolist(), residuals.tolist(),
    )  # fmt: skip


def _inverse_square(jacobian: Array) -> Array:
    """(J^T J)^-1, by a QR factorisation with scaled columns."""
    size = _lengths(jacobian)
    upper = np.linalg.qr(jacobian / size, mode="r")
    inverse = np.linalg.inv(upper) / size[:, None]
    return inverse @ inverse.T
