"""Derivatives at corners, jumps and edges, decided from both sides."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import assume, given
from mpmath import mpf

from exprgrad.errors import DomainError, NotDifferentiableError
from exprgrad.expressions.expression import parse
from exprgrad.numbers.arb import precise
from exprgrad.sweeps.careful import meets_corner, pull_back_carefully
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.corners import reason
from exprgrad.sweeps.germs import sides
from exprgrad.sweeps.germs.germ import Digits, Space
from tests.strategies import CASES, CORNERED, exact_values, fewer

INF = math.inf


def at_zero(text):
    expression = parse(text)
    return expression.evaluate(dict.fromkeys(expression.variables, 0))


# A derivative that exists although a rule of the chain fails


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("sqrt(x^4)", 0), ("x*|x|", 0), ("|x|^2", 0), ("|x|^3", 0), ("|x|^1.5", 0),
        ("x^(4/3)", 0), ("x^(5/3)", 0), ("cbrt(x)^3", 1), ("cbrt(x)^4", 0), ("cbrt(x^3)", 1),
        ("cbrt(8x^3)", 2), ("root(x^3, 3)", 1), ("root(x, 5)^5", 1),
        ("|x| - |x|", 0), ("|x| + 2x - |x|", 2), ("|x|*0.1 + |x|*0.2 - |x|*0.3", 0),
        ("relu(x) - relu(-x)", 1), ("relu(x)^2", 0), ("relu(x)*x", 0), ("relu(x^2)", 0),
        ("max(x, x)", 1), ("max(x, -x) - |x|", 0), ("max(x, 0) + min(x, 0)", 1),
        ("max(0, x^2)", 0), ("max(2x, 2x)", 2), ("max(x^3, x^5)", 0), ("min(x, x + x^2)", 1),
        ("cos(|x|)", 0), ("cosh(|x|)", 0), ("exp(max(x, x))", 1), ("exp(cbrt(x^3))", 1), ("ln(1 + |x|) - |x|", 0), ("exp(|x|) - |x|", 0),
        ("|x|*sin(x)", 0), ("|x|^x^2 - 1", 0), ("|sin(x) - x|", 0), ("sign(x)*x^2", 0), ("x^2*step(x)", 0),
        ("x^2*floor(x)", 0), ("floor(x^2)", 0), ("ceil(-x^2)", 0), ("floor(x)*0", 0),
        ("hypot(x^2, x^3)", 0), ("sqrt(x^4 + x^6)", 0), ("(x^2)^(2/3)", 0), ("|x^2|", 0),
        ("if(x < 0, x, sin(x))", 1), ("if(x > 0, x^2, x^3)", 0), ("x/(1 + |x|)", 1),
        ("sqrt(x^2)*sqrt(x^2)", 0), ("|x|*cbrt(x)", 0), ("x^0", 0), ("0^(1 + x)", 0),
        ("asin(1 - x^4)*0 + x", 1), ("if(x == 0, 0, x^2)", 0), ("if(x != 0, 3x, 0)", 3),
        ("if(x == 0, 1, sin(x)/x)", 0), ("if(x == 0, 1/2, (1 - cos(x))/x^2)", 0), ("if(x == 0, 0, x^2*ln(|x|))", 0),
        ("if(x == 0, -1/6, (sin(x) - x)/x^3)", 0), ("if(x == 0, e, (1 + x)^(1/x))", -math.e / 2),
        ("max(ln(exp(x)), x)", 1), ("min(cbrt(x^3), x) + relu(exp(2x) - exp(x)^2)", 1),
        ("x + asin(sin(x))", 2), ("1e-13*|x| + x - 1e-13*|x|", 1),
    ],
)  # fmt: skip
def test_derivative_at_zero_exists_where_a_rule_fails(text, slope):
    result = at_zero(text)
    assert result.gradient["x"] == pytest.approx(slope, rel=1e-12, abs=0)
    assert result.corners == ()


def test_an_exact_slope_has_no_decimals_however_many_digits_are_asked_for():
    assert parse("cbrt(x^3)").evaluate({"x": 0}, digits=30).texts == {}


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("max(ln(exp(x)), x)", 1),
        ("relu(exp(2x) - exp(x)^2)", 0),
        ("min(1/(1/x), x)", 1),
    ],
)
def test_two_that_are_the_same_in_disguise_have_a_larger_one(text, slope):
    assert parse(text).evaluate({"x": -3.4}).gradient["x"] == pytest.approx(slope)


@pytest.mark.parametrize(
    ("text", "x", "slope"),
    [
        ("if(x < 1, x^2, 2x - 1)", 1, 2),
        ("if(x < 1, exp(x), e*x)", 1, math.e),
        ("|x - 1|*(x - 1)", 1, 0),
        ("sqrt((x - 2)^4)", 2, 0),
        ("max(x^2, 2x - 1)", 1, 2),
        ("floor(x)*(x - 2)^2", 2, 0),
        ("x*cbrt(x + 8)^3", -8, -8),
        ("asin(x) + acos(x)", 1, None),
    ],
)
def test_derivative_exists_elsewhere_too(text, x, slope):
    result = parse(text).evaluate({"x": x})
    if slope is None:
        assert result.gradient["x"] in (None, 0)
        return
    assert result.gradient["x"] == pytest.approx(slope, rel=1e-12)
    assert result.corners == ()


@pytest.mark.parametrize(
    ("text", "gradient"),
    [
        ("max(x, y) + min(x, y)", {"x": 1, "y": 1}),
        ("x*|y|", {"x": 0, "y": 0}),
        ("|x|*|y|", {"x": 0, "y": 0}),
        ("x*y/sqrt(1 + x^2)", {"x": 0, "y": 0}),
        ("sqrt(x^4 + y^4)", {"x": 0, "y": 0}),
        ("hypot(x, y)^2", {"x": 0, "y": 0}),
    ],
)
def test_partial_derivatives_at_the_origin_that_exist(text, gradient):
    result = at_zero(text)
    assert result.gradient == gradient
    assert result.corners == ()


# No derivative, and why


def the_corner(text, **at):
    result = parse(text).evaluate(at)
    (corner,) = result.corners
    return result, corner


@pytest.mark.parametrize(
    ("text", "x", "left", "right"),
    [
        ("|x|", 0, -1, 1),
        ("relu(x)", 0, 0, 1),
        ("sqrt(x^2)", 0, -1, 1),
        ("sqrt(4*x^2 + x^4)", 0, -2, 2),
        ("acos(1 - 2x^2)", 0, -2, 2),
        ("asin(2/(1 + 4x^2) - 1)", 0, 4, -4),
        ("asin(x^2 - 1)", 0, -math.sqrt(2), math.sqrt(2)),
        ("max(x, 3x)", 0, 1, 3),
        ("min(x, -x)", 0, 1, -1),
        ("x + max(x, 3x)", 0, 2, 4),
        ("x*sign(x)", 0, -1, 1),
        ("x*floor(x)", 0, -1, 0),
        ("hypot(x, x)", 0, -math.sqrt(2), math.sqrt(2)),
        ("exp(-|x|)", 0, 1, -1),
        ("1/(1 + |x|)", 0, 1, -1),
        ("if(x < 0, -x, x)", 0, -1, 1),
        ("if(x < 1, x, sqrt(x))", 1, 1, 0.5),
        ("if(x <= 1, x, sqrt(x))", 1, 1, 0.5),
        ("|ln(x)|", 1, -1, 1),
        ("|x^2 - 1|", -1, -2, 2),
        ("x^2 + |x - 3|*2", 3, 4, 8),
        ("softplus(|x|)", 0, -0.5, 0.5),
        ("max(x, 1, x^2)", 1, 0, 2),
        ("relu(relu(x))", 0, 0, 1),
        ("|x|/(2 + x)", 0, -0.5, 0.5),
        ("sin(|x|)", 0, -1, 1),
        ("cbrt(|x|^3)", 0, -1, 1),
        ("(x^(2/3))^1.5", 0, -1, 1),
        ("(|x|^(1/7))^7", 0, -1, 1),
        ("exp(1e-17 + |x|)", 0, -1, 1),
        ("2^|x|", 0, -math.log(2), math.log(2)),
        ("sigmoid(|x|)", 0, -0.25, 0.25),
        ("erfc(|x|)", 0, 2 / math.sqrt(math.pi), -2 / math.sqrt(math.pi)),
        ("mod(x, 2)*(x - 4)", 4, 2, 0),
        ("x + 1e-13*|x|", 0, 1 - 1e-13, 1 + 1e-13),
        ("cos(sqrt(|x|)) + |sin(x) - x|", 0, 0.5, -0.5),
    ],
)
def test_corner_has_different_slopes_on_both_sides(text, x, left, right):
    result, corner = the_corner(text, x=x)
    assert result.gradient == {"x": None}
    assert (corner.kind, corner.variable) == ("corner", "x")
    assert (corner.left, corner.right) == (pytest.approx(left), pytest.approx(right))


@pytest.mark.parametrize(
    ("text", "x", "left", "right"),
    [
        ("sqrt(x)", 0, None, INF),
        ("sqrt(-x)", 0, -INF, None),
        ("cbrt(x)", 0, INF, INF),
        ("cbrt(x - 2)", 2, INF, INF),
        ("x^(1/3)", 0, INF, INF),
        ("x^(2/3)", 0, -INF, INF),
        ("x^0.5", 0, None, INF),
        ("root(x, 3)", 0, INF, INF),
        ("root(x, 2)", 0, None, INF),
        ("root(x, 4)", 0, None, INF),
        ("sqrt(|x|)", 0, -INF, INF),
        ("asin(x)", 1, INF, None),
        ("asin(x)", -1, None, INF),
        ("acos(x)", 1, -INF, None),
        ("acos(x)", -1, None, -INF),
        ("acosh(x)", 1, None, INF),
        ("asec(x)", 1, None, INF),
        ("asec(x)", -1, INF, None),
        ("acsc(x)", 1, None, -INF),
        ("asech(x)", 1, -INF, None),
        ("sqrt(1 - x)", 1, -INF, None),
        ("2 - sqrt(x)", 0, None, -INF),
        ("sqrt(sin(x))", 0, None, INF),
        ("asin(x)^2", 1, INF, None),
    ],
)
def test_vertical_tangent_has_an_infinite_slope(text, x, left, right):
    result, corner = the_corner(text, x=x)
    assert result.gradient == {"x": None}
    assert (corner.kind, corner.left, corner.right) == ("vertical", left, right)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x^(2/3)", "the slope is -∞ from the left and ∞ from the right: a cusp"),
        ("1 - sqrt(abs(x))", "the slope is ∞ from the left and -∞ from the right: a cusp"),
        ("cbrt(x)", "the slope is infinite from the left and infinite from the right"),
        ("-cbrt(x)", "the slope is -∞ from the left and -∞ from the right"),
        ("x^x", "the slope is -∞ from the right"),
        ("if(x < 0, 2x, sqrt(x))", "the slope is 2 from the left and infinite from the right"),
    ],
)  # fmt: skip
def test_an_infinite_slope_is_told_with_its_sign(text, told):
    _, corner = the_corner(text, x=0)
    assert reason(corner).endswith(f"; {told}")


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("floor(x)", 2), ("floor(x)", -3), ("ceil(x)", 2), ("round(x)", 2.5), ("round(x)", -0.5),
        ("sign(x)", 0), ("step(x)", 0), ("mod(x, 2)", 4), ("mod(x, -3)", -6), ("x + floor(x)", 1),
        ("floor(x^2)", 2), ("sign(x^2)", 0), ("floor(-x^2)", 0), ("floor(2x)", 0.5),
        ("if(x < 1, 0, 1)", 1), ("if(x == 1, 5, x)", 1), ("x > 2", 2), ("x == 2", 2),
        ("atan2(x, -1)", 0), ("floor(x)^2 + x", 1), ("exp(sign(x))", 0), ("0^x", 0),
        # large numbers, where a step is small beside them
        ("floor(x)", 1e10), ("step(x) + 1e10", 0), ("1e12 + sign(x)", 0), ("ceil(x)/1e5", 1e10),
    ],
)  # fmt: skip
def test_jump_has_no_derivative(text, x):
    result, corner = the_corner(text, x=x)
    assert result.gradient == {"x": None}
    assert corner.kind == "jump"


def test_jump_has_a_slope_on_the_side_that_it_belongs_to():
    assert the_corner("floor(x)", x=2)[1][2:4] == (None, 0)
    assert the_corner("ceil(x)", x=2)[1][2:4] == (0, None)
    assert the_corner("step(x)*x + step(x)", x=0)[1][2:4] == (None, 1)
    assert the_corner("mod(x, 2)", x=4)[1][2:4] == (None, 1)
    assert the_corner("sign(x)", x=0)[1][2:4] == (None, None)


@pytest.mark.parametrize(
    "text", ["floor(x)", "ceil(x)", "round(x)", "sign(x)", "step(x)"]
)
def test_steps_are_flat_between_their_jumps(text):
    for x in (-1.3, 0.2, 2.7):
        result = parse(text).evaluate({"x": x})
        assert (result.gradient, result.corners) == ({"x": 0}, ())


@pytest.mark.parametrize(
    ("text", "x", "left", "right"),
    [
        ("sqrt(x)^2", 0, None, 1),
        ("sqrt(x)*sqrt(x)", 0, None, 1),
        ("x*sqrt(x)", 0, None, 0),
        ("sqrt(x^3)", 0, None, 0),
        ("x^1.5", 0, None, 0),
        ("root(x^3, 2)", 0, None, 0),
        ("sqrt(x)^4", 0, None, 0),
        ("0*sqrt(x)", 0, None, 0),
        ("acosh(x)^2", 1, None, 2),
        ("acos(x)^2", 1, -2, None),
        ("sqrt(1 - x)^2", 1, -1, None),
        ("x + asin(x)*0", 1, 1, None),
        # a root in the exponent, or in a base, beside a term that is as large as what is not known of the root
        ("x^(2 + acos(x))", 1, 2, None),
        ("(x*x)^asec(x)", -1, -2 * math.pi, None),
        ("log(x, 2 + asech(x))", 1, 1 / math.log(2), None),
        ("root(x, 2 + acos(x))", 1, 0.5, None),
    ],
)
def test_edge_of_the_domain_has_a_one_sided_derivative(text, x, left, right):
    result, corner = the_corner(text, x=x)
    slope = right if left is None else left
    assert result.gradient["x"] == pytest.approx(slope, rel=1e-12)
    assert corner.kind == "edge"
    assert (corner.left, corner.right) == (
        left if left is None else pytest.approx(left, rel=1e-12),
        right if right is None else pytest.approx(right, rel=1e-12),
    )


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("(-2)^x", 2),
        ("(-2)^x", -1),
        ("sqrt(-x^2)", 0),
        ("root(-8, x)", 3),
        ("(-1)^(2x)", 1),
    ],
)
def test_isolated_point_has_no_derivative(text, x):
    result, corner = the_corner(text, x=x)
    assert result.gradient == {"x": None}
    assert (corner.kind, corner.left, corner.right) == ("isolated", None, None)


def test_what_terms_and_digits_do_not_decide_is_said_to_be_undetermined():
    result, corner = the_corner("if(sin(x)^2 + cos(x)^2 == 1, x, 2x)", x=0)
    assert (result.gradient, corner.kind) == ({"x": None}, "undetermined")


def test_a_root_of_so_high_a_degree_that_too_many_terms_come_first_is_undetermined():
    result, corner = the_corner("exp(x^0.001)", x=0)
    assert (result.gradient, corner.kind) == ({"x": None}, "undetermined")


def test_the_absolute_value_of_what_has_no_terms_is_as_small_as_that():
    result = parse("|sin(x)^2 + cos(x)^2 - 1|").evaluate({"x": 0})
    assert result.gradient == {"x": 0.0}


# Several variables


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("sqrt(x^2 + y^2)", -1, 1),
        ("hypot(x, y)", -1, 1),
        ("|x| + |y|", -1, 1),
        ("max(x, y)", 0, 1),
        ("min(x, y)", 1, 0),
        ("|x + y|", -1, 1),
    ],
)
def test_both_partials_at_the_origin_are_examined(text, left, right):
    result = at_zero(text)
    assert result.gradient == {"x": None, "y": None}
    assert [c.variable for c in result.corners] == ["x", "y"]
    assert {(c.kind, c.left, c.right) for c in result.corners} == {
        ("corner", left, right)
    }


def test_a_corner_in_one_variable_leaves_the_others_alone():
    result = parse("|x| + y^2 + z*x").evaluate({"x": 0, "y": 3, "z": 2})
    assert result.gradient == {"x": None, "y": 6, "z": 0}
    (corner,) = result.corners
    assert (corner.variable, corner.left, corner.right) == ("x", 1, 3)


def test_only_the_variables_asked_for_are_examined():
    result = parse("|x| + |y|").evaluate({"x": 0, "y": 0}, ["y"])
    assert result.gradient == {"y": None}
    assert [c.variable for c in result.corners] == ["y"]


def test_corner_that_no_variable_asked_for_reaches_does_not_matter():
    result = parse("|x| + y").evaluate({"x": 0, "y": 0}, ["y"])
    assert (result.gradient, result.corners) == ({"y": 1}, ())


def test_corner_in_a_branch_that_is_not_taken_does_not_matter():
    result = parse("if(y > 0, x^2, |x|)").evaluate({"x": 0, "y": 1})
    assert (result.gradient, result.corners) == ({"x": 0, "y": 0}, ())


def test_zero_to_a_power_by_its_exponent_is_flat():
    assert at_zero_and("x^y", 2) == {"x": 0, "y": 0}
    assert at_zero_and("x^y", 1) == {"x": 1, "y": 0}
    assert parse("0^x").evaluate({"x": 2}).gradient == {"x": 0}


def at_zero_and(text, y):
    return parse(text).evaluate({"x": 0, "y": y}).gradient


def test_negative_base_has_no_partial_by_its_exponent():
    result, corner = the_corner("x^y", x=-2, y=2)
    assert result.gradient == {"x": -4, "y": None}
    assert (corner.variable, corner.kind) == ("y", "isolated")


def test_angle_has_a_jump_along_the_negative_axis():
    result, corner = the_corner("atan2(y, x)", x=-1, y=0)
    assert result.gradient == {"y": None, "x": 0}
    assert (corner.variable, corner.kind) == ("y", "jump")


def test_corner_beside_rounding_errors_is_still_a_corner():
    # the cube root of 64 is 4 by math.cbrt, and a little less by 64^(1/3)
    result, corner = the_corner("|x - 1| + cbrt(x + 63) - 4", x=1)
    assert result.value == 0
    assert corner.kind == "corner"
    assert (corner.left, corner.right) == (
        pytest.approx(-1 + 1 / 48),
        pytest.approx(1 + 1 / 48),
    )


# What is said


def test_corner_tells_the_part_of_the_expression_that_is_to_blame():
    source = "x + max(x, 3x)"
    _, corner = the_corner(source, x=0)
    assert corner.operation == "max"
    assert corner.arguments == (0, 0)
    assert source[slice(*corner.span)] == "max(x, 3x)"


def test_the_lowest_operation_is_to_blame():
    _, corner = the_corner("sqrt(|x|) + 1", x=0)
    assert corner.operation == "abs"


def test_gradient_alone_refuses_a_corner():
    with pytest.raises(NotDifferentiableError, match="abs has a corner"):
        parse("y + |x|").gradient({"x": 0, "y": 1})
    assert parse("sqrt(x)^2").gradient({"x": 0}) == {"x": 1}


def test_too_much_work_leaves_corners_undetermined(monkeypatch):
    monkeypatch.setattr(sides, "MOST_WORK", 1)
    _, corner = the_corner("sqrt(pi*x^4)", x=0)
    assert corner.kind == "undetermined"


# Conventions


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("relu(x)", 0), ("|x|", 0), ("max(x, 0)", 0.5), ("min(x, 0)", 0.5), ("max(x, x)", 1),
        ("sign(x)", 0), ("step(x)", 0), ("floor(x)", 0), ("round(x + 1/2)", 0), ("mod(x, 1)", 1),
        ("x*|x| + 2*relu(x) + x", 1), ("if(x > 0, x, 2x)", 2),
    ],
)  # fmt: skip
def test_subgradient_takes_the_convention_of_the_rule(text, slope):
    result = parse(text).evaluate({"x": 0}, subgradient=True)
    assert result.gradient == {"x": slope}
    assert result.corners == ()


@pytest.mark.parametrize(
    ("text", "x"), [("sqrt(x)", 0), ("asin(x)", 1), ("cbrt(x)", 0)]
)
def test_subgradient_does_not_make_an_infinite_slope_finite(text, x):
    result = parse(text).evaluate({"x": x}, subgradient=True)
    assert result.gradient == {"x": None}
    assert result.corners[0].kind == "vertical"


# Germs


@given(CASES)
@fewer(2)
def test_sides_of_a_regular_point_have_the_slope_of_the_reverse_sweep(case):
    text, at = case
    expression = parse(text)
    at = {name: at[name] for name in expression.variables}
    tape = expression.tape
    assume(tape.steps)
    try:
        result = expression.evaluate(at)
    except DomainError:
        assume(False)
    values, active = result.primals, tape.active(tape.variables)
    assume(not meets_corner(tape, values, active))
    assume(all(v is not None and abs(v) < 1e6 for v in values))
    _, edges, blocked = pull_back_carefully(tape, values, active)
    assume(not blocked)
    assume(all(abs(edge.partial) < 1e6 for edge in edges))
    point = {name: Coordinate.of(number) for name, number in at.items()}
    for name, slope in result.gradient.items():
        own = [e for e in edges if e.target == tape.variables[name]]
        size = sum(abs(result.adjoints[e.source] * e.partial) for e in own)
        with precise(100) as balls:
            field = Digits(balls, 100)
            for side in sides.Around(Space(field, 2), tape, point).sides({name: 1}):
                near = field.nearest(side.slope).value
                assert near == pytest.approx(slope, abs=1e-9 * size + 1e-15)


def exact_side(tape, x, direction):
    """The exact slope on one side: a number, infinite, "jump", "edge", or None if not to be told."""
    here = exact_values(tape, {"x": x})[tape.root]
    steps = [direction * mpf(10) ** -digits for digits in (60, 80)]
    beside = [exact_values(tape, {"x": x + step})[tape.root] for step in steps]
    if None in beside:
        return "edge"
    rises = [value - here for value in beside]
    if abs(rises[1]) > max(abs(rises[0]) / 2, 1e-200):
        return "jump"
    near, nearer = (rise / step for rise, step in zip(rises, steps, strict=True))
    if abs(nearer) > 1e5 * abs(near) and abs(nearer) > 1e10:
        return math.copysign(INF, nearer)
    if abs(nearer) < 1e-10:
        return 0.0
    return float(nearer) if abs(near - nearer) < 1e-8 * abs(nearer) else None


@given(CORNERED)
def test_sides_have_the_slopes_of_exact_differences(case):
    text, x = case
    expression = parse(text)
    assume(expression.variables)
    try:
        result = expression.evaluate({"x": x})
    except DomainError:
        assume(False)
    tape = expression.tape
    with mpmath.workdps(800):
        values = exact_values(tape, {"x": x})
        # rounding must not have moved an argument to a corner, or away from it
        assume(
            all(
                values[j] == result.primals[j] for s in tape.corners for j in s.operands
            )
        )
        left, right = (exact_side(tape, x, direction) for direction in (-1, 1))
    assume(None not in (left, right))
    if not result.corners:
        assert (left, right) == pytest.approx((result.gradient["x"],) * 2, abs=1e-9)
        return
    (corner,) = result.corners
    assume(corner.kind != "undetermined")
    for own, exact in ((corner.left, left), (corner.right, right)):
        if isinstance(exact, float):
            assert own == pytest.approx(exact, abs=1e-9)
        else:
            assert own is None
    assert (corner.kind == "jump") == ("jump" in (left, right))


@pytest.mark.parametrize(
    "source",
    ["sign(root(x, 2) - root(x, 2))", "floor(x^(1/3) - x^(1/3))", "step((x^2 + 1)^(1/3) - (x^2 + 1)^(1/3))",
     "sign(log(x, x^x) - log(x, x^x))", "floor(root(x, sqrt(x)) - root(x, sqrt(x)))"],
)  # fmt: skip
def test_what_is_typed_twice_is_the_same_number_all_around(source):
    for at in (2, 4, 5):
        assert parse(source).evaluate({"x": at}).gradient == {"x": 0}


def test_a_third_that_is_typed_twice_is_one_exponent_but_a_half_is_another_one():
    assert parse("sign(x^(1/3) - x^(1/2))").evaluate({"x": 2}).value == -1
    found = parse("|x^(1/3) - x^(1/2)|").evaluate({"x": 1})
    assert found.corners[0].kind == "corner"


@pytest.mark.parametrize(
    "source", ["max(exp(x), exp(x))", "max(exp(-x), -exp(-x))", "relu(exp(-x))", "max(x^exp(37), x^exp(37))"]
)  # fmt: skip
def test_numbers_with_10_to_the_15_digits_are_not_written_out(source):
    found = parse(source).evaluate({"x": 1e15})
    assert found.texts[""] or found.value == 0
    assert not any(c.kind == "jump" for c in found.corners)
