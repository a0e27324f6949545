"""Claims in one text as people type them: the same verdict on the command line, in a session and in Python."""

from __future__ import annotations

import pytest

import exprgrad
from exprgrad.cli.start import run
from exprgrad.language.words.conditionals import in_our_notation

STATUS = {0: "correct", 1: "incorrect", 2: "unreadable", 3: "undecided"}

CLAIMS = [
    # values with their conditions
    ("d/dx |x| = 1 for x>0, -1 for x<0", "correct"),
    ("d/dx |x| = 1 for x>0, 1 for x<0", "incorrect"),
    ("d/dx |x| = {1, x>0; -1, x<0}", "correct"),
    ("the derivative of |x| is 1 for x>0 and -1 for x<0", "correct"),
    ("f(x) = |x|; f'(x) = 1 if x>0, -1 if x<0", "correct"),
    ("f(x) = x^2 for x>0, x^3 for x<=0; f'(x) = 2x for x>0, 3x^2 for x<=0", "correct"),
    ("f(x) = x^2 for x>0, x^3 for x<=0; f'(x) = 2x for x>0, 2x for x<=0", "incorrect"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "status"), CLAIMS)
def test_a_claim_in_one_text_has_its_verdict_on_the_command_line(capsys, text, status):
    code = run(["check", text, "--quiet"])
    assert (STATUS[code], capsys.readouterr().err) == (status, "")


PAIRS = [
    ("|x|", "1 if x>0, -1 if x<0", None, "correct"),
    ("|x|", "{1 if x>0, -1 if x<=0}", None, "correct"),
    ("|x|", "1, x>0; 1, x<0", None, "partly"),
    ("x^2 if x>0 else x^3", "2x if x>0 else 3x^2", None, "correct"),
    ("min(max(x,0),1)", "1 for 0<x<1, 0 otherwise", None, "correct"),
    ("max(0,1-xy)", "-y if xy<1 else 0", "x", "correct"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "claim", "wrt", "status"), PAIRS)
def test_a_pair_has_one_verdict_in_python_and_on_the_command_line(f, claim, wrt, status):  # fmt: skip
    assert exprgrad.check(f, claim, wrt).status == status
    more = [] if wrt is None else ["--wrt", wrt]
    code = run(["check", f, claim, *more, "--quiet"])
    assert STATUS[code] == {"partly": "incorrect"}.get(status, status)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("1 for x>0, -1 for x<0", "if(x>0, 1, if(x<0, -1, 1/0))"),
        ("{1, x>0; -1, x<=0}", "if(x>0, 1, -1)"),
        ("1, if x>0, -1, if x<=0", "if(x>0, 1, -1)"),
        ("x for 0 < x < 1, 0 otherwise", "if(0 < x and x < 1, x, 0)"),
        ("1/x for a > 0, x > 0", None),
        ("2x, x>0", None),
    ],
)
def test_values_with_conditions_leave_out_what_none_of_these_covers(said, written):
    assert in_our_notation(said, is_partial=True) == written
