"""Descents that know something of the curvature, and look for a point that is lower than the last.

    steps = descend(objective, options, LimitedMemory(objective, options))

A method such as `LimitedMemory` or `TrustRegion` finds the next point. Here it is decided when there is no use going on.
"""

from __future__ import annotations

from exprgrad.errors import DomainError, NotDifferentiableError
from exprgrad.optimize.descent import Point, Stop, evaluated
from exprgrad.optimize.objective import Entries, Objective
from exprgrad.optimize.options import Options

ROUNDING = 1e-15
"""Values that differ by this much, relative to their size, may differ by rounding alone."""

PROGRESS = 0.95
"""Where values differ by rounding alone, the gradient norm has to fall below this share of the last."""


PATIENCE = 10
"""So many steps in a row that win nothing but rounding end a descent."""


class SecondOrder:
    """A method of `descend`; `problem` is the error at a point that was tried and has no value, if there was one."""

    def __init__(self, objective: Objective, options: Options) -> None:
        self.objective, self._tolerance = objective, options.tolerance
        self.problem: DomainError | None = None
        self._first: Point | None = None
        self._least, self._idle = 0.0, 0

    def rate(self, step: int) -> None:
        """There is no learning rate."""

    def lower(self, here: Point) -> Point | None:
        """The next point, which is lower; None where none is found."""
        raise NotImplementedError

    def advance(self, here: Point, step: int) -> Point | Stop:
        """The next point, as long as it wins more than rounding."""
        if self._first is None:
            self._first, self._least = here, here.norm
        there = self.lower(here)
        if there is not None:
            # nothing won but rounding: methods may go to and fro between such points, or creep along a kink
            size = max(abs(here.value), abs(self._first.value - here.value))
            flat = here.value - there.value <= ROUNDING * size
            creeps = flat and there.norm >= PROGRESS * self._least
            self._idle = self._idle + 1 if creeps else 0
            self._least = min(self._least, there.norm)
            if self._idle < PATIENCE:
                return there
        why = "the search finds no lower point from here"
        if here.norm <= self._tolerance * self._first.norm:
            return Stop(
                "converged", f"{why}; the gradient norm fell to {here.norm:.2g}"
            )
        if self.problem is not None:
            known = isinstance(self.problem, NotDifferentiableError)
            lack = "gradient" if known else "value"
            why += f"; some points near it have no {lack}: {self.problem.message}"
        return Stop("stalled", why)

    def tried(self, entries: Entries) -> Point | None:
        """A point with all that is known of it; None where it has no value."""
        if self.objective.finite(entries):
            try:
                return evaluated(self.objective, entries)
            except DomainError as error:
                self.problem = error
        return None


def as_low(here: Point, there: Point) -> bool:
    """Whether a point has the value of another but for rounding, and a gradient that is clearly smaller.

    Near a minimum the value is flat: its rounding hides what the gradient still shows (Hager and Zhang 2005).
    """
    flat = there.value - here.value <= ROUNDING * abs(here.value)
    return flat and there.norm < PROGRESS * here.norm
