"""Files that other programs read: sheets of practice problems, for Moodle too; and the claims of a document, as JUnit, SARIF and lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from exprgrad.annotations import Any, NamedTuple
from exprgrad.expressions.confirm import latex
from exprgrad.expressions.expression import parse
from exprgrad.grading.claims import (
    NOT_READ,
    RIGHT,
    STATUSES,
    UNDECIDED,
    WRONG,
    Audit,
    Claim,
)
from exprgrad.grading.practice import MOST_DISTRACTORS, VARIABLE, Distractor, Exercise
from exprgrad.language.notes import shorten
from exprgrad.views import output, visible
from exprgrad.views.blocks import Block, Lines, Styled
from exprgrad.views.formats import Rows, to_json
from exprgrad.views.layout import Line, width_of


class Item(NamedTuple):
    """A problem with its distractors."""

    exercise: Exercise
    distractors: Sequence[Distractor]


class PracticeView(NamedTuple):
    """A sheet: problems first, answers below them."""

    items: Sequence[Item]

    def blocks(self) -> list[Block]:
        """The problems, and then the answers."""
        asked = [f"{i}) d/dx ({own.exercise.problem})" for i, own in self._numbered()]
        answers = [f"{i}) {own.exercise.answer}" for i, own in self._numbered()]
        return [Lines((*asked, "", "Answers", *answers))]

    def _numbered(self) -> Iterator[tuple[int, Item]]:
        return iter(enumerate(self.items, 1))

    def csv(self) -> Rows:
        """A row for each problem, with wrong answers and the mistakes that give them."""
        wrong = [f"{name} {i}" for i in range(1, MOST_DISTRACTORS + 1) for name in ("wrong", "mistake")]  # fmt: skip
        header = ["problem", "answer", "topic", "level", "from", "to", *wrong]
        rows = []
        for _, (own, others) in self._numbered():
            cells: list[str | float | None] = [
                f"d/dx ({own.problem})", own.answer, own.topic, own.level, *own.interval,
            ]  # fmt: skip
            for other in others:
                cells += [other.answer, other.mistake]
            # a spreadsheet expects as many cells as titles, and some problems have fewer wrong answers
            rows.append([*cells, *[""] * (len(header) - len(cells))])
        return header, rows

    def latex(self) -> Iterator[str]:
        """Two lists, the second of answers."""
        asked = [rf"\frac{{d}}{{dx}}\left({_tex(own.problem)}\right)" for own, _ in self.items]  # fmt: skip
        answers = [_tex(own.answer) for own, _ in self.items]
        for head, formulas in (("", asked), (r"\section*{Answers}", answers)):
            items = (rf"\item ${formula}$" for formula in formulas)
            yield from filter(None, (head, r"\begin{enumerate}", *items, r"\end{enumerate}"))  # fmt: skip

    def moodle_xml(self) -> Iterator[str]:
        """Questions with several answers to choose from; what each wrong one overlooks is its feedback."""
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield "<quiz>"
        yield from (_question(i, own) for i, own in self._numbered())
        yield "</quiz>"


def _tex(text: str) -> str:
    return latex(parse(text, (VARIABLE,)).root)


QUESTION = Path(__file__).with_name("moodle.xml").read_text("utf-8").rstrip()
"""A question with several answers, as Moodle reads it."""


def _question(number: int, item: Item) -> str:
    own, others = item
    # Moodle typesets what stands between \( and \)
    stem = rf"Differentiate \( {_tex(own.problem)} \) with respect to \( {VARIABLE} \)."
    answers = [_answer("100", own.answer, "")]
    answers += (_answer("0", other.answer, other.message) for other in others)
    return QUESTION.format(
        name=f"<text>{escape(f'{own.topic} {number}', quote=False)}</text>", asked=_paragraph(stem),
        right=_paragraph(rf"\( {_tex(own.answer)} \)"), answers="\n".join(answers),
    )  # fmt: skip


def _answer(fraction: str, answer: str, feedback: str) -> str:
    shown = _paragraph(rf"\( {_tex(answer)} \)")
    said = f'      <feedback format="html">{_paragraph(feedback)}</feedback>'
    begin = f'    <answer fraction="{fraction}" format="html">'
    return f"{begin}{shown}\n{said}\n    </answer>"


def _paragraph(content: str) -> str:
    """A paragraph of the format, if there is one, with what is markup inside escaped once more."""
    inside = f"<p>{escape(content, quote=False)}</p>" if content else ""
    return f"<text>{escape(inside, quote=False)}</text>"


MARKS = {RIGHT: "✓", WRONG: "✗", UNDECIDED: "?", NOT_READ: "–"}
STYLES = {RIGHT: "green", WRONG: "red", UNDECIDED: "yellow", NOT_READ: "dim"}
LEVELS = {WRONG: "error", UNDECIDED: "warning", NOT_READ: "note"}
"""The levels of SARIF; what is right is not reported there."""

LONGEST = 100
"""Characters of a formula that are shown."""

_RULES = {
    WRONG: "A step of a derivative is wrong.",
    UNDECIDED: "A claim about a derivative could not be decided, or holds on a part of the domain only.",
    NOT_READ: "A claim about a derivative could not be read.",
}


class AuditView(NamedTuple):
    """Audited documents; `quiet` leaves out what is right or was not read."""

    audits: tuple[Audit, ...]
    quiet: bool = False

    @property
    def findings(self) -> list[tuple[Audit, Claim]]:
        """Return what is not right, with the document that says so."""
        every = ((audit, claim) for audit in self.audits for claim in audit.claims)
        return [(audit, claim) for audit, claim in every if claim.status != RIGHT]

    def blocks(self) -> list[Block]:
        """A line for each claim, with what is wrong below it, and the numbers at the end."""
        lines = (tuple(own) for audit in self.audits for claim in audit.claims for own in self._claim(audit.name, claim))  # fmt: skip
        return [Styled((*lines, ((summary(self.audits), "bold"),)), hang=None)]

    def _claim(self, name: str, claim: Claim) -> Iterator[Line]:
        if self.quiet and claim.status in (RIGHT, NOT_READ):
            return
        line, column = claim.place
        mark = visible.encodable(MARKS[claim.status], output.encoding())
        place, verdict = f"{name}:{line}:{column}: ", f"{mark} {claim.status}"  # fmt: skip
        head: Line = [(place, "dim"), (verdict, STYLES[claim.status])]
        text, width = shorten(claim.text, LONGEST), output.width()
        below = list(_said(claim))
        if width_of(f"{place}{verdict}  {text}") <= width:
            yield [*head, (f"  {text}", "")]
        else:
            yield head
            below.insert(0, text)
        for said in below:
            for piece in textwrap.wrap(said, max(16, width - 4)):
                yield [(f"    {piece}", "")]

    def as_dict(self) -> dict[str, Any]:
        """The counts, and the fields of every claim; of several documents the counts, and those of each."""
        own = [audit.as_dict() for audit in self.audits]
        if len(own) == 1:
            return own[0]
        counts = {s.replace(" ", "_"): count(self.audits, s) for s in STATUSES}
        return {**counts, "documents": own}

    def junit(self) -> list[str]:
        """A test suite for each document, in which every claim is a test."""
        from xml.etree import ElementTree as Tree

        def counts(*audits: Audit) -> dict[str, str]:
            tests = sum(len(audit.claims) for audit in audits)
            failures = count(audits, WRONG)
            return {"tests": str(tests), "failures": str(failures), "errors": "0"}

        whole = Tree.Element("testsuites", counts(*self.audits))
        for audit in self.audits:
            # a build must not fail for what was not decided, nor pass over it in silence
            skipped = str(audit.count(UNDECIDED) + audit.count(NOT_READ))
            suite = Tree.SubElement(whole, "testsuite", {"name": audit.name, **counts(audit), "skipped": skipped})  # fmt: skip
            for claim in audit.claims:
                name = _plain(f"line {claim.line}: {shorten(claim.text, LONGEST)}")
                place = {"file": audit.name, "line": str(claim.place[0])}
                case = Tree.SubElement(suite, "testcase", {"classname": audit.name, "name": name, **place})  # fmt: skip
                if claim.status != RIGHT:
                    said = _plain("; ".join(_said(claim)) or claim.status)
                    tag = "failure" if claim.status == WRONG else "skipped"
                    Tree.SubElement(case, tag, message=said).text = _plain(claim.text)
        Tree.indent(whole)
        return ['<?xml version="1.0" encoding="UTF-8"?>', Tree.tostring(whole, "unicode")]  # fmt: skip

    def github(self) -> list[str]:
        """A line for each finding that GitHub shows beside the line of the file."""
        lines = []
        for audit, claim in self.findings:
            line, column = claim.place
            said = "; ".join((shorten(claim.text, LONGEST), *_said(claim)))
            # % first: it would be found again in %0A
            own = said.replace("%", "%25").replace("\n", "%0A")
            name = audit.name.replace("%", "%25").replace(",", "%2C").replace(":", "%3A")  # fmt: skip
            # GitHub says notice for what SARIF calls a note
            level = LEVELS[claim.status].replace("note", "notice")
            lines.append(f"::{level} file={name},line={line},col={column}::{own}")
        return lines

    def sarif(self) -> list[str]:
        """A run in the static analysis format of OASIS, version 2.1.0."""
        from urllib.parse import quote

        from exprgrad import __version__

        rules, results = list[Any](), []
        for status, text in _RULES.items():
            rule = status.replace(" ", "_")
            rules.append({"id": rule, "shortDescription": {"text": text}})
        for audit, claim in self.findings:
            # SARIF 2.1.0, 3.4.3: a URI, in which a blank is %20
            uri = quote(audit.name.replace("\\", "/"))
            said = "; ".join(_said(claim)) or claim.status
            line, column = claim.place
            region = {"startLine": line, "startColumn": column}
            place = {"artifactLocation": {"uri": uri}, "region": region}
            results.append({
                "ruleId": claim.status.replace(" ", "_"),
                "level": LEVELS[claim.status],
                "message": {"text": f"{shorten(claim.text, LONGEST)}: {said}"},
                "locations": [{"physicalLocation": place}],
            })  # fmt: skip
        driver = {"name": "exprgrad", "version": __version__, "rules": rules}
        runs = [{"tool": {"driver": driver}, "results": results}]
        schema = "https://json.schemastore.org/sarif-2.1.0.json"
        fields = {"$schema": schema, "version": "2.1.0", "runs": runs}
        return to_json(fields).splitlines()


def count(audits: Iterable[Audit], status: str) -> int:
    """Return how many claims of a status there are in documents."""
    return sum(audit.count(status) for audit in audits)


def summary(audits: Sequence[Audit]) -> str:
    """Return how many claims there are of each kind."""
    total = sum(len(audit.claims) for audit in audits)
    if not total:
        return "no claim about a derivative was found"
    parts = [f"{count(audits, s)} {s}" for s in STATUSES]
    return f"{total} claim{'s'[: total != 1]}: {', '.join(parts)}"


def _said(claim: Claim) -> Iterator[str]:
    """Yield what there is to say about a claim: its first wrong step, or why it was not decided."""
    wrong = claim.wrong
    if wrong is not None:
        yield f"{shorten(wrong.text, LONGEST)}"
        if wrong.evidence:
            yield wrong.evidence
    elif claim.reason and claim.status != RIGHT:
        yield claim.reason


def _plain(text: str) -> str:
    """A text without the characters that XML does not have."""
    # XML 1.0 has no way to write most control characters, not even as &#7;
    return "".join(c if c.isprintable() else " " for c in text)
