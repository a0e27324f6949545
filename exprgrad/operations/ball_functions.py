"""The table's operations on balls, values and partials alike.

    DOUBLES.function(SIN)(x)                 # sin at the middle, the radius times the steepest slope
    DOUBLES.partials(TANH)[0](y, x)          # the table's rule 1 / cosh(x)**2, run on balls

A smooth function of one argument is computed by its kernel at the middle m of the ball [m ± r]; by the
mean value theorem it changes by at most r*max|f'| over the ball. The row says how to bound that slope:
by |f'(m)| + bend*r, where it bounds |f''|, or by the greater of the slopes at both ends. Functions of more
arguments run their formulas. Those that neither serves, such as powers and jumps, are written out here.

Kernels are not assumed to be rounded correctly: a row says how far its own may be off. That the error is no
greater is tested over random points, not proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from exprgrad.annotations import Any
from exprgrad.operations import table
from exprgrad.operations.balls import (
    ABOVE,
    FAULTS,
    Ball,
    Nothing,
    Undecided,
    Undefined,
    fault_of,
)
from exprgrad.operations.number_types import Numbers, Step, float_partials
from exprgrad.operations.operation import ENDS, Operation

STEEPER = 1 + 2.0**-30
"""More than the relative error of a slope that is computed without bounds."""

LARGEST_FACTORIAL = 10_000

Function = Callable[..., Ball]


class Balls(Numbers):
    """Balls of one class as a number type, for rules to run on.

    Functions never raise: where there is no value, they give `Nothing`. In a sweep, its fault stands there.
    """

    ball: type[Ball] = Ball
    kernel_unit: Any = Ball.unit
    """What errors of kernels are counted in."""

    faults = (Undecided, Undefined)

    def __init__(self) -> None:
        super().__init__(self._function, {"pi": self.named("pi")})
        self.zero = self.ball.nothing(Undecided("it is left out"))

    def __enter__(self) -> Balls:
        return self

    def __exit__(self, *exception: object) -> None:
        """Doubles are everybody's."""

    def number(self, thing: Any) -> Ball:
        """A number as a ball: what it is, or a fraction as a pair of ints."""
        try:
            return self.ball.of(thing)
        except FAULTS as fault:
            return self.ball.nothing(fault)  # type: ignore[no-any-return] # a ball

    def named(self, name: str) -> Ball:
        """The constant e, pi or tau."""
        return self.ball(*_CONSTANTS[name])

    def constant(self, leaf: Any) -> Ball:
        """A constant of the graph: a typed decimal is that decimal, pi is π."""
        found = self.named(leaf.name) if leaf.name else self.number(leaf.ratio)
        error = getattr(leaf, "error", 0.0)
        return self.ball(found.mid, found.rad + error) if error else found

    def needed(self, step: Step, own: Sequence[Any]) -> Sequence[int]:
        """The positions that count; where the condition is not decided, what may settle it."""
        try:
            return super().needed(step, own)
        except Undecided:
            both = step.operation.arity == 2 and not isinstance(own[1], Exception)
            return (0, 1) if both else (0,)

    def value(self, step: Step, arguments: Sequence[Any]) -> Ball:
        """What a step gives. Raises its fault, which stands in its place in the sweep."""
        found: Ball = self.function(step.operation)(*arguments)
        fault = fault_of(found)
        if fault is not None:
            raise fault
        return found

    def kernel(self, operation: Operation) -> Callable[..., Any]:
        """The operation on middles."""
        return operation.kernel

    def slope(self, operation: Operation) -> Callable[..., Any]:
        """The partial of an operation of one argument on middles."""
        return float_partials(operation)[0]

    def error(self, operation: Operation, value: Any) -> Any:
        """How far a kernel may be off."""
        relative, absolute = operation.kernel_error
        return (relative * abs(value) + absolute) * self.kernel_unit + self.ball.least

    def _function(self, operation: Operation) -> Function:
        number, nothing = self.number, self.ball.nothing
        compute = self.defined(operation)
        choose = operation.choose is not None

        def function(*arguments: Any) -> Ball:
            balls = [a if isinstance(a, Ball) else number(a) for a in arguments]
            if not choose:  # a branch that is not taken may have no value
                for ball in balls:
                    if isinstance(ball, Nothing):
                        return ball
            try:
                return compute(*balls)
            except FAULTS as fault:
                return nothing(fault)  # type: ignore[no-any-return] # a ball

        return function

    def defined(self, operation: Operation) -> Function:
        """How the operation is computed from balls; may raise one of `FAULTS`."""
        if operation.native:
            native: Any = operation.kernel
            return native  # type: ignore[no-any-return] # of balls it makes balls
        own = OWN.get(operation)
        if own is not None:
            return lambda *balls: own(self, *balls)
        if operation.bend is not None:
            return lambda *balls: self.smooth(operation, *balls)
        if operation.formula is not None:
            return lambda *balls: self.by_formula(operation, *balls)
        # what only compares, rounds and chooses can be asked of balls themselves
        return lambda *balls: self.number(operation.kernel(*balls))

    def refuse_outside(self, operation: Operation, balls: Sequence[Ball]) -> None:
        """Raise `Undefined` outside of the domain, `Undecided` where a ball reaches over its edge."""
        for condition in operation.domain:
            if not self.bind(condition.holds)(*balls):
                raise Undefined(f"{operation.title} needs {condition.needs}")

    def at_corner(self, operation: Operation, balls: Sequence[Ball]) -> bool:
        """Whether the rule does not give the derivative. Raises `Undecided`."""
        corner = operation.corner
        return corner is not None and bool(self.bind(corner)(*balls))

    def at_edge(self, operation: Operation, balls: Sequence[Ball], index: int) -> bool:
        """Whether the domain ends here in that argument. Raises `Undecided`."""
        edge = operation.edges[index]
        return edge is not None and bool(self.bind(edge)(*balls))

    def by_formula(self, operation: Operation, *balls: Ball) -> Ball:
        """The row's formula; it may have values where the row has none."""
        self.refuse_outside(operation, balls)
        assert operation.formula is not None
        return self.number(self.bind(operation.formula)(*balls))

    def smooth(self, operation: Operation, x: Ball, *orders: Ball) -> Ball:
        """The kernel at the middle, and the radius times the steepest slope."""
        self.refuse_outside(operation, (x, *orders))
        kernel, whole = self.kernel(operation), [order.mid for order in orders]
        y = kernel(x.mid, *whole)
        error = self.error(operation, y)
        if x.exact:
            # exp(0), ln(1), acos(1): what is whole at 0, 1 and -1 is so exactly
            special = abs(x.mid) <= 1 and x.mid == x.floor(x.mid)
            whole_y = special and y == x.floor(y)
            return self.number(x.floor(y)) if whole_y else self.ball(y, error)
        return self.ball(y, self._steepest(operation, y, x, whole) * x.rad + error)

    def _steepest(self, operation: Operation, y: Any, x: Ball, whole: list[Any]) -> Any:
        """The greatest slope in the ball x."""
        slope, bend = self.slope(operation), operation.bend
        if bend == ENDS:
            kernel = self.kernel(operation)
            most = max(abs(slope(kernel(end, *whole), end, *whole)) for end in x.ends)
            if most < self.ball.smallest:
                raise Undecided("a slope underflows")
            return most * STEEPER
        bound = bend(*whole) if callable(bend) else bend
        slack = (operation.kernel_error[1] + 4) * self.kernel_unit
        return (abs(slope(y, x.mid, *whole)) + slack + bound * x.rad) * STEEPER


