"""LaTeX on the command line: expressions, questions, claims, and the option that says what is written."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        ((r"\frac{x^2}{2}",), "d/dx = x\n"),
        ((r"\frac{d}{dx} x^3",), "d/dx = 3*x^2\n"),
        ((r"f(x) = x\sin x",), "d/dx = sin(x) + x*cos(x)\n"),
        ((r"derivative of \frac{x^2}{2}",), "d/dx = x\n"),
        (("find the derivative of $x^2$",), "d/dx = 2*x\n"),
        (("rate*x^{2}",), "∂/∂rate = x^2\n∂/∂x = 2*rate*x\n"),
        (("$xy$",), "∂/∂x = y\n∂/∂y = x\n"),
        (("--input", "latex", "xy"), "∂/∂x = y\n∂/∂y = x\n"),
        (("diff", "x^{2}", "--input=text"), "d/dx = 2*x\n"),
    ],
)
def test_formulas_are_answered(run, arguments, out):
    assert run(*arguments).out == out


def test_points_are_given_in_latex(run):
    out = run("eval", r"x^2 + \theta", "--at", r"x = \frac{1}{2}, \theta=\frac{\pi}{2}", "--format", "json").out  # fmt: skip
    assert json.loads(out)["at"] == {"x": 0.5, "theta": 1.5707963267948966}
    assert (
        run("diff", "x^3", "--at", r"x=\sqrt[3]{8}").out
        == "d/dx = 3*x^2\n  = 12 at x = 2\n"
    )


@pytest.mark.parametrize(
    ("point", "place", "message"),
    [
        (r"x=\frac{1}{", 16, "this '{' is never closed"),
        (r"x=1, \frac{1}{2}", 10, "a value needs the name of its variable"),
        (r"2x=\frac{1}{2}", 6, "only a variable can be given a value"),
        (r"x=\sin y", 6, "the value of x must be a number"),
    ],
)
def test_what_is_wrong_with_a_point_in_latex_is_shown(run, point, place, message):
    done = run("eval", "x^2", "--at", point)
    assert done.code == 2
    first, source, caret, hint = done.err.splitlines()
    assert first == f"error: {message}"
    assert point in source
    assert caret.index("^") == place + 1
    assert "hint: " in hint


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        (r"\frac{d}{dx}\{x^2\} = 2x", 0),
        (r"\frac{d}{dx} x^2 = 3x", 1),
        (r"f(x) = \sin x; f'(x) = \cos x", 0),
        (r"\sin^2 x + \cos^2 x = 1", 0),
        (r"f'(x) = \frac12", 2),
        (r"3\frac14 x", 2),
    ],
)
def test_claims_have_the_exit_codes_of_claims(run, claim, code):
    assert run(claim).code == code


def test_caret_stands_under_the_tex(run):
    result = run("eval", r"\frac{1}{2}\foo", "--at", "x=1")
    assert result.err.splitlines()[1:3] == [r"  \frac{1}{2}\foo", "             ^^^^"]


def test_error_is_json_where_the_result_would_be(run):
    result = run("eval", r"\int x", "--at", "x=1", "--format", "json")
    assert json.loads(result.err)["span"] == [0, 4]


def test_other_notations_are_refused(run):
    assert (
        "--input is latex or text, not 'mathml'" in run("x^2", "--input", "mathml").err
    )


def test_sheets_and_class_sets_take_latex(run, tmp_path):
    sheet = tmp_path / "sheet.txt"
    sheet.write_text(
        "1) \\frac{d}{dx} x^2 = 2x\n2) f(x) = \\ln x; f'(x) = \\frac{1}{x^2}\n"
    )
    assert "1 of 2 correct" in run("check", "--file", str(sheet)).out
    table = tmp_path / "class.csv"
    table.write_text("problem,answer\n\\frac{d}{dx} x^2,2x\nd/dx x^2,$2\\cdot x$\n")
    assert "2 of 2 correct" in run("check", "--file", str(table)).out


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (r"\frac{d^{22}}{dx^{22}} \sin x", "d^22/dx^22 = -sin(x)\n"),
        (r"\frac{\partial^{24}}{\partial x^{24}} \sin x", "d^24/dx^24 = sin(x)\n"),
        ("d^100/dx^100 cos(x)", "d^100/dx^100 = cos(x)\n"),
    ],
)
def test_orders_above_twenty_are_what_was_typed(run, question, answer):
    assert run(question).out == answer


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        (r"\frac{d^{22}}{dx^{22}} \sin x = -\sin x", 0),
        (r"\frac{d^{24}}{dx^{24}} \sin x = -\sin x", 1),
        (r"\frac{\partial^{22}}{\partial x^{22}} \sin x = -\sin x", 0),
        (r"{d^{22} \over dx^{22}} \sin x = -\sin x", 0),
        (r"d^{22}/dx^{22} \sin x = -\sin x", 0),
    ],
)
def test_claims_of_orders_above_twenty_are_judged(run, claim, code):
    assert run("check", claim).code == code


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (r"\frac{d^{0}}{dx^{0}} \sin x = \sin x", "from 1 to 100"),
        (r"\frac{d^{101}}{dx^{101}} \sin x = \cos x", "from 1 to 100"),
        (r"\frac{d^{3}}{dx^{2}} \sin x = -\sin x", "two different orders"),
        (r"\frac{d^{2}y}{dx} = -\sin x", "two different orders"),
        (r"{d^3 \over dx^2} \sin x = -\sin x", "two different orders"),
    ],
)
def test_claims_of_orders_without_a_meaning_are_refused(run, claim, message):
    done = run("check", claim)
    assert done.code == 2
    assert message in done.err
