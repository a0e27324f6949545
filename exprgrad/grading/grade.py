"""Grading whole sheets and class sets: problems in, grades out, one after the other.

for line, verdict in grade_sheet(read_sheet(text)): ...
for row, grade in grade_rows(survey(path), jobs=2): ...     # in the file's order, in constant memory
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice

from exprgrad.checking import check
from exprgrad.checking.check import CORRECT, INCORRECT, PARTLY, UNDECIDED, UNREADABLE
from exprgrad.checking.fields import on_one_line
from exprgrad.checking.judging import Counterexample, Verdict
from exprgrad.checking.problems import Problem, concerning, in_line, judge
from exprgrad.checking.work.work import check_work
from exprgrad.data.processes import in_order
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.grading.class_set import DETAILS, Layout, Submission, rows
from exprgrad.grading.sheet import Unreadable, read_row
from exprgrad.lazy import pattern
from exprgrad.operations.operation import show

STATUSES = (CORRECT, INCORRECT, UNDECIDED, UNREADABLE, PARTLY)

COLUMNS = (
    "status", "evidence", "counterexample", "mistake", "derivative", "notes", "if_read_as",
)  # fmt: skip
"""The columns that grading adds to a class set."""

FEW_ROWS = 200
"""Rows up to which starting more processes does not pay."""

MOST_NODES = 1000
"""Nodes of a function up to which its derivative is written into a cell."""

LONGEST_FORMULA = 2000
"""Characters of a derivative up to which it is written into a cell."""

MOST_LINES = 40
"""Lines of a worked solution in a cell that are judged."""

_CHUNK = 8
_REMEMBERED = 4096

Options = tuple[tuple[str, str], ...]
"""The kind of question of a row and what more is said about it, by the names of columns."""

Cells = tuple[str, str, str, Options, tuple[str, ...], bool]
"""A row's problem, answer, variable and options, and where it is asked: see `grade`."""

GradedLine = tuple[Problem | Unreadable, Verdict | ExprgradError]


Grade = Verdict
"""The verdict on a row, without the expressions, in few bytes: to be remembered and sent between processes."""


def kept(verdict: Verdict) -> Grade:
    """Return what a grade keeps of a verdict."""
    f = verdict.expression
    # of other kinds the verdict knows the answer; of a derivative it is worked out again, in short
    right = verdict.answer if verdict.asked else _derivative(f, verdict.wrt, verdict.order)  # fmt: skip
    right = right if len(right) <= LONGEST_FORMULA else ""
    return verdict._replace(expression=None, claim=None, at=None, parts=(), right=(), told=right)  # fmt: skip


def _derivative(function: Expression, wrt: str, order: int) -> str:
    """The derivative as a formula; nothing where it would be too long for a cell."""
    if len(function.tape.nodes) <= MOST_NODES:
        with suppress(ExprgradError):
            source = function.derivative(wrt, order=order).source
            return source if len(source) <= LONGEST_FORMULA else ""
    return ""


def grade(
    problem: Problem, where: Sequence[str] = (), condone_domain: bool = False
) -> Verdict:
    """Check one answer; a derivative where these conditions on its variables hold, see `check`.

    A condition about variables that a problem does not have does not matter to it. Raises `ExprgradError`,
    with its place in the problem's line.
    """
    if not problem.is_derivative:
        return judge(problem)
    try:
        own = concerning(where, (*problem.function.variables, problem.variable))
        return judge(problem, where=own, condone_domain=condone_domain)
    except ExprgradError as error:
        raise in_line(problem, error) from None


def grade_sheet(
    lines: Iterable[Problem | Unreadable],
    where: Sequence[str] = (),
    condone_domain: bool = False,
) -> Iterator[GradedLine]:
    """The verdict on every problem of a sheet, in its order, or why there is none.

    A wrong claim of a chain that is equal to a wrong one above it is said to follow from that.
    """
    wrong: list[Problem] = []
    for line in lines:
        if isinstance(line, Unreadable):
            yield line, line.error
            continue
        try:
            found = grade(line, where, condone_domain)
            wrong = wrong if line.continued or not line.is_derivative else []
            # whoever goes on correctly from a mistake is told so, and not of the same mistake again
            if found.status == INCORRECT and line.is_derivative:
                claims = ((before, check.equivalent(before.claim, line.claim, line.variable)) for before in wrong)  # fmt: skip
                before = next((b for b, same in claims if same.status == "equal"), None)
                if before is not None:
                    place = f"line {before.line}" if before.line != line.line else "the side before it"  # fmt: skip
                    told = f"follows from {place}, which is wrong"
                    found = found._replace(evidence=told, mistake=None)
                wrong.append(line)
            yield line, found
        except ExprgradError as error:
            yield line, error


