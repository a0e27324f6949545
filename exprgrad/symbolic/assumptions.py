"""What a rewriting assumes: where the original is defined, as far as the result no longer asks for it.

    Compared(f, g).lost()       of f = (x^2 - 1)/(x - 1) and g = x + 1: x != 1; of exp(ln(x)) and x: x > 0
    Compared(f, g).doubtful()   of f = |x| and g = sign(x): x != 0, twice, with the graph of x

The conditions are those of the rows of the operation table. Those that depend on more than the operands' signs, such
as that of x^y with a variable y, are the business of values, and are not listed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from fractions import Fraction

from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, is_variable
from exprgrad.notation.text import to_text
from exprgrad.operations.table import POW
from exprgrad.symbolic.conditions import (
    EQUAL,
    FROM_ZERO,
    NOT_ZERO,
    POSITIVE,
    Condition,
    Conditions,
    corner,
)
from exprgrad.symbolic.factoring import Shortening, factors_of
from exprgrad.symbolic.forms import (
    Algebra,
    Form,
    TooLargeError,
)
from exprgrad.symbolic.writing import Writer

MOST_NODES = 300
"""Of an expression whose conditions are compared with those of another."""

SIGNS = NOT_ZERO, POSITIVE, FROM_ZERO


class Compared:
    """The conditions of an original and of a result beside one another; none of those that are too large."""

    def __init__(self, root: Value, result: Value) -> None:
        self.algebra = Algebra()
        self._conditions = Conditions(self.algebra)
        self.own: dict[Condition, None] = {}
        self.kept: dict[Condition, None] = {}
        self.corners: list[Condition] = []
        if max(len(topological(root)), len(topological(result))) > MOST_NODES:
            return
        with suppress(TooLargeError):
            own = dict.fromkeys(self._asked(root))
            kept = dict.fromkeys(self._asked(result))
            corners = [*self._powers(result), *self._corners(result)]
            self.corners = corners + list(self._corners(root))
            self.own, self.kept = own, kept

    def lost(self, holes: Collection[str] | None = None) -> list[str]:
        """The conditions of the original that the result does not ask for, as text.

        With the names of `holes`, only those of single values of these variables.
        """
        lost = [
            c
            for c in self.own
            if not (
                c.follows(self.kept) or c.is_implied(self.own) or self._is_certain(c)
            )
        ]
        return [
            _text(self.algebra, c) for c in lost if holes is None or _is_hole(c, holes)
        ]

    def doubtful(self) -> list[tuple[str, str, Value]]:
        """What the result asks and the original does not, and where one of them has a corner, the shortest first.

        Each as a condition, one that leaves out no more than its end, and the graph that is 0 there.
        """
        asked = dict.fromkeys((*self.kept, *self.corners))
        writer = Writer(self.algebra, decimal=False)
        return [
            (
                _text(self.algebra, c),
                _text(self.algebra, c._replace(sign=NOT_ZERO)),
                writer.graph(c.form),
            )
            for c in sorted(asked, key=lambda c: c.form.cost)
            if not (self._is_certain(c) or c.follows(self.own))
        ]

    def _is_certain(self, condition: Condition) -> bool:
        """Whether a condition holds for every real number, or is about constants."""
        known = self._conditions.settled(condition)
        return condition.form.is_constant or known is True

    def _asked(self, root: Value) -> Iterator[Condition]:
        """The conditions on signs of all operations of an expression."""
        for _, asked in self._conditions.of(root):
            for condition in asked:
                if condition.sign in SIGNS and not condition.level:
                    yield from self._tidied(*condition[:2])

    def _tidied(self, sign: str, form: Form) -> Iterator[Condition]:
        """A condition on a form, written the shortest way; a product is not 0 where no factor is."""
        form = self._shortest(form)
        if sign != NOT_ZERO:
            yield Condition(sign, form)
            return
        for base, exponent in factors_of(self.algebra, form):
            if exponent.kind == "number" and exponent.parts[0] > 0:
                yield Condition(NOT_ZERO, base)

    def _shortest(self, form: Form) -> Form:
        return Shortening(self.algebra, form).shortest(form)

    def _powers(self, root: Value) -> Iterator[Condition]:
        """That the bases of powers are not 0 whose exponents may be negative."""
        for item in topological(root):
            is_power = item.operation is not None and item.operation.rule == POW.rule
            if is_power and any(map(is_variable, topological(item.operands[1]))):
                base, _ = self._conditions.operands(item, root)
                yield from self._tidied(NOT_ZERO, base)

    def _corners(self, root: Value) -> Iterator[Condition]:
        """That no operation stands at a corner, where its rule does not give the derivative; a power of 0 jumps at 0^0."""
        for item in topological(root):
            rule = None if item.operation is None else corner(item.operation)
            if item.operation is None or rule is None:
                continue
            own = self._conditions.operands(item, root)
            if item.operation.rule == POW.rule and own[0] is self.algebra.zero:
                yield Condition(POSITIVE, self._shortest(own[1]))
            parts = rule.operands if rule.name == "and" else (rule,)
            asked = [self._conditions.compared(part, own) for part in parts]
            if any(
                c.sign != EQUAL and self._conditions.settled(c) is False for c in asked
            ):
                continue
            for sign, form, level, _ in asked:
                if sign == EQUAL and form.kind != "number":
                    rest = self.algebra.minus(form, self.algebra.number(level))
                    yield from self._tidied(NOT_ZERO, rest)


def _is_hole(condition: Condition, names: Collection[str]) -> bool:
    """Whether a condition leaves out single values of one of these variables."""
    stack = [condition.form]
    while stack and condition.sign == NOT_ZERO:
        part = stack.pop()
        if part.kind == "leaf" and part.parts[0].name in names:
            return True
        stack += part.inner
    return False


def _text(algebra: Algebra, condition: Condition) -> str:
    """x != 1 for x - 1 != 0."""
    sign, form = condition[:2]
    writer = Writer(algebra, decimal=False)
    if form.kind == "sum" and len(form.parts[0]) == 2:
        (part, c), (one, number) = form.parts[0]
        if number == -c and one is not algebra.one and sign == NOT_ZERO:
            sides = (to_text(writer.graph(side)) for side in (part, one))
            return " != ".join(sides)
        if one is algebra.one and part.kind == "leaf":
            level = algebra.number(Fraction(-number, 1) / c)
            turned = {POSITIVE: "<", FROM_ZERO: "<="}.get(sign, sign) if c < 0 else sign
            return (
                f"{to_text(writer.graph(part))} {turned} {to_text(writer.graph(level))}"
            )
    return f"{to_text(writer.graph(form))} {sign} 0"
