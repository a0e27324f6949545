"""Arrays: every operation's adjoints against central differences, broadcasting, and values that hold arrays."""

from __future__ import annotations

import itertools
import math
import shlex

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exprgrad
from exprgrad import Value, minimize, parse
from exprgrad.cli.start import run
from exprgrad.data.bindings import Bindings
from exprgrad.errors import ChangedDataError, DomainError, ExprgradError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.views.arrays import ArraysView
from tests.golden import HERE, compare
from tests.strategies import ROWS, regular_points

ARRAY_ROWS = [row for row in TABLE.values() if row.whole]


def differences(f, arrays, index, step=1e-5):
    """Central differences of a number by each element of one of the arrays."""
    found = np.zeros_like(arrays[index])
    for place in np.ndindex(found.shape):
        sides = []
        for sign in (1, -1):
            moved = [a.copy() for a in arrays]
            moved[index][place] += sign * step
            sides.append(f(*moved))
        found[place] = (sides[0] - sides[1]) / (2 * step)
    return found


def check(operation, arrays, *rest, wrt=None):
    """The gradient of a weighted sum of an operation's result, for each array."""
    leaves = [Value(a) for a in arrays]
    result = operation(*leaves, *rest)
    weights = np.random.default_rng(5).uniform(0.5, 1.5, result.shape)
    (result * weights).sum().backward()

    def f(*moved):
        found = operation(*(Value(a) for a in moved), *rest)
        return float((found.data * weights).sum())

    for i in range(len(arrays)) if wrt is None else wrt:
        expected = differences(f, list(arrays), i)
        assert leaves[i].grad.shape == arrays[i].shape
        np.testing.assert_allclose(leaves[i].grad, expected, rtol=2e-6, atol=2e-7)


# Pairs of shapes that broadcast, of up to three dimensions: every axis is there, 1 or missing.


def shapes():
    """All of them, of one side each as against (2, 3, 4)."""
    full = (2, 3, 4)
    for dims in range(4):
        tail = full[3 - dims :]
        for kept in itertools.product((True, False), repeat=dims):
            yield tuple(n if keep else 1 for n, keep in zip(tail, kept, strict=True))


SHAPES = sorted(set(shapes()), key=lambda s: (len(s), s))


@pytest.mark.slow
@given(st.sampled_from(SHAPES), st.sampled_from(SHAPES), st.integers(0, 999))
def test_adjoints_of_broadcast_operands_are_summed_to_their_shapes(a, b, seed):
    drawn = np.random.default_rng(seed)
    x, y = drawn.uniform(0.5, 2, a), drawn.uniform(0.5, 2, b)
    if x.ndim + y.ndim == 0:
        return
    for name in ("add", "sub", "mul", "div", "pow", "hypot", "atan2"):
        check(TABLE[name], [x, y], wrt=_with_axes(x, y))


def _with_axes(*arrays):
    return [i for i, a in enumerate(arrays) if a.ndim]


