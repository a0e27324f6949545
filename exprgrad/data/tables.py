"""Tables in files of lines, read a chunk of rows at a time: CSV, TSV, JSON Lines, each also gzipped.

Tables in Parquet files, where pyarrow is installed.

Tables in files: opened by their names, read a chunk of rows at a time or whole, and written.

The columns of a table as numbers.
"""

from __future__ import annotations

import codecs
import gzip
import io
import math
import os
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import chain, islice
from pathlib import Path

from exprgrad.annotations import Any, BinaryIO
from exprgrad.budget import at_most
from exprgrad.data import dialect, files
from exprgrad.data.formats import (
    Beyond,
    Cell,
    Chunk,
    Column,
    Delimited,
    JsonLines,
    Results,
    Table,
    TableFormat,
    column_of,
    finite,
    with_dot,
)
from exprgrad.errors import BindingError, UsageError, needing
from exprgrad.language import inputs

ROWS = 8192
"""Rows of a chunk that is read cell by cell."""

BLOCK = 1 << 20
"""Bytes of a block, about."""

LARGEST_BLOCK = 1 << 23
"""Bytes that may have to be read until a row ends, where a quote is open."""


class TextTable:
    """A table in a file of lines.

    `begin` is the place of its first row in the file, None where it cannot be cut into ranges of bytes.
    """

    def __init__(self, raw: BinaryIO, origin: str, kind: str, zipped: bool) -> None:
        self._raw, self._origin, self._kind = raw, origin, kind
        self._plain: Any = gzip.GzipFile(fileobj=raw) if zipped else raw
        self._left: int | None = None
        self._first, self._is_small = 1, True
        self.size = _size(raw)
        self._blocks = self._whole_lines()
        with _readable(self._origin):
            self._data = next(self._blocks, b"")
            given = len(self._data)
            # Spreadsheets put a byte order mark before UTF-8, too; it is no part of the first name.
            mark = len(codecs.BOM_UTF8) * self._data.startswith(codecs.BOM_UTF8)
            while self._data[mark:].isspace():
                self._data, mark = next(self._blocks, b""), 0
                given += len(self._data)
            lines = io.StringIO(self._data[mark:].decode(), newline="")
            head = next((line for line in lines if line.strip()), "")
            self._data = lines.read().encode()
            self.format = self._format(head)
        if kind == "jsonl":
            self._data = head.encode() + self._data
        can_be_cut = self.size and not zipped and kind != "jsonl"
        can_be_cut = can_be_cut and head.endswith("\n")
        self.begin = given - len(self._data) if can_be_cut else None

    def restrict(self, begin: int, end: int, first: int) -> None:
        """Read only the rows in these bytes of the file, which begin and end with one; `first` is the number of the first."""
        self._raw.seek(begin)
        self._left, self._data, self._first = end - begin, b"", first
        self._blocks = self._whole_lines()

    @property
    def position(self) -> int:
        """Bytes of the file that have been read."""
        try:
            return self._raw.tell()
        except OSError:
            return 0

    def chunks(self) -> Iterator[tuple[TableFormat, Chunk]]:
        """The rows, each chunk with its format, since quotes may turn up late in a file."""
        with _readable(self._origin):
            for form, rows in self._parts():
                if rows:
                    yield form, Chunk(self._first, rows)
                self._first += len(rows)

    def _parts(self) -> Iterator[tuple[TableFormat, Any]]:
        """The rows in blocks of bytes, as long as no quote is out of place; cell by cell from there on."""
        form: Any = self.format
        blocks, data = chain([self._data], self._blocks), b""
        if not isinstance(form, Delimited):
            for part in blocks:
                texts = [text for line in _lines(part) if (text := line.rstrip("\r\n"))]
                yield form, [(text, form.parsed(text)) for text in texts]
            return
        block: Any = None
        # of a small table the import of pyarrow would take most of the time
        if not self._is_small:
            with suppress(ImportError):
                from exprgrad.data.arrow_text import Lines, block

                fast = Lines(form.names, form.delimiter)
        for more in blocks:
            data += more
            rows, end = None, len(data)
            if block is not None:
                rows, end = block(data, form.delimiter, len(form.names))
            if rows:
                yield fast, rows
            # Without a quote every line is a row, so that blocks behind this one may be quick again.
            elif end and b'"' not in data:
                yield from self._cells(_lines(data[:end]))
            # A quote is out of place, or open: only one reader of all that follows can tell which line breaks end
            # rows.
            elif end or len(data) > LARGEST_BLOCK:
                break
            data = data[end:]
        rest = chain([data], blocks)
        yield from self._cells(line for part in rest for line in _lines(part))

    def _whole_lines(self) -> Iterator[bytes]:
        """Blocks of bytes that end with a line. Raises `UsageError` for a line without end."""
        data = b""
        while more := self._plain.read(
            BLOCK if self._left is None else min(BLOCK, self._left)
        ):
            self._left = None if self._left is None else self._left - len(more)
            self._is_small &= len(more) < BLOCK
            data += more
            end = data.rfind(b"\n") + 1
            hint = "a table has one row on every line"
            # A file that has no line breaks must not be read into memory as one row.
            at_most("row", len(data) - end, self._origin, hint=hint)
            if end:
                yield data[:end]
                data = data[end:]
        if data:
            yield data

    def _cells(self, lines: Iterable[str]) -> Iterator[tuple[TableFormat, Any]]:
        """Rows cell by cell."""
        form: Any = self.format
        taken: list[str] = []
        last = ""

        def read() -> Iterator[str]:
            for line in lines:
                taken.append(line)
                yield line

        def typed() -> Iterator[tuple[str, list[str]]]:
            """The rows that are not empty, each as it was typed and in cells."""
            nonlocal last
            for row in dialect.reader(read(), form.delimiter):
                if row:
                    yield "".join(taken).rstrip("\r\n"), row
                    last = taken[-1]
                taken.clear()

        reader = typed()
        while rows := list(islice(reader, ROWS)):
            # the last cell of a file runs on to its end, line break included, if its quote is not closed
            end, cell = last.replace('""', '"'), rows[-1][1][-1]
            is_open = "\n" in cell and (cell.endswith(end) or end.endswith(cell))
            if len(rows) < ROWS and is_open:
                raise UsageError(
                    f"{self._origin}: a quote in row {self._first - 1 + len(rows)} is never closed",
                    hint='close it; a quote inside a cell is written twice, ""',
                )
            yield form, rows

    def _format(self, head: str) -> TableFormat:
        if not head:
            hint = "its first line names the columns"
            raise UsageError(f"{self._origin} is empty", hint=hint)
        if self._kind == "jsonl":
            form = JsonLines([])
            form.names = names = list(form.parsed(head))
            if not names:
                what = f"the first line of {self._origin} is not a JSON object"
                raise UsageError(what, hint="give one object per line")
            return form
        if head.lstrip().startswith(('{"', "[{", "{\n", "[\n")):
            hint = "give one object per line, in a file named .jsonl"
            raise UsageError(f"{self._origin} is JSON, not cells", hint=hint)
        found, delimiter = dialect.head_of(head)
        if self._kind == "tsv":
            found, delimiter = dialect.cells(head, "\t"), "\t"
        names = [name.strip() for name in found]
        _tell_apart(names, self._origin)
        return Delimited(names, delimiter)


