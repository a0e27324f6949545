"""An expression on arrays, written out: the graph of each element of its result, with the derivatives in it.

whole = WrittenOut(tape, values, slopes, leaves)
part = whole.part((0, 1))                # of one element of the result: a graph in x[0], x[1] ...
whole.places[part.leaves[0]]             # whose element that is: ("x", (0,))
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.language.notes import Slope
from exprgrad.operations.array_balls import ArrayBall
from exprgrad.operations.table import ADD, MUL
from exprgrad.sweeps.arrays.bounds import primals
from exprgrad.sweeps.arrays.elements import Elements, place_name
from exprgrad.sweeps.arrays.tangents import along
from exprgrad.sweeps.tape import Tape

Place = tuple[int, ...]

Nodes = dict[Value, Any]
"""Nodes of a graph on arrays, and arrays of what they are in the elements."""


class Part(NamedTuple):
    """One element of a result: its graph, the elements of variables that it takes, and the derivatives in it."""

    root: Value
    leaves: tuple[Value, ...]
    slopes: tuple[Slope, ...]


class WrittenOut:
    """The elements of an expression's result; `places` says of each leaf whose element it is.

    `values` are those of all nodes, for the shapes; `slopes` are the derivatives taken in the text, and `leaves`
    the balls of the variables.
    """

    def __init__(
        self,
        tape: Tape,
        values: Sequence[Any],
        slopes: Sequence[Slope],
        leaves: Mapping[str, ArrayBall],
    ) -> None:
        self._whole, self._leaves = Elements(tape, values), leaves
        self.places = self._whole.places
        self._slopes: dict[Value, list[tuple[Any, Slope]]] = {}
        own = dict(zip(tape.nodes, self._whole.nodes, strict=True))
        # the orders of a derivative follow one another; those that it is taken of stand before it
        chains = [list(chain) for _, chain in groupby(slopes, lambda s: id(s.derived))]
        for k in reversed(range(len(chains))):
            for i, elements in enumerate(self._written_out(chains[k], own)):
                for j, slope in enumerate(elements):
                    self._slopes.setdefault(slope.derived, []).append(((k, i, j), slope))  # fmt: skip

    def part(self, place: Place) -> Part:
        """The element of the result at a place."""
        root = self._whole.roots[place]
        seen: dict[Value, None] = {}
        slopes: dict[Any, Slope] = {}
        graphs = [root]
        while graphs:
            new = [item for item in topological(graphs.pop()) if item not in seen]
            seen |= dict.fromkeys(new)
            for slope in (s for item in new for s in self._slopes.get(item, ())):
                slopes[slope[0]] = slope[1]
                graphs += [slope[1].root, *(value for _, value in slope[1].arguments)]
        # parameters of functions are leaves of these alone
        leaves = tuple(item for item in seen if item in self.places)
        return Part(root, leaves, tuple(slopes[key] for key in sorted(slopes)))

    def _written_out(self, chain: list[Slope], own: Nodes) -> Iterator[list[Slope]]:
        """The orders of a derivative in the text, in one element after the other.

        `own` has what nodes are in the elements, and gets more.
        """
        first = chain[0]
        arguments = {n: self._argument(v, own) for n, v in first.arguments}
        roots = []
        for slope in chain:
            roots.append(root := self._formula(slope.root, arguments))
            for item, nodes in zip(root.tape.nodes, root.nodes, strict=True):
                own.setdefault(item, nodes)
        derived = own.get(first.derived)
        if derived is None or first.variable not in roots[0].variables:
            return  # it is not computed, or 0
        arguments = {n: v for n, v in arguments.items() if n in roots[0].variables}
        variable = roots[0].variables[first.variable].shape
        shapes = [nodes.shape for nodes in roots[0].variables.values()]
        for place in np.ndindex(np.broadcast_shapes(*shapes)):
            name = place_name(first.variable, own_place(place, variable))
            given = tuple(_at(n, nodes, place) for n, nodes in arguments.items())
            at = element(derived, place)
            formulas = (element(root.roots, place) for root in roots)
            yield [Slope(at, root, name, first.span, given) for root in formulas]

    def _formula(self, root: Value, arguments: Mapping[str, Any]) -> Elements:
        """What is differentiated, in the elements of variables, or of the parameters of a function."""
        tape = _tape(root)
        shapes = [arguments.get(item.name or "") for item in tape.nodes]
        variables = self._whole.variables
        shared = {n: variables[n] for n in tape.variables if n not in arguments}
        return Elements(tape, shapes, shared)

    def _argument(self, item: Value, own: Nodes) -> Any:
        """The elements of an argument."""
        if item in own:
            return own[item]
        tape = _tape(item)
        leaves = {n: self._leaves[n] for n in tape.variables}
        values = primals(tape, leaves, str).values
        shared = {n: self._whole.variables[n] for n in tape.variables}
        return Elements(tape, values, shared).roots


def spread(
    root: Value, slopes: Sequence[Slope], arrays: Collection[str]
) -> tuple[Value, tuple[Slope, ...]] | None:
    """A graph in which derivatives have the shape of what they are taken of: those of 2x, too, where x is an array.

    `arrays` are the variables that are. None where all of them have it.
    """
    wide: dict[Value, Value] = {}
    for slope in slopes:
        if slope.derived in wide or slope.variable not in _names(slope.root):
            continue
        own = _names(slope.derived)
        found = slope.derived
        for leaf in filter(is_variable, topological(slope.root)):
            part = dict(slope.arguments).get(leaf.name or "", leaf)
            if (_names(part) & set(arrays)) - own:
                found = node(ADD, (found, node(MUL, (Constant(0.0), part))))
        if found is not slope.derived:
            wide[slope.derived] = found
    if not wide:
        return None
    own_slopes = (s._replace(derived=wide.get(s.derived, s.derived)) for s in slopes)
    return replaced(root, wide), tuple(own_slopes)


def _names(root: Value) -> set[str]:
    """The variables of a graph."""
    return {item.name or "" for item in topological(root) if is_variable(item)}


def formulas_hold(slopes: Sequence[Slope], leaves: Mapping[str, ArrayBall]) -> bool:
    """Whether no element of a derivative in the text is at a corner, at an edge, or may be: all formulas hold there."""
    return not any(in_doubt(slope, leaves).any() for slope in slopes)


def in_doubt(slope: Slope, leaves: Mapping[str, ArrayBall]) -> Any:
    """A mask of the elements in which a derivative in the text may not be that of its formula."""
    own = dict(leaves)
    for name, value in slope.arguments:
        tape = _tape(value)
        found = primals(tape, {n: leaves[n] for n in tape.variables}, str)
        own[name] = found.balls[tape.root]
    tape = _tape(slope.root)
    if slope.variable not in tape.variables:
        return np.zeros((), bool)
    found = primals(tape, {n: own[n] for n in tape.variables}, str)
    ones = ArrayBall(np.ones(own[slope.variable].shape))
    seeds = dict.fromkeys(tape.variables) | {slope.variable: ones}
    tangent = along(tape, found, seeds)
    with np.errstate(all="ignore"):
        known = np.ones((), bool)
        for ball in (found.balls[tape.root], tangent):
            known = known & (ball.error < math.inf) & np.isfinite(ball.mid)
    return ~known


def _tape(root: Value) -> Tape:
    """A graph with its own variables."""
    return Tape(root, [leaf for leaf in topological(root) if is_variable(leaf)])


def element(nodes: Any, place: Place) -> Any:
    """The element of an operand that goes into an element of the result."""
    return nodes[own_place(place, nodes.shape)]


def own_place(place: Place, shape: Place) -> Place:
    """Where that element is, in an operand of that shape."""
    tail = place[len(place) - len(shape) :]
    return tuple(i if n > 1 else 0 for i, n in zip(tail, shape, strict=True))


def _at(name: str, nodes: Any, place: Place) -> tuple[str, Value]:
    """The element of an argument, by the name of that of its parameter."""
    own = own_place(place, nodes.shape)
    return place_name(name, own), nodes[own]
