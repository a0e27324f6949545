"""The real solutions of a system of polynomial equations, where there are finitely many.

    solutions([{(2, 0): 1, (0, 1): -1}, {(0, 2): 1, (1, 0): -1}], Work(10**6))      # x^2 = y, y^2 = x: (0, 0), (1, 1)

The polynomials modulo the system, made radical by the square-free parts of the coordinates' own equations (Seidenberg),
are a vector space with a dimension for each complex solution. If all solutions differ in a combination t of
the coordinates, its characteristic polynomial has a root for each, every coordinate is a polynomial in t, and a solution
is real where t is. FLINT finds the Gröbner basis, and the roots.
"""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.algebra.roots import Root, real_roots
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any
from exprgrad.operations.precision import Precision

Vector = tuple[int, ...]
Dense = dict[Vector, int]
"""A polynomial by vectors of exponents, as FLINT takes it."""

MOST_SOLUTIONS = 90
"""Complex solutions with their multiplicities: four equations of degree 3 have 81."""

HIGHEST = 1000
"""The most of an exponent: exp(3.14159265358979*x) beside exp(x) has one of 10^14, with which FLINT takes seconds to give up."""

LIMITS = 60, 300, 3000
"""Polynomials of a Gröbner basis, terms of one, and bits of a coefficient, beyond which FLINT gives up."""

BITS = (128, 512, 4096)
"""Precisions with which a coordinate is told from the other roots of its equation."""


