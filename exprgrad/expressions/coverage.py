"""Coverage factors: how many standard uncertainties hold an error with a probability.

    coverage_factor(0.95)            # 1.96: that of the normal distribution
    coverage_factor(0.95, 16.75)     # 2.11: that of Student's t, for any number of degrees of freedom

k solves P(|t| <= k) = p, where with I the regularised incomplete beta function
P(|t| <= k) = 1 - I(ν/2, 1/2, ν/(ν + k²)) (Abramowitz and Stegun, 26.7.1). Degrees of freedom are not rounded
to an integer first (JCGM 100:2008, G.4.1, allows both).
"""

from __future__ import annotations

import math
from functools import lru_cache

from exprgrad.annotations import Any
from exprgrad.errors import UsageError
from exprgrad.operations.high_precision import working

DIGITS = 20


@lru_cache(64)
def coverage_factor(probability: float, degrees_of_freedom: float = math.inf) -> float:
    """k for an interval of that probability around the value. Raises `UsageError`."""
    if not 0 < probability < 1:
        raise UsageError(
            f"a coverage probability is between 0 and 1, not {probability:g}",
            hint="0.95, or 95%",
        )
    if not degrees_of_freedom > 0:
        raise UsageError("there are more than 0 degrees of freedom")
    with working(DIGITS) as numbers:
        mp = numbers.context
        p = mp.mpf(str(probability))
        normal = mp.sqrt(2) * mp.erfinv(p)
        if (
            degrees_of_freedom > 1e12
        ):  # the two differ by k(k² + 1)/4ν, not in the digits kept
            return float(normal)
        half = mp.mpf(degrees_of_freedom) / 2

        def outside(k: Any) -> Any:
            x = 2 * half / (2 * half + k * k)
            return mp.betainc(half, 0.5, 0, x, regularized=True) - (1 - p)

        low, high = normal, 2 * normal
        while outside(high) > 0:
            low, high = high, 4 * high
        return float(mp.findroot(outside, (low, high), solver="anderson", tol=1e-30))
