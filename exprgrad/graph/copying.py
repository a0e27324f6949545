"""Pickles and copies of graphs, however deep they are.

Left to itself, `pickle` follows the operands of a node, and theirs, as deep as the graph is. So a node is
reduced to a blank one and a state, in which all nodes below it come first, operands before what uses them.
When it comes to a node, its operands have been saved; sharing stays what it was, also among several graphs
of one pickle.
"""

from __future__ import annotations

from _thread import _local as local  # what threading takes a while to import
from collections.abc import Iterator
from copyreg import __newobj__  # type: ignore[attr-defined] # the stubs lack it

from exprgrad.annotations import Any
from exprgrad.graph.order import topological


class _UnderWay(local):
    """The nodes that are being saved in this thread, each after its operands."""

    def __init__(self) -> None:
        self.nodes: set[Any] = set()


_UNDER_WAY = _UnderWay()


class _Below:
    """The nodes below a node, in topological order: saved as a list."""

    def __init__(self, root: Any) -> None:
        self.root = root

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (), None, self._nodes()

    def _nodes(self) -> Iterator[Any]:
        below = topological(self.root)[:-1]
        fresh = set(below) - _UNDER_WAY.nodes
        _UNDER_WAY.nodes |= fresh
        try:
            yield from below
        finally:
            _UNDER_WAY.nodes -= fresh


def is_under_way(item: Any) -> bool:
    """Return whether a node is being saved as a part of a graph, after its operands."""
    return item in _UNDER_WAY.nodes


def reduced(item: Any, fields: dict[str, Any] | None, slots: dict[str, Any]) -> Any:
    """Return what `__reduce_ex__` gives for a node with these attributes and slots."""
    state: tuple[Any, ...] = (fields, slots)
    if item.operands and not is_under_way(item):
        state = (_Below(item), *state)
    return __newobj__, (type(item),), state
