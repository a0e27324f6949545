"""Samples of uncertain inputs: their distributions, correlations, and the interval of the result."""

from __future__ import annotations

import math

import pytest

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import parse
from exprgrad.expressions.quantities import correlations_of, quantity

np = pytest.importorskip("numpy")

from exprgrad.data.monte_carlo import mixed, simulate  # noqa: E402 # needs NumPy

COUNT = 200_000
CLOSE = 0.02
"""Several standard deviations of a mean, a deviation or an end of the interval of so many samples."""


def sampled(text, correlations=None, seed=1, count=COUNT, coverage=0.95, **texts):
    given = {name: quantity(own) for name, own in texts.items()}
    related = correlations_of(correlations or {}, [*given])
    return simulate(
        {"y": parse(text, [*given])}, given, related, count, seed=seed, coverage=coverage,
    )["y"]  # fmt: skip


def test_a_linear_formula_of_normal_errors_has_a_normal_interval():
    found = sampled("3x - 4y + 1", x="1±1", y="2±1")
    assert found.value == pytest.approx(-4, abs=5 * CLOSE)
    assert found.standard_uncertainty == pytest.approx(5, rel=CLOSE)
    low, high = found.interval
    assert low == pytest.approx(-4 - 5 * 1.959964, abs=5 * 3 * CLOSE)
    assert high == pytest.approx(-4 + 5 * 1.959964, abs=5 * 3 * CLOSE)
    assert abs(high + 4 - 5 * 1.959964) < 6 * found.doubt < 0.5


def test_a_square_of_a_normal_error_has_the_interval_of_chi_square():
    found = sampled("x^2", x="0±1", coverage=0.9)
    assert found.value == pytest.approx(1, abs=CLOSE)
    assert found.standard_uncertainty == pytest.approx(math.sqrt(2), rel=CLOSE)
    assert found.interval[0] == pytest.approx(0.00393214, rel=0.1)
    assert found.interval[1] == pytest.approx(3.841459, rel=CLOSE)


SHAPES = [
    ("0~uniform(1)", 1 / math.sqrt(3), 0.95),
    ("0~triangular(1)", 1 / math.sqrt(6), 1 - math.sqrt(0.05)),
    ("0~arcsine(1)", 1 / math.sqrt(2), math.sin(0.475 * math.pi)),
    ("0±1~t(4)", math.sqrt(2), 2.776445),
    ("0±1(df=4)", math.sqrt(2), 2.776445),
    ("0±1~normal(df=4)", 1, 1.959964),
]


@pytest.mark.parametrize(("text", "deviation", "end"), SHAPES)
def test_an_input_is_drawn_from_its_distribution(text, deviation, end):
    found = sampled("x", x=text)
    assert found.standard_uncertainty == pytest.approx(deviation, rel=0.05)
    assert found.interval[1] == pytest.approx(end, rel=CLOSE)
    assert found.interval[0] == pytest.approx(-end, rel=CLOSE)


def test_correlated_inputs_are_drawn_together():
    r = {("x", "y"): -0.5}
    assert sampled("x+y", r, x="0±1", y="0±1").standard_uncertainty == pytest.approx(1, rel=CLOSE)  # fmt: skip
    whole = sampled("x-y", {("x", "y"): 1}, x="0±1", y="0±1")
    assert whole.standard_uncertainty < 1e-12
    together = sampled("x+y", r, x="0±1(df=5)", y="0±1(df=5)")
    assert together.interval[1] == pytest.approx(2.570582, rel=CLOSE)


def test_what_is_drawn_from_another_distribution_is_said():
    given = {"x": quantity("0~uniform(1)"), "y": quantity("0±1"), "z": quantity("0~uniform(1)")}  # fmt: skip
    related = correlations_of({("x", "y"): 0.5}, [*given])
    assert mixed([*given], given, related) == ["x"]


def test_the_same_seed_gives_the_same_samples():
    one, two, other = (
        sampled("x*y", x="1±1", y="1~uniform(1)", seed=seed, count=20_000)
        for seed in (5, 5, 6)
    )
    assert (one.value, one.interval) == (two.value, two.interval)
    assert one.value != other.value


@pytest.mark.slow
def test_samples_without_a_value_are_left_out_and_counted():
    found = sampled("ln(x)", x="1±0.5", count=20_000)
    assert 0.01 < found.left_out / 20_000 < 0.04
    assert found.samples + found.left_out == 20_000
    with pytest.raises(ExprgradError, match="no value for"):
        sampled("ln(x)", x="-1±0.5", count=1000)
    with pytest.raises(ExprgradError, match="no value for 100% of the samples"):
        sampled("ln(-1)", x="1±0.5", count=1000)


@pytest.mark.parametrize("u", ["1e350", "1e-350"])
def test_samples_are_not_drawn_with_an_uncertainty_beyond_doubles(u):
    with pytest.raises(ExprgradError, match="an uncertainty is beyond the range"):
        sampled("1e100*x", x=f"0±{u}", count=1000)


def test_a_histogram_holds_nearly_all_samples():
    counts, low, high = sampled("x", x="0±1", count=20_000).histogram(11)
    assert low < -2.5 < 2.5 < high
    assert sum(counts) > 19_900
    assert max(counts) in counts[4:7]
    assert sampled("x", x="3±0", count=200).histogram(3)[0] == [0, 200, 0]


@pytest.mark.parametrize("count", [1, 10**9])
def test_numbers_of_samples_have_limits(count):
    with pytest.raises(ExprgradError, match="samples"):
        sampled("x", x="1±1", count=count)
