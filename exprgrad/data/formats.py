"""Formats of tables: rows taken apart into cells, and written with results behind them.

A format knows the names of the columns. It is small and can be sent to another process.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache

from exprgrad.annotations import Any, NamedTuple, Protocol
from exprgrad.data import dialect
from exprgrad.errors import Hint, UsageError

Cell = Any
"""What stands in a cell: text, a number, or None."""


def finite(cell: Cell) -> float | None:
    """The number in a cell; None if it is something else, or not finite."""
    try:
        number = float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def with_dot(cell: Cell) -> str:
    """Return how to write a number that was typed with a decimal comma, such as 1,5; empty for anything else."""
    text = str(cell).strip().replace(",", ".")
    return "" if finite(text) is None else f"the decimal point is a dot: {text}"


class Chunk(NamedTuple):
    """Some rows as their format reads them; `first` is the number of the first, from 1."""

    first: int
    rows: Any


# 15 digits and a point: no two decimals of so few digits have the same double.
LONG = 16
"""Characters of a text that may be a decimal close to a short one."""


LONGEST = 400
"""Characters of a cell that is read to the last digit."""


SHORTEST = 5
"""A decimal with no more characters is 0 where its double is."""


def is_zero(text: str | None) -> bool:
    """Return whether a decimal whose double is 0 is 0 itself: 0.000, and not 1e-400."""
    digits = (text or "").lower().partition("e")[0]
    return not any("1" <= letter <= "9" for letter in digits)


class Column(NamedTuple):
    """The cells of a column as doubles, nan in the rows that are `bad`, whose cell is not a number.

    `cell` gives what stands in a row, a number that was typed as text. Rows that are `long` may hold a decimal that is
    close to a short one; `long` is None where doubles are stored, which mean themselves.
    """

    numbers: Any
    bad: Sequence[int]
    cell: Callable[[int], Cell]
    long: Sequence[int] | None

    def number(self, row: int) -> Any:
        """The number that is meant: text is a decimal, a double the number that it stores."""
        number, text = float(self.numbers[row]), self.cell(row)
        if self.long is None or not isinstance(text, str) or number != number or len(text) > LONGEST:  # fmt: skip
            return number
        exact = Decimal(text.strip())
        return exact if exact and exact.is_finite() else number


def column_of(cells: Sequence[Cell]) -> Column:
    """A column of cells that were read one by one."""
    numbers, bad = floats(cells)
    if not any(isinstance(cell, str) for cell in cells):
        return Column(numbers, bad, cells.__getitem__, None)
    long = [
        row
        for row, cell in enumerate(cells)
        if isinstance(cell, str)
        and (len(cell) > LONG or (numbers[row] == 0 and not is_zero(cell)))
    ]
    return Column(numbers, bad, cells.__getitem__, long)


def floats(cells: Sequence[Cell]) -> tuple[list[float], list[int]]:
    """Cells as floats, nan for one that is not a number, and where those are."""
    with suppress(TypeError, ValueError, OverflowError):
        return list(map(float, cells)), []
    numbers: list[float] = []
    bad: list[int] = []
    for row, cell in enumerate(cells):
        try:
            numbers.append(float(cell))
        except (TypeError, ValueError, OverflowError):
            numbers.append(math.nan)
            bad.append(row)
    return numbers, bad


Beyond = Mapping[int, str]
"""The numbers of a column that are beyond the range of doubles, as decimals by row."""


class Results(NamedTuple):
    """The columns that are put behind the rows of a chunk: a column per name, as the format writes it, and errors by row.

    `beyond` has the numbers of each column that are beyond the range of doubles.
    """

    names: tuple[str, ...]
    columns: list[Any]
    errors: dict[int, str]
    beyond: Sequence[Beyond]


def texts(
    column: Sequence[float],
    digits: int | None,
    faults: Collection[int],
    beyond: Beyond = {},  # noqa: B006 # nothing is put into it
) -> list[str]:
    """Numbers as text: in full, or with so many digits; whole numbers without a point.

    A text is empty in a row of `faults` that has no finite number, and the decimal in one of `beyond`.
    """
    if digits is not None:
        found = [f"{number:.{digits}g}" for number in column]
    else:
        # in one pass over the joined text: a test for each number would take as long as writing it
        joined = ",".join(map(repr, column)) + ","
        found = joined.replace(".0,", ",")[:-1].split(",") if column else []
    for row in faults:
        if not math.isfinite(column[row]):
            found[row] = ""
    for row, text in beyond.items():
        found[row] = text
    return found


class TableFormat:
    """The way rows are taken apart and written; `has_decimals` where a number beyond the range of doubles can be written.

    `missing` says what is wrong where `cells` gives None.
    """

    has_decimals = True
    missing = "the cell is empty"

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def cells(self, rows: Any, indexes: Sequence[int]) -> list[list[Cell]]:
        """These columns of the rows; a row that lacks a cell has None there."""
        raise NotImplementedError

    def stored(self, rows: Any, indexes: Sequence[int]) -> list[Column]:
        """The same as numbers."""
        return [*map(column_of, self.cells(rows, indexes))]

    def wrong(self, cell: Cell) -> str:
        """Return what is wrong with a cell that is not a number."""
        if cell is None or not str(cell).strip():
            return self.missing if cell is None else TableFormat.missing
        told, dotted = f"{str(cell)[:40]!r} is not a number", with_dot(cell)
        return f"{told}; {dotted}" if dotted else told

    def column(
        self, numbers: Any, digits: int | None, faults: Collection[int], beyond: Beyond
    ) -> Any:
        """A column of results as it is written; empty in rows of `faults` without a finite number."""
        own = numbers if isinstance(numbers, list) else numbers.tolist()
        return texts(own, digits, faults, beyond)

    def header(self, more: Sequence[str]) -> str:
        """Return what stands before the rows, with the names of more columns."""
        return ""

    def piece(self, rows: Any, results: Results) -> Any:
        """The rows with their results, for the file: text that ends with a line break, perhaps in UTF-8, or a table."""
        raise NotImplementedError


class Table(Protocol):
    """An open table: its format, its rows, and how much of it has been read, in bytes."""

    format: TableFormat
    size: int | None

    @property
    def position(self) -> int:
        """Bytes that have been read."""

    def chunks(self) -> Iterator[tuple[TableFormat, Chunk]]:
        """The rows, in order, each chunk with the format that it is in."""


class Delimited(TableFormat):
    """Cells between delimiters; a row is a text, as it was typed, and its cells."""

    missing = "the row has too few cells, or too many"

    def __init__(self, names: list[str], delimiter: str) -> None:
        super().__init__(names)
        self.delimiter = delimiter

    def cells(self, rows: Any, indexes: Sequence[int]) -> list[list[Cell]]:
        """These columns of the rows."""
        parts, width = [cells for _, cells in rows], len(self.names)
        if set(map(len, parts)) != {width}:
            none = [None] * width
            # in a row that is too long, nobody knows which cell is which
            parts = [(p + none)[:width] if len(p) <= width else none for p in parts]
        return [[part[i] for part in parts] for i in indexes]

    def header(self, more: Sequence[str]) -> str:
        """The line of names."""
        return dialect.line([*self.names, *more], self.delimiter) + "\n"

    def piece(self, rows: Any, results: Results) -> str:
        """The rows as they were, with the results behind them; one that lacks cells filled up, one with too many cut."""
        errors, width = [""] * len(rows), len(self.names)
        for row, message in results.errors.items():
            errors[row] = dialect.line([message], self.delimiter) if message else ""
        texts = [
            dialect.first_cells(text, self.delimiter, width)
            if len(cells) > width
            else text + self.delimiter * (width - len(cells))
            for text, cells in rows
        ]
        lines = zip(texts, *results.columns, errors, strict=True)
        return "\n".join(map(self.delimiter.join, lines)) + "\n"


class JsonLines(TableFormat):
    """One JSON object per line, with columns as keys; the table has the columns of the first line."""

    missing = "the line has no value for this key, or is not a JSON object"

    def parsed(self, line: str) -> dict[str, Any]:
        """The object of a line, its numbers as text; an empty one if the line is something else."""
        line = line.strip(" \t\r\n")
        try:
            found, end = _decoder()(line)
        except (ValueError, RecursionError):  # not JSON, or brackets nested without end
            return {}
        return found if isinstance(found, dict) and end == len(line) else {}

    def cells(self, rows: Any, indexes: Sequence[int]) -> list[list[Cell]]:
        """These columns of the rows, numbers as they are written; a line that is not an object has none."""
        return [[one.get(self.names[i]) for _, one in rows] for i in indexes]

    def piece(self, rows: Any, results: Results) -> str:
        """The objects as they were, with their results as further keys. Raises `UsageError` for a key that is taken."""
        from json import dumps

        names = (*results.names, "error")
        columns = []
        given = zip(results.names, results.columns, results.beyond, strict=True)
        for name, column, beyond in given:
            columns.append(own := [number or "null" for number in column])
            for row, text in beyond.items():
                own[row] = f'null, "{name}_text": "{text}"'
        errors = ["null"] * len(rows)
        for row, message in results.errors.items():
            errors[row] = dumps(message, ensure_ascii=False)
        # one pattern for all rows
        plain = (name.replace("%", "%%") for name in names)
        form = ", ".join(f'"{name}": %s' for name in plain)
        lines = []
        for (text, fields), *own in zip(rows, *columns, errors, strict=True):
            if fields and not fields.keys().isdisjoint(names):
                taken = next(name for name in fields if name in names)
                what = f"a row of the data has a key {taken!r} already"
                raise UsageError(what, hint=Hint("column_taken"))
            start = f"{text.rstrip()[:-1]}, " if fields else "{"
            lines.append(f"{start}{form % (*own,)}}}")
        return "\n".join(lines) + "\n"


@cache
def _decoder() -> Callable[[str], tuple[Any, int]]:
    from json import JSONDecoder

    # Numbers stay texts, as they do in CSV: 1e400 is no infinity, and 0.1 is 1/10.
    return JSONDecoder(parse_float=str, parse_int=str).raw_decode
