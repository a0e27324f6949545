"""One formula compared with another, whatever it was asked for: the verdict and what it rests on.

    part = judged(Comparison("dy/dx", sides, claim, truth, "dy/dx"))
    part.status, part.evidence          # "incorrect", "at x = 3, y = 4 your answer gives 1, dy/dx is -0.75"

A mistake is named if the claim equals one of the `suspects`, the results of known mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.checking import agreement
from exprgrad.checking.agreement import (
    AGREES,
    DIGITS_GIVEN,
    PROVED,
    REFUTED,
    Basis,
    Findings,
    Sides,
)
from exprgrad.checking.check import (
    CORRECT,
    INCORRECT,
    MOST_EXPLAINED,
    PARTLY,
    UNDECIDED,
    Counterexample,
    against,
    agreement_text,
    basis,
    example_of,
    in_doubles,
    is_zero,
    point_text,
    unfinished_text,
)
from exprgrad.checking.mistakes.diagnosis import telling_points
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.mistakes.whole_answer import same
from exprgrad.checking.points import Point, Quantity, Trail
from exprgrad.checking.question import Question
from exprgrad.checking.right_pieces import where_right
from exprgrad.checking.rounding import Rounded, Set, explained_by_rounding
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Value, node
from exprgrad.operations.table import SUB
from exprgrad.sweeps.precise import Look, Probe


class Suspect(NamedTuple):
    """What one gets by a mistake, and how the mistake is told."""

    told: Mistake
    truth: Quantity


class Comparison(NamedTuple):
    """A claim and what is right; `truth` is the formula of that, `name` what it answers.

    `curve` is where they are compared, if not everywhere. `what` and `yours` are what the two are called in a sentence.
    """

    name: str
    sides: Sides
    claim: Expression
    truth: Value
    what: str
    suspects: tuple[Suspect, ...] = ()
    yours: str = "your answer"
    nowhere: str = ""
    curve: Set | None = None


class Part(NamedTuple):
    """The verdict on one of the things that were claimed; `answer` is the right formula."""

    name: str
    status: str
    evidence: str
    counterexample: Counterexample | None
    mistake: Mistake | None
    claim: Expression
    answer: Value
    notes: tuple[str, ...] = ()
    certainty: str | None = None
    points: int | None = None
    digits: int | None = None


def judged(comparison: Comparison) -> Part:
    """The verdict on one claim."""
    sides, claim = comparison.sides, comparison.claim
    difference = node(SUB, (claim.root, comparison.truth))
    found = agreement.examine(sides, lambda: is_zero(difference))
    if found.against is None:
        if found.enough:
            return _part(comparison, CORRECT, agreement_text(found), found)
        return _part(comparison, UNDECIDED, _why_open(comparison, found), found)
    rounded = _rounded(comparison, found)
    if rounded is not None:
        status = CORRECT if rounded.whole else UNDECIDED
        return _part(comparison, status, rounded.evidence, found)
    return _refuted(comparison, found)


def together(status: str, parts: Sequence[Part]) -> Basis:
    """What a verdict on several parts rests on: if all are right, what the weakest of them does."""
    if status in (INCORRECT, PARTLY):
        return Basis(REFUTED)
    if status != CORRECT:
        return Basis()
    own = [Basis(part.certainty, part.points, part.digits) for part in parts]
    return min(
        own, key=lambda basis: (_CERTAIN.index(basis.certainty), basis.points or 0)
    )


_CERTAIN = (None, DIGITS_GIVEN, AGREES, PROVED)


def _rounded(comparison: Comparison, found: Findings) -> Rounded | None:
    """What the claim is right by, if its decimals are rounded numbers."""
    sides = comparison.sides._replace(along=None)
    if sides.weight > MOST_EXPLAINED:
        return None
    right = Expression.of(comparison.truth)
    everywhere = found.tried > 1 or bool(sides.names)
    question = Question(right, comparison.claim, "")
    curve = comparison.curve
    return explained_by_rounding(question, sides, found, everywhere, curve)


def _refuted(comparison: Comparison, found: Findings) -> Part:
    assert found.against is not None
    sides = comparison.sides
    evidence = against(found.against, comparison.what, comparison.yours)
    example = example_of(found.against)
    pieces = where_right(_telling(sides)) if sides.weight <= MOST_EXPLAINED else ""
    if pieces:
        return _part(comparison, PARTLY, f"{pieces}: {evidence}", found, example)
    mistake = _mistake(comparison, example.at)
    return _part(comparison, INCORRECT, evidence, found, example, mistake)


def _telling(sides: Sides) -> Sides:
    """The sides at the points where the truth is not 0, which has no sign to be wrong about."""
    points = (at for at in sides.trail if sides.truth(at, 0).value != 0)
    return sides._replace(trail=Trail(points))


def _mistake(comparison: Comparison, at: Point) -> Mistake | None:
    """The first suspect that gives the claim."""
    telling = telling_points(comparison.sides, at) if comparison.suspects else []
    for told, truth in comparison.suspects if telling else ():
        if same(comparison.sides._replace(truth=truth), telling):
            return told
    return None


def _why_open(comparison: Comparison, found: Findings) -> str:
    if unfinished := unfinished_text(found):
        return unfinished
    if not found.usable and not found.isolated:
        nowhere = f"{comparison.what} has no real value"
        told = comparison.nowhere or nowhere
        return f"{told} at any of {found.tried} points" if found.tried else told
    return f"only {len(found.settled)} of {found.tried} points can be used"


def _part(
    comparison: Comparison,
    status: str,
    evidence: str,
    found: Findings,
    example: Counterexample | None = None,
    mistake: Mistake | None = None,
) -> Part:
    notes = []
    if status == CORRECT and found.isolated:
        where = point_text(found.isolated[0].at)
        notes.append(f"your answer has no value at {where}, a single point")
    return Part(
        comparison.name,
        status,
        evidence,
        in_doubles(example),
        mistake,
        comparison.claim,
        comparison.truth,
        tuple(notes),
        *basis(status, found),
    )


def of_formulas(
    truth: Value,
    claim: Expression,
    along: str | None,
    domain: Sequence[Probe] = (),
    more: Iterable[Value] = (),
) -> Sides:
    """The sides of a claim and a formula, where other expressions have a value, and a slope, too.

    The points are found in these graphs and in `more`.
    """
    right = Expression.of(truth)
    probes = Probe(right.tape), Probe(claim.tape)
    roots = (right.root, claim.root, *more)
    names = _names(right, claim, domain, along)
    return agreement.compared(
        within(agreement.value_side(probes[0]), domain),
        agreement.value_side(probes[1]),
        roots,
        names,
        along if along in names else None,
        work(*probes, *domain),
    )


def on_points(
    truth: Quantity,
    claim: Quantity,
    names: tuple[str, ...],
    trail: Trail,
    probes: Sequence[Probe],
) -> Sides:
    """The sides of two quantities that are compared at points of their own, of every quadrant."""
    cost, weight = work(*probes)
    return Sides(truth, claim, names, None, cost, weight, trail, cell=_quadrant)


def _quadrant(at: Point) -> tuple[object, object]:
    return tuple(x > 0 for x in at.values()), ()


def work(*probes: Probe) -> tuple[int, int]:
    """The cost and the weight of a look at each."""
    return sum(probe.cost for probe in probes), sum(probe.weight for probe in probes)


def _names(
    truth: Expression, claim: Expression, domain: Sequence[Probe], along: str | None
) -> tuple[str, ...]:
    own = dict.fromkeys((*truth.variables, *claim.variables))
    own |= {name: None for probe in domain for name in probe.tape.variables}
    return tuple(sorted(own, key=lambda name: name != along))


def within(quantity: Quantity, domain: Sequence[Probe]) -> Quantity:
    """A quantity where other expressions have a value too, and a slope if their probe has a variable."""
    if not domain:
        return quantity

    def look(at: Point, digits: int) -> Look:
        for probe in domain:
            seen = probe.floats(at)
            missing = probe.variable is not None and seen.slope is None
            if seen.value is None or missing:
                return Look(None, None, seen.overflow)
        return quantity(at, digits)

    return look


def formula(
    root: Value, place: Callable[[Quantity], Quantity] | None = None
) -> Quantity:
    """A formula as a quantity; `place` moves looks to a curve."""
    quantity = agreement.value_side(Probe(Expression.of(root).tape))
    return quantity if place is None else place(quantity)
