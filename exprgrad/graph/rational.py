"""Exact numbers: what a decimal says, and the values of graphs of numbers, such as an exponent 1/3.

A fraction is a pair of ints, numerator and denominator, where it must cost nothing at a start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.graph.order import topological
from exprgrad.operations.number_types import Numbers, Step

if TYPE_CHECKING:
    from fractions import Fraction

LARGEST = 10**9
"""Numerators and denominators of exact values."""

MOST_BITS, MOST_BITS_BELOW = 4_000_000, 100_000
"""Of numbers that are compared exactly, and of their denominators: common factors take the square of that."""


def read_ratio(text: str) -> tuple[int, int]:
    """The number that a decimal says: "-1.25e-3" is (-125, 100000). Not in lowest terms."""
    mantissa, _, exponent = text.replace("_", "").lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    power = int(exponent or 0) - len(decimals)
    digits = int(whole + decimals)
    return (digits * 10**power, 1) if power >= 0 else (digits, 10**-power)


def decimal_text(top: int, bottom: int) -> str | None:
    """A fraction in lowest terms, 0 or more, as the shortest decimal that says it; None where it has no end.

    It is written as `repr` writes a float: 1.25, 6.62607015e-34.
    """
    # A decimal ends only where 2 and 5 are the only primes of the denominator in lowest terms.
    rest, twos, fives = without_tens(bottom)
    if rest != 1:
        return None
    places = max(twos, fives)
    digits = str(top * 10**places // bottom)
    power = len(digits) - places - 1
    first, others = digits[0], digits[1:].rstrip("0")
    scientific = f"{first}{'.' if others else ''}{others}e{power:+03d}"
    if power < -4 or (places == 0 and len(scientific) < len(digits) > 16):
        return scientific
    if power < 0:
        return f"0.{'0' * (-power - 1)}{digits}"
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def without_tens(number: int) -> tuple[int, int, int]:
    """A number without its factors 2 and 5, and how many of them it has."""
    # In two's complement, n & -n is the lowest bit of n that is set.
    twos = (number & -number).bit_length() - 1
    number, fives = number >> twos, 0
    while number % 5 == 0:
        number, fives = number // 5, fives + 1
    return number, twos, fives


class Inexact(Exception):
    """Not a fraction, or one of large numbers."""


class _Fractions(Numbers):
    faults = (Inexact, ZeroDivisionError)

    def value(self, step: Step, arguments: Sequence[Any]) -> Fraction:
        if not step.operation.native:
            raise Inexact
        found: Any = step.operation.kernel(*arguments)
        if max(abs(found.numerator), found.denominator) > LARGEST:
            raise Inexact
        return found  # type: ignore[no-any-return] # a fraction, made of fractions


class _Large(Numbers):
    """Fractions of up to so many bits, of which also whole powers and factorials are taken, and functions of 0 and 1."""

    faults = (Inexact, ArithmeticError, ValueError)

    def value(self, step: Step, arguments: Sequence[Any]) -> Fraction:
        from fractions import Fraction

        operation, (x, *rest) = step.operation, arguments
        kernel: Any = operation.kernel
        longest = MOST_BITS_BELOW
        bits = x.numerator.bit_length() + x.denominator.bit_length()
        whole = all(n.denominator == 1 for n in rest or (x,))
        is_power = operation.rule == "power"
        if is_power and whole:
            kernel, times = pow, rest[0].numerator
            below = x.denominator if times > 0 else x.numerator
            # which has a bit less than so many at least: (1/3)^(10^6) takes 5 ms, for nothing
            if (below.bit_length() - 1) * abs(times) >= MOST_BITS_BELOW:
                raise Inexact
            bits *= abs(times)
        elif operation.name == "factorial" and whole and x >= 0:
            kernel, bits = lambda n: math.factorial(int(n)), bits * x.numerator
        elif x in (0, 1) and (is_power or not rest) and not operation.opaque:
            # doubles of sqrt(0), ln(1) and 0^(1/3) are whole where the values are
            kernel, longest = (lambda *n: operation.kernel(*map(float, n))), 1
        elif not operation.native:
            raise Inexact
        # Asked before it is computed: 10^(10^9) would fill the memory.
        if bits > MOST_BITS:
            raise Inexact
        found = Fraction(kernel(*arguments))
        if found.denominator.bit_length() > longest:
            raise Inexact
        return found


FRACTIONS = _Fractions()
LARGE_FRACTIONS = _Large()


def rational(root: Any, most: int = 60) -> Fraction | None:
    """The exact value of a small graph of whole numbers and + - * /, if it is one."""
    if root.operation is None:
        return _leaf(root)
    return _value(root, FRACTIONS, most) if root.operation.native else None


def large_rational(root: Any) -> Fraction | None:
    """The same with numbers of any reasonable size, whole powers and factorials: of 2004!/2003!."""
    return _leaf(root) if root.operation is None else _value(root, LARGE_FRACTIONS)


def _value(root: Any, numbers: Numbers, most: int = 60) -> Fraction | None:
    """The value of a graph in numbers that are fractions."""
    values: dict[Any, Any] = {}
    steps = []
    for item in topological(root, most):
        if item.operation is None:
            exact = _leaf(item)
            values[item] = Inexact() if exact is None else exact
        else:
            steps.append(Step(item, item.operation, item.operands))
    from exprgrad.graph.sweep import forward

    found = forward(steps, numbers, values).get(root)
    return None if isinstance(found, Exception) else found


def _leaf(item: Any) -> Fraction | None:
    """A constant as a fraction: one that was given as such, or a whole number."""
    if not item.is_constant:
        return None
    if item.exact is None and item.name is None and isinstance(item.data, float):
        # A decimal stays one: taken as 1/5, x^0.2 would have the real root -2 at -32, where a power has none.
        if not item.data.is_integer():
            return None
        from fractions import Fraction

        top, bottom = item.ratio
        return None if top % bottom else Fraction(top // bottom)
    return item.exact  # type: ignore[no-any-return] # a fraction or None
