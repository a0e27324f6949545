"""Where the points of a check are taken from: landmarks, breaks, and points within the pieces."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import check
from exprgrad.checking import domain as pieces
from exprgrad.expressions.expression import parse
from exprgrad.operations.operation import TABLE


def breaks(text: str, **held: float) -> list[float]:
    return pieces.breaks([parse(text).root], "x", held)


@pytest.mark.parametrize(
    ("name", "landmarks"),
    [
        ("sqrt", ((0.0,),)),
        ("ln", ((0.0,),)),
        ("div", ((), (0.0,))),
        ("asin", ((-1.0, 1.0),)),
        ("acosh", ((1.0,),)),
        ("abs", ((0.0,),)),
        ("log", ((0.0,), (0.0, 1.0))),
        ("sin", ((),)),
        ("exp", ((),)),
    ],
)
def test_the_landmarks_of_an_operation_follow_from_its_row(name, landmarks):
    assert pieces.landmarks(TABLE[name]) == landmarks


def test_poles_of_the_tangent_are_landmarks():
    found = pieces.landmarks(TABLE["tan"])[0]
    assert math.pi / 2 in found
    assert 0.0 not in found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/sqrt(x-900)", [900]),
        ("ln(x)-ln(1-x)", [0, 1]),
        ("sqrt((x-900)*(901-x))", [900, 901]),
        ("asin(1000*(x-7.3))", [7.299, 7.301]),
        ("|x^2-1|", [-1, 1]),
        ("max(x, x^2)", [0, 1]),
        ("sqrt(1-1e6*(x-5.3)^2)", [5.299, 5.301]),
        ("acosh(x/1000)", [1000]),
        ("ln(x+12345)", [-12345]),
        ("if(x < 5, x, x^2)", [5]),
        ("e^x*sin(x)", []),
        ("max(0, 1e-6 - (x-77.7)^2)", [77.699, 77.701]),
        ("max(0, 1 - 1e6*(sin(x)-0.5)^2)", [math.asin(0.499), math.asin(0.501)]),
        ("if(sin(1000x) > 0.99999, 1, 0)", [math.asin(0.99999) / 1000]),
        ("max(0, ln(|x|+1) - 20)", [math.e**20 - 1, 1 - math.e**20]),
        ("max(0, x^3 - 6x^2 + 11x - 6)", [1, 2, 3]),
        ("max(0, 1/(x-2) - 1000)", [2, 2.001]),
        ("max(0, cos(x) + x/100 - 1.15)", [18.581126880904822, 19.138246321305928]),
        ("x^2+3", []),
    ],
)
def test_breaks_are_found_also_where_they_are_far_apart_or_close(text, expected):
    found = breaks(text)
    for place in expected:
        assert any(math.isclose(place, x, rel_tol=1e-9, abs_tol=1e-9) for x in found)
    assert len(found) <= len(expected) + (30 if "sin" in text else 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/mod(x, 0.1)", [k / 10 for k in range(-4, 5)]),
        ("ln(mod(x, 3) - 1)", [3 * k + own for k in range(-4, 5) for own in (0, 1)]),
        ("ln(mod(5, x) - 1)", [0, *(4 / k for k in (1, 2, 3)), 5, 5 / 2, 5 / 3, 5 / 4]),
        ("ln(-1 - mod(x, -4))", [-4 * k - j for k in range(-4, 5) for j in (0, 1)]),
    ],
)
def test_breaks_of_a_remainder_are_those_of_the_quotients_next_to_0(text, expected):
    assert breaks(text) == pytest.approx(sorted(expected), abs=0)


def test_breaks_move_with_the_variables_that_are_held():
    assert breaks("sqrt(a-x)", a=3.0) == [3.0]
    assert breaks("sqrt(a-x)", a=-5.0) == [-5.0]


def test_parts_without_the_variable_have_no_breaks():
    assert breaks("sqrt(a)*exp(x)", a=2.0) == []


def test_there_are_points_in_every_piece_and_beyond_the_ends():
    groups = list(pieces.inside([0.0, 1.0]))
    assert all(x < 0 for x in groups[0])
    assert all(0 < x < 1 for x in groups[1])
    assert all(x > 1 for x in groups[2])
    assert list(pieces.inside([])) == []


@pytest.mark.parametrize("ends", [[1e308], [1.7e308], [-1.7e308, 1.7e308], [1.79e308]])
def test_points_beside_the_largest_doubles_are_finite_and_in_their_pieces(ends):
    before, *inner, after = pieces.inside(ends)
    assert all(-math.inf < x < ends[0] for x in before)
    assert all(ends[0] < x < ends[-1] for group in inner for x in group)
    assert all(ends[-1] < x < math.inf for x in after)


@pytest.mark.parametrize(
    ("f", "claim", "where", "status"),
    [
        ("ln(x - 1.5e308)", "1/(x - 1.5e308)", (), "correct"),
        ("ln(x - 1.7e308)", "2/(x - 1.7e308)", (), "incorrect"),
        ("lgamma(1e308 - x)", "x", (), "incorrect"),
        ("sqrt(1.7e308^2 - x^2)", "-x/sqrt(1.7e308^2 - x^2)", (), "correct"),
        ("x", "(x - x)^(x/10^400)", "x < 1e308", "incorrect"),
    ],
)
def test_pieces_that_end_beyond_doubles_are_judged(f, claim, where, status):
    assert check(f, claim, "x", where=where).status == status


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e5))
def test_a_short_number_lies_between_its_bounds(low, width):
    high = low + width
    assert low <= pieces.short(low, high) <= high


@pytest.mark.parametrize(
    ("low", "high", "short"),
    [
        (900.25, 900.75, 900.5),
        (-1, 1, 0),
        (1.4, 1.6, 1.5),
        (3, 5, 4),
        (0.3, 0.4, 0.375),
    ],
)
def test_points_have_few_binary_digits(low, high, short):
    assert pieces.short(low, high) == short


def test_held_values_are_distinct_and_take_either_sign():
    names = ["a", "b", "c", "d"]
    rounds = [pieces.held(names, i) for i in range(6)]
    assert all(len(set(values.values())) == len(names) for values in rounds)
    for name in names:
        assert {values[name] > 0 for values in rounds} == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "claim", "kind", "false"),
    [
        ("if(1 > csch(x/y), 0, -csch(x/y)*coth(x/y)/y)", "max(x, csch(x/y))", "antiderivative", "x - csch(x/y) < 0"),
        ("cos(x) + 1", "abs(x + 0.3 + sin(x))", "antiderivative", "x > 0"),
    ],
)  # fmt: skip
def test_no_piece_is_named_on_which_a_claim_is_wrong_where_no_one_looked(
    f, claim, kind, false
):
    assert f"correct for {false}, wrong" not in check(f, claim, "x", kind=kind).evidence


@pytest.mark.parametrize(("sign", "status"), [("-", "correct"), ("", "incorrect")])
@pytest.mark.parametrize("small", ["1/100", "1/10000"])
def test_a_small_domain_of_several_variables_is_found(small, sign, status):
    f = f"sqrt({small}-x^2-y^2)"
    assert check(f, f"{sign}x/{f}", "x").status == status


@pytest.mark.parametrize(
    ("f", "claim", "right", "wrong"),
    [
        ("x^2", "if(x > 2, 2x, 0)", "x > 2", "x < 2"),
        ("x^2", "2x + step(x - 2)", "x < 2", "x > 2"),
        ("sinh(x)", "if(x > -1, cosh(x), 0)", "x > -1", "x < -1"),
        ("x^2", "if(x == 3, 1, abs(2x))", "0 < x < 3 or x > 3", "x < 0"),
        ("x^2", "abs(2x)", "x > 0", "x < 0"),
    ],
)
def test_a_claim_is_refuted_inside_the_piece_in_which_it_is_wrong(
    f: str, claim: str, right: str, wrong: str
) -> None:
    found = check(f, claim)
    assert found.evidence.startswith(f"correct for {right}, wrong for {wrong}: at ")
    assert found.counterexample is not None
    assert parse(wrong)(**found.counterexample.at) == 1
