"""The middles of balls: numbers of high precision whose errors nobody follows.

    with precise(200) as balls:
        forward(tape, Middles(balls), {"x": 0.1})

They decide what balls would leave open; whoever uses them compares results of more and more digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from exprgrad.annotations import Any
from exprgrad.numbers.arb import Ball, Balls
from exprgrad.numbers.real import Real, magnitude
from exprgrad.operations.number_types import FAULTS, Numbers, Step
from exprgrad.operations.operation import ARITHMETIC, Operation
from exprgrad.operations.table import ABS, LN, POW, SQRT

LARGEST_MAGNITUDE = 2**64
"""Binary exponent, in size, of the numbers that are looked at."""

LARGEST_ARGUMENT, SMALLEST_ARGUMENT, LARGEST_EXPONENT = 2**15, -(2**17), 64
"""Binary exponents of the arguments of functions: the work grows with them; and of what grows faster than any power."""

OF_ANY_SIZE = (POW, SQRT, LN, ABS)
"""Functions whose work does not grow with their first argument."""


class TooLarge(Exception):
    """A number that is not worth the time that its digits would take."""


class Middles(Numbers):
    """The middles of balls: numbers of high precision whose errors nobody follows, up to a size where it is `bounded`."""

    def __init__(self, balls: Balls, bounded: bool = False) -> None:
        super().__init__(balls.function)
        self.faults = (*FAULTS, TooLarge)
        self.balls, self.bounded, self.zero = balls, bounded, balls.zero
        self.constant, self.partials = balls.constant, balls.partials  # type: ignore[method-assign] # its own

    def number(self, number: Any) -> Any:
        """A number, with all of its digits."""
        return (
            Ball(number.arb) if isinstance(number, Real) else self.balls.number(number)
        )

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """What a step gives. Raises `TooLarge`."""
        operation = step.operation
        if self.bounded and not operation.native:
            most = LARGEST_EXPONENT if operation.steep else LARGEST_ARGUMENT
            sizes = [_size(a) for a in arguments[operation in OF_ANY_SIZE :]]
            if any(not SMALLEST_ARGUMENT <= size <= most for size in sizes) and (
                not _ordinary(operation, arguments)
            ):
                raise TooLarge
        found = self._middle(self.function(operation)(*arguments))
        if self.bounded and abs(_size(found)) > LARGEST_MAGNITUDE:
            raise TooLarge
        return found

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """What a step hands on; nothing where its adjoint is 0."""
        if adjoint.is_zero:
            return None
        partial = self.partials(step.operation)[position](result, *own)
        return self._middle(self.balls.number(adjoint * partial))

    def _middle(self, ball: Ball) -> Ball:
        if ball.fault is not None:
            raise ball.fault
        return ball if ball.ratio is not None else Ball(ball.arb.mid())


def _size(ball: Ball) -> int:
    """The binary exponent of a number; that of 0 counts as 0."""
    return 0 if ball.is_zero or ball.fault is not None else magnitude(ball.arb)


def _ordinary(operation: Operation, arguments: Sequence[Any]) -> bool:
    """Whether the result is within the range of doubles: (1e9)^2 is, e^1e9 is not."""
    try:
        found = operation.kernel(*[float(a.arb) for a in arguments])
    except ARITHMETIC:
        return False
    return bool(found) and math.isfinite(found)
