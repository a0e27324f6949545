"""Descents that take a step along the gradient, or along a mean of gradients.

With g the gradient, r the learning rate and m the momentum, a step is

    gd         x -= r*g
    momentum   v = m*v + g,  x -= r*v                       (Polyak)
    nesterov   v = m*v + g,  x -= r*(g + m*v)               (Sutskever and others 2013)
    adam       x -= r * mean(g) / (sqrt(mean(g^2)) + 1e-8)  (Kingma and Ba 2015; fading means)

A rule is made with the momentum of a descent, which not every method has, and has a memory of its own. It uses only
+ - * / and powers on entries, so that they may be numbers or arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from exprgrad.errors import DomainError, RangeError
from exprgrad.optimize.descent import Point, Stop, away, evaluated, gone, where
from exprgrad.optimize.objective import Entries, Objective
from exprgrad.optimize.options import Options

Rule = Callable[[Entries, float], Entries]
"""From a gradient and a learning rate to what a step subtracts from each entry."""


def _gradient_descent(momentum: float) -> Rule:
    return lambda gradient, rate: [rate * g for g in gradient]


def _momentum(momentum: float, ahead: bool = False) -> Rule:
    """The rule of Polyak, or with `ahead` that of Nesterov."""
    velocity: Entries = []

    def change(gradient: Entries, rate: float) -> Entries:
        before = velocity or [0.0] * len(gradient)
        velocity[:] = [momentum * v + g for v, g in zip(before, gradient, strict=True)]
        if not ahead:
            return [rate * v for v in velocity]
        ends = zip(velocity, gradient, strict=True)
        return [rate * (g + momentum * v) for v, g in ends]

    return change


FIRST_FADING, SECOND_FADING = 0.9, 0.999
"""The share of Adam's means that a step keeps."""


def _adam(momentum: float) -> Rule:
    means: Entries = []
    squares: Entries = []
    done = 0
    a, b = FIRST_FADING, SECOND_FADING

    def change(gradient: Entries, rate: float) -> Entries:
        nonlocal done
        done += 1
        if not means:
            means[:], squares[:] = [0.0] * len(gradient), [0.0] * len(gradient)
        means[:] = [a * m + (1 - a) * g for m, g in zip(means, gradient, strict=True)]
        squares[:] = [
            b * s + (1 - b) * (g * g) for s, g in zip(squares, gradient, strict=True)
        ]
        length = rate / (1 - a**done)  # corrects the bias of means that start at 0
        unbiased = 1 / (1 - b**done)
        return [
            length * m / ((s * unbiased) ** 0.5 + 1e-8)
            for m, s in zip(means, squares, strict=True)
        ]

    return change


RULES: dict[str, Callable[[float], Rule]] = {
    "gd": _gradient_descent,
    "momentum": _momentum,
    "nesterov": partial(_momentum, ahead=True),
    "adam": _adam,
}


class FirstOrder:
    """The method of `descend` that follows one of the rules."""

    def __init__(self, objective: Objective, options: Options) -> None:
        self._objective, self._options = objective, options
        self._change = RULES[options.method](options.momentum)
        self._first: float | None = None

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        return self._options.rate_at(step)

    def advance(self, here: Point, step: int) -> Point | Stop:
        """The point at the end of a step, or what stops the descent there."""
        objective, rate = self._objective, self.rate(step)
        self._first = here.value if self._first is None else self._first
        moves = self._change(here.gradient, rate)
        new = [x - move for x, move in zip(here.entries, moves, strict=True)]
        entries, step = objective.clipped(new), step + 1
        if rate and objective.same(here.entries, entries):
            return Stop("stalled", "a step no longer changes any variable")
        if not objective.finite(entries):
            name, _ = objective.furthest(entries)
            return Stop("diverged", f"diverged at step {step}: {name} is too large")
        try:
            there = evaluated(objective, entries)
        except RangeError as error:
            why = (
                f"diverged at step {step}, {where(objective, entries)}: {error.message}"
            )
            return Stop("diverged", why, error)
        except DomainError as error:
            why = f"step {step} has no value, {where(objective, entries)}: {error.message}"
            return Stop("undefined", why, error)
        if away(there.value, self._first):
            return gone(objective, entries, step, there.value)
        return there
