"""Decimals of a claim are one consistent set of rounded numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from exprgrad import check, equivalent
from exprgrad.checking import domain, rounding

RIGHT = [
    ("x^2/6", "0.333x"),
    ("e^(-x^2)/6", "-0.333x*e^(-x^2)"),
    ("e^(-x^2/2)/sqrt(2pi)", "-0.399*x*e^(-x^2/2)"),
    ("0.3989*e^(-0.5*x^2)", "-0.399*x*e^(-0.5*x^2)"),
    ("e^(x/3)", "0.333*e^(0.3333x)"),
    ("x/3+x^2/7", "0.333+0.2857x"),
    ("pi*x^2/3", "0.667*3.14*x"),
    ("2^x", "0.693*2^x"),
    ("ln(x)/ln(10)", "0.4343/x"),
    ("x/3", "0.333333333333"),
    ("max(x,1)/3", "if(x<1,0,0.333)"),
    ("0.9684563297793*x^2", "1.936912659559*x"),
    ("0.333333333333333*x^2", "2x/3"),
    ("4.16666666666667*ln(x)", "25/(6x)"),
    ("0.333333333333333*x^2", "0.66666666666667x"),
    ("x/3", Decimal("0.33333")),
]

WRONG = [
    ("1000*x+x^2/2000", "1000.0"),
    ("500*t-0.0001*t^2", "500.0"),
    ("x^2+x", "2.0000001*x+1.000"),
    ("x^2/6", "0.334x"),
    ("x/3", "0.3"),
    ("x^2", "2.00x+0.001sin(x)"),
    ("x^2/6+x^3/9", "0.333x+0.333x^2+0.0001"),
    ("x^2", "2x+max(0,1e-6-(x-77.7)^2)^2"),
    ("x^2/6", "if(x<100,0.333,0.334)*x"),
    ("0.9684563297793*x^2", "1.93691265955860000001*x"),
    ("9.25*ln(x)", "9.25000000000000000001/x"),
    ("7.318529604718356^x", "ln(7.31852960471835600002)*7.318529604718356^x"),
    (
        "sqrt(5.127460983471629*x)",
        "5.12746098347162900003/(2*sqrt(5.127460983471629*x))",
    ),
    ("0.9684563297793*x^2", "1.937*x+1e-9"),
    ("0.333333333333333*x^2", "2x/3+1e-13"),
    ("x*1.00000000000000000001", "1"),
    ("9007199254740993*x", 9007199254740992),
    ("x/3", Fraction(333333, 1000000)),
]

EXACT = [
    ("9007199254740993*x", 9007199254740993),
    ("x/3", Fraction(1, 3)),
    ("0.1*x", 0.1),
]


@pytest.mark.parametrize(("f", "claim"), RIGHT)
def test_one_set_of_rounded_numbers_makes_the_claim_right(f, claim):
    verdict = check(f, claim)
    assert verdict.status == "correct"
    assert verdict.evidence.startswith(
        ("correct to the digits you gave", "correct if ")
    )


@pytest.mark.parametrize(("f", "claim"), WRONG)
def test_no_single_set_of_numbers_makes_the_claim_right(f, claim):
    assert check(f, claim).status in ("incorrect", "partly")


@pytest.mark.parametrize(("f", "claim"), EXACT)
def test_a_number_that_a_program_claims_is_that_number(f, claim):
    assert check(f, claim).evidence.startswith("proved")


def test_at_a_point_any_number_that_rounds_to_the_answer_is_right():
    assert check("x^2/6", "0.333", at={"x": 1}).status == "correct"
    assert check("x^2/6", "0.334", at={"x": 1}).status == "incorrect"
    assert check("x^2/6", "0.167+0.167", at={"x": 1}).status == "correct"


def test_numbers_that_look_the_same_are_told_with_their_distance():
    found = equivalent("exp(pi*sqrt(163))", "262537412640768744")
    assert found.status == "different"
    assert found.evidence == (
        "they are 2.625374126e+17 and 2.625374126e+17 (they differ by 7.5e-13)"
    )


@pytest.mark.slow
def test_decimals_are_compared_in_every_piece_however_many_there_are(monkeypatch):
    monkeypatch.setattr(rounding, "MOST_CELLS", 4)
    kinks = "".join(f"+0*|y-{k}|" for k in range(8))
    assert check("x^2/3+x*y", "0.667x+y" + kinks, "x").status == "correct"
    wrong = f"0.667x+y{kinks}+max(0,y-90)"
    assert check("x^2/3+x*y", wrong, "x").status == "incorrect"
    monkeypatch.setattr(domain, "ALL_WORK", 100)
    found = check("x^2/3+x*y", "0.667x+y" + kinks, "x")
    assert found.status == "undecided"
    assert "cut short" in found.evidence


@pytest.mark.parametrize(
    ("f", "claim", "evidence"),
    [
        ("0.333333333333333*x^2", "2x/3", "correct if 0.333333333333333 stands for 1/3"),
        ("0.333333333333333*x^2", "0.667x", "correct to the digits you gave"),
        ("x^2/3", "0.6667x", "correct to the digits you gave"),
    ],
)  # fmt: skip
def test_the_evidence_says_which_decimals_are_taken_for_rounded_numbers(
    f, claim, evidence
):
    found = check(f, claim)
    assert (found.status, found.certainty) == ("correct", "digits_given")
    assert found.evidence == evidence
