"""How the two texts of a check are read: names, shorthands, labels, and where the question is asked."""

from __future__ import annotations

import pytest

from exprgrad import check
from exprgrad.cli.start import run
from exprgrad.errors import ExprgradError, UsageError


@pytest.mark.parametrize(
    ("f", "claim", "wrt"),
    [
        ("sin(x)^2", "2sinxcosx", "x"),
        ("sin(x)*cos(x)", "cosxcosx-sinxsinx", "x"),
        ("sin(x)*ln(x)", "lnxcosx+sinx/x", "x"),
        ("sec(x)", "secxtanx", "x"),
        ("xyz", "xz", "y"),
        ("x*y*z", "xz", "y"),
        ("x^2", "f'(x) = 2x", "x"),
        ("x^2", "y' = 2x", "x"),
        ("x^2", "dy/dx = 2x", "x"),
        ("x^2", "= 2x", "x"),
        ("x^2", r"2\cdot x", "x"),
    ],
)
def test_names_of_an_answer_split_into_those_of_the_problem(f, claim, wrt):
    assert check(f, claim, wrt).status == "correct"


def test_a_word_of_the_problem_is_not_split_by_the_variable_alone():
    assert check("cost*price", "cost", "price").status == "correct"


@pytest.mark.parametrize(
    ("f", "claim", "asked"),
    [
        ("x^2", "2X", "your answer uses X, the problem x: did you mean x?"),
        ("x^2", "2t", "your answer uses t, the problem x: did you mean x?"),
        ("e^(2x)", "2E^(2x)", "your answer uses E, the problem x: did you mean e?"),
        ("k*x^2", "2K*x", "your answer uses K, the problem x and k: did you mean k?"),
        ("k*x^2", "2u*v", "your answer uses u and v, the problem x and k"),
    ],
)
def test_an_answer_about_another_name_is_unreadable_and_asked_about(f, claim, asked):
    verdict = check(f, claim, "x")
    assert (verdict.status, verdict.evidence) == ("unreadable", asked)


@pytest.mark.parametrize(
    ("f", "claim", "status"),
    [("x^2", "2x + 0*t", "correct"), ("x^2", "2x + t - t", "correct"), ("x^2", "3x + 0*t", "incorrect")],
)  # fmt: skip
def test_a_name_that_an_answer_does_not_depend_on_does_not_matter(f, claim, status):
    assert check(f, claim, "x").status == status


@pytest.mark.parametrize(
    ("f", "claim", "meant"),
    [
        ("e^2x", "2e^2x", "e^(2x)"),
        ("1/2x", "-1/2x^2", "1/(2x) and 1/(2x^2)"),
        ("x^1/2", "1/2x^-1/2", "x^(1/2) and x^(-1/2)"),
        ("2^3x", "3ln2*2^3x", "2^(3x)"),
        ("tanx", "secx^2", "sec(x)^2"),
        ("√(2x)", "1/√2x", "√(2x)"),
        ("e^(2x)", "2e^2x", "e^(2x)"),
        ("-1/(2x)", "1/2x^2", "1/(2x^2)"),
        ("sqrt(x)", "1/2√x", "1/(2√x)"),
        ("2^x (x+1)", "2^x ln 2 (x+1) + 2^x", "ln(2)*(x+1)"),
        ("sin(x/2)", "1/2 cos x/2", "cos(x/2)"),
        ("sin x^2", "2 sin x cos x", "sin(x)^2"),
        ("log(x)", "1/(x ln(10))", "log10"),
        ("log(x)", "0.4343/x", "log10"),
        ("2^3x", "2.079*2^3x", "2^(3x)"),
        ("\\log x", "\\frac{1}{x \\ln 10}", "\\log_{10}"),
        ("e^2x + 1/2x", "2e^2x - 1/2x^2", "1/(2x) and e^(2x) and 1/(2x^2)"),
        ("e^x sin x", "e^x sin x + cos x e^x", "cos(x)*e^x"),
        (
            "e^(2x) sin^2 x",
            "2 sin^2 x e²ˣ + 2sin x cos x e²ˣ",
            "sin^2(x)*e²ˣ and cos(x)*e²ˣ",
        ),
        ("e^{-x/ab}", "-1/(ab) e^{-x/ab}", "x/(ab)"),
        ("a*b*sin(x/ab)", "cos(x/ab)", "x/(ab)"),
        ("sin(x/2a)", "1/(2a) cos(x/2a)", "x/(2a)"),
        ("x^(sqrt2)", "sqrt2 x^(sqrt2-1)", "sqrt(2)*"),
        ("log(x)", "(x+1)^2x/(x+1)^(2x)/(x ln 10)", "log10 and (x+1)^(2x)"),
    ],
)
def test_one_consistent_set_of_other_readings_is_offered(f, claim, meant):
    verdict = check(f, claim, "x")
    assert verdict.status == "undecided"
    assert verdict.if_read_as == meant
    assert verdict.evidence == f"correct if you mean {meant}"
    assert verdict.counterexample is None


