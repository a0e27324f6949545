"""The graph of an expression: its nodes with values and adjoints, its edges with local partials, as data and drawn.

    graph = graph_of(parse("(a*b+c)^2"), {"a": 2, "b": 3, "c": 1})
    graph.nodes[3].value, graph.nodes[3].adjoint      # v4 = a*b: 6.0, 14.0
    graph.svg(), graph.dot(), graph.mermaid()

The numbers are those of the trace. A part that is used in several places is one node. Constants, and what
only constants make, stand within the symbol of the node that uses them: `(·)²`. An adjoint is None before
the reverse sweep has come so far, and where no gradient arrives.

In a large graph, what lies deeper than so many operations below the result is folded into the node through which alone
it takes part: that node dominates it (Prosser, 1959). What several such nodes use stays, so no edge and no
contribution is lost. The variables stay.

In the picture a node is a box, its symbol on the left and its value on the right; its adjoint is a tab that hangs below
it, once there is one. Inputs are pills, the result has a strong outline, and what no gradient reaches is grey. The
local partial stands where an edge enters the node that uses it; where several contributions meet in a node, each stands
where it arrives. For a narrow page that it fills it is drawn from top to bottom: with rows for columns, so that what
`Layers` calls the width of a box is how far it reaches down, with its name above it and its tab below.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import NotDifferentiableError, UsageError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.trace import Forward, Reverse, Seed, Trace, trace
from exprgrad.graph.functions import OnNumbers
from exprgrad.graph.rewriting import rebuilt, replaced, with_operands
from exprgrad.graph.value import Constant, Value
from exprgrad.graph.value import node as applied
from exprgrad.language import inputs
from exprgrad.notation.numbers import number
from exprgrad.notation.text import text_length, to_text
from exprgrad.pictures.layers import (
    IN_PIXELS,
    Box,
    Layers,
    Line,
    Spacing,
    fitted,
    text_width,
)
from exprgrad.pictures.svg import document, element, escaped, figure, source, text
from exprgrad.sweeps.careful import live
from exprgrad.sweeps.tape import labels

if TYPE_CHECKING:
    from exprgrad.operations.operation import Operation


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


class Graph(NamedTuple):
    """The graph of an expression: `nodes`, each before those that use it, and `edges`.

    `step` of `steps` of the walk through both sweeps have been done. `depth` is that to which it is drawn,
    where parts are folded, else None.
    """

    title: str
    at: dict[str, float]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    step: int = 0
    steps: int = 0
    depth: int | None = None

    @property
    def hidden(self) -> int:
        """Return how many nodes are folded into others."""
        return sum(node.hidden for node in self.nodes)

    def folding(self) -> str:
        """Return how many nodes are folded into others, in words."""
        what = "1 node is" if self.hidden == 1 else f"{self.hidden} nodes are"
        return f"{what} folded into others, from depth {self.depth} on"

    def svg(self) -> str:
        """The picture."""
        return graph_svg(self)

    def dot(self) -> str:
        """The graph in the language of Graphviz."""
        lines = [
            "digraph expression {",
            '  rankdir=LR; node [shape=box, fontname="sans-serif"];',
        ]
        for node in self.nodes:
            shape = "ellipse" if node.kind == VARIABLE else "box"
            more = ", penwidth=2" if node.kind == RESULT else ""
            more += "" if node.reached else ", color=grey, fontcolor=grey"
            label = "\\n".join(map(_quoted, _lines(node)))
            lines.append(
                f'  "{_quoted(node.name)}" [label="{label}", shape={shape}{more}];'
            )
        for edge in self.edges:
            more = "" if edge.reached else ", color=grey"
            ends = f'"{_quoted(edge.operand)}" -> "{_quoted(edge.node)}"'
            lines.append(f'  {ends} [label="{written(edge.partial)}"{more}];')
        return "\n".join([*lines, "}"])

    def mermaid(self) -> str:
        """The graph as a Mermaid flowchart."""
        number_of = {node.name: f"n{i}" for i, node in enumerate(self.nodes)}
        lines = ["flowchart LR"]
        for node in self.nodes:
            left, right = ("([", "])") if node.kind == VARIABLE else ("[", "]")
            label = "<br>".join(map(_entities, _lines(node)))
            lines.append(f'  {number_of[node.name]}{left}"{label}"{right}')
        for edge in self.edges:
            arrow = "-->" if edge.reached else "-.->"
            label = written(edge.partial)
            between = f'{arrow}|"{label}"|' if label else arrow
            ends = number_of[edge.operand], number_of[edge.node]
            lines.append(f"  {ends[0]} {between} {ends[1]}")
        grey = [number_of[node.name] for node in self.nodes if not node.reached]
        if grey:
            lines.append(f"  style {','.join(grey)} stroke-dasharray:3 3,color:#888888")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return what a program may want to know, for JSON."""
        own = self._asdict()
        own["expression"] = own.pop("title")
        for name in ("nodes", "edges"):
            own[name] = [each._asdict() for each in own[name]]
        order = ("expression", "at", "step", "steps", "depth", "nodes", "edges")
        return {name: own[name] for name in order}

    def fields(self) -> dict[str, Any]:
        """`as_dict` by its older name."""
        return self.as_dict()

    def _repr_svg_(self) -> str:
        return self.svg()


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


