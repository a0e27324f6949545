"""Topological order: every node after its operands, however deep the graph is."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from typing import TypeVar

    N = TypeVar("N", bound="Node")

    class Node(Protocol):
        """Anything that can be ordered: a node knows its operands, which exist before it."""

        @property
        def operands(self) -> tuple[Any, ...]:
            """The nodes that it was made from."""


def topological(
    root: N, most: int | None = None, seen: set[N] | None = None
) -> list[N]:
    """Every node from `root` down, operands before the nodes that use them.

    By an explicit stack, so that depth does not matter. With `most`, an empty list when there are
    more nodes than that. Nodes in `seen` are left out; those that are found are added to it.
    """
    order: list[N] = []
    seen = set() if seen is None else seen
    open_nodes: list[N] = []
    stack: list[N | None] = [root]
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
