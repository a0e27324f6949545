"""What would help is said in the terms of the place: Python, a session, the command line."""

from __future__ import annotations

import copy
import pickle
import re
import shlex
from importlib import metadata

import pytest

from exprgrad import ExprgradError, Session, fit, minimize, parse
from exprgrad.cli.start import run
from exprgrad.errors import Hint, installing


def in_python(action):
    with pytest.raises(ExprgradError) as caught:
        action()
    return caught.value.hint


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: parse("x*y").evaluate({"x": 1}), "add y=... to the point"),
        (lambda: minimize("x^2", {"x": 1}, rate=-1), "rate=0.01"),
        (lambda: minimize("x^2", {"x": 1}, "trust", bounds={"x": (0, 1)}), "method='lbfgs'"),
        (lambda: minimize("x^2", {"x": 1}, bounds={"x": (1, 0)}), 'bounds={"x": (0, 1)}'),
        (lambda: minimize("2", {}), 'give it a start: {"x": 1}'),
        (lambda: fit("y ~ a*x", {"x": [1]}, {"a": 1}), "its columns are: x"),
        (lambda: fit("y = a*x", {"x": [1]}, {"a": 1}), 'write "y ~ a*x"'),
        (lambda: parse("sum(x)").derivative("x"), "evaluate() gives the gradient"),
        (lambda: parse("x = 2"), "values are given beside the expression"),
    ],
)  # fmt: skip
def test_in_python_a_hint_names_arguments(action, words):
    hint = in_python(action)
    assert words in hint
    assert "--" not in hint


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (("diff", "--implicit", "P V = n R T"), "hint: --of T\n"),
        (("check", "V(1 - exp(-t/s))", "V exp(-t/s)/s"), "hint: name one: --wrt t\n"),
        (("diff", "--implicit", "x y z = 1"), "hint: name one: --wrt x\n"),
    ],
)
def test_the_variable_that_a_hint_names_is_the_likely_one(capsys, command, hint):
    assert run([*command]) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (":hessian x*y", "set it first: x = 2, or end with `at x=2`"),
        (":check x*y, y", "end with `wrt x`"),
        ("1 = 2 = 3", "a definition is name = ... or f(x) = ..."),
        (":diff sum(x)", None),
    ],
)
def test_in_a_session_a_hint_names_statements(typed, words):
    hint = in_python(lambda: Session().run(typed))
    assert hint is None if words is None else words in hint


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["eval", "x*y", "--at", "x=1"], "add --at y=..."),
        (["eval", "|x|", "--at", "x=0"], "--subgradient takes PyTorch's convention"),
        (["minimize", "x^2", "--start", "x=1", "--rate", "-1"], "--rate 0.01"),
        (["minimize", "x^2", "--start", "x=1", "--bounds", "x=1:0"], "--bounds x=0:1"),
        (["diff", "sum(x)"], "eval gives the gradient at a point"),
        (["diff", "2"], "name one: --wrt x"),
        (["check", "x*y", "y"], "name one: --wrt x"),
    ],
)
def test_on_the_command_line_a_hint_names_options(command, words, capsys):
    assert run(command) in (2, 3)
    assert words in capsys.readouterr().err


def test_a_hint_can_be_copied_and_sent_to_another_process():
    hint = Hint("give_value", names=("x", "y"), product=None)
    for again in (pickle.loads(pickle.dumps(hint)), copy.deepcopy(hint)):
        assert again == "add x=..., y=... to the point"
        assert (again.kind, again.details) == (hint.kind, hint.details)


@pytest.mark.parametrize(
    ("noted", "hint"),
    [
        ('{"dir_info": {}, "url": "file:///there"}', 'pip install ".[arrays]"'),
        (None, 'pip install "exprgrad[arrays]"'),
        (
            '{"archive_info": {}, "url": "file:///e.whl"}',
            'pip install "exprgrad[arrays] @ file:///e.whl"',
        ),
    ],
    ids=["clone", "index", "wheel"],
)
def test_an_extra_is_installed_from_where_exprgrad_came_from(monkeypatch, noted, hint):
    class Distribution:
        def read_text(self, name: str) -> str | None:
            return noted

    monkeypatch.setattr(metadata, "distribution", lambda name: Distribution())
    assert installing("arrays") == hint


