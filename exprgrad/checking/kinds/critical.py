"""Critical points: where all slopes are 0, or where the function has a value but no slope.

    critical_points(parse("x^3 - 3*x"), ("x",))         x = -1, a maximum, and x = 1, a minimum

Of one variable, the zeros of f' come from `real_roots`, which knows whether it has found them all. Of several, grad f = 0
is solved as a system of polynomials where it is one (`algebraic`), and otherwise by Newton's method from many places.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

from exprgrad.algebra.work import OutOfReachError
from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import STAGES, USUAL, current, is_spent, share, spend
from exprgrad.checking import equations
from exprgrad.checking.agreement import AGREES, DIGITS_GIVEN, PROVED, REFUTED, Basis
from exprgrad.checking.judging import (
    CORRECT,
    INCORRECT,
    PARTLY,
    UNDECIDED,
    Verdict,
    together,
)
from exprgrad.checking.kinds.real_roots import (
    SEARCH,
    Search,
    Zero,
    Zeros,
    common_zeros,
    domain_repeats,
    is_met_at,
    named,
    period,
    probe_of,
    repeats,
    same_point,
    united,
    value_of,
    zeros_of_period,
)
from exprgrad.checking.kinds.request import Request, counted
from exprgrad.checking.names import says_none
from exprgrad.checking.points import Point
from exprgrad.checking.rounding import FEWEST, decimals, exact_matrix, solution
from exprgrad.errors import ExprgradError, RangeError, UndecidedError, UsageError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.derivatives import nowhere
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.fields import written
from exprgrad.expressions.higher_orders import orders
from exprgrad.expressions.taylor import at_place, has_variables, number, polynomial
from exprgrad.graph.order import topological
from exprgrad.graph.rational import LARGEST, rational
from exprgrad.graph.value import Constant, Value, node
from exprgrad.language import inputs
from exprgrad.language.brackets import closing
from exprgrad.language.points import in_order, lies_on
from exprgrad.lazy import pattern
from exprgrad.notation.text import to_text
from exprgrad.numbers.real import is_definite
from exprgrad.operations.table import MUL, POW, SQRT, SUB
from exprgrad.proof.elementary import vanishes
from exprgrad.sweeps.bounds import BOUNDED, DIGITS, EXACT, ZERO
from exprgrad.sweeps.precise import Look, Probe
from exprgrad.sweeps.ranges import ALL, DEFINED, Range, everything, values

STARTS = (-4.0, -2.3, -1.1, -0.4, 0.3, 1.2, 2.4, 4.1)
MOST_STARTS = 512
MOST_LOOKS = STAGES[SEARCH] // 10
"""Slopes and second derivatives that the search for points takes."""
MOST_STEPS = 40
MOST_POINTS = 24
LEAST = 2.0**-1074
"""The least double: what is smaller is 0, to within that."""
FEW = 3
"""The digits of a value above the range of doubles at a point that is known in doubles alone."""
ROUGH = 1e-7
"""The largest error of a point that Newton's method reaches."""
MOST_DENOMINATOR = 1000
"""The denominator from which on a fraction is written as a decimal, where it has a short one."""
HIGHEST_ORDER = 6
"""Derivatives that are looked at where lower ones are 0."""
END = "at an end of the domain"
"""The side of a point behind which there are no values."""
LEVEL = "level"
"""The kind of a place beside which the slope is 0 on both sides: no point of its own."""
WIDTHS = 2.0**-14, 2.0**-24, 2.0**-34
"""Distances at which one looks beside a place of size 1."""
UNKNOWN = "undecided"
"""The kind of a point that was not decided."""
MOST_LINES = 40
"""Lines through a point along which it is looked for higher and lower values."""
MOST_TOLD = 3
"""Points that a sentence names."""


class Critical(NamedTuple):
    """A critical point: what each variable is, the value there, and its kind.

    `kind` is minimum, maximum, saddle, flat (neither), inflection or undecided; `smooth` says that the slope is 0
    there and not missing. `value` is a double, or None beyond their range; `value_text` has no digit that may be wrong.
    `side` is what is on one side, if that differs: the domain may end, or the function stay level.
    """

    at: dict[str, Zero]
    value: float | None
    kind: str
    smooth: bool = True
    value_text: str = ""
    side: str = ""

    @property
    def point(self) -> Point:
        """The point in doubles."""
        return {name: zero.near for name, zero in self.at.items()}

    @property
    def text(self) -> str:
        """The point in a sentence, exact where it is known."""
        return ", ".join(f"{n} = {zero_text(zero)}" for n, zero in self.at.items())


