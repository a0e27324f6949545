"""Points on a curve F(x, y) = 0, and what is seen there with many digits.

    curve = Curve(expression, "x", "y")
    next(curve.points())                    {"x": 3.0, "y": 4.0} for x^2 + y^2 - 25
    curve.on(value_side(probe))             a quantity, looked at on the curve itself

The points are found on lines through the plane: x is held at a short number and F(x, y) = 0 is solved for
y by sign changes and Newton's method, then y is held. In doubles such a point is close to the curve; a
look with many digits solves for y again with as many, by Newton's method y - F/F_y, or else for x.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

from exprgrad.annotations import Any
from exprgrad.budget import is_spent, spare, weigh
from exprgrad.checking import domain
from exprgrad.checking.points import Point, Quantity
from exprgrad.expressions.expression import Expression
from exprgrad.numbers.real import kept
from exprgrad.sweeps.precise import Look, Probe

ROUNDS = 4
"""Choices of values for the other variables of an equation, its parameters."""

MOST_STEPS = 60
"""Newton steps to a point of the curve, in doubles or with many digits."""

CLOSE = 1e-9
"""Relative distance of a point in doubles from the curve."""

WORK = 400_000
"""Visits of operations that the search for points may take."""

STAGE = "the points of a curve"

_HELD = (*domain.STANDARD, 0.25, 1.5, -1.5, 5.0, -3.0, 0.75, -0.25, 4.0, -5.0, 20.0)
_STARTS = ((1.0, 1.5), (-2.0, 1.0), (5.0, -4.0), (100.0, 80.0), (-1000.0, 500.0))


class Curve:
    """The curve on which an expression is 0, as y over x."""

    def __init__(
        self, equation: Expression, x: str, y: str, more: Iterable[str] = ()
    ) -> None:
        self.equation, self.x, self.y = equation, x, y
        others = dict.fromkeys((*equation.variables, *more))
        self.others = [name for name in others if name not in (x, y)]
        self.probe = Probe(equation.tape, y)
        self.across = Probe(equation.tape, x)
        self.spent = 0

    def points(self) -> Iterator[Point]:
        """Points of the curve, the simplest first."""
        rounds = [domain.held(self.others, index) for index in range(ROUNDS)]
        rounds.append(dict.fromkeys(self.others, 0.25))  # inside the unit sphere
        for index, held in enumerate(rounds if self.others else rounds[:1]):
            for at in itertools.chain(self._crossings(held), self._reached(held)):
                yield at
                if is_spent(self.spent, (index + 1) * spare(WORK), STAGE):
                    break

    def _crossings(self, held: Point) -> Iterator[Point]:
        """Yield where lines with one coordinate held meet the curve."""
        for x in _HELD:
            for name, free in ((self.x, self.y), (self.y, self.x)):
                if is_spent(self.spent, spare(WORK), STAGE):
                    return
                yield from self._on_line({**held, name: x}, free)

    def _on_line(self, line: Point, free: str) -> Iterator[Point]:
        self.spent += 40 * self.probe.weight
        for root in sorted(domain.zeros(self.equation.root, free, line), key=abs):
            self.spent += 4 * self.probe.weight
            at = {self.x: 0.0, self.y: 0.0, **line, free: root + 0.0}
            beside = {**at, free: at[free] + 2.0**-20 * max(1.0, abs(at[free]))}
            here, there = (self.probe.floats(p).value or 0.0 for p in (at, beside))
            # at a pole, the sign changes through infinity: a little further, the equation is far closer to 0
            is_pole = 0 < abs(there) < 2.0**-10 * abs(here)
            if self._is_close(at) and not is_pole:
                yield at

    def _reached(self, held: Point) -> Iterator[Point]:
        """Points beside one that is reached from anywhere, along the gradient: p - F * grad F / |grad F|^2."""
        for start in _STARTS:
            at = self._descended({self.x: start[0], self.y: start[1], **held})
            if at is None:
                continue
            for k in (0.0, 1.0, -1.0, 3.0, -3.0, 10.0):
                x = at[self.x] + k * 2.0**-6 * max(1.0, abs(at[self.x])) ** 0.5
                yield from self._on_line({**held, self.x: x}, self.y)

    def _descended(self, at: Point) -> Point | None:
        for _ in range(MOST_STEPS):
            self.spent += 2 * self.probe.weight
            up, along = self.probe.floats(at), self.across.floats(at)
            if up.value is None or up.slope is None or along.slope is None:
                return None
            size = math.hypot(up.slope, along.slope)  # whose square may overflow
            if not size:
                return None
            step = up.value / size
            new = {
                **at,
                self.x: at[self.x] - step * (along.slope / size),
                self.y: at[self.y] - step * (up.slope / size),
            }
            if abs(new[self.x]) + abs(new[self.y]) > domain.FARTHEST:
                return None
            if new == at or self._is_close(new):
                return new if self._is_close(new) else None
            at = new
        return None

    def _is_close(self, at: Point) -> bool:
        """Return whether a point is as close to the curve as doubles are, and the curve goes on there."""
        look, along = self.probe.floats(at), self.across.floats(at)
        if look.value is None or look.slope is None or along.slope is None:
            return False
        size = abs(look.slope * at[self.y]) + abs(along.slope * at[self.x])
        slope = abs(look.slope) + abs(along.slope)
        return bool(slope > 0 and abs(look.value) <= CLOSE * (size + slope))

    def on(self, quantity: Quantity) -> Quantity:
        """A quantity on the curve: a look with many digits moves to the curve first."""

        def look(at: Point, digits: int) -> Look:
            if not digits:
                return quantity(at, 0)
            there = self.refined(at, digits)
            if there is None:
                return Look(None, None, overflow=True)
            return quantity(there, digits)

        return look

    def refined(self, at: Point, digits: int) -> dict[str, Any] | None:
        """The point of the curve above x with so many digits, or beside y where F has no slope in y or y was held; None where none is found."""
        # no y is at x = 0 on e^y = x, where doubles see -1024, and no slope
        is_flat = self.probe.floats(at).slope == 0
        # of a point that was found at y = 0, x is what doubles have rounded
        is_held = at[self.y] in _HELD and at[self.x] not in _HELD
        beside = is_flat or (is_held and self.across.floats(at).slope)
        line = (self.x, self.across) if beside else (self.y, self.probe)
        return self._newton(at, digits, *line)

    def _newton(
        self, at: Point, digits: int, free: str, probe: Probe
    ) -> dict[str, Any] | None:
        """The point of the curve where one coordinate is free."""
        z, tiny, before = kept(at[free]), kept(10) ** -(digits + 8), math.inf
        for _ in range(MOST_STEPS):
            weigh(2 * probe.weight)
            look = probe.precise({**at, free: z}, digits + 15)
            if look.value is None or not look.slope or abs(z) > domain.FARTHEST:
                return None
            step = look.value.over(look.slope, digits + 25)
            if 3 * abs(step) > before:  # steps to a simple zero shrink ever faster
                return None
            before = abs(step)
            z = z.less(step, digits + 25)
            if abs(step) <= tiny * max(1, abs(z)):
                is_near = abs(z - at[free]) <= 1e-3 * max(1.0, abs(at[free]))
                return {**at, free: z} if is_near else None
        return None
