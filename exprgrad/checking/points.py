"""The points to look at: the simplest first, from every piece of the domain, the same ones each time.

One variable moves along its line; the others are held at a few values, which are moved in turn to where the
quantity in question has a value at all.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from exprgrad import budget
from exprgrad.annotations import TYPE_CHECKING
from exprgrad.checking import domain
from exprgrad.graph.value import Value
from exprgrad.lazy import computed_once
from exprgrad.sweeps.coordinates import ExactPlace
from exprgrad.sweeps.precise import Look, Probe

if TYPE_CHECKING:
    from exprgrad.checking.sharp import Missed, Sharp

Point = dict[str, float]

Quantity = Callable[[Point, int], Look]
"""What can be looked at: at a point, to so many digits; 0 digits mean doubles."""

ROUNDS = 6
"""Choices of values for the variables that are held."""

LARGEST_MOVED = 3000
"""Cost of a look up to which held variables are moved to where there is a value."""

MOST_CROSSED = 40
"""Choices of pieces along the held variables that are all looked at along the whole line of the one that moves."""

MOST_PLACES, PLACE_WORK = 60, 2000
"""Points at places, and the cost of looks at all of them."""

BEYOND_WORK = 400_000
"""Work of the search for breaks up to which cells without a value are crossed."""

MOST_BESIDE = 8
"""Points next to one along a variable that is held, where few are looked at."""

CROSSED = (1.38197, -0.72361, 4.27051)

TRIES = (1.0, 0.5, -1.5, 3.0, 0.125)


def is_exact(at: Point) -> bool:
    """Return whether a coordinate is a place that is no double."""
    return ExactPlace in map(type, at.values())


class Trail:
    """Points that are found while they are asked for, and kept for who asks again. Each comes once.

    The trail `is_cut` where a check that looks at them took too long for more.
    """

    is_cut = False

    def __init__(self, find: Iterator[Point]) -> None:
        self._find = find
        self._kept: list[Point] = []
        self._seen: set[tuple[float, ...]] = set()

    @computed_once
    def end(self) -> float:
        """Return up to where a check looks at more: from when it begins, which of a list is after other answers of it."""
        return budget.end()

    def __iter__(self) -> Iterator[Point]:
        yield from self._kept
        end = self.end
        while not self.is_cut and (at := next(self._find, None)) is not None:
            key = tuple(at.values())
            if key not in self._seen:
                self._seen.add(key)
                self._kept.append(at)
                yield at
            self.is_cut = budget.is_over(end, "looks at points")


class Places:
    """The places where graphs change; a point belongs to a quadrant where nothing more is known of pieces."""

    def __init__(self, roots: Sequence[Value] = ()) -> None:
        self.roots = roots

    @computed_once
    def guards(self) -> domain.Guards:
        """Return where operations stop being regular."""
        return domain.Guards(self.roots)

    def cell(self, at: Point) -> tuple[object, object]:
        """A key that the points of one piece share: the sides of all landmarks, and where on its line it lies."""
        return tuple(1 if x > 0 else -1 for x in at.values()), ()

    def shorten(self) -> None:
        """Find no more points than every piece along every variable needs, with the places of one line for all."""

    def is_cut(self) -> bool:
        """Return whether pieces may be missing: where the search for breaks ran out of work, or a single point is not known."""
        return False


class Survey(Places):
    """Finds the points for a quantity in some variables, of which `along` is the one that moves.

    The expressions of `valued` have a value wherever the quantity has one.
    """

    def __init__(
        self, truth: Quantity, roots: tuple[Value, ...], names: tuple[str, ...], along: str | None,
        cost: int, valued: Sequence[Probe] = (),
    ) -> None:  # fmt: skip
        super().__init__(roots)
        self.valued = valued
        self.truth, self.names, self.cost = truth, names, cost
        self._lines: dict[tuple[float, ...], tuple[object, list[float]]] = {}
        self.along = along if along in names else next(iter(names), "")
        self.is_brief = False

    @computed_once
    def sharp(self) -> Sharp:
        """Return where they jump, or change fast."""
        from exprgrad.checking.sharp import Sharp

        return Sharp(self.roots, self.guards)

    def points(self) -> Iterator[Point]:
        """The points; one without variables where there are none."""
        if not self.names:
            yield {}
            return
        others = [name for name in self.names if name != self.along]
        held = domain.held(others, 0)
        if self._is_empty(held):
            yield from ({self.along: x, **held} for x in domain.STANDARD)
            return
        start: Point | None = None
        more: list[Point] = []
        for index in range(ROUNDS if others else 1):
            held = self._feasible(domain.held(others, index))
            line = []
            for x in self._line(held, index):
                line.append({self.along: x, **held})
                yield line[-1]
            places = self._lines.get(tuple(held.values()), (None, []))[1]
            within = list(domain.inside(places))
            more += [{self.along: g[k], **held} for k in (1, 2) for g in within]
            is_short = index in domain.SHORT_ROUNDS
            if not others:
                yield from self._at_places(held)
            # short values may lie on landmarks such as x*y = 6: lines through them miss the pieces beside
            if start is None and (self.is_brief or not is_short):
                valued = [at for at in line if self.truth(at, 0).value is not None]
                # one in general position, if there is any
                start = min(valued, key=lambda at: at[self.along] * 16 % 1 == 0, default=None)  # fmt: skip
                if start is not None and is_short:
                    start = self._moved(start)
                if start is not None:
                    yield from self._beside(start, others) if self.is_brief else ()
                    yield from self._at_places(start) if others else ()
                    yield from self._across(start, others)
            if self.is_brief and start is not None:
                return
        if start is None and others:
            yield from self._at_places(line[0])
        yield from more

    def _is_empty(self, held: Point) -> bool:
        """Return whether the quantity surely has no value anywhere."""
        if not self.valued or self._defined(held, domain.STANDARD):
            return False
        from exprgrad.sweeps.ranges import is_empty

        return any(is_empty(probe.tape) for probe in self.valued)

    def shorten(self) -> None:
        """Find no more points than every piece needs."""
        self.is_brief = True

    def is_cut(self) -> bool:
        """Return whether pieces may be missing."""
        if "guards" in vars(self) and self.guards.is_cut:  # those that were looked for
            return True
        return "sharp" in vars(self) and any(map(self._matters, self.sharp.missed))

    def _matters(self, missed: Missed) -> bool:
        """Return whether the quantity goes on through a place, so that it has a value there."""
        step = 2.0**-30 * max(1.0, abs(missed.place))
        left, right = (
            self.truth({**missed.others, missed.variable: missed.place + s}, 0).value
            for s in (-step, step)
        )
        if left is None or right is None:
            return False
        return math.isclose(left, right, rel_tol=1e-6, abs_tol=1e-6)

    def cell(self, at: Point) -> tuple[object, object]:
        """The sides of all landmarks, and where on its line a point lies."""
        if is_exact(at):
            return (0, *at.items()), ()
        held = tuple(x for name, x in at.items() if name != self.along)
        tag, places = self._lines.get(held, (None, []))
        piece = bisect.bisect(places, at[self.along]) if places else 0
        return self.guards.cell(at), (tag, piece)

    def _pieces(self, held: Point, tag: object = None) -> list[tuple[float, ...]]:
        """Points in every piece of the line on which the others are held."""
        places = self.guards.breaks(self.along, held)
        self._lines[tuple(held.values())] = tag, places
        return list(domain.inside(places))

    def _line(self, held: Point, index: int) -> Iterator[float]:
        """Values of the variable, the others held: in every piece at first, a few later on."""
        standard = domain.STANDARD[index % 3 :: 1 + index]
        if index >= 2 and self._defined(held, standard):
            yield from standard
            return
        yield from standard[:6]
        within = self._pieces(held)
        yield from (group[0] for group in within)
        yield from standard[6:]
        yield from (group[3] for group in within)

    def _within(self, name: str, at: Point) -> list[tuple[float, ...]]:
        """Points in every piece of the line of a variable through a point."""
        return list(domain.inside(self.guards.breaks(name, at)))

    def _moved(self, start: Point) -> Point:
        """A point near by where no coordinate is short; the same if there is no value."""
        near = {name: x + 0.00381966 * (abs(x) + 1) for name, x in start.items()}
        return start if self.truth(near, 0).value is None else near

    def _beside(self, start: Point, others: list[str]) -> Iterator[Point]:
        """A point, and some next to it along every variable that is held."""
        yield start
        for name in others:
            values = itertools.chain(*self._within(name, start))
            beside = sorted(values, key=lambda x, own=start[name]: abs(x - own))  # type: ignore[misc] # bound now
            yield from ({**start, name: x} for x in beside[:MOST_BESIDE])

    def _across(self, start: Point, others: list[str]) -> Iterator[Point]:
        """Points in the pieces along the held variables too, each with all pieces of the one that moves."""
        choices = []
        for name in [] if self.is_brief else others:
            within = self._within(name, start)
            choices.append([start[name], *(group[3] for group in within)])
        own = tuple(start[name] for name in others)
        single = [
            (*own[:i], x, *own[i + 1 :])
            for i, values in enumerate(choices)
            for x in values[1:]
        ]
        is_small = math.prod(map(len, choices)) <= MOST_CROSSED
        several = itertools.product(*choices) if is_small else ()
        for values in dict.fromkeys(itertools.chain(single, several)):
            if self.is_brief:
                break
            held = dict(zip(others, values, strict=True))
            # where several were moved at once, pieces count by their numbers along the line, whichever line it is
            for group in self._pieces(held, values if values in single else None):
                yield {self.along: group[3], **held}
            for x in (start[self.along], *CROSSED):
                yield {self.along: x, **held}
        # From a cell where there is a value all lines go on, so that no combination of pieces along several
        # variables is missed. From one without they go on as long as that is cheap: past x*y = 1 there may be
        # a value again.
        seen: set[object] = {self.guards.cell(start)}
        waiting, beyond = deque([start]), deque[Point]()
        while waiting or (beyond and self.guards.spent < BEYOND_WORK):
            is_beyond = not waiting
            for near in self._neighbours((waiting or beyond).popleft(), seen):
                has_value = self.truth(near, 0).value is not None
                if has_value or not is_beyond:
                    yield near
                if has_value:
                    waiting.append(near)
                elif not is_beyond:
                    beyond.append(near)

    def _at_places(self, start: Point) -> Iterator[Point]:
        """Points at the places of every variable, and at those that others have then, so that several are at one."""
        waiting, left = [(start, self.names)], min(MOST_PLACES, PLACE_WORK // self.cost)
        for at, names in itertools.islice(waiting, MOST_CROSSED):
            for i, name in enumerate(names):
                places = self.sharp.places(name, at)
                for place in places:
                    left -= 1
                    if left < 0:
                        return
                    yield {**at, name: place}
                more = names[i + 1 :]
                if more:
                    both = [*places, *self.sharp.coordinates(name, at)]
                    waiting += [({**at, name: x}, more) for x in dict.fromkeys(both)]

    def _neighbours(self, at: Point, seen: set[object]) -> Iterator[Point]:
        """A point of every cell on the lines through one, of cells and lines that are not among those seen, which they join."""
        for name in self.names:
            line = domain.line_through(at, name)
            if line in seen:
                continue
            seen.add(line)
            for group in self._within(name, at):
                near = {**at, name: group[3]}
                cell = self.guards.cell(near)
                if cell not in seen:
                    seen.add(cell)
                    yield near

    def _defined(self, held: Point, xs: Iterable[float]) -> bool:
        """Return whether the quantity has a value for one of these values of the variable."""
        points = ({self.along: x, **held} for x in xs)
        return any(self.truth(at, 0).value is not None for at in points)

    def _feasible(self, held: Point) -> Point:
        """Values for the held variables with which the quantity has a value, if such are found.

        One after the other is moved into the pieces of its own line.
        """
        if not held or self.cost > LARGEST_MOVED or self._defined(held, TRIES):
            return held
        if self._defined(held, (group[0] for group in self._within(self.along, held))):
            return held
        for x in TRIES[:2]:
            for name in held:
                for group in self._within(name, {self.along: x, **held}):
                    moved = {**held, name: group[0]}
                    if self._defined(moved, TRIES):
                        return moved
        small, smaller = ({name: v / n for name, v in held.items()} for n in (8, 64))
        if self._defined(small, TRIES):
            return small
        within = (group[0] for group in self._within(self.along, smaller))
        return smaller if self._defined(smaller, within) else held
