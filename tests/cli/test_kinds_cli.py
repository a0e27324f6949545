"""`exprgrad check --kind` on the command line."""

from __future__ import annotations

import json

import pytest

CIRCLE = "x^2 + y^2 = 25"

ASKED = [
    (("2x", "x^2 + C", "--kind", "antiderivative"), 0, "✓ correct: x^2 + C is an antiderivative of 2x"),
    (("2x", "x^2", "--kind", "antiderivative", "--constant", "required"), 1, "missing: add + C"),
    (("1/x", "ln x", "--kind", "antiderivative"), 1, "~ partly right: ln x as an antiderivative of 1/x"),
    ((CIRCLE, "-x/y", "--kind", "implicit", "--of", "y"), 0, "-x/y is dy/dx on x^2 + y^2 = 25"),
    ((CIRCLE, "x/y", "--kind", "implicit"), 1, "overall sign"),
    ((CIRCLE, "-3/4", "--kind", "implicit", "--at", "x=3,y=4"), 0, "at x = 3, y = 4"),
    (("x^2 + y^2 = -1", "-x/y", "--kind", "implicit"), 3, "has no real points"),
    (("(cos t, sin t)", "-cot t", "--kind", "parametric"), 0, "dy/dx of (cos t, sin t)"),
    (("x^2", "y = 6x - 9", "--kind", "tangent", "--at", "x=3"), 0, "tangent to x^2 at x = 3"),
    (("x = cos t, y = sin t", "y = sqrt(2) - x", "--kind", "tangent", "--at", "t=pi/4"), 0, "tangent to (cos t, sin t)"),
    (("y = exp t; x = t", "y = x + 1", "--kind", "tangent", "--at", "t=0"), 0, "tangent to (t, exp t)"),
    (("y = sin t, x = cos t", "dy/dx = -cot t", "--kind", "parametric"), 0, "dy/dx of (cos t, sin t)"),
    (("x^2", "(y-9)/(x-3) = 6", "--kind", "tangent", "--at", "x=3"), 0, "tangent to x^2 at x = 3"),
    (("x^2", "6 = (y-9)/(x-4)", "--kind", "tangent", "--at", "x=3"), 1, "misses the point"),
    (("x^2", "(y-9)/(x-3) = 2x", "--kind", "tangent", "--at", "x=3"), 1, "not the equation of a line"),
    (("y = 5", "y = 5", "--kind", "tangent", "--at", "t=1"), 0, "tangent to 5 at t = 1"),
    (("tangent to 5 at 1: y = 5",), 0, "tangent to 5 at x = 1"),
    (("e^x", "1 + x", "--kind", "taylor", "--order", "1"), 0, "polynomial of order 1"),
    (("x^2 y", "16/5", "--kind", "directional", "--direction", "3,4", "--at", "x=1,y=2"), 0, "along (3, 4)"),
    (("x^2 y", "(2x, x^2)", "--kind", "gradient"), 1, "✗ ∂/∂x = 2x"),
    (("x^3 + x y^2", "(3x^2 + 2y, 2x y)", "--kind", "gradient"), 1, "the term 2y is wrong"),
    (("x^2 y", "6x", "--wrt", "x,y"), 1, "∂^2/∂x∂y"),
    (("x^2 y", "(2x y, x^2)", "--wrt", "x,y"), 0, "gradient of x^2 y"),
    (("x^2 y", "--kind", "hessian", "--claim", "x,y=2x"), 1, "missing: x,x, y,y"),
    ((CIRCLE, "-x/y"), 0, "✓ correct: -x/y is dy/dx on x^2 + y^2 = 25"),
    ((CIRCLE, "dy/dx = x/y"), 1, "overall sign"),
    (("xy = 4", "-y/x"), 0, "✓ correct: -y/x is dy/dx on xy = 4"),
    (("x^2 + xy = 4", "-(2x+y)/x"), 0, "xy is read as x*y"),
    ((CIRCLE, "-3/4", "--at", "x=3,y=4"), 0, "at x = 3, y = 4"),
    (("tangent to x^2 at x=3", "y = 6x - 9"), 0, "tangent to x^2 at x = 3"),
    (("gradient of x^2 y", "(2x y, x^2)"), 0, "gradient of x^2 y"),
    (("critical points of x^3 - 3x", "x = 1"), 1, "missing: x = -1"),
    (("integral of 2x", "x^2 + C"), 0, "an antiderivative of 2x"),
    (("f(x) = x^2; f'(3)", "6"), 0, "at x = 3"),
    (("x^3 - 3x", "-1, 1", "--kind", "critical"), 0, "critical points of x^3 - 3x"),
    (("x^3 - 3x", "1", "--kind", "critical", "--solution"), 1, "x = -1; x = 1"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "told"), ASKED)
