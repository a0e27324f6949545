"""What programs get of a result in Python is what the command line prints as JSON."""

from __future__ import annotations

import json

import pytest

import exprgrad
from exprgrad.checking.kinds.worked import asked, tangent
from exprgrad.cli.start import run
from exprgrad.views.formats import to_json

F = exprgrad.parse("x^2*y")
AT = {"x": 2, "y": 3}

RESULTS = {
    "evaluation": (lambda: F.evaluate(AT), ["eval", "x^2*y", "--at", "x=2,y=3"]),
    "beyond doubles": (lambda: exprgrad.parse("1e-400*x").evaluate({"x": 2}), ["eval", "1e-400*x", "--at", "x=2"]),
    "a corner": (lambda: exprgrad.parse("|x|").evaluate({"x": 0}), ["eval", "|x|", "--at", "x=0"]),
    "arrays": (lambda: exprgrad.parse("sum(x^2)").evaluate({"x": [1, 2]}), ["eval", "sum(x^2)", "--at", "x=[1,2]"]),
    "a direction": (lambda: exprgrad.directional("x^2*y", AT, {"x": 1}), ["eval", "x^2*y", "--at", "x=2,y=3", "--seed", "x=1"]),
    "a direction of arrays": (lambda: exprgrad.directional("x^2", {"x": [1, 2]}, {"x": [1, 0]}), ["eval", "x^2", "--at", "x=[1,2]", "--seed", "x=[1,0]"]),
    "a verdict": (lambda: exprgrad.check("x^2", "3x"), ["check", "x^2", "3x"]),
    "a gradient": (lambda: exprgrad.check("x^2*y", {"x": "2x*y", "y": "x"}, kind="gradient"), ["check", "x^2*y", "--kind", "gradient", "--claim", "x=2x*y", "--claim", "y=x"]),
    "a descent": (lambda: exprgrad.minimize("(x-1)^2", {"x": 0}), ["minimize", "(x-1)^2", "--start", "x=0"]),
    "a budget": (lambda: exprgrad.uncertainty("x*y", {"x": "3±0.1", "y": "2±1"}), ["uncertainty", "x*y", "--at", "x=3±0.1,y=2±1"]),
    "a tangent": (lambda: tangent(asked("x^2", at={"x": 3})), ["tangent", "x^2", "--at", "x=3"]),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_result_has_the_fields_of_the_command_line(name, capsys):
    make, argv = RESULTS[name]
    run([*argv, "--format", "json"])
    printed = json.loads(capsys.readouterr().out)
    found = json.loads(to_json(make().as_dict()))
    if name == "a budget":  # which notes how the inputs were typed
        printed["notes"] = found["notes"]
    assert found == printed


def test_other_results_have_fields_too():
    work = exprgrad.check_work("x^2", ["y' = 2x"])
    assert work.as_dict()["lines"][0]["status"] == "follows"
    assert exprgrad.equivalent("x+x", "2x").as_dict()["status"] == "equal"
    assert exprgrad.compare("x^2", {"x": 3}).as_dict()["reference"]["x"].startswith("6")
    assert F.graph(AT).as_dict()["nodes"]
    fit = exprgrad.fit("y ~ a*x", {"x": [1, 2], "y": [2, 4]}, {"a": 1})
    assert fit.as_dict()["parameters"]["a"]["value"] == pytest.approx(2)
    both = exprgrad.uncertainty({"p": "x*y", "s": "x+y"}, {"x": "3±0.1", "y": "2±1"})
    assert [own["name"] for own in both.as_dict()["results"]] == ["p", "s"]


SESSION = {
    "a = 3": {"name": "a", "formula": "3", "value": 3},
    "a = 1e-400": {"value": 0, "value_text": "1e-400"},
    "w = [1, 2]": {"value": [1, 2]},
    "f(x) = 2x^2": {"signature": "f(x)", "formula": "2x^2"},
    ":vars": {"rows": []},
    ":set digits 5": {"text": "digits is 5"},
    ":quit": {},
    "x^2 + 1": {"expression": "x^2 + 1"},
}


@pytest.mark.parametrize("typed", SESSION)
def test_whatever_a_session_returns_has_fields(typed):
    found = json.loads(to_json(exprgrad.Session().run(typed)[-1].as_dict()))
    assert {name: found[name] for name in SESSION[typed]} == SESSION[typed]


def test_a_file_that_is_loaded_has_the_fields_of_its_statements(tmp_path):
    (tmp_path / "own.eg").write_text("a = 3\na*x")
    [found] = exprgrad.Session().run(f":load {tmp_path / 'own.eg'}")
    assert [each["name"] for each in found.as_dict()["results"][:1]] == ["a"]
