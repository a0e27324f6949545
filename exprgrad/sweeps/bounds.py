"""The value and the partials at a point, each with a bound on its error.

    at = {"x": Coordinate.of(1e-8)}
    found = Bounds(tape).answer(at)              # of (1 - cos(x))/x^2
    found.value                                  # Known(value=0.5, error=5.6e-17, status="bounded", ...)
    found.partials["x"]                          # -8.333333333333333e-10 ± 5e-26
    found.level                                  # 128: the bits that it took

A sweep on doubles with the cheap test of `rounding` comes first, then balls of 64, 128, 256, ... and 3400 bits,
until the digits asked for stand. What is not told from 0 then is below
10^-1000, and 0 as far as one can see (`ZERO`), unless it is proved; or a branch or a corner hangs on it
(`UNDECIDED`). Work is counted in operations times their cost, so that every machine gives the same answer.

A partial is given where the local rules hold. Where one does not, at a corner or an edge, the status is
`CORNER`, and `culprits` names the step: germs decide there whether the partial exists. That goes for every
step that the result and an active variable depend on, whatever its adjoint: 0*x^x has no partial at -1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import STAGES, leave_out, share, spend
from exprgrad.graph.value import Value
from exprgrad.operations.number_types import Step, Undecided, Undefined
from exprgrad.sweeps.coordinates import Coordinate, Meant, constant_error
from exprgrad.sweeps.corners import BOUNDED as BOUNDED
from exprgrad.sweeps.corners import CORNER as CORNER
from exprgrad.sweeps.corners import DIGITS as DIGITS
from exprgrad.sweeps.corners import EXACT as EXACT
from exprgrad.sweeps.corners import MOST_DIGITS as MOST_DIGITS
from exprgrad.sweeps.corners import NEAREST as NEAREST
from exprgrad.sweeps.corners import UNDECIDED as UNDECIDED
from exprgrad.sweeps.corners import UNDEFINED as UNDEFINED
from exprgrad.sweeps.corners import ZERO as ZERO
from exprgrad.sweeps.corners import Corner
from exprgrad.sweeps.corners import Known as Known
from exprgrad.sweeps.rounding import Checked, Rounding
from exprgrad.sweeps.tape import Primals, Tape

# the last of them has the 1000 digits that can be asked for, and a few to spare
LEVELS = (64, 128, 256, 800, 1700, 3400)
"""The bits of each level."""

FEW_DIGITS = 200
"""More digits may take more work, in proportion."""

CLOSELY = 256
"""The bits from which it is asked why a sweep leaves something open."""

MOST_WORK = STAGES["sweeps with more digits"]
"""Operations of one answer, each times its cost and that of its bits: a second or two at most."""

MOST_PRODUCTS = 300_000
"""Products of coefficients that derivatives of higher order may take: a second or two."""

LOOSE = 1e-9
"""A number without a right digit says nothing where its bound is more than this part of those of lower order."""

MOST_TANGENTS = 1_000_000
"""Tangents that a Hessian may be made of, at most a second or two."""

Proof = Callable[[Value], bool]
"""Says of the root of a graph without variables whether it is proved to be 0."""


class Answer(NamedTuple):
    """The answer at a point: what is known of the value, and of each partial by name.

    `level` is 0 for a sweep on doubles, else the bits of the balls. `culprits` has the step that is to
    blame for what is undefined, undecided or at a corner: of a partial by its name, of the value by "".
    `primals` and `adjoints` are those of sweeps in double precision, for people to look at; they are empty where these
    do not come through. `cornered` are the names where no rule holds; `corners` says why there is no partial, or on one
    side only: see `answer`.
    """

    value: Known
    partials: dict[str, Known]
    level: int
    culprits: Mapping[str, Step] = {}
    primals: Primals = ()
    adjoints: Sequence[float] = ()
    corners: tuple[Corner, ...] = ()
    cornered: tuple[str, ...] = ()

    @property
    def culprit(self) -> Step | None:
        """The step that has no value, if the whole has none."""
        return self.culprits.get("")


class Bounds:
    """A tape, prepared for answers at many points, for one thread at a time."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._rounding: tuple[Any, Rounding | None] = (None, None)
        self._program: Any = None
        self._last: Any = None  # where a sweep on doubles was not enough
        self._work = sum(step.operation.cost for step in tape.steps) + len(tape.nodes)

    def answer(
        self,
        at: Meant,
        wrt: Sequence[str] | None = None,
        digits: int = DIGITS,
        zero: Proof | None = None,
    ) -> Answer:
        """Value and partials at a point, good for so many digits where that can be had.

        `at` has a coordinate for every variable of the tape; `wrt` names those to differentiate with
        respect to (all of them). With 17 digits the values are the nearest doubles; with more, `decimal`
        has them. `zero` is asked where a number cannot be told from 0.
        """
        names = list(self.tape.variables if wrt is None else wrt)
        enough = 0.5 * 10.0**-digits
        found = self.by_floats(at, names, enough) if digits < NEAREST else None
        return found or self.by_balls(at, names, digits, zero)

    def by_floats(
        self, at: Meant, names: Sequence[str], enough: float
    ) -> Answer | None:
        """The answer of a sweep on doubles, if its relative errors are surely no greater than `enough`."""
        point = {name: at[name].double for name in self.tape.variables}
        # doubles do not reach that far
        if None in point.values():
            return None
        errors = [at[name].error for name in self.tape.variables]
        found = self.checked(point, errors, names, enough)  # type: ignore[arg-type] # no None among them
        if found is None:
            return None
        partials = {}
        for name, error in found.errors.items():
            partial = found.adjoints[self.tape.variables[name]] + 0.0
            partials[name] = Known(partial, error, BOUNDED if error else EXACT)
        value = found.values[self.tape.root] + 0.0
        known = Known(value, found.error, BOUNDED if found.error else EXACT)
        return Answer(known, partials, 0, {}, found.values, found.adjoints)

    def checked(
        self,
        point: dict[str, float],
        errors: Sequence[float],
        names: Sequence[str],
        enough: float,
    ) -> Checked | None:
        """A sweep on doubles, if its relative errors are surely no greater than `enough`.

        `errors` are those of the variables, in the tape's order, in units of 2^-53.
        """
        key = point, list(names), list(errors), enough
        if self._last == key:
            return None  # it was not enough a moment ago
        found = self.rounding(errors, names).sweep(point, enough)
        self._last = key if found is None else None
        return found

    def rounding(self, errors: Sequence[float], names: Sequence[str]) -> Rounding:
        """The cheap test for coordinates with these errors, in the tape's order; kept for the next time.

        It stands beside a sweep on doubles of one's own: see `Rounding.check`.
        """
        key, known = self._rounding
        if known is None or key != (errors, names):
            nodes = self.tape.nodes
            constants = [constant_error(nodes[i]) for i, _ in self.tape.constants]
            known = Rounding(self.tape, [*errors, *constants], tuple(names))
            self._rounding = (list(errors), list(names)), known
        return known

    def by_balls(
        self,
        at: Meant,
        names: Sequence[str],
        digits: int = DIGITS,
        zero: Proof | None = None,
    ) -> Answer:
        """The answer of sweeps in balls of more and more bits."""
        sweep = self._sweeps(at, names, zero)
        most = MOST_WORK * max(1, digits / FEW_DIGITS)
        swept: Any = None

        def compute(numbers: Any, bits: int) -> Computed:
            nonlocal swept
            swept = sweep(numbers, bits)
            return [swept.value, *swept.partials.values()], self._work

        (value, *others), bits = _climb(compute, digits, self._work, most)
        named = zip(swept.partials, others, strict=True)
        partials = {name: _with_corner(value, known) for name, known in named}
        return Answer(value, partials, bits, swept.culprits)

    def _sweeps(
        self, at: Meant, names: Sequence[str], zero: Proof | None
    ) -> Callable[[Any, int], Any]:
        """Sweeps of so many bits, which look closely from `CLOSELY` bits on where something is open."""
        from exprgrad.sweeps.balls import sweep as balls

        program, proofs, closely = self._programmed(names), None, False

        def sweep(numbers: Any, bits: int) -> Any:
            nonlocal proofs, closely
            swept = None if closely else program.run(numbers, at)
            if swept is None and bits < CLOSELY and not closely:
                open_ = Undecided()
                return balls.Swept(open_, dict.fromkeys(names, open_), {})
            if swept is None or (bits >= CLOSELY and not closely and _is_open(swept)):
                closely = True
                swept = balls.sweep(self.tape, numbers, at, names, proofs)
            # no more bits would tell sin(x)^2 + cos(x)^2 from 1: a proof may
            if zero is not None and proofs is None and bits >= CLOSELY and _is_open(swept):  # fmt: skip
                proofs = balls.Proofs(self.tape, at, zero)
                swept = balls.sweep(self.tape, numbers, at, names, proofs)
            return swept

        return sweep

    def over(self, box: Meant, names: Sequence[str]) -> Any:
        """Value and partials over a box, each a ball or the fault in its place: see `balls.sweep.Swept`."""
        from exprgrad.numbers.arb import precise
        from exprgrad.sweeps.balls.sweep import sweep

        with precise(LEVELS[0]) as numbers:
            found = self._programmed(names).run(numbers, box)
            return found or sweep(self.tape, numbers, box, names)

    def _programmed(self, names: Sequence[str]) -> Any:
        """The sweeps in balls to these variables; kept for the next time."""
        from exprgrad.sweeps.balls.sweep import Program

        if self._program is None or self._program.names != tuple(names):
            self._program = Program(self.tape, names)
        return self._program

    def derivatives(
        self, at: Meant, name: str, order: int, digits: int = DIGITS
    ) -> list[Known]:
        """The derivatives of orders 0 ... `order` in one variable, by power series.

        Those of a polynomial beyond its degree are 0, and cost nothing. Raises `TooMuch` where the order is
        too high for the work that is allowed, with one that is not.
        """
        from exprgrad.sweeps.balls.series import TooMuch

        try:
            return self._derivatives(at, name, order, digits, MOST_PRODUCTS)
        except TooMuch as much:
            most = much.most
        while most > 1:
            try:  # on doubles: more bits only add to the digits
                self._derivatives(at, name, most, digits, 0)
                break
            except TooMuch as again:
                most = min(again.most, most - 1)
        raise TooMuch(most)

    def _derivatives(
        self, at: Meant, name: str, order: int, digits: int, most: int
    ) -> list[Known]:
        """The same, with more bits than doubles have for up to `most` products; what is raised says which order was reached."""
        from exprgrad.sweeps.balls.series import PowerSeries, TooMuch, taylor
        from exprgrad.sweeps.balls.sweep import sweep

        def compute(numbers: Any, bits: int) -> Computed:
            kind = PowerSeries(numbers, MOST_PRODUCTS)
            found = taylor(self.tape, kind, at, {name: Coordinate.of(1)}, order)
            if isinstance(found[0], Exception):  # there may be a value at a corner
                found[0] = sweep(self.tape, numbers, at, ()).value
            return found, MOST_PRODUCTS - kind.left + self._work

        (value, *others), _ = _climb(compute, digits, self._work, most)
        found = [value, *(_with_corner(value, known) for known in others)]
        size = abs(value.value or 0.0)
        for k, own in enumerate(found):
            bare = own.value is not None and not own.sure
            if bare and own.error > LOOSE * size and k > 1:
                raise TooMuch(k - 1)  # more bits would tell it, and are not allowed
            size = max(size, abs(own.value or 0.0))
        return found + [Known(0.0, 0.0, EXACT)] * (order + 1 - len(found))

    def along(
        self, at: Meant, seed: Meant, digits: int = DIGITS
    ) -> tuple[Known, Known]:
        """The value, and the derivative along a direction, from one sweep of power series."""
        from exprgrad.sweeps.balls.series import PowerSeries, taylor

        def compute(numbers: Any, bits: int) -> Computed:
            return taylor(self.tape, PowerSeries(numbers), at, seed, 1), self._work * 2

        (value, *slopes), _ = _climb(compute, digits, self._work * 2, MOST_WORK)
        # what stands at a corner has no series, though there is a value
        return value, _cornered(slopes[0] if slopes else Known(0.0, 0.0, EXACT))

    def hessian(
        self, at: Meant, names: Sequence[str], digits: int = DIGITS
    ) -> dict[str, dict[str, Known]]:
        """The second partial derivatives by names: one pair of sweeps, forward over reverse.

        Raises `TooMuch` where that is more work than is allowed.
        """
        from exprgrad.sweeps.balls import tangents

        # where the rules hold, second derivatives are continuous, and the order does not matter (Schwarz)
        pairs = [(a, b) for i, a in enumerate(names) for b in names[: i + 1]]
        columns = {name: j for j, name in enumerate(names)}

        def compute(numbers: Any, bits: int) -> Computed:
            kind = tangents.Duals(numbers, MOST_TANGENTS)
            # a direction for each variable, so that the tangents of an adjoint are its row of the Hessian
            seeds = {name: {j: numbers.number(1)} for name, j in columns.items()}
            found = tangents.second_partials(self.tape, kind, at, seeds, names)
            entries = [tangents.entry(found[a], found[b], columns[b]) for a, b in pairs]
            return entries, MOST_TANGENTS - kind.left + self._work

        found, _ = _climb(compute, digits, self._work, MOST_TANGENTS)
        known = dict(zip(pairs, map(_cornered, found), strict=True))
        return {a: {b: known.get((a, b)) or known[b, a] for b in names} for a in names}

    def hessian_product(
        self, at: Meant, vector: Meant, names: Sequence[str], digits: int = DIGITS
    ) -> dict[str, Known]:
        """The Hessian times a vector, by names, without the Hessian."""
        from exprgrad.sweeps.balls import tangents

        def compute(numbers: Any, bits: int) -> Computed:
            kind = tangents.Duals(numbers, math.inf)
            seeds = {n: {0: t.ball(numbers)} for n, t in vector.items()}
            found = tangents.second_partials(self.tape, kind, at, seeds, names)
            entries = [tangents.entry(found[n], found[n], 0) for n in names]
            return entries, self._work * 4

        entries, _ = _climb(compute, digits, self._work * 4, MOST_WORK)
        return dict(zip(names, map(_cornered, entries), strict=True))


