"""Whatever is judged, the result is a `Verdict`, with what belongs inside as its parts."""

from __future__ import annotations

import json

import pytest

from exprgrad import check, check_work, equivalent
from exprgrad.checking.check import Verdict
from exprgrad.cli.start import run
from exprgrad.grading.grade import kept


def test_claims_expressions_solutions_lines_and_rows_have_one_class():
    claim = check("x^2", "3x")
    work = check_work("x^2", ["f'(x) = 3x", "= 3 x"])
    gradient = check("x*y", {"x": "y", "y": "2x"}, kind="gradient")
    found = [claim, equivalent("x", "y"), work, *work.parts, gradient, *gradient.parts, kept(claim)]  # fmt: skip
    assert {type(one) for one in found} == {Verdict}
    assert {one.judged for one in found} <= {"incorrect", "partly", "correct"}


def test_a_solution_keeps_the_names_that_programs_read():
    work = check_work("x^2", ["f'(x) = 3x", "= 3 x"])
    assert (work.verdict, work.status) == ("incorrect", "incorrect")
    assert (work.conclusion, work.lines) == (work.evidence, work.parts)
    assert (work.first_wrong, work.credit.wrong, work.credit.share) == (1, 1, 0.5)
    assert [line.number for line in work.lines] == [1, 2]
    assert work.mistake == work.lines[0].mistake
    assert work.as_dict()["judged"] == "incorrect"


def test_notebooks_show_every_kind_of_verdict():
    assert "equal" in equivalent("2x", "x + x")._repr_html_()
    assert "follows" in check_work("x^2", ["f'(x) = 2x"])._repr_html_()
    assert equivalent("2x", "x + x")._repr_svg_() is None


def test_a_row_forgets_the_expressions_but_not_the_answer():
    row = kept(check("x^2", "3x"))
    assert (row.expression, row.parts) == (None, ())
    assert (row.derivative, row.status) == ("2*x", "incorrect")


def test_two_sides_that_claim_no_derivative_are_compared_as_everywhere(capsys):
    printed = []
    for argv in (["check", "x^2 = 2^x"], ["x^2 = 2^x"], ["same", "x^2 = 2^x"]):
        assert run([*argv, "--format", "json"]) == 1
        printed.append(json.loads(capsys.readouterr().out))
    assert printed[0] == printed[1] == printed[2]
    assert run(["check", "x^2 = 2^x", "--at", "x=2"]) == 2


@pytest.mark.slow
def test_an_open_part_is_not_listed_as_wrong():
    hidden = "(gamma(1/3)*gamma(2/3) - 2*pi/sqrt(3))"  # 0, which is not proved
    found = check(f"x^2 + y^2 + z*floor(1 + {hidden})", "2x, 3y, 1", kind="gradient")
    assert found.evidence.startswith("right: ∂/∂x; wrong: ∂/∂y; undecided: ∂/∂z; ")
    point = check(f"(x - 1)^2/{hidden}", "1", kind="critical")
    assert (point.status, point.parts[0].status) == ("undecided", "undecided")


@pytest.mark.parametrize(
    ("claim", "status"),
    [("1", "incorrect"), ("1, 2", "partly"), ("1, -1", "correct"), ("none", "incorrect")],
)  # fmt: skip
def test_as_many_inflection_points_are_no_merit_of_their_own(claim, status):
    f = "x^3" if claim == "1" else "x^4 - 6x^2"
    assert check(f, claim, kind="inflection").status == status


@pytest.mark.parametrize("factor", ["1", "exp(8)", "exp(800)", "-exp(800)", "exp(-800)"])  # fmt: skip
def test_a_verdict_is_the_same_for_multiples_that_doubles_do_not_hold(factor):
    f = f"{factor}*if(x > 1, x, ln(-1 - x^2))"
    claim = f"{factor}*if(x > 1, 0, 4*(1 - x^2)/(x^2 + 1)^2)"
    assert check(f, claim, order=2).status == "correct"
    assert check(f"{factor}*0", "0*ln(x)", kind="antiderivative").status == "partly"
    assert check(f"{factor}*x^2", f"{factor}*3x").status == "incorrect"


def test_a_derivative_beyond_doubles_at_a_claimed_zero_is_written_out():
    found = check_work("exp(x)*(x - 2)", ["f'(x) = exp(x)*(x - 1) = 0", "x = 1000"])
    assert found.lines[-1].evidence == "the derivative is 1.968101043e+437 there"


@pytest.mark.parametrize(
    ("integrand", "claim", "status"),
    [
        ("10^6*exp(10^6*x)", "10^6*x", "incorrect"),
        ("floor(10^12*x)/y", "floor(10^12*x)*x/y + C", "correct"),
        ("floor(x)/y", "floor(x)*x/y + C", "correct"),
    ],
)
def test_an_antiderivative_in_other_units_is_judged_the_same(integrand, claim, status):
    assert check(integrand, claim, "x", kind="antiderivative").status == status
