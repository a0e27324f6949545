"""How many times a relative error of x comes out at most, in f(x) and in f'(x).

Each function is given y = f(x) and x, and bounds both |x f'(x) / f(x)| and |x f''(x) / f'(x)|, for the
rows of the table that name it. Where a bound is infinite it may divide by 0. The rules run on arrays too, with
NumPy's functions in place of those that they name: so there is no `if` in them.

Those at the end are given several arguments, or one of a function that jumps, and bound the same for each argument.
With |x| over the distance to a corner, they are infinite there, and so large beside it that no error that could reach
over it passes for small. They run on floats alone.
"""

from __future__ import annotations

from math import fabs, floor, log, sqrt

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
    return fabs(x) / near, (fabs(x - z) + fabs(y)) / near


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
