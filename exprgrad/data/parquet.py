"""Tables in Parquet files, where pyarrow is installed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from exprgrad.annotations import Any, BinaryIO
from exprgrad.data.formats import (
    Beyond,
    Cell,
    Chunk,
    Column,
    Results,
    TableFormat,
    column_of,
)
from exprgrad.errors import UsageError, installing

ROWS = 65536
"""Rows of a chunk."""


class ParquetTable:
    """A table in a Parquet file."""

    def __init__(self, raw: BinaryIO, origin: str) -> None:
        try:
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
        except ImportError:
            raise UsageError(
                "Parquet files need pyarrow",
                hint=f"{installing('tables')}, or give a CSV file",
            ) from None
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
        first = 1
        groups = None if self.group is None else [self.group]
        for batch in self._file.iter_batches(ROWS, groups):
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
        import pyarrow

        if digits is not None:
            numbers = [float(f"{number:.{digits}g}") for number in numbers]
        own = np.asarray(numbers, float)
        none = np.zeros(len(own), bool)
        none[list(faults)] = True
        return pyarrow.array(own, pyarrow.float64(), mask=none & ~np.isfinite(own))

    def piece(self, rows: Any, results: Results) -> Any:
        """A record batch with the results as columns."""
        import pyarrow

        batch = rows
        for name, column in zip(results.names, results.columns, strict=True):
            batch = batch.append_column(name, column)
        errors = pyarrow.nulls(len(rows), pyarrow.string())
        if results.errors:
            texts = [results.errors.get(i) for i in range(len(rows))]
            errors = pyarrow.array(texts, pyarrow.string())
        return batch.append_column("error", errors)


def _stored(column: Any) -> Column:
    """An Arrow array as a column, without a Python object for each number of the machine."""
    from pyarrow import float64, types

    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind)):
        return column_of(column.to_pylist())
    numbers = column.cast(float64(), safe=False).to_numpy(zero_copy_only=False)
    empty = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else []
    bad = [row for row, none in enumerate(empty) if none]
    return Column(numbers, bad, lambda row: column[row].as_py(), None)


class RecordWriter:
    """Writes record batches; the first one defines the columns."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._writer: Any = None

    def write(self, batch: Any) -> None:
        """Add a record batch."""
        from pyarrow.parquet import ParquetWriter

        if self._writer is None:
            self._writer = ParquetWriter(self._stream, batch.schema)
        self._writer.write_batch(batch)

    def close(self) -> None:
        """Write what stands at the end of the file."""
        if self._writer is not None:
            self._writer.close()
