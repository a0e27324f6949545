"""Derivatives of any order at a point, by power series whose coefficients are numbers of any type.

Along x0 + h a node is a series v = c0 + c1*h + c2*h^2 + ...; its derivative of order k is k!*c_k. Sums,
products and quotients of series are exact. For y = f(u) the chain rule y' = f'(u)*u' gives

    k*y_k = sum over j = 1 ... k of  j * u_j * p_(k-j),     p = f'(u) as a series,

and p comes from the table's own rule, run on series. It may refer to y itself (exp' = exp), since only
lower coefficients are asked for. The cost grows with the square of the order, not exponentially
(Griewank and Walther, chapter 13).

`FLOAT_SERIES` are series of floats; `PowerSeries(balls)` has a bound with every coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from exprgrad.errors import NotDifferentiableError
from exprgrad.operations import number_types
from exprgrad.operations.balls import Undecided, Undefined, fault_of
from exprgrad.operations.number_types import FLOATS, Numbers, Step
from exprgrad.operations.operation import ARITHMETIC, Operation
from exprgrad.operations.table import ABS, POW
from exprgrad.sweeps.careful import live
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.tape import Primals, Tape

HIGHEST = 60
"""The highest order that is computed."""

LARGEST_POWER = 1000
"""Whole exponents up to this one are products."""

Following = Callable[[int], Any]
"""Gives the coefficient of an order, those of lower orders being known."""


class Series:
    """A power series whose coefficients are computed when they are asked for, in rising order."""

    __slots__ = ("_calls", "_coefficients", "_next", "kind")

    def __init__(
        self, kind: PowerSeries, start: Any, following: Following | None = None
    ) -> None:
        self.kind = kind
        self._coefficients = [start]
        self._next = following
        self._calls: dict[object, Series] = {}

    def __getitem__(self, k: int) -> Any:
        known = self._coefficients
        while len(known) <= k:
            following = self._next
            known.append(following(len(known)) if following else self.kind.none)
        return known[k]

    @property
    def is_constant(self) -> bool:
        """Whether it was made from a number."""
        return self._next is None

    def _made(self, other: Series, start: Any, following: Following) -> Series:
        constant = self.is_constant and other.is_constant
        return Series(self.kind, start, None if constant else following)

    def __add__(self, other: Any) -> Series:
        a, b = self, self.kind.number(other)
        return a._made(b, a[0] + b[0], lambda k: a[k] + b[k])

    def __neg__(self) -> Series:
        return self._made(self, -self[0], lambda k: -self[k])

    def __sub__(self, other: Any) -> Series:
        return self + -self.kind.number(other)

    def __rsub__(self, other: Any) -> Series:
        return self.kind.number(other) + -self

    def __mul__(self, other: Any) -> Series:
        a, b = self, self.kind.number(other)
        if a.is_constant or b.is_constant:
            constant, moving = (a, b) if a.is_constant else (b, a)
            return a._made(b, a[0] * b[0], lambda k: constant[0] * moving[k])
        total = self.kind.total
        return a._made(
            b, a[0] * b[0], lambda k: total(a[j] * b[k - j] for j in range(k + 1))
        )

    def __truediv__(self, other: Any) -> Series:
        a, b = self, self.kind.number(other)
        if b.is_constant:
            return a._made(b, a[0] / b[0], lambda k: a[k] / b[0])
        total = self.kind.total

        def following(k: int) -> Any:
            own = total(b[j] * quotient[k - j] for j in range(1, k + 1))
            return (a[k] - own) / b[0]

        quotient = a._made(b, a[0] / b[0], following)
        return quotient

    def __rtruediv__(self, other: Any) -> Series:
        return self.kind.number(other) / self

    def __pow__(self, other: Any) -> Series:
        return self.kind.push(POW, [self, self.kind.number(other)])

    def __abs__(self) -> Series:
        return self.kind.push(ABS, [self])

    def __lt__(self, other: Any) -> Series:
        return self.kind.number(self[0] < self.kind.number(other)[0])

    def __le__(self, other: Any) -> Series:
        return self.kind.number(self[0] <= self.kind.number(other)[0])

    def __gt__(self, other: Any) -> Series:
        return self.kind.number(self[0] > self.kind.number(other)[0])

    def __ge__(self, other: Any) -> Series:
        return self.kind.number(self[0] >= self.kind.number(other)[0])

    __radd__, __rmul__ = __add__, __mul__


class PowerSeries(Numbers):
    """Power series whose coefficients are balls, or other numbers, as a number type."""

    faults: tuple[type[Exception], ...] = (Undecided, Undefined)

    def __init__(self, coefficients: Numbers) -> None:
        self.coefficients = coefficients
        self.none = coefficients.number(0)
        super().__init__(self._on_series, coefficients.constants)

    def _on_series(self, operation: Operation) -> Callable[..., Series]:
        return lambda *a: self.push(operation, [self.number(x) for x in a])

    def number(self, number: Any) -> Series:
        """A number as a series; a coefficient is one by itself."""
        if isinstance(number, Series):
            return number
        return Series(self, self.coefficients.number(number))

    def moving(self, start: Any) -> Series:
        """The series start + h."""
        one = self.coefficients.number(1)
        return Series(self, start, lambda k: one if k == 1 else self.none)

    def constant(self, leaf: Any) -> Series:
        """A constant of the graph."""
        return Series(self, self.coefficients.constant(leaf))

    def needed(self, step: Step, own: Sequence[Any]) -> Sequence[int]:
        """The positions that count, which the first coefficients say."""
        starts = [a[0] if isinstance(a, Series) else a for a in own]
        return self.coefficients.needed(step, starts)

    # What depends on the type of the coefficients

    def total(self, terms: Iterable[Any]) -> Any:
        """A sum of one or more terms."""
        first, *others = terms
        for term in others:
            first = first + term
        return first

    def start(self, operation: Operation, starts: Sequence[Any]) -> Any:
        """The operation on coefficients. Raises one of `faults` where it has no value."""
        found = self.coefficients.function(operation)(*starts)
        fault = fault_of(found)
        if fault is not None:
            raise fault
        return found

    def at_corner(self, operation: Operation, starts: Sequence[Any]) -> bool:
        """Whether the rule does not give the derivative."""
        return self.coefficients.at_corner(operation, starts)  # type: ignore[attr-defined,no-any-return] # of balls

    def whole(self, exponent: Any) -> int | None:
        """An exponent that is a whole number, as such."""
        exact = exponent.exact and exponent.mid == exponent.floor(exponent.mid)
        return int(exponent.mid) if exact else None

    def key(self, coefficient: Any) -> object:
        """What is equal for equal numbers."""
        return coefficient.mid, coefficient.rad

    # Operations

    def push(self, operation: Operation, arguments: Sequence[Series]) -> Series:
        """An operation on series. The same call on the same first series is one object."""
        if operation.native:
            exactly: Any = operation.kernel
            return exactly(*arguments)  # type: ignore[no-any-return] # a series of series
        others = arguments[1:]
        key = (operation, *(self.key(a[0]) if a.is_constant else id(a) for a in others))
        known = arguments[0]._calls.get(key)
        if known is None:
            known = arguments[0]._calls[key] = self._pushed(operation, arguments)
        return known

    def _pushed(self, operation: Operation, arguments: Sequence[Series]) -> Series:
        starts = [a[0] for a in arguments]
        if operation.choose is not None:
            return self._chosen(operation, arguments)
        if operation is POW and arguments[1].is_constant:
            power = self.whole(starts[1])
            if power is not None and 0 <= power <= LARGEST_POWER:
                return self._whole_power(arguments[0], power)
        start = self.start(operation, starts)
        if all(a.is_constant for a in arguments):
            return Series(self, start)
        if self.at_corner(operation, starts):
            raise Undefined(f"{operation.title} has no derivative at {starts[0]}")
        result = Series(self, start)
        result._next = self._chain_rule(operation, result, arguments)
        return result

    def _chain_rule(
        self, operation: Operation, result: Series, arguments: Sequence[Series]
    ) -> Following:
        rules = self.partials(operation)
        partials: dict[int, Series] = {}

        def following(k: int) -> Any:
            found = self.none
            for i, argument in enumerate(arguments):
                if argument.is_constant or operation.partials[i] == 0:
                    continue
                if i not in partials:
                    partials[i] = self.number(rules[i](result, *arguments))
                p = partials[i]
                own = self.total(j * argument[j] * p[k - j] for j in range(1, k + 1))
                found = found + own / k
            return found

        return following

    def _chosen(self, operation: Operation, arguments: Sequence[Series]) -> Series:
        starts = [a[0] for a in arguments]
        chosen = operation.choose(self.coefficients.truth(starts[0])) if operation.choose else None  # fmt: skip
        if operation.arity == 3 and chosen is not None:
            return arguments[chosen]
        return Series(self, self.start(operation, starts))

    def _whole_power(self, base: Series, exponent: int) -> Series:
        result, square = self.number(1), base
        while exponent:
            if exponent & 1:
                result = result * square
            square, exponent = square * square, exponent >> 1
        return result


class _FloatSeries(PowerSeries):
    """Power series of floats, with sums that are rounded once."""

    faults = ()

    def total(self, terms: Iterable[float]) -> float:
        return math.fsum(terms)

    def start(self, operation: Operation, starts: Sequence[Any]) -> float:
        found = operation.kernel(*starts)
        if not math.isfinite(found):
            raise OverflowError
        return found

    def at_corner(self, operation: Operation, starts: Sequence[float]) -> bool:
        return number_types.at_corner(operation, starts)

    def whole(self, exponent: float) -> int | None:
        return int(exponent) if exponent == math.floor(exponent) else None

    def key(self, coefficient: float) -> object:
        return coefficient


FLOAT_SERIES = _FloatSeries(FLOATS)


def coefficients(
    tape: Tape, values: Primals, at: dict[str, float], name: str, order: int
) -> list[float]:
    """The Taylor coefficients of the result in one variable, from order 0 on.

    Raises `NotDifferentiableError` at a corner or where a coefficient is not finite.
    """
    moving = FLOAT_SERIES.moving(at[name])
    try:
        series = forward(tape, FLOAT_SERIES, {**at, name: moving}, live(tape, values))
        # node by node for each order, so that no call nests deeper than a rule
        known = [own for own in series if own is not None]
        for k in range(1, order + 1):
            for own in known:
                _ = own[k]
        found = [series[tape.root][k] for k in range(order + 1)]
    except Undefined as corner:
        raise NotDifferentiableError(str(corner)) from None
    except ARITHMETIC:
        found = [math.nan]
    if not all(map(math.isfinite, found)):
        raise NotDifferentiableError(
            f"there is no finite derivative of order {order} by {name} here"
        )
    return found


def derivatives(
    tape: Tape, values: Primals, at: dict[str, float], name: str, order: int
) -> list[float]:
    """The derivatives of orders 0 ... `order` in one variable."""
    found = coefficients(tape, values, at, name, order)
    return [math.factorial(k) * c for k, c in enumerate(found)]
