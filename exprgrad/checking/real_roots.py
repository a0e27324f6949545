"""The real zeros of a formula in one variable, and whether these are all of them.

    zeros(root, "x").found          the zeros, exact where they can be written: 1/2, (1 + sqrt(5))/2
    zeros(root, "x").complete       whether it is known that there are no others

A quotient of polynomials has its zeros isolated by Sturm's theorem: the number of zeros in (a, b] is
V(a) - V(b), where V counts the changes of sign in p, p', and the remainders after them. A product has the
zeros of its factors. Of anything else those are found where it changes its sign, and others may be missing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from exprgrad.checking import domain
from exprgrad.checking.levels import sign_changes
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.operations.operation import TABLE
from exprgrad.operations.table import ADD, DIV, EXP, MUL, NEG, POW, SQRT, SUB
from exprgrad.proof.identity import vanishes
from exprgrad.sweeps.precise import Look, Probe
from exprgrad.sweeps.tape import Tape
from exprgrad.symbolic.derivative import derivative
from exprgrad.symbolic.simplify import simplify
from exprgrad.symbolic.taylor import at_place, has_variables

Polynomial = list[Fraction]
"""Coefficients, the lowest first, the last not 0; empty for 0."""

HIGHEST_DEGREE = 40

MOST_BITS = 4000
"""Bits of a coefficient."""

DENSE = 20
"""Zeros are looked for at every eighth up to this distance from 0, and farther apart beyond."""

MOST_ZEROS = 40

MOST_ALONE = 6
"""Zeros near 0 from which on those far away are taken for more of the same."""


class Zero(NamedTuple):
    """A zero: close to the double `near`, and `exact` as a graph where one is known."""

    near: float
    exact: Value | None


class Zeros(NamedTuple):
    """The zeros in order, and whether they are known to be all."""

    found: tuple[Zero, ...]
    complete: bool


def zeros(root: Value, name: str, depth: int = 2) -> Zeros:
    """The zeros of a formula of one variable, as far as they are found.

    Whether these are all is shown with the zeros of up to `depth` derivatives.
    """
    found: dict[float, Zero] = {}
    complete = True
    for factor in factors(simplify(root)):
        quotient = _quotient(factor, name)
        if quotient is not None and quotient[0]:
            own = [
                z for z in _of_polynomial(quotient[0]) if _value(quotient[1], z) != 0
            ]
        elif factor.operation is EXP:
            own = []
        else:
            own = list(_scanned(factor, name))
            complete = complete and _is_all(factor, name, own, depth)
        for zero in own:
            if not any(abs(zero.near - x) <= 1e-9 * max(1.0, abs(x)) for x in found):
                found[zero.near] = zero
    return Zeros(tuple(found[x] for x in sorted(found)), complete)


def without_positive(root: Value) -> Value:
    """A formula with the same zeros, without the factors that are never 0."""
    rest = [f for f in factors(simplify(root)) if f.operation is not EXP]
    found = rest[0] if rest else Constant(1.0)
    for factor in rest[1:]:
        found = node(MUL, (found, factor))
    return simplify(found)


def factors(root: Value) -> Iterator[Value]:
    """What is 0 where a product is; what it is divided by is left out."""
    stack = [root]
    while stack:
        item = stack.pop()
        if item.operation is MUL or item.operation is NEG:
            stack += item.operands
        elif item.operation is DIV or (
            item.operation is POW and _is_positive(item.operands[1])
        ):
            stack.append(item.operands[0])
        elif has_variables(item) or vanishes(item):
            yield item


def _is_positive(exponent: Value) -> bool:
    exact = rational(exponent)
    return exact is not None and exact > 0


def _value(p: Polynomial, zero: Zero) -> Fraction | float:
    exact = rational(zero.exact) if zero.exact is not None else None
    at: Fraction | float = zero.near if exact is None else exact
    total: Fraction | float = Fraction(0)
    for c in reversed(p):
        total = total * at + c
    if exact is None and abs(float(total)) <= 1e-12:
        return 0.0
    return total


# Quotients of polynomials


def _quotient(root: Value, name: str) -> tuple[Polynomial, Polynomial] | None:
    """A formula as numerator and denominator; None where it is no quotient of polynomials."""
    known: dict[Value, tuple[Polynomial, Polynomial]] = {}
    for item in topological(root):
        if item.operation is None:
            own = _leaf(item, name)
        else:
            parts = [known[operand] for operand in item.operands]
            own = _combined(item, parts)
        if own is None or len(own[0]) > HIGHEST_DEGREE or _is_large(own):
            return None
        known[item] = own
    return known[root]


def _is_large(quotient: tuple[Polynomial, Polynomial]) -> bool:
    return any(
        c.numerator.bit_length() + c.denominator.bit_length() > MOST_BITS
        for p in quotient
        for c in p
    )


def _leaf(item: Value, name: str) -> tuple[Polynomial, Polynomial] | None:
    one = [Fraction(1)]
    if is_variable(item):
        return ([Fraction(0), Fraction(1)], one) if item.name == name else None
    exact = rational(item)
    return None if exact is None else (_trimmed([exact]), one)


def _combined(
    item: Value, parts: Sequence[tuple[Polynomial, Polynomial]]
) -> tuple[Polynomial, Polynomial] | None:
    if item.operation is NEG:
        return [-c for c in parts[0][0]], parts[0][1]
    if item.operation is POW:
        exponent = rational(item.operands[1])
        if (
            exponent is None
            or exponent.denominator != 1
            or abs(exponent) > HIGHEST_DEGREE
        ):
            return None
        above, below = parts[0] if exponent >= 0 else parts[0][::-1]
        power = abs(int(exponent))
        return (_power(above, power), _power(below, power)) if below else None
    if item.operation not in (ADD, SUB, MUL, DIV):
        return None
    (a, b), (c, d) = parts
    if item.operation is MUL:
        return _times(a, c), _times(b, d)
    if item.operation is DIV:
        return (_times(a, d), _times(b, c)) if c else None
    if b == d:
        return _plus(a, c, item.operation is SUB), b
    return _plus(_times(a, d), _times(c, b), item.operation is SUB), _times(b, d)


def _trimmed(p: Polynomial) -> Polynomial:
    while p and not p[-1]:
        p.pop()
    return p


def _plus(p: Polynomial, q: Polynomial, minus: bool) -> Polynomial:
    size = max(len(p), len(q))
    p, q = (r + [Fraction(0)] * (size - len(r)) for r in (p, q))
    return _trimmed([a - b if minus else a + b for a, b in zip(p, q, strict=True)])


def _times(p: Polynomial, q: Polynomial) -> Polynomial:
    found = [Fraction(0)] * (len(p) + len(q) - 1 if p and q else 0)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            found[i + j] += a * b
    return found


def _power(p: Polynomial, exponent: int) -> Polynomial:
    found = [Fraction(1)]
    for _ in range(exponent):
        found = _times(found, p)
        if len(found) > HIGHEST_DEGREE:
            return found
    return found


def _remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    rest = list(p)
    while len(rest) >= len(q):
        factor, shift = rest[-1] / q[-1], len(rest) - len(q)
        for i, c in enumerate(q):
            rest[shift + i] -= factor * c
        rest.pop()
        _trimmed(rest)
    return rest


def _divided(p: Polynomial, q: Polynomial) -> Polynomial:
    rest, found = list(p), [Fraction(0)] * max(0, len(p) - len(q) + 1)
    while len(rest) >= len(q):
        factor, shift = rest[-1] / q[-1], len(rest) - len(q)
        found[shift] = factor
        for i, c in enumerate(q):
            rest[shift + i] -= factor * c
        rest.pop()
    return _trimmed(found)


def _slope(p: Polynomial) -> Polynomial:
    return [k * c for k, c in enumerate(p)][1:]


def _of_polynomial(p: Polynomial) -> list[Zero]:
    """The real zeros of a polynomial that is not 0: isolated, then refined, exact where they are fractions or of degree 2."""
    p = _square_free(p)
    exact: list[Zero] = []
    near = [_refined(p, a, b) for a, b in _isolated(p)]
    rest = p
    for x in near:
        for most in (1000, 10**6):
            simple = x.limit_denominator(most)
            if not _at(p, simple):
                exact.append(Zero(float(simple), fraction(simple)))
                rest = _divided(rest, [-simple, Fraction(1)])
                break
    if len(rest) == 3:
        exact += _quadratic(rest)
        near = []
    known = [zero.near for zero in exact]
    other = [
        Zero(float(x), None)
        for x in near
        if not any(abs(float(x) - k) <= 1e-12 * max(1.0, abs(k)) for k in known)
    ]
    return sorted([*exact, *other], key=lambda zero: zero.near)


def fraction(x: Fraction) -> Value:
    """A fraction as a graph."""
    return simplify(Constant(x)) if x.denominator == 1 else _ratio(x)


def _ratio(x: Fraction) -> Value:
    whole = tuple(Constant(float(n)) for n in (x.numerator, x.denominator))
    return simplify(node(DIV, whole))


def _quadratic(p: Polynomial) -> list[Zero]:
    """The real zeros (-b ± sqrt(b^2 - 4ac)) / 2a."""
    c, b, a = p
    square = b * b - 4 * a * c
    if square < 0:
        return []
    middle, spread = -b / (2 * a), square / (4 * a * a)
    found = []
    for sign in (SUB, ADD):
        size = _root(spread)
        if not middle:
            exact = node(NEG, (size,)) if sign is SUB else size
        else:
            exact = node(sign, (fraction(middle), size))
        value = Probe(Tape(exact, ())).precise({}, 30).value
        found.append(Zero(float(value), exact))
    return found


def _root(square: Fraction) -> Value:
    """sqrt(p/q) as k*sqrt(m)/n."""
    number, below = square.numerator * square.denominator, square.denominator
    outside = 1
    for k in range(2, min(1000, math.isqrt(number) + 1)):
        while number % (k * k) == 0:
            number, outside = number // (k * k), outside * k
    root = node(SQRT, (Constant(float(number)),))
    factor = Fraction(outside, below)
    above = (
        root
        if factor.numerator == 1
        else node(MUL, (Constant(float(factor.numerator)), root))
    )
    return (
        above
        if factor.denominator == 1
        else node(DIV, (above, Constant(float(factor.denominator))))
    )


def _square_free(p: Polynomial) -> Polynomial:
    a, b = p, _slope(p)
    while b:
        a, b = b, _remainder(a, b)
    return _divided(p, a) if len(a) > 1 else p


def _at(p: Polynomial, x: Fraction) -> Fraction:
    total = Fraction(0)
    for c in reversed(p):
        total = total * x + c
    return total


def _isolated(p: Polynomial) -> Iterator[tuple[Fraction, Fraction]]:
    """Intervals (a, b], each with one zero of a square-free polynomial."""
    if len(p) < 2:
        return
    chain = [p, _slope(p)]
    while len(chain[-1]) > 1:
        rest = [-c for c in _remainder(chain[-2], chain[-1])]
        if not rest:
            break
        size = abs(rest[-1])
        chain.append([c / size for c in rest])

    def changes(x: Fraction) -> int:
        signs = [v > 0 for v in (_at(q, x) for q in chain) if v]
        return sum(a != b for a, b in itertools.pairwise(signs))

    bound = 1 + max(abs(c / p[-1]) for c in p)
    edge = Fraction(1 << math.ceil(bound).bit_length())
    stack = [(-edge, edge, changes(-edge), changes(edge))]
    while stack:
        a, b, left, right = stack.pop()
        if left - right == 1:
            yield a, b
        elif left > right:
            middle = (a + b) / 2
            own = changes(middle)
            stack += [(a, middle, left, own), (middle, b, own, right)]


def _refined(p: Polynomial, a: Fraction, b: Fraction) -> Fraction:
    """The zero in (a, b] to the precision of doubles and more."""
    if not _at(p, b):
        return b
    positive = _at(p, b) > 0
    while b - a > Fraction(1, 1 << 70) * max(Fraction(1), abs(a)):
        middle = (a + b) / 2
        value = _at(p, middle)
        if not value:
            return middle
        a, b = (a, middle) if (value > 0) == positive else (middle, b)
    return (a + b) / 2


# Anything else


def _scanned(root: Value, name: str) -> Iterator[Zero]:
    """Zeros where a formula changes its sign, or that Newton's method finds."""
    probe = Probe(Tape(root, [n for n in topological(root) if is_variable(n)]), name)

    def value(x: float) -> float | None:
        found: float | None = probe.floats({name: x}).value
        return found

    dense = [k / 8 + 1 / 64 for k in range(-8 * DENSE, 8 * DENSE)]
    seen = [(x, value(x)) for x in dense]
    found = [
        *sign_changes(seen, value, MOST_ZEROS),
        *domain.zeros(root, name, {}),
    ]
    known: list[float] = []
    if sum(abs(x) <= DENSE for x in found) > MOST_ALONE:
        found = [x for x in found if abs(x) <= DENSE]  # one of many, far away
    for x in sorted(found, key=abs)[: 2 * MOST_ZEROS]:
        if any(abs(x - y) <= 1e-7 * max(1.0, abs(y)) for y in known):
            continue
        beside = (x - 2.0**-10, x + 2.0**-10)
        if 0.0 in map(value, beside):
            continue  # one of a whole interval
        if _is_zero(probe, name, x):
            known.append(x)
            yield named(x, lambda at: _vanishes_at(root, name, at))


