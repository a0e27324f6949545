"""The two sweeps of an evaluation, step by step, as data.

Nodes are called v1 ... vn: the variables first, then the operations in the order of the tape; a
constant has no name and stands as its number. For people, the variables keep names of their own. The
forward sweep has a step per node, the reverse sweep one per edge: what the node's adjoint contributes to
an operand's, and the total so far. With w_i the adjoint of v_i,

    w_j = sum of w_i * d v_i/d v_j over the nodes v_i that use v_j

and `Trace.meetings` has these sums one by one.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable

from exprgrad.annotations import Any, NamedTuple
from exprgrad.displayed import above, displayed
from exprgrad.errors import RangeError
from exprgrad.expressions.confirm import simplify
from exprgrad.expressions.expression import Evaluation
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import text_length, to_text
from exprgrad.operations.number_types import Step
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.careful import Edge, live, needed, pull_back_carefully
from exprgrad.sweeps.tape import labels
from exprgrad.symbolic.derivative import local_partial


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


class Seed(NamedTuple):
    """The begin of the reverse sweep: the adjoint of the result with respect to itself is 1."""

    node: str


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


class Meeting(NamedTuple):
    """All contributions to the adjoint of one node, which is their sum."""

    operand: str
    edges: tuple[Reverse, ...]

    @property
    def total(self) -> float:
        """The adjoint."""
        return self.edges[-1].total


class Origin(NamedTuple):
    """Where a partial derivative comes from: contributions, each with the node it came through.

    They stand in order of size. `rest` is the sum of the `left_out` smallest.
    """

    variable: str
    parts: tuple[tuple[float, str], ...]
    left_out: int
    rest: float
    total: float


MOST_PARTS = 8
"""Contributions to a partial derivative that are named."""


@displayed
class Trace(NamedTuple):
    """Both sweeps of an `evaluation`.

    `names` gives the node of each variable, `blocked` the nodes at a corner, which the reverse sweep
    does not cross, `tangents` (of forward mode) each variable's tangent at every node. `formulas` are the
    nodes that a variable goes to, written out in the variables, where that is short.
    """

    forward: list[Forward]
    reverse: list[Reverse]
    names: dict[str, str]
    blocked: list[str]
    tangents: dict[str, dict[str, float]]
    formulas: dict[str, str]
    evaluation: Evaluation

    def __str__(self) -> str:
        """The tables of the command line."""
        return str(above("views.notebook").text(self))

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        from exprgrad.expressions import fields

        return fields.trace_fields(self)

    @property
    def result(self) -> str:
        """The node of the result."""
        return self.forward[-1].name

    def walk(self) -> list[Forward | Seed | Reverse | list[Origin]]:
        """All that happens, one step after the other, and at the end where the partials come from."""
        back = [edge for meeting in self.meetings() for edge in meeting.edges]
        if not self.forward:
            return []
        return [*self.forward, Seed(self.result), *back, self.origins()]

    def meetings(self) -> list[Meeting]:
        """The contributions of the reverse sweep by the node in which they meet.

        A node stands before those it contributes to, the variables stand last.
        """
        found: dict[str, list[Reverse]] = {}
        for step in self.reverse:
            found[step.operand] = found.pop(step.operand, [])  # now the last
            found[step.operand].append(step)
        leaves = [node for node in self.names.values() if node in found]
        variables = set(leaves)
        inner = [node for node in found if node not in variables]
        return [Meeting(node, tuple(found[node])) for node in (*inner, *leaves)]

    def origins(self) -> list[Origin]:
        """Where the partial derivatives come from, as far as something reaches their variables."""
        nodes = {step.name: step for step in self.forward}
        met = {meeting.operand: meeting for meeting in self.meetings()}
        return [
            self._origin(variable, met[node], nodes)
            for variable, node in self.names.items()
            if node in met
        ]

    def _origin(
        self, variable: str, meeting: Meeting, nodes: dict[str, Forward]
    ) -> Origin:
        edges = sorted(meeting.edges, key=lambda edge: -abs(edge.contribution))
        named, others = edges[:MOST_PARTS], edges[MOST_PARTS:]
        texts = self._passages([nodes[edge.node] for edge in named])
        parts = [(e.contribution, text) for e, text in zip(named, texts, strict=True)]
        rest = math.fsum(edge.contribution for edge in others)
        return Origin(variable, tuple(parts), len(others), rest, meeting.total)

    def _passages(self, steps: list[Forward]) -> list[str]:
        """What contributions came through, each as short as sets it apart from the others."""
        texts = [_function(step) or self._written(step) for step in steps]
        for longer in (self._written, lambda step: step.name):
            met = {(t, step.name) for t, step in zip(texts, steps, strict=True)}
            shared = Counter(t for t, _ in met)
            own = zip(texts, steps, strict=True)
            texts = [t if shared[t] == 1 else longer(step) for t, step in own]
        return texts

    def _written(self, step: Forward) -> str:
        formula = self.formulas.get(step.name, step.name)
        # of a sum of parts that have been named, the sum; of variables alone, what it is
        is_whole = step.name == self.result and formula != step.formula
        return f"the {step.rule}" if is_whole else formula


def _function(step: Forward) -> str:
    """The function that was applied; of an operator, nothing."""
    name, bracket, _ = step.formula.partition("(")
    return name if bracket and name.isidentifier() else ""


LONGEST_PASSAGE = 24
"""Characters of a formula that says what a contribution came through."""


def trace(
    evaluation: Evaluation,
    show: Callable[[float], str] = repr,
    own_names: bool = False,
) -> Trace:
    """The steps of an evaluation. `show` writes the numbers that are put into formulas.

    With `own_names`, the variables are called as they are, and not v1, v2, ... Raises `RangeError` where
    a number on the way, or the result or a partial, is beyond the range of doubles.
    """
    evaluation.values()
    results = [evaluation.known(name) for name in ("", *evaluation.gradient)]
    if any(own.value is None and own.middle is not None for own in results):
        raise evaluation.expression.error(
            RangeError,
            "there is no trace: a result is beyond the range of double precision",
        )
    return _Tracer(evaluation, show, own_names).trace()


class Labelled:
    """The nodes of an evaluation under their names; `show` writes numbers."""

    def __init__(
        self, evaluation: Evaluation, show: Callable[[float], str], own_names: bool
    ) -> None:
        self.evaluation, self.show = evaluation, show
        self.tape, self.primals = evaluation.expression.tape, evaluation.values()
        self.label = labels(self.tape, own_names)
        self.symbols = [
            Value(None, self.label[i]) if i in self.label else item
            for i, item in enumerate(self.tape.nodes)
        ]
        self.steps = {step.node: step for step in self.tape.steps}

    def formula(self, step: Step) -> str:
        """An operation on the names of its operands."""
        return self._applied(step, self.symbols.__getitem__)

    def numbers(self, step: Step) -> str:
        """An operation on the numbers of its operands, with the digits of `show`."""
        return self._applied(step, self._number)

    def _applied(self, step: Step, operand: Callable[[int], Value]) -> str:
        return to_text(node(step.operation, tuple(map(operand, step.operands))))

    def _number(self, index: int) -> Value:
        item, value = self.tape.nodes[index], self.primals[index]
        if isinstance(item, Constant) or value is None:
            return self.symbols[index]
        return Constant(float(self.show(value)))

    def partial(self, step: Step, position: int) -> str:
        """A local partial in the names of the operands."""
        operands = [self.symbols[j] for j in step.operands]
        return partial_text(step.operation, position, self.symbols[step.node], operands)


class _Tracer(Labelled):
    """The steps of both sweeps."""

    def trace(self) -> Trace:
        """Both sweeps."""
        tape, label = self.tape, self.label
        active = tape.active(self.evaluation.gradient)
        adjoints, edges, blocked = pull_back_carefully(
            tape, self.primals, active, self.evaluation.subgradient
        )
        return Trace(
            self._forward(),
            self._reverse(adjoints, edges),
            {name: label[i] for name, i in tape.variables.items()},
            [label[step.node] for step in blocked],
            {
                name: {
                    label[i]: tangent for i, tangent in enumerate(sweep) if i in label
                }
                for name, sweep in self.evaluation.tangents.items()
            },
            self._formulas(),
            self.evaluation,
        )

    def _formulas(self) -> dict[str, str]:
        variables = set(self.tape.variables.values())
        found = {}
        for i, step in self.steps.items():
            item = self.tape.nodes[i]
            short = text_length(item, LONGEST_PASSAGE) <= LONGEST_PASSAGE
            if short and not variables.isdisjoint(step.operands):
                found[self.label[i]] = to_text(item)
        return found

    def _forward(self) -> list[Forward]:
        label, values, written = (
            self.label,
            self.primals,
            self.evaluation.expression.written,
        )
        alive = live(self.tape, values)
        steps = [step for step in self.tape.steps if alive[step.node]]
        uses = Counter(j for step in steps for j in needed(step, values))
        variables = [
            Forward(label[i], name, "", values[i], "variable", uses[i], name)
            for name, i in self.tape.variables.items()
        ]
        return variables + [
            Forward(
                label[i],
                self.formula(step),
                self.numbers(step),
                values[i],
                step.operation.rule,
                uses[i],
                written(self.tape.nodes[i]),
            )
            for step in steps
            for i in [step.node]
        ]

    def _reverse(self, adjoints: list[float], edges: list[Edge]) -> list[Reverse]:
        parts = Counter(edge.target for edge in edges)
        done: Counter[int] = Counter()
        totals: dict[int, float] = defaultdict(float)
        rows = []
        for source, target, position, partial in edges:
            step, adjoint = self.steps[source], adjoints[source]
            contribution = adjoint * partial
            totals[target] += contribution
            done[target] += 1
            names = self.label[source], self.label[target], step.operation.rule
            numbers = partial, adjoint, contribution, totals[target]
            formula = self.partial(step, position)
            rows.append(Reverse(*names, formula, *numbers, done[target], parts[target]))
        return rows


def partial_text(
    operation: Operation, position: int, result: Value, operands: list[Value]
) -> str:
    """A local partial in symbols: the table's rule, run on the nodes of a graph."""
    if operation.partials[position] is None:
        return "none"
    if operation.opaque:
        return f"d{operation.name}/d({to_text(operands[position])})"
    return to_text(
        simplify(local_partial(operation, position, result, tuple(operands)))
    )
