"""Elements as products: sums are factored as far as that is easy.

A sum is divided by others that have occurred as divisors, under roots or in logarithms, so that
sqrt(x^2 - 1) and sqrt(x - 1)*sqrt(x + 1) become equal; and it may be a square, or become one by
sin^2 + cos^2 = 1.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from exprgrad.algebra.field import Element, Field
from exprgrad.algebra.polynomials import (
    Factors,
    Polynomial,
    Rational,
    accumulate,
    merged,
    primitive,
    quotient,
    square_root,
    times,
)
from exprgrad.algebra.work import Work
from exprgrad.annotations import Any

MOST_TERMS = 12
"""The most terms of a sum that is factored."""

_MOST_DIVISORS = 12


class FactoredField(Field):
    """Elements with their factors. Divisors found in one pass over an expression are used in the next."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.divisors: list[int] = []
        self._divided: dict[int, None] = {}
        self._pairs: dict[frozenset[Any], list[tuple[Polynomial, int]]] = {}
        self._refined: dict[int, tuple[Rational, Factors]] = {}

    def again(self) -> bool:
        """Prepare for another pass over the expression; whether it can find more than the last."""
        short = [a for a in self._divided if len(self.sums[a]) <= MOST_TERMS]
        divisors = sorted(short, key=lambda a: len(self.sums[a]))[:_MOST_DIVISORS]
        news = len(short) > 1 and divisors != self.divisors
        self.divisors = divisors
        self._refined.clear()
        self._pairs = self._find_pairs()
        return news

    def split(self, u: Element) -> tuple[Rational, Factors]:
        """`u` as a number and factors, with sums factored as far as that is easy."""
        self.factor(u)
        number, factors = u.number, u.factors
        for atom, exponent in u.factors.items():
            if atom not in self.sums:
                continue
            scale, parts = self._refine(atom)
            if parts != {atom: 1}:
                number *= Fraction(scale) ** int(exponent)
                factors = merged(factors, {atom: -exponent})
                more = {a: e * exponent for a, e in parts.items()}
                factors = merged(factors, more)
        for atom in factors:
            if atom in self.sums:
                self._divided[atom] = None
        return number, factors

    def _refine(self, atom: int) -> tuple[Rational, Factors]:
        """A sum as a number and factors; as its own factor if no others are found."""
        if atom not in self._refined:
            number: Rational = 1
            factors: Factors = {}
            stack: list[tuple[Polynomial, int]] = [(self.sums[atom], 1)]
            while stack:
                self.work.spend(1)
                p, power = stack.pop()
                scale, monomial, rest = primitive(p)
                number *= Fraction(scale) ** power
                own: Factors = {a: e * power for a, e in monomial}
                if len(rest) > 1:
                    parts = self._parts(rest)
                    stack += [(q, power * e) for q, e in parts]
                    if not parts:
                        own = merged(own, {self.sum_atom(rest): power})
                factors = merged(factors, own)
            self._refined[atom] = number, factors
        return self._refined[atom]

    def _parts(self, p: Polynomial) -> list[tuple[Polynomial, int]]:
        """Factors of a primitive sum, with their exponents; none if none are found."""
        if len(p) > MOST_TERMS:
            return []
        sines = self._with_sines(p)
        if sines is not None:
            return [(sines, 1)]
        root = square_root(p, self.work)
        if root is not None:
            return [(root, 2)]
        for divisor in self.divisors:
            q = self.sums[divisor]
            rest = quotient(p, q, self.work) if q != p else None
            if rest is not None:
                return [(q, 1), (rest, 1)]
        return self._pairs.get(frozenset(p.items()), [])

    def _with_sines(self, p: Polynomial) -> Polynomial | None:
        """The sum with 1 - S^2 for the square of a cosine, if that leaves fewer terms."""
        cosines = {a: e for m in p for a, e in m if self.atoms[a].kind == "cos"}
        for cosine in cosines:
            sine = self.numbers["sin", self.atoms[cosine].meaning]
            changed: Polynomial = {}
            for m, c in p.items():
                image = [(m, c)]
                if dict(m).get(cosine) == 2:
                    rest = tuple((a, e) for a, e in m if a != cosine)
                    image = [(rest, c), (times(rest, ((sine, 2),)), -c)]
                accumulate(changed, image)
            if 0 < len(changed) < len(p):
                return changed
        return None

    def _find_pairs(self) -> dict[frozenset[Any], list[tuple[Polynomial, int]]]:
        """Sums that are products of two divisors only by the relations: x^2 - 1 = (|x| - 1)(|x| + 1)."""
        roots = [self.sums[a] for a in self.divisors if self._has_rules(self.sums[a])]
        pairs = {}
        for one, other in itertools.combinations_with_replacement(roots, 2):
            whole = self.product(one, other)
            if not whole:
                continue  # (|x| - x)(|x| + x)
            number, monomial, rest = primitive(whole)
            if len(rest) > 1 and not self._has_rules(rest):
                factors = [(one, 1), (other, 1), ({monomial: number}, -1)]
                pairs[frozenset(rest.items())] = factors
        return pairs

    def _has_rules(self, p: Polynomial) -> bool:
        return any(atom in self.rules for monomial in p for atom, _ in monomial)
