"""Coordinates: the number that is meant, beside the double that is close to it."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest

from exprgrad.expressions.expression import parse
from exprgrad.numbers.arb import BALLS, precise
from exprgrad.operations.number_types import Undefined
from exprgrad.sweeps.coordinates import Coordinate


@pytest.mark.parametrize(
    ("given", "ratio", "error"),
    [
        (0.5, (1, 2), 0),
        (0.1, (0.1).as_integer_ratio(), 0),
        (Fraction(1, 3), (1, 3), 1),
        (Decimal("0.1"), (1, 10), 1),
        (Decimal("2.5"), (5, 2), 0),
        (7, (7, 1), 0),
        ((3, 4), (3, 4), 0),
    ],
)
def test_a_number_is_what_it_is(given, ratio, error):
    found = Coordinate.of(given)
    assert (found.ratio, found.error) == (ratio, error)
    assert found.double == ratio[0] / ratio[1]


def test_a_number_beyond_doubles_has_none():
    assert Coordinate.of(Fraction(10**400)).double is None
    assert Coordinate.of(Fraction(1, 10**400)).error == math.inf
    assert Coordinate.of(parse("1e-200*e*1e-200").root).is_beyond


@pytest.mark.parametrize("text", ["0", "1 - 1", "-1 + 2/2", "0*e", "e - e"])
def test_0_is_a_double_however_it_is_reached(text):
    assert not Coordinate.of(parse(text).root).is_beyond


def test_a_typed_decimal_is_that_decimal():
    assert Coordinate.of(parse("0.1").root).ratio == (1, 10)
    long = parse("0.1234567890123456789").root
    assert Coordinate.of(long).ratio == (1234567890123456789, 10**19)
    assert Coordinate.of(parse("1e-400").root).ratio == (1, 10**400)


def test_an_expression_without_variables_is_its_value_to_any_precision():
    quarter = Coordinate.of(parse("pi/4").root)
    assert math.isclose(quarter.double, math.pi / 4)
    assert 0 < quarter.error < 8
    with precise(300) as numbers:
        assert (quarter.ball(numbers) * 4 - numbers.named("pi")).is_zero
    assert Coordinate.of(parse("3*7 - 1").root).error == 0


def test_an_expression_without_a_value_is_no_number():
    assert Coordinate.of(parse("ln(0)").root).double is None
    fault = Coordinate.of(parse("1/0").root).ball(BALLS).fault
    assert isinstance(fault, Undefined)
