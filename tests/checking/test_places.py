"""Places where parts reach levels, exactly: fractions, roots, values of functions; and looks at them."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest

import exprgrad
from exprgrad.checking import domain
from exprgrad.checking.domain import tape_of
from exprgrad.checking.levels import Levels
from exprgrad.checking.places import (
    applied,
    graph_of,
    near,
    placed,
    rational_root,
    valued,
    written,
)
from exprgrad.expressions.expression import parse
from exprgrad.notation.text import to_text
from exprgrad.operations.table import ADD, DIV, SQRT
from exprgrad.sweeps.coordinates import ExactPlace
from exprgrad.sweeps.precise import Probe


def places(text: str, level: float = 0.0) -> list[float]:
    found, mixed = Levels(tape_of(parse(text).root), "x", {"y": 3.0}).solve(level)
    assert not mixed
    return sorted(found)


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("9973*x - 44237", 0.0, ["44237/9973"]),
        ("x^2 - 11", 0.0, ["-sqrt(11)", "sqrt(11)"]),
        ("x^2 + 2x - 11", 0.0, ["-1 - sqrt(12)", "-1 + sqrt(12)"]),
        ("9x^2 - 4", 0.0, ["-2/3", "2/3"]),
        ("x^3 - 2", 0.0, ["root(2, 3)"]),
        ("x^3 - x - 6", 0.0, ["2"]),
        ("x^4 - 5x^2 + 6", 0.0, ["-sqrt(3)", "-sqrt(2)", "sqrt(2)", "sqrt(3)"]),
        ("(x - 1/9973)^3*(x^2 + 1)", 0.0, ["1/9973"]),
        ("2^x", 8.0, ["3"]),
        ("2^x", 7.0, ["ln(7)/ln(2)"]),
        ("exp(x) - 2", 0.0, ["ln(2)"]),
        ("ln(x) - 2", 0.0, ["exp(2)"]),
        ("tanh(2*x)", 0.5, ["atanh(1/2)/2"]),
        ("x^(1/3) - 2", 0.0, ["8"]),
        ("x - pi", 0.0, ["pi"]),
        ("3*(x - sqrt(2))^2 - 3", 0.0, ["-1 + sqrt(2)", "1 + sqrt(2)"]),
        ("x*y - 1", 0.0, ["1/3"]),
        ("x - 10^400", 0.0, ["1" + "0" * 400]),
        ("1/(1 + (x + 3)^2)", 1.0, ["-3"]),
        ("atanh(1 + 3/x)", 0.5, ["-3/(-(tanh(1/2) - 1))"]),
    ],
)
def test_places_are_exact(text, level, expected):
    found = [to_text(graph_of(x)).replace("e^2", "exp(2)") for x in places(text, level)]
    assert found == expected


def test_places_closer_than_doubles_are_two():
    low, high = sorted(places("abs(x - 5/2) - 1/(5*10^19)"), key=near)
    assert float(low) == float(high) == 2.5
    assert near(high) - near(low) == Fraction(2, 5 * 10**19)


def test_a_double_is_no_other_place():
    third = applied(DIV, 1.0, 3.0)
    assert isinstance(third, ExactPlace)
    assert third == placed(Fraction(1, 3))
    assert hash(third) == hash(placed(Fraction(1, 3)))
    assert third != 1 / 3
    assert applied(ADD, third, applied(DIV, 1.0, 6.0)) == 0.5
    assert type(placed(Fraction(1, 4))) is float


def test_places_are_told_as_they_can_be_typed():
    assert written(applied(SQRT, 2.0)) == "sqrt(2)"
    assert written(placed(Fraction(1, 3))) == "1/3"
    assert written(placed(Fraction(10**310))) == "1.0e+310"
    close = placed(Fraction(10**50 + 1, 4 * 10**50))
    assert written(close) == "0.25" + "0" * 48 + "25"


def test_a_look_at_a_place_is_exact_about_branches():
    def value(text: str) -> float | None:
        tape = parse(text).tape
        return Probe(tape).floats({"x": applied(SQRT, 2.0)}).value

    assert value("if(x^2 == 2, 1, 0)") == 1
    assert value("if(x^2 == 2 + 10^-60, 1, 0)") == 0
    assert value("sign(x^4 - 4)") == 0
    assert value("1/(x^2 - 2)") is None
    assert Probe(parse("abs(x^2 - 2)").tape, "x").floats(
        {"x": applied(SQRT, 2.0)}
    ).slope is None  # fmt: skip
    slope = Probe(parse("x^2").tape, "x").precise({"x": applied(SQRT, 2.0)}, 60).slope
    assert abs(slope**2 - 8) < 1e-58


def test_numbers_beyond_doubles_overflow_a_look_in_doubles_alone():
    probe, far = Probe(parse("x^2").tape), placed(Fraction(10**200 + 1, 3))
    assert probe.floats({"x": far}).overflow
    assert probe.precise({"x": far}, 50).value > 1e300


@pytest.mark.parametrize(("part", "far"), [("erfc(x)", 1e4), ("gamma(x)", 1e15)])
def test_a_place_is_not_refined_by_values_that_fill_the_memory(part, far):
    line = domain.Line(exprgrad.parse(part).tape, "x", {})
    assert line.refined(far, 1.0) == far


@pytest.mark.parametrize("tiny", ["exp(-exp(30))", "exp(-10^9)"])
def test_no_place_is_looked_for_that_no_fraction_is_next_to(tiny):
    assert exprgrad.check(f"x*sign(x - {tiny})", "sign(x)", "x").status == "incorrect"
    with pytest.raises(OverflowError):
        valued(parse(tiny).root, 0.0)


@pytest.mark.slow
def test_a_slope_whose_sweep_overflows_on_the_way_is_not_missing():
    look = Probe(parse("1/sinh(x^3)^(n - 1)").tape, "x").floats({"x": 0.3, "n": 160.0})
    assert look.slope is None
    assert look.overflow
    claim = "1/sinh(x^3)^(n - 1) + C"
    integrand = "(1 - n)*3*x^2*cosh(x^3)*sinh(x^3)^(-n)"
    found = exprgrad.check(integrand, claim, "x", kind="antiderivative")
    assert found.status == "correct"


def test_the_root_of_a_fraction_is_exact_and_needs_no_flint_where_the_fraction_is_short(
    monkeypatch,
):
    long = Fraction(10**20 + 1, 3)
    assert rational_root(long**3, 3) == long
    assert rational_root(long**3 + 1, 3) is None
    monkeypatch.setitem(sys.modules, "flint", None)
    for root in (Fraction(0), Fraction(2, 3), Fraction(2**14 - 1), Fraction(7, 16)):
        assert rational_root(root**2, 2) == root
        assert rational_root(-(root**3) / 8, 3) == -root / 2
    assert rational_root(Fraction((2**25 - 1) ** 2), 2) == 2**25 - 1
    assert rational_root(Fraction(2**48 + 1), 2) is None
    assert rational_root(Fraction(-8, 9), 3) is None
