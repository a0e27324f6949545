"""Derivatives along a direction, and derivatives of higher order, at a point.

    directional(f, at, seed)       one forward sweep of tangents
    hessian(f, at)                 all second partials
    hessian_product(f, at, v)      the Hessian times a vector, without the Hessian
    derivatives(f, at, "x", n)     f, f', f'' ... up to order n, by power series

For the Hessian the gradient is taken as formulas g_i; with extra variables w_i, one reverse sweep over
sum_i w_i*g_i gives the Hessian times w. Unit vectors w give its rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, SupportsFloat

from exprgrad.errors import BindingError, NotDifferentiableError
from exprgrad.expressions.evaluation import Evaluation
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Value, node
from exprgrad.operations.number_types import Fault
from exprgrad.operations.operation import TABLE
from exprgrad.sweeps import series as taylor
from exprgrad.sweeps.careful import pull_back_carefully, push_forward
from exprgrad.sweeps.corners import Corner, along, below
from exprgrad.sweeps.tape import Primals, Tape, primals
from exprgrad.symbolic.derivative import derivative


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
    tangents = push_forward(tape, values, direction)
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
        derivative, corner = along(tape, values, point, direction, culprits[0])
    value = values[tape.root] or 0.0
    return Directional(
        expression, point, direction, value, derivative, corner, values, tangents
    )


class Curvature:
    """The second derivatives of an expression: prepared once, taken at any point."""

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        names = expression.variables
        self._weights = {name: Value(None, f"w.{name}") for name in names}
        leaves = [expression.tape.nodes[i] for i in expression.tape.variables.values()]
        total: Value | None = None
        for name in names:
            part = derivative(expression.root, name)
            weighted = node(TABLE["mul"], (self._weights[name], part))
            total = weighted if total is None else node(TABLE["add"], (total, weighted))
        self._tape = None
        if total is not None:
            self._tape = Tape(total, [*leaves, *self._weights.values()])

    def product(
        self, at: Mapping[str, SupportsFloat], vector: Mapping[str, SupportsFloat]
    ) -> dict[str, float]:
        """The Hessian at a point times a vector."""
        expression = self.expression
        for name in vector:
            if name not in expression.tape.variables:
                raise expression.no_variable(name)
        first = expression.evaluate(at, refine=False)
        _refuse_corners(first)
        if self._tape is None:
            return {}
        point = dict(first.at)
        for name, weight in self._weights.items():
            point[weight.name or ""] = float(vector.get(name, 0.0))
        return self._sweep(first, point)

    def _sweep(self, first: Evaluation, point: dict[str, float]) -> dict[str, float]:
        tape, names = self._tape, first.at
        assert tape is not None
        try:
            values = primals(tape, point)
        except Fault:
            raise _no_second() from None
        active = tape.active(names)
        adjoints, _, blocked = pull_back_carefully(tape, values, active)
        found = {name: adjoints[tape.variables[name]] + 0.0 for name in names}
        if blocked or not all(map(math.isfinite, found.values())):
            culprits = below(tape, values, blocked)
            if any(name in culprits for name in names) or not culprits:
                raise _no_second()
        return found


def _refuse_corners(first: Evaluation) -> None:
    for corner in first.corners:
        raise NotDifferentiableError(
            f"there is no Hessian here: {corner.operation} stands at a corner",
            corner.span,
            source=first.expression.source,
        )


def _no_second() -> NotDifferentiableError:
    return NotDifferentiableError(
        "the second derivatives do not exist here", hint="evaluate at a point nearby"
    )


def hessian_product(
    expression: Expression,
    at: Mapping[str, SupportsFloat],
    vector: Mapping[str, SupportsFloat],
) -> dict[str, float]:
    """The Hessian at a point times a vector, by one reverse sweep over the gradient."""
    return Curvature(expression).product(at, vector)


def hessian(
    expression: Expression, at: Mapping[str, SupportsFloat]
) -> dict[str, dict[str, float]]:
    """The matrix of second partial derivatives, by names; symmetric to the last bit."""
    curvature = Curvature(expression)
    names = expression.variables
    rows = {name: curvature.product(at, {name: 1.0}) for name in names}
    for i, a in enumerate(names):
        for b in names[:i]:
            rows[a][b] = rows[b][a]
    return rows


def derivatives(
    expression: Expression, at: Mapping[str, SupportsFloat], name: str, order: int
) -> list[float]:
    """The derivatives of orders 0 ... `order` by one variable at a point."""
    if not 1 <= order <= taylor.HIGHEST:
        raise BindingError(
            f"an order is a whole number from 1 to {taylor.HIGHEST}, not {order}"
        )
    point = expression.point(at)
    if name not in expression.tape.variables:
        raise expression.no_variable(name)
    values = expression.primals(point)
    return taylor.derivatives(expression.tape, values, point, name, order)
