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
    ],
)
def test_what_is_right_is_said_and_the_wrong_term_is_marked(
    function, claim, right, term
):
    mistake = check(function, claim, "x").mistake
    assert mistake is not None
    assert mistake.right == right
    assert claim[slice(*mistake.term)] == term


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
