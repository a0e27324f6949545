"""Polynomials that touch a function, and what a function is at a place.

    polynomial([c, d, e], "x", a)                       c + d*(x - a) + e*(x - a)^2

The place is a graph, such as pi/4, so that the polynomial is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, count

from exprgrad.expressions.confirm import constant_parts, simplify
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.rewriting import rebuilt, replaced
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.notation.text import to_text
from exprgrad.operations import table
from exprgrad.proof.elementary import vanishes
from exprgrad.sweeps.precise import Probe
from exprgrad.sweeps.tape import Tape

Place = Mapping[str, Value]


def at_place(root: Value, place: Place) -> Value:
    """The graph with graphs in the place of variables."""
    return rebuilt(
        root, lambda item, _: place.get(item.name or "") if is_variable(item) else None
    )


def polynomial(found: Iterable[Value], name: str, at: Value) -> Value:
    """The polynomial with these coefficients in powers of x - a, the lowest first."""
    away = distance(name, at)
    powers = (node(table.POW, (away, Constant(k))) for k in count(2))
    return added(zip(found, chain((None, away), powers), strict=False))


def number(root: Value, rooted: bool = False) -> Value:
    """A graph, as the number that it is known to be, or simplified: 2 for 1/cos(pi/4)^2, pi/6 for asin(1/2).

    The roots are those of expressions with pi in them, sqrt(2)/2 for cos(pi/4); if `rooted`, of all: for 1/sqrt(2).
    """
    short = simplify(root)
    if has_variables(short) or rational(short) is not None:
        return short
    for exact in _guesses(short, rooted):
        # near is not equal
        if vanishes(node(table.SUB, (short, exact))):
            return simplify(exact)
    return short


def _guesses(root: Value, rooted: bool) -> Iterator[Value]:
    """The fraction, the multiple of pi and the square roots that are near a number."""
    order, near = topological(root), _near(root)
    if near is not None:
        yield Constant(near)
    turns = _near(node(table.DIV, (root, PI)))
    if turns is not None and any(n.operation in ARCS for n in order):
        yield node(table.MUL, (Constant(turns), PI))
    square = _near(node(table.MUL, (root, root)))
    # sqrt(9.81) stays
    rooted = rooted and all(n.is_whole for n in order if n.is_constant and n.name is None)  # fmt: skip
    if square is not None and (rooted or any(n.name == "pi" for n in order)):
        size = square_root(square)
        yield from () if size is None else (size, node(table.NEG, (size,)))


def with_numbers(root: Value) -> Value:
    """A graph with each part of it that is constant as the number that it is known to be: x/2 for sin(pi/6)*x."""
    if len(topological(root)) > MOST_NODES:
        return root
    return replaced(root, {part: number(part, True) for part in constant_parts(root)})


def square_root(square: Fraction) -> Value | None:
    """sqrt(p/q) as k*sqrt(m)/n, sqrt(3)/2 for sqrt(12)/4; None for numbers beyond the range of doubles."""
    outside, inside, divisor = 1, square.numerator * square.denominator, 2
    # divisors that are no primes do no harm: the squares of their primes have been divided out
    while divisor * divisor <= inside and divisor <= LARGEST:
        while inside % (divisor * divisor) == 0:
            outside, inside = outside * divisor, inside // (divisor * divisor)
        divisor += 1
    factor = Fraction(outside, square.denominator)
    if max(inside, *factor.as_integer_ratio()).bit_length() > MOST_BITS_OF_DOUBLES:  # fmt: skip
        return None
    root = node(table.SQRT, (Constant(Fraction(inside)),))
    return simplify(node(table.MUL, (Constant(factor), root)))


def _near(root: Value) -> Fraction | None:
    """A fraction of small numbers that a number may be."""
    value = Probe(Tape(root, ())).floats({}).value
    if value is None or abs(value) > LARGEST:
        return None
    found = Fraction(value).limit_denominator(LARGEST)
    close = abs(float(found) - value) <= 1e-12 * max(1.0, abs(value))
    return found if close else None


MOST_BITS_OF_DOUBLES = 1023
"""Whole numbers of so many bits are within the range of doubles."""

PI = Constant(math.pi, "pi")
ARCS = table.ACOS, table.ASIN, table.ATAN, table.ASEC, table.ACSC, table.ACOT
MOST_NODES = 300
"""The most nodes of a graph whose constant parts are looked at."""

LARGEST = 5000
"""Numerators and denominators of fractions that a number is tried to be."""


def distance(name: str, at: Value) -> Value:
    """x - a; x where a is 0."""
    variable = Value(None, name)
    return variable if rational(at) == 0 else simplify(node(table.SUB, (variable, at)))


Term = tuple[Value, Value | None]
"""A coefficient and what it stands before; None where it stands alone."""


def added(terms: Iterable[Term]) -> Value:
    """The sum of terms, those with a coefficient of 0 left out; 0 of none."""
    total: Value | None = None
    for coefficient, factor in terms:
        if rational(coefficient) == 0:
            continue
        negative = (
            total is not None
            and coefficient.operation not in (table.ADD, table.SUB)
            and to_text(coefficient)[0] == "-"
        )
        own = simplify(node(table.NEG, (coefficient,))) if negative else coefficient
        if factor is not None:
            units = {Fraction(1): factor, Fraction(-1): node(table.NEG, (factor,))}
            own = units.get(rational(own) or Fraction(), node(table.MUL, (own, factor)))
        sign = table.SUB if negative else table.ADD
        total = own if total is None else node(sign, (total, own))
    return Constant(0.0) if total is None else total


def has_variables(root: Value) -> bool:
    """Return whether a graph depends on a variable."""
    return any(map(is_variable, topological(root)))
