"""Balls: a number and a radius; between them lies the real number that is meant.

    with precise(200) as numbers:            # balls of 200 bits
        tenth = numbers.number((1, 10))      # 0.1 ± 3e-62
        tenth * 3 == numbers.number((3, 10)) # True: decided by fractions
        numbers.function(SIN)(tenth)         # a value and its radius
        numbers.function(SIN)(numbers.named("pi"))    # 0, exactly

A ball stands for any one number in it, and arithmetic gives a ball that holds the result for every choice of
the operands. A comparison that the radius leaves open is undecided, so that a branch, a corner or a domain is
never decided by rounding. The arithmetic and the functions are Arb's (see `arb_kernels`), whose bounds are proved.

A ball that came about from fractions and π by rational operations is known to be a + b*π, and carries a and b
along. As π is irrational, it is 0 only if both are; so 0 is known to be 0, and a comparison at a tie is decided.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence

from flint import arb, fmpq

from exprgrad.annotations import Any
from exprgrad.numbers.enclosures import ENCLOSURES
from exprgrad.numbers.exact import ANGULAR, LONGEST, RATIONAL
from exprgrad.numbers.expansions import Operators
from exprgrad.operations import table
from exprgrad.operations.number_types import (
    FAULTS,
    Numbers,
    Step,
    Undecided,
    Undefined,
    existing,
)
from exprgrad.operations.operation import Operation
from exprgrad.operations.operators import give_operators
from exprgrad.operations.precision import Precision


class Ball(Operators):
    """The real numbers in `arb`; if it is known to be a + b*π, `ratio` is a and `turns` is b, or None for 0.

    Arithmetic never raises: where there is no result, there is `Nothing`. A product with an exact 0 is 0.
    """

    __slots__ = ("arb", "ratio", "turns")

    fault: Exception | None = None

    def __init__(self, number: Any, ratio: Any = None, turns: Any = None) -> None:
        self.arb, self.ratio, self.turns = number, ratio, turns

    def __repr__(self) -> str:
        return self.arb.str(15)  # type: ignore[no-any-return] # a string

    @property
    def is_zero(self) -> bool:
        """Return whether it is known to be 0."""
        return self.arb.is_zero()  # type: ignore[no-any-return] # a bool

    @property
    def is_one(self) -> bool:
        """Return whether it is known to be 1."""
        return self.ratio is not None and self.ratio == _ONE and self.turns is None

    @property
    def fraction(self) -> Any:
        """The fraction that it is known to be."""
        return self.ratio if self.turns is None else None

    @property
    def enclosure(self) -> Any:
        """The fraction that it is known to be, or else the ball of Arb."""
        return self.arb if self.ratio is None or self.turns is not None else self.ratio

    @property
    def whole(self) -> int | None:
        """The whole number that it is known to be."""
        known = self.fraction
        return int(known.p) if known is not None and known.q == 1 else None

    def _of(self, thing: Any) -> Ball:
        return ball_of(thing)

    def __add__(self, other: Any) -> Ball:
        other = ball_of(other)
        if self.ratio is None or other.ratio is None:
            return Ball(self.arb + other.arb)
        return exact(self.ratio + other.ratio, _joined(self.turns, other.turns))

    def __neg__(self) -> Ball:
        ratio, turns = self.ratio, self.turns
        if ratio is None:
            return Ball(-self.arb)
        return Ball(-self.arb, -ratio, None if turns is None else -turns)

    def __sub__(self, other: Any) -> Ball:
        if other is self:  # one ball is one number
            return ZERO
        other = ball_of(other)
        if self.ratio is None or other.ratio is None:
            return Ball(self.arb - other.arb)
        turns = None if other.turns is None else -other.turns
        return exact(self.ratio - other.ratio, _joined(self.turns, turns))

    def __mul__(self, other: Any) -> Ball:
        other = ball_of(other)
        a, b = self.ratio, other.ratio
        if a is not None and b is not None:
            if self.turns is None and other.turns is None:
                return exact(a * b)
            if self.turns is None or other.turns is None:
                turns = self.turns * b if other.turns is None else a * other.turns
                return exact(a * b, turns)
        if self.is_zero or other.is_zero:
            return ZERO
        if b is not None and other.is_one:  # the same ball, which is the same number
            return self
        if a is not None and self.is_one:
            return ball_of(other)
        return Ball(self.arb * other.arb)

    def __truediv__(self, other: Any) -> Ball:
        other = ball_of(other)
        try:
            if not other.sign():
                return Nothing(Undefined("division by 0"))
        except Undecided as fault:
            return Nothing(fault)
        if other is self:
            return ONE
        if self.is_zero:
            return ZERO
        a, b = self.ratio, other.ratio
        if a is not None and b is not None:
            if other.turns is None:
                return exact(a / b, None if self.turns is None else self.turns / b)
            # 2π/3π is 2/3; of other sums with π the quotient is hardly ever of the form a + bπ
            if a == _NONE == b and self.turns is not None:
                return exact(self.turns / other.turns)
        return Ball(self.arb / other.arb)

    def __pow__(self, other: Any) -> Ball:
        return BALLS.function(table.POW)(self, other)  # type: ignore[no-any-return] # a ball

    def __abs__(self) -> Ball:
        if self.arb >= 0:
            return self
        return -self if self.arb < 0 else Ball(abs(self.arb))

    def __mod__(self, other: Any) -> Ball:
        try:
            whole = math.floor(self / other)
            return self - ball_of(other) * whole if whole else self
        except FAULTS as fault:
            return Nothing(fault)

    __radd__, __rmul__ = __add__, __mul__

    # Questions, which may raise Undecided

    def sign(self) -> int:
        """-1, 0 or 1. Raises `Undecided` where the ball reaches over 0 and is not 0 itself."""
        number = self.arb
        if number > 0:
            return 1
        if number < 0:
            return -1
        if number.is_zero():
            return 0
        raise Undecided("the sign is open")

    def compared(self, other: Any) -> int:
        """The sign of the difference; of a ball and itself it is 0."""
        if other.__class__ is int and not other:
            return self.sign()
        difference: Ball = self - other
        return difference.sign()

    def _whole_by(self, operation: Operation) -> int:
        found = ENCLOSURES.function(operation)(self.enclosure)
        if found.__class__ is not fmpq:
            raise Undecided("the whole part is open")
        return int(found.p)

    def __floor__(self) -> int:
        return self._whole_by(table.FLOOR)

    def __round__(self) -> int:
        return self._whole_by(table.ROUND)

    # Comparisons give True, False, or `Nothing` where the radius leaves it open: asked whether that is
    # true, it raises Undecided, but `or` may do without it.

    __hash__ = None  # type: ignore[assignment] # what may be equal is not known

    def __bool__(self) -> bool:
        return self.sign() != 0


class Nothing(Ball):
    """A stand-in for a number that does not exist, with the fault that says why.

    Whoever computes with it gets it back, so a branch that is not taken may hold it; whoever asks it
    something gets the fault raised. As a subclass it is asked first, on whichever side of an operator it stands.
    """

    __slots__ = ("fault",)

    fault: Exception
    is_zero = is_one = False

    def __init__(self, fault: Exception) -> None:
        super().__init__(_NAN)
        # anything else, such as the OverflowError of a kernel, may go away with more bits
        known = isinstance(fault, Undecided | Undefined)
        self.fault = fault if known else Undecided(str(fault))

    def _itself(self, *others: Any) -> Any:
        return self

    def _ask(self, *others: Any) -> Any:
        raise self.fault

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _itself
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __mod__ = __rmod__ = _itself
    __neg__ = __abs__ = _itself
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _itself
    sign = compared = __floor__ = __round__ = __bool__ = _ask  # type: ignore[assignment]
    __hash__ = None


def _holds(name: str, ball: Ball, other: Any) -> Any:
    try:
        return getattr(operator, name)(ball.compared(other), 0)
    except Undecided as fault:
        return Nothing(fault)


give_operators(Ball, "lt le gt ge eq ne", _holds)


def ball_of(thing: Any) -> Ball:
    """A number as a ball: ints, floats and fractions are what they are, a pair is a fraction."""
    if thing.__class__ is Ball or isinstance(thing, Ball):
        return thing
    try:
        return _SMALL[thing]
    except (KeyError, TypeError):
        return _converted(thing)


def _converted(thing: Any) -> Ball:
    if isinstance(thing, fmpq):
        return exact(thing)
    if isinstance(thing, float):
        if not math.isfinite(thing):
            raise Undecided("a number overflows")
        thing = thing.as_integer_ratio()
    elif not isinstance(thing, tuple):
        thing = thing.as_integer_ratio() if hasattr(thing, "as_integer_ratio") else (int(thing), 1)  # fmt: skip
    return exact(fmpq(*thing))


def around(middle: float, radius: float) -> Ball:
    """All numbers that are no further than that from a middle."""
    return Ball(arb(middle, radius))


def exact(ratio: Any, turns: Any = None) -> Ball:
    """The number ratio + turns*π, which is carried along unless it is too long."""
    # a fraction doubles its length with every square: (1/3)^(2^20) would have 1.7 million bits
    number, length, turns = arb(ratio), ratio.height_bits(), turns or None
    if turns is not None:
        number += arb.pi() * turns
        length = max(length, turns.height_bits())
    return Ball(number, ratio, turns) if length <= LONGEST else Ball(number)


def _joined(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


class _Pi(Ball):
    """π with the digits of whatever precision there is: rules are bound to it once, and used at all of them."""

    __slots__ = ()
    ratio, turns = fmpq(0), fmpq(1)

    def __init__(self) -> None:
        pass

    @property
    def arb(self) -> Any:
        return arb.pi()


_NAN, _NONE, _ONE, _TWO = arb.nan(), fmpq(0), fmpq(1), fmpq(2)
# rules are full of small whole numbers, and to make such a ball anew takes four times as long
_SMALL = {k: Ball(arb(k), fmpq(k)) for k in range(-16, 17)}
ZERO, ONE = _SMALL[0], _SMALL[1]
_CONSTANTS = {"pi": fmpq(1), "tau": fmpq(2)}


class Balls(Numbers):
    """Balls as a number type, of the precision that there is: see `precise`.

    Functions never raise: where there is no value, they give `Nothing`. In a sweep, its fault stands there.
    """

    faults = (Undecided, Undefined)

    def __init__(self) -> None:
        super().__init__(self._on_balls, {"pi": _Pi()})
        self.zero = Nothing(Undecided("it is left out"))

    def number(self, thing: Any) -> Ball:
        """A number as a ball: what it is, or a fraction as a pair of ints."""
        try:
            return ball_of(thing)
        except FAULTS as fault:
            return Nothing(fault)

    def missing(self, fault: Exception) -> Ball:
        """Return what stands for a number that there is not."""
        return Nothing(fault)

    def named(self, name: str) -> Ball:
        """The constant e, pi or tau."""
        return Ball(arb.const_e()) if name == "e" else exact(_NONE, _CONSTANTS[name])

    def constant(self, leaf: Any) -> Ball:
        """A constant of the graph: a typed decimal is that decimal, pi is π."""
        found = self.named(leaf.name) if leaf.name else self.number(leaf.ratio)
        # a measured number is no fraction, however short the decimal in which it is given
        error = getattr(leaf, "error", 0.0)
        return Ball(found.arb + arb(0, error)) if error else found

    def needed(self, step: Step, own: Sequence[Any]) -> Sequence[int]:
        """The positions that count; where the condition is not decided, what may settle it."""
        try:
            return super().needed(step, own)
        except Undecided:
            both = step.operation.arity == 2 and not isinstance(own[1], Exception)
            return (0, 1) if both else (0,)

    def value(self, step: Step, arguments: Sequence[Any]) -> Ball:
        """Return what a step gives. Raises its fault, which stands in its place in the sweep."""
        found: Ball = self.function(step.operation)(*arguments)
        if found.__class__ is Nothing:
            raise found.fault or AssertionError
        return found

    def refuse_outside(self, operation: Operation, balls: Sequence[Ball]) -> None:
        """Raise `Undefined` outside of the domain, `Undecided` where a ball reaches over its edge."""
        for condition in operation.domain:
            if not self.bind(condition.holds)(*balls):
                raise Undefined(f"{operation.title} needs {condition.needs}")

    def partial(
        self, operation: Operation, index: int, result: Any, balls: Sequence[Ball]
    ) -> Any:
        """Return a local partial, a number or a ball. Raises one of `FAULTS` where the rule does not give it."""
        known = operation.partials[index]
        if operation.corner is not None or operation.edges[index] is not None or known is None:  # fmt: skip
            self.refuse_corner(operation, index, balls)
        if not callable(known):
            return known
        return existing(self.partials(operation)[index](result, *balls))

    def refuse_corner(
        self, operation: Operation, index: int, balls: Sequence[Ball]
    ) -> None:
        """Raise `Undefined` where the rule for that partial does not hold, `Undecided` where it may not."""
        if self.at_corner(operation, balls):
            raise Undefined(f"a corner of {operation.title}")
        edge = operation.edges[index]
        if edge is not None and self.bind(edge)(*balls):
            raise Undefined(f"an end of the domain of {operation.title}")
        if operation.partials[index] is None:
            raise Undefined(f"{operation.title} takes whole numbers here")

    def _on_balls(self, operation: Operation) -> Callable[..., Ball]:
        if operation.native:
            return operation.kernel  # type: ignore[return-value] # of balls it makes balls
        formula = operation.formula
        compute = OWN.get(operation)
        if compute is None and (operation.arb is not None or operation in _ENCLOSED):
            compute = _enclosed(operation)
        elif compute is None:  # what only compares and chooses can be asked of balls
            rule = operation.kernel if formula is None else self.bind(formula)
            compute = lambda *balls: ball_of(rule(*balls))  # noqa: E731
        rational, angular = RATIONAL.get(operation), ANGULAR.get(operation)
        # a branch that is not taken may have no value; of a power the domain is looked at where it is not told
        chooses, is_power = operation.choose is not None, operation.rule == "power"
        bounded = bool(operation.domain) and not is_power

        def function(*arguments: Any) -> Ball:
            try:
                balls = arguments
                for argument in arguments:
                    if argument.__class__ is not Ball:
                        balls = tuple(map(ball_of, arguments))
                        break
                if not chooses:
                    for ball in balls:
                        if ball.__class__ is Nothing:
                            return ball
                    if rational is not None or angular is not None:
                        known = _known(rational, angular, balls)
                        if known is not None:
                            return known
                if bounded:
                    self.refuse_outside(operation, balls)
                return compute(*balls)
            except Undecided as fault:
                if is_power:
                    try:
                        self.refuse_outside(operation, balls)
                    except FAULTS as outside:
                        return Nothing(outside)
                return Nothing(fault)
            except FAULTS as fault:
                return Nothing(fault)

        return function


def _enclosed(operation: Operation) -> Callable[..., Ball]:
    """The operation on balls by that on enclosures."""
    compute = ENCLOSURES.function(operation)
    if operation.arity == 1:
        return lambda x: _as_ball(compute(x.arb if x.ratio is None else x.enclosure))
    if operation is table.POW:  # x^1 is x itself, the same number
        return lambda x, y: x if y.is_one else _as_ball(compute(x.enclosure, y.enclosure))  # fmt: skip
    return lambda *balls: _as_ball(compute(*[ball.enclosure for ball in balls]))


def _as_ball(number: Any) -> Ball:
    """An enclosure as a ball. Raises `Undecided` where it holds no number, or all."""
    if number.__class__ is fmpq:
        return exact(number)
    if not number.is_finite():
        raise Undecided("a number overflows")
    if number.is_exact():
        # cos(0) comes without a radius, and so is known to be the fraction 1
        mantissa, exponent = number.man_exp()
        if abs(exponent) < LONGEST:
            return Ball(number, fmpq(mantissa) * _TWO ** int(exponent))
    return Ball(number)


def _known(rational: Any, angular: Any, balls: Sequence[Ball]) -> Ball | None:
    """The result where it is a fraction, or one of pi."""
    found = None
    if all(ball.ratio is not None for ball in balls):
        if all(ball.turns is None for ball in balls):
            if rational is not None:
                found = rational(*[ball.ratio for ball in balls])
        elif angular is not None and all(ball.ratio == _NONE for ball in balls):
            found = angular(*[_NONE if b.turns is None else b.turns for b in balls])
    if found is None:
        return None
    return exact(*found) if isinstance(found, tuple) else exact(found)


class precise(Precision):  # noqa: N801 # it is called as a function
    """Balls of so many bits, for a `with` block and the thread that runs it."""

    __slots__ = ()

    def __enter__(self) -> Balls:
        super().__enter__()
        return BALLS


# Operations that have no function of Arb's, or only for some numbers.


def _larger(x: Ball, y: Ball) -> Ball:
    try:
        return y if x < y else x
    except Undecided:
        # balls that overlap have a maximum, though nobody knows which of them it is
        return Ball(x.arb.max(y.arb))


OWN: dict[Operation, Callable[..., Ball]] = {
    table.ABS: abs,
    table.RELU: lambda x: _larger(x, ZERO),
    table.MAX: _larger,
    table.MIN: lambda x, y: -_larger(-x, -y),
}
"""What has to know which of its arguments it gives, or may do without one; others are asked of balls by their kernels."""

_ENCLOSED = {
    table.FLOOR, table.CEIL, table.ROUND, table.HYPOT, table.POW_EVEN, table.POW_ODD, table.FACTORIAL, table.AND, table.OR,
}  # fmt: skip
"""Operations without a function of Arb's, which enclosures have."""

BALLS = Balls()
