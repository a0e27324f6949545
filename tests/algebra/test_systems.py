"""Systems of polynomial equations: every real solution once, and none where there are infinitely many."""

from __future__ import annotations

import itertools

import pytest
from flint import fmpz_mpoly_ctx
from hypothesis import given
from hypothesis import strategies as st

from exprgrad.algebra.systems import solutions
from exprgrad.algebra.work import OutOfReachError, Work
from tests.strategies import fewer

PLENTY = 10**7
RING = fmpz_mpoly_ctx.get(("x", 2))
X, Y = RING.gens()
WHOLE = st.lists(st.integers(-4, 4), min_size=1, max_size=3)


def read(p):
    return {tuple(map(int, v)): int(c) for v, c in p.to_dict().items()}


@given(WHOLE, WHOLE, st.integers(-3, 3))
@fewer(2)
def test_every_real_solution_is_found_once(xs, ys, slope):
    p = q = RING.constant(1)
    for x in xs:  # those that are double, too
        p *= X - x
    for y in ys:
        q *= Y - slope * X - y
    q *= Y**2 + X**2 + 1  # which has complex solutions alone
    found = solutions([read(p), read(q)], Work(PLENTY))
    assert all(None not in (root.rational for root in point) for point in found)
    told = sorted(tuple(root.rational for root in point) for point in found)
    assert told == sorted({(x, slope * x + y) for x, y in itertools.product(xs, ys)})


def test_coordinates_are_roots_of_their_own_equations():
    p, q = X**3 - 3 * X + 1, Y - X**2
    found = solutions([read(p), read(q)], Work(PLENTY))
    assert len(found) == 3
    for x, y in found:
        assert x.factor == (1, -3, 0, 1)
        assert y.near == pytest.approx(x.near**2, rel=1e-15)


@pytest.mark.parametrize(
    ("system", "count"),
    [
        ([X**2 + Y**2], None),
        ([X * Y, X * (Y - 1)], None),
        ([X * Y - 1, X], 0),
        ([X**2 + 1, Y], 0),
        ([X**2 + Y**2, X - Y], 1),
        ([X**4, Y**5 - X], 1),
        ([X**2 - 2, Y**2 - 2], 4),
        ([X**2 - 2, Y**2 - X], 2),
    ],
)
def test_solutions_are_counted(system, count):
    found = solutions(list(map(read, system)), Work(PLENTY))
    assert found is None if count is None else len(found) == count


def test_a_large_system_is_refused():
    with pytest.raises(OutOfReachError):
        solutions([read(X**12 - Y - 1), read(Y**12 - X + 3)], Work(PLENTY))
    with pytest.raises(OutOfReachError):
        solutions([read(X**5 - Y - 1), read(Y**5 - X + 3)], Work(10))
    # FLINT took seconds to give up
    with pytest.raises(OutOfReachError):
        solutions([{(10**15, 5): 1, (0, 3): 1, (7, 0): -2}, {(3, 10**15 + 1): 1, (1, 1): -1}], Work(PLENTY))  # fmt: skip
