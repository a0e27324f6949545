"""The engine: a graph as a tape, its values in one forward sweep, its adjoints in one reverse sweep.

With v_i the nodes in an order in which operands come first, and an adjoint w_i = df/dv_i,

    v_i = op_i(v_j, v_k)                          forward, for i = 1 ... n
    w_j += w_i * d op_i/d v_j                     reverse, for i = n ... 1, starting from w_n = 1

so one forward and one reverse sweep give f and its partial derivatives with respect to every variable
(Griewank and Walther, *Evaluating Derivatives*, chapter 3). These two sweeps, in floats, are written out
for speed. A forward sweep that meets a fault is done again with care, by `graph.sweep`, which knows that
a branch not taken needs no value; for adjoints at a corner see `careful`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, is_array
from exprgrad.operations import table
from exprgrad.operations.number_types import CAREFUL, Fault, Step, float_partials
from exprgrad.operations.operation import ARITHMETIC

MOST_PROGRAMS = 4
"""Reverse sweeps of one tape, to different variables, whose programs are kept."""

Primals = Sequence[float | None]
"""The value of every node; None where a node has none (and the result does not need it)."""


class Backward(NamedTuple):
    """The reverse sweep as a program.

    A step of `steps` has the name of its operation if that is one of `_INLINE`, then its node, two
    operands, and the places that their contributions go to (the last of all places takes those that no
    one asks for); else, where one partial is wanted, `_OF_ONE` or `_OF_TWO`, its node, its operands, the
    place and the partial; else None, its node, its operands, and the places with their partials. The
    contributions to a node that is used in several places are kept apart until all are there, in places
    that follow those of the nodes. Then a step `_GATHER` adds them up: it has the node, and the first and
    the end of its places. `size` counts all places.
    """

    steps: list[tuple[str | None, int, Any, Any, Any, Any]]
    size: int


class Tape:
    """A graph written down in topological order (the Wengert list), which may be given if it is known.

    `nodes` are numbered from 0: the variables, the constants, then the operations, each after its
    operands. `variables` gives the number of each by name, `root` the number of the result. `on_arrays`
    says that an operation, or a constant, takes `sweeps.arrays.bounds`, `chooses` that a step may do without an operand.
    """

    first: Sequence[int]

    __slots__ = (
        "_active", "_backward", "_names", "_once", "chooses", "constants", "corners", "first", "forward", "nodes", "on_arrays",
        "root", "steps", "variables",
    )  # fmt: skip

    def __init__(
        self,
        root: Value,
        variables: Iterable[Value],
        order: Sequence[Value] | None = None,
    ) -> None:
        order = order or topological(root)
        names = list(variables)
        constants = [node for node in order if isinstance(node, Constant)]
        inner = [node for node in order if node.operation is not None]
        self.nodes: list[Value] = [*names, *constants, *inner]
        number = dict(zip(self.nodes, range(len(self.nodes)), strict=True))
        self.root, self.first = number[root], range(len(number))
        self._names = [node.name or "" for node in names]
        self.variables = {name: i for i, name in enumerate(self._names)}
        self.constants = [
            (number[c], 0.0 if c.data is None or is_array(c.data) else c.data)
            for c in constants
        ]
        self.steps = [
            Step(number[node], node.operation, tuple(number[o] for o in node.operands))
            for node in inner
            if node.operation is not None
        ]
        # a step's kernel and its operands, as a pair
        self.forward = [(row.kernel, *pair(own)) for _, row, own in self.steps]
        self._active: tuple[tuple[str, ...], list[bool]] = ((), [False] * len(number))
        self._backward: dict[tuple[bool, ...], Backward] = {}
        self._once: Tape | None = None
        self.on_arrays = any(s.operation.whole for s in self.steps)
        self.on_arrays |= any(is_array(c.data) for c in constants)
        self.chooses = any(s.operation.choose is not None for s in self.steps)
        self.corners = [
            step for step in self.steps if step.operation.corner is not None
        ]

    @property
    def key(self) -> object:
        """Return what is equal for tapes of graphs that are equal node by node."""
        own = tuple((self.nodes[i].data, rational(self.nodes[i])) for i, _ in self.constants)  # fmt: skip
        return self.root, (*self.variables,), own, (*self.steps,)

    def once(self, apart: Collection[int] = ()) -> Tape:
        """Return the tape without the steps that repeat an earlier one; its `first` has for every node the one that is the same.

        Two nodes are the same if they have the same operation and operands that are the same, or are the same
        number. Those to be kept `apart` are the same as no other.
        """
        if self._once is not None and not apart:
            return self._once
        if not isinstance(self.first, range):
            return self
        first = list(range(len(self.nodes)))
        known: dict[Any, int] = {}
        for i, _ in self.constants:
            constant = self.nodes[i]
            # a measured number is within an error, and two of them need not be the same number
            if type(constant) is Constant and not is_array(constant.data):
                number = constant.name, constant.ratio or constant.data
                first[i] = known.setdefault(number, i)
        steps = []
        for node, operation, operands in self.steps:
            own = tuple(first[j] for j in operands)
            if node not in apart:
                first[node] = known.setdefault((operation, own), node)
            if first[node] == node:
                steps.append(Step(node, operation, own))
        new = object.__new__(Tape)
        for name in self.__slots__:  # to import `copy` takes a millisecond
            setattr(new, name, getattr(self, name))
        new.steps, new.first, new.root = steps, first, first[self.root]
        new._backward = {}
        if not apart:
            self._once = new
        return new

    def inputs(self, at: Mapping[str, float]) -> list[float | None]:
        """A list of primals with the leaves filled in."""
        return [*self.leaves(at), *[0.0] * len(self.steps)]

    def leaves(self, at: Mapping[str, float]) -> list[Any]:
        """The values of the variables, then those of the constants."""
        known: list[Any] = [at[name] for name in self._names]
        known += [data for _, data in self.constants]
        return known

    def backward(self, active: Sequence[bool]) -> Backward:
        """The program of the reverse sweep to the active nodes; the last few are kept for the next time."""
        key = tuple(active)
        program = self._backward.get(key)
        if program is None:
            if len(self._backward) >= MOST_PROGRAMS:
                self._backward.clear()
            program = self._backward[key] = self._program(active)
        return program

    def places(self, active: Sequence[bool]) -> tuple[dict[int, range], int]:
        """The places for the contributions to the nodes that are used more than once, and where they end."""
        counts = [0] * len(self.nodes)
        for step in self.steps:
            if active[step.node]:
                for j in step.operands:
                    counts[j] += 1
        places, end = {}, len(self.nodes)
        for j, count in enumerate(counts):
            if active[j] and count > 1:
                places[j] = range(end, end := end + count)
        return places, end

    def ways(
        self, active: Sequence[bool]
    ) -> Iterator[tuple[Step | None, int, Sequence[int]]]:
        """Yield the ways of the reverse sweep: a step, its node, and the places that its contributions go to.

        The end of all places stands for an operand that is not active. None in place of a step says that the
        contributions in these places, a range, meet at the node.
        """
        places, size = self.places(active)
        free = {j: iter(own) for j, own in places.items()}
        for step in reversed(self.steps):
            if active[step.node]:
                if step.node in places:
                    yield None, step.node, places[step.node]
                to = [next(free.get(j, iter((j,)))) if active[j] else size for j in step.operands]  # fmt: skip
                yield step, step.node, to
        for j in self.variables.values():
            if j in places:
                yield None, j, places[j]

    def _program(self, active: Sequence[bool]) -> Backward:
        _, size = self.places(active)
        steps: list[tuple[str | None, int, Any, Any, Any, Any]] = []
        for step, i, to in self.ways(active):
            if step is None:
                steps.append((_GATHER, i, to[0], to[-1] + 1, None, None))
                continue
            _, operation, operands = step
            if operation.name in _INLINE:
                (a, b), (to_a, to_b) = operands, to
                steps.append((operation.name, i, a, b, to_a, to_b))
                continue
            pairs = zip(to, float_partials(operation), strict=True)
            wanted = [(j, partial) for j, partial in pairs if j < size]
            if len(operands) == 1:
                ((place, partial),) = wanted
                steps.append((_OF_ONE, i, *operands, None, place, partial))
            elif len(operands) == 2 and len(wanted) == 1:
                ((place, partial),) = wanted
                steps.append((_OF_TWO, i, *operands, place, partial))
            else:
                steps.append((None, i, operands, wanted, None, None))
        return Backward(steps, size + 1)

    def active(self, wrt: Iterable[str]) -> list[bool]:
        """Which nodes depend on one of these variables; kept for the next time."""
        # the last names alone are kept, since one caller asks for the same ones again and again
        names = tuple(wrt)
        if self._active[0] != names:
            self._active = names, self._reached(names, self.steps)
        return self._active[1]

    def smooth(self, wrt: Iterable[str]) -> list[bool]:
        """Which nodes move with one of these variables: what is constant but for jumps does not, beside them."""
        return self._reached(wrt, (s for s in self.steps if not s.operation.steps))

    def _reached(self, names: Iterable[str], steps: Iterable[Step]) -> list[bool]:
        """Which nodes depend on one of these variables by way of these steps."""
        reached = [False] * len(self.nodes)
        for name in names:
            reached[self.variables[name]] = True
        for index, _, operands in steps:
            for j in operands:
                if reached[j]:
                    reached[index] = True
        return reached


_INLINE = ("add", "sub", "mul", "div")
"""Operations whose partials the reverse sweep writes out; a test holds them to the table's rules."""

