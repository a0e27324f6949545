"""Which term of a wrong answer is underlined, and what is said to be right beside it."""

from __future__ import annotations

import random
import re

import pytest

from exprgrad.checking.check import check
from exprgrad.checking.mistakes.diagnosis import telling_points
from exprgrad.checking.mistakes.parts import place_of, wrong_term
from exprgrad.checking.question import Question
from exprgrad.expressions.expression import parse
from tests.benchmarks.mistakes import claims
from tests.exercises import FUNCTIONS, variable


@pytest.mark.parametrize(
    ("function", "claim", "right", "term"),
    [
        ("sin(x^2)", "2x cos(2x)", "the factor 2x is right", "2x"),
        ("e^(x^2)", "2x e^(2x)", "the factor 2x is right", "2x"),
        ("sin(3x)", "3cos(x)", "the factor 3 is right", "x"),
        ("tan(m*x)", "m sec(x)^2", "the factor m is right", "x"),
        ("x^3", "3x", "the factor 3 is right", "x"),
        ("x^3 + sin(x)", "3x^2 - cos(x)", "the term 3x^2 is right", "cos(x)"),
        ("asin(x)", "1/sin(x)", "", "sin(x)"),
        ("x^2 + 5x", "2x + 6", "the term 2x is right", "6"),
        ("ln(x^2+x)", "(2x+1)ln(x^2+x)", "the factor 2x+1 is right", "ln(x^2+x)"),
        ("cos(2x)/x", "(-2x cos(2x)-cos(2x))/x^2", "the other term is right", "cos(2x)"),
        ("x^3+7x-2", "3x^2+7-2", "the other terms are right", "2"),
        ("x^(2/3)", "2/3 x^(5/3)", "the factor 2/3 is right", "5/3"),
        ("cos(2x)/x", "(2x sin(2x)-cos(2x))/x^2", "the term cos(2x) is right", "2x sin(2x)"),
    ],
)  # fmt: skip
def test_what_is_right_is_said_and_the_wrong_term_is_marked(
    function, claim, right, term
):
    mistake = check(function, claim, "x").mistake
    assert mistake is not None
    assert mistake.right == right
    assert claim[slice(*mistake.term)] == term


@pytest.mark.parametrize(
    ("function", "claim", "message"),
    [
        ("exp(-x^2/2)", "-x exp(x^2/2)", "only the sign of x^2/2 is wrong"),
        ("x^5-x^3", "5x^4+3x^2+x-x", "the minus sign in front of x^3 became a plus"),
        ("x/(x^2+4)", "(4+x^2)/(x^2+4)^2", "only the sign of x^2 is wrong"),
        ("(1-x)/(1+x)", "(-1-x-1-x)/(1+x)^2", "only the sign of x is wrong"),
        ("x^2 e^(3x)", "x^2 e^(3x)(2+3x)", "only the number 2 is wrong"),
        ("5/x^3", "-15/x^6", "only the number 6 is wrong"),
    ],
)
def test_one_slip_explains_an_answer_before_rules_that_give_it_by_chance(
    function, claim, message
):
    mistake = check(function, claim, "x").mistake
    assert mistake is not None
    assert mistake.message == message


@pytest.mark.parametrize(
    ("function", "claim", "false"),
    [
        ("e^x sin(x)cos(x)", "e^x (sin(2x)/2 + sin(2x))", "e^x was left as it is"),
        ("exp(-x^2/2)", "-2x exp(-x^2/2)", "constant factor 2"),
        ("sec(3x)", "3 sin(3x)/cos(3x)", "only the term sin(3x)"),
        ("asin(sin(x))", "1", "the sign is wrong"),
        ("max(x,1)", "1", "max(x,1) was left as it is"),
    ],
)
def test_a_sentence_says_nothing_false_of_an_answer(function, claim, false):
    mistake = check(function, claim, "x").mistake
    assert mistake is None or false not in mistake.message


@pytest.mark.parametrize(
    ("function", "claim", "names"),
    [
        ("x^2 e^x", "2x e^x", {"product of the derivatives", "second term left out"}),
        ("sin(x)", "-cos(x)", {"integrated instead", "wrong sign in the table"}),
        ("2^x", "2^x", {"missing ln of the base", "part not differentiated"}),
    ],
)
def test_two_causes_of_the_same_answer_are_both_named(function, claim, names):
    mistake = check(function, claim, "x").mistake
    assert mistake is not None
    assert {mistake.name, *mistake.others} >= names
    assert mistake.message.startswith("either ")


