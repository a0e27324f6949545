"""A verdict on a claimed derivative, or on an answer of another kind, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.check import Verdict, point_text
from exprgrad.checking.fields import claim_text
from exprgrad.expressions.expression import Expression
from exprgrad.language.notes import shorten
from exprgrad.views.blocks import (
    Block,
    Column,
    Derivative,
    Formula,
    Lines,
    Said,
    Sentence,
    Table,
    Wrapped,
    judged,
    number,
)

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

    @property
    def verdict(self) -> Verdict:
        """The verdict on the first claim."""
        return self.verdicts[0][0]

    def blocks(self) -> list[Block]:
        """What each verdict is and rests on, and what probably went wrong."""
        return [
            block
            for verdict, simplified in self.verdicts
            for block in (headline(verdict), *body(verdict, self.detail, simplified))
        ]

    def as_dict(self) -> dict[str, Any]:
        """The fields of the one verdict, or of each."""
        found = []
        for verdict, simplified in self.verdicts:
            more = {} if simplified is None else {"simplified": simplified}
            found.append(verdict.as_dict() | more)
        return found[0] if len(found) == 1 else {"checks": found}


class EquivalenceView(NamedTuple):
    """The verdict on two expressions."""

    a: str
    b: str
    found: Verdict
    sides: tuple[Expression, ...] = ()

    def blocks(self) -> list[Block]:
        """What the verdict is and rests on."""
        found, example = self.found, self.found.counterexample
        a, b = (
            (shorten(text, LONGEST), Formula((side.root,)))
            for text, side in zip((self.a, self.b), self.sides, strict=True)
        )
        said = "equal wherever both are defined" if found.status == "equal" else found.status  # fmt: skip
        table = None
        if example is not None:
            values = {"first": example.derivative, "second": example.claimed}
            table = counterexample(example.at, values)
        return [
            judged(found.status, ": ", a, " and ", b, named=said),
            Said(found.evidence, table=table),
            *(Said(note, "note") for note in found.notes),
        ]

    def as_dict(self) -> dict[str, Any]:
        """The fields; for a counterexample, the values of both."""
        return {"a": self.a, "b": self.b, **self.found.as_dict()}


def counterexample(
    at: Mapping[str, float], values: Mapping[str, float | None]
) -> Table:
    """The point at which two formulas differ, and both values there."""
    columns = [Column(title, number=True) for title in (*at, *values)]
    numbers = (*at.values(), *values.values())
    row = tuple("not defined" if x is None else number(x) for x in numbers)
    return Table("", columns, [row], names=at)


def headline(found: Verdict) -> Sentence:
    """The verdict in a sentence."""
    if found.asked:
        return _asked_headline(found)
    several = len(found.expression.variables) > 1
    wrt = (found.wrt,) * found.order
    whole = f"the {nth(found.order)}derivative of {shorten(found.expression.title, LONGEST)}"  # fmt: skip
    if several:
        whole += f" with respect to {found.wrt}"
    formula = Formula((Derivative(found.expression.root, wrt, several),))
    if found.at and found.status != "incorrect":  # which names the point below
        from exprgrad.expressions.fields import point

        whole += f" at {point_text(found.at)}"
        formula = formula._replace(at=point(found.at, {}, 10))
    claim = shorten(found.claim.title, LONGEST), Formula((found.claim.root,))
    between, end = {
        "correct": (" is ", ""),
        "incorrect": (" is not ", ""),
        "partly": (" is ", " only on a part of its domain"),
        "unreadable": (" cannot be compared with ", ""),
        "undecided": (" is ", ""),
    }[found.status]
    if found.status == "incorrect":  # as its mark says
        return judged(found.status, claim, between, (whole, formula))
    begin = " whether " if found.status == "undecided" else ": "
    pieces = begin, claim, between, (whole, formula), end
    return judged(found.status, *pieces, named=found.status)


def nth(order: int) -> str:
    """Return the ordinal of an order before its noun: "second ", and nothing for the first."""
    return {1: "", 2: "second ", 3: "third "}.get(order, f"{order}th ")


def _asked_headline(found: Verdict) -> Sentence:
    """The same for an answer of another kind than a derivative."""
    claim: Any = shorten(claim_text(found), LONGEST)
    if found.told is None:  # whose points are told in words
        every = found.claim if isinstance(found.claim, tuple) else (found.claim,)
        claim = claim, Formula(tuple(e.root for e in every), relation=",")
    asked, status = shorten(found.asked, 2 * LONGEST), found.status
    if found.told is not None:
        named = {"partly": "partly right", "incorrect": "wrong"}.get(status, status)
        return judged(status, f": {asked}: ", claim, named=named)
    if found.kind == "equation":
        pieces = {
            "correct": (f": {asked} is equal to ", claim),
            "partly": (
                f": {asked} is equal to ",
                claim,
                " only on a part of its domain",
            ),
            "incorrect": (f"{asked} is not equal to ", claim),
            "undecided": (f" whether {asked} is equal to ", claim),
        }[status]
        return judged(status, *pieces, named="" if status == "incorrect" else status)
    article = "an " if found.kind == "antiderivative" else "the "
    if "/" in found.asked.partition(" ")[0]:  # dy/dx
        article = ""
    asked = article + asked
    named, *told = {
        "correct": ("correct", ": ", claim, f" is {asked}"),
        "partly": ("partly right", ": ", claim, f" as {asked}"),
        "incorrect": ("", claim, f" is not {asked}"),
        "undecided": ("undecided", " whether ", claim, f" is {asked}"),
    }[status]
    return judged(status, *told, named=named)


def body(
    found: Verdict, detail: Detail, simplified: bool | None = None
) -> Iterator[Block]:
    """What stands below the verdict itself: what it rests on, what probably went wrong and where, the solution."""
    several, example = len(found.parts) > 1, found.counterexample
    yield from _parts(found, detail) if several else ()
    if not several or "missing" in found.evidence:
        table = None
        if example is not None and not detail.hint and not several:
            names = ("answer", "right") if found.asked else ("claim", "derivative")
            values = dict(
                zip(names, (example.claimed, example.derivative), strict=True)
            )
            table = counterexample(example.at, values)
        yield Said(evidence_of(found, detail.hint), table=table)
    if simplified is False:
        yield Said("but it can be written more simply")
    mistake = found.mistake
    if mistake is not None and not found.if_read_as:
        source = None
        several_claims = isinstance(found.claim, tuple)  # a term is in one of them
        if mistake.term is not None and not detail.hint and not several_claims:
            typed = found.claim.source
            lead = len(typed) - len(typed.lstrip())
            source = "", typed.strip(), (mistake.term[0] - lead, mistake.term[1] - lead)
        elif mistake.span is not None and not found.asked:
            source = "", found.expression.source or "", mistake.span
        if (detail.hint and not found.asked) or mistake.message != found.evidence:
            yield Said(sentence(mistake, detail), "mistake", source)
        elif source:
            yield Said("", "mistake", source)
    yield from (Said(note, "note") for note in notes_of(found))
    if detail.solution and found.asked and found.answer:
        yield from _answers(found)
    elif detail.solution and not found.asked:
        from exprgrad.views.answers.steps import derivation

        yield derivation(found.expression, found.wrt, found.order)


def _parts(found: Verdict, detail: Detail) -> Iterator[Sentence]:
    """The parts of an answer, each behind the mark of its status."""
    for part in found.parts:
        told = part.evidence
        if detail.hint and part.counterexample is not None:
            told = "look again"
        pieces: tuple[Any, ...] = (told,)
        if found.told is None and told != "look again":
            text = f"{part.name} = {shorten(part.claim.title, LONGEST)}"
            pieces = (text, Formula((part.name, part.claim.root))), f": {told}"
        yield judged(part.status, *pieces, indent=2)


def _answers(found: Verdict) -> Iterator[Block]:
    """The right answers, each with its name; critical points in words."""
    from exprgrad.expressions.confirm import simplify
    from exprgrad.notation.text import to_text

    if found.told is not None:
        yield Wrapped((f"  {found.answer}",), hang=0)
        return
    roots = [(name, simplify(root)) for name, root in found.right]
    lines = (f"  {name} = {to_text(root)}" if name else f"  {to_text(root)}" for name, root in roots)  # fmt: skip
    formulas = (Formula((name, root) if name else (root,)) for name, root in roots)
    yield Lines(tuple(lines), tuple(formulas))


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
    told = mistake.message
    if not told[0].isupper():  # else it is no conjecture
        told = f"It looks as if {told}"
    right = f"{mistake.right[0].upper()}{mistake.right[1:]}. " if mistake.right else ""
    return f"{right}{told}."


def notes_of(verdict: Verdict) -> list[str]:
    """How the texts were read, and what else there is to know."""
    notes = list(verdict.notes)
    if not verdict.asked and verdict.claim.implicit and verdict.status != "correct":
        reading = shorten(verdict.claim.reading, 100)
        notes.insert(0, f"your answer is read as {reading}")
    return notes
