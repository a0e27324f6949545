"""Derivatives of any order at a point, by power series whose coefficients are numbers of any type.

Along x0 + h a node is a series v = c0 + c1*h + c2*h^2 + ...; its derivative of order k is k!*c_k. Sums,
products and quotients of series are exact. For y = f(u) the chain rule y' = f'(u)*u' gives

    k*y_k = sum over j = 1 ... k of  j * u_j * p_(k-j),     p = f'(u) as a series,

and p comes from the table's own rule, run on series. It may refer to y itself (exp' = exp), since only
lower coefficients are asked for. The cost grows with the square of the order, not exponentially
(Griewank and Walther, chapter 13).

    kind = PowerSeries(BALLS)
    x = kind.moving(kind.balls.number(2), kind.balls.number(1))
    (x**3)[2], (x**3).degree               # the ball 6, and 3: all that follows is 0

With balls for coefficients every one has a bound. A series that is known to be a polynomial has its
degree, and costs no more than that.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.numbers.expansions import Expansion, Expansions
from exprgrad.operations.number_types import (
    Step,
    Undecided,
    Undefined,
    existing,
    fault_of,
)
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import POW
from exprgrad.sweeps.coordinates import Meant
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.numbers.arb import Balls

LARGEST_POWER = 1000
"""Whole exponents up to this one are products."""

MOST_PRODUCTS = 8
"""Whole exponents up to this one of a polynomial are products, which whole numbers survive exactly."""

SAMPLE = 16
"""The order at which the work of further ones is estimated."""

Following = Callable[[int], Any]
"""Gives the coefficient of an order, those of lower orders being known."""


class TooMuch(Exception):
    """More work than is allowed; `most` is how much of what was asked for would do."""

    def __init__(self, most: int = 0) -> None:
        super().__init__(most)
        self.most = most


class Series(Expansion):
    """A power series whose coefficients are computed when they are asked for, in rising order.

    Beyond `degree`, which is infinite where little is known, they are 0.
    """

    __slots__ = ("_calls", "_coefficients", "_next", "degree", "kind")

    def __init__(
        self,
        kind: PowerSeries,
        start: Any,
        following: Following | None = None,
        degree: float = math.inf,
    ) -> None:
        self.kind = kind
        self.degree = degree if following else 0
        self._coefficients = [start]
        self._next = following
        self._calls = {}

    def __getitem__(self, k: int) -> Any:
        known = self._coefficients
        # a polynomial ends here: no work, and exactly 0
        if k > self.degree:
            return self.kind.none
        while len(known) <= k:
            following = self._next
            known.append(following(len(known)) if following else self.kind.none)
        return known[k]

    @property
    def start(self) -> Any:
        """The first coefficient."""
        return self._coefficients[0]

    @property
    def is_constant(self) -> bool:
        """Return whether it was made from a number."""
        return self._next is None

    def _made(
        self, other: Series, start: Any, following: Following, degree: float
    ) -> Series:
        constant = self.is_constant and other.is_constant
        return Series(self.kind, start, None if constant else following, degree)

    def __add__(self, other: Any) -> Series:
        a, b = self, self.kind.number(other)
        degree = max(a.degree, b.degree)
        return a._made(b, a[0] + b[0], lambda k: a[k] + b[k], degree)

    def __neg__(self) -> Series:
        return self._made(self, -self[0], lambda k: -self[k], self.degree)

    def __mul__(self, other: Any) -> Series:
        a, b = self, self.kind.number(other)
        if a.is_constant or b.is_constant:
            constant, moving = (a, b) if a.is_constant else (b, a)
            return a._made(
                b, a[0] * b[0], lambda k: constant[0] * moving[k], moving.degree
            )

        def following(k: int) -> Any:
            last = int(min(k, a.degree))
            terms = range(k - int(min(k, b.degree)), last + 1)
            return self.kind.total(a[j] * b[k - j] for j in terms)

        return a._made(b, a[0] * b[0], following, a.degree + b.degree)

    def __truediv__(self, other: Any) -> Series:
        a, b = self, self.kind.number(other)
        if b.is_constant:
            return a._made(b, a[0] / b[0], lambda k: a[k] / b[0], a.degree)

        def following(k: int) -> Any:
            terms = range(1, int(min(k, b.degree)) + 1)
            own = self.kind.total(b[j] * quotient[k - j] for j in terms)
            return (a[k] - own) / b[0]

        quotient = a._made(b, a[0] / b[0], following, math.inf)
        return quotient


class OverBalls(Expansions):
    """Expansions whose numbers are balls. So much work is done as is `left`; then `TooMuch` is raised."""

    faults = (Undecided, Undefined)

    def __init__(self, balls: Balls, left: float = math.inf) -> None:
        super().__init__(balls.constants)
        self.balls, self.left = balls, left

    def still(self, ball: Any) -> Any:
        """Return a ball as one of these numbers, which does not move."""
        raise NotImplementedError

    def number(self, number: Any) -> Any:
        """Return a number as one of these, which does not move if it was none of them."""
        if isinstance(number, Expansion):
            return number
        return self.still(self.balls.number(number))

    def constant(self, leaf: Any) -> Any:
        """Return a constant of the graph."""
        return self.still(self.balls.constant(leaf))

    def needed(self, step: Step, own: Sequence[Any]) -> Sequence[int]:
        """Return the positions that count, which the numbers at the point say."""
        starts = [a.start if isinstance(a, Expansion) else a for a in own]
        return self.balls.needed(step, starts)

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """Return what a step gives. Raises its fault where it has no value."""
        return existing(self.function(step.operation)(*arguments))

    def count(self, work: int) -> None:
        """Note that so much work is done."""
        self.left -= work
        if self.left < 0:
            raise TooMuch


class PowerSeries(OverBalls):
    """Power series whose coefficients are balls, as a number type; the work is products of coefficients."""

    def __init__(self, balls: Balls, left: float = math.inf) -> None:
        super().__init__(balls, left)
        self.none = balls.number(0)

    def still(self, ball: Any) -> Series:
        """Return a constant series."""
        return Series(self, ball)

    def moving(self, start: Any, slope: Any) -> Any:
        """Return the series start + slope*h; a number where that is 0."""
        return start if slope.is_zero else Series(self, start, lambda k: slope, 1)

    def identity(self, argument: Series) -> object:
        """Return the fraction that a series is, or what it is itself."""
        known = argument.start.fraction if argument.is_constant else None
        return id(argument) if known is None else known

    def total(self, terms: Iterable[Any]) -> Any:
        """The sum of one or more products, whose work is counted."""
        products = list(terms)
        self.count(len(products))
        return reduce(operator.add, products)

    def start(self, operation: Operation, starts: Sequence[Any]) -> Any:
        """The operation on coefficients. Raises one of `faults` where it has no value."""
        return existing(self.balls.function(operation)(*starts))

    def pushed(
        self, operation: Operation, arguments: Sequence[Series], inside: bool
    ) -> Series:
        """Return an operation on series, computed."""
        starts = [a.start for a in arguments]
        if operation.choose is not None:
            chosen = operation.choose(starts[0])
            if operation.arity == 3 and chosen is not None:
                return arguments[chosen]
            return Series(self, self.start(operation, starts))
        if operation is POW and arguments[1].is_constant:
            power = starts[1].whole
            if power is not None and 0 <= power <= LARGEST_POWER:
                return self._whole_power(arguments[0], power)
        start = self.start(operation, starts)
        if all(a.is_constant for a in arguments):
            return Series(self, start)
        for i in (i for i, a in enumerate(arguments) if not a.is_constant):
            self.balls.refuse_corner(operation, i, starts)
        # made before its rule is run, which may refer to it: exp' = exp
        result = Series(self, start)
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
                terms = range(1, int(min(k, argument.degree)) + 1)
                own = self.total(j * argument[j] * p[k - j] for j in terms)
                found = found + own / k
            return found

        result._next = following
        result.degree = math.inf
        return result

    def _whole_power(self, base: Series, exponent: int) -> Series:
        long = exponent > MOST_PRODUCTS and base.degree < math.inf
        if long and not base.is_constant and not base[0].arb.contains(0):
            # y = u^n from u*y' = n*u'*y (Miller's recurrence): so few products as u has terms
            def following(k: int) -> Any:
                terms = range(1, int(min(k, base.degree)) + 1)
                own = self.total(
                    base[j] * power[k - j] * ((exponent + 1) * j - k) for j in terms
                )
                return own / base[0] / k

            start = self.start(POW, [base[0], self.balls.number(exponent)])
            power = Series(self, start, following, base.degree * exponent)
            return power
        return self.repeated(base, exponent)  # type: ignore[no-any-return] # a series


def taylor(
    tape: Tape, kind: PowerSeries, at: Meant, seed: Meant, order: int
) -> list[Any]:
    """The derivatives of orders 0 ... `order` along a direction, each a ball or the fault in its place.

    Those of a polynomial end with its degree. Raises `TooMuch`, with the order that was reached.
    """
    start = {variable: at[variable].ball(kind.balls) for variable in tape.variables}
    slopes = {n: t.ball(kind.balls) for n, t in seed.items() if n in start}
    moving = {n: kind.moving(start[n], slope) for n, slope in slopes.items()}
    values = forward(tape, kind, start | moving)
    root = values[tape.root]
    if isinstance(root, Exception):
        return [root] * (order + 1)
    top, allowed = int(min(order, root.degree)), kind.left
    found, factorial = [root[0]], 1
    for k in range(1, top + 1):
        factorial *= k
        try:
            # node by node, so that no call nests deeper than a rule
            for own in values:
                _ = None if isinstance(own, Exception) else own[k]
            kind.count(1 + factorial.bit_length() // 100)
            derivative = root[k] * factorial
            found.append(fault_of(derivative) or derivative)
        except (Undecided, Undefined) as fault:
            found += [fault] * (top + 1 - k)
            break
        except TooMuch:
            raise TooMuch(k - 1) from None
        if k == SAMPLE and root.degree == math.inf:
            # products grow as the square of the order
            # better to refuse at once than after most of the work
            affordable = SAMPLE * math.sqrt(allowed / (1 + allowed - kind.left))
            if top > 2 * affordable:
                raise TooMuch(int(affordable))
    return found
