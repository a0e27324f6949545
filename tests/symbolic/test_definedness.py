"""Where a claim has a value: what is shown of its domain, and what must not be."""

from __future__ import annotations

import pytest

from exprgrad import check
from exprgrad.expressions.derivatives import is_zero
from exprgrad.expressions.expression import parse
from exprgrad.symbolic.conditions import defined_with, without_value

SHOWN = """
    x^3 | 3*x^2
    ln(x) | 1/x
    ln(x^2 - 3) | 2*x/(x^2 - 3)
    sqrt(1 - x^2) | -x/sqrt(1 - x^2)
    (a + b*x)^(n + 1) | (a + b*x)^n*sqrt(a + b*x)
    x^x | x^x*(ln(x) + 1)
    x*exp(-x) | ln(x^2 + 1)/sqrt(exp(x) + x^4)
    tan(x) | 1/cos(x)^2 + cot(x)
    asin(x/a) | asin(sin(x))/(x - a)
    sqrt(a + b*x + c*x^2) | 1/((x - d)*sqrt(a + b*x + c*x^2))
    ln(|x|) | 1/x
    x^(1/3) | 1/(3*x^(2/3))
    x | 1/(1 + sqrt(x + 3)*0 + x^2) | no
    x^2 | sqrt(x)*sqrt(x)*2 | no
    ln(|x|) | ln(x)/(x*ln(x)) | no
    x | 1/(|x| - x) | no
    x^2 | x^(3/2)*x^(1/2)*2 | no
    x^3 | x^2.00000000000000000001 | no
    x | 1/(1 - 1.00000000000000000001) + x^(3 - 1e-20 - 3 + 1e-20)
    sqrt(sqrt(x^2) - x) | x/sqrt(sqrt(x^2) - x) | no
    sqrt(|x| + x) | x | no
    max(x, 1) | 1
    sqrt(max(x, 0)) | 1 | no
    x | asin(x) | no
    x | acot(tan(x)) - 1/(atan(1/x) + atan(x) - pi/2) | no
    x^(n - n) | sqrt(x) | no
    x*(m - m) | ln(m) | no
    x | 1/((2^1000)^x + x) | no
    if(x > 0, x, 1) | 1 | no
    mean([x, 1]) | 1 | no
"""
"""A function, what is claimed of it, and `no` where nothing may be said of its domain."""


@pytest.mark.parametrize("row", SHOWN.strip().splitlines())
def test_a_claim_is_said_to_have_a_value_only_where_it_has_one(row):
    f, claim, *no = (part.strip() for part in row.split(" | "))
    assert defined_with(parse(claim).root, parse(f).root) is (not no)


def test_a_proof_is_enough_where_the_domains_are_the_same():
    verdict = check("x^5*sin(x)", "5x^4*sin(x) + x^5*cos(x)")
    assert verdict.evidence.startswith("proved")


def test_a_proof_is_not_enough_where_the_claim_lacks_a_piece():
    assert check("x^2", "2*x*ln(x + 900)/ln(x + 900)").status != "correct"
    assert check("ln(|x|)", "ln(x)/(x*ln(x))").status == "partly"


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(-1-x^2)",
        "x*ln(-x^2 - 1)",
        "acos(2 + x^2)",
        "sqrt(sin(x) - 2) + y",
        "sqrt(-1e-12 - x^2)",
    ],
)
def test_what_has_no_value_anywhere_is_shown_to_have_none(text):
    assert without_value(parse(text).root, is_zero) is not None


@pytest.mark.parametrize(
    "text",
    ["sqrt(1-x^2)", "sqrt(-x^2)", "(-2)^x", "ln(x)", "acos(x^2 + 1)", "x^x",
     "gamma(-x^2)", "if(x > 0, sqrt(-1-x^2), 1)"],
)  # fmt: skip
def test_nothing_is_shown_of_what_may_have_a_value(text):
    assert without_value(parse(text).root, is_zero) is None


def test_a_constant_is_not_taken_for_what_varies():
    assert not defined_with(parse("x/(x-x)").root, parse("x").root)


@pytest.mark.parametrize("f", ["1/(x < 1)", "((x == 0) != 0)*x", "1/(x and y)", "1/(x == 2) + 1/(x - 1)"])  # fmt: skip
def test_conditions_on_comparisons_can_be_read_again(f):
    found = parse(f).derivative("x")
    assert found.assumptions
    for condition in found.assumptions:
        inside = parse(f"if({condition}, 1, 0)", ("x", "y"))
        assert str(inside) == f"if({condition}, 1, 0)"
