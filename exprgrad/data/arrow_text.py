"""Lines of cells by pyarrow, where it is installed: three times as fast as a Python object for every cell.

A block of lines without quotes, whose rows all have their cells, stays one piece of bytes: columns of numbers are
read from it, and results are put behind its lines. Whatever is not as plain as that (`plain_block` gives None, a column
that holds something else than numbers) is left to the formats in `formats`, which say what is wrong with a row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.csv

from exprgrad.annotations import Any, NamedTuple
from exprgrad.data import dialect
from exprgrad.data.formats import LONG, Delimited, Results, Typed, texts

_LEAST, _MOST = 1e-4, 1e10
"""Between these, pyarrow writes numbers as Python does."""


class Block(NamedTuple):
    """Lines as bytes, each with its line break, and where the cells of a row begin and end, row by row."""

    data: bytes
    begins: Any
    ends: Any

    def __len__(self) -> int:
        return len(self.begins)

    def __reduce__(self) -> Any:
        # another process finds the cells again, in less time than it takes to send where they are
        delimiter = self.data[self.ends[0, 0] : self.ends[0, 0] + 1].decode()
        return _block, (self.data, delimiter, self.begins.shape[1])

    def lines(self) -> list[str]:
        """The lines without their line breaks."""
        return self.data.decode().split("\n")[:-1]

    def cell(self, row: int, column: int) -> str:
        """What stands in a cell."""
        return self.data[self.begins[row, column] : self.ends[row, column]].decode()


def plain_block(text: str, form: Delimited) -> Block | None:
    """Whole lines of a text as a block; None where some row is not as plain as that."""
    if '"' in text or "\r" in text:
        return None
    data = text.encode()
    if data[:1] == b"\n" or b"\n\n" in data or b"\0" in data:
        return None
    if not data.endswith(b"\n"):
        data += b"\n"
    return _block(data, form.delimiter, len(form.names))


def _block(data: bytes, delimiter: str, width: int) -> Block | None:
    """Lines of so many cells as a block."""
    letters = np.frombuffer(data, np.uint8)
    breaks = np.flatnonzero(letters == ord("\n"))
    count, between = len(breaks), width - 1
    delimiters = np.flatnonzero(letters == ord(delimiter))
    if len(delimiters) != count * between:
        return None
    starts = np.concatenate([[0], breaks[:-1] + 1])
    inner = delimiters.reshape(count, between)
    begins = np.column_stack([starts, inner + 1])
    ends = np.column_stack([inner, breaks])
    # as many delimiters as there should be: they stand in their rows if the first and the last of each do
    if (ends[:, 0] < starts).any() or (begins[:, -1] > breaks).any():
        return None
    return Block(data, begins, ends)


class Lines(Delimited):
    """Blocks of lines."""

    def cells(self, rows: Any, indexes: Sequence[int]) -> list[list[Any]]:
        """These columns of the rows."""
        return super().cells(rows.lines(), indexes)

    def stored(self, rows: Any, indexes: Sequence[int]) -> list[Any]:
        """These columns of the rows, as decimals that stay in the text, or as lists if one is no column of numbers."""
        names = [str(i) for i in range(len(self.names))]
        wanted = [names[i] for i in indexes]
        try:
            table = pyarrow.csv.read_csv(
                pyarrow.BufferReader(rows.data),
                pyarrow.csv.ReadOptions(
                    use_threads=False, block_size=len(rows.data) + 1, column_names=names
                ),
                pyarrow.csv.ParseOptions(delimiter=self.delimiter, quote_char=False),
                pyarrow.csv.ConvertOptions(
                    column_types=dict.fromkeys(wanted, pyarrow.float64()),
                    null_values=[],
                    include_columns=wanted,
                ),
            )
        except pyarrow.ArrowInvalid:
            return self.cells(rows, indexes)
        columns = [column.to_numpy() for column in table.columns] if wanted else []
        if any(np.isnan(own).any() for own in columns) or len(table) != len(rows):
            return self.cells(rows, indexes)
        lengths = rows.ends - rows.begins
        return [
            Typed(own, lengths[:, i] > LONG, rows, i)
            for i, own in zip(indexes, columns, strict=True)
        ]

    def column(self, numbers: Any, digits: int | None, faults: Collection[int]) -> Any:
        """Numbers as texts, in an array of pyarrow."""
        if digits is not None:
            return pyarrow.array(texts(numbers, digits, faults), pyarrow.string())
        own = np.asarray(numbers, float)
        found = pyarrow.array(own).cast(pyarrow.string())
        size = np.abs(own)
        other = (size != 0) & ~((size >= _LEAST) & (size < _MOST))
        other[list(faults)] = True
        if other.any():
            left = dict(enumerate(np.flatnonzero(other).tolist()))
            blank = [place for place, row in left.items() if row in faults]
            exact = texts(own[other].tolist(), None, blank)
            found = pyarrow.compute.replace_with_mask(
                found, pyarrow.array(other), pyarrow.array(exact, pyarrow.string())
            )
        return found

    def piece(self, rows: Any, results: Results) -> str:
        """The rows as they were, with the results behind them."""
        compute = pyarrow.compute
        offsets = np.concatenate([rows.begins[:, 0], [len(rows.data)]])
        lines = compute.ascii_rtrim(
            pyarrow.StringArray.from_buffers(
                len(rows),
                pyarrow.py_buffer(offsets.astype(np.int32)),
                pyarrow.py_buffer(rows.data),
            ),
            "\n",
        )
        errors: Any = ""
        if results.errors:
            own = [""] * len(rows)
            for row, message in results.errors.items():
                own[row] = dialect.line([message], self.delimiter) if message else ""
            errors = pyarrow.array(own, pyarrow.string())
        joined = compute.binary_join_element_wise(
            lines, *results.columns, errors, self.delimiter
        )
        whole = compute.binary_join_element_wise(joined, "\n", "")
        _, ends, data = whole.buffers()
        size = int(np.frombuffer(ends, np.int32)[len(whole)])
        return bytes(data[:size]).decode()
