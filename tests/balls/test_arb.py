"""Balls hold the number that is meant: every row, its partials, at random points."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from exprgrad.numbers.arb import Ball, Nothing, around, precise
from exprgrad.numbers.real import decimal
from exprgrad.operations.number_types import Undecided, Undefined, fault_of
from exprgrad.operations.operation import TABLE
from tests.oracle.functions import ROWS as TRUE_ROWS
from tests.oracle.functions import Field, Outside, Overflow, Unsure
from tests.strategies import ROWS, candidates, regular_points

FIELD = Field(120)
SMOOTH = [row for row in ROWS if row.choose is None]
BITS = (64, 128, 256)

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
everyday = st.floats(-1e6, 1e6)


@pytest.fixture
def numbers():
    with precise(64) as balls:
        yield balls


def fraction(number) -> Fraction:
    """The middle of a ball of Arb, exactly."""
    mantissa, exponent = map(int, number.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def holds(ball: Ball, truth: Fraction) -> bool:
    return abs(fraction(ball.arb) - truth) <= fraction(ball.arb.rad())


EXACTLY = {"add": Fraction.__add__, "sub": Fraction.__sub__, "mul": Fraction.__mul__, "div": Fraction.__truediv__}  # fmt: skip

# Arithmetic


@given(finite, finite)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_holds_the_exact_result(name, x, y):
    with precise(64) as numbers:
        found = numbers.function(TABLE[name])(numbers.number(x), numbers.number(y))
        if fault_of(found) is None:
            assert holds(found, EXACTLY[name](Fraction(x), Fraction(y)))
        else:
            assert name == "div"
            assert not y


@given(finite, st.floats(0, 1), finite, st.floats(0, 1), st.floats(-1, 1), st.floats(-1, 1))  # fmt: skip
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_holds_the_result_for_every_number_of_its_operands(
    name, x, wide, y, high, s, t
):
    with precise(64) as numbers:
        a, b = around(x, abs(x) * wide), around(y, abs(y) * high)
        inside = [
            fraction(ball.arb) + fraction(ball.arb.rad()) * Fraction(share)
            for ball, share in ((a, s), (b, t))
        ]
        found = numbers.function(TABLE[name])(a, b)
        if fault_of(found) is None:
            assert holds(found, EXACTLY[name](*inside))


@given(st.integers(-(10**30), 10**30), st.integers(1, 10**30))
def test_a_fraction_as_a_ball_holds_it(p, q):
    with precise(100) as numbers:
        assert holds(numbers.number((p, q)), Fraction(p, q))


# Functions: the middle of the ball is near the number, and the radius is the distance or more


def point(rng: random.Random, row) -> list[float]:
    if rng.random() < 0.4:
        return list(rng.choice(regular_points(row)))
    return [coordinate(rng, row, i) for i in range(row.arity)]


def coordinate(rng: random.Random, row, index: int) -> float:
    if row.partials[index] is None:
        return float(rng.choice((0, 1, 2, 5)))
    if rng.random() < 0.5:
        return rng.choice(candidates(row, index))
    return rng.uniform(-1, 1) * 10 ** rng.uniform(-3, 3)


def blurred(numbers, x: float, rng: random.Random):
    """A ball around a number that is not its middle, and that number exactly."""
    if rng.random() < 0.4 or not x:
        return numbers.number(x), Fraction(x)
    wide = abs(x) * 2.0 ** -rng.choice((3, 20, 40, 60, 90))
    middle = numbers.number(x)
    ball = Ball(middle.arb + arb(0, wide * (1 + 1e-9)))
    return ball, Fraction(x) + Fraction(wide) * Fraction(rng.uniform(-1, 1))


def real(number: Fraction):
    low, high = (c.mpf(number.numerator) / number.denominator for c in FIELD.contexts)
    return FIELD.whole(0) + type(FIELD.whole(0))(FIELD, low, high)


@pytest.mark.parametrize("row", SMOOTH, ids=lambda row: row.name)
@pytest.mark.parametrize("bits", BITS)
def test_a_row_holds_its_value_at_random_points(row, bits):
    rng = random.Random(f"{row.name} {bits}")
    with precise(bits) as numbers:
        assert decided_values(row, numbers, rng) > 5


def decided_values(row, numbers, rng) -> int:
    """At how many of 20 random points there is a value that is told; each holds the true one."""
    decided = 0
    for _ in range(20):
        pairs = [blurred(numbers, x, rng) for x in point(rng, row)]
        pairs = exactly_where_needed(row, numbers, pairs)
        found = numbers.function(row)(*(ball for ball, _ in pairs))
        try:
            truth = true_value(row, [number for _, number in pairs])
        except (Overflow, Unsure):
            continue
        except Outside:
            assert fault_of(found) is not None, (row.name, pairs, found)
            continue
        fault = fault_of(found)
        assert not isinstance(fault, Undefined), (row.name, pairs, fault)
        if fault is None:
            decided += 1
            off = abs(as_mpf(found.arb.mid()) - truth)
            near = abs(truth) * mpmath.mpf(10) ** -100
            radius = as_mpf(found.arb.rad())
            assert off <= radius + near, (row.name, pairs, found, truth)
    return decided


def exactly_where_needed(row, numbers, pairs):
    """Orders and the exponents that fractions stand for are exact."""
    if row.name in ("pow_even", "pow_odd"):
        exponent = (2, 3) if row.name == "pow_even" else (1, 3)
        return [pairs[0], (numbers.number(exponent), Fraction(*exponent))]
    return [
        (numbers.number(int(x)), Fraction(int(x)))
        if row.partials[i] is None
        else (ball, x)
        for i, (ball, x) in enumerate(pairs)
    ]


def true_value(row, arguments):
    if row.name in ("pow_even", "pow_odd"):
        arguments = arguments[:1]
    return TRUE_ROWS[row.name](*map(real, arguments)).settled()


def as_mpf(number):
    """A number of Arb, or of Python, in the oracle's context."""
    return FIELD.contexts[1].mpf(number)


