"""Lines of a sheet that state what kind of question they are."""

from __future__ import annotations

import pytest

from exprgrad.checking.kinds.rows import words
from exprgrad.errors import ExprgradError
from exprgrad.grading.grade import grade_sheet
from exprgrad.grading.sheet import read_sheet
from exprgrad.language.questions import Scope, read

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
]


@pytest.mark.parametrize(("line", "status"), GRADED)
def test_a_line_may_state_its_kind_of_question(line, status):
    [(_, verdict)] = grade_sheet(read_sheet(line))
    assert not isinstance(verdict, ExprgradError), verdict.message
    assert verdict.status == status, verdict.evidence


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
