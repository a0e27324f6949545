"""What differs at a single point, in a narrow piece or far out is refused; what is equal there is not."""

from __future__ import annotations

import itertools

import pytest

import exprgrad
from exprgrad.checking import points
from exprgrad.checking.domain import Guards
from exprgrad.checking.sharp import Sharp, asks, jumps_at_all, levels_off
from exprgrad.graph.value import Value, node
from exprgrad.operations.operation import TABLE
from exprgrad.operations.table import eq, exp, where
from tests.checking.near_misses import Pair, pairs, single_points, transitions
from tests.strategies import declared

KINDS = 12
"""The pairs of one turn of the generator: a false and a true one of each kind."""


@pytest.mark.parametrize(
    "pair", list(pairs(7, 5 * KINDS)), ids=lambda pair: pair.b[:60]
)
def test_near_misses_are_told_from_their_twins(pair: Pair) -> None:
    """By hand with thousands: `python -m tests.checking.near_misses 1 2000`."""
    assert pair.verdict in (("right", "open") if pair.truth else ("right",))


def test_every_row_that_jumps_or_levels_off_is_among_them() -> None:
    written = {way("u") for way in single_points()}
    steep = {"".join(pair("u", "k")) for pair in transitions()}
    for name in ("sign", "step", "floor", "ceil", "round"):
        assert any(f"{name}(" in text for text in written), name
    for name in ("exp", "tanh", "erf", "erfc", "sigmoid", "softplus", "expm1"):
        assert any(f"{name}(" in text for text in steep), name


@pytest.mark.parametrize(
    ("names", "rule"),
    [
        ("sign step floor ceil round mod eq ne lt le gt ge pow", jumps_at_all),
        (
            "exp expm1 tanh erf erfc atan sigmoid softplus sech coth sinc",
            lambda row: levels_off(row, 0, (None,)),
        ),
        ("if not and or", lambda row: any(asks(row, i) for i in range(row.arity))),
    ],
)
def test_what_happens_fast_is_a_fact_of_the_row(names, rule):
    assert all(rule(TABLE[name]) for name in names.split())
    smooth = "sin cos sinh cosh ln sqrt add mul abs max min relu hypot"
    assert not any(
        rule(TABLE[name]) for name in smooth.split() if TABLE[name].arity == 1
    )


def places(root: Value) -> list[float]:
    return Sharp((root,), Guards((root,))).places("x", {})


def test_a_row_of_ones_own_that_jumps_or_is_steep_is_looked_at() -> None:
    x = Value(None, "x")
    with declared(
        "pulse", lambda x: float(x == 2), 0, corner=lambda x: eq(x, 2), formula=lambda x: where(eq(x, 2), 1, 0),
    ) as row:  # fmt: skip
        assert jumps_at_all(row)
        assert 5.0 in places(node(row, ((x - 3),)))
    with declared(
        "fade", lambda x: 2.0 ** -abs(x), lambda y, x: -y, formula=lambda x: exp(-x)
    ) as row:
        assert levels_off(row, 0, (None,))
        assert 5.0 in places(node(row, ((x - 5) * 1e9,)))


@pytest.mark.parametrize(
    ("f", "claim", "where"),
    [
        ("x", "sign(x^2 - 11)^2", "sqrt(11)"),
        ("x", "1 + if(9973*x == 44237, 2, 0)", "44237/9973"),
        ("x", "1 + if(2^x == 7, 2, 0)", "ln(7)/ln(2)"),
        ("x", "1 + if(sin(x) == 1/2, 2, 0)", "asin(1/2)"),
        ("x", "1 + 0^abs(x^3 - 2)", "root(2, 3)"),
        ("x", "max(1, floor(7/(1 + (x + 1/3)^2)) - 5)", "-1/3"),
        ("x^2", "2x + exp(-(x-50)^2*1000)", "50"),
        ("abs(x)", "tanh(10000x)", "1/10000"),
        ("x", "1 + if(x - 1/7, 0, 5)", "1/7"),
    ],
)
def test_a_place_is_told_as_it_was_found(f, claim, where):
    found = exprgrad.check(f, claim, "x")
    assert found.status == "incorrect"
    assert f"at x = {where} " in found.evidence
    assert found.mistake is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("if(x == 2 and y == 1/3, 1, 0)", "0"),
        ("0^(abs(x - 2) + abs(y - sqrt(2)))", "0"),
        ("if(x*y == 1, 1, 0)", "0"),
        ("sign(x - y)^2", "1"),
        ("tanh(10^20*(x - y^2))", "sign(x - y^2)"),
        ("max(0, 1 - 10^20*abs(x + 2*y - 1/3))", "0"),
    ],
)
def test_places_in_several_variables_are_looked_at(a, b):
    assert exprgrad.equivalent(a, b).status == "different"


@pytest.mark.parametrize(
    "steep",
    [
        "tanh(k*(cos(x) - x)) - sign(cos(x) - x)",
        "1/(1 + (k*(x - 1/3))^2)",
        "sqrt((x - 1/3)^2 + 1/k^2) - abs(x - 1/3)",
        "erfc(k*(x - pi))/2 - if(x < pi, 1, 0)",
        "2^(-k*(x - 1/7)^2)",
        "softplus(k*x)/k - relu(x)",
        "atan(k*(x - sqrt(2)))*2/pi - sign(x - sqrt(2))",
    ],
)
@pytest.mark.parametrize("k", ["10^5", "10^25"])
def test_points_follow_the_scale_of_what_is_steep(steep, k):
    text = steep.replace("k", f"({k})")
    assert exprgrad.equivalent(f"x^2 + {text}", "x^2").status == "different"


def test_a_single_point_that_is_not_known_exactly_leaves_the_question_open() -> None:
    assert exprgrad.equivalent("if(cos(x) == x, 1, 0)", "0").status == "undecided"
    slope = "sign(cos(x) - x)*(-sin(x) - 1)"
    assert exprgrad.check("abs(cos(x) - x)", slope).status == "correct"


def test_what_has_no_steep_part_takes_no_places() -> None:
    for text in ("x^2*sin(x)", "exp(-x^2)", "atan(2*x)/(1 + x^2)", "tanh(x)^2"):
        assert places(exprgrad.parse(text).root) == []


def test_looks_at_places_are_bounded_by_work(monkeypatch) -> None:
    root = exprgrad.parse("floor(x) + floor(x*y) + floor(y)").root
    monkeypatch.setattr(points, "PLACE_WORK", 50)
    look = exprgrad.checking.agreement.value_side
    survey = points.Survey(
        look(exprgrad.sweeps.precise.Probe(exprgrad.parse("x*y").tape)),
        (root,), ("x", "y"), "x", cost=10,
    )  # fmt: skip
    start = {"x": 0.3, "y": 0.7}
    assert len(list(itertools.islice(survey._at_places(start), 100))) == 5