def _lines(node: Node) -> list[str]:
    """Return what stands in a box: name and symbol, value, adjoint."""
    told = [node.symbol if node.name == node.symbol else f"{node.name}: {node.symbol}"]
    if node.value is not None:
        told.append(f"value {number(node.value, 6)}")
    if node.adjoint is not None:
        told.append(f"adjoint {number(node.adjoint, 6)}")
    return told


def written(value: float | None) -> str:
    """A number with six digits; nothing where there is none."""
    return "" if value is None else number(value, 6)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


# in a label, quotes, brackets and a # of its own are syntax to Mermaid: #35; is its way to write a #
_entities: Callable[[str], str] = lambda text: "".join(  # noqa: E731 # a table of characters
    c if c.isalnum() or c in " ._+·×÷−…" else f"#{ord(c)};" for c in text
)


def owners(graph: Graph, depth: int) -> dict[str, str]:
    """The node into which each is folded where all that lies deeper is; itself for one that stays."""
    users: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for edge in graph.edges:
        users[edge.operand].append(edge.node)
    owner: dict[str, str] = {}
    levels: dict[str, int] = {}  # operations up to the result, on the shortest way
    # users first: what they have is known when a node asks for it
    for node in reversed(graph.nodes):
        owners = {owner[user] for user in users[node.name]}
        level = 1 + min((levels[user] for user in users[node.name]), default=-1)
        levels[node.name] = level
        alone = level > depth and node.kind != VARIABLE and len(owners) == 1
        owner[node.name] = owners.pop() if alone else node.name
    return owner


def folded(graph: Graph, depth: int) -> Graph:
    """The graph with all that lies deeper folded."""
    owner = owners(graph, depth)
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


def _edges(graph: Graph, owner: dict[str, str]) -> list[Edge]:
    """Edges between what is left; several into one folded node are one, with the sum of what they add."""
    found: dict[int | tuple[str, str], Edge] = {}
    for i, edge in enumerate(graph.edges):
        node = owner[edge.node]
        if owner[edge.operand] == node:
            continue
        if node == edge.node:
            found[i] = edge
            continue
        # the partials of several edges are those of different operations: only what they add can be summed
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


HEIGHT, TAB, NAME, PAD, MARGIN = 36.0, 20.0, 16.0, 12.0, 14.0
"""The height of a box, of a tab and of the line for a name above a box; what stays free within and around."""

SYMBOL, VALUE, ADJOINT, SMALL = 16.0, 13.0, 12.0, 11.0
"""The sizes of the texts, which are those of `graph.css`."""

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

STYLE = source(__file__, "graph.css")


def graph_svg(graph: Graph, filled: bool = False) -> str:
    """The picture as a document of its own.

    A page that has it `filled` chooses what to show and changes the numbers: edges point forward and back, and every
    number has its element, and room.
    """
    drawing, lines, boxes = laid_out(graph, filled)
    numbered = enumerate(zip(graph.edges, lines, strict=True))
    inside = [
        drawn_edge(edge, line.points, k, data_from=edge.operand, data_to=edge.node)
        for k, (edge, line) in numbered
    ]
    inside += (drawn_node(node, boxes[node.name], filled) for node in graph.nodes)
    inside += edge_labels(graph, lines, filled)
    inside += _lists(graph, boxes, filled)
    across, high = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    if graph.hidden:
        note = graph.folding()
        inside.append(text(MARGIN, high + 4, note, "name"))
        high += 18
        across = max(across, text_width(note, SMALL) + 2 * MARGIN)
    return document(across, high, graph.title, described(graph), STYLE, inside)


