"""Formulas that have been confirmed: nothing that a rewriting gives is shown before this has doubted it.

    derivative(root, "x")                 the derivative of a graph, as the nicest formula that is confirmed
    simplify(root, "factored")            a graph in another form, likewise
    confirm.strict = True                 tests: a formula that fails is an `AssertionError`, and more points are tried
    confirm.enabled = False               tests: whatever the rewriting gives is taken

A formula is written as text, the text is read again by the parser, and what was read is compared with what it should
be, at points of both signs and several scales that follow from the text: a derivative with the slope that the reverse
sweep gives for the original, another form with the value of the original. Both come with bounds, and a formula fails
where they are apart, or where it has no value and should have one. Then the next, plainer formula is tried; the last is
what the rules of the table give, unsimplified, and what cannot be confirmed because no point is in its domain is shown
like that.

A derivative of higher order is compared with the slope of the confirmed formula of the order before. Doubles with the
cheap test of `sweeps.rounding` decide nearly always, balls elsewhere. The work is counted in operations: a large
formula is compared at fewer points, but at one at least, and one whose text is too long to be shown whole is compared
as the graph that it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache, partial
from zlib import crc32

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import STAGES, share, spend
from exprgrad.errors import ExprgradError, Span
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.unknown import stand_ins, unknown_in
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.language.parser import read
from exprgrad.language.undefined import keeping
from exprgrad.lazy import computed_once
from exprgrad.notation.text import text_up_to, to_text
from exprgrad.operations.number_types import Fault
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.operations.table import POW, POW_EVEN, POW_ODD
from exprgrad.sweeps.answer import answer
from exprgrad.sweeps.bounds import BOUNDED, NEAREST, UNDECIDED, UNDEFINED, Bounds, Known
from exprgrad.sweeps.coordinates import Coordinate, Point
from exprgrad.sweeps.rounding import Rounding
from exprgrad.sweeps.tape import Primals, Tape, primals, pull_back
from exprgrad.symbolic import derivative as rules
from exprgrad.symbolic import simplify as forms

enabled = True
"""Confirm formulas; without this, a test sees what the rewriting gives."""

strict = False
"""Raise an error for a formula that fails."""

ENOUGH, TRIES, MOST_TRIES = 8, 24, 96
"""Points that agree, where there are so many; looks for them; and looks where none has agreed so far."""

ENOUGH_STRICTLY = 20

LONGEST = 20_000
"""Characters of a text that is read again."""

MOST_WORK, LIMIT, OF_BALLS = 20_000, STAGES["confirming formulas"], 30
"""Operations at all points together, those if none has agreed so far, and how many times one on balls counts."""

OPEN = 2
"""Points at which balls are asked in any case where doubles do not decide, and are apart."""

OF_DOUBLES, MOST_DIGITS = 15, 100
"""Digits of a number up to which doubles tell it from others, and most of those that are looked at."""

CLOSE, ROUGH = 1e-8, 1e-3
"""The relative error of numbers that are compared, and of doubles that say nothing against it."""


class Objection(NamedTuple):
    """Why a formula is not shown: at a point it gives another number than it should, or none."""

    formula: str
    at: Point
    given: Known | None
    wanted: Known | None

    def __str__(self) -> str:
        return f"{self.formula} is {self.given} at {dict(self.at)}, and should be {self.wanted}"


def derivative(
    root: Value,
    name: str,
    order: int = 1,
    most: int | None = None,
    span: Span | None = None,
) -> Value:
    """The derivative of that order with respect to the variable of that name, confirmed: see `symbolic.derivative`.

    Raises `UsageError`, at `span`, if a formula of more than `most` operations (for orders above 1, `MOST_OPERATIONS`)
    is to be differentiated.
    """
    for k in range(order):
        if rules.is_nowhere(root):
            return root
        limit = rules.MOST_OPERATIONS if k else most
        found = rules.derivative(root, name, limit, span)
        plain = partial(rules.tangent, root, name)
        truth = Quantity(root, name)
        root = confirmed(truth, found, lambda p=plain: _collected(p()), plain)  # type: ignore[misc] # bound now
    return root


def simplify(root: Value, form: str = "short") -> Value:
    """A graph in one of the forms of `symbolic.simplify`, or in a plainer one that is confirmed."""
    found = forms.simplify(root, form)
    if root.operation is None or not has_text(root):
        return found
    return confirmed(Quantity(root), found, partial(_collected, root), lambda: root)


def collected(root: Value) -> Value:
    """A graph with like terms collected, confirmed: see `symbolic.simplify`."""
    return confirmed(Quantity(root), _collected(root), lambda: root)


def _collected(root: Value) -> Value:
    return forms.simplify(root, "collected")


def constant_parts(root: Value) -> list[Value]:
    """The largest parts of a graph without variables in them, but for single numbers."""
    varying: dict[Value, None] = {}
    for item in topological(root):
        if is_variable(item) or any(operand in varying for operand in item.operands):
            varying[item] = None
    beside = [part for item in varying for part in item.operands] if varying else [root]
    return [p for p in beside if p not in varying and p.operation is not None]


def confirmed(truth: Quantity, found: Value, *plainer: Callable[[], Value]) -> Value:
    """The formula that was found if it is what it should be, else the first plainer one that is; the last if none is.

    In the `strict` mode of tests, the one that was found must be.
    """
    if not enabled or truth.tape.on_arrays:  # there are no arrays to compare them at
        return found
    for other in plainer:
        objection = refuted(found, truth, plainer[-1])
        if objection is None:
            break
        if strict and objection.wanted is not None:
            raise AssertionError(str(objection))
        found = other()
    return found


def latex(formula: Value) -> str:
    """A formula in LaTeX if that is read as what it is, else its text in LaTeX; names that LaTeX lacks are not read."""
    from exprgrad.language.latex import reader
    from exprgrad.notation.latex import latex as written

    tex, truth = written(formula), Quantity(formula)
    if not enabled or len(tex) > LONGEST or truth.tape.on_arrays:
        return tex
    try:
        again = Quantity(reader.read(tex, truth.tape.variables).sides[-1].root)
    except ExprgradError:
        return tex
    if not again.tape.variables.keys() <= truth.tape.variables.keys():
        return tex
    objection = compared(tex, again, truth, lambda: formula)
    if objection is None or objection.wanted is None:
        return tex
    if strict:
        raise AssertionError(str(objection))
    return rf"\texttt{{{to_text(formula)}}}"


def refuted(
    formula: Value, truth: Quantity, plain: Callable[[], Value]
) -> Objection | None:
    """Return what speaks against showing a formula; None if it was confirmed.

    That it has no value at a point does not if the `plain` formula of the rules has none there either.
    """
    text = text_of(formula)
    try:
        with keeping() if unknown_in(formula) else nullcontext():
            found = Quantity(formula if text is None else read(text, truth.tape.variables).root)  # fmt: skip
    except ExprgradError as error:
        return Objection(f"{text} ({error.message})", {}, None, None)
    if not found.tape.variables.keys() <= truth.tape.variables.keys():
        return Objection(text or "", {}, None, None)
    return compared(text or "a long formula", found, truth, plain)


# Asked by `refuted`, and again by whoever shows the formula.
@lru_cache(1)
def text_of(formula: Value) -> str | None:
    """The text of a formula, unless it is too long to be read again; it is kept until that of another is asked for."""
    return text_up_to(formula, LONGEST)


def has_text(formula: Value) -> bool:
    """Return whether a text can say what it is: not of rules in symbols for x^(p/q), whose exponent is a variable."""
    return not any(
        item.operation in (POW_ODD, POW_EVEN)
        and any(map(is_variable, topological(item.operands[1])))
        for item in topological(formula)
    )


def compared(
    text: str, found: Quantity, truth: Quantity, plain: Callable[[], Value]
) -> Objection | None:
    """Return what speaks against what was read; None if it agrees with what it should be."""
    sides = Sides(text, found, truth, plain)
    try:
        for i, at in enumerate(points(sides.truth, sides.text)):
            # numbers of more digits than doubles have are left to balls
            left = len(sides.apart) + len(sides.open)
            if sides.is_enough(i) or (sides.is_long and left >= ENOUGH):
                break
            objection = sides.by_doubles(at)
            if objection is not None:
                return objection
        # where doubles do not decide, balls do; always at some where doubles are apart: that may be a piece of its own
        few = min(OPEN, len(sides.apart))
        for i, place in enumerate([*spread(sides.apart, OPEN), *sides.open]):
            if sides.is_enough(i) and (i >= few or sides.spent > share(MOST_WORK)):
                return None
            objection = sides.by_balls(place)
            if objection is not None:
                return objection
        return None if sides.agreed else sides.where_it_has_values()
    finally:
        spend(sides.spent, "confirming formulas")


def spread(places: Sequence[Point], count: int) -> list[Point]:
    """These places in another order: the first `count` are spread over all of them."""
    step = max(1, -(-len(places) // count))
    return [at for k in range(step) for at in places[k::step]]


class Sides:
    """A formula beside what it should be, and what the comparison has come to so far."""

    def __init__(
        self, text: str, found: Quantity, truth: Quantity, plain: Callable[[], Value]
    ) -> None:
        self.text, self.found, self.truth, self.plain = text, found, truth, plain
        self.digits = max(truth.longest, found.longest)
        self.is_long = self.digits > OF_DOUBLES
        self.agreed, self.spent = 0, 0
        self.apart: list[Point] = []
        """Points where doubles of the two are apart, and do not decide."""
        self.open: list[Point] = []
        """Points where they are near to each other, and do not decide."""

    def is_enough(self, tried: int) -> bool:
        """Return whether there are points enough, or so many tries or so much work."""
        enough, tries = (ENOUGH_STRICTLY, MOST_TRIES) if strict else (ENOUGH, TRIES)
        over = tried >= tries or self.spent > share(MOST_WORK)
        limit = share(LIMIT)
        return self.agreed >= enough or self.spent > limit or (over and self.agreed > 0)

    def by_doubles(self, at: Mapping[str, float]) -> Objection | None:
        """Return what doubles say against the formula at a point, which is kept for balls if they do not decide."""
        found, truth = self.found, self.truth
        wanted = truth.quickly(at)
        self.spent += truth.size
        if wanted is None:
            return None
        given = found.quickly(at)
        self.spent += found.size
        number, other = wanted.number, None if given is None else given.number
        if not self.is_long:
            if are_close(number, other):
                # errors do not lead one to what the other is known to be
                if found.is_sure(given) or truth.is_sure(wanted):
                    self.agreed += 1
                    return None
            elif (given is None or found.is_sure(given)) and truth.is_sure(wanted):
                return self.objection(at, truth.known(wanted), found.known(given))
        near = number == other or are_close(number, other, ROUGH)
        (self.open if near else self.apart).append(at)
        return None

    def by_balls(self, at: Point) -> Objection | None:
        """Return what balls say against it at a point."""
        wanted = self.truth.surely(at, self.digits)
        self.spent += OF_BALLS * (self.truth.size + self.found.size)
        if not wanted.is_number:
            return None
        return self.objection(at, wanted, self.found.surely(at, self.digits))

    def objection(self, at: Point, wanted: Known, given: Known) -> Objection | None:
        """Return what a point says against the formula, which counts as one more that agrees if it does not."""
        if given.status == UNDEFINED:
            given = self.found.surely(at, self.digits)
        if given.status == UNDEFINED:
            lost = Quantity(self.plain()).surely(at, self.digits).status != UNDEFINED
            return Objection(self.text, at, given, wanted) if lost else None
        if not given.is_number:
            return None
        if are_apart(given, wanted, self.digits):
            return Objection(self.text, at, given, wanted)
        self.agreed += 1
        return None

    def where_it_has_values(self) -> Objection | None:
        """Return what speaks against a formula that agreed nowhere: values where there should be none, and the plain one has none.

        Where the rules divide by 0, the slope of sqrt(x - x) is known to balls alone.
        """
        more, is_open = None, False
        plain: Quantity | None = None
        for i, at in enumerate(points(self.truth, self.text)):
            if self.is_enough(i):
                return None
            given = self.found.known(self.found.quickly(at), self.digits)
            self.spent += self.found.size
            if given.status == UNDECIDED:
                given = self.found.surely(at, self.digits)
                self.spent += OF_BALLS * self.found.size
            if not given.is_number:
                continue
            wanted = self.truth.surely(at, self.digits)
            self.spent += OF_BALLS * self.truth.size
            if wanted.is_number:
                objection = self.objection(at, wanted, given)
                if objection is not None:
                    return objection
            elif wanted.status == UNDECIDED:
                is_open = True
            elif more is None:  # no formula says that acoth(sin(x)) has no value
                plain = plain or Quantity(self.plain())
                if not plain.surely(at, self.digits).is_number:
                    more = Objection(self.text, at, given, None)
        return None if self.agreed or is_open else more


def _number(known: Known) -> Any:
    return known.value if known.middle is None else known.middle


def are_close(a: float | None, b: float | None, error: float = CLOSE) -> bool:
    """Return whether two doubles are nearly the same, and not 0."""
    return (
        a is not None and b is not None and abs(a) > 0 and abs(a - b) <= error * abs(a)
    )


def are_apart(a: Known, b: Known, digits: int = 0) -> bool:
    """Return whether two numbers are known to be different; with more digits than those of doubles if that is asked for."""
    if digits <= OF_DOUBLES and a.value is not None and b.value is not None:
        # The sum of bounds is rounded, too, and a bound below the range of doubles is 0.
        return abs(a.value - b.value) > (a.error + b.error) * (1 + 1e-15) + 5e-324
    from exprgrad.numbers.real import kept

    x, y, most = _number(a), _number(b), asked_for(digits)
    off = sum(k.error if k.middle is None else abs(k.middle) * kept(10) ** (1 - min(k.sure, most)) for k in (a, b))  # fmt: skip
    return bool(abs(x - y) > off)


class Swept(NamedTuple):
    """The number that a sweep on doubles gave, if it is one, and the sweep."""

    number: float | None
    values: Primals
    adjoints: list[float]
    gathered: Mapping[int, float]


class Quantity:
    """A graph's value, or its slope with respect to a variable, at points.

    `size` is the work of a look, in operations, `longest` the digits of the longest number in the graph.
    """

    def __init__(self, root: Value, slope: str | None = None) -> None:
        root = stand_ins(root)
        order = topological(root)
        ends = [item for item in order if item.operation is None]
        variables = [item for item in ends if not item.is_constant]
        leaves = {item.name or "": item for item in variables}
        if slope is not None and slope not in leaves:
            root, slope, leaves, order = Constant(0.0), None, {}, []
        elif len(variables) > len(leaves):  # put together from several texts
            others = {item: leaves[item.name or ""] for item in variables}
            root, order = replaced(root, others), []
        self.tape = Tape(root, leaves.values(), order)
        self.wrt = [] if slope is None else [slope]
        self.size, self.active = len(self.tape.nodes), self.tape.active(self.wrt)
        self.place = self.tape.variables[slope] if slope else None
        self.constants = [n for n in ends if isinstance(n, Constant) and n.name is None]
        self.longest = max(map(_length, self.constants), default=0)

    @computed_once
    def bounds(self) -> Bounds:
        """The tape, prepared for sweeps with bounds."""
        return Bounds(self.tape)

    @computed_once
    def _rounding(self) -> Rounding:
        exact = [0.0] * len(self.tape.variables)
        return self.bounds.rounding(exact, self.wrt)

    def quickly(self, point: Mapping[str, float]) -> Swept | None:
        """A sweep on doubles at a point; None where there is no value."""
        gathered: Mapping[int, float] = {}
        adjoints: list[float] = []
        try:
            values = primals(self.tape, point)
            number = values[self.tape.root]
            if self.place is not None:
                adjoints, gathered = pull_back(self.tape, values, self.active)
                number = adjoints[self.place]
        except (Fault, *ARITHMETIC):
            return None
        if number is not None and not math.isfinite(number):
            number = None
        return Swept(number, values, adjoints, gathered)

    def is_sure(self, swept: Swept | None) -> bool:
        """Return whether a sweep gave a number, and the test of its errors gives no alarm."""
        if swept is None or swept.number is None:
            return False
        return self._rounding.check(*swept[1:], CLOSE) is not None

    def known(self, swept: Swept | None, digits: int = 0) -> Known:
        """Return what a sweep on doubles says; numbers of more digits it does not decide."""
        if swept is None:
            return Known(None, math.inf, UNDEFINED)
        number = swept.number
        if number is None or digits > OF_DOUBLES or not self.is_sure(swept):
            return Known(number, math.inf, UNDECIDED)
        return Known(number, CLOSE * abs(number), BOUNDED)

    def surely(self, point: Point, digits: int = 0) -> Known:
        """The same by balls, and at corners by germs."""
        own = {name: Coordinate.of(point[name]) for name in self.tape.variables}
        try:
            found = answer(self.bounds, own, self.wrt, asked_for(digits))
        except (ExprgradError, *ARITHMETIC):
            return Known(None, math.inf, UNDECIDED)
        return next(iter(found.partials.values()), found.value)


def asked_for(digits: int) -> int:
    """Return how many digits of a value are asked for where numbers have so many."""
    return min(digits, MOST_DIGITS) + NEAREST if digits > OF_DOUBLES else 9


def _length(number: Constant) -> int:
    """Return how many digits a number has, if they are more than those of doubles."""
    ratio = None if number.is_whole else number.ratio
    largest = max(map(abs, ratio or (0,)))
    if largest < 10**OF_DOUBLES:
        return 0
    # 0.30103 is the logarithm of 2 to the base 10: to write the number out would take longer.
    return int(largest.bit_length() * 0.30103) + 1


SCALES = (0.5, 2.0, 1.0, 0.25, 4.0, 0.0625, 1.0, 16.0, 0.5, 2.0, 0.125, 8.0, 64.0)
"""Between these and their doubles lie coordinates."""

WHOLE = (7.0, -5.0, 3.0, -8.0, 12.0, -3.0)
"""Values of variables that stand in exponents: with others there is no power of a negative number."""


def points(truth: Quantity, text: str) -> Iterator[dict[str, float]]:
    """Points in general position, always the same for the same text: of all signs, of several scales, and near its numbers."""
    names, chance = list(truth.tape.variables), crc32(text.encode())
    own = [abs(c.data) for c in truth.constants if c.data]
    near = [c for c in dict.fromkeys(own) if 0.001 < c < 1e9 and c != 1]
    powers = [step for step in truth.tape.steps if step.operation.rule == POW.rule]
    exponents = (topological(truth.tape.nodes[step.operands[1]]) for step in powers)
    raised = {item.name for own in exponents for item in own if is_variable(item)}
    for k in range(MOST_TRIES if names else 1):
        at = {}
        for j, name in enumerate(names):
            # The generator that the C standard gives as an example. Its low bits have short periods, and are left
            # out.
            chance = (chance * 1103515245 + 12345) % 2**31
            # With 1/128, no scale makes it a whole number, where sin(pi*x), floor(x) or x^y are special.
            part = (chance >> 12) % 61 / 64 + 1 / 128
            scale, first = SCALES[(k // 2 + 3 * j) % len(SCALES)], 1 + part
            if near and k % 4 > 1 and k > 3:
                scale, first = near[(k // 4 + j) % len(near)], 0.75 + part / 2
            # Every other point is positive throughout, where logarithms and roots have values.
            sign = -1 if k % 2 and ((k + 1) >> (j + 1)) & 1 else 1
            at[name] = sign * scale * first
            if name in raised and k % 3:
                at[name] = WHOLE[(k + j) % len(WHOLE)]
        yield at
