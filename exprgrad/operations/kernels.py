"""The operations on Python floats.

A kernel either returns a float or raises `ValueError` (outside the real domain), `OverflowError` or
`ZeroDivisionError`; the engine turns all three into diagnostics. Formulas are chosen to lose no
digits at the ends of the range; where one needs a reason, it stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from math import copysign, exp, fabs, log, log1p, sqrt


def power_even(x: float, y: float) -> float:
    """x^y for a fraction y with an odd denominator and an even numerator: |x|^y."""
    return math.pow(fabs(x), y)


def power_odd(x: float, y: float) -> float:
    """x^y for a fraction y with odd denominator and numerator: the real root keeps the sign."""
    return sign(x) * math.pow(fabs(x), y)


# The partial of z = x^y by x is y*x^(y-1). Rounding y - 1 counts ln(x) times in it; beside a rounding of
# y itself that matters for small y only. There it is y*z/x, where y*z cannot overflow before the result
# does, nor lose digits: where y is tiny, z is 1.


def _slope_of(power: Callable[[float, float], float]) -> Callable[..., float]:
    """The partial by x of x^y, from what x^(y-1) is in it."""

    def slope(z: float, x: float, y: float) -> float:
        return y * power(x, y - 1) if y >= 0.5 or y <= -1 else y * z / x

    return slope


power_slope = _slope_of(math.pow)
power_even_slope, power_odd_slope = _slope_of(power_odd), _slope_of(power_even)


def _off_pole(distance: float, x: float) -> float:
    """The distance of x from a pole. Raises `ValueError` at the nearest double: closer than half a unit in the last place.

    Where doubles are so far apart that this says nothing, they are taken as they are.
    """
    if fabs(distance) <= min(math.ulp(x) / 2, 1e-8):
        raise ValueError
    return distance


def tan(x: float) -> float:
    """Tangent; not defined at the doubles nearest to the odd multiples of π/2."""
    _off_pole(math.cos(x), x)
    return math.tan(x)


def sec(x: float) -> float:
    """1/cos(x), with the poles of `tan`."""
    return 1 / _off_pole(math.cos(x), x)


def cot(x: float) -> float:
    """1/tan(x); not defined at the doubles nearest to the multiples of π."""
    return math.cos(x) / _off_pole(math.sin(x), x)


def csc(x: float) -> float:
    """1/sin(x), with the poles of `cot`."""
    return 1 / _off_pole(math.sin(x), x)


def asec(x: float) -> float:
    """acos(1/x), by the half angle: near x = ±1 the quotient 1/x would lose half the digits."""
    return 2 * arctangent(sqrt(fabs(x) - sign(x)), sqrt(fabs(x) + sign(x)))


def acsc(x: float) -> float:
    """asin(1/x); near x = ±1 from the sides 1 and sqrt(x^2 - 1) of the triangle."""
    return sign(x) * arctangent(1, sqrt(fabs(x) - 1) * sqrt(fabs(x) + 1))


def acot(x: float) -> float:
    """atan(1/x), in (-π/2, π/2)."""
    return math.atan(1 / x)


def sech(x: float) -> float:
    """1/cosh(x), without the overflow of cosh."""
    t = exp(-fabs(x))
    return 2 * t / (1 + t * t)


def csch(x: float) -> float:
    """1/sinh(x), without the overflow of sinh."""
    return -2 * sign(x) * exp(-fabs(x)) / math.expm1(-2 * fabs(x))


def coth(x: float) -> float:
    """1/tanh(x)."""
    return 1 / math.tanh(x)


def asech(x: float) -> float:
    """acosh(1/x) as log1p(t + sqrt(t(t+2))) with t = 1/x - 1 taken as (1-x)/x."""
    if not 0 < x <= 1:
        raise ValueError
    t = (1 - x) / x
    if t > 1e150:
        return log(2) - log(x)
    return log1p(t + sqrt(t * (t + 2)))


def acsch(x: float) -> float:
    """asinh(1/x); for tiny x, where 1/x overflows, ln(2/x)."""
    if fabs(x) < 1e-300 and x:
        return copysign(log(2) - log(fabs(x)), x)
    return math.asinh(1 / x)


def acoth(x: float) -> float:
    """atanh(1/x) as log1p(2/(x-1))/2, which keeps its digits near x = 1."""
    if fabs(x) <= 1:
        raise ValueError
    return copysign(log1p(2 / (fabs(x) - 1)) / 2, x)


def logarithm(x: float, base: float) -> float:
    """ln(x)/ln(base); bases 2 and 10 by the library, so that powers of them come out whole."""
    if base == 2:
        return math.log2(x)
    if base == 10:
        return math.log10(x)
    return log(x) / log(base)


def root(x: float, n: float) -> float:
    """The real n-th root; of a negative x for odd whole n only."""
    if n == 2:
        return sqrt(x)
    if n == 3:
        return math.cbrt(x)
    if x < 0:
        if fabs(math.fmod(n, 2)) != 1:
            raise ValueError
        return -math.pow(-x, 1 / n)
    return math.pow(x, 1 / n)


def sign(x: float) -> float:
    """-1, 0 or 1."""
    return (x > 0.0) - (x < 0.0) + 0.0


def where(condition: float, x: float, y: float) -> float:
    """Return where the condition is not 0 the second, elsewhere the third."""
    return x if condition else y


def step(x: float) -> float:
    """1 from 0 on, 0 before."""
    return 1.0 if x >= 0.0 else 0.0


def relu(x: float) -> float:
    """The positive part."""
    return x if x > 0.0 else 0.0


def softplus(x: float) -> float:
    """ln(1 + e^x), with the large part taken out of the exponential."""
    return (x if x > 0.0 else 0.0) + log1p(exp(-fabs(x)))


def sigmoid(x: float) -> float:
    """1/(1 + e^-x), always with the exponential that cannot overflow."""
    if x >= 0.0:
        return 1 / (1 + exp(-x))
    t = exp(x)
    return t / (1 + t)


def arctangent(y: float, x: float) -> float:
    """The angle of the point (x, y); the origin has none."""
    if x == 0 and y == 0:
        raise ValueError
    return math.atan2(y + 0.0, x)  # no signed zero: the angle of (-1, 0) is π


def factorial(x: float) -> float:
    """The factorial of a whole number from 0 on."""
    if x < 0 or x != math.floor(x):
        raise ValueError
    if x > 170:
        raise OverflowError
    return float(math.factorial(int(x)))


def lgamma(x: float) -> float:
    """ln|Γ(x)|; around and between its zeros 1 and 2, where the library loses digits, by Arb."""
    if 0.5 < x < 3 and x != 1 and x != 2:
        return _by_arb("lgamma", x)
    return math.lgamma(x)


def polygamma(order: float, x: float) -> float:
    """The derivative of digamma of that order at x, by Arb."""
    if x <= 0 and x == math.floor(x):
        raise ValueError
    if not 0 <= order <= 100 or order != math.floor(order):
        raise ValueError
    return _by_arb("polygamma", x, order)


# Losses, of a prediction and a target.


def huber(x: float, y: float, d: float) -> float:
    """r^2/2 for a residual r = x - y of up to d in size, d*(|r| - d/2) beyond."""
    if not d > 0:
        raise ValueError
    r = fabs(x - y)
    return r * r / 2 if r <= d else d * (r - d / 2)


def cross_entropy_of_probability(p: float, y: float) -> float:
    """-y*ln(p) - (1 - y)*ln(1 - p), where 0*ln(0) is 0."""
    if not (0 <= p <= 1 and 0 <= y <= 1):
        raise ValueError
    hit = -y * log(p) if y else 0.0
    return hit - (1 - y) * log1p(-p) if y != 1 else hit


def cross_entropy_of_logit(z: float, y: float) -> float:
    """The same for p = sigmoid(z): no p is rounded to 0 or 1."""
    if not 0 <= y <= 1:
        raise ValueError
    return y * softplus(-z) + (1 - y) * softplus(z)


def gaussian(m: float, y: float, s: float) -> float:
    """-ln of the density of a normal distribution with mean m and standard deviation s, at y."""
    if not s > 0:
        raise ValueError
    z = (y - m) / s
    return z * z / 2 + log(s) + 0.5 * log(2 * math.pi)


@lru_cache(1 << 12)  # in a grid of points arguments come again, and each takes 0.05 ms
def _by_arb(name: str, *arguments: float) -> float:
    """A function of `arb_kernels`, rounded."""
    from exprgrad.operations import arb_kernels

    return arb_kernels.rounded(name, *arguments)


def digamma(x: float) -> float:
    """Γ'(x)/Γ(x)."""
    return polygamma(0, x)