def grade_rows(
    layout: Layout,
    jobs: int = 1,
    where: Sequence[str] = (),
    condone_domain: bool = False,
) -> Iterator[tuple[Submission, Grade]]:
    """The grade of every row of a class set, in its order, computed by so many processes.

    Rows with the same problem and answer are checked once in each process, as long as they are
    remembered. Raises `ProcessDied` when a process was ended from outside.
    """
    # only the cells go to the processes and only grades come back: the rows wait here for theirs
    waiting: deque[list[Submission]] = deque()
    asked = tuple(where), condone_domain

    def tasks() -> Iterator[list[Cells]]:
        source = rows(layout)
        while chunk := list(islice(source, _CHUNK)):
            waiting.append(chunk)
            yield [_cells(row, layout, asked) for row in chunk if row.fault is None]

    for grades in in_order(_grade_chunk, tasks(), jobs):
        graded = iter(grades)
        for row in waiting.popleft():
            if row.fault is None:
                yield row, next(graded)
            else:
                yield row, Grade(UNREADABLE, error=ExprgradError(row.fault))


def _cells(
    row: Submission, layout: Layout, asked: tuple[tuple[str, ...], bool]
) -> Cells:
    own = {name: row.cells[place] for name, place in layout.columns.items()}
    options = tuple((name, own[name]) for name in ("kind", *DETAILS) if name in own)
    return own["problem"], own["answer"], own.get("variable", ""), options, *asked


def _grade_chunk(chunk: list[Cells]) -> list[Grade]:
    return [_graded(*cells) for cells in chunk]


@lru_cache(_REMEMBERED)
def _graded(
    problem: str,
    answer: str,
    variable: str,
    options: Options,
    where: tuple[str, ...],
    condone_domain: bool,
) -> Grade:
    def judged(question: str, claim: str) -> Grade:
        read = read_row(question, claim, variable, dict(options))
        return kept(grade(read, where, condone_domain))

    try:
        return judged(problem, answer)
    except ExprgradError as error:
        found = _with_points(problem, answer, judged)
        found = found or _worked(problem, answer, variable, options)
        # the frames that it passed hold the graph; they are not remembered
        return found or Grade(UNREADABLE, error=error.with_traceback(None))


_DECIMAL_COMMA = pattern(r"(?<![\d.,])(\d+),(\d+)(?![\d,])")


def _with_points(problem: str, answer: str, judged: Callable[[str, str], Grade]) -> Grade | None:  # fmt: skip
    """The grade where a comma between digits is a decimal one: of cells that cannot be read otherwise."""
    first = _DECIMAL_COMMA.search(answer) or _DECIMAL_COMMA.search(problem)
    if first is None:
        return None
    with_points = [_DECIMAL_COMMA.sub(r"\1.\2", text) for text in (problem, answer)]
    # the comma in f(1,2) separates arguments: a problem that can be read as it stands is taken so
    for question in dict.fromkeys((problem, with_points[0])):
        try:
            found = judged(question, with_points[1])
        except ExprgradError:
            continue
        note = f"{first[0]} is read as {first[1]}.{first[2]}"
        return found._replace(notes=(*found.notes, note))
    return None


def _worked(problem: str, answer: str, variable: str, options: Options) -> Grade | None:
    """The grade of an answer of several lines that is a worked solution."""
    lines = [line for line in answer.splitlines() if line.strip()]
    if len(lines) < 2 or len(lines) > MOST_LINES or any(text for _, text in options):
        return None
    try:
        # any answer does to find out what is asked
        read = read_row(problem, "0", variable)
        if not read.is_derivative or read.at is not None:
            return None
        work = check_work(read.function, lines, read.variable, read.order)
    except ExprgradError:
        return None
    if work.status not in (CORRECT, INCORRECT, PARTLY):
        return None
    evidence = work.conclusion
    if work.first_wrong is not None:
        said = f": {work.mistake.message}" if work.mistake is not None else ""
        evidence = f"line {work.first_wrong} is wrong{said}"
    formula = _derivative(read.function, read.variable, read.order)
    parts = tuple(Verdict(line.status, number=line.number) for line in work.lines)
    return Grade(work.status, evidence, parts=parts, told=formula)


def cells_of(found: Grade, hint: bool = False) -> list[str]:
    """A grade as the cells of `COLUMNS`; with `hint`, without what gives the answer away."""
    evidence = found.evidence if found.error is None else on_one_line(found.error)
    if hint and found.status in (INCORRECT, PARTLY):
        evidence = ""
    told = ""
    if found.mistake is not None:
        told = found.mistake.hint if hint else found.mistake.message
    formula = "" if hint else found.derivative
    example, notes = _example(found.counterexample, hint), "; ".join(found.notes)
    reading = found.if_read_as or ""
    return [found.status, evidence, example, told, formula, notes, reading]


def _example(example: Counterexample | None, hint: bool) -> str:
    """A counterexample as text: where, what was claimed there, and what is true."""
    if example is None:
        return ""
    point = ", ".join(f"{name} = {show(value)}" for name, value in example.at.items())
    if hint:
        return point
    claimed = "not defined" if example.claimed is None else f"{example.claimed:.10g}"
    values = f"claimed {claimed}, derivative {example.derivative:.10g}"
    return f"{point}: {values}" if point else values