@pytest.mark.parametrize("row", SMOOTH, ids=lambda row: row.name)
@pytest.mark.parametrize("bits", BITS)
def test_a_row_holds_its_partials_at_random_points(row, bits):
    rng = random.Random(f"{row.name} {bits} partials")
    with precise(bits) as numbers:
        look_at_partials(row, numbers, rng)


def look_at_partials(row, numbers, rng):
    for _ in range(6):
        everyday = rng.choice(regular_points(row, everyday=True))
        pairs = [blurred(numbers, x, rng) for x in everyday]
        pairs = exactly_where_needed(row, numbers, pairs)
        balls = [ball for ball, _ in pairs]
        value = numbers.function(row)(*balls)
        if fault_of(value) is not None or at_corner(numbers, row, balls):
            continue
        for i, partial in enumerate(numbers.partials(row)):
            if row.partials[i] is None or (row.rule == "power" and i):
                continue
            found = partial(value, *balls)
            truth = difference(row, [number for _, number in pairs], i)
            if (
                truth is not None
                and isinstance(found, Ball)
                and fault_of(found) is None
            ):
                slope, blur = truth
                off = abs(as_mpf(found.arb.mid()) - slope)
                radius = as_mpf(found.arb.rad())
                assert off <= radius + blur, (row.name, i, pairs, found)


def at_corner(numbers, row, balls) -> bool:
    try:
        return numbers.at_corner(row, balls)
    except Undecided:
        return True


def difference(row, arguments, i):
    """The partial by a central difference, and how far that may be off; None where it says nothing."""
    size = max(abs(arguments[i]), Fraction(1, 1000))
    found = []
    for power in (25, 35):
        step = size / 10**power
        sides = [[*arguments[:i], arguments[i] + s * step, *arguments[i + 1 :]] for s in (1, -1)]  # fmt: skip
        try:
            low, high = (true_value(row, side) for side in sides)
        except (Outside, Overflow, Unsure):
            return None
        if low == high:  # to all digits of the oracle
            return None
        found.append((low - high) / (2 * as_mpf(step.numerator) / step.denominator))
    tiny = mpmath.mpf(10) ** -70
    blur = abs(found[0] - found[1]) + abs(found[1]) * tiny
    return (found[1], blur) if blur <= abs(found[1]) * mpmath.mpf(10) ** -30 else None


# Questions


def test_a_comparison_that_the_radius_leaves_open_is_undecided(numbers):
    root = numbers.function(TABLE["sqrt"])(numbers.number(2))
    with pytest.raises(Undecided):
        bool(root * root == 2)
    assert root * root < 3
    assert (root != 0) is True


