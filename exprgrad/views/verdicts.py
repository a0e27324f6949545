"""Verdicts on claims and on answers of other kinds, worked solutions with a mark on every line, and answers with their steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.checking.check import point_text
from exprgrad.checking.fields import claim_text
from exprgrad.checking.judging import CONSEQUENT, UNREADABLE, WRONG, Verdict
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.language.notes import shorten
from exprgrad.notation.numbers import nth, number
from exprgrad.views import blocks as doc

if TYPE_CHECKING:
    from exprgrad.checking.kinds.worked import Worked
    from exprgrad.checking.work.sheet import Solution

LONGEST = 50
"""Characters of an expression or an answer in a title."""


class Detail(NamedTuple):
    """The amount that is shown: `hint` keeps the answer back, `solution` adds the derivation."""

    hint: bool = False
    solution: bool = False
    width: int = 80


class VerdictsView(NamedTuple):
    """The verdicts on one claim or several, each with whether a derivative is simplified, if that was asked for."""

    verdicts: list[tuple[Verdict, bool | None]]
    detail: Detail

    @property
    def verdict(self) -> Verdict:
        """The verdict on the first claim that is not right, or on the first."""
        return next((v for v, _ in self.verdicts if v.status != "correct"), self.verdicts[0][0])  # fmt: skip

    def blocks(self) -> list[doc.Block]:
        """Return what each verdict is and rests on, and what probably went wrong."""
        found: list[doc.Block] = []
        for verdict, simplified in self.verdicts:
            found += (headline(verdict), *body(verdict, self.detail, simplified))
        return found

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

    def blocks(self) -> list[doc.Block]:
        """Return what the verdict is and rests on."""
        found, example = self.found, self.found.counterexample
        pairs = zip((self.a, self.b), self.sides, strict=True)
        a, b = ((shorten(text, LONGEST), doc.Formula((e.root,))) for text, e in pairs)
        # numbers are equal, or are not
        is_everywhere = found.status == "equal" and any(side.variables for side in self.sides)  # fmt: skip
        said = found.status + " wherever both are defined" * is_everywhere
        table = None
        if example is not None:
            # a verdict on two expressions has the first in the place of the derivative
            values = {"first": example.derivative, "second": example.claimed}
            table = counterexample(example.at, values)
        head = doc.judged(found.status, ": ", a, " and ", b, named=said)
        notes = (doc.Said(note, "note") for note in found.notes)
        return [head, doc.Said(found.evidence, table=table), *notes]

    def as_dict(self) -> dict[str, Any]:
        """The fields; for a counterexample, the values of both."""
        return self.found.as_dict() | {"a": self.a, "b": self.b}


def counterexample(at: Mapping[str, float], values: Mapping[str, Any]) -> doc.Table:
    """The point at which two formulas differ, and both values there."""
    columns = [doc.Column(title, number=True) for title in (*at, *values)]
    numbers = (*at.values(), *values.values())
    row = tuple("not defined" if x is None else number(x) for x in numbers)
    return doc.Table("", columns, [row], names=at)


def headline(found: Verdict) -> doc.Sentence:
    """The verdict in a sentence."""
    if found.asked:
        return _asked_headline(found)
    several = len(found.expression.variables) > 1
    wrt = (found.wrt,) * found.order
    order = f"{nth(found.order)} " if found.order > 1 else ""
    whole = f"the {order}derivative of {shorten(found.expression.title, LONGEST)}"
    if several:
        whole += f" with respect to {found.wrt}"
    formula = doc.Formula((doc.Derivative(found.expression.root, wrt, several),))
    if found.at and found.counterexample is None:  # else that names the point, below
        from exprgrad.expressions.fields import point

        whole += f" at {point_text(found.at)}"
        formula = formula._replace(at=point(found.at, {}, 10))
    claim = shorten(found.claim.title, LONGEST), doc.Formula((found.claim.root,))
    return _stated(found.status, claim, "is", (whole, formula))


def _stated(status: str, subject: Any, verb: str, rest: Any) -> doc.Sentence:
    """A verdict as the sentence that a claim, or an equation, says; of a wrong one its opposite, as its mark says."""
    if status == "incorrect":
        return doc.judged(status, subject, f" {verb.replace('is', 'is not', 1)} ", rest)
    begin = " whether " if status == "undecided" else ": "
    verb = "cannot be compared with" if status == "unreadable" else verb
    end = " only on a part of its domain" if status == "partly" else ""
    return doc.judged(status, begin, subject, f" {verb} ", rest, end, named=status)


def _asked_headline(found: Verdict) -> doc.Sentence:
    """The same for an answer of another kind than a derivative."""
    claim: Any = shorten(claim_text(found), LONGEST)
    asked, status = shorten(found.asked, 2 * LONGEST), found.status
    if found.told is not None:  # critical points, which are told in words
        named = {"partly": "partly right", "incorrect": "wrong"}.get(status, status)
        return doc.judged(status, f": {asked}: ", claim, named=named)
    every = found.claim if isinstance(found.claim, tuple) else (found.claim,)
    claim = claim, doc.Formula(tuple(e.root for e in every), relation=",")
    if found.kind == "equation":
        return _stated(status, asked, "is equal to", claim)
    article = "an " if found.kind == "antiderivative" else "the "
    if "/" in found.asked.partition(" ")[0]:  # dy/dx
        article = ""
    if status == "partly":
        return doc.judged(status, ": ", claim, f" as {article}{asked}", named="partly right")  # fmt: skip
    return _stated(status, claim, "is", f"{article}{asked}")


def body(found: Verdict, detail: Detail, simplified: Any = None) -> Iterator[doc.Block]:
    """Yield what stands below the verdict itself: what it rests on, what probably went wrong and where, the solution."""
    # of several parts each says its own evidence; what is missing belongs to none of them
    several, example = len(found.parts) > 1, found.counterexample
    yield from _parts(found, detail) if several else ()
    if not several or "missing" in found.evidence:
        table = None
        if example is not None and not detail.hint and not several:
            claim, truth = ("answer", "right") if found.asked else ("claim", "derivative")  # fmt: skip
            values = {claim: example.claimed, truth: example.derivative}
            table = counterexample(example.at, values)
        yield doc.Said(evidence_of(found, detail.hint), table=table)
    if simplified is False:
        yield doc.Said("but it can be written more simply")
    mistake = found.mistake
    if mistake is not None and not found.if_read_as:
        source = None
        several_claims = isinstance(found.claim, tuple)  # a term is in one of them
        if mistake.term is not None and not detail.hint and not several_claims:
            typed = found.claim.source
            # places count from the first character that was typed, blanks included
            lead = len(typed) - len(typed.lstrip())
            source = "", typed.strip(), (mistake.term[0] - lead, mistake.term[1] - lead)
        elif mistake.span is not None and not found.asked:
            source = "", found.expression.source or "", mistake.span
        # for other kinds, the evidence is often the mistake in the same words
        if (detail.hint and not found.asked) or mistake.message != found.evidence:
            yield doc.Said(sentence(mistake, detail), "mistake", source)
        # the words are there already, but not yet the place
        elif source:
            yield doc.Said("", "mistake", source)
    # 2x read as 2*x surprises nobody whose answer is right
    if not found.asked and found.claim.implicit and found.status != "correct":
        reading = shorten(found.claim.reading, 100)
        yield doc.Said(f"your answer is read as {reading}", "note")
    yield from (doc.Said(note, "note") for note in found.notes)
    if detail.solution and found.asked and found.answer:
        yield from _answers(found)
    elif detail.solution and not found.asked:
        from exprgrad.views.formulas import derivation

        yield derivation(found.expression, (found.wrt,) * found.order)


def _parts(found: Verdict, detail: Detail) -> Iterator[doc.Sentence]:
    """The parts of an answer, each behind the mark of its status."""
    for part in found.parts:
        hides = detail.hint and part.counterexample is not None
        told = "look again" if hides else part.evidence
        pieces: tuple[Any, ...] = (told,)
        if found.told is None and told != "look again":
            text = f"{part.name} = {shorten(part.claim.title, LONGEST)}"
            pieces = (text, doc.Formula((part.name, part.claim.root))), f": {told}"
        yield doc.judged(part.status, *pieces, indent=2)


def _answers(found: Verdict) -> Iterator[doc.Block]:
    """The right answers, each with its name; critical points in words."""
    from exprgrad.notation.text import to_text

    if found.told is not None:
        yield doc.Wrapped((f"  {found.answer}",), hang=0)
        return
    roots = [(name, formula.root) for name, formula in found.formulas()]
    lines = (f"  {name} = {to_text(root)}" if name else f"  {to_text(root)}" for name, root in roots)  # fmt: skip
    formulas = (doc.Formula((name, root) if name else (root,)) for name, root in roots)
    yield doc.Lines(tuple(lines), tuple(formulas))


def evidence_of(found: Any, hint: bool) -> str:
    """Return what a verdict rests on; with `hint`, where to look, without the answer."""
    if len(getattr(found, "parts", ())) > 1:  # the parts say the rest themselves
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


class WorkView(NamedTuple):
    """Worked solutions, judged line by line."""

    solutions: list[Solution]
    detail: Detail

    @property
    def work(self) -> Verdict | ExprgradError:
        """The first solution, judged."""
        return self.solutions[0].work

    def blocks(self) -> list[doc.Block]:
        """Each problem, its lines with their marks, and whether the answer is right."""
        return [block for own in self.solutions for block in self._solution(own)]

    def as_dict(self) -> dict[str, Any]:
        """The fields of the one solution, or of each."""
        found = []
        for solution in self.solutions:
            work = solution.work
            if isinstance(work, ExprgradError):
                line, why = solution.start, work.message
                found.append({"line": line, "verdict": UNREADABLE, "error": why})
            else:
                found.append(work.as_dict())
        return found[0] if len(found) == 1 else {"solutions": found}

    def _solution(self, solution: Solution) -> Iterator[doc.Block]:
        from exprgrad.expressions.fields import operator
        from exprgrad.views.diagnostic import describe
        from exprgrad.views.formulas import derivation

        work, detail = solution.work, self.detail
        if isinstance(work, ExprgradError):
            told = (((f"  {line}", ""),) for line in describe(work, detail.width - 2))
            head = ("? ", "yellow"), (f"line {solution.start}", "bold")
            yield doc.Styled((head, *told), hang=None)
            return
        several, wrt = len(work.function.variables) > 1, (work.wrt,) * work.order
        title = shorten(work.function.title, max(20, detail.width - 8))
        asked = doc.Formula((doc.Derivative(work.function.root, wrt, several),))
        title = f"{operator(wrt, several)} of {title}" if wrt else title
        yield doc.Heading(work.asked or title, None if work.asked else asked)
        yield from marked(work, detail)
        # a solution is right as a whole or not: `partly` is said of its answer in the words behind the mark
        status = {"correct": "correct", "incorrect": "incorrect", "partly": "incorrect"}
        yield doc.judged(status.get(work.verdict, "undecided"), end_of(work))
        if detail.solution:
            yield derivation(work.function, wrt)


def marked(work: Verdict, detail: Detail) -> Iterator[doc.Marked]:
    """The lines of a solution with what there is to say of each."""
    texts = {line.number: line.text for line in work.lines}
    for line in work.lines:
        said, mistake, span = list(_said_of(line, detail.hint)), line.mistake, None
        if mistake is not None:
            source = None
            if mistake.span is not None:
                origin = f"line {mistake.line}" if mistake.line else "f"
                text = texts.get(mistake.line) if mistake.line else work.function.source
                source = (origin, text, mistake.span) if text else None
                # a mistake in the line before, or in f itself, has no caret here; that text is quoted below
                span = mistake.span if mistake.line == line.number else None
            said.append(doc.Said(sentence(mistake, detail), "mistake", source))
        first = line.status == WRONG and line.number == work.first_wrong
        mark = doc.LINE_MARKS[line.status]
        own = line.number, line.status, mark, line.text
        yield doc.Marked(*own, span, tuple(said), first)


def _said_of(line: Verdict, hint: bool) -> Iterator[doc.Said]:
    """Yield what is said of a line besides the mistake."""
    if line.status == CONSEQUENT:
        yield doc.Said(f"follows from your line {line.after}", "remark")
    elif line.status == UNREADABLE:
        yield doc.Said(line.evidence, "remark")
    elif line.status == WRONG:
        yield doc.Said(evidence_of(line, hint))
    yield from (doc.Said(note, "note") for note in line.notes)


def end_of(work: Verdict) -> str:
    """Return whether the answer is right, and how many lines are."""
    wrong = work.first_wrong
    first = "" if wrong is None else f": line {wrong} is the first that is wrong"
    return f"{work.conclusion}{first}"


class WorkedView(NamedTuple):
    """Steps, the result below them, and remarks."""

    found: Worked
    steps: bool = True

    def blocks(self) -> list[doc.Block]:
        """The steps, and below them the result, whose lines can be copied whole."""
        found, lines = self.found, tuple(self.found.result.splitlines())
        notes, remarks = (
            [f"note: {n}" for n in own] for own in (found.notes, found.remarks)
        )
        typeset = (doc.Formula(found.sides),) if found.sides else ()
        result = doc.Wrapped(lines) if found.listed else doc.Lines(lines, typeset)
        above = doc.Wrapped((*notes, *(found.steps if self.steps else ())))
        blocks = (above, result, doc.Wrapped(tuple(remarks)))
        return [block for block in blocks if block.texts]

    def as_dict(self) -> dict[str, Any]:
        """The fields."""
        return self.found.as_dict()
