"""The two sweeps of an evaluation, step by step, as data.

Nodes are called v1 ... vn: the variables first, then the operations in the order of the tape; a
constant has no name and stands as its number. The forward sweep has a step per node, the reverse sweep
one per edge: what the node's adjoint contributes to an operand's, and the total so far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from exprgrad.expressions.expression import Evaluation
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations.number_types import Step
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.careful import Edge, live, needed, pull_back_carefully
from exprgrad.symbolic.derivative import local_partial
from exprgrad.symbolic.simplify import simplify


class Forward(NamedTuple):
    """A node of the forward sweep: `name` = `formula` = `numbers` = `value`.

    `uses` is the number of places that its value goes to; `source` is the part of the input that
    the node stands for.
    """

    name: str
    formula: str
    numbers: str
    value: float | None
    rule: str
    uses: int
    source: str


class Reverse(NamedTuple):
    """An edge of the reverse sweep, from `node` back to `operand`.

    `formula` is the local partial d node/d operand in symbols and `partial` its value; `contribution`
    is `adjoint` * `partial`, and `total` the operand's adjoint after it has been added. `part` of
    `parts` counts the contributions to the operand.
    """

    node: str
    operand: str
    rule: str
    formula: str
    partial: float
    adjoint: float
    contribution: float
    total: float
    part: int
    parts: int


class Trace(NamedTuple):
    """Both sweeps of an evaluation.

    `names` gives the node of each variable, `blocked` the nodes at a corner, which the reverse sweep
    does not cross, `tangents` (of forward mode) each variable's tangent at every node.
    """

    forward: list[Forward]
    reverse: list[Reverse]
    names: dict[str, str]
    blocked: list[str]
    tangents: dict[str, dict[str, float]]


def trace(evaluation: Evaluation, show: Callable[[float], str] = repr) -> Trace:
    """The steps of an evaluation. `show` writes the numbers that are put into formulas."""
    return _Tracer(evaluation, show).trace()


class _Tracer:
    def __init__(self, evaluation: Evaluation, show: Callable[[float], str]) -> None:
        self.evaluation = evaluation
        self.tape = evaluation.expression.tape
        self.primals = evaluation.primals
        self.show = show
        self.alive = live(self.tape, self.primals)
        leaves = len(self.tape.variables)
        inner = [step.node for step in self.tape.steps]
        self.label = {i: f"v{k + 1}" for k, i in enumerate([*range(leaves), *inner])}
        self.symbols = {
            i: Value(None, self.label[i]) if i in self.label else item
            for i, item in enumerate(self.tape.nodes)
        }

    def trace(self) -> Trace:
        names = {name: self.label[i] for name, i in self.tape.variables.items()}
        active = self.tape.active(self.evaluation.gradient)
        adjoints, edges, blocked = pull_back_carefully(
            self.tape, self.primals, active, self.evaluation.subgradient
        )
        corners = [self.label[step.node] for step in blocked]
        reverse = self._reverse(adjoints, edges)
        return Trace(self._forward(), reverse, names, corners, self._tangents())

    def _tangents(self) -> dict[str, dict[str, float]]:
        return {
            name: {
                self.label[i]: tangent
                for i, tangent in enumerate(sweep)
                if i in self.label
            }
            for name, sweep in self.evaluation.tangents.items()
        }

    def _forward(self) -> list[Forward]:
        alive = [step for step in self.tape.steps if self.alive[step.node]]
        uses = Counter(j for step in alive for j in needed(step, self.primals))
        rows = [
            Forward(self.label[i], name, "", self.primals[i], "variable", uses[i], name)
            for name, i in self.tape.variables.items()
        ]
        for step in alive:
            symbols = node(
                step.operation, tuple(self.symbols[j] for j in step.operands)
            )
            numbers = node(
                step.operation, tuple(self._number(j) for j in step.operands)
            )
            source = self.evaluation.expression.written(self.tape.nodes[step.node])
            rows.append(
                Forward(
                    self.label[step.node],
                    to_text(symbols),
                    to_text(numbers),
                    self.primals[step.node],
                    step.operation.rule,
                    uses[step.node],
                    source,
                )
            )
        return rows

    def _number(self, index: int) -> Value:
        """A leaf that is written as the number of a node, with the digits of `show`."""
        item = self.tape.nodes[index]
        value = self.primals[index]
        if isinstance(item, Constant) or value is None:
            return self.symbols[index]
        return Constant(float(self.show(value)))

    def _reverse(self, adjoints: list[float], edges: list[Edge]) -> list[Reverse]:
        parts = Counter(edge.target for edge in edges)
        done: Counter[int] = Counter()
        totals: dict[int, float] = {}
        steps = {step.node: step for step in self.tape.steps}
        rows = []
        for edge in edges:
            adjoint = adjoints[edge.source]
            contribution = adjoint * edge.partial
            totals[edge.target] = totals.get(edge.target, 0.0) + contribution
            done[edge.target] += 1
            step = steps[edge.source]
            rows.append(
                Reverse(
                    self.label[edge.source],
                    self.label[edge.target],
                    step.operation.rule,
                    self._partial(step, edge.position),
                    edge.partial,
                    adjoint,
                    contribution,
                    totals[edge.target],
                    done[edge.target],
                    parts[edge.target],
                )
            )
        return rows

    def _partial(self, step: Step, position: int) -> str:
        operands = [self.symbols[j] for j in step.operands]
        return partial_text(step.operation, position, self.symbols[step.node], operands)


def partial_text(
    operation: Operation, position: int, result: Value, operands: list[Value]
) -> str:
    """A local partial in symbols: the table's rule, run on the nodes of a graph."""
    if operation.partials[position] is None:
        return "none"
    return to_text(
        simplify(local_partial(operation, position, result, tuple(operands)))
    )
