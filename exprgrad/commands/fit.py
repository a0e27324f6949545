"""`exprgrad fit`: the parameters of a model from data."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands import declared as row
from exprgrad.commands.arguments import mapping, sources, table_stream
from exprgrad.commands.descents import Descending
from exprgrad.errors import UNDEFINED, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.expressions.uncertainty import Budgets
    from exprgrad.fitting.model import Fit as Fitted


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
    output: Path | None = row.path("Write predictions and residuals, as CSV.")
    plot: bool = row.DRAWN
    digits: int = row.DIGITS

    def run(self) -> row.Result:
        """Fit the model, and show how well it does."""
        from exprgrad.data.bindings import Bindings
        from exprgrad.data.files import Replacing
        from exprgrad.fitting.fit import fit
        from exprgrad.views.formats import csv_lines
        from exprgrad.views.uncertainty import FitView

        if self.model is None or self.data is None:
            raise UsageError(
                "a fit needs a model and data",
                hint="a model such as y ~ a*x + b, --data with a file, and --start a=1,b=0",
            )
        columns = _columns(self.data, mapping(self.map))
        begin, fixed = Bindings(self.start, "--start"), Bindings(self.at, "--at")
        found = fit(
            self.model, columns, begin.values, self.method, fixed=fixed.values, loss=self.loss,
            batch=self.batch, seed=self.seed, **self.options(),
        )  # fmt: skip
        views: list[Any] = [FitView(found, self.digits, _then(found, self.then))]
        if self.output is not None:
            inputs = sources(self.data, None, begin, fixed)
            with Replacing(self.output, *inputs) as file:
                lines = csv_lines(views[0].csv())
                file.writelines(f"{line}\n".encode() for line in lines)
        if self.plot and self.format == "table":
            from exprgrad.pictures.plot import of_fit
            from exprgrad.views.pictures import PlotView

            views.append(PlotView(of_fit(found)))
        known = found.converged or "used up" in found.message
        return row.Result(*views, code=0 if known else UNDEFINED)


def _then(found: Fitted, texts: list[str]) -> Budgets | None:
    """The formulas in the parameters, with their uncertainty."""
    if not texts:
        return None
    from exprgrad.commands.typed import differentiated, question
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
        columns[name] = columns[column]
    return columns
