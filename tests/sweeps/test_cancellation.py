"""Partials whose contributions cancel: found by the sweep, computed again with more digits."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exprgrad.errors import DomainError
from exprgrad.expressions.comparison import reference
from exprgrad.expressions.expression import parse
from exprgrad.sweeps import precise
from exprgrad.views.evaluation import cancellation_notes
from tests.strategies import CASES

ROUNDING = 2.0**-52

CANCELLING = [
    ("exp(x) - (1 + x + x^2/2 + x^3/6)", {"x": 0.001}),
    ("sqrt(1e4 + x) - sqrt(1e4 - x) - 0.01 x", {"x": 3}),
    ("(x + 1e-7)^3 - x^3 - y", {"x": 2.5, "y": 1}),
    ("tan(x) - x - x^3/3", {"x": 0.02}),
    ("ln(cosh(x)) - x + y^2", {"x": 12.5, "y": 3}),
    ("if(x > 0, sinh(x) - x, cosh(x))", {"x": 0.01}),
    ("mod(x, 3) - sin(x - 3)", {"x": 3.01}),
]

ZEROS = ["tan(x) - sin(x)/cos(x)", "ln(x^3) - 3 ln(x)", "(x + 0.1)^2 - x^2 - 0.2 x"]


@pytest.fixture
def asked(monkeypatch):
    """How many variables were computed again, call by call."""
    calls = []
    recomputed = precise.recomputed

    def spy(tape, primals, at, cancelled):
        calls.append(len(cancelled))
        return recomputed(tape, primals, at, cancelled)

    monkeypatch.setattr(precise, "recomputed", spy)
    return calls


@pytest.mark.parametrize(("text", "at"), CANCELLING)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_partials_that_cancel_are_right_to_the_last_digit(text, at, mode):
    expression = parse(text)
    result, exact = expression.evaluate(at, mode=mode), reference(expression, at)
    assert list(result.cancelled) == ["x"]
    for name, partial in result.gradient.items():
        assert partial == pytest.approx(float(exact[name]), rel=ROUNDING)
    before = result.cancelled["x"]
    error = abs(before.partial - exact["x"]) / abs(exact["x"])
    assert error < 10.0 ** (before.lost - 13)
    assert before.lost >= 3


@pytest.mark.parametrize("text", ZEROS)
@given(x=st.floats(0.01, 1.5))
def test_a_partial_that_is_truly_zero_is_zero_or_less_than_a_rounding(text, x):
    result = parse(text).evaluate({"x": x})
    size = 1e3 * max(map(abs, result.primals))
    assert abs(result.gradient["x"]) <= ROUNDING * size
    if result.cancelled:
        assert result.gradient["x"] == 0 != result.cancelled["x"].partial


def test_a_slope_of_an_inverse_of_an_inverse_cancels_to_zero():
    result = parse("b*x - atanh(tanh(a + b*x))").evaluate(
        {"a": 1.5, "b": 2.84375, "x": 0.71875}
    )
    assert result.gradient == {"a": pytest.approx(-1), "b": 0, "x": 0}
    assert set(result.cancelled) == {"b", "x"}
    assert result.value == pytest.approx(-1.5, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("x - x", {"x": 0.3}),
        ("sin(x)^2 + cos(x)^2", {"x": 0.7}),
        ("x^2 - 2x + 1", {"x": 1}),
        ("(a*b + c)^2", {"a": 2, "b": 3, "c": 1}),
        ("1000 x - 990 x", {"x": 0.3}),
        ("|x| - x", {"x": 0}),
    ],
)
def test_exact_and_harmless_sums_are_not_computed_again(text, at, asked):
    result = parse(text).evaluate(at)
    assert (asked, dict(result.cancelled)) == ([], {})


def test_what_hangs_on_the_last_digit_of_the_point_is_left_as_it_is(asked):
    expression = parse("sin(x) + cos(x)")
    result = expression.evaluate({"x": math.pi / 4})
    assert asked == [1]
    assert abs(result.gradient["x"]) <= ROUNDING
    assert result.gradient["x"] == result.adjoints[expression.tape.variables["x"]]
    assert dict(result.cancelled) == {}


@given(CASES)
def test_gradients_without_cancellation_are_those_of_the_sweep(case):
    text, at = case
    expression = parse(text)
    at = {name: at[name] for name in expression.variables}
    try:
        plain = expression.evaluate(at, refine=False)
    except DomainError:
        assume(False)
    result = expression.evaluate(at)
    assert not plain.cancelled
    for name, partial in plain.gradient.items():
        before = result.cancelled.get(name)
        assert partial == (before.partial if before else result.gradient[name])
    assert (plain.value, plain.adjoints) == (result.value, result.adjoints)


@pytest.mark.parametrize(
    "text",
    [
        "if(0.1 + 0.2 > 0.3, exp(x) - 1 - x, 7x)",  # equal, in decimals
        "exp(x) - 1 - x + |0.1 + 0.2 - 0.3 - 3e-17 - x^9|",
        "exp(x) - 1 - x + floor((0.1 + 0.7)*10 + 1e-20)",
        "exp(x) - 1 - x + mod(4.35*100, 1)",
        "exp(x) - 1 - x + asin(0.1 + 0.7 + 0.2)",
        "exp(x) - 1 - x + lgamma(3.5)",  # slow
        "exp(x) - 1 - x" + " + 1" * 1200,  # long
    ],
)
def test_where_more_digits_lead_elsewhere_or_take_long_the_sweep_is_left(text, asked):
    expression = parse(text)
    result = expression.evaluate({"x": 1e-4})
    plain = expression.evaluate({"x": 1e-4}, refine=False)
    assert (result.gradient, dict(result.cancelled)) == (plain.gradient, {})
    assert asked == [1]


def test_precision_that_was_set_for_mpmath_does_not_matter_and_stays():
    expression, at = parse(CANCELLING[0][0]), CANCELLING[0][1]
    expected = expression.evaluate(at).gradient
    with mpmath.workdps(5):
        assert expression.evaluate(at).gradient == expected
        assert mpmath.mp.dps == 5


def test_a_note_says_what_was_computed_again_where_it_shows():
    shown = parse("exp(x) - 1 - x").evaluate({"x": 1e-9})
    assert cancellation_notes(shown, False) == [
        "∂/∂x: contributions cancel in 8 digits, so it was computed with 50"
    ]
    zero = parse("tan(x) - sin(x)/cos(x)").evaluate({"x": 0.7})
    assert cancellation_notes(zero, False) == [
        "∂/∂x: contributions cancel to 0; rounding alone would leave -2.22e-16"
    ]


def test_a_trace_has_the_note_whenever_its_sum_is_not_the_partial():
    result = parse("exp(x) - 1 - x").evaluate({"x": 1e-4})
    assert cancellation_notes(result, False) == []
    assert cancellation_notes(result, True) == [
        "∂/∂x: contributions cancel in 4 digits, so it was computed with 50",
        "the trace shows double precision, which gives ∂/∂x = 0.0001000050002",
    ]


def test_the_notes_name_the_first_variables_and_count_the_others():
    names = [f"x{i}" for i in range(8)]
    text = " + ".join(f"tan({n}) - sin({n})/cos({n})" for n in names)
    found = parse(text).evaluate(dict.fromkeys(names, 0.7))
    notes = cancellation_notes(found, False)
    assert len(notes) == 6
    assert notes[0].startswith("∂/∂x0: contributions cancel to 0")
    assert notes[-1] == "and so do those to 3 more partials"
