"""What a teacher would decide: rounded decimals, pieces without a value, no derivative, two answers."""

from __future__ import annotations

import math

import pytest

from exprgrad import check, equivalent, parse
from exprgrad.checking.kinds.curves import Curve
from exprgrad.checking.problems import concerning, judge
from exprgrad.grading.sheet import read_row, read_sheet

EXISTS = "there is a derivative: it is"


@pytest.mark.parametrize(
    ("f", "claim", "status"),
    [
        ("x^2/6", "0.33x", "correct"),
        ("2x/3", "0.67", "correct"),
        ("x/3", "0.3", "incorrect"),
        ("x/3", "0.34", "incorrect"),
        ("1.46x", "1.5", "incorrect"),
        ("x/8", "0.13", "incorrect"),
        ("x^2", "2.1x - 0.12x", "incorrect"),
        ("x^2/6 + 2.5x", "0.33x + 2.5", "correct"),
        ("sin(x/3)", "0.33cos(0.33x)", "correct"),
        ("e^x", "2.718^x", "incorrect"),
        ("e^(2x)", "2*2.71828^(2x)", "incorrect"),
        ("e^x", "1.000*e^x", "correct"),
    ],
)
def test_two_digits_are_rounded_only_where_the_number_has_no_short_decimal(
    f, claim, status
):
    found = check(f, claim)
    assert found.status == status
    if status == "correct":
        assert found.certainty in ("digits_given", "proved")


@pytest.mark.parametrize(
    ("f", "claim", "wrt", "where"),
    [
        ("c*(1+a*x)^3/(3*a)", "exp(2*atanh(a*x))*(c - a^2*c*x^2)", "x", "-1 < a*x < 1"),
        ("x+ln(x^2)", "1+2/exp(ln x)", "x", "x > 0"),
        ("x*y", "y + 0*acosh(x*y)", "x", "x*y > 1"),
        ("(x+y)^2/2", "sqrt((x+y)^2)", "x", "x + y > 0"),
        ("x*y*z", "sqrt(y*z)^2", "x", "where your answer is defined"),
        ("x^2", "2x+0*sqrt((x-77.7)^2-1e-6)", "x", "x < 77.699 or x > 77.701"),
    ],
)
def test_a_claim_that_is_right_on_a_piece_is_partly_right_and_the_piece_is_named(
    f, claim, wrt, where
):
    found = check(f, claim, wrt)
    assert found.status == "partly"
    assert where in found.evidence


@pytest.mark.slow
def test_an_answer_in_x_alone_is_right_on_a_curve_or_on_the_part_where_it_is():
    assert check("e^y = x", "1/x", kind="implicit").status == "correct"
    found = check("sin y = x", "1/sqrt(1-x^2)", kind="implicit")
    assert found.status == "partly"
    assert "correct for cos(y) > 0, wrong for cos(y) < 0" in found.evidence
    assert check("sin y = x", "1/sqrt(1+x^2)", kind="implicit").status == "incorrect"


@pytest.mark.parametrize("claim", ["DNE", "undefined", "does not exist"])
@pytest.mark.parametrize(
    ("f", "options", "status"),
    [
        ("abs(x)", {"at": {"x": 0}}, "correct"),
        ("1/x", {"at": {"x": 0}}, "correct"),
        ("x*|x|", {"at": {"x": 0}, "order": 2}, "correct"),
        ("x^2", {"at": {"x": 3}}, "incorrect"),
        ("x*|x|", {"at": {"x": 0}}, "incorrect"),
        ("x*sqrt(x)", {"at": {"x": 0}}, "undecided"),
        ("x^2", {}, "incorrect"),
        ("sqrt(-1-x^2)", {}, "correct"),
    ],
)
def test_that_there_is_no_derivative_is_an_answer(f, claim, options, status):
    found = check(f, claim, **options)
    assert found.status == status
    assert (EXISTS in found.evidence) == (status == "incorrect")
    assert found.as_dict()["claim"] == claim


