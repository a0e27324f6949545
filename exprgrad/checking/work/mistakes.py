"""The probable mistake in a line of a solution: a rule misapplied in the problem, or a slip since the line before.

Tried in turn: the catalogue of misapplied rules, on the function itself for a first line, and on every d/dx(...)
that the line before still had; slips of algebra in the line itself; slips made in the line before; and what is
left over. A candidate is accepted where it gives the wrong line at all of a few points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.checking.agreement import Sides
from exprgrad.checking.mistakes import algebra
from exprgrad.checking.mistakes.algebra import Match, Named, Slip, in_words, search
from exprgrad.checking.mistakes.diagnosis import described, diagnose, short_text
from exprgrad.checking.mistakes.misapplied import Search
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.mistakes.parts import Line, Part, Quantity, close, same
from exprgrad.checking.points import Point
from exprgrad.checking.question import Question
from exprgrad.checking.work.lines import Limit, Notation
from exprgrad.errors import ExprgradError, Span
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Value, is_variable
from exprgrad.language.notes import shorten
from exprgrad.operations.number_types import Fault
from exprgrad.sweeps.precise import Probe
from exprgrad.sweeps.tape import primals
from exprgrad.symbolic.derivative import tangent

POINTS, MOST_POINTS = 5, 60
"""Points at which a slip must give the line, and how many are looked at to find them."""

LARGEST = 400
"""Operations of a line up to which a slip is looked for in it."""

MOST_POOL = 40
"""Quantities that may have been lost from a line."""

MOST_TIES = 8
"""Rules that give the same, of which the names are kept."""


class Side(NamedTuple):
    """A side of a line as it was read: as typed, with a name for each notation, and with these filled in.

    `meanings` are what the notations stand for; `inner` holds, of what is differentiated in the line itself, the
    function.
    """

    line: int
    source: str
    span: Span
    typed: Expression
    meanings: Mapping[str, Value]
    inner: Mapping[str, Value]
    notations: Mapping[str, Notation]
    expression: Expression
    limit: Limit | None = None

    @property
    def text(self) -> str:
        """Return what was typed."""
        return self.source[slice(*self.span)]

    @property
    def sole(self) -> Notation | None:
        """The notation that is the whole side."""
        root = self.typed.root
        return self.notations.get(root.name or "") if root.operation is None else None

    def write(self, index: int) -> str:
        """A part as it was typed."""
        item = self.typed.tape.nodes[index]
        if item.name is not None and item.name in self.notations:
            return self.source[slice(*self.notations[item.name].span)]
        if item.span is None or item.name is not None:
            text = _text(item)
            for name, notation in self.notations.items():
                text = text.replace(name, self.source[slice(*notation.span)])
            return text
        return shorten(self.source[slice(*item.span)].strip(), 60)

    def place_of(self, part: Part) -> Span | None:
        """Return where a part stands; for a variable, that of what it stands in."""
        item = part.item
        if item.name is not None and item.name in self.notations:
            return self.notations[item.name].span
        if is_variable(item) and part.within is not None:
            return part.within.item.span
        return item.span


class Asked(NamedTuple):
    """The meaning of a wrong line: the derivative of that order, or another value; and what is compared.

    `before` is the line that it comes from, right as a rule; it `follows_wrong` where that is wrong, too.
    """

    function: Expression
    wrt: str
    order: int | None
    sides: Sides
    at: Point
    before: Side | None
    follows_wrong: bool


def explain(asked: Asked, side: Side) -> Mistake | None:
    """The mistake that gives a wrong line, `side`."""
    # what stands in a limit has no value at its place
    if side.limit is not None or len(side.typed.tape.steps) > LARGEST:
        return None
    if asked.before is not None and asked.before.limit is not None:
        asked = asked._replace(before=None)
    for positive in (False, True):  # what is right for x > 0 only may be meant so
        inquiry = _Inquiry(asked, side, positive)
        if not inquiry.points:
            return inquiry.in_the_function()
        found = next(filter(None, inquiry.candidates()), None)
        if found is not None:
            return found
    return None


class _Inquiry:
    """The numbers of a wrong line, of what it should be and of the line before, at a few points."""

    def __init__(self, asked: Asked, side: Side, positive: bool) -> None:
        self.asked, self.side, self.before = asked, side, asked.before
        before = self.before
        found: list[tuple[Point, float, Sequence[float], Sequence[float]]] = []
        probes = [{n: Probe(Expression.of(m).tape) for n, m in s.meanings.items()} for s in (side, before) if s is not None]  # fmt: skip
        some = itertools.islice(asked.sides.trail, MOST_POINTS)
        # x and x^2 agree at 0 and 1, and a large number hides a small term: such points come last
        for at in sorted(some, key=lambda at: (max(map(abs, at.values()), default=0) > 8, any(x in (0, 1, -1) for x in at.values()))):  # fmt: skip
            if positive and not all(x > 0 for x in at.values()):
                continue
            due = asked.sides.truth(at, 0).value
            own = _values(side.typed, at, probes[0])
            above = own if before is None else _values(before.typed, at, probes[1])
            if due is None or own is None or above is None:
                continue
            stands = above[before.typed.tape.root] if before is not None else due
            if asked.follows_wrong:
                due = stands
            if before is not None and not close(stands, due):
                continue  # the line before is not right here, or is another quantity
            found.append((at, float(due), own, above))
            if len(found) == POINTS:
                break
        self.points = [at for at, *_ in found]
        if found:
            _, due_there, own_rows, rows_above = zip(*found, strict=True)
            self.due = Quantity(due_there)
            self.own = Line(side.typed.tape, own_rows, side.write)
            if before is not None:
                self.earlier = Line(before.typed.tape, rows_above, before.write)

    def candidates(self) -> Iterator[Mistake | None]:
        """Mistakes that give the line, the likeliest first."""
        pool = list(itertools.islice(self._pool(), MOST_POOL))
        inner = list(itertools.islice(self._inner_derivatives(), MOST_POOL))
        whole = self.in_the_function() if self.before is None else None
        if whole is not None and whole.rule not in _VAGUE:
            yield whole
        yield self._in_a_derivative()
        parts = _wrong_parts(self.own, self.due)
        earlier = [] if self.before is None else _wrong_parts(self.earlier, self.own.value)  # fmt: skip
        # what one slip in the line itself explains is told before what was done to the line above
        yield self._found(parts, algebra.REPAIRS)
        for part in parts:
            yield self._found([part], algebra.CONSTANTS)
        yield self._found(parts, algebra.LATE_REPAIRS)
        yield self._found(parts, algebra.CHAIN_RULE, inner)
        yield self._found(earlier, algebra.SLIPS)
        yield self._found(parts, algebra.DROPPED, pool)
        yield self._found(earlier, algebra.LOSING)
        yield self._found(parts, algebra.DROPPED_LAST, pool)
        yield whole or self.in_the_function()
        yield self._in_the_formula()

    def in_the_function(self) -> Mistake | None:
        """A rule misapplied to the function of the problem."""
        f, wrt, order, sides, at = self.asked[:5]
        if not order:
            return None
        if self.side.meanings:
            return self._misapplied(f, self.own.value) if order == 1 and self.points else None  # fmt: skip
        if order > 1:
            f = f.derivative(wrt, order=order - 1)
        found = diagnose(Question(f, self.side.typed, wrt), sides, at)
        return found if found is None or order == 1 else found._replace(span=None)

    def _misapplied(self, function: Expression, targets: Quantity) -> Mistake | None:
        """A rule misapplied to a function, so that these numbers come out."""
        try:
            rules = Search(function, self.asked.wrt, self.points)
        except (ExprgradError, KeyError):
            return None
        if len(rules.sheets) != len(self.points):
            return None
        fitting = (c for c in rules.candidates() if rules.gives(c, targets.at))
        ties = list(itertools.islice(fitting, MOST_TIES))
        question = Question(function, function, self.asked.wrt)
        return described(question, rules, ties) if ties else None

    def _in_a_derivative(self) -> Mistake | None:
        """A rule misapplied to what the line before still had as d/dx(...)."""
        before = self.before
        if before is None or not before.inner:
            return None
        for part in self.earlier.parts(self.own.value):
            function = before.inner.get(part.item.name or "")
            if function is not None and not same(part.value, part.due):
                whole = Expression.of(function, self.asked.sides.names)
                found = self._misapplied(whole, part.due)
                if found is not None:
                    return found._replace(span=before.place_of(part), line=before.line)
        return None

    def _found(
        self, parts: Sequence[Part], slips: Sequence[Slip], pool: Sequence[Named] = ()
    ) -> Mistake | None:
        """Return what should stand in the line itself, or was made of a part of the line before."""
        match = search(parts, slips, pool)
        if match is None:
            return None
        return _said(match, self.side if match.part.line is self.own else self.before)

    def _in_the_formula(self) -> Mistake | None:
        """A slip of algebra in the derivative as its rules give it, which was not written down."""
        f, wrt, order = self.asked.function, self.asked.wrt, self.asked.order
        # below another line, the slip was made in what is written there
        if not order or self.before is not None:
            return None
        below = f if order == 1 else f.derivative(wrt, order=order - 1)
        formula = Expression.of(tangent(below.root, wrt), self.asked.sides.names)
        line = self._computed(formula, in_words=True)
        if line is None or len(formula.tape.steps) > LARGEST:
            return None
        slips = (*algebra.SLIPS, *algebra.LOSING)
        match = search(_wrong_parts(line, self.own.value), slips)
        return None if match is None else _said(match, None)

    def _pool(self) -> Iterator[Named]:
        """Parts of the line before and of the function, which may have been lost from the line."""
        seen: list[Quantity] = []
        lines = [] if self.before is None else [self.earlier]
        function = self._computed(self.asked.function)
        for line in (*lines, *([] if function is None else [function])):
            for i in (*line.made, *line.tape.variables.values()):
                value = line.values[i]
                # a factor that is 0 or the same at all points cannot be told from others that may be missing
                varies = all(value.at) and value.steady is None
                if varies and not any(same(value, known) for known in seen):
                    seen.append(value)
                    yield Named(line.write(i), value)

    def _computed(self, formula: Expression, in_words: bool = False) -> Line | None:
        """The values of all parts of a formula; None where one has none."""
        rows = [row for at in self.points if (row := _values(formula, at, {}))]
        if len(rows) < len(self.points):
            return None
        write = _text if in_words else formula.written
        return Line(formula.tape, rows, lambda i: write(formula.tape.nodes[i]))

    def _inner_derivatives(self) -> Iterator[Named]:
        """The derivatives of all parts of the function."""
        inner = {} if self.before is None else self.before.inner
        below = (Expression.of(m, self.asked.sides.names) for m in inner.values())
        for function in (self.asked.function, *below):
            own, known = {*function.variables}, {*self.asked.sides.names}
            if self.asked.wrt not in own or not own <= known:
                continue
            rules = Search(function, self.asked.wrt, self.points)
            if len(rules.sheets) != len(self.points):
                continue
            for step in function.tape.steps:
                slopes = [sheet.tangents[step.node] for _, sheet in rules.sheets]
                # a factor of 1 is not missed, and -1 is a slip of a sign
                if all(slopes) and not all(close(abs(s), 1) for s in slopes):
                    item = function.tape.nodes[step.node]
                    yield Named(function.written(item), Quantity(slopes))


_VAGUE = ("constants", "signs", "the question", "the rules for constants", "arithmetic", "algebra")  # fmt: skip
"""Rules that are told of the whole, though a part may be to blame."""


def _wrong_parts(line: Line, due: Quantity) -> list[Part]:
    return [part for part in line.parts(due) if part.is_wrong]


def _said(match: Match, side: Side | None) -> Mistake:
    """A slip in a sentence, with its place in a side of a line."""
    slip, part, words = match
    told = {name: in_words(word) for name, word in words.items()}
    message = slip.tell.format(part=part, **told)
    hint = slip.name if slip.rule == slip.name else f"{slip.name}: look at {slip.rule}"
    own = Mistake(slip.name, slip.rule, message, hint)
    return own if side is None else own._replace(span=side.place_of(part), line=side.line)  # fmt: skip


def _text(item: Value) -> str:
    return short_text(item, "a part of it")


def _values(
    typed: Expression, at: Point, meanings: Mapping[str, Probe]
) -> Sequence[float] | None:
    """The values of all parts of a line at a point; None where one is missing."""
    given: dict[str, float] = {}
    for name in typed.variables:
        known = meanings[name].floats(at).value if name in meanings else at.get(name)
        if known is None:
            return None
        given[name] = known
    try:
        values = primals(typed.tape, given)
    except Fault:
        return None
    return None if any(v is None or not math.isfinite(v) for v in values) else values  # type: ignore[return-value] # none is None
