"""A worked solution with a mark on every line, for people and for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from exprgrad.annotations import Any
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.work.sheet import Solution
from exprgrad.checking.work.work import (
    CONSEQUENT,
    FOLLOWS,
    UNREADABLE,
    WRONG,
    Work,
    WorkLine,
)
from exprgrad.errors import ExprgradError
from exprgrad.expressions.confirm import latex
from exprgrad.language.notes import shorten
from exprgrad.views import output, tex, visible
from exprgrad.views.answers.formulas import latex_operator, operator
from exprgrad.views.answers.steps import derivation, derivation_latex
from exprgrad.views.blocks import Block, Column, Styled, Table
from exprgrad.views.diagnostic import describe, excerpt
from exprgrad.views.layout import Line, width_of
from exprgrad.views.verdicts.checking import (
    Detail,
    certainty,
    evidence_of,
    sentence,
)

MARKS = {FOLLOWS: "✓", WRONG: "✗", CONSEQUENT: "↳", UNREADABLE: "?"}
STYLES = {FOLLOWS: "green", WRONG: "red", CONSEQUENT: "yellow", UNREADABLE: "yellow"}
VERDICTS = {
    "correct": ("✓", "green"),
    "incorrect": ("✗", "red"),
    "partly": ("✗", "red"),
}


class WorkView:
    """Worked solutions, judged line by line."""

    def __init__(self, solutions: list[Solution], detail: Detail) -> None:
        self.solutions, self.detail = solutions, detail

    def text(self) -> list[Block]:
        """Each problem, its lines with their marks, and whether the answer is right."""
        return [Styled(tuple(map(tuple, self._solution(s)))) for s in self.solutions]

    def latex(self) -> Iterator[str]:
        """Each problem as a formula, its lines as a table with what is to be said of them."""
        for i, solution in enumerate(self.solutions):
            if i:
                yield ""
            if isinstance(solution.work, ExprgradError):
                yield rf"\textbf{{not read}}: line {solution.start}: {tex.words(solution.work.message)}."
            else:
                yield from latex_lines(solution.work, self.detail)

    def json(self) -> dict[str, Any]:
        """The fields of the one solution, or of each."""
        found = [fields(s) for s in self.solutions]
        return found[0] if len(found) == 1 else {"solutions": found}

    def _solution(self, solution: Solution) -> Iterator[Line]:
        if not isinstance(solution.work, ExprgradError):
            yield from lines(solution.work, self.detail)
            return
        yield [("? ", "yellow"), (f"line {solution.start}", "bold")]
        for line in describe(solution.work, self.detail.width - 2):
            yield [(f"  {line}", "")]


def lines(work: Work, detail: Detail) -> Iterator[Line]:
    """The problem, every line with its mark and what there is to say, and the end."""
    several = len(work.function.variables) > 1
    what = operator((work.wrt,) * work.order, several)
    title = shorten(work.function.title, max(20, detail.width - 8))
    yield [(f"{what} of {title}", "bold")]
    room = max(len(str(line.number)) for line in work.lines)
    texts = {line.number: line.text for line in work.lines}
    for line in work.lines:
        yield from _line(work, line, texts, room, detail)
    mark, style = VERDICTS.get(work.verdict, ("?", "yellow"))
    for i, text in enumerate(_wrap(end_of(work), detail.width - 2)):
        yield [(f"{mark} " if not i else "  ", style), (text, "bold")]
    if detail.solution:
        yield []
        shown = derivation(work.function, work.wrt, work.order)
        yield from ([(text, "")] for text in shown)


def latex_lines(work: Work, detail: Detail) -> Iterator[str]:
    """The same in TeX, every line as it was typed."""
    several = len(work.function.variables) > 1
    operator = latex_operator((work.wrt,) * work.order, several)
    yield rf"\[ {operator} \left({latex(work.function.root)}\right) \]"
    columns = [Column("line", number=True), Column("solution"), Column("verdict")]
    rows = []
    for line in work.lines:
        said = [line.status, *(text for text, _ in said_of(line, detail.hint))]
        if line.mistake is not None:
            said.append(line.mistake.hint if detail.hint else line.mistake.message)
        rows.append((str(line.number), _shown(line.text), "; ".join(said)))
    yield from tex.tabular(Table("", columns, rows))
    yield ""
    yield tex.words(tex.sentence(end_of(work)))
    if detail.solution:
        yield from derivation_latex(work.function, work.wrt, work.order)


def _line(
    work: Work, line: WorkLine, texts: dict[int, str], room: int, detail: Detail
) -> Iterator[Line]:
    """A line as typed behind its number and mark, and what is said of it below."""
    marks = {s: visible.encodable(mark, output.encoding()) for s, mark in MARKS.items()}
    widest = max(width_of(marks[other.status]) for other in work.lines)
    indent = " " * (room + 4 + widest)
    head = [
        (f"  {line.number:>{room}} ", "dim"),
        (f"{marks[line.status]:<{widest}} ", STYLES[line.status]),
    ]
    width = max(16, detail.width - len(indent))
    text = _shown(line.text)
    for i, piece in enumerate(_wrap(text, width)):
        yield [*head, (piece, "")] if not i else [(indent, ""), (piece, "")]
    caret = _caret(line, text, width)
    if caret:
        yield [(indent, ""), (caret, "red")]
    for said, style in said_of(line, detail.hint):
        yield from ([(indent, ""), (piece, style)] for piece in _wrap(said, width))
    if line.mistake is not None:
        yield from _mistake(work, line, line.mistake, texts, indent, detail)


def _shown(text: str) -> str:
    """A line as typed, without what a terminal would act on."""
    return "".join(c if c.isprintable() else " " for c in text.strip())


def _caret(line: WorkLine, text: str, width: int) -> str:
    """Carets below a mistake in the line itself, where that fits on one line; empty elsewhere."""
    mistake = line.mistake
    if mistake is None or mistake.line != line.number or mistake.span is None:
        return ""
    if width_of(text) > width:
        return ""
    blanks = len(line.text) - len(line.text.lstrip())
    start, end = (place - blanks for place in mistake.span)
    return " " * width_of(text[:start]) + "^" * max(1, width_of(text[start:end]))


def said_of(line: WorkLine, hint: bool) -> Iterator[tuple[str, str]]:
    """What is said of a line besides the mistake."""
    if line.status == CONSEQUENT:
        yield f"follows from your line {line.after}", "yellow"
    elif line.status == UNREADABLE:
        yield line.evidence, "yellow"
    elif line.status == WRONG:
        yield evidence_of(line, hint), ""
    for note in line.notes:
        yield note, "yellow"


def _mistake(
    work: Work,
    line: WorkLine,
    mistake: Mistake,
    texts: dict[int, str],
    indent: str,
    detail: Detail,
) -> Iterator[Line]:
    """What probably went wrong, with a caret in the line, the one before or the problem."""
    width = max(16, detail.width - len(indent))
    said = sentence(mistake, detail)
    yield from ([(indent, ""), (piece, "")] for piece in _wrap(said, width))
    source: str | None = work.function.source
    origin = "f: "
    if mistake.line:
        source, origin = texts.get(mistake.line), f"line {mistake.line}: "
    if mistake.span is None or source is None or _caret(line, _shown(line.text), width):
        return
    origin = "" if mistake.line == line.number else origin
    margin = indent + "  "
    shift = len(origin) - (len(source) - len(source.lstrip()))
    span = mistake.span[0] + shift, mistake.span[1] + shift
    room = max(20, detail.width - len(margin))
    for text in excerpt(origin + source.strip(), span, room):
        yield [(f"{margin}{text}", "red" if set(text) <= {" ", "^"} else "")]


def _wrap(text: str, width: int) -> list[str]:
    if width_of(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def end_of(work: Work) -> str:
    """Whether the answer is right, and how many lines are."""
    wrong = work.first_wrong
    first = "" if wrong is None else f": line {wrong} is the first that is wrong"
    return f"{work.conclusion}{first}"


def fields(solution: Solution) -> dict[str, Any]:
    """The fields of JSON output."""
    work = solution.work
    if isinstance(work, ExprgradError):
        return {"line": solution.start, "verdict": UNREADABLE, "error": work.message}
    credit = work.credit
    return {
        "function": work.function.title,
        "wrt": work.wrt,
        "order": work.order,
        "verdict": work.verdict,
        "conclusion": work.conclusion,
        "first_wrong": work.first_wrong,
        "mistake": work.mistake and work.mistake._asdict(),
        "derivative": work.derivative,
        "credit": {**credit._asdict(), "share": credit.share},
        "lines": [
            {
                "line": line.number,
                "text": line.text,
                "status": line.status,
                "evidence": line.evidence,
                "place": line.place,
                "after": line.after,
                "counterexample": line.counterexample and line.counterexample._asdict(),
                "mistake": line.mistake and line.mistake._asdict(),
                "notes": list(line.notes),
                **certainty(line),
            }
            for line in work.lines
        ],
    }
