"""A verdict on a claimed derivative, for people and for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.checking.agreement import Basis
from exprgrad.checking.check import Equivalence, Verdict, point_text
from exprgrad.expressions.expression import Expression
from exprgrad.language.notes import shorten
from exprgrad.views.answers.formulas import latex_operator, operator
from exprgrad.views.blocks import Block, Column, Styled, Table, number
from exprgrad.views.layout import Line

if TYPE_CHECKING:
    from exprgrad.checking.mistakes.mistake import Mistake


MARKS = {
    "correct": "✓", "equal": "✓", "incorrect": "✗", "different": "✗", "undecided": "?",
    "partly": "~", "unreadable": "!",
}  # fmt: skip

STYLES = {"✓": "green", "✗": "red", "?": "yellow", "~": "yellow", "!": "red"}


class Detail(NamedTuple):
    """How much is shown: `hint` keeps the answer back, `solution` adds the derivation."""

    hint: bool = False
    solution: bool = False
    width: int = 80


class VerdictsView(NamedTuple):
    """The verdicts on one claim or several, each with whether the answer is simplified, if that was asked for."""

    verdicts: list[tuple[Verdict, bool | None]]
    detail: Detail

    def text(self) -> list[Block]:
        """What each verdict is and rests on, and what probably went wrong."""
        every = [line for v, s in self.verdicts for line in lines(v, self.detail, s)]
        return [Styled(tuple(map(tuple, every)))]

    def latex(self) -> Iterator[str]:
        """Each verdict as a sentence with formulas, what it rests on, and the counterexample as a table."""
        for i, (verdict, simplified) in enumerate(self.verdicts):
            if i:
                yield ""
            yield from latex_lines(verdict, self.detail, simplified)

    def json(self) -> dict[str, Any]:
        """The fields of the one verdict, or of each."""
        found = []
        for verdict, simplified in self.verdicts:
            more = {} if simplified is None else {"simplified": simplified}
            found.append(fields(verdict) | more)
        return found[0] if len(found) == 1 else {"checks": found}


class EquivalenceView(NamedTuple):
    """The verdict on two expressions."""

    a: str
    b: str
    found: Equivalence
    width: int
    sides: tuple[Expression, ...] = ()

    def text(self) -> list[Block]:
        """What the verdict is and rests on."""
        found = self.found
        pair = f"{shorten(self.a, 50)} and {shorten(self.b, 50)}"
        every = [
            head(found.status, f"{self._said()}: {pair}"),
            *body_lines(found.evidence, self.width),
            *remarks(found.notes, self.width),
        ]
        return [Styled(tuple(map(tuple, every)))]

    def _said(self) -> str:
        status = self.found.status
        return "equal wherever both are defined" if status == "equal" else status

    def latex(self) -> Iterator[str]:
        """What the verdict is and rests on; a formula is written as it was typed where that is LaTeX."""
        from exprgrad.expressions.confirm import latex
        from exprgrad.views import tex

        found = self.found
        sides = (latex(side.root) for side in self.sides)
        yield rf"\textbf{{{self._said()}}}: ${'$ and $'.join(sides)}$."
        yield tex.words(tex.sentence(found.evidence))
        if found.counterexample is not None:
            at, second, first = found.counterexample
            yield from counterexample(at, {"first": first, "second": second})
        yield from tex.notes(found.notes)

    def json(self) -> dict[str, Any]:
        """The fields; for a counterexample, the values of both."""
        found, example = self.found, self.found.counterexample
        values = None
        if example is not None:
            values = {"at": example.at, "a": example.derivative, "b": example.claimed}
        return {
            "a": self.a,
            "b": self.b,
            "status": found.status,
            "evidence": found.evidence,
            "counterexample": values,
            "notes": list(found.notes),
            **certainty(found),
        }


def latex_lines(
    verdict: Verdict, detail: Detail, simplified: bool | None
) -> Iterator[str]:
    """A verdict in TeX: every formula in it reads back to what was compared."""
    from exprgrad.expressions.confirm import latex
    from exprgrad.views import tex
    from exprgrad.views.answers.steps import derivation_latex
    from exprgrad.views.known import point

    several = len(verdict.expression.variables) > 1
    operator = latex_operator((verdict.wrt,) * verdict.order, several)
    whole = rf"${operator} \left({latex(verdict.expression.root)}\right)$"
    claim = f"${latex(verdict.claim.root)}$"
    if verdict.at and verdict.status != "incorrect":
        whole += f" at {tex.point(point(verdict.at, {}, 10))}"
    colon = "" if verdict.status == "undecided" else ":"
    said = _SAID[verdict.status].format(claim, whole)
    yield rf"\textbf{{{verdict.status}}}{colon} {said}."
    yield tex.words(tex.sentence(evidence_of(verdict, detail.hint)))
    if simplified is False:
        yield "But it can be written more simply."
    if verdict.counterexample is not None and not detail.hint:
        at, claimed, right = verdict.counterexample
        yield from counterexample(at, {"claim": claimed, "derivative": right})
    mistake = verdict.mistake
    if mistake is not None and not verdict.if_read_as:
        yield tex.words(sentence(mistake, detail))
    yield from tex.notes(notes_of(verdict))
    if detail.solution:
        yield ""
        yield from derivation_latex(verdict.expression, verdict.wrt, verdict.order)


_SAID = {
    "correct": "{} is {}",
    "incorrect": "{} is not {}",
    "partly": "{} is {} only on a part of its domain",
    "unreadable": "{} cannot be compared with {}",
    "undecided": "whether {} is {}",
}
"""What each status says of a claim and of what it claims to be."""


def counterexample(
    at: Mapping[str, float], values: Mapping[str, float | None]
) -> Iterator[str]:
    """The point at which two formulas differ, and both values there, as a table of TeX."""
    from exprgrad.views import tex

    columns = [Column(title, number=True) for title in (*at, *values)]
    numbers = (*at.values(), *values.values())
    row = tuple("not defined" if x is None else number(x) for x in numbers)
    yield ""
    yield from tex.tabular(Table("", columns, [row]), at)
    yield ""


def lines(verdict: Verdict, detail: Detail, simplified: bool | None) -> Iterator[Line]:
    """The verdict, what it rests on, what probably went wrong and where, and the derivation."""
    yield head(verdict.status, headline(verdict))
    yield from body(verdict, detail, simplified)


def body(verdict: Verdict, detail: Detail, simplified: bool | None) -> Iterator[Line]:
    """What stands below the verdict itself."""
    yield from body_lines(evidence_of(verdict, detail.hint), detail.width)
    if simplified is False:
        yield from body_lines("but it can be written more simply", detail.width)
    if verdict.mistake is not None and not verdict.if_read_as:
        yield from _mistake(verdict, verdict.mistake, detail)
    yield from remarks(notes_of(verdict), detail.width)
    if detail.solution:
        from exprgrad.views.answers.steps import derivation

        yield []
        shown = derivation(verdict.expression, verdict.wrt, verdict.order)
        yield from ([(line, "")] for line in shown)


def head(status: str, text: str) -> Line:
    """A sentence behind the mark of its status."""
    mark = MARKS[status]
    return [(mark, STYLES[mark]), (f" {text}", "bold")]


def headline(verdict: Verdict) -> str:
    """The verdict in a sentence."""
    several = len(verdict.expression.variables) > 1
    what = operator((verdict.wrt,) * verdict.order, several)
    whole = f"{what} of {shorten(verdict.expression.title, 50)}"
    claim = shorten(verdict.claim.title, 50)
    if verdict.at and verdict.status != "incorrect":  # which names the point below
        whole += f" at {point_text(verdict.at)}"
    said = _SAID[verdict.status].format(claim, whole)
    if verdict.status == "incorrect":  # as its mark says
        return said
    return f"{verdict.status}{' ' if verdict.status == 'undecided' else ': '}{said}"


def evidence_of(found: Any, hint: bool) -> str:
    """What a verdict rests on; with `hint`, where to look, without the answer."""
    example = found.counterexample
    if not hint or example is None:
        return str(found.evidence)
    where = point_text(example.at)
    return f"try {where}" if where else "the two numbers differ"


def _mistake(verdict: Verdict, mistake: Mistake, detail: Detail) -> Iterator[Line]:
    from exprgrad.views.diagnostic import excerpt

    if detail.hint or mistake.message != verdict.evidence:
        yield from body_lines(sentence(mistake, detail), detail.width)
    if mistake.span is not None:
        source = verdict.expression.source
        for line in excerpt(source, mistake.span, detail.width - 6):
            yield [(f"    {line}", "red" if set(line) <= {" ", "^"} else "")]


def sentence(mistake: Any, detail: Detail) -> str:
    """A mistake in a sentence. What depends on how a text was read is not guessed."""
    if detail.hint:
        return f"Hint: {mistake.hint}."
    if mistake.name == "another reading":
        return f"{mistake.message[0].upper()}{mistake.message[1:]}."
    return f"It looks as if {mistake.message}."


def notes_of(verdict: Verdict) -> list[str]:
    """How the texts were read, and what else there is to know."""
    notes = list(verdict.notes)
    if verdict.claim.implicit and verdict.status != "correct":
        reading = shorten(verdict.claim.reading, 100)
        notes.insert(0, f"your answer is read as {reading}")
    return notes


def remarks(notes: Iterable[str], width: int) -> Iterator[Line]:
    """Notes below a verdict."""
    for note in notes:
        yield from body_lines(f"note: {note}", width, style="yellow")


def body_lines(text: str, width: int, style: str = "") -> list[Line]:
    """A sentence below a verdict, wrapped and indented."""
    wrapped = textwrap.wrap(
        text, width, initial_indent="  ", subsequent_indent="  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return [[(line, style)] for line in wrapped]


def certainty(found: Any) -> dict[str, Any]:
    """The fields of a record of any kind that say what its verdict rests on: see `agreement.Basis`."""
    return {name: getattr(found, name) for name in Basis._fields}


def reasons(found: Any) -> dict[str, Any]:
    """The status of a verdict of any kind and why, for programs."""
    example, mistake = found.counterexample, found.mistake
    return {
        "status": found.status,
        "evidence": found.evidence,
        "counterexample": None if example is None else example._asdict(),
        "mistake": None if mistake is None else str(mistake),
    }


def fields_of(
    found: Any, expression: str, claim: str, right: str | None, assumes: Iterable[str]
) -> dict[str, Any]:
    """The fields of a verdict on an answer of any kind, of which `right` is the right one."""
    return {
        "expression": expression,
        "claim": claim,
        "wrt": found.wrt,
        "order": found.order,
        **reasons(found),
        "place": None if found.mistake is None else found.mistake.span,
        "derivative": right,
        "assumes": list(assumes),
        "notes": list(found.notes),
        "if_read_as": found.if_read_as,
        **certainty(found),
    }


def fields(verdict: Verdict) -> dict[str, Any]:
    """The fields of JSON output."""
    right = verdict.expression.derivative(verdict.wrt, order=verdict.order)
    expression, claim = verdict.expression.title, verdict.claim.title
    own = fields_of(verdict, expression, claim, right.source, right.assumptions)
    return own | ({"at": dict(verdict.at)} if verdict.at else {})
