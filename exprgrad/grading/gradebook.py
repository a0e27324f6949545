"""A teacher's view of a graded class set: every student, every question, and the commonest mistakes.

book = Gradebook()
for row, grade in grade_rows(layout): book.add(student, problem, answer, grade)
book.students["Ann"].share, book.questions["x^2"].right, book.commonest(5)
"""

from __future__ import annotations

from collections import Counter

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.check import CORRECT
from exprgrad.checking.fields import on_one_line
from exprgrad.grading.grade import Grade


class Answered(NamedTuple):
    """One answer: the question, what was answered, the status, and what there is to say about it.

    `variable` is the one that the row names, None where the row is of another kind than a derivative.
    """

    question: str
    answer: str
    status: str
    said: str
    mistake: str
    first_wrong: int | None
    notes: tuple[str, ...]
    grade: Grade
    variable: str | None = ""


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

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        return {
            "correct": self.right,
            "total": self.total,
            "percent": 100 * self.share,
            "mistakes": dict(self.mistakes),
        }

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

    def add(
        self,
        student: str,
        question: str,
        answer: str,
        grade: Grade,
        variable: str | None = "",
    ) -> None:
        """Take an answer in."""
        said = grade.evidence if grade.error is None else on_one_line(grade.error)
        mistake = grade.mistake
        own = Answered(
            question, answer, grade.status, mistake.message if mistake else said,
            mistake.name if mistake else "", grade.first_wrong, grade.notes, grade, variable,
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
