"""Values and gradients as other libraries give them: see `tests.recorded`.

Where a maximum ties, the adjoint is shared (PyTorch's `amax`; its `max` along an axis takes one element);
at the corners of abs, relu, mae, and norm the slope is 0, and at those of huber that of the line, as there.
"""

from __future__ import annotations

import numpy as np
import pytest

from exprgrad import Value
from exprgrad.expressions.expression import Expression
from exprgrad.operations.operation import TABLE
from exprgrad.optimize.array_objective import ArrayObjective
from tests.recorded import near, read, weights
from tests.recorded.cases import CASES, NOT_IN_TORCH, WITHOUT_ADJOINT

TORCH = read("torch.json")["values"]
LESS = {"digamma": 1e-9}
"""PyTorch's trigamma, the slope of digamma, is right to nine digits."""

BY_ROW = {name: [c for c in CASES if c.operation == name] for name in TABLE}
KEYS = {"[1:]": slice(1, None), "[::2]": slice(None, None, 2), "[0, 0, 2]": [0, 0, 2]}


def applied(case, leaves):
    """The result of a case's operation on values."""
    if case.operation == "take":
        return leaves[0][KEYS[case.rest[0]]]
    rest = [np.array(r, float) if isinstance(r, list) else r for r in case.rest]
    if case.operation == "if":
        leaves, rest = [*rest, *leaves], []
    return TABLE[case.operation](*leaves, *rest)


def loss(case, leaves, shape):
    """The weighted sum that the record is of."""
    return (applied(case, leaves) * weights(shape)).sum()


@pytest.mark.parametrize("row", [row for row in BY_ROW if BY_ROW[row]])
def test_values_and_gradients_of_a_row_are_pytorch_s(row):
    for case in BY_ROW[row]:
        value, *gradients = TORCH[case.name]
        leaves = [Value(a) for a in case.arguments()]
        result = applied(case, leaves)
        near(result.data, value)
        loss(case, leaves, np.shape(result.data)).backward()
        for leaf, gradient in zip(leaves, gradients, strict=True):
            assert np.shape(leaf.grad) == np.shape(leaf.data)
            near(leaf.grad, gradient, LESS.get(row, 1e-12))


@pytest.mark.parametrize("row", [r for r in BY_ROW if BY_ROW[r] and r != "take"])
def test_expressions_and_programs_have_the_gradients_too(row):
    tolerance = LESS.get(row, 1e-12)
    for case in BY_ROW[row][:: 1 if TABLE[row].whole else 3]:
        arguments = case.arguments()
        shape = np.shape(applied(case, [Value(a) for a in arguments]).data)
        names = "xyz"[: len(arguments)]
        root = loss(case, [Value(name=n) for n in names], shape)
        point = dict(zip(names, arguments, strict=True))
        expression = Expression.of(root)
        gradients = TORCH[case.name][1:]
        found = expression.evaluate(point, list(names), subgradient=True)
        for name, gradient in zip(names, gradients, strict=True):
            near(found.gradient[name], gradient, tolerance)
        program = ArrayObjective(expression, point)
        _, (flat,) = program.evaluate(program.start)
        near(flat, np.concatenate([np.ravel(g) for g in gradients]), tolerance)


def test_every_case_is_recorded_and_every_record_is_a_case():
    assert set(TORCH) == {case.name for case in CASES}
    assert len(CASES) == len(TORCH)


def test_every_row_of_the_table_is_recorded_or_has_a_reason_why_not():
    missing = {name for name, cases in BY_ROW.items() if not cases}
    assert missing == {*NOT_IN_TORCH, *WITHOUT_ADJOINT}
    rows = {row for row in missing if TABLE[row].whole}
    assert not rows, "renew tests/recorded/torch.json with a case for each"
