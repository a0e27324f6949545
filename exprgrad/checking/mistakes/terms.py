"""Which term of a wrong answer is wrong, and what beside it is right.

    wrong_term(question, sides, points)        # of 2x cos(2x) for sin(x^2): the part 2x inside

A part is the wrong one if the answer becomes right with something simple in its place: another number, the other
sign, another function, or a part of the function or of its derivative.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from exprgrad.annotations import Any
from exprgrad.checking.agreement import Sides
from exprgrad.checking.domain import tape_of
from exprgrad.checking.mistakes.catalogue import INNER_LEFT_OUT
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.mistakes.parts import (
    Line,
    Part,
    Quantity,
    close,
    mistakable,
    written,
)
from exprgrad.checking.points import Point
from exprgrad.checking.question import Question
from exprgrad.errors import Span
from exprgrad.graph.value import is_variable
from exprgrad.operations.number_types import Fault
from exprgrad.operations.table import ADD, DIV, MUL, SUB
from exprgrad.sweeps.tape import primals
from exprgrad.symbolic.derivative import tangent

POINTS, LARGEST = 5, 200
"""Points at which parts are looked at, and operations of an answer up to which they are."""

NEVER = 9
"""The rank of a part that is not the wrong one."""


def located(
    told: Mistake | None, question: Question, sides: Sides, points: Sequence[Point]
) -> Mistake | None:
    """A mistake with the wrong term of the answer, and what is right beside it; the term alone without a mistake."""
    part, is_sole = wrong_term(question, sides, points)
    place = None if part is None or part.within is None else place_of(part)
    if (
        part is None
        or place is None
        or (told is None and not (is_sole and part.constant != 0))
    ):
        return told
    above = None if part.within is None else part.within.operation
    if told is not None and told.name == INNER_LEFT_OUT and above not in (ADD, SUB):
        return told  # nothing that stands there is wrong
    if told is None:
        kind = ("number", "arithmetic") if part.constant is not None else ("term", "algebra")  # fmt: skip
        message = f"only the {kind[0]} {question.claim.source[slice(*place)]} is wrong"
        told = Mistake.of(f"wrong {kind[0]}", kind[1], message, "the rest is right")
    # a factor says of itself that all else is right
    right = "" if told.name == "constant factor" else _right(part)
    return told._replace(term=place, right=right)


def place_of(part: Part) -> Span | None:
    """Where a part stands in the answer; a variable, which is one node wherever it stands, inside what it is part of."""
    item, above = part.item, part.within
    if not is_variable(item) or above is None or above.item.span is None:
        return item.span
    start, end = above.item.span
    text = above.line.source[start:end]
    for other in above.operands:
        if other.index != part.index and other.item.span is not None:
            first, last = (place - start for place in other.item.span)
            text = text[:first] + " " * (last - first) + text[last:]
    found = [m.span() for m in re.finditer(rf"(?<![^\W\d_]){item.name}(?!\w)", text)]
    first, last = found[0] if len(found) == 1 else (0, end - start)
    return start + first, start + last


def wrong_term(
    question: Question, sides: Sides, points: Sequence[Point]
) -> tuple[Part | None, bool]:
    """The smallest part of an answer that may be the only wrong one, and whether no other may be as well."""
    f, claim = question.expression, question.claim
    if max(len(f.tape.steps), len(claim.tape.steps)) > LARGEST:
        return None, False
    slope = tape_of(tangent(f.root, question.wrt))
    rows: list[tuple[Any, Any, list[Any]]] = []
    for at in sorted(points[: 4 * POINTS], key=_remoteness):
        truth = sides.truth(at, 0).value
        try:
            own, *others = (primals(one, at) for one in (claim.tape, f.tape, slope))
        except (Fault, KeyError):
            continue
        if truth is not None and None not in own and len(rows) < POINTS:
            rows.append((truth, own, [x for column in others for x in column]))
    if len(rows) < POINTS:
        return None, False
    truths, owns, known = zip(*rows, strict=True)
    pool = [Quantity(own) for own in zip(*known, strict=True) if None not in own]
    pool = [value for value in pool if value.steady is None]
    write = lambda i: claim.written(claim.tape.nodes[i])  # noqa: E731
    line = Line(claim.tape, owns, write, claim.source)
    parts = [part for part in line.parts(Quantity(truths)) if part.is_wrong]
    ranked = [(_rank(p, pool), p) for p in reversed(parts) if p.item.span]
    rank, part = min(ranked, key=lambda pair: pair[0], default=(NEVER, None))
    if part is None or rank == NEVER:
        return None, False
    within = [part]
    while within[-1].within is not None:
        within.append(within[-1].within)
    is_sole = all(own > rank or other in within for own, other in ranked)
    f_u = part.function  # where cos(2x) should be cos(x^2), the inside is wrong
    is_inside = f_u is not None and not any(map(part.fits, _others(part)))
    if f_u is not None and is_inside and any(part.fits(f_u.of(u)) for u in pool):
        part = Part(line, f_u.inner.index, None, part)
    return part, is_sole


def _remoteness(at: Point) -> tuple[bool, float]:
    """How far a point is from small positive numbers, where powers have logarithms and functions their inverses."""
    return min(at.values()) <= 0, max(map(abs, at.values()))


def _others(part: Part) -> list[Quantity]:
    """Other functions of what a part is a function of."""
    function = part.function
    if function is None or function.constants:
        return []
    found = [other(function.inner.value) for other in mistakable() if other is not part.operation]  # fmt: skip
    return [*found, *(-other for other in found)]


def _rank(part: Part, pool: Sequence[Quantity]) -> int:
    """How unlikely a part is the wrong one, by what should stand in its place."""
    steady = part.due.steady
    if part.constant is not None:
        if steady is None or written(steady) is None:
            return NEVER
        return 0 if close(steady, round(steady)) else 1
    is_term = part.within is None or part.within.operation in (ADD, SUB)
    known = [*pool, *([-part.value] if is_term else [])]
    if any(map(part.fits, known)) or any(map(part.fits, _others(part))):
        return 2
    return 3 if is_term and part.ratio is not None and written(part.ratio) else NEVER


def _right(part: Part) -> str:
    """What is right beside a wrong part: the other terms, or the other factors, of the answer."""
    found: list[tuple[str, Part]] = []
    inner, above = part, part.within
    while above is not None:
        if len(above.operands) == 2:
            is_first = above.operands[0].index == inner.index
            other = above.operands[is_first]
            bar = "denominator" if is_first else "numerator"
            kinds = {ADD: "term", SUB: "term", MUL: "factor", DIV: bar}
            if above.operation in kinds and other.constant not in (1, -1):
                found.append((kinds[above.operation], other))
        inner, above = above, above.within
    found = [pair for pair in found if pair[0] == "term"] or found
    if len({kind for kind, _ in found}) != 1:
        return ""
    kind, other = found[0]
    if len(found) == 1 and len(other.terms) == 1:
        return f"the {kind} {other} is right"
    return f"the other {kind}s are right" if kind in ("term", "factor") else ""
