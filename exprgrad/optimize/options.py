"""The options of a descent: its method, its learning rate with a schedule, and when it stops."""

from __future__ import annotations

import math
from collections.abc import Callable

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import Hint, UsageError
from exprgrad.expressions.expression import parse
from exprgrad.language import inputs
from exprgrad.operations.vocabulary import did_you_mean

METHODS = ("gd", "momentum", "nesterov", "adam", "lbfgs", "trust", "random")

_ALSO = {
    "gradientdescent": "gd", "sgd": "gd", "lbfgsb": "lbfgs", "bfgs": "lbfgs",
    "trustregion": "trust", "trustncg": "trust", "newton": "trust",
}  # fmt: skip

SCHEDULES = {
    "constant": "1",
    "linear": "1 - t/T",
    "cosine": "(1 + cos(pi*t/T))/2",
    "exponential": "100^(-t/T)",
    "inverse": "1/(1 + t/100)",
}
"""Factors of the learning rate, as expressions in the step t and the number of steps T."""

_GOOD_ONES = f"one of {', '.join(SCHEDULES)}; or such as 1/(1 + t/100)"


class Options(NamedTuple):
    """The options of a descent, as `minimize` describes them; `checked`, the schedule is a function."""

    method: str
    rate: float
    schedule: Any
    steps: int
    tolerance: float
    target: float | None
    momentum: float

    def checked(self) -> Options:
        """The same with numbers, and the factors of a schedule. Raises `UsageError`."""
        steps, schedule, target = self.steps, self.schedule, self.target
        rate = inputs.number(self.rate, "a learning rate")
        momentum = inputs.number(self.momentum, "a momentum")
        tolerance = inputs.number(self.tolerance, "a tolerance")
        target = None if target is None else inputs.number(target, "a target")
        # a whole number that is negative is refused below, with an example
        if not isinstance(steps, int):
            inputs.count(steps, "the number of steps", 0, 10**9)
        for name, is_right, problem, example in (
            ("rate", 0 < rate < math.inf, "a learning rate must be positive", 0.01),
            ("momentum", 0 <= momentum < 1, "a momentum must be at least 0 and less than 1", 0.9),
            ("steps", steps >= 0, "the number of steps cannot be negative", 1000),
            ("tolerance", 0 <= tolerance < math.inf, "a tolerance must be a finite number, at least 0", 1e-8),
            ("target", math.isfinite(target or 0.0), "a target must be a finite number", 1e-3),
        ):  # fmt: skip
            if not is_right:
                hint = Hint("argument", name=name, value=example)
                raise UsageError(problem, hint=hint)
        if not (schedule is None or callable(schedule)):
            schedule = schedule_of(inputs.text(schedule, "a schedule"), steps)
        own = method_named(self.method)
        return Options(own, rate, schedule, steps, tolerance, target, momentum)

    def rate_at(self, step: int) -> float:
        """The learning rate of a step. Raises `UsageError` where the schedule makes it negative."""
        factor = 1.0
        if self.schedule is not None:
            factor = inputs.number(self.schedule(step), f"the schedule at step {step}")
        # nan is no rate either
        if not factor >= 0:
            what = f"the schedule is {factor:g} at step {step}, and a rate cannot be negative"
            raise UsageError(what, hint=_GOOD_ONES)
        return self.rate * factor


def plainly(method: str) -> str:
    """The name of a method without what spellings differ in. Raises `UsageError` for what is no text."""
    return "".join(c for c in inputs.text(method, "a method").lower() if c.isalnum())


def method_named(method: str, *more: str) -> str:
    """The method with this name, in any spelling. Raises `UsageError`, which names `more` than those here."""
    plain = plainly(method)
    found = _ALSO.get(plain, plain)
    if found not in METHODS:
        own = f"one of {', '.join((*METHODS, *more))}"
        hint = did_you_mean(plain, (*METHODS, *_ALSO), own)
        raise UsageError(f"there is no method {method}", hint=hint)
    return found


def schedule_of(text: str, steps: int) -> Callable[[int], float]:
    """The factor of the learning rate as a function of the step, from a name or an expression."""
    f = parse(SCHEDULES.get(text, text), ("t", "T"))
    wrong = [name for name in f.variables if name not in ("t", "T")]
    if wrong:
        what = f"a schedule is an expression in t and T, not {wrong[0]}"
        raise UsageError(what, hint=_GOOD_ONES)
    if f.takes_arrays({}):
        what = "a schedule must be a number at every step, not an array"
        raise UsageError(what, hint="such as 1/(1 + t/100)")
    # t/T has a value at the start of a descent without steps, too
    at = {"T": float(max(steps, 1))}
    return lambda t: f(**{n: float(t) if n == "t" else at[n] for n in f.variables})
