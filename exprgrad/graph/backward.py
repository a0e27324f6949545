"""The reverse sweep over nodes that were computed as they were built: `Value.backward`.

Nodes are numbered as they come about, so what uses a node has a higher number; a sweep by falling
numbers needs no search for an order. If a fault, an infinite slope or changed data turns up, a careful
sweep in topological order takes over.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from exprgrad.errors import ChangedDataError
from exprgrad.graph import arithmetic
from exprgrad.graph.order import topological
from exprgrad.graph.sweep import reverse
from exprgrad.operations.number_types import Fault, Numbers, Step, float_partials
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation, show

if TYPE_CHECKING:

    class Node(Protocol):
        """What is swept: see `Value`."""

        data: float | None
        grad: float
        is_constant: bool
        operation: Operation | None
        serial: int
        share: float | None

        @property
        def operands(self) -> tuple[Node, ...]:
            """The nodes that it was computed from."""


LOCK = threading.RLock()
"""Held during a sweep: threads may share leaves, whose gradients add up."""

if hasattr(os, "register_at_fork"):
    # A child has the lock as it is at the fork, but not the thread that would release it: a fork waits for the sweep.
    os.register_at_fork(
        before=LOCK.acquire,
        after_in_parent=LOCK.release,
        after_in_child=LOCK.release,
    )

MOST_NUMBERS = 4_000_000
"""Numbers between the nodes of a graph that a sweep in their order goes through."""


def swept(root: Node) -> bool:
    """The reverse sweep in one pass, by falling numbers: what uses a node has a higher one.

    False where that does not go smoothly: a fault, an infinite slope, data that was changed, or nodes
    that lie too far apart. Only adjoints of inner nodes have changed then.
    """
    return _swept()(root)  # type: ignore[no-any-return] # its text is made


@cache
def _swept() -> Any:
    """The code of `swept`: see `arithmetic`."""
    rows = {name.upper(): TABLE[name] for name in arithmetic.RULES}
    failures = (*ARITHMETIC, TypeError)
    return arithmetic.sweep(
        {**rows, "FAILURES": failures, "grow": _grow, "hand_on": _hand_on, "add_up": _add_up}
    )  # fmt: skip


def _add_up(leaves: Sequence[Node]) -> bool:
    """Add what leaves have received to their gradients; False where it is not finite."""
    if not math.isfinite(sum(leaf.share for leaf in leaves)):  # type: ignore[misc] # no None
        return False
    for leaf in leaves:
        if not leaf.is_constant:
            leaf.grad += leaf.share  # type: ignore[operator] # no None
    return True


def _grow(reached: list[Node | None], there: int) -> int:
    """Make room for a node so far behind the root; how much there is now."""
    if there > MOST_NUMBERS:
        raise OverflowError
    reached += [None] * (there + 1)
    return len(reached)


def _hand_on(
    item: Node, last: int, reached: list[Node | None], leaves: list[Node]
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


def sweep_in_order(root: Any, numbers: Numbers, seed: Any) -> dict[Any, Any]:
    """The adjoint of every node, by a sweep in topological order; None where none arrives.

    Raises what `Value.backward` does.
    """
    order = topological(root)
    steps = [Step(n, n.operation, n.operands) for n in order if n.operation is not None]
    for step in steps:
        _refuse_changed(step, numbers)
    if any(step.node.data is None for step in steps):
        raise TypeError(
            "backward() needs data on every variable: give Value(2.0), not Value()"
        )
    values = {item: item.data for item in order}
    active = {item: not item.is_constant for item in order}
    adjoints = dict.fromkeys(order) | {root: seed}
    return reverse(steps, numbers, values, adjoints, active)  # type: ignore[no-any-return] # what it was given


def _refuse_changed(step: Step, numbers: Numbers) -> None:
    """Raise `ChangedDataError` if a node does not have the data that its operands give.

    Arrays are computed again only where an operand is a leaf: others are changed by nobody.
    """
    data, own = step.node.data, [operand.data for operand in step.operands]
    leaves = [operand for operand in step.operands if operand.operation is None]
    if data is None or not (leaves or isinstance(data, float)):
        return
    try:
        same: Any = numbers.value(step, own) == data
        if same if isinstance(same, bool) else same.all():
            return
    except (*ARITHMETIC, Fault, TypeError):
        pass
    names = [leaf.name for leaf in leaves if leaf.name]
    facts = ""
    if isinstance(data, float):
        facts = f" the data {show(data)}, its operands {', '.join(map(show, own))} now"
    raise ChangedDataError(
        f"data{f' of {names[0]}' if names else ''} changed after the graph was built: "
        f"{step.operation.title} has{facts or ' other data than its operands give now'}",
        hint="build the graph again from the new data, then call backward()",
    )
