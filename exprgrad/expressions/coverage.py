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
from exprgrad.operations.precision import Precision

BITS = 160


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
    with Precision(BITS):
        from flint import arb

        p = arb(str(probability))
        normal = arb(2).sqrt() * p.erfinv()
        if (
            degrees_of_freedom > 1e12
        ):  # the two differ by k(k² + 1)/4ν, not in the digits kept
            return float(normal)
        freedom = arb(degrees_of_freedom)

        def outside(k: Any) -> Any:
            x = freedom / (freedom + k * k)
            return x.beta_lower(freedom / 2, 0.5, regularized=True) - (1 - p)

        low, high = normal.mid(), 2 * normal.mid()
        while outside(high) > 0:
            low, high = high, 4 * high
        while float(low) != float(high):
            middle = ((low + high) / 2).mid()
            if middle in (low, high):
                break
            low, high = (middle, high) if outside(middle) > 0 else (low, middle)
        return float(low)
