"""Both sweeps over a tape in balls, and which steps stand in the way of a partial.

    swept = sweep(tape, BALLS, {"x": Coordinate.of(0.5)}, ("x",))
    swept.value, swept.partials["x"]          # balls, or the fault that says why there is none

These are the sweeps of `graph.sweep`. Local partials are taken beforehand, of every step that the result
and an active variable depend on: a step whose rule does not hold hands nothing on, and the variables below
it have no partial by the rules.

Both sweeps in balls, written out for speed: the usual case of `sweep`.

    program = Program(tape, ("x",))
    with precise(64) as numbers:
        program.run(numbers, {"x": Coordinate.of(0.5)})     # a `Swept`, or None: look more closely

What is typed twice is computed once. A partial is given where the rules surely hold; where they surely do not, at a
corner, the sweep in `Ball`s looks at both sides. Where a branch, a domain, a corner or an edge is open there is no
answer, and that sweep says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction

from flint import arb, fmpq

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.value import Value, node
from exprgrad.numbers.arb import Ball, Balls
from exprgrad.numbers.enclosures import ENCLOSURES, short, surely
from exprgrad.numbers.real import kept
from exprgrad.operations import table
from exprgrad.operations.number_types import (
    FAULTS,
    Numbers,
    Step,
    Undecided,
    Undefined,
    existing,
    fault_of,
)
from exprgrad.sweeps.coordinates import Meant, as_graph, constant_error, exactly
from exprgrad.sweeps.generic import Linear, Partials, forward, linearized, reverse
from exprgrad.sweeps.tape import NULL_ON_EQUAL, Tape, pair, settled

MOST_PROOFS = 4
"""Nodes of which a proof is sought that they are 0."""


class Swept(NamedTuple):
    """The value and the partials by name, each a ball or the fault in its place, and who is to blame."""

    value: Any
    partials: dict[str, Any]
    culprits: dict[str, Step]


def sweep(
    tape: Tape,
    numbers: Balls,
    at: Meant,
    names: Sequence[str],
    proofs: Proofs | None = None,
) -> Swept:
    """Value and partials at a point."""
    tape, start = tape.once(), {n: at[n].ball(numbers) for n in tape.variables}
    proving = None if proofs is None else _Proving(numbers, proofs)
    ties = proving.ties if proving else {}
    values = forward(tape, proving or numbers, start)
    value = values[tape.root]
    if isinstance(value, Exception):
        culprit = _lowest_fault(tape, numbers, values)
        blamed = {"": culprit} if culprit else {}
        return Swept(value, dict.fromkeys(names, value), blamed)
    fixed = settled(tape)
    active = tape.active(names)

    def at_point(step: Step, positions: Sequence[int]) -> Partials:
        if step.node in fixed:
            return dict(enumerate(fixed[step.node]))
        own = ties.get(step.node) or [values[j] for j in step.operands]
        return local_partials(numbers, step, values[step.node], own, positions)

    local, blocked = linearized(tape, numbers, values, active, at_point)
    adjoints = reverse(tape, Linear(numbers, local), values, active, numbers.number(1))
    partials, culprits = dict[str, Any](), {}
    for name in names:
        j = tape.variables[name]
        adjoint = numbers.number(0) if adjoints[j] is None else adjoints[j]
        partials[name] = fault_of(adjoint) or adjoint
        # an adjoint of 0 does not help: 0*|x| has a partial, but not by the rules
        if j in blocked:
            culprits[name], partials[name] = blocked[j]
    return Swept(value, partials, culprits)


def _lowest_fault(tape: Tape, numbers: Balls, values: Sequence[Any]) -> Step | None:
    """Follow missing values down from the root to the step that has all that it needs."""
    steps = {step.node: step for step in tape.steps}
    step = steps.get(tape.root)
    while step is not None:
        own = [values[j] for j in step.operands]
        needed = [step.operands[i] for i in numbers.needed(step, own)]
        below = next((steps.get(j) for j in needed if isinstance(values[j], Exception)), None)  # fmt: skip
        if below is None:
            break
        step = below
    return step


def local_partials(
    numbers: Balls, step: Step, result: Any, own: Sequence[Any], wanted: Sequence[int]
) -> Partials:
    """Return the local partials with respect to wanted operands. Raises `Undefined` or `Undecided`."""
    try:
        return {i: numbers.partial(step.operation, i, result, own) for i in wanted}
    except (Undecided, Undefined):
        raise
    except FAULTS as fault:
        raise Undecided(str(fault)) from None


# Conditions: how much of a rounding error comes through


def costs(tape: Tape, numbers: Balls, at: Meant) -> list[tuple[Step, float]]:
    """For every step, by how much it makes relative errors of its operands greater in the result.

    That is its condition number, the sum of |v_j p_j / v| over the operands v_j that may have an error,
    times the share |v w / f| of the step in the result f, w being its adjoint, but at most 1: digits that
    are lost in a small term do not matter. It is infinite where the exact value is 0.
    """
    values = forward(tape, numbers, {n: at[n].ball(numbers) for n in tape.variables})
    if isinstance(values[tape.root], Exception):
        return []  # balls of so many bits do not show that there is a value
    rough = [True] * len(tape.nodes)
    for name, i in tape.variables.items():
        rough[i] = bool(at[name].error)
    for i, _ in tape.constants:
        rough[i] = bool(constant_error(tape.nodes[i]))

    def at_point(step: Step, positions: Sequence[int]) -> Partials:
        own = [values[j] for j in step.operands]
        return local_partials(numbers, step, values[step.node], own, positions)

    local, _ = linearized(tape, numbers, values, rough, at_point)
    adjoints = reverse(tape, Linear(numbers, local), values, rough)
    found, root = [], _size(values[tape.root])
    for step in tape.steps:
        adjoint = adjoints[step.node]
        if step.node not in local or adjoint is None:
            continue
        own = sum(
            _size(values[step.operands[i]]) * _size(partial)
            for i, partial in local[step.node].items()
        )
        size = _size(values[step.node])
        share = size * _size(adjoint) / root if root else 1.0
        condition = float(own / size) if size else math.inf if own else 0.0
        found.append((step, condition * min(1.0, float(share))))
    return found


def _size(thing: Any) -> Any:
    """The absolute value of the middle of a ball, or of a number."""
    if isinstance(thing, int | float):
        return abs(thing)
    if isinstance(thing, Exception) or thing.fault is not None:
        return 0
    return 0 if thing.arb.contains(0) else kept(abs(thing.arb))


class Proofs:
    """A tape at a point as a graph without variables, and who may prove that parts of it are 0."""

    def __init__(self, tape: Tape, at: Meant, prove: Callable[[Value], bool]) -> None:
        self.prove = prove
        self.known: dict[Any, bool] = {}
        self.nodes = list(tape.nodes)
        for name, i in tape.variables.items():
            self.nodes[i] = as_graph(at[name])
        once = tape.once()
        for step in once.steps:
            operands = tuple(self.nodes[j] for j in step.operands)
            self.nodes[step.node] = node(step.operation, operands)
        self.nodes = [self.nodes[j] for j in once.first]

    def vanishes(self, j: int) -> bool:
        """Return whether a node is proved to be 0."""
        own = self.nodes[j]
        if own.operation is table.SUB and own.operands[0] is own.operands[1]:
            return True
        return self._proved(j, lambda: own)

    def equal(self, j: int, other: int | Fraction) -> bool:
        """Return whether a node is proved to be equal to another one, or to a fraction."""
        right = exactly(other) if isinstance(other, Fraction) else self.nodes[other]
        # what is typed twice is one node here, and needs no proof
        if right is self.nodes[j]:
            return True
        key = (j, type(other), other)
        return self._proved(key, lambda: node(table.SUB, (self.nodes[j], right)))

    def _proved(self, key: Any, root: Callable[[], Value]) -> bool:
        if key not in self.known:
            enough = len(self.known) >= MOST_PROOFS
            self.known[key] = not enough and self.prove(root())
        return self.known[key]


class _Proving(Numbers):
    """Balls that are 0, or at a tie, where that is proved."""

    faults = Balls.faults

    def __init__(self, balls: Balls, proofs: Proofs) -> None:
        super().__init__(balls.function)
        self.balls, self.proofs = balls, proofs
        self.constant, self.needed = balls.constant, balls.needed  # type: ignore[method-assign] # its own
        self.ties: dict[int, list[Any]] = {}

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        try:
            self.balls.at_corner(step.operation, arguments)
        except FAULTS:
            with suppress(*FAULTS):
                tied = self._at_tie(step, arguments)
                if tied is not None:
                    arguments = self.ties[step.node] = tied
        found = self.balls.value(step, arguments)
        over_zero = not found.is_zero and found.arb.contains(0)
        if over_zero and self.proofs.vanishes(step.node):
            return self.balls.number(0)
        return found

    def _at_tie(self, step: Step, arguments: Sequence[Any]) -> list[Any] | None:
        """The arguments of a step at a corner, if two are proved to be equal, or one a whole number or a half."""
        x, j = arguments[0], step.operands[0]
        if len(arguments) == 2 and self.proofs.equal(j, step.operands[1]):
            return [x, x]
        if len(arguments) == 1:
            # floor and abs turn at whole numbers, round at halves
            half = Fraction(round(Ball((2 * x.arb).mid())), 2)
            if self.proofs.equal(j, half):
                return [self.balls.number((half.numerator, half.denominator))]
        return None


Pull = Callable[[Any, Sequence[Any], Sequence[Any]], Any]
"""What an adjoint hands on, given the values of all nodes, and these as balls."""


class Program:
    """The sweeps over a tape, to the variables of these names.

    A step of `forward` has its node, a function and two operands, the second of which is -1 where there is but one,
    and -2 where the first stands for all. One of `backward` is a step with the operand that its adjoint is handed on to,
    and how; an operand of -1 stands for a test that the rules hold.
    """

    def __init__(self, tape: Tape, names: Sequence[str]) -> None:
        self.tape, self.names = tape.once(), tuple(names)
        self.forward = [_forward(step) for step in self.tape.steps]
        self.fixed = settled(self.tape)
        self.fractions: list[Any] = [None] * len(tape.nodes)
        self.constants = []
        for i, _ in tape.constants:
            leaf = tape.nodes[i]
            if leaf.ratio is None or getattr(leaf, "error", False):
                self.constants.append((i, leaf))
            else:
                self.fractions[i] = short(fmpq(*leaf.ratio))
        active, moves = tape.active(names), tape.smooth(names)
        self.backward = [
            (step, *pull)
            for step in reversed(self.tape.steps)
            if any(active[j] for j in step.operands)
            for pull in _pulls(step, active, moves, self.fixed.get(step.node))
        ]

    def run(self, numbers: Balls, at: Meant) -> Swept | None:
        """Value and partials at a point, with the bits that there are."""
        values = self.fractions.copy()
        try:
            for name, i in self.tape.variables.items():
                ratio = at[name].ratio
                values[i] = short(fmpq(*ratio)) if ratio else existing(at[name].ball(numbers)).enclosure  # fmt: skip
            for i, leaf in self.constants:
                values[i] = existing(numbers.constant(leaf)).enclosure
            for place, function, a, b in self.forward:
                if b >= 0:
                    found = function(values[a], values[b])
                elif b == -1:
                    found = function(values[a])
                else:
                    found = function(*[values[j] for j in a])
                values[place] = short(found) if found.__class__ is fmpq else found
            value = values[self.tape.root]
            if not is_finite(value):
                return None
            # rules are Python code, and FLINT's fractions have no sums with floats and no powers to fractions
            balls = [arb(v) if v.__class__ is fmpq else v for v in values]
            adjoints: list[Any] = [None] * len(values)
            adjoints[self.tape.root] = fmpq(1)
            for step, j, pull in self.backward:
                adjoint = adjoints[step.node]
                part = None if adjoint is None else pull(adjoint, values, balls)
                if part is not None:
                    known = adjoints[j]
                    adjoints[j] = part if known is None else known + part
        except Undefined:  # a corner, about which balls know more
            return sweep(self.tape, numbers, at, self.names)
        except FAULTS:
            return None
        own = {name: adjoints[self.tape.variables[name]] or 0 for name in self.names}
        if not all(map(is_finite, own.values())):
            return None
        partials = {name: _as_ball(number) for name, number in own.items()}
        return Swept(_as_ball(value), partials, {})


def is_finite(number: Any) -> bool:
    """Return whether it is known at all: no nan, of a row without a rule, and no ball without an end."""
    return number.is_finite() if number.__class__ is arb else number == number


def _as_ball(number: Any) -> Ball:
    is_exact = number.__class__ is not arb
    return Ball(arb(number), fmpq(number)) if is_exact else Ball(number)


def _forward(step: Step) -> tuple[Any, ...]:
    node, operation, operands = step
    level = None
    if len(operands) > 1 and operands[0] == operands[1]:
        # one number is equal to itself, whatever its radius
        if operation in NULL_ON_EQUAL:
            level = 0
        elif operation in (table.DIV, table.LOG):
            level = 1
        elif operation.rule == "comparison":
            level = int(operation.kernel(0.0, 0.0))
    return (node, ENCLOSURES.inside(operation, level), *pair(operands))


def _pulls(
    step: Step,
    active: Sequence[bool],
    moves: Sequence[bool],
    fixed: Sequence[int] | None,
) -> list[tuple[int, Pull]]:
    """To which operands a step hands its adjoint on, and how; before that, a test that its rules hold.

    What is active and does not move, such as floor(x), is handed 0: so that it is tested if it is needed.
    """
    operation, operands = step.operation, step.operands
    wanted = [i for i, j in enumerate(operands) if active[j]]
    # no point changes these partials, so no corner is tested: of max(x, x) there is none
    if fixed is not None:
        return [(operands[i], _CONSTANT[fixed[i]]) for i in wanted]
    pulls = []
    for i in wanted:
        chooses = operation.choose is not None and i > 0
        moved = moves[operands[i]] or chooses
        pulls.append((operands[i], _pull(step, i) if moved else _CONSTANT[0]))
    wanted = [i for i in wanted if moves[operands[i]]]
    if wanted and (operation.corner is not None or any(operation.edges[i] for i in wanted)):  # fmt: skip
        pulls.insert(0, (-1, _test(step, wanted)))
    return pulls


_CONSTANT: dict[Any, Pull] = {
    0: lambda adjoint, values, balls: 0,
    1: lambda adjoint, values, balls: adjoint,
    -1: lambda adjoint, values, balls: -adjoint,
}


def _pull(step: Step, position: int) -> Pull:
    """Return how an adjoint is handed on to an operand."""
    operation, operands, node = step.operation, step.operands, step.node
    a, b = operands[0], operands[-1]
    partial = operation.partials[position]
    if operation is table.MUL:
        other = a if position else b
        return lambda adjoint, values, balls: adjoint * values[other]
    if operation is table.DIV and not position:
        return lambda adjoint, values, balls: adjoint / values[b]
    if operation.choose is not None and position:
        # `or` needs its second operand where the first is 0, `and` and `if` where it is not
        taken = position == 1 and operation is not table.OR
        factor = operation is table.IF
        return lambda adjoint, values, balls: adjoint * factor if surely(values[a]) == taken else None  # fmt: skip
    if partial is not None and not callable(partial):
        return _CONSTANT[partial]
    # where a row has none, it is nan, which is no answer
    rule = ENCLOSURES.partials(operation)[position]
    if len(operands) == 1:
        return lambda adjoint, values, balls: adjoint * rule(balls[node], balls[a])
    return lambda adjoint, values, balls: adjoint * rule(balls[node], *[balls[j] for j in operands])  # fmt: skip


def _test(step: Step, wanted: Sequence[int]) -> Pull:
    """A test that the rules hold, which raises one of `FAULTS` where they may not."""
    operation, operands = step.operation, step.operands
    rules = [operation.corner, *[operation.edges[i] for i in wanted]]
    bound = [ENCLOSURES.bind(rule) for rule in rules if rule is not None]

    def test(adjoint: Any, values: Sequence[Any], balls: Sequence[Any]) -> None:
        own = [values[j] for j in operands]
        for rule in bound:
            met = rule(*own)
            if met != 0:
                raise Undefined(f"a corner of {operation.title}")
            if not met == 0:  # both are false of a number that is open
                raise Undecided("it may be a corner")

    return test
