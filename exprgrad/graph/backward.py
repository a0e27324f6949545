"""The reverse sweep over nodes that were computed as they were built: `Value.backward`.

Nodes are numbered as they come about, so what uses a node has a higher number; a sweep by falling
numbers needs no search for an order. Where it meets something special it is given up, and one goes
over the nodes in topological order, with care.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from exprgrad.errors import ChangedDataError, NotDifferentiableError
from exprgrad.operations import table as operations
from exprgrad.operations.number_types import float_partials, local_partial
from exprgrad.operations.operation import ARITHMETIC, Operation, show

if TYPE_CHECKING:
    from exprgrad.graph.value import Value

LOCK = threading.RLock()
"""Held during a sweep: threads may share leaves, whose gradients add up."""

ADD, SUB, MUL, DIV = operations.ADD, operations.SUB, operations.MUL, operations.DIV

MOST_NUMBERS = 4_000_000
"""Numbers between the nodes of a graph that a sweep in their order goes through."""


def swept(root: Value) -> bool:
    """The reverse sweep in one pass, by falling numbers: what uses a node has a higher one.

    False where that does not go smoothly: a fault, an infinite slope, data that was changed, or nodes
    that lie too far apart. Only adjoints of inner nodes have changed then. The partials of + - * / are
    written out, since most nodes are theirs; a test holds them to the table.
    """
    last, room = root.serial, 64
    reached: list[Value | None] = [None] * room  # by how far behind the root they came
    reached[0] = root
    root.grad = 1.0
    leaves: list[Value] = []
    x: Any  # no None: the node was computed from it
    y: Any
    try:
        for item in reached:  # which grows on the way
            if item is None:
                continue
            operation, adjoint = item.operation, item.grad
            if operation is MUL:
                left, right = item.operands
                x, y = left.data, right.data
                fresh = x * y
                to_left, to_right = adjoint * y, adjoint * x
            elif operation is ADD:
                left, right = item.operands
                fresh = left.data + right.data  # type: ignore[operator] # no None
                to_left = to_right = adjoint
            elif operation is SUB:
                left, right = item.operands
                fresh = left.data - right.data  # type: ignore[operator] # no None
                to_left, to_right = adjoint, -adjoint
            elif operation is DIV:
                left, right = item.operands
                x, y = left.data, right.data
                fresh = x / y
                to_left, to_right = adjoint * (1 / y), adjoint * (-fresh / y)
            else:
                _hand_on(item, last, reached, leaves)
                room = len(reached)
                continue
            if fresh != item.data:
                return False
            if left.serial:
                there = last - left.serial
                if there >= room:
                    room = _grow(reached, there)
                if reached[there] is None:
                    reached[there] = left
                    left.grad = to_left
                else:
                    left.grad += to_left
            elif left.share is None:
                if left.operation is not None:
                    return False  # it was given data, and not computed
                leaves.append(left)
                left.share = to_left
            else:
                left.share += to_left
            if right.serial:
                there = last - right.serial
                if there >= room:
                    room = _grow(reached, there)
                if reached[there] is None:
                    reached[there] = right
                    right.grad = to_right
                else:
                    right.grad += to_right
            elif right.share is None:
                if right.operation is not None:
                    return False
                leaves.append(right)
                right.share = to_right
            else:
                right.share += to_right
        if not math.isfinite(sum(leaf.share for leaf in leaves)):  # type: ignore[misc] # no None
            return False
        for leaf in leaves:
            if not leaf.is_constant:
                leaf.grad += leaf.share  # type: ignore[operator] # no None
    except (*ARITHMETIC, TypeError):
        return False
    finally:
        for leaf in leaves:
            leaf.share = None
    return True


def _grow(reached: list[Value | None], there: int) -> int:
    """Make room for a node so far behind the root; how much there is now."""
    if there > MOST_NUMBERS:
        raise OverflowError
    reached += [None] * (there + 1)
    return len(reached)


def _hand_on(
    item: Value, last: int, reached: list[Value | None], leaves: list[Value]
) -> None:
    """A step of `swept` for an operation that it does not write out."""
    operation, adjoint = item.operation, item.grad
    assert operation is not None
    data = [operand.data for operand in item.operands]
    if operation.kernel(*data) != item.data:
        raise TypeError("an operand has other data than when it was used")
    partials = operation.float_partials or float_partials(operation)
    for operand, partial in zip(item.operands, partials, strict=True):
        if operand.is_constant:
            continue
        own = adjoint * partial(item.data, *data) if adjoint else 0.0
        if operand.serial:
            there = last - operand.serial
            if there >= len(reached):
                _grow(reached, there)
            if reached[there] is None:
                reached[there] = operand
                operand.grad = own
            else:
                operand.grad += own
        elif operand.share is None:
            if operand.operation is not None:
                raise TypeError("it was given data, and not computed")
            leaves.append(operand)
            operand.share = own
        else:
            operand.share += own


def sweep_in_order(order: Sequence[Value], root: Value) -> None:
    """The reverse sweep over nodes in topological order; leaves are as they were if it fails.

    Raises what `Value.backward` does.
    """
    _refuse_changed(order)
    leaves = [(item, item.grad) for item in order if item.operation is None]
    for item in order:
        if item.operation is not None:
            item.grad = 0.0
    root.grad += 1.0
    try:
        for item in reversed(order):
            if item.operation is not None and item.grad:
                _pull_back(item, item.operation, item.grad)
    except (TypeError, NotDifferentiableError):
        for leaf, grad in leaves:
            leaf.grad = grad
        raise


def _refuse_changed(order: Sequence[Value]) -> None:
    """Raise `ChangedDataError` if a node does not have the data that its operands give."""
    for item in order:
        data = [operand.data for operand in item.operands]
        if item.operation is None or item.data is None or None in data:
            continue
        try:
            fresh = item.operation.kernel(*data)
        except ARITHMETIC:
            fresh = None
        if fresh != item.data:
            names = [o.name for o in item.operands if o.operation is None and o.name]
            of = f" of {names[0]}" if names else ""
            raise ChangedDataError(
                f"data{of} changed after the graph was built: {item.operation.title} has the "
                f"data {show(item.data)}, its operands {', '.join(map(show, data))} now",  # type: ignore[arg-type] # no None among them
                hint="build the graph again from the new data, then call backward()",
            )


def _pull_back(item: Value, operation: Operation, adjoint: float) -> None:
    """Hand the adjoint of a node on to its operands, whose partials are usually two finite numbers."""
    operands, partials = (
        item.operands,
        operation.float_partials or float_partials(operation),
    )
    if item.data is None:
        raise TypeError(
            "backward() needs data on every variable: give Value(2.0), not Value()"
        )
    try:
        if len(operands) == 2:
            left, right = operands
            x, y, z = left.data, right.data, item.data
            by_left = 0.0 if left.is_constant else partials[0](z, x, y)
            by_right = 0.0 if right.is_constant else partials[1](z, x, y)
            if math.isfinite(by_left + by_right):
                left.grad += adjoint * by_left
                right.grad += adjoint * by_right
                return
        elif len(operands) == 1:
            partial = partials[0](item.data, operands[0].data)
            if math.isfinite(partial):
                operands[0].grad += adjoint * partial
                return
    except (*ARITHMETIC, TypeError):
        pass
    _pull_back_carefully(item, operation, adjoint)


def _pull_back_carefully(item: Value, operation: Operation, adjoint: float) -> None:
    """The same for any number of operands, and for partials that overflow on the way or are infinite."""
    data = [operand.data for operand in item.operands]
    primals = [number for number in data if number is not None]
    if item.data is None or len(primals) < len(data):
        raise TypeError(
            "backward() needs data on every variable: give Value(2.0), not Value()"
        )
    for index, operand in enumerate(item.operands):
        if operand.is_constant:
            continue
        partial = local_partial(operation, index, item.data, primals)
        if not math.isfinite(partial):
            at = ", ".join(map(show, primals))
            raise NotDifferentiableError(
                f"{operation.title} has no finite slope at {at}"
            )
        operand.grad += adjoint * partial


def topological(root: Value, most: int | None = None) -> list[Value]:
    """Every node from `root` down, operands before the nodes that use them.

    By an explicit stack, so that depth does not matter. With `most`, an empty list when there are
    more nodes than that.
    """
    order: list[Value] = []
    seen: set[Value] = set()
    open_nodes: list[Value] = []
    stack: list[Value | None] = [root]
    while stack:
        item = stack.pop()
        if item is None:  # all operands of the innermost open node are in order
            order.append(open_nodes.pop())
        elif item not in seen:
            seen.add(item)
            if not item.operands:
                order.append(item)
                continue
            open_nodes.append(item)
            stack.append(None)
            stack += item.operands[::-1]
            if most is not None and len(seen) > most:
                return []
    return order
