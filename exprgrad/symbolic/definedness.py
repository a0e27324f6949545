"""Whether one expression has a value wherever another has one, from how they are built.

    defined_with(claim, f)      True: shown; False: not shown

What an operation of the claim asks must be asked by f as well, or hold anyway: by bounds (x^2 + 1), or because it
fails only on a set without inner points, such as a curve. A quotient of analytic functions on a convex domain has
such a set of zeros, unless it is 0 everywhere (the identity theorem). Sets without inner points do not count on either
side: neither the one point at which a claim has a hole, nor the corners of f, which this asks to be such a set too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain

from exprgrad.algebra.polynomials import Rational
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value
from exprgrad.operations.conditions import Phrase, phrase
from exprgrad.operations.table import ABS, FLOOR
from exprgrad.symbolic.conditions import (
    EITHER,
    EQUAL,
    FROM_ZERO,
    NO_POINT,
    NOT_ZERO,
    POSITIVE,
    Condition,
    Conditions,
    corner,
)
from exprgrad.symbolic.forms import (
    Algebra,
    Form,
    TooLargeError,
    each_part,
)

MOST_NODES = 3000
MOST_FACTORS = 60

ANALYTIC, MEROMORPHIC, OTHER = 2, 1, 0
"""On a convex domain: analytic; a quotient of such functions; neither, or not known."""


def defined_with(claim: Value, f: Value) -> bool:
    """Whether it is shown that `claim` has a value wherever `f` has a derivative, apart from nowhere dense sets."""
    if not (_is_read(claim) and _is_read(f)):
        return False
    domain = _Domain()
    try:
        for item in topological(f):
            rule = None if item.operation is None else corner(item.operation)
            if rule is not None:
                own = domain.conditions.operands(item, f)
                if not domain.is_rare(rule, own):
                    return False
        for condition in domain.asked(f):
            domain.learn(condition)
        return all(map(domain.holds, domain.asked(claim)))
    except TooLargeError:
        return False


def without_value(f: Value) -> Value | None:
    """An operation of f that is shown to have no value anywhere: the root of -1 - x^2."""
    domain = _Domain()
    with suppress(TooLargeError):
        for item, asked in domain.conditions.of(f) if _is_read(f) else ():
            if any(map(domain.fails, asked)):
                return item
    return None


def _is_read(root: Value) -> bool:
    """Whether this is for a graph: one without branches, which is not too large."""
    order = topological(root, MOST_NODES)
    rows = [item.operation for item in order if item.operation is not None]
    return bool(order) and not any(row.choose or row.whole for row in rows)


class _Domain:
    """Where an expression is defined: `met` are conditions that hold there."""

    def __init__(self) -> None:
        self.algebra = Algebra()
        self.conditions = Conditions(self.algebra)
        self.met: set[Condition] = set()
        self._kinds: dict[Form, int] = {}

    def asked(self, root: Value) -> Iterator[Condition]:
        """The conditions of all operations of a graph."""
        return chain.from_iterable(asked for _, asked in self.conditions.of(root))

    def learn(self, condition: Condition) -> None:
        """Note a condition that is met; of two alternatives one that is met on a curve at most is none: u == floor(u)."""

        def is_rare(equality: Condition) -> bool:
            terms = equality.form.parts[0] if equality.form.kind == "sum" else ()
            floors = [f for f, _ in terms if f.kind == "call" and f.parts[0] is FLOOR]
            return equality.sign == EQUAL and any(
                _is_linear(inside)
                and equality.form is self.algebra.minus(inside, floor)
                for floor in floors
                for inside in floor.parts[1]
            )

        left = [own for own in condition.of if not any(map(is_rare, own))]
        self.met.update(left[0] if len(left) == 1 else (condition,))

    def holds(self, condition: Condition) -> bool:
        """Whether a condition is met, holds anyway, or fails only on a set without inner points."""
        sign, form, level, of = condition
        if condition.follows(self.met):
            return True
        if sign == EITHER:
            return any(all(map(self.holds, own)) for own in of)
        if sign == NOT_ZERO:
            return self._differs(form, level)
        closed = {POSITIVE: FROM_ZERO, "<": "<="}.get(sign)
        if closed is not None:
            parts = condition._replace(sign=closed), condition._replace(sign=NOT_ZERO)
            return all(map(self.holds, parts))
        return self.conditions.settled(condition) is True

    def fails(self, condition: Condition) -> bool:
        """Whether a condition is met nowhere."""
        if condition.sign == EITHER:
            return all(any(map(self.fails, own)) for own in condition.of)
        known = self.conditions.settled(condition)
        return known is False and condition.sign not in (EQUAL, NO_POINT)

    def is_rare(self, rule: Phrase, operands: Sequence[Form]) -> bool:
        """Whether a rule, such as that of a corner, is met on a set without inner points at most."""
        if rule.name in ("and", "or"):
            both = [self.is_rare(operand, operands) for operand in rule.operands]
            return any(both) if rule.name == "and" else all(both)
        found = self.conditions.compared(rule, operands)
        if found.sign == EQUAL:
            return self._differs(found.form, found.level)
        return self.conditions.settled(found) is False

    def _differs(self, form: Form, level: Rational) -> bool:
        """Whether a form is at a level on a set without inner points at most."""
        todo, count = [(form, level)], 0
        while todo:
            form, level = todo.pop()
            count += 1
            off = Condition(NOT_ZERO, form, level)
            fixed = form.is_fixed
            if off.follows(self.met) or (not fixed and self._kind(form) >= MEROMORPHIC):
                continue
            if self.conditions.settled(off):
                continue
            if fixed:
                return False
            inner = self._inner(form, level)
            if inner is None or count > MOST_FACTORS:
                return False
            todo += inner
        return True

    def _inner(self, form: Form, level: Rational) -> list[tuple[Form, Rational]] | None:
        """Forms, and their levels, of which one is reached where the whole is at its level."""
        if form.kind == "sum" and len(form.parts[0]) == 2:
            (part, c), (one, number) = form.parts[0]
            return (
                [(part, Fraction(level - number) / c)]
                if one is self.algebra.one
                else None
            )
        if form.kind == "call":
            operation, arguments = form.parts
            if operation is ABS:
                return [(arguments[0], level), (arguments[0], -level)]
            if operation.arity == 1 and operation.corner is None:
                # an analytic function of one argument, that is not constant
                return [] if self._kind(arguments[0]) >= MEROMORPHIC else None
            return None
        if form.kind != "product":
            return None
        if not level:
            above = (
                b for b, e in form.parts[1] if e.kind != "number" or e.parts[0] > 0
            )
            return [(base, 0) for base in above]
        scale, ((base, exponent), *others) = form.parts
        if others or exponent.kind != "number" or abs(exponent.parts[0]) != 1:
            return None
        return [(base, Fraction(level) / scale ** exponent.parts[0])]

    # How smooth a form is

    def _kind(self, form: Form) -> int:
        return each_part(form, self._kind_of, self._kinds)

    def _kind_of(self, form: Form) -> int:
        known = self._kinds
        if form.kind == "leaf" or form.is_fixed:
            return ANALYTIC
        if form.kind == "sum":
            return min(known[part] for part, _ in form.parts[0])
        if form.kind == "product":
            return min(self._kind_of_power(*factor) for factor in form.parts[1])
        operation, arguments = form.parts
        worst = min(known[a] for a in arguments)
        if worst < ANALYTIC or (operation.corner and not operation.domain):
            return OTHER
        # where linear functions are between levels, or anywhere but at them, a domain is convex
        asked = self.conditions.asked(operation, arguments)
        ends = {(c.form, c.level) for c in asked if c.sign not in (NOT_ZERO, EITHER, EQUAL)}  # fmt: skip
        convex = all((c.form, c.level) in ends and _is_linear(c.form) for c in asked)
        if not operation.domain or (ends and convex):
            return ANALYTIC
        if operation.formula and operation.corner is None and operation.arity == 1:
            # a quotient such as sin(x)/cos(x) of functions that are analytic themselves
            rule = phrase(operation.formula, 1)
            return MEROMORPHIC if rule.name == "div" else OTHER
        return OTHER

    def _kind_of_power(self, base: Form, exponent: Form) -> int:
        kind = self._kinds[base]
        if base.is_fixed and exponent.is_fixed:
            return ANALYTIC
        if exponent.is_whole:
            below = exponent.parts[0] < 0 and not base.is_fixed
            return min(kind, MEROMORPHIC) if below else kind
        smooth = min(kind, self._kinds[exponent]) == ANALYTIC
        odd = exponent.kind == "number" and exponent.parts[0].denominator % 2
        positive = base.is_euler or (_is_linear(base) and not odd)
        return ANALYTIC if smooth and positive else OTHER


def _is_linear(form: Form) -> bool:
    """Whether a form is a sum of multiples of variables and a number."""
    terms = [part for part, _ in form.parts[0]] if form.kind == "sum" else [form]
    varying = [part for part in terms if not part.is_fixed]
    return bool(varying) and all(map(_is_multiple, varying))


def _is_multiple(form: Form) -> bool:
    """Whether a form that is not constant is a constant times a variable."""
    if form.kind != "product":
        return form.kind == "leaf"
    (base, exponent), *others = [f for f in form.factors if not (f[0].is_fixed and f[1].is_fixed)]  # fmt: skip
    inside = base.kind == "leaf" or (base.kind == "sum" and _is_linear(base))
    return exponent.number == 1 and not others and inside
