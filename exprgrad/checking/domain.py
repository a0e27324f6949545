"""Where to look: points in every piece of an expression's real domain, that a person can redo.

Along the line of one variable, the others held, an operation is regular except where an argument
passes a landmark of it: 0 for a root, a logarithm or a divisor, ±1 for an arc sine. The landmarks are
found from the conditions and corners in the table, the places where arguments pass them by sign changes
on a grid and by Newton's method from its points; so narrow and far pieces are found too. The points are
short binary fractions: 2, -0.5, 900.5.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, node
from exprgrad.operations.conditions import Phrase, phrase
from exprgrad.operations.number_types import Fault, at_corner
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import SUB
from exprgrad.sweeps.tape import Tape, primals, pull_back

STANDARD = (
    0.0,
    1.0,
    2.0,
    -1.0,
    0.5,
    -2.0,
    3.0,
    -0.5,
    10.0,
    -7.0,
    0.125,
    41.5,
    0.3,
    4.7,
    -2.6,
)
"""Where to look first, in this order; not only where sin(8*pi*x) is 0."""

_GRID = (0.0, 0.25, 0.75, 1.25, 2.0, 3.5, 6.0, 13.0, 40.0, 130.0, 1000.0, 30000.0)
GRID = tuple(sorted({sign * x for x in _GRID for sign in (-1.0, 1.0)}))

MOST_LANDMARKS = 5
MOST_BREAKS = 24
MOST_GUARDS = 24
MOST_STARTS = 8
MOST_NEWTON = 40
FARTHEST = 1e9

WORK = 150_000
"""Visits of arithmetic operations that the search for breaks may take."""


def breaks(
    roots: Sequence[Value], variable: str, others: dict[str, float]
) -> list[float]:
    """Where, along the variable, an operation of these graphs stops being regular; in order."""
    found: set[float] = set()
    seen: set[object] = set()
    spent = 0
    for part, level in guards(tuple(roots), variable):
        line = _Line(part, variable, others, level)
        if line.key in seen:
            continue
        seen.add(line.key)
        found.update(line.roots())
        spent += line.spent
        if spent > WORK or len(found) >= MOST_BREAKS:
            break
    return sorted(_apart(sorted(found, key=abs)[:MOST_BREAKS]))


def guards(roots: tuple[Value, ...], variable: str) -> list[tuple[Value, float]]:
    """The parts that depend on the variable, each with a value at which what uses it is irregular."""
    active: set[Value] = set()
    found: dict[tuple[Value, float], None] = {}
    for item in (item for root in roots for item in topological(root)):
        if item.operation is None:
            if item.name == variable:
                active.add(item)
            continue
        if not any(operand in active for operand in item.operands):
            continue
        active.add(item)
        for part, level in _guards_of(item, item.operation):
            if part in active or any(o in active for o in part.operands):
                found[part, level] = None
        if len(found) >= MOST_GUARDS:
            break
    return list(found)


def _guards_of(item: Value, operation: Operation) -> Iterator[tuple[Value, float]]:
    for i, operand in enumerate(item.operands):
        for level in landmarks(operation)[i]:
            yield operand, level
    for left, right in _compared(operation):
        sides = [side.on(_built, item.operands) for side in (left, right)]
        yield node(SUB, tuple(map(_as_node, sides))), 0.0


def _built(name: str) -> Callable[..., Value]:
    return lambda *operands: node(TABLE[name], tuple(map(_as_node, operands)))


def _as_node(thing: Value | float) -> Value:
    return thing if isinstance(thing, Value) else Constant(thing)


def _asked(operation: Operation) -> Iterator[Phrase]:
    """The comparisons in the conditions and the corner of a row."""
    rules = [condition.holds for condition in operation.domain]
    for rule in [*rules, operation.corner] if operation.corner else rules:
        yield from phrase(rule, operation.arity).comparisons()


@cache
def _compared(operation: Operation) -> tuple[tuple[Phrase, Phrase], ...]:
    """What the row compares that depends on more than one argument: x with y, of max."""
    pairs = {repr(p): p.operands for p in _asked(operation) if len(p.arguments()) > 1}
    return tuple(pairs.values())  # type: ignore[arg-type] # a comparison has two operands


@cache
def landmarks(operation: Operation) -> tuple[tuple[float, ...], ...]:
    """For every argument, the numbers at which the operation is not regular, the others generic.

    They are where two sides that the row compares are equal: 0 for ln, ±1 for asin, whole numbers for
    floor. Of those the next to 0 are taken.
    """
    found: list[list[float]] = [[] for _ in range(operation.arity)]
    for comparison in _asked(operation):
        if len(comparison.arguments()) == 1:
            [i] = comparison.arguments()
            found[i] += _solved(comparison, i)
    return tuple(
        tuple(sorted(_nearest(operation, i, own))) for i, own in enumerate(found)
    )


def _nearest(operation: Operation, index: int, numbers: Iterable[float]) -> list[float]:
    apart = sorted(_apart(numbers), key=abs)
    kept = (x for x in apart if _is_landmark(operation, index, x))
    return list(itertools.islice(kept, MOST_LANDMARKS))


_SCAN = tuple(
    sorted({s * x for x in [*(k / 8 for k in range(57)), *(2.0**k for k in range(3, 31))] for s in (1, -1)})
)  # fmt: skip


def _solved(comparison: Phrase, index: int) -> list[float]:
    """Where the sides of a comparison are equal: at a number in it, or by sign changes on a grid."""

    def difference(x: float) -> float | None:
        arguments = [x] * (index + 1)
        try:
            left, right = (s.on(_kernel, arguments) for s in comparison.operands)
        except ARITHMETIC:
            return None
        return float(left - right)

    typed = [p.number for p in comparison.parts() if p.number is not None]
    numbers = [x for t in typed for x in (t, -t) if difference(x) == 0]
    values = [(x, difference(x)) for x in _SCAN]
    return [*numbers, *sign_changes(values, difference, 3 * MOST_LANDMARKS)]


def _kernel(name: str) -> Callable[..., Any]:
    return TABLE[name].kernel


def _apart(numbers: Iterable[float]) -> list[float]:
    """The numbers, each once, though rounding may tell some apart."""
    kept: list[float] = []
    for x in numbers:
        if not any(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) for y in kept):
            kept.append(x)
    return kept


def _is_landmark(operation: Operation, index: int, level: float) -> bool:
    """Whether something changes there: a number of a condition may not matter beside another one."""
    for other in (0.7, 2.4, -0.7, 3.0, -1 / 3):
        arguments = [other] * operation.arity
        states = []
        for x in (level - 1e-6, level, level + 1e-6):
            arguments[index] = x
            states.append(_regular(operation, tuple(arguments)))
        if any(states) and not all(states):
            return True
    return False


def _regular(operation: Operation, arguments: tuple[float, ...]) -> bool:
    try:
        fails = operation.failing(arguments) is not None
    except ARITHMETIC:
        return False
    return not fails and not at_corner(operation, arguments)


def sign_changes(
    values: Sequence[tuple[float, float | None]],
    value: Callable[[float], float | None],
    most: int | None = None,
) -> Iterator[float]:
    """Zeros of a function among these points and between those where it changes its sign.

    With `most`, so many of them next to 0.
    """
    brackets = []
    for (a, u), (b, v) in itertools.pairwise(values):
        if u == 0:
            brackets.append((a, a, u))
        elif u and v and (u < 0) != (v < 0):
            brackets.append((a, b, u))
    brackets.sort(key=lambda bracket: min(abs(bracket[0]), abs(bracket[1])))
    return (_bisected(value, *bracket) for bracket in brackets[:most])


def _bisected(
    value: Callable[[float], float | None], a: float, b: float, at_a: float
) -> float:
    """A zero, or a jump over it, between a and b."""
    while a < (middle := (a + b) / 2) < b:
        here = value(middle)
        if not here:
            return middle
        a, b = (middle, b) if (here < 0) == (at_a < 0) else (a, middle)
    return min(a, b, key=lambda x: abs(value(x) or 0.0))


class _Line:
    """One part of an expression along the variable: its value and slope, less the level."""

    def __init__(
        self, part: Value, variable: str, others: dict[str, float], level: float
    ) -> None:
        leaves = [
            item
            for item in topological(part)
            if item.operation is None and item.name is not None and item.data is None
        ]
        self.tape = Tape(part, leaves)
        self.at = {name: others.get(name, 0.0) for name in self.tape.variables}
        self.variable, self.level = variable, level
        self.known = variable in self.tape.variables
        self.active = self.tape.active([variable] if self.known else [])
        self.cost = 1 + sum(step.operation.cost for step in self.tape.steps)
        self.spent = 0

    @property
    def key(self) -> object:
        """What two lines have in common that are the same function."""
        steps = tuple((s.operation, s.operands) for s in self.tape.steps)
        names, constants = tuple(self.tape.variables), tuple(self.tape.constants)
        return steps, names, constants, self.level

    def value(self, x: float) -> float | None:
        """The part's distance from the level at x; None where it is not defined."""
        self.spent += self.cost
        try:
            values = primals(self.tape, {**self.at, self.variable: x})
        except Fault:
            return None
        return (values[self.tape.root] or 0.0) - self.level

    def step(self, x: float) -> float | None:
        """Where Newton's method goes from x; None where it goes nowhere."""
        self.spent += 3 * self.cost
        try:
            values = primals(self.tape, {**self.at, self.variable: x})
            adjoints, _ = pull_back(self.tape, values, self.active)
            slope = adjoints[self.tape.variables[self.variable]]
            new = x - ((values[self.tape.root] or 0.0) - self.level) / slope
        except (Fault, *ARITHMETIC, TypeError):
            return None
        return new if abs(new) < FARTHEST else None

    def roots(self) -> set[float]:
        """Where the part reaches its level, as far as it is found."""
        if not self.known:
            return set()
        if not self.tape.steps:
            return {self.level}
        straight = self._straight()
        if straight is not None:
            return {straight}
        values = [(x, self.value(x)) for x in GRID]
        found = set(sign_changes(values, self.value))
        for x in self._starts(values)[:MOST_STARTS]:
            if len(found) > MOST_BREAKS or self.spent > WORK:
                break
            root = self._newton(x)
            if root is not None:
                found.add(root)
        return found

    def _straight(self) -> float | None:
        """The root of a linear part; None where it is not linear, or level."""
        probes = (0.0, 1.0, -3.0, 64.0)
        values = [self.value(x) for x in probes]
        if None in values:
            return None
        first, second, *rest = (v for v in values if v is not None)
        slope = second - first
        if not slope:
            return None
        for x, v in zip(probes[2:], rest, strict=True):
            if not math.isclose(first + slope * x, v, rel_tol=1e-12, abs_tol=1e-12):
                return None
        return -first / slope

    @staticmethod
    def _starts(values: list[tuple[float, float | None]]) -> list[float]:
        """Grid points from which Newton's method is tried: the ends, and where the part comes near."""
        known = [(x, abs(v)) for x, v in values if v is not None]
        starts = [known[0][0], known[-1][0]] if known else []
        for before, here, after in zip(known, known[1:], known[2:], strict=False):
            if here[1] <= before[1] and here[1] <= after[1]:
                starts += [before[0], here[0], after[0]]
        return list(dict.fromkeys(starts))

    def _newton(self, x: float) -> float | None:
        for _ in range(MOST_NEWTON):
            new = self.step(x)
            if new is None:
                return None
            if math.isclose(new, x, rel_tol=1e-14, abs_tol=1e-300):
                return new
            x = new
        return None


