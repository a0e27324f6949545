"""Statements beside a formula: the conditions under which it is what it should be.

    stated(f.root, d.root, ("x",), [(f.root, "x", d.root)])       of f = |x|: ("x != 0",)

A formula may have a value where the original has none, as x + 1 for (x^2 - 1)/(x - 1) does at 1, and none or another
one where the original has one: sign(x) for the slope of max(x, x^3) at 0. The places where that may be follow from what
operations ask of their arguments and from their corners; they are solved for where that is simple, and both are looked
at there.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise, product

from exprgrad.annotations import Any
from exprgrad.expressions.confirm import ENOUGH, ROUGH, Quantity, are_apart, points
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.language.parser import read
from exprgrad.operations.number_types import Fault
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.operations.table import AND, DIV, OR
from exprgrad.sweeps.bounds import CORNER, EXACT, UNDECIDED, UNDEFINED
from exprgrad.sweeps.coordinates import Coordinate, Point
from exprgrad.sweeps.tape import Tape, primals
from exprgrad.symbolic.conditions import Compared
from exprgrad.symbolic.derivative import is_nowhere

Step = tuple[Value, str | None, Value]
"""A graph, the variable that it is differentiated by, if any, and the formula that was confirmed."""

MOST_WORK = 1500
"""The squares of the sizes of originals at the places where they are compared: germs take that long."""

GRID = [k * abs(k) / 10 + 0.15625 for k in range(-32, 33)]
CELLS = sorted(pairwise(GRID), key=lambda ends: abs(ends[0]))
"""Pairs of numbers between which it is looked for a change of sign, the smallest first."""

BESIDE, STEEP, CLOSE = (-(2.0**-40), 2.0**-40), 2.0**13, 2.0**-30
"""Where an original is looked at on both sides of a place; the slope there of what has none at it; what is taken for 0."""


def stated(
    root: Value, result: Value, wrt: Collection[str], steps: Sequence[Step]
) -> tuple[str, ...]:
    """Return where the result, of these steps, is what it should be: the conditions `x != 1` that leave out where it is not.

    There the original has no value and the result has one, or the other way round, or both have different ones. Of
    derivatives, only single values of the variables are named at which the original has no value or no slope.
    """
    if is_nowhere(result):
        return ()
    compared = Compared(root, result)
    found = compared.lost(wrt or None)
    for before, name, after in steps:
        if (before, after) != (root, result):
            compared = Compared(before, after)
        doubtful = compared.doubtful()
        truth, formula, spent = Quantity(before, name), Quantity(after), 0
        names = truth.tape.variables
        if not doubtful or not names:
            continue
        parted = _in_parts(before, after)
        compounds = [(Quantity(a, name), Quantity(b)) for a, b in parted]
        conditions = [_condition(text, names) for text in found]
        holding = [c for c in conditions if c.tape.variables.keys() <= names.keys()]
        amiss: list[list[float]] = []
        beside = [at for at in islice(points(truth, ""), ENOUGH) if _is_inner(truth, at)]  # fmt: skip
        lost = [at for at in beside if formula.quickly(at) is None]
        asked = [Quantity(compared.writer.graph(c.form)).tape for c in compared.kept]
        for text, apart, zero in doubtful:
            condition = _condition(text, names)
            if any(_double(condition.tape, at) == 0 for at in lost):  # a piece is lost
                holding.append(condition)
                found.append(text)
                continue
            nearly = islice(_crossings(zero, truth, asked), ENOUGH)
            for at in chain[Point](_places(zero, names), nearly):
                place = [Coordinate.of(at[n]).double or 0.0 for n in names]
                left_out = any(math.dist(place, other) < CLOSE for other in amiss)
                if left_out or any(other.surely(at).value == 0 for other in holding):
                    continue
                is_amiss = False
                for own, its in ((truth, formula), *compounds):
                    spent += own.size**2 if own.wrt else own.size
                    is_amiss = is_amiss or _is_amiss(own, its, at, zero, spent)
                if is_amiss:
                    inside = [_double(condition.tape, x) for x in beside if x not in lost]  # fmt: skip
                    if condition.surely(at).value != 0 or 0.0 in inside:
                        text, condition = apart, _condition(apart, names)
                    holding.append(condition)
                    amiss.append(place)
                    found.append(text)
                    break
    return tuple(found)


def _is_inner(truth: Quantity, at: Mapping[str, float]) -> bool:
    """Return whether there are values at a point and beside it: of x^x there is one at -3, and none beside it."""
    moved = {**at, **{name: at[name] * (1 + 2.0**-8) for name in truth.wrt}}
    return None not in (_double(truth.tape, at), _double(truth.tape, moved))


def _condition(text: str, names: Collection[str]) -> Quantity:
    """1 where a condition holds, and 0 where it does not."""
    return Quantity(read(f"if({text}, 1, 0)", names).root)


def _in_parts(before: Value, after: Value) -> Iterator[tuple[Value, Value]]:
    """Yield two graphs with some parts of `a and b` left out, so that only those about the same variables remain.

    Of `if(0 < x and 5 < y and y < 6, x, 2)`, the jump at x = 0 is seen at any y then.
    """

    def names_of(part: Value) -> set[str]:
        return {item.name or "" for item in topological(part) if is_variable(item)}

    def parts(item: Value) -> Iterator[Value]:
        is_joined = item.operation in (AND, OR)
        return chain(*map(parts, item.operands)) if is_joined else iter((item,))

    joined = [item for item in topological(before) if item.operation in (AND, OR)]
    groups = dict.fromkeys(
        frozenset(names_of(p)) for item in joined for p in parts(item)
    )
    for group in groups if len(groups) > 1 else ():

        def kept(
            item: Value, operands: tuple[Value, ...], group: frozenset[str] = group
        ) -> Value | None:
            if item.operation not in (AND, OR):
                return None
            is_kept = [any(names_of(p) == group for p in parts(o)) for o in item.operands]  # fmt: skip
            return operands[is_kept.index(True)] if is_kept.count(True) == 1 else None

        yield rebuilt(before, kept), rebuilt(after, kept)


def _is_amiss(
    truth: Quantity, formula: Quantity, place: Point, zero: Value, spent: int
) -> bool:
    """Return whether a formula has no value, or another one, where it should have one, or one where there is none.

    Where the slope is undecided, a formula without a value is taken to be amiss if the original has one.
    """
    given = formula.surely(place)
    at = {n: Coordinate.of(x).double or 0.0 for n, x in place.items()}
    moved = ({**at, n: at[n] + step} for n in truth.wrt for step in BESIDE)
    sides = [side for side in map(truth.quickly, moved) if side is not None]
    slopes = [side.number for side in sides if side.number is not None]
    heights = [side.values[truth.tape.root] or 0.0 for side in sides]
    # A slope that grows without end, as that of sqrt(x) does at 0, is none: the formula is right to have no value.
    is_steep = max(map(abs, slopes), default=0.0) > STEEP
    has_value = _double(truth.tape, at) is not None and not is_steep
    is_lost = given.status == UNDEFINED and has_value
    is_off = False
    if given.value is not None and len(slopes) == 2 and not is_steep:
        jump, least = heights[1] - heights[0], ROUGH * (abs(given.value) + 1)
        is_off = any(abs(x) > least for x in (jump, *(s - given.value for s in slopes)))
    if spent > MOST_WORK:
        return is_lost or is_off
    wanted = truth.surely(place)
    if not wanted.is_number:
        if wanted.status == UNDECIDED and truth.wrt:
            return is_lost
        here = any(item.name in truth.wrt for item in topological(zero))
        return wanted.status == CORNER and given.is_number and here
    if given.is_number:
        # just beside a corner, its two slopes are seen, and just there what a slope that swings is, as that of x^2 sin(1/x)
        is_off = is_off and Quantity(zero).surely(place)[:3] != (0.0, 0.0, EXACT)
        return is_off or are_apart(wanted, given)
    return given.status == UNDEFINED


def _places(zero: Value, names: Collection[str]) -> Iterator[Point]:
    """Points where a graph is 0, and not all around, as far as they are found."""
    graph = Quantity(zero)
    own = [c.data for c in graph.constants if c.data and c.data > 0]
    usual: list[Any] = [(x, x) for n in (0.0, 1.0, 2.0, 0.5, *own) for x in (n, -n)]
    usual += [(node(DIV, (Constant(math.pi, "pi"), Constant(k))), math.pi / k) for k in (1.0, 2.0, 4.0)]  # fmt: skip
    # of so few bits that roots are found without rounding
    step = 0.40625 * 2.0 ** -(len(names) - 1).bit_length()
    sizes = [1.28125 + step * j for j in range(len(names))]
    # other variables may be exponents: some between -1 and 0, and a whole one
    around = [dict(zip(names, (scale * x for x in sizes), strict=True)) for scale in (1, -1, 0.75, -0.5)]  # fmt: skip
    origin = around[0] | dict.fromkeys(graph.tape.variables, 0.0)
    around += dict.fromkeys(names, 2.0), origin
    # each variable is the greatest once, and the least: two that tie in max(a, b, c) count above the third
    around += [dict(zip(names, sizes[k:] + sizes[:k], strict=True)) for k in range(1, len(names))]  # fmt: skip
    # the only variable is at one place after the other anyway
    for at in around if len(names) > 1 else (origin,):
        for name in graph.tape.variables:
            roots = [_root(graph.tape, at, name, *line) for line in ((0.0, 1.0), (at[name], 2.0**-6))]  # fmt: skip
            for place, near in dict.fromkeys((*chain(*roots), *usual)):
                value, *beside = (
                    _double(graph.tape, at | {name: near + step})
                    for step in (0.0, -(2.0**-8), 2.0**-8)
                )
                if value is None or abs(value) > 1e-12 or beside == [0.0, 0.0]:
                    continue
                yield {**at, name: place}


def _crossings(zero: Value, truth: Quantity, asked: Sequence[Tape]) -> Iterator[Any]:
    """Points beside which a graph changes its sign, as `x - cos(x)` does where no number is its root.

    None at which what a formula asks not to be 0, is: there it has no value.
    """
    tape = Quantity(zero).tape
    held = {n: 1.28125 + 0.40625 * j for j, n in enumerate(truth.tape.variables)}
    for name, (low, high) in product(truth.wrt, CELLS):
        below, above = (_double(tape, held | {name: x}) or 0.0 for x in (low, high))
        if below * above < 0:
            while low < (middle := (low + high) / 2) < high:
                value = _double(tape, held | {name: middle}) or 0.0
                low, high = (middle, high) if value * below > 0 else (low, middle)
            at = held | {name: low}
            away = [abs(_double(t, at) or 0.0) > CLOSE for t in (tape, *asked)]
            if all(away[1:]) and not away[0]:  # not at a pole, nor where it divides
                yield at


def _double(tape: Tape, at: Mapping[str, float]) -> float | None:
    try:
        return primals(tape, {name: at[name] for name in tape.variables})[tape.root]
    except (Fault, *ARITHMETIC):
        return None


def _root(
    tape: Tape, at: dict[str, float], name: str, start: float, step: float
) -> Iterator[tuple[Any, float]]:
    """Yield where a line through the values at three equal steps is 0."""
    from fractions import Fraction

    values = [_double(tape, at | {name: start + k * step}) for k in range(3)]
    if None not in values:
        a, b, c = (Fraction(value or 0.0) for value in values)
        # In fractions, equal differences are no matter of rounding.
        if a != b and c - b == b - a:
            root = Fraction(start) + Fraction(step) * a / (a - b)
            yield root, float(root)
