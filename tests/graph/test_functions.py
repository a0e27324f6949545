"""Operations of one's own: classes with forward and backward, and pairs of functions."""

from __future__ import annotations

import copy
import math
import pickle
import random

import numpy as np
import pytest

import exprgrad
from exprgrad import Function, NotDifferentiableError, Value, operation
from exprgrad.errors import UsageError
from tests.strategies import restored


class Cube(Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x**3

    def backward(self, gradient):
        (x,) = self.saved_tensors
        return gradient * 3 * x**2


class Product(Function):
    """With a context in front, as in PyTorch."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, gradient):
        x, y = ctx.saved_tensors
        return gradient * y, gradient * x


class Power(Function):
    def forward(self, x, *, power):
        self.save_for_backward(x)
        self.power = power
        return x**power

    def backward(self, gradient):
        (x,) = self.saved_tensors
        return gradient * self.power * x ** (self.power - 1)


def test_classes_take_part_in_a_graph():
    a = Value(2.0)
    root = Product.apply(Cube.apply(a), a) + Power.apply(a, power=2)
    root.backward()
    assert root.data == 20
    assert a.grad == 4 * 2**3 + 2 * 2


def test_classes_work_on_arrays():
    x = Value([1.0, 2.0])
    root = (Cube.apply(x) * x).sum()
    root.backward()
    assert root.data == 17
    assert x.grad.tolist() == [4, 32]


class Weighted(Function):
    def forward(self, x, weights):
        self.weights = weights
        return x * sum(weights)

    def backward(self, gradient):
        return gradient * sum(self.weights)


@pytest.mark.parametrize("weights", [[1, 2], np.array([1.0, 2.0]), (1, 2)])
def test_named_arguments_may_be_lists_and_arrays(weights):
    x = Value(2.0)
    for node in (y := Weighted.apply(x, weights=weights), copy.deepcopy(y)):
        node.backward()
        assert (node.data, node.operands[0].grad) == (6, 3)


def test_numbers_and_arrays_go_together():
    x, c = Value([1.0, 2.0]), 3.0
    Product.apply(x, c).sum().backward()
    assert x.grad.tolist() == [3, 3]


def test_two_functions_are_an_operation():
    tanh = operation(math.tanh, lambda x: 1 - math.tanh(x) ** 2)
    x = Value(0.5)
    tanh(x).backward()
    assert x.grad == pytest.approx(exprgrad.parse("tanh(x)").gradient({"x": 0.5})["x"])
    root = operation(lambda x, y: x / y, lambda x, y: (1 / y, -x / y**2), "ratio")(x, 4.0)  # fmt: skip
    assert root.operation.name == "ratio"
    assert root.data == 0.125


def test_they_are_shown_by_their_names():
    x = Value(2.0, name="x")
    root = Cube.apply(x) + 1
    assert str(root.expression()) == "Cube(x) + 1"
    assert "dCube/d(x)" in str(root.trace())
    assert [node.symbol for node in root.graph().nodes] == ["x", "Cube", "· + 1"]
    assert {node.adjoint for node in root.graph().nodes} == {12, 1}


def test_a_corner_is_no_mistake():
    ramp = operation(lambda x: max(0.0, x), lambda x: float(x > 0), "ramp")
    x = Value(0.0)
    ramp(x).backward()
    assert x.grad == 0


def _slips(seed):
    """A wrong derivative of a polynomial, another for each seed, with the polynomial."""
    source = random.Random(seed)
    a, b, c = (source.choice([-3, -2, 2, 3, 5]) for _ in range(3))
    wrong = source.choice(
        [
            lambda x: 3 * a * x**2 + b,  # a term is lost
            lambda x: 2 * a * x**2 + 2 * b * x + c,  # a power is lost
            lambda x: -(3 * a * x**2 + 2 * b * x + c),
            lambda x: 3 * a * x**2 + b * x + c,
            lambda x: 1.01 * (3 * a * x**2 + 2 * b * x + c),
        ]
    )
    return lambda x: a * x**3 + b * x**2 + c * x, wrong, source.uniform(-2, 2)


@pytest.mark.parametrize("seed", range(50))
def test_a_wrong_backward_is_refused_with_the_place_and_both_slopes(seed):
    forward, wrong, at = _slips(seed)
    node = operation(forward, wrong, "cubic")(Value(at))
    with pytest.raises(
        NotDifferentiableError,
        match=r"backward of cubic is not the derivative of its forward: at \(.+\) it gives .+, differences give .+",
    ):
        node.backward()


def test_what_cannot_be_is_refused():
    with pytest.raises(UsageError, match="needs forward and backward"):
        Function.apply(Value(1.0))
    two = operation(lambda x: x, lambda x: (1.0, 1.0), "two")
    with pytest.raises(UsageError, match="2 adjoints for 1 operands"):
        two(Value(1.0)).backward()


@pytest.mark.parametrize(
    "ask",
    [
        lambda f: f.evaluate({"x": 2.0}),
        lambda f: f.derivative("x"),
        lambda f: f.compile()(2.0),
        lambda f: exprgrad.check(f, "3x^2"),
        lambda f: exprgrad.directional(f, {"x": 2.0}, {"x": 1.0}),
        lambda f: exprgrad.compare(f, {"x": 2.0}),
    ],
)
def test_what_takes_a_formula_or_bounds_says_that_there_are_none(ask):
    with pytest.raises(UsageError, match=r"Cube has (no bounds|values and slopes)"):
        ask(Cube.apply(Value(2.0)).expression())


def test_without_bounds_there_are_values():
    found = Cube.apply(Value(2.0)).expression().evaluate({"x": 3.0}, refine=False)
    assert (found.value, found.gradient) == (27, {"x": 27})


def test_copies_and_pickles_compute_as_before():
    x = Value(2.0, name="x")
    for copied in (
        copy.deepcopy(Cube.apply(x)),
        pickle.loads(pickle.dumps(Cube.apply(x))),
    ):
        copied.backward()
        assert copied.operands[0].grad == 12
    values = pickle.loads(pickle.dumps(Cube.apply(Value(np.array([1.0, 2.0])))))
    assert values.data.tolist() == [1, 8]


SWISH = "swish(x) = x*sigmoid(x)", "sigmoid(x) + swish*(1 - sigmoid(x))"


def test_an_operation_of_texts_is_a_row_of_the_table():
    with restored("swish"):
        swish = operation(*SWISH)
        x = Value(1.5, name="x")
        swish(x).backward()
        f = exprgrad.parse("swish(x)")
        assert x.grad == pytest.approx(exprgrad.parse("x*sigmoid(x)").gradient({"x": 1.5})["x"])  # fmt: skip
        found = f.evaluate({"x": 0.25}, digits=30).known("").decimal(30)
        assert found == exprgrad.parse("x*sigmoid(x)").evaluate({"x": 0.25}, digits=30).known("").decimal(30)  # fmt: skip
        assert f.compile()(1.5)[1][0] == pytest.approx(x.grad)
        assert exprgrad.check("swish(x)", str(f.derivative("x"))).status == "correct"
        assert exprgrad.gradcheck(f, {"x": 0.5}).agrees
        operation(*SWISH)  # once more
    assert "swish" not in exprgrad.operations.operation.TABLE


@pytest.mark.parametrize(
    ("text", "partials", "message"),
    [
        (
            "cube_(x) = x^3",
            "2*x^2",
            "backward of cube_ is not .* at .0.7. it gives 0.98",
        ),
        ("half(x, y) = x^2*y", ["2*x*y", "x"], "backward of half is not"),
        ("cube_(x) = x^3", ["1", "2"], "needs 1 local partials"),
        ("sin(x) = x", "1", "table already"),
        ("cube_ = 3", "1", "is declared as"),
        ("tenth(x) = x/10 + 0.1", "1/10", "are whole"),
    ],
)
def test_texts_that_are_no_operation_are_refused(text, partials, message):
    with pytest.raises(exprgrad.ExprgradError, match=message):
        operation(text, partials)


def _run_of(kind):
    """A class or pair at work on a number: values and slopes as the tests of the table ask for them."""
    rng = random.Random(5)
    for _ in range(20):
        x = rng.uniform(0.2, 3)
        leaf = Value(x)
        node = kind(leaf)
        node.backward()
        h = 1e-6
        slope = (kind(Value(x + h)).data - kind(Value(x - h)).data) / (2 * h)
        yield leaf, node, slope


@pytest.mark.parametrize(
    "kind",
    [Cube.apply, operation(lambda x: x**3, lambda x: 3 * x**2, "cube")],
    ids=["class", "pair"],
)
def test_own_operations_pass_what_rows_of_the_table_pass(kind):
    for leaf, node, slope in _run_of(kind):
        x = leaf.data
        assert node.data == x**3  # the kernel's value
        assert leaf.grad == pytest.approx(slope, rel=1e-6)  # central differences
        named = Value(x, name="x")
        root = kind(named) * named
        f = root.expression()
        reverse = f.evaluate({"x": x}, refine=False)
        forward = f.evaluate({"x": x}, mode="forward", refine=False)
        assert forward.gradient["x"] == pytest.approx(reverse.gradient["x"])
        root.backward()
        assert named.grad == pytest.approx(4 * x**3)
        rows = Value([x, 2 * x])  # on arrays, element by element
        found = kind(rows)
        found.backward([1.0, 1.0])
        assert rows.grad.tolist() == pytest.approx([3 * x**2, 12 * x**2])
        assert copy.deepcopy(node).data == node.data


def test_own_operations_are_walked_through(tmp_path):
    x = Value(2.0, name="x")
    path = (Cube.apply(x) + x).walk(tmp_path / "walk.html")
    assert "Cube(x)" in path.read_text(encoding="utf-8")
