"""Generated scalar code against the interpreter: values, gradients, corners and errors."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given

from exprgrad import BindingError, DomainError, NotDifferentiableError, parse
from exprgrad.compiled.compiled import MOST_OPERATIONS
from exprgrad.compiled.program import Program
from exprgrad.compiled.scalar_code import Scalar
from exprgrad.errors import RangeError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Value
from exprgrad.operations.table import and_, cos, eq, floor, ne, not_, or_, sin, where
from tests.strategies import (
    CASES,
    CORNERED,
    ROWS,
    applied,
    declared,
    outcome,
    tried,
    ulps,
)


def differentiable(operation):
    return [n for n, p in zip("xyz", operation.partials, strict=False) if p is not None]


def interpreted(f, at, wrt=None):
    found = f.evaluate(at, wrt, refine=False)
    return found.value, tuple(found.gradient.values())


@pytest.mark.parametrize("operation", ROWS, ids=lambda o: o.name)
def test_every_operation_compiles_to_what_the_interpreter_computes(operation):
    f, wrt = applied(operation), differentiable(operation)
    compiled = f.compile(wrt)
    for point in tried(operation)[:60]:
        at = dict(zip(f.variables, point, strict=True))
        expected = outcome(lambda: interpreted(f, at, wrt))  # noqa: B023 # called at once
        found = outcome(lambda: compiled(*point))  # noqa: B023 # called at once
        if isinstance(expected, str) or isinstance(found, str):
            assert found == expected
            continue
        pairs = zip((found[0], *found[1]), (expected[0], *expected[1]), strict=True)
        assert max(ulps(a, b) for a, b in pairs) <= 4, point


def agree(f, at):
    expected = outcome(lambda: interpreted(f, at))
    found = outcome(lambda: f.compile()(*(at[name] for name in f.variables)))
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
        return
    pairs = zip((found[0], *found[1]), (expected[0], *expected[1]), strict=True)
    for a, b in pairs:
        assert (a is None) == (b is None)
        assert a is None or math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-13)


@given(CASES)
def test_random_expressions_compile_to_what_the_interpreter_computes(case):
    text, at = case
    f = parse(text)
    agree(f, {name: at[name] for name in f.variables})


@given(CORNERED)
def test_corners_are_seen_by_generated_code(case):
    text, x = case
    f = parse(text)
    agree(f, dict.fromkeys(f.variables, float(x)))


@given(CASES)
def test_values_are_equal_to_the_last_bit_where_no_power_became_a_product(case):
    text, at = case
    f = parse(text)
    at = {name: at[name] for name in f.variables}
    expected = outcome(lambda: f(**at))
    if not isinstance(expected, str) and "^" not in text and "x**" not in str(f):
        assert f.compile()(*at.values())[0] == expected


@pytest.mark.parametrize("x", [1.7, -0.3, 12.5])
@pytest.mark.parametrize("exponent", [2, 3, 7, 8, -1, -2, 0.5, 1.5, -0.5, -1.5])
def test_powers_become_products_within_4_units_in_the_last_place(x, exponent):
    f = parse(f"x^({exponent})")
    at = {"x": x}
    expected, found = (
        outcome(lambda: interpreted(f, at)),
        outcome(lambda: f.compile()(x)),
    )
    if isinstance(expected, str):
        assert found == expected
    else:
        assert ulps(found[0], expected[0]) <= 4
        assert ulps(found[1][0], expected[1][0]) <= 4


def test_arguments_and_gradient_are_in_the_order_of_the_variables():
    f = parse("y^2*x")
    assert f.variables == ("y", "x")
    compiled = f.compile()
    assert compiled.variables == compiled.wrt == ("y", "x")
    assert compiled(3, 5) == (45.0, (30.0, 9.0))


def test_the_gradient_is_by_the_chosen_variables_only():
    compiled = parse("x*y + z").compile(["z", "x"])
    assert compiled(2, 3, 4) == (10.0, (1.0, 3.0))
    with pytest.raises(BindingError, match="no variable w"):
        parse("x").compile(["w"])


def test_code_is_generated_once():
    f = parse("x^2")
    assert f.compile() is f.compile()
    assert f.compile() is f.compile(["x"])


def test_whole_numbers_fractions_and_numpy_numbers_are_taken():
    from decimal import Decimal
    from fractions import Fraction

    compiled = parse("1/x").compile()
    for number in (2, Fraction(2), Decimal(2), True + 1):
        value, _ = compiled(number)
        assert value == 0.5
        assert type(value) is float


def test_errors_name_the_part():
    compiled = parse("x + ln(y - 3)").compile()
    with pytest.raises(DomainError, match="here y - 3 is -1") as caught:
        compiled(1, 2)
    assert caught.value.span == (4, 13)
    with pytest.raises(BindingError, match="the value of y is inf"):
        compiled(1, math.inf)


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("1/(x*x)", 1e200),  # an overflow that the quotient would hide
        ("tanh(x*x)", 1e200),
        ("exp(-x*x)", 1e200),
        ("0*ln(x)", -1.0),
        ("max(1, 1/(x*x*x))", 1e-200),
        ("atan(x + x)", 1.7e308),
    ],
)
def test_an_overflow_on_the_way_is_an_error_as_in_a_sweep_on_doubles(text, x):
    f = parse(text)
    with pytest.raises(DomainError) as expected:
        f.evaluate({"x": x}, refine=False)
    with pytest.raises(DomainError) as found:
        f.compile()(x)
    assert found.value.message == expected.value.message


def test_a_gradient_that_overflows_is_an_error():
    with pytest.raises(RangeError, match="is too large for double"):
        parse("y*sin(x*z)").compile()(1e300, 0, 1e300)


def test_only_the_taken_branch_counts():
    compiled = parse("if(x > 0, ln(x), x^2)").compile()
    assert compiled(-3) == (9.0, (-6.0,))
    assert compiled(1) == (0.0, (1.0,))


def test_a_partial_that_does_not_exist_is_none():
    assert parse("|x| + y").compile()(0, 1) == (1.0, (None, 1.0))
    assert parse("x*|x|").compile()(0) == (0.0, (0.0,))


def test_a_derivative_within_the_text_needs_its_slope():
    f = parse("diff(|x|, x)*y")
    assert f.compile()(2, 3) == (3.0, (0.0, 1.0))
    with pytest.raises(DomainError, match="does not exist at x = 0"):
        f.compile()(0, 3)


def test_the_wrong_number_of_arguments_is_a_type_error():
    compiled = parse("x*y").compile()
    for arguments, told in [
        ((), "2 required positional arguments: 'x' and 'y'"),
        ((1,), "1 required positional argument: 'y'"),
        ((1, 2, 3), "4 were given"),
    ]:
        with pytest.raises(TypeError, match=rf"Compiled.__call__\(\) .*{told}"):
            compiled(*arguments)


@pytest.mark.parametrize("numbers", [[1.0, 2.0], np.array([1.0, 2.0])])
def test_a_call_takes_no_columns_and_says_what_does(numbers):
    with pytest.raises(TypeError, match=r"one point; columns are for arrays\(...\)"):
        parse("x^2").compile()(numbers)


def test_an_expression_without_variables_compiles():
    assert parse("2^10").compile()() == (1024.0, ())
    with pytest.raises(DomainError):
        parse("ln(-1)").compile()()


def test_nothing_that_was_typed_reaches_the_source():
    f = parse("θ_evil*import_os + class")
    program = Program(f.root, f.variables)
    source = Scalar(program).source()
    assert not any(name in source for name in f.variables)
    assert f.compile()(2, 3, 4) == (10.0, (3.0, 2.0, 1.0))


def test_shared_parts_are_computed_once():
    f = parse("exp(x*y)*sin(x*y) + exp(x*y)")
    program = Program(f.root, f.variables)
    names = [operation.name for operation, _ in program.code]
    assert names.count("exp") == names.count("sin") == names.count("cos") == 1


@given(CASES)
def test_pickled_expressions_come_back(case):
    text, at = case
    f = parse(text)
    g = pickle.loads(pickle.dumps(f))
    assert str(g) == str(f)
    assert g.variables == f.variables
    at = {name: at[name] for name in f.variables}
    assert outcome(lambda: g(**at)) == outcome(lambda: f(**at))


@pytest.mark.slow
def test_compiled_expressions_can_be_pickled_whatever_their_depth():
    deep = parse("sin(" * 3000 + "x" + ")" * 3000)
    chain = parse("sin(" * 150 + "x" + ")" * 150)
    for f in (parse("x^(1/3)/2! + d/dx |x|"), deep, chain.derivative("x")):
        compiled = f.compile()
        again = pickle.loads(pickle.dumps(compiled))
        assert again(0.7) == compiled(0.7)
        assert again.variables == ("x",)
        assert repr(again) == repr(compiled)


def test_a_pickled_expression_keeps_its_places():
    compiled = pickle.loads(pickle.dumps(parse("2 + sqrt(x)").compile()))
    with pytest.raises(DomainError) as caught:
        compiled(-1)
    assert (caught.value.source, caught.value.span) == ("2 + sqrt(x)", (4, 11))


@pytest.mark.slow
def test_a_graph_that_is_too_large_to_compile_is_interpreted():
    x = total = Value(None, "x")
    for _ in range(MOST_OPERATIONS + 1):
        total = total + x
    compiled = Expression.of(total).compile()
    assert compiled(1.0) == (MOST_OPERATIONS + 2.0, (MOST_OPERATIONS + 2.0,))


@pytest.mark.parametrize("y", [0.5, 1.0, 1.5, 2.0, -1.0, 0.0])
def test_only_an_exponent_that_makes_a_corner_is_tested(y):
    tests = Program(parse(f"x^({y})").root, ("x",)).tests
    assert [test.zero for test in tests] == ([] if y.is_integer() else [0])


CORNERS = [
    lambda x: eq(x, 0.3),
    lambda x: x == 0.3,
    lambda x: or_(eq(x, 0.3), and_(x > 1, eq(x, floor(x)))),
    lambda x: and_(not_(x < 2), eq(cos(x - 2), 1)),
    lambda x: or_(ne(x, 2), x < 0),
    lambda x: where(x > 0, eq(x, 2), eq(x, -1)),
    lambda x: eq(x, x),
    lambda x: x > 5,
]


@pytest.mark.slow
@pytest.mark.parametrize("corner", CORNERS)
def test_a_corner_of_any_form_is_seen_in_scalar_code_and_on_arrays(corner):
    with declared("bent", math.sin, lambda y, x: cos(x), corner=corner, formula=sin):
        f = parse("bent(x) + 3*bent(2*x)")
        compiled = f.compile()
        places = [-1.0, 0.15, 0.3, 1.0, 2.0, 3.0]
        expected = [interpreted(f, {"x": x}) for x in places]
        assert [compiled(x) for x in places] == expected
        gradient = compiled.arrays(np.array(places)).gradient[0].tolist()
        for slope, (_, (partial,)) in zip(gradient, expected, strict=True):
            assert math.isnan(slope) if partial is None else slope == partial


def test_arrays_without_numpy_are_an_error(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "exprgrad.compiled.columns", None)
    with pytest.raises(UsageError, match="NumPy"):
        parse("x").compile().arrays([1.0])


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("a*b + abs(a - b)/3", (1, 1)),
        ("a/3 + abs(b - a)", (1, 1)),
        ("x + y + z + abs(w)/3", (1, 1, 1, 0)),
        ("ln(2)*y + mod(x, -1)/3", (1, 0)),
    ],
)
def test_a_number_is_not_taken_for_the_result_of_that_number(text, at):
    f = parse(text)
    point = dict(zip(f.variables, map(float, at), strict=True))
    assert f.compile()(*at)[1] == tuple(f.evaluate(point).gradient.values())
    assert None in f.compile()(*at)[1]


def test_derivatives_inside_need_to_exist_with_subgradients_too():
    f = parse("d/dx(max(x, 0))")
    for call in (f.compile(subgradient=True), f.compile()):
        assert call(1.0) == (1, (0,))
        with pytest.raises(NotDifferentiableError, match="does not exist at x = 0"):
            call(0.0)
    assert parse("abs(x)").compile(subgradient=True)(0.0) == (0, (0,))


def test_there_is_no_signed_zero():
    f = parse("atan2(-y, x)")
    assert f.evaluate({"x": -1, "y": 0}).value == f.compile()(0, -1)[0] == math.pi
    assert f.evaluate({"x": -1, "y": 0}, refine=False).value == math.pi
