"""The engine: a graph as a tape, its values in one forward sweep, its adjoints in one reverse sweep.

With v_i the nodes in an order in which operands come first, and an adjoint w_i = df/dv_i,

    v_i = op_i(v_j, v_k)                          forward, for i = 1 ... n
    w_j += w_i * d op_i/d v_j                     reverse, for i = n ... 1, starting from w_n = 1

so one forward and one reverse sweep give f and its partial derivatives with respect to every variable
(Griewank and Walther, *Evaluating Derivatives*, chapter 3). A sweep that meets a fault or a corner is
done again with care: which nodes have a value, and which of them the result depends on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_array
from exprgrad.operations.number_types import at_corner as stands_at_corner
from exprgrad.operations.number_types import float_partials, local_partial
from exprgrad.operations.operation import ARITHMETIC, Operation

Primals = Sequence[float | None]
"""The value of every node; None where a node has none (and the result does not need it)."""


class Step(NamedTuple):
    """One operation of the tape: its node, and the nodes of its operands, by number."""

    node: int
    operation: Operation
    operands: tuple[int, ...]


class Edge(NamedTuple):
    """One contribution of a reverse sweep: `adjoint` * `partial` added to a node's adjoint."""

    source: int
    target: int
    position: int
    partial: float


CANCELLED = 1e-3
"""A sum of contributions that is smaller than its largest by so much has lost digits that count."""


class Backward(NamedTuple):
    """The reverse sweep as a program.

    A step of `steps` has the name of its operation if that is one of `_INLINE`, then its node, two
    operands, and the places that their contributions go to (the last of all places takes those that no
    one asks for); else None, its node, its operands, and the places with their partials. The
    contributions to a variable in several places are kept apart until all are there: `shared` has its
    number, and the first and the end of the places for them, which follow those of the nodes; `size`
    counts both.
    """

    steps: list[tuple[str | None, int, Any, Any, Any, Any]]
    shared: list[tuple[int, int, int]]
    size: int


class Fault(Exception):
    """The result needs this step, and it has no value at these arguments."""

    def __init__(self, step: Step, arguments: tuple[float, ...]) -> None:
        super().__init__(step)
        self.step = step
        self.arguments = arguments


class Tape:
    """A graph written down in topological order (the Wengert list).

    `nodes` are numbered from 0: the variables, the constants, then the operations, each after its
    operands. `variables` gives the number of each by name, `root` the number of the result. `on_arrays`
    says that an operation, or a constant, is one for `arrayengine`.
    """

    __slots__ = (
        "_active", "_backward", "constants", "corners", "forward", "nodes", "on_arrays", "root", "steps",
        "variables",
    )  # fmt: skip

    def __init__(self, root: Value, variables: Iterable[Value]) -> None:
        order = topological(root)
        names = list(variables)
        constants = [node for node in order if isinstance(node, Constant)]
        inner = [node for node in order if node.operation is not None]
        self.nodes: list[Value] = [*names, *constants, *inner]
        number = {node: i for i, node in enumerate(self.nodes)}
        self.root = number[root]
        self.variables = {node.name or "": i for i, node in enumerate(names)}
        self.constants = [
            (number[c], 0.0 if c.data is None or is_array(c.data) else c.data)
            for c in constants
        ]
        self.steps = [
            Step(number[node], node.operation, tuple(number[o] for o in node.operands))
            for node in inner
            if node.operation is not None
        ]
        # a step's kernel and its operands: -1 for a second that it lacks, all as a tuple where -2 stands
        self.forward = [(s.operation.kernel, *_pair(s.operands)) for s in self.steps]
        self._active: tuple[tuple[str, ...], list[bool]] = ((), [False] * len(number))
        self._backward: tuple[list[bool], Backward] = ([], Backward([], [], 0))
        self.on_arrays = any(s.operation.whole for s in self.steps)
        self.on_arrays |= any(is_array(c.data) for c in constants)
        self.corners = [
            step for step in self.steps if step.operation.corner is not None
        ]

    def inputs(self, at: dict[str, float]) -> list[float | None]:
        """A list of primals with the leaves filled in."""
        primals: list[float | None] = [0.0] * len(self.nodes)
        for name, i in self.variables.items():
            primals[i] = at[name]
        for i, data in self.constants:
            primals[i] = data
        return primals

    def backward(self, active: Sequence[bool]) -> Backward:
        """The program of the reverse sweep to the active nodes; kept for the next time."""
        if self._backward[0] is not active and self._backward[0] != active:
            self._backward = (list(active), self._program(active))
        return self._backward[1]

    def _program(self, active: Sequence[bool]) -> Backward:
        counts = [0] * len(self.nodes)
        for step in self.steps:
            for j in step.operands:
                counts[j] += 1
        size = len(self.nodes)
        shared, place = [], {}
        for j in self.variables.values():
            count = counts[j]
            if active[j] and count > 1:
                place[j] = size
                shared.append((j, size, size := size + count))
        steps: list[tuple[str | None, int, Any, Any, Any, Any]] = []
        for i, operation, operands in reversed(self.steps):
            if not active[i]:
                continue
            places = []
            for j in operands:
                places.append(place.get(j, j) if active[j] else size)
                if j in place:
                    place[j] += 1
            if operation.name in _INLINE:
                (a, b), (to_a, to_b) = operands, places
                steps.append((operation.name, i, a, b, to_a, to_b))
            else:
                pairs = zip(places, float_partials(operation), strict=True)
                wanted = [(j, partial) for j, partial in pairs if j < size]
                steps.append((None, i, operands, wanted, None, None))
        return Backward(steps, shared, size + 1)

    def active(self, wrt: Iterable[str]) -> list[bool]:
        """Which nodes depend on one of these variables; kept for the next time."""
        names = tuple(wrt)
        if self._active[0] != names:
            active = [False] * len(self.nodes)
            for name in names:
                active[self.variables[name]] = True
            for index, _, operands in self.steps:
                for j in operands:
                    if active[j]:
                        active[index] = True
            self._active = (names, active)
        return self._active[1]


