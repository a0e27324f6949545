"""Numbered atoms, which stand for real numbers, and relations that reduce polynomials in them.

    S^2 = 1 - C^2       for S = sin(t), C = cos(t)
    |f|^2 = f^2         and |f| = f or -f if the sign of f is known
    |f||g| = f*g        if the sign of f*g is known
    p^1 = p             for a prime p, whose powers with exponents in [0, 1) stay as they are

The relations hold for the numbers as well as for the symbols, so a polynomial that reduces to 0 is 0.
"""

from __future__ import annotations

from collections.abc import Hashable

from exprgrad.algebra.polynomials import (
    ONE,
    Factors,
    Monomial,
    Polynomial,
    Rational,
    accumulate,
    merged,
    product,
    times,
)
from exprgrad.algebra.work import Work
from exprgrad.annotations import NamedTuple


class Atom(NamedTuple):
    """A symbol: its kind, its meaning, and whether these imply that it is >= 0."""

    kind: str
    meaning: Hashable
    nonnegative: bool


class Rule(NamedTuple):
    """The relation atom^unit = number * product of others^exponent, or = polynomial if there is one."""

    unit: int
    number: int
    factors: tuple[tuple[int, int], ...]
    polynomial: Polynomial | None = None


class Product(NamedTuple):
    """The relation that the product of the atoms is sign * product of others^exponent."""

    atoms: tuple[int, ...]
    sign: int
    factors: Factors


class Relations:
    """The atoms so far and their relations. A sum of two or more terms can be an atom as well."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.atoms: list[Atom] = []
        self.numbers: dict[tuple[str, Hashable], int] = {}
        self.sums: dict[int, Polynomial] = {}
        self.rules: dict[int, Rule] = {}
        self.products: list[Product] = []

    def atom(self, kind: str, meaning: Hashable, nonnegative: bool = False) -> int:
        """The number of the atom with that meaning, which may be a new one."""
        key = kind, meaning
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.atoms)
            self.atoms.append(Atom(kind, meaning, nonnegative))
        return found

    def sum_atom(self, p: Polynomial) -> int:
        """The atom for a primitive polynomial of two or more terms."""
        atom = self.atom("sum", frozenset(p.items()))
        self.sums[atom] = p
        return atom

    def sum_power(self, atom: int, exponent: int) -> Polynomial:
        """The power of an atom that is a sum, expanded."""
        p = self.sums[atom]
        result: Polynomial = {ONE: 1}
        for bit in bin(exponent)[2:]:
            result = self.product(result, result)
            if bit == "1":
                result = self.product(result, p)
        return result

    def product(self, p: Polynomial, q: Polynomial) -> Polynomial:
        """The product of polynomials, reduced."""
        result = product(p, q, self.work)
        return self.reduced(result) if self.rules or self.products else result

    def reduced(self, p: Polynomial) -> Polynomial:
        """The polynomial with the relations applied until none applies."""
        result: Polynomial = {}
        stack = list(p.items())
        self.work.spend(len(p) * len(self.products) // 4)
        while stack:
            monomial, number = stack.pop()
            image = self._rewritten(monomial)
            if image is None:
                accumulate(result, [(monomial, number)])
                continue
            rest, other = image
            self.work.spend(len(other))
            stack += [(times(rest, m), number * c) for m, c in other.items()]
        return result

    def _rewritten(self, monomial: Monomial) -> tuple[Monomial, Polynomial] | None:
        """`monomial` = rest * polynomial by the first relation that applies."""
        rules = self.rules
        for i, (atom, exponent) in enumerate(monomial):
            rule = rules.get(atom)
            if rule is None or exponent < rule.unit:
                continue
            left = exponent - rule.unit
            own = ((atom, left),) if left else ONE
            rest = (*monomial[:i], *own, *monomial[i + 1 :])
            return rest, rule.polynomial or self.image(rule.number, rule.factors)
        for atoms, sign, images in self.products:
            exponents = dict(monomial)
            if all(exponents.get(a, 0) >= 1 for a in atoms):
                others = merged(exponents, dict.fromkeys(atoms, -1))
                rest = tuple(sorted(others.items()))
                return rest, self.image(sign, tuple(images.items()))
        return None

    def image(
        self, number: int, factors: tuple[tuple[int, Rational], ...]
    ) -> Polynomial:
        """`number` * product of the factors, with sums expanded."""
        result: Polynomial = {ONE: number}
        for atom, exponent in factors:
            p = self.sums.get(atom, {((atom, 1),): 1})
            for _ in range(int(exponent)):
                result = product(result, p, self.work)
        return result
