"""The graph of an expression as data: the trace's numbers, where they belong."""

from __future__ import annotations

import pytest

import exprgrad
from exprgrad.errors import UsageError
from exprgrad.expressions.trace import trace
from exprgrad.pictures import graph as graphs
from exprgrad.pictures.characters import graph_drawn
from exprgrad.pictures.graph import MOST_NODES, graph_of
from exprgrad.pictures.network import network, of_expression
from exprgrad.pictures.svg import COLOURS

SQUARE = exprgrad.parse("(a*b+c)^2")
POINT = {"a": 2, "b": 3, "c": 1}


def nodes(graph):
    return {node.name: node for node in graph.nodes}


def test_every_number_is_that_of_the_trace():
    f = exprgrad.parse("ln(x1) + x1*x2 - sin(x2)*exp(-x1)")
    traced = trace(f.evaluate({"x1": 2, "x2": 5}), own_names=True)
    graph = f.graph({"x1": 2, "x2": 5})
    assert [(n.name, n.value) for n in graph.nodes] == [(s.name, s.value) for s in traced.forward]  # fmt: skip
    totals = {step.operand: step.total for step in traced.reverse} | {traced.result: 1}
    assert {n.name: n.adjoint for n in graph.nodes} == totals
    found = sorted((e.operand, e.node, e.partial, e.contribution) for e in graph.edges)
    assert found == sorted((s.operand, s.node, s.partial, s.contribution) for s in traced.reverse)  # fmt: skip


def test_adjoints_are_absent_before_the_reverse_sweep():
    before = SQUARE.graph(POINT, stage="values")
    assert {node.value for node in before.nodes} == {2, 3, 1, 6, 7, 49}
    assert {node.adjoint for node in before.nodes} == {None}
    assert {edge.partial for edge in before.edges} == {None}
    assert "adjoint" not in before.svg().partition("</style>")[2]


def test_a_stage_is_so_many_steps_of_the_walk():
    assert [n.value for n in SQUARE.graph(POINT, stage=4).nodes] == [2, 3, 1, 6, None, None]  # fmt: skip
    found = nodes(SQUARE.graph(POINT, stage=9))
    assert (found["v5"].adjoint, found["v4"].adjoint, found["a"].adjoint) == (14, 14, None)  # fmt: skip
    assert SQUARE.graph(POINT, stage=99) == SQUARE.graph(POINT)
    for stage in (-1, "half", True, 1.5, {}):
        with pytest.raises(UsageError, match="a stage is"):
            SQUARE.graph(POINT, stage=stage)
    for depth in (-1, "half", True, 1.5, {}, [2]):
        for at in (POINT, None):
            with pytest.raises(UsageError, match="a depth is"):
                SQUARE.graph(at, depth=depth)


def test_a_part_that_is_used_twice_is_one_node_that_two_edges_leave():
    u = exprgrad.Value(0.0, "x") * 3
    f = exprgrad.parse("sin(x)")
    graph = type(f).of(u * u).graph({"x": 2})
    assert [node.symbol for node in graph.nodes] == ["x", "· × 3", "×"]
    twice = [e for e in graph.edges if e.node == graph.nodes[-1].name]
    assert [e.contribution for e in twice] == [6, 6]
    assert graph.nodes[1].adjoint == 12


def test_constants_stand_within_the_symbols():
    f = exprgrad.parse("2^x + sqrt(2)*x^2 - 3/x + max(x, 1)")
    symbols = [node.symbol for node in f.graph({"x": 2}).nodes]
    assert symbols == ["x", "2^(·)", "(·)²", "sqrt(2) × ·", "+", "3 ÷ ·", "−", "max(·, 1)", "+"]  # fmt: skip


def test_what_no_gradient_reaches_is_grey():
    f = exprgrad.parse("if(x > 0, x, y) + abs(z)")
    found = nodes(f.graph({"x": 1, "y": 2, "z": 0}))
    assert (found["y"].reached, found["y"].adjoint) == (False, None)
    assert (found["z"].reached, found["x"].reached) == (False, True)
    assert [node.blocked for node in found.values()].count(True) == 1
    assert 'class="node variable grey"' in f.graph({"x": 1, "y": 2, "z": 0}).svg()


def test_without_a_point_the_graph_has_no_numbers():
    graph = SQUARE.graph()
    assert [node.symbol for node in graph.nodes] == ["a", "b", "c", "×", "+", "(·)²"]
    assert {node.value for node in graph.nodes} == {None}
    assert 'class="value"' not in graph.svg()


def test_a_number_is_a_graph_of_one_node():
    for source in ("7", "2 + 3"):
        (node,) = exprgrad.parse(source).graph({}).nodes
        assert node.value == eval(source)  # of the lines above
        assert node.value is not None
        assert "<svg" in exprgrad.parse(source).graph().svg()


