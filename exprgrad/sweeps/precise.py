"""Values and slopes at a point to many digits, and quickly: the reference for everything else.

    Probe(tape, "x").floats(at)            value and slope in double precision
    Probe(tape, "x").precise(at, 50)       the same to 50 digits, in mpmath's numbers
    recomputed(tape, primals, at, found)   partials whose contributions cancel

A look never raises: it says that there is no value, or no slope. Precision is what decides whether two
expressions are equal: a true zero keeps shrinking as the number of digits grows, a difference does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from exprgrad.operations.high_precision import HighPrecision, kept, working
from exprgrad.operations.number_types import (
    Fault,
    Numbers,
    Step,
    at_corner,
    local_partial,
)
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.careful import live, meets_corner, pull_back_carefully
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Primals, Tape, primals, pull_back

LARGEST_MAGNITUDE = 8192
"""Binary exponent of the numbers that are looked at, in either direction."""

LARGEST_EXPONENT = 24
"""Binary exponent of the arguments of operations that grow faster than any power."""

CORNER_DIGITS = 40
"""Digits of the slope beside a corner that doubles are told."""

DIGITS = 50
"""Digits of a reference, and of partials that are computed again."""

MOST_STEPS = 1000
"""Operations of a tape that is swept again: some hundredths of a second."""

SLOW = 40
"""The cost of operations with partials that may take mpmath a second."""


class Look(NamedTuple):
    """What is seen at a point: the value and the slope, None where there is none.

    `overflow` says that a value is missing only because a number on the way is too large. `bits` is the
    binary exponent, in size, of the largest or smallest number on the way: so many bits may cancel.
    """

    value: Any
    slope: Any
    overflow: bool = False
    bits: int = 0


class Probe:
    """A tape prepared for looks at many points. `variable` is None where no slope is wanted."""

    def __init__(self, tape: Tape, variable: str | None = None) -> None:
        self.tape = tape
        known = variable is not None and variable in tape.variables
        self.variable = variable if known else None
        self.wants_slope = variable is not None
        self.active = tape.active([variable] if known and variable else [])
        self.cost = 1 + len(tape.steps)
        self.weight = 1 + sum(s.operation.cost for s in tape.steps)

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
        if meets_corner(self.tape, values, self.active):
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
        return meets_corner(self.tape, values, self.active)

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

    def precise(self, at: Mapping[str, Any], digits: int) -> Look:
        """The look with that many digits and some to spare."""
        with working(digits) as numbers:
            bounded = _Bounded(numbers)
            values = forward(self.tape, bounded, at)
            value, mag = values[self.tape.root], numbers.context.mag
            if isinstance(value, _TooLarge):
                return Look(None, None, True)
            known = [v for v in values if v and not isinstance(v, Exception)]
            bits = max((abs(mag(v)) for v in known), default=0)
            if isinstance(value, Exception):
                return Look(None, None, False, bits)
            slope = self._precise_slope(bounded, values)
            return Look(kept(+value), slope, False, bits)

    def _precise_slope(self, numbers: _Bounded, values: list[Any]) -> Any:
        zero = numbers.number(0)
        if self.variable is None:
            return kept(zero) if self.wants_slope else None
        try:
            adjoints = reverse(self.tape, numbers, values, self.active)
        except numbers.faults:
            return None
        return kept(+(adjoints[self.tape.variables[self.variable]] or zero))


class _TooLarge(Exception):
    """A number that is not worth the time that its digits would take."""


class _Bounded(Numbers):
    """Numbers of high precision up to a size."""

    def __init__(self, numbers: HighPrecision) -> None:
        super().__init__(numbers.function)
        self.faults = (*numbers.faults, _TooLarge)
        self.zero, self.mp = numbers.zero, numbers.context
        self.number, self.constant = numbers.number, numbers.constant  # type: ignore[method-assign] # its own
        self.partials = numbers.partials  # type: ignore[method-assign] # bound once for a context

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        mag, operation = self.mp.mag, step.operation
        if operation.steep and any(mag(a) > LARGEST_EXPONENT for a in arguments if a):
            raise _TooLarge
        result = self.function(operation)(*arguments)
        if not self.mp.isfinite(result):
            raise ValueError("there is no number")
        if result and abs(mag(result)) > LARGEST_MAGNITUDE:
            raise _TooLarge
        return result


def reference(tape: Tape, at: Mapping[str, Any], digits: int) -> dict[str, Any]:
    """The gradient with so many digits and some to spare. Raises an exception where there is none."""
    with working(digits) as numbers:
        values = forward(tape, numbers, at)
        if isinstance(values[tape.root], Exception):
            raise values[tape.root]
        adjoints = reverse(tape, numbers, values, tape.active(tape.variables))
        zero = numbers.zero
        return {name: kept(adjoints[i] or zero) for name, i in tape.variables.items()}


def recomputed(
    tape: Tape,
    primals: Primals,
    at: Mapping[str, float],
    cancelled: Mapping[int, float],
) -> dict[int, float]:
    """The adjoints of nodes whose contributions cancel, by more digits, rounded to floats.

    `cancelled` gives the largest contribution to each. An adjoint is 0 if what 50 digits leave of it
    is noise, and what 100 digits leave again. One that is not 0, but less than a rounding of the
    largest contribution, hangs on the last digits of the point, not on those of the sweep: it is left
    out. All are, if the tape would take long, or if exact values lead to another branch, to a corner
    or out of a domain.
    """
    slow = any(step.operation.cost >= SLOW for step in tape.steps)
    if slow or len(tape.steps) > MOST_STEPS:
        return {}
    alive = live(tape, primals)
    found: dict[int, Any] = {}
    for digits in (DIGITS, 2 * DIGITS):
        with working(digits) as numbers:
            failures: Any = (*numbers.faults, LookupError, TypeError)
            try:
                values = forward(tape, numbers, at, alive)
                if not _alike(numbers, tape, alive, values, primals):
                    return {}
                adjoints = reverse(tape, numbers, values, tape.active(tape.variables))
            except failures:
                return {}
            noise = numbers.number(10) ** (10 - digits)
            for j, largest in cancelled.items():
                if abs(adjoints[j] or 0) > noise * largest:
                    found.setdefault(j, kept(adjoints[j]))
        if len(found) == len(cancelled):
            break
    settled = dict.fromkeys(cancelled, 0.0) | found
    return {
        j: float(adjoint)
        for j, adjoint in settled.items()
        if not 0 < abs(adjoint) <= 2.0**-52 * cancelled[j] and abs(adjoint) < 1e308
    }


def _alike(
    numbers: HighPrecision,
    tape: Tape,
    alive: Sequence[bool],
    values: Sequence[Any],
    primals: Primals,
) -> bool:
    """Whether exact values are on the same pieces of all operations as the floats, and at no corner."""
    active = tape.active(tape.variables)
    return all(
        _on_same_piece(numbers, step, active, values, primals)
        for step in tape.steps
        if alive[step.node]
    )


def _on_same_piece(
    numbers: HighPrecision,
    step: Step,
    active: Sequence[bool],
    values: Sequence[Any],
    primals: Primals,
) -> bool:
    operation, exact, near = (
        step.operation,
        values[step.node],
        primals[step.node] or 0.0,
    )
    arguments = [values[j] for j in step.operands]
    floats = [primals[j] or 0.0 for j in step.operands]
    choose, flat = operation.choose, all(p == 0 for p in operation.partials)
    if isinstance(exact, Exception):
        return False
    if choose is not None and choose(arguments[0]) != choose(floats[0]):
        return False
    if at_corner(operation, arguments) or (flat and exact != near):
        return False
    if operation.corner is None:
        return True
    pairs = [(exact, near)]
    for k, partial in enumerate(numbers.partials(operation)):
        if active[step.operands[k]]:
            slope = local_partial(operation, k, near, floats)
            pairs.append((partial(exact, *arguments), slope))
    return all(abs(exact - near) <= 1e-6 * abs(near) for exact, near in pairs)
