"""Minimising an expression: descent methods as iterators of steps.

    descent = minimize("(1-x)^2 + 100*(y-x^2)^2", {"x": -1.2, "y": 1}, method="momentum", rate=1e-3)
    losses = [step.value for step in descent]
    descent.result.converged, descent.result.reason

With g the gradient, r the learning rate and m the momentum, a step is

    gd         x -= r*g
    momentum   v = m*v + g,  x -= r*v                       (Polyak)
    nesterov   v = m*v + g,  x -= r*(g + m*v)               (Sutskever and others 2013)
    adam       x -= r * mean(g) / (sqrt(mean(g^2)) + 1e-8)  (Kingma and Ba 2015; fading means)

`lbfgs` learns the curvature from its last steps; `trust` takes it from products of the Hessian with vectors (see
`methods`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.budget import Budget, OutOfBudgetError, Spent, limited
from exprgrad.errors import ExprgradError, Hint, UsageError, needing
from exprgrad.expressions.expression import Expression, as_expression
from exprgrad.graph.displayed import displayed
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, is_array
from exprgrad.language import inputs
from exprgrad.optimize.descent import (
    DescentStep,
    Minimum,
    Stop,
    descend,
    evaluated,
    minimum,
    within,
)
from exprgrad.optimize.methods import (
    FirstOrder,
    LimitedMemory,
    RandomSearch,
    TrustRegion,
)
from exprgrad.optimize.objective import Bounds, Objective, ParametersObjective
from exprgrad.optimize.options import Options
from exprgrad.optimize.stationary import (
    NOT_EXAMINED,
    STATIONARY,
    Surroundings,
    examined,
    falling,
)
from exprgrad.sweeps.bounds import DIGITS


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
    budget: Budget | int | None = None,
) -> Descent:
    """Minimise an expression from a start, step by step.

    The variables in `start` vary, those in `fixed` do not; for a graph of `Value`s, `start` lists the leaves that
    vary. `bounds` maps a name to its least and greatest value. The descent stops after so many `steps`, when the
    length of the gradient is at most `tolerance`, or when the value is at most `target`. The learning `rate` is for
    the first four `METHODS`, `momentum` for the second and third. `schedule` multiplies the rate: a name in
    `SCHEDULES`, an expression in the step t and the number of steps T, or a function of the step.
    """
    if fixed is not None:
        inputs.values(fixed, "what is fixed")
    if bounds is not None:
        inputs.values(bounds, "bounds")
    options = Options(
        method, rate, schedule, steps, tolerance, target, momentum
    ).checked()
    other = Hint("argument", name="method", value="lbfgs")
    if options.method == "trust" and bounds:
        raise UsageError("trust takes no bounds", hint=other)
    objective = objective_of(f, start, fixed, bounds)
    if options.method == "trust" and not objective.has_curvature:
        raise UsageError("trust is for numbers, not for arrays", hint=other)
    return Descent(objective, options, budget)


def objective_of(
    f: Expression | str | Value,
    start: Mapping[str, Any] | Sequence[Value],
    fixed: Mapping[str, Any] | None = None,
    bounds: Bounds | None = None,
) -> Objective:
    """The objective for an expression, its text, or a `Value` with the leaves to change."""
    if isinstance(f, Value):
        if isinstance(start, Mapping):
            raise UsageError("give the leaves to change, as a list of Values")
        if any(is_array(item.data) for item in topological(f)):
            raise UsageError(
                "a graph of arrays cannot be minimised over its leaves",
                hint='write it as an expression: minimize("mse(X @ w, y)", {"w": [0, 0]})',
            )
        return ParametersObjective(f, start, bounds)
    if not isinstance(start, Mapping):
        raise UsageError("give the start as a value for each variable, by name")
    f = as_expression(f, [*start, *(fixed or {})])
    if f.takes_arrays({**start, **(fixed or {})}):
        with needing("arrays need NumPy and SciPy", "arrays"):
            from exprgrad.optimize.array_objective import ArrayObjective
        return ArrayObjective(f, start, fixed, bounds)
    return Objective(f, start, fixed, bounds)


MOST_REFINED = 2000
"""The operations of an expression whose steps are computed with bounds, to be shown."""


@displayed
class Descent(Iterator[DescentStep]):
    """The steps of a descent, beginning with the start; `result` takes those that are left.

    The numbers of the result are good for so many `digits`.
    """

    def __init__(
        self, objective: Objective, options: Options, budget: Budget | int | None = None
    ) -> None:
        self._budget = limited(budget).budget
        self.objective = objective
        self.options = options
        self._end: Minimum | None = None  # as the descent left it
        self._judging = False
        self._result: Minimum | None = None
        self._last: DescentStep | None = None
        self.digits = DIGITS
        methods: dict[str, Any] = {"lbfgs": LimitedMemory, "trust": TrustRegion, "random": RandomSearch}  # fmt: skip
        method = methods.get(options.method, FirstOrder)(objective, options)
        self._steps = descend(objective, options, method)

    def __next__(self) -> DescentStep:
        try:
            with limited(self._budget):
                self._last = next(self._steps)
            return self._last
        except StopIteration as stop:
            # asked again, a generator that has ended gives None
            self._end = stop.value or self._end
            raise StopIteration from None

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line; those of the result."""
        title = self.objective.expression.title
        return {"expression": title, **self.result.as_dict()}

    @property
    def result(self) -> Minimum:
        """Return where the descent ends, with what is known of that point: asked for first, it takes longer than most descents."""
        for _ in self:
            pass
        if self._result is None:
            assert self._end is not None
            self._judging = True
            try:
                with limited(self._budget):
                    self._result = judged(
                        self.objective, self.options, self._end, self.digits
                    )
            except (Spent, OutOfBudgetError):
                self._result = self._end
        return self._result

    def refined(self, step: DescentStep) -> DescentStep:
        """A step with numbers from sweeps with bounds, where that is little work: those of a descent are doubles."""
        objective = self.objective
        work = len(objective.expression.tape.steps)
        if not objective.has_curvature or work > MOST_REFINED:
            return step
        at = {**objective.given, **step.variables}
        try:
            known = objective.expression.evaluate(at, objective.names)
        except ExprgradError:
            return step
        if known.value is None or None in known.gradient.values():
            return step
        norm = objective.norm(
            objective.entries(step.variables), objective.entries(known.gradient)
        )
        return step._replace(value=known.value, gradient_norm=norm)

    def interrupted(self) -> Minimum | None:
        """End the descent at its last step, and return where that is; None before the first step."""
        self._steps.close()
        # who interrupts the judging does not want it once more
        if self._end is not None and not self._judging:
            return self.result
        if self._result is None and self._last is not None:
            entries = self.objective.entries(self._last.variables)
            here = evaluated(self.objective, entries)
            stop = Stop("interrupted", "interrupted")
            found = minimum(self.objective, self.options, here, self._last.step, stop)
            self._result = judged(self.objective, self.options, found, self.digits)
        return self._result


