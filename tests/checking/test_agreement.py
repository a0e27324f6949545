"""When two quantities are the same: by more and more digits, at points of every piece."""

from __future__ import annotations

import pytest

import exprgrad
from exprgrad.checking import agreement
from exprgrad.checking.agreement import Sides, settle
from exprgrad.expressions.expression import parse
from exprgrad.sweeps.precise import Probe


def sides(one: str, other: str, lenient: bool = False) -> Sides:
    first, second = parse(one), parse(other)
    names = tuple(dict.fromkeys((*first.variables, *second.variables)))
    return agreement.compared(
        agreement.value_side(Probe(first.tape)),
        agreement.value_side(Probe(second.tape)),
        (first.root, second.root),
        names,
        names[0] if names else None,
        (10, 10),
        lenient,
    )


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("x", "x", "agrees"),
        ("x", "x + 1e-12", "differs"),
        ("x", "x + 1e-60", "differs"),
        ("x", "x + 1e-300", "agrees"),
        ("sin(x)^2 + cos(x)^2", "1", "agrees"),
        ("sin(x)^2 + cos(x)^2 - 1", "0", "agrees"),
        ("sin(x)^2 + cos(x)^2 - 1", "1e-70", "differs"),
        ("1e-40*x", "2e-40*x", "differs"),
        ("x", "ln(x - 5)", "undefined"),
        ("x", "x*(x - 2)/(x - 2)", "isolated"),
        ("ln(x - 5)", "x", "unusable"),
        ("x", "exp(exp(exp(exp(x))))", "open"),
    ],
)
def test_a_true_zero_shrinks_with_more_digits_and_a_difference_does_not(
    one, other, kind
):
    assert settle(sides(one, other), {"x": 2.0}, thorough=True).kind == kind


def test_a_difference_far_below_every_precision_is_not_seen():
    """1e-300 beside 2 needs more than the 400 digits of the last precision to be seen as a difference."""
    assert agreement.LADDER[1] < 300


def test_a_claim_that_may_be_undefined_does_not_count_where_it_is():
    assert (
        settle(sides("x", "ln(x-5)", lenient=True), {"x": 2.0}, True).kind == "unusable"
    )


def test_points_come_in_a_fixed_order_and_only_once():
    question = sides("sqrt(x-a)", "x*b")
    first, again = list(question.trail), list(question.trail)
    assert first == again == list(sides("sqrt(x-a)", "x*b").trail)
    assert len({tuple(at.values()) for at in first}) == len(first)


def test_points_find_values_of_the_held_variables_with_which_there_is_a_value():
    question = sides("sqrt(1 - a^2)*ln(b - 50)*x", "1")
    usable = [at for at in question.trail if question.truth(at, 0).value is not None]
    assert len(usable) >= 3


@pytest.mark.parametrize(
    ("a", "b", "status"),
    [
        ("sin(2x)", "2 sin x cos x", "equal"),
        ("ln(x^2)", "2 ln(x)", "equal"),
        ("sqrt(x^2)", "|x|", "equal"),
        ("sqrt(x^2)", "x", "different"),
        ("x^(1/3)", "cbrt(x)", "equal"),
        ("(x^2)^(1/6)", "x^(1/3)", "different"),
        ("1", "1.0", "equal"),
        ("x", "y", "different"),
        ("sqrt(-1-x^2)", "ln(-1-x^2)", "undecided"),
        ("0.333333333333333x", "x/3", "different"),
        ("sin(pi x)", "sin(500 pi x)", "different"),
        ("sin(500 pi)", "0", "equal"),
        ("if(x < 1, 1, 2)", "if(x < 1.001, 1, 2)", "different"),
        ("sqrt(x-900)", "sqrt(x-900) + 1/10^9", "different"),
    ],
)
def test_equivalence_is_decided_where_both_are_defined(a, b, status):
    assert exprgrad.equivalent(a, b).status == status


@pytest.mark.parametrize(
    ("f", "claim"),
    [
        ("e^x", "e^x + e^-500"),
        ("x", "1 + 1e-300x"),
        ("x^2", "2x + sin(2^20*pi*x)"),
        ("x^2", "2x + 1e-12"),
    ],
)
def test_differences_that_are_tiny_or_vanish_at_short_points_are_seen(f, claim):
    assert exprgrad.check(f, claim).status == "incorrect"


@pytest.mark.parametrize(
    ("f", "claim"),
    [
        ("x^2", "2x + e^x - e^x"),
        ("e^(-x^2)", "-2x*(cosh(x^2) - sinh(x^2))"),
        ("2^x", "((sin(x)^2 + e^x - e^x) + cos(x)^2)*2^x*ln(2)"),
        ("x", "e^x/(cosh(x) + sinh(x))"),
        ("x^2", "2*x*sqrt(tanh(x)^2 + 1/cosh(x)^2)"),
    ],
)
def test_cancellation_of_huge_numbers_is_not_taken_for_a_difference(f, claim):
    assert exprgrad.check(f, claim).status == "correct"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inner", "status"), [("1", "incorrect"), ("1 - x", "correct")]
)
def test_a_claim_is_looked_at_with_several_values_of_each_variable(inner, status):
    # dear looks, and values for -0.9 < x < 2.9 only: both claims are right where x is 1 or 2
    s, root = "asinh(sinc(1 - x))", "sqrt(sinc(1 - x)^2 + 1)"
    function = f"{s}^y/gamma(sinc(1 - x))/sqrt(round(sinc(1 - x)))"
    claim = f"(ln({s})*({s}*digamma(sinc({inner}))*{root} - y) - 1)/{root}"
    claim += f"*sinc(1 - x, 1)*{s}^(y - 1)/gamma(sinc(1 - x))/sqrt(round(sinc(1 - x)))"
    assert exprgrad.check(function, claim, ("x", "y")).status == status


def test_equal_digits_are_distinguished_by_the_difference():
    assert "they differ by 1.0e-12" in exprgrad.check("x", "1 + 1e-12").evidence


def test_equivalence_shows_a_point_that_separates_the_two():
    found = exprgrad.equivalent("x^2", "2x")
    assert found.counterexample.at == {"x": 1.0}
    assert (found.counterexample.derivative, found.counterexample.claimed) == (1.0, 2.0)


def test_a_deep_look_does_not_take_cancellation_noise_for_a_difference():
    """At x = 10 terms of 1e-17 leave 1e-30, so noise shrinks slower than the numbers themselves."""
    f = "atan(2*exp(x) - 1) - atan(2*exp(x) + 1) + exp(-x)/2 - exp(-x)/2"
    claim = (
        "2*exp(x)/(1 + (2*exp(x) - 1)^2) - 2*exp(x)/(1 + (2*exp(x) + 1)^2) + e^x - e^x"
    )
    assert exprgrad.check(f, claim).status == "correct"
