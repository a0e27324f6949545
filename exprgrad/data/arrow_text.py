"""Lines of cells by pyarrow, where it is installed: three times as fast as a Python object for every cell.

A block of whole rows that all have their cells stays one piece of bytes: columns of numbers are read from it, and
results are put behind its rows, without an object for any other cell. Whatever is not as regular as that
(`block` gives None) is left to the formats in `formats`, which say what is wrong with a row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow
import pyarrow.csv

from exprgrad.annotations import Any, NamedTuple
from exprgrad.data import dialect
from exprgrad.data.formats import (
    LONG,
    SHORTEST,
    Beyond,
    Delimited,
    Results,
    Typed,
    floats,
    is_zero,
    texts,
)

try:
    # the module around it makes a Python function for each of some hundred others, which takes as long as NumPy's half
    from pyarrow._compute import CastOptions, call_function
except ImportError:
    from pyarrow.compute import CastOptions, call_function

_LEAST, _MOST = 1e-4, 1e10
"""Between these, pyarrow writes numbers as Python does."""

_LONGEST = 100_000
"""Bytes of a cell of a table with quotes, at most: of longer ones the csv module has its own opinion."""

_SLICE = 1 << 16
"""Bytes that are looked at together, so that what is found out of them stays in the cache."""

# The C library hands large arrays that are freed back to the system, which gives them out again page by page. It keeps
# those that are no larger than one freed before; the pages of this one are never touched.
np.empty(1 << 21)
_POOL = pyarrow.system_memory_pool()
"""So pyarrow takes its memory from there, too."""

_QUOTE, _BREAK, _RETURN = b'"\n\r'


class Block(NamedTuple):
    """Rows as bytes, each with its line break, and where their cells end: a table of places.

    With `quoted`, cells in quotes may hold delimiters and line breaks. `uneven` has the rows that have been filled up or
    cut, with the number of cells that they really have: 0 where there were too many to know which is which.
    """

    data: bytes
    ends: Any
    quoted: bool
    uneven: dict[int, int]

    def __len__(self) -> int:
        return len(self.ends)

    def __reduce__(self) -> Any:
        # another process finds the cells again, in less time than it takes to send where they are
        delimiter = self.data[self.ends[0, 0] : self.ends[0, 0] + 1].decode()
        return _again, (self.data, delimiter, self.ends.shape[1], self.uneven)

    def begins(self, column: int) -> Any:
        """Where the cells of a column begin."""
        if column:
            return self.ends[:, column - 1] + 1
        return np.concatenate([[0], self.ends[:-1, -1] + 1])

    def lengths(self, column: int) -> Any:
        """The lengths of the cells of a column in bytes, without quotes around them."""
        begins = self.begins(column)
        lengths = self.ends[:, column] - begins
        if self.quoted:
            lengths -= 2 * (np.frombuffer(self.data, np.uint8)[begins] == _QUOTE)
        return lengths

    def lacking(self, column: int) -> list[int]:
        """The rows that have no cell there."""
        return [row for row, count in self.uneven.items() if count <= column]

    def texts(self, column: int) -> list[str | None]:
        """What stands in the cells of a column."""
        begins, ends = self.begins(column).tolist(), self.ends[:, column].tolist()
        found: list[str | None] = [*map(self._text, begins, ends)]
        for row in self.lacking(column):
            found[row] = None
        return found

    def cell(self, row: int, column: int) -> str | None:
        """What stands in a cell."""
        if self.uneven.get(row, column + 1) <= column:
            return None
        place = row * self.ends.shape[1] + column
        begin = self.ends.flat[place - 1] + 1 if place else 0
        return self._text(begin, self.ends[row, column])

    def _text(self, begin: int, end: int) -> str:
        text = self.data[begin:end].decode()
        if self.quoted and text.startswith('"'):
            return text[1:-1].replace('""', '"')
        return text


def block(data: bytes, delimiter: str, width: int) -> Block | None:
    """Whole rows as a block; None where quotes or line breaks are irregular. Raises `UnicodeDecodeError`."""
    if not data.isascii():
        data.decode()
    if b"\0" in data or data.isspace():
        return None
    if not data.endswith(b"\n"):
        data += b"\n"
    places, letters = _marks(data, delimiter)
    quoted = b'"' in data
    if quoted or b"\r" in data:
        kept = _between(places, letters)
        if kept is None:
            return None
        places, letters = places[kept], letters[kept]
    breaks = letters == _BREAK
    needless = letters == _RETURN
    behind = 1 + np.flatnonzero(breaks[1:] & breaks[:-1])
    needless[behind[places[behind] - places[behind - 1] == 1]] = True
    needless[0] |= places[0] == 0 and breaks[0]
    if needless.any():
        rest = np.delete(np.frombuffer(data, np.uint8), places[needless])
        return block(rest.tobytes(), delimiter, width)
    # as many delimiters as there should be: they stand in their rows if each row ends where its last cell does
    regular = len(places) == np.count_nonzero(breaks) * width
    if not regular or not breaks[width - 1 :: width].all():
        return _evened(data, delimiter, width, places, np.flatnonzero(breaks))
    found = Block(data, places.reshape(-1, width), quoted, {})
    if quoted and max(found.lengths(i).max() for i in range(width)) > _LONGEST:
        return None
    return found


def _again(data: bytes, delimiter: str, width: int, uneven: dict[int, int]) -> Any:
    found = block(data, delimiter, width)
    return found and found._replace(uneven=uneven)


def _evened(
    data: bytes, delimiter: str, width: int, places: Any, lasts: Any
) -> Block | None:
    """A block whose rows with too few cells are filled up and those with too many cut; `lasts` are the marks at row ends."""
    counts = np.diff(lasts, prepend=-1)
    uneven: dict[int, int] = {}
    parts, done = [], 0
    for row in np.flatnonzero(counts != width).tolist():
        count, last = int(counts[row]), int(lasts[row])
        uneven[row] = count if count < width else 0
        end = places[last if count < width else last - count + width]
        parts += [data[done:end], delimiter.encode() * (width - count)]
        done = places[last]
    found = block(b"".join([*parts, data[done:]]), delimiter, width)
    if found is None or len(found) != len(
        lasts
    ):  # what is left of a row may be nothing
        return None
    return found._replace(uneven=uneven)


def _marks(data: bytes, delimiter: str) -> tuple[Any, Any]:
    """Where cells, rows and quotes may begin and end, and the letters there."""
    wanted = [ord(delimiter), _BREAK]
    wanted += [letter for letter in (_QUOTE, _RETURN) if letter in data]
    places, found = [], []
    for start in range(0, len(data), _SLICE):
        letters = np.frombuffer(data[start : start + _SLICE], np.uint8)
        marks = letters == wanted[0]
        for letter in wanted[1:]:
            marks |= letters == letter
        own = np.flatnonzero(marks)
        found.append(letters[own])
        places.append((own + start).astype(np.int32))
    return np.concatenate(places), np.concatenate(found)


def _between(places: Any, letters: Any) -> Any:
    """Which marks stand outside of quotes; None where a quote or a carriage return stands within a cell."""
    quotes = letters == _QUOTE
    inside = np.cumsum(quotes, dtype=np.uint8) & 1 == 1
    if inside[-1]:
        return None
    alone = np.diff(places) != 1  # no mark follows at once
    opening, closing = quotes & inside, quotes & ~inside
    # of two quotes that stand for one, the first counts as closing and the second as opening
    if (opening[1:] & alone).any() or (closing[:-1] & alone).any():
        return None
    if opening[0] and places[0]:
        return None
    returns = (letters == _RETURN) & ~inside
    if (returns[:-1] & (alone | (letters[1:] != _BREAK))).any():
        return None
    return ~inside & ~quotes


class Lines(Delimited):
    """Blocks of rows."""

    def cells(self, rows: Any, indexes: Sequence[int]) -> list[list[Any]]:
        """These columns of the rows."""
        return [rows.texts(i) for i in indexes]

    def stored(self, rows: Any, indexes: Sequence[int]) -> list[Any]:
        """These columns of the rows, as decimals that stay in the text."""
        columns = self._doubles(rows, indexes)
        found = []
        for place, i in enumerate(indexes):
            if columns is None:
                own, bad = floats(rows.texts(i))
                numbers = np.array(own)
            else:
                numbers, bad = _checked(columns[place].to_numpy(), rows, i)
            lengths = rows.lengths(i)
            long = lengths > LONG
            # 1e-400 is no 0, which its double is
            for row in np.flatnonzero((numbers == 0) & (lengths > SHORTEST)).tolist():
                long[row] |= not is_zero(rows.cell(row, i))
            found.append(Typed(numbers, long, rows, i, bad))
        return found

    def _doubles(self, rows: Any, indexes: Sequence[int]) -> Any:
        """These columns as doubles, null where there seems to be none; None where that cannot be told of a cell."""
        names = [str(i) for i in range(len(self.names))]
        wanted = [names[i] for i in indexes]
        try:
            table = pyarrow.csv.read_csv(
                pyarrow.BufferReader(rows.data),
                pyarrow.csv.ReadOptions(
                    use_threads=False, block_size=len(rows.data) + 1, column_names=names
                ),
                pyarrow.csv.ParseOptions(
                    delimiter=self.delimiter,
                    quote_char='"' if rows.quoted else False,
                    newlines_in_values=rows.quoted,
                ),
                pyarrow.csv.ConvertOptions(
                    column_types=dict.fromkeys(wanted, pyarrow.float64()),
                    include_columns=wanted,
                ),
                _POOL,
            )
        except pyarrow.ArrowInvalid:
            return None
        if not wanted:
            return []
        return table.columns if len(table) == len(rows) else None

    def column(
        self, numbers: Any, digits: int | None, faults: Collection[int], beyond: Beyond
    ) -> Any:
        """Numbers as texts, in an array of pyarrow."""
        if digits is not None:
            written = texts(numbers, digits, faults, beyond)
            return pyarrow.array(written, pyarrow.string())
        own = np.ascontiguousarray(numbers, float)
        # by way of buffers: `pyarrow.array` would import numpy.ma
        found = pyarrow.Array.from_buffers(
            pyarrow.float64(), len(own), [None, pyarrow.py_buffer(own)]
        )
        found = call_function(
            "cast", [found], CastOptions.safe(pyarrow.string()), _POOL
        )
        size = np.abs(own)
        other = (size != 0) & ~((size >= _LEAST) & (size < _MOST))
        other[[*faults, *beyond]] = True
        if other.any():
            left = dict(enumerate(np.flatnonzero(other).tolist()))
            blank = [place for place, row in left.items() if row in faults]
            far = {place: beyond[row] for place, row in left.items() if row in beyond}
            exact = texts(own[other].tolist(), None, blank, far)
            mask, new = pyarrow.array(other), pyarrow.array(exact, pyarrow.string())
            found = call_function("replace_with_mask", [found, mask, new], None, _POOL)
        return found

    def piece(self, rows: Any, results: Results) -> Any:
        """The rows as they were, with the results behind them: text in UTF-8, as a buffer."""
        # each row but the first with the line break before it: so they stand one behind the other in the block
        breaks = rows.ends[:, -1]
        offsets = np.zeros(len(rows) + 1, np.int32)
        offsets[1:] = breaks
        lines = _strings(offsets, rows.data)
        own = [""] * len(rows)
        if results.errors:
            for row, message in results.errors.items():
                own[row] = dialect.line([message], self.delimiter) if message else ""
            own[-1] += "\n"
            errors = pyarrow.array(own, pyarrow.string())
        else:
            ends = np.zeros(len(rows) + 1, np.int32)
            ends[-1] = 1
            errors = _strings(ends, b"\n")
        parts = [lines, *results.columns, errors, pyarrow.scalar(self.delimiter)]
        joined = call_function("binary_join_element_wise", parts, None, _POOL)
        _, ends, data = joined.buffers()
        return data.slice(0, int(np.frombuffer(ends, np.int32)[len(rows)]))


def _strings(offsets: Any, data: bytes) -> Any:
    """The texts between these places, as an array of pyarrow."""
    return pyarrow.StringArray.from_buffers(
        len(offsets) - 1, pyarrow.py_buffer(offsets), pyarrow.py_buffer(data)
    )


def _checked(numbers: Any, rows: Block, column: int) -> tuple[Any, list[int]]:
    """The doubles of a column, and the rows whose cell is not a number: only those without one are looked at."""
    none = np.isnan(numbers)
    lacking = rows.lacking(column)
    if not lacking and not none.any():
        return numbers, []
    none[lacking] = True
    places = np.flatnonzero(none).tolist()
    own, bad = floats([rows.cell(row, column) for row in places])
    numbers = numbers.copy()
    numbers[places] = own
    return numbers, [places[i] for i in bad]
