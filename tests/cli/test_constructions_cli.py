"""The commands that answer: slopes of curves, Jacobians, tangents, Taylor polynomials, critical points."""

from __future__ import annotations

import json

import pytest

from exprgrad import parse
from exprgrad.checking.kinds.critical import critical_points
from exprgrad.cli.start import run

CIRCLE = "x^2 + y^2 = 25"

ANSWERED = [
    (("diff", "--implicit", CIRCLE), "dy/dx = -x/y"),
    (("diff", "--implicit", CIRCLE, "--order", "2"), "d^2y/dx^2 = -1/y - x^2/y^3"),
    (("diff", "--implicit", CIRCLE, "--steps"), "∂F/∂y = 2*y"),
    (("diff", "--implicit", CIRCLE, "--at", "x=3,y=4"), "= -3/4 at x = 3, y = 4"),
    (
        ("diff", "--implicit", CIRCLE, "--at", "x=5,y=0"),
        "\n  has no value at x = 5, y = 0\n",
    ),
    (("diff", "--implicit", "a^2 + b = 1", "--of", "b"), "db/da = -2*a"),
    (("diff", "--implicit", "y = x^y"), "dy/dx = y*x^(y - 1)/(1 - x^y*ln(x))"),
    (("tangent", "y = x*e^y", "--at", "x=0,y=0"), "dy/dx = 1 there\ny = x"),
    (("diff", "[x^2*y, x + y]"), "[2*x*y, x^2]\n[1, 1]"),
    (("diff", "[x^2*y, x + y]", "--wrt", "y"), "[x^2]\n[1]"),
    (("tangent", "x^2", "--at", "x=3"), "f'(3) = 6\ny = 9 + 6*(x - 3)\ny = 6*x - 9"),
    (("tangent", CIRCLE, "--at", "x=3,y=4"), "y = 25/4 - 3*x/4"),
    (("tangent", CIRCLE, "--at", "x=5,y=0"), "the tangent is vertical\nx = 5"),
    (("tangent", "(t^2, t^3)", "--at", "t=1"), "y = 3*x/2 - 1/2"),
    (("tangent", "x^2*y", "--at", "x=1,y=2"), "z = 4*x + y - 4"),
    (("taylor", "exp(x)", "--order", "3"), "1 + x + 1/2*x^2 + 1/6*x^3"),
    (("taylor", "tan(x)", "--at", "x=pi/4", "--order", "1"), "1 + 2*(x - pi/4)"),
    (("taylor", "5"), "f(0) = 5"),
    (("taylor", "erf(x)"), "2/sqrt(pi)*x - 2/(3*sqrt(pi))*x^3"),
    (("taylor", "exp(-a*x)", "--wrt", "x", "--order", "1"), "1 - a*x"),
    (("taylor", "sin(x)", "--at", "x=pi"), "-(x - pi) + 1/6*(x - pi)^3"),
    (("tangent", "z = x^2 + y^2", "--at", "x=1,y=2"), "z = 2*x + 4*y - 5"),
    (("tangent plane to z = x^2 + y^2 at (1, 2, 5)",), "z = 2*x + 4*y - 5"),
    (("tangent to the circle x^2 + y^2 = 25 at (3, 4)",), "y = 25/4 - 3*x/4"),
    (
        ("taylor", "x*abs(x)", "--at", "x=1"),
        "note: the formula of f''(x) holds for x != 0",
    ),
    (
        ("diff", "[x, abs(x)]"),
        "[1]\n[sign(x)]\nnote: the formula of ∂(abs(x))/∂x holds for x != 0",
    ),
    (("critical", "x^3 - 3x"), "x = -1: local maximum, f = 2\nx = 1: local minimum"),
    (("critical", "x^3"), "x = 0: neither minimum nor maximum, f = 0"),
    (("critical", "x^(2/3)"), "x = 0: local minimum, without a slope, f = 0"),
    (("critical", "exp(x)"), "no critical point\n"),
    (("critical", "relu(x)"), "x = 0: "),
    (
        ("tangent", "cbrt(x - 1) + 2", "--at", "x=1"),
        "f(1) = 2\nthe tangent is vertical\nx = 1\n",
    ),
    (
        ("tangent", "cbrt(x)", "--at", "x=0", "--normal"),
        "slope of the normal = 0 there\ny = 0\n",
    ),
    (
        ("tangent", "1 - sqrt(x)", "--at", "x=0"),
        "f(0) = 1\nthe tangent is vertical\nx = 0\n",
    ),
    (("tangent", "asin(x)", "--at", "x=1", "--normal"), "y = pi/2\n"),
    (("critical", "x - x"), "every point: the slope is 0 everywhere\n"),
    (
        ("critical", "0*ln(x)"),
        "every point where it has a value: the slope is 0 everywhere there\n",
    ),
    (
        ("critical", "ln(-1 - x^2)"),
        "no critical point\nnote: the expression has no value anywhere",
    ),
    (
        ("critical", "x^4 - 6x^2", "--inflection"),
        "x = -1: inflection point, f = -5\nx = 1: inflection point",
    ),
    (
        ("critical", "cbrt(x)", "--inflection"),
        "x = 0: inflection point, without a slope, f = 0",
    ),
    (("critical", "x*abs(x)", "--inflection"), "x = 0: inflection point, f = 0"),
    (
        ("critical", "x*sin(1/x)", "--inflection"),
        "inflection point, f = 0 ± 7.6e-16\nnote: could not find all",
    ),
    (
        ("critical", "cbrt(x^3 - x - 2)", "--inflection"),
        "x = 1.521379707: inflection point, without a slope",
    ),
    (("critical", "x^4", "--inflection"), "\nno inflection point\n"),
    (("critical", "2x + 1", "--inflection"), "\nno inflection point\n"),
    (("critical", "sin x", "--inflection"), "they repeat every 2*pi: x = 0 + 2*pi*k"),
    (("critical", "x^2 + x*y + y^2"), "x = 0, y = 0: local minimum"),
]


