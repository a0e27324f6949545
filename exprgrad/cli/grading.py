"""`exprgrad check --file`: a whole sheet, or a class set in a CSV file."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from exprgrad.errors import (
    INTERRUPTED,
    UNDEFINED,
    USAGE,
    WRONG,
    ExprgradError,
    UsageError,
)

if TYPE_CHECKING:
    from exprgrad.gradebook import Layout, Row
    from exprgrad.grading import Grade, Tally

MOST_REPORTED = 20
"""Rows of a class set that are reported one by one when they cannot be read."""


def grade_command(
    file: Path,
    output: Path | None,
    jobs: int | None,
    hint: bool,
    solution: bool,
    quiet: bool,
    format_: str,
) -> int:
    """Grade a file; the exit code.

    A CSV file is a class set and may have an `output`; any other is a sheet with a problem a line. The code is 0
    when all answers are correct, 1 when some are not, 3 when some are undecided and none is wrong, and 2
    when a line or row could not be read, after all others.
    """
    from exprgrad.gradebook import looks_like_table

    if looks_like_table(file):
        return _class(file, output, jobs, hint, quiet, format_)
    if output is not None:
        raise UsageError(
            "--output is for a class set in a CSV file",
            hint="redirect what is printed: > graded.txt",
        )
    return _sheet(file, hint, solution, quiet, format_)


def _sheet(file: Path, hint: bool, solution: bool, quiet: bool, format_: str) -> int:
    from exprgrad.cli.arguments import source_of
    from exprgrad.grading import Tally, grade_sheet
    from exprgrad.sheets import read_sheet
    from exprgrad.views import formats, output
    from exprgrad.views import grading as view
    from exprgrad.views.progress import Progress

    lines = read_sheet(source_of(None, file))
    graded, tally = [], Tally()
    progress = Progress(len(lines), "problems")
    for line, grade in grade_sheet(lines):
        graded.append((line, grade))
        tally.add(grade)
        progress.advance()
    progress.clear()
    if format_ == "json":
        output.emit(formats.to_json(view.fields(graded, hint)))
    elif not quiet:
        output.show([view.sheet_table(graded)])
        output.emit_lines(view.remarks(graded, hint, solution))
    for line, grade in graded:
        _report(grade, f"line {line.line}")
    return _code(tally)


def _class(
    file: Path,
    path: Path | None,
    jobs: int | None,
    hint: bool,
    quiet: bool,
    format_: str,
) -> int:
    from exprgrad.gradebook import survey
    from exprgrad.grading import FEW_ROWS, Tally, grade_rows
    from exprgrad.processes import cores
    from exprgrad.views import formats, output
    from exprgrad.views import grading as view

    layout = survey(file)
    if not layout.rows:
        raise UsageError(f"{file} has no rows", hint="write a problem and an answer")
    if jobs is None:
        jobs = cores() if layout.rows > FEW_ROWS else 1
    tally = Tally()
    with closing(_watched(grade_rows(layout, jobs), layout, tally)) as graded:
        if path is not None:
            if not _written(graded, layout, path, hint):
                return INTERRUPTED
        elif format_ == "json":
            found = view.row_fields(graded, layout.header, tally, hint)
            output.emit(formats.to_json(found))
            return _code(tally)
        else:
            for _ in graded:
                pass
    if format_ == "json":
        output.emit(formats.to_json({"score": view.counts(tally)}))
    elif not quiet:
        output.show(view.class_tables(tally))
    return _code(tally)


def _watched(
    graded: Iterator[tuple[Row, Grade]], layout: Layout, tally: Tally
) -> Generator[tuple[Row, Grade], None, None]:
    """The grades as they come, counted, with the progress shown and faults reported."""
    from exprgrad.views.output import emit_error
    from exprgrad.views.progress import Progress

    progress = Progress(layout.rows, "rows")
    place = layout.columns.get("student")
    faults = 0
    try:
        for row, grade in graded:
            tally.add(grade, None if place is None else row.cells[place])
            if grade.error is not None:
                faults += 1
                if faults <= MOST_REPORTED:
                    progress.clear()
                    _report(grade, f"row {row.number}")
            progress.advance()
            yield row, grade
    finally:
        progress.clear()
    if faults > MOST_REPORTED:
        emit_error(f"({faults - MOST_REPORTED} more rows cannot be read)")


def _written(
    graded: Iterator[tuple[Row, Grade]], layout: Layout, path: Path, hint: bool
) -> bool:
    """Write the graded table; whether it is whole."""
    from exprgrad.gradebook import Writer
    from exprgrad.grading import COLUMNS, cells_of
    from exprgrad.views.output import emit_error

    count = 0
    try:
        with Writer(path, layout, COLUMNS) as writer:
            for row, grade in graded:
                writer.write([*row.cells, *cells_of(grade, hint)])
                count += 1
            writer.finish()
    except KeyboardInterrupt:
        emit_error(
            f"interrupted: {count} of {layout.rows} rows are in {writer.partial}"
        )
        return False
    return True


def _report(grade: Grade, place: str) -> None:
    """A diagnostic of what cannot be read, behind its place."""
    from exprgrad.views.diagnostic import report

    error = grade.error
    if error is None:
        return
    if error.source and error.span:
        where = f"{place}, {error.origin}:" if error.origin else f"{place}:"
        message = error.message
    else:
        where, message = "", f"{place}: {error.message}"
    report(
        ExprgradError(
            message, error.span, error.hint, source=error.source, origin=where
        )
    )


def _code(tally: Tally) -> int:
    from exprgrad.grading import INCORRECT, UNDECIDED, UNREADABLE

    if tally.all[UNREADABLE]:
        return USAGE
    if tally.all[INCORRECT]:
        return WRONG
    return UNDEFINED if tally.all[UNDECIDED] else 0
