"""A model at its data: residuals with their Jacobian, and the mean of a loss as an objective.

Standard errors and correlations of parameters, from the Jacobian at the end of a fit.

Nonlinear least squares, tried in several ways.

SciPy's Levenberg-Marquardt (MINPACK) goes first, with the columns of the Jacobian scaled. Where the model
is linear in some parameters, these are also eliminated (variable projection, Golub and Pereyra 1973, with
Kaufman's Jacobian), which converges from distant starts. What these ways lead to is polished by
Gauss-Newton steps and judged by the relative offset of Bates and Watts (1981): the length of the part
of the residuals that lies in the tangent space, over the length of the rest, per degree of freedom. It
says how far the estimate is from the minimum in units of its own uncertainty.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np
from scipy import optimize

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import (
    BindingError,
    DomainError,
    ExprgradError,
    Hint,
    RangeError,
    UsageError,
)
from exprgrad.fitting.model import Fit, Model, Parameter
from exprgrad.optimize.objective import (
    Bounds,
    Entries,
    Limits,
    Objective,
    limits,
    pressed,
)

Array = np.ndarray[Any, np.dtype[np.float64]]

LONGEST_FORMULA = 2000
"""The most operations of a model that is searched for linear parameters."""


class Residuals:
    """The residuals of a model (predicted minus observed) and their Jacobian with respect to the parameters."""

    def __init__(self, model: Model) -> None:
        self.model = model
        known = {name: _numbers(name, model.columns[name]) for name in model.used}
        count = set(map(len, known.values())) or {0}
        if len(count) > 1:
            raise UsageError("the columns have different lengths")
        self.points = count.pop()
        if self.points < len(model.parameters):
            points = "1 point does" if self.points == 1 else f"{self.points} points do"
            several = "s" if len(model.parameters) > 1 else ""
            what = f"{points} not determine {len(model.parameters)} parameter{several}"
            raise UsageError(what, hint="as many points as parameters, or more")
        self.known = known | model.constants
        rows = model.target.compile(()).arrays(
            *map(self.known.__getitem__, model.target.variables)
        )
        refuse(rows.faults)
        self.target = np.broadcast_to(rows.value, (self.points,)).copy()
        self.evaluations = 0
        self._compiled = model.prediction.compile(model.parameters)
        self._last: tuple[bytes, Array, Array] | None = None
        self.fault: ExprgradError | None = None

    def predicted(self, values: Array) -> tuple[Array, Array]:
        """Predictions and their Jacobian, a row per point. Raises `DomainError` with the row."""
        if not np.isfinite(values).all():
            raise DomainError("a parameter is no longer finite")
        at = dict(zip(self.model.parameters, values.tolist(), strict=True))
        given = [at[n] if n in at else self.known[n] for n in self._compiled.variables]
        self.evaluations += 1
        rows = self._compiled.arrays(*given)
        refuse(rows.faults)
        shape = (self.points,)
        jacobian = np.broadcast_to(rows.gradient, (len(values), *shape)).T
        return np.broadcast_to(rows.value, shape), np.ascontiguousarray(jacobian)

    def at(self, values: Array) -> tuple[Array, Array]:
        """Residuals and Jacobian; where they do not exist, large residuals and the last Jacobian."""
        # SciPy asks for the residuals and for the Jacobian at a point in two calls
        key = values.tobytes()
        if self._last is not None and self._last[0] == key:
            return self._last[1:]
        try:
            value, jacobian = self.predicted(values)
        except DomainError as error:
            if self._last is None:
                raise
            self.fault = error
            # large residuals are the only way to tell SciPy that a step leads out of the domain
            worse = 10 * np.abs(self._last[1]) + np.abs(self.target).max() + 1.0
            return worse, self._last[2]
        self._last = key, value - self.target, jacobian
        return self._last[1:]

    def linear(self) -> list[int]:
        """The positions of parameters in which, together, the prediction is linear."""
        right = self.model.prediction
        found: list[int] = []
        if len(right.tape.steps) > LONGEST_FORMULA:
            return []
        for i, name in enumerate(self.model.parameters):
            # of a*b*x only a: the slope by b has a in it, and the product is not linear in both together
            others = {self.model.parameters[j] for j in found} | {name}
            try:
                slope = right.derivative(name)
            except ExprgradError:
                continue
            if not others & set(slope.variables):
                found.append(i)
        return found


def _numbers(name: str, column: Sequence[float]) -> Array:
    """A column of data as an array. Raises `BindingError`."""
    with suppress(TypeError, ValueError):
        found = np.array(column, float)
        if found.ndim:
            return found
    raise BindingError(f"the column {name} is no list of numbers")


def refuse(faults: Mapping[int, ExprgradError]) -> None:
    """Raise the first error of a row, if there is one, with the number of the row from 1."""
    for row, error in faults.items():
        error.message = f"row {row + 1}: {error.message}"
        error.args = (error.message,)
        raise error


class MeanLoss(Objective):
    """The mean of a loss over all points, or over a batch that changes with every step."""

    has_curvature = False

    def __init__(
        self, model: Model, loss: str, bounds: Bounds, batch: int | None, seed: int
    ) -> None:
        self._problem = Residuals(model)
        self.expression = model.loss(loss)
        self.names = model.parameters
        self.start: Entries = [model.start[name] for name in self.names]
        self.limits = limits(self.names, bounds)
        self._compiled = self.expression.compile(self.names, subgradient=True)
        known: dict[str, Any] = self._problem.known
        self._known = {n: known[n] for n in self.expression.variables if n in known}
        points = self._problem.points
        if batch is not None and not 1 <= batch <= points:
            raise UsageError(f"a batch has from 1 to {points} points, not {batch}")
        self._batches = None if batch is None else _batches(points, batch, seed)

    def evaluate(self, entries: Sequence[float]) -> tuple[float, Entries]:
        """The mean loss and its gradient, over all points or the next batch."""
        return self.over(entries, self._batches and next(self._batches))

    def over(self, entries: Sequence[float], batch: Any) -> tuple[float, Entries]:
        """The mean loss and its gradient, over a batch, or over all points."""
        chosen = slice(None) if batch is None else batch
        at = {n: x[chosen] if np.ndim(x) else x for n, x in self._known.items()}
        at |= self.at(entries)
        given = [at[name] for name in self.expression.variables]
        rows = self._compiled.arrays(*given)
        refuse(rows.faults)
        return float(rows.value.mean()), rows.gradient.mean(axis=1).tolist()


def _batches(points: int, size: int, seed: int) -> Iterator[Any]:
    """Batches of indices: every pass takes all points in a new order."""
    order = list(range(points))
    shuffled = random.Random(seed)
    while True:
        shuffled.shuffle(order)
        for start in range(0, points, size):
            yield np.array(order[start : start + size])


Errors = dict[str, float]

ROUNDING = 1e-15
"""Residuals of this size relative to the data are nothing but rounding."""

SINGULAR = 1e-13
"""The least ratio of singular values, with scaled columns, at which all parameters are determined."""


@np.errstate(all="ignore")
def summary(
    model: Model,
    values: list[float],
    method: str,
    steps: int,
    converged: bool,
    message: str,
    at_bound: Iterable[bool],
    loss: float | None = None,
    squares: bool = True,
    offset: float | None = None,
) -> Fit:
    """The record of a fit; with standard errors and correlations at a minimum of least squares.

    Parameters at a bound have none, and take no degree of freedom: the others vary as if those were constants.
    """
    problem = Residuals(model)
    predicted, jacobian = problem.predicted(np.array(values))
    residuals = problem.target - predicted
    rss = float(residuals @ residuals)
    if rss and not math.isfinite(rss + np.linalg.norm(problem.target)):
        what = "the sum of the squares is beyond the range of double precision"
        raise RangeError(what, hint="give the data in a larger unit")
    free = ~np.array([*at_bound])
    held = [n for n, own in zip(model.parameters, free, strict=True) if not own]
    names = [n for n in model.parameters if n not in held]
    degrees = problem.points - len(names)
    errors: Errors = {}
    correlations: dict[str, Errors] = {}
    if rss <= (ROUNDING * np.linalg.norm(problem.target)) ** 2:
        message += "; the residuals are rounding, and determine no errors"
    elif squares and converged and degrees > 0:
        errors, correlations = _spread(jacobian[:, free], rss / degrees, names)
    if held:
        message += f"; at a bound: {', '.join(held)}"
    parameters = {
        name: Parameter(value, errors.get(name))
        for name, value in zip(model.parameters, values, strict=True)
    }
    return Fit(
        model, method, parameters, correlations, rss, loss, problem.points, steps,
        converged, message, predicted.tolist(), residuals.tolist(), tuple(held),
        offset, _known_digits(rss, problem.target),
    )  # fmt: skip


def _known_digits(rss: float, target: Array) -> int:
    """Return how many digits of the sum of squares are known: residuals are as far off as the data are rounded."""
    size = float(np.linalg.norm(target))
    if not rss or not size:
        return 0 if size else 17
    return int(max(0, min(17, math.floor(14.5 - math.log10(size / math.sqrt(rss))))))


def _spread(
    jacobian: Array, variance: float, names: list[str]
) -> tuple[Errors, dict[str, Errors]]:
    """Standard errors and correlations; none where the Jacobian does not determine them."""
    if not names or singular(jacobian):
        return {}, {}
    # (J^T J)^-1 is B B^T, by a QR factorisation with scaled columns; its products would underflow for large columns
    size = lengths(jacobian)
    inverse = np.linalg.inv(np.linalg.qr(jacobian / size, mode="r"))
    rows = lengths(inverse.T)
    errors = (math.sqrt(variance) * rows / size).tolist()
    units = inverse / rows[:, None]
    related = units @ units.T
    np.fill_diagonal(related, 1.0)
    own = [dict(zip(names, row, strict=True)) for row in related.tolist()]
    return dict(zip(names, errors, strict=True)), dict(zip(names, own, strict=True))


def singular(jacobian: Array) -> bool:
    """Return whether the columns, scaled to one length, are dependent but for rounding."""
    values = np.linalg.svd(jacobian / lengths(jacobian), compute_uv=False)
    return bool(values[-1] <= SINGULAR * values[0])


def lengths(jacobian: Array) -> Array:
    """The lengths of the columns; 1 for one that is 0."""
    with np.errstate(over="ignore"):
        size = np.sqrt((jacobian * jacobian).sum(axis=0))
    if not ((size > 1e-150) & (size < 1e150)).all():  # squares overflow, or vanish
        size = np.hypot.reduce(jacobian, axis=0)
    return np.where((size > 0) & np.isfinite(size), size, 1.0)


CONVERGED = 1e-6
"""The largest relative offset of an estimate that counts as converged."""

EXACT = 1e-13
"""Residuals of this size relative to the data are rounding."""

POOR = 0.5
"""A fit that leaves a larger share of the data's variance is poor, and other starts are tried."""

