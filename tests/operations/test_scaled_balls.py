import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad.operations.array_balls import UNIT, ArrayBall
from exprgrad.operations.operation import TABLE
from exprgrad.operations.scaled_balls import SCALED, ScaledBall

MP = mpmath.MPContext()
MP.prec = 300

NUMBERS = st.floats(-2000, 2000).map(lambda x: round(x, 4))


@pytest.fixture(autouse=True, scope="module")
def _without_warnings():
    with np.errstate(all="ignore"):
        yield


def balls(*numbers):
    return [ScaledBall.of(ArrayBall(np.array([float(x)]))) for x in numbers]


def exactly(ball):
    """The middle and the radius of the only element, in high precision."""
    scale = MP.mpf(2) ** int(ball.exponent[0])
    rad = np.broadcast_to(ball.rad, (1,))[0]
    return MP.mpf(float(ball.mid[0])) * scale, MP.mpf(float(rad)) * scale


@given(NUMBERS, NUMBERS)
def test_exponentials_beyond_the_range_of_doubles_keep_their_bounds(x, y):
    exp, ln, power = (SCALED.function(TABLE[name]) for name in ("exp", "ln", "pow"))
    a, b = balls(x, y)
    e, f = exp(a), exp(b)
    true_e, true_f = MP.exp(MP.mpf(x)), MP.exp(MP.mpf(y))
    for ball, true in [
        (e, true_e),
        (e * f, true_e * true_f),
        (e / f, true_e / true_f),
        (e + f, true_e + true_f),
        (e - 2 * f, true_e - 2 * true_f),
        (ln(e), MP.mpf(x)),
        (power(e, balls(3)[0]), true_e**3),
        (power(-e, balls(-5)[0]), -(true_e**-5)),
        (power(balls(2)[0], a), MP.mpf(2) ** MP.mpf(x)),
    ]:
        mid, rad = exactly(ball)
        assert abs(mid - true) <= rad or (mid == 0 and rad == 0 == true)
        if ball is e:
            assert rad <= abs(mid) * 1e-12


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("sigmoid", -900.0), ("sinh", 1500.0), ("cosh", -1500.0), ("sech", 1500.0), ("csch", -1500.0),
        ("expm1", 900.0), ("softplus", -900.0),
    ],
)  # fmt: skip
def test_functions_out_of_range_are_computed_by_their_formulas_or_left_open(name, x):
    ball = SCALED.function(TABLE[name])(*balls(x))
    mid, rad = exactly(ball)
    if not rad < abs(mid):
        return
    true = {
        "sigmoid": lambda x: 1 / (1 + MP.exp(-x)), "sinh": MP.sinh, "cosh": MP.cosh, "sech": MP.sech,
        "csch": MP.csch, "expm1": MP.expm1, "softplus": lambda x: MP.log1p(MP.exp(x)),
    }[name](MP.mpf(x))  # fmt: skip
    assert abs(mid - true) <= rad <= abs(true) * 1e-11


def test_a_small_term_is_an_error_of_a_sum():
    tiny = SCALED.function(TABLE["exp"])(*balls(-5000))
    found = balls(1)[0] + tiny
    assert not found.is_exact
    assert found.rad[0] > 0
    assert found.plain.mid[0] == 1


def test_what_a_double_cannot_hold_is_about_zero_or_infinite():
    exp = SCALED.function(TABLE["exp"])
    low, high = (exp(*balls(x)).plain for x in (-5000, 5000))
    assert low.mid[0] == 0 < low.rad[0] < 1e-300
    assert high.mid[0] == high.rad[0] == math.inf


def test_a_step_does_not_tell_a_small_number_from_zero():
    tiny = SCALED.function(TABLE["exp"])(*balls(-5000))
    for name in ("step", "sign", "floor"):
        assert SCALED.function(TABLE[name])(tiny).rad[0] == math.inf
    assert (tiny > 0.0).rad[0] == math.inf
    chosen = SCALED.function(TABLE["if"])(tiny, *balls(1, 2))
    assert chosen.rad[0] == math.inf


def test_beyond_the_domain_no_formula_serves():
    found = SCALED.function(TABLE["bce"])(*balls(0.3, -1))
    assert not np.isfinite(found.mid[0] + found.rad[0])


def test_exponents_that_grow_without_end_are_given_up():
    ball = balls(3)[0]
    for _ in range(70):
        ball = ball * ball
    assert ball.rad[0] == math.inf


def test_numbers_in_range_are_those_of_plain_balls():
    x = ArrayBall(np.array([0.7, -3.0]), np.array([0.7 * UNIT, 0.0]))
    scaled = ScaledBall.of(x)
    assert scaled.plain.mid.tolist() == x.mid.tolist()
    assert scaled[1:].plain.mid.tolist() == [-3.0]
    root = SCALED.function(TABLE["cos"])(scaled)
    assert root.plain.mid.tolist() == np.cos(x.mid).tolist()
