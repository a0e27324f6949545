"""Tables in files of lines, read a chunk of rows at a time: CSV, TSV, JSON Lines, each also gzipped."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice

from exprgrad.annotations import Any, BinaryIO
from exprgrad.data import dialect
from exprgrad.data.formats import (
    Chunk,
    Delimited,
    JsonLines,
    TableFormat,
    is_open,
    json_object,
)
from exprgrad.errors import UsageError

ROWS = 8192
"""Rows of a chunk."""

BLOCK = 1 << 20
"""Bytes of a block, about."""

LARGEST_BLOCK = 1 << 23
"""Bytes that may have to be read until a row ends, where a quote is open."""

CHARACTERS = 20_000_000
"""Characters of a chunk, about, where rows are long."""

LONGEST_LINE = 5_000_000
"""Bytes of a line that are read at most."""


class TextTable:
    """A table in a file of lines.

    `begin` is the place of its first row in the file, None where it cannot be cut into ranges of bytes.
    """

    def __init__(self, raw: BinaryIO, origin: str, kind: str, zipped: bool) -> None:
        self._raw, self._origin = raw, origin
        plain: Any = gzip.GzipFile(fileobj=raw) if zipped else raw
        self._bytes = _Bounded(plain, origin)
        text: Any = self._bytes
        self._text = io.TextIOWrapper(text, "utf-8-sig", newline="")
        self._lines: Iterator[str] = self._text
        self._kind = kind
        self._first = 1
        self.size = _size(raw)
        with _readable(self._origin):
            self.format = self._format()
        can_be_cut = self.size and not zipped and kind != "jsonl" and self._at_line
        self.begin = self._bytes.given if can_be_cut else None

    def restrict(self, begin: int, end: int, first: int) -> None:
        """Read only the rows in these bytes of the file, which begin and end with one; `first` is the number of the first."""
        self._raw.seek(begin)
        self._bytes.restrict(end - begin)
        self._first = first

    @property
    def position(self) -> int:
        """Bytes of the file that have been read."""
        try:
            return self._raw.tell()
        except OSError:
            return 0

    def chunks(self) -> Iterator[tuple[TableFormat, Chunk]]:
        """The rows, each chunk with its format, since quotes may turn up late in a file."""
        first = self._first
        with _readable(self._origin):
            for form, rows in self._blocks():
                if rows:
                    yield form, Chunk(first, rows)
                first += len(rows)
            self._bytes.by_lines = False
            while lines := self._some():
                if self._kind != "jsonl" and '"' in "".join(lines):
                    yield from self._quoted(lines, first)
                    return
                if rows := _rows(lines):
                    yield self.format, Chunk(first, rows)
                first += len(rows)

    def _blocks(self) -> Iterator[tuple[TableFormat, Any]]:
        """The rows in blocks of bytes, if pyarrow is there, as long as no quote is out of place; `_lines` has the others."""
        if self._kind == "jsonl" or not self._at_line:
            return
        assert isinstance(self.format, Delimited)
        data = self._bytes.whole(BLOCK)
        ended = len(data) < BLOCK
        # of a small table the import would take most of the time
        if ended or (found := _arrow_text()) is None:
            self._bytes.give_back(data)
            return
        kind, block = found
        form = kind(self.format.names, self.format.delimiter)
        while data:
            end = len(data) if ended else dialect.end_of_rows(data)
            if end:
                rows = block(data[:end], form.delimiter, len(form.names))
                if rows is not None:
                    yield form, rows
                elif b'"' in data[:end]:
                    break
                else:
                    lines = io.StringIO(data[:end].decode(), newline="")
                    yield self.format, _rows(lines)
            elif len(data) > LARGEST_BLOCK:
                break
            more = self._bytes.whole(BLOCK)
            data, ended = data[end:] + more, not more
        self._bytes.give_back(data)

    def _some(self) -> list[str]:
        """The lines of the next chunk: fewer where they are long."""
        lines: list[str] = []
        size = 0
        while len(lines) < ROWS and size < CHARACTERS:
            more = list(islice(self._lines, min(64, ROWS - len(lines))))
            if not more:
                break
            lines += more
            size += sum(map(len, more))
        return lines

    def _quoted(
        self, lines: list[str], first: int
    ) -> Iterator[tuple[TableFormat, Chunk]]:
        assert isinstance(self.format, Delimited)
        form = Delimited(self.format.names, self.format.delimiter, quoted=True)
        taken: list[str] = []

        def read() -> Iterator[str]:
            for line in chain(lines, self._lines):
                taken.append(line)
                yield line

        def typed() -> Iterator[tuple[str, list[str]]]:
            """The rows that are not empty, each as it was typed and in cells."""
            for row in dialect.reader(read(), form.delimiter):
                if row:
                    yield "".join(taken).rstrip("\r\n"), row
                    last[:] = taken[-1:]
                taken.clear()

        last = [""]
        reader = typed()
        while rows := list(islice(reader, ROWS)):
            first += len(rows)
            if len(rows) < ROWS and is_open(rows[-1][1][-1], last[0]):
                raise UsageError(
                    f"{self._origin}: a quote in row {first - 1} is never closed",
                    hint='close it; a quote inside a cell is written twice, ""',
                )
            yield form, Chunk(first - len(rows), rows)

    def _format(self) -> TableFormat:
        head = next(self._lines, "")
        while head and not head.strip():
            head = next(self._lines, "")
        self._at_line = head.endswith("\n")
        if not head.strip():
            raise UsageError(
                f"{self._origin} is empty", hint="its first line names the columns"
            )
        if self._kind == "jsonl":
            self._lines = chain([head], self._lines)
            names = list(json_object(head))
            if not names:
                raise UsageError(
                    f"the first line of {self._origin} is not a JSON object",
                    hint="give one object per line",
                )
            return JsonLines(names)
        found, delimiter = dialect.head_of(head)
        if self._kind == "tsv":
            found, delimiter = dialect.cells(head, "\t"), "\t"
        names = [name.strip() for name in found]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise UsageError(
                f"{self._origin} has two columns named {twice!r}",
                hint="rename one of them",
            )
        return Delimited(names, delimiter)


def _rows(lines: Iterable[str]) -> list[str]:
    """Lines without their line breaks, but for those that are empty."""
    return [stripped for line in lines if (stripped := line.rstrip("\r\n"))]


def _arrow_text() -> Any:
    """The format of blocks and what makes them, by pyarrow; None where that is not installed."""
    try:
        from exprgrad.data.arrow_text import Lines, block
    except ImportError:
        return None
    return Lines, block


class _Bounded(io.BufferedIOBase):
    """A stream whose lines have an end: what unzips without limit is refused.

    `by_lines`, it gives no more than a line at a time, so that what stands behind the first can be read as bytes; it
    has `given` so many bytes that way.
    """

    def __init__(self, stream: Any, origin: str) -> None:
        self._stream, self._origin = stream, origin
        self._length = 0
        self._waiting = b""
        self._left: int | None = None
        self.by_lines = True
        self.given = 0

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1) -> bytes:
        data, self._waiting = self._waiting or self._read(size), b""
        if self.by_lines:
            end = data.find(b"\n") + 1 or len(data)
            data, self._waiting = data[:end], data[end:]
            self.given += len(data)
        return data

    def _read(self, size: int) -> bytes:
        if self._left is not None:
            size = self._left if size < 0 else min(size, self._left)
        data: bytes = self._stream.read1(size)
        if self._left is not None:
            self._left -= len(data)
        at = data.rfind(b"\n")
        self._length = len(data) - at - 1 + (self._length if at < 0 else 0)
        if self._length > LONGEST_LINE:
            raise UsageError(
                f"{self._origin} has a line of more than {LONGEST_LINE:,} bytes",
                hint="a table has one row on every line",
            )
        return data

    def restrict(self, size: int) -> None:
        """Read so many more bytes from where the stream is, and then no more."""
        self._waiting, self._left, self._length = b"", size, 0

    def whole(self, size: int) -> bytes:
        """At least so many bytes, or all that are left."""
        parts, self._waiting = [self._waiting], b""
        left = size - len(parts[0])
        while left > 0 and (data := self._read(left)):
            parts.append(data)
            left -= len(data)
        return b"".join(parts)

    def give_back(self, data: bytes) -> None:
        """Let these bytes be read again."""
        self._waiting = data + self._waiting


@contextmanager
def _readable(origin: str) -> Iterator[None]:
    """Turn what goes wrong while a file is read into a diagnostic."""
    try:
        yield
    except UnicodeDecodeError:
        raise UsageError(
            f"{origin} is not text in UTF-8", hint="save it as UTF-8"
        ) from None
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise UsageError(
            f"{origin} is not a whole gzip file", hint="copy it again"
        ) from None
    except dialect.Unreadable as error:
        raise UsageError(f"{origin} cannot be read: {error}") from None


def _size(raw: BinaryIO) -> int | None:
    try:
        return os.fstat(raw.fileno()).st_size or None
    except (OSError, io.UnsupportedOperation):
        return None
