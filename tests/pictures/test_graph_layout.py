"""Pictures of graphs, judged by their SVG alone: boxes, edges as polylines, labels by their widths."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest

import exprgrad
from exprgrad.pictures.graph import (
    ADJOINT,
    SMALL,
    SYMBOL,
    TAB,
    VALUE,
    Graph,
    graph_of,
    laid_out,
)
from exprgrad.pictures.layers import text_width

SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"symbol": SYMBOL, "value": VALUE, "adjoint": ADJOINT, "name": SMALL, "partial": SMALL, "contribution": SMALL}  # fmt: skip
Area = tuple[float, float, float, float]

TUTORIALS = {
    "(a*b+c)^2": {"a": 2, "b": 3, "c": 1},
    "ln(x1) + x1*x2 - sin(x2)": {"x1": 2, "x2": 5},
    "tanh(x1*w1 + x2*w2 + b)": {"x1": 2, "x2": 0, "w1": -3, "w2": 1, "b": 6.88},
    "ln(exp(z1)+exp(z2)+exp(z3)+exp(z4)) - z2": {"z1": 1, "z2": 2, "z3": 0.5, "z4": -1},
    "(x + y)*(y + 1)": {"x": 2, "y": 3},
    "(x + y)*z": {"x": -2, "y": 5, "z": -4},
    "1/(1 + exp(-(w0*x0 + w1*x1 + w2)))": {
        "w0": 2,
        "x0": -1,
        "w1": -3,
        "x1": -2,
        "w2": -3,
    },
    "max(x, y)*z": {"x": 3, "y": -4, "z": 2},
    "x*y + sin(x)": {"x": 0.5, "y": 4.2},
    "x^2": {"x": 3},
    "(a - 2)^2 + (b + 1)^2": {"a": 0, "b": 0},
    "(a + b)*(b + 1)": {"a": 2, "b": 1},
    "relu(w*x + b)": {"w": 2, "x": 1, "b": -1},
    "(y - (w*x + b))^2": {"w": 2, "x": 1, "b": -1, "y": 4},
    "sin(cos(exp(x)))": {"x": 0.5},
    "x*exp(-x^2/2)": {"x": 1},
    "sqrt(x^2 + y^2)": {"x": 3, "y": 4},
    "x^3 - 3*x": {"x": 2},
    "(sigma/r)^12 - (sigma/r)^6": {"sigma": 1, "r": 1.2},
    "a*x^2 + b*x + c": {"a": 1, "b": 2, "c": 3, "x": 4},
}
"""Graphs that tutorials of automatic differentiation draw."""


def shared(rng: random.Random, count: int) -> Graph:
    """A graph of so many nodes whose parts are used again and again."""
    names = [f"x{i}" for i in range(rng.randint(1, 6))]
    values = [exprgrad.Value(rng.uniform(-2, 2), name) for name in names]
    while len(values) < count:
        a, b = rng.choice(values[-12:]), rng.choice(values)
        kinds = [a + b, a * b, a.sin(), a - b, (b * 0.3).tanh(), a / 3]
        values.append(rng.choice(kinds))
    root = values[-1]
    for value in values[len(names) : -1]:
        root = root + value if rng.random() < 0.1 else root
    from exprgrad.expressions.expression import Expression

    whole = Expression.of(root)
    return graph_of(whole, {n: rng.uniform(-2, 2) for n in whole.variables}, depth=0)


def polyline(path: str) -> list[tuple[float, float]]:
    """The points of a path, close together."""
    found: list[tuple[float, float]] = []
    for kind, rest in re.findall(r"([MLC])([^MLC]*)", path):
        n = [float(v) for v in rest.split()]
        if kind != "C":
            found.append((n[0], n[1]))
            continue
        (a, b), (c, d, e, f, x, y) = found[-1], n
        for i in range(1, 9):
            t, s = i / 8, 1 - i / 8
            w = s**3, 3 * s * s * t, 3 * s * t * t, t**3
            found.append(
                (
                    w[0] * a + w[1] * c + w[2] * e + w[3] * x,
                    w[0] * b + w[1] * d + w[2] * f + w[3] * y,
                )
            )
    return found


def overlap(a: Area, b: Area) -> bool:
    return a[0] < b[2] - 0.5 and b[0] < a[2] - 0.5 and a[1] < b[3] - 0.5 and b[1] < a[3] - 0.5  # fmt: skip


def enters(points: list[tuple[float, float]], area: Area) -> bool:
    """Whether a polyline comes into an area: its pieces are short where it bends."""
    for (a, b), (x, y) in pairwise(points):
        if max(a, x) < area[0] + 0.5 or min(a, x) > area[2] - 0.5:
            continue
        if max(b, y) < area[1] + 0.5 or min(b, y) > area[3] - 0.5:
            continue
        if b == y:
            return True
        for i in range(9):
            p, q = a + (x - a) * i / 8, b + (y - b) * i / 8
            if area[0] + 0.5 < p < area[2] - 0.5 and area[1] + 0.5 < q < area[3] - 0.5:
                return True
    return False


def area_of(text: ET.Element) -> Area:
    kind = text.get("class") or ""
    size, x, y = SIZES[kind], float(text.get("x", 0)), float(text.get("y", 0))
    long = text_width(text.text or "", size)
    left = x - long if kind in ("value", "adjoint", "partial") else x
    return left, y - 0.8 * size, left + long, y + 0.1 * size


def faults(svg: str) -> Iterator[str]:
    """What is wrong with a picture."""
    root = ET.fromstring(svg)
    high, wide = float(root.get("height", 0)), float(root.get("width", 0))
    boxes: dict[str, Area] = {}
    beside: list[Area] = []
    for group in root.iter(f"{SVG}g"):
        rect = group.find(f"{SVG}rect")
        assert rect is not None
        x, y, w, h = (float(rect.get(k, 0)) for k in ("x", "y", "width", "height"))
        tab = TAB if group.find(f"{SVG}path") is not None else 0.0
        boxes[group.get("data-n", "")] = area = (x, y, x + w, y + h + tab)
        own = [(t, area_of(t)) for t in group.iter(f"{SVG}text")]
        beside += [place for t, place in own if t.get("class") == "name"]
        inside = [(t, place) for t, place in own if t.get("class") != "name"]
        for t, place in inside:
            if place[0] < area[0] or place[2] > area[2] or place[3] > area[3]:
                yield f"{t.text} leaves its box"
        yield from (
            "texts in a box overlap"
            for (_, a), (_, b) in combinations(inside, 2)
            if overlap(a, b)
        )
        if x < 0 or y < 0 or area[2] > wide or area[3] > high:
            yield "a box leaves the picture"
    ordered = sorted(boxes.items(), key=lambda item: item[1][0])
    for i, (name, a) in enumerate(ordered):
        for other, b in ordered[i + 1 :]:
            if b[0] >= a[2]:
                break
            if overlap(a, b):
                yield f"{name} and {other} overlap"
    labels = [area_of(t) for t in root.findall(f"{SVG}text")] + beside
    edges = [p for p in root.iter(f"{SVG}path") if p.get("data-from")]
    for edge in edges:
        points = polyline(edge.get("d", ""))
        ends = edge.get("data-from"), edge.get("data-to")
        for name, area in boxes.items():
            if name not in ends and enters(points, area):
                yield f"the edge {ends} passes under {name}"
        for label in labels:
            if enters(points, label):
                yield f"the edge {ends} passes through a label"
    for label in labels:
        for name, area in boxes.items():
            if overlap(label, area):
                yield f"a label lies over {name}"
    labels.sort()
    for i, a in enumerate(labels):
        for b in labels[i + 1 :]:
            if b[0] >= a[2]:
                break
            if overlap(a, b):
                yield "two labels overlap"


@pytest.mark.parametrize("source", TUTORIALS)
def test_graphs_of_tutorials_have_no_fault_and_no_crossing(source: str):
    for stage in ("values", "all"):
        graph = graph_of(exprgrad.parse(source), TUTORIALS[source], stage)
        assert list(faults(graph.svg())) == []
        assert laid_out(graph)[0].crossed == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_graphs_have_no_fault_and_no_more_room_than_they_need(seed: int):
    rng = random.Random(seed)
    for _ in range(4):
        graph = shared(rng, rng.randint(5, 60))
        svg = graph.svg()
        assert list(faults(svg)) == []
        size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
        assert size is not None
        area = float(size[1]) * float(size[2])
        assert area < 120_000 * len(graph.nodes)


def horner(count: int) -> str:
    text = "a0"
    for i in range(1, count):
        text = f"({text}*x + a{i})"
    return text


LARGE = {
    "a sum": "+".join(f"tanh({i}*x{i % 10} + y{i % 7} + 1)^2" for i in range(1, 15)),
    "a polynomial": horner(25),
    "a layer": "+".join(f"v{i}*tanh({'+'.join(f'w{i}_{j}*x{j}' for j in range(6))})" for i in range(6)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_large_graphs_have_no_fault_and_bounded_room_for_each_node(kind: str):
    expression = exprgrad.parse(LARGE[kind])
    graph = graph_of(expression, dict.fromkeys(expression.variables, 0.3), depth=0)
    svg = graph.svg()
    assert list(faults(svg)) == []
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert size is not None
    assert len(graph.nodes) > 60
    assert float(size[1]) * float(size[2]) < 120_000 * len(graph.nodes)


@pytest.mark.slow
def test_many_contributions_to_one_node_are_listed_beside_it():
    graph = graph_of(exprgrad.parse("+".join(f"sin({i}*x)" for i in range(1, 12))), {"x": 0.5})  # fmt: skip
    svg = graph.svg()
    assert list(faults(svg)) == []
    assert len(re.findall(r'class="contribution">[+−][\d.]+ from v\d+<', svg)) == 11
