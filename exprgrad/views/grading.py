"""Graded sheets and class sets: a table with the score, what went wrong below it, JSON; and pages about them.

    sheet_page(graded, score, detail, "worksheet")      # one section per problem
    work_page(solutions, detail, "solution")            # one section per solution, its lines with their marks
    class_page(book, "class")                           # students, questions, mistakes, and every answer

A page is one file that loads nothing: to be opened, printed, handed back. What it says is what the same verdicts say in
a terminal, with formulas typeset; with a hint nothing gives the answer away. The size of a class page grows with the
answers alone, as long texts are shortened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import check
from exprgrad.checking.fields import claim_text, on_one_line
from exprgrad.checking.problems import Problem
from exprgrad.checking.work.sheet import Solution
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.grading.class_set import Submission
from exprgrad.grading.grade import STATUSES, Grade, GradedLine, cells_of
from exprgrad.grading.gradebook import BLANK, Answered, Gradebook, Score
from exprgrad.grading.sheet import Unreadable, read_row
from exprgrad.language.notes import LONGEST_PIECE, shorten
from exprgrad.notation.text import text_length
from exprgrad.pictures.svg import element, escaped, page
from exprgrad.views import verdicts, visible
from exprgrad.views.blocks import (
    MARKS,
    Block,
    Column,
    Derivative,
    Said,
    Sentence,
    Table,
    columns,
    judged,
)
from exprgrad.views.formulas import derivation
from exprgrad.views.html import (
    LONGEST,
    STYLE,
    badge,
    cells,
    fragment,
    kind_of,
    marked,
    shown,
    typed,
    typeset,
)
from exprgrad.views.tex import capital
from exprgrad.views.verdicts import Detail

SheetLine = Problem | Unreadable
Outcome = check.Verdict | ExprgradError
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
    score: Score
    detail: verdicts.Detail

    def blocks(self) -> list[Block]:
        """The table, and what there is to say about single answers below it."""
        table = sheet_table(self.graded, self.score, self.detail.width)
        return [table, *(block for line in self.graded for block in self._said(line))]

    def _said(self, line: GradedLine) -> Iterator[Block]:
        """Yield what there is to say about an answer; nothing of one that is simply right."""
        problem, verdict = line
        if isinstance(problem, Unreadable) or isinstance(verdict, ExprgradError):
            return
        plain = verdict.status == check.CORRECT and not _is_remarkable(verdict)
        if plain and not verdict.notes:
            return
        label = f"{problem.label}, " if problem.label else ""
        sign = " =" if problem.is_derivative else ":"
        text = f"{shorten(problem.asked, LONGEST_TEXT)}{sign} {shorten(problem.answer, LONGEST_TEXT)}"
        said = f"{label}line {problem.line}: {text}"
        yield judged(verdict.status, said, apart=True)
        if plain:
            yield from (Said(note, "note") for note in verdict.notes)
        else:
            yield from verdicts.body(verdict, self.detail)

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
                found |= {"status": check.UNREADABLE, "error": on_one_line(verdict)}
            else:
                found |= verdict.as_dict()
            problems.append(found)
        return {"score": self.score.by_status(), "problems": problems}


class ClassView(NamedTuple):
    """A graded class set in short; with `rows`, as the fields of JSON, also row by row."""

    book: Gradebook
    rows: list[dict[str, Any]] | None = None

    @property
    def score(self) -> Score:
        """The counts of all answers."""
        return self.book.all

    def blocks(self) -> list[Block]:
        """The score of every student, of every question, and the most frequent mistakes."""
        book = self.book
        every = book.all.apart
        found = [s for s in (*STATUSES, BLANK) if every[s]]
        counts_of = [Column(s, number=True) for s in found]
        rows: list[tuple[str, ...]] = [tuple(str(every[s]) for s in found)]
        if book.has_names:
            counts_of = [*columns("student"), *counts_of, *columns("right: number")]
            rows = []
            for name, own in book.students.items():
                counts = tuple(str(own.apart[s]) for s in found)
                rows.append((shorten(name), *counts, own.percent))
        blocks: list[Block] = [Table("", counts_of, rows, score(book.all))]
        if 1 < len(book.questions) <= MOST_QUESTIONS:
            head = "question | right: number | of: number | commonest mistake: spare1"
            made: list[tuple[str, ...]] = []
            for name, own in book.questions.items():
                mistake = next((name for name, _ in own.mistakes.most_common(1)), "")
                counts = str(own.right), str(own.total)
                made.append((shorten(name, 30), *counts, mistake))
            blocks.append(Table("", columns(head), made))
        if book.examples:
            head = "mistake | times: number | for example: spare1 | answered: spare1"
            made = []
            for name, times, one in book.commonest(10):
                texts = (shorten(text, 24) for text in (one.question, one.answer))
                made.append((name, str(times), *texts))
            blocks.append(Table("", columns(head), made))
        return blocks

    def as_dict(self) -> dict[str, Any]:
        """The score, by student and question as well, mistakes with an example, and the rows if there are any."""
        book = self.book
        out: dict[str, Any] = {"score": self.score.by_status()}
        if self.rows is not None:
            out["rows"] = self.rows
        if book.has_names:
            out["students"] = {n: own.as_dict() for n, own in book.students.items()}
        out["questions"] = {n: own.as_dict() for n, own in book.questions.items()}
        out["mistakes"] = []
        for name, times, one in book.commonest(MOST_MISTAKES):
            told = {"mistake": name, "times": times, "problem": one.question}
            out["mistakes"].append({**told, "answer": one.answer, "message": one.said})
        return out


def sheet_table(graded: Sequence[GradedLine], own: Score, width: int) -> Table:
    """A row per answer, the score below; long texts are shortened to fit that width."""
    head = columns(": bold | line: number spare2 dim | no.: spare1 | problem | answer")
    # the mark, both numbers and the gaps take 16 columns; the problem and the answer share the others
    most = max(12, min(LONGEST_PIECE, (width - 17) // 2))
    rows: list[tuple[str, ...]] = []
    for line, verdict in graded:
        mark = MARKS[_status(verdict)]
        texts = (shorten(text, most) for text in texts_of(line))
        rows.append((mark, str(line.line), line.label, *texts))
    table = Table("", head, rows, score(own))
    return table if any(line.label for line, _ in graded) else table.only((0, 1, 3, 4))


def texts_of(line: SheetLine) -> tuple[str, str]:
    """The problem and the answer of a line."""
    if isinstance(line, Unreadable):
        return line.source, ""
    return line.asked, line.answer


def _status(verdict: Outcome) -> str:
    return check.UNREADABLE if isinstance(verdict, ExprgradError) else verdict.status


def score(own: Score) -> str:
    """`7 of 9 correct`, and how many are neither right nor wrong."""
    parts = [f"{own.right} of {own.total} correct"]
    words = {check.PARTLY: "partly", check.UNDECIDED: "undecided", check.UNREADABLE: "cannot be read", BLANK: "blank"}  # fmt: skip
    parts += [f"{own.apart[s]} {word}" for s, word in words.items() if own.apart[s]]
    return ", ".join(parts)


def _is_remarkable(verdict: check.Verdict) -> bool:
    """Return whether an answer is right with a reservation; how it was read is not one."""
    if verdict.asked:
        return bool(verdict.notes) or "digits you gave" in verdict.evidence
    exact = verdict.evidence.startswith(("proved", "agrees"))
    readings = {*verdict.expression.notes, *verdict.claim.notes}
    return not exact or not readings.issuperset(verdict.notes)


def row_fields(row: Submission, grade: Grade, header: Sequence[str]) -> dict[str, Any]:
    """A row of a class set as the fields of JSON."""
    cells = dict(zip(header, row.cells, strict=True))
    return {"row": row.number, "cells": cells, **grade.as_dict()}


MOST_NODES = 1000
"""Nodes of a function up to which its derivative is shown."""


def sheet_page(graded: Sequence[GradedLine], own: Score, detail: Detail, title: str) -> str:  # fmt: skip
    """The page about a sheet."""
    rows, sections = [], []
    for i, (line, verdict) in enumerate(graded, 1):
        status, name, place = _status(verdict), f"p{i}", f"line {line.line}"
        place = f"{line.label}, {place}" if line.label else place
        question, answer = texts_of(line)
        # by number: labels of a sheet may repeat, 1a and 1a, and a page may have each id once
        link = element("a", escaped(place), href=f"#{name}")
        rows.append([badge(status), link, typed(question), typed(answer) if answer else ""])  # fmt: skip
        if isinstance(verdict, ExprgradError):
            source = element("p", typed(question)) if not verdict.source else ""
            inside = source + refused(verdict)
        else:
            inside = "".join(_judged(line, verdict, detail))
        sections.append(case(name, status, escaped(place), inside))
    head = [("verdict", ""), ("problem", ""), ("asked", "text"), ("answered", "text")]
    return document(title, score(own), cells("All problems", head, rows), sections)


def _judged(line: Any, found: check.Verdict, detail: Detail) -> Iterator[str]:
    """The question, the answer, the truth, and why; the parts of an answer that has several."""
    # a hint must not give the answer away, and a right answer is itself what is right
    hidden = detail.hint or found.status == check.CORRECT
    if found.asked:
        yield element("div", typed(texts_of(line)[0]), class_="asked")
        one = isinstance(found.claim, Expression)
        claim = typeset(found.claim.root) if one else typed(claim_text(found))
        truth = [(name or "right is", typeset(formula.root)) for name, formula in ([] if hidden else found.formulas())]  # fmt: skip
        if not hidden and found.told is not None:
            truth = [("right is", shown(found.answer))]
    else:
        question = asked(found.expression, found.wrt, found.order, line.at)
        yield element("div", question, class_="asked")
        claim = claimed(found.claim, typed(line.answer) if line.answer else "")
        name = "the derivative anywhere" if line.at else "the derivative"
        truth = [] if hidden else [(name, derivative(found.expression, found.wrt, found.order))]  # fmt: skip
    yield told([("the answer", claim), *truth])
    body = list(verdicts.body(found, detail._replace(solution=False)))
    if len(found.parts) > 1:
        head = [("verdict", ""), ("part", ""), ("answered", "text"), ("why", "text")]
        rows = []
        for part in found.parts:
            hides = detail.hint and part.counterexample
            why = "look again" if hides else shown(part.evidence)
            own = badge(part.status), shown(part.name), typeset(part.claim.root), why
            rows.append(own)
        yield cells("Every part", head, rows)
        body = [block for block in body if not isinstance(block, Sentence)]
    if found.asked and detail.hint and "missing" in found.evidence:
        yield said("Something is missing.")
        # the evidence names what is missing, "missing: x = -1", which is half of the answer
        body = [block for block in body if "missing" not in str(block[0])]
    yield fragment(body)
    if detail.solution and not found.asked:
        yield steps(found.expression, found.wrt, found.order)


def work_page(solutions: Sequence[Solution], detail: Detail, title: str) -> str:
    """The page about worked solutions, line by line."""
    rows, sections = [], []
    for i, solution in enumerate(solutions, 1):
        name, judged = f"s{i}", solution.work
        link = element("a", f"line {solution.start}", href=f"#{name}")
        if isinstance(judged, ExprgradError):
            rows.append([badge(check.UNREADABLE), link, "", shown(judged.message)])
            sections.append(case(name, check.UNREADABLE, f"line {solution.start}", refused(judged)))  # fmt: skip
            continue
        about = judged.function, judged.wrt, judged.order
        wrong, jump = judged.first_wrong, shown(judged.conclusion)
        if wrong is not None:
            first = element("a", f"line {wrong}", href=f"#{name}-{wrong}")
            jump += f": {first} is the first that is wrong"
        rows.append([badge(judged.verdict), link, typed(judged.function.title), jump])
        lines = (marked(line, name) for line in verdicts.marked(judged, detail))
        inside = element("ol", "".join(lines), class_="lines")
        inside += element("p", shown(capital(verdicts.end_of(judged))), class_="said")
        if judged.verdict != check.CORRECT and not detail.hint:
            inside += told([("the derivative", derivative(*about))])
        inside += steps(*about) if detail.solution else ""
        sections.append(case(name, judged.verdict, asked(*about), inside))
    right = sum(getattr(s.work, "verdict", "") == check.CORRECT for s in solutions)
    head = [("verdict", ""), ("solution", ""), ("of", "text"), ("end", "text")]
    summary = cells("All solutions", head, rows)
    return document(title, f"{right} of {len(rows)} correct", summary, sections)


def typed_lines(text: str) -> str:
    """An answer, which may have several lines."""
    lines = text.strip().splitlines()
    return "<br>".join(map(typed, lines[:40])) + ("…" if len(lines) > 40 else "")


def asked(function: Expression, wrt: str, order: int, at: Mapping[str, float] | None = None) -> str:  # fmt: skip
    """The derivative that is asked for, and where."""
    question = typed(function.title)
    if text_length(function.root, LONGEST) <= LONGEST:
        several = len(function.variables) > 1
        question = typeset(Derivative(function.root, (wrt,) * order, several))
    place = check.point_text(at or {})
    return question + (escaped(f" at {place}") if place else "")


def claimed(claim: Expression, answer: str) -> str:
    """A claim, typeset, and behind it as it was typed, if it was."""
    own = element("span", f" typed as {answer}", class_="soft") if answer else ""
    return typeset(claim.root) + own


def derivative(function: Expression, wrt: str, order: int) -> str:
    """The derivative itself, typeset; nothing where it would be very long."""
    if len(function.tape.nodes) > MOST_NODES:
        return ""
    try:
        return typeset(function.derivative(wrt, order=order).root)
    except ExprgradError:
        return ""


# a class gives the same few answers to the same few questions, and each is typeset once
@lru_cache(1000)
def readable(text: str) -> str:
    """A formula in the language, typeset; as it stands where it cannot be read again."""
    try:
        return typeset(parse(text).root) if len(text) <= LONGEST else typed(text)
    except ExprgradError:
        return typed(text)


def said(text: str, class_: str = "said") -> str:
    """A sentence as a paragraph."""
    return element("p", shown(text, 4 * LONGEST), class_=class_) if text else ""


def told(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of names with what each is, in HTML; those without anything are left out."""
    rows = [f"<dt>{escaped(name)}</dt><dd>{value}</dd>" for name, value in pairs if value]  # fmt: skip
    return element("dl", "".join(rows)) if rows else ""


