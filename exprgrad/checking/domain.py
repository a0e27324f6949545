"""Points to look at: some in every piece of an expression's real domain, that a person can redo.

Along the line of one variable, the others held, an operation is regular except where an argument
passes a landmark of it: 0 for a root, a logarithm or a divisor, ±1 for an arc sine. The landmarks are
found from the conditions and corners in the table; the places where arguments pass them are solved for
(`levels`), or else searched for by sign changes on a grid and by Newton's method from its points; so narrow
and far pieces are found too. The points are short binary fractions: 2, -0.5, 900.5.

Points with all landmarks of all variables on the same sides lie in the same cell: a check settles one of each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.budget import STAGES, is_spent, spare, weigh
from exprgrad.checking.places import near, placed
from exprgrad.checking.zeros import sign_changes
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.order import topological
from exprgrad.graph.value import SYMBOLS, Constant, Value, apply, is_variable, node
from exprgrad.lazy import computed_once
from exprgrad.numbers.real import fraction
from exprgrad.operations.conditions import Phrase, phrase
from exprgrad.operations.number_types import Fault, at_corner
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import ABS, ADD, CBRT, DIV, EXP, MUL, NEG, POW, SQRT, SUB
from exprgrad.sweeps.precise import Probe
from exprgrad.sweeps.tape import Tape, primals, pull_back

if TYPE_CHECKING:
    from exprgrad.checking.levels import Levels

_SHORT = (0.0, 1.0, 2.0, -1.0, 0.5, -2.0, 3.0, -0.5, 10.0, -7.0)
_FURTHER = (0.61803, -1.73911, 0.125, 41.5, 0.3, 4.7, -2.6, 2.23717, -0.38197)
STANDARD = (*_SHORT, *_FURTHER)
"""Where to look first, in this order; some in general position, where no sin(8*pi*x) is 0."""

_GRID = (0.0, 0.25, 0.75, 1.25, 2.0, 3.5, 6.0, 13.0, 40.0, 130.0, 1000.0, 30000.0)
GRID = tuple(sorted({sign * x for x in _GRID for sign in (-1.0, 1.0)}))

MOST_LANDMARKS = 5
MOST_BREAKS = 24
MOST_GUARDS = 100
MOST_ANCHORS = 6
MOST_STARTS = 8
MOST_NEWTON = 40
MOST_SEARCHED = 4
FARTHEST = 1e15
LARGEST = math.nextafter(math.inf, 0.0)

REFINED = (50, 100, 100)
"""Digits of the steps of Newton's method that refine a place."""

STEEPEST = 2**14
"""The most binary places of values and slopes by which a place is refined: exp(-10^8) has 10^8, whose fraction takes seconds."""

CLOSEST = Fraction(1, 10**9)
"""Distance from a level below which a part should have been at it."""

FINEST = 2**400
"""Parts of 1 to which places are refined."""

PIECES = "the search for pieces of the domain"
WORK = 300_000
ALL_WORK = STAGES[PIECES]
"""Visits of arithmetic operations that the search for breaks may take, along one line and along all."""

QUICK = 4
"""Such visits in the time of an operation on doubles."""

PART_WORK, CELL_WORK = 300, 30
"""What it takes to begin with one part along a line, and to look up the cell of a point."""


def tape_of(part: Value) -> Tape:
    """A part of a graph with the variables that it depends on."""
    return Tape(part, list(filter(is_variable, topological(part))))


def breaks(
    roots: Sequence[Value], variable: str, others: dict[str, float]
) -> list[float]:
    """The places along the variable where an operation of these graphs stops being regular, in order."""
    return Guards(roots).breaks(variable, others)


Breaks = tuple[list[float], list[float]]


