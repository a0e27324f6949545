"""The coefficients of germs: balls that know what they are made of.

    with precise(200) as balls:
        field = Digits(balls, 200)
        c = field.atom("c", balls.named("e"))
        (c + 1) - c                   # the fraction 1
        -(-c * 2) - c - c             # exactly 0, which a ball minus itself is not

A ball is a sum of products of *atoms* with fractions before them. An atom is a number that is not taken
apart, such as sin(1/10), and has a key: a function of the same arguments is the same atom. A sum that gets
long becomes an atom, whose key it is. So what is computed in the same way, up to the order and the sign of
its parts, is known to be equal, whatever the digits of the balls say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

from flint import fmpq

from exprgrad.annotations import Any
from exprgrad.graph.value import Value
from exprgrad.numbers.arb import Ball, Balls, ball_of, exact
from exprgrad.numbers.expansions import Operators
from exprgrad.numbers.real import kept
from exprgrad.operations import table
from exprgrad.operations.number_types import FAULTS, Numbers, Step, Undefined
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.balls.series import TooMuch
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.corners import OF_A_DOUBLE, Nearest
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Tape

MOST_TERMS = 12
"""Terms of a sum that is not yet an atom."""

MOST_PRODUCTS = 8
"""The largest whole exponent that is a product."""

MOST_WORK = 20_000
"""Products of a sweep that looks for what cancels."""

LONGEST = 2000
"""Bits of a fraction before a product; a sum with a longer one is an atom without a key."""

LONGEST_EXPONENT = 100_000
"""The largest exponent of 2 for which the end of a ball is written down as a fraction."""

Product = tuple[tuple[int, int], ...]
"""Atoms by their numbers, each with an exponent."""

Form = dict[Product, Any]
"""A sum of products, with fractions of FLINT's before them."""

_ZERO, _ONE = fmpq(0), fmpq(1)

ABOVE = 1 + 2.0**-40
"""More than what rounding takes from an error."""


class NoSide(Exception):
    """The expression is not defined on this side."""


class Undecided(Exception):
    """The first terms do not decide; neither would more of them, or more digits."""


class NeedsTerms(Undecided):
    """The terms that are known do not decide; further ones may."""


class NeedsDigits(Undecided):
    """The digits of a coefficient do not decide its sign; further ones may."""


