"""Grading whole sheets and class sets: problems in, grades out, one after the other.

for problem, grade in grade_sheet(read_sheet(text)): ...
for row, grade in grade_rows(survey(path), jobs=2): ...       # in the file's order, in constant memory
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from exprgrad.diagnosis import Mistake
from exprgrad.errors import ExprgradError
from exprgrad.gradebook import Layout, Row, rows
from exprgrad.homework import Counterexample, Verdict, check
from exprgrad.operation import show
from exprgrad.processes import in_order
from exprgrad.sheets import Problem, Unreadable, in_line, read_row

CORRECT, INCORRECT, UNDECIDED = "correct", "incorrect", "undecided"
UNREADABLE = "unreadable"
STATUSES = (CORRECT, INCORRECT, UNDECIDED, UNREADABLE)

COLUMNS = ("status", "evidence", "counterexample", "mistake", "derivative")
"""The columns that grading adds to a class set."""

FEW_ROWS = 100
"""Rows up to which more processes are not worth their start."""

_CHUNK = 8
_REMEMBERED = 4096

Cells = tuple[str, str, str]
"""A row's problem, answer and variable."""


class Grade(NamedTuple):
    """What is to be said of an answer; `error` and nothing else where it cannot be read.

    The fields are those of a `Verdict`, without the expressions.
    """

    status: str
    evidence: str = ""
    counterexample: Counterexample | None = None
    mistake: Mistake | None = None
    derivative: str = ""
    notes: tuple[str, ...] = ()
    error: ExprgradError | None = None


def grade(problem: Problem) -> Grade:
    """Check one answer. What it raises is an error with its place in the problem's line."""
    try:
        verdict = check(
            problem.function,
            problem.claim,
            problem.variable,
            order=problem.order,
            at=problem.at,
        )
        return Grade(
            verdict.status,
            verdict.evidence,
            verdict.counterexample,
            verdict.mistake,
            _formula(verdict),
            verdict.notes,
        )
    except ExprgradError as error:
        return Grade(UNREADABLE, error=in_line(problem, error))


def _formula(verdict: Verdict) -> str:
    """The derivative; nothing where it is too large to be written out."""
    try:
        return verdict.derivative
    except ExprgradError:
        return ""


def grade_sheet(
    lines: Iterable[Problem | Unreadable],
) -> Iterator[tuple[Problem | Unreadable, Grade]]:
    """The grade of every problem of a sheet, in its order."""
    for line in lines:
        if isinstance(line, Unreadable):
            yield line, Grade(UNREADABLE, error=line.error)
        else:
            yield line, grade(line)


def grade_rows(layout: Layout, jobs: int = 1) -> Iterator[tuple[Row, Grade]]:
    """The grade of every row of a class set, in its order, by so many processes.

    Rows with the same problem and answer are checked once in each process, as long as they are
    remembered. Raises `ProcessDied` when a process was ended from outside.
    """
    waiting: deque[list[Row]] = deque()

    def tasks() -> Iterator[list[Cells | None]]:
        source = rows(layout)
        while chunk := list(islice(source, _CHUNK)):
            waiting.append(chunk)
            yield [_cells(row, layout) for row in chunk]

    for grades in in_order(_grade_chunk, tasks(), jobs):
        for row, found in zip(waiting.popleft(), grades, strict=True):
            if row.fault is not None:
                found = Grade(UNREADABLE, error=ExprgradError(row.fault))
            yield row, found


def _cells(row: Row, layout: Layout) -> Cells | None:
    if row.fault is not None:
        return None
    places = layout.columns
    variable = row.cells[places["variable"]] if "variable" in places else ""
    return row.cells[places["problem"]], row.cells[places["answer"]], variable


def _grade_chunk(chunk: list[Cells | None]) -> list[Grade]:
    return [_graded(*cells) if cells else Grade(UNREADABLE) for cells in chunk]


@lru_cache(_REMEMBERED)
def _graded(problem: str, answer: str, variable: str) -> Grade:
    try:
        return grade(read_row(problem, answer, variable))
    except ExprgradError as error:
        # the frames that it passed hold the graph; they are not remembered
        return Grade(UNREADABLE, error=error.with_traceback(None))


def cells_of(found: Grade, hint: bool = False) -> list[str]:
    """A grade as the cells of `COLUMNS`. With `hint` nothing that gives the answer away."""
    evidence = found.evidence if found.error is None else told(found.error)
    mistake = found.mistake
    advice = "" if mistake is None else mistake.hint if hint else mistake.message
    if hint:
        evidence = evidence if found.status != INCORRECT else ""
    example = example_of(found.counterexample, hint)
    return [found.status, evidence, example, advice, "" if hint else found.derivative]


def example_of(example: Counterexample | None, hint: bool = False) -> str:
    """A counterexample as text: where, what was claimed there, and what is so."""
    if example is None:
        return ""
    point = ", ".join(f"{name} = {show(value)}" for name, value in example.at.items())
    if hint:
        return point
    claimed = "not defined" if example.claimed is None else f"{example.claimed:.10g}"
    values = f"claimed {claimed}, derivative {example.derivative:.10g}"
    return f"{point}: {values}" if point else values


def told(error: ExprgradError) -> str:
    """A diagnostic on one line."""
    where = f"{error.origin}: " if error.origin else ""
    hint = f" ({error.hint})" if error.hint else ""
    return f"{where}{error.message}{hint}"


class Tally:
    """Counts grades: all of them, by student, and by mistake."""

    def __init__(self) -> None:
        self.all: Counter[str] = Counter()
        self.students: dict[str, Counter[str]] = {}
        self.mistakes: Counter[str] = Counter()

    def add(self, found: Grade, student: str | None = None) -> None:
        """Count a grade."""
        self.all[found.status] += 1
        if student is not None:
            self.students.setdefault(student, Counter())[found.status] += 1
        if found.mistake is not None:
            self.mistakes[found.mistake.name] += 1
