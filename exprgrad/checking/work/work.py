"""A worked solution, judged line by line.

work = check_work("x^2*sin(x)", ["y' = 2x sin x + x^2 cos x", "= x(2 sin x + x cos x)"])
[line.status for line in work.lines], work.verdict         # ["follows", "follows"], "correct"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exprgrad.checking.judging import (
    Verdict,
)
from exprgrad.checking.work import tex
from exprgrad.checking.work.curves import on_curve
from exprgrad.checking.work.judge import Judge, Row
from exprgrad.errors import UsageError
from exprgrad.expressions.expression import HIGHEST_ORDER, Expression, parse
from exprgrad.graph.value import Value
from exprgrad.language import inputs
from exprgrad.language.products import letters
from exprgrad.language.shapes import is_latex

MOST_LINES = 2000
"""Lines of a solution that are read."""


def shifted(work: Verdict, by: int) -> Verdict:
    """A solution with its lines counted from another start: they stand further down in a text."""
    if not by:
        return work
    lines = tuple(
        line._replace(
            number=line.number + by,
            after=line.after and line.after + by,
            mistake=line.mistake and line.mistake.shifted(by),
        )
        for line in work.lines
    )
    mistake = work.mistake and work.mistake.shifted(by)
    return work._replace(parts=lines, mistake=mistake)


def check_work(
    function: str | Expression,
    lines: str | Sequence[str],
    wrt: str | None = None,
    order: int = 1,
) -> Verdict:
    """Judge a worked solution for the derivative of `function`, line by line.

    `function` may be an equation between names, of which one is a function of another. `lines` is the text, or its lines. Raises `UsageError` where the variable is unclear or there is nothing
    to judge, `ExpressionSyntaxError` for a function that cannot be read.
    """
    return work_within(function, lines, wrt, order)


def work_within(
    function: str | Expression,
    lines: str | Sequence[str],
    wrt: str | None = None,
    order: int = 1,
    outer: tuple[Value, Mapping[str, Value]] | None = None,
    parameters: tuple[str, ...] = (),
) -> Verdict:
    """The same where `outer` is a function as it was before names in it were filled in, and what these stand for.

    `parameters` are its arguments in their order.
    """
    given = (
        lines.splitlines()
        if isinstance(lines, str)
        else list(inputs.names(lines, "the lines"))
    )
    inputs.count(order, "an order", 1, HIGHEST_ORDER)
    wrt = None if wrt is None else inputs.text(wrt, "the variable")
    if len(given) > MOST_LINES:
        raise UsageError(
            f"the solution has {len(given):,} lines; at most {MOST_LINES:,} are read"
        )
    own = function if isinstance(function, str) else ""
    rows = [Row.of(line) for line in tex.joined(given)]
    if any("\\" in line or "$" in line for line in given):  # what has no signs is prose
        rows = [
            Row.of(line, is_latex(line) or "&" in line)
            if is_latex(line) or "=" in line
            else Row(line, "")
            for line in tex.joined(given)
        ]
    if isinstance(function, str) and "=" in function:
        curve = on_curve(function, " ; ".join(row.text for row in rows), wrt, order)
        if curve is not None:
            return curve.judged(rows)
    if not isinstance(function, Expression):
        function = parse(inputs.text(function, "a function"), {*letters(own, wrt), *([wrt] if wrt else [])})  # fmt: skip
    function.refuse_arrays({})
    name = wrt or _only(function)
    whole = " ; ".join(row.alone or row.text for row in (Row.of(own), *rows))
    judge = Judge(function, name, order, whole)
    judge.parameters = parameters
    if outer is not None:
        judge.outer = outer[0]
        judge.names |= outer[1]
    return judge.judged(rows)


def _only(function: Expression) -> str:
    names = function.variables
    if len(names) > 1:
        listed = ", ".join(names)
        raise UsageError(
            f"there are several variables: {listed}", hint=f'name one: wrt="{names[0]}"'
        )
    return names[0] if names else "x"
