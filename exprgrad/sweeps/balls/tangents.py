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

from collections.abc import Mapping, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.numbers.expansions import Expansion
from exprgrad.operations.number_types import FAULTS, Step, fault_of
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import POW
from exprgrad.sweeps.balls.series import OverBalls
from exprgrad.sweeps.coordinates import Meant
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.numbers.arb import Balls


class Dual(Expansion):
    """A number with its tangents by direction; those that are left out are 0."""

    __slots__ = ("_calls", "kind", "start", "tangents")

    start: Any

    def __init__(self, kind: Duals, start: Any, tangents: dict[int, Any]) -> None:
        self.kind, self.start, self.tangents = kind, start, tangents
        self._calls = {}

    def __add__(self, other: Any) -> Dual:
        a, b = self, self._of(other)
        return Dual(self.kind, a.start + b.start, self.kind.sum(a.tangents, b.tangents))

    def __neg__(self) -> Dual:
        tangents = {i: -t for i, t in self.tangents.items()}
        return Dual(self.kind, -self.start, tangents)

    def __sub__(self, other: Any) -> Any:
        return self._of(0) if other is self else super().__sub__(other)

    def __mul__(self, other: Any) -> Dual:
        a, b = self, self._of(other)
        left = self.kind.scaled(a.tangents, b.start)
        right = self.kind.scaled(b.tangents, a.start)
        return Dual(self.kind, a.start * b.start, self.kind.sum(left, right))

    def __truediv__(self, other: Any) -> Dual:
        a, b = self, self._of(other)
        quotient = a.start / b.start
        left = self.kind.scaled(a.tangents, 1 / b.start) if a.tangents else {}
        right = self.kind.scaled(b.tangents, -quotient / b.start) if b.tangents else {}
        return Dual(self.kind, quotient, self.kind.sum(left, right))


class Duals(OverBalls):
    """Dual numbers over balls, for rules to run on; the work is tangents that are made."""

    zero: Dual

    def __init__(self, balls: Balls, left: float) -> None:
        super().__init__(balls, left)
        self.zero = self.number(0)

    def still(self, ball: Any) -> Dual:
        """Return a number without tangents."""
        return Dual(self, ball, {})

    def identity(self, argument: Dual) -> object:
        """Return the fraction that a number is that does not move, or what it is itself."""
        known = None if argument.tangents else argument.start.fraction
        return id(argument) if known is None else known

    def sum(self, left: dict[int, Any], right: dict[int, Any]) -> dict[int, Any]:
        """The sum of tangents."""
        if not left or not right:
            return left or right
        if len(left) < len(right):
            left, right = right, left
        self.count(len(left))
        total = dict(left)
        for i, t in right.items():
            total[i] = total[i] + t if i in total else t
        return total

    def scaled(self, tangents: dict[int, Any], factor: Any) -> dict[int, Any]:
        """The tangents times a number."""
        if not tangents or factor.is_zero:
            # what does not exist stays what does not exist
            return {i: t for i, t in tangents.items() if fault_of(t) is not None}
        self.count(len(tangents))
        if factor.is_one:
            return tangents
        return {i: t * factor for i, t in tangents.items()}

    def pushed(
        self, operation: Operation, arguments: Sequence[Dual], inside: bool
    ) -> Dual:
        """Return an operation on dual numbers, computed."""
        values = [a.start for a in arguments]
        if operation.choose is not None and operation.arity == 3:
            chosen = operation.choose(self.balls.truth(values[0]))
            if chosen is not None:
                # a condition at a tie says nothing of either side
                tied = self.scaled(arguments[0].tangents, self.zero.start)
                taken = arguments[chosen]
                both = self.sum(taken.tangents, tied)
                return Dual(self, taken.start, both) if tied else taken
        # x^0 is 1 also at 0, where its rule 0*x^-1 has no value
        if operation is POW and not arguments[1].tangents and values[1].is_zero:
            return self.number(1)  # type: ignore[no-any-return] # a dual number
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
        """Return a local partial as a ball; `Nothing` where the rule does not give it."""
        try:
            return self.balls.number(self.balls.partial(operation, i, result, values))
        except FAULTS as fault:
            return self.balls.missing(fault)

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """Return what an adjoint hands on; `Nothing` where the rule does not hold."""
        operation = step.operation
        own = [a if isinstance(a, Dual) else self.zero for a in own]
        try:
            self.balls.refuse_corner(operation, position, [a.start for a in own])
        except FAULTS as fault:
            return self.still(self.balls.missing(fault))
        partial = operation.partials[position]
        if not callable(partial):
            # also with 0: a step further down may be at a corner
            return adjoint if partial == 1 else adjoint * partial
        return adjoint * self.partials(operation)[position](result, *own)


def second_partials(
    tape: Tape,
    kind: Duals,
    at: Meant,
    seeds: Mapping[str, dict[int, Any]],
    names: Sequence[str],
) -> dict[str, Any]:
    """The partials by these names with their tangents, or the fault in their place."""
    start = {name: at[name].ball(kind.balls) for name in tape.variables}
    moving = {n: Dual(kind, ball, seeds.get(n, {})) for n, ball in start.items()}
    values = forward(tape, kind, moving)
    root = values[tape.root]
    if isinstance(root, Exception):
        return dict.fromkeys(names, root)
    adjoints = reverse(tape, kind, values, tape.active(names))
    found = {name: adjoints[tape.variables[name]] for name in names}
    return {
        name: kind.zero if adjoint is None else adjoint.fault or adjoint
        for name, adjoint in found.items()
    }


def entry(row: Any, column: Any, j: int) -> Any:
    """A second partial, of what `second_partials` gives for two variables: a ball or the fault in its place.

    It is the tangent in direction j of the row's adjoint, if both first partials exist.
    """
    for adjoint in (row, column):
        if isinstance(adjoint, Exception):
            return adjoint
    tangent = row.tangents.get(j, row.kind.zero.start)
    return fault_of(tangent) or tangent
