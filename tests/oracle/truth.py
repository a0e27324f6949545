"""What is true of an expression at a point: its value, and its slope on either side in each variable."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.oracle.functions import (
    ROWS,
    Field,
    Outside,
    Real,
    Unsure,
)
from tests.oracle.trees import Case, Tree

DIGITS = (150, 450, 1400, 2600)
"""Digits that are tried in turn; steps of differences are chosen by them."""


class Side(NamedTuple):
    """One side of a point. `kind` is slope, none (not defined there), jump or vertical.

    A slope of 0 is one of at most `blur`, which the differences cannot see; that of a vertical side says
    by its sign whether it rises.
    """

    kind: str
    slope: Any = None
    blur: Any = 0


class Truth(NamedTuple):
    """The value (None where there is none) and both sides, left and right, in each variable."""

    value: Any
    sides: dict[str, tuple[Side, Side]]

    def partial(self, name: str) -> Any:
        """The partial derivative, if it exists."""
        left, right = self.sides[name]
        if left.kind == right.kind == "slope" and _alike(left.slope, right.slope):
            return right.slope
        return None


def evaluate(tree: Tree, field: Field, at: dict[str, Real]) -> Real:
    """The value. Raises `Outside` where there is none."""
    name, *operands = tree
    if name == "var":
        return at[operands[0]]
    if name == "num":
        known = operands[0]
        if known == "e":
            return Real(field, *[+c.e for c in field.contexts])
        return field.number(known)
    first = evaluate(operands[0], field, at)
    if name == "if":
        return evaluate(operands[1 if first.sign() else 2], field, at)
    if name in ("and", "or"):
        if (first.sign() != 0) == (name == "or"):
            return field.whole(int(name == "or"))
        return field.whole(int(evaluate(operands[1], field, at).sign() != 0))
    return ROWS[name](first, *(evaluate(t, field, at) for t in operands[1:]))


def truth(case: Case, least: int = 0) -> Truth:
    """Value and sides, with more digits where fewer leave something open. May raise `Overflow`."""
    fault: Exception = Unsure()
    if any("300" in given for given in case.at.values()):
        least = DIGITS[2]
    for digits in DIGITS:
        if digits < least:
            continue
        try:
            return _truth(case, digits)
        except Unsure as unsure:
            fault = unsure
    raise fault


def _truth(case: Case, digits: int) -> Truth:
    field = Field(digits)
    at = {name: _coordinate(field, given) for name, given in case.at.items()}
    try:
        value = evaluate(case.tree, field, at)
    except Outside:
        return Truth(None, {})
    sides = {
        name: tuple(_side(case.tree, field, at, name, s, value) for s in (-1, 1))
        for name in at
    }
    return Truth(value.settled(), sides)  # type: ignore[arg-type] # of two


def _coordinate(field: Field, given: str) -> Real:
    if "/" in given and not given.endswith("pi"):
        top, _, bottom = given.partition("/")
        return field.whole(int(top)) / int(bottom)
    return field.number(given)


def _side(
    tree: Tree, field: Field, at: dict[str, Real], name: str, sign: int, value: Real
) -> Side:
    """The behaviour of f(x + s*h) for three steps h, each 10^-k to the last."""
    quotients, gaps, missing = [], [], 0
    k = field.digits // 5
    gap = max(10, field.digits // 14)
    for i in range(3):
        step = field.number(f"{sign}e-{k + i * gap}")
        try:
            there = evaluate(tree, field, at | {name: at[name] + step})
        except Outside:
            missing += 1
            continue
        change = there - value
        gaps.append(change)
        quotients.append(change / step)
    if missing == 3:
        return Side("none")
    if missing:
        raise Unsure
    size = 1 + abs(value.pair[1])
    blur = size * field.contexts[1].mpf(10) ** (k + 2 * gap + 2 - field.digits)
    return _classified(quotients, gaps, blur)


def _classified(quotients: list[Real], gaps: list[Real], blur: Any) -> Side:
    """What three difference quotients say; `blur` is what rounding makes of the last."""
    last = quotients[0].field.digits == DIGITS[-1]
    if last and not any(gap.pair[1] for gap in gaps):
        return Side("slope", quotients[2].pair[1] * 0, blur)
    signs = [quotients[0].sign(), *map(_sign_or_0, quotients[1:])]
    if not signs[2]:
        blur += max(abs(q.pair[1]) for q in quotients)
        if blur > 10.0 ** -(quotients[0].field.digits // 8):
            raise Unsure
        return Side("slope", quotients[2].pair[1] * 0, blur)
    if 0 in signs:
        raise Unsure
    first, second, third = (q.settled() for q in quotients)
    q1, q2, q3 = map(abs, (first, second, third))
    if _alike(second, third):
        return Side("slope", third)
    if q3 < q2 * 1e-2 and q2 < q1 * 1e-2:
        return Side("slope", q3 * 0, q3)
    if _alike(gaps[1].settled(), gaps[2].settled(), 1e-6):
        return Side("jump")
    g1, g2, g3 = (abs(gap.settled()) for gap in gaps)
    ln = quotients[0].field.contexts[1].ln
    if q3 > q2 > q1 and g3 < g2 < g1 and _alike(ln(g1 / g2), ln(g2 / g3), 0.05):
        return Side("vertical", third)
    raise Unsure


def _sign_or_0(quotient: Real) -> int:
    """The sign; 0 where the digits end, and a larger step has to say how small it is."""
    try:
        return quotient.sign()
    except Unsure:
        return 0


def _alike(a: Any, b: Any, near: float = 1e-13) -> bool:
    return bool(abs(a - b) <= max(abs(a), abs(b)) * near)
