"""Balls that know what they are made of, so that two of them are known to be the same number.

    made = Formal(balls)
    c = made.atom("c", balls.named("e"))
    (c + 1) - c                       # the fraction 1
    -(-c * 2) - c - c                 # exactly 0, which a ball minus itself is not

A ball is a sum of products of *atoms* with fractions before them. An atom is a number that is not taken
apart, such as sin(1/10), and has a key: a function of the same arguments is the same atom. A sum that gets
long becomes an atom, whose key it is. So what is computed in the same way, up to the order and the sign of
its parts, is known to be equal, whatever the digits of the balls say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction

from exprgrad.annotations import Any

MOST_TERMS = 12
"""Terms of a sum that is not yet an atom."""

LONGEST = 2000
"""Bits of a fraction before a product; a sum with a longer one is an atom without a key."""

Product = tuple[tuple[int, int], ...]
"""Atoms by their numbers, each with an exponent."""

Form = dict[Product, Fraction]
"""A sum of products."""


class Formal:
    """The atoms that belong together, made of balls of one precision."""

    def __init__(self, balls: Any) -> None:
        self.balls = balls
        self._numbers: dict[Hashable, int] = {}
        self._atoms: list[Any] = []
        self._pi = self._number("pi", balls.named("pi"))

    def _number(self, key: Hashable, ball: Any) -> int:
        number = self._numbers.setdefault(key, len(self._atoms))
        if number == len(self._atoms):
            self._atoms.append(ball)
        return number

    def fraction(self, fraction: Fraction) -> Made:
        """A fraction."""
        ball = self.balls.number((fraction.numerator, fraction.denominator))
        return Made(self, ball, {(): fraction} if fraction else {})

    def atom(self, key: Hashable, ball: Any) -> Made:
        """The number of that key; what the ball itself knows of being a + b*pi is kept."""
        known, turns = getattr(ball, "fraction", None), getattr(ball, "turns", 0)
        if known is not None:
            form = {(): known, ((self._pi, 1),): Fraction(turns)}
            return Made(self, ball, {product: q for product, q in form.items() if q})
        number = self._number(key, ball)
        return Made(self, self._atoms[number], {((number, 1),): Fraction(1)})

    def evaluated(self, form: Form) -> Any:
        """The ball of a sum."""
        total = self.balls.number(0)
        for product, factor in form.items():
            term = self.balls.number((factor.numerator, factor.denominator))
            for number, exponent in product:
                for _ in range(abs(exponent)):
                    atom = self._atoms[number]
                    term = term * atom if exponent > 0 else term / atom
            total = total + term
        return total

    def made(self, form: Form, compute: Callable[[], Any], fewer: bool) -> Made:
        """The number of that form. With `fewer` terms than there were, its ball is taken from the form."""
        form = {product: q for product, q in form.items() if q}
        if not form or list(form) == [()]:
            return self.fraction(form.get((), Fraction(0)))
        ball = self.evaluated(form) if fewer else compute()
        if any(_length(q) > LONGEST for q in form.values()):
            return self.atom(object(), ball)
        if len(form) <= MOST_TERMS:
            return Made(self, ball, form)
        # the same sum with other signs, or so many times as large, becomes the same atom
        first = form[min(form)]
        key = frozenset((product, q / first) for product, q in form.items())
        pair = (first.numerator, first.denominator)
        number = self._number(key, ball / self.balls.number(pair))
        return Made(self, ball, {((number, 1),): first})


class Made:
    """A ball and what it is made of."""

    __slots__ = ("_formal", "ball", "form")

    def __init__(self, formal: Formal, ball: Any, form: Form) -> None:
        self._formal, self.ball, self.form = formal, ball, form

    def __repr__(self) -> str:
        return repr(self.ball)

    @property
    def key(self) -> Hashable:
        """What is the same for two numbers that are made alike."""
        return frozenset(self.form.items())

    @property
    def fraction(self) -> Fraction | None:
        """The fraction that the number is, if it is one."""
        if not self.form:
            return Fraction(0)
        return self.form.get(()) if len(self.form) == 1 else None

    def _other(self, other: Any) -> Made:
        return other if isinstance(other, Made) else self._formal.fraction(Fraction(other))  # fmt: skip

    def __add__(self, other: Any) -> Made:
        other = self._other(other)
        form = dict(self.form)
        for product, q in other.form.items():
            form[product] = form.get(product, 0) + q
        fewer = not all(form.values())
        return self._formal.made(form, lambda: self.ball + other.ball, fewer)

    def __neg__(self) -> Made:
        form = {product: -q for product, q in self.form.items()}
        return Made(self._formal, -self.ball, form)

    def __sub__(self, other: Any) -> Made:
        return self + -self._other(other)

    def __rsub__(self, other: Any) -> Made:
        return self._other(other) + -self

    def __mul__(self, other: Any) -> Made:
        other = self._other(other)
        form: Form = {}
        for one, p in self.form.items():
            for two, q in other.form.items():
                product = _product(one, two)
                form[product] = form.get(product, Fraction(0)) + p * q
        fewer = not all(form.values())
        return self._formal.made(form, lambda: self.ball * other.ball, fewer)

    def __truediv__(self, other: Any) -> Made:
        return self * self._other(other)._inverse()

    def __rtruediv__(self, other: Any) -> Made:
        return self._other(other) / self

    def _inverse(self) -> Made:
        """1 over the number; of a sum it is an atom of its own."""
        ball = self._formal.balls.number(1) / self.ball
        if len(self.form) == 1:
            ((product, q),) = self.form.items()
            turned = tuple((number, -exponent) for number, exponent in product)
            return Made(self._formal, ball, {turned: 1 / q})
        return self._formal.atom(("inverse", self.key), ball)

    __radd__, __rmul__ = __add__, __mul__


def _product(one: Product, two: Product) -> Product:
    if not one or not two:
        return one or two
    exponents = dict(one)
    for number, exponent in two:
        exponents[number] = exponents.get(number, 0) + exponent
    return tuple(sorted((n, e) for n, e in exponents.items() if e))


def _length(fraction: Fraction) -> int:
    return fraction.numerator.bit_length() + fraction.denominator.bit_length()
