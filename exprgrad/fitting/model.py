"""A model of data: what is predicted, by which parameters, and what a fit says of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple, SupportsFloat
from exprgrad.errors import BindingError, Hint, UsageError, about
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.displayed import displayed
from exprgrad.graph.value import Value, node
from exprgrad.language.notes import shorten
from exprgrad.language.points import no_column
from exprgrad.operations.operation import named

LOSSES = ("mse", "mae", "huber", "bce", "bce_logits")
"""Losses of a prediction and a target that a fit can minimise."""


class Parameter(NamedTuple):
    """A fitted parameter; `stderr` is None if the data or the loss do not determine it."""

    value: float
    stderr: float | None


@displayed
class Fit(NamedTuple):
    """A model with the parameters that were found.

    `predictions` and `residuals` (observed minus predicted) have one entry a point. `converged` says
    that the gradient vanishes there, relative to the residuals, and `message` how it was found. Parameters
    `at_bound` are pressed against a bound by the data. `offset` is the distance from the minimum in units of the standard
    errors, for least squares; of `rss` so many digits are known.
    """

    model: Model
    method: str
    parameters: dict[str, Parameter]
    correlations: dict[str, dict[str, float]]
    rss: float
    loss: float | None
    points: int
    steps: int
    converged: bool
    message: str
    predictions: list[float]
    residuals: list[float]
    at_bound: tuple[str, ...] = ()
    offset: float | None = None
    rss_digits: int = 17

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        own = self._asdict() | {
            "model": self.model.text,
            "parameters": {n: p._asdict() for n, p in self.parameters.items()},
            "deviation": self.deviation,
            "at_bound": list(self.at_bound),
        }
        names = "model method parameters correlations rss loss points deviation steps converged message at_bound"
        return {name: own[name] for name in names.split()}

    def digits(self, name: str) -> int:
        """Return how many digits of a parameter are known, as the estimate is so close to the minimum."""
        value, stderr = self.parameters[name]
        if not value or not stderr or not math.isfinite(self.offset or 0.0):
            return 17
        # half a unit of the last digit has to exceed how far off the estimate is
        off = ((self.offset or 0.0) + 10.0**-self.rss_digits) * stderr
        return max(0, min(17, math.floor(math.log10(abs(value) / (2 * off)))))

    @property
    def degrees(self) -> int:
        """The degrees of freedom of the residuals: points less parameters that could vary."""
        return self.points - len(self.parameters) + len(self.at_bound)

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the residuals; None without more points than parameters."""
        return math.sqrt(self.rss / self.degrees) if self.degrees > 0 else None


class Model:
    """`target ~ prediction`, with the meaning of each name in it: a column, a parameter or a constant."""

    def __init__(
        self,
        text: str,
        columns: Mapping[str, Sequence[float]],
        start: Mapping[str, SupportsFloat],
        fixed: Mapping[str, SupportsFloat] | None = None,
    ) -> None:
        left, tilde, _ = text.partition("~")
        if not tilde:
            own = text.replace("=", "~", 1) if "=" in text else f"y ~ {text}"
            what = "a model needs a ~ between what is predicted and its formula"
            raise UsageError(what, hint=f'write "{shorten(own)}"')
        declared = {*columns, *start, *(fixed or {})}
        self.text = text
        self.target = _read(text, left, declared)
        # blanks in the place of the left side keep the columns at which errors point
        blank = " " * (len(left) + 1)
        self.prediction = _read(text, blank + text[len(blank) :], declared)
        self.start = _numbers(start)
        self.constants = _numbers(fixed or {})
        self.columns = columns
        _check(self)
        self.parameters = tuple(n for n in start if n in self.prediction.variables)
        if not self.parameters:
            hint = Hint("give_start", name="a")
            raise UsageError("the model has no parameter to fit", hint=hint)
        used = [*self.target.variables, *self.prediction.variables]
        self.used = tuple(dict.fromkeys(name for name in used if name in columns))

    def loss(self, name: str) -> Expression:
        """The loss of one point as an expression in the columns and the parameters."""
        operation = named(name).get(2)
        if operation is None or name not in LOSSES:
            what = f"there is no loss {name}"
            raise UsageError(what, hint=f"one of {', '.join(LOSSES)}")
        roots = (self.prediction.root, self.target.root)
        return Expression.of(node(operation, roots))


def _numbers(values: Mapping[str, SupportsFloat]) -> dict[str, float]:
    own = {name: Expression.of(Value(None, name)) for name in values}
    return {name: own[name].point({name: x})[name] for name, x in values.items()}


def _read(text: str, part: str, declared: Iterable[str]) -> Expression:
    """One side of a model, with places that count in the whole text."""
    with about(text):
        read = parse(part, tuple(declared))
    read.source = text
    return read


def _check(model: Model) -> None:
    columns, start = model.columns, model.start
    both = [name for name in (*start, *model.constants) if name in columns]
    if both:
        what = f"{both[0]} is a column of the data and has a value"
        raise BindingError(what, hint="leave out the value, or rename the column")
    twice = [name for name in start if name in model.constants]
    if twice:
        hint = "give one of them"
        raise BindingError(f"{twice[0]} has a start and a fixed value", hint=hint)
    for name in (*start, *model.constants):
        if name not in (*model.prediction.variables, *model.target.variables):
            raise model.prediction.no_variable(name)
    known = {*columns, *model.constants}
    for side, names, kind in (
        (model.target, known, ""),
        (model.prediction, known.union(start), "column_or_start"),
    ):
        for leaf in side.leaves:
            if leaf.name not in names:
                name = leaf.name or ""
                raise no_column(name, list(columns), kind, leaf.span, side.source)
