"""The page that walks through both sweeps: its steps are those of the trace, and it needs nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

import exprgrad
from exprgrad.errors import UsageError
from exprgrad.expressions.trace import trace
from exprgrad.pictures.walk import MOST_NODES, SCRIPT, walk_page

BAYDIN = exprgrad.parse("ln(x1) + x1*x2 - sin(x2)").evaluate({"x1": 2, "x2": 5})
PAGE = walk_page(BAYDIN)


def steps(page: str) -> list[dict[str, str]]:
    """What the rows of the tables say."""
    return [dict(re.findall(r'data-(\w+)="([^"]*)"', row)) for row in re.findall(r"<tr class=[^>]*>", page)]  # fmt: skip


def test_the_steps_are_those_of_the_walk():
    walk = trace(BAYDIN, own_names=True).walk()
    found = steps(PAGE)
    assert len(found) == len(walk) - 1 == 16
    assert [step["step"] for step in found] == [str(i) for i in range(1, 17)]
    assert [step["node"] for step in found[:8]] == ["x1", "x2", "v3", "v4", "v5", "v6", "v7", "v7"]  # fmt: skip
    assert [step["total"] for step in found[7:]] == ["1", "1", "−1", "1", "1", "5", "5.5", "−0.283662", "1.71634"]  # fmt: skip


def test_each_step_has_a_sentence_with_the_numbers_of_the_trace():
    told = [step["told"] for step in steps(PAGE)]
    assert told[0] == "x1 = 2, an input. It is used 2 times."
    assert told[3] == "v4 = x1*x2 = 2*5 = 10."
    assert told[12] == "v4 = x1*x2, so ∂v4/∂x1 = x2 = 5; adjoint 1 × 5 = 5 is added to x1, contribution 1 of 2: 5."  # fmt: skip
    assert told[13].endswith("contribution 2 of 2: 5 + 0.5 = 5.5.")


def test_an_edge_of_the_picture_belongs_to_every_contribution():
    edges = [step["edge"] for step in steps(PAGE) if "edge" in step]
    assert sorted(edges, key=int) == [str(k) for k in range(8)]
    for k in edges:
        assert 'class="edge" d="' in PAGE
        assert PAGE.count(f'data-k="{k}"') >= 4


def test_the_page_is_one_file_without_a_network():
    assert len(PAGE.encode()) < 40_000
    assert re.findall(r'(?:src|href)="', PAGE) == []
    assert set(re.findall(r"https?://[^\"'\s]*", PAGE)) == {"http://www.w3.org/2000/svg"}  # fmt: skip
    assert PAGE.count("<style>") == 2
    assert "prefers-reduced-motion" in PAGE
    assert "prefers-color-scheme:dark" in PAGE


def test_texts_of_the_expression_cannot_become_a_script():
    page = walk_page(exprgrad.parse("x^2 # </script><script>alert(1)").evaluate({"x": 1}))  # fmt: skip
    assert page.count("<script>") == 1


def test_what_cannot_be_walked_through_is_one_diagnostic():
    long = exprgrad.parse("+".join(f"sin({i}*x)" for i in range(MOST_NODES)))
    for evaluation in (long.evaluate({"x": 1}), exprgrad.parse("7").evaluate({})):
        with pytest.raises(UsageError):
            walk_page(evaluation)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_is_javascript(tmp_path):
    path = tmp_path / "walk.js"
    path.write_text(SCRIPT, encoding="utf-8")
    subprocess.run(["node", "--check", str(path)], check=True, timeout=60)
