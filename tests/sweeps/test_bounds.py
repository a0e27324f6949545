"""Values and partials with bounds: every digit that is told is right, and what is not known is said."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import hypothesis
import mpmath
import pytest
from flint import arb
from hypothesis import strategies as st

from exprgrad.errors import RangeError
from exprgrad.expressions.expression import parse
from exprgrad.expressions.fields import precision_notes
from exprgrad.proof.elementary import vanishes
from exprgrad.sweeps import bounds
from exprgrad.sweeps.bounds import (
    BOUNDED,
    CORNER,
    EXACT,
    UNDECIDED,
    UNDEFINED,
    ZERO,
    Answer,
    Bounds,
    Known,
)
from exprgrad.sweeps.coordinates import Coordinate, Interval
from tests.strategies import texts


def answer(source: str, digits: int = 10, zero=vanishes, **at) -> Answer:
    """The answer at a point; a text is read as an expression, so that "0.1" is one tenth."""
    point = {
        name: Coordinate.of(parse(given).root if isinstance(given, str) else given)
        for name, given in at.items()
    }
    return Bounds(parse(source, variables=tuple(at)).tape).answer(
        point, digits=digits, zero=zero
    )


def known(found: Known, wanted: float | str, digits: int = 10) -> bool:
    """Whether a number is the wanted one, given with enough digits, to ten digits and within its bound."""
    truth = Decimal(wanted)
    assert found.value is not None
    off = abs(Decimal(found.value) - truth)
    assert off <= Decimal(found.error) + abs(truth) * Decimal("1e-19")
    return off <= abs(truth) * Decimal(5) / 10 ** (digits + 1)


# Where doubles lose their digits

LOST = [
    ("333.75*b^6+a^2*(11*a^2*b^2-b^6-121*b^4-2)+5.5*b^8+a/(2b)", {"a": "77617", "b": "33096"}, "-0.82739605994682136814", {}),
    ("(1-cos(x))/x^2", {"x": "1e-8"}, "0.49999999999999999583", {"x": "-8.3333333333333333056e-10"}),
    ("sqrt(x^2+1)-x", {"x": "1e8"}, "4.999999999999999875e-9", {"x": "-4.9999999999999998125e-17"}),
    ("(1+x)^(1/x)", {"x": "1e-12"}, "2.718281828457686094446059", {"x": "-1.359140914227030859337393"}),
    ("1e16+1-1e16", {}, "1", {}),
    ("(x-sin(x))/x^3", {"x": "1e-4"}, "0.1666666665833333333531746", {"x": "-0.000001666666665873015873181217"}),
    ("(exp(x)-1-x)/x^2", {"x": "1e-12"}, "0.50000000000016666667", {"x": "0.16666666666675"}),
    ("1/x-1/tan(x)", {"x": "1e-12"}, "3.3333333333333333333e-13", {"x": "0.33333333333333333333"}),
    ("1e20*x + x - 1e20*x", {"x": "1"}, "1", {"x": "1"}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "at", "value", "partials"), LOST)
def test_digits_that_doubles_lose_are_found(source, at, value, partials):
    found = answer(source, **at)
    assert known(found.value, value)
    for name, wanted in partials.items():
        assert known(found.partials[name], wanted)


def test_what_doubles_know_takes_one_sweep():
    found = answer("(a*b+c)^2", a="2", b="3", c="1")
    assert (found.level, found.value.value) == (0, 49)
    assert {n: p.value for n, p in found.partials.items()} == {"a": 42, "b": 28, "c": 14}  # fmt: skip
    assert 0 < found.value.error < 1e-13
    assert found.value.digits >= 14


# Zeros


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("0.1+0.2-0.3", {}),
        ("sin(x)", {"x": "pi"}),
        ("cos(x)", {"x": "3pi/2"}),
        ("x^2-2", {"x": "sqrt(2)"}),
        ("ln(exp(x))-x", {"x": "0.3"}),
        ("acos(x)-pi", {"x": "-1"}),
        ("sinc(x)", {"x": "3pi"}),
    ],
)
def test_what_is_0_is_0(source, at):
    assert answer(source, **at).value[:3] == (0.0, 0.0, EXACT)


def test_a_zero_that_is_not_proved_is_told_as_one():
    found = answer("sin(x)^2 + cos(x)^2 - 1", zero=None, x="0.3")
    assert (found.value.value, found.value.status, found.level) == (0, ZERO, 3400)
    assert found.value.error < 1e-300


def test_a_small_number_is_not_0():
    found = answer("exp(x)-1-x", x="1e-300")
    assert found.value.status == BOUNDED
    assert found.value.decimal(10) == "5.0e-601"
    assert known(found.partials["x"], "1e-300")


# Exact input


def test_a_typed_decimal_is_that_decimal_and_a_float_is_the_number_it_stores():
    assert answer("x-1/10", x="0.1").value.value == 0
    stored = Decimal.from_float(0.1) - Decimal("0.1")
    assert known(answer("x-1/10", x=0.1).value, str(stored))
    for given in (Fraction(1, 10), Decimal("0.1"), (1, 10)):
        assert answer("x-1/10", x=given).value.status == EXACT


def test_ties_are_decided_for_the_exact_numbers():
    assert answer("if(0.1*3 == 0.3, 1, 0)").value.value == 1
    assert answer("if(x*3 == 0.3, 1, 0)", x=0.1).value.value == 0
    assert answer("floor(x*100)", x="0.29").value.value == 29
    assert answer("floor(x)", x="sqrt(2)*sqrt(2)").value.value == 2
    assert answer("if(sin(x) == 1/2, 1, 0)", x="pi/6").value.value == 1


def test_the_double_nearest_to_a_pole_has_a_tangent_and_the_pole_has_none():
    assert known(answer("tan(x)", x=math.pi / 2).value, "16331239353195369.755967737041528")  # fmt: skip
    found = answer("tan(x)", x="pi/2")
    assert (found.value.status, found.culprits[""].operation.name) == (UNDEFINED, "tan")


def test_a_condition_that_no_precision_settles_is_undecided():
    found = answer("if(sin(x)^2 + cos(x)^2 < 1, x, 2*x)", zero=None, x="0.3")
    assert found.value.status == UNDECIDED
    assert found.partials["x"].status == UNDECIDED
    assert found.culprits[""].operation.name == "lt"


# Corners and ends


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("relu(x)-relu(-x)", "0"),
        ("if(x==0, 1, sin(x)/x)", "0"),
        ("abs(x^2-2)", "sqrt(2)"),
        ("max(x, 2)", "sqrt(2)*sqrt(2)"),
        ("sqrt(x)", "0"),
        ("0*x^x", "-1"),
        ("floor(x^x)", "-1"),
        ("max(x^x, x*x)", "-1"),
        ("x*x^x", "0"),
        ("bce(x, 0)", "0"),
        ("floor(x)", "1e15"),
        ("x + 1e-13*abs(x)", "0"),
        ("1 + 1e-15*sign(x)", "0"),
    ],
)
def test_where_a_rule_does_not_hold_the_partial_is_left_to_germs(source, at):
    found = answer(source, x=at)
    assert found.value.status in (EXACT, BOUNDED)
    assert (found.partials["x"].value, found.partials["x"].status) == (None, CORNER)
    assert "x" in found.culprits


def test_only_the_variables_below_a_corner_lack_their_partials():
    found = answer("abs(x) + y^2", x="0", y="3")
    assert found.partials["x"].status == CORNER
    assert found.partials["y"].value == 6


def test_there_is_no_signed_zero():
    assert known(answer("atan2(-y, x)", y="0", x="-1").value, "3.14159265358979323846")
    assert math.copysign(1, answer("-x", x="0").value.value) == 1


def test_an_untaken_branch_may_have_no_value():
    found = answer("if(x > 0, x^2, ln(x))", x="3")
    assert (found.value.value, found.partials["x"].value) == (9, 6)


def test_a_value_that_is_not_defined_says_which_step_is_to_blame():
    found = answer("1 + ln(x - 0.3)", x="0.1*3")
    assert found.value.status == UNDEFINED
    assert found.culprits[""].operation.name == "ln"


# Beyond doubles


def test_numbers_beyond_the_range_of_doubles_are_told_as_decimals():
    found = answer("exp(-x)", x="1000")
    assert (found.value.value, found.value.decimal(10)) == (None, "5.075958898e-435")
    assert answer("x^50", x="1e10").value.decimal(3) == "1.0e+500"


def test_an_overflow_on_the_way_is_retried():
    assert known(answer("exp(x)/exp(x-1)", x="1000").value, "2.7182818284590452354")
    assert known(answer("x*1e300/1e300", x="1e300").value, "1e300")
    assert known(answer("ln(abs(sinh(x)))", x="-12032").value, "12031.306852819440055")


# Digits


@pytest.mark.parametrize("source", ["exp(x)*sin(x)/x", "1/(1+x)", "x^0.3*gamma(x)"])
def test_with_17_digits_results_are_the_nearest_doubles(source):
    with mpmath.workdps(60):
        f = {"exp(x)*sin(x)/x": lambda x: mpmath.exp(x) * mpmath.sin(x) / x,
             "1/(1+x)": lambda x: 1 / (1 + x),
             "x^0.3*gamma(x)": lambda x: x ** (mpmath.mpf(3) / 10) * mpmath.gamma(x)}[source]  # fmt: skip
        for tenths in range(1, 30):
            found = answer(source, digits=17, x=(tenths, 10))
            x = mpmath.mpf(tenths) / 10
            assert found.value.value == float(f(x))
            assert found.partials["x"].value == float(mpmath.diff(f, x))


def test_any_number_of_digits_can_be_had():
    assert answer("1/x", digits=40, x="3").value.decimal(40) == "0." + "3" * 40
    forty = answer("exp(x)", digits=40, x="1").value.decimal(40)
    assert forty == "2.718281828459045235360287471352662497757"


@pytest.mark.slow
def test_work_is_limited():
    terms = [f"gamma(x+{i})*exp(-x)" for i in range(400)]
    one, other = "+".join(terms), "+".join(reversed(terms))
    found = answer(f"({one})-({other})- 1e-300*x", zero=None, x="0.3")
    assert found.level < 3400
    assert found.value[:3] == (None, math.inf, UNDECIDED)


# Higher orders


@pytest.mark.parametrize(
    ("source", "f", "at", "order"),
    [
        ("(1-cos(x))/x^2", lambda x: (1 - mpmath.cos(x)) / x**2, "1e-3", 4),
        ("sin(x)/x", lambda x: mpmath.sin(x) / x, "1e-3", 6),
        ("(exp(x)-1-x)/x^2", lambda x: (mpmath.exp(x) - 1 - x) / x**2, "1e-6", 2),
        ("x^x*atan(x)", lambda x: x**x * mpmath.atan(x), "0.5", 5),
        ("x^7 - 3x^2", lambda x: x**7 - 3 * x**2, "-2", 8),
        ("gamma(x)*erf(x)", lambda x: mpmath.gamma(x) * mpmath.erf(x), "1.5", 3),
    ],
)
def test_derivatives_of_any_order_have_bounds(source, f, at, order):
    prepared = Bounds(parse(source).tape)
    found = prepared.derivatives({"x": Coordinate.of(parse(at).root)}, "x", order)
    assert len(found) == order + 1
    with mpmath.workdps(150):
        for k, own in enumerate(found):
            wanted = mpmath.diff(f, mpmath.mpf(at), k) if k else f(mpmath.mpf(at))
            assert known(own, mpmath.nstr(wanted, 40))


def test_from_a_corner_on_there_are_no_derivatives():
    found = Bounds(parse("x*abs(x)").tape).derivatives({"x": Coordinate.of(0)}, "x", 2)
    assert [own.status for own in found] == [EXACT, CORNER, CORNER]


def test_a_hessian_has_bounds_and_is_symmetric():
    tape = parse("(1-cos(x))/x^2 + x*y^3*exp(y) + if(x > 5, ln(-x), 0)").tape
    at = {"x": Coordinate.of((1, 10**4)), "y": Coordinate.of(2)}
    found = Bounds(tape).hessian(at, ("x", "y"))
    with mpmath.workdps(80):
        x, e2 = mpmath.mpf(10) ** -4, mpmath.exp(2)
        curved = mpmath.diff(lambda t: (1 - mpmath.cos(t)) / t**2, x, 2)
        assert known(found["x"]["x"], mpmath.nstr(curved, 40))
        for pair in (found["x"]["y"], found["y"]["x"]):
            assert known(pair, mpmath.nstr(20 * e2, 40))
        assert known(found["y"]["y"], mpmath.nstr(44 * e2 * x, 40))


# The cheap test


def test_a_tape_keeps_its_preparation():
    prepared = Bounds(parse("x*sin(x)").tape)
    first = prepared.rounding([0.0], ["x"])
    assert prepared.rounding([0.0], ["x"]) is first
    assert prepared.rounding([1.0], ["x"]) is not first


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("x*sin(x)*exp(-x^2)/(1+x)", 0.7),
        ("x^2.3 + x^x", 1.7),
        ("sqrt(x)*atan(x) - tanh(x)/ln(x+2)", 3.1),
    ],
)
def test_doubles_are_enough_for_ordinary_points(source, at):
    tape = parse(source).tape
    fast = Bounds(tape).by_floats({"x": Coordinate.of(at)}, ("x",), 5e-11)
    slow = Bounds(tape).by_balls({"x": Coordinate.of(at)}, ("x",), digits=17)
    assert fast is not None
    for a, b in ((fast.value, slow.value), (fast.partials["x"], slow.partials["x"])):
        assert abs(a.value - b.value) <= a.error + b.error
        assert a.error <= 1e-12 * abs(a.value)


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("abs(x)-x", 0.5),
        ("max(x, 1)", 1.0),
        ("max(1+x, 2x)", 1 - 2.0**-53),
        ("x + floor(x)", 3.0),
        ("x + round(x)", 2.5),
        ("x + mod(x, 3)", 6.0),
        ("x*(3x > 2x + 1)", 1.0),
        ("x^2 + atan2(0x, -1)", 1.0),
        ("x + hypot(x - 1, 0)", 1.0),
        ("1/x-1/tan(x)", 1e-6),
        ("x*1e-200*1e-200", 1.0),
        ("(x+1)-(x+1)", 0.1),
    ],
)
def test_an_alarm_is_raised_where_doubles_may_not_do(source, at):
    found = Bounds(parse(source).tape).by_floats({"x": Coordinate.of(at)}, ("x",), 5e-11)  # fmt: skip
    assert found is None


def test_levels_are_in_rising_order():
    assert list(bounds.LEVELS) == sorted(bounds.LEVELS)


def test_towers_of_functions_that_grow_steeply_end_at_once():
    for text in ("exp(cosh(9969))", "exp(-cosh(9969))", "2^sinh(9969)"):
        with pytest.raises(RangeError, match="overflows"):
            parse(text).evaluate({})
    assert parse("exp(cosh(9))").evaluate({}).texts[""] == "3.650437108e+1759"


@pytest.mark.parametrize("x", [1e155, 1e308, -1e-300])
@pytest.mark.parametrize("order", [0, 1, 3])
def test_the_sine_quotient_has_its_digits_far_away_and_near_0(x, order):
    found = answer(f"sinc(x, {order})" if order else "sinc(x)", x=x)
    for known, power in ((found.value, order), (found.partials["x"], order + 1)):
        with mpmath.workdps(800):
            due = mpmath.diff(mpmath.sinc, mpmath.mpf(x), power, h=mpmath.mpf(10) ** -350)  # fmt: skip
            error = abs(mpmath.mpf(known.value) - due)
        assert error <= known.error
        assert known.digits >= 10


def test_a_number_of_which_nothing_is_known_is_not_said_to_be_0(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_WORK", 50)
    notes = precision_notes(parse("sinc(x)").evaluate({"x": 1e155}), traced=False)
    assert not any("is 0" in note for note in notes)


def test_there_is_no_partial_where_a_degree_must_be_odd():
    for source in ("relu(root(x, x))", "0*root(x, x)", "root(x, x)"):
        assert parse(source).evaluate({"x": -3}).gradient == {"x": None}
    assert parse("root(x, 3)").evaluate({"x": -8}).gradient["x"] == pytest.approx(
        1 / 12
    )


def test_so_many_digits_are_found_as_are_asked_for_where_an_exponent_takes_many_bits():
    for digits in (10, 20, 50):
        found = parse("exp(exp(x))").evaluate({"x": 20}, digits=digits).numbers
        assert min(number.sure for number in found.values()) >= digits


def test_no_partial_is_said_of_doubles_that_do_not_come_as_far():
    result = parse("c/x + 3*c").evaluate({"c": 1.2, "x": 1e-300})
    assert result.gradient["c"] == pytest.approx(1e300)
    assert "c" not in result.cancelled


@hypothesis.given(texts(), st.randoms(use_true_random=False))
def test_over_a_box_lie_the_values_and_the_partials_at_all_its_points(text, drawn):
    tape = parse(text).tape
    names = tuple(tape.variables)
    middles = {name: drawn.choice((0.0, 1.0, -0.5, 2.25)) for name in names}
    radius = drawn.choice((0.0, 2.0**-20, 0.25, 1.0))
    box = {name: Interval(x, radius) for name, x in middles.items()}
    over = Bounds(tape).over(box, names)
    for part in (-1, -0.5, 0, 0.75, 1):
        point = {name: Coordinate.of(x + part * radius) for name, x in middles.items()}
        found = Bounds(tape).answer(point, names)
        pairs = [
            (over.value, found.value),
            *((over.partials[n], found.partials[n]) for n in names),
        ]
        for ball, number in pairs:
            if not isinstance(ball, Exception):
                assert number.status in (EXACT, BOUNDED, ZERO, UNDECIDED)
                if number.value is not None:
                    assert ball.arb.contains(arb(number.value)) or ball.arb.overlaps(
                        arb(number.value, number.error)
                    )
