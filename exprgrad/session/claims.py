"""Questions and claims in a session, in the notations of a problem: `d/dx x^2 = 2x`, `f'(x) = 2x`, `derivative of x^2`.

Functions are those of the session as well as those that a line defines.
"""

from __future__ import annotations

import contextlib
import re

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import ExprgradError, Hint, Span, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.brackets import parted
from exprgrad.language.inputs import normal
from exprgrad.language.points import coordinate, no_variable
from exprgrad.language.shapes import is_latex
from exprgrad.operations.vocabulary import CONSTANTS
from exprgrad.patterns import pattern
from exprgrad.session.entries import Entry
from exprgrad.session.results import Checked, Derived, Equated, Judged, Result
from exprgrad.session.tokens import head
from exprgrad.session.workspace import Workspace
from exprgrad.sweeps.coordinates import as_graph

if TYPE_CHECKING:
    from exprgrad.language.sentences import Asked, Typed


_WORDS = ("deriv", "ifferentiate", "Deriv", "slope", "find", "Find", "{", "$")
_ABOVE = pattern(
    r"\s*+[d∂](\w)\s*/\s*[d∂]\w+\s+(?=[^\s=+\-−*·×/÷^(\[{),;])(?!at\s|when\s|for\s|if\s|where\s)"
)
"""dy/dx before a formula, where y is nothing else."""

_BY = (" wrt ", " w.r.t", " with respect to ")
_PLACES = ("|", ",", ";", "@", " when ", " for ", " where ", " if ", " with ", " given ", " and ", " at ")  # fmt: skip

_DEFINES = pattern(r"\s*+[^\W\d]\w*+\s*+=\s*+(?:\w++(?!\s+\w)|[-+*/^(). ])++")
"""A name and a formula without words side by side: it may be a definition, and nothing else."""

_STATES = pattern(
    r"(?:∫|(?:the\s+)?(?:integral|slope)\s+of(?=.*[=:;])|(?:the\s+)?(?:tangent|linearization|taylor|gradient|hessian|critical\s+points?|directional)\b(?=.*(?:\bof\b|\bto\b).*[=:;]))",
    re.IGNORECASE | re.DOTALL,
)
"""How a question of another kind, with its answer, begins."""


def stated_claim(session: Workspace, text: str) -> Result | None:
    """The verdict on an answer of another kind: `∫ 2x dx = x^2 + C`, `tangent to x^2 at 3: y = 6x - 9`."""
    from exprgrad.checking.kinds.stated import judge, stated

    found = stated(text)
    if found is None:
        return None
    return Judged(judge(found._replace(given=_meant(session, found.given))))


def _meant(session: Workspace, given: Any) -> Any:
    """What a question is about, with the names of the session filled in."""
    from exprgrad.checking.equations import sides

    texts = given if isinstance(given, tuple) else (given,)
    words = {word for text in texts for word in re.findall(r"[^\W\d]\w*", text)}
    own = [name for name in session.scope.definitions if name in words]
    if not own:
        return given
    if isinstance(given, tuple) or len(sides(given)) > 1:
        raise UsageError(f"{own[0]} of the session cannot be used here", hint="write it out")  # fmt: skip
    expression = _expression(session, given, None)
    return Expression.of(expression.root, expression.declared)


def read(session: Workspace, entry: Entry, asks: bool = False) -> Result | None:
    """The answer to a question, or the verdict on a claim or an equation; None for any other statement.

    It is looked for if something in the text speaks for one, or if the caller knows that it `asks`.
    """
    text = entry.text
    if _STATES.match(text) or ";" in text:
        from exprgrad.checking.kinds.stated import NoAnswer

        with contextlib.suppress(NoAnswer):
            judged = stated_claim(session, text)
            if judged is not None:
                return judged
    above = _ABOVE.match(text)
    asks = asks or (above is not None and above[1] not in session.scope.definitions)
    asks = asks or any(word in text[:40] for word in _WORDS) or any(word in text for word in _BY)  # fmt: skip
    asks = asks or text[-2:] in (")'", ")′", ")’")
    claims = "=" in text and not text.startswith("=")
    if not (asks or claims):
        return None
    if not asks and _DEFINES.fullmatch(text):  # as most lines of a long file do
        return None
    from exprgrad.expressions.derivatives import derive
    from exprgrad.language.phrases import LONGEST
    from exprgrad.language.sentences import read_typed

    if len(text) > LONGEST or _is_evaluated(text):
        return None
    try:
        typed = read_typed(text)
    except ExprgradError:
        return None
    if typed.asked is None and typed.variable is not None and len(typed.sides) == 1:
        return _with_respect_to(session, text, typed, typed.variable)
    if typed.asked is None:
        return _equated(session, text, typed)
    if not (typed.answers or asks):
        return None
    expression, name = _function(session, text, typed, typed.asked)
    place = typed.point or ", ".join(_arguments(session, text, typed, name))
    if not typed.answers and place:
        return _at_point(session, entry, typed, name, place)
    if not typed.answers:
        chain = list(typed.asked.mixed) or [name] * typed.asked.order
        function = typed.asked.function
        title = text[slice(*function)] if function else expression.source
        return Derived(title, derive(expression, [chain]))
    return _judged(session, text, typed, expression, name)


