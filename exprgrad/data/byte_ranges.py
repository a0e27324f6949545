"""A large CSV file cut at rows into ranges of bytes, though cells in quotes may hold line breaks.

    wanted = cuts(begin, end, 1 << 25)                       # anywhere
    found = [survey(path, *cut, ",") for cut in wanted]      # each on its own, on any machine
    whole_rows(found, begin, end)                            # from row to row, and the number of the first

Whether a line break ends a row depends on all the quotes before it. So a survey says what a range has in both cases, and
the quotes in it say in which case the next range is. That holds where quotes stand around whole cells; a file with one
inside of a cell is not cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import UsageError

_QUOTE, _BREAK, _RETURN = b'"\n\r'


class NotCut(UsageError):
    """Quotes do not tell where rows end."""


class Case(NamedTuple):
    """What a range has in one case.

    `start` is the place behind the first line break that ends a row, None if there is none; `leading` is 1 if
    that row is not empty. So many `rows` that are not empty end in the range. With `wrong`, a quote, or
    a carriage return, stands inside of a cell.
    """

    start: int | None = None
    leading: int = 0
    rows: int = 0
    wrong: bool = False


class Survey(NamedTuple):
    """What a range has if it begins outside of quotes, and inside; `odd` if its end is the other way round."""

    outside: Case
    inside: Case
    odd: bool


class Range(NamedTuple):
    """Bytes that begin with a row and end with one, and the number of the first row, from 1."""

    begin: int
    end: int
    first: int


def cuts(begin: int, end: int, size: int) -> list[tuple[int, int]]:
    """A range cut into equal ones of about that size."""
    count = max(1, round((end - begin) / size))
    places = [begin + (end - begin) * i // count for i in range(count + 1)]
    return list(pairwise(places))


def survey(path: str, begin: int, end: int, delimiter: str) -> Survey:
    """What a range of a file has, in both cases. Raises `OSError`."""
    lead = min(begin, 2)
    with open(path, "rb") as file:
        file.seek(begin - lead)
        data = file.read(end - begin + lead + 1)
    # before and behind a file there are line breaks, if only in theory
    before = (b"\n\n" + data[:lead])[-2:]
    data, behind = data[lead : lead + end - begin], data[lead + end - begin :] or b"\n"
    letters = np.frombuffer(before + data, np.uint8)

    def case(inside: int) -> Case:
        ends, wrong = row_ends(data, delimiter, inside, before, behind)
        last, twice = letters[ends + 1], letters[ends]
        full = (last != _BREAK) & ((last != _RETURN) | (twice != _BREAK))
        start = begin + int(ends[0]) + 1 if len(ends) else None
        return Case(start, int(full[:1].sum()), int(full.sum()), wrong)

    return Survey(case(0), case(1), data.count(b'"') % 2 == 1)


def row_ends(
    data: bytes,
    delimiter: str,
    inside: int = 0,
    before: bytes = b"\n",
    behind: bytes = b"\n",
) -> tuple[Any, bool]:
    """The places of line breaks outside of quotes, and whether a quote or a carriage return stands inside of a cell.

    With `inside`, the data begin within quotes; `before` and `behind` are the letters beside them.
    """
    letters = np.frombuffer(before[-1:] + data + behind, np.uint8)
    own = letters[1 : len(data) + 1]
    breaks = np.flatnonzero(own == _BREAK)
    quotes, returns = (
        np.flatnonzero(own == letter) if letter in data else breaks[:0]
        for letter in (_QUOTE, _RETURN)
    )
    if not (len(quotes) or len(returns) or inside):
        return breaks, False

    def outside(places: Any) -> Any:
        return (np.searchsorted(quotes, places) + inside) % 2 == 0

    # of two quotes that stand for one, the first counts as closing and the second as opening
    edges = [ord(delimiter), _BREAK, _QUOTE]
    opening = outside(quotes)
    wrong = not (
        np.isin(letters[quotes[opening]], edges).all()
        and np.isin(letters[quotes[~opening] + 2], [*edges, _RETURN]).all()
        and (letters[returns[outside(returns)] + 2] == _BREAK).all()
    )
    return breaks[outside(breaks)], wrong


def whole_rows(surveys: Sequence[Survey], begin: int, end: int) -> list[Range]:
    """The ranges of whole rows that begin in those that were surveyed, from a row at `begin` to the end of the file.

    Raises `NotCut` where quotes do not tell where rows end.
    """
    starts = [(begin, 1)]
    rows, inside = 0, False
    for i, found in enumerate(surveys):
        case = found.inside if inside else found.outside
        if case.wrong:
            raise NotCut("a quote or a carriage return stands inside of a cell")
        if i and case.start is not None and case.start < end:
            starts.append((case.start, rows + case.leading + 1))
        rows += case.rows
        inside ^= found.odd
    if inside:
        raise NotCut("a quote is never closed")
    ends = [*(place for place, _ in starts[1:]), end]
    return [Range(b, e, n) for (b, n), e in zip(starts, ends, strict=True)]
