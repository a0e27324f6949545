"""Polynomials with whole coefficients in several generators: products, exact quotients, square roots.

A polynomial is a dict from vectors of exponents to coefficients other than 0:

    2*x^3*y - 1     {(3, 1): 2, (0, 0): -1}

Whatever takes more than a constant number of operations is paid for from a `Work`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from operator import add, sub

from exprgrad.algebra.work import Work
from exprgrad.annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeVar

    V = TypeVar("V")

Vector = tuple[int, ...]
Polynomial = dict[Vector, int]


def sum_of(total: dict[V, int], terms: Iterable[tuple[V, int]]) -> dict[V, int]:
    """Add terms into a polynomial, in place."""
    for vector, coefficient in terms:
        new = total.get(vector, 0) + coefficient
        if new:
            total[vector] = new
        else:
            total.pop(vector, None)
    return total


def product(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    """The product of two polynomials."""
    work.spend(len(p) * len(q))
    total: Polynomial = {}
    for v, c in p.items():
        for w, d in q.items():
            vector = tuple(map(add, v, w))
            total[vector] = total.get(vector, 0) + c * d
    return {v: c for v, c in total.items() if c}


def power(p: Polynomial, exponent: int, work: Work) -> Polynomial:
    """p^exponent, for an exponent of at least 1."""
    result = p
    for _ in range(exponent - 1):
        result = product(result, p, work)
    return result


def lowered(
    p: Polynomial, place: int, degree: int, replacement: Polynomial, work: Work
) -> Polynomial:
    """The polynomial with all powers of that degree of the generator at a place replaced, by Horner's scheme."""
    by_count: dict[int, Polynomial] = {}
    for v, c in p.items():
        count = max(v[place] // degree, 0)
        rest = (*v[:place], v[place] - count * degree, *v[place + 1 :])
        by_count.setdefault(count, {})[rest] = c
    total: Polynomial = {}
    for count in range(max(by_count, default=-1), -1, -1):
        total = product(total, replacement, work)
        sum_of(total, by_count.get(count, {}).items())
    return total


def quotient(p: Polynomial, q: Polynomial, work: Work) -> Polynomial | None:
    """p/q if q divides p."""
    lead = max(q)
    top = q[lead]
    rest, found = dict(p), {}
    while rest:
        work.spend(len(q))
        vector = max(rest)
        shift = tuple(map(sub, vector, lead))
        if min(shift, default=0) < 0 or rest[vector] % top:
            return None
        factor = found[shift] = rest[vector] // top
        sum_of(rest, [(tuple(map(add, v, shift)), -factor * c) for v, c in q.items()])
    return found


def square_root(p: Polynomial, work: Work) -> Polynomial | None:
    """A polynomial whose square is p, if there is one."""
    lead, low = max(p), min(p)
    if any(not _is_square(p[v]) or any(e % 2 for e in v) for v in (lead, low)):
        return None
    top = tuple(e // 2 for e in lead)
    twice = 2 * math.isqrt(p[lead])
    root, rest = {top: twice // 2}, dict(p)
    del rest[lead]
    while rest:
        work.spend(2 * len(root) + 2)
        vector = max(rest)
        shift = tuple(map(sub, vector, top))
        if min(shift) < 0 or shift >= top or rest[vector] % twice:
            return None
        new = rest[vector] // twice  # (root + t)^2 = root^2 + 2*t*root + t^2
        sum_of(rest, [(tuple(map(add, v, shift)), -2 * new * c) for v, c in root.items()])  # fmt: skip
        sum_of(rest, [(tuple(map(add, shift, shift)), -new * new)])
        root[shift] = new
    return root


def content(p: Polynomial) -> tuple[int, Vector]:
    """The greatest number and monomial that divide a polynomial; the number is positive."""
    vectors = iter(p)
    least = next(vectors)
    for v in vectors:
        least = tuple(map(min, least, v))
    return math.gcd(*p.values()), least


def primitive(p: Polynomial) -> Polynomial:
    """The polynomial without its content."""
    number, monomial = content(p)
    if number == 1 and not any(monomial):
        return p
    return {tuple(map(sub, v, monomial)): c // number for v, c in p.items()}


def used(p: Polynomial) -> set[int]:
    """The generators that occur in a polynomial."""
    return {i for v in p for i, e in enumerate(v) if e}


def positive(p: Polynomial) -> Polynomial:
    """The polynomial or its opposite, with a positive leading coefficient."""
    return p if p[max(p)] > 0 else {v: -c for v, c in p.items()}


def _is_square(number: int) -> bool:
    """Whether an integer is the square of another."""
    return number >= 0 and math.isqrt(number) ** 2 == number
