"""What a teacher sees of a graded class set: every student, every question, and the commonest mistakes.

book = Gradebook()
for row, grade in grade_rows(layout): book.add(student, problem, answer, grade)
book.students["Ann"].share, book.questions["x^2"].right, book.commonest(5)
page(book, "Homework 3")                    # an HTML page that needs nothing but itself
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

from exprgrad.annotations import NamedTuple
from exprgrad.checking.check import CORRECT, INCORRECT, PARTLY, UNDECIDED, UNREADABLE
from exprgrad.grading.grade import Grade, on_one_line

LONGEST = 400
"""Characters of a cell that a page shows."""

MOST_EXAMPLES = 20
"""The mistakes that a page lists."""

MARKS = {CORRECT: "✓", INCORRECT: "✗", PARTLY: "½", UNDECIDED: "?", UNREADABLE: "!"}


class Answered(NamedTuple):
    """One answer: the question, what was answered, the status, and what there is to say about it."""

    question: str
    answer: str
    status: str
    said: str
    mistake: str
    first_wrong: int | None
    notes: tuple[str, ...]


class Score:
    """Counts of a student, or of a question."""

    def __init__(self) -> None:
        self.right = self.total = self.blank = 0
        self.mistakes: Counter[str] = Counter()

    def add(self, answered: Answered) -> None:
        """Count an answer."""
        self.total += 1
        self.right += answered.status == CORRECT
        self.blank += not answered.answer.strip()
        self.mistakes.update([answered.mistake] if answered.mistake else [])

    @property
    def share(self) -> float:
        """The right part of the answers, from 0 to 1."""
        return self.right / self.total if self.total else 0.0

    @property
    def percent(self) -> str:
        """The same in percent."""
        return f"{100 * self.share:.0f} %"


class Gradebook:
    """The answers of a class by student and by question, and an example of every mistake.

    The answers themselves are kept only where the `whole` book is wanted, for a page.
    """

    def __init__(self, whole: bool = True) -> None:
        self.whole = whole
        self.all = Score()
        self.students: dict[str, Score] = {}
        self.questions: dict[str, Score] = {}
        self.answers: dict[str, list[Answered]] = {}
        self.examples: dict[str, Answered] = {}

    def add(self, student: str, question: str, answer: str, grade: Grade) -> None:
        """Take an answer in."""
        said = grade.evidence if grade.error is None else on_one_line(grade.error)
        mistake = grade.mistake
        own = Answered(
            question, answer, grade.status, mistake.message if mistake else said,
            mistake.name if mistake else "", grade.first_wrong, grade.notes,
        )  # fmt: skip
        self.all.add(own)
        self.students.setdefault(student, Score()).add(own)
        self.questions.setdefault(question, Score()).add(own)
        if self.whole:
            self.answers.setdefault(student, []).append(own)
        if own.mistake:
            self.examples.setdefault(own.mistake, own)

    def commonest(self, most: int) -> list[tuple[str, int, Answered]]:
        """The mistakes that were made most, how often, and an answer that shows each."""
        found = self.all.mistakes.most_common(most)
        return [(name, times, self.examples[name]) for name, times in found]


_STYLE = """
:root { color-scheme: light dark; --_line: #8884; --_dim: #777; --_good: #1a7f37; --_bad: #c2255c; --_bar: #3b82f6; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 68rem; padding: 0 1rem; }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--_line); padding: .3rem .6rem; text-align: left; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere }
.correct { color: var(--_good) } .incorrect, .partly { color: var(--_bad) } .dim { color: var(--_dim) }
.bar { background: var(--_bar); display: inline-block; height: .6rem; border-radius: 2px }
summary { cursor: pointer; padding: .3rem 0 }
"""


def page(book: Gradebook, title: str) -> Iterator[str]:
    """The lines of an HTML page about a class set, which loads nothing from elsewhere."""
    heading = escape(title)
    yield "<!DOCTYPE html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{heading}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{heading}</h1>"
    blank = f", {book.all.blank} blank" if book.all.blank else ""
    yield f"<p>{book.all.right} of {book.all.total} correct ({book.all.percent}){blank}</p>"
    yield "<h2>Students</h2>"
    yield from _scores("student", book.students)
    yield "<h2>Questions</h2>"
    yield from _scores("question", book.questions, code=True)
    if book.examples:
        yield "<h2>Mistakes</h2>"
        yield "<table><tr><th>mistake<th class=n>times<th>question<th>answer<th>what went wrong</tr>"
        for name, times, own in book.commonest(MOST_EXAMPLES):
            yield (
                f"<tr><td>{escape(name)}<td class=n>{times}<td>{_code(own.question)}"
                f"<td>{_code(own.answer)}<td>{escape(own.said)}</tr>"
            )
        yield "</table>"
    yield "<h2>Answers</h2>"
    for name, answers in book.answers.items():
        score = book.students[name]
        yield f"<details><summary>{escape(name) or 'no name'}: {score.right} of {score.total}</summary>"
        yield from _answers(answers)
        yield "</details>"
    yield "</body></html>"


def _scores(what: str, scores: dict[str, Score], code: bool = False) -> Iterator[str]:
    yield f"<table><tr><th>{what}<th class=n>right<th class=n>of<th class=n>%<th><th>commonest mistake</tr>"
    for name, score in scores.items():
        first = score.mistakes.most_common(1)
        mistake = f"{escape(first[0][0])} ({first[0][1]})" if first else ""
        shown = (
            _code(name) if code else escape(name) or "<span class=dim>no name</span>"
        )
        yield (
            f"<tr><td>{shown}<td class=n>{score.right}<td class=n>{score.total}<td class=n>{100 * score.share:.0f}"
            f'<td><span class=bar style="width:{6 * score.share:.2f}rem"></span><td>{mistake}</tr>'
        )
    yield "</table>"


def _answers(answers: list[Answered]) -> Iterator[str]:
    yield "<table><tr><th><th>question<th>answer<th>what there is to say</tr>"
    for own in answers:
        notes = (
            f"<br><span class=dim>{escape('; '.join(own.notes))}</span>"
            if own.notes
            else ""
        )
        said = "" if own.status == CORRECT else escape(own.said)
        answer = (
            _code(own.answer) if own.answer.strip() else "<span class=dim>blank</span>"
        )
        yield (
            f'<tr><td class="{own.status}" title="{own.status}">{MARKS[own.status]}<td>{_code(own.question)}'
            f"<td>{answer}<td>{said}{notes}</tr>"
        )
    yield "</table>"


def _code(text: str) -> str:
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return f"<code>{escape(shown)}</code>"