def _is_all(root: Value, name: str, found: Sequence[Zero], depth: int) -> bool:
    """Whether there are no other zeros, by Rolle's theorem.

    Between zeros of the derivative, and where the formula stops being regular, it rises or falls throughout: it has
    at most one zero there, and none where it keeps its sign at the ends, or moves away from 0 towards them.
    """
    ends = _pieces(root, name, depth)
    if ends is None or len(found) > MOST_ZEROS:
        return False
    probe = Probe(Tape(root, [n for n in topological(root) if is_variable(n)]), name)
    inner = [(a + b) / 2 for a, b in itertools.pairwise(ends)]
    first, last = (ends[0], ends[-1]) if ends else (0.0, 0.0)
    sides = [-math.inf, *ends, math.inf]
    points = [first - 1 - abs(first), *inner, last + 1 + abs(last)] if ends else [0.5]
    for a, x, b in zip(sides, points, sides[1:], strict=False):
        if not any(a < zero.near < b for zero in found):
            look = probe.floats({name: x})
            if look.value is not None and not (
                look.slope
                and _leaves(probe, name, look, a, -1)
                and _leaves(probe, name, look, b, 1)
            ):
                return False
    return True


def _leaves(probe: Probe, name: str, look: Look, end: float, side: int) -> bool:
    """Whether a formula that rises or falls throughout has no zero from a point to the end of its piece."""
    if look.value * look.slope * side > 0:
        return True  # it moves away from 0
    there = probe.floats({name: end}).value if math.isfinite(end) else None
    return there is not None and abs(there) > 1e-12 and (there > 0) == (look.value > 0)


