"""Bounds on columns of numbers: those of every operation hold, and what is exact stays so."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from exprgrad.graph.value import Value, node
from exprgrad.operations.array_balls import BALL_NUMPY, ArrayBall
from exprgrad.operations.operation import TABLE
from exprgrad.sweeps.answer import answer
from exprgrad.sweeps.arrays.rows import Rows
from exprgrad.sweeps.bounds import Bounds
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.tape import Tape

ELEMENTWISE = [row for row in TABLE.values() if not row.whole]

DECIMALS = [
    "0", "1", "-1", "0.1", "0.3", "-2.7", "2", "3.14159", "1e-9", "-40.03", "1e-250", "-1e-9", "0.99999999999", "700.1",
]  # fmt: skip


@pytest.mark.parametrize("row", ELEMENTWISE, ids=lambda row: row.name)
def test_bounds_of_an_operation_hold_in_every_row(row):
    few = DECIMALS if row.arity < 3 else DECIMALS[:6]
    points = list(itertools.product(few, repeat=row.arity))[
        :: 3 if row.arity == 2 else 1
    ]
    names = ["x", "y", "z"][: row.arity]
    variables = [Value(None, name) for name in names]
    tape = Tape(node(row, tuple(variables)), variables)
    wrt = [n for n, p in zip(names, row.partials, strict=True) if p is not None]
    columns = [
        ArrayBall(np.array(own, float), 1.0) for own in zip(*points, strict=True)
    ]
    found = Rows(tape, wrt).answer(columns, 0.5e-10)
    bounds, looked = Bounds(tape), 0
    for i, point in enumerate(points):
        if found.doubtful[i]:
            continue
        at = {n: Coordinate.of(Decimal(x)) for n, x in zip(names, point, strict=True)}
        known = answer(bounds, at, wrt, 17)
        assert known.value.is_number, point
        numbers = [(found.value, found.beyond[0], known.value)]
        for k, name in enumerate(wrt):
            if found.missing[k][i]:
                assert not known.partials[name].is_number, point
            else:
                numbers.append(
                    (found.partials[k], found.beyond[1 + k], known.partials[name])
                )
        for ball, beyond, number in numbers:
            assert holds(ball, beyond, i, number), (point, number)
            looked += 1
    assert looked or row.name in ("factorial", "polygamma", "sinc_n")


def holds(ball, beyond, i, number):
    """Whether the bound in a row is one for that number."""
    if i in beyond:
        low, high, exponent = beyond[i]
        true = Fraction(Decimal(number.decimal(30))) / Fraction(2) ** exponent
        slack = abs(true) / 10**28
        return low - slack <= true <= high + slack
    off = abs(ball.mid[i] - number.to_float())
    return off <= np.broadcast_to(ball.radius, ball.shape)[i] + number.error + math.ulp(
        off
    )


@pytest.mark.parametrize(
    ("numbers", "compute", "exact"),
    [
        ([1.0, -2.0, 3.0], lambda x: x * x - 3.0 * x + 0.5, True),
        ([0.5, 0.25, -7.0], lambda x: x * x + x / x.mid, False),
        ([0.1, 2.0], lambda x: x + x, False),
        ([2.0**52, 1.0], lambda x: x * 4.0, False),
        ([3.0, 2.0**26], lambda x: x**2, True),
        ([3.0, 2.0**27], lambda x: x**2, False),
    ],
)
def test_sums_and_products_of_short_numbers_are_exact(numbers, compute, exact):
    found = compute(ArrayBall.of(np.array(numbers)))
    assert found.is_exact is exact


def test_a_row_at_a_kink_is_settled_where_a_row_beside_it_is_left_open():
    x, w = Value(None, "x"), Value(None, "w")
    tape = Tape(node(TABLE["relu"], (node(TABLE["mul"], (x, w)),)), [x, w])
    columns = [ArrayBall.of(np.array([0.0, 1.0])), ArrayBall.of(np.array([3.0, 2.0]))]
    found = Rows(tape, ("x", "w")).answer(columns, 0.5e-10)
    assert not found.doubtful.any()
    assert [mask.tolist() for mask in found.missing] == [[True, False], [False, False]]
    near = ArrayBall(np.array([0.1]), 1.0) - ArrayBall(np.array([0.1]), 1.0)
    assert Rows(tape, ("x",)).answer([near, columns[1][:1]], 0.5e-10).doubtful.all()


def test_what_is_added_up_in_places_has_the_errors_of_its_terms_and_of_the_sums():
    total, terms = ArrayBall.of(np.zeros(3)), ArrayBall.of(np.array([1.0, 2.0, 3.0]), 0.5)  # fmt: skip
    BALL_NUMPY.add.at(total, np.array([0, 0, 1]), terms)
    assert total.mid.tolist() == [3, 3, 0]
    assert total.error.tolist() == [0.5 + 1 + 2 * 3, 1.5 + 3, 0]