@pytest.mark.parametrize(("arguments", "told"), ANSWERED)
def test_an_answer_is_given_with_its_steps(run, arguments, told):
    result = run(*arguments)
    assert result.code == 0, result.err
    assert told in result.out


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["x*sin(x)", "x^2 + y^2 + sin(x*y)", "sin(x)/x", "mod(x, 1)", "floor(x)"],
)
def test_points_that_may_not_be_all_are_said_not_to_be(run, text):
    assert "note: could not " in run("critical", text).out
    assert not json.loads(run("critical", text, "--format", "json").out)["complete"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x^2 + exp(-1e8*x^2)", "x = 0: local maximum"),  # 2^-10 away it rises
        ("x^2 + y^2 - 3*abs(x*y)", "saddle"),  # falls along x = y
        ("x^2 + y^2 + abs(x)", "local minimum, without a slope"),
        ("exp(-1000)*(x^2 + 1)", "local minimum, f = 5.075958898e-435"),
        ("cos(x)^2 + sin(x)^2", "the slope is 0 everywhere"),
    ],
)
def test_the_kind_of_a_critical_point_is_that_of_the_function_right_there(
    run, text, told
):
    assert told in run("critical", text).out


@pytest.mark.slow
def test_the_curvature_tells_the_kind_of_a_point_among_many():
    found = critical_points(parse("x^2 + 1e-3*x^2*sin(1/x)"))
    assert {p.kind for p in found.points} <= {"minimum", "maximum"}


@pytest.mark.slow
@pytest.mark.parametrize("text", ["(x^5 - x - 1)^2", "(x^3 - 2)^2"])
def test_no_digit_is_shown_of_a_value_that_may_be_0(run, text):
    assert ": local minimum, f = 0 ± " in run("critical", text).out


@pytest.mark.parametrize("text", ["x^5 - x - 1", "x*exp(-x)", "x*ln(x)", "x + 1/x"])
def test_points_that_are_shown_to_be_all_go_without_a_note(run, text):
    assert "could not" not in run("critical", text).out
    assert json.loads(run("critical", text, "--format", "json").out)["complete"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("tangent", "|x|", "--at", "x=0"), "no derivative"),
        (("tangent", "x^(2/3)", "--at", "x=0"), "no derivative"),
        (("tangent", "x^2"), "needs the point"),
        (("tangent", CIRCLE, "--at", "x=3,y=5"), "is not on"),
        (("tangent", "x^2 = y^2", "--at", "x=0,y=0"), "no direction"),
        (("critical", "7"), "no variable"),
        (("critical", "a*x^2", "--wrt", "x"), "number for a"),
        (
            ("critical", "x^2*y", "--inflection"),
            "inflection points need a number for y",
        ),
        (
            ("critical", "abs(x^3 - x - 2)", "--inflection"),
            "a corner at x = 1.521379707 is an inflection point is a matter of definition",
        ),
        (
            ("critical", "abs(x^2 - 1)", "--inflection"),
            "a corner at x = -1 is an inflection point is a matter of definition",
        ),
        (("diff", "--implicit", "x^2"), "an equation"),
        (("diff", "x^2", "--of", "y"), "--implicit"),
        (("taylor", "ln(x)"), "argument > 0"),
    ],
)
def test_a_question_without_an_answer_is_one_diagnostic(run, arguments, told):
    result = run(*arguments)
    assert result.code in (2, 3)
    assert told in result.err
    assert result.err.startswith("error: ")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("tangent to x^2 at 1: y = 2x-1", 0),
        ("tangent to x^2 at x=1 = 2x", 1),
        ("∫ 2x dx = x^2 + C", 0),
        ("x^2 + y^2 = 25; dy/dx = -x/y", 0),
        ("critical points of x^3-3x: x=1, x=-1", 0),
        ("tangent to cbrt(x) at 0: x = 0", 0),
    ],
)
@pytest.mark.parametrize("command", [[], ["check"]])
def test_a_question_of_another_kind_is_judged_with_its_answer(
    capsys, command, text, code
):
    assert run([*command, text]) == code
    assert capsys.readouterr().out.startswith("✗ 2x is not" if code else "✓ correct: ")