def everyday(row):
    """Arguments at which a row of the table is smooth, as small arrays; None where there are few."""
    points = [
        p
        for p in regular_points(row, everyday=True)
        if max(map(abs, p)) < 4 and (p[0] > 0 or row.name != "pow")
    ][:6]
    return (
        None
        if len(points) < 6
        else [np.array(c).reshape(2, 3) for c in zip(*points, strict=True)]
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_computes_on_arrays_what_it_computes_on_numbers(row):
    arrays = everyday(row)
    if arrays is None:
        pytest.skip("needs whole numbers")
    result = row(*(Value(a) for a in arrays)).data
    columns = [a.ravel().tolist() for a in arrays]
    each = [row.kernel(*at) for at in zip(*columns, strict=True)]
    expected = np.mean(each) if row.mean else np.reshape(each, (2, 3))
    np.testing.assert_allclose(result, expected, rtol=1e-14)
    taken = [i for i, partial in enumerate(row.partials) if partial is not None]
    leaves = [Value(a) if i in taken else a for i, a in enumerate(arrays)]
    if not taken:
        return
    row(*leaves).sum().backward()
    for i in taken:
        scale = 6 if row.mean else 1
        for place, at in enumerate(zip(*columns, strict=True)):
            numbers = [Value(x) if j in taken else x for j, x in enumerate(at)]
            out = row(*numbers)
            out.backward()
            got = np.ravel(leaves[i].grad)[place] * scale
            assert got == pytest.approx(numbers[i].grad, rel=1e-10, abs=1e-12)


drawn = np.random.default_rng(2)
V3, V4 = drawn.normal(size=3), drawn.normal(size=4)
M23, M34, M44 = (drawn.normal(size=s) for s in ((2, 3), (3, 4), (4, 4)))
T234, T243 = drawn.normal(size=(2, 3, 4)), drawn.normal(size=(2, 4, 3))
CHANCES = drawn.dirichlet(np.ones(4), size=3)

CASES = {
    "sum": [([V3],), ([T234],)],
    "sum_along": [([T234], 0), ([T234], -1), ([M23], 1), ([V3], 0)],
    "mean": [([V3],), ([T234],)],
    "mean_along": [([T234], 1), ([M23], -2)],
    "amax": [([T234],)],
    "amax_along": [([T234], 2), ([M34], 0)],
    "amin": [([M23],)],
    "amin_along": [([T234], 1)],
    "matmul": [
        ([V3, V3],), ([M23, V3],), ([V3, M34],), ([M23, M34],), ([T234, T243],),
        ([T234, M44],), ([M23, T234[:1]],), ([T234, V4],), ([V3, T234],), ([T234, T243[:1]],),
    ],
    "dot": [
        ([V3, V3],), ([M23, V3],), ([M23, M34],), ([V3, M34],), ([T234, V4],),
        ([T234, M44],), ([M23, T234],), ([np.array(1.5), M23],), ([M23, np.array(1.5)],),
    ],
    "norm": [([V3],), ([T234],), ([1e-200 * V3 * 1e200],)],
    "transpose": [([V3],), ([M23],), ([T234],)],
    "reshape": [([T234], 6, 4), ([M23], -1), ([T234], 4, 3, 2)],
    "stack": [([V3, V3 + 1],), ([M23, M23 * 2, M23 - 1],)],
    "item": [([V3], 1), ([T234], -1, 2), ([T234], 0, 1, 3)],
    "softmax": [([V3],), ([T234],)],
    "softmax_along": [([T234], 0), ([M23], 1)],
    "logsumexp": [([V3],), ([T234],)],
    "logsumexp_along": [([T234], 1), ([M23], -1)],
    "cross_entropy": [
        ([M34, CHANCES],), ([M34], np.array([0, 3, 1])), ([V4], np.array(2)), ([T234], np.array([[0, 1, 2], [3, 0, 1]])),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, i) for name, cases in CASES.items() for i in range(len(cases))],
)
def test_adjoints_of_array_operations_are_central_differences(name, case):
    arrays, *rest = CASES[name][case]
    arrays = [np.array(a, float) for a in arrays]
    check(TABLE[name], arrays, *rest, wrt=_with_axes(*arrays))


KEYS = [
    1,
    -1,
    slice(1, 3),
    (slice(None), 0),
    (0, slice(None, None, 2)),
    np.array([0, 0, 1]),
    ...,
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indexing_takes_any_of_numpy_s_keys(key):
    x = Value(T234)
    np.testing.assert_array_equal(x[key].data, T234[key])
    check(lambda v: v[key], [T234])


def test_every_array_operation_has_a_test():
    assert {row.name for row in ARRAY_ROWS} == {*CASES, "take"}


def test_elements_that_tie_share_the_adjoint():
    x = Value([1.0, 5.0, 5.0])
    x.max().backward()
    assert x.grad.tolist() == [0, 0.5, 0.5]


def test_large_exponents_neither_overflow_nor_vanish():
    x = Value([1000.0, 1001.0])
    y = x.logsumexp()
    assert float(y.data) == pytest.approx(1001 + math.log1p(math.exp(-1)))
    y.backward()
    assert x.grad == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e)])
    assert Value([-1000.0, 0.0]).softmax().data.tolist() == [0, 1]
    assert float(Value([3e200, 4e200]).norm().data) == pytest.approx(5e200)
    assert float(Value([3e-200, 4e-200]).norm().data) == pytest.approx(5e-200)
    z = Value([[800.0, -800.0]])
    loss = exprgrad.cross_entropy(z, np.array([1]))
    assert float(loss.data) == 1600
    loss.backward()
    assert z.grad.tolist() == [[1, -1]]


