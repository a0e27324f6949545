"""A graph in the languages of other programs: Graphviz and Mermaid."""

from __future__ import annotations

from collections.abc import Callable

from exprgrad.notation.numbers import number
from exprgrad.pictures.graph_data import RESULT, VARIABLE, GraphData, Node


def dot(graph: GraphData) -> str:
    """For Graphviz."""
    lines = [
        "digraph expression {",
        '  rankdir=LR; node [shape=box, fontname="sans-serif"];',
    ]
    for node in graph.nodes:
        shape = "ellipse" if node.kind == VARIABLE else "box"
        more = ", penwidth=2" if node.kind == RESULT else ""
        more += "" if node.reached else ", color=grey, fontcolor=grey"
        label = "\\n".join(map(_quoted, _lines(node)))
        lines.append(
            f'  "{_quoted(node.name)}" [label="{label}", shape={shape}{more}];'
        )
    for edge in graph.edges:
        label = _partial(edge.partial)
        more = "" if edge.reached else ", color=grey"
        ends = f'"{_quoted(edge.operand)}" -> "{_quoted(edge.node)}"'
        lines.append(f'  {ends} [label="{label}"{more}];')
    return "\n".join([*lines, "}"])


def mermaid(graph: GraphData) -> str:
    """For Mermaid."""
    number_of = {node.name: f"n{i}" for i, node in enumerate(graph.nodes)}
    lines = ["flowchart LR"]
    for node in graph.nodes:
        left, right = ("([", "])") if node.kind == VARIABLE else ("[", "]")
        label = "<br>".join(map(_entities, _lines(node)))
        lines.append(f'  {number_of[node.name]}{left}"{label}"{right}')
    for edge in graph.edges:
        arrow = "-->" if edge.reached else "-.->"
        label = _partial(edge.partial)
        between = f'{arrow}|"{label}"|' if label else arrow
        ends = number_of[edge.operand], number_of[edge.node]
        lines.append(f"  {ends[0]} {between} {ends[1]}")
    grey = [number_of[node.name] for node in graph.nodes if not node.reached]
    if grey:
        lines.append(f"  style {','.join(grey)} stroke-dasharray:3 3,color:#888888")
    return "\n".join(lines)


def _lines(node: Node) -> list[str]:
    """What stands in a box: name and symbol, value, adjoint."""
    head = node.symbol if node.name == node.symbol else f"{node.name}: {node.symbol}"
    told = [head]
    if node.value is not None:
        told.append(f"value {number(node.value, 6)}")
    if node.adjoint is not None:
        told.append(f"adjoint {number(node.adjoint, 6)}")
    return told


def _partial(partial: float | None) -> str:
    return "" if partial is None else number(partial, 6)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_entities: Callable[[str], str] = lambda text: "".join(  # noqa: E731 # a table of characters
    c if c.isalnum() or c in " ._+·×÷−…" else f"#{ord(c)};" for c in text
)
