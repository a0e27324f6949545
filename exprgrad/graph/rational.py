"""The exact values of graphs of numbers, such as an exponent 1/3."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from exprgrad.graph.backward import topological

if TYPE_CHECKING:
    from exprgrad.graph.value import Value


def rational(root: Value, most: int = 60) -> Fraction | None:
    """The exact value of a small graph of whole numbers and + - * /, if it is one."""
    if root.operation is None:
        return _exact(root, [])
    if root.operation.name not in ("neg", "add", "sub", "mul", "div"):
        return None
    known: dict[Value, Fraction] = {}
    for item in topological(root, most):
        value = _exact(item, [known[operand] for operand in item.operands])
        if value is None or max(abs(value.numerator), value.denominator) > 10**9:
            return None
        known[item] = value
    return known.get(root)


def _exact(item: Value, arguments: list[Fraction]) -> Fraction | None:
    if item.is_constant:
        exact: Fraction | None = item.exact
        whole = exact is None and item.name is None and item.data is not None
        if whole and item.data.is_integer():  # type: ignore[union-attr] # not None
            return Fraction(int(item.data))  # type: ignore[arg-type] # not None
        return exact
    match item.operation and item.operation.name, arguments:
        case "neg", [x]:
            return -x
        case "add", [x, y]:
            return x + y
        case "sub", [x, y]:
            return x - y
        case "mul", [x, y]:
            return x * y
        case "div", [x, y] if y:
            return x / y
    return None
