"""The operations of the table over the real numbers, in numbers that know how wrong they may be.

A number is computed twice, with D and with D + 60 digits. Where both agree it is what it is; a number that
is smaller than their difference by far is 0; anything between is `Unsure`, and asks for a larger D. So
does a 0 that comes from a number that has absorbed a small one, as 1 + 1e-1000 does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath

MORE = 60
"""Digits of the second computation beyond those of the first."""

LARGEST = 40_000
"""The binary exponent from which on a number counts as overflowing."""


SATURATING = ("cos", "cosh", "erf", "tanh")
"""Functions that may be 1 or -1 to all digits, and yet are not."""


class Unsure(Exception):
    """More digits are needed."""


class Outside(Exception):
    """The operation is not defined there."""


class Overflow(Exception):
    """A number is too large, or too close to 0, to go on with."""


class Field:
    """Real numbers with so many digits."""

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self.contexts = (mpmath.MPContext(), mpmath.MPContext())
        for context, more in zip(self.contexts, (0, MORE), strict=True):
            context.dps = digits + more

    def number(self, text: str) -> Real:
        """A decimal, or a multiple of pi such as `-3/2 pi`, or `sqrt(2)`."""
        if text.endswith("pi"):
            top, _, bottom = (text.removesuffix("pi").strip() or "1").partition("/")
            pair = [c.pi * int(top) / int(bottom or 1) for c in self.contexts]
        elif text.startswith("sqrt"):
            pair = [c.sqrt(int(text[5:-1])) for c in self.contexts]
        else:
            pair = [c.mpf(text) for c in self.contexts]
        return Real(self, *pair)

    def whole(self, n: int) -> Real:
        return Real(self, *[c.mpf(n) for c in self.contexts])

    def apply(self, name: str, *arguments: Real) -> Real:
        """A function of mpmath, by its name."""
        results = []
        for k, context in enumerate(self.contexts):
            own = [a.pair[k] for a in arguments]
            if any(x and abs(context.mag(x)) > LARGEST for x in own):
                raise Overflow
            try:
                result = getattr(context, name)(*own)
            except (ValueError, ZeroDivisionError):
                raise Outside from None
            except (OverflowError, NotImplementedError, MemoryError):
                raise Overflow from None
            if isinstance(result, context.mpc):
                raise Outside
            if not context.isfinite(result):
                raise Overflow
            results.append(result)
        absorbed = any(a.absorbed for a in arguments) or (
            name in SATURATING and abs(results[1]) == 1 and not arguments[0].nothing
        )
        return Real(self, *results, absorbed)


class Real:
    """One number, computed twice."""

    def __init__(
        self, field: Field, low: Any, high: Any, absorbed: bool = False
    ) -> None:
        self.field, self.pair, self.absorbed = field, (low, high), absorbed
        if high and abs(field.contexts[1].mag(high)) > LARGEST:
            raise Overflow

    def __repr__(self) -> str:
        return self.field.contexts[1].nstr(self.pair[1], 20)

    def _with(self, other: Any, compute: Callable[[Any, Any], Any]) -> Real:
        other = other if isinstance(other, Real) else self.field.whole(other)
        pairs = zip(self.pair, other.pair, strict=True)
        absorbed = self.absorbed or other.absorbed
        return Real(self.field, *[compute(x, y) for x, y in pairs], absorbed)

    def __add__(self, other: Any) -> Real:
        other = other if isinstance(other, Real) else self.field.whole(other)
        total = self._with(other, lambda x, y: x + y)
        x, y, z = self.pair[1], other.pair[1], total.pair[1]
        total.absorbed |= bool((y and x == z) or (x and y == z))
        return total

    def __sub__(self, other: Any) -> Real:
        return self + (-other)

    def __mul__(self, other: Any) -> Real:
        other = other if isinstance(other, Real) else self.field.whole(other)
        product = self._with(other, lambda x, y: x * y)
        product.absorbed &= not (self.nothing or other.nothing)
        return product

    def __truediv__(self, other: Any) -> Real:
        other = other if isinstance(other, Real) else self.field.whole(other)
        if other.sign() == 0:
            raise Outside
        quotient = self._with(other, lambda x, y: x / y)
        quotient.absorbed &= not self.nothing
        return quotient

    def __neg__(self) -> Real:
        return Real(self.field, *[-x for x in self.pair], self.absorbed)

    @property
    def nothing(self) -> bool:
        """Whether it is 0, whatever else is to be found out."""
        try:
            return self.sign() == 0
        except Unsure:
            return False

    def settled(self) -> Any:
        """The number itself, 0 if it is 0. Raises `Unsure` where fewer than 30 digits are known."""
        if self.sign() == 0:
            return self.pair[1] * 0
        noise = abs(self.field.contexts[1].mpf(self.pair[0]) - self.pair[1])
        if abs(self.pair[1]) <= noise * 10**30:
            raise Unsure
        return self.pair[1]

    def sign(self) -> int:
        """-1, 0 or 1."""
        low, high = self.pair
        noise = abs(self.field.contexts[1].mpf(low) - high)
        if abs(high) > noise * 10**9:
            return 1 if high > 0 else -1
        if not self.absorbed and (abs(high) * 10 ** (MORE // 2) <= noise or not high):
            return 0
        raise Unsure

    def compare(self, other: Any) -> int:
        """The sign of the difference."""
        return (self - other).sign()

    def floor(self) -> int:
        """The largest whole number that is not above."""
        high = self.pair[1]
        context = self.field.contexts[1]
        if high and context.mag(high) > self.field.digits // 2:
            raise Unsure  # a step of a difference may go over many whole numbers
        nearest = int(context.nint(high))
        order = self.compare(nearest)
        return nearest if order >= 0 else nearest - 1

    def is_whole(self) -> bool:
        """Whether it is a whole number."""
        return self.compare(self.floor()) == 0


def _need(condition: bool) -> None:
    if not condition:
        raise Outside


def _function(
    name: str, domain: Callable[[Real], bool] | None = None
) -> Callable[..., Real]:
    def compute(x: Real) -> Real:
        _need(domain is None or domain(x))
        return x.field.apply(name, x)

    return compute


def _truth(x: Real, holds: bool) -> Real:
    return x.field.whole(int(holds))


def _abs(x: Real) -> Real:
    return -x if x.sign() < 0 else x


def _power(x: Real, y: Real) -> Real:
    order = x.sign()
    if y.is_whole():
        n = y.floor()
        _need(order != 0 or n >= 0)
        if order == 0:
            return x.field.whole(int(n == 0))
        if abs(n) * max(1, abs(x.field.contexts[0].mag(x.pair[0]))) > 10 * LARGEST:
            return _large_power(x, y, n)
        return Real(x.field, *[p**n for p in x.pair])
    _need(order >= 0)
    if order == 0:
        _need(y.sign() > 0)
        return x.field.whole(0)
    return _exp(y * _ln(x))


def _large_power(x: Real, y: Real, n: int) -> Real:
    size = _exp(y * _ln(_abs(x)))
    return -size if n % 2 and x.sign() < 0 else size


def _exp(x: Real) -> Real:
    if x.pair[0] and x.field.contexts[0].mag(x.pair[0]) > 40:
        raise Overflow
    return x.field.apply("exp", x)


def _ln(x: Real) -> Real:
    _need(x.sign() > 0)
    return x.field.apply("ln", x)


def real_root(x: Real, p: int, q: int) -> Real:
    """x^(p/q) for odd q, with the real root."""
    order = x.sign()
    if order == 0:
        _need(p > 0)
        return x.field.whole(0)
    exponent = x.field.whole(p) / q
    size = _exp(exponent * _ln(_abs(x)))
    return -size if order < 0 and p % 2 else size


def _root(x: Real, n: Real) -> Real:
    order = x.sign()
    _need(n.sign() != 0 and (order != 0 or n.sign() > 0))
    odd = n.is_whole() and n.floor() % 2 == 1
    _need(order >= 0 or odd)
    if order == 0:
        return x.field.whole(0)
    size = _exp(_ln(_abs(x)) / n)
    return -size if order < 0 else size


def _log(x: Real, base: Real) -> Real:
    _need(x.sign() > 0 and base.sign() > 0 and base.compare(1) != 0)
    return _ln(x) / _ln(base)


def _reciprocal(name: str) -> Callable[..., Real]:
    return lambda x: x.field.whole(1) / x.field.apply(name, x)


def _tan(x: Real) -> Real:
    return x.field.apply("sin", x) / x.field.apply("cos", x)


def _cot(x: Real) -> Real:
    return x.field.apply("cos", x) / x.field.apply("sin", x)


def _beyond_one(name: str, strictly: bool) -> Callable[..., Real]:
    def compute(x: Real) -> Real:
        _need(_abs(x).compare(1) > (0 if strictly else -1))
        return x.field.apply(name, x.field.whole(1) / x)

    return compute


def _asech(x: Real) -> Real:
    _need(x.sign() > 0 and x.compare(1) <= 0)
    return _acosh(x.field.whole(1) / x)


def _acosh(x: Real) -> Real:
    _need(x.compare(1) >= 0)
    return _ln(x + SQRT(x - 1) * SQRT(x + 1)) if x.compare(1) > 0 else x.field.whole(0)


def _asin(x: Real) -> Real:
    _need(_abs(x).compare(1) <= 0)
    if _abs(x).compare(1) == 0:
        return Real(x.field, *[c.pi / 2 * x.sign() for c in x.field.contexts])
    return x.field.apply("asin", x)


def _acos(x: Real) -> Real:
    if x.compare(1) == 0:
        return x.field.whole(0)
    return Real(x.field, *[c.pi / 2 for c in x.field.contexts]) - _asin(x)


def SQRT(x: Real) -> Real:  # noqa: N802 # not the name of the row alone
    order = x.sign()
    _need(order >= 0)
    return x.field.apply("sqrt", x) if order else x.field.whole(0)


def _atan2(y: Real, x: Real) -> Real:
    up, right = y.sign(), x.sign()
    _need(up != 0 or right != 0)
    if up == 0:
        return Real(x.field, *[c.pi * (right < 0) for c in x.field.contexts])
    return x.field.apply("atan2", y, x)


def _hypot(x: Real, y: Real) -> Real:
    return SQRT(x * x + y * y)


def _round(x: Real) -> Real:
    doubled = x + x
    if doubled.is_whole() and doubled.floor() % 2:
        below = x.floor()
        return x.field.whole(below + below % 2)
    return x.field.whole((x + x.field.whole(1) / 2).floor())


def _mod(x: Real, y: Real) -> Real:
    return x - y * x.field.whole((x / y).floor())


def _off_poles(x: Real) -> bool:
    return x.sign() > 0 or not x.is_whole()


def _size(x: Real, most: int) -> None:
    if x.pair[0] and x.field.contexts[0].mag(x.pair[0]) > most:
        raise Overflow


def _gamma(x: Real) -> Real:
    _need(_off_poles(x))
    _size(x, 30)
    return x.field.apply("gamma", x)


def _lgamma(x: Real) -> Real:
    return _ln(_abs(_gamma(x)))


def _polygamma(x: Real, n: Real) -> Real:
    _need(_off_poles(x) and n.is_whole() and 0 <= n.floor() <= 100)
    _size(x, 12 if x.sign() < 0 else 3000)
    order = n.floor()
    return Real(x.field, *[c.psi(order, p) for c, p in zip(x.field.contexts, x.pair, strict=True)])  # fmt: skip


def _sinc(x: Real, n: Real | None = None) -> Real:
    order = 0
    if n is not None:
        _need(n.is_whole() and 0 <= n.floor() <= 100)
        order = n.floor()
    if abs(x.pair[0]) < 4 + order:
        return Real(x.field, *[_sinc_series(c, order, p) for c, p in zip(x.field.contexts, x.pair, strict=True)])  # fmt: skip
    turns = [x.field.apply("sin", x), x.field.apply("cos", x)]
    turns += [-turns[0], -turns[1]]
    value = turns[0] / x
    for k in range(1, order + 1):
        value = (turns[k % 4] - value * k) / x
    return value


def _sinc_series(context: Any, n: int, x: Any) -> Any:
    """The sum of (-1)^k x^(2k - n) / ((2k + 1) (2k - n)!), with digits for its terms."""
    with context.extradps(30 + 2 * n):
        k, total = (n + 1) // 2, context.mpf(0)
        term = (-1) ** k * x ** (2 * k - n) / context.factorial(2 * k - n)
        while True:
            total += term / (2 * k + 1)
            if abs(term) <= context.eps * abs(total) * abs(total) or not term:
                return +total
            if abs(term) < context.eps * context.mpf(10) ** -30 * abs(total):
                return +total
            k += 1
            term *= -x * x / ((2 * k - n) * (2 * k - n - 1))


def _factorial(x: Real) -> Real:
    _need(x.sign() >= 0 and x.is_whole())
    if x.compare(3000) > 0:
        raise Overflow
    return x.field.whole(math.factorial(x.floor()))


def _softplus(x: Real) -> Real:
    return _relu(x) + x.field.apply("log1p", _exp(-_abs(x)))


def _sigmoid(x: Real) -> Real:
    return x.field.whole(1) / (_exp(-x) + 1)


def _relu(x: Real) -> Real:
    return x if x.sign() > 0 else x.field.whole(0)


def _huber(x: Real, y: Real, d: Real | None = None) -> Real:
    d = x.field.whole(1) if d is None else d
    _need(d.sign() > 0)
    size = _abs(x - y)
    if size.compare(d) <= 0:
        return size * size / 2
    return d * (size - d / 2)


def _bce(p: Real, y: Real) -> Real:
    _need(p.sign() >= 0 and p.compare(1) <= 0 and y.sign() >= 0 and y.compare(1) <= 0)
    _need((p.sign() > 0 or y.sign() <= 0) and (p.compare(1) < 0 or y.compare(1) >= 0))
    total = p.field.whole(0)
    if y.sign() > 0:
        total = total - y * _ln(p)
    if y.compare(1) < 0:
        total = total - (-y + 1) * _ln(-p + 1)
    return total


def _bce_logits(z: Real, y: Real) -> Real:
    _need(y.sign() >= 0 and y.compare(1) <= 0)
    return y * _softplus(-z) + (-y + 1) * _softplus(z)


def _nll(m: Real, y: Real, s: Real) -> Real:
    _need(s.sign() > 0)
    z = (y - m) / s
    tau = Real(m.field, *[2 * c.pi for c in m.field.contexts])
    return z * z / 2 + _ln(s) + _ln(tau) / 2


ROWS: dict[str, Callable[..., Real]] = {
    "neg": lambda x: -x, "add": lambda x, y: x + y, "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "pow": _power, "pow_even": lambda x: real_root(x, 2, 3), "pow_odd": lambda x: real_root(x, 1, 3),
    "sqrt": SQRT, "cbrt": lambda x: real_root(x, 1, 3), "root": _root, "hypot": _hypot,
    "exp": _exp, "expm1": _function("expm1"), "ln": _ln,
    "log1p": _function("log1p", lambda x: x.compare(-1) > 0),
    "log2": lambda x: _log(x, x.field.whole(2)), "log10": lambda x: _log(x, x.field.whole(10)), "log": _log,
    "sin": _function("sin"), "cos": _function("cos"), "tan": _tan, "sec": _reciprocal("cos"),
    "csc": _reciprocal("sin"), "cot": _cot, "asin": _asin, "acos": _acos, "atan": _function("atan"),
    "asec": lambda x: _acos(x.field.whole(1) / x) if x.sign() else _need(False),
    "acsc": lambda x: _asin(x.field.whole(1) / x) if x.sign() else _need(False),
    "acot": lambda x: x.field.apply("atan", x.field.whole(1) / x), "atan2": _atan2,
    "sinh": _function("sinh"), "cosh": _function("cosh"), "tanh": _function("tanh"),
    "sech": _reciprocal("cosh"), "csch": _reciprocal("sinh"),
    "coth": lambda x: x.field.whole(1) / x.field.apply("tanh", x),
    "asinh": _function("asinh"), "acosh": _acosh, "atanh": _function("atanh", lambda x: _abs(x).compare(1) < 0),
    "asech": _asech, "acsch": lambda x: x.field.apply("asinh", x.field.whole(1) / x),
    "acoth": _beyond_one("atanh", True),
    "abs": _abs, "sign": lambda x: x.field.whole(x.sign()), "step": lambda x: _truth(x, x.sign() >= 0),
    "floor": lambda x: x.field.whole(x.floor()), "ceil": lambda x: x.field.whole(-(-x).floor()), "round": _round,
    "mod": _mod, "min": lambda x, y: x if x.compare(y) <= 0 else y, "max": lambda x, y: x if x.compare(y) >= 0 else y,
    "relu": _relu, "softplus": _softplus, "sigmoid": _sigmoid, "erf": _function("erf"), "erfc": _function("erfc"),
    "gamma": _gamma, "lgamma": _lgamma, "digamma": lambda x: _polygamma(x, x.field.whole(0)),
    "polygamma": _polygamma, "sinc": _sinc, "sinc_n": _sinc, "factorial": _factorial,
    "mse": lambda x, y: (x - y) * (x - y), "mae": lambda x, y: _abs(x - y), "huber": _huber, "huber_at": _huber,
    "bce": _bce, "bce_logits": _bce_logits, "nll_gaussian": _nll,
    "lt": lambda x, y: _truth(x, x.compare(y) < 0), "le": lambda x, y: _truth(x, x.compare(y) <= 0),
    "gt": lambda x, y: _truth(x, x.compare(y) > 0), "ge": lambda x, y: _truth(x, x.compare(y) >= 0),
    "eq": lambda x, y: _truth(x, x.compare(y) == 0), "ne": lambda x, y: _truth(x, x.compare(y) != 0),
    "not": lambda x: _truth(x, x.sign() == 0),
}  # fmt: skip
"""What each row is of numbers; `and`, `or` and `if`, which leave operands out, belong to `truth`.

The powers to fractions are x^(2/3) and x^(1/3), the only ones that `trees` writes.
"""