@pytest.mark.slow
def test_logistic_regression_descends_by_the_gradients_of_its_formula():
    inputs = np.array(
        [
            [0.52, 1.12, 0.77],
            [0.88, -1.08, 0.15],
            [0.52, 0.06, -1.30],
            [0.74, -2.49, 1.39],
        ]
    )
    targets = np.array([1.0, 1.0, 0.0, 1.0])
    weights, losses = np.zeros(3), []
    for _ in range(100):
        w = Value(weights)
        p = exprgrad.sigmoid(inputs @ w)
        loss = -((p * targets + (1 - p) * (1 - targets)).ln()).sum()
        loss.backward()
        chances = 1 / (1 + np.exp(-inputs @ weights))
        np.testing.assert_allclose(w.grad, (chances - targets) @ inputs, rtol=1e-12)
        losses.append(float(loss.data))
        weights = weights - 0.01 * w.grad
    assert losses[0] == pytest.approx(4 * math.log(2))
    assert losses[-1] < losses[0] / 2


def test_numbers_and_arrays_mix_in_one_graph():
    a, b = Value(2.0), Value([1.0, 2.0, 3.0])
    y = (a * b + np.array([1, 2, 3])).mean() ** 2
    assert float(y.data) == 36
    y.backward()
    assert (a.grad, b.grad.tolist()) == (24, [8, 8, 8])
    y.backward()
    assert (a.grad, b.grad.tolist()) == (48, [16, 16, 16])
    y.zero_grad()
    assert (a.grad, b.grad.tolist()) == (0, [0, 0, 0])
    for left, right in (
        (a, b),
        (b, a),
        (1.5, b),
        (b, 1.5),
        (np.array([1, 2, 3]), b),
        (b, np.array([1, 2, 3])),
    ):
        for name in ("add", "sub", "mul", "div"):
            x = left.data if isinstance(left, Value) else np.array(left)
            z = right.data if isinstance(right, Value) else np.array(right)
            expected = TABLE[name].kernel(np.asarray(x, float), np.asarray(z, float))
            symbol = {"add": "+", "sub": "-", "mul": "*", "div": "/"}[name]
            if isinstance(left, list):
                left = np.array(left)
            got = eval(f"l {symbol} r", {"l": left, "r": right})
            np.testing.assert_allclose(got.data, expected)


def test_rows_of_an_array_can_be_gone_through():
    rows = list(Value(M23))
    assert len(rows) == len(Value(M23)) == 2
    np.testing.assert_array_equal(rows[1].data, M23[1])
    assert Value(M23).T.shape == (3, 2)
    assert "array" in repr(Value(V3, "v"))


def test_faults_of_arrays_name_the_element():
    with pytest.raises(
        DomainError,
        match=r"ln needs an argument > 0; here x is -2, at element \[0, 1\]",
    ):
        Value([[1.0, -2.0]]).ln()
    with pytest.raises(DomainError, match="overflows"):
        Value([1000.0]).exp()
    with pytest.raises(UsageError, match="does not go with the shapes"):
        Value([1.0, 2.0]) + Value([1.0, 2.0, 3.0])
    with pytest.raises(UsageError, match="finite numbers"):
        Value([1.0, math.nan])
    with pytest.raises(UsageError, match="not an array of numbers"):
        Value(["a"])
    with pytest.raises(UsageError, match="starts from one number"):
        Value([1.0, 2.0]).backward()
    with pytest.raises(ExprgradError, match="no finite slope"):
        Value([0.0, 1.0]).sqrt().sum().backward()


