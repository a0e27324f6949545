"""A bound on the error of a sweep on doubles: a running error bound beside it, which is cheap.

Errors are absolute, in units of 2^-53. A leaf has that of its double; an operation hands on the errors of its operands,
times its local partials p, and adds its own rounding:

    sum         e_a + e_b + |z|                   product     |a| e_b + |b| e_a + |z|
    function    |p| e_x + 4 |z|                   quotient    (e_a + |z| e_b) / |b| + |z|
    power       |p| e_x + |q| e_y + 6 |z|

Where a row has no condition number, or it says nothing, a ball round the operands tells both errors.

The error of the last node is that of the value. On its way back an adjoint w, with the error d, meets the local
partials p, each with the error e that condition numbers of f' make of those of the operands; handed on is

    |w| e + d |p| + 2 |w p|

and where n contributions c_k meet, at a node that is used n times, their errors d_k are added up:

    sum of (d_k + n |c_k|)

(Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 1, 3 and 4.)

What is smaller than `SMALLEST` may have lost digits to underflow, and counts as an error itself, unless it is plainly
0, such as 0 times a number. Of functions this is a bound to first order. So it is no answer, but an alarm, where
something is not small: errors of partials that are together near 2^-13, or a kink. The alarm says nothing against the
result: balls decide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.operations import table
from exprgrad.operations.number_types import Fault, Step, at_corner, float_partials
from exprgrad.operations.operation import ARITHMETIC, Operation
from exprgrad.sweeps.tape import (
    LEVEL_ON_EQUAL,
    NULL_ON_EQUAL,
    Tape,
    primals,
    pull_back,
    settled,
)

UNIT = 2.0**-53
SMALLEST = 1e-290
"""Below this, values and adjoints may have lost digits to underflow."""

LOST = SMALLEST / UNIT
"""The error of such a number."""

LARGEST_ERROR, LARGE_ERROR = 2.0**40, 2.0**33
"""Relative errors that are together no greater are small to first order; larger ones are taken for a little more."""

_SUM, _PRODUCT, _QUOTIENT, _SAME, _LEVEL, _POWER, _FUNCTION, _BALL, _LOGARITHM, _MEETING, _ORDER, _CHOICE = range(12)  # fmt: skip
_KINDS = {
    table.ADD: _SUM, table.SUB: _SUM, table.MUL: _PRODUCT, table.DIV: _QUOTIENT, table.NEG: _SAME, table.IF: _CHOICE,
}  # fmt: skip
_KINDS_OF_RULES = {"power": _POWER, "comparison": _ORDER}
_CONSTANT_ON_EQUAL = {*NULL_ON_EQUAL, *LEVEL_ON_EQUAL}
_WITH_EDGE = (table.MOD, table.HUBER_AT, *LEVEL_ON_EQUAL)
"""Those of them that have no value where their last operand is 0, and a logarithm at 1."""

_FLAT = (table.MSE, table.HUBER, table.HUBER_AT)
"""Operations that are not made of pieces, and whose partials are 0 in places, and not only small there."""


class Checked(NamedTuple):
    """A sweep on doubles whose errors are small: `error` bounds that of the value, `errors` those of partials, by name."""

    values: Sequence[Any]
    adjoints: list[float]
    error: float
    errors: dict[str, float]


class Rounding:
    """A tape, the relative errors of its leaves and the variables asked for, prepared for many points.

    A step of `steps` has its node, a kind, the operation and two operands; of a level one the first is its rounding, of
    one with the slope exp(-x^2) the second is -1. A way of `edges` leads from a node to the place of an operand, and has
    a kind, and a node that it takes numbers from; or to a node where contributions meet, from its places and their end.
    `sources` has for each its step and the position of the operand. `corners` are the steps that may stand at one.
    """

    def __init__(
        self, tape: Tape, leaves: Sequence[float], names: Sequence[str]
    ) -> None:
        self.leaves, self.names, self.tape = list(leaves), names, tape
        self.active = tape.smooth(names)
        self.steps: list[tuple[int, int, Operation, int, int]] = []
        fixed = settled(tape)
        self._prepare(fixed)
        # of max(x, x) or x < x both sides are the same, so that no point is a corner
        open_ = [step for step in tape.corners if step.node not in fixed]
        self.corners = [s for s in open_ if any(self.active[j] for j in s.operands)]
        _, self.size = tape.places(tape.active(names))
        self.edges: list[tuple[int, int, int, int]] = []
        self.sources: list[tuple[Step, int]] = []
        # the edges of the reverse sweep
        first = len(self.leaves)
        for step, node, places in self.tape.ways(self.tape.active(self.names)):
            if step is None:
                self.edges.append((places[0], node, _MEETING, places[-1] + 1))
                self.sources.append((self.tape.steps[0], 0))  # which nobody asks for
                continue
            kind, a, b = self.steps[node - first][1], step.operands[0], step.operands[-1]  # fmt: skip
            for position, (j, to) in enumerate(zip(step.operands, places, strict=True)):
                if not self.active[j]:
                    continue
                own, other = _FUNCTION, node
                if not callable(step.operation.partials[position]):
                    own = _SAME if step.operation.partials[position] else _LEVEL
                elif kind == _PRODUCT:
                    own, other = kind, a if position else b
                elif kind == _QUOTIENT and position:
                    own, other = kind, b
                elif kind == _POWER and position:
                    own, other = _LOGARITHM, a
                self.edges.append((node, to, own, other))
                self.sources.append((step, position))

    def _prepare(self, fixed: Mapping[int, tuple[int, ...]]) -> None:
        """The kind of every step; what is the same twice, or exact, is the simpler for it."""
        same, exact = self.tape.once().first, [not error for error in self.leaves]
        for node, operation, operands in self.tape.steps:
            a, b = operands[0], operands[-1]
            kind = _FUNCTION if operation.condition_number else _BALL
            kind = _KINDS_OF_RULES.get(operation.rule, _KINDS.get(operation, kind))
            b = -1 if operation in (table.ERF, table.ERFC) else b
            alike = len(operands) > 1 and same[a] == same[operands[1]]
            still = operation.steps and all(exact[j] for j in operands)
            if alike and operation in (table.MAX, table.MIN):
                kind = _SAME
            elif alike and (operation in _CONSTANT_ON_EQUAL or operation.rule == "comparison"):  # fmt: skip
                kind, a = _LEVEL, 4 * (operation is table.ATAN2)
            elif node in fixed and still:
                kind, a = _LEVEL, 0
            exact.append(still or (kind == _SAME and exact[a]))
            self.steps.append((node, kind, operation, a, b))

    def sweep(self, point: Mapping[str, float], enough: float) -> Checked | None:
        """The sweeps on doubles at a point, if their errors are at most `enough` times the results."""
        try:
            values = primals(self.tape, point)
            active = self.tape.active(self.names)
            adjoints, gathered = pull_back(self.tape, values, active)
        except (Fault, *ARITHMETIC):
            return None
        is_finite = math.isfinite(sum(adjoints))
        return self.check(values, adjoints, gathered, enough) if is_finite else None

    def check(
        self,
        values: Sequence[Any],
        adjoints: list[float],
        gathered: Mapping[int, float],
        enough: float,
    ) -> Checked | None:
        """The errors of a sweep, if they are at most `enough` times the results; None is an alarm.

        `adjoints` and `gathered` are what `tape.pull_back` gives.
        """
        try:
            small = min(map(abs, values[len(self.leaves) :]), default=1.0) < SMALLEST
            least = SMALLEST * max(1.0, max(map(abs, adjoints), default=0.0))
            if small or any(own and -least < w < least for w, own in zip(adjoints, self.active, strict=False)):  # fmt: skip
                for node, operation, operands in self.corners:
                    if not (
                        values[node] and adjoints[node : node + 1] != [0.0]
                    ) and at_corner(operation, [values[j] for j in operands]):
                        raise ValueError
            errors, bent, apart = self._errors(values, small)
            # relative errors of partials multiply along a path, which to first order is their sum
            together = sum(bent)
            size = enough * abs(values[self.tape.root])
            # comparisons that NaN fails: so far out there are errors that are no numbers
            if not (together <= LARGEST_ERROR and errors[self.tape.root] * UNIT <= size):  # fmt: skip
                return None
            found = self._partials(
                values, errors, bent, apart, adjoints, gathered, least
            )
        except (*ARITHMETIC, TypeError):  # TypeError: of a branch that has no value
            return None
        more = UNIT * 1.001 if together > LARGE_ERROR else UNIT
        bounds = {}
        for name in self.names:
            j = self.tape.variables[name]
            bounds[name] = found[j] * more
            if not bounds[name] <= enough * abs(adjoints[j]):
                return None
        error = errors[self.tape.root] * more
        return Checked(values, adjoints[: len(values)], error, bounds)

    def _errors(
        self, values: Sequence[Any], small: bool
    ) -> tuple[list[float], list[float], dict[tuple[int, int], float]]:
        """The error of every node, the relative one of its partials, and that of partials known from balls.

        Raises where one is out of reach.
        """
        errors = [e and e * abs(v) for e, v in zip(self.leaves, values, strict=False)]
        bent, apart = [0.0] * len(values), dict[tuple[int, int], float]()
        for node, kind, operation, a, b in self.steps:
            z = values[node]
            try:
                if kind == _SUM:
                    error = errors[a] + errors[b]
                    if error or not _is_exact_sum(z, values[a], values[b]):
                        error += abs(z)
                elif kind == _PRODUCT:
                    x, y = errors[a], errors[b]
                    error = abs(values[a]) * y + (abs(values[b]) + y * UNIT) * x
                    if error or not _is_exact_product(z, values[a], values[b]):
                        error += abs(z)
                elif kind == _FUNCTION:
                    # math.cbrt is off by almost 5, and its square stands in its slope; |x| is not rounded
                    more = 4.0 if operation is table.CBRT else -4.0 if operation is table.ABS else 0.0  # fmt: skip
                    x, error, rough = errors[a], (4.0 + more) * abs(z), 6.0 + more
                    if b < 0:
                        # rounding x^2 counts x^2 times in exp(-x^2), which is 0 from |x| = 28 on
                        rough += min(abs(values[a]), 28.0) ** 2
                    if x:
                        at = values[a]
                        (rule,) = float_partials(operation)
                        error += abs(rule(z, at)) * x
                        rough += operation.condition_number(z, at) * x / abs(at)  # type: ignore[misc] # known
                    bent[node] = rough
                elif kind == _QUOTIENT:
                    y = errors[b] / abs(values[b])
                    error = errors[a] / abs(values[b]) + abs(z) * (y + 1.0)
                    bent[node] = y + 1.0
                elif kind == _SAME:
                    error = errors[a]
                elif kind == _POWER:
                    still = not (errors[b] or self.active[b])
                    of = values[a], values[b], errors[a], errors[b]
                    error, bent[node] = _of_power(z, *of, still, operation is not table.POW)  # fmt: skip
                elif kind == _LEVEL:
                    error = a * abs(z)
                    if operation in _WITH_EDGE:  # u/u is 1 only where u is surely not 0
                        at = values[b]
                        away = min(abs(at), abs(at - 1.0)) if operation is table.LOG else abs(at)  # fmt: skip
                        bent[node] = errors[b] / away + 1.0
                elif kind == _ORDER and abs(values[a] - values[b]) > 2 * (errors[a] + errors[b]) * UNIT:  # fmt: skip
                    error = 0.0
                elif kind == _CHOICE and abs(values[a]) > errors[a] * UNIT:
                    own = self.tape.steps[node - len(self.leaves)].operands
                    error = errors[own[operation.choose(values[a])]]  # type: ignore[misc, index] # known
                else:
                    raise ZeroDivisionError
            except (ValueError, ZeroDivisionError):
                error, slopes = self._by_ball(node, values, errors)
                apart.update(slopes)
            if small and -SMALLEST < z < SMALLEST and not self._is_zero(node, kind, values, errors):  # fmt: skip
                error += LOST
            errors.append(error)
        return errors, bent, apart

    def _by_ball(
        self, node: int, values: Sequence[Any], errors: Sequence[float]
    ) -> tuple[float, dict[tuple[int, int], float]]:
        """The error of a step and of its partials, from balls round its operands. Raises `ValueError`."""
        from exprgrad.numbers.enclosures import distances

        _, operation, operands = self.tape.steps[node - len(self.leaves)]
        if operation.opaque:
            raise ValueError
        at = [(values[j], errors[j] * UNIT) for j in operands]
        wanted = [i for i, j in enumerate(operands) if self.active[j]]
        error, slopes = distances(operation, values[node], at, wanted)
        return error / UNIT, {(node, i): d / UNIT for i, d in slopes.items()}

    def _is_zero(
        self, node: int, kind: int, values: Sequence[Any], errors: Sequence[float]
    ) -> bool:
        """Return whether a number that is so small has lost no digits to underflow: it is plainly 0, or a sum."""
        operation, operands = self.tape.steps[node - len(self.leaves)][1:]
        steps = operation.exact or operation.steps or operation.choose is not None
        if steps or kind in (_SUM, _SAME, _LEVEL):
            return True
        if values[node]:
            return False
        a, b = values[operands[0]], values[operands[-1]]
        # ln(1), acos(1) and lgamma(2) are 0, and their kernels round nothing there
        ones = all(not errors[j] and values[j] in (-1.0, 1.0, 2.0) for j in operands)
        return not a or (kind == _PRODUCT and not b) or (kind in (_FUNCTION, _BALL) and ones)  # fmt: skip

    def _partials(
        self,
        values: Sequence[Any],
        errors: Sequence[float],
        bent: Sequence[float],
        apart: Mapping[tuple[int, int], float],
        adjoints: Sequence[float],
        gathered: Mapping[int, float],
        least: float,
    ) -> list[float]:
        """The errors of the adjoints, in their places."""
        found = [0.0] * (self.size + 1)
        for edge, (node, to, kind, a) in enumerate(self.edges):
            if kind == _MEETING:
                found[to] = sum(found[node:a]) + (a - node) * gathered[to]
                continue
            w, d, c = abs(adjoints[node]), found[node], abs(adjoints[to])
            if not (w or d):
                continue
            if kind in (_SAME, _LEVEL):
                error = d * (kind == _SAME)
            elif kind == _PRODUCT:
                error = w * errors[a] + d * (abs(values[a]) + errors[a] * UNIT) + c
            else:
                step, position = self.sources[edge]
                if c or not d:
                    p = d and c / w
                else:
                    rule = float_partials(step.operation)[position]
                    p = abs(rule(values[node], *[values[j] for j in step.operands]))
                error = d * p + c * (bent[node] + 6.0)
                if apart:
                    error += (w + d * UNIT) * apart.get((step.node, position), 0.0)
                if kind == _QUOTIENT:
                    error += (w + d * UNIT) * errors[node] / abs(values[a])
                elif kind == _LOGARITHM and errors[a]:
                    z = abs(values[node]) + errors[node] * UNIT
                    error += (w + d * UNIT) * z * errors[a] / abs(values[a])
            flat = not c and self._is_flat(edge, values, errors)
            if c < least and kind != _SAME and not flat:
                error += (w + d * UNIT + 1.0) * LOST
            found[to] = error
        return found

    def _is_flat(
        self, edge: int, values: Sequence[Any], errors: Sequence[float]
    ) -> bool:
        """Return whether a local partial is plainly 0, and not only too small."""
        step, position = self.sources[edge]
        operation, operands = step.operation, step.operands
        if operation.steps or operation.choose is not None or operation in _FLAT:
            return True
        # log10 is exact, too, and has no corner: its slope at 10^200 is only small
        if operation.exact and operation.corner is not None:
            return True
        a, b = values[operands[0]], values[operands[-1]]
        if operation is table.MUL:
            return not (a if position else b)
        if operation.rule == "power":
            return abs(a) == 1 if position else not (a and b)
        still = len(operands) == 1 and not a and not errors[operands[0]]
        return still or not (values[step.node] or errors[step.node])


def _is_exact_sum(z: float, a: float, b: float) -> bool:
    """Return whether a + b or a - b, of exact numbers, is no rounded number: 5 - 1, as an exponent or in a logarithm.

    Dekker: what the larger operand lacks to the rounded sum is a double, and the smaller one where nothing is lost.
    """
    small, large = sorted((abs(a), abs(b)))
    return abs(abs(z) - large) == small


def _is_exact_product(z: float, a: float, b: float) -> bool:
    """Return whether a*b, of exact numbers, is no rounded number: 4*0.25, as an argument of ln. By Dekker's product."""
    # a half may overflow beyond, and what is lost underflow below
    if not 1e-250 < abs(z) < 1e290:
        return not (a and b)
    (high, low), (other, rest) = _halves(a), _halves(b)
    return high * other - z + high * rest + low * other + low * rest == 0


