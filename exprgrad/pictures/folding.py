"""Large graphs with parts of them folded into one node each.

What lies deeper than so many operations below the result is folded into the node through which alone it
takes part: that node dominates it (Prosser, 1959). What several such nodes use stays, so no edge and no
contribution is lost. The variables stay.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TypeVar

from exprgrad.pictures.graph_data import FOLDED, OPERATION, VARIABLE, Edge, GraphData

Drawn = TypeVar("Drawn", bound=GraphData)


def folded(graph: Drawn, depth: int) -> Drawn:
    """The graph with all that lies deeper folded."""
    users: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    operands: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for edge in graph.edges:
        users[edge.operand].append(edge.node)
        operands[edge.node].append(edge.operand)
    levels = _levels(graph.nodes[-1].name, operands)
    owner: dict[str, str] = {}
    for node in reversed(graph.nodes):
        owners = {owner[user] for user in users[node.name]}
        deep = levels.get(node.name, 0) > depth and node.kind != VARIABLE
        alone = deep and len(owners) == 1
        owner[node.name] = owners.pop() if alone else node.name
    hidden = Counter(own for name, own in owner.items() if own != name)
    if not hidden:
        return graph
    nodes = []
    for node in graph.nodes:
        count = hidden[node.name]
        if count:
            kind = FOLDED if node.kind == OPERATION else node.kind
            symbol = f"{node.symbol} … {count + 1} steps"
            node = node._replace(kind=kind, hidden=count, symbol=symbol)
        if owner[node.name] == node.name:
            nodes.append(node)
    edges = tuple(_edges(graph, owner))
    return graph._replace(nodes=tuple(nodes), edges=edges, depth=depth)


def _levels(result: str, operands: dict[str, list[str]]) -> dict[str, int]:
    """How many operations lie between a node and the result, on the shortest way."""
    levels = {result: 0}
    todo = deque([result])
    while todo:
        name = todo.popleft()
        for operand in operands[name]:
            if operand not in levels:
                levels[operand] = levels[name] + 1
                todo.append(operand)
    return levels


def _edges(graph: GraphData, owner: dict[str, str]) -> list[Edge]:
    """Edges between what is left; several into one folded node are one, with the sum of what they add."""
    found: dict[int | tuple[str, str], Edge] = {}
    for i, edge in enumerate(graph.edges):
        node = owner[edge.node]
        if owner[edge.operand] == node:
            continue
        if node == edge.node:
            found[i] = edge
            continue
        key = (edge.operand, node)
        both = [e for e in (found.get(key), edge) if e is not None]
        known = [e.contribution for e in both if e.contribution is not None]
        found[key] = edge._replace(
            node=node,
            partial=None,
            contribution=sum(known) if known else None,
            reached=any(e.reached for e in both),
        )
    return list(found.values())
