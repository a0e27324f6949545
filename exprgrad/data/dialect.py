"""Delimited text, one dialect for all of it: what is read from CSV files, and what is written as CSV.

Cells stand between commas, semicolons or tabs. A cell that holds the delimiter, a quote or a line break
stands in quotes, and quotes within it are doubled (RFC 4180).
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence

DELIMITERS = ",;\t"

Unreadable = csv.Error
"""Raised by `reader` at a row that it cannot read; it goes on with the next."""


def head_of(line: str, needed: Collection[str] = ()) -> tuple[list[str], str]:
    """The names in a first line, and the delimiter between them.

    It is the one that finds most of the `needed` names (in lower case), and then most names.
    """
    found = []
    for delimiter in DELIMITERS:
        names = cells(line, delimiter)
        known = {name.strip().lower() for name in names}
        found.append((len(known.intersection(needed)), len(names), names, delimiter))
    _, _, names, delimiter = max(found, key=lambda one: one[:2])
    return names, delimiter


def cells(line: str, delimiter: str) -> list[str]:
    """The cells of one line; none where it cannot be read."""
    try:
        return next(reader([line.rstrip("\r\n")], delimiter), [])
    except Unreadable:
        return []


def reader(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The rows of a text, a list of cells each; an empty line has none."""
    return csv.reader(lines, delimiter=delimiter)


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