AROUND = 42
"""The number of other starts that are tried."""

MOST_SADDLES = 3
"""The most saddles that are left, one after the other."""

CURVED = 1e-3
"""A curvature below minus this, where J^T J has the diagonal 1, is no error of the differences."""

DIFFERENCE = 1e-5
"""The relative step of differences."""

POLISH = 30
"""The most Gauss-Newton steps."""

_EPSILON = 3e-16


class Estimate(NamedTuple):
    """The end of one way: parameters with their residual sum of squares and relative offset."""

    values: Array
    rss: float
    offset: float

    @property
    def converged(self) -> bool:
        """Return whether the gradient vanishes, as far as the residuals can show."""
        return self.offset <= CONVERGED


OnArrays = Callable[[Array], Array]

SPARE = ("trf", "dogbox")
"""Methods that are tried only if none before them converged."""


@np.errstate(all="ignore")  # what overflows is judged afterwards
def fitted(model: Model, bounds: Bounds, steps: int) -> Fit:
    """Least squares from the model's start: the best estimate of those that converged."""
    problem = Residuals(model)
    own = limits(model.parameters, bounds)
    for name, low, high in zip(model.parameters, *own, strict=True):
        if low == high:
            hint = Hint("fix", name=name, value=low)
            raise UsageError(f"the bounds leave {name} one value", hint=hint)
    first = [model.start[name] for name in model.parameters]
    start = np.clip(np.array(first), *own)
    problem.at(start)
    search = _Search(problem, start, own if bounds else None, steps)
    best = search.least()
    residuals, jacobian = problem.at(best.values)
    return summary(
        model, best.values.tolist(), "lm", problem.evaluations, best.converged,
        _message(problem, best),
        pressed(best.values, jacobian.T @ residuals, *own), offset=best.offset,
    )  # fmt: skip


