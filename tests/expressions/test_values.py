"""Graphs that were built of `Value`s can be written, traced, drawn and walked through."""

from __future__ import annotations

import pytest

import exprgrad
from exprgrad import Value, parse


def example():
    a, b, c = Value(2.0, name="a"), Value(3.0, name="b"), Value(1.0, name="c")
    return (a * b + c) ** 2


def test_a_graph_is_the_expression_that_was_meant():
    assert str(example().expression()) == "(a*b + c)^2"
    assert example().expression().variables == ("a", "b", "c")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Value(2.0).sin(), "sin(x)"),
        (lambda: Value(2.0) * Value(3.0), "x1*x2"),
        (lambda: Value(2.0, name="x1") * Value(3.0), "x1*x"),
        (lambda: Value(2.0, name="x") * Value(3.0), "x*x1"),
        (lambda: Value(2.0, name="w") * Value(3.0, name="w"), "w*x1"),
        (lambda: Value(2.0, name="no name") * Value(3.0, name="sin"), "x1*x2"),
        (lambda: 2 * Value(3.0, label="z") + 0.1, "2*z + 0.1"),
    ],
)
def test_leaves_without_a_usable_name_are_called_x(make, text):
    assert str(make().expression()) == text


def test_a_part_that_is_used_twice_stays_one():
    a = Value(3.0, name="a")
    d = a * a
    assert len((d + d).expression().tape.steps) == 2


def test_a_trace_is_that_of_the_command_line(capsys):
    from exprgrad.cli.start import run

    assert run(["eval", "(a*b + c)^2", "--at", "a=2,b=3,c=1", "--trace"]) == 0
    printed = capsys.readouterr().out
    tables = str(example().trace())
    assert "v5    v6    power    2*v5     1 × 14 = 14" in tables
    assert all(line in printed for line in tables.splitlines())


def test_the_numbers_of_the_graph_are_those_of_backward():
    root = example()
    root.backward()
    drawn = {node.name: node for node in root.graph().nodes}
    assert [drawn[n].adjoint for n in "abc"] == [42, 28, 14]
    assert root.graph() == parse("(a*b + c)^2").graph({"a": 2, "b": 3, "c": 1})
    assert root._repr_svg_() == root.graph().svg()


@pytest.mark.slow
def test_a_page_walks_through_it(tmp_path):
    path = example().walk(tmp_path / "walk.html")
    assert "(a*b + c)^2" in path.read_text(encoding="utf-8")


def test_what_has_no_numbers_is_refused():
    with pytest.raises(exprgrad.ExprgradError, match="a number in every leaf"):
        (Value(name="x") * 2).trace()
    with pytest.raises(exprgrad.ExprgradError, match="a number in every leaf"):
        Value([1.0, 2.0]).sum().trace()
    assert Value(2.0)._repr_svg_() is None


def test_variables_give_their_names():
    a, b = Value(2.0), Value(3.0, name="beta")
    weights = [Value(1.0), Value(-1.0)]
    loss = a * b
    exprgrad.named({**locals(), "_hidden": Value(1.0)})
    assert [v.name for v in (a, b, *weights, loss)] == ["a", "beta", "weights1", "weights2", "loss"]  # fmt: skip


def test_what_draws_the_graphs_of_micrograd_draws_these():
    root = example()
    nodes, edges = set(), set()

    def build(v):
        if v not in nodes:
            nodes.add(v)
            for child in v._prev:
                edges.add((child, v))
                build(child)

    build(root)
    drawn = [f"{v.label} | {v.data:.4f} | {v.grad:.4f} | {v._op}" for v in nodes]
    assert "a | 2.0000 | 0.0000 | " in drawn
    assert {v._op for v in nodes} == {"", "*", "+", "^"}
    assert len(nodes) == 7
    assert len(edges) == 6


@pytest.mark.parametrize("value", [Value(2.0), Value([2.0]), Value(2.0).exp()])
def test_an_error_names_value_and_no_class_within(value):
    with pytest.raises(
        AttributeError, match=r"^'Value' object has no attribute 'foo'$"
    ):
        _ = value.foo


# What PyTorch has


def test_a_sweep_starts_from_a_gradient():
    a = Value(2.0)
    (a * 3).backward(2.0)
    assert a.grad == 6
    x = Value([1.0, 2.0, 3.0])
    (x * x).backward([1.0, 0.5, 0.0])
    assert x.grad.tolist() == [2, 2, 0]
    with pytest.raises(exprgrad.ExprgradError, match="shape"):
        (x * x).backward([1.0])


def test_one_number_is_an_item():
    assert Value(2.0).item() == Value([2.0]).item() == 2
    for value in (Value([1.0, 2.0]), Value(name="x")):
        with pytest.raises(exprgrad.ExprgradError, match="one number"):
            value.item()


def test_nodes_but_constants_require_a_gradient_and_say_what_made_them():
    a = Value(2.0)
    product = a * 3
    assert a.requires_grad
    assert product.requires_grad
    assert not product.operands[1].requires_grad
    assert a.grad_fn is None
    assert str(product.grad_fn) == "<operation x*y>"


@pytest.mark.parametrize(
    "call",
    [
        lambda: exprgrad.named("implicit"),
        lambda: exprgrad.zero_grad("x"),
        lambda: exprgrad.zero_grad([1.0]),
        lambda: exprgrad.zero_grad(3),
        lambda: example().walk(3),
        lambda: example().walk("walk"),
    ],
)
def test_what_is_no_value_is_refused(call):
    with pytest.raises(exprgrad.ExprgradError):
        call()


def test_a_list_is_cleared():
    weights = [Value(1.0), Value([1.0, 2.0])]
    (weights[0] * weights[1].sum()).backward()
    exprgrad.zero_grad(weights)
    assert weights[0].grad == 0
    assert weights[1].grad.tolist() == [0, 0]
