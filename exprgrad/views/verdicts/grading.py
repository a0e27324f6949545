"""Graded sheets and class sets: a table with the score, what went wrong below it, and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.check import CORRECT, PARTLY, UNDECIDED, UNREADABLE, Verdict
from exprgrad.checking.fields import on_one_line
from exprgrad.checking.problems import Problem, StatedProblem
from exprgrad.errors import ExprgradError
from exprgrad.grading.class_set import Submission
from exprgrad.grading.grade import (
    BLANK,
    STATUSES,
    Grade,
    GradedLine,
    Tally,
)
from exprgrad.grading.gradebook import Gradebook
from exprgrad.grading.sheet import Unreadable
from exprgrad.language.notes import LONGEST_PIECE, shorten
from exprgrad.views.blocks import MARKS, Block, Column, Said, Table, judged
from exprgrad.views.verdicts import checking

SheetLine = Problem | StatedProblem | Unreadable
Outcome = Verdict | ExprgradError
"""What a line of a sheet is read as, and what is found of it."""

MOST_MISTAKES = 20
"""Mistakes that programs get with an example."""

MOST_QUESTIONS = 40
"""Questions that are listed on the screen."""

LONGEST_TEXT = 100
"""Characters of a problem or an answer that stand in a title."""


class SheetView(NamedTuple):
    """A graded sheet: a table with the score, and a paragraph for every answer that is not simply right.

    An answer that is right and could have been read in another way has one that says how it was read.
    """

    graded: Sequence[GradedLine]
    tally: Tally
    detail: checking.Detail

    def blocks(self) -> list[Block]:
        """The table, and what there is to say about single answers below it."""
        table = sheet_table(self.graded, self.tally, self.detail.width)
        return [table, *(block for line in self.graded for block in self._said(line))]

    def _said(self, line: GradedLine) -> Iterator[Block]:
        """What there is to say about an answer; nothing of one that is simply right."""
        problem, verdict = line
        if isinstance(problem, Unreadable) or isinstance(verdict, ExprgradError):
            return
        plain = verdict.status == CORRECT and not _is_remarkable(verdict)
        if plain and not verdict.notes:
            return
        label = f"{problem.label}, " if problem.label else ""
        sign = " =" if isinstance(problem, Problem) else ":"
        text = f"{shorten(problem.asked, LONGEST_TEXT)}{sign} {shorten(problem.answer, LONGEST_TEXT)}"
        said = f"{label}line {problem.line}: {text}"
        yield judged(verdict.status, said, apart=True)
        if plain:
            yield from (Said(note, "note") for note in verdict.notes)
        else:
            yield from checking.body(verdict, self.detail)

    def as_dict(self) -> dict[str, Any]:
        """The score, and the fields of every problem."""
        problems = []
        for line, verdict in self.graded:
            found: dict[str, Any] = {"line": line.line, "label": line.label}
            if isinstance(line, Unreadable):
                found |= {"source": line.source}
            else:
                found |= {"problem": line.asked, "answer": line.answer}
            if isinstance(verdict, ExprgradError):
                found |= {"status": UNREADABLE, "error": on_one_line(verdict)}
            else:
                found |= verdict.as_dict()
            problems.append(found)
        return {"score": self.tally.as_dict(), "problems": problems}


class ClassView(NamedTuple):
    """A graded class set in short; with `rows`, as the fields of JSON, also row by row."""

    tally: Tally
    rows: list[dict[str, Any]] | None = None
    book: Gradebook | None = None

    def blocks(self) -> list[Block]:
        """The score of every student, of every question, and the most frequent mistakes."""
        return class_tables(self.tally, self.book)

    def as_dict(self) -> dict[str, Any]:
        """The score, by student and question as well, mistakes with an example, and the rows if there are any."""
        out: dict[str, Any] = {"score": self.tally.as_dict()}
        if self.rows is not None:
            out["rows"] = self.rows
        if self.book is not None:
            if self.tally.students:
                out["students"] = {
                    n: own.as_dict() for n, own in self.book.students.items()
                }
            out["questions"] = {
                n: own.as_dict() for n, own in self.book.questions.items()
            }
            out["mistakes"] = [
                {"mistake": name, "times": times, "problem": own.question, "answer": own.answer, "message": own.said}
                for name, times, own in self.book.commonest(MOST_MISTAKES)
            ]  # fmt: skip
        return out


def sheet_table(graded: Sequence[GradedLine], tally: Tally, width: int) -> Table:
    """A row per answer, the score below; long texts are shortened to fit that width."""
    columns = [
        Column("", style="bold"),
        Column("line", number=True, spare=2, style="dim"),
        Column("no.", spare=1),
        Column("problem"),
        Column("answer"),
    ]
    most = max(12, min(LONGEST_PIECE, (width - 17) // 2))
    rows: list[tuple[str, ...]] = []
    for line, verdict in graded:
        mark = MARKS[_status(verdict)]
        texts = (shorten(text, most) for text in texts_of(line))
        rows.append((mark, str(line.line), line.label, *texts))
    if not any(line.label for line, _ in graded):
        del columns[2]
        rows = [(*row[:2], *row[3:]) for row in rows]
    return Table("", columns, rows, score(tally))


def texts_of(line: SheetLine) -> tuple[str, str]:
    """The problem and the answer of a line."""
    if isinstance(line, Unreadable):
        return line.source, ""
    return line.asked, line.answer


def _status(verdict: Outcome) -> str:
    return UNREADABLE if isinstance(verdict, ExprgradError) else verdict.status


def score(tally: Tally) -> str:
    """`7 of 9 correct`, and how many are neither right nor wrong."""
    parts = [f"{tally.all[CORRECT]} of {tally.total} correct"]
    found = apart(tally.all)
    words = {PARTLY: "partly", UNDECIDED: "undecided", UNREADABLE: "cannot be read", BLANK: "blank"}  # fmt: skip
    parts += [f"{found[s]} {word}" for s, word in words.items() if found[s]]
    return ", ".join(parts)


def apart(count: Counter[str]) -> Counter[str]:
    """Counts by status, in which blank answers are not unreadable ones."""
    found = Counter(count)
    found[UNREADABLE] -= found[BLANK]
    return found


def _is_remarkable(verdict: Verdict) -> bool:
    """Whether an answer is right with a reservation; how it was read is not one."""
    if verdict.asked:
        return bool(verdict.notes) or "digits you gave" in verdict.evidence
    exact = verdict.evidence.startswith(("proved", "agrees"))
    readings = {*verdict.expression.notes, *verdict.claim.notes}
    return not exact or not readings.issuperset(verdict.notes)


def class_tables(tally: Tally, book: Gradebook | None = None) -> list[Block]:
    """A class set in short: the score of every student, of every question, and the most frequent mistakes."""
    every = apart(tally.all)
    found = [s for s in (*STATUSES, BLANK) if every[s]]
    columns = [Column(s, number=True) for s in found]
    rows = [
        (shorten(name), *(str(apart(count)[s]) for s in found))
        for name, count in tally.students.items()
    ]
    if rows:
        columns.insert(0, Column("student"))
    else:
        rows = [tuple(str(every[s]) for s in found)]
    if book is not None and tally.students:
        columns.append(Column("right", number=True))
        rows = [
            (*row, own.percent)
            for row, own in zip(rows, book.students.values(), strict=True)
        ]
    blocks: list[Block] = [Table("", columns, rows, score(tally))]
    if book is not None and 1 < len(book.questions) <= MOST_QUESTIONS:
        right, of = Column("right", number=True), Column("of", number=True)
        head = [Column("question"), right, of, Column("commonest mistake", spare=1)]
        made: list[tuple[str, ...]] = []
        for name, own in book.questions.items():
            mistake = next((name for name, _ in own.mistakes.most_common(1)), "")
            made.append((shorten(name, 30), str(own.right), str(own.total), mistake))
        blocks.append(Table("", head, made))
    if tally.mistakes:
        made = [(name, str(times)) for name, times in tally.mistakes.most_common(10)]
        head = [Column("mistake"), Column("times", number=True)]
        if book is not None:
            head += [Column("for example", spare=1), Column("answered", spare=1)]
            made = [
                (name, str(times), shorten(own.question, 24), shorten(own.answer, 24))
                for name, times, own in book.commonest(10)
            ]
        blocks.append(Table("", head, made))
    return blocks


def row_fields(row: Submission, grade: Grade, header: Sequence[str]) -> dict[str, Any]:
    """A row of a class set as the fields of JSON."""
    cells = dict(zip(header, row.cells, strict=True))
    return {"row": row.number, "cells": cells, **grade.as_dict()}
