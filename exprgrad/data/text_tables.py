"""Tables in files of lines, read a chunk of rows at a time: CSV, TSV, JSON Lines, each also gzipped."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
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
"""Characters of a block, about."""

CHARACTERS = 20_000_000
"""Characters of a chunk, about, where rows are long."""

LONGEST_LINE = 5_000_000
"""Bytes of a line that are read at most."""


class TextTable:
    """A table in a file of lines."""

    def __init__(self, raw: BinaryIO, origin: str, kind: str, zipped: bool) -> None:
        self._raw, self._origin = raw, origin
        plain: Any = gzip.GzipFile(fileobj=raw) if zipped else raw
        bounded: Any = _Bounded(plain, origin)
        self._text = io.TextIOWrapper(bounded, "utf-8-sig", newline="")
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

    def chunks(self) -> Iterator[tuple[TableFormat, Chunk]]:
        """The rows, each chunk with its format, since quotes may turn up late in a file."""
        first = 1
        with self._readable():
            for form, chunk in self._blocks():
                yield form, chunk
                first = chunk.first + len(chunk.rows)
            while lines := self._some():
                if self._kind != "jsonl" and '"' in "".join(lines):
                    yield from self._quoted(lines, first)
                    return
                rows = [stripped for line in lines if (stripped := line.rstrip("\r\n"))]
                yield self.format, Chunk(first, rows)
                first += len(rows)

    def _blocks(self) -> Iterator[tuple[TableFormat, Chunk]]:
        """The rows in blocks, as long as pyarrow is there and they are plain; `_lines` has the others."""
        if self._kind == "jsonl":
            return
        assert isinstance(self.format, Delimited)
        text = self._text.read(BLOCK)
        if len(text) < BLOCK:  # of a small table the import would take most of the time
            self._lines = iter(io.StringIO(text, newline=""))
            return
        try:
            from exprgrad.data.arrow_text import Lines, plain_block
        except ImportError:
            self._give_back(text)
            return
        form = Lines(self.format.names, self.format.delimiter)
        first, ended = 1, False
        while text:
            end = len(text) if ended else text.rfind("\n") + 1
            block = plain_block(text[:end], form) if end else None
            if block is not None:
                yield form, Chunk(first, block)
                first += len(block)
            elif end:
                self._give_back(text)
                return
            more = self._text.read(BLOCK)
            text, ended = text[end:] + more, not more

    def _give_back(self, text: str) -> None:
        """Let lines be read from a text, and then from where it ended in the file."""
        lines = list(io.StringIO(text, newline=""))
        lines[-1] += "" if text[-1] in "\r\n" else next(self._text, "")
        self._lines = chain(lines, self._text)

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

    def _readable(self) -> _Readable:
        return _Readable(self._origin)


class _Bounded(io.BufferedIOBase):
    """A stream whose lines have an end: what unzips without limit is refused."""

    def __init__(self, stream: Any, origin: str) -> None:
        self._stream, self._origin = stream, origin
        self._length = 0

    def readable(self) -> bool:
        return True

    def read1(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read1(size)
        at = data.rfind(b"\n")
        self._length = len(data) - at - 1 + (self._length if at < 0 else 0)
        if self._length > LONGEST_LINE:
            raise UsageError(
                f"{self._origin} has a line of more than {LONGEST_LINE:,} bytes",
                hint="a table has one row on every line",
            )
        return data


class _Readable:
    """Turns what goes wrong while a file is read into a diagnostic."""

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
        if isinstance(error, dialect.Unreadable):
            raise UsageError(f"{self._origin} cannot be read: {error}") from None


def _size(raw: BinaryIO) -> int | None:
    try:
        return os.fstat(raw.fileno()).st_size or None
    except (OSError, io.UnsupportedOperation):
        return None
