"""The real roots of a polynomial with rational coefficients, each known by what isolates it.

    [root.near for root in real_roots([Fraction(-2), 0, 0, 1], Work(1000))]     # [1.2599210498948732]

The polynomial is factored over the rationals. A factor of degree 1 is a rational root; of any other, FLINT isolates the
complex roots in balls, with those that are real on the axis. It can be neither bounded nor interrupted, so what it may
take is estimated before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from exprgrad.algebra.polynomials import (
    coefficients,
    in_one,
    irreducible_factors,
    primitive,
)
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any, NamedTuple
from exprgrad.numbers.real import fraction
from exprgrad.operations.precision import Precision

MOST_DEGREE = 40
MOST_BITS = 4000
"""Bits of a coefficient of a polynomial that FLINT is to factor: that takes less than a second."""

ISOLATED = 64
"""Bits of a root."""


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
        square = middle * middle - Fraction(c, a)
        return middle, square, 1 if self.high > middle else -1

    @property
    def near(self) -> float:
        """A double next to it: infinite where the root is beyond their range, and never -0."""
        middle = (self.low + self.high) / 2
        try:
            return float(middle) + 0.0
        except OverflowError:
            return math.inf if middle > 0 else -math.inf

    def ball(self, bits: int) -> Any:
        """The root as a ball of Arb with so many bits, for the precision that is set."""
        from flint import arb, fmpq

        if self.rational is not None:
            return arb(fmpq(*self.rational.as_integer_ratio()))
        return next(ball for ball, low, high in _isolated(self.factor, bits) if low <= self.high and self.low <= high)  # fmt: skip


def real_roots(p: Sequence[Fraction | int], work: Work) -> list[Root]:
    """The real roots of a polynomial other than 0, each once, in the order of their doubles.

    The polynomial is given by its coefficients, the lowest power first.

    Raises `OutOfReachError` where they are too many or too long, or may be too close together for the work.
    """
    if len(p) > MOST_DEGREE + 1:
        raise OutOfReachError
    found = [root for own in factors(p, work) for root in roots_of_factor(own, work)]
    return sorted(found, key=lambda root: root.near)


def roots_of_factor(p: tuple[int, ...], work: Work) -> list[Root]:
    """The real roots of an irreducible polynomial."""
    bits = max(map(int.bit_length, p))
    if bits > MOST_BITS:
        raise OutOfReachError
    degree = len(p) - 1
    if degree == 1:
        root = Fraction(-p[0], p[1])
        return [Root(p, root, root)]
    if degree > 2 and any(p[1:-1]):
        # the worst are those of Mignotte: x^n - 2(kx - 1)^2
        work.spend(degree * (degree * bits) ** 2 // 10, 100 + 3 * degree**2)
    return [Root(p, low, high) for _, low, high in _isolated(p, ISOLATED)]


def _isolated(p: tuple[int, ...], bits: int) -> list[tuple[Any, Fraction, Fraction]]:
    """The real roots of an irreducible polynomial as balls, and the ends of these."""
    from flint import fmpz_poly

    if len(p) == 3:
        balls = _of_quadratic(p, bits)
    else:
        with Precision(bits):
            every: Any = fmpz_poly(list(p)).complex_roots()
            balls = [root.real for root, _ in every if root.imag.is_zero()]
    found = []
    for ball in balls:
        middle, radius = fraction(ball.mid()), fraction(ball.rad())
        found.append((ball, middle - radius, middle + radius))
    return found


def _of_quadratic(p: tuple[int, ...], bits: int) -> list[Any]:
    """The real roots of an irreducible quadratic, which FLINT takes long for where they are close together."""
    from flint import arb

    c, b, a = p
    square = b * b - 4 * a * c
    if square < 0:
        return []
    with Precision(bits + b.bit_length()):  # as many bits as they may have in common
        root = arb(square).sqrt()
        larger = (-b - root if b > 0 else root - b) / 2  # nothing cancels
        return [larger / a, c / larger]


def factors(p: Sequence[Fraction | int], work: Work) -> list[tuple[int, ...]]:
    """The irreducible factors of a polynomial other than 0, each once, all by their coefficients."""
    _, power, rest = primitive(in_one(0, p))
    found: list[tuple[int, ...]] = [(0, 1)] if power else []
    for factor, _ in irreducible_factors(rest, work) if len(rest) > 1 else ():
        found.append(tuple(map(int, coefficients(factor))))
    return found


def value_at(p: Sequence[Fraction | int], x: Fraction) -> Fraction:
    """A polynomial at a fraction."""
    total = Fraction(0)
    for c in reversed(p):
        total = total * x + c
    return total
