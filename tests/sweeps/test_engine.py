"""The two sweeps: values forward, adjoints back."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mpf

from exprgrad.errors import DomainError, RangeError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import Constant, Value, node
from exprgrad.operations.number_types import CAREFUL, Fault, float_partials
from exprgrad.operations.operation import TABLE
from exprgrad.sweeps import careful
from exprgrad.sweeps.careful import live, meets_corner, pull_back_carefully
from exprgrad.sweeps.tape import _INLINE, Tape, primals, pull_back
from tests.strategies import CASES, exact_sweeps, fewer, texts


def at_a_regular_point(case):
    """The expression with its evaluation, where it is smooth and no number is huge."""
    text, at = case
    expression = parse(text)
    at = {name: at[name] for name in expression.variables}
    try:
        result = expression.evaluate(at)
    except DomainError:
        assume(False)
    tape, values = expression.tape, result.primals
    assume(values)  # there are none where double precision has no result
    active = tape.active(tape.variables)
    assume(not meets_corner(tape, values, active))
    assume(all(v is not None and abs(v) < 1e4 for v in values))
    _, edges, blocked = pull_back_carefully(tape, values, active)
    assume(not blocked)
    assume(all(abs(edge.partial) < 1e4 for edge in edges))
    return expression, at, result, edges


def scale(result, edges, name):
    """The size of the contributions that add up to a partial derivative."""
    target = result.expression.tape.variables[name]
    own = [e for e in edges if e.target == target]
    return 1 + sum(abs(result.adjoints[e.source] * e.partial) for e in own)


# Reverse = exact = difference


@given(CASES)
@fewer(2)
def test_reverse_sweep_agrees_with_exact_arithmetic(case):
    expression, at, result, edges = at_a_regular_point(case)
    with mpmath.workdps(40):
        value, gradient = exact_sweeps(expression.tape, at)
        assert result.value == pytest.approx(float(value), rel=1e-8, abs=1e-8)
        for name in at:
            tolerance = 1e-6 * scale(result, edges, name)
            exact = float(gradient[name])
            assert result.gradient[name] == pytest.approx(exact, abs=tolerance), name


@given(CASES)
def test_exact_reverse_sweep_is_the_difference_of_values(case):
    expression, at, _, _ = at_a_regular_point(case)
    tape = expression.tape
    with mpmath.workdps(100):
        exact = exact_sweeps(tape, at)[1]
        step = mpf(10) ** -25
        for name in at:
            above = exact_sweeps(tape, at | {name: mpf(at[name]) + step})[0]
            below = exact_sweeps(tape, at | {name: mpf(at[name]) - step})[0]
            slope = (above - below) / (2 * step)
            # a rule such as 1/3 for a cube root is written in floats: 1e-17
            assert abs(slope - exact[name]) <= 1e-12 * (1 + abs(slope)), name


@given(CASES)
def test_reverse_sweep_is_the_central_difference_of_values(case):
    expression, at, result, edges = at_a_regular_point(case)

    def difference(name, step):
        above = expression(**at | {name: at[name] + step})
        below = expression(**at | {name: at[name] - step})
        return (above - below) / (2 * step)

    for name in at:
        tolerance = 1e-4 * (scale(result, edges, name) + abs(result.value))
        try:
            wide, narrow = difference(name, 1e-5), difference(name, 0.6e-5)
        except DomainError:
            continue
        if abs(wide - narrow) < tolerance / 10:
            assert result.gradient[name] == pytest.approx(narrow, abs=tolerance)


@given(CASES, CASES)
def test_gradient_of_a_sum_is_the_sum_of_gradients(one, other):
    _, at_one, first, first_edges = at_a_regular_point(one)
    other = other[0], one[1]  # at the same point
    _, at_other, second, second_edges = at_a_regular_point(other)
    both = parse(f"({one[0]}) + ({other[0]})").evaluate(at_one | at_other)
    assert both.value == pytest.approx(first.value + second.value, rel=1e-15)
    for name in both.gradient:
        parts = [
            (result.gradient[name], scale(result, edges, name))
            for result, edges in ((first, first_edges), (second, second_edges))
            if name in result.gradient
        ]
        size = sum(s for _, s in parts)
        expected = sum(part for part, _ in parts)
        assert both.gradient[name] == pytest.approx(expected, abs=1e-12 * size)


@given(CASES)
@fewer(4)
def test_all_paths_from_a_shared_node_count(case):
    expression, at, result, edges = at_a_regular_point(case)
    f = f"({case[0]})"
    three_paths = parse(f"{f}*{f} + 3*{f}").evaluate(at)
    for name in at:
        expected = (2 * result.value + 3) * result.gradient[name]
        size = scale(result, edges, name) * (3 + 2 * abs(result.value))
        assert three_paths.gradient[name] == pytest.approx(expected, abs=1e-11 * size)
    assert expression.variables == three_paths.expression.variables


@given(CASES)
def test_careful_sweep_gives_the_adjoints_of_the_fast_one(case):
    expression, _, result, _ = at_a_regular_point(case)
    tape = expression.tape
    active = tape.active(tape.variables)
    fast, _ = pull_back(tape, result.primals, active)
    careful, _, _ = pull_back_carefully(tape, result.primals, active)
    for i in tape.variables.values():
        assert careful[i] == pytest.approx(fast[i], rel=1e-12, abs=1e-300)


# Worked examples


def test_worked_example_of_the_survey_by_baydin_and_others():
    result = parse("ln(x1) + x1*x2 - sin(x2)").evaluate({"x1": 2, "x2": 5})
    assert result.value == pytest.approx(math.log(2) + 10 - math.sin(5), rel=1e-15)
    assert result.gradient["x1"] == 5.5
    assert result.gradient["x2"] == pytest.approx(2 - math.cos(5), rel=1e-15)


def test_worked_example_with_exact_numbers():
    result = parse("(a*b+c)^2").evaluate({"a": 2, "b": 3, "c": 1})
    assert (result.value, result.gradient) == (49, {"a": 42, "b": 28, "c": 14})


def test_expression_without_variables_has_an_empty_gradient():
    result = parse("2 + 3*4").evaluate({})
    assert (result.value, result.gradient) == (14, {})


def test_expression_that_is_a_variable_has_slope_one():
    assert parse("x").evaluate({"x": 5}).gradient == {"x": 1}


# Choice


@pytest.mark.parametrize(
    ("text", "x", "value", "slope"),
    [
        ("if(x > 0, ln(x), -x)", -2, 2, -1),
        ("if(x > 0, ln(x), -x)", 1, 0, 1),
        ("piecewise(x < 0, sqrt(-x), x < 1, x^2, 1/x)", -4, 2, -0.25),
        ("piecewise(x < 0, sqrt(-x), x < 1, x^2, 1/x)", 0.5, 0.25, 1),
        ("piecewise(x < 0, sqrt(-x), x < 1, x^2, 1/x)", 2, 0.5, -0.25),
        ("if(x > 0, exp(1000*x), x)", -1, -1, 1),
        ("if(x > 0 and ln(x) > 1, x^2, 3x)", -1, -3, 3),
        ("if(x < 0 or ln(x) > 1, x^2, 3x)", -1, 1, -2),
        ("x + 0*if(x < 0, 1, sqrt(x))", -1, -1, 1),
    ],
)
def test_only_the_taken_branch_is_evaluated(text, x, value, slope):
    result = parse(text).evaluate({"x": x})
    assert result.value == pytest.approx(value, abs=1e-15)
    assert result.gradient["x"] == pytest.approx(slope, rel=1e-15)


def test_condition_without_a_value_is_a_fault_of_its_own():
    with pytest.raises(DomainError, match="ln needs an argument > 0"):
        parse("if(ln(x) > 0, 1, 2)").evaluate({"x": -1})


def test_fault_is_that_of_the_lowest_operation_that_the_result_needs():
    with pytest.raises(DomainError, match="sqrt needs an argument >= 0; here x is -1"):
        parse("if(x > 0, 1, exp(sqrt(x)))").evaluate({"x": -1})


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x) + ln(x)*y",
        "y*ln(x)*sqrt(x)",
        "(x*y)^(1/2) + x*y/0",
        "x*exp(-1000*x) + sqrt(x)",
        "asin(y) + x^y",
        "if(x > 0, sqrt(x), asin(y))",
        "1/exp(-1000*x)",
    ],
)
def test_a_fault_is_that_of_the_careful_sweep(text):
    tape = parse(text).tape
    for at in ({"x": -2.0, "y": 3.0}, {"x": 2.0, "y": -0.5}, {"x": 0.0, "y": 0.0}):
        wanted = forward(tape.steps, CAREFUL, tape.inputs(at))[tape.root]
        if not isinstance(wanted, Fault):
            assert primals(tape, at)[tape.root] == wanted
            continue
        with pytest.raises(Fault) as raised:
            primals(tape, at)
        found = raised.value
        assert (found.step, found.arguments) == (wanted.step, wanted.arguments)


_AWKWARD = (0.0, 1.0, -1.0, 0.5, -3.0, math.pi, 710.0, 1e-320, 1e300, -1e300)


def _shown(value):
    """Return a value, or where a fault is and at which arguments, so that nan is equal to itself."""
    return (
        (value.step, *map(repr, value.arguments))
        if isinstance(value, Fault)
        else repr(value)
    )


@given(texts(), st.randoms(use_true_random=False))
def test_the_fast_sweep_has_the_values_and_faults_of_the_careful_one(text, drawn):
    expression = parse(text)
    tape = expression.tape
    for _ in range(4):
        at = {name: drawn.choice(_AWKWARD) for name in tape.variables}
        wanted = forward(tape.steps, CAREFUL, tape.inputs(at))
        assert list(map(_shown, primals(tape, at, faults=True))) == list(
            map(_shown, wanted)
        )
        root = wanted[tape.root]
        if isinstance(root, Fault):
            with pytest.raises(Fault) as raised:
                primals(tape, at)
            assert _shown(raised.value) == _shown(root)


def test_branch_that_is_not_taken_has_no_part_in_the_gradient():
    result = parse("if(a < b, x, y)").evaluate({"a": 1, "b": 2, "x": 3, "y": 4})
    assert result.gradient == {"a": 0, "b": 0, "x": 1, "y": 0}


def test_live_nodes_are_those_that_the_result_depends_on():
    expression = parse("if(x > 0, sin(x), cos(y))")
    tape = expression.tape
    values = primals(tape, {"x": 1.0, "y": 2.0})
    names = {
        tape.nodes[i].operation.name
        for i, alive in enumerate(live(tape, values))
        if alive and tape.nodes[i].operation
    }
    assert names == {"if", "gt", "sin"}


# The tape


@given(CASES)
def test_tape_has_variables_then_constants_then_operations_after_their_operands(case):
    expression = parse(case[0])
    tape = expression.tape
    kinds = [
        2 if n.operation else 1 if isinstance(n, Constant) else 0 for n in tape.nodes
    ]
    assert kinds == sorted(kinds)
    assert [step.node for step in tape.steps] == [
        i for i, k in enumerate(kinds) if k == 2
    ]
    assert all(j < step.node for step in tape.steps for j in step.operands)
    assert tuple(tape.variables) == expression.variables
    assert tape.root == len(tape.nodes) - 1 or not tape.steps
    assert len({id(n) for n in tape.nodes}) == len(tape.nodes)


def test_shared_node_is_on_the_tape_once():
    x = Value(None, "x")
    node = x
    for _ in range(100):
        node = node * node
    assert len(Tape(node, [x]).steps) == 100


def test_tape_grows_with_the_graph():
    sizes = [len(parse("+".join(["sin(x)"] * n)).tape.steps) for n in (10, 20, 40)]
    assert sizes == [19, 39, 79]


def test_active_nodes_are_those_above_the_variables_asked_for():
    tape = parse("sin(x) * exp(y) + 2").tape

    def active_operations(wrt):
        flags = tape.active(wrt)
        return [step.operation.name for step in tape.steps if flags[step.node]]

    assert sorted(active_operations(["x"])) == ["add", "mul", "sin"]
    assert sorted(active_operations(["y"])) == ["add", "exp", "mul"]
    assert active_operations([]) == []


def test_partials_are_taken_for_active_operands_only(monkeypatch):
    asked = []

    def spy(values, step, wanted):
        asked.extend(step.operands[i] for i in wanted)
        return by_rules(values, step, wanted)

    by_rules = careful._by_rules
    monkeypatch.setattr(careful, "_by_rules", spy)
    tape = parse("x^n * y").tape
    values = primals(tape, {"x": -2.0, "n": 3.0, "y": 5.0})
    adjoints, _, blocked = pull_back_carefully(tape, values, tape.active(["x"]))
    assert adjoints[tape.variables["x"]] == 60
    assert blocked == []
    assert tape.variables["n"] not in asked
    assert tape.variables["y"] not in asked


def test_gradient_by_some_variables_is_that_part_of_the_whole():
    expression, at = parse("x*y^2 + exp(z)*x"), {"x": 1.5, "y": -2, "z": 0.3}
    whole = expression.evaluate(at).gradient
    assert list(whole) == ["x", "y", "z"]
    for wrt in (["x"], ["z", "y"], ["y"], []):
        part = expression.evaluate(at, wrt).gradient
        assert part == {name: whole[name] for name in wrt}
        assert list(part) == wrt


@given(CASES)
def test_evaluation_does_not_change_the_expression(case):
    expression, at, result, _ = at_a_regular_point(case)
    before = [(n.data, n.grad, n.name, n.operands) for n in expression.tape.nodes]
    again = expression.evaluate(at)
    assert (again.value, again.gradient) == (result.value, result.gradient)
    assert again.adjoints == result.adjoints
    assert [
        (n.data, n.grad, n.name, n.operands) for n in expression.tape.nodes
    ] == before


def test_evaluations_at_other_points_and_by_other_variables_do_not_mix():
    expression = parse("x^2*y + if(x > 1, x, y)")
    first = expression.evaluate({"x": 2, "y": 3}).gradient
    expression.evaluate({"x": 0.5, "y": 1}, ["y"])
    expression.evaluate({"x": 0.5, "y": 1}, ["x"])
    assert expression.evaluate({"x": 2, "y": 3}).gradient == first == {"x": 13, "y": 4}


@pytest.mark.slow
def test_chain_of_twenty_thousand_operations_is_differentiated():
    expression = parse("x" + "*1 + x" * 10_000)
    result = expression.evaluate({"x": 2})
    assert (result.value, result.gradient) == (20_002, {"x": 10_001})


@pytest.mark.slow
def test_nested_calls_twenty_thousand_deep_are_differentiated():
    depth = 20_000
    result = parse("abs(" * depth + "x" + ")" * depth).evaluate({"x": -2})
    assert (result.value, result.gradient) == (2, {"x": -1})


@pytest.mark.slow
def test_wide_gradient_comes_from_one_sweep():
    names = [f"x{i}" for i in range(2_000)]
    expression = parse(" + ".join(f"{i}*{name}^2" for i, name in enumerate(names)))
    at = dict.fromkeys(names, 0.5)
    assert expression.evaluate(at).gradient == {
        n: float(i) for i, n in enumerate(names)
    }


# Numbers on the way


def test_intermediate_overflow_of_a_sum_of_values_does_no_harm():
    result = parse("x*0 + y*0 + z").evaluate({"x": 1e308, "y": 1.7e308, "z": 1})
    assert (result.value, result.gradient["z"]) == (1, 1)


def test_slope_of_zero_is_not_minus_zero():
    gradient = parse("-0*x + cos(y)").evaluate({"x": 1, "y": 0}).gradient
    assert [math.copysign(1, slope) for slope in gradient.values()] == [1, 1]


def test_overflowing_slope_is_an_error_and_not_infinite():
    with pytest.raises(DomainError, match="too large for double precision"):
        parse("1e200*x*y").evaluate({"x": 1e-200, "y": 1e200}, refine=False)


@given(st.sampled_from(_INLINE), *[st.floats(0.001, 1e3)] * 3)
def test_what_the_reverse_sweep_writes_out_is_what_the_table_says(name, x, y, seed):
    row = TABLE[name]
    f = Expression.of(
        node(
            TABLE["mul"],
            (Value(None, "s"), node(row, (Value(None, "x"), Value(None, "y")))),
        )
    )
    at = {"s": seed, "x": x, "y": y}
    z = row.kernel(x, y)
    found = f.evaluate(at, refine=False).gradient
    a, b = Value(x), Value(y)
    (
        Value(seed) * {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b}[name]
    ).backward()
    for leaf, slope, partial in zip((a, b), "xy", float_partials(row), strict=True):
        assert found[slope] == leaf.grad == seed * partial(z, x, y)


def test_contributions_are_added_one_by_one_on_every_python():
    f = parse("10^16*x + x - 10^16*x")
    values = primals(f.tape, {"x": 1.0})
    adjoints, gathered = pull_back(f.tape, values, f.tape.active(["x"]))
    own = f.tape.variables["x"]
    assert (adjoints[own], gathered[own]) == (0.0, 2e16 + 1)
    assert f.evaluate({"x": 1.0}).gradient["x"] == 1.0


@pytest.mark.parametrize("inside", ["x", "if(x > 0, x, ln(x))", "if(x > 0, x, ln(-x)^x)"])  # fmt: skip
def test_an_overflowing_slope_is_told_from_the_others_beside_a_branch_that_has_no_value(
    inside: str,
) -> None:
    f, at = parse(f"exp(y)*(exp(y)*{inside})"), {"x": 1e-310, "y": 600.0}
    found = f.evaluate(at)
    assert found.gradient["x"] is None
    assert found.gradient["y"] == pytest.approx(2 * found.value)
    with pytest.raises(RangeError, match="with respect to x is too large"):
        f.evaluate(at, refine=False)
