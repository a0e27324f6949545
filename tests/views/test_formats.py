"""Every format that a command offers is one that its view has, and is printed whole."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from exprgrad.cli.start import run
from exprgrad.views.formats import DOCUMENTS, csv_line

COMMANDS = {
    "eval": ["x*y", "--at", "x=1,y=2"],
    "eval a direction": ["x*y", "--at", "x=1,y=2", "--seed", "x=1"],
    "eval a range": ["x*y", "--at", "x=0:1:3,y=2"],
    "eval arrays": ["sum(x)*y", "--at", "x=[1,2],y=2"],
    "compare": ["x*y", "--at", "x=1,y=2"],
    "diff": ["x*y", "--at", "x=1,y=2"],
    "check": ["x^2", "2x"],
    "check a sheet": ["--file", "samples/worksheet.txt"],
    "check a class": ["--file", "samples/class.csv"],
    "same": ["x^2", "x*x"],
    "ops": [],
    "ops with a name": ["tanh"],
    "minimize": ["x^2", "--start", "x=1"],
    "fit": ["T ~ a*t + b", "--data", "samples/cooling.csv", "--start", "a=1,b=0"],
}
"""A use of every view, behind the name of its command."""


def formats(command, capsys):
    """The formats that the help of a command lists."""
    assert run([command, "--help"]) == 0
    listed = re.search(r"--format\s+[\[<]([a-z|]+)", capsys.readouterr().out)
    return listed[1].split("|")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_format_on_offer_is_written(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    command = name.split()[0]
    for format_ in formats(command, capsys):
        assert run([command, *COMMANDS[name], "--format", format_]) in (0, 1, 2)
        written = capsys.readouterr().out
        assert written.strip()
        if format_ == "json":
            assert isinstance(json.loads(written), dict)
        if format_ == "csv":
            rows = list(csv.reader(io.StringIO(written)))
            assert len({len(row) for row in rows}) == 1
        if format_ == "markdown" and command not in ("diff", "check", "same"):
            assert "| --- |" in written or "| ---: |" in written
        if format_ == "html":
            assert written.startswith("<!DOCTYPE html>")


def test_a_direction_in_csv_has_its_derivative_beside_the_value(capsys):
    argv = ["eval", "x*y", "--at", "x=3,y=2", "--seed", "x=1,y=10", "--format", "csv"]
    assert run(argv) == 0
    assert capsys.readouterr().out == (
        "name,value,seed,derivative\nresult,6,,32\nx,3,1,\ny,2,10,\n"
    )


@pytest.mark.parametrize(
    "row", [["a", "1"], ["a,b", "1"], ['"', "1"], ["a\nb", "1"], ["", ""], [""], ["a"]]
)
def test_a_line_of_csv_reads_back(row):
    assert next(csv.reader([csv_line(row)], strict=True)) == row


BESIDE = {
    "eval a trace": ["x*y", "--at", "x=1,y=2", "--trace"],
    "eval digits": ["x*y", "--at", "x=1,y=2", "--trust"],
    "eval paths": ["x*y", "--at", "x=1,y=2", "--why", "x"],
    "check with steps": ["x^2", "3x", "--solution"],
    "check work": ["--work", "samples/solution.txt"],
    "diff with steps": ["x^2", "--steps"],
    "simplify": ["x+x"],
    "tangent": ["x^2", "--at", "x=3"],
    "taylor": ["exp(x)", "--at", "x=0"],
    "critical": ["x^3-3x"],
    "uncertainty": ["x*y", "--at", "x=3±0.1,y=4±1"],
    "graph": ["x*y", "--at", "x=1,y=2"],
    "plot": ["x^2"],
    "practice": ["--export", "3", "--seed", "1"],
    "audit": ["samples/notes.tex"],
}
"""Documents that `COMMANDS` has not."""


@pytest.mark.parametrize("name", COMMANDS | BESIDE)
def test_a_format_that_is_one_file_writes_every_document(name, capsys, monkeypatch):
    monkeypatch.setitem(DOCUMENTS, "html", "tests.views.shouted")
    argv = [name.split()[0], *(COMMANDS | BESIDE)[name]]
    argv += ["--no-times"] * (name == "compare")  # which are others each time
    assert run([*argv, "--format", "plain"]) in (0, 1, 2)
    plain = capsys.readouterr().out
    assert run([*argv, "--format", "html"]) in (0, 1, 2)
    shouted = capsys.readouterr().out
    assert shouted == plain.upper()
    for format_ in ("markdown", "latex"):
        assert run([*argv, "--format", format_]) in (0, 1, 2)
        assert capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["eval", "1/2x y", "--at", "x=1,y=2"], "*Note*: 1/2x is read as (1/2)\\*x"),
        (["trace", "x*y*2", "--at", "x=1,y=2"], "| v3 | x\\*y | 1\\*2 | 2 | product |  |"),
        (["check", "x^3", "x^2"], "(u^n)' = n\\*u^(n - 1)"),
        (["check", "--kind", "gradient", "x y", "(y, y)"], "`(y, y)` as the gradient"),
    ],
)  # fmt: skip
def test_what_markdown_acts_on_is_shown_as_it_stands(argv, line, capsys):
    run([*argv, "--format", "markdown"])
    assert line in capsys.readouterr().out


def test_lines_stay_lines_in_markdown(capsys):
    run(["critical", "x^3 - 3x", "--format", "markdown"])
    *_, above, below = capsys.readouterr().out.splitlines()
    assert above == "x = -1: local maximum, f = 2\\"
    assert below == "x = 1: local minimum, f = -2"


@pytest.mark.parametrize(
    ("format_", "part"),
    [
        ("plain", "  = x^2*cos(y)\n\n∂/∂y"),
        ("plain", "= 2*x*sin(y)\n\nd/dy"),
        ("markdown", "  = x^2*cos(y)\n```\n"),
        ("html", "  = x^2*cos(y)</pre>"),
        ("html", '<details open=""><summary>The derivation</summary>'),
        ("latex", "&& \\text{the derivative of sin} \\\\"),
    ],
)
def test_a_derivation_stands_apart_from_its_result(format_, part, capsys):
    run(["diff", "x^2*sin(y)", "--steps", "full", "--format", format_])
    assert part in capsys.readouterr().out


def test_every_cell_of_a_page_says_what_it_is(capsys):
    run(["eval", "a*b", "--at", "a=2,b=3", "--format", "html"])
    page = capsys.readouterr().out
    row = '<td data-of="variable">a</td><td class="n" data-of="value">2</td><td class="n" data-of="derivative">3</td>'
    assert row in page
    assert "::before{content:attr(data-of)" in page


def test_a_backquote_in_a_line_of_a_solution_stays_within_its_code(tmp_path, capsys):
    (tmp_path / "work.txt").write_text("f'(x) = `2x`\n")
    run(["work", "x^2", str(tmp_path / "work.txt"), "--format", "markdown"])
    assert "1. `` f'(x) = `2x` `` " in capsys.readouterr().out


def test_notes_are_marked_as_such(capsys):
    for format_, mark in {
        "markdown": "\n*Note*: xy",
        "latex": "\n\\emph{Note}: xy",
    }.items():
        assert run(["eval", "xy", "--at", "x=1,y=2", "--format", format_]) == 0
        assert mark in capsys.readouterr().out
