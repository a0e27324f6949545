r"""Every claim about a derivative in a document, checked step by step.

    found = audit(text, "notes.tex")
    [(claim.line, claim.status, claim.wrong) for claim in found.claims]

A claim is a chain of `=` whose first side is a derivative: f'(x) of an f that is defined before, \frac{d}{dx}(x^2),
y', f_x, or the sentence "the derivative of $x^2$ is $2x$". Its steps are judged as those of a worked solution. What
cannot be read is counted, and listed with the reason.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.checking.check import equivalent
from exprgrad.checking.work.work import UNREADABLE, check_work
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression, parse, parse_latex
from exprgrad.grading.documents import (
    MARK,
    Segment,
    prose,
    segments,
    without_comments,
)
from exprgrad.language.latex import tex
from exprgrad.language.latex.formulas import Formula, Head, formulas
from exprgrad.patterns import pattern

RIGHT, WRONG, UNDECIDED, NOT_READ = "right", "wrong", "undecided", "not read"
STATUSES = (RIGHT, WRONG, UNDECIDED, NOT_READ)
"""What may be said of a claim."""

LARGEST = 5_000_000
"""Characters of a document."""

LONGEST_LINE = 2000
"""Characters of a line of plain text that may be a claim."""

LONGEST_GAP = 200
"""Characters of prose between a chain and its continuation."""


class Step(NamedTuple):
    """A side of a claim: its line in the document, its text, and what is said of it."""

    line: int
    column: int
    text: str
    status: str
    evidence: str = ""


class Claim(NamedTuple):
    """A claim: where it begins, what it is about, its steps and the verdict.

    `function` and `wrt` are what is differentiated, where that is known. `reason` says why a claim was not read.
    """

    line: int
    column: int
    text: str
    status: str
    steps: tuple[Step, ...] = ()
    function: str = ""
    wrt: tuple[str, ...] = ()
    reason: str = ""

    @property
    def wrong(self) -> Step | None:
        """The first wrong step."""
        return next((step for step in self.steps if step.status == WRONG), None)

    @property
    def place(self) -> tuple[int, int]:
        """The line and column to look at: of the first wrong step, or of the claim."""
        wrong = self.wrong
        return (self.line, self.column) if wrong is None else (wrong.line, wrong.column)


class Audit(NamedTuple):
    """The claims of a document, in order."""

    name: str
    claims: tuple[Claim, ...]

    def count(self, status: str) -> int:
        """How many claims there are of a status."""
        return sum(claim.status == status for claim in self.claims)


class _Given(NamedTuple):
    """A function that a document defines: its TeX, or text, and its parameters."""

    text: str
    parameters: tuple[str, ...]
    latex: bool = True


class _Side(NamedTuple):
    """A side with its place in the document."""

    text: str
    start: int


class _Chain(NamedTuple):
    """A claim as it was found: what it is about and the sides that are claimed."""

    first: _Side
    sides: list[_Side]
    head: Head | None = None
    operand: str = ""
    wrt: tuple[str, ...] = ()
    latex: bool = True
    order: int = 1
    said: str = ""


def audit(text: str, name: str = "document.tex") -> Audit:
    """Check every claim in a document; its name says what kind it is. Raises `UsageError` for one that is too long."""
    if len(text) > LARGEST:
        raise UsageError(
            f"{name} has {len(text):,} characters; at most {LARGEST:,} are read"
        )
    suffix = f".{name.rpartition('.')[2].lower()}"
    return Audit(name, tuple(_Reader(text, suffix).claims()))


class _Reader:
    """Goes through a document from its beginning to its end."""

    def __init__(self, text: str, suffix: str) -> None:
        self.text = without_comments(text, suffix)
        self.is_tex = suffix == ".tex"
        self.macros = tex.macros(self.text) if "\\" in self.text else {}
        self.breaks = [m.start() for m in re.finditer("\n", text)]
        self.given: dict[str, _Given] = {}
        self.last: _Chain | None = None
        self.end = 0

    def claims(self) -> Iterator[Claim]:
        """The claims, judged."""
        found: list[tuple[_Chain | Claim, dict[str, _Given]]] = []
        pieces = list(segments(self.text))
        sentences = _sentences(self.text, pieces)
        for i, piece in enumerate(pieces):
            for item in self._of_piece(piece):
                found.append((item, dict(self.given)))
            if i in sentences:
                found.append(
                    (self._of_sentence(sentences[i], pieces), dict(self.given))
                )
        if not self.is_tex:
            found += [(item, dict(self.given)) for item in self._plain_lines(pieces)]
        found.sort(key=lambda item: _start_of(item[0], self.breaks))
        for item, given in found:
            if isinstance(item, Claim):
                yield item
            elif item.sides:
                yield self._judged(item, given)

    # What the document says

    def _of_piece(self, piece: Segment) -> Iterator[_Chain | Claim]:
        """The claims in a piece of mathematics; definitions are remembered."""
        try:
            shapes = formulas(piece.text, self.macros)
        except ExprgradError as error:
            if _looks_like_a_claim(piece.text):
                yield self._unread(piece.text, piece.start, error.message)
            return
        for shape in shapes:
            yield from self._of_formula(piece, shape)
        self.end = piece.start + len(piece.text)

    def _of_formula(self, piece: Segment, shape: Formula) -> Iterator[_Chain]:
        sides = [
            _Side(piece.text[slice(*span)], piece.start + span[0])
            for span in shape.sides
        ]
        first, *others = sides
        if shape.continued:
            gap = piece.start - self.end
            if self.last is not None and gap < LONGEST_GAP:
                self.last.sides.extend(sides)
            return
        self.last = None
        head = shape.head
        if head is not None and _is_defined(head) and others:
            name = head.name + (f"_{head.subscript}" if head.subscript else "")
            if head.subscript and head.name in self.given:
                head = head._replace(order=1)  # f_x, a partial derivative
            else:
                self.given[name] = _Given(others[0].text, head.arguments)
                return
        if head is not None and not _is_defined(head):
            self.last = _Chain(first, others, head)
        elif shape.operand is not None:
            operand = piece.text[slice(*shape.operand)]
            self.last = _Chain(first, others, None, operand, shape.wrt)
        elif head is None and _DERIVATIVE.search(first.text):
            self.last = _Chain(first, others)
        if self.last is not None:
            yield self.last

    def _of_sentence(
        self, places: tuple[int, int, str], pieces: list[Segment]
    ) -> _Chain:
        """The claim of a sentence: the derivative of $x^2$ is $2x$."""
        of, answer, wrt = places
        function, claimed = pieces[of], pieces[answer]
        names = (wrt,) if wrt else ()
        return _Chain(
            _Side(function.text, function.start),
            [_Side(_last_side(claimed.text), claimed.start)],
            None,
            _last_side(function.text),
            names,
            said="the derivative of ",
        )

    def _plain_lines(self, pieces: list[Segment]) -> Iterator[_Chain | Claim]:
        """Claims in lines without marks of mathematics: d/dx x^2 = 2x."""
        from exprgrad.language.sentences import Claim as Line
        from exprgrad.language.sentences import Definition, read_line

        starts = [piece.start for piece in pieces]
        start = 0
        for line in self.text.split("\n"):
            begin, start = start, start + len(line) + 1
            if "=" not in line or len(line) > LONGEST_LINE:
                continue
            i = bisect.bisect_left(starts, start) - 1
            if i >= 0 and begin < starts[i] + len(pieces[i].text):
                continue
            lead = len(line) - len(line.lstrip(" \t-*>"))
            source = line[lead:]
            try:
                sentences = read_line(source)
            except ExprgradError as error:
                if _ASKED.match(source):
                    yield self._unread(source, begin + lead, _reason(error))
                continue
            for found in sentences:
                if isinstance(found, Definition):
                    names: tuple[str, ...] = ()
                    if found.parameters:
                        inner = source[
                            found.parameters[0] + 1 : found.parameters[1] - 1
                        ]
                        names = tuple(name.strip() for name in inner.split(","))
                    if found.name.isidentifier() and len(found.name) < 8:
                        self.given[found.name] = _Given(
                            source[slice(*found.function)], names, False
                        )
                    continue
                if isinstance(found, Line):
                    yield self._plain_claim(source, begin + lead, found)

    def _plain_claim(self, source: str, start: int, found: object) -> _Chain:
        asked, answers = found.asked, found.answers  # type: ignore[attr-defined] # a claim
        sides = [_Side(source[slice(*span)], start + span[0]) for span in answers]
        first = _Side(source[slice(*asked.span)], start + asked.span[0])
        wrt = (asked.variable,) * asked.order if asked.variable else ()
        if asked.name:
            place = (
                source[slice(*asked.argument)].strip("()[]{} ")
                if asked.argument
                else ""
            )
            head = Head(asked.name, asked.order, wrt, (place,) if place else ())
            return _Chain(first, sides, head, latex=False)
        operand = source[slice(*asked.function)] if asked.function else ""
        return _Chain(first, sides, None, operand, wrt, False, asked.order)

    # Verdicts

    def _unread(self, text: str, start: int, reason: str) -> Claim:
        line, column = self._place(start)
        return Claim(line, column, _short(text), NOT_READ, reason=reason)

    def _place(self, start: int) -> tuple[int, int]:
        line = bisect.bisect_left(self.breaks, start)
        before = self.breaks[line - 1] + 1 if line else 0
        return line + 1, start - before + 1

    def _judged(self, chain: _Chain, given: dict[str, _Given]) -> Claim:
        text = chain.said + " = ".join(
            _short(side.text) for side in (chain.first, *chain.sides[:1])
        )
        try:
            function, wrt, order = self._function(chain, given)
        except ExprgradError as error:
            return self._unread(text, chain.first.start, _reason(error))
        line, column = self._place(chain.first.start)
        if function is None:
            return self._equalities(chain, Claim(line, column, text, RIGHT))
        names = {*function.variables, wrt}
        steps, texts, places = self._read_steps(chain, names)
        status, evidence = RIGHT, ""
        if texts:
            try:
                work = check_work(function, texts, wrt, order)
            except ExprgradError as error:
                return self._unread(text, chain.first.start, _reason(error))
            for judged in work.lines:
                place = places[judged.number - 1]
                kind = RIGHT if judged.status == "follows" else judged.status
                kind = NOT_READ if kind == UNREADABLE else kind
                steps[place] = steps[place]._replace(
                    status=kind, evidence=judged.evidence
                )
            verdict = work.verdict
            evidence = "" if verdict == "correct" else work.conclusion
            status = _VERDICTS.get(verdict, RIGHT)
        if any(step.status == WRONG for step in steps):
            status = WRONG
        elif any(step.status == NOT_READ for step in steps) and status != WRONG:
            status = NOT_READ
            evidence = next(s.evidence for s in steps if s.status == NOT_READ)
        return Claim(line, column, text, status, tuple(steps), str(function), (wrt,) * order, evidence)  # fmt: skip

    def _read_steps(
        self, chain: _Chain, names: set[str]
    ) -> tuple[list[Step], list[str], list[int]]:
        """The steps so far, the texts of those that can be read, and their places among the steps."""
        steps: list[Step] = []
        texts: list[str] = []
        places: list[int] = []
        own = self._side if chain.latex else parse
        for side in chain.sides:
            line, column = self._place(side.start)
            try:
                read = str(own(side.text, names))
            except ExprgradError as error:
                steps.append(
                    Step(line, column, _short(side.text), NOT_READ, _reason(error))
                )
                continue
            places.append(len(steps))
            texts.append(read)
            steps.append(Step(line, column, _short(side.text), UNDECIDED))
        return steps, texts, places

    def _side(self, text: str, names: set[str]) -> Expression:
        return parse_latex(text, names, macros=self.macros)

    def _function(
        self, chain: _Chain, given: dict[str, _Given]
    ) -> tuple[Expression | None, str, int]:
        """What is differentiated, with respect to what, and how often; None for a mere equality."""
        head = chain.head
        if head is None and not chain.operand:
            return None, "", 0
        names: tuple[str, ...] = ()
        if head is not None:
            known, names = self._known(head, given)
            expression = self._read_given(known, names)
            wrt = head.wrt or tuple(head.subscript) or _only(expression, known, names)
            wrt = wrt if len(wrt) > 1 else wrt * max(1, head.order)
        else:
            wrt = chain.wrt
            own = parse if not chain.latex else self._side
            expression = own(chain.operand, {*wrt})
            wrt = wrt or _of_only_variable(expression) * chain.order
        if len(set(wrt)) > 1:
            expression = expression.derivative(*wrt[:-1])
            wrt = wrt[-1:]
        if head is not None and head.arguments:
            _refuse_values(head, names)
        return expression, wrt[0], len(wrt)

    def _known(
        self, head: Head, given: dict[str, _Given]
    ) -> tuple[_Given, tuple[str, ...]]:
        name = head.name
        if name not in given:
            raise UsageError(f"{name} is not defined above")
        known = given[name]
        return known, known.parameters or head.arguments or head.wrt

    def _read_given(self, known: _Given, names: tuple[str, ...]) -> Expression:
        plain = {name for name in names if name.isidentifier()}
        if known.latex:
            return self._side(known.text, plain)
        return parse(known.text, plain, lenient=True)

    def _equalities(self, chain: _Chain, claim: Claim) -> Claim:
        """A chain in which derivatives stand among other things: all sides are equal, or one is wrong."""
        sides = [chain.first, *chain.sides]
        steps, _, _ = self._read_steps(chain._replace(sides=sides), set())
        try:
            read = [self._side(side.text, set()) for side in sides]
        except ExprgradError as error:
            return claim._replace(status=NOT_READ, reason=_reason(error))
        for i, one in enumerate(read):
            if i == 0:
                steps[0] = steps[0]._replace(status=RIGHT)
                continue
            found = equivalent(read[0], one)
            status = {"equal": RIGHT, "different": WRONG}.get(found.status, UNDECIDED)
            steps[i] = steps[i]._replace(status=status, evidence="" if status == RIGHT else str(found.evidence))  # fmt: skip
        statuses = [step.status for step in steps]
        worst = next((s for s in (WRONG, UNDECIDED) if s in statuses), RIGHT)
        return claim._replace(status=worst, steps=tuple(steps[1:]))


_VERDICTS = {
    "correct": RIGHT, "unfinished": RIGHT, "incorrect": WRONG, "partly": UNDECIDED, "undecided": UNDECIDED,
    "unreadable": NOT_READ,
}  # fmt: skip


def _start_of(item: _Chain | Claim, breaks: Sequence[int]) -> int:
    if isinstance(item, Claim):
        before = breaks[item.line - 2] + 1 if item.line > 1 else 0
        return before + item.column - 1
    return item.first.start


def _is_defined(head: Head) -> bool:
    """Whether a head defines a name: y or f(x), and not a derivative."""
    return head.order == 0 and not head.wrt


def _only(
    expression: Expression, known: _Given, names: tuple[str, ...]
) -> tuple[str, ...]:
    """The variable that a prime refers to."""
    if len(known.parameters) == 1:
        return known.parameters
    if len(names) == 1 and names[0] in expression.variables:
        return names
    return _of_only_variable(expression)


def _of_only_variable(expression: Expression) -> tuple[str, ...]:
    names = expression.variables
    if len(names) == 1 or not names:
        return (names[0] if names else "x",)
    if "x" in names:
        return ("x",)
    raise UsageError(f"with respect to which variable: {', '.join(names)}?")


def _refuse_values(head: Head, names: tuple[str, ...]) -> None:
    """Raise `UsageError` for f'(3): only formulas are checked."""
    for argument in head.arguments:
        if argument not in names and names:
            raise UsageError(f"the value {head.name}'({argument}) is not checked")
        if not argument.isidentifier():
            raise UsageError(f"the value {head.name}'({argument}) is not checked")


