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
from tests.oracle.truth import Truth, truth

RIGHT, WRONG, INVENTED = "right", "wrong value", "invented"
REFUSED, UNDECIDED, OVERFLOW = "refused though it exists", "undecided", "overflow"
UNSURE = "the oracle is unsure"
CORNER = "left to germs"

TEN_DIGITS = 5.0000001e-11


class Number(NamedTuple):
    """What the package says of one number: a value and a bound, or in a word why there is none.

    `decimal` has the digits of a number beyond the range of doubles.
    """

    value: float | None
    error: float = math.inf
    why: str = ""
    decimal: str | None = None


class Verdict(NamedTuple):
    """What kind of answer that is; `about` is the variable, or empty for the value."""

    kind: str
    about: str
    case: Case
    said: Number | None
    wanted: Any


Ask = Callable[[str, dict[str, str]], tuple[Number, dict[str, Number]]]
"""Asks the package: the expression and the point as texts; the value and the partials by name."""


def cases(seed: int, count: int) -> Iterator[Case]:
    """So many cases, always the same for a seed."""
    rows = (*ROWS, "and", "or", "if")
    for i in range(count):
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
    if wanted is not None and not wanted and _within_blur(known, name, said):
        return Verdict(RIGHT, name, given, said, wanted)
    if wanted is None and said.why == "edge" and said.value is not None:
        slopes = [side.slope for side in known.sides[name] if side.kind == "slope"]
        wanted = slopes[0] if len(slopes) == 1 else None
    return Verdict(_kind(said, wanted), name, given, said, wanted)


def _within_blur(known: Truth, name: str, said: Number) -> bool:
    """Whether a small number may well be what differences call 0."""
    with mpmath.workdps(40):
        number = abs(mpmath.mpf(said.decimal or 1))
        return bool(number <= max(side.blur for side in known.sides[name]))


def _kind(said: Number, wanted: Any) -> str:
    if said.why in (UNDECIDED, OVERFLOW, CORNER):
        return said.why
    if said.value is None and said.decimal is None:
        return RIGHT if wanted is None else REFUSED
    if wanted is None:
        return INVENTED
    return _told(said, wanted)


def _told(said: Number, wanted: Any) -> str:
    """Right where ten digits are, wrong where the bound does not hold; undecided with fewer digits."""
    with mpmath.workdps(40):
        wanted = mpmath.mpf(wanted)
        if said.value is None or (not said.value and wanted and abs(wanted) < 1e-307):
            got = mpmath.mpf(said.decimal or 0)
            if not got:
                return RIGHT if abs(wanted) <= said.error else WRONG
            return RIGHT if abs(got - wanted) <= 2e-10 * abs(wanted) else WRONG
        off = abs(mpmath.mpf(said.value) - wanted)
        within = off <= mpmath.mpf(said.error) * (1 + mpmath.mpf(2) ** -40)
        small = off <= TEN_DIGITS * abs(wanted) or abs(wanted) < 1e-306
        return WRONG if not within else RIGHT if small else UNDECIDED


def report(verdicts: Counter[str]) -> str:
    """A table of kinds and shares."""
    total = sum(verdicts.values())
    rows = [f"{kind:26} {n:8} {100 * n / total:8.3f} %" for kind, n in verdicts.most_common()]  # fmt: skip
    return "\n".join([*rows, f"{'all':26} {total:8}"])
