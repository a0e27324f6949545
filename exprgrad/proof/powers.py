"""Powers, exponentials and logarithms of elements.

u^(p/q)                                     by absolute values, and u >= 0 or a real root
exp(sum c_i*t_i) = product E_i^c_i          with an atom E_t = exp(t) for every product t
ln(number*product f^k) = ln(number) + sum k*ln|f|
u^v = exp(v*ln(u))
"""

from __future__ import annotations

from fractions import Fraction

from exprgrad.algebra.field import Element, Rule
from exprgrad.algebra.polynomials import (
    Factors,
    Monomial,
    Polynomial,
    Rational,
    accumulate,
    merged,
)
from exprgrad.algebra.polynomials import monomial as power_product
from exprgrad.algebra.work import OutOfReachError
from exprgrad.annotations import Any
from exprgrad.proof.signs import SignedField

Vector = dict[Monomial, Rational]
"""A sum of products of atoms, which may be divided by sums."""


class PowerField(SignedField):
    """Elements with powers, exponentials and logarithms; facts implied by their domains are learned."""

    def terms(self, u: Element) -> Vector:
        """The element as a sum of numbers times products of atoms, with sums only in denominators."""
        self.factor(u)
        below: Factors = {a: e for a, e in u.factors.items() if e < 0}
        total: Vector = {}
        for monomial, number in self.expanded(u, below).items():
            new = self.monomial(number, merged(below, dict(monomial)))
            accumulate(total, [(power_product(new.factors), new.number)])
        return total

    def divide(self, u: Element, v: Element) -> Element:
        """The quotient; this learns that v is not 0."""
        self.learn_nonzero(v)
        return super().divide(u, v)

    def raised(self, base: Element, exponent: Element) -> Element:
        """base^exponent as in `pow`: for whole exponents, or a base that is not negative."""
        power = exponent.rational
        if power is None:
            return self.exponential(self.multiply(exponent, self._complex_log(base)))
        if power < 0:
            self.learn_nonzero(base)
        if power.denominator == 1:
            return self.whole_power(base, int(power))
        self.learn_sign(base, nonzero=power < 0)
        return self.absolute_power(base, power)

    def square_root(self, u: Element) -> Element:
        """The square root of an element, which must be >= 0."""
        return self.raised(u, self.element(Fraction(1, 2)))

    def real_power(self, base: Element, exponent: Element) -> Element:
        """base^exponent for a fraction with odd denominator, which means the real root."""
        power = exponent.rational
        if power is None:
            raise OutOfReachError
        if power < 0:
            self.learn_nonzero(base)
        if power.numerator % 2:
            return self.odd_power(base, power)
        return self.absolute_power(base, power)

    def root(self, u: Element, degree: Element) -> Element:
        """The root of that degree, a rational number; if it is odd, of negative numbers too."""
        power = degree.rational
        if not power:
            raise OutOfReachError
        exponent = self.element(1 / Fraction(power))
        if power.denominator == 1 and power % 2:
            return self.real_power(u, exponent)
        return self.raised(u, exponent)

    # Exponentials and logarithms

    def exponential(self, u: Element) -> Element:
        """e to the power of an element."""
        factors: Factors = {}
        for monomial, number in self.terms(u).items():
            [(atom, e), *more] = monomial or [(0, 0)]
            kind, meaning, _ = self.atoms[atom]
            single = e == 1 and not more
            if single and kind == "ln" and isinstance(meaning, int):
                own = self.absolute(meaning)
            elif single and kind == "complex ln":
                own = self.numbers["root", atom]
            else:
                real = all(self.atoms[a].kind != "complex ln" for a, _ in monomial)
                own = self.atom("exp", monomial, nonnegative=real)
            factors = merged(factors, {own: number})
        return self.monomial(1, factors)

    def logarithm(self, u: Element) -> Element:
        """The natural logarithm of an element, which must be > 0."""
        self.learn_sign(u, nonzero=True)
        number, factors = self.split(u)
        return self._log_absolute(number, factors)

    def _log_absolute(self, number: Rational, factors: Factors) -> Element:
        total = self.element(0)
        sums: Polynomial = {}
        parts: Factors = dict(self.primes(number))
        for atom, exponent in [*parts.items(), *factors.items()]:
            kind, meaning, real = self.atoms[atom]
            if kind == "exp" and real:
                power: Any = meaning
                total += self.monomial(exponent, dict(power))
                continue
            if kind == "abs" and isinstance(meaning, int):
                atom = meaning
            accumulate(sums, [(((self.atom("ln", atom), 1),), exponent)])
        return total + self.polynomial(sums)

    def _complex_log(self, u: Element) -> Element:
        """A logarithm for use in exp(v*ln(u)) only, where v is whole or u >= 0.

        If the sign of a factor with an odd exponent is unknown, its logarithm is an atom of its own, with
        an imaginary part where the factor is negative. exp turns it back into the factor.
        """
        if not u.number:
            raise OutOfReachError
        number, factors = self.split(u)
        sign = 1 if number > 0 else -1
        odd, real = [], dict(factors)
        for atom, exponent in factors.items():
            own = self.sign(atom)
            if own <= 0 and exponent % 1:
                raise OutOfReachError
            if own == 0 and exponent % 2:
                odd.append(atom)
            elif own < 0 and exponent % 2:
                sign = -sign
        if not odd and sign > 0:
            return self._log_absolute(number, factors)
        single = len(odd) == 1 and sign > 0
        power = factors[odd[0]] if single else 1
        real = merged(real, dict.fromkeys(odd, -power))
        log = self.atom("complex ln", (sign, frozenset(odd)))
        root = self.atom("root", log)
        self.rules[root] = Rule(1, sign, tuple((a, 1) for a in sorted(odd)))
        return self._log_absolute(number, real) + self.of(log, number=power)
