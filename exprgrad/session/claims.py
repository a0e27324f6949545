"""Questions and claims in a session, in the notations of a problem: `d/dx x^2 = 2x`, `f'(x) = 2x`, `derivative of x^2`.

Functions are those of the session as well as those that a line defines.
"""

from __future__ import annotations

import re
from typing import Any

from exprgrad.checking.equations import sides
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.derivatives import derive
from exprgrad.expressions.expression import Expression
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.sentences import Asked, Typed, read_typed
from exprgrad.session.entries import Entry
from exprgrad.session.results import Checked, Derived, Judged, Result
from exprgrad.session.workspace import Workspace

_WORDS = ("deriv", "ifferentiate")

_STATES = re.compile(
    r"(?:∫|(?:the\s+)?(?:integral\s+of|tangent|linearization|taylor|gradient|hessian|critical\s+points?|slope\s+of|directional)\b(?=.*(?:\bof\b|\bto\b).*[=:;]))",
    re.IGNORECASE | re.DOTALL,
)
"""How a question of another kind, with its answer, begins."""


def stated_claim(session: Workspace, text: str) -> Result | None:
    """The verdict on an answer of another kind: `∫ 2x dx = x^2 + C`, `tangent to x^2 at 3: y = 6x - 9`."""
    from exprgrad.checking.stated import judge, stated

    found = stated(text)
    if found is None:
        return None
    return Judged(judge(found._replace(given=_meant(session, found.given))))


def _meant(session: Workspace, given: Any) -> Any:
    """What a question is about, with the names of the session filled in."""
    texts = given if isinstance(given, tuple) else (given,)
    words = {word for text in texts for word in re.findall(r"[^\W\d]\w*", text)}
    own = [name for name in session.scope.definitions if name in words]
    if not own:
        return given
    if isinstance(given, tuple) or len(sides(given)) > 1:
        raise UsageError(f"{own[0]} of the session cannot be used here", hint="write it out")  # fmt: skip
    expression = _expression(session, given, None)
    return Expression.of(expression.root, expression.declared)


def read(session: Workspace, entry: Entry) -> Result | None:
    """The answer to a question, or the verdict on a claim; None for any other statement."""
    text = entry.text
    if _STATES.match(text) or ";" in text:
        return stated_claim(session, text)
    asks = any(word in text[:40] for word in _WORDS)
    claims = "=" in text and (text[0] in "dD∂(" or any(p in text for p in PRIMES))
    if not (asks or claims):
        return None
    try:
        typed = read_typed(text)
    except ExprgradError:
        return None
    if typed.asked is None or not (typed.answers or asks):
        return None
    expression, name = _function(session, text, typed, typed.asked)
    order = typed.asked.order
    if not typed.answers:
        return Derived(text, derive(expression, [[name] * order]))
    from exprgrad.checking.check import check

    claimed = _expression(session, text[slice(*typed.answers[-1])], name)
    formula = Expression.of(expression.root, expression.declared)
    return Checked(check(formula, claimed, name, order=order))


def _function(
    session: Workspace, text: str, typed: Typed, asked: Asked
) -> tuple[Expression, str]:
    """The function that is asked about, and its variable."""
    if asked.function is not None:
        source = text[slice(*asked.function)]
    elif typed.definition is not None:
        source = text[slice(*typed.definition.function)]
    elif asked.name in session.scope.definitions:
        source = asked.name or ""
    else:
        raise UsageError(
            f"{asked.name} is not defined",
            asked.span,
            f"define it first: {asked.name}(x) = ...; a function is defined without the prime",
            source=text,
        )
    expression = _expression(session, source, asked.variable)
    free = [n for n in expression.variables if session.value(n) is None]
    names = [asked.variable] if asked.variable else free or list(expression.variables)
    if len(names) > 1:
        raise UsageError(
            f"with respect to which variable: {', '.join(names)}?",
            asked.span,
            f"write d/d{names[0]} (...)",
            source=text,
        )
    return expression, names[0] if names else "x"


def _expression(session: Workspace, source: str, variable: str | None) -> Expression:
    statement = session.scope.read(source)
    if statement.kind not in ("shown", "gradient"):
        raise UsageError("expected an expression, not a definition")
    return Expression(statement.reading, session.scope.definitions)