def _looks_like_a_claim(text: str) -> bool:
    return _DERIVATIVE.search(text) is not None and "=" in text


_DERIVATIVE = pattern(
    r"\\[dtc]?frac\s*\{\s*(?:\\mathrm\s*\{?\s*)?(?:d|\\partial)\b|[A-Za-z]\s*['’′]|\\over\s*(?:\\mathrm\s*\{?)?d\s*[a-z]|\)\s*'"
)
_ASKED = pattern(r"(?:d\^?\d?/d|∂/∂|[^\W\d]['’′]+(?:\(| *=))")
"""How a line begins that claims a derivative without marks of mathematics."""

_SENTENCE = pattern(
    rf"\bderivative\s+of\s+(?:the\s+function\s+)?(?P<of>{MARK})(?P<wrt>(?:\s*,?\s*(?:with\s+respect\s+to|w\.?r\.?t\.?)\s+{MARK})?)\s*,?\s+"
    rf"(?:is|equals|is\s+equal\s+to|is\s+given\s+by|comes\s+out\s+as|turns\s+out\s+to\s+be)\s+(?:then\s+|simply\s+|just\s+|therefore\s+)?:?\s*(?P<is>{MARK})"
    rf"|\bdifferentiating\s+(?P<of2>{MARK})\s*,?\s+(?:gives|yields|we\s+(?:get|obtain|find))\s+(?P<is2>{MARK})"
    rf"|(?P<is3>{MARK})\s+is\s+the\s+derivative\s+of\s+(?P<of3>{MARK})"
    rf"|(?P<of4>{MARK})\s+has\s+(?:the\s+)?derivative\s+(?P<is4>{MARK})",
    re.IGNORECASE,
)


