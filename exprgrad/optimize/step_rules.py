"""How the first-order methods turn gradients into steps: one rule for each, with its own memory.

A rule is made with the momentum of a descent, which not every method has. It uses only + - * / and powers on entries,
so that they may be numbers or arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from exprgrad.optimize.objective import Entries

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
