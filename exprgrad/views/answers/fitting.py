"""A fit as people see it: the parameters with their uncertainty, how well they do, correlations."""

from __future__ import annotations

from exprgrad.annotations import Any, NamedTuple
from exprgrad.expressions.uncertainty import Budgets
from exprgrad.fitting.model import Fit
from exprgrad.language.notes import shorten
from exprgrad.views.answers.uncertainty import (
    MOST_CORRELATED,
    BudgetView,
    correlation_table,
    sums,
)
from exprgrad.views.blocks import (
    Block,
    Column,
    Formula,
    Heading,
    Note,
    Table,
    Wrapped,
    number,
)
from exprgrad.views.formats import Rows


class FitView(NamedTuple):
    """The parameters with their uncertainty, how well they do, and correlations."""

    found: Fit
    digits: int
    then: Budgets | None = None

    def blocks(self) -> list[Block]:
        """The model, its parameters, how far the data are from it, and correlations."""
        found = self.found
        title = " ".join(found.model.text.split())
        sides = found.model.target.root, found.model.prediction.root
        out: list[Block] = [
            Heading(title, Formula(sides, title, relation=r"\sim")),
            _parameters(found, self.digits),
            *map(Note, notes(found, self.digits)),
        ]
        if 1 < len(found.correlations) <= MOST_CORRELATED:
            out.append(correlation_table(found.correlations))
        for name, own in self.then.results.items() if self.then is not None else ():
            out += [
                Heading(f"{shorten(name, 60)} = {own.text}"),
                Wrapped(tuple(sums(own))),
            ]
        return out

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        then = self.then and {"then": BudgetView(self.then).as_dict()["results"]}
        return {**self.found.as_dict(), **(then or {})}

    def csv(self) -> Rows:
        """The columns of the model with predictions and residuals, a row a point."""
        found = self.found
        own = [found.model.columns[name] for name in found.model.used]
        columns = [*own, found.predictions, found.residuals]
        header = [*found.model.used, "prediction", "residual"]
        return header, zip(*columns, strict=True)


def notes(found: Fit, digits: int) -> list[str]:
    """What there is to say besides the parameters."""
    known = min(digits, found.rss_digits)
    text = f"{found.points} points, residual sum of squares {_known(found.rss, known)}"
    if found.deviation is not None and known:
        text += f", deviation {number(found.deviation, known)} ({found.degrees} degrees of freedom)"
    loss = [] if found.loss is None else [f"mean loss {number(found.loss, digits)}"]
    return [text, *loss, found.message]


def _known(value: float, digits: int) -> str:
    """A number with the digits that are known of it."""
    return number(value, digits) if digits else "0 but for rounding"


def _parameters(found: Fit, digits: int) -> Table:
    columns = [
        Column("parameter", style="cyan"),
        Column("value", number=True, style="bold green"),
        Column("standard error", number=True),
    ]
    rows = []
    for name, parameter in found.parameters.items():
        value = _known(parameter.value, min(digits, found.digits(name)))
        error = "none" if parameter.stderr is None else number(parameter.stderr, 4)
        rows.append((name, value, error))
    return Table("", columns, rows)
