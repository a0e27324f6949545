"""Whether a symmetric matrix whose entries are known to within bounds is positive definite.

    A = Enclosure([[2.0, 1.0], [1.0, 2.0]], [[1e-9, 1e-9], [1e-9, 1e-9]])
    modulus(A)                    # 0.5: every matrix within the bounds has eigenvalues above that
    downhill(Enclosure(...))      # a vector v with v*A*v < 0 for every such matrix, or None

If a Cholesky factorisation in floating point of A - c*I goes through, A is positive definite for every c
above what rounding may have done, (n + 2)*2^-53*trace (Rump, *Verification of positive definiteness*,
2006); a radius R of the entries shifts eigenvalues by at most its largest row sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from exprgrad.annotations import NamedTuple

Matrix = Sequence[Sequence[float]]

UNIT = 2.0**-53

SHARES = (0.5, 0.25, 0.0625, 2.0**-7, 2.0**-12, 2.0**-20, 2.0**-30)
"""Shares of the diagonal that are tried as a lower bound of the eigenvalues."""


class Enclosure(NamedTuple):
    """All symmetric matrices whose entries are within `radii` of `middles`."""

    middles: Matrix
    radii: Matrix

    def scaled(self, scales: Sequence[float]) -> Enclosure:
        """D*A*D for a diagonal matrix D of powers of two, which round nothing."""
        rows = [
            [[s * x * t for t, x in zip(scales, row, strict=True)] for s, row in zip(scales, m, strict=True)]
            for m in self
        ]  # fmt: skip
        return Enclosure(*rows)

    def negated(self) -> Enclosure:
        """-A."""
        return Enclosure([[-x for x in row] for row in self.middles], self.radii)


def scales(matrix: Enclosure) -> list[float] | None:
    """Powers of two that bring the diagonal to about 1; None where it is not positive."""
    found = []
    for i, row in enumerate(matrix.middles):
        if not 0 < row[i] < math.inf:
            return None
        found.append(2.0 ** -round(math.log2(row[i]) / 2))
    return found


def modulus(matrix: Enclosure) -> float:
    """A positive lower bound of the eigenvalues of every matrix within the bounds; 0 if none is found."""
    n = len(matrix.middles)
    least = min(matrix.middles[i][i] for i in range(n))
    trace = sum(abs(matrix.middles[i][i]) for i in range(n))
    spread = max(sum(row) for row in matrix.radii) * (1 + n * 2 * UNIT)
    lost = 2 * (n + 4) * UNIT * trace
    for share in SHARES:
        bound = share * least
        if bound > 0 and _factorises(matrix.middles, bound + spread + lost):
            return bound
    return 0.0


def _factorises(rows: Matrix, shift: float) -> bool:
    """Whether the Cholesky factorisation of A - shift*I goes through."""
    lower: list[list[float]] = []
    for i, row in enumerate(rows):
        own: list[float] = []
        for j in range(i):
            known = lower[j]
            inner = sum(a * b for a, b in zip(own, known, strict=False))
            own.append((row[j] - inner) / known[j])
        pivot = row[i] - shift - sum(a * a for a in own)
        if not 0 < pivot < math.inf:
            return False
        lower.append([*own, math.sqrt(pivot)])
    return True


def downhill(matrix: Enclosure) -> list[float] | None:
    """A vector v with v*A*v < 0 for every matrix within the bounds; None if none is found."""
    n = len(matrix.middles)
    for v in (*_along_axes(matrix.middles), *_from_pivots(matrix.middles)):
        value, error = _form(matrix, v)
        if value + error < 0:
            size = math.sqrt(sum(x * x for x in v))
            return [x / size for x in v] if n > 1 else [1.0]
    return None


def _along_axes(rows: Matrix) -> list[list[float]]:
    """Axes with negative curvature, and pairs of them that have it together."""
    n = len(rows)
    for i in range(n):
        if rows[i][i] < 0:
            return [_vector(n, {i: 1.0})]
    for i in range(n):
        for j in range(i):
            a, b, c = rows[i][i], rows[j][j], rows[i][j]
            if c * c > a * b:
                return [_vector(n, _twisted(i, j, a, b, c))]
    return []


def _twisted(i: int, j: int, a: float, b: float, c: float) -> dict[int, float]:
    """Where a*s^2 + 2*c*s*t + b*t^2 is negative, with a and b >= 0 and c^2 > a*b."""
    if a and b:
        return {i: 1 / math.sqrt(a), j: -math.copysign(1 / math.sqrt(b), c)}
    if a:
        i, j, b = j, i, a
    return {i: (b + 1) / abs(c), j: -math.copysign(1.0, c)}


def _vector(n: int, entries: dict[int, float]) -> list[float]:
    return [entries.get(i, 0.0) for i in range(n)]


def _from_pivots(rows: Matrix) -> list[list[float]]:
    """The direction of the first negative pivot of L*D*L^T."""
    lower: list[list[float]] = []
    pivots: list[float] = []
    for i, row in enumerate(rows):
        own: list[float] = []
        for j in range(i):
            inner = sum(
                a * d * b for a, d, b in zip(own, pivots, lower[j], strict=False)
            )
            own.append((row[j] - inner) / pivots[j])
        pivot = row[i] - sum(a * a * d for a, d in zip(own, pivots, strict=True))
        if pivot < 0:
            return [_solved(lower, own, len(rows))]
        if not pivot > 0:
            return []
        lower.append([*own, 1.0])
        pivots.append(pivot)
    return []


def _solved(lower: list[list[float]], own: list[float], n: int) -> list[float]:
    """The vector v with L^T*v = e_k, for the row k that is last."""
    k = len(own)
    v = [0.0] * n
    v[k] = 1.0
    for j in reversed(range(k)):
        v[j] = -own[j] - sum(lower[i][j] * v[i] for i in range(j + 1, k))
    return v


def _form(matrix: Enclosure, v: Sequence[float]) -> tuple[float, float]:
    """v*A*v at the middles, and a bound on how far it is off."""
    n = len(v)
    value = error = 0.0
    for i in range(n):
        for j in range(n):
            weight = v[i] * v[j]
            if weight:
                term = weight * matrix.middles[i][j]
                value += term
                error += (
                    abs(weight) * matrix.radii[i][j] + abs(term) * (n * n + 4) * UNIT
                )
    return value, error * (1 + (n * n + 4) * UNIT)
