"""`exprgrad check --file`, a whole sheet or a class set; `audit`, a document; `practice`, problems one after the other."""

from __future__ import annotations

import os
import sys
from contextlib import closing

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.checking.check import UNDECIDED, UNREADABLE
from exprgrad.commands import declared as row
from exprgrad.commands.declared import names, text_of
from exprgrad.commands.hints import remark, report
from exprgrad.errors import UNDEFINED, WRONG, ExprgradError, UsageError
from exprgrad.views.formats import json_line, write
from exprgrad.views.output import emit, width
from exprgrad.views.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from exprgrad.grading.class_set import Layout, Submission
    from exprgrad.grading.grade import Grade
    from exprgrad.grading.gradebook import Gradebook
    from exprgrad.grading.practice import Exercise
    from exprgrad.views.reports import PracticeView

    Graded = Generator[tuple[Submission, Grade], None, None]


MOST_REPORTED = 20
"""Rows of a class set that are reported one by one when they cannot be read."""


class Grading:
    """A file to be graded as the command `check` asks; `mapping` names columns.

    A CSV file is a class set and may have an output; any other file is a sheet with one problem per line,
    and `-` is a sheet on standard input.
    """

    def __init__(self, file: Path, check: Any, mapping: dict[str, str]) -> None:
        self.file, self.check, self.mapping = file, check, mapping
        self.asked = tuple(check.where), check.condone

    def grade(self) -> tuple[Any, list[ExprgradError]]:
        """Grade it; what was found, and the errors of lines that cannot be read."""
        from exprgrad.grading.class_set import looks_like_table

        # who names columns means a table; else the name of the file decides, or its first line
        if str(self.file) == "-" or not (self.mapping or looks_like_table(self.file)):
            if self.check.output is not None or self.check.report is not None:
                name = "--report" if self.check.output is None else "--output"
                what = f"{name} is for a class set in a CSV file"
                raise UsageError(what, hint="redirect what is printed: > graded.txt")
            return self._sheet()
        return self._class(), []

    def _sheet(self) -> tuple[Any, list[ExprgradError]]:
        from exprgrad.grading.grade import grade_sheet
        from exprgrad.grading.gradebook import Score
        from exprgrad.grading.sheet import read_sheet
        from exprgrad.views.grading import SheetView

        lines, graded, score = read_sheet(text_of(self.file)), [], Score()
        errors: list[ExprgradError] = []
        with Progress(len(lines), "problems") as progress:
            for line, verdict in grade_sheet(lines, *self.asked):
                graded.append((line, verdict))
                if isinstance(verdict, ExprgradError):
                    score.add(UNREADABLE)
                    errors.append(_placed(verdict, f"line {line.line}"))
                else:
                    score.add(verdict.status, verdict.mistake)
                progress.advance()
        detail = self.check.detail()
        if self.check.html is not None:
            from exprgrad.views.grading import sheet_page

            page = sheet_page(graded, score, detail, title_of(self.file))
            write_page(self.check.html, self.file, page)
        return SheetView(graded, score, detail), errors

    def _class(self) -> Any:
        from exprgrad.grading.class_set import survey
        from exprgrad.grading.gradebook import Gradebook
        from exprgrad.views.grading import ClassView, row_fields

        if self.check.report is not None and self.check.html is not None:
            raise UsageError("--report and --html write the same page; give one")
        path = self.check.report or self.check.html
        layout = survey(self.file, self.mapping)
        if not layout.rows:
            what = f"{self.file} has no rows below its header"
            raise UsageError(what, hint="write a problem and an answer in each")
        book = Gradebook(whole=path is not None)
        rows: list[dict[str, Any]] | None = None
        # an error in between ends the processes and the line of progress, too
        with closing(self._graded(layout, book)) as graded:
            if self.check.output is not None:
                _write(layout, self.check.output, graded, self.check.hint)
            else:
                rows = []
                for row, grade in graded:
                    if self.check.format == "json":
                        rows.append(row_fields(row, grade, layout.header))
        if path is not None:
            from exprgrad.views.grading import class_page

            page = class_page(book, title_of(layout.path), self.check.hint)
            write_page(path, layout.path, page)
        return ClassView(book, rows)

    def _graded(self, layout: Layout, book: Gradebook) -> Graded:
        """The grades as they come, taken into a gradebook; progress is shown, and what is unreadable is reported."""
        from exprgrad.data.processes import cores
        from exprgrad.grading.class_set import DETAILS
        from exprgrad.grading.grade import FEW_ROWS, grade_rows

        # to start processes takes longer than to grade a few rows
        jobs = self.check.jobs or (cores() if layout.rows > FEW_ROWS else 1)
        places = layout.columns
        faults = 0
        with Progress(layout.rows, "rows") as progress:
            for row, grade in grade_rows(layout, jobs, *self.asked):
                own = {name: row.cells[place] for name, place in places.items()}
                student, answer = own.get("student"), own["answer"]
                called = None if student is None else student.strip()
                if grade.error is not None:
                    faults += 1
                    if faults <= MOST_REPORTED:
                        progress.clear()
                        report(_placed(grade.error, f"row {row.number}"))
                progress.advance()
                # no derivative: a page then shows question and answer as they were typed
                other = any(own.get(name, "").strip() for name in ("kind", *DETAILS))
                variable = None if other else own.get("variable", "")
                book.add(called, own["problem"].strip(), answer, grade, variable)
                yield row, grade
        if faults > MOST_REPORTED:
            remark(f"({faults - MOST_REPORTED} more rows cannot be read)")


