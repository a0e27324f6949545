"""Generated code on arrays against the interpreter: values, gradients, rows with faults."""

from __future__ import annotations

import math
import pickle
import random
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import BindingError, DomainError, NotDifferentiableError, parse
from exprgrad.compiled import columns as arrays
from exprgrad.compiled.columns import FEW, MOST
from exprgrad.operations.on_arrays import writing
from exprgrad.operations.operation import ARITHMETIC
from tests.compiled.test_compile import differentiable, interpreted
from tests.strategies import (
    CASES,
    CORNERED,
    PLACES,
    ROWS,
    applied,
    outcome,
    tried,
    ulps,
)


@pytest.mark.parametrize("operation", ROWS, ids=lambda o: o.name)
def test_every_operation_on_arrays_is_what_the_interpreter_computes(operation):
    f, wrt = applied(operation), differentiable(operation)
    points = tried(operation)[:60]
    columns = [np.array(column) for column in zip(*points, strict=True)]
    rows = f.compile(wrt).arrays(*columns)
    for i, point in enumerate(points):
        at = dict(zip(f.variables, point, strict=True))
        expected = outcome(lambda: interpreted(f, at, wrt))  # noqa: B023 # called at once
        if isinstance(expected, str):
            assert rows.faults[i].message == expected
            assert math.isnan(rows.value[i])
            continue
        pairs = zip(
            (rows.value[i], *rows.gradient[:, i]),
            (expected[0], *expected[1]),
            strict=True,
        )
        assert max(ulps(a, b) for a, b in pairs) <= 4, point
        assert (i in rows.faults) == (None in expected[1])


def agree(f, points):
    columns = [np.array([p[name] for p in points]) for name in f.variables]
    rows = f.compile().arrays(*columns)
    for i, point in enumerate(points):
        at = {name: point[name] for name in f.variables}
        expected = outcome(lambda: interpreted(f, at))  # noqa: B023 # called at once
        if isinstance(expected, str):
            assert rows.faults[i].message == expected
            continue
        found = (rows.value[i], *rows.gradient[:, i])
        for a, b in zip(found, (expected[0], *expected[1]), strict=True):
            assert math.isnan(a) == (b is None)
            assert b is None or math.isclose(a, b, rel_tol=1e-10, abs_tol=1e-12)


@pytest.mark.slow
@given(CASES, st.lists(PLACES, min_size=FEW, max_size=FEW + 4))
def test_random_expressions_on_arrays_are_what_the_interpreter_computes(case, places):
    text, at = case
    f = parse(text)
    if f.variables:
        agree(f, [at, *places])


@given(CORNERED)
def test_rows_at_corners_are_found_among_others(case):
    text, x = case
    f = parse(text)
    if f.variables:
        agree(f, [{"x": v} for v in (0.3, float(x), 1.7, -0.6, -1.0, 2.4)])


@pytest.mark.parametrize("count", [1, FEW, FEW + 1, 100, MOST, MOST + 7, 3 * MOST + 1])
def test_the_number_of_rows_does_not_matter(count):
    x = np.linspace(0.1, 2, count)
    y = np.linspace(-1, 1, count)
    rows = parse("x^2*exp(y)/(1 + x)").compile().arrays(x, y)
    assert rows.value.shape == (count,)
    assert rows.gradient.shape == (2, count)
    np.testing.assert_allclose(rows.value, x**2 * np.exp(y) / (1 + x), rtol=1e-14)
    by_x = (2 * x / (1 + x) - x**2 / (1 + x) ** 2) * np.exp(y)
    np.testing.assert_allclose(rows.gradient[0], by_x, rtol=1e-13)
    np.testing.assert_allclose(rows.gradient[1], rows.value, rtol=1e-14)
    assert rows.faults == {}