class Guards:
    """The parts of graphs with a value at which what uses them is irregular, and the lines along them."""

    def __init__(self, roots: Sequence[Value]) -> None:
        numbering = GraphNumbering()
        found = (distinct(_guards(root), numbering) for root in reversed(roots))
        own = [list(itertools.islice(guards, MOST_GUARDS)) for guards in found]
        together = list(distinct(itertools.chain(*own), numbering))
        self.is_cut = any(len(guards) >= MOST_GUARDS for guards in own)
        factored = [list(factors(*guard)) for guard in together]
        # the base of an even power has two sides where the power has one
        sides = (own[0] if len(own) == 1 else guard for own, guard in zip(factored, together, strict=True))  # fmt: skip
        cells = list(distinct(sides, numbering))
        # a sum that nobody asks for, so that one sweep passes all the parts
        whole: Value = Constant(0.0)
        for part, _ in cells:
            whole = node(ADD, (whole, part))
        self._together = tape_of(whole)
        number = {item: i for i, item in enumerate(self._together.nodes)}
        self._sides = [(number[part], level) for part, level in cells]
        levels: dict[Value, list[float]] = {}
        for part, level in distinct(itertools.chain(*factored), numbering):
            levels.setdefault(part, []).append(level)
        self.parts = [(tape_of(part), own) for part, own in levels.items()]
        # those without angles first: the places that they give are the anchors near which angles are looked for
        self.parts.sort(key=lambda part: _turns(part[0]))
        self._lines: dict[object, Line] = {}
        # less in the last parts of a long check; one part alone is right only where no piece of its domain is left out
        self.spent, self.most = 0, spare(ALL_WORK)
        self._known: dict[object, tuple[list[float], list[float]]] = {}

    def breaks(self, variable: str, at: dict[str, float]) -> list[float]:
        """The places along the line of the variable through a point where one of them reaches its value, in order.

        Nothing more is found once all lines together have taken `ALL_WORK`; `is_cut` says so.
        """
        return self.along(variable, at)[0]

    def along(self, variable: str, at: dict[str, float]) -> Breaks:
        """The breaks as doubles and as places; kept, for they are asked for again."""
        line = line_through(at, variable)
        if line not in self._known:
            alone, repeated = self._breaks(variable, at)
            # all that there are, and of those that repeat for ever, the next to 0 of each
            every = list(_apart(_doubles(alone)))
            most = max(len(every), 2 * MOST_BREAKS)
            both = _apart([*every, *_doubles(repeated)])
            exact = [*alone, *repeated[: 2 * MOST_BREAKS]]
            self._known[line] = sorted(itertools.islice(both, most)), exact
        return self._known[line]

    def _breaks(self, variable: str, others: dict[str, float]) -> Breaks:
        """The breaks as places: all of the parts that have few of them, and some of those that repeat for ever."""
        alone: list[float] = []
        repeated: list[list[float]] = []
        if is_spent(self.spent, self.most, PIECES):
            self.is_cut = True
            return alone, []
        anchors, spent = [0.0], 0
        for tape, levels in self.parts:
            if variable not in tape.variables:
                continue
            held = tuple(others.get(n, 0.0) for n in tape.variables if n != variable)
            turns = _turns(tape)
            # angles repeat for ever and are solved for near the anchors; all else is the same whatever these are
            key = variable, id(tape), held, tuple(anchors) if turns else ()
            line = self._lines.get(key)
            if line is None:
                line = self._lines[key] = Line(tape, variable, others)
                spent += PART_WORK
            before = line.spent
            for level in levels:
                if spent + line.spent - before > WORK:
                    self.is_cut = True
                    break
                own = line.near(level, tuple(anchors))
                if turns:
                    repeated.append(own[:MOST_BREAKS])
                else:
                    alone += own
                anchors += own[: MOST_ANCHORS - len(anchors)]
            spent += line.spent - before
            self.is_cut = self.is_cut or line.is_cut
        self.spent += spent
        weigh(spent // (2 * QUICK))
        in_turn = itertools.zip_longest(*repeated)
        return alone, [x for xs in in_turn for x in xs if x is not None]

    def cell(self, at: Mapping[str, float]) -> object:
        """On which sides of their values they are at a point, None of a part that is not defined: points with the same belong together."""
        tape = self._together
        self.spent += CELL_WORK
        weigh(len(tape.steps) // 2)
        own = {name: at.get(name, 0.0) for name in tape.variables}
        values: Any = primals(tape, own, faults=True)
        if Fault in map(type, values):
            weigh(len(tape.steps))
        return tuple([
            (value > level) - (value < level) if isinstance(value := values[i], float) else None
            for i, level in self._sides
        ])  # fmt: skip


def zeros(root: Value, variable: str, others: dict[str, float]) -> set[float]:
    """The places along the variable where a graph is 0 or changes its sign, as far as they are found."""
    tape = tape_of(root)
    if variable not in tape.variables:
        return set()
    line = Line(tape, variable, others)
    found = set(_doubles(line.roots(0.0, (0.0,))))
    weigh(line.spent // QUICK)
    return found


def guards(root: Value, variable: str) -> list[tuple[Value, float]]:
    """The parts that depend on the variable, each with a value at which what uses it is irregular."""
    return [
        (part, level)
        for part, level in itertools.islice(_guards(root), MOST_GUARDS)
        if variable in tape_of(part).variables
    ]


def line_through(at: Mapping[str, float], variable: str) -> object:
    """A key that the points of one line along the variable share."""
    return variable, tuple(sorted((n, x) for n, x in at.items() if n != variable))


def _doubles(places: Iterable[float]) -> Iterator[float]:
    """Places as doubles, without those beyond their range."""
    return (x for x in map(float, places) if math.isfinite(x))


def distinct(
    parts: Iterable[tuple[Value, float]], numbering: GraphNumbering
) -> Iterator[tuple[Value, float]]:
    """Yield the parts but for those that are equal to an earlier one as graphs."""
    known, equal = set[tuple[int, float]](), dict[int, Value]()
    for part, level in parts:
        number = numbering.number(part)
        if (number, level) not in known:
            known.add((number, level))
            yield equal.setdefault(number, part), level


def factors(part: Value, level: float) -> Iterator[tuple[Value, float]]:
    """Yield the parts of which one passes its level wherever this one does: at 0 the factors of a product, of exp none."""
    if level:
        yield part, level
        return
    todo, seen = [part], {part}
    while todo:
        item = todo.pop()
        operation, operands = item.operation, item.operands
        own: Sequence[Value] = ()
        if operation in (MUL, DIV, NEG, SQRT, CBRT, ABS):
            own = operands
        elif operation is POW and operands[1].is_constant and operands[1].data:
            own = operands[:1]
        elif operation is not EXP and not item.is_constant:
            yield item, level
        # x = y*y, z = x*x and so on: a graph has far more paths than nodes
        more = [operand for operand in own if operand not in seen]
        seen.update(more)
        todo += more


def _guards(root: Value) -> Iterator[tuple[Value, float]]:
    """The parts that depend on a variable, each with a value at which what uses it is irregular."""
    active: set[Value] = set()
    found: set[tuple[Value, float]] = set()
    for item, operation in active_steps(root, active):
        for part, level in guards_of(item, operation):
            known = (part, level) in found
            # x - y, which max(x, y) compares, is a new node and none of the active ones
            if not known and (part in active or any(o in active for o in part.operands)):  # fmt: skip
                found.add((part, level))
                yield part, level


def active_steps(
    root: Value, active: set[Value] | None = None
) -> Iterator[tuple[Value, Operation]]:
    """The operations that depend on a variable, in order; what depends on one is added to `active`."""
    active = set() if active is None else active
    for item in topological(root):
        if item.operation is None:
            if is_variable(item):
                active.add(item)
        elif any(operand in active for operand in item.operands):
            active.add(item)
            yield item, item.operation


def guards_of(item: Value, operation: Operation) -> Iterator[tuple[Value, float]]:
    """The parts at whose levels an operation is irregular where it stands."""
    fixed = still(item)
    for i, operand in enumerate(item.operands):
        for level in landmarks(operation)[i]:
            if _matters(operation, i, level, fixed):
                yield operand, level
    for left, right in compared_by(operation):
        sides = (
            side.on(lambda name: SYMBOLS.function(TABLE[name]), item.operands)
            for side in (left, right)
        )
        yield apply(SUB, *sides), 0.0


def still(item: Value) -> tuple[Any, ...]:
    """The operands of an item that are numbers; None for the others."""
    return tuple(o.data if o.is_constant else None for o in item.operands)


@lru_cache(1000)
def _matters(
    operation: Operation, index: int, level: float, still: tuple[Any, ...]
) -> bool:
    """Return whether a landmark is one beside the constants that an item has: 0 is none of x^2."""
    own = [x for i, x in enumerate(still) if i != index]
    if not own or not all(isinstance(x, float) for x in own):
        return True
    arguments = [0.0 if x is None else x for x in still]
    return not all(_regular_around(operation, index, level, arguments))


def _regular_around(
    operation: Operation, index: int, level: float, arguments: Sequence[float]
) -> list[bool]:
    """Return whether an operation is regular where an argument is before, at and behind a level, the others given."""
    around = (level - 1e-6, level, level + 1e-6)
    before, after = arguments[:index], arguments[index + 1 :]
    return [_regular(operation, (*before, x, *after)) for x in around]


def _asked(operation: Operation) -> Iterator[Phrase]:
    """The comparisons in the conditions of a row, and in its corner or else its formula."""
    rules = [condition.holds for condition in operation.domain]
    more = operation.corner or operation.formula
    for rule in [*rules, more] if more else rules:
        yield from phrase(rule, operation.arity).comparisons()


@cache
def compared_by(operation: Operation) -> tuple[tuple[Phrase, Phrase], ...]:
    """Return what the row compares that depends on more than one argument: x with y, of max."""
    several = (p for p in _asked(operation) if len(p.arguments()) > 1)
    return tuple(p.operands for p in several)  # type: ignore[misc] # a comparison has two operands


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
    kept = (
        (x for x in sorted(_apart(own), key=abs) if _is_landmark(operation, i, x))
        for i, own in enumerate(found)
    )
    return tuple(tuple(sorted(itertools.islice(own, MOST_LANDMARKS))) for own in kept)


# on either side of 1, of either sign, whole or not: what x^n does at 0 depends on n
OTHERS = (0.7, 2.4, -0.7, 3.0, -1 / 3)
"""Numbers that other arguments are given to see what an operation does along one of them."""

_SCAN = tuple(
    sorted({s * x for x in [*(k / 8 for k in range(57)), *(2.0**k for k in range(3, 31))] for s in (1, -1)})
)  # fmt: skip


def _solved(comparison: Phrase, index: int) -> list[float]:
    """Return where the sides of a comparison are equal: at a number in it, or by sign changes on a grid."""

    def difference(x: float) -> float | None:
        own = [x] * (index + 1)
        try:
            left, right = (s.on(lambda n: TABLE[n].kernel, own) for s in comparison.operands)  # fmt: skip
        except ARITHMETIC:
            return None
        return float(left - right)

    # numbers of the rule itself are exact: bisection may end beside them
    typed = [p.number for p in comparison.parts() if p.number is not None]
    numbers = [x for t in typed for x in (t, -t) if difference(x) == 0]
    values = [(x, difference(x)) for x in _SCAN]
    return [*numbers, *sign_changes(values, difference, 3 * MOST_LANDMARKS)]


def _apart(numbers: Iterable[float]) -> Iterator[float]:
    """The numbers, each once, though rounding may have set some apart."""
    kept: list[float] = []
    for x in numbers:
        if not any(math.isclose(x, y, rel_tol=1e-13, abs_tol=1e-15) for y in kept):
            kept.append(x)
            yield x


def _is_landmark(operation: Operation, index: int, level: float) -> bool:
    """Return whether something changes there: a number of a condition may not matter beside another one."""
    every = (
        _regular_around(operation, index, level, [other] * operation.arity)
        for other in OTHERS
    )
    return any(any(states) and not all(states) for states in every)


def _regular(operation: Operation, arguments: tuple[float, ...]) -> bool:
    try:
        fails = operation.failing(arguments) is not None
    except ARITHMETIC:
        return False
    return not fails and not at_corner(operation, arguments)


def _turns(tape: Tape) -> int:
    """Return how many angles are on a tape: what takes them repeats for ever."""
    return sum(step.operation.angle for step in tape.steps)


class Line:
    """One part of an expression along the variable: its value and slope."""

    def __init__(
        self, tape: Tape, variable: str, others: dict[str, float], refines: bool = False
    ) -> None:
        self.tape, self.refines = tape, refines
        self.at = {name: others.get(name, 0.0) for name in self.tape.variables}
        self.variable = variable
        self.active = self.tape.active([variable])
        self.cost = 1 + sum(step.operation.cost for step in self.tape.steps)
        self.turns = _turns(tape)
        self.spent = 0
        self.is_cut = False
        self._values: dict[float, float | None] = {}
        self._near: dict[object, list[float]] = {}

    def near(self, level: float, anchors: tuple[float, ...]) -> list[float]:
        """Return where the part reaches a level, next to 0 first; kept for who asks again."""
        key = level, anchors if self.turns else ()
        if key not in self._near:
            found = self.roots(level, anchors)
            self._near[key] = sorted(found, key=lambda x: (abs(x), x < 0))
        return self._near[key]

    def value(self, x: float) -> float | None:
        """The part at x; None where it is not defined."""
        if x not in self._values:
            self.spent += self.cost
            try:
                values = primals(self.tape, {**self.at, self.variable: x})
                self._values[x] = values[self.tape.root] or 0.0
            except Fault:
                self._values[x] = None
        return self._values[x]

    def step(self, x: float, level: float) -> float | None:
        """Return where Newton's method goes from x; None where it goes nowhere."""
        self.spent += 3 * self.cost
        try:
            values = primals(self.tape, {**self.at, self.variable: x})
            adjoints, _ = pull_back(self.tape, values, self.active)
            slope = adjoints[self.tape.variables[self.variable]]
            new = x - ((values[self.tape.root] or 0.0) - level) / slope
        except (Fault, *ARITHMETIC):
            return None
        return new if abs(new) < FARTHEST else None

    @computed_once
    def levels(self) -> Levels:
        """The part as its structure tells."""
        from exprgrad.checking.levels import Levels

        self.spent += 20 * len(self.tape.steps)
        return Levels(self.tape, self.variable, self.at)

    def refined(self, x: float, level: float) -> float:
        """A place with many digits, from a double next to it, by Newton's method; the double where that fails."""
        probe, here = Probe(self.tape, self.variable), Fraction(x)
        for digits in REFINED:
            self.spent += probe.weight * digits // 10
            look = probe.precise({**self.at, self.variable: here}, digits)
            if look.value is None or not look.slope:
                return x
            try:
                off = fraction(look.value, STEEPEST) - near(level)
                here -= off / fraction(look.slope, STEEPEST)
            except OverflowError:
                return x
            # the quotient of two such fractions has many more bits than are known, and as many again after each step
            here = Fraction(round(here * FINEST), FINEST)
        return (
            # farther off is another zero, which Newton's method ran into
            placed(here) if abs(here - Fraction(x)) <= abs(Fraction(x)) / 10**6 else x
        )

    def misses(self, at: dict[str, Any], level: float) -> bool:
        """Return whether the part is close to a level at a point and surely not at it."""
        look = Probe(self.tape).precise(at, 3 * REFINED[-1])
        if look.value is None:
            return False
        try:
            return 0 < abs(fraction(look.value) - near(level)) < CLOSEST
        except OverflowError:  # no fraction is next to it
            return not level and abs(look.value) < 1

    def roots(self, level: float, anchors: Sequence[float]) -> list[float]:
        """Return where the part reaches a level, as far as it is found; of angles, near the anchors."""
        if not self.tape.steps:
            return [level]
        levels = self.levels
        before = levels.spent
        solved, mixed = levels.solve(level, anchors)
        found = dict.fromkeys(solved)
        self.spent += levels.spent - before
        self.is_cut = self.is_cut or levels.is_cut or len(mixed) > MOST_SEARCHED
        for number, own in mixed[:MOST_SEARCHED]:
            line = self
            if number != self.tape.root:
                line = Line(tape_of(self.tape.nodes[number]), self.variable, self.at)
            places = line._searched(own, levels)
            if self.refines:
                places = {line.refined(x, own) for x in places}
            found |= dict.fromkeys(sorted(places))
            self.spent += line.spent if line is not self else 0
            self.is_cut = self.is_cut or line.is_cut
        return list(found)

    def _searched(self, level: float, whole: Levels) -> set[float]:
        """The same by sign changes on a grid, finer than the periods of the whole, and from there by Newton's method."""
        grid = set(GRID)
        for zero, period in whole.periods()[:2]:
            for anchor in whole.anchors[:3]:
                first = zero + math.floor((anchor - zero) / period) * period
                # the period around the anchor and two on either side
                grid.update(first + period * k / 12 for k in range(-24, 37))

        def apart(x: float) -> float | None:
            value = self.value(x)
            return None if value is None else value - level

        values = [(x, apart(x)) for x in sorted(grid)]
        found = set(sign_changes(values, apart))
        # the ends, and where the part comes near, those next to 0 first
        known = [(x, abs(v)) for x, v in values if v is not None]
        close = [
            x
            for before, here, after in zip(known, known[1:], known[2:], strict=False)
            if here[1] <= before[1] and here[1] <= after[1]
            for x in (before[0], here[0], after[0])
        ]
        ends = [known[0][0], known[-1][0]] if known else []
        starts = list(dict.fromkeys([*ends, *sorted(close, key=abs)]))
        # of what repeats for ever, a few
        for x in starts[: MOST_STARTS if self.turns else None]:
            if self.spent > WORK:
                self.is_cut = True
                break
            for _ in range(MOST_NEWTON):
                new = self.step(x, level)
                if new is None:
                    break
                if math.isclose(new, x, rel_tol=1e-14, abs_tol=1e-300):
                    found.add(new)
                    break
                x = new
        return found


def inside(places: Sequence[float]) -> Iterator[tuple[float, ...]]:
    """For every piece between breaks, and beyond them, short points within it."""
    if not places:
        return
    first, last = places[0], places[-1]
    yield _beyond(first, -1.0)
    for a, b in itertools.pairwise(places):
        width = min(b - a, LARGEST)
        # callers take the middle first, then the point in general position, and the other two last
        quarters = ((0.375, 0.625), (0.125, 0.25), (0.75, 0.875))
        yield (
            *(short(a + width * i, a + width * j) for i, j in quarters),
            general(a, b),
        )
    yield _beyond(last, 1.0)


GOLDEN = 0.6180339887
"""Where in a piece there is a point in general position."""


def general(a: float, b: float) -> float:
    """A point between two others that is not short, with few digits."""
    width = min(b - a, LARGEST)
    x = a + GOLDEN * width
    if not a < x < b:
        return a + width / 2
    digits = 3 - math.floor(math.log10(width))
    rounded = round(x, digits) if abs(digits) < 300 else x
    return rounded if a < rounded < b else x


def _beyond(end: float, sign: float) -> tuple[float, ...]:
    scale = max(1.0, 2.0 ** (math.frexp(end)[1] - 1))
    scale = min(scale, (LARGEST - max(0.0, sign * end)) / 3)
    spans = ((0.25, 0.75), (0.01, 0.02), (1.5, 2.5))
    ends = [sorted((end + sign * scale * i, end + sign * scale * j)) for i, j in spans]
    return (*(short(*both) for both in ends), general(*ends[0]))


def short(low: float, high: float) -> float:
    """The number from low to high with the fewest binary digits after the point, 0 if it is there."""
    if low <= 0 <= high:
        return 0.0
    if low >= high or not math.isfinite(high - low):
        return low
    step = 2.0 ** math.ceil(math.log2(high - low))
    while step > 0 and math.ulp(high) < step:
        x = math.ceil(low / step) * step
        if x <= high:
            return x
        step /= 2
    return low + (high - low) / 2


def held(names: Iterable[str], index: int) -> dict[str, float]:
    """Values for the variables that are held: short and distinct at first, later in general position."""
    signs = _SIGNS[index % len(_SIGNS)]
    values = {}
    sizes = _SIZES if index in SHORT_ROUNDS else _GENERAL
    for i, name in enumerate(names):
        # in steps of 3 through 13 or 11 sizes, which it divides neither of: another one for each variable and round
        size = sizes[(i + 3 * index) % len(sizes)]
        values[name] = size * (-1.0 if signs >> (i % 5) & 1 else 1.0)
    return values


SHORT_ROUNDS = (0, 1)
_SIZES = (2.0, 3.0, 1.5, 5.0, 0.5, 1.25, 0.75, 4.0, 2.5, 7.0, 1.0, 0.25, 3.5)
_GENERAL = (
    2.37193, 0.83719, 1.61417, 3.14717, 0.57191, 1.19293, 4.43711, 0.29173, 2.83357, 5.17931, 1.41907,
)  # fmt: skip
_SIGNS = (0, 0, 0b11111, 0b00101, 0b01010, 0, 0b00011, 0b11000, 0, 0b10110)
