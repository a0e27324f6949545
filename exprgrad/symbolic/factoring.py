"""The shortest of several ways to write a sum or a product: as it is, as one fraction, factored.

    4*(2*x - 4)*(x^2 + 1)^3 + ...       common powers are taken out, and what is left is a polynomial in
                                        variables, functions and roots, which is multiplied out or factored
    (x^2 - 1)/(x - 1)                   sums above and below a fraction bar are divided by their greatest
                                        common divisor

Factors that are variables stay where they are (2*x*sin(x) + x^2*cos(x) is how people write it). Multiplying out,
factoring and dividing are bounded work; what takes more stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

from exprgrad.algebra import vectors as polynomials
from exprgrad.algebra.factors import common_divisor, irreducible_factors
from exprgrad.algebra.polynomials import Rational
from exprgrad.algebra.vectors import Polynomial
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.operations import table as operations
from exprgrad.operations.operation import Operation
from exprgrad.symbolic.forms import (
    CALL,
    LEAF,
    NUMBER,
    PRODUCT,
    SUM,
    Algebra,
    Factor,
    Form,
    Term,
    each_part,
    is_euler,
    is_whole,
    least,
    over,
    raised,
)

_MOST_TERMS = 24
_MOST_FACTORED = 3000
"""Terms of a sum that is to be factored at any length."""
_MOST_EXPANDED = 12
_MOST_FACTORS = 8
_MOST_GENERATORS = 12
_MOST_POWER = 8
_MOST_DENOMINATORS = 4
_MOST_WORK = 3000
_MOST_LONG_WORK = 100_000

Key = tuple[Form, Form | None]
"""A base, and the variable part of its exponent (of e^x and x^y)."""

Table = dict[Key, Rational]
"""A product: the power of each key."""


def shortest(algebra: Algebra, root: Form) -> Form:
    """The form with every sum and product in it written the shortest way."""
    done: dict[Form, Form] = {}
    return each_part(root, lambda form: _rebuilt(algebra, form, done), done)


def _rebuilt(algebra: Algebra, form: Form, done: dict[Form, Form]) -> Form:
    if form.kind == CALL:
        operation, arguments = form.parts
        return algebra.call(operation, [done[a] for a in arguments])
    if form.kind == PRODUCT:
        scale, factors = form.parts
        product = algebra.multiply([(done[b], done[e]) for b, e in factors], scale)
        return _short_product(algebra, product)
    if form.kind == SUM:
        terms = [(done[f], c) for f, c in form.parts[0]]
        return _short_sum(algebra, algebra.add(terms))
    return form


def polished(algebra: Algebra, form: Form) -> Form:
    """A product or sum with its factors written the shortest way."""
    return _short_product(algebra, form) if form.kind == PRODUCT else form


def is_plain_sum(algebra: Algebra, form: Form) -> bool:
    """Whether a form is a sum of powers of variables, as people write it: 1/x - 1/x^2."""
    return form.kind == SUM and all(
        rest is None and base.kind in (LEAF, NUMBER)
        for part, _ in form.parts[0]
        for base, rest in algebra.once(table_of, part)
    )


def is_power(form: Form) -> bool:
    """Whether a form is a product with a power of a sum in it."""
    return any(
        base.kind == SUM and exponent.kind == NUMBER and abs(exponent.parts[0]) > 1
        for base, exponent in _factors(form) or ()
    )


def _short_product(algebra: Algebra, form: Form) -> Form:
    """The best of a product as it is, without fractions in its sums, cancelled, contents out, pairs spread."""
    factors = _factors(form) or ()
    if len(factors) > _MOST_FACTORS:
        return form
    form = _as_ratio(algebra, form)
    if all(base.kind != SUM for base, _ in _factors(form) or ()):
        return form
    for rewrite in (_cancelled, _without_contents, _paired, _turned):
        candidate = rewrite(algebra, form)
        if candidate.cost <= form.cost:
            form = candidate
    return form


def _short_sum(algebra: Algebra, form: Form) -> Form:
    """The best of a sum as it is, and as one product: multiplied out, or factored."""
    if form.kind != SUM or len(form.parts[0]) > _MOST_TERMS:
        return form
    if any(len(_factors(part) or ()) > _MOST_FACTORS for part, _ in form.parts[0]):
        return form
    best = form
    for candidate in _Sum(algebra, form.parts[0]).candidates():
        if candidate.cost <= best.cost:
            best = candidate
    if best.kind == PRODUCT and best is not form:
        return _short_product(algebra, best)
    return _turned(algebra, best)


class _Sum:
    """A sum of products as a common product times what is left of each."""

    def __init__(
        self, algebra: Algebra, terms: tuple[Term, ...], work: int = _MOST_WORK
    ) -> None:
        self.algebra, self.terms = algebra, terms
        self.tables = [dict(algebra.once(table_of, form)) for form, _ in terms]
        self.coefficients = [c for _, c in terms]
        self._keep_low_exponents()
        self._turn_opposites()
        self.work = Work(work)
        self.common = self._common()
        self.rest = [
            {k: left for k in {**t, **self.common} if (left := t.get(k, 0) - self.common.get(k, 0))}
            for t in self.tables
        ]  # fmt: skip

    def _keep_low_exponents(self) -> None:
        """Take x^(n - 1) for x^n/x where nothing else stands over x, in place: x + x^(n - 1) has a value at 0."""
        over = {
            base
            for table in self.tables
            for (base, rest), e in table.items()
            if rest is None
            and e < 0
            and not any(b is base and r is not None for b, r in table)
        }
        lowest: Table = {}
        for table in self.tables:
            for base, rest in table:
                # whole powers of a product are taken apart: u*v*(u*v)^(n - 1) needs them
                if rest is not None and base.kind != PRODUCT and base not in over:
                    plain = table.get((base, None), 0)
                    lowest[base, rest] = min(lowest.get((base, rest), 0), plain)
        for table in self.tables:
            for base, rest in [key for key in table if lowest.get(key)]:
                assert rest is not None, "only variable exponents have a lowest"
                low = lowest[base, rest]
                moved = self.algebra.add([(rest, 1), (self.algebra.one, low)])
                table[base, moved] = table.pop((base, rest))
                table[base, None] = table.get((base, None), 0) - low

    def _turn_opposites(self) -> None:
        """Write sums that are opposites of each other as the first of them, in place: (m - x)^3 = -(x - m)^3."""
        seen: set[Form] = set()
        for i, table in enumerate(self.tables):
            for key, e in list(table.items()):
                if not _is_sum(key, e) or key[0] in seen:
                    continue
                opposite = self.algebra.once(_opposite, key[0])
                if opposite not in seen:
                    seen.add(key[0])
                    continue
                del table[key]
                table[opposite, None] = table.get((opposite, None), 0) + e
                if e % 2:
                    self.coefficients[i] *= -1

    def candidates(self) -> Iterator[Form]:
        """Ways to write the sum, the shortest last where they are equally long."""
        if not self._is_heavy():
            yield from self._by_identity()
            return
        yield from self._by_denominators()
        divisor = _content(self.coefficients)
        rest = zip(self.rest, self.coefficients, strict=True)
        inside = [(self.product(t), over(c, divisor)) for t, c in rest]
        sums = self.algebra.add(inside)
        if not self._brings_up():
            yield self._times(self.common, divisor, [(sums, 1)])
        yield from self._expanded()

    def _by_denominators(self) -> Iterator[Form]:
        """With the fractions that share a sum below the bar over one bar, and the other terms as they are."""
        below = {
            key[0]: None
            for table in self.tables
            for key, e in table.items()
            if _is_sum(key, e) and e < 0
        }
        for base in list(below)[:_MOST_DENOMINATORS]:
            inside = [table.get((base, None), 0) < 0 for table in self.tables]
            if not 1 < sum(inside) < len(inside):
                continue
            parts = list(zip(self.terms, inside, strict=True))
            shared = self.algebra.add([t for t, own in parts if own])
            rest = [t for t, own in parts if not own]
            short = _short_sum(self.algebra, shared)
            if short is not shared:
                yield self.algebra.add([*rest, (short, 1)])

    def _brings_up(self) -> bool:
        """Whether one bar for all terms takes a sum from below it into the sum above it."""
        return any(
            key[0].kind == SUM and self.common.get(key, 0) < 0
            for table in self.rest
            for key in table
        )

    def _by_identity(self) -> Iterator[Form]:
        """With a square of a function replaced: sin(x)^2 + 2*cos(x)^2 = cos(x)^2 + 1."""
        squares = {
            base.parts[0]
            for table in self.tables
            for (base, rest), e in table.items()
            if rest is None and base.kind == CALL and e >= 2
        }
        if not squares.isdisjoint(_SQUARES):
            yield from self._expanded()

    def _common(self) -> Table:
        """The power of each key that every term has; a missing one is 0, but not of an exponential."""
        common: Table = {}
        for key in {k: None for table in self.tables for k in table}:
            powers = [table.get(key, 0) for table in self.tables]
            if is_euler(key[0]):
                signs = {(e > 0) - (e < 0) for e in powers}
                own: Rational = (
                    (max if powers[0] < 0 else min)(powers) if len(signs) == 1 else 0
                )
            elif key[1] is not None:
                own = min(powers) if all(powers) else 0
            else:
                own = min(powers)
            if own:
                common[key] = own
        return common

    def _is_heavy(self) -> bool:
        """Whether something is common but variables, or there are sums to be multiplied out.

        Sums of powers of variables stay: 1/x - 1/x^2.
        """
        if all(
            rest is None and base.kind in (LEAF, NUMBER)
            for table in self.tables
            for base, rest in table
        ):
            return False
        return any(
            base.kind not in (LEAF, NUMBER) or rest is not None or e < 0
            for (base, rest), e in self.common.items()
        ) or any(
            base.kind == SUM and rest is None and e.denominator == 1
            for table in self.rest
            for (base, rest), e in table.items()
        )

    def product(self, table: Table) -> Form:
        """The product of some powers."""
        return self.algebra.multiply(_powers(self.algebra, table))

    def _times(
        self, table: Table, scale: Rational, sums: list[tuple[Form, int]]
    ) -> Form:
        powers = [(form, self.algebra.number(e)) for form, e in sums]
        whole = [*_powers(self.algebra, table), *powers]
        return _turned(self.algebra, self.algebra.multiply(whole, scale))

    def _expanded(self) -> Iterator[Form]:
        """The sum with what is left multiplied out, and that factored."""
        try:
            ring = _Ring(self.algebra, self.rest, self.work)
            scale, total = ring.total(self.rest, self.coefficients)
            if not total:
                yield self.algebra.zero
                return
            total = ring.by_identities(total)
            if not total:
                yield self.algebra.zero
                return
            yield from self._factored(ring, scale, total)
        except OutOfReachError:
            return

    def _factored(
        self, ring: _Ring, scale: Rational, total: Polynomial
    ) -> Iterator[Form]:
        number, monomial = polynomials.content(total)
        table = dict(self.common)
        for key, e in ring.table(monomial).items():
            table[key] = table.get(key, 0) + e
        total = polynomials.primitive(total)
        scale *= number
        factor, common, below, total = self._divided(ring, table, total)
        scale *= factor
        plain = not below and all(_is_plain(k, e) for k, e in common.items())
        if plain and len(total) > 1:
            product = ring.form(total), self.algebra.one
            terms = spread(self.algebra, self.algebra.multiply([product], scale))
            yield self._spread_over(common, terms)
        else:
            yield self._times(common, scale, [*below, (ring.form(total), 1)])
        if 1 < len(total) <= _MOST_EXPANDED:
            found = irreducible_factors(total, self.work)
            if len(found) > 1 or found[0][1] > 1:
                sign = _sign(total, found)
                several = [(ring.form(p), e) for p, e in found]
                yield self._times(common, sign * scale, [*below, *several])

    def _spread_over(self, table: Table, form: Form) -> Form:
        """A sum times variables, term by term."""
        factor = self.product(table), self.algebra.one
        terms = self.algebra.terms(form)
        return self.algebra.add(
            [
                (self.algebra.multiply([(f, self.algebra.one), factor]), c)
                for f, c in terms
            ]
        )

    def _divided(
        self, ring: _Ring, table: Table, total: Polynomial
    ) -> tuple[Rational, Table, list[tuple[Form, int]], Polynomial]:
        """The polynomial without the factors that it shares with sums outside, which take them in."""
        table, changed = dict(table), []
        number: Rational = 1
        for key in [k for k, e in table.items() if _is_sum(k, e)]:
            found = ring.sums(key[0])
            if found is None or len(total) == 1:
                continue
            scale, own = found
            while (less := polynomials.quotient(total, own, self.work)) is not None:
                total = less
                table[key] += 1
                number = over(number, scale)
            if table[key] >= 0 or len(total) == 1:
                continue
            shared = common_divisor(own, total, self.work)
            rest = polynomials.quotient(own, shared, self.work)
            if len(shared) > 1 and rest is not None:
                power = int(table.pop(key))
                number *= raised(scale, power)
                while (less := polynomials.quotient(total, shared, self.work)) is not None:  # fmt: skip
                    total = less
                    changed.append((ring.form(shared), 1))
                changed += [(ring.form(shared), power), (ring.form(rest), power)]
        return number, table, changed, total


def _opposite(algebra: Algebra, form: Form) -> Form:
    """A sum with the other sign."""
    return algebra.add([(f, -c) for f, c in form.parts[0]])


def _sign(total: Polynomial, found: list[tuple[Polynomial, int]]) -> int:
    """-1 if the product of the factors is the opposite of the polynomial."""
    top = max(total)
    lead = 1
    for p, e in found:
        lead *= 1 if p[max(p)] > 0 else (-1) ** e
    return lead if total[top] > 0 else -lead


def _is_plain(key: Key, exponent: Rational) -> bool:
    """Whether a power is a variable to a positive whole one."""
    whole = exponent.denominator == 1 and exponent > 0
    return key[0].kind == LEAF and key[1] is None and whole


def _is_sum(key: Key, exponent: Rational) -> bool:
    """Whether a power is a whole one of a sum."""
    return key[0].kind == SUM and key[1] is None and exponent.denominator == 1


def _powers(algebra: Algebra, table: Table) -> list[Factor]:
    return [
        (base, algebra.number(e) if rest is None else algebra.scaled(rest, e))
        for (base, rest), e in table.items()
    ]


def table_of(algebra: Algebra, form: Form) -> Table:
    """A product as powers of keys, without its number; sums in exponents of positive bases are split."""
    table: Table = {}
    factors = form.parts[1] if form.kind == PRODUCT else ((form, algebra.one),)
    for base, exponent in factors if form.kind != NUMBER else ():
        pieces: list[tuple[Key, Rational]]
        if exponent.kind == NUMBER and not is_euler(base):
            pieces = [((base, None), exponent.parts[0])]
        elif exponent.kind == NUMBER:
            pieces = [((base, algebra.one), exponent.parts[0])]
        else:
            pieces = list(_exponents(algebra, base, exponent))
        for key, power in pieces:
            table[key] = table.get(key, 0) + power
    return table


def _exponents(
    algebra: Algebra, base: Form, exponent: Form
) -> Iterator[tuple[Key, Rational]]:
    """e^(u + v) as e^u*e^v, and x^(y - 1) as x^y*x^-1."""
    terms = list(algebra.terms(exponent))
    if is_euler(base):
        yield from (((base, part), c) for part, c in terms)
        return
    number = base.kind == NUMBER and base.parts[0] > 0
    whole = [c for part, c in terms if part is algebra.one and c.denominator == 1]
    if number:
        for part, c in terms:
            one = part is algebra.one
            yield (base, None if one else part), c
    elif whole and base.kind != NUMBER:
        rest = algebra.add([t for t in terms if t[0] is not algebra.one])
        yield (base, rest), 1
        yield (base, None), whole[0]
    else:
        yield (base, exponent), 1


class _Ring:
    """Polynomials in the powers of some tables, with sums to whole powers multiplied out.

    A generator is base^(1/q), where q is the least common denominator of its exponents.
    """

    def __init__(self, algebra: Algebra, tables: list[Table], work: Work) -> None:
        self.algebra, self.work = algebra, work
        self.degrees: dict[Key, int] = {}
        self._inner: dict[Form, list[Table]] = {}
        self._totals: dict[Form, tuple[Rational, Polynomial]] = {}
        self._sums: dict[Form, tuple[Rational, Polynomial] | None] = {}
        for table in tables:
            self._see(table)
        self.keys = list(self.degrees)
        if len(self.keys) > _MOST_GENERATORS:
            raise OutOfReachError
        self.places = {key: i for i, key in enumerate(self.keys)}
        self._roots: list[tuple[int, int, Polynomial]] = []
        self._roots = [r for key in self.keys if (r := self._root(key)) is not None]

    def _see(self, table: Table, depth: int = 2) -> None:
        for key, e in table.items():
            base, rest = key
            whole = e.denominator == 1
            if depth and rest is None and whole and e > 0 and base.kind == SUM:
                if base not in self._inner:
                    self._see_sum(base, depth)
                continue
            had = self.degrees.get(key, 1)
            self.degrees[key] = had if whole else lcm(had, e.denominator)
            if rest is None and (base.kind == CALL or not whole):
                self._see_relations(base, e, depth)

    def _see_relations(self, base: Form, e: Rational, depth: int) -> None:
        """What the whole power of a root, or the square of a function, may be replaced by."""
        square = _square(base) if e >= 2 else None
        if square is not None:
            self.degrees.setdefault(
                (self.algebra.call(square[0], base.parts[1]), None), 1
            )
        if base.kind == SUM and e.denominator != 1 and depth:
            self._see_sum(base, depth)

    def _see_sum(self, form: Form, depth: int) -> None:
        if form in self._inner:
            return
        if len(form.parts[0]) > _MOST_TERMS:
            raise OutOfReachError
        self._inner[form] = [
            self.algebra.once(table_of, part) for part, _ in form.parts[0]
        ]
        for table in self._inner[form]:
            self._see(table, depth - 1)

    def total(
        self, tables: list[Table], coefficients: list[Rational]
    ) -> tuple[Rational, Polynomial]:
        """The sum of the products times the coefficients, as a number times a polynomial."""
        below = lcm(*[c.denominator for c in coefficients])
        total: Polynomial = {}
        rows = [
            (self._multiplied(table), c * below)
            for table, c in zip(tables, coefficients, strict=True)
        ]
        shared = lcm(*[number.denominator for (number, _), _ in rows])
        for (number, p), c in rows:
            whole = int(number * shared * c)
            polynomials.sum_of(total, [(v, whole * n) for v, n in p.items()])
        bar = below * shared
        scale: Rational = 1 if bar == 1 else Fraction(1, bar)
        if self._roots:
            total = self.reduced(total)
        return scale, total

    def _multiplied(self, table: Table) -> tuple[Rational, Polynomial]:
        exponents = [0] * len(self.keys)
        sums: list[tuple[Form, int]] = []
        for key, e in table.items():
            if _is_sum(key, e) and e > 0 and key[0] in self._inner:
                if e > _MOST_POWER:
                    raise OutOfReachError
                sums.append((key[0], int(e)))
            else:
                exponents[self.places[key]] += int(e * self.degrees[key])
        p: Polynomial = {tuple(exponents): 1}
        scale: Rational = 1
        for form, count in sums:
            number, own = self._sum(form)
            scale *= number**count
            raised = polynomials.power(own, count, self.work)
            p = polynomials.product(p, raised, self.work)
            if len(p) > 4 * _MOST_TERMS:
                raise OutOfReachError
        return scale, p

    def _sum(self, form: Form) -> tuple[Rational, Polynomial]:
        found = self._totals.get(form)
        if found is None:
            coefficients = [c for _, c in form.parts[0]]
            found = self._totals[form] = self.total(self._inner[form], coefficients)
        return found

    def sums(self, form: Form) -> tuple[Rational, Polynomial] | None:
        """A sum as a number times a primitive polynomial in these generators; None if it is none."""
        if form not in self._sums:
            self._sums[form] = self._polynomial(form)
        return self._sums[form]

    def _polynomial(self, form: Form) -> tuple[Rational, Polynomial] | None:
        if len(form.parts[0]) > _MOST_EXPANDED:
            return None
        if form not in self._inner:
            tables = [self.algebra.once(table_of, part) for part, _ in form.parts[0]]
            if any(
                self.degrees.get(key, 0) % e.denominator or key not in self.places
                for table in tables
                for key, e in table.items()
            ):
                return None
            self._inner[form] = tables
        scale, p = self._sum(form)
        if len(p) < 2 or any(min(v) < 0 for v in p):
            return None
        number, monomial = polynomials.content(p)
        return None if any(monomial) else (scale * number, polynomials.primitive(p))

    def table(self, vector: polynomials.Vector) -> Table:
        """A monomial as a table."""
        return {
            key: e if degree == 1 else least(Fraction(e, degree))
            for (key, degree), e in zip(self.degrees.items(), vector, strict=True)
            if e
        }

    def form(self, p: Polynomial) -> Form:
        """A polynomial as a form."""
        terms = [
            (
                self.algebra.multiply(_powers(self.algebra, self.table(v))),
                c,
            )
            for v, c in sorted(p.items(), reverse=True)
        ]
        return self.algebra.add(terms)

    def by_identities(self, p: Polynomial) -> Polynomial:
        """The polynomial with squares of functions replaced, where that leaves fewer terms."""
        for i, (base, rest) in enumerate(self.keys):
            square = _square(base) if rest is None else None
            degree = 2 * self.degrees[base, rest]
            if square is None or all(v[i] < degree for v in p):
                continue
            other, sign, constant = square
            key = self.algebra.call(other, base.parts[1]), None
            if key not in self.places:
                continue
            whole = {self._vector(key, 2): sign, self._vector(key, 0): constant}
            changed = p
            while any(v[i] >= degree for v in changed):
                changed = polynomials.lowered(changed, i, degree, whole, self.work)
            if len(changed) < len(p):
                p = changed
        return p

    def _vector(self, key: Key, exponent: int) -> polynomials.Vector:
        """The exponents of a power of a key."""
        place, own = self.places[key], exponent * self.degrees[key]
        return tuple(own if i == place else 0 for i in range(len(self.keys)))

    def reduced(self, p: Polynomial) -> Polynomial:
        """The polynomial with whole powers of roots replaced: the square of sqrt(u) by u."""
        for i, degree, whole in self._roots:
            while any(v[i] >= degree for v in p):
                p = polynomials.lowered(p, i, degree, whole, self.work)
        return p

    def _root(self, key: Key) -> tuple[int, int, Polynomial] | None:
        """Of sqrt(u): its generator, 2, and u as a polynomial with whole coefficients."""
        base, degree = key[0], self.degrees[key]
        if base not in self._inner or degree == 1:
            return None
        number, p = self._sum(base)
        if number.denominator != 1 or any(min(v) < 0 for v in p):
            return None
        whole = {v: c * int(number) for v, c in p.items()}
        return self.places[key], degree, whole


SQUARES: dict[Operation, tuple[Operation, int, int]] = {
    operations.SIN: (operations.COS, -1, 1),
    operations.COS: (operations.SIN, -1, 1),
    operations.SEC: (operations.TAN, 1, 1),
    operations.CSC: (operations.COT, 1, 1),
    operations.SECH: (operations.TANH, -1, 1),
    operations.CSCH: (operations.COTH, 1, -1),
    operations.COSH: (operations.SINH, 1, 1),
    operations.SINH: (operations.COSH, 1, -1),
}
"""f(u)^2 = sign*g(u)^2 + constant, as (g, sign, constant)."""

_SQUARES = {
    f: SQUARES[f]
    for f in (
        operations.SIN,
        operations.COS,
        operations.SEC,
        operations.COSH,
        operations.SINH,
    )
} | {operations.TAN: (operations.SEC, 1, -1)}


def _square(base: Form) -> tuple[Operation, int, int] | None:
    return _SQUARES.get(base.parts[0]) if base.kind == CALL else None


# As a product, and multiplied out


def factors_of(algebra: Algebra, form: Form) -> tuple[Factor, ...]:
    """The factors of a form, sums factored as far as that is easy; without its number."""
    form = factored(algebra, form)
    if form.kind == PRODUCT:
        return _factors(form) or ()
    return () if form.kind == NUMBER else ((form, algebra.one),)


def factored(algebra: Algebra, form: Form) -> Form:
    """A form as a product of factors, sums irreducible over the rationals unless they are too large for that."""
    if form.kind == SUM:
        return _as_product(algebra, form)
    if form.kind != PRODUCT:
        return form
    factors = [
        (_as_product(algebra, base) if base.kind == SUM and is_whole(e) else base, e)
        for base, e in form.parts[1]
    ]
    return algebra.multiply(factors, form.parts[0])


def _as_product(algebra: Algebra, form: Form) -> Form:
    if len(form.parts[0]) > _MOST_FACTORED:
        return form
    own = _Sum(algebra, form.parts[0], _MOST_LONG_WORK)
    try:
        ring = _Ring(algebra, own.rest, own.work)
        scale, total = ring.total(own.rest, own.coefficients)
    except OutOfReachError:
        return form
    if not total:
        return algebra.zero
    number, monomial = polynomials.content(total)
    powers = _powers(algebra, ring.table(monomial))
    total = polynomials.primitive(total)
    found = irreducible_factors(total, own.work)
    sums = [(ring.form(p), algebra.number(e)) for p, e in found]
    whole = [*_powers(algebra, own.common), *powers, *sums]
    product = algebra.multiply(whole, scale * number * _sign(total, found))
    return _turned(algebra, product)


def spread(algebra: Algebra, form: Form) -> Form:
    """A form multiplied out: a sum without brackets, or that over what stood below the bar."""
    factors = _factors(form) or ()
    below = [(b, e) for b, e in factors if e.kind == NUMBER and e.parts[0] < 0 and not is_euler(b)]  # fmt: skip
    if all(b.kind != SUM for b, _ in below):
        below = []
    above = [f for f in factors if f not in below]
    if not factors:
        terms = form.parts[0] if form.kind == SUM else ()
    else:
        terms = ((algebra.multiply(above, form.parts[0]), 1),)
        terms = tuple(algebra.terms(terms[0][0]))
    tables = [table_of(algebra, part) for part, _ in terms]
    if not any(_is_sum(k, e) and e > 0 for table in tables for k, e in table.items()):
        return form
    try:
        ring = _Ring(algebra, tables, Work(_MOST_LONG_WORK))
        scale, total = ring.total(tables, [c for _, c in terms])
    except OutOfReachError:
        return form
    inside = algebra.scaled(ring.form(total), scale)
    if not below:
        return inside
    return algebra.multiply([(inside, algebra.one), *below])


# Products


def _as_ratio(algebra: Algebra, form: Form) -> Form:
    """A product with sin(u)/cos(u) as tan(u), and cosh(u) below the bar as sech(u) above it."""
    factors = dict(_factors(form) or ())
    called = [
        b
        for b, e in factors.items()
        if b.kind == CALL and e.kind == NUMBER and b.parts[0] in _RATIOS
    ]
    called.sort(key=lambda b: b.parts[0] is operations.COSH)
    scale = form.parts[0] if factors else 1
    for base in called:
        operation, arguments = base.parts
        exponent = factors.get(base, algebra.zero)
        if exponent is algebra.zero:
            continue
        below, ratio = _RATIOS[operation]
        opposite = algebra.number(-exponent.parts[0])
        other = None if below is None else algebra.call(below, arguments)
        if other is not None and factors.get(other) is opposite:
            up = exponent.parts[0] > 0
        elif other is None and exponent.parts[0] < 0:
            up = False
        else:
            continue
        if other is not None:
            del factors[other]
        del factors[base]
        inverse = operations.COT if operation is operations.SIN else operations.COTH
        new = algebra.call(ratio if up or other is None else inverse, arguments)
        power = exponent if up else opposite
        found = algebra.multiply([*factors.items(), (new, power)], scale)
        if found.cost <= form.cost:
            return _as_ratio(algebra, found)
        return form
    return form


_RATIOS: dict[Operation, tuple[Operation | None, Operation]] = {
    operations.SIN: (operations.COS, operations.TAN),
    operations.SINH: (operations.COSH, operations.TANH),
    operations.COSH: (None, operations.SECH),
}
"""What f(u)/g(u), or 1/f(u) where g is None, is called."""


def _cancelled(algebra: Algebra, form: Form) -> Form:
    """A product without what two sums have in common, above and below the fraction bar or on one side of it."""
    factors = _factors(form) or ()
    sums = [(b, e) for b, e in factors if b.kind == SUM and is_whole(e)]
    for (one, power), (other, exponent) in combinations(sums, 2):
        split = algebra.once(_shared, one, other)
        if split is None:
            continue
        (m, left), (n, right), shared = split
        new = algebra.multiply(
            [
                *(f for f in factors if f[0] not in (one, other)),
                (left, power), (right, exponent), (shared, power), (shared, exponent),
                (algebra.number(m), power), (algebra.number(n), exponent),
            ],
            form.parts[0],
        )  # fmt: skip
        if new.cost < form.cost:
            return _cancelled(algebra, new)
    return form


_Part = tuple[Rational, Form]


def _shared(
    algebra: Algebra, top: Form, bottom: Form
) -> tuple[_Part, _Part, Form] | None:
    """Two sums as numbers times their own parts, and their greatest common divisor."""
    work = Work(_MOST_WORK)
    tables = [
        [algebra.once(table_of, part) for part, _ in form.parts[0]]
        for form in (top, bottom)
    ]
    if max(map(len, tables)) > _MOST_EXPANDED:
        return None
    try:
        ring = _Ring(algebra, [*tables[0], *tables[1]], work)
        (m, p), (n, q) = (
            ring.total(own, [c for _, c in form.parts[0]])
            for own, form in zip(tables, (top, bottom), strict=True)
        )
        if len(p) < 2 or len(q) < 2:
            return None
        if any(min(v) < 0 for v in (*p, *q)):
            return None
        common = common_divisor(p, q, work)
        if len(common) < 2:
            return None
        one = polynomials.quotient(p, common, work)
        other = polynomials.quotient(q, common, work)
    except OutOfReachError:
        return None
    assert one is not None, "it is a divisor"
    assert other is not None, "it is a divisor"
    return (m, ring.form(one)), (n, ring.form(other)), ring.form(common)


def _without_contents(algebra: Algebra, form: Form) -> Form:
    """A product whose sums have no common number or variable in them: x*(2*x^2 + 4*x) = 2*x^2*(x + 2)."""
    factors = _factors(form) or ()
    changed: list[Factor] = []
    scale = form.parts[0] if factors else 1
    for base, exponent in factors:
        if base.kind != SUM or not is_whole(exponent):
            changed.append((base, exponent))
            continue
        whole = algebra.once(_with_content, base)
        changed += [(b, algebra.times(e, exponent)) for b, e in whole]
    same = len(changed) == len(factors) and all(map(_is_same, changed, factors))
    return form if same else algebra.multiply(changed, scale)


def _is_same(one: Factor, other: Factor) -> bool:
    return one[0] is other[0] and one[1] is other[1]


def _with_content(algebra: Algebra, form: Form) -> list[Factor]:
    """A sum as the number, the powers that all its terms have, and what is left of it."""
    found = _Sum(algebra, form.parts[0], 0)
    divisor = _content(found.coefficients)
    inner = [
        (found.product(table), over(c, divisor))
        for table, c in zip(found.rest, found.coefficients, strict=True)
    ]
    alone = [] if divisor == 1 else [(algebra.number(divisor), algebra.one)]
    left = algebra.add(inner), algebra.one
    return [*_powers(algebra, found.common), *alone, left]


def _turned(algebra: Algebra, form: Form) -> Form:
    """A negative product with a difference in it, turned round: -x*(3 - x^2) = x*(x^2 - 3)."""
    factors = _factors(form) or ()
    if not factors or form.parts[0] > 0:
        return form
    if form.parts[0] == -1 and len(factors) == 1 and factors[0][1] is algebra.one:
        return algebra.add([(form, 1)])
    for i, (base, exponent) in enumerate(factors):
        if (
            base.kind == SUM
            and exponent is algebra.one
            and any(c < 0 for _, c in base.parts[0])
        ):
            turned = algebra.add([(f, -c) for f, c in base.parts[0]])
            rest = [f for j, f in enumerate(factors) if j != i]
            return algebra.multiply([*rest, (turned, algebra.one)], -form.parts[0])
    return form


def _paired(algebra: Algebra, form: Form) -> Form:
    """A product of two sums multiplied out where that is shorter: (1 - x)*(1 + x) = 1 - x^2."""
    factors = list(_factors(form) or ())
    sums = [(b, e) for b, e in factors if b.kind == SUM]
    for (one, power), (other, same) in combinations(sums, 2):
        most = max(len(one.parts[0]), len(other.parts[0]))
        if power is not same or most > 4:
            continue
        whole = algebra.once(_multiplied_out, one, other, most)
        if whole is None:
            continue
        rest = [f for f in factors if f[0] not in (one, other)]
        new = algebra.multiply([*rest, (whole, power)], form.parts[0])
        if new.cost <= form.cost:
            return _paired(algebra, new)
    return form


def _multiplied_out(algebra: Algebra, one: Form, other: Form, most: int) -> Form | None:
    """The product of two sums, if it has no more than so many terms."""
    table: Table = {(one, None): 1, (other, None): 1}
    try:
        ring = _Ring(algebra, [table], Work(_MOST_WORK))
        scale, p = ring.total([table], [1])
    except OutOfReachError:
        return None
    if not p or len(p) > most:
        return None
    form = algebra.scaled(ring.form(p), scale)
    return form if form.kind != SUM else _short_sum(algebra, form)


def _factors(form: Form) -> tuple[Factor, ...] | None:
    if form.kind == PRODUCT:
        found: tuple[Factor, ...] = form.parts[1]
        return found
    return None


def _content(coefficients: list[Rational]) -> Rational:
    """The greatest common divisor of the coefficients, negative if all of them are."""
    top, bottom = 0, 1
    for c in coefficients:
        top, bottom = gcd(top, abs(c.numerator)), lcm(bottom, c.denominator)
    sign = -1 if all(c < 0 for c in coefficients) else 1
    return least(Fraction(sign * top, bottom))


def expanded(algebra: Algebra, form: Form) -> list[Term] | None:
    """A product with small powers of sums multiplied out; None where it would get long."""
    factors = _factors(form)
    if factors is None:
        return list(algebra.terms(form))
    scale: Rational = form.parts[0]
    sums = [(b, e) for b, e in factors if b.kind == SUM and _is_count(e)]
    plain = [f for f in factors if f not in sums]
    out: list[Term] = [(algebra.multiply(plain), scale)]
    for base, exponent in sums:
        for _ in range(int(exponent.parts[0])):
            if len(out) * len(base.parts[0]) > _MOST_EXPANDED:
                return None
            out = [
                (algebra.times(f, g), c * d) for f, c in out for g, d in base.parts[0]
            ]
    return out


def _is_count(exponent: Form) -> bool:
    if exponent.kind != NUMBER:
        return False
    number: Rational = exponent.parts[0]
    return number.denominator == 1 and 1 <= number <= 3
