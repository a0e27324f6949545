"""Two mistakes in one answer, what was typed beside it, and what is not said of an answer."""

from __future__ import annotations

import pytest

from exprgrad import check
from exprgrad.checking.mistakes.misapplied import Search
from exprgrad.checking.question import Question
from exprgrad.expressions.expression import parse
from exprgrad.notation.text import to_text
from exprgrad.symbolic.simplify import simplify


@pytest.mark.parametrize(
    ("f", "claim", "names"),
    [
        ("x^2+sin(x)+7", "2x-cos(x)+7", {"wrong sign in the table", "constant not dropped"}),
        ("cos(4x)", "sin(4x)", {"inner derivative left out", "wrong sign in the table"}),
        ("sqrt(x^2+9)", "1/sqrt(x^2+9)", {"inner derivative left out", "root without its half"}),
        ("sin(3x)^2", "2cos(3x)", {"inner derivative left out"}),
        ("x^3+4", "x^2+4", {"exponent not multiplied down", "constant not dropped"}),
    ],
)  # fmt: skip
def test_two_mistakes_are_named_where_no_single_one_gives_the_claim(f, claim, names):
    mistake = check(f, claim).mistake
    assert mistake is not None
    assert mistake.message.startswith("there are two mistakes: ")
    assert names <= {mistake.name, *mistake.others}


def test_a_single_mistake_is_told_before_two():
    mistake = check("x^2 + sin(3x)", "2x + cos(3x)").mistake
    assert mistake is not None
    assert not mistake.message.startswith("there are two")


@pytest.mark.slow
def test_most_pairs_of_mistakes_are_told():
    told = total = 0
    for function in (
        "x^3+sin(2x)",
        "x^2*sin(x)",
        "ln(5x)+x^4/4",
        "cos(3x)^2",
        "e^(2x)/x",
    ):
        expression = parse(function)
        sides = Question(expression, expression, "x").sides()
        some = [at for at, _ in zip(sides.trail, range(20), strict=False)]
        search = Search(expression, "x", some[:3])
        for candidate in list(search.pairs())[::37]:
            wrong = to_text(simplify(search.formula(candidate)))
            verdict = check(function, wrong, "x")
            if verdict.status == "incorrect" and "x" in wrong:
                total += 1
                told += verdict.mistake is not None
    assert total > 20
    assert told >= 0.95 * total


@pytest.mark.parametrize(
    ("f", "claim", "name"),
    [
        ("x^2", "2x+C", "constant of integration added"),
        ("x^2", "2x dx", "differential added"),
        ("x^5-x", "(5x^4-1)dx", "differential added"),
        ("x^3", "3x2", "lost ^"),
        ("x^2*e^x", "x^2*e^x", "not differentiated"),
        ("x^3-4x", "x^3-4x", "not differentiated"),
    ],
)
def test_slips_of_the_whole_answer_are_named(f, claim, name):
    verdict = check(f, claim, "x")
    assert verdict.status == "incorrect"
    assert verdict.mistake is not None
    assert verdict.mistake.name == name


@pytest.mark.parametrize(
    ("f", "claim"),
    [
        ("sin(x)", "5/11*cos(x)"),
        ("x^2+sin(x)", "x^7+e^x"),
        ("3x^2+k", "x^3+2x"),
        ("x^3+2x", "3x^2+2k"),
        ("x*max(y,10)", "10"),
    ],
)
def test_nobody_is_accused_of_what_does_not_give_the_claim(f, claim):
    assert check(f, claim, "x").mistake is None


def test_the_missing_factor_is_the_derivative_of_the_inside():
    mistake = check("sin^2 x", "2 sin x").mistake
    assert mistake is not None
    assert "the derivative of sin(x), which is cos(x)" in mistake.message


@pytest.mark.parametrize(
    ("f", "claim", "said"),
    [
        ("4/x^4", "4/x^5", "the exponent was lowered but not multiplied down"),
        ("4/x^4", "-16/x^3", "the exponent below the bar was lowered by 1, not raised"),
        ("4/(2x+1)^4", "8/(2x+1)^5", "not multiplied down"),
        ("x^3/5 - e^(2x)/7", "3x^2 - 2e^(2x)", "likewise at every such place"),
        ("x^3/5 - e^(2x)/7", "3x^2 + 2e^(2x)", "there are two mistakes"),
        ("sin(x)/x", "(sin(x) - x*cos(x))/sin(x)^2", "turned over"),
        ("e^x/(x*ln(x))", "e^-x/x - e^-x*ln(x)", "the quotient was turned over, and the factor x"),
        ("x^3*ln(x)*e^(5x)", "(1/x + 5ln(x))*e^(5x)", "the factor x^3 of the function was left out"),
    ],
)  # fmt: skip
def test_what_teachers_were_told_is_named(f, claim, said):
    mistake = check(f, claim).mistake
    assert mistake is not None
    assert said in mistake.message