@pytest.mark.parametrize(
    ("f", "slope"), [("exp(x)", "1.970071114e+434"), ("exp(-x)", "-5.075958898e-435")]
)
def test_a_derivative_beyond_doubles_is_told_to_who_says_that_there_is_none(f, slope):
    found = check(f, "dne", at={"x": 1000})
    assert found.evidence == f"at x = 1000 {EXISTS} {slope}"
    assert (found.status, found.counterexample) == ("incorrect", None)


@pytest.mark.parametrize("claim", ["DNE", "undefined", "does not exist"])
def test_a_sheet_and_a_class_set_accept_that_there_is_no_derivative(claim):
    sheet = read_sheet(f"d/dx |x| at x=0 = {claim}\nf(x) = |x|; f'(0) = {claim}")
    assert [judge(problem).status for problem in sheet] == ["correct"] * 2
    assert judge(read_row("d/dx |x| at x=0", claim)).status == "correct"
    assert judge(read_row("d/dx x^2 at x=0", claim)).status == "incorrect"


def test_a_problem_may_be_about_a_name_that_says_so_elsewhere():
    assert check("DNE^2", "2DNE").status == "correct"


@pytest.mark.parametrize(
    ("f", "claim"), [("x^2", "2x or -2x"), ("x", "1 or -1"), ("x^2", "2x and 3")]
)
def test_two_answers_cannot_be_read(f, claim):
    found = check(f, claim)
    assert found.status == "unreadable"
    assert "your answer is two" in found.evidence


def test_conditions_may_be_joined_by_and():
    assert check("x^2", "2|x|", where="x > 0 and x < 9").status == "correct"


@pytest.mark.parametrize(
    ("f", "claim", "at", "order", "told"),
    [
        ("|x|", "0", 0, 1, "abs has a corner there"),
        ("|x|", "x/|x|", 0, 1, "abs has a corner there"),
        ("cbrt(x)", "0", 0, 1, "cbrt is infinitely steep there"),
        ("floor(x)", "0", 1, 1, "floor jumps there"),
        ("x*|x|", "2", 0, 2, "there is no derivative of order 2 at x = 0"),
        ("x*|x|", "0", 0, 5, "there is no derivative of order 5 at x = 0"),
        ("sign(x^2)", "0", 0, 2, "there is no derivative of order 2 at x = 0"),
    ],
)
def test_no_number_is_the_derivative_where_there_is_none(f, claim, at, order, told):
    verdict = check(f, claim, at={"x": at}, order=order)
    assert verdict.status == "incorrect"
    assert told in verdict.evidence
    assert f" at x = {at}\n" in str(verdict)
    assert check(f, "DNE", at={"x": at}, order=order).status == "correct"


def test_no_point_counts_where_a_derivative_of_lower_order_does_not_exist():
    f = "floor(4 - x^2)*cos(x)"  # which jumps at x = 0, where its formula -floor(4 - x^2)*sin(x) has a slope
    assert check(f, f"-{f}", order=2).status == "correct"


@pytest.mark.parametrize(("f", "wrt", "claim"), [("|x| + y", "y", "1"), ("x*|y - 1|", "x", "0")])  # fmt: skip
def test_a_partial_needs_no_other_at_a_corner(f, wrt, claim):
    at = {"x": 0, "y": 1}
    assert check(f, claim, wrt, at=at).status == "correct"
    assert check(f, f"{claim} + 1", wrt, at=at).status == "incorrect"


@pytest.mark.slow
def test_what_is_looked_at_for_a_mistake_has_one_variable_of_each_name():
    f = "erf(x - y)^1.5/(sinc(x - y)^a + a)"
    slope = str(parse(f, variables=("x", "y", "a")).derivative("x", "x"))
    assert check(f, f"2*({slope})", "x", order=2).status == "incorrect"


@pytest.mark.slow
def test_a_point_that_leaves_the_curve_is_given_up():
    curve = "tanh(x)*tanh(y/x) = 1"  # which has no real point
    slope = "-(tanh(y/x)*sech(x)^2 - y*tanh(x)*sech(y/x)^2/x^2)/(tanh(x)*sech(y/x)^2/x)"
    assert check(curve, slope, "x", kind="implicit", of="y").status == "correct"


