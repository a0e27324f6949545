"""Mistakes with a derivative as a whole: a sign, a factor, the antiderivative, another function, another reading.

Each is a rewriting of the question, or of the answer: a graph that the claim equals at points where it is wrong.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from exprgrad import budget
from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import agreement
from exprgrad.checking.agreement import Sides
from exprgrad.checking.domain import tape_of
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.mistakes.parts import written
from exprgrad.checking.points import Point, Quantity
from exprgrad.checking.question import Question
from exprgrad.checking.readings import unlikely
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import rebuilt, replaced
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.numbers import nth
from exprgrad.notation.text import text_length, to_text
from exprgrad.operations.table import ADD, DIV, LN, LOG10, MUL, NEG, POW, SUB
from exprgrad.sweeps.precise import Probe
from exprgrad.symbolic.derivative import tangent

CONFIRMED = 3
"""Points at which a mistake must give the claim, at one of them to many digits."""

DEEP = 2
"""Points at which a constant between the two is worked out with many digits."""

CLOSE = 1e-6
"""Relative difference of doubles up to which numbers may be the same."""

NOISE = 1e-12
"""Size of doubles up to which a number may be 0."""

ROUNDED = 4e-15
"""Relative difference of doubles up to which it is that of rounding."""

LARGEST_SLOPE = 500
"""Operations of a derivative that is differentiated once more."""

LARGEST_PART = 1000
"""Numerator and denominator of a factor that is told as a fraction."""

MOST_MISREAD = 6
"""Signs, products and quotients of a function that may have been misread."""

LONGEST = 60
"""Characters of a function that is told."""

INTEGRATION = ("C", "c", "K", "const", "constant")
"""What people call a constant of integration."""


class Rewriting(NamedTuple):
    """A mistake, and what then stands in place of the derivative, or of the claim.

    The derivative is a graph, or the function whose slope in `wrt` it is.
    """

    told: Mistake
    truth: Value | None = None
    claim: Value | None = None
    wrt: str | None = None

    def gives(self, sides: Sides, telling: Sequence[Point]) -> bool:
        """Return whether it gives the claim."""
        if self.truth is not None:
            sides = sides._replace(truth=quantity(self.truth, self.wrt))
        if self.claim is not None:
            sides = sides._replace(claim=quantity(self.claim))
        return same(sides, telling)


def quantity(root: Value, wrt: str | None = None) -> Quantity:
    """A graph, or its slope, as what can be looked at."""
    return agreement.value_side(Probe(tape_of(root), wrt))


def first(
    rewritings: Iterable[Rewriting], sides: Sides, telling: Sequence[Point]
) -> Mistake | None:
    """The first mistake that gives the claim; None, too, where a check has taken long before it is found."""
    end = budget.end()
    own = itertools.takewhile(lambda _: not budget.is_over(end, SEARCH), rewritings)
    return next((one.told for one in own if one.gives(sides, telling)), None)


SEARCH = "the search for mistakes"

QUESTION, AGAIN = "the question", "read the question again"

UNTOUCHED = Mistake.of("not differentiated", QUESTION, "this is the function itself, not its derivative", AGAIN)  # fmt: skip
INTEGRATED = Mistake.of("integrated instead", QUESTION, "this is an antiderivative of the function, not its derivative", AGAIN)  # fmt: skip
SIGN = Mistake.of("wrong sign", "signs", "the overall sign is wrong")
SQUARED = Mistake.of(
    "first derivative squared", QUESTION, "this is the square of the first derivative: differentiate it once more instead",
    "what does the second derivative mean?",
)  # fmt: skip
DEGREES = Mistake.of(
    "degrees", "notation", "angles were taken in degrees: the rules for sin and cos hold in radians",
    "look at the unit of the angle",
)  # fmt: skip


def other_task(question: Question, sides: Sides, telling: Sequence[Point]) -> Mistake | None:  # fmt: skip
    """Return what was done instead of differentiating: nothing, or integrating."""
    f, claim, wrt = question.expression, question.claim, question.wrt
    if question.order == 1 and wrt not in f.variables:
        return None
    if Rewriting(UNTOUCHED, f.root).gives(sides, telling):
        return UNTOUCHED
    if not {wrt} <= {*f.variables} & {*claim.variables}:
        return None
    if not Rewriting(INTEGRATED, claim.root, f.root, wrt).gives(sides, telling):
        return None
    return _added(sides, telling) or INTEGRATED  # e^x + 2


def explain(question: Question, sides: Sides, telling: Sequence[Point]) -> Mistake | None:  # fmt: skip
    """Return what the claim is instead of the derivative, if it is one of these."""
    f, wrt = question.expression, question.wrt
    if wrt not in f.variables:
        own = "the function does not depend on " + wrt
        if not f.variables:
            own = f"{f.written(f.root)} is a constant"
        told = f"The derivative is 0, since {own}"
        if f.root.operation is not None and f.root.operation.rule == POW.rule:
            told += f" (the power rule needs {wrt} in the base)"
        return Mistake.of("constant not dropped", "constants", told, f"does {wrt} occur?")  # fmt: skip
    other = first(_rewritings(question), sides, telling)
    added = _added(sides, telling)
    if other is None or added is None:
        return other or added or _factor(sides, telling)
    both = f"either {added.message[0].lower()}{added.message[1:]}; or {other.message}"
    return added._replace(message=both, others=(other.name,))


def slipped(
    question: Question, names: Sequence[str], sides: Sides, telling: Sequence[Point]
) -> Mistake | None:
    """Return what was typed beside a right answer, or lost from it: + C, dx, a ^; `names` are not in the problem."""
    return first(_slips(question, names), sides, telling)


def _slips(question: Question, names: Sequence[str]) -> Iterator[Rewriting]:
    """Answers that may have been meant, from their texts."""
    claim, wrt = question.claim.source, question.wrt

    def meant(mistake: Mistake, text: str) -> Iterator[Rewriting]:
        try:
            found = parse(text, (*question.expression.variables, wrt), lenient=True)
        except ExprgradError:
            return
        yield Rewriting(mistake, claim=found.root)

    differential = re.fullmatch(rf"(.*?)\s*[*·]?\s*d\s*{re.escape(wrt)}\s*", claim)
    if differential and differential[1].strip():
        message = f"d{wrt} was written behind the derivative: that is the differential"
        told = Mistake.of("differential added", "notation", message, f"look at the d{wrt}")  # fmt: skip
        yield from meant(told, differential[1])
    lost = claim
    for name in names:
        added = re.sub(rf"\s*[+-]\s*{re.escape(name)}\s*$", "", claim)
        if name in INTEGRATION and added != claim:
            message = f"a constant {name} was added, as when integrating: a derivative has none"
            yield from meant(Mistake.of("constant of integration added", QUESTION, message, AGAIN), added)  # fmt: skip
        power = re.fullmatch(r"([^\W\d_]+?)_?(\d+)", name)
        if power:
            own = rf"(?<![^\W\d_]){re.escape(name)}(?!\w)"
            lost = re.sub(own, f"{power[1]}^{power[2]}", lost)
    if lost != claim:
        message = f"a ^ was lost: {lost.strip()} would be right"
        advice = "look at how the powers are typed"
        yield from meant(Mistake.of("lost ^", "notation", message, advice), lost)


def same(sides: Sides, telling: Sequence[Point]) -> bool:
    """Return whether two quantities agree at the first of these points that can be used: in doubles, at one to many digits."""
    wanted, agreed = min(CONFIRMED, len(telling)), list[Point]()
    for at in telling[: 4 * CONFIRMED]:
        seen = agreement.screened(sides, at)
        if seen == "suspected":
            values = sides.truth(at, 0).value, sides.claim(at, 0).value
            # where both may be 0, doubles say nothing
            if None in values or max(map(abs, values)) > NOISE:
                return False
        if seen == "agrees":
            agreed.append(at)
        if len(agreed) < wanted:
            continue
        if all(agreement.confirms(sides, one, agreement.NAMING) for one in agreed):
            return True  # as most are: FLINT, whose import takes 20 ms, is not needed
        # where digits decide nothing, the next point is asked
        kind = agreement.climbed(sides, agreed.pop(0)).kind
        if kind in ("agrees", "differs", "undefined"):
            return kind == "agrees"
    return False


# Rewritings


def _rewritings(question: Question) -> Iterator[Rewriting]:
    """Mistakes with the whole, the likeliest first."""
    f, _, wrt, order = question[:4]
    before = f.root if order == 1 else f.derivative(wrt, order=order - 1).root
    yield Rewriting(SIGN, node(NEG, (before,)), wrt=wrt)
    yield from _other_orders(question, before)
    if order == 2:
        yield Rewriting(SQUARED, node(POW, (before, Constant(2.0))))
    yield from _other_variables(question)
    yield from _other_meanings(question)
    yield from _misread(question)
    yield from _other_readings(question)


def _before(question: Question, **other: Any) -> Value:
    """Return what is differentiated last in a question with other parts; it is only compared, so it is not simplified."""
    f, _, wrt, order = question._replace(**other)[:4]
    if order == 1:
        return f.root
    return tangent(f.root if order == 2 else f.derivative(wrt, order=order - 2).root, wrt)  # fmt: skip


def _other_orders(question: Question, before: Value) -> Iterator[Rewriting]:
    """The derivative of one order less, or more."""
    wrt = question.wrt
    for order in (question.order - 1, question.order + 1):
        told = f"this is the {nth(order)} derivative, not the {nth(question.order)}"
        advice = "count how often you differentiated"
        mistake = Mistake.of("wrong order", QUESTION, told, advice)
        if order == question.order - 1:
            if order:
                yield Rewriting(mistake, before)
        elif len(topological(before)) <= LARGEST_SLOPE:
            yield Rewriting(mistake, tangent(before, wrt), wrt=wrt)


def _other_variables(question: Question) -> Iterator[Rewriting]:
    """The derivative with respect to another variable, or to another one as well."""
    wrt, rule = question.wrt, "partial derivatives"
    advice = f"look at the variable: only {wrt} varies"
    others = [name for name in question.expression.variables if name != wrt]
    for name in others:
        told = f"this is the derivative with respect to {name}, not {wrt}"
        mistake = Mistake.of("wrong variable", rule, told, advice)
        yield Rewriting(mistake, _before(question, wrt=name), wrt=name)
    # of one other variable alone, all others together are the same
    for names in dict.fromkeys([*((name,) for name in others), tuple(others)]):
        every = (wrt, *names)
        if not names:
            continue
        were = "was" if len(names) == 1 else "were"
        own = " and ".join(names)
        told = f"{own} {were} differentiated too: here only {wrt} varies"
        slopes = [tangent(_before(question, wrt=name), name) for name in every]
        total = functools.reduce(lambda a, b: node(ADD, (a, b)), slopes)
        kind = "other variables differentiated"
        if question.order > 1:  # where each slope has variables of its own
            total = Expression.of(total).root
        yield Rewriting(Mistake.of(kind, rule, told, advice), total)


def _other_meanings(question: Question) -> Iterator[Rewriting]:
    """Logarithms to base 10, angles in degrees."""
    f, claim = question.expression, question.claim
    for own, change in ((f, _to_base_ten), (claim, _to_base_ten), (f, _to_degrees)):
        root = rebuilt(own.root, change)
        if root is own.root:
            continue
        told = DEGREES if change is _to_degrees else _base_ten(own)
        if own is claim:
            yield Rewriting(told, claim=root)
        else:
            other = Expression.of(root, f.variables)
            yield Rewriting(told, _before(question, expression=other), wrt=question.wrt)


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


def _misread(question: Question) -> Iterator[Rewriting]:
    """The derivative of another function: with a sign, or a quotient, turned, or a factor left out; or with both."""
    f = question.expression
    advice = "compare the function that you differentiated with the one asked for"
    for name, why, root in _other_functions(f.root):
        ways = [(name, why, root)]
        if name == TURNED_OVER:
            more = _other_functions(root)
            ways += [(name, f"{why}, and {also}", r) for n, also, r in more if n != name]  # fmt: skip
        for kind, told, other in ways:
            if text_length(other, LONGEST) > LONGEST:
                continue
            message = f"this is the derivative of {to_text(other)}: {told}"
            mistake = Mistake.of(kind, QUESTION, message, advice)
            before = _before(question, expression=Expression.of(other, question.names))
            yield Rewriting(mistake, before, wrt=question.wrt)


TURNED_OVER = "quotient turned over"


def _other_functions(root: Value) -> Iterator[tuple[str, str, Value]]:
    """Functions that this one may be taken for: the name of the mistake, what is wrong, and the function."""
    rows = (ADD, SUB, MUL, DIV)
    some = [item for item in topological(root) if item.operation in rows]
    # the outermost, which come last in this order
    for item in some[-MOST_MISREAD:]:
        u, v = item.operands
        ways: list[tuple[str, str, Value]] = []
        if item.operation in (ADD, SUB):
            turned = node(SUB if item.operation is ADD else ADD, (u, v))
            ways = [("sign misread", "a sign of the function was misread", turned)]
        elif not (u.is_constant or v.is_constant):
            left = "part left out", "the factor {} of the function was left out"
            rest = v if item.operation is MUL else node(DIV, (Constant(1.0), v))
            ways = [(left[0], left[1].format(to_text(v)), u), (left[0], left[1].format(to_text(u)), rest)]  # fmt: skip
            if item.operation is DIV:
                over = node(DIV, (v, u))
                ways.insert(0, (TURNED_OVER, "the quotient was turned over", over))
        for name, why, other in ways:
            yield name, why, other if item is root else replaced(root, {item: other})


def _other_readings(question: Question) -> Iterator[Rewriting]:
    """Yield what was typed, with the brackets that a reader of books would put."""
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
                yield Rewriting(mistake, claim=other.root)
            else:
                before = _before(question, expression=other)
                yield Rewriting(mistake, before, wrt=question.wrt)


# A constant between the two


def shared(
    sides: Sides, telling: Sequence[Point], made: Callable[[Any, Any], Any]
) -> Any:
    """The number that is made of claim and derivative at every point, to many digits; None where they are several."""
    simple = _simple(sides, telling, made)
    if simple:
        return simple
    rough, points = list[float](), list[Point]()
    for at in telling[: 2 * CONFIRMED]:
        truth, claim = sides.truth(at, 0).value, sides.claim(at, 0).value
        if truth is None or claim is None:
            continue
        try:
            rough.append(made(claim, truth))
        except ArithmeticError:
            # the derivative is 0 there, and the claim is not: no factor leads from one to the other
            return None
        points.append(at)
        if abs(rough[-1] - rough[0]) > CLOSE * max(abs(truth), abs(claim), abs(rough[0])):  # fmt: skip
            return None
    found = (agreement.climbed(sides, at) for at in points)
    # where both are 0 they agree, and say nothing of a factor
    differ = (one for one in found if one.kind == "differs")
    pairs = [(one.truth, one.claim) for one in itertools.islice(differ, DEEP)]
    is_sure = len(pairs) == DEEP and len(points) >= CONFIRMED
    if not is_sure or any(not truth for truth, _ in pairs):
        return None
    # the derivative is the same at both points, and so the difference tells nothing
    if made is operator.sub and all(truth == pairs[0][0] for truth, _ in pairs):
        return None
    numbers = [made(claim, truth) for truth, claim in pairs]
    close = 1e-30 * max(abs(numbers[0]), agreement.tenth(20))
    is_one = all(abs(n - numbers[0]) <= close for n in numbers)
    return numbers[0] if is_one and math.isfinite(float(numbers[0])) else None


def _added(sides: Sides, telling: Sequence[Point]) -> Mistake | None:
    """A claim that is the derivative plus a constant."""
    added = shared(sides, telling, operator.sub)
    if added is None:
        return None
    sign = "plus" if added > 0 else "minus"
    told = f"Your answer is the derivative {sign} {_number(abs(added))}: look at the constant term"
    return Mistake.of("constant added", "constants", told)


def _factor(sides: Sides, telling: Sequence[Point]) -> Mistake | None:
    """A claim that is the derivative times a constant."""
    factor = shared(sides, telling, operator.truediv)
    if factor is None:
        return None
    told = f"Your answer is {_number(factor)} times the derivative"
    # sin(x°) has the derivative cos(x°)*pi/180: the factor alone was found
    if abs(factor / math.radians(1) - 1) < 1e-12:
        return DEGREES
    if not factor:
        told = "Your answer is 0, and the derivative is not"
    elif not _is_plain(factor):
        return None
    return Mistake.of("constant factor", "constants", told)


def _simple(
    sides: Sides, telling: Sequence[Point], made: Callable[[Any, Any], Any]
) -> Fraction | None:
    """The same if doubles with bounds show that it is a small fraction, as it mostly is."""
    pairs = [
        agreement.bounded_pair(sides, at, agreement.NAMING)
        for at in telling[: 2 * CONFIRMED]
    ]
    known = [pair for pair in pairs if pair is not None and pair[0]]
    if len(known) < max(CONFIRMED, len(pairs)):
        return None
    numbers = [made(claim, truth) for truth, claim in known]
    if not abs(numbers[0]) <= LARGEST_PART:
        return None
    fraction = Fraction(numbers[0]).limit_denominator(LARGEST_PART)
    near = ROUNDED * abs(fraction)
    is_one = all(abs(number - fraction) <= near for number in numbers)
    # the derivative is the same at all points, and so the difference tells nothing
    is_telling = made is not operator.sub or len({truth for truth, _ in known}) > 1
    return fraction if is_one and is_telling else None


def _is_plain(factor: Any) -> bool:
    """Return whether a factor is one that people lose or gain: n, 1/n, 2/3, 10^-3; not 5/11."""
    value = Fraction(float(factor)).limit_denominator(LARGEST_PART)
    if not math.isclose(factor, value, rel_tol=ROUNDED):
        return False
    above, below = abs(value.numerator), value.denominator
    # 5/11 comes out of any two numbers, but factors such as 2, 1/60 and 37/100 get lost
    return 1 in (above, below) or max(above, below) <= 4 or 100 % below == 0


def _number(number: Any) -> str:
    """A number as people would write it: a short fraction or decimal."""
    value = float(number)
    nearest = Fraction(value).limit_denominator(LARGEST_PART)
    short = abs(nearest.numerator) <= LARGEST_PART
    if short and math.isclose(value, nearest, rel_tol=1e-9):
        if not math.isclose(value, nearest, rel_tol=ROUNDED):
            return repr(value)  # 2.0000000000001 is not 2
        decimal = f"{value:.4g}"
        in_tens = Fraction(decimal) == nearest and nearest.denominator > 9
        return decimal if in_tens else str(nearest)
    return written(value) or f"{value:.6g}"
