"""LaTeX in sessions: definitions, values, claims and commands."""

from __future__ import annotations

import pytest

from exprgrad import ExprgradError, Session
from exprgrad.session.formulas import in_text


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (r"f(x) = x^2\sin x", "f(x) = x^2*sin(x)"),
        (r"g(x, y) = \frac{x}{y}", "g(x, y) = x/y"),
        (r"a_{1} = \sqrt2", "a_1 = sqrt(2)"),
        (r"\frac{a}{2} at a=3", "a/2 at a=3"),
        ("rate*x^{2}", "rate*x^{2}"),
        ("$xy$", "x*y"),
    ],
)
def test_statements_in_latex_are_those_of_the_language(typed, text):
    assert in_text(typed, ()) == text


def test_names_of_a_session_are_used_in_latex_and_defined_by_it():
    session = Session()
    for typed in (r"f(x) = x^2\cdot\frac12", r"a = \frac{3}{2}"):
        list(session.run(typed))
    [shown] = session.run(r"\sqrt{x}\,a at x=4")
    assert shown.evaluation.value == 3.0
    [called] = session.run("f(2)")
    assert called.evaluation.value == 2.0


def test_prime_on_the_left_is_refused_with_its_place():
    with pytest.raises(ExprgradError) as caught:
        in_text(r"f'(x) = 2\cdot x", ())
    assert caught.value.span == (0, 5)