_GATHER = "gather"
"""What adds up the contributions to a node; no operation has this name."""

_OF_ONE, _OF_TWO = "one", "two"
"""Steps with one partial, of an operation on one or two operands; no operation has these names either."""


def pair(operands: tuple[int, ...]) -> tuple[Any, int]:
    """Two operands: -1 for a second that a step lacks, all as a tuple before -2."""
    if len(operands) > 2:
        return operands, -2
    return operands[0], operands[1] if len(operands) == 2 else -1


NULL_ON_EQUAL = (
    table.SUB,
    table.MOD,
    table.MAE,
    table.MSE,
    table.HUBER,
    table.HUBER_AT,
)
LEVEL_ON_EQUAL = (table.DIV, table.LOG, table.ATAN2)
NULL_WITH = {table.NEG: (0,), table.MUL: (0, 1), table.DIV: (0,), table.MOD: (0,)}
"""Operations that are 0 or a number on one operand twice; those that are 0 where one of these operands is."""


def settled(tape: Tape) -> dict[int, tuple[int, ...]]:
    """The partials of steps that no point changes, by node: of x - x, x < x, (x - x)*y, max(x, x), ln(2).

    Where such a step has a value at all, its partials are these, whatever corners its operation has.
    """
    null = {i for i, data in tape.constants if not data and tape.nodes[i].ratio == (0, 1)}  # fmt: skip
    level, first = {i for i, _ in tape.constants}, tape.once().first
    found: dict[int, tuple[int, ...]] = {}
    for own, operation, operands in tape.steps:
        twice = len(operands) > 1 and first[operands[0]] == first[operands[1]]
        with_null = NULL_WITH.get(operation, ())
        if (twice and operation in NULL_ON_EQUAL) or any(operands[i] in null for i in with_null):  # fmt: skip
            null.add(own)
        equal = twice and (operation in LEVEL_ON_EQUAL or operation.rule == "comparison")  # fmt: skip
        if own in null or equal or all(j in level for j in operands):
            level.add(own)
            found[own] = (0,) * len(operands)
        elif twice and operation in (table.MAX, table.MIN):
            found[own] = (1, 0)
    return found


