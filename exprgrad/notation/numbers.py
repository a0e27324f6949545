"""Numbers as people read them: apart, for what prints numbers often needs no graph."""

from __future__ import annotations

import math

SMALLEST_NORMAL = 2.0**-1022
"""The smallest positive double with all its digits."""


def number(value: float, digits: int = 10) -> str:
    """A number for people: whole numbers in full, others with so many significant digits."""
    if not math.isfinite(value):
        return "undefined"
    # int(1e23) is 99999999999999991611392: the digits of a larger double are not those that were meant
    if value == math.floor(value) and abs(value) < 1e15:
        return str(int(value))
    # it has fewer digits: those of its shortest decimal
    if abs(value) < SMALLEST_NORMAL:
        from decimal import Context

        return f"{Context(prec=digits).create_decimal(repr(value)):g}"
    return f"{value:.{digits}g}"


def nth(order: int) -> str:
    """Return the ordinal of an order: second, 21st, but 11th."""
    names = ("first", "second", "third")
    if 1 <= order <= len(names):
        return names[order - 1]
    ends = {1: "st", 2: "nd", 3: "rd"} if order // 10 % 10 != 1 else {}
    return f"{order}{ends.get(order % 10, 'th')}"
