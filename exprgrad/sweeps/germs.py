"""Germs: the leading behaviour of an expression on one side of a point.

    f(x0 + h) = v + c*h^p + o(h^p)        for h -> 0 from above

A germ (v, c, p) is a number type that the table's rules run on: sums, products and powers of germs are
exact, other operations are smooth where they have no corner, and at a corner they are taken a little
further on, where their arguments are heading.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from exprgrad.operations.number_types import Numbers, Step, at_corner, local_partial
from exprgrad.operations.operation import ARITHMETIC, Operation
from exprgrad.operations.table import GT, LT, POW


class NoSide(Exception):
    """The expression is not defined on this side."""


class Unknown(Exception):
    """The leading terms do not decide."""


class Germ:
    """v + c*h^p + o(h^p): p is inf for a constant, and c is 0 where only o(h^p) is known.

    `exact` says that there is no remainder: of a variable, and of sums and multiples of them.
    """

    __slots__ = ("c", "exact", "p", "value")

    def __init__(
        self, value: float, c: float = 0.0, p: float = math.inf, exact: bool = False
    ) -> None:
        self.value, self.c, self.p = value, c, p
        self.exact = exact or p == math.inf

    def same(self, other: Germ) -> bool:
        """Whether the two agree as far as they go."""
        return (self.value, self.c, self.p) == (other.value, other.c, other.p)

    def __add__(self, other: Any) -> Germ:
        other = _germ(other)
        total = _sum(self.value + other.value, [(self.c, self.p), (other.c, other.p)])
        if self.exact and other.exact:
            total = (
                Germ(total.value, total.c, total.p, True)
                if total.c
                else Germ(total.value)
            )
        return total

    def __neg__(self) -> Germ:
        return Germ(-self.value, -self.c, self.p, self.exact)

    def __sub__(self, other: Any) -> Germ:
        return self + -_germ(other)

    def __rsub__(self, other: Any) -> Germ:
        return _germ(other) + -self

    def __mul__(self, other: Any) -> Germ:
        a, b = self, _germ(other)
        terms = [(a.value * b.c, b.p)] if a.value else []
        terms += [(b.value * a.c, a.p)] if b.value else []
        product = _sum(a.value * b.value, [*terms, (a.c * b.c, a.p + b.p)])
        multiple = math.inf in (a.p, b.p) and a.exact and b.exact
        return (
            Germ(product.value, product.c, product.p, multiple)
            if product.c
            else product
        )

    def __truediv__(self, other: Any) -> Germ:
        return _quotient(self, _germ(other))

    def __rtruediv__(self, other: Any) -> Germ:
        return _quotient(_germ(other), self)

    def __pow__(self, other: Any) -> Germ:
        return _power(POW, self, _germ(other))

    def __lt__(self, other: Any) -> Germ:
        return push(LT, [self, _germ(other)])

    def __gt__(self, other: Any) -> Germ:
        return push(GT, [self, _germ(other)])

    __radd__ = __add__
    __rmul__ = __mul__


def _germ(thing: Any) -> Germ:
    return thing if isinstance(thing, Germ) else Germ(float(thing))


def _sum(value: float, terms: Sequence[tuple[float, float]]) -> Germ:
    """Keep the leading term; terms that cancel leave only their order. Raises `Unknown` on overflow."""
    lead = min((p for c, p in terms if c), default=math.inf)
    unknown = min((p for c, p in terms if not c), default=math.inf)
    if not math.isfinite(value):
        raise Unknown
    if min(lead, unknown) == math.inf:
        return Germ(value)
    if unknown < lead and not math.isclose(unknown, lead):
        return Germ(value, 0.0, unknown)
    leading = [c for c, p in terms if math.isclose(p, lead)]
    total = sum(leading)
    if not math.isfinite(total):
        raise Unknown
    if abs(total) <= 1e-13 * max(map(abs, leading)):
        total = 0.0
    return Germ(value, total, lead)


def _quotient(a: Germ, b: Germ) -> Germ:
    if b.value:
        z = a.value / b.value
        by_divisor = [(-z / b.value * b.c, b.p)] if z else []
        return _sum(
            z,
            [
                (a.c / b.value, a.p),
                *by_divisor,
                (-(a.c / b.value) * (b.c / b.value), a.p + b.p),
            ],
        )
    if b.p == math.inf:
        raise NoSide
    if a.value or not b.c:
        raise Unknown
    if a.p == math.inf:
        return Germ(0.0)
    order = a.p - b.p if not math.isclose(a.p, b.p) else 0.0
    if order < 0 or not a.c:
        raise Unknown
    return _sum(0.0, [(a.c / b.c, order)]) if order else Germ(a.c / b.c, 0.0, 0.0)


def _power(operation: Operation, base: Germ, exponent: Germ) -> Germ:
    y = exponent.value
    if base.value < 0 and exponent.p < math.inf:
        raise NoSide
    if base.value:
        return _smooth(operation, [base, exponent])
    if y == 0 and exponent.p == math.inf:
        return Germ(1.0)
    if base.p == math.inf:
        if y < 0 or (y == 0 and exponent.c <= 0):
            raise NoSide
        return Germ(0.0)
    if y <= 0 or (not base.c and y != math.floor(y)):
        raise Unknown
    order = base.p * y
    if not base.c:
        return Germ(0.0, 0.0, order)
    if base.c < 0 and exponent.p < math.inf:
        raise NoSide
    return _sum(0.0, [(_kernel(operation, (base.c, y)), order)])


def _kernel(operation: Operation, arguments: Sequence[float]) -> float:
    """The kernel's value. Raises `NoSide` outside the domain, `Unknown` where it overflows."""
    try:
        result = operation.kernel(*arguments)
    except ARITHMETIC:
        result = math.nan
    if not math.isfinite(result):
        raise NoSide if operation.failing(tuple(arguments)) else Unknown
    return result