def solutions(system: Sequence[Dense], work: Work) -> list[tuple[Root, ...]] | None:
    """Each real solution once, a root for every generator; None where there are infinitely many complex ones.

    Raises `OutOfReachError` where it would take more than the work.
    """
    basis = _basis(system)
    if basis is None or not basis.is_finite:
        return [] if basis is None else None
    own = [m.minpoly() for m in basis.matrices(work)]
    equations = [_whole(p // p.gcd(p.derivative())) for p in own]  # with each root once
    radical = [
        {tuple(k * (j == i) for j in range(basis.count)): c for k, c in enumerate(p) if c}
        for i, p in enumerate(equations)
    ]  # fmt: skip
    basis = _basis([*system, *radical])
    assert basis is not None, "it has the same solutions"
    matrices = basis.matrices(work)
    roots = [real_roots(p, work) for p in equations]
    if not all(roots):
        return []
    # combinations of the coordinates that may be other for every solution
    several = [tuple((-1) ** i * base**i for i in range(basis.count)) for base in (2, 3, 5, 11, 29, 101)]  # fmt: skip
    for weights in [tuple(i == 0 for i in range(basis.count)), *several]:
        whole = sum((m * w for m, w in zip(matrices, weights, strict=True)), 0 * matrices[0])  # fmt: skip
        separating = whole.charpoly()
        if separating.gcd(separating.derivative()).degree() == 0:
            return _told(basis, whole, _whole(separating), roots, work)
    raise OutOfReachError


def _told(
    basis: _Basis, whole: Any, separating: list[int], roots: list[list[Root]], work: Work
) -> list[tuple[Root, ...]]:  # fmt: skip
    """The solutions, from the real roots of the characteristic polynomial of a combination t of the coordinates."""
    from flint import arb_poly, fmpq_mat, fmpq_poly

    size = len(basis.monomials)
    work.spend(size**3)
    power = fmpq_mat(size, 1, [int(i == 0) for i in range(size)])
    powers = [power]
    for _ in range(size - 1):
        powers.append(power := whole * power)
    columns = fmpq_mat(size, size, [p[i, 0] for i in range(size) for p in powers])
    own = [columns.solve(m * powers[0]) for m in basis.matrices(work)]
    formulas = [fmpq_poly([c[i, 0] for i in range(size)]) for c in own]

    def matching(t: Root, formula: Any, candidates: list[Root]) -> Root:
        """The one of these roots that a polynomial in t is."""
        for bits in BITS if len(candidates) > 1 else ():
            with Precision(bits):
                here = arb_poly(formula)(t.ball(bits))
                candidates = [r for r in candidates if here.overlaps(r.ball(bits))]
            if len(candidates) == 1:
                break
        if len(candidates) != 1:
            raise OutOfReachError
        return candidates[0]

    return [
        tuple(matching(t, p, c) for p, c in zip(formulas, roots, strict=True))
        for t in real_roots(separating, work)
    ]


class _Basis:
    """The polynomials modulo a system, by the leading monomials of its Gröbner basis."""

    def __init__(self, count: int, rows: Sequence[Any]) -> None:
        self.count = count
        self.rows = {tuple(map(int, p.monomial(0))): p for p in rows}
        # the powers of generators that lead polynomials; 0 if there is none
        bounds = [max((v[i] for v in self.rows if sum(v) == v[i]), default=0) for i in range(count)]  # fmt: skip
        self.is_finite = 0 not in bounds
        # the monomials that no leading one divides, the lowest first
        found: list[Vector] = [(0,) * count] if self.is_finite else []
        for v in found:
            first = next((i for i, e in enumerate(v) if e), count - 1)
            for i in range(first + 1):
                new = _times(v, i)
                if new[i] < bounds[i] and not any(
                    all(a <= b for a, b in zip(u, new, strict=True)) for u in self.rows
                ):
                    found.append(new)
            if len(found) > MOST_SOLUTIONS:
                raise OutOfReachError
        self.monomials = sorted(found, key=lambda v: (sum(v), v))

    def matrices(self, work: Work) -> list[Any]:
        """Return what multiplication by each generator does to the monomials, as matrices."""
        from flint import fmpq, fmpq_mat

        index = {v: i for i, v in enumerate(self.monomials)}
        size = len(index)
        known: dict[Vector, dict[int, Any]] = {
            v: {i: fmpq(1)} for v, i in index.items()
        }

        def reduced(v: Vector) -> dict[int, Any]:
            """The rest of a monomial, whose divisors by one generator have rests already."""
            if v in known:
                return known[v]
            total: dict[int, Any] = {}
            if v in self.rows:
                terms = [(tuple(map(int, u)), c) for u, c in self.rows[v].terms()]
                top = fmpq(terms[0][1])
                own = [(reduced(u), -c / top) for u, c in terms[1:]]
            else:
                i = next(
                    i for i, e in enumerate(v) if e and _times(v, i, -1) not in index
                )
                rest = reduced(_times(v, i, -1))
                own = [(reduced(_times(self.monomials[k], i)), c) for k, c in rest.items()]  # fmt: skip
            for row, c in own:
                work.spend(1 + len(row))
                for k, d in row.items():
                    total[k] = total.get(k, 0) + c * d
            known[v] = total
            return total

        border = {_times(v, i) for v in index for i in range(self.count)}
        for v in sorted(border, key=lambda v: (sum(v), v)):
            reduced(v)
        columns = [[known[_times(v, i)] for v in index] for i in range(self.count)]
        return [fmpq_mat(size, size, [c.get(row, 0) for row in range(size) for c in own]) for own in columns]  # fmt: skip


def _basis(system: Sequence[Dense]) -> _Basis | None:
    """The Gröbner basis of a system; None where it says that 1 = 0."""
    from flint import Ordering, fmpz_mpoly_ctx, fmpz_mpoly_vec

    count = len(next(iter(system[0])))
    if any(e > HIGHEST for p in system for v in p for e in v):
        raise OutOfReachError
    ring = fmpz_mpoly_ctx.get(("x", count), Ordering.degrevlex)
    own = fmpz_mpoly_vec([ring.from_dict(p) for p in system], ring)
    found: Any
    found, is_whole = own.buchberger_naive(limits=LIMITS)
    if not is_whole:
        raise OutOfReachError
    rows = [p for p in found.autoreduction() if not p.is_zero()]
    return None if any(p.is_constant() for p in rows) else _Basis(count, rows)


def _whole(p: Any) -> list[int]:
    return [int(c) for c in p.numer().coeffs()]


def _times(v: Vector, i: int, by: int = 1) -> Vector:
    return (*v[:i], v[i] + by, *v[i + 1 :])
