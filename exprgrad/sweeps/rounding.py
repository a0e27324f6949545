"""How far a sweep on doubles may be off: a cheap test beside it.

Errors are relative, in units of 2^-53. A leaf has that of its double; an operation hands on the errors of
its operands times their condition numbers |x f'/f|, and adds its own rounding:

    product, quotient   e_a + e_b + 1             sum   (|a| e_a + |b| e_b) / |a + b| + 1
    function            c(x) e_x + 4              power    |y| e_x + |y ln x| e_y + 6
    of several          sum of c_k e_k + 8        if       that of the branch
                        (its own error in place of 8, where its row tells that)

The error of the last node is that of the value; constant subexpressions count like all others. On its way
back an adjoint w meets local partials p, each with the error e that the condition number of f' makes. These
errors are absolute, since adjoints may cancel and what they are handed on to may not: from d, that of w,

    |w p| e + d |p|

is handed on, and where n contributions c_k meet, at a node that is used n times, their errors d_k are added up:

    sum of (d_k + n |c_k|)

(Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 1, 3 and 4.)

This is a bound to first order. So it is no answer, but an alarm, where something is not small: an error near
2^-20, a number near the end of the range, a kink, or a zero that is not plainly one, such as 0 times a number
or the sine of 0. The alarm says nothing against the result: balls decide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter

from exprgrad.annotations import Any
from exprgrad.operations import table
from exprgrad.operations.number_types import Step, at_corner, float_partials
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.tape import Tape

UNIT = 2.0**-53
SMALLEST = 1e-290
"""Below this, values and adjoints may have lost digits to underflow."""

LARGEST_ERROR = 2.0**33
"""Errors that are together no greater are small to first order."""

_SUM, _PRODUCT, _QUOTIENT, _SIGN, _WHOLE, _POWER, _FUNCTION, _SEVERAL = range(8)
_KINDS = {
    table.ADD: _SUM,
    table.SUB: _SUM,
    table.MUL: _PRODUCT,
    table.DIV: _QUOTIENT,
    table.NEG: _SIGN,
}

_MEETING = -1.0

Moving = tuple[int, int, Any, Any, Any]


class Rounding:
    """A tape, the errors of its leaves and the variables asked for, prepared for many points.

    `moving` are the steps whose errors depend on the point: node, kind, condition number (of a power to a
    variable: how that is taken) and operands, of several all in the first place; the errors of the others are known. `edges` are the
    ways of the reverse sweep: from a node to the place of an operand, two errors that are added, and a
    number; or to a node, from its places, their end in place of the first error, which is marked by a
    number of `_MEETING`. `sources` has for each of the first kind its step and the position of the operand.
    `corners` are the steps that may stand at one where something is 0. `most` is the number of uses of the node that is used most. `known` says that
    every step has a condition number. `steps` and `kinds` are those of all steps.
    """

    def __init__(
        self, tape: Tape, leaves: Sequence[float], names: Sequence[str]
    ) -> None:
        self.errors, self.first = list(leaves), len(leaves)
        self.names = names
        self.variables = [tape.variables[name] for name in names]
        active = tape.active(names)
        self.known = True
        # the adjoints that must not have lost digits
        inner = [step.node for step in tape.steps if active[step.node]]
        asked = (*self.variables, *inner)
        self.adjoints = itemgetter(*asked, asked[0]) if asked else None
        self.moving: list[Moving] = []
        self.steps = tape.steps
        self.kinds = self._prepare(tape, active)
        self.corners = [step for step in tape.corners if active[step.node]]
        places, self.size = tape.places(active)
        self.most = max(map(len, places.values()), default=1)
        self.edges: list[tuple[int, int, int, int, float]] = []
        self.sources: list[tuple[Step, int]] = []
        self._draw(tape, active)

    def _prepare(self, tape: Tape, active: Sequence[bool]) -> list[int]:
        """The errors that no point changes, and the steps of the others; the kind of every step."""
        errors, moves, kinds = self.errors, [False] * self.first, []
        variables = set(tape.variables.values())
        for node, operation, operands in tape.steps:
            several = operation.condition_numbers is not None
            kind = _KINDS.get(operation, _SEVERAL if several else _FUNCTION)
            kind = _POWER if operation.rule == "power" else kind
            condition: Any = operation.condition_number or operation.condition_numbers
            a, b = operands[0], operands[-1]
            x, y, moving = errors[a], errors[b], moves[a] or moves[b]
            if kind in (_FUNCTION, _SEVERAL) and condition is None:
                self.known = False
            if kind == _SUM and a == b and operation is table.SUB:
                error, moving = (
                    0.0,
                    False,
                )  # 0, whatever it is that is subtracted from itself
            elif kind == _SUM:
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
                    moving = True
                    condition = active[b], written and operation is not table.POW
            elif kind == _SEVERAL:
                # a corner counts without an error
                a, error, moving = operands, 8.0, True
                condition = condition, operation.own_error
            else:
                error, moving = 4.0, moving or bool(x)
            errors.append(error)
            moves.append(moving)
            kinds.append(kind)
            if moving:
                own = _PRODUCT if kind == _QUOTIENT else kind
                self.moving.append((node, own, condition, a, b))
        return kinds

    def _draw(self, tape: Tape, active: Sequence[bool]) -> None:
        """The edges of the reverse sweep; the error at -1 is none."""
        for step, node, places in tape.ways(active):
            if step is None:
                self.edges.append((places[0], node, places[-1] + 1, -1, _MEETING))
                self.sources.append((self.steps[0], 0))  # which nobody asks for
                continue
            kind, a, b = self.kinds[node - self.first], step.operands[0], step.operands[-1]  # fmt: skip
            for position, (j, to) in enumerate(zip(step.operands, places, strict=True)):
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
            errors = self._errors(values)
            together = sum(errors)
            # a comparison that NaN fails: so far out there are errors that are no numbers
            if not (together <= LARGEST_ERROR and errors[-1] * UNIT <= enough):
                return None
            if self.adjoints is not None:
                asked = self.adjoints(adjoints)
                # a partial that is handed on by a large adjoint may be smaller than what comes of it
                least = SMALLEST * max(1.0, max(map(abs, adjoints)))
                if min(map(abs, asked)) < least:
                    self._refuse_small(asked, least)
                    self._check_adjoints(values, adjoints)
            found = Checked(self, errors, values, adjoints, gathered)
            cancelled = 1.0
            for j, total in gathered.items():
                if total:
                    left = abs(adjoints[j])
                    cancelled *= total / left if left else math.inf
            # no path adds more than all errors twice, and a few for every step and use
            longest = 2.0 * self.most * together + 8.0 * len(self.edges)
            if longest * cancelled * UNIT <= enough:
                return found
            small = all(error * UNIT <= enough for error in found.partials)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            return None  # TypeError: of a branch that has no value
        return found if small else None

    def _errors(self, values: Sequence[Any]) -> list[float]:
        """The error of every node. Raises where one is out of reach."""
        errors = self.errors[:]
        inner = values[self.first :]
        if inner and min(map(abs, inner)) < SMALLEST:
            self._refuse_small(inner)
            self._check_zeros(values)
        for node, kind, condition, a, b in self.moving:
            if kind == _SUM:
                total = abs(values[a]) * errors[a] + abs(values[b]) * errors[b]
                errors[node] = (total / abs(values[node]) if total else 0.0) + 1.0
            elif kind == _PRODUCT:
                errors[node] = errors[a] + errors[b] + 1.0
            elif kind == _FUNCTION:
                x = errors[a]
                errors[node] = (
                    condition(values[node], values[a]) * x + 4.0
                    if x and values[a]
                    else 4.0
                )
            elif kind == _WHOLE:
                errors[node] = condition * errors[a] + 6.0
            elif kind == _SIGN:
                errors[node] = errors[a]
            elif kind == _SEVERAL:
                shares, own = condition
                at = [values[j] for j in a]
                pairs = zip(shares(values[node], *at), a, strict=True)
                error = 8.0 if own is None else own(values[node], *at)
                errors[node] = error + sum([c * errors[j] for c, j in pairs if c])
            else:
                of_x, of_y = errors[a], errors[b]
                errors[node] = _of_power(values[a], values[b], of_x, of_y, condition)
        return errors

    def _refuse_small(self, numbers: Sequence[float], least: float = SMALLEST) -> None:
        """Raise `OverflowError` for a number that may have lost digits; 0 is not one."""
        if min(filter(None, map(abs, numbers)), default=math.inf) < least:
            raise OverflowError

    def _check_zeros(self, values: Sequence[Any]) -> None:
        """Raise `OverflowError` for a zero that may be a small number, or is a corner's."""
        if self._meets_corner(values):
            raise OverflowError
        for step, kind in zip(self.steps, self.kinds, strict=True):
            # the zero of a sum is exact, or its error was infinite
            if not values[step.node] and kind not in (_SUM, _SIGN):
                a, b = values[step.operands[0]], values[step.operands[-1]]
                exact = _is_exact(step.operation)
                if a and not exact and (b or kind != _PRODUCT):
                    raise OverflowError

    def _meets_corner(self, values: Sequence[Any]) -> bool:
        """Whether some step stands where its rule does not give the derivative."""
        return any(
            at_corner(operation, [values[j] for j in operands])
            for _, operation, operands in self.corners
        )

    def _check_adjoints(self, values: Sequence[Any], adjoints: Sequence[float]) -> None:
        """Raise `OverflowError` unless what is handed on as 0 is a product with 0; contributions may cancel."""
        if self._meets_corner(values):
            raise OverflowError  # a corner counts, whatever its adjoint
        exact = {step.node for step in self.steps if _is_exact(step.operation)}
        for node, to, a, b, more in self.edges:
            if adjoints[to] or more == _MEETING:
                continue
            if adjoints[node] and node not in exact and values[a if a >= 0 else b]:
                raise OverflowError

    def partials(
        self,
        values: Sequence[Any],
        errors: Sequence[float],
        adjoints: Sequence[float],
        gathered: Mapping[int, float],
    ) -> list[float]:
        """The relative errors of the partial derivatives, in the order of `names`; infinite of a 0 that may be none."""
        errors = [*errors, 0.0]
        found = [0.0] * self.size
        for edge, (node, to, a, b, more) in enumerate(self.edges):
            if more == _MEETING:
                found[to] = sum(found[node:a]) + (a - node) * gathered[to]
            elif adjoints[node]:
                handed = found[node] / abs(adjoints[node])
                found[to] = abs(adjoints[to]) * (handed + errors[a] + errors[b] + more)
            elif found[node]:
                found[to] = found[node] * self._partial(edge, values)
        return [
            found[j] / abs(adjoints[j])
            if adjoints[j]
            else math.inf
            if found[j]
            else 0.0
            for j in self.variables
        ]

    def _partial(self, edge: int, values: Sequence[Any]) -> float:
        """The size of the partial derivative along an edge."""
        (node, operation, operands), position = self.sources[edge]
        rule = float_partials(operation)[position]
        return abs(rule(values[node], *[values[j] for j in operands]))


