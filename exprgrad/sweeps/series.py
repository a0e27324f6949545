"""Derivatives of any order at a point, by power series.

Along x0 + h a node is a series v = c0 + c1*h + c2*h^2 + ...; its derivative of order k is k!*c_k. Sums,
products and quotients of series are exact. For y = f(u) the chain rule y' = f'(u)*u' gives

    k*y_k = sum over j = 1 ... k of  j * u_j * p_(k-j),     p = f'(u) as a series,

and p comes from the table's own rule, run on series. It may refer to y itself (exp' = exp), since only
lower coefficients are asked for. The cost grows with the square of the order, not exponentially
(Griewank and Walther, chapter 13).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from exprgrad.errors import NotDifferentiableError
from exprgrad.operations.number_types import Numbers, at_corner
from exprgrad.operations.operation import ARITHMETIC, Operation
from exprgrad.operations.table import POW
from exprgrad.sweeps.careful import live
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.tape import Primals, Tape

HIGHEST = 60
"""The highest order that is computed."""


class Series:
    """A power series whose coefficients are computed when they are asked for, in rising order."""

    __slots__ = ("_calls", "_coefficients", "_next")

    def __init__(
        self, start: float, following: Callable[[int], float] | None = None
    ) -> None:
        self._coefficients = [start]
        self._next = following
        self._calls: dict[object, Series] = {}

    def __getitem__(self, k: int) -> float:
        known = self._coefficients
        while len(known) <= k:
            known.append(self._next(len(known)) if self._next else 0.0)
        return known[k]

    @property
    def is_constant(self) -> bool:
        """Whether it was made from a number."""
        return self._next is None

    def __add__(self, other: Any) -> Series:
        a, b = self, _series(other)
        if a.is_constant and b.is_constant:
            return Series(a[0] + b[0])
        return Series(a[0] + b[0], lambda k: a[k] + b[k])

    def __neg__(self) -> Series:
        return Series(-self[0], None if self.is_constant else lambda k: -self[k])

    def __sub__(self, other: Any) -> Series:
        return self + -_series(other)

    def __rsub__(self, other: Any) -> Series:
        return _series(other) + -self

    def __mul__(self, other: Any) -> Series:
        a, b = self, _series(other)
        if a.is_constant and b.is_constant:
            return Series(a[0] * b[0])
        return Series(
            a[0] * b[0], lambda k: math.fsum(a[j] * b[k - j] for j in range(k + 1))
        )

    def __truediv__(self, other: Any) -> Series:
        a, b = self, _series(other)
        quotient = Series(a[0] / b[0])
        if not (a.is_constant and b.is_constant):
            quotient._next = lambda k: (
                (a[k] - math.fsum(b[j] * quotient[k - j] for j in range(1, k + 1)))
                / b[0]
            )
        return quotient

    def __rtruediv__(self, other: Any) -> Series:
        return _series(other) / self

    def __pow__(self, other: Any) -> Series:
        return push(POW, [self, _series(other)])

    def __lt__(self, other: Any) -> Series:
        return Series(1.0 if self[0] < _series(other)[0] else 0.0)

    def __gt__(self, other: Any) -> Series:
        return Series(1.0 if self[0] > _series(other)[0] else 0.0)

    __radd__, __rmul__ = __add__, __mul__


def _series(thing: Any) -> Series:
    return thing if isinstance(thing, Series) else Series(float(thing))


def push(operation: Operation, arguments: Sequence[Series]) -> Series:
    """An operation on series. The same call on the same first series is one object."""
    if operation.native:
        exactly: Any = operation.kernel
        return exactly(*arguments)  # type: ignore[no-any-return] # a series of series
    key = (operation, *(a[0] if a.is_constant else id(a) for a in arguments[1:]))
    known = arguments[0]._calls.get(key)
    if known is None:
        known = arguments[0]._calls[key] = _pushed(operation, arguments)
    return known


def _pushed(operation: Operation, arguments: Sequence[Series]) -> Series:
    if operation.choose is not None:
        return _chosen(operation, arguments)
    power = arguments[1][0] if operation is POW and arguments[1].is_constant else None
    if power is not None and power.is_integer() and 0 <= power <= 1000:
        return _whole_power(arguments[0], int(power))
    start = operation.kernel(*(a[0] for a in arguments))
    if not math.isfinite(start):
        raise OverflowError
    if all(a.is_constant for a in arguments):
        return Series(start)
    if at_corner(operation, [a[0] for a in arguments]):
        raise NotDifferentiableError(
            f"{operation.title} has no derivative at {arguments[0][0]:.10g}"
        )
    result = Series(start)
    result._next = _chain_rule(operation, result, arguments)
    return result


def _chain_rule(
    operation: Operation, result: Series, arguments: Sequence[Series]
) -> Callable[[int], float]:
    rules = SERIES.partials(operation)
    partials: dict[int, Series] = {}

    def following(k: int) -> float:
        total = 0.0
        for i, argument in enumerate(arguments):
            if argument.is_constant or operation.partials[i] == 0:
                continue
            if i not in partials:
                partials[i] = _series(rules[i](result, *arguments))
            p = partials[i]
            total += math.fsum(j * argument[j] * p[k - j] for j in range(1, k + 1)) / k
        return total

    return following


def _chosen(operation: Operation, arguments: Sequence[Series]) -> Series:
    chosen = operation.choose(arguments[0][0]) if operation.choose else None
    if operation.arity == 3 and chosen is not None:
        return arguments[chosen]
    return Series(operation.kernel(*(a[0] for a in arguments)))


def _whole_power(base: Series, exponent: int) -> Series:
    result, square = Series(1.0), base
    while exponent:
        if exponent & 1:
            result = result * square
        square, exponent = square * square, exponent >> 1
    return result


class _Powers(Numbers):
    def number(self, number: Any) -> Series:
        return _series(number)

    def truth(self, condition: Series) -> float:
        return condition[0]


SERIES = _Powers(lambda operation: lambda *a: push(operation, list(map(_series, a))))


def coefficients(
    tape: Tape, values: Primals, at: dict[str, float], name: str, order: int
) -> list[float]:
    """The Taylor coefficients of the result in one variable, from order 0 on.

    Raises `NotDifferentiableError` at a corner or where a coefficient is not finite.
    """
    moving = Series(at[name], lambda k: 1.0 if k == 1 else 0.0)
    try:
        series = forward(tape, SERIES, {**at, name: moving}, live(tape, values))
        # node by node for each order, so that no call nests deeper than a rule
        known = [own for own in series if own is not None]
        for k in range(1, order + 1):
            for own in known:
                _ = own[k]
        found = [series[tape.root][k] for k in range(order + 1)]
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
