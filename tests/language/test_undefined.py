"""Functions that nobody has defined: their derivatives, and that they have no values."""

from __future__ import annotations

import pickle

import pytest

import exprgrad
from exprgrad.cli.start import run
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.graph.unknown import function
from exprgrad.language.undefined import keeping


def derivative(text, *wrt):
    """The derivative as text, which has to be read as the same again."""
    with keeping():
        found = exprgrad.parse(text).derivative(*wrt)
        again = exprgrad.parse(str(found))
    assert str(again) == str(found)
    return str(found)


@pytest.mark.parametrize(
    ("text", "wrt", "wanted"),
    [
        ("f(g(x))", "x", "f'(g(x))*g'(x)"),
        ("f(g(x))", "xx", "f''(g(x))*g'(x)^2 + f'(g(x))*g''(x)"),
        ("f(x)*g(x)", "x", "f'(x)*g(x) + f(x)*g'(x)"),
        ("f(x)/g(x)", "x", "(g(x)*f'(x) - f(x)*g'(x))/g(x)^2"),
        ("f(x(t), y(t))", "t", "∂f/∂x(x(t), y(t))*x'(t) + ∂f/∂y(x(t), y(t))*y'(t)"),
        ("f(x, y)", "xxy", "∂^3f/∂x^2∂y(x, y)"),
        ("f(2x, x^2)", "x", "2*∂f/∂u1(2*x, x^2) + 2*x*∂f/∂u2(2*x, x^2)"),
        ("b + c*a[b + w*x]", "x", "c*w*a'(w*x + b)"),
        ("φ(x)^2", "x", "2*φ(x)*φ'(x)"),
        ("f'(x)*x", "x", "x*f''(x) + f'(x)"),
        ("a(x-h)^2 + k", "x", "2*a*(x - h)"),
        ("f(x) + f", "x", "f"),
    ],
)
def test_derivatives(text, wrt, wanted):
    assert derivative(text, *wrt) == wanted


CLAIMS = [
    ("f(g(x))", "g'(x)*f'(g(x))", "correct"),
    ("f(g(x))", "f'(g(x))", "incorrect"),
    ("f(g(x))", "f'(x)*g'(x)", "incorrect"),
    ("f(x)*g(x)", "f'(x)g(x) + f(x)g'(x)", "correct"),
    ("f(x)*g(x)", "f'(x)*g'(x)", "incorrect"),
    ("f(x)/g(x)", "f'(x)/g'(x)", "incorrect"),
    ("f(x)/g(x)", "(f'(x)g(x) - f(x)g'(x))/g(x)^2", "correct"),
    ("f(x)^2", "2f(x)", "incorrect"),
    ("ln(f(x))", "f'(x)/f(x)", "correct"),
    ("f(x)", "f(x)", "incorrect"),
    ("sin(f(x))", "cos(f(x))*f'(x)", "correct"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "claim", "status"), CLAIMS)
def test_claims(text, claim, status):
    assert exprgrad.check(text, claim, wrt="x").status == status
    said = exprgrad.ask(f"d/dx({text}) = {claim}").as_dict()
    assert said["judged"] == status


def test_what_is_right_is_proved_and_what_is_wrong_tells_no_numbers():
    right = exprgrad.check("f(g(x))", "f'(g(x))*g'(x)")
    assert right.certainty == "proved"
    wrong = exprgrad.check("f(g(x))", "f'(g(x))")
    assert wrong.counterexample is None
    assert not any(character.isdigit() for character in wrong.evidence)


def test_they_have_no_values_anywhere():
    asked = exprgrad.parse("d/dx f(g(x))")
    for refused in (
        lambda: asked(x=2),
        lambda: asked.evaluate({"x": 2}),
        lambda: asked.plot(),
        lambda: asked.compile()(2),
        lambda: exprgrad.ask("d/dx f(g(x)) at x=2"),
        lambda: exprgrad.check("f(x)", "f'(x)", at={"x": 2}),
        lambda: exprgrad.ask("f(2)"),
        lambda: exprgrad.ask("critical points of f(x)"),
    ):
        with pytest.raises(ExprgradError, match="is not defined"):
            refused()


def test_each_is_one_operation_that_copies_are_too():
    row = function("f", ("x",), (2,))
    assert function("f", ("x",), (2,)) is row
    assert pickle.loads(pickle.dumps(row)) is row
    with pytest.raises(UsageError, match="f is not defined"):
        row(2.0)


def test_whatever_d_is_a_derivative_of_a_call_is_one():
    session = exprgrad.Session()
    for line in ("a = 2", "b = 3", "c = a*b", "d = c + b"):
        session.run(line)
    (said,) = session.run("d/dt f(x(t))")
    assert "f'(x(t))*x'(t)" in str(said.as_dict())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(x)=x^2; h(x) = f'(2x) + x; h'(x)", "f' is not written out here"),
        ("f(x) = x f(x)", "f stands in its own formula"),
    ],
)
def test_a_function_that_is_defined_is_not_taken_for_one_that_nobody_has(
    text, message, capsys
):
    assert run(["diff", text]) == 2
    assert message in capsys.readouterr().err


def test_a_slope_by_itself_is_one_in_sessions_too():
    session = exprgrad.Session()
    (found,) = session.run("f'(x+1)")
    assert found.as_dict()["derivatives"] == {"x": "f''(x + 1)"}
    session.run("f(x) = x^3")
    (found,) = session.run("f'(x+1)")
    assert found.as_dict()["derivatives"] == {"x": "6*(x + 1)"}
    with pytest.raises(ExprgradError, match="there is no function g"):
        session.run("g'(3)")


@pytest.mark.parametrize(
    ("problem", "answer"), [("d/dx f()", "x"), ("d/dx f(x)", "f()")]
)
def test_an_undefined_function_without_arguments_is_refused(problem, answer, capsys):
    assert run(["check", problem, answer]) == 2
    assert "f needs an argument" in capsys.readouterr().err
