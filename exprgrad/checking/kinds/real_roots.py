"""The real zeros of a formula in one variable, and whether these are all of them.

    zeros(root, "x").found          the zeros, exact where they can be written: 1/2, (1 + sqrt(5))/2
    zeros(root, "x").complete       whether it is known that there are no others

A quotient of polynomials has all its zeros found (`algebra.roots`). A product has the zeros of its factors. Of anything
else those are found where it changes its sign, and others may be missing.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from exprgrad.algebra.quotients import Element
from exprgrad.algebra.rational_functions import (
    HALF_ANGLE,
    RationalFunctions,
    real_zeros,
    vanishes_far_away,
)
from exprgrad.algebra.roots import Root
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import domain
from exprgrad.checking.levels import sign_changes
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.taylor import at_place, has_variables
from exprgrad.graph.order import topological
from exprgrad.graph.rational import LARGEST, rational
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.operations.number_types import Fault
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import ABS, ADD, CBRT, DIV, EXP, MUL, NEG, POW, SQRT, SUB
from exprgrad.proof.identity import vanishes
from exprgrad.sweeps.precise import Look, Probe
from exprgrad.sweeps.tape import Tape, primals

READING_WORK = 20_000
"""For a quotient of polynomials; products of monomials."""

ISOLATION_WORK = 10**7
"""For the roots of one polynomial."""

SMALLEST = 2.0**-1022
"""The smallest positive double with all its digits."""

MOST_BITS_OF_DOUBLES = 1023
"""Whole numbers of so many bits are within the range of doubles."""

HEAVY = 100
"""The weight of a look from which on fewer are taken."""

DENSE = 20
"""Zeros are looked for at every eighth up to this distance from 0, and farther apart beyond."""

MOST_ZEROS = 40

MOST_ALONE = 6
"""Zeros near 0 from which on those far away are taken for more of the same."""


class Zero(NamedTuple):
    """A zero: close to the double `near`, and `exact` as a graph where one is known."""

    near: float
    exact: Value | None

    @property
    def is_told(self) -> bool:
        """Whether the double tells it from 0: -1e-400 has no double but that of 0."""
        is_zero = self.exact is not None and rational(self.exact) == 0
        return is_zero or abs(self.near) >= SMALLEST


class Zeros(NamedTuple):
    """The zeros in order, and whether they are known to be all, beside those of whole intervals."""

    found: tuple[Zero, ...]
    complete: bool
    intervals: tuple[tuple[float, float], ...] = ()


def zeros(root: Value, name: str, depth: int = 2) -> Zeros:
    """The zeros of a formula of one variable, as far as they are found.

    Whether these are all is shown with the zeros of up to `depth` derivatives.
    """
    if (
        Probe(Tape(root, [n for n in topological(root) if is_variable(n)])).weight
        > HEAVY
    ):
        depth = 0  # formulas of gamma take a thousand times as long
    parts: list[Zeros] = []
    for factor in factors(simplify(root)):
        quotient = _rational(factor, name)
        if quotient is not None and quotient.number:
            parts.append(_of_rational(quotient))
        elif factor.operation is EXP:
            continue
        elif depth and (pieces := by_pieces(factor, name, depth)) is not None:
            parts.append(pieces)
        else:
            own = tuple(_scanned(factor, name))
            parts.append(_told(own, _is_all(factor, name, own, depth)))
    return united(parts)


def united(parts: Sequence[Zeros]) -> Zeros:
    """The zeros of several factors, each once."""
    found: list[Zero] = []
    for part in parts:
        others = list(found)
        found += [z for z in part.found if not any(_same(z, other) for other in others)]
    level = dict.fromkeys(ends for part in parts for ends in part.intervals)
    found.sort(key=lambda zero: zero.near)
    return Zeros(tuple(found), all(part.complete for part in parts), tuple(level))


def _same(a: Zero, b: Zero) -> bool:
    """Whether two zeros are one, as far as their doubles say where they are not known exactly."""
    if a.exact is None or b.exact is None:
        return abs(a.near - b.near) <= 1e-9 * max(1.0, abs(b.near))
    ratios = rational(a.exact), rational(b.exact)
    if None not in ratios:
        return ratios[0] == ratios[1]
    return abs(a.near - b.near) <= 1e-14 * abs(b.near)


# Formulas that repeat


def period(root: Value, name: str) -> Value | None:
    """After what a formula repeats, if its variable stands in angles a*x + b only, with rational a or a/pi."""
    found = _period(root, name, Constant(1.0))
    return _period(root, name, PI) if found is None else found


def _period(root: Value, name: str, unit: Value) -> Value | None:
    rates: dict[Value, set[Fraction]] = {}  # of what repeats; none of what is constant
    varying: set[Value] = set()
    for item in topological(root):
        if not is_variable(item) and varying.isdisjoint(item.operands):
            rates[item] = set()
            continue
        varying.add(item)
        if item.operation is None:
            continue
        if item.operation.angle:
            slope = derivative(item.operands[0], name)
            rate = rational(simplify(node(DIV, (slope, unit))))
            if rate:
                rates[item] = {abs(rate)}
        elif all(operand in rates for operand in item.operands):
            rates[item] = {rate for o in item.operands for rate in rates[o]}
    if not rates.get(root) or vanishes(derivative(root, name)):
        return None  # a constant repeats after any length
    slowest = functools.reduce(_common, rates[root])
    found = _turn(2 / slowest, unit)
    for part in (2, 3):  # of cos(x)^2 it is the half
        while _repeats(root, name, shorter := _turn(2 / slowest / part, unit)):
            slowest, found = slowest * part, shorter
    return found


def _common(a: Fraction, b: Fraction) -> Fraction:
    """The greatest number of which both are whole multiples."""
    below = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * below), int(b * below)), below)


def _turn(part: Fraction, unit: Value) -> Value:
    return simplify(node(MUL, (fraction(part), node(DIV, (PI, unit)))))


PI = Constant(math.pi, "pi")


def _repeats(root: Value, name: str, after: Value) -> bool:
    leaves = [n for n in topological(root) if is_variable(n)]
    moved = replaced(root, {leaf: node(ADD, (leaf, after)) for leaf in leaves})
    return vanishes(node(SUB, (moved, root)))


def zeros_of_period(root: Value, name: str, length: Value) -> Zeros | None:
    """All zeros of a formula in [0, length) or more of them, where it is one of sines and cosines of a*x.

    None where it is no other than a quotient of polynomials in t = tan(x/2) or the like.
    """
    parts = []
    for factor in factors(simplify(root)):
        if factor.operation is EXP:
            continue
        for count in (1, 2, 3, 4, 6):  # a part may repeat more slowly than the whole
            turn = simplify(node(MUL, (Constant(float(count)), length)))
            quotient = _in_half_angle(factor, name, turn)
            if quotient is not None:
                break
        if quotient is None or not quotient.number:
            return None
        parts.append(_of_half_angle(quotient, factor, name, turn))
    return united(parts)


def _in_half_angle(root: Value, name: str, turn: Value) -> Element | None:
    """A formula as a quotient of polynomials in tan(pi*x/turn)."""
    atoms = {}
    field = RationalFunctions(Work(READING_WORK))
    whole = node(DIV, (turn, node(MUL, (Constant(2.0), PI))))
    try:
        for item in topological(root):
            if item.operation is not None and item.operation.angle and has_variables(item):  # fmt: skip
                [angle] = item.operands
                rate = rational(simplify(node(MUL, (derivative(angle, name), whole))))
                start = at_place(angle, {name: Constant(0.0)})
                if rate is None or rate.denominator != 1 or not vanishes(start):
                    return None
                atoms[item] = field.of_half_angle(item.operation, int(rate))
        return field.read(root, "", atoms)
    except OutOfReachError:
        return None


def _of_half_angle(quotient: Element, root: Value, name: str, turn: Value) -> Zeros:
    """The zeros in [0, turn) of a formula that is a quotient of polynomials in t = tan(pi*x/turn)."""
    tangents = _of_rational(quotient)
    found = []
    for t in tangents.found:
        exact = None
        if t.exact is not None:
            angle = node(DIV, (node(TABLE["atan"], (t.exact,)), PI))
            turns = node(ADD, (angle, Constant(1.0))) if t.near < 0 else angle
            exact = simplify(node(MUL, (turn, turns)))
        part = math.atan(t.near) / math.pi
        near = _number(turn) * (part + (t.near < 0))
        usual = named(near, lambda at: _vanishes_at(root, name, at))
        found.append(Zero(near, exact) if usual.exact is None else usual)
    if vanishes_far_away(quotient):
        half = simplify(node(DIV, (turn, Constant(2.0))))
        found.append(Zero(_number(half), half))
    apart = len({zero.near for zero in found}) == len(found)
    return Zeros(tuple(found), tangents.complete and apart)


def _is_smooth(item: Value) -> bool:
    """Whether an operation of quotients of sines and cosines has a slope wherever it has a value."""
    if item.operation is POW:
        exponent = rational(item.operands[1])
        return exponent is not None and exponent.denominator == 1
    return item.operation in (None, NEG, ADD, SUB, MUL, DIV, *HALF_ANGLE)


def domain_repeats(root: Value, name: str, length: Value) -> bool:
    """Whether a quotient of sines, cosines and powers of x is surely defined at x + length just where it is at x."""
    twice = simplify(node(MUL, (Constant(2.0), length)))
    for item in topological(root):
        if not _is_smooth(item):
            return False
        if item.operation is DIV or item.operation is POW:
            power = item.operands[-1]
            below = item.operands[item.operation is DIV]
            positive = item.operation is POW and (rational(power) or 0) > 0
            if has_variables(below) and not positive and _in_half_angle(below, name, length) is None:  # fmt: skip
                return False
        elif item.operation in HALF_ANGLE and _in_half_angle(item, name, twice) is None:
            return False
    return True


def _number(root: Value) -> float:
    """A formula without variables as a double."""
    return float(Probe(Tape(root, ())).floats({}).value or 0.0)


# Formulas with corners


def by_pieces(root: Value, name: str, depth: int) -> Zeros | None:
    """The zeros of a formula such as abs(x - 1) + x*sign(x - 1), piece by piece; None where it has no corners.

    Between its corners, an operation whose partials are constant there is a sum: abs(x - 1) is x - 1 or 1 - x.
    """
    if not any(map(_is_sum_of_pieces, topological(root))):
        return None
    cuts = passes(root, name, depth - 1)
    turns = as_doubles(cuts)
    if turns is None or len(turns) > MOST_CUTS:
        return None
    probe = Probe(Tape(root, [n for n in topological(root) if is_variable(n)]), name)
    found = [zero for zero in cuts.found if _is_zero_of(probe, name, zero)]
    intervals = []
    ends = [-math.inf, *turns, math.inf]
    complete = True
    for a, b in itertools.pairwise(ends):
        plain = _smooth(root, name, _between(a, b))
        if plain is None:
            complete = complete and probe.floats({name: _between(a, b)}).value is None
        elif vanishes(plain):
            intervals.append((a, b))
        else:
            own = zeros(plain, name, depth)
            found += [z for z in own.found if a < z.near < b]
            complete = complete and own.complete
    return Zeros(tuple(found), complete, tuple(intervals))


MOST_CUTS = 12


def as_doubles(zeros: Zeros) -> list[float] | None:
    """The zeros as doubles; None where they are not all, or doubles do not tell them apart."""
    found = sorted({zero.near for zero in zeros.found})
    told = all(zero.is_told for zero in zeros.found) and len(found) == len(zeros.found)
    return found if told and zeros.complete else None


def _is_zero_of(probe: Probe, name: str, zero: Zero) -> bool:
    """Whether a formula is 0 at a place of its corners."""
    if probe.floats({name: zero.near}).value == 0:
        return True
    return zero.exact is not None and _vanishes_at(
        probe.tape.nodes[probe.tape.root], name, zero.exact
    )


def _has_corner(item: Value) -> bool:
    """Whether an operation has corners, or chooses, where its operands pass each other."""
    operation = item.operation
    if operation is None or operation.rule == POW.rule:
        return False
    return operation.corner is not None and any(map(has_variables, item.operands))


def _is_sum_of_pieces(item: Value) -> bool:
    """Whether an operation has corners and is a sum of its operands, with constant factors, between these."""
    return (
        item.operation is not None
        and _has_corner(item)
        and _slopes(item.operation, len(item.operands)) is not None
    )


def _between(a: float, b: float) -> float:
    if math.isinf(a) and math.isinf(b):
        return 0.5
    if math.isinf(a):
        return b - 1 - abs(b) / 2
    return a + 1 + abs(a) / 2 if math.isinf(b) else (a + b) / 2


def _smooth(root: Value, name: str, x: float) -> Value | None:
    """What a formula with corners is on the piece around a number; None where it has no value there."""
    tape = Tape(root, [n for n in topological(root) if is_variable(n)])
    try:
        values: Sequence[Any] = primals(tape, dict.fromkeys(tape.variables, x))
    except (Fault, *ARITHMETIC):
        return None
    index = {item: i for i, item in enumerate(tape.nodes)}
    new: dict[Value, Value] = {}
    for item in topological(root):
        operands = tuple(new[o] for o in item.operands)
        if item.operation is None:
            new[item] = item
        elif values[index[item]] is None:  # in a branch that is not taken
            new[item] = node(item.operation, operands)
        elif item.operation.choose and (taken := item.operation.choose(values[index[item.operands[0]]])):  # fmt: skip
            new[item] = operands[taken]
        elif _is_sum_of_pieces(item):
            own = [values[index[o]] for o in item.operands]
            sum_ = _as_sum(item.operation, operands, own, values[index[item]])
            if sum_ is None:
                return None
            new[item] = sum_
        else:
            new[item] = node(item.operation, operands)
    return simplify(new[root])


def _as_sum(
    operation: Operation, operands: Sequence[Value], own: Sequence[float], value: float
) -> Value | None:
    """c + sum of p_i u_i, which an operation with constant partials p_i is; None where they are not constant."""
    slopes = _slopes(operation, len(operands))
    if slopes is None:
        return None
    names = [f"u{i}" for i in range(len(operands))]
    at = dict(zip(names, own, strict=True))
    total, rest = None, value
    for slope, operand, u in zip(slopes, operands, own, strict=True):
        leaves = [n for n in topological(slope) if is_variable(n)]
        p = Probe(Tape(slope, leaves)).floats({n.name or "": at[n.name or ""] for n in leaves}).value  # fmt: skip
        if p is None or p != round(p):
            return None
        rest -= p * u
        if p:
            term = operand if p == 1 else node(MUL, (Constant(p), operand))
            total = term if total is None else node(ADD, (total, term))
    constant = round(rest)
    if abs(rest - constant) > 1e-9 * max(1.0, *map(abs, own)):
        return None
    if total is None:
        return Constant(constant)
    return node(ADD, (total, Constant(constant))) if constant else total


@functools.cache
def _slopes(operation: Operation, count: int) -> tuple[Value, ...] | None:
    """The partials of an operation, where these have no slopes themselves."""
    names = [f"u{i}" for i in range(count)]
    item = node(operation, tuple(Value(None, n) for n in names))
    found = tuple(derivative(item, n) for n in names)
    flat = all(vanishes(derivative(slope, n)) for slope in found for n in names)
    return found if flat else None


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
        elif item.operation is DIV or item.operation in (SQRT, CBRT, ABS):
            stack.append(item.operands[0])
        elif item.operation is POW:
            exponent = rational(item.operands[1])
            if exponent is None or exponent > 0:
                stack.append(item.operands[0])
        elif has_variables(item) or vanishes(item):
            yield item


# Quotients of polynomials


def _rational(root: Value, name: str) -> Element | None:
    """A formula as a quotient of polynomials; None where it is none, or has too many coefficients or digits."""
    try:
        return RationalFunctions(Work(READING_WORK)).read(root, name)
    except OutOfReachError:
        return None


def _of_rational(quotient: Element) -> Zeros:
    """The real zeros of a quotient of polynomials that is not 0, exact where they are fractions or of degree 2."""
    try:
        roots = real_zeros(quotient, Work(ISOLATION_WORK))
    except OutOfReachError:
        return Zeros((), False)
    return _told([Zero(root.near, _exact(root)) for root in roots], True)


def _exact(root: Root) -> Value | None:
    """A root as a graph: m ± sqrt(s) where it is one of a polynomial of degree 2."""
    if root.rational is not None:
        return fraction(root.rational) if math.isfinite(root.near) else None
    if root.quadratic is None:
        return None
    middle, square, sign = root.quadratic
    size = _root(square)
    if size is None:
        return None
    if middle:
        return node(ADD if sign > 0 else SUB, (fraction(middle), size))
    return size if sign > 0 else node(NEG, (size,))


def _told(found: Sequence[Zero], complete: bool) -> Zeros:
    """Zeros without those that are only known to be beyond the range of doubles, or too close to 0 for it."""
    told = [
        z for z in found if math.isfinite(z.near) and (z.exact is not None or z.is_told)
    ]
    return Zeros(tuple(told), complete and len(told) == len(found))


def fraction(x: Fraction) -> Value:
    """A fraction as a graph."""
    short = max(abs(x.numerator), x.denominator) <= LARGEST
    return simplify(Constant(x)) if short else Constant(x)


def _root(square: Fraction) -> Value | None:
    """sqrt(p/q) as k*sqrt(m)/n; None for numbers beyond the range of doubles."""
    number, below = square.numerator * square.denominator, square.denominator
    outside = 1
    for k in range(2, min(1000, math.isqrt(number) + 1)):
        while number % (k * k) == 0:
            number, outside = number // (k * k), outside * k
    factor = Fraction(outside, below)
    if max(number, *factor.as_integer_ratio()).bit_length() > MOST_BITS_OF_DOUBLES:  # fmt: skip
        return None
    root = node(SQRT, (Constant(Fraction(number)),))
    over, under = (Constant(Fraction(n)) for n in factor.as_integer_ratio())
    scaled = root if factor.numerator == 1 else node(MUL, (over, root))
    return scaled if factor.denominator == 1 else node(DIV, (scaled, under))


# Anything else


def _scanned(root: Value, name: str) -> Iterator[Zero]:
    """Zeros where a formula changes its sign, or that Newton's method finds."""
    probe = Probe(Tape(root, [n for n in topological(root) if is_variable(n)]), name)

    def value(x: float) -> float | None:
        found: float | None = probe.floats({name: x}).value
        return found

    # the step is a power of 2; a look that takes long is taken less often
    apart = 8 if probe.weight <= HEAVY else 2
    dense = [k / apart + 1 / 64 for k in range(-apart * DENSE, apart * DENSE)]
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
    turns = [zeros(derivative(root, name), name, depth - 1)]
    for part, level in domain.guards(root, name):
        passed = simplify(node(SUB, (part, Constant(level))))
        guard = _rational(passed, name)
        if guard is None:
            turns.append(zeros(passed, name, depth - 1))
        elif guard.number:
            turns += [_of_rational(guard), _of_rational(1 / guard)]
    return as_doubles(united(turns))


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
        if root is not None:
            yield root if x > 0 else node(NEG, (root,))
    if 0 < abs(x) < 1e6 and x > 0:
        power = Fraction(math.log(x)).limit_denominator(12)
        yield simplify(node(POW, (e, fraction(power))))
    if abs(x) < 20:
        inside = Fraction(math.exp(x)).limit_denominator(100)
        if inside > 0:
            yield node(TABLE["ln"], (fraction(inside),))


