"""The parts of a descent: its steps, where it ends, and what stops it."""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping

from exprgrad.annotations import Any, NamedTuple, Protocol
from exprgrad.budget import Spent, spend
from exprgrad.errors import DomainError, ExprgradError, RangeError
from exprgrad.optimize.objective import Entries, Objective
from exprgrad.optimize.options import Options
from exprgrad.optimize.stationary import Verdict

DIVERGED = 1e12
"""A value that is this many times further off than the first: steps are too long, or there is no minimum."""


class DescentStep(NamedTuple):
    """A point of the descent, with its value and the length of its gradient.

    `rate` is the learning rate of the step that goes on from here; None for a method without one.
    """

    step: int
    value: float
    gradient_norm: float
    variables: dict[str, Any]
    rate: float | None = None


class Minimum(NamedTuple):
    """The end of a descent.

    `status` is one of `converged` (the gradient there is within the tolerance, or as small as doubles make it),
    `target`, `steps` (used up), `stalled` (the search found no lower point from there), `diverged`, `undefined` and
    `interrupted`; `reason` says it in words. `problem` is the error that the descent met, if it met one. `kind` is what
    kind of point it is, one of `stationary.KINDS`, and `verdict` what is known of it; both are None where the descent
    stopped before the gradient vanished, and no minimum is shown. A partial that does not exist there, at a kink, is
    None. `texts` has the value, as "", and partials by name, where a double cannot hold them; `norm_text` has the
    length of such a gradient. Where the search was stuck, `kinks` says whether a kink, or an end of the domain, may be
    near.
    """

    method: str
    variables: dict[str, Any]
    value: float
    gradient: dict[str, Any]
    gradient_norm: float
    steps: int
    status: str
    reason: str
    problem: ExprgradError | None = None
    verdict: Verdict | None = None
    texts: Mapping[str, str] = {}
    kinks: bool = False
    norm_text: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        verdict, value = self.verdict, self.texts.get("")
        partials = {n: text for n, text in self.texts.items() if n}
        # JSON has no infinity
        far = verdict is None or verdict.distance == math.inf
        return {
            "method": self.method,
            "variables": self.variables,
            "value": self.value if value is None else None,
            **({} if value is None else {"value_text": value}),
            "gradient": {**self.gradient, **dict.fromkeys(partials)},
            **({"gradient_texts": partials} if partials else {}),
            "gradient_norm": None if self.norm_text else self.gradient_norm,
            **({"gradient_norm_text": self.norm_text} if self.norm_text else {}),
            **{name: getattr(self, name) for name in _ENDED},
            "kind_reason": verdict and verdict.reason,
            "place": verdict and verdict.at,
            "distance": None if far else verdict and verdict.distance,
        }

    @property
    def converged(self) -> bool:
        """Return whether the gradient vanishes; `kind` says what kind of point it is."""
        return self.status == "converged"

    @property
    def kind(self) -> str | None:
        """The kind of point, where the gradient vanishes."""
        return None if self.verdict is None else self.verdict.kind


_ENDED = ("steps", "converged", "status", "reason", "kind")
"""Where and why a descent ended, in the order in which programs get it."""


class Stop(NamedTuple):
    """The end of a descent: the status and the reason of its `Minimum`."""

    status: str
    reason: str
    problem: ExprgradError | None = None


class Point(NamedTuple):
    """A point with its value and gradient, and the length of that."""

    entries: Entries
    value: float
    gradient: Entries
    norm: float


class Method(Protocol):
    """A way to get from a point to the next."""

    def rate(self, step: int) -> float | None:
        """The learning rate of a step; None for a method without one."""

    def advance(self, here: Point, step: int) -> Point | Stop:
        """The next point, or why there is none."""


Steps = Generator[DescentStep, None, Minimum]