def title_of(file: Path) -> str:
    """Return what a page about a file is called."""
    return "standard input" if str(file) == "-" else file.stem


def write_page(path: Path, source: Path, page: str) -> None:
    """Write a page in HTML, whole or not at all, and never in place of what it is about."""
    from exprgrad.data.files import Replacing

    with Replacing(path, 0 if str(source) == "-" else source) as file:
        file.write(page.encode())


def _write(layout: Layout, path: Path, graded: Graded, hint: bool) -> None:
    """Write the graded table, in CSV or, by the name of the file, in lines of JSON."""
    from exprgrad.commands.signals import raising
    from exprgrad.grading.class_set import GradedFile, GradedLines
    from exprgrad.grading.grade import COLUMNS, cells_of
    from exprgrad.views.grading import row_fields

    lines = path.suffix.lower() in (".jsonl", ".ndjson")
    file = GradedLines(path, layout) if lines else GradedFile(path, layout, COLUMNS)
    # after Ctrl-C, the rows that are done stay in the partial file, and a remark says where
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


def _placed(error: ExprgradError, place: str) -> ExprgradError:
    """The diagnostic of what cannot be read, behind its place."""
    message, origin, source = f"{place}: {error.message}", "", error.source
    if source and error.span:
        message = error.message
        origin = f"{place}, {error.origin}:" if error.origin else f"{place}:"
    return ExprgradError(message, error.span, error.hint, source=source, origin=origin)


class Audit(row.Command):
    """Find every claim about a derivative in documents, and check it step by step."""

    example = "exprgrad audit notes.tex"
    pages = "latex"

    file: Path = row.argument("The document: .tex, .md or .txt; - reads TeX from standard input.", "FILE", row.PATH, needed=True)  # fmt: skip
    others: list[str] = row.argument("More documents.", "[FILE ...]", list)
    format: str = row.formats(
        "How to write the findings.", "text json junit sarif github"
    )
    quiet: bool = row.flag("Print nothing but what is wrong.", "--quiet", "-q")

    def run(self) -> row.Result:
        """Find them and check them."""
        from exprgrad.grading import audit, claims
        from exprgrad.views.reports import AuditView, count

        audits, errors = [], []
        for file in (str(self.file), *self.others):
            try:
                name = "stdin.tex" if file == "-" else file
                audits.append(audit.audit(text_of(file), name))
            except ExprgradError as error:
                errors.append(error)
        if not audits:
            raise errors[0]
        # a wrong claim outweighs an open one, and a document that could not be read both
        open_ = UNDEFINED if count(audits, claims.UNDECIDED) else 0
        code = WRONG if count(audits, claims.WRONG) else open_
        code = errors[0].exit_code if errors else code
        return row.Result(AuditView((*audits,), self.quiet), errors=errors, code=code)


MOST_EXPORTED = 1000
"""Problems of a sheet."""

MOST_TRIES = 3
"""Wrong answers to a problem before its solution is shown."""

FILE = "practice.tsv"
"""What is remembered, in the folder for state."""