Computed = tuple[Sequence[Any], float]
"""Balls, or the faults in their places, and how much work a sweep of doubles would have been."""


def _climb(
    compute: Callable[[Any, int], Computed], digits: int, work: float, most: float
) -> tuple[list[Known], int]:
    """Return numbers computed with more and more bits, until their digits stand or it is too much work, and the bits.

    It begins with the bits of the digits. What cannot be told from 0 gains nothing by a few more bits.
    """
    from exprgrad.numbers.arb import precise

    def affordable(levels: Sequence[int]) -> list[int]:
        return [b for b in levels if work * _times(b) <= most]

    most = share(int(most))
    few = [b for b in LEVELS if b < 3.33 * digits]
    bits = max(affordable(LEVELS[1 : len(few) + 1]), default=LEVELS[0])
    while True:
        with precise(bits) as numbers:
            things, work = compute(numbers, bits)
            spend(work * _times(bits), "sweeps with more digits")
            found = [_known(thing, bits, digits) for thing in things]
            wanted = max((_bits_wanted(t, bits, digits) for t in things), default=0)
            may_be_0 = any(map(_may_be_0, things))
        if wanted <= bits:
            return found, bits
        highest = next(b for b in LEVELS if b >= wanted)
        among = [b for b in LEVELS if bits < b <= highest]
        allowed = affordable(among[-1:] if may_be_0 else among)
        if not allowed:
            leave_out("sweeps with more digits")
            return found, bits
        bits = allowed[-1]


