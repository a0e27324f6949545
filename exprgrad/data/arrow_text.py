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
from exprgrad.data.byte_ranges import row_ends
from exprgrad.data.formats import (
    LONG,
    SHORTEST,
    Beyond,
    Column,
    Delimited,
    Results,
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

# The C library hands large arrays that are freed back to the system, which gives them out again page by page. It keeps
# those that are no larger than one freed before; the pages of this one are never touched.
np.empty(1 << 21)
_POOL = pyarrow.system_memory_pool()
"""So pyarrow takes its memory from there, too."""


class Block(NamedTuple):
    """Rows as bytes, each with its line break; where they end; and their cells as texts, by column."""

    data: bytes
    ends: Any
    table: Any

    def __len__(self) -> int:
        return len(self.ends)


def block(data: bytes, delimiter: str, width: int) -> tuple[Block | None, int]:
    """The whole rows at the begin of some bytes as a block, and where they end; 0 where none ends.

    There is no block where quotes, line breaks or the numbers of cells are irregular.
    """
    if not data.endswith(b"\n"):
        data += b"\n"
    ends, wrong = row_ends(data, delimiter)
    end = int(ends[-1]) + 1 if len(ends) else 0
    data = data[:end]
    if wrong or b"\0" in data or data.isspace() or not data:
        return None, end
    letters = np.frombuffer(data, np.uint8)
    returns = ends[(letters[ends - 1] == ord("\r")) & (ends > 0)] - 1
    needless = [*returns.tolist(), *ends[np.diff(ends, prepend=-1) == 1].tolist()]
    if needless:
        data = np.delete(letters, needless).tobytes()
        return block(data, delimiter, width)[0], end
    names = [str(i) for i in range(width)]
    try:
        table = pyarrow.csv.read_csv(
            pyarrow.BufferReader(data),
            pyarrow.csv.ReadOptions(
                use_threads=False, block_size=len(data) + 1, column_names=names
            ),
            pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pyarrow.string())
            ),
            _POOL,
        )
    except pyarrow.ArrowInvalid:
        return None, end
    return Block(data, ends, table) if len(table) == len(ends) else None, end


class Lines(Delimited):
    """Blocks of rows."""

    def cells(self, rows: Any, indexes: Sequence[int]) -> list[list[Any]]:
        """These columns of the rows."""
        return [rows.table.column(i).to_pylist() for i in indexes]

    def stored(self, rows: Any, indexes: Sequence[int]) -> list[Column]:
        """These columns of the rows, as decimals that stay in the text."""
        return [_stored(rows.table.column(i).combine_chunks()) for i in indexes]

    def column(
        self, numbers: Any, digits: int | None, faults: Collection[int], beyond: Beyond
    ) -> Any:
        """Numbers as texts, in an array of pyarrow."""
        if digits is not None:
            return strings(texts(numbers, digits, faults, beyond))
        own = np.ascontiguousarray(numbers, float)
        found = _array(pyarrow.float64(), len(own), own)
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
            mask = _array(pyarrow.bool_(), len(other), _bits(other))
            ends = [found, mask, strings(exact)]
            found = call_function("replace_with_mask", ends, None, _POOL)
        return found

    def piece(self, rows: Any, results: Results) -> Any:
        """The rows as they were, with the results behind them: text in UTF-8, as a buffer."""
        # each row but the first with the line break before it: so they stand one behind the other in the block
        offsets = np.zeros(len(rows) + 1, np.int32)
        offsets[1:] = rows.ends
        lines = _array(pyarrow.string(), len(rows), offsets, rows.data)
        own = [""] * len(rows)
        for row, message in results.errors.items():
            own[row] = dialect.line([message], self.delimiter) if message else ""
        own[-1] += "\n"
        parts = [lines, *results.columns, strings(own), strings([self.delimiter])[0]]
        joined = call_function("binary_join_element_wise", parts, None, _POOL)
        _, ends, data = joined.buffers()
        return data.slice(0, int(np.frombuffer(ends, np.int32)[len(rows)]))


def _array(kind: Any, count: int, *buffers: Any, valid: Any = None) -> Any:
    """An array of pyarrow by way of buffers: `pyarrow.array` and `to_numpy` would import pandas."""
    given = [None if b is None else pyarrow.py_buffer(b) for b in (valid, *buffers)]
    return pyarrow.Array.from_buffers(kind, count, given)


def _bits(mask: Any) -> Any:
    return np.packbits(mask, bitorder="little")


def strings(own: Sequence[str | None]) -> Any:
    """Texts as an array of pyarrow."""
    plain = [text or "" for text in own]
    joined = "".join(plain)
    letters = plain if joined.isascii() else [text.encode() for text in plain]
    offsets = np.cumsum([0, *map(len, letters)], dtype=np.int32)
    there = None if None not in own else _bits([text is not None for text in own])
    return _array(pyarrow.string(), len(plain), offsets, joined.encode(), valid=there)


def doubles(numbers: Any, none: Any) -> Any:
    """Doubles as an array of pyarrow, null where `none` is true."""
    own = np.ascontiguousarray(numbers, float)
    there = _bits(~none) if none.any() else None
    return _array(pyarrow.float64(), len(own), own, valid=there)


def to_doubles(column: Any) -> Any:
    """The numbers of an array of pyarrow, anything where it has null. Raises `ArrowInvalid` for texts that are none."""
    own = call_function("cast", [column], CastOptions.unsafe(pyarrow.float64()), _POOL)
    buffer = own.buffers()[1]
    found = np.frombuffer(buffer, np.float64) if len(own) else np.empty(0)
    return found[own.offset : own.offset + len(own)]


def _stored(texts: Any) -> Column:
    """The column of these texts."""

    def cell(row: int) -> Any:
        return texts[row].as_py()

    bad: Sequence[int] = ()
    try:
        numbers = to_doubles(texts)
    except pyarrow.ArrowInvalid:
        own, bad = floats(texts.to_pylist())
        numbers = np.array(own)
    lengths = call_function("binary_length", [texts])
    sizes = np.frombuffer(lengths.buffers()[1], np.int32)[: len(texts)]
    long = sizes > LONG
    # 1e-400 is no 0, which its double is
    for row in np.flatnonzero((numbers == 0) & (sizes > SHORTEST)).tolist():
        long[row] |= not is_zero(cell(row))
    return Column(numbers, bad, cell, np.flatnonzero(long).tolist())