def test_faults_are_reported_row_by_row_and_do_not_spread():
    x = np.full(2 * MOST, 4.0)
    x[[3, MOST + 5]] = -1, 0
    rows = parse("sqrt(x)").compile().arrays(x)
    assert sorted(rows.faults) == [3, MOST + 5]
    assert isinstance(rows.faults[3], DomainError)
    assert rows.faults[3].message == "sqrt needs an argument >= 0; here x is -1"
    assert isinstance(rows.faults[MOST + 5], NotDifferentiableError)
    assert (rows.value[MOST + 5], rows.value[4]) == (0, 2)
    assert np.isnan(rows.gradient[0]).sum() == 2
    assert np.isnan(rows.value).sum() == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("count", [1, 9, 300])
@pytest.mark.parametrize(
    "text",
    [
        "x", "tanh(x)", "exp(-x^2)", "exp(-x)", "1/x", "max(x, 2)", "sin(x)", "x - x", "tanh(x + 1)",
        "1/(1 + exp(-x))", "erf(2*x)", "sign(2*x)", "(2*x)^0", "min(2*x, 1)", "tanh(x*2 + exp(x))/3",
        "if(x < x, x*(-2), if(x > x, x, -1))", "if(x > 2, ln(x - 2), ln(2 - x/3))",
    ],
)  # fmt: skip
def test_inputs_that_are_not_numbers_are_faults(text, count, bad):
    x = np.linspace(3.5, 5, count)
    x[-1] = bad
    rows = parse(text).compile().arrays(x)
    assert list(rows.faults) == [count - 1]
    assert isinstance(rows.faults[count - 1], BindingError)


@pytest.mark.parametrize("text", ["tanh(x)", "if(x > 2, ln(x - 2), ln(2 - x/3))"])
def test_inputs_of_the_second_block_that_are_not_numbers_are_faults(text):
    x = np.linspace(3.5, 5, MOST + 5)
    x[[7, -1]] = math.nan, math.inf
    assert list(parse(text).compile().arrays(x).faults) == [7, MOST + 4]


def test_inputs_of_the_other_branch_have_to_be_numbers():
    f = parse("if(x >= y, z - x, tanh(y))/3", variables=["x", "y", "z"]).compile()
    x = np.linspace(-1, 1, 300)
    z = np.zeros(300)
    z[[7, 290]] = math.nan
    columns = {"x": x, "y": np.full(300, 0.5), "z": z}
    assert list(f.arrays(*[columns[v] for v in f.variables]).faults) == [7, 290]


@pytest.mark.parametrize(
    "text", ["if(x > 0, ln(x), -x)", "if(x > 0, sqrt(x), if(x < -1, 1/(x+1), x^2))"]
)
def test_untaken_branches_cause_no_faults(text):
    x = np.linspace(-2, 2, 40)
    agree(parse(text), [{"x": float(v)} for v in x])
    assert parse(text).compile().arrays(x).faults == {}


