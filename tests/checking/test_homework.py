"""Verdicts: what graders in use get wrong, and the eight points that a check has to keep."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given

from exprgrad.budget import limits
from exprgrad.checking.check import check, equivalent, is_simplified
from exprgrad.errors import BindingError, ExpressionSyntaxError, UsageError
from exprgrad.expressions.expression import parse
from exprgrad.notation.text import to_text
from tests.exercises import CANCELLING, MISTAKEN, RIGHT, WRONG
from tests.strategies import CASES, fewer

# What graders in use accept or refuse


@pytest.mark.parametrize(
    ("function", "claim", "status"),
    [
        ("2*sqrt(x - 900)/3", "1/(2sqrt(x - 900))", "incorrect"),
        ("2*sqrt(x - 900)/3", "1/(3sqrt(x - 900))", "correct"),
        ("sqrt(-1 - x^2)", "ln(-1 - x^2)", "undecided"),
        ("x^2/2", "|x|", "partly"),
        ("x^2/2", "x + 1e-5", "incorrect"),
        ("x^2/2", "1.00001x", "incorrect"),
        ("x^2/2", "x + 5e-5", "incorrect"),
        ("sin(x)^2 + cos(x)^2", "0", "correct"),
        ("7", "sin(x)^2 + cos(x)^2 - 1", "correct"),
        ("e^(2ln(x)) - x^2", "0", "correct"),
        ("2sqrt(x - 3)", "1/sqrt(x - 3)", "correct"),
        ("2sqrt(x - 3)", "1/sqrt(x - 2)", "incorrect"),
        ("x^10/1e5", "0", "incorrect"),
        ("x^10/1e5", "x^9/1e4", "correct"),
        ("x^3/300", "x^2/100", "correct"),
        ("ln(x - 5) - ln(7 - x)", "1/(x - 5) + 1/(7 - x)", "correct"),
        ("sqrt(x - 40)", "1/(2*sqrt(x - 40))", "correct"),
        ("ln(x + sqrt(x^2 + 1))", "1/sqrt(x^2 + 1)", "correct"),
        ("asin(2x/(1 + x^2))", "2(1 - x^2)/(|1 - x^2|(1 + x^2))", "correct"),
        ("ln(tan(x/2))", "csc(x)", "correct"),
        ("x^x", "x^x*(1 + ln(x))", "correct"),
        ("ln(sec(x) + tan(x))", "sec(x)", "correct"),
    ],
)
def test_what_graders_misjudge_is_judged_rightly(function, claim, status):
    assert check(function, claim).status == status


def test_a_constant_added_is_not_taken_for_an_integral():
    mistake = check("e^x", "e^x + 2").mistake
    assert mistake is not None
    assert mistake.name == "constant added"


@pytest.mark.parametrize(("function", "claim"), [*RIGHT, *CANCELLING])
def test_a_right_answer_is_correct(function, claim):
    assert check(function, claim, "x").status == "correct"


@pytest.mark.parametrize(("function", "claim"), WRONG)
def test_a_wrong_answer_is_refused(function, claim):
    assert check(function, claim, "x").status in ("incorrect", "partly")


# 1: the domain of the question


@pytest.mark.parametrize("claim", ["1/x", "1/|x|", "x/x^2"])
def test_only_where_the_function_is_defined_is_asked(claim):
    assert check("ln(x)", claim).status == "correct"


@pytest.mark.parametrize("claim", ["2x*sqrt(x)/sqrt(x)", "2x + 0*ln(5 - x)"])
def test_a_claim_that_is_undefined_where_the_derivative_exists_is_wrong(claim):
    verdict = check("x^2", claim)
    assert verdict.status == "partly"
    assert verdict.counterexample is not None
    assert verdict.counterexample.claimed is None
    assert "your answer is not defined" in verdict.evidence


def test_a_single_point_left_out_is_noted_and_no_mistake():
    verdict = check("x^3", "3x^3/x")
    assert verdict.status == "correct"
    assert any("x = 0" in note for note in verdict.notes)


@pytest.mark.parametrize(
    "function", ["sqrt(-1 - x^2)", "ln(-|x| - 1)", "asin(x^2 + 2)"]
)
def test_a_function_that_is_nowhere_defined_is_undecided_with_the_reason(function):
    verdict = check(function, "1/x")
    assert verdict.status == "undecided"
    assert "is the function defined anywhere?" in verdict.evidence


@pytest.mark.parametrize(
    ("function", "right", "wrong"),
    [
        ("sqrt(1000 - x) + sqrt(x - 999)", "(1000 - x)^(-1/2)/(-2) + (x - 999)^(-1/2)/2", "0"),
        ("ln(x) - ln(1 - x)", "1/(x*(1 - x))", "1/x - 1/(1 - x)"),
        ("ln(x - 1e7)", "1/(x - 1e7)", "1/x"),
        ("acos(100x)", "-100/sqrt(1 - 1e4*x^2)", "-100/sqrt(1 - 1e2*x^2)"),
    ],
)  # fmt: skip
def test_narrow_and_far_pieces_are_found(function, right, wrong):
    assert check(function, right).status == "correct"
    assert check(function, wrong).status == "incorrect"


@pytest.mark.parametrize(
    ("function", "wrt", "right", "wrong"),
    [
        ("x^2*y", "x", "2x*y", "2x"),
        ("x^2*y", "x", "2x*y", "2x*|y|"),
        ("a*e^(-k*t)", "t", "-a*k*e^(-k*t)", "-a*|k|*e^(-k*t)"),
        ("sqrt(x - y)*sqrt(y - z)", "x", "sqrt(y - z)/(2*sqrt(x - y))", "1/sqrt(x - y)"),
        ("sqrt(x*y*z)", "y", "x*z/(2*sqrt(x*y*z))", "x*z/sqrt(x*y*z)"),
    ],
)  # fmt: skip
def test_other_variables_are_tried_with_different_values(function, wrt, right, wrong):
    assert check(function, right, wrt).status == "correct"
    assert check(function, wrong, wrt).status in ("incorrect", "partly")


# 2 and 3: a proof, or points that a person can redo


def test_an_agreement_is_proved_where_that_can_be_done():
    assert check("x^2*sin(x)", "2x sin x + x^2 cos x").evidence.startswith("proved")


def test_an_agreement_says_what_it_rests_on():
    evidence = check("atan(x) + atan(1/x) + x^2", "2x").evidence
    assert "proved" in evidence or "points to" in evidence


def test_a_counterexample_is_a_short_number():
    example = check("sin(3x)", "cos(3x)").counterexample
    assert example is not None
    assert example == ({"x": 0.0}, 1.0, 3.0)


@pytest.mark.parametrize(("function", "claim", "name"), MISTAKEN[::3])
def test_the_derivative_at_a_counterexample_is_that_of_central_differences(
    function, claim, name
):
    verdict = check(function, claim, "x")
    example = verdict.counterexample
    assert example is not None

    def value(x: float) -> float:
        at = {**example.at, "x": float(x)}
        return verdict.expression.evaluate(at, []).value

    step = 1e-5 * max(1.0, abs(example.at["x"]))
    x = example.at["x"]
    slope = (value(x + step) - value(x - step)) / (2 * step)
    assert slope == pytest.approx(example.derivative, rel=1e-5, abs=1e-5)
    if example.claimed is not None:
        own = {n: v for n, v in example.at.items() if n in verdict.claim.variables}
        assert verdict.claim.evaluate(own, []).value == pytest.approx(example.claimed)


PROGRAM = """
from exprgrad.checking.check import check
from tests.exercises import MISTAKEN, RIGHT, WRONG
for function, claim, *_ in [*MISTAKEN[::6], *RIGHT[::6], *WRONG[::6]]:
    print(check(function, claim, "x")[:5])
