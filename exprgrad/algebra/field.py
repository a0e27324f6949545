"""Exact quotients of polynomials in numbers, variables and values of functions ("atoms"), with relations between these.

An element is number * product of atom^exponent * sum, where the sum is a polynomial or absent. A sum
that is a factor or a divisor becomes an atom itself, so products and denominators stay factored; only a
sum of elements is expanded, over the least common denominator. Relations reduce what is expanded:

    S^2 = 1 - C^2       for S = sin(t), C = cos(t)
    |f|^2 = f^2         and |f| = f or -f if the sign of f is known
    |f||g| = f*g        if the sign of f*g is known
    p^1 = p             for a prime p, whose powers with exponents in [0, 1) stay as they are

They hold for the numbers as well as for the symbols: if an element is 0, its expression is 0 wherever it is defined.
The converse does not hold.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction

from exprgrad.algebra import polynomials
from exprgrad.algebra.polynomials import (
    MOST_BITS,
    ONE,
    Factors,
    Monomial,
    Polynomial,
    Rational,
    accumulate,
    merged,
    primitive,
    times,
)
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any, NamedTuple
from exprgrad.numbers.expansions import Operators

LARGEST_PRIME = 1000
"""Divisors of a number that are looked for."""


class Atom(NamedTuple):
    """A symbol: its kind, its meaning, and whether these imply that it is >= 0."""

    kind: str
    meaning: Any
    nonnegative: bool


class Rule(NamedTuple):
    """The relation atom^unit = number * product of others^exponent, or = polynomial if there is one."""

    unit: Rational
    number: Rational
    factors: tuple[tuple[int, Rational], ...]
    polynomial: Polynomial | None = None


class Product(NamedTuple):
    """The relation that the product of the atoms is number * product of others^exponent."""

    atoms: tuple[int, ...]
    number: Rational
    factors: Factors


class Element(Operators):
    """number * product of factors * sum; the sum has at least two terms, or is None."""

    __slots__ = ("factors", "field", "number", "sum")

    def __init__(
        self,
        field: Field,
        number: Rational,
        factors: Factors,
        sum: Polynomial | None = None,  # noqa: A002 # there is no better word
    ) -> None:
        self.field, self.number, self.factors, self.sum = field, number, factors, sum

    def __add__(self, other: Element | float) -> Element:
        return self.field.add(self, self.field.element(other))

    def __mul__(self, other: Element | float) -> Element:
        return self.field.multiply(self, self.field.element(other))

    def __truediv__(self, other: Element | float) -> Element:
        return self.field.divide(self, self.field.element(other))

    def __pow__(self, other: Element | float) -> Element:
        return self.field.raised(self, self.field.element(other))

    def __neg__(self) -> Element:
        return Element(self.field, -self.number, self.factors, self.sum)

    def _of(self, thing: Element | float) -> Element:
        return self.field.element(thing)

    @property
    def rational(self) -> Rational | None:
        """The value of the element, if that is known to be a rational number."""
        return None if self.sum or self.factors else self.number


class Field:
    """The atoms so far, their relations, and arithmetic on elements."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.atoms: dict[int, Atom] = {}
        """They count down from 0: polynomials are written with the powers of earlier atoms first."""
        self.numbers: dict[tuple[str, Hashable], int] = {}
        self.sums: dict[int, Polynomial] = {}
        self.rules: dict[int, Rule] = {}
        self.products: list[Product] = []
        self._images: dict[int, tuple[Rule, list[Polynomial]]] = {}
        """The powers so far of what a relation puts in the place of its atom."""

    # Atoms

    def atom(self, kind: str, meaning: Hashable, nonnegative: bool = False) -> int:
        """The number of the atom with that meaning, which may be a new one."""
        key = kind, meaning
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = -len(self.atoms)
            self.atoms[found] = Atom(kind, meaning, nonnegative)
        return found

    def sum_atom(self, p: Polynomial) -> int:
        """The atom for a primitive polynomial of two or more terms."""
        atom = self.atom("sum", frozenset(p.items()))
        self.sums[atom] = p
        return atom

    def primes(self, number: Rational) -> Iterator[tuple[int, int]]:
        """The absolute value of a number as atoms with exponents; large factors are not factored."""
        self.work.spend(1)
        for part, sign in ((abs(number.numerator), 1), (number.denominator, -1)):
            left, prime = part, 2
            while left > 1:
                if prime > LARGEST_PRIME or prime * prime > left:
                    prime = left
                power = 0
                while left % prime == 0:
                    left //= prime
                    power += 1
                if power:
                    atom = self.atom("prime", prime, nonnegative=True)
                    self.rules.setdefault(atom, Rule(1, prime, ()))
                    yield atom, sign * power
                prime += 1 if prime == 2 else 2

    # Making elements

    def element(self, thing: Element | Fraction | float) -> Element:
        """An element itself; a number as an element."""
        if isinstance(thing, Element):
            return thing
        # a float stands for the decimal that it is shown as: 0.1 is 1/10
        exact = thing if isinstance(thing, int | Fraction) else Fraction(repr(thing))
        return Element(self, exact, {})

    def of(self, atom: int, exponent: Rational = 1, number: Rational = 1) -> Element:
        """number * atom^exponent."""
        return self.monomial(number, {atom: exponent})

    def monomial(self, number: Rational, factors: Factors) -> Element:
        """number * product of the factors, reduced."""
        if self.products or not factors.keys().isdisjoint(self.rules):
            # exponents from 0 up to the unit of their atom's relation
            result: Factors = {}
            for atom, exponent in factors.items():
                rule = self.rules.get(atom)
                count = 0
                if rule is not None and rule.polynomial is None:
                    count = int(exponent // rule.unit)
                # 2.4^(10^10) stays what it is
                if rule is None or not count or _is_long(rule.number, count):
                    result = merged(result, {atom: exponent})
                    continue
                number *= Fraction(rule.number) ** count
                result = merged(result, {atom: exponent - rule.unit * count})
                result = merged(result, {a: e * count for a, e in rule.factors})
            for atoms, own, images in self.products:
                while all(result.get(a, 0) >= 1 for a in atoms):
                    number *= own
                    result = merged(merged(result, dict.fromkeys(atoms, -1)), images)
            factors = {a: e for a, e in result.items() if e}
        if isinstance(number, Fraction) and number.denominator == 1:
            number = number.numerator
        if max(abs(number.numerator), number.denominator).bit_length() > MOST_BITS:
            raise OutOfReachError
        return Element(self, number, factors)

    def polynomial(self, p: Polynomial, factors: Factors | None = None) -> Element:
        """polynomial * product of the factors."""
        factors = {} if factors is None else factors
        if len(p) > 1:
            return Element(self, 1, factors, p)
        if not p:
            return Element(self, 0, {})
        [(monomial, number)] = p.items()
        return self.monomial(number, merged(factors, dict(monomial)))

    # Arithmetic

    def add(self, *terms: Element) -> Element:
        """The sum, over the least common denominator, expanded."""
        terms = tuple(u for u in terms if u.number)
        if len(terms) < 2:
            return terms[0] if terms else Element(self, 0, {})
        common = self.common(terms)
        several = sorted((self.expanded(u, common) for u in terms), key=len)
        total = dict(several.pop())
        for p in several:
            self.work.spend(1 + len(p))
            accumulate(total, p.items())
        return self.polynomial(total, common)

    def common(self, terms: Sequence[Element]) -> Factors:
        """The denominators of all, and what all have as factors."""
        own = [u.factors for u in terms]
        if all(factors == own[0] for factors in own):
            return own[0]
        common: Factors = {}
        for atom in {a: None for factors in own for a in factors}:
            least = min([factors.get(atom, 0) for factors in own])
            if least:
                common[atom] = least
        return common

    def multiply(self, u: Element, v: Element) -> Element:
        """The product, with sums as factors unless there is only one."""
        if not (u.number and v.number):
            return Element(self, 0, {})
        total = u.sum or v.sum
        if total and not (
            (u.sum is None or v.sum is None)
            and self.sums.keys().isdisjoint(u.factors.keys() | v.factors.keys())
        ):
            self.factor(u)
            self.factor(v)
            total = None
        self.work.spend(1)
        new = self.monomial(u.number * v.number, merged(u.factors, v.factors))
        new.sum = total
        return new

    def divide(self, u: Element, v: Element) -> Element:
        """The quotient; v is not 0 wherever it is defined."""
        return self.multiply(u, self.whole_power(v, -1))

    def whole_power(self, u: Element, exponent: int) -> Element:
        """u^exponent, with 0^0 = 1."""
        if exponent == 0:
            return Element(self, 1, {})
        if not u.number:
            if exponent < 0:
                raise OutOfReachError  # nowhere defined
            return u
        if exponent == 1:
            return u
        self.factor(u)
        if _is_long(u.number, exponent):
            raise OutOfReachError
        number = u.number if exponent > 0 else 1 / Fraction(u.number)
        factors = {a: e * exponent for a, e in u.factors.items()}
        return self.monomial(number ** abs(exponent), factors)

    def raised(self, base: Element, exponent: Element) -> Element:
        """base^exponent; here for whole exponents."""
        power = exponent.rational
        if power is None or power.denominator > 1:
            raise OutOfReachError
        return self.whole_power(base, int(power))

    def factor(self, u: Element) -> None:
        """Turn the sum of an element, if it has one, into a number, a monomial and an atom."""
        if u.sum is None:
            return
        self.work.spend(len(u.sum))
        number, monomial, rest = primitive(u.sum)
        factors = merged(u.factors, dict(monomial))
        if len(rest) > 1:
            factors = merged(factors, {self.sum_atom(rest): 1})
        new = self.monomial(u.number * number, factors)
        u.number, u.factors, u.sum = new.number, new.factors, None

    # Expansion

    def fraction(self, u: Element) -> tuple[Polynomial, Polynomial]:
        """The numerator and the denominator of an element, expanded."""
        self.factor(u)
        below: Factors = {a: -e for a, e in u.factors.items() if e < 0}
        above: Factors = {a: e for a, e in u.factors.items() if e > 0}
        one = Element(self, 1, below)
        return self.expanded(Element(self, u.number, above), {}), self.expanded(one, {})

    def expanded(self, u: Element, without: Factors) -> Polynomial:
        """`u` divided by a common part of it, as a polynomial."""
        total: Polynomial = u.sum or {ONE: 1}
        if u.number != 1:
            total = {m: c * u.number for m, c in total.items()}
        single: Factors = {}
        for atom in {**u.factors, **without}:
            exponent = u.factors.get(atom, 0) - without.get(atom, 0)
            if exponent and atom in self.sums:
                total = self.product(total, self.power(self.sums[atom], int(exponent)))
            elif exponent:
                single[atom] = exponent
        if single:
            total = self.product(total, {polynomials.monomial(single): 1})
        return total

    def power(self, p: Polynomial, exponent: int) -> Polynomial:
        """A power of a polynomial, reduced."""
        result: Polynomial = {ONE: 1}
        for bit in bin(exponent)[2:]:
            result = self.product(result, result)
            if bit == "1":
                result = self.product(result, p)
        return result

    def product(self, p: Polynomial, q: Polynomial) -> Polynomial:
        """The product of polynomials, reduced."""
        result = polynomials.product(p, q, self.work)
        return self.reduced(result) if self.rules or self.products else result

    def reduced(self, p: Polynomial) -> Polynomial:
        """The polynomial with the relations applied until none applies."""
        result: Polynomial = {}
        pending = p
        self.work.spend(len(p) * len(self.products) // 4)
        while pending:
            following: Polynomial = {}  # like terms are collected before they are rewritten again
            for monomial, number in pending.items():
                image = self._rewritten(monomial)
                if image is None:
                    accumulate(result, [(monomial, number)])
                    continue
                rest, other = image
                self.work.spend(len(other))
                accumulate(following, [(times(rest, m), number * c) for m, c in other.items()])  # fmt: skip
            pending = following
        return result

    def _rewritten(self, monomial: Monomial) -> tuple[Monomial, Polynomial] | None:
        """`monomial` = rest * polynomial by the first relation that applies."""
        for i, (atom, exponent) in enumerate(monomial):
            rule = self.rules.get(atom)
            if rule is None or exponent < rule.unit:
                continue
            if any(e < 0 for _, e in rule.factors):
                continue  # what is below a bar is no polynomial
            count = int(exponent // rule.unit)
            left = exponent - rule.unit * count
            own = ((atom, left),) if left else ONE
            rest = (*monomial[:i], *own, *monomial[i + 1 :])
            known, powers = self._images.get(atom, (None, []))
            if known is not rule:
                powers = [rule.polynomial or self.image(rule.number, rule.factors)]
                self._images[atom] = rule, powers
            if len(powers[0]) == 1:  # of a number there may be thousands
                [(single, number)] = powers[0].items()
                self.work.spend(count)
                return rest, {tuple((a, e * count) for a, e in single): number**count}
            while len(powers) < count:
                powers.append(polynomials.product(powers[-1], powers[0], self.work))
            return rest, powers[count - 1]
        for atoms, sign, images in self.products:
            exponents = dict(monomial)
            if all(exponents.get(a, 0) >= 1 for a in atoms):
                rest = polynomials.monomial(merged(exponents, dict.fromkeys(atoms, -1)))
                return rest, self.image(sign, tuple(images.items()))
        return None

    def image(
        self, number: Rational, factors: Sequence[tuple[int, Rational]]
    ) -> Polynomial:
        """`number` * product of the factors, with sums expanded."""
        return self.expanded(Element(self, number, dict(factors)), {})


def _is_long(number: Rational, exponent: int) -> bool:
    """Return whether a power of a number would be too long to be written in full."""
    bits = max(abs(number.numerator), number.denominator).bit_length() - 1
    return bits * abs(exponent) > MOST_BITS
