"""The real zeros of a formula in one variable, and whether these are all of them.

    zeros(root, "x").found          the zeros, exact where they can be written: 1/2, (1 + sqrt(5))/2
    zeros(root, "x").complete       whether it is known that there are no others

A product has the zeros of its factors. Those of polynomials, and of what is one in an exponential, a root or the like,
are solved for (`algebraic`). Anything else is searched: a formula that rises or falls throughout a piece
has at most one zero there, and pieces whose values are bounded away from 0 have none.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from exprgrad.algebra.work import OutOfReachError
from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import domain
from exprgrad.checking.kinds.algebraic import (
    PI,
    Zero,
    common_zeros,
    fraction,
    named,
    same,
    value_of,
)
from exprgrad.errors import ExprgradError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.taylor import at_place, has_variables
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.operations.number_types import Fault, local_partial
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import ABS, ADD, CBRT, DIV, EXP, MUL, NEG, POW, SQRT, SUB
from exprgrad.proof.identity import vanishes
from exprgrad.sweeps.bounds import Bounds
from exprgrad.sweeps.coordinates import Interval
from exprgrad.sweeps.precise import Look, Probe
from exprgrad.sweeps.ranges import Range, everything, values
from exprgrad.sweeps.tape import primals

HEAVY = 100
"""The weight of a look from which on fewer are taken."""

MOST_ZEROS = 40

MOST_BOXES = 600
"""Intervals over which the values of a formula are looked at."""

FAR, FARTHEST, NARROW, NARROWEST = 128.0, 2.0**40, 2.0**-6, 2.0**-30
NEAR_ZERO = 1e-10


class Zeros(NamedTuple):
    """The zeros in order, and whether they are known to be all, beside those of whole intervals."""

    found: tuple[Zero, ...]
    complete: bool
    intervals: tuple[tuple[float, float], ...] = ()


def zeros(root: Value, name: str, depth: int = 2) -> Zeros:
    """The zeros of a formula of one variable, as far as they are found.

    Whether these are all is shown with the zeros of up to `depth` derivatives.
    """
    if probe_of(root, name).weight > HEAVY:
        depth = 0  # formulas of gamma take a thousand times as long
    return united([_of_factor(factor, name, depth) for factor in factors(simplify(root)) if factor.operation is not EXP])  # fmt: skip


def _of_factor(factor: Value, name: str, depth: int) -> Zeros:
    """The zeros of a formula that is no product."""
    if depth and (pieces := by_pieces(factor, name, depth)) is not None:
        return pieces
    solved = _solved(factor, name)
    if solved is not None:
        return solved
    tape = probe_of(factor, name).tape
    whole = values(tape, {name: everything()})
    if whole is not None and 0 not in whole:
        return Zeros((), True)
    found = _isolated(factor, name)
    if depth and not found.complete:
        found = found._replace(complete=_is_all(factor, name, found.found, depth))
    return found


def _solved(factor: Value, name: str) -> Zeros | None:
    """All zeros, where they are finitely many and can be solved for; None otherwise."""
    try:
        found = common_zeros([factor], (name,))
    except OutOfReachError:
        return None
    if found.periods or not found.is_finite:
        return None
    probe = probe_of(factor, name)

    def is_met(zero: Zero) -> bool:
        """Whether it is one, and no place where there is no value, nor one that belongs to another sign."""
        if zero.exact is None:
            if not zero.is_told or not math.isfinite(zero.near):
                return True
            look = probe.floats({name: zero.near})
            size = max(1.0, abs(zero.near)) * (1.0 + abs(look.slope or 0.0))
            return look.value is not None and abs(look.value) <= NEAR_ZERO * size
        try:
            known = Expression.of(factor).evaluate({name: zero.exact}, ()).known()
        except ExprgradError:
            return False
        return known.value is not None and abs(known.value) <= known.error

    own = [zero for zero in (point[name] for point in found.points) if is_met(zero)]
    told = [z for z in own if math.isfinite(z.near) and (z.exact is not None or z.is_told)]  # fmt: skip
    return Zeros(tuple(sorted(told, key=lambda z: z.near)), len(told) == len(own))


def probe_of(root: Value, name: str | None = None) -> Probe:
    """A formula prepared for looks, at its slope along a variable too."""
    return Probe(domain.tape_of(root), name)


def united(parts: Sequence[Zeros]) -> Zeros:
    """The zeros of several factors, each once."""
    found: list[Zero] = []
    for part in parts:
        others = list(found)
        found += [z for z in part.found if not any(same(z, other) for other in others)]
    level = dict.fromkeys(ends for part in parts for ends in part.intervals)
    found.sort(key=lambda zero: zero.near)
    return Zeros(tuple(found), all(part.complete for part in parts), tuple(level))


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
    below = math.lcm(*(rate.denominator for rate in rates[root]))
    slowest = Fraction(math.gcd(*(int(rate * below) for rate in rates[root])), below)

    def turn(part: Fraction) -> Value:
        return simplify(node(MUL, (fraction(part), node(DIV, (PI, unit)))))

    found = turn(2 / slowest)
    for part in (2, 3):  # of cos(x)^2 it is the half
        while repeats(root, name, shorter := turn(2 / slowest / part)):
            slowest, found = slowest * part, shorter
    return found


def repeats(root: Value, name: str, after: Value) -> bool:
    """Whether a formula is proved to have the same value everywhere when its variable is so much larger."""
    leaves = [n for n in topological(root) if is_variable(n) and n.name == name]
    moved = replaced(root, {leaf: node(ADD, (leaf, after)) for leaf in leaves})
    return vanishes(node(SUB, (moved, root)))


def zeros_of_period(root: Value, name: str, length: Value) -> Zeros | None:
    """All zeros of a formula in [0, length), after which they repeat; None where they cannot be solved for."""
    try:
        solved = common_zeros([root], (name,))
    except OutOfReachError:
        return None
    if not solved.is_finite or (solved.points and not solved.periods):
        return None
    found: list[Zero] = []
    whole = value_of(length)
    for point in solved.points:
        zero, own = point[name], solved.periods[name]
        for k in range(math.ceil(whole / value_of(own) - 1e-9)):
            turned = _turned(zero, k, own)
            here = _turned(turned, -math.floor(turned.near / whole + 1e-12), length)
            found += [] if any(same(here, other) for other in found) else [here]
    return Zeros(tuple(sorted(found, key=lambda zero: zero.near)), True)


def _turned(zero: Zero, count: int, length: Value) -> Zero:
    """A zero some periods away."""
    if not count:
        return zero
    if zero.exact is None:
        return Zero(zero.near + count * value_of(length), None)
    exact = simplify(node(ADD, (zero.exact, node(MUL, (Constant(count), length)))))
    return Zero(value_of(exact), exact)


SMOOTH = (None, NEG, ADD, SUB, MUL, DIV, EXP, *(TABLE[n] for n in ("sin", "cos", "tan", "cot", "sec", "csc")))  # fmt: skip


def _is_smooth(item: Value) -> bool:
    """Whether an operation has a slope wherever it has a value, which it lacks only where it divides by 0."""
    if item.operation is POW:
        exponent = rational(item.operands[1])
        return exponent is not None and exponent.denominator == 1
    return item.operation in SMOOTH


def domain_repeats(root: Value, name: str, length: Value) -> bool:
    """Whether what is made of smooth operations is surely defined at x + length just where it is at x."""
    for item in topological(root):
        if not _is_smooth(item):
            return False
        power = item.operands[1] if item.operation is POW else None
        if item.operation is DIV or (power is not None and (rational(power) or 0) < 0):
            below = item.operands[item.operation is DIV]
        elif item.operation is not None and item.operation.name in ("tan", "cot", "sec", "csc"):  # fmt: skip
            below = item
        else:
            continue
        square = node(MUL, (below, below))
        if has_variables(below) and not repeats(square, name, length):
            return False
    return True


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
    probe = probe_of(root, name)
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
    root = probe.tape.nodes[probe.tape.root]
    return zero.exact is not None and vanishes(at_place(root, {name: zero.exact}))


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
        and _has_flat_partials(item.operation, len(item.operands))
    )


@functools.cache
def _has_flat_partials(operation: Operation, count: int) -> bool:
    names = [f"u{i}" for i in range(count)]
    item = node(operation, tuple(Value(None, n) for n in names))
    slopes = [derivative(item, n) for n in names]
    return all(vanishes(derivative(slope, n)) for slope in slopes for n in names)


def _between(a: float, b: float) -> float:
    if math.isinf(a) and math.isinf(b):
        return 0.5
    if math.isinf(a):
        return b - 1 - abs(b) / 2
    return a + 1 + abs(a) / 2 if math.isinf(b) else (a + b) / 2


def _smooth(root: Value, name: str, x: float) -> Value | None:
    """What a formula with corners is on the piece around a number; None where it has no value there."""
    tape = domain.tape_of(root)
    try:
        found: Sequence[Any] = primals(tape, dict.fromkeys(tape.variables, x))
    except (Fault, *ARITHMETIC):
        return None
    values = dict(zip(tape.nodes, found, strict=True))
    new: dict[Value, Value] = {}
    for item in topological(root):
        operation, operands = item.operation, tuple(new[o] for o in item.operands)
        value, own = values[item], [values[o] for o in item.operands]
        if operation is None:
            new[item] = item
            continue
        # there is no value in a branch that is not taken
        choose = None if value is None else operation.choose
        taken = choose(own[0]) if choose else None
        if taken:
            new[item] = operands[taken]
        elif value is None or not _is_sum_of_pieces(item):
            new[item] = node(operation, operands)
        else:  # c + sum of p_i u_i, with the partials p_i
            total, rest = None, value
            for i, (operand, u) in enumerate(zip(operands, own, strict=True)):
                p = local_partial(operation, i, value, own)
                if not p.is_integer():
                    return None
                rest -= p * u
                if p:
                    term = operand if p == 1 else node(MUL, (Constant(p), operand))
                    total = term if total is None else node(ADD, (total, term))
            constant = Constant(round(rest))
            if abs(rest - round(rest)) > 1e-9 * max(1.0, *map(abs, own)):
                return None
            if total is None or round(rest):
                total = constant if total is None else node(ADD, (total, constant))
            new[item] = total
    return simplify(new[root])


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


# Anything else


def _isolated(root: Value, name: str) -> Zeros:
    """The zeros, those next to 0 first, by interval Newton, and whether no interval is left in which others may be.

    Over an interval the values may be bounded away from 0, or the slope: then there is at most one zero, and none where
    the ends have the same sign. Else it is divided. Those that end at a place without value or are infinite are looked at
    as ranges, too.
    """
    probe, bounds = probe_of(root, name), Bounds(probe_of(root).tape)
    if name not in probe.tape.variables:
        return Zeros((), False)  # it is 0 everywhere
    cuts = _breaks(root, name, 1)
    known = as_doubles(cuts)
    found = [zero.near for zero in cuts.found if _is_zero_of(probe, name, zero)]
    ends = [-math.inf, *sorted({zero.near for zero in cuts.found if math.isfinite(zero.near)}), math.inf]  # fmt: skip
    boxes = [
        _box(a, b)
        for a, b in itertools.pairwise(ends)
        if known is None or probe.floats({name: _between(a, b)}).value is not None
    ]
    heapq.heapify(boxes)
    is_all = known is not None
    left = MOST_BOXES
    while boxes and left and len(found) <= MOST_ZEROS:
        left -= 1
        *_, low, high = heapq.heappop(boxes)
        is_far = math.isinf(high - low)
        if is_far or low in ends or high in ends:
            near = values(probe.tape, {name: Range(low, high, (False, False))})
            if near is not None and 0 not in near:
                continue
        middle = (low + high) / 2
        if is_far and high == math.inf:
            middle = 0.3 if math.isinf(low) else max(8.0, 8 * low)
        elif is_far:
            middle = min(-8.0, 8 * high)
        else:
            radius = (high - low) / 2 * (1 + 2.0**-40)
            over = bounds.over({name: Interval(middle, radius)}, (name,))
            value, slope = over.value, over.partials[name]
            if not isinstance(value, Exception) and not value.arb.contains(0):
                continue
            if not isinstance(slope, Exception) and not slope.arb.contains(0):
                found += _bisected(probe, name, low, high)
                continue
        if abs(middle) > FARTHEST:
            is_all = False
        elif high - low < NARROWEST * max(1.0, abs(middle)):
            is_all = False
            found += [z.near for z in [_named(root, name, middle)] if z.exact is not None]  # fmt: skip
        else:
            heapq.heappush(boxes, _box(low, middle))
            heapq.heappush(boxes, _box(middle, high))
    every = united([Zeros((_named(root, name, x),), True) for x in sorted(found)]).found
    told = tuple(zero for zero in every if zero.is_told)
    return Zeros(told, is_all and not boxes and len(told) == len(every))


def _box(low: float, high: float) -> tuple[bool, float, float, float]:
    """An interval, behind whether it is so narrow, or so far away, that others come before, and its distance from 0."""
    apart = max(low, -high, 0.0)
    return high - low < NARROW * (1 + apart) or apart > FAR, apart, low, high


def _bisected(probe: Probe, name: str, low: float, high: float) -> list[float]:
    """The zero of a formula that rises or falls throughout an interval, if it has one there."""

    def sign(x: float) -> float:
        value = probe.precise({name: x}, 40).value
        return 0.0 if value is None else float(value > 0) - float(value < 0)

    below, above = sign(low), sign(high)
    if not (below and above):
        return [x for x, s in ((low, below), (high, above)) if not s]
    if below == above:
        return []
    while low < (middle := (low + high) / 2) < high:
        value = probe.floats({name: middle}).value
        if not value:
            return [middle]
        low, high = (middle, high) if (value > 0) == (below > 0) else (low, middle)
    return [low]


def _named(root: Value, name: str, x: float) -> Zero:
    return named(x, lambda at: vanishes(at_place(root, {name: at})))


def _is_all(root: Value, name: str, found: Sequence[Zero], depth: int) -> bool:
    """Whether there are no other zeros, by Rolle's theorem for the formula, or for it divided by one of its terms."""
    if len(found) > MOST_ZEROS:
        return False
    if _is_all_by_slope(root, root, name, found, depth):
        return True
    terms, stack = list[Value](), [root] if depth > 1 else []
    while stack:
        item = stack.pop()
        if item.operation in (ADD, SUB, NEG):
            stack += item.operands
        elif has_variables(item):
            terms.append(item)
    return any(
        _is_all_by_slope(root, simplify(node(DIV, (root, term))), name, found, depth)
        for term in terms[:MOST_TERMS]
    )


