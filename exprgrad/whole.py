"""Mistakes with a derivative as a whole: a sign, a factor, the antiderivative, another reading.

Each is a quantity that the claim equals instead of the derivative, at points where the two differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from exprgrad.agreement import Point, Sides, screened, settle, slope_side, value_side
from exprgrad.errors import ExprgradError
from exprgrad.expression import Expression, parse
from exprgrad.graph import Constant, Value, node, topological
from exprgrad.operation import TABLE
from exprgrad.probe import Look, Probe
from exprgrad.question import Question

CONFIRMED = 3
"""Points at which a mistake must give the claim to many digits."""

LARGEST_PART = 1000
"""Numerator and denominator of a factor that is told as a fraction."""


class Told(NamedTuple):
    """A mistake in words; see `diagnosis.Mistake`."""

    name: str
    rule: str
    message: str
    hint: str


DEGREES = Told(
    "degrees",
    "notation",
    "angles were taken in degrees: the rules for sin and cos hold in radians",
    "look at the unit of the angle",
)


def misread(question: Question, sides: Sides, telling: Sequence[Point]) -> Told | None:
    """Another reading of what was typed with which the claim is right."""
    for told, candidate in _other_readings(question, sides):
        if same(candidate, telling):
            return told
    return None


def explain(question: Question, sides: Sides, telling: Sequence[Point]) -> Told | None:
    """What the claim is instead of the derivative, if it is one of these."""
    if question.wrt not in question.expression.variables:
        why = f"the function does not depend on {question.wrt}: its derivative is 0"
        return Told("constant not dropped", "constants", why, "what varies here?")
    pairs = _pairs(sides, telling)
    added = _added(pairs)
    if added is not None:
        return added
    for told, candidate in _candidates(question, sides):
        if same(candidate, telling):
            return told
    return _factor(pairs)


def same(sides: Sides, telling: Sequence[Point]) -> bool:
    """Whether two quantities agree to many digits at the first of these points that can be used."""
    agreed, wanted = 0, min(CONFIRMED, len(telling))
    for at in telling[: 4 * CONFIRMED]:
        seen = screened(sides, at)
        if seen == "suspected":
            return False
        if seen != "agrees":
            continue
        kind = settle(sides, at, thorough=not agreed).kind
        if kind in ("differs", "undefined"):
            return False
        agreed += kind == "agrees"
        if agreed == wanted:
            return True
    return False


def _candidates(question: Question, sides: Sides) -> Iterator[tuple[Told, Sides]]:
    f, claim, wrt = question.expression, question.claim, question.wrt

    def instead(truth: Callable[[Point, int], Look]) -> Sides:
        return sides._replace(truth=truth)

    yield (
        Told(
            "wrong sign", "signs", "the sign of the whole is wrong", "look at the signs"
        ),
        instead(_negated(sides.truth)),
    )
    yield (
        Told(
            "not differentiated",
            "the question",
            "this is the function itself, not its derivative",
            "read the question again",
        ),
        instead(value_side(Probe(f))),
    )
    if wrt in claim.variables:
        yield (
            Told(
                "integrated instead",
                "the question",
                "this is an antiderivative: its derivative is the function",
                "read the question again",
            ),
            sides._replace(
                truth=slope_side(Probe(claim, wrt)), claim=value_side(Probe(f))
            ),
        )
    for order in (question.order - 1, question.order + 1):
        if order:
            told = f"this is the derivative of order {order}, not {question.order}"
            yield (
                Told("wrong order", "the question", told, "count the derivatives"),
                instead(question._replace(order=order).truth()[0]),
            )
    yield from _other_variables(question, instead)
    yield from _other_meanings(question, sides, instead)


def _other_variables(
    question: Question, instead: Callable[..., Sides]
) -> Iterator[tuple[Told, Sides]]:
    for name in question.expression.variables:
        if name != question.wrt:
            told = f"this is the derivative by {name}, not by {question.wrt}"
            yield (
                Told("wrong variable", "the question", told, "which variable is it?"),
                instead(question._replace(wrt=name).truth()[0]),
            )


def _other_meanings(
    question: Question, sides: Sides, instead: Callable[..., Sides]
) -> Iterator[tuple[Told, Sides]]:
    """Logarithms to base 10, angles in degrees."""
    base = Told(
        "logarithm of base 10",
        "notation",
        "log was taken to base 10: here log, like ln, is the natural logarithm; write log10",
        "look at what log means",
    )
    f, claim = question.expression, question.claim
    for expression in (f, claim):
        other = _with_base_ten(expression)
        if other is None:
            continue
        if expression is f:
            yield base, instead(question._replace(expression=other).truth()[0])
        else:
            yield base, sides._replace(claim=value_side(Probe(other)))
    degrees = _in_degrees(f)
    if degrees is not None:
        yield DEGREES, instead(question._replace(expression=degrees).truth()[0])


def _other_readings(question: Question, sides: Sides) -> Iterator[tuple[Told, Sides]]:
    """What was typed, with the brackets that a reader of books would put."""
    for typed, is_claim in ((question.claim, True), (question.expression, False)):
        for text in _variants(typed.source):
            try:
                other = parse(text, question.names)
            except ExprgradError:
                continue
            whose = "your answer" if is_claim else "the function"
            told = (
                f"{whose} is read as {typed.reading}; if {text.strip()} was meant,"
                " it would be right: write the brackets"
            )
            if is_claim:
                changed = sides._replace(claim=value_side(Probe(other)))
            else:
                changed = sides._replace(
                    truth=question._replace(expression=other).truth()[0]
                )
            hint = "look at how the answer was read, and at its brackets"
            yield Told("another reading", "notation", told, hint), changed


_SLASH = re.compile(
    r"/\s*(\d[\d.]*\s*\*?\s*[^\W\d_]\w*(?:\s*\^\s*(?:\d+|\([^()]*\)))?)(?![\w(^])"
)
_SLASH_BRACKET = re.compile(r"/\s*(\d[\d.]*\s*\([^()]*\))")
_HAT = re.compile(
    r"\^\s*(-?\d[\d.]*\s*[^\W\d_]\w*|-?\d+/\d+|-?[^\W\d_]\s*[^\W\d_])(?!\w)"
)
_BARE = re.compile(r"\b(sin|cos|tan|ln|log|exp|sqrt)\s+([\w^*]+\s*[/*]\s*\w+)")


def _variants(source: str) -> Iterator[str]:
    """Other readings of a text: 1/2x as 1/(2x), e^2x as e^(2x), sin x/2 as sin(x/2)."""
    for pattern, form in (
        (_SLASH, r"/(\1)"),
        (_SLASH_BRACKET, r"/(\1)"),
        (_HAT, r"^(\1)"),
        (_BARE, r"\1(\2)"),
    ):
        changed = pattern.sub(form, source)
        if changed != source:
            yield changed


def _negated(truth: Callable[[Point, int], Look]) -> Callable[[Point, int], Look]:
    def look(at: Point, digits: int) -> Look:
        seen = truth(at, digits)
        return seen if seen.value is None else seen._replace(value=-seen.value)

    return look


def _replaced(
    expression: Expression, change: Callable[[Value, tuple[Value, ...]], Value | None]
) -> Expression | None:
    """An expression with some of its operations changed; None if none was."""
    copies: dict[Value, Value] = {}
    changed = False
    for item in topological(expression.root):
        if item.operation is None:
            copies[item] = item
            continue
        operands = tuple(copies[o] for o in item.operands)
        other = change(item, operands)
        changed = changed or other is not None
        copies[item] = node(item.operation, operands) if other is None else other
    if not changed:
        return None
    return Expression.of(copies[expression.root], expression.variables)


def _with_base_ten(expression: Expression) -> Expression | None:
    def change(item: Value, operands: tuple[Value, ...]) -> Value | None:
        same_log = item.operation is TABLE["ln"]
        return node(TABLE["log10"], operands) if same_log else None

    return _replaced(expression, change)


def _in_degrees(expression: Expression) -> Expression | None:
    unit = node(TABLE["div"], (Constant(3.141592653589793, "pi"), Constant(180.0)))

    def change(item: Value, operands: tuple[Value, ...]) -> Value | None:
        if item.operation is None or item.operation.name not in ("sin", "cos", "tan"):
            return None
        return node(item.operation, (node(TABLE["mul"], (operands[0], unit)),))

    return _replaced(expression, change)


def _pairs(sides: Sides, telling: Sequence[Point]) -> list[tuple[Any, Any]]:
    """The derivative and the claim, to many digits, at a few points."""
    found = [settle(sides, at, thorough=False) for at in telling[: 2 * CONFIRMED]]
    return [(one.truth, one.claim) for one in found if one.kind == "differs"]


def _added(pairs: Sequence[tuple[Any, Any]]) -> Told | None:
    """A claim that is the derivative plus a constant."""
    if len(pairs) < CONFIRMED or all(truth == pairs[0][0] for truth, _ in pairs):
        return None
    added = _shared([claim - truth for truth, claim in pairs])
    if added is None:
        return None
    told = f"your answer is the derivative plus {_number(added)}"
    return Told("constant added", "constants", told, "look at the constants")


def _factor(pairs: Sequence[tuple[Any, Any]]) -> Told | None:
    """A claim that is the derivative times a constant."""
    import mpmath

    if len(pairs) < CONFIRMED or any(not truth for truth, _ in pairs):
        return None
    factor = _shared([claim / truth for truth, claim in pairs])
    if factor is None:
        return None
    told = f"your answer is {_number(factor)} times the derivative"
    if abs(factor / mpmath.radians(1) - 1) < 1e-12:
        return DEGREES
    if not factor:
        told = "your answer is 0, and the derivative is not"
    return Told("constant factor", "constants", told, "look at the constant factors")


def _shared(numbers: Sequence[Any]) -> Any:
    """The number that all of these are, to many digits; None if they differ."""
    import mpmath

    first = numbers[0]
    close = 1e-30 * max(abs(first), mpmath.mpf(10) ** -20)
    return first if all(abs(n - first) <= close for n in numbers) else None


def _number(number: Any) -> str:
    """A number as people would write it: a short fraction, else a decimal."""
    nearest = Fraction(float(number)).limit_denominator(LARGEST_PART)
    short = abs(nearest.numerator) <= LARGEST_PART
    if short and abs(float(number) - float(nearest)) <= 1e-14 * abs(float(number)):
        return str(nearest)
    return f"{float(number):.6g}"