@pytest.mark.slow
def test_a_result_that_no_memory_holds_is_an_error():
    x = Value(np.zeros(5_000_000))
    for grow in (lambda: x + x.reshape(-1, 1), lambda: x.reshape(-1, 1) @ x[None]):
        with pytest.raises(UsageError, match="is too large"):
            grow()


def test_data_that_changes_in_place_is_reported():
    w = Value([1.0, 2.0])
    loss = (w * 3).sum()
    w.data -= 0.5
    with pytest.raises(ChangedDataError):
        loss.backward()


def test_an_element_that_changes_in_place_is_reported_until_it_is_back():
    w, s = Value([1.0, 2.0]), Value(0.5)
    loss = (w * s).sum() + (w * w).sum()
    w.data[1] = 3.0
    later = (w * s).sum()
    with pytest.raises(ChangedDataError):
        loss.backward()
    w.data[1] = 2.0
    loss.backward()
    assert (w.grad.tolist(), s.grad) == ([2.5, 4.5], 3)
    with pytest.raises(ChangedDataError):
        later.backward()
    s.data = 1.0
    with pytest.raises(ChangedDataError):
        loss.backward()


def test_a_number_in_a_graph_of_arrays_has_not_changed():
    w = Value([1.0, 2.0])
    for i in range(200):  # NumPy's tanh differs in the last place from that of floats
        s = Value(i / 50 - 2)
        (s.tanh() * w).sum().backward()
        assert s.grad == pytest.approx(3 / math.cosh(s.data) ** 2, rel=1e-14)


# Expressions


def test_an_element_of_a_branch_that_is_not_taken_needs_no_power():
    f = parse("sum(if(x > 0, x^1.5, 2x))")
    found = f.evaluate({"x": np.array([-1.0, 4.0])})
    assert found.value == 6
    assert found.gradient["x"].tolist() == [2, 3]


def test_expressions_take_arrays_and_give_gradients_in_their_shapes():
    f = parse("sum((X @ w - y)^2)")
    w, y = V3, np.array([1.0, 2.0])
    found = f.evaluate({"X": M23, "w": w, "y": y})
    r = M23 @ w - y
    assert found.value == pytest.approx(r @ r)
    np.testing.assert_allclose(found.gradient["X"], 2 * np.outer(r, w))
    np.testing.assert_allclose(found.gradient["w"], 2 * M23.T @ r)
    assert set(f.evaluate({"X": M23, "w": w, "y": y}, ["w"]).gradient) == {"w"}
    assert f(X=M23, w=w, y=y) == pytest.approx(found.value)


def test_arrays_are_written_with_square_brackets():
    assert parse("[1, 2, 3]")().tolist() == [1, 2, 3]
    assert parse("[[1, 2], [3, x]]")(x=4).tolist() == [[1, 2], [3, 4]]
    assert parse("[2] x")(x=4) == 8
    assert parse("max[1, 2]")() == 2
    assert parse("2 [1, 2]")().tolist() == [2, 4]
    assert str(parse("[1, 2] @ reshape(x, 2, 1)")) == "[1, 2] @ reshape(x, 2, 1)"
    found = parse("item([a, 2a], 1)*b").evaluate({"a": 3, "b": 2})
    assert (found.value, found.gradient) == (12, {"a": 4, "b": 6})


def test_brackets_around_arrays_are_axes():
    for text, shape in [
        ("[[1, 2]]", (1, 2)),
        ("[[1], [2]]", (2, 1)),
        ("[[[1], [2]]]", (1, 2, 1)),
        ("[[1, 2]] @ [[1], [2]]", (1, 1)),
    ]:
        assert parse(text)().shape == shape
    assert Bindings(["X=[[1], [2]]"]).values["X"].tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("text", "value"),
    [("[5]", [5]), ("[[5]]", [[5]]), ("[2+3]", [5]), ("[5]*2", 10), ("(5)", 5), ("[(5)]", [5])],
)  # fmt: skip
def test_square_brackets_around_a_whole_value_are_an_array(text, value):
    found = Bindings([f"w={text}, x=[1], y={text}"]).values
    assert np.asarray(found["w"]).tolist() == np.asarray(found["y"]).tolist() == value
    assert found["x"].tolist() == [1]


