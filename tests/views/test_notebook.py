"""What notebooks show: through IPython's own formatters and magics."""

from __future__ import annotations

import subprocess
import sys

import pytest

import exprgrad
from exprgrad.expressions.trace import trace

F = exprgrad.parse("x^2*sin(x)")
AT = F.evaluate({"x": 2})

RESULTS = {
    "expression": F,
    "evaluation": AT,
    "trace": trace(AT, own_names=True),
    "correct": exprgrad.check("x^2", "2x"),
    "incorrect": exprgrad.check("x^2*sin(x)", "2x*cos(x)"),
    "descent": exprgrad.minimize("(x-1)^2", {"x": 0.0}),
    "fit": exprgrad.fit("y ~ a*x + b", {"x": [0, 1, 2], "y": [1, 3, 5.5]}, {"a": 1, "b": 0}),
}  # fmt: skip

FORMS = {
    "expression": {"text/html", "text/latex", "image/svg+xml"},
    "evaluation": {"text/html", "text/latex", "image/svg+xml"},
    "trace": {"text/html", "text/latex", "image/svg+xml"},
    "correct": {"text/html", "text/latex", "image/svg+xml"},
    "incorrect": {"text/html", "text/latex", "image/svg+xml"},
    "descent": {"text/html", "text/latex", "image/svg+xml"},
    "fit": {"text/html", "text/latex", "image/svg+xml"},
}


@pytest.fixture(scope="module")
def shell():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.history_manager.enabled = False
    shell.run_line_magic("load_ext", "exprgrad")
    yield shell
    shell.history_manager.end_session()


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_notebooks_show_a_result_in_every_form_that_it_has(shell, name):
    found, _ = shell.display_formatter.format(RESULTS[name])
    assert set(found) - {"text/plain"} == FORMS[name]
    for text in found.values():
        assert isinstance(text, str)
        assert "\x1b" not in text


def test_the_forms_say_what_the_result_says():
    assert "x^{2}" in F._repr_latex_()
    assert "3.637189707" in AT._repr_html_()
    assert "∂" not in AT._repr_latex_()
    assert "reverse sweep" in RESULTS["trace"]._repr_html_()
    assert "✓ correct" in RESULTS["correct"]._repr_html_()
    wrong = RESULTS["incorrect"]._repr_html_()
    assert "✗ wrong" in wrong
    assert "</math> is not <math" in wrong
    assert "multiplied" in wrong
    assert "standard error" in RESULTS["fit"]._repr_html_()
    assert "minimum" in RESULTS["descent"]._repr_html_()
    assert r"\right|_{x = 1} = 0$" in RESULTS["descent"]._repr_latex_()


def test_a_power_in_a_trace_has_no_macro_that_notebooks_lack():
    written = trace(exprgrad.parse("x^3").evaluate({"x": 2}))._repr_latex_()
    assert r"\texttt{v1}{}^\wedge\texttt{3}" in written
    assert "textasciicircum" not in written


def test_the_picture_of_a_trace_is_that_of_its_evaluation():
    assert RESULTS["trace"]._repr_svg_() == AT._repr_svg_()


def test_texts_from_outside_are_escaped():
    assert "<b>x" not in exprgrad.check("x^2 # <b>x</b>", "2x")._repr_html_()


@pytest.mark.slow
def test_magics_differentiate_check_and_run_cells(shell, capsys):
    assert str(shell.run_line_magic("diff", "x^3")) == "3*x^2"
    assert {n: str(d) for n, d in shell.run_line_magic("diff", "x*y").items()} == {"x": "y", "y": "x"}  # fmt: skip
    assert shell.run_line_magic("check", "x^2, 2x").status == "correct"
    assert shell.run_line_magic("diff", "x^") is None
    for magic in ("graph x*y at x=2,y=3", "plot x^2 tangent at 1"):
        found, _ = shell.display_formatter.format(shell.run_line_magic(*magic.split(" ", 1)))  # fmt: skip
        assert found["image/svg+xml"].startswith("<svg ")
        assert "x" in found["text/plain"].splitlines()[0]
    capsys.readouterr()
    shell.run_cell_magic("exprgrad", "", "f(x) = x^2\nf'(3)")
    shell.run_cell_magic("exprgrad", "", "f(5)")
    out = capsys.readouterr().out
    assert "f'(3) = 6" in out
    assert "f(5) = 25" in out
    shell.run_cell_magic("exprgrad", "", "1 +")
    assert "error" in capsys.readouterr().err


@pytest.mark.slow
def test_nothing_of_this_is_imported_before_it_is_asked_for():
    code = "import sys, exprgrad; exprgrad.parse('x^2').evaluate({'x': 3}); exprgrad.check('x^2', '2x'); print([m for m in sys.modules if '.pictures' in m or m.startswith('matplotlib')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)  # fmt: skip
    assert done.stdout == "[]\n"


def test_a_verdict_is_printed_as_the_sentence_of_the_command_line():
    lines = str(exprgrad.check("x^2", "2x")).splitlines()
    assert lines[0].endswith("correct: 2x is the derivative of x^2")
    assert str(exprgrad.equivalent("sin(2x)", "2 sin x cos x")).count("equal") == 1
    assert "derivative of x^2" in str(exprgrad.check("x^2", "3x"))


def test_what_python_shows_of_verdicts_and_traces_is_one_line():
    found = exprgrad.check("x^2*sin(x)", "2x cos x", wrt="x")
    assert repr(found).startswith("<Verdict incorrect: at x = 1 your answer gives 1.08")
    assert repr(exprgrad.equivalent("x", "x")) == "<Verdict equal: the two are the same expression>"  # fmt: skip
    assert "\n" not in repr(found)
    traced = (exprgrad.Value(2.0, name="a") ** 2).trace()
    assert repr(traced) == "<Trace of 2 nodes, 1 steps back>"


def test_a_walk_shows_all_of_its_steps_where_there_are_no_keys(capsys):
    from exprgrad.session.screen import Magics

    magics = Magics()
    magics.result(":walk x^2 at x=3")
    told = capsys.readouterr().out
    assert "step 5 of 5" in told
    assert not magics.session.walk.steps