BRANCHING = [
    "if(x > 0, x*ln(x), 0)",
    "if(x < 0, sqrt(-x), sqrt(x)) * y",
    "if(x < y, if(ln(x) > 0, 1/ln(x), x*y), sqrt(x - y))",
    "if(if(x > 0, ln(x), 0) < 1, sqrt(1 - x) + y, ln(y)) + if(y < 0, (-y)^1.5, asin(y))",
    "sqrt(if(x > 0, x, y)) + if(x > 0, ln(x), ln(-x))",
    "piecewise(x < -1, ln(-x), x < 1, asin(x)/y, sqrt(x - 1))",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", BRANCHING)
def test_rows_are_computed_by_the_branches_that_they_take(text, monkeypatch):
    monkeypatch.setattr(arrays, "MANY", 10)
    rng = random.Random(4)
    some = [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0]
    points = [
        {name: rng.choice(some) if rng.random() < 0.3 else rng.uniform(-2, 2) for name in "xy"}
        for _ in range(150)
    ]  # fmt: skip
    agree(parse(text, variables=["x", "y"]), points)


def test_rows_without_a_fault_in_their_own_branch_need_no_scalar_code(monkeypatch):
    monkeypatch.setattr(arrays.Runner, "_scalar", None)
    x = np.linspace(-2, 2, 3 * MOST)
    rows = parse("if(x < 0, sqrt(-x), x*ln(x))").compile().arrays(x)
    taken = np.where(x < 0, np.sqrt(np.abs(x)), x * np.log(np.abs(x)))
    np.testing.assert_allclose(rows.value, taken, rtol=1e-15)


def test_faults_keep_no_frames():
    faults = parse("ln(x)").compile().arrays(-np.arange(9.0)).faults
    assert len(faults) == 9
    for fault in faults.values():
        assert fault.__traceback__ is None
        assert fault.__context__ is None


@pytest.mark.parametrize("operation", ROWS, ids=lambda o: o.name)
def test_operations_that_are_computed_quietly_have_values_where_kernels_have(operation):
    points = tried(operation)
    columns = [np.array(column) for column in zip(*points, strict=True)]
    with np.errstate(all="ignore"):
        writing(operation)(*columns, found := np.empty(len(points)))
    for point, own in zip(points, found.tolist(), strict=True):
        try:
            expected = float(operation.kernel(*point))
        except (*ARITHMETIC, TypeError):
            expected = math.nan
        assert math.isfinite(own) == math.isfinite(expected), point
        assert not math.isfinite(own) or ulps(own, expected) <= 4, point


def test_a_hidden_fault_is_found():
    x = np.array([1.0, 2.0, -1.0, 3.0, 4.0, 5.0])
    for text in ("if(ln(x) > 1, 1, 2) + x", "exp(ln(x))", "0*ln(x)", "ln(x)^0"):
        assert 2 in parse(text).compile().arrays(x).faults


def test_columns_are_broadcast_and_converted():
    compiled = parse("x*y").compile()
    rows = compiled.arrays([1, 2, 3], 4)
    assert rows.value.tolist() == [4, 8, 12]
    assert rows.gradient.tolist() == [[4, 4, 4], [1, 2, 3]]
    assert compiled.arrays(2, 3).value.tolist() == [6]
    wide = np.arange(20.0).reshape(10, 2)
    assert compiled.arrays(wide[:, 0], wide[:, 1]).value[3] == 42
    with pytest.raises(ValueError, match="broadcast"):
        compiled.arrays([1, 2, 3], [1, 2])
    with pytest.raises(TypeError, match="one dimension"):
        compiled.arrays(wide, 2)
    with pytest.raises(TypeError, match="3 columns were given for 2 variables"):
        compiled.arrays(1, 2, 3)


def test_an_expression_without_variables_has_one_row():
    rows = parse("2*3").compile().arrays()
    assert rows.value.tolist() == [6]
    assert rows.gradient.shape == (0, 1)


def test_results_that_are_held_are_not_written_over():
    compiled = parse("x^2").compile()
    x = np.arange(1.0, MOST + 1)
    first = compiled.arrays(x)
    by_x = first.gradient[0][:5]
    value = first.value.copy()
    second = compiled.arrays(x + 1)
    assert (first.value == value).all()
    del first, second
    compiled.arrays(x + 7)
    compiled.arrays(x + 9)
    assert by_x.tolist() == [2, 4, 6, 8, 10]


def test_memory_of_large_results_serves_again_once_nobody_holds_them(monkeypatch):
    monkeypatch.setattr(arrays, "CACHE", 3000)
    compiled = parse("x^2").compile()
    x = np.arange(1.0, 5001)

    def place(rows):
        return rows.value.__array_interface__["data"][0]

    first = compiled.arrays(x)
    by_x, where = first.gradient[0][7:], place(first)
    del first
    second = compiled.arrays(x + 1)
    assert place(second) != where
    assert by_x.tolist() == (2 * x[7:]).tolist()
    assert second.gradient[0].tolist() == (2 * x + 2).tolist()
    del by_x
    third = compiled.arrays(x + 2)
    assert place(third) == where
    assert second.value.tolist() == ((x + 1) ** 2).tolist()
    assert third.value.tolist() == ((x + 2) ** 2).tolist()


def test_calls_of_few_rows_in_turn_with_others_give_what_one_gives():
    compiled = parse("x^2*exp(y)").compile()
    expected = {}
    for count in (7, 9, 7, 7, 5000, 9, 9, 1, 7, 7):
        x, y = np.linspace(0.1, 2, count), np.linspace(-1, 1, count)
        rows = compiled.arrays(x, y)
        found = np.vstack([rows.value, rows.gradient])
        assert (found == expected.setdefault(count, found)).all()
        np.testing.assert_allclose(rows.value, x**2 * np.exp(y), rtol=1e-14)


def test_a_fault_among_few_rows_is_found_whatever_was_there_before():
    compiled = parse("sqrt(x) + 0*y").compile()
    x, y = np.linspace(1, 2, 30), np.linspace(-1, 1, 30)
    for bad in (3, 3, 29):
        for _ in range(3):
            assert not compiled.arrays(x, y).faults
        wrong = x.copy()
        wrong[bad] = -1
        assert list(compiled.arrays(wrong, y).faults) == [bad]
        wrong = y.copy()
        wrong[bad] = math.nan
        assert list(compiled.arrays(x, wrong).faults) == [bad]


def test_columns_of_another_length_are_an_error_among_few_rows_too():
    compiled = parse("x + y*z").compile()
    x = np.linspace(1, 2, 30)
    for _ in range(2):
        assert compiled.arrays(x, x, x).value.shape == (30,)
    with pytest.raises(ValueError, match="broadcast"):
        compiled.arrays(x, x, x[:7])
    assert compiled.arrays(x, x, 1.0).value.shape == (30,)
    assert compiled.arrays(x.astype(np.float32), x, x).value.dtype == np.float64


@pytest.mark.parametrize("count", [30, 3000, 2 * MOST])
def test_flags_raise_errors_with_an_older_numpy_too(count, monkeypatch):
    monkeypatch.setattr(arrays.np, "__version__", "1.26.4")
    before = np.geterr()
    x = np.linspace(1, 2, count)
    x[7] = 0
    for _ in range(2):
        assert list(parse("1/x").compile().arrays(x).faults) == [7]
    assert np.geterr() == before


@pytest.mark.parametrize("count", [FEW + 1, 300, 1000, MOST + 9])
def test_flags_of_numpy_are_as_they_were(count):
    x = np.linspace(-1, 2, count)
    with np.errstate(all="ignore", under="raise"):
        before = np.geterr()
        for text in ("ln(x)", "1e300^x", "x*y"):
            f = parse(text)
            f.compile().arrays(*[x] * len(f.variables))
        assert np.geterr() == before


def test_rows_that_underflow_are_no_fault_however_numpy_is_set():
    with np.errstate(all="raise"):
        assert not parse("exp(-x^2)").compile().arrays(np.full(9, 30.0)).faults


def test_inputs_are_not_changed():
    x = np.arange(1.0, 50)
    parse("-x").compile().arrays(x)
    parse("x + 0").compile().arrays(x)
    assert x.tolist() == list(range(1, 50))


@pytest.mark.slow
def test_threads_do_not_share_buffers():
    compiled = parse("sin(x)*exp(-x^2)/(1 + x^4)").compile()
    x = np.linspace(-2, 2, 30_000)
    expected = compiled.arrays(x).value.copy()
    wrong = []

    def work() -> None:
        for _ in range(5):
            if not (compiled.arrays(x).value == expected).all():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_pickled_code_computes_on_arrays():
    compiled = parse("x^2").compile()
    assert compiled.arrays([1, 2, 3]).value.tolist() == [1, 4, 9]
    again = pickle.loads(pickle.dumps(compiled))
    assert again.arrays([1, 2, 3, 4, 5, 6]).value.tolist() == [1, 4, 9, 16, 25, 36]


def test_sums_and_products_are_numpys_own_and_comparisons_give_numbers():
    from exprgrad.operations.table import ADD, LT, MUL

    assert writing(ADD) is np.add
    assert writing(MUL) is np.multiply
    out = np.empty(2)
    writing(LT)(np.array([1.0, 3.0]), np.array(2.0), out)
    assert out.tolist() == [1, 0]


def test_finite_numbers_whose_sum_overflows_are_no_fault():
    rows = parse("x/1e300").compile().arrays(np.full(200, 1e307))
    assert not rows.faults
    assert rows.value.tolist() == [1e7] * 200
