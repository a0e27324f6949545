"""Balls on arrays whose exponents have no end: for rows that leave the range of doubles on their way, or at their end.

    m * 2^e,  with 1/2 <= |m| < 1 a double and e a whole number of its own, and the radius r * 2^e

Sums, products and quotients are those of `ArrayBall` on m and r. An operation whose plain value is out of range,
or too close to its end, is computed by

    exp(x) = 2^k exp(x - k ln 2)      ln(m 2^e) = ln m + e ln 2      x^y = +-exp(y ln|x|)

or by its formula: sigmoid(-800) as 1/(1 + exp(800)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from exprgrad.annotations import Any
from exprgrad.operations.array_balls import BALLS, UNIT, ArrayBall, is_short
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.on_arrays import ARRAYS
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ABS, ADD, DIV, EXP, GT, LN, LT, MUL, NEG, POW, SUB

FAR = 1000
"""Exponents up to this one, of either sign, are those of doubles far from both ends."""

_FARTHEST = 2.0**40
"""What has an exponent beyond that is given up: exponents are whole numbers of 64 bits."""

_LN2_HIGH = float.fromhex("0x1.62e42feep-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
"""Their sum is ln 2 to 30 digits; small multiples of the first are exact (fdlibm, e_exp.c)."""

_MOST_HALVINGS = 2.0**39


class ScaledBall:
    """Middles and radii, times 2 to exponents; a radius is the number 0.0 where every element is exact."""

    __slots__ = ("exponent", "mid", "rad")

    def __init__(self, mid: Any, rad: Any = 0.0, exponent: Any = 0) -> None:
        self.mid, self.rad, self.exponent = mid, rad, exponent

    @classmethod
    def of(cls, ball: ArrayBall, exponent: Any = 0) -> ScaledBall:
        """A plain ball, times 2 to the exponent."""
        mid, shift = np.frexp(ball.mid)
        own = np.asarray(exponent, np.int64) + shift
        rad = ball.rad if ball.is_exact else np.ldexp(ball.rad, -shift)
        if np.any(np.abs(own) > _FARTHEST):
            rad = np.where(np.abs(own) > _FARTHEST, np.inf, rad)
            own = np.clip(own, -int(_FARTHEST), int(_FARTHEST))
        return cls(mid, rad, own)

    @property
    def is_exact(self) -> bool:
        """Whether no element has an error."""
        return isinstance(self.rad, float) and not self.rad

    @property
    def plain(self) -> ArrayBall:
        """The same in doubles: about 0 what is too small, infinite what is too large."""
        if not np.any(np.abs(self.exponent) > FAR):
            rad = self.rad if self.is_exact else np.ldexp(self.rad, self.exponent)
            return ArrayBall(np.ldexp(self.mid, self.exponent), rad)
        large, small = self.exponent > FAR, self.exponent < -FAR
        small = small & (self.mid != 0)
        mid = np.where(small, 0.0, np.ldexp(self.mid, self.exponent))
        rad = np.where(large, np.inf, np.ldexp(self.rad, self.exponent))
        none = ~(np.asarray(self.rad) < np.inf)
        return ArrayBall(mid, np.where(small, np.where(none, np.inf, 2.0**-FAR), rad))

    @property
    def is_small(self) -> Any:
        """Where it is not 0, but plainly so."""
        return (self.exponent < -FAR) & (self.mid != 0)

    def masked(self, mask: Any) -> ScaledBall:
        """The number where the mask holds, elsewhere 0."""
        own = ArrayBall(self.mid, self.rad).masked(mask)
        return ScaledBall(own.mid, own.rad, np.where(mask, self.exponent, 0))

    def __getitem__(self, rows: Any) -> ScaledBall:
        own = ArrayBall(self.mid, self.rad)[rows]
        exponent = self.exponent[rows] if np.ndim(self.exponent) else self.exponent
        return ScaledBall(own.mid, own.rad, exponent)

    def __add__(self, other: Any) -> ScaledBall:
        return _sum(self, _scaled(other))

    def __radd__(self, other: Any) -> ScaledBall:
        return _sum(_scaled(other), self)

    def __sub__(self, other: Any) -> ScaledBall:
        return _sum(self, -_scaled(other))

    def __rsub__(self, other: Any) -> ScaledBall:
        return _sum(_scaled(other), -self)

    def __neg__(self) -> ScaledBall:
        return ScaledBall(-self.mid, self.rad, self.exponent)

    def __mul__(self, other: Any) -> ScaledBall:
        other = _scaled(other)
        return ScaledBall.of(_part(self) * _part(other), self.exponent + other.exponent)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ScaledBall:
        return _quotient(self, _scaled(other))

    def __rtruediv__(self, other: Any) -> ScaledBall:
        return _quotient(_scaled(other), self)

    def __pow__(self, other: Any) -> ScaledBall:
        return _applied(POW, self, other)

    def __gt__(self, other: Any) -> ScaledBall:
        return _applied(GT, self, other)

    def __lt__(self, other: Any) -> ScaledBall:
        return _applied(LT, self, other)

    def __abs__(self) -> ScaledBall:
        return ScaledBall(np.abs(self.mid), self.rad, self.exponent)


def _scaled(thing: Any) -> ScaledBall:
    if isinstance(thing, ScaledBall):
        return thing
    return ScaledBall.of(
        thing if isinstance(thing, ArrayBall) else ArrayBall(np.float64(thing))
    )


def _part(ball: ScaledBall) -> ArrayBall:
    """The ball without its exponent."""
    return ArrayBall(ball.mid, ball.rad)


def _sum(a: ScaledBall, b: ScaledBall) -> ScaledBall:
    top = np.maximum(_level(a, b), _level(b, a))
    return ScaledBall.of(_lowered(a, top) + _lowered(b, top), top)


def _level(a: ScaledBall, b: ScaledBall) -> Any:
    """The exponent of a number in a sum; an exact 0 has that of the other."""
    none = (a.mid == 0) & (np.asarray(a.rad) == 0)
    return np.where(none, b.exponent, a.exponent)


def _lowered(ball: ScaledBall, top: Any) -> ArrayBall:
    """A term of a sum beside one with the exponent `top`: an error where it is too small to count."""
    down = np.minimum(ball.exponent - top, 0)
    lost = (down < -900) & (ball.mid != 0)
    mid = np.ldexp(ball.mid, down)
    rad = ball.rad if ball.is_exact else np.ldexp(ball.rad, down)
    return ArrayBall(mid, np.where(lost, UNIT + rad, rad) if np.any(lost) else rad)


def _quotient(a: ScaledBall, b: ScaledBall) -> ScaledBall:
    return ScaledBall.of(_part(a) / _part(b), a.exponent - b.exponent)


def _applied(operation: Operation, *arguments: Any) -> ScaledBall:
    """An operation of the table: as on plain balls, and where these do not reach by another way."""
    own = [_scaled(argument) for argument in arguments]
    plain = [ball.plain for ball in own]
    if operation.choose is not None and len(own) == 3:
        return _chosen(plain[0], *own[1:])
    found = BALLS.function(operation)(*plain)
    lost = ~(np.asarray(found.rad) < np.inf) | ~np.isfinite(found.mid)
    if operation.steps or operation.choose is not None:
        for ball in own:  # a step at 0 does not tell a small number from that
            lost = lost | ball.is_small
        return ScaledBall.of(ArrayBall(found.mid, np.where(lost, np.inf, 0.0)))
    scaled = ScaledBall.of(found)
    lost = lost & _in_domain(operation, own)
    if not np.any(lost):
        return scaled
    way = _FAR.get(operation)
    if way is None and operation.formula is not None:
        way = SCALED.bind(operation.formula)
    return scaled if way is None else _either(lost, way(*own), scaled)


def _in_domain(operation: Operation, own: Sequence[ScaledBall]) -> Any:
    """Where the arguments meet the conditions of the domain: beyond it a formula may have values."""
    mids = [
        np.where(ball.is_small, np.copysign(2.0**-FAR, ball.mid), ball.plain.mid)
        for ball in own
    ]
    holding: Any = True
    for condition in operation.domain:
        holding = holding & (np.asarray(ARRAYS.bind(condition.holds)(*mids)) != 0)
    return holding


def _either(mask: Any, a: ScaledBall, b: ScaledBall) -> ScaledBall:
    parts = [
        np.where(mask, one, other)
        for one, other in (
            (a.mid, b.mid),
            (a.rad, b.rad),
            (a.exponent, b.exponent),
        )
    ]
    return ScaledBall(*parts)


def _chosen(condition: ArrayBall, a: ScaledBall, b: ScaledBall) -> ScaledBall:
    """Of `if`: what the condition chooses, and nothing known where that is not told from 0."""
    found = _either(condition.mid != 0, a, b)
    unknown = (condition.mid == 0) & (np.asarray(condition.rad) != 0)
    unknown |= ~(np.asarray(condition.rad) < np.inf)
    return ScaledBall(found.mid, np.where(unknown, np.inf, found.rad), found.exponent)


def _exponential(x: ScaledBall) -> ScaledBall:
    own = x.plain
    halvings = np.rint(own.mid / _LN2_HIGH)
    reached = np.abs(halvings) <= _MOST_HALVINGS
    halvings = np.where(reached, halvings, 0.0)
    few = np.fmod(halvings, 2.0**20)  # so that both products are exact
    rest = (own.mid - (halvings - few) * _LN2_HIGH) - few * _LN2_HIGH
    rest = rest - halvings * _LN2_LOW
    error = own.rad + UNIT * (np.abs(rest) + np.abs(halvings) * 2.0**-31)
    ball = ArrayBall(rest, np.where(reached, error, np.inf))
    return ScaledBall.of(BALLS.function(EXP)(ball), halvings.astype(np.int64))


def _logarithm(x: ScaledBall) -> ScaledBall:
    ln2 = _LN2_HIGH + _LN2_LOW
    shift = ArrayBall(np.asarray(x.exponent, np.float64)) * ArrayBall(ln2, ln2 * UNIT)
    return ScaledBall.of(BALLS.function(LN)(_part(x)) + shift)


def _power(x: ScaledBall, y: ScaledBall) -> ScaledBall:
    size = _exponential(y * _logarithm(abs(x)))
    number = y.plain
    whole = is_short(number.mid) & (np.floor(number.mid) == number.mid)
    whole = whole & (np.asarray(number.rad) == 0)
    odd = whole & (np.mod(number.mid, 2.0) == 1)
    mid = np.where((x.mid < 0) & odd, -size.mid, size.mid)
    none = ~((x.mid > 0) | ((x.mid < 0) & whole))
    return ScaledBall(mid, np.where(none, np.inf, size.rad), size.exponent)


_FAR: dict[Operation, Callable[..., ScaledBall]] = {
    EXP: _exponential,
    LN: _logarithm,
    POW: _power,
}

_OPERATORS: dict[Operation, Callable[..., ScaledBall]] = {
    ADD: lambda a, b: _scaled(a) + b,
    SUB: lambda a, b: _scaled(a) - b,
    MUL: lambda a, b: _scaled(a) * b,
    DIV: lambda a, b: _scaled(a) / b,
    NEG: lambda a: -_scaled(a),
    ABS: lambda a: abs(_scaled(a)),
}


def _meaning(operation: Operation) -> Callable[..., ScaledBall]:
    found = _OPERATORS.get(operation)
    return found or (lambda *arguments: _applied(operation, *arguments))


SCALED = Numbers(_meaning)
"""These balls as a number type."""
