"""LaTeX in sessions: definitions, values, claims and commands."""

from __future__ import annotations

import pytest

from exprgrad import ExprgradError, Session
from exprgrad.session.formulas import in_text
from exprgrad.views.session import blocks


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


def written(*lines: str) -> str:
    """What the last of some lines prints, where formulas are written as LaTeX."""
    session = Session()
    for line in (":set format latex", *lines):
        shown = list(session.run(line))
    found = (block for result in shown for block in blocks(result, session.settings))
    return "\n".join(text for block in found for text in block.texts)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("f(x) = x^2/2", "f(3)"), r"\[ \frac{3^{2}}{2} = 4.5 \]"),
        (("x^2 at x=3",), r"\[ \frac{d}{dx} \left(x^{2}\right) = 6 \]"),
        (("x^2 at x=0:1:3",), r"$0.5$ & $0.25$ & $1$ \\"),
        ((":check x^2, 3x",), r"\textbf{incorrect}: $3 x$ is not"),
        (("f(x) = x^2", "f'(x) = 2x"), r"\textbf{correct}: $2 x$ is $\frac{d}{dx}"),
        (("(x+1)^2 = x^2+2x+1",), r"$(x + 1)^{2}$ and $x^{2} + 2 x + 1$."),
        ((":hessian x^2*y at x=1,y=2",), r"$\frac{\partial}{\partial x}$ & $4$ & $2$"),
        (("sum(x*[1,2]) at x=[3,4]",), r"$x$ & $[3, 4]$ & $[1, 2]$ \\"),
    ],
)
def test_answers_and_verdicts_follow_the_format_that_is_set(lines, expected):
    assert expected in written(*lines)
