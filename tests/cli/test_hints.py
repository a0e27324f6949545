"""What would help is said in the terms of the place: Python, a session, the command line."""

from __future__ import annotations

import copy
import pickle
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
        (lambda: parse("sum(x)").derivative("x"), "evaluate() gives the gradient"),
        (lambda: parse("x = 2"), "values are given beside the expression"),
    ],
)  # fmt: skip
def test_in_python_a_hint_names_arguments(action, words):
    hint = in_python(action)
    assert words in hint
    assert "--" not in hint


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
        (["diff", "sum(x)"], "exprgrad eval gives the gradient at a point"),
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
