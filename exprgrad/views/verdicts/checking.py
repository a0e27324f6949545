"""A verdict on a claimed derivative, or on an answer of another kind, for people and for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.agreement import Basis
from exprgrad.checking.check import Equivalence, Verdict, point_text
from exprgrad.expressions.expression import Expression
from exprgrad.language.notes import shorten
from exprgrad.views.answers.formulas import latex_operator, operator
from exprgrad.views.blocks import Block, Column, Styled, Table, number
from exprgrad.views.layout import Line

MARKS = {
    "correct": "✓", "equal": "✓", "incorrect": "✗", "different": "✗", "undecided": "?",
    "partly": "~", "unreadable": "!",
}  # fmt: skip

STYLES = {"✓": "green", "✗": "red", "?": "yellow", "~": "yellow", "!": "red"}

LONGEST = 50
"""Characters of an expression or an answer in a title."""


class Detail(NamedTuple):
    """How much is shown: `hint` keeps the answer back, `solution` adds the derivation."""

    hint: bool = False
    solution: bool = False
    width: int = 80


class VerdictsView(NamedTuple):
    """The verdicts on one claim or several, each with whether a derivative is simplified, if that was asked for."""

    verdicts: list[tuple[Verdict, bool | None]]
    detail: Detail

    def text(self) -> list[Block]:
        """What each verdict is and rests on, and what probably went wrong."""
        every: list[Line] = []
        for verdict, simplified in self.verdicts:
            every.append(head(verdict.status, headline(verdict)))
            every += body(verdict, self.detail, simplified)
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
    verdict: Verdict, detail: Detail, simplified: bool | None = None
) -> Iterator[str]:
    """A verdict in TeX: every formula in it reads back to what was compared."""
    if verdict.asked:
        yield from _asked_latex(verdict, detail)
        return
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


def _asked_latex(found: Verdict, detail: Detail) -> Iterator[str]:
    """The same for another kind than a derivative: a sentence, and each part as an equation."""
    from exprgrad.expressions.confirm import latex, simplify
    from exprgrad.views import tex

    claim = tex.words(claim_text(found))
    if found.kind != "critical":  # whose points are told in words
        every = found.claim if isinstance(found.claim, tuple) else (found.claim,)
        claim = ", ".join(f"${latex(e.root)}$" for e in every)
    question = f"asked for {_article(found)}{shorten(found.asked, 2 * LONGEST)}"
    yield rf"\textbf{{{found.status}}}: {claim}, {tex.words(question)}."
    several = len(found.parts) > 1
    for part in found.parts if several else ():
        told = tex.words(part.evidence)
        if detail.hint and part.counterexample is not None:
            told = "look again"
        if found.kind == "critical":
            yield f"{tex.words(part.name)}: {part.status}, {told}."
            continue
        name = tex.operator(part.name) or tex.value(part.name)
        yield rf"\[ {name} = {latex(part.claim.root)} \quad \text{{({part.status}: {told})}} \]"
    if not several or "missing" in found.evidence:
        yield tex.words(tex.sentence(evidence_of(found, detail.hint)))
    if found.counterexample is not None and not detail.hint and not several:
        at, claimed, right = found.counterexample
        yield from counterexample(at, {"answer": claimed, "right": right})
    if found.mistake is not None and found.mistake.message != found.evidence:
        yield tex.words(sentence(found.mistake, detail))
    yield from tex.notes(found.notes)
    if detail.solution and found.answer and found.kind != "critical":
        for name, root in found.right:
            left = f"{tex.operator(name) or tex.value(name)} = " if name else ""
            yield rf"\[ {left}{latex(simplify(root))} \]"


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


def body(
    found: Verdict, detail: Detail, simplified: bool | None = None
) -> Iterator[Line]:
    """What stands below the verdict itself: what it rests on, what probably went wrong and where, the solution."""
    several = len(found.parts) > 1
    if several:
        yield from _parts(found, detail)
    if not several or "missing" in found.evidence:
        yield from body_lines(evidence_of(found, detail.hint), detail.width)
    if simplified is False:
        yield from body_lines("but it can be written more simply", detail.width)
    mistake = found.mistake
    if mistake is not None and not found.if_read_as:
        hint = detail.hint and not found.asked
        if hint or mistake.message != found.evidence:
            yield from body_lines(sentence(mistake, detail), detail.width)
        if mistake.span is not None and not found.asked:
            from exprgrad.views.diagnostic import excerpt

            source = found.expression.source
            for line in excerpt(source, mistake.span, detail.width - 6):
                yield [(f"    {line}", "red" if set(line) <= {" ", "^"} else "")]
    yield from remarks(notes_of(found), detail.width)
    if detail.solution and found.asked and found.answer:
        yield []
        for name, text in _answers(found):
            yield from body_lines(f"{name} = {text}" if name else text, detail.width)
    elif detail.solution and not found.asked:
        from exprgrad.views.answers.steps import derivation

        yield []
        shown = derivation(found.expression, found.wrt, found.order)
        yield from ([(line, "")] for line in shown)


def _parts(found: Verdict, detail: Detail) -> Iterator[Line]:
    """The parts of an answer, each behind the mark of its status."""
    for part in found.parts:
        mark = MARKS[part.status]
        told = part.evidence
        if detail.hint and part.counterexample is not None:
            told = "look again"
        elif found.kind != "critical":
            told = f"{part.name} = {shorten(part.claim.title, LONGEST)}: {told}"
        for i, line in enumerate(body_lines(told, detail.width - 4)):
            first = ("   ", "") if i else (f"  {mark}", STYLES[mark])
            yield [first, (line[0][0][1:], "")]


def _answers(found: Verdict) -> Iterator[tuple[str, str]]:
    """The right answers, each with its name; critical points in words."""
    from exprgrad.expressions.confirm import simplify
    from exprgrad.notation.text import to_text

    if found.kind == "critical":
        yield "", found.answer
        return
    for name, root in found.right:
        yield name, to_text(simplify(root))


def head(status: str, text: str) -> Line:
    """A sentence behind the mark of its status."""
    mark = MARKS[status]
    return [(mark, STYLES[mark]), (f" {text}", "bold")]


def headline(found: Verdict) -> str:
    """The verdict in a sentence."""
    if found.asked:
        return _asked_headline(found)
    several = len(found.expression.variables) > 1
    what = operator((found.wrt,) * found.order, several)
    whole = f"{what} of {shorten(found.expression.title, LONGEST)}"
    claim = shorten(found.claim.title, LONGEST)
    if found.at and found.status != "incorrect":  # which names the point below
        whole += f" at {point_text(found.at)}"
    said = _SAID[found.status].format(claim, whole)
    if found.status == "incorrect":  # as its mark says
        return said
    return f"{found.status}{' ' if found.status == 'undecided' else ': '}{said}"


def _asked_headline(found: Verdict) -> str:
    """The same for an answer of another kind than a derivative."""
    claim = shorten(claim_text(found), LONGEST)
    asked = shorten(found.asked, 2 * LONGEST)
    if found.kind == "critical":
        return {
            "correct": f"correct: {asked}: {claim}",
            "partly": f"partly right: {asked}: {claim}",
            "incorrect": f"wrong: {asked}: {claim}",
        }[found.status]
    if found.kind == "equation":
        return {
            "correct": f"correct: {asked} is equal to {claim}",
            "partly": f"partly: {asked} is equal to {claim} only on a part of its domain",
            "incorrect": f"{asked} is not equal to {claim}",
            "undecided": f"undecided whether {asked} is equal to {claim}",
        }[found.status]
    asked = _article(found) + asked
    return {
        "correct": f"correct: {claim} is {asked}",
        "partly": f"partly right: {claim} as {asked}",
        "incorrect": f"{claim} is not {asked}",
        "undecided": f"undecided whether {claim} is {asked}",
    }[found.status]


def _article(found: Verdict) -> str:
    """What stands before the name of what was asked for; nothing before dy/dx."""
    if found.kind in ("equation", "critical") or "/" in found.asked.partition(" ")[0]:
        return ""
    return "an " if found.kind == "antiderivative" else "the "


def claim_text(found: Verdict) -> str:
    """The answer as it was typed; of several, in brackets."""
    return found.typed or _title(found.claim)


def _title(given: Expression | tuple[Expression, ...]) -> str:
    if isinstance(given, Expression):
        return given.title
    return f"({', '.join(e.title for e in given)})"


def evidence_of(found: Any, hint: bool) -> str:
    """What a verdict rests on; with `hint`, where to look, without the answer."""
    if len(getattr(found, "parts", ())) > 1:  # which say the rest themselves
        return str(found.evidence[found.evidence.index("missing") :])
    example = found.counterexample
    if not hint or example is None:
        return str(found.evidence)
    where = point_text(example.at)
    return f"try {where}" if where else "the two numbers differ"


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
    if verdict.asked:
        return notes
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


def fields(found: Verdict) -> dict[str, Any]:
    """The fields of JSON output; of an answer of another kind than a derivative a few more."""
    if found.asked:
        right, assumes = found.answer or None, found.assumes
    else:
        derivative = found.expression.derivative(found.wrt, order=found.order)
        right, assumes = derivative.source, derivative.assumptions
    own = {
        "expression": _title(found.expression),
        "claim": claim_text(found),
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
    if not found.asked:
        return own | ({"at": dict(found.at)} if found.at else {})
    parts = [
        {"name": p.name, "claim": p.claim.title} | reasons(p) | certainty(p)
        for p in found.parts
    ]
    return {"kind": found.kind, **own, "asked": found.asked, "parts": parts}
