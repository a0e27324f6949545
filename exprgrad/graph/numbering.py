"""Value numbering: equal things get equal numbers (Cocke and Schwartz, 1970).

    numbers = Numbering()
    numbers["add", 1, 2]        # 0
    numbers["mul", 1, 2]        # 1
    numbers["add", 1, 2]        # 0

A node is equal to another if their operations are the same and their operands have equal numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from itertools import count

from exprgrad.graph.order import topological
from exprgrad.graph.value import Value


class Numbering(defaultdict[Hashable, int]):
    """Numbers by key, counted from `first`; a new key gets the next one."""

    def __init__(self, first: int = 0) -> None:
        super().__init__(count(first).__next__)


class GraphNumbering:
    """The numbers of graphs. Each node is visited once, in however many graphs it stands."""

    __slots__ = ("_keys", "_numbers", "_seen")

    def __init__(self) -> None:
        self._keys = Numbering()
        self._numbers: dict[Value, int] = {}
        self._seen: set[Value] = set()

    def number(self, root: Value) -> int:
        """The same number for equal graphs, and for no others."""
        for item in topological(root, seen=self._seen):
            operands = [self._numbers[operand] for operand in item.operands]
            # Not by the double alone: 0.1 and 0.1000000000000000055 have the same one, and are two numbers.
            meant = (item.data, item.exact, item.written)
            key = (item.operation, item.name, meant, *operands)
            self._numbers[item] = self._keys[key]
        return self._numbers[root]
