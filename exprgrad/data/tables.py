"""Tables in files, read and written a chunk of rows at a time: CSV, TSV, JSON Lines, each also gzipped.

Their formats, which take rows apart and write them, are in `cells`; the open file stays here.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from exprgrad.data.formats import (
    Cell,
    Chunk,
    Delimited,
    Format,
    JsonLines,
    is_open,
    json_object,
)
from exprgrad.errors import UsageError

ROWS = 8192
"""Rows of a chunk."""

FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet",
}  # fmt: skip


class Table(Protocol):
    """An open table: its format, its rows, and how much of it has been read, in bytes."""

    format: Format
    size: int | None

    @property
    def position(self) -> int:
        """Bytes that have been read."""

    def chunks(self) -> Iterator[tuple[Format, Chunk]]:
        """The rows, in order, each chunk with the format that it is in."""


class Lines:
    """A table in a file of lines."""

    def __init__(self, raw: BinaryIO, origin: str, kind: str, zipped: bool) -> None:
        self._raw, self._origin = raw, origin
        plain: Any = gzip.GzipFile(fileobj=raw) if zipped else raw
        self._text = io.TextIOWrapper(plain, "utf-8-sig", newline="")
        self._lines: Iterator[str] = self._text
        self._kind = kind
        self.size = _size(raw)
        with self._readable():
            self.format = self._format()

    @property
    def position(self) -> int:
        """Bytes of the file that have been read."""
        try:
            return self._raw.tell()
        except OSError:
            return 0

    def chunks(self) -> Iterator[tuple[Format, Chunk]]:
        """The rows, and the format that they are in: quotes may come up later in a file."""
        first = 1
        with self._readable():
            while lines := list(islice(self._lines, ROWS)):
                if self._kind != "jsonl" and '"' in "".join(lines):
                    yield from self._quoted(lines, first)
                    return
                rows = [stripped for line in lines if (stripped := line.rstrip("\r\n"))]
                yield self.format, Chunk(first, rows)
                first += len(rows)

    def _quoted(self, lines: list[str], first: int) -> Iterator[tuple[Format, Chunk]]:
        assert isinstance(self.format, Delimited)
        form = Delimited(self.format.names, self.format.delimiter, quoted=True)
        last = ""

        def read() -> Iterator[str]:
            nonlocal last
            for last in chain(lines, self._lines):  # noqa: UP028 # which is looked at
                yield last

        reader = csv.reader(read(), delimiter=form.delimiter)
        while rows := list(islice(reader, ROWS)):
            full = [row for row in rows if row]
            first += len(full)
            if full and len(rows) < ROWS and is_open(full[-1][-1], last):
                raise UsageError(
                    f"{self._origin}: a quote in row {first - 1} is never closed",
                    hint='close it; a quote inside a cell is written twice, ""',
                )
            yield form, Chunk(first - len(full), full)

    def _format(self) -> Format:
        head = next(self._lines, "")
        while head and not head.strip():
            head = next(self._lines, "")
        if not head.strip():
            raise UsageError(
                f"{self._origin} is empty", hint="its first line names the columns"
            )
        if self._kind == "jsonl":
            self._lines = chain([head], self._lines)
            names = list(json_object(head))
            if not names:
                raise UsageError(
                    f"the first line of {self._origin} is no JSON object",
                    hint="give one object a line",
                )
            return JsonLines(names)
        delimiter = "\t" if self._kind == "tsv" else max(",;\t", key=head.count)
        names = [
            name.strip()
            for name in next(csv.reader([head.rstrip("\r\n")], delimiter=delimiter))
        ]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise UsageError(
                f"{self._origin} has two columns named {twice!r}",
                hint="rename one of them",
            )
        return Delimited(names, delimiter)

    def _readable(self) -> _Readable:
        return _Readable(self._origin)


class _Readable:
    """Says what is wrong with a file that cannot be read."""

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, UnicodeDecodeError):
            raise UsageError(
                f"{self._origin} is not text in UTF-8", hint="save it as UTF-8"
            ) from None
        if (
            isinstance(error, (EOFError, gzip.BadGzipFile))
            or type(error).__module__ == "zlib"
        ):
            raise UsageError(
                f"{self._origin} is not a whole gzip file", hint="copy it again"
            ) from None
        if isinstance(error, csv.Error):
            raise UsageError(f"{self._origin} cannot be read: {error}") from None


def _size(raw: BinaryIO) -> int | None:
    try:
        return os.fstat(raw.fileno()).st_size or None
    except (OSError, io.UnsupportedOperation):
        return None


@contextmanager
def opened(
    path: str, stream: BinaryIO | None = None, kind: str | None = None
) -> Iterator[Table]:
    """The table in a file, or in a stream of bytes if there is one; `kind` is its format.

    Raises `UsageError` if it cannot be read.
    """
    found, zipped = kind_of(path, kind)
    try:
        raw = stream or Path(path).open("rb")  # noqa: SIM115 # closed below
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(
            f"cannot read {path}: {reason}", hint="check the name"
        ) from None
    try:
        yield _table(raw, path if stream is None else "standard input", found, zipped)
    finally:
        if stream is None:
            raw.close()


def _table(raw: BinaryIO, origin: str, kind: str, zipped: bool) -> Table:
    if kind == "parquet":
        from exprgrad.data.parquet import Parquet

        return Parquet(raw, origin)
    return Lines(raw, origin, kind, zipped)


def kind_of(path: str, chosen: str | None) -> tuple[str, bool]:
    """The format of a file by its name, or as chosen, and whether it is zipped."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    ending = (suffixes[:-1] if zipped else suffixes)[-1:]
    return chosen or FORMATS.get("".join(ending), "csv"), zipped


class Replacing:
    """A file that appears under its name when all has been written, and not at all after an error."""

    def __init__(self, path: Path, zipped: bool) -> None:
        self._path = path
        self._special = path.exists() and not path.is_file()
        self._part = (
            path
            if self._special
            else path.with_name(f".{path.name}.{os.getpid()}.part")
        )
        self._zipped = zipped

    def __enter__(self) -> BinaryIO:
        try:
            self._stream: Any = self._part.open("wb")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(
                f"cannot write {self._path}: {reason}", hint="check the name"
            ) from None
        if self._zipped:
            # no time and no name in the file: the same input gives the same bytes
            self._raw = self._stream
            self._stream = gzip.GzipFile("", "wb", 6, self._raw, 0)
        stream: BinaryIO = self._stream
        return stream

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        try:
            self._stream.close()
            if self._zipped:
                self._raw.close()
            if error is None and not self._special:
                self._part.replace(self._path)
        finally:
            if not self._special:
                self._part.unlink(missing_ok=True)


def matrix(path: str) -> list[Any]:
    """The numbers of a file: a list of rows, or a list of numbers where there is one row or column.

    A first line without numbers is taken for names. Raises `UsageError`.
    """
    with opened(path) as source:
        form = source.format
        columns = range(len(form.names))
        parts = [chunk for _, chunk in source.chunks()]
        rows = [
            r for c in parts for r in zip(*form.cells(c.rows, columns), strict=True)
        ]
        head = [] if any(_number(name) is None for name in form.names) else [form.names]
    found = [[_number(cell) for cell in row] for row in [*head, *rows]]
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


def _number(cell: Cell) -> float | None:
    try:
        number = float(cell)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
