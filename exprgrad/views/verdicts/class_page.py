"""The page about a class set, in one file that loads nothing: students, questions, mistakes, and every answer.

    class_page(book, tally, "class")

One section per student, with an answer to each question; its size grows with the answers alone, as long texts are
shortened. With `hint` nothing gives an answer away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from exprgrad.annotations import NamedTuple
from exprgrad.checking.check import (
    CORRECT,
    INCORRECT,
    PARTLY,
    UNREADABLE,
    point_text,
)
from exprgrad.checking.problems import Problem
from exprgrad.errors import ExprgradError
from exprgrad.grading.grade import BLANK, Tally, cells_of
from exprgrad.grading.gradebook import Answered, Gradebook, Score
from exprgrad.grading.sheet import read_row
from exprgrad.pictures.svg import element, escaped
from exprgrad.views.blocks import Said
from exprgrad.views.html import (
    LONGEST,
    badge,
    cells,
    fragment,
    kind_of,
    shown,
    typed,
    typeset,
)
from exprgrad.views.tex import capital
from exprgrad.views.verdicts import checking
from exprgrad.views.verdicts.grading import score
from exprgrad.views.verdicts.pages import (
    asked,
    case,
    document,
    readable,
    refused,
    said,
    told,
    typed_lines,
)

MOST_EXAMPLES = 20
"""The mistakes that a page lists."""

MOST_ANSWERS = 1000
"""Answers of a student that are shown; those without a name are nobody's."""

_NOBODY = "no name"


def class_page(book: Gradebook, tally: Tally, title: str, hint: bool = False) -> str:
    """The page about a gradebook that is whole."""
    students = [
        [element("a", shown(name, 100) or _NOBODY, href=f"#s{i}"), *_counted(own)]
        for i, (name, own) in enumerate(book.students.items(), 1)
    ]
    questions = [[typed(n), *_counted(own)] for n, own in book.questions.items()]
    summary = [
        cells("Students", [("student", "text"), *_HEAD], students),
        cells("Questions", [("question", "text"), *_HEAD], questions),
    ]
    if book.examples and not hint:  # the commonest mistakes, each with an example
        head = [("mistake", "text"), ("times", "n"), ("question", "text"), ("answer", "text"), ("what went wrong", "text")]  # fmt: skip
        mistakes = [
            [shown(name), f"{times}×", typed(own.question), typed_lines(own.answer), shown(own.said)]
            for name, times, own in book.commonest(MOST_EXAMPLES)
        ]  # fmt: skip
        summary.append(cells("Mistakes", head, mistakes))
    written = _Written(cache(_typeset), cache(readable))
    sections = [
        case(f"s{i}", _overall(own), f"{shown(name, 100) or _NOBODY}: {own.right} of {own.total}", "".join(_answers(name, book.answers[name], written, hint)))
        for i, (name, own) in enumerate(book.students.items(), 1)
    ]  # fmt: skip
    total = f"{score(tally)} ({book.all.percent})"
    return document(title, total, "\n".join(summary), sections)


def _overall(own: Score) -> str:
    """The status of all answers together: right, wrong, or some of both."""
    if own.right == own.total:
        return CORRECT
    return PARTLY if own.right else INCORRECT


_HEAD = [("right", "n"), ("share", ""), ("commonest mistake", "text")]


def _counted(own: Score) -> list[str]:
    """The cells of a score."""
    first = own.mistakes.most_common(1)
    mistake = f"{shown(first[0][0])} ({first[0][1]})" if first else ""
    bar = element("span", "", class_="bar", style=f"width:{6 * own.share:.2f}rem")
    return [f"{own.right} of {own.total}, {own.percent}", bar, mistake]


class _Written(NamedTuple):
    """Formulas that are typeset once: a question with a claim, and a right answer, each by their texts."""

    problem: Callable[[str, str, str | None], tuple[str, str]]
    derivative: Callable[[str], str]


def _typeset(question: str, answer: str, variable: str | None) -> tuple[str, str]:
    """The question and the claim, typeset; as texts where they are not two formulas."""
    plain = typed(question), typed_lines(answer)
    if variable is None or max(len(question), len(answer)) > LONGEST:
        return plain
    try:
        problem = read_row(question, answer, variable)
    except ExprgradError:
        return plain
    if not isinstance(problem, Problem):
        return plain
    own = element("span", f" typed as {plain[1]}", class_="soft")
    place = point_text(problem.at or {})
    where = escaped(f" at {place}") if place else ""
    question = asked(problem.function, problem.variable, problem.order)
    return question + where, typeset(problem.claim.root) + own


def _answers(
    name: str, answers: list[Answered], written: _Written, hint: bool
) -> Iterator[str]:
    """The answers of a student, or all that have no name, each behind its verdict; one that is not right is open."""
    most = MOST_ANSWERS if name else len(answers)
    for own in answers[:most]:
        status = own.status if own.answer.strip() else BLANK
        head = element("summary", f"{badge(status)} {typed(own.question)}")
        inside = "".join(_body(own, written, hint)) if status != BLANK else ""
        opened = None if own.status == CORRECT else "open"
        class_ = f"answer {kind_of(status)}"
        yield element("details", head + element("div", inside), class_=class_, open=opened)  # fmt: skip
    if len(answers) > most:
        yield said(f"{len(answers) - most} more answers are not shown.")


def _body(own: Answered, written: _Written, hint: bool) -> Iterator[str]:
    """The question, the answer, the truth, and why."""
    grade = own.grade
    question, claim = written.problem(own.question, own.answer, own.variable)
    yield element("div", question, class_="asked")
    right = grade.derivative if grade.status not in (CORRECT, UNREADABLE) and not hint else ""  # fmt: skip
    truth = written.derivative(right) if right else ""
    yield told([("the answer", claim), ("right is", truth)])
    if grade.error is not None:
        yield refused(grade.error)
        return
    _, evidence, example, *_ = cells_of(grade, hint)
    yield said(capital(f"try {example}" if hint and example else evidence))
    mistake = grade.mistake
    if mistake is None or grade.if_read_as:
        pass
    elif hint or mistake.message != evidence:
        yield said(checking.sentence(mistake, checking.Detail(hint)), "mistake")
    yield fragment(Said(note, "note") for note in own.notes)
