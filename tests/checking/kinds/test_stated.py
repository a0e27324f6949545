"""Lines of a sheet that state what kind of question they are."""

from __future__ import annotations

import pytest

from exprgrad.checking.kinds.rows import words
from exprgrad.errors import ExprgradError
from exprgrad.grading.grade import grade_sheet
from exprgrad.grading.sheet import read_sheet
from exprgrad.language.questions import Scope, questions_in, read

GRADED = [
    ("1) ∫ 2x dx = x^2 + C", "correct"),
    ("∫ cos(t) dt = -sin t", "incorrect"),
    ("integral of 1/x dx = ln x", "partly"),
    ("x^2+y^2=25; dy/dx = -x/y", "correct"),
    ("x^2+y^2=25; dy/dx at (3, 4) = 3/4", "incorrect"),
    ("x^2 + y^2 = 25; d^2y/dx^2 = -25/y^3", "correct"),
    ("x^2 + y^2 = -1; dy/dx = -x/y", "undecided"),
    ("x = y^2; dy/dx = 1/(2y)", "correct"),
    ("y = x*y + 1; dy/dx = y/(1 - x)", "correct"),
    ("x = cos t, y = sin t; dy/dx = -cot t", "correct"),
    ("x = t^2, y = t^3; dy/dx at 2 = 3", "correct"),
    ("tangent to x^2 at 3: y = 6x - 9", "correct"),
    ("the tangent line to x^2 at x = 3: y = 6x - 8", "incorrect"),
    ("tangent to x^2+y^2=25 at (3, 4): 3x + 4y = 25", "correct"),
    ("linearization of sqrt(x) at 4: 2 + (x-4)/4", "correct"),
    ("Taylor polynomial of order 2 of e^x at 0: 1 + x + x^2/2", "correct"),
    ("gradient of x^2 y = (2x y, x)", "partly"),
    ("hessian of x^2 y: [[2y, 2x], [2x, 0]]", "correct"),
    ("critical points of x^3 - 3x: -1, 1", "correct"),
    ("inflection points of x^3 - 3x: 0", "correct"),
    ("tangent to cbrt(x) at 0: x = 0", "correct"),
    ("tangent to cbrt(x) at 0: y = x", "incorrect"),
    ("inflection points of x^4: 0", "incorrect"),
    ("points of inflection of x^4 - 6x^2: x = 1", "partly"),
    ("linear approximation of sqrt(x) at 4: 2 + (x-4)/4", "correct"),
    ("slope of x^2 y at (1, 2) along (3, 4): 16/5", "correct"),
    ("y = x^2; dy/dx = 2x", "correct"),
    ("d/dx x^2 = 2x", "correct"),
    ("critical numbers of x^3 - 3x: {-1, 1}", "correct"),
    ("Taylor polynomial of degree 2 for e^x about x = 0: 1 + x + x^2/2", "correct"),
    ("Taylor polynomial for ln x up to order 2 centered at 1: x - x^2/2", "incorrect"),
    ("degree-2 Taylor polynomial of e^x around 0: 1 + x + x^2/2", "correct"),
    ("3rd Maclaurin polynomial for e^x: 1 + x + x^2/2", "incorrect"),
    ("linear approximation of e^x near 0: 1 + x", "correct"),
    ("inflection points for x^4 - 6x^2: -1, 1", "correct"),
    ("tangent to y = x^3 at P(1, 1): y = 3x - 2", "correct"),
    ("tangent line to y = x^2 when x = 3: y = 6x + 9", "incorrect"),
    ("the normal to y = x^2 at x = 1 is y = -x/2 + 3/2", "correct"),
    ("normal line to y = x^2 at (1, 1): x + 2y = 2", "incorrect"),
    ("the slope of x^2 + y^2 = 25 at (3, 4) is -3/4", "correct"),
    ("slope of the tangent to the curve xy + y^2 = 6 at (1, 2): -2", "incorrect"),
    ("the gradient of the curve y = x^2 at x = 3 is 6", "correct"),
    ("the derivative of |x| at 0 does not exist", "correct"),
    ("lim h->0 ((3+h)^2 - 9)/h = 6", "correct"),
    ("lim x->3 (x^2 - 9)/(x - 3) = 3", "incorrect"),
    ("lim h->0 (sqrt(4+h) - 2)/h = 1/4", "correct"),
    ("\\lim_{h\\to0}\\frac{(3+h)^2-9}{h} = 6", "correct"),
    ("stationary points of x^3 - 3x: (-1, 2) and (1, -2)", "correct"),
    ("turning points of x^3: (0, 0)", "incorrect"),
    ("local maximum of x^3 - 3x: x = 1", "incorrect"),
    ("the local minimum of x^2 - 4x is at x = 2", "correct"),
    ("local extrema of x^3 - 3x: min at (-1, 2), max at (1, -2)", "incorrect"),
]


@pytest.mark.parametrize(("line", "status"), GRADED)
def test_a_line_may_state_its_kind_of_question(line, status):
    [(_, verdict)] = grade_sheet(read_sheet(line))
    assert not isinstance(verdict, ExprgradError), verdict.message
    assert verdict.status == status, verdict.evidence


