"""Decimals that were typed: they stand for every number that is rounded to them.

0.333*x is right for x/3 to the digits given. A claim c with decimals d_i, of half a unit u_i in the last
place, is right if there is one set of numbers d_i + e_i*u_i, |e_i| <= 1, with which it is the derivative
everywhere: sum over i of dc/dd_i * u_i * e_i = c_true - c at a few points, solved by Newton's method, and
then looked at in every piece like any other claim. A tolerance at each point would let terms go missing.

A decimal of two digits stands only for a number that has no decimal of up to three: 0.33 for 1/3, but not 1.5 for 1.46.
In the base of an exponential no decimal is a rounded number: 2.718^x and e^x have no digit in common far out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.checking import agreement
from exprgrad.checking.places import near
from exprgrad.checking.points import Point, Trail
from exprgrad.checking.question import Question
from exprgrad.expressions.expression import Expression
from exprgrad.graph.order import topological
from exprgrad.graph.rational import read_ratio
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value
from exprgrad.numbers.real import fraction, kept
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.operations.table import POW
from exprgrad.sweeps.coordinates import ExactPlace
from exprgrad.sweeps.precise import Probe, reference

if TYPE_CHECKING:
    from exprgrad.checking.kinds.curves import Curve

FEWEST, SURE = 2, 3
"""Digits that a decimal of a claim needs to pass for a rounded number: 0.3 is no third; and to do so without conditions."""

FEWEST_GIVEN = 12
"""Digits from which on a decimal of the problem may be a fraction of small numbers that was rounded."""

MOST_DENOMINATOR = 1000

MOST_TYPED = 12
"""Decimals of a claim that are solved for."""

MOST_STEPS = 12
MOST_CELLS = 30
DIGITS = 90
BITS = 320
FAR = 2**13  # numbers above 2 to this power are not looked at
CLOSE = Fraction(1, 10**75)
SLACK = Fraction(10**6 + 1, 10**6)


class Typed(NamedTuple):
    """A decimal of a text: its leaf, the number, half a unit in its last place, and how many digits it has."""

    leaf: Value
    number: Fraction
    unit: Fraction
    digits: int

    def may_be(self, exact: Fraction) -> bool:
        """Return whether the decimal may have been rounded from a number: one of few digits only where it is not short."""
        if self.digits >= SURE or abs(exact - self.number) < CLOSE:
            return True
        return abs(exact - Fraction(f"{float(exact):.{SURE}g}")) >= CLOSE


class Rounded(NamedTuple):
    """The reason why a rounded claim is right: the `evidence` in words, of the `whole` domain or only of what was found of it."""

    evidence: str
    whole: bool = True


ROUNDED = "correct to the digits you gave"
IN_PART = (
    "wherever it was looked at, but the search for pieces of the domain was cut short"
)


def explained_by_rounding(
    question: Question,
    sides: agreement.Sides,
    found: agreement.Findings,
    everywhere: bool = True,
    curve: Curve | None = None,
) -> Rounded | None:
    """Return what makes the claim right, or right at a point, if decimals are taken for rounded numbers; None if nothing does.

    That is one set of numbers that round to those of the claim, on a curve only there; and a problem that says
    5.16666666666667 may mean 31/6.
    """
    if found.against is None or found.against.kind != "differs":
        return None
    at, every = found.against.at, _rounded(question)
    typed = [own for own in every if own.digits >= SURE]
    if len(typed) > MOST_TYPED:
        return None
    rounded = None
    # decimals of two digits count as rounded only where the longer ones alone explain nothing
    for own in dict.fromkeys((tuple(typed), tuple(every))):
        if rounded is None and 0 < len(own) <= MOST_TYPED:
            claim = _Formula(question, sides, own, curve)
            rounded = claim.explained(at, everywhere, ROUNDED)
    simple = _fractions(question) if rounded is None and sides.along is not None else {}
    if not simple:
        return rounded
    f = question.expression
    root = replaced(f.root, {own.leaf: Constant(near) for own, near in simple.items()})
    meant = question._replace(expression=Expression.of(root, f.variables))
    sides = meant.sides()
    if not typed and agreement.settle(sides, at, thorough=True).kind != "agrees":
        return None
    stand = [
        f"{f.source[slice(*(own.leaf.span or ()))]} stands for {near}"
        for own, near in simple.items()
    ]
    right = f"{ROUNDED if typed else 'correct'} if {' and '.join(stand)}"
    return _Formula(meant, sides, typed, curve).explained(at, everywhere, right)


def _rounded(question: Question) -> list[Typed]:
    """The decimals of the claim, but for long ones that were copied from the problem, and bases of exponentials."""
    tape = question.expression.tape
    leaves = (tape.nodes[i] for i, _ in tape.constants)
    given = {Fraction(*leaf.ratio) for leaf in leaves if leaf.name is None}
    bases = {
        leaf
        for item in topological(question.claim.root)
        if item.operation is POW and not item.operands[1].is_constant
        for leaf in topological(item.operands[0])
    }
    return [
        typed
        for typed in decimals(question.claim, FEWEST)
        if (typed.digits < FEWEST_GIVEN or typed.number not in given)
        and typed.leaf not in bases
    ]


def _fractions(question: Question) -> dict[Typed, Fraction]:
    """The long decimals of the problem that fractions of small numbers round to, with these."""
    found = {}
    for own in decimals(question.expression, FEWEST_GIVEN):
        near = own.number.limit_denominator(MOST_DENOMINATOR)
        if 0 < abs(near - own.number) <= own.unit:
            found[own] = near
    return found


def decimals(expression: Expression, fewest: int) -> list[Typed]:
    """The decimals of a text of so many digits."""
    found = []
    for i, _ in expression.tape.constants:
        leaf = expression.tape.nodes[i]
        if leaf.span is None or leaf.name is not None:
            continue
        text = expression.source[slice(*leaf.span)].replace("_", "").lower()
        digits, _, exponent = text.partition("e")
        whole, point, fraction = digits.partition(".")
        # 1. and 1e5 have no digits behind the point that could be rounded
        if not point or not fraction.isdigit() or not (whole or "0").isdigit():
            continue
        count = len((whole + fraction).lstrip("0"))
        if count >= fewest:
            unit = Fraction(1, 2) * Fraction(10) ** (int(exponent or 0) - len(fraction))
            found.append(Typed(leaf, Fraction(*read_ratio(text)), unit, count))
    return found


def _chosen(sides: agreement.Sides, against: Point, most: int) -> list[Point]:
    """Points at which both have values, of as many pieces as there are."""
    cells: dict[object, list[Point]] = {}
    for at in sides.trail:
        if at != against and agreement.screened(sides, at) in ("agrees", "suspected"):
            cells.setdefault(sides.survey.cell(at), []).append(at)
    turns = [at for i in range(most) for own in cells.values() for at in own[i : i + 1]]
    return sorted(turns[: 2 * most], key=lambda at: 0 in at.values())[:most]


class _Formula:
    """A claim in which the decimals that were typed are variables too, with what it is compared with."""

    def __init__(
        self, question: Question, sides: agreement.Sides, typed: Sequence[Typed], curve: Curve | None
    ) -> None:  # fmt: skip
        self.question, self.sides, self.typed, self.curve = (
            question,
            sides,
            typed,
            curve,
        )
        self.root = question.claim.root
        self.names = [f"\0{k}" for k in range(len(typed))]
        leaves = {
            t.leaf: Value(None, n) for t, n in zip(typed, self.names, strict=True)
        }
        self.tape = Expression.of(replaced(self.root, leaves)).tape

    def explained(
        self, against: Point, everywhere: bool, evidence: str
    ) -> Rounded | None:
        """Return what makes the claim right with its decimals, in these words; without any, it agrees at that point."""
        points = [against]
        try:
            # where a single decimal explains nothing at that point, no other is asked
            may_be = len(self.typed) != 1 or self._solved(points) is not None
            if everywhere and may_be:
                points += _chosen(self.sides, against, 2 * len(self.typed) + 4)
            found = self._solved(points) if self.typed else []
        except ArithmeticError:  # no partial, or numbers too large or too small
            return None
        if found is None:
            return None
        return self._everywhere(found, points, evidence) if everywhere else Rounded(evidence)  # fmt: skip

    def _at(
        self, at: Point, numbers: Mapping[str, Any]
    ) -> tuple[Any, list[Any]] | None:
        """The value, and the partials by the decimals; None where it has none."""
        there = at if self.curve is None else self.curve.refined(at, DIGITS)
        if there is None:
            return None
        given: dict[str, Any] = {**there, **numbers}
        given |= {n: near(x) for n, x in there.items() if isinstance(x, ExactPlace)}
        own = {name: given[name] for name in self.tape.variables}
        look = Probe(self.tape).precise(own, DIGITS)
        if look.value is None:
            return None
        try:
            partials = reference(self.tape, own, DIGITS)
        except (*ARITHMETIC, NotImplementedError):
            return None
        return look.value, [partials.get(name, kept(0)) for name in self.names]

    def _shifted(self, shifts: Sequence[Fraction]) -> list[Fraction]:
        """The decimals, shifted by so many half units."""
        pairs = zip(self.typed, shifts, strict=True)
        return [own.number + own.unit * shift for own, shift in pairs]

    def _equations(
        self, points: Sequence[Point], shifts: Sequence[Fraction]
    ) -> list[list[Fraction]] | None:
        """A row for each point: the partials in half units, then what is missing; None if a point cannot be used."""
        numbers = [kept(number, BITS) for number in self._shifted(shifts)]
        named = dict(zip(self.names, numbers, strict=True))
        found = []
        for at in points:
            own, truth = self._at(at, named), self.sides.truth(at, DIGITS).value
            if own is None or truth is None:
                return None
            value, partials = own
            both = zip(partials, self.typed, strict=True)
            row = [fraction(slope, FAR) * typed.unit for slope, typed in both]
            found.append([*row, fraction(truth, FAR) - fraction(value, FAR)])
        return found

    def _solved(self, points: Sequence[Point]) -> list[Fraction] | None:
        """Numbers that meet the equations and round to the decimals; None if there are none."""
        count = len(self.typed)
        rows = self._equations(points, [Fraction(0)] * count)
        if rows is None:
            return None
        pivots = _eliminated([list(row) for row in rows], count)
        if len(pivots) < count and any(t.digits < SURE for t in self.typed):
            return None  # 2.1x - 0.12x is not 2x
        places, columns = ([pair[i] for pair in pivots] for i in (0, 1))
        shifts = _within([rows[i] for i in places], count)
        for _ in range(MOST_STEPS):
            now = self._equations([points[i] for i in places], shifts)
            if now is None:
                return None
            matrix = [[row[j] for j in columns] for row in now]
            steps = solution(matrix, [row[-1] for row in now])
            if steps is None:
                return None
            for j, step in zip(columns, steps, strict=True):
                shifts[j] = _short(shifts[j] + step)
            # it has run away: no number that rounds to a decimal is a hundred half units from it
            if any(abs(shift) > 100 for shift in shifts):
                return None
            if all(abs(step) < CLOSE for step in steps):
                break
        found = self._shifted(shifts)
        is_near = all(abs(shift) <= SLACK for shift in shifts)
        both = zip(self.typed, found, strict=True)
        return found if is_near and all(t.may_be(exact) for t, exact in both) else None

    def _everywhere(
        self, numbers: Sequence[Fraction], solved: Sequence[Point], evidence: str
    ) -> Rounded | None:
        """Return whether the claim with these numbers, which were solved for at some points, is right in every piece."""
        own = zip(self.typed, numbers, strict=True)
        root = replaced(self.root, {t.leaf: Constant(exact) for t, exact in own})
        claim, sides = agreement.value_side(Probe(Expression.of(root).tape)), self.sides
        if self.curve is not None:
            trail = Trail(self.curve.points())
            every = sides._replace(claim=self.curve.on(claim), trail=trail)
        else:
            roots = (self.question.expression.root, root)
            work = sides.cost, sides.weight
            every = agreement.compared(sides.truth, claim, roots, sides.names, sides.along, work)  # fmt: skip
        seen: dict[object, int] = {}
        agreed, wanted = 0, FEWEST + len(numbers)
        for at in every.trail:
            cell = every.survey.cell(at)
            most = wanted if len(seen) <= MOST_CELLS else 1
            # points that the numbers were solved for say nothing more; two are kept in case there are no others
            if seen.get(cell, 0) >= most or at in solved[:-2]:
                continue
            if every.truth(at, 0).value is None:
                continue
            seen[cell] = seen.get(cell, 0) + 1
            kind = agreement.settle(every, at, thorough=False).kind
            if kind in ("differs", "undefined"):
                return None
            agreed += kind == "agrees"
        if not agreed:
            return None
        return Rounded(f"{evidence} {IN_PART}", False) if every.is_cut else Rounded(evidence)  # fmt: skip


def _short(number: Fraction) -> Fraction:
    """A fraction with the bits that sweeps keep."""
    return Fraction(round(number * 2**BITS), 2**BITS)


def solution(
    matrix: Sequence[Sequence[Any]], right: Sequence[Any]
) -> list[Fraction] | None:
    """The solution of a linear system in fractions, or doubles; None where there is not one."""
    if not matrix:
        return []
    try:
        found = exact_matrix(matrix).solve(exact_matrix([[b] for b in right]))
    except ZeroDivisionError:
        return None
    return [Fraction(int(x.p), int(x.q)) for x in found.entries()]


def exact_matrix(rows: Sequence[Sequence[Any]]) -> Any:
    """A matrix of FLINT with these fractions, or doubles."""
    from flint import fmpq, fmpq_mat

    return fmpq_mat([[fmpq(*x.as_integer_ratio()) for x in row] for row in rows])


def _eliminated(rows: list[list[Any]], count: int) -> list[tuple[int, int]]:
    """The rows and columns of a part of full rank, by Gaussian elimination with full pivoting."""
    scales = [max(map(abs, row[:count])) for row in rows]
    for row, scale in zip(rows, scales, strict=True):
        if scale:
            row[:] = [x / scale for x in row]
    pivots: list[tuple[int, int]] = []
    for _ in range(min(len(rows), count)):
        free = [i for i in range(len(rows)) if i not in [p for p, _ in pivots]]
        left = [j for j in range(count) if j not in [q for _, q in pivots]]
        size, i, j = max((abs(rows[i][j]), -i, -j) for i in free for j in left)
        i, j = -i, -j
        # of 90 digits, what is so small is left over from rounding
        if size < Fraction(1, 10**30):
            break
        pivots.append((i, j))
        for k in free:
            if k != i:
                factor = rows[k][j] / rows[i][j]
                pairs = zip(rows[k], rows[i], strict=True)
                rows[k] = [_short(x - factor * y) for x, y in pairs]
    return pivots


def _within(rows: Sequence[Sequence[Fraction]], count: int) -> list[Fraction]:
    """Numbers from -1 to 1 that nearly meet the equations: projected on each in turn, and cut off.

    They choose among solutions where there are more decimals than equations.
    """
    shifts = [Fraction(0)] * count
    # where there is only one solution, one round is start enough for Newton's method
    for _ in range(1 if len(rows) == count else 40):
        for *row, wanted in rows:
            size = sum(x * x for x in row)
            missing = wanted - sum(x * e for x, e in zip(row, shifts, strict=True))
            if size:
                pairs = zip(row, shifts, strict=True)
                shifts = [_short(e + missing / size * x) for x, e in pairs]
        shifts = [max(Fraction(-1), min(Fraction(1), e)) for e in shifts]
    return shifts
