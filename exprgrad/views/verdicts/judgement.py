"""A verdict on an answer of any kind, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator

from exprgrad.annotations import Any
from exprgrad.checking.check import Verdict
from exprgrad.expressions.confirm import latex, simplify
from exprgrad.expressions.expression import Expression
from exprgrad.language.notes import shorten
from exprgrad.notation.text import to_text
from exprgrad.views import tex
from exprgrad.views.blocks import Block, Styled
from exprgrad.views.layout import Line
from exprgrad.views.verdicts import checking
from exprgrad.views.verdicts.checking import (
    MARKS,
    STYLES,
    Detail,
    body_lines,
    counterexample,
    remarks,
    sentence,
)

LONGEST = 50
"""Characters of an answer in a title."""


class JudgementView:
    """The verdict on one answer, and on its parts where it has several."""

    def __init__(self, found: Verdict, detail: Detail) -> None:
        self.found, self.detail = found, detail

    def text(self) -> list[Block]:
        """What the verdict is and rests on, and what probably went wrong."""
        return [Styled(tuple(map(tuple, judgement_lines(self.found, self.detail))))]

    def latex(self) -> Iterator[str]:
        """The verdict as a sentence, each part as an equation, the counterexample as a table."""
        found, detail = self.found, self.detail
        yield rf"\textbf{{{found.status}}}: {_formulas(found)}, {tex.words(_question(found))}."
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
            yield tex.words(tex.sentence(evidence_of(found, detail)))
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

    def json(self) -> dict[str, Any]:
        """The fields."""
        return judgement_fields(self.found)


def judgement_lines(found: Verdict, detail: Detail) -> Iterator[Line]:
    """The verdict, what it rests on, each part, and the right answer if it is wanted."""
    yield checking.head(found.status, headline(found))
    yield from judgement_body(found, detail)


def judgement_body(found: Verdict, detail: Detail) -> Iterator[Line]:
    """What stands below the verdict itself."""
    if len(found.parts) > 1:
        yield from _parts(found, detail)
    if len(found.parts) < 2 or "missing" in found.evidence:
        yield from body_lines(evidence_of(found, detail), detail.width)
    if found.mistake is not None and found.mistake.message != found.evidence:
        yield from body_lines(sentence(found.mistake, detail), detail.width)
    yield from remarks(found.notes, detail.width)
    if detail.solution and found.answer:
        yield []
        for name, text in answers(found):
            yield from body_lines(f"{name} = {text}" if name else text, detail.width)


def _formulas(found: Verdict) -> str:
    """The answer in TeX; critical points are told in words."""
    claim = found.claim
    if found.kind == "critical":
        return tex.words(claim_text(found))
    every = (claim,) if isinstance(claim, Expression) else claim
    return ", ".join(f"${latex(e.root)}$" for e in every)


def _question(found: Verdict) -> str:
    """What was asked for, with its article."""
    own = "" if found.kind == "critical" else _article(found)
    return f"asked for {own}{shorten(found.asked, 2 * LONGEST)}"


def headline(found: Verdict) -> str:
    """The verdict in a sentence."""
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
    if found.kind == "equation" or "/" in found.asked.partition(" ")[0]:
        return ""
    return "an " if found.kind == "antiderivative" else "the "


def claim_text(found: Verdict) -> str:
    """The answer as it was typed; of several, in brackets."""
    if isinstance(found.claim, Expression):
        return found.typed or found.claim.title
    return found.typed or f"({', '.join(e.title for e in found.claim)})"


def evidence_of(found: Verdict, detail: Detail) -> str:
    """What a verdict rests on; with `hint`, where to look, without the answer."""
    if len(found.parts) > 1:  # which say the rest themselves
        return found.evidence[found.evidence.index("missing") :]
    return checking.evidence_of(found, detail.hint)


def _parts(found: Verdict, detail: Detail) -> Iterator[Line]:
    for part in found.parts:
        mark = MARKS[part.status]
        told = part.evidence
        if detail.hint and part.counterexample is not None:
            told = "look again"
        elif found.kind != "critical":
            told = f"{part.name} = {shorten(part.claim.title, LONGEST)}: {told}"
        lines = list(body_lines(told, detail.width - 4))
        for i, line in enumerate(lines):
            head = (f"  {mark}", STYLES[mark]) if not i else ("   ", "")
            yield [head, (line[0][0][1:], "")]


def answers(found: Verdict) -> Iterator[tuple[str, str]]:
    """The right answers, each with its name."""
    if found.kind == "critical":
        yield "", found.answer
        return
    for name, root in found.right:
        yield name, to_text(simplify(root))


def judgement_fields(found: Verdict) -> dict[str, Any]:
    """The fields of JSON output: those of a derivative's verdict, and more."""
    title, right = _title(found.expression), found.answer or None
    own = checking.fields_of(found, title, claim_text(found), right, found.assumes)
    parts = [_part_fields(part) for part in found.parts]
    return {"kind": found.kind, **own, "asked": found.asked, "parts": parts}


def _title(given: Expression | tuple[Expression, ...]) -> str:
    if isinstance(given, Expression):
        return given.title
    return f"({', '.join(e.title for e in given)})"


def _part_fields(part: Verdict) -> dict[str, Any]:
    own = {"name": part.name, "claim": part.claim.title}
    return own | checking.reasons(part) | checking.certainty(part)