def inside(places: Sequence[float]) -> Iterator[tuple[float, ...]]:
    """For every piece between breaks, and beyond them, short points within it."""
    if not places:
        return
    first, last = places[0], places[-1]
    yield _beyond(first, -1.0)
    for a, b in itertools.pairwise(places):
        width = b - a
        quarters = ((3, 5), (1, 2), (6, 7))
        yield tuple(
            short(a + width * low / 8, a + width * high / 8) for low, high in quarters
        )
    yield _beyond(last, 1.0)


def _beyond(end: float, sign: float) -> tuple[float, ...]:
    scale = max(1.0, 2.0 ** math.floor(math.log2(abs(end) or 1.0)))
    spans = ((0.25, 0.75), (0.01, 0.02), (1.5, 2.5))
    return tuple(
        short(*sorted((end + sign * scale * low, end + sign * scale * high)))
        for low, high in spans
    )


def short(low: float, high: float) -> float:
    """The number from low to high with the fewest binary digits after the point, 0 if it is there."""
    if low <= 0 <= high:
        return 0.0
    if low > high or not math.isfinite(high - low):
        return low
    step = 2.0 ** math.ceil(math.log2(high - low)) if high > low else 0.0
    while step > 0 and math.ulp(high) < step:
        x = math.ceil(low / step) * step
        if x <= high:
            return x
        step /= 2
    return (low + high) / 2


def held(names: Iterable[str], index: int) -> dict[str, float]:
    """Values for the variables that are held: short, distinct, of either sign after the first tries."""
    signs = _SIGNS[index % len(_SIGNS)]
    values = {}
    for i, name in enumerate(names):
        size = _SIZES[(i + 3 * index) % len(_SIZES)]
        values[name] = size * (-1.0 if signs >> (i % 5) & 1 else 1.0)
    return values


_SIZES = (2.0, 3.0, 1.5, 5.0, 0.5, 1.25, 0.75, 4.0, 2.5, 7.0, 1.0, 0.25, 3.5)
_SIGNS = (0, 0, 0b11111, 0b00101, 0b01010, 0, 0b00011, 0b11000, 0, 0b10110)