class CriticalPoints(NamedTuple):
    """The critical points of a function, and whether they are known to be all."""

    expression: Expression
    names: tuple[str, ...]
    points: tuple[Critical, ...]
    complete: bool
    intervals: tuple[tuple[float, float], ...] = ()
    """Those on which the slope is 0 everywhere."""
    periods: Mapping[str, Value] = {}
    """The lengths after which the points repeat, by the variables along which they do; the points are then those of one period."""
    left_out: str = ""
    """The points that were not found or not looked for, in words."""

    @property
    def period(self) -> Value | None:
        """After what the points of one variable repeat."""
        return self.periods.get(self.names[0]) if len(self.names) == 1 else None

    @property
    def every(self) -> tuple[str, ...]:
        """After what the points repeat, with the variables where there are several, in words."""
        several = len(self.names) > 1
        return tuple(f"{to_text(p)}{f' in {n}' if several else ''}" for n, p in self.periods.items())  # fmt: skip

    @property
    def repeated(self) -> list[str]:
        """The remark that points repeat, if they do."""
        told = f"they repeat every {', '.join(self.every)}: there are infinitely many"
        return [told] if self.points and self.periods else []

    @property
    def level(self) -> str:
        """The intervals on which the slope is 0, in words."""
        name, found = self.names[0], []
        for low, high in self.intervals:
            below = f"every {name}" + (f" < {high:.10g}" if high < math.inf else "")
            above = f"every {name} > {low:.10g}" if high == math.inf else f"every {name} between {low:.10g} and {high:.10g}"  # fmt: skip
            found.append(below if low == -math.inf else above)
        return ", ".join(found)

    @property
    def letters(self) -> dict[str, str]:
        """The whole number in `families` by which each variable with a period repeats."""
        free = (letter for letter in "knmjil" if letter not in self.names)
        return {name: next(free, "K") for name in self.periods}

    @property
    def families(self) -> tuple[str, ...]:
        """The points that repeat, for every whole number k or n: pi/6 + 2*pi*k."""
        if not self.periods:
            return ()
        steps = {
            n: to_text(simplify(node(MUL, (self.periods[n], Value(None, letter)))))
            for n, letter in self.letters.items()
        }
        return tuple(
            ", ".join(f"{n} = {zero_text(zero)}{f' + {steps[n]}' if n in steps else ''}" for n, zero in p.at.items())
            for p in self.points
        )  # fmt: skip


def zero_text(zero: Zero) -> str:
    """Return what a coordinate is: as a formula or a short decimal where that is known, else 10 digits."""
    if zero.exact is None:
        return f"{zero.near:.10g}"
    ratio = rational(zero.exact)
    if ratio is not None and ratio.denominator > MOST_DENOMINATOR:
        from decimal import Context, Decimal

        # ten digits, also beyond the range of doubles
        ten = Context(prec=10).divide(*map(Decimal, ratio.as_integer_ratio()))
        decimal = f"{ten.normalize():.10g}"
        if Fraction(decimal) == ratio or ratio.denominator > LARGEST:
            return decimal
    return to_text(zero.exact)


def critical_points(
    expression: Expression, names: Sequence[str] = (), search: Search | None = None
) -> CriticalPoints:
    """Return where all slopes with respect to these variables are 0, or one is missing; as part of a longer search, if there is one."""
    names = tuple(names or in_order(expression.variables))
    require_numbers(expression, names, "critical points")
    if not names:
        raise UsageError("the expression has no variable")
    # without a value anywhere, everything would be searched in vain
    if nowhere(expression, {}) is not None:
        return CriticalPoints(expression, names, (), True)
    if len(names) == 1:
        return _on_a_line(expression, names[0], search or Search(names[0]))
    return _in_space(expression, names)


def require_numbers(expression: Expression, names: Sequence[str], what: str) -> None:
    """Raise `UsageError` where there are other variables than those that points are sought in."""
    for name in expression.variables:
        if name not in names:
            told = f"{what} need a number for {name}"
            raise UsageError(told, hint="put one in its place")


# One variable


def _on_a_line(expression: Expression, name: str, search: Search) -> CriticalPoints:
    flat, kinks, turn = _of_one_period(expression.root, name, search)
    found = united([flat, kinks]).found
    complete = flat.complete and kinks.complete and len(found) <= MOST_POINTS
    slope = Probe(expression.tape, name)
    points = []
    # sin(x^2) has them without end: those next to 0 are told
    for zero in sorted(found, key=lambda zero: abs(zero.near))[:MOST_POINTS]:
        try:
            point = _on_both_sides(expression, slope, name, zero, flat, kinks)
        except (RangeError, UndecidedError):
            complete = False
        else:
            points += [] if point is None else [point]
    points.sort(key=lambda p: p.at[name].near)
    level = []
    for interval in flat.intervals:
        # the slope's formula is 0 there: perhaps where there is no value
        undefined = {slope.floats({name: x}).is_undefined for x in _within(*interval)}
        level += [interval] if undefined == {False} else []
        complete = complete and len(undefined) == 1
    periods = {} if turn is None else {name: turn}
    return CriticalPoints(expression, (name,), tuple(points), complete, tuple(level), periods)  # fmt: skip


def _on_both_sides(
    expression: Expression, slope: Probe, name: str, zero: Zero, flat: Zeros, kinks: Zeros
) -> Critical | None:  # fmt: skip
    """Return the critical point at a place, if it is one. Raises `UndecidedError` or `RangeError` where that is open."""
    try:
        there = expression.evaluate(_place({name: zero}), (name,))
    except (RangeError, UndecidedError):
        raise
    except ExprgradError:
        return None
    here, x = there.known(name), zero.near
    # if(x == 1, 0, 2*x), the formula of a slope, is 0 at 1, where it does not hold for if(x == 1, 1, x^2)
    is_off = zero.exact is not None and abs(here.value or 0.0) > here.error
    is_flat = not is_off and (zero in flat.found or here[:3] == (0.0, 0.0, EXACT))
    corner = next(iter(there.corners if zero.exact is not None else ()), None)
    smooth = here.is_number
    is_cornered = zero.exact is None and is_met_at(x, kinks.found)
    if smooth and not (is_flat or is_cornered):
        return None
    is_known = smooth and zero.exact is not None
    kind, side = _kind_here(expression, name, zero) if is_known else UNKNOWN, ""
    if kind == UNKNOWN:
        looks = looks_beside(slope, name, x)
        if is_cornered:
            found = _has_slope(slope, name, x, looks)
            if found is None:
                return None
            smooth = found
        elif not smooth and any(near.is_undefined for *_, near in looks):
            return None  # the function has no values on both sides
        if corner.kind in CONTINUOUS if corner is not None else smooth or is_cornered:
            kind, side = _turning(looks)
    if kind == LEVEL:
        if any(low <= x <= high for low, high in flat.intervals):
            return None
        kind = UNKNOWN
    side = END if corner is not None and corner.kind == "edge" else side
    value, text = value_there(expression, {name: zero}, smooth)
    return Critical({name: zero}, value, kind, smooth, text, side)


