"""What is said of a wrong answer: the mistake that made it, in a sentence, at its place."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from exprgrad.checking.check import check
from exprgrad.checking.mistakes import diagnosis
from exprgrad.checking.mistakes.catalogue import ROWS
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.value import Value, node
from exprgrad.operations.table import ADD
from tests.benchmarks.mistakes import claims, is_told
from tests.exercises import CANCELLING, FUNCTIONS, MISTAKEN, RIGHT, variable
from tests.golden import compare
from tests.rewriting import rewritten

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize(("function", "claim", "name"), MISTAKEN)
def test_a_wrong_answer_is_explained_by_the_mistake_that_made_it(function, claim, name):
    verdict = check(function, claim, "x")
    assert verdict.status in ("incorrect", "partly")
    assert is_told(verdict, name)


@pytest.mark.parametrize(
    ("function", "claim", "name", "place"),
    [
        ("e^(x^4)", "12x^2 e^(x^4)", "second term left out", "4*x^3*exp(x^4)"),
        ("x^5", "20x^4", "power not lowered", "5*x^4"),
        ("sin(2x)", "-2sin(2x)", "inner derivative left out", "2*cos(2*x)"),
        ("e^(x^2)", "4x^2 e^(2x^2)", "first derivative squared", "first derivative"),
        ("x^5", "5x^4", "wrong order", "first derivative"),
    ],
)
def test_a_mistake_in_the_last_of_two_steps_is_named(function, claim, name, place):
    mistake = check(function, claim, "x", order=2).mistake
    assert mistake is not None
    assert mistake.name == name
    assert place in mistake.message


@pytest.mark.slow
def test_mistakes_of_the_catalogue_are_recognised_at_every_place():
    told = total = 0
    for function in FUNCTIONS[::12]:
        for claim in dict.fromkeys(claims(function)):
            verdict = check(claim.function, claim.claim, claim.wrt)
            if verdict.status == "incorrect":
                total += 1
                told += is_told(verdict, claim.mistake)
    assert total > 50
    assert told >= 0.97 * total


def test_every_mistake_of_the_catalogue_has_an_example():
    assert {row.name for row in ROWS} <= {name for _, _, name in MISTAKEN}


@pytest.mark.slow
def test_sentences_are_as_on_file_and_every_row_of_the_catalogue_is_told(monkeypatch):
    told = set()
    message = diagnosis._message

    def telling(question, search, candidate):
        told.add(id(candidate.row))
        return message(question, search, candidate)

    monkeypatch.setattr(diagnosis, "_message", telling)
    parts = []
    for function, claim, _ in MISTAKEN:
        mistake = check(function, claim, "x").mistake
        assert mistake is not None
        start, end = mistake.span or (0, 0)
        asked = f"{function}   your answer: "
        if mistake.term is not None:
            start, end = (len(asked) + place for place in mistake.term)
        said = (mistake.right, mistake.message, mistake.hint)
        parts += [
            f"{asked}{claim}",
            " " * start + "^" * (end - start),
            *(f"    {line}" for line in said if line),
        ]
    lines = "\n".join(line for line in parts if line)
    compare(HERE / "sentences.txt", lines + "\n")
    assert [row for row in ROWS if id(row) not in told] == []


@pytest.mark.parametrize(("function", "claim", "name"), MISTAKEN)
def test_a_hint_does_not_give_the_answer(function, claim, name):
    verdict = check(function, claim, "x")
    mistake = verdict.mistake
    assert mistake is not None
    assert mistake.name in mistake.hint
    assert verdict.derivative not in re.findall(r"\S+", mistake.hint)
    assert "'" not in mistake.hint


@pytest.mark.parametrize(("function", "claim"), [*RIGHT, *CANCELLING])
def test_a_right_answer_is_not_accused(function, claim):
    verdict = check(function, claim, "x")
    assert (verdict.status, verdict.mistake) == ("correct", None)


@pytest.mark.slow
def test_equivalent_forms_are_neither_refused_nor_accused():
    for number in range(160):
        function = FUNCTIONS[number % len(FUNCTIONS)]
        wrt = variable(function)
        derivative = str(parse(function, [wrt]).derivative(wrt))
        other = rewritten(derivative, random.Random(number), 1 + number % 4, wrt)
        verdict = check(function, other, wrt)
        assert (verdict.status, verdict.mistake) == ("correct", None), other


def test_a_mistake_at_one_place_is_reported_there():
    mistake = check("x^2 + sin(3x)", "2x + cos(3x)").mistake
    assert mistake is not None
    assert mistake.span == (6, 13)


def test_a_mistake_at_every_place_has_no_place():
    mistake = check("x^2 + x^3", "2x^2 + 3x^3").mistake
    assert mistake is not None
    assert mistake.name == "power not lowered"
    assert mistake.span is None
    assert "every such place" in mistake.message


def test_either_of_two_likely_mistakes_is_reported():
    mistake = check("x^2*sin(x)", "2x*sin(x) - x^2*cos(x)").mistake
    assert mistake is not None
    assert mistake.message.startswith("either ")
    assert "; or " in mistake.message


def test_an_answer_that_no_mistake_gives_is_not_explained():
    assert check("sin(x)^2", "x^5 + 7x").mistake is None


def test_the_antiderivative_is_recognised_but_no_other_function():
    mistake = check("e^x + 2", "e^x + 2x").mistake
    assert mistake is not None
    assert mistake.name == "integrated instead"
    other = check("e^x", "e^x + 2").mistake
    assert other is not None
    assert other.name == "constant added"


@pytest.mark.parametrize(
    ("function", "claim", "told"),
    [
        ("x^2", "2x - 3", "the derivative minus 3"),
        ("x^2", "2x + 0.5", "the derivative plus 1/2"),
        ("x^3", "3.03x^2", "1.01 times the derivative"),
        ("x^3", "4x^2", "4/3 times the derivative"),
        ("x^3", "0", "Your answer is 0, and the derivative is not"),
        ("5", "5", "The derivative is 0, since 5 is a constant"),
        ("ln(x)", "1/(x*ln(10))", "ln was taken to base 10"),
        ("ln(2x + 1)", "2/2x+1", "if 2/(2x+1) was meant"),
        ("x^2/(x + 3)", "(2x(x + 3) - x^2)/(x + 3)^2 + 0*x + x", None),
    ],
)
def test_the_whole_answer_is_explained(function, claim, told):
    mistake = check(function, claim, "x").mistake
    if told is None:
        assert mistake is None
    else:
        assert mistake is not None
        assert told in mistake.message


def test_a_factor_next_to_the_largest_double_is_told():
    told = str(check("x", "1.7e308").mistake)
    assert "1.7e+308 times the derivative" in told


@pytest.mark.parametrize("claim", ["(2 + 2*10^-14)*cos(x)", "2.00000000000003cos(x)", "cos(x) + 2 + 10^-13"])  # fmt: skip
def test_a_number_that_is_only_nearly_a_small_one_is_not_told_as_that(claim):
    assert not re.search(r"\b2 times|plus 2:", str(check("sin(x)", claim)))


def test_the_order_is_counted_in_words():
    mistake = check("x^5", "5x^4", order=2).mistake
    assert mistake is not None
    assert mistake.message == "this is the first derivative, not the second"


def test_ordinals_of_high_orders_end_as_they_are_spoken():
    mistake = check("e^(2x)", "2^21 e^(2x)", order=22).mistake
    assert mistake is not None
    assert mistake.message == "this is the 21st derivative, not the 22nd"
    assert "is the 23rd derivative" in str(check("e^(2x)", "2^23 e^(2x)", order=23))
    assert "is the 12th derivative" in str(check("e^(2x)", "2^12 e^(2x)", order=12))


@pytest.mark.slow
def test_a_very_long_expression_is_not_explained():
    function = "+".join(f"sin({i}x)" for i in range(2000))
    verdict = check(function, "1")
    assert (verdict.status, verdict.mistake) == ("incorrect", None)


def test_a_sum_of_itself_again_and_again_is_explained_in_time():
    total = Value(None, "x")
    for _ in range(60):
        total = node(ADD, (total, total))
    verdict = check(Expression.of(total), "3x")
    assert (verdict.status, verdict.mistake) == ("incorrect", None)
