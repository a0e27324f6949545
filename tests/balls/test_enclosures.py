"""FLINT's own numbers say nothing that balls deny: every row and its partials, and whole sweeps."""

from __future__ import annotations

import random

import pytest
from flint import arb, fmpq

from exprgrad.errors import DomainError
from exprgrad.expressions.expression import parse
from exprgrad.numbers.arb import Ball, ball_of, precise
from exprgrad.numbers.enclosures import ENCLOSURES, surely
from exprgrad.operations import table
from exprgrad.operations.number_types import FAULTS, Undefined, fault_of
from exprgrad.sweeps.balls.sweep import Program, is_finite, sweep
from tests.strategies import ROWS


def drawn(rng: random.Random):
    """A fraction, or a ball around one."""
    exact = fmpq(rng.choice((-2, -1, 0, 0, 1, 1, 2, 3, 5, rng.randint(-99, 99))), rng.choice((1, 1, 2, 3, 10)))  # fmt: skip
    return exact if rng.random() < 0.5 else arb(exact) + arb(0, rng.choice((0, 1e-22)))


def as_ball(number) -> Ball:
    return ball_of(number) if isinstance(number, fmpq) else Ball(number)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_gives_what_balls_give_or_nothing(row):
    rng, told = random.Random(row.name), 0
    with precise(100) as balls:
        for _ in range(60):
            own = [drawn(rng) for _ in range(row.arity)]
            try:
                found = ENCLOSURES.inside(row)(*own)
            except FAULTS:
                continue
            ball = balls.function(row)(*map(as_ball, own))
            if is_finite(found) and fault_of(ball) is None:
                told += 1
                assert arb(found).overlaps(ball.arb), own
            elif is_finite(found):  # Arb knows |x|^y for any y around 0
                assert row.rule == "power", own
    assert told > 5


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_nothing_comes_of_what_is_no_number(row):
    if row.choose is None and row.name not in ("polygamma", "sinc_n"):  # whole orders
        for i in range(row.arity):
            own = [arb("0.5")] * row.arity
            own[i] = arb.nan()
            with precise(100):
                assert not is_finite(ENCLOSURES.inside(row)(*own))


def test_comparisons_that_are_open_are_neither_true_nor_false():
    near = arb(1, 1e-9)
    for row in (table.LT, table.LE, table.GT, table.GE, table.EQ, table.NE):
        found = ENCLOSURES.function(row)(near, fmpq(1))
        assert not surely(found)
        assert found != found.__class__(0) or not is_finite(found)


CASES = ("x*y - 1/3", "sin(x)^2 + cos(x*y)", "if(x < y, exp(x), ln(y))", "max(x, y)/abs(x)",
         "atan2(x, y)^y", "hypot(x, y) - hypot(x, y)", "x/x + min(y, y)", "digamma(x, 2)*sinc(y, 1)")  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_a_program_agrees_with_the_sweep(text):
    f = parse(text)
    at = f.coordinates({"x": 0.3, "y": 1.7})
    with precise(64) as balls:
        quick = Program(f.tape, ("x", "y")).run(balls, at)
        slow = sweep(f.tape, balls, at, ("x", "y"))
        assert quick is not None
        assert quick.value.arb.overlaps(slow.value.arb)
        for name, partial in slow.partials.items():
            assert quick.partials[name].arb.overlaps(partial.arb)
            assert quick.partials[name].arb.rel_accuracy_bits() > 40


@pytest.mark.parametrize("text", ["1/x", "ln(x)", "0*(-1 + x)^x", "abs(sin(pi + x))"])
def test_a_program_leaves_what_is_outside_or_open(text):
    f = parse(text)
    with precise(64) as balls:
        assert Program(f.tape, ("x",)).run(balls, f.coordinates({"x": 0})) is None


@pytest.mark.parametrize("text", ["abs(x)", "sqrt(x)", "if(x < 0, 1, x)", "0*max(x, -x)"])  # fmt: skip
def test_a_program_knows_what_is_surely_a_corner(text):
    f = parse(text)
    with precise(64) as balls:
        found = Program(f.tape, ("x",)).run(balls, f.coordinates({"x": 0}))
        slow = sweep(f.tape, balls, f.coordinates({"x": 0}), ("x",))
    assert found is not None
    assert isinstance(found.partials["x"], Undefined)
    assert found.culprits == slow.culprits


def test_a_number_is_equal_to_itself_whatever_its_radius():
    f = parse("(sin(x) - sin(x))*ln(x) + max(cos(x), cos(x))")
    with precise(64) as balls:
        found = Program(f.tape, ("x",)).run(balls, f.coordinates({"x": 0.7}))
    assert found is not None
    assert abs(float(found.partials["x"].arb) + 0.644217687237691) < 1e-14


def test_a_fraction_is_equal_to_a_float_of_a_rule():
    half, function = fmpq(1, 2), ENCLOSURES.function
    assert function(table.EQ)(half, 0.5) == 1
    assert function(table.NE)(half, 0.5) == 0
    assert parse("round(x)").evaluate({"x": 0.5}).gradient["x"] is None


@pytest.mark.parametrize("text", ["acosh(-1)^0*x", "(1/(x - x))^0*x", "ln(x - x)^(x - x)", "(ln(x - x) < ln(x - x))*x"])  # fmt: skip
def test_what_has_no_value_has_none_to_the_power_0_either(text):
    with pytest.raises(DomainError):
        parse(text).evaluate({"x": 2})


def test_a_jump_where_the_value_is_0_is_none_the_less_one():
    found = parse("sinc(floor(x) - pi)").evaluate({"x": 0})
    assert [corner.kind for corner in found.corners] == ["jump"]
