"""The picture of a graph from top to bottom, for a narrow page that fills it.

It is the drawing of `graph_svg` with rows for columns: what `Layers` calls the width of a box is how far it reaches down,
with its name above it and its tab below.
"""

from __future__ import annotations

from collections import Counter

from exprgrad.pictures import graph_svg as across
from exprgrad.pictures.graph_data import GraphData
from exprgrad.pictures.graph_svg import HEIGHT, MARGIN, MOST_ENDS, NAME, STYLE, TAB
from exprgrad.pictures.layers import Box, Layers, Line, Spacing
from exprgrad.pictures.svg import document

BELOW_ONE_ANOTHER = Spacing(pitch=66.0, apart=10.0, passing=6.0, foot=20.0, line=8.0)
"""Ends of edges stand beside one another with room for a number to the right of each."""

MOST_NODES = 40
"""Nodes of a graph that is drawn this way."""

_ROOM = 18.0
"""Above and below boxes, where labels stand."""


def graph_down(graph: GraphData) -> str:
    """The picture as a document of its own, with every number's element."""
    uses = Counter(edge.operand for edge in graph.edges)
    high = NAME + HEIGHT + TAB
    turned = {
        node.name: Box(high, across.wide(node, True), fans=uses[node.name] <= MOST_ENDS)
        for node in graph.nodes
    }
    lines = [
        Line(turned[edge.operand], turned[edge.node], _ROOM, _ROOM)
        for edge in graph.edges
    ]
    drawing = Layers(list(turned.values()), lines, BELOW_ONE_ANOTHER)
    inside = []
    for k, (edge, line) in enumerate(zip(graph.edges, lines, strict=True)):
        *before, (x, y) = [(y + MARGIN, x + MARGIN) for x, y in line.points]
        line.points = [*before, (x, y + NAME)]  # at the box itself, below the name
        a, b = line.points[0]  # it begins under the tab, which may be hidden
        points = [(a, b - TAB), *line.points]
        inside.append(across.drawn_edge(edge, points, k, down=True))
    for node in graph.nodes:  # without the room for its name and its tab
        own = turned[node.name]
        box = Box(own.height, HEIGHT)
        box.x, box.y = own.y + MARGIN, own.x + MARGIN + NAME
        inside.append(across.drawn_node(node, box, True))
    inside += across.labels(graph, lines, filled=True, down=True)
    size = drawing.height + 2 * MARGIN, drawing.width + 2 * MARGIN
    return document(*size, graph.title, across.described(graph), STYLE, inside)