def _tell_apart(names: Sequence[str], origin: str) -> None:
    """Refuse columns that have the same name."""
    counts = Counter(names)
    for name in names:
        if counts[name] > 1:
            what = f"{origin} has two columns named {name!r}"
            raise UsageError(what, hint="rename one of them")


def _lines(data: bytes) -> Iterable[str]:
    """The lines of some bytes, with their line breaks."""
    return io.StringIO(data.decode(), newline="")


@contextmanager
def _readable(origin: str) -> Iterator[None]:
    """Turn what goes wrong while a file is read into a diagnostic."""
    try:
        yield
    except UnicodeDecodeError:
        what = f"{origin} is not text in UTF-8"
        raise UsageError(what, hint="save it as UTF-8") from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        what = f"{origin} is not a whole gzip file"
        raise UsageError(what, hint="copy it again") from None
    except dialect.Unreadable as error:
        raise UsageError(f"{origin} cannot be read: {error}") from None


def _size(raw: BinaryIO) -> int | None:
    try:
        # A pipe has the size 0.
        return os.fstat(raw.fileno()).st_size or None
    except (OSError, io.UnsupportedOperation):
        return None


PARQUET_ROWS = 65536
"""Rows of a chunk."""


class ParquetTable:
    """A table in a Parquet file."""

    def __init__(self, raw: BinaryIO, origin: str) -> None:
        with needing("Parquet files need pyarrow", "tables", ", or give a CSV file"):
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
        try:
            self._file = ParquetFile(raw)
        except (ArrowException, OSError) as error:
            raise UsageError(f"{origin} is not a Parquet file: {error}") from None
        self.format: TableFormat = Records(list(self._file.schema_arrow.names))
        self.size: int | None = None
        self.position = 0
        self.groups = int(self._file.num_row_groups)
        self.group: int | None = None

    def chunks(self) -> Iterator[tuple[TableFormat, Chunk]]:
        """The record batches of the file, or of the row group that is chosen."""
        from pyarrow import RecordBatch

        first = 1
        groups = None if self.group is None else [self.group]
        # without rows, a file still gets its columns
        none = RecordBatch.from_pylist([], self._file.schema_arrow)
        for batch in chain([none], self._file.iter_batches(PARQUET_ROWS, groups)):
            yield self.format, Chunk(first, batch)
            first += len(batch)


