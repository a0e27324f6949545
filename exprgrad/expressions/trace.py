"""The two sweeps of an evaluation, step by step, as data.

Nodes are called v1 ... vn: the variables first, then the operations in the order of the tape; a
constant has no name and stands as its number. For people, the variables keep names of their own. The
forward sweep has a step per node, the reverse sweep one per edge: what the node's adjoint contributes to
an operand's, and the total so far. With w_i the adjoint of v_i,

    w_j = sum of w_i * d v_i/d v_j over the nodes v_i that use v_j

and `Trace.meetings` has these sums one by one.

Which paths of a graph carry a gradient, and what blocks it.

    why(parse("relu(w*x) + w").evaluate({"w": 2, "x": 3}), "w").paths

By the chain rule a partial derivative is a sum over the paths from the result back to the variable,

    dL/dw = sum over paths L = u_0 -> u_1 -> ... -> u_m = w of the product of d u_i/d u_{i+1}

There may be exponentially many paths (Bauer, "Computational graphs and rounding error", 1974). The
largest products at a node are among the largest at the nodes that use it, each times one partial; and
what remains beside the chosen paths is a sum over the edges at which other paths leave them, each times
the derivative of what lies below. Both take time in proportion to the edges, and nothing cancels.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError, RangeError
from exprgrad.expressions.confirm import simplify
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.fields import is_beyond
from exprgrad.graph.displayed import above, displayed
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import text_up_to, to_text
from exprgrad.operations.number_types import Step
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import POW
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

    @property
    def cancels(self) -> bool:
        """Return whether the sum is so small beside its terms that a few digits of these do not add up to it."""
        return 0 < 100 * abs(self.total) < max(abs(e.contribution) for e in self.edges)

    def nudge(self, result: str, show: Callable[[float], str]) -> str:
        """Why they are added: `b + 0.001 → v3 + 0.002 → L + 0.008 and v4 + 0.001 → L + 0.006: together 0.014 to first order`."""

        def moved(name: str, slope: float) -> str:
            return f"{name} {'-' if slope < 0 else '+'} {show(abs(slope) * NUDGE)}"

        ways = []
        for edge in self.edges:
            way = [] if edge.node == result else [moved(edge.node, edge.partial)]
            ways.append(" → ".join([*way, moved(result, edge.contribution)]))
        return f"{moved(self.operand, 1)} → {' and '.join(ways)}: together {show(self.total * NUDGE)} to first order"


NUDGE = 0.001
"""By how much a node is moved, to show what follows."""


class Origin(NamedTuple):
    """The origin of a partial derivative: contributions, each with the node it came through.

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

    `names` gives the node of each variable, `blocked` the nodes at a corner, which the reverse sweep does not cross,
    `tangents` (of forward mode) each variable's tangent at every node. `formulas` are the nodes that a variable goes
    to, written out in the variables, where that is short. Adjoints that lack what does not cross a corner are
    `unfinished`. As a table, a large one is folded by stages, to a `depth` as in `graph`; 0 folds nothing.
    """

    forward: list[Forward]
    reverse: list[Reverse]
    names: dict[str, str]
    blocked: list[str]
    tangents: dict[str, dict[str, float]]
    formulas: dict[str, str]
    evaluation: Evaluation
    unfinished: frozenset[str] = frozenset()
    depth: int | None = None

    def __repr__(self) -> str:
        """Return how long it is."""
        return f"<Trace of {len(self.forward)} nodes, {len(self.reverse)} steps back>"

    def __str__(self) -> str:
        """The tables of the command line."""
        return str(above("views.notebook").text(self))

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        return {
            "forward": [step._asdict() for step in self.forward],
            "reverse": [step._asdict() for step in self.reverse],
            **({"tangents": self.tangents} if self.tangents else {}),
        }

    @property
    def result(self) -> str:
        """The node of the result."""
        return self.forward[-1].name

    def csv(self) -> tuple[list[str], list[list[Any]]]:
        """A header, and a row for each step of both sweeps."""
        along, none = [f"∂/∂{name}" for name in self.tangents], [None] * len(self.tangents)  # fmt: skip
        header = ["sweep", "node", "formula", "rule", "value", *along, "from", "partial", "adjoint", "contribution", "total"]  # fmt: skip
        rows: list[list[Any]] = []
        for step in self.forward:
            own = [tangents[step.name] for tangents in self.tangents.values()]
            rows.append(["forward", step.name, step.formula, step.rule, step.value, *own, *[None] * 5])  # fmt: skip
        for edge in (edge for meeting in self.meetings() for edge in meeting.edges):
            numbers = edge.node, edge.partial, edge.adjoint, edge.contribution, edge.total  # fmt: skip
            rows.append(["reverse", edge.operand, edge.formula, edge.rule, None, *none, *numbers])  # fmt: skip
        return header, rows

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
        found = by_operand(self.reverse, self.names.values())
        return [Meeting(node, tuple(edges)) for node, edges in found.items()]

    def origins(self) -> list[Origin]:
        """Return where the partial derivatives come from, as far as something reaches their variables."""
        nodes = {step.name: step for step in self.forward}
        met = {meeting.operand: meeting for meeting in self.meetings()}
        reached = ((name, node) for name, node in self.names.items() if node in met)
        return [self._origin(name, met[node], nodes) for name, node in reached]

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
        """Return what contributions came through, each as short as sets it apart from the others."""
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


def by_operand(edges: Iterable[Any], leaves: Iterable[str]) -> dict[str, list[Any]]:
    """Edges by their operand: one stands where the last edge to it does, and the leaves stand last."""
    found: dict[str, list[Any]] = {}
    for edge in edges:
        found[edge.operand] = found.pop(edge.operand, [])  # now the last
        found[edge.operand].append(edge)
    for leaf in leaves:
        if leaf in found:
            found[leaf] = found.pop(leaf)
    return found


def _function(step: Forward) -> str:
    """The function that was applied; of an operator, nothing."""
    name, bracket, _ = step.formula.partition("(")
    return name if bracket and name.isidentifier() else ""


LONGEST_PASSAGE = 24
"""Characters of a formula that says what a contribution came through."""


def trace(
    evaluation: Evaluation, show: Callable[[float], str] = repr, own_names: bool = False
) -> Trace:
    """The steps of an evaluation. `show` writes the numbers that are put into formulas.

    With `own_names`, the variables are called as they are, and not v1, v2, ... Raises `RangeError` where
    a number on the way, or the result or a partial, is beyond the range of doubles.
    """
    every = ("", *evaluation.gradient)
    swept = _swept(evaluation, every, "there is no trace", "a result")
    return _Tracer(evaluation, show, own_names).trace(*swept)


def _swept(
    evaluation: Evaluation, names: Collection[str], nothing: str, what: str
) -> tuple[list[float], list[Edge], list[Step]]:
    """The reverse sweep to these variables. Raises `RangeError` where a number is beyond the range of doubles.

    That says that there is `nothing` to show, as `what` is beyond it: the value or a partial, or a number on the way.
    """
    tape, values = evaluation.expression.tape, evaluation.values()
    active = tape.active([name for name in names if name])
    found = pull_back_carefully(tape, values, active, evaluation.subgradient)
    if not any(map(is_beyond, map(evaluation.known, names))):
        # an adjoint may be infinite where later partials lead back to a double
        if all(map(math.isfinite, found[0])):
            return found
        what = "a number on the way"
    what = f"{nothing}: {what} is beyond the range of double precision"
    raise evaluation.expression.error(RangeError, what)


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
        # Not as text: a negative number is to be bracketed where the formula asks for it.
        return Constant(float(self.show(value)))

    def partial(self, step: Step, position: int) -> str:
        """A local partial in the names of the operands."""
        operands = [self.symbols[j] for j in step.operands]
        return partial_text(step.operation, position, self.symbols[step.node], operands)


class _Tracer(Labelled):
    """The steps of both sweeps."""

    def trace(
        self, adjoints: list[float], edges: list[Edge], blocked: list[Step]
    ) -> Trace:
        """Both sweeps."""
        tape, label = self.tape, self.label
        active = tape.active(self.evaluation.gradient)
        # What a corner keeps back is missing in all nodes below it.
        corners, lacking = {step.node for step in blocked}, set[int]()
        for step in reversed(tape.steps):
            if step.node in corners or step.node in lacking:
                lacking.update(j for j in step.operands if active[j])
        for name, i in tape.variables.items():
            slope, found = self.evaluation.gradient.get(name), adjoints[i]
            if slope is not None and found is not None and math.isclose(slope, found, rel_tol=1e-9):  # fmt: skip
                lacking.discard(i)  # what does not cross is 0
        sweeps = self._forward(), self._reverse(adjoints, edges)
        names = {name: label[i] for name, i in tape.variables.items()}
        stops = [label[step.node] for step in blocked]
        tangents = {
            name: {label[i]: tangent for i, tangent in enumerate(sweep) if i in label}
            for name, sweep in self.evaluation.tangents.items()
        }
        own, formulas = self.evaluation, self._formulas()
        unfinished = frozenset(label[i] for i in lacking)
        return Trace(*sweeps, names, stops, tangents, formulas, own, unfinished)

    def _formulas(self) -> dict[str, str]:
        variables = set(self.tape.variables.values())
        found = {}
        for i, step in self.steps.items():
            text = text_up_to(self.tape.nodes[i], LONGEST_PASSAGE)
            if text and not variables.isdisjoint(step.operands):
                found[self.label[i]] = text
        return found

    def _forward(self) -> list[Forward]:
        label, values = self.label, self.primals
        written = self.evaluation.expression.written
        alive = live(self.tape, values)
        steps = [step for step in self.tape.steps if alive[step.node]]
        uses = Counter(j for step in steps for j in needed(step, values))
        rows = [
            Forward(label[i], name, "", values[i], "variable", uses[i], name)
            for name, i in self.tape.variables.items()
        ]
        for step in steps:
            i, rule = step.node, step.operation.rule
            formulas = self.formula(step), self.numbers(step)
            source = written(self.tape.nodes[i])
            rows.append(Forward(label[i], *formulas, values[i], rule, uses[i], source))
        return rows

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
    if operation.rule == POW.rule and position and operands[0].data == 0.0:
        return "0"  # of 0^x, wherever it has a slope
    slope = local_partial(operation, position, result, tuple(operands))
    return to_text(simplify(slope))


MOST_PATHS = 8
"""Paths that are shown one by one."""

MOST_BLOCKS = 8
"""Places that block a gradient and are named."""


class Path(NamedTuple):
    """A path from the result to the variable: its nodes, the partials between them, their product."""

    nodes: tuple[str, ...]
    partials: tuple[float, ...]
    product: float


class Why(NamedTuple):
    """The paths that carry a gradient to a variable, the largest first, and what blocks others.

    `formulas` says what the nodes of the paths are; `number` counts all paths that carry
    something, `rest` the sum of those that are not in `paths`, `total` the sum of all.
    """

    variable: str
    paths: tuple[Path, ...]
    formulas: dict[str, str]
    number: int
    rest: float
    total: float
    blocks: tuple[str, ...]
    more_blocks: int


class _Link(NamedTuple):
    """A path from the result to a node: its last edge, and the path before that."""

    product: float
    edge: int
    before: _Link | None


def why(
    evaluation: Evaluation,
    variable: str,
    show: Callable[[float], str] = repr,
    most: int = MOST_PATHS,
) -> Why:
    """The paths to a variable. `show` writes the numbers in what is said of blocks.

    Raises `RangeError` where a number on the way, or the partial, is beyond the range of doubles.
    """
    tape, values = evaluation.expression.tape, evaluation.values()
    nothing = "there are no paths to show"
    _, edges, corners = _swept(evaluation, (variable,), nothing, "the derivative")
    active = tape.active([variable])
    leaf = tape.variables[variable]
    nodes = _Nodes(evaluation, show, own_names=True)
    own: dict[int, list[tuple[int, Edge]]] = {}
    for i, edge in enumerate(edges):  # from the result down
        own.setdefault(edge.source, []).append((i, edge))
    best = _largest(own, tape.root, most)
    slopes, counts = _below(own, leaf, len(values))
    found = best.get(leaf, [])
    chosen = [_edges_of(link) for link in found]
    paths = [
        Path(
            tuple(nodes.label[i] for i in (tape.root, *(edges[e].target for e in way))),
            tuple(edges[e].partial for e in way),
            link.product,
        )
        for way, link in zip(chosen, found, strict=True)
    ]
    passed = sorted({edges[e].source for way in chosen for e in way}, reverse=True)
    sharp = [step for step in corners if step.node in best]
    left = [
        (step, j)
        for step in tape.steps
        if step.node in best and step.operation.choose is not None
        for j in set(step.operands).difference(needed(step, values))
        if active[j]
    ]
    flat = [e for e in reversed(edges) if e.partial == 0 and e.source in best]
    blocks, more = nodes.blocks(flat, sharp, left)
    formulas = {nodes.label[i]: nodes.formula(nodes.steps[i]) for i in passed}
    count, total = counts[tape.root], slopes[tape.root]
    rest = _beside(chosen, edges, own, tape.root, slopes)
    return Why(variable, tuple(paths), formulas, count, rest, total, blocks, more)


Outgoing = dict[int, list[tuple[int, Edge]]]
"""The edges of a reverse sweep with their numbers, by their sources, which stand before their operands."""


def _largest(own: Outgoing, root: int, most: int) -> dict[int, list[_Link]]:
    """The paths from the result to every node with the largest products, most first."""
    from heapq import nlargest

    def best(links: list[_Link]) -> list[_Link]:
        return nlargest(most, links, key=lambda link: abs(link.product))

    found = {root: [_Link(1.0, -1, None)]}
    for source, edges in own.items():
        # All that lead here go on by the same partials, so that the largest stay the largest.
        links = best(found.get(source, []))
        for i, edge in edges:
            if links and edge.partial:
                longer = [_Link(x.product * edge.partial, i, x) for x in links]
                found.setdefault(edge.target, []).extend(longer)
    return {node: best(links) for node, links in found.items()}


def _below(own: Outgoing, leaf: int, size: int) -> tuple[list[float], list[int]]:
    """Of every node, its derivative with respect to the variable, and the number of its paths."""
    # Whole numbers: 60 squarings, one after the other, have 2^60 paths.
    slopes, counts = [0.0] * size, [0] * size
    slopes[leaf], counts[leaf] = 1.0, 1
    # From the variable up: the sources stand in the order of the reverse sweep.
    for source, edges in reversed(own.items()):
        for _, edge in edges:
            if edge.partial:
                counts[source] += counts[edge.target]
                if slopes[edge.target]:
                    slopes[source] += edge.partial * slopes[edge.target]
    return slopes, counts


def _beside(
    chosen: list[list[int]],
    edges: Sequence[Edge],
    own: Outgoing,
    root: int,
    slopes: Sequence[float],
) -> float:
    """The sum of all paths but the chosen ones.

    Every other path leaves them at one edge: it has their product up to there, the partial of that edge,
    and what lies below.
    """
    if not chosen:
        return slopes[root]
    # of every beginning, its edges and where they lead
    kept: list[dict[int, int]] = [{}]
    begun = [(root, 1.0)]
    for way in chosen:
        place = 0
        for e in way:
            if e not in kept[place]:
                kept[place][e] = len(kept)
                kept.append({})
                begun.append((edges[e].target, begun[place][1] * edges[e].partial))
            place = kept[place][e]
    return math.fsum(
        product * edge.partial * slopes[edge.target]
        for (at, product), taken in zip(begun, kept, strict=True)
        for e, edge in own.get(at, ())
        if e not in taken and edge.partial
    )


def _edges_of(link: _Link | None) -> list[int]:
    """The edges of a path, from the result on."""
    found = []
    while link is not None and link.before is not None:
        found.append(link.edge)
        link = link.before
    return found[::-1]


class _Nodes(Labelled):
    """The description of the nodes that block a gradient."""

    def blocks(
        self,
        flat: Sequence[Edge],
        sharp: Sequence[Step],
        left: Sequence[tuple[Step, int]],
    ) -> tuple[tuple[str, ...], int]:
        """Return what is said of partials that are 0, of corners and of branches not taken; and how many more there are."""
        zeros = {self.flat(self.steps[e.source], e.target): e for e in flat}
        others = [*map(self.corner, sharp), *(self.not_taken(*each) for each in left)]
        every = list(dict.fromkeys((*reversed(zeros), *others)))
        told = every[:MOST_BLOCKS]
        texts = (self.exactly(zeros[t], t) if t in zeros else t for t in told)
        return tuple(texts), len(every) - len(told)

    def flat(self, step: Step, operand: int) -> str:
        """A partial that is 0."""
        does = f"does not change with {self.label[operand]} there"
        if len(step.operands) == 1 and self.primals[step.node] == 0:
            does = "is 0 there"
        return f"{self.formula(step)} {does}, {self._point(step)}"

    def exactly(self, edge: Edge, text: str) -> str:
        """The text on a partial that is 0, or what it is if only double precision takes it for 0."""
        step = self.steps[edge.source]
        own = self.tape.nodes[step.node]
        try:
            partial = Expression.of(
                local_partial(step.operation, edge.position, own, own.operands)
            )
            at = {name: self.evaluation.exact[name] for name in partial.variables}
            known = partial.evaluate(at, ()).known()
        except ExprgradError:
            return text
        if known.sure < 1 or not (known.value or known.middle):
            return text
        value = known.decimal(min(known.sure, 6))
        if known.value is not None:
            value = self.show(known.value)
        what = f"the derivative of {self.formula(step)} with respect to {self.label[edge.target]}"
        return f"{what} is 0 in double precision, but {value}, {self._point(step)}"

    def corner(self, step: Step) -> str:
        """A step that the sweep does not cross."""
        return f"no rule holds for {self.formula(step)} there, {self._point(step)}"

    def not_taken(self, step: Step, operand: int) -> str:
        """A branch that is not taken."""
        return f"{self.formula(step)} does not take {self.label[operand]} there, {self._point(step)}"

    def _point(self, step: Step) -> str:
        """The operands with their values, and with what they are if that is short."""
        said = []
        for j in dict.fromkeys(step.operands):
            item, value = self.tape.nodes[j], self.primals[j]
            if j not in self.label or value is None:
                continue
            text = text_up_to(item, LONGEST_PASSAGE) if item.operation else None
            sides = filter(None, (self.label[j], text, self.show(value)))
            said.append(" = ".join(sides))
        return ", ".join(said)
