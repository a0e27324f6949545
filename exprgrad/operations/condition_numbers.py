"""Bounds on the factor by which a relative error of x grows in f(x) and in f'(x).

Each function is given y = f(x) and x, and bounds both |x f'(x) / f(x)| and |x f''(x) / f'(x)|, for the
rows of the table that name it. Where a bound is infinite it may divide by 0.
"""

from __future__ import annotations

from math import fabs, sqrt


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