def _sentences(text: str, pieces: list[Segment]) -> dict[int, tuple[int, int, str]]:
    """Sentences about derivatives: by the last of their pieces, the pieces of function and answer, and the variable."""
    words, marks = prose(text, pieces)
    places = {place: i for i, place in enumerate(marks)}
    found: dict[int, tuple[int, int, str]] = {}
    for match in _SENTENCE.finditer(words):
        number = next(n for n in ("", "2", "3", "4") if match[f"of{n}"])
        of, answer = (
            places[match.start(f"of{number}")],
            places[match.start(f"is{number}")],
        )
        wrt = ""
        if not number and match["wrt"]:
            wrt = pieces[places[match.end("wrt") - 1]].text.strip()
        found[max(of, answer)] = of, answer, wrt
    return found


def _last_side(text: str) -> str:
    """Behind `f(x) =` what is meant."""
    try:
        shapes = formulas(text)
    except ExprgradError:
        return text
    if not shapes:
        return text
    return text[slice(*shapes[0].sides[-1])]


def _short(text: str) -> str:
    return " ".join(text.split())


def _reason(error: ExprgradError) -> str:
    """What is wrong, with the piece of the source that it is about."""
    if error.source and error.span and error.span[0] < error.span[1]:
        piece = " ".join(error.source[slice(*error.span)].split())
        if piece and piece not in error.message:
            return f"{error.message}: {piece[:60]}"
    return error.message
