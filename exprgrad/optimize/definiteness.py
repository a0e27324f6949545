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


LIFTS = (0.0, 1e-9, 1e-6, 1e-3)
"""What the diagonal is lifted by, as shares of the largest entry, to get past pivots that are 0: that only hides curvature."""


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
    size = max(abs(x) for row in middles for x in row)
    for share in LIFTS:
        v = _from_pivots(middles, share * size)
        places = [i for i, x in enumerate(v) if x]
        if sum(matrix[i][j] * v[i] * v[j] for i in places for j in places) < 0:
            length = math.hypot(*v)
            return [x / length for x in v]
    return None


def _from_pivots(rows: Matrix, lift: float) -> list[float]:
    """The direction of the first negative pivot of L*D*L^T = A + lift*I: the vector v with L^T*v = e_k; empty if there is none."""
    lower: list[list[float]] = []
    pivots: list[float] = []
    for i, row in enumerate(rows):
        own: list[float] = []
        for j in range(i):
            inner = sum(
                a * d * b for a, d, b in zip(own, pivots, lower[j], strict=False)
            )
            own.append((row[j] - inner) / pivots[j])
        squares = sum(a * a * d for a, d in zip(own, pivots, strict=True))
        pivot = row[i] + lift - squares
        if pivot < 0:
            v = [0.0] * len(rows)
            v[i] = 1.0
            for j in reversed(range(i)):
                v[j] = -own[j] - sum(lower[k][j] * v[k] for k in range(j + 1, i))
            return v
        if not pivot > 0:
            return []
        lower.append([*own, 1.0])
        pivots.append(pivot)
    return []
