"""The coefficients of germs: fractions where that is possible, else balls of many digits.

Both decide signs exactly or not at all. Fractions do without FLINT, whose import takes longer than most
corners; `Irrational` says that a coefficient is not a fraction, and balls take over.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any, TypeAlias
from exprgrad.graph.value import Value
from exprgrad.numbers.real import kept
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import (
    ABS,
    ADD,
    CEIL,
    DIV,
    FLOOR,
    MUL,
    NEG,
    POW,
    POW_EVEN,
    ROUND,
    SUB,
)
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.corners import OF_A_DOUBLE, Nearest

if TYPE_CHECKING:
    from typing import ClassVar

ABOVE = 1 + 2.0**-40
"""More than what rounding takes from an error."""

MOST_BITS = 4000
"""Bits of a fraction that is carried along."""


class NoSide(Exception):
    """The expression is not defined on this side."""


class Undecided(Exception):
    """The first terms do not decide; neither would more of them, or more digits."""


class NeedsTerms(Undecided):
    """The terms that are known do not decide; further ones may."""


class NeedsDigits(Undecided):
    """The digits of a coefficient do not decide its sign; further ones may."""


class Irrational(Exception):
    """A coefficient is not a fraction."""


Field: TypeAlias = Any
"""The numbers that coefficients are: `Fractions`, or those of `formal.Digits`, balls of some precision."""


class _Unwritable:
    """A constant that is not a fraction, such as π in a rule: whatever is computed from it is none either."""

    def refuse(self, *_: Any) -> Any:
        raise Irrational

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = refuse
    __truediv__ = __rtruediv__ = __neg__ = __pow__ = __rpow__ = refuse


class Fractions:
    """Coefficients that are fractions; `Irrational` where one is not."""

    constants: ClassVar[dict[str, Any]] = {"pi": _Unwritable()}

    def __init__(self) -> None:
        self.numbers = Numbers(
            lambda operation: lambda *a: self.apply(operation, list(map(self.of, a))),
            self.constants,
        )

    def of(self, number: Any) -> Fraction:
        """A number as it is. Raises `Irrational`."""
        if isinstance(number, _Unwritable):
            raise Irrational
        return number if isinstance(number, Fraction) else Fraction(number)

    def is_zero(self, number: Fraction) -> bool:
        """Whether the number is 0."""
        return not number

    def is_one(self, number: Fraction) -> bool:
        """Whether the number is 1."""
        return number == 1

    def leaf(self, constant: Value) -> Fraction:
        """The fraction that was typed; `Irrational` for π and e."""
        if constant.ratio is None or getattr(constant, "error", 0.0) != 0:
            raise Irrational
        return Fraction(*constant.ratio)

    def sign(self, number: Fraction) -> int:
        """-1, 0 or 1."""
        return (number > 0) - (number < 0)

    def exact(self, number: Fraction) -> Fraction:
        """The number itself."""
        return number

    def bounds(self, number: Fraction) -> tuple[Fraction, Fraction]:
        """The number itself, twice."""
        return number, number

    def given(self, coordinate: Coordinate) -> Fraction:
        """The number that a variable is given; `Irrational` where that is an expression."""
        if coordinate.ratio is None:
            raise Irrational
        return Fraction(*coordinate.ratio)

    def nearest(self, number: Fraction, digits: int = OF_A_DOUBLE) -> Nearest:
        """The nearest double, and how far it is off; with more digits, these as well."""
        try:
            found = float(number)
        except OverflowError:
            found = 0.0
        if number and not found:
            return Nearest(None, math.inf, kept(number))
        off = abs(number - Fraction(found))
        error = float(off) * ABOVE if off else 0.0
        if digits <= OF_A_DOUBLE or not off:
            return Nearest(found, error)
        return Nearest(found, error, kept(number, bits_of(digits)), digits)

    def suffices(self, number: Fraction, digits: int = OF_A_DOUBLE) -> bool:
        """Always."""
        return True

    def apply(self, operation: Operation, arguments: Sequence[Fraction]) -> Fraction:
        """A kernel on fractions where it is exact, or the formula of the row."""
        for condition in operation.domain:
            if not self.numbers.bind(condition.holds)(*arguments):
                raise NoSide
        if operation in _EXACTLY:
            return self.of(_EXACTLY[operation](*arguments))
        if operation.rule == "power":
            return _exact_power(operation, *arguments)
        if all(partial == 0 for partial in operation.partials):
            try:
                return Fraction(operation.kernel(*arguments))
            except OverflowError:
                raise Irrational from None
        if all(x in (-1, 0, 1) for x in arguments):
            # no function of the table has a value at -1, 0 or 1 that is a double without being exact
            result = operation.kernel(*map(float, arguments))
            if result == math.floor(result):
                return Fraction(result)
        equal = operation.near or operation.formula
        try:
            if equal is not None:
                return self.of(self.numbers.bind(equal)(*arguments))
        except ZeroDivisionError:
            pass  # a formula that holds elsewhere, such as atan(y/x) + ... at x = 0
        raise Irrational


_EXACTLY: dict[Operation, Callable[..., Any]] = {
    ADD: operator.add, SUB: operator.sub, MUL: operator.mul, DIV: operator.truediv, NEG: operator.neg,
    ABS: operator.abs, FLOOR: math.floor, CEIL: math.ceil, ROUND: round,
}  # fmt: skip


def _exact_power(operation: Operation, base: Fraction, exponent: Fraction) -> Fraction:
    """A power that is a fraction again: of a whole exponent, or a root that comes out even."""
    if operation is not POW:
        exponent = simple(exponent)
    if base == 0:
        return Fraction(1 if exponent == 0 else 0)
    whole, root = exponent.numerator, exponent.denominator
    size = abs(base)
    if root != 1:
        found = Fraction(_root(size.numerator, root), _root(size.denominator, root))
        if found**root != size:
            raise Irrational
        size = found
    if abs(whole) * (size.numerator * size.denominator).bit_length() > MOST_BITS:
        raise Irrational
    negative = base < 0 and operation is not POW_EVEN and whole % 2 == 1
    return -(size**whole) if negative else size**whole


def _root(number: int, degree: int) -> int:
    """The root of a whole number, rounded; `Irrational` for one too large to try."""
    if degree > 64 or number.bit_length() > MOST_BITS:
        raise Irrational
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low


def simple(number: Fraction) -> Fraction:
    """The simple fraction that a double stands for, such as 1/3; a number that is no such double as it is."""
    near = number.limit_denominator(10**4)
    return near if near and abs(near - number) * 2**52 <= abs(number) else number


def bits_of(digits: int) -> int:
    """The bits that so many digits take, and a few."""
    return digits * 10 // 3 + 4
