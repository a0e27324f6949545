"""Arithmetic on places: numbers that are exact, whether they are doubles, fractions or values of graphs.

applied(DIV, 1.0, 3.0)              # ExactPlace(1/3), a fraction
applied(SQRT, 2.0)                  # ExactPlace(sqrt(2)), a graph
applied(ADD, 0.5, 0.25)             # 0.75, a double
"""

from __future__ import annotations

import math
from fractions import Fraction

from exprgrad.annotations import Any
from exprgrad.graph.value import Value, node
from exprgrad.notation.text import text_up_to
from exprgrad.numbers.real import decimal, kept
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ADD, DIV, MUL, POW, ROOT, SQRT, SUB
from exprgrad.sweeps.coordinates import ExactPlace, exactly

DIGITS = 40
"""Digits, or letters, of a place that is told."""

MOST_BITS = 20_000
"""Of numerators and denominators."""


def placed(number: Fraction) -> float:
    """A fraction as a place; the double that it is, if it is one."""
    try:
        # int / int is rounded once, to the nearest double, however long the two are
        double = number.numerator / number.denominator
    except OverflowError:
        return ExactPlace(number, math.inf if number > 0 else -math.inf)
    is_exact = double.as_integer_ratio() == number.as_integer_ratio()
    return double if is_exact else ExactPlace(number, double)


def fraction_of(number: float) -> Fraction | None:
    """The fraction that a place is; None for the value of a graph."""
    if not isinstance(number, ExactPlace):
        return Fraction(number)
    return number.exact if isinstance(number.exact, Fraction) else None


def near(number: float) -> Fraction:
    """A fraction next to a place."""
    return number.near if isinstance(number, ExactPlace) else Fraction(number)


def graph_of(number: float) -> Value:
    """A place as a graph without variables."""
    if isinstance(number, ExactPlace) and isinstance(number.exact, Value):
        return number.exact
    return exactly(near(number))


def written(place: ExactPlace) -> str:
    """A place as a text that can be typed, rounded to `DIGITS` where it is long, or more that tell it from its double."""
    text = text_up_to(graph_of(place), DIGITS)
    if text is not None:
        return text
    number = kept(place.near.numerator) / place.near.denominator
    off = abs(number - float(place))
    is_apart = math.isinf(place) or off > abs(number) * kept(10) ** -DIGITS
    return decimal(number, DIGITS if is_apart else 2 * DIGITS)


def applied(operation: Operation, *numbers: float) -> float:
    """An operation on places: a fraction, or a double, where that is what it is. Raises what kernels raise."""
    exact = [fraction_of(number) for number in numbers]
    if all(number is not None for number in exact):
        found = _rational(operation, *exact)
        if found is not None:
            return placed(found)
    # a graph with x + 0 in it would look like another place
    if operation in _NEUTRAL and numbers[-1] == _NEUTRAL[operation]:
        return numbers[0]
    if operation in (ADD, MUL) and numbers[0] == _NEUTRAL[operation]:
        return numbers[1]
    double = operation.kernel(*map(float, numbers))
    return valued(node(operation, tuple(map(graph_of, numbers))), double)


def valued(graph: Value, double: float) -> ExactPlace:
    """The value of a graph, next to that double, as a place.

    Raises `OverflowError` for one so close to 0 or so far from it that no fraction is next to it.
    """
    place = ExactPlace(graph, double)
    if not double or math.isinf(double):
        _ = place.near
    return place


_NEUTRAL = {ADD: 0.0, SUB: 0.0, MUL: 1.0, DIV: 1.0}
"""What a second operand does not matter with."""


def _rational(operation: Operation, *numbers: Any) -> Fraction | None:
    """The result on fractions, if it is one by arithmetic."""
    if operation.native:
        found = operation.kernel(*numbers)
        return found if isinstance(found, Fraction) else None
    if operation is SQRT:
        return rational_root(numbers[0], 2)
    return power(*numbers) if operation is POW else None


def power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """A whole power, unless it has very many digits."""
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    # 10^(10^9) is a fraction, too, but one of three billion bits
    if exponent.denominator != 1 or bits * abs(exponent) > MOST_BITS:
        return None
    return base**exponent.numerator


def rooted(number: float, degree: int) -> float:
    """The real root of a place, not negative where the degree is even. Raises `ValueError` where there is none."""
    exact = fraction_of(number)
    found = None if exact is None else rational_root(exact, degree)
    if found is not None:
        return placed(found)
    if degree == 2:
        return applied(SQRT, number)
    return applied(ROOT, number, float(degree))


def rational_root(number: Fraction, degree: int) -> Fraction | None:
    """The root of a fraction, if it is one. Raises `ValueError` for an even root of a negative number."""
    sign = -1 if number < 0 and degree % 2 else 1
    ratio = (sign * number).as_integer_ratio()
    if ratio[0] >= 0 and max(ratio) < 2**50:  # doubles are near enough
        roots = [round(n ** (1 / degree)) for n in ratio]
    else:
        from flint import fmpz

        roots = [int(fmpz(n).root(degree)) for n in ratio]
    found = sign * Fraction(*roots)
    return found if found**degree == number else None