def _judged(
    session: Workspace, text: str, typed: Typed, expression: Expression, name: str
) -> Result:
    """The verdict on the last answer to a question."""
    from exprgrad.checking.check import check
    from exprgrad.expressions.taylor import at_place

    assert typed.asked is not None
    claimed = _expression(session, _piece(text, typed.answers[-1]), name)
    formula = Expression.of(expression.root, expression.declared)
    at = _place(session, text, typed, name, (formula, claimed))
    if at is not None and name not in at:  # x^n = ... for n=3
        formula, claimed = (Expression.of(at_place(e.root, at), e.declared) for e in (formula, claimed))  # fmt: skip
        at = None
    return Checked(check(formula, claimed, name, order=typed.asked.order, at=at))


def _with_respect_to(
    session: Workspace, text: str, typed: Typed, variable: str
) -> Result:
    """The derivative of a formula with respect to the variable that is named behind it."""
    from exprgrad.expressions.derivatives import derive

    source = text[slice(*typed.sides[0])]
    expression = _expression(session, source, variable)
    return Derived(source, derive(expression, [[variable]]))


def _place(
    session: Workspace,
    text: str,
    typed: Typed,
    name: str,
    sides: tuple[Expression, Expression],
) -> dict[str, Any] | None:
    """The point that a claim is about, as in f'(3) = 6 or d/dx x^2 = 6 at x=3; None for a claim of a formula."""
    values = _arguments(session, text, typed, name)
    if typed.point is not None:
        values.append(_named(session, typed.point, (name,)))
    if not values:
        return None
    given = _numbers(session, values)
    if name not in given:
        return given
    known = {n: x for side in sides for n, x in session.point(side).items()}
    return known | given


def _arguments(session: Workspace, text: str, typed: Typed, variable: str) -> list[str]:
    """The values in the brackets of f'(3); none for f'(x)."""
    asked = typed.asked
    if asked is None or asked.argument is None or asked.function is not None:
        return []
    inside = (asked.argument[0] + 1, asked.argument[1] - 1)
    texts = [text[inside[0] + a : inside[0] + b] for a, b in parted(text[slice(*inside)])]  # fmt: skip
    names = _parameters(session, text, typed) or (variable,)
    if len(texts) != len(names):
        raise UsageError(
            f"{asked.name} has {len(names)} parameter{'s'[: len(names) != 1]}, here are {len(texts)}",
            asked.argument,
            f"write {asked.name}'({', '.join(names)})",
            source=text,
        )
    if not all(map(str.strip, texts)):
        raise UsageError("a value is missing", asked.argument, f"write {asked.name}'({', '.join(names)})", source=text)  # fmt: skip
    pairs = zip(names, map(str.strip, texts), strict=True)
    known = [(n, value) for n, value in pairs if normal(value) not in (n, variable)]
    return [f"{n}={value}" for n, value in known]


def _parameters(session: Workspace, text: str, typed: Typed) -> tuple[str, ...]:
    """The parameters of the function that is asked about: one of the session, or of the line itself."""
    if typed.definition is not None:
        brackets = typed.definition.parameters
        inside = text[brackets[0] + 1 : brackets[1] - 1] if brackets else ""
        return tuple(normal(n.strip()) for n in inside.split(",") if n.strip())
    name = typed.asked.name if typed.asked is not None else None
    found = session.scope.definitions.get(name or "")
    return found.parameters if found is not None else ()


def _is_evaluated(text: str) -> bool:
    """Whether a text is a formula of LaTeX with values behind it, and no equation."""
    if not is_latex(text):
        return False
    from exprgrad.session.formulas import VALUES

    found = VALUES.search(text)
    return found is not None and "=" not in text[: found.start()]


def _at_point(
    session: Workspace, entry: Entry, typed: Typed, name: str, point: str
) -> Result:
    """The value of a derivative, asked for in words: derivative of x^2 at x=3."""
    assert typed.asked is not None
    function = typed.asked.function or (typed.definition or typed.asked).function
    source = entry.text[slice(*function)] if function else typed.asked.name
    at = point if "=" in point else f"{name}={point}"
    wrt = ", ".join(typed.asked.mixed) or f"{name}, {typed.asked.order}"
    text = f"diff({source}, {wrt}) at {at}"
    return Workspace.execute(session, entry._replace(text=text))