@pytest.mark.slow
def test_large_graphs_are_folded_and_say_so():
    f = exprgrad.parse(" + ".join(f"sin(w{i}*x)^2" for i in range(60)))
    at = dict.fromkeys(f.variables, 0.5)
    whole, small = f.graph(at, depth=0), f.graph(at, depth=3)
    assert whole.hidden == 0
    assert len(whole.nodes) == 300
    assert len(small.nodes) + small.hidden == 300
    assert "nodes are folded into others, from depth 3 on" in small.svg()
    inner = {node.name: node.adjoint for node in small.nodes}
    assert inner.items() <= {n.name: n.adjoint for n in whole.nodes}.items()
    reached = sum(e.contribution for e in small.edges if e.operand == "x")
    assert reached == pytest.approx(inner["x"])
    narrow = exprgrad.parse("+".join(f"sin({i}*x)" for i in range(100)))
    assert len(narrow.graph({"x": 1}).nodes) <= MOST_NODES


def test_text_from_outside_cannot_leave_its_element():
    graph = graph_of(exprgrad.parse("x + 1"), {"x": 1})
    hostile = graph._replace(title='<script>"&\x1b\x00</script>')
    assert "<script" not in hostile.svg()
    assert "\x1b" not in hostile.svg()


@pytest.mark.parametrize(
    "picture",
    [
        lambda: graph_of(SQUARE, POINT).svg(),
        lambda: exprgrad.parse("abs(x)").plot().svg(),
        lambda: exprgrad.parse("x^2 + 3*y^2").plot().svg(),
    ],
    ids=["graph", "curve", "contours"],
)
def test_pictures_have_their_colours_without_variables_of_css(picture):
    style = picture().partition("<style>")[2].partition("</style>")[0]
    assert "var(" not in style
    light, dark = style.split("@media(prefers-color-scheme:dark)")
    for name in ("ink", "value"):
        assert COLOURS[name][0] in light
        assert COLOURS[name][1] in dark


def test_other_programs_read_the_graph_too():
    graph = exprgrad.parse("if(x > 0, x*y, z)").graph({"x": 2, "y": 3, "z": 0})
    assert '"x" -> "v5" [label="3"];' in graph.dot()
    assert 'n0 -->|"3"| n4' in graph.mermaid()
    assert "style n2 " in graph.mermaid()
    assert "color=grey" in graph.dot()


@pytest.mark.parametrize(
    ("text", "units", "last"),
    [
        ("x @ w", [2, 1], ((3,), (4,))),
        ("x @ W @ w", [2, 2, 1], ((3,), (4,))),
        ("w @ relu(W @ x)", [2, 2, 1], ((3,), (4,))),
        ("relu(X @ W) @ w", [2, 2, 1], ((3,), (4,))),
        ("W @ x", [2, 2], ((1, 3), (2, 4))),
    ],
)
def test_a_vector_of_weights_leads_to_one_unit(text, units, last):
    at = {"x": [1, 2], "X": [[1, 2], [5, 6], [7, 8]], "W": [[1, 2], [3, 4]], "w": [3, 4]}  # fmt: skip
    f = exprgrad.parse(text)
    found = of_expression(f, {name: at[name] for name in f.variables})
    assert [len(layer) for layer in found.units] == units
    assert found.weights[-1] == last


def test_one_node_is_told_as_one():
    assert "A graph of 1 node with" in exprgrad.parse("x").graph({"x": 1}).svg()
    graph = exprgrad.parse("x*sin(cos(x))").graph({"x": 1}, depth=1)
    assert "1 node is folded into others" in graph.svg()


@pytest.mark.parametrize("text", ["(x @ W) @ (x @ V)", "sum(x @ W) + sum(x @ V)"])
def test_products_beside_one_another_are_no_network(text):
    at = {"x": [1, 2], "W": [[1, 2], [3, 4]], "V": [[5, 6], [7, 8]]}
    with pytest.raises(UsageError):
        of_expression(exprgrad.parse(text), at)


@pytest.mark.parametrize("inputs", [3, None, "ab", [None], [1j]])
def test_inputs_of_a_network_that_are_no_numbers_are_an_error(inputs):
    with pytest.raises(UsageError, match="the inputs of a network are a list"):
        network([], inputs)


def test_an_input_that_stands_behind_another_is_drawn_with_characters():
    drawn = graph_drawn(exprgrad.parse("b*(c*c + a*(d/(c*c)))").graph())
    text = ["".join(piece for piece, _ in line) for line in drawn]
    starts = {name: line.index(name) for name in "abcd" for line in text if line.lstrip().startswith(name)}  # fmt: skip
    assert starts["b"] < starts["a"] == starts["c"] == starts["d"]


def test_the_room_for_texts_is_reckoned_in_the_sizes_of_the_style():
    for size in (graphs.SYMBOL, graphs.VALUE, graphs.ADJOINT, graphs.SMALL):
        assert f"{size:g}px" in graphs.STYLE
