"""How far a sweep on doubles may be off: a cheap test beside it.

Errors are relative, in units of 2^-53. A leaf has that of its double; an operation hands on the errors of
its operands times their condition numbers |x f'/f|, and adds its own rounding:

    product, quotient   e_a + e_b + 1             sum   (|a| e_a + |b| e_b) / |a + b| + 1
    function            c(x) e_x + 4              power    |y| e_x + |y ln x| e_y + 6

The error of the last node is that of the value; constant subexpressions count like all others. On its way
back an adjoint meets local partials, each with the error that the condition number of f' makes; of all
paths to a variable the worst counts, times what cancels where contributions meet, which is the sum of
|contribution| over |sum|. (Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 1 and 3.)

This is a bound to first order. So it is no answer, but an alarm, where something is not small: an error near
2^-20, a number near the end of the range, a zero, a kink, or an inner node that is used in several places,
where what cancels is not counted. The alarm says nothing against the result: balls decide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from exprgrad.operations import table
from exprgrad.sweeps.tape import Tape

UNIT = 2.0**-53
SMALLEST = 1e-290
"""Below this, values and adjoints may have lost digits to underflow."""

LARGEST_ERROR = 2.0**33
"""Errors that are together no greater are small to first order."""

_SUM, _PRODUCT, _QUOTIENT, _SIGN, _WHOLE, _POWER, _FUNCTION = range(7)
_KINDS = {
    table.ADD: _SUM,
    table.SUB: _SUM,
    table.MUL: _PRODUCT,
    table.DIV: _QUOTIENT,
    table.NEG: _SIGN,
}

Moving = tuple[int, int, Any, int, int]


class Rounding:
    """A tape, the errors of its leaves and the variables asked for, prepared for many points.

    `moving` are the steps whose errors depend on the point: node, kind, condition number (of a power to a
    variable: whether that is active) and operands; the errors of the others are known. `edges` are the
    ways of the reverse sweep: from a node to the place of an operand, two errors that are added, and a
    number. `places` has the first and the end of the places of a variable, one for each occurrence.
    """

    __slots__ = (
        "adjoints",
        "edges",
        "errors",
        "first",
        "known",
        "most",
        "moving",
        "names",
        "places",
        "variables",
    )

    def __init__(
        self, tape: Tape, leaves: Sequence[float], names: Sequence[str]
    ) -> None:
        self.errors, self.first = list(leaves), len(leaves)
        self.names = names
        self.variables = [tape.variables[name] for name in names]
        active = tape.active(names)
        inner = [step.node for step in tape.steps if active[step.node]]
        uses = [0] * len(tape.nodes)
        for step in tape.steps:
            for j in step.operands:
                uses[j] += 1
        self.most = max(uses, default=1)
        self.known = all(uses[j] <= 1 for j in inner)
        # the adjoints that must not have lost digits
        asked = (*self.variables, *inner)
        self.adjoints = itemgetter(*asked, asked[0]) if asked else None
        self.moving: list[Moving] = []
        kinds = self._prepare(tape, active)
        self.edges: list[tuple[int, int, int, int, float]] = []
        self.places: list[tuple[int, int, int]] = []
        end = len(tape.nodes) + 1
        for j in self.variables:
            self.places.append((j, end, end := end + uses[j]))
        self._draw(tape, active, kinds)

    def _prepare(self, tape: Tape, active: Sequence[bool]) -> list[int]:
        """The errors that no point changes, and the steps of the others; the kind of every step."""
        errors, moves, kinds = self.errors, [False] * self.first, []
        variables = set(tape.variables.values())
        for node, operation, operands in tape.steps:
            kind = (
                _POWER
                if operation.rule == "power"
                else _KINDS.get(operation, _FUNCTION)
            )
            condition: Any = operation.condition_number
            a, b = operands[0], operands[-1]
            x, y, moving = errors[a], errors[b], moves[a] or moves[b]
            if kind == _FUNCTION and condition is None:
                self.known = False
            if kind == _SUM:
                error, moving = 1.0, moving or bool(x or y)
            elif kind in (_PRODUCT, _QUOTIENT):
                error = x + y + 1.0
            elif kind == _SIGN:
                error = x
            elif kind == _POWER:
                # nearly all exponents are whole numbers that are written down
                written = b < self.first and b not in variables and not y
                exponent = tape.nodes[b].data if written else 0.5
                condition = abs(exponent) + 1.0
                error = condition * x + 6.0
                if exponent == int(exponent):
                    kind = _WHOLE
                else:
                    moving, condition = True, active[b]
            else:
                error, moving = 4.0, moving or bool(x)
            errors.append(error)
            moves.append(moving)
            kinds.append(kind)
            if moving:
                own = _PRODUCT if kind == _QUOTIENT else kind
                self.moving.append((node, own, condition, a, b))
        return kinds

    def _draw(self, tape: Tape, active: Sequence[bool], kinds: Sequence[int]) -> None:
        """The edges of the reverse sweep; the error at -1 is none."""
        free = {j: first for j, first, _ in self.places}
        for step, kind in zip(reversed(tape.steps), reversed(kinds), strict=True):
            node, operands = step.node, step.operands
            a, b = operands[0], operands[-1]
            for position, j in enumerate(operands):
                if not active[j]:
                    continue
                if kind in (_SUM, _SIGN):
                    more = (-1, -1, 2.0)
                elif kind == _PRODUCT:
                    more = (a if position else b, -1, 2.0)
                elif kind == _QUOTIENT:
                    more = (node, b, 3.0) if position else (b, -1, 2.0)
                else:
                    more = (node, -1, 6.0)
                to = free.get(j, j)
                if j in free:
                    free[j] += 1
                self.edges.append((node, to, *more))

    def check(
        self,
        values: Sequence[Any],
        adjoints: Sequence[float],
        gathered: Mapping[int, float],
        enough: float,
    ) -> Checked | None:
        """The errors of a sweep, if they are at most `enough` times the results; None is an alarm.

        `gathered` has the sums of |contribution| to the variables that occur more than once.
        """
        if not self.known:
            return None
        try:
            errors = self._errors(values)
            together = sum(errors)
            if together > LARGEST_ERROR or errors[-1] * UNIT > enough:
                return None
            own = self.adjoints
            if own is not None and min(map(abs, own(adjoints))) < SMALLEST:
                return None
            cancelled = 1.0
            for j, total in gathered.items():
                times = total / abs(adjoints[j])
                if times > cancelled:
                    cancelled = times
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        found = Checked(self, errors, adjoints, gathered)
        # no path adds more than all errors twice, and a few for every step and occurrence
        longest = 2.0 * self.most * together + 8.0 * len(self.edges)
        if longest * cancelled * UNIT <= enough:
            return found
        return found if max(found.partials, default=0.0) <= enough else None

    def _errors(self, values: Sequence[Any]) -> list[float]:
        """The error of every node. Raises where one is out of reach."""
        errors = self.errors[:]
        if len(values) > self.first and min(map(abs, values[self.first :])) < SMALLEST:
            raise OverflowError
        for node, kind, condition, a, b in self.moving:
            if kind == _SUM:
                total = abs(values[a]) * errors[a] + abs(values[b]) * errors[b]
                errors[node] = total / abs(values[node]) + 1.0
            elif kind == _PRODUCT:
                errors[node] = errors[a] + errors[b] + 1.0
            elif kind == _FUNCTION:
                x = errors[a]
                errors[node] = (
                    condition(values[node], values[a]) * x + 4.0 if x else 4.0
                )
            elif kind == _WHOLE:
                errors[node] = condition * errors[a] + 6.0
            elif kind == _SIGN:
                errors[node] = errors[a]
            else:
                of_x, of_y = errors[a], errors[b]
                errors[node] = _of_power(values[a], values[b], of_x, of_y, condition)
        return errors

    def paths(self, errors: Sequence[float]) -> list[float]:
        """The error of every adjoint of a node, and of every contribution to a variable."""
        errors = [*errors, 0.0]
        found = [0.0] * (len(errors) + len(self.edges))
        for node, to, a, b, more in self.edges:
            found[to] = found[node] + errors[a] + errors[b] + more
        return found


def _of_power(x: float, y: float, of_x: float, of_y: float, active: bool) -> float:
    """The error of x^y and of its partials, the one with respect to y being x^y ln x."""
    log = abs(math.log(abs(x)))
    inside = abs(y) + (1.0 + 1.0 / log if active else 1.0)
    # y - 1 is rounded where y is not whole
    exponent = abs(y) * log * (2.0 * of_y + (y != int(y))) + of_y
    return (inside * of_x if of_x else 0.0) + exponent + 6.0


class Checked:
    """A sweep on doubles whose errors are known to be small."""

    __slots__ = ("adjoints", "errors", "gathered", "rounding")

    def __init__(
        self,
        rounding: Rounding,
        errors: list[float],
        adjoints: Sequence[float],
        gathered: Mapping[int, float],
    ) -> None:
        self.rounding, self.errors = rounding, errors
        self.adjoints, self.gathered = adjoints, gathered

    @property
    def value(self) -> float:
        """The relative error of the value."""
        return self.errors[-1] * UNIT

    @property
    def partials(self) -> list[float]:
        """The relative errors of the partials, in the order of `rounding.names`."""
        rounding, found = self.rounding, []
        paths = rounding.paths(self.errors)
        for j, first, end in rounding.places:
            worst = max(paths[first:end], default=0.0) + (end - first)
            if j in self.gathered:
                worst *= self.gathered[j] / abs(self.adjoints[j])
            found.append(worst * UNIT)
        return found
