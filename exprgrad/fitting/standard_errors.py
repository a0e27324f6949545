"""Standard errors and correlations of parameters, from the Jacobian at the end of a fit."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from exprgrad.annotations import Any
from exprgrad.fitting.model import Fit, Model, Parameter
from exprgrad.fitting.residuals import Array, Residuals

Errors = dict[str, float]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

ROUNDING = 1e-15
"""Residuals of this size relative to the data are nothing but rounding."""

SINGULAR = 1e-13
"""The least ratio of singular values, with scaled columns, at which all parameters are determined."""


def summary(
    model: Model,
    values: list[float],
    method: str,
    steps: int,
    converged: bool,
    message: str,
    at_bound: Mask,
    loss: float | None = None,
    squares: bool = True,
    offset: float | None = None,
) -> Fit:
    """The record of a fit; with standard errors and correlations at a minimum of least squares.

    Parameters at a bound have none, and take no degree of freedom: the others vary as if those were constants.
    """
    problem = Residuals(model)
    predicted, jacobian = problem.predicted(np.array(values))
    residuals = problem.target - predicted
    rss = float(residuals @ residuals)
    held = [n for n, own in zip(model.parameters, at_bound, strict=True) if own]
    names = [n for n in model.parameters if n not in held]
    degrees = problem.points - len(names)
    errors: Errors = {}
    correlations: dict[str, Errors] = {}
    exact = rss <= (ROUNDING * np.linalg.norm(problem.target)) ** 2
    if exact:
        message += "; the residuals are rounding, and determine no errors"
    elif squares and converged and degrees > 0:
        errors, correlations = _spread(jacobian[:, ~at_bound], rss / degrees, names)
    if held:
        message += f"; at a bound: {', '.join(held)}"
    parameters = {
        name: Parameter(value, errors.get(name))
        for name, value in zip(model.parameters, values, strict=True)
    }
    return Fit(
        model, method, parameters, correlations, rss, loss, problem.points, steps,
        converged, message, predicted.tolist(), residuals.tolist(), tuple(held),
        offset, _known_digits(rss, problem.target),
    )  # fmt: skip


def _known_digits(rss: float, target: Array) -> int:
    """How many digits of the sum of squares are known: residuals are as far off as the data are rounded."""
    size = float(np.linalg.norm(target))
    if not rss or not size:
        return 0 if size else 17
    return int(max(0, min(17, math.floor(14.5 - math.log10(size / math.sqrt(rss))))))


def _spread(
    jacobian: Array, variance: float, names: list[str]
) -> tuple[Errors, dict[str, Errors]]:
    """Standard errors and correlations; none where the Jacobian does not determine them."""
    if not names or singular(jacobian):
        return {}, {}
    covariance = _inverse_square(jacobian) * variance
    errors = np.sqrt(np.diag(covariance))
    safe = np.where(errors > 0, errors, 1.0)
    scaled = covariance / np.outer(safe, safe)
    np.fill_diagonal(scaled, 1.0)
    rows = [dict(zip(names, row, strict=True)) for row in scaled.tolist()]
    return (
        dict(zip(names, errors.tolist(), strict=True)),
        dict(zip(names, rows, strict=True)),
    )


def _inverse_square(jacobian: Array) -> Array:
    """(J^T J)^-1, by a QR factorisation with scaled columns."""
    size = lengths(jacobian)
    upper = np.linalg.qr(jacobian / size, mode="r")
    inverse = np.linalg.inv(upper) / size[:, None]
    return inverse @ inverse.T


def singular(jacobian: Array) -> bool:
    """Whether the columns, scaled to one length, are dependent but for rounding."""
    values = np.linalg.svd(jacobian / lengths(jacobian), compute_uv=False)
    return bool(values[-1] <= SINGULAR * values[0])


def lengths(jacobian: Array) -> Array:
    """The lengths of the columns; 1 for one that is 0."""
    size = np.sqrt((jacobian * jacobian).sum(axis=0))
    return np.where((size > 0) & np.isfinite(size), size, 1.0)


def pressed(
    values: ArrayLike, slope: ArrayLike, bounds: tuple[ArrayLike, ArrayLike]
) -> Mask:
    """Which parameters are at a bound that a step against the slope would cross."""
    x, g, low, high = map(np.asarray, (values, slope, *bounds))
    mask: Mask = ((x <= low) & (g > 0)) | ((x >= high) & (g < 0))
    return mask
