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
