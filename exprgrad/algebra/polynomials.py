"""Polynomials in numbered atoms, with exact coefficients.

A monomial is a tuple of (atom, exponent), the highest number first, and a polynomial a dict from monomials to
coefficients other than 0. Exponents are positive; they may be rational if the atom is a positive number:

    2*x^3*y - 1     {((0, 3), (-1, 1)): 2, (): -1}      where x is the atom 0 and y the atom -1

Python's order of such tuples is the lexicographic one of monomials, so `max` is the leading monomial. Whatever takes
more than a constant number of operations is paid for from a `Work`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from exprgrad.algebra.work import OutOfReachError, Work

Rational = int | Fraction
Monomial = tuple[tuple[int, Rational], ...]
Polynomial = dict[Monomial, Rational]
Factors = dict[int, Rational]
"""A monomial under construction; exponents may have any sign."""

ONE: Monomial = ()
MOST_BITS = 4096
"""Of a coefficient; larger ones are out of reach."""


def monomial(factors: Factors) -> Monomial:
    """The product of powers of atoms."""
    return tuple(sorted(factors.items(), reverse=True))


def times(one: Monomial, other: Monomial) -> Monomial:
    """The product of two monomials."""
    if not one:
        return other
    if not other:
        return one
    exponents = dict(one)
    for atom, exponent in other:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return tuple(sorted(exponents.items(), reverse=True))


def over(one: Monomial, other: Monomial) -> Monomial | None:
    """The quotient of two monomials, if it is a monomial."""
    if not other:
        return one
    left = dict(one)
    for atom, exponent in other:
        rest = left.pop(atom, 0) - exponent
        if rest < 0:
            return None
        if rest:
            left[atom] = rest
    return tuple(sorted(left.items(), reverse=True))


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


def power(p: Polynomial, exponent: int, work: Work) -> Polynomial:
    """p^exponent, for a whole exponent of at least 0."""
    result: Polynomial = {ONE: 1}
    for _ in range(exponent):
        result = product(result, p, work)
    return result


def content(p: Polynomial) -> tuple[Rational, Monomial]:
    """The greatest number and monomial that divide a polynomial; the number is positive."""
    monomial = min(p, key=len)
    for m in p if monomial else ():
        own = dict(m)
        monomial = tuple((a, min(e, own[a])) for a, e in monomial if a in own)
        if not monomial:
            break
    low: Factors = {}
    for atom, e in (power for m in p for power in m if power[1] < 0):
        low[atom] = min(low.get(atom, 0), e)
    if low:  # of e^(-2*x) - 1
        monomial = tuple(sorted(({**dict(monomial), **low}).items(), reverse=True))
    top = math.gcd(*(c.numerator for c in p.values()))
    bottom = math.lcm(*(c.denominator for c in p.values()))
    return (Fraction(top, bottom) if bottom > 1 else top), monomial


def primitive(p: Polynomial) -> tuple[Rational, Monomial, Polynomial]:
    """A polynomial as number * monomial * primitive polynomial with a positive leading coefficient."""
    number, monomial = content(p)
    bits = max(max(abs(c.numerator), c.denominator) for c in p.values()).bit_length()
    if max(bits, number.denominator.bit_length()) > MOST_BITS:
        raise OutOfReachError
    if p[max(p)] < 0:
        number = -number
    if number == 1 and not monomial:
        return 1, ONE, p
    rest: Polynomial = {}
    for m, c in p.items():
        left = over(m, monomial)
        assert left is not None, "the content divides every term"
        rest[left] = int(c / number) if number.denominator > 1 else c // number
    return number, monomial, rest


def generators(p: Polynomial) -> list[int]:
    """The atoms that occur in a polynomial, the highest first."""
    return sorted({atom for monomial in p for atom, _ in monomial}, reverse=True)


def by_power(p: Polynomial, atom: int) -> dict[Rational, Polynomial]:
    """The coefficients of the powers of an atom, which are polynomials in the others."""
    found: dict[Rational, Polynomial] = {}
    for m, c in p.items():
        exponent = next((e for a, e in m if a == atom), 0)
        rest = tuple([f for f in m if f[0] != atom]) if exponent else m
        found.setdefault(exponent, {})[rest] = c
    return found


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
    for exponent, own in by_power(p, atom).items():
        left = ((atom, exponent - 1),) if exponent != 1 else ONE
        found.update((times(m, left), c * exponent) for m, c in own.items() if exponent)
    return found


def quotient(p: Polynomial, q: Polynomial, work: Work) -> Polynomial | None:
    """p/q if q divides p; both have integer coefficients."""
    lead = max(q)
    top = q[lead]
    rest: Polynomial = dict(p)
    found: Polynomial = {}
    while rest:
        work.spend(len(q))
        first = max(rest)
        shift = over(first, lead)
        if shift is None or rest[first] % top:
            return None
        factor = found[shift] = rest[first] // top
        accumulate(rest, [(times(m, shift), -factor * c) for m, c in q.items()])
    return found


def square_root(p: Polynomial, work: Work) -> Polynomial | None:
    """A polynomial with integer coefficients whose square is p, if there is one."""
    lead = max(p)
    # of an atom with roots in p, the odd powers of the smallest root are squares of none
    units = {a: math.lcm(*(e.denominator for m in p for b, e in m if a == b)) for a, _ in lead}  # fmt: skip
    even = all(e * units[a] % 2 == 0 for a, e in lead)
    if not (even and _is_square(p[lead]) and _is_square(p[min(p)])):
        return None
    top = tuple((a, e // 2 if e % 2 == 0 else Fraction(e, 2)) for a, e in lead)
    twice = 2 * math.isqrt(int(p[lead]))
    root: Polynomial = {top: twice // 2}
    rest = dict(p)
    del rest[lead]
    while rest:
        work.spend(2 * len(root) + 2)
        first = max(rest)
        shift = over(first, top)
        if shift is None or shift >= top or rest[first] % twice:
            return None
        new = rest[first] // twice  # (root + t)^2 = root^2 + 2*t*root + t^2
        accumulate(rest, [(times(m, shift), -2 * new * c) for m, c in root.items()])
        accumulate(rest, [(times(shift, shift), -new * new)])
        root[shift] = new
    return root


def _is_square(number: Rational) -> bool:
    """Whether an integer is the square of another."""
    return number >= 0 and math.isqrt(int(number)) ** 2 == number