"""


@pytest.mark.slow
def test_a_verdict_repeats_in_another_process():
    found = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            check=True,
            text=True,
            encoding="utf-8",
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert found.pop().count("\n") > 20


def test_a_verdict_repeats():
    one, two = (check("ln(x)/(x - 3)", "1/(x*(x - 3))") for _ in range(2))
    assert one[:5] == two[:5]


# 4: precision, not tolerance


@pytest.mark.parametrize("error", ["1e-12", "1e-16", "1e-30", "x*1e-25", "1e-15*|x|"])
def test_a_small_error_is_an_error(error):
    assert check("x^2/2", f"x + {error}").status == "incorrect"


# 5: decimals


@pytest.mark.parametrize("claim", ["0.333", "0.33333333", "0.3333"])
def test_a_decimal_is_right_to_the_digits_given(claim):
    verdict = check("x/3", claim)
    assert verdict.status == "correct"
    assert verdict.evidence == "correct to the digits you gave"


@pytest.mark.parametrize("claim", ["0.3", "0.334", "0.3332", "0.33333332"])
def test_a_decimal_that_is_rounded_wrongly_is_wrong(claim):
    assert check("x/3", claim).status == "incorrect"


def test_a_fraction_is_simply_correct():
    assert "digits you gave" not in check("x/3", "1/3").evidence


def test_a_decimal_factor_may_be_rounded():
    assert check("x^2*pi", "6.2832x").status == "correct"
    assert check("x^2*pi", "6.2842x").status == "incorrect"


# 6: real branches


def test_a_cube_root_is_the_real_one():
    assert check("x^(1/3)", "1/(3x^(2/3))").status == "correct"
    assert check("x^(1/3)", "1/(3*x^(1/3)*|x|^(1/3))").status == "partly"


@pytest.mark.parametrize(
    ("function", "claim", "told"),
    [
        ("x^2/2", "|x|", "correct for x > 0, wrong for x < 0"),
        ("-x^2/2", "|x|", "correct for x < 0, wrong for x > 0"),
        ("sqrt(x^2)", "1", "correct for x > 0, wrong for x < 0"),
        ("ln|x|", "1/|x|", "correct for x > 0, wrong for x < 0"),
    ],
)
def test_the_verdict_says_where_a_claim_is_right(function, claim, told):
    verdict = check(function, claim)
    assert verdict.status == "partly"
    assert told in verdict.evidence


# 8: any equivalent form


@pytest.mark.slow
@given(CASES)
@fewer(4)
def test_the_derivative_itself_is_correct_and_twice_it_is_not(case):
    formula, _ = case
    expression = parse(formula, ["x", "y", "z"])
    if "x" not in expression.variables:
        return
    own = expression.derivative("x")
    verdict = check(expression, own, "x")
    assert verdict.status in ("correct", "undecided"), verdict.evidence
    double = check(expression, f"2*({to_text(own.root)}) + 1", "x")
    if verdict.status == "correct" and to_text(own.root) != "-1":
        assert double.status != "correct"


def test_a_longer_form_is_reported_on_request():
    assert is_simplified(parse("2*x + 1"))
    assert not is_simplified(parse("x + x + x + 1"))


# Orders, points, pairs


@pytest.mark.parametrize(
    ("order", "claim", "status"),
    [
        (2, "12x^2", "correct"),
        (2, "4x^3", "incorrect"),
        (3, "24x", "correct"),
        (5, "0", "correct"),
    ],
)
def test_higher_derivatives(order, claim, status):
    assert check("x^4", claim, order=order).status == status


@pytest.mark.parametrize(("claim", "status"), [("0", "correct"), ("x", "incorrect")])
def test_derivatives_of_a_constant_are_taken_no_further(claim, status):
    with limits(seconds=8):
        assert check("x^2", claim, order=10_000).status == status


def test_a_number_at_a_point():
    assert check("x^3", "12", at={"x": 2}).status == "correct"
    assert check("x^3", 12, at={"x": 2}).status == "correct"
    verdict = check("x^3", "8", at={"x": 2})
    assert verdict.status == "incorrect"
    assert verdict.evidence == "at x = 2 your answer gives 8, the derivative is 12"


def test_a_rounded_number_at_a_point():
    assert check("sin(x)", "0.5403", at={"x": 1}).status == "correct"
    assert check("sin(x)", "0.5404", at={"x": 1}).status == "incorrect"


def test_a_formula_at_a_point():
    assert check("x^3", "6x", at={"x": 2}).status == "correct"
    assert check("x^2*y", "2x*y", "x", at={"x": 3, "y": 5}).status == "correct"


def test_a_point_needs_every_value():
    with pytest.raises(BindingError):
        check("x^2*y", "2x*y", "x", at={"x": 3})


def test_of_several_variables_one_has_to_be_named():
    with pytest.raises(UsageError) as caught:
        check("x*y", "y")
    assert 'wrt="x"' in str(caught.value.hint)


def test_a_text_that_cannot_be_read_is_an_error():
    with pytest.raises(ExpressionSyntaxError):
        check("x^2", "2x +")


@pytest.mark.parametrize(
    ("a", "b", "status"),
    [
        ("sin(2x)", "2 sin x cos x", "equal"),
        ("(x + y)^2", "x^2 + 2x y + y^2", "equal"),
        ("sqrt(x^2)", "|x|", "equal"),
        ("sqrt(x)^2", "x", "equal"),
        ("ln(x^2)", "2ln(x)", "equal"),
        ("sqrt(x^2)", "x", "different"),
        ("x", "x + 1e-12", "different"),
        ("sin(x)", "cos(x)", "different"),
        ("sqrt(x - 5)", "sqrt(3 - x)", "undecided"),
        ("2", "1 + 1", "equal"),
    ],
)
def test_two_expressions(a, b, status):
    assert equivalent(a, b).status == status
    assert equivalent(b, a).status == status


# Limits


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "claim"),
    [
        ("9^9^9^x", "1"),
        ("gamma(1e6 x)", "1"),
        ("e^e^e^e^x", "1"),
        ("x^x^x^x", "1"),
        ("sin(1e300 x)", "cos(1e300 x)"),
        ("sin(" * 400 + "x" + ")" * 400, "1"),
        ("+".join(f"sin({i}x)" for i in range(3000)), "1"),
        ("*".join(f"(x - {i})" for i in range(300)), "1"),
        ("*".join(f"x{i}" for i in range(50)) + "*ln(x - 900)", "1"),
        ("+".join(f"|x - {i}|" for i in range(100)), "1"),
        ("tan(tan(tan(tan(tan(x)))))", "1"),
        ("x^(10^8)", "1"),
        ("mod(x, 1e-300)", "x"),
    ],
)
def test_hostile_expressions_are_never_called_correct(function, claim):
    assert check(function, claim, "x").status in ("incorrect", "undecided")


@pytest.mark.parametrize(
    ("ask", "place"),
    [
        (lambda: check("1 + x[2]^2", "2x"), "x[2]"),
        (lambda: check("x^2", "2*x + sum(x)"), "sum(x)"),
        (lambda: equivalent("x", "x[0]"), "x[0]"),
        (lambda: parse("y*mean(x)").derivative("x"), "mean(x)"),
        (lambda: parse("x*y[1]").compile(), "y[1]"),
    ],
)
def test_arrays_are_refused_with_their_place(ask, place):
    with pytest.raises(UsageError) as caught:
        ask()
    error = caught.value
    assert error.source[slice(*error.span)] == place


@pytest.mark.parametrize(
    ("f", "claim", "order", "status"),
    [
        ("x^1.5", "1.5sqrt(x)", 1, "correct"),
        ("x^1.5", "1.5sqrt(x) + x", 1, "correct"),
        ("x^1.5", "1", 1, "incorrect"),
        ("x^2.5", "0", 2, "correct"),
        ("sqrt(x)*sqrt(x)/3", "0.333", 1, "correct"),
        ("sqrt(x)*sqrt(x)/3", "0.334", 1, "incorrect"),
    ],
)
def test_at_an_edge_the_slope_from_inside_is_the_derivative(f, claim, order, status):
    verdict = check(f, claim, "x", order=order, at={"x": 0})
    assert verdict.status == status
    assert verdict.notes[-1].startswith("the derivative at x = 0 is the slope from the right;")  # fmt: skip