def looks_beside(slope: Probe, name: str, x: float) -> list[list[Look]]:
    """Return what is seen before a place and behind it, on each side closer and closer."""
    apart = [w * max(1.0, abs(x)) for w in WIDTHS]
    return [[slope.bounded({name: x + s * w}, 40) for w in apart] for s in (-1, 1)]


def _has_slope(
    slope: Probe, name: str, x: float, looks: Sequence[Sequence[Look]]
) -> bool | None:
    """Return whether the slope is 0 where an operation may have a corner, or missing, at a place that only doubles tell.

    A slope that stays is one at a corner or a slope of both sides, one that falls is 0 there, one that rises has no
    end, and values that go on growing apart are those at a pole. None where the place is not critical. Raises
    `UndecidedError`.
    """
    if any(look.is_undefined for side in looks for look in side):
        return None  # the function has no values on both sides
    if any(look.slope is None for side in looks for look in side):
        raise UndecidedError("the slopes on both sides are not known")
    ends = slopes_beside(looks)
    if None in ends:
        return None  # a pole, where there is no value
    width = WIDTHS[-1] * max(1.0, abs(x))
    around = Range(x - width, x + width, (True, True))
    if jumps(looks) or values(slope.tape, {name: around}, DEFINED) is None:
        raise UndecidedError("the function may jump, or have no value just there")
    goes_on = math.isfinite(ends[0]) and math.isclose(*ends, rel_tol=1e-6)
    return None if goes_on and any(ends) else not any(ends)


def slopes_beside(looks: Sequence[Sequence[Look]]) -> list[Any]:
    """Return what the slopes on each side tend to, 0 and infinity too; None at a pole. All of them are known."""
    ends = list[Any]()
    for far, middle, near in looks:
        steps = middle.value - far.value, near.value - middle.value
        size, before = abs(near.slope), abs(middle.slope)
        limit = 0.0 if 4 * size <= before else float(near.slope)
        limit *= math.inf if size > 1.05 * before else 1.0
        ends.append(limit if abs(steps[1]) <= 0.9 * abs(steps[0]) else None)
    return ends


def jumps(looks: Sequence[Sequence[Look]]) -> bool:
    """Return whether the values on both sides come no closer to each other."""
    _, wide, narrow = (abs(v.value - u.value) for u, v in zip(*looks, strict=True))
    steps = (abs(near.value - middle.value) for _, middle, near in looks)
    return bool(2 * narrow > wide and narrow > max(steps))


def _turning(looks: Sequence[Sequence[Look]]) -> tuple[str, str]:
    """Return the kind of a point, and what is on one side if the slope is 0 there; behind an end of the domain it is."""
    undefined = any(look.is_undefined for side in looks for look in side)
    left, right = (0.0 if near.is_undefined else near.slope for *_, near in looks)
    if None in (left, right) or (not undefined and jumps(looks)):
        return UNKNOWN, ""
    if not (left or right):
        return LEVEL, ""
    kind = _kind_between(left or -right, right or -left)
    return kind, "" if left and right else "level on one side"


def _of_one_period(
    root: Value, name: str, search: Search
) -> tuple[Zeros, Zeros, Value | None]:
    """Return where the slope is 0, and where one may be missing: in one period, and that, if they repeat and all can be solved for."""
    slope = derivative(root, name)
    own = period(root, name)
    turn = period(slope, name) if own is None else own
    if turn is None:
        # the slope of exp(x)*sin(x) does not repeat, but its zeros do
        with suppress(OutOfReachError):
            turn = common_zeros([slope], (name,)).periods.get(name)
    # x + sin(x) does not repeat, but its slope does
    if turn is not None and (own is turn or domain_repeats(root, name, turn)):
        flat = zeros_of_period(slope, name, turn)
        kinks = search.passes(root, length=turn)
        if flat.complete and kinks.complete:
            return flat, kinks, turn
    kinks = search.passes(root)
    flat = search.zeros(slope, prove=kinks.complete)
    if own is None or (flat.complete and not flat.found):
        return flat, kinks, None
    length = value_of(own)
    flat, kinks = (
        part._replace(found=tuple(z for z in part.found if -1e-9 < z.near < length - 1e-9))
        for part in (flat, kinks)
    )  # fmt: skip
    return flat, kinks, own


def _within(low: float, high: float) -> list[float]:
    """Return numbers all over an interval."""
    if math.isinf(low) and math.isinf(high):
        return [0.1, *_within(-math.inf, 0.0), *_within(0.0, math.inf)]
    if math.isinf(low):
        return [high - 10.0**k for k in range(-6, 7, 2)]
    if math.isinf(high):
        return [low + 10.0**k for k in range(-6, 7, 2)]
    return [low + (high - low) * k / 16 for k in range(1, 16)]