def laid_out(
    graph: Graph, filled: bool = False
) -> tuple[Layers, list[Line], dict[str, Box]]:
    """Return where everything is."""
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
        texts = start, shown(edge.partial)
        if filled:
            texts = RESERVED if own else "", RESERVED
        room = [text_width(t, SMALL) + 16 if t else 0.0 for t in texts]
        lines.append(Line(boxes[edge.operand], boxes[edge.node], room[0], room[1]))
    drawing = Layers(list(boxes.values()), lines)
    for box in boxes.values():
        box.x, box.y = box.x + MARGIN, box.y + MARGIN
    for line in lines:
        line.points = [(x + MARGIN, y + MARGIN) for x, y in line.points]
    return drawing, lines, boxes


def meeting(graph: Graph, filled: bool = False) -> dict[str, list[Edge]]:
    """The contributions that meet, by the node in which they do; of a picture that is filled, those that may."""
    counts = Counter(edge.operand for edge in graph.edges if edge.reached or filled)
    found: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        if (filled or edge.contribution is not None) and counts[edge.operand] > 1:
            found.setdefault(edge.operand, []).append(edge)
    return found


def contribution_label(edge: Edge, fans: bool = True) -> str:
    """Return what an edge adds, and in a list where it comes from; nothing before the reverse sweep."""
    if edge.contribution is None:
        return ""
    own = shown(edge.contribution)
    signed = own if own.startswith("−") else f"+{own}"
    return signed if fans else f"{signed} from {edge.node}"


def shown(value: float | None) -> str:
    """A number as `written`, with a true minus."""
    return written(value).replace("-", "−")


def wide(node: Node, filled: bool) -> float:
    """Return how wide the box of a node is."""
    symbol = min(text_width(node.symbol, SYMBOL), WIDEST)
    most = RESERVED if filled else ""
    value = max(text_width(shown(node.value), VALUE), text_width(most, VALUE))
    adjoint = max(text_width(shown(node.adjoint), ADJOINT), text_width(most, ADJOINT))
    own = symbol + (14 + value if value else 0)
    name = text_width(node.name, SMALL)
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
    value = shown(node.value)
    taken = max(
        text_width(value, VALUE), text_width(RESERVED, VALUE) if filled else 0.0
    )
    room = box.width - 2 * PAD - (taken + 14 if taken else 0)
    symbol = fitted(node.symbol, SYMBOL, max(room, 20.0))
    parts.append(text(box.x + PAD, middle + 5.5, symbol, "symbol"))
    if value or filled:
        parts.append(text(right - PAD, middle + 4.5, value, "value"))
    if filled or node.adjoint is not None:
        at = right - PAD - 6, bottom + TAB - 5.5
        parts.append(text(*at, shown(node.adjoint), "adjoint"))
    if node.kind != VARIABLE and node.name != node.symbol:
        parts.append(text(box.x + 4, box.y - 4, node.name, "name"))
    inside = "".join(parts)
    return element("g", inside, class_=" ".join(filter(None, kind)), data_n=node.name)


def _told(node: Node) -> str:
    """Return what a node is, in one line: shown where a pointer rests."""
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


def edge_labels(
    graph: Graph, lines: list[Line], filled: bool, down: bool = False
) -> list[str]:
    """Heads of arrows, partials and contributions."""
    found = []
    sums = meeting(graph, filled)
    for k, (edge, line) in enumerate(zip(graph.edges, lines, strict=True)):
        (a, b), (x, y) = line.points[0], line.points[-1]
        # arrows point the way of the sweep: to the result, until the reverse sweep has passed the edge
        swept = edge.partial is not None or edge.contribution is not None
        if filled or not swept:
            found.append(head(x, y, -7.0, "head", k, down))
        if filled or swept:
            found.append(head(a, b, 7.0, "head back", k, down))
        if filled or edge.partial is not None:
            at = (x + 5, y - 5) if down else (x - 5, y - 4)
            kind = "partial after" if down else "partial"
            found.append(text(*at, shown(edge.partial), kind, data_k=k))
        meets = edge.operand in sums and line.start.fans
        if meets and (filled or edge.contribution is not None):
            at = (a + 5, b + 14) if down else (a + 10, b - 4)
            told = contribution_label(edge)
            found.append(text(*at, told, "contribution", data_k=k))
    return found


