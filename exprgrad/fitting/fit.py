"""Fitting: the parameters with which a model comes closest to data.

    found = fit("y ~ a*exp(-b*x) + c", {"x": [...], "y": [...]}, {"a": 1, "b": 0.1, "c": 0})
    found.parameters["b"].value, found.parameters["b"].stderr, found.rss

Least squares minimise rss = sum of (y - f)^2. With J the Jacobian of f at the end, with respect to the parameters, and
s^2 = rss/(n - p), the standard errors are the roots of the diagonal of s^2 (J^T J)^-1 (Bates and Watts,
*Nonlinear Regression Analysis*, 1988). Any other loss is minimised by one of the methods of `minimize`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from exprgrad.annotations import SupportsFloat
from exprgrad.budget import Budget, budgeted
from exprgrad.errors import Hint, UsageError, needing
from exprgrad.fitting.model import Fit, Model
from exprgrad.language import inputs
from exprgrad.optimize.minimize import Descent
from exprgrad.optimize.objective import Bounds, pressed
from exprgrad.optimize.options import Options, method_named, plainly

_MORE = " takes other losses and batches"


@budgeted
def fit(
    model: str,
    data: Mapping[str, Sequence[float]],
    start: Mapping[str, SupportsFloat],
    method: str = "lm",
    *,
    fixed: Mapping[str, SupportsFloat] | None = None,
    bounds: Bounds | None = None,
    loss: str | None = None,
    batch: int | None = None,
    seed: int = 0,
    rate: float = 0.01,
    schedule: str | Callable[[int], float] | None = None,
    steps: int = 10_000,
    tolerance: float = 1e-8,
    momentum: float = 0.9,
    budget: Budget | int | None = None,
) -> Fit:
    """Fit a model to columns of data, from a start for every parameter. Needs NumPy and SciPy.

    The method `lm` (Levenberg-Marquardt) takes least squares; the others are those of `minimize` and
    take the mean of a `loss` (one of `LOSSES`), with `batch` over so many points a step, chosen anew
    in every pass by the `seed`. `fixed` gives names that are neither columns nor parameters.
    """
    inputs.text(model, "a model")
    # a lazy frame of Polars; one of pandas or Polars, or a table of Arrow
    data = data.collect() if hasattr(data, "collect") else data
    columns = getattr(data, "column_names", getattr(data, "columns", None))
    if columns is not None:
        data = {str(name): data[name] for name in columns}
    for given, what in ((data, "the data"), (start, "the start"), (fixed, "what is fixed"), (bounds, "bounds")):  # fmt: skip
        if given is not None:
            inputs.values(given, what)
    own = _method(method, loss, batch)
    read = Model(model, data, start, fixed)
    with needing("a fit needs NumPy and SciPy", "arrays"):
        from exprgrad.fitting import least_squares
    if own == "lm":
        count = inputs.number(steps, "the number of steps")
        if count < 1:
            hint = Hint("argument", name="steps", value=100)
            raise UsageError("lm takes at least one step", hint=hint)
        if not count.is_integer():
            raise UsageError(f"the number of steps is a whole number, not {count}")
        return least_squares.fitted(read, bounds or {}, int(steps))
    options = Options(own, rate, schedule, steps, tolerance, None, momentum).checked()
    if batch is not None:
        options = options._replace(tolerance=0.0)  # the gradient of a batch is a sample
    loss = loss or "mse"
    objective = least_squares.MeanLoss(read, loss, bounds or {}, batch, seed)
    end = Descent(objective, options).result
    values = [end.variables[name] for name in read.parameters]
    whole, slope = objective.over(values, None)
    after = "1 step" if end.steps == 1 else f"{end.steps} steps"
    message = f"{end.method} stopped after {after}: {end.reason}"
    held = map(pressed, values, slope, *objective.limits)
    return least_squares.summary(
        read, values, end.method, end.steps, end.converged, message, held, whole, squares=loss == "mse",
    )  # fmt: skip


def _method(method: str, loss: str | None, batch: int | None) -> str:
    if loss is not None:
        inputs.text(loss, "a loss")
    if batch is not None:
        inputs.count(batch, "the size of a batch", 1, 10**9)
    if plainly(method) in ("lm", "levenbergmarquardt", "leastsquares"):
        if loss not in (None, "mse") or batch is not None:
            hint = Hint("argument", name="method", value="adam", does=_MORE)
            raise UsageError("lm takes least squares over all points", hint=hint)
        return "lm"
    own = method_named(method, "lm")
    # trust needs products with a Hessian, which the mean over a table has none of; random would sweep it for each guess
    if own in ("trust", "random"):
        hint = Hint("argument", name="method", value="lm", does=", or lbfgs")
        raise UsageError(f"{own} does not fit data", hint=hint)
    if batch is not None and own == "lbfgs":
        hint = Hint("argument", name="method", value="adam")
        raise UsageError("lbfgs takes all points at once", hint=hint)
    return own
