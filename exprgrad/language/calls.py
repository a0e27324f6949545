"""Calls with more arguments than an operation has, errors in their number, and conditions."""

from __future__ import annotations

from functools import reduce

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.graph.value import Constant, Value, node
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import NE


def folded(
    operation: Operation, name: str, arguments: list[Value], span: Span
) -> Value:
    """max(a, b, c) as max(max(a, b), c); piecewise(c1, a1, c2, a2, b) as nested ifs."""
    if operation.fold == "left":
        return reduce(lambda *pair: node(operation, pair, span), arguments)
    if len(arguments) % 2 == 0:
        raise no_otherwise(name, span)
    result = arguments[-1]
    # from the last pair, which is the innermost
    for i in range(len(arguments) - 3, -1, -2):
        result = node(operation, (truth(arguments[i]), arguments[i + 1], result), span)
    return result


def no_otherwise(name: str, span: Span) -> ExpressionSyntaxError:
    """The error for cases that end without a value for all others."""
    what = "pairs of condition and value, then a value for all other cases"
    hint = f"add the last value: {name}(condition, value, ..., otherwise)"
    return ExpressionSyntaxError(f"{name} needs {what}", span, hint)


def wrong_number(
    name: str, given: int, by_arity: dict[int, Operation], span: Span
) -> ExpressionSyntaxError:
    """The error for a number of arguments that no operation of that name takes."""
    wanted = " or ".join(str(n) for n in sorted(by_arity))
    if any(operation.fold == "left" for operation in by_arity.values()):
        wanted = f"{min(by_arity)} or more"
    signatures = ", ".join(o.signature for _, o in sorted(by_arity.items()))
    plural = "" if wanted == "1" else "s"
    message = f"{name} takes {wanted} argument{plural}, not {given}"
    return ExpressionSyntaxError(message, span, f"write {signatures}")


def truth(condition: Value) -> Value:
    """A condition as a comparison, which knows where it changes: a number is compared with 0."""
    rule = condition.operation.rule if condition.operation is not None else ""
    if rule in ("comparison", "logic"):
        return condition
    return node(NE, (condition, Constant(0.0)), condition.span)
