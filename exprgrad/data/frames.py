"""Frames of pandas, Polars and others that narwhals knows, with values and derivatives as further columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.data.batch import computed, plan
from exprgrad.data.bindings import Bindings
from exprgrad.data.formats import Beyond, Chunk, Column, Results, TableFormat, column_of
from exprgrad.errors import UsageError, needing
from exprgrad.expressions.expression import Expression, parse
from exprgrad.language import inputs, points


def batch(
    frame: Any,
    expression: str | Expression,
    at: str | Mapping[str, Any] = {},  # nothing is put into it
    *,
    wrt: str | Iterable[str] | None = None,
    mapping: Mapping[str, str] = {},
    prefix: str = "",
) -> Any:
    """Return a frame with the value and the partial derivatives of an expression, row by row, as further columns.

    The new columns are called as those of the command `batch`: `value`, `d_x` for each variable that has a column, and
    `error`, which says what is wrong with a row. `at` gives constants, `mapping` the columns of variables whose columns
    have other names. Rows are computed in double precision without bounds, as by `compile`, and those for which that
    fails as by `evaluate`. A lazy frame is computed at once. Raises `UsageError` for what is no frame, `BindingError` for
    a variable without a column.
    """
    with needing("frames need narwhals", "frames"):
        import narwhals
    try:
        given: Any = narwhals.from_native(frame)
        is_lazy = isinstance(given, narwhals.LazyFrame)
        rows = given.collect() if is_lazy else given
        names = [str(name) for name in rows.columns]
    except (TypeError, narwhals.exceptions.NarwhalsError) as error:
        raise UsageError(f"this is no frame: {error}") from None
    mapping = {name: str(column) for name, column in mapping.items()}
    own = {"": at} if isinstance(at, str) else {**at}
    texts = [f"{n}={x}" if n else x for n, x in own.items() if isinstance(x, str) and x]
    numbers = {n: points.coordinate(n, x) for n, x in own.items() if type(x) is not str}
    exact = {**numbers, **Bindings(texts, "at").exact}
    if not isinstance(expression, Expression):
        declared = {*exact, *mapping, *filter(str.isidentifier, names)}
        expression = parse(expression, declared, lenient=True)
    chosen = None if wrt is None else [*map(inputs.normal, inputs.names(wrt))]
    wanted = plan(expression, names, exact, mapping, chosen, prefix=prefix, double=True)
    found = computed(wanted, _Frame(names), Chunk(1, rows)).piece
    return (found.lazy(given.implementation) if is_lazy else found).to_native()


class _Frame(TableFormat):
    """A frame of narwhals."""

    has_decimals = False

    def stored(self, rows: Any, indexes: Sequence[int]) -> list[Column]:
        """These columns of a frame, without a Python object for every number."""
        return [_stored(rows[:, index]) for index in indexes]

    def column(
        self, numbers: Any, digits: int | None, faults: Collection[int], beyond: Beyond
    ) -> Any:
        """The numbers, nan where there is none."""
        return numbers

    def piece(self, rows: Any, results: Results) -> Any:
        """The frame with the results as columns."""
        import narwhals

        new: list[Any] = []
        for name, column in zip(results.names, results.columns, strict=True):
            own = narwhals.new_series(
                name, column, narwhals.Float64, backend=rows.implementation
            )
            new.append(own.fill_nan(None) if results.errors else own)
        # a text for every row takes longer than all numbers
        error = narwhals.lit(None, narwhals.String).alias("error")
        found = rows.with_columns(*new, error)
        if results.errors:
            places, told = [*results.errors], [*results.errors.values()]
            found = found.with_columns(found["error"].scatter(places, told))
        return found


def _stored(series: Any) -> Column:
    """A series as a column: one of numbers is taken as a whole."""
    import narwhals
    import numpy as np

    if not series.dtype.is_numeric():
        return column_of(["" if cell is None else cell for cell in series.to_list()])
    numbers = series.cast(narwhals.Float64).to_numpy()
    bad = np.flatnonzero(series.is_null().to_numpy()) if series.null_count() else ()
    return Column(numbers, [*map(int, bad)], lambda _: "", None)
