"""Formulas as one fraction, reduced by the relations between roots, powers and functions of one angle."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exprgrad.errors import ExprgradError, RangeError
from exprgrad.expressions.expression import parse
from tests.strategies import fewer

SHORT = {
    "roots of one radicand": {
        "sqrt(x^2+4x)*(x+2)/2 - 2*ln(x+2+sqrt(x^2+4x))": "sqrt(x^2 + 4*x)",
        "x*acos(x/3) - 3*sqrt(1 - x^2/9)": "acos(x/3)",
        "ln(sqrt(x)/sqrt(x+1))": "1/(2*x*(x + 1))",
        "(3x^2+4)*sqrt(x^4+5)/4 - 15*asinh(x^2/sqrt(5))/4": "x^3*(3*x^2 + 2)/sqrt(x^4 + 5)",
        "sqrt(3*sec(x))": "sqrt(3*sec(x))*tan(x)/2",
    },
    "roots of numbers": {
        "atan(sqrt(3)*tanh(x))/sqrt(3)": "1/(2*cosh(2*x) - 1)",
        "atan(x*5^(1/4)) + atanh(x*5^(1/4))": "2*5^(1/4)/(1 - 5*x^4)",
    },
    "functions of one angle": {
        "x + cot(x) - cot(x)^3/3 + cot(x)^5/5": "-cot(x)^6",
        "6/sin(x) + 6/tan(x)": "-6*(cos(x) + 1)/sin(x)^2",
        "7*sin(x)*cos(x)": "7*cos(2*x)",
        "atanh(tanh(3x))*x^2": "x*(3*x + 2*atanh(tanh(3*x)))",
        "sin(x)^2*cos(x)^2*16": "8*sin(4*x)",
        "x/2 - 2*sqrt(3)*atan(tan(x/2)/sqrt(3))/3": "cos(x)/(2*(cos(x) + 2))",
    },
    "squares of functions": {
        "atanh((1-tan(x)^2)/(sqrt(2)*sqrt(1+tan(x)^4)))": "-2*sqrt(2)*tan(x)/sqrt(tan(x)^4 + 1)",
    },
    "conjugates": {
        "4*ln(sqrt(1-x^2)+1)": "-4*x/(sqrt(1 - x^2) - x^2 + 1)",
        "ln((sqrt(x+1)-1)/(sqrt(x+1)+1))": "1/(x*sqrt(x + 1))",
        "x*acosh(a*x)": "acosh(a*x) + a*x/sqrt(a^2*x^2 - 1)",
    },
    "double angles": {
        "ln(cos(x/2)-3sin(x/2)) - ln(3cos(x/2)-sin(x/2))": "4/(5*sin(x) - 3)",
    },
    "exponentials": {
        "2^(2x-1)/ln(2) + 2^x/ln(2) + ln(2^x - 1)/ln(2)": "2^(3*x)/(2^x - 1)",
        "ln(exp(2x) + 1) - ln(exp(x))*3": "-(exp(2*x) + 3)/(exp(2*x) + 1)",
    },
    "powers of sums": {
        "a^3*x + 3/2*a^2*x^2 + a*x^3 + x^4/4": "(x + a)^3",
    },
    "as people write it": {
        "x^2*sin(x)": "2*x*sin(x) + x^2*cos(x)",
        "3*x^-2 + 2/x": "-2/x^2 - 6/x^3",
        "x^3 + x^2 + 7": "3*x^2 + 2*x",
    },
}
CASES = [(s, found) for group in SHORT.values() for s, found in group.items()]


@pytest.mark.parametrize(("source", "found"), CASES)
def test_derivative_is_one_short_fraction(source, found):
    assert str(parse(source, ("a", "x")).derivative("x")) == found


def test_what_a_conjugate_leaves_keeps_its_common_factors():
    bar = "(1 + sqrt(x+1))"
    source = f"x^2*sqrt(x+1)/{bar} + (x^3+x^2+5x+5)/{bar} + 5*sqrt(x+1)/{bar}"
    assert str(parse(source).simplify()) == "sqrt(x + 1)*(x^2 + 5)"


PARTS = (
    "x", "y", "sqrt(x)", "sqrt(x+1)", "sqrt(1-x^2)", "sqrt(2)", "x^(1/3)", "(x^2+y)", "(x+1)", "(x-1)", "sin(x)", "cos(x)",
    "tan(x)", "sec(x)", "csc(x)", "cot(x)", "sin(2x)", "tan(x/2)", "cosh(x)", "tanh(x)", "sech(x)", "exp(x)", "exp(-x)",
    "2^x", "x^y", "x^(y-1)", "ln(x)", "sqrt(4x/y)", "sqrt(sec(x)^2)", "(x^2)^(3/2)", "3", "(1/2)",
)  # fmt: skip
SOURCES = st.recursive(
    st.sampled_from(PARTS),
    lambda inner: st.tuples(inner, st.sampled_from("+-**/"), inner).map(
        lambda t: f"({t[0]}{t[1]}{t[2]})"
    ),
    max_leaves=7,
)
PLACES = st.sampled_from((0.0, 0.5, 1.0, 1.7, 2.0, -0.3, -1.0, -2.6))


@given(SOURCES, PLACES, PLACES)
@fewer(4)
@pytest.mark.parametrize("order", [0, 1])
def test_short_form_has_the_value_wherever_there_is_one(order, source, x, y):
    f = parse(source, "xy")
    at = {"x": x, "y": y}
    try:
        wanted = f.gradient(at)["x"] if order else f.evaluate(at, ()).value
    except ExprgradError:
        assume(False)
    assume(wanted is not None and 1e-9 < abs(wanted) < 1e9)
    found = f.derivative("x") if order else f.simplify()
    try:
        own = parse(str(found), "xy").evaluate(at, ()).value
    except RangeError:
        return
    assert own == pytest.approx(wanted, rel=1e-7), str(found)


@pytest.mark.parametrize(
    ("source", "square"),
    [
        ("x^2 + 2*x*y + y^2", "(x + y)^2"),
        ("4*x^2 + 4*x*y + y^2", "(2*x + y)^2"),
        ("a^2 - 2*a*b + b^2", "(a - b)^2"),
        ("a^2 + 2*a*x + x^2", "(x + a)^2"),
        ("x^2 + 2*x*sin(x) + sin(x)^2", "(x + sin(x))^2"),
    ],
)
def test_powers_of_sums_keep_the_order_of_writing_with_unknowns_first(source, square):
    assert str(parse(source).simplify()) == square