def test_an_answer_of_any_kind_gets_a_verdict_and_an_exit_code(
    run, arguments, code, told
):
    result = run("check", *arguments)
    assert result.code == code, result.err
    assert told in " ".join(result.out.split())


@pytest.mark.slow
def test_json_has_the_keys_of_a_verdict_and_more(run):
    plain = json.loads(run("check", "x^2", "2x", "--format", "json").out)
    asked = ("check", "x^2 y", "(2x, x^2)", "--kind", "gradient", "--format", "json")
    found = json.loads(run(*asked).out)
    assert set(plain) <= set(found)
    assert found["status"] == "partly"
    assert [part["status"] for part in found["parts"]] == ["incorrect", "correct"]


INTEGRAL = "∫ 2x dx"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((INTEGRAL, "x^2", "--constant", "required"), 1, "add + C"),
        ((INTEGRAL, "x^2 + C", "--constant", "required"), 0, "✓ correct"),
        ((f"{INTEGRAL} = x^2 + C", "--constant", "forbidden"), 1, "no constant"),
        ((CIRCLE, "-y/x", "--of", "x"), 0, "dx/dy"),
        (("2x", "x^2", "--constant", "required"), 2, "--kind antiderivative"),
    ],
)  # fmt: skip
def test_an_option_of_a_kind_goes_with_a_question_that_says_its_kind(run, arguments, code, told):  # fmt: skip
    result = run("check", *arguments)
    assert result.code == code
    assert told in result.out + result.err


def test_an_option_that_a_kind_does_not_take_is_refused(run):
    result = run("check", "x", "x^2/2", "--kind", "antiderivative", "--at", "x=1")
    assert result.code == 2
    assert "takes no at" in result.err


SAID_BY_THE_ANSWER = [
    ("V = pi r^2 h", "dV/dh = pi r^2", 0, "the derivative of pi r^2 h with respect to h"),
    ("V = pi r^2 h", "dV/dh = 2 pi r h", 1, "this is the derivative with respect to r, not h"),
    ("z = x^2y", "z_x = 2xy", 0, "the derivative of x^2y with respect to x"),
    ("x^2 y", "∂f/∂y = x^2", 0, "the derivative of x^2 y with respect to y"),
    ("x^4", "y'' = 12x^2", 0, "12x^2 is the second derivative of x^4"),
    ("x^2", "f'(3) = 6", 0, "the derivative of x^2 at x = 3"),
    ("x^2", "6 at x=3", 0, "the derivative of x^2 at x = 3"),
    ("y = x^2", "dy/dx at (3, 9) is 6", 0, "the derivative of x^2 at x = 3"),
    ("y = x^2", "dy/dx at (3, 8) is 6", 2, "which variables are (3, 8)?"),
    ("x^3 + y^3 = 6xy", "dy/dx at (3,3) = -1", 0, "dy/dx on x^3 + y^3 = 6xy at x = 3, y = 3"),
    ("x^2 + y^2 = 25 at (3, 4)", "-3/4", 0, "at x = 3, y = 4"),
    ("x = t^2, y = t^3", "dy/dx = 3t/2", 0, "dy/dx of (t^2, t^3)"),
    ("x = t^2, y = t^3", "d^2y/dx^2 = 3/(4t)", 0, "d^2y/dx^2 of (t^2, t^3)"),
    ("x = t^2, y = t^3", "dx/dt = 2t", 0, "the derivative of t^2"),
    ("x = t^2, y = t^3 at t=1", "3/2", 0, "dy/dx of (t^2, t^3) at t = 1"),
    ("dy/dx for x = t^2, y = t^3", "3t/2", 0, "dy/dx of (t^2, t^3)"),
    ("y = u^2, u = 3x + 1", "dy/dx = 6(3x+1)", 0, "the derivative of (3x + 1)^2"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "answer", "code", "told"), SAID_BY_THE_ANSWER)
def test_an_answer_may_say_which_derivative_of_what_is_given_it_is(
    run, problem, answer, code, told
):
    result = run("check", problem, answer)
    assert result.code == code, result.err
    assert told in " ".join((result.out + result.err).split())


