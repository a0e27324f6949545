"""Plots of what commands find: the way of a descent, a fit among its data, a claim beside the derivative."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.checking.check import Verdict
from exprgrad.expressions.expression import Expression
from exprgrad.fitting.model import Fit
from exprgrad.notation.numbers import number
from exprgrad.optimize.descent import DescentStep
from exprgrad.pictures.plot import Plot, contours_of, plot_of
from exprgrad.pictures.plot_data import Curve, Dot, Window

MOST_POINTS = 2000
"""Points of data that are drawn."""


def of_descent(
    expression: Expression, steps: Sequence[DescentStep], fixed: Mapping[str, Any]
) -> Plot:
    """The way of a descent: on a curve, over contours, or, of more variables, the value after each step."""
    names = list(steps[0].variables)
    numbers = all(isinstance(x, float) for s in steps for x in s.variables.values())
    if numbers and len(names) == 1:
        (name,) = names
        ways = [Dot(s.variables[name], s.value, kind="data") for s in steps]
        dots = _ends(ways, steps)
        across = _around([dot.x for dot in dots])
        return plot_of([expression], fixed, across, name, dots=dots)
    if numbers and len(names) == 2:
        ways = [Dot(s.variables[names[0]], s.variables[names[1]], kind="data") for s in steps]  # fmt: skip
        dots = _ends(ways, steps)
        sides = [_around(xs) for xs in ([d.x for d in dots], [d.y for d in dots])]
        return contours_of(
            expression, fixed, names[0], names[1], sides[0], sides[1], dots
        )
    points = tuple((float(s.step), s.value) for s in steps if math.isfinite(s.value))
    bottom, top = _around([y for _, y in points])
    window = Window(0.0, max(points[-1][0], 1.0), bottom, top)
    return Plot("the value after each step", "step", "", window, (Curve("value", (points,)),))  # fmt: skip


def _ends(ways: list[Dot], steps: Sequence[DescentStep]) -> list[Dot]:
    """The points of a descent, with words at the first and the last."""
    first = ways[0]._replace(word="start", kind="end")
    last = ways[-1]._replace(word=f"step {steps[-1].step}", kind="end")
    return [*ways[1:-1], first, last] if len(ways) > 1 else [last]


def _around(xs: Sequence[float]) -> tuple[float, float]:
    """A range with room on both sides."""
    low, high = min(xs), max(xs)
    room = 0.3 * (high - low) or max(1.0, abs(low) / 2)
    return low - room, high + room


def of_fit(fit: Fit) -> Plot:
    """The data and the fitted curve; of several columns, what was observed against what is predicted."""
    model = fit.model
    known = {n: p.value for n, p in fit.parameters.items()} | dict(model.constants)
    columns = [n for n in model.prediction.variables if n not in known]
    observed = [p + r for p, r in zip(fit.predictions, fit.residuals, strict=True)]
    stride = -(-len(observed) // MOST_POINTS)
    if len(columns) != 1:
        dots = [Dot(x, y) for x, y in zip(fit.predictions, observed, strict=True)][::stride]  # fmt: skip
        low, high = _around([*fit.predictions, *observed])
        line = Curve("observed = predicted", (((low, low), (high, high)),))
        return Plot("observed against predicted", "predicted", "observed", Window(low, high, low, high), (line,), (), tuple(dots))  # fmt: skip
    (name,) = columns
    xs = [float(x) for x in model.columns[name]]
    dots = [Dot(x, y) for x, y in zip(xs, observed, strict=True)][::stride]
    across, height = _around(xs), _around([*observed, *fit.predictions])
    values = {n: x for n, x in known.items() if n in model.prediction.variables}
    across = min(xs) - (min(xs) - across[0]) / 6, max(xs) + (across[1] - max(xs)) / 6
    return plot_of([model.prediction], values, across, name, (), [model.text], dots, height)  # fmt: skip


def of_verdict(verdict: Verdict) -> Plot | None:
    """A claim beside the derivative, and the point at which it fails; None for several variables without one."""
    found = verdict.counterexample
    names = dict.fromkeys((*verdict.expression.variables, *verdict.claim.variables))
    others = [n for n in names if n != verdict.wrt]
    at = {} if found is None else {n: x for n, x in found.at.items() if n in others}
    if any(n not in at for n in others):
        return None
    derivative = verdict.expression.derivative(verdict.wrt, order=verdict.order)
    dots = []
    if found is not None and verdict.wrt in found.at:
        x = found.at[verdict.wrt]
        dots.append(Dot(x, found.derivative, f"derivative {number(found.derivative, 6)}", "end"))  # fmt: skip
        if found.claimed is not None:
            dots.append(Dot(x, found.claimed, f"claimed {number(found.claimed, 6)}", "end"))  # fmt: skip
    reach = [dot.x for dot in dots]
    across = (reach[0] - 3.0, reach[0] + 3.0) if reach else None
    return plot_of([derivative, verdict.claim], at, across, verdict.wrt, (), ["derivative", "claim"], dots, before=[verdict.expression] if verdict.order == 1 else ())  # fmt: skip
