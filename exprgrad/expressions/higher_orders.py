"""Derivatives along a direction, and derivatives of higher order, at a point.

directional(f, at, seed)       one forward sweep of tangents
hessian_product(f, at, v)      the Hessian times a vector, without the Hessian
derivatives(f, at, "x", n)     f, f', f'' ... up to order n, by power series
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, SupportsFloat

from exprgrad.errors import BindingError
from exprgrad.expressions.expression import Expression
from exprgrad.sweeps import series
from exprgrad.sweeps.careful import pull_back_carefully, push_forward
from exprgrad.sweeps.corners import Corner, below
from exprgrad.sweeps.tape import Primals


class Directional(NamedTuple):
    """The derivative along `seed`: the sum of the partials times the seed's components.

    `derivative` is None where it does not exist, and then `corner` says why. `tangents` belong to the
    nodes of `expression.tape`.
    """

    expression: Expression
    at: dict[str, float]
    seed: dict[str, float]
    value: float
    derivative: float | None
    corner: Corner | None
    primals: Primals
    tangents: list[float]


def directional(
    expression: Expression,
    at: Mapping[str, SupportsFloat],
    seed: Mapping[str, SupportsFloat],
) -> Directional:
    """The derivative of the expression at a point along a direction given by name."""
    point = expression.point(at)
    tape = expression.tape
    direction = {name: float(tangent) for name, tangent in seed.items()}
    for name in direction:
        if name not in tape.variables:
            raise expression.no_variable(name)
    values = expression.primals(point)
    (tangents,) = push_forward(tape, values, [direction])
    active = tape.active(direction)
    _, _, blocked = pull_back_carefully(tape, values, active)
    derivative: float | None = tangents[tape.root] + 0.0
    corner = None
    culprits = [
        step
        for name, step in below(tape, values, blocked).items()
        if direction.get(name)
    ]
    if culprits:
        from exprgrad.sweeps.sides import along

        numbers = expression.coordinates(at)
        slope, corner = along(tape, values, numbers, direction, culprits[0])
        derivative = None if slope is None else slope[0]
    value = values[tape.root] or 0.0
    return Directional(
        expression, point, direction, value, derivative, corner, values, tangents
    )


def hessian_product(
    expression: Expression,
    at: Mapping[str, SupportsFloat],
    vector: Mapping[str, SupportsFloat],
) -> dict[str, float]:
    """The Hessian at a point times a vector, by one reverse sweep over the gradient."""
    for name in vector:
        if name not in expression.tape.variables:
            raise expression.no_variable(name)
    return expression.curvature().product(at, vector)


def derivatives(
    expression: Expression, at: Mapping[str, SupportsFloat], name: str, order: int
) -> list[float]:
    """The derivatives of orders 0 ... `order` by one variable at a point."""
    if not 1 <= order <= series.HIGHEST:
        raise BindingError(
            f"an order is a whole number from 1 to {series.HIGHEST}, not {order}"
        )
    point = expression.point(at)
    if name not in expression.tape.variables:
        raise expression.no_variable(name)
    values = expression.primals(point)
    return series.derivatives(expression.tape, values, point, name, order)
