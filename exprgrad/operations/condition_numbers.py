"""How many times a relative error of x comes out at most, in f(x) and in f'(x).

Each function is given y = f(x) and x, and bounds both |x f'(x) / f(x)| and |x f''(x) / f'(x)|, for the
rows of the table that name it. Where a bound is infinite it may divide by 0. The rules run on arrays too, with
NumPy's functions in place of those that they name: so there is no `if` in them.

Those at the end are given several arguments, or one of a function that jumps, and bound the same for each argument.
With |x| over the distance to a corner, they are infinite there, and so large beside it that no error that could reach
over it passes for small. They run on floats alone.
"""

from __future__ import annotations

from math import cos, exp, fabs, floor, lgamma, log, sqrt

from exprgrad.operations.kernels import polygamma

Several = tuple[float, ...]
"""A condition number for every argument."""


def steady(y: float, x: float) -> float:
    """Roots, atan, asinh: bounded everywhere."""
    return 2.0


def growing(y: float, x: float) -> float:
    """The exponential function and its kin, both of whose derivatives are of their own size."""
    return 2 + 2 * fabs(x)


def logarithmic(y: float, x: float) -> float:
    """Logarithms to bases from 2 to 10, whose zero is at 1."""
    return 1 + 1.5 / fabs(y)


def logarithmic_from_one(y: float, x: float) -> float:
    """The function ln(1 + x)."""
    return fabs(x) / (1 + x) * (1 + 1 / fabs(y))


def turning(y: float, x: float) -> float:
    """Sine and cosine: |x| over whichever is smaller, the function or its slope."""
    near = 0.5 * fabs(x) * (fabs(x) < 1)  # where it is at most 2
    return fabs(x) / max(near, min(fabs(y), sqrt((1 - y) * (1 + y))))


def tangential(y: float, x: float) -> float:
    """Tangent and cotangent, with the slope 1 + y^2."""
    return fabs(x) * (1 + 2 * fabs(y) + 1 / fabs(y))


def secant(y: float, x: float) -> float:
    """Secant and cosecant, with the slope y*sqrt(y^2 - 1)."""
    return 2 * fabs(x) * (y * y + 1 + fabs(y) / sqrt(y * y - 1))


def within_one(y: float, x: float) -> float:
    """Inverse functions that end at 1 and -1."""
    return 2 + 2 / ((1 - x) * (1 + x))


def beyond_one(y: float, x: float) -> float:
    """Inverse functions that begin at 1 and -1."""
    return 2 + 2 / (fabs(x) - 1)


def bell(y: float, x: float) -> float:
    """The error function, with the slope exp(-x^2)."""
    return 2 + 2 * x * x


def extreme(z: float, x: float, y: float) -> Several:
    """The larger or the smaller of two numbers, with a corner where they are equal."""
    gap = fabs(x - y)
    return 1 + fabs(x) / gap, 1 + fabs(y) / gap


def compared(z: float, x: float, y: float) -> Several:
    """A comparison."""
    gap = fabs(x - y)
    return fabs(x) / gap, fabs(y) / gap


def apart(z: float, x: float, y: float) -> Several:
    """What depends on the difference of two numbers, and on no power of it above the second."""
    gap = fabs(x - y)
    return 2 * fabs(x) / gap, 2 * fabs(y) / gap


def chosen(z: float, c: float, x: float, y: float) -> Several:
    """A choice between two numbers: what is not chosen does not count."""
    return (0.0, 1.0, 0.0) if c else (0.0, 0.0, 1.0)


def logical(z: float, *truths: float) -> Several:
    """What is computed from the results of comparisons."""
    return (0.0,) * len(truths)


def stepping(z: float, x: float) -> Several:
    """What jumps at 0."""
    return (fabs(x) / fabs(x),)


def stepping_at_wholes(z: float, x: float) -> Several:
    """What jumps at every whole number."""
    past = x - floor(x)
    return (fabs(x) / min(past, 1 - past),)


def stepping_at_halves(z: float, x: float) -> Several:
    """What jumps between whole numbers."""
    return (fabs(x) / (0.5 - fabs(x - z)),)


def remainder(z: float, x: float, y: float) -> Several:
    """What is left of x after a whole number of y."""
    near = min(fabs(z), fabs(y) - fabs(z))
    return fabs(x) / near, fabs(x - z) / near


def diagonal(z: float, x: float, y: float) -> Several:
    """The hypotenuse."""
    return 2.0, 2.0


def angular(a: float, y: float, x: float) -> Several:
    """The angle of a point, which jumps where y = 0 > x."""
    if y == 0 > x:
        raise ValueError
    both = 3 + (0.5 / fabs(a) if a else 0.0)
    return both, both


def logarithmic_to_base(y: float, x: float, base: float) -> Several:
    """The logarithm ln(x)/ln(base)."""
    return 1 + 1 / fabs(log(x)), 2 + 2 / fabs(log(base))