def test_elements_of_values_are_written_and_read_back():
    x = Value(name="x")
    rows = Value([[1.0, 2.0], [3.0, 4.0]], "X")
    expression = Expression.of(rows[1][0] * rows[-1, 1] + rows[0].sum())
    assert str(expression) == "X[1][0]*X[-1, 1] + sum(X[0])"
    assert parse(str(expression)).evaluate({"X": rows.data}).value == 15
    assert str(Expression.of(exprgrad.item(x, 1))) == "x[1]"
    assert str(Expression.of(exprgrad.item(Value(name="gamma"), 1))) == "item(gamma, 1)"


def test_elements_that_the_result_does_not_need_may_have_no_value():
    found = parse("sum(if(w > 0, ln(w), 0))").evaluate({"w": [1, -1, 4]})
    assert found.value == pytest.approx(math.log(4))
    assert found.gradient["w"].tolist() == [1, 0, 0.25]
    with pytest.raises(DomainError, match=r"here w is 0, at element \[1\]") as caught:
        parse("sum(if(w >= 0, ln(w), 0))").evaluate({"w": [1, 0, 4]})
    assert caught.value.span == (15, 20)


def test_what_arrays_do_not_go_with_is_said():
    f = parse("sum(x^2)")
    for call in (
        lambda: f.derivative("x"),
        lambda: f.hessian({"x": 2}),
        lambda: f.compile()(2.0),
        lambda: exprgrad.check("sum(x)", "1"),
    ):
        with pytest.raises(UsageError, match="array"):
            call()


@pytest.mark.slow
def test_a_linear_model_in_arrays_is_minimised_by_every_method():
    inputs = np.column_stack([np.ones(20), np.linspace(-1, 1, 20)])
    y = inputs @ [2.0, -3.0]
    for method in ("gd", "momentum", "nesterov", "adam", "lbfgs"):
        found = minimize(
            "mse(X @ w, y)",
            {"w": [0, 0]},
            method,
            fixed={"X": inputs, "y": y},
            rate=0.1,
        ).result
        assert found.converged
        np.testing.assert_allclose(found.variables["w"], [2, -3], atol=1e-6)


def test_bounds_hold_for_every_element():
    found = minimize(
        "sum((w - [1, 5])^2)", {"w": [0, 0]}, "gd", rate=0.1, bounds={"w": (None, 3)}
    ).result
    assert found.converged
    np.testing.assert_allclose(found.variables["w"], [1, 3], atol=1e-7)


@pytest.mark.parametrize("method", ["gd", "adam", "lbfgs"])
def test_an_array_with_one_element_is_minimised_like_a_number(method):
    found = minimize("(w - [[3]])^2", {"w": [[1]]}, method, rate=0.1, steps=2000)
    at = found.result.variables
    assert at["w"].tolist() == [[pytest.approx(3, abs=1e-5)]]


def test_rows_of_a_table_name_elements_and_numbers_beside_them():
    found = parse("sum(x^2) + y").evaluate({"x": [2, 3], "y": 3})
    assert list(ArraysView(found, 10).csv()[1]) == [
        ["result", 16, None],
        ["x[0]", 2, 4],
        ["x[1]", 3, 6],
        ["y", 3, 1],
    ]


def test_a_descent_that_leaves_the_domain_names_the_element():
    found = minimize("sum(w - ln(w))", {"w": [2, 9]}, "gd", rate=40).result
    assert found.status == "undefined"
    assert "at element" in found.reason


@pytest.mark.slow
@pytest.mark.parametrize("method", ["adam", "lbfgs"])
def test_arrays_longer_than_numpy_multiplies_in_one_thread_are_minimised(method):
    w = np.linspace(-1, 1, 20_000)
    found = minimize("sum((w - 3)^2)", {"w": w}, method, rate=0.5, steps=500).result
    assert found.converged or found.gradient_norm < 1e-3
    assert found.variables["w"] == pytest.approx(np.full(20_000, 3.0), abs=1e-4)


