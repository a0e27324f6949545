"""Whether one expression has a value wherever another has one, from how they are built.

    defined_with(claim, f)      True: shown; False: not shown

What a row asks of its arguments is read from the table: u >= 0 of a root, u != 0 of a divisor. What the claim asks
must be asked by f as well, or hold anyway: by bounds (x^2 + 1), or because it fails only on a set without inner
points, such as a curve. A quotient of analytic functions on a convex domain has such a set of zeros, unless it is 0
everywhere (the identity theorem). Sets without inner points do not count on either side: neither the one point at
which a claim has a hole, nor the corners of f, which this asks to be such a set too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, is_variable
from exprgrad.operations.conditions import Phrase, phrase
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import ABS, ADD, DIV, MUL, NEG, POW, SQRT, SUB

MOST_NODES = 3000
MOST_FACTORS = 60
MOST_TERMS = 12
"""Variables of an argument that is taken for linear."""

MOST_BITS = 1000
"""Of a number that is kept exactly."""

ROOM = 1e-9
"""How far bounds have to miss a level, so that rounding does not count."""

Number = Fraction | float

ANALYTIC, MEROMORPHIC, OTHER = 2, 1, 0
"""On a convex domain: analytic; a quotient of such functions; neither, or not known."""

UNIVERSE = (-math.inf, math.inf)


class Demand(NamedTuple):
    """sign*(part - level) >= 0; with sign 0, part != level.

    Other conditions have a `name`: a comparison of two parts, or "or" with two sets of demands in `of`.
    """

    part: int
    sign: int
    level: Number
    name: str = ""
    of: tuple[Any, ...] = ()


Demands = frozenset[Demand]
NEVER = frozenset([Demand(-1, 0, 0.0, "never")])
"""What no point meets."""


class Part(NamedTuple):
    """A node by what it is made of; equal nodes are one part.

    `value` is that of a constant, `linear` holds the coefficients of the variables (None: not linear), `bounds` are
    what its values lie between, `kind` says how smooth it is.
    """

    operation: Operation | None
    operands: tuple[int, ...]
    value: Number | None
    linear: dict[str, Number] | None
    bounds: tuple[Number, Number]
    kind: int


def defined_with(claim: Value, f: Value) -> bool:
    """Whether it is shown that `claim` has a value wherever `f` has a derivative, apart from nowhere dense sets."""
    parts = _Parts()
    known = parts.read(f)
    if known is None:
        return False
    own = set(known)
    if not all(parts.has_rare_corners(i) for i in own):
        return False
    met = {demand for i in own for demand in parts.demands(i, met=True)}
    asked = parts.read(claim)
    if asked is None:
        return False
    return all(
        parts.holds(demand, met)
        for i in asked
        if i not in own
        for demand in parts.demands(i, met=False)
    )


def without_value(f: Value) -> Value | None:
    """An operation of f that is shown to have no value anywhere: the root of -1 - x^2."""
    parts = _Parts()
    numbers = parts.read(f) or ()
    items = (item for item in topological(f) if item.operation is not None)
    for item, number in zip(items, numbers, strict=False):
        if any(map(parts.fails, parts.demands(number, met=True))):
            return item
    return None


class _Parts:
    """The parts of expressions, each once."""

    def __init__(self) -> None:
        self.all: list[Part] = []
        self._number: dict[object, int] = {}

    def read(self, root: Value) -> list[int] | None:
        """The operations of a graph as parts; None for graphs that this is not for."""
        number: dict[Value, int] = {}
        found = []
        order = topological(root, MOST_NODES)
        for item in order:
            operation = item.operation
            if operation is None:
                number[item] = self._leaf(item)
            elif operation.choose or operation.whole:
                return None
            else:
                number[item] = self.of(operation, [number[o] for o in item.operands])
                found.append(number[item])
        return found if order else None

    def _leaf(self, item: Value) -> int:
        if is_variable(item):
            name = item.name or ""
            part = Part(None, (), None, {name: 1}, UNIVERSE, ANALYTIC)
            return self._once(("variable", name), lambda: part)
        ratio = getattr(item, "ratio", None)
        return self.number(Fraction(*ratio) if ratio else float(item.data or 0.0))

    def number(self, x: Number) -> int:
        """A constant."""
        part = Part(None, (), x, {}, (x, x), ANALYTIC)
        return self._once(("number", x), lambda: part)

    def _once(self, key: object, make: Callable[[], Part]) -> int:
        found = self._number.get(key)
        if found is None:
            part = make()  # which may add others
            found = self._number[key] = len(self.all)
            self.all.append(part)
        return found

    def of(self, operation: Operation, operands: Sequence[int]) -> int:
        """An operation on parts."""
        own = tuple(sorted(operands)) if operation in (ADD, MUL) else tuple(operands)
        return self._once((operation.name, own), lambda: self._made(operation, own))

    def _made(self, operation: Operation, own: tuple[int, ...]) -> Part:
        parts = [self.all[i] for i in own]
        value = _number(operation, parts)
        if value is not None:
            return Part(operation, own, value, {}, (value, value), ANALYTIC)
        try:
            linear = _linear(operation, parts)
        except ARITHMETIC:
            linear = None
        kind = self._kind(operation, own, parts)
        bounds = _bounds(operation, own, parts)
        return Part(operation, own, None, linear, bounds, kind)

    def _kind(self, operation: Operation, own: Sequence[int], parts: list[Part]) -> int:
        worst = min(part.kind for part in parts)
        if operation is DIV:
            return worst if parts[1].value is not None else min(worst, MEROMORPHIC)
        if operation is POW and parts[1].value is not None and parts[1].value % 1 == 0:
            return min(worst, ANALYTIC if parts[1].value >= 0 else MEROMORPHIC)
        if operation.native:
            return worst
        if not operation.domain and operation.corner is None:
            return ANALYTIC if worst == ANALYTIC else OTHER
        asked = self._asked(operation, own, met=False)
        ends = {(d.part, d.level) for d in asked if d.sign}
        if ends and all((d.part, d.level) in ends for d in asked):
            convex = all(self.all[i].linear is not None for i, _ in ends)
            return ANALYTIC if convex and worst == ANALYTIC else OTHER
        if operation.formula and operation.corner is None and operation.arity == 1:
            return self._kind_of_formula(operation, own, worst)
        return OTHER

    def _kind_of_formula(
        self, operation: Operation, own: Sequence[int], worst: int
    ) -> int:
        """A quotient such as sin(x)/cos(x) of functions that are analytic themselves."""
        assert operation.formula is not None
        asked = phrase(operation.formula, operation.arity)
        if asked.name != "div" or worst < ANALYTIC:
            return OTHER
        return min(MEROMORPHIC, self.all[self._phrased(asked, own)].kind)

    # What is asked

    def demands(self, number: int, met: bool) -> Demands:
        """What an operation asks of its operands; if it is `met`, what follows from that."""
        part = self.all[number]
        if part.operation is None or part.value is not None:
            return frozenset()
        return self._asked(part.operation, part.operands, met)

    def _asked(self, operation: Operation, own: Sequence[int], met: bool) -> Demands:
        asked: Demands = frozenset()
        for rule in _domain(operation):
            asked |= self._demand(rule, own, met)
        return asked

    def _demand(self, rule: Phrase, own: Sequence[int], met: bool) -> Demands:
        if rule.name == "and":
            return self._demand(rule.operands[0], own, met) | self._demand(
                rule.operands[1], own, met
            )
        if rule.name == "or":
            one, other = (self._demand(o, own, met) for o in rule.operands)
            if one == NEVER or other <= one:
                return other
            if other == NEVER or one <= other:
                return one
            return frozenset([Demand(-1, 0, 0.0, "or", (one, other))])
        left, right = (self._phrased(side, own) for side in rule.operands)
        return self._compared(str(rule.name), left, right, met)

    def _compared(self, name: str, left: int, right: int, met: bool) -> Demands:
        one, other = self.all[left], self.all[right]
        if one.value is not None and other.value is not None:
            holds = TABLE[name].kernel(one.value, other.value)
            return frozenset() if holds else NEVER
        if name == "eq":
            # equal on a curve at most, if it is an exponent that varies: unless it is the same number throughout
            rare = self._is_rare(left, right) if met else True
            return NEVER if rare else frozenset()
        level, part = other.value, left
        sign = {"gt": 1, "ge": 1, "lt": -1, "le": -1}.get(name, 0)
        if level is None and one.value is not None:
            level, part, sign = one.value, right, -sign
        if level is None:
            return frozenset([Demand(-1, 0, 0.0, name, (left, right))])
        asked = {Demand(part, sign, level)}
        if name in ("gt", "lt"):
            asked.add(Demand(part, 0, level))
        return frozenset(asked)

    def _is_rare(self, left: int, right: int) -> bool:
        """Whether y is a whole number on planes only: y == floor(y) for a linear y that varies."""
        y, whole = self.all[left], self.all[right]
        same = whole.operation is TABLE["floor"] and whole.operands == (left,)
        return same and bool(y.linear) and any((y.linear or {}).values())

    def _phrased(self, side: Phrase, own: Sequence[int]) -> int:
        """A side of a comparison as a part."""

        def function(name: str) -> Callable[..., int]:
            return lambda *parts: self.of(TABLE[name], [*map(self._as_part, parts)])

        return self._as_part(side.on(function, own))

    def _as_part(self, thing: int | float) -> int:
        return thing if isinstance(thing, int) else self.number(thing)

    # What holds

    def holds(self, demand: Demand, met: set[Demand]) -> bool:
        """Whether a demand is met elsewhere, holds anyway, or fails only on a set without inner points."""
        if demand in met:
            return True
        if demand.name:
            return demand.name == "or" and any(
                all(self.holds(each, met) for each in own) for own in demand.of
            )
        if not demand.sign:
            return self._differs(demand.part, demand.level, met)
        low, high = self.all[demand.part].bounds
        return low >= demand.level if demand.sign > 0 else high <= demand.level

    def fails(self, demand: Demand) -> bool:
        """Whether a demand is met nowhere, by bounds that leave room for rounding."""
        if demand.name:
            return demand.name == "or" and all(
                any(map(self.fails, own)) for own in demand.of
            )
        low, high = self.all[demand.part].bounds
        room = ROOM * max(1.0, abs(float(demand.level)))
        if not demand.sign:
            return bool(low == high == demand.level)
        off = demand.level - high if demand.sign > 0 else low - demand.level
        return bool(off > room)

    def _differs(self, number: int, level: Number, met: set[Demand]) -> bool:
        """Whether a part is at a level on a set without inner points at most."""
        todo, count = [(number, level)], 0
        while todo:
            number, level = todo.pop()
            count += 1
            part = self.all[number]
            low, high = part.bounds
            if Demand(number, 0, level) in met or not low <= level <= high:
                continue
            if part.linear is not None and not any(part.linear.values()):
                return False  # a constant, such as x - x
            if part.kind >= MEROMORPHIC and part.value is None:
                continue
            inner = self._inner(part, level)
            if inner is None or count > MOST_FACTORS:
                return False
            todo += inner
        return True

    def _inner(self, part: Part, level: Number) -> list[tuple[int, Number]] | None:
        """Parts, and their levels, of which one is reached where the whole is at its level."""
        operation, own = part.operation, part.operands
        if operation is None:
            return None
        if operation is NEG:
            return [(own[0], -level)]
        if operation.arity == 1 and operation.corner is None:
            # an analytic function of one argument, that is not constant
            return [] if self.all[own[0]].kind >= MEROMORPHIC else None
        if operation is ABS:
            return [(own[0], level), (own[0], -level)]
        if level:
            return None
        if operation is MUL:
            return [(i, 0.0) for i in own]
        only_there = operation in (DIV, SQRT) or operation.rule == POW.rule
        return [(own[0], 0.0)] if only_there else None

    def has_rare_corners(self, number: int) -> bool:
        """Whether the corners of an operation are a set without inner points."""
        part = self.all[number]
        corner = None if part.operation is None else _corner(part.operation)
        if corner is None or part.value is not None:
            return True
        return self._rare(corner, part.operands)

    def _rare(self, rule: Phrase, own: Sequence[int]) -> bool:
        if rule.name in ("and", "or"):
            both = [self._rare(operand, own) for operand in rule.operands]
            return any(both) if rule.name == "and" else all(both)
        left, right = (self._phrased(side, own) for side in rule.operands)
        one, other = self.all[left], self.all[right]
        if one.value is not None and other.value is not None:
            return not TABLE[str(rule.name)].kernel(one.value, other.value)
        if rule.name != "eq":
            return False
        if other.value is not None:
            return self._differs(left, other.value, set())
        if one.value is not None:
            return self._differs(right, one.value, set())
        return self._differs(self.of(SUB, [left, right]), 0.0, set())


@lru_cache(500)
def _domain(operation: Operation) -> tuple[Phrase, ...]:
    return tuple(phrase(c.holds, operation.arity) for c in operation.domain)


@lru_cache(500)
def _corner(operation: Operation) -> Phrase | None:
    corner = operation.corner
    return None if corner is None else phrase(corner, operation.arity)


def _number(operation: Operation, parts: Sequence[Part]) -> Number | None:
    """The value of an operation on constants, if it has one."""
    own = [part.value for part in parts if part.value is not None]
    if len(own) < len(parts):
        return None
    try:
        exact = operation.native or operation.exact
        found = operation.kernel(*(own if exact else map(float, own)))
        if isinstance(found, Fraction) and _bits(found) > MOST_BITS:
            found = float(found)
    except ARITHMETIC:
        return None
    if isinstance(found, Fraction):
        return found
    return found if isinstance(found, float) and math.isfinite(found) else None


def _bits(number: Fraction) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())


def _linear(operation: Operation, parts: Sequence[Part]) -> dict[str, Number] | None:
    """The coefficients of the variables, where there is nothing but them and a constant."""
    own = [part.linear for part in parts]
    if None in own or not operation.native:
        return None
    one, other = own[0] or {}, (own[-1] or {}) if len(own) > 1 else {}
    if len(one) + len(other) > MOST_TERMS:
        return None
    if operation is NEG:
        return {name: -c for name, c in one.items()}
    if operation in (ADD, SUB):
        sign = 1 if operation is ADD else -1
        return {n: one.get(n, 0) + sign * other.get(n, 0) for n in {**one, **other}}
    factors = [part.value for part in parts]
    if operation is MUL and factors[0] is not None:
        return {name: c * factors[0] for name, c in other.items()}
    if operation is MUL and factors[1] is not None:
        return {name: c * factors[1] for name, c in one.items()}
    if operation is DIV and factors[1]:
        return {name: c / factors[1] for name, c in one.items()}
    return None


def _bounds(
    operation: Operation, own: Sequence[int], parts: Sequence[Part]
) -> tuple[Number, Number]:
    """What the values lie between, where that follows from the signs of the operands."""
    (a, b), (c, d) = parts[0].bounds, parts[-1].bounds
    if operation is NEG:
        return -b, -a
    if operation is ADD:
        return a + c, b + d
    if operation is SUB:
        return a - d, b - c
    exponent = parts[-1].value
    even = operation is POW and exponent is not None and exponent % 2 == 0
    square = operation is MUL and own[0] == own[1]
    products = operation in (MUL, DIV) and a >= 0 and c >= 0
    if even or square or products or (operation is POW and a >= 0):
        return 0.0, math.inf
    return _range(operation.values) if operation.values else UNIVERSE


@lru_cache(100)
def _range(values: str) -> tuple[float, float]:
    """A range such as "(0, inf)"; an end that is left out lies outside."""
    low, high = map(float, values[1:-1].split(","))
    return (
        math.nextafter(low, math.inf) if values[0] == "(" else low,
        math.nextafter(high, -math.inf) if values[-1] == ")" else high,
    )