def passes_of_period(root: Value, name: str, length: Value) -> Zeros | None:
    """The same in [0, length), or more of them; None where they are not known to be all."""
    if all(map(_is_smooth, topological(root))):
        return Zeros((), True)
    parts = [
        zeros_of_period(node(SUB, (part, Constant(level))), name, length)
        for part, level in domain.guards(root, name)
    ]
    known = [part for part in parts if part is not None and part.complete]
    is_all = len(known) == len(parts) and _has_few_corners(root, name)
    return united(known) if is_all else None


def passes(root: Value, name: str, depth: int = 1) -> Zeros:
    """Where an operation of a graph stops being regular: where its argument passes 0, or another landmark."""
    guards = domain.guards(root, name)
    parts = [zeros(simplify(node(SUB, (part, Constant(level)))), name, depth) for part, level in guards]  # fmt: skip
    found = united(parts)
    complete = found.complete and not found.intervals and _has_few_corners(root, name)
    return Zeros(found.found, complete)


def _has_few_corners(root: Value, name: str) -> bool:
    """Whether every operation with corners has a few known ones: floor has more, and mod others."""
    levels: dict[frozenset[Value], int] = {}
    for part, _ in domain.guards(root, name):
        met = part.operands if part.operation is SUB else (part,)  # of max(a, b): a - b
        for key in {frozenset((part,)), frozenset(met)}:
            levels[key] = levels.get(key, 0) + 1
    for item in topological(root):
        # of a power, the base is a guard where its corner is
        if _has_corner(item) and not _chooses(item):
            keys = [frozenset((operand,)) for operand in item.operands]
            counts = [levels.get(k, 0) for k in (*keys, frozenset(item.operands))]
            if not 0 < max(counts) < domain.MOST_LANDMARKS:
                return False
    return True


def _chooses(item: Value) -> bool:
    """Whether an operation takes a branch by a condition, whose comparisons have the corners."""
    return (
        item.operation is not None
        and item.operation.choose is not None
        and any(_has_corner(part) for part in topological(item.operands[0]))
    )
