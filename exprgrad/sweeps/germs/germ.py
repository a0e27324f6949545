"""One-sided expansions: what an expression does on one side of a point, term by term.

    f(x0 + s*h) = c_1*h^p_1 + c_2*h^p_2 + ... + o(h^q)        for h -> 0 from above

The exponents are rational and rise (Puiseux series), the coefficients are balls that know what they are made of,
and so are exact where they are fractions. So a term is known, or known to be absent, or beyond o(h^q); no
tolerance decides. The rules of the table run on germs as they run on floats. For y = f(u)

    y = f(u(0)) + integral of f'(u)*u' dh

with f' from the table's own rule, which needs y and u to lower order only. At the edge of a domain,
where f' is infinite, the same formula holds: f'(u) then begins with a negative power of h. What is
piecewise (abs, max, a comparison) follows the sign of the first term.

The theory is that of Hardy fields: see Bourbaki, *Functions of a Real Variable*, chapter V.

The coefficients of germs: balls that know what they are made of.

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
import operator
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from fractions import Fraction

from flint import fmpq

from exprgrad.algebra.polynomials import times
from exprgrad.annotations import Any
from exprgrad.graph.value import Value
from exprgrad.numbers.arb import Ball, Balls, ball_of, exact
from exprgrad.numbers.expansions import Expansion, Expansions, Operators
from exprgrad.numbers.real import kept
from exprgrad.operations import table
from exprgrad.operations.number_types import Numbers, Step, Undefined
from exprgrad.operations.operation import SLOWLY, STEEPLY, SWINGING, Operation
from exprgrad.operations.operators import give_operators
from exprgrad.operations.table import EXP, LN, POW, POW_ODD
from exprgrad.sweeps.balls.series import TooMuch
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.corners import BOUNDED, NEAREST, Known
from exprgrad.sweeps.corners import EXACT as WITHOUT_ERROR

LONGEST_SUM = 12
"""Terms of a sum that is not yet an atom."""

MOST_PRODUCTS = 8
"""The largest whole exponent that is a product."""

LONGEST = 2000
"""Bits of a fraction before a product; a sum with a longer one is an atom without a key."""

LONGEST_EXPONENT = 100_000
"""The largest exponent of 2 for which the end of a ball is written down as a fraction."""

Product = tuple[tuple[int, Any], ...]
"""Atoms by their numbers, each with an exponent."""

Form = dict[Product, Any]
"""A sum of products, with fractions of FLINT's before them."""

_ZERO, _ONE = fmpq(0), fmpq(1)