def refused(error: ExprgradError) -> str:
    """Why a text cannot be read, with its place and what would help."""
    source = typed(error.source, error.span) if error.source and error.span else ""
    hint = said(f"Hint: {error.hint}") if error.hint else ""
    return said(error.message) + (element("p", source) if source else "") + hint


def steps(function: Expression, wrt: str, order: int) -> str:
    """The derivation, on demand."""
    return fragment([derivation(function, (wrt,) * order)])


def case(name: str, status: str, head: str, inside: str) -> str:
    """A section of its own, with its verdict in front, in colour and in words."""
    title = element("h2", f"{badge(status)} {head}", id=f"{name}-head")
    top = '<p class="top"><a href="#top">to the top</a></p>'
    class_ = f"case {kind_of(status)}"
    return element("section", title + inside + top, id=name, class_=class_, aria_labelledby=f"{name}-head")  # fmt: skip


def document(title: str, score: str, summary: str, sections: Iterable[str]) -> str:
    """A whole page: its title and score, a summary with links, and the sections."""
    head = element("h1", shown(title), id="top") + said(score)
    nav = element("nav", summary, aria_label="summary") if summary else ""
    return page(visible.line(shorten(title, 100)), "\n".join([head, nav, *sections]), STYLE)  # fmt: skip


