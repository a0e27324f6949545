"""Descents that take a step along the gradient, or along a mean of gradients.

With g the gradient, r the learning rate and m the momentum, a step is

    gd         x -= r*g
    momentum   v = m*v + g,  x -= r*v                       (Polyak)
    nesterov   v = m*v + g,  x -= r*(g + m*v)               (Sutskever and others 2013)
    adam       x -= r * mean(g) / (sqrt(mean(g^2)) + 1e-8)  (Kingma and Ba 2015; fading means)
"""

from __future__ import annotations

from exprgrad.errors import DomainError, RangeError
from exprgrad.optimize.descent import (
    DescentStep,
    Steps,
    Stop,
    Tolerance,
    away,
    gone,
    minimum,
    stopped,
    where,
)
from exprgrad.optimize.objective import Entries, Objective
from exprgrad.optimize.options import Options
from exprgrad.optimize.step_rules import RULES


def first_order(objective: Objective, options: Options) -> Steps:
    """The steps of a first-order method as they come, and where they end."""
    change = RULES[options.method](options.momentum)
    entries = objective.clipped(objective.start)
    value, gradient = objective.evaluate(entries)
    first = value
    step = 0
    tolerance = Tolerance(objective, options)
    while True:
        norm = objective.norm(entries, gradient)
        rate = options.rate_at(step) if options.schedule else options.rate
        yield DescentStep(step, value, norm, objective.at(entries), rate)
        met = tolerance.met(entries, gradient, norm)
        stop = stopped(options, step, value, norm, met)
        if stop:
            break
        moves = change(gradient, rate)
        new = [x - move for x, move in zip(entries, moves, strict=True)]
        new = objective.clipped(new)
        if rate and objective.same(entries, new):
            stop = Stop("stalled", "a step no longer changes any variable")
            break
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
    """The value and the gradient at the end of a step, or what stops the descent there."""
    if not objective.finite(entries):
        name, _ = objective.furthest(entries)
        return Stop("diverged", f"diverged at step {step}: {name} is too large")
    try:
        value, gradient = objective.evaluate(entries)
    except RangeError as error:
        at = where(objective, entries)
        why = f"diverged at step {step}, {at}: {error.message}"
        return Stop("diverged", why, error)
    except DomainError as error:
        at = where(objective, entries)
        why = f"step {step} has no value, {at}: {error.message}"
        return Stop("undefined", why, error)
    if away(value, first):
        return gone(objective, entries, step, value)
    return value, gradient