WORDED = [
    ("tangent line to y = x^3 at (2, 8)", "y - 8 = 12(x - 2)", 0),
    ("tangent to f(x) = x^2 at x = 1", "y = 2x", 1),
    ("tangent line to the circle x^2 + y^2 = 25 at the point (3, 4)", "3x + 4y = 25", 0),
    ("tangent to x^2 at 3: y = 6x - 9", "y = 6x - 9", 2),
    ("critical points of y = x^3 - 3x", "1, -1", 0),
    ("third-degree Taylor polynomial of sin x at 0", "x - x^3/6", 0),
    ("2nd order Taylor polynomial of e^x at 0", "1 + x", 1),
    ("directional derivative of x^2y at (1, 2) in direction <3, 4>", "16/5", 0),
    ("directional derivative of x^2y at (1, 2) in the direction of v = 3i + 4j", "16/5", 0),
    ("gradient of x^2 - y", "2x i - j", 0),
    ("gradient of atan(y/x) at (1, 2)", "(-2/5, 1/5)", 0),
    ("gradient of f(x, y) = y/x", "(1/x, -y/x^2)", 1),
    ("gradient of f(V, I) = I*V", "(I, V)", 0),
    ("gradient of f(x, y, z) = x^2*y", "(2x*y, x^2, 0)", 0),
    ("directional derivative of atan(y/x) at (1, 2) in direction <3, 4>", "-2/25", 0),
    ("x^2 + 2y^2 = 9; dx/dy at (1, 2)", "-4", 0),
    ("∂/∂y (y/x) at (1, 2)", "1", 0),
    ("sine of x squared", "2x*cos(x)^2", 1),
    ("-2cos x", "2 sine x", 0),
    ("2cos x", "-2 sine x", 0),
    ("gradient of x^2 y z", "2xyz i + x^2 z j + x^2 y k", 0),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "answer", "code"), WORDED)
def test_a_problem_is_worded_as_textbooks_do(run, problem, answer, code):
    assert run("check", problem, answer).code == code


@pytest.mark.parametrize(
    ("asked", "claim"),
    [
        ("d/dx (x^2+1)/(x-1)", "(x^2-2x-1)/(x-1)^2"),
        ("d/dx (x+1) sin(x)", "sin x + (x+1)cos x"),
        (r"\frac{d}{dx}(x^2+1)\sin x", r"2x\sin x + (x^2+1)\cos x"),
    ],
)
def test_a_claim_is_right_where_the_operator_takes_the_whole_term(run, asked, claim):
    for arguments in ([f"{asked} = {claim}"], ["check", asked, claim]):
        result = run(*arguments)
        assert result.code == 0, result.out
        assert "of the brackets alone the answer would be wrong" in " ".join(result.out.split())  # fmt: skip
    assert run("check", asked, f"{claim} + 1").code == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("atan(y/x) at (1, 2)", "y 2 0.2 x 1 -0.4"),
        ("gradient of f(V, I) = I*V at (1, 2)", "= 1 at I = 2, V = 1"),
        ("mixed partial of x^2 y^3 with respect to y and x at (1, 2)", "= 24 at x = 1, y = 2"),
        ("directional derivative of atan(y/x) at (1, 2) in direction <3, 4>", "= -0.08"),
        ("critical points of y^2 + x^2 - 2x", "x = 1, y = 0: local minimum"),
        ("cos(x)^2 plus x squared at x = 0", "= 1"),
    ],
)  # fmt: skip
def test_values_of_a_point_are_those_of_x_and_y_in_that_order(run, text, told):
    assert told in " ".join(run(text).out.split())


def test_behind_brackets_an_operator_takes_no_other_term(run):
    assert run("d/dx (x^2) + x = 2x + x").code == 0
    assert run("d/dx (x^2) + x = 2x + 1").code == 1


def test_numbers_of_more_than_fifteen_digits_are_told_in_short(run):
    assert "gives 1e+15, the" in run("check", "x", "10^15").out
    assert "gives 999999999999999, the" in run("check", "x", "10^15 - 1").out


def test_a_letter_that_is_constant_by_custom_is_no_variable_of_a_curve_in_x_and_y(run):
    assert run("diff", "--implicit", "y^2 = 4 a x").out == "dy/dx = 2*a/y\n"
    assert run("check", "y^2 = 4 a x", "2a/y", "--kind", "implicit").code == 0
    told = run("tangent", "y^2 = 4 a x", "--at", "x=1,y=2,a=1").out
    assert told.endswith("y = x + 1\n")
    assert "several variables: x, z" in run("diff", "--implicit", "x y z = 1").err


def test_the_taylor_polynomial_of_a_polynomial_ends_where_its_derivatives_are_zero(run):
    told = run("taylor", "x^3", "--terms", "5").out
    assert told.endswith("f^(4)(x) = 0\nf^(4)(0) = 0\nx^3\n")
