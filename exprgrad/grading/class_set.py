"""A class set as a CSV file: reading it row by row, and writing it with columns added.

The columns `problem` and `answer` are found by their names, in any order and case, with commas, semicolons
or tabs between them; all other columns are kept. A column `kind` names the kind of question, and those of
`DETAILS` say more about it. Only one row is held at a time.

Spreadsheets run a cell that begins with = + - @, a tab or a line break as a formula, and answers such as
-sin x begin like one. Every such cell that is written, ours or not, gets an apostrophe in front, unless the
whole cell is an expression of the language, which cannot reach beyond the sheet: -sin x, -2 and +5 stay as
they are. Reading takes such an apostrophe off again.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from exprgrad.annotations import NamedTuple
from exprgrad.data import dialect
from exprgrad.data.files import Replacing, opened, unreadable
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.language.notes import shorten
from exprgrad.language.parser import read

NEEDED = ("problem", "answer")
OPTIONAL = ("student", "variable", "kind")

DETAILS = ("at", "order", "of", "parameter", "direction", "constant")
"""Columns that say more about a question where a column names its kind."""

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HINT = "save it as CSV in UTF-8, with a row of names first: student, problem, answer"


class Layout(NamedTuple):
    """How a file is laid out: `columns` maps the names that matter to places in a row."""

    path: Path
    header: list[str]
    columns: dict[str, int]
    delimiter: str
    newline: str
    has_bom: bool
    rows: int


class Submission(NamedTuple):
    """A row as it stands in the file, numbered from 1 for the header; `fault` says why it cannot be used."""

    number: int
    cells: list[str]
    fault: str | None = None


def looks_like_table(path: Path) -> bool:
    """Whether a file is a table, by its name or by the names in its first line."""
    if path.suffix.lower() in (".csv", ".tsv"):
        return True
    if path.is_fifo() or path.is_char_device():  # which can be read once only
        return False
    with opened(path) as file:
        first = file.read(4096).decode("utf-8-sig", "replace").partition("\n")[0]
    names = {name.strip().lower() for name in dialect.head_of(first, NEEDED)[0]}
    return names.issuperset(NEEDED)


def survey(path: Path) -> Layout:
    """Read the file once: how it is laid out, and how many rows it has. Raises `UsageError`."""
    if path.is_fifo() or path.is_char_device():
        raise UsageError(
            f"{path} is not a file that can be read twice", hint="copy it into one"
        )
    try:
        with path.open("rb") as file:
            start = file.read(4096)
        if start.startswith(_BOMS) or b"\0" in start:
            raise UsageError(f"{path} is not text in UTF-8", hint=_HINT)
        with path.open(encoding="utf-8-sig", newline="") as text:
            first = text.readline(1_000_000)
            header, delimiter = dialect.head_of(first, NEEDED)
        layout = Layout(
            path,
            header,
            _columns(path, header),
            delimiter,
            "\r\n" if first.endswith("\r\n") else "\n",
            start.startswith(codecs.BOM_UTF8),
            0,
        )
        return layout._replace(rows=sum(1 for _ in rows(layout)))
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not text in UTF-8", hint=_HINT) from None


def _columns(path: Path, header: list[str]) -> dict[str, int]:
    if not any(name.strip() for name in header):
        raise UsageError(
            f"{path} is empty" if not header else f"{path} has no columns", hint=_HINT
        )
    names = [name.strip().lower() for name in header]
    missing = [name for name in NEEDED if name not in names]
    if missing:
        there = shorten(", ".join(name.strip() for name in header), 60)
        raise UsageError(
            f"{path} has no column {' and no column '.join(missing)}; it has: {there}",
            hint="the first row names the columns: student, problem, answer",
        )
    known = (*NEEDED, *OPTIONAL, *(DETAILS if "kind" in names else ()))
    for name in known:
        if names.count(name) > 1:
            raise UsageError(
                f"{path} has two columns {name}", hint="rename one of them"
            )
    return {n: names.index(n) for n in known if n in names}


def rows(layout: Layout) -> Iterator[Submission]:
    """The rows below the header; blank ones are left out but counted."""
    width = len(layout.header)
    with layout.path.open(encoding="utf-8-sig", newline="") as file:
        reader = dialect.reader(file, layout.delimiter)
        number = 0
        while True:
            number += 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except dialect.Unreadable as error:
                yield Submission(
                    number, [""] * width, f"the row cannot be read: {error}"
                )
                continue
            if number > 1 and any(cell.strip() for cell in cells):
                yield _row(number, [_bare(cell) for cell in cells], layout)


def _row(number: int, cells: list[str], layout: Layout) -> Submission:
    """A row of the header's width. The last cell takes what is too much, so that nothing is lost."""
    width, count = len(layout.header), len(cells)
    if count == width:
        return Submission(number, cells)
    fault = f"the row has {count} cell{'s'[: count != 1]}, the header has {width}"
    if count > width:
        fault += ": put cells with a separator in them between quotation marks"
        last = layout.delimiter.join(cells[width - 1 :])
        return Submission(number, [*cells[: width - 1], last], fault)
    return Submission(number, cells + [""] * (width - count), fault)


# Cells that a spreadsheet would run


def safe(cell: str) -> str:
    """A cell that no spreadsheet runs as a formula; see the docstring of the module."""
    if cell.startswith(_FORMULA) and not _is_mathematics(cell):
        return f"'{cell}"
    return cell


def _bare(cell: str) -> str:
    """A cell without the apostrophe of `safe`."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _is_mathematics(cell: str) -> bool:
    """Whether a cell is an expression and nothing else, such as `app|item!cell` or a comment."""
    if len(cell) > 1000 or "#" in cell or ("|" in cell and "!" in cell):
        return False
    try:
        read(cell)
    except ExprgradError:
        return False
    return cell[0] in "+-"


class GradedFile:
    """A graded class set, written row by row; it takes the place of `path` only when it is whole.

    Until then, and after an error, it stands beside it as `partial`, and every row is in it as soon as
    it is written. Raises `UsageError` when `path` cannot be written or is the file that is read.
    """

    def __init__(self, path: Path, layout: Layout, more: Sequence[str]) -> None:
        self._layout = layout
        self._head = [*layout.header, *added(layout.header, more)]
        self._file = Replacing(path, layout.path, kept=True)
        self.partial = self._file.part
        self._lines, self._end = 0, 0  # with the one that is being written

    def __enter__(self) -> GradedFile:
        self._stream = self._file.__enter__()
        if self._layout.has_bom:
            self._end = self._stream.write(codecs.BOM_UTF8)
        self.write(self._head)
        return self

    def write(self, cells: Sequence[str]) -> None:
        """Write a row, through to the operating system."""
        line = dialect.line([safe(cell) for cell in cells], self._layout.delimiter)
        encoded = f"{line}{self._layout.newline}".encode()
        self._lines, self._end = self._lines + 1, self._end + len(encoded)
        self._stream.write(encoded)
        self._stream.flush()

    @property
    def rows(self) -> int:
        """How many rows are in the file, even if an interrupt came while one was written."""
        whole = self._stream.tell() >= self._end
        return max(self._lines - 1 - (not whole), 0)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.__exit__(kind, error, trace)


def added(header: Sequence[str], more: Sequence[str]) -> list[str]:
    """Names of columns that are added: one that is taken gets a number."""
    taken = {name.strip().lower() for name in header}
    names = []
    for name in more:
        count = 1
        free = name
        while free in taken:
            count += 1
            free = f"{name} {count}"
        names.append(free)
    return names