ABOUT_THE_LAST = [
    ("f(x) = x^2; tangent at x=3: y = 6x - 9", "correct"),
    ("f(x) = x^2, the tangent line at x = 3 is y = 6x - 8", "incorrect"),
    ("If f(x) = x^2 then the second derivative is 2", "correct"),
    ("y = x^2; the slope at 3 is 6", "correct"),
    ("a = 2; f(x) = a x^2; tangent at 1: y = 4x - 2", "correct"),
    ("f(x) = e^x; Taylor polynomial of order 2 at 0: 1 + x + x^2/2", "correct"),
    ("f(x, y) = x^2 y; gradient: (2xy, x^2)", "correct"),
    ("f(x, y) = x^2 y; hessian: [[2y, 2x], [2x, 1]]", "partly"),
    ("f(x) = x^3 - 3x; critical points: -1, 1", "correct"),
    ("x^2 + y^2 = 25; tangent at (3, 4): 3x + 4y = 25", "correct"),
    ("x^2 + y^2 = 25; the slope at (3, 4) is 3/4", "incorrect"),
    ("y = x e^y; tangent at (0, 0): y = x", "correct"),
    ("x = cos t, y = sin t; tangent at t = pi/4: y = -x + sqrt(2)", "correct"),
    ("x = cos t, y = sin t; the slope at t = pi/4 is -1", "correct"),
    ("x = y^2; the slope at (1, 1) is 1/2", "correct"),
    ("f(x) = x^2; the derivative of f is 2x", "correct"),
    ("y = x^2; derivative of y = 2x", "correct"),
    ("f(x) = x^2; a = 3; tangent to f at a: y = 6x - 9", "correct"),
    ("f(x) = x^2; a = 3; the slope at x = a is 6", "correct"),
    ("y = x^2; slope of the tangent at x = 1: 3", "incorrect"),
    ("f(x) = x^3; the slope of the tangent line at (2, 8) is 12", "correct"),
    ("xy = 4; the slope at (1, 4) is -4", "correct"),
    ("x^2 + y^2 = 25; slope of the tangent at (3, 4): 3/4", "incorrect"),
    ("y = x^3; normal at x = 0: x = 0", "correct"),
    ("f(x) = |x|; f'(0) does not exist", "correct"),
    ("f(x) = x^2; f'(0) doesn't exist", "incorrect"),
    ("f(x) = x^3 - 3x; local maximum: x = -1", "correct"),
    ("f(x) = x^2; lim h->0 (f(3+h) - f(3))/h = 6", "correct"),
    ("f(x) = x^2; lim h->0 (f(x+h) - f(x))/h = 2x", "correct"),
    ("r = 2 sin θ; dy/dx = tan(2θ)", "correct"),
    ("r = θ; dy/dx = (sin θ + θ cos θ)/(cos θ + θ sin θ)", "incorrect"),
    ("r = 1 + cos θ; dy/dx at θ = pi/2 is 1", "correct"),
]


@pytest.mark.parametrize(("line", "status"), ABOUT_THE_LAST)
def test_a_question_that_names_no_function_is_about_the_one_given_last(line, status):
    [(_, verdict)] = grade_sheet(read_sheet(line))
    assert not isinstance(verdict, ExprgradError), verdict.message
    assert verdict.status == status, verdict.evidence


def test_a_question_is_about_the_function_that_was_defined_last_above():
    lines = "f(x) = x^2\ntangent at 3: y = 6x - 9\ng(x) = x^3\nthe slope at 1 is 3"
    lines = f"x = cos t, y = sin t; dy/dx = -cot t\n{lines}"
    again = f"{lines}\nf(x) = x^2\nthe slope at 1 is 2"
    assert [v.status for _, v in grade_sheet(read_sheet(again))] == ["correct"] * 4


def test_a_function_may_be_defined_anew_where_its_derivative_is_claimed():
    lines = "f(x) = x^2; f'(x) = 2x\nderivative of f(x) = x^3 is 3x^2"
    assert [v.status for _, v in grade_sheet(read_sheet(lines))] == ["correct"] * 2


def test_the_height_of_a_tangent_has_the_name_of_the_function():
    [(_, verdict)] = grade_sheet(read_sheet("y = x^2; tangent to y at 3: y = 6x - 9"))
    assert verdict.status == "correct", verdict.evidence


@pytest.mark.parametrize(
    ("line", "told", "hint"),
    [
        ("sin x = x - x^3/6 + O(x^5)", "what is left out", "Taylor polynomial"),
        ("derivative of y = x e^y: 1", "y stands on both sides", "dy/dx"),
        ("2x dx/dt + 2y dy/dt = 0", "differential equations", "dy/dx = 2x"),
        ("f(x) = 3x + 2; f^-1(x) = (x - 2)/3", "inverse", "f((x - 2)/3) = x"),
    ],
)
def test_what_is_no_formula_is_refused_with_what_to_ask(line, told, hint):
    with pytest.raises(ExprgradError, match=told) as caught:
        read(line, Scope(kinds=words()))
    assert hint in caught.value.hint
    _, _, instead = caught.value.hint.partition(": ")
    assert questions_in(read(instead, Scope(kinds=words())))[0].given


@pytest.mark.parametrize(
    "line", ["the derivative of x^2 is not 3x", "tangent to x^2 at 3 is not y = 6x"]
)
def test_a_denial_is_no_claim(line):
    [(_, verdict)] = grade_sheet(read_sheet(line))
    assert isinstance(verdict, ExprgradError)


@pytest.mark.parametrize(
    "line", ["y = x^2; dy/dx = 2x", "f(x) = x^2; f'(x) = 2x", "d/dx x^2 = 2x", "x^2"]
)
def test_definitions_and_derivatives_are_left_to_the_sheet(line):
    assert all(getattr(said, "kind", "derivative") in ("derivative", "expression") for said in read(line, Scope(kinds=words())))  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["tangent to x^2 at 3:", "tangent to |x| at 0: y = x", "gradient of x y: (1"],
)
def test_a_stated_question_that_cannot_be_judged_is_one_error_and_the_rest_is_graded(
    line,
):
    [(_, bad), (_, good)] = grade_sheet(read_sheet(f"{line}\n∫ 2x dx = x^2"))
    assert isinstance(bad, ExprgradError)
    assert good.status == "correct"
