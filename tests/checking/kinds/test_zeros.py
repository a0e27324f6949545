"""Zeros of formulas, alone and together: exact where they can be, all where that is said."""

from __future__ import annotations

import math
from collections import Counter

import pytest

import exprgrad
from exprgrad.algebra.work import OutOfReachError
from exprgrad.budget import USUAL, limited
from exprgrad.checking.kinds.critical import critical_points
from exprgrad.checking.kinds.real_roots import SEARCH, Search, common_zeros
from exprgrad.notation.text import to_text


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("(x^2 - 0.25)^3 - 0^0*0", [-0.5, 0.5]),
        ("x^-2", []),
        ("x^(6/3) - 2", [-math.sqrt(2), math.sqrt(2)]),
        ("sqrt(x + 2) - x", [2.0]),
        ("sqrt(x + 3) + sqrt(x) - 3", [1.0]),
        ("x^(2/3) - 4", [-8.0, 8.0]),
        ("exp(2x) - 3*exp(x) + 2", [0.0, math.log(2)]),
        ("exp(x) + 1", []),
        ("2^x - 1/8", [-3.0]),
        ("ln(x)^2 - 1", [math.exp(-1), math.e]),
        ("pi*x - 1", [1 / math.pi]),
        ("x^3 + exp(x)", [-0.7728829591492101]),
        ("x*exp(x) - exp(x) + 1", [0.0]),
        ("exp(x) - 1 - x", [0.0]),
        ("1/sqrt(1 + x) - 1/sqrt(1 - x)", [0.0]),
        ("1/sqrt(2 + x) - 1/sqrt(3 - x)", [0.5]),
        ("cos(x) - x", [0.7390851332151607]),
        ("x^6 - 4*x^3 + 4", [2 ** (1 / 3)]),
        (
            "2*x + 10*sin(x)",
            [
                -4.9062951508563755,
                -4.104619850557906,
                0.0,
                4.104619850557906,
                4.9062951508563755,
            ],
        ),
        ("exp(x) - 3*x^2", [-0.4589622675369485, 0.910007572488709, 3.733079028632814]),
        ("cosh(x)", []),
    ],
)
def test_all_zeros_of_a_formula_are_found(text, near):
    found = Search("x").zeros(exprgrad.parse(text, ("x",)).root)
    assert found.complete
    assert [zero.near for zero in found.found] == pytest.approx(near, rel=1e-12)


@pytest.mark.slow
def test_zeros_next_to_0_are_found_where_there_are_infinitely_many():
    found = Search("x").zeros(exprgrad.parse("x*cos(x) + sin(x)").root)
    assert not found.complete
    inner = [zero.near for zero in found.found if abs(zero.near) < 50]
    assert len(inner) == 33
    assert all(abs(x * math.cos(x) + math.sin(x)) < 1e-12 for x in inner)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["x*cos(x) - 1", "erf(x) - x^3 + gamma(x)", "sec(x)^2 - 2*x", "tan(x) - x"]
)
def test_zeros_that_may_not_be_all_are_said_not_to_be(text):
    assert not Search("x").zeros(exprgrad.parse(text).root).complete


STEEP = "huber(erf(abs(x)), csch(ln(x)/sqrt(1.5)))"


@pytest.mark.slow
def test_a_search_finds_the_zeros_of_a_formula_once(monkeypatch):
    asked, own = Counter(), Search._isolated

    def counted(self, factor):
        asked[to_text(factor)] += 1
        return own(self, factor)

    monkeypatch.setattr(Search, "_isolated", counted)
    (point,) = critical_points(exprgrad.parse(STEEP)).points
    assert point.at["x"].near == pytest.approx(2.943163639)
    assert len(asked) > 5
    assert max(asked.values()) <= 2  # perhaps with fewer derivatives


@pytest.mark.slow
def test_a_search_says_that_it_was_cut_short():
    with limited(USUAL // 10) as budget:
        assert not critical_points(exprgrad.parse(STEEP)).complete
    assert budget.left_out == (SEARCH,)


@pytest.mark.slow
def test_a_logarithm_of_what_may_be_negative_leaves_the_zeros_open():
    with pytest.raises(OutOfReachError):
        common_zeros([exprgrad.parse("cot(x)^(-x) - 2").root], ("x",))
    found = critical_points(exprgrad.parse("digamma(x)^(4/3) + cot(x)^(-x)"))
    assert not found.complete


@pytest.mark.slow
def test_a_formula_that_comes_close_to_0_has_no_zero_there():
    # its values are lost in rounding around 0
    assert critical_points(exprgrad.parse("atan(x)/x")).points == ()


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["x^2 - y", "y^2 - x"], ["x = 0, y = 0", "x = 1, y = 1"]),
        (["exp(x) - y", "y^2 - 4"], ["x = ln(2), y = 2"]),
        (["ln(x) - y", "y - 2"], ["x = exp(2), y = 2"]),
        (["x - sqrt(y)", "x^2 + y - 8"], ["x = 2, y = 4"]),
        (["cos(x) - 1/2", "sin(x) - y"], ["x = -pi/3, y = -sqrt(3)/2", "x = pi/3, y = sqrt(3)/2"]),
        (["sin(x) + cos(y)", "sin(x + y) - 1"], ["x = -pi, y = -pi/2", "x = 0, y = pi/2"]),
        (["x*y - 1", "x"], []),
    ],
)  # fmt: skip
def test_formulas_are_0_together_at_these_points(texts, told):
    roots = [exprgrad.parse(text, ("x", "y")).root for text in texts]
    found = common_zeros(roots, ("x", "y"))
    assert found.is_finite
    points = [
        ", ".join(f"{name} = {to_text(zero.exact)}" for name, zero in point.items())
        for point in found.points
    ]
    assert sorted(points) == told


