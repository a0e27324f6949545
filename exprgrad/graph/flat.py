"""Graphs as flat rows, and back: what is pickled and copied, since a graph may be very deep."""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.annotations import Any
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, node
from exprgrad.operations.operation import TABLE

Row = tuple[Any, ...]
"""An operation by name, its operands by number and its span; a constant; or a variable's name and span."""


def flattened(roots: Sequence[Value]) -> tuple[tuple[Row, ...], dict[Value, int]]:
    """The rows of all nodes below the roots, operands first, and the number of each node."""
    numbers: dict[Value, int] = {}
    for root in roots:
        for item in topological(root):
            numbers.setdefault(item, len(numbers))
    return tuple(_row(item, numbers) for item in numbers), numbers


def _row(item: Value, numbers: dict[Value, int]) -> Row:
    if item.operation is not None:
        return item.operation.name, tuple(numbers[o] for o in item.operands), item.span
    if isinstance(item, Constant):
        return item.data, item.exact, item.written, item.name, item.span
    return item.name, item.span


def restored(rows: Sequence[Row]) -> list[Value]:
    """The nodes of these rows."""
    nodes: list[Value] = []
    for row in rows:
        nodes.append(_node(row, nodes))
    return nodes


def _node(row: Row, nodes: list[Value]) -> Value:
    match row:
        case (name, operands, span):
            return node(TABLE[name], tuple(nodes[i] for i in operands), span)
        case (data, exact, written, name, span):
            constant = Constant(0.0, name, span)
            constant._data, constant.exact, constant.written = data, exact, written
            return constant
    variable = Value(None, row[0])
    variable.span = row[1]
    return variable
