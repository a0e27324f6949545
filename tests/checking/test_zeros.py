"""Zeros of a function of one number."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from exprgrad.checking.zeros import zeros

GRID = [k / 4 for k in range(-12, 13)]


def _found(f: Callable[[float], float]) -> tuple[list[float], int]:
    """The zeros next to points of a grid, and how often the function was asked between them."""
    asked = []

    def counted(x: float) -> float:
        asked.append(x)
        return f(x)

    return list(zeros([(x, f(x)) for x in GRID], counted)), len(asked)


@pytest.mark.parametrize("power", [1, 1.5, 2, 4])
@pytest.mark.parametrize("at", [1 / 3, -math.sqrt(2), 0.7])
def test_a_place_where_a_function_touches_0_is_found(at: float, power: float) -> None:
    found, _ = _found(lambda x: abs(x - at) ** power)
    assert found == [pytest.approx(at, abs=1e-3 if power == 4 else 1e-6)]


def test_a_dip_that_does_not_reach_0_is_left_early() -> None:
    found, asked = _found(lambda x: 0.1 + (x - 1 / 3) ** 2)
    assert not found
    assert asked <= 60


def test_the_jumps_of_a_sawtooth_are_no_zeros_and_are_left_early() -> None:
    found, asked = _found(lambda x: math.fmod(7.3 * abs(x) + 0.01, 1) + 0.01)
    assert not found
    assert asked <= 60 * len(GRID) / 3