def _message(problem: Residuals, best: Estimate) -> str:
    what = f"relative offset {best.offset:.1g}"
    if best.converged:
        near = best.offset < 1e-9
        return "converged: relative offset below 1e-9" if near else f"converged: {what}"
    if singular(problem.at(best.values)[1]):
        return "not converged: the data do not determine all parameters"
    if problem.fault is not None:
        return f"not converged: {problem.fault.message}; {what}"
    return f"not converged: {what}"


class _Search:
    """The search for the least sum of squares from a start, perhaps between bounds, in so many steps at most."""

    def __init__(
        self, problem: Residuals, start: Array, bounds: Limits | None, steps: int
    ) -> None:
        self.problem, self.start, self.steps = problem, start, steps
        self.bounds = bounds and (np.array(bounds.lower), np.array(bounds.upper))
        self.linear = [] if bounds else problem.linear()

    def least(self) -> Estimate:
        """The best estimate."""
        methods = list(SPARE)
        if self.bounds is None:
            methods = ["lm", *(["projected"] if self.linear else []), *SPARE]
        best = self._best(self._tried((self.start, method) for method in methods))
        # the squares of what meets zeros, which have no variance, are below the smallest double
        poor = max(POOR * self.problem.target.var(), np.finfo(float).tiny)
        if self.bounds is None and best.rss > self.problem.points * poor:
            # from other starts, near and far: the given one has led to a poor fit
            method, drawn = "projected" if self.linear else "lm", random.Random(0)
            widths = [(0.05, 0.2, 0.7)[i % 3] for i in range(AROUND)]
            powers = [[drawn.gauss(0.0, w) for _ in self.start] for w in widths]
            ways = [(self.start * np.exp(own), method) for own in powers]
            best = self._best([best, *self._tried(ways)])
        # at a saddle or a maximum the gradient vanishes, too: is a point beside it lower?
        for _ in range(MOST_SADDLES):
            lower = self._lower_beside(best) if best.converged else None
            if lower is None:
                return best
            best = self.searched(lower, "lm" if self.bounds is None else "trf")
        still = best.converged and self._lower_beside(best) is not None
        return best._replace(offset=math.inf) if still else best

    def _tried(self, ways: Iterable[tuple[Array, str]]) -> list[Estimate]:
        """The estimates of the ways, a start and a method each, that lead somewhere."""
        found: list[Estimate] = []
        for start, method in ways:
            if method in SPARE and any(estimate.converged for estimate in found):
                break
            with suppress(DomainError, np.linalg.LinAlgError, ValueError):
                found.append(self.searched(start, method))
        return found

    def _best(self, found: list[Estimate]) -> Estimate:
        """The estimate closest to the data; among equals, the one with the signs of the start."""
        if not found:
            what = "no method gets anywhere from this start"
            raise UsageError(what, hint="try another start")
        able = [estimate for estimate in found if estimate.converged] or found
        least = min(estimate.rss for estimate in able)
        # a*sin(b*x) is as close with both signs turned: who starts with a > 0 means that one
        equal = [estimate for estimate in able if estimate.rss <= least * (1 + 1e-6)]
        return min(equal, key=lambda one: int((one.values * self.start < 0).sum()))

    def searched(self, start: Array, method: str) -> Estimate:
        """An estimate by one of SciPy's methods, polished; a search over the nonlinear parameters alone goes before if it is `projected`."""
        at = self.problem.at
        if method == "projected":
            own = _Projection(self.problem, start, self.linear)
            end = start[own.rest]
            if own.rest:
                end = self._end(own.residuals, own.jacobian, end, "lm")
            start, method = own.solved(end), "lm"
        found = self._end(lambda x: at(x)[0], lambda x: at(x)[1], start, method)
        # Gauss-Newton steps for as long as the relative offset gets smaller
        best = self._judged(found)
        for _ in range(POLISH):
            new = self._clipped(best.values + _step(*self.problem.at(best.values)))
            if not np.isfinite(new).all():
                break
            there = self._judged(new)
            # at the end the sum of squares is flat, and its rounding may go up
            if not (there.offset < best.offset and there.rss <= best.rss * (1 + 1e-9)):
                break
            best = there
        return best

    def _end(
        self, residuals: OnArrays, jacobian: OnArrays, start: Array, method: str
    ) -> Array:
        """Return where SciPy's method ends; it goes on for as long as that changes anything."""
        found = optimize.least_squares(
            residuals, start, jacobian, method=method, x_scale="jac", bounds=self.bounds or (-math.inf, math.inf),
            max_nfev=min(self.steps, 2000), ftol=_EPSILON, xtol=_EPSILON, gtol=_EPSILON,
        )  # fmt: skip
        end: Array = found.x
        return end

    def _clipped(self, values: Array) -> Array:
        return values if self.bounds is None else np.clip(values, *self.bounds)

    def _judged(self, values: Array) -> Estimate:
        residuals, jacobian = self.problem.at(values)
        rss = float(residuals @ residuals)
        if self.bounds is not None:
            # what a bound holds cannot move, and the gradient along it need not vanish
            held = pressed(values, jacobian.T @ residuals, *self.bounds)
            jacobian = jacobian[:, ~held]
        offset = _offset(residuals, jacobian, self.problem.target)
        return Estimate(values, rss, offset)

    def _lower_beside(self, best: Estimate) -> Array | None:
        """A point with a smaller sum of squares, along the direction in which that curves down; None if it curves up."""
        _, jacobian = self.problem.at(best.values)
        free = np.ones(len(best.values), bool)
        if self.bounds is not None:
            low, high = self.bounds
            free = (best.values > low) & (best.values < high)
        size = lengths(jacobian)
        curvature = _curvature(self.problem, best.values, size, free)
        if curvature is None:
            return None
        eigenvalues, directions = np.linalg.eigh(curvature)
        if eigenvalues[0] > -CURVED:
            return None
        # in columns of length 1 a step of this length moves the prediction by about as much as the residuals are
        length = math.sqrt(best.rss) or 1.0
        for step in (1e-1, -1e-1, 1e-3, -1e-3):
            there = best.values.copy()
            there[free] += step * length * directions[:, 0] / size[free]
            there = self._clipped(there)
            try:
                value, _ = self.problem.predicted(there)
            except DomainError:
                continue
            off = value - self.problem.target
            if float(off @ off) < best.rss * (1 - 1e-12):
                return there
        return None


