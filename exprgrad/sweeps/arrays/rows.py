"""Many rows at once: values and partials with bounds on their errors, and what has to be looked at singly.

    found = Rows(tape, ("x",)).answer([ArrayBall.of(column)], 0.5e-10)
    found.value, found.partials                # balls: numbers with bounds, row by row
    found.doubtful                             # rows whose digits may not stand, or where a rule does not hold

A forward and a reverse sweep of arrays with bounds take the place of one sweep on doubles and its test (see
`rounding`) for every row. Rows that leave the range of doubles, on their way or at their end, are swept again in
long doubles, where a machine has such with more exponents. Rows at a kink are swept forward once more for each
variable and side: with c' the slope of a kink on the side to which its arguments x move along x',

    z' = c'(x; x')      which is relu(x'), |x'|, max(x', y') at the corner of relu, |x|, max(x, y)

(the chain rule for directional derivatives of Lipschitz functions; Shapiro, *On concepts of directional
differentiability*, 1990). Where both slopes are the same, or surely are not, that settles the partial.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.operations.array_balls import KINKED, UNIT, ArrayBall
from exprgrad.sweeps.arrays.bounds import Primals, gradients, one_sided, primals
from exprgrad.sweeps.tape import Tape

# long doubles of x86 reach to 1e4932; on other machines they may be doubles
_REACHES_FARTHER = np.finfo(np.longdouble).maxexp > np.finfo(np.float64).maxexp

_LEAST = 5e-324
"""The least double of all."""


class Answers(NamedTuple):
    """The results of some rows: balls for the value and each partial.

    A row is `doubtful` where the digits of some number may not stand, or it cannot be told whether a number
    exists. `missing` has a mask for each partial that does not exist. `beyond` has, for the value and each partial, the
    rows whose number no double is close to: it lies between a*2^k and b*2^k, as a, b and k.
    """

    value: ArrayBall
    partials: list[ArrayBall]
    doubtful: Any
    missing: list[Any]
    beyond: list[dict[int, tuple[float, float, int]]]


class Rows:
    """A tape, prepared for answers on columns of numbers."""

    def __init__(self, tape: Tape, names: Sequence[str]) -> None:
        self.tape, self.names = tape, names
        self._has_kinks = any(step.operation in KINKED for step in tape.steps)

    def answer(self, columns: Sequence[ArrayBall], enough: float) -> Answers:
        """The rows of these columns, one for each variable; relative errors of `enough` are no doubt."""
        count = max(column.size for column in columns)
        wide = [c.moved(lambda mid: np.broadcast_to(mid, (count,))) for c in columns]
        with np.errstate(all="ignore"):
            numbers = self._swept(wide)
            known = [ball.known(enough) for ball in numbers]
            doubtful = ~np.logical_and.reduce(known)
            missing = [np.zeros(count, bool) for _ in self.names]
            found = Answers(
                numbers[0], numbers[1:], doubtful, missing, [{} for _ in numbers]
            )
            if doubtful.any():
                filled = [_filled(ball) for ball in numbers]
                found = found._replace(value=filled[0], partials=filled[1:])
                if self._has_kinks:
                    rows = np.flatnonzero(doubtful)
                    self._settle(found, [c[rows] for c in wide], rows, enough)
                rows = np.flatnonzero(doubtful)
                if _REACHES_FARTHER and len(rows):
                    self._sweep_far(found, [c[rows] for c in wide], rows, enough)
        return found

    def _primals(self, columns: Sequence[ArrayBall]) -> Primals:
        """The forward sweep."""
        leaves = dict(zip(self.tape.variables, columns, strict=True))
        return primals(self.tape, leaves, str, by_rows=True)

    def _swept(self, columns: Sequence[ArrayBall]) -> list[ArrayBall]:
        """The value and the partials by the rules."""
        found, shape = self._primals(columns), columns[0].shape
        partials = gradients(self.tape, found, self.names)
        balls = found.balls[self.tape.root], *partials.values()
        return [ball.moved(lambda mid: np.broadcast_to(mid, shape)) for ball in balls]

    def _settle(
        self, found: Answers, columns: Sequence[ArrayBall], rows: Any, enough: float
    ) -> None:
        """Look at doubtful rows from both sides, for each variable."""
        primals, shape = self._primals(columns), (len(rows),)
        doubtful = ~found.value[rows].known(enough)
        each = zip(self.names, found.partials, found.missing, strict=True)
        for name, partial, missing in each:
            right, bent = one_sided(self.tape, primals, name, np.ones(shape))
            other, _ = one_sided(self.tape, primals, name, -np.ones(shape))
            # the slope to the left is minus that of the sweep to the left, so the sum of both is the gap
            gap = np.abs(right.mid + other.mid)
            error = (right.error + other.error) * UNIT
            apart = gap > error
            same = (gap == 0) & ((error == 0) | ~bent) & right.known(enough)
            doubtful |= ~(apart | same)
            partial.mid[rows] = np.where(apart, np.nan, right.mid)
            partial.absolute[rows] = np.where(apart, 0.0, right.error)
            missing[rows] = apart
        # a doubtful row is looked at singly, and nothing is said of it here
        for missing in found.missing:
            missing[rows] &= ~doubtful
        found.doubtful[rows] = doubtful

    def _sweep_far(
        self, found: Answers, columns: Sequence[ArrayBall], rows: Any, enough: float
    ) -> None:
        """Sweep rows whose numbers leave the range of doubles again, in numbers that reach farther."""
        for column in columns:
            column.mid = column.mid.astype(np.longdouble)
        sure: Any = True
        numbers = (found.value, *found.partials)
        each = zip(numbers, self._swept(columns), found.beyond, strict=True)
        for ball, far, beyond in each:
            with np.errstate(over="ignore", under="ignore"):
                near = far.mid.astype(np.float64)
            # below the smallest normal number doubles are spaced evenly, and lose relative digits
            small = (np.abs(near) < np.finfo(np.float64).tiny) & (far.mid != 0)
            error = far.error + np.where(small, _LEAST / UNIT, 0.0)
            vanished = (near == 0) & (far.mid != 0)
            lost = vanished | (np.isinf(near) & np.isfinite(far.mid))
            radius, size = far.error * UNIT, np.abs(far.mid)
            low, high = far.mid - radius, far.mid + radius
            same = low.astype(np.float64) == high.astype(np.float64)
            known = (radius <= enough * size) | (same & (near != 0) & ~lost)
            sure = sure & known & np.isfinite(far.mid)
            ball.mid[rows] = near
            ball.absolute[rows] = np.where(lost, math.inf, error).astype(np.float64)
            for i in np.flatnonzero(lost & sure).tolist():
                _, exponent = np.frexp(far.mid[i])
                a, b = (float(np.ldexp(end, -exponent)) for end in (low[i], high[i]))
                ends = math.nextafter(a, -math.inf), math.nextafter(b, math.inf)
                beyond[int(rows[i])] = (*ends, int(exponent))
        found.doubtful[rows] = ~sure


def _filled(ball: ArrayBall) -> ArrayBall:
    """The same, with a middle and an error for every row, to be written to."""
    mid, error = (np.broadcast_to(a, ball.shape).copy() for a in (ball.mid, ball.error))
    return ArrayBall(mid, 0.0, error)
