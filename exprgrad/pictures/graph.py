"""The graph of an expression as data: its nodes with values and adjoints, its edges with local partials.

    graph = graph_of(parse("(a*b+c)^2"), {"a": 2, "b": 3, "c": 1})
    graph.nodes[3].value, graph.nodes[3].adjoint      # v4 = a*b: 6.0, 14.0
    graph.svg()

The numbers are those of the trace. A part that is used in several places is one node. Constants, and what
only constants make, stand within the symbol of the node that uses them: `(·)²`. An adjoint is None before
the reverse sweep has come so far, and where no gradient arrives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import UsageError
from exprgrad.expressions.trace import Forward, Reverse, Seed, Trace, trace
from exprgrad.graph.value import Constant, Value, node
from exprgrad.language import inputs
from exprgrad.notation.numbers import number
from exprgrad.notation.text import text_length, to_text
from exprgrad.pictures.folding import folded
from exprgrad.pictures.graph_data import (
    OPERATION,
    RESULT,
    VARIABLE,
    Edge,
    GraphData,
    Node,
    by_ends,
    next_of,
)
from exprgrad.pictures.graph_svg import graph_svg
from exprgrad.pictures.graph_text import dot, mermaid
from exprgrad.sweeps.careful import live
from exprgrad.sweeps.tape import labels

if TYPE_CHECKING:
    from exprgrad.expressions.expression import Evaluation, Expression

MOST_NODES = 80
"""Nodes of a graph that is drawn whole unless something else is asked for."""

LONGEST_SYMBOL = 24
"""Characters of a symbol."""


class Graph(GraphData):
    """The graph of an expression: `nodes`, each before those that use it, and `edges`; see `GraphData`."""

    __slots__ = ()

    def svg(self) -> str:
        """The picture."""
        return graph_svg(self)

    def dot(self) -> str:
        """The graph in the language of Graphviz."""
        return dot(self)

    def mermaid(self) -> str:
        """The graph as a Mermaid flowchart."""
        return mermaid(self)

    def as_dict(self) -> dict[str, Any]:
        """What a program may want to know, for JSON."""
        return {
            "expression": self.title,
            "at": self.at,
            "step": self.step,
            "steps": self.steps,
            "depth": self.depth,
            "nodes": [node._asdict() for node in self.nodes],
            "edges": [edge._asdict() for edge in self.edges],
        }

    fields = as_dict  # its older name

    def _repr_svg_(self) -> str:
        return self.svg()


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
        return _folded(_structure(expression), depth)
    given = {} if at is None else inputs.point(at)
    if expression.takes_arrays(given):
        raise UsageError(
            "the graph of an expression in arrays has no numbers",
            hint="leave the values out",
        )
    return graph_at(expression.evaluate(given), stage, depth)


def graph_at(
    evaluation: Evaluation, stage: int | str = "all", depth: int | None = None
) -> Graph:
    """The graph of an evaluation."""
    traced = trace(evaluation, lambda x: number(x, 6), own_names=True)
    walk = traced.walk()
    steps = len(walk) - 1 if walk and isinstance(walk[-1], list) else len(walk)
    done = _steps(stage, len(traced.forward), steps)
    graph = _numbered(evaluation, traced, walk[:done])
    return _folded(graph._replace(step=done, steps=steps), depth)


def graph_whole(evaluation: Evaluation) -> Graph:
    """The graph of an evaluation with what is not needed at its point, too: the branches that `if` does not take."""
    here = graph_at(evaluation, "all", 0)
    known = {node.name: node for node in here.nodes}
    drawn = by_ends(here.edges)
    whole = _structure(evaluation.expression)
    nodes = [known.get(n.name) or n._replace(reached=False) for n in whole.nodes]
    edges = [next_of(drawn, e) or e._replace(reached=False) for e in whole.edges]
    return here._replace(nodes=tuple(nodes), edges=tuple(edges))


def _with_numbers(edge: Edge, row: Reverse | None, swept: bool = True) -> Edge:
    """An edge with what the reverse sweep carries along it, once it has been `swept`."""
    if row is None or not swept:
        return edge._replace(reached=row is not None)
    return edge._replace(partial=row.partial, contribution=row.contribution)


def _steps(stage: int | str, forward: int, steps: int) -> int:
    """How many steps of the walk are done at a stage."""
    if stage in ("values", "all"):
        return forward if stage == "values" else steps
    if isinstance(stage, bool) or not isinstance(stage, int) or stage < 0:
        given = repr(stage)[:40]
        raise UsageError(f"a stage is values, all or a number of steps, not {given}")
    return min(stage, steps)


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
        formula = to_text(node(step.operation, tuple(symbols)))
        kind = RESULT if step.node == tape.root else OPERATION
        nodes.append(Node(name, symbol, formula, None, None, kind))
        places = filter(drawn.has_box, step.operands)
        edges += [Edge(label[j], name, None, None) for j in places]
    return Graph(expression.title, {}, tuple(nodes), tuple(edges), 0, 0)


class _Drawn:
    """Which nodes of a tape have boxes of their own, and what stands in these."""

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
        """Whether a node is drawn: a constant is not, unless it is the result."""
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
        formula = node(operation, tuple(own))
        if text_length(formula, LONGEST_SYMBOL) > LONGEST_SYMBOL:
            short = [o if o.name else Value(None, "…") for o in own]
            formula = node(operation, tuple(short))
        return _typeset(to_text(formula))


_SIGNS = str.maketrans({"*": "×", "/": "÷", "-": "−"})
_UPPER = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def _typeset(text: str) -> str:
    """A formula as people write it: `·^2` as (·)², `2*·` as 2 × ·."""
    power = re.fullmatch(r"·\^\(?(-?[0-9]+)\)?", text)
    if power:
        return f"(·){power[1].translate(_UPPER)}"
    text = re.sub(r"·(?=\^)|(?<=\^)·", "(·)", text)
    text = re.sub(r"(?<=[^ ])([*/])(?=[^ ])", r" \1 ", text)
    return text.translate(_SIGNS)


def _numbered(evaluation: Evaluation, traced: Trace, done: Sequence[Any]) -> Graph:
    """The graph of an evaluation after some steps of its walk."""
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
        if n.name in values
    ]
    if not nodes:  # the expression is a number
        text, value = to_text(tape.nodes[tape.root]), tape.nodes[tape.root].data
        nodes.append(Node("v1", text, text, value, None, RESULT, False))
    alive = live(tape, evaluation.primals)
    living = {name for i, name in labels(tape, own_names=True).items() if alive[i]}
    rows = by_ends(traced.reverse)
    swept = {id(step) for step in done}
    edges = [
        _with_numbers(edge, row, id(row) in swept)
        for edge in graph.edges
        if edge.operand in living and edge.node in living
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
    if depth is not None:
        return folded(graph, depth)
    low, high = 1, len(graph.nodes)
    while low < high:  # as little as leaves so many nodes
        middle = (low + high + 1) // 2
        if len(folded(graph, middle).nodes) <= MOST_NODES:
            low = middle
        else:
            high = middle - 1
    return folded(graph, low)
