"""`exprgrad check --work`: what is printed for a worked solution, and the exit codes."""

from __future__ import annotations

import io
import json
import shlex
import sys

import pytest

from exprgrad.checking.work.sheet import read_work
from exprgrad.cli.start import run
from exprgrad.views.layout import lines
from exprgrad.views.verdicts import Detail, WorkView

GOOD = "f(x) = x^2 sin x\nSo f'(x) = (x^2)' sin x + x^2 (sin x)'\n   = 2x sin x + x^2 cos x\n"
BAD = GOOD + "   = x(2 sin x - x cos x)\n   = 2x sin x - x^2 cos x\n"


@pytest.fixture
def check(capsys, monkeypatch):
    """Judge a text from standard input, with options; the exit code and both streams."""

    def runs(text: str, options: str = "", width: int = 80) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = run(["check", *shlex.split(options), "--work", "-"])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return runs


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("y = u^5\nu = 3x+1\ndy/dx = dy/du du/dx = 5u^4*3 = 15(3x+1)^4", 0),
        ("y = u^5\nu = 3x+1\ndy/du = 5u^4\ndu/dx = 3\ndy/dx = 15(3x+1)^4", 0),
        ("y = u^5\nu = 3x+1\ndy/dx = dy/du du/dx = 5u^4 = 5(3x+1)^4", 1),
        ("A = pi r^2\nr = 3t\ndA/dt = 18 pi t", 0),
        ("y = u v\nu = x^2\nv = sin x\ndy/dx = u dv/dx + v du/dx = x^2 cos x + 2x sin x", 0),
        ("f(x) = e^(2x), g(x) = sin x\n(f∘g)'(x) = 2e^(2sin x) cos x", 0),
        ("f(x) = e^(2x), g(x) = sin x\n(f∘g)'(x) = 2e^(2sin x)", 1),
        ("f(x) = x sin u\nu = x^2\nf'(x) = sin u + 2x^2 cos u", 3),
    ],
)  # fmt: skip
def test_names_of_the_problem_are_those_that_the_lines_below_define(check, lines, code):
    assert check(lines)[0] == code


def test_every_line_has_a_mark_and_the_end_says_whether_the_answer_is_right(check):
    assert check(GOOD) == (
        0,
        "d/dx of x^2 sin x\n"
        "  2 ✓ So f'(x) = (x^2)' sin x + x^2 (sin x)'\n"
        "  3 ✓ = 2x sin x + x^2 cos x\n"
        "✓ every line follows, and the answer is right\n",
        "",
    )


def test_wrong_line_is_told_with_its_place_and_what_follows_from_it(check):
    assert check(BAD) == (
        1,
        "d/dx of x^2 sin x\n"
        "  2 ✓ So f'(x) = (x^2)' sin x + x^2 (sin x)'\n"
        "  3 ✓ = 2x sin x + x^2 cos x\n"
        "  4 ✗ = x(2 sin x - x cos x)\n"
        "                    ^^^^^^^\n"
        "      at x = 1 this is 1.142639664, the derivative is 2.223244275\n"
        "      It looks as if the sign of x cos x is wrong.\n"
        "  5 ↳ = 2x sin x - x^2 cos x\n"
        "      follows from your line 4\n"
        "✗ the answer is wrong: line 4 is the first that is wrong\n",
        "",
    )


def test_narrow_terminal_wraps_lines_under_themselves():
    blocks = WorkView(read_work(BAD), Detail(width=40)).blocks()
    shown = ["".join(piece for piece, _ in line) for line in lines(blocks, 40)]
    assert max(map(len, shown)) <= 40
    assert "  2 ✓ So f'(x) = (x^2)' sin x + x^2 (sin" in shown
    assert "      x)'" in shown


def test_mistake_in_another_line_is_shown_there(check):
    text = "y' = e^(x^3) * d/dx(x^3)\n= e^(x^3)*x^2\n"
    code, out, _ = check(text, '"e^(x^3)"')
    assert code == 1
    assert (
        "      It looks as if the exponent was lowered but not multiplied down:\n"
        "      (u^n)' = n*u^(n - 1).\n"
        "        line 1: y' = e^(x^3) * d/dx(x^3)\n"
        "                               ^^^^^^^^^\n"
    ) in out


def test_hint_keeps_the_answer_back(check):
    _, out, _ = check(BAD, "--hint")
    assert "try x = 1" in out
    assert "Hint: lost sign: look at signs." in out
    assert "2.223244275" not in out


def test_solution_adds_the_derivation(check):
    _, out, _ = check(BAD, "--solution")
    assert out.count("product rule") == 1


def test_json_holds_every_line_and_the_credit(check):
    code, out, _ = check(BAD, "--format json")
    found = json.loads(out)
    assert code == 1
    assert found["verdict"] == "incorrect"
    assert found["first_wrong"] == 4
    assert found["mistake"]["name"] == "lost sign"
    assert [line["status"] for line in found["lines"]] == [
        "follows",
        "follows",
        "wrong",
        "consequent",
    ]
    assert found["credit"] == {
        "lines": 4, "follows": 2, "wrong": 1, "consequent": 1, "unreadable": 0, "answer": False, "share": 0.75,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("y' = 2x", '"x^2"', 0),
        ("y' = 3x", '"x^2"', 1),
        ("y' = 2x +", '"x^2"', 2),
        ("y' = cos(x^2) d/dx(x^2)", '"sin(x^2)"', 3),
        ("y' = 3x", '"x^2" --quiet', 1),
        ("y' = 3x", '"x^2" -q', 1),
        ("f(x) = x*y\nf'(x) = y", "", 0),
    ],
)
def test_exit_code_says_whether_the_work_is_right(check, text, options, code):
    assert check(text, options)[0] == code


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("nothing here", "", "there is no problem in this text"),
        ("nothing here", '"x^2"', "there is no line of a solution here"),
        ("y' = 2x", '"x^2" "2x"', "--work replaces the claim"),
        ("y' = 2x", '"x^2" --file sheet.txt', "--work judges one text"),
        ("y' = 2x", '"x^2 +"', "the expression ends after '+'"),
    ],
)
def test_what_cannot_be_judged_is_one_diagnostic(check, text, options, said):
    code, out, err = check(text, options)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_control_characters_of_a_solution_never_reach_the_terminal(check):
    _, out, _ = check("y' = 2x \x1b[31m + 1", '"x^2"')
    assert "\x1b" not in out