def _lists(graph: Graph, boxes: dict[str, Box], filled: bool) -> Iterator[str]:
    """The contributions to nodes whose edges leave as one: a list beside each, with the numbers of the edges if it is filled."""
    number_of = {id(edge): k for k, edge in enumerate(graph.edges)}
    for name, edges in meeting(graph, filled).items():
        box = boxes[name]
        if box.fans:
            continue
        lines: list[tuple[str, dict[str, Any]]] = [
            (contribution_label(edge, fans=False), {"data_from": edge.node, "data_k": number_of[id(edge)]} if filled else {})
            for edge in edges
        ]  # fmt: skip
        if len(lines) > MOST_LISTED:
            lines[MOST_LISTED - 1 :] = [(f"and {len(lines) - MOST_LISTED + 1} more", {})]  # fmt: skip
        x, y = box.x + box.width + 10, box.y + box.height - IN_PIXELS.foot - 4
        for i, (own, facts) in enumerate(reversed(lines)):
            yield text(x, y - LISTED * i, own, "contribution", **facts)


def described(graph: Graph) -> str:
    """The graph in words, for those who do not see it."""
    told = [_told(node) for node in graph.nodes[:MOST_TOLD]]
    if len(graph.nodes) > MOST_TOLD:
        told.append(f"and {len(graph.nodes) - MOST_TOLD} more")
    result = next(n for n in graph.nodes if n.kind == RESULT)
    count = len(graph.nodes)
    return f"A graph of {count} node{'s' * (count > 1)} with the result {result.name}. {'. '.join(told)}."


BELOW_ONE_ANOTHER = Spacing(pitch=66.0, apart=10.0, passing=6.0, foot=20.0, line=8.0)
"""Ends of edges stand beside one another with room for a number to the right of each."""

MOST_DOWN = 40
"""Nodes of a graph that is drawn this way."""

_ROOM = 18.0
"""Above and below boxes, where labels stand."""


