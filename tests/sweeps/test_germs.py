"""Germs: expansions on one side of a point, term by term, with exact coefficients."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exprgrad.expressions.expression import parse
from exprgrad.numbers.arb import BALLS
from exprgrad.operations.operation import TABLE
from exprgrad.sweeps.germs.germ import (
    EXACT,
    Digits,
    Germ,
    NeedsTerms,
    NoSide,
    Space,
    Undecided,
)

SPACE = Space(Digits(BALLS, 200), 6)
H = SPACE.line(1)
"""The variable itself, moving away from 0 to the right."""

LEFT = SPACE.line(-1)


def term(c, p=0):
    return Germ(SPACE, [(Fraction(p), SPACE.field.of(c))])


def written(germ):
    return {p: SPACE.field.exact(c) for p, c in germ.terms}, germ.order


def applied(name, *germs):
    return SPACE.push(TABLE[name], [SPACE.number(g) for g in germs])


def test_germs_add_and_multiply_as_polynomials():
    a, b = 2 + term(3, 1), 5 - term(1, 2)
    assert written(a + b) == ({0: 7, 1: 3, 2: -1}, EXACT)
    assert written(a * b) == ({0: 10, 1: 15, 2: -2, 3: -3}, EXACT)
    assert written(term(3, 1) * term(2, Fraction(1, 2))) == ({Fraction(3, 2): 6}, EXACT)
    assert written(1 - a) == ({0: -1, 1: -3}, EXACT)


def test_a_remainder_stays_beyond_its_order():
    rough = Germ(SPACE, [(0, SPACE.field.of(2))], Fraction(1))
    assert written(rough + term(1, 2)) == ({0: 2}, 1)
    assert written(rough * H) == ({1: 2}, 2)
    assert written(rough * 0) == ({}, EXACT)


def test_terms_that_cancel_are_known_to_be_gone():
    assert written(H - H) == ({}, EXACT)
    assert written((H + H * H) - H) == ({2: 1}, EXACT)
    assert written(applied("sin", H) - applied("sin", H)) == ({}, EXACT)
    assert written(applied("sin", 2 * H) - applied("sin", H * 2)) == ({}, 6)


def test_a_quotient_is_a_long_division():
    assert written(term(3, 2) / term(2, 1)) == ({1: Fraction(3, 2)}, EXACT)
    assert written(1 / H) == ({-1: 1}, EXACT)
    assert written((1 - H * H) / (1 - H)) == ({0: 1, 1: 1}, EXACT)
    geometric = 1 / (1 - H)
    assert written(geometric) == (dict.fromkeys(range(7), 1), 6)
    with pytest.raises(NoSide):
        1 / (H - H)
    with pytest.raises(NeedsTerms):
        1 / Germ(SPACE, [], Fraction(3))


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("sin", {1: 1, 3: Fraction(-1, 6), 5: Fraction(1, 120)}),
        ("exp", {0: 1, 1: 1, 2: Fraction(1, 2), 3: Fraction(1, 6)}),
        ("tan", {1: 1, 3: Fraction(1, 3), 5: Fraction(2, 15)}),
        ("atan", {1: 1, 3: Fraction(-1, 3), 5: Fraction(1, 5)}),
        ("log1p", {1: 1, 2: Fraction(-1, 2), 3: Fraction(1, 3)}),
        ("sech", {0: 1, 2: Fraction(-1, 2), 4: Fraction(5, 24)}),
        ("asin", {1: 1, 3: Fraction(1, 6), 5: Fraction(3, 40)}),
    ],
)
def test_a_function_has_its_taylor_series(name, terms):
    found, order = written(applied(name, H))
    assert {p: c for p, c in found.items() if p <= max(terms)} == terms
    assert order >= 5


def test_roots_and_powers_have_rational_exponents():
    assert written(applied("sqrt", 4 * H)) == ({Fraction(1, 2): 2}, EXACT)
    assert written(applied("pow_odd", -8 * H, 1 / 3)) == ({Fraction(1, 3): -2}, EXACT)
    assert written(applied("pow_even", -8 * H, 2 / 3)) == ({Fraction(2, 3): 4}, EXACT)
    assert written(applied("pow", -8 * H, 2)) == ({2: 64}, EXACT)
    assert written(applied("pow", -8 * H, 0)) == ({0: 1}, EXACT)
    found, _ = written(applied("sqrt", H + H * H))
    assert found[Fraction(3, 2)] == Fraction(1, 2)
    with pytest.raises(NoSide):
        applied("sqrt", LEFT)
    with pytest.raises(NoSide):
        applied("pow", LEFT, LEFT)


def test_a_logarithm_grows_slower_than_any_power():
    assert applied("ln", H).order < 0
    assert (H * applied("ln", H)).order > Fraction(1, 2)
    assert written(applied("pow", H, H))[0] == {0: 1}


def test_a_flat_function_follows_the_side():
    assert written(applied("relu", LEFT)) == ({}, EXACT)
    assert written(applied("relu", H)) == ({1: 1}, EXACT)
    assert written(applied("floor", 3 + LEFT)) == ({0: 2}, EXACT)
    assert written(applied("floor", 3 + H)) == ({0: 3}, EXACT)
    assert written(applied("sign", LEFT * LEFT)) == ({0: 1}, EXACT)
    assert written(applied("mod", 4 + LEFT, 2)) == ({0: 2, 1: -1}, EXACT)


def test_comparisons_look_beside_the_point():
    assert H > 0
    assert not H < 0
    assert H != 0
    assert H * 0 == 0
    assert H * H < H
    with pytest.raises(NeedsTerms):
        bool(Germ(SPACE, [], Fraction(3)) < 0)


def test_growth_beyond_all_bounds_has_no_limit():
    with pytest.raises(Undecided):
        (1 / H).limit()
    with pytest.raises(Undecided):
        applied("gamma", LEFT)


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("1/(if(x == 0, 0, x^2*sin(1/x)) - 1)", 0),
        ("1/(abs(x)^x - 2)", None),
        ("cos(x + pi)^-3*abs(x)^x", None),
    ],
)
def test_a_quotient_by_what_is_negative_and_swings_or_creeps_is_found(text, slope):
    assert parse(text).evaluate({"x": 0.0}).gradient["x"] == slope


@pytest.mark.parametrize(
    "text", ["sqrt(x^(10^400))", "sqrt(x^(10^400) + x^4)", "sqrt(x^4)*x^(10^400)"]
)
def test_powers_whose_exponents_have_no_double_are_flat(text):
    assert parse(text).evaluate({"x": 0.0}).gradient["x"] == 0
