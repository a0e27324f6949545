"""The cheap test beside the sweep on doubles: what passes is as right as it says."""

from __future__ import annotations

import random

import pytest

from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Value, node
from exprgrad.operations.operation import TABLE
from exprgrad.operations.table import MUL, SIN
from exprgrad.sweeps.bounds import Bounds
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.tape import Tape
from tests.oracle.trees import case, text

SMOOTH = tuple(
    name
    for name, row in TABLE.items()
    if row.whole is None and (row.condition_number or row.native or name == "pow")
)
"""Rows that the test knows: with a condition number, and arithmetic."""


def drawn(seed: int):
    """A random expression of such rows, and a point of doubles and decimals."""
    rng = random.Random(f"rounding {seed}")
    tree, at = case(rng, SMOOTH)
    point = {
        name: rng.choice((rng.uniform(-3, 3), (rng.randint(-999, 999), 100)))
        for name in at
    }
    return text(tree), {name: Coordinate.of(given) for name, given in point.items()}


@pytest.mark.parametrize("block", range(4))
def test_no_number_is_further_off_than_the_cheap_test_says(block):
    passed = 0
    for seed in range(300 * block, 300 * (block + 1)):
        source, at = drawn(seed)
        tape = parse(source, variables=tuple(at)).tape
        names = tuple(tape.variables)
        fast = Bounds(tape).by_floats(at, names, 5e-11)
        if fast is None:
            continue
        passed += 1
        slow = Bounds(tape).by_balls(at, names, digits=20)
        pairs = [(fast.value, slow.value)]
        pairs += [(fast.partials[name], slow.partials[name]) for name in names]
        for cheap, right in pairs:
            assert right.value is not None, (source, at)
            off = abs(cheap.value - right.value)
            assert off <= cheap.error + right.error, (source, at)
            assert cheap.error <= 5e-11 * abs(cheap.value)
    assert passed > 50


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("x^y", {"x": 1 + 1e-9, "y": 2.5}),
        ("x^2.3", {"x": 1e300}),
        ("sin(x)", {"x": 3.14159}),
        ("ln(x)*y", {"x": 1.0000001, "y": 3.0}),
        ("1/(x-y)", {"x": 1.0001, "y": (10001, 10001)}),
        ("acos(x) + asin(y)", {"x": 0.9999, "y": -0.99}),
        ("exp(x*y)/x", {"x": 10.0, "y": (33, 10)}),
    ],
)
def test_badly_conditioned_points_are_told_or_bounded(source, at):
    tape = parse(source).tape
    point = {name: Coordinate.of(given) for name, given in at.items()}
    names = tuple(tape.variables)
    fast = Bounds(tape).by_floats(point, names, 1e-6)
    slow = Bounds(tape).by_balls(point, names, digits=20)
    if fast is not None:
        assert abs(fast.value.value - slow.value.value) <= fast.value.error
        for name in names:
            off = abs(fast.partials[name].value - slow.partials[name].value)
            assert off <= fast.partials[name].error + slow.partials[name].error


def test_an_inner_node_in_two_places_is_an_alarm():
    x = Value(None, "x")
    inner = node(SIN, (x,))
    tape = Tape(node(MUL, (inner, inner)), [x])
    assert Bounds(tape).by_floats({"x": Coordinate.of(0.5)}, ("x",), 5e-11) is None
    found = Bounds(tape).answer({"x": Coordinate.of(0.5)})
    assert (found.level, found.partials["x"].digits >= 10) == (53, True)
