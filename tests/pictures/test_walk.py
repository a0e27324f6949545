"""The page that walks through both sweeps: its steps are those of the trace, and it needs nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import exprgrad
from exprgrad.errors import UsageError
from exprgrad.expressions.trace import Forward, Reverse, trace
from exprgrad.pictures.graph import at_stages
from exprgrad.pictures.walk import MOST_NODES, walk_page
from tests.golden import compare

BAYDIN = exprgrad.parse("ln(x1) + x1*x2 - sin(x2)").evaluate({"x1": 2, "x2": 5})
PAGE = walk_page(BAYDIN)


def data(page: str) -> dict[str, Any]:
    """What the script has of the expression."""
    return dict(json.loads(re.findall(r"const walk = (.*);", page)[0]))


def test_the_steps_are_those_of_the_walk():
    walk = trace(BAYDIN, own_names=True).walk()
    edges = [(step.operand, step.node, step.total) for step in walk if isinstance(step, Reverse)]  # fmt: skip
    found = data(PAGE)
    assert [(e["operand"], e["node"], own[2]) for e, own in zip(found["edges"], found["given"]["edges"], strict=True)] == edges  # fmt: skip
    assert found["given"]["values"] == {s.name: s.value for s in walk if isinstance(s, Forward)}  # fmt: skip


def test_without_its_script_the_page_shows_everything_at_once():
    rows = re.findall(r'<tr class="[fr]"[^>]*>(.*?)</tr>', PAGE)
    cells = [[re.sub("<.*?>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row)] for row in rows]  # fmt: skip
    assert ["v4", "x1·x2", "2 × 5", "10"] in cells
    assert ["x1", "v3", "1/x1", "1 × 0.5 = 0.5", "5.5"] in cells
    assert ["∂/∂x2", "1.716337815"] in [cell[::2] for cell in cells]
    assert 'data-k="0">0.5</text>' in PAGE


def test_an_edge_of_the_picture_belongs_to_every_contribution():
    edges = [edge["k"] for edge in data(PAGE)["edges"]]
    assert sorted(edges) == list(range(8))
    for k in edges:
        assert 'class="edge" d="' in PAGE
        assert PAGE.count(f'data-k="{k}"') >= 4


@pytest.mark.slow
def test_a_branch_that_is_not_taken_is_there_for_other_points():
    page = walk_page(exprgrad.parse("if(x > 1, x^2, sin(x))").evaluate({"x": 2}))
    found = data(page)
    assert len(found["edges"]) == 6
    assert sum(own is None for own in found["given"]["edges"]) == 2
    assert len(re.findall(r'<tr [^>]*hidden="hidden"', page)) == 3


def test_the_page_is_one_file_without_a_network():
    assert len(PAGE.encode()) < 110_000
    assert re.findall(r'(?:src|href)="', PAGE) == []
    assert set(re.findall(r"https?://[^\"'\s]*", PAGE)) == {"http://www.w3.org/2000/svg"}  # fmt: skip
    assert PAGE.count("<style>") == 2
    assert "prefers-reduced-motion" in PAGE
    assert "prefers-color-scheme:dark" in PAGE


def test_texts_of_the_expression_cannot_become_a_script():
    page = walk_page(exprgrad.parse("x^2 # </script><script>alert(1)").evaluate({"x": 1}))  # fmt: skip
    assert page.count("<script>") == 1


def test_what_cannot_be_walked_through_is_one_diagnostic():
    with pytest.raises(UsageError):
        walk_page(exprgrad.parse("7").evaluate({}))


@pytest.mark.slow
def test_a_large_graph_is_walked_through_by_stages():
    text = "x"
    for i in range(150):
        text = f"tanh({text}*w{i % 3} + {i % 7}/10)"
    found = exprgrad.parse(text).evaluate({"x": 0.3, "w0": 0.5, "w1": 0.7, "w2": 0.9})
    assert len(found.expression.tape.steps) > MOST_NODES
    page = walk_page(found)
    assert " operations are folded into " in page
    assert "stage1(" in page
    folded = at_stages(found)
    assert len(folded.expression.tape.steps) < 120
    assert folded.value == pytest.approx(found.value, rel=1e-12)
    assert folded.gradient == pytest.approx(found.gradient, rel=1e-9)
    corner = exprgrad.parse(text.replace("x", "abs(x)", 1))
    with pytest.raises(exprgrad.ExprgradError, match="stage1 has no derivative there"):
        walk_page(corner.evaluate({"x": 0, "w0": 0.5, "w1": 0.7, "w2": 0.9}))
    chosen = corner.evaluate(
        {"x": 0, "w0": 0.5, "w1": 0.7, "w2": 0.9}, subgradient=True
    )
    assert at_stages(chosen).gradient == pytest.approx(chosen.gradient, rel=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_is_javascript(tmp_path):
    path = tmp_path / "walk.js"
    (script,) = re.findall(r"<script>(.*?)</script>", PAGE, re.DOTALL)
    path.write_text(script, encoding="utf-8")
    subprocess.run(["node", "--check", str(path)], check=True, timeout=60)


@pytest.mark.slow
def test_a_large_expression_has_its_numbers_without_derivations():
    long = exprgrad.parse("+".join(f"sin({i}*x)" for i in range(1, 40))).evaluate({"x": 1})  # fmt: skip
    page = walk_page(long)
    assert "<details>" not in page


@pytest.mark.slow
def test_steps_for_which_there_is_no_room_are_said_to_be_missing():
    many = "*".join(f"sin(x{i})" for i in range(1, 12))
    page = walk_page(exprgrad.parse(many).evaluate({f"x{i}": 1 for i in range(1, 12)}))
    assert "There is no room for the steps to ∂/∂x11." in page
    assert len(page.encode()) < 210_000


def test_partials_that_are_not_known_are_said_to_be_so():
    page = walk_page(exprgrad.parse("abs(x)").evaluate({"x": 0}))
    assert "<td>does not exist</td>" in page


class Outline(HTMLParser):
    """The elements of a page with their names, one a line; of equal ones in a row the first, of pictures and formulas the outermost."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.lines: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        if tag == "meta":
            return
        name = tag + "".join(f"#{facts['id']}" for _ in range("id" in facts))
        name += "".join(f".{c}" for c in (facts.get("class") or "").split())
        line = f"{'  ' * len(self.open)}{name}"
        same = [own for own in self.lines if len(own) - len(own.lstrip()) <= 2 * len(self.open)]  # fmt: skip
        if not {"svg", "math", "tr", "details"} & set(self.open) and same[-1:] != [line]:  # fmt: skip
            self.lines.append(line)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass


def test_the_structure_of_the_page_is_as_its_pictures_show_it():
    outline = Outline()
    outline.feed(PAGE)
    golden = Path(__file__).parent.parent / "golden" / "pages" / "walk_structure.txt"
    compare(golden, "\n".join(outline.lines) + "\n")


@pytest.mark.parametrize(("name", "wide"), [("walk", 1280), ("walk_dark", 1280), ("walk_narrow", 400)])  # fmt: skip
def test_pictures_of_the_page_are_on_file(name, wide):
    data = (Path(__file__).parents[2] / "samples" / f"{name}.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(data[16:20]) == wide
    assert len(data) < 60_000
