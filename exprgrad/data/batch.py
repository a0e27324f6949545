"""An expression over the rows of a table: values and partial derivatives as further columns.

    with opened("points.csv") as source:
        wanted = plan(parse("a*b + v^2"), source.format.names, {"b": 2.0}, {"v": "speed"})
        for part in run(wanted, source):
            write(part.piece)

Rows come in chunks, so memory does not grow with the file. A row with a cell that is not a number, and one
at which a value or a derivative does not exist, get an entry in the column `error`; the others go on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from exprgrad.compiled.compiled import Compiled
from exprgrad.data.formats import Cell, Chunk, Results, Table, TableFormat
from exprgrad.data.processes import in_order
from exprgrad.errors import BindingError, ExprgradError, Hint, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.points import no_column
from exprgrad.sweeps.gradient import no_slope


class Fault(NamedTuple):
    """A row that lacks results: its number, from 1, the column if one is to blame, and why."""

    row: int
    column: str | None
    error: ExprgradError


class Plan(NamedTuple):
    """What is computed, and where its numbers come from: a column, or a constant."""

    compiled: Compiled
    columns: tuple[str | None, ...]
    constants: tuple[float, ...]
    names: tuple[str, ...]
    digits: int | None


class Part(NamedTuple):
    """A chunk with its results, as the format writes it; how many rows it has, and which have faults."""

    piece: Any
    rows: int
    faults: list[Fault]


def plan(
    expression: Expression,
    columns: Sequence[str],
    constants: Mapping[str, float],
    mapping: Mapping[str, str],
    wrt: Iterable[str] | None = None,
    *,
    digits: int | None = None,
    prefix: str = "",
) -> Plan:
    """Where each variable's numbers come from, and what the new columns are called.

    `mapping` gives the columns of variables whose columns have other names. Without `wrt`, derivatives
    are with respect to all variables that come from columns. Raises `BindingError` and, for arrays too,
    `UsageError`.
    """
    expression.refuse_arrays(constants)
    sources = _sources(expression, columns, constants, mapping)
    varying = [
        n for n, s in zip(expression.variables, sources, strict=True) if s is not None
    ]
    compiled = expression.compile(varying if wrt is None else wrt)
    names = (f"{prefix}value", *(f"{prefix}d_{name}" for name in compiled.wrt))
    taken = next((name for name in (*names, "error") if name in columns), None)
    if taken is not None:
        raise UsageError(
            f"the data has a column named {taken!r} already",
            hint="rename it" if taken == "error" else Hint("column_taken"),
        )
    numbers = tuple(constants.get(name, 0.0) for name in expression.variables)
    return Plan(compiled, tuple(sources), numbers, names, digits)


def _sources(
    expression: Expression,
    columns: Sequence[str],
    constants: Mapping[str, float],
    mapping: Mapping[str, str],
) -> list[str | None]:
    """The column of each variable; None for one that is constant."""
    for name, chosen in mapping.items():
        if chosen not in columns:
            raise no_column(chosen, columns)
        if name not in expression.variables:
            raise expression.no_variable(name)
    sources: list[str | None] = []
    for name in expression.variables:
        column = mapping.get(name, name if name in columns else None)
        if column is not None and name in constants:
            raise BindingError(
                f"{name} has a value of its own and the column {column!r}",
                hint=Hint("one_source", name=name),
            )
        if column is None and name not in constants:
            raise _no_source(expression, name, columns)
        sources.append(column)
    return sources


def _no_source(
    expression: Expression, name: str, columns: Sequence[str]
) -> BindingError:
    span = expression.tape.nodes[expression.tape.variables[name]].span
    return no_column(name, columns, "column_or_value", span, expression.source)


def run(plan: Plan, source: Table, jobs: int = 1) -> Iterator[Part]:
    """The chunks of the table with their results, in order, computed by so many processes."""
    return in_order(partial(_work, plan), source.chunks(), jobs)


def _work(plan: Plan, item: tuple[TableFormat, Chunk]) -> Part:
    return computed(plan, *item)


def computed(plan: Plan, form: TableFormat, chunk: Chunk) -> Part:
    """One chunk with its results."""
    given = [column for column in plan.columns if column is not None]
    cells = form.cells(chunk.rows, [form.names.index(column) for column in given])
    faults: dict[int, Fault] = {}
    read = {
        column: _numbers(column, own, chunk.first, faults)
        for column, own in zip(given, cells, strict=True)
    }
    count = len(chunk.rows)
    columns = [
        [constant] * count if column is None else read[column]
        for column, constant in zip(plan.columns, plan.constants, strict=True)
    ]
    results, wrong = _evaluated(plan.compiled, columns, count, set(faults))
    texts = [_texts(column, plan.digits) for column in results]
    for row, error in wrong.items():
        faults.setdefault(row, Fault(chunk.first + row, None, error))
    for row in faults:
        for text, column in zip(texts, results, strict=True):
            text[row] = text[row] if math.isfinite(column[row]) else ""
    errors = {row: _message(fault) for row, fault in faults.items()}
    piece = form.piece(chunk.rows, Results(plan.names, texts, errors))
    return Part(piece, count, [faults[row] for row in sorted(faults)])


def _numbers(
    column: str, cells: list[Cell], first: int, faults: dict[int, Fault]
) -> list[float]:
    """The cells as floats; nan for one that is not a number, with a fault for its row."""
    try:
        return list(map(float, cells))
    except (TypeError, ValueError, OverflowError):
        pass
    numbers = []
    for row, cell in enumerate(cells):
        try:
            numbers.append(float(cell))
        except (TypeError, ValueError, OverflowError):
            numbers.append(math.nan)
            if row not in faults:
                faults[row] = Fault(first + row, column, _not_a_number(cell))
    return numbers


def _not_a_number(cell: Cell) -> BindingError:
    if cell is None:
        return BindingError("the row has too few cells, or too many")
    if isinstance(cell, str) and not cell.strip():
        return BindingError("the cell is empty")
    text = str(cell)
    return BindingError(f"{text[:40]!r} is not a number")


def _message(fault: Fault) -> str:
    where = f"column {fault.column}: " if fault.column else ""
    return f"{where}{fault.error.message}"


def _evaluated(
    compiled: Compiled, columns: list[list[float]], count: int, skipped: set[int]
) -> tuple[list[list[float]], dict[int, ExprgradError]]:
    """Value and partials by column, and the errors by row; `skipped` rows, already at fault, are left out."""
    own: list[Any] = columns
    keep = range(count)
    if skipped:
        keep = [row for row in range(count) if row not in skipped]  # type: ignore[assignment] # rows to compute
        own = [[column[row] for row in keep] for column in columns]
    found, wrong = _rows(compiled, own, len(keep))
    if skipped:
        spread = [[math.nan] * count for _ in found]
        for target, column in zip(spread, found, strict=True):
            for row, number in zip(keep, column, strict=True):
                target[row] = number
        found, wrong = spread, {keep[row]: error for row, error in wrong.items()}
    return found, wrong


def _rows(
    compiled: Compiled, columns: list[list[float]], count: int
) -> tuple[list[list[float]], dict[int, ExprgradError]]:
    """All rows at once if NumPy is installed, else one by one."""
    try:
        import numpy as np
    except ImportError:
        return _one_by_one(compiled, columns, count)
    if not columns or not count:
        return _one_by_one(compiled, columns, count)
    rows = compiled.arrays(*[np.array(column, np.float64) for column in columns])
    results = [rows.value, *rows.gradient]
    return [(column + 0.0).tolist() for column in results], rows.faults


def _one_by_one(
    compiled: Compiled, columns: list[list[float]], count: int
) -> tuple[list[list[float]], dict[int, ExprgradError]]:
    results = [[math.nan] * count for _ in (None, *compiled.wrt)]
    wrong: dict[int, ExprgradError] = {}
    for row in range(count):
        try:
            value, gradient = compiled(*[column[row] for column in columns])
        except ExprgradError as error:
            wrong[row] = error
            continue
        if None in gradient:
            wrong[row] = no_slope(compiled.wrt, gradient)
        for column, number in zip(results, (value, *gradient), strict=True):
            column[row] = math.nan if number is None else number + 0.0
    return results, wrong


def _texts(column: list[float], digits: int | None) -> list[str]:
    """Numbers as text: in full, or with so many digits; whole numbers without a point."""
    if not column:
        return []
    if digits is not None:
        return [f"{number:.{digits}g}" for number in column]
    # in one pass over the joined text: a test for each number would take as long as writing it
    joined = ",".join(map(repr, column)) + ","
    return joined.replace(".0,", ",")[:-1].split(",")
