"""Greatest common divisors and factors of polynomials: each is proved by multiplying out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad.proof.polynomials import OutOfReachError, Work
from exprgrad.symbolic.polynomials import (
    content,
    factored,
    gcd,
    power,
    primitive,
    product,
    quotient,
    square_root,
)
from tests.strategies import fewer

PLENTY = 1_000_000
VECTORS = st.tuples(*[st.integers(0, 2)] * 3)
POLYNOMIALS = st.dictionaries(
    VECTORS, st.integers(-9, 9).filter(bool), min_size=1, max_size=4
)


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
@fewer(2)
def test_common_divisor_divides_both_and_is_divided_by_every_common_factor(
    p, q, shared
):
    work = Work(PLENTY)
    one, other = product(p, shared, work), product(q, shared, work)
    try:
        found = gcd(one, other, work)
    except OutOfReachError:
        return
    assert quotient(one, found, work) is not None
    assert quotient(other, found, work) is not None
    assert quotient(found, primitive(shared), work) is not None


@given(POLYNOMIALS, POLYNOMIALS)
@fewer(2)
def test_product_of_the_factors_is_the_polynomial(p, q):
    work = Work(PLENTY)
    whole = primitive(product(p, q, work))
    back = {(0, 0, 0): 1}
    for factor, exponent in factored(whole, work):
        back = product(back, power(factor, exponent, work), work)
    assert back in (whole, {v: -c for v, c in whole.items()})


def _univariate(*coefficients):
    return {(i,): c for i, c in enumerate(coefficients) if c}


def test_factors_of_homework_are_found():
    squares = {(2, 0): 4, (0, 2): -9}
    assert len(factored(squares, Work(PLENTY))) == 2
    assert sorted(len(p) for p, _ in factored(_univariate(-1, 0, 0, 0, 1), Work(PLENTY))) == [2, 2, 2]  # fmt: skip
    assert factored(_univariate(1, 2, 1), Work(PLENTY)) == [(_univariate(1, 1), 2)]
    assert factored(_univariate(1, 0, 1), Work(PLENTY)) == [(_univariate(1, 0, 1), 1)]


@pytest.mark.parametrize("exponent", [3, 7, 10])
def test_high_powers_of_short_polynomials_are_found(exponent):
    p = {(1, 0, 0): 3, (0, 1, 1): -2, (0, 0, 0): 1}
    whole = power(p, exponent, Work(10_000))
    assert factored(whole, Work(10_000)) == [(p, exponent)]


def test_powers_of_a_variable_are_one_while_factors_are_looked_for():
    p = {(2,): 1, (0,): 1}
    assert factored(power(p, 15, Work(10_000)), Work(10_000)) == [(p, 15)]


def test_a_root_is_found_where_there_is_one():
    p = {(1, 0): 2, (0, 1): -3, (0, 0): 5}
    assert square_root(power(p, 2, Work(PLENTY)), Work(PLENTY)) == p
    assert square_root({(1, 0): 4}, Work(PLENTY)) is None


def test_content_is_positive_and_divides():
    assert content({(2, 1): -6, (1, 3): 4}) == (2, (1, 1))


def test_work_is_bounded():
    p = {(i, 30 - i): i + 1 for i in range(30)}
    q = {(i, 29 - i): 7 * i + 1 for i in range(29)}
    work = Work(50)
    try:
        gcd(p, q, work)
    except OutOfReachError:
        return
    raise AssertionError("50 operations are not enough for that")
