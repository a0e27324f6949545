"""Pages about graded sheets and worked solutions, in one file that loads nothing: to be opened, printed, handed back.

    sheet_page(graded, tally, detail, "worksheet")      # one section per problem
    work_page(solutions, detail, "solution")            # one section per solution, its lines with their marks

What they say is what the same verdicts say in a terminal; with `detail.hint` nothing gives the answer away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exprgrad.checking.check import CORRECT, UNREADABLE, Verdict, point_text
from exprgrad.checking.problems import Problem
from exprgrad.checking.work.sheet import Solution
from exprgrad.checking.work.work import WRONG, Work, WorkLine
from exprgrad.errors import ExprgradError
from exprgrad.expressions.confirm import simplify
from exprgrad.expressions.expression import Expression
from exprgrad.grading.grade import GradedLine, Tally
from exprgrad.pictures.svg import element, escaped
from exprgrad.views.answers.steps import derivation
from exprgrad.views.verdicts import checking, work
from exprgrad.views.verdicts.checking import Detail
from exprgrad.views.verdicts.grading import Outcome, SheetLine, score, texts_of
from exprgrad.views.verdicts.page_parts import (
    asked,
    badge,
    capital,
    case,
    derivative,
    document,
    formula,
    notes,
    refused,
    said,
    shown,
    steps,
    table,
    told,
    typed,
)


def sheet_page(graded: Sequence[GradedLine], tally: Tally, detail: Detail, title: str) -> str:  # fmt: skip
    """The page about a sheet."""
    rows, sections = [], []
    for i, (line, verdict) in enumerate(graded, 1):
        status = UNREADABLE if isinstance(verdict, ExprgradError) else verdict.status
        name, place = f"p{i}", f"line {line.line}"
        place = f"{line.label}, {place}" if line.label else place
        question, answer = texts_of(line)
        link = element("a", escaped(place), href=f"#{name}")
        rows.append([badge(status), link, typed(question), typed(answer) if answer else ""])  # fmt: skip
        inside = _answer(line, verdict, detail)
        sections.append(case(name, status, escaped(place), inside))
    head = [("verdict", ""), ("problem", ""), ("asked", "text"), ("answered", "text")]
    return document(title, score(tally), table("All problems", head, rows), sections)


def _answer(line: SheetLine, verdict: Outcome, detail: Detail) -> str:
    """What stands in the section of a problem."""
    if isinstance(verdict, ExprgradError):
        source = element("p", typed(texts_of(line)[0]))
        return (source if not verdict.source else "") + refused(verdict)
    if verdict.asked:
        return "".join(_judged(line, verdict, detail))
    place = line.at if isinstance(line, Problem) else None
    return "".join(_checked(verdict, detail, line.answer if isinstance(line, Problem) else "", place))  # fmt: skip


def _checked(
    verdict: Verdict, detail: Detail, answer: str, place: dict[str, float] | None
) -> Iterator[str]:
    """A claimed derivative: the question, the claim, the truth, and why."""
    question = asked(verdict.expression, verdict.wrt, verdict.order)
    where = point_text(place or {})
    yield element("div", f"{question}{escaped(f' at {where}') if where else ''}", class_="asked")  # fmt: skip
    claim = formula(verdict.claim.root)
    own = element("span", f" typed as {typed(answer)}", class_="soft") if answer else ""
    right = "" if detail.hint or verdict.status == CORRECT else derivative(verdict.expression, verdict.wrt, verdict.order)  # fmt: skip
    label = "the derivative" if not place else "the derivative anywhere"
    yield told([("the answer", claim + own), (label, right)])
    yield said(capital(checking.evidence_of(verdict, detail.hint)))
    mistake = verdict.mistake
    if mistake is not None and not verdict.if_read_as:
        sentence = checking.sentence(mistake, detail)
        source = ""
        if mistake.span is not None:
            source = f"<br>in {typed(verdict.expression.source, mistake.span)}"
        yield element("p", shown(sentence) + source, class_="mistake")
    yield notes(checking.notes_of(verdict))
    if detail.solution:
        yield steps(derivation(verdict.expression, verdict.wrt, verdict.order))


def _judged(line: SheetLine, found: Verdict, detail: Detail) -> Iterator[str]:
    """An answer of another kind, and its parts where it has several."""
    yield element("div", typed(texts_of(line)[0]), class_="asked")
    claim = found.claim
    own = formula(claim.root) if isinstance(claim, Expression) else ""
    text = typed(checking.claim_text(found))
    truth: list[tuple[str, str]] = []
    if detail.hint or found.status == CORRECT:
        pass
    elif found.kind == "critical":
        truth = [("right is", shown(found.answer))]
    else:
        truth = [(name or "right is", formula(simplify(root))) for name, root in found.right]  # fmt: skip
    yield told([("the answer", own or text), *truth])
    if len(found.parts) > 1:
        head = [("verdict", ""), ("part", ""), ("answered", "text"), ("why", "text")]
        rows = []
        for part in found.parts:
            why = "look again" if detail.hint and part.counterexample else shown(part.evidence)  # fmt: skip
            rows.append([badge(part.status), shown(part.name), formula(part.claim.root), why])  # fmt: skip
        yield table("Every part", head, rows)
    if len(found.parts) < 2 or "missing" in found.evidence:
        evidence = checking.evidence_of(found, detail.hint)
        hidden = detail.hint and "missing" in evidence
        yield said("Something is missing." if hidden else capital(evidence))
    if found.mistake is not None and found.mistake.message != found.evidence:
        yield said(checking.sentence(found.mistake, detail), "mistake")
    yield notes(found.notes)


def work_page(solutions: Sequence[Solution], detail: Detail, title: str) -> str:
    """The page about worked solutions, line by line."""
    rows, sections = [], []
    for i, solution in enumerate(solutions, 1):
        name, judged = f"s{i}", solution.work
        link = element("a", f"line {solution.start}", href=f"#{name}")
        if isinstance(judged, ExprgradError):
            rows.append([badge(UNREADABLE), link, "", shown(judged.message)])
            sections.append(case(name, UNREADABLE, f"line {solution.start}", refused(judged)))  # fmt: skip
            continue
        question = asked(judged.function, judged.wrt, judged.order)
        wrong = judged.first_wrong
        jump = shown(judged.conclusion)
        if wrong is not None:
            first = element("a", f"line {wrong}", href=f"#{name}-{wrong}")
            jump += f": {first} is the first that is wrong"
        rows.append([badge(judged.verdict), link, typed(judged.function.title), jump])
        inside = "".join(_worked(name, judged, detail))
        sections.append(case(name, judged.verdict, question, inside))
    right = sum(getattr(s.work, "verdict", "") == CORRECT for s in solutions)
    head = [("verdict", ""), ("solution", ""), ("of", "text"), ("end", "text")]
    summary = table("All solutions", head, rows)
    return document(title, f"{right} of {len(rows)} correct", summary, sections)


def _worked(name: str, found: Work, detail: Detail) -> Iterator[str]:
    """The lines of a solution, the first wrong one marked, and the end."""
    texts = {line.number: line.text for line in found.lines}
    lines = [_line(name, found, line, texts, detail) for line in found.lines]
    yield element("ol", "".join(lines), class_="lines")
    yield element("p", shown(capital(work.end_of(found))), class_="said")
    if found.verdict != CORRECT and not detail.hint:
        truth = derivative(found.function, found.wrt, found.order)
        yield told([("the derivative", truth)])
    if detail.solution:
        yield steps(derivation(found.function, found.wrt, found.order))


def _line(
    name: str, found: Work, line: WorkLine, texts: dict[int, str], detail: Detail
) -> str:
    """A line as typed behind its number, its verdict, and what there is to say."""
    mistake = line.mistake
    own = mistake.span if mistake is not None and mistake.line == line.number else None
    parts = [f"{typed(line.text, own)} {badge(line.status)}"]
    remarks = [text for text, _ in work.said_of(line, detail.hint)]
    parts += [said(capital(text)) for text in remarks[: len(remarks) - len(line.notes)]]
    if mistake is not None:
        sentence = checking.sentence(mistake, detail)
        place = ""
        if own is None and mistake.span is not None:
            where = f"line {mistake.line}" if mistake.line else "the problem"
            source = texts.get(mistake.line) if mistake.line else found.function.source
            place = f"<br>in {where}: {typed(source, mistake.span)}" if source else ""
        parts.append(element("p", shown(sentence) + place, class_="mistake"))
    parts.append(notes(line.notes))
    first = line.status == WRONG and line.number == found.first_wrong
    number = element("span", str(line.number), class_="number")
    inside = number + element("div", "".join(parts))
    return element("li", inside, id=f"{name}-{line.number}", class_="first" if first else None)  # fmt: skip
