"""An answer of the package beside the truth: right, wrong, invented, refused, undecided, overflow."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import mpmath

from tests.oracle.functions import ROWS, Overflow, Unsure
from tests.oracle.trees import Case, case, text
from tests.oracle.truth import Side, Truth, truth

RIGHT, WRONG, INVENTED = "right", "wrong value", "invented"
REFUSED, UNDECIDED, OVERFLOW = "refused though it exists", "undecided", "overflow"
UNSURE = "the oracle is unsure"
UNDEFINED = "undefined"
CORNER, EDGE, VERTICAL = "corner", "edge", "vertical"
JUMP, ISOLATED = "jump", "isolated"

TEN_DIGITS = 5.0000001e-11

ONE_SIDED = 1e-13
"""The relative error of a slope at an edge, where differences may approach it like a root of the step."""


class Number(NamedTuple):
    """What the package says of one number: a value and a bound, or in a word why there is none.

    `decimal` has the digits of a number beyond the range of doubles; `slopes` are those from the left and
    from the right, where there is something to be said about the sides.
    """

    value: float | None
    error: float = math.inf
    why: str = ""
    decimal: str | None = None
    slopes: tuple[float | None, float | None] = (None, None)


class Verdict(NamedTuple):
    """What kind of answer that is; `about` is the variable, or empty for the value."""

    kind: str
    about: str
    case: Case
    said: Number | None
    wanted: Any


Ask = Callable[[str, dict[str, str]], tuple[Number, dict[str, Number]]]
"""Asks the package: the expression and the point as texts; the value and the partials by name."""


def cases(seed: int, count: int, first: int = 0) -> Iterator[Case]:
    """So many cases from that number on, always the same for a seed."""
    rows = (*ROWS, "and", "or", "if")
    for i in range(first, first + count):
        yield case(random.Random(f"{seed} {i}"), rows)


def judge(given: Case, ask: Ask) -> list[Verdict]:
    """The verdicts about the value and every partial."""
    try:
        known = truth(given)
    except Overflow:
        return [Verdict(OVERFLOW, "", given, None, None)]
    except Unsure:
        return [Verdict(UNSURE, "", given, None, None)]
    value, partials = ask(text(given.tree), given.at)
    found = [Verdict(_kind(value, known.value), "", given, value, known.value)]
    if known.value is not None and value.why not in (UNDECIDED, OVERFLOW):
        for name, partial in partials.items():
            found.append(_partial(given, known, name, partial))
    return found


def _partial(given: Case, known: Truth, name: str, said: Number) -> Verdict:
    wanted = known.partial(name)
    if said.why in (UNDECIDED, OVERFLOW):
        return Verdict(said.why, name, given, said, wanted)
    if said.why:
        kind, sides = _about_sides(known, name, said), known.sides[name]
        return Verdict(kind, name, given, said, sides if wanted is None else wanted)
    if wanted is not None and not wanted and _within_blur(known, name, said):
        return Verdict(RIGHT, name, given, said, wanted)
    return Verdict(_kind(said, wanted), name, given, said, wanted)


def _about_sides(known: Truth, name: str, said: Number) -> str:
    """Whether a partial is rightly refused, and what is said about both sides is true."""
    if known.partial(name) is not None:
        return REFUSED
    sides = known.sides[name]
    if said.why != _what_happens(sides):
        return WRONG
    for side, slope in zip(sides, said.slopes, strict=True):
        if not _slope_is_right(side, slope):
            return WRONG
    if said.why == EDGE:
        slope = next(s.slope for s in sides if s.kind == "slope")
        return _told(said, slope, ONE_SIDED)
    return RIGHT if said.value is None else INVENTED


def _what_happens(sides: tuple[Side, Side]) -> str:
    """The word for two sides of which at least one is not as the other."""
    kinds = [side.kind for side in sides]
    for kind in (JUMP, VERTICAL):
        if kind in kinds:
            return kind
    return (CORNER, EDGE, ISOLATED)[kinds.count("none")]


def _slope_is_right(side: Side, slope: float | None) -> bool:
    """Whether a slope is that of its side: infinite where it is vertical, None where there is none."""
    if side.kind in ("none", JUMP):
        return slope is None
    if slope is None:
        return False
    if side.kind == VERTICAL:
        return math.isinf(slope) and (slope > 0) == (side.slope > 0)
    off = abs(mpmath.mpf(slope) - side.slope)
    return bool(off <= 1e-9 * abs(side.slope) + side.blur)


def _within_blur(known: Truth, name: str, said: Number) -> bool:
    """Whether a small number may well be what differences call 0."""
    with mpmath.workdps(40):
        number = abs(mpmath.mpf(said.decimal or said.value or 0))
        return bool(number <= max(side.blur for side in known.sides[name]))


def _kind(said: Number, wanted: Any) -> str:
    if said.why in (UNDECIDED, OVERFLOW):
        return said.why
    if said.value is None and said.decimal is None:
        return RIGHT if wanted is None else REFUSED
    if wanted is None:
        return INVENTED
    return _told(said, wanted)


def _told(said: Number, wanted: Any, slack: float = 1e-20) -> str:
    """Right where ten digits are, wrong where the bound does not hold; undecided with fewer digits.

    The slack is the relative error of the truth.
    """
    with mpmath.workdps(40):
        wanted = mpmath.mpf(wanted)
        if said.value is None or (not said.value and wanted and abs(wanted) < 1e-307):
            got = mpmath.mpf(said.decimal or 0)
            if not got:
                return RIGHT if abs(wanted) <= said.error else WRONG
            return RIGHT if abs(got - wanted) <= 5.001e-10 * abs(wanted) else WRONG
        off = abs(mpmath.mpf(said.value) - wanted)
        within = off <= mpmath.mpf(said.error) + slack * abs(wanted)
        small = off <= TEN_DIGITS * abs(wanted) or abs(wanted) < 1e-306
        return WRONG if not within else RIGHT if small else UNDECIDED


def report(verdicts: Counter[str]) -> str:
    """A table of kinds and shares."""
    total = sum(verdicts.values())
    rows = [f"{kind:26} {n:8} {100 * n / total:8.3f} %" for kind, n in verdicts.most_common()]  # fmt: skip
    return "\n".join([*rows, f"{'all':26} {total:8}"])
