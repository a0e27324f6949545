"""Greatest common divisors and factors of polynomials: each is proved by multiplying out."""

from __future__ import annotations

import sys

import pytest
from flint import Ordering, fmpz_mpoly_ctx
from hypothesis import given
from hypothesis import strategies as st

from exprgrad.algebra.polynomials import (
    common_divisor,
    content,
    irreducible_factors,
    is_surely_irreducible,
    product,
    quotient,
    times,
)
from exprgrad.algebra.polynomials import primitive as parts_of
from exprgrad.algebra.work import OutOfReachError, Work
from tests.strategies import fewer

PLENTY = 1_000_000


def power(p, exponent, work):
    """p^exponent, for a whole exponent of at least 0."""
    result = {(): 1}
    for _ in range(exponent):
        result = product(result, p, work)
    return result


def sparse(rows):
    """A polynomial from vectors of exponents of the atoms 0, -1, -2."""
    return {tuple((-i, e) for i, e in enumerate(v) if e): c for v, c in rows.items()}


def dense(p):
    """A polynomial in three atoms for FLINT."""
    return {tuple(dict(m).get(-i, 0) for i in range(3)): c for m, c in p.items()}


def primitive(p):
    return parts_of(p)[2]


VECTORS = st.tuples(*[st.integers(0, 2)] * 3)
POLYNOMIALS = st.dictionaries(
    VECTORS, st.integers(-9, 9).filter(bool), min_size=1, max_size=4
).map(sparse)


def test_a_power_that_cancels_leaves_no_factor():
    assert times(((3, 1), (1, 2)), ((3, -1),)) == ((1, 2),)


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
@fewer(2)
def test_common_divisor_divides_both_and_is_divided_by_every_common_factor(
    p, q, shared
):
    work = Work(PLENTY)
    one, other = product(p, shared, work), product(q, shared, work)
    found = common_divisor(one, other, work)
    assert quotient(one, found, work) is not None
    assert quotient(other, found, work) is not None
    assert quotient(found, primitive(shared), work) is not None


@given(POLYNOMIALS, POLYNOMIALS)
@fewer(2)
def test_product_of_the_factors_is_the_polynomial(p, q):
    work = Work(PLENTY)
    whole = primitive(product(p, q, work))
    back = {(): 1}
    for factor, exponent in irreducible_factors(whole, work):
        back = product(back, power(factor, exponent, work), work)
    assert back in (whole, {m: -c for m, c in whole.items()})


def _univariate(*coefficients):
    return sparse({(i,): c for i, c in enumerate(coefficients) if c})


def test_factors_of_homework_are_found():
    squares = sparse({(2, 0): 4, (0, 2): -9})
    assert len(irreducible_factors(squares, Work(PLENTY))) == 2
    assert sorted(len(p) for p, _ in irreducible_factors(_univariate(-1, 0, 0, 0, 1), Work(PLENTY))) == [2, 2, 2]  # fmt: skip
    assert irreducible_factors(_univariate(1, 2, 1), Work(PLENTY)) == [
        (_univariate(1, 1), 2)
    ]
    assert irreducible_factors(_univariate(1, 0, 1), Work(PLENTY)) == [
        (_univariate(1, 0, 1), 1)
    ]


@pytest.mark.parametrize("exponent", [3, 7, 10])
def test_high_powers_of_short_polynomials_are_found(exponent):
    p = sparse({(1, 0, 0): 3, (0, 1, 1): -2, (0, 0, 0): 1})
    whole = power(p, exponent, Work(10_000))
    assert irreducible_factors(whole, Work(10_000)) == [(p, exponent)]


def test_powers_of_a_variable_are_one_while_factors_are_looked_for():
    p = _univariate(1, 0, 1)
    assert irreducible_factors(power(p, 15, Work(10_000)), Work(10_000)) == [(p, 15)]


def test_content_is_positive_and_divides():
    assert content(sparse({(2, 1): -6, (1, 3): 4})) == (2, ((0, 1), (-1, 1)))


def test_work_is_bounded():
    p = sparse({(i, 30 - i): i + 1 for i in range(30)})
    q = sparse({(i, 29 - i): 7 * i + 1 for i in range(29)})
    work = Work(50)
    try:
        common_divisor(p, q, work)
    except OutOfReachError:
        return
    raise AssertionError("50 operations are not enough for that")


