"""A class set as a CSV file: reading it row by row, and writing it with columns added.

The columns `problem` and `answer` are found by their names, in any order and case, with commas, semicolons
or tabs between them (`sep=;` above them says which), in UTF-8, UTF-16 or the code page of Western Windows; all
other columns are kept, and so are titles above the names. `ALIASES` are other names that these columns have. A
column `kind` names the kind of question, and those of `DETAILS` say more about it. Only one row is held at a
time, and no row takes another with it.

Spreadsheets run a cell that begins with = + - @, a tab or a line break as a formula, and answers such as
-sin x begin like one. Every such cell that is written, ours or not, gets an apostrophe in front, unless the
whole cell is an expression of the language, which cannot reach beyond the sheet: -sin x, -2 and +5 stay as
they are. Reading takes such an apostrophe off again; in a column of mathematics any apostrophe in front is a
spreadsheet's mark of text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple, TextIO
from exprgrad.data import dialect
from exprgrad.data.dialect import encoding_of
from exprgrad.data.files import Replacing, opened, refuse_unusable, unreadable
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.language.notes import shorten
from exprgrad.language.parser import read
from exprgrad.lazy import pattern

if TYPE_CHECKING:
    from typing import Self

NEEDED = ("problem", "answer")
OPTIONAL = ("student", "variable", "kind")

DETAILS = ("at", "order", "of", "parameter", "direction", "constant")
"""Columns that say more about a question where a column names its kind."""

ALIASES = {
    "student": (
        "name", "naam", "nom", "nombre", "navn", "namn", "full name", "student name", "student id", "pupil", "learner",
        "leerling", "schüler", "schülerin", "studierende", "étudiant", "élève", "alumno", "studente", "e-mail", "email",
        "e-mail address", "email address", "mail", "username", "user", "login", "id", "number", "nummer", "surname", "last name",
        "first name",
    ),
    "problem": ("question", "task", "exercise", "function", "aufgabe", "opgave", "vraag", "exercice", "frage"),
    "answer": ("response", "student answer", "claim", "antwort", "antwoord", "réponse", "respuesta"),
    "variable": ("wrt",),
}  # fmt: skip
"""Other names of columns, for where their own are missing; the first that is there counts."""

_EVERY = {*NEEDED, *(alias for key in NEEDED for alias in ALIASES[key])}

MOST_TITLES = 10
"""Lines above the names of the columns, at most."""

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_BLANKS = "".join(map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x200B, 0x2060, 0xFEFF)))
_SEPARATOR = pattern(r'"?sep=(.)"?', re.IGNORECASE)
_HINT = "save it as CSV in UTF-8, with a row of names first: student, problem, answer"


class Layout(NamedTuple):
    """The layout of a file: `columns` maps the names that matter to places in a row.

    `before` are the lines above the names: titles, and `sep=;`. A file in another encoding than UTF-8 is
    written in that, with a mark, which spreadsheets recognise.
    """

    path: Path
    header: list[str]
    columns: dict[str, int]
    delimiter: str
    newline: str
    encoding: str
    rows: int = 0
    before: tuple[str, ...] = ()
    stamp: tuple[int, int] | None = None

    def lines(self) -> Iterator[str]:
        """The lines of the file, each with its end."""
        with _opened(self.path, self.encoding) as file:
            yield from file


class Submission(NamedTuple):
    """A row as it stands in the file, numbered from 1 for the header; `fault` says why it cannot be used."""

    number: int
    cells: list[str]
    fault: str | None = None


def looks_like_table(path: Path) -> bool:
    """Return whether a file is a table, by its name or by the names in its first line."""
    if path.suffix.lower() in (".csv", ".tsv"):
        return True
    if path.is_fifo() or path.is_char_device():  # which can be read once only
        return False
    with opened(path) as file:
        first = file.read(4096).decode("utf-8-sig", "replace").partition("\n")[0]
    names = {name.strip().lower() for name in dialect.head_of(first, NEEDED)[0]}
    return names.issuperset(NEEDED)


def survey(path: Path, mapping: Mapping[str, str] | None = None) -> Layout:
    """Read the file once: how it is laid out, and how many rows it has. Raises `UsageError`.

    `mapping` gives columns other names: {"student": "E-Mail"}.
    """
    refuse_unusable(path)
    if path.is_fifo() or path.is_char_device():
        what = f"{path} is not a file that can be read twice"
        raise UsageError(what, hint="copy it into one")
    try:
        encoding = encoding_of(path)
        if encoding is None:
            raise UsageError(f"{path} is not text in UTF-8 or UTF-16", hint=_HINT)
        layout = _layout(path, encoding, mapping or {})
        stamp = _stamp(path)
        return layout._replace(rows=sum(1 for _ in rows(layout)), stamp=stamp)
    except OSError as error:
        raise unreadable(path, error) from None


def _stamp(path: Path) -> tuple[int, int]:
    """Return what differs when a file has changed: its size, and when it was written."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _opened(path: Path, encoding: str) -> TextIO:
    return path.open(encoding=encoding, newline="", errors="replace")


