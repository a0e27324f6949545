"""What the operations of an expression ask of their operands, as comparisons of forms with numbers.

    Conditions(Algebra()).of(root)      of sqrt(x - 1)/(x^2 + 1): x - 1 >= 0, x^2 + 1 != 0

They are read from the rows of the operation table. What holds for constants is left out; `Conditions.range` says
between which numbers all values of a form lie.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Container, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from exprgrad.algebra.polynomials import Rational
from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value
from exprgrad.operations.conditions import Phrase, phrase
from exprgrad.operations.number_types import FAULTS
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.operations.table import DIV, POW
from exprgrad.sweeps.precise import Probe
from exprgrad.sweeps.ranges import WHERE_DEFINED, Range, everything
from exprgrad.sweeps.tape import Tape
from exprgrad.symbolic.forms import (
    Algebra,
    Form,
    each_part,
    least,
)
from exprgrad.symbolic.simplify import applied, forms_of
from exprgrad.symbolic.writing import Writer

NOT_ZERO, POSITIVE, FROM_ZERO = "!=", ">", ">="
EQUAL, EITHER, NO_POINT = "==", "or", "never"

_SIGNS = {
    "ne": NOT_ZERO, "gt": POSITIVE, "ge": FROM_ZERO, "lt": "<", "le": "<=", "eq": EQUAL,
}  # fmt: skip
_MIRRORED = {"<": POSITIVE, "<=": FROM_ZERO, POSITIVE: "<", FROM_ZERO: "<="}
_COMPARED = {
    NOT_ZERO: operator.ne, POSITIVE: operator.gt, FROM_ZERO: operator.ge,
    "<": operator.lt, "<=": operator.le, EQUAL: operator.eq,
}  # fmt: skip
_STRONGER = {NOT_ZERO: (POSITIVE, "<"), FROM_ZERO: (POSITIVE,), "<=": ("<",)}


ROOM = 1e-9
"""How far a constant in doubles has to miss a level, so that rounding does not count."""


class Condition(NamedTuple):
    """That a form is above, not below, or not at a level; or one of two sets of conditions.

    One that is `NO_POINT` is never met.
    """

    sign: str
    form: Form
    level: Any = 0
    of: tuple[Any, ...] = ()

    def follows(self, known: Container[Condition]) -> bool:
        """Whether it, or a stronger one of the same form, is among others."""
        return self in known or self.is_implied(known)

    def is_implied(self, known: Container[Condition]) -> bool:
        """Whether a stronger one is among others."""
        stronger = _STRONGER.get(self.sign, ())
        return any(self._replace(sign=sign) in known for sign in stronger)


Asked = tuple[Condition, ...]
"""Conditions that all must hold."""


class Conditions:
    """Reads conditions as forms of one algebra."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.never: Asked = (Condition(NO_POINT, algebra.nowhere),)
        self._ranges: dict[Form, Range] = {}
        self._read: dict[Value, dict[Value, Form]] = {}
        self._asked: dict[tuple[object, ...], Asked] = {}

    def of(self, root: Value) -> Iterator[tuple[Value, Asked]]:
        """What each operation of a graph asks. Raises `TooLargeError`."""
        for item in topological(root):
            if (
                item.operation is not None
                and item.operation.domain
                and not _is_plain(item)
            ):
                yield item, self.asked(item.operation, self.operands(item, root))

    def operands(self, item: Value, root: Value) -> list[Form]:
        """The operands of a node of a graph as forms. Raises `TooLargeError`."""
        if root not in self._read:
            self._read[root] = forms_of(self.algebra, root)
        return [self._read[root][o] for o in item.operands]

    def asked(self, operation: Operation, operands: Sequence[Form]) -> Asked:
        """What an operation asks of its operands."""
        key = operation, *operands
        if key not in self._asked:
            rules = domain(operation)
            own = tuple(c for rule in rules for c in self.holding(rule, operands))
            self._asked[key] = own
        return self._asked[key]

    def holding(self, rule: Phrase, operands: Sequence[Form]) -> Asked:
        """What has to hold for a comparison, or several of them."""
        if rule.name in ("and", "or"):
            one, other = (self.holding(part, operands) for part in rule.operands)
            if rule.name == "and":
                return (*one, *other)
            if one == self.never or set(other) <= set(one):
                return other
            if other == self.never or set(one) <= set(other):
                return one
            return (Condition(EITHER, self.algebra.one, 0, (one, other)),)
        found = self.compared(rule, operands)
        known = self.settled(found) if found.form.is_fixed else None
        if known is not None:
            return () if known else self.never
        return (found,)

    def compared(self, rule: Phrase, operands: Sequence[Form]) -> Condition:
        """A comparison of two sides as a condition."""

        def form(thing: Form | float) -> Form:
            if isinstance(thing, Form):
                return thing
            return self.algebra.number(least(Fraction(thing)))

        def function(name: str) -> Callable[..., Form]:
            return lambda *own: applied(self.algebra, TABLE[name], [*map(form, own)])

        left, right = (form(side.on(function, operands)) for side in rule.operands)
        sign = _SIGNS[str(rule.name)]
        if left.kind == "number":
            left, right, sign = right, left, _MIRRORED.get(sign, sign)
        if right.kind == "number":
            return Condition(sign, left, right.parts[0])
        return Condition(sign, self.algebra.minus(left, right))

    def settled(self, condition: Condition) -> bool | None:
        """Whether a condition is met by all values of its form, or by none; None where it is not known."""
        if condition.sign not in _COMPARED:
            return False if condition.sign == NO_POINT else None
        sign, form, level, _ = condition
        number = form.parts[0] if form.kind == "number" else self.range(form)
        found = _COMPARED[sign](number, level)
        if isinstance(found, bool):
            return found
        if not form.is_fixed:
            return None
        tape = Tape(Writer(self.algebra, decimal=False).graph(form), ())
        value = Probe(tape).floats({}).value
        if value is None or abs(value - level) <= ROOM * max(1, abs(level)):
            return None
        return bool(_COMPARED[sign](value, level))

    def range(self, form: Form) -> Range:
        """Between which numbers the values of a form lie."""
        return each_part(form, self._range, self._ranges)

    def _range(self, form: Form) -> Range:
        known = self._ranges
        if form.kind == "number":
            return Range.of(form.parts[0])
        if form.kind == "leaf":
            leaf = form.parts[0]
            return WHERE_DEFINED.constant(leaf) if form.is_constant else everything()
        try:
            if form.kind == "call":
                operation, arguments = form.parts
                function = WHERE_DEFINED.function(operation)
                return function(*(known[a] for a in arguments))  # type: ignore[no-any-return] # a range
            if form.kind == "sum":
                terms = (known[f] * Range.of(c) for f, c in form.parts[0])
                return sum(terms, Range.of(0))
            scale, factors = form.parts
            return math.prod((self._power(*f) for f in factors), start=Range.of(scale))
        except FAULTS:
            return everything()

    def _power(self, base: Form, exponent: Form) -> Range:
        """The values of a power, where it has one."""
        x, y = self._ranges[base], self._ranges[exponent]
        if exponent.kind == "number":
            number: Rational = exponent.parts[0]
            even = number.numerator % 2 == 0
            if even or number.denominator % 2 == 0:
                x = abs(x) if even else x
                x = x.within(Range(0, math.inf, (number >= 0, True)))
        try:
            return x**y
        except FAULTS:
            return everything()


def _is_plain(item: Value) -> bool:
    """Whether an operation asks nothing: a power, or a quotient, with a positive whole number."""
    number = rational(item.operands[-1]) if item.operation in (POW, DIV) else None
    return number is not None and number > 0 and number.denominator == 1


@lru_cache(500)
def domain(operation: Operation) -> tuple[Phrase, ...]:
    """What an operation asks, as comparisons of its arguments."""
    return tuple(phrase(c.holds, operation.arity) for c in operation.domain)


@lru_cache(500)
def corner(operation: Operation) -> Phrase | None:
    """Where an operation has corners."""
    rule = operation.corner
    return None if rule is None else phrase(rule, operation.arity)
