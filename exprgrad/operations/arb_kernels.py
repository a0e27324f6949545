"""The operations on FLINT's `arb`, the balls of Johansson's Arb.

    with Precision(200):                     # bits
        polygamma(arb(2.5), arb(1))          # [0.49035775610023486497... +/- 2e-60]

A ball in gives a ball that holds the result for every number of the ball, or nan where Arb cannot tell. A row
names one of these functions, or a method of `arb`; the functions here are those that Arb does not have, or has for
a part of their domain only. (Johansson, *Arb: efficient arbitrary-precision midpoint-radius interval
arithmetic*, 2017.)
"""

from __future__ import annotations

from flint import acb, arb, ctx

from exprgrad.annotations import Any
from exprgrad.operations.precision import Precision


def kernel(name: str) -> Any:
    """The function of that name here, or else the method of `arb`."""
    return globals().get(name) or getattr(arb, name)


def fractional_power(x: Any, y: Any) -> Any:
    """|x|^y."""
    size = abs(x)
    if size > 0:
        return size**y
    # from 0 on it rises: so up to the power of the greatest
    return arb(0).union(size.abs_upper() ** y) if y > 0 else arb.nan()


def whole_power(x: Any, exponent: int) -> Any:
    """x^n, also of a ball around 0 for n > 0, where FLINT's is nan."""
    # most powers are squares, and this takes a third of the time
    if exponent == 2:
        return x * x
    if exponent <= 0 or not x.contains(0):
        return x**exponent
    most = x.abs_upper() ** exponent
    return most.union(-most if exponent % 2 else arb(0))


def cbrt(x: Any) -> Any:
    """The real cube root, also at 0, where FLINT's is nan."""
    if x == 0:
        return x
    if x > 0:
        return x.root(3)
    if x < 0:
        return -(-x).root(3)
    most = x.abs_upper().root(3)
    return most.union(-most)


def hypot(x: Any, y: Any) -> Any:
    """The root of x^2 + y^2."""
    square = x * x + y * y
    return square.sqrt() if square > 0 else arb(0).union(square.abs_upper().sqrt())


def softplus(x: Any) -> Any:
    """ln(1 + e^x), with the large part taken out of the exponential."""
    return x.max(0) + (-abs(x)).exp().log1p()


def sigmoid(x: Any) -> Any:
    """1/(1 + e^-x), always with the exponential that cannot overflow."""
    if x < 0:
        t = x.exp()
        return t / (1 + t)
    return 1 / (1 + (-x).exp())


def nll_gaussian(m: Any, y: Any, s: Any) -> Any:
    """-ln of a normal density, with a square that may be 0."""
    t = (y - m) / s
    return t * t / 2 + s.log() + (2 * arb.pi()).log() / 2


def lgamma(x: Any) -> Any:
    """ln|Γ(x)|."""
    return x.lgamma() if x > 0 else abs(x.gamma()).log()


def polygamma(x: Any, order: Any) -> Any:
    """The derivative of digamma of that order, for which Arb takes time in proportion to |x| on the left.

    There psi_n(x) = (-1)^n psi_n(1 - x) - pi (d/dx)^n cot(pi x), where with c = cot(pi x) the derivatives are
    pi^n P_n(c), P_0 = c, P_(k+1) = -(1 + c^2) P_k'.
    """
    n = int(order.unique_fmpz())
    if n == 0:
        return x.digamma()
    if not x < -8:
        return acb(x).polygamma(acb(n)).real
    # near -k - 1/2 the two terms, of the size of n!, leave as little as |x|^-n
    size = int(abs(x).upper().ceil().unique_fmpz()).bit_length()
    with Precision(ctx.prec + 20 + n * (n.bit_length() + size + 2)):
        c = x.cot_pi()
        slope = arb(0)
        rising = [0, 1]  # the coefficients of P_0, the lowest power first
        for _ in range(n):
            derived = [*(k * a for k, a in enumerate(rising) if k), 0, 0]
            rising = [-(a + b) for a, b in zip(derived, [0, 0, *derived[:-2]], strict=True)]  # fmt: skip
        for coefficient in rising[::-1]:
            slope = slope * c + coefficient
        mirrored = acb(1 - x).polygamma(acb(n)).real
        return (-1) ** n * mirrored - arb.pi() ** (n + 1) * slope


def sinc(x: Any) -> Any:
    """sin(x)/x, which is no number where x is none: for Arb it lies between -1 and 1 even then."""
    return x if x.is_nan() else x.sinc()


def sinc_derivative(x: Any, order: Any) -> Any:
    """The derivative of sin(x)/x of that order: near 0 the integral of t^n cos^(n)(x t) from 0 to 1.

    That is a function 1F2 of -x^2/4. Elsewhere the product rule for sin(x) * 1/x serves.
    """
    n = int(order.unique_fmpz())
    near = not abs(x) > n + 2
    with Precision(ctx.prec + (3 * n + 10 if near else 20 + 8 * n)):
        if near:
            m, half = n + n % 2, arb(1) / 2
            z = -x * x / 4
            found = z.hypgeom([(m + 1) * half], [half + n % 2, (m + 3) * half])
            return (-1) ** (m // 2) * found * (x if n % 2 else 1) / (m + 1)
        total, factor = arb(0), 1 / x
        turns = (x.sin(), x.cos(), -x.sin(), -x.cos())
        for k in range(n + 1):
            # factor is binomial(n, k) * (1/x)^(k), the k-th derivative
            total += factor * turns[(n - k) % 4]
            factor *= -(n - k) / x
        return total


def rounded(name: str, *arguments: float) -> float:
    """A function of this name, as a double. Raises `ValueError` where it has no value that can be told."""
    # 58 bits are five more than a double has, so that it is hardly ever rounded the wrong way
    for bits in (80, 160, 640, 2560):
        with Precision(bits):
            found = kernel(name)(*map(arb, arguments))
            if found.rel_accuracy_bits() > 58 or found.is_zero():
                return float(found)
    if not found.is_finite():
        raise ValueError("not a real number")
    return float(found)
