"""Whether a symmetric matrix whose entries are balls is positive definite.

    A = [[arb(2, 1e-9), arb(1, 1e-9)], [arb(1, 1e-9), arb(2, 1e-9)]]
    modulus(A)                    # 0.5: every matrix within the bounds has eigenvalues above that
    downhill(A)                   # a vector v with v*A*v < 0 for every such matrix, or None

If a Cholesky factorisation of A - c*I goes through in balls, all such matrices have eigenvalues above c.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from exprgrad.annotations import Any
from exprgrad.numbers.real import is_definite

Matrix = Sequence[Sequence[Any]]

SHARES = (0.5, 0.25, 0.0625, 2.0**-7, 2.0**-12, 2.0**-20, 2.0**-30)
"""Shares of the diagonal that are tried as a lower bound of the eigenvalues."""


def scaled(matrix: Matrix, scales: Sequence[float]) -> list[list[Any]]:
    """D*A*D for a diagonal matrix D of powers of two, which round nothing."""
    return [
        [s * x * t for t, x in zip(scales, row, strict=True)]
        for s, row in zip(scales, matrix, strict=True)
    ]


def negated(matrix: Matrix) -> list[list[Any]]:
    """-A."""
    return [[-x for x in row] for row in matrix]


def scales(matrix: Matrix) -> list[float] | None:
    """Powers of two that bring the diagonal to about 1; None where it is not positive."""
    diagonal = [float(row[i]) for i, row in enumerate(matrix)]
    if not all(0 < x < math.inf for x in diagonal):
        return None
    return [2.0 ** -round(math.log2(x) / 2) for x in diagonal]


def modulus(matrix: Matrix) -> float:
    """A positive lower bound of the eigenvalues of every matrix within the bounds; 0 if none is found."""
    least = min(float(row[i]) for i, row in enumerate(matrix))
    bounds = (share * least for share in SHARES)
    return next((b for b in bounds if b > 0 and is_definite(matrix, b)), 0.0)


def downhill(matrix: Matrix) -> list[float] | None:
    """A vector v with v*A*v < 0 for every matrix within the bounds; None if none is found."""
    middles = [[float(x) for x in row] for row in matrix]
    for v in (*_along_axes(middles), *_from_pivots(middles)):
        places = [i for i, x in enumerate(v) if x]
        if sum(matrix[i][j] * v[i] * v[j] for i in places for j in places) < 0:
            size = math.hypot(*v)
            return [x / size for x in v]
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
