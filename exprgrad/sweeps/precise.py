"""Values and slopes at a point to many digits, and quickly: the reference for everything else.

    Probe(tape, "x").floats(at)            value and slope in double precision
    Probe(tape, "x").precise(at, 50)       the same to 50 digits

At a point with an `ExactPlace` among its coordinates both are told with bounds, as `answer` knows them.

A look never raises: it says that there is no value, or no slope. Precision is what decides whether two
expressions are equal: a true zero keeps shrinking as the number of digits grows, a difference does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.budget import weigh
from exprgrad.graph import sweep
from exprgrad.graph.rational import LARGE_FRACTIONS, Inexact, rational
from exprgrad.lazy import computed_once
from exprgrad.numbers.real import kept, mag, magnitude
from exprgrad.operations.conditions import phrase
from exprgrad.operations.number_types import (
    FAULTS,
    Fault,
    Undecided,
    Undefined,
    existing,
)
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import DIV
from exprgrad.sweeps.careful import meets_corner
from exprgrad.sweeps.coordinates import Coordinate, ExactPlace
from exprgrad.sweeps.corners import MOST_DIGITS, UNDECIDED, ZERO
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Primals, Tape, primals, pull_back

if TYPE_CHECKING:
    from exprgrad.numbers.arb import Balls
    from exprgrad.sweeps.bounds import Bounds

DIGITS = 50
"""Digits of a reference, of partials that are computed again, and of a look at a place that doubles are told."""

LARGEST_SIZE = 2**64
"""Binary exponent, in size, of numbers that are worth their digits."""


class Look(NamedTuple):
    """A look at a point: the value and the slope, None where there is none.

    `overflow` says that a value is missing only because a number on the way is too large or small. `bits` is the
    binary exponent, in size, of the largest or smallest number on the way: so many bits may cancel. The distance of
    tanh(x) from 1 is such a number too.
    """

    value: Any
    slope: Any
    overflow: bool = False
    bits: int = 0

    @property
    def is_undefined(self) -> bool:
        """Return whether there is no value, nor one that doubles do not reach."""
        return self.value is None and not self.overflow


ARGUMENT = "argument"


@cache
def _ends(operation: Operation) -> tuple[float | str | None, ...]:
    """Return what a smooth function tends to far out, on the left and on the right: a number but 0, or its argument."""
    if operation.corner is not None:
        return None, None
    return tuple(map(_end, operation.far))


def _end(does: Any) -> float | str | None:
    if callable(does):
        return ARGUMENT if phrase(does, 1).argument == 0 else None
    return None if isinstance(does, str) else does or None


class Probe:
    """A tape prepared for looks at many points. `variable` is None where no slope is wanted."""

    def __init__(self, tape: Tape, variable: str | None = None) -> None:
        self.tape = tape
        known = variable is not None and variable in tape.variables
        self.variable = variable if known else None
        self.wants_slope = variable is not None
        self.active = tape.active([variable] if known and variable else [])
        self.flat = [step for step in tape.steps if any(_ends(step.operation))]
        self.cost = 1 + len(tape.steps)
        self.weight = 1 + sum(s.operation.cost for s in tape.steps)
        self._known: dict[object, Look] = {}

    @computed_once
    def bounds(self) -> Bounds:
        """The tape, prepared for answers with bounds."""
        from exprgrad.sweeps.bounds import Bounds

        return Bounds(self.tape)

    def confirmed(self, at: Mapping[str, float], digits: int) -> Look:
        """The look in doubles that so many digits surely hold of; nothing is seen where they may not.

        There is surely no value where the look says so: what is only not seen counts as beyond doubles.
        """
        names = [] if self.variable is None else [self.variable]
        point = {name: at[name] for name in self.tape.variables}
        found = None
        if ExactPlace not in map(type, point.values()):
            # the doubles of the point are meant as they are
            exactly = [0.0] * len(point)
            found = self.bounds.checked(point, exactly, names, 0.5 * 10.0**-digits)
        if found is None:
            return Look(None, None, not self._is_nowhere(point))
        slope = found.adjoints[self.tape.variables[names[0]]] if names else 0.0
        return Look(found.values[self.tape.root], slope)

    def floats(self, at: dict[str, float]) -> Look:
        """The look in double precision. No slope is told where the rules meet a corner."""
        if not at.keys() >= self.tape.variables.keys():
            return Look(None, None, False)  # it is about other variables than the point
        own = {name: at[name] for name in self.tape.variables}
        if ExactPlace in map(type, own.values()):
            look = self.bounded(own, DIGITS)
            value, slope = _double(look.value), _double(look.slope)
            lost = (value, slope).count(None) > look[:2].count(None)
            return Look(value, slope, look.overflow or lost)
        try:
            values = primals(self.tape, own)
        except Fault as fault:
            overflow = fault.step.operation.failing(fault.arguments) is None
            # a number may be too small for doubles
            if 0.0 in fault.arguments and not (overflow or self._is_plain(fault, own)):
                weigh(50 + 2 * self.weight)
                overflow = self.precise(own, DIGITS).value is not None
            return Look(None, None, overflow)
        value = values[self.tape.root] or 0.0
        try:
            return Look(value, self._slope(values, own))
        except OverflowError:
            return Look(value, None, True)

    def _is_nowhere(self, at: Mapping[str, float]) -> bool:
        """Return whether fractions show that there is no value: of 1/(x - 1) at 1."""
        if {*map(type, at.values())} - {float}:
            return False  # on a curve, a coordinate is a ball
        with suppress(OverflowError):
            try:
                primals(self.tape, at)
            except Fault as fault:
                operation, arguments = fault.step.operation, fault.arguments
                # of x^y, rounding may have changed the sign of y
                alone = operation is DIV or operation.arity == 1
                is_outside = alone and operation.failing(arguments) is not None
                return is_outside and 0.0 in arguments and self._is_plain(fault, at)
        return False

    def _is_plain(self, fault: Fault, at: Mapping[str, float]) -> bool:
        """Return whether fractions show that a zero which has led to a fault is one: that of 1/(x - 1) at 1.

        Most are, and then FLINT is not needed, whose import takes 20 ms.
        """
        from fractions import Fraction

        values: list[Any] = [None] * len(self.tape.nodes)
        for name, i in self.tape.variables.items():
            values[i] = Fraction(at[name])
        for i, _ in self.tape.constants:
            exact = rational(self.tape.nodes[i])
            values[i] = Inexact() if exact is None else exact
        steps = [step for step in self.tape.steps if step.node < fault.step.node]
        sweep.forward(steps, LARGE_FRACTIONS, values)
        own = zip(fault.step.operands, fault.arguments, strict=True)
        return all(values[j] == 0 for j, argument in own if argument == 0)

    def _slope(self, values: Primals, at: dict[str, float]) -> float | None:
        """The slope; None where there is none. Raises `OverflowError` where a number on the way is too large."""
        if self.variable is None:
            return 0.0 if self.wants_slope else None
        if meets_corner(self.tape, values, self.active):
            slope = self.bounded(at, DIGITS).slope
            return None if slope is None else float(slope)
        here = self.tape.variables[self.variable]
        try:
            found, _ = pull_back(self.tape, values, self.active)
        except (ValueError, ZeroDivisionError):
            return None
        if not math.isfinite(found[here]):
            raise OverflowError
        return found[here]

    def precise(self, at: Mapping[str, Any], digits: int) -> Look:
        """The look with that many digits and some to spare.

        Where balls with these digits are too wide, or rules meet a corner, it is told with bounds.
        """
        if any(type(at.get(name)) is ExactPlace for name in self.tape.variables):
            return self.bounded(at, digits)
        from exprgrad.numbers.arb import precise

        with precise(_bits(digits)) as balls:
            values = forward(self.tape, balls, at)
            value = values[self.tape.root]
            if isinstance(value, Undefined):
                return Look(None, None, False, self._size(values, balls, digits))
            try:
                cornered = self._meets_corner(values, balls)
            except Undecided:
                return self.bounded(at, digits)
            size = self._size(values, balls, digits)
            if size > LARGEST_SIZE:
                return Look(None, None, True)
            if not _is_close(value, digits):
                return self.bounded(at, digits)._replace(bits=size)
            # at a corner the rules do not tell, and what stands for no number is never close
            slope: Any = balls.zero if cornered else self._pulled(values, balls)
            if slope is None or _is_close(slope, digits):
                found = None if slope is None else kept(slope.arb)
                return Look(kept(value.arb), found, False, size)
            seen = self.bounded(at, digits)
            return Look(kept(value.arb), seen.slope, seen.overflow, size)

    def _pulled(self, values: list[Any], balls: Balls) -> Any:
        """The slope as a ball, by the rules, or what stands for none; None where it is not asked for."""
        if self.variable is None:
            return balls.number(0) if self.wants_slope else None
        with suppress(*FAULTS):
            adjoints = reverse(self.tape, balls, values, self.active)
            slope = adjoints[self.tape.variables[self.variable]]
            return balls.number(0) if slope is None else slope
        return balls.zero

    def _meets_corner(self, values: list[Any], balls: Balls) -> bool:
        """Return whether the rules for the slope meet a corner.

        Raises `Undecided` where rounding may decide on which side of one an operation is: floor(sin(3)^2 + cos(3)^2).
        """
        met = False
        for node, operation, operands in self.tape.corners:
            own = [values[i] for i in operands]
            if not any(isinstance(v, Exception) for v in own):
                with suppress(Undefined):  # there is no value at all
                    met |= balls.at_corner(operation, own) and self.active[node]
        return met

    def _size(self, values: list[Any], balls: Balls, digits: int) -> int:
        """The binary exponent, in size, of the largest or smallest number on the way, which is known from 0."""
        # in a ball around 0 only rounding errors may be left, and how small they are says nothing
        found = (v.arb for v in values if not isinstance(v, Exception))
        finite = (x for x in found if x.is_finite())
        sizes = [magnitude(x) if x.contains(0) else abs(magnitude(x)) for x in finite]
        return max([0, *sizes, *self._gaps(values, balls, _bits(digits))])

    def bounded(self, at: Mapping[str, Any], digits: int) -> Look:
        """The look with so many digits that are known to be right, or none; kept, for it is dear."""
        key = digits, *(at[name] for name in self.tape.variables)
        if key not in self._known:
            self._known[key] = self._surely(at, digits)
        return self._known[key]

    def _surely(self, at: Mapping[str, Any], digits: int) -> Look:
        """The same, computed: exact about corners and branches."""
        from exprgrad.proof.elementary import vanishes
        from exprgrad.sweeps.answer import answer

        weigh(150)  # besides its sweeps
        point = {name: Coordinate.of(at[name]) for name in self.tape.variables}
        names = [] if self.variable is None else [self.variable]
        found = answer(self.bounds, point, names, digits, vanishes)
        value, is_open = _told(found.value, digits)
        if value is None:
            return Look(None, None, is_open)
        if self.variable is None:
            return Look(value, kept(0) if self.wants_slope else None)
        if found.corners:
            return Look(value, None)
        slope, is_open = _told(found.partials[self.variable], digits)
        return Look(value, slope, is_open)

    def _gaps(self, values: list[Any], balls: Balls, bits: int) -> Iterator[int]:
        """Yield how many bits it takes to tell functions from the ends to which they tend faster than any power.

        Where these digits do not tell them apart, the slope is about as small.
        """
        for node, operation, (operand,) in self.flat:
            x, y = values[operand], values[node]
            if isinstance(y, Exception) or x.arb.contains(0):
                continue
            end = _ends(operation)[x.sign() > 0]
            if end is None:
                continue
            gap = y.arb - (x.arb if end == ARGUMENT else end)
            if gap.contains(0) and end != ARGUMENT:
                slope = balls.partials(operation)[0](y, x)
                gap = slope.arb if slope.fault is None else gap
            yield 4 * bits if gap.contains(0) else -magnitude(gap)


def _is_close(number: Any, digits: int) -> bool:
    """Return whether a ball is known to so many digits, or places, or to as many as bounds can give; a fault is not."""
    if isinstance(number, Exception) or not number.arb.is_finite():
        return False
    # of a 0 no digit is ever right, but places are
    bits = min(digits, MOST_DIGITS) * 10 // 3
    radius = number.arb.rad()
    return bool(
        radius.is_zero()
        or magnitude(radius) < -bits
        or number.arb.rel_accuracy_bits() >= bits
    )


def _bits(digits: int) -> int:
    """The bits of so many digits and some to spare."""
    return int((digits + 15) * 3.3219281) + 1


def _told(known: Any, digits: int) -> tuple[Any, bool]:
    """A number with so many digits right, if it is known to them; and whether there may be one that is not."""
    if known.status == ZERO:
        return kept(0), False
    if known.value is None and known.middle is None:
        return None, known.status == UNDECIDED
    is_close = known.value is not None and known.error <= abs(known.value) * 10.0**-digits  # fmt: skip
    if known.sure < digits and not is_close:
        return None, True
    number = kept(known.value if known.middle is None else known.middle)
    return (None, True) if mag(number) > LARGEST_SIZE else (number, False)


def _double(number: Any) -> float | None:
    """A number as a double; None beyond their range."""
    if number is None:
        return None
    double = float(number)
    return double if math.isfinite(double) and (double or not number) else None


def reference(tape: Tape, at: Mapping[str, Any], digits: int) -> dict[str, Any]:
    """The gradient with so many digits and some to spare. Raises an exception where there is none."""
    from exprgrad.numbers.arb import precise

    with precise(_bits(digits)) as balls:
        values = forward(tape, balls, at)
        if isinstance(values[tape.root], Exception):
            raise values[tape.root]
        found = reverse(tape, balls, values, tape.active(tape.variables))
        adjoints = {name: existing(found[i]) for name, i in tape.variables.items()}
        return {n: kept(0 if w is None else w.arb) for n, w in adjoints.items()}
