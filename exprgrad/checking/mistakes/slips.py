"""Answers that are right but for what was typed beside them: + C, dx, a lost ^.

    list(slips("2x + C", "x", ("C",)))        # [(a mistake, "2x + 0")]

Texts only: whether one of them is right is for others to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from exprgrad.checking.mistakes.mistake import Mistake

INTEGRATION = ("C", "c", "K", "const", "constant")
"""What people call a constant of integration."""


def slips(claim: str, wrt: str, names: Sequence[str]) -> Iterator[tuple[Mistake, str]]:
    """What may have slipped in, or out, with the answer that was meant; `names` are not in the problem."""
    differential = re.fullmatch(rf"(.*?)\s*[*·]?\s*d\s*{re.escape(wrt)}\s*", claim)
    if differential and differential[1].strip():
        yield _differential(wrt), differential[1]
    for name in names:
        if name in INTEGRATION:
            added = re.sub(rf"\s*[+-]\s*{re.escape(name)}\s*$", "", claim)
            if added != claim:
                yield _constant(name), added
    lost = claim
    for name in names:
        power = re.fullmatch(r"([^\W\d_]+?)_?(\d+)", name)
        if power:
            lost = re.sub(
                rf"(?<![^\W\d_]){re.escape(name)}(?!\w)", f"{power[1]}^{power[2]}", lost
            )
    if lost != claim:
        yield _power(lost), lost


def _constant(name: str) -> Mistake:
    return Mistake(
        "constant of integration added",
        "the question",
        f"a constant {name} was added, as when integrating: a derivative has none",
        "constant of integration added: read the question again",
    )


def _differential(wrt: str) -> Mistake:
    return Mistake(
        "differential added",
        "notation",
        f"d{wrt} was written behind the derivative: that is the differential",
        f"differential added: look at the d{wrt}",
    )


def _power(meant: str) -> Mistake:
    return Mistake(
        "lost ^",
        "notation",
        f"a ^ was lost: {meant.strip()} would be right",
        "lost ^: look at how the powers are typed",
    )
