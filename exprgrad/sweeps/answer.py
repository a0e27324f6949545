"""One answer at a point: the value, and each partial derivative or why there is none.

    found = answer(Bounds(tape), at, ("x",))
    found.value, found.partials["x"]           # what is known of each number, with a bound on its error
    found.corners                              # what the expression does on both sides, where no rule holds

Where the rules hold, numbers come from sweeps with bounds (`bounds`); where one does not, germs decide
from both sides whether the derivative exists, and what it is (`corners`). Every command takes its numbers
from here, so that no two of them can disagree about a point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from exprgrad.annotations import TYPE_CHECKING, NamedTuple
from exprgrad.operations.number_types import Fault, Step
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.bounds import (
    BOUNDED,
    CORNER,
    DIGITS,
    EXACT,
    LEVELS,
    NEAREST,
    UNDECIDED,
    UNDEFINED,
    Bounds,
    Known,
    Proof,
)
from exprgrad.sweeps.careful import meets_corner, pull_back_carefully
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.corners import below
from exprgrad.sweeps.gradient import fast_adjoints
from exprgrad.sweeps.tape import Primals, Tape, primals

if TYPE_CHECKING:
    from exprgrad.sweeps.corners import Corner, Nearest


class Answer(NamedTuple):
    """What is known at a point.

    `partials` has an entry for every name that was asked for, whose value is None where the partial does
    not exist; then, and where it exists on one side only, `corners` says why. `culprit` is the step that
    has no value, if the whole has none. `primals` and `adjoints` are those of sweeps in double precision,
    for people to look at; they are empty where these do not come through. `level` is 0 if they were good
    enough, else the bits that it took. `cornered` are the names where no rule holds.
    """

    value: Known
    partials: dict[str, Known]
    corners: tuple[Corner, ...]
    level: int
    culprit: Step | None
    primals: Primals
    adjoints: Sequence[float]
    cornered: tuple[str, ...] = ()


def answer(
    bounds: Bounds,
    at: Mapping[str, Coordinate],
    names: Sequence[str],
    digits: int = DIGITS,
    zero: Proof | None = None,
) -> Answer:
    """The answer for these variables, good for so many digits where that can be had."""
    tape, active = bounds.tape, bounds.tape.active(names)
    quick = bounds.by_floats(at, names, 0.5 * 10.0**-digits) if digits < NEAREST else None  # fmt: skip
    values, adjoints = bounds.taken(at) if quick is None else (quick.primals, quick.adjoints)  # fmt: skip
    if quick is None and values and meets_corner(tape, values, active):
        exact = _by_fractions(tape, at, names, digits)
        if exact is not None:
            return exact
        adjoints = ()
    found = quick or bounds.by_balls(at, names, digits, zero)
    if found.value.status in (UNDECIDED, UNDEFINED):
        culprit = found.culprits.get("")
        return Answer(found.value, {}, (), found.level, culprit, (), ())
    if not adjoints or not math.isfinite(sum(adjoints)):
        values, adjoints = _in_doubles(tape, at, names)
    partials, corners = dict(found.partials), []
    blocked = [n for n, k in partials.items() if k.status in (CORNER, UNDECIDED)]
    if blocked:
        from exprgrad.sweeps.sides import MOST_WORK, along, corner_of

        affordable = len(blocked) * len(tape.steps) <= MOST_WORK
        for name in blocked:
            culprit = found.culprits.get(name)
            if name in found.sides:
                left, right, both = found.sides[name]
                partials[name] = both or no_number
                if both is None:
                    kind = "corner" if left and right else "jump"
                    slopes = [own and own.value for own in (left, right)]
                    corners.append(corner_of(name, tape, values, culprit, kind, *slopes))  # fmt: skip
                continue
            slope, corner = along(
                tape, values, at, {name: 1}, culprit, affordable, digits=digits
            )
            partials[name] = from_sides(slope, corner)
            if corner is not None:
                corners.append(corner)
    return Answer(
        found.value,
        partials,
        tuple(corners),
        found.level,
        None,
        values,
        adjoints,
        tuple(blocked),
    )


def _by_fractions(
    tape: Tape, at: Mapping[str, Coordinate], names: Sequence[str], digits: int
) -> Answer | None:
    """The answer at a corner that fractions show, of |x| at 0, without balls: importing these takes longer."""
    if len(tape.steps) > MOST_STEPS:
        return None
    from exprgrad.sweeps.coefficients import Fractions
    from exprgrad.sweeps.sides import by_fractions, corner_of

    found = by_fractions(tape, at, names)
    if found is None:
        return None
    value, sides = found
    values, adjoints = _in_doubles(tape, at, names)
    _, _, blocked = pull_back_carefully(tape, values, tape.active(names))
    culprits = below(tape, values, blocked)
    partials, corners = {}, []
    for name, (kind, slope, left, right) in sides.items():
        partials[name] = no_number
        if slope is not None:
            partials[name] = known(Fractions().nearest(slope, digits))
        if kind:
            corners.append(corner_of(name, tape, values, culprits.get(name), kind, left, right))  # fmt: skip
    return Answer(
        known(Fractions().nearest(value, digits)),
        partials,
        tuple(corners),
        LEVELS[0],
        None,
        values,
        adjoints,
        tuple(name for name in names if name in culprits),
    )


MOST_STEPS = 40
"""The longest tape that is tried with fractions."""

no_number = Known(None, math.inf, CORNER)
"""What is known of a derivative that does not exist."""


def from_sides(slope: Nearest | None, corner: Corner | None) -> Known:
    """What is known of a derivative after both sides were looked at."""
    if slope is not None:
        return known(slope)
    undecided = corner is not None and corner.kind == "undetermined"
    return no_number._replace(status=UNDECIDED) if undecided else no_number


def known(slope: Nearest) -> Known:
    """What is known of a number that germs gave."""
    status = BOUNDED if slope.error else EXACT
    return Known(slope.value, slope.error, status, slope.middle, slope.right)


def _in_doubles(
    tape: Tape, at: Mapping[str, Coordinate], names: Sequence[str]
) -> tuple[Primals, Sequence[float]]:
    """The sweeps in double precision, as far as they come."""
    point = {name: at[name].double for name in tape.variables}
    if None in point.values():
        return (), ()
    try:
        values = primals(tape, point)  # type: ignore[arg-type] # no None among them
        active = tape.active(names)
        adjoints = None if None in values else fast_adjoints(tape, values, active)
        if adjoints is None:
            adjoints, _, _ = pull_back_carefully(tape, values, active)
    except (Fault, *ARITHMETIC):
        return (), ()
    return values, adjoints
