"""Derivatives at corners, kinks and edges, decided from both sides.

Where a rule gives no derivative (|x| at 0, sqrt at 0, a step), the expression as a whole may still
have one: x*|x| and sqrt(x^4) do at 0. So germs are swept forward on each side: first with fractions
and a few terms, then with more terms, then with balls of more and more digits. The slopes are the
coefficients of h; the derivative exists if they agree, which is decided exactly. Work is counted in products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.sweep import forward, forward_around
from exprgrad.graph.value import Constant
from exprgrad.operations.number_types import Step
from exprgrad.sweeps.coefficients import (
    Field,
    Fractions,
    Irrational,
    NeedsDigits,
    NeedsTerms,
    NoSide,
    Undecided,
)
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.corners import OF_A_DOUBLE, Corner, Nearest
from exprgrad.sweeps.germs import Beside, Germ, Space
from exprgrad.sweeps.series import TooMuch
from exprgrad.sweeps.tape import Primals, Tape

CORNER, UNDECIDED = "corner", "undecided"
"""How a derivative is said not to exist, or perhaps not: see `bounds`, which is not needed here."""

CLOSE, MOST_EXPONENT = Fraction(10**4), 64
"""h to that power stays beside all that powers of h with lower exponents may meet."""

BITS = (128, 400, 3400)
"""Bits of a coefficient, which is followed towards 0 to a thousand digits."""

TERMS = (1, 4, 12)
"""The highest powers of h of an expansion whose coefficients are balls."""

MOST_PRODUCTS = 40_000
"""Products of coefficients that one examination may take: a second or less."""

MOST_WORK = 400_000
"""Node visits that the examination of all variables may take."""


class Side(NamedTuple):
    """One side of a point: the slope, a number of the field; infinite where vertical; or None and why.

    That is `edge` (not defined), `jump`, or `oscillating`, where the difference quotient has no limit.
    """

    slope: Any
    why: str = ""


class Within(NamedTuple):
    """A derivative within an expression that has another `value` at a point than its formula, or only one side.

    It is the derivative of the first of `graphs` with respect to `variable`, of a higher order if there are
    more, each of them the formula of the derivative before. `arguments` are what its parameters stand for.
    """

    value: Constant
    graphs: tuple[Tape, ...]
    variable: str
    arguments: Mapping[str, Tape]

    @property
    def variables(self) -> set[str]:
        """The variables of the expression that it depends on."""
        own = {name for name in self.graphs[0].variables if name not in self.arguments}
        return own.union(*(tape.variables for tape in self.arguments.values()))


def examine(
    tape: Tape, values: Primals, at: Mapping[str, Any], culprits: dict[str, Step]
) -> tuple[dict[str, float], list[Corner]]:
    """The partial derivatives that exist after all, and a `Corner` for every other variable."""
    partials: dict[str, float] = {}
    found: list[Corner] = []
    point = {name: Coordinate.of(number) for name, number in at.items()}
    for name, step in culprits.items():
        affordable = len(culprits) * len(tape.steps) <= MOST_WORK
        slope, corner = along(tape, values, point, {name: 1}, step, affordable)
        if slope is not None and slope.value is not None:
            partials[name] = slope.value
        elif corner is None:  # beyond the range of doubles
            corner = corner_of(name, tape, values, step, "undetermined", None, None)
        if corner is not None:
            found.append(corner)
    return partials, found


def by_fractions(
    tape: Tape, at: Mapping[str, Coordinate], names: Sequence[str]
) -> tuple[Fraction, dict[str, tuple[str, Any, float | None, float | None]]] | None:
    """The value and what `_decided` gives for each name, where fractions alone tell: of |x| at 0."""
    if any(at[name].ratio is None for name in tape.variables):
        return None
    space = Space(Fractions(), 3)
    try:
        value = _still(space, tape, at, {})[tape.root]
        if not isinstance(value, Germ):
            return None
        found = {name: _decided(space, tape, at, {name: 1}, {}) for name in names}
        return value.limit(), found
    except (NoSide, Undecided, Irrational):
        return None


def along(
    tape: Tape,
    values: Primals,
    at: Mapping[str, Coordinate],
    seed: Mapping[str, Any],
    culprit: Step | None,
    affordable: bool = True,
    given: Mapping[int, Within] | None = None,
    digits: int = OF_A_DOUBLE,
) -> tuple[Nearest | None, Corner | None]:
    """The derivative along a direction and a bound on its error if it exists, and what else is to be said.

    Its digits are those of a double, or as many as are asked for beyond, where that can be had.

    `values` are primals in double precision, for the corner to show; there may be none. `given` are the
    derivatives within the expression that have another value at the point itself than their formulas.
    """
    kind, slope, left, right = "undetermined", None, None, None

    def attempt(space: Space) -> tuple[Any, bool]:
        kind, slope, left, right = _decided(space, tape, at, seed, given or {})
        if slope is None:
            return (kind, None, left, right), True
        near = space.field.nearest(slope, digits)
        return (kind, near, left, right), space.field.suffices(slope, digits)

    found = _climbed(attempt) if affordable else None
    if found is not None:
        kind, slope, left, right = found
    if not kind:
        return slope, None
    return slope, corner_of(", ".join(seed), tape, values, culprit, kind, left, right)


def continued(
    tape: Tape, at: Mapping[str, Coordinate], name: str
) -> tuple[Nearest | None, str]:
    """The derivative of a function at a point that it is continued to, with a bound; or the kind of corner.

    That is f'' at the point, if f' is the function, and f has a derivative there: where f' has a limit,
    it is that (by the mean value theorem). At an edge all of them are from one side.
    """

    def attempt(space: Space) -> tuple[Any, bool]:
        still = _still(space, tape, at, {})
        germs = [_moved(space, tape, {name: d}, still, {}) for d in (-1, 1)]
        there = [germ for germ in germs if isinstance(germ, Germ)]
        if not there:
            return (None, CORNER), True
        here = there[-1].limit()
        left, right = (_side(g, here, d) for g, d in zip(germs, (-1, 1), strict=True))  # fmt: skip
        kind, slope = _decide(space.field, left, right)
        if slope is not None and kind in ("", "edge"):
            return (space.field.nearest(slope), ""), True
        return (None, CORNER), True

    return _climbed(attempt) or (None, UNDECIDED)


def mixed(
    tape: Tape,
    partials: Sequence[Tape],
    at: Mapping[str, Coordinate],
    names: tuple[str, str],
) -> tuple[Nearest | None, str]:
    """The second partial derivative with respect to two names, with a bound; or the kind of corner.

    `partials` are the tapes of the formulas of both first partials, which exist at the point. Each is followed
    along the other variable.
    """

    def attempt(space: Space) -> tuple[Any, bool]:
        one, other = (
            _slope_of_partial(space, tape, formula, at, *pair)
            for formula, pair in zip(partials, (names, names[::-1]), strict=True)
        )
        if one is None or other is None or space.field.sign(one - other):
            return (None, CORNER), True
        return (space.field.nearest(one), ""), True

    return _climbed(attempt) or (None, UNDECIDED)


def _slope_of_partial(
    space: Space,
    tape: Tape,
    formula: Tape,
    at: Mapping[str, Coordinate],
    name: str,
    along: str,
) -> Any:
    """The slope along a variable of a first partial derivative, of which the formula is given; None for none.

    Where a rule does not hold all along, the formula is followed close beside, on both sides.
    """
    _, here, _, _ = _decided(space, tape, at, {name: 1}, {})
    if here is None:
        return None
    paths = [{along: (d, Fraction(1))} for d in (-1, 1)]
    if all(_is_smooth(space, tape, at, name, path) for path in paths):
        return _slope_of([_on(space, formula, at, path) for path in paths], here)
    if any(abs(tape.nodes[i].data or 0.0) > MOST_EXPONENT for i, _ in tape.constants):
        return None
    germs = []
    for path in paths:
        beside = [path | {name: (side, CLOSE)} for side in (-1, 1)]
        if not all(_is_smooth(space, tape, at, name, path) for path in beside):
            return None
        one, other = (_on(space, formula, at, path) for path in beside)
        if any(isinstance(germ, Exception) for germ in (one, other)):
            return None
        if (one - other).lead < CLOSE / 2:
            return None  # it is not differentiable there
        germs.append(one)
    return _slope_of(germs, here)


Path = Mapping[str, tuple[int, Fraction]]
"""How variables move: each has a factor before a power of h, and its exponent."""


def _along_path(
    space: Space, tape: Tape, at: Mapping[str, Coordinate], path: Path
) -> list[Any]:
    """The germs of all nodes along a path, none of which is told from its value at the point."""
    own = {n: at[n] for n in tape.variables}
    still = _still(space, tape, own, {})
    germs = list(still)
    for name, (factor, exponent) in path.items():
        if name in own:
            i = tape.variables[name]
            move = Germ(space, [(exponent, space.field.of(factor))])
            germs[i] = space.sum([germs[i], move])  # type: ignore[list-item] # there is a value
    forward(tape.steps, space, germs)
    return germs


def _on(space: Space, formula: Tape, at: Mapping[str, Coordinate], path: Path) -> Any:
    """The germ of a formula on a path."""
    return _along_path(space, formula, at, path)[formula.root]


def _slope_of(germs: Sequence[Any], here: Any) -> Any:
    """The slope on both sides of a point, where a function has a value that is known; None for none."""
    ways = [_side(germ, here, d) for germ, d in zip(germs, (-1, 1), strict=True)]
    field = next((g.kind.field for g in germs if isinstance(g, Germ)), None)
    if field is None:
        return None
    kind, slope = _decide(field, *ways)
    return None if kind or isinstance(slope, float) else slope


def _is_smooth(
    space: Space, tape: Tape, at: Mapping[str, Coordinate], name: str, path: Path
) -> bool:
    """Whether the rules give the partial derivative on a path, close to the point."""
    return _rules_hold(space, tape, _along_path(space, tape, at, path), name)


def _rules_hold(
    space: Space, tape: Tape, germs: Sequence[Germ | Exception], name: str
) -> bool:
    """Whether the rules give the partial derivative where nodes have these germs."""
    active = tape.active([name])
    for step in tape.steps:
        own = [germs[j] for j in step.operands]
        if any(isinstance(germ, Exception) for germ in own):
            return False
        rules = [step.operation.corner, *step.operation.edges]
        if not active[step.node]:
            continue
        if any(rule is not None and space.bind(rule)(*own) for rule in rules):
            return False
    return True


def corner_of(
    name: str,
    tape: Tape,
    values: Primals,
    culprit: Step | None,
    kind: str,
    left: float | None,
    right: float | None,
) -> Corner:
    """The corner, with the part of the expression that is to blame."""
    if culprit is None:
        return Corner(name, kind, left, right, "the expression", (), None)
    arguments = tuple(values[j] or 0.0 for j in culprit.operands) if values else ()
    span = tape.nodes[culprit.node].span
    return Corner(name, kind, left, right, culprit.operation.title, arguments, span)


def _climbed(attempt: Callable[[Space], tuple[Any, bool]]) -> Any:
    """What an attempt finds, with fractions or else with balls; None where nothing is decided.

    Where terms do not decide, there are more of them, where digits do not, more bits, until the attempt says that what
    it found is enough, or the work is done.
    """
    fractions = Fractions()
    for terms in (3, 12):
        try:
            return attempt(Space(fractions, terms))[0]
        except NeedsTerms:
            continue
        except (Irrational, NeedsDigits):
            break
        except Undecided:
            return None
    from exprgrad.numbers.arb import precise
    from exprgrad.sweeps.formal import Digits

    found, left = None, float(MOST_PRODUCTS)
    few, short = list(TERMS), list(BITS)
    while few and short:
        with precise(short[0]) as balls:
            field = Digits(balls, short[0], len(short) == 1, left)
            try:
                found, enough = attempt(Space(field, few[0]))
                if enough:
                    break
                short.pop(0)
            except NeedsTerms:
                few.pop(0)
            except NeedsDigits:
                short.pop(0)
            except Undecided:
                if len(few) < len(TERMS):
                    break
                few.pop(0)  # a single power of h leaves more open than most terms do
            except TooMuch:
                break
            left = field.left
    return found


def _decided(
    space: Space,
    tape: Tape,
    at: Mapping[str, Coordinate],
    seed: Mapping[str, Any],
    given: Mapping[int, Within],
) -> tuple[str, Any, float | None, float | None]:
    """The kind of corner, the derivative if it exists, a number of the field, and the slopes on both sides."""
    left, right = sides(space, tape, at, seed, given)
    kind, slope = _decide(space.field, left, right)
    below, above = (
        s if s is None or isinstance(s, float) else space.field.nearest(s).value
        for s in (left.slope, right.slope)
    )
    if slope is not None and not space.field.suffices(slope):
        raise NeedsDigits
    return kind, slope, below, above


def sides(
    space: Space,
    tape: Tape,
    at: Mapping[str, Coordinate],
    seed: Mapping[str, Any],
    given: Mapping[int, Within] = {},
) -> tuple[Side, Side]:
    """What the result does when the variables move against the seed, and along it."""
    still = _still(space, tape, at, given)
    here = still[tape.root]
    if isinstance(here, NoSide):
        raise Undecided  # it has a value in doubles: that hangs on the last digits
    if isinstance(here, Exception):
        raise here
    found = []
    for direction in (-1, 1):
        moved = {name: direction * t for name, t in seed.items() if t}
        known = {i: _within(space, own, at, moved) for i, own in given.items()}
        germ = _moved(space, tape, moved, still, known)
        found.append(_side(germ, here.limit(), direction))
    return found[0], found[1]


def _side(germ: Germ | Exception, here: Any, direction: int) -> Side:
    """What one side does, from its germ."""
    if isinstance(germ, NoSide):
        return Side(None, "edge")
    if isinstance(germ, Exception):
        raise germ
    field = germ.kind.field
    if _leaves(germ, here):
        return Side(None, "jump")
    for p, c in germ.terms:
        if 0 < p < 1:
            return Side(direction * field.sign(c) * math.inf)
        if p == 1:
            return Side(c * direction)
    if germ.slow and germ.swings <= 1:
        return Side(direction * germ.slow * math.inf)
    if germ.swings is not None and germ.swings <= 1:
        return Side(None, "oscillating")
    if germ.order < 1:
        raise NeedsTerms
    return Side(field.of(0))


def _leaves(germ: Germ, here: Any) -> bool:
    """Whether the germ does not tend to the value at the point."""
    for p, c in germ.terms:
        if p < 0 and germ.kind.field.sign(c):
            return True
    if germ.grows or (germ.swings is not None and germ.swings <= 0):
        return True
    limit = germ.limit()
    return limit is not here and germ.kind.field.sign(limit - here) != 0


def _decide(field: Field, left: Side, right: Side) -> tuple[str, Any]:
    """What kind of corner it is, if any, and the derivative, if it exists (at an edge: one-sided)."""
    if "jump" in (left.why, right.why):
        return "jump", None
    if "oscillating" in (left.why, right.why):
        return "oscillating", None
    slopes = [side.slope for side in (left, right) if side.slope is not None]
    if any(isinstance(slope, float) for slope in slopes):  # infinite
        return "vertical", None
    if len(slopes) < 2:
        return ("edge", slopes[0]) if slopes else ("isolated", None)
    if field.sign(slopes[0] - slopes[1]) == 0:
        return "", slopes[1]
    return "corner", None


def _still(
    space: Space,
    tape: Tape,
    at: Mapping[str, Coordinate],
    given: Mapping[int, Within],
    moved: Mapping[str, Germ] = {},
) -> list[Germ | Exception]:
    """The value of every node at the point, a germ that does not move, or why there is none.

    Variables that have `moved` have the germs that they are given.
    """
    germs: list[Germ | Exception] = [space.zero] * len(tape.nodes)
    field = space.field
    leaves: dict[int, tuple[Callable[[Any], Any], Any]] = {
        i: (field.leaf, tape.nodes[i]) for i, _ in tape.constants
    }
    for name, i in tape.variables.items():
        if name in moved:
            germs[i] = moved[name]
        else:
            leaves[i] = field.given, at[name]
    for i, (number, leaf) in leaves.items():
        try:
            germs[i] = space.number(number(leaf))
        except space.faults as why:
            germs[i] = why
    # two expansions with a remainder are never known to be equal: what is typed twice is one germ
    steps, first = tape.distinct(given)
    known = {i: space.number(field.leaf(own.value)) for i, own in given.items()}
    forward_around(steps, space, germs, known)
    return [germs[i] for i in first]


def _moved(
    space: Space,
    tape: Tape,
    seed: Mapping[str, float],
    still: Sequence[Germ | Exception],
    given: Mapping[int, Germ | Exception | None] = {},
) -> Germ | Exception:
    """The germ of the result when variables move along the seed.

    `given` are nodes whose value at the point does not follow from their operands, with their germs, or None
    where these follow.
    """
    germs = list(still)
    for name in seed:
        i = tape.variables[name]
        start = germs[i]
        if isinstance(start, Germ):
            germs[i] = start + space.line(0, seed[name])
    moving, (steps, first) = list(tape.active(seed)), tape.distinct(given)
    known = {i: germ for i, germ in given.items() if germ is not None}
    for i, germ in known.items():
        germs[i], moving[i] = germ, True
    for step in tape.steps if known else ():
        moving[step.node] |= any(moving[j] for j in step.operands)
    own = [step for step in steps if moving[step.node]]
    forward_around(own, Beside(space, still, given), germs, known)
    return germs[first[tape.root]]


def _within(
    space: Space, own: Within, at: Mapping[str, Coordinate], seed: Mapping[str, float]
) -> Germ | Exception | None:
    """What is known of a derivative within the expression when variables move; None where its formula holds.

    Raises `Undecided` where that holds at the point alone, or not even there.
    """
    leaves = {}
    for name in own.graphs[0].variables:
        germ = _of_leaf(space, name, own.arguments.get(name), at, seed)
        if isinstance(germ, Exception):
            return germ
        leaves[name] = germ
    if all(germ.is_constant for germ in leaves.values()):
        return space.number(space.field.leaf(own.value))
    for tape in own.graphs:
        germs = _still(space, tape, {}, {}, leaves)
        if isinstance(germs[tape.root], Exception):
            return germs[tape.root]
        if not _rules_hold(space, tape, germs, own.variable):
            raise Undecided
    return None


def _of_leaf(
    space: Space,
    name: str,
    argument: Tape | None,
    at: Mapping[str, Coordinate],
    seed: Mapping[str, float],
) -> Germ | Exception:
    """The germ of a variable, or of the argument that a parameter stands for."""
    if argument is None:
        start = space.number(space.field.given(at[name]))
        return start + space.line(0, seed[name]) if name in seed else start
    own = {n: t for n, t in seed.items() if n in argument.variables}
    return _moved(space, argument, own, _still(space, argument, at, {}))
