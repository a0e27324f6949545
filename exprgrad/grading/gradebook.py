"""A teacher's view of a graded class set: every student, every question, and the commonest mistakes.

book = Gradebook()
for row, grade in grade_rows(layout): book.add(student, problem, answer, grade)
book.students["Ann"].share, book.questions["x^2"].right, book.commonest(5)
"""

from __future__ import annotations

from collections import Counter, defaultdict

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.check import CORRECT, UNREADABLE
from exprgrad.checking.fields import on_one_line
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.grading.grade import STATUSES, Grade

BLANK = "blank"
"""A kind of unreadable answer that is counted apart."""


class Answered(NamedTuple):
    """One answer: the question, what was answered, and its grade.

    `variable` is the one that the row names, None where the row is of another kind than a derivative.
    """

    question: str
    answer: str
    grade: Grade
    variable: str | None = ""

    @property
    def said(self) -> str:
        """The remark on it: the mistake, or the evidence."""
        if self.grade.mistake is not None:
            return self.grade.mistake.message
        error = self.grade.error
        return self.grade.evidence if error is None else on_one_line(error)


class Score:
    """Counts of answers by status, and of the mistakes made: of a sheet or a class, a student, or a question."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.mistakes: Counter[str] = Counter()

    def add(
        self, status: str, mistake: Mistake | None = None, is_blank: bool = False
    ) -> None:
        """Count an answer; one that is blank is unreadable, and counted apart as well."""
        self.statuses.update([status, BLANK] if is_blank else [status])
        if mistake is not None:
            self.mistakes[mistake.name] += 1

    @property
    def right(self) -> int:
        """Return how many answers are right."""
        return self.statuses[CORRECT]

    @property
    def total(self) -> int:
        """Return how many answers were counted."""
        return self.statuses.total() - self.statuses[BLANK]

    @property
    def apart(self) -> Counter[str]:
        """Counts by status, in which blank answers are not unreadable ones."""
        return self.statuses - Counter({UNREADABLE: self.statuses[BLANK]})

    def by_status(self) -> dict[str, int]:
        """Return how many answers there are, and how many of each status; of the unreadable ones, how many are blank."""
        # a blank answer is unreadable as well, so that the statuses add up to the total
        found = {"total": self.total, **{s: self.statuses[s] for s in STATUSES}}
        blank = self.statuses[BLANK]
        return found | ({BLANK: blank} if blank else {})

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

    The answers themselves are kept only where the `whole` book is wanted, for a page. It has names where students have.
    """

    def __init__(self, whole: bool = True) -> None:
        self.whole, self.has_names = whole, False
        self.all = Score()
        self.students: dict[str, Score] = defaultdict(Score)
        self.questions: dict[str, Score] = defaultdict(Score)
        self.answers: dict[str, list[Answered]] = defaultdict(list)
        self.examples: dict[str, Answered] = {}

    def add(
        self,
        student: str | None,
        question: str,
        answer: str,
        grade: Grade,
        variable: str | None = "",
    ) -> None:
        """Take an answer in; `student` is None where nobody is named."""
        self.has_names |= student is not None
        name, own = student or "", Answered(question, answer, grade, variable)
        for score in (self.all, self.students[name], self.questions[question]):
            score.add(grade.status, grade.mistake, not answer.strip())
        if self.whole:
            self.answers[name].append(own)
        if grade.mistake is not None:
            self.examples.setdefault(grade.mistake.name, own)

    def commonest(self, most: int) -> list[tuple[str, int, Answered]]:
        """The mistakes that were made most, how often, and an answer that shows each."""
        found = self.all.mistakes.most_common(most)
        return [(name, times, self.examples[name]) for name, times in found]