def _beside(germs: Sequence[Germ]) -> list[float]:
    """The arguments a little further on, where each is heading."""
    return [
        math.nextafter(g.value, math.copysign(math.inf, g.c)) if g.c else g.value
        for g in germs
    ]


def _smooth(
    operation: Operation, germs: Sequence[Germ], at: Sequence[float] = ()
) -> Germ:
    """First order: v = f(v_1, ...), and each argument's leading term times its partial (taken `at`).

    A partial that is no more than roundoff beside f, such as cos(pi/2), says nothing.
    """
    values = [g.value for g in germs]
    try:
        value = _kernel(operation, values)
    except NoSide:
        # at the end of its domain: it may be defined further on, only not bounded
        raise NoSide if operation.failing(tuple(_beside(germs))) else Unknown from None
    terms = []
    for i, g in enumerate(germs):
        if g.p < math.inf and operation.partials[i] != 0:
            result = _kernel(operation, at or values)
            partial = local_partial(operation, i, result, at or values)
            if not math.isfinite(partial):
                raise NoSide if operation.failing(tuple(_beside(germs))) else Unknown
            if not at and _is_roundoff(operation, i, partial, values):
                partial = 0.0
            terms.append((partial * g.c, g.p))
    return _sum(value, terms)


def _is_roundoff(
    operation: Operation, index: int, partial: float, values: Sequence[float]
) -> bool:
    """Whether a partial is smaller than what a last digit of its argument changes in it."""
    beside = list(values)
    beside[index] = math.nextafter(values[index], math.inf)
    try:
        other = local_partial(operation, index, operation.kernel(*beside), beside)
    except ARITHMETIC:
        return False
    return abs(partial) <= 4 * abs(other - partial)


def _nudged(operation: Operation, germs: Sequence[Germ]) -> Germ:
    """A kink or a jump: take value and partials just beside it, where each argument is heading."""
    if any(not g.c and g.p < math.inf for g in germs):
        raise Unknown
    beside = _beside(germs)
    germ = _smooth(operation, germs, beside)
    value = _kernel(operation, beside)
    moved = sum(math.ulp(g.value) for g in germs if g.c) + 4 * math.ulp(value)
    return Germ(value, germ.c, germ.p) if abs(value - germ.value) > 4 * moved else germ


def _compared(operation: Operation, a: Germ, b: Germ) -> Germ:
    difference = a - b
    if difference.value:
        return Germ(_kernel(operation, (a.value, b.value)))
    if not difference.c and difference.p < math.inf:
        raise Unknown
    return Germ(_kernel(operation, (difference.c, 0.0)))


def push(operation: Operation, germs: Sequence[Any]) -> Germ:
    """An operation on germs. Raises `NoSide` or `Unknown`."""
    if operation.native:
        exactly: Any = operation.kernel
        return exactly(*germs)  # type: ignore[no-any-return] # a germ of germs
    if operation.rule == "power":
        return _power(operation, *germs)
    if operation.rule == "comparison":
        return _compared(operation, *germs)
    if operation.choose is not None:
        return _chosen(operation, germs)
    if operation.fold == "left" and _germ(germs[0]).same(_germ(germs[1])):
        return _germ(germs[0])
    if not at_corner(operation, [g.value for g in germs]):
        return _flat(operation, germs) or _smooth(operation, germs)
    if operation.failing(tuple(_beside(germs))):
        raise NoSide
    same = operation.near or operation.formula
    return _germ(GERMS.bind(same)(*germs)) if same else _nudged(operation, germs)


def _flat(operation: Operation, germs: Sequence[Germ]) -> Germ | None:
    """Of max and min away from a tie, the greater or smaller germ: the other one does not matter."""
    if operation.fold != "left":
        return None
    result = operation.kernel(*(g.value for g in germs))
    return next(g for g in germs if g.value == result)


class _Germs(Numbers):
    """Germs, of which some are not there: undefined on this side, or not decided."""

    faults = (NoSide, Unknown)

    def number(self, number: Any) -> Germ:
        return _germ(number)

    def truth(self, condition: Germ) -> float:
        return condition.value

    def value(self, step: Step, arguments: Sequence[Any]) -> Germ:
        try:
            return self.function(step.operation)(*arguments)  # type: ignore[no-any-return] # a germ
        except ARITHMETIC:
            raise Unknown from None


GERMS = _Germs(
    lambda operation: lambda *germs: push(operation, [_germ(g) for g in germs])
)


def _chosen(operation: Operation, germs: Sequence[Germ]) -> Germ:
    """`if`, `and`, `or`: the operand that the condition chooses."""
    chosen = operation.choose(germs[0].value) if operation.choose else None
    if operation.arity == 3 and chosen is not None:
        return germs[chosen]
    second = germs[1].value if chosen == 1 else 0.0
    return Germ(operation.kernel(germs[0].value, second))
