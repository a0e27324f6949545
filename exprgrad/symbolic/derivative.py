"""Derivatives as graphs: the table's rules, run over the nodes of an expression.

With t_i = dv_i/dx, forward:  t_i = sum over operands j of (d op_i/d v_j) * t_j, where the partials are
formulas. Operands that do not depend on x are left out. The result shares the nodes of the original, so
it grows in proportion to the graph, however often a subexpression is used.
"""

from __future__ import annotations

from collections.abc import Callable

from exprgrad.errors import Hint, NotDifferentiableError, Span, UsageError
from exprgrad.graph.order import topological
from exprgrad.graph.value import SYMBOLS, Constant, Value, node
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.symbolic.simplify import simplify

MOST_OPERATIONS = 400
"""Operations of a formula that is differentiated again."""


def derivative(
    root: Value,
    name: str,
    order: int = 1,
    most: int | None = None,
    span: Span | None = None,
) -> Value:
    """The derivative of that order with respect to the variable of that name, simplified.

    Formulas of higher derivatives may grow without limit: raises `UsageError` when one of more than
    `most` operations is to be differentiated (for orders above 1: `MOST_OPERATIONS`); `span` is where.
    """
    for k in range(order):
        limit = MOST_OPERATIONS if k else most
        if limit is not None and len(topological(root)) > limit:
            raise UsageError(
                f"the formula of this derivative has over {limit} operations",
                span,
                hint=Hint("order_at_point"),
            )
        root = simplify(tangent(root, name))
    return root


Instead = Callable[[Value, dict[Value, Value]], Value | None]
"""What to take for the tangent of a node instead of what its rule gives; None for the rule."""


def tangent(root: Value, name: str, instead: Instead | None = None) -> Value:
    """The derivative as the rules give it, not simplified; or as `instead` would have it."""
    tangents: dict[Value, Value] = {}
    for item in topological(root):
        if item.operation is None:
            if item.name == name and not isinstance(item, Constant):
                tangents[item] = Constant(1.0)
            continue
        own = instead(item, tangents) if instead is not None else None
        if own is None:
            own = _tangent(item, item.operation, tangents)
        if own is not None:
            tangents[item] = own
    return tangents.get(root, Constant(0.0))


def _tangent(
    item: Value, operation: Operation, tangents: dict[Value, Value]
) -> Value | None:
    """The sum of partial * tangent over the operands that have a tangent."""
    choice = as_choice(item)
    if choice is not None:
        # the untaken branch must not be evaluated: a choice of tangents, not a sum over both
        branches = [tangents.get(operand) for operand in choice.operands[1:]]
        if branches == [None, None]:
            return None
        taken, other = (Constant(0.0) if b is None else b for b in branches)
        return node(TABLE["if"], (choice.operands[0], taken, other))
    if operation.whole:
        product = operation.name == "item"
        raise UsageError(
            f"there are no formulas for derivatives of {operation.title}, an operation on arrays",
            item.span,
            Hint("product_or_gradient" if product else "gradient_at_point"),
        )
    total: Value | None = None
    for i, operand in enumerate(item.operands):
        if operand not in tangents or operation.partials[i] == 0:
            continue
        factors = [local_partial(operation, i, item, item.operands), tangents[operand]]
        if operation is TABLE["mul"] and i == 0:
            factors.reverse()  # (u*v)' = u'*v + u*v'
        own = _product(*factors)
        total = own if total is None else node(TABLE["add"], (total, own))
    return total


def as_choice(item: Value) -> Value | None:
    """An `if` as it is, and max or min of two as the `if` that their formula is; else None."""
    operation = item.operation
    if operation is TABLE["if"]:
        return item
    if operation is None or operation.fold != "left" or operation.formula is None:
        return None
    choice: Value = SYMBOLS.bind(operation.formula)(*item.operands)
    return choice


def local_partial(
    operation: Operation, index: int, result: Value, operands: tuple[Value, ...]
) -> Value:
    """A local partial as a graph. Raises where an argument cannot be differentiated by."""
    if operation.partials[index] is None:
        raise NotDifferentiableError(
            f"{operation.signature} cannot be differentiated by its argument number {index + 1}"
        )
    partial = SYMBOLS.partials(operation)[index](result, *operands)
    return partial if isinstance(partial, Value) else Constant(partial)


def _product(left: Value, right: Value) -> Value:
    if isinstance(right, Constant) and right.data == 1:
        return left
    if isinstance(left, Constant) and left.data == 1:
        return right
    return node(TABLE["mul"], (left, right))
