"""The real roots of a polynomial with rational coefficients, each known by what isolates it.

    [root.near for root in real_roots([Fraction(-2), 0, 0, 1], Work(1000))]     # [1.2599210498948732]

The polynomial is factored over the rationals. A factor of degree 1 is a rational root; of any other, Descartes' rule of
signs isolates the irrational ones: the number of roots in (0, 1) is at most that of the changes of sign in the
coefficients of (1 + x)^n p(1/(1 + x)), and equal to it where that is 0 or 1 (Vincent, Collins and Akritas). FLINT's own
`complex_roots` takes ten seconds for x^40 - 2(2^50 x - 1)^2, and cannot be interrupted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from exprgrad.algebra.factors import irreducible_factors
from exprgrad.algebra.vectors import Polynomial, primitive
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import NamedTuple

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
        rises = value_at(self.factor, self.high) > 0
        return middle, middle * middle - Fraction(c, a), 1 if rises == (a > 0) else -1

    @property
    def near(self) -> float:
        """The nearest double: infinite where the root is beyond their range, and never -0."""
        low, high = self.low, self.high
        rises = value_at(self.factor, high) > 0
        while (double := _double(low)) != _double(high):
            middle = (low + high) / 2
            if (value_at(self.factor, middle) > 0) == rises:
                high = middle
            else:
                low = middle
        return double


def real_roots(p: Sequence[Fraction | int], work: Work) -> list[Root]:
    """The real roots of a polynomial other than 0, each once, in the order of their doubles.

    The polynomial is given by its coefficients, the lowest power first.

    Raises `OutOfReachError` where they are too many or too long, or the roots too close together for the work.
    """
    if len(p) > MOST_DEGREE + 1:
        raise OutOfReachError
    found: list[Root] = []
    for own in factors(p, work):
        if max(map(int.bit_length, own)) > MOST_BITS:
            raise OutOfReachError
        if len(own) == 2:
            root = Fraction(-own[0], own[1])
            found.append(Root(own, root, root))
        else:
            found += [Root(own, *ends) for ends in _isolated(own, work)]
    return sorted(found, key=lambda root: root.near)


def factors(p: Sequence[Fraction | int], work: Work) -> list[tuple[int, ...]]:
    """The irreducible factors of a polynomial other than 0, each once, all by their coefficients."""
    below = math.lcm(*(c.denominator for c in p))
    whole: Polynomial = {(i,): int(c * below) for i, c in enumerate(p) if c}
    found: list[tuple[int, ...]] = [] if (0,) in whole else [(0, 1)]
    rest = primitive(whole)
    for factor, _ in irreducible_factors(rest, work) if len(rest) > 1 else ():
        found.append(tuple(factor.get((i,), 0) for i in range(max(factor)[0] + 1)))
    return found


def value_at(p: Sequence[Fraction | int], x: Fraction) -> Fraction:
    """A polynomial at a fraction."""
    total = Fraction(0)
    for c in reversed(p):
        total = total * x + c
    return total


def _isolated(p: Sequence[int], work: Work) -> Iterator[tuple[Fraction, Fraction]]:
    """The ends of intervals with one root each of an irreducible polynomial of degree 2 or more."""
    degree = len(p) - 1
    # Cauchy's bound of the roots
    bits = (max(map(abs, p)) // abs(p[-1]) + 1).bit_length()
    for sign in (1, -1):
        scaled = [c * sign**i << bits * i for i, c in enumerate(p)]
        stack = [(scaled, Fraction(0), Fraction(1 << bits))]
        while stack:
            own, low, high = stack.pop()
            words = 1 + max(map(int.bit_length, own)) // 64
            work.spend(words * degree * degree)
            changes = _sign_changes(_shifted(own[::-1]))
            if changes == 1:
                yield (low, high) if sign > 0 else (-high, -low)
            elif changes:
                middle = (low + high) / 2
                left = [c << degree - i for i, c in enumerate(own)]
                stack += [(_shifted(left), middle, high), (left, low, middle)]


def _shifted(p: Sequence[int]) -> list[int]:
    """The coefficients of p(x + 1)."""
    own = list(p)
    for i in range(len(own) - 1):
        for k in range(len(own) - 2, i - 1, -1):
            own[k] += own[k + 1]
    return own


def _sign_changes(numbers: Sequence[int]) -> int:
    signs = [c > 0 for c in numbers if c]
    return sum(a != b for a, b in itertools.pairwise(signs))


def _double(x: Fraction) -> float:
    """The nearest double, without a sign where it is 0; beyond their range infinite."""
    try:
        return float(x) + 0.0
    except OverflowError:
        return math.inf if x > 0 else -math.inf
