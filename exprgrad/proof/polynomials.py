"""Polynomials in numbered atoms, with exact coefficients.

A monomial is a sorted tuple of (atom, exponent), a polynomial a dict from monomials to coefficients
other than 0. Exponents are positive; they may be rational if the atom is a positive number:

    2*x^3*y - 1     {((0, 3), (1, 1)): 2, (): -1}       where x is the atom 0 and y the atom 1

Whatever takes more than a constant number of operations is paid for from a `Work`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from exprgrad.algebra.polynomials import OutOfReachError, Work

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


def _vectors(p: Polynomial, atoms: list[int]) -> dict[tuple[Rational, ...], Rational]:
    """The polynomial keyed by vectors of exponents; their order is a monomial order."""
    return {tuple(dict(m).get(a, 0) for a in atoms): c for m, c in p.items()}


def _monomial(vector: tuple[Rational, ...], atoms: list[int]) -> Monomial:
    return tuple((a, e) for a, e in zip(atoms, vector, strict=True) if e)


def quotient(p: Polynomial, q: Polynomial, work: Work) -> Polynomial | None:
    """p/q if q divides p; both have integer coefficients, and q more than one term."""
    atoms = sorted({a for m in p for a, _ in m})
    if not {a for m in q for a, _ in m} <= set(atoms):
        return None
    rest, divisor = _vectors(p, atoms), _vectors(q, atoms)
    lead, low = max(divisor), min(divisor)
    if any(e < 0 for e in map(_minus, min(rest), low)):
        return None
    found: Polynomial = {}
    while rest:
        work.spend(2 * len(divisor))
        top = max(rest)
        shift = tuple(map(_minus, top, lead))
        factor = Fraction(rest[top]) / divisor[lead]
        if min(shift) < 0 or factor.denominator > 1 or len(found) > 60:
            return None
        found[_monomial(shift, atoms)] = factor.numerator
        for vector, c in divisor.items():
            place = tuple(map(_plus, vector, shift))
            left = rest.get(place, 0) - factor.numerator * c
            if left:
                rest[place] = left
            else:
                del rest[place]
    return found


def square_root(p: Polynomial, work: Work) -> Polynomial | None:
    """A polynomial with integer coefficients whose square is p, if there is one."""
    atoms = sorted({a for m in p for a, _ in m})
    rest = _vectors(p, atoms)
    ends = (max(rest), min(rest))
    if any(not _is_square(rest[v]) or any(e % 2 for e in v) for v in ends):
        return None
    top = tuple(e // 2 for e in ends[0])
    lead = math.isqrt(int(rest[ends[0]]))
    root: dict[tuple[Rational, ...], Rational] = {top: lead}
    del rest[ends[0]]
    while rest:
        work.spend(2 * len(root) + 2)
        vector = max(rest)
        shift = tuple(map(_minus, vector, top))
        factor = Fraction(rest[vector]) / (2 * lead)
        if min(shift) < 0 or shift >= top or factor.denominator > 1 or len(root) > 30:
            return None
        new: Rational = factor.numerator
        for other, c in [*root.items(), (shift, Fraction(new, 2))]:
            place = tuple(map(_plus, other, shift))
            left = rest.get(place, 0) - int(2 * new * c)
            if left:
                rest[place] = left
            else:
                rest.pop(place, None)
        root[shift] = new
    return {_monomial(v, atoms): c for v, c in root.items()}


def _is_square(number: Rational) -> bool:
    return number > 0 and math.isqrt(int(number)) ** 2 == number


def _minus(a: Rational, b: Rational) -> Rational:
    return a - b


def _plus(a: Rational, b: Rational) -> Rational:
    return a + b
