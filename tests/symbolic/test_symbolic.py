"""Derivatives as formulas: five ways to one number, textbook forms, and work linear in the graph."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from exprgrad.errors import DomainError, NotDifferentiableError, RangeError
from exprgrad.expressions.comparison import central_difference, reference, richardson
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, node
from exprgrad.notation.text import shared_parts, text_length
from exprgrad.operations.operation import TABLE, named
from exprgrad.sweeps.careful import live
from exprgrad.symbolic.derivative import derivative, tangent
from exprgrad.symbolic.forms import Algebra
from tests.strategies import CASES, MP, ROWS, fewer, regular_points

DIGITS = 60


def exact_value(expression: Expression, at: dict[str, float]) -> Any:
    """The value with 60 digits; decimals as typed. Raises as the expression does on floats."""
    tape = expression.tape
    point = {name: at[name] for name in expression.variables}
    alive = live(tape, expression.primals(point))
    values: list[Any] = [mpmath.mpf(0)] * len(tape.nodes)
    named_constants = {"pi": mpmath.pi, "e": mpmath.e, "tau": 2 * mpmath.pi}
    with mpmath.workdps(DIGITS):
        for name, i in tape.variables.items():
            values[i] = mpmath.mpf(at[name])
        for i, data in tape.constants:
            name = tape.nodes[i].name
            exact = named_constants.get(name) if name else mpmath.mpf(repr(data))
            values[i] = +exact
        for step in tape.steps:
            if alive[step.node]:
                arguments = [values[j] for j in step.operands]
                values[step.node] = MP.function(step.operation)(*arguments)
        return +values[tape.root]


def evaluated(formula: str, at: dict[str, float]):
    """The expression and its evaluation; only where it is smooth and of ordinary size."""
    f = parse(formula, "xyz")
    point = {name: at[name] for name in f.variables}
    try:
        result = f.evaluate(point)
    except DomainError:
        assume(False)
    assume(not result.corners and f.variables)
    assume(all(abs(v) < 1e100 for v in result.primals if v is not None))
    return f, point, result


def exact_gradient(f: Expression, point: dict[str, float]) -> dict[str, Any]:
    """The gradient with 60 digits; only where rounding the point hardly moves it."""
    try:
        exact = reference(f, point, DIGITS)
        moved = reference(f, {n: v * (1 + 1e-9) for n, v in point.items()}, DIGITS)
    except (ValueError, ZeroDivisionError, OverflowError, DomainError, LookupError):
        assume(False)
    for name, partial in exact.items():
        assume(abs(partial) < 1e50)
        assume(abs(moved[name] - partial) <= 1e-5 * (abs(partial) + mpmath.mpf("1e-9")))
    return exact


# One number, however it is computed


@pytest.mark.slow
@given(CASES)
def test_printed_derivative_has_the_value_of_the_reference_in_sixty_digits(case):
    formula, at = case
    f, point, _ = evaluated(formula, at)
    exact = exact_gradient(f, point)
    for name in f.variables:
        printed = parse(str(f.derivative(name)))
        try:
            value = exact_value(printed, point)
        except RangeError:
            continue  # a number on the way is beyond double precision
        assert abs(value - exact[name]) <= 1e-11 * (abs(exact[name]) + 1e-9), printed


@pytest.mark.slow
@given(CASES)
def test_reverse_is_forward_is_symbolic_is_the_reference_on_floats(case):
    formula, at = case
    f, point, result = evaluated(formula, at)
    exact = exact_gradient(f, point)
    forward = f.evaluate(point, mode="forward").gradient
    for name, partial in exact.items():
        wanted = pytest.approx(float(partial), rel=1e-6, abs=1e-9)
        assert result.gradient[name] == wanted
        assert forward[name] == wanted


@pytest.mark.slow
@given(CASES)
def test_central_difference_is_the_printed_derivative(case):
    formula, at = case
    f, point, _ = evaluated(formula, at)
    for name in f.variables:

        def along(x, name=name):
            return f(**{**point, name: x})

        try:
            near, far = (
                central_difference(along, point[name]),
                richardson(along, point[name]),
            )
            found = parse(str(f.derivative(name)), "xyz")(**point)
        except DomainError:
            continue  # the edge of the domain is too near
        scale = abs(near) + abs(far) + abs(f(**point)) + 1e-6
        if abs(near - far) <= 1e-7 * scale:
            assert found == pytest.approx(near, abs=1e-5 * scale), name


@pytest.mark.slow
@given(CASES, st.sampled_from("xyz"), st.sampled_from("xyz"))
@fewer(2)
def test_second_derivatives_are_derivatives_of_first_ones(case, first, second):
    formula, at = case
    f, point, _ = evaluated(formula, at)
    assume(first in f.variables)
    assume(second in f.variables)
    slope = parse(str(f.derivative(first)), "xyz")
    own = {name: point[name] for name in slope.variables}
    if second not in slope.variables:
        assert str(slope.derivative(second)) == "0"
        return
    assume(text_length(slope.root, 4000) <= 4000)
    try:
        result = slope.evaluate(own)
    except RangeError:
        assume(False)
    assume(not result.corners)
    exact = exact_gradient(slope, own)[second]
    bent = f.derivative(first, second)
    try:
        value = exact_value(parse(str(bent)), point)
    except RangeError:
        assume(False)
    assert abs(value - exact) <= 1e-11 * (abs(exact) + 1e-9)


@pytest.mark.parametrize(
    "row",
    [r for r in ROWS if r.called and None not in r.partials],
    ids=lambda r: r.name,
)
def test_derivative_of_every_function_of_the_table_has_the_value_of_its_rule(row):
    names = "xyz"[: row.arity]
    f = parse(f"{row.called}({', '.join(names)})")
    derivatives = {}  # as they are printed, and each once
    compared = 0
    for arguments in regular_points(row, everyday=True)[:40]:
        at = dict(zip(names, arguments, strict=True))
        try:
            result = f.evaluate(at)
            exact = reference(f, at, DIGITS)
        except (ValueError, ZeroDivisionError, DomainError):
            continue
        for name in f.variables:
            if result.gradient[name] is None or not mpmath.isfinite(exact[name]):
                continue
            if name not in derivatives:
                derivatives[name] = parse(str(f.derivative(name)), names)
            printed = derivatives[name]
            own = {n: at[n] for n in printed.variables}
            scale = abs(float(exact[name])) + 1e-9
            wanted = pytest.approx(float(exact[name]), rel=1e-7, abs=1e-9 * scale)
            assert printed(**own) == wanted, at
            compared += 1
    assert compared >= 5


# As a teacher would write it

TEXTBOOK = {
    "5": "0",
    "x": "1",
    "3x": "3",
    "-x": "-1",
    "x^2": "2*x",
    "-x^2": "-2*x",
    "x^3/3": "x^2",
    "0.5 x^2": "x",
    "x^3 - 4x^2 + 7x - 2": "3*x^2 - 8*x + 7",
    "(x^2 + 1)^3": "6*x*(x^2 + 1)^2",
    "(2x - 1)^5": "10*(2*x - 1)^4",
    "(1 - x)^4": "-4*(1 - x)^3",
    "a x^2 + b x + c": "2*a*x + b",
    "x^2 y^3": "2*x*y^3",
    "1/x": "-1/x^2",
    "1/x^2": "-2/x^3",
    "x^-3": "-3/x^4",
    "3x^-2 + 2/x": "-2/x^2 - 6/x^3",
    "1/(x^2 + 1)": "-2*x/(x^2 + 1)^2",
    "x/(x^2 + 1)": "(1 - x^2)/(x^2 + 1)^2",
    "(x + 1)/(x - 1)": "-2/(x - 1)^2",
    "(x^2 - 1)/(x^2 + 1)": "4*x/(x^2 + 1)^2",
    "1/(x^2 + 1)^2": "-4*x/(x^2 + 1)^3",
    "sqrt(x)": "1/(2*sqrt(x))",
    "1/sqrt(x)": "-1/(2*x^(3/2))",
    "4x^(3/2)": "6*sqrt(x)",
    "sqrt(1 - x^2)": "-x/sqrt(1 - x^2)",
    "sqrt(x^2 + 1)": "x/sqrt(x^2 + 1)",
    "x/sqrt(1 + x^2)": "1/(x^2 + 1)^(3/2)",
    "cbrt(x)": "1/(3*x^(2/3))",
    "x^(1/3)": "1/(3*x^(2/3))",
    "x^(2/3)": "2/(3*x^(1/3))",
    "sin(x)": "cos(x)",
    "cos(2x)": "-2*sin(2*x)",
    "tan(x)": "sec(x)^2",
    "sec(x)": "sec(x)*tan(x)",
    "csc(x)": "-csc(x)*cot(x)",
    "cot(x)": "-csc(x)^2",
    "sin(x)^2": "2*sin(x)*cos(x)",
    "cos(x)^3": "-3*cos(x)^2*sin(x)",
    "sin(x)cos(x)": "cos(2*x)",
    "sin(x^2)": "2*x*cos(x^2)",
    "sin(x)/x": "(x*cos(x) - sin(x))/x^2",
    "x cos x - sin x": "-x*sin(x)",
    "x^2 sin x": "2*x*sin(x) + x^2*cos(x)",
    "sin(a x + b)": "a*cos(a*x + b)",
    "tan(x^2)": "2*x*sec(x^2)^2",
    "ln(sec x + tan x)": "sec(x)",
    "exp(x)": "exp(x)",
    "e^(2x)": "2*exp(2*x)",
    "x e^x": "exp(x)*(x + 1)",
    "x^2 e^(-x)": "x*exp(-x)*(2 - x)",
    "exp(-x^2/2)": "-x*exp(-x^2/2)",
    "e^x/x": "exp(x)*(x - 1)/x^2",
    "e^(-x) cos(x)": "-exp(-x)*(cos(x) + sin(x))",
    "1/(1 + exp(-x))": "exp(-x)/(exp(-x) + 1)^2",
    "2^x": "ln(2)*2^x",
    "a^x": "a^x*ln(a)",
    "x^a": "a*x^(a - 1)",
    "x^x": "x^x*(ln(x) + 1)",
    "ln(x)": "1/x",
    "ln(3x)": "1/x",
    "x ln x - x": "ln(x)",
    "ln(x)/x": "(1 - ln(x))/x^2",
    "ln(x)^2": "2*ln(x)/x",
    "ln(x^2 + 1)": "2*x/(x^2 + 1)",
    "ln(sqrt(x^2 + 1))": "x/(x^2 + 1)",
    "ln(ln(x))": "1/(x*ln(x))",
    "ln(sin(x))": "cot(x)",
    "ln((1 + x)/(1 - x))": "2/(1 - x^2)",
    "log2(x)": "1/(x*ln(2))",
    "log10(x)": "1/(x*ln(10))",
    "asin(x)": "1/sqrt(1 - x^2)",
    "acos(x)": "-1/sqrt(1 - x^2)",
    "atan(x)": "1/(x^2 + 1)",
    "atan(x/a)": "a/(x^2 + a^2)",
    "x atan x": "atan(x) + x/(x^2 + 1)",
    "asin(x/2)": "1/sqrt(4 - x^2)",
    "sinh(x)": "cosh(x)",
    "cosh(x)": "sinh(x)",
    "tanh(x)": "sech(x)^2",
    "acosh(x)": "1/sqrt(x^2 - 1)",
    "atanh(x)": "1/(1 - x^2)",
    "|x|": "sign(x)",
    "ln|x|": "1/x",
    "|x^2 - 1|": "2*x*sign(x^2 - 1)",
    "sqrt(x^2)": "x/sqrt(x^2)",
    "if(x < 0, -x, x^2)": "if(x < 0, -1, 2*x)",
    "floor(x)": "0",
    "sigmoid(x)": "sigmoid(x)*sigmoid(-x)",
    "erf(x)": "2*exp(-x^2)/sqrt(pi)",
    "4/3 pi x^3": "4*pi*x^2",
}  # fmt: skip


@pytest.mark.parametrize("source", TEXTBOOK)
def test_derivative_is_printed_as_in_a_textbook(source):
    assert str(parse(source).derivative("x")) == TEXTBOOK[source]


@pytest.mark.parametrize(
    ("source", "wrt", "printed"),
    [
        ("x^4", "xx", "12*x^2"),
        ("sin(x)", "xxxx", "sin(x)"),
        ("1/x", "xx", "2/x^3"),
        ("ln(x)", "xxx", "2/x^3"),
        ("exp(a x)", "xx", "a^2*exp(a*x)"),
        ("x^2 y^3", "xy", "6*x*y^2"),
        ("sin(x y)", "yx", "cos(x*y) - x*y*sin(x*y)"),
        ("x e^x", "xxx", "exp(x)*(x + 3)"),
    ],
)
def test_derivative_of_a_derivative_is_printed_as_in_a_textbook(source, wrt, printed):
    assert str(parse(source).derivative(*wrt)) == printed


# What a derivative is by


@pytest.mark.parametrize("source", ["x^2", "pi + e", "y*sin(y)", "if(x < 1, x, y)"])
def test_derivative_by_a_name_that_does_not_occur_is_0(source):
    assert str(parse(source).derivative("q")) == "0"


def test_a_named_constant_is_not_a_variable():
    assert str(parse("e^x + pi*x").derivative("e")) == "0"
    assert str(parse("e*x").derivative("x")) == "e"


def test_derivative_of_the_only_variable_needs_no_name():
    assert str(parse("t^2").derivative()) == "2*t"
    assert str(parse("t^3").derivative(order=2)) == "6*t"


def test_derivative_without_a_name_asks_which_variable():
    with pytest.raises(Exception, match="choose the variable"):
        parse("x*y").derivative()


def test_derivative_by_the_order_of_a_derivative_is_refused():
    with pytest.raises(NotDifferentiableError, match="argument number 2"):
        parse("digamma(x, n)").derivative("n")
    assert str(parse("digamma(x, 1)").derivative("x")) == "digamma(x, 2)"


# Branches


def test_derivative_of_cases_evaluates_the_taken_branch_only():
    f = parse("if(x > 0, ln(x), x^3)").derivative("x")
    assert f(x=-2) == 12
    assert f(x=4) == 0.25


def test_derivative_of_cases_keeps_a_quotient_out_of_the_branch_not_taken():
    f = parse("y*if(x == 0, 1, sin(x)/x)").derivative("x")
    assert f(x=0, y=3) == 0
    with mpmath.workdps(30):
        wanted = 3 * (mpmath.cos(2) / 2 - mpmath.sin(2) / 4)
    assert f(x=2, y=3) == pytest.approx(float(wanted), rel=1e-15)


def test_a_case_without_the_variable_has_slope_0():
    assert str(parse("if(x > 1, 5, 2x)").derivative("x")) == "if(x > 1, 0, 2)"
    assert str(parse("if(y > 1, 5, 2)").derivative("y")) == "0"


def test_nested_cases_stay_lazy_in_the_second_derivative():
    f = parse("if(x > 0, x ln(x), if(x < -1, 1/x, x^4))").derivative("x", "x")
    assert f(x=2) == 0.5
    assert f(x=-2) == -0.25
    assert f(x=-0.5) == 3


# Work in proportion to the graph


@pytest.fixture
def interned(monkeypatch):
    """Counts how often a form is looked up or made."""
    made = []
    intern = Algebra._intern

    def counting(self, key, kind, parts, cost):
        made.append(kind)
        return intern(self, key, kind, parts, cost)

    monkeypatch.setattr(Algebra, "_intern", counting)
    return made


def squared(times: int) -> Value:
    """f <- f*f + y, so many times: a text of two to the power of that, a graph of a few nodes."""
    f, y = Value(None, "x"), Value(None, "y")
    for _ in range(times):
        f = node(TABLE["add"], (node(TABLE["mul"], (f, f)), y))
    return f


def size(root: Value) -> int:
    return len(topological(root))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x", "y"])
def test_repeated_squaring_is_differentiated_in_proportion_to_its_graph(name, interned):
    sizes, works = [], []
    for times in (7, 15, 30, 60):
        interned.clear()
        sizes.append(size(derivative(squared(times), name)))
        works.append(len(interned))
    assert sizes[1] < 15 * 15
    assert sizes[2] <= 2.2 * sizes[1]
    assert works[3] <= 3 * works[2] <= 9 * works[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x", "y"])
def test_derivative_of_repeated_squaring_has_the_right_value(name):
    root = derivative(squared(15), name)
    f = Expression.of(squared(5))
    assert f.derivative(name)(x=0.5, y=-0.3) == pytest.approx(
        f.evaluate({"x": 0.5, "y": -0.3}).gradient[name], rel=1e-13
    )
    value, slopes = 0.5, {"x": 1.0, "y": 0.0}
    for _ in range(15):
        slopes = {n: 2 * value * s + (n == "y") for n, s in slopes.items()}
        value = value * value - 0.3
    lines = shared_parts(root)
    known = {"x": 0.5, "y": -0.3}
    for line in lines[:-1]:
        left, _, right = line.partition(" = ")
        part = parse(right, known)
        known[left] = part(**{n: known[n] for n in part.variables})
    last = parse(lines[-1], known)
    found = last(**{n: known[n] for n in last.variables})
    assert found == pytest.approx(slopes[name], rel=1e-12)


CHAINS = {
    "sum": lambda i, f, x: node(TABLE["add"], (f, node(TABLE["mul"], (x[i % 3], x[1])))),
    "product": lambda i, f, x: node(TABLE["mul"], (f, x[i % 3])),
    "both": lambda i, f, x: node(TABLE["add" if i % 2 else "mul"], (f, x[i % 3])),
    "functions": lambda i, f, x: node(TABLE["sin"], (f,)),
    "different sums": lambda i, f, x: node(
        TABLE["add"], (f, node(TABLE["sin"], (Value(None, f"v{i}"),)))
    ),
}  # fmt: skip


def chain(kind: str, length: int) -> Value:
    leaves = [Value(None, name) for name in "xyz"]
    f = leaves[0]
    for i in range(length):
        f = CHAINS[kind](i, f, leaves)
    return f


@pytest.mark.slow
@pytest.mark.parametrize("kind", CHAINS)
def test_long_chain_is_differentiated_in_proportion_to_its_length(kind, interned):
    sizes, works = [], []
    for length in (500, 1_000, 2_000):
        interned.clear()
        sizes.append(size(derivative(chain(kind, length), "x")))
        works.append(len(interned))
    assert works[2] <= 2.4 * works[1] + 100
    assert sizes[2] <= 2.4 * sizes[1] + 100
    assert works[2] <= 60 * 2_000


@pytest.mark.slow
def test_tower_of_powers_is_simplified_in_proportion_to_its_height(monkeypatch):
    products: list[object] = []
    original = Algebra._product
    monkeypatch.setattr(
        Algebra, "_product", lambda *args: products.append(1) or original(*args)
    )
    works = []
    for height in (40, 80, 160):
        products.clear()
        derivative(parse("^".join(["x"] * height)).root, "x")
        works.append(len(products))
    assert works[2] <= 2.2 * works[1] <= 5 * works[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sum", "product"])
def test_chain_of_twenty_thousand_operations_is_differentiated(kind):
    root = derivative(chain(kind, 20_000), "x")
    assert size(root) <= 300_000


def test_derivative_shares_the_nodes_that_the_original_shares():
    u = parse("sin(x^2) + 1").root
    square = node(TABLE["mul"], (u, u))
    found = tangent(square, "x")
    assert u in topological(found)


# Long results


@pytest.mark.slow
def test_a_long_result_is_measured_without_being_written():
    root = derivative(squared(60), "x")
    assert text_length(root, 1_000) > 1_000


def test_a_long_result_is_written_with_shared_parts():
    lines = shared_parts(derivative(squared(15), "x"))
    assert lines[0].startswith("t1 = ")
    assert [line.split(" = ")[0] for line in lines[:-1]] == [
        f"t{i}" for i in range(1, len(lines))
    ]
    assert sum(map(len, lines)) < 1_500
    assert " = " not in lines[-1]


@pytest.mark.slow
def test_derivative_as_an_expression_shares_what_the_graph_shares():
    f = parse("(" * 8 + "x" + ")^2 + y" * 8)
    source = "x"
    for _ in range(8):
        source = f"sin({source})*({source} + y)"
    assert len(f.derivative("x").tape.steps) < 100
    assert len(parse(source).derivative("x").tape.steps) < 300


def test_a_result_without_shared_parts_is_one_line():
    assert shared_parts(parse("2*x + sin(y)").root) == ["2*x + sin(y)"]


def test_functions_share_names_with_the_table():
    assert math.isclose(parse("logistic(x)").derivative("x")(x=0), 0.25)
    assert named("logistic")[1] is TABLE["sigmoid"]
