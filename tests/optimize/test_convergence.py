"""Descents come as near as theory says: by a factor a step, or by a power of the steps.

Near a minimum a method with constant rate r and momentum m is a linear map of the error x and the velocity
v along every eigenvector of the Hessian, with the eigenvalue h; the error falls by the largest absolute value of
the maps' eigenvalues in each step (Polyak 1964). Where the Hessian is singular, as in Powell's function, the
error u along that direction follows du/dt = -c*u^3, so the value falls as 1/t^2.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from exprgrad import minimize, parse
from tests.optimize.test_descent import POWELL, PROBLEMS

MAPS = {
    "gd": lambda h, r, m: [[1 - r * h]],
    "momentum": lambda h, r, m: [[1 - r * h, -r * m], [h, m]],
    "nesterov": lambda h, r, m: [[1 - r * h * (1 + m), -r * m * m], [h, m]],
}

RATE = 1e-3


def errors(f, start, solution, method, rate):
    """The distances from the solution, each the largest of 100 steps: some methods oscillate."""
    descent = minimize(f, start, method, rate=rate, steps=80_000, tolerance=1e-10)
    found = [
        math.hypot(*(step.variables[name] - x for name, x in solution.items()))
        for step in descent
    ]
    assert descent.result.converged
    return [max(found[i : i + 100]) for i in range(len(found) - 100)]


def slope(found, high, low):
    """The factor of a step, between where the errors pass two sizes."""
    first = next(i for i, e in enumerate(found) if e < high)
    last = next((i for i, e in enumerate(found) if e < low), len(found) - 1)
    return (found[last] / found[first]) ** (1 / (last - first))


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("method", MAPS)
def test_the_error_falls_by_the_factor_that_the_hessian_gives(name, method):
    f, start, solution = PROBLEMS[name]
    rows = parse(f).hessian(solution)
    hessian = [[rows[a][b] for b in solution] for a in solution]
    expected = max(
        abs(np.linalg.eigvals(MAPS[method](h, RATE, 0.9))).max()
        for h in np.linalg.eigvalsh(hessian)
    )
    found = slope(errors(f, start, solution, method, RATE), 1e-4, 1e-8)
    assert 1 - found == pytest.approx(1 - expected, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_adam_converges_by_a_factor_a_step(name):
    """It has no map, since its steps are scaled by what the gradients were."""
    found = errors(*PROBLEMS[name], "adam", 0.05)
    parts = [slope(found, high, high / 100) for high in (1e-4, 1e-6)]
    assert max(parts) < 0.995


@pytest.mark.slow
@pytest.mark.parametrize("method", MAPS)
def test_the_value_of_powell_s_singular_function_falls_as_1_over_t_squared(method):
    start = {"a": 3, "b": -1, "c": 0, "d": 1}
    descent = minimize(POWELL, start, method, rate=RATE, steps=40_000)
    values = [step.value for step in descent]
    for first in (10_000, 20_000):
        power = math.log2(values[2 * first] / values[first])
        assert power == pytest.approx(-2, abs=0.15)
    found = descent.result
    assert (found.status, found.steps) == ("steps", 40_000)
    assert found.reason == "the 40000 steps are used up"
    assert not found.converged
    assert found.gradient_norm > 1e-8
