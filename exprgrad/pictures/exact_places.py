"""Numbers that are meant by a double beside them: where a curve jumps at 1/5 or at the root of 3, no double is.

    meant(0.2, 1), meant(1.7320508075688774, 1)     # candidates: 1/5; sqrt(3)

A candidate is a guess. Whoever takes one looks on both sides of it, nearer than any double.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Value, node
from exprgrad.operations.number_types import Fault
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import ADD
from exprgrad.sweeps.coordinates import Coordinate, exactly

LARGEST_DENOMINATOR = 1000
"""Of a fraction that is taken for what is meant."""

SIMPLE = 100
"""The same for a square, a part of pi, and what a function makes of the place."""

LARGEST = 1e6
"""What a function may make of a place for it to be taken for simple."""

NEAR = 1e-11
"""How far a place may be from where it is found, as a part of its size and of the picture's width: the search has rounding errors."""

BESIDE = Fraction(1, 10**24)
"""How far beside a place its sides are looked at, as a part of its size."""

SHORT = 14
"""Characters of a decimal that is what it says."""


def simple(x: float, width: float) -> float | None:
    """The double of a fraction with a small denominator that is so near, in a picture of some width."""
    near = float(Fraction(x).limit_denominator(LARGEST_DENOMINATOR))
    return near if abs(near - x) <= NEAR * width / 2 else None


def ratio(x: float, width: float) -> Fraction | None:
    """The fraction with a small denominator beside a double, or the decimal that it was written as."""
    near = _fraction(x, LARGEST_DENOMINATOR, _share(x, width))
    return Fraction(repr(x)) if near is None and len(repr(x)) <= SHORT else near


def _share(x: float, width: float) -> float:
    """How near one has to be, as a part of the size of a place."""
    return NEAR * min(1.0, width / abs(x)) if x else NEAR


def meant(x: float, width: float) -> Iterator[Value]:
    """What may be meant by a double: a fraction, a root, a part of pi, or where a function has a simple value."""
    own = ratio(x, width)
    if own is not None:
        yield exactly(own)
    found = [("sqrt({})" if x > 0 else "-sqrt({})", x * x), ("{}*pi", x / math.pi)]
    for row in TABLE.values():
        if row.inverse:
            other = TABLE[row.inverse]
            found += _seen_by(row, x, other) + _seen_by(other, x, row)
    share = _share(x, width)
    for text, number in dict.fromkeys(found):
        near = _fraction(number, SIMPLE, share) if abs(number) <= LARGEST else None
        if near:
            place = parse(text.format(f"({near})")).root
            double = Coordinate.of(place).double
            if double is not None and abs(double - x) <= share * abs(x):
                yield place


def _seen_by(row: Operation, x: float, inverse: Operation) -> list[tuple[str, float]]:
    """What an operation makes of a double, and how one comes back from there."""
    try:
        return [(f"{inverse.called}({{}})", float(row.kernel(x)))]
    except (Fault, *ARITHMETIC):
        return []


def beside(place: Value, size: float) -> tuple[Value, Value]:
    """The numbers on both sides of a place, nearer than any double is."""
    step = BESIDE * Fraction(size)
    return tuple(node(ADD, (place, exactly(s * step))) for s in (-1, 1))  # type: ignore[return-value] # two of them


def _fraction(x: float, largest: int, share: float) -> Fraction | None:
    near = Fraction(x).limit_denominator(largest)
    return near if abs(float(near) - x) <= share * abs(x) else None
