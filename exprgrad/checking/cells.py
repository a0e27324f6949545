"""The cells into which the landmarks of a problem divide the points of all its variables together.

Points on the same sides of all landmarks lie in the same cell: `Cells.at` is the same for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.graph.order import topological
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import Value, node
from exprgrad.operations.number_types import CAREFUL, Fault
from exprgrad.operations.table import ADD
from exprgrad.sweeps.tape import Tape, primals

Signs = tuple[int | None, ...]


def tape_of(part: Value) -> Tape:
    """A part of a graph with the variables that it depends on."""
    leaves = [
        item
        for item in topological(part)
        if item.operation is None and item.name is not None and item.data is None
    ]
    return Tape(part, leaves)


class Cells:
    """On which sides of their values the parts of graphs are."""

    def __init__(self, parts: Sequence[tuple[Value, float]]) -> None:
        own: dict[tuple[str, ...], list[tuple[Value, float]]] = {}
        for part, level in parts:
            names = tuple(sorted(tape_of(part).variables))
            own.setdefault(names, []).append((part, level))
        self._groups = [_Group(*each) for each in own.items()]

    def at(self, point: Mapping[str, float]) -> tuple[Signs, ...]:
        """The sides at a point: points with the same belong together."""
        return tuple(group.at(point) for group in self._groups)


class _Group:
    """The parts that depend on the same variables, on one tape, and which of its nodes have what level."""

    def __init__(
        self, names: tuple[str, ...], parts: Sequence[tuple[Value, float]]
    ) -> None:
        self.names = names
        root = parts[0][0]
        for part, _ in parts[1:]:
            root = node(ADD, (root, part))
        self._tape = tape_of(root)
        number = {item: i for i, item in enumerate(self._tape.nodes)}
        self._sides = [(number[part], level) for part, level in parts]
        self._known: dict[tuple[float, ...], Signs] = {}

    def at(self, point: Mapping[str, float]) -> Signs:
        """The sides of all; None of a part that is not defined."""
        key = tuple([point.get(name, 0.0) for name in self.names])
        found = self._known.get(key)
        if found is None:
            own = dict(zip(self.names, key, strict=True))
            values: Any
            try:
                values = primals(self._tape, own)
            except Fault:
                values = forward(self._tape.steps, CAREFUL, self._tape.inputs(own))
            found = tuple([_side(values[i], level) for i, level in self._sides])
            self._known[key] = found
        return found


def _side(value: Any, level: float) -> int | None:
    if not isinstance(value, float):
        return None
    return (value > level) - (value < level)
