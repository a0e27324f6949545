"""A whole formula as one fraction of polynomials in what it is made of, reduced by the relations between these.

    1/sqrt(1 - x^2/a^2) - 1/sqrt((a^2 - x^2)/a^2)       0: roots of one radicand are one generator r, with r^2 = u
    sec(x)^2/(1 + tan(x)^2)                             1: functions of one angle are written with one or two of them
    1/(2*cos(x/2)^2 - 1)                                1/cos(x), where only products of even degree occur

A derivative of an antiderivative collapses that way. The ways to write the result are candidates, of which the
shortest is taken. A fraction is only reduced, never extended, so that it has a value wherever the formula had one.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from itertools import product as choices
from math import gcd, lcm

from exprgrad.algebra import vectors as polynomials
from exprgrad.algebra.factors import irreducible_factors
from exprgrad.algebra.polynomials import Rational
from exprgrad.algebra.vectors import Polynomial, Vector
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.operations import table
from exprgrad.operations.operation import Operation
from exprgrad.symbolic.factoring import SQUARES, Key, expanded, table_of
from exprgrad.symbolic.forms import (
    CALL,
    NUMBER,
    PRODUCT,
    SUM,
    Algebra,
    Factor,
    Form,
    Term,
    each_part,
    least,
    over,
    parts,
    raised,
)

MOST_WORK = 12_000
MOST_GENERATORS = 14
MOST_PARTS = 400
MOST_TERMS = 120
MOST_POWER = 12
MOST_WRITTEN = 12
WORTH = 3
"""What a fraction must save that is not written as powers of variables times sums."""

Packed = tuple[tuple[Vector, int], ...]
"""A polynomial that can be a key."""

_IN_TWO: dict[Operation, tuple[tuple[Operation, int], ...]] = {
    table.TAN: ((table.SIN, 1), (table.COS, -1)),
    table.COT: ((table.COS, 1), (table.SIN, -1)),
    table.SEC: ((table.COS, -1),),
    table.CSC: ((table.SIN, -1),),
    table.TANH: ((table.SINH, 1), (table.COSH, -1)),
    table.COTH: ((table.COSH, 1), (table.SINH, -1)),
    table.SECH: ((table.COSH, -1),),
    table.CSCH: ((table.SINH, -1),),
}
"""Functions as powers of the two that all are made of."""

_INVERSES = {
    table.COS: table.SEC,
    table.SIN: table.CSC,
    table.COSH: table.SECH,
    table.SINH: table.CSCH,
}

_SQUARED = (table.SEC, table.CSC, table.SECH, table.CSCH)
"""Functions whose squares are sums of a number and the square of another."""

_PERIODIC = (table.SIN, table.COS, table.TAN, table.COT, table.SEC, table.CSC)
_HYPERBOLIC = (table.SINH, table.COSH, table.TANH, table.COTH, table.SECH, table.CSCH)


def candidates(algebra: Algebra, root: Form, most: int) -> Iterator[list[Form]]:
    """Ways to write a formula as one fraction, in groups; none of what would cost much more than `most`."""
    inside = _walk(root)
    if inside is None:
        return
    called = {f.parts[0] for f in inside if f.kind == CALL}
    turned = True
    for two, kept in _ways(called):
        if not turned:
            turned = True
            continue
        try:
            form = _Rewriting(algebra, inside, two).form(root)
            fraction = _Fraction(algebra, form, kept)
            turned = not two or fraction.replaced
            found = list(fraction.written(most))
            yield [*found, *fraction.doubled(most)] if two else found
        except OutOfReachError:
            continue


def is_settled(found: Form) -> bool:
    """Whether a product has no roots, and no functions of an angle, that could be related."""
    inside = _walk(found) if found.kind == PRODUCT else None
    if inside is None:
        return False
    return not any(
        (f.kind == CALL and f.parts[0] in (*_PERIODIC, *_HYPERBOLIC))
        or (f.kind == PRODUCT and any(_is_root(e) for _, e in f.parts[1]))
        for f in inside
    )


def _walk(root: Form) -> list[Form] | None:
    """All parts of a form, or None if they are many."""
    found: dict[Form, None] = {}
    stack = [root]
    while stack:
        form = stack.pop()
        if form not in found:
            found[form] = None
            stack += parts(form)
        if len(found) > MOST_PARTS:
            return None
    return list(found)


def _ways(called: set[Operation]) -> Iterator[tuple[bool, frozenset[Operation]]]:
    """Whether functions are written with two of them, and those whose squares are kept."""
    families = [f for f in (_PERIODIC, _HYPERBOLIC) if not called.isdisjoint(f)]
    if not families:
        yield False, frozenset()
        return
    if called & set(_IN_TWO):
        yield False, frozenset((table.COS, table.COSH, *_SQUARED))
    circles = (table.SIN, table.COS) if _PERIODIC in families else (table.COS,)
    hyperbolas = (table.SINH, table.COSH) if _HYPERBOLIC in families else (table.COSH,)
    for kept in choices(circles, hyperbolas):
        yield True, frozenset(kept)


class _Rewriting:
    """Functions of one angle in terms of two of them, and radicands in one form."""

    def __init__(self, algebra: Algebra, inside: list[Form], two: bool) -> None:
        self.algebra, self.two = algebra, two
        self.done: dict[Form, Form] = {}
        self.angles = {
            f.parts[1][0]
            for f in inside
            if f.kind == CALL and f.parts[0] in (*_PERIODIC, *_HYPERBOLIC)
        }

    def form(self, root: Form) -> Form:
        """The form rewritten."""
        return each_part(root, self._rewritten, self.done, self._inner)

    @staticmethod
    def _inner(form: Form) -> list[Form]:
        return [] if form.kind == CALL else parts(form)

    def _rewritten(self, form: Form) -> Form:
        algebra = self.algebra
        if form.kind == CALL:
            return self._function(form) if self.two else form
        if form.kind == SUM:
            return algebra.add([(self.done[f], c) for f, c in form.parts[0]])
        if form.kind != PRODUCT:
            return form
        factors: list[Factor] = []
        for base, exponent in form.parts[1]:
            new = self.done[base], self.done[exponent]
            fraction = exponent.kind == NUMBER and exponent.parts[0].denominator > 1
            factors += self._radical(*new) if fraction else [self._inverse(*new)]
        return algebra.multiply(factors, form.parts[0])

    def _inverse(self, base: Form, exponent: Form) -> Factor:
        """1/cos(u)^2 as sec(u)^2, which is a polynomial in tan(u), where functions are not written with two."""
        below = exponent.kind == NUMBER and exponent.parts[0] < 0
        own = _INVERSES.get(base.parts[0]) if base.kind == CALL and below else None
        if own is None or self.two:
            return base, exponent
        inverse = self.algebra.call(own, base.parts[1])
        return inverse, self.algebra.number(-exponent.parts[0])

    def _function(self, form: Form) -> Form:
        """A function with two of its family; of a double angle with those of the single one, if that occurs."""
        algebra = self.algebra
        operation, arguments = form.parts
        own = _IN_TWO.get(operation, ((operation, 1),))
        if operation not in (*_PERIODIC, *_HYPERBOLIC):
            return form
        half = algebra.scaled(arguments[0], Fraction(1, 2))
        if half not in self.angles:
            factors = [(algebra.call(f, arguments), algebra.number(e)) for f, e in own]
            return algebra.multiply(factors)
        double = [(self._of_double(f, half), algebra.number(e)) for f, e in own]
        return algebra.multiply(double)

    def _of_double(self, operation: Operation, half: Form) -> Form:
        algebra = self.algebra
        circle = operation in (table.SIN, table.COS)
        sine, cosine = (table.SIN, table.COS) if circle else (table.SINH, table.COSH)
        s, c = algebra.call(sine, [half]), algebra.call(cosine, [half])
        if operation is sine:
            return algebra.multiply([(s, algebra.one), (c, algebra.one)], 2)
        two = algebra.number(2)
        squares = algebra.power(c, two), algebra.power(s, two)
        return algebra.add([(squares[0], 1), (squares[1], -1 if circle else 1)])

    def _radical(self, base: Form, exponent: Form) -> list[Factor]:
        """(c*u)^(p/q) as c^(p/q)*u^(p/q), where c is a positive number and u has whole coefficients."""
        algebra = self.algebra
        if base.kind == NUMBER and base.parts[0] > 0:
            return _prime_powers(algebra, base.parts[0], exponent.parts[0])
        terms = (
            expanded(algebra, base) if base.kind == PRODUCT else _flat(algebra, base)
        )
        if terms is not None:
            base = algebra.add(terms)
        if base.kind == PRODUCT:
            size, sign = abs(base.parts[0]), 1 if base.parts[0] > 0 else -1
            rest = algebra.multiply(base.parts[1], sign)
        elif base.kind == SUM:
            terms = base.parts[0]
            top = gcd(*(c.numerator for _, c in terms))
            size = Fraction(top, lcm(*(c.denominator for _, c in terms)))
            rest = algebra.add([(f, over(c, size)) for f, c in terms])
        else:
            return [(base, exponent)]
        number = _prime_powers(algebra, size, exponent.parts[0])
        return [*number, (rest, exponent)]


def _flat(algebra: Algebra, form: Form) -> list[Term] | None:
    """The terms of a sum with small powers of sums in it multiplied out."""
    if form.kind != SUM:
        return None
    found: list[Term] = []
    for part, c in form.parts[0]:
        inner = expanded(algebra, part)
        found += [(part, c)] if inner is None else [(f, c * d) for f, d in inner]
    return found


_MOST_ROOTED = 10**6


def _prime_powers(algebra: Algebra, number: Rational, exponent: Rational) -> list[Factor]:  # fmt: skip
    """A power of a positive number as powers of primes. Raises `OutOfReachError` for long decimals."""
    if number.denominator > _MOST_ROOTED:
        raise OutOfReachError
    found: list[Factor] = []
    for part, sign in ((number.numerator, 1), (number.denominator, -1)):
        if part > _MOST_ROOTED:
            base = algebra.number(part)
            found.append((base, algebra.number(sign * exponent)))
            continue
        for prime, power in _primes(part):
            whole = algebra.number(prime), algebra.number(sign * power * exponent)
            found.append(whole)
    return found


def _primes(number: int) -> Iterator[tuple[int, int]]:
    divisor = 2
    while divisor * divisor <= number:
        power = 0
        while number % divisor == 0:
            number, power = number // divisor, power + 1
        if power:
            yield divisor, power
        divisor += 1
    if number > 1:
        yield number, 1


class _Fraction:
    """A form as number * monomial * product of polynomials to whole powers."""

    def __init__(
        self, algebra: Algebra, form: Form, kept: frozenset[Operation]
    ) -> None:
        self.algebra, self.work = algebra, Work(MOST_WORK)
        self.kept = kept
        self.degrees: dict[Key, int] = {}
        self.below: set[Key] = set()
        self.split: set[Form] = set()
        self.bases: dict[Key, Form] = {}
        self._see(form)
        self._pair()
        self._enumerate()
        self.relations: list[tuple[int, int, Polynomial]] = []
        self.roots: dict[int, tuple[int, _Product]] = {}
        self.squares: list[int] = []
        self.replaced = False
        self._relate()
        self.number, self.monomial, self.factors = self._of(form)
        self._check_holes()

    # What it is made of

    def _see(self, root: Form) -> None:
        stack, seen = [root], set[Form]()
        while stack:
            form = stack.pop()
            if form in seen:
                continue
            seen.add(form)
            if form.kind == SUM:
                stack += [f for f, _ in form.parts[0]]
                continue
            for (base, rest), e in table_of(self.algebra, form).items():
                if base.kind == SUM and rest is None and e.denominator == 1:
                    stack.append(base)
                    continue
                key = base, rest
                self.degrees[key] = lcm(self.degrees.get(key, 1), e.denominator)
                if base.kind != NUMBER and _is_split(form, base):
                    self.split.add(base)
                elif e < 0:
                    self.below.add(key)
                if base.kind in (SUM, PRODUCT) and rest is None:
                    self.bases[key] = base
                    stack.append(base)

    def _pair(self) -> None:
        """Add the functions by which squares of others are replaced, and those of the double angle."""
        for base, rest in list(self.degrees):
            if base.kind != CALL or rest is not None:
                continue
            own = SQUARES.get(base.parts[0])
            if own is not None:
                other = self.algebra.call(own[0], base.parts[1])
                self.degrees.setdefault((other, None), 1)

    def _enumerate(self) -> None:
        self.keys = list(self.degrees)
        if len(self.keys) > MOST_GENERATORS:
            raise OutOfReachError
        self.places = {key: i for i, key in enumerate(self.keys)}
        self.zero: Vector = (0,) * len(self.keys)

    def _unit(self, i: int, exponent: int) -> Vector:
        return (*self.zero[:i], exponent, *self.zero[i + 1 :])

    def _relate(self) -> None:
        """The whole powers of roots, and the squares of functions, as polynomials."""
        for i, (base, rest) in enumerate(self.keys):
            degree = self.degrees[base, rest]
            if base.kind == NUMBER and rest is None and degree > 1:
                number = base.parts[0]
                if number.denominator != 1:
                    raise OutOfReachError
                self.relations.append((i, degree, {self.zero: number}))
        for i, (base, rest) in enumerate(self.keys):
            own = SQUARES.get(base.parts[0]) if base.kind == CALL else None
            if (
                own is None
                or rest is not None
                or base.parts[0] in self.kept - set(_SQUARED)
            ):
                continue
            j = self.places[self.algebra.call(own[0], base.parts[1]), None]
            degree = 2 * self.degrees[base, rest]
            square = self._unit(j, 2 * self.degrees[self.keys[j]])
            whole = {square: own[1], self.zero: own[2]}
            self.relations.append((i, degree, whole))
            if base.parts[0] in self.kept:
                self.roots[i] = degree, self._with(1, self.zero, {}, whole)
                self.squares.append(i)
        for key, base in self.bases.items():
            if self.degrees[key] > 1:
                product = self._of(base)
                self.roots[self.places[key]] = self.degrees[key], product
                inside = self._polynomial(product)
                if inside is not None:
                    self.relations.append((self.places[key], self.degrees[key], inside))

        self._relate_roots()

    def _relate_roots(self) -> None:
        """sqrt(u*v) is sqrt(u)*sqrt(v) where these occur as well; a function with such a square may be negative."""
        for (i, whole), (j, one), (k, other) in permutations(self.roots.items(), 3):
            alike = j < k and whole[0] == one[0] == other[0] != 1
            if (
                alike
                and i not in self.squares
                and _times(one[1], other[1], 1) == whole[1]
            ):
                pair = tuple(int(place in (j, k)) for place in range(len(self.keys)))
                self.roots[i] = 1, (1, pair, {})
                self.relations.insert(0, (i, 1, {pair: 1}))
                break

    # Sums and products

    def _of(self, form: Form) -> _Product:
        """A form as a product; sums in it one after the other, however deep."""
        done: dict[Form, _Product] = {}

        def make(item: Form) -> _Product:
            terms = item.parts[0] if item.kind == SUM else ((item, 1),)
            products = [self._product(f, c, done) for f, c in terms]
            return products[0] if len(products) == 1 else self._sum(products)

        return each_part(form, make, done, self._sums_in)

    def _sums_in(self, form: Form) -> list[Form]:
        terms = form.parts[0] if form.kind == SUM else ((form, 1),)
        return [
            base
            for part, _ in terms
            for (base, rest), e in self.algebra.once(table_of, part).items()
            if base.kind == SUM and rest is None and e.denominator == 1
        ]

    def _product(
        self, form: Form, number: Rational, done: dict[Form, _Product]
    ) -> _Product:
        exponents = [0] * len(self.keys)
        factors: dict[Packed, int] = {}
        if form.kind in (NUMBER, PRODUCT):
            number = number * form.parts[0]
        for (base, rest), e in self.algebra.once(table_of, form).items():
            if base.kind == SUM and rest is None and e.denominator == 1:
                own = done[base]
                number = number * raised(own[0], int(e))
                for i, power in enumerate(own[1]):
                    exponents[i] += power * int(e)
                for p, power in own[2].items():
                    _raise(factors, p, power * int(e))
            else:
                exponents[self.places[base, rest]] += int(e * self.degrees[base, rest])
        return self._roots_out((least(number), tuple(exponents), factors))

    def _roots_out(self, item: _Product) -> _Product:
        """The product with exponents of roots from 0 to less than their degree."""
        number, monomial, factors = item
        for i, degree, whole in self.relations:
            if i not in self.roots and list(whole) == [self.zero]:
                count, rest = divmod(monomial[i], degree)
                if count:
                    number = number * raised(whole[self.zero], count)
                    monomial = (*monomial[:i], rest, *monomial[i + 1 :])
        for i, (degree, (own, inner, sums)) in self.roots.items():
            count, rest = divmod(monomial[i], degree)
            if not count:
                continue
            number = number * raised(own, count)
            shifted = [a + count * b for a, b in zip(monomial, inner, strict=True)]
            shifted[i] += rest - monomial[i]
            monomial = tuple(shifted)
            factors = dict(factors)
            for p, power in sums.items():
                _raise(factors, p, power * count)
        return least(number), monomial, factors

    def _sum(self, products: list[_Product]) -> _Product:
        products = [p for p in products if p[0]]
        if not products:
            return 0, self.zero, {}
        common: dict[Packed, int] = {}
        for p in {p for _, _, factors in products for p in factors}:
            power = min(factors.get(p, 0) for _, _, factors in products)
            if power:
                common[p] = power
        lowest = tuple(map(min, *(m for _, m, _ in products))) if len(products) > 1 else products[0][1]  # fmt: skip
        below = lcm(*(n.denominator for n, _, _ in products))
        total: Polynomial = {}
        for number, monomial, factors in products:
            shift = tuple(a - b for a, b in zip(monomial, lowest, strict=True))
            own: Polynomial = {shift: int(number * below)}
            for p, power in factors.items():
                left = power - common.get(p, 0)
                if left > MOST_POWER:
                    raise OutOfReachError
                for _ in range(left):
                    own = polynomials.product(own, dict(p), self.work)
            for p, power in common.items():
                for _ in range(-power if p not in factors and power < 0 else 0):
                    own = polynomials.product(own, dict(p), self.work)
            polynomials.sum_of(total, own.items())
            if len(total) > MOST_TERMS:
                raise OutOfReachError
        return self._with(Fraction(1, below), lowest, common, self._reduced(total))

    def _with(
        self,
        number: Rational,
        monomial: Vector,
        factors: dict[Packed, int],
        total: Polynomial,
    ) -> _Product:
        """A product times a polynomial, which takes what it shares with those below the bar."""
        if not total:
            return 0, self.zero, {}
        factors = dict(factors)
        for p in [p for p, power in factors.items() if power < 0]:
            divisor = dict(p)
            while factors.get(p, 0) < 0 and len(total) > 1:
                less = self._quotient(total, divisor)
                if less is None:
                    break
                total = less
                _raise(factors, p, 1)
        own, shared = polynomials.content(total)
        total = polynomials.primitive(total)
        if total[max(total)] < 0:
            total, own = _positive(total), -own
        monomial = tuple(a + b for a, b in zip(monomial, shared, strict=True))
        number = number * own
        if len(total) > 1:
            for part, power in irreducible_factors(total, self.work):
                if len(part) > 1:
                    _raise(factors, _packed(_positive(part)), power)
        return self._roots_out((least(number), monomial, factors))

    def _quotient(self, total: Polynomial, divisor: Polynomial) -> Polynomial | None:
        """A quotient without rest; with a root r in a + b*r, if a^2 - b^2*r^2 divides the total times a - b*r."""
        less = polynomials.quotient(total, divisor, self.work)
        if less is not None:
            return less
        for i, degree, _ in self.relations:
            if degree == 2 and any(v[i] for v in divisor):
                other = {v: -c if v[i] % 2 else c for v, c in divisor.items()}
                norm = polynomials.product(divisor, other, self.work)
                norm = self._reduced(norm)
                if not norm or any(v[i] for v in norm):
                    return None
                raised = polynomials.product(total, other, self.work)
                raised = self._reduced(raised)
                return self._quotient(raised, norm) if raised else None
        return None

    def _reduced(self, total: Polynomial) -> Polynomial:
        """A polynomial with whole powers of roots, and squares of functions, replaced."""
        for i, degree, replacement in self.relations:
            while any(v[i] >= degree for v in total):
                self.replaced = True
                total = polynomials.lowered(total, i, degree, replacement, self.work)
                if len(total) > MOST_TERMS:
                    raise OutOfReachError
        return total

    def _polynomial(self, item: _Product) -> Polynomial | None:
        """A product multiplied out, if nothing is below the bar."""
        number, monomial, factors = item
        if number.denominator != 1 or min(monomial, default=0) < 0:
            return None
        if any(power < 0 or power > 4 for power in factors.values()):
            return None
        total: Polynomial = {monomial: int(number)}
        for p, power in factors.items():
            for _ in range(power):
                total = polynomials.product(total, dict(p), self.work)
        return total

    def _check_holes(self) -> None:
        """Refuse x^n/x for x^(n - 1), which has a value at 0 for some n."""
        for (base, rest), e in zip(self.keys, self.monomial, strict=True):
            if e < 0 and base in self.split and (base, rest) not in self.below:
                roots = (k[0] for k in self.bases if k in self.below)
                if rest is None and not any(r.kind == PRODUCT and any(b is base for b, _ in r.parts[1]) for r in roots):  # fmt: skip
                    raise OutOfReachError

    # Back to forms

    def written(self, most: int) -> Iterator[Form]:
        """The fraction with what is above and below the bar factored, and multiplied out; and term by term."""
        own = self.number, self.monomial, self.factors
        for item in (own, self._merged(own)):
            if item is not None and 2 * sum(map(len, item[2])) < most:
                yield from self._forms(item)

    def _merged(self, item: _Product) -> _Product | None:
        """The fraction with what is below the bar multiplied out, which is shorter where roots fall out of it."""
        number, monomial, factors = item
        rooted = {i for i, *_ in self.relations}
        below = [
            (p, -e)
            for p, e in factors.items()
            if e < 0 and any(v[i] for v, _ in p for i in rooted)
        ]
        if sum(e for _, e in below) < 2:
            return None
        try:
            total = self._multiplied(below, MOST_TERMS)
            own = self._with(1, self.zero, {}, total)
        except OutOfReachError:
            return None
        rest = {p: e for p, e in factors.items() if (p, -e) not in below}
        found = _times((number, monomial, rest), own, -1)
        return None if found[2] == factors else found

    def _forms(self, item: _Product) -> Iterator[Form]:
        number, monomial, factors = item
        monomial, factors, number = self._roots_down(monomial, factors, number)
        above = [(p, e) for p, e in factors.items() if e > 0]
        below = [(p, e) for p, e in factors.items() if e < 0]
        several = len(above) > 1 or (above and above[0][1] > 1)
        tops, bottoms = [above], [below]
        if several and (whole := self._as_one(above, 1)):
            tops.append(whole)
        if len(below) > 1 and (whole := self._as_one(below, -1)):
            bottoms.append(whole)
        own = [
            self._form(number, monomial, [*top, *bottom])
            for top, bottom in choices(tops, bottoms)
        ]
        yield from own
        least = min(form.cost for form in own) - WORTH
        flat = self._flat(number, monomial, tops[-1], bottoms[-1])
        yield from (form for form in flat if form.cost < least)
        (*_, last) = tops
        if len(last) == 1 and last[0][1] == 1 and len(last[0][0]) <= 4:
            yield self._termwise(number, monomial, last[0][0], below)

    def _flat(
        self,
        number: Rational,
        monomial: Vector,
        top: list[tuple[Packed, int]],
        bottom: list[tuple[Packed, int]],
    ) -> Iterator[Form]:
        """With one sum above or below the bar that takes in what stands beside it."""
        above = tuple(max(e, 0) for e in monomial)
        below = tuple(max(-e, 0) for e in monomial)
        tops, bottoms = [(monomial, top)], [bottom]
        if len(bottom) == 1 and bottom[0][1] == -1 and any(below):
            own = self._reduced(polynomials.product(dict(bottom[0][0]), {below: 1}, self.work))  # fmt: skip
            tops[0] = above, top
            bottoms = [[(_packed(own), -1)]]
        if len(top) == 1 and top[0][1] == 1 and any(above):
            own = self._reduced(polynomials.product(dict(top[0][0]), {above: 1}, self.work))  # fmt: skip
            rest = tuple(e - a for e, a in zip(tops[0][0], above, strict=True))
            tops.append((rest, [(_packed(own), 1)]))
        if len(tops) > 1 or any(below):
            for (vector, sums), others in choices(tops, bottoms):
                yield self._form(number, vector, [*sums, *others])

    def _as_one(
        self, factors: list[tuple[Packed, int]], sign: int
    ) -> list[tuple[Packed, int]]:
        """Factors multiplied out; none if that is long."""
        try:
            total = self._multiplied([(p, sign * e) for p, e in factors])
        except OutOfReachError:
            return []
        return [(_packed(total), sign)] if total else []

    def _multiplied(
        self, factors: list[tuple[Packed, int]], most: int = MOST_WRITTEN
    ) -> Polynomial:
        total: Polynomial = {self.zero: 1}
        for p, power in factors:
            for _ in range(power):
                total = polynomials.product(total, dict(p), self.work)
                if len(total) > most:
                    raise OutOfReachError
        return self._reduced(total)

    def _roots_down(
        self, monomial: Vector, factors: dict[Packed, int], number: Rational
    ) -> tuple[Vector, dict[Packed, int], Rational]:
        """r/u as 1/r for a root r of u."""
        factors, vector = dict(factors), list(monomial)
        for i in self.squares:
            degree, (own, inner, sums) = self.roots[i]
            count = min(factors.get(p, 0) for p in sums)
            if count > 0:
                for p in sums:
                    _raise(factors, p, -count)
                vector[i] += degree * count
                number = over(number, raised(own, count))
        for i, (degree, (own, inner, sums)) in self.roots.items():
            changes = [(factors.get(p, 0), power) for p, power in sums.items()]
            changes += [c for c in zip(vector, inner, strict=True) if c[1]]
            if (
                vector[i] > 0
                and changes
                and all(-e >= d > 0 or -e <= d < 0 for e, d in changes)
            ):
                for p, power in sums.items():
                    _raise(factors, p, power)
                vector = [a + b for a, b in zip(vector, inner, strict=True)]
                vector[i] -= degree
                number = number * own
        return tuple(vector), factors, least(number)

    def _form(
        self, number: Rational, monomial: Vector, factors: list[tuple[Packed, int]]
    ) -> Form:
        algebra = self.algebra
        out = self._powers(monomial)
        for p, power in factors:
            inside = algebra.add(
                [(algebra.multiply(self._powers(v)), c) for v, c in reversed(p)]
            )
            out.append((inside, algebra.number(power)))
        joined = _joined(algebra, out)
        apart = algebra.multiply(joined, number)
        whole = algebra.multiply(_rooted(algebra, joined), number)
        return whole if whole.cost < apart.cost else apart

    def _powers(self, vector: Vector) -> list[Factor]:
        out: list[Factor] = []
        for (base, rest), e in zip(self.keys, vector, strict=True):
            if e:
                degree = self.degrees[base, rest]
                own: Rational = e if degree == 1 else least(Fraction(e, degree))
                exponent = self.algebra.number(own) if rest is None else self.algebra.scaled(rest, own)  # fmt: skip
                out.append((base, exponent))
        return _joined(self.algebra, out)

    def _termwise(
        self,
        number: Rational,
        monomial: Vector,
        above: Packed,
        below: list[tuple[Packed, int]],
    ) -> Form:
        """The fraction as a sum of fractions."""
        terms = []
        for v, c in reversed(above):
            own = tuple(a + b for a, b in zip(v, monomial, strict=True))
            own, factors, scale = self._roots_down(own, dict(below), number * c)
            terms.append((self._form(1, own, list(factors.items())), scale))
        return self.algebra.add(terms)

    # Double angles

    def doubled(self, most: int) -> Iterator[Form]:
        """With functions of the double angle, where those of an angle occur in products of even degree only."""
        vectors = [self.monomial, *(v for p in self.factors for v, _ in p)]
        pairs = []
        for i, (base, rest) in enumerate(self.keys):
            if (
                base.kind == CALL
                and base.parts[0] in (table.SIN, table.SINH)
                and rest is None
            ):
                circle = base.parts[0] is table.SIN
                other = (
                    self.algebra.call(
                        table.COS if circle else table.COSH, base.parts[1]
                    ),
                    None,
                )
                j = self.places.get(other)
                # of sin(x)^(3/2) the exponents here are 3 of a root, not degrees in sin(x)
                if j is None or self.degrees[base, rest] * self.degrees[other] > 1:
                    continue
                if any(v[i] or v[j] for v in vectors):
                    pairs.append((i, j, circle))
        if pairs and self.number:
            own = self.number, self.monomial, self.factors
            try:
                double = _Doubled(self, self._merged(own) or own, pairs[:2])
            except OutOfReachError:
                return
            yield from double.written(most)
            yield from double.doubled(most)


class _Doubled(_Fraction):
    """A fraction with the sine and cosine of some angles replaced by those of the double ones."""

    def __init__(
        self, own: _Fraction, item: _Product, pairs: list[tuple[int, int, bool]]
    ) -> None:
        algebra = self.algebra = own.algebra
        self.work, self.kept = Work(MOST_WORK), own.kept
        self.squares = own.squares
        self.degrees, self.below, self.bases = dict(own.degrees), own.below, {}
        doubles = []
        for i, _, circle in pairs:
            (angle,) = own.keys[i][0].parts[1]
            twice = algebra.scaled(angle, 2)
            for f in (table.SIN, table.COS) if circle else (table.SINH, table.COSH):
                key = algebra.call(f, [twice]), None
                if key in self.degrees:
                    raise OutOfReachError
                self.degrees[key] = 1
                doubles.append(key)
        self._enumerate()
        self.relations = []
        for k, (_, _, circle) in enumerate(pairs):
            s, c = (self.places[key] for key in doubles[2 * k : 2 * k + 2])
            sign = -1 if circle else 1
            square = {self._unit(c, 2): sign, self.zero: -sign}
            self.relations.append((s, 2, square))
        self.roots = {
            i: (q, (n, (*m, *(0,) * len(doubles)), self._longer(f, len(doubles))))
            for i, (q, (n, m, f)) in own.roots.items()
        }
        self._replace(item, pairs, [self.places[key] for key in doubles])

    @staticmethod
    def _longer(factors: dict[Packed, int], count: int) -> dict[Packed, int]:
        more = (0,) * count
        return {
            tuple(((*v, *more), c) for v, c in p): power for p, power in factors.items()
        }

    def _replace(
        self, item: _Product, pairs: list[tuple[int, int, bool]], places: list[int]
    ) -> None:
        more = (0,) * len(places)
        lifted = {place for pair in pairs for place in pair[:2]}
        number, exponents, own = item
        above = (*(max(e, 0) if k in lifted else 0 for k, e in enumerate(exponents)), *more)  # fmt: skip
        below = (*(max(-e, 0) if k in lifted else 0 for k, e in enumerate(exponents)), *more)  # fmt: skip
        monomial = (*(0 if k in lifted else e for k, e in enumerate(exponents)), *more)
        pieces = [*self._longer(own, len(places)).items()]
        pieces += [(((above, 1),), 1), (((below, 1),), -1)]
        found: _Product = (number, monomial, {})
        for packed, power in pieces:
            total, divisor = self._evened(dict(packed), pairs, places)
            total = self._reduced(total)
            if not total:
                raise OutOfReachError
            part = self._with(Fraction(1, divisor), self.zero, {}, total)
            found = _times(found, part, power)
        self.number, self.monomial, self.factors = found

    def _evened(
        self, p: Polynomial, pairs: list[tuple[int, int, bool]], places: list[int]
    ) -> tuple[Polynomial, int]:
        """A polynomial of even degree in each pair in terms of the double angle, times a number."""
        divisor = 1
        for k, (i, j, circle) in enumerate(pairs):
            s, c = places[2 * k], places[2 * k + 1]
            half = max((v[i] + v[j] + 1) // 2 for v in p)
            low = {self._unit(c, 1): -1 if circle else 1, self.zero: 1 if circle else -1}  # fmt: skip
            high = {self._unit(c, 1): 1, self.zero: 1}
            total: Polynomial = {}
            for v, number in p.items():
                a, b = v[i], v[j]
                if (a + b) % 2 or a + b > 2 * MOST_POWER:
                    raise OutOfReachError
                rest = list(v)
                rest[i] = rest[j] = 0
                rest[s] += a % 2
                own = {tuple(rest): number * 2 ** (half - (a + b) // 2)}
                for side, count in ((low, a // 2), (high, b // 2)):
                    for _ in range(count):
                        own = polynomials.product(own, side, self.work)
                polynomials.sum_of(total, own.items())
            p, divisor = total, divisor * 2**half
        return p, divisor


_Product = tuple[Rational, Vector, dict[Packed, int]]


def _times(one: _Product, other: _Product, power: int) -> _Product:
    """A product times a power of another."""
    factors = dict(one[2])
    for p, e in other[2].items():
        _raise(factors, p, e * power)
    monomial = tuple(a + b * power for a, b in zip(one[1], other[1], strict=True))
    return least(one[0] * raised(other[0], power)), monomial, factors


def _raise(factors: dict[Packed, int], p: Packed, power: int) -> None:
    new = factors.get(p, 0) + power
    if new:
        factors[p] = new
    else:
        factors.pop(p, None)


def _positive(p: Polynomial) -> Polynomial:
    """The polynomial or its opposite, with a positive leading coefficient, as products of such have."""
    return p if p[max(p)] > 0 else {v: -c for v, c in p.items()}


def _packed(p: Polynomial) -> Packed:
    return tuple(sorted(p.items()))


def _joined(algebra: Algebra, factors: list[Factor]) -> list[Factor]:
    """Roots of numbers under one root: sqrt(2)*sqrt(3) = sqrt(6)."""
    numbers: dict[Rational, Rational] = {}
    out: list[Factor] = []
    for base, exponent in factors:
        if base.kind == NUMBER and exponent.kind == NUMBER and base.parts[0] > 0:
            e = exponent.parts[0]
            whole, rest = divmod(e.numerator, e.denominator)
            if rest:
                inside = least(Fraction(rest, e.denominator))
                numbers[inside] = numbers.get(inside, 1) * base.parts[0]
            out.append((base, algebra.number(whole)))
        else:
            out.append((base, exponent))
    out += [(algebra.number(n), algebra.number(e)) for e, n in numbers.items()]
    return out


def _rooted(algebra: Algebra, factors: list[Factor]) -> list[Factor]:
    """A root of a number within one that is no number: sqrt(3)*sqrt(sec(x)) = sqrt(3*sec(x))."""
    numbers = {e: b for b, e in factors if b.kind == NUMBER and _is_root(e)}
    out: list[Factor] = []
    for base, exponent in factors:
        if base.kind == NUMBER and _is_root(exponent):
            continue
        own = numbers.get(exponent) if base.kind != NUMBER else None
        if own is not None:
            del numbers[exponent]
            base = algebra.multiply([(base, algebra.one)], own.parts[0])
        out.append((base, exponent))
    return [*out, *((b, e) for e, b in numbers.items())]


def _is_root(exponent: Form) -> bool:
    return exponent.kind == NUMBER and bool(exponent.parts[0].denominator > 1)


def _is_split(form: Form, base: Form) -> bool:
    """Whether a power of a base is part of one with a variable exponent: x^(n - 1)."""
    factors = form.parts[1] if form.kind == PRODUCT else ()
    return any(b is base and e.kind != NUMBER for b, e in factors)
