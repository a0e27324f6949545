"""First and second derivatives along many directions at once: dual numbers with sparse tangents.

    kind = Duals(BALLS, most=1_000_000)
    rows = second_partials(tape, kind, at, {"x": {0: one}, "y": {1: one}}, ("x", "y"))
    rows["x"].tangents[1]                      # the second partial with respect to x and y

Along x + t_1*h_1 + t_2*h_2 + ... a node is v + sum of v_i*h_i, to first order; only the v_i that are not 0
are kept. A forward sweep of such numbers gives derivatives along every direction. A reverse sweep over
them gives adjoints whose tangents are the rows of the Hessian: forward over reverse (Griewank and
Walther, chapter 5), all columns in one pass. A sum of functions of a few variables each thus costs
what its terms cost, whatever the number of variables.

The numbers themselves are balls, so every derivative has a bound. Where a rule does not hold, the
tangents that pass it are `Nothing`, and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.graph import sweep as generic
from exprgrad.operations.number_types import (
    FAULTS,
    Numbers,
    Step,
    Undecided,
    Undefined,
    fault_of,
)
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ABS, POW
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.series import TooMuch
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.numbers.arb import Balls


class Dual:
    """A number with its tangents by direction; those that are left out are 0."""

    __slots__ = ("_calls", "kind", "tangents", "value")

    def __init__(self, kind: Duals, value: Any, tangents: dict[int, Any]) -> None:
        self.kind, self.value, self.tangents = kind, value, tangents
        self._calls: dict[object, Dual] = {}

    def __add__(self, other: Any) -> Dual:
        a, b = self, self.kind.number(other)
        return Dual(self.kind, a.value + b.value, self.kind.sum(a.tangents, b.tangents))

    def __neg__(self) -> Dual:
        tangents = {i: -t for i, t in self.tangents.items()}
        return Dual(self.kind, -self.value, tangents)

    def __sub__(self, other: Any) -> Dual:
        kind = self.kind
        return kind.number(0) if other is self else self + -kind.number(other)

    def __rsub__(self, other: Any) -> Dual:
        return self.kind.number(other) + -self

    def __mul__(self, other: Any) -> Dual:
        a, b = self, self.kind.number(other)
        left = self.kind.scaled(a.tangents, b.value)
        right = self.kind.scaled(b.tangents, a.value)
        return Dual(self.kind, a.value * b.value, self.kind.sum(left, right))

    def __truediv__(self, other: Any) -> Dual:
        a, b = self, self.kind.number(other)
        quotient = a.value / b.value
        left = self.kind.scaled(a.tangents, 1 / b.value) if a.tangents else {}
        right = self.kind.scaled(b.tangents, -quotient / b.value) if b.tangents else {}
        return Dual(self.kind, quotient, self.kind.sum(left, right))

    def __rtruediv__(self, other: Any) -> Dual:
        return self.kind.number(other) / self

    def __pow__(self, other: Any) -> Dual:
        return self.kind.push(POW, [self, self.kind.number(other)])

    def __rpow__(self, other: Any) -> Dual:
        return self.kind.number(other) ** self

    def __abs__(self) -> Dual:
        return self.kind.push(ABS, [self])

    def __lt__(self, other: Any) -> Dual:
        return self.kind.number(self.value < self.kind.number(other).value)

    def __le__(self, other: Any) -> Dual:
        return self.kind.number(self.value <= self.kind.number(other).value)

    def __gt__(self, other: Any) -> Dual:
        return self.kind.number(self.value > self.kind.number(other).value)

    def __ge__(self, other: Any) -> Dual:
        return self.kind.number(self.value >= self.kind.number(other).value)

    __radd__, __rmul__ = __add__, __mul__


class Duals(Numbers):
    """Dual numbers over balls, for rules to run on. `most` tangents are made; then `TooMuch` is raised."""

    faults = (Undecided, Undefined)

    zero: Dual

    def __init__(self, balls: Balls, most: float) -> None:
        self.balls, self.left = balls, most
        super().__init__(self._on_duals, balls.constants)
        self.zero = self.number(0)

    def _on_duals(self, operation: Operation) -> Callable[..., Dual]:
        return lambda *a: self.push(operation, [self.number(x) for x in a])

    def number(self, number: Any) -> Dual:
        """A number that does not move."""
        if isinstance(number, Dual):
            return number
        return Dual(self, self.balls.number(number), {})

    def constant(self, leaf: Any) -> Dual:
        """A constant of the graph."""
        return Dual(self, self.balls.constant(leaf), {})

    def needed(self, step: Step, own: Sequence[Any]) -> Sequence[int]:
        """The positions that count, which the values say."""
        values = [a.value if isinstance(a, Dual) else a for a in own]
        return self.balls.needed(step, values)

    # Tangents

    def sum(self, left: dict[int, Any], right: dict[int, Any]) -> dict[int, Any]:
        """The sum of tangents."""
        if not left or not right:
            return left or right
        if len(left) < len(right):
            left, right = right, left
        self._count(len(left))
        total = dict(left)
        for i, t in right.items():
            total[i] = total[i] + t if i in total else t
        return total

    def scaled(self, tangents: dict[int, Any], factor: Any) -> dict[int, Any]:
        """The tangents times a number."""
        if not tangents or factor.is_zero:
            # what does not exist stays what does not exist
            return {i: t for i, t in tangents.items() if fault_of(t) is not None}
        self._count(len(tangents))
        if factor.is_one:
            return tangents
        return {i: t * factor for i, t in tangents.items()}

    def _count(self, tangents: int) -> None:
        self.left -= tangents
        if self.left < 0:
            raise TooMuch

    # Operations

    def value(self, step: Step, arguments: Sequence[Any]) -> Dual:
        """What a step gives. Raises its fault where it has no value."""
        found = self.function(step.operation)(*arguments)
        fault = fault_of(found.value)
        if fault is not None:
            raise fault
        return found  # type: ignore[no-any-return] # a dual number

    def push(self, operation: Operation, arguments: Sequence[Dual]) -> Dual:
        """An operation on dual numbers. The same call on the same numbers is one object."""
        if operation.native:
            exactly: Any = operation.kernel
            return exactly(*arguments)  # type: ignore[no-any-return] # a dual number
        key = (operation, *(_key(a) for a in arguments[1:]))
        known = arguments[0]._calls.get(key)
        if known is None:
            known = arguments[0]._calls[key] = self._pushed(operation, arguments)
        return known

    def _pushed(self, operation: Operation, arguments: Sequence[Dual]) -> Dual:
        values = [a.value for a in arguments]
        if operation.choose is not None and operation.arity == 3:
            chosen = operation.choose(self.balls.truth(values[0]))
            if chosen is not None:
                # a condition at a tie says nothing of either side
                tied = self.scaled(arguments[0].tangents, self.zero.value)
                taken = arguments[chosen]
                both = self.sum(taken.tangents, tied)
                return Dual(self, taken.value, both) if tied else taken
        if operation is POW and not arguments[1].tangents and values[1].is_zero:
            return self.number(1)
        result = self.balls.function(operation)(*values)
        tangents: dict[int, Any] = {}
        moving = [i for i, a in enumerate(arguments) if a.tangents]
        for i in moving:
            partial = self.partial(operation, i, result, values)
            tangents = self.sum(tangents, self.scaled(arguments[i].tangents, partial))
        return Dual(self, result, tangents)

    def partial(
        self, operation: Operation, i: int, result: Any, values: Sequence[Any]
    ) -> Any:
        """A local partial as a ball; `Nothing` where the rule does not give it."""
        refused = self.refused(operation, i, values)
        if refused is not None:
            return self.balls.missing(refused)
        own = operation.partials[i]
        if not callable(own):
            return self.balls.number(own)
        try:
            return self.balls.number(self.balls.partials(operation)[i](result, *values))
        except FAULTS as fault:
            return self.balls.missing(fault)

    def refused(
        self, operation: Operation, i: int, values: Sequence[Any]
    ) -> Exception | None:
        """Why the rule does not give the partial here, if it does not."""
        try:
            if self.balls.at_corner(operation, values):
                return Undefined(f"a corner of {operation.title}")
            if self.balls.at_edge(operation, values, i):
                return Undefined(f"an end of the domain of {operation.title}")
        except FAULTS as fault:
            return fault
        if operation.partials[i] is None:
            return Undefined(f"{operation.title} takes whole numbers here")
        return None

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """What an adjoint hands on; `Nothing` where the rule does not hold."""
        operation = step.operation
        own = [a if isinstance(a, Dual) else self.zero for a in own]
        fault = self.refused(operation, position, [a.value for a in own])
        if fault is not None:
            return Dual(self, self.balls.missing(fault), {})
        partial = operation.partials[position]
        if not callable(partial):
            # also with 0: a step further down may be at a corner
            return adjoint if partial == 1 else adjoint * partial
        return adjoint * self.partials(operation)[position](result, *own)


def _key(argument: Dual) -> object:
    """What is equal for equal numbers that do not move, or else one object's own."""
    value = argument.value
    known = None if argument.tangents else value.fraction
    return id(argument) if known is None else known


