"""Questions and claims in a session, in the notations of a problem: `d/dx x^2 = 2x`, `f'(x) = 2x`, `derivative of x^2`.

Functions are those of the session as well as those that a line defines. Some commands take words as one says them:

    plot_line(session, "x^2 from -2 to 2 tangent at 1")     # x^2, with the options x="-2:2", tangent=["1"]
    why_line(session, "dL/dw")                              # L, with the option wrt=["w"]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.commands.declared import Result, command_of
from exprgrad.commands.typed import CONSTRUCTED, refuse_words
from exprgrad.errors import ExprgradError, Hint, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.brackets import outside
from exprgrad.language.inputs import normal
from exprgrad.language.points import coordinate, in_order, no_variable
from exprgrad.language.products import letters
from exprgrad.language.questions import Definition, Piece, Question, Scope, questions_in
from exprgrad.language.scanning.reach import Unclear
from exprgrad.language.shapes import is_latex
from exprgrad.language.undefined import keeping
from exprgrad.lazy import pattern
from exprgrad.operations.vocabulary import CONSTANTS, is_function
from exprgrad.session.entries import Entry
from exprgrad.session.statements import ANS, head, parameter_of
from exprgrad.session.workspace import EXPRESSIONS, Workspace
from exprgrad.session.workspace import no_variable as without_variable
from exprgrad.sweeps.coordinates import as_graph

if TYPE_CHECKING:
    from exprgrad.checking.check import Verdict


_MAY_SAY = ("deriv", "ifferentiate", "Deriv", "slope", "find", "Find", "{", "$", "∫", "∇", "integra", "int ", "tangent", "grad", "taylor", "Taylor", "aurin", "hessian", "critical", "linear", " of ", " wrt ", " w.r.t", " with respect to ", " is ", " equals ", ";", ")'", ")′", ")’", "^(")  # fmt: skip
"""What is in a statement that may ask for, or claim, something besides the value of an expression."""

_ABOVE = pattern(
    r"\s*+[d∂](\w)\s*/\s*[d∂]\w+\s+(?=[^\s=+\-−*·×/÷^(\[{),;])(?!at\s|when\s|for\s|if\s|where\s)"
)
"""dy/dx before a formula, where y is nothing else."""

_PLACES = ("|", ",", ";", "@", " when ", " for ", " where ", " if ", " with ", " given ", " and ", " at ")  # fmt: skip

_DEFINES = pattern(r"\s*+[^\W\d]\w*+\s*+=\s*+(?:\w++(?!\s+\w)|[-+*/^(). ])++")
"""A name and a formula without words side by side: it may be a definition, and nothing else."""


def only_formula(session: Workspace) -> list[str]:
    """The name that "the tangent at 3" is about: that of the only formula, unless there was another since."""
    last, known = session.scope.last, session.scope.definitions
    names = [name for name in known if session.value(name) is None]
    is_past = last and {*last.variables} - known.keys()
    return names if len(names) == 1 and not is_past else []


def said(session: Workspace, text: str) -> list[Definition | Question]:
    """Return what a text says, where names of the session keep their meanings; nothing where it cannot be read."""
    from exprgrad.checking.kinds.rows import words as words_of_kinds
    from exprgrad.language.questions import read

    own, only = {}, only_formula(session) if ":" in text or " is " in text else []
    for name, known in session.scope.definitions.items():
        # also the y of dy/dx, the f of f_x, and both of fg
        if name in text or name in only:
            called = f"({', '.join(known.parameters)})" if known.parameters else ""
            piece = Piece(f"{name}{called}", f"{name}{called}", 0)
            own[name] = Definition(piece, name, tuple(known.parameters), piece)
    try:
        return read(text, Scope(own, kinds=words_of_kinds(), before=tuple(own[name] for name in only)))  # fmt: skip
    except Unclear:
        raise
    except ExprgradError:
        return []


def read(session: Workspace, entry: Entry, asks: bool = False) -> Any:
    """The answer to a question, or the verdict on a claim or an equation; None for any other statement.

    It is looked for if something in the text speaks for one, or if the caller knows that it `asks`.
    """
    from exprgrad.language.phrases import LONGEST

    text = entry.text
    above = _ABOVE.match(text)
    asks = asks or (above is not None and above[1] not in session.scope.definitions)
    asks = asks or any(word in text for word in _MAY_SAY) or is_latex(text)
    asks = asks or text.rstrip("? ").endswith("=")
    if not asks and "d/d" in text:  # of a product such as fg
        known = {n for n, d in session.scope.definitions.items() if d.parameters}
        words = [w for w in re.findall(r"\w+", text) if len(w) > 1 and w not in known]
        asks = any(map(known.issuperset, words))
    if not (asks or ("=" in text and not text.startswith("="))) or len(text) > LONGEST:
        return None
    # a reading as a question takes sixteen times as long as this test, and most statements are definitions
    if not asks and _DEFINES.fullmatch(text) and not _names_partial(session, text):
        return None
    questions = questions_in(found := said(session, text))
    if len(questions) != 1:
        return None
    if questions[0].kind not in CONSTRUCTED and _is_evaluated(text):
        return None
    answer = answered(session, entry, questions[0], asks)
    for own in found if answer else ():
        if isinstance(own, Definition) and own.given == questions[0].asked and not own.given.latex:  # fmt: skip
            # v = ds/dt = 3t^2 says what v is as well
            listed = f"({', '.join(own.parameters)})" if own.parameters else ""
            Workspace.execute(session, entry._replace(text=f"{own.name}{listed} = {own.given.text}"))  # fmt: skip
    return answer


def _names_partial(session: Workspace, text: str) -> bool:
    """Return whether what is before the = names a derivative of a function of the session: f_x, Df."""
    name = text.partition("=")[0].partition("(")[0].strip()
    function, _, below = name.partition("_")
    known = session.scope.definitions.get(function)
    if known is not None and below:
        own = known.parameters or session.expression(function)[0].variables
        return set(below) <= {*own, *letters(known.formula, None)}
    return name[:1] == "D" and name[1:] in session.scope.definitions


@keeping()
def answered(session: Workspace, entry: Entry, question: Question, asks: bool) -> Any:
    """The answer to a question, or the verdict on its claims; None where it is neither."""
    if question.kind == "expression":
        if not question.wrt:
            return None
        source = question.given[0].text
        expression, _ = session.expression(source, question.wrt[:1])
        return session.derived(expression, [list(question.wrt)], source)
    if question.claims and question.is_of_values:
        return _equated(session, entry.text, question)
    if question.claims:
        return judged(session, question, question.claims)
    if question.kind == "gradient" and question.at is None and (question.name or not question.asked.latex):  # fmt: skip
        place = "".join(f" at {', '.join(own)}" for own in [_arguments(question, "")] if own)  # fmt: skip
        return Workspace.execute(session, entry._replace(text=f"grad {question.given[0].text}{place}"))  # fmt: skip
    if question.kind in CONSTRUCTED and question.asked.latex:
        return command_of(question.kind)(expression=entry.text).run()
    if question.is_of_inverse:
        raise UsageError("the inverse function has no formula here", hint="claim its slope, which is checked: (f^-1)'(2) = 1/4")  # fmt: skip
    if question.kind != "derivative" or not asks:
        return None
    from exprgrad.checking.problems import point_text
    from exprgrad.expressions.fields import operator

    expression, name = _function(session, question)
    refuse_words(expression, question, entry.text, session.scope.definitions)
    at = question.at
    place = point_text(at, question, name, expression) if at else ", ".join(_arguments(question, name))  # fmt: skip
    several = len(set(question.wrt)) > 1
    chain = list(question.wrt) if several else [name] * question.order
    if place:
        text = f"{operator(tuple(chain), False)} ({question.given[0].text}) at {place}"
        return Workspace.execute(session, entry._replace(text=text))
    title = question.given[0].text if question.name is None else expression.source
    return session.derived(expression, [chain], title)


@keeping()
def judged(session: Workspace, question: Question, claims: tuple[Piece, ...]) -> Result:
    """The verdict on the first claim of a chain that is not correct, or on the last."""
    from exprgrad.commands.check import Check

    for claim in claims:
        result = _judged(session, question, claim)
        if result.status != "correct":
            break
    return Check().judged([result])


def _judged(session: Workspace, question: Question, claim: Piece) -> Verdict:
    """The verdict on a claim."""
    from exprgrad.checking import problems
    from exprgrad.checking.readings import conditioned
    from exprgrad.expressions.taylor import at_place

    if question.is_partial and question.name in session.scope.definitions:
        held = _holding(session, question.name)
        # of z = x^2 + y^2, ∂z/∂x holds y; ∂z/∂t goes through x and y
        is_held = {*question.wrt} <= {*held.expression(question.name)[0].variables}
        session = held if is_held else session
    question = _in_parameter(session, question)
    if question.given and (question.kind != "derivative" or len(set(question.wrt)) > 1):
        problem = problems.problem_of(question, claim, {})
        given, claimed = _meant(session, problem.function), problem.claim
        if question.kind == "parametric":  # whose x and y are formulas of the session
            claimed = _meant(session, claimed)
        problem = problem._replace(function=given, claim=claimed)
        verdict = problems.judge(problem)
        if verdict.status == "correct" or not isinstance(given, Expression):
            return verdict
        # the tangent to a*x^2 at 1 is y = 4x - 2 where a = 2
        free, own = session.free(given), session.point(given)
        numbers = {n: as_graph(x) for n, x in own.items() if n not in free}
        if not numbers:
            return verdict
        fixed = Expression.of(at_place(given.root, numbers), given.declared)
        return problems.judge(problem._replace(function=fixed))
    expression, name = _function(session, question)
    text, where = conditioned(claim.text)
    claim = claim._replace(text=text)
    rated = problems.by_rates(expression, claim, name, question.asked, lambda text, names: session.expression(_source(claim._replace(text=text)), names)[0])  # fmt: skip
    if rated is not None:
        return problems.judge(rated)
    claimed = problems.claimed_in(claim, {name}, expression.variables, lambda text: session.expression(_source(text), [name, *expression.variables])[0])  # fmt: skip
    formula = Expression.of(expression.root, expression.declared)
    known = session.scope.definitions.get(question.name or "")
    formula.titled, typed = str(formula), known.formula if known else expression.source
    if session.scope.definitions.keys().isdisjoint(letters(typed, name) - {name}):
        formula.source = typed  # e^2x, which may have been meant as e^(2x)
    values, asked = _arguments(question, name), question.asked
    if question.at is not None:
        values.append(problems.point_text(question.at, question, name, expression))
    places = None, claim.offset if claim.source == asked.source else None
    found = problems.Problem(0, "", asked.source, asked.text, claim.text, formula, claimed, name, question.order, places, where)  # fmt: skip
    given = _numbers(session, values) if values else {}
    own = {**session.point(formula), **session.point(claimed)}
    if name in given:
        return problems.judge(found._replace(exact={**own, **given}))
    if given:  # x^n = ... for n=3
        found = problems.with_numbers(found, given)
    verdict = problems.judge(found)
    # a formula in x is right whatever x is by now; 4 is the slope of x^2 where x = 2, 6x that of a*x^2 where a = 3
    if verdict.status == "correct" or not {*own} - {*given}:
        return verdict
    if name in own and name not in claimed.variables:
        return problems.judge(found._replace(exact={**own, **given}))
    numbers = {n: as_graph(x) for n, x in own.items() if n != name}
    return problems.judge(problems.with_numbers(found, numbers)) if numbers else verdict


def _holding(session: Workspace, name: str) -> Workspace:
    """A session in which the formulas that one is made of are letters: a partial derivative holds them."""
    own = session.scope.known(name).mentioned & session.scope.definitions.keys()
    held = Workspace()
    held.scope = session.scope.without([n for n in own if n != name and session.value(n) is None])  # fmt: skip
    return held


def _in_parameter(session: Workspace, question: Question) -> Question:
    """A question about dy/dx as one about a curve where x and y are formulas of the session in one parameter."""
    x, y = next(iter(question.wrt), ""), question.name or ""
    if not session.scope.definitions.keys() >= {x, y}:
        return question
    across, along = (session.scope.known(name).function for name in (x, y))
    is_number = not across.parameters + across.variables
    if is_number or x in session.expression(y, [x])[0].variables:
        return question
    parameter_of(across, along, question.asked.span)
    given = (str(session.expression(name)[0]) for name in (x, y))
    pair = tuple(Piece(text, text, 0) for text in given)
    asked = question._replace(kind="parametric", wrt=(), name=None, parameters=())
    return asked._replace(given=pair)


def _meant(session: Workspace, given: Any) -> Any:
    """Return what a question is about, with the names of the session filled in."""
    from exprgrad.checking.equations import sides

    texts = given if isinstance(given, tuple) else (given,)
    words = {word for text in texts for word in re.findall(r"[^\W\d]\w*", text)}
    own = [name for name in session.scope.definitions if name in words]
    if not own:
        return given
    is_one = not isinstance(given, tuple) and len(sides(given)) == 1
    if not is_one and not re.fullmatch(rf"{own[0]}\(\w\) = \w+", str(given)):
        raise UsageError(f"{own[0]} of the session cannot be used here", hint="write it out")  # fmt: skip
    parts = [session.expression(side)[0] for side in sides(given)]
    if not is_one:  # f(y) = x, on which the inverse of f is y
        return " = ".join(map(str, parts))
    return Expression.of(parts[0].root, parts[0].declared)


def _arguments(question: Question, variable: str) -> list[str]:
    """The values in the brackets of f'(3); none for f'(x)."""
    from exprgrad.checking.problems import parsed, values_in_brackets

    values = values_in_brackets(question, variable, "parameter").items()
    return [f"{n}={parsed(x, ()) if x.latex else x.text}" for n, x in values if normal(x.text) != variable]  # fmt: skip


def _is_evaluated(text: str) -> bool:
    """Return whether a text is a formula of LaTeX with values behind it, and no equation."""
    if not is_latex(text):
        return False
    from exprgrad.session.formulas import VALUES

    found = VALUES.search(text)
    return found is not None and "=" not in text[: found.start()]


def _equated(session: Workspace, text: str, question: Question) -> Result | None:
    """Return whether the two sides of an equation are equal; None if it defines something."""
    if len(question.claims) != 1:
        return None
    from exprgrad.commands.check import equated
    from exprgrad.expressions.taylor import at_place

    first, second = question.asked.text, question.claims[0].text
    name, parameters = head(text) or ("", ("",))
    is_called = parameters[0] in session.scope.definitions and is_function(name, True)
    is_slope = _names_partial(session, name or first)
    if not is_slope and (first.isidentifier() or (name and not is_called)):
        return None
    pieces = question.asked, question.claims[0]
    texts = (with_partials(session, _source(side)) for side in pieces)
    sides = [(text, session.expression(text)[0].variables) for text in texts]
    # the ay of one side is a*y if that is so in the other
    both = [session.expression(text, own)[0] for (text, _), (_, own) in zip(sides, sides[::-1], strict=True)]  # fmt: skip

    def judged_at(place: Mapping[str, Any], beside: str) -> Result:
        a, b = (Expression.of(at_place(e.root, place), e.declared) for e in both)
        return equated((first, f"{second}{beside}"), (a, b))

    if question.at is not None:
        names = in_order(dict.fromkeys(name for e in both for name in e.variables))
        place = _numbers(session, [_named(session, question.at.text, names)])
        for name in place.keys() - names:
            raise no_variable(name, names)
        return judged_at(place, f" at {question.at.text}")
    found = judged_at({}, "")
    own = {n: as_graph(x) for e in both for n, x in session.point(e).items()}
    if not (own and found.code):
        return found
    # x^2 = 4 is no identity, but right where x is 2
    values = (f"{n} = {session.scope.definitions[n].formula}" for n in own)
    return judged_at(own, f" at {', '.join(values)}")


def with_partials(session: Workspace, text: str) -> str:
    """A text with ∂^2u/∂x∂x for u_xx, where u is a formula of the session in x, or a function of x."""
    if "_" not in text or is_latex(text):
        return text

    def written(found: re.Match[str]) -> str:
        name, below = found.groups()
        if found[0] in session.scope.definitions or not _names_partial(session, found[0]):  # fmt: skip
            return found[0]
        order = f"^{len(below)}" if len(below) > 1 else ""
        slope = f"∂{order}{name}/∂{'∂'.join(below)}"
        return f"({slope})" if text[found.end() :][:1] in {*"^²³'!"} else slope

    partial = r"(?<![^\W_])([^\W\d_]\w*?)_([^\W\d_⁰¹²³⁴-⁹]+)(?![^\W⁰¹²³⁴-⁹])"
    return re.sub(partial, written, text)


def _named(session: Workspace, point: str, names: tuple[str, ...]) -> str:
    """A value with the name of the only variable, as x=3."""
    from exprgrad.checking.equations import with_names

    free = [name for name in names if session.value(name) is None] or names
    return with_names(point, free)


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
    if "=" not in text.partition(" at ")[0]:
        text = with_partials(session, text)
        entry = entry._replace(text=text)
    # most statements have none of these, and are spared a reading as a question
    if not any(sign in text for sign in _PLACES):
        return entry
    from exprgrad.language import phrases

    if len(text) > phrases.LONGEST:
        return entry
    found = said(session, text)
    questions = questions_in(found)
    question = questions[0] if len(found) == len(questions) == 1 else None
    if question is None or question.at is None or question.claims:
        return entry
    names: tuple[str, ...]
    if question.kind == "derivative" and "=" not in question.at.text:  # f'(x) at 3
        source = phrases.read(text).text.strip()
        names = question.parameters if "," in question.at.text else (_function(session, question)[1],)  # fmt: skip
    elif question.kind == "expression":
        source = question.given[0].text
        names = in_order(session.expression(source)[0].variables)
    else:
        return entry
    value = _named(session, question.at.text, names) if names else question.at.text
    return entry._replace(text=f"{source} at {value}")


def _function(session: Workspace, question: Question) -> tuple[Expression, str]:
    """The function that is asked about, and its variable."""
    from exprgrad.checking.problems import variable_in

    asked = question.asked
    if not question.given:
        message = f"{question.name} is not defined"
        hint = f"define it first: {question.name}(x) = ...; a function is defined without the prime"
        raise UsageError(message, asked.span, hint, source=asked.source)
    if question.argument is not None and len(question.parameters) == 1:
        named = normal(question.argument.text[1:-1].strip())
        is_name = named.isidentifier() and named not in {*CONSTANTS, *question.parameters}  # fmt: skip
        if is_name and session.value(named) is None:  # another than f was defined with
            return session.expression(f"{question.name}({named})", [named])[0], named
    source = _source(question.given[0])
    wrt = question.wrt[:1] or question.parameters or session.scope.customary(source)
    expression, _ = session.expression(source, wrt)
    if wrt and wrt != question.parameters:
        return expression, wrt[0]
    # y = 5 has the slope 0, also by t
    names = [n for n in session.free(expression) if n != question.name]
    name = variable_in(question, names or ["t"])
    expression.declared |= {name}  # also of 3, which has no variables
    return expression, name


def _source(piece: Piece) -> str:
    """A part of an entry, marked as LaTeX where that is."""
    alone = piece.latex and not is_latex(piece.text) and not {*"_ \\"}.isdisjoint(piece.text)  # fmt: skip
    return f"${piece.text}$" if alone else piece.text


POINTS = 40
"""Points of a range that are shown."""

_AT = pattern(r"\sat\s(?=[^:]*=)")


def in_range(session: Workspace, entry: Entry) -> Result | None:
    """The values at all points of a range; None for a statement without one."""
    from exprgrad.data.grid import Grid, rows
    from exprgrad.views.tables import GridView

    text = entry.text
    places = list(_AT.finditer(text))
    if not places or ":" not in text[places[-1].end() :]:
        return None
    start, end = places[-1].span()
    statement = session.read(text[:start])
    if statement.kind not in EXPRESSIONS:
        return None
    expression = Expression(statement.reading, session.scope.definitions)
    expression.titled = statement.title
    try:
        # blanks in place of what stands before, so that the places of errors are those in the line
        grid = Grid([" " * end + text[end:]])
        grid.check(expression)
        own = session.point(expression)
        fixed = {name: value for name, value in own.items() if name not in grid.names}
        wanted = [name for name in expression.variables if name in grid.names]
        found = rows(expression, grid, wanted, digits=session.settings.digits, fixed=fixed)  # fmt: skip
    except ExprgradError as error:
        error.source = text if error.source is not None else None
        raise
    digits = session.settings.digits
    view = GridView(expression, tuple(grid.ranges), wanted, found, digits, POINTS)
    return Result(view, errors=view.problems[:1])


class Line(NamedTuple):
    """A line as the row of its command reads it, options besides, and names that are variables in it."""

    text: str
    options: Mapping[str, Any] = {}
    free: Collection[str] = ()


_BY = pattern(r"[d∂]\s*(\w*)\s*/\s*[d∂]\s*(\w+)(.*)", re.DOTALL)
_WRT = pattern(r"(?:^|\s)wrt\s+([\w\s,]+)$")
_FROM = pattern(r"(?:^|\s+)from\s+(\S+)\s+to\s+(\S+)$")
_TANGENT = pattern(r"(?:^|\s+)tangent\s+at\s+(\S+)$")


def why_line(session: Workspace, text: str) -> Line:
    """`dL/dw` and `d/dw L` as `L wrt w`; a variable of the last result as `ans wrt w`."""
    found, last = _BY.fullmatch(text.strip()), session.scope.last
    if last is not None and text.strip() in last.variables:
        return Line(ANS, {"wrt": [text.strip()]})
    if found is None or _WRT.search(text):
        return Line(text)
    name = found[1]
    if name and name != ANS and name not in session.scope.definitions:
        hint = f"define it: {name} = ..., or name an expression: :why x^2 wrt x"
        raise UsageError(f"there is no {name}", hint=hint)
    return Line(f"{name} {found[3]}".strip(), {"wrt": [found[2]]})


def steps_line(session: Workspace, text: str) -> Line:
    """`full x^2` as x^2 with all steps."""
    word, _, rest = text.partition(" ")
    is_full = word == "full" and bool(rest.strip())
    return Line(rest.strip(), {"steps": "full"}) if is_full else Line(text)


def plot_line(session: Workspace, text: str) -> Line:
    """A range and a tangent at the end as options; a curve along a variable that is not bound for it, x or t if possible."""
    text, tangents = _numbers_behind(session, text, _TANGENT)
    text, ends = _numbers_behind(session, text, _FROM)
    line = text.strip() or ANS
    free = set[str]()
    try:
        expression, statement = session.expression(line)
    except ExprgradError:
        pass  # the command says what is wrong
    else:
        values = session.point(expression, statement.given)
        if expression.takes_arrays(values):
            raise UsageError("there are no curves of expressions in arrays")
        # all names have values: the curve is along one of them all the same, with the others at theirs
        if expression.variables and set(expression.variables) <= set(values):
            bound = {binding.name for binding in statement.given}
            own = [name for name in expression.variables if name not in bound]
            usual = [name for name in ("x", "t") if name in own]
            free = {(usual or own or expression.variables)[0]}
    options: dict[str, Any] = {"tangent": tangents} if tangents else {}
    if ends:
        options["x"] = ":".join(ends)
    return Line(line, options, free)


def _numbers_behind(session: Workspace, text: str, words: Any) -> tuple[str, list[str]]:
    """A text without some words at its end, and the values of the numbers among them, such as `-pi`."""
    found = words.search(text)
    if found is None:
        return text, []
    read = [session.expression(number)[0] for number in found.groups()]
    return text[: found.start()], [str(own.at(session.point(own))) for own in read]


def check_line(session: Workspace, text: str) -> Any:
    """A question with its answer is judged; a claim alone is about the last result."""
    if not text.strip():
        raise UsageError("type what you claim the derivative is", hint=":check 2x")
    plain, wrt = _wrt(text)
    found = _stated(session, plain)
    if found is not None:
        return found
    if not any(outside(plain, ",")):
        plain = f"{ANS}, {plain}"
    return Line(plain + wrt)


def _wrt(text: str) -> tuple[str, str]:
    """An argument without a final `wrt x, y`, and that."""
    found = _WRT.search(text)
    return (text, "") if found is None else (text[: found.start()], found.group())


def _stated(session: Workspace, text: str) -> Any:
    """The verdict on a question with its claim, in one text or parted by its last comma; None for a mere answer."""
    from exprgrad.checking.problems import equation_of

    asked = _question(session, text)
    if asked is not None and asked.kind == "equation":
        if equation_of(asked, asked.claims[-1]) is None:
            return None
        return answered(session, Entry(text, 0, text), asked, True)
    if asked is not None and asked.claims and asked.given:
        return judged(session, asked, asked.claims)
    # what is asked may have commas of its own; the claim is behind the last one
    *_, comma = [-1, *outside(text, ",")]
    asked = _question(session, text[: max(comma, 0)])
    if asked is None or asked.claims:
        return None
    return judged(session, asked, (Piece.of(text, comma + 1),))


def _question(session: Workspace, text: str) -> Question | None:
    """The one question of a text, if it has one that is no mere expression or equation."""
    asked = questions_in(said(session, text))
    return asked[0] if (len(asked) == 1 and asked[0].kind != "expression") else None


def work_line(session: Workspace, text: str) -> Line | Result:
    """A worked solution, a chain of `=`, for the last result or for the expression before a comma."""
    from exprgrad.commands.check import Check

    plain, wrt = _wrt(text)
    if not plain.strip():
        example = ":work x^2 sin x, y' = 2x sin x + x^2 cos x = x(2 sin x + x cos x)"
        raise UsageError("type your solution", hint=example)
    comma = next(outside(plain, ","), -1)
    f, solution = plain[: max(comma, 0)], plain[comma + 1 :].lstrip()
    if "=" in f:  # the comma parts statements of the solution, u = x^2, v = sin x
        f, solution = "", plain
    named = [normal(name) for name in re.findall(r"\w+", wrt)][1:]
    expression, _ = session.expression(f.strip() or ANS, named)
    names = named or session.free(expression)
    if not names:
        raise without_variable(":check x^2, 2x")
    if len(names) > 1:
        hint = Hint("choose_variable", name=names[0])
        raise UsageError(f"choose a variable: {', '.join(names)}", hint=hint)
    function = Expression.of(expression.root, expression.declared)
    function.titled = expression.title
    return Check(wrt=names[0]).judged_work(function, list(_lines(solution)))


def _lines(solution: str) -> Iterator[str]:
    """The lines of a solution on one line: the left side with what it is, then a line for every `=`."""
    for chain in re.split("=>|⇒", solution):
        signs = [] if any(outside(chain, ",")) else [*outside(chain, "=")][1:]
        for start, end in itertools.pairwise([0, *signs, len(chain)]):
            yield chain[start:end].strip()


OWN: dict[str, Callable[[Any, str], Line | Result]] = {
    "check": check_line, "plot": plot_line, "steps": steps_line, "why": why_line, "work": work_line,
}  # fmt: skip
"""The commands whose lines are read here first."""
