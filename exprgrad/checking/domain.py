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
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, node
from exprgrad.operations.number_types import Fault
from exprgrad.operations.number_types import at_corner as stands_at_corner
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
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

CANDIDATES = tuple(
    sorted({k / 2 for k in range(-4, 5)} | {k * math.pi / 2 for k in range(-4, 5)})
)
"""Numbers at which an operation of the table may be irregular."""

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
    merged: list[float] = []
    for x in sorted(found, key=abs)[:MOST_BREAKS]:
        if not any(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) for y in merged):
            merged.append(x)
    return sorted(merged)


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
    if len(item.operands) == 2 and _meets_on_diagonal(operation):
        yield node(TABLE["sub"], item.operands), 0.0


@cache
def landmarks(operation: Operation) -> tuple[tuple[float, ...], ...]:
    """For every argument, the numbers at which the operation is not regular, the others generic."""
    if not operation.domain and operation.corner is None:
        return ((),) * operation.arity
    return tuple(
        tuple(c for c in CANDIDATES if _is_landmark(operation, i, c))
        for i in range(operation.arity)
    )


def _is_landmark(operation: Operation, index: int, level: float) -> bool:
    for other in (0.7, 2.4, -0.7, 3.0, -1 / 3):
        arguments = [other] * operation.arity
        states = []
        for x in (level - 1e-6, level, level + 1e-6):
            arguments[index] = x
            states.append(_regular(operation, tuple(arguments)))
        if any(states) and not all(states):
            return True
        if states[1] and _jumps(operation, arguments, index, level):
            return True
    return False


def _jumps(
    operation: Operation, arguments: list[float], index: int, level: float
) -> bool:
    try:
        below, above = (
            operation.kernel(*[*arguments[:index], x, *arguments[index + 1 :]])
            for x in (level - 1e-9, level + 1e-9)
        )
    except ARITHMETIC:
        return False
    return abs(above - below) > 1e-3 * (1 + abs(above))


def _regular(operation: Operation, arguments: tuple[float, ...]) -> bool:
    try:
        fails = operation.failing(arguments) is not None
    except ARITHMETIC:
        return False
    return not fails and not stands_at_corner(operation, arguments)


@cache
def _meets_on_diagonal(operation: Operation) -> bool:
    return all(stands_at_corner(operation, (x, x)) for x in (0.7, 2.4, -1.3))


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
        found = set(self._crossings(values))
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

    def _crossings(
        self, values: Sequence[tuple[float, float | None]]
    ) -> Iterator[float]:
        for (a, u), (b, v) in itertools.pairwise(values):
            if u == 0:
                yield a
            elif u is not None and v is not None and (u < 0) != (v < 0):
                yield self._bisected(a, b, u)

    @staticmethod
    def _starts(values: list[tuple[float, float | None]]) -> list[float]:
        """Grid points from which Newton's method is tried: the ends, and where the part comes near."""
        known = [(x, abs(v)) for x, v in values if v is not None]
        starts = [known[0][0], known[-1][0]] if known else []
        for before, here, after in zip(known, known[1:], known[2:], strict=False):
            if here[1] <= before[1] and here[1] <= after[1]:
                starts += [before[0], here[0], after[0]]
        return list(dict.fromkeys(starts))

    def _bisected(self, a: float, b: float, at_a: float) -> float:
        """A sign change between a and b, to nearly all digits."""
        for _ in range(60):
            middle = (a + b) / 2
            if middle in (a, b):
                break
            value = self.value(middle)
            if not value:
                return middle
            a, b = (middle, b) if (value < 0) == (at_a < 0) else (a, middle)
        return (a + b) / 2

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
