"""An expression and its slope by one variable, looked at from many points: quickly, then precisely.

    Probe(expression, "x").floats(at)            value and slope in double precision
    Probe(expression, "x").precise(at, 50)       the same to 50 digits, in mpmath's numbers

A look never raises: it tells that there is no value, or no slope. Precision is what decides whether two
expressions are equal: a true zero keeps shrinking as the number of digits grows, a difference does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from exprgrad.expressions.expression import Expression
from exprgrad.operations.high_precision import HighPrecision, kept, working
from exprgrad.operations.number_types import Fault, Step
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.careful import at_corner, pull_back_carefully
from exprgrad.sweeps.tape import Primals, Tape, primals, pull_back

LARGEST_MAGNITUDE = 8192
"""Binary exponent of the numbers that are looked at, in either direction."""

LARGEST_EXPONENT = 24
"""Binary exponent of the arguments of operations that grow faster than any power."""

CORNER_DIGITS = 40
"""Digits of the slope beside a corner that doubles are told."""


class Look(NamedTuple):
    """What is seen at a point: the value and the slope, None where there is none.

    `overflow` tells that a value is missing only because a number on the way is too large. `bits` is the
    binary exponent, in size, of the largest or smallest number on the way: so many bits may cancel.
    """

    value: Any
    slope: Any
    overflow: bool = False
    bits: int = 0


class Probe:
    """An expression prepared for looks at many points. `variable` is None where no slope is wanted."""

    def __init__(self, expression: Expression, variable: str | None = None) -> None:
        self.expression = expression
        self.tape = expression.tape
        known = variable is not None and variable in self.tape.variables
        self.variable = variable if known else None
        self.wants_slope = variable is not None
        self.active = self.tape.active([variable] if known and variable else [])
        self.steps: dict[HighPrecision, list[_Precise]] = {}
        self.cost = 1 + len(self.tape.steps)
        self.weight = 1 + sum(s.operation.cost for s in self.tape.steps)

    def floats(self, at: dict[str, float]) -> Look:
        """The look in double precision. No slope is told where the rules meet a corner."""
        if not at.keys() >= self.tape.variables.keys():
            return Look(None, None, False)  # it is about other variables than the point
        own = {name: at[name] for name in self.tape.variables}
        try:
            values = primals(self.tape, own)
        except Fault as fault:
            overflow = fault.step.operation.failing(fault.arguments) is None
            return Look(None, None, overflow)
        value = values[self.tape.root] or 0.0
        return Look(value, self._slope(values, own))

    def _slope(self, values: Primals, at: dict[str, float]) -> float | None:
        if self.variable is None:
            return 0.0 if self.wants_slope else None
        if at_corner(self.tape, values, self.active):
            slope = self.difference(at, CORNER_DIGITS).slope
            return None if slope is None else float(slope)
        here = self.tape.variables[self.variable]
        if None in values:
            found, _, blocked = pull_back_carefully(self.tape, values, self.active)
            return None if blocked or not math.isfinite(found[here]) else found[here]
        try:
            slope = pull_back(self.tape, values, self.active)[0][here]
        except ARITHMETIC:
            return None
        return slope if math.isfinite(slope) else None

    def is_corner(self, at: dict[str, float]) -> bool:
        """Whether the rules meet a corner at a point."""
        try:
            values = primals(self.tape, {n: at[n] for n in self.tape.variables})
        except Fault:
            return False
        return at_corner(self.tape, values, self.active)

    def difference(self, at: dict[str, float], digits: int) -> Look:
        """The slope from values on both sides, where rules meet a corner: that of max(x, |x|) at 2.

        A central difference with a step of 10^-digits, in three times as many digits; None where the two
        sides differ.
        """
        assert self.variable is not None
        with working(3 * digits + 5) as numbers:
            x, step = numbers.number(at[self.variable]), numbers.number(10) ** -digits
            looks = [
                self.precise({**at, self.variable: x + side * step}, 3 * digits + 10)
                for side in (-1, 0, 1)
            ]
            if any(look.value is None for look in looks):
                return Look(None, None, any(look.overflow for look in looks))
            low, here, high = (numbers.number(look.value) for look in looks)
            left, right = (here - low) / step, (high - here) / step
            smooth = abs(right - left) <= numbers.context.sqrt(step) * (1 + abs(right))
            slope = kept((left + right) / 2) if smooth else None
            return Look(kept(here), slope, False, max(look.bits for look in looks))

    def precise(self, at: dict[str, float], digits: int) -> Look:
        """The look with that many digits and some to spare."""
        with working(digits) as numbers:
            if numbers not in self.steps:
                self.steps[numbers] = [
                    _Precise(numbers, step, self.active) for step in self.tape.steps
                ]
            steps = self.steps[numbers]
            values = _leaves(numbers, self.tape, at)
            try:
                for step in steps:
                    values[step.node] = step.value(values)
            except _TooLarge:
                return Look(None, None, True)
            value, mag = values[self.tape.root], numbers.context.mag
            bits = max((abs(mag(v)) for v in values if v), default=0)
            if value is None:
                return Look(None, None, False, bits)
            slope = self._precise_slope(numbers, steps, values)
            return Look(kept(+value), slope, False, bits)

    def _precise_slope(
        self, numbers: HighPrecision, steps: list[_Precise], values: list[Any]
    ) -> Any:
        zero = numbers.number(0)
        if self.variable is None:
            return kept(zero) if self.wants_slope else None
        adjoints: dict[int, Any] = {self.tape.root: numbers.number(1)}
        try:
            for step in reversed(steps):
                adjoint = adjoints.get(step.node)
                if adjoint:
                    step.hand_on(values, adjoint, adjoints)
        except (*ARITHMETIC, _TooLarge):
            return None
        return kept(+adjoints.get(self.tape.variables[self.variable], zero))


class _TooLarge(Exception):
    """A number that is not worth the time that its digits would take."""


class _Precise:
    """A step of the tape on mpmath's numbers."""

    __slots__ = ("choose", "function", "mp", "node", "operands", "partials", "steep")

    def __init__(self, numbers: HighPrecision, step: Step, active: list[bool]) -> None:
        self.mp, self.node, self.operands = numbers.context, step.node, step.operands
        self.function: Callable[..., Any] = numbers.function(step.operation)
        self.choose = step.operation.choose
        self.steep = step.operation.steep
        self.partials = [
            (i, j, partial)
            for i, (j, partial) in enumerate(
                zip(step.operands, numbers.partials(step.operation), strict=True)
            )
            if active[j]
        ]

    def arguments(self, values: list[Any]) -> tuple[list[Any], int | None]:
        """The operands' values, with 0 for one that a choice leaves out; and what is chosen."""
        own = [values[j] for j in self.operands]
        chosen = None
        if self.choose is not None and own[0] is not None:
            chosen = self.choose(own[0])
            if chosen is not None:
                own = [a if i in (0, chosen) else 0 for i, a in enumerate(own)]
        return own, chosen

    def value(self, values: list[Any]) -> Any:
        """The step's value; None where it has none."""
        mp = self.mp
        arguments, _ = self.arguments(values)
        if None in arguments:
            return None
        if self.steep and any(mp.mag(a) > LARGEST_EXPONENT for a in arguments if a):
            raise _TooLarge
        try:
            result = self.function(*arguments)
        except ARITHMETIC:
            return None
        if not mp.isfinite(result):
            return None
        if result and abs(mp.mag(result)) > LARGEST_MAGNITUDE:
            raise _TooLarge
        return result

    def hand_on(
        self, values: list[Any], adjoint: Any, adjoints: dict[int, Any]
    ) -> None:
        """Add this step's contributions to the adjoints of its operands."""
        arguments, chosen = self.arguments(values)
        for i, j, partial in self.partials:
            if chosen is None or i in (0, chosen):
                own = adjoint * partial(values[self.node], *arguments)
                adjoints[j] = adjoints[j] + own if j in adjoints else own


def _leaves(numbers: HighPrecision, tape: Tape, at: dict[str, float]) -> list[Any]:
    from exprgrad.sweeps.precise import exact

    values: list[Any] = [None] * len(tape.nodes)
    for name, i in tape.variables.items():
        values[i] = numbers.number(at[name])
    for i, data in tape.constants:
        values[i] = exact(numbers, tape.nodes[i], data)
    return values
