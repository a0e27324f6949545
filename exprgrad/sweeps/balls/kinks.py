"""Slopes on both sides of a kink, from the balls of one sweep: |x| + y, where x = 0; if(x < 1, f, g), where x = 1.

With c'(x; x') the slope of a kink on the side to which its arguments x move along x',

    z' = c'(x; x') for abs, max and the like         jumps and branches take the value of that side

(the chain rule for directional derivatives of Lipschitz functions; Shapiro, *On concepts of directional
differentiability*, 1990). What hangs on no kink is computed once, so that it is known to be the same on both sides.
Where this leaves something open, germs decide: see `sides`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.numbers.arb import BALLS, ONE, ZERO, Ball, ball_of
from exprgrad.operations import table
from exprgrad.operations.number_types import FAULTS, Step, Undecided, existing
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.tape import Tape

BESIDE = (1, 2**200)
"""The distance from a jump at which a value beside it is taken."""

STILL = Ball(ZERO.arb, ZERO.ratio)
"""The tangent of what stands still beside the point, and not only at it."""

Moving = tuple[Ball, Ball]
"""A value on one side, and the tangent there."""

Partials = Callable[[Step, Any, Sequence[Any], Sequence[int]], Any]
"""Gives the partials of a step, by position, from its value and its arguments. Raises where the rule does not hold."""


def both_sides(
    tape: Tape,
    values: Sequence[Any],
    ties: Mapping[int, Sequence[Ball]],
    partials: Partials,
    variable: int,
) -> tuple[Ball | None, Ball | None]:
    """The slopes on the left and on the right when a variable moves, None for a jump.

    `values` are those at the point, `ties` the arguments of steps that are proved to stand at a corner. Raises one
    of `FAULTS` where this is open.
    """
    start = values[variable], ONE
    moving: dict[int, Any] = {variable: (start, start)}
    for step in tape.steps:
        if any(j in moving for j in step.operands):
            pairs = [moving.get(j) or ((values[j], STILL),) * 2 for j in step.operands]
            one, other = zip(*pairs, strict=True)
            right = _stepped(step, values, ties, other, partials, 1)
            left = right
            if step.operation in KINKS or any(a is not b for a, b in pairs):
                left = _stepped(step, values, ties, one, partials, -1)
                faults = isinstance(left, Exception) or isinstance(right, Exception)
                # the same value and tangent on both sides of a kink
                if not faults and left[0] is right[0] and left[1] is right[1]:
                    left = right
            moving[step.node] = left, right
    left, right = moving.get(tape.root, ((values[tape.root], STILL),) * 2)
    return _slope(left, values[tape.root]), _slope(right, values[tape.root])


def _slope(own: Any, here: Ball) -> Ball | None:
    """The slope on one side of a result; None where it jumps."""
    if isinstance(own, Exception):
        raise own
    value, slope = own
    return slope if value is here or (value - here).sign() == 0 else None


def _stepped(
    step: Step,
    values: Sequence[Any],
    ties: Mapping[int, Sequence[Ball]],
    own: Sequence[Any],
    partials: Partials,
    side: int,
) -> Any:
    """A step on one side: its value and tangent, or the fault in their place."""
    value, operation, operands = values[step.node], step.operation, step.operands
    # max(x, x) is x, and has no kink although it is always at a tie
    twice = len(operands) == 2 and operands[0] == operands[1]
    try:
        if operation is table.IF:
            return _there(own[1 if _sign(_there(own[0]), side) else 2])
        moved = [_there(a) for a in own]
        arguments = [v for v, _ in moved]
        still = all(a is values[j] for a, j in zip(arguments, operands, strict=True))
        if not still:
            value = existing(BALLS.function(operation)(*arguments))
        positions = [i for i, (_, t) in enumerate(moved) if t is not STILL]
        if operation.rule == "logic":
            for x, _ in (moved[i] for i in positions):
                if not x.sign():
                    raise Undecided("a truth changes")
            return value, STILL
        base, still_base = moved[0]
        if not positions or (
            # 0^u and 1^u, but 0^0
            operation.rule == "power"
            and still_base is STILL
            and (base.is_one or (base.is_zero and arguments[1].sign() > 0))
        ):
            return value, STILL
        if still:
            arguments = list(ties.get(step.node, arguments))
        if operation in KINKS and not twice and BALLS.at_corner(operation, arguments):
            pairs = [(x, t) for x, (_, t) in zip(arguments, moved, strict=True)]
            return KINKS[operation](operation, value, pairs, side)
        if operation in _PICKING:
            for x, tangent in moved:
                if x is value:  # the same number all along
                    return x, tangent
        slopes = partials(step, value, arguments, positions)
        tangent = STILL
        for i in positions:
            if slopes[i].__class__ is not int or slopes[i]:
                part = moved[i][1] * slopes[i]
                tangent = part if tangent is STILL else tangent + part
        return value, tangent
    except FAULTS as fault:
        return fault


def _there(own: Any) -> Moving:
    if isinstance(own, Exception):
        raise own
    if isinstance(own[0], Exception):
        raise own[0]
    return own  # type: ignore[no-any-return] # a value and a tangent


def _sign(moving: Moving, side: int) -> int:
    """The sign beside the point. Raises `Undecided` where that takes more than the tangent."""
    value, tangent = moving
    sign = value.sign() or side * tangent.sign()
    if not sign and tangent is not STILL:
        raise Undecided("a tangent is 0")
    return sign


Kink = Callable[[Operation, Ball, Sequence[Moving], int], Moving]


def _compared(operation: Operation, value: Ball, own: Sequence[Moving], side: int) -> Moving:  # fmt: skip
    (x, of_x), (y, of_y) = own
    order = side * (of_x - of_y).sign()
    if not order and not (of_x is of_y and (x is y or of_x is STILL)):
        raise Undecided("the order takes more than tangents")
    return ball_of(operation.kernel(order, 0)), STILL


def _extreme(operation: Operation, value: Ball, own: Sequence[Moving], side: int) -> Moving:  # fmt: skip
    order = side * (own[0][1] - own[1][1]).sign()
    if not order:
        # of (x - 1)^2 and 0 the one that moves: it does so beyond its tangent
        return value, own[own[0][1] is STILL][1]
    return value, own[(order > 0) == (operation is table.MIN)][1]


def _bent(operation: Operation, value: Ball, own: Sequence[Moving], side: int) -> Moving:  # fmt: skip
    tangent = own[0][1] - own[1][1] if len(own) == 2 else own[0][1]
    sign = side * tangent.sign()
    if operation is table.RELU:
        return value, STILL if sign < 0 else tangent
    return value, -tangent if sign < 0 else tangent


def _jumping(operation: Operation, value: Ball, own: Sequence[Moving], side: int) -> Moving:  # fmt: skip
    ((x, tangent),) = own
    direction = side * tangent.sign()
    if not direction:
        raise Undecided("a tangent is 0")
    # any small distance will do, since the next jump is at least 1 away
    there = BALLS.function(operation)(x + ball_of(BESIDE) * direction)
    return (value if (there - value).is_zero else there), STILL


def _wrapping(operation: Operation, value: Ball, own: Sequence[Moving], side: int) -> Moving:  # fmt: skip
    (x, of_x), (y, of_y) = own
    whole = x / y
    steps, _ = _jumping(table.FLOOR, whole, [(whole, (of_x - of_y * whole) / y)], side)
    return (value if steps is whole else x - y * steps), of_x - of_y * steps


KINKS: dict[Operation, Kink] = {
    table.MAX: _extreme, table.MIN: _extreme, table.ABS: _bent, table.MAE: _bent, table.RELU: _bent,
    table.SIGN: _jumping, table.STEP: _jumping, table.FLOOR: _jumping, table.CEIL: _jumping,
    table.ROUND: _jumping, table.MOD: _wrapping,
    **dict.fromkeys((table.LT, table.LE, table.GT, table.GE, table.EQ, table.NE), _compared),
}  # fmt: skip
"""What operations do beside their corners, from the tangents of their arguments."""

_PICKING = (table.MAX, table.MIN, table.ABS, table.RELU, table.MOD)
"""Operations that give one of their arguments as it is, where they do."""