def swept(
    tape: Tape,
    kind: Duals,
    at: Mapping[str, Coordinate],
    seeds: Mapping[str, dict[int, Any]],
) -> list[Any]:
    """The value of every node with its tangents, or the fault in its place."""
    values: list[Any] = [None] * len(tape.nodes)
    for name, i in tape.variables.items():
        ball = at[name].ball(kind.balls)
        values[i] = fault_of(ball) or Dual(kind, ball, seeds.get(name, {}))
    for i, _ in tape.constants:
        values[i] = kind.constant(tape.nodes[i])
    generic.forward(tape.steps, kind, values)
    return values


def along(
    tape: Tape, kind: Duals, at: Mapping[str, Coordinate], seed: Mapping[str, Any]
) -> tuple[Any, Any]:
    """The value and the derivative along one direction, each a ball or the fault in its place."""
    moving = {name: {0: ball} for name, ball in seed.items() if not ball.is_zero}
    root = swept(tape, kind, at, moving)[tape.root]
    if isinstance(root, Exception):
        return root, root
    slope = root.tangents.get(0, kind.balls.number(0))
    return root.value, fault_of(slope) or slope


def second_partials(
    tape: Tape,
    kind: Duals,
    at: Mapping[str, Coordinate],
    seeds: Mapping[str, dict[int, Any]],
    names: Sequence[str],
) -> dict[str, Any]:
    """The partials by these names with their tangents, or the fault in their place."""
    values = swept(tape, kind, at, seeds)
    root = values[tape.root]
    if isinstance(root, Exception):
        return dict.fromkeys(names, root)
    adjoints: list[Any] = [None] * len(tape.nodes)
    adjoints[tape.root] = kind.number(1)
    generic.reverse(tape.steps, kind, values, adjoints, tape.active(names))
    found: dict[str, Any] = {}
    for name in names:
        adjoint = adjoints[tape.variables[name]]
        if adjoint is None:
            found[name] = kind.number(0)
        else:
            found[name] = fault_of(adjoint.value) or adjoint
    return found


def entry(row: Any, column: Any, j: int) -> Any:
    """A second partial, of what `second_partials` gives for two variables: a ball or the fault in its place.

    It is the tangent in direction j of the row's adjoint, if both first partials exist.
    """
    for adjoint in (row, column):
        if isinstance(adjoint, Exception):
            return adjoint
    tangent = row.tangents.get(j)
    if tangent is None:
        return row.kind.balls.number(0)
    return fault_of(tangent) or tangent


def hessian(
    tape: Tape, kind: Duals, at: Mapping[str, Coordinate], names: Sequence[str]
) -> list[list[Any]]:
    """The second partials by these names, up to the diagonal, each a ball or the fault in its place."""
    seeds = {name: {i: kind.balls.number(1)} for i, name in enumerate(names)}
    found = second_partials(tape, kind, at, seeds, names)
    return [
        [entry(found[a], found[b], j) for j, b in enumerate(names[: i + 1])]
        for i, a in enumerate(names)
    ]
