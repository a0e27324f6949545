"""The kind of point that a descent ended at: a minimum, a maximum, a saddle, or nobody knows.

    found = examined(objective, [1.0, 1.0])
    found.kind, found.reason      # "local minimum", "local minimum at x = 1, y = 1: ..."

Nothing is claimed that is not shown with bounds on all rounding errors.

Let H be the Hessian, in coordinates y = (x - x0)/d with a diagonal of about 1. If its eigenvalues are above m > 0 for
all |y| <= r, and the gradient is |g| < m*r/2, then f has exactly one stationary point in that ball, a minimum, no
further than |g|/m and no lower than f(x0) - g^2/(2m). The Hessian over the ball is computed in balls of that radius.

Where the gradient is exactly 0, here or at a simple fraction nearby, the curvature at that one point
decides; in one variable also derivatives of higher order, and slopes on both sides of a kink. In one variable there
is a minimum between a and b, too, where f is continuous and lower in between than at a and b.

Besides, tests of whether a symmetric matrix whose entries are balls is positive definite.

    A = [[arb(2, 1e-9), arb(1, 1e-9)], [arb(1, 1e-9), arb(2, 1e-9)]]
    modulus(A)                    # 0.5: every matrix within the bounds has eigenvalues above that
    downhill(A)                   # a vector v with v*A*v < 0 for every such matrix, or None

If a Cholesky factorisation of A - c*I goes through in balls, all such matrices have eigenvalues above c.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Constant, node
from exprgrad.lazy import computed_once
from exprgrad.numbers.real import is_definite
from exprgrad.operations.table import ABS, MUL, POW, SUB
from exprgrad.optimize.objective import Objective
from exprgrad.sweeps.bounds import EXACT, NEAREST, UNDECIDED, UNDEFINED, Bounds
from exprgrad.sweeps.coordinates import Coordinate, Interval
from exprgrad.sweeps.ranges import ALL, Number, Range, everything, values
from exprgrad.sweeps.tape import Tape
from exprgrad.symbolic.derivative import tangent

if TYPE_CHECKING:
    from exprgrad.expressions.expression import Evaluation

Matrix = Sequence[Sequence[Any]]

SHARES = (0.5, 0.25, 0.0625, 2.0**-7, 2.0**-12, 2.0**-20, 2.0**-30)
"""Shares of the diagonal that are tried as a lower bound of the eigenvalues."""


LIFTS = (0.0, 1e-9, 1e-6, 1e-3)
"""Shares of the largest entry that are added to the diagonal to get past pivots of 0: that only hides curvature."""


def scaled(matrix: Matrix, scales: Sequence[float]) -> list[list[Any]]:
    """D*A*D for a diagonal matrix D of powers of two, which round nothing."""
    return [
        [s * x * t for t, x in zip(scales, row, strict=True)]
        for s, row in zip(scales, matrix, strict=True)
    ]


def negated(matrix: Matrix) -> list[list[Any]]:
    """-A."""
    return [[-x for x in row] for row in matrix]


def scales(matrix: Matrix) -> list[float] | None:
    """Powers of two that bring the diagonal to about 1; None where it is not positive."""
    diagonal = [float(row[i]) for i, row in enumerate(matrix)]
    if not all(0 < x < math.inf for x in diagonal):
        return None
    return [2.0 ** -round(math.log2(x) / 2) for x in diagonal]


def modulus(matrix: Matrix) -> float:
    """A positive lower bound of the eigenvalues of every matrix within the bounds; 0 if none is found."""
    least = min(float(row[i]) for i, row in enumerate(matrix))
    bounds = (share * least for share in SHARES)
    return next((b for b in bounds if b > 0 and is_definite(matrix, b)), 0.0)


def downhill(matrix: Matrix) -> list[float] | None:
    """A vector v with v*A*v < 0 for every matrix within the bounds; None if none is found."""
    middles = [[float(x) for x in row] for row in matrix]
    size = max(abs(x) for row in middles for x in row)
    for share in LIFTS:
        v = _from_pivots(middles, share * size)
        places = [i for i, x in enumerate(v) if x]
        if sum(matrix[i][j] * v[i] * v[j] for i in places for j in places) < 0:
            length = math.hypot(*v)
            return [x / length for x in v]
    return None


def _from_pivots(rows: Matrix, lift: float) -> list[float]:
    """The direction of the first negative pivot of L*D*L^T = A + lift*I: the vector v with L^T*v = e_k; empty if there is none."""
    lower: list[list[float]] = []
    pivots: list[float] = []
    for i, row in enumerate(rows):
        own: list[float] = []
        for j in range(i):
            inner = sum(
                a * d * b for a, d, b in zip(own, pivots, lower[j], strict=False)
            )
            own.append((row[j] - inner) / pivots[j])
        squares = sum(a * a * d for a, d in zip(own, pivots, strict=True))
        pivot = row[i] + lift - squares
        if pivot < 0:
            v = [0.0] * len(rows)
            v[i] = 1.0
            for j in reversed(range(i)):
                v[j] = -own[j] - sum(lower[k][j] * v[k] for k in range(j + 1, i))
            return v
        if not pivot > 0:
            return []
        lower.append([*own, 1.0])
        pivots.append(pivot)
    return []


MINIMUM = "minimum"
LOCAL_MINIMUM = "local minimum"
LOCAL_MAXIMUM = "local maximum"
SADDLE = "saddle"
INFLECTION = "inflection"
NO_MINIMUM = "no minimum"
NOT_ATTAINED = "infimum not attained"
STATIONARY = "stationary"

KINDS = {
    MINIMUM: "no value is lower, as is proved",
    LOCAL_MINIMUM: "no value nearby is lower, at a point within the distance that is stated",
    LOCAL_MAXIMUM: "no value nearby is higher",
    SADDLE: "the gradient is 0, and values nearby are lower and higher",
    INFLECTION: "the derivative is 0, and values are lower on one side and higher on the other",
    NO_MINIMUM: "there is no minimum nearby, since the curvature is negative in some direction",
    NOT_ATTAINED: "the value falls for as long as a variable goes on in its direction",
    STATIONARY: "the gradient is within the tolerance; what kind of point it is was not decided",
}
"""Every kind of end, and what it says."""

NOT_MINIMA = (LOCAL_MAXIMUM, SADDLE, INFLECTION, NO_MINIMUM, NOT_ATTAINED)
"""The kinds of ends that surely are no minima."""

MOST_VARIABLES = 200
"""No Hessian is computed of more."""

MOST_WORK = 40_000
"""Steps of all formulas of partial derivatives: a second or two for a Hessian."""

VICINITY = 2.0**-20
"""The distance up to which kinks are looked for, relative to the size of the coordinate, or to 1."""

HIGHEST_ORDER = 8
"""Derivatives that are looked at where lower ones are 0."""

NEARBY = 1e-2
"""The greatest distance of a simple fraction, relative to the size of the coordinate, or to 1."""

WIDTHS = (2.0**-30, 2.0**-24, 2.0**-18, 2.0**-12, 2.0**-7)
"""Half widths of intervals that are searched for a minimum, relative to the size of the coordinate, or to 1."""


class Verdict(NamedTuple):
    """The kind of point, one of `KINDS`, and the sentence that says why.

    `at` is the place of it, and `least` the value there, where they are known; else it is within `distance` of the point
    examined, and the value there is lower by at most `drop`.
    """

    kind: str
    reason: str
    at: dict[str, float] | None = None
    distance: float = math.inf
    drop: float = math.inf
    least: float | None = None

    @property
    def is_minimum(self) -> bool:
        """Return whether a minimum is shown."""
        return self.kind in (MINIMUM, LOCAL_MINIMUM)


UNDECIDED_KIND = Verdict(
    STATIONARY, "stationary within tolerance; curvature not decided"
)
NOT_EXAMINED = Verdict(
    STATIONARY, "stationary within tolerance; curvature not examined"
)


class Surroundings:
    """An expression near a point, in balls."""

    def __init__(
        self, objective: Objective, expression: Expression | None = None
    ) -> None:
        self.expression = expression or objective.expression
        self.bounds = self.expression.bounds
        self.names, self.fixed = objective.names, objective.given
        self.limits = objective.limits
        self._known: dict[Any, Evaluation | None] = {}

    def place(
        self, point: Sequence[Any], radii: Sequence[float] | None = None
    ) -> dict[str, Coordinate]:
        """A point, or the box around it."""
        own = [Coordinate.of(x) for x in point]
        if radii is not None:
            own = [
                Interval(x.double or 0.0, r) if r else x
                for x, r in zip(own, radii, strict=True)
            ]
        return {**self.fixed, **dict(zip(self.names, own, strict=True))}

    def known(self, point: Sequence[Any], names: Sequence[str]) -> Evaluation | None:
        """The value and partials at a point; None where there are none, or they are beyond the range of doubles."""
        key = (tuple(point), tuple(names))
        if key not in self._known:
            place = self.place(point)
            try:
                found = self.expression.evaluate(place, names)
                zeros = (n for n, x in found.gradient.items() if x == 0)
                if any(map(found.errors.get, zeros)):
                    # what is 0 to the cheap test may be exactly 0
                    found = self.expression.evaluate(place, names, digits=NEAREST)
                self._known[key] = found if found.value is not None else None
            except ExprgradError:
                self._known[key] = None
        return self._known[key]

    def side(self, name: str, point: Sequence[Any]) -> int:
        """Return on which side of a point a variable may vary: 1 at its least value, -1 at its greatest, 0 on both sides."""
        i = self.names.index(name)
        low, high = self.limits.lower[i], self.limits.upper[i]
        return bool(point[i] <= low) - bool(point[i] >= high)

    def held(self) -> dict[str, Range]:
        """Return what is fixed, as ranges."""
        found = {}
        for name, x in self.fixed.items():
            if x.ratio:
                found[name] = Range.of(Fraction(*x.ratio))
            elif x.error == math.inf or x.double is None:
                # the double of exp(-1000) is 0, and says no more of it
                found[name] = everything()
            else:
                middle = Fraction(x.double)
                radius = abs(middle) * Fraction(x.error) / 2**53
                found[name] = Range(middle - radius, middle + radius)
        return found

    def equals(self, point: Sequence[Any], number: Any) -> bool:
        """Return whether the value at a point surely is that number."""
        difference = Expression.of(node(SUB, (self.expression.root, Constant(number))))
        place = self.place(point)
        try:
            found = difference.evaluate(
                {n: place[n] for n in difference.variables}, (), digits=NEAREST
            )
        except ExprgradError:
            return False
        return found.value == 0 and found.error == 0

    def sign(self, point: Sequence[Any]) -> int:
        """The sign of the value at a point; 0 where it is not known."""
        found = self.known(point, ())
        if found is None or abs(found.value) <= found.error:
            return 0
        return 1 if found.value > 0 else -1

    def has_slope(
        self, name: str, point: Sequence[float], along: Range, sign: int
    ) -> bool:
        """Return whether a partial has this sign, and the rules hold, wherever its variable is in a range."""
        given = {**self.held(), **{n: Range.of(x) for n, x in zip(self.names, point, strict=True)}}  # fmt: skip
        given[name] = along
        tapes = self._slopes
        # the formula of a derivative goes on where there is no value: that of ln(x), 1/x, to the left of 0
        if tapes is None or values(self.bounds.tape, given, ALL) is None:
            return False
        found = values(tapes[name], given, ALL)
        return found is not None and (
            (found if sign > 0 else -found).low >= 0 and 0 not in found
        )

    def is_smooth(self, point: Sequence[Any]) -> bool:
        """Return whether the rules hold all around a point: no kink, and no end of a domain, is near."""
        if self.expression.slopes:
            return False
        radii = [VICINITY * max(1.0, abs(x)) for x in point]
        return self.gradient(self.place(point, radii)) is not None

    def gradient(self, box: Mapping[str, Coordinate]) -> list[Any] | None:
        """The partials over a box as balls; None where the rules do not give them all."""
        found = self.bounds.over(box, self.names).partials
        balls = [found[name] for name in self.names]
        return None if any(isinstance(b, Exception) for b in balls) else balls

    def is_continuous(self, box: Mapping[str, Coordinate]) -> bool:
        """Return whether the expression surely is continuous over a box: no jump, and no end of a domain, lies in it."""
        return not isinstance(self.bounds.over(box, ()).value, Exception)

    def hessian(
        self, box: Mapping[str, Coordinate], names: Sequence[str]
    ) -> Matrix | None:
        """The Hessian over a box, in balls; None where the second derivatives may not exist somewhere.

        Its rows are the gradients of the partial derivatives as formulas, which are short where variables meet few
        others. Formulas may hold in more places than the rules, so these are asked first.
        """
        tapes = self._slopes
        if tapes is None or self.gradient(box) is None:
            return None
        rows = []
        for name in names:
            found = Bounds(tapes[name]).over(box, names).partials
            row = [found[other] for other in names]
            if any(isinstance(ball, Exception) for ball in row):
                return None
            rows.append([ball.arb for ball in row])
        return rows

    @computed_once
    def _slopes(self) -> dict[str, Tape] | None:
        """The partial derivatives as formulas, on tapes; None where these are too long."""
        tape, found, work = self.bounds.tape, {}, 0
        leaves = [tape.nodes[i] for i in tape.variables.values()]
        try:
            for name in self.names:
                found[name] = Tape(tangent(self.expression.root, name), leaves)
                work += len(found[name].steps)
                if work > MOST_WORK:
                    return None
        except ExprgradError:
            return None
        return found

    @property
    def is_examined(self) -> bool:
        """Return whether second derivatives can be had with little work."""
        return len(self.names) <= MOST_VARIABLES and self._slopes is not None


def examined(objective: Objective, entries: Sequence[float]) -> Verdict:
    """Return what kind of point it is at which the gradient vanishes, or nearly."""
    if not objective.has_curvature or objective.expression.slopes:
        return NOT_EXAMINED
    near = Surroundings(objective)
    lowest = _lowest(objective, near, entries)
    if lowest is not None and lowest.is_minimum:
        return lowest
    if not near.is_examined:
        return NOT_EXAMINED
    other: Verdict | None = None
    for i, point in enumerate(_simple_points(near, entries)):
        found = _at_exact_point(near, point)
        # of the point itself anything is an answer, of a fraction nearby only a minimum
        if found is not None and (found.is_minimum or not i):
            return found
        other = other or found
    for way in (_around, _between):
        found = way(near, entries)
        if found is not None and found.is_minimum:
            return found
        other = other or found
    found = other or falling(objective, entries) or _constant(near, entries)
    return found or lowest or UNDECIDED_KIND


# Over all numbers


def _lowest(
    objective: Objective, near: Surroundings, entries: Sequence[float]
) -> Verdict | None:
    """A minimum that is proved: the value at a simple point nearby is the least that there can be."""
    everywhere = {
        name: Range(low, high)
        for name, low, high in zip(near.names, *near.limits, strict=True)
    }
    found = values(near.bounds.tape, {**near.held(), **everywhere})
    here = near.known(entries, ())
    if found is None or here is None or math.isinf(found.low):
        return None
    least = float(found.low)
    bounded = f"no value is less than {least:.10g}"
    if abs(here.value - least) > NEARBY * max(1.0, abs(least)):
        return None
    for point in _simple_points(near, entries):
        # no value of exp(x) is less than 0, and none is 0
        if found.closed[0] and _inside(near, point, closed=True) and near.equals(point, found.low):  # fmt: skip
            place = {n: float(x) for n, x in zip(near.names, point, strict=True)}
            why = f"minimum at {_where(near, point)}: {bounded}"
            return Verdict(MINIMUM, why, place, 0.0, 0.0, least)
    undecided = UNDECIDED_KIND._replace(reason=f"{UNDECIDED_KIND.reason}; {bounded}")
    return _root_nearby(objective, near, entries, found.low) or undecided


def _root_nearby(
    objective: Objective, near: Surroundings, entries: Sequence[float], least: Number
) -> Verdict | None:
    """The minimum 0 of a square or an absolute value, where what is in it changes its sign nearby."""
    tape = near.bounds.tape
    last = tape.steps[-1] if tape.steps else None
    if last is None or last.node != tape.root or least != 0:
        return None
    inner = tape.nodes[last.operands[0]]
    square = len(last.operands) == 2 and last.operands[0] == last.operands[1]
    power = tape.nodes[last.operands[1]] if last.operation is POW else None
    ratio = power.ratio if isinstance(power, Constant) else None
    even = ratio is not None and Fraction(*ratio) in (2, 4, 6)
    if not (even or last.operation is ABS or (square and last.operation is MUL)):
        return None
    part = Surroundings(objective, Expression.of(inner, near.names))
    found = part.known(entries, near.names)
    if found is None or None in found.gradient.values():
        return None
    slope = [found.gradient[n] or 0.0 for n in near.names]
    size = sum(g * g for g in slope)
    if not 0 < size < math.inf:
        return None
    # twice Newton's step along the gradient to either side: if it is nearly linear, it changes its sign within
    length = 2 * (abs(found.value) + found.error) / size
    length = max(length, 2.0**-40 * max(1.0, *map(abs, entries)) / math.sqrt(size))
    ends = [[x + t * g for x, g in zip(entries, slope, strict=True)] for t in (-length, length)]  # fmt: skip
    signs = [part.sign(end) for end in ends]
    radii = [abs(length * g) * (1 + 1e-9) + 1e-15 * abs(x) for x, g in zip(entries, slope, strict=True)]  # fmt: skip
    closed = all(_inside(near, end, closed=True) for end in ends)
    if sorted(signs) != [-1, 1] or not closed or not part.is_continuous(part.place(entries, radii)):  # fmt: skip
        return None
    within = above(length * math.sqrt(size))
    what = "an absolute value" if last.operation is ABS else "an even power"
    why = f"minimum 0, within {within} of this point: {what} of what changes its sign there"
    return Verdict(MINIMUM, why, None, length * math.sqrt(size), math.inf, 0.0)


def _constant(near: Surroundings, entries: Sequence[float]) -> Verdict | None:
    """Return that the expression is a constant, if a simple fraction is proved to be its value."""
    from exprgrad.proof.elementary import vanishes

    here = near.known(entries, ())
    if here is None:
        return None
    # a guess, which only a proof makes true
    number = Fraction(here.value).limit_denominator(1000)
    if abs(Fraction(here.value) - number) > here.error + 1e-15 * abs(here.value):
        return None
    if not vanishes(node(SUB, (near.expression.root, Constant(number)))):
        return None
    why = f"minimum: the value is {number} wherever there is one"
    return Verdict(MINIMUM, why, None, 0.0, 0.0, float(number))


def falling(objective: Objective, entries: Sequence[float]) -> Verdict | None:
    """Return that the value falls for as long as one variable goes on, so that no minimum is reached that way."""
    if not objective.has_curvature or objective.expression.slopes:
        return None
    near = Surroundings(objective)
    found = near.known(entries, near.names)
    if found is None or not near.is_examined:
        return None
    for name, x, low, high in zip(near.names, entries, *near.limits, strict=True):
        slope = found.gradient[name]
        if not slope or math.isfinite(low if slope > 0 else high):
            continue
        half = Range(-math.inf, x) if slope > 0 else Range(x, math.inf)
        if near.has_slope(name, entries, half, 1 if slope > 0 else -1):
            way, of = ("falls", "below") if slope > 0 else ("grows", "above")
            start = f"for every {name} {of} {x:.4g}"
            why = f"no minimum this way: the value falls for as long as {name} {way}; the derivative is {'positive' if slope > 0 else 'negative'} {start}"  # fmt: skip
            return Verdict(NOT_ATTAINED, why)
    return None


# Where the gradient is exactly 0


def _simple_points(near: Surroundings, entries: Sequence[float]) -> Iterator[list[Any]]:
    """The point itself, and simple fractions near it, where the gradient is exactly 0, or a kink in one variable."""
    exact = [Fraction(x) for x in entries]
    rounded = [[Fraction(f"{x:.{n}e}") for x in entries] for n in (0, 2, 5)]
    simple = [[x.limit_denominator(most) for x in exact] for most in (1, 12, 1000)]
    seen: list[list[Any]] = []
    for point in (exact, *simple, *rounded):
        close = all(
            abs(x - y) <= NEARBY * max(1.0, abs(float(y)))
            for x, y in zip(point, exact, strict=True)
        )
        if close and point not in seen:
            seen.append(point)
            yield point


def _at_exact_point(near: Surroundings, point: Sequence[Any]) -> Verdict | None:
    """The verdict where the gradient is exactly 0, less what presses against a bound; None elsewhere."""
    if not _inside(near, point, closed=True):
        return None
    found = near.known(point, near.names)
    if found is None:
        return None
    if found.corners:  # of one variable: the slopes on both sides
        corner, inside = found.corners[0], _inside(near, point, closed=False)
        left, right = corner.left or 0.0, corner.right or 0.0
        turns = inside and (left < 0 < right or right < 0 < left)
        if len(near.names) > 1 or corner.kind != "corner" or not turns:
            return None
        kind = LOCAL_MINIMUM if left < 0 else LOCAL_MAXIMUM
        slopes = f"the slope is {left:.4g} to the left of it and {right:.4g} to the right"  # fmt: skip
        why = f"{kind} at {_where(near, point)}, a kink: {slopes}"
        return Verdict(kind, why, {near.names[0]: float(point[0])}, 0.0, 0.0, found.value)  # fmt: skip
    free = _free(near, point, found)
    # a 0 that has an error may be anything as small
    if any(found.gradient[name] or found.errors.get(name, 1) for name in free):
        return None
    held = [name for name in near.names if name not in free]
    where = _where(near, point)
    place = {n: float(x) for n, x in zip(near.names, point, strict=True)}
    least = found.value
    if not free:
        why = f"local minimum at {where}: every variable is pressed against its bound"
        return Verdict(LOCAL_MINIMUM, why, place, 0.0, 0.0, least)
    kind, why = _by_curvature(near, point, free, bool(held))
    if not kind and len(free) == 1:
        kind, why = _by_orders(near, point, free[0])
    if not kind:
        return None
    if held and kind != LOCAL_MINIMUM:
        kind = NO_MINIMUM if kind in (SADDLE, LOCAL_MAXIMUM, INFLECTION) else kind
    exact = None if kind == NO_MINIMUM else place
    return Verdict(kind, f"{kind} at {where}: {why}", exact, 0.0, 0.0, least)


def _inside(near: Surroundings, point: Sequence[Any], closed: bool) -> bool:
    return all(
        low <= x <= high if closed else low < x < high
        for x, low, high in zip(point, *near.limits, strict=True)
    )


def _free(near: Surroundings, point: Sequence[Any], found: Evaluation) -> list[str]:
    """The variables that no slope surely presses against a bound."""
    free = []
    for name, x, low, high in zip(near.names, point, *near.limits, strict=True):
        slope, error = found.gradient[name], found.errors.get(name, math.inf)
        held = slope is not None and (
            (x == low and slope - error > 0) or (x == high and slope + error < 0)
        )
        if not held:
            free.append(name)
    return free


def _where(near: Surroundings, point: Sequence[Any]) -> str:
    """A point in words, with at most four of its coordinates."""
    simple = [str(x) if x.denominator < 10_000 else f"{float(x):.10g}" for x in point]
    shown = [f"{n} = {x}" for n, x in zip(near.names, simple, strict=True)]
    return ", ".join(shown if len(shown) <= 4 else [*shown[:3], "..."])


def _by_curvature(
    near: Surroundings, point: Sequence[Any], free: Sequence[str], held: bool
) -> tuple[str, str]:
    """The kind and the reason from the Hessian at a point where the gradient is 0."""
    matrix = near.hessian(near.place(point), free)
    if matrix is None:
        return "", ""
    rest = "; the others press against their bounds" if held else ""
    for kind, own, sign, more in (
        (LOCAL_MINIMUM, matrix, "positive", rest),
        (LOCAL_MAXIMUM, negated(matrix), "negative", ""),
    ):
        size, what = scales(own), _curvature(len(free), sign)
        if size is not None and modulus(scaled(own, size)):
            return kind, f"the gradient is 0 and the {what}{more}"
    sides = [near.side(name, point) for name in free]
    if _falls(matrix, sides):
        if _falls(negated(matrix), sides):
            return SADDLE, "the gradient is 0 and the curvature has both signs"
        return NO_MINIMUM, "the curvature is negative in some direction"
    return "", ""


def _falls(matrix: Matrix, sides: Sequence[int]) -> bool:
    """Return whether the curvature is negative in a direction that one may take from a point on these `sides` of bounds.

    That of x^2 - 4*x*y + y^2 is along x = y, and leads out of x >= 0 >= y both ways: 0 is a minimum there.
    """
    v = downhill(matrix)
    inward = [x * side for x, side in zip(v or (), sides, strict=False) if side]
    return v is not None and (min(inward, default=0) >= 0 or max(inward) <= 0)


def _curvature(variables: int, sign: str) -> str:
    """Say that the curvature has one sign."""
    several = variables > 1
    return f"Hessian is {sign} definite" if several else f"second derivative is {sign}"


def _by_orders(near: Surroundings, point: Sequence[Any], name: str) -> tuple[str, str]:
    """The kind and the reason from the first derivative that is not 0, in one variable."""
    known = near.bounds.derivatives(near.place(point), name, HIGHEST_ORDER)
    for order, number in enumerate(known[1:], 1):
        if number.status in (UNDECIDED, UNDEFINED) or number.value is None:
            break
        if abs(number.value) > number.error:
            end = {1: "st", 2: "nd", 3: "rd"}.get(order, "th")
            what = f"the first derivative there that is not 0 is the {order}{end}"
            side = near.side(name, point)
            if order % 2 and not side:
                return INFLECTION, what
            # x^3 - x^4 between 0 and 1/2 has a minimum at 0
            rises = (number.value > 0) == (side >= 0 or order % 2 == 0)
            kind = LOCAL_MINIMUM if rises else LOCAL_MAXIMUM
            what += f", and {'positive' if number.value > 0 else 'negative'}"
            return kind, f"{what}; {name} is at its bound" if side else what
        if number.status != EXACT:
            break
    return "", ""


# Where the gradient is nearly 0


def _around(near: Surroundings, entries: Sequence[float]) -> Verdict | None:
    """A minimum close to the point, or that there is none, from the Hessian in balls."""
    found = near.known(entries, near.names)
    if found is None or found.corners or None in found.gradient.values():
        return None
    free = _free(near, entries, found)
    held = [name for name in near.names if name not in free]
    slopes = [abs(found.gradient[n] or 0.0) + found.errors[n] for n in free]
    matrix = near.hessian(near.place(entries), free)
    if matrix is None:
        return None
    own = scales(matrix)
    least = 0.0 if own is None else modulus(scaled(matrix, own))
    if own is None or not least:  # some curvature may be negative all around
        if len(free) == 1 and not held:
            maximum = _between(near, entries)
            if maximum is not None:
                return maximum
        # as far as the descent may be from a valley: x^2*y has minima at x = 0, beside which its Hessian is indefinite
        radii = [0.0 if n in held else 2.0**-26 * max(abs(x), 1.0) for n, x in zip(near.names, entries, strict=True)]  # fmt: skip
        matrix = near.hessian(near.place(entries, radii), free)
        inside = _inside(near, entries, closed=False)
        if matrix is None or downhill(matrix) is None or not inside:
            return None
        why = "no minimum here: the curvature is negative in some direction"
        return Verdict(NO_MINIMUM, why)
    steep = math.hypot(*(g * d for g, d in zip(slopes, own, strict=True))) * (1 + 1e-12)
    verdicts = (_in_ball(near, entries, free, own, steep, least / n) for n in (2, 8))
    return next(filter(None, verdicts), None)


def _in_ball(
    near: Surroundings, entries: Sequence[float], free: Sequence[str],
    own: Sequence[float], steep: float, bound: float,
) -> Verdict | None:  # fmt: skip
    """A minimum within a ball around the point, if the eigenvalues stay above `bound` in it."""
    radius = 4 * steep / bound
    by_name = dict(zip(free, own, strict=True))
    radii = [radius * by_name.get(n, 0.0) * (1 + 1e-12) for n in near.names]
    for x, r, low, high in zip(entries, radii, *near.limits, strict=True):
        if r and not (low < x - r and x + r < high):
            return None
    box = near.place(entries, radii)
    matrix = near.hessian(box, free)
    if matrix is None or not modulus(scaled(matrix, own)) >= bound:
        return None
    held = len(free) < len(near.names)
    slopes = near.gradient(box) if held else []
    if slopes is None:
        return None
    # without any that is held there are no slopes to look at
    for name, x, g, low, high in zip(near.names, entries, slopes, *near.limits, strict=False):  # fmt: skip
        # what is not free has to stay pressed against its bound all over the box
        if not (name in free or (x == low and g.arb > 0) or (x == high and g.arb < 0)):
            return None
    distance = max(own) * steep / bound
    drop = steep * steep / bound
    within = f"within {above(distance)} of this point" if distance else "at this point"
    what = _curvature(len(free), "positive")
    rest = "; the other variables press against their bounds" if held else ""
    why = f"a local minimum lies {within}: the {what} all around{rest}"
    return Verdict(LOCAL_MINIMUM, why, None, distance, drop)


def above(number: float) -> str:
    """A positive number with two digits, rounded up."""
    number = max(number, 1e-300)
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return f"{math.ceil(number / unit * (1 + 1e-9)) * unit:.2g}"


def _between(near: Surroundings, entries: Sequence[float]) -> Verdict | None:
    """A minimum or maximum of one variable, between two points where the value is higher, or lower."""
    if len(near.names) > 1:
        return None
    x = entries[0]
    middle = near.known([x], ())
    if middle is None or not _inside(near, entries, closed=False):
        return None
    for width in WIDTHS:
        radius = width * max(abs(x), 1.0)
        low, high = x - radius, x + radius
        if not all(_inside(near, [end], closed=True) for end in (low, high)):
            break
        ends = [near.known([end], ()) for end in (low, high)]
        if not near.is_continuous(near.place(entries, [radius * (1 + 1e-12)])):
            break
        for kind, sign in ((LOCAL_MINIMUM, 1), (LOCAL_MAXIMUM, -1)):
            # this difference is rounded itself
            if all(e and sign * (e.value - middle.value) > e.error + middle.error + 1e-15 * abs(middle.value) for e in ends):  # fmt: skip
                other = "higher" if sign > 0 else "lower"
                name = near.names[0]
                why = f"{kind} between {name} = {low:.10g} and {high:.10g}, where the values are {other} than here"
                return Verdict(kind, why, None, radius)
    return None