def _layout(path: Path, encoding: str, mapping: Mapping[str, str]) -> Layout:
    """Return where the names of the columns stand, and what is between them."""
    with _opened(path, encoding) as text:
        # a file without line breaks must not be read whole to find its names
        top = [line for _ in range(MOST_TITLES) if (line := text.readline(1_000_000))]
    stated, place = None, 0
    for i, line in enumerate(top):
        match = _SEPARATOR.fullmatch(line.strip())
        if match is not None:
            stated, place = match[1], i + 1
            break
    wanted = _EVERY | {name.lower() for name in mapping.values()}
    for i, line in enumerate(top[place:], place):
        names = {name.strip().lower() for name in _head(line, stated, wanted)[0]}
        # one alone may be a title: "Exercise" above the names
        if len(names & wanted) > 1:
            place = i
            break
    first = top[place] if place < len(top) else ""
    header, delimiter = _head(first, stated, wanted)
    columns = _columns(path, header, mapping)
    newline = "\r\n" if first.endswith("\r\n") else "\n"
    found = Layout(path, header, columns, delimiter, newline, encoding)
    return found._replace(before=tuple(top[:place]))


def _head(line: str, stated: str | None, wanted: Collection[str]) -> tuple[list[str], str]:  # fmt: skip
    if stated is None:
        return dialect.head_of(line, wanted)
    return dialect.cells(line, stated), stated


def _columns(path: Path, header: list[str], mapping: Mapping[str, str]) -> dict[str, int]:  # fmt: skip
    if not any(name.strip() for name in header):
        lacks = "has no columns" if header else "is empty"
        raise UsageError(f"{path} {lacks}", hint=_HINT)
    names = [" ".join(name.lower().split()) for name in header]
    known = (*NEEDED, *OPTIONAL, *(DETAILS if "kind" in names else ()))
    found = dict[str, str]()
    for name in known:
        titles = (name, *ALIASES.get(name, ()))
        # the columns' own names first: of `name` and `student`, the latter is the student
        if own := next((title for title in titles if title in names), None):
            found[name] = own
    there = shorten(", ".join(name.strip() for name in header), 60)
    for name, column in mapping.items():
        found[name] = " ".join(column.lower().split())
        if name not in known:
            what = f"a class set has no column for {name}"
            raise UsageError(what, hint=f"one of: {', '.join(known)}")
        if found[name] not in names:
            what = f"{path} has no column {column}"
            raise UsageError(what, hint=f"it has: {there}")
    missing = [name for name in NEEDED if name not in found]
    if missing:
        what = f"{path} has no column {' and no column '.join(missing)}"
        hint = "the first row names the columns: student, problem, answer"
        raise UsageError(f"{what}; it has: {there}", hint=hint)
    for own in found.values():
        if names.count(own) > 1:
            raise UsageError(f"{path} has two columns {own}", hint="rename one of them")
    return {name: names.index(found[name]) for name in known if name in found}


def rows(layout: Layout) -> Iterator[Submission]:
    """The rows below the header; blank ones are left out but counted."""
    skipped = len(layout.before)
    lines = islice(layout.lines(), skipped, None)
    least = max(layout.columns[name] for name in NEEDED) + 1
    formulas = {place for name, place in layout.columns.items() if name != "student"}
    found = dialect.records(lines, layout.delimiter, len(layout.header), least)
    for number, cells in enumerate(found, skipped + 1):
        if number > skipped + 1 and any(cell.strip() for cell in cells):
            yield _row(number, [_bare(cell, i in formulas) for i, cell in enumerate(cells)], layout)  # fmt: skip
    # the rows were counted in an earlier reading, whose count is false for another file
    if layout.stamp is not None and layout.stamp != _stamp(layout.path):
        what = f"{layout.path} has changed while it was graded"
        raise UsageError(what, hint="grade it again")


