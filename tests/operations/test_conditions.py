"""Conditions and corners: one piece of code for numbers of every kind, for words and for generated code."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from exprgrad.checking.domain import breaks, landmarks
from exprgrad.errors import DomainError
from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Value
from exprgrad.operations import on_arrays
from exprgrad.operations.conditions import Condition, phrase
from exprgrad.operations.number_types import FLOATS, at_corner
from exprgrad.operations.operation import ARITHMETIC, TABLE
from exprgrad.operations.table import ABS, and_, cos, eq, floor, mod, ne, or_, sin
from tests.strategies import MP, ROWS, declared, tried

every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def rules(row):
    """The conditions and the corner of a row."""
    return [c.holds for c in row.domain] + ([row.corner] if row.corner else [])


def on_floats(rule, arguments):
    try:
        return bool(FLOATS.bind(rule)(*arguments))
    except ARITHMETIC:  # such as mod(x, 0)
        return None


@every_row
def test_a_condition_says_the_same_on_numbers_of_every_kind(row):
    def kernel(name):
        return TABLE[name].kernel

    for rule in rules(row):
        asked = phrase(rule, row.arity)
        for arguments in tried(row)[:150]:
            expected = on_floats(rule, arguments)
            if expected is None:
                continue
            assert bool(rule(*arguments)) == expected, "without a number type"
            assert bool(asked.on(kernel, arguments)) == expected, "as a phrase"
            assert bool(asked.holds(kernel, arguments)) == expected, "lazily"
            assert bool(rule(*map(Value, arguments)).data) == expected, "on nodes"
            if rule.__code__.co_names not in (
                ("ne", "cos"),
                ("ne", "sin"),
            ):  # a zero by rounding
                with mpmath.workdps(700):
                    exact = MP.bind(rule)(*map(mpmath.mpf, arguments))
                assert bool(exact) == expected, ("to many digits", arguments)


@every_row
def test_a_condition_runs_on_arrays(row):
    points = tried(row)[:150]
    columns = [np.array(column) for column in zip(*points, strict=True)]
    for rule in rules(row):
        with np.errstate(all="ignore"):
            mask = np.broadcast_to(on_arrays.ARRAYS.bind(rule)(*columns), len(points))
        for arguments, holds in zip(points, mask, strict=True):
            assert on_floats(rule, arguments) in (None, bool(holds)), arguments


@pytest.mark.parametrize(
    ("condition", "needs"),
    [
        (lambda x: ne(x, 0), "an argument other than 0"),
        (lambda x: x != 1.5, "an argument other than 1.5"),
        (lambda x: eq(x, 2), "an argument equal to 2"),
        (lambda x: x > 0, "an argument > 0"),
        (lambda x: x <= -2, "an argument <= -2"),
        (lambda x: and_(x >= -1, x <= 1), "an argument from -1 to 1"),
        (lambda x: ABS(x) <= 1, "an argument from -1 to 1"),
        (lambda x: ABS(x) < 3, "an argument between -3 and 3"),
        (lambda x: ABS(x) >= 1, "an argument <= -1 or >= 1"),
        (lambda x: or_(x < -1, x > 2), "an argument < -1 or > 2"),
        (lambda x: and_(x > 0, x <= 1), "an argument > 0 and <= 1"),
        (lambda x, base: and_(base > 0, ne(base, 1)), "a base > 0 other than 1"),
        (lambda x, order: eq(order, floor(order)), "a whole order"),
        (lambda x, order: and_(order >= 0, eq(order, floor(order))), "a whole order >= 0"),
        (lambda mean, standard_deviation: standard_deviation > 0, "a standard deviation > 0"),
        (lambda x, y: x * y > 0, "arguments with x * y > 0"),
        (lambda x: sin(x) < 1 / 2, "arguments with sin(x) < 0.5"),
        (lambda x, y: or_(x > 0, y > 0), "arguments with x > 0 or y > 0"),
    ],
)  # fmt: skip
def test_the_words_of_a_condition_follow_from_it(condition, needs):
    assert Condition(condition).needs == needs


def test_words_may_be_given():
    assert Condition("luck", lambda x: x > 0).needs == "luck"


@pytest.mark.parametrize(
    "rule", [lambda x: 0 < x < 1, lambda x: x > 0 and x != 1, lambda x: 1 if x else 0]
)
def test_a_condition_that_runs_on_single_numbers_alone_says_what_to_write(rule):
    with pytest.raises(TypeError, match="and_"):
        phrase(rule)


def test_the_double_nearest_to_a_pole_fails_the_condition_though_its_cosine_is_not_0():
    tan = TABLE["tan"]
    assert tan.domain[0].holds(math.pi / 2)
    assert tan.failing((math.pi / 2,)) is tan.domain[0]
    assert tan.failing((1.5,)) is None
    with pytest.raises(DomainError, match="odd multiple of pi/2"):
        tan(math.pi / 2)


@pytest.mark.parametrize(
    "corner", [lambda x: eq(x, 0.3), lambda x: x == 0.3, lambda x: eq(ABS(x - 1), 0.7)]
)
def test_a_corner_at_0_3_is_a_landmark_at_0_3(corner):
    with declared(
        "bent", math.sin, lambda y, x: cos(x), corner=corner, formula=sin
    ) as row:
        assert at_corner(row, [0.3])
        [found] = landmarks(row)
        assert any(math.isclose(x, 0.3, rel_tol=1e-15) for x in found)
        near = breaks([parse("bent(2*x)").root], "x", {})
        assert any(math.isclose(x, 0.15, rel_tol=1e-12) for x in near)


@pytest.mark.parametrize(
    ("domain", "level"),
    [
        (lambda x: x < 12345.5, 12345.5),
        (lambda x: sin(x / 100) < 0.5, 100 * math.asin(0.5)),
    ],
)
def test_far_landmarks_are_found_too(domain, level):
    with declared(
        "far", math.sin, lambda y, x: cos(x), domain=domain, formula=sin
    ) as row:
        assert any(math.isclose(x, level) for x in landmarks(row)[0])


def test_what_is_compared_between_arguments_breaks_where_they_meet():
    fields = {"corner": lambda x, y: eq(x, 2 * y), "formula": lambda x, y: x + y}
    with declared("meet", lambda x, y: x + y, 1, 1, **fields):
        assert breaks([parse("meet(x, x^2)").root], "x", {}) == pytest.approx([0, 0.5])


def test_a_condition_that_is_no_function_is_refused():
    for wrong in (3, True, None):
        with pytest.raises(TypeError, match="a condition is a function"):
            Condition("something", wrong) if wrong else Condition(wrong)


def test_mod_has_its_corners_at_multiples():
    assert at_corner(TABLE["mod"], [6.0, 3.0])
    assert not at_corner(TABLE["mod"], [6.5, 3.0])
    assert not at_corner(TABLE["mod"], [6.0, 0.0])
    assert phrase(lambda x, y: eq(mod(x, y), 0)).arguments() == {0, 1}
