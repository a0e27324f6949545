"""The exact values of graphs of numbers, such as an exponent 1/3."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exprgrad.graph.order import topological
from exprgrad.graph.sweep import forward
from exprgrad.operations.number_types import Numbers, Step

EXACT = ("neg", "add", "sub", "mul", "div")
"""Operations that give fractions of fractions."""

LARGEST = 10**9
"""Numerators and denominators of exact values."""


class Inexact(Exception):
    """Not a fraction, or one of large numbers."""


class _Fractions(Numbers):
    faults = (Inexact, ZeroDivisionError)

    def value(self, step: Step, arguments: Sequence[Any]) -> Fraction:
        if step.operation.name not in EXACT:
            raise Inexact
        found: Any = step.operation.kernel(*arguments)
        if max(abs(found.numerator), found.denominator) > LARGEST:
            raise Inexact
        return found  # type: ignore[no-any-return] # a fraction, made of fractions


FRACTIONS = _Fractions(lambda operation: operation.kernel)


def rational(root: Any, most: int = 60) -> Fraction | None:
    """The exact value of a small graph of whole numbers and + - * /, if it is one."""
    if root.operation is None:
        return _leaf(root)
    if root.operation.name not in EXACT:
        return None
    values: dict[Any, Any] = {}
    steps = []
    for item in topological(root, most):
        if item.operation is None:
            exact = _leaf(item)
            values[item] = Inexact() if exact is None else exact
        else:
            steps.append(Step(item, item.operation, item.operands))
    found = forward(steps, FRACTIONS, values).get(root)
    return found if isinstance(found, Fraction) else None


def _leaf(item: Any) -> Fraction | None:
    """A constant as a fraction: one that was given as such, or a whole number."""
    if not item.is_constant:
        return None
    if item.exact is None and item.name is None and isinstance(item.data, float):
        return Fraction(int(item.data)) if item.data.is_integer() else None
    return item.exact  # type: ignore[no-any-return] # a fraction or None