class Records(TableFormat):
    """Record batches, by column."""

    has_decimals = False

    def cells(self, rows: Any, indexes: Sequence[int]) -> list[list[Cell]]:
        """These columns of a record batch."""
        return [rows.column(i).to_pylist() for i in indexes]

    def stored(self, rows: Any, indexes: Sequence[int]) -> list[Column]:
        """These columns of a record batch, without a Python object for every number."""
        return [_stored(rows.column(i)) for i in indexes]

    def column(
        self, numbers: Any, digits: int | None, faults: Collection[int], beyond: Beyond
    ) -> Any:
        """An array of doubles, null in rows of `faults` without a finite number."""
        import numpy as np

        from exprgrad.data.arrow_text import doubles

        if digits is not None:
            numbers = [float(f"{number:.{digits}g}") for number in numbers]
        own = np.asarray(numbers, float)
        none = np.zeros(len(own), bool)
        none[list(faults)] = True
        return doubles(own, none & ~np.isfinite(own))

    def piece(self, rows: Any, results: Results) -> Any:
        """A record batch with the results as columns."""
        from exprgrad.data.arrow_text import strings

        batch = rows
        for name, column in zip(results.names, results.columns, strict=True):
            batch = batch.append_column(name, column)
        errors = strings([results.errors.get(i) for i in range(len(rows))])
        return batch.append_column("error", errors)


def _stored(column: Any) -> Column:
    """An Arrow array as a column, without a Python object for each number of the machine."""
    from pyarrow import types

    from exprgrad.data.arrow_text import to_doubles

    kind = column.type
    # a double does not store 1.10, nor every whole number of 17 digits, such as a time in nanoseconds
    is_wide = types.is_integer(kind) and (abs(to_doubles(column)) >= 2**53).any()
    if is_wide or types.is_decimal(kind):
        return column_of(column.cast("string").to_pylist())
    if not (types.is_integer(kind) or types.is_floating(kind)):
        return column_of(column.to_pylist())
    numbers, bad = to_doubles(column), []
    if column.null_count:
        bad = [row for row, none in enumerate(column.is_null().to_pylist()) if none]
        numbers = numbers.copy()
        numbers[bad] = math.nan
    return Column(numbers, bad, lambda row: column[row].as_py(), None)


FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet",
}  # fmt: skip