def value_there(
    expression: Expression, at: Mapping[str, Zero], smooth: bool = True
) -> tuple[float | None, str]:
    """The value at a point as a double, where there is one, and as ten digits or those that are known.

    It is exact where the point is: cos(pi/2) is 0. Elsewhere a coordinate is off by about a Newton step for a slope of 0,
    if it is `smooth` there.
    """
    place = _place(at)
    known = expression.evaluate(place, ()).known()
    value = known.value
    rough = [name for name, zero in at.items() if zero.exact is None]
    if rough:
        if value is None and known.is_number and "e+" in (known.decimal() or ""):
            return value, f"about {known.decimal(FEW)}"
        error = known.error if value is not None else LEAST
        slopes = expression.evaluate(place).gradient
        for name in rough:
            slope, bend = abs(slopes[name] or 0.0), 0.0
            with suppress(ExprgradError):
                bend = abs(orders(expression, place, name, 2).numbers[2].value or 0.0)
            off = 4 * math.ulp(at[name].near)
            off = max(off, 2 * slope / bend) if bend and smooth else off
            error += off * (slope + len(at) * off * bend)
        known = known._replace(error=error, status=BOUNDED, right=0)
    if known.value == 0 and not known.error:
        return value, "0"
    if known.sure >= 1:
        return value, known.decimal(min(known.sure, DIGITS)) or ""
    return value, f"0 ± {abs(known.value or 0.0) + known.error:.1e}"


def _place(at: Mapping[str, Zero]) -> dict[str, Any]:
    """The point, exact in the coordinates that are."""
    return {n: z.near if z.exact is None else z.exact for n, z in at.items()}


CONTINUOUS = {"corner", "vertical", "edge"}
"""The kinds of corners at which a function does not jump."""


def _kind_here(expression: Expression, name: str, zero: Zero) -> str:
    """The kind of a point from the first derivative that is not 0."""
    with suppress(ExprgradError):
        found = orders(expression, _place({name: zero}), name, HIGHEST_ORDER)
        for order, own in enumerate(found.numbers[2:], 2):
            number = own.middle if own.value is None else own.value
            # the end of a domain has one side
            if number is None or own.status == ZERO or (order % 2 and found.evaluation.corners):  # fmt: skip
                break
            if number and (own.value is None or abs(own.value) > own.error):
                return _kind_between(number if order % 2 else -number, number)
    return UNKNOWN


def _kind_between(left: Any, right: Any) -> str:
    """The kind of a point between slopes that are not 0."""
    if (left > 0) == (right > 0):
        return "flat"
    return "minimum" if right > 0 else "maximum"


# Several variables


def _in_space(expression: Expression, names: tuple[str, ...]) -> CriticalPoints:
    slopes = [derivative(expression.root, name) for name in names]
    try:
        found = common_zeros(slopes, names)
    except OutOfReachError:
        return _searched(expression, names, slopes)
    for turn in found.periods.items():
        # the function repeats, or its slopes do
        own = repeats(expression.root, *turn) or all(repeats(s, *turn) for s in slopes)
        if not (own and domain_repeats(expression.root, *turn)):
            return _searched(expression, names, slopes)
    edges, cornered = _edges(expression, names)
    new = [p for p in edges if not any(same_point(p, q) for q in found.points)]
    every = [*found.points, *new]
    points = [_classified(expression, at) for at in every if _is_critical(expression, at)]  # fmt: skip
    left_out = "" if found.is_finite else INFINITE
    if cornered is not None:
        more = _searched(expression, names, slopes).points
        points += [p for p in more if not any(_close(p.point, q.point) for q in points)]
        left_out = left_out or f"points at which {to_text(cornered)} may have no slope were not looked for"  # fmt: skip
    points.sort(key=_distance)
    complete = not left_out and len(points) <= MOST_POINTS
    return CriticalPoints(expression, names, tuple(points[:MOST_POINTS]), complete, (), found.periods, left_out)  # fmt: skip


def _distance(point: Critical) -> tuple[float, ...]:
    return math.hypot(*point.point.values()), *point.point.values()


INFINITE = "the slopes are 0 all along curves, whose points are not listed"


def _is_critical(expression: Expression, at: Mapping[str, Zero]) -> bool:
    """Return whether a function has the slopes 0 at what may be such a point, or inside its domain no slope; formulas lie about signs."""
    try:
        found = expression.evaluate(_place(at), tuple(at))
    except ExprgradError:
        return False
    slopes = [found.known(name) for name in at]
    room = NEAR_ZERO * (1 + abs(found.value or 0.0))
    if any(slope.is_number and abs(slope.value or 0.0) > room for slope in slopes):
        return False
    if all(slope.is_number for slope in slopes):
        return True
    probe = Probe(expression.tape)
    point = {name: zero.near for name, zero in at.items()}
    beside = ({**point, name: x + s * 2.0**-20} for name, x in point.items() for s in (-1, 1))  # fmt: skip
    return not any(probe.floats(there).is_undefined for there in beside)


NEAR_ZERO = 1e-6
"""A slope that is not 0 is larger at a point that is a double next to a zero of the formulas."""


def _edges(
    expression: Expression, names: tuple[str, ...]
) -> tuple[list[dict[str, Zero]], Value | None]:
    """Return where what a root is taken of touches 0, and another operation that may have no slope somewhere, if there is one."""
    found: list[dict[str, Zero]] = []
    for item in topological(expression.root):
        operation = item.operation
        if operation is None or not any(map(has_variables, item.operands)):
            continue
        tape = Expression.of(item).tape
        if operation.corner is None or values(tape, dict.fromkeys(tape.variables, everything()), ALL) is not None:  # fmt: skip
            continue
        if operation.rule == POW.rule and (rational(item.operands[1]) or Fraction(1, 2)).denominator == 1:  # fmt: skip
            continue
        touched, inside = None, item.operands[0]
        if operation is SQRT or operation.rule == POW.rule:
            with suppress(OutOfReachError):
                touched = common_zeros([inside, *(derivative(inside, n) for n in names)], names)  # fmt: skip
        if touched is None or not touched.is_finite:
            return found, item
        found += touched.points
    return found, None


