"""Angles as whole multiples of a few base angles, which are chosen while an expression is read.

The angles of sin(x), sin(x/2) and sin(x + y) are 2, 1 and 2 times x/2, and 1 time y.
"""

from __future__ import annotations

from fractions import Fraction

from exprgrad.algebra.polynomials import Monomial, Rational, accumulate
from exprgrad.proof.reals import Vector

MOST_MULTIPLE = 12
"""The largest multiple of an angle that is expanded."""

Angle = tuple[tuple[Monomial, Rational], ...]


class Angles:
    """A basis of the angles so far, and the largest angles of which they are whole multiples."""

    def __init__(self) -> None:
        self.basis: list[Vector] = []
        self.units: list[Rational] = []
        self.news = False
        self._rows: list[tuple[Monomial, Vector, dict[int, Rational]]] = []

    def again(self) -> bool:
        """Return whether base angles have been divided since the last call."""
        news, self.news = self.news, False
        return news

    def multiples(self, vector: Vector) -> list[tuple[Angle, int]]:
        """The angle as a sum of (angle, multiple)."""
        found = []
        for i, share in self._shares(vector).items():
            ratio = Fraction(share) / self.units[i]
            # x/2 after x: the base angle is halved, and what was read with the whole one has to be read again
            if ratio.denominator > 1:
                self.units[i] = Fraction(self.units[i]) / ratio.denominator
                self.news = True
                ratio *= ratio.denominator
            unit = {m: c * self.units[i] for m, c in self.basis[i].items()}
            found.append((tuple(sorted(unit.items())), int(ratio)))
        # beside sin(x), sin(100*x) would be a polynomial of degree 100: it stays an atom of its own
        if sum(abs(count) for _, count in found) > MOST_MULTIPLE:
            return [(tuple(sorted(vector.items())), 1)]
        return found

    def _shares(self, vector: Vector) -> dict[int, Rational]:
        """The coordinates of an angle in the basis, which is extended if necessary."""
        rest, shares = dict(vector), dict[int, Rational]()
        for pivot, row, combination in self._rows:
            factor = Fraction(rest.get(pivot, 0))
            if factor:
                accumulate(rest, [(m, -factor * c) for m, c in row.items()])
                accumulate(shares, [(i, factor * c) for i, c in combination.items()])
        if not rest:
            return shares
        # Gaussian elimination: each new angle adds a row, with what it is made of beside it
        new, pivot = len(self.basis), min(rest)
        scale = 1 / Fraction(rest[pivot])
        own: dict[int, Rational] = {i: -c * scale for i, c in shares.items()}
        row = {m: c * scale for m, c in rest.items()}
        self._rows.append((pivot, row, own | {new: scale}))
        self.basis.append(dict(vector))
        self.units.append(1)
        return {new: 1}
