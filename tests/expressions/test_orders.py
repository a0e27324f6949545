"""Directional derivatives, Hessians and their products with vectors."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import exprgrad
from exprgrad.errors import (
    BindingError,
    DomainError,
    NotDifferentiableError,
    RangeError,
    UsageError,
)
from exprgrad.expressions.expression import parse
from exprgrad.expressions.higher_orders import directional, hessian_product, orders
from exprgrad.sweeps import bounds
from exprgrad.sweeps.balls import tangents
from exprgrad.sweeps.bounds import UNDECIDED
from tests.strategies import CASES, MP, fewer

ROSENBROCK = "(1 - x)^2 + 100*(y - x^2)^2"
ROSENBROCK_OF_FIVE = " + ".join(
    f"100*(x{i + 1} - x{i}^2)^2 + (1 - x{i})^2" for i in range(1, 5)
)
BEALE = "(1.5 - x + x*y)^2 + (2.25 - x + x*y^2)^2 + (2.625 - x + x*y^3)^2"
BLACK_SCHOLES = (
    "S*(1 + erf((ln(S/K) + (r + v^2/2)*T)/(v*sqrt(T))/sqrt(2)))/2"
    " - K*exp(-r*T)*(1 + erf((ln(S/K) + (r - v^2/2)*T)/(v*sqrt(T))/sqrt(2)))/2"
)


# Along a direction


@given(CASES, st.tuples(*[st.integers(-20, 20).map(lambda n: n / 4)] * 3))
def test_directional_derivative_is_the_gradient_times_the_seed(case, numbers):
    source, at = case
    f = parse(source, tuple("xyz"))
    try:
        result = f.evaluate(at)
    except DomainError:
        assume(False)
    assume(not result.corners and f.variables)
    seed = {n: s for n, s in zip("xyz", numbers, strict=True) if n in f.variables}
    found = directional(f, at, seed)
    # where a condition compares what is equal, a direction may stay open
    assume(found.corner is None or found.corner.kind != "undetermined")
    parts = [result.gradient[n] * s for n, s in seed.items()]
    assert found.value == result.value
    size = max((abs(a) for a in found.tangents), default=0.0)
    assume(size < 1e8)
    wanted = math.fsum(parts)
    assert found.derivative == pytest.approx(wanted, rel=1e-9, abs=1e-9 * (1 + size))


def test_direction_may_leave_variables_out():
    f = parse("x*y^2")
    found = directional(f, {"x": 2, "y": 3}, {"y": 1})
    assert (found.value, found.derivative) == (18, 12)
    assert found.seed == {"y": 1}
    assert exprgrad.directional(f, {"x": 2, "y": 3}, {}).derivative == 0


def test_a_direction_has_numbers_that_exist():
    assert directional("x^2", {"x": 1}, {"x": "1/2"}).derivative == 1
    with pytest.raises(DomainError, match="sqrt needs"):
        directional("x^2", {"x": 1}, {"x": "sqrt(-1)"})
    with pytest.raises(BindingError, match="beyond the range"):
        directional("x^2", {"x": 1}, {"x": 10**400})


def test_corner_off_the_direction_does_not_matter():
    f = parse("|x| + y^2")
    found = directional(f, {"x": 0, "y": 3}, {"y": 2})
    assert (found.derivative, found.corner) == (12, None)


def test_corner_along_the_direction_has_no_derivative():
    found = directional(parse("|x| + y"), {"x": 0, "y": 3}, {"x": 1, "y": 1})
    assert found.derivative is None
    assert found.corner is not None


def test_directional_derivative_exists_where_corners_cancel_along_the_direction():
    f = parse("|x - y|")
    assert directional(f, {"x": 1, "y": 1}, {"x": 1, "y": 1}).derivative == 0
    assert directional(f, {"x": 1, "y": 1}, {"x": 1, "y": 2}).derivative is None


def test_direction_by_a_name_that_does_not_occur_is_refused():
    with pytest.raises(BindingError, match="no variable z"):
        directional(parse("x*y"), {"x": 1, "y": 2}, {"z": 1})


# Hessians


def exact_hessian(source, at):
    """Central differences over a 1e-20th in 80 digits."""
    f = parse(source)
    names = list(f.variables)

    def value(*numbers):
        known = dict(zip(names, numbers, strict=True))
        tape = f.tape
        values = [mpmath.mpf(0)] * len(tape.nodes)
        for name, i in tape.variables.items():
            values[i] = known[name]
        for i, data in tape.constants:
            values[i] = mpmath.mpf(data)
        for step in tape.steps:
            values[step.node] = MP.function(step.operation)(
                *[values[j] for j in step.operands]
            )
        return values[tape.root]

    with mpmath.workdps(80):
        point = [mpmath.mpf(at[name]) for name in names]
        h = mpmath.mpf(10) ** -20

        def moved(i, j, a, b):
            shifted = list(point)
            shifted[i] += a * h
            shifted[j] += b * h
            return value(*shifted)

        return {
            a: {
                b: (moved(i, j, 1, 1) - moved(i, j, 1, -1) - moved(i, j, -1, 1) + moved(i, j, -1, -1))
                / (4 * h * h)
                for j, b in enumerate(names)
            }
            for i, a in enumerate(names)
        }  # fmt: skip


CURVED = {
    "Rosenbrock": (ROSENBROCK, {"x": -1.2, "y": 1.0}),
    "Rosenbrock at its minimum": (ROSENBROCK, {"x": 1.0, "y": 1.0}),
    "Rosenbrock of five": (ROSENBROCK_OF_FIVE, {f"x{i}": 0.3 * i - 0.7 for i in range(1, 6)}),
    "Beale": (BEALE, {"x": 1.0, "y": 1.0}),
    "Beale at its minimum": (BEALE, {"x": 3.0, "y": 0.5}),
    "Black-Scholes": (BLACK_SCHOLES, {"S": 100.0, "K": 105.0, "r": 0.03, "v": 0.2, "T": 0.75}),
    "Black-Scholes in the money": (
        BLACK_SCHOLES, {"S": 120.0, "K": 100.0, "r": 0.01, "v": 0.35, "T": 2.0}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CURVED)
def test_hessian_agrees_with_mpmath_to_twelve_digits(name):
    source, at = CURVED[name]
    found, exact = parse(source).hessian(at), exact_hessian(source, at)
    largest = max(abs(v) for row in exact.values() for v in row.values())
    for a, row in exact.items():
        for b, value in row.items():
            assert abs(found[a][b] - value) <= 1e-12 * max(abs(value), largest * 1e-3)


@pytest.mark.parametrize("name", CURVED)
def test_hessian_is_symmetric_to_the_last_bit(name):
    source, at = CURVED[name]
    found = parse(source).hessian(at)
    assert list(found) == list(parse(source).variables)
    assert all(found[a][b] == found[b][a] for a in found for b in found)


@pytest.mark.parametrize("name", CURVED)
def test_hessian_times_a_vector_is_a_sum_of_its_columns(name):
    source, at = CURVED[name]
    f = parse(source)
    matrix = f.hessian(at)
    vector = {n: 0.5 - 0.75 * i for i, n in enumerate(f.variables)}
    product = hessian_product(f, at, vector)
    for a, row in matrix.items():
        wanted = math.fsum(row[b] * v for b, v in vector.items())
        size = sum(abs(row[b] * v) for b, v in vector.items())
        assert product[a] == pytest.approx(wanted, abs=1e-12 * (size + 1))


@given(CASES)
def test_hessian_is_made_of_the_second_derivatives_as_formulas(case):
    source, at = case
    f = parse(source, tuple("xyz"))
    try:
        found = f.hessian(at)
    except DomainError:
        assume(False)
    assume(len(f.variables) > 0)
    near = {n: v * (1 + 1e-10) for n, v in at.items()}
    for a in f.variables:
        for b in f.variables:
            second = f.derivative(a, b)
            if len(second.source) > 3000:
                continue
            try:
                wanted, moved = second(**at), second(**near)
            except RangeError:
                continue
            if abs(moved - wanted) <= 1e-7 * (abs(wanted) + 1e-9):
                assert found[a][b] == pytest.approx(wanted, rel=1e-6, abs=1e-8)


def test_hessian_of_a_linear_expression_is_0():
    assert parse("2x - 3y + 1").hessian({"x": 5, "y": 7}) == {
        "x": {"x": 0, "y": 0},
        "y": {"x": 0, "y": 0},
    }


def test_hessian_of_a_number_is_empty():
    assert parse("2 + 3").hessian({}) == {}
    assert hessian_product(parse("2"), {}, {}) == {}


def test_one_preparation_serves_many_points():
    f = parse("x^3 y")
    assert f.hessian_product({"x": 2, "y": 3}, {"x": 1}) == {"x": 36, "y": 12}
    assert f.hessian_product({"x": 1, "y": 1}, {"y": 1}) == {"x": 3, "y": 0}


def test_vector_with_a_name_that_does_not_occur_is_refused():
    with pytest.raises(BindingError, match="no variable z"):
        hessian_product(parse("x^2"), {"x": 1}, {"z": 1})


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("|x|", {"x": 0}),
        ("max(x, y)", {"x": 1, "y": 1}),
        ("sqrt(x)", {"x": 0}),
        ("x*|x|", {"x": 0}),
        ("x^(4/3)", {"x": 0}),
        ("x^1.5", {"x": 0}),
        ("|x|^3*0 + relu(x)^1", {"x": 0}),
    ],
)
def test_hessian_at_a_corner_is_refused(source, at):
    with pytest.raises(NotDifferentiableError):
        parse(source).hessian(at)


@pytest.mark.parametrize(
    ("source", "at", "wanted"),
    [
        ("x^3", 0, 0),
        ("if(x < 1, x^2, ln(x))", -1, 2),
        ("if(x < 1, x^2, ln(x))", 2, -0.25),
        ("|x|", -3, 0),
        ("x^4", 0, 0),
        ("x^2.5", 0, 0),
        ("relu(x)^3", 0, 0),
        ("(x - 1)*log2(x)^(4/3)", 1, 0),
        ("x*(pi*x)^(4/3)", 0, 0),
    ],
)
def test_second_derivative_beside_and_at_special_points(source, at, wanted):
    assert parse(source).hessian({"x": at}) == {"x": {"x": wanted}}


# Bounds, and how much work it may be

CUBICS = {
    "powers": " + ".join(f"x{i}^3" for i in range(300)),
    "neighbours": " + ".join(f"x{i}*x{(i + 1) % 300}*x{(i + 2) % 300}" for i in range(300)),
    "a power of a sum": f"({' + '.join(f'x{i}' for i in range(300))})^3",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CUBICS)
def test_hessian_of_a_cubic_in_300_variables_takes_few_tangents(name, monkeypatch):
    made = []
    count = tangents.Duals.count
    monkeypatch.setattr(tangents.Duals, "count", lambda self, n: made.append(n) or count(self, n))  # fmt: skip
    f = parse(CUBICS[name])
    found = f.hessian({f"x{i}": i + 1 for i in range(300)})
    assert sum(made) < 400_000
    diagonal, beside = {
        "powers": (6 * 8, 0), "neighbours": (0, 7 + 10), "a power of a sum": (6 * 45150, 6 * 45150)
    }[name]  # fmt: skip
    assert (found["x7"]["x7"], found["x7"]["x8"]) == (diagonal, beside)


@pytest.mark.slow
def test_hessian_that_takes_too_much_work_is_refused():
    names = [f"x{i}" for i in range(400)]
    deep = "*".join(f"sin({'+'.join(names)} + {k})" for k in range(20))
    with pytest.raises(UsageError, match="takes too much work"):
        parse(deep).hessian(dict.fromkeys(names, 0.1))


def test_hessian_has_ten_digits_where_terms_cancel():
    f = parse("(1-cos(x))/x^2 + x*y^3")
    found = f.second_partials({"x": 1e-4, "y": 2}, 10)
    assert found["x"]["x"].value == pytest.approx(-0.08333333316666667, rel=1e-10)
    assert found["x"]["x"].error < 1e-11
    assert (found["x"]["y"].value, found["y"]["x"].value) == (12, 12)
    assert found["y"]["y"].value == pytest.approx(12e-4, rel=1e-14)


@given(CASES)
def test_hessian_and_its_product_are_the_derivatives_of_order_2(case):
    source, at = case
    f = parse(source, tuple("xyz"))
    try:
        matrix = f.second_partials(at)
    except DomainError:
        assume(False)
    for name in f.variables:
        own = matrix[name][name]
        second = orders(f, at, name, 2).numbers[2]
        assume(UNDECIDED not in (own.status, second.status))
        assert (own.value is None) == (second.value is None)
        if own.value is not None:
            assert abs(own.value - second.value) <= own.error + second.error
            assert own.digits >= 10 or abs(own.value) <= own.error
    if all(own.value is not None for row in matrix.values() for own in row.values()):
        for name in f.variables:
            product = hessian_product(f, at, {name: 3})
            for other, own in matrix[name].items():
                assert product[other] == pytest.approx(3 * own.value, rel=1e-9, abs=1e-300)  # fmt: skip


@given(CASES, st.tuples(*[st.integers(-20, 20).map(lambda n: n / 4)] * 3))
@fewer(4)
def test_the_bound_along_a_direction_holds_the_sum_of_the_partials(case, numbers):
    source, at = case
    f = parse(source, tuple("xyz"))
    try:
        result = f.evaluate(at)
    except DomainError:
        assume(False)
    assume(not result.corners and f.variables)
    seed = {n: s for n, s in zip("xyz", numbers, strict=True) if n in f.variables}
    slope = directional(f, at, seed).slope
    assume(slope.value is not None)
    parts = [Fraction(result.gradient[n]) * Fraction(s) for n, s in seed.items()]
    slack = sum(Fraction(result.errors[n]) * abs(Fraction(s)) for n, s in seed.items())
    assert abs(Fraction(slope.value) - sum(parts)) <= Fraction(slope.error) + slack


@pytest.mark.parametrize(
    ("source", "x", "wanted"),
    [
        ("(exp(x)-1-x)/x^2", 1e-6, 0.16666675000002),
        ("(1-cos(x))/x^2", 1e-8, -8.333333333333333e-10),
        ("1e20*x + x - 1e20*x", 1.0, 1),
    ],
)
def test_ten_digits_are_right_along_a_direction(source, x, wanted):
    found = directional(parse(source), {"x": x}, {"x": 1})
    assert found.derivative == pytest.approx(wanted, rel=1e-10)
    assert found.value == parse(source)(x=x)


def test_a_derivative_along_a_direction_may_be_beyond_doubles():
    found = directional(parse("exp(x)"), {"x": 1000}, {"x": 2})
    assert (found.derivative, found.slope.decimal(10)) == (None, "3.940142228e+434")


def test_hessian_at_a_removable_singularity_is_that_of_the_series():
    assert parse("if(x==0, 1, sin(x)/x)").hessian({"x": 0})["x"]["x"] == pytest.approx(-1 / 3)  # fmt: skip
    with pytest.raises(NotDifferentiableError, match="abs is not smooth"):
        parse("x*|x|").hessian({"x": 0})
    found = parse("|x| + y^2").second_partials({"x": 0, "y": 1})
    assert found["y"]["y"].value == 2
    assert found["x"]["x"].value is found["x"]["y"].value is None


# Derivatives in the text, where they are numbers that germs gave


@pytest.mark.parametrize(
    ("order", "wanted"), [(1, 0), (2, -1 / 3), (3, 0), (4, 1 / 5), (5, 0)]
)
def test_derivatives_in_the_text_go_on_at_a_removable_singularity(order, wanted):
    f = parse("d/dx " * order + "if(x==0, 1, sin(x)/x)")
    assert f(x=0) == pytest.approx(wanted, abs=1e-300)


@pytest.mark.slow
def test_a_slope_that_germs_gave_has_an_error_that_shows_further_on():
    kink = "d/dx(relu(x)*sin(1) - relu(-x)*sin(1))"
    slope = parse(kink).evaluate({"x": 0})
    assert slope.value == pytest.approx(math.sin(1), rel=1e-15)
    assert 0 < slope.error < 1e-15
    rest = parse(f"{kink} - sin(1)").evaluate({"x": 0})
    assert abs(rest.value) <= rest.error < 1e-15
    with pytest.raises(NotDifferentiableError):
        parse(f"d/dx {kink.replace('-', '+')}")(x=0)


def test_a_derivative_in_the_text_is_taken_at_the_number_that_is_meant():
    names = ("x",)
    assert parse("d/dx (|sin(x)|*sin(x))", names)(x=parse("pi").root) == 0


# Work that is allowed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "at"), [("exp(sin(x))^tan(x)", 0.3), ("tan(tan(x))*exp(x)", 0.7)]
)
def test_an_order_that_is_advised_has_digits(text, at, monkeypatch):
    monkeypatch.setattr(bounds, "MOST_PRODUCTS", 30_000)
    f = parse(text)
    with pytest.raises(UsageError) as caught:
        orders(f, {"x": at}, "x", 200)
    hint = str(caught.value.hint)
    most = int(hint.removeprefix("ask for order ").removesuffix(" at the most"))
    assert all(own.sure for own in orders(f, {"x": at}, "x", most).numbers)


def test_derivatives_that_may_be_0_are_shown_with_their_bounds(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_PRODUCTS", 30_000)
    found = orders(parse("sin(x)^2 + cos(x)^2"), {"x": 1}, "x", 30)
    assert all(own.value == 0 and own.error < 1e-20 for own in found.numbers[1:])


@pytest.mark.slow
def test_digits_that_are_too_much_work_leave_those_that_are_not(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_WORK", 250)
    found = parse("gamma(x)*digamma(x)").evaluate({"x": 2.5}, digits=400)
    with mpmath.workdps(450):
        truth = mpmath.gamma(2.5) * mpmath.digamma(2.5)
        text = mpmath.nstr(truth, 450)
    assert 200 <= found.known().sure < 400
    assert text.startswith(found.known().decimal(found.known().sure)[:200])


def test_more_digits_may_take_more_work():
    found = parse("gamma(x)*digamma(x)").evaluate({"x": 2.5}, digits=1000)
    assert found.known().sure >= 1000
    assert found.known("x").sure >= 1000
