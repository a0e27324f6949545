"""Losses of a prediction and a target: their values, and their ends."""

from __future__ import annotations

import math

import pytest

import exprgrad
from exprgrad.errors import DomainError


def at(text, **values):
    found = exprgrad.parse(text, tuple(values)).evaluate(values)
    return found.value, found.gradient


def test_squared_and_absolute_errors():
    assert at("mse(p, y)", p=3, y=1) == (4, {"p": 4, "y": -4})
    assert at("mae(p, y)", p=3, y=1) == (2, {"p": 1, "y": -1})


def test_huber_is_a_parabola_continued_by_lines():
    assert at("huber(p, y)", p=0.5, y=0) == (0.125, {"p": 0.5, "y": -0.5})
    assert at("huber(p, y)", p=5, y=0) == (4.5, {"p": 1, "y": -1})
    assert at("huber(p, y, d)", p=5, y=0, d=2) == (8, {"p": 2, "y": -2, "d": 3})
    with pytest.raises(DomainError, match="a width > 0"):
        at("huber(p, y, d)", p=5, y=0, d=0)


def test_cross_entropy_from_a_probability_holds_at_the_ends():
    assert at("bce(p, 1)", p=1) == (0, {"p": -1})
    assert at("bce(p, 0)", p=0) == (0, {"p": 1})
    value, gradient = at("bce(p, y)", p=0.25, y=1)
    assert value == pytest.approx(math.log(4))
    assert gradient == pytest.approx({"p": -4, "y": math.log(3)})
    with pytest.raises(DomainError, match="a probability > 0 where the target is > 0"):
        at("bce(p, 1)", p=0)
    with pytest.raises(DomainError, match="a target from 0 to 1"):
        at("bce(p, 2)", p=0.5)


@pytest.mark.parametrize("z", [-1e300, -800, -40, -1, 0, 1, 40, 800, 1e300])
def test_cross_entropy_from_a_logit_keeps_its_digits_far_out(z):
    value, gradient = at("bce_logits(z, 1)", z=z)
    small = math.exp(-abs(z))
    expected = -z if z < -40 else math.log1p(math.exp(-z))
    assert (value or 0) == pytest.approx(expected, rel=1e-14)
    slope = -1 / (1 + small) if z < 0 else -small / (1 + small)
    assert (gradient["z"] or 0) == pytest.approx(slope, rel=1e-14)
    mirrored, other = at("bce_logits(z, 0)", z=-z)
    assert mirrored == value
    assert (other["z"] or 0) == -(gradient["z"] or 0)


def test_gaussian_likelihood_is_least_at_the_mean_and_the_deviation():
    value, gradient = at("nll_gaussian(m, y, s)", m=1, y=3, s=2)
    density = math.exp(-0.5) / math.sqrt(2 * math.pi) / 2
    assert value == pytest.approx(-math.log(density))
    assert gradient == pytest.approx({"m": -0.5, "y": 0.5, "s": 0})