def labels(tape: Tape, own_names: bool) -> dict[int, str]:
    """Return what the nodes of a tape are called. No operation is called as a variable is."""
    inner = [step.node for step in tape.steps]
    leaves = list(range(len(tape.variables)))
    letter = "v"
    # a variable may be called v3, and no node may be taken for it
    while own_names and any(
        n.startswith(letter) and n[len(letter) :].isdigit() for n in tape.variables
    ):
        letter += "v"
    found = {i: f"{letter}{k + 1}" for k, i in enumerate([*leaves, *inner])}
    return found | {i: n for n, i in tape.variables.items()} if own_names else found


def primals(tape: Tape, at: Mapping[str, float], *, faults: bool = False) -> Primals:
    """The forward sweep. Raises the `Fault` of the first node that the result needs, or has `faults` among the values."""
    values = tape.leaves(at)
    first, add = len(values), values.append
    try:
        for kernel, a, b in tape.forward:
            if b >= 0:
                add(kernel(values[a], values[b]))
            elif b == -1:
                add(kernel(values[a]))
            else:
                add(kernel(*[values[j] for j in a]))
        # one sum tells whether all are finite, unless finite ones overflow in it
        if math.isfinite(sum(values)):
            return values
    except ARITHMETIC:
        pass
    done = next((i for i, x in enumerate(values) if not math.isfinite(x)), len(values))
    if first <= done < len(tape.nodes) and not (faults or tape.chooses):
        # operands stand in the order in which they are read, so the first step without a value is the one to blame
        step = tape.steps[done - first]
        raise Fault(step, [values[j] for j in step.operands])
    from exprgrad.graph.sweep import forward

    done = max(done, first)
    values[done:] = [0.0] * (len(tape.nodes) - done)
    forward(tape.steps[done - first :], CAREFUL, values)
    if faults:
        return values
    root = values[tape.root]
    if isinstance(root, Fault):
        raise root
    if not math.isfinite(root):
        raise OverflowError
    return [None if isinstance(value, Fault) else value for value in values]