def graph_down(graph: Graph) -> str:
    """The picture as a document of its own, with every number's element."""
    uses = Counter(edge.operand for edge in graph.edges)
    high = NAME + HEIGHT + TAB
    turned = {
        node.name: Box(high, wide(node, True), fans=uses[node.name] <= MOST_ENDS)
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
        inside.append(drawn_edge(edge, points, k, down=True))
    for node in graph.nodes:  # without the room for its name and its tab
        own = turned[node.name]
        box = Box(own.height, HEIGHT)
        box.x, box.y = own.y + MARGIN, own.x + MARGIN + NAME
        inside.append(drawn_node(node, box, True))
    inside += edge_labels(graph, lines, filled=True, down=True)
    # it was laid out from left to right, and turns: its height is the width of the picture
    size = drawing.height + 2 * MARGIN, drawing.width + 2 * MARGIN
    return document(*size, graph.title, described(graph), STYLE, inside)


MOST_NODES = 80
"""Nodes of a graph that is drawn whole unless something else is asked for."""

LONGEST_SYMBOL = 24
"""Characters of a symbol."""


def graph_of(
    expression: Expression,
    at: Mapping[str, Any] | None = None,
    stage: int | str = "all",
    depth: int | None = None,
) -> Graph:
    """The graph of an expression, with the numbers of a point if one is given.

    The `stage` is "values", before the reverse sweep, or "all", or a number of steps of the walk. With `depth`,
    what lies so many operations below the result is folded, 0 folds nothing; without it, what goes
    beyond `MOST_NODES`.
    """
    if at is None and expression.variables:
        _steps_at(stage, 0, 0)
        return _folded(_structure(expression), depth)
    given = {} if at is None else inputs.point(at)
    if expression.takes_arrays(given):
        what = "the graph of an expression in arrays has no numbers"
        raise UsageError(what, hint="leave the values out")
    return graph_at(expression.evaluate(given), stage, depth)


def graph_at(
    evaluation: Evaluation, stage: int | str = "all", depth: int | None = None
) -> Graph:
    """The graph of an evaluation."""
    traced = trace(evaluation, lambda x: number(x, 6), own_names=True)
    walk = traced.walk()
    steps = max(len(walk) - 1, 0)  # without the origins at its end
    done = min(_steps_at(stage, len(traced.forward), steps), steps)
    graph = _numbered(evaluation, traced, walk[:done])
    return _folded(graph._replace(step=done, steps=steps), depth)


def _steps_at(stage: Any, forward: int, whole: int) -> int:
    """The steps of the walk up to a stage, of so many forward and on the `whole`. Raises `UsageError` for none."""
    done = {"values": forward, "all": whole}.get(str(stage), stage)
    if isinstance(done, bool) or not isinstance(done, int) or done < 0:
        given = repr(stage)[:40]
        raise UsageError(f"a stage is values, all or a number of steps, not {given}")
    return done


def graph_whole(evaluation: Evaluation) -> Graph:
    """The graph of an evaluation with what is not needed at its point, too: the branches that `if` does not take."""
    traced = trace(evaluation, lambda x: number(x, 6), own_names=True)
    return _numbered(evaluation, traced, traced.walk(), whole=True)


def at_stages(evaluation: Evaluation, depth: int | None = None) -> Evaluation:
    """The evaluation of a large graph in which each part that is folded, as in `graph_of`, is one operation, as far as parts can be."""
    expression = evaluation.expression
    graph, name_of = _structure(expression), labels(expression.tape, own_names=True)
    # a graph that is not folded has no depth, and nothing in it lies deeper than the number of its nodes
    owner = owners(graph, _folded(graph, depth).depth or len(graph.nodes))
    items = {name: expression.tape.nodes[i] for i, name in name_of.items()}
    inside = Counter(owner.values())
    takes: dict[str, dict[str, None]] = {}
    for edge in graph.edges:
        if owner[edge.operand] != owner[edge.node]:
            takes.setdefault(owner[edge.node], {})[edge.operand] = None
    stages = {items[own]: own for own, count in inside.items() if count > 1}
    made: dict[Value, Value] = {}

    def change(item: Value, operands: tuple[Value, ...]) -> Value:
        made[item] = with_operands(item, operands)
        if own := stages.get(item):
            leaves = {items[n]: Value(None, n) for n in takes[own]}
            part = Expression.of(replaced(item, leaves))
            kind = stage(
                f"stage{[*stages].index(item) + 1}", part, evaluation.subgradient
            )
            made[item] = applied(kind, tuple(made[items[n]] for n in part.variables))
        return made[item]

    root = rebuilt(expression.root, change)
    return Expression.of(root, expression.variables).evaluate(evaluation.at, tuple(evaluation.gradient), refine=False, subgradient=evaluation.subgradient)  # fmt: skip


def stage(name: str, part: Expression, subgradient: bool = False) -> Operation:
    """An expression as one operation on its variables."""

    # the sweep asks for one partial at a time, and an evaluation has them all
    @cache
    def at(*own: float) -> Evaluation:
        point = dict(zip(part.variables, own, strict=True))
        return part.evaluate(point, refine=False, subgradient=subgradient)

    def slope(operand: str, result: float, *own: float) -> float:
        found = at(*own).gradient[operand]
        if found is None:
            raise NotDifferentiableError(f"{name} has no derivative there")
        return found

    kernel = lambda *own: part(**dict(zip(part.variables, own, strict=True)))  # noqa: E731
    return OnNumbers(name, kernel, *(partial(slope, n) for n in part.variables))


def _structure(expression: Expression) -> Graph:
    """The graph without numbers."""
    tape = expression.tape
    drawn = _Drawn(expression)
    label = labels(tape, own_names=True)
    nodes = [
        Node(name, name, name, None, None, VARIABLE if i != tape.root else RESULT)
        for name, i in tape.variables.items()
    ]
    edges = []
    for step in tape.steps:
        if not drawn.has_box(step.node):
            continue
        name, symbol = label[step.node], drawn.symbol(step.node)
        symbols = [Value(None, label[j]) if j in label else tape.nodes[j] for j in step.operands]  # fmt: skip
        formula = to_text(applied(step.operation, tuple(symbols)))
        kind = RESULT if step.node == tape.root else OPERATION
        nodes.append(Node(name, symbol, formula, None, None, kind))
        places = filter(drawn.has_box, step.operands)
        edges += [Edge(label[j], name, None, None) for j in places]
    return Graph(expression.title, {}, tuple(nodes), tuple(edges))


class _Drawn:
    """The nodes of a tape that have boxes of their own, and what stands in these."""

    def __init__(self, expression: Expression) -> None:
        self.tape = expression.tape
        self.fixed: set[Value] = set()
        for step in self.tape.steps:
            item = self.tape.nodes[step.node]
            if step.node != self.tape.root and all(map(self._is_fixed, item.operands)):
                self.fixed.add(item)

    def _is_fixed(self, item: Value) -> bool:
        return isinstance(item, Constant) or item in self.fixed

    def has_box(self, index: int) -> bool:
        """Return whether a node is drawn: a constant is not, unless it is the result."""
        return index == self.tape.root or not self._is_fixed(self.tape.nodes[index])

    def symbol(self, index: int) -> str:
        """The operation, with its constant operands in their places and a dot for each other."""
        item = self.tape.nodes[index]
        operation = item.operation
        if operation is None:
            return to_text(item)
        if not any(map(self._is_fixed, item.operands)) or operation.whole:
            return (
                operation.sign if operation.called else operation.sign.translate(_SIGNS)
            )
        own = [o if self._is_fixed(o) else Value(None, "·") for o in item.operands]
        formula = applied(operation, tuple(own))
        if text_length(formula, LONGEST_SYMBOL) > LONGEST_SYMBOL:
            # a named constant is short, and says what is done; a long number does not
            short = [o if o.name else Value(None, "…") for o in own]
            formula = applied(operation, tuple(short))
        return _typeset(to_text(formula))


_SIGNS = str.maketrans({"*": "×", "/": "÷", "-": "−"})
_UPPER = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def _typeset(text: str) -> str:
    """A formula as people write it: `·^2` as (·)², `2*·` as 2 × ·."""
    power = re.fullmatch(r"·\^\(?(-?[0-9]+)\)?", text)
    if power:
        return f"(·){power[1].translate(_UPPER)}"
    # beside a ^, a bare dot would look like the sign of a product
    text = re.sub(r"·(?=\^)|(?<=\^)·", "(·)", text)
    text = re.sub(r"(?<=[^ ])([*/])(?=[^ ])", r" \1 ", text)
    return text.translate(_SIGNS)


def _numbered(
    evaluation: Evaluation, traced: Trace, done: Sequence[Any], whole: bool = False
) -> Graph:
    """The graph of an evaluation after some steps of its walk; the `whole` one, or what is needed at its point."""
    tape = evaluation.expression.tape
    graph = _structure(evaluation.expression)
    adjoints: dict[str, float] = {}
    for step in done:
        if isinstance(step, Seed):
            adjoints[step.node] = 1.0
        elif isinstance(step, Reverse) and step.operand not in traced.unfinished:
            adjoints[step.operand] = step.total
    known = {step.name for step in done if isinstance(step, Forward)}
    values = {step.name: step.value for step in traced.forward}
    reached = {edge.operand for edge in traced.reverse}
    reached |= {step.name for step in traced.forward[-1:]}
    nodes = [
        n._replace(
            value=values[n.name] if n.name in known else None,
            adjoint=adjoints.get(n.name),
            reached=n.name in reached,
            blocked=n.name in traced.blocked,
        )
        for n in graph.nodes
        if whole or n.name in values
    ]
    if not nodes:  # the expression is a number
        text, value = to_text(tape.nodes[tape.root]), tape.nodes[tape.root].data
        nodes.append(Node("v1", text, text, value, None, RESULT, False))
    alive = live(tape, evaluation.primals)
    living = {name for i, name in labels(tape, own_names=True).items() if alive[i]}
    rows = by_ends(traced.reverse)
    swept = {id(step) for step in done}
    edges = [
        edge._replace(partial=row.partial, contribution=row.contribution)
        if row is not None and id(row) in swept
        else edge._replace(reached=row is not None)
        for edge in graph.edges
        if whole or (edge.operand in living and edge.node in living)
        for row in [next_of(rows, edge)]
    ]
    at = evaluation.at
    return graph._replace(at=at, nodes=tuple(nodes), edges=tuple(edges))


def _folded(graph: Graph, depth: int | None) -> Graph:
    """The graph down to a depth, or whole where that is 0 or where it is small."""
    if depth is not None and (type(depth) is not int or depth < 0):
        given = repr(depth)[:40]
        raise UsageError(f"a depth is a whole number of operations, not {given}")
    if depth == 0 or (depth is None and len(graph.nodes) <= MOST_NODES):
        return graph
    if depth is None:  # as little as leaves so many nodes

        def left(depth: int) -> int:
            return len(folded(graph, depth).nodes)

        # the deepest fold that leaves few enough: the deeper it begins, the more nodes stay
        depth = 1 + bisect(range(2, len(graph.nodes) + 1), MOST_NODES, key=left)
    return folded(graph, depth)
