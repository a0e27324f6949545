"""Tables in files: opened by their names, read a chunk of rows at a time or whole, and written."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from exprgrad.annotations import Any, BinaryIO
from exprgrad.data import files
from exprgrad.data.formats import Cell, Table, finite
from exprgrad.data.parquet import ParquetTable, Records, RecordWriter
from exprgrad.data.text_tables import TextTable
from exprgrad.errors import UsageError

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
    raw = stream or files.opened(Path(path))
    try:
        yield _table(raw, path if stream is None else "standard input", found, zipped)
    finally:
        if stream is None:
            raw.close()


def _table(raw: BinaryIO, origin: str, kind: str, zipped: bool) -> Table:
    if kind == "parquet":
        return ParquetTable(raw, origin)
    return TextTable(raw, origin, kind, zipped)


def kind_of(path: str, chosen: str | None) -> tuple[str, bool]:
    """The format of a file by its name, or as chosen, and whether it is zipped."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    ending = (suffixes[:-1] if zipped else suffixes)[-1:]
    return chosen or FORMATS.get("".join(ending), "csv"), zipped


def is_text(table: Table) -> bool:
    """Whether a table is written as text, which a terminal and a pipe can take."""
    return not isinstance(table.format, Records)


@contextmanager
def written(
    table: Table, path: Path, *sources: Path | int
) -> Iterator[Callable[[Any], object]]:
    """Takes pieces of a table for a file, which appears when all are written, zipped if its name says so.

    `sources` are the files that are read. Raises `UsageError` when the file cannot be written.
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
        else:
            writer = RecordWriter(stream)
            yield writer.write
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
            raise UsageError(
                f"{path}: row {i} has no finite number in column {column!r}"
            )
    if not found:
        raise UsageError(f"{path} has no numbers")
    if len(found[0]) == 1:
        return [row[0] for row in found]
    return found[0] if len(found) == 1 else found
