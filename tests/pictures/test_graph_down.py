"""The picture from top to bottom: boxes with names and tabs stand apart, and edges run between them."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest

import exprgrad
from exprgrad.pictures.graph import (
    HEIGHT,
    NAME,
    TAB,
    Graph,
    graph_down,
    graph_whole,
)

SVG = "{http://www.w3.org/2000/svg}"

EXAMPLES = [
    "(a*b+c)^2",
    "ln(x1) + x1*x2 - sin(x2)",
    "1/(1 + exp(-(w*x + b))) - y*x",
    "a*b*c + sin(a)*cos(b) + a^2/(b + c)",
    "if(x > 1, x^2, sin(x))",
    "+".join(f"sin({i}*x)" for i in range(1, 11)),
    "x^2",
]


def graph(source: str) -> Graph:
    expression = exprgrad.parse(source)
    return graph_whole(expression.evaluate(dict.fromkeys(expression.variables, 2)))


def boxes(root: ElementTree.Element) -> dict[str, tuple[float, ...]]:
    """Left, top, right and bottom of each box by its node."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        rect = group.find(f"{SVG}rect")
        if rect is not None:
            x, y, w, h = (float(rect.get(k, 0)) for k in ("x", "y", "width", "height"))
            found[group.get("data-n", "")] = (x, y, x + w, y + h)
    return found


@pytest.mark.parametrize("source", EXAMPLES)
def test_boxes_with_their_names_and_tabs_do_not_overlap(source):
    root = ElementTree.fromstring(graph_down(graph(source)))
    for (a, b, c, d), (x, y, u, v) in combinations(boxes(root).values(), 2):
        apart = c <= x or u <= a or d + TAB <= y - NAME or v + TAB <= b - NAME
        assert apart
    wide, high = float(root.get("width", 0)), float(root.get("height", 0))
    assert all(0 < a < c < wide and 0 < b < d < high for a, b, c, d in boxes(root).values())  # fmt: skip


@pytest.mark.parametrize("source", EXAMPLES)
def test_each_edge_leaves_the_foot_of_a_box_and_ends_on_top_of_another(source):
    drawn = graph(source)
    root = ElementTree.fromstring(graph_down(drawn))
    places = boxes(root)
    paths = [p for p in root.iter(f"{SVG}path") if "edge" in (p.get("class") or "")]
    assert len(paths) == len(drawn.edges)
    for edge, path in zip(drawn.edges, paths, strict=True):
        numbers = list(map(float, re.findall(r"-?[\d.]+", path.get("d", ""))))
        left, top, right, foot = places[edge.operand]
        assert left < numbers[0] < right
        assert numbers[1] == pytest.approx(foot, abs=0.2)
        left, top, right, foot = places[edge.node]
        assert left < numbers[-2] < right
        assert numbers[-1] == pytest.approx(top, abs=0.2)
        assert foot - top == pytest.approx(HEIGHT, abs=0.2)


def test_all_numbers_are_there_for_a_page_to_change():
    svg = graph_down(graph("ln(x1) + x1*x2 - sin(x2)"))
    root = ElementTree.fromstring(svg)
    kinds = [t.get("class") for t in root.iter(f"{SVG}text")]
    assert [kinds.count(k) for k in ("value", "adjoint", "partial after", "contribution")] == [7, 7, 8, 4]  # fmt: skip
