"""Exact quotients of polynomials in numbers, variables and values of functions ("atoms").

An element is number * product of atom^exponent * sum, where the sum is a polynomial or absent. A sum
that is a factor or a divisor becomes an atom itself, so products and denominators stay factored; only a
sum of elements is expanded, over the least common denominator.

If an element is 0, its expression is 0 wherever it is defined. The converse does not hold.
"""

from __future__ import annotations

import math
from fractions import Fraction

from exprgrad.algebra.polynomials import (
    MOST_BITS,
    ONE,
    Factors,
    Polynomial,
    Rational,
    accumulate,
    merged,
    primitive,
)
from exprgrad.algebra.relations import Relations
from exprgrad.algebra.work import OutOfReachError


class Element:
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

    def __sub__(self, other: Element | float) -> Element:
        return self.field.add(self, -self.field.element(other))

    def __mul__(self, other: Element | float) -> Element:
        return self.field.multiply(self, self.field.element(other))

    def __truediv__(self, other: Element | float) -> Element:
        return self.field.divide(self, self.field.element(other))

    def __pow__(self, other: Element | float) -> Element:
        return self.field.raised(self, self.field.element(other))

    def __neg__(self) -> Element:
        return Element(self.field, -self.number, self.factors, self.sum)

    def __radd__(self, other: float) -> Element:
        return self.field.element(other) + self

    def __rsub__(self, other: float) -> Element:
        return self.field.element(other) - self

    def __rmul__(self, other: float) -> Element:
        return self.field.element(other) * self

    def __rtruediv__(self, other: float) -> Element:
        return self.field.element(other) / self

    @property
    def rational(self) -> Rational | None:
        """The value of the element, if that is known to be a rational number."""
        return None if self.sum or self.factors else self.number


class Field(Relations):
    """Arithmetic on elements."""

    # Making elements

    def element(self, thing: Element | Fraction | float) -> Element:
        """An element itself; a number as an element."""
        if isinstance(thing, Element):
            return thing
        exact = thing if isinstance(thing, int | Fraction) else Fraction(repr(thing))
        return Element(self, exact, {})

    def of(self, atom: int, exponent: Rational = 1, number: Rational = 1) -> Element:
        """number * atom^exponent."""
        return self.monomial(number, {atom: exponent})

    def monomial(self, number: Rational, factors: Factors) -> Element:
        """number * product of the factors, reduced."""
        if self.products or not factors.keys().isdisjoint(self.rules):
            number, factors = self._by_rules(number, factors)
        if isinstance(number, Fraction) and number.denominator == 1:
            number = number.numerator
        if (
            max(number.numerator.bit_length(), number.denominator.bit_length())
            > MOST_BITS
        ):
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

    def _by_rules(self, number: Rational, factors: Factors) -> tuple[Rational, Factors]:
        """Exponents reduced to the range from 0 up to the unit of their atom's relation."""
        result: Factors = {}
        for atom, exponent in factors.items():
            rule = self.rules.get(atom)
            if rule is None or rule.polynomial is not None:
                result = merged(result, {atom: exponent})
                continue
            count = math.floor(exponent / Fraction(rule.unit))
            if _is_long(rule.number, count):  # 2.4^(10^10) stays what it is
                result = merged(result, {atom: exponent})
                continue
            number *= Fraction(rule.number) ** count
            result = merged(result, {atom: exponent - rule.unit * count})
            result = merged(result, {a: e * count for a, e in rule.factors})
        for atoms, sign, images in self.products:
            if all(result.get(a, 0) >= 1 for a in atoms):
                number *= sign
                result = merged(merged(result, dict.fromkeys(atoms, -1)), images)
        return number, result

    # Arithmetic

    def add(self, u: Element, v: Element) -> Element:
        """The sum, over the least common denominator, expanded."""
        if not u.number:
            return v
        if not v.number:
            return u
        common = u.factors
        if u.factors != v.factors:
            common = self._common(u.factors, v.factors)
        p, q = self.expanded(u, common), self.expanded(v, common)
        self.work.spend(1 + min(len(p), len(q)))
        if len(p) < len(q):
            p, q = q, p
        return self.polynomial(accumulate(dict(p), q.items()), common)

    def _common(self, one: Factors, other: Factors) -> Factors:
        """The denominators of both, and the sums that both have as factors."""
        common: Factors = {}
        for atom in one.keys() | other.keys():
            least = min(one.get(atom, 0), other.get(atom, 0))
            if least < 0 or (least and atom in self.sums):
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
        number = Fraction(u.number) ** exponent
        return self.monomial(number, {a: e * exponent for a, e in u.factors.items()})

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
        single: list[tuple[int, Rational]] = []
        for atom in u.factors.keys() | without.keys():
            exponent = u.factors.get(atom, 0) - without.get(atom, 0)
            if exponent and atom in self.sums:
                total = self.product(total, self.sum_power(atom, int(exponent)))
            elif exponent:
                single.append((atom, exponent))
        if single:
            total = self.product(total, {tuple(sorted(single)): 1})
        return total


def _is_long(number: Rational, exponent: int) -> bool:
    """Whether a power of a number would be too long to be written in full."""
    bits = max(abs(number.numerator), number.denominator).bit_length() - 1
    return bits * abs(exponent) > MOST_BITS
