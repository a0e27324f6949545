"""The derivative with one rule misapplied: numbers first, a formula for what they suggest.

Values, local partials, tangents and adjoints are kept for a few points, so that a candidate costs the rules that are
misapplied in it, and no sweep.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter, mul

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.mistakes import catalogue
from exprgrad.checking.mistakes.places import Parts, Place, Row, chain, reciprocal_chain
from exprgrad.checking.points import Point
from exprgrad.expressions.expression import Expression
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import SYMBOLS, Constant, Value
from exprgrad.lazy import computed_once
from exprgrad.operations.number_types import FLOATS, Fault, Step, float_partials
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.operations.table import ADD, NEG, SUB
from exprgrad.sweeps.careful import Tangents
from exprgrad.sweeps.tape import primals, pull_back
from exprgrad.symbolic.derivative import tangent

MOST_WORK = 400_000
"""Products of the sweeps that all candidates together may take."""

LEAVES_OUT = (chain, reciprocal_chain)
"""Where an inner derivative can be left out beside another mistake at the same place."""

MOST_CHAINED = 4
MOST_PAIRED = 12_000
"""The same for pairs of mistakes."""


class Candidate(NamedTuple):
    """A row misapplied at these steps of the tape, and perhaps a second mistake elsewhere."""

    row: Row
    steps: tuple[int, ...]
    second: Candidate | None = None

    @property
    def ordered(self) -> Sequence[tuple[int, Row]]:
        """The steps in their order, each with the row that is misapplied there."""
        own, second = [(i, self.row) for i in self.steps], self.second
        if second is None:
            return own
        if second.steps == self.steps:
            return [(i, second.row._replace(alone=True)) for i in self.steps]
        return sorted([*own, *second.ordered], key=itemgetter(0))


class Sheet(NamedTuple):
    """Values, local partials, tangents, and the adjoints of these at one point."""

    values: Sequence[float]
    partials: dict[int, tuple[float, ...]]
    tangents: list[float]
    adjoints: list[float]


class Search:
    """An expression, differentiated again and again with a rule misapplied.

    Tangents are linear in each other: where a rule gives e too much at one step, the slope of the whole is off by the
    adjoint of that step times e. So neither single mistakes nor several take a sweep of their own.
    """

    def __init__(self, expression: Expression, name: str, at: Sequence[Point]) -> None:
        self.expression, self.name = expression, name
        self.tape = expression.tape
        variable = self.tape.variables.get(name)
        self.active = self.tape.active([] if variable is None else [name])
        made: dict[int, Place] = {}
        for step in self.tape.steps:
            item, operands = self.tape.nodes[step.node], step.operands
            varies = tuple(self.active[j] for j in operands)
            bare = tuple(j == variable for j in operands)
            inner = next((made.get(j) for j in operands if self.active[j]), None)
            made[step.node] = Place(item, step.operation, varies, bare, inner)
        self.places = [*made.values()]
        self.index = {item: i for i, item in enumerate(self.tape.nodes)}
        sheets = [(point, self._sheet(point)) for point in at]
        self.sheets = [(point, sheet) for point, sheet in sheets if sheet is not None]
        summed, sums = {self.tape.root}, (ADD, SUB, NEG)
        for step in reversed(self.tape.steps):
            if step.node in summed and step.operation in sums:
                summed.update(step.operands)
        # the steps that make the terms of the whole
        steps = enumerate(self.tape.steps)
        self._terms = {
            i for i, step in steps if step.node in summed and step.operation not in sums
        }
        self._under = [0] * len(self.tape.nodes)
        for step in self.tape.steps:
            for j in step.operands:
                # a bit for each node below, so that one shift tells whether a step depends on another
                self._under[step.node] |= self._under[j] | 1 << j
        self._off: dict[object, float | None] = {}
        self._rules: dict[object, Callable[[Sequence[float]], float]] = {}
        self._units: dict[tuple[int, int], Sequence[float]] = {}

    def _sheet(self, at: Point) -> Sheet | None:
        """The sweep done right; None where it meets a fault."""
        try:
            own = {name: at[name] for name in self.tape.variables}
            values: Any = primals(self.tape, own)
        except Fault:
            return None
        # a part has no value, though the whole has one: the unused branch of an if
        if None in values:
            return None
        tangents = [0.0] * len(values)
        if self.name in self.tape.variables:
            tangents[self.tape.variables[self.name]] = 1.0
        try:
            partials = {s.node: self._partials(s, values) for s in self.tape.steps}
            forward(self.tape.steps, Tangents(partials), tangents)
            adjoints, _ = pull_back(self.tape, values, self.active)
        except ARITHMETIC:
            return None
        return Sheet(values, partials, tangents, adjoints)

    def _partials(self, step: Step, values: Sequence[float]) -> tuple[float, ...]:
        arguments = [values[j] for j in step.operands]
        rules = float_partials(step.operation)
        return tuple(
            rule(values[step.node], *arguments) if self.active[j] else 0.0
            for j, rule in zip(step.operands, rules, strict=True)
        )

    @computed_once
    def _applicable(self) -> list[tuple[Row, list[int]]]:
        """The steps at which each row applies."""
        active = [(i, at) for i, at in enumerate(self.places) if any(at.varies)]
        return [
            (row, [i for i, at in active if row.where(at)]) for row in catalogue.ROWS
        ]

    def candidates(
        self, several: bool = False, partly: bool = False
    ) -> Iterator[Candidate]:
        """Every row at every place where it applies; or those that apply at several, at all of them, or all terms.

        Of a claim that is right on a piece, `partly`, no rule for two parts that vary is doubted: misapplied, it
        gives the right answer on a piece by chance alone.
        """
        spent = 0
        for row, steps in self._applicable:
            if partly and row.rule in (catalogue.PRODUCT, catalogue.QUOTIENT):
                continue
            groups: list[tuple[int, ...]] = [(i,) for i in steps]
            if several:
                # who does not know a rule misapplies it in every term, but seldom deep inside one as well
                all_terms = tuple(i for i in steps if i in self._terms)
                groups = [g for g in dict.fromkeys((tuple(steps), all_terms)) if len(g) > 1]  # fmt: skip
            for group in groups:
                spent += len(self.tape.steps)
                if spent > MOST_WORK:
                    return
                yield Candidate(row, group)

    def pairs(self, target: float | None = None) -> Iterator[Candidate]:
        """Two common mistakes at different places, or one and a rare one, likelier ones first.

        One of the two may be made in all terms. With a target, only those that may give it at the first point.
        """
        single = list(self.candidates())
        common = [one for one in single if not one.row.rare]
        rare = [one for one in single if one.row.rare]
        chained = [one for one in common if one.row.where in LEAVES_OUT]
        several = (one for one in self.candidates(several=True) if not one.row.rare)
        everywhere = [one for one in several if self._terms.issuperset(one.steps)]
        # looser than in `gives`, which decides on those that are left
        near = 0.0 if target is None else max(1e-5 * abs(target), 1e-10)
        spent = 0
        # an inner derivative that was left out goes with any other mistake; rare ones come last
        every = itertools.chain(
            itertools.product(chained[:MOST_CHAINED], common),
            itertools.combinations(common, 2),
            itertools.product(everywhere, common),
            itertools.product(common, rare),
        )
        for one, other in every:
            # at one place, only the inner derivative can be left out beside another mistake
            if one.steps == other.steps:
                same = one in chained and other.row.rule != catalogue.CHAIN
                if not same or one.row.name != catalogue.INNER_LEFT_OUT:
                    continue
            elif len(one.steps) > 1 and other.steps[0] in one.steps:
                continue
            spent += len(self.tape.steps)
            if spent > MOST_PAIRED:
                return
            both = Candidate(one.row, one.steps, other)
            if target is not None:
                value = self._slope(both.ordered, 0)
                if value is None or abs(value - target) > near:
                    continue
            yield both

    def gives(self, candidate: Candidate, targets: Sequence[float]) -> bool:
        """Return whether the misapplied rules give these numbers, as far as doubles tell."""
        rows = candidate.ordered
        for number, target in enumerate(targets):
            value = self._slope(rows, number)
            if value is None or not math.isclose(value, target, rel_tol=1e-6, abs_tol=1e-12):  # fmt: skip
                return False
        return True

    def harmless(self, candidate: Candidate) -> bool:
        """Return whether a mistake does not change the derivative, so that it cannot be one of two."""
        slopes = [sheet.tangents[self.tape.root] for _, sheet in self.sheets]
        return self.gives(candidate, slopes)

    def _slope(self, rows: Sequence[tuple[int, Row]], number: int) -> float | None:
        """The slope of the whole with rules misapplied at some steps, in their order; None where it has no value."""
        sheet, steps = self.sheets[number][1], self.tape.steps
        total = sheet.tangents[self.tape.root]
        below: list[tuple[int, float]] = []
        for i, row in rows:
            step, own = steps[i], None
            for j, off in below:  # an upper step sees what the lower ones did
                if self._under[step.node] >> steps[j].node & 1:
                    unit = self._unit(steps[j], number)
                    own = own or [sheet.tangents[k] for k in step.operands]
                    own = [x + unit[k] * off for x, k in zip(own, step.operands, strict=True)]  # fmt: skip
            error = self._error(i, row, number, own)
            if error is None:
                return None
            total += sheet.adjoints[step.node] * error
            below.append((i, error))
        return total

    def _error(
        self, i: int, row: Row, number: int, changed: Sequence[float] | None
    ) -> float | None:
        """Return how far a rule is off at a step, also with changed tangents of its operands; None where it has no value."""
        key = i, row, number
        if changed is None and key in self._off:
            return self._off[key]
        step, sheet = self.tape.steps[i], self.sheets[number][1]
        own, right = changed, sheet.tangents[step.node]
        if own is None:
            own = [sheet.tangents[j] for j in step.operands]
        else:
            right = sum(map(mul, sheet.partials[step.node], own))
        try:
            # the letters are made once: most rules are asked for again with other tangents
            if key not in self._rules:
                self._rules[key] = self.misapplied(i, row, sheet)
            found: Any = self._rules[key](own) - right
        except (*ARITHMETIC, TypeError):
            found = None
        if isinstance(found, complex):  # a negative number to a fraction
            found = None
        if changed is None:
            self._off[key] = found
        return found  # type: ignore[no-any-return] # a float

    def _unit(self, step: Step, number: int) -> Sequence[float]:
        """The tangents of all nodes for that of one step alone."""
        key = step.node, number
        if key not in self._units:
            sheet = self.sheets[number][1]
            tangents = [0.0] * len(sheet.tangents)
            tangents[step.node] = 1.0
            later = [each for each in self.tape.steps if each.node > step.node]
            self._units[key] = forward(later, Tangents(sheet.partials), tangents)
        return self._units[key]

    def misapplied(
        self, i: int, row: Row, sheet: Sheet
    ) -> Callable[[Sequence[float]], float]:
        """The tangent of a step by the rule of a row, from those of its operands."""
        step, place = self.tape.steps[i], self.places[i]
        values, wrong = sheet.values, FLOATS.bind(row.wrong)
        h, b, n = (
            None if item is None else values[self.index[item]]
            for item in (place.summand, *place.power)
        )
        x, kernel = values[self.tape.variables[self.name]], step.operation.kernel

        def apply(*arguments: float) -> float:
            try:
                return kernel(*arguments)
            except ARITHMETIC:
                return math.nan  # a rule that looks at it gives nan too

        arguments = [values[j] for j in step.operands]
        rules, zeros = float_partials(step.operation), [0.0] * len(arguments)
        own = place, values[step.node], arguments, rules, zeros, apply
        parts = _letters(*own, (x, h, b, n))
        k = place.varies.index(True)

        def tangent_of(slopes: Sequence[float]) -> float:
            parts.du, parts.dv, parts.d = slopes[0], slopes[-1], slopes[k]
            return _applied(row, wrong, parts)  # type: ignore[no-any-return] # a float

        return tangent_of

    def formula(self, candidate: Candidate) -> Value:
        """The wrong derivative as a graph."""
        places = {
            self.tape.nodes[self.tape.steps[i].node]: (self.places[i], row)
            for i, row in candidate.ordered
        }
        zero = Constant(0.0)
        variable = self.tape.nodes[self.tape.variables[self.name]]

        def instead(item: Value, tangents: Sequence[Value | None]) -> Value | None:
            if item not in places:
                return None
            place, row = places[item]
            slopes = [zero if t is None else t for t in tangents]
            operation = place.operation
            rules = SYMBOLS.partials(operation)
            more = variable, place.summand, *place.power
            parts = _letters(place, item, item.operands, rules, slopes, operation, more)
            result = _applied(row, SYMBOLS.bind(row.wrong), parts)
            # a rule such as c.d*0, or with every inner derivative left out, may give a plain number
            return result if isinstance(result, Value) else Constant(float(result))

        return tangent(self.expression.root, self.name, instead)


def _applied(row: Row, wrong: Callable[[Any], Any], parts: Parts) -> Any:
    """Return what a row gives at a place, `wrong` being its rule in the number type of the parts."""
    if row.alone:
        parts.d = parts.du = parts.dv = 1.0
    return wrong(parts.g) * parts.d if row.entry else wrong(parts)


def _letters(
    place: Place, z: Any, arguments: Sequence[Any], rules: Sequence[Callable[..., Any]],
    slopes: Sequence[Any], apply: Callable[..., Any], more: Sequence[Any],
) -> Parts:  # fmt: skip
    """The letters of a rule at a place, in the number type of its values and slopes."""
    k = place.varies.index(True)

    def put(t: Any) -> list[Any]:
        return [t if i == k else a for i, a in enumerate(arguments)]

    u, v = (*arguments, None)[:2]
    du, dv = (*slopes, None)[:2]
    c = arguments[1 - k] if len(arguments) == 2 else None
    x, h, b, n = more
    return Parts(
        z=z, u=u, v=v, du=du, dv=dv, g=arguments[k], d=slopes[k], c=c,
        p=rules[k](z, *arguments), x=x, h=h, b=b, n=n,
        outer=lambda t: rules[k](apply(*put(t)), *put(t)),
        whole=lambda t: apply(*put(t)),
    )  # fmt: skip
