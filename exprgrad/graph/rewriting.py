"""A graph with some of its nodes replaced by others.

    rebuilt(root, lambda item, operands: other if item is old else None)

What does not change is the original's own; what was shared stays shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, node

Change = Callable[[Value, tuple[Value, ...]], Value | None]
"""What stands for a node whose operands are these by now; None for its operation on them."""


def rebuilt(root: Value, change: Change) -> Value:
    """The graph with `change` applied to every node, operands first; `root` itself if nothing changed."""
    known: dict[Value, Value] = {}
    for item in topological(root):
        operands = tuple([known[operand] for operand in item.operands])
        new = change(item, operands)
        known[item] = with_operands(item, operands) if new is None else new
    return known[root]


def replaced(root: Value, others: Mapping[Value, Value]) -> Value:
    """The graph with other nodes in the place of some."""
    return rebuilt(root, lambda item, _: others.get(item))


def with_operands(item: Value, operands: tuple[Value, ...]) -> Value:
    """The operation of a node on these operands; the node itself where they are its own."""
    if item.operation is None or operands == item.operands:
        return item
    return node(item.operation, operands, item.span)