def _equated(session: Workspace, text: str, typed: Typed) -> Result | None:
    """Whether the two sides of an equation are equal; None if it is none, or defines something."""
    if len(typed.sides) != 2 or typed.definition is not None:
        return None
    from exprgrad.checking.check import equivalent
    from exprgrad.expressions.taylor import at_place

    first, second = (text[slice(*side)] for side in typed.sides)
    if first.isidentifier() or head(text) is not None:
        return None
    both = [_expression(session, side, None) for side in (first, second)]
    if typed.point is not None:
        names = tuple(dict.fromkeys(name for side in both for name in side.variables))
        place = _numbers(session, [_named(session, typed.point, names)])
        for name in place.keys() - names:
            raise no_variable(name, names)
        both = [Expression.of(at_place(side.root, place)) for side in both]
        second = f"{second} at {typed.point}"
    a, b = (Expression.of(side.root, side.declared) for side in both)
    return Equated((first, second), equivalent(a, b), (a, b))


def _named(session: Workspace, point: str, names: tuple[str, ...]) -> str:
    """A value with the name of the only variable, as x=3."""
    if "=" in point:
        return point
    free = [name for name in names if session.value(name) is None] or list(names)
    if len(free) != 1:
        raise UsageError(f"which variable is {point}?", hint=Hint("value_beside"))
    return f"{free[0]}={point}"


def _numbers(session: Workspace, values: list[str]) -> dict[str, Any]:
    """Values as they are written beside a claim, as graphs."""
    if any(map(is_latex, values)):
        from exprgrad.data.bindings import Bindings

        return dict(Bindings(values, "at").exact)
    statement = session.scope.read(f"0 at {', '.join(values)}")
    given = {b.name: session.number(b) for b in statement.given}
    return {name: as_graph(coordinate(name, x)) for name, x in given.items()}


def at_values(session: Workspace, entry: Entry) -> Entry:
    """A statement with the values beside it as sessions write them: x^2|x=3, and x^2 at 3, as x^2 at x=3."""
    text = entry.text
    if not any(sign in text for sign in _PLACES):
        return entry
    from exprgrad.language.phrases import LONGEST
    from exprgrad.language.sentences import read_typed

    if len(text) > LONGEST:
        return entry
    try:
        typed = read_typed(text)
    except ExprgradError:
        return entry
    point = typed.point
    if point is None or typed.definition is not None or typed.answers:
        return entry
    names: tuple[str, ...]
    if typed.asked is not None and "=" not in point:  # f'(x) at 3
        from exprgrad.language import phrases

        source = phrases.read(text).text.strip()
        names = (_function(session, text, typed, typed.asked)[1],)
    elif len(typed.sides) == 1:
        source = text[slice(*typed.sides[0])]
        names = _expression(session, source, None).variables
    else:
        return entry
    value = _named(session, point, names) if names else point
    return entry._replace(text=f"{source} at {value}")


def _free(session: Workspace, expression: Expression) -> list[str]:
    """The variables without a value."""
    return [n for n in expression.variables if session.value(n) is None]


def _function(
    session: Workspace, text: str, typed: Typed, asked: Asked
) -> tuple[Expression, str]:
    """The function that is asked about, and its variable."""
    if asked.function is not None:
        source = _piece(text, asked.function)
    elif typed.definition is not None:
        source = _piece(text, typed.definition.function)
    elif asked.name in session.scope.definitions:
        source = asked.name or ""
        named = _argument(session, text, typed)
        if named is not None:  # f was defined with another name for its variable
            return _expression(session, f"{source}({named})", named), named
    else:
        raise UsageError(
            f"{asked.name} is not defined",
            asked.span,
            f"define it first: {asked.name}(x) = ...; a function is defined without the prime",
            source=text,
        )
    expression = _expression(session, source, asked.variable)
    free = _free(session, expression)
    names = [asked.variable] if asked.variable else free or list(expression.variables)
    if len(names) > 1:
        raise UsageError(
            f"with respect to which variable: {', '.join(names)}?",
            asked.span,
            f"write d/d{names[0]} (...)",
            source=text,
        )
    return expression, names[0] if names else "x"


def _piece(text: str, span: Span) -> str:
    """A part of an entry, marked as LaTeX where that is."""
    piece = text[slice(*span)]
    alone = is_latex(text) and not is_latex(piece) and ("_" in piece or " " in piece)
    return f"${piece}$" if alone else piece


def _argument(session: Workspace, text: str, typed: Typed) -> str | None:
    """The variable in f'(x), which has no value, where f is a function of another one."""
    asked, parameters = typed.asked, _parameters(session, text, typed)
    if asked is None or asked.argument is None or len(parameters) != 1:
        return None
    name = normal(text[asked.argument[0] + 1 : asked.argument[1] - 1].strip())
    free = name.isidentifier() and name not in CONSTANTS and session.value(name) is None
    return name if free and name != parameters[0] else None


def _expression(session: Workspace, source: str, variable: str | None) -> Expression:
    statement = session.scope.read(source, [variable] if variable else [])
    if statement.kind not in ("shown", "gradient"):
        raise UsageError("expected an expression, not a definition")
    return Expression(statement.reading, session.scope.definitions)
