"""LaTeX in sessions: definitions, values, claims and commands."""

from __future__ import annotations

import pytest

from exprgrad import ExprgradError, Session
from exprgrad.checking.check import equivalent
from exprgrad.session.formulas import in_text
from exprgrad.session.screen import blocks


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


def test_the_last_result_is_used_in_latex():
    session = Session()
    session.run("x^2")
    [halved] = session.run(r"\frac{ans}{2}")
    assert str(halved.derivatives.expression) == "x^2/2"


@pytest.mark.parametrize("left", [r"\frac{d}{dx} y^{(3)}", r"\frac{d}{dx} y'"])
def test_what_is_left_of_an_equals_sign_is_not_lost(left):
    session = Session(files=False)
    session.run("y = x^3")
    with pytest.raises(ExprgradError, match="'=' does not belong"):
        session.run(f"{left} = 2x")


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


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (r"\frac{f(x)}{2} at x=3", 4.5),
        (r"f'(3)\cdot\frac12", 3.0),
        (r"f''\left(\frac12\right)^{2}", 4.0),
        (r"f^{(2)}(x)\cdot x at x=3", 6.0),
        (r"f^{\prime}(3)\cdot 2", 12.0),
        (r"f^{2}(x) at x=3", 81.0),
        (r"\sqrt{f(f(x))} at x=3", 9.0),
        (r"\frac{d}{dx} x\,f(x) at x=2", 12.0),
        (r"\frac{d^2}{dx^2}\left\{f(x)^2\right\} at x=1", 12.0),
        (r"\mathrm{area}(2)\cdot\frac12", 6.0),
        (r"p(1, 2)\cdot\frac12", 1.5),
    ],
)
def test_functions_of_a_session_are_called_and_differentiated(line, value):
    session = Session()
    for definition in ("f(x) = x^2", "area(r) = 3r^2", "p(a, b) = a + b"):
        list(session.run(definition))
    [found] = session.run(line)
    assert found.evaluation.value == value


def test_calls_in_latex_follow_a_new_definition():
    session = Session()
    for typed in ("f(x) = x^2", r"g(t) = \frac{f(t)+f'(t)}{2}", "f(x) = x^3"):
        list(session.run(typed))
    [found] = session.run("g(2)")
    assert found.evaluation.value == 10.0


def test_parameter_that_is_named_like_a_function_is_a_variable():
    session = Session()
    for typed in ("f(x) = x^2", r"g(f) = \frac{f}{2}"):
        list(session.run(typed))
    [found] = session.run("g(3)")
    assert found.evaluation.value == 1.5


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        (r"\frac{f'}{2}", (6, 8), "f is a function"),
        (r"\frac12 f^{-1}(x)", (8, 17), "f^{-1} can be read in two ways"),
    ],
)
def test_function_without_its_argument_is_refused(line, place, message):
    session = Session()
    list(session.run("f(x) = x^2"))
    with pytest.raises(ExprgradError) as caught:
        list(session.run(line))
    assert caught.value.message == message
    assert caught.value.span == place


@pytest.mark.parametrize(
    ("line", "derivative"),
    [
        (r"\frac{f_b(a, b)}{2}", "a*b"),
        (r"\frac12\frac{\partial f}{\partial b}", "a*b"),
        (r"\frac12 f_{ab}(a, b)", "b"),
        (r"\frac{g_\beta(\alpha, \beta)}{2}", "alpha*beta"),
    ],
)
def test_a_partial_derivative_within_a_formula_is_not_the_function(line, derivative):
    session = Session()
    session.run("f(a, b) = a*b^2")
    session.run(r"g(\alpha, \beta) = \alpha\beta^2")
    [shown] = session.run(line)
    assert equivalent(shown.derivatives.expression, derivative).status == "equal"