class Practice(row.Command):
    """Practise derivatives: problems, verdicts on your answers, and sheets with their answers."""

    example = "exprgrad practice --topic chain,product"
    pages = "practising"

    topic: list[str] = row.texts(
        "What to practise: power, sum, product, quotient, chain, exponential, logarithm, root, trigonometry, "
        "inverse, hyperbolic; all without it.",
        "chain,product",
        completes="practised",
    )
    level: int = row.whole("How hard.", 2, least=1, most=3)
    seed: str | None = row.text("Chooses the problems.", "N")
    export: int | None = row.whole("Print a sheet of N problems.", least=1, most=MOST_EXPORTED)  # fmt: skip
    forget: bool = row.flag("Forget what went right and wrong.")
    format: str = row.formats("How to write a sheet.", "text csv moodle-xml")

    def run(self) -> row.Result:
        """Ask problems, or print a sheet."""
        from exprgrad.data.files import folder
        from exprgrad.grading.practice import topics_named

        chosen = topics_named(names(self.topic) or [])
        if self.export is not None:
            seed, distract = self.seed or "0", self.format in ("csv", "moodle-xml")
            return row.Result(_sheet(chosen, self.level, seed, self.export, distract))
        if self.format != "text":
            raise UsageError("--format is for a sheet", hint="add --export 10")
        home = folder()
        path = None if home is None else home / FILE
        if self.forget:
            if path is not None:
                path.unlink(missing_ok=True)
            emit("forgotten")
            return row.Result()
        # the seed is kept in a file with tabs and line breaks between its fields
        seed = " ".join((self.seed or os.urandom(4).hex()).split())
        return row.Result(code=_ask(chosen, self.level, seed, path))


def _sheet(topics: list[str], level: int, seed: str, count: int, distract: bool) -> PracticeView:  # fmt: skip
    """A sheet of problems, no two of which are the same; with wrong answers, if these are wanted."""
    from exprgrad.grading.practice import distractors, exercise
    from exprgrad.views.reports import Item, PracticeView

    items: list[Item] = []
    seen: set[str] = set()
    with Progress(count, "problems") as progress:
        # twenty draws for each problem: where a topic has fewer, the sheet ends earlier
        for i in range(20 * count):
            topic = topics[len(items) % len(topics)]
            own = exercise(topic, level, seed if i == 0 else f"{seed}/{i}")
            if own.problem in seen:
                continue
            seen.add(own.problem)
            items.append(Item(own, distractors(own) if distract else ()))
            progress.advance()
            if len(items) == count:
                break
    return PracticeView(items)


def _ask(topics: list[str], level: int, seed: str, path: Path | None) -> int:
    """Ask one problem after the other until the input ends; the exit code."""
    from exprgrad.grading.progress import Record

    record = Record.load(path)
    emit("Type the derivative; ? gives a hint, skip or an empty line shows it, q ends.")
    right = asked = 0
    ended = False
    while not ended:
        own, made_from = record.next(topics, level, seed)
        solved, ended = _solved(own, asked + 1)
        if solved is None:
            break
        asked += 1
        right += solved
        record.note(own, made_from, solved)
        try:
            if path is not None:
                record.save(path)
        except (ExprgradError, OSError) as error:  # practice goes on without it
            remark(f"note: progress is not kept: {error}")
            path = None
    emit(f"\n{right} of {asked} correct")
    return 0 if right == asked else WRONG


def _solved(own: Exercise, number: int) -> tuple[bool | None, bool]:
    """Ask a problem until it is right or given up, None where nothing was answered; and whether the input ended."""
    from exprgrad.grading.practice import hints

    wrong, ended, given = 0, False, hints(own)
    while wrong < MOST_TRIES:
        emit(f"\n{number}. d/dx ({own.problem}) =")
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin is not None else ""
        answer = line.strip()
        ended = not line or answer.lower() in ("q", "quit", "exit")
        if ended and not wrong:
            return None, True
        if ended or answer.lower() in ("", "skip"):
            break
        if answer == "?":
            emit(next(given, "there are no more hints: skip shows the derivative"))
            continue
        verdict = _judged(own, answer)
        if verdict:
            return True, False
        wrong += verdict is False  # not what cannot be judged
    emit(f"it is {own.answer}")
    return False, ended


def _judged(own: Exercise, answer: str) -> bool | None:
    """Show what is right or wrong with an answer; None where it cannot be read."""
    from exprgrad.checking.problems import judge
    from exprgrad.grading.practice import VARIABLE
    from exprgrad.grading.sheet import problem_in
    from exprgrad.views.verdicts import Detail, VerdictsView

    try:
        verdict = judge(problem_in(own.problem, answer, VARIABLE))
    except ExprgradError as error:
        report(error)
        return None
    write(VerdictsView([(verdict, None)], Detail(False, False, width())), "text")
    if verdict.status in (UNREADABLE, UNDECIDED):
        return None
    return verdict.status == "correct"
