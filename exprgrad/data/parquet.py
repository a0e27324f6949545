"""Tables in Parquet files, where pyarrow is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exprgrad.annotations import Any, BinaryIO
from exprgrad.data.formats import Cell, Chunk, Results, TableFormat
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
                hint=f"{installing('parquet')}, or give a CSV file",
            ) from None
        try:
            self._file = ParquetFile(raw)
        except (ArrowException, OSError) as error:
            raise UsageError(f"{origin} is not a Parquet file: {error}") from None
        self.format: TableFormat = Records(list(self._file.schema_arrow.names))
        self.size: int | None = None
        self.position = 0

    def chunks(self) -> Iterator[tuple[TableFormat, Chunk]]:
        """The record batches of the file."""
        first = 1
        for batch in self._file.iter_batches(ROWS):
            yield self.format, Chunk(first, batch)
            first += len(batch)


class Records:
    """Record batches, by column."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def cells(self, rows: Any, indexes: Sequence[int]) -> list[list[Cell]]:
        """These columns of a record batch."""
        return [rows.column(i).to_pylist() for i in indexes]

    def header(self, more: Sequence[str]) -> str:
        """Nothing: a record batch holds its names."""
        return ""

    def piece(self, rows: Any, results: Results) -> Any:
        """A record batch with the results as columns."""
        import pyarrow

        batch = rows
        for name, column in zip(results.names, results.columns, strict=True):
            numbers = [float(text) if text else None for text in column]
            batch = batch.append_column(name, pyarrow.array(numbers, pyarrow.float64()))
        errors = [results.errors.get(i) for i in range(len(rows))]
        return batch.append_column("error", pyarrow.array(errors, pyarrow.string()))


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