@pytest.mark.parametrize(("f", "claim"), [("e^2x", "3e^2x"), ("sin(x e^x)", "cos x e^x"), ("1/2x", "1/2x^2"), ("ln(x)", "1/(x ln 10)")])  # fmt: skip
def test_a_reading_that_does_not_make_the_claim_right_is_not_offered(f, claim):
    verdict = check(f, claim, "x")
    assert (verdict.status, verdict.if_read_as) == ("incorrect", None)


@pytest.mark.parametrize(
    ("f", "claim", "status"),
    [
        ("ln(x)", "1/x, x > 0", "correct"),
        ("a*ln(x)", "a/x for a > 0, x > 0", "correct"),
        ("x^2", "2x, x ∈ ℝ", "correct"),
        ("|x|", "1 for x > 0", "partly"),
        ("1/x", "1/x^2 where x ≠ 0", "incorrect"),
        ("x|x|", "piecewise(x > 0, 2x, x < 0, -2x, 0)", "correct"),
        (
            "x|x|",
            "\\begin{cases} 2x, x > 0 \\\\ -2x, x \\leq 0 \\end{cases}",
            "correct",
        ),
        ("(y-\\hat{x})^2", "2(\\hat{x}-y)", "incorrect"),
    ],
)
def test_conditions_behind_an_answer_are_no_part_of_it(f, claim, status):
    assert check(f, claim, "x").status == status


def test_a_variable_may_be_named_in_latex():
    assert check("(y-\\hat{y})^2", "-2(y-\\hat{y})", "\\hat{y}").status == "correct"  # fmt: skip


@pytest.mark.parametrize(
    ("f", "claim", "options", "meant"),
    [
        ("y^2 = x", "1/2y", {"kind": "implicit"}, "1/(2y)"),
        ("e^(2x)", "e^2x/2 + C", {"kind": "antiderivative"}, "e^(2x)"),
        ("(e^(2t), t)", "1/2e^2t", {"kind": "parametric"}, "1/(2e^2t) and e^(2t)"),
        ("x/(2y)", "(1/2y, -x/(2y^2))", {"kind": "gradient"}, "1/(2y)"),
        ("x^2 + y^2", "sqrt 3 x + y", {"kind": "directional", "direction": ("sqrt(3)", 1)}, "sqrt(3)*"),
    ],
)  # fmt: skip
def test_other_readings_are_offered_for_answers_of_every_kind(f, claim, options, meant):
    found = check(f, claim, **options)
    assert found.status == "undecided"
    assert found.if_read_as == meant
    assert found.evidence == f"correct if you mean {meant}"
    assert not any(part.status == "incorrect" for part in found.parts)


def test_other_readings_are_tried_at_a_point_as_well():
    verdict = check("e^2x", "2", "x", at={"x": 0})
    assert (verdict.status, verdict.if_read_as) == ("undecided", "e^(2x)")


# Where the question is asked


@pytest.mark.parametrize(
    ("f", "claim", "wrt", "where"),
    [
        ("|x|", "1", "x", "x > 0"),
        ("x*|a|", "a", "x", "a > 0"),
        ("sqrt(x^2*a^2)", "a", "x", "x > 0, a > 0"),
        ("sqrt(x^2*a^2)", "a", "x", ["x > 0", "a > 0"]),
        ("x*max(y, 10)", "10", "x", "y < 10"),
        ("x/sqrt(a^2-x^2) - asin(x/a)", "x^2/(a^2-x^2)^(3/2)", "x", "a > 0"),
        ("|x-3|", "1", "x", "x > 3"),
    ],
)
def test_conditions_restrict_the_question(f, claim, wrt, where):
    assert check(f, claim, wrt).status in ("incorrect", "partly")
    assert check(f, claim, wrt, where=where).status == "correct"