ABOVE = 1 + 2.0**-50
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

    left = math.inf

    def __init__(self, balls: Balls, bits: int, to_the_last: bool = False) -> None:
        self.balls, self.to_the_last = balls, to_the_last
        self.cost = 1 + bits / 1000
        # nine tenths of 3400 bits: what is closer to 0 is below 10^-921
        self._least = ball_of((1, 2 ** (bits * 9 // 10))).arb
        self._numbers: dict[Hashable, int] = {}
        self._atoms: list[Ball] = []
        self._known: dict[Any, Made] = {}
        self._plain: dict[Any, Made] = {}
        pi = balls.named("pi")
        self._pi = self._number("pi", pi)
        self.constants: dict[str, Any] = {"pi": self.atom("pi", pi)}

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
        # where terms cancelled, the ball of the sum still has their rounding errors, and that of the form does not
        ball = self._evaluated(form) if fewer else compute()
        if any(q.height_bits() > LONGEST for q in form.values()):
            # with a key that no other number has: fractions of such length are not worth comparing
            return self.atom(object(), ball)
        if len(form) <= LONGEST_SUM:
            return Made(self, ball, form)
        # the same sum with other signs, or so many times as large, becomes the same atom
        first = form[min(form)]
        key = frozenset((product, q / first) for product, q in form.items())
        number = self._number(key, ball / exact(first))
        return Made(self, ball, {((number, 1),): first})

    def of(self, number: Any) -> Made:
        """A number as a ball."""
        if isinstance(number, Made):
            _there(number.ball)
            return number
        # those of rules, 0 and 1 above all, are asked for again and again
        if number not in self._plain:
            self._plain[number] = self.fraction(_ratio(number))
        return self._plain[number]

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
        """Return whether it is known to be 0, or counts as 0."""
        if not number.form:
            return True
        ball = _there(number.ball)
        if ball.is_zero:
            return True
        return self.to_the_last and bool(ball.arb.contains(0) and abs(ball.arb) < self._least)  # fmt: skip

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

    def nearest(self, number: Made, digits: int = NEAREST) -> Known:
        """The nearest double, perhaps the one beside it, and how far it is off; with more digits, these as well."""
        ball = _there(number.ball)
        if self.is_zero(number):
            error = float(abs(ball.arb).upper()) if number.form else 0.0
            return Known(0.0, error, BOUNDED if error else WITHOUT_ERROR, None, NEAREST)
        found = float(ball.arb)
        if not math.isfinite(found) or not found:
            return Known(None, math.inf, BOUNDED, kept(ball.arb), NEAREST)
        error = float(abs(ball.arb - found).upper()) * ABOVE
        own = Known(found, error, BOUNDED if error else WITHOUT_ERROR, None, NEAREST)
        if digits <= NEAREST or not (error and self.suffices(number, digits)):
            return own
        return own._replace(middle=kept(ball.arb), right=digits)

    def suffices(self, number: Made, digits: int = NEAREST) -> bool:
        """Return whether it is known to the digits of a double, or to more, or is 0 to all digits."""
        if self.is_zero(number):
            return True
        accuracy: int = number.ball.arb.rel_accuracy_bits()
        # the bits that so many digits take, and a few
        return accuracy > digits * 10 // 3 + 4

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
        """Return what is the same for two numbers that are made alike."""
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
                product = times(one, two)
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


def simple(number: Fraction) -> Fraction:
    """The simple fraction that a double stands for, such as 1/3; a number that is no such double as it is."""
    near = number.limit_denominator(10**4)
    return near if near and abs(near - number) * 2**52 <= abs(number) else number


EXACT = math.inf
"""The order of an expansion without a remainder."""

A_LITTLE = Fraction(1, 64)
"""What an exponent loses to a logarithm or to an oscillation: h*ln(h) is o(h^(1 - 1/64))."""

FLAT = Fraction(10**6)
"""The order of what vanishes faster than any power, such as e^(-1/h)."""

STEEP = -math.inf
"""The order of what grows faster than any power; whatever it is multiplied by, it is not known to be small."""

BESIDE = Fraction(1, 2**200)
"""The distance from a jump at which a value beside it is taken."""

MOST_TERMS = 40
"""Terms of one expansion; one that has more is cut off."""

MOST_LEVELS = 200
"""Integrals within one another: so many times does the lowest power of h go into the order of an expansion."""


class Germ(Expansion):
    """The expansion of one node on one side of the point.

    `terms` are pairs of an exponent and a coefficient that is not known to be 0, by rising exponent, none of
    them above `order`; the remainder is o(h^order), and there is none where `order` is `EXACT`.

    What grows faster than any power, such as e^(1/h), has no terms; `grows` is its sign, and 0 otherwise.
    What `swings` is, beyond its terms, h to that power times something bounded that has no limit, and less;
    where `slow` is 1 or -1, times something that goes to plus or minus infinity like a logarithm.
    """

    __slots__ = (
        "_calls", "_cuts", "_negative", "grows", "kind", "order", "slow", "swings", "terms",
    )  # fmt: skip

    kind: Space
    terms: tuple[tuple[Any, Any], ...]
    order: Any
    grows: int
    swings: Any
    slow: int

    def __init__(
        self,
        space: Space,
        terms: Sequence[tuple[Any, Any]],
        order: Any = EXACT,
        grows: int = 0,
        swings: Any = None,
        slow: int = 0,
    ) -> None:
        self.kind, self.terms = space, tuple(terms)
        self.order = order if order == EXACT else min(order, FLAT)
        self.grows, self.swings, self.slow = grows, swings, slow
        self._cuts: dict[Any, Germ] = {}
        self._calls = {}
        self._negative: Germ | None = None

    def __repr__(self) -> str:
        known = " + ".join(f"{c}*h^{p}" for p, c in self.terms) or "0"
        return known if self.order == EXACT else f"{known} + o(h^{self.order})"

    @property
    def lead(self) -> Any:
        """The lowest exponent that may occur; `EXACT` of 0."""
        return self.terms[0][0] if self.terms else self.order

    @property
    def is_constant(self) -> bool:
        """Return whether it is a number, exactly."""
        return self.order == EXACT and all(p == 0 for p, _ in self.terms)

    def limit(self) -> Any:
        """The value that the node tends to. Raises `NoSide` where it grows beyond all bounds."""
        sign = self.kind.field.sign
        if self.grows or any(p < 0 and sign(c) for p, c in self.terms):
            raise Undecided
        if self.order < 0:
            raise NeedsTerms
        return next((c for p, c in self.terms if p == 0), self.kind.field.of(0))

    def beginning(self, limit: Any) -> Germ:
        """The germ with that number, which is equal to its limit, in the place of that."""
        terms = [(p, limit if p == 0 else c) for p, c in self.terms]
        if any(c is limit for _, c in self.terms):
            return self
        return Germ(self.kind, terms, self.order, 0, self.swings, self.slow)

    def moving(self) -> tuple[Any, Any] | None:
        """The first term beyond the limit; None for a constant. Raises `NeedsTerms` where it is unknown."""
        for p, c in self.terms:
            if p != 0:
                self.kind.field.sign(c)  # it must be known not to be 0
                return p, c
        if self.order == EXACT:
            return None
        raise NeedsTerms

    def sign(self) -> int:
        """The sign that the node has close to the point, on this side."""
        if self.terms:
            return self.kind.field.sign(self.terms[0][1])
        if self.grows or self.slow:
            return self.grows or self.slow
        if self.order == EXACT:
            return 0
        raise NeedsTerms

    def cut(self, order: Any) -> Germ:
        """The germ as far as it is known to that order."""
        if order >= self.order or self.is_constant:
            return self
        return self._cut(order, order)

    def polynomial(self) -> Germ:
        """The terms alone, without the remainder."""
        return self if self.order == EXACT else self._cut(self.order, EXACT)

    def _cut(self, highest: Any, order: Any) -> Germ:
        """The terms up to the highest, with that order: always the same object.

        So are its negative and the cuts of that. A rule that calls its own function on -x, like that of
        sigmoid, would else evaluate both at every order, 2^n times.
        """
        if order not in self._cuts:
            other = None if self._negative is None else self._negative._cuts.get(order)
            kept = [(p, c) for p, c in self.terms if p <= highest]
            new = Germ(self.kind, kept, order) if other is None else -other
            self._cuts[order] = new
        return self._cuts[order]

    def derived(self) -> Germ:
        """The derivative of the terms with respect to h."""
        return Germ(self.kind, [(p - 1, c * p) for p, c in self.terms if p != 0])

    def integrated(self) -> Germ:
        """The integral from 0. Raises `Undecided` where it is a logarithm, or infinite."""
        if self.lead <= -1:
            raise Undecided
        terms = [(p + 1, c / (p + 1)) for p, c in self.terms]
        if not self.slow:
            return Germ(self.kind, terms, self.order + 1)
        return Germ(self.kind, terms, self.order + 1, 0, self.swings + 1, self.slow)

    def scaled(self, factor: Any, exponent: Any) -> Germ:
        """The product with factor*h^exponent."""
        terms = [(p + exponent, c * factor) for p, c in self.terms]
        if not self.grows and self.swings is None:
            return Germ(self.kind, terms, _plus(self.order, exponent))
        sign = self.kind.field.sign(factor)
        swings = None if self.swings is None else self.swings + exponent
        more = (self.grows * sign, swings, self.slow * sign)
        return Germ(self.kind, terms, _plus(self.order, exponent), *more)

    def __apply__(self, operation: Operation, arguments: Sequence[Any]) -> Germ:
        return self.kind.push(operation, list(map(self._of, arguments)))  # type: ignore[no-any-return] # a germ

    def __add__(self, other: Any) -> Germ:
        return self.kind.sum([self, self._of(other)])

    def __neg__(self) -> Germ:
        if self._negative is None:
            terms = [(p, -c) for p, c in self.terms]
            more = (-self.grows, self.swings, -self.slow)
            new = Germ(self.kind, terms, self.order, *more)
            self._negative = new
            new._negative = self
        return self._negative

    def __sub__(self, other: Any) -> Any:
        # x - x is 0, whereas of o(h) - o(h) no more is known than o(h)
        return self.kind.zero if other is self else super().__sub__(other)

    def __mul__(self, other: Any) -> Germ:
        return self.kind.product(self, self._of(other))

    def __truediv__(self, other: Any) -> Germ:
        return self.kind.quotient(self, self._of(other))

    def __bool__(self) -> bool:
        return self.sign() != 0

    __hash__ = object.__hash__


give_operators(Germ, "lt le eq ne", lambda name, one, other: getattr(operator, name)((one - other).sign(), 0))  # fmt: skip


def _plus(order: Any, exponent: Any) -> Any:
    """Return their sum; what is infinite stays so, even if the exponent is a fraction that has no double."""
    return order if order in (EXACT, STEEP) else order + exponent


class Space(Expansions):
    """The germs over one field, expanded up to `highest`, an exponent: a number type for rules."""

    faults = (NoSide, Undecided)

    def __init__(self, field: Digits, highest: int) -> None:
        self.field, self.highest = field, highest
        super().__init__({name: self.number(c) for name, c in field.constants.items()})
        self.zero = self.number(0)
        self._starts: dict[Any, tuple[Germ, Sequence[Any]]] = {}
        self._ends = False  # whether `_growing` is under way

    def truth(self, condition: Germ) -> int:
        """The sign of a condition close to the point decides a choice."""
        return condition.sign()

    @property
    def _hidden(self) -> Germ:
        """A result that is not known yet, for a rule that should do without it."""
        return Germ(self, [], STEEP)

    def number(self, thing: Any) -> Germ:
        """A germ as it is; a constant for a number."""
        if isinstance(thing, Germ):
            return thing
        number = self.field.of(thing)
        return Germ(self, [] if self.field.is_zero(number) else [(0, number)])

    def line(self, slope: Any) -> Germ:
        """The germ of a variable that moves away from 0."""
        return Germ(self, [(1, self.field.of(slope))])

    def sum(self, germs: Sequence[Germ]) -> Germ:
        """The sum; coefficients that cancel are dropped where they are known to."""
        order = min(g.order for g in germs)
        if order == STEEP:
            # e^(1/h) outgrows all that has terms, but not another such germ of the opposite sign
            growing = {g.grows for g in germs if g.order == STEEP}
            return Germ(self, [], STEEP, growing.pop() if len(growing) == 1 else 0)
        by_exponent: dict[Any, Any] = {}
        for p, c in (term for g in germs for term in g.terms):
            by_exponent[p] = by_exponent[p] + c if p in by_exponent else c
        found = self._collected(by_exponent, order)
        swinging = [g for g in germs if g.swings is not None]
        if len(swinging) == 1 and order == swinging[0].order:
            swings = swinging[0].swings
            others = [g.order for g in germs if g is not swinging[0]]
            rest = min(others, default=EXACT)
            self._swing(found, by_exponent, swings, rest, swinging[0].slow)
        return found

    def _swing(
        self, germ: Germ, exponents: Iterable[Any], swings: Any, order: Any, slow: int
    ) -> None:
        """Note that a germ swings, if neither a term nor a remainder of that order is greater."""
        if order >= swings and not any(germ.order < p < swings for p in exponents):
            germ.swings, germ.slow = swings, slow

    def _collected(self, by_exponent: dict[Any, Any], order: Any) -> Germ:
        within = [(p, c) for p, c in by_exponent.items() if p <= order]
        kept = sorted((p, c) for p, c in within if not self.field.is_zero(c))
        if len(kept) > MOST_TERMS:
            kept, order = kept[:MOST_TERMS], min(order, kept[MOST_TERMS - 1][0])
        return Germ(self, kept, order)

    def product(self, a: Germ, b: Germ) -> Germ:
        """The product, to the order that both factors allow."""
        if EXACT in (a.lead, b.lead):  # one of them is 0
            return self.number(0)
        for one, other in ((a, b), (b, a)):
            if one.is_constant and one.terms[0][1].fraction == _ONE:
                return other
        if STEEP in (a.order, b.order):
            signs = all(g.grows or g.terms for g in (a, b))
            return Germ(self, [], STEEP, a.sign() * b.sign() if signs else 0)
        order = min(_plus(b.order, a.lead), _plus(a.order, b.lead))
        by_exponent: dict[Any, Any] = {}
        beyond = set()
        for p, c in a.terms:
            for q, d in b.terms:
                if p + q <= order:
                    own = c * d
                    known = by_exponent.get(p + q)
                    by_exponent[p + q] = own if known is None else known + own
                else:
                    beyond.add(p + q)
        found = self._collected(by_exponent, order)
        for one, other in ((a, b), (b, a)):
            if one.swings is not None and other.terms and other.swings is None:
                swings, rest = one.swings + other.lead, _plus(other.order, one.lead)
                if found.order == one.order + other.lead:
                    slow = one.slow and one.slow * self.field.sign(other.terms[0][1])
                    self._swing(found, beyond, swings, rest, slow)
        return found

    def quotient(self, a: Germ, b: Germ) -> Germ:
        """Long division by the first term of the divisor."""
        if a is b and b.terms:
            return self.number(abs(self.field.sign(b.terms[0][1])))
        # what has terms, over e^(1/h), vanishes faster than any power
        if b.grows and a.order != STEEP:
            return Germ(self, [], FLAT)
        if b.terms and not b.terms[0][0] and (a.swings is None) != (b.swings is None):
            if b.swings is not None and self.field.sign(b.terms[0][1]) < 0:
                return self.quotient(-a, -b)
            if b.swings is not None:
                return self.product(a, self.push(POW, [b, self.number(-1)]))
            return self.product(a, self.quotient(self.number(1), b))
        if not b.terms:
            if b.order == EXACT:
                raise NoSide
            if b.slow:
                return Germ(self, [], a.lead - b.swings)
            raise NeedsTerms
        if a.order == STEEP:
            return Germ(self, [], STEEP, a.grows * b.sign())
        lead, c = b.terms[0]
        if len(b.terms) == 1 and b.order == EXACT:
            return a.scaled(self.field.of(1) / c, -lead)
        order = min(_plus(a.order, -lead), _plus(_plus(b.order, a.lead), -2 * lead))
        order = min(order, max(self.highest, _plus(a.lead, -lead)))
        found: list[tuple[Any, Any]] = []
        rest = a
        while rest.terms and rest.terms[0][0] - lead <= order:
            p, d = rest.terms[0]
            term = (p - lead, d / c)
            found.append(term)
            shrunk = b.scaled(term[1], term[0])
            # its first term is gone by construction, whatever rounding says
            beyond = Germ(self, [(q, -e) for q, e in shrunk.terms[1:]], shrunk.order)
            rest = self.sum([Germ(self, rest.terms[1:], rest.order), beyond])
            if len(found) > MOST_TERMS:
                return Germ(self, found[:-1], found[-2][0])
        whole = not rest.terms and rest.order == EXACT
        return Germ(self, found, EXACT if whole else order)

    def identity(self, argument: Germ) -> object:
        """Return what two germs have in common that are the same number, or the same object."""
        if not argument.is_constant:
            return id(argument)
        number = argument.limit()
        exact = self.field.exact(number)
        return id(number) if exact is None else exact

    def pushed(self, operation: Operation, germs: Sequence[Germ], inside: bool) -> Germ:
        """Return an operation on germs, computed. Raises `NoSide` or `Undecided`."""
        still = all(g.is_constant for g in germs)
        if operation in _PIECES:
            try:
                return _PIECES[operation](*germs)
            except NeedsDigits:
                if not still:
                    raise
        if operation.choose is not None:
            return self._chosen(operation, germs)
        if operation.rule == "comparison":
            sign = self.field.of((germs[0] - germs[1]).sign())
            return self.number(self.field.apply(operation, [sign, self.field.of(0)]))
        if operation.rule == "power":
            return self._power(operation, *germs)
        if not inside:
            for condition in operation.domain:
                holds = self.bind(condition.holds)
                try:
                    inside = holds(*germs)
                except NeedsTerms:
                    inside = self._surely(holds, germs)
                if not inside:
                    raise NoSide
        # log(x, x) is 1 by its formula, in which the same germ cancels
        if any(g is germs[0] for g in germs[1:]):
            number = self._number(operation, germs)
            if number is not None:
                return number
        if any(g.lead < 0 for g in germs) and any(operation.far):
            return self._far_away(operation, germs)
        if all(partial == 0 for partial in operation.partials):
            return self._stepwise(operation, germs)
        if not still:
            if any(g.lead < 0 for g in germs):
                return self._far_away(operation, germs)
            if operation.near is not None and self.at_corner(operation, germs):
                return self.number(self.bind(operation.near)(*germs))
            if operation.corner is not None and operation.formula is not None:
                return self.number(self.bind(operation.formula)(*germs))
        try:
            return self._smooth(operation, germs)
        except NeedsTerms:
            # at the end of a domain, where rules such as that of bce divide by 0
            if operation.formula is None:
                raise
            return self.number(self.bind(operation.formula)(*germs))

    def _number(self, operation: Operation, germs: Sequence[Germ]) -> Germ | None:
        """The number that an operation is here by its formula, in which more may cancel; None if it is none."""
        if operation.formula is None:
            return None
        try:
            found = self.number(self.bind(operation.formula)(*germs))
        except (Undecided, NoSide):
            return None
        return found if found.is_constant else None

    def _surely(self, holds: Callable[..., Any], germs: Sequence[Germ]) -> bool:
        """Return whether a condition holds around the limit of the one germ that moves, so that its terms don't matter."""
        moving = [i for i, g in enumerate(germs) if not g.is_constant]
        limits = [self.number(g.limit()) for g in germs]
        # on both sides of the limit and at it
        for slope in (-1, 0, 1):
            for i in moving:
                line = self.line(slope) if slope else self.zero
                beside = [x + line if j == i else x for j, x in enumerate(limits)]
                if len(moving) > 1 or not holds(*beside):
                    raise NeedsTerms
        return True

    def at_corner(self, operation: Operation, germs: Sequence[Any]) -> bool:
        """Return whether the rules do not hold at the point itself."""
        if operation.corner is None:
            return False
        return super().at_corner(operation, [self.number(g.limit()) for g in germs])

    def _far_away(self, operation: Operation, germs: Sequence[Germ]) -> Germ:
        """An argument grows beyond all bounds: by what the row says, or by the formula, if there is one."""
        does, argument = None, germs[0]
        if operation.arity == 1 and (argument.terms or argument.grows):
            does = operation.far[argument.sign() > 0]
        if does is None or (does == SLOWLY and argument.grows):
            if operation.formula is None:
                raise Undecided
            return self.number(self.bind(operation.formula)(*germs))
        if does == STEEPLY:
            up = operation.kernel(argument.sign()) > 0
            return Germ(self, [], STEEP, 1 if up else -1)
        if does == SLOWLY:
            up = operation.kernel(argument.sign() * 1e9) > 0
            return Germ(self, [], -A_LITTLE, 0, Fraction(0), 1 if up else -1)
        if does == SWINGING:
            # every value is taken again and again, since close to the point germs are continuous
            return Germ(self, [], -A_LITTLE, 0, Fraction(0))
        tends = self.number(self.bind(does)(argument) if callable(does) else does)
        if tends.order == STEEP:
            return tends
        return Germ(self, tends.terms, min(tends.order, FLAT), 0, tends.swings, tends.slow)  # fmt: skip

    def _stepwise(self, operation: Operation, germs: Sequence[Germ]) -> Germ:
        """A function that is constant between its jumps: its value a little beside."""
        values = [g.limit() for g in germs]
        if not all(g.is_constant for g in germs) and self.at_corner(operation, germs):
            for i, g in enumerate(germs):
                moving = g.moving()
                if moving is not None:
                    sign = self.field.sign(moving[1])
                    values[i] = values[i] + self.field.of(sign * BESIDE)
        return self.number(self.field.apply(operation, values))

    def _smooth(self, operation: Operation, germs: Sequence[Germ]) -> Germ:
        """f(u) = f(u(0)) + integral of f'(u)*u'; a remainder of u counts as often as f' grows."""
        try:
            limits = [g.limit() for g in germs]
            # the numbers are kept as well, so that no other gets the identity of one of them
            key = (operation, *map(id, limits))
            if key not in self._starts:
                self._starts[key] = self.number(self.field.apply(operation, limits)), limits  # fmt: skip
            start = self._starts[key][0]
        except NoSide:
            if all(g.is_constant for g in germs):
                raise
            return self._growing(operation, germs)
        if all(g.is_constant for g in germs):
            return start
        if not start.terms and len(germs) > 1:
            number = self._number(operation, germs)
            if number is not None:
                return number
        finite = [g.order for g in germs if g.order != EXACT]
        order = min([*finite, self.highest])
        exact = [g.cut(order).polynomial() for g in germs]
        moves = [p for g in exact for p, _ in g.terms if p > 0]
        if not moves:
            return self._nearly_still(operation, germs, start, order)
        if self.at_corner(operation, germs):
            # the edge of the domain: f' takes off there, and its rule does without f
            lower, below = exact, self._hidden
        else:
            if order > MOST_LEVELS * min(moves):
                raise Undecided  # of h^(1/1000) too many terms come before h
            lower = [g.cut(order - min(moves)) for g in exact]
            below = self.push(operation, lower, inside=True)
        total, remainder, swung = start, EXACT, EXACT
        swinging: list[tuple[Germ, Germ]] = []
        for i, (g, whole) in enumerate(zip(exact, germs, strict=True)):
            if whole.is_constant or operation.partials[i] == 0:
                continue
            slope = self._slope(operation, i, below, lower)
            total = total + (slope * g.derived()).integrated()
            rest = min(whole.order, order)
            if rest != EXACT:
                rest = rest + min(0, slope.lead)
            if germs[i].swings is not None and slope.terms and not swinging:
                swinging.append((germs[i], slope))
                swung = rest
            else:
                remainder = min(remainder, rest)
        # of x^acos(x) at 1 no more may be left than the 1, which is not known to be all
        end = min(remainder, swung, total.order)
        found = total._cut(end, end)
        for argument, slope in swinging:
            self._hand_on(found, total, argument, slope, remainder)
        return found

    def _nearly_still(
        self, operation: Operation, germs: Sequence[Germ], start: Germ, order: Any
    ) -> Germ:
        """f of arguments of which only the limits are known, and perhaps that one of them swings about it."""
        is_edge = self.at_corner(operation, germs)
        # at the edge of its domain, asin takes off like a root
        found = Germ(self, start.terms, order * Fraction(1, 1 + is_edge))
        swinging = [i for i, g in enumerate(germs) if g.swings is not None]
        if len(swinging) == 1 and not is_edge:
            (i,) = swinging
            limits = [self.number(g.limit()) for g in germs]
            slope = self._slope(operation, i, start, limits)
            rest = min((g.order for g in germs if g is not germs[i]), default=EXACT)
            if slope.terms:
                self._hand_on(found, found, germs[i], slope, rest)
        return found

    def _hand_on(
        self, found: Germ, total: Germ, argument: Germ, slope: Germ, rest: Any
    ) -> None:
        """f(u + h^p w) = f(u) + f'(u) h^p w + ...: what an argument that swings makes of f."""
        p, c = slope.terms[0]
        if found.order == argument.order + p and p <= 0:
            slow = argument.slow and argument.slow * self.field.sign(c)
            exponents = [q for q, _ in total.terms]
            self._swing(found, exponents, argument.swings + p, rest, slow)

    def _slope(
        self, operation: Operation, i: int, result: Germ, germs: Sequence[Germ]
    ) -> Germ:
        """A local partial by the table's rule. Where that has no value, nothing is decided."""
        try:
            return self.number(self.partials(operation)[i](result, *germs))
        except NoSide:
            raise Undecided from None

    def _growing(self, operation: Operation, germs: Sequence[Germ]) -> Germ:
        """Return where f ends without a value, such as ln at 0: f' shows whether it grows like a logarithm."""
        if self._ends:  # the rule of such a function is another such function
            raise Undecided
        self._ends = True
        exact = [g.cut(self.highest).polynomial() for g in germs]
        lead = EXACT
        changes: list[tuple[Any, Any]] = []
        try:
            for i, (g, whole) in enumerate(zip(exact, germs, strict=True)):
                if not whole.is_constant and operation.partials[i] != 0:
                    slope = self._slope(operation, i, self._hidden, exact)
                    change = slope * g.derived()
                    lead = min(lead, change.lead)
                    changes += change.terms[:1]
        finally:
            self._ends = False
        if lead < -1 or lead <= -FLAT:
            raise Undecided
        if lead != -1 or len(changes) != 1:
            return Germ(self, [], -A_LITTLE)
        # the integral of c/h is c ln(h)
        slow = -self.field.sign(changes[0][1])
        return Germ(self, [], -A_LITTLE, 0, Fraction(0), slow)

    def _power(self, operation: Operation, base: Germ, exponent: Germ) -> Germ:
        if not exponent.is_constant:
            return self._varying_power(operation, base, exponent)
        y = exponent.limit()
        low, high = self.field.bounds(y)
        if operation is not POW and low == high:
            low = high = simple(low)  # p/q with odd q, perhaps by way of a double
        if not base.terms:
            if base.order == EXACT:
                if low < 0:
                    raise NoSide
                return self.number(1 if low == 0 else 0)
            if low <= 0 or (operation is POW and low.denominator != 1):
                raise NeedsTerms
            return Germ(self, [], base.order * low)
        p, c = base.terms[0]
        negative = self.field.sign(c) < 0
        # whole powers up to 64 are products, which stay exact and end
        whole = low == high and low.denominator == 1 and abs(low) <= 64
        if p == 0 and base.swings is not None and (low if whole else not negative):
            power = self._smooth(operation, [-base if negative else base, exponent])
            return -power if negative and low % 2 else power
        if whole and (operation is POW or (operation is POW_ODD) == low % 2):
            result: Germ = self.repeated(base, abs(int(low)))
            return result if low >= 0 else self.number(1) / result
        if negative and operation is POW and not (low == high and low.denominator == 1):
            raise NoSide
        size = -base if negative else base
        # |x|^y = |c|^y * h^(p*y) * (1 + w)^y
        c = -c if negative else c
        relative = size.scaled(self.field.of(1) / c, -p)
        terms = [(0, self.field.of(1)), *relative.terms[1:]]
        relative = Germ(self, terms, relative.order)
        number = self.field.of(low) if low == high else y
        factor = self.field.apply(POW, [c, number])
        odd = operation is POW_ODD or (operation is POW and low % 2 == 1)
        factor = -factor if negative and odd else factor
        tail = relative if relative.is_constant else self._binomial(relative, number)
        if p != 0 and low != high:
            return self._irrational(p * low, p * high, self.field.sign(factor))
        return tail.scaled(factor, p * low if p else 0)

    def _irrational(self, one: Any, other: Any, sign: int) -> Germ:
        """h to a power between these two, times a number of that sign: beside the larger it grows."""
        low, high = min(one, other), max(one, other)
        return Germ(self, [], low, 0, high, sign)

    def _binomial(self, base: Germ, exponent: Any) -> Germ:
        """(1 + w)^y = 1 + y*w + y*(y - 1)/2*w^2 + ..., from 1 + w."""
        w = Germ(self, base.terms[1:], base.order)
        order = min(base.order, self.highest)
        total, power = self.number(1), self.number(1)
        if not w.terms:
            return Germ(self, total.terms, order)
        coefficient = self.field.of(1)
        for k in range(1, math.ceil(order / w.lead) + 1):
            coefficient = coefficient * (exponent - (k - 1)) / k
            power = (power * w).cut(order)
            total = total + power * self.number(coefficient)
        whole = power.is_constant or self.field.is_zero(coefficient)
        return total if whole else total.cut(order)

    def _varying_power(self, operation: Operation, base: Germ, exponent: Germ) -> Germ:
        """x^y with y on the move: the base must be positive."""
        if base.sign() < 0:
            raise NoSide
        if exponent.lead < 0 and base.lead == 0:
            return self.push(EXP, [exponent * self.push(LN, [base])])  # type: ignore[no-any-return] # a germ
        y = exponent.limit()
        sign = self.field.sign(y)
        if not base.terms and base.order != EXACT:
            # a base like h*ln(1/h): to a power that vanishes it is 1 + y*ln(base) +
            if not (base.slow > 0 and base.swings > 0):
                raise NeedsTerms
            if sign > 0:
                low, _ = self.field.bounds(exponent.limit())
                return Germ(self, [], base.order * low - A_LITTLE)
            if sign or not exponent.terms:
                raise NeedsTerms
            p, c = exponent.terms[0]
            one = [(0, self.field.of(1))]
            return Germ(self, one, p - A_LITTLE, 0, p, -self.field.sign(c))
        if not base.terms:  # 0^y
            if exponent.sign() <= 0:
                raise NoSide
            return self.number(0)
        p = base.terms[0][0]
        if p == 0:
            return self._smooth(operation, [base, exponent])
        low, high = self.field.bounds(y)
        change = exponent - self.number(y)
        if sign and change.lead > 0:  # h^change tends to 1
            if low != high:
                return self._irrational(p * low, p * high, 1)
            rest = base.terms[1][0] if len(base.terms) > 1 else base.order
            factor = self.field.apply(POW, [base.terms[0][1], self.field.of(low)])
            order = p * low + min(change.lead, _plus(rest, -p)) - A_LITTLE
            return Germ(self, [(p * low, factor)], order)
        if sign:
            return Germ(self, [], p * (low if p > 0 else high) - A_LITTLE)
        return self.push(EXP, [exponent * self.push(LN, [base])])  # type: ignore[no-any-return] # a germ

    def _chosen(self, operation: Operation, germs: Sequence[Germ]) -> Germ:
        """`if`, `and`, `or`: the operand that the condition chooses."""
        condition = germs[0].sign()
        chosen = operation.choose(condition) if operation.choose else None
        if operation.arity == 3 and chosen is not None:
            return germs[chosen]
        second = germs[1].sign() if chosen == 1 else 0
        truths = [self.field.of(condition != 0), self.field.of(second != 0)]
        return self.number(self.field.apply(operation, truths))


class Beside(Numbers):
    """The germs of a space close to a point whose germs, at rest, are known.

    Where an operation is continuous, the limit of its germ is its value at the point. It is taken from
    there, so that nobody has to find out that two balls are the same number. `given` are the nodes whose
    value at the point does not follow from their operands.
    """

    faults, truth = Space.faults, Space.truth

    def __init__(
        self,
        space: Space,
        still: Sequence[Germ | Exception],
        given: Collection[int] = (),
    ) -> None:
        super().__init__(space.function)
        self.space, self.still, self.zero = space, still, space.zero
        self._given, self._jumped = given, set[int]()

    def value(self, step: Step, arguments: Sequence[Germ]) -> Germ:
        """The germ of a step, which begins with its value at the point unless it jumps there."""
        germ = self.space.push(step.operation, arguments)
        here = self.still[step.node]
        if isinstance(here, Germ) and not self._jumps(step, germ, here):
            return germ.beginning(here.limit())  # type: ignore[no-any-return] # a germ
        self._jumped.add(step.node)
        return germ  # type: ignore[no-any-return] # a germ

    def _jumps(self, step: Step, germ: Germ, here: Germ) -> bool:
        """Return whether the limit is another number than the value, or may be."""
        operation = step.operation
        try:
            own = [self.still[j] for j in step.operands]
            # a power 0^0 is 1, whatever others near it tend to
            at_origin = operation.rule == "power" and all(isinstance(g, Germ) and not g.terms for g in own)  # fmt: skip
            if not (
                operation.choose is not None
                or self.space.at_corner(operation, own)
                or step.node in self._given
                or at_origin
                or not self._jumped.isdisjoint(step.operands)
            ):
                return False
            limit, value = germ.limit(), here.limit()
            return limit is not value and self.space.field.sign(limit - value) != 0
        except Undecided:
            return True


def _either(sign: Germ, one: Germ, other: Germ) -> Germ:
    """The first of two where their difference, or what has its sign, is positive, else the second."""
    try:
        # the germ itself, not one that is equal to it
        return one if sign.sign() > 0 else other
    except NeedsTerms:
        if sign.terms:
            raise
        # both are the same as far as they are known
        return other + Germ(other.kind, [], sign.order)


_PIECES: dict[Operation, Callable[..., Germ]] = {
    table.ABS: lambda x: _either(x, x, -x),
    table.RELU: lambda x: _either(x, x, x.kind.zero),
    table.MAX: lambda x, y: _either(x - y, x, y),
    table.MIN: lambda x, y: _either(y - x, x, y),
}
"""Operations that give one of two germs."""
