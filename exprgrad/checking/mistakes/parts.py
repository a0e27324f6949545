"""The parts of a line of a solution: their values at a few points, and what these would have to be.

    line = Line(tape, rows, write)
    [(str(part), part.value, part.due) for part in line.parts(due)]

A part with the value z has a due value d, with which the line comes out right if everything else stays. For a sum
a + b that should be s, the due of a is s - b; for a product, s/b; and so on down to the leaves.

Which term of a wrong answer is wrong, and what beside it is right.

    wrong_term(question, sides, points)        # of 2x cos(2x) for sin(x^2): the part 2x inside

A part is the wrong one if the answer becomes right with something simple in its place: another number, the other
sign, another function, or a part of the function or of its derivative.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import repeat

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.agreement import Sides
from exprgrad.checking.domain import tape_of
from exprgrad.checking.mistakes.catalogue import INNER_LEFT_OUT, QUOTIENT, WRONG_SIGN
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.points import Point
from exprgrad.checking.question import Question
from exprgrad.errors import Span
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, is_variable
from exprgrad.lazy import computed_once
from exprgrad.notation.text import to_text
from exprgrad.operations.number_types import Fault, Step
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation, named
from exprgrad.operations.table import ADD, CBRT, DIV, MUL, NEG, POW, SQRT, SUB
from exprgrad.sweeps.tape import Tape, primals
from exprgrad.symbolic.derivative import tangent

MOST_USES = 1500
"""Parts of a line that are looked at; one that is used twice counts twice."""

LARGEST_PART = 200
"""Numerator and denominator of a factor that is told."""

LARGEST_WRITTEN = 10_000
"""Above what any of these comes to."""

UNITS = {1.0: "", math.pi: "pi", math.e: "e", math.log(10): "ln(10)", math.log(2): "ln(2)"}  # fmt: skip
"""Numbers of which a factor that is told may be a short fraction."""

ENOUGH = 3
"""Points at which it must be known what a part should be."""


def _pointwise(
    function: Callable[[Any, Any], Any],
) -> Callable[[Quantity, Quantity | float], Quantity]:
    """A method of quantities that works point by point."""
    return lambda self, other: each(function, self, other)


class Quantity:
    """A number at each of a few points, nan where there is none; operations of the table run on it."""

    __slots__ = ("at",)

    def __init__(self, at: Iterable[float]) -> None:
        self.at = tuple(at)

    def __apply__(self, operation: Operation, arguments: Sequence[Any]) -> Quantity:
        return each(operation.kernel, *arguments)

    __add__ = _pointwise(operator.add)
    __radd__ = _pointwise(lambda a, b: b + a)
    __sub__ = _pointwise(operator.sub)
    __rsub__ = _pointwise(lambda a, b: b - a)
    __mul__ = _pointwise(operator.mul)
    __rmul__ = _pointwise(lambda a, b: b * a)
    __truediv__ = _pointwise(operator.truediv)
    __rtruediv__ = _pointwise(lambda a, b: b / a)
    __pow__ = _pointwise(operator.pow)

    def __neg__(self) -> Quantity:
        return each(operator.neg, self)

    @property
    def steady(self) -> float | None:
        """The number that it is wherever it is known; None if it varies."""
        known = [x for x in self.at if math.isfinite(x)]
        return known[0] if known and all(close(x, known[0]) for x in known) else None

    def gives(self, due: Quantity) -> bool:
        """Return whether it is the same as another one wherever that is known."""
        pairs = zip(self.at, due.at, strict=True)
        return all(close(x, d) for x, d in pairs if math.isfinite(d))

    def reaches(self, other: Quantity) -> bool:
        """Return whether it is known wherever another one is."""
        pairs = zip(self.at, other.at, strict=True)
        return all(math.isfinite(x) for x, y in pairs if math.isfinite(y))


def each(function: Callable[..., Any], *arguments: Quantity | float) -> Quantity:
    """Return what a function of numbers makes of quantities, point by point."""
    columns = [a.at if isinstance(a, Quantity) else repeat(a) for a in arguments]
    try:
        # hardly ever does a point fail, and map runs without Python's loop
        found = list(map(function, *columns))
    except (*ARITHMETIC, TypeError):
        found = [_number(function, own) for own in zip(*columns, strict=False)]
    if complex in map(type, found):
        found = [math.nan if isinstance(x, complex) else x for x in found]
    return Quantity(found)


def _number(function: Callable[..., Any], arguments: tuple[float, ...]) -> Any:
    try:
        return function(*arguments)
    except (*ARITHMETIC, TypeError):
        return math.nan


def close(a: float, b: float) -> bool:
    """Return whether two doubles are the same, as far as what was computed from cancelling numbers tells."""
    return abs(a - b) <= 1e-8 * (abs(a) + abs(b)) + 1e-13


def same(a: Quantity, b: Quantity) -> bool:
    """Return whether two quantities are the same at all points."""
    return all(map(close, a.at, b.at))


class Function(NamedTuple):
    """A function of one thing; its `kind` is the operation, or the exponent of a power."""

    operation: Operation
    inner: Part
    kind: Operation | float
    constants: tuple[Quantity, ...] = ()

    def of(self, argument: Quantity) -> Quantity:
        """Its value at another argument."""
        return each(self.operation.kernel, argument, *self.constants)


class Part:
    """A part of a line where it is used: its value, the one that is due, and what it stands in."""

    def __init__(
        self,
        line: Line,
        index: int,
        due: Quantity | None = None,
        within: Part | None = None,
    ) -> None:
        self.line, self.index, self.within = line, index, within
        self.value: Quantity = line.values[index]
        self.due = self.value if due is None else due
        self.step: Step | None = line.made.get(index)
        self.operation = None if self.step is None else self.step.operation

    def __str__(self) -> str:
        return self.line.write(self.index)

    @property
    def item(self) -> Value:
        """Its node in the graph."""
        return self.line.tape.nodes[self.index]

    @computed_once
    def operands(self) -> list[Part]:
        """Return what its operation is applied to."""
        operands = () if self.step is None else self.step.operands
        return [Part(self.line, j) for j in operands]

    @computed_once
    def constant(self) -> float | None:
        """Its value, if that is the same at all points."""
        is_variable = self.index in self.line.tape.variables.values()
        return None if is_variable else self.value.steady

    @computed_once
    def terms(self) -> list[tuple[int, Part]]:
        """Its summands, each with its sign."""
        return self._joined(ADD, SUB, -1)

    @computed_once
    def factors(self) -> list[tuple[int, Part]]:
        """Its factors, each with its power, 1 or -1; signs are left out."""
        return self._joined(MUL, DIV, 1)

    def _joined(
        self, joins: Operation, inverse: Operation, minus: int
    ) -> list[tuple[int, Part]]:
        """Return what an operation and its inverse join, each part with 1 or -1; a minus sign multiplies that by `minus`."""
        found: list[tuple[int, Part]] = []
        stack: list[tuple[int, Part]] = [(1, self)]
        while stack:
            way, part = stack.pop()
            if part.operation in (joins, inverse):
                second = way if part.operation is joins else -way
                # the first operand is taken next, so that terms come in the order in which they are typed
                stack += [(second, part.operands[1]), (way, part.operands[0])]
            elif part.operation is NEG:
                stack.append((minus * way, part.operands[0]))
            else:
                found.append((way, part))
        return found

    @computed_once
    def function(self) -> Function | None:
        """The function that it is, if it is one of one thing: a power has a constant exponent."""
        operation, operands = self.operation, self.operands
        if operation is POW and operands[1].constant is not None:
            exponent = operands[1].value
            return Function(POW, operands[0], round(exponent.at[0], 12), (exponent,))
        if operation is None or len(operands) != 1 or operation.native:
            return None
        return Function(operation, operands[0], 0.5 if operation is SQRT else operation)

    @property
    def power(self) -> tuple[Part, float] | None:
        """The base and the constant exponent of a power, or of a root."""
        found = self.function
        if found is None or isinstance(found.kind, Operation):
            return None
        return found.inner, found.kind

    @property
    def is_wrong(self) -> bool:
        """Return whether it is known at enough points what is due, and that is something else."""
        known = sum(map(math.isfinite, self.due.at))
        return known >= min(ENOUGH, len(self.due.at)) and not self.value.gives(self.due)

    def fits(self, other: Quantity) -> bool:
        """Return whether the line comes out right with another value of it; below an even power, whatever the sign."""
        power = None if self.within is None else self.within.power
        if power is None or power[1] % 2:
            return other.gives(self.due)
        return each(abs, other).gives(each(abs, self.due))

    @property
    def is_negative(self) -> bool:
        """Return whether only its sign is wrong, not that of an odd function it stands in: tan(-x) is -tan(x)."""
        above = self.within
        is_inside = above is not None and above.function and above.is_negative
        return not is_inside and (-self.value).gives(self.due)

    @property
    def ratio(self) -> float | None:
        """The constant factor from what stands there to what is due."""
        if not all(self.value.at) or not all(self.due.at):
            return None
        return (self.due / self.value).steady


class Line:
    """The values of all parts of an expression at a few points; `write` says how a part is written."""

    def __init__(
        self,
        tape: Tape,
        rows: Sequence[Sequence[float]],
        write: Callable[[int], str],
        source: str = "",
    ) -> None:
        self.tape, self.write, self.source = tape, write, source
        self.values = [Quantity(column) for column in zip(*rows, strict=True)]
        self.made: dict[int, Step] = {step.node: step for step in tape.steps}

    @property
    def value(self) -> Quantity:
        """The value of the whole."""
        return self.values[self.tape.root]

    def parts(self, due: Quantity) -> Iterator[Part]:
        """Every part of the line with its due, the whole first."""
        waiting = [Part(self, self.tape.root, due)]
        for count, part in enumerate(waiting):
            yield part
            if part.step is None or count + len(waiting) > MOST_USES:
                continue
            for k, j in enumerate(part.step.operands):
                inner = _due(part, k)
                if inner is not None:
                    waiting.append(Part(self, j, inner, part))


def _due(part: Part, k: int) -> Quantity | None:
    """Return what operand number k should be for a part to be what it should; None where that is not clear."""
    assert part.operation is not None
    own = [operand.value for operand in part.operands]
    undo = _UNDONE.get(POW if part.operation.rule == POW.rule else part.operation)
    if undo is not None:
        return undo(k, part.due, own)
    inverse = named(part.operation.inverse or "").get(1)
    if inverse is None:
        return None
    # only where the function is undone by it: of cos(3x), for 3x from 0 to pi
    undone = map(close, inverse(part.value).at, own[0].at)
    pairs = zip(inverse(part.due).at, undone, strict=True)
    return Quantity(u if is_own else math.nan for u, is_own in pairs)


def _base(due: float, n: float, near: float) -> float:
    """The number near another whose power n is that value."""
    if due < 0 or (near < 0 and n % 1):
        # for Python (-8) ** (1/3) is complex
        return -((-due) ** (1 / n)) if n % 2 == 1 else math.nan
    found: float = due ** (1 / n)
    return -found if near < 0 and n % 2 == 0 else found


def _exponent(due: float, base: float) -> float:
    """The power of a base that a number is, a whole one of a negative base."""
    # (-2)^n = -8 has the solution 3, since that is odd; (-2)^n = 8 has none
    n = math.log(abs(due)) / math.log(abs(base))
    is_real = due > 0 if base > 0 else close(n, round(n)) and (due < 0) == (round(n) % 2 == 1)  # fmt: skip
    return n if is_real else math.nan


_UNDONE: dict[Operation, Callable[[int, Quantity, Sequence[Quantity]], Quantity]] = {
    ADD: lambda k, d, o: d - o[1 - k],
    SUB: lambda k, d, o: o[0] - d if k else d + o[1],
    MUL: lambda k, d, o: d / o[1 - k],
    DIV: lambda k, d, o: o[0] / d if k else d * o[1],
    NEG: lambda k, d, o: -d,
    POW: lambda k, d, o: each(_exponent, d, o[0]) if k else each(_base, d, o[1], o[0]),
    SQRT: lambda k, d, o: each(lambda x: x * x if x >= 0 else math.nan, d),
    CBRT: lambda k, d, o: d**3,
}
"""What an operand should be, by its number, what the whole should be, and the operands as they are."""


def written(number: float) -> str | None:
    """A number as a short fraction, or with e or pi; None where it is none."""
    if not abs(number) < LARGEST_WRITTEN:
        return None
    for unit, name in UNITS.items():
        found = Fraction(number / unit).limit_denominator(LARGEST_PART)
        above, below = found.numerator, found.denominator
        if 0 < abs(above) <= LARGEST_PART * 5 and close(float(found) * unit, number):
            if not name:
                return str(found)
            head = {1: "", -1: "-"}.get(above, f"{above}*")
            return f"{head}{name}" if below == 1 else f"{head}{name}/{below}"
    return None


@functools.cache
def mistakable() -> tuple[Operation, ...]:
    """The functions that people take for one another."""
    return tuple(row for row in TABLE.values() if row.family and row.arity == 1)


PLAIN = frozenset((ADD, SUB, MUL, DIV, NEG, POW))


def contents(root: Value) -> Counter[str]:
    """Numbers, variables and functions of a formula, each as often as it occurs."""
    parts: Counter[str] = Counter()
    for item in topological(root):
        if is_variable(item):
            parts[item.name or ""] += 1
        elif item.operation is None:
            parts[to_text(item)] += 1
        elif item.operation not in PLAIN:
            parts[item.operation.name] += 1
    return parts


def likeness(claim: Value, answers: Sequence[Value]) -> float:
    """The share of its numbers, variables and functions that a claim has in common with a form of the right answer."""
    own = contents(claim)
    return max(
        (own & parts).total() / max(own.total(), parts.total(), 1)
        for parts in map(contents, answers)
    )


POINTS, LARGEST = 5, 200
"""Points at which parts are looked at, and operations of an answer up to which they are."""

NEVER = 9
"""The rank of a part that is not the wrong one."""


def located(
    told: Mistake | None, question: Question, sides: Sides, points: Sequence[Point]
) -> Mistake | None:
    """A mistake with the wrong term of the answer, and what is right beside it; the term alone without a mistake."""
    part, is_sole = wrong_term(question, sides, points)
    if part and told and told.rule == QUOTIENT and part.is_negative:
        # what cancels by chance is no other mistake than the sign
        told = told if "sign" in told.name or "order" in told.name else None
    place = None if part is None or part.within is None else place_of(part)
    is_open = told is None and not (is_sole and part and part.constant != 0)
    if part is None or place is None or is_open:
        return told
    is_term = part.within is not None and part.within.operation in (ADD, SUB)
    if told and told.name == INNER_LEFT_OUT and (not is_term or part.constant):
        return told  # nothing that stands there is wrong
    if told and told.name == WRONG_SIGN and not is_term:
        return told  # of factors, any may have the sign
    if told and part.constant and not is_sole:
        return told  # of numbers, too
    if told is None:
        kind, rule = ("term", "algebra") if part.constant is None else ("number", "arithmetic")  # fmt: skip
        kind, rule = ("sign", "signs") if part.is_negative else (kind, rule)
        own = question.claim.source[slice(*place)]
        what = f"the {kind}{' of' if part.is_negative else ''} {own}"
        message = f"only {what if is_term or kind != 'term' else own} is wrong"
        told = Mistake.of(f"wrong {kind}", rule, message, "the rest is right")
    # a factor says of itself that all else is right
    right = "" if told.name == "constant factor" else _right(part)
    return told._replace(term=place, right=right)


def place_of(part: Part) -> Span | None:
    """Return where a part stands in the answer; a variable, which is one node wherever it stands, inside what it is part of."""
    item, above = part.item, part.within
    if not is_variable(item) or above is None or above.item.span is None:
        return item.span
    start, end = above.item.span
    text = above.line.source[start:end]
    for other in above.operands:
        if other.index != part.index and other.item.span is not None:
            first, last = (place - start for place in other.item.span)
            text = text[:first] + " " * (last - first) + text[last:]
    found = [m.span() for m in re.finditer(rf"(?<![^\W\d_]){item.name}(?!\w)", text)]
    first, last = found[0] if len(found) == 1 else (0, end - start)
    return start + first, start + last


def wrong_term(
    question: Question, sides: Sides, points: Sequence[Point]
) -> tuple[Part | None, bool]:
    """The smallest part of an answer that may be the only wrong one, and whether no other may be as well."""
    f, claim = question.expression, question.claim
    if max(len(f.tape.steps), len(claim.tape.steps)) > LARGEST:
        return None, False
    slope = tape_of(tangent(f.root, question.wrt))
    rows: list[tuple[Any, Any, list[Any]]] = []
    # first small positive numbers, where powers have logarithms and functions their inverses
    for at in sorted(
        points[: 4 * POINTS],
        key=lambda at: (min(at.values()) <= 0, max(map(abs, at.values()))),
    ):
        truth = sides.truth(at, 0).value
        try:
            own, *others = (primals(one, at) for one in (claim.tape, f.tape, slope))
        except (Fault, KeyError):
            continue
        if truth is not None and None not in own and len(rows) < POINTS:
            rows.append((truth, own, [x for column in others for x in column]))
    if len(rows) < POINTS:
        return None, False
    truths, owns, known = zip(*rows, strict=True)
    pool = [Quantity(own) for own in zip(*known, strict=True) if None not in own]
    # a number may be due for any reason
    pool = [value for value in pool if value.steady is None]
    write = lambda i: claim.written(claim.tape.nodes[i])  # noqa: E731
    line = Line(claim.tape, owns, write, claim.source)
    parts = [part for part in line.parts(Quantity(truths)) if part.is_wrong]
    turned = [(0, p) for p in parts[1:] if p.is_negative and p.item.span]
    ranked = [(_rank(p, pool), p) for p in reversed(parts) if p.item.span]
    ranked = turned[:1] or ranked  # a sign stands in front of the largest part
    rank, part = min(ranked, key=lambda pair: pair[0], default=(NEVER, None))
    if part is None or rank == NEVER:
        return None, False
    within = [part]
    while within[-1].within is not None:
        within.append(within[-1].within)
    is_sole = all(own > rank or other in within for own, other in ranked)
    is_sole &= not turned or all(p.due.steady != 0 for p in parts)  # nor 2*y - y
    is_sole &= (part.constant or 0) % 1 == 0 or within[-1].ratio is None  # not 5/11
    f_u = part.function  # where cos(2x) should be cos(x^2), the inside is wrong
    is_inside = f_u is not None and not any(map(part.fits, _others(part)))
    if f_u is not None and is_inside and any(part.fits(f_u.of(u)) for u in pool):
        part = Part(line, f_u.inner.index, None, part)
    return part, is_sole


def _others(part: Part) -> list[Quantity]:
    """Other functions of what a part is a function of."""
    function = part.function
    if function is None or function.constants:
        return []
    found = [other(function.inner.value) for other in mistakable() if other is not part.operation]  # fmt: skip
    return [*found, *(-other for other in found)]


def _rank(part: Part, pool: Sequence[Quantity]) -> int:
    """Return how unlikely a part is the wrong one, by what should stand in its place."""
    steady, own, above = part.due.steady, part.constant, part.within
    is_term = above is None or above.operation in (ADD, SUB)
    if own is not None:
        if steady is not None and close(steady, 0.0) and is_term:
            return 0
        if above and above.operation is DIV and above.constant is not None:
            return NEVER  # a fraction is one number
        text = None if steady is None else written(steady)
        if text is None or steady is None:
            return NEVER
        if close(steady, round(steady)) or close(steady * own, 1.0):
            return 1
        return 2 if text in UNITS.values() or not any(map(str.isalpha, text)) else 4
    known = pool if above and above.power else [*pool, part.value * part.value]
    if any(map(part.fits, known)) or any(map(part.fits, _others(part))):
        return 3
    return 5 if is_term and part.ratio is not None and written(part.ratio) else NEVER


def _right(part: Part) -> str:
    """Return what is right beside a wrong part: the other terms, or the other factors, of the answer."""
    found: list[tuple[str, Part]] = []
    inner, above = part, part.within
    while above is not None:
        if len(above.operands) == 2:
            is_first = above.operands[0].index == inner.index
            other = above.operands[is_first]
            bar = "denominator" if is_first else "numerator"
            kinds = {ADD: "term", SUB: "term", MUL: "factor", DIV: bar}
            if above.operation in kinds and other.constant not in (1, -1):
                found.append((kinds[above.operation], other))
        inner, above = above, above.within
    found = [pair for pair in found if pair[0] == "term"] or found
    if len({kind for kind, _ in found}) != 1:
        return ""
    kind, other = found[0]
    if len(found) == 1 and (kind != "term" or len(other.terms) == 1):
        own = f"{kind} {other}"
        return f"the {f'other {kind}' if own == f'term {part}' else own} is right"
    return f"the other {kind}s are right"