MOST_TERMS = 3


def _is_all_by_slope(
    root: Value, ratio: Value, name: str, found: Sequence[Zero], depth: int
) -> bool:
    """Whether there are no other zeros of a formula than these, and those of another that has the same but where it ends.

    Between zeros of the derivative, and where the formula stops being regular, it rises or falls throughout: it has
    at most one zero there, and none where it keeps its sign at the ends, or moves away from 0 towards them.
    """
    slope = zeros(derivative(ratio, name), name, depth - 1)
    ends = as_doubles(united([slope, _breaks(ratio, name, depth - 1)]))
    if ends is None:
        return False
    probe, whole = probe_of(ratio, name), probe_of(root, name)
    inner = [(a + b) / 2 for a, b in itertools.pairwise(ends)]
    first, last = (ends[0], ends[-1]) if ends else (0.0, 0.0)
    sides = [-math.inf, *ends, math.inf]
    points = [first - 1 - abs(first), *inner, last + 1 + abs(last)] if ends else [0.5]
    for a, x, b in zip(sides, points, sides[1:], strict=False):
        if not any(a < zero.near < b for zero in found):
            look = probe.floats({name: x})
            if look.value is not None and not (
                look.slope
                and all(
                    _is_met_at(end, found) or _leaves(probe, name, look, x, end)
                    for end in (a, b)
                )
            ):
                return False
    for end in ends if ratio is not root else ():
        value = whole.floats({name: end}).value
        if value is not None and abs(value) < 1e-9 and not _is_met_at(end, found):
            return False
    return True