class Digits:
    """Coefficients that are balls. With `to_the_last`, what is within every digit of 0 counts as 0.

    `left` is the work that may still be done, in products; then `TooMuch` is raised.
    """

    def __init__(
        self, balls: Balls, bits: int, to_the_last: bool = False, left: float = math.inf
    ) -> None:
        self.balls, self.to_the_last, self.left = balls, to_the_last, left
        self.cost = 1 + bits / 1000
        self._least = ball_of((1, 2 ** (bits * 9 // 10))).arb
        self.assumed = False
        """Whether a coefficient was taken for 0 that is only known to be 0 to all digits."""
        self._numbers: dict[Hashable, int] = {}
        self._atoms: list[Ball] = []
        self._known: dict[Any, Made] = {}
        pi = balls.named("pi")
        self._pi = self._number("pi", pi)
        self.constants: dict[str, Any] = {"pi": self.atom("pi", pi)}

    # Numbers, by what they are made of

    def _number(self, key: Hashable, ball: Ball) -> int:
        number = self._numbers.setdefault(key, len(self._atoms))
        if number == len(self._atoms):
            self._atoms.append(ball)
        return number

    def fraction(self, ratio: Any) -> Made:
        """A fraction of FLINT's."""
        return Made(self, exact(ratio), {} if ratio == _ZERO else {(): ratio})

    def atom(self, key: Hashable, ball: Ball) -> Made:
        """The number of that key; what the ball itself knows of being a + b*pi is kept."""
        if ball.ratio is not None:
            form: Form = {} if ball.ratio == _ZERO else {(): ball.ratio}
            if ball.turns is not None:
                form[((self._pi, 1),)] = ball.turns
            return Made(self, ball, form)
        number = self._number(key, ball)
        return Made(self, self._atoms[number], {((number, 1),): _ONE})

    def _evaluated(self, form: Form) -> Ball:
        """The ball of a sum."""
        total = ball_of(0)
        for product, factor in form.items():
            term = exact(factor)
            for number, exponent in product:
                for _ in range(abs(exponent)):
                    atom = self._atoms[number]
                    term = term * atom if exponent > 0 else term / atom
            total = total + term
        return total

    def made(self, form: Form, compute: Callable[[], Ball], work: int) -> Made:
        """The number of that form. Where terms of it cancelled, its ball is taken from the form."""
        self.left -= work * self.cost
        if self.left < 0:
            raise TooMuch
        fewer = any(q == _ZERO for q in form.values())
        if fewer:
            form = {product: q for product, q in form.items() if q != _ZERO}
        if not form or (len(form) == 1 and () in form):
            return self.fraction(form.get((), _ZERO))
        ball = self._evaluated(form) if fewer else compute()
        if any(q.height_bits() > LONGEST for q in form.values()):
            return self.atom(object(), ball)
        if len(form) <= MOST_TERMS:
            return Made(self, ball, form)
        # the same sum with other signs, or so many times as large, becomes the same atom
        first = form[min(form)]
        key = frozenset((product, q / first) for product, q in form.items())
        number = self._number(key, ball / exact(first))
        return Made(self, ball, {((number, 1),): first})

    # What germs ask

    def of(self, number: Any) -> Made:
        """A number as a ball."""
        if not isinstance(number, Made):
            return self.fraction(_ratio(number))
        _there(number.ball)
        return number

    def leaf(self, constant: Value) -> Made:
        """The number that was typed, or π or e, as far as the digits go."""
        return self.atom(constant.data, _there(self.balls.constant(constant)))

    def sign(self, number: Made) -> int:
        """-1, 0 or 1. Raises `NeedsDigits` where the ball holds 0 and other numbers."""
        if self.is_zero(number):
            return 0
        try:
            sign: int = number.ball.sign()
        except ArithmeticError:
            raise NeedsDigits from None
        return sign

    def is_zero(self, number: Made) -> bool:
        """Whether it is known to be 0, or counts as 0."""
        if not number.form:
            return True
        ball = _there(number.ball)
        if ball.is_zero:
            return True
        if not self.to_the_last or not (
            ball.arb.contains(0) and abs(ball.arb) < self._least
        ):
            return False
        self.assumed = True
        return True

    def is_one(self, number: Made) -> bool:
        """Whether it is known to be the fraction 1."""
        return bool(number.fraction == _ONE)

    def exact(self, number: Made) -> Fraction | None:
        """The fraction that the number is made as, if it is one."""
        known = number.fraction
        return None if known is None else Fraction(int(known.p), int(known.q))

    def bounds(self, number: Made) -> tuple[Fraction, Fraction]:
        """The ends of the ball; both are the number itself where that is a fraction."""
        known = self.exact(number)
        if known is not None:
            return known, known
        ball = _there(number.ball).arb
        return _exactly(ball.lower()), _exactly(ball.upper())

    def given(self, coordinate: Coordinate) -> Made:
        """The number that a variable is given, as far as the digits go."""
        if coordinate.ratio is not None:
            return self.fraction(fmpq(*coordinate.ratio))
        return self.atom(coordinate, _there(coordinate.ball(self.balls)))

    def nearest(self, number: Made, digits: int = OF_A_DOUBLE) -> Nearest:
        """The nearest double, perhaps the one beside it, and how far it is off; with more digits, these as well."""
        ball = _there(number.ball)
        if self.is_zero(number):
            return Nearest(0.0, float(abs(ball.arb).upper()) if number.form else 0.0)
        found = float(ball.arb)
        if not math.isfinite(found) or not found:
            return Nearest(None, math.inf, kept(ball.arb))
        error = float(abs(ball.arb - found).upper()) * ABOVE
        if digits <= OF_A_DOUBLE or not self.suffices(number, digits):
            return Nearest(found, error)
        return Nearest(found, error, kept(ball.arb), digits)

    def suffices(self, number: Made, digits: int = OF_A_DOUBLE) -> bool:
        """Whether it is known to the digits of a double, or to more, or is 0 to all digits."""
        if self.is_zero(number):
            return True
        accuracy: int = number.ball.arb.rel_accuracy_bits()
        return accuracy > bits_of(digits)

    def apply(self, operation: Operation, arguments: Sequence[Made]) -> Made:
        """The operation on balls. Raises `NoSide`, or `NeedsDigits` where a ball is too wide."""
        key = (operation, *(argument.key for argument in arguments))
        if key not in self._known:
            self.left -= operation.cost * self.cost
            function = self.balls.function(operation)
            ball = _there(function(*(argument.ball for argument in arguments)))
            self._known[key] = self.atom(key, ball)
        return self._known[key]


def _exactly(end: Any) -> Fraction:
    mantissa, exponent = map(int, end.man_exp())
    if abs(exponent) > LONGEST_EXPONENT:
        raise Undecided  # e^(10^15) has 10^15 bits
    return Fraction(mantissa) * Fraction(2) ** exponent


def _ratio(number: Any) -> Any:
    """An int, a float or a fraction of Python's as one of FLINT's."""
    return fmpq(*number.as_integer_ratio())


def _there(ball: Ball) -> Ball:
    """The ball, or what stands in its place, raised."""
    if ball.fault is None:
        return ball
    missing = isinstance(ball.fault, Undefined)
    raise (NoSide if missing else NeedsDigits) from ball.fault


class Made(Operators):
    """A ball and what it is made of."""

    __slots__ = ("_field", "ball", "form")

    def __init__(self, field: Digits, ball: Ball, form: Form) -> None:
        self._field, self.ball, self.form = field, ball, form

    def __repr__(self) -> str:
        return repr(self.ball)

    @property
    def key(self) -> Hashable:
        """What is the same for two numbers that are made alike."""
        return frozenset(self.form.items())

    @property
    def fraction(self) -> Any:
        """The fraction of FLINT's that the number is, if it is one."""
        if not self.form:
            return _ZERO
        return self.form.get(()) if len(self.form) == 1 else None

    def _of(self, thing: Any) -> Made:
        return thing if isinstance(thing, Made) else self._field.fraction(_ratio(thing))

    def __add__(self, other: Any) -> Made:
        other = self._of(other)
        form = dict(self.form)
        for product, q in other.form.items():
            form[product] = form[product] + q if product in form else q
        return self._field.made(form, lambda: self.ball + other.ball, 1)

    def __neg__(self) -> Made:
        form = {product: -q for product, q in self.form.items()}
        return Made(self._field, -self.ball, form)

    def __mul__(self, other: Any) -> Made:
        other = self._of(other)
        form: Form = {}
        for one, p in self.form.items():
            for two, q in other.form.items():
                product = _product(one, two)
                form[product] = form[product] + p * q if product in form else p * q
        work = 1 + len(self.form) * len(other.form)
        return self._field.made(form, lambda: self.ball * other.ball, work)

    def __truediv__(self, other: Any) -> Made:
        return self * self._of(other)._inverse()

    def _inverse(self) -> Made:
        """1 over the number; of a sum it is an atom of its own."""
        ball = 1 / self.ball
        if len(self.form) == 1:
            ((product, q),) = self.form.items()
            turned = tuple((number, -exponent) for number, exponent in product)
            return Made(self._field, ball, {turned: 1 / q})
        return self._field.atom(("inverse", self.key), ball)

    def __pow__(self, other: Any) -> Made:
        exponent = self._of(other)
        whole = exponent.fraction
        if whole is None or whole.q != 1 or not 0 < abs(whole.p) <= MOST_PRODUCTS:
            return self._field.apply(table.POW, [self, exponent])
        found = self
        for _ in range(1, abs(int(whole.p))):
            found = found * self
        return found if whole.p > 0 else found._inverse()

    def __abs__(self) -> Made:
        return self._field.apply(table.ABS, [self])

    def __lt__(self, other: Any) -> bool:
        return self._field.sign(self - other) < 0


class Forms(Numbers):
    """These numbers as a number type, for rules that surely hold."""

    def __init__(self, field: Digits) -> None:
        super().__init__(self._on_forms, field.constants)
        self.field = field
        self.constant = field.leaf  # type: ignore[method-assign, assignment] # its own
        self.truth = field.sign  # type: ignore[method-assign, assignment]

    def _on_forms(self, operation: Operation) -> Callable[..., Any]:
        if operation.native:
            return operation.kernel
        return lambda *a: self.field.apply(operation, [self.field.of(x) for x in a])

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """What an adjoint hands on."""
        return adjoint * self.partials(step.operation)[position](result, *own)


def vanishing(
    tape: Tape, balls: Balls, bits: int, at: Mapping[str, Coordinate], names: Sequence[str]
) -> set[str]:  # fmt: skip
    """The names whose partials are 0, since all that they are made of cancels; "" where the value is."""
    field = Digits(balls, bits, left=MOST_WORK)
    forms, tape = Forms(field), tape.once()
    try:
        start = {name: field.given(at[name]) for name in tape.variables}
        values = forward(tape, forms, start)
        adjoints = reverse(tape, forms, values, tape.active(names), field.of(1))
    except (*FAULTS, NoSide, Undecided, TooMuch):
        return set()
    found = {name: adjoints[tape.variables[name]] for name in names}
    found[""] = values[tape.root]
    return {name for name, made in found.items() if made is None or not made.form}


def _product(one: Product, two: Product) -> Product:
    if not one or not two:
        return one or two
    exponents = dict(one)
    for number, exponent in two:
        exponents[number] = exponents.get(number, 0) + exponent
    return tuple(sorted((n, e) for n, e in exponents.items() if e))


def simple(number: Fraction) -> Fraction:
    """The simple fraction that a double stands for, such as 1/3; a number that is no such double as it is."""
    near = number.limit_denominator(10**4)
    return near if near and abs(near - number) * 2**52 <= abs(number) else number


def bits_of(digits: int) -> int:
    """The bits that so many digits take, and a few."""
    return digits * 10 // 3 + 4