def _halves(x: float) -> tuple[float, float]:
    """A double as the sum of two of 26 bits, by Veltkamp."""
    large = x * 134217729.0  # 2^27 + 1
    high = large - (large - x)
    return high, x - high


def _of_power(
    z: float, x: float, y: float, of_x: float, of_y: float, still: bool, real: bool
) -> tuple[float, float]:
    """The error of z = x^y, and the relative one of its partial with respect to x.

    An exponent that is `still` has no error, and its slope is not asked for. A negative x has a power that is `real` for
    every y in those of fractions with odd denominators.
    """
    whole = y == int(y)
    if not (x or of_x) and y - of_y * UNIT > 1:
        return 0.0, 0.0  # the power and its slope in x are 0
    if x < 0 and not real and not (still and whole):
        raise ValueError  # the slope in y has no value
    near = of_x and of_x / abs(x)
    rough = abs(y) * near + 6.0
    if still and whole:
        return rough * abs(z), rough + near
    steep = abs(math.log(abs(x)))
    rough += steep * of_y
    # y - 1 is rounded where y is not whole, and larger than y where that is negative
    bent = rough + near + steep * (of_y + abs(y - 1) * (not whole)) + (of_y and of_y / abs(y))  # fmt: skip
    return rough * abs(z), bent