@pytest.mark.parametrize(
    "text", ["x + sin(x)", "x + exp(x)", "gamma(x) - 2", "floor(x)"]
)
def test_what_stands_in_functions_of_two_sorts_is_out_of_reach(text):
    with pytest.raises(OutOfReachError):
        common_zeros([exprgrad.parse(text).root], ("x",))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x^3 + y^3 - 3*x*y", 2),
        ("x*y*exp(-x^2 - y^2)", 5),
        ("x^2 + y^2 + 2/(x*y)", 2),
        ("x^2 + y^2 - ln(x) - ln(y)", 1),
        ("sin(x) + sin(y) + sin(x + y)", 3),
        ("x*sqrt(1 - x^2 - y^2)", 2),
        ("sqrt(x^2 + y^2)", 1),
        ("x^3 + y^3 + z^3 - 3*x*y - 3*y*z", 2),
        ("x^4 + y^4 + z^4 - x*y*z", 5),
        ("x/(x^2 + 1) + x^3/(x^4 + 2)", 2),
    ],
)
def test_critical_points_are_all(text, count):
    found = critical_points(exprgrad.parse(text))
    assert (found.complete, len(found.points)) == (True, count)


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("x^2*y^2", "all along curves"),
        ("w^4 + x^4 + y^4 + z^4 - 4*w*x*y*z", "all along curves"),
        ("abs(x) + y^2", "abs(x) may have no slope"),
    ],
)
def test_what_is_left_out_is_told(text, left_out):
    found = critical_points(exprgrad.parse(text))
    assert not found.complete
    assert left_out in found.left_out


@pytest.mark.slow
def test_points_of_several_variables_are_families():
    found = critical_points(exprgrad.parse("x*sin(y)"))
    assert found.families == ("x = 0, y = 0 + 2*pi*k", "x = 0, y = -pi + 2*pi*k")
    verdict = exprgrad.check("x sin y", ((0, "3pi"), (0, "2pi")), kind="critical")
    assert verdict.status == "correct"


@pytest.mark.slow
def test_a_step_beyond_doubles_ends_a_search():
    f = exprgrad.parse("ln(acsch(gamma(x*y))^(2/3)*erfc(gamma(x*y))^(-n))")
    assert not critical_points(f).complete


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "near", "kind", "smooth"),
    [
        ("abs(x^3 - x - 2)", 1.5213797068, "minimum", False),
        ("sqrt(abs(x^3 - x - 2))", 1.5213797068, "minimum", False),
        ("cbrt(x^3 - x - 2)", 1.5213797068, "flat", False),
        ("abs(x^3 - x - 2)^3", 1.5213797068, "minimum", True),
        ("(x^3 - x - 2)*abs(x^3 - x - 2)", 1.5213797068, "flat", True),
        ("max(x^3 - x - 2, 0)", 1.5213797068, "minimum", False),
        ("abs(ln(x) + x)", 0.5671432904, "minimum", False),
        ("-abs(ln(x) + x)^(2/3)", 0.5671432904, "maximum", False),
        ("max(x^5, x + 1)", 1.1673039783, "flat", False),
    ],
)
def test_a_corner_at_a_place_that_only_doubles_tell_is_critical(
    text: str, near: float, kind: str, smooth: bool
) -> None:
    found = critical_points(exprgrad.parse(text))
    assert found.complete
    [corner] = [p for p in found.points if abs(p.at["x"].near - near) < 1e-9]
    assert (corner.kind, corner.smooth) == (kind, smooth)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["1/(x^3 - x - 2)", "ln(abs(x^3 - x - 2))", "sqrt(x^3 - x - 2)"])  # fmt: skip
def test_a_place_without_a_value_that_only_doubles_tell_is_not_critical(
    text: str,
) -> None:
    found = critical_points(exprgrad.parse(text))
    assert found.complete
    assert all(abs(p.at["x"].near) < 1 for p in found.points)


@pytest.mark.parametrize("text", ["x + sign(x^3 - x - 2)", "x + (x^3 - x - 2)^2/abs(x^3 - x - 2)"])  # fmt: skip
def test_where_a_function_may_jump_or_have_no_value_the_points_may_not_be_all(
    text: str,
) -> None:
    assert not critical_points(exprgrad.parse(text)).complete


@pytest.mark.slow
@pytest.mark.parametrize("text", ["cosh(800*cos(x))", "-800*sinh(800*cos(x))*sin(x)"])
def test_where_a_formula_is_too_large_for_doubles_zeros_may_be_missing(
    text: str,
) -> None:
    assert not critical_points(exprgrad.parse(text)).complete


@pytest.mark.slow
def test_what_cannot_be_decided_at_a_zero_of_the_slope_leaves_the_points_open() -> None:
    hidden = "(gamma(1/3)*gamma(2/3) - 2*pi/sqrt(3))"  # 0, which is not proved
    assert not critical_points(exprgrad.parse(f"(x - 1)^2/{hidden}")).complete


@pytest.mark.slow
@pytest.mark.parametrize("text", ["2*sqrt(x^2 + y^2) + 2*sin(x)", "sqrt((x*y)^2*abs(x))"])  # fmt: skip
def test_a_point_that_is_reached_but_roughly_has_no_kind_by_chance(text: str) -> None:
    found = critical_points(exprgrad.parse(text))
    assert not found.complete
    assert {point.kind for point in found.points} <= {"undecided"}
