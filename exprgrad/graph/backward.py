"""The reverse sweep over nodes that were computed as they were built: `Value.backward`.

Nodes are numbered as they come about, so what uses a node has a higher number; a sweep by falling
numbers needs no search for an order. If a fault, an infinite slope or changed data turns up, a careful
sweep in topological order takes over.
"""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Callable, Sequence
from functools import cache

from exprgrad.annotations import Any, TypeAlias
from exprgrad.errors import ArgumentError, ChangedDataError
from exprgrad.graph import arithmetic
from exprgrad.graph.order import topological
from exprgrad.graph.sweep import reverse
from exprgrad.operations.number_types import CAREFUL, Numbers, Step, float_partials
from exprgrad.operations.operation import ARITHMETIC, TABLE, show

Node: TypeAlias = Any
"""A node as sweeps see it: see `Value`."""

LOCK = RLock()
"""Held during a sweep: threads may share leaves, whose gradients add up."""

if hasattr(os, "register_at_fork"):
    # A child has the lock as it is at the fork, but not the thread that would release it: a fork waits for the sweep.
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )

MOST_NUMBERS = 4_000_000
"""Numbers between the nodes of a graph that a sweep in their order goes through."""


@cache
def in_one_pass() -> Callable[[Node], bool]:
    """The reverse sweep from a root in one pass, by falling numbers: what uses a node has a higher one.

    It gives False where that does not go smoothly: a fault, an infinite slope, data that was changed, or nodes
    that lie too far apart. Only adjoints of inner nodes have changed then. Its code is made in `arithmetic`.
    """
    rows = {name.upper(): TABLE[name] for name in (*arithmetic.RULES, "pow")}
    failures = {"FAILURES": (*ARITHMETIC, TypeError)}
    known = {"grow": _grow, "add_up": _add_up, "float_partials": float_partials}
    return arithmetic.sweep({**rows, **failures, **known})  # type: ignore[no-any-return] # its text is made


def _add_up(leaves: Sequence[Node], reached: Sequence[Node | None]) -> bool:
    """Add what leaves have received to their gradients; False where it is not finite, or one was given other data."""
    total, newest = 0.0, 0
    for leaf in leaves:
        if leaf.operation is not None:  # it was given data, and not computed
            return False
        total += leaf.share
        if leaf.version > newest:
            newest = leaf.version
    # One test for all of them: a sum of shares is finite only if each is. A sum that overflows takes the long way.
    if total - total != 0 or (newest and _outdated(reached, newest)):
        return False
    for leaf in leaves:
        leaf.grad += leaf.share
    return True


def _outdated(reached: Sequence[Node | None], newest: int) -> bool:
    """Return whether one of these nodes is older than the data of a leaf that it uses; `newest` is the last change of any."""
    # Nodes and versions are counted together: where the oldest node is newer than the last change, none is outdated.
    oldest = next(item for item in reversed(reached) if item is not None)
    return oldest.serial <= newest and any(
        not operand.serial and operand.version > item.serial
        for item in reached
        if item is not None
        for operand in item.operands
    )


def _grow(reached: list[Node | None], there: int) -> None:
    """Make room for a node so far behind the root."""
    if there > MOST_NUMBERS:
        # One of the failures at which the sweep in one pass gives up, so that the one in topological order takes
        # over.
        raise OverflowError
    reached += [None] * (there + 1)


def sweep_in_order(root: Any, numbers: Numbers, seed: Any) -> dict[Any, Any]:
    """The adjoint of every node, by a sweep in topological order; None where none arrives.

    Raises what `Value.backward` does.
    """
    order = topological(root)
    steps = [Step(n, n.operation, n.operands) for n in order if n.operation is not None]
    for step in steps:
        if _has_changed(step.node):
            raise _changed(step)
    if any(step.node.data is None for step in steps):
        what = "backward() needs data on every variable: give Value(2.0), not Value()"
        raise ArgumentError(what)
    values = {item: item.data for item in order}
    active = {item: not item.is_constant for item in order}
    adjoints = dict.fromkeys(order) | {root: seed}
    return reverse(steps, numbers, values, adjoints, active)  # type: ignore[no-any-return] # what it was given


def contribute(item: Any) -> None:
    """Add a node's contributions to the gradients of its operands, and to none beyond."""
    if item.operation is None:
        return
    from exprgrad.operations.on_arrays import ARRAYS

    numbers = CAREFUL if isinstance(item.data, float) else ARRAYS
    step = Step(item, item.operation, item.operands)
    own = [operand.data for operand in item.operands]
    for i, operand in enumerate(item.operands):
        if not operand.is_constant:
            part = numbers.pull(step, i, item.grad, item.data, own)
            operand.grad = operand.grad + (0.0 if part is None else part)


def kept(operands: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The leaves among the operands of a node on arrays, each with its data as they are now.

    Arrays may be changed in place, so it takes a copy. All nodes share it that see the same data.
    """
    found = []
    for leaf in operands:
        if leaf.operation is None and not leaf.is_constant:
            copy = leaf._data
            if not isinstance(copy, float):
                copy = leaf.version
                if isinstance(copy, int) or not _equal(copy, leaf._data):
                    copy = leaf.version = leaf._data.copy()
            found.append((leaf, copy))
    return found


def _equal(one: Any, other: Any) -> bool:
    """Return whether numbers or arrays are the same."""
    if isinstance(one, float) or isinstance(other, float):
        return bool(type(one) is type(other) and one == other)
    return bool(one.shape == other.shape and (one == other).all())


def _has_changed(item: Any) -> bool:
    """Return whether a node does not have the data that its operands give now.

    Versions say where that may be: a node, or an operand, was given data after the node was computed.
    Data that is as before is none that changed.
    """
    if item.data is None:
        return False
    if not isinstance(item.data, float):
        return item.version is None or not all(
            _equal(copy, leaf.data) for leaf, copy in item.version
        )
    if item.serial and not any(given_later(o, item.serial) for o in item.operands):
        return False
    try:
        return bool(
            item.operation.kernel(*(o.data for o in item.operands)) != item.data
        )
    except (*ARITHMETIC, TypeError):
        return True


def given_later(operand: Node, serial: int) -> bool:
    """Return whether an operand was given data after a node with that number was computed."""
    if operand.operation is None:
        return not isinstance(operand.version, int) or operand.version > serial
    return not operand.serial


def _changed(step: Step) -> ChangedDataError:
    data, own = step.node.data, [operand.data for operand in step.operands]
    leaves = [operand for operand in step.operands if operand.operation is None]
    names = [leaf.name for leaf in leaves if leaf.name]
    facts = ""
    if isinstance(data, float):
        facts = f" the data {show(data)}, its operands {', '.join(map(show, own))} now"
    return ChangedDataError(
        f"data{f' of {names[0]}' if names else ''} changed after the graph was built: "
        f"{step.operation.title} has{facts or ' other data than its operands give now'}",
        hint="build the graph again from the new data, then call backward()",
    )
