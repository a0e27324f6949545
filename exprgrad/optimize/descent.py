"""Minimising an expression: descent methods as iterators of steps.

    descent = minimize("(1-x)^2 + 100*(y-x^2)^2", {"x": -1.2, "y": 1}, method="momentum", rate=1e-3)
    losses = [step.value for step in descent]
    descent.result.converged, descent.result.reason

With g the gradient, r the learning rate and m the momentum, a step is

    gd         x -= r*g
    momentum   v = m*v + g,  x -= r*v                       (Polyak)
    nesterov   v = m*v + g,  x -= r*(g + m*v)               (Sutskever and others 2013)
    adam       x -= r * mean(g) / (sqrt(mean(g^2)) + 1e-8)  (Kingma and Ba 2015; fading means)

`lbfgs` and `trust` (trust region, with Hessian products) are SciPy's, with our derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from exprgrad.errors import DomainError, ExprgradError, RangeError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Value
from exprgrad.optimize.objective import Bounds, Entries, Objective, objective_of
from exprgrad.optimize.options import Options, options_of
from exprgrad.optimize.step_rules import RULES

DIVERGED = 1e12
"""A value this many times further off than at the start: too long steps, or no minimum at all."""


class DescentStep(NamedTuple):
    """A point on the way, with its value and the length of its gradient.

    `rate` is the learning rate of the step that goes on from here; None for a method without one.
    """

    step: int
    value: float
    gradient_norm: float
    variables: dict[str, Any]
    rate: float | None = None


class Minimum(NamedTuple):
    """Where a descent ended.

    `status` is one of `converged` (the length of the gradient there is at most the tolerance),
    `target`, `steps` (used up), `stalled` (no step from there makes the value smaller), `diverged`,
    `undefined` and `interrupted`; `reason` says it in words. `problem` is the error that the descent met, if it met one.
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

    @property
    def converged(self) -> bool:
        """Whether the gradient says that this is a minimum (or a saddle, or a maximum)."""
        return self.status == "converged"


class Stop(NamedTuple):
    """Why a descent stops: the status and the reason of its `Minimum`."""

    status: str
    reason: str
    problem: ExprgradError | None = None


Steps = Generator[DescentStep, None, Minimum]


class Descent(Iterator[DescentStep]):
    """The steps of a descent, the start first; `result` goes through those that are left."""

    def __init__(self, objective: Objective, options: Options) -> None:
        self.objective = objective
        self.options = options
        self._result: Minimum | None = None
        self._last: DescentStep | None = None
        self._steps = _descend(objective, options)

    def __next__(self) -> DescentStep:
        try:
            self._last = next(self._steps)
            return self._last
        except StopIteration as stop:
            if stop.value is not None:
                self._result = stop.value
            raise StopIteration from None

    @property
    def result(self) -> Minimum:
        """Where it ends."""
        for _ in self:
            pass
        assert self._result is not None
        return self._result

    def interrupted(self) -> Minimum | None:
        """End the descent at its last step, and tell where that is; None before the first step."""
        self._steps.close()
        if self._result is None and self._last is not None:
            entries = self.objective.entries(self._last.variables)
            value, gradient = self.objective.evaluate(entries)
            step = self._last.step
            stop = Stop("interrupted", "interrupted")
            self._result = minimum(
                self.objective, self.options, entries, value, gradient, step, stop
            )
        return self._result


def minimize(
    f: Expression | str | Value,
    start: Mapping[str, Any] | Sequence[Value],
    method: str = "lbfgs",
    *,
    fixed: Mapping[str, Any] | None = None,
    bounds: Bounds | None = None,
    rate: float = 0.01,
    schedule: str | Callable[[int], float] | None = None,
    steps: int = 10_000,
    tolerance: float = 1e-8,
    target: float | None = None,
    momentum: float = 0.9,
) -> Descent:
    """Minimise an expression from a start, step by step.

    The variables in `start` are changed, those in `fixed` are not; of a graph of `Value`s, `start` is
    the list of leaves to change. `bounds` gives the least and the greatest value by name. It stops
    after so many `steps`, when the length of the gradient is at most `tolerance`, or when the value is
    at most `target`. `schedule` is a name of
    `SCHEDULES`, an expression in t and T, or a function of the step; it multiplies the learning
    `rate`, which is for the first four `METHODS`, as is `momentum` for the second and third. The last
    two need SciPy.
    """
    options = options_of(method, rate, schedule, steps, tolerance, target, momentum)
    if options.method == "trust" and bounds:
        raise UsageError("trust takes no bounds", hint="--method lbfgs does")
    return Descent(objective_of(f, start, fixed, bounds), options)


