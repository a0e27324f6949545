"""Graded sheets and class sets: a table with the score, what went wrong below it, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from exprgrad.errors import ExprgradError
from exprgrad.gradebook import Row
from exprgrad.grading import (
    CORRECT,
    INCORRECT,
    STATUSES,
    UNDECIDED,
    UNREADABLE,
    Grade,
    Tally,
    told,
)
from exprgrad.reading import shorten
from exprgrad.sheets import Problem, Unreadable
from exprgrad.views.blocks import Block, Column, Table

SIGNS = {CORRECT: "✓", INCORRECT: "✗", UNDECIDED: "?", UNREADABLE: "!"}

Graded = Sequence[tuple[Problem | Unreadable, Grade]]


def sheet_table(graded: Graded) -> Table:
    """A row per answer, the score below."""
    columns = [
        Column("", style="bold"),
        Column("line", number=True, spare=2, style="dim"),
        Column("no.", spare=1),
        Column("problem"),
        Column("answer"),
    ]
    if not any(problem.label for problem, _ in graded):
        del columns[2]
    rows = []
    for problem, grade in graded:
        cells = [SIGNS[grade.status], str(problem.line), problem.label]
        if isinstance(problem, Problem):
            cells += [shorten(problem.asked), shorten(problem.answer)]
        else:
            cells += [shorten(problem.source), ""]
        if len(columns) < 5:
            del cells[2]
        rows.append(tuple(cells))
    tally = Tally()
    for _, grade in graded:
        tally.add(grade)
    return Table("", columns, rows, score(tally))


def score(tally: Tally) -> str:
    """`7 of 9 correct`, and how many are neither right nor wrong."""
    total = tally.all.total()
    parts = [f"{tally.all[CORRECT]} of {total} correct"]
    open_ones = {UNDECIDED: "undecided", UNREADABLE: "cannot be read"}
    parts += [f"{tally.all[s]} {word}" for s, word in open_ones.items() if tally.all[s]]
    return ", ".join(parts)


def remarks(graded: Graded, hint: bool, solution: bool) -> Iterator[str]:
    """What is to be said of every answer that is not simply right, a paragraph each."""
    for problem, grade in graded:
        if not isinstance(problem, Problem) or grade.status == UNREADABLE:
            continue
        texts = list(_remark(problem, grade, hint))
        if solution and grade.status != CORRECT:
            texts += _derivation(problem, grade)
        if texts:
            yield ""
            yield _title(problem, grade)
            yield from (f"  {text}" for text in texts)


def _title(problem: Problem, grade: Grade) -> str:
    label = f"{problem.label}, " if problem.label else ""
    text = f"{shorten(problem.asked, 100)} = {shorten(problem.answer, 100)}"
    return f"{SIGNS[grade.status]} {label}line {problem.line}: {text}"


def _remark(problem: Problem, grade: Grade, hint: bool) -> Iterator[str]:
    exact = grade.status == CORRECT and grade.evidence.startswith(("proved", "agrees"))
    if not exact and not (hint and grade.status == INCORRECT):
        yield grade.evidence
    readings = {*problem.function.notes, *problem.claim.notes}
    for note in grade.notes:
        if grade.status != CORRECT or note not in readings:
            yield f"note: {note}"
    mistake = grade.mistake
    if mistake is None:
        return
    yield mistake.hint if hint else mistake.message
    if mistake.span is not None and not hint:
        start, end = mistake.span
        source = problem.function.source
        if "\n" not in source and len(source) <= 100:
            yield f"  {source}"
            yield "  " + " " * start + "^" * max(1, end - start)


def _derivation(problem: Problem, grade: Grade) -> Iterator[str]:
    from exprgrad.steps import steps
    from exprgrad.views.steps import lines

    yield f"the derivative is {grade.derivative}"
    if problem.order == 1:
        for line in lines(steps(problem.function.root, problem.variable, brief=True)):
            yield f"  {line}"


def class_tables(tally: Tally) -> list[Block]:
    """A class set in short: the score of every student, and the mistakes that were made."""
    blocks: list[Block] = []
    counts = [s for s in STATUSES if tally.all[s]]
    columns = [Column(s, number=True) for s in counts]
    if tally.students:
        rows = [
            (shorten(name), *(str(count[s]) for s in counts))
            for name, count in tally.students.items()
        ]
        blocks.append(Table("", [Column("student"), *columns], rows, score(tally)))
    else:
        row = tuple(str(tally.all[s]) for s in counts)
        blocks.append(Table("", columns, [row], score(tally)))
    if tally.mistakes:
        made = [(name, str(n)) for name, n in tally.mistakes.most_common(10)]
        head = [Column("mistake"), Column("times", number=True)]
        blocks.append(Table("", head, made))
    return blocks


def fields(graded: Graded, hint: bool = False) -> dict[str, Any]:
    """A sheet as the fields of JSON."""
    tally = Tally()
    problems = []
    for problem, grade in graded:
        tally.add(grade)
        place = {"line": problem.line, "label": problem.label}
        if isinstance(problem, Problem):
            place |= {"problem": problem.asked, "answer": problem.answer}
        else:
            place |= {"source": problem.source}
        problems.append(place | _grade_fields(grade, hint))
    return {"score": counts(tally), "problems": problems}


def row_fields(
    graded: Iterable[tuple[Row, Grade]], header: list[str], tally: Tally, hint: bool
) -> dict[str, Any]:
    """A class set as the fields of JSON."""
    rows = [
        {
            "row": row.number,
            "cells": dict(zip(header, row.cells, strict=True)),
            **_grade_fields(grade, hint),
        }
        for row, grade in graded
    ]
    return {"score": counts(tally), "rows": rows}


def counts(tally: Tally) -> dict[str, int]:
    """How many answers have each status."""
    return {"total": tally.all.total(), **{s: tally.all[s] for s in STATUSES}}


def _grade_fields(grade: Grade, hint: bool) -> dict[str, Any]:
    if grade.error is not None:
        return {"status": grade.status, "error": _error_fields(grade.error)}
    example, mistake = grade.counterexample, grade.mistake
    found: dict[str, Any] = {"status": grade.status}
    if not hint:
        found["evidence"] = grade.evidence
    found["counterexample"] = example and {
        "at": example.at,
        **(
            {}
            if hint
            else {"claimed": example.claimed, "derivative": example.derivative}
        ),
    }
    found["mistake"] = mistake and (
        {"hint": mistake.hint}
        if hint
        else {"name": mistake.name, "message": mistake.message, "hint": mistake.hint}
    )
    if not hint:
        found["derivative"] = grade.derivative
    return found


def _error_fields(error: ExprgradError) -> dict[str, Any]:
    return {"message": told(error), "span": error.span}
