"""Rewrites that make a symbolic result shorter and keep its value.

So far what a local partial needs to read well: exact arithmetic on whole numbers and fractions, and
the neutral elements of sums, products and powers.
"""

from __future__ import annotations

from exprgrad.graph import Constant, Value, apply, rational, topological


def tidy(root: Value) -> Value:
    """The graph with constant parts worked out exactly and neutral operands left out."""
    new: dict[Value, Value] = {}
    for item in topological(root):
        new[item] = item if item.operation is None else _tidied(item, new)
    return new[root]


def _tidied(item: Value, new: dict[Value, Value]) -> Value:
    assert item.operation is not None
    operands = [new[operand] for operand in item.operands]
    rebuilt = apply(item.operation, *operands)
    exact = rational(rebuilt)
    if exact is not None and (
        exact.denominator == 1 or item.operation.name in ("sub", "neg")
    ):
        return Constant(exact)
    one = [isinstance(o, Constant) and rational(o) == 1 for o in operands]
    match item.operation.name:
        case "pow" | "div" if one[1]:
            return operands[0]
        case "mul" if True in one:
            return operands[1 - one.index(True)]
    return rebuilt