@pytest.mark.parametrize(("f", "claim", "where"), [("|x|", "1", "x > -1"), ("x^2", "3x", "x > 0")])  # fmt: skip
def test_a_claim_must_hold_wherever_the_conditions_do(f, claim, where):
    assert check(f, claim, "x", where=where).status in ("incorrect", "partly")


@pytest.mark.parametrize("where", ["x", "t > 0", "x >"])
def test_what_is_not_a_condition_on_the_problem_is_refused(where):
    with pytest.raises(ExprgradError):
        check("x^2", "2x", where=where)


@pytest.mark.parametrize(
    ("f", "claim", "said"),
    [
        ("x*ln|x|-x", "ln(x)", "correct for x > 0, wrong for x < 0"),
        ("x^2", "2x*ln(3-x)/ln(3-x)", "correct for x < 3, wrong for x > 3"),
        ("x*max(y,10)", "10", "correct for y < 10, wrong for y > 10"),
        ("x*max(y,10)", "y", "correct for y > 10, wrong for y < 10"),
        ("|x*y-3|", "y", "correct for x*y > 3, wrong for x*y < 3"),
        ("|mod(x,2)-1|", "1", "correct for mod(x, 2) > 1, wrong for mod(x, 2) < 1"),
        ("|x^2-4|", "2x", "correct for x < -2 or x > 2, wrong for -2 < x < 2"),
        ("x^2", "2x*sqrt(1-x^2)/sqrt(1-x^2)", "correct for -1 < x < 1, wrong for x < -1 or x > 1"),
    ],
)  # fmt: skip
def test_the_piece_on_which_a_claim_is_right_is_named(f, claim, said):
    verdict = check(f, claim, "x")
    assert verdict.status == "partly"
    assert verdict.evidence.startswith(said)


def test_a_smaller_domain_can_be_condoned():
    assert check("x*ln|x|-x", "ln(x)").status == "partly"
    verdict = check("x*ln|x|-x", "ln(x)", condone_domain=True)
    assert verdict.status == "correct"
    assert any("correct for x > 0" in note for note in verdict.notes)
    assert check("x*ln|x|-x", "ln(x)+1", condone_domain=True).status == "incorrect"


def test_the_example_against_a_claim_lies_where_it_is_wrong():
    verdict = check("x^3", "3sqrt(x)*exp(1.5 ln x)")
    assert verdict.evidence.startswith("correct for x > 0, wrong for x < 0: ")
    assert verdict.counterexample.at["x"] < 0
    assert verdict.counterexample.claimed is None


@pytest.mark.parametrize("claim", ["1/(3x^(2/3))", "x^(-2/3)/3", "cbrt(x)/(3x)"])
def test_a_vertical_tangent_is_neither_a_slope_nor_a_hole(claim):
    verdict = check("x^(1/3)", claim)
    assert verdict.status == "correct"
    assert not any("x = 0" in note for note in verdict.notes)


@pytest.mark.parametrize(("f", "claim"), [("cbrt(x)+|x|-|x|", "1/(3*cbrt(x)^2)"), ("max(cbrt(x), cbrt(x)-0*|x|)", "1/(3*cbrt(x)^2)")])  # fmt: skip
def test_a_vertical_tangent_at_a_corner_is_no_slope(f, claim):
    verdict = check(f, claim)
    assert verdict.status == "correct"
    assert not any("x = 0" in note for note in verdict.notes)


@pytest.mark.parametrize(
    ("claim", "status", "at"),
    [
        ("f'(2) = 12", "correct", {"x": 2}),
        ("f'(2) = 13", "incorrect", {"x": 2}),
        ("12 at x=2", "correct", {"x": 2}),
        ("dy/dx|_{x=2} = 12", "correct", {"x": 2}),
        (r"\left.\frac{dy}{dx}\right|_{x=2} = 12", "correct", {"x": 2}),
        ("f''(3) = 18", "correct", {"x": 3}),
        ("f''(3) = 27", "incorrect", {"x": 3}),
        ("f'(x) = 3x^2", "correct", None),
    ],
)
def test_an_answer_that_names_a_point_is_about_that_point(claim, status, at):
    verdict = check("x^3", claim)
    assert (verdict.status, verdict.at) == (status, at)
    assert run(["check", "x^3", claim]) == (status != "correct")


def test_an_answer_that_names_a_point_is_about_the_derivative_asked_for():
    with pytest.raises(UsageError, match="another order"):
        check("x^3", "f'(3) = 18", order=2)
    assert check("x^3", "18 at x=3", order=2).status == "correct"
    assert check("x^2 y", "4 at x=1, y=2", "x").status == "correct"
