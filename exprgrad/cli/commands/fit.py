"""`exprgrad fit`: the parameters of a model from data."""

from __future__ import annotations

from pathlib import Path

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.cli.arguments import mapping, sources, table_stream
from exprgrad.cli.commands import descents
from exprgrad.cli.commands.minimize import FormatOption
from exprgrad.cli.declared import Annotated, Argument, Option
from exprgrad.cli.options import At, Digits, Drawn
from exprgrad.errors import UNDEFINED, UsageError

if TYPE_CHECKING:
    from exprgrad.expressions.uncertainty import Budgets
    from exprgrad.fitting.model import Fit

Model = Annotated[str | None, Argument(metavar="MODEL", help='Such as "y ~ a*x + b".')]
Data = Annotated[
    str | None,
    Option(metavar="FILE", help="The table, as for batch; - reads standard input."),
]
Map = Annotated[
    list[str] | None,
    Option(
        "--map",
        metavar="h=column",
        help='The column of a name in the model, such as h="height (m)"; may be repeated.',
    ),
]
Method = Annotated[str, Option(help="lm, gd, momentum, nesterov, adam or lbfgs.")]
Loss = Annotated[
    str | None, Option(help="mse, mae, huber, bce or bce_logits; not for lm.")
]
Batch = Annotated[
    int | None,
    Option(min=1, metavar="N", help="Points per step; not for lm and lbfgs."),
]
Seed = Annotated[int, Option(help="Chooses the batches.")]
Output = Annotated[
    Path | None,
    Option(metavar="FILE", help="Write predictions and residuals, as CSV."),
]


Then = Annotated[
    list[str] | None,
    Option(
        metavar="EXPR",
        help="A formula in the parameters, with its uncertainty; may be repeated.",
    ),
]


def fit_command(
    model: Model = None,
    data: Data = None,
    start: descents.Start = None,
    map_: Map = None,
    at: At = None,
    method: Method = "lm",
    loss: Loss = None,
    batch: Batch = None,
    seed: Seed = 0,
    rate: descents.Rate = 0.01,
    schedule: descents.Schedule = None,
    steps: descents.MostSteps = 10_000,
    tolerance: descents.Tolerance = 1e-8,
    momentum: descents.Momentum = 0.9,
    bounds: descents.Bounds = None,
    then: Then = None,
    output: Output = None,
    plot: Drawn = False,
    format_: FormatOption = "table",
    digits: Digits = 10,
) -> int:
    """Fit the parameters of a model to data, with standard errors."""
    from exprgrad.data.bindings import Bindings
    from exprgrad.fitting.fit import fit

    if model is None or data is None:
        raise UsageError(
            "a fit needs a model and data",
            hint='exprgrad fit "y ~ a*x + b" --data FILE --start a=1,b=0',
        )
    columns = _columns(data, mapping(map_ or []))
    begin, fixed = Bindings(start or [], "--start"), Bindings(at or [], "--at")
    found = fit(
        model, columns, begin.values, method, fixed=fixed.values,
        bounds=descents.bounds_of(bounds or []), loss=loss, batch=batch, seed=seed, rate=rate,
        schedule=schedule, steps=steps, tolerance=tolerance, momentum=momentum,
    )  # fmt: skip
    inputs = sources(data, None, begin, fixed)
    code = _show(found, _then(found, then or []), inputs, output, format_, digits)
    if plot and format_ == "table":
        from exprgrad.pictures.results import of_fit
        from exprgrad.views.answers.plot import show

        show(of_fit(found))
    return code


def _then(found: Fit, texts: list[str]) -> Budgets | None:
    """The formulas in the parameters, with their uncertainty."""
    if not texts:
        return None
    from exprgrad.cli.typed import differentiated, question
    from exprgrad.fitting.predictions import predicted

    names = [*found.parameters, *found.model.constants]
    formulas = {t: differentiated(*question(t, names)) for t in texts}
    return predicted(found, formulas)


def _show(
    found: Fit,
    then: Budgets | None,
    inputs: list[Path | int],
    output: Path | None,
    format_: str,
    digits: int,
) -> int:
    from exprgrad.data.files import Replacing
    from exprgrad.views.answers.fitting import FitView
    from exprgrad.views.formats import csv_lines, write

    view = FitView(found, digits, then)
    if output is not None:
        with Replacing(output, *inputs) as file:
            file.writelines(f"{line}\n".encode() for line in csv_lines(view.csv()))
    write(view, format_)
    return 0 if found.converged or "used up" in found.message else UNDEFINED


def _columns(data: str, chosen: dict[str, str]) -> dict[str, list[float]]:
    """The columns of the table, also by the names that they are given."""
    from exprgrad.data.columns import columns_of
    from exprgrad.data.tables import opened
    from exprgrad.language.points import no_column

    with opened(data, table_stream(data)) as source:
        columns = columns_of(source)
    for name, column in chosen.items():
        if column not in columns:
            raise no_column(column, list(columns))
        columns[name] = columns[column]
    return columns
