"""`exprgrad minimize` and `fit`: where an expression is least, step by step, and the parameters of a model from data."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands import declared as row
from exprgrad.commands.declared import mapping, sources, table_stream
from exprgrad.commands.signals import raising
from exprgrad.commands.typed import differentiated, expression_at, question
from exprgrad.data.bindings import Bindings
from exprgrad.data.files import Replacing
from exprgrad.errors import INTERRUPTED, UNDEFINED, BindingError, UsageError
from exprgrad.views import descent as view

if TYPE_CHECKING:
    from exprgrad.expressions.expression import Expression
    from exprgrad.expressions.uncertainty import Budgets
    from exprgrad.fitting.model import Fit as Fitted
    from exprgrad.optimize.descent import DescentStep, Minimum
    from exprgrad.optimize.minimize import Descent


class Descending(row.Command):
    """A command that searches for a minimum."""

    start: list[str] = row.texts("Where the variables start; required.", "a=1,b=2", completes="values")  # fmt: skip
    rate: float = row.decimal("The learning rate of the first four.", 0.01)
    schedule: str | None = row.text(
        "What the rate is multiplied by: linear, cosine, exponential, inverse, "
        "or an expression in the step t and the number of steps T."
    )
    steps: int = row.whole("Stop after N steps.", 10_000, least=0)
    tolerance: float = row.decimal(
        "The gradient norm that counts as 0; relative to the largest partials, where these are less than 1.",
        1e-8, least=0.0,
    )  # fmt: skip
    momentum: float = row.decimal("How much of the velocity a step keeps.", 0.9)
    bounds: list[str] = row.texts("Least and greatest values.", "a=0:1,b=0:")
    format: str = row.formats("How to write the result.", "table json")

    def options(self) -> dict[str, Any]:
        """Return how to descend."""
        return {
            "bounds": bounds_of(self.bounds), "rate": self.rate, "schedule": self.schedule,
            "steps": self.steps, "tolerance": self.tolerance, "momentum": self.momentum,
        }  # fmt: skip


def bounds_of(texts: list[str]) -> dict[str, tuple[float | None, float | None]]:
    """Bounds such as `a=0:1, b=0:` as pairs by name."""
    found = {}
    for part in [p for own in texts for p in own.split(",")]:
        name, equals, limits = part.partition("=")
        low, colon, high = limits.partition(":")
        if not (name.strip() and equals and colon):
            told = f"a bound is written name=least:greatest, not {part.strip()!r}"
            raise UsageError(told, hint="--bounds a=0:1,b=0:")
        if name.strip() in found:
            raise UsageError(f"{name.strip()} has bounds twice", hint="give them once")
        found[name.strip()] = (_limit(low), _limit(high))
    return found


def _limit(text: str) -> float | None:
    from exprgrad.expressions.expression import parse

    if not text.strip():
        return None
    parsed = parse(text)
    if parsed.variables:
        told = f"a bound is a number, not {text.strip()}"
        raise BindingError(told, hint="--bounds a=0:1")
    return parsed()


class Minimize(Descending, row.OnExpression):
    """Find where an expression is least, by descent from a start."""

    example = 'exprgrad minimize "(x-1)^2 + y^2" --start x=0,y=1'
    pages = "minimizing"

    at: list[str] = row.AT
    method: str = row.text(
        "gd, momentum, nesterov, adam, lbfgs, trust or random.", "", "lbfgs"
    )
    target: float | None = row.decimal("Stop when the value is at most this.")
    history: Path | None = row.path("Write every step to a CSV file.")
    plot: bool = row.DRAWN
    output: Path | None = row.PICTURE
    dark: bool = row.DARK
    digits: int = row.DIGITS
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """Descend, and show the steps."""
        from exprgrad.optimize.minimize import minimize

        source = self.source()
        begin = Bindings(self.start, "--start")
        # the start declares its names: with --start xy=1, xy is one variable
        parsed, fixed = expression_at(source, self.at, begin.values, self.strict)
        if not self.start:
            raise _no_start(parsed, fixed.values)
        begin.check(parsed)
        arrays = parsed.takes_arrays({**begin.values, **fixed.values})
        descent = minimize(
            parsed, begin.values, self.method, fixed=fixed.values if arrays else fixed.exact,
            target=self.target, **self.options(),
        )  # fmt: skip
        stdin = "-" if self.expression == "-" else None
        inputs = sources(stdin, self.file, begin, fixed)
        sample = view.Sample()
        descent.digits = self.digits
        # Ctrl-C is an answer, too: the steps so far are shown
        found = run(descent, sample, self.history, inputs) or descent.interrupted()
        if found is None:
            raise KeyboardInterrupt
        if self.format != "json":
            # people see few steps, which are computed once more with as many digits as are shown
            sample.steps = [descent.refined(step) for step in sample.rows()]
            sample.last = sample.steps[-1] if sample.steps else None
        shown = view.DescentView(parsed.title, found, sample, self.digits, parsed.notes)
        views: list[Any] = [shown]
        drawn = self.output is not None or (self.plot and self.format == "table")
        if drawn and sample.rows():
            from exprgrad.pictures.plot import of_descent

            steps = sample.way() if self.output else sample.rows()
            plot = of_descent(parsed, steps, fixed.values if arrays else fixed.exact)
            views += row.drawn(plot, self.output, *inputs, on_dark=self.dark)
        failed = view.failure(found)
        # a search that cannot go on at a kink may well have found the minimum: then `kind` says so
        stuck = found.status == "stalled" and found.kind is None
        code = UNDEFINED if failed is not None or stuck else 0
        if found.status == "interrupted":
            code = INTERRUPTED
        return row.Result(*views, errors=[failed] if failed else [], code=code)


def _no_start(expression: Expression, fixed: Collection[str]) -> UsageError:
    """The error for a descent without a start, with one in the variables of the expression."""
    names = [name for name in expression.variables if name not in fixed][:4]
    values = ",".join(f"{name}=0" for name in names or ["x"])
    hint = f"add --start {values}, or wherever you like"
    return UsageError("a descent needs a start", hint=hint)


def run(
    descent: Descent,
    sample: view.Sample,
    history: Path | None,
    inputs: list[Path | int],
) -> Minimum | None:
    """Follow a descent, keep a sample of its steps, write all to a file; where it ended, None if Ctrl-C stopped it."""

    def kept(steps: Iterable[DescentStep]) -> Iterator[DescentStep]:
        for step in steps:
            sample.add(step)
            yield step

    steps = kept(view.watched(descent))
    with nullcontext() if history is None else Replacing(history, *inputs) as file:
        try:
            with raising():
                if file is None:
                    deque(steps, 0)
                else:
                    lines = view.history_lines(steps)
                    file.writelines(f"{line}\n".encode() for line in lines)
                return descent.result
        except KeyboardInterrupt:
            return None  # the steps so far are a history, too


class Fit(Descending):
    """Fit the parameters of a model to data, with standard errors."""

    example = 'exprgrad fit "y ~ a*exp(-k*t)" --data decay.csv --start a=1,k=0.1'
    pages = "fitting"

    model: str | None = row.argument('Such as "y ~ a*x + b".', "MODEL")
    data: str | None = row.text(
        "The table, as for batch; - reads standard input.", "FILE"
    )
    map: list[str] = row.texts('The column of a name in the model, such as h="height (m)"; may be repeated.', "h=column")  # fmt: skip
    at: list[str] = row.AT
    method: str = row.text("lm, gd, momentum, nesterov, adam or lbfgs.", "", "lm")
    loss: str | None = row.text("mse, mae, huber, bce or bce_logits; not for lm.")
    batch: int | None = row.whole("Points per step; not for lm and lbfgs.", least=1, metavar="N")  # fmt: skip
    seed: int = row.whole("Chooses the batches.", 0)
    then: list[str] = row.texts("A formula in the parameters, with its uncertainty; may be repeated.", "EXPR")  # fmt: skip
    output: Path | None = row.path("Write predictions and residuals, as CSV, or the picture of --plot.", "--output", "-o")  # fmt: skip
    plot: bool = row.DRAWN
    dark: bool = row.DARK
    digits: int = row.DIGITS

    def run(self) -> row.Result:
        """Fit the model, and show how well it does."""
        from exprgrad.fitting.fit import fit
        from exprgrad.views.formats import csv_lines
        from exprgrad.views.uncertainty import FitView

        if self.model is None or self.data is None:
            hint = (
                "a model such as y ~ a*x + b, --data with a file, and --start a=1,b=0"
            )
            raise UsageError("a fit needs a model and data", hint=hint)
        columns = _columns(self.data, mapping(self.map))
        begin, fixed = Bindings(self.start, "--start"), Bindings(self.at, "--at")
        found = fit(
            self.model, columns, begin.values, self.method, fixed=fixed.values, loss=self.loss,
            batch=self.batch, seed=self.seed, **self.options(),
        )  # fmt: skip
        views: list[Any] = [FitView(found, self.digits, _then(found, self.then))]
        inputs = sources(self.data, None, begin, fixed)
        pictured = self.output if row.is_picture(self.output) else None
        if self.output is not None and pictured is None:
            with Replacing(self.output, *inputs) as file:
                lines = csv_lines(views[0].csv())
                file.writelines(f"{line}\n".encode() for line in lines)
        if pictured or (self.plot and self.format == "table"):
            from exprgrad.pictures.plot import of_fit

            plot = of_fit(found)
            views += row.drawn(plot, pictured, *inputs, on_dark=self.dark)
        # a fit that has used up its steps is an answer, if not the best one: its message says so
        known = found.converged or "used up" in found.message
        return row.Result(*views, code=0 if known else UNDEFINED)


def _then(found: Fitted, texts: list[str]) -> Budgets | None:
    """The formulas in the parameters, with their uncertainty."""
    if not texts:
        return None
    from exprgrad.fitting.predictions import predicted

    names = [*found.parameters, *found.model.constants]
    formulas = {t: differentiated(*question(t, names)) for t in texts}
    return predicted(found, formulas)


def _columns(data: str, chosen: dict[str, str]) -> dict[str, list[float]]:
    """The columns of the table, also by the names that they are given."""
    from exprgrad.data.tables import columns_of, opened
    from exprgrad.language.points import no_column

    with opened(data, table_stream(data)) as source:
        columns = columns_of(source)
    for name, column in chosen.items():
        if column not in columns:
            raise no_column(column, list(columns))
        # the column keeps its own name as well: another mapping, or the model itself, may use it
        columns[name] = columns[column]
    return columns
