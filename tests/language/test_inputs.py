"""What programs pass to the public functions by mistake: one error of the library, which says what was expected."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import exprgrad
from exprgrad import ExprgradError, Session, check, equivalent, parse
from exprgrad.errors import BindingError, UsageError
from exprgrad.language.inputs import number_text

NO_TEXTS = (None, b"x^2", 3.0, float("nan"), 1j, [], {}, object(), np.array([1.0, 2.0]))
F = parse("x^2")


@pytest.mark.parametrize("thing", NO_TEXTS, ids=lambda t: type(t).__name__)
@pytest.mark.parametrize(
    "call",
    [
        parse,
        lambda t: check(t, "2x"),
        lambda t: equivalent(t, "2x"),
        lambda t: equivalent("2x", t),
        lambda t: F.derivative(t),
    ],
)
def test_what_is_not_a_text_is_refused(call, thing):
    with pytest.raises(UsageError, match=r"(is a text|are texts), not"):
        call(thing)


@pytest.mark.parametrize("thing", [None, b"2x", float("nan"), 1j, object()])
def test_what_is_not_a_claim_is_refused(thing):
    with pytest.raises(UsageError, match="a claim is"):
        check("x^2", thing)


@pytest.mark.parametrize("claim", [[], (), {}])
def test_no_answer_at_all_is_refused(claim):
    with pytest.raises(UsageError, match="0 answers for 1 variable"):
        check("x^2", claim)


@pytest.mark.parametrize("order", [0, -1, 1.5, True, "2", 10**400])
@pytest.mark.parametrize(
    "call",
    [
        lambda n: check("x^2", "2x", order=n),
        lambda n: F.derivative("x", order=n),
    ],
)
def test_what_is_not_an_order_is_refused(call, order):
    with pytest.raises(UsageError, match="order is a whole number"):
        call(order)


@pytest.mark.parametrize("at", [None, 3.0, [1.0], "x=2", b"x"])
def test_what_is_not_a_point_is_refused(at):
    with pytest.raises(UsageError, match="a point gives values by name"):
        F.evaluate(at)


@pytest.mark.parametrize(
    "number",
    [None, b"2", 1j, [1j], np.array([1j, 2]), {}, "two", float("inf"), 10**400],
)
def test_what_is_not_a_number_is_refused(number):
    with pytest.raises(ExprgradError):
        F.evaluate({"x": number})


@pytest.mark.parametrize("digits", [0, -3, 2.5, None, "ten", 10**9])
def test_digits_are_a_whole_number(digits):
    with pytest.raises(UsageError, match="the number of digits"):
        F.evaluate({"x": 1.0}, digits=digits)


@pytest.mark.parametrize("mode", ["backward", None, 1, np.array([1.0, 2.0])])
def test_a_mode_is_one_of_two(mode):
    with pytest.raises(UsageError, match="a mode is reverse or forward"):
        F.evaluate({"x": 1.0}, mode=mode)


def test_a_variable_may_have_any_name():
    f = parse("self + at + order", ["self", "at", "order"])
    assert f(self=1.0, at=2.0, order=3.0) == 6
    assert f.compile()(1.0, 2.0, 3.0)[0] == 6


@pytest.mark.slow
def test_derivatives_of_polynomials_end():
    assert str(F.derivative("x", order=10_000)) == "0"


def test_a_session_takes_texts():
    with pytest.raises(ExprgradError):
        Session().run(b"x")  # type: ignore[arg-type]


def test_every_public_name_exists():
    assert all(getattr(exprgrad, name) is not None for name in exprgrad.__all__)


@pytest.mark.parametrize("name", [None, 1, ("x",)])
def test_a_name_in_a_point_that_is_not_a_text_is_refused(name):
    for call in (F.evaluate, F.hessian):
        with pytest.raises(ExprgradError, match="is a text, not"):
            call({"x": 1, name: 2})


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (2**60 + 1, "1152921504606846977"),
        (np.int64(2**60 + 1), "1152921504606846977"),
        (Fraction(-1, 3), "-1/3"),
        (Decimal("0.3330"), "0.333"),
        (Decimal("-1.00000000000000000001"), "-1.00000000000000000001"),
        (0.1, "0.1"),
        (-1e22, "-1e+22"),
        (np.float32(0.5), "0.5"),
        (True, "1"),
    ],
)
def test_a_number_is_written_so_that_it_reads_back(number, text):
    assert number_text(number) == text


@pytest.mark.parametrize("number", ["1e99999999", "-1e-99999999"])
def test_a_decimal_with_too_many_digits_is_refused_before_they_are_written_out(number):
    for value in (number, Decimal(number)):
        with pytest.raises(BindingError, match="more than 100,000 digits"):
            parse("x^2").evaluate({"x": value})
    with pytest.raises(UsageError, match="more than 100,000 digits"):
        check("x", Decimal(number))
    assert parse("x^2").evaluate({"x": "0e99999999"}).value == 0


def test_a_value_that_depends_on_a_variable_is_refused():
    with pytest.raises(BindingError, match="must be a number"):
        check("x^2", "2x", at={"x": "a + 1"})


def test_a_point_gives_a_name_one_value():
    with pytest.raises(UsageError, match="given twice"):
        check("x^2", "2x", at="x=1, x=2")
