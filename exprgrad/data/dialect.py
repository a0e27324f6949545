"""Delimited text, one dialect for all of it: what is read from CSV files, and what is written as CSV.

Cells stand between commas, semicolons or tabs. A cell that holds the delimiter, a quote or a line break
stands in quotes, and quotes within it are doubled (RFC 4180).

How the text of a file is encoded: what spreadsheets write, told by its bytes.

    encoding_of(path)            "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"

A byte order mark decides; else zero bytes at every other place are UTF-16, what decodes as UTF-8 is that, and
anything else is the code page of Western Windows.
"""

from __future__ import annotations

import codecs
import csv
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from exprgrad.annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


DELIMITERS = ",;\t"

Unreadable = csv.Error
"""Raised by `reader` at a row that it cannot read; it goes on with the next."""


def head_of(line: str, needed: Collection[str] = ()) -> tuple[list[str], str]:
    """The names in a first line, and the delimiter between them.

    It is the one that finds most of the `needed` names (in lower case), and then most names.
    """

    def suits(delimiter: str) -> tuple[int, int]:
        names = [name.strip().lower() for name in cells(line, delimiter)]
        return len({*names}.intersection(needed)), len(names)

    best = max(DELIMITERS, key=suits)
    return cells(line, best), best


def cells(line: str, delimiter: str) -> list[str]:
    """The cells of one line; none where it cannot be read."""
    try:
        return next(reader([line.rstrip("\r\n")], delimiter), [])
    except Unreadable:
        return []


def reader(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The rows of a text, a list of cells each; an empty line has none."""
    return csv.reader(lines, delimiter=delimiter)


MOST_LINES = 200
"""Lines of one row, at most: a quote that is open for longer has never been closed."""


def records(
    lines: Iterable[str], delimiter: str, width: int, least: int | None = None
) -> Iterator[list[str]]:
    """The rows of a text, of which no quote that is left open takes another with it.

    A cell in quotes may go on over several lines, if it is closed in such a way that the row has `width` cells, or
    at least so many where none of the lines could be a row itself. Else its quote stands for nothing, and the
    row ends with its line.
    """
    source, waiting = iter(lines), deque[str]()

    def following() -> str | None:
        return waiting.popleft() if waiting else next(source, None)

    while True:
        taken: list[str] = []
        given = _noted(islice(iter(following, None), MOST_LINES), taken)
        try:
            found = next(reader(given, delimiter), [])
        except Unreadable:  # a cell is too long
            taken.append("")
        if taken == [""]:
            return
        if taken[1:] and not _is_row(taken, delimiter, width, least):
            # The lines that were taken along are looked at again, one by one.
            waiting.extendleft(filter(None, reversed(taken[1:])))
            found = [
                cell[1:].replace('""', '"') if cell.startswith('"') else cell
                for cell in taken[0].rstrip("\r\n").split(delimiter)
            ]
        yield found


def _noted(lines: Iterable[str], taken: list[str]) -> Iterator[str]:
    """The lines that a reader takes, of which a list is kept; an empty one ends it if more was asked for."""
    for line in lines:
        taken.append(line)
        yield line
    taken.append("")


def _is_row(taken: list[str], delimiter: str, width: int, least: int | None) -> bool:
    """Return whether lines that quotes hold together are one row, in which all quotes are closed at the end of a cell."""
    try:
        cells = next(csv.reader(taken, delimiter=delimiter, strict=True))
    except Unreadable:
        return False
    if len(cells) == width:
        return True
    if least is None or not least <= len(cells) < width:
        return False
    return all(
        line.partition('"')[0].count(delimiter) < least - 1 for line in taken[1:]
    )


def first_cells(text: str, delimiter: str, count: int) -> str:
    """So many cells of a row, as they were typed."""
    place = -1
    for _ in range(count):
        place += 1
        if text.startswith('"', place):
            place = _closing(text, place + 1) + 1
        place = text.find(delimiter, place)
        if place < 0:
            return text
    return text[:place]


def _closing(text: str, start: int) -> int:
    """Return where the quote closes that was opened before `start`; -1 if it does not."""
    place = text.find('"', start)
    # Two quotes stand for one, and do not close the cell.
    while place >= 0 and text.startswith('"', place + 1):
        place = text.find('"', place + 2)
    return place


def line(row: Sequence[str], delimiter: str = ",") -> str:
    """A row as a line, without its line break."""
    return lines([row], delimiter)[0]


def lines(rows: Iterable[Sequence[str]], delimiter: str = ",") -> list[str]:
    """Rows as lines, without their line breaks."""
    out = _Lines()
    # with both characters as its end, cells with either of them are put in quotes
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return [text[:-2] for text in out]


class _Lines(list[str]):
    """A list that can be written to."""

    write = list.append


_BLOCK = 1 << 16
_UNKNOWN = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
"""Bytes that the code page lacks."""


def encoding_of(path: Path) -> str | None:
    """The encoding of a file, read as a whole; None for what is not text. Raises `OSError`."""
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # No text in UTF-8 or in a code page has a byte that is zero.
    if b"\0" in data[:_BLOCK]:
        return _wide(data[:_BLOCK])
    if b"\0" in data:
        return None
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    try:
        data.decode()
    except UnicodeDecodeError:
        # Latin-1 has all bytes, so that whatever is left can be read somehow.
        return "latin-1" if any(byte in data for byte in _UNKNOWN) else "cp1252"
    return "utf-8"


def _wide(block: bytes) -> str | None:
    """UTF-16 without a mark: nearly all zeros are high bytes, on one side."""
    # Delimiters, digits and line breaks have a zero byte each, and are most of any table.
    even, odd = block[::2].count(0), block[1::2].count(0)
    half = len(block) // 2
    if odd > 0.4 * half and even < 0.02 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.02 * half:
        return "utf-16-be"
    return None