def _searched(
    expression: Expression, names: tuple[str, ...], slopes: Sequence[Value]
) -> CriticalPoints:
    """The points that Newton's method reaches, each surely a zero of the gradient, as far as doubles tell."""
    first = [probe_of(slope) for slope in slopes]
    matrix = [[probe_of(derivative(s, name)) for name in names] for s in slopes]
    whole = Probe(expression.tape)
    points: list[Critical] = []
    seen: list[Point] = []
    weight = len(names) * (len(names) + 1)
    looks, most = 0, share(MOST_LOOKS) // weight
    starts = itertools.product((0.0, *STARTS), repeat=len(names))
    for start in itertools.islice(starts, MOST_STARTS):
        at, taken = _newton(dict(zip(names, start, strict=True)), first, matrix)
        looks += taken
        spend(taken * weight * 10, SEARCH)
        if is_spent(looks, most, SEARCH):
            break
        if at is None or whole.floats(at).is_undefined or any(_close(at, other) for other in seen):  # fmt: skip
            continue
        seen.append(at)
        # as numbers that it is proved to be, where that can be done
        found = {n: named(x if abs(x) > 1e-9 else 0.0, lambda _: True) for n, x in at.items()}  # fmt: skip
        place = {n: z.exact for n, z in found.items() if z.exact is not None}
        exact = len(place) == len(names) and all(vanishes(at_place(s, place)) for s in slopes)  # fmt: skip
        if not exact:
            found = {name: Zero(x, None) for name, x in at.items()}
            if any(0 < abs(x) < ROUGH for x in at.values()):
                continue  # it goes on towards 0
        if not all(zero.is_told for zero in found.values()):
            # doubles could not tell it from another so close to 0 that they do not reach it
            here = expression.evaluate(_place(found))
            if any(k.is_number and k.value is None for k in map(here.known, names)):
                continue
        point = _classified(expression, found)
        if exact or point.kind != UNKNOWN or not point.smooth:
            points.append(point)
        if len(points) >= MOST_POINTS:
            break
    points.sort(key=_distance)
    return CriticalPoints(expression, names, tuple(points), False)


def _newton(
    at: Point, first: Sequence[Probe], matrix: Sequence[Sequence[Probe]]
) -> tuple[Point | None, int]:
    """The zero that is reached from a point, if one is, and the number of steps."""
    for count in range(1, MOST_STEPS + 1):
        slopes = [probe.floats(at).value for probe in first]
        rows = [[probe.floats(at).value for probe in row] for row in matrix]
        if None in slopes or any(None in row for row in rows):
            break
        if not any(slopes):
            return at, count
        step = solution(rows, [-Fraction(s) for s in slopes])
        # a step that leaves the window may be too long for a double
        if step is None or max(map(abs, step)) > 200:
            break
        new = {n: x + float(d) for (n, x), d in zip(at.items(), step, strict=True)}
        if max(map(abs, new.values())) > 100:
            break
        if all(abs(new[n] - at[n]) <= 1e-13 * max(1.0, abs(new[n])) for n in new):
            return new, count
        at = new
    return None, count


def _close(a: Point, b: Point) -> bool:
    return all(abs(a[n] - b[n]) <= 1e-7 * max(1.0, abs(b[n])) for n in a)


def _classified(expression: Expression, at: Mapping[str, Zero]) -> Critical:
    value, text = value_there(expression, at)
    place = _place(at)
    first = expression.evaluate(place, tuple(at))
    smooth = all(first.known(name).is_number for name in at)
    # where the curvature is 0, Newton's method stops short of the point, at which it sees a small one of either sign
    moved = [{**place, n: z.near + s * ROUGH * max(1.0, abs(z.near))} for n, z in at.items() if z.exact is None for s in (-1, 1)]  # fmt: skip
    kinds = (_kind_in_space(expression, own) for own in (place, *moved))
    kind = next(kinds) if smooth else UNKNOWN
    if kind != UNKNOWN and any(other != kind for other in kinds):
        kind = UNKNOWN
    if kind == UNKNOWN and first.known().status == EXACT:
        # x^4 + y^4 is nowhere less than at 0
        own = values(expression.tape, dict.fromkeys(at, everything()))
        ends = {} if own is None else {own.high: "maximum", own.low: "minimum"}
        kind = ends.get(first.value, UNKNOWN)
    if kind == UNKNOWN and smooth and not moved:
        kind = _kind_on_lines(expression, place)
    return Critical(dict(at), value, kind, smooth, text)


