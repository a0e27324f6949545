"""What the picture of a graph shows, as data."""

from __future__ import annotations

from collections.abc import Iterable

from exprgrad.annotations import Any, NamedTuple

VARIABLE, OPERATION, RESULT, FOLDED = "variable", "operation", "result", "folded"
"""The kinds of nodes."""


class Node(NamedTuple):
    """A node: `symbol` is what was applied, `formula` in terms of other nodes, `source` what it stands for.

    No gradient reaches a node that is not `reached`; one that is `blocked` stands at a corner, where the
    reverse sweep stops. A node of the kind "folded" stands for `hidden` more.
    """

    name: str
    symbol: str
    formula: str
    value: float | None
    adjoint: float | None
    kind: str
    reached: bool = True
    blocked: bool = False
    hidden: int = 0


class Edge(NamedTuple):
    """From an operand to a node that uses it, with the local partial, and what it adds to the operand's adjoint."""

    operand: str
    node: str
    partial: float | None
    contribution: float | None
    reached: bool = True


class GraphData(NamedTuple):
    """Nodes, each before those that use it, and edges.

    `step` of `steps` of the walk through both sweeps have been done. `depth` is that to which it is drawn,
    where parts are folded, else None.
    """

    title: str
    at: dict[str, float]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    step: int
    steps: int
    depth: int | None = None

    @property
    def hidden(self) -> int:
        """How many nodes are folded into others."""
        return sum(node.hidden for node in self.nodes)


def by_ends(edges: Iterable[Any]) -> dict[tuple[str, str], list[Any]]:
    """Edges by their operand and the node that uses it, in order."""
    found: dict[tuple[str, str], list[Any]] = {}
    for edge in edges:
        found.setdefault((edge.operand, edge.node), []).append(edge)
    return found


def next_of(edges: dict[tuple[str, str], list[Any]], edge: Any) -> Any:
    """The first of these edges that leads as an edge does, which is taken out; None where there is none."""
    own = edges.get((edge.operand, edge.node))
    return own.pop(0) if own else None
