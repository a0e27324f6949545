"""What probably went wrong in a line of a solution: a rule misapplied in the problem, or a slip since the line before.

Tried in turn: the catalogue of misapplied rules, on the function itself for a first line, and on every d/dx(...)
that the line before still had; slips of algebra in the line itself; slips made in the line before; and what is
left over. A candidate is accepted where it gives the wrong line at all of a few points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.checking.agreement import Sides
from exprgrad.checking.mistakes import algebra
from exprgrad.checking.mistakes.algebra import Flow, Match, Named, Numbers, Part, Slip
from exprgrad.checking.mistakes.diagnosis import described, diagnose
from exprgrad.checking.mistakes.misapplied import Search
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.points import Point
from exprgrad.checking.question import Question
from exprgrad.errors import ExprgradError, Span
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Value, is_variable
from exprgrad.language.notes import shorten
from exprgrad.notation.text import text_length, to_text
from exprgrad.operations.number_types import Fault
from exprgrad.operations.table import POW
from exprgrad.sweeps.precise import Probe
from exprgrad.sweeps.tape import primals
from exprgrad.symbolic.derivative import tangent

POINTS, MOST_POINTS = 5, 60
"""Points at which a slip must give the line, and how many are looked at to find them."""

LARGEST = 400
"""Operations of a line up to which a slip is looked for in it."""

MOST_POOL = 40
"""Quantities that may have been lost from a line."""


class Before(NamedTuple):
    """A side of a line: as typed, with a name for each notation, and what these stand for.

    `inner` holds, of what is differentiated in the line itself, the function.
    """

    line: int
    typed: Expression
    meanings: Mapping[str, Value]
    inner: Mapping[str, Value]
    places: Mapping[str, Span]
    source: str
    wrong: bool = False


class Asked(NamedTuple):
    """What a wrong line was meant to be: the derivative of that order, or another value; and what is compared."""

    function: Expression
    wrt: str
    order: int | None
    sides: Sides
    at: Point


def explain(asked: Asked, side: Before, before: Before | None) -> Mistake | None:
    """The mistake that gives a wrong line, `side`; `before` is the right one before it, if there is one."""
    if len(side.typed.tape.steps) > LARGEST:
        return None
    for positive in (
        False,
        True,
    ):  # what is right for x > 0 only may have been meant so
        inquiry = _Inquiry(asked, side, before, positive)
        if not inquiry.points:
            return inquiry.in_the_function()
        found = next(
            (found for found in inquiry.candidates() if found is not None), None
        )
        if found is not None:
            return found
    return None


class _Inquiry:
    """The numbers of a wrong line, of what it should be and of the line before, at a few points."""

    def __init__(
        self, asked: Asked, side: Before, before: Before | None, positive: bool
    ) -> None:
        self.asked, self.side, self.before = asked, side, before
        self.points: list[Point] = []
        due: list[float] = []
        own: list[Sequence[float]] = []
        earlier: list[Sequence[float]] = []
        probes = [_probes(s) for s in (side, before) if s is not None]
        for at in _generic(asked.sides):
            if positive and not all(x > 0 for x in at.values()):
                continue
            truth = asked.sides.truth(at, 0).value
            values = _values(side, at, probes[0])
            if truth is None or values is None:
                continue
            if before is not None:
                above = _values(before, at, probes[1])
                if above is None:
                    continue
                stands = above[before.typed.tape.root]
                if before.wrong:
                    truth = stands
                elif before.line and not algebra.close(stands, truth):
                    continue  # the line before is not right here, or is another quantity
                earlier.append(above)
            self.points.append(at)
            due.append(float(truth))
            own.append(values)
            if len(due) == POINTS:
                break
        self.due: Numbers = due
        if due:
            self.own = _flow(side, own)
            self.claim: Numbers = self.own.values[side.typed.tape.root]
            if before is not None:
                self.earlier = _flow(before, earlier)

    def candidates(self) -> Iterator[Mistake | None]:
        """Mistakes that give the line, the likeliest first."""
        pool = list(itertools.islice(self._pool(), MOST_POOL))
        inner = list(itertools.islice(self._inner_derivatives(), MOST_POOL))
        first = self.before is None or self.before.line == 0
        whole = self.in_the_function() if first else None
        if whole is not None and whole.rule not in _VAGUE:
            yield whole
        yield self._in_a_derivative()
        yield self._mended(algebra.MENDS, ())
        yield self._factor()
        yield self._mended(algebra.WORN, ())
        yield self._mended(algebra.CHAIN_RULE, inner)
        yield self._slipped(algebra.SLIPS)
        yield self._mended(algebra.LOSSES, pool)
        yield self._slipped(algebra.LOSING)
        yield self._mended(algebra.LEAVINGS, pool)
        yield whole or self.in_the_function()
        yield self._in_the_formula()

    def in_the_function(self) -> Mistake | None:
        """A rule misapplied to the function of the problem."""
        f, wrt, order, sides, at = self.asked
        if not order:
            return None
        claim = self.side.typed if not self.side.meanings else None
        if claim is None:
            return (
                self._misapplied(f, self.claim if self.points else (), None, 0)
                if order == 1
                else None
            )
        question = Question(
            f if order == 1 else f.derivative(wrt, order=order - 1), claim, wrt
        )
        found = diagnose(question, sides, at)
        return found if found is None or order == 1 else found._replace(span=None)

    def _misapplied(
        self, function: Expression, targets: Numbers, within: Before | None, line: int
    ) -> Mistake | None:
        """A rule misapplied to a function, so that these numbers come out."""
        try:
            search = Search(function, self.asked.wrt, self.points)
        except (ExprgradError, KeyError):
            return None
        if len(search.sheets) != len(targets) or not search.sheets:
            return None
        ties = list(
            itertools.islice(
                (c for c in search.candidates() if search.gives(c, targets)), 8
            )
        )
        if not ties:
            return None
        question = Question(function, function, self.asked.wrt)
        found = described(question, search, ties)
        return found if within is None else found._replace(span=None, line=line)

    def _in_a_derivative(self) -> Mistake | None:
        """A rule misapplied to what the line before still had as d/dx(...)."""
        if self.before is None or not self.before.inner:
            return None
        tape = self.before.typed.tape
        leaves = {
            tape.variables[n]: n for n in self.before.inner if n in tape.variables
        }
        for part in self.earlier.parts(self.claim):
            if part.node in leaves and not algebra.same(part.values, part.due):
                function = Expression.of(
                    self.before.inner[leaves[part.node]], self.asked.sides.names
                )
                found = self._misapplied(
                    function, part.due, self.before, self.before.line
                )
                if found is not None:
                    return found._replace(span=self._span(self.before, part))
        return None

    def _mended(self, slips: Sequence[Slip], pool: Sequence[Named]) -> Mistake | None:
        """What should stand in the line itself."""
        match = next(
            algebra.search(self.own, self.due, slips, pool, self._writer(self.side)),
            None,
        )
        return None if match is None else self._said(match, self.side, self.own)

    def _slipped(self, slips: Sequence[Slip]) -> Mistake | None:
        """What was made of a part of the line before."""
        if self.before is None:
            return None
        write = self._writer(self.before)
        match = next(algebra.search(self.earlier, self.claim, slips, (), write), None)
        return None if match is None else self._said(match, self.before, self.earlier)

    def _factor(self) -> Mistake | None:
        """A constant factor that a part of the line lacks, or has too many, or a wrong number."""
        for part, factor in algebra.factors_found(self.own, self.due):
            lacking, too_many, number = algebra.CONSTANTS
            if self.own.constant(part.node) is not None:
                due = next(d for d in part.due if math.isfinite(d))
                right = algebra.told(due)
                within = None if part.within is None else self.own.item(part.within)
                if right is None or (within is not None and within.operation is POW):
                    continue
                match = Match(number, part, {"right": right})
            elif factor.startswith("1/"):
                match = Match(too_many, part, {"factor": factor[2:]})
            else:
                match = Match(lacking, part, {"factor": factor})
            return self._said(match, self.side, self.own)
        return None

    def _in_the_formula(self) -> Mistake | None:
        """A slip of algebra in the derivative as its rules give it, which was not written down."""
        f, wrt, order = self.asked.function, self.asked.wrt, self.asked.order
        if not order or (self.before is not None and self.before.line):
            return None
        root = tangent(
            f.root if order == 1 else f.derivative(wrt, order=order - 1).root, wrt
        )
        formula = Expression.of(root, self.asked.sides.names)
        flow = self._computed(formula)
        if flow is None or len(formula.tape.steps) > LARGEST:
            return None
        match = next(
            algebra.search(
                flow,
                self.claim,
                (*algebra.SLIPS, *algebra.LOSING),
                (),
                lambda i: _text(flow.item(i)),
            ),
            None,
        )
        if match is None:
            return None
        return _sentence(match, _text(flow.item(match.part.node)), 0, None)

    def _pool(self) -> Iterator[Named]:
        """Parts of the line before and of the function, which may have been lost from the line."""
        seen: list[Numbers] = []
        flows = (
            [] if self.before is None else [(self.earlier, self._writer(self.before))]
        )
        own = self._function_flow()
        flows += [own] if own is not None else []
        for flow, write in flows:
            for i in (*flow.made, *flow.tape.variables.values()):
                values = flow.values[i]
                known = any(algebra.same(values, s) for s in seen)
                if not known and all(values) and not algebra.steady(values):
                    seen.append(values)
                    yield Named(write(i), values)

    def _function_flow(self) -> tuple[Flow, Callable[[int], str]] | None:
        f = self.asked.function
        flow = self._computed(f)
        if flow is None:
            return None
        return flow, lambda i: f.written(flow.item(i))

    def _computed(self, formula: Expression) -> Flow | None:
        """The values of all parts of a formula; None where one has none."""
        whole = Before(0, formula, {}, {}, {}, formula.source)
        rows = [_values(whole, at, {}) for at in self.points]
        known = [row for row in rows if row is not None]
        return _flow(whole, known) if len(known) == len(rows) else None

    def _inner_derivatives(self) -> Iterator[Named]:
        """The derivatives of all parts of the function."""
        f = self.asked.function
        inner = [(f, None)]
        if self.before is not None:
            inner += [
                (Expression.of(m, self.asked.sides.names), None)
                for m in self.before.inner.values()
            ]
        for function, _ in inner:
            search = (
                Search(function, self.asked.wrt, self.points)
                if self.asked.wrt in function.variables
                else None
            )
            if search is None or len(search.sheets) != len(self.points):
                continue
            for step in function.tape.steps:
                slopes = [sheet.tangents[step.node] for _, sheet in search.sheets]
                if all(slopes) and not all(algebra.close(abs(s), 1) for s in slopes):
                    yield Named(
                        function.written(function.tape.nodes[step.node]), slopes
                    )

    def _said(self, match: Match, side: Before, flow: Flow) -> Mistake:
        span = self._span(side, match.part)
        return _sentence(match, self._writer(side)(match.part.node), side.line, span)

    def _span(self, side: Before, part: Part) -> Span | None:
        """The place of a part; of a variable, that of what it stands in."""
        item = side.typed.tape.nodes[part.node]
        if item.name is not None and item.name in side.places:
            return side.places[item.name]
        if is_variable(item) and part.within is not None:
            return side.typed.tape.nodes[part.within].span
        return item.span

    def _writer(self, side: Before) -> Callable[[int], str]:
        """How a part of a line is written: as it was typed."""

        def write(index: int) -> str:
            item = side.typed.tape.nodes[index]
            if item.name is not None and item.name in side.places:
                return side.source[slice(*side.places[item.name])]
            if item.span is None or item.name is not None:
                text = _text(item)
                for name, place in side.places.items():
                    text = text.replace(name, side.source[slice(*place)])
                return text
            return shorten(side.source[slice(*item.span)].strip(), 60)

        return write


_VAGUE = ("constants", "signs", "the question", "the rules for constants")
"""What is told of the whole, though a part may be to blame."""


def _sentence(match: Match, part: str, line: int, span: Span | None) -> Mistake:
    slip = match.slip
    message = slip.tell.format(**{"part": part, **match.words})
    hint = slip.name if slip.rule == slip.name else f"{slip.name}: look at {slip.rule}"
    return Mistake(slip.name, slip.rule, message, hint, span, line=line)


def _text(item: Value) -> str:
    return to_text(item) if text_length(item, 60) <= 60 else "a part of it"


def _generic(sides: Sides) -> Iterable[Point]:
    """Points of the trail, those of special numbers last."""
    some = list(itertools.islice(sides.trail, MOST_POINTS))
    return sorted(
        some,
        key=lambda at: (
            max(map(abs, at.values()), default=0) > 8,
            any(x in (0, 1, -1) for x in at.values()),
        ),
    )


def _probes(side: Before) -> dict[str, Probe]:
    """What the notations of a line stand for, ready to be evaluated."""
    return {n: Probe(Expression.of(m).tape) for n, m in side.meanings.items()}


def _flow(side: Before, rows: Sequence[Sequence[float]]) -> Flow:
    return Flow(side.typed.tape, list(zip(*rows, strict=True)))


def _values(
    side: Before, at: Point, meanings: Mapping[str, Probe]
) -> Sequence[float] | None:
    """The values of all parts of a line at a point; None where one is missing."""
    given: dict[str, float] = {}
    for name in side.typed.variables:
        if name in side.meanings:
            value = meanings[name].floats(at).value
            if value is None:
                return None
            given[name] = value
        elif name in at:
            given[name] = at[name]
        else:
            return None
    try:
        values = primals(side.typed.tape, given)
    except Fault:
        return None
    if any(v is None or not math.isfinite(v) for v in values):
        return None
    return values  # type: ignore[return-value] # none is None
