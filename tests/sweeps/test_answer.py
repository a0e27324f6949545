"""One answer at a point: right digits, true statements, and the same numbers by every way."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given

from exprgrad.errors import (
    DomainError,
    ExprgradError,
    NotDifferentiableError,
    UndecidedError,
)
from exprgrad.expressions.expression import parse
from exprgrad.expressions.higher_orders import directional
from tests.strategies import CASES, CORNERED

PI, ROOT_2 = parse("pi").root, parse("sqrt(2)").root

CANCELLING = [
    ("333.75*b^6+a^2*(11*a^2*b^2-b^6-121*b^4-2)+5.5*b^8+a/(2b)", {"a": 77617, "b": 33096}, -0.8273960599468214, {}),
    ("(1-cos(x))/x^2", {"x": 1e-8}, 0.5, {"x": -8.333333333333333e-10}),
    ("sqrt(x^2+1)-x", {"x": 1e8}, 5e-9, {"x": -5e-17}),
    ("(1+x)^(1/x)", {"x": 1e-12}, 2.718281828457686, {"x": -1.3591409142270304}),
    ("0.1+0.2-0.3", {}, 0, {}),
    ("sin(x)", {"x": PI}, 0, {"x": -1}),
    ("1e16+1-1e16", {}, 1, {}),
    ("(x-sin(x))/x^3", {"x": 1e-4}, 0.16666666658333333, {"x": -1.6666666658730159e-06}),
    ("(exp(x)-1-x)/x^2", {"x": 1e-6}, 0.5000001666667083, {"x": 0.16666675000002500}),
    ("(exp(x)-1-x)/x^2", {"x": 1e-12}, 0.50000000000016667, {"x": 0.16666666666675}),
    ("x^2-2", {"x": ROOT_2}, 0, {"x": 2 * math.sqrt(2)}),
    ("1/x-1/tan(x)", {"x": 1e-12}, 3.3333333333333333e-13, {"x": 1 / 3}),
    ("1e20*x + x - 1e20*x", {"x": 1}, 1, {"x": 1}),
    ("if(0.1*3 == 0.3, 1, 2)", {}, 1, {}),
    ("if(sin(1)^2 + cos(1)^2 == 1, 1, 2)", {}, 1, {}),
    ("exp(1000)/exp(999)", {}, math.e, {}),
    ("ln(digamma(-x,3))", {"x": -1e300}, -2071.633436514081, {"x": 3e-300}),
    ("asinh(exp(sinh(10)))^4+x", {"x": 1}, 1.47152830555259935e16, {"x": 1}),
    ("-atan(x*exp(sinh(9)))", {"x": -1}, math.pi / 2, {}),
    ("asinh(x*exp(sinh(9)))", {"x": -1}, -4052.23504926335, {"x": 1}),
]  # fmt: skip


@pytest.mark.parametrize("other", ["1", "x^sin(x)", "cbrt(x*x)^sin(x)", "sin(x)"])
@pytest.mark.parametrize(
    "kink", ["max((x - 1)^2, 0)", "max(0, (x - 1)^2)", "-min(0, -(x - 1)^2)"]
)
def test_what_stands_still_to_first_order_has_a_vertical_slope_below_a_root(
    kink, other
):
    result = parse(f"{other}*({kink})^(1/3)").evaluate({"x": 1})
    assert result.value == 0
    assert result.gradient == {"x": None}


@pytest.mark.parametrize(("text", "at", "value", "gradient"), CANCELLING)
def test_ten_digits_are_right_where_doubles_lose_them(text, at, value, gradient):
    result = parse(text).evaluate(at)
    assert result.value == pytest.approx(value, rel=1e-10, abs=0)
    assert abs(result.value - value) <= result.error + 2e-16 * abs(value)
    for name, partial in gradient.items():
        assert result.gradient[name] == pytest.approx(partial, rel=1e-10, abs=0)
        assert abs(result.gradient[name] - partial) <= result.errors[
            name
        ] + 3e-16 * abs(partial)


@pytest.mark.parametrize(
    ("text", "x"),
    [("sin(x)^2+cos(x)^2", 0.3), ("log(x,x)", 3), ("x^3-6x", ROOT_2), ("ln(x*x)-2ln(x)", 0.3)],
)  # fmt: skip
def test_a_partial_that_is_0_is_proved_to_be(text, x):
    result = parse(text).evaluate({"x": x})
    assert result.gradient == {"x": 0}
    assert result.errors == {"x": 0}


AT_CORNERS = [
    ("round(erf(x+y))", {"x": 1, "y": 1e8}, 0),
    ("round(x)", {"x": math.nextafter(0.5, 0)}, 0),
    ("round(x)", {"x": 1e16}, 0),
    ("relu(x)-relu(-x)", {"x": 0}, 1),
    ("if(x==0, 1, sin(x)/x)", {"x": 0}, 0),
    ("1e14*x + x - 1e14*x + x*abs(x)", {"x": 0}, 1),
    ("if(x==1,1,x^2)", {"x": 1}, 2),
    ("x*(x==0)", {"x": 0}, 0),
    ("max(x,0)-relu(-x)", {"x": 0}, 1),
    ("abs(relu(x))", {"x": -1}, 0),
    ("hypot(relu(x),relu(y))", {"x": -1, "y": -1}, 0),
    ("mod(x,x)", {"x": 2}, 0),
    ("floor(x^0)", {"x": 2}, 0),
    ("relu(relu(x))", {"x": -1}, 0),
    ("(2-x)^(x/x)", {"x": 3}, -1),
]


@pytest.mark.parametrize(("text", "at", "slope"), AT_CORNERS)
def test_every_way_to_a_derivative_at_a_corner_agrees(text, at, slope):
    f = parse(text)
    assert f.evaluate(at).gradient["x"] == slope
    assert f.evaluate(at, mode="forward").gradient["x"] == slope
    assert directional(f, at, {"x": 1}).derivative == slope
    inside = parse(f"d/dx ({text})")
    here = {name: at[name] for name in inside.variables}
    assert inside.evaluate(here, ()).value == slope
    assert parse(f"2*(d/dx ({text})) + 1")(**here) == 2 * slope + 1


NOWHERE = [
    ("x + 1e-13*abs(x)", {"x": 0}, "corner"),
    ("floor(x)", {"x": 1e15}, "jump"),
    ("mod(x,1)", {"x": 1e15}, "jump"),
    ("1 + 1e-15*sign(x)", {"x": 0}, "jump"),
    ("max(x^x,x*x)", {"x": -1}, "isolated"),
    ("sign(x^x)", {"x": -2}, "isolated"),
    ("if(x^x>0,x,2)", {"x": -2}, "isolated"),
    ("if(x^x < 5, x, 2*x)", {"x": -2}, "isolated"),
    ("0*x^x", {"x": -1}, "isolated"),
    ("floor(x^x)", {"x": -2}, "isolated"),
    ("abs(x-pi)", {"x": PI}, "corner"),
    ("0^x", {"x": 0}, "jump"),
    ("sech(0^x)", {"x": 0}, "jump"),
    ("(x-x)^x + x", {"x": 0}, "jump"),
    ("x^(1/3)", {"x": 0}, "vertical"),
]


@pytest.mark.parametrize(("text", "at", "kind"), NOWHERE)
def test_a_derivative_that_does_not_exist_is_not_invented(text, at, kind):
    result = parse(text).evaluate(at)
    assert result.gradient == {"x": None}
    assert [corner.kind for corner in result.corners] == [kind]
    assert parse(text).evaluate(at, mode="forward").gradient == {"x": None}
    assert directional(parse(text), at, {"x": 1}).derivative is None
    with pytest.raises(ExprgradError):
        parse(f"d/dx ({text})")(**at)


@pytest.mark.parametrize(
    ("text", "at", "slope"),
    [("x*x^x", {"x": 0}, 1), ("x/(x^x - 2)", {"x": 0}, -1), ("bce(x,0)", {"x": 0}, 1)],
)
def test_at_the_end_of_a_domain_the_slope_is_one_sided(text, at, slope):
    result = parse(text).evaluate(at)
    assert result.gradient == {"x": slope}
    assert [corner.kind for corner in result.corners] == ["edge"]


def test_the_derivative_of_a_derivative_at_a_corner_is_decided_from_both_sides():
    f = parse("d/dx (relu(x) - relu(-x)) + x^2")
    result = f.evaluate({"x": 0})
    assert (result.value, result.gradient) == (1, {"x": 0})
    assert parse("d^2/dx^2 |x|^3")(x=0) == 0
    assert parse("d/dx (x*|x|)").evaluate({"x": 0}).gradient == {"x": None}


def test_the_point_is_the_number_that_is_meant():
    f = parse("if(3*x == 0.3, 1, 2)")
    assert f(x=Fraction(1, 10)) == f(x=Decimal("0.1")) == 1
    assert f(x=0.1) == 2  # a float is the number that it stores


def test_what_no_precision_decides_is_said_to_be_undecided():
    with pytest.raises(UndecidedError, match="could not decide") as caught:
        parse("if(atan(1/2) + atan(1/3) == pi/4, 1, 2)").evaluate({})
    assert caught.value.exit_code == 3


def test_nearest_doubles_on_request():
    result = parse("exp(x)*sin(x)").evaluate({"x": 0.1}, digits=17)
    with mpmath.workdps(40):
        x = mpmath.mpf(0.1)
        assert result.value == float(mpmath.exp(x) * mpmath.sin(x))
        slope = float(mpmath.exp(x) * (mpmath.sin(x) + mpmath.cos(x)))
    assert result.gradient == {"x": slope}


@pytest.mark.slow
@given(CASES)
def test_bounds_hold_and_the_plain_sweep_is_within_sight(case):
    text, at = case
    f = parse(text)
    at = {name: at[name] for name in f.variables}
    try:
        result = f.evaluate(at)
        finer = f.evaluate(at, digits=17)
    except DomainError:
        assume(False)
    assert result.gradient.keys() == finer.gradient.keys()
    if result.value is not None and finer.value is not None:
        assert abs(result.value - finer.value) <= result.error + finer.error
    for name, partial in finer.gradient.items():
        known = result.gradient[name]
        assert (partial is None) == (known is None)
        if partial is not None:
            assert abs(known - partial) <= result.errors[name] + finer.errors[name]


@given(CORNERED)
def test_forward_mode_seed_and_derivative_in_a_text_agree_at_corners(case):
    text, x = case
    f = parse(text)
    assume(f.variables)
    try:
        result = f.evaluate({"x": x})
    except ExprgradError:
        assume(False)
    slope = result.gradient["x"]
    assert f.evaluate({"x": x}, mode="forward").gradient["x"] == slope
    along = directional(f, {"x": x}, {"x": 1}).derivative
    assert along == (None if slope is None else pytest.approx(slope, rel=1e-9))
    if not result.corners and slope is not None:
        found = parse(f"d/dx ({text})")(x=x)
        assert found == pytest.approx(slope, rel=1e-9, abs=1e-300)


FAR = [
    ("if(x == 0, 0, exp(-1/x^2))", 0.0),
    ("if(x == 0, 0, exp(-1/x^2)/x^5)", 0.0),
    ("if(x == 0, 0, |exp(-1/x^2)|)", 0.0),
    ("if(x == 0, 0, 2^(-1/x^2))", 0.0),
    ("if(x == 0, 0, x^2*sin(1/x))", 0.0),
    ("if(x == 0, 0, x^2*sin(1/x) + 3*x)", 3.0),
    ("if(x == 0, 0, x^2*ln(1/x^2))", 0.0),
    ("if(x == 0, 0, x^2*atan(1/x))", 0.0),
    ("if(x == 0, 0, x*sinc(1/x))", 0.0),
    ("if(x == 0, 0, x*sin(1/x))", "oscillating"),
    ("if(x == 0, 0, 2*x + x*cos(1/x^3))", "oscillating"),
    ("if(x == 0, 0, sin(1/x))", "jump"),
    ("if(x == 0, 0, exp(1/x))", "jump"),
    ("if(x == 0, 0, x/(1 + exp(1/x)))", (1.0, 0.0)),
    ("if(x == 0, 0, x*tanh(1/x))", (-1.0, 1.0)),
    ("if(x == 0, 0, x*atan(1/x))", (-math.pi / 2, math.pi / 2)),
    ("if(x == 0, 0, x*sign(1/x))", (-1.0, 1.0)),
    ("if(x == 0, 0, exp(-1/|x|)*exp(3/|x|)*exp(-1/|x|))", "undetermined"),
    ("if(x == 0, 0, x*sin(1/x) + x^0.99)", "undetermined"),
    ("if(x == 0, 0, x*(sin(1/x)^2 + cos(1/x)^2))", "undetermined"),
]


@pytest.mark.parametrize(("text", "wanted"), FAR)
def test_rows_say_what_they_do_far_away(text, wanted):
    found = parse(text).evaluate({"x": 0})
    if isinstance(wanted, float):
        assert found.gradient == {"x": wanted}
        assert found.errors == {"x": 0.0}
        return
    (corner,) = found.corners
    assert found.gradient == {"x": None}
    if isinstance(wanted, str):
        assert corner.kind == wanted
    else:
        assert corner.kind == "corner"
        assert (corner.left, corner.right) == wanted


SLOW = [
    ("x^x", "vertical", None, -math.inf),
    ("if(x == 0, 0, x*ln|x|)", "vertical", -math.inf, -math.inf),
    ("if(x == 0, 0, |x*ln|x||)", "vertical", -math.inf, math.inf),
    ("if(x == 0, 0, exp(x*ln|x|) - 1)", "vertical", -math.inf, -math.inf),
    ("if(x == 0, 0, x*asinh(1/x))", "vertical", -math.inf, math.inf),
    ("sin(x) + bce(x, x)", "vertical", None, math.inf),
    ("if(x == 0, 0, ln|x|)", "jump", None, None),
    ("root(x^x, 4)", "vertical", None, -math.inf),
    ("(x^x)^3", "vertical", None, -math.inf),
    ("1/(x^x - 2)", "vertical", None, math.inf),
    ("1/(x^sin(x) - 2)^2", "vertical", None, -math.inf),
    ("bce(x, x)^sqrt(x)", "vertical", None, -math.inf),
    ("(1 - x^x)^x", "vertical", None, -math.inf),
    ("1/x^x", "vertical", None, math.inf),
    ("atan(x^x)/hypot(pi, x)", "vertical", None, -math.inf),
    ("ln(1 + x)^acot(x + 1)", "vertical", None, math.inf),
]


@pytest.mark.parametrize(("text", "kind", "left", "right"), SLOW)
def test_what_goes_like_a_logarithm_makes_a_slope_infinite(text, kind, left, right):
    (corner,) = parse(text).evaluate({"x": 0}).corners
    assert (corner.kind, corner.left, corner.right) == (kind, left, right)


@pytest.mark.parametrize(
    ("text", "slope"),
    [("if(x == 0, 0, x/ln|x|)", 0.0), ("if(x <= 0, 0, x^2*ln(x)^3)", 0.0)],
)
def test_what_goes_like_a_logarithm_leaves_a_slope_of_0(text, slope):
    assert parse(text).evaluate({"x": 0}).gradient == {"x": slope}


def test_a_root_of_an_irrational_degree_is_no_fraction_nearby():
    at = {"x": parse("pi/6").root, "y": parse("pi/3").root}
    found = parse("root(max(x, x), 1.5*y)").evaluate(at, ["x"])
    assert found.gradient["x"] == pytest.approx(0.8053607639363155, rel=1e-15)


def test_a_root_of_0_of_a_huge_degree_is_constant():
    assert parse("root(0, y)").evaluate({"y": 1e300}).gradient == {"y": 0.0}


def test_atan2_is_decided_where_its_formula_divides_by_0():
    found = parse("atan2(max(x, x), x - 1)").evaluate({"x": 1})
    assert found.gradient["x"] == pytest.approx(-1.0)


def test_a_maximum_is_one_of_its_arguments_and_not_a_number_equal_to_it():
    found = parse("sqrt(max(lgamma(x), lgamma(x)))").evaluate(
        {"x": parse("5*pi/6").root}
    )
    assert found.gradient["x"] == pytest.approx(0.623404728730182)


@pytest.mark.parametrize(
    ("text", "slope"),
    [("x*|x| + x/7", Fraction(1, 7)), ("x*|x| + sin(x + 1/3)", None)],
)
def test_a_slope_at_a_corner_has_as_many_digits_as_are_asked_for(text, slope):
    found = parse(text).evaluate({"x": 0}, digits=40).texts["x"]
    with mpmath.workdps(60):
        wanted = mpmath.cos(mpmath.mpf(1) / 3) if slope is None else mpmath.mpf(1) / 7
        assert abs(mpmath.mpf(found) - wanted) <= mpmath.mpf(10) ** -40


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("acsc(log(x, x))", 3.0),
        ("mod(sin(x), sin(x))", -1.0),
        ("sqrt(log(1, x))", 1.867),
        ("max(x, root(x, 1)) - x", -1.0),
    ],
)
def test_what_is_the_same_number_everywhere_has_slope_0(text, x):
    assert parse(text).evaluate({"x": x}).gradient == {"x": 0.0}


ZEROS = {"x": {"x": 0.0, "y": 0.0}, "y": {"x": 0.0, "y": 0.0}}


@pytest.mark.parametrize("text", ["x*y*|y|", "x*|x|*y", "x*y*|x*y|", "relu(x)*y^2*x"])
def test_a_mixed_second_partial_is_decided_at_a_kink(text):
    assert parse(text).hessian({"x": 0.0, "y": 0.0}) == ZEROS


@pytest.mark.parametrize(
    "text",
    ["|x|*y^2", "|x|*y", "|x|*|y|", "if(x == 0, 0, x*y*(x^2 - y^2)/(x^2 + y^2))"],
)
def test_a_mixed_second_partial_that_does_not_exist_is_refused(text):
    with pytest.raises(NotDifferentiableError):
        parse(text).hessian({"x": 0.0, "y": 0.0})