@pytest.mark.slow
def test_all_rows_of_the_catalogue_that_give_the_same_are_named():
    for function in FUNCTIONS:
        causes: dict[str, set[str]] = {}
        for made in claims(function):
            causes.setdefault(made.claim, set()).add(made.mistake)
        for claim, names in causes.items():
            if len(names) == 1:
                continue
            verdict = check(function, claim, variable(function))
            mistake = verdict.mistake
            if verdict.status == "incorrect" and mistake is not None:
                assert names <= {mistake.name, *mistake.others}, (function, claim)


def test_a_rule_that_two_causes_share_is_said_once():
    mistake = check("x^2 e^x", "2x e^x", "x").mistake
    assert mistake is not None
    assert mistake.message.count("u'*v + u*v'") == 1


@pytest.mark.parametrize("claim", ["2x", "2a x"])
def test_letters_beside_x_are_constants_if_nothing_else_is_said(claim):
    verdict = check("a x^2 + b", claim)
    assert verdict.wrt == "x"
    assert "taken as d/dx; a and b are constants" in verdict.notes
    assert verdict.status == ("incorrect" if claim == "2x" else "correct")


@pytest.mark.slow
def test_the_marked_term_holds_what_was_changed():
    chance, slips, held = random.Random(7), 0, 0
    while slips < 100:
        function = chance.choice(FUNCTIONS)
        name = variable(function)
        right = str(parse(function, [name]).derivative(name))
        numbers = [m.span() for m in re.finditer(r"(?<![\w.])\d+(?![\w.])", right)]
        if not numbers:
            continue
        start, end = chance.choice(numbers)
        claim = f"{right[:start]}{int(right[start:end]) + chance.choice((1, 2))}{right[end:]}"
        verdict = check(function, claim, name)
        if verdict.status != "incorrect" or verdict.counterexample is None:
            continue
        slips += 1
        question = Question(parse(function, [name]), parse(claim, [name]), name)
        sides = question.sides()
        telling = telling_points(sides, verdict.counterexample.at)
        part, _ = wrong_term(question, sides, telling)
        place = (0, 0) if part is None else place_of(part)
        held += place[0] <= start < place[1]
    assert held >= 0.95 * slips


@pytest.mark.parametrize(
    ("function", "claim", "place"),
    [
        ("ln(cos(x))", "tan(x)", "cos(x)"),  # not x in tan(x), which -x would mend too
        ("sin(cos(x))", "cos(cos(x))*sin(x)", "cos(x)"),
        ("cos(3x)", "3sin(3x)", "cos(3x)"),
        ("(3x^2+1)^4", "4(3x^2+1)^3*3x", "x^2"),  # 4 and 3 are factors of one product
    ],
)
def test_no_factor_is_marked_where_another_may_be_wrong_as_well(function, claim, place):
    mistake = check(function, claim, "x").mistake
    assert mistake is not None
    assert mistake.term is None
    assert function[slice(*mistake.span)] == place
    assert not mistake.right
    assert not mistake.message.startswith("either ")


@pytest.mark.parametrize(
    ("function", "claim"),
    [
        ("e^(x^2)", "e^(2x)"),
        ("ln(sin(x))", "1/cos(x)"),
        ("sqrt(sin(x))", "1/(2sqrt(cos(x)))"),
        ("3^(2x)", "2*3^(2x)"),
        ("2^x", "2^x/ln(2)"),
    ],
)
def test_one_mistake_is_not_told_twice_in_other_words(function, claim):
    mistake = check(function, claim, "x").mistake
    assert mistake is not None
    assert not mistake.message.startswith("either ")


@pytest.mark.parametrize(
    ("function", "claim", "order"),
    [("sin(2x)", "-sin(2x)", 2), ("(2x+1)^4", "12(2x+1)^2", 2), ("cos(5x)", "sin(5x)", 3)],
)  # fmt: skip
def test_what_was_left_out_of_every_derivative_is_said(function, claim, order):
    mistake = check(function, claim, "x", order=order).mistake
    assert mistake is not None
    assert "the inner derivative was left out every time" in mistake.message


def test_a_sign_is_not_accused_where_a_term_too_many_gives_the_same():
    assert check("x^2 + x*y + y^2", "2x + y + 2y", "x").mistake is None


def test_what_is_no_term_is_not_called_one():
    told = check("x^2*cos(x)", "2x*cos(x) - x*sin(x)", "x").mistake
    assert told is not None
    assert told.message == "only x is wrong"
