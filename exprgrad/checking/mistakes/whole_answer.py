"""Mistakes with a derivative as a whole: a sign, a factor, the antiderivative, another reading.

Each is a quantity that the claim equals instead of the derivative, at points where the two differ.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.agreement import (
    Sides,
    screened,
    settle,
    tenth,
    value_side,
)
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.points import Point, Quantity
from exprgrad.checking.question import Question
from exprgrad.checking.readings import unlikely
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import Change, rebuilt
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations.table import ADD, DIV, LN, LOG10, MUL, POW, SUB
from exprgrad.sweeps.precise import Look, Probe
from exprgrad.symbolic.derivative import tangent

CONFIRMED = 3
"""Points at which a mistake must give the claim to many digits."""

CLOSE = 1e-6
"""Relative difference of doubles up to which numbers may be the same."""

NOISE = 1e-12
"""Size of doubles up to which a number may be 0."""

LARGEST_PART = 1000
"""Numerator and denominator of a factor that is told as a fraction."""


TURNED = {ADD: SUB, SUB: ADD}
"""What a sum is with its sign misread."""

MOST_SIGNS = 6


class Suspect(NamedTuple):
    """A mistake, and what then stands in place of the derivative, or of the claim."""

    told: Mistake
    truth: Quantity | None = None
    claim: Quantity | None = None

    def explains(self, sides: Sides, telling: Sequence[Point]) -> bool:
        """Whether it gives the claim."""
        truth, claim = self.truth or sides.truth, self.claim or sides.claim
        return same(sides._replace(truth=truth, claim=claim), telling)


QUESTION, AGAIN = "the question", "read the question again"

UNTOUCHED = Mistake.of(
    "not differentiated",
    QUESTION,
    "this is the function itself, not its derivative",
    AGAIN,
)
INTEGRATED = Mistake.of(
    "integrated instead",
    QUESTION,
    "this is an antiderivative of the function, not its derivative",
    AGAIN,
)
SIGN = Mistake.of("wrong sign", "signs", "the overall sign is wrong")
SQUARED = Mistake.of(
    "first derivative squared",
    QUESTION,
    "this is the square of the first derivative: differentiate it once more instead",
    "what does the second derivative mean?",
)
DEGREES = Mistake.of(
    "degrees",
    "notation",
    "angles were taken in degrees: the rules for sin and cos hold in radians",
    "look at the unit of the angle",
)


def other_task(question: Question, sides: Sides, telling: Sequence[Point]) -> Mistake | None:  # fmt: skip
    """What was done instead of differentiating: nothing, or integrating."""
    f, claim, wrt = question.expression, question.claim, question.wrt
    if question.order == 1 and wrt not in f.variables:
        return None
    function = _value(f)
    if Suspect(UNTOUCHED, function).explains(sides, telling):
        return UNTOUCHED
    if not {wrt} <= {*f.variables} & {*claim.variables}:
        return None
    slope = value_side(Probe(claim.tape, wrt))
    if not Suspect(INTEGRATED, slope, function).explains(sides, telling):
        return None
    return _added(_pairs(sides, telling)) or INTEGRATED  # e^x + 2


def explain(
    question: Question, sides: Sides, telling: Sequence[Point]
) -> Mistake | None:
    """What the claim is instead of the derivative, if it is one of these."""
    f, wrt = question.expression, question.wrt
    if wrt not in f.variables:
        own = "the function does not depend on " + wrt
        if not f.variables:
            own = f"{to_text(f.root)} is a constant"
        told = f"The derivative is 0, since {own}"
        if f.root.operation is not None and f.root.operation.rule == POW.rule:
            told += f" (the power rule needs {wrt} in the base)"
        return Mistake.of(
            "constant not dropped", "constants", told, f"does {wrt} occur?"
        )
    pairs = _pairs(sides, telling)
    added = _added(pairs)
    if added is not None:
        return added
    suspects = _suspects(question, sides)
    found = (one.told for one in suspects if one.explains(sides, telling))
    return next(found, None) or _factor(pairs)


def same(sides: Sides, telling: Sequence[Point]) -> bool:
    """Whether two quantities agree to many digits at the first of these points that can be used."""
    wanted, agreed = min(CONFIRMED, len(telling)), list[Point]()
    for at in telling[: 4 * CONFIRMED]:
        seen = screened(sides, at)
        if seen == "suspected" and not _are_noise(sides, at):
            return False
        if seen == "agrees":
            agreed.append(at)
        if len(agreed) < wanted:
            continue
        if not _settled(sides, agreed):
            return False
        if len(agreed) == wanted:
            return True
    return False


def _settled(sides: Sides, points: list[Point]) -> bool:
    """Whether the two agree to many digits at some points, of which only those stay that say something."""
    kinds = [settle(sides, at, thorough=not i).kind for i, at in enumerate(points)]
    points[:] = [at for at, kind in zip(points, kinds, strict=True) if kind == "agrees"]
    return not {"differs", "undefined"}.intersection(kinds)


def _are_noise(sides: Sides, at: Point) -> bool:
    """Whether both may be 0 at a point, where doubles say nothing."""
    values = sides.truth(at, 0).value, sides.claim(at, 0).value
    return None not in values and max(map(abs, values)) <= NOISE


def _suspects(question: Question, sides: Sides) -> Iterator[Suspect]:
    """Mistakes with the whole, the likeliest first."""
    yield Suspect(SIGN, _made(lambda x: -x, sides.truth))
    yield from _other_orders(question)
    if question.order == 2:
        slope = question.expression.derivative(question.wrt)
        yield Suspect(SQUARED, _made(lambda x: x**2, _value(slope)))
    yield from _other_variables(question)
    yield from _other_meanings(question)
    yield from _other_signs(question)
    yield from _other_readings(question)


def _value(expression: Expression) -> Quantity:
    return value_side(Probe(expression.tape))


def _slope(question: Question, **other: Any) -> Quantity:
    """The derivative that is asked for if a part of the question is another one."""
    return question._replace(**other).truth()[0]


def _made(make: Callable[..., Any], *quantities: Quantity) -> Quantity:
    """A quantity that is made of others."""

    def look(at: Point, digits: int) -> Look:
        seen = [quantity(at, digits) for quantity in quantities]
        if any(one.value is None for one in seen):
            return Look(None, None)
        value = make(*(one.value for one in seen))
        return Look(value, None, bits=max(one.bits for one in seen))

    return look


def _other_orders(question: Question) -> Iterator[Suspect]:
    """The derivative of one order less, or more."""
    f, wrt = question.expression, question.wrt
    for order in (question.order - 1, question.order + 1):
        other = question._replace(order=order)
        if not order:
            continue
        if order == 2 and wrt in f.variables:  # without a short formula for the first
            slope = Expression.of(tangent(f.root, wrt), f.variables)
            other = question._replace(expression=slope, order=1)
        try:
            truth = other.truth()[0]
        except UsageError:  # its formula is too long
            continue
        told = f"this is the {_nth(order)} derivative, not the {_nth(question.order)}"
        advice = "count how often you differentiated"
        yield Suspect(Mistake.of("wrong order", QUESTION, told, advice), truth)


def _nth(order: int) -> str:
    names = ("first", "second", "third")
    return names[order - 1] if order <= len(names) else f"{order}th"


def _other_variables(question: Question) -> Iterator[Suspect]:
    """The derivative with respect to another variable, or to another one as well."""
    wrt, rule = question.wrt, "partial derivatives"
    advice = f"look at the variable: only {wrt} varies"
    slopes = {name: _slope(question, wrt=name) for name in question.expression.variables}  # fmt: skip
    own = slopes.pop(wrt)
    for name, slope in slopes.items():
        told = f"this is the derivative with respect to {name}, not {wrt}"
        yield Suspect(Mistake.of("wrong variable", rule, told, advice), slope)
    for names in dict.fromkeys([*((name,) for name in slopes), tuple(slopes)]):
        if names:
            were = "was" if len(names) == 1 else "were"
            told = f"{' and '.join(names)} {were} differentiated too: here only {wrt} varies"
            total = _made(lambda *all_: sum(all_), own, *(slopes[n] for n in names))
            kind = "other variables differentiated"
            yield Suspect(Mistake.of(kind, rule, told, advice), total)


def _other_meanings(question: Question) -> Iterator[Suspect]:
    """Logarithms to base 10, angles in degrees."""
    f, claim = question.expression, question.claim
    changed = _changed(f, _to_base_ten), _changed(claim, _to_base_ten)
    if changed[0] is not None:
        yield Suspect(_base_ten(f), _slope(question, expression=changed[0]))
    if changed[1] is not None:
        yield Suspect(_base_ten(claim), claim=_value(changed[1]))
    other = _changed(f, _to_degrees)
    if other is not None:
        yield Suspect(DEGREES, _slope(question, expression=other))


def _changed(expression: Expression, change: Change) -> Expression | None:
    """An expression with some of its operations changed; None if none was."""
    root = rebuilt(expression.root, change)
    same = root is expression.root
    return None if same else Expression.of(root, expression.variables)


def _to_base_ten(item: Value, operands: tuple[Value, ...]) -> Value | None:
    return node(LOG10, operands) if item.operation is LN else None


def _to_degrees(item: Value, operands: tuple[Value, ...]) -> Value | None:
    if item.operation is None or not item.operation.angle:
        return None
    unit = node(DIV, (Constant(math.pi, "pi"), Constant(180.0)))
    return node(item.operation, (node(MUL, (operands[0], unit)),))


def _base_ten(expression: Expression) -> Mistake:
    is_log = re.search(r"(?<![^\W\d_])log(?![^\W\d_])", expression.source)
    typed = "log" if is_log else "ln"
    told = f"{typed} was taken to base 10, but here it is the natural logarithm"
    told += "; write log10 for base 10" if is_log else ""
    kind, advice = "logarithm of base 10", f"look at what {typed} means"
    return Mistake.of(kind, "notation", told, advice)


def _other_signs(question: Question) -> Iterator[Suspect]:
    """The derivative of the function with one plus or minus read as the other."""
    f = question.expression
    sums = [item for item in topological(f.root) if item.operation in TURNED]
    for turned in sums[:MOST_SIGNS]:

        def change(item: Value, operands: tuple[Value, ...], at: Value = turned) -> Value | None:  # fmt: skip
            if item is not at or item.operation is None:
                return None
            return node(TURNED[item.operation], operands)

        root = rebuilt(f.root, change)
        told = f"this is the derivative of {to_text(root)}: a sign of the function was misread"
        advice = "compare the function that you differentiated with the one asked for"
        slope = _slope(question, expression=Expression.of(root, question.names))
        yield Suspect(Mistake.of("sign misread", QUESTION, told, advice), slope)


def _other_readings(question: Question) -> Iterator[Suspect]:
    """What was typed, with the brackets that a reader of books would put."""
    for typed in (question.claim, question.expression):
        is_claim = typed is question.claim
        whose, right = ("your answer", "it") if is_claim else ("the function", "your answer")  # fmt: skip
        advice = f"look at how {whose} was read, and at its brackets"
        for text in unlikely(typed.source):
            try:
                other = parse(text, question.names)
            except ExprgradError:
                continue
            told = f"{whose.capitalize()} is read as {typed.reading}; if {text.strip()} was meant, {right} would be right: write the brackets"
            mistake = Mistake.of("another reading", "notation", told, advice)
            if is_claim:
                yield Suspect(mistake, claim=_value(other))
            else:
                yield Suspect(mistake, _slope(question, expression=other))


def _pairs(sides: Sides, telling: Sequence[Point]) -> list[tuple[Any, Any]]:
    """The derivative and the claim, to many digits, at a few points; none where doubles show no constant between them."""
    some = telling[: 2 * CONFIRMED]
    if not _have_constant([(sides.truth(at, 0), sides.claim(at, 0)) for at in some]):
        return []
    found = (settle(sides, at, thorough=False) for at in some)
    pairs = ((one.truth, one.claim) for one in found if one.kind == "differs")
    return list(itertools.islice(pairs, CONFIRMED))


def _have_constant(looks: Sequence[tuple[Look, Look]]) -> bool:
    """Whether a difference or a quotient may be the same number at all points."""
    pairs = [(t.value, c.value) for t, c in looks if None not in (t.value, c.value)]
    apart = [c - t for t, c in pairs]
    size = max((max(abs(t), abs(c)) for t, c in pairs), default=0.0)
    if not pairs or max(apart) - min(apart) <= CLOSE * size:
        return True
    (t, c), close = pairs[0], CLOSE * size * size
    return all(abs(c * other - t * claim) <= close for other, claim in pairs[1:])


def _added(pairs: Sequence[tuple[Any, Any]]) -> Mistake | None:
    """A claim that is the derivative plus a constant."""
    if len(pairs) < CONFIRMED or all(truth == pairs[0][0] for truth, _ in pairs):
        return None
    added = _shared([claim - truth for truth, claim in pairs])
    if added is None:
        return None
    sign = "plus" if added > 0 else "minus"
    told = f"Your answer is the derivative {sign} {_number(abs(added))}: look at the constant term"
    return Mistake.of("constant added", "constants", told)


def _factor(pairs: Sequence[tuple[Any, Any]]) -> Mistake | None:
    """A claim that is the derivative times a constant."""
    if len(pairs) < CONFIRMED or any(not truth for truth, _ in pairs):
        return None
    factor = _shared([claim / truth for truth, claim in pairs])
    if factor is None:
        return None
    told = f"Your answer is {_number(factor)} times the derivative"
    if abs(factor / math.radians(1) - 1) < 1e-12:
        return DEGREES
    if not factor:
        told = "Your answer is 0, and the derivative is not"
    elif not _is_plain(factor):
        return None
    return Mistake.of("constant factor", "constants", told)


def _is_plain(factor: Any) -> bool:
    """Whether a factor is one that people lose or gain: n, 1/n, 2/3, 10^-3; not 5/11."""
    value = Fraction(float(factor)).limit_denominator(LARGEST_PART)
    above, below = abs(value.numerator), value.denominator
    if abs(float(factor) - above / below * (1 if factor > 0 else -1)) > 1e-14 * abs(
        float(factor)
    ):
        return False
    return 1 in (above, below) or max(above, below) <= 4 or 100 % below == 0


def _shared(numbers: Sequence[Any]) -> Any:
    """The number that all of these are, to many digits; None if they differ, or are beyond doubles."""
    first = numbers[0]
    if not math.isfinite(float(first)):
        return None
    close = 1e-30 * max(abs(first), tenth(20))
    return first if all(abs(n - first) <= close for n in numbers) else None


def _number(number: Any) -> str:
    """A number as people would write it: a short fraction or decimal."""
    value = float(number)
    nearest = Fraction(value).limit_denominator(LARGEST_PART)
    short = abs(nearest.numerator) <= LARGEST_PART
    if short and abs(value - float(nearest)) <= 1e-14 * abs(value):
        decimal = f"{value:.4g}"
        in_tens = Fraction(decimal) == nearest and nearest.denominator > 9
        return decimal if in_tens else str(nearest)
    return f"{value:.6g}"
