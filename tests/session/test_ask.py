"""One function answers whatever can be typed, and opens no file."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest

import exprgrad
from exprgrad import ExprgradError, Session, ask

PACKAGE = str(Path(exprgrad.__file__).resolve().parent)


def test_a_claim_has_a_verdict():
    found = ask("d/dx x^2 = 2x")
    assert found.status == found.verdict.status == "correct"
    assert ask("2x = 3x").status == "different"
    assert not hasattr(ask("x^2"), "status")
    assert ask("d/dx x^2 = 3x").verdict.status == "incorrect"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("y = x^2; y' = 2x; y'' = 2", "correct"),
        ("y = x^2; y' = 2x; y'' = 3", "incorrect"),
        ("y = x^2, y' = 3x, y'' = 2", "incorrect"),
        ("f(x) = x^2; f'(1) = 2, f'(2) = 5", "incorrect"),
        ("h(x) = xf(x); f(x) = x^3; h'(x) = 4x^3", "correct"),
        ("f(x) = x^3; g(x) = xf(x); g'(1) = 4", "correct"),
    ],
)
def test_what_is_defined_and_claimed_is_read_together(text, status):
    assert ask(text).status == status


def test_letters_of_the_function_are_factors_of_an_answer():
    assert ask("d/dt (A sin(ωt + φ)) = Aω cos(ωt + φ)").status == "correct"
    assert ask("d/dx (a e^(bx)) = ab e^(bx)").status == "correct"
    assert ask("P(t) = P0 e^(kt), P'(t) = k P0 e^(kt)").status == "correct"


@pytest.mark.slow
def test_a_curve_and_its_slope_are_one_claim():
    assert ask("ln(xy) = x; dy/dx = (xy - y)/x").status == "correct"
    assert ask("cos(x+y) = y; y' = -sin(x+y)").status == "incorrect"


def test_an_expression_has_a_value_and_a_gradient_where_its_names_have_values():
    found = ask("a*x^2", a=2, x=3).evaluation
    assert (found.value, found.gradient) == (18, {"a": 9, "x": 12})
    assert ask("a*x^2", a=2, x=3).value == 18
    assert ask("grad (x^2+y^2) at x=1, y=2").gradient == {"x": 2, "y": 4}
    assert ask("x^2*y at x=1, y=2").gradient == {"x": 4, "y": 1}
    assert not hasattr(ask("slope of x^3 at x=2"), "gradient")
    assert ask("d/dx x^3").derivative == "3*x^2"
    assert ask("d/dx d/dx x^4").derivative == "12*x^2"
    assert ask("x*y").gradient == {"x": "y", "y": "x"}
    assert ask("tangent to x^2 at x=3").answer == "y = 6*x - 9"
    assert ask("x + y", x="pi/2", y="2*x").evaluation.gradient["x"] == 3


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("x^2 sin x", "derivatives", {"x": "2*x*sin(x) + x^2*cos(x)"}),
        ("tangent to x^2 at x=3", "result", "y = 6*x - 9"),
        ("f(x) = x^2; f'(3)", "value", 6),
        ("2x = 3x", "status", "different"),
        ("taylor sin(x) order 3", "result", "x - 1/6*x^3"),
    ],
)
def test_an_answer_gives_its_fields(text, key, value):
    assert ask(text).as_dict()[key] == value


def test_a_semicolon_at_the_end_hides_no_answer():
    assert ask("d/dx x^2 = 2x;").status == "correct"
    assert ask("y = x^2; y' = 3x;\n").status == "incorrect"


@pytest.mark.parametrize("text", ["", "sin(", ":nothing", "#", 3])
def test_what_cannot_be_answered_is_refused(text):
    with pytest.raises(ExprgradError):
        ask(text)


FILES = [
    ":save {0}", ":load {0}", ":audit {0}", ":plot x^2 {1}", ":graph x^2 {1}", "plot x^2 {1}", "graph x^2 {1}",
    ":fit y ~ a*x data {0} start a=1", ":check file {0}", ":work {0}", ":walk x^2 at x=1 {1}", ":batch x^2 {0}",
    ":check --file {0}", ":diff --file {0}", ":practice export 2", ":uncertainty {0}", "@{0}", ":minimize x^2 start x=1 plot {1}",
]  # fmt: skip


@pytest.mark.parametrize("text", FILES)
def test_no_statement_opens_a_file_that_it_names(text, tmp_path):
    victim = tmp_path / "victim.csv"
    victim.write_text("x,y\n1,2\n")
    picture = tmp_path / "picture.svg"
    opened: list[str] = []
    watching = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event in ("open", "os.rename", "os.remove"):
            opened.append(str(arguments[0]))

    sys.addaudithook(hook)
    try:
        with suppress(ExprgradError):
            Session(files=False).run(text.format(victim, picture))
    finally:
        watching = False
    assert not [path for path in opened if path.startswith(str(tmp_path))]
    assert victim.read_text() == "x,y\n1,2\n"
    assert not picture.exists()


def test_a_session_opens_files_again_after_one_that_did_not(tmp_path):
    file = tmp_path / "own.eg"
    with pytest.raises(ExprgradError, match="no files are opened here"):
        Session(files=False).run(f"a = 1\n:save {file}")
    Session().run(f"a = 1\n:save {file}")
    assert Session().run(f":load {file}\na + 1")[-1].evaluation.value == 2


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("f(x) = x^3; f'(x) = 2x^2; f''(x) = 6x", "incorrect"),
        ("f(x) = x^3; f'(x) = 3x^2; f''(x) = 5x", "incorrect"),
        ("f(x) = x^3; f'(x) = 3x^2; f''(x) = 6x", "correct"),
        ("s = t^3; v = ds/dt = 3t^2; a = dv/dt = 5t", "incorrect"),
        ("f(x, y) = x^2 y; f_xy = f_yx", "equal"),
        ("u(x, t) = sin(x - ct); u_tt = c^2 u_xx", "equal"),
        ("u(x, t) = sin(x - ct); u_t = c u_x", "different"),
    ],
)
def test_several_claims_have_the_status_of_the_first_that_is_not_right(text, status):
    assert ask(text).status == status
