"""Polynomials that touch a function, and what a function is at a place.

    polynomial([c, d, e], "x", a)                       c + d*(x - a) + e*(x - a)^2

The place is a graph, such as pi/4, so that the polynomial is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from exprgrad.expressions.confirm import simplify
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.notation.text import to_text
from exprgrad.operations.table import ADD, DIV, MUL, NEG, POW, SQRT, SUB
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
    terms = []
    for k, coefficient in enumerate(found):
        power = node(POW, (away, Constant(k))) if k > 1 else away
        terms.append((coefficient, power if k else None))
    return added(terms)


def number(root: Value) -> Value:
    """A graph, as the fraction that it is known to be, or simplified: 2 for 1/cos(pi/4)^2."""
    short = simplify(root)
    if has_variables(short) or rational(short) is not None:
        return short
    near = _near(short)
    if near is not None:
        exact = simplify(Constant(near))
        # Near is not equal: without a proof, no fraction stands for it.
        if vanishes(node(SUB, (short, exact))):
            return exact
    found = _as_root(short)
    return short if found is None else found


def _as_root(root: Value) -> Value | None:
    """A number that is the root of a fraction of small numbers: sqrt(2)/2 for cos(pi/4)."""
    value = Probe(Tape(root, ())).floats({}).value
    # cos(pi/4) is no fraction, but its square is 1/2.
    near = _near(node(MUL, (root, root)))
    size = None if near is None else square_root(near)
    if size is None or value is None or not any(n.name == "pi" for n in topological(root)):  # fmt: skip
        return None
    exact = simplify(size if value > 0 else node(NEG, (size,)))
    return exact if vanishes(node(SUB, (root, exact))) else None


def square_root(square: Fraction) -> Value | None:
    """sqrt(p/q) as k*sqrt(m)/n, sqrt(3)/2 for sqrt(12)/4; None for numbers beyond the range of doubles."""
    outside, inside = without_squares(square.numerator * square.denominator)
    factor = Fraction(outside, square.denominator)
    if max(inside, *factor.as_integer_ratio()).bit_length() > MOST_BITS_OF_DOUBLES:  # fmt: skip
        return None
    root = node(SQRT, (Constant(Fraction(inside)),))
    over, under = (Constant(Fraction(n)) for n in factor.as_integer_ratio())
    scaled = root if factor.numerator == 1 else node(MUL, (over, root))
    return scaled if factor.denominator == 1 else node(DIV, (scaled, under))


def without_squares(number: int) -> tuple[int, int]:
    """A number as the square of one, times another that no small square divides: 12 is 2^2 * 3."""
    outside, inside, factor = 1, number, 2
    # Factors that are no primes do no harm: the squares of their primes have been divided out.
    while factor * factor <= inside and factor <= LARGEST:
        while inside % (factor * factor) == 0:
            outside, inside = outside * factor, inside // (factor * factor)
        factor += 1
    return outside, inside


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

LARGEST = 5000
"""Numerators and denominators of fractions that a number is tried to be."""


def distance(name: str, at: Value) -> Value:
    """x - a; x where a is 0."""
    variable = Value(None, name)
    return variable if rational(at) == 0 else simplify(node(SUB, (variable, at)))


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
            and coefficient.operation not in (ADD, SUB)
            and to_text(coefficient)[0] == "-"
        )
        own = simplify(node(NEG, (coefficient,))) if negative else coefficient
        if factor is not None:
            units = {Fraction(1): factor, Fraction(-1): node(NEG, (factor,))}
            own = units.get(rational(own) or Fraction(), node(MUL, (own, factor)))
        sign = SUB if negative else ADD
        total = own if total is None else node(sign, (total, own))
    return Constant(0.0) if total is None else total


def has_variables(root: Value) -> bool:
    """Return whether a graph depends on a variable."""
    return any(map(is_variable, topological(root)))
