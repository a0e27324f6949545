"""Ranges hold every value of an expression, and say which ends belong to them."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import parse
from exprgrad.errors import ExprgradError
from exprgrad.sweeps.ranges import ALL, Range, everything, is_empty, values
from tests.strategies import ROWS, applied, regular_points, texts


def over(text, ends=None, numbers=None):
    """The range of an expression, as text."""
    f = parse(text)
    of = {n: everything() if ends is None else Range(*ends) for n in f.variables}
    return repr(values(f.tape, of, *([numbers] if numbers else [])))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x^2 + 1", "[1, inf)"),
        ("exp(-x)", "(0, inf)"),
        ("1/(1 + x^2)", "(0, 1]"),
        ("x*x", "[0, inf)"),
        ("x*y", "(-inf, inf)"),
        ("x - x", "[0, 0]"),
        ("7 + 0*x", "[7, 7]"),
        ("ln(1 + x^2)", "[0, inf)"),
        ("sqrt(1 + x^2)", "[1, inf)"),
        ("sigmoid(x)", "(0, 1)"),
        ("tanh(x)^2", "[0, 1)"),
        ("max(x^2, 3)", "[3, inf)"),
        ("|x| + y^2", "[0, inf)"),
        ("sin(x) + 1", "[0, 2]"),
        ("if(x > 0, 1, 2)", "[1, 2]"),
        ("(3x - 1)^2 + 1/7", "[0.142857, inf)"),
    ],
)
def test_ranges_of_school_expressions(text, expected):
    assert over(text) == expected


@pytest.mark.parametrize("text", ["1/x", "|x|", "ln(x)", "floor(x)", "sqrt(x)", "x^x"])
def test_what_may_be_undefined_or_have_a_kink_has_no_range_for_all(text):
    assert over(text, None, ALL) == "None"
    assert over(text, (0, math.inf), ALL) == "None"


@pytest.mark.parametrize("text", ["1/x", "|x|", "ln(x)", "sqrt(x)", "x^x", "x^2.5"])
def test_it_has_one_where_all_of_it_is_defined(text):
    assert over(text, (2, math.inf), ALL) != "None"


def test_an_exponent_that_is_no_double_is_in_the_bound_of_a_power():
    f = parse("x^1.0000000000000001")
    size = Fraction(10) ** 300
    found = values(f.tape, {"x": Range(0, size)})
    # ln(10^300) is 690
    assert found.high >= size * (1 + Fraction(690, 10**16))


@pytest.mark.parametrize(
    "text",
    [
        "asin(x^2 + 2)", "sqrt(-1 - x^2)", "ln(-|x| - 1)", "1/(x - x)", "x + sqrt(-2)", "atanh(cosh(x))",
        "asin(2)^y", "erf(e^x - e^x)^(-1/3)", "if(2 > 1, ln(0), x)", "0*ln(0)",
    ],
)  # fmt: skip
def test_what_has_no_value_anywhere_is_shown_to_be_empty(text):
    assert is_empty(parse(text).tape)


@pytest.mark.parametrize(
    "text",
    [
        "asin(x^2 + 1)", "ln(step(x))", "if(x > 1, 2, ln(0))", "if(1 > 2, ln(0), x)", "sinc(x - x)", "0^x",
        "acosh(sin(x))", "sqrt(-x^2)", "min(ln(x), -1)", "x > 1 and ln(x) > 0",
    ],
)  # fmt: skip
def test_what_has_a_value_somewhere_is_never_shown_to_be_empty(text):
    assert not is_empty(parse(text).tape)


@given(texts(), st.randoms(use_true_random=False))
def test_nothing_that_is_shown_to_be_empty_has_a_value(text, drawn):
    f = parse(text)
    if is_empty(f.tape):
        for _ in range(20):
            at = {n: drawn.choice([*PLACES, drawn.uniform(-9, 9)]) for n in f.variables}
            with pytest.raises(ExprgradError):
                f.evaluate(at, ())


@given(texts(), st.randoms(use_true_random=False))
def test_every_value_lies_in_the_range(text, drawn):
    f = parse(text)
    ends = {n: sorted(drawn.choice(PLACES) for _ in "ab") for n in f.variables}
    found = values(f.tape, {n: Range(low, high) for n, (low, high) in ends.items()})
    for _ in range(5):
        at = {n: drawn.uniform(low, high) for n, (low, high) in ends.items()}
        at = {n: drawn.choice([x, *ends[n]]) for n, x in at.items()}
        holds(f, at, found)


PLACES = (-3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0, 10.0)


def holds(f, at, found):
    try:
        known = f.evaluate(at, ())
    except ExprgradError:
        return
    if found is not None and known.value is not None:
        value, error = Fraction(known.value), Fraction(known.error)
        low, high = value - error, value + error
        assert found.low <= high, (f.source, at, found)
        assert low <= found.high, (f.source, at, found)
        if not known.error:
            assert Fraction(known.value) in found, (f.source, at, found)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_keeps_to_its_range(row):
    drawn = random.Random(row.name)
    f = applied(row)
    for point in regular_points(row)[:12]:
        width = drawn.choice([0.0, 0.5, 3.0])
        at = dict(zip(f.variables, point, strict=True))
        holds(
            f,
            at,
            values(f.tape, {n: Range(x - width, x + width) for n, x in at.items()}),
        )
        holds(f, at, values(f.tape, {n: everything() for n in at}))
