"""Many rows at once: values and partials with bounds on their errors, and what has to be looked at singly.

    found = Rows(tape, ("x",)).answer([ArrayBall(column)], 0.5e-10)
    found.value, found.partials                # balls: numbers with radii, row by row
    found.doubtful                             # rows whose digits may not stand, or where a rule does not hold

A forward and a reverse sweep in balls on arrays take the place of one sweep on doubles and its test (see
`rounding`) for every row. Rows at a corner that is hit exactly are swept forward once more for each
variable and side; rows that leave the range of doubles, on their way or at their end, are swept in balls whose
exponents have no end. With c' the slope of a kink on the side to which its arguments x move along x',

    z' = c'(x; x') for relu, abs, max and the like         jumps take the value of that side

(the chain rule for directional derivatives of Lipschitz functions; Shapiro, *On concepts of directional
differentiability*, 1990). Where both slopes are the same, or surely are not, that settles the partial.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.sweep import forward, reverse
from exprgrad.graph.value import Constant
from exprgrad.operations.array_balls import (
    BALLS,
    UNIT,
    ArrayBall,
    may_be_at_corner,
    slope_of,
)
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.on_arrays import elementwise
from exprgrad.operations.operation import Operation
from exprgrad.operations.scaled_balls import SCALED, ScaledBall
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.tape import Tape

LARGEST_ERROR = 2.0**-20
"""Relative errors of nodes that are no greater are small to first order."""

_NEAR = 2.0**-50
"""How far one looks to a side of a corner, beside the size of its arguments."""

_FAR = 2.0**46
"""Beyond, that may pass the next corner."""


Ball = ArrayBall | ScaledBall


class Answers(NamedTuple):
    """What is known of some rows: balls for the value and each partial, and masks.

    A row is `doubtful` where the digits of some number may not stand, or it cannot be told whether a number
    exists. `missing` has a mask for each partial that does not exist. `beyond` has, for the value and each partial, the
    rows whose number no double is close to: it lies between a*2^k and b*2^k, as a, b and k.
    """

    value: ArrayBall
    partials: list[ArrayBall]
    doubtful: Any
    missing: list[Any]
    beyond: list[dict[int, tuple[float, float, int]]]


class Rows:
    """A tape, prepared for answers on columns of numbers."""

    def __init__(self, tape: Tape, names: Sequence[str]) -> None:
        self.tape, self.names = tape, names
        self.active = tape.active(names)
        self.chooses = any(s.operation.choose is not None for s in tape.steps)
        self.constants = [(i, _constant(tape.nodes[i])) for i, _ in tape.constants]

    def answer(self, columns: Sequence[ArrayBall], enough: float) -> Answers:
        """The rows of these columns, one for each variable; relative errors of `enough` are no doubt."""
        with np.errstate(all="ignore"):
            found, lost = self._swept(columns, enough, BALLS)
            rows = np.flatnonzero(lost)
            if len(rows):
                self._swept_far(found, [c[rows] for c in columns], rows, enough)
            rows = np.flatnonzero(found.doubtful)
            if len(rows):
                self._settle(found, [c[rows] for c in columns], rows, enough)
        return found

    def _swept(
        self, columns: Sequence[ArrayBall], enough: float, kind: Numbers
    ) -> tuple[Answers, Any]:
        """All rows by the rules, without a look at sides; and where a number left the range of doubles."""
        tape, count = self.tape, max(np.size(c.mid) for c in columns)
        values = self._leaves(columns)
        if kind is SCALED:
            values = [None if v is None else ScaledBall.of(v) for v in values]
        doubtful, lost = np.zeros(count, bool), np.zeros(count, bool)
        forward(tape.steps, _Columns(kind), values)
        needed = self._needed(values, count)
        for step in tape.steps:
            ball, own = values[step.node], [values[j] for j in step.operands]
            size = np.abs(ball.mid)
            bad = ~(ball.rad <= LARGEST_ERROR * size) | ~np.isfinite(size)
            lost |= _out_of_range(ball) & needed[step.node]
            if self._may_have_corner(step):
                corner = may_be_at_corner(step.operation, [b.plain for b in own])
                if not self.active[step.node]:  # exact arguments have one value
                    inexact = [np.asarray(ball.rad) != 0 for ball in own]
                    corner = corner & np.any(np.broadcast_arrays(*inexact), axis=0)
                bad = bad | corner
            for position, j in enumerate(step.operands):
                # an edge of the domain counts, whatever its adjoint: ceil(x^y) for x < 0
                if self.active[j]:
                    taken = _chosen(step, position, own[0])
                    bad = bad | (_lacks_slope(step, position, values, kind) & taken)
            doubtful |= bad & needed[step.node]
        value = values[tape.root]
        partials = self._pulled(values, needed, kind)
        for ball in (value, *partials):
            doubtful |= ~(ball.rad <= enough * np.abs(ball.mid)) | ~np.isfinite(
                ball.mid
            )
            lost |= _out_of_range(ball)
        masks = [np.zeros(count, bool) for _ in self.names]
        whole = [_filled(ball, count) for ball in (value, *partials)]
        far: list[dict[int, tuple[float, float, int]]] = [{} for _ in whole]
        return Answers(whole[0], whole[1:], doubtful, masks, far), doubtful & lost

    def _swept_far(
        self, found: Answers, columns: Sequence[ArrayBall], rows: Any, enough: float
    ) -> None:
        """Rows whose numbers leave the range of doubles, swept again in numbers without that end."""
        own, _ = self._swept(columns, LARGEST_ERROR, SCALED)
        sure = ~own.doubtful
        numbers = [found.value, *found.partials]
        fars: Any = (own.value, *own.partials)
        for ball, far, beyond in zip(numbers, fars, found.beyond, strict=True):
            near, known = _nearest(far, enough)
            lost = (near.mid == 0) | np.isinf(near.mid)
            lost &= (far.mid != 0) & np.isfinite(far.mid)
            known[lost] = (far.rad <= enough * np.abs(far.mid))[lost]
            sure &= known
            ball.mid[rows], ball.rad[rows] = near.mid, near.rad
            for i in np.flatnonzero(lost & known).tolist():
                low, high = far.mid[i] - far.rad[i], far.mid[i] + far.rad[i]
                beyond[int(rows[i])] = float(low), float(high), int(far.exponent[i])
        found.doubtful[rows] = ~sure

    def _leaves(self, columns: Sequence[ArrayBall]) -> list[Any]:
        values: list[Any] = [None] * len(self.tape.nodes)
        for i, column in zip(self.tape.variables.values(), columns, strict=True):
            values[i] = column
        for i, constant in self.constants:
            values[i] = constant
        return values

    def _may_have_corner(self, step: Step) -> bool:
        """Whether it matters that a step stands at a corner: then its derivative or its value hangs on that."""
        rules = (step.operation.corner, *step.operation.edges)
        return any(rule is not None for rule in rules)

    def _needed(self, values: Sequence[ArrayBall], count: int) -> list[Any]:
        """For every node where the result depends on it: not in a branch that is not taken."""
        if not self.chooses:
            return [True] * len(values)
        needed: list[Any] = [np.zeros(count, bool) for _ in values]
        needed[self.tape.root] = np.ones(count, bool)
        for step in reversed(self.tape.steps):
            own = needed[step.node]
            for position, j in enumerate(step.operands):
                mask = _chosen(step, position, values[step.operands[0]])
                needed[j] = needed[j] | (own & mask)
        return needed

    def _pulled(
        self, values: Sequence[Ball], needed: Sequence[Any], kind: Numbers
    ) -> list[Any]:
        """The adjoints of the variables."""
        one, zero = (ArrayBall(np.float64(number)) for number in (1.0, 0.0))
        adjoints: list[Any] = [None] * len(values)
        adjoints[self.tape.root] = ScaledBall.of(one) if kind is SCALED else one
        numbers = _Pulled(self, values, needed, kind)
        reverse(self.tape.steps, numbers, values, adjoints, self.active)
        found = [adjoints[self.tape.variables[name]] for name in self.names]
        none = ScaledBall.of(zero) if kind is SCALED else zero
        return [none if a is None else a for a in found]

    # Rows at corners

    def _settle(
        self, found: Answers, columns: Sequence[ArrayBall], rows: Any, enough: float
    ) -> None:
        """Look at doubtful rows from both sides, for each variable."""
        open_rows = np.zeros(len(rows), bool)
        for position, name in enumerate(self.names):
            right, left = (_Side(self, columns, name, sign) for sign in (1.0, -1.0))
            slope = right.slope
            other = -left.slope
            gap = np.abs(slope.mid - other.mid)
            apart = (gap > slope.rad + other.rad) & np.isfinite(gap)
            apart |= right.jumps | left.jumps
            exact = (slope.rad == 0) & (other.rad == 0)
            kinked = right.kinked | left.kinked
            same = (gap == 0) & (exact | ~kinked)
            doubt = right.doubtful | left.doubtful | ~(apart | same)
            doubt |= same & ~apart & ~(slope.rad <= enough * np.abs(slope.mid))
            open_rows |= doubt
            settled = ~doubt
            ball = found.partials[position]
            ball.mid[rows[settled]] = np.where(apart, np.nan, slope.mid)[settled]
            ball.rad[rows[settled]] = np.where(apart, 0.0, slope.rad)[settled]
            found.missing[position][rows] = apart & settled
        value = found.value[rows]
        open_rows |= ~(value.rad <= enough * np.abs(value.mid))
        if not self.names:
            open_rows[:] = True
        found.doubtful[rows] = open_rows


class _Columns(Numbers):
    """Balls on arrays, both branches of a choice included: a mask has the rows that take one."""

    chooses = False

    def __init__(self, kind: Numbers) -> None:
        super().__init__(kind.function)
        self.kind = kind


class _Pulled(_Columns):
    """The same in a reverse sweep: contributions, and 0 in rows where the branch is not taken."""

    def __init__(
        self, rows: Rows, values: Sequence[Ball], needed: Sequence[Any], kind: Numbers
    ) -> None:
        super().__init__(kind)
        self.masked, self.values, self.needed_in = rows.chooses, values, needed

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """The contribution to an operand."""
        part = _contribution(step, position, adjoint, self.values, self.kind)
        if part is None or not self.masked:
            return part
        return part.masked(self.needed_in[step.node] & _chosen(step, position, own[0]))


class _Side(_Columns):
    """Rows as seen from one side along a variable: value and directional derivative.

    A row is `kinked` where the slope hangs on the side, by this sweep's own account.
    """

    def __init__(
        self, rows: Rows, columns: Sequence[ArrayBall], name: str, sign: float
    ) -> None:
        super().__init__(BALLS)
        tape, count = rows.tape, max(np.size(c.mid) for c in columns)
        self.active = Tape.active(tape, (name,))
        self.doubtful, self.kinked = np.zeros(count, bool), np.zeros(count, bool)
        self.values = rows._leaves(columns)
        self.centers: list[Any] = list(self.values)
        self.tangents: list[ArrayBall | None] = [None] * len(self.values)
        self.tangents[tape.variables[name]] = ArrayBall(np.full(count, sign))
        self.bad: list[Any] = [np.zeros(count, bool) for _ in self.values]
        self.bent: list[Any] = [np.zeros(count, bool) for _ in self.values]
        forward(tape.steps, self, self.values)
        value, center = self.values[tape.root], self.centers[tape.root]
        gap = np.broadcast_to(np.abs(value.mid - center.mid), (count,))
        self.jumps = gap > value.rad + center.rad
        slope = self.tangents[tape.root]
        self.slope = _filled(slope or ArrayBall(np.float64(0.0)), count)
        self.doubtful |= self.bad[tape.root] | ((gap > 0) & ~self.jumps) | np.isnan(gap)
        self.kinked |= self.bent[tape.root]

    def value(self, step: Step, arguments: Sequence[Any]) -> ArrayBall:
        """One step of the sweep, away from its corner, or on this side of it."""
        operation, node, own = step.operation, step.node, list(arguments)
        moves = [self.tangents[j] for j in step.operands]
        function = BALLS.function(operation)
        self.values[node] = value = function(*own)
        self.centers[node] = function(*[self.centers[j] for j in step.operands])
        tangent: ArrayBall | None = None
        bad = ~(value.rad <= LARGEST_ERROR * np.abs(value.mid)) | ~np.isfinite(
            value.mid
        )
        bent = np.zeros(np.shape(bad), bool)
        rules = (operation.corner, *operation.edges)
        cornered = any(rule is not None for rule in rules)
        corner = may_be_at_corner(operation, own) if cornered else np.False_
        for position, j in enumerate(step.operands):
            taken = _chosen(step, position, own[0])
            bad = bad | (self.bad[j] & taken)
            bent = bent | (self.bent[j] & taken)
            part = None
            move = moves[position]
            if self.active[j]:
                lacking = _lacks_slope(step, position, self.values, BALLS)
                bad = bad | (lacking & taken & ~corner)
            if move is not None:
                part = _contribution(step, position, move, self.values, BALLS)
            if part is not None:
                if operation.choose is not None:
                    part = part.masked(taken)
                tangent = part if tangent is None else tangent + part
        if np.any(corner):
            tangent, at_fault, turned = self._at_corner(
                step, own, moves, tangent, corner
            )
            bad, bent = bad | at_fault, bent | turned
        self.bad[node], self.bent[node] = bad, bent
        if self.active[node]:
            self.tangents[node] = tangent
        return self.values[node]  # type: ignore[no-any-return] # a ball

    def _at_corner(
        self,
        step: Step,
        own: Sequence[ArrayBall],
        moves: Sequence[ArrayBall | None],
        tangent: ArrayBall | None,
        corner: Any,
    ) -> tuple[ArrayBall | None, Any, Any]:
        """The tangent where rows stand at the corner; which of them are not settled, and which depend on the side."""
        operation, value = step.operation, self.values[step.node]
        sure = corner
        for ball in own:
            sure = sure & (np.asarray(ball.rad) == 0) & (np.abs(ball.mid) < _FAR)
        if all(move is None for move in moves):
            # its arguments stand still, and its value is no doubt if they are exact
            return tangent, corner & ~sure, np.zeros(np.shape(corner), bool)
        if operation.choose is not None or any(e is not None for e in operation.edges):
            return tangent, corner, np.zeros(np.shape(corner), bool)
        still: Any = True
        for move in moves:
            if move is not None:
                still = still & (move.mid == 0) & (np.asarray(move.rad) == 0)
        if operation.steps:
            # something may move yet, of a second order
            there, settled = self._beside(operation, own, moves)
            settled = settled & sure & ~still
            self.values[step.node] = ArrayBall(
                np.where(settled, there, value.mid), value.rad
            )
            return tangent, corner & ~settled, settled & (there != value.mid)
        ahead = _Kink(operation, value.mid, own, moves)
        everywhere: Any = True
        for signs in product((1.0, -1.0), repeat=len(own)):
            lanes = [ArrayBall(np.float64(sign)) for sign in signs]
            everywhere = everywhere & _Kink(operation, value.mid, own, lanes).holds
        settled = sure & np.where(still, everywhere, ahead.holds)
        assert tangent is not None
        mid = np.where(corner, np.where(still, 0.0, ahead.slope), tangent.mid)
        rad = np.where(corner, np.where(still, 0.0, ahead.error), tangent.rad)
        return ArrayBall(mid, rad), corner & ~settled, corner & ~still

    def _beside(
        self,
        operation: Operation,
        own: Sequence[ArrayBall],
        moves: Sequence[ArrayBall | None],
    ) -> tuple[Any, Any]:
        """The value of steps on this side, and where that is sure."""
        near, nearer = _moved(own, moves, _NEAR), _moved(own, moves, _NEAR / 4)
        there = elementwise(operation, near)
        corner = may_be_at_corner(operation, [ArrayBall(a) for a in near])
        return there, (there == elementwise(operation, nearer)) & ~corner


class _Kink:
    """An operation seen from its corner along tangents: the slope that way, and its error.

    It `holds` where the operation goes straight: partials do not change, and the value follows them.
    """

    def __init__(
        self,
        operation: Operation,
        center: Any,
        own: Sequence[ArrayBall],
        moves: Sequence[ArrayBall | None],
    ) -> None:
        near, nearer = _moved(own, moves, _NEAR), _moved(own, moves, _NEAR / 4)
        there, closer = elementwise(operation, near), elementwise(operation, nearer)
        self.slope: Any = 0.0
        self.error: Any = 0.0
        self.holds: Any = True
        for position, move in enumerate(moves):
            if move is not None:
                one = slope_of(operation, position, there, near)
                two = slope_of(operation, position, closer, nearer)
                self.holds = self.holds & (one == two) & np.isfinite(one)
                self.slope = self.slope + one * move.mid
                rounding = np.where(np.abs(one) == 1, 0.0, 8 * UNIT * np.abs(one))
                self.error = (
                    self.error + np.abs(one) * move.rad + rounding * np.abs(move.mid)
                )
        size = _NEAR * _scale(own, moves)
        chord = np.abs(there - center - size * self.slope)
        room = 2.0**-6 * size * np.abs(self.slope) + 16 * UNIT * np.abs(center)
        self.holds = self.holds & (chord <= room)


def _moved(
    own: Sequence[ArrayBall], moves: Sequence[ArrayBall | None], far: float
) -> list[Any]:
    """The arguments, a little further along their tangents."""
    size = far * _scale(own, moves)
    return [
        np.asarray(ball.mid if move is None else ball.mid + size * move.mid)
        for ball, move in zip(own, moves, strict=True)
    ]


def _scale(own: Sequence[ArrayBall], moves: Sequence[ArrayBall | None]) -> Any:
    """How far arguments may go: their size, over that of their tangents."""
    size: Any = 0.0
    speed: Any = 0.0
    for ball, move in zip(own, moves, strict=True):
        size = np.maximum(size, np.abs(ball.mid))
        if move is not None:
            speed = np.maximum(speed, np.abs(move.mid))
    return np.where(size == 0, 1.0, size) / np.where(speed == 0, 1.0, speed)


def _contribution(
    step: Step, position: int, other: Any, values: Sequence[Ball], kind: Numbers
) -> Any:
    """An adjoint or a tangent times the local partial; None where that is the number 0."""
    partial = step.operation.partials[position]
    if not callable(partial):
        if not partial:
            return None
        return other if partial == 1 else other * float(partial)
    own = [values[j] for j in step.operands]
    return other * kind.partials(step.operation)[position](values[step.node], *own)


def _lacks_slope(
    step: Step, position: int, values: Sequence[Ball], kind: Numbers
) -> Any:
    """Where the local partial is infinite, or has no value."""
    if not callable(step.operation.partials[position]) or step.operation.native:
        return np.False_  # what is finite if the value is
    if kind is SCALED:
        own = [values[j] for j in step.operands]
        far = SCALED.partials(step.operation)[position](values[step.node], *own)
        return ~np.isfinite(np.asarray(getattr(far, "mid", far)))
    mids = [np.asarray(values[j].mid) for j in step.operands]
    slope = slope_of(step.operation, position, values[step.node].mid, mids)
    return ~np.isfinite(np.asarray(slope))


def _chosen(step: Step, position: int, condition: Ball) -> Any:
    """Where the operation looks at that operand: `if` at the condition, and at one branch."""
    choose = step.operation.choose
    if choose is None or not position:
        return np.True_
    if_true, if_false = choose(1.0) == position, choose(0.0) == position
    return np.where(condition.mid != 0, if_true, if_false)


def _filled(ball: Any, count: int) -> Any:
    """A ball with an element for every row, to be written to."""
    mid, rad = (np.broadcast_to(a, (count,)).copy() for a in (ball.mid, ball.rad))
    if isinstance(ball, ScaledBall):
        return ScaledBall(mid, rad, np.broadcast_to(ball.exponent, (count,)))
    return ArrayBall(mid, rad)


def _out_of_range(ball: Ball) -> Any:
    """Where a number may have left the range of doubles."""
    return ~(np.asarray(ball.rad) < np.inf) | ~np.isfinite(ball.mid)


def _nearest(ball: ScaledBall, enough: float) -> tuple[ArrayBall, Any]:
    """These numbers as doubles, and where they are known well enough.

    Those that have too few digits for that are to be the nearest doubles, 0 among them.
    """
    mid, low, high = (
        np.ldexp(number, ball.exponent)
        for number in (ball.mid, ball.mid - ball.rad, ball.mid + ball.rad)
    )
    small = np.abs(mid) < _LEAST_NORMAL
    rad = np.ldexp(ball.rad, ball.exponent)
    rad = rad + np.where(small & (ball.mid != 0), _LEAST, 0.0)
    known = np.isfinite(mid) & ((rad <= enough * np.abs(mid)) | (low == high))
    return ArrayBall(mid, rad), known


_LEAST_NORMAL, _LEAST = 2.0**-1022, 5e-324
"""The least double that has all digits, and the least of all."""


def _constant(leaf: Any) -> ArrayBall:
    """A constant of the graph, with the error of its double."""
    assert isinstance(leaf, Constant)
    data = np.float64(leaf.data or 0.0)
    error = 1.0 if leaf.ratio is None else Coordinate.of(leaf.ratio).error
    return ArrayBall(data, float(error * UNIT * abs(data)) if error else 0.0)
