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
from itertools import chain, islice

from exprgrad.annotations import Any
from exprgrad.expressions.confirm import ENOUGH, ROUGH, Quantity, are_apart, points
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.language.parser import read
from exprgrad.operations.number_types import Fault
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.operations.table import AND, DIV, NEG, OR, SQRT
from exprgrad.sweeps.bounds import CORNER, UNDECIDED, UNDEFINED, Known
from exprgrad.sweeps.coordinates import Coordinate, Point
from exprgrad.sweeps.tape import Tape, primals
from exprgrad.symbolic.conditions import Compared
from exprgrad.symbolic.derivative import is_nowhere

PI = Constant(math.pi, "pi")

Step = tuple[Value, str | None, Value]
"""A graph, the variable that it is differentiated by, if any, and the formula that was confirmed."""

MOST_WORK = 1500
"""The squares of the sizes of originals at the places where they are compared: germs take that long."""

BESIDE = (2.0**-8, 2.0**-24, 2.0**-32)
"""Distances from a place at which a formula is looked at, to see whether it grows without end."""


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
        looked: list[list[float | None]] = []
        beside = [at for at in islice(points(truth, ""), ENOUGH) if _is_inner(truth, at)]  # fmt: skip
        lost = [at for at in beside if formula.quickly(at) is None]
        for text, apart, zero in doubtful:
            condition = _condition(text, names)
            if any(_double(condition.tape, at) == 0 for at in lost):  # a piece is lost
                holding.append(condition)
                found.append(text)
                continue
            for at in _places(zero, names):
                place = [Coordinate.of(at[n]).double for n in names]
                left_out = any(other.surely(at).value == 0 for other in holding)
                if place in looked or left_out:
                    continue
                looked.append(place)
                is_amiss = False
                for own, its in ((truth, formula), *compounds):
                    spent += own.size**2 if own.wrt else own.size
                    is_amiss = is_amiss or _is_amiss(own, its, at, zero, spent)
                if is_amiss:
                    inside = [_double(condition.tape, x) for x in beside if x not in lost]  # fmt: skip
                    if condition.surely(at).value != 0 or 0.0 in inside:
                        text, condition = apart, _condition(apart, names)
                    holding.append(condition)
                    found.append(text)
                    break
    return tuple(found)


def _is_inner(truth: Quantity, at: Mapping[str, float]) -> bool:
    """Return whether there are values at a point and beside it: of x^x there is one at -3, and none beside it."""
    moved = {**at, **{name: at[name] * (1 + BESIDE[0]) for name in truth.wrt}}
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
    # A slope that grows without end, as that of sqrt(x) does at 0, is none: the formula is right to have no value.
    undefined = given.status == UNDEFINED and bool(truth.wrt)
    if undefined and _grows(formula, place, truth.wrt[0]):
        return False
    at = {n: Coordinate.of(x).double or 0.0 for n, x in place.items()}
    if spent > MOST_WORK:
        return _seems_amiss(given, truth, at)
    wanted = truth.surely(place)
    if not wanted.is_number:
        if wanted.status == UNDECIDED and truth.wrt:
            return given.status == UNDEFINED and _double(truth.tape, at) is not None
        here = any(item.name in truth.wrt for item in topological(zero))
        return wanted.status == CORNER and given.is_number and here
    if given.is_number:
        return are_apart(wanted, given)
    return given.status == UNDEFINED


def _seems_amiss(given: Known, truth: Quantity, at: Mapping[str, float]) -> bool:
    """Return whether doubles have a value where the formula has none, or secants on both sides that agree, and not with it."""
    if given.value is None:
        return given.status == UNDEFINED and _double(truth.tape, at) is not None
    if not truth.wrt:
        return False
    (name,), step = truth.wrt, BESIDE[1]
    around = [{**at, name: at[name] + k * step} for k in (-1, 0, 1)]
    match [_double(truth.tape, place) for place in around]:
        case [float(left), float(here), float(right)]:
            least = ROUGH * (abs(right - here) + abs(here - left) + step)
            off = abs(given.value * step - (right - left) / 2)
            return abs(right - 2 * here + left) <= least < off
    return False


def _grows(formula: Quantity, at: Point, name: str) -> bool:
    """Return whether a slope grows without end beside a place, so that there is none at it."""
    here = {n: Coordinate.of(x).double or 0.0 for n, x in at.items()}
    for side in (1, -1):
        beside = (here | {name: here[name] + side * h} for h in BESIDE)
        match [_double(formula.tape, place) for place in beside]:
            case [float(far), float(near), float(nearest)] if far:
                if abs(near) > 4 * abs(far) and abs(nearest) > 1.5 * abs(near):
                    return True
    return False


def _places(zero: Value, names: Collection[str]) -> Iterator[Point]:
    """Points where a graph is 0, and not all around, as far as they are found."""
    graph = Quantity(zero)
    numbers = [(own, Coordinate.of(own).double or 0.0) for own in _usual(graph)]
    parts = {n: 1.28125 + 0.40625 * j / len(names) for j, n in enumerate(names)}
    # other variables may be exponents: some between -1 and 0, and a whole one
    around = [
        {n: scale * part for n, part in parts.items()} for scale in (1, -1, 0.75, -0.5)
    ]
    origin = around[0] | dict.fromkeys(graph.tape.variables, 0.0)
    for at in (*around, dict.fromkeys(names, 2.0), origin):
        for name in graph.tape.variables:
            ends = [_double(graph.tape, at | {name: float(k)}) for k in range(3)]
            for place, near in (*_root(ends), *numbers):
                value, *beside = (
                    _double(graph.tape, at | {name: near + step})
                    for step in (0.0, -BESIDE[0], BESIDE[0])
                )
                if value is None or abs(value) > 1e-12 or beside == [0.0, 0.0]:
                    continue
                yield {**at, name: place}


def _double(tape: Tape, at: Mapping[str, float]) -> float | None:
    try:
        return primals(tape, {name: at[name] for name in tape.variables})[tape.root]
    except (Fault, *ARITHMETIC):
        return None


def _root(values: Sequence[float | None]) -> Iterator[tuple[Any, float]]:
    """Yield where a line through values at 0, 1 and 2 is 0."""
    from fractions import Fraction

    if None not in values:
        a, b, c = (Fraction(value or 0.0) for value in values)
        # In fractions, equal differences are no matter of rounding.
        if a != b and c - b == b - a:
            yield a / (a - b), float(a / (a - b))


def _usual(graph: Quantity) -> Iterator[Any]:
    """Numbers at which functions are often 0."""
    own = [c.data for c in graph.constants if c.data and c.data > 0]
    for number in dict.fromkeys((0.0, 1.0, 2.0, 0.5, *own)):
        yield from (number, -number)
    for part in (*own, *(node(DIV, (PI, Constant(k))) for k in (1.0, 2.0, 4.0))):
        root = part if isinstance(part, Value) else node(SQRT, (Constant(part),))
        yield from (root, node(NEG, (root,)))
