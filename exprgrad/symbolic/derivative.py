"""Derivatives as graphs: the table's rules, run over the nodes of an expression.

With t_i = dv_i/dx, forward:  t_i = sum over operands j of (d op_i/d v_j) * t_j, where the partials are
formulas. Operands that do not depend on x are left out. The result shares the nodes of the original, so
it grows in proportion to the graph, however often a subexpression is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exprgrad.errors import Hint, NotDifferentiableError, Span, UsageError
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import SYMBOLS, Constant, Value, node
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ADD, IF, ITEM, MUL

MOST_OPERATIONS = 400
"""The most operations of a formula that is differentiated again."""


def derivative(
    root: Value,
    name: str,
    order: int = 1,
    most: int | None = None,
    span: Span | None = None,
) -> Value:
    """The derivative of that order with respect to the variable of that name, simplified.

    Formulas of higher derivatives may grow without limit: raises `UsageError`, at `span`, if one of more
    than `most` operations (for orders above 1, `MOST_OPERATIONS`) is to be differentiated.
    """
    from exprgrad.symbolic.simplify import simplify

    for k in range(order):
        if root.operation is None and root.is_constant:
            return Constant(0.0)  # and so are those of all higher orders
        limit = MOST_OPERATIONS if k else most
        if limit is not None and len(topological(root)) > limit:
            raise UsageError(
                f"the formula of this derivative has more than {limit} operations",
                span,
                hint=Hint("order_at_point"),
            )
        root = simplify(tangent(root, name))
    return root


Tangent = Value | None
"""The derivative of a node; None where it does not depend on the variable."""

Instead = Callable[[Value, Sequence[Tangent]], Tangent]
"""The tangent of a node, from those of its operands; None for the one that its rule gives."""


def tangent(root: Value, name: str, instead: Instead | None = None) -> Value:
    """The derivative as the rules give it, not simplified; or as `instead` would have it."""
    tangents: dict[Value, Tangent] = {}
    steps = []
    for item in topological(root):
        if item.operation is not None:
            steps.append(Step(item, item.operation, item.operands))
        else:
            own = item.name == name and not isinstance(item, Constant)
            tangents[item] = Constant(1.0) if own else None
    found = forward(steps, _Tangents(instead), tangents)[root]
    return Constant(0.0) if found is None else found


class _Tangents(Numbers):
    """Formulas of tangents: that of a step is the sum of its local partials times its operands'."""

    chooses = False

    def __init__(self, instead: Instead | None) -> None:
        super().__init__(lambda operation: operation.kernel)
        self._instead = instead

    def value(self, step: Step, arguments: Sequence[Tangent]) -> Tangent:
        own = self._instead(step.node, arguments) if self._instead is not None else None
        return _tangent(step.node, step.operation, arguments) if own is None else own


def _tangent(item: Value, operation: Operation, tangents: Sequence[Tangent]) -> Tangent:
    """The sum of partial * tangent over the operands that have a tangent."""
    choice = as_choice(item)
    if choice is not None:
        # a choice between tangents, not their sum: the untaken branch must not be evaluated
        known = dict(zip(item.operands, tangents, strict=True))
        branches = [known[operand] for operand in choice.operands[1:]]
        if branches == [None, None]:
            return None
        taken, other = (Constant(0.0) if b is None else b for b in branches)
        return node(IF, (choice.operands[0], taken, other))
    if operation.whole:
        product = operation is ITEM
        raise UsageError(
            f"there are no formulas for derivatives of {operation.title}, an operation on arrays",
            item.span,
            Hint("product_or_gradient" if product else "gradient_at_point"),
        )
    total: Value | None = None
    for i, inner in enumerate(tangents):
        if inner is None or operation.partials[i] == 0:
            continue
        factors = [local_partial(operation, i, item, item.operands), inner]
        if operation is MUL and i == 0:
            factors.reverse()  # (u*v)' = u'*v + u*v'
        own = _product(*factors)
        total = own if total is None else node(ADD, (total, own))
    return total


def as_choice(item: Value) -> Value | None:
    """An `if` itself; max or min of two as the `if` of their formula; None for anything else."""
    operation = item.operation
    if operation is IF:
        return item
    if operation is None or operation.fold != "left" or operation.formula is None:
        return None
    choice: Value = SYMBOLS.bind(operation.formula)(*item.operands)
    return choice


def local_partial(
    operation: Operation, index: int, result: Value, operands: tuple[Value, ...]
) -> Value:
    """A local partial as a graph. Raises `NotDifferentiableError` for an argument that has none."""
    if operation.partials[index] is None:
        raise NotDifferentiableError(
            f"{operation.signature} cannot be differentiated with respect to its argument number {index + 1}"
        )
    partial = SYMBOLS.partials(operation)[index](result, *operands)
    return partial if isinstance(partial, Value) else Constant(partial)


def _product(left: Value, right: Value) -> Value:
    if right.data == 1 and rational(right) == 1:
        return left
    if left.data == 1 and rational(left) == 1:
        return right
    return node(MUL, (left, right))
