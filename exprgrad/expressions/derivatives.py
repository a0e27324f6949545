"""Derivatives as formulas, several at once, with their values at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, SupportsFloat

from exprgrad.errors import DomainError, Hint, NotDifferentiableError, UsageError
from exprgrad.expressions import higher_orders
from exprgrad.expressions.expression import Expression


class Formula(NamedTuple):
    """The derivative by the variables of `wrt`, one after the other.

    `value` is its value at the point, if one was given; None where it has none, and then `problem`
    says why.
    """

    wrt: tuple[str, ...]
    derivative: Expression
    value: float | None
    problem: DomainError | None


class Derivatives(NamedTuple):
    """Derivatives of one expression."""

    expression: Expression
    at: dict[str, float] | None
    formulas: list[Formula]


def derive(
    expression: Expression,
    wrt: Sequence[Sequence[str]] = (),
    order: int = 1,
    at: Mapping[str, SupportsFloat] | None = None,
) -> Derivatives:
    """The derivatives by each chain of variables in `wrt`, or by every variable, `order` times.

    Raises `BindingError` for a name that does not occur.
    """
    if not wrt and not expression.variables:
        raise UsageError(
            "the expression has no variable to differentiate with respect to",
            hint=Hint("choose_variable", name="x"),
        )
    chains = [tuple(names) for names in wrt] or [
        (name,) for name in expression.variables
    ]
    for name in (name for chain in chains for name in chain):
        if name not in expression.tape.variables and name not in expression.declared:
            raise expression.no_variable(name)
    point = None if at is None else expression.point(at)
    found = []
    for chain in chains:
        derivative = expression.derivative(*chain * order)
        value, problem = None, None
        if point is not None:
            try:
                value = _value(expression, chain, order, point)
            except DomainError as error:
                problem = error
        found.append(Formula(chain * order, derivative, value, problem))
    return Derivatives(expression, point, found)


def _value(
    expression: Expression,
    chain: tuple[str, ...],
    order: int,
    point: dict[str, float],
) -> float:
    """The derivative's value, taken where it exists: a formula may have a value where f has no slope."""
    value, last = 0.0, expression
    for name in chain * order:
        if name not in last.tape.variables:
            return 0.0
        own = {n: point[n] for n in last.variables}
        first = last.evaluate(own, [name])
        if first.gradient[name] is None:
            raise NotDifferentiableError(
                f"there is no derivative by {name} at {name} = {point[name]:.10g}",
                first.corners[0].span if last is expression else None,
                source=expression.source,
            )
        if len(chain) == 1 and order > 1:
            return higher_orders.derivatives(expression, point, name, order)[order]
        value = first.gradient[name] or 0.0
        last = last.derivative(name)
    return value
