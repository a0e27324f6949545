"""Uncertainty budgets: how quantities are read, how their errors are propagated, and what is refused."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from fractions import Fraction

import pytest

import exprgrad
from exprgrad.errors import ExprgradError, NotDifferentiableError
from exprgrad.expressions.quantities import entries, placed, quantity
from exprgrad.expressions.uncertainty import Budget, coverage_factor, required

READ = [
    ("10±0.2", 0.2, math.inf, "normal"),
    ("10+-0.2", 0.2, math.inf, "normal"),
    ("10 +/- 0.2", 0.2, math.inf, "normal"),
    ("10 ± 2 %", 0.2, math.inf, "normal"),
    ("-10±2%", 0.2, math.inf, "normal"),
    ("10.0(2)", 0.2, math.inf, "normal"),
    ("10.00(20)", 0.2, math.inf, "normal"),
    ("10.0(0.2)", 0.2, math.inf, "normal"),
    ("1.00(2)e1", 0.2, math.inf, "normal"),
    ("(1.0±0.02)e1", 0.2, math.inf, "normal"),
    ("(1.0±2%)e1(df=4)", 0.2, 4, "t"),
    ("(0.5+0.5 ± 0.02)e+1", 0.2, math.inf, "normal"),
    ("10±0.4(k=2)", 0.2, math.inf, "normal"),
    ("10±0.2(df=4)", 0.2, 4, "t"),
    ("10±0.4(k=2, df=4)", 0.2, 4, "t"),
    ("10±0.2~t(4)", 0.2, 4, "t"),
    ("10±0.2~normal(df=4)", 0.2, 4, "normal"),
    ("10~uniform(0.3)", 0.3 / 3**0.5, math.inf, "uniform"),
    ("10~uniform(0.3)(df=50)", 0.3 / 3**0.5, 50, "uniform"),
    ("10~triangular(0.3)", 0.3 / 6**0.5, math.inf, "triangular"),
    ("10~arcsine(0.3)", 0.3 / 2**0.5, math.inf, "arcsine"),
    ("10±0.2~rectangular", 0.2, math.inf, "uniform"),
    ("(10±0.2)", 0.2, math.inf, "normal"),
    ("(0.1±0.002)×10²", 0.2, math.inf, "normal"),
    ("1000(20)*10^-2", 0.2, math.inf, "normal"),
    ("0.010(2) · 10**(3)", 2, math.inf, "normal"),
    (("10", "0.2"), 0.2, math.inf, "normal"),
    ((10, 0.2, "4"), 0.2, 4, "t"),
    ((10, "2%", None), 0.2, math.inf, "normal"),
]


@pytest.mark.parametrize(("written", "u", "df", "shape"), READ)
def test_a_quantity_is_read_as_people_write_it(written, u, df, shape):
    found = quantity(written)
    assert abs(found.value.double) == 10
    assert found.standard_uncertainty == pytest.approx(u, rel=1e-15)
    assert (found.degrees_of_freedom, found.distribution) == (df, shape)


def test_typed_numbers_are_the_decimals_and_expressions_that_are_meant():
    assert quantity("4.999±0.0032").variance == Fraction(32, 10_000) ** 2
    assert quantity("1~triangular(0.5)").variance == Fraction(1, 24)
    assert quantity("pi/4±0.01").value.double == math.pi / 4


@pytest.mark.parametrize("written", ["30±0.5°", "30 ± 0.5 deg", "30°±0.5°", "30.0(5)°", "(30±0.5)deg", "30°±2%"])  # fmt: skip
def test_a_sign_for_degrees_behind_an_uncertainty_is_that_of_the_value_too(written):
    found = quantity(written)
    assert found.value.double == pytest.approx(math.pi / 6, rel=1e-15)
    u = math.radians(0.6 if "%" in written else 0.5)
    assert found.standard_uncertainty == pytest.approx(u, rel=1e-15)


REFUSED = [
    ("30°±0.5", "in degrees, and its uncertainty is not"),
    ("1.5(3)*10^999", "not a finite number"),
    ("10", "x has no uncertainty"),
    (10, "x has no uncertainty"),
    ("10±-0.2", "negative"),
    (("10", -0.2), "negative"),
    ("0±2%", "a percentage of 0"),
    (("0", "2%"), "a percentage of 0"),
    ("10±0.2(df=0)", "more than 0 degrees of freedom"),
    ((10, 1, -3), "more than 0 degrees of freedom"),
    ("10±0.2(k=0)", "coverage factor of x is more than 0"),
    ("10±", "no number behind ±"),
    ("±2", "x has no value"),
    ("10±y", "is not a number: y"),
    ("10±nan", "not a finite number"),
    ("10±1e999", "beyond the range"),
    ((10, math.inf), "not a finite number"),
    ("10~uniform", "a distribution without a width"),
    ("10±1~uniform(2)", "two uncertainties"),
    ("1.2e-5(3)", "exponent before the uncertainty"),
    ("(1±-1)e3", "negative"),
    ("10~poisson(3)", "no distribution poisson"),
    ("10~", "expected a distribution behind ~"),
    (None, "not NoneType"),
    (("10",), "not tuple"),
]


@pytest.mark.parametrize(("written", "message"), REFUSED)
def test_what_is_not_a_quantity_is_refused_in_one_sentence(written, message):
    with pytest.raises(ExprgradError, match=message) as refused:
        exprgrad.uncertainty("x^2", {"x": written})
    assert refused.value.exit_code == 2


def test_an_error_in_a_list_of_quantities_has_its_place_there():
    text = "a=1±0.1, b=2±-3"
    found = list(entries(text))
    assert [entry.name for entry in found] == ["a", "b"]
    with pytest.raises(ExprgradError) as refused:
        placed(found[1], text)
    start, end = refused.value.span
    assert text[start:end] == "2±-3"


RELATED = [
    ({("x", "y"): 1.5}, "the correlation of x and y is 1.5"),
    ({("x", "y"): "9" * 400}, "the correlation of x and y is far too large"),
    ({("x", "z"): 0.5}, "there is no quantity z"),
    ({("x", "x"): 0.5}, "with itself is 1"),
    ({("x", "y"): 0.5, ("y", "x"): 0.6}, "is given twice"),
    ([[1, 0.5]], "a matrix of 2 rows and columns"),
    ([[1, 0.5], [0.5]], "a matrix of 2 rows and columns"),
    ([[1, 0.5], [0.4, 1]], "is given twice"),
    ("x,y=0.5", "correlations are pairs"),
    ({"x": 0.5}, "correlations are pairs"),
]


@pytest.mark.parametrize(("related", "message"), RELATED)
def test_correlations_that_cannot_be_are_refused(related, message):
    with pytest.raises(ExprgradError, match=message):
        exprgrad.uncertainty("x*y", {"x": "1±1", "y": "1±1"}, correlations=related)


def test_correlations_that_contradict_one_another_are_refused():
    three = dict.fromkeys("xyz", "1±1")
    bad = {("x", "y"): 0.9, ("y", "z"): 0.9, ("x", "z"): -0.9}
    with pytest.raises(ExprgradError, match="contradict"):
        exprgrad.uncertainty("x+y+z", three, correlations=bad)
    whole = exprgrad.uncertainty("x+y+z", three, correlations=[[1, 1, 1]] * 3)
    assert whole.standard_uncertainty == 3


def test_a_product_has_the_budget_that_is_computed_by_hand():
    found = exprgrad.uncertainty("x*y", {"x": "3±0.1", "y": "4±0.2(df=9)"})
    assert (found.value, found.contributions) == (12, {"x": 0.4, "y": 0.6})
    assert found.sensitivities == {"x": 4, "y": 3}
    assert found.standard_uncertainty == pytest.approx(0.52**0.5, rel=1e-15)
    assert found.shares["y"] == pytest.approx(36 / 52, rel=1e-15)
    assert found.degrees_of_freedom == pytest.approx(9 * 0.52**2 / 0.6**4, rel=1e-15)
    assert found.expanded == found.coverage_factor * found.standard_uncertainty


def test_contributions_have_the_sign_of_the_sensitivity():
    found = exprgrad.uncertainty("x/y", {"x": "1±0.1", "y": "2±0.1"})
    assert found.contributions["y"] == -0.025


def test_full_correlation_cancels_to_the_last_digit():
    same = {"x": "1/3±0.1", "y": "1±0.3"}
    found = exprgrad.uncertainty("3x - y", same, correlations={("x", "y"): 1})
    assert found.standard_uncertainty == 0


def test_a_nearly_full_correlation_loses_no_digits():
    same = {"x": ("1", "1"), "y": ("1", "1")}
    r = Fraction(10**18 - 1, 10**18)
    found = exprgrad.uncertainty("x - y", same, correlations={("x", "y"): r})
    assert found.standard_uncertainty == pytest.approx(2e-18**0.5, rel=1e-14)


def test_an_input_that_does_not_occur_contributes_nothing():
    found = exprgrad.uncertainty("x", {"x": "1±1", "unused": "2±1"})
    assert found.contributions == {"x": 1, "unused": 0}


def test_degrees_of_freedom_are_not_combined_under_correlation():
    given = {"x": "1±1(df=4)", "y": "1±1"}
    found = exprgrad.uncertainty("x+y", given, correlations={("x", "y"): 0.5})
    assert found.degrees_of_freedom is None
    assert found.coverage_factor == coverage_factor(0.95)
    free = exprgrad.uncertainty("x+y", {"x": "1±1", "y": "1±1"}, correlations=[[1, 0.5], [0.5, 1]])  # fmt: skip
    assert free.degrees_of_freedom == math.inf


@pytest.mark.parametrize(
    ("p", "df", "k"),
    [
        (0.95, math.inf, 1.959963984540054),
        (0.99, 16.7521475091902, 2.903541275814687),
        (0.95, 1, 12.706204736174698),
        (0.5, 2, 0.816496580927726),
        (0.9545, 1e9, 2.00000244639961),
    ],
)
def test_a_coverage_factor_is_the_quantile_of_students_distribution(p, df, k):
    assert coverage_factor(p, df) == pytest.approx(k, rel=1e-10)


@pytest.mark.parametrize("p", [0, 1, 95, -1, math.nan])
def test_a_coverage_probability_is_between_0_and_1(p):
    with pytest.raises(ExprgradError, match="between 0 and 1"):
        exprgrad.uncertainty("x", {"x": "1±1"}, coverage=p)


def test_a_corner_is_refused_with_the_slopes_on_both_sides():
    with pytest.raises(
        NotDifferentiableError, match="-1 from the left and 1 from the right"
    ):
        exprgrad.uncertainty("abs(x)", {"x": "0±1"})
    assert exprgrad.uncertainty("abs(x)+y", {"x": "0±0", "y": "1±1"}).value == 1


def test_second_order_is_exact_for_a_square():
    found = exprgrad.uncertainty("x^2", {"x": "0±0.1"})
    assert (found.standard_uncertainty, found.flat) == (0, ["x"])
    second = found.second_order()
    assert second.shift == pytest.approx(0.01)
    assert second.standard_uncertainty == pytest.approx(2**0.5 * 0.01)
    box = exprgrad.uncertainty("x^2", {"x": "0~uniform(1)"}).second_order()
    assert box.standard_uncertainty == pytest.approx((1 / 5 - 1 / 9) ** 0.5)


def test_second_order_takes_correlations_into_account():
    given = {"x": "0±1", "y": "0±1"}
    found = exprgrad.uncertainty("x*y", given, correlations={("x", "y"): 0.6})
    second = found.second_order()
    assert second.shift == pytest.approx(0.6)
    assert second.standard_uncertainty == pytest.approx(1.36**0.5)


def test_several_results_have_correlations():
    given = {"x": "1±1", "y": "1±1"}
    found = exprgrad.uncertainty({"s": "x+y", "d": "x-y", "p": "2x"}, given)
    assert found["s"].value == 2 == found[2].value
    assert found.correlations["s"]["d"] == 0
    assert found.correlations["s", "p"] == pytest.approx(0.5**0.5)
    assert found.correlations[0][0] == 1


def test_what_an_input_would_have_to_be_for_a_target():
    found = exprgrad.uncertainty("x+y", {"x": "1±3", "y": "1±4"})
    wanted = required(found, Fraction(17) ** 2 / 4 / 17)  # 4.25
    assert wanted["x"] == pytest.approx((4.25**2 - 16) ** 0.5)
    assert wanted["y"] == pytest.approx((4.25**2 - 9) ** 0.5)
    assert required(found, Fraction(35, 10)) == {"x": None, "y": pytest.approx(3.25**0.5)}  # fmt: skip
    assert required(found, Fraction(6)) == {}


@pytest.mark.parametrize("u", ["1e-200", "1e200"])
def test_uncertainties_may_be_as_small_and_large_as_doubles(u):
    found = exprgrad.uncertainty("2x", {"x": ("3", u)})
    assert found.standard_uncertainty == 2 * float(u)
    assert quantity(("3", u)).standard_uncertainty == float(u)


@pytest.mark.parametrize("coverage", ["a", None, [1], 1j])
def test_a_coverage_probability_is_a_number(coverage):
    with pytest.raises(ExprgradError, match="a coverage probability is a number"):
        exprgrad.uncertainty("x", {"x": "1±1"}, coverage=coverage)


@pytest.mark.parametrize(
    ("formula", "given", "text", "u"),
    [
        ("1e200*x", ("3", "2e150"), "(0.0 ± 2.0)e350", "2e+350"),
        ("erf(x)", "-83.2±60.6", "-1 ± 3.5e-3005", "3.501815603e-3005"),
        ("erfc(x)", "30±0.01", "(2.6 ± 1.5)e-393", "1.53964766e-393"),
        ("1/3 + exp(-x)", "3000±1", "0.333333333333333... ± 1.3e-1303", "1.307839e-1303"),
    ],
)  # fmt: skip
def test_an_uncertainty_beyond_doubles_is_a_decimal(formula, given, text, u):
    found = exprgrad.uncertainty(formula, {"x": given})
    assert found.text == text
    assert found.standard_uncertainty is None
    assert found.contributions["x"] is None
    assert found.shares["x"] == 1
    assert abs(found.exact_uncertainty / Decimal(u) - 1) < Decimal("1e-6")
    assert found.exact_contributions["x"].copy_abs() == found.exact_uncertainty


@pytest.mark.parametrize(
    ("given", "text", "reason"),
    [
        ("0±1e308", "1.959963985e+308", "the expanded uncertainty of (0.0 ± 1.0)e308 is"),
        ("1e150±1e155", None, "a number on the way is"),
        ("1e100±1e101", None, "a number on the way is"),
        ("1e70±1e120", None, "a number on the way is"),
    ],
)  # fmt: skip
def test_a_budget_has_no_number_that_is_infinite(given, text, reason):
    formula = "x" if text else "x^2 - y^2"
    found = exprgrad.uncertainty(formula, {"x": given, "y": given})
    fields = found.as_dict()
    assert json.dumps(fields, allow_nan=False)
    assert fields.get("expanded_text") == text
    assert found.second_or_reason() == f"{reason} beyond the range of double precision"


@pytest.mark.parametrize("u", ["1e350", "1e-350"])
def test_the_uncertainty_of_an_input_beyond_doubles_is_a_decimal(u):
    fields = exprgrad.uncertainty("x", {"x": f"0±{u}"}).as_dict()["quantities"]["x"]
    assert fields["standard_uncertainty"] is None
    assert Decimal(fields["standard_uncertainty_text"]) == Decimal(u)


@pytest.mark.parametrize("x", ["1e7±2e7", "-1e7±2e7", "1e50±1", "1e50±0", "1e10±0"])
def test_a_power_of_ten_that_decimals_lack_is_refused(x):
    with pytest.raises(ExprgradError, match="beyond the range of decimals"):
        exprgrad.uncertainty("exp(x)", {"x": x})


def test_a_coverage_factor_is_no_infinity():
    with pytest.raises(ExprgradError, match=r"0\.002 degrees .* is beyond the range"):
        coverage_factor(0.95, 0.002)


def test_terms_of_second_order_leave_a_small_uncertainty_as_it_is():
    found = exprgrad.uncertainty("x + y", {"x": "1e-200±1e-210", "y": "0±1e-210"})
    assert found.second_order().standard_uncertainty == found.standard_uncertainty > 0
    assert required(found, Fraction(10) ** -211) == {"x": None, "y": None}


@pytest.mark.parametrize(
    "ask", [Budget.second_order, lambda own: required(own, Fraction(1, 1000))]
)
def test_what_is_computed_in_doubles_is_refused_beyond_them(ask):
    with pytest.raises(ExprgradError, match="beyond the range"):
        ask(exprgrad.uncertainty("exp(x)", {"x": "1000±1"}))