def _is_exact(operation: Operation) -> bool:
    """Whether a 0 that it gives, or a partial of 0, is 0."""
    return operation.exact or operation.steps or operation.choose is not None


def _of_power(
    x: float, y: float, of_x: float, of_y: float, how: tuple[bool, bool]
) -> float:
    """The error of x^y and of its partials, the one with respect to y being x^y ln x.

    `how` says whether y is active, and whether it is written down as a fraction of which a negative x has a power.
    """
    active, odd = how
    if x < 0 and not odd:
        raise ValueError  # the slope in y has no value
    log = abs(math.log(abs(x)))
    inside = abs(y) + (1.0 + 1.0 / log if active else 1.0)
    # y - 1 is rounded where y is not whole
    exponent = abs(y) * log * (2.0 * of_y + (y != int(y))) + of_y
    return (inside * of_x if of_x else 0.0) + exponent + 6.0


class Checked:
    """A sweep on doubles whose errors are known to be small."""

    __slots__ = ("_bounds", "_errors", "_gathered", "_swept", "rounding", "values")

    def __init__(
        self,
        rounding: Rounding,
        errors: list[float],
        values: Sequence[Any],
        swept: list[float],
        gathered: Mapping[int, float],
    ) -> None:
        self.rounding, self.values = rounding, values
        self._errors, self._swept, self._gathered = errors, swept, gathered
        self._bounds: dict[str, float] | None = None

    def __eq__(self, other: object) -> bool:
        """Whether another says the same about the errors."""
        if not isinstance(other, Checked):
            return NotImplemented
        return (self.error, self.errors) == (other.error, other.errors)

    __hash__ = None  # type: ignore[assignment] # like that of lists, which it consists of

    @property
    def adjoints(self) -> list[float]:
        """The adjoint of every node."""
        return self._swept[: len(self.values)]

    @property
    def partials(self) -> list[float]:
        """The relative errors of the partials, in units of 2^-53, in the order of `rounding.names`."""
        return self.rounding.partials(
            self.values, self._errors, self._swept, self._gathered
        )

    @property
    def relative(self) -> float:
        """The relative error of the value, in units of 2^-53."""
        return self._errors[-1]

    @property
    def error(self) -> float:
        """A bound on the error of the value."""
        return self.relative * UNIT * abs(float(self.values[-1]))

    @property
    def errors(self) -> dict[str, float]:
        """A bound on the error of each partial, by name; worked out when it is asked for."""
        if self._bounds is None:
            rounding = self.rounding
            partials = [self._swept[j] for j in rounding.variables]
            self._bounds = {
                name: error * UNIT * abs(partial)
                for name, error, partial in zip(
                    rounding.names, self.partials, partials, strict=True
                )
            }
        return self._bounds