def _descend(objective: Objective, options: Options) -> Steps:
    if options.method in ("lbfgs", "trust"):
        try:
            from exprgrad.optimize.scipy_methods import descend
        except ImportError:
            raise UsageError(
                f"{options.method} needs NumPy and SciPy",
                hint='pip install "exprgrad[arrays]", or --method adam',
            ) from None
        return descend(objective, options)
    return first_order(objective, options)


def first_order(objective: Objective, options: Options) -> Steps:
    """The methods that take a step along the gradient, or along a mean of gradients."""
    change = RULES[options.method](options.momentum)
    entries = objective.clipped(objective.start)
    value, gradient = objective.evaluate(entries)
    first = value
    step = 0
    while True:
        norm = objective.norm(entries, gradient)
        rate = options.rate_at(step) if options.schedule else options.rate
        yield DescentStep(step, value, norm, objective.at(entries), rate)
        stop = stopped(options, step, value, norm)
        if stop:
            break
        moves = change(gradient, rate)
        new = [x - move for x, move in zip(entries, moves, strict=True)]
        new = objective.clipped(new)
        there = _evaluated(objective, new, step + 1, first)
        if isinstance(there, Stop):
            stop = there
            break
        entries, step, (value, gradient) = new, step + 1, there
    objective.done(entries)
    return minimum(objective, options, entries, value, gradient, step, stop)


def _evaluated(
    objective: Objective, entries: Entries, step: int, first: float
) -> tuple[float, Entries] | Stop:
    """The value and the gradient at the end of a step; what stops the descent if that went wrong."""
    if not objective.finite(entries):
        name, _ = objective.furthest(entries)
        return Stop("diverged", f"diverged at step {step}: {name} is too large")
    try:
        value, gradient = objective.evaluate(entries)
    except RangeError as error:
        where = _where(objective, entries)
        why = f"diverged at step {step}, {where}: {error.message}"
        return Stop("diverged", why, error)
    except DomainError as error:
        where = _where(objective, entries)
        why = f"step {step} has no value, {where}: {error.message}"
        return Stop("undefined", why, error)
    if away(value, first):
        return gone(objective, entries, step, value)
    return value, gradient


def away(value: float, first: float) -> bool:
    """Whether a value has gone too far from the first, up or down."""
    return abs(value - first) > DIVERGED * max(1.0, abs(first))


def gone(objective: Objective, entries: Entries, step: int, value: float) -> Stop:
    """What stops a descent whose value has gone too far."""
    where = _where(objective, entries)
    why = f"diverged at step {step}, {where}: the value is {value:.4g}"
    return Stop("diverged", why)


def _where(objective: Objective, entries: Entries) -> str:
    name, x = objective.furthest(entries)
    return f"at {name} = {x:.4g}"


def stopped(options: Options, step: int, value: float, norm: float) -> Stop | None:
    """Why a descent stops at this point; None where it goes on."""
    if norm <= options.tolerance:
        return Stop(
            "converged", f"the gradient norm {norm:.2g} is within the tolerance"
        )
    if options.target is not None and value <= options.target:
        why = f"the value {value:.4g} is at most the target {options.target:.4g}"
        return Stop("target", why)
    if step >= options.steps:
        what = "1 step is" if step == 1 else f"{step} steps are"
        return Stop("steps", f"the {what} used up")
    return None


def minimum(
    objective: Objective,
    options: Options,
    entries: Entries,
    value: float,
    gradient: Entries,
    steps: int,
    stop: Stop,
) -> Minimum:
    """The record of an end."""
    norm = objective.norm(entries, gradient)
    return Minimum(
        options.method, objective.at(entries), value, objective.at(gradient), norm,
        steps, *stop,
    )  # fmt: skip
