"""What the package says, in the words of the oracle."""

from __future__ import annotations

from exprgrad.errors import DomainError, UndecidedError
from exprgrad.expressions.expression import Evaluation, Expression, parse
from exprgrad.sweeps.coordinates import Coordinate
from tests.oracle.judge import UNDECIDED, UNDEFINED, Number


def coordinates(at: dict[str, str]) -> dict[str, Coordinate]:
    """A point as it is typed."""
    return {
        name: Coordinate.of(parse(_typed(given)).root) for name, given in at.items()
    }


def _typed(given: str) -> str:
    """A multiple of pi with its sign of multiplication."""
    return (
        f"{given.removesuffix('pi').strip() or '1'}*pi"
        if given.endswith("pi")
        else given
    )


def by_evaluate(source: str, at: dict[str, str]) -> tuple[Number, dict[str, Number]]:
    """The answer of `Expression.evaluate`, in the mode of its own and by forward sweeps."""
    expression = parse(source, variables=tuple(at))
    number, partials = _answer(expression, at, "reverse")
    forward = _answer(expression, at, "forward")
    assert forward == (number, partials), (source, at, number, partials, forward)
    return number, partials


def _answer(
    expression: Expression, at: dict[str, str], mode: str
) -> tuple[Number, dict[str, Number]]:
    try:
        found = expression.evaluate(coordinates(at), mode=mode)
    except UndecidedError:
        return Number(None, why=UNDECIDED), {}
    except DomainError:
        return Number(None, why=UNDEFINED), {}
    value = Number(found.value, found.error, "", found.texts.get(""))
    return value, {name: _partial(found, name) for name in at}


def _partial(found: Evaluation, name: str) -> Number:
    """A partial, and what is said about both sides."""
    number, text = found.gradient[name], found.texts.get(name)
    error = found.errors.get(name, 0.0 if number == 0 else float("inf"))
    for corner in found.corners:
        if corner.variable == name:
            why = UNDECIDED if corner.kind == "undetermined" else corner.kind
            return Number(number, error, why, text, (corner.left, corner.right))
    return Number(number, error, "", text)
