"""What a fit says of its parameters: standard errors and correlations, from the Jacobian at the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from exprgrad.fitting.model import Fit, Model, Parameter
from exprgrad.fitting.residuals import Array, Problem

Errors = dict[str, float]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

SINGULAR = 1e-13
"""The least ratio of singular values, with scaled columns, that still determines all parameters."""


def summary(
    model: Model,
    values: list[float],
    method: str,
    steps: int,
    converged: bool,
    message: str,
    loss: float | None = None,
    squares: bool = True,
    at_bound: Mask | None = None,
) -> Fit:
    """The record of a fit; with standard errors and correlations at a minimum of least squares.

    Parameters at a bound have none: the others vary as if those were constants.
    """
    problem = Problem(model)
    predicted, jacobian = problem.predicted(np.array(values))
    residuals = problem.target - predicted
    rss = float(residuals @ residuals)
    degrees = problem.points - len(values)
    errors: Errors = {}
    correlations: dict[str, Errors] = {}
    if squares and converged and degrees > 0:
        free = np.full(len(values), True) if at_bound is None else ~at_bound
        names = [n for n, own in zip(model.parameters, free, strict=True) if own]
        errors, correlations = _spread(jacobian[:, free], rss / degrees, names)
    parameters = {
        name: Parameter(value, errors.get(name))
        for name, value in zip(model.parameters, values, strict=True)
    }
    return Fit(
        model, method, parameters, correlations, rss, loss, problem.points, steps,
        converged, message, predicted.tolist(), residuals.tolist(),
    )  # fmt: skip


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
    """Whether the columns, scaled to one length, are as good as dependent."""
    values = np.linalg.svd(jacobian / lengths(jacobian), compute_uv=False)
    return bool(values[-1] <= SINGULAR * values[0])


def lengths(jacobian: Array) -> Array:
    """The lengths of the columns; 1 for one that is 0."""
    size = np.sqrt((jacobian * jacobian).sum(axis=0))
    return np.where((size > 0) & np.isfinite(size), size, 1.0)


def held(values: Array, slope: Array, bounds: tuple[Array, Array]) -> Mask:
    """Which parameters are at a bound that the slope points out of."""
    low, high = bounds
    mask: Mask = ((values <= low) & (slope > 0)) | ((values >= high) & (slope < 0))
    return mask
