"""What commands of sessions take besides the arguments of their rows: words as one says them, and a claim alone.

plot("x^2 from -2 to 2 tangent at 1")       x^2, with the options x="-2:2", tangent=["1"]
why("dL/dw")                                L, with the option wrt=["w"]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.problems import equation_of
from exprgrad.commands.declared import Result
from exprgrad.errors import ExprgradError, Hint, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.brackets import outside
from exprgrad.language.inputs import normal
from exprgrad.language.questions import Piece, Question, questions_in
from exprgrad.patterns import pattern
from exprgrad.session import claims
from exprgrad.session.entries import Entry
from exprgrad.session.tokens import ANS
from exprgrad.session.workspace import Workspace, no_variable


class Line(NamedTuple):
    """A line as the row of its command reads it, options besides, and names that are variables in it."""

    text: str
    options: Mapping[str, Any] = {}
    free: Collection[str] = ()


_BY = pattern(r"[d∂]\s*(\w*)\s*/\s*[d∂]\s*(\w+)(.*)", re.DOTALL)
_WRT = pattern(r"(?:^|\s)wrt\s+([\w\s,]+)$")
_FROM = pattern(r"(?:^|\s+)from\s+(\S+)\s+to\s+(\S+)$")
_TANGENT = pattern(r"(?:^|\s+)tangent\s+at\s+(\S+)$")


def why(session: Workspace, text: str) -> Line:
    """`dL/dw` and `d/dw L` as `L wrt w`."""
    found = _BY.fullmatch(text.strip())
    if found is None or _WRT.search(text):
        return Line(text)
    name = found[1]
    if name and name != ANS and name not in session.scope.definitions:
        hint = f"define it: {name} = ..., or name an expression: :why x^2 wrt x"
        raise UsageError(f"there is no {name}", hint=hint)
    return Line(f"{name} {found[3]}".strip(), {"wrt": [found[2]]})


def steps(session: Workspace, text: str) -> Line:
    """`full x^2` as x^2 with all steps."""
    word, _, rest = text.partition(" ")
    is_full = word == "full" and bool(rest.strip())
    return Line(rest.strip(), {"steps": "full"}) if is_full else Line(text)


def graph(session: Workspace, text: str) -> Line:
    """A file at the end as the output."""
    from exprgrad.pictures.svg import named

    formula, file = named(text)
    return Line(formula, {"output": Path(file)} if file else {})


def plot(session: Workspace, text: str) -> Line:
    """A file at the end, a range and a tangent as options; a curve along a variable that is not bound for it, x or t if possible."""
    from exprgrad.pictures.svg import named

    text, file = named(text)
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
        if expression.variables and set(expression.variables) <= set(values):
            bound = {binding.name for binding in statement.given}
            own = [name for name in expression.variables if name not in bound]
            usual = [name for name in ("x", "t") if name in own]
            free = {(usual or own or expression.variables)[0]}
    options: dict[str, Any] = {}
    if tangents:
        options["tangent"] = [str(x) for x in tangents]
    if ends:
        options["x"] = f"{ends[0]}:{ends[1]}"
    return Line(line, options | ({"output": Path(file)} if file else {}), free)


def _numbers_behind(
    session: Workspace, text: str, words: re.Pattern[str]
) -> tuple[str, list[float]]:
    """A text without some words at its end, and the values of the numbers among them, such as `-pi`."""
    found = words.search(text)
    if found is None:
        return text, []
    read = [session.expression(number)[0] for number in found.groups()]
    return text[: found.start()], [own.at(session.point(own)) for own in read]


def check(session: Workspace, text: str) -> Any:
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


def work(session: Workspace, text: str) -> Line | Result:
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
        raise no_variable(":check x^2, 2x")
    if len(names) > 1:
        hint = Hint("choose_variable", name=names[0])
        raise UsageError(f"choose a variable: {', '.join(names)}", hint=hint)
    function = Expression.of(expression.root, expression.declared)
    function.titled = expression.title
    return Check(wrt=names[0]).judged_work(function, list(_lines(solution)))


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


OWN: dict[str, Callable[[Any, str], Line | Result]] = {
    "check": check, "graph": graph, "plot": plot, "steps": steps, "why": why, "work": work,
}  # fmt: skip
"""The commands whose lines are read here first."""