MOST_EXAMPLES = 20
"""The mistakes that a page lists."""

MOST_ANSWERS = 1000
"""Answers of a student that are shown; those without a name are nobody's."""

_NOBODY = "no name"


def class_page(book: Gradebook, title: str, hint: bool = False) -> str:
    """The page about a gradebook that is whole."""
    students, sections = [], []
    for i, (name, own) in enumerate(book.students.items(), 1):
        called, answers = shown(name, 100) or _NOBODY, book.answers[name]
        students.append([element("a", called, href=f"#s{i}"), *_counted(own)])
        head = f"{called}: {own.right} of {own.total}"
        inside = "".join(_answers(name, answers, hint))
        sections.append(case(f"s{i}", _overall(own), head, inside))
    questions = [[typed(n), *_counted(own)] for n, own in book.questions.items()]
    summary = [cells("Students", [("student", "text"), *_HEAD], students)]
    summary.append(cells("Questions", [("question", "text"), *_HEAD], questions))
    if book.examples and not hint:  # the commonest mistakes, each with an example
        titles = [("mistake", "text"), ("times", "n"), ("question", "text"), ("answer", "text"), ("what went wrong", "text")]  # fmt: skip
        mistakes = []
        for name, times, one in book.commonest(MOST_EXAMPLES):
            example = typed(one.question), typed_lines(one.answer), shown(one.said)
            mistakes.append([shown(name), f"{times}×", *example])
        summary.append(cells("Mistakes", titles, mistakes))
    total = f"{score(book.all)} ({book.all.percent})"
    return document(title, total, "\n".join(summary), sections)