def _pieces(root: Value, name: str, depth: int) -> list[float] | None:
    """Where a formula may turn round or stop being regular, in order; None where that is not known."""
    if not depth:
        return None
    turns = zeros(derivative(root, name), name, depth - 1)
    if not turns.complete:
        return None
    ends = [zero.near for zero in turns.found]
    for part, level in domain.guards(root, name):
        guard = _quotient(simplify(node(SUB, (part, Constant(level)))), name)
        if guard is None:
            return None
        ends += [zero.near for p in guard if p for zero in _of_polynomial(p)]
    return sorted(set(ends))


def _is_zero(probe: Probe, name: str, x: float) -> bool:
    """Whether a change of sign is a zero, and no jump or pole."""
    look = probe.floats({name: x})
    if look.value is None or look.slope is None:
        return False
    size = max(1.0, abs(x)) * (1.0 + abs(look.slope))
    return bool(abs(look.value) <= 1e-10 * size)


def _vanishes_at(root: Value, name: str, at: Value) -> bool:
    return vanishes(at_place(root, {name: at}))


def named(x: float, holds: Callable[[Value], bool]) -> Zero:
    """A number with what it is exactly, where one of the usual forms is proved to be it."""
    for exact in _usual(x):
        near = Probe(Tape(exact, ())).floats({}).value
        if (
            near is not None
            and abs(near - x) <= 1e-9 * max(1.0, abs(x))
            and holds(exact)
        ):
            return Zero(near, exact)
    return Zero(x, None)


