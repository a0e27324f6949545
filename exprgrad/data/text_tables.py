"""Tables in files of lines, read a chunk of rows at a time: CSV, TSV, JSON Lines, each also gzipped."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice

from exprgrad.annotations import Any, BinaryIO
from exprgrad.data import dialect
from exprgrad.data.formats import (
    Chunk,
    Delimited,
    JsonLines,
    TableFormat,
)
from exprgrad.errors import UsageError

ROWS = 8192
"""Rows of a chunk that is read cell by cell."""

BLOCK = 1 << 20
"""Bytes of a block, about."""

LARGEST_BLOCK = 1 << 23
"""Bytes that may have to be read until a row ends, where a quote is open."""

LONGEST_LINE = 5_000_000
"""Bytes of a line that are read at most: what unzips without limit is refused."""


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
        data = b""
        form: Any = self.format
        lines: Any = None
        # of a small table the import of pyarrow would take most of the time
        if isinstance(form, Delimited) and not self._is_small:
            with suppress(ImportError):
                from exprgrad.data.arrow_text import Lines, block

                lines = Lines(form.names, form.delimiter)
        for more in chain([self._data], self._blocks):
            data += more
            quoted = isinstance(form, Delimited) and b'"' in data
            end = dialect.end_of_rows(data) if quoted and lines else len(data)
            if not end:
                if len(data) > LARGEST_BLOCK:
                    break
                continue  # until the quote is closed
            rows = lines and block(data[:end], lines.delimiter, len(lines.names))
            if rows:
                yield lines, rows
            elif quoted:
                break
            else:
                texts = (line.rstrip("\r\n") for line in _lines(data[:end]))
                yield form, [(text, form.parsed(text)) for text in texts if text]
            data = data[end:]
        if data:
            left = (
                line for part in chain([data], self._blocks) for line in _lines(part)
            )
            yield from self._quoted(left)

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
            if len(data) - end > LONGEST_LINE:
                raise UsageError(
                    f"{self._origin} has a line of more than {LONGEST_LINE:,} bytes",
                    hint="a table has one row on every line",
                )
            if end:
                yield data[:end]
                data = data[end:]
        if data:
            yield data

    def _quoted(self, lines: Iterable[str]) -> Iterator[tuple[TableFormat, Any]]:
        """Rows with quotes, cell by cell."""
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
            raise UsageError(
                f"{self._origin} is empty", hint="its first line names the columns"
            )
        if self._kind == "jsonl":
            form = JsonLines([])
            form.names = names = list(form.parsed(head))
            if not names:
                raise UsageError(
                    f"the first line of {self._origin} is not a JSON object",
                    hint="give one object per line",
                )
            return form
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


def _lines(data: bytes) -> Iterable[str]:
    """The lines of some bytes, with their line breaks."""
    return io.StringIO(data.decode(), newline="")


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
