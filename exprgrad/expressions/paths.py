"""Which paths of a graph carry a gradient, and what blocks it.

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
from collections.abc import Callable, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError, RangeError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.trace import LONGEST_PASSAGE, Labelled
from exprgrad.graph.sweep import forward, reverse
from exprgrad.notation.text import text_length, to_text
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.sweeps.careful import Edge, Tangents, needed, pull_back_carefully
from exprgrad.sweeps.tape import Primals
from exprgrad.symbolic.derivative import local_partial

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
    slope = evaluation.known(variable)
    if slope.value is None and slope.middle is not None:
        raise evaluation.expression.error(
            RangeError,
            "there are no paths to show: the derivative is beyond the range of double precision",
        )
    active = tape.active([variable])
    _, edges, corners = pull_back_carefully(
        tape, values, active, evaluation.subgradient
    )
    leaf = tape.variables[variable]
    nodes = _Nodes(evaluation, show, own_names=True)
    carrying = _Carrying(edges, nodes.steps)
    best = carrying.largest(tape.root, most, values, active)
    slopes, counts = carrying.below(leaf, len(values))
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
    return Why(
        variable,
        tuple(paths),
        {nodes.label[i]: nodes.formula(nodes.steps[i]) for i in passed},
        counts[tape.root],
        carrying.beside(chosen, tape.root, slopes),
        slopes[tape.root],
        blocks,
        more,
    )


class _Carrying:
    """The edges of a reverse sweep by their sources, as steps of other sweeps over them."""

    def __init__(self, edges: list[Edge], steps: Mapping[int, Step]) -> None:
        self.edges = edges
        self.own: dict[int, list[tuple[int, Edge]]] = {}
        for i, edge in enumerate(edges):  # from the result down
            self.own.setdefault(edge.source, []).append((i, edge))
        self.steps = [
            Step(i, steps[i].operation, tuple(edge.target for _, edge in own))
            for i, own in reversed(self.own.items())
        ]

    def largest(
        self, root: int, most: int, values: Primals, active: Sequence[bool]
    ) -> dict[int, list[_Link]]:
        """The paths from the result to every node with the largest products, most first."""
        numbers = _Largest(self.own, most)
        adjoints: list[_Links | None] = [None] * len(values)
        adjoints[root] = _Links([_Link(1.0, -1, None)])
        reverse(self.steps, numbers, values, adjoints, active)
        return {
            i: numbers.best(i, links)
            for i, links in enumerate(adjoints)
            if links is not None
        }

    def below(self, leaf: int, size: int) -> tuple[list[float], list[int]]:
        """Of every node, its derivative with respect to the variable, and the number of its paths."""
        slopes, counts = [0.0] * size, [0] * size
        slopes[leaf], counts[leaf] = 1.0, 1
        partials = {i: [e.partial for _, e in own] for i, own in self.own.items()}
        forward(self.steps, Tangents(partials), slopes)
        forward(self.steps, _Ways(partials), counts)
        return slopes, counts

    def beside(self, chosen: list[list[int]], root: int, slopes: list[float]) -> float:
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
                    edge = self.edges[e]
                    begun.append((edge.target, begun[place][1] * edge.partial))
                place = kept[place][e]
        return math.fsum(
            product * edge.partial * slopes[edge.target]
            for (at, product), own in zip(begun, kept, strict=True)
            for e, edge in self.own.get(at, ())
            if e not in own and edge.partial
        )


class _Links:
    """Paths to a node; a sum of two is both together."""

    def __init__(self, links: list[_Link]) -> None:
        self.links = links

    def __add__(self, other: _Links) -> _Links:
        self.links += other.links  # a copy for each would take time for pairs of them
        return self


class _Largest(Numbers):
    """Adjoints that are paths from the result, of which a node hands on the largest."""

    chooses = False

    def __init__(self, own: dict[int, list[tuple[int, Edge]]], most: int) -> None:
        super().__init__(lambda operation: operation.kernel)
        self.own, self.most = own, most
        self._best: dict[int, list[_Link]] = {}

    def best(self, place: int, links: _Links) -> list[_Link]:
        """The largest; all paths to a node are there when they are asked for first."""
        if place not in self._best:
            from heapq import nlargest

            self._best[place] = nlargest(
                self.most, links.links, key=lambda link: abs(link.product)
            )
        return self._best[place]

    def pull(
        self, step: Step, position: int, adjoint: _Links, value: Any, own: Sequence[Any]
    ) -> _Links | None:
        """The paths that go on along an edge; None where it carries nothing."""
        i, edge = self.own[step.node][position]
        if edge.partial == 0:
            return None
        best = self.best(step.node, adjoint)
        return _Links([_Link(link.product * edge.partial, i, link) for link in best])


class _Ways(Tangents):
    """Numbers of paths: a step has those of its operands that it hangs on."""

    def value(self, step: Step, arguments: Sequence[int]) -> int:  # type: ignore[override] # whole
        """The number of paths that carry something from a step to the variable."""
        own = zip(arguments, self.local[step.node], strict=True)
        return sum(count for count, partial in own if partial)


def _edges_of(link: _Link | None) -> list[int]:
    """The edges of a path, from the result on."""
    found = []
    while link is not None and link.before is not None:
        found.append(link.edge)
        link = link.before
    return found[::-1]


class _Nodes(Labelled):
    """What is said of the nodes that block a gradient."""

    def blocks(
        self,
        flat: Sequence[Edge],
        sharp: Sequence[Step],
        left: Sequence[tuple[Step, int]],
    ) -> tuple[tuple[str, ...], int]:
        """What is said of partials that are 0, of corners and of branches not taken; and how many more there are."""
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
            sides = [self.label[j], self.show(value)]
            if item.operation and text_length(item, LONGEST_PASSAGE) <= LONGEST_PASSAGE:
                sides.insert(1, to_text(item))
            said.append(" = ".join(sides))
        return ", ".join(said)
