"""Real roots of polynomials: all of them, each once, to the nearest double, against FLINT's complex roots."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from exprgrad.algebra.roots import MOST_DEGREE, real_roots, value_at
from exprgrad.algebra.work import OutOfReachError, Work
from tests.strategies import fewer

PLENTY = 10**8
FACTORS = st.lists(st.integers(-20, 20), min_size=1, max_size=5).filter(any)


@given(st.lists(FACTORS, min_size=1, max_size=4))
@fewer(2)
def test_roots_are_all_real_ones_each_once(factors):
    whole = math.prod(map(fmpz_poly, factors), start=fmpz_poly([1]))
    found = real_roots(list(map(int, whole.coeffs())), Work(PLENTY))
    square_free = whole // whole.gcd(whole.derivative()) if whole.degree() > 0 else 1
    roots = square_free.complex_roots() if square_free != 1 else []
    want = sorted(float(c.real) for c, _ in roots if c.imag == 0)
    assert [r.near for r in found] == pytest.approx(want, rel=1e-12, abs=1e-12)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=7).filter(any))
@fewer(2)
def test_irrational_roots_lie_next_to_their_doubles(coefficients):
    for root in real_roots(coefficients, Work(PLENTY)):
        assert root.rational is None or value_at(root.factor, root.rational) == 0
        if root.rational is None:
            beside = (math.nextafter(root.near, s * math.inf) for s in (-1, 1))
            low, high = (value_at(root.factor, Fraction(x)) for x in beside)
            assert low * high < 0


def test_exact_forms_are_roots():
    golden = real_roots([-1, -1, 1], Work(PLENTY))
    assert [r.quadratic for r in golden] == [
        (Fraction(1, 2), Fraction(5, 4), sign) for sign in (-1, 1)
    ]
    mixed = real_roots(
        [Fraction(1, 3), -1, -2, 6], Work(PLENTY)
    )  # (3x - 1)(6x^2 - 1)/3
    assert [r.rational for r in mixed] == [None, Fraction(1, 3), None]
    assert [r.quadratic and r.quadratic[1:] for r in mixed] == [
        (Fraction(1, 6), -1),
        None,
        (Fraction(1, 6), 1),
    ]


def test_roots_that_are_close_together_are_told_apart():
    degree, size = 12, 2**30  # Mignotte: x^12 - 2(2^30 x - 1)^2
    p = [-2, 4 * size, -2 * size**2, *[0] * (degree - 3), 1]
    close = [r for r in real_roots(p, Work(PLENTY)) if 0 < r.near < 1]
    assert len(close) == 2
    assert close[0].high <= close[1].low or close[1].high <= close[0].low


@given(st.integers(1, 10**200), st.integers(-(10**200), 10**200), st.integers(1, 99))
@fewer(2)
def test_both_roots_of_a_quadratic_are_found_however_close(a, b, c):
    p = [b * b - c, -2 * a * b, a * a]  # (ax - b)^2 - c
    roots = sorted(real_roots(p, Work(PLENTY)), key=lambda root: root.low)
    assert len(roots) == 2
    assert roots[0].high < roots[1].low
    for root in roots:
        low, high = value_at(p, root.low), value_at(p, root.high)
        assert low * high < 0 or low == high == 0


def test_roots_beyond_doubles_are_infinite_or_zero():
    roots = real_roots([-2 * 10**800, 0, 1], Work(PLENTY))
    assert [r.near for r in roots] == [-math.inf, math.inf]
    assert real_roots([-1, 0, 0, 2 * 10**1200], Work(PLENTY))[0].near == 0.0


@pytest.mark.parametrize("p", [[-2, *[0] * MOST_DEGREE, 1], [1 << 5000, 0, 1]])
def test_polynomials_that_are_too_large_are_refused(p):
    with pytest.raises(OutOfReachError):
        real_roots(p, Work(PLENTY))


@pytest.mark.slow
def test_isolation_ends_with_its_work():
    size = 2**1900
    with pytest.raises(OutOfReachError):
        real_roots([-2, 4 * size, -2 * size**2, *[0] * 37, 1], Work(10**6))