def _row(number: int, cells: list[str], layout: Layout) -> Submission:
    """A row of the header's width. The last cell takes what is too much, so that nothing is lost."""
    while len(cells) > len(layout.header) and not cells[-1].strip():
        cells = cells[:-1]  # spreadsheets end every row with as many separators
    width, count = len(layout.header), len(cells)
    if max(layout.columns[name] for name in NEEDED) < count <= width:
        return Submission(number, cells + [""] * (width - count))
    fault = f"the row has {count} cell{'s'[: count != 1]}, the header has {width}"
    if count > width:
        fault += ": put cells with a separator in them between quotation marks"
        last = layout.delimiter.join(cells[width - 1 :])
        return Submission(number, [*cells[: width - 1], last], fault)
    return Submission(number, cells + [""] * (width - count), fault)


# Cells that a spreadsheet would run


def safe(cell: str) -> str:
    """A cell that no spreadsheet runs as a formula; see the docstring of the module."""
    return f"'{cell}" if _starts(cell) and not _is_mathematics(cell) else cell


def _starts(cell: str) -> bool:
    """Return whether a cell begins like a formula, perhaps behind blanks and line breaks."""
    # a tab or line break in front is a sign of a formula itself, and among the blanks behind which one may begin
    return cell.startswith(_FORMULA) or cell.lstrip(_BLANKS).startswith(_FORMULA)


def _bare(cell: str, is_formula: bool) -> str:
    """A cell without the apostrophe of `safe`, or of a spreadsheet in front of a formula."""
    marked = cell.startswith("'") and (is_formula or _starts(cell[1:]))
    return cell[1:] if marked else cell


def _is_mathematics(cell: str) -> bool:
    """Return whether a cell is an expression and nothing else, such as `app|item!cell` or a comment."""
    # a link to another program, app|item!cell, has the signs of an absolute value and a factorial
    if len(cell) > 1000 or "#" in cell or ("|" in cell and "!" in cell):
        return False
    try:
        read(cell)
    except ExprgradError:
        return False
    return cell.lstrip(" ")[:1] in ("+", "-")


class GradedLines:
    """Grades as lines of JSON, written row by row; they take the place of `path` only when they are whole.

    Until then, and after an error, they stand beside it as `partial`, and every row is in it as soon as
    it is written. Raises `UsageError` when `path` cannot be written or is the file that is read.
    """

    def __init__(self, path: Path, layout: Layout) -> None:
        self._layout = layout
        self._file = Replacing(path, layout.path, kept=True)
        self.partial = self._file.part
        self._lines, self._end = 0, 0  # with the one that is being written

    def __enter__(self) -> Self:
        self._stream = self._file.__enter__()
        return self

    def write_line(self, line: str, end: str = "\n") -> None:
        """Write a line, through to the operating system."""
        encoded = f"{line}{end}".encode()
        self._lines, self._end = self._lines + 1, self._end + len(encoded)
        self._stream.write(encoded)
        self._stream.flush()

    @property
    def rows(self) -> int:
        """Return how many rows are in the file, even if an interrupt came while one was written."""
        # the line is counted before it is written: one that an interrupt cut short is taken off again
        return max(self._lines - (self._stream.tell() < self._end), 0)

    def __exit__(self, *error: Any) -> None:
        self._file.__exit__(*error)


class GradedFile(GradedLines):
    """A graded class set in CSV, in the layout of the one that is read, with columns added."""

    def __init__(self, path: Path, layout: Layout, more: Sequence[str]) -> None:
        super().__init__(path, layout)
        self._head = [*layout.header, *added(layout.header, more)]

    def __enter__(self) -> Self:
        super().__enter__()
        if self._layout.encoding != "utf-8":  # it has a mark of its encoding
            self._end = self._stream.write(codecs.BOM_UTF8)
        for line in self._layout.before:
            self._end += self._stream.write(line.lstrip("\ufeff").encode())
        self.write(self._head)
        self._lines = 0
        return self

    def write(self, cells: Sequence[str]) -> None:
        """Write a row."""
        line = dialect.line([safe(cell) for cell in cells], self._layout.delimiter)
        self.write_line(line, self._layout.newline)


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