# The following are those of functions whose kernels, or rules of partials, have errors that hang on the argument.
# `*_error` bounds these, relative to the value and to each partial, in units of 2^-53. They raise `ValueError` where
# they say nothing, as where a target is 0 or 1.


def root(y: float, x: float, n: float) -> Several:
    """The n-th root: partials y/(n x) and -y ln(x)/n^2."""
    if (
        x <= 0
    ):  # there the degree must be odd, so that in it no point is interior: balls look at that
        raise ValueError
    return 2 + 2 / fabs(n) + 1 / fabs(log(fabs(x))), 4 + 3 * fabs(log(fabs(y)))


def root_error(y: float, x: float, n: float) -> float:
    """The exponent 1/n is rounded."""
    return 16 + 2 * fabs(log(fabs(y)))


def sine_quotient(y: float, x: float) -> Several:
    """The function sin(x)/x, with the slope (cos(x) - y)/x."""
    bent = 4.0 if fabs(x) < 1 else x * x * fabs(y) / fabs(cos(x) - y)
    return (4 + 1 / fabs(y) + bent,)


def sine_quotient_error(y: float, x: float) -> float:
    """An absolute one, of both; the slope is at least 0.3|x| near 0."""
    slope = 0.3 * fabs(x) if fabs(x) < 1 else fabs((cos(x) - y) / x)
    return 40 + 4 / fabs(y) + 32 / slope


def factorial(y: float, x: float) -> Several:
    """The gamma function, with the slope y psi(x); at whole numbers balls know it exactly."""
    if x == floor(x):
        raise ValueError
    psi = polygamma(0, x)
    return (fabs(x) * max(fabs(psi), (_trigamma(x) + psi * psi) / fabs(psi)),)


def factorial_error(y: float, x: float) -> float:
    """That of the library."""
    return 70.0


def logarithmic_factorial(y: float, x: float) -> Several:
    """The logarithm of the gamma function, with the slope psi(x)."""
    psi = fabs(polygamma(0, x))
    return (fabs(x) * max(psi / fabs(y), _trigamma(x) / psi),)


def logarithmic_factorial_error(y: float, x: float) -> float:
    """An absolute one; from 1/2 to 3 the kernel rounds once, and on the left it subtracts from ln(pi/|sin(pi x)|)."""
    if 0.5 < x < 3:
        return 8.0
    return 40 + (40 + 4 * (lgamma(1 - x) if x < 0 else 0.0)) / fabs(y)


def _trigamma(x: float) -> float:
    """A bound on psi'(x)."""
    return 1 / x + 1 / (x * x) if x > 0 else polygamma(1, x)


def _inside(probability: float) -> None:
    if not 0 < probability < 1:
        raise ValueError


def cross_entropy(z: float, p: float, y: float) -> Several:
    """Of a probability: partials (p - y)/(p (1 - p)) and ln(1 - p) - ln(p)."""
    _inside(p)
    _inside(y)
    q, off, odds = 1 - p, fabs(p - y), fabs(log(1 - p) - log(p))
    of_p = off / q / z + (y * q + (1 - y) * p * p / q) / off + 1 / q / odds
    return 2 + of_p, 2 + y * odds / z + y / off


def cross_entropy_error(z: float, p: float, y: float) -> float:
    """That of the difference of logarithms, and of 1 - p."""
    logs = fabs(log(p)) + fabs(log(1 - p))
    return 24 + (4 + 2 * logs) / fabs(log(1 - p) - log(p)) + 4 / (1 - p)


def cross_entropy_of_logit(h: float, z: float, y: float) -> Several:
    """Of a logit: partials s - y, with s = sigmoid(z), and -z."""
    _inside(y)
    s = 1 / (1 + exp(-z))
    off = fabs(s - y)
    return 2 + fabs(z) * off / h + fabs(z) * s * (1 - s) / off, 2 + fabs(y * z) / h + y / off  # fmt: skip


def cross_entropy_of_logit_error(h: float, z: float, y: float) -> float:
    """That of the sigmoid beside the target."""
    return 24 + 16 / fabs(1 / (1 + exp(-z)) - y)


def normal(z: float, m: float, y: float, s: float) -> Several:
    """-ln of a normal density: with t = (y - m)/s, partials -t/s, t/s and (1 - t^2)/s."""
    t = (y - m) / s
    steep = fabs(t / s) / fabs(z) + 1 / fabs(y - m) + 2 * fabs(t / s) / fabs(1 - t * t)
    spread = fabs(1 - t * t) / fabs(z) + 4 + 2 * t * t / fabs(1 - t * t)
    return fabs(m) * steep, fabs(y) * steep, spread


def normal_error(z: float, m: float, y: float, s: float) -> float:
    """That of the sum, which may be near 0, and of 1 - t^2."""
    t = (y - m) / s
    terms = 4 * t * t + 2 * fabs(log(s)) + 4
    return 24 + terms / fabs(z) + 6 * (1 + fabs(t)) ** 2 / fabs(1 - t * t)
