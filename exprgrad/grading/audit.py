r"""Every claim about a derivative in a document, checked step by step.

    found = audit(text, "notes.tex")
    [(claim.line, claim.status, claim.wrong) for claim in found.claims]

A claim is a chain of `=` whose first side is a derivative: f'(x) of an f that is defined before, \frac{d}{dx}(x^2),
y', f_x, or the sentence "the derivative of $x^2$ is $2x$". Its steps are judged as those of a worked solution. What
cannot be read is counted, and listed with the reason.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from exprgrad.annotations import NamedTuple
from exprgrad.budget import at_most
from exprgrad.checking.check import check, equivalent, meant
from exprgrad.checking.kinds.rows import KINDS, words
from exprgrad.checking.mistakes.parts import likeness
from exprgrad.checking.problems import first_fault, problems_of
from exprgrad.errors import ExprgradError, Span, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.implicit import along_curve
from exprgrad.grading import chains, claims, definitions, doubts, plain
from exprgrad.grading.chains import About, Chain, Side
from exprgrad.grading.claims import NOT_READ, RIGHT, UNDECIDED, WRONG, Claim, Step
from exprgrad.grading.definitions import Definitions, Diverges, Given
from exprgrad.grading.documents import TICK, Segment, readable, segments
from exprgrad.graph.value import Value, node
from exprgrad.language import phrases, questions
from exprgrad.language.latex import reader, tex
from exprgrad.language.latex.formulas import Head, head_of, limit_of
from exprgrad.language.questions import Definition as Said
from exprgrad.language.questions import Piece, Question, Scope, read
from exprgrad.language.scanning.reach import Unclear
from exprgrad.language.shapes import is_latex
from exprgrad.language.undefined import keeping
from exprgrad.language.words.formulas import composed
from exprgrad.lazy import pattern
from exprgrad.operations.table import DIV, SUB
from exprgrad.symbolic.derivative import tangent

_UNFOLLOWED = "no step of this could be followed"

MOST_OLDER = 6
"""Older functions of a name, and equations, that a claim may be about."""

LIKELY = 0.6
"""The likeness to an older function from which a claim is taken to be about that."""

LONGEST_GAP = 200
"""Characters of prose between a chain and its continuation."""


def _in_terms_of(given: Mapping[str, Given], names: Sequence[str]) -> frozenset[str]:
    """The names to replace by what they stand for where these are the variables: all but others of the variables.

    In x = s + 3t, t is a variable beside s, whatever t = 2 says.
    """
    letters, found, beside = dict[str, set[str]](), set(names), set(names)
    for name, one in given.items():
        letters[name] = own = {*doubts.LETTER.findall(one.text), *one.parameters}
        if not own.isdisjoint(names):
            beside |= own
    while more := {name for name, own in letters.items() if own & found} - found:
        found |= more
    return frozenset(given) - (beside - found) - {*names}


class _Judged(NamedTuple):
    """The verdict on a claim under one reading; how much a wrong one is like the right answer, and how many of its steps are right.

    `used` says whether names were replaced.

    `in_full` judges the steps of one that is wrong by its numbers, which explains what is wrong.
    """

    claim: Claim
    likeness: float = 0.0
    right: int = 0
    used: bool = False
    place: int = 0
    in_full: Callable[[], Claim] | None = None


@keeping(letters=True)
def audit(text: str, name: str = "document.tex") -> claims.Audit:
    """Check every claim in a document; its name says what kind it is. Raises `UsageError` for one that is too long."""
    at_most("document", len(text), name)
    suffix = f".{name.rpartition('.')[2].lower()}"
    return claims.Audit(name, tuple(_Reader(text, suffix).claims()))


class _Reader:
    """Goes through a document from its beginning to its end."""

    def __init__(self, text: str, suffix: str) -> None:
        text = composed(text)
        self.breaks = [m.start() for m in re.finditer("\n", text)]
        self.text, self.origins = readable(text, suffix)
        self.is_tex = suffix == ".tex"
        self.macros = tex.macros(self.text) if "\\" in self.text else {}
        self.given: dict[str, Given] = {}
        self.former: dict[str, list[Given]] = {}
        self.curves: list[tuple[Side, Side]] = []
        self.values: dict[str, list[tuple[Side, Side]]] = {}
        self.asked: dict[str, list[int]] = {}
        self.renewed: dict[str, list[int]] = {}
        self.settled: dict[str, int] = {}
        self.defined = Definitions({}, self.macros)
        self.last: Chain | None = None
        self.end = 0
        self.answers: dict[tuple[str, str, int], list[Value]] = {}

    def claims(self) -> Iterator[Claim]:
        """The claims, judged."""
        found: list[tuple[Chain, dict[str, Given], int]] = []
        for part in self._parts():
            found += [(chain, dict(self.given), len(self.curves)) for chain in part]
        found.sort(key=lambda one: one[0].first.start)
        claimed = (one for one in found if one[0].sides or one[0].reason)
        own = [(one[0].first.start, self._judged(*one)) for one in claimed]
        for start, end, place, judge in self._stated(found):
            inside = [one for one in own if start <= one[0] < end or place in one[1].places]  # fmt: skip
            # a sentence is read as a whole only where its formulas are not right as they stand
            if any(c.status == RIGHT for _, c in inside):
                continue
            claim = judge()
            if claim is not None and all(_gives_way(c, claim) for _, c in inside):
                own = [c for c in own if c not in inside] + [(start, claim)]
        for said in _BEHAVIOUR.finditer(self.text):
            reason = "where a function increases, or is concave, is not checked"
            side = Side(said[0].replace(TICK, "`"), said.start())
            own.append((side.start, self._unread(side, reason)))
        own.sort(key=lambda item: item[0])
        yield from (claim for _, claim in own)

    # What whole sentences say

    def _stated(
        self, found: Sequence[tuple[Chain, dict[str, Given], int]]
    ) -> Iterator[tuple[int, int, tuple[int, int], Callable[[], Claim | None]]]:
        """The claims of whole sentences, such as a slope at a point, and of other kinds than a derivative.

        Of each its places, the line and column of its answer, and what judges it.
        """
        known: dict[str, Said] = {}
        text = _WITHOUT_LAYOUT.sub(lambda m: ("\n" if m["item"] else "").rjust(len(m[0])), plain.without_ticks(self.text))  # fmt: skip
        spans = [m.span() for m in _PARAGRAPH.finditer(text)]
        # these are read by themselves, too: they may stand among other claims
        pieces = [*segments(self.text, self.is_tex)]
        spans += [(p.start, p.start + len(p.text)) for p in pieces if _ALONE.match(p.text)]  # fmt: skip
        starts, closes = [0, *(p.start for p in pieces)], [0, *(p.start + len(p.text) for p in pieces)]  # fmt: skip
        spans.sort(reverse=True)
        every = [*self.given.items(), *((name, one) for name, own in self.former.items() for one in own)]  # fmt: skip
        above = sorted((one.start, name, one) for name, one in every)[::-1]
        last: tuple[Said, ...] = ()
        while spans:
            start, end = spans.pop()
            if not _CLAIMS.search(text, start, end):
                continue
            while above and above[-1][0] < start:
                _, name, one = above.pop()
                given, whole = (Piece.of(t, 0, one.latex) for t in (one.text, f"{name} = {one.text}"))  # fmt: skip
                known[name] = Said(whole, name, one.parameters, given)
                last = (known[name],)
            # a sentence goes on behind a line break, unless a statement begins there; no place moves
            lines = re.split(r"(?<=\n)", text[start:end])
            source = "".join(
                line if any(begins.match(following) for begins in (questions.BEGINS, questions.PLACED_FIRST)) else f"{line.rstrip(chr(10))} "[: len(line)]
                for line, following in zip(lines, [*lines[1:], ""], strict=True)
            )  # fmt: skip
            said = list[Said | Question]()
            with suppress(ExprgradError):
                said = read(source, Scope(known, kinds=words(), before=last))
            asked = questions.questions_in(said)
            equations = (q.asked.text for q in asked if q.kind == "equation")
            if not said or not all(map(plain.is_mathematics, equations)):
                # one sentence that cannot be read does not hide the others
                ends = (m.end() for m in _SENTENCE.finditer(text, start, end))
                # no step of a chain of equations is judged without the others
                ends = (
                    at for at in ends if at >= closes[bisect.bisect(starts, at) - 1]
                )
                cuts = sorted({start, *ends, end})
                spans += [*itertools.pairwise(cuts)][::-1] if len(cuts) > 2 else []
            known |= {d.name: d for d in said if isinstance(d, Said)}
            for question in asked:
                if question.claims and question.given:
                    claimed = question.claims[-1]
                    before = [given for chain, given, _ in found if chain.first.start <= start + question.asked.offset]  # fmt: skip
                    judge = functools.partial(self._of_question, question, start, {**known}, before[-1] if before else {})  # fmt: skip
                    place = self._place(start + claimed.place[0])
                    yield start + question.asked.offset, start + claimed.place[1], place, judge  # fmt: skip

    def _of_question(self, question: Question, start: int, known: dict[str, Said], given: dict[str, Given]) -> Claim | None:  # fmt: skip
        """The verdict on a claim; None where it cannot be read, or may be an equation to solve."""
        sides = [question.asked.text, *(claim.text for claim in question.claims)]
        if question.kind == "equation" and not any(map(_MAY_DERIVE.search, sides)):
            return None
        try:
            problems = problems_of(question, known)
            verdict = first_fault(problems)
        except ExprgradError:
            return None
        first, last = problems[0], problems[-1]
        function = first.asked
        is_one = first.is_derivative
        is_partial = question.name and question.kind == "derivative"
        if not is_one and (is_partial or f"{first.function}".isalpha()):
            return None  # judged as a formula; or nobody has defined its function
        if last.is_derivative and first.at is None and not last.claim.variables:
            return None  # f'(x) = 0 is an equation to solve
        if is_one:
            if first.variable not in (first.function.variables or [first.variable]):
                return None  # x and y are made of s and t elsewhere in the document
            function = str(first.function)
        asked, claimed = question.asked, question.claims[-1]
        # one wrong entry of a gradient makes that wrong
        has_wrong = any(part.status == "incorrect" for part in verdict.parts)
        status = WRONG if has_wrong else chains.VERDICTS[verdict.status]
        if status == NOT_READ and claimed.text.isalpha():
            return None  # Solution
        pieces = [piece.text.strip("$ .,;()") for piece in question.given]
        if question.is_of_inverse or any(map(_INVERSE.fullmatch, pieces)):
            return None
        if _CALLED.match(asked.text) or _CALLED.match(f"{function}"):
            return None  # D(t) = 3t, or N(t) = N_0 e^{-kt}: no operator, and no product
        if question.kind in KINDS and question.kind != "derivative" and any(pieces):
            function = ", ".join(pieces)  # without the prose around it
        line, column = self._place(start + asked.offset)
        if status == WRONG:
            sides = [asked.text, claimed.text] if question.kind == "equation" else []
            is_group = asked.text.startswith(("(", "\\left("))  # (fg)'
            named = {*asked.text} if is_group else {question.name or ""}
            if self._is_other(named, start + asked.offset, given, not doubts.LETTER.search(claimed.text)):  # fmt: skip
                return None
            own = "; ".join(p.text for p in (asked, *question.claims, *(question.given if question.name else ())))  # fmt: skip
            roots = [e.root for p in problems for e in (p.function, p.claim)] if is_one else []  # fmt: skip
            if doubts.restricted(self.text[: start + claimed.place[1]], roots, own) or doubts.is_implicit(sides) or doubts.in_its_place(self.text, start + asked.offset, start + claimed.place[1]):  # fmt: skip
                return None
        if status == WRONG and is_one and question.name:
            claims = [p.claim for p in problems]
            answered = first.variable, *question.parameters, *(x for c in claims for x in c.variables)  # fmt: skip
            # constants of the function that are in no answer may have values
            if not {*first.function.variables} <= {*answered}:
                return None
            if first.at is None and doubts.doubt(first.function, first.variable, claims, self._answers(first.function, first.variable, first.order)):  # fmt: skip
                return None
        evidence = "" if status == RIGHT else verdict.evidence
        # any constant will do behind an antiderivative: what stands before it is judged
        judged = _CONSTANT.sub("", claimed.text) if question.kind == "antiderivative" else claimed.text  # fmt: skip
        there = self._place(start + claimed.place[0])
        step = Step(*there, _short(judged), status, evidence)
        text = _short(self.text[start + asked.offset : start + claimed.place[1]]).replace(TICK, "`")  # fmt: skip
        text += "$" * (text.count("$") % 2)
        return Claim(line, column, text, status, (step,), function, question.wrt, evidence)  # fmt: skip

    def _parts(self) -> Iterator[Iterator[Chain]]:
        """Return what is claimed in each part of the document, in the order in which it is written."""
        pieces = list(segments(self.text, self.is_tex))
        found = [(piece, self._of_piece(piece)) for piece in pieces]
        found += [(said, self._of_sentence(said)) for said in plain.sentences(self.text, pieces)]  # fmt: skip
        found += [(line, self._of_line(line)) for line in plain.fragments(self.text, pieces)]  # fmt: skip
        return (claims for _, claims in sorted(found, key=lambda one: one[0].start))

    # What the document says

    def _of_piece(self, piece: Segment) -> Iterator[Chain]:
        """The claims in a piece of mathematics; definitions are remembered."""
        if self.text[piece.outer[0]] == TICK and not is_latex(piece.text):
            yield from self._of_line(piece)
            return
        try:
            for sides in questions.formulas(piece.text, self.macros):
                yield from self._of_formula(piece, sides)
        except ExprgradError as error:
            if _DERIVATIVE.search(piece.text) and "=" in piece.text:
                yield Chain(Side(piece.text, piece.start), [], reason=error.message)
            return
        self.end = piece.start + len(piece.text)

    def _of_formula(self, piece: Segment, pieces: Sequence[Piece]) -> Iterator[Chain]:
        sides = [Side(p.text, piece.start + p.offset) for p in pieces]
        first, *others = sides
        if not first.text:
            # a display that begins with = continues the chain in the one above, but not over paragraphs of prose
            if self.last is not None and piece.start - self.end < LONGEST_GAP:
                self.last.sides.extend(others)
            return
        self.last = None
        head = self._head(first.text)
        called = _FUNCTION.match(first.text.strip())
        if called and others and not (head and _are_names(head.places or head.arguments)):  # fmt: skip
            self.values.setdefault(called[1], []).append((first, others[-1]))
        if head is not None and _is_defined(head) and others:
            name = head.name + (f"_{head.subscript}" if head.subscript else "")
            if head.subscript.isalpha() and (head.name in self.given or {*head.subscript} <= {*head.arguments}):  # fmt: skip
                # f_x, a partial derivative
                head = head._replace(order=len(head.subscript))
            elif head.arguments and not _are_names(head.arguments):
                return  # a value, v(2) = 17
            else:
                if not head.arguments and len(others) == 1:
                    self.curves.append((first, others[0]))
                yield from self._defined(name, head, others)
                return
        if head is not None and not _is_defined(head):
            self.last = Chain(first, others, head)
        elif head is None and (asked := self._differentiated(first.text)) is not None:
            place = asked.at.text.rpartition("=")[2] if asked.at else ""
            self.last = Chain(first, others, None, asked.given[0].text, asked.wrt, True, asked.order, place=place)  # fmt: skip
        elif head is None and _DERIVATIVE.search(first.text):
            self.last = Chain(first, others)
        elif len(sides) == 2 and not any(_DERIVATIVE.search(p.text) for p in pieces):
            self.curves.append((first, others[0]))
        if self.last is not None:
            if others:
                self.asked.setdefault(head.name if head else "", []).append(first.start)
            yield self.last

    def _differentiated(self, text: str) -> Question | None:
        """The question that a side asks as a whole, by an operator such as d/dx before a formula."""
        if not (_DERIVATIVE.search(text) or any(name in text for name in self.macros)):
            return None
        with suppress(ExprgradError):
            for found in questions.questions_in(read(text, Scope(macros=self.macros))):
                ends = {piece.span[1] for piece in (found.asked, *found.given)}
                return found if found.order and found.wrt and len(ends) == 1 else None
        return None

    def _defined(self, name: str, head: Head, sides: list[Side]) -> Iterator[Chain]:
        """Remember v(t) = 10t - 3; in v(t) = s'(t) = 10t - 3 there is a claim, too."""
        text, claimed = sides[0].text, None
        if len(sides) > 1 and _DERIVATIVE.search(text):
            claimed = self._head(text)
            text = sides[-1].text
        elif len(sides) > 1:  # z = f(x, y) = x^2 y
            named = self._head(text)
            if named is not None and _is_defined(named) and named.arguments:
                yield from self._defined(named.name, named, sides[1:])
                text = sides[1].text
        self._remember(name, Given(text, head.arguments, start=sides[0].start))
        if claimed is not None and not _is_defined(claimed):
            self.last = Chain(sides[0], sides[1:], claimed)
            yield self.last

    def _head(self, text: str) -> Head | None:
        """Return what a side only names."""
        return head_of(tex.expanded(text, self.macros))

    def _remember(self, name: str, given: Given) -> None:
        """Take in a definition, but no value or condition, s(t) = 0, in the place of one, and no inverse f^{-1}."""
        inverse = _INVERSE.match(given.text)
        # f^{-1}(x) = sqrt(x) says nothing new about f
        if inverse is not None and self.given.get(inverse[1], given).parameters:
            return
        called = rf"(?<![\\a-zA-Z]){re.escape(name)}\s*[(\[]"
        if re.search(called, reader.tex_plain(given.text)):
            return  # f(x_0) = f(2) = 7, z = f(x, y) = f(g(t), h(t))
        if name in self.given:
            with suppress(ExprgradError):
                if not self._read_given(given, given.parameters).variables:
                    return
            self.former.setdefault(name, []).append(self.given[name])
        self.given[name] = given

    def _of_sentence(self, said: Segment) -> Iterator[Chain]:
        """The claim of a sentence: the derivative of $x^2$ is $2x$."""
        try:
            yield from self._of_equation(said)
        except ExprgradError as error:
            if {"$", TICK} & {*self.text[said.start : said.start + len(said.text)]}:
                yield Chain(Side(said.text, said.start), [], reason=_reason(error))

    def _of_line(self, line: Segment) -> Iterator[Chain]:
        """The claims in a line without marks of mathematics: d/dx x^2 = 2x, or the derivative of x^2 is 2x."""
        lead, last = len(line.text) - len(line.text.lstrip(" \t-*>|")), self.last
        whole = Segment(line.text[lead:].rstrip(" |"), line.start + lead)
        pieces = [whole] if not self.is_tex and "=" in line.text else []
        if last is not None and not last.latex and whole.text.startswith("=") and not self.text[self.end : whole.start].strip():  # fmt: skip
            self.end = whole.start + plain.end_of(whole.text, 1)
            last.sides.extend(Side(m[0], whole.start + m.start()) for m in re.finditer("[^=]+", self.text[whole.start : self.end]))  # fmt: skip
            return
        for piece in pieces:
            try:
                yield from self._of_equation(piece)
            except ExprgradError as error:
                own = [] if isinstance(error, Unclear) or piece is not whole else [*plain.equations(piece)]  # fmt: skip
                pieces += own
                if not own and _ASKED.match(piece.text):
                    side = Side(piece.text, piece.start)
                    yield Chain(side, [], reason=_reason(error))

    def _of_equation(self, piece: Segment) -> Iterator[Chain]:
        """The claims in a text that begins with what they are about. Raises `ExprgradError`."""
        for found in read(piece.text, Scope(kinds=words())):
            if isinstance(found, Question) and found.kind == "equation" and len(found.claims) == 1:  # fmt: skip
                asked, claim = (Side(p.text, piece.start + p.offset) for p in (found.asked, found.claims[0]))  # fmt: skip
                self.curves.append((asked, claim))
            elif isinstance(found, Question):
                if found.kind != "derivative" or not found.claims:
                    raise questions.refusal(found)
                self.last = self._plain_claim(piece.start, found)
                self.end = piece.start + len(piece.text)
                yield self.last
            elif len(found.name) < 8 and _are_names((found.name, *found.parameters)):
                place = piece.start + found.given.offset
                self._remember(found.name, Given(found.given.text, found.parameters, False, place))  # fmt: skip

    def _plain_claim(self, start: int, found: Question) -> Chain:
        sides = [Side(_BEHIND.sub("", _COMPARED.sub("", piece.text)), start + piece.offset) for piece in found.claims]  # fmt: skip
        first = Side(found.asked.text, start + found.asked.offset)
        if found.name:
            place = found.argument.text.strip("()[]{} ") if found.argument else ""
            head = Head(found.name, found.order, found.wrt, (place,) if place else ())
            return Chain(first, sides, head, latex=found.asked.latex)
        [operand] = found.given
        said = ""
        if _IN_WORDS.search(first.text):
            said = f"the {_NTH.get(found.order, '')}derivative of "
            first = Side(operand.text, start + operand.offset)
        about = operand.text, found.wrt, operand.latex, found.order, said
        return Chain(first, sides, None, *about)

    # Verdicts

    def _unread(self, side: Side, reason: str) -> Claim:
        return Claim(*self._place(side.start), _short(side.text), NOT_READ, reason=reason)  # fmt: skip

    def _place(self, start: int) -> tuple[int, int]:
        start = self.origins[start]
        line = bisect.bisect_left(self.breaks, start)
        return line + 1, start - (self.breaks[line - 1] if line else -1)

    def _judged(self, chain: Chain, given: dict[str, Given], curves: int) -> Claim:
        """The verdict under the first of its readings that makes a claim right, or under the likeliest of them."""
        if chain.reason:
            return self._unread(chain.first, chain.reason)
        found: list[_Judged] = []
        for reading, is_live in self._readings(chain, given, curves):
            judged = reading()
            if judged.claim.status == RIGHT and is_live:
                if chain.head is not None:
                    name = chain.head.name
                    self.settled[name] = max(self.settled.get(name, 0), judged.place)
                return judged.claim
            found.append(judged)
        for judged in found:
            if judged.claim.status == RIGHT:
                claim, name = judged.claim, chain.head.name if chain.head else "function"  # fmt: skip
                steps = tuple(s._replace(status=UNDECIDED) for s in claim.steps)
                reason = f"this is right for an older {name}, {claim.function}"
                return claim._replace(status=UNDECIDED, steps=steps, reason=reason)
        wrong = [one for one in found if one.claim.status == WRONG]
        is_unknown = found[0].claim.status == NOT_READ and _NO_FUNCTION.search(found[0].claim.reason)  # fmt: skip
        on_curves = [one for one in found if is_unknown and " = " in one.claim.function]
        # a wrong claim about the newest definition is wrong; one about an older one only if it is much like the answer
        newest = [one for one in wrong if one in (*found[:2], *on_curves[:1])]
        chosen = next((one for one in reversed(found[:2]) if one.used), found[0])
        follows = RIGHT in {s.status for one in found[:2] for s in one.claim.steps}
        likely = max((one.likeness for one in wrong), default=0.0) >= LIKELY
        if newest or (likely and not follows):
            chosen = max(wrong, key=lambda one: (one.right, one.likeness))
        try:
            claim = chosen.claim if chosen.in_full is None else chosen.in_full()
        except ExprgradError:  # f_yx, which is no line of a solution
            claim = chosen.claim._replace(status=NOT_READ, reason=_UNFOLLOWED)
        if chain.head is not None and claim.reason == doubts.IS_CONDITION and chosen.likeness < LIKELY:  # fmt: skip
            self.renewed.setdefault(chain.head.name, []).append(chain.first.start)
        return claim

    def _readings(
        self, chain: Chain, given: dict[str, Given], curves: int
    ) -> Iterator[tuple[Callable[[], _Judged], bool]]:
        """Yield what a claim may be about, the likeliest first, and whether nothing else has been claimed about that.

        Names are variables, or stand for what was said of them; a function may be an older one of its name, or y a
        function of x by an equation.
        """
        head, start = chain.head, chain.first.start
        name = head.name if head is not None else ""
        if name and name not in given:  # f'(x) = 2x, where f(x) = x^2
            behind = [one for one in (*self.former.get(name, ()), *map(self.given.get, {name} & {*self.given})) if one and not _STOP.search(self.text, *sorted((start, one.start)))]  # fmt: skip
            given = {**given, **dict.fromkeys([name] * bool(behind), *behind[:1])}
        for own, is_live in self._functions(head, given, start, curves):
            read_as = functools.partial(self._judged_as_read, chain, own)
            yield functools.partial(read_as, frozenset()), is_live
            others = _in_terms_of(own, head.wrt if head is not None else ())
            if others - {name} or (name in others and any(name in side.text for side in chain.sides)):  # fmt: skip
                yield functools.partial(read_as, others), is_live
        if head is not None and head.order and len(head.wrt) in (0, head.order):
            own_name = pattern(rf"(?<![\\a-zA-Z]){re.escape(name)}")
            for equation in reversed(self.curves[:curves][-MOST_OLDER:]):
                if any(own_name.search(side.text) for side in equation):
                    yield functools.partial(self._judged_as_read, chain, {}, frozenset(), equation), True  # fmt: skip

    def _functions(
        self, head: Head | None, given: dict[str, Given], start: int, curves: int
    ) -> Iterator[tuple[dict[str, Given], bool]]:
        """The definitions before a claim, then those with older functions of a name; an older one in the same paragraph is none."""
        yield given, True
        name = head.name if head is not None else ""
        if head is not None and head.subscript:  # f_x of the curve f(x, y) = 0
            for left, right in self.curves[:curves][-1:]:
                yield {**given, name: Given(f"{left.text}-({right.text})", (), start=left.start)}, True  # fmt: skip
        if name not in given:
            return
        newer, own = given[name].start, self.former.get(name, ())
        older = [one for one in own if one.start < newer]
        for one in older[: -MOST_OLDER - 1 : -1]:
            between = range(one.start + 1, newer)
            is_asked = any(at in between for at in self.asked.get(name, ()))
            is_live = one.start >= self.settled.get(name, 0) and not is_asked
            is_formula = head is None or _are_names(head.arguments)
            is_above = _BREAK.search(self.text, one.start, start) is not None
            if is_live or (is_formula and is_above):
                yield {**given, name: one}, is_live
            newer = one.start

    def _judged_as_read(
        self,
        chain: Chain,
        given: dict[str, Given],
        replaced: frozenset[str],
        equation: tuple[Side, Side] | None = None,
    ) -> _Judged:
        """The verdict where some names stand for what was said of them, or where an equation in x and y was given."""
        self.defined = Definitions(given, self.macros, replaced)
        claim = Claim(*self._place(chain.first.start), chain.said + " = ".join(_short(side.text) for side in (chain.first, *chain.sides[:1])), RIGHT)  # fmt: skip
        try:
            asked = self._question(chain, given) if equation is None else self._on_curve(chain.head, equation)  # fmt: skip
            if asked is None:
                return _Judged(self._equalities(chain, claim))
            claim = claim._replace(function=asked.text, wrt=(asked.wrt,) * asked.order)
            found = self._with_steps(chain, asked, claim)
            return found._replace(used=bool(self.defined.used), place=asked.place)
        except (ExprgradError, ValueError) as error:
            reason = _reason(error) if isinstance(error, ExprgradError) else ""
            claim = claim._replace(status=NOT_READ, reason=reason)
            return _Judged(claim, used=bool(self.defined.used))

    def _with_steps(self, chain: Chain, asked: About, claim: Claim) -> _Judged:
        """A claim with its steps judged; wrong is only what has something in common with the answers."""
        steps, claims, places = self._read_steps(chain, asked.names)
        told, defined = len(claims), self.defined
        while claims and self._is_no_claim(chain, asked, claims[-1]):
            del steps[places[-1]]
            del claims[-1], places[-1]
        if told and not steps:
            reason = "this is an equation to solve, or holds at a point: it is no claim"
            return _Judged(claim._replace(status=NOT_READ, reason=reason))

        def why_unsure(wrong: list[Expression], follows: bool) -> str:
            texts, start = [side.text for side in chain.sides], chain.first.start
            if "e" in defined.given and any(map(_HAS_E.search, texts)):
                return "e may be a variable here"
            if " = " in asked.text and doubts.is_elsewhere(self.text, asked.place, start):  # fmt: skip
                return "another equation may be meant"
            called, name = {*_FUNCTION.findall(" ".join(texts))} - asked.names, chain.head.name if chain.head else ""  # fmt: skip
            typed = defined.given[name].text if name in defined.given else chain.operand
            if shorthands := next(filter(None, (meant(typed, text, asked.wrt, asked.order) for text in texts)), ""):  # fmt: skip
                return f"correct if you mean {shorthands}"
            # values of functions follow whatever these are
            is_shown = follows and sum(not _FUNCTION.search(t) for t in texts) > len(wrong)  # fmt: skip
            is_number = not any(map(str.isalpha, "".join(c.source for c in wrong)))
            is_vague = bool(wrong) and not is_shown and bool(re.fullmatch(rf"\s*-?\s*{re.escape(name)}['’′]*\s*(?:\([^()]*\))?\s*", texts[0]) or is_number)  # fmt: skip
            beside = doubts.in_its_place(self.text, *_span(chain)) or self._is_other({name, *defined.used, *called}, start, defined.given, is_vague)  # fmt: skip
            own = "; ".join([chain.first.text, *texts, *(g.text for n, g in defined.given.items() if n == name)])  # fmt: skip
            roots = [asked.function.root, *(c.root for c in wrong)]
            return beside or doubts.restricted(self.text[: _span(chain)[1]], roots, own) or doubts.unsure(chain, asked, wrong, follows)  # fmt: skip

        def in_full() -> Claim:
            self.defined = defined
            status, reason, found = asked.judge([c.source for c in claims]) if claims else (RIGHT, "", [])  # fmt: skip
            for place, (own, evidence) in zip(places, found, strict=False):
                steps[place] = steps[place]._replace(status=own, evidence=evidence)
            judged, statuses = tuple(steps), [step.status for step in steps]
            quotients = [s for s in steps if s.status == WRONG and chain.head and f"{chain.head.name}(" in s.text]  # fmt: skip
            if WRONG in statuses and len(found) < len(steps) and RIGHT not in statuses and not (quotients and not claims):  # fmt: skip
                status, reason = NOT_READ, _UNFOLLOWED
            elif WRONG in statuses:
                wrong = [c for c, (own, _) in zip(claims, found, strict=False) if own == WRONG]  # fmt: skip
                status, doubtful = WRONG, why_unsure(wrong, RIGHT in statuses)
                if doubtful:
                    status, reason, judged = UNDECIDED, doubtful, _undecided(steps)
            elif NOT_READ in statuses:
                status, reason = NOT_READ, next(s.evidence for s in steps if s.status == NOT_READ)  # fmt: skip
            return claim._replace(status=status, steps=judged, reason=reason)

        # in doubles first: of several readings that make a claim wrong, only the one that is chosen is explained
        wrong = [c for c in claims if doubts.differ(c, asked.answer, 1e-2 if asked.at else 1e-6)]  # fmt: skip
        if not wrong:
            return _Judged(in_full())
        if " = " in asked.text and (judged := in_full()).status != WRONG:
            return _Judged(judged)  # equal on the curve, not everywhere
        follows = len(wrong) < len(claims)
        alike = max(likeness(c.root, asked.answers) for c in wrong)
        status = UNDECIDED if why_unsure(wrong, follows) else WRONG
        return _Judged(claim._replace(status=status), alike, len(claims) - len(wrong), in_full=in_full)  # fmt: skip

    def _is_other(self, names: set[str], start: int, given: Mapping[str, Given], is_number: bool) -> str:  # fmt: skip
        """Return why one of the names in a claim, or in what they stand for, may not be what was defined, or ""."""
        known = set[str]()
        while more := {name for name in names if name in given} - known:
            known |= more
            names = {n for name in more for n in _FUNCTION.findall(given[name].text) if n not in given[name].parameters}  # fmt: skip
        for name in sorted(known):
            place = given[name].start
            is_given = any(place < at < start for at in self.renewed.get(name, ()))
            if is_given or (is_number and doubts.is_renewed(self.text, name, place, start)) or self._is_contradicted(name, start, given, is_number):  # fmt: skip
                return f"another {name} may be meant than {given[name].text.strip()}"
        return ""

    def _is_contradicted(self, name: str, start: int, given: Mapping[str, Given], is_number: bool) -> bool:  # fmt: skip
        """Return whether f(3) = 5 stands near a number, or a curve in y before a claim, and is not true of what was defined."""
        bare = pattern(rf"(?<![\\a-zA-Z]){re.escape(name)}(?![a-zA-Z]|\s*[-+][^=]*$)")
        beside = [e for e in self.values.get(name, ()) if is_number and not _BREAK.search(self.text, *sorted((start, e[0].start)))]  # fmt: skip
        if not given[name].parameters:
            beside += [e for e in self.curves if e[0].start < start and bare.search(e[0].text)]  # fmt: skip
        own = Definitions(given, self.macros, frozenset((name,)))
        for sides in (e for e in beside if start != e[0].start > given[name].start):
            with suppress(ExprgradError):
                left, right = (own.read(side.text, set()) for side in sides)  # fmt: skip
                if doubts.differ(left, right, 1e-2):
                    return True
        return False

    def _is_no_claim(self, chain: Chain, asked: About, claim: Expression) -> bool:
        """Return whether a side is a number although the derivative is none, and something says why.

        f'(x) = 0 and f'(c) = 3 are equations; so is f'(x) = 12 behind `solve`, and at x = 3 it is a value.
        """
        if not asked.answer.variables or claim.variables:
            return False
        if claim.source == "0" or asked.at:
            return True
        start, last = chain.first.start, chain.sides[-1]
        # for every claim, all of the text before it would be searched again: 120 characters hold a clause
        before = self.text[max(0, start - 120) : start]
        after = self.text[last.start + len(last.text) :][:40]
        at = rf"\b(?i:at|for|when|if|where|with)\b\W{{0,4}}{re.escape(asked.wrt)}\s*="
        at_pair = r"\b(?i:at|for)\b[^.;]*\([^()]*,[^()]*\)\W{0,8}\w{0,4}\W{0,3}$|\b(?i:at|for)\s+(?:this|that|these|the|our|such|\$?[A-Z]\b)[^.;]*$"  # fmt: skip
        behind = pattern(rf"{at}(?:[^.;]|\.(?!\s))*$|{at_pair}")
        found = [own.search(before) for own in (doubts.CONDITION, _ASKS, behind)]
        return any(found) or re.match(rf"\W{{0,6}}{at}", after) is not None

    def _read_steps(
        self, chain: Chain, names: set[str]
    ) -> tuple[list[Step], list[Expression], list[int]]:
        """The steps so far, the claims of those that can be read, and their places among the steps."""
        steps, claims, places = list[Step](), list[Expression](), list[int]()
        own = self._value if chain.latex else parse
        for side in chain.sides:
            line, column = self._place(side.start)
            try:
                # with all names filled in, as it is judged
                claim = parse(str(own(side.text, names)), names, lenient=True)
            except ExprgradError as error:
                status = WRONG if isinstance(error, Diverges) else NOT_READ
                text, said = _short(side.text), _reason(error)
                steps.append(Step(line, column, text, status, said))
                continue
            places.append(len(steps))
            claims.append(claim)
            steps.append(Step(line, column, _short(side.text), UNDECIDED))
        return steps, claims, places

    def _value(self, text: str, names: set[str]) -> Expression:
        """A side, or the value of the limit that it is."""
        found = limit_of(text, self.macros) if "\\lim" in text else None
        if found is None:
            return self.defined.read(text, names)
        variable, place, body = found
        inside = self.defined.read(body, {*names, variable})
        return definitions.limit(inside, variable, self.defined.read(place, names))

    def _question(self, chain: Chain, given: dict[str, Given]) -> About | None:
        """Return what a claim is about; None for a mere equality."""
        head = chain.head
        if head is None and not chain.operand:
            return None
        if head is None:
            expression = self.defined.read(chain.operand, {*chain.wrt}, chain.latex)
            wrt = chain.wrt or definitions.only_variable(expression) * chain.order
            values: tuple[str, ...] = (chain.place,) if chain.place else ()
            names: tuple[str, ...] = tuple(wrt[:1])
        else:
            if head.name not in given:
                raise UsageError(f"{head.name} is not defined above")
            known = given[head.name]
            names = known.parameters or tuple(filter(str.isidentifier, head.arguments)) or head.wrt  # fmt: skip
            expression = self._read_given(known, names)
            wrt = head.wrt or tuple(head.subscript)
            wrt = wrt or definitions.variable_of(expression, known, names)
            wrt = wrt if len(wrt) > 1 else wrt * max(1, head.order)
            if head.wrt and {*expression.variables} and not {*wrt} & {*expression.variables}:  # fmt: skip
                x = self._read_given(given[wrt[0]], ()) if wrt[0] in given else None
                if x is not None and not head.places and expression.variables == x.variables and len(x.variables) == 1:  # fmt: skip
                    return self._of_parameter(expression, x, head)
                raise UsageError(f"{head.name} is not given in terms of {wrt[0]}")
            if not {*head.held} <= {*expression.variables}:
                raise UsageError(f"{head.name} is not given in terms of {', '.join(head.held)}")  # fmt: skip
            is_formula = head.arguments in (names, known.parameters)
            values = () if is_formula else head.places or head.arguments
            names = known.parameters or wrt[:1]
        # of f_xy, what is judged is the last step, the derivative of f_x by y
        if len(set(wrt)) > 1:
            expression = expression.derivative(*wrt[:-1])
            wrt = wrt[-1:]
        if values and len(values) != len(names):
            raise UsageError(f"{len(values)} values for {', '.join(names)}")
        each = zip(names, values, strict=False)
        at = {n: self.defined.read(value, set(), chain.latex) for n, value in each}
        place = given[head.name].start if head is not None else 0
        about = expression, wrt[0], len(wrt)
        own = {*expression.variables, wrt[0]}.union(*(value.variables for value in at.values()))  # fmt: skip
        judge = functools.partial(chains.by_values, *about, at) if at else functools.partial(chains.by_lines, *about)  # fmt: skip
        return About(*about, at, place, str(expression), self._answers(*about), own - {*at}, judge)  # fmt: skip

    def _of_parameter(self, y: Expression, x: Expression, head: Head) -> About:
        """Return what a claim is about where x and y are given in terms of t."""
        [t] = definitions.only_variable(y)
        slope = y
        for _ in head.wrt:
            by = node(DIV, (slope.derivative(t).root, x.derivative(t).root))
            slope = Expression.of(by, (t,))
        judge = functools.partial(chains.by_check, lambda text: equivalent(slope, text))
        return About(y, t, len(head.wrt), {}, 0, str(y), [slope.root], {t}, judge)

    def _answers(self, function: Expression, wrt: str, order: int) -> list[Value]:
        """The right answer as the rules give it, and in short; it is worked out once for all readings."""
        key = str(function), wrt, order
        if key not in self.answers:
            # people write what the rules give, or what it simplifies to: a slip is close to one of the two
            plain = functools.reduce(tangent, (wrt,) * order, function.root)
            self.answers[key] = [plain, function.derivative(wrt, order=order).root]
        return self.answers[key]

    def _on_curve(self, head: Head | None, equation: tuple[Side, Side]) -> About:
        """Return what a claim is about where y is a function of x by an equation."""
        assert head is not None
        x, y = head.wrt[0] if head.wrt else "x", head.name
        left, right = (self.defined.read(side.text, {x, y}) for side in equation)
        difference = Expression.of(node(SUB, (left.root, right.root)), (x, y))
        if not {x, y} <= {*difference.variables}:
            raise UsageError(f"there is no {x} or no {y} in this equation")
        values = [self.defined.read(place, set()) for place in head.places]
        # at x = 3, the circle has two points
        if len(values) == 1:
            raise UsageError(f"the value of {y} is not known here")
        place = dict(zip((x, y), values, strict=False))
        text, order = f"{left} = {right}", head.order
        at = {name: str(value) for name, value in place.items()} or None
        judge = functools.partial(chains.by_check, lambda side: check(text, side, x, kind="implicit", of=y, order=order, at=at))  # fmt: skip
        answers = [along_curve(difference.root, x, y, head.order)]
        return About(difference, x, head.order, place, equation[0].start, text, answers, {x, y}, judge)  # fmt: skip

    def _read_given(self, known: Given, names: tuple[str, ...]) -> Expression:
        return self.defined.read(known.text, {*filter(str.isidentifier, names)}, known.latex)  # fmt: skip

    def _equalities(self, chain: Chain, claim: Claim) -> Claim:
        """A chain in which derivatives stand among other things: all sides are equal, or one is wrong."""
        sides = [chain.first, *chain.sides]
        if any(_OF_INVERSE.search(side.text) for side in sides):
            return claim._replace(status=NOT_READ, reason="the derivative of an inverse function is not known here")  # fmt: skip
        steps, _, _ = self._read_steps(chain, set())
        try:
            first, *others = (self.defined.read(side.text, set()) for side in sides)
        except ExprgradError as error:
            return claim._replace(status=NOT_READ, reason=_reason(error))
        worst, _, found = chains.by_check(lambda one: equivalent(first, one), others)
        pairs = zip(steps, found, strict=True)
        judged = tuple(s._replace(status=own, evidence=why) for s, (own, why) in pairs)
        names = {name for side in (first, *others) for name in side.variables}
        is_number = not any(doubts.LETTER.search(side.text) for side in chain.sides)
        used = {*self.defined.used, *doubts.LETTER.findall(chain.first.text)}
        beside = doubts.in_its_place(self.text, *_span(chain)) or self._is_other(used, chain.first.start, self.defined.given, is_number)  # fmt: skip
        if worst == WRONG and (beside or len(names) > 1 or doubts.is_implicit([side.text for side in sides])):  # fmt: skip
            worst, judged = UNDECIDED, _undecided(judged)  # one may be a function of the other  # fmt: skip
        return claim._replace(status=worst, steps=judged)


