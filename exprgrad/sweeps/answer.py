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
from collections.abc import Sequence

from exprgrad.operations.number_types import Fault
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.bounds import Answer, Bounds, Proof
from exprgrad.sweeps.coordinates import Meant
from exprgrad.sweeps.corners import CORNER, DIGITS, UNDECIDED, UNDEFINED
from exprgrad.sweeps.tape import Primals, Tape, primals


def answer(
    bounds: Bounds,
    at: Meant,
    names: Sequence[str],
    digits: int = DIGITS,
    zero: Proof | None = None,
) -> Answer:
    """Return the answer for these variables, good for so many digits where that can be had.

    `partials` has an entry for every name, whose value is None where the partial does not exist.
    """
    tape = bounds.tape
    found = bounds.answer(at, names, digits, zero)
    if found.value.status in (UNDECIDED, UNDEFINED):
        return found._replace(partials={}, primals=(), adjoints=())
    partials, corners = dict(found.partials), []
    blocked = [n for n, k in partials.items() if k.status in (CORNER, UNDECIDED)]
    values, adjoints = found.primals, found.adjoints
    if not adjoints:
        values, adjoints = _in_doubles(tape, at, names, blocked)
    if blocked:
        from exprgrad.sweeps.germs.sides import MOST_WORK, Neighbourhood

        near = Neighbourhood(tape, at)
        # germs sweep the whole tape once for each of these names
        affordable = len(blocked) * len(tape.steps) <= MOST_WORK
        for name in blocked:
            culprit = found.culprits.get(name)
            partials[name], corner = near.along(
                {name: 1}, culprit, values, digits, affordable
            )
            if corner is not None:
                corners.append(corner)
    return found._replace(
        partials=partials,
        primals=values,
        adjoints=adjoints,
        corners=tuple(corners),
        cornered=tuple(blocked),
    )


def _in_doubles(
    tape: Tape, at: Meant, names: Sequence[str], blocked: Sequence[str]
) -> tuple[Primals, Sequence[float]]:
    """The sweeps in double precision, as far as they come; nan where only they do not, and `blocked` has no name for it."""
    point = {name: at[name].double for name in tape.variables}
    if None in point.values():
        return (), ()
    from exprgrad.sweeps.careful import below, fast_adjoints, pull_back_carefully

    try:
        values = primals(tape, point)  # type: ignore[arg-type] # no None among them
        active = tape.active(names)
        adjoints = fast_adjoints(tape, values, active)
        if adjoints is None:
            adjoints, _, uncrossed = pull_back_carefully(tape, values, active)
            for name in below(tape, values, uncrossed).keys() - blocked:
                # a number on the way overflows
                adjoints[tape.variables[name]] = math.nan
    except (Fault, *ARITHMETIC):
        return (), ()
    return values, adjoints
