"""The pieces on which a claim that fails somewhere is right after all: for x > 0, say, and wrong for x < 0.

Along one variable the points at which the claim is right and those at which it is wrong lie on different
sides of 0, or of the breaks that both sides have (`domain`); or a part of one of them, such as cos(y) or a*x,
has another sign, or is beyond 1.
"""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from exprgrad.budget import is_spent, spare
from exprgrad.checking import domain
from exprgrad.checking.agreement import Sides, confirms, looked, screened, settle_deeply
from exprgrad.checking.points import Point
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value, is_variable
from exprgrad.notation.text import text_length, to_text
from exprgrad.operations.operation import TABLE, show
from exprgrad.operations.table import ADD, DIV, LN, MUL, NEG, POW, SQRT, SUB
from exprgrad.sweeps.precise import Probe
from exprgrad.sweeps.tape import Tape

Coordinate = Callable[[Point], float | None]
"""What points are told apart by."""

LONGEST = 40
"""Characters of a part that is told."""

FEWEST_RIGHT, FEWEST_WRONG = 4, 2
MOST_POINTS = 100
FEW, FEWEST_TELLING = 17, 8
"""Standard points that are looked at, and of these such as must speak against what fails on the whole."""

HELD = 4
"""Choices of values for the variables that are held."""

CHANCE = 3
"""Wrong points beside a right one that make it right by chance."""

CLOSE = 1e-9
"""Distance from a place up to which a point may be at it."""

CONFIRMED = 2, 112
"""Which choices of values in general position are looked at for a piece that is told."""

BASES = 2, 5
"""The choices of values through which lines are looked at, with signs that differ."""

MOST_VERIFIED = 3
MOST_WORK = 400_000
MOST_BREAKS = 6


