"""A worked solution with a mark on every line, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.judging import CONSEQUENT, UNREADABLE, WRONG, Verdict
from exprgrad.checking.work.sheet import Solution
from exprgrad.errors import ExprgradError
from exprgrad.expressions.derivatives import operator
from exprgrad.language.notes import shorten
from exprgrad.views.answers.steps import derivation
from exprgrad.views.blocks import (
    LINE_MARKS,
    Block,
    Derivative,
    Formula,
    Heading,
    Marked,
    Said,
    Styled,
    judged,
)
from exprgrad.views.diagnostic import describe
from exprgrad.views.verdicts.checking import (
    Detail,
    evidence_of,
    sentence,
)


class WorkView(NamedTuple):
    """Worked solutions, judged line by line."""

    solutions: list[Solution]
    detail: Detail

    @property
    def work(self) -> Verdict | ExprgradError:
        """The first solution, judged."""
        return self.solutions[0].work

    def blocks(self) -> list[Block]:
        """Each problem, its lines with their marks, and whether the answer is right."""
        return [block for own in self.solutions for block in self._solution(own)]

    def as_dict(self) -> dict[str, Any]:
        """The fields of the one solution, or of each."""
        found = []
        for solution in self.solutions:
            work = solution.work
            if isinstance(work, ExprgradError):
                line, why = solution.start, work.message
                found.append({"line": line, "verdict": UNREADABLE, "error": why})
            else:
                found.append(work.as_dict())
        return found[0] if len(found) == 1 else {"solutions": found}

    def _solution(self, solution: Solution) -> Iterator[Block]:
        work, detail = solution.work, self.detail
        if isinstance(work, ExprgradError):
            told = ((f"  {line}", "") for line in describe(work, detail.width - 2))
            head = ("? ", "yellow"), (f"line {solution.start}", "bold")
            yield Styled((head, *((piece,) for piece in told)))
            return
        several, wrt = len(work.function.variables) > 1, (work.wrt,) * work.order
        title = shorten(work.function.title, max(20, detail.width - 8))
        asked = Formula((Derivative(work.function.root, wrt, several),))
        yield Heading(f"{operator(wrt, several)} of {title}", asked)
        yield from marked(work, detail)
        status = {"correct": "correct", "incorrect": "incorrect", "partly": "incorrect"}
        yield judged(status.get(work.verdict, "undecided"), end_of(work))
        if detail.solution:
            yield derivation(work.function, work.wrt, work.order)


def marked(work: Verdict, detail: Detail) -> Iterator[Marked]:
    """The lines of a solution with what there is to say of each."""
    texts = {line.number: line.text for line in work.lines}
    for line in work.lines:
        said, mistake, span = list(_said_of(line, detail.hint)), line.mistake, None
        if mistake is not None:
            source = None
            if mistake.span is not None:
                origin = f"line {mistake.line}" if mistake.line else "f"
                text = texts.get(mistake.line) if mistake.line else work.function.source
                source = (origin, text, mistake.span) if text else None
                span = mistake.span if mistake.line == line.number else None
            said.append(Said(sentence(mistake, detail), "mistake", source))
        first = line.status == WRONG and line.number == work.first_wrong
        mark = LINE_MARKS[line.status]
        yield Marked(
            line.number, line.status, mark, line.text, span, tuple(said), first
        )


def _said_of(line: Verdict, hint: bool) -> Iterator[Said]:
    """What is said of a line besides the mistake."""
    if line.status == CONSEQUENT:
        yield Said(f"follows from your line {line.after}", "remark")
    elif line.status == UNREADABLE:
        yield Said(line.evidence, "remark")
    elif line.status == WRONG:
        yield Said(evidence_of(line, hint))
    yield from (Said(note, "note") for note in line.notes)


def end_of(work: Verdict) -> str:
    """Whether the answer is right, and how many lines are."""
    wrong = work.first_wrong
    first = "" if wrong is None else f": line {wrong} is the first that is wrong"
    return f"{work.conclusion}{first}"