_CONSTANTS = {
    "e": (math.e, 1.5e-16),
    "pi": (math.pi, 1.3e-16),
    "tau": (math.tau, 2.5e-16),
}
"""The constants as doubles, and more than these are off."""

# Operations that are written out. Each gets the number type and balls.

OWN: dict[Operation, Callable[..., Ball]] = {
    table.MOD: lambda n, x, y: x % y,
    table.ABS: lambda n, x: abs(x),
    table.FLOOR: lambda n, x: n.number(math.floor(x)),
    table.CEIL: lambda n, x: n.number(math.ceil(x)),
    table.ROUND: lambda n, x: n.number(round(x)),
    table.RELU: lambda n, x: _larger(n, x, n.number(0)),
    table.CBRT: lambda n, x: _power_odd(n, x, n.number((1, 3))),
    table.ROOT: lambda n, x, degree: _root(n, x, degree),
}


def own(operation: Operation) -> Callable[[Function], Function]:
    """Declare how an operation is computed on balls."""

    def declare(compute: Function) -> Function:
        OWN[operation] = compute
        return compute

    return declare


@own(table.AND)
def _both(n: Balls, x: Ball, y: Ball) -> Ball:
    try:
        return n.number(int(bool(x) and bool(y)))
    except Undecided:
        if isinstance(y, Nothing) or y:
            raise
        return n.number(0)


@own(table.OR)
def _either(n: Balls, x: Ball, y: Ball) -> Ball:
    try:
        return n.number(int(bool(x) or bool(y)))
    except Undecided:
        if isinstance(y, Nothing) or not y:
            raise
        return n.number(1)


@own(table.IF)
def _chosen(n: Balls, condition: Ball, x: Ball, y: Ball) -> Ball:
    return x if condition else y


@own(table.MAX)
def _larger(n: Balls, x: Ball, y: Ball) -> Ball:
    try:
        return y if x < y else x
    except Undecided:
        return n.ball(max(x.mid, y.mid), max(x.rad, y.rad))


@own(table.MIN)
def _smaller(n: Balls, x: Ball, y: Ball) -> Ball:
    try:
        return x if x < y else y
    except Undecided:
        return n.ball(min(x.mid, y.mid), max(x.rad, y.rad))


@own(table.FACTORIAL)
def _factorial(n: Balls, x: Ball) -> Ball:
    n.refuse_outside(table.FACTORIAL, (x,))
    if x > LARGEST_FACTORIAL:
        raise Undecided("a factorial is too large")
    return n.number(math.factorial(math.floor(x)))


