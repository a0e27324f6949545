"""What is said of numbers that do not exist, and of those of which that could not be decided."""

from __future__ import annotations

import pytest

from exprgrad import UndecidedError, derivatives, parse
from exprgrad.expressions.fields import precision_notes, sentence, shown, written
from exprgrad.expressions.higher_orders import orders

OPEN = "sign(sqrt(x)*sqrt(x) - x)"
"""It is 0 for all x > 0, which is not found out."""


@pytest.mark.slow
def test_a_derivative_that_may_exist_is_undecided_not_none():
    found = parse(OPEN).evaluate({"x": 2})
    assert found.corners[0].kind == "undetermined"
    assert shown(found, "x", 6) == "undecided"
    assert shown(parse("|x|").evaluate({"x": 0}), "x", 6) == "none"
    assert sentence("f'(2)", "undecided") == "f'(2) is undecided"
    assert sentence("f'(2)", "none") == "f'(2) does not exist"


@pytest.mark.slow
def test_higher_derivatives_beyond_an_undecided_one_are_undecided():
    found = orders(parse(OPEN), {"x": 2}, "x", 3)
    assert [written(k, 6) for k in found.numbers] == ["0", *["undecided"] * 3]
    with pytest.raises(UndecidedError, match="could not decide whether there is"):
        derivatives(OPEN, {"x": 2}, "x", 2)


@pytest.mark.parametrize("source", ["relu(x) - relu(-x)", "max(x^2 + x, x + x^2)"])
def test_double_precision_is_not_blamed_for_what_a_corner_does(source):
    (note,) = precision_notes(parse(source).evaluate({"x": 0}), traced=False)
    assert note == (
        "∂/∂x: no rule holds at this point; the slope is that of both sides"
    )
