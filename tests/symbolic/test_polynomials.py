"""Greatest common divisors and factors of polynomials: each is proved by multiplying out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad.proof.polynomials import OutOfReachError, Work
from exprgrad.symbolic.polynomials import (
    Packing,
    content,
    factored,
    gcd,
    packed_product,
    power,
    primitive,
    product,
    quotient,
    square_root,
    surely_coprime,
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


@pytest.mark.parametrize("highest", [1, 7, 2**19, 2**30, 10**30])
def test_packed_polynomials_multiply_as_they_do_unpacked(highest):
    packing = Packing(3, highest)
    p = {(highest, 0, -highest): 3, (0, 1, 0): -1, (0, 0, 0): 5}
    q = {(-highest, -1, 0): 2, (0, highest, 1): 7, (0, 1, 0): 1}
    a, b = packing.pack(p), packing.pack(q)
    assert packing.unpack(a) == p
    both = packing.unpack(packed_product(a, b, Work(100)))
    assert both == product(p, q, Work(100))
    cube = packing.unpack(power(a, 3, Work(1000), packed_product))
    assert list(cube.items()) == list(power(p, 3, Work(1000)).items())


def test_packed_polynomials_without_generators_are_numbers():
    packing = Packing(0, 1)
    assert packing.unpack(packing.pack({(): 4})) == {(): 4}


def test_a_linear_polynomial_is_coprime_with_one_that_has_not_its_root():
    linear = {(1, 0): 2, (0, 0): -6}  # 2*x - 6
    multiple = {(1, 1): 1, (0, 1): -3}  # x*y - 3*y
    other = {(2, 0): 1, (0, 1): 1}  # x^2 + y
    assert surely_coprime(linear, other)
    assert surely_coprime(other, linear)
    assert not surely_coprime(linear, multiple)
    assert not surely_coprime(multiple, linear)
    assert not surely_coprime(other, multiple)  # it does not know