def descend(objective: Objective, options: Options, method: Method) -> Steps:
    """The steps of a method as they come, and where they end."""
    try:
        first = here = evaluated(objective, objective.clipped(objective.start))
    except DomainError:
        tiny = [name for name, x in objective.given.items() if x.is_beyond]
        if not tiny:
            raise
        # raises what is wrong with the number itself, and not with the 0 that it is in doubles
        objective.expression.evaluate({**objective.given, **objective.at(objective.start)}, ())  # fmt: skip
        what = f"the value of {tiny[0]} is beyond the range of double precision"
        raise RangeError(what, hint="a descent computes in doubles") from None
    step, tolerance = 0, Tolerance(objective, options)
    # a sweep forward and one back
    work = 2 * len(objective.expression.tape.steps)
    while True:
        at, rate = objective.at(here.entries), method.rate(step)
        # before it is judged: the point at which a descent stops is shown as well
        yield DescentStep(step, here.value, here.norm, at, rate)
        met = tolerance.met(here)
        found = stopped(options, step, here, met)
        if found is None and away(here.value, first.value):
            found = gone(objective, here.entries, step, here.value)
        try:
            spend(work, "steps of the descent")
            there = found or method.advance(here, step)
        except Spent:
            there = Stop("steps", f"out of budget after {step} steps")
        if isinstance(there, Stop):
            objective.done(here.entries)
            return minimum(objective, options, here, step, there)
        here, step = there, step + 1


def evaluated(objective: Objective, entries: Entries) -> Point:
    """A point with all that is known of it. Raises `DomainError`."""
    value, gradient = objective.evaluate(entries)
    return Point(entries, value, gradient, objective.norm(entries, gradient))


def away(value: float, first: float) -> bool:
    """Return whether a value is too far from the first, up or down."""
    return abs(value - first) > DIVERGED * max(1.0, abs(first))


def gone(objective: Objective, entries: Entries, step: int, value: float) -> Stop:
    """The stop of a descent whose value is too far off."""
    why = f"diverged at step {step}, {where(objective, entries)}: the value is {value:.4g}"
    return Stop("diverged", why)


def where(objective: Objective, entries: Entries) -> str:
    """Return where a point is, by the variable that is largest there."""
    name, x = objective.furthest(entries)
    return f"at {name} = {x:.4g}"


class Tolerance:
    """The test for a gradient that counts as 0: relative to the largest partials so far, where these were less than 1.

    So a function that is multiplied by 1e-10, or has a variable that is measured in other units, is
    followed as far as any other.
    """

    def __init__(self, objective: Objective, options: Options) -> None:
        self._objective, self._limit = objective, options.tolerance
        self._largest: Entries | None = None

    def met(self, here: Point) -> bool:
        """Return whether the gradient at a point is within the tolerance."""
        self._largest = self._objective.largest(self._largest, here.gradient)
        # relative to partials of at most 1 a gradient is no smaller: what is beyond the tolerance, or nan, stays so
        if not 0 < here.norm <= self._limit:
            return here.norm <= self._limit
        own = self._objective.relative(here.gradient, self._largest)
        return self._objective.norm(here.entries, own) <= self._limit


def stopped(options: Options, step: int, here: Point, met: bool) -> Stop | None:
    """Return why a descent stops at this point, where the tolerance is met or not; None if it goes on."""
    if met:
        return Stop("converged", within(here.norm))
    if options.target is not None and here.value <= options.target:
        why = f"the value {here.value:.4g} is at most the target {options.target:.4g}"
        return Stop("target", why)
    if step >= options.steps:
        what = "1 step is" if step == 1 else f"{step} steps are"
        return Stop("steps", f"the {what} used up")
    return None


def within(norm: float | str) -> str:
    """Say that the gradient is within the tolerance; a norm beyond the range of doubles is given as text."""
    size = norm if isinstance(norm, str) else f"{norm:.2g}"
    return f"the gradient norm {size} is within the tolerance"


def minimum(
    objective: Objective, options: Options, here: Point, steps: int, stop: Stop
) -> Minimum:
    """The record of where a descent ended."""
    return Minimum(
        options.method, objective.at(here.entries), here.value,
        objective.at(here.gradient), here.norm, steps, *stop,
    )  # fmt: skip
