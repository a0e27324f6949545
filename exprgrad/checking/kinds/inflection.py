"""Points of inflection: where they are, and claims about them.

    inflection_points(parse("x^3 - 3x"), "x").points[0].text            x = 0

They are the extrema of the slope, and the vertical tangents at which the concavity changes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from exprgrad.checking.judging import Posed, Verdict
from exprgrad.checking.kinds import critical
from exprgrad.checking.kinds.critical import Critical, CriticalPoints
from exprgrad.checking.kinds.kinds import formula, posed
from exprgrad.checking.kinds.real_roots import (
    Search,
    Zeros,
    domain_repeats,
    is_met_at,
    value_of,
)
from exprgrad.checking.kinds.request import Request
from exprgrad.errors import DomainError, RangeError, UndecidedError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.derivatives import nowhere
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.taylor import at_place, number
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations.table import ADD, MUL
from exprgrad.proof.elementary import vanishes
from exprgrad.sweeps.precise import Probe


def inflection_points(f: Expression, x: str, whole: bool = False) -> CriticalPoints:
    """Return where the slope has an extremum, or the concavity changes at a vertical tangent.

    Raises `UndecidedError` where it changes at a corner, which some books call a point of inflection, and where points
    may be missing if the `whole` is wanted.
    """
    critical.require_numbers(f, (x,), "inflection points")
    slope = Expression.of(derivative(f.root, x), f.variables)
    if nowhere(f, {}) is not None or vanishes(derivative(slope.root, x)):
        return CriticalPoints(f, (x,), (), True)
    search = Search(x)
    lost = UndecidedError(f"could not find all inflection points of {f.title}", source=f.source)  # fmt: skip
    # corners and jumps, where the formula of the slope may have a value all the same
    sharp = CriticalPoints(f, (x,), (), True)
    # where nothing can have a corner, the zeros of the slope need not be looked for, which takes as long as the rest
    if search.passes(f.root) != Zeros((), True):
        sharp = critical.critical_points(f, (x,), search)
    if whole and not sharp.complete:
        raise lost
    broken = [point for point in sharp.points if not point.smooth]
    vertical = [point for point in broken if _is_vertical(f, slope, x, point)]
    found = critical.critical_points(slope, (x,), search)
    places = [
        p for p in found.points
        if p.kind in ("minimum", "maximum") and not (p.side or is_met_at(p.at[x].near, [q.at[x] for q in broken]))
    ]  # fmt: skip
    turn = found.period
    if turn is not None and not domain_repeats(f.root, x, turn):
        found = found._replace(periods={}, complete=False)
    undecided = any(p.kind == critical.UNKNOWN for p in found.points)
    complete = sharp.complete and found.complete and not undecided
    points = []
    for place in sorted([*vertical, *places], key=lambda p: p.at[x].near):
        # the formula of a slope goes on behind the ends of a domain: 1/x, of ln(x)
        try:
            value, text = critical.value_there(f, place.at, smooth=False)
        except (RangeError, UndecidedError):
            complete = False
        except DomainError:
            continue
        else:
            is_level = place not in vertical
            points.append(Critical(place.at, value, "inflection", is_level, text))
    if whole and not complete:
        raise lost
    return found._replace(expression=f, points=tuple(points), complete=complete, intervals=())  # fmt: skip


def variable(request: Request, f: Expression) -> str:
    """Return the variable along which points are sought."""
    return next(iter((*request.wrt, *sorted(f.variables, key="x".__ne__))), "x")


def inflection(request: Request) -> Posed:
    """Pose the points of inflection: each that is claimed is compared, and how many there are."""
    f = request.function()
    x = variable(request, f)
    found = inflection_points(f, x, whole=True)
    places, asked = found.points, f"inflection points of {f.title}"
    left = {p.at[x].near: exact for p in places if (exact := p.at[x].exact) is not None}
    if len(left) < len(places):
        raise UndecidedError(f"could not write out all {asked}", source=f.source)
    turn, compared = found.period, []
    points = critical.numbered(critical.claimed_points(request, (x,)), turn is not None)
    meant = _meant(left, [own[0]() for own in points], turn)
    for i, (_, truth) in sorted(meant.items()):
        claim, *height = points[i]
        name = f"{x} = {to_text(truth)}"
        compared.append(formula(name, truth, claim, "the inflection point"))
        here = number(at_place(f.root, {x: truth}))
        compared += [formula("height", here, y, "the function there") for y in height]
    # as many are no merit of their own
    if not meant or (turn is None and len(points) != len(places)):
        counts = Constant(len(places)), Expression.of(Constant(len(points)))
        every = "" if turn is None else f" from 0 to {to_text(turn)}"
        compared.append(formula(f"number of points{every}", *counts, f"their number{every}"))  # fmt: skip
    met = {near for near, _ in meant.values()}
    texts = found.families or [p.text for p in places]
    missing = [text for text, near in zip(texts, left, strict=True) if found.periods and met and near not in met]  # fmt: skip
    told = "; ".join(texts)

    def finish(verdict: Verdict) -> Verdict:
        parts = (p._replace(evidence=f"{p.name}: {p.evidence}") for p in verdict.parts)
        notes = (*verdict.notes, *found.repeated)
        return verdict._replace(told=told, parts=tuple(parts), notes=notes)

    return posed(request, f, asked, x, compared, tuple(missing))._replace(finish=finish)  # fmt: skip


def _meant(
    places: Mapping[float, Value], claimed: Sequence[float], turn: Value | None
) -> dict[int, tuple[float, Value]]:
    """The place that each claim is meant for, and as a formula: the closest, each once, or of those a few periods away."""
    meant: dict[int, tuple[float, Value]] = {}
    length = math.inf if turn is None else value_of(turn)
    pairs = itertools.product(enumerate(claimed), places)
    gaps = ((math.remainder(x - near, length), i, x, near) for (i, x), near in pairs)
    # the closest pairs first: else a bad first claim would take the place that a good second one means
    for _, i, x, near in sorted(gaps, key=lambda gap: abs(gap[0])):
        if i in meant or (turn is None and near in [one for one, _ in meant.values()]):
            continue
        meant[i] = near, places[near]
        if turn is not None:
            after = node(MUL, (Constant(round((x - near) / length)), turn))
            meant[i] = near, simplify(node(ADD, (places[near], after)))
    return meant


def _is_vertical(f: Expression, slope: Expression, x: str, point: Critical) -> bool:
    """Return whether the concavity changes at a point without a slope, where the tangent is vertical.

    Raises `UndecidedError` where it changes at a corner, or what is there is not known.
    """
    place, bend = point.at[x], Probe(slope.tape, x)
    width = 2.0**-20 * max(1.0, abs(place.near))
    left, right = (bend.floats({x: place.near + s * width}).slope for s in (-1, 1))
    if not (left and right) or (left > 0) == (right > 0):
        return False
    ends, is_jump = list[float | None](), False
    if place.exact is not None:
        for corner in f.evaluate({x: place.exact}, (x,)).corners:
            ends, is_jump = [corner.left, corner.right], corner.kind == "jump"
    else:
        beside = critical.looks_beside(Probe(f.tape, x), x, place.near)
        if all(look.slope is not None for side in beside for look in side):
            ends, is_jump = critical.slopes_beside(beside), critical.jumps(beside)
    if not (is_jump or ends in ([math.inf] * 2, [-math.inf] * 2)):
        raise UndecidedError(f"whether a corner at {point.text} is an inflection point is a matter of definition", source=f.source)  # fmt: skip
    return not is_jump