@contextmanager
def opened(
    path: str, stream: BinaryIO | None = None, kind: str | None = None
) -> Iterator[Table]:
    """The table in a file, or in a stream of bytes if there is one; `kind` is its format.

    Raises `UsageError` if it cannot be read.
    """
    found, zipped = kind_of(path, kind)
    origin = path if stream is None else "standard input"
    with nullcontext(stream) if stream else files.opened(Path(path)) as raw:
        if found == "parquet":
            yield ParquetTable(raw, origin)
        else:
            yield TextTable(raw, origin, found, zipped)


def kind_of(path: str, chosen: str | None, usual: str = "csv") -> tuple[str, bool]:
    """The format of a file as chosen, or by its name if that says one, and whether it is zipped."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    ending = (suffixes[:-1] if zipped else suffixes)[-1:]
    return chosen or FORMATS.get("".join(ending), usual), zipped


def is_text(table: Table) -> bool:
    """Return whether a table is written as text, which a terminal and a pipe can take."""
    return not isinstance(table.format, Records)


@contextmanager
def written(
    table: Table, path: Path, *sources: Path | int
) -> Iterator[Callable[[Any], object]]:
    """Give a function that takes the pieces of a table for a file, which appears when all are written.

    The file is zipped if its name says so. `sources` are the files that are read. Raises `UsageError` when it cannot be
    written.
    """
    with ExitStack() as stack:
        stream: Any = stack.enter_context(files.Replacing(path, *sources))
        if kind_of(str(path), None)[1]:
            # no time and no name in the file: the same input gives the same bytes
            stream = stack.enter_context(gzip.GzipFile("", "wb", 6, stream, 0))
        if is_text(table):
            yield lambda text: stream.write(
                text.encode() if isinstance(text, str) else text
            )
            return

        from pyarrow.parquet import ParquetWriter

        # the first record batch defines the columns
        writers: list[Any] = []

        def write(batch: Any) -> None:
            if not writers:
                writers.append(ParquetWriter(stream, batch.schema))
            writers[0].write_batch(batch)

        yield write
        for writer in writers:
            writer.close()


def rows_of(
    table: Table, indexes: Sequence[int] | None = None
) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    """The cells of each row in these columns, or in all, with the number of the row."""
    chosen = range(len(table.format.names)) if indexes is None else indexes
    for form, chunk in table.chunks():
        rows = zip(*form.cells(chunk.rows, chosen), strict=True)
        yield from enumerate(rows, chunk.first)


def matrix(path: str) -> list[Any]:
    """The numbers of a file: a list of rows, or a list of numbers if there is one row or one column.

    A first line that holds something else is taken for names. Raises `UsageError`.
    """
    with opened(path) as source:
        form = source.format
        rows = [row for _, row in rows_of(source)]
        head = [] if any(finite(name) is None for name in form.names) else [form.names]
    found = [[finite(cell) for cell in row] for row in [*head, *rows]]
    for i, row in enumerate(found, 1):
        if None in row:
            column = form.names[row.index(None)]
            what = f"{path}: row {i} has no finite number in column {column!r}"
            raise UsageError(what)
    if not found:
        raise UsageError(f"{path} has no numbers")
    # One column or one row is a vector, whichever way it was typed.
    if len(found[0]) == 1:
        return [row[0] for row in found]
    return found[0] if len(found) == 1 else found


def columns_of(source: Table) -> dict[str, list[float]]:
    """The columns of a table as numbers, by their names in expressions.

    Raises `UsageError` where two have the same name there, x1 and x₁; `BindingError` is raised when one that holds
    text is used.
    """
    names = [*map(inputs.normal, source.format.names)]
    _tell_apart(names, "the table")
    columns: dict[str, list[float]] = {name: [] for name in names}
    # A column of words, such as names, does no harm as long as no formula asks for it.
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
    hint = with_dot(cell) or "give a finite number, or leave out the row"
    error = BindingError(f"column {name!r}: the cell of row {row} {what}", hint=hint)
    faults.setdefault(name, error)
    return math.nan
