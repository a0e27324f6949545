"""An expression as nested tuples of numbers and names, and back: what is pickled.

Pickling the nodes themselves would recurse as deep as the graph.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exprgrad.expressions.expression import Expression
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, node
from exprgrad.language.notes import Slope
from exprgrad.language.parser import Reading
from exprgrad.operations.operation import TABLE

Packed = tuple[Any, ...]


def pack(expression: Expression) -> Packed:
    """The expression as tuples: its source, its nodes in topological order, and what belongs to it."""
    roots = [expression.root]
    for slope in expression.slopes:
        roots += [slope.derived, slope.root]
    numbers: dict[Value, int] = {}
    for root in [*(n for n in expression.tape.nodes if not n.operands), *roots]:
        for item in topological(root):
            numbers.setdefault(item, len(numbers))
    rows = tuple(_row(item, numbers) for item in numbers)
    slopes = tuple(
        (numbers[s.derived], numbers[s.root], s.variable, s.span)
        for s in expression.slopes
    )
    return (
        expression.source,
        rows,
        numbers[expression.root],
        tuple(
            numbers[expression.tape.nodes[i]]
            for i in expression.tape.variables.values()
        ),
        slopes,
        expression.notes,
        expression.implicit,
        tuple(sorted(expression.declared)),
    )


def _row(item: Value, numbers: dict[Value, int]) -> tuple[Any, ...]:
    if item.operation is not None:
        return item.operation.name, tuple(numbers[o] for o in item.operands), item.span
    if isinstance(item, Constant):
        return None, item.exact or item.data, item.name, item.span
    return None, None, item.name, item.span


def unpack(packed: Packed) -> Expression:
    """The expression that was packed."""
    source, rows, root, variables, slopes, notes, implicit, declared = packed
    nodes: list[Value] = []
    for row in rows:
        nodes.append(_node(row, nodes))
    reading = Reading(
        source,
        nodes[root],
        tuple(nodes[i] for i in variables),
        notes,
        implicit,
        tuple(Slope(nodes[d], nodes[r], name, span) for d, r, name, span in slopes),
    )
    return Expression(reading, declared)


def _node(row: tuple[Any, ...], nodes: list[Value]) -> Value:
    if row[0] is not None:
        name, operands, span = row
        return node(TABLE[name], tuple(nodes[i] for i in operands), span)
    _, data, name, span = row
    if data is None:
        new = Value(None, name)
        new.span = span
        return new
    return Constant(Fraction(data) if isinstance(data, Fraction) else data, name, span)
