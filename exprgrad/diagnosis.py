"""What probably went wrong: which misapplied rule gives exactly what was claimed.

The function is differentiated again with one rule of the catalogue misapplied, at one place or at every
place; the claim must come out, first in doubles at a few points, then to many digits. Then come mistakes
with the whole: a sign, a factor, a constant, the antiderivative, another variable, another reading.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import NamedTuple

from exprgrad import symbolic, whole
from exprgrad.agreement import Point, Sides, points, screened, value_side
from exprgrad.errors import Span
from exprgrad.expression import Expression
from exprgrad.graph import Value, topological
from exprgrad.misapplied import Candidate, Search
from exprgrad.notation import length, text
from exprgrad.probe import Probe
from exprgrad.question import Question

SCREENED = 3
"""Points at which candidates are tried in doubles."""

MOST_POINTS = 100
MOST_TIES = 3


class Mistake(NamedTuple):
    """What probably went wrong. `name` is the kind, `rule` what to look up, `span` the place in the problem.

    `message` tells the student in a sentence, `hint` names the kind without the answer. `others` are
    the names of other mistakes that give the same.
    """

    name: str
    rule: str
    message: str
    hint: str
    span: Span | None
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} ({self.rule}): {self.message}"


def diagnose(
    question: Question, sides: Sides, counterexample: Point, partly: bool = False
) -> Mistake | None:
    """The mistake that gives the claim; None where none of the catalogue does.

    Of a claim that is right on one side, `partly`, the whole is not accused.
    """
    telling = _telling(sides, counterexample)
    if not telling:
        return None
    told = whole.misread(question, sides, telling)
    if told is not None:
        return Mistake(*told, None)
    if question.order == 1:
        found = _misapplied(question, sides, telling)
        if found is not None:
            return found
    told = None if partly else whole.explain(question, sides, telling)
    return None if told is None else Mistake(*told, None)


def _telling(sides: Sides, counterexample: Point) -> list[Point]:
    """Points at which the claim is defined and fails, generic ones first."""
    found = [
        at
        for at, _ in zip(points(sides), range(MOST_POINTS), strict=False)
        if screened(sides, at) == "suspected" and sides.claim(at, 0).value is not None
    ]
    if not found and sides.claim(counterexample, 0).value is not None:
        found = [counterexample]
    found.sort(key=lambda at: any(x in (0, 1, -1) for x in at.values()))
    return _mixed(found, sides.along)


def _mixed(points: list[Point], along: str | None) -> list[Point]:
    """The points in an order in which the held variables take turns with their values."""
    groups: dict[tuple[float, ...], list[Point]] = {}
    for at in points:
        key = tuple(x for name, x in at.items() if name != along)
        groups.setdefault(key, []).append(at)
    turns = zip_longest(*groups.values())
    return [at for turn in turns for at in turn if at is not None]


def _misapplied(
    question: Question, sides: Sides, telling: list[Point]
) -> Mistake | None:
    search = Search(question.expression, question.wrt, telling[:SCREENED])
    if not search.sheets:
        return None
    targets = [sides.claim(at, 0).value for at, _ in search.sheets]
    ties: list[Candidate] = []
    for candidate in search.candidates():
        if search.gives(candidate, targets):
            wrong = Expression.of(search.formula(candidate), question.names)
            instead = sides._replace(truth=value_side(Probe(wrong)))
            if whole.same(instead, telling):
                ties.append(candidate)
                if len(ties) == MOST_TIES:
                    break
    return _mistake(question, search, ties) if ties else None


def _mistake(question: Question, search: Search, ties: list[Candidate]) -> Mistake:
    first = ties[0]
    place = search.places[first.steps[0]]
    within = set(topological(place.inner)) if len(first.steps) == 1 else set()
    apart = [tie for tie in ties if search.places[tie.steps[0]].item not in within]
    messages = dict.fromkeys(_message(question, search, tie) for tie in apart)
    name, *others = dict.fromkeys(tie.row.name for tie in ties)
    rules = dict.fromkeys(tie.row.rule for tie in apart)
    return Mistake(
        name,
        first.row.rule,
        ("either " if len(messages) > 1 else "") + ", or ".join(messages),
        f"look at {' or at '.join(rules)}",
        place.item.span if len(first.steps) == 1 else None,
        tuple(others),
    )


def _message(question: Question, search: Search, candidate: Candidate) -> str:
    place = search.places[candidate.steps[0]]
    operands, written = place.item.operands, question.expression.written
    constants = [
        o for o, varies in zip(operands, place.varies, strict=True) if not varies
    ]
    told = candidate.row.tell.format(
        part=written(place.item),
        own=_Late(question, place.item),
        u=written(operands[0]),
        v=written(operands[-1]),
        inner=written(place.inner),
        slope=_Late(question, place.inner),
        constant=written((*constants, place.item)[0]),
        name=place.name,
    )
    several = len(candidate.steps) > 1
    return f"{told} (and likewise at every such place)" if several else told


class _Late:
    """The derivative of a part in words, worked out only when it is put into a sentence."""

    def __init__(self, question: Question, part: Value) -> None:
        self.make: Callable[[], Value] = lambda: symbolic.derivative(part, question.wrt)

    def __format__(self, spec: str) -> str:
        own = self.make()
        return text(own) if length(own, 60) <= 60 else "its own derivative"
