"""Commands about an expression: its sweeps, derivatives and second derivatives, and claims about them.

Each takes the expression that was typed after it, or the last result.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator

from exprgrad.checking.problems import equation_of
from exprgrad.errors import ExprgradError, Hint, UsageError
from exprgrad.expressions.derivatives import derive
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.trace import trace as traced
from exprgrad.language.brackets import outside
from exprgrad.language.inputs import normal
from exprgrad.language.questions import Piece, Question, questions_in
from exprgrad.operations.operation import show
from exprgrad.patterns import pattern
from exprgrad.session import claims
from exprgrad.session.entries import Argument, Entry
from exprgrad.session.results import (
    Carried,
    Checked,
    Derived,
    Graphed,
    Plotted,
    Result,
    Said,
    Traced,
    Walked,
    Worked,
)
from exprgrad.session.statements import Statement
from exprgrad.session.tokens import ANS
from exprgrad.session.workspace import Walk, Workspace, no_variable

_WRT = pattern(r"(?:^|\s)wrt\s+([\w\s,]+)$")


def _read(
    session: Workspace, given: Argument, by: Collection[str] = ()
) -> tuple[Expression, str, Statement]:
    """The expression after a command, or the last result, which is differentiated `by` some names."""
    text = given.text or ANS
    try:
        expression, statement = session.expression(text, by)
    except ExprgradError as error:
        raise _moved(error, text, given) from None
    return expression, statement.title if given.text else ANS, statement


def _moved(error: ExprgradError, text: str, given: Argument) -> ExprgradError:
    """An error in the argument, with its place in the entry."""
    if error.source == text and error.span is not None:
        start, end = error.span
        error.span = (start + given.start, end + given.start)
        error.source = given.entry.text
    return error


def _evaluated(
    session: Workspace, given: Argument, by: list[str] | None = None
) -> tuple[str, Evaluation]:
    """The expression after a command, evaluated at the current point."""
    expression, title, statement = _read(session, given)
    point = session.point(expression, statement.given)
    missing = [name for name in expression.variables if name not in point]
    if missing:
        raise UsageError(
            f"there is no value for {', '.join(missing[:8])}",
            hint=Hint("give_value", names=missing),
        )
    try:
        expression.refuse_arrays(point)
        return title, session.evaluate(expression, point, by)
    except ExprgradError as error:
        raise _moved(error, given.text, given) from None


def trace(session: Workspace, given: Argument) -> Result:
    """Both sweeps."""
    return Traced(*_evaluated(session, given))


def walk(session: Workspace, given: Argument) -> Result:
    """The first step of both sweeps; an empty line gives the next one, `b` the one before."""
    return walked(session, _evaluated(session, given)[1])


def walked(session: Workspace, evaluation: Evaluation) -> Result:
    """The first step of an evaluation's sweeps, from where a session walks on."""
    digits = min(session.settings.digits, 6)
    found = traced(evaluation, lambda x: show(float(f"{x:.{digits}g}")), own_names=True)
    every = found.walk()
    if not every:
        return Said("there is nothing to trace: the expression is a number")
    count = len(every)
    steps = [Walked(i, count, s, found, evaluation) for i, s in enumerate(every, 1)]
    session.walk = Walk(steps)
    return steps[0]


def graph(session: Workspace, given: Argument) -> Result:
    """The computation graph, drawn, or written to a file that is named at the end."""
    from exprgrad.pictures.files import named, save
    from exprgrad.pictures.graph import graph_at, graph_of
    from exprgrad.pictures.pages.walk import walk_page

    text, path = named(given.text)
    given = given._replace(text=text)
    expression, title, statement = _read(session, given)
    title = title if text else str(expression)
    point = session.point(expression, statement.given)
    if expression.takes_arrays(point) or expression.variables != tuple(point):
        evaluation, found, pages = None, graph_of(expression), {}
    else:
        evaluation = _evaluated(session, given)[1]
        found = graph_at(evaluation)
        pages = {".html": lambda: walk_page(evaluation, title)}
    found = found._replace(title=title)
    if path is None:
        return Graphed(found, expression.notes, evaluation)
    return Said(f"wrote {save(found, path, more=pages)}")


