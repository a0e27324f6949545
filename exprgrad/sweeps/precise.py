"""Values and slopes at a point to many digits, and quickly: the reference for everything else.

    Probe(tape, "x").floats(at)            value and slope in double precision
    Probe(tape, "x").precise(at, 50)       the same to 50 digits

At a point with a `ExactPlace` among its coordinates both are told with bounds, as `answer` knows them.

A look never raises: it says that there is no value, or no slope. Precision is what decides whether two
expressions are equal: a true zero keeps shrinking as the number of digits grows, a difference does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.numbers.real import kept, magnitude
from exprgrad.operations.conditions import phrase
from exprgrad.operations.number_types import Fault, Undecided, Undefined
from exprgrad.operations.operation import ARITHMETIC, Operation
from exprgrad.operations.table import ADD, SUB
from exprgrad.sweeps.careful import meets_corner, pull_back_carefully
from exprgrad.sweeps.coordinates import Coordinate, ExactPlace
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Primals, Tape, primals, pull_back

if TYPE_CHECKING:
    from exprgrad.numbers.middles import Middles

DIGITS = 50
"""Digits of a reference, of partials that are computed again, and of a look at a place that doubles are told."""


class Look(NamedTuple):
    """What is seen at a point: the value and the slope, None where there is none.

    `overflow` says that a value is missing only because a number on the way is too large. `bits` is the
    binary exponent, in size, of the largest or smallest number on the way: so many bits may cancel. The distance of
    tanh(x) from 1 is such a number too.
    """

    value: Any
    slope: Any
    overflow: bool = False
    bits: int = 0


ARGUMENT = "argument"


@cache
def _ends(operation: Operation) -> tuple[float | str | None, ...]:
    """What a smooth function tends to far out, on the left and on the right: a number but 0, or its argument."""
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
        self._bounds: Any = None
        self._known: dict[object, Look] = {}

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
            return Look(None, None, overflow)
        value = values[self.tape.root] or 0.0
        try:
            return Look(value, self._slope(values, own))
        except OverflowError:
            return Look(value, None, True)

    def _slope(self, values: Primals, at: dict[str, float]) -> float | None:
        """The slope; None where there is none. Raises `OverflowError` where a number on the way is too large."""
        if self.variable is None:
            return 0.0 if self.wants_slope else None
        if meets_corner(self.tape, values, self.active):
            slope = self.bounded(at, DIGITS).slope
            return None if slope is None else float(slope)
        here = self.tape.variables[self.variable]
        if None in values:
            found, _, blocked = pull_back_carefully(self.tape, values, self.active)
            return None if blocked or not math.isfinite(found[here]) else found[here]
        try:
            slope = pull_back(self.tape, values, self.active)[0][here]
        except OverflowError:
            raise
        except ARITHMETIC:
            return None
        return slope if math.isfinite(slope) else None

    def is_corner(self, at: dict[str, float]) -> bool:
        """Whether the rules meet a corner at a point."""
        if any(type(at[name]) is ExactPlace for name in self.tape.variables):
            return False  # a look with bounds needs to know none
        try:
            values: Any = primals(self.tape, {n: at[n] for n in self.tape.variables})
        except Fault:  # a number beyond doubles, perhaps: it makes no corner smooth
            from exprgrad.numbers.arb import precise
            from exprgrad.numbers.middles import Middles

            with precise(_bits(DIGITS)) as balls:
                found = forward(self.tape, Middles(balls, bounded=True), at)
                if any(isinstance(value, Exception) for value in found):
                    return False
                values = [kept(value.arb) for value in found]
                return meets_corner(self.tape, values, self.active)
        return meets_corner(self.tape, values, self.active)

    def difference(self, at: dict[str, float], digits: int) -> Look:
        """Return the look where rules meet a corner, that of max(x, |x|) at 2: the slope is told from both sides."""
        here, seen = self._looked(at, digits, slope=False), self.bounded(at, digits)
        return Look(here.value, seen.slope, seen.overflow, here.bits)

    def precise(self, at: Mapping[str, Any], digits: int) -> Look:
        """The look with that many digits and some to spare."""
        if any(type(at.get(name)) is ExactPlace for name in self.tape.variables):
            return self.bounded(at, digits)
        return self._looked(at, digits, slope=True)

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

        if self._bounds is None:
            from exprgrad.sweeps.bounds import Bounds

            self._bounds = Bounds(self.tape)
        point = {name: Coordinate.of(at[name]) for name in self.tape.variables}
        names = [] if self.variable is None else [self.variable]
        found = answer(self._bounds, point, names, digits, vanishes)
        value, is_open = _told(found.value, digits)
        if value is None:
            return Look(None, None, is_open)
        if self.variable is None:
            return Look(value, kept(0) if self.wants_slope else None)
        if found.corners:
            return Look(value, None)
        slope, is_open = _told(found.partials[self.variable], digits)
        return Look(value, slope, is_open)

    def _looked(self, at: Mapping[str, Any], digits: int, slope: bool) -> Look:
        """The same; only the value where no slope is asked for."""
        from exprgrad.numbers.arb import precise
        from exprgrad.numbers.middles import Middles, TooLarge

        with precise(_bits(digits)) as balls:
            middles = Middles(balls, bounded=True)
            values = forward(self.tape, middles, at)
            value = values[self.tape.root]
            if isinstance(value, TooLarge | Undecided):
                return Look(None, None, True)
            if self._may_turn(values, balls, at):
                return self.bounded(at, digits)
            noise = self._noise(values, _bits(digits))
            known = [
                v
                for i, v in enumerate(values)
                if i not in noise and not (isinstance(v, Exception) or v.is_zero)
            ]
            bits = max((abs(magnitude(v.arb)) for v in known), default=0)
            bits = max([bits, *self._gaps(values, middles, _bits(digits))])
            if isinstance(value, Exception):
                return Look(None, None, False, bits)
            found: Any = None
            if slope and self.variable is None:
                found = kept(0) if self.wants_slope else None
            elif slope:
                with suppress(*middles.faults):
                    adjoints = reverse(self.tape, middles, values, self.active)
                    own = adjoints[self.tape.variables[self.variable or ""]]
                    found = kept(0 if own is None else own.arb)
            return Look(kept(value.arb), found, False, bits)

    def _may_turn(self, values: list[Any], balls: Any, at: Mapping[str, Any]) -> bool:
        """Whether rounding may decide on which side of a corner an operation is: floor(sin(3)^2 + cos(3)^2)."""
        corners = [
            (operation, operands)
            for _, operation, operands in self.tape.corners
            if any(getattr(values[i], "ratio", None) is None for i in operands)
        ]
        if not corners:
            return False
        known = forward(self.tape, balls, at)
        try:
            for operation, operands in corners:
                own = [known[i] for i in operands]
                if not any(isinstance(v, Exception) or v.fault for v in own):
                    with suppress(Undefined):  # there is no value at all
                        balls.at_corner(operation, own)
        except Undecided:
            return True
        return False

    def _noise(self, values: list[Any], bits: int) -> set[int]:
        """The sums of which rounding alone is left: the size of x^2 - 2 at sqrt(2) says nothing."""
        found = set()
        for node, operation, operands in self.tape.steps:
            if operation not in (ADD, SUB) or isinstance(values[node], Exception):
                continue
            sizes = [
                magnitude(values[i].arb) for i in operands if not values[i].is_zero
            ]
            lowest = max(sizes, default=0) - bits + SPARE_BITS
            if not values[node].is_zero and magnitude(values[node].arb) < lowest:
                found.add(node)
        return found

    def _gaps(self, values: list[Any], numbers: Middles, bits: int) -> Iterator[int]:
        """How many bits it takes to tell functions from the ends to which they tend faster than any power.

        Where these digits do not tell them apart, the slope is about as small.
        """
        for node, operation, (operand,) in self.flat:
            x, y = values[operand], values[node]
            if isinstance(x, Exception) or isinstance(y, Exception) or x.is_zero:
                continue
            end = _ends(operation)[x.sign() > 0]
            if end is None:
                continue
            gap = (y.arb - (x.arb if end == ARGUMENT else end)).mid()
            if gap.is_zero() and end != ARGUMENT:
                slope = numbers.partials(operation)[0](y, x)
                gap = slope.arb.mid() if slope.fault is None else gap
            yield 4 * bits if gap.is_zero() else -magnitude(gap)


SPARE_BITS = 24
"""Bits of a result that rounding errors may have reached."""


def _bits(digits: int) -> int:
    """The bits of so many digits and some to spare."""
    return int((digits + 15) * 3.3219281) + 1


def _told(known: Any, digits: int) -> tuple[Any, bool]:
    """A number with so many digits right, if it is known to them; and whether there may be one that is not."""
    from exprgrad.sweeps.bounds import UNDECIDED, ZERO

    if known.status == ZERO:
        return kept(0), False
    if known.value is None and known.middle is None:
        return None, known.status == UNDECIDED
    is_close = known.value is not None and known.error <= abs(known.value) * 10.0**-digits  # fmt: skip
    if known.sure < digits and not is_close:
        return None, True
    return kept(known.value if known.middle is None else known.middle), False


def _double(number: Any) -> float | None:
    """A number as a double; None beyond their range."""
    if number is None:
        return None
    double = float(number)
    return double if math.isfinite(double) and (double or not number) else None


def reference(tape: Tape, at: Mapping[str, Any], digits: int) -> dict[str, Any]:
    """The gradient with so many digits and some to spare. Raises an exception where there is none."""
    from exprgrad.numbers.arb import precise
    from exprgrad.numbers.middles import Middles

    with precise(_bits(digits)) as balls:
        numbers = Middles(balls)
        values = forward(tape, numbers, at)
        if isinstance(values[tape.root], Exception):
            raise values[tape.root]
        found = reverse(tape, numbers, values, tape.active(tape.variables))
        adjoints = {name: found[i] for name, i in tape.variables.items()}
        return {n: kept(0 if w is None else w.arb) for n, w in adjoints.items()}
