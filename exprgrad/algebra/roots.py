"""The real roots of a polynomial with rational coefficients, each known by what isolates it.

    [root.near for root in real_roots([Fraction(-2), 0, 0, 1], Work(1000))]     # [1.2599210498948732]

FLINT factors the polynomial over the rationals. A factor of degree 1 is a rational root; of any other, Descartes' rule of
signs isolates the irrational ones: the number of roots in (0, 1) is at most that of the changes of sign in the
coefficients of (1 + x)^n p(1/(1 + x)), and equal to it where that is 0 or 1 (Vincent, Collins and Akritas). FLINT's own
`complex_roots` takes ten seconds for x^40 - 2(2^50 x - 1)^2, and cannot be interrupted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any, NamedTuple

MOST_DEGREE = 40
MOST_BITS = 4000
"""Bits of a coefficient of a polynomial that FLINT is to factor: that takes less than a second."""


class Root(NamedTuple):
    """The one root of an irreducible polynomial that lies between two fractions, or is equal to both.

    The coefficients are whole numbers, the lowest power first.
    """

    factor: tuple[int, ...]
    low: Fraction
    high: Fraction

    @property
    def rational(self) -> Fraction | None:
        """The root, if it is a fraction."""
        return self.low if self.low == self.high else None

    @property
    def quadratic(self) -> tuple[Fraction, Fraction, int] | None:
        """m, s and ±1 for the root m ± sqrt(s) of a quadratic polynomial."""
        if len(self.factor) != 3:
            return None
        c, b, a = self.factor
        middle = Fraction(-b, 2 * a)
        rises = value(self.factor, self.high) > 0
        return middle, middle * middle - Fraction(c, a), 1 if rises == (a > 0) else -1

    @property
    def near(self) -> float:
        """The nearest double: infinite where the root is beyond their range, and never -0."""
        low, high = self.low, self.high
        rises = value(self.factor, high) > 0
        while (double := _double(low)) != _double(high):
            middle = (low + high) / 2
            if (value(self.factor, middle) > 0) == rises:
                high = middle
            else:
                low = middle
        return double


def real_roots(p: Sequence[Fraction | int], work: Work) -> list[Root]:
    """The real roots of a polynomial other than 0, each once, in the order of their doubles.

    The polynomial is given by its coefficients, the lowest power first.

    Raises `OutOfReachError` where they are too many or too long, or the roots too close together for the work.
    """
    from flint import fmpz_poly

    below = math.lcm(*(c.denominator for c in p))
    whole = [int(c * below) for c in p]
    bits = max(c.bit_length() for c in whole)
    if len(p) > MOST_DEGREE + 1 or bits > MOST_BITS:
        raise OutOfReachError
    found: list[Root] = []
    for factor, _ in fmpz_poly(whole).factor()[1]:
        own = tuple(map(int, factor.coeffs()))
        if len(own) == 2:
            root = Fraction(-own[0], own[1])
            found.append(Root(own, root, root))
        else:
            found += [Root(own, *ends) for ends in _isolated(factor, work)]
    return sorted(found, key=lambda root: root.near)


def value(p: Sequence[int], x: Fraction) -> Fraction:
    """A polynomial at a fraction."""
    total = Fraction(0)
    for c in reversed(p):
        total = total * x + c
    return total


def _isolated(p: Any, work: Work) -> Iterator[tuple[Fraction, Fraction]]:
    """The ends of intervals with one root each of an irreducible polynomial of degree 2 or more."""
    from flint import fmpz_poly

    up, degree = fmpz_poly([1, 1]), p.degree()
    coefficients = list(map(int, p.coeffs()))
    # Cauchy's bound of the roots
    bits = (max(map(abs, coefficients)) // abs(coefficients[-1]) + 1).bit_length()
    for sign in (1, -1):
        scaled = [c * sign**i << bits * i for i, c in enumerate(coefficients)]
        stack = [(scaled, Fraction(0), Fraction(1 << bits))]
        while stack:
            own, low, high = stack.pop()
            words = 1 + max(map(int.bit_length, own)) // 64
            work.spend(words * degree * degree)
            changes = _sign_changes(fmpz_poly(own[::-1])(up).coeffs())
            if changes == 1:
                yield (low, high) if sign > 0 else (-high, -low)
            elif changes:
                middle = (low + high) / 2
                left = [c << degree - i for i, c in enumerate(own)]
                right = list(map(int, fmpz_poly(left)(up).coeffs()))
                stack += [(right, middle, high), (left, low, middle)]


def _sign_changes(numbers: Sequence[Any]) -> int:
    signs = [c > 0 for c in numbers if c]
    return sum(a != b for a, b in itertools.pairwise(signs))


def _double(x: Fraction) -> float:
    """The nearest double, without a sign where it is 0; beyond their range infinite."""
    try:
        return float(x) + 0.0
    except OverflowError:
        return math.inf if x > 0 else -math.inf
