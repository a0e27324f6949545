"""Descents that know something of the curvature, and look for a point that is lower than the last.

    steps = second_order(objective, options, LimitedMemory(objective))

A method such as `LimitedMemory` or `TrustRegion` finds the next point. Here it is decided when to stop.
"""

from __future__ import annotations

from exprgrad.annotations import NamedTuple, Protocol
from exprgrad.errors import DomainError, NotDifferentiableError
from exprgrad.optimize.descent import (
    DescentStep,
    Steps,
    Stop,
    Tolerance,
    away,
    gone,
    minimum,
    stopped,
)
from exprgrad.optimize.objective import Entries, Objective
from exprgrad.optimize.options import Options

ROUNDING = 1e-15
"""Values that differ by this much, relative to their size, may differ by rounding alone."""

PROGRESS = 0.95
"""Where values differ by rounding alone, the gradient norm has to fall below this share of the last."""


PATIENCE = 10
"""So many steps in a row that win nothing but rounding end a descent."""


class Point(NamedTuple):
    """A point with its value and gradient."""

    entries: Entries
    value: float
    gradient: Entries
    norm: float


class Method(Protocol):
    """How to get from a point to the next.

    `problem` is the error at a point that was tried and has no value, if there was one.
    """

    problem: DomainError | None

    def advance(self, here: Point) -> Point | None:
        """The next point, which is lower; None where none is found."""


def evaluated(objective: Objective, entries: Entries) -> Point:
    """A point with all that is known of it. Raises `DomainError`."""
    value, gradient = objective.evaluate(entries)
    return Point(entries, value, gradient, objective.norm(entries, gradient))


def as_low(here: Point, there: Point) -> bool:
    """Whether a point has the value of another but for rounding, and a gradient that is clearly smaller.

    Near a minimum the value is flat: its rounding hides what the gradient still shows (Hager and Zhang 2005).
    """
    flat = there.value - here.value <= ROUNDING * abs(here.value)
    return flat and there.norm < PROGRESS * here.norm


def second_order(objective: Objective, options: Options, method: Method) -> Steps:
    """The steps of a method as they come, and where they end."""
    first = here = evaluated(objective, objective.clipped(objective.start))
    step, tolerance = 0, Tolerance(objective, options)
    least, idle = here.norm, 0
    while True:
        yield DescentStep(step, here.value, here.norm, objective.at(here.entries))
        met = tolerance.met(here.entries, here.gradient, here.norm)
        stop = stopped(options, step, here.value, here.norm, met)
        if stop is None and away(here.value, first.value):
            stop = gone(objective, here.entries, step, here.value)
        if stop is not None:
            break
        there = method.advance(here)
        if there is not None:
            # nothing won but rounding: methods may go to and fro between such points, or creep along a kink
            size = max(abs(here.value), abs(first.value - here.value))
            flat = here.value - there.value <= ROUNDING * size
            idle = idle + 1 if flat and there.norm >= PROGRESS * least else 0
            least = min(least, there.norm)
        if there is None or idle >= PATIENCE:
            small = options.tolerance * first.norm
            stop = _stalled(here.norm, small, method.problem)
            break
        here, step = there, step + 1
    objective.done(here.entries)
    return minimum(
        objective, options, here.entries, here.value, here.gradient, step, stop
    )


def _stalled(norm: float, small: float, problem: DomainError | None) -> Stop:
    """The stop at a point from which no way leads on."""
    why = "the search finds no lower point from here"
    if norm <= small:
        return Stop("converged", f"{why}; the gradient norm fell to {norm:.2g}")
    if problem is not None:
        lack = "gradient" if isinstance(problem, NotDifferentiableError) else "value"
        why += f"; some points near it have no {lack}: {problem.message}"
    return Stop("stalled", why)
