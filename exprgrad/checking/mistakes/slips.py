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
        message = f"d{wrt} was written behind the derivative: that is the differential"
        advice = f"look at the d{wrt}"
        told = Mistake.of("differential added", "notation", message, advice)
        yield told, differential[1]
    lost = claim
    for name in names:
        added = re.sub(rf"\s*[+-]\s*{re.escape(name)}\s*$", "", claim)
        if name in INTEGRATION and added != claim:
            message = f"a constant {name} was added, as when integrating: a derivative has none"
            kind, advice = "constant of integration added", "read the question again"
            yield Mistake.of(kind, "the question", message, advice), added
        power = re.fullmatch(r"([^\W\d_]+?)_?(\d+)", name)
        if power:
            own = rf"(?<![^\W\d_]){re.escape(name)}(?!\w)"
            lost = re.sub(own, f"{power[1]}^{power[2]}", lost)
    if lost != claim:
        message = f"a ^ was lost: {lost.strip()} would be right"
        advice = "look at how the powers are typed"
        yield Mistake.of("lost ^", "notation", message, advice), lost