def _overall(own: Score) -> str:
    """The status of all answers together: right, wrong, or some of both."""
    if own.right == own.total:
        return check.CORRECT
    return check.PARTLY if own.right else check.INCORRECT


_HEAD = [("right", "n"), ("share", ""), ("commonest mistake", "text")]


def _counted(own: Score) -> list[str]:
    """The cells of a score."""
    first = own.mistakes.most_common(1)
    mistake = f"{shown(first[0][0])} ({first[0][1]})" if first else ""
    bar = element("span", "", class_="bar", style=f"width:{6 * own.share:.2f}rem")
    return [f"{own.right} of {own.total}, {own.percent}", bar, mistake]


@lru_cache(MOST_ANSWERS)
def _typeset(question: str, answer: str, variable: str | None) -> tuple[str, str]:
    """The question and the claim, typeset; as texts where they are not two formulas."""
    plain = typed(question), typed_lines(answer)
    # None: the row is of another kind, or has details, and its question and answer are no two formulas
    if variable is None or max(len(question), len(answer)) > LONGEST:
        return plain
    try:
        problem = read_row(question, answer, variable)
    except ExprgradError:
        return plain
    if not problem.is_derivative:
        return plain
    question = asked(problem.function, problem.variable, problem.order, problem.at)
    return question, claimed(problem.claim, plain[1])