def _with_corner(value: Known, derivative: Known) -> Known:
    """A derivative that the rules do not give, though there is a value."""
    there = value.status not in (UNDEFINED, UNDECIDED)
    return _cornered(derivative) if there else derivative


def _cornered(derivative: Known) -> Known:
    """The same where there is a value."""
    undefined = derivative.status == UNDEFINED
    return derivative._replace(status=CORNER) if undefined else derivative


def _times(bits: int) -> int:
    """Return how many times as long an operation takes with so many bits."""
    return 1 + bits // 400


def _is_open(swept: Any) -> bool:
    """Return whether a number may be 0, or hangs on what may be."""
    found = (swept.value, *swept.partials.values())
    return any(isinstance(x, Undecided) or _may_be_0(x) for x in found)


def _may_be_0(thing: Any) -> bool:
    """Return whether a ball has 0 in it, and other numbers: a few more bits may leave it so."""
    is_known = isinstance(thing, Exception) or thing.is_zero
    return not is_known and bool(thing.arb.contains(0))


def _bits_wanted(thing: Any, bits: int, digits: int) -> int:
    """The bits that it takes to know so many digits, as far as one can see; 0 if they are known."""
    if isinstance(thing, Undefined) or bits == LEVELS[-1]:
        return 0
    following = next(level for level in LEVELS if level > bits)
    if isinstance(thing, Exception):
        return max(following, CLOSELY)
    number = thing.arb
    if number.is_exact() or (digits <= NEAREST and thing.fraction is not None):
        return 0
    if number.contains(0):
        # what 200 bits do not tell from 0 is nearly always 0
        return LEVELS[-1] if bits >= 200 else following
    # the nearest double is known when both ends of the ball are rounded to it
    if digits == NEAREST and float(number.lower()) != float(number.upper()):
        return following
    if _right(number) >= digits:
        return 0
    # 3.33 bits are a little more than a digit has
    missing = digits * 3.33 + 2 - number.rel_accuracy_bits()
    return max(following, min(LEVELS[-1], int(bits + missing)))


