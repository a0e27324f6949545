"""Derivatives of any order by power series, against mpmath, and how their cost grows."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
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
from exprgrad.expressions.higher_orders import HIGHEST, derivatives, orders
from exprgrad.sweeps.balls import series
from tests.strategies import MP, ROWS, fewer, regular_points

ORDER = 10

SMOOTH = {
    "exp(sin(x))": (lambda x: mpmath.exp(mpmath.sin(x)), [0, 0.3, -2.5]),
    "tan(x)": (mpmath.tan, [0, 1.2, -0.7]),
    "x^x": (lambda x: x**x, [0.5, 1, 3]),
    "gamma(x)": (mpmath.gamma, [3, -1.5]),
    "lgamma(x)": (mpmath.loggamma, [0.7, 3]),
    "erf(x)": (mpmath.erf, [0, 0.8, -1.5]),
    "atan(x)": (mpmath.atan, [0, 1, -2]),
    "x^5": (lambda x: x**5, [0, 1, -2]),
    "x^2.5": (lambda x: mpmath.power(x, 2.5), [0.7, 4]),
    "x^(1/3)": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), [2, -2]),
    "1/(1 + x^2)": (lambda x: 1 / (1 + x**2), [0, 0.5, 3]),
    "1/(1 - x)": (lambda x: 1 / (1 - x), [0, 0.5, 3]),
    "ln(1 + x^2)": (lambda x: mpmath.log(1 + x**2), [0, 1]),
    "sqrt(1 + x)": (lambda x: mpmath.sqrt(1 + x), [0, 3]),
    "sinc(x)": (mpmath.sinc, [0, 1.5]),
    "asinh(x)": (mpmath.asinh, [0, 2]),
    "tanh(x)": (mpmath.tanh, [0, 1, -2]),
    "sigmoid(x)": (lambda x: 1 / (1 + mpmath.exp(-x)), [0, 2, -30]),
    "x*exp(-x^2/2)*cos(3x)": (
        lambda x: x * mpmath.exp(-(x**2) / 2) * mpmath.cos(3 * x), [0, 0.6]
    ),
    "exp(exp(x))": (lambda x: mpmath.exp(mpmath.exp(x)), [0, 0.5]),
    "2^x": (lambda x: mpmath.mpf(2) ** x, [0, 3]),
    "sin(x)/x": (lambda x: mpmath.sin(x) / x, [1, -3]),
    "acosh(x)": (mpmath.acosh, [1.5, 4]),
    "atan2(x, 2)": (lambda x: mpmath.atan2(x, 2), [0, 3]),
    "hypot(x, 3)": (lambda x: mpmath.sqrt(x**2 + 9), [0, 4]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("source", SMOOTH)
def test_derivatives_up_to_order_10_agree_with_mpmath(source):
    exact, points = SMOOTH[source]
    f = parse(source)
    for x in points:
        with mpmath.workdps(30):
            coefficients = mpmath.taylor(exact, mpmath.mpf(x), ORDER)
        wanted = [float(c * math.factorial(k)) for k, c in enumerate(coefficients)]
        found = derivatives(f, {"x": x}, "x", ORDER)
        assert len(found) == ORDER + 1
        for k, (own, reference) in enumerate(zip(found, wanted, strict=True)):
            size = max(abs(w) / math.factorial(j) for j, w in enumerate(wanted))
            slack = 1e-11 * size * math.factorial(k)
            assert own == pytest.approx(reference, rel=1e-10, abs=slack), (x, k)


UNARY = [r for r in ROWS if r.arity == 1 and r.called and r.corner is None]


@pytest.mark.parametrize("row", UNARY, ids=lambda row: row.name)
@given(data=st.data())
@fewer(4)
def test_series_of_a_smooth_function_of_the_table_are_its_derivatives(row, data):
    points = [a for a in regular_points(row, everyday=True) if abs(a[0]) <= 5]
    (x,) = data.draw(st.sampled_from(points[:60]))
    f, order = parse(f"{row.called}(x)"), 4
    with mpmath.workdps(60):
        try:
            exact = [mpmath.diff(MP.function(row), mpmath.mpf(x), k, h=mpmath.mpf(10) ** -12) for k in range(order + 1)]  # fmt: skip
        except (ValueError, ZeroDivisionError):
            return  # the edge of the domain is too near
    try:
        found = derivatives(f, {"x": x}, "x", order)
    except NotDifferentiableError:
        assert max(abs(e) for e in exact) > 1e200
        return
    size = max(abs(e) for e in exact)
    for own, reference in zip(found, exact, strict=True):
        if abs(reference) < 1e200:
            assert abs(own - reference) <= 1e-6 * abs(reference) + 1e-8 * (1 + size)


def test_derivatives_agree_with_the_formulas():
    f = parse("exp(sin(x))")
    found = exprgrad.derivatives(f, {"x": 0.7}, "x", 6)
    for k in range(1, 7):
        assert found[k] == pytest.approx(f.derivative("x", order=k)(x=0.7), rel=1e-11)


def test_other_variables_are_held():
    found = derivatives(parse("x^3*y^2"), {"x": 2, "y": 5}, "x", 4)
    assert found == [200, 300, 300, 150, 0]


def test_order_0_is_the_value():
    assert derivatives(parse("cos(x)"), {"x": 0}, "x", 4) == [1, 0, -1, 0, 1]


def test_polynomials_are_exact_at_0():
    assert derivatives(parse("x^5"), {"x": 0}, "x", 7) == [0, 0, 0, 0, 0, 120, 0, 0]
    assert derivatives(parse("(1 + x)^3"), {"x": 0}, "x", 4) == [1, 3, 6, 6, 0]


def test_a_high_order_is_computed():
    found = derivatives(parse("exp(x)"), {"x": 0}, "x", 150)
    assert found == pytest.approx([1.0] * 151, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["x^3 + 5", "(x - 1)*(x + 1)*x", "if(x > 0, x^3, ln(x))"])  # fmt: skip
def test_derivatives_of_a_polynomial_beyond_its_degree_are_0_and_cost_nothing(source):
    found = derivatives(parse(source), {"x": 2}, "x", 10**6)
    assert len(found) == 10**6 + 1
    assert found[3] == 6
    assert not any(found[4:])


@pytest.mark.slow
def test_a_power_of_a_polynomial_takes_few_products(products):
    found = orders(parse("(1 + x/3)^1000"), {"x": 1}, "x", 10**6).numbers
    assert len(products) < 100_000
    assert found[1].value == pytest.approx(1000 / 3 * (4 / 3) ** 999, rel=1e-13)
    assert found[1000].decimal(5) == "3.0436e+2090"
    assert {own.value for own in found[1001:]} == {0}


@pytest.mark.slow
@pytest.mark.parametrize("source", ["sin(x)", "1/(1 + x^2)", "tan(tan(x))", "gamma(x)"])
def test_an_order_that_takes_too_much_work_is_refused_with_one_that_does_not(source):
    with pytest.raises(UsageError, match="take too much work") as caught:
        derivatives(parse(source), {"x": 0.3}, "x", 100_000)
    most = re.search(r"order (\d+) at the most", caught.value.hint)
    assert 50 < int(most[1]) < 10_000


# Cost


@pytest.fixture
def products(monkeypatch):
    """Counts the coefficients that are computed."""
    made = []
    take = series.Series.__getitem__

    def counting(self, k):
        made.append(k)
        return take(self, k)

    monkeypatch.setattr(series.Series, "__getitem__", counting)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    "source", ["exp(sin(x))", "tan(tan(x))", "x^x", "atan(exp(x))"]
)
def test_cost_grows_as_a_low_power_of_the_order(source, products):
    f, counts = parse(source), []
    for order in (10, 20, 40):
        products.clear()
        derivatives(f, {"x": 0.4}, "x", order)
        counts.append(len(products))
    assert counts[1] <= 9 * counts[0]
    assert counts[2] <= 9 * counts[1]


def test_cost_grows_with_the_depth_not_exponentially(products):
    counts = []
    for depth in (10, 20, 40):
        products.clear()
        source = "sin(" * depth + "x" + ")" * depth
        derivatives(parse(source), {"x": 0.4}, "x", 6)
        counts.append(len(products))
    assert counts[2] <= 2.3 * counts[1] <= 5.3 * counts[0]


@pytest.mark.slow
def test_deep_chains_do_not_recurse():
    source = "+".join(["sin(x)"] * 3000)
    found = derivatives(parse(source), {"x": 0}, "x", 3)
    assert found == pytest.approx([0, 3000, 0, -3000], rel=1e-12)


# Where there are none


@pytest.mark.parametrize(
    ("source", "x"),
    [
        ("|x|", 0),
        ("sqrt(x)", 0),
        ("x^3.5", 0),
        ("x^(1/3)", 0),
        ("floor(x)", 2),
        ("max(x, 1)", 1),
    ],
)
def test_a_corner_is_refused(source, x):
    with pytest.raises(NotDifferentiableError):
        derivatives(parse(source), {"x": x}, "x", 4)


def test_branches_that_are_not_taken_do_not_matter():
    found = derivatives(parse("if(x > 0, x^2, sqrt(x))"), {"x": 3}, "x", 3)
    assert found == [9, 6, 2, 0]


def test_a_point_outside_the_domain_is_refused():
    with pytest.raises(DomainError, match="an argument > 0"):
        derivatives(parse("ln(x)"), {"x": -1}, "x", 2)


@pytest.mark.parametrize("order", [0, -1, HIGHEST + 1])
def test_an_order_out_of_range_is_refused(order):
    with pytest.raises(BindingError, match="whole number from 1 to 1,000,000"):
        derivatives(parse("x"), {"x": 1}, "x", order)


def test_a_name_that_does_not_occur_is_refused():
    with pytest.raises(BindingError, match="no variable y"):
        derivatives(parse("x"), {"x": 1}, "y", 2)


# With bounds


@pytest.mark.parametrize("source", SMOOTH)
def test_every_derivative_has_a_bound_and_the_first_is_that_of_evaluate(source):
    exact, points = SMOOTH[source]
    f = parse(source)
    for x in points:
        first = f.evaluate({"x": x})
        found = orders(f, {"x": x}, "x", 4).numbers
        assert (found[0].value, found[1].value) == (first.value, first.gradient["x"])
        with mpmath.workdps(100):
            for k, own in enumerate(found):
                wanted = mpmath.diff(exact, mpmath.mpf(x), k) if k else exact(mpmath.mpf(x))  # fmt: skip
                assert abs(own.value - wanted) <= own.error + mpmath.mpf(10) ** -30, (x, k)  # fmt: skip
                assert own.digits >= 10 or abs(wanted) < 1e-30


@pytest.mark.parametrize(
    ("source", "x", "order", "wanted"),
    [
        ("(1-cos(x))/x^2", Fraction(1, 1000), 4, 0.03333332440476),
        ("sin(x)/x", Fraction(1, 1000), 5, -1.4285712433862e-4),
        ("(exp(x)-1-x)/x^2", 1e-6, 2, 0.0833333833),
    ],
)
def test_ten_digits_are_right_where_terms_cancel(source, x, order, wanted):
    found = derivatives(parse(source), {"x": x}, "x", order)[order]
    assert found == pytest.approx(wanted, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("if(x==0, 1, sin(x)/x)", [1, 0, -1 / 3, 0, 1 / 5, 0]),
        ("relu(x)^3", [0, 0, 0, None, None, None]),
        ("x*|x|", [0, 0, None, None, None, None]),
        ("|x|", [0, None, None, None, None, None]),
        ("x^2.5", [0, 0, 0, None, None, None]),
        ("x^(7/3)", [0, 0, 0, None, None, None]),
        ("if(x < 0, exp(x), 1 + x + x^2/2)", [1, 1, 1, None, None, None]),
    ],
)
def test_at_a_corner_there_are_derivatives_as_far_as_both_sides_agree(source, numbers):
    found = orders(parse(source), {"x": 0}, "x", 5)
    assert [own.value for own in found.numbers] == pytest.approx(numbers)
    missing = isinstance(found.problem, NotDifferentiableError)
    assert missing == (None in numbers and numbers[1] is not None)


def test_numbers_beyond_doubles_are_known_as_decimals():
    found = orders(parse("exp(x)"), {"x": 1000}, "x", 3).numbers
    assert [own.value for own in found] == [None] * 4
    assert {own.decimal(10) for own in found} == {"1.970071114e+434"}
    assert min(own.sure for own in found) >= 10
    with pytest.raises(RangeError, match=r"1\.97e\+434"):
        derivatives(parse("exp(x)"), {"x": 1000}, "x", 3)
    assert derivatives(parse("exp(x)"), {"x": -1000}, "x", 1) == [0, 0]


@pytest.mark.parametrize("text", ["x or 0", "x and 5", "(x > 2) or x"])
def test_a_truth_is_a_number_that_stands_still(text):
    assert list(derivatives(parse(text), {"x": 3}, "x", 2)) == [1, 0, 0]