_FROM = pattern(r"(?:^|\s+)from\s+(\S+)\s+to\s+(\S+)$")
_TANGENT = pattern(r"(?:^|\s+)tangent\s+at\s+(\S+)$")


def plot(session: Workspace, given: Argument) -> Result:
    """The curve of an expression, drawn, or written to a file that is named at the end."""
    from exprgrad.pictures.files import named, save
    from exprgrad.pictures.plot import plotted

    text, path = named(given.text)
    text, tangents = _numbers_behind(session, text, _TANGENT, given)
    text, ends = _numbers_behind(session, text, _FROM, given)
    expression, _, statement = _read(session, given._replace(text=text))
    point = session.point(expression, statement.given)
    if expression.takes_arrays(point):
        raise UsageError("there are no curves of expressions in arrays")
    if expression.variables and set(expression.variables) <= set(point):
        # a curve along a variable that was not bound for it, x or t if possible
        bound = {binding.name for binding in statement.given}
        own = [name for name in expression.variables if name not in bound]
        usual = [name for name in ("x", "t") if name in own]
        del point[(usual or own or expression.variables)[0]]
    try:
        across = (ends[0], ends[1]) if ends else None
        found = plotted([expression], point, across, None, tangents)
    except ExprgradError as error:
        raise _moved(error, text, given) from None
    if path is None:
        return Plotted(found, expression.notes)
    return Said(f"wrote {save(found, path)}")


def _numbers_behind(
    session: Workspace, text: str, words: re.Pattern[str], given: Argument
) -> tuple[str, list[float]]:
    """A text without some words at its end, and the values of the numbers among them, such as `-pi`."""
    found = words.search(text)
    if found is None:
        return text, []
    read = [_read(session, given._replace(text=n))[0] for n in found.groups()]
    return text[: found.start()], [number.at(session.point(number)) for number in read]


_BY = pattern(r"[d∂]\s*(\w*)\s*/\s*[d∂]\s*(\w+)(.*)", re.DOTALL)


def why(session: Workspace, given: Argument) -> Result:
    """The paths that carry a gradient, for `dL/dw`, `d/dw L` or `L wrt w`."""
    from exprgrad.expressions.paths import why as explained

    text, names = _wrt(given.text)
    match = _BY.fullmatch(text.strip())
    if match is not None and not names:
        name = match[1]
        if name and name != ANS and name not in session.scope.definitions:
            hint = f"define it: {name} = ..., or name an expression: :why x^2 wrt x"
            raise UsageError(f"there is no {name}", hint=hint)
        text, names = f"{name} {match[3]}".strip(), [match[2]]
    start = given.start + max(0, given.text.find(text))
    given = given._replace(text=text.strip(), start=start)
    expression, _, _ = _read(session, given)
    names = names or list(expression.variables)
    if not names:
        raise no_variable(":why x^2")
    if len(names) != 1:
        hint = f":why {text.strip() or ANS} wrt {names[0]}"
        raise UsageError(f"choose a variable: {', '.join(names)}", hint=hint)
    if names[0] not in expression.variables:
        raise expression.no_variable(names[0])
    title, evaluation = _evaluated(session, given, names)
    digits = min(session.settings.digits, 6)
    found = explained(evaluation, names[0], lambda x: f"{x:.{digits}g}")
    return Carried(title, evaluation, found)


def _wrt(text: str) -> tuple[str, list[str]]:
    """An argument without a final `wrt x, y`, and the names in that."""
    match = _WRT.search(text)
    if match is None:
        return text, []
    return text[: match.start()], [*map(normal, re.findall(r"\w+", match[1]))]


def _derived(session: Workspace, given: Argument, detail: str | None) -> Result:
    text, names = _wrt(given.text)
    expression, title, _ = _read(session, given._replace(text=text), names)
    names = names or session.free(expression)
    if not names:
        raise no_variable("type one with a variable: :diff x^2")
    chains = [[name] for name in names]
    found = derive(expression, chains, form=session.settings.form)
    return Derived(title, found, detail)


def diff(session: Workspace, given: Argument) -> Result:
    """Derivatives as formulas."""
    return _derived(session, given, None)


