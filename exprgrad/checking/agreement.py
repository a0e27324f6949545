"""A comparison of two quantities at a point, and at enough points in every piece of their domain.

Double precision screens. What it suspects, and every agreement that counts, is settled with more digits:
the difference of two equal quantities is the noise of rounding, and shrinks by as many digits as the
precision grows; a true difference stays as it is. So 1e-12 is not taken for 0, nor cancellation for a difference.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import STAGES, Budget, counted, is_over, share, spend, weigh
from exprgrad.checking.places import near, placed
from exprgrad.checking.points import Places, Point, Quantity, Survey, Trail, is_exact
from exprgrad.graph.value import Value
from exprgrad.numbers.real import kept, mag
from exprgrad.sweeps.precise import Look, Probe

PROVED, REFUTED, AGREES, DIGITS_GIVEN = "proved", "refuted", "agrees", "digits_given"
"""How certain a verdict is; see `Basis`."""

LADDER = (50, 100, 200, 400)
"""Digits, from one precision to the next until the difference has shrunk or stayed."""

SPARE = 10
"""Digits of each of these that may be lost: with 50, two quantities agree to 40."""

RISING = (1010, 210)
"""Digits to which every agreement is looked at once more, if the work allows: erf(20) is 1 to 175 of them."""

MOST_DIGITS = 20_000
"""Digits beyond which a point is left alone, for the numbers on the way are too large."""

CONFIRMING = 9
"""Digits to which a proof is confirmed: those that doubles have for sure where no digits are lost."""

NAMING = 12
"""Digits to which what a mistake gives must be the claim; numbers that people round have fewer."""

MOST_CONFIRMED = 2
"""Points at which a proof is confirmed."""

BOUNDED = 20
"""Digits with bounds on their errors, where numbers are too large to be told apart by all of theirs."""

UNSEEN = 1000
"""A number of which bounds say that it is 0 may be as large as 10 to the minus this."""

SCREEN = 1e-7
"""Relative difference of doubles from which on two quantities are suspected to differ."""

FIRST_LOOKS = 6
"""Points in doubles before a proof is tried: those for which no breaks are searched for."""

MOST_LOOKS, FEWEST_LOOKS = 1000, 40
MOST_SETTLED = 8
MOST_HIDDEN = 60
"""Points with numbers beyond doubles among which those are looked for that confirm a proof."""

BESIDE = (0.739 * 2.0**-14, 0.739 * 2.0**-30, 0.739 * 2.0**-40)
"""How far beside a point a claim has a value, or has none in a narrow piece as well; floor(10^12*x) jumps at every dyadic number."""

MOST_TRIES = 4
"""Points of a cell that are tried until one is certain."""

ENOUGH = 3
"""Usable points below which there is no verdict."""

FEWEST_VALUES, MOST_VARIED = 4, 24
"""Values that every variable should have at usable points, and points that are looked at for these alone."""

FLOAT_WORK = STAGES["looks at points"]
DIGITS_STAGE = "looks at points with many digits"
PRECISE_WORK = STAGES[DIGITS_STAGE]
"""Visits of arithmetic operations that all looks of either kind may take."""

DEEP_WORK = 10_000
"""The same up to which a point is looked at with very many digits."""

RISING_WORK = 40_000
"""The same that the last look at what agrees may take at all points together."""

LOOKED_WORK = 45_000
"""The same for the points of a problem that is not small: there are fewer of them than of a small one.