@own(table.HYPOT)
def _hypot(n: Balls, x: Ball, y: Ball) -> Ball:
    if x.is_zero or y.is_zero:
        return abs(y if x.is_zero else x)
    mid = n.kernel(table.HYPOT)(x.mid, y.mid)  # with slopes x/z and y/z, at most 1
    return n.ball(mid, x.rad + y.rad + n.error(table.HYPOT, mid))


@own(table.ATAN2)
def _atan2(n: Balls, y: Ball, x: Ball) -> Ball:
    n.refuse_outside(table.ATAN2, (y, x))
    if y.is_zero and x > 0:
        return y
    # every point of the ball is further than this from the origin, and 1/r bounds the slopes
    far = max(abs(x.mid) - x.rad, abs(y.mid) - y.rad) / ABOVE
    if not far > 0:
        raise Undecided("the angle of what may be the origin")
    if x.mid <= x.rad:
        y.sign()  # the ball must not reach over the cut, where the angle jumps
    mid = n.kernel(table.ATAN2)(
        y.mid + 0, x.mid
    )  # 0.0 for -0.0, on the upper side of the cut
    return n.ball(mid, y.rad / far + x.rad / far + n.error(table.ATAN2, mid))


# Powers. With a real exponent x^y = e^(y*ln x), and in the ball y*ln x moves by at most
# ry*max|ln x| + |y|*rx/min|x|.


@own(table.POW)
def _power(n: Balls, x: Ball, y: Ball) -> Ball:
    if y.exact and y.mid == y.floor(y.mid):
        return _whole_power(n, x, y)
    if x.is_zero:
        return _power_of_zero(x, y)
    if x.sign() < 0:
        math.floor(y)  # Undecided where the exponent may be whole
        raise Undefined("a root of a negative number")
    return _positive_power(n, x, y)


@own(table.POW_EVEN)
def _power_even(n: Balls, x: Ball, y: Ball) -> Ball:
    if x.is_zero:
        return _power_of_zero(x, y)
    if y > 0 and not abs(x.mid) > x.rad:
        return n.ball(0 * x.mid, _positive_power(n, n.ball(x.size), y).size)
    x.sign()
    return _positive_power(n, abs(x), y)


@own(table.POW_ODD)
def _power_odd(n: Balls, x: Ball, y: Ball) -> Ball:
    size = _power_even(n, x, y)
    return -size if x.mid < 0 else size


def _root(n: Balls, x: Ball, degree: Ball) -> Ball:
    n.refuse_outside(table.ROOT, (x, degree))
    return _power_odd(n, x, n.number(1) / degree)


def _power_of_zero(zero: Ball, y: Ball) -> Ball:
    if y > 0:
        return zero
    raise Undefined("0 to a power that is not > 0")


def _positive_power(n: Balls, x: Ball, y: Ball) -> Ball:
    if x.exact and x.mid == 1:
        return n.number(1)
    least = (abs(x.mid) - x.rad) / ABOVE
    mid = n.kernel(table.POW)(x.mid, y.mid)
    logs = max(abs(x.log(least)), abs(x.log(x.size)))
    shift = (y.rad * logs + y.size * (x.rad / least)) * ABOVE
    if shift > 0.5:
        raise Undecided("a power of a wide ball")
    spread = abs(mid) * 1.5 * shift  # as |e^t - 1| <= 1.5 |t| for such t
    return n.ball(mid, spread + n.error(table.POW, mid))


def _whole_power(n: Balls, x: Ball, y: Ball) -> Ball:
    """x^k: steepest where |x| is greatest, for k < 0 where it is least; x may reach over 0 for k > 0."""
    k = y.mid
    if k == 0 or k == 1:
        return x if k else n.number(1)
    if k < 0 and x.sign() == 0:
        raise Undefined("0 to a negative power")
    if x.is_zero:
        return x
    mid = n.kernel(table.POW)(x.mid, k)
    whole = x.exact and k > 0 and abs(mid) <= x.whole and x.mid == x.floor(x.mid)
    if whole and x.floor(x.mid) ** x.floor(k) == mid:
        return n.number(x.floor(mid))
    spread, error = 0 * mid, n.error(table.POW, mid)
    if x.rad:
        if mid and abs(mid) < x.smallest:
            raise Undecided("a power underflows")
        least = (abs(x.mid) - x.rad) / ABOVE
        shift = abs(k) * (x.rad / least) * ABOVE if least > 0 else 1
        if (
            shift < 1
        ):  # e^t - 1 <= t + t^2: a huge k leaves the size in the ball as it is
            spread = (abs(mid) + error) * shift * (1 + shift) * ABOVE
        else:
            steep = x.size if k > 0 else least
            spread = abs(k) * steep**k * (x.rad / steep) * STEEPER
    return n.ball(mid, spread + error)


DOUBLES = Balls()
"""Balls on doubles."""

Ball.raised = lambda x, y: DOUBLES.function(table.POW)(x, y)
