"""Both sweeps in balls, written out for speed: the usual case of `ball_sweeps.sweep`.

    program = Program(tape, ("x",))
    with precise(64) as numbers:
        program.run(numbers, {"x": Coordinate.of(0.5)})     # a `Swept`, or None: look more closely

What is typed twice is computed once. A partial is given where the rules surely hold; where a branch, a domain, a
corner or an edge is open, or is what is asked about, there is no answer, and the sweep in `Ball`s says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
from exprgrad.sweeps.balls.sweep import Swept
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.tape import Tape, pair, settled

Pull = Callable[[Any, Sequence[Any], Sequence[Any]], Any]
"""What an adjoint hands on, given the values of all nodes, and these as balls."""


class Program:
    """The sweeps over a tape, to the variables of these names.

    A step of `forward` has its node, a function and two operands, the second of which is -1 where there is but one,
    and -2 where the first stands for all. One of `backward` has a node, the operand that it hands its adjoint on to,
    and how; an operand of -1 stands for a test that the rules hold.
    """

    def __init__(self, tape: Tape, names: Sequence[str]) -> None:
        self.tape, self.names = tape.once(), tuple(names)
        self.forward = [_forward(step) for step in self.tape.steps]
        fixed = settled(self.tape)
        self.fractions: list[Any] = [None] * len(tape.nodes)
        self.constants = []
        for i, _ in tape.constants:
            leaf = tape.nodes[i]
            if leaf.ratio is None or getattr(leaf, "error", False):
                self.constants.append((i, leaf))
            else:
                self.fractions[i] = short(fmpq(*leaf.ratio))
        active = tape.active(names)
        self.backward = [
            (step.node, *pull)
            for step in reversed(self.tape.steps)
            if active[step.node]
            for pull in _pulls(step, active, fixed.get(step.node))
        ]

    def run(self, numbers: Balls, at: Mapping[str, Coordinate]) -> Swept | None:
        """Value and partials at a point, with the bits that there are. Raises `Undefined` at what is surely a corner."""
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
            adjoints = self._backward(values)
        except Undefined:
            raise
        except FAULTS:
            return None
        found = [adjoints[self.tape.variables[name]] or 0 for name in self.names]
        if not all(map(is_finite, found)):
            return None
        partials = dict(zip(self.names, map(_as_ball, found), strict=True))
        return Swept(_as_ball(value), partials, {})

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

    def _backward(self, values: Sequence[Any]) -> list[Any]:
        """The adjoints; None of what the result does not depend on."""
        balls = [arb(v) if v.__class__ is fmpq else v for v in values]
        adjoints: list[Any] = [None] * len(values)
        adjoints[self.tape.root] = fmpq(1)
        for node, j, pull in self.backward:
            adjoint = adjoints[node]
            if adjoint is None:
                continue
            part = pull(adjoint, values, balls)
            if part is not None:
                known = adjoints[j]
                adjoints[j] = part if known is None else known + part
        return adjoints


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
    function = ENCLOSURES.inside(operation)
    if len(operands) == 2 and operands[0] == operands[1]:
        # one number is equal to itself, whatever its radius
        function = {table.SUB: _nothing, table.DIV: _whole}.get(operation, function)
    return (node, function, *pair(operands))


def _nothing(x: Any, _: Any) -> Any:
    return x if not is_finite(x) else fmpq(0)


def _whole(x: Any, _: Any) -> Any:
    return fmpq(1) if x != 0 else arb.nan()


def _pulls(
    step: Step, active: Sequence[bool], fixed: Sequence[int] | None
) -> list[tuple[int, Pull]]:
    """To which operands a step hands its adjoint on, and how; before that, a test that its rules hold."""
    operation, operands = step.operation, step.operands
    wanted = [i for i, j in enumerate(operands) if active[j]]
    if fixed is not None:
        return [(operands[i], _CONSTANT[fixed[i]]) for i in wanted]
    pulls = [(operands[i], _pull(step, i)) for i in wanted]
    if operation.corner is not None or any(operation.edges[i] for i in wanted):
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
    if operation is table.IF and position:
        return lambda adjoint, values, balls: adjoint if surely(values[a]) == (position == 1) else None  # fmt: skip
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