def _is_met_at(end: float, found: Sequence[Zero]) -> bool:
    """Whether one of these zeros is at the end of a piece, so that there is none within."""
    room = 1e-9 * max(1.0, abs(end)) if math.isfinite(end) else 0.0
    return any(abs(zero.near - end) <= room for zero in found)


def _leaves(probe: Probe, name: str, look: Look, x: float, end: float) -> bool:
    """Whether a formula that rises or falls throughout has no zero from a point to the end of its piece."""
    if look.value * look.slope * (end - x) > 0:
        return True  # it moves away from 0
    there = probe.floats({name: end}).value if math.isfinite(end) else None
    if there is not None:
        return bool(abs(there) > 1e-12 and (there > 0) == (look.value > 0))
    # it may be bounded away from 0 far out, with the sign that it has here
    for far in (16.0, 1024.0, 2.0**20) if math.isinf(end) else ():
        start = max(abs(x), far)
        beyond = Range(start, math.inf) if end > 0 else Range(-math.inf, -start)
        found = values(probe.tape, {name: beyond})
        if found is not None and 0 not in found:
            here = probe.floats({name: math.copysign(start, end)}).value
            return bool(here is not None and (here > 0) == (look.value > 0))
    return False


def _breaks(root: Value, name: str, depth: int) -> Zeros:
    """Where a formula stops being regular, and whether these are all: there are more poles of sec(x) than are known."""
    found = _passes(root, name, depth)
    guards = domain.guards(root, name)
    counts = Counter(part for part, _ in guards)
    few = max(counts.values(), default=0) < domain.MOST_LANDMARKS
    return found._replace(complete=found.complete and few and len(guards) < domain.MOST_GUARDS)  # fmt: skip


def _passes(root: Value, name: str, depth: int) -> Zeros:
    return united([
        zeros(simplify(node(SUB, (part, Constant(level)))), name, depth)
        for part, level in domain.guards(root, name)
    ])  # fmt: skip


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
    found = _passes(root, name, depth)
    complete = found.complete and not found.intervals and _has_few_corners(root, name)
    return Zeros(found.found, complete)


def _has_few_corners(root: Value, name: str) -> bool:
    """Whether every operation with corners has a few known ones: floor has more, and mod others."""
    levels: Counter[frozenset[Value]] = Counter()
    for part, _ in domain.guards(root, name):
        met = part.operands if part.operation is SUB else (part,)  # of max(a, b): a - b
        levels.update({frozenset((part,)), frozenset(met)})
    for item in filter(_has_corner, topological(root)):
        # of a power, the base is a guard where its corner is; a choice has the corners of its condition
        chooses = item.operation is not None and item.operation.choose is not None
        if chooses and any(map(_has_corner, topological(item.operands[0]))):
            continue
        keys = [*({operand} for operand in item.operands), {*item.operands}]
        most = max(levels[frozenset(key)] for key in keys)
        if not 0 < most < domain.MOST_LANDMARKS:
            return False
    return True
