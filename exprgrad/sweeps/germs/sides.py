"""Derivatives at corners, kinks and edges, decided from both sides.

Where a rule gives no derivative (|x| at 0, sqrt at 0, a step), the expression as a whole may still
have one: x*|x| and sqrt(x^4) do at 0. So germs are swept forward on each side: first with a few terms, then with
more terms, or with more and more digits. The slopes are the
coefficients of h; the derivative exists if they agree, which is decided exactly. Work is counted in products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import STAGES, share, spend, weigh
from exprgrad.graph.sweep import forward, forward_around
from exprgrad.lazy import computed_once
from exprgrad.numbers.arb import precise
from exprgrad.operations.number_types import Step
from exprgrad.sweeps.balls.series import TooMuch
from exprgrad.sweeps.coordinates import Coordinate, Meant
from exprgrad.sweeps.corners import NEAREST, OPEN, Corner, Known, no_number
from exprgrad.sweeps.germs.germ import (
    Beside,
    Digits,
    Germ,
    NeedsDigits,
    NeedsTerms,
    NoSide,
    Space,
    Undecided,
)
from exprgrad.sweeps.tape import Primals, Tape, Within

CLOSE, MOST_EXPONENT = Fraction(10**4), 64
"""h to that power stays beside all that powers of h with lower exponents may meet."""

BITS = (128, 400, 3400)
"""Bits of a coefficient, which is followed towards 0 to a thousand digits."""

TERMS = (1, 4, 12)
"""The highest powers of h of an expansion whose coefficients are balls."""

MOST_PRODUCTS = STAGES["looks at both sides of a corner"]
"""Products of coefficients that one examination may take: a second or less."""

MOST_WORK = 1_000_000
"""Node visits that the examination of all variables may take."""


class Side(NamedTuple):
    """One side of a point: the slope, a number of the field; infinite where vertical; or None and why.

    That is `edge` (not defined), `jump`, or `oscillating`, where the difference quotient has no limit.
    """

    slope: Any
    why: str = ""


class Neighbourhood:
    """A tape around a point, whose values in germs at the point itself are shared by looks in many directions.

    `given` are the derivatives within the expression that have another value at the point itself than their formulas.
    """

    def __init__(
        self, tape: Tape, at: Meant, given: Mapping[int, Within] | None = None
    ) -> None:
        self.tape, self.at, self.given = tape, at, given or {}
        self._known: dict[tuple[int, int], Around] = {}

    def along(
        self,
        seed: Mapping[str, Any],
        culprit: Step | None,
        values: Primals,
        digits: int = NEAREST,
        affordable: bool = True,
    ) -> tuple[Known, Corner | None]:
        """Return the derivative along a direction with a bound on its error, if it exists, and what else is to be said.

        Its digits are those of a double, or as many as are asked for beyond, where that can be had.

        `values` are primals in double precision, for the corner to show; there may be none.
        """

        def attempt(around: Around) -> tuple[Any, bool]:
            field = around.space.field
            kind, slope, *both = around.decided(seed)
            if slope is None:
                return (kind, no_number, *both), True
            near = field.nearest(slope, digits)
            return (kind, near, *both), field.suffices(slope, digits)

        found = self.climbed(attempt) if affordable else None
        kind, slope, left, right = found or ("undetermined", OPEN, None, None)
        if not kind:
            return slope, None
        corner = Corner(", ".join(seed), kind, left, right, "the expression", (), None)
        if culprit is None:
            return slope, corner
        row, span = culprit.operation, self.tape.nodes[culprit.node].span
        own = tuple(values[j] or 0.0 for j in culprit.operands) if values else ()
        return slope, corner._replace(
            operation=row.title, arguments=own, span=span, bent=row.bent
        )

    def climbed(self, attempt: Callable[[Around], tuple[Any, bool]]) -> Any:
        """Return what an attempt finds; None where nothing is decided.

        Where terms do not decide, there are more of them, where digits do not, more bits, until the attempt says that
        what it found is enough, or the work is done.
        """
        found, left = None, float(share(MOST_PRODUCTS))
        few, short = list(TERMS), list(BITS)
        while few and short:
            with precise(short[0]) as balls:
                around = self._known.get((short[0], few[0]))
                if around is None:
                    # with the most bits there are, what is not told from 0 counts as 0
                    space = Space(Digits(balls, short[0], len(short) == 1), few[0])
                    around = Around(space, self.tape, self.at, self.given)
                    self._known[short[0], few[0]] = around
                around.space.field.left = left
                try:
                    found, enough = attempt(around)
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
                    # a single power of h leaves more open than most terms do
                    few.pop(0)
                except TooMuch:
                    break
                finally:
                    left, before = around.space.field.left, left
                    spend(before - left, "looks at both sides of a corner")
                    # a germ of a step takes as long as that, besides its products
                    weigh(40 * len(self.tape.steps))
        return found


def continued(tape: Tape, at: Meant, name: str) -> Known:
    """Return the derivative of a function at a point that it is continued to, with a bound, if it exists.

    That is f'' at the point, if f' is the function, and f has a derivative there: where f' has a limit,
    it is that (by the mean value theorem). At an edge all of them are from one side.
    """

    def attempt(around: Around) -> tuple[Any, bool]:
        field = around.space.field
        germs = [around.moved({name: d}) for d in (-1, 1)]
        for germ in germs:
            if isinstance(germ, Exception) and not isinstance(germ, NoSide):
                raise germ  # more terms or digits may tell
        there = [germ for germ in germs if isinstance(germ, Germ)]
        if not there:
            return no_number, True
        kind, slope = _decide(field, *_both(germs, there[-1].limit()))
        if slope is not None and kind in ("", "edge"):
            return field.nearest(slope), True
        return no_number, True

    return Neighbourhood(tape, at).climbed(attempt) or OPEN


def mixed(
    tape: Tape, partials: Sequence[Tape], at: Meant, names: tuple[str, str]
) -> Known:
    """Return the second partial derivative with respect to two names, with a bound, if it exists.

    `partials` are the tapes of the formulas of both first partials, which exist at the point. Each is followed
    along the other variable.
    """

    def attempt(around: Around) -> tuple[Any, bool]:
        field = around.space.field
        one = around.slope_of_partial(partials[0], *names)
        other = around.slope_of_partial(partials[1], *names[::-1])
        if one is None or other is None or field.sign(one - other):
            return no_number, True
        return field.nearest(one), True

    return Neighbourhood(tape, at).climbed(attempt) or OPEN


Decision = tuple[str, Any, float | None, float | None]
"""The kind of corner, the derivative if it exists, a number of the field, and the slopes on both sides."""

Path = Mapping[str, tuple[int, Fraction]]
"""The way in which variables move: each has a factor before a power of h, and its exponent."""

Seed = Mapping[str, float]


class Around:
    """A tape around a point, in the germs of a space; a variable may be given a germ in place of a coordinate.

    `given` are the derivatives within the expression that have another value at the point itself than their formulas.
    """

    def __init__(
        self,
        space: Space,
        tape: Tape,
        at: Mapping[str, Any],
        given: Mapping[int, Within] = {},
    ) -> None:
        self.space, self.tape, self.at, self.given = space, tape, at, given
        # two expansions with a remainder are never known to be equal: what is typed twice is one germ
        self._once = tape.once(given)

    @computed_once
    def still(self) -> list[Germ | Exception]:
        """The value of every node at the point, a germ that does not move, or why there is none."""
        germs: list[Germ | Exception] = [self.space.zero] * len(self.tape.nodes)
        for i, _ in self.tape.constants:
            germs[i] = self._leaf(self.tape.nodes[i])
        for name, i in self.tape.variables.items():
            germs[i] = self._leaf(self.at[name])
        known = {i: self._leaf(own.value) for i, own in self.given.items()}
        forward_around(self._once.steps, self.space, germs, known)
        return [germs[i] for i in self._once.first]

    def _leaf(self, leaf: Any) -> Germ | Exception:
        """Return a constant, or what a variable is given, as a germ, or why it is none."""
        field = self.space.field
        read = field.given if isinstance(leaf, Coordinate) else field.leaf
        try:
            return leaf if isinstance(leaf, Germ) else self.space.number(read(leaf))
        except self.space.faults as why:
            return why

    def moved(self, seed: Seed) -> Germ | Exception:
        """Return the germ of the result when variables move along the seed."""
        tape, germs, moving = self.tape, list(self.still), list(self.tape.active(seed))
        for name in seed:
            i = tape.variables[name]
            germs[i] = self._line(germs[i], name, seed)
        within = {i: self._within(own, seed) for i, own in self.given.items()}
        known = {i: germ for i, germ in within.items() if germ is not None}
        for i, germ in known.items():
            germs[i], moving[i] = germ, True
        for step in tape.steps if known else ():
            moving[step.node] |= any(moving[j] for j in step.operands)
        own = [step for step in self._once.steps if moving[step.node]]
        beside = Beside(self.space, self.still, self.given)
        forward_around(own, beside, germs, known)
        return germs[self._once.root]

    def _line(self, start: Germ | Exception, name: str, seed: Seed) -> Germ | Exception:
        """Return the germ of a variable that moves along the seed, if that names it."""
        if isinstance(start, Exception) or name not in seed:
            return start
        return start + self.space.line(seed[name])

    def _within(self, own: Within, seed: Seed) -> Germ | Exception | None:
        """Return what is known of a derivative within when variables move; None where its formula holds.

        Raises `Undecided` where that holds at the point alone, or not even there.
        """
        leaves = {}
        for name in own.graphs[0].variables:
            argument = own.arguments.get(name)
            if argument is None:
                germ = self._line(self._leaf(self.at[name]), name, seed)
            else:
                moves = {n: t for n, t in seed.items() if n in argument.variables}
                germ = Around(self.space, argument, self.at).moved(moves)
            if isinstance(germ, Exception):
                return germ
            leaves[name] = germ
        if all(germ.is_constant for germ in leaves.values()):
            return self.space.number(self.space.field.leaf(own.value))
        for tape in own.graphs:
            around = Around(self.space, tape, leaves)
            result = around.still[tape.root]
            if isinstance(result, Exception):
                return result
            if not around.rules_hold(around.still, own.variable):
                raise Undecided
        return None

    def sides(self, seed: Seed) -> tuple[Side, Side]:
        """Return what the result does when the variables move against the seed, and along it."""
        here = self.still[self.tape.root]
        if isinstance(here, NoSide):
            raise Undecided  # it has a value in doubles: that hangs on the last digits
        if isinstance(here, Exception):
            raise here
        # what does not move takes no part: with a slope of 0 its terms would have the coefficient 0
        ways = [{name: d * t for name, t in seed.items() if t} for d in (-1, 1)]
        return _both([self.moved(way) for way in ways], here.limit())

    def decided(self, seed: Seed) -> Decision:
        """Return what the sides tell about the derivative along the seed. Raises `Undecided`."""
        field, (left, right) = self.space.field, self.sides(seed)
        kind, slope = _decide(field, left, right)
        below, above = (
            s if s is None or isinstance(s, float) else field.nearest(s).value
            for s in (left.slope, right.slope)
        )
        if slope is not None and not field.suffices(slope):
            raise NeedsDigits
        return kind, slope, below, above

    def on(self, path: Path) -> list[Any]:
        """Return the germs of all nodes along a path, none of which is told from its value at the point."""
        germs = list(self.still)
        for name, (factor, exponent) in path.items():
            if name in self.tape.variables:
                i = self.tape.variables[name]
                move = Germ(self.space, [(exponent, self.space.field.of(factor))])
                germs[i] = self.space.sum([germs[i], move])  # type: ignore[list-item] # there is a value
        forward(self.tape.steps, self.space, germs)
        return germs

    def rules_hold(self, germs: Sequence[Germ | Exception], name: str) -> bool:
        """Return whether the rules give the partial derivative where nodes have these germs."""
        active = self.tape.active([name])
        for step in self.tape.steps:
            own = [germs[j] for j in step.operands]
            if any(isinstance(germ, Exception) for germ in own):
                return False
            rules = [step.operation.corner, *step.operation.edges]
            bound = [self.space.bind(rule) for rule in rules if rule is not None]
            if active[step.node] and any(rule(*own) for rule in bound):
                return False
        return True

    def slope_of_partial(self, formula: Tape, name: str, along: str) -> Any:
        """Return the slope along a variable of a first partial, of which the formula is given; None for none.

        Where a rule does not hold all along, the formula is followed close beside, on both sides.
        """
        _, here, _, _ = self.decided({name: 1})
        if here is None:
            return None
        of_formula = Around(self.space, formula, self.at)

        def is_smooth(path: Path) -> bool:
            return self.rules_hold(self.on(path), name)

        paths = [{along: (d, Fraction(1))} for d in (-1, 1)]
        if all(map(is_smooth, paths)):
            germs = [of_formula.on(path)[formula.root] for path in paths]
            return _slope_of(self.space.field, germs, here)
        constants = [self.tape.nodes[i].data or 0.0 for i, _ in self.tape.constants]
        # x^1000 may turn h into a power that h^CLOSE does not stay beside
        if any(abs(data) > MOST_EXPONENT for data in constants):
            return None
        germs = []
        for path in paths:
            beside = [path | {name: (side, CLOSE)} for side in (-1, 1)]
            if not all(map(is_smooth, beside)):
                return None
            one, other = (of_formula.on(path)[formula.root] for path in beside)
            if any(isinstance(germ, Exception) for germ in (one, other)):
                return None
            if (one - other).lead < CLOSE / 2:
                return None  # it is not differentiable there
            germs.append(one)
        return _slope_of(self.space.field, germs, here)


def _slope_of(field: Digits, germs: Sequence[Any], here: Any) -> Any:
    """The slope on both sides of a point, where a function has a value that is known; None for none."""
    kind, slope = _decide(field, *_both(germs, here))
    return None if kind or isinstance(slope, float) else slope


def _both(germs: Sequence[Germ | Exception], here: Any) -> tuple[Side, Side]:
    """Return what both sides do, from their germs."""
    return _side(germs[0], here, -1), _side(germs[1], here, 1)


def _side(germ: Germ | Exception, here: Any, direction: int) -> Side:
    """Return what one side does, from its germ."""
    if isinstance(germ, NoSide):
        return Side(None, "edge")
    if isinstance(germ, Exception):
        raise germ
    field = germ.kind.field
    if _leaves(germ, here):
        return Side(None, "jump")
    for p, c in germ.terms:
        # sqrt(h) is infinitely steep, whatever comes after it
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
    """Return whether the germ does not tend to the value at the point."""
    is_infinite = any(p < 0 and germ.kind.field.sign(c) for p, c in germ.terms)
    swings = germ.swings is not None and germ.swings <= 0
    if is_infinite or germ.grows or swings:
        return True
    limit = germ.limit()
    return limit is not here and germ.kind.field.sign(limit - here) != 0


def _decide(field: Digits, left: Side, right: Side) -> tuple[str, Any]:
    """Return what kind of corner it is, if any, and the derivative, if it exists (at an edge: one-sided)."""
    # a jump on one side settles it, whatever the slope on the other
    if "jump" in (left.why, right.why):
        return "jump", None
    if "oscillating" in (left.why, right.why):
        return "oscillating", None
    slopes = [side.slope for side in (left, right) if side.slope is not None]
    if any(isinstance(slope, float) for slope in slopes):  # infinite
        return "vertical", None
    if len(slopes) < 2:
        return ("edge", slopes[0]) if slopes else ("isolated", None)
    is_smooth = field.sign(slopes[0] - slopes[1]) == 0
    return ("", slopes[1]) if is_smooth else ("corner", None)
