"""Hypothesis draws the same examples in every run and is not timed."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "exprgrad",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("exprgrad")