def _undecided(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Steps of which none is called wrong."""
    return tuple(s._replace(status=UNDECIDED, evidence="") if s.status == WRONG else s for s in steps)  # fmt: skip


def _gives_way(claim: Claim, stated: Claim) -> bool:
    """Return whether the verdict on a formula is that of the sentence around it, which says more: at a point, on a curve."""
    is_one = len(claim.steps) == 1
    if claim.status == WRONG:
        # a sentence with fewer steps leaves out what is wrong
        is_whole = len(stated.steps) >= len(claim.steps)
        return (is_whole and stated.status == RIGHT) or (is_one and stated.status == UNDECIDED)  # fmt: skip
    if claim.status == UNDECIDED and is_one:
        return stated.status in (RIGHT, WRONG)
    return claim.status == NOT_READ


_WITHOUT_LAYOUT = pattern(
    r"\\(?:documentclass|usepackage|title|author|date|label|(?:sub)*section|chapter|begin\s*(?=\{(?:document|enumerate|itemize|theorem|proof|center|abstract|example))"
    r"|end\s*(?=\{(?:document|enumerate|itemize|theorem|proof|center|abstract|example)))\*?(?:\[[^\]]*\])?(?:\{[^{}]*\})?"
    r"|\\(?:maketitle|noindent)\b|^[ \t]*(?:#{1,6}[^\n]*|>\s)|(?P<item>\\item\b|^[ \t]*(?:[-*+]|\d+[.)])\s)",
    re.MULTILINE,
)
"""Things that are no part of a sentence: commands of a document, headings, and the marks of lists."""


_PARAGRAPH = pattern(r"\S.*(?:\n[ \t]*\S.*)*")
_CONSTANT = pattern(r"\s*\+\s*C\s*\.?\s*$")
_ALONE = pattern(
    r"\s*(?:\\displaystyle\s*)?(?:\\int\b|∫)|.*['’′/].*=.*(?:\b[a-z]['’′]|d[a-z]\s*(?:/|\}\s*\{)\s*d[a-z])",
    re.DOTALL,
)
"""An antiderivative, and a claim with derivatives of names in it, such as (uv)' = u'v + uv'."""

_SENTENCE = pattern(r"(?:[.!?:]\s+|(?<![-+*/=·×(,&])\n[ \t]*)(?=[^\s=≈+*/·×&-])")
_STOP = pattern(r"[.!?](?=\s)|\n\s*\n")


def _span(chain: Chain) -> Span:
    last = chain.sides[-1]
    return chain.first.start, last.start + len(last.text)


def _is_defined(head: Head) -> bool:
    """Return whether a head defines a name: y or f(x), and not a derivative."""
    return head.order == 0 and not head.wrt


def _are_names(arguments: Sequence[str]) -> bool:
    return all(argument.isidentifier() for argument in arguments)


_CLAIMS = pattern(r"=|\b(?:is|are|equals?|gives?|yields?|has|have|be|as|goes)\b|[:→↦]", re.IGNORECASE)  # fmt: skip
"""Words and signs, one of which stands in every paragraph that claims or defines something."""

_MAY_DERIVE = pattern(r"['’′dD∂]|prime|partial")
"""Signs, one of which stands in every formula with a derivative."""

_IN_WORDS = pattern(r"derivative|differentiating", re.IGNORECASE)
"""Words, one of which stands in a question in words."""

_NTH = {order: f"{word} " for word, order in phrases.ORDINALS.items() if order > 1}

_BEHIND = pattern(r"[,;]\s*(?:and|so|then|hence)\s*$")
"""The beginning of the next clause."""

_COMPARED = pattern(r"\s*[<>≤≥][^()]*$")
"""A remark on a value: the > 0 of 12 > 0."""

_BREAK = pattern(r"\n\s*\n|\\(?:begin|end|item|(?:sub)*section|chapter)\b")
"""A break between parts of a document."""

_ASKS = pattern(r"\b(?:find|solve|determine)\b[^.;:]*\b(?:where|when|which|such)\b[^.;:]*$", re.IGNORECASE)  # fmt: skip
"""The beginning of a sentence in which f'(x) = 9 is to be solved."""

_OF_INVERSE = pattern(
    r"(?:[a-zA-Z]\s*\^\s*\{\s*-\s*1\s*\}|[fghFGH]\s*(?:\^\s*\(?\s*-\s*1\s*\)?|⁻¹))\s*(?:\\right)?\s*\)\s*(?:['’′]|\^\s*\{?\s*\\prime)"
)
"""The derivative of f^{-1}, which is no power."""

_INVERSE = pattern(r"\s*([a-zA-Z])\s*\^\s*\{\s*-\s*1\s*\}\s*")
_FUNCTION = pattern(
    r"(?<!\\)(?<!\\[a-zA-Z])(?<![a-zA-Z]{2})([a-zA-Z])(?:_[a-z]+|['’′]*)\s*(?:\\left\s*)?\("
)
_HAS_E = pattern(r"(?<![\\a-zA-Z])e(?![a-zA-Z])|(?<=[a-z])e$")
_NO_FUNCTION = pattern(r"not given in terms of|not defined above")
_CALLED = pattern(r"\s*[A-Z]\s*\(\s*[a-z]\s*\)\s*(?:=|$)")

_BEHAVIOUR = pattern(
    rf"(?:\$[^$\n]{{1,80}}\$|\\\([^\n]{{1,80}}?\\\)|{TICK}[^{TICK}\n]{{1,80}}{TICK}|\b[a-zA-Z]\([a-z]\))\s+is\s+(?:\w+ly\s+)?"
    r"(?:increasing|decreasing|concave\s+(?:up|down)(?:wards?)?)\s+(?:on|for|over|when|where)\s[^.;\n]{0,60}",
    re.IGNORECASE,
)
"""A statement about a function on an interval."""

_DERIVATIVE = pattern(
    r"(?<![a-zA-Z])[d∂](?:\^\d)?/[d∂]|\\[dtc]?frac\s*\{\s*(?:\\mathrm\s*\{?\s*)?(?:d[a-z]\s*\^|(?:d|\\partial|\\dd)\b)|\\(?:[op]?dv|d+ot|partial\s*_)|[A-Za-z]\s*['’′]|\\over\s*(?:\\mathrm\s*\{?)?d\s*[a-z]|\)\s*'"
)
_ASKED = pattern(r"(?:d\^?\d?/d|∂/∂|[^\W\d]['’′]+(?:\(| *=))")
"""The beginning of a line that claims a derivative without marks of mathematics."""


def _short(text: str) -> str:
    return " ".join(text.split())


def _reason(error: ExprgradError) -> str:
    """Return what is wrong, with the piece of the source that it is about."""
    if error.source and error.span and error.span[0] < error.span[1]:
        piece = _short(error.source[slice(*error.span)])
        if piece and piece not in error.message:
            return f"{error.message}: {piece[:60]}"
    return error.message
