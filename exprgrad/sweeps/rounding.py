"""How far a sweep on doubles may be off: a cheap test beside it.

Errors are relative, in units of 2^-53. A leaf has that of its double; an operation hands on the errors of
its operands times |x p / f|, p being its local partial, and adds its own rounding:

    product, quotient   e_a + e_b + 1             sum   (|a| e_a + |b| e_b) / |a + b| + 1
    function            |x p / f| e_x + 4         power    |y| e_x + |y ln x| e_y + 6
    of several          the same sum, + 8         if       that of the branch
                        (its own error in place of 8, where its row tells that)

The error of the last node is that of the value; constant subexpressions count like all others. On its way
back an adjoint w meets the local partials, each with the error e that condition numbers of f' make of those
of the operands. These errors are absolute, since adjoints may cancel and what they are handed on to may not:
from d, that of w,

    |w p| e + d |p|

is handed on, and where n contributions c_k meet, at a node that is used n times, their errors d_k are added up:

    sum of (d_k + n |c_k|)

(Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 1, 3 and 4.)

This is a bound to first order. So it is no answer, but an alarm, where something is not small: errors that are
together near 2^-13, a number near the end of the range, a kink, or a zero that is not plainly one, such as 0 times
a number or the sine of 0. The alarm says nothing against the result: balls decide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.operations import table
from exprgrad.operations.number_types import Step, at_corner, float_partials
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.tape import LEVEL_ON_EQUAL, NULL_ON_EQUAL, Tape, settled

UNIT = 2.0**-53
SMALLEST = 1e-290
"""Below this, values and adjoints may have lost digits to underflow."""

LARGEST_ERROR, LARGE_ERROR = 2.0**40, 2.0**33
"""Errors that are together no greater are small to first order; larger ones are taken for a little more."""

_SUM, _PRODUCT, _QUOTIENT, _SAME, _WHOLE, _POWER, _FUNCTION, _SEVERAL = range(8)
_KINDS = {
    table.ADD: _SUM, table.SUB: _SUM, table.MUL: _PRODUCT, table.DIV: _QUOTIENT, table.NEG: _SAME,
}  # fmt: skip
_LEVEL = {*NULL_ON_EQUAL, *LEVEL_ON_EQUAL}

_MEETING, _LOGARITHM = -1.0, -2.0


class Checked(NamedTuple):
    """A sweep on doubles whose errors are small: `relative` is that of the value, `errors` bounds those of partials, by name."""

    values: Sequence[Any]
    adjoints: list[float]
    relative: float
    errors: dict[str, float]

    @property
    def error(self) -> float:
        """A bound on the error of the value."""
        return self.relative * UNIT * abs(float(self.values[-1]))


class Rounding:
    """A tape, the errors of its leaves and the variables asked for, prepared for many points.

    `moving` are the steps whose errors depend on the point: node, kind, condition number, operation and operands, of
    several all in the first place. The errors of the others are in `errors`, and those of their partials in `bent`.
    `edges` are the ways of the reverse sweep: from a node to the place of an operand, two errors that are added, and a
    number, those of partials being counted from the end of all nodes; or to a node, from its places, their end in place
    of the first error, which is marked by a number of `_MEETING`; or to an exponent, past the logarithm of the second,
    marked by `_LOGARITHM`. `sources` has for each its step and the position of the operand. `corners` are the steps that
    may stand at one where something is 0. `known` says that every step has a condition number.
    """

    def __init__(
        self, tape: Tape, leaves: Sequence[float], names: Sequence[str]
    ) -> None:
        self.errors, self.bent, self.first = list(leaves), [0.0] * len(leaves), len(leaves)  # fmt: skip
        self.names, self.tape = names, tape
        self.active = tape.active(names)
        self.known = True
        self.moving: list[tuple[int, int, Any, Operation, Any, int]] = []
        self.kinds: list[int] = []
        fixed = settled(tape)
        self._prepare(fixed)
        self.corners = {
            step.node: step
            for step in tape.corners
            if self.active[step.node] and step.node not in fixed
        }
        _, self.size = tape.places(self.active)
        self.edges: list[tuple[int, int, int, int, float]] = []
        self.sources: list[tuple[Step, int]] = []
        self._draw()

    def _prepare(self, fixed: Mapping[int, tuple[int, ...]]) -> None:
        """The errors that no point changes, and the steps of the others; the kind of every step."""
        tape, errors, moves = self.tape, self.errors, [False] * self.first
        variables, same = set(tape.variables.values()), tape.once().first
        for node, operation, operands in tape.steps:
            condition: Any = operation.condition_number or operation.condition_numbers
            kind = _SEVERAL if operation.condition_numbers else _FUNCTION
            kind = _POWER if operation.rule == "power" else _KINDS.get(operation, kind)
            a, b = operands[0], operands[-1]
            x, y, moving = errors[a], errors[b], moves[a] or moves[b]
            if kind in (_FUNCTION, _SEVERAL) and condition is None:
                self.known = False
            error, bent = x + y + 1.0, 0.0
            alike = len(operands) > 1 and same[a] == same[operands[1]]
            if alike and operation in (table.MAX, table.MIN):
                kind, error = _SAME, x
            elif alike and (operation in _LEVEL or operation.rule == "comparison"):
                kind, moving = _SAME, False
                error = 4.0 if operation is table.ATAN2 else 0.0
            elif node in fixed and operation.steps and not any(errors[j] for j in operands):  # fmt: skip
                kind, error, moving = _SAME, 0.0, False
            elif kind == _SUM:
                error, moving = 1.0, moving or bool(x or y)
            elif kind == _SAME:
                error = x
            elif kind == _POWER:
                # nearly all exponents are whole numbers that are written down
                written = b < self.first and b not in variables and not y
                exponent = tape.nodes[b].data if written else 0.5
                condition = abs(exponent)
                error, bent = condition * x + 6.0, (condition + 1.0) * x + 6.0
                if exponent == int(exponent):
                    kind = _WHOLE
                else:
                    moving, condition = True, operation is not table.POW
            elif kind == _SEVERAL:
                # a corner counts without an error
                a, error, moving = operands, 8.0, True
                condition = condition, operation.own_error
            elif kind == _FUNCTION:
                error, bent, moving = 4.0, 6.0, moving or bool(x)
            errors.append(error)
            self.bent.append(bent)
            moves.append(moving)
            self.kinds.append(kind)
            if moving:
                own = _PRODUCT if kind == _QUOTIENT else kind
                self.moving.append((node, own, condition, operation, a, b))

    def _draw(self) -> None:
        """The edges of the reverse sweep; the error at -1 is none."""
        count = len(self.tape.nodes)
        for step, node, places in self.tape.ways(self.active):
            if step is None:
                self.edges.append((places[0], node, places[-1] + 1, -1, _MEETING))
                self.sources.append((self.tape.steps[0], 0))  # which nobody asks for
                continue
            kind, a, b = self.kinds[node - self.first], step.operands[0], step.operands[-1]  # fmt: skip
            for position, (j, to) in enumerate(zip(step.operands, places, strict=True)):
                if not self.active[j]:
                    continue
                if kind in (_SUM, _SAME):
                    more = (-1, -1, 2.0)
                elif kind == _PRODUCT:
                    more = (a if position else b, -1, 2.0)
                elif kind == _QUOTIENT:
                    more = (node, b, 3.0) if position else (b, -1, 2.0)
                elif step.operation.rule == "power" and position:
                    more = (node, a, _LOGARITHM)
                else:
                    more = (count + node, -1, 2.0)
                self.edges.append((node, to, *more))
                self.sources.append((step, position))

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
        if not self.known:
            return None
        try:
            errors, bent = self._errors(values)
            together = sum(errors) + sum(bent)
            if together > LARGE_ERROR:
                errors = [1.001 * error for error in errors]
                bent = [1.001 * error for error in bent]
            # a comparison that NaN fails: so far out there are errors that are no numbers
            if not (together <= LARGEST_ERROR and errors[-1] * UNIT <= enough):
                return None
            self._refuse_small(values, adjoints, errors)
            errors += bent
            errors.append(0.0)
            found = self._partials(values, errors, adjoints, gathered)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            return None  # TypeError: of a branch that has no value
        if not all(error * UNIT <= enough for error in found):
            return None
        bounds = {
            name: error * UNIT * abs(adjoints[self.tape.variables[name]])
            for name, error in zip(self.names, found, strict=True)
        }
        own = adjoints[: len(values)]
        return Checked(values, own, errors[len(values) - 1], bounds)

    def _errors(self, values: Sequence[Any]) -> tuple[list[float], list[float]]:
        """The error of every node, and that of its partials. Raises where one is out of reach."""
        errors, bent = self.errors[:], self.bent[:]
        for node, kind, condition, operation, a, b in self.moving:
            if kind == _SUM:
                total = abs(values[a]) * errors[a] + abs(values[b]) * errors[b]
                errors[node] = (total / abs(values[node]) if total else 0.0) + 1.0
            elif kind == _PRODUCT:
                errors[node] = errors[a] + errors[b] + 1.0
            elif kind == _FUNCTION:
                x, at, value = errors[a], values[a], values[node]
                if x and at:
                    (rule,) = float_partials(operation)
                    handed = abs(at * rule(value, at)) * x
                    errors[node] = (handed / abs(value) if handed else 0.0) + 4.0
                    bent[node] = condition(value, at) * x + 6.0
            elif kind == _WHOLE:
                errors[node] = condition * errors[a] + 6.0
                bent[node] = errors[node] + errors[a]
            elif kind == _SAME:
                errors[node] = errors[a]
            elif kind == _SEVERAL:
                at = [values[j] for j in a]
                errors[node], bent[node] = self._of_several(
                    node, values, at, [errors[j] for j in a], operation, *condition
                )
            else:
                of_x, of_y = errors[a], errors[b]
                errors[node], bent[node] = _of_power(
                    values[a], values[b], of_x, of_y, condition
                )
        return errors, bent

    def _of_several(
        self,
        node: int,
        values: Sequence[Any],
        at: Sequence[float],
        errors: Sequence[float],
        operation: Operation,
        shares: Any,
        own: Any,
    ) -> tuple[float, float]:
        """The error of a function of several arguments and of its partials."""
        value = values[node]
        error = bent = 8.0 if own is None else own(value, *at)
        error *= not operation.steps  # these round nothing
        try:
            conditions = shares(value, *at)
        except ZeroDivisionError:
            if any(errors) or self._meets_corner(values, node):
                raise
            return error, bent  # what is known exactly where it would be sensitive
        rules = float_partials(operation)
        for condition, rule, x, of_x in zip(conditions, rules, at, errors, strict=True):
            if of_x and condition:
                bent += condition * of_x
                handed = abs(x * rule(value, *at)) * of_x
                error += handed / abs(value) if handed else 0.0
        return error, bent

    def _refuse_small(
        self, values: Sequence[Any], adjoints: Sequence[float], errors: Sequence[float]
    ) -> None:
        """Raise `OverflowError` for numbers that may have lost digits, and zeros that are not plainly ones."""
        inner = values[self.first :]
        if inner and min(map(abs, inner)) < SMALLEST:
            if min(filter(None, map(abs, inner)), default=math.inf) < SMALLEST:
                raise OverflowError
            self._check_zeros(values, errors)
        # a partial that is handed on by a large adjoint may be smaller than what comes of it
        asked = [abs(w) for w, own in zip(adjoints, self.active, strict=False) if own]
        least = SMALLEST * max(1.0, max(map(abs, adjoints), default=0.0))
        if asked and min(asked) < least:
            if min(filter(None, asked), default=math.inf) < least:
                raise OverflowError
            self._check_adjoints(values, adjoints)

    def _check_zeros(self, values: Sequence[Any], errors: Sequence[float]) -> None:
        """Raise `OverflowError` for a zero that may be a small number, or is a corner's."""
        if self._meets_corner(values):
            raise OverflowError
        for step, kind in zip(self.tape.steps, self.kinds, strict=True):
            # the zero of a sum is exact, or its error was infinite
            if not values[step.node] and kind not in (_SUM, _SAME):
                a, b = values[step.operands[0]], values[step.operands[-1]]
                # ln(1), acos(1) and lgamma(2) are 0, and their kernels round nothing there
                exact = _is_exact(step.operation) or all(
                    not errors[j] and values[j] in (-1.0, 1.0, 2.0)
                    for j in step.operands
                )
                if a and not exact and (b or kind != _PRODUCT):
                    raise OverflowError

    def _meets_corner(self, values: Sequence[Any], at: int | None = None) -> bool:
        """Whether some step, or that at a node, stands where its rule does not give the derivative."""
        return any(
            at_corner(operation, [values[j] for j in operands])
            for node, operation, operands in self.corners.values()
            if at is None or node == at
        )

    def _check_adjoints(self, values: Sequence[Any], adjoints: Sequence[float]) -> None:
        """Raise `OverflowError` unless what is handed on as 0 is a product with 0; contributions may cancel."""
        if self._meets_corner(values):
            raise OverflowError  # a corner counts, whatever its adjoint
        for (node, to, a, b, more), (step, _) in zip(self.edges, self.sources, strict=True):  # fmt: skip
            if adjoints[to] or more == _MEETING or not adjoints[node]:
                continue
            if more == _LOGARITHM and abs(values[b]) == 1:
                continue
            a = node if a >= len(values) else b if a < 0 else a
            if values[a] and not _is_exact(step.operation):
                raise OverflowError

    def _partials(
        self,
        values: Sequence[Any],
        errors: Sequence[float],
        adjoints: Sequence[float],
        gathered: Mapping[int, float],
    ) -> list[float]:
        """The relative errors of the partial derivatives, in the order of `names`; infinite of a 0 that may be none."""
        found = [0.0] * self.size
        for edge, (node, to, a, b, more) in enumerate(self.edges):
            adjoint = adjoints[node]
            if more == _MEETING:
                found[to] = sum(found[node:a]) + (a - node) * gathered[to]
            elif adjoint and more == _LOGARITHM:
                handed = found[node] / abs(adjoint) + errors[a] + 6.0
                found[to] = abs(adjoints[to]) * handed + abs(adjoint * values[node]) * errors[b]  # fmt: skip
            elif adjoint:
                handed = found[node] / abs(adjoint)
                found[to] = abs(adjoints[to]) * (handed + errors[a] + errors[b] + more)
            elif found[node]:
                step, position = self.sources[edge]
                rule = float_partials(step.operation)[position]
                partial = rule(values[node], *[values[j] for j in step.operands])
                found[to] = found[node] * abs(partial)
        own = [self.tape.variables[name] for name in self.names]
        return [
            found[j] / abs(adjoints[j])
            if adjoints[j]
            else math.inf
            if found[j]
            else 0.0
            for j in own
        ]


def _is_exact(operation: Operation) -> bool:
    """Whether a 0 that it gives, or a partial of 0, is 0."""
    return operation.exact or operation.steps or operation.choose is not None


def _of_power(
    x: float, y: float, of_x: float, of_y: float, real: bool
) -> tuple[float, float]:
    """The error of x^y and of its partial with respect to x.

    A negative x has a power that is `real` for every y in those of fractions with odd denominators.
    """
    if x < 0 and not real:
        raise ValueError  # the slope in y has no value
    steep = abs(y) * abs(math.log(abs(x)))
    # y - 1 is rounded where y is not whole
    bent = (abs(y) + 1.0) * of_x + steep * (2.0 * of_y + (y != int(y))) + of_y + 6.0
    return abs(y) * of_x + steep * of_y + 6.0, bent
