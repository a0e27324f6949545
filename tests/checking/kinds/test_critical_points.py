"""The critical points that are said to be all: wherever the slope changes its sign, there is one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exprgrad import check
from exprgrad.budget import counted
from exprgrad.checking.kinds import critical
from exprgrad.checking.kinds.critical import CriticalPoints, critical_points
from exprgrad.checking.kinds.inflection import inflection_points
from exprgrad.checking.kinds.real_roots import value_of
from exprgrad.errors import DomainError, ExprgradError, UndecidedError, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.notation.text import to_text

INSIDE = [
    "x^3 - x - 2", "x^2 - 3", "x^5 - x - 1", "ln(x) + x", "exp(x) - x - 2", "cos(x) - x", "x^4 - 3*x + 1", "sin(x) - x/3",
    "2*x + 1", "x^2 + 1", "x*exp(x) - 1",
]  # fmt: skip
WITH_CORNERS = [
    "abs({u})", "max({u}, 0)", "min({u}, {v})", "cbrt({u})", "({u})^(2/3)", "sqrt(abs({u}))", "({u})*abs({v})", "1/({u})",
    "abs({u})^3", "x + abs({u})", "exp(-abs({u}))", "ln(abs({u}))", "huber({u}, 1)", "if({u} > 0, {v}, 1)", "abs(abs({u}) - 1)",
    "abs({u}) + abs({v})", "({u})/({v})", "{u} + 0*{v}",
]  # fmt: skip
GRID = [-6 + 12 * (k + 0.377) / 300 for k in range(300)]


def slope(f: Expression, x: float) -> float | None:
    """The derivative at a number; None where there is none."""
    try:
        return f.evaluate({"x": x}).gradient["x"]
    except ExprgradError:
        return None


def turned(f: Expression, a: float, b: float, before: float) -> float | None:
    """Where a slope changes its sign between two numbers; None where it has no value on the way."""
    while a < (middle := (a + b) / 2) < b and b - a > 1e-9:
        here = slope(f, middle)
        if here is None:
            return None
        a, b = (middle, b) if (here < 0) == (before < 0) else (a, middle)
    return a


def is_known(found: CriticalPoints, x: float) -> bool:
    """Whether a number is next to a critical point, or on an interval where the slope is 0."""
    turn = None if found.period is None else value_of(found.period)
    apart = [x - point.at["x"].near for point in found.points]
    apart = [math.remainder(d, turn) for d in apart] if turn else apart
    level = any(low - 1e-6 <= x <= high + 1e-6 for low, high in found.intervals)
    return level or any(abs(d) < 1e-5 for d in apart)


def missed(found: CriticalPoints, turning: Expression) -> Iterator[float]:
    """Where the slope of `turning` changes its sign, and the function goes on, without a point that was found."""
    f = found.expression
    slopes = [(x, slope(turning, x)) for x in GRID]
    for (a, before), (b, after) in itertools.pairwise(slopes):
        if before and after and before * after < 0:
            x = turned(turning, a, b, before)
            if x is None or is_known(found, x):
                continue
            # the sign may also change at a pole or a jump
            with suppress(
                DomainError
            ):  # the formula of a slope goes on where there is no value
                left, right = (f.evaluate({"x": x + s * 1e-8}).value for s in (-1, 1))
                if left == pytest.approx(right, rel=1e-5, abs=1e-6):
                    yield x


@given(st.sampled_from(WITH_CORNERS), st.sampled_from(INSIDE), st.sampled_from(INSIDE))
@settings(max_examples=40, deadline=None)
def test_where_the_slope_changes_its_sign_is_a_critical_point_if_these_are_all(
    outer: str, u: str, v: str
) -> None:
    f = parse(outer.format(u=u, v=v))
    found = critical_points(f, ("x",))
    if not found.complete:
        return
    assert [*missed(found, f)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "claim", "kind", "status"),
    [
        ("abs(x^3 - x - 2)", "-0.577, 0.577, 1.521", "critical", "correct"),
        ("abs(x^3 - x - 2)", "-0.577, 0.577, 1.522", "critical", "partly"),
        ("max(x^5, x + 1)", "1.167", "critical", "correct"),
        ("x + sign(x^3 - x - 2)", "none", "critical", "undecided"),
        ("cbrt(x - 2)", "2", "inflection", "correct"),
        ("x^(5/3)", "0", "inflection", "correct"),
        ("x^(2/3)", "none", "inflection", "correct"),
        ("1/x", "0", "inflection", "incorrect"),
        ("x^5 - x^4", "0, 3/5", "inflection", "partly"),
        # the formulas of the slopes go on to x < 0
        ("x^2 + ln(x)", "-sqrt(2)/2, sqrt(2)/2", "inflection", "partly"),
        ("x^2 + ln(x)", "sqrt(2)/2", "inflection", "correct"),
        ("x^3*(x/x)", "0", "inflection", "incorrect"),
        ("x^3 + sign(x)", "0", "inflection", "incorrect"),
        ("x^3 + sign(x)", "none", "inflection", "correct"),
        ("x*abs(x)", "0", "inflection", "correct"),
    ],
)
def test_answers_about_corners_and_upright_tangents_are_judged(
    f: str, claim: str, kind: str, status: str
) -> None:
    assert check(f, claim, kind=kind).status == status


def test_a_corner_at_which_the_curve_turns_the_other_way_may_be_called_an_inflection_point() -> None:  # fmt: skip
    with pytest.raises(UndecidedError, match="is a matter of definition"):
        check("abs(x^2 - 1)", "none", kind="inflection")


@pytest.mark.parametrize(
    ("f", "claim", "status"),
    [
        ("sin(x)", "k*pi", "correct"),
        ("sin(x)", "pi, 2*pi", "correct"),
        ("sin(x)", "0", "partly"),
        ("sin(x)", "pi/2 + k*pi", "incorrect"),
        ("sin(x)", "none", "incorrect"),
        ("x + cos(2*x)", "pi/4 + n*pi/2", "correct"),
        ("tan(x)", "0", "correct"),
    ],
)
def test_inflection_points_may_repeat(f: str, claim: str, status: str) -> None:
    found = check(f, claim, kind="inflection")
    assert found.status == status
    assert found.notes[-1].endswith("there are infinitely many")


@pytest.mark.parametrize("claim", ["0", "none"])
def test_an_end_of_the_domain_may_be_called_critical_or_not(claim: str) -> None:
    assert check("x^(3/2)", claim, kind="critical").status == "correct"


def test_none_is_no_answer_that_repeats() -> None:
    found = check("tan(x)", "none", kind="critical")
    assert (found.status, found.evidence) == ("correct", "there are none")
    assert not found.notes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "near", "kinds"),
    [
        ("max(cos(x) - x, x^2 + 1)", 0.0, {"minimum"}),
        ("min(x^3 - 2, exp(x) - 3)", 0.0, {"flat"}),
        ("huber(exp(x) - x - 2, 1)^2", 1.505241496, {"minimum"}),
        ("sin(x*x)^3/cos(sin(x*x))", 1.7724538509, {"flat"}),
        ("(x*x)^(1/ln(x*x))", math.exp(0.5), {"undecided"}),
        ("max(x^2 - 1, 0)", 0.0, set()),
        # the formula of the slope, if(x == 1, 0, 2*x), is 0 at 1
        ("if(x == 1, 1, x^2)", 1.0, set()),
        ("if(x == 0, 0, x^2)", 0.0, {"minimum"}),
    ],
)
def test_the_kind_of_a_point_is_seen_beside_it(
    f: str, near: float, kinds: set[str]
) -> None:
    points = critical_points(parse(f)).points
    assert {p.kind for p in points if abs(p.at["x"].near - near) < 1e-8} == kinds


@pytest.mark.slow
@pytest.mark.parametrize("f", ["cos(sqrt(x)^2)", "sin(x^2/x)", "sin(x) + 0*ln(x)", "cos(exp(ln(x)))"])  # fmt: skip
def test_what_is_not_defined_a_period_away_does_not_repeat(f: str) -> None:
    for found in (critical_points(parse(f)), inflection_points(parse(f), "x")):
        assert (dict(found.periods), found.complete) == ({}, False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "turn"),
    [
        ("sin(x)^(3/2)", "2*pi"), ("sqrt(sin(x))*abs(sin(x))", "2*pi"), ("ln(sin(x))", "2*pi"), ("exp(cos(2x)) + 0*ln(sin(x))", "2*pi"),
        ("sin(x)^(2/3)", "2*pi"), ("sqrt(sin(x)^2)", "pi"), ("abs(sin(x))", "pi"), ("tan(x)^2", "pi"), ("1/sin(x)", "2*pi"),
        ("x + sin(x)", "2*pi"), ("x + sqrt(sin(x))", "2*pi"), ("x + ln(x) + sin(x)", None),
    ],
)  # fmt: skip
def test_a_period_is_one_of_the_domain_too(f: str, turn: str | None) -> None:
    found = critical_points(parse(f)).period
    assert (None if found is None else to_text(found)) == turn


@pytest.mark.parametrize(
    ("f", "names"),
    [("sin(x) + y^2", ["x"]), ("ln(y)*sin(x)", ["x"]), ("sin(x) + y^2 + 0*ln(x)", []), ("sin(x) + y^2 + 0*ln(y + 1)", ["x"])],
)  # fmt: skip
def test_so_is_a_period_in_one_of_several_variables(f: str, names: list[str]) -> None:
    assert list(critical_points(parse(f)).periods) == names


@pytest.mark.parametrize("f", ["n*x^3", "relu(n*x)*x/(x - x)"])
def test_inflection_points_need_numbers_for_other_variables(f: str) -> None:
    with pytest.raises(UsageError, match="inflection points need a number for n"):
        check(f, "0", "x", kind="inflection")


CURVED = [
    "({u})^3", "x*({u})^2", "({u})*exp(-x)", "ln(({u})^2 + 1)", "exp(-({u})^2)", "({u})/(x^2 + 3)", "atan({u})", "({u})*abs({u})",
    "ln({u}) + ({v})^3", "sqrt({u})*({v})", "({u})^3 + sign({v})", "max({u}, 0)^2", "abs({u})^3", "cbrt({u})", "({u})^(5/3)", "1/({u})", "x^2*({v})", "({u})^2*({v})",
]  # fmt: skip


@given(st.sampled_from(CURVED), st.sampled_from(INSIDE), st.sampled_from(INSIDE))
@settings(max_examples=40, deadline=None)
def test_wherever_the_curve_bends_the_other_way_is_a_point_of_inflection(
    shape: str, u: str, v: str
) -> None:
    f = parse(shape.format(u=u, v=v))
    try:
        found = inflection_points(f, "x")
    except UndecidedError:
        return
    tangent = f.derivative("x")
    for point in found.points:
        x = point.at["x"].near
        left, right = (slope(tangent, x + s * 1e-4 * max(1, abs(x))) for s in (-1, 1))
        assert left is None or right is None or (left < 0) != (right < 0), (f.source, x)
    assert not found.complete or [*missed(found, tangent)] == []


@pytest.mark.parametrize(
    ("f", "claim", "status"),
    [
        ("x^3/3 - 2x", "±1.41", "correct"),
        ("x^3/3 - 2x", "1.41", "partly"),
        ("x^3/3 - 2x", "±1.42", "incorrect"),
        ("x^3/3 - 2x", "±1.4", "correct"),
        ("x^3/3 - 2x + y^2", "(1.41, 0), (-1.41, 0)", "correct"),
        ("|x^2 - 2|", "0, ±1.41", "correct"),
        ("x ln x", "0.37", "correct"),
        ("x ln x", "0.4", "incorrect"),
        # no rounded number of two digits: it has a short decimal
        ("(x - 1.46)^2", "1.5", "incorrect"),
        ("|x - 1.46|", "1.5", "incorrect"),
    ],
)
def test_a_critical_point_is_the_one_that_its_decimals_round_to(f, claim, status):
    found = check(f, claim, kind="critical")
    assert found.status == status
    assert status != "correct" or "missing" not in found.evidence


@pytest.mark.parametrize("claim", ["x = +-1", "+-1", "+/-1", "{+-1}"])
def test_a_sign_that_is_both_may_be_typed_as_two(claim):
    assert check("x^3 - 3x", claim, kind="critical").status == "correct"


@pytest.mark.parametrize(
    ("f", "kind"),
    [
        ("x^4 + y^4", "minimum"),
        ("1 - (x - 1)^4 - y^4", "maximum"),
        ("sqrt(x^2 + y^2)", "minimum"),
        ("x^4 - y^4", "saddle"),
        ("x^3 + y^3", "saddle"),
        ("(x - 1)^4 - (y - sqrt(2))^4 + z^2", "saddle"),
        # on every line through 0 it is a minimum, and between the two parabolas it is negative
        ("(y - x^2)*(y - 2x^2)", "undecided"),
    ],
)
def test_the_kind_of_a_point_with_a_flat_hessian_is_seen_on_lines_and_by_the_range(
    f, kind
):
    assert {point.kind for point in critical_points(parse(f)).points} == {kind}


def test_a_kind_that_is_open_at_a_point_is_not_asked_for_beside_it(monkeypatch):
    asked = []

    def kind(f: Expression, place: dict[str, float]) -> str:
        asked.append(round(float(place["x"]), 3))
        return critical.UNKNOWN

    monkeypatch.setattr(critical, "_kind_in_space", kind)
    critical_points(parse("sin(x + 1)*exp(x) + y^2"), ("x", "y"))
    assert asked
    assert len(asked) == len({*asked})


@pytest.mark.parametrize(("f", "x"), [("sinc(x)", "0"), ("sinc(x - 1)", "1")])
def test_the_middle_of_sinc_is_among_its_maxima(f, x):
    kinds = {point.text: point.kind for point in critical_points(parse(f)).points}
    assert kinds[f"x = {x}"] == "maximum"


def test_no_point_is_searched_for_where_the_claim_cannot_be_read():
    with counted() as work, pytest.raises(UsageError, match="the place or the value"):
        check("sin(x^3)*exp(x)", "0", kind="maximum")
    assert work.spent < 1000
