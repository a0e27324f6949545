"""The columns of a table as numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from exprgrad.annotations import Any
from exprgrad.data.formats import Table, finite
from exprgrad.data.tables import rows_of
from exprgrad.errors import BindingError
from exprgrad.language import inputs


def columns_of(source: Table) -> dict[str, list[float]]:
    """The columns of a table as numbers, by their names in expressions.

    `BindingError` is raised when one that holds text is used.
    """
    names = [*map(inputs.normal, source.format.names)]
    columns: dict[str, list[float]] = {name: [] for name in names}
    texts: dict[str, BindingError] = {}
    for row, cells in rows_of(source):
        for name, cell in zip(names, cells, strict=True):
            columns[name].append(_number(cell, name, row, texts))
    return Columns(columns, texts)


class Columns(dict[str, list[float]]):
    """Columns by name; asking for one with a cell that is not a number is an error."""

    def __init__(
        self, columns: Mapping[str, list[float]], faults: Mapping[str, BindingError]
    ) -> None:
        super().__init__(columns)
        self._faults = faults

    def __getitem__(self, name: str) -> list[float]:
        if name in self._faults:
            raise self._faults[name]
        return super().__getitem__(name)


def _number(cell: Any, name: str, row: int, faults: dict[str, BindingError]) -> float:
    number = finite(cell)
    if number is not None:
        return number
    empty = cell is None or not str(cell).strip()
    what = "is empty" if empty else f"is not a number: {str(cell)[:40]!r}"
    error = BindingError(
        f"column {name!r}: the cell of row {row} {what}",
        hint="give a finite number, or leave out the row",
    )
    faults.setdefault(name, error)
    return math.nan