def _known(thing: Any, bits: int, digits: int) -> Known:
    """Return what a ball says about a double, or the fault in its place."""
    if isinstance(thing, Exception):
        undefined = isinstance(thing, Undefined)
        return Known(None, math.inf, UNDEFINED if undefined else UNDECIDED)
    number, fraction = thing.arb, thing.fraction
    if number.contains(0):
        error = _above(abs(number).upper()) if not thing.is_zero else 0.0
        if error == math.inf:
            return Known(None, error, UNDECIDED)  # it may be any number
        status = BOUNDED if error >= 1e-300 else ZERO if error else EXACT
        return Known(0.0, error, status)
    value, right = _nearest(number, fraction), MOST_DIGITS
    if fraction is None and not number.is_exact():
        right = _right(number)
    if value is None:
        return Known(None, math.inf, BOUNDED, _middle(number, fraction), right)
    off = number - value
    if fraction is not None:
        near, unit = value.as_integer_ratio()
        off = number.__class__(fraction.__class__(near, unit) - fraction)
    error = 0.0 if off.is_zero() else _above(abs(off).upper())
    double = Known(value, error, BOUNDED if error else EXACT)
    if not error or (bits == LEVELS[0] and double.digits >= digits):
        return double
    return double._replace(middle=_middle(number, fraction), right=right)


def _right(number: Any) -> int:
    """Return how many digits of a ball are surely right."""
    return max(0, int((number.rel_accuracy_bits() - 1) * 0.30103))


def _middle(number: Any, fraction: Any) -> Any:
    """The middle of a ball; of a fraction, with all digits that can be asked for."""
    from exprgrad.numbers.real import kept

    if fraction is None:
        return kept(number)
    from fractions import Fraction

    return kept(Fraction(int(fraction.p), int(fraction.q)), LEVELS[-1])


def _nearest(number: Any, fraction: Any) -> float | None:
    """The double nearest to the middle, or to the fraction that the ball is; None beyond their range."""
    try:
        value = float(number) if fraction is None else int(fraction.p) / int(fraction.q)
    except OverflowError:
        return None
    return value if math.isfinite(value) and value else None


def _above(number: Any) -> float:
    """A double that is not less than a number that is not negative."""
    # float() may round down, and underflow to 0
    return float(number) * (1 + 2.0**-50) + 5e-324
