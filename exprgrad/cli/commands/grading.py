"""`exprgrad check --file`: a whole sheet, or a class set in a CSV file."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.cli.declared import Path
from exprgrad.errors import (
    UNDEFINED,
    USAGE,
    WRONG,
    ExprgradError,
    UsageError,
)

if TYPE_CHECKING:
    from exprgrad.grading.class_set import Layout, Submission
    from exprgrad.grading.grade import Grade, Tally
    from exprgrad.grading.gradebook import Gradebook

    Graded = Generator[tuple[Submission, Grade], None, None]

Asked = tuple[tuple[str, ...], bool]
"""Conditions on the points that are asked about, and whether an answer may have a smaller domain."""

MOST_REPORTED = 20
"""Rows of a class set that are reported one by one when they cannot be read."""


class Wanted(NamedTuple):
    """What is asked for beside the grades: files to write, processes, names of columns, and what is shown."""

    output: Path | None
    report: Path | None
    jobs: int | None
    mapping: dict[str, str]
    hint: bool
    solution: bool
    quiet: bool
    format: str
    html: Path | None = None


def grade_command(file: Path, wanted: Wanted, asked: Asked = ((), False)) -> int:
    """Grade a file; the exit code. `asked` says where: conditions, and whether domains are condoned.

    A CSV file is a class set and may have an `output`; any other file is a sheet with one problem per line,
    and `-` is a sheet on standard input. The code is 0 if all answers are correct, 1 if some are wrong, 3 if
    some are undecided and none is wrong, and 2 if a line or row could not be read.
    """
    from exprgrad.grading.class_set import looks_like_table

    if wanted.jobs is not None and wanted.jobs < 1:
        raise UsageError("--jobs needs a number of processes, 1 or more")
    if str(file) == "-" or not (wanted.mapping or looks_like_table(file)):
        if wanted.output is not None or wanted.report is not None:
            name = "--report" if wanted.output is None else "--output"
            raise UsageError(
                f"{name} is for a class set in a CSV file",
                hint="redirect what is printed: > graded.txt",
            )
        return _sheet(file, wanted, asked)
    return _class(file, wanted, asked)


def _sheet(file: Path, wanted: Wanted, asked: Asked) -> int:
    from exprgrad.checking.check import UNREADABLE
    from exprgrad.cli.arguments import source_of
    from exprgrad.grading.grade import Tally, grade_sheet
    from exprgrad.grading.sheet import read_sheet
    from exprgrad.views.formats import write
    from exprgrad.views.output import width
    from exprgrad.views.progress import Progress
    from exprgrad.views.verdicts.checking import Detail
    from exprgrad.views.verdicts.grading import SheetView

    text = source_of("-", None) if str(file) == "-" else source_of(None, file)
    lines = read_sheet(text)
    graded, tally = [], Tally()
    with Progress(len(lines), "problems") as progress:
        for line, verdict in grade_sheet(lines, *asked):
            graded.append((line, verdict))
            if isinstance(verdict, ExprgradError):
                tally.add(UNREADABLE)
            else:
                tally.add(verdict.status, verdict.mistake)
            progress.advance()
    detail = Detail(wanted.hint, wanted.solution, width())
    if wanted.html is not None:
        from exprgrad.views.verdicts.pages import sheet_page

        page = sheet_page(graded, tally, detail, title_of(file))
        write_page(wanted.html, file, [page])
    if not wanted.quiet or wanted.format == "json":
        write(SheetView(graded, tally, detail), wanted.format)
    for line, verdict in graded:
        if isinstance(verdict, ExprgradError):
            _report(verdict, f"line {line.line}")
    return _code(tally)


def title_of(file: Path) -> str:
    """What a page about a file is called."""
    return "standard input" if str(file) == "-" else file.stem


def write_page(path: Path, source: Path, parts: Iterable[str]) -> None:
    """Write a page in HTML, whole or not at all, and never in place of what it is about."""
    from exprgrad.data.files import Replacing

    with Replacing(path, 0 if str(source) == "-" else source) as file:
        for part in parts:
            file.write(part.encode())


def _class(file: Path, wanted: Wanted, asked: Asked) -> int:
    from exprgrad.grading.grade import Tally
    from exprgrad.grading.gradebook import Gradebook
    from exprgrad.views.verdicts.grading import row_fields

    if wanted.report is not None and wanted.html is not None:
        raise UsageError("--report and --html write the same page; give one")
    path = wanted.report or wanted.html
    layout, tally = _surveyed(file, wanted.mapping), Tally()
    book = Gradebook(whole=path is not None)
    graded = _booked(_graded(layout, wanted.jobs, tally, asked), layout, book)
    rows = None
    if wanted.output is not None:
        with closing(graded):
            _write(layout, wanted.output, graded, wanted.hint)
    else:
        rows = []
        with closing(graded):
            for row, grade in graded:
                if wanted.format == "json":
                    rows.append(row_fields(row, grade, layout.header))
    if path is not None:
        from exprgrad.views.verdicts.class_page import class_page

        write_page(path, layout.path, [class_page(book, tally, title_of(layout.path), wanted.hint)])  # fmt: skip
    return _summary(tally, rows, book, wanted)


def _booked(graded: Graded, layout: Layout, book: Gradebook) -> Graded:
    """The grades as they come, taken into a gradebook."""
    from exprgrad.grading.class_set import DETAILS

    places = layout.columns
    with closing(graded):
        for row, grade in graded:
            student = row.cells[places["student"]] if "student" in places else ""
            question, answer = (row.cells[places[n]] for n in ("problem", "answer"))
            variable = row.cells[places["variable"]] if "variable" in places else ""
            other = any(row.cells[places[n]].strip() for n in ("kind", *DETAILS) if n in places)  # fmt: skip
            book.add(student.strip(), question.strip(), answer, grade, None if other else variable)  # fmt: skip
            yield row, grade


def _summary(
    tally: Tally, rows: list[dict[str, Any]] | None, book: Gradebook, wanted: Wanted
) -> int:
    from exprgrad.views.formats import write
    from exprgrad.views.verdicts.grading import ClassView

    if not wanted.quiet or wanted.format == "json":
        write(ClassView(tally, rows, book), wanted.format)
    return _code(tally)


def _surveyed(file: Path, columns: dict[str, str]) -> Layout:
    from exprgrad.grading.class_set import survey

    layout = survey(file, columns)
    if not layout.rows:
        raise UsageError(
            f"{file} has no rows below its header",
            hint="write a problem and an answer in each",
        )
    return layout


def _graded(layout: Layout, jobs: int | None, tally: Tally, asked: Asked) -> Graded:
    """The grades as they come; they are counted, progress is shown, and what is unreadable is reported."""
    from exprgrad.cli.hints import remark
    from exprgrad.data.processes import cores
    from exprgrad.grading.grade import FEW_ROWS, grade_rows
    from exprgrad.views.progress import Progress

    if jobs is None:
        jobs = cores() if layout.rows > FEW_ROWS else 1
    place = layout.columns.get("student")
    faults = 0
    with Progress(layout.rows, "rows") as progress:
        for row, grade in grade_rows(layout, jobs, *asked):
            student = None if place is None else row.cells[place].strip()
            is_blank = not row.cells[layout.columns["answer"]].strip()
            tally.add(grade.status, grade.mistake, student, is_blank)
            if grade.error is not None:
                faults += 1
                if faults <= MOST_REPORTED:
                    progress.clear()
                    _report(grade.error, f"row {row.number}")
            progress.advance()
            yield row, grade
    if faults > MOST_REPORTED:
        remark(f"({faults - MOST_REPORTED} more rows cannot be read)")


def _write(layout: Layout, path: Path, graded: Graded, hint: bool) -> None:
    """Write the graded table, in CSV or, by the name of the file, in lines of JSON."""
    from exprgrad.cli.hints import remark
    from exprgrad.cli.signals import raising
    from exprgrad.grading.class_set import GradedFile, GradedLines
    from exprgrad.grading.grade import COLUMNS, cells_of
    from exprgrad.views.formats import json_line
    from exprgrad.views.verdicts.grading import row_fields

    lines = path.suffix.lower() in (".jsonl", ".ndjson")
    file = GradedLines(path, layout) if lines else GradedFile(path, layout, COLUMNS)
    with raising(), file as writer:
        try:
            for row, grade in graded:
                if isinstance(writer, GradedFile):
                    writer.write([*row.cells, *cells_of(grade, hint)])
                else:
                    writer.write_line(json_line(row_fields(row, grade, layout.header)))
        except (KeyboardInterrupt, ExprgradError):
            rows = f"{writer.rows} of {layout.rows} rows are in {writer.partial}"
            remark(f"stopped: {rows}")
            raise


def _report(error: ExprgradError, place: str) -> None:
    """Print a diagnostic of what cannot be read, behind its place."""
    from exprgrad.cli.hints import report

    message, origin = f"{place}: {error.message}", ""
    if error.source and error.span:
        message = error.message
        origin = f"{place}, {error.origin}:" if error.origin else f"{place}:"
    report(
        ExprgradError(
            message, error.span, error.hint, source=error.source, origin=origin
        )
    )


def _code(tally: Tally) -> int:
    from exprgrad.checking.check import INCORRECT, PARTLY, UNDECIDED, UNREADABLE

    codes = {UNREADABLE: USAGE, INCORRECT: WRONG, PARTLY: WRONG, UNDECIDED: UNDEFINED}
    return next((code for status, code in codes.items() if tally.all[status]), 0)