def test_fractions_decide_ties():
    with precise(100) as numbers:
        assert numbers.number((1, 10)) * 3 == numbers.number((3, 10))
        assert math.floor(numbers.number((1, 3)) * 3) == 1
        assert round(numbers.number((5, 2))) == 2
        assert round(numbers.number((7, 2))) == 4


def test_a_ball_alone_rounds_as_python_does(numbers):
    assert [round(numbers.number(x)) for x in (0.5, 1.5, 2.5, -0.5, -1.5, 2.6)] == [0, 2, 2, 0, -2, 3]  # fmt: skip


def test_fractions_of_pi_are_told_from_numbers_that_are_close():
    with precise(100) as numbers:
        pi, sin, tan = numbers.named("pi"), numbers.function(TABLE["sin"]), numbers.function(TABLE["tan"])  # fmt: skip
        assert sin(pi).is_zero
        assert sin(pi / 6) == numbers.number((1, 2))
        assert (numbers.function(TABLE["acos"])(-1) - pi).is_zero
        assert isinstance(fault_of(tan(pi / 2)), Undefined)
        assert numbers.function(TABLE["cos"])(numbers.number((22, 7)) / 2) != 0


def test_roots_and_logarithms_of_powers_are_exact():
    with precise(100) as numbers:
        for name, arguments, wanted in [
            ("sqrt", [(9, 4)], (3, 2)),
            ("cbrt", [-27], -3),
            ("log2", [1024], 10),
            ("log10", [(1, 1000)], -3),
            ("log", [(8, 27), (2, 3)], 3),
            ("pow", [32, (2, 5)], 4),
            ("hypot", [3, 4], 5),
            ("gamma", [6], 120),
        ]:
            found = numbers.function(TABLE[name])(*map(numbers.number, arguments))
            assert found == numbers.number(wanted), name


def test_nothing_is_handed_on_and_asked_it_says_why(numbers):
    nothing = numbers.number(1) / 0
    assert isinstance(nothing, Nothing)
    assert isinstance((2 - nothing * 3) ** 2, Nothing)
    with pytest.raises(Undefined, match="division by 0"):
        bool(nothing > 1)


def test_a_branch_that_is_not_taken_may_have_no_value(numbers):
    choose, ln = numbers.function(TABLE["if"]), numbers.function(TABLE["ln"])
    assert choose(1, 2, ln(0)) == 2
    assert isinstance(choose(0, 2, ln(0)), Nothing)


def test_logic_does_without_what_is_undecided(numbers):
    both, either = numbers.function(TABLE["and"]), numbers.function(TABLE["or"])
    open_question = around(1, 1e-9) == 1
    assert both(open_question, 0) == 0
    assert either(open_question, 1) == 1
    assert isinstance(both(open_question, 1), Nothing)


def test_the_double_nearest_to_a_pole_is_no_pole():
    with precise(200) as numbers:
        tan = numbers.function(TABLE["tan"])(1.5707963267948966)
    assert math.isclose(float(tan.arb), 1.633123935319537e16)


@settings(deadline=None)
@given(everyday, st.floats(0, 1e-3), st.integers(-6, 9))
def test_a_whole_power_of_a_wide_ball_holds_that_of_its_ends(x, rad, n):
    with precise(64) as numbers:
        ball = around(x, rad)
        found = ball ** numbers.number(n)
        if fault_of(found) is None:
            for s in (-1, 0, 1):
                inside = fraction(ball.arb) + s * fraction(ball.arb.rad())
                assert not inside or holds(found, inside**n)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 0])
def test_a_whole_power_of_a_ball_around_0_holds_those_of_its_numbers(numbers, n):
    found = around(0.25, 0.5) ** numbers.number(n)
    assert all(holds(found, Fraction(x, 4) ** n) for x in (-1, 0, 1, 2, 3))
    assert n or found == 1


def test_erfc_far_out_is_told_from_0_though_its_argument_is_not_exact():
    with precise(400) as balls:
        x = balls.named("pi") * 40
        erfc = balls.function(TABLE["erfc"])(x)
        assert not x.arb.is_exact()
        assert erfc.arb.rel_accuracy_bits() > 340
        assert decimal(erfc.arb, 10) == mpmath.nstr(mpmath.erfc(40 * mpmath.pi), 10)
