"""Numbers as people read them: apart, for what prints numbers often needs no graph."""

from __future__ import annotations

import math


def number(value: float, digits: int = 10) -> str:
    """A number for people: whole numbers in full, others with so many significant digits."""
    if not math.isfinite(value):
        return "undefined"
    if value == math.floor(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.{digits}g}"
