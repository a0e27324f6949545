"""Whether two quantities are the same at a point, and at enough points in every piece of their domain.

Double precision screens. What it suspects, and every agreement that counts, is settled with more digits:
the difference of two equal quantities is the noise of rounding, and shrinks by as many digits as the
precision grows; a true difference stays as it is. So 1e-12 is not 0, and a cancellation is no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from exprgrad import pieces
from exprgrad.graph import Value
from exprgrad.probe import Look, Probe

LADDER = (50, 100, 200, 400)
"""Digits, from one precision to the next until the difference has shrunk or stayed."""

SCREEN = 1e-7
"""Relative difference of doubles from which on two quantities are suspected to differ."""

MOST_LOOKS = 90
MOST_SETTLED = 8
ENOUGH = 3
"""Usable points below which there is no verdict."""

FLOAT_WORK = 3_000_000
PRECISE_WORK = 120_000
"""Node visits that looks of either kind may take."""

LARGEST_MOVED = 3000
"""Cost of a look up to which held variables are moved to where there is a value."""

TRIES = (1.0, 0.5, -1.5, 3.0, 0.125)

Point = dict[str, float]


class Sides(NamedTuple):
    """What is compared: a look at the truth, and a look at the claim; digits 0 mean doubles.

    `roots` are the graphs that both are made of. With `lenient`, a point where the claim alone is not
    defined does not count.
    """

    truth: Callable[[Point, int], Look]
    claim: Callable[[Point, int], Look]
    roots: tuple[Value, ...]
    names: tuple[str, ...]
    along: str | None
    cost: int
    lenient: bool = False


class Outcome(NamedTuple):
    """What was found at a point: `kind` is agrees, differs, undefined (the claim), isolated or unusable."""

    kind: str
    at: Point
    truth: Any = None
    claim: Any = None


class Findings(NamedTuple):
    """What was found at all points: `usable` by a first look, `settled` with many digits."""

    settled: list[Outcome]
    usable: list[Point]
    tried: int
    isolated: list[Outcome]
    against: Outcome | None
    exhausted: bool = False


def examine(sides: Sides) -> Findings:
    """Look at points of every piece until there is one that refutes, or there are enough."""
    usable: list[Point] = []
    isolated: list[Outcome] = []
    settled: list[Outcome] = []
    tried = 0
    affordable = max(2, min(MOST_LOOKS, FLOAT_WORK // sides.cost))
    for at in points(sides):
        if tried >= affordable:
            break
        tried += 1
        kind = screened(sides, at)
        if kind == "unusable":
            continue
        if kind == "agrees":
            usable.append(at)
            continue
        found = settle(sides, at, thorough=True)
        if found.kind in ("differs", "undefined"):
            return Findings(settled, usable, tried, isolated, found)
        if found.kind == "agrees":
            usable.append(at)
            settled.append(found)
        elif found.kind == "isolated":
            isolated.append(found)
    return _settled(sides, usable, settled, tried, isolated)


def _settled(
    sides: Sides,
    usable: list[Point],
    settled: list[Outcome],
    tried: int,
    isolated: list[Outcome],
) -> Findings:
    most = max(1, min(MOST_SETTLED, PRECISE_WORK // sides.cost))
    seen = [found.at for found in settled]
    chosen = [at for at in spread(usable, most) if at not in seen]
    for i, at in enumerate(chosen):
        found = settle(sides, at, thorough=i < 2)
        if found.kind in ("differs", "undefined"):
            return Findings(settled, usable, tried, isolated, found)
        if found.kind == "agrees":
            settled.append(found)
    return Findings(
        settled, usable, tried, isolated, None, sides.cost * ENOUGH > PRECISE_WORK
    )


def spread(items: Sequence[Point], most: int) -> list[Point]:
    """The first few, and the rest spread evenly."""
    if len(items) <= most:
        return list(items)
    head = most // 3
    rest, wanted = items[head:], most - head
    return [*items[:head], *(rest[i * len(rest) // wanted] for i in range(wanted))]


def screened(sides: Sides, at: Point) -> str:
    """A first look, in doubles: agrees, unusable, or suspected."""
    truth = sides.truth(at, 0)
    if truth.value is None:
        return "unusable"
    claim = sides.claim(at, 0)
    if claim.value is None:
        return "unusable" if claim.overflow or sides.lenient else "suspected"
    scale = max(abs(truth.value), abs(claim.value))
    close = abs(truth.value - claim.value) <= SCREEN * scale
    return "agrees" if close else "suspected"


def settle(sides: Sides, at: Point, thorough: bool) -> Outcome:
    """Decide about a point by more and more digits."""
    last: Any = None
    for i, digits in enumerate(LADDER):
        truth, claim = sides.truth(at, digits), sides.claim(at, digits)
        if truth.value is None or claim.overflow:
            return Outcome("unusable", at)
        if claim.value is None:
            if sides.lenient:
                return Outcome("unusable", at)
            kind = "undefined" if _around(sides, at) else "isolated"
            return Outcome(kind, at, truth.value)
        difference = abs(truth.value - claim.value)
        agreed = Outcome("agrees", at, truth.value, claim.value)
        scale = max(abs(truth.value), abs(claim.value))
        negligible = float_power(digits - 10) * scale
        if difference <= negligible and (i or not thorough):
            return agreed
        if last is not None:
            if difference <= last * float_power(25):
                return agreed
            if abs(difference - last) <= last * float_power(3):
                return agreed._replace(kind="differs")
        last = difference
    return Outcome("unusable", at)


def float_power(digits: int) -> Any:
    """10^-digits, as a number that doubles need not hold."""
    import mpmath

    return mpmath.mpf(10) ** -digits


def _around(sides: Sides, at: Point) -> bool:
    """Whether the claim is undefined in some direction from a point, and the truth is not."""
    for k in range(4):
        near = {
            name: x + (-1.0) ** (k + (k >> 1) * i) * (i + 2) * 2.0**-14 * max(1, abs(x))
            for i, (name, x) in enumerate(at.items())
        }
        if (
            sides.truth(near, 0).value is not None
            and sides.claim(near, 0).value is None
        ):
            return True
    return False


# Points


def points(sides: Sides) -> Iterator[Point]:
    """Points to look at, the simplest first; the same ones for the same question."""
    if not sides.names:
        yield {}
        return
    seen: set[tuple[float, ...]] = set()
    for at in _in_turn(sides):
        key = tuple(at.values())
        if key not in seen:
            seen.add(key)
            yield at


def _in_turn(sides: Sides) -> Iterator[Point]:
    along = sides.along if sides.along in sides.names else sides.names[0]
    others = [name for name in sides.names if name != along]
    rounds = 6 if others else 1
    for index in range(rounds):
        held = _feasible(sides, along, pieces.held(others, index))
        xs = list(_along(sides, along, held, index))
        yield from ({along: x, **held} for x in xs)


def _along(
    sides: Sides, along: str, held: dict[str, float], index: int
) -> Iterator[float]:
    """Values of the variable, the others held: in every piece at first, a few later on."""
    standard = pieces.STANDARD[index % 3 :: 1 + index]
    if index >= 2 and _defined(sides, along, held, standard):
        yield from standard
        return
    within = list(pieces.inside(pieces.breaks(sides.roots, along, held)))
    yield from standard[:6]
    yield from (group[0] for group in within)
    yield from standard[6:]
    for k in (1, 2):
        yield from (group[k] for group in within)


def _defined(
    sides: Sides, along: str, held: dict[str, float], xs: Iterable[float]
) -> bool:
    """Whether the truth is defined for one of these values of the variable."""
    return any(sides.truth({along: x, **held}, 0).value is not None for x in xs)


def _feasible(sides: Sides, along: str, held: dict[str, float]) -> dict[str, float]:
    """Values for the held variables with which the truth is defined somewhere, if such are found.

    One variable after the other is moved into the pieces of its own line.
    """
    if not held or sides.cost > LARGEST_MOVED or _defined(sides, along, held, TRIES):
        return held
    places = pieces.breaks(sides.roots, along, held)
    if _defined(sides, along, held, (group[0] for group in pieces.inside(places))):
        return held
    for x in TRIES[:2]:
        for name in held:
            rest = {along: x, **{n: v for n, v in held.items() if n != name}}
            places = pieces.breaks(sides.roots, name, rest)
            for group in pieces.inside(places):
                moved = {**held, name: group[0]}
                if _defined(sides, along, moved, TRIES):
                    return moved
    small = {name: v / 8 for name, v in held.items()}
    return small if _defined(sides, along, small, TRIES) else held


def slope_side(
    probe: Probe, domain: Sequence[Probe] = ()
) -> Callable[[Point, int], Look]:
    """The slope of an expression as a quantity, where other expressions are defined too."""

    def look(at: Point, digits: int) -> Look:
        for other in domain:
            if other.floats(at).value is None:
                return Look(None, None)
        if not digits:
            seen = probe.floats(at)
        else:
            seen = probe.precise(at, digits)
            if seen.slope is not None and probe.floats(at).slope is None:
                return Look(None, None, seen.overflow)  # a corner, which doubles know
        return Look(seen.slope, None, seen.overflow)

    return look


def value_side(probe: Probe) -> Callable[[Point, int], Look]:
    """The value of an expression as a quantity."""

    def look(at: Point, digits: int) -> Look:
        return probe.precise(at, digits) if digits else probe.floats(at)

    return look
