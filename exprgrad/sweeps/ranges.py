"""Between which numbers all values of an expression lie, whatever its variables are.

    values(tape, {"x": everything()})         # of x^2 + 1: [1, inf)
    values(tape, {"x": Range(2, math.inf)})   # of 1/x, for x >= 2: (0, 1/2]

Interval arithmetic, with ends that are fractions or infinite and that may belong to the interval or not, so that
exp(x) > 0 is not 0. A function that is monotonic in between, as the sign of its partial says, is taken at both ends;
a row of the table may say what its `values` are. (Moore, *Interval Analysis*, 1966.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

from exprgrad.annotations import Any
from exprgrad.numbers.expansions import Operators
from exprgrad.operations import table
from exprgrad.operations.number_types import FAULTS, Numbers, Step, Undecided, Undefined
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.tape import Tape

Number = Fraction | float
"""A fraction, or an infinite float."""

End = tuple[Number, bool]
"""An end of a range, and whether it belongs to it."""

LONGEST = 2000
"""Bits of an end; a longer one is rounded outward."""

MOST_STEPS = 5000
"""The longest tape that is looked at."""


class Range(Operators):
    """The real numbers from `low` to `high`; `closed` says which of these two belong to it."""

    __slots__ = ("closed", "high", "low")

    def __init__(
        self, low: Any, high: Any, closed: tuple[bool, bool] = (True, True)
    ) -> None:
        self.low, self.high = _short(low, down=True), _short(high, down=False)
        self.closed = (
            closed[0] and isinstance(self.low, Fraction),
            closed[1] and isinstance(self.high, Fraction),
        )

    def __repr__(self) -> str:
        left, right = "(["[self.closed[0]], ")]"[self.closed[1]]
        return f"{left}{float(self.low):g}, {float(self.high):g}{right}"

    @staticmethod
    def of(thing: Any) -> Range:
        """A number as a range."""
        if isinstance(thing, Range):
            return thing
        return Range(Fraction(thing), Fraction(thing))

    _of = of

    @staticmethod
    def between(low: End, high: End) -> Range:
        """The range with these ends."""
        return Range(low[0], high[0], (low[1], high[1]))

    @staticmethod
    def _from(ends: Sequence[End]) -> Range:
        """The least range with these ends."""
        return Range.between(min(ends, key=_inward), max(ends))

    @property
    def ends(self) -> list[End]:
        """Both ends, each with whether it belongs to the range."""
        return [(self.low, self.closed[0]), (self.high, self.closed[1])]

    @property
    def is_number(self) -> bool:
        """Return whether it holds one number alone."""
        return self.low == self.high

    def __contains__(self, number: Any) -> bool:
        above = self.low < number or (self.low == number and self.closed[0])
        below = number < self.high or (self.high == number and self.closed[1])
        return above and below

    def within(self, other: Range) -> Range:
        """The part that is in another range, too; all of it if that is empty."""
        low = max(self.ends[0], other.ends[0], key=_inward)
        high = min(self.ends[1], other.ends[1])
        return self if low[0] > high[0] else self.between(low, high)

    def sign(self) -> int:
        """-1, 0 or 1. Raises `Undecided`."""
        if self.low == self.high == 0:
            return 0
        if 0 in self or not (self.low >= 0 or self.high <= 0):
            raise Undecided("the sign is open")
        return 1 if self.low >= 0 else -1

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low, (self.closed[1], self.closed[0]))

    def __abs__(self) -> Range:
        if self.low >= 0:
            return self
        if self.high <= 0:
            return -self
        return self._from([(Fraction(0), True), (-self).ends[1], self.ends[1]])

    def __add__(self, other: Any) -> Range:
        other = self.of(other)
        sums = [(x + y, c and d) for (x, c), (y, d) in zip(self.ends, other.ends, strict=True)]  # fmt: skip
        return self.between(*sums)

    def __sub__(self, other: Any) -> Any:
        return self.of(0) if other is self else super().__sub__(other)

    def __mul__(self, other: Any) -> Range:
        other = self.of(other)
        if other is self:
            # one number: x*x over [-1, 1] is [0, 1], where two numbers would reach -1
            return self.power(2)  # type: ignore[no-any-return] # a range
        return self._from([_product(a, b) for a in self.ends for b in other.ends])

    def __truediv__(self, other: Any) -> Range:
        other = self.of(other)
        if other is self and other:
            return self.of(1)  # type: ignore[no-any-return] # a range
        # an end at 0 is left out: over [0, 1] the values of 1/x are [1, inf)
        part = self._from([(x, c and x != 0) for x, c in other.ends])
        sign = part.sign()
        if sign == 0:
            raise Undefined("division by 0")
        ends = [
            (sign * math.inf if x == 0 else Fraction(0) if math.isinf(x) else 1 / x, c)
            for x, c in part.ends
        ]
        return self * self.between(*ends[::-1])

    def power(self, exponent: int) -> Range:
        """The power with a whole exponent that is not negative."""
        if exponent == 0:
            return self.of(1)
        base = self if exponent % 2 else abs(self)
        return Range(base.low**exponent, base.high**exponent, base.closed)

    def __pow__(self, other: Any) -> Range:
        return _power(self, self.of(other))

    def __mod__(self, other: Any) -> Range:
        raise Undecided("a remainder")

    # Comparisons give True, False, or the range of both truth values, which is neither when it is asked.

    def __lt__(self, other: Any) -> Any:
        difference = self - self.of(other)
        return _settled(difference.high < 0 or (difference.high == 0 and not difference.closed[1]), difference.low >= 0)  # fmt: skip

    def __le__(self, other: Any) -> Any:
        difference = self - self.of(other)
        return _settled(difference.high <= 0, difference.low > 0 or (difference.low == 0 and not difference.closed[0]))  # fmt: skip

    def __eq__(self, other: object) -> Any:
        difference = self - self.of(other)
        return _settled(difference.low == difference.high == 0, 0 not in difference)

    def __ne__(self, other: object) -> Any:
        difference = self - self.of(other)
        return _settled(0 not in difference, difference.low == difference.high == 0)

    __hash__ = None  # type: ignore[assignment] # what may be equal is not known


def everything() -> Range:
    """All real numbers; one of its own for each variable, since a range and itself are one number."""
    return Range(-math.inf, math.inf)


def _settled(yes: bool, no: bool) -> Any:
    return Range(0, 1) if yes == no else yes


def _inward(end: End) -> tuple[Number, bool]:
    """Return what is greater of a left end further inside."""
    # of two left ends at one number, the open one lies further in
    return end[0], not end[1]


def _short(end: Any, down: bool) -> Number:
    """An end of a range; a long fraction as a double beyond it, outward."""
    if isinstance(end, float) and math.isinf(end):
        return end
    exact = end if type(end) is Fraction else Fraction(end)
    if exact.numerator.bit_length() + exact.denominator.bit_length() <= LONGEST:
        return exact
    try:
        near = math.nextafter(float(exact), -math.inf if down else math.inf)
    except OverflowError:
        near = math.inf if exact > 0 else -math.inf
        if (near < 0) != down:
            raise Undecided("an end beyond the range of doubles") from None
    return near if math.isinf(near) else Fraction(near)


def _product(a: End, b: End) -> End:
    """The product of two ends; 0 times anything is 0."""
    # an infinite end is never reached, so 0 times it is 0
    if a[0] == 0 or b[0] == 0:
        return Fraction(0), (a[0] == 0 and a[1]) or (b[0] == 0 and b[1])
    return a[0] * b[0], a[1] and b[1]


def _power(x: Range, y: Range) -> Range:
    """x^y: whole exponents, others of what is not negative, and whatever is positive."""
    if y.is_number and isinstance(y.low, Fraction) and y.low.denominator == 1:
        whole = int(y.low)
        # (1/3)^(10^6) would be written out as a fraction of 1.6 million bits
        if abs(whole) > LONGEST:
            raise Undecided("a high power")
        return x.power(whole) if whole >= 0 else 1 / x.power(-whole)
    if not x.low >= 0:
        raise Undecided("a power of what may be negative")
    if y.is_number and isinstance(y.low, Fraction):
        # the double of y moves t^y by up to |y ln(t)|/2 units, and e^745 is beyond doubles
        sizes = _rising(lambda t: math.pow(t, abs(float(y.low))), x, (400, 0))
        return sizes if y.low > 0 else 1 / sizes
    if 0 in x:
        raise Undecided("a power of what may be 0")
    return Range(0, math.inf, (False, False))


def _rising(
    kernel: Callable[[float], float], x: Range, error: tuple[float, float]
) -> Range:
    """The values of an increasing function, whose kernel may be off by so much."""
    return Range.between(*(_at_end(kernel, *end, error, down) for end, down in zip(x.ends, (True, False), strict=True)))  # fmt: skip


def _at_end(
    kernel: Callable[[float], float], end: Number, closed: bool,
    error: tuple[float, float], down: bool,
) -> End:  # fmt: skip
    """The value at an end, or a bound beyond it, and whether it belongs to the values."""
    away = -math.inf if down else math.inf
    x = float(end)
    y = kernel(x)
    if math.isinf(y) or math.isnan(y):
        return (y, False) if y == away else (away, False)
    if isinstance(end, Fraction) and end in (-1, 0, 1) and y == math.floor(y):
        return Fraction(y), closed  # as of balls: exp(0), ln(1) are exact
    if isinstance(end, Fraction) and Fraction(x) != end:
        y = kernel(math.nextafter(x, away))
    slack = (error[0] * abs(y) + error[1]) * 2.0**-52 + 5e-324
    y = math.nextafter(y + (-slack if down else slack), away)
    return (away if math.isinf(y) else Fraction(y)), False


class Ranges(Numbers):
    """Ranges as a number type. With `defined`, arguments must surely be in the domain, else only they count."""

    faults = (Undecided, Undefined)
    chooses = False

    def __init__(self, defined: bool) -> None:
        super().__init__(self._function, {"pi": _NAMED["pi"]})
        self.defined = defined
        self._within = False

    def number(self, number: Any) -> Range:
        """A number as a range."""
        return Range.of(number)

    def constant(self, leaf: Any) -> Range:
        """A constant of the graph."""
        return _NAMED[leaf.name] if leaf.name else Range.of(Fraction(*leaf.ratio))

    def _function(self, operation: Operation) -> Callable[..., Range]:
        def function(*arguments: Any) -> Range:
            own = [self.number(a) for a in arguments]
            for condition in operation.domain if self.defined else ():
                if not self.bind(condition.holds)(*own):
                    raise Undefined(f"{operation.title} needs {condition.needs}")
            try:
                found = self._computed(operation, own)
            except FAULTS:
                if not operation.values:
                    if self.defined:
                        raise Undecided("no range is known") from None
                    return everything()
                found = everything()
            return found.within(_read(operation.values)) if operation.values else found

        return function

    def _computed(self, operation: Operation, own: Sequence[Range]) -> Range:
        """The range of values; raises one of `FAULTS` where none is known."""
        if operation.native or operation in _OWN:
            return self.number(_OWN.get(operation, operation.kernel)(*own))
        has_rule = operation.arity == 1 and callable(operation.partials[0])
        if has_rule and not (operation.opaque or self._within):
            monotonic = self._monotonic(operation, own[0])
            if monotonic is not None:
                return monotonic
        if operation.formula is not None:
            return self.number(self.bind(operation.formula)(*own))
        if operation.rule == "comparison":
            try:
                return self.number(operation.kernel(*own))
            except Undecided:
                return Range(0, 1)
        raise Undecided("no range is known")

    def _monotonic(self, operation: Operation, x: Range) -> Range | None:
        """The values at both ends, if the partial has one sign in between."""
        # once: sin asks for the sign of cos, and cos for that of sin
        self._within = True
        try:
            result = _read(operation.values) if operation.values else everything()
            slope = self.number(self.partials(operation)[0](result, x))
            falls = slope.high <= 0
            if not (slope.low >= 0 or falls) or not all(
                self.bind(c.holds)(x) for c in operation.domain
            ):
                return None
            kernel, sign = operation.kernel, -1 if falls else 1
            found = _rising(lambda t: sign * kernel(t), x, operation.kernel_error)
            return -found if falls else found
        except FAULTS:
            return None
        finally:
            self._within = False


class Possible(Ranges):
    """Ranges of which a fault stands for no value at all: where it is not known what there is, there may be everything."""

    chooses = True

    def __init__(self) -> None:
        super().__init__(False)

    def needed(self, step: Step, own: Sequence[Any]) -> Sequence[int]:
        """The positions without which there surely is no value: of `if`, only the condition where that is open."""
        try:
            return super().needed(step, own)
        except Undecided:
            return (0,)

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """Return what a step gives. Raises `Undefined` where all arguments are outside of its domain."""
        for condition in step.operation.domain:
            holds: Any = True
            with suppress(*FAULTS):
                holds = bool(self.bind(condition.holds)(*arguments))
            if not holds:
                raise Undefined(f"{step.operation.title} needs {condition.needs}")
        is_open = self.needed(step, arguments) == (0,)
        return everything() if is_open else super().value(step, arguments)


def _read(values: str) -> Range:
    """A range as a row says it."""
    low, high = values[1:-1].split(",")
    return Range(_end(low), _end(high), (values[0] == "[", values[-1] == "]"))


def _end(text: str) -> Number:
    return float(text) if "inf" in text else Fraction(text.strip())


def _either(condition: Range, x: Range, y: Range) -> Range:
    try:
        return x if condition else y
    except Undecided:
        return x._from([*x.ends, *y.ends])  # the least range that holds both


def _truth(x: Range) -> Range:
    try:
        return Range.of(int(bool(x)))
    except Undecided:
        return Range(0, 1)


def _larger(x: Range, y: Range) -> Range:
    low = max(x.ends[0], y.ends[0], key=_inward)
    return Range.between(low, max(x.ends[1], y.ends[1]))


def _floor(x: Range) -> Range:
    low, high = (end if math.isinf(end) else math.floor(end) for end in (x.low, x.high))
    return Range(low, high)


_OWN: dict[Operation, Callable[..., Range]] = {
    table.POW: _power,
    table.ABS: abs,
    table.SQRT: lambda x: _rising(math.sqrt, x.within(Range(0, math.inf)), (1, 0)),
    table.NOT: lambda x: 1 - _truth(x),
    table.AND: lambda x, y: _truth(x) * _truth(y),
    table.OR: lambda x, y: 1 - (1 - _truth(x)) * (1 - _truth(y)),
    table.IF: _either,
    table.MAX: _larger,
    table.MIN: lambda x, y: -_larger(-x, -y),
    table.POW_EVEN: lambda x, y: _power(abs(x), y),
    table.POW_ODD: lambda x, y: (
        _power(x, y) if x.low >= 0 else x.sign() * _power(abs(x), y)
    ),
    table.SIGN: lambda x: Range.of(x.sign()),
    table.FLOOR: _floor,
    table.RELU: lambda x: _larger(x, Range.of(0)),
}
"""Operations that are written out."""

_NAMED = {
    name: Range(Fraction(math.nextafter(x, 0)), Fraction(math.nextafter(x, 9)), (False, False))
    for name, x in (("e", math.e), ("pi", math.pi), ("tau", math.tau))
}  # fmt: skip

ALL, DEFINED, WHERE_DEFINED = Ranges(True), Ranges(True), Ranges(False)
POSSIBLE = Possible()


def values(
    tape: Tape, given: Mapping[str, Range], numbers: Ranges = WHERE_DEFINED
) -> Range | None:
    """Between which numbers the values lie; None where that is not known.

    With `DEFINED`, it is None, too, if the expression may be undefined somewhere, with `ALL` also if it may have a kink
    or a jump.
    """
    found = _swept(tape, given, numbers)
    result = found[tape.root]
    if not isinstance(result, Range):
        return None
    try:
        for step in tape.corners if numbers is ALL else ():
            at = [found[j] for j in step.operands]
            moves = not all(x.is_number for x in at)
            if moves and numbers.at_corner(step.operation, at):
                return None
    except FAULTS:
        return None
    return result


def is_empty(tape: Tape) -> bool:
    """Return whether ranges show that an expression has no value, whatever its variables are: that of asin(2 + x^2)."""
    everywhere = {name: everything() for name in tape.variables}
    once = tape.once()
    return isinstance(_swept(once, everywhere, POSSIBLE)[once.root], Undefined)


def _swept(tape: Tape, given: Mapping[str, Range], numbers: Ranges) -> list[Any]:
    """The ranges of all nodes, or the faults in their places; None everywhere of a tape that is too long."""
    if len(tape.steps) > MOST_STEPS:
        return [None] * len(tape.nodes)
    # new objects: a range and itself are one number, while two variables may be given one range
    own = ((name, given[name]) for name in tape.variables)
    return forward(tape, numbers, {n: Range(x.low, x.high, x.closed) for n, x in own})
