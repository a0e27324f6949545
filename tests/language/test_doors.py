"""Generated texts at every door; `tests.typed_texts` asks as many as one likes by hand."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress

import pytest

from exprgrad import Session
from exprgrad.cli.start import run
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, UsageError
from tests import typed_texts
from tests.typed_texts import DOORS, REFUSED, SPLIT, faults_of, make

COUNT, PARTS = 60, 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_doors_agree_on_generated_texts_and_none_crashes(part):
    texts = [make(f"ci:{number}") for number in range(part, COUNT, PARTS)]
    found = [fault for text in texts for fault in faults_of(text, [*DOORS], Counter())]
    assert not found, "\n".join(map(str, found))


def test_doors_that_disagree_are_found(monkeypatch):
    monkeypatch.setitem(DOORS, "sheet", lambda text: "incorrect")
    [fault] = faults_of("d/dx x^2 = 2x", ["check", "sheet"], Counter())
    assert fault.kind == SPLIT
    assert typed_texts.judge("d/dx x^2 = 3x", "", [*DOORS], Counter(), False) == []


STATED = [
    # the bullet of an item, or its number
    ("- d/dx x^2 = 2x", "undecided"), ("– (x^2)' = 2x", "undecided"), ("- d/dx x^2 + x = 2x + 1", "undecided"),
    ("2.1 d/dx x^2 = 2x", "undecided"), ("12 d/dx x^3 = 3x^2", "undecided"),
    ("- d/dx x^2 = -2x", "correct"), ("2.1 d/dx x^2 = 4.2x", "correct"), ("12 d/dx x^2 = 3x", "incorrect"),
    ("3.2) d/dx x^2 = 2x", "correct"), ("1. (x^2)' = 2x", "correct"), ("1. the derivative of x^2 is 2x", "correct"),
    ("a) f(x) = x^2; f'(x) = 2x", "correct"), ("2.1. f(x) = x^2; f'(x) = 2x", "correct"),
    ("- the derivative of x^3 is 3x^2", "correct"), ("- the derivative of x^3 is x^2", "incorrect"),
    ("- y = x^2; y' = 3x", "incorrect"),
    # shorthands, which may have been meant otherwise
    ("f(x) = e^2x; f'(x) = 2e^2x", "undecided"), ("f(x) = e^2x; f'(x) = 3e^2x", "incorrect"),
    ("f(x) = log x; f'(x) = 1/(x ln 10)", "undecided"), ("(e^2x)' = 2e^2x", "undecided"),
    # the brackets behind a product of letters are those of the function at its end
    ("f(x) = e^(ax); f'(x) = af(x)", "correct"), ("N(t) = N_0 e^(-λt); N'(t) = -λN(t)", "correct"),
    ("f(x) = e^(ax); f'(x) = a^2f(x)", "incorrect"), ("f(x) = e^(ax); g(x) = x^2; (fg)' = af(x)g(x) + 2xf(x)", "correct"),
    ("x = 2cosθ, y = 2sinθ; dy/dx = -cotθ", "correct"), ("x = 2cosθ, y = 2sinθ; dy/dx = cotθ", "incorrect"),
    ("gradient of x sinθ = (sinθ, x cosθ)", "correct"),
    # the variable of a prime by custom
    ("y = A e^(kx); y' = ky", "correct"), ("y = A e^(kx); y' = y", "incorrect"), ("y = A cos(ωt) + B sin(ωt); y'' = -ω²y", "correct"),
    ("y = mx + b; y' = m", "correct"), ("y = mx + b; y' = x", "incorrect"), ("N = N_0 e^{-λt}; N' = -λN", "correct"),
    # an order in brackets
    ("y = x^4; y^(4) = 24", "correct"), ("y = x^4; y^(4) = 24x", "incorrect"), ("f(x) = x^4; f^(4)(x) = 24", "correct"),
    ("y = x^3; y(2x) = 8x^3", REFUSED),
    (r"\frac{d}{dx}(x^2+1)(x-1) = 3x^2-2x+1", "correct"), (r"\frac{d}{dx}(x^2+1)(x-1) = 2x", "incorrect"),
    ("dérivée de x^2 = 2x", "correct"), ("dérivée de x^2 = 3x", "incorrect"),
    # a factor of an answer, but an open question elsewhere
    ("y = x^x; y' = y(1 + ln x)", "correct"), ("y = x^3; d/dx y(x + 1) = 3(x + 1)^2", REFUSED),
    ("y(x + 1) = x; dy/dx = (1 - y)/(x + 1)", "correct"),
    # the rate of one variable through that of the other
    ("x^2 + y^2 = 100; dy/dt = -x/y dx/dt", "correct"), ("x^2 + y^2 = 100; dy/dt = x/y dx/dt", "incorrect"),
    ("x^2 + y^2 = 100; dx/dt = -y/x dy/dt", "correct"), ("x^2 + y^2 = 100; dy/dt = dx/dt - 1 - x/y", "incorrect"),
    ("x^2 + y^2 = 100; dy/dt = -3/4 dx/dt at (6, 8)", "correct"),
    # a series whose order is that of the answer
    ("maclaurin series of sin x: x - x^3/6 + x^5/120", "correct"), ("maclaurin series of e^x: 1 + x + x^2/2 + x^3/3", "incorrect"),
    ("maclaurin series of e^x: 1 + x", "incorrect"), ("Maclaurin series of sin x: sin x", "incorrect"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "status"), STATED)
def test_statement_has_its_status_at_every_door_that_reads_it(text, status):
    found = dict.fromkeys(DOORS, REFUSED)
    for name, door in DOORS.items():
        with suppress(ExprgradError):
            found[name] = door(text)
    # the program has no exit code for what is undecided alone, and sessions say equal and different
    known = {name: said for name, said in found.items() if said != REFUSED}
    assert {*known.values()} == {status} - {REFUSED}
    assert status == REFUSED or "sheet" in known


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x^2 - 4x is increasing on (2, oo)", "where a function increases is not judged"),
        ("intervals of increase of x^2 - 4x: (2, oo)", "where a function increases is not judged"),
        ("monotonicity of x^2", "where a function is monotonic is not judged"),
        ("x^2 is concave up on (0, 1)", "where a function is concave is not judged"),
        ("vertical tangent of cbrt(x)", "where a tangent is vertical is not judged"),
        ("x = 3t^2; ẋ = 6t", "ẋ may be the derivative by time, or a name"),
        ("f(x) = |x|; f'(0+) = 1", "one-sided derivatives are not judged"),
        ("f(x) = |x|; f'_-(0) = -1", "one-sided derivatives are not judged"),
        ("right-hand derivative of |x| at 0 is 1", "one-sided derivatives are not judged"),
        ("f(x) = x^2; d/dx f(2) = 4", "f\\(2\\) is a number"), ("f(x) = x^2; d/dx (f(2)) = 0", "f\\(2\\) is a number"),
        ("f(x, y) = x^2*y; ∂/∂x f(1, 2) = 4", "f\\(1, 2\\) is a number"),
    ],
)  # fmt: skip
def test_what_is_not_judged_is_refused_alike(text, message, capsys):
    for arguments in (["check", text], [text]):
        assert run(arguments) == UsageError.exit_code
        assert re.search(message, capsys.readouterr().err)
    with pytest.raises(ExpressionSyntaxError, match=message):
        Session().run(text)


ANSWERED = [
    # the slope of a value may be asked for, or that of a number
    ("f(x) = x^2; d/dx f(2)", "write d/dx f(x) at x=2"), ("f(x) = x^2; D_x f(2)", "write D_x f(x) at x=2"),
    ("f(x, y) = x^2*y; ∂/∂x f(1, 2)", "write ∂/∂x f(x, y) at x=1, y=2"), ("f(x, y) = x^2*y; ∂/∂x f(x, 2)", "4*x"),
    ("a = 2; y = ax^2; y'(3)", "12"), ("k = 2; y = e^(kx); y'(0)", "2"), ("m = 3; b = 1; y = mx + b; y'(4)", "3"),
    ("a = 3; y = ax^2; y' = 6x", "✓"), ("y = u^2; u = kx + 1; y' = 2k(kx + 1)", "✓"),
    # words about what was defined before
    ("f(x) = x^2; slope at 3", "= 6"), ("f(x) = x^2; tangent line at x=3", "y = 6*x - 9"), ("f(x) = x^2; find the derivative", "= 2*x"),
    ("f(x) = x^2; the gradient at 3", "= 6"), ("f(x) = x^2; critical points", "x = 0: local minimum"), ("a = 2; f(x) = a x^2; slope at 3", "= 12"),
    # brackets, primes and places of other programs
    ("f(x) = x^2; D[f[x], x]", "= 2*x"), ("f(x) = x^2; f[3]", "= 9"), ("f(x) = x^2; Derivative[1][f][3]", "= 6"),
    ("f(x) = x^3; Derivative[2][f][3]", "= 18"), ("f(x) = x^12; Derivative[12][f]", "= 479001600"),
    (r"f(x) = \sin x; f'(\frac{\pi}{3})", "0.5"), (r"f(x, y) = x^2y; \nabla f(1, 2)", "4"),
    ("u = x^2; v = sin x; u'v + uv'", "2*x*sin(x) + x^2*cos(x)"), ("f(x) = x^2; g(x) = sin x; f'g + fg'", "2*x*sin(x) + x^2*cos(x)"),
    # a place, or a factor
    ("f(x) = x^2; (d/dx f)(2)", "write (d/dx f)*(2) for a product"), ("f(x) = x^2; (f')(2)", "may be a factor"),
    # what stands in places and arguments
    ("f(x) = x^2; f'(f(2))", "= 8"), ("f(x) = x^2; g(x) = x + 1; f'(g(2)) = 6", "✓"), ("f(x) = x^2; f'(f(2)) = 4", "✗"),
    ("y = u^3; u = x^2 + 1; dy/du at x=1", "12"), ("y = u^3; u = x^2 + 1; dy/du at x=1 = 12", "✓"),
    ("y = u^3; dy/du at x=1 = 12", "no variable x"), ("y = u^3; u = x^2 + 1; dy/du · du/dx at x=1", "= 24"),
    ("f(x) = x^2; 2 sin f(x) + 1", "4*x*cos(x^2)"), ("f(x) = x^2; g(x) = sin^2 f(x); g'(x)", "2*x*sin(2*x^2)"),
    # a question behind a curve
    ("x^2 + y^2 = 25; dy/dx", "-x/y"), ("x^2 + y^2 = 25; y'", "-x/y"), ("x^2 + y^2 = 25; find y'", "-x/y"),
    ("x^2 + y^2 = 25; dy/dx at (3, 4)", "-3/4"), ("x^2 + y^2 = 25; slope at (3, 4)", "-3/4"),
    ("x^2 + y^2 = 25; x = 3; y = 4; dy/dx", "-3/4"), ("x^2 + y^2 = 25; y'' at (3, 4)", "-25/64"),
    ("x^2 + y^2 = 25; y' at (3, 4) = -3/4", "✓"), ("x^2 + y^2 = 25; y' at (3, 4) = 3/4", "✗"),
    ("x^2 + y^2 = 25; d^2y/dx^2", "-1/y - x^2/y^3"), ("y = x e^y; dy/dx", "exp(y)/(1 - x*exp(y))"),
    ("x = t^2, y = t^3; dy/dx at t=2", "= 3"), ("x = t^2; y = t^3; t = 2; dy/dx", "= 3"),
    ("x = t^2; y = t^3; d^2y/dx^2", "3/(4*t)"), ("x = t^2; y = t^3; d^2y/dx^2 at t=2", "= 0.375"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "answer"), ANSWERED)
def test_question_has_one_answer_on_a_line_and_in_a_script(text, answer, tmp_path, capsys):  # fmt: skip
    script = tmp_path / "typed.eg"
    script.write_text(text.replace("; ", ";\n"), "utf-8")
    for arguments in ([text], ["run", str(script)]):
        run(arguments)
        assert answer in "".join(capsys.readouterr())