@given(
    st.dictionaries(
        VECTORS, st.integers(-81, 81).filter(bool), min_size=2, max_size=3
    ).map(sparse)
)
@fewer(2)
def test_what_is_seen_to_be_irreducible_has_one_factor(p):
    p = primitive(p)
    if len(p) > 1 and is_surely_irreducible(p):
        ring = fmpz_mpoly_ctx.get(("x", 3), Ordering.lex)
        [(_, exponent)] = ring.from_dict(dense(p)).factor()[1]
        assert exponent == 1


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (_univariate(1, 0, 1), True),
        (_univariate(-4, 0, 9), False),
        (_univariate(4, 0, 0, 0, 1), False),  # Sophie Germain's identity
        (_univariate(8, 0, 0, 0, 1), True),
        (_univariate(-2, 0, 0, 1), True),
        (_univariate(27, 0, 0, 8), False),
        (_univariate(2, 3, 1), False),
        (sparse({(2, 0): 1, (0, 2): -1}), False),
        (
            sparse({(2, 1): 1, (0, 1): 3, (0, 0): 1}),
            True,
        ),  # linear in y, and x^2 + 3 has no monomial
    ],
)
def test_polynomials_of_textbooks_are_seen_to_be_irreducible(p, expected):
    assert (irreducible_factors(p, Work(PLENTY)) == [(p, 1)]) is expected


@pytest.mark.parametrize("root", [2**61 - 1, 10**40 + 1, 10**120 + 7])
@pytest.mark.parametrize("exponent", [2, 3, 4, 5])
def test_powers_of_long_numbers_are_seen_to_be_powers(root, exponent):
    number = root**exponent
    for constant, is_whole in ((-number, False), (-number - 1, True)):
        p = _univariate(constant, *[0] * (exponent - 1), 1)
        assert (irreducible_factors(p, Work(PLENTY)) == [(p, 1)]) is is_whole


@pytest.mark.parametrize(
    ("exponent", "number"), [(10**9 + 7, 2), (2**40, 1), (3 * 2**40, 1), (2**40, -1)]
)
def test_binomials_of_huge_degree_stay_whole(exponent, number):
    p = sparse({(exponent,): 1, (0,): number})
    assert irreducible_factors(p, Work(1000)) == [(p, 1)]


@pytest.mark.parametrize(
    "p", [sparse({(4, 0): 1, (0, 4): 4}), _univariate(1, 0, 1, 0, 1)]
)
def test_factors_are_irreducible_over_the_rationals(p):
    assert len(irreducible_factors(p, Work(1000))) == 2


def test_polynomials_of_a_degree_beyond_reach_stay_whole():
    p = sparse({(10**9, 0): 1, (1, 2): 3, (0, 0): -1})
    assert irreducible_factors(p, Work(1000)) == [(p, 1)]
    with pytest.raises(OutOfReachError):
        common_divisor(p, sparse({(10**8, 2): 1, (1, 0): 2, (0, 2): 5}), Work(1000))


def test_factors_may_have_coefficients_of_any_size():
    a, b = (sparse({(1, 0): 2**70, (0, 1): c}) for c in (1, -3))
    found = irreducible_factors(product(a, b, Work(PLENTY)), Work(PLENTY))
    assert sorted(found, key=repr) == sorted([(a, 1), (b, 1)], key=repr)


@given(POLYNOMIALS, POLYNOMIALS, st.integers(1, 2))
@fewer(2)
def test_factors_and_common_divisors_are_those_of_flint(p, q, step):
    ring = fmpz_mpoly_ctx.get(("x", 3), Ordering.lex)
    work = Work(PLENTY)
    whole = primitive(product(p, q, work))
    whole = {tuple((a, step * e) for a, e in m): c for m, c in whole.items()}
    if len(whole) > 1:
        expected = ring.from_dict(dense(whole)).factor()[1]
        plain = [(_positive(_read(f)), e) for f, e in expected]
        assert _as_set(irreducible_factors(whole, work)) == _as_set(plain)
    shared = ring.from_dict(dense(p)).gcd(ring.from_dict(dense(q)))
    assert common_divisor(p, q, work) == _positive(_read(shared))


def _read(p):
    rows = {tuple(map(int, v)): int(c) for v, c in p.to_dict().items()}
    return sparse(rows)


def _positive(p):
    return p if p[max(p)] > 0 else {m: -c for m, c in p.items()}


def _as_set(factors):
    return {(frozenset(p.items()), int(e)) for p, e in factors}


@pytest.mark.parametrize(
    "p",
    [
        _univariate(-1, 0, 1),
        _univariate(1, 4, 6, 4, 1),
        _univariate(-1, 3, -3, 1),
        _univariate(4, 0, 0, 0, 1),
        _univariate(1, 0, 1, 0, 1),
        _univariate(4, 6, 0, 0, 0, 0, 1),
        _univariate(-5, 0, 0, 7, 0, 6, 0, 3),
        sparse({(2, 0): 9, (1, 1): 3, (1, 0): 6, (0, 1): 1, (0, 0): -8}),
        sparse({(4, 0): 40, (2, 2): -85, (0, 4): 48}),
        sparse({(1, 1): 1, (1, 0): 1, (0, 1): 1, (0, 0): 1}),
        sparse({(2, 0, 0): 1, (0, 2, 2): 1, (1, 1, 1): 2}),
    ],
)
def test_polynomials_of_textbooks_are_factored_without_flint(p, monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    back = {(): 1}
    for factor, exponent in irreducible_factors(p, Work(PLENTY)):
        back = product(back, power(factor, exponent, Work(PLENTY)), Work(PLENTY))
    assert back == _positive(p)