def _kind_on_lines(expression: Expression, place: Mapping[str, Any]) -> str:
    """Return whether a point is a saddle: on lines through it, values nearby are higher and lower."""
    kinds, (first, *_), origin = set[str](), place, Constant(0.0)
    ways = itertools.product((1, 0, -1), repeat=len(place))
    # of two opposite ways, the first; then comes none at all
    for way in itertools.islice(ways, min(MOST_LINES, 3 ** len(place) // 2)):
        steps = zip(place.items(), way, strict=True)
        line = {n: polynomial((x, Constant(s)), first, origin) for (n, x), s in steps}
        along = Expression.of(simplify(at_place(expression.root, line)))
        kinds.add(_kind_here(along, first, Zero(0.0, origin)))
    return "saddle" if "flat" in kinds or {*EXTREMA} <= kinds else UNKNOWN


def _kind_in_space(expression: Expression, place: Mapping[str, Any]) -> str:
    """The kind of a point from its second derivatives, where all of them are known, by whether they are definite."""
    try:
        second = expression.second_partials(place)
    except ExprgradError:
        return UNKNOWN
    known = [[second[a][b].value for b in place] for a in place]
    if any(x is None for row in known for x in row):
        return UNKNOWN
    rows = [[Fraction(x or 0.0) for x in row] for row in known]
    scale = max(abs(x) for row in rows for x in row)
    # not definite, and no saddle either: all second derivatives of x^4 + y^4 are 0 at its minimum, or rounded
    whole = exact_matrix(rows).det()
    if abs(Fraction(int(whole.p), int(whole.q))) * 10**9 <= scale ** len(rows):
        return UNKNOWN
    if is_definite(rows):
        return "minimum"
    return "maximum" if is_definite([[-x for x in row] for row in rows]) else "saddle"


# A claim


def critical_answer(request: Request) -> Verdict:
    """Return whether the claimed points are critical, and whether others are missing."""
    f = request.function()
    names = request.wrt or in_order(request.names(f, placed=False))
    # the claim is read first: a search takes long, and what cannot be read needs none
    parts_of = [(kind, claimed_points(own, names)) for kind, own in _by_kind(request)]
    found = critical_points(f, names)
    said = [(k, own) for k, points in parts_of for own in numbered(points, bool(found.periods))]  # fmt: skip
    claims = [own for _, own in said]
    sharp = [point.point for point in found.points if not point.smooth]
    near = [_nearest(_doubles(names, own), found, _rooms(own)) for own in claims]
    parts = tuple(
        _of_its_kind(_judged(f, names, own, sharp), None if i is None else found.points[i], kind)
        for i, (kind, own) in zip(near, said, strict=True)
    )  # fmt: skip
    statuses = {part.status for part in parts}
    # the ends of a domain are critical points in some books only
    others = [p for i, p in enumerate(found.points) if i not in near]
    missing = [p for p in others if p.side != END and _is_of_kind(p, request.kind)]
    is_whole = request.kind == "critical"
    unknown = found.intervals or any(_is_of_kind(p, request.kind) is not False for p in others)  # fmt: skip
    sentences = [part.evidence for part in parts if part.status != CORRECT]
    if found.intervals and is_whole:
        sentences.append(f"missing: {found.level}, where the slope is 0")
    if missing:
        listed = "; ".join(p.text for p in missing[:MOST_TOLD])
        more = ", and others" if len(missing) > MOST_TOLD else ""
        sentences.append(f"missing: {listed}{more}")
    notes = [*f.notes, *found.repeated]
    if not found.complete:
        notes.append(found.left_out or "could not show that there are no other critical points")  # fmt: skip
    budget = current()
    # what a smaller budget than the usual one has cut short may have missed points that are there
    is_less = budget is not None and budget.operations < USUAL and not found.complete
    cut = budget.remark if budget is not None and is_less else None
    is_unsure = UNDECIDED in statuses or (unknown and not is_whole)
    is_open = is_unsure or cut or not (parts or found.complete)
    status = UNDECIDED if is_open else CORRECT
    if INCORRECT in statuses or missing or (found.intervals and is_whole):
        status = PARTLY if CORRECT in statuses else INCORRECT
    if status == UNDECIDED and not sentences:
        sentences = [cut or "could not show that there are none"]
    if status == CORRECT:
        whole = "these are all in one period" if found.periods else "these are all"
        all_ = whole if found.complete else "every one of these is right"
        there = "the slope is 0 at each, or there is none"
        sentences = [f"{all_}: {there}" if parts else "there are none"]
    none = Basis(PROVED if found.complete else AGREES)
    basis = together(status, parts) if parts or status != CORRECT else none
    claimed = tuple(e for own in claims for e in own)
    verdict = Verdict(status, "; ".join(sentences), None, None, tuple(notes), f, claimed)  # fmt: skip
    return verdict._replace(
        wrt=names if len(names) > 1 else names[0],
        kind=request.kind,
        asked=f"{_PLURALS.get(request.kind, f'{request.kind} points')} of {f.title}",
        parts=parts,
        right=tuple((p.text, Constant(p.value or 0.0)) for p in found.points),
        told="; ".join(p.text for p in found.points),
        **basis._asdict(),
    )


def _by_kind(request: Request) -> list[tuple[str, Request]]:
    """Return the parts of an answer with the kinds that it names, as in `max at (1, 2)` and `(1, 2) max`, or the question."""
    claim = request.answered
    found = [*_KIND.finditer(claim)] if isinstance(claim, str) else []
    if request.kind in ("extremum", *EXTREMA) and re.fullmatch(r"(?!.*\bat\b)[^=(]*\d[^=(]*", str(claim)) and not found:  # fmt: skip
        raise UsageError("this may be the place or the value", hint=f"write x = {claim}")  # fmt: skip
    kinds = [*(_KINDS[m[1].lower()[:3]] for m in found), request.kind]
    cuts = [(0, 0), *(m.span() for m in found)]
    # a kind stands before its points, or behind them
    if found and not claim[: found[0].start()].strip():
        kinds, cuts = kinds[:-1], cuts[1:]
    ends = [*(start for start, _ in cuts[1:]), len(str(claim))]
    texts = [_AROUND.sub("", claim[b:end]) for (_, b), end in zip(cuts, ends, strict=True)] if found else [claim]  # fmt: skip
    return [(k, request._replace(claim=text)) for k, text in zip(kinds, texts, strict=True) if text or not found]  # fmt: skip


_KINDS = {"max": "maximum", "min": "minimum", "sad": "saddle"}
_KIND = pattern(r"[(\[]?\s*(?:\b(?:is|an?|the|local|relative)\s+)*\b(max(?:im(?:um|a))?|min(?:im(?:um|a))?|saddle)\b(?:\s+points?)?\s*(?:[)\]](?!\s*[)\]]))?", re.IGNORECASE)  # fmt: skip
_AROUND = pattern(r"\A(?:[\s,;:=]|\b(?:and|at|is|are|when|where)\b)+|(?:[\s,;]|\b(?:and|at)\b)+\Z")  # fmt: skip


def _is_of_kind(point: Critical, kind: str) -> bool | None:
    """Return whether a critical point is of a kind that an answer or a question names; None where that is open."""
    if kind in ("critical", "stationary"):
        return point.smooth or kind == "critical"
    is_open = point.kind == UNKNOWN
    return None if is_open else point.kind in (kind, *EXTREMA * (kind == "extremum"))


EXTREMA = ("maximum", "minimum")
_PLURALS = {"maximum": "local maxima", "minimum": "local minima", "extremum": "local extrema"}  # fmt: skip


def _of_its_kind(part: Verdict, point: Critical | None, kind: str) -> Verdict:
    """The verdict on a critical point that has to be of a kind."""
    is_right = kind == "critical" or (point and _is_of_kind(point, kind))
    if part.status != CORRECT or is_right:
        return part
    noun = f"local {kind}" if kind in _PLURALS else f"{kind} point"
    if point is None or is_right is None:
        told = f"whether there is a {noun} at {part.name} is open"
        return part._replace(status=UNDECIDED, evidence=told, certainty=None)
    but = f", but a {point.kind}" if point.kind in _KINDS.values() else ""
    told = f"at {part.name} there is no {noun}{but}"
    return part._replace(status=INCORRECT, evidence=told, certainty=REFUTED)


def claimed_points(
    request: Request, names: tuple[str, ...]
) -> list[tuple[Expression, ...]]:
    """The points of a claim, each an expression for every variable, and one for the height there if that is given.

    A text lists them as `-1, 1`, `x = 1 and x = -1`, `±1`, `(1, -2), (-1, 2)`, `y = 0, x = 1`, or `none`.
    """
    claim = request.answered
    if isinstance(claim, str):
        whole, f = claim.strip(), request.function().root
        if whole[:1] == "(" and closing(whole, 0) == len(whole) and "=" not in whole:
            # (1, -1) may be a point of the graph, and (±1, -1) two
            given = [(*map(request.expression, equations.entries(t)),) for t in _signed([whole])]  # fmt: skip
            if all(len(own) == len(names) + 1 and (names[1:] or lies_on(f, *(e.root for e in own))) for own in given):  # fmt: skip
                return given
        claim = _listed(claim, names)
    points = []
    for own in claim if isinstance(claim, tuple | list) else (claim,):
        if isinstance(own, Mapping):
            own = tuple(own[name] for name in names if name in own)
        own = equations.entries(own) if isinstance(own, str) else own
        single = own if isinstance(own, tuple | list) else (own,)
        parts = [equations.sides(p) if isinstance(p, str) else (p,) for p in single]
        values = [part[-1] for part in parts]
        said = {inputs.normal(part[0]): part[1] for part in parts if len(part) > 1}
        if said.keys() >= {*names}:  # in whatever order
            values = [*(said.pop(name) for name in names), *said.values()]
        is_wrong = len(names) > 1 and len(said) == len(parts)
        # y = 2 is no point of x, unless x stands before it; c = 2 may be
        if len(names) == 1:
            plain = {n.partition("(")[0].rstrip("_0123456789") for n in said}
            is_wrong = not plain <= {*names, "c", *_HEIGHTS[: 3 * len(values[1:])]}
        if is_wrong or not 0 <= len(values) - len(names) <= 1:
            what = "an inflection" if request.kind == "inflection" else "a critical"
            count = counted(len(names), "coordinate")
            raise UsageError(f"{what} point has {count}: {', '.join(names)}")
        points.append(tuple(map(request.expression, values)))
    return points


def _listed(claim: str, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The points that a text lists, each as its coordinates, with their names or without."""
    text = re.sub(r"\\(?=[{}])", "", claim)
    text = re.sub(r"\\pm|\+/-|(?:^|(?<=[=,({]))\s*\+-", "±", text).strip()
    text = re.sub(r"\A(?:at|when|where)\b|\b(?:and|or)\b|;", ",", _WHOLE.sub("", text))
    if re.fullmatch(r"((?:there\s+(?:is|are)\s+)?(?:no|none)\b.*|∅|\[\s*\])?", text, re.IGNORECASE) or says_none(text):  # fmt: skip
        return []
    if text[:1] == "{" and closing(text, 0) == len(text):
        text = text[1:-1]
    found: list[tuple[str, ...]] = []
    is_open = False
    for part in filter(None, equations.entries(text)):
        *head, last = equations.sides(part)
        own, heads = equations.entries(last), equations.entries("".join(head))
        if len(own) == len(heads) > 1:  # (x, y) = (1, -2)
            own = tuple(f"{name} = {x}" for name, x in zip(heads, own, strict=True))
        is_height = heads[0].partition("(")[0] in {*_HEIGHTS} - {*names}
        goes_on = is_open and (len(found[-1]) < len(names) or is_height)
        is_open = len(own) == 1
        if is_open and goes_on:
            found[-1] += (part,)
        else:
            found.append((part,) if is_open else own)
    return [tuple(t.split(";")) for t in _signed([";".join(own) for own in found])]


def _signed(texts: list[str]) -> list[str]:
    """The texts that some with `±` stand for."""
    while "±" in "".join(texts) and len(texts) < MOST_SIGNS:
        signs = ((t.replace("±", "+", 1), t.replace("±", "-", 1)) for t in texts)
        texts = [text for both in signs for text in dict.fromkeys(both)]
    return texts


_HEIGHTS = ("f", "y", "z")
"""What the values of a function are called."""

_WHOLE = pattern(r"[\s,;(]+(?:(?:for|where|with)\s+)?(?:(?:all|any|every|an?|each)\s+)?(?:integers?\s+[knm]|[knm]\s*(?:(?:is|an?|any|in)\s+)*∈?\s*(?:integers?|whole\s+numbers?|[Zℤ]))\s*\)?\s*\Z")  # fmt: skip
"""The words for the whole numbers in an answer: n an integer, k ∈ Z."""


MOST_SIGNS = 64
"""The most points that `±` stands for."""


def _doubles(names: Sequence[str], own: Sequence[Expression]) -> Point:
    return {name: e() for name, e in zip(names, own, strict=False)}


def _rooms(own: Sequence[Expression]) -> list[float]:
    """Return how far off each coordinate of a claimed point may be by the rounding of its decimals."""
    return [max((float(d.unit) for d in decimals(e, FEWEST)), default=0.0) for e in own]


def _nearest(at: Point, found: CriticalPoints, rooms: Sequence[float]) -> int | None:
    """The index of the point that a claimed one is, as far as it was written out, or some periods away."""

    def apart(name: str, x: float, y: float) -> float:
        turn = found.periods.get(name)
        return abs(x - y if turn is None else math.remainder(x - y, value_of(turn)))

    gaps = [max(apart(n, x, p.point[n]) for n, x in at.items()) for p in found.points]
    least = min(gaps, default=math.inf)
    room = max(1e-3, *rooms, *(1e-3 * abs(x) for x in at.values()))
    return gaps.index(least) if least <= room else None


def numbered(
    claims: Sequence[tuple[Expression, ...]], repeats: bool
) -> list[tuple[Expression, ...]]:
    """The points of pi/2 + k*pi for a few whole numbers k, where a function repeats. Raises `UsageError` for other letters."""
    found: list[tuple[Expression, ...]] = []
    for own in claims:
        free = [(name, e) for e in own for name in e.variables]
        if not free:
            found.append(own)
        elif not repeats or len(own) > 1 or not {n for n, _ in free} <= {"k", "n", "m"}:
            name, e = free[0]
            raise UsageError(f"a point is made of numbers, not of {name}", source=e.source)  # fmt: skip
        for k in (0, 1, -1, 2, 3) if free else ():
            place: dict[str, Value] = {n: Constant(float(k)) for n, _ in free}
            found.append((Expression.of(simplify(at_place(own[0].root, place))),))
    return found


def _judged(
    f: Expression, names: tuple[str, ...], own: Sequence[Expression], sharp: Sequence[Point]
) -> Verdict:  # fmt: skip
    """Return whether one point is critical; at the `sharp` ones there is no slope."""
    place = {name: e.root for name, e in zip(names, own, strict=False)}
    title = ", ".join(f"{name} = {to_text(root)}" for name, root in place.items())

    def part(status: str, evidence: str, certainty: str | None = REFUTED) -> Verdict:
        read = f, own[0], names, 1, None, None
        return Verdict(
            status, evidence, None, None, (), *read, certainty, 1, name=title
        )

    try:
        found = f.evaluate(place, names)
    except (RangeError, UndecidedError) as error:
        return part(UNDECIDED, f"at {title}: {error.message}", None)
    except ExprgradError as error:
        return part(INCORRECT, f"at {title} the function has no value: {error.message}")
    for height in own[len(names) :]:
        there = number(at_place(f.root, place))
        if not vanishes(node(SUB, (there, height.root))):
            values = f"{to_text(there)}, not {to_text(height.root)}"
            return part(INCORRECT, f"at {title} the function is {values}")
    slopes = {name: found.known(name) for name in names}
    sloping = [n for n, slope in slopes.items() if slope.is_number and slope.value != 0]
    rounded, at = False, _doubles(names, own)

    def is_rounded(zero: Point) -> bool:
        """Return whether the typed decimals are those of a point."""
        return all(
            abs(zero[n] - at[n]) <= room * (1 + 1e-9) + 1e-12 * abs(at[n])
            and all(d.may_be(Fraction(f"{zero[n]:.12g}")) for d in decimals(e, FEWEST))
            for n, room, e in zip(names, _rooms(own), own, strict=False)
        )

    if sloping and any(_rooms(own)):
        if any(map(is_rounded, sharp)):
            told = f"at {title} there is no slope to the digits you gave"
            return part(CORRECT, told, DIGITS_GIVEN)
        formulas = [derivative(f.root, name) for name in names]
        second = [[probe_of(derivative(s, name)) for name in names] for s in formulas]
        zero, _ = _newton(at, list(map(probe_of, formulas)), second)
        rounded = zero is not None and is_rounded(zero)
    if sloping and not rounded:
        name = sloping[0]
        slope = written(slopes[name], DIGITS)
        return part(INCORRECT, f"at {title} the slope in {name} is {slope}, not 0")
    missing = [name for name, slope in slopes.items() if not slope.is_number]
    told = f"there is no slope in {missing[0]}" if missing else "the slope is 0"
    told += " to the digits you gave" if rounded else ""
    exact = all(n in missing or found.known(n).status == EXACT for n in names)
    certainty = DIGITS_GIVEN if rounded else PROVED if exact else AGREES
    return part(CORRECT, f"at {title} {told}", certainty)
