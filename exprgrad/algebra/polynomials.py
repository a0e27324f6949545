"""Polynomials in numbered atoms, with exact coefficients.

A monomial is a sorted tuple of (atom, exponent), a polynomial a dict from monomials to coefficients
other than 0. Exponents are positive; they may be rational if the atom is a positive number:

    2*x^3*y - 1     {((0, 3), (1, 1)): 2, (): -1}       where x is the atom 0 and y the atom 1

Whatever takes more than a constant number of operations is paid for from a `Work`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from exprgrad.algebra import vectors
from exprgrad.algebra.work import OutOfReachError, Work

Rational = int | Fraction
Monomial = tuple[tuple[int, Rational], ...]
Polynomial = dict[Monomial, Rational]
Factors = dict[int, Rational]
"""A monomial under construction; exponents may have any sign."""

ONE: Monomial = ()
MOST_BITS = 4096
"""Of a coefficient; larger ones are out of reach."""


def times(one: Monomial, other: Monomial) -> Monomial:
    """The product of two monomials."""
    if not one:
        return other
    if not other:
        return one
    exponents = dict(one)
    for atom, exponent in other:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return tuple(sorted(exponents.items()))


def merged(one: Factors, other: Factors) -> Factors:
    """The factors of a product."""
    if not other:
        return one
    if not one:
        return other
    result = dict(one)
    for atom, exponent in other.items():
        new = result.get(atom, 0) + exponent
        if new:
            result[atom] = new
        else:
            result.pop(atom, None)
    return result


def accumulate(
    total: Polynomial, terms: Iterable[tuple[Monomial, Rational]]
) -> Polynomial:
    """Add terms into a polynomial, in place."""
    for monomial, coefficient in terms:
        new = total.get(monomial, 0) + coefficient
        if new:
            total[monomial] = new
        else:
            total.pop(monomial, None)
    return total


def product(one: Polynomial, other: Polynomial, work: Work) -> Polynomial:
    """The product of two polynomials."""
    work.spend(len(one) * len(other))
    if len(one) > len(other):
        one, other = other, one
    if len(one) == 1:
        [(m, c)] = one.items()
        return {times(m, n): c * d for n, d in other.items()}
    total: Polynomial = {}
    for m, c in one.items():
        accumulate(total, [(times(m, n), c * d) for n, d in other.items()])
    return total


def primitive(p: Polynomial) -> tuple[Rational, Monomial, Polynomial]:
    """A polynomial as number * monomial * primitive polynomial with a positive leading coefficient."""
    monomial = tuple(
        (atom, least)
        for atom, _ in min(p, key=len)
        if (least := min(dict(m).get(atom, 0) for m in p))
    )
    divisor = math.gcd(*(c.numerator for c in p.values()))
    multiple = math.lcm(*(c.denominator for c in p.values()))
    largest = max(multiple, *(abs(c.numerator) for c in p.values()))
    if largest.bit_length() > MOST_BITS:
        raise OutOfReachError
    sign = 1 if p[max(p)] > 0 else -1
    number = Fraction(sign * divisor, multiple) if multiple > 1 else sign * divisor
    if number == 1 and not monomial:
        return 1, ONE, p
    less = tuple((atom, -exponent) for atom, exponent in monomial)
    rest: Polynomial = {}
    for m, c in p.items():
        left = tuple((a, e) for a, e in times(m, less) if e) if less else m
        rest[left] = sign * c.numerator * (multiple // c.denominator) // divisor
    return number, monomial, rest


def generators(p: Polynomial) -> set[int]:
    """The generators that occur in a polynomial."""
    return {atom for monomial in p for atom, _ in monomial}


def coefficients(p: Polynomial) -> list[Rational]:
    """The coefficients of a polynomial in at most one generator, the lowest power first."""
    powers = {sum(int(e) for _, e in monomial): c for monomial, c in p.items()}
    return [powers.get(k, 0) for k in range(max(powers, default=-1) + 1)]


def in_one(atom: int, row: Sequence[Rational]) -> Polynomial:
    """The polynomial in one generator with these coefficients, the lowest power first."""
    return {((atom, k),) if k else ONE: c for k, c in enumerate(row) if c}


def derivative(p: Polynomial, atom: int) -> Polynomial:
    """The derivative along a generator."""
    found: Polynomial = {}
    for monomial, c in p.items():
        exponent = dict(monomial).get(atom, 0)
        if exponent:
            found[tuple(sorted(merged(dict(monomial), {atom: -1}).items()))] = (
                c * exponent
            )
    return found


def quotient(p: Polynomial, q: Polynomial, work: Work) -> Polynomial | None:
    """p/q if q divides p; both have integer coefficients."""
    basis = _Basis(p, q)
    found = vectors.quotient(basis.dense(p), basis.dense(q), work)
    return None if found is None else basis.sparse(found)


def square_root(p: Polynomial, work: Work) -> Polynomial | None:
    """A polynomial with integer coefficients whose square is p, if there is one."""
    basis = _Basis(p)
    found = vectors.square_root(basis.dense(p), work)
    return None if found is None else basis.sparse(found)


class _Basis:
    """The generators of polynomials: their atoms, with the parts of each of which all exponents are multiples."""

    def __init__(self, *polynomials: Polynomial) -> None:
        below: dict[int, int] = {}
        for a, e in (power for p in polynomials for m in p for power in m):
            below[a] = math.lcm(below.get(a, 1), e.denominator)
        self._below = dict(sorted(below.items()))

    def dense(self, p: Polynomial) -> vectors.Polynomial:
        """The polynomial keyed by vectors of whole exponents."""
        below = self._below.items()
        powers = ((dict(m), int(c)) for m, c in p.items())
        return {tuple(int(m.get(a, 0) * b) for a, b in below): c for m, c in powers}

    def sparse(self, rows: vectors.Polynomial) -> Polynomial:
        """The polynomial with these vectors."""
        below = self._below.items()
        return {
            tuple(
                (a, Fraction(e, b) if e % b else e // b)
                for (a, b), e in zip(below, v, strict=True)
                if e
            ): c
            for v, c in rows.items()
        }