_INLINE = ("add", "sub", "mul", "div")
"""Operations whose partials the reverse sweep writes out; a test holds them to the table's rules."""


def _pair(operands: tuple[int, ...]) -> tuple[Any, int]:
    if len(operands) > 2:
        return operands, -2
    return operands[0], operands[1] if len(operands) == 2 else -1


def primals(tape: Tape, at: dict[str, float]) -> Primals:
    """The forward sweep. Raises the `Fault` of the first node that the result needs."""
    values: list[Any] = tape.inputs(at)
    del values[len(values) - len(tape.steps) :]
    add = values.append
    try:
        for kernel, a, b in tape.forward:
            if b >= 0:
                add(kernel(values[a], values[b]))
            elif b == -1:
                add(kernel(values[a]))
            else:
                add(kernel(*[values[j] for j in a]))
        if math.isfinite(sum(values)):
            return values
    except ARITHMETIC:
        pass
    return _careful_primals(tape, at)


def _careful_primals(tape: Tape, at: dict[str, float]) -> Primals:
    """The forward sweep where a node may have no value, if the result can do without it."""
    values = tape.inputs(at)
    for step in tape.steps:
        values[step.node] = _value(step, values)
    if values[tape.root] is None:
        raise _fault(tape, values)
    return values


def _value(step: Step, values: Primals) -> float | None:
    arguments = [values[j] for j in step.operands]
    choose = step.operation.choose
    if choose is not None and arguments[0] is not None:
        chosen = choose(arguments[0])
        arguments = [a if i in (0, chosen) else 0.0 for i, a in enumerate(arguments)]
    if None in arguments:
        return None
    try:
        result = step.operation.kernel(*arguments)
    except ARITHMETIC:
        return None
    return result if math.isfinite(result) else None


def needed(step: Step, values: Primals) -> tuple[int, ...]:
    """The operands that the result of this step depends on: of `if`, the condition and one branch."""
    choose = step.operation.choose
    if choose is None:
        return step.operands
    condition = values[step.operands[0]]
    chosen = None if condition is None else choose(condition)
    return (
        step.operands[:1]
        if chosen is None
        else (step.operands[0], step.operands[chosen])
    )


def _fault(tape: Tape, values: Primals) -> Fault:
    """Follow the missing values down from the root to the node that could not be computed."""
    steps = {step.node: step for step in tape.steps}
    step = steps[tape.root]
    while True:
        below = next((j for j in needed(step, values) if values[j] is None), None)
        if below is None:
            break
        step = steps[below]
    return Fault(step, tuple(values[j] or 0.0 for j in step.operands))


def live(tape: Tape, values: Primals) -> list[bool]:
    """Which nodes the result depends on at these values: no untaken branch."""
    alive = [False] * len(tape.nodes)
    alive[tape.root] = True
    for step in reversed(tape.steps):
        if alive[step.node]:
            for j in needed(step, values):
                alive[j] = True
    return alive