def steps(session: Workspace, given: Argument) -> Result:
    """Derivatives with their derivation, brief unless `full` stands in front."""
    word, _, rest = given.text.partition(" ")
    if word == "full" and rest.strip():
        start = given.start + len(given.text) - len(rest.lstrip())
        return _derived(session, given._replace(text=rest.strip(), start=start), "full")
    return _derived(session, given, "brief")


def check(session: Workspace, given: Argument) -> Result:
    """A claim about the derivative of the last result, or of the expression before a comma."""
    from exprgrad.checking.check import check as checked

    text, names = _wrt(given.text)
    if not text.strip():
        raise UsageError("type what you claim the derivative is", hint=":check 2x")
    stated = _stated(session, text)
    if stated is not None:
        return stated
    f, claim = _halves(text)
    formula, name = _function(session, given._replace(text=f.strip()), names)
    start = given.start + len(text) - len(claim)
    claim_only = given._replace(text=claim.strip(), start=start)
    return Checked(checked(formula, _read(session, claim_only, names)[0], name))


def _stated(session: Workspace, text: str) -> Result | None:
    """The verdict on a question with its claim, in one text or parted by its last comma; None for a mere answer."""
    asked = _question(session, text)
    if asked is not None and asked.kind == "equation":
        if equation_of(asked, asked.claims[-1]) is None:
            return None
        return claims.answered(session, Entry(text, 0, text), asked)
    if asked is not None and asked.claims and asked.given:
        return claims.judged(session, asked, asked.claims)
    *_, comma = [-1, *outside(text, ",")]
    asked = _question(session, text[: max(comma, 0)])
    if asked is None or asked.claims:
        return None
    answer = text[comma + 1 :]
    lead = len(answer) - len(answer.lstrip())
    return claims.judged(session, asked, (Piece(answer.strip(), text, comma + 1 + lead),))  # fmt: skip


def _question(session: Workspace, text: str) -> Question | None:
    """The one question of a text, if it has one that is no mere expression or equation."""
    try:
        asked = questions_in(claims.said(session, text))
    except ExprgradError:
        return None
    is_one = len(asked) == 1 and asked[0].kind != "expression"
    return asked[0] if is_one else None


def work(session: Workspace, given: Argument) -> Result:
    """A worked solution, a chain of `=`, for the last result or for the expression before a comma."""
    from exprgrad.checking.work.work import check_work

    text, names = _wrt(given.text)
    if not text.strip():
        example = ":work x^2 sin x, y' = 2x sin x + x^2 cos x = x(2 sin x + x cos x)"
        raise UsageError("type your solution", hint=example)
    f, solution = _halves(text)
    if "=" in f:  # the comma parts statements of the solution, u = x^2, v = sin x
        f, solution = "", text
    formula, name = _function(session, given._replace(text=f.strip()), names)
    return Worked(check_work(formula, list(_lines(solution)), name))


def _lines(solution: str) -> Iterator[str]:
    """The lines of a solution on one line: the left side with what it is, then a line for every `=`."""
    for chain in re.split("=>|⇒", solution):
        if any(outside(chain, ",")):
            yield chain.strip()
            continue
        equals = list(outside(chain, "="))
        ends = [*equals[1:], len(chain)]
        yield chain[: ends[0]].strip()
        for start, end in itertools.pairwise(ends):
            yield chain[start:end].strip()


def _function(
    session: Workspace, given: Argument, named: list[str]
) -> tuple[Expression, str]:
    """A function, and the variable that is meant: the one that is named, or the only one without a value."""
    expression, _, _ = _read(session, given, named)
    names = named or session.free(expression)
    if not names:
        raise no_variable(":check x^2, 2x")
    if len(names) > 1:
        hint = Hint("choose_variable", name=names[0])
        raise UsageError(f"choose a variable: {', '.join(names)}", hint=hint)
    return Expression.of(expression.root, expression.declared), names[0]


def _halves(text: str) -> tuple[str, str]:
    """The expression and the claim of `x^2, 2x`, parted at a comma outside brackets; or the claim alone."""
    comma = next(outside(text, ","), None)
    if comma is None:
        return "", text
    return text[:comma], text[comma + 1 :].lstrip()
