"""Both sweeps in balls, written out for speed: the usual case of `ball_sweeps.sweep`.

    program = Program(tape, ("x",))
    with precise(64) as numbers:
        program.run(numbers, {"x": Coordinate.of(0.5)})     # a `Swept`, or None: look more closely

What is typed twice is computed once. A partial is given where the rules surely hold; where they surely do not, at a
corner, `kinks` looks at both sides. Where a branch, a domain, a corner or an edge is open there is no answer, and the
sweep in `Ball`s says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from flint import arb, fmpq

from exprgrad.annotations import Any
from exprgrad.numbers.arb import Ball, Balls
from exprgrad.numbers.enclosures import ENCLOSURES, short, surely
from exprgrad.operations import table
from exprgrad.operations.number_types import (
    FAULTS,
    Step,
    Undecided,
    Undefined,
    fault_of,
)
from exprgrad.sweeps.balls.kinks import both_sides
from exprgrad.sweeps.balls.sweep import Swept, local_partials
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.tape import NULL_ON_EQUAL, Tape, pair, settled

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

    def run(self, numbers: Balls, at: Mapping[str, Coordinate]) -> Swept | None:
        """Value and partials at a point, with the bits that there are."""
        values = self.fractions.copy()
        try:
            for name, i in self.tape.variables.items():
                ratio = at[name].ratio
                values[i] = short(fmpq(*ratio)) if ratio else _enclosed(at[name].ball(numbers))  # fmt: skip
            for i, leaf in self.constants:
                values[i] = _enclosed(numbers.constant(leaf))
            value = self._forward(values)
            if not is_finite(value):
                return None
            adjoints, blocked = self._backward(values)
        except FAULTS:
            return None
        places = {name: self.tape.variables[name] for name in self.names}
        found = {n: adjoints[j] or 0 for n, j in places.items() if j not in blocked}
        if not all(map(is_finite, found.values())):
            return None
        corners = {n: blocked[j] for n, j in places.items() if j in blocked}
        partials = {n: corners[n][1] if n in corners else _as_ball(found[n]) for n in self.names}  # fmt: skip
        culprits = {name: step for name, (step, _) in corners.items()}
        beside = {name: places[name] for name in corners}
        sides = self._sides(numbers, values, beside) if corners else {}
        return Swept(_as_ball(value), partials, culprits, sides)

    def _sides(
        self, numbers: Balls, values: Sequence[Any], variables: Mapping[str, int]
    ) -> dict[str, tuple[Ball | None, Ball | None]]:
        """The slopes on both sides in these variables, where kinks tell them."""
        same: dict[int, Any] = {}  # what is one number stays one ball
        for number in values:
            known = number is None or is_finite(number)
            same[id(number)] = _as_ball(number or 0) if known else Undecided()
        balls = [same[id(number)] for number in values]
        local: dict[tuple[int, int], Any] = {}

        def partials_of(step: Step, value: Any, own: Sequence[Any], positions: Sequence[int]) -> Any:  # fmt: skip
            if step.node in self.fixed:
                return self.fixed[step.node]
            if value is not balls[step.node]:
                return local_partials(numbers, step, value, own, positions)
            wanted = [i for i in positions if (step.node, i) not in local]
            found = local_partials(numbers, step, value, own, wanted)
            local.update({(step.node, i): p for i, p in found.items()})
            return {i: local[step.node, i] for i in positions}

        sides = {}
        for name, j in variables.items():
            with suppress(*FAULTS):  # else germs decide
                sides[name] = both_sides(self.tape, balls, {}, partials_of, j)
        return sides

    def _forward(self, values: list[Any]) -> Any:
        for node, function, a, b in self.forward:
            if b >= 0:
                found = function(values[a], values[b])
            elif b == -1:
                found = function(values[a])
            else:
                found = function(*[values[j] for j in a])
            values[node] = short(found) if found.__class__ is fmpq else found
        return values[self.tape.root]

    def _backward(
        self, values: Sequence[Any]
    ) -> tuple[list[Any], dict[int, tuple[Step, Exception]]]:
        """The adjoints, None of what the result does not depend on; and what is below corners, each with the lowest."""
        balls = [arb(v) if v.__class__ is fmpq else v for v in values]
        adjoints: list[Any] = [None] * len(values)
        adjoints[self.tape.root] = fmpq(1)
        blocked: dict[int, tuple[Step, Exception]] = {}
        for step, j, pull in self.backward:
            adjoint = adjoints[step.node]
            by = blocked.get(step.node)
            if adjoint is None and by is None:
                continue
            try:
                part = pull(adjoint or 0, values, balls)
            except Undefined as fault:
                blocked[step.node], adjoints[step.node] = (step, fault), None
                continue
            if part is None:
                continue
            if by is not None:
                blocked[j] = by
            if adjoint is not None:
                known = adjoints[j]
                adjoints[j] = part if known is None else known + part
        return adjoints, blocked


def is_finite(number: Any) -> bool:
    """Whether it is known at all."""
    return number.__class__ is not arb or number.is_finite()


def _enclosed(ball: Ball) -> Any:
    fault = fault_of(ball)
    if fault is not None:
        raise fault
    return ball.arb if ball.fraction is None else ball.fraction


def _as_ball(number: Any) -> Ball:
    if number.__class__ is arb:
        return Ball(number)
    return Ball(arb(number), fmpq(number))


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
    """How an adjoint is handed on to an operand."""
    operation, operands, node = step.operation, step.operands, step.node
    a, b = operands[0], operands[-1]
    partial = operation.partials[position]
    if operation is table.MUL:
        other = a if position else b
        return lambda adjoint, values, balls: adjoint * values[other]
    if operation is table.DIV and not position:
        return lambda adjoint, values, balls: adjoint / values[b]
    if operation.choose is not None and position:
        taken = position == 1 and operation is not table.OR
        factor = operation is table.IF
        return lambda adjoint, values, balls: adjoint * factor if surely(values[a]) == taken else None  # fmt: skip
    if partial is None:
        return _open
    if not callable(partial):
        return _CONSTANT[partial]
    rule = ENCLOSURES.partials(operation)[position]
    if len(operands) == 1:
        return lambda adjoint, values, balls: adjoint * rule(balls[node], balls[a])
    return lambda adjoint, values, balls: adjoint * rule(balls[node], *[balls[j] for j in operands])  # fmt: skip


def _open(*_: Any) -> Any:
    raise Undecided("a rule may not hold")


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
