"""Decimals that were typed: they stand for every number that is rounded to them.

0.333*x is right for x/3 to the digits given. A claim c with decimals d_i is, if every point agrees with
|c - c_true| <= sum over i of |dc/dd_i| * half a unit in the last place of d_i, by its own adjoints.
"""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.checking.agreement import Findings, Sides
from exprgrad.checking.points import Point
from exprgrad.errors import DomainError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Value
from exprgrad.symbolic.derivative import tangent

FEWEST = 3
"""Digits that a decimal of a claim needs to pass for a rounded number: 0.3 is no third."""

FEWEST_GIVEN = 12
"""Digits from which on a decimal of the problem itself passes for one: 1.25 is just that."""

MOST_POINTS = 40

SLACK = 1 + 1e-6


def explained_by_rounding(
    expression: Expression, claim: Expression, sides: Sides, found: Findings
) -> bool:
    """Whether what separates a claim from the truth is within the rounding of the decimals."""
    if found.against is None or found.against.kind != "differs":
        return False
    rooms = [_Room(claim, FEWEST, None)]
    if sides.along is not None and expression.variables:
        rooms.append(_Room(expression, FEWEST_GIVEN, sides.along))
    rooms = [room for room in rooms if room.units]
    if not rooms:
        return False
    candidates = [found.against.at]
    if found.tried > 1:
        candidates += [
            at for at, _ in zip(sides.trail, range(MOST_POINTS), strict=False)
        ]
    return all(_within(sides, at, rooms) for at in candidates)


def _within(sides: Sides, at: Point, rooms: Sequence[_Room]) -> bool:
    """Whether the two are as close at a point as the rounding allows, or not to be compared there."""
    if sides.truth(at, 0).value is None:
        return True
    exact, own = sides.truth(at, 50), sides.claim(at, 50)
    if exact.value is None or own.value is None:
        return False
    room = sum(r.at(at) for r in rooms)
    noise = 1e-40 * (abs(exact.value) + abs(own.value))
    return bool(abs(exact.value - own.value) <= room * SLACK + noise)


def decimals(expression: Expression, fewest: int) -> dict[int, float]:
    """The decimals of a text, by their number on the tape, with half a unit in their last place."""
    units: dict[int, float] = {}
    for i, _ in expression.tape.constants:
        leaf = expression.tape.nodes[i]
        if leaf.span is None or leaf.name is not None:
            continue
        text = expression.source[slice(*leaf.span)].replace("_", "").lower()
        digits, _, exponent = text.partition("e")
        whole, point, fraction = digits.partition(".")
        if not point or not fraction.isdigit() or not (whole or "0").isdigit():
            continue
        if len((whole + fraction).lstrip("0")) >= fewest:
            units[i] = 0.5 * 10.0 ** (int(exponent or 0) - len(fraction))
    return units


class _Room:
    """How far an expression, or its slope, moves while its decimals move within their rounding."""

    def __init__(self, expression: Expression, fewest: int, along: str | None) -> None:
        self.units = list(decimals(expression, fewest).values())
        if not self.units:
            return
        numbers = list(decimals(expression, fewest))
        root = expression.root if along is None else tangent(expression.root, along)
        leaves = {
            expression.tape.nodes[i]: Value(None, f"\0{k}")
            for k, i in enumerate(numbers)
        }
        copy = replaced(root, leaves)
        self.formula = Expression.of(copy, expression.variables)
        self.typed = {
            f"\0{k}": expression.tape.nodes[i].data or 0.0
            for k, i in enumerate(numbers)
        }

    def at(self, at: Point) -> float:
        """That distance at a point: the sum of |partial| * half a unit over the decimals."""
        given: dict[str, float] = {**at, **self.typed}
        own = {name: given[name] for name in self.formula.variables}
        wanted = [name for name in self.typed if name in own]
        try:
            found = self.formula.evaluate(own, wanted).gradient
        except DomainError:
            return 0.0
        units = dict(zip(self.typed, self.units, strict=True))
        return sum(abs(found[name] or 0.0) * units[name] for name in wanted)
