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

_SLICE = 1 << 18
"""Bytes that are looked at together, so that what is found out of them stays in the cache."""

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
    cases, odd = [Case(), Case()], 0
    with open(path, "rb") as file:
        for start in range(begin, end, _SLICE):
            lead = min(start, 2)
            file.seek(start - lead)
            data = file.read(min(end - start, _SLICE) + lead + 1)
            marks = _Marks(data, lead, min(end - start, _SLICE), delimiter)
            cases = [_add(cases[i], marks.case(odd ^ i), start) for i in (0, 1)]
            odd ^= marks.odd
    return Survey(cases[0], cases[1], bool(odd))


def _add(case: Case, more: Case, start: int) -> Case:
    """Two ranges that follow on each other as one."""
    rows, wrong = case.rows + more.rows, case.wrong or more.wrong
    if case.start is not None:
        return Case(case.start, case.leading, rows, wrong)
    own = None if more.start is None else start + more.start
    return Case(own, more.leading, rows, wrong)


class _Marks:
    """The quotes, line breaks and carriage returns in some bytes, and what stands beside them."""

    def __init__(self, data: bytes, lead: int, size: int, delimiter: str) -> None:
        letters = np.frombuffer(data, np.uint8)
        own = letters[lead : lead + size]
        marks = own == _BREAK
        for letter in (_QUOTE, _RETURN):
            if letter in data:
                marks |= own == letter
        self.places = np.flatnonzero(marks)
        self.letters = own[self.places]
        # behind the end of a file there is a line break, if only in theory
        beside = np.concatenate([[_BREAK, _BREAK][lead:], letters, [_BREAK]])
        self.twice, self.before, self.behind = (
            beside[self.places + shift] for shift in (0, 1, 3)
        )
        self.delimiter = ord(delimiter)
        quotes = self.letters == _QUOTE
        self.quoted = np.cumsum(quotes, dtype=np.uint8) & 1
        self.odd = int(self.quoted[-1]) if len(quotes) else 0

    def case(self, open_quote: int) -> Case:
        """What there is if a quote is open before, or not."""
        quotes, inside = self.letters == _QUOTE, self.quoted != open_quote
        behind, before = self.behind, self.before
        # of two quotes that stand for one, the first counts as closing and the second as opening
        wrong = quotes & inside & ~_among(before, self.delimiter, _BREAK, _QUOTE)
        wrong |= (
            quotes & ~inside & ~_among(behind, self.delimiter, _BREAK, _RETURN, _QUOTE)
        )
        wrong |= (self.letters == _RETURN) & ~inside & (behind != _BREAK)
        ends = np.flatnonzero((self.letters == _BREAK) & ~inside)
        if not len(ends):
            return Case(wrong=bool(wrong.any()))
        before, twice = before[ends], self.twice[ends]
        full = (before != _BREAK) & ((before != _RETURN) | (twice != _BREAK))
        start = int(self.places[ends[0]]) + 1
        return Case(start, int(full[0]), int(full.sum()), bool(wrong.any()))


def _among(letters: Any, *wanted: int) -> Any:
    found = letters == wanted[0]
    for letter in wanted[1:]:
        found |= letters == letter
    return found


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
