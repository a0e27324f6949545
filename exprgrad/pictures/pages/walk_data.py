"""What a page knows of an expression: its nodes and edges with their formulas, and the numbers at the point it was made for.

    walk_data(f.evaluate({"a": 2, "b": 3, "c": 1}))["nodes"][3]["formula"]      # "a·b"

A formula of a node has a twin for its numbers, in which the characters from U+E000 on stand for the operands. The
edges are in the order in which a reverse sweep passes them, all contributions to a node together; those of a
branch that is not taken are among them, for at another point it may be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from exprgrad.annotations import Any, NamedTuple
from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.trace import Labelled, Trace, trace
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.numbers import number
from exprgrad.notation.text import to_text
from exprgrad.operations.number_types import Step
from exprgrad.pictures.graph_data import GraphData, by_ends, next_of

_FIRST = 0xE000
"""The character that stands for the first operand, from those for private use."""

_UPPER = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Node(NamedTuple):
    """A node: `formula` in terms of others, `numbers` with places for those, in `brackets` where negative."""

    name: str
    place: int
    formula: str
    numbers: str
    brackets: list[bool]
    operands: list[str | None]
    choose: list[int | None] | None = None


class Edge(NamedTuple):
    """What a node hands on to its operand at a position, with the local partial as a formula; `k` is the edge in the picture."""

    node: str
    operand: str
    position: int
    formula: str
    k: int | None


class Walk(NamedTuple):
    """The data of a page."""

    nodes: list[Node]
    edges: list[Edge]
    result: str
    traced: Trace

    def contributions(self) -> dict[int, tuple[float, float, float]]:
        """The partial, the contribution and the adjoint so far, of each edge that has them at the point."""
        rows = by_ends(self.traced.reverse)
        found = {}
        totals: dict[str, float] = {}
        for i, edge in enumerate(self.edges):
            row = next_of(rows, edge)
            if row is not None:
                total = totals.get(edge.operand, 0.0) + row.contribution
                totals[edge.operand] = total
                found[i] = (row.partial, row.contribution, total)
        return found

    @property
    def alive(self) -> set[str]:
        """The nodes that the result depends on at the point."""
        return {step.name for step in self.traced.forward}

    def values(self) -> dict[str, float]:
        """The value of each node that has one at the point."""
        found = {step.name: step.value for step in self.traced.forward}
        return {name: x for name, x in found.items() if x is not None}


def walk_of(evaluation: Evaluation, graph: GraphData) -> Walk:
    """The data of an evaluation, whose whole graph is given."""
    own = Labelled(evaluation, repr, own_names=True)
    tape, label = own.tape, own.label
    nodes = [
        Node(name, i, name, chr(_FIRST), [False], [name])
        for name, i in tape.variables.items()
    ]
    for step in tape.steps:
        operands = [label.get(j) for j in step.operands]
        numbers, brackets = _with_places(
            step, [own.symbols[j] for j in step.operands], operands
        )
        choose = step.operation.choose
        chosen = choose and [choose(truth) for truth in (False, True)]
        formula = typeset(own.formula(step), "·")
        place = label[step.node], step.node
        nodes.append(Node(*place, formula, numbers, brackets, operands, chosen))
    traced = trace(evaluation, lambda x: number(x, 6), own_names=True)
    return Walk(nodes, _edges(own, graph), label[tape.root], traced)


def typeset(formula: str, times: str) -> str:
    """A formula with a true minus, a sign for products and raised powers, still on one line."""
    formula = re.sub(r"\^(\d+)(?![\d.^e])", lambda m: m[1].translate(_UPPER), formula)
    return formula.replace("*", times).replace("-", "−")


def _with_places(
    step: Step, own: list[Value], names: list[str | None]
) -> tuple[str, list[bool]]:
    """The formula with places for operands, and which of those a negative number needs brackets in."""
    places = [
        operand if names[i] is None else Value(None, chr(_FIRST + i))
        for i, operand in enumerate(own)
    ]
    text = to_text(node(step.operation, tuple(places)))
    brackets = []
    for i, name in enumerate(names):
        negative = [Constant(-7.25) if i == k else p for k, p in enumerate(places)]
        plain = text.replace(chr(_FIRST + i), "-7.25")
        brackets.append(name is not None and to_text(node(step.operation, tuple(negative))) != plain)  # fmt: skip
    return typeset(text, " × "), brackets


def _edges(own: Labelled, graph: GraphData) -> list[Edge]:
    """The edges of all nodes that depend on a variable of the gradient, in the order of a reverse sweep."""
    tape, label = own.tape, own.label
    active = tape.active(own.evaluation.gradient)
    drawn: dict[tuple[str, str], list[int]] = {}
    for i, line in enumerate(graph.edges):
        drawn.setdefault((line.operand, line.node), []).append(i)
    met: dict[int, list[Edge]] = {}
    for step in reversed(tape.steps):
        if not active[step.node]:
            continue
        for position, j in enumerate(step.operands):
            lines = drawn.get((label.get(j, ""), label[step.node]))
            k = lines.pop(0) if lines else None
            if not active[j] or step.operation.partials[position] is None:
                continue
            met[j] = met.pop(j, [])  # now the last
            formula = typeset(own.partial(step, position), "·")
            edge = Edge(label[step.node], label[j], position, formula, k)
            met[j].append(edge)
    leaves = [j for j in tape.variables.values() if j in met]
    variables = set(leaves)
    order = [*(j for j in met if j not in variables), *leaves]
    return [edge for j in order for edge in met[j]]


def filled(item: Node, values: dict[str, float], show: Callable[[float], str]) -> str:
    """The formula of a node with the numbers of its operands, those that are known."""
    text = item.numbers
    for i, operand in enumerate(item.operands):
        if operand is None:
            continue
        value = values.get(operand)
        shown = operand if value is None else show(value)
        if value is not None and item.brackets[i] and value < 0:
            shown = f"({shown})"
        text = text.replace(chr(_FIRST + i), shown)
    return text


def refusals(evaluation: Evaluation) -> dict[str, str]:
    """What is said of the partials that are not known, by name."""
    undecided = {c.variable for c in evaluation.corners if c.kind == "undetermined"}
    return {
        name: "could not be decided" if name in undecided else "does not exist"
        for name, partial in evaluation.gradient.items()
        if partial is None and name not in evaluation.texts
    }


def fields(walk: Walk, evaluation: Evaluation) -> dict[str, Any]:
    """The data for the script: what it walks along, and the numbers at the point that the page was made for."""
    edges = walk.contributions()
    return {
        "expression": str(evaluation.expression),
        "result": walk.result,
        "wrt": list(evaluation.gradient),
        "nodes": [item._asdict() for item in walk.nodes],
        "edges": [edge._asdict() for edge in walk.edges],
        "given": {
            "at": {name: x for name, x in evaluation.at.items() if math.isfinite(x)},
            "values": walk.values(),
            "edges": [edges.get(i) for i in range(len(walk.edges))],
            "corners": walk.traced.blocked,
            "gradient": dict(evaluation.gradient),
            "refused": refusals(evaluation),
        },
    }  # fmt: skip