def _usual(x: float) -> Iterator[Value]:
    """Fractions, fractions of pi, square roots, logarithms and powers of e that a number may be."""
    yield fraction(Fraction(x).limit_denominator(100))
    pi, e = Constant(math.pi, "pi"), Constant(math.e, "e")
    turns = Fraction(x / math.pi).limit_denominator(24)
    if turns:
        yield simplify(node(MUL, (fraction(turns), pi)))
    square = Fraction(x * x).limit_denominator(100)
    if square and abs(x) < 100:
        root = _root(square)
        yield root if x > 0 else node(NEG, (root,))
    if 0 < abs(x) < 1e6 and x > 0:
        power = Fraction(math.log(x)).limit_denominator(12)
        yield simplify(node(POW, (e, fraction(power))))
    if abs(x) < 20:
        inside = Fraction(math.exp(x)).limit_denominator(100)
        if inside > 0:
            yield node(TABLE["ln"], (fraction(inside),))


def passes(root: Value, name: str) -> Zeros:
    """Where an operation of a graph stops being regular: where its argument passes 0, or another landmark."""
    found: list[Zero] = []
    complete = _has_few_corners(root, name)
    for part, level in domain.guards(root, name):
        own = zeros(simplify(node(SUB, (part, Constant(level)))), name, 1)
        found += own.found
        complete = complete and own.complete
    return Zeros(tuple(found), complete)


def _has_few_corners(root: Value, name: str) -> bool:
    """Whether every operation with corners has a few known ones: floor has more, and mod others."""
    levels: dict[Value, int] = {}
    for part, _ in domain.guards(root, name):
        levels[part] = levels.get(part, 0) + 1
    for item in topological(root):
        if item.operation is None or item.operation.rule == POW.rule:
            continue  # of a power, the base is a guard where its corner is
        if item.operation.corner is not None:
            counts = [levels.get(operand, 0) for operand in item.operands]
            moving = any(map(has_variables, item.operands))
            if moving and not 0 < max(counts) < domain.MOST_LANDMARKS:
                return False
    return True


def slope_zeros(root: Value, name: str) -> Zeros:
    """Where the derivative of a formula is 0."""
    return zeros(derivative(root, name), name)
