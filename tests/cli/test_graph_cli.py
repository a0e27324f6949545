"""`exprgrad graph`: drawn in the terminal, and written in the languages of pictures."""

from __future__ import annotations

import json

import pytest

BAYDIN = ("graph", "ln(x1) + x1*x2 - sin(x2)", "--at", "x1=2,x2=5")

DRAWING = """\
2              0.693147
x1 ────────┬─▶ v3 ln ─────╮
5.5        │   1          │
           │              │
5          │   10         │   10.6931
x2 ──────┬─┴─▶ v4 × ──────┴─▶ v5 + ────╮
1.71634  │     1              1        │
         │                             │
         │     -0.958924               │   11.6521
         ╰───▶ v6 sin ─────────────────┴─▶ v7 −
               -1                          1
"""


def test_a_graph_is_drawn_with_values_and_adjoints(run):
    result = run(*BAYDIN)
    assert result.code == 0
    assert DRAWING in result.out
    assert "adjoint of x1 = 0.5 (from v3) + 5 (from v4) = 5.5" in result.out


def test_before_the_reverse_sweep_there_are_no_adjoints(run):
    out = run(*BAYDIN, "--stage", "values").out
    assert "11.6521" in out
    assert "5.5" not in out
    assert "local partials" not in out
    assert "10.6931" not in run(*BAYDIN, "--stage", "4").out


def test_a_sum_is_an_adjoint_once_all_contributions_have_come(run):
    graph = ("graph", "x*sin(x)*cos(x)", "--at", "x=2", "--stage")
    line = "adjoint of x so far = -0.378401 (from v3) - 1.65364 (from v4) = -2.03204\n"
    assert run(*graph, "11").out.endswith(line)
    assert "so far" not in run(*graph, "12").out
    assert "adjoint of x = 0.346356 (from v2) - 0.378401" in run(*graph, "12").out


def test_without_values_the_graph_alone_is_drawn(run):
    result = run("graph", "(a*b+c)^2")
    assert result.out.startswith("(a*b+c)^2\n\na ─╮")
    assert result.out.rstrip().endswith("c ───────────┴─▶ v5 + ─▶ v6 (·)²")


def test_names_in_wide_characters_move_no_line(run):
    out = run("graph", "温度*x", "--at", "温度=1,x=2").out
    assert "\n温度 ─┬─▶ v3 ×\n2     │   1\n      │\n2     │\nx ────╯\n" in out
    assert "note: the drawing is 84 columns wide" in run("graph", f"{'温' * 37}*x").out


def test_variables_are_drawn_that_stand_behind_another(run):
    result = run("graph", "sqrt(if(z>v,x,x))/(tanh(z)+sqrt(u))")
    assert (result.code, result.err) == (0, "")
    assert "\nz ─" in result.out
    assert all(f"\n     {name} ─" in result.out for name in "vxu")


@pytest.mark.parametrize(
    ("end", "begins"),
    [("svg", "<svg "), ("dot", "digraph"), ("mmd", "flowchart LR"), ("json", "{")],
)
def test_the_name_of_the_file_says_its_format(run, tmp_path, end, begins):
    path = tmp_path / f"graph.{end}"
    result = run(*BAYDIN, "-o", str(path))
    assert (result.code, result.out, result.err) == (0, "", "")
    text = path.read_text(encoding="utf-8")
    assert text.startswith(begins)
    assert text.endswith("\n")
    format_ = {"mmd": "mermaid"}.get(end, end)
    assert run(*BAYDIN, "--format", format_).out == text


def test_json_has_the_numbers_in_full(run):
    graph = json.loads(run(*BAYDIN, "--format", "json").out)
    assert graph["nodes"][2] == {
        "name": "v3", "symbol": "ln", "formula": "ln(x1)", "value": 0.6931471805599453, "adjoint": 1,
        "kind": "operation", "reached": True, "blocked": False, "hidden": 0,
    }  # fmt: skip
    assert graph["edges"][0] == {"operand": "x1", "node": "v3", "partial": 0.5, "contribution": 0.5, "reached": True}  # fmt: skip


def test_a_graph_at_a_corner_says_which_partial_is_missing(run):
    result = run("graph", "abs(x)*y", "--at", "x=0,y=2")
    assert result.code == 3
    assert "∂/∂x does not exist at x = 0" in result.err
    assert "v3 abs" in result.out
    assert run("graph", "abs(x)*y", "--at", "x=0,y=2", "--subgradient").code == 0


def test_one_folded_node_is_told_as_one(run):
    out = run("graph", "x*sin(cos(x))", "--depth", "1").out
    assert "1 node is folded into others" in out


def test_what_is_wider_than_the_terminal_is_listed(run):
    wide = run("graph", "ln(exp(z1)+exp(z2)+exp(z3)+exp(z4)) - z2", "--at", "z1=1,z2=2,z3=1,z4=1")  # fmt: skip
    assert "columns wide: this is a list of its nodes" in wide.out
    assert "v13   v12 - z2" in wide.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ln(x)", "--at", "x=-1"), "ln needs an argument > 0"),
        (("x*y", "--at", "y=1"), "there is no value for x"),
        (("x^2", "--at", "x=1", "--stage", "half"), "a stage is values, all"),
        (("x^2", "--stage", "half"), "a stage is values, all"),
        (("x^2", "--at", "x=1", "-o", "f.txt"), "cannot tell the format of f.txt"),
        (("x*y", "--at", "x=[1,2],y=2"), "in arrays has no numbers"),
        (("x @ y", "--at", "x=1,y=2"), "a matrix product does not go with the shape"),
        (("x @ y", "--at", "x=[1,2]"), "there is no value for y"),
        (("x^2", "-o", "no/such/folder/f.svg"), "cannot write"),
        (("x^2", "-o", "~nobody-of-that-name/f.svg"), "cannot write ~nobody"),
    ],
)
def test_what_cannot_be_drawn_is_one_diagnostic(run, arguments, message):
    result = run("graph", *arguments)
    assert result.code in (2, 3)
    assert message in result.err
    assert result.out == ""


def test_a_session_draws_graphs_and_writes_them(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "work.eg"
    script.write_text("x = 2\n:graph x^2 at x=3\nx^3\n:graph f.svg\n", encoding="utf-8")
    out = run("run", str(script)).out
    assert "x ─▶ v2 (·)²\n6    1" in out
    assert "wrote f.svg" in out
    assert ">12<" in (tmp_path / "f.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_page_has_the_subgradient_that_its_table_has(run, tmp_path):
    page = tmp_path / "page.html"
    arguments = ("eval", "relu(x)*y", "--at", "x=0,y=3", "--html", str(page))
    assert run(*arguments, "--subgradient").code == 0
    assert 'class="node operation blocked"' not in page.read_text("utf-8")
    assert run(*arguments).code == 3
    assert 'class="node operation blocked"' in page.read_text("utf-8")


@pytest.mark.slow
def test_commands_and_sessions_write_the_page(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("graph", "x^2", "--at", "x=3", "-o", "a.html").code == 0
    result = run("eval", "x^2", "--at", "x=3", "--html", "b.html")
    assert (result.code, "x^2 = 9" in result.out) == (0, True)
    (tmp_path / "s.eg").write_text(":graph x^2 at x=3 c.html\n", encoding="utf-8")
    assert "wrote c.html" in run("run", "s.eg").out
    pages = [(tmp_path / f"{name}.html").read_bytes() for name in "abc"]
    assert pages[0] == pages[1] == pages[2]
    assert "a walk needs values" in run("graph", "x^2", "-o", "a.html").err