def sinc(x: float) -> float:
    """sin(x)/x, 1 at 0."""
    return math.sin(x) / x if x else 1.0


def sinc_derivative(x: float, order: float) -> float:
    """The derivative of sinc of that order.

    From x*sinc(x) = sin(x) follows s_n = (sin^(n)(x) - n*s_(n-1))/x, which cancels where x is small
    beside n; there the power series sum (-1)^k x^(2k-n) / ((2k+1) (2k-n)!) is used, and between the
    two Arb.
    """
    n = int(order)
    if n != order or not 0 <= n <= 100:
        raise ValueError
    if fabs(x) < 2:
        return _sinc_series(x, n)
    if fabs(x) < 2 * n:
        return _by_arb("sinc_derivative", x, n)
    turns = (math.sin(x), math.cos(x), -math.sin(x), -math.cos(x))
    value = turns[0] / x
    for k in range(1, n + 1):
        value = (turns[k % 4] - k * value) / x
    return value


def _sinc_series(x: float, n: int) -> float:
    k = (n + 1) // 2
    power = 2 * k - n
    term = (-1) ** k * x**power / math.factorial(power)
    total, previous = 0.0, None
    while total != previous:
        previous = total
        total += term / (2 * k + 1)
        k += 1
        power += 2
        term *= -x * x / (power * (power - 1))
    return total


def whole(x: float) -> float:
    """The nearest whole number, halves to even (as Python and NumPy)."""
    return float(round(x))


def floor(x: float) -> float:
    """The largest whole number not above x."""
    return float(math.floor(x))


def ceil(x: float) -> float:
    """The smallest whole number not below x."""
    return float(math.ceil(x))