def _answers(name: str, answers: list[Answered], hint: bool) -> Iterator[str]:
    """The answers of a student, or all that have no name, each behind its verdict; one that is not right is open."""
    most = MOST_ANSWERS if name else len(answers)
    for own in answers[:most]:
        status = own.grade.status if own.answer.strip() else BLANK
        head = element("summary", f"{badge(status)} {typed(own.question)}")
        inside = "".join(_body(own, hint)) if status != BLANK else ""
        # who corrects looks for what went wrong, and unfolds what is right only to see it again
        opened = None if own.grade.status == check.CORRECT else "open"
        class_ = f"answer {kind_of(status)}"
        yield element("details", head + element("div", inside), class_=class_, open=opened)  # fmt: skip
    if len(answers) > most:
        yield said(f"{len(answers) - most} more answers are not shown.")


def _body(own: Answered, hint: bool) -> Iterator[str]:
    """The question, the answer, the truth, and why."""
    grade = own.grade
    question, claim = _typeset(own.question, own.answer, own.variable)
    yield element("div", question, class_="asked")
    right = grade.derivative if grade.status not in (check.CORRECT, check.UNREADABLE) and not hint else ""  # fmt: skip
    truth = readable(right) if right else ""
    yield told([("the answer", claim), ("right is", truth)])
    if grade.error is not None:
        yield refused(grade.error)
        return
    _, evidence, example, *_ = cells_of(grade, hint)
    yield said(capital(f"try {example}" if hint and example else evidence))
    mistake = grade.mistake
    # the evidence of some answers is the mistake itself, which need not be said twice
    if mistake and not grade.if_read_as and (hint or mistake.message != evidence):
        yield said(verdicts.sentence(mistake, verdicts.Detail(hint)), "mistake")
    yield fragment(Said(note, "note") for note in grade.notes)
