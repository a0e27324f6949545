"""Coordinates: what a variable is given, as the number that is meant.

    Coordinate.of(0.1)                  # the double: 0.1000000000000000055...
    Coordinate.of(Decimal("0.1"))       # one tenth, like Fraction(1, 10) and the pair (1, 10)
    Coordinate.of(root)                 # a graph without variables, such as pi/4: that real number
    ExactPlace(root, 0.785398)          # the same for code on doubles, which sees the double

Sweeps on doubles take the `double` of a coordinate, whose relative error is `error` * 2^-53; sweeps with
bounds take its `ball`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, is_array, is_variable
from exprgrad.sweeps.rounding import UNIT, Rounding
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from fractions import Fraction

    from exprgrad.numbers.arb import Ball

NEAR = 150
"""Digits by which places are told apart."""


class Coordinate:
    """A number as it is meant: the fraction `ratio`, or the value of the graph on `tape`.

    `double` is close to it, and None beyond the range of doubles; `error` is infinite where little is known.
    """

    __slots__ = ("double", "error", "ratio", "tape")

    double: float | None
    error: float
    ratio: tuple[int, int] | None
    tape: Tape | None

    def __eq__(self, other: object) -> bool:
        """Return whether another is the same fraction, or the value of the same graph."""
        if not isinstance(other, Coordinate):
            return NotImplemented
        return (self.ratio, self.tape) == (other.ratio, other.tape)

    def __hash__(self) -> int:
        return hash((self.ratio, self.tape))

    @classmethod
    def of(cls, thing: Any) -> Coordinate:
        """Return what is meant by a number, a pair of ints, or the root of a graph without variables."""
        if isinstance(thing, Coordinate):
            return thing
        if isinstance(thing, ExactPlace):
            return cls.of(thing.exact)
        new = cls.__new__(cls)
        new.ratio = new.tape = None
        if isinstance(thing, float):
            # rules need a float itself: of those of NumPy, comparisons cannot be subtracted
            new.double, new.error = float(thing), 0.0
            new.ratio = new.double.as_integer_ratio()
        elif isinstance(thing, Value):
            new._set_graph(thing)
        else:
            new._set_ratio(thing if isinstance(thing, tuple) else _ratio(thing))
        return new

    def _set_ratio(self, ratio: tuple[int, int]) -> None:
        self.ratio = p, q = ratio
        try:
            # Python rounds the quotient of ints correctly, so that it is off by half a unit at most
            self.double = p / q
        except OverflowError:
            self.double, self.error = None, math.inf
            return
        near, unit = self.double.as_integer_ratio()
        off = abs(p * unit - near * q)
        self.error = 0.0 if not off else 1.0 if abs(self.double) > 1e-300 else math.inf

    def _set_graph(self, root: Value) -> None:
        # a lone 0.1 is one tenth, and equal to the fraction 1/10
        if root.operation is None and root.is_constant and root.ratio is not None:
            self._set_ratio(root.ratio)
            return
        self.tape = Tape(root, ())
        assert not any(map(is_variable, self.tape.nodes)), (
            "a coordinate has no variables"
        )
        exact = rational(root)
        if exact is not None:
            near = Coordinate.of(exact)
            self.double, self.error = near.double, near.error
            return
        nodes = self.tape.nodes
        constants = [constant_error(nodes[i]) for i, _ in self.tape.constants]
        # ten digits will do: the error that they leave is part of every bound that follows
        found = Rounding(self.tape, constants, ()).sweep({}, UNIT * 2**20)
        if found is not None:
            self.double = found.values[-1] + 0.0
            size = abs(self.double) * UNIT
            self.error = found.error / size if size else 0.0
            return
        from exprgrad.numbers.arb import precise

        # else the double in the middle of a ball
        with precise(80) as numbers:
            ball = self.ball(numbers)
            self.double, self.error = None, math.inf
            if ball.fault is None and math.isfinite(float(ball.arb)):
                self.double = float(ball.arb) + 0.0
                off = abs(ball.arb - self.double).upper()
                if off.is_zero():
                    self.error = 0.0
                elif abs(self.double) > 1e-300:  # below, doubles have fewer digits
                    self.error = float(off) / (abs(self.double) * UNIT) * 1.001

    @property
    def is_beyond(self) -> bool:
        """Return whether it is a number that the doubles do not reach."""
        return not self.double and self.error > 0

    def ball(self, numbers: Any) -> Ball:
        """The number as a ball; `Nothing` where it has no value, or none of this precision."""
        if self.ratio is not None:
            found: Ball = numbers.number(self.ratio)
            return found
        assert self.tape is not None
        from exprgrad.sweeps.generic import forward

        value = forward(self.tape, numbers, {})[self.tape.root]
        return numbers.missing(value) if isinstance(value, Exception) else value  # type: ignore[no-any-return] # a ball


Point = Mapping[str, Any]
"""A point as it is given: for each variable by its name a number, a graph or an array."""

Meant = Mapping[str, Coordinate]
"""A point, or a direction, as the numbers that are meant."""


class ExactPlace(float):
    """A number that is no double, for code that compares and sorts doubles: `exact` is a fraction, or a graph without variables.

    As a float it is a double next to the number, infinite beyond their range. Places are equal if they are the
    same fraction or the value of the same graph; no double is equal to one.
    """

    __slots__ = ("_near", "exact")

    exact: Fraction | Value
    _near: Fraction | None

    def __new__(cls, exact: Fraction | Value, double: float) -> ExactPlace:
        """The number with a double next to it."""
        new = super().__new__(cls, double)
        new.exact, new._near = exact, None
        return new

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactPlace) and self.exact == other.exact

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.exact)

    @property
    def near(self) -> Fraction:
        """The number as a fraction, good for `NEAR` digits if it is none.

        Raises `OverflowError` where that would be too long.
        """
        from fractions import Fraction

        if isinstance(self.exact, Fraction):
            return self.exact
        if self._near is None:
            from exprgrad.numbers.arb import precise
            from exprgrad.numbers.real import fraction, kept

            with precise(NEAR * 10 // 3 + 50) as numbers:
                found = Coordinate.of(self.exact).ball(numbers)
            is_known = found.fault is None
            self._near = (
                fraction(kept(found.arb)) if is_known else Fraction(float(self))
            )
        return self._near


class Interval(Coordinate):
    """All numbers within a radius of a double, for sweeps in balls."""

    __slots__ = ("radius",)

    def __init__(self, middle: float, radius: float) -> None:
        self.double, self.radius = middle, radius
        self.error, self.ratio, self.tape = math.inf, None, None

    def ball(self, numbers: Any) -> Any:
        """The numbers as a ball."""
        from exprgrad.numbers.arb import around

        return around(self.double or 0.0, self.radius)


class Coordinates(NamedTuple):
    """An array of numbers as they are meant: their doubles, how far these may be off, and each number.

    `error` is relative, in units of 2^-53. `root` is the graph that they are the value of, if there is one.
    """

    data: Any
    error: float
    element: Callable[[tuple[int, ...]], Any]
    root: Value | None = None


def on_arrays(thing: Any) -> bool:
    """Return whether a coordinate is an array: its numbers, or a graph without variables whose value is one."""
    if isinstance(thing, Value):
        return any(
            is_array(item.data) if item.operation is None else item.operation.whole
            for item in topological(thing)
        )
    return isinstance(thing, Coordinates) or is_array(thing)


def _ratio(number: Any) -> tuple[int, int]:
    """An int, Fraction, Decimal or NumPy number as a fraction."""
    own = number if hasattr(number, "as_integer_ratio") else float(number)
    p, q = own.as_integer_ratio()
    return int(p), int(q)


def constant_error(leaf: Any) -> float:
    """The error of a constant's double: none, half an ulp, or that of a number that is not exact."""
    error = getattr(leaf, "error", 0.0)
    if error:
        return error / (abs(leaf.data) * UNIT) if leaf.data else math.inf
    if leaf.is_whole:
        return 0.0
    ratio = leaf.ratio
    return 1.0 if ratio is None else Coordinate.of(ratio).error


def as_graph(coordinate: Coordinate | Coordinates) -> Value:
    """A coordinate as a graph without variables."""
    if isinstance(coordinate, Coordinates):
        return Constant(coordinate.data) if coordinate.root is None else coordinate.root
    if coordinate.ratio is None:
        assert coordinate.tape is not None
        return coordinate.tape.nodes[coordinate.tape.root]
    from fractions import Fraction

    return exactly(Fraction(*coordinate.ratio))


def substituted(root: Value, at: Mapping[str, Any]) -> Value:
    """A graph with numbers in place of its variables."""

    def put(item: Value, operands: tuple[Value, ...]) -> Value | None:
        return as_graph(at[item.name or ""]) if is_variable(item) else None

    from exprgrad.graph.rewriting import rebuilt

    return rebuilt(root, put)


def exactly(fraction: Fraction) -> Constant:
    """A fraction as a leaf; its double is infinite beyond their range, so that no sweep on doubles takes it."""
    constant = Constant(0.0)
    constant.exact = fraction
    try:
        constant._data = fraction.numerator / fraction.denominator
    except OverflowError:
        constant._data = math.inf
    return constant
