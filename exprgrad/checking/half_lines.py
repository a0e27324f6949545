"""Where a claim that fails somewhere is right after all: for x > 0, say, and wrong for x < 0."""

from __future__ import annotations

from exprgrad.checking.agreement import Sides, screened, settle
from exprgrad.checking.points import Point

FEWEST_RIGHT, FEWEST_WRONG = 4, 2
MOST_POINTS = 60
MOST_VERIFIED = 3


def where_right(sides: Sides) -> str:
    """The half line of a variable on which a claim holds, in words; empty where there is none."""
    right: list[Point] = []
    wrong: list[Point] = []
    if sides.cost * MOST_POINTS > 200_000:
        return ""
    for at, _ in zip(sides.trail, range(MOST_POINTS), strict=False):
        kind = screened(sides, at)
        if kind in ("agrees", "suspected"):
            (right if kind == "agrees" else wrong).append(at)
    if len(right) < FEWEST_RIGHT or len(wrong) < FEWEST_WRONG:
        return ""
    for name in sides.names:
        told = _separated(name, right, wrong)
        if told and _hold(sides, right):
            return told
    return ""


def _hold(sides: Sides, right: list[Point]) -> bool:
    some = [at for at in right if all(at.values())][:MOST_VERIFIED]
    return all(settle(sides, at, thorough=False).kind == "agrees" for at in some)


def _separated(name: str, right: list[Point], wrong: list[Point]) -> str:
    """Whether the sign of this variable tells right from wrong."""
    good = {at[name] > 0 for at in right if at[name]}
    bad = {at[name] > 0 for at in wrong if at[name]}
    if len(good) == len(bad) == 1 and good != bad:
        positive, negative = f"{name} > 0", f"{name} < 0"
        for_right, for_wrong = (
            (positive, negative) if True in good else (negative, positive)
        )
        return f"correct for {for_right}, wrong for {for_wrong}"
    return ""