def pull_back(
    tape: Tape, values: Sequence[Any], active: Sequence[bool]
) -> tuple[list[float], dict[int, float]]:
    """The reverse sweep: the adjoint of every node. May raise one of `ARITHMETIC`.

    Partials are evaluated for active operands only: d(x^3) must not take ln(x). A node whose adjoint
    is 0 has nothing to hand on. The contributions that `Tape.places` keeps apart follow the adjoints of
    the nodes. Second come the nodes that have some, each with the sum of |contribution|.
    """
    program = tape.backward(active)
    adjoints = [0.0] * program.size
    adjoints[tape.root] = 1.0
    gathered = {}
    try:
        for name, i, a, b, to_a, to_b in program.steps:
            adjoint = adjoints[i]
            if not adjoint:
                if name == _GATHER:
                    own = adjoints[a:b]
                    # `sum` compensates from Python 3.12 on, and traces show plain sums
                    adjoints[i] = reduce(operator.add, own)
                    gathered[i] = sum(map(abs, own))
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
            elif name == _OF_ONE:
                adjoints[to_a] += adjoint * to_b(values[i], values[a])
            elif name == "div":
                adjoints[to_a] += adjoint * (1 / values[b])
                adjoints[to_b] += adjoint * (-values[i] / values[b])
            elif name == _OF_TWO:
                adjoints[to_a] += adjoint * to_b(values[i], values[a], values[b])
            else:
                arguments = [values[j] for j in a]
                for j, partial in b:
                    adjoints[j] += adjoint * partial(values[i], *arguments)
    except TypeError:
        if None not in values:
            raise
        # times an adjoint beyond doubles, the 0 of a branch that is not taken is nan, and goes on into it
        raise OverflowError from None
    return adjoints, gathered


class Within(NamedTuple):
    """A derivative within an expression that has another `value` at a point than its formula, or only one side.

    It is the derivative of the first of `graphs` with respect to `variable`, of a higher order if there are
    more, each of them the formula of the derivative before. `arguments` are what its parameters stand for.
    """

    value: Constant
    graphs: tuple[Tape, ...]
    variable: str
    arguments: Mapping[str, Tape]

    @property
    def variables(self) -> set[str]:
        """The variables of the expression that it depends on."""
        own = {name for name in self.graphs[0].variables if name not in self.arguments}
        return own.union(*(tape.variables for tape in self.arguments.values()))