def judged(
    objective: Objective, options: Options, found: Minimum, digits: int
) -> Minimum:
    """The end of a descent with numbers that have bounds on their errors, and with its kind."""
    if not objective.has_curvature:
        verdict = NOT_EXAMINED if found.converged else None
        return found._replace(verdict=verdict)
    before, found = found, _with_digits(objective, found, digits)
    # not where doubles alone meet a kink
    known = all(partial is not None for partial in found.gradient.values())
    most = max(options.tolerance, 2 * before.gradient_norm, 1e-6)
    if found.converged and not (known and found.gradient_norm <= most):
        why = "by the rules the gradient vanishes here, but this is a kink, or too close to one"
        found = found._replace(status="stalled", reason=why)
    entries = objective.entries(found.variables)
    if found.status == "diverged":
        return found._replace(verdict=falling(objective, entries))
    if found.status not in ("converged", "stalled"):
        return found
    verdict = examined(objective, entries)
    smooth = found.converged or Surroundings(objective).is_smooth(entries)
    if verdict.kind == STATIONARY and not found.converged:
        return found._replace(kinks=not smooth)
    # there the gradient is as small as doubles can make it; at a kink it does not vanish
    status = "converged" if verdict.is_minimum and smooth else found.status
    return found._replace(verdict=verdict, status=status)


def _length(partials: Iterable[str]) -> str:
    """The length of a vector whose components are beyond the range of doubles; "" if there are none."""
    parts = [
        (float(x), int(power)) for x, _, power in (t.partition("e") for t in partials)
    ]
    if not parts:
        return ""
    top = max(power for _, power in parts)
    # no type of numbers has such exponents; what is 10^99 times smaller adds nothing
    size = math.hypot(*(x * 10.0 ** max(power - top, -99) for x, power in parts))
    shown, _, more = f"{size:.1e}".partition("e")
    return f"{shown}e{top + int(more)}"


def _with_digits(objective: Objective, found: Minimum, digits: int) -> Minimum:
    """The same with value and gradient from sweeps with bounds, where these are better than doubles."""
    at = {**objective.given, **found.variables}
    try:
        known = objective.expression.evaluate(at, objective.names, digits=digits)
    except ExprgradError:
        return found
    value = found.value
    if known.value is not None and abs(value - known.value) > 1e-14 * abs(known.value):
        value = known.value
    # what a double cannot hold is 0, or what the descent saw
    shown = ("", *objective.names)
    texts = {name: text for name, text in known.texts.items() if name in shown}
    gradient = {
        name: found.gradient[name] if name in texts and partial is None else partial
        for name, partial in known.gradient.items()
    }
    norm = found.gradient_norm
    if None not in gradient.values():
        own = objective.entries(found.variables), objective.entries(gradient)
        better = objective.norm(*own)
        norm = norm if abs(better - norm) <= 1e-12 * better else better
    norm_text = "" if norm else _length(texts[n] for n in objective.names if n in texts)
    reason = found.reason.replace(
        within(found.gradient_norm), within(norm_text or norm)
    )
    found = found._replace(value=value, gradient=gradient, gradient_norm=norm)
    return found._replace(texts=texts, norm_text=norm_text, reason=reason)