def _curvature(
    problem: Residuals, values: Array, size: Array, free: Any
) -> Array | None:
    """Half the Hessian of the sum of squares, in units of the columns' lengths, by differences of its gradient."""
    places = np.flatnonzero(free)
    if not len(places):
        return None
    rows = []
    for i in places:
        sides = []
        step = DIFFERENCE * max(abs(values[i]), 1 / size[i])
        for sign in (1, -1):
            there = values.copy()
            there[i] += sign * step
            try:
                value, jacobian = problem.predicted(there)
            except DomainError:
                return None
            sides.append(jacobian.T @ (value - problem.target))
        rows.append((sides[0] - sides[1])[places] / (2 * step * size[i] * size[places]))
    found = np.array(rows)
    # differences leave it a little unsymmetric, and eigh reads one half only
    return (found + found.T) / 2 if np.isfinite(found).all() else None


class _Projection:
    """The residuals as a function of the nonlinear parameters alone: the `linear` ones are solved for."""

    def __init__(self, problem: Residuals, start: Array, linear: list[int]) -> None:
        self._problem, self._start, self._linear = problem, start, linear
        self.rest = [i for i in range(len(start)) if i not in linear]

    def solved(self, nonlinear: Array) -> Array:
        """All parameters, the linear ones by linear least squares."""
        values = self._start.copy()
        values[self.rest] = nonlinear
        # with these at 0, the residuals are what they have to make up for
        values[self._linear] = 0.0
        residuals, jacobian = self._problem.at(values)
        values[self._linear] = _step(residuals, jacobian[:, self._linear])
        return values

    def residuals(self, nonlinear: Array) -> Array:
        """The residuals there."""
        return self._problem.at(self.solved(nonlinear))[0]

    def jacobian(self, nonlinear: Array) -> Array:
        """Kaufman's Jacobian: that of the residuals, less what linear parameters compensate."""
        whole = self._problem.at(self.solved(nonlinear))[1]
        basis = whole[:, self._linear]
        basis, _ = np.linalg.qr(basis / lengths(basis))
        slopes = whole[:, self.rest]
        return slopes - basis @ (basis.T @ slopes)


def _step(residuals: Array, jacobian: Array) -> Array:
    """The step that makes up for residuals best, if they are linear."""
    size = lengths(jacobian)
    scaled, *_ = np.linalg.lstsq(jacobian / size, -residuals)
    step: Array = scaled / size
    return step


def _offset(residuals: Array, jacobian: Array, target: Array) -> float:
    """The relative offset; infinite where the Jacobian does not determine the parameters."""
    points, count = jacobian.shape
    if not count:
        return 0.0
    if singular(jacobian):
        return math.inf
    basis, _ = np.linalg.qr(jacobian / lengths(jacobian))
    inside = basis.T @ residuals
    total = float(residuals @ residuals)
    if total <= EXACT**2 * float(target @ target):
        return 0.0
    share = float(inside @ inside) / total
    # with as many points as parameters nothing is left outside the tangent space, and this difference may round below 0
    rest = max(1 - share, EXACT**2) / max(points - count, 1)
    return math.sqrt(share / count / rest)