Beyond them, points are looked at only in pieces that none of them lies in.
"""


class Sides(NamedTuple):
    """The two that are compared, the truth and the claim, and the points to look at.

    With `lenient`, a point where the claim alone is not defined does not count. `cost` and `weight` are the
    work of a look at both, in doubles and with many digits. The `survey` is of the places where both change.
    """

    truth: Quantity
    claim: Quantity
    names: tuple[str, ...]
    along: str | None
    cost: int
    weight: int
    trail: Trail
    lenient: bool = False
    survey: Places = Places()

    @property
    def is_cut(self) -> bool:
        """Return whether pieces may be missing."""
        return self.trail.is_cut or self.survey.is_cut()


class Outcome(NamedTuple):
    """The finding at a point: `kind` is agrees, differs, undefined (the claim), isolated, unusable or open.

    At an open one there are numbers too large, or too close, to be compared. `bits` is the size of the numbers on the
    way, `digits` are those to which the two agree; `apart` is how far they are apart, where truth and claim do not
    tell.
    """

    kind: str
    at: Point
    truth: Any = None
    claim: Any = None
    bits: int = 0
    digits: int = 0
    apart: Any = None


class Basis(NamedTuple):
    """The basis of a verdict, for programs to read.

    `certainty` is

    PROVED          the difference has been reduced to 0, which bounds confirm at so many points
    REFUTED         a point tells the two apart
    AGREES          the two agree at so many points to so many digits
    DIGITS_GIVEN    they agree if the decimals that were typed are rounded numbers
    None            nothing was decided
    """

    certainty: str | None = None
    points: int | None = None
    digits: int | None = None


REFUTATION = Basis(REFUTED)._asdict()
"""What a verdict rests on that something else than a point refutes; the fields of a record."""


class Findings(NamedTuple):
    """The findings at all points.

    `usable` are those where both are defined by a first look, `settled` those where they agree with many
    digits, `isolated` those where the claim alone has a hole, `against` is one that refutes. `overflows`
    counts points with numbers too large, `exhausted` says that the work ran out before every piece was
    settled, `proved` that no digits were needed, `is_cut` that pieces may be missing.
    `unsettled` is a point of a piece in which the numbers are too large for any point to be settled,
    `contradiction` one at which a proof is contradicted by the numbers.
    """

    usable: Sequence[Point] = ()
    settled: Sequence[Outcome] = ()
    isolated: Sequence[Outcome] = ()
    against: Outcome | None = None
    tried: int = 0
    overflows: int = 0
    exhausted: bool = False
    proved: bool = False
    wanted: int = ENOUGH
    is_cut: bool = False
    unsettled: Point | None = None
    contradiction: Point | None = None

    @property
    def enough(self) -> bool:
        """Return whether there are points enough for a verdict."""
        if self.contradiction is not None:
            return False
        seen = self.usable if self.proved else self.settled
        finished = not (self.exhausted or self.is_cut or self.unsettled is not None)
        return len(seen) >= self.wanted and finished

    @property
    def basis(self) -> Basis:
        """Return what an agreement rests on, or one in spite of `against`."""
        if self.against is not None:
            return Basis(DIGITS_GIVEN)
        if self.proved:
            return Basis(PROVED, min(len(self.usable), MOST_CONFIRMED))
        digits = min((found.digits for found in self.settled), default=0)
        return Basis(AGREES, len(self.settled), digits)


def examine(
    sides: Sides, proof: Callable[[], bool], defined: Callable[[], bool] = lambda: False
) -> Findings:
    """Look at points of every piece until there is one that refutes, or there are enough.

    Where `proof` shows that the two are equal wherever both are defined, it remains to be seen that the
    claim is defined where the truth is. Where `defined` shows that too, a few points are enough.
    """
    with counted() as budget:
        examination = _Examination(sides, budget)
        against = examination.screen(FIRST_LOOKS, examination.wanted)
        # most wrong claims fail at one of these points, and take no search for a proof
        early = against is None and examination.is_telling
        proved = early and proof()
        everywhere = proved and defined()
        if against is None and not everywhere:
            against = examination.screen(MOST_LOOKS, MOST_LOOKS, proved)
            whole = against is None and not examination.exhausted
            # 2x/(1 + x^2) is what the rules give for ln(-1 - x^2): a proof says nothing where neither has a value
            may_have_numbers = bool(examination.usable or examination.hidden)
            proved = whole and (proved if early else may_have_numbers and proof())
            if whole and not proved:
                against = examination.settle()
        contradiction = examination.contradiction() if proved else None
        # a proof says nothing of where the claim has a value
        known = everywhere or (proved and not sides.trail.is_cut)
        is_cut = against is None and not known and sides.is_cut
        return Findings(
            examination.usable, examination.settled, examination.isolated, against, examination.tried,
            examination.overflows, examination.exhausted, proved, examination.wanted, is_cut,
            examination.unsettled, contradiction,
        )  # fmt: skip


class _Examination:
    def __init__(self, sides: Sides, budget: Budget) -> None:
        self.sides, self.budget = sides, budget
        self.wanted = ENOUGH if sides.names else 1
        self.looked: list[Point] = []
        self.usable: list[Point] = []
        self.hidden: list[Point] = []
        self.doubted: list[Point] = []
        self.settled: list[Outcome] = []
        self.isolated: list[Outcome] = []
        self.overflows = self.spent = 0
        self.exhausted = False
        self.certain: set[object] = set()
        self.open: dict[object, Point] = {}
        self.unsettled: Point | None = None
        self.points = iter(sides.trail)

    @property
    def tried(self) -> int:
        """Return how many points have been looked at."""
        return len(self.looked)

    @property
    def is_telling(self) -> bool:
        """Return whether there are points enough at which both are defined."""
        return len(self.usable) >= self.wanted

    def screen(self, looks: int, usable: int, proved: bool = False) -> Outcome | None:
        """Look in doubles, and settle what is suspected; the point that refutes, if there is one.

        At so many points at least, until so many are usable. What is `proved` to be equal where it is defined is
        suspected only where the claim has no value.
        """
        weight = self.sides.weight
        most = max(ENOUGH, share(FLOAT_WORK) // self.sides.cost)
        all_looks = min(MOST_LOOKS, max(FEWEST_LOOKS, LOOKED_WORK // weight))
        for at in itertools.islice(self.points, max(0, all_looks - self.tried)):
            found = self._look(at, proved)
            if found is not None:
                return found
            if self.tried >= looks and len(self.usable) >= usable:
                return None
            if self.tried >= most:
                # the trail may end just here, and then nothing was left out
                self.exhausted = next(self.points, None) is not None
                return None
        return self._cover(most - self.tried, proved)

    def _cover(self, most: int, proved: bool) -> Outcome | None:
        """Look where no point has been so far, among so many more; the one that refutes, if any.

        That is on new sides of landmarks, in a piece of a line in which nothing has been usable, or where a variable
        has another value than those few that it had at usable points.
        """
        self.sides.survey.shorten()
        signs: set[object] = set()
        pieces: set[object] = set()
        values: dict[str, set[float]] = {}
        last, left = self.tried + most, MOST_VARIED
        for i, at in enumerate(self.points):
            if self.tried >= last:
                self.exhausted = True
                break
            # not before the loop: a cell costs a sweep, and mostly there is no point left to be compared with it
            if not i:
                cells = {id(own): self.sides.survey.cell(own) for own in self.looked}
                signs = {side for side, _ in cells.values()}
                pieces = {cells[id(own)][1] for own in (*self.usable, *self.hidden)}
                values = {n: {own[n] for own in self.usable} for n in at}
            side, piece = self.sides.survey.cell(at)
            if side in signs and piece in pieces:
                varied = all(len(own) >= FEWEST_VALUES or at[n] in own for n, own in values.items())  # fmt: skip
                if varied or not left:
                    continue
                left -= 1
            signs.add(side)
            found = self._look(at, proved)
            if found is not None:
                return found
            # a point that can be used is the last of one of these by now
            if at in (*self.usable[-1:], *self.hidden[-1:]):
                pieces.add(piece)
            if at in self.usable[-1:]:
                for n, own in values.items():
                    own.add(at[n])
        return None

    def _look(self, at: Point, proved: bool) -> Outcome | None:
        """Look in doubles, and settle the point if it is suspected; what is found there if it refutes."""
        self.looked.append(at)
        spend(self.sides.cost, "looks at points")
        if proved and is_exact(at):
            return None  # nothing but a hole, at a single point, could be seen there
        kind = screened(self.sides, at)
        if kind == "agrees":
            self.usable.append(at)
        elif kind == "overflow":
            self.overflows += 1
            self.hidden.append(at)
        # equal by a proof, apart in doubles: either these have lost their digits or the proof is wrong
        elif kind == "suspected" and proved and self.sides.claim(at, 0).value is not None:  # fmt: skip
            self.doubted.append(at)
        elif kind == "suspected":
            found = self._settle(at, thorough=True)
            if found is not None:
                return found
            if self.settled and self.settled[-1].at is at:
                self.usable.append(at)
        return None

    def settle(self) -> Outcome | None:
        """Look with many digits at a point of every piece, and a few more; the one that refutes, if any."""
        suspected = tuple(self.settled)
        seen = [found.at for found in suspected]
        # at the first two points two precisions have to agree; at all of them that would be twice the work
        for i, at in enumerate(self._chosen()):
            found = None if at in seen else self._surely(at, thorough=i < 2)
            seen.append(at)
            if found is not None:
                return found
        for outcome in suspected:
            if self.sides.survey.cell(outcome.at)[0] not in self.certain:
                found = self._deeply(outcome)
                if found is not None:
                    return found
        return self._again() or self._risen()

    def _risen(self) -> Outcome | None:
        """A last look at every point with as many digits as can be afforded at all of them; the one that refutes."""
        # a verdict tells the least digits of all its points, so all of them are raised, or none
        for digits in RISING:
            low = [found for found in self.settled if found.digits < digits - SPARE]
            if len(low) * _work(self.sides, digits) > RISING_WORK:
                continue
            for outcome in low:
                if is_over(self.sides.trail.end, DIGITS_STAGE):
                    return None
                found = _risen(self.sides, outcome, digits)
                if found.kind == "differs":
                    return found
                self.settled[self.settled.index(outcome)] = found
            break
        return None

    def contradiction(self) -> Point | None:
        """A point at which the numbers contradict a proof, among a few in general position; None if they confirm it.

        Where doubles can be used nowhere, points with numbers beyond them are.
        """
        if not self.is_telling:
            few = self.hidden[:MOST_HIDDEN]
            agreeing = (at for at in few if climbed(self.sides, at).kind == "agrees")
            self.usable += itertools.islice(agreeing, MOST_SETTLED)
        # a wrong proof may hold at 0, 1 or 2, where terms vanish or coincide, but hardly in general position
        generic = sorted(self.usable, key=_shortness)[: 2 * MOST_CONFIRMED]
        quick = (at for at in generic if confirms(self.sides, at))
        few = list(itertools.islice(quick, MOST_CONFIRMED))
        slow = generic[:MOST_CONFIRMED] if len(few) < MOST_CONFIRMED else []
        for at in (*slow, *self.doubted[:MOST_CONFIRMED]):
            if settle(self.sides, at, thorough=False).kind == "differs":
                from exprgrad.expressions import confirm

                assert not confirm.strict, (
                    f"a proof is contradicted by the numbers at {at}"
                )
                return at
        return None

    def _chosen(self) -> list[Point]:
        """A point of every cell, and a few more; where pieces are missing anyway, once for the same signs."""
        whole = not self.sides.is_cut
        cells, hidden = dict[object, list[Point]](), dict[object, list[Point]]()
        for points, by_cell in ((self.usable, cells), (self.hidden, hidden)):
            for at in points:
                side, piece = self.sides.survey.cell(at)
                by_cell.setdefault((side, piece if whole else None), []).append(at)
        chosen = [min(own, key=_shortness) for own in cells.values()]
        chosen += [own[0] for cell, own in hidden.items() if cell not in cells]
        generic = sorted(self.usable or self.hidden, key=_shortness)[: 2 * MOST_SETTLED]
        return chosen + spread(generic, max(2, MOST_SETTLED - len(chosen)))

    def _again(self) -> Outcome | None:
        """Look at other points on the sides of landmarks where nothing is certain; `unsettled` is one that stays so."""
        tries = dict.fromkeys(self.open, 0)
        seen = [found.at for found in self.settled]
        for at in (*self.usable, *self.hidden):
            side = self.sides.survey.cell(at)[0]
            if (
                at in seen
                or side in self.certain
                or tries.get(side, MOST_TRIES) >= MOST_TRIES
            ):
                continue
            tries[side] += 1
            found = self._surely(at, thorough=False)
            if found is not None:
                return found
        left = (at for side, at in self.open.items() if side not in self.certain)
        self.unsettled = next(left, None)
        return None

    def _surely(self, at: Point, thorough: bool) -> Outcome | None:
        """Settle a point, and look with digits enough for what is tiny there; what is found if it refutes."""
        count = len(self.settled)
        found = self._settle(at, thorough)
        if found is None and len(self.settled) > count:
            return self._deeply(self.settled[-1])
        return found

    def _deeply(self, agreed: Outcome) -> Outcome | None:
        """Another look with digits enough for a part that is tiny beside the rest: 1 + 1e-300*x.

        Where that takes too many digits, or too much work, the point does not make its cell certain.
        """
        side = self.sides.survey.cell(agreed.at)[0]
        # at x = 0 no number of digits shows that 1 + 1e-300*x is not 1
        if self._is_landmark(side):
            return None
        before = self.budget.spent
        found = deepened(self.sides, agreed, share(PRECISE_WORK) - self.spent)
        self.spent += self.budget.spent - before
        if found.kind == "agrees":
            self.certain.add(side)
            self.settled[self.settled.index(agreed)] = found
        elif found.kind != "differs":
            self.open.setdefault(side, agreed.at)
        return found if found.kind == "differs" else None

    def _settle(self, at: Point, thorough: bool) -> Outcome | None:
        over = is_over(self.sides.trail.end, DIGITS_STAGE)
        if over or self.spent > share(PRECISE_WORK):
            self.exhausted = True
            return None
        before = self.budget.spent
        found = settle(self.sides, at, thorough)
        self.spent += self.budget.spent - before
        if found.kind in ("differs", "undefined"):
            return found
        if found.kind == "agrees":
            self.settled.append(found)
        elif found.kind == "isolated":
            self.isolated.append(found)
        elif found.kind == "open" and self._is_inner(at):
            side = self.sides.survey.cell(at)[0]
            if not self._is_landmark(side):
                self.open.setdefault(side, at)
        return None

    def _is_landmark(self, side: object) -> bool:
        """Return whether points with these signs lie on a landmark, and not in a piece.

        What seems to be 0 in general position too is too small for doubles.
        """
        zeros = _zeros(side)
        if not zeros:  # nearly always: so the shortest of all points is not looked for
            return False
        doubles = (
            at for at in self.looked if {type(x) for x in at.values()} <= {float}
        )
        generic = min(doubles, key=_shortness, default=self.looked[0])
        return not zeros <= _zeros(self.sides.survey.cell(generic)[0])

    def _is_inner(self, at: Point) -> bool:
        """Return whether there may be a value around a point: around n = -94440 there is none of (-0.4)^n."""
        near_by = {name: _moved(x, 2.0**-14 / 3) for name, x in at.items()}
        look = self.sides.truth(near_by, 0)
        return look.value is not None or look.overflow


def _zeros(side: Any) -> set[int]:
    """The landmarks that points with these signs lie on."""
    signs = side if isinstance(side, tuple) else ()
    return {i for i, sign in enumerate(signs) if sign == 0}


def _shortness(at: Point) -> int:
    """Return how many coordinates are multiples of 1/16: none in general position."""
    return sum(not x * 16 % 1 for x in at.values())


def spread(items: Sequence[Point], most: int) -> list[Point]:
    """The first few, and the rest spread evenly."""
    if len(items) <= most:
        return list(items)
    head = most // 3
    rest, wanted = items[head:], most - head
    return [*items[:head], *(rest[i * len(rest) // wanted] for i in range(wanted))]


def deepened(sides: Sides, agreed: Outcome, work: int = DEEP_WORK) -> Outcome:
    """Return what is found with digits enough for what is tiny at a point where two agree; open if that is too much."""
    looked, digits, found, spent = LADDER[1], _telling_digits(agreed), agreed, 0
    while found.kind == "agrees" and digits > looked:
        if spent > work or not _is_affordable(sides, digits):
            return agreed._replace(kind="open")
        spent += _work(sides, digits)
        found = climbed(sides, agreed.at, _pair(digits))
        looked, digits = digits, _telling_digits(found)
    return found


def settle_deeply(sides: Sides, at: Point) -> Outcome:
    """Decide about a point, and where the two agree, with digits enough for what is tiny there."""
    found = settle(sides, at, thorough=False)
    return deepened(sides, found) if found.kind == "agrees" else found


def settle_alone(sides: Sides, at: Point) -> Outcome:
    """Decide about the one point in question, with as many digits as can be afforded."""
    found = settle_deeply(sides, at)
    digits = next((d for d in RISING if _is_affordable(sides, d)), 0)
    # a single point decides all, so it is worth the most digits
    is_low = found.kind == "agrees" and found.digits < digits - SPARE
    return _risen(sides, found, digits) if is_low else found


def _risen(sides: Sides, agreed: Outcome, digits: int) -> Outcome:
    """Return what more digits say where two agree: the same where they decide nothing."""
    found = climbed(sides, agreed.at, _pair(digits))
    return found if found.kind in ("agrees", "differs") else agreed


def _telling_digits(agreed: Outcome) -> int:
    """Digits with which a part of the smallest size that was met would be seen."""
    return _decimals(2 * agreed.bits) + 60


def _decimals(bits: int) -> int:
    """The decimal digits of so many bits, of which there may be more than a double can count."""
    return bits * 30103 // 100_000


def _work(sides: Sides, digits: int) -> int:
    """The work of a look at both with so many digits: that of series grows faster than these."""
    return sides.weight * digits // LADDER[0] * (1 + digits // 2000)


def _pair(digits: int) -> tuple[int, int]:
    """So many digits, and those with which noise has shrunk for sure."""
    return digits, digits + max(50, digits // 4)


def _is_affordable(sides: Sides, digits: int) -> bool:
    return digits <= MOST_DIGITS and _work(sides, digits) < DEEP_WORK


def bounded_pair(sides: Sides, at: Point, digits: int) -> tuple[Any, Any] | None:
    """Both at a point to so many digits with bounds on their errors; None where these cannot be had."""
    truth, claim = (side(at, digits).value for side in (sides.truth, sides.claim))
    return None if truth is None or claim is None else (truth, claim)


def confirms(sides: Sides, at: Point, digits: int = CONFIRMING) -> bool:
    """Return whether doubles with bounds on their errors show that the two are equal at a point, to so many digits."""
    pair = bounded_pair(sides, at, digits)
    if pair is None:
        return False
    return bool(abs(pair[0] - pair[1]) <= 2 * 10.0**-digits * max(map(abs, pair)))


def screened(sides: Sides, at: Point) -> str:
    """A first look, in doubles: agrees, suspected, unusable or overflow."""
    truth = sides.truth(at, 0)
    if truth.is_undefined:
        return "unusable"
    claim = sides.claim(at, 0)
    if claim.is_undefined:
        return "unusable" if sides.lenient else "suspected"
    if truth.value is None or claim.value is None:
        return "overflow"
    scale = max(abs(truth.value), abs(claim.value))
    return "agrees" if abs(truth.value - claim.value) <= SCREEN * scale else "suspected"


def looked(sides: Sides, most: int) -> list[tuple[Point, str]]:
    """The first points that lie within pieces with what a first look says of them."""
    inner = (at for at in sides.trail if not is_exact(at))
    return [(at, screened(sides, at)) for at in itertools.islice(inner, most)]


def settle(sides: Sides, at: Point, thorough: bool) -> Outcome:
    """Decide about a point by more and more digits.

    Two precisions that show the same difference do not prove it: 1 + sinh(290)^2 has lost its 1 in
    both. So a difference, or a missing value, must be there with so many digits that nothing that was
    met on the way can have cancelled.
    """
    found = _apart_in_doubles(sides, at)
    if found is not None and found.kind == "differs":
        return found
    found = found or climbed(sides, at, thorough=thorough)
    if found.kind not in ("differs", "undefined"):
        return found
    # with so many digits the difference is larger than the rounding of numbers of that size
    size = mag(abs(found.truth - found.claim)) if found.claim is not None else 1
    digits = _decimals(2 * found.bits - size) + 20
    if digits > LADDER[-1] and not _is_affordable(sides, digits):
        # by bounds, for numbers too large to be seen whole: 2^(10^12) and 3^(10^12)
        pair = bounded_pair(sides, at, BOUNDED)
        if pair is None:
            return Outcome("open", at)
        found = Outcome("differs", at, *pair)
        is_apart = abs(pair[0] - pair[1]) > tenth(BOUNDED - 1) * max(map(abs, pair))
        return (
            found if is_apart and not _is_unseen(found) else found._replace(kind="open")
        )
    if digits > LADDER[0]:
        found = climbed(sides, at, _pair(digits), thorough)
    if found.kind == "undefined" and not _around(sides, at, digits):
        return found._replace(kind="isolated")
    if found.kind == "differs" and is_exact(at) and _is_unseen(found):
        return found._replace(kind="open")
    return found


def _is_unseen(found: Outcome) -> bool:
    """Return whether one of the two is 0 as far as bounds see, and the other smaller than what they tell from 0."""
    small, large = sorted((abs(found.truth), abs(found.claim)))
    return bool(not small and large < tenth(UNSEEN))


def _apart_in_doubles(sides: Sides, at: Point) -> Outcome | None:
    """That the two differ, or that the claim has no value, if the errors of doubles leave no doubt."""
    truth, claim = sides.truth(at, CONFIRMING), sides.claim(at, CONFIRMING)
    if truth.value is not None and claim.is_undefined and not sides.lenient:
        return Outcome("undefined", at, truth.value)
    pair = truth.value, claim.value
    # 1: a limit is taken at a small h, and says nothing of smaller differences
    if None in pair or abs(pair[0] - pair[1]) <= 10.0**-CONFIRMING * (1 + sum(map(abs, pair))):  # fmt: skip
        return None
    return Outcome("differs", at, *pair)


def climbed(
    sides: Sides, at: Point, ladder: Sequence[int] = LADDER, thorough: bool = False
) -> Outcome:
    """Return what a few precisions say of a point."""
    last: Any = None
    for i, digits in enumerate(ladder):
        spend(_work(sides, digits), DIGITS_STAGE)
        truth, claim = sides.truth(at, digits), sides.claim(at, digits)
        bits = max(truth.bits, claim.bits)
        is_large = truth.overflow or claim.overflow
        if is_large and is_exact(at) and digits != ladder[-1]:
            continue  # bounds of so few digits do not show whether there is a number
        if truth.value is None or claim.overflow:
            return Outcome("open" if is_large else "unusable", at)
        if claim.value is None:
            kind = "unusable" if sides.lenient else "undefined"
            return Outcome(kind, at, truth.value, bits=bits)
        found = Outcome("agrees", at, truth.value, claim.value, bits, digits - SPARE)
        difference = abs(truth.value - claim.value)
        scale = max(abs(truth.value), abs(claim.value))
        if difference <= tenth(digits - SPARE) * scale and (i or not thorough):
            return found
        if last is not None:
            # noise shrinks by the 50 digits or more that lie between two rungs, a true difference keeps its first three
            if difference <= last * tenth(25):
                return found
            if abs(difference - last) <= last * tenth(3):
                return found._replace(kind="differs")
        last = difference
    return Outcome("open", at)


def tenth(digits: int) -> Any:
    """10^-digits, as a number that doubles need not hold."""
    return kept(10) ** -digits


def _around(sides: Sides, at: Point, digits: int) -> bool:
    """Return whether the claim is undefined in some direction from a point, and the truth is not."""
    # all up, all down, and both ways in turn; each coordinate further than the one before, to leave lines such as x = y
    for step, k in itertools.product(BESIDE, range(4)):
        near_by = {
            name: _moved(x, (-1.0) ** (k + (k >> 1) * i) * (i + 2) * step)
            for i, (name, x) in enumerate(at.items())
        }
        most = max(digits, LADDER[0])
        truth, claim = sides.truth(near_by, 0), sides.claim(near_by, CONFIRMING)
        if claim.value is None:
            claim = sides.claim(near_by, most)
        truth = sides.truth(near_by, most) if truth.overflow else truth
        if truth.value is not None and claim.value is None:
            return not claim.overflow
    return False


def _moved(x: float, by: float) -> float:
    """A coordinate moved by so many times its size, or by as much where it is small; also a place beyond doubles."""
    if math.isinf(x):
        return placed(near(x) * (1 + Fraction(by)))
    return x + by * max(1.0, abs(x))


def compared(
    truth: Quantity, claim: Quantity, roots: tuple[Value, ...], names: tuple[str, ...], along: str | None,
    work: tuple[int, int], lenient: bool = False, valued: Sequence[Probe] = (),
) -> Sides:  # fmt: skip
    """The sides with their points, found in the graphs that both are made of; `work` is cost and weight.

    The expressions of `valued` have a value wherever there is a truth.
    """
    survey = Survey(truth, roots, names, along, work[0], valued)
    trail = Trail(survey.points())
    return Sides(truth, claim, names, along, *work, trail, lenient, survey)


def of_probes(
    truth: Probe, claim: Probe, along: str | None, roots: tuple[Value, ...], domain: Sequence[Probe] = (),
    lenient: bool = False,
) -> Sides:  # fmt: skip
    """The sides of two expressions, or of the slopes of those whose probe has a variable; points are found in `roots`.

    The expressions of `domain` have values, too, wherever there is a truth, and slopes if their probes have a variable.
    """
    both = truth, claim
    own = dict.fromkeys(n for probe in (*both, *domain) for n in probe.tape.variables)
    names = tuple(sorted(own, key=lambda name: name != along))
    cost = sum(p.cost * (1 + p.wants_slope) for p in both) + sum(p.cost for p in domain)
    weight = sum(p.weight * (1 + p.wants_slope) for p in both)
    weight += sum(p.weight for p in domain)
    right, own_side = map(value_side, both)
    right = within(right, domain)
    along = along if along in names else None
    return compared(right, own_side, roots, names, along, (cost, weight), lenient, (truth, *domain))  # fmt: skip


def within(
    quantity: Quantity, domain: Sequence[Probe], where: Sequence[Any] = ()
) -> Quantity:
    """A quantity where conditions hold, other expressions have a value too, and a slope if their probe has a variable."""
    probes = [Probe(condition.tape) for condition in where]
    others = [value_side(probe) for probe in domain]
    if not (others or probes):
        return quantity

    def look(at: Point, digits: int) -> Look:
        if not all(probe.floats(at).value for probe in probes):
            return Look(None, None)
        for other in others:
            seen = other(at, 0)
            # with many digits there may be a value where doubles have none
            if seen.overflow and digits:
                seen = other(at, digits)
            if seen.value is None:
                return Look(None, None, seen.overflow)
        return quantity(at, digits)

    return look


def value_side(probe: Probe) -> Quantity:
    """The value of an expression as a quantity, or its slope along the variable of the probe."""
    slopes, known = probe.wants_slope, dict[object, Look]()
    names = tuple(probe.tape.variables)

    def floats(at: Point) -> Look:
        # the same points are looked at again for pieces and for mistakes, and often differ in other variables alone
        key = tuple(map(at.get, names))
        if key not in known:
            known[key] = probe.floats(at)
            weigh(20 + probe.cost * (1 + slopes) // 2)
        return known[key]

    def look(at: Point, digits: int) -> Look:
        if digits in (CONFIRMING, NAMING):
            seen = probe.confirmed(at, digits)
        elif digits == BOUNDED:
            seen = probe.bounded(at, digits)
        elif not digits:
            seen = floats(at)
        else:
            weigh(probe.weight * (1 + slopes) * digits // 25)
            seen = probe.precise(at, digits)
        return Look(seen.slope, None, seen.overflow, seen.bits) if slopes else seen

    return look