def test_only_a_number_is_minimised():
    w = Value([1.0, 2.0])
    with pytest.raises(UsageError, match="a graph of arrays"):
        minimize((w * w).sum(), [w])
    with pytest.raises(UsageError, match="only a number can be minimised"):
        minimize("w^2", {"w": [1, 2]})
    with pytest.raises(UsageError, match="trust"):
        minimize("sum(w^2)", {"w": [1, 2]}, "trust").result  # noqa: B018 # runs it


@pytest.mark.parametrize(
    "text",
    [
        "mean(tanh(X @ w + b)^2)",
        "sum(relu(X @ w - b)) + norm(w)",
        "cross_entropy(X * w, [0, 2])",
        "logsumexp(sigmoid(X) @ w)*b",
        "sum(transpose(X) @ [1, 2] * w)/b^2",
        "bce_logits(X @ w, [0, 1]) + huber(b, w)",
        "mse(X * b, softmax(X))",
        "sum(sum(X, 0)*exp(w)) - max(w)*min(b, 3)",
    ],
)
def test_the_program_of_an_objective_computes_what_the_interpreter_does(text):
    from exprgrad.optimize.array_objective import ArrayObjective

    at = {"X": M23, "w": V3, "b": 0.7}
    f = parse(text)
    start = {name: at[name] for name in f.variables}
    value, (gradient,) = (o := ArrayObjective(f, start)).evaluate(o.start)
    found = f.evaluate(start)
    assert value == pytest.approx(found.value, rel=1e-13)
    whole = np.concatenate([np.ravel(found.gradient[n]) for n in f.variables])
    np.testing.assert_allclose(gradient, whole, rtol=1e-12, atol=1e-15)


def test_an_operation_that_takes_no_arrays_is_plain():
    assert type(TABLE["add"]) is Operation


TABLE_OF_POINTS = "x1,x2\n1,2\n3,4\n5,6\n"