def at_corner(tape: Tape, values: Primals, active: Sequence[bool]) -> bool:
    """Whether some active operation stands where its rule does not give the derivative."""
    return any(
        active[index]
        and stands_at_corner(operation, [values[j] or 0.0 for j in operands])
        for index, operation, operands in tape.corners
        if None not in [values[j] for j in operands]
    )


def pull_back(
    tape: Tape, values: Sequence[Any], active: Sequence[bool]
) -> tuple[list[float], dict[int, float]]:
    """The reverse sweep: the adjoint of every node. May raise one of `ARITHMETIC`.

    Partials are evaluated for active operands only: d(x^3) must not take ln(x). A node whose adjoint
    is 0 has nothing to hand on. Second come the variables whose contributions cancel, each with the
    largest of them.
    """
    program = tape.backward(active)
    adjoints = [0.0] * program.size
    adjoints[tape.root] = 1.0
    for name, i, a, b, to_a, to_b in program.steps:
        adjoint = adjoints[i]
        if not adjoint:
            continue
        if name == "mul":
            adjoints[to_a] += adjoint * values[b]
            adjoints[to_b] += adjoint * values[a]
        elif name == "add":
            adjoints[to_a] += adjoint
            adjoints[to_b] += adjoint
        elif name == "sub":
            adjoints[to_a] += adjoint
            adjoints[to_b] -= adjoint
        elif name == "div":
            adjoints[to_a] += adjoint * (1 / values[b])
            adjoints[to_b] += adjoint * (-values[i] / values[b])
        else:
            arguments = [values[j] for j in a]
            for j, partial in b:
                adjoints[j] += adjoint * partial(values[i], *arguments)
    cancelled = {}
    for j, first, end in program.shared:
        own = adjoints[first:end]
        total = 0.0
        for contribution in own:
            total += contribution
        adjoints[j] = total
        largest = max(max(own), -min(own))
        if total and abs(total) < CANCELLED * largest:
            cancelled[j] = largest
    del adjoints[len(values) :]
    return adjoints, cancelled


def push_forward(tape: Tape, values: Primals, seed: Mapping[str, float]) -> list[float]:
    """A forward sweep of tangents: the derivative of every node along the seed.

    With t the tangents of the variables, t_i = sum over j of (d op_i/d v_j) * t_j. Nodes that the
    result does not need keep the tangent 0; a tangent is nan where a rule gives no finite partial.
    """
    tangents = [0.0] * len(values)
    for name, tangent in seed.items():
        tangents[tape.variables[name]] = tangent
    alive = live(tape, values)
    for step in tape.steps:
        if alive[step.node]:
            arguments = [values[j] or 0.0 for j in step.operands]
            for position, j in enumerate(step.operands):
                if tangents[j] and alive[j]:
                    result = values[step.node] or 0.0
                    partial = local_partial(step.operation, position, result, arguments)
                    tangents[step.node] += partial * tangents[j]
    return tangents


def pull_back_carefully(
    tape: Tape, values: Primals, active: Sequence[bool], subgradient: bool = False
) -> tuple[list[float], list[Edge], list[Step]]:
    """The reverse sweep along live nodes: adjoints, every contribution, and the steps it cannot cross.

    Those are the steps at a corner of their operation (unless the rule's convention, a subgradient,
    will do), or with a partial that is infinite. What reaches them is not handed on; `corners`
    decides about the variables below.
    """
    wanted = [a and b for a, b in zip(active, live(tape, values), strict=True)]
    adjoints = [0.0] * len(values)
    adjoints[tape.root] = 1.0
    edges: list[Edge] = []
    blocked: list[Step] = []
    reached = {tape.root}
    for step in reversed(tape.steps):
        if not wanted[step.node]:
            continue
        own = _edges(step, values, wanted, subgradient)
        if own is None:
            blocked.append(step)
            continue
        if step.node not in reached:
            continue
        edges += own
        for edge in own:
            reached.add(edge.target)
            adjoints[edge.target] += adjoints[step.node] * edge.partial
    return adjoints, edges, blocked


def _edges(
    step: Step, values: Primals, wanted: Sequence[bool], subgradient: bool
) -> list[Edge] | None:
    """The local partials of a step for its wanted operands; None where the rule does not hold."""
    arguments = [values[j] or 0.0 for j in step.operands]
    if not subgradient and stands_at_corner(step.operation, arguments):
        return None
    edges = []
    for position, j in enumerate(step.operands):
        if wanted[j]:
            result = values[step.node] or 0.0
            partial = local_partial(step.operation, position, result, arguments)
            if not math.isfinite(partial):
                return None
            edges.append(Edge(step.node, j, position, partial))
    return edges
