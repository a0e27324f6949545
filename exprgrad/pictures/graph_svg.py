"""The picture of a graph.

A node is a box, its symbol on the left and its value on the right; its adjoint is a tab that hangs below it,
once there is one. Inputs are pills, the result has a strong outline, and what no gradient reaches is grey. The
local partial stands where an edge enters the node that uses it; where several contributions meet in a node,
each stands where it arrives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from exprgrad.annotations import Any
from exprgrad.notation.numbers import number
from exprgrad.pictures.graph_data import RESULT, VARIABLE, Edge, GraphData, Node
from exprgrad.pictures.layers import IN_PIXELS, Box, Layers, Line
from exprgrad.pictures.metrics import fitted, width
from exprgrad.pictures.svg import SANS, document, element, escaped, figure, text

HEIGHT, TAB, NAME, PAD, MARGIN = 36.0, 20.0, 16.0, 12.0, 14.0
"""The height of a box, of a tab and of the line for a name above a box; what stays free within and around."""

SYMBOL, VALUE, ADJOINT, SMALL = 16.0, 13.0, 12.0, 11.0
"""The sizes of the texts."""

LISTED = 13.0
"""From one line of a list to the next."""

MOST_ENDS, MOST_LISTED, LARGE = 6, 24, 300
"""Edges that leave a box one by one, lines of a list, and nodes of a large graph, in which they leave as one."""

MOST_TOLD = 60
"""Nodes of a graph that are described in words."""

WIDEST = 260.0
"""The widest symbol, before it is cut."""

RESERVED = "−0.8888888"
"""A number as long as any that a page puts into its picture; there is room for it, so that no box moves."""

STYLE = f"""
.exprgrad .paper{{fill:$paper}}
.exprgrad text{{font:{VALUE:g}px {SANS};fill:$ink;font-variant-numeric:tabular-nums}}
.exprgrad .symbol{{font-size:{SYMBOL:g}px}}
.exprgrad .variable .symbol{{font-style:italic}}
.exprgrad .name{{font-size:{SMALL:g}px;font-style:italic;fill:$soft}}
.exprgrad .box{{fill:$box;stroke:$line;stroke-width:1.2}}
.exprgrad .variable .box{{fill:$value-fill;stroke:$value}}
.exprgrad .result .box{{stroke:$ink;stroke-width:2}}
.exprgrad .folded .box{{stroke-width:3;stroke-dasharray:6 2}}
.exprgrad .value{{fill:$value;text-anchor:end}}
.exprgrad .tab{{fill:$adjoint-fill;stroke:$adjoint;stroke-opacity:.5}}
.exprgrad .adjoint{{font-size:{ADJOINT:g}px;fill:$adjoint;text-anchor:end}}
.exprgrad .edge{{fill:none;stroke:$line;stroke-width:1.4}}
.exprgrad .head{{fill:$line}} .exprgrad .back{{fill:$adjoint}}
.exprgrad .partial{{font-size:{SMALL:g}px;fill:$soft;text-anchor:end}}
.exprgrad .contribution{{font-size:{SMALL:g}px;fill:$adjoint}}
.exprgrad .grey .box{{fill:none;stroke:$grey;stroke-dasharray:3 3}}
.exprgrad .grey text,.exprgrad .grey .value{{fill:$grey}}
.exprgrad .edge.grey{{stroke-dasharray:3 3}}
.exprgrad .blocked .box{{stroke:$adjoint;stroke-dasharray:2 2}}
"""


def graph_svg(graph: GraphData, filled: bool = False) -> str:
    """The picture as a document of its own.

    A page that has it `filled` chooses what to show and changes the numbers: edges point forward and back, and every
    number has its element, and room.
    """
    drawing, lines, boxes = laid_out(graph, filled)
    numbered = enumerate(zip(graph.edges, lines, strict=True))
    inside = [
        *(
            drawn_edge(edge, line.points, k, data_from=edge.operand, data_to=edge.node)
            for k, (edge, line) in numbered
        ),
        *(drawn_node(node, boxes[node.name], filled) for node in graph.nodes),
        *labels(graph, lines, filled),
        *_lists(graph, boxes, filled),
    ]
    across, high = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    if graph.hidden:
        note = (
            f"{graph.hidden} nodes are folded into others, from depth {graph.depth} on"
        )
        inside.append(text(MARGIN, high + 4, note, "name"))
        high += 18
        across = max(across, width(note, SMALL) + 2 * MARGIN)
    return document(across, high, graph.title, described(graph), STYLE, inside)


def laid_out(
    graph: GraphData, filled: bool = False
) -> tuple[Layers, list[Line], dict[str, Box]]:
    """Where everything is."""
    tabs = filled or any(node.adjoint is not None for node in graph.nodes)
    tab = TAB if tabs else 0.0
    uses = Counter(edge.operand for edge in graph.edges)
    most = MOST_ENDS if len(graph.nodes) < LARGE else 1
    sums = meeting(graph, filled)
    boxes = {}
    for node in graph.nodes:
        fans, listed = uses[node.name] <= most, len(sums.get(node.name, ()))
        high = HEIGHT if fans else max(HEIGHT, LISTED * min(listed, MOST_LISTED) + 24)
        boxes[node.name] = Box(wide(node, filled), high, NAME, tab, fans)
    lines = []
    for edge in graph.edges:
        own, fans = sums.get(edge.operand, ()), boxes[edge.operand].fans
        start = contribution_label(edge, fans) if own else ""
        texts = start, partial_label(edge)
        if filled:
            texts = RESERVED if own else "", RESERVED
        room = [width(t, SMALL) + 16 if t else 0.0 for t in texts]
        lines.append(Line(boxes[edge.operand], boxes[edge.node], room[0], room[1]))
    drawing = Layers(list(boxes.values()), lines)
    for box in boxes.values():
        box.x, box.y = box.x + MARGIN, box.y + MARGIN
    for line in lines:
        line.points = [(x + MARGIN, y + MARGIN) for x, y in line.points]
    return drawing, lines, boxes


def meeting(graph: GraphData, filled: bool = False) -> dict[str, list[Edge]]:
    """The contributions that meet, by the node in which they do; of a picture that is filled, those that may."""
    counts = Counter(edge.operand for edge in graph.edges if edge.reached or filled)
    found: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        if (filled or edge.contribution is not None) and counts[edge.operand] > 1:
            found.setdefault(edge.operand, []).append(edge)
    return found


def partial_label(edge: Edge) -> str:
    """The local partial, if it is known."""
    return "" if edge.partial is None else shown(edge.partial)


def contribution_label(edge: Edge, fans: bool = True) -> str:
    """What an edge adds, and in a list where it comes from; nothing before the reverse sweep."""
    if edge.contribution is None:
        return ""
    own = shown(edge.contribution)
    signed = own if own.startswith("−") else f"+{own}"
    return signed if fans else f"{signed} from {edge.node}"


def shown(value: float) -> str:
    """A number with six digits, as in the trace, and a true minus."""
    return number(value, 6).replace("-", "−")


def _adjoint_text(node: Node) -> str:
    return "" if node.adjoint is None else shown(node.adjoint)


def value_text(node: Node) -> str:
    """The value of a node, if it is known."""
    return "" if node.value is None else shown(node.value)


def wide(node: Node, filled: bool) -> float:
    """How wide the box of a node is."""
    symbol = min(width(node.symbol, SYMBOL), WIDEST)
    most = RESERVED if filled else ""
    value = max(width(value_text(node), VALUE), width(most, VALUE))
    adjoint = max(width(_adjoint_text(node), ADJOINT), width(most, ADJOINT))
    own = symbol + (14 + value if value else 0)
    name = width(node.name, SMALL)
    return max(own + 2 * PAD, adjoint + 2 * PAD + 16, name + 8, 52.0)


def drawn_edge(
    edge: Edge, points: list[tuple[float, float]], k: int, down: bool = False, **data: str
) -> str:  # fmt: skip
    """An edge through its points."""
    kind = "edge" if edge.reached else "edge grey"
    return element("path", class_=kind, d=_path(points, down), **data, data_k=k)


def _path(points: list[tuple[float, float]], down: bool = False) -> str:
    """The edge, to the right or `down`: straight pieces, and a curve between every second pair."""
    out = ["M" + _place(*points[0])]
    for (a, b), (x, y) in pairwise(points):
        if abs(a - x if down else b - y) < 0.05:
            out.append("L" + _place(x, y))
            continue
        across, high = (a + x) / 2, (b + y) / 2
        bends = ((a, high), (x, high)) if down else ((across, b), (across, y))
        out.append("C" + " ".join(_place(*place) for place in (*bends, (x, y))))
    return "".join(out)


def _place(x: float, y: float) -> str:
    return f"{figure(x)} {figure(y)}"


def head(x: float, y: float, back: float, class_: str, k: int, down: bool = False) -> str:  # fmt: skip
    """The head of an arrow with its tip at a place, which reaches `back` from there."""
    corners = [(-3.5, back), (3.5, back)] if down else [(back, -3.5), (back, 3.5)]
    places = [(x, y), *((x + dx, y + dy) for dx, dy in corners)]
    points = " ".join(f"{figure(a)},{figure(b)}" for a, b in places)
    return element("polygon", class_=class_, points=points, data_k=k)


def drawn_node(node: Node, box: Box, filled: bool) -> str:
    """A box with its tab, its symbol, its value and its name."""
    kind = ["node", node.kind, "" if node.reached else "grey"]
    kind.append("blocked" if node.blocked else "")
    right, bottom = box.x + box.width, box.y + box.height
    middle = box.y + box.height / 2
    parts = [element("title", escaped(_told(node)))]
    if filled or node.adjoint is not None:
        # without an edge of its own at the top
        down, wide = figure(TAB - 7), figure(box.width - 30)
        tab = f"M{_place(box.x + 8, bottom)}v{down}q0 7 7 7h{wide}q7 0 7 -7v-{down}"
        parts.append(element("path", class_="tab", d=tab))
    radius = HEIGHT / 2 if node.kind == VARIABLE else 7.0
    shape = {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
    parts.append(element("rect", class_="box", rx=radius, **shape))
    value = value_text(node)
    taken = max(width(value, VALUE), width(RESERVED, VALUE) if filled else 0.0)
    room = box.width - 2 * PAD - (taken + 14 if taken else 0)
    symbol = fitted(node.symbol, SYMBOL, max(room, 20.0))
    parts.append(text(box.x + PAD, middle + 5.5, symbol, "symbol"))
    if value or filled:
        parts.append(text(right - PAD, middle + 4.5, value, "value"))
    if filled or node.adjoint is not None:
        at = right - PAD - 6, bottom + TAB - 5.5
        parts.append(text(*at, _adjoint_text(node), "adjoint"))
    if node.kind != VARIABLE and node.name != node.symbol:
        parts.append(text(box.x + 4, box.y - 4, node.name, "name"))
    inside = "".join(parts)
    return element("g", inside, class_=" ".join(filter(None, kind)), data_n=node.name)


def _told(node: Node) -> str:
    """What a node is, in one line: shown where a pointer rests."""
    sides = [node.name, node.formula if node.formula != node.name else ""]
    sides.append("" if node.value is None else number(node.value, 6))
    told = " = ".join(filter(None, sides))
    if node.adjoint is not None:
        told += f"; adjoint {number(node.adjoint, 6)}"
    if node.blocked:
        told += "; no rule holds there, and the reverse sweep does not cross it"
    elif not node.reached:
        told += "; no gradient reaches it"
    return told


def labels(
    graph: GraphData, lines: list[Line], filled: bool, down: bool = False
) -> list[str]:
    """Heads of arrows, partials and contributions."""
    found = []
    sums = meeting(graph, filled)
    for k, (edge, line) in enumerate(zip(graph.edges, lines, strict=True)):
        (a, b), (x, y) = line.points[0], line.points[-1]
        swept = edge.partial is not None or edge.contribution is not None
        if filled or not swept:
            found.append(head(x, y, -7.0, "head", k, down))
        if filled or swept:
            found.append(head(a, b, 7.0, "head back", k, down))
        if filled or edge.partial is not None:
            at = (x + 5, y - 5) if down else (x - 5, y - 4)
            kind = "partial after" if down else "partial"
            found.append(text(*at, partial_label(edge), kind, data_k=k))
        meets = edge.operand in sums and line.start.fans
        if meets and (filled or edge.contribution is not None):
            at = (a + 5, b + 14) if down else (a + 10, b - 4)
            told = contribution_label(edge)
            found.append(text(*at, told, "contribution", data_k=k))
    return found


def _lists(graph: GraphData, boxes: dict[str, Box], filled: bool) -> Iterator[str]:
    """The contributions to nodes whose edges leave as one."""
    number_of = {id(edge): k for k, edge in enumerate(graph.edges)}
    for name, edges in meeting(graph, filled).items():
        if not boxes[name].fans:
            numbers = [number_of[id(edge)] for edge in edges] if filled else []
            yield from _listed(boxes[name], edges, numbers)


def _listed(box: Box, edges: list[Edge], numbers: list[int]) -> list[str]:
    """The contributions to a node whose edges leave as one: a list beside it, with the numbers of the edges if it is filled."""
    told = [contribution_label(edge, fans=False) for edge in edges]
    facts: list[dict[str, Any]] = [{} for _ in edges]
    for fact, edge, k in zip(facts, edges, numbers, strict=False):
        fact |= {"data_from": edge.node, "data_k": k}
    if len(told) > MOST_LISTED:
        more = len(told) - MOST_LISTED + 1
        told[MOST_LISTED - 1 :] = [f"and {more} more"]
        facts[MOST_LISTED - 1 :] = [{}]
    x, y = box.x + box.width + 10, box.y + box.height - IN_PIXELS.foot - 4
    lines = enumerate(zip(told[::-1], facts[::-1], strict=True))
    return [text(x, y - LISTED * i, own, "contribution", **f) for i, (own, f) in lines]


def described(graph: GraphData) -> str:
    """The graph in words, for those who do not see it."""
    told = [_told(node) for node in graph.nodes[:MOST_TOLD]]
    if len(graph.nodes) > MOST_TOLD:
        told.append(f"and {len(graph.nodes) - MOST_TOLD} more")
    result = next(n for n in graph.nodes if n.kind == RESULT)
    return f"A graph of {len(graph.nodes)} nodes with the result {result.name}. {'. '.join(told)}."