@pytest.mark.slow
def test_poles_of_an_equation_are_no_points_of_its_curve():
    curve = Curve(parse("x*y^2/(sin(y) - 1/3) - 1 - y^2"), "x", "y")
    heights = [at["y"] for at in curve.points()]
    assert heights
    assert all(abs(math.sin(y) - 1 / 3) > 1e-9 for y in heights)


def test_steps_that_lead_away_from_a_pole_end_at_once(monkeypatch):
    curve, looks = Curve(parse("x*y^2/(sin(y) - 1/3) - 1 - y^2"), "x", "y"), []
    precise = curve.probe.precise
    monkeypatch.setattr(curve.probe, "precise", lambda *at: looks.append(at) or precise(*at))  # fmt: skip
    assert curve.refined({"x": 2.0, "y": math.asin(1 / 3)}, 30) is None
    assert len(looks) < 4


@pytest.mark.slow
def test_a_number_whose_sign_is_open_is_next_to_no_end_of_a_function():
    one = "sinc(if(softplus(sin(x)), log10(max(x, e)), if(x == x, mod(0, x), sinc(x, 1))), 2)"  # fmt: skip
    other = "sinc(if(softplus(2*cos(pi/2 - x/2)*cos(x/2)) != 0, log10(max(x, e)), if(x == x, 0, sinc(x, 1))), 2)"  # fmt: skip
    assert equivalent(one, other).status in ("equal", "undecided")


@pytest.mark.parametrize("f", ["cosh(|x|)", "|cos(|x|)|", "|x|*sin(x)", "cosh(|x|)^(4/3)"])  # fmt: skip
def test_the_second_derivative_that_is_shown_is_right_where_a_corner_smoothes_out(f):
    shown = parse(f).derivative("x", "x")
    assert "sign(x)^2" not in str(shown)
    assert check(f, str(shown), order=2).status == "correct"


def test_a_function_without_variables_agrees_at_a_point_that_is_not_told():
    assert check("3", "0", "x", at={"x": 2}).evidence == "agrees to 1000 digits"


def test_a_number_that_doubles_take_for_a_pole_has_a_slope():
    found = check("gamma(-3*erf(10)) + x", "1", at={"x": 1})
    assert (found.status, found.certainty) == ("correct", "agrees")


def test_a_condition_about_other_variables_does_not_matter_to_a_problem():
    where = ["x > 0, ln(x) > 1", "sin(y) > 0", "xy > 0", "x +"]
    assert concerning(where, ("x", "")) == ["x > 0", " ln(x) > 1", "x +"]
    assert concerning(where, ("x", "y")) == ["x > 0", " ln(x) > 1", *where[1:]]


def test_it_is_told_at_how_many_points_numbers_are_too_large():
    found = check("exp(exp(x^4)) + sqrt(-1 - x^2)", "x")
    assert found.evidence.endswith("too large for double precision at 10 of 19 points")


def test_a_function_that_has_no_value_under_the_conditions_is_not_said_to_have_none():
    evidence = check("ln(x)", "1/x", where="x < 0").evidence
    assert evidence.startswith("there is no derivative over the real numbers where x < 0 at")  # fmt: skip
    assert evidence.endswith("is the function defined there?")


@pytest.mark.parametrize(
    ("f", "options"), [("y", {}), ("5", {}), ("5", {"at": {"x": "0.1"}})]
)
def test_a_condition_on_a_variable_that_the_function_does_not_have_can_hold(f, options):
    assert check(f, "0", "x", where="x > 0", **options).status == "correct"
    assert check(f, "1", "x", where="x > 0", **options).status == "incorrect"


def test_a_point_at_which_the_conditions_do_not_hold_is_told():
    found = check("x^2", "4", at={"x": 2}, where="x > 5")
    assert (found.status, found.evidence) == ("undecided", "x > 5 does not hold at x = 2")  # fmt: skip
