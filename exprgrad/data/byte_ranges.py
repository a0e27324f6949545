"""A large CSV file cut at rows into ranges of bytes, though cells in quotes may hold line breaks.

    whole_rows(path, begin, end, ",", 1 << 25)      # from row to row, and the number of the first

Whether a line break ends a row depends on all the quotes before it, so a file is looked through from its begin: this
takes a small part of what it takes to compute the rows. It holds where quotes stand around whole cells; a file with one
inside of a cell is not cut.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import UsageError

_QUOTE, _BREAK, _RETURN = b'"\n\r'


class NotCut(UsageError):
    """Quotes do not tell where rows end."""


class Range(NamedTuple):
    """Bytes that begin with a row and end with one, and the number of the first row, from 1."""

    begin: int
    end: int
    first: int


def whole_rows(
    path: str, begin: int, end: int, delimiter: str, size: int
) -> list[Range]:
    """Ranges of about that size, from a row at `begin` to the end of the file.

    Raises `NotCut` where quotes do not tell where rows end, and `OSError`.
    """
    count = max(1, round((end - begin) / size))
    places = [begin + (end - begin) * i // count for i in range(count + 1)]
    starts, rows, inside = [(begin, 1)], 0, 0
    before = b"\n\n"  # a row ends before each end of what is read, if only in theory
    with open(path, "rb") as file:
        for here, there in pairwise(places):
            file.seek(here)
            # One byte more, for a quote at the end of a block closes its cell only if a delimiter or a line break is
            # behind it.
            data = file.read(there - here + 1)
            data, behind = data[: there - here], data[there - here :] or b"\n"
            ends, wrong = row_ends(data, delimiter, inside, before, behind)
            if wrong:
                raise NotCut("a quote or a carriage return stands inside of a cell")
            letters = np.frombuffer(before + data, np.uint8)
            last, twice = letters[ends + 1], letters[ends]
            full = (last != _BREAK) & ((last != _RETURN) | (twice != _BREAK))
            if here > begin and len(ends) and here + ends[0] + 1 < end:
                starts.append((here + int(ends[0]) + 1, rows + int(full[0]) + 1))
            rows += int(full.sum())
            inside ^= data.count(b'"') % 2
            before = (before + data)[-2:]
    if inside:
        raise NotCut("a quote is never closed")
    ends = [*(place for place, _ in starts[1:]), end]
    return [Range(b, e, n) for (b, n), e in zip(starts, ends, strict=True)]


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
