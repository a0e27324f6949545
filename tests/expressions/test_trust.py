"""How far numbers can be trusted: bounds, condition numbers, and the operation that costs digits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given

from exprgrad.errors import DomainError
from exprgrad.expressions.expression import parse
from exprgrad.expressions.trust import trusted
from tests.strategies import CASES

LOSSES = [
    ("(1-cos(x))/x^2", {"x": 1e-8}, "1-cos(x)", 16),
    ("1/x-1/tan(x)", {"x": 1e-6}, "1/x-1/tan(x)", 13),
    ("2*(sqrt(x^2+1)-x)+y", {"x": 1e4, "y": 1}, None, 0),
    ("3*(sqrt(x^2+1)-x)", {"x": 1e4}, "sqrt(x^2+1)-x", 8),
    ("exp(x)*y", {"x": Fraction(3001, 10), "y": 1}, "exp(x)", 2),
    ("x*y+1", {"x": 3, "y": 4}, None, 0),
]  # fmt: skip


@pytest.mark.parametrize(("source", "at", "part", "digits"), LOSSES)
def test_the_operation_that_costs_the_most_digits_is_found(source, at, part, digits):
    loss = trusted(parse(source).evaluate(at)).loss
    if part is None:
        assert loss is None or loss.digits <= 4
    else:
        assert source[slice(*loss.span)] == part
        assert loss.digits == digits


@given(CASES)
def test_condition_numbers_are_elasticities(case):
    source, at = case
    f = parse(source, tuple("xyz"))
    try:
        result = f.evaluate(at)
    except DomainError:
        assume(False)
    found = trusted(result)
    assert list(found.conditions) == list(result.gradient)
    for name, condition in found.conditions.items():
        partial = result.gradient[name]
        if partial is None or not result.value:
            assert condition is None
        elif condition is not None:
            wanted = partial / result.value * result.at[name]
            assume(math.isfinite(wanted))
            assert condition == pytest.approx(wanted, rel=1e-12, abs=1e-300)


def test_a_loss_in_a_part_that_is_multiplied_by_0_is_none():
    f = parse("(1e300-1e300)*(1e-300+y) - (1/3-3)")
    assert trusted(f.evaluate({"y": 1e-310})).loss is None


def test_condition_numbers_are_known_beyond_the_range_of_doubles():
    assert trusted(parse("exp(x)").evaluate({"x": 1000})).conditions["x"] == pytest.approx(1000)  # fmt: skip


def test_an_exact_root_of_0_costs_no_digits():
    assert trusted(parse("0.1 + exp(cbrt(0))").evaluate({})).loss is None
    assert trusted(parse("0.1 + cbrt(x)^3").evaluate({"x": 0})).loss is None