BAD = r"""
tangent line to y=x^2 at x=1 | diff --implicit "x*y=1" | diff "x^2 + y^2 = 1" | eval "tangent(x^2, 1)" | eval "taylor(sin(x), 5)"
eval "series(sin(x), 4)" | eval "minimize((x-1)^2 + y^2)" | eval "maximize(x^3 - 3x)" | eval x^2 y | eval x y --at x=1,y=2 | x ^ 2
diff x^2 x | check "x^2" | same "x^2" | evla "x^2" | grad "x^2 y" | derivative of x^2 | derivative "x^2" | max "x^2" | integrate
eval "V/I" --at "V=5±0.1,I=2" | "V/I" --at "V=5±0.1,I=2±0.1" | run | help nothing | help micrograd | ops sine | ops qwertz
eval "x^2 dx" | "tangent to x^2" | "taylor x^2 at" | gradient of x^2 y | eval x**2 at x=2 | tangent x^2 at x=1
critical points of x^3-3x | taylor series of sin x | derive x^2 wrt x | plot "x^2" --xx 0:1 | eval "x^2" --digits 0 | --versoin
diff "x^2" --form json | fit | minimize x^2+1 | simplify x + x | compare x^2 --at | hessian x^2 y --at x=1,y=2
"differenciate x^2" | "derivative of x squared plus" | "minimum of (x-1)^2" | version | "solve x^2 = 1" | draw "x^2"
"""
"""Command lines that cannot be run as they stand."""


@pytest.mark.slow
@pytest.mark.parametrize("typed", re.split(r" [|] |\n", BAD.strip()))
def test_a_command_in_a_hint_can_be_pasted(typed, capsys, monkeypatch, tmp_path):
    """It stands at the end of the hint, and runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "10000")
    run(shlex.split(typed))
    said = capsys.readouterr().err
    for hint in re.findall(r"(?m)^  hint: (.*)$", said):
        for pasted in re.findall(r"\bexprgrad (.*)$", hint):
            assert run(shlex.split(pasted)) in (0, 1), hint
            shown = capsys.readouterr()
            assert not shown.err, hint
    assert re.search("\nexprgrad |^exprgrad ", said) is None


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        (["eval", "tangent(x^2, 1)"], 'exprgrad tangent "x^2" --at x=1'),
        (["eval", "taylor(sin(x), 5)"], 'exprgrad taylor "sin(x)" --order 5'),
        (["eval", "minimize((x-1)^2 + y^2)"], 'exprgrad minimize "(x-1)^2 + y^2" --start x=0,y=0'),
        (["diff", "x^2 + y^2 = 1"], 'exprgrad diff "x^2 + y^2 = 1" --implicit'),
        (["tangent", "line", "to", "x^2", "at", "x=1"], 'exprgrad "tangent line to x^2 at x=1"'),
        (["check", "x^2"], 'exprgrad diff "x^2"'),
        (["check", "x^2", "2", "x"], 'exprgrad check "x^2" "2 x"'),
        (["fit", "y", "~", "a*x", "--start", "a=1"], 'exprgrad fit "y ~ a*x" --start a=1'),
        (["repl", "x"], "exprgrad repl --help"),
        (["diff", "x^2", "--steps", "all"], "exprgrad diff --help"),
        (["foo"], "the commands: exprgrad --help"),
        (["eval", "xyz", "--at", "x=1,y=2"], "for the product write x*y*z"),
        (["eval", "x*y", "--at", "x=a, y=2"], "replace a by its value"),
        (["eval", "x*y", "--at", "x=1, z=2"], "remove it"),
        (["eval", r"\foo{x}", "--at", "x=1"], r"\newcommand{\foo}{...}"),
        (["eval", r"\sni{x}", "--at", "x=1"], r"did you mean \sin?"),
    ],
)  # fmt: skip
def test_a_hint_is_about_what_was_typed(typed, hint, capsys):
    assert run(typed) == 2
    assert capsys.readouterr().err.rstrip().endswith(hint)


def test_arguments_that_are_too_many_are_counted_for_the_command(capsys):
    assert run(["same", "x", "y", "z"]) == run(["mcp", "x"]) == 2
    said = capsys.readouterr().err
    assert "there are 3 arguments where same takes A and B" in said
    assert "there is 1 argument where mcp takes none" in said


def test_so_it_is_in_a_session():
    hint = ":tangent x^2 at x=1"
    with pytest.raises(ExprgradError) as caught:
        Session().run("tangent(x^2, 1)")
    assert str(caught.value.hint).endswith(hint)
    assert Session().run(hint)[0].code == 0


@pytest.mark.parametrize(
    ("argv", "value"),
    [(["pi", "--digits", "30"], "3.14159265358979323846264338328"), (["2^100", "--digits", "40"], "1267650600228229401496703205376")],
)  # fmt: skip
def test_a_number_alone_is_written_with_the_digits_asked_for(argv, value, capsys):
    assert run(argv) == 0
    assert capsys.readouterr().out.rstrip().endswith(f"= {value}")
