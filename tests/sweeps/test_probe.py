"""Looks at an expression: values and slopes, quickly and to many digits."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given

from exprgrad.expressions.expression import Expression, parse
from exprgrad.sweeps.precise import Probe
from tests.strategies import CASES, exact_sweeps


def test_both_looks_give_value_and_slope():
    probe = Probe(parse("x^2*sin(y)").tape, "x")
    at = {"x": 3.0, "y": 0.5}
    quick = probe.floats(at)
    assert math.isclose(quick.value, 9 * math.sin(0.5))
    assert math.isclose(quick.slope, 6 * math.sin(0.5))
    with mpmath.workdps(60):
        precise = probe.precise(at, 50)
        assert (
            abs(precise.slope - 6 * mpmath.sin(mpmath.mpf("0.5")))
            < mpmath.mpf(10) ** -50
        )


@pytest.mark.parametrize("text", ["ln(x)", "1/(x+1)", "sqrt(x)", "asin(x-1)", "x^0.5"])
def test_a_look_where_there_is_no_value_says_so_and_does_not_raise(text):
    probe = Probe(parse(text).tape, "x")
    assert probe.floats({"x": -1.0})[:3] == (None, None, False)
    assert probe.precise({"x": -1.0}, 50)[:3] == (None, None, False)


@pytest.mark.parametrize(
    "text", ["|x|", "relu(x)", "max(x, 2x)", "sqrt(x)", "floor(x)"]
)
def test_no_slope_is_seen_at_a_corner(text):
    look = Probe(parse(text).tape, "x").floats({"x": 0.0})
    assert look.value == 0
    assert look.slope is None


@pytest.mark.parametrize(
    "text", ["exp(exp(exp(x)))", "9^9^9^x", "gamma(1e30*x)", "x^1e30", "sinh(1e30*x)"]
)
def test_numbers_too_large_to_be_worth_their_digits_are_not_faults(text):
    probe = Probe(parse(text).tape, "x")
    assert probe.precise({"x": 5.0}, 50)[:3] == (None, None, True)
    assert probe.floats({"x": 5.0}).overflow


def test_a_branch_that_is_not_taken_need_not_be_defined():
    probe = Probe(parse("if(x < 0, ln(-x), x^2)").tape, "x")
    assert probe.floats({"x": 3.0})[:3] == (9.0, 6.0, False)
    assert probe.precise({"x": 3.0}, 50)[:3] == (9, 6, False)


def test_named_constants_and_decimals_are_exact_in_the_precise_look():
    with mpmath.workdps(60):
        assert (
            abs(Probe(parse("pi").tape).precise({}, 50).value - mpmath.pi)
            < mpmath.mpf(10) ** -50
        )
        tenth = Probe(parse("0.1").tape).precise({}, 50).value
        assert abs(tenth - mpmath.mpf(1) / 10) < mpmath.mpf(10) ** -50


def test_without_its_variable_an_expression_is_level():
    assert Probe(parse("y^2").tape, "x").floats({"y": 3.0})[:3] == (9.0, 0.0, False)
    assert Probe(parse("y^2").tape, "x").precise({"y": 3.0}, 50).slope == 0


@given(CASES)
def test_the_two_looks_agree_on_random_expressions(case):
    text, at = case
    expression = parse(text, variables=at)
    probe = Probe(expression.tape, "x")
    quick, precise = probe.floats(at), probe.precise(at, 50)
    if quick.value is not None and precise.value is not None:
        with mpmath.workdps(60):
            noise = 1e-6 * max(1, *map(abs, _values(expression, at)))
            assert abs(precise.value - quick.value) <= noise


def _values(expression: Expression, at: dict[str, float]) -> list[float]:
    """Every number on the way, for rounding is relative to the largest."""
    own = {name: at[name] for name in expression.variables}
    return [v or 0.0 for v in expression.evaluate(own, [], subgradient=True).primals]


@pytest.mark.parametrize(
    "name",
    ["sin", "exp", "ln", "atan", "acos", "erf", "erfc", "cosh", "log2", "acoth", "cbrt", "sinh"],
)  # fmt: skip
def test_a_look_has_as_many_digits_as_it_was_asked_for(name):
    x = 2.5 if name == "acoth" else 0.375
    tape = parse(f"{name}(x)").tape
    look = Probe(tape, "x").precise({"x": x}, 1500)
    with mpmath.workdps(1520):
        value, gradient = exact_sweeps(tape, {"x": mpmath.mpf(x)})
        for seen, wanted in ((look.value, value), (look.slope, gradient["x"])):
            assert abs(mpmath.mpf(seen) - wanted) < mpmath.mpf(10) ** -1495


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("floor(sin(x)^2 + cos(x)^2)", 1),
        ("sign(exp(ln(x^2 + 1)) - x^2 - 1)", 0),
        ("sign(7*exp(ln(x^2 + 1)) - 7*x^2 - 7)", 0),
        ("mod(x*(sin(x)^2 + cos(x)^2), x)", 0),
        ("if(tan(x)*cos(x) > sin(x), 1, 0)", 0),
    ],
)
@pytest.mark.parametrize("x", [-20480.0, 2.0, 0.3, 71.5])
@pytest.mark.parametrize("digits", [50, 200])
def test_rounding_does_not_decide_on_which_side_of_a_jump_a_number_is(
    text, value, x, digits
):
    look = Probe(parse(text).tape, None).precise({"x": x}, digits)
    assert look.value == value or (look.value is None and look.overflow)
