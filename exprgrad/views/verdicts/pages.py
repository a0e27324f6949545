"""Pages about graded sheets and worked solutions, in one file that loads nothing: to be opened, printed, handed back.

    sheet_page(graded, tally, detail, "worksheet")      # one section per problem
    work_page(solutions, detail, "solution")            # one section per solution, its lines with their marks

What they say is what the same verdicts say in a terminal, with formulas typeset; with `detail.hint` nothing gives
the answer away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from exprgrad.annotations import Any
from exprgrad.checking.check import CORRECT, UNREADABLE, Verdict, point_text
from exprgrad.checking.fields import claim_text
from exprgrad.checking.problems import Problem
from exprgrad.checking.work.sheet import Solution
from exprgrad.errors import ExprgradError
from exprgrad.expressions.confirm import simplify
from exprgrad.expressions.expression import Expression
from exprgrad.grading.grade import GradedLine, Tally
from exprgrad.language.notes import shorten
from exprgrad.notation.text import text_length
from exprgrad.pictures.svg import element, escaped, page
from exprgrad.views import visible
from exprgrad.views.answers.steps import derivation
from exprgrad.views.blocks import Derivative, Sentence
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
from exprgrad.views.verdicts import checking, work
from exprgrad.views.verdicts.checking import Detail
from exprgrad.views.verdicts.grading import score, texts_of

MOST_NODES = 1000
"""Nodes of a function up to which its derivative is shown."""


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
        if isinstance(verdict, ExprgradError):
            source = element("p", typed(question)) if not verdict.source else ""
            inside = source + refused(verdict)
        else:
            inside = "".join(_judged(line, verdict, detail))
        sections.append(case(name, status, escaped(place), inside))
    head = [("verdict", ""), ("problem", ""), ("asked", "text"), ("answered", "text")]
    return document(title, score(tally), cells("All problems", head, rows), sections)


def _judged(line: Any, found: Verdict, detail: Detail) -> Iterator[str]:
    """The question, the answer, the truth, and why; the parts of an answer that has several."""
    hidden = detail.hint or found.status == CORRECT
    if found.asked:
        yield element("div", typed(texts_of(line)[0]), class_="asked")
        one = isinstance(found.claim, Expression)
        claim = typeset(found.claim.root) if one else typed(claim_text(found))
        truth = [(name or "right is", typeset(simplify(root))) for name, root in ([] if hidden else found.right)]  # fmt: skip
        if not hidden and found.told is not None:
            truth = [("right is", shown(found.answer))]
    else:
        is_problem = isinstance(line, Problem)
        where = point_text((line.at if is_problem else None) or {})
        question = asked(found.expression, found.wrt, found.order)
        yield element("div", question + escaped(f" at {where}" * bool(where)), class_="asked")  # fmt: skip
        own = f" typed as {typed(line.answer)}" if is_problem and line.answer else ""
        claim = typeset(found.claim.root)
        claim += element("span", own, class_="soft") if own else ""
        name = "the derivative anywhere" if where else "the derivative"
        truth = [] if hidden else [(name, derivative(found.expression, found.wrt, found.order))]  # fmt: skip
    yield told([("the answer", claim), *truth])
    body = list(checking.body(found, detail._replace(solution=False)))
    if len(found.parts) > 1:
        head = [("verdict", ""), ("part", ""), ("answered", "text"), ("why", "text")]
        rows = [
            [badge(p.status), shown(p.name), typeset(p.claim.root), "look again" if detail.hint and p.counterexample else shown(p.evidence)]
            for p in found.parts
        ]  # fmt: skip
        yield cells("Every part", head, rows)
        body = [block for block in body if not isinstance(block, Sentence)]
    if found.asked and detail.hint and "missing" in found.evidence:
        yield said("Something is missing.")
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
            rows.append([badge(UNREADABLE), link, "", shown(judged.message)])
            sections.append(case(name, UNREADABLE, f"line {solution.start}", refused(judged)))  # fmt: skip
            continue
        about = judged.function, judged.wrt, judged.order
        wrong, jump = judged.first_wrong, shown(judged.conclusion)
        if wrong is not None:
            first = element("a", f"line {wrong}", href=f"#{name}-{wrong}")
            jump += f": {first} is the first that is wrong"
        rows.append([badge(judged.verdict), link, typed(judged.function.title), jump])
        lines = (marked(line, name) for line in work.marked(judged, detail))
        inside = element("ol", "".join(lines), class_="lines")
        inside += element("p", shown(capital(work.end_of(judged))), class_="said")
        if judged.verdict != CORRECT and not detail.hint:
            inside += told([("the derivative", derivative(*about))])
        inside += steps(*about) if detail.solution else ""
        sections.append(case(name, judged.verdict, asked(*about), inside))
    right = sum(getattr(s.work, "verdict", "") == CORRECT for s in solutions)
    head = [("verdict", ""), ("solution", ""), ("of", "text"), ("end", "text")]
    summary = cells("All solutions", head, rows)
    return document(title, f"{right} of {len(rows)} correct", summary, sections)


# What pages are made of


def typed_lines(text: str) -> str:
    """An answer, which may have several lines."""
    lines = text.strip().splitlines()
    return "<br>".join(map(typed, lines[:40])) + ("…" if len(lines) > 40 else "")


def asked(function: Expression, wrt: str, order: int) -> str:
    """The derivative that is asked for."""
    if text_length(function.root, LONGEST) > LONGEST:
        return typed(function.title)
    return typeset(Derivative(function.root, (wrt,) * order, len(function.variables) > 1))  # fmt: skip


def derivative(function: Expression, wrt: str, order: int) -> str:
    """The derivative itself, typeset; nothing where it would be very long."""
    if len(function.tape.nodes) > MOST_NODES:
        return ""
    try:
        return typeset(function.derivative(wrt, order=order).root)
    except ExprgradError:
        return ""


def readable(text: str) -> str:
    """A formula in the language, typeset; as it stands where it cannot be read again."""
    from exprgrad.expressions.expression import parse

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
    return fragment([derivation(function, wrt, order)])


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
