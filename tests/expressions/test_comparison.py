"""The methods side by side, their reference, and the gradient check."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given

import exprgrad
from exprgrad.errors import BindingError, DomainError, NotDifferentiableError
from exprgrad.expressions.comparison import compare, gradcheck, reference
from exprgrad.expressions.expression import parse
from exprgrad.operations import number_types as rules
from exprgrad.operations.operation import TABLE
from tests.strategies import CASES

METHODS = [
    "forward difference",
    "central difference",
    "Richardson",
    "symbolic",
    "forward mode",
    "reverse mode",
]

SMOOTH = {
    "exp(sin(x))": (lambda x: mpmath.exp(mpmath.sin(x)), 0.7),
    "x^x": (lambda x: x**x, 1.3),
    "ln(x)/x": (lambda x: mpmath.log(x) / x, 2.5),
    "1/(1 + exp(-x))": (lambda x: 1 / (1 + mpmath.exp(-x)), 0.3),
    "gamma(x)*erf(x)": (lambda x: mpmath.gamma(x) * mpmath.erf(x), 1.7),
    "sqrt(1 + x^2)*atan(x)": (lambda x: mpmath.sqrt(1 + x**2) * mpmath.atan(x), -0.8),
    "0.1*x^3 + pi*x": (lambda x: x**3 / 10 + mpmath.pi * x, 1.1),
}


@pytest.mark.parametrize("source", SMOOTH)
def test_reference_is_mpmath_s_derivative_to_forty_digits(source):
    f, x = SMOOTH[source]
    found = reference(parse(source), {"x": x})["x"]
    with mpmath.workdps(90):
        wanted = mpmath.diff(f, mpmath.mpf(x), h=mpmath.mpf(10) ** -30)
        assert abs(found - wanted) <= abs(wanted) * mpmath.mpf(10) ** -40


@pytest.mark.parametrize("source", SMOOTH)
def test_every_method_has_a_row_per_variable(source):
    f = parse(f"({source})*y")
    found = compare(f, {"x": SMOOTH[source][1], "y": 2})
    assert [(m.variable, m.name) for m in found.methods] == [
        (v, name) for v in ("x", "y") for name in METHODS
    ]
    assert found.at == {"x": SMOOTH[source][1], "y": 2}
    assert set(found.reference) == set(found.formula_sizes) == {"x", "y"}
    assert found.size == len(f.tape.steps)


@pytest.mark.parametrize("source", SMOOTH)
def test_errors_are_ordered_as_theory_says(source):
    found = compare(parse(source), {"x": SMOOTH[source][1]})
    error = {m.name: m.error for m in found.methods}
    assert error["forward difference"] < 1e-5
    assert error["central difference"] < 1e-7
    assert error["Richardson"] < 1e-8
    assert error["central difference"] < error["forward difference"]
    assert error["Richardson"] < error["forward difference"]
    for exact in METHODS[3:]:
        assert error[exact] < 1e-14


@pytest.mark.parametrize("source", SMOOTH)
def test_reference_is_written_with_fifty_digits(source):
    found = compare(parse(source), {"x": SMOOTH[source][1]})
    digits = found.reference["x"].lstrip("-0.").replace(".", "")
    assert 45 <= len(digits) <= 51


def test_errors_are_relative_to_the_reference():
    found = compare(parse("1000 x^2"), {"x": 3})
    for method in found.methods:
        wanted = abs(method.value - 6000) / 6000
        assert method.error == pytest.approx(wanted, abs=1e-16)


def test_errors_are_absolute_where_the_derivative_is_0():
    found = compare(parse("x^2"), {"x": 0})
    assert [m.error for m in found.methods] == [abs(m.value) for m in found.methods]


def test_work_counts_evaluations_and_nodes():
    f = parse("(a*b)*(b + 1)")
    rows = {
        m.name: m for m in compare(f, {"a": 2, "b": 3}).methods if m.variable == "a"
    }
    assert [rows[name].evaluations for name in METHODS] == [2, 2, 8, 1, 0, 0]
    assert [rows[name].nodes for name in METHODS] == [6, 6, 24, 2, 6, 6]
    assert all(0 < m.seconds < 10 for m in rows.values())


def test_formula_swells_where_products_are_long():
    found = compare(parse("x*sin(x)*cos(x)*exp(x)"), {"x": 1})
    assert found.formula_sizes["x"] > found.size


def test_a_method_that_fails_says_nothing():
    found = compare(parse("sqrt(x)"), {"x": 1e-9})
    rows = {m.name: m for m in found.methods}
    assert rows["central difference"].value is None
    assert rows["central difference"].error is None
    assert rows["reverse mode"].error < 1e-15


def test_a_point_without_derivative_is_refused():
    with pytest.raises(NotDifferentiableError, match="no derivative with respect to x"):
        compare(parse("|x| + y"), {"x": 0, "y": 1})
    with pytest.raises(DomainError):
        compare(parse("ln(x)"), {"x": -1})
    with pytest.raises(BindingError):
        compare(parse("x*y"), {"x": 1})


def test_comparison_is_public():
    assert exprgrad.compare is compare
    assert exprgrad.gradcheck is gradcheck


# The gradient check


@pytest.mark.parametrize("source", SMOOTH)
def test_gradient_check_agrees_on_smooth_functions(source):
    found = gradcheck(parse(source), {"x": SMOOTH[source][1]})
    assert found.agrees
    assert found.worst < 1e-8
    assert found.gradient["x"] == pytest.approx(found.numeric["x"], rel=1e-8)


@given(CASES)
def test_gradient_check_agrees_where_functions_are_tame(case):
    source, at = case
    f = parse(source, tuple("xyz"))
    try:
        found = gradcheck(f, at)
        near = gradcheck(f, {n: v * 1.001 for n, v in at.items()})
        curved = f.hessian(at)
    except DomainError:
        assume(False)
    steep = max((abs(v) for row in curved.values() for v in row.values()), default=0)
    assume(steep < 5 and near.worst < 1e-6)
    assert found.worst < 1e-3


def test_gradient_check_of_a_number_agrees():
    assert gradcheck(parse("2 + 3"), {}) == (True, 0.0, {}, {})


@pytest.mark.parametrize("name", ["sin", "exp", "hypot", "tanh"])
def test_gradient_check_finds_a_broken_rule(name, monkeypatch):
    row = TABLE[name]
    f = parse({"hypot": "hypot(x, y)"}.get(name, f"{name}(x) + y"))
    at = {"x": 0.7, "y": 1.9}
    assert gradcheck(f, at).agrees
    right = rules.float_partials(row)
    broken = (lambda *a: 1.01 * right[0](*a), *right[1:])
    monkeypatch.setattr(row, "float_partials", broken)
    f = parse(f.source)
    found = gradcheck(f, at)
    assert not found.agrees
    assert found.worst > 1e-3


def test_tolerance_of_the_gradient_check_is_the_caller_s():
    f = parse("exp(sin(9x))")
    found = gradcheck(f, {"x": 1.0}, tolerance=math.inf)
    assert found.agrees
    assert not gradcheck(f, {"x": 1.0}, tolerance=found.worst / 2).agrees


def test_gradient_check_at_a_corner_is_refused():
    with pytest.raises(NotDifferentiableError):
        gradcheck(parse("|x|"), {"x": 0})


def test_the_reference_has_fifty_digits_where_terms_cancel_and_corners_do():
    found = compare(parse("(exp(x)-1-x)/x^2"), {"x": Fraction(1, 10**6)})
    # the series of the derivative, in fractions
    terms = (Fraction(k, math.factorial(k + 2)) * Fraction(1, 10**6) ** (k - 1) for k in range(1, 15))  # fmt: skip
    assert abs(Fraction(found.reference["x"]) - sum(terms)) < Fraction(1, 10**50)
    rows = {row.name: row.error for row in found.methods}
    assert rows["symbolic"] < 1e-15 < 1 < rows["reverse mode"]
    kinks = compare(parse("relu(x)-relu(-x)"), {"x": 0})
    values = {row.name: row.value for row in kinks.methods}
    assert float(kinks.reference["x"]) == 1
    assert values["forward mode"] == values["reverse mode"] == 1


def test_a_quotient_of_differences_that_overflows_is_no_derivative():
    found = {m.name: m.value for m in compare("1e300/x", {"x": 1e-8}).methods}
    assert found["central difference"] is None
    assert all(v is None or math.isfinite(v) for v in found.values())