SHOWN = {
    "arrays": 'eval "sum((X @ w - y)^2)" --at "X=@{file},w=[1,2],y=[1,2,3]"',
    "arrays_json": 'eval "mean(w*b)" --at "w=[1,2],b=3" --format json',
    "arrays_csv": 'eval "sum(w^2)" --at "w=[[1,2],[3,4]]" --format csv',
    "arrays_markdown": 'eval "sum(w)" --at "w=[1,2]" --format markdown',
    "arrays_value": 'eval "softmax(w) + 2b" --at "w=[1,2,3],b=1"',
    "arrays_large": 'eval "norm(A)" --at "A=[[1,2,3,4,5,6,7],[1,2,3,4,5,6,7]]"',
    "arrays_shapes": 'eval "w + v" --at "w=[1,2,3],v=[1,2]"',
    "arrays_fault": 'eval "mean(ln(w))" --at "w=[1,0,3]"',
    "arrays_trace": 'eval "sum(w)" --at "w=[1,2]" --trace',
    "arrays_diff": 'diff "sum(x^2)"',
    "arrays_no_file": 'eval "sum(w)" --at "w=@missing.csv"',
    "arrays_minimize": 'minimize "mse(X @ w + b, [1,2,4])" --at X=@{file} --start "w=[0,0],b=0" --method momentum --rate 0.02',
    "arrays_axis": 'eval "sum(w, 3)" --at "w=[1,2]"',
    "arrays_tuple": 'eval "(1, 2)"',
    "arrays_element": 'eval "w[0]*w[-1] + A[1, 0]*sum(A[0])" --at "w=[1,2,3],A=[[1,2],[3,4]]"',
    "arrays_no_element": 'eval "y + x[2]" --at "x=3,y=1"',
    "arrays_no_elements": 'eval "x[0] + x[1, -2]" --at "x=[1,2]"',
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_printed_of_arrays(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "points.csv").write_text(TABLE_OF_POINTS)
    code = run(shlex.split(SHOWN[name].replace("{file}", "points.csv")))
    captured = capsys.readouterr()
    text = f"{captured.out}--- exit {code}\n{captured.err}"
    compare(HERE / "learning" / f"{name}.txt", text)


def test_files_of_numbers_are_arrays(tmp_path):
    for text, expected in [
        (TABLE_OF_POINTS, [[1, 2], [3, 4], [5, 6]]),
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("y\n1\n2\n", [1, 2]),
        ("1,2,3\n", [1, 2, 3]),
    ]:
        (tmp_path / "f.csv").write_text(text)
        bindings = Bindings([f"a=1, X=@{tmp_path}/f.csv, b=2"])
        assert bindings.values == {"a": 1, "X": expected, "b": 2}
    (tmp_path / "f.csv").write_text("a,b\n1,2\n3,nan\n")
    with pytest.raises(UsageError, match="row 2 has no finite number in column 'b'"):
        Bindings([f"X=@{tmp_path}/f.csv"])
    (tmp_path / "f.csv").write_text("a,b\n1,x\n")
    with pytest.raises(UsageError, match="row 1 has no finite number in column 'b'"):
        Bindings([f"X=@{tmp_path}/f.csv"])


def test_the_history_of_arrays_has_a_column_an_element(tmp_path):
    path = tmp_path / "h.csv"
    argv = ["minimize", "sum((w-[1,2])^2)", "--start", "w=[0,0]"]
    assert run([*argv, "--history", str(path)]) == 0
    assert path.read_text().splitlines()[0] == "step,value,gradient_norm,rate,w[0],w[1]"


@pytest.mark.parametrize(
    "command",
    [
        'eval "sum(x*w)" --at "x=0:2:3,w=[1,2]"',
        'eval "sum(x)" --at "x=0:2:3"',
        'diff "x[2]"',
        'check "x[2]" "2"',
        'compare "x^2" --at "x=[1,2]"',
        'compare "sum(x)" --at x=2',
        'eval "x^2" --at "x=[1,2]" --seed x=1',
        'diff "x^2" --at "x=[1,2]"',
        'eval "x^2" --at "x=[1,2]" --hessian',
        'fit "T ~ a*t" --data samples/cooling.csv --start a=[1,2]',
        'fit "T ~ sum(a*t)" --data samples/cooling.csv --start a=1',
        'batch "sum(t)" --data samples/cooling.csv',
        'minimize "x^2" --start "x=[1,2]"',
        'eval "[[1,2],[3]]"',
        'eval "item(x, 0.5)" --at "x=[1,2]"',
        'eval "cross_entropy(x, [2])" --at "x=[[1,2]]"',
        'eval "x[2]" --at "x=[1,2]"',
        'eval "x[99999999999999999999]" --at "x=[1,2]"',
        'eval "sum(x, 1e30)" --at "x=[1,2]"',
        'eval "sum(x, x)" --at "x=[1,2]"',
        'eval "reshape(x, -5)" --at "x=[1,2]"',
        'eval "x @ w" --at "x=[1,2],w=2"',
        'eval "cross_entropy(x, 1)" --at "x=2"',
        'eval "sum(x)" --at "x=[1,2,[3]]"',
        'eval "x[0, 0]" --at "x=[1,2]"',
    ],
)
def test_commands_that_take_no_arrays_say_so(command, monkeypatch, capsys):
    monkeypatch.chdir(HERE.parent.parent)
    assert run(shlex.split(command)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "array" in captured.err or "the shape" in captured.err


def test_sessions_hold_arrays(tmp_path, capsys):
    path = tmp_path / "s.eg"
    path.write_text("w = [1, 2, 3]\nf(x) = sum(x*w)\nf(2)\nans + 1\nsoftmax(0w)\n")
    assert run(["run", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "f(2) = 12" in printed
    assert "[2, 2, 2]" in printed
    assert "ans + 1 = 13" in printed
    assert "softmax(0w) = [0.333333, 0.333333, 0.333333]" in printed
    path.write_text("w = [1, 2, 3]\n:trace sum(w)\n")
    assert run(["run", str(path)]) == 2
    assert "not arrays" in capsys.readouterr().err


def test_an_array_has_no_gradient():
    with pytest.raises(UsageError, match="only a single number has a gradient"):
        parse("a*x").gradient({"a": [1, 2], "x": 3})
