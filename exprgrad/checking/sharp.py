"""Places where graphs change at once, or very fast, along one variable: what points in general position miss.

    Sharp(roots, guards).places("x", {"a": 2.0})

    if(x^2 == 11, 1, 0)         at ±sqrt(11), exactly, and beside it
    floor(7/(1 + (x + 3)^2))    where its argument is extreme
    tanh(10^20*(x - 1/3))       where its argument is 0, 1 and -1
    1/(1 + 10^40*x^2)           where the divisor is least, and twice as large
    max(0, 1 - 10^20*|x - 3|)   between two places that no double lies between

What an operation does is a fact of its row: whether it jumps where it is not regular, and whether it levels off
towards infinity, so that it changes within a few units around 0. Where the arguments do that is solved for
(`levels`), as exactly as it can be.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import weigh
from exprgrad.checking import domain
from exprgrad.checking.places import near, placed
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.value import Value
from exprgrad.operations.operation import ARITHMETIC, Operation
from exprgrad.sweeps.coordinates import ExactPlace
from exprgrad.sweeps.tape import Tape

MOST_PLACES = 24
"""Places along one line."""

MOST_PARTS = 30

SAMPLES = (0.61803, -1.73911, 0.3, 4.7, -2.6, 2.23717, -0.38197, 0.125)
"""Points that are looked at anyway: where a part is of a moderate size at three of them, it is not narrow."""

FEWEST_SAMPLES = 3
MODERATE = 8.0
"""Size of an argument beyond which what levels off has done so."""

BESIDE = (Fraction(1, 2**10), Fraction(1, 2**40))
"""How far beside a jump points are, in units of its place."""

CLOSE = 1e-9
"""Relative distance of places between which points are looked for as fractions."""

PEAK = 1e4
"""How many times its least value a part is at ordinary points where that is moderate."""

DISTINCT = Fraction(1, 10**100)
"""Relative distance of places that are not one, written in two ways."""

_FAR = 1234567.8


class Part(NamedTuple):
    """A part of a graph, and the levels at which something happens.

    What uses it jumps there, or if it is `steep` changes around them, which matters where that is narrow. Where it is
    extreme matters too, if it `turns`. If it `isolates`, what happens at a level happens on neither side.
    """

    tape: Tape
    levels: tuple[float, ...]
    steep: bool = False
    turns: bool = False
    isolates: bool = False


class Missed(NamedTuple):
    """A place next to which something happens at a single point, which is not known exactly."""

    variable: str
    others: dict[str, float]
    place: float


class Sharp:
    """The parts of graphs at which something jumps, or changes fast, and their places along a variable."""

    def __init__(self, roots: Sequence[Value], guards: domain.Guards) -> None:
        self.guards = guards
        self.parts = list(itertools.islice(_parts(roots), MOST_PARTS))
        self.spent = 0
        self.missed: list[Missed] = []

    def places(self, variable: str, others: dict[str, float]) -> list[float]:
        """Return where to look along the variable, the others held, next to 0 first."""
        return list(itertools.islice(self._found(variable, others), MOST_PLACES))

    def coordinates(self, variable: str, others: dict[str, float]) -> list[float]:
        """Return where the graphs may jump with other values of the others: |x - 2| + |y - 1| is 0 only where x is 2."""
        if all(part.steep for part in self.parts):
            return []
        found = dict.fromkeys(self._breaks(variable, others))
        for part in self.parts:
            if not part.steep and variable in part.tape.variables:
                line = domain.Line(part.tape, variable, others)
                found |= dict.fromkeys(line.levels.extremes())
        return list(found)

    def _found(self, variable: str, others: dict[str, float]) -> dict[float, None]:
        """The places: of all parts in turn, and then beside those where something jumps."""
        own, beside = [], []
        before = self.spent
        for part in self.parts:
            if variable not in part.tape.variables or self.spent > self.guards.most:
                continue
            line = domain.Line(part.tape, variable, others, refines=True)
            if part.steep:
                # tanh(x) does at ordinary points what tanh(10^20*x) does around 0 alone
                is_sharp = part.levels and not _is_moderate(line, MODERATE)
                places = [x for level in part.levels if is_sharp for x in line.near(level, (0.0,))]  # fmt: skip
                extremes = line.levels.extremes() if part.turns else ()
                places += [near for x in extremes for near in _around(line, x)]
            else:
                places = [
                    x for level in part.levels for x in self._jumps(line, part, level)
                ]
                beside.append([near for x in places for near in _beside(x)])
                places += line.levels.extremes() if part.turns else ()
            own.append(places)
            self.spent += line.spent
        own.append(list(_between(self._breaks(variable, others))))
        weigh((self.spent - before) // domain.QUICK)
        # in turn, for a part with very many places would leave no room for the others
        turns = (itertools.zip_longest(*each) for each in (own, beside))
        found = dict.fromkeys(x for xs in itertools.chain(*turns) for x in xs)
        found.pop(None, None)
        return found

    def _jumps(self, line: domain.Line, part: Part, level: float) -> list[float]:
        """Return where a part is at a level at which something jumps; those that are not exact are missed if it matters."""
        places = line.near(level, (0.0,))
        if part.isolates:
            for x in places:
                at = {**line.at, line.variable: near(x)}
                # x is only next to the place, and what happens there happens nowhere beside it
                if not (_is_exact(x) and _is_short(x)) and line.misses(at, level):
                    self.missed.append(Missed(line.variable, line.at, x))
        return places

    def _breaks(self, variable: str, others: dict[str, float]) -> list[float]:
        """The breaks of the guards, if the search for them has work to spare; those that were searched for refined."""
        if self.guards.spent > self.guards.most // 2:
            return []
        found = self.guards.along(variable, others)[1]
        if all(map(_is_exact, found)) or self.spent > self.guards.most:
            return found
        lines = [
            (domain.Line(tape, variable, others, refines=True), levels)
            for tape, levels in self.guards.parts
            if variable in tape.variables
        ]
        places = (x for line, own in lines for level in own for x in line.near(level, (0.0,)))  # fmt: skip
        refined = list(itertools.islice(places, 2 * MOST_PLACES))
        self.spent += sum(line.spent for line, _ in lines)
        return refined


def _parts(roots: Sequence[Value]) -> Iterator[Part]:
    """Yield what jumps, then what may be steep, each once."""
    numbering = GraphNumbering()
    jumps: list[tuple[Value, float, bool]] = []
    steep: dict[int, Value] = {}
    stepping: dict[int, Value] = {}
    peaks: dict[int, Value] = {}
    # the claim, which is the last of them, first: there is no end of what may be hidden in it
    for root in reversed(roots):
        for item, operation in domain.active_steps(root):
            own = list(domain.guards_of(item, operation))
            jumps_there = jumps_at_all(operation)
            here = list(_jumping(item, operation, own)) if jumps_there else []
            jumps += here
            jumping = [part for part, *_ in here]
            still = domain.still(item)
            for i, operand in enumerate(item.operands):
                if operand.operation is None:
                    continue
                if (
                    operand in jumping
                    and len(domain.landmarks(operation)[i]) >= domain.MOST_LANDMARKS
                ):
                    # floor jumps at more whole numbers than are looked at, so at least where its argument turns
                    stepping[numbering.number(operand)] = operand
                elif asks(operation, i):
                    asked = operand.operation
                    # of a truth, such as a comparison, nothing jumps
                    if not (jumps_at_all(asked) or any(asks(asked, k) for k in range(asked.arity))):  # fmt: skip
                        jumps.append((operand, 0.0, True))
                elif levels_off(operation, i, still):
                    steep[numbering.number(operand)] = operand
            for part, level in own:
                # a divisor that comes close to 0 without reaching it makes a peak, which may be narrow
                if not level and part not in jumping:
                    own_factors = (
                        f for f, _ in domain.factors(part, level) if f.operation
                    )
                    peaks.update((numbering.number(f), f) for f in own_factors)
    levels: dict[int, tuple[Value, dict[float, None]]] = {}
    isolating = set()
    for guard, at, isolates in jumps:
        for part, level in domain.factors(guard, at):
            number = numbering.number(part)
            levels.setdefault(number, (part, {}))[1][level] = None
            isolating |= {number} if isolates else set()
    for number, (part, own_levels) in levels.items():
        isolates = number in isolating
        yield Part(domain.tape_of(part), tuple(own_levels), isolates=isolates)
    for part in stepping.values():
        yield Part(domain.tape_of(part), (), turns=True)
    for part in steep.values():
        yield Part(domain.tape_of(part), (0.0, 1.0, -1.0), steep=True)
    for part in peaks.values():
        yield Part(domain.tape_of(part), (), steep=True, turns=True)


@lru_cache(1000)
def jumps_at_all(operation: Operation) -> bool:
    """Return whether the operation has places where it is defined and not continuous; a row says so by its values.

    That is where two things that it compares are equal, or an argument passes a landmark.
    """
    if domain.compared_by(operation):
        return any(_apart(operation, [2.4] * operation.arity, 0))
    return any(
        any(_apart(operation, [*[x] * i, level, *[x] * (operation.arity - i - 1)], i))
        for i, levels in enumerate(domain.landmarks(operation))
        for level in levels
        for x in (*domain.OTHERS, 0.0)
    )


def _apart(operation: Operation, at: list[float], index: int) -> list[bool]:
    """Of each side along an argument on which there is a value, whether it is another one than at the point."""
    try:
        here = operation.kernel(*at)
    except ARITHMETIC:
        return []
    found = []
    for side in (1e-9, -1e-9):
        try:
            there = operation.kernel(*at[:index], at[index] + side, *at[index + 1 :])
        except ARITHMETIC:
            continue
        # in a billionth: no slope below a million passes for a jump
        found.append(abs(there - here) > 1e-3)
    return found


def _jumping(
    item: Value, operation: Operation, own: Iterable[tuple[Value, float]]
) -> Iterator[tuple[Value, float, bool]]:
    """The parts, of these, at whose levels an operation jumps, and whether neither side has the value there."""
    still = domain.still(item)
    for part, level in own:
        if part not in item.operands:
            yield part, level, all(_apart(operation, [2.4] * operation.arity, 0))
            continue
        i = item.operands.index(part)
        seen = [_apart(operation, _at(still, i, level, x), i) for x in domain.OTHERS]
        if any(map(any, seen)):
            yield part, level, any(len(sides) == 2 and all(sides) for sides in seen)


def _at(still: Sequence[Any], index: int, level: float, other: float) -> list[float]:
    own = [other + i / 8 if x is None else x for i, x in enumerate(still)]
    own[index] = level
    return own


@lru_cache(1000)
def asks(operation: Operation, index: int) -> bool:
    """Return whether an argument is a truth, other for 0 than for any other number: a condition, or an operand of `not`."""
    if domain.compared_by(operation) or domain.landmarks(operation)[index]:
        return False
    at = (_at([None] * operation.arity, index, 0.0, x) for x in (0.0, 1.0))
    return any(any(_apart(operation, arguments, index)) for arguments in at)


@lru_cache(1000)
def levels_off(operation: Operation, index: int, still: tuple[Any, ...]) -> bool:
    """Return whether an operation comes to rest on a side of one argument, after it has changed around 0.

    Like tanh on both sides and exp on the left: not like a polynomial, a root or 1/x, nor like sign, which does
    not change around 0 but at it.
    """
    own = [2.4 if x is None else x for x in still]
    if domain.compared_by(operation) or not all(isinstance(x, float) for x in own):
        return False

    def value(x: float) -> float:
        return float(operation.kernel(*own[:index], x, *own[index + 1 :]))

    return any(_rests(value, side) for side in (1.0, -1.0))


def _rests(value: Callable[[float], float], side: float) -> bool:
    """Return whether a function comes to rest on a side; as slowly as 1/x only if it is no pole that it comes from."""
    try:
        change = abs(value(side) - value(2 * side))
        is_quick = abs(value(50 * side) - value(100 * side)) <= 1e-15 * change
        # 1/x rests as slowly as atan, but its change around 0 is a pole, which is a landmark already
        is_pole = abs(value(1e-6 * side)) > 1e3 * abs(value(side))
        left = abs(value(_FAR * side) - value(2 * _FAR * side))
    except ARITHMETIC:
        return False
    return change > 0 and left <= 1e-4 * change and (is_quick or not is_pole)


def _is_moderate(line: domain.Line, size: float) -> bool:
    """Return whether a part is of that size at ordinary points, so that these show what happens there."""
    known = [u for u in map(line.value, SAMPLES) if u is not None]
    return sum(abs(u) <= size for u in known) >= min(FEWEST_SAMPLES, len(known))


def _around(line: domain.Line, place: float) -> Iterator[float]:
    """A place where a part is extreme, and where it is twice as large; nothing if that is far off."""
    least = line.levels.at_place(place)
    if not least:
        return
    # 1 + x^2 is no narrow peak: ordinary points show it whole
    if _is_moderate(line, PEAK * abs(placed(least))):
        return
    yield place
    yield from line.near(placed(2 * least), (0.0,))


def _beside(place: float) -> Iterator[float]:
    """Points on both sides of a place."""
    here = near(place)
    unit = (
        Fraction(2) ** max(0, math.frexp(float(place))[1])
        if math.isfinite(place)
        else abs(here)
    )
    for step in BESIDE:
        short = round(here / (step * unit) * 16) * step * unit / 16
        yield placed(short - step * unit)
        yield placed(short + step * unit)


def _between(places: Sequence[float]) -> Iterator[float]:
    """Points between places that lie too close for doubles, and beside those beyond their range."""
    places = sorted(filter(_is_exact, places))
    is_close = any(
        abs(high - low) <= CLOSE * max(abs(low), abs(high), 1e-5)
        for low, high in itertools.pairwise(places)
    )
    if not is_close and all(map(math.isfinite, places)):
        return
    exact = sorted({near(x) for x in places})
    for low, high in itertools.pairwise(exact):
        size = max(abs(low), abs(high))
        least, most = Fraction(DISTINCT) * size, Fraction(CLOSE) * max(size, Fraction(1, 10**5))  # fmt: skip
        # nearer, two places are one in two forms; farther apart, doubles lie between them anyway
        if least < high - low <= most:
            yield placed(low + (high - low) * Fraction(3, 8))
    for x in exact:
        if abs(x) > Fraction(2) ** 1000:
            yield placed(3 * x)
            yield placed(x / 3)


def _is_exact(place: float) -> bool:
    """Return whether a place is told apart from others by more than a double: those that are found by searching are not short."""
    return isinstance(place, ExactPlace) or (place * 2.0**30).is_integer()


def _is_short(place: float) -> bool:
    """Return whether a place is surely exact, and not found by a search to so many digits."""
    exact = place.exact if isinstance(place, ExactPlace) else None
    return not isinstance(exact, Fraction) or exact.denominator < domain.FINEST // 2**100  # fmt: skip
