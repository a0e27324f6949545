"""The derivative with one rule misapplied: numbers first, a formula for what they suggest.

Values, local partials and tangents are kept for a few points, so that a candidate costs one pass of
products and sums, and only above the place where the rule is misapplied.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.mistakes.catalogue import (
    CHAIN,
    INNER_LEFT_OUT,
    PRODUCT,
    QUOTIENT,
    ROWS,
)
from exprgrad.checking.mistakes.places import Parts, Place, Row, chain, reciprocal_chain
from exprgrad.checking.points import Point
from exprgrad.expressions.expression import Expression
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import SYMBOLS, Constant, Value
from exprgrad.operations.number_types import (
    FLOATS,
    Fault,
    Step,
    float_partials,
)
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.careful import Tangents
from exprgrad.sweeps.tape import primals
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
    def rows(self) -> dict[int, Row]:
        """The row that is misapplied at each step."""
        own = dict.fromkeys(self.steps, self.row)
        if self.second is None:
            return own
        if self.second.steps == self.steps:
            return dict.fromkeys(self.steps, self.second.row._replace(alone=True))
        return own | self.second.rows


class Sheet(NamedTuple):
    """Values, local partials and tangents at one point."""

    values: Sequence[float]
    partials: dict[int, tuple[float, ...]]
    tangents: list[float]


class _Misapplied(Tangents):
    """Tangents with the rule of a row at some steps."""

    def __init__(
        self,
        partials: Mapping[int, Sequence[float]],
        wrong: Mapping[int, Callable[[Sequence[float]], float]],
    ) -> None:
        super().__init__(partials)
        self.wrong = wrong

    def value(self, step: Step, arguments: Sequence[float]) -> float:
        if step.node in self.wrong:
            return self.wrong[step.node](arguments)
        return super().value(step, arguments)


class Search:
    """An expression, differentiated again and again with a rule misapplied."""

    def __init__(self, expression: Expression, name: str, at: Sequence[Point]) -> None:
        self.expression, self.name = expression, name
        self.tape = expression.tape
        known = name in self.tape.variables
        self.active = self.tape.active([name] if known else [])
        self.places: list[Place] = []
        self.made: dict[int, Place] = {}
        for step in self.tape.steps:
            self.places.append(self._place(step))
            self.made[step.node] = self.places[-1]
        self._rows: list[tuple[Row, list[int]]] | None = None
        self.index = {item: i for i, item in enumerate(self.tape.nodes)}
        sheets = [(point, self._sheet(point)) for point in at]
        self.sheets = [(point, sheet) for point, sheet in sheets if sheet is not None]

    def _place(self, step: Step) -> Place:
        varies = tuple(self.active[j] for j in step.operands)
        variable = self.tape.variables.get(self.name)
        bare = tuple(j == variable for j in step.operands)
        operation = step.operation
        item = self.tape.nodes[step.node]
        inner = next((self.made.get(j) for j in step.operands if self.active[j]), None)
        return Place(item, operation, varies, bare, inner)

    def _sheet(self, at: Point) -> Sheet | None:
        """The sweep done right; None where it meets a fault."""
        try:
            own = {name: at[name] for name in self.tape.variables}
            values: Any = primals(self.tape, own)
        except Fault:
            return None
        if None in values:
            return None
        tangents = [0.0] * len(values)
        if self.name in self.tape.variables:
            tangents[self.tape.variables[self.name]] = 1.0
        try:
            partials = {s.node: self._partials(s, values) for s in self.tape.steps}
            forward(self.tape.steps, Tangents(partials), tangents)
        except ARITHMETIC:
            return None
        return Sheet(values, partials, tangents)

    def _partials(self, step: Step, values: Sequence[float]) -> tuple[float, ...]:
        arguments = [values[j] for j in step.operands]
        rules = float_partials(step.operation)
        return tuple(
            rule(values[step.node], *arguments) if self.active[j] else 0.0
            for j, rule in zip(step.operands, rules, strict=True)
        )

    def _applicable(self) -> list[tuple[Row, list[int]]]:
        """The steps at which each row applies."""
        if self._rows is None:
            active = [
                (i, place) for i, place in enumerate(self.places) if any(place.varies)
            ]
            self._rows = [
                (row, [i for i, at in active if row.where(at)]) for row in ROWS
            ]
        return self._rows

    def candidates(
        self, several: bool = False, partly: bool = False
    ) -> Iterator[Candidate]:
        """Every row at every place where it applies; or those that apply at several, at all of them.

        Of a claim that is right on a piece, `partly`, no rule for two parts that vary is doubted: misapplied, it
        gives the right answer on a piece by chance alone.
        """
        spent = 0
        for row, steps in self._applicable():
            if partly and row.rule in (PRODUCT, QUOTIENT):
                continue
            if several:
                groups = [tuple(steps)] if len(steps) > 1 else []
            else:
                groups = [(i,) for i in steps]
            for group in groups:
                spent += len(self.tape.steps)
                if spent > MOST_WORK:
                    return
                yield Candidate(row, group)

    def pairs(self, target: float | None = None) -> Iterator[Candidate]:
        """Two common mistakes at different places, or one and a rare one, likelier ones first.

        With a target, only those that may give it at the first point.
        """
        single = list(self.candidates())
        common = [one for one in single if not one.row.rare]
        rare = [one for one in single if one.row.rare]
        effects = _Effects(self, self.sheets[0][1])
        spent = 0
        chained = [one for one in common if one.row.where in LEAVES_OUT]
        every = itertools.chain(
            itertools.product(chained[:MOST_CHAINED], common),
            itertools.combinations(common, 2),
            itertools.product(common, rare),
        )
        for one, other in every:
            if one.steps == other.steps:
                same = one in chained and other.row.rule != CHAIN
                if not same or one.row.name != INNER_LEFT_OUT:
                    continue
            spent += len(self.tape.steps)
            if spent > MOST_PAIRED:
                return
            if (
                target is None
                or one.steps == other.steps
                or effects.may_give(one, other, target)
            ):
                yield one._replace(second=other)

    def gives(self, candidate: Candidate, targets: Sequence[float]) -> bool:
        """Whether the misapplied rule gives these numbers, as far as doubles tell."""
        for (_, sheet), target in zip(self.sheets, targets, strict=True):
            try:
                value = self._result(candidate, sheet)
            except (*ARITHMETIC, TypeError):
                return False
            if isinstance(value, complex):  # a negative number to a fraction
                return False
            if not math.isclose(value, target, rel_tol=1e-6, abs_tol=1e-12):
                return False
        return True

    def harmless(self, candidate: Candidate) -> bool:
        """Whether a mistake does not change the derivative, so that it cannot be one of two."""
        return self.gives(
            candidate, [s.tangents[self.tape.root] for _, s in self.sheets]
        )

    def _result(self, candidate: Candidate, sheet: Sheet) -> float:
        """The slope of the whole with the candidate's rule misapplied."""
        rows = candidate.rows

        steps = self.tape.steps
        wrong = {
            steps[i].node: self.misapplied(i, row, sheet) for i, row in rows.items()
        }
        changed = steps[min(rows) :]
        numbers = _Misapplied(sheet.partials, wrong)
        tangents = forward(changed, numbers, list(sheet.tangents))
        return tangents[self.tape.root]  # type: ignore[no-any-return] # a float

    def misapplied(
        self, i: int, row: Row, sheet: Sheet
    ) -> Callable[[Sequence[float]], float]:
        """The tangent of a step by the rule of a row, from those of its operands."""
        step, place = self.tape.steps[i], self.places[i]
        values, wrong = sheet.values, FLOATS.bind(row.wrong)
        h = None if place.summand is None else values[self.index[place.summand]]
        x, kernel = values[self.tape.variables[self.name]], step.operation.kernel

        def apply(*arguments: float) -> float:
            try:
                return kernel(*arguments)
            except ARITHMETIC:
                return math.nan  # a rule that looks at it gives nan too

        letters = partial(
            _letters,
            place,
            values[step.node],
            [values[j] for j in step.operands],
            float_partials(step.operation),
            apply=apply,
            x=x,
            h=h,
        )
        return lambda slopes: _applied(row, wrong, letters(slopes))

    def formula(self, candidate: Candidate) -> Value:
        """The wrong derivative as a graph."""
        places = {
            self.tape.nodes[self.tape.steps[i].node]: (self.places[i], row)
            for i, row in candidate.rows.items()
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
            own = item.operands, rules, slopes, operation, variable, place.summand
            parts = _letters(place, item, *own)
            result = _applied(row, SYMBOLS.bind(row.wrong), parts)
            return result if isinstance(result, Value) else Constant(float(result))

        return tangent(self.expression.root, self.name, instead)


class _Effects:
    """What two mistakes at different steps come to at one point, without a sweep for each pair.

    Tangents are linear in each other: with t_ij the tangent of node i for that of node j alone, an error e at j
    adds t_ij*e to i. A mistake above another one sees operands that this has changed.
    """

    def __init__(self, search: Search, sheet: Sheet) -> None:
        self.search, self.sheet = search, sheet
        self.root = search.tape.root
        self.right = sheet.tangents[self.root]
        self._from: dict[int, Sequence[float]] = {}
        self._alone: dict[tuple[int, int], tuple[float, float] | None] = {}

    def may_give(self, one: Candidate, other: Candidate, target: float) -> bool:
        """Whether both together give the target, as far as doubles tell."""
        if one.steps > other.steps:
            one, other = other, one
        low, high = self._effect(one), self._effect(other)
        if low is None:
            return False
        steps = self.search.tape.steps
        changed = self._changes(steps[one.steps[0]].node)
        above = steps[other.steps[0]]
        for j in above.operands:
            if changed[j]:
                high = self._above(other, changed, low[0])
                break
        if high is None:
            return False
        total = self.right + low[1] + high[1]
        return abs(total - target) <= max(1e-5 * abs(target), 1e-10)

    def _above(
        self, candidate: Candidate, changed: Sequence[float], error: float
    ) -> tuple[float, float] | None:
        """The effect of a mistake on operands that another one has changed."""
        step = self.search.tape.steps[candidate.steps[0]]
        own = [self.sheet.tangents[j] + changed[j] * error for j in step.operands]
        parts = zip(self.sheet.partials[step.node], own, strict=True)
        return self._off(candidate, own, sum(p * slope for p, slope in parts))

    def _effect(self, candidate: Candidate) -> tuple[float, float] | None:
        """How far a mistake is off at its place, and at the root, alone; None where it has no value."""
        key = (candidate.steps[0], id(candidate.row))
        if key not in self._alone:
            step = self.search.tape.steps[candidate.steps[0]]
            own = [self.sheet.tangents[j] for j in step.operands]
            right = self.sheet.tangents[step.node]
            self._alone[key] = self._off(candidate, own, right)
        return self._alone[key]

    def _changes(self, node: int) -> Sequence[float]:
        """The tangents of all nodes for that of one node alone."""
        if node not in self._from:
            tangents = [0.0] * len(self.sheet.tangents)
            tangents[node] = 1.0
            later = [step for step in self.search.tape.steps if step.node > node]
            numbers = Tangents(self.sheet.partials)
            self._from[node] = forward(later, numbers, tangents)
        return self._from[node]

    def _off(
        self, candidate: Candidate, own: Sequence[float], right: float
    ) -> tuple[float, float] | None:
        i = candidate.steps[0]
        try:
            found = self.search.misapplied(i, candidate.row, self.sheet)(own) - right
        except (*ARITHMETIC, TypeError):
            return None
        if isinstance(found, complex):
            return None
        changes = self._changes(self.search.tape.steps[i].node)
        return found, changes[self.root] * found


def _applied(row: Row, wrong: Callable[[Any], Any], parts: Parts) -> Any:
    """What a row gives at a place, `wrong` being its rule in the number type of the parts."""
    if row.alone:
        parts = parts._replace(d=1.0, du=1.0, dv=1.0)
    return wrong(parts.g) * parts.d if row.entry else wrong(parts)


def _letters(
    place: Place,
    z: Any,
    arguments: Sequence[Any],
    rules: Sequence[Callable[..., Any]],
    slopes: Sequence[Any],
    apply: Callable[..., Any],
    x: Any,
    h: Any,
) -> Parts:
    """The letters of a rule at a place, in the number type of its values and slopes."""
    k = place.varies.index(True)

    def put(t: Any) -> list[Any]:
        return [t if i == k else a for i, a in enumerate(arguments)]

    u, v = (*arguments, None)[:2]
    du, dv = (*slopes, None)[:2]
    c = arguments[1 - k] if len(arguments) == 2 else None
    return Parts(
        *(z, u, v, du, dv, arguments[k], slopes[k], c, rules[k](z, *arguments), x, h),
        outer=lambda t: rules[k](apply(*put(t)), *put(t)),
        whole=lambda t: apply(*put(t)),
    )