def some_points(sides: Sides, is_whole: bool = False) -> list[tuple[Point, str]]:
    """Points to see where a claim holds, with what a first look says of them; of what fails on the `whole`, a few."""
    if is_whole:
        few = [(at, screened(sides, at)) for at in simple(sides.names, sides.along)]
        if [kind for _, kind in few].count("suspected") >= FEWEST_TELLING:
            return few
    return looked(sides, min(MOST_POINTS, MOST_WORK // sides.cost))


def simple(names: Sequence[str], along: str | None) -> Iterator[Point]:
    """The points at which nothing needs to be known of a graph: the standard ones, those in general position first."""
    moving = names[0] if along is None or along not in names else along
    others = [name for name in names if name != moving]
    held = [domain.held(others, index) for index in range(HELD)]
    for i, x in enumerate(reversed(domain.STANDARD[-FEW:])):
        yield {moving: x, **held[i % HELD]}


def fails_whole(roots: Sequence[Value], names: Sequence[str]) -> bool:
    """Return whether two that differ somewhere do so on every piece of their domain, by the identity theorem.

    So it is of functions that are meromorphic, and of logarithms, roots and arcs of what is linear in the only variable,
    or has one sign everywhere: all of these continue each other around their poles and ends.
    """
    linear: set[Value] = set()

    def is_simple(inside: Value) -> bool:
        return inside in linear and len(names) == 1

    for item in itertools.chain(*map(topological, roots)):
        operation, operands = item.operation, item.operands
        fixed = [operand.is_constant for operand in operands]
        is_linear = linear.issuperset(operands)
        if operation in (MUL, DIV):
            is_linear &= fixed[1] or (fixed[0] and operation is MUL)
        elif operation not in (None, ADD, SUB, NEG):
            is_linear, inside = False, operands[0]
            if operation is POW and fixed[1]:
                power = rational(operands[1]) or Fraction(1, 2)  # sqrt(2), pi
                # sqrt(3*x - 1) has values on one piece alone, x^(1/3) on two that do not continue each other
                is_analytic = power.denominator == 1 or is_positive(inside)
                is_analytic |= power.denominator == 2 and is_simple(inside)
            elif operation is POW:
                is_analytic = fixed[0] and (inside.data or 0.0) > 0
            elif operation in BRANCHED:
                is_analytic = is_simple(inside)
                is_analytic |= operation in (LN, SQRT) and is_positive(inside)
            else:
                is_analytic = operation in MEROMORPHIC
            if not (is_analytic or all(fixed)):
                return False
        if is_linear or item.is_constant:
            linear.add(item)
    return bool(names)


def is_positive(root: Value) -> bool:
    """Return whether a graph surely has a value above 0 everywhere, and a slope."""
    from exprgrad.sweeps.ranges import ALL, everything, values

    tape = domain.tape_of(root)
    found = values(tape, dict.fromkeys(tape.variables, everything()), ALL)
    return found is not None and found.low > 0


MEROMORPHIC = [
    TABLE[name] for name in "exp sin cos tan sec csc cot sinh cosh tanh".split()
]
BRANCHED = [TABLE[name] for name in "ln log10 log2 sqrt asin acos atan".split()]


def where_right(
    sides: Sides, seen: Sequence[tuple[Point, str]] = (), against: Sequence[Point] = ()
) -> tuple[str, Point | None]:
    """The pieces on which a claim holds, in words, and a point inside another; empty where there are none.

    `seen` are `some_points`; at those `against` it, the claim is known to be wrong.
    """
    seen = seen or some_points(sides)
    right = [at for at, kind in seen if kind == "agrees"]
    wrong = [*against, *(at for at, kind in seen if kind == "suspected")]
    if len(right) < FEWEST_RIGHT or len(wrong) < FEWEST_WRONG + len(against):
        return "", None
    for name, value, places in _lines(sides, right, wrong):
        sure = [x for at in wrong if (x := value(at)) is not None and any(abs(x - p) <= CLOSE for p in places) and settle_deeply(sides, at).kind == "differs"]  # fmt: skip
        told, good = _told(name, places, [*map(value, right)], [*map(value, wrong)], sure)  # fmt: skip
        is_good = lambda at: _piece(value(at), places) in good  # noqa: E731, B023 # used at once
        inside, every = filter(is_good, right), filter(is_good, sides.trail)
        if told and _hold(sides, inside, every) and _confirmed(sides, is_good):
            # a coordinate of 0 may lie on the border between two pieces, too
            other = (at for at in wrong if all(at.values()) and _piece(value(at), places) not in {None, *good})  # fmt: skip
            return told, next(other, None)
    return "", None


def _confirmed(sides: Sides, is_good: Callable[[Point], bool]) -> bool:
    """Return whether the claim is right or wrong as it is told at points of every sign, and in every piece beside 0."""
    every = (domain.held(sides.names, index) for index in range(*CONFIRMED))
    for at in itertools.chain(every, _beside(sides)):
        told, kind = is_good(at), screened(sides, at)
        if kind == ("suspected" if told else "agrees"):
            kind = settle_deeply(sides, at).kind
            if kind == "differs" if told else kind == "agrees":
                return False
    return True


def _beside(sides: Sides) -> Iterator[Point]:
    """Yield points in the pieces of a few lines, which are cut at 0, too."""
    for name, index in itertools.product(sides.names, BASES):
        at = domain.held(sides.names, index)
        places = sorted({*sides.survey.guards.breaks(name, at), 0.0})
        for group in domain.inside(places):
            yield from ({**at, name: x} for x in group)


def _lines(
    sides: Sides, right: list[Point], wrong: list[Point]
) -> Iterator[tuple[str, Coordinate, Sequence[float]]]:
    """Yield what may tell right points from wrong ones, and the places between its pieces: variables, and parts of both sides."""
    # only breaks that stay where they are: that of sqrt(x*y - 1) moves with y, and a number does not name it
    few = right[0], right[-1], wrong[0], wrong[-1]
    for name in sides.names:
        value: Coordinate = operator.itemgetter(name)
        found = [sides.survey.guards.breaks(name, at) for at in few]
        yield name, value, [0.0]
        yield name, value, [x for x in found[0] if all(x in own for own in found)]
    for tape, levels in sides.survey.guards.parts:
        part, less = tape.nodes[tape.root], None
        if part.operation is SUB and (less := rational(part.operands[1])) is not None:
            part = part.operands[0]  # x > 5 for x - 5 > 0
        if (is_variable(part) and less is None) or text_length(part, LONGEST) > LONGEST:
            continue
        places = sorted(level + float(less or 0) for level in levels)
        yield to_text(part), _value_of(domain.tape_of(part)), places


def _value_of(tape: Tape) -> Coordinate:
    """The value of a part, in doubles."""
    look = Probe(tape).floats
    return lambda at: look(at).value


def _hold(sides: Sides, right: Iterable[Point], every: Iterable[Point]) -> bool:
    """Return whether the claim holds there with many digits, and in every cell that points lie in.

    Not where this would take more than `MOST_WORK`.
    """
    # a coordinate of 0 may lie on the border between two pieces
    some = [at for at in right if all(at.values())][:MOST_VERIFIED]
    if not all(settle_deeply(sides, at).kind == "agrees" for at in some):
        return False
    cells = {sides.survey.cell(at) for at in some}
    spent = 0
    for at in every:
        spent += sides.cost
        if is_spent(spent, spare(MOST_WORK), domain.PIECES):
            return False
        cell = sides.survey.cell(at)
        if cell in cells or not all(at.values()) or sides.truth(at, 0).value is None:
            continue
        cells.add(cell)
        spent += sides.weight
        if not confirms(sides, at) and settle_deeply(sides, at).kind not in ("agrees", "unusable"):  # fmt: skip
            return False
    return bool(some) and not sides.is_cut


def _told(
    name: str,
    places: Sequence[float],
    right: Sequence[float | None],
    wrong: Sequence[float | None],
    sure: Sequence[float],
) -> tuple[str, set[int | None]]:
    """The pieces between these places that are right, in words and by their numbers; none where wrong points lie there."""
    if not 0 < len(places) <= MOST_BREAKS:
        return "", set()
    holds = Counter(_piece(x, places) for x in right)
    fails = Counter(_piece(x, places) for x in wrong)
    del holds[None], fails[None]
    for piece in holds.keys() & fails.keys():
        # 2x and -2x meet at 0: a few points among many wrong ones mean nothing
        if fails[piece] < CHANCE * holds[piece]:
            return "", set()
        del holds[piece]
    good, bad = set(holds), set(fails)
    if not bad or holds.total() < FEWEST_RIGHT // 2:
        return "", set()
    # two pieces are not one where the claim is surely wrong just between them; a hole of it does not count
    cuts = [p for p in places if any(abs(x - p) <= CLOSE for x in sure)]  # fmt: skip
    said = (" or ".join(_intervals(name, places, own, other, cuts)) for own, other in ((good, bad), (bad, good)))  # fmt: skip
    return "correct for {}, wrong for {}".format(*said), good


def _piece(x: float | None, places: Sequence[float]) -> int | None:
    """The number of the piece that x lies in; None for a place itself, and for no value."""
    if x is None or any(abs(x - place) <= CLOSE for place in places):
        return None
    return sum(place < x for place in places)


def _intervals(
    name: str, places: Sequence[float], own: set[int | None], other: set[int | None], cuts: Sequence[float]
) -> Iterator[str]:  # fmt: skip
    """Neighbouring pieces in words; a piece without any points belongs to its neighbours."""
    count = len(places) + 1
    ends = (None, *places, None)
    mine = [i in own for i in range(count)]
    for i in range(count):
        if i not in own and i not in other and 0 < i < count - 1:
            mine[i] = mine[i - 1] and i + 1 in own
    parted = [sum(cut in places[:i] for cut in cuts) for i in range(count)]
    for _, group in itertools.groupby(range(count), key=lambda i: (mine[i], parted[i])):
        pieces = list(group)
        if not mine[pieces[0]]:
            continue
        low, high = ends[pieces[0]], ends[pieces[-1] + 1]
        if low is None and high is not None:
            yield f"{name} < {_number(high)}"
        elif high is None and low is not None:
            yield f"{name} > {_number(low)}"
        elif low is not None and high is not None:
            yield f"{_number(low)} < {name} < {_number(high)}"


def _number(x: float) -> str:
    text = show(x)
    return text if len(text) <= 8 else f"{x:.6g}"
