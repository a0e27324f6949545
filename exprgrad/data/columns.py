"""The columns of a table as numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from exprgrad.data.formats import Table
from exprgrad.errors import BindingError


def columns_of(source: Table) -> dict[str, list[float]]:
    """The columns of a table as numbers; one with text has none. Raises `BindingError` on use."""
    names = source.format.names
    columns: dict[str, list[float]] = {name: [] for name in names}
    texts: dict[str, BindingError] = {}
    for form, chunk in source.chunks():
        for name, cells in zip(
            names, form.cells(chunk.rows, range(len(names))), strict=True
        ):
            for row, cell in enumerate(cells, chunk.first):
                columns[name].append(_number(cell, name, row, texts))
    return Columns(columns, texts)


class Columns(dict[str, list[float]]):
    """Columns by name; one with a cell that is no number is an error when it is asked for."""

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
    try:
        number = float(cell)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number) and name not in faults:
        what = "is empty" if cell is None or not str(cell).strip() else "is no number"
        shown = "" if what == "is empty" else f", {str(cell)[:40]!r},"
        faults[name] = BindingError(
            f"column {name!r}: the cell of row {row}{shown} {what}",
            hint="give a finite number, or leave out the row",
        )
    return number
