"""Formulas that have been confirmed: nothing that a rewriting gives is shown before this has doubted it.

    derivative(root, "x")                 the derivative of a graph, as the nicest formula that is confirmed
    simplify(root, "factored")            a graph in another form, likewise
    confirm.strict = True                 tests: a formula that fails is an `AssertionError`, and more points are tried
    confirm.enabled = False               tests: whatever the rewriting gives is taken

A formula is written as text, the text is read again by the parser, and what was read is compared with what it should
be, at points of both signs and several scales that follow from the text: a derivative with the slope that the reverse sweep
gives for the original, another form with the value of the original. Both come with bounds, and a formula fails where
they are apart, or where it has no value and should have one. Then the next, plainer formula is tried; the last is what
the rules of the table give, unsimplified, and what cannot be confirmed because no point is in its domain is shown like that.

A derivative of higher order is compared with the slope of the confirmed formula of the order before. Doubles with the
cheap test of `sweeps.rounding` decide nearly always, balls elsewhere. The work is counted in operations: a large
formula is compared at fewer points, but at one at least, and one whose text is too long to be shown whole is compared as the
graph that it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from zlib import crc32

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError, Span
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.language.parser import read
from exprgrad.notation.text import text_up_to
from exprgrad.operations.number_types import Fault
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.operations.table import POW
from exprgrad.sweeps.answer import answer
from exprgrad.sweeps.bounds import BOUNDED, NEAREST, UNDECIDED, UNDEFINED, Bounds, Known
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.tape import Tape, primals
from exprgrad.symbolic import derivative as rules
from exprgrad.symbolic import simplify as forms

enabled = True
"""Whether formulas are confirmed; without, a test sees what the rewriting gives."""

strict = False
"""Whether a formula that fails is an error."""

ENOUGH, TRIES, MOST_TRIES = 8, 24, 96
"""Points that agree, where there are so many; looks for them; and looks where none has agreed so far."""

ENOUGH_STRICTLY = 40

LONGEST = 20_000
"""Characters of a text that is read again."""

MOST_WORK, OF_BALLS = 60_000, 30
"""Operations at all points together, and how many times one on balls counts."""

OF_DOUBLES, MOST_DIGITS = 15, 100
"""Digits of a number up to which doubles tell it from others, and most of those that are looked at."""

CLOSE = 1e-9
"""The relative error of numbers that are compared."""

Point = Mapping[str, Any]
"""Floats by name, each the number that it stores, or what else a `Coordinate` is made of."""


class Objection(NamedTuple):
    """Why a formula is not shown: at a point it gives another number than it should, or none."""

    formula: str
    at: Point
    given: Known | None
    wanted: Known | None


def derivative(
    root: Value,
    name: str,
    order: int = 1,
    most: int | None = None,
    span: Span | None = None,
) -> Value:
    """The derivative of that order with respect to the variable of that name, confirmed: see `symbolic.derivative`."""
    for k in range(order):
        limit = rules.MOST_OPERATIONS if k else most
        found = rules.derivative(root, name, 1, limit, span)
        if not any(is_variable(n) and n.name == name for n in topological(root)):
            return found  # 0, and so are all that follow
        plain = partial(rules.tangent, root, name)
        truth = Quantity(root, name)
        root = confirmed(truth, found, lambda p=plain: forms.collected(p()), plain)  # type: ignore[misc] # bound now
    return root


def simplify(root: Value, form: str = "short") -> Value:
    """A graph in one of the forms of `symbolic.simplify`, or in a plainer one that is confirmed."""
    found = forms.simplify(root, form)
    if root.operation is None:
        return found
    return confirmed(Quantity(root), found, partial(forms.collected, root), lambda: root)  # fmt: skip


def collected(root: Value) -> Value:
    """A graph with like terms collected, confirmed: see `symbolic.simplify`."""
    return confirmed(Quantity(root), forms.collected(root), lambda: root)


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
            given, wanted = objection.given, objection.wanted
            raise AssertionError(
                f"{objection.formula} is {given} at {dict(objection.at)}, and should be {wanted}"
            )
        found = other()
    return found


def refuted(
    formula: Value, truth: Quantity, plain: Callable[[], Value]
) -> Objection | None:
    """What speaks against showing a formula; None if it was confirmed.

    That it has no value at a point does not if the `plain` formula of the rules has none there either.
    """
    text = text_up_to(formula, LONGEST)
    if text is None:
        text, found = "a long formula", Quantity(formula)
    else:
        try:
            found = Quantity(read(text, truth.tape.variables).root)
        except ExprgradError as error:
            return Objection(f"{text} ({error.message})", {}, None, None)
    if not found.tape.variables.keys() <= truth.tape.variables.keys():
        return Objection(text, {}, None, None)
    digits = max(truth.longest, found.longest)
    enough, tries, agreed, spent = ENOUGH, TRIES, 0, 0
    if strict:
        enough, tries = ENOUGH_STRICTLY, MOST_TRIES
    for i, at in enumerate(points(truth, text)):
        if agreed >= enough or (agreed and (i >= tries or spent > MOST_WORK)):
            return None
        wanted = truth.at(at, digits)
        spent += truth.spent
        if wanted is None or _number(wanted) is None:
            continue
        given = found.at(at, digits) or found.surely(at, digits)
        spent += found.spent
        if given.status == UNDEFINED:
            if Quantity(plain()).surely(at, digits).status != UNDEFINED:
                return Objection(text, at, given, wanted)
        elif _number(given) is not None:
            apart, width = _compared(given, wanted, digits)
            if apart > width:
                return Objection(text, at, given, wanted)
            agreed += 1
    if agreed or not any(found.at(at) for at in points(truth, text)):
        return (
            None  # where there is no value to compare with, the formula has none either
        )
    return Objection(text, {}, None, None)


def _number(known: Known) -> Any:
    """The number that is known; None if there is none."""
    return known.value if known.middle is None else known.middle


def _compared(a: Known, b: Known, digits: int) -> tuple[Any, Any]:
    """How far two numbers are apart, and how far they may be if they are the same."""
    x, y = _number(a), _number(b)
    if digits <= OF_DOUBLES and a.value is not None and b.value is not None:
        return abs(a.value - b.value), (a.error + b.error) * (1 + 1e-15) + 5e-324
    known = min(k.sure if k.value or k.middle is not None else digits for k in (a, b))
    size = max(abs(x), abs(y))
    return abs(x - y), size * 2 * size.__class__(10) ** (1 - known) + a.error * (not x) + b.error * (not y)  # fmt: skip


class Quantity:
    """A graph's value, or its slope with respect to a variable, at points.

    `spent` is the work of the last look, in operations; `longest` the digits of the longest number in the graph.
    """

    def __init__(self, root: Value, slope: str | None = None) -> None:
        order = topological(root)
        self.tape = Tape(root, [item for item in order if is_variable(item)])
        self.wrt = [] if slope is None else [slope]
        self.bounds, self.spent = Bounds(self.tape), 0
        self.constants = [
            item for item in order if isinstance(item, Constant) and item.name is None
        ]
        self.longest = max(map(_length, self.constants), default=0)

    def at(self, point: Point, digits: int = 0) -> Known | None:
        """What is known of it at a point; None where doubles find no value on the way."""
        own = {name: point[name] for name in self.tape.variables}
        self.spent = len(self.tape.nodes)
        if all(type(number) is float for number in own.values()):
            if digits <= OF_DOUBLES:
                exact = [0.0] * len(own)
                found = self.bounds.checked(own, exact, self.wrt, CLOSE)
                if found is not None:
                    at = self.tape.variables[self.wrt[0]] if self.wrt else 0
                    number = found.adjoints[at] if self.wrt else found.values[-1]
                    return Known(number, CLOSE * abs(number), BOUNDED)
            try:
                primals(self.tape, own)
            except (Fault, *ARITHMETIC):
                return None
        return self.surely(point, digits)

    def surely(self, point: Point, digits: int = 0) -> Known:
        """The same by balls, and at corners by germs."""
        own = {name: Coordinate.of(point[name]) for name in self.tape.variables}
        wanted = min(digits, MOST_DIGITS) + NEAREST if digits > OF_DOUBLES else 9
        try:
            found = answer(self.bounds, own, self.wrt, wanted)
        except (ExprgradError, *ARITHMETIC):
            return Known(None, math.inf, UNDECIDED)
        self.spent += OF_BALLS * len(self.tape.nodes) * (1 + found.level // 100)
        return next(iter(found.partials.values()), found.value)


def _length(number: Constant) -> int:
    """How many digits a number has."""
    ratio = number.ratio
    return 0 if ratio is None else len(str(max(map(abs, ratio))))


SCALES = (0.5, 2.0, 1.0, 0.25, 4.0, 0.0625, 1.0, 16.0, 0.5, 2.0, 0.125, 8.0, 64.0)
"""Between these and their doubles lie coordinates."""

WHOLE = (7.0, -5.0, 3.0, -8.0, 12.0, -3.0)
"""Values of variables that stand in exponents: with others there is no power of a negative number."""


def points(truth: Quantity, text: str) -> Iterator[Point]:
    """Points in general position, always the same for the same text: of all signs, of several scales, and near its numbers."""
    names, chance = list(truth.tape.variables), crc32(text.encode())
    own = [abs(c.data) for c in truth.constants if c.data]
    near = [c for c in dict.fromkeys(own) if 0.001 < c < 1e9 and c != 1]
    raised = _in_exponents(truth.tape)
    for k in range(MOST_TRIES if names else 1):
        at = {}
        for j, name in enumerate(names):
            chance = (chance * 1103515245 + 12345) % 2**31
            part = (chance >> 12) % 61 / 64 + 1 / 128
            scale, first = SCALES[(k // 2 + 3 * j) % len(SCALES)], 1 + part
            if near and k % 4 > 1 and k > 3:
                scale, first = near[(k // 4 + j) % len(near)], 0.75 + part / 2
            sign = -1 if (k >> j) & 1 else 1
            at[name] = sign * scale * first
            if name in raised and k % 3:
                at[name] = WHOLE[(k + j) % len(WHOLE)]
        yield at


def _in_exponents(tape: Tape) -> set[str]:
    """The variables that stand in exponents."""
    exponents: Sequence[Value] = [
        tape.nodes[step.operands[1]] for step in tape.steps if step.operation.rule == POW.rule
    ]  # fmt: skip
    inner = [item for root in exponents for item in topological(root)]
    return {item.name or "" for item in inner if is_variable(item)}
