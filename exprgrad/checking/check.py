"""Checking a claimed derivative, or an answer of another kind: right or wrong, with what shows it.

    check("x^2*sin(x)", "2x sin x + x^2 cos x").status         # "correct"
    check("sin(3x)", "cos(3x)").counterexample                 # at x = 0: claimed 1, derivative 3
    check("2x", "x^2 + C", kind="antiderivative").status       # "correct"
    equivalent("sin(2x)", "2 sin x cos x").status              # "equal"

`rows.judge` judges the answer to a question of any kind: see `rows.KINDS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from exprgrad.annotations import Any
from exprgrad.budget import Budget, Spent, budgeted, current
from exprgrad.checking.derivatives import by_rates
from exprgrad.checking.judging import (
    CORRECT,
    INCORRECT,
    PARTLY,
    UNDECIDED,
    UNREADABLE,
    Counterexample,
    Verdict,
    point_text,
)
from exprgrad.checking.kinds.request import Request
from exprgrad.checking.kinds.rows import CURVES, KINDS, judge
from exprgrad.checking.readings import consistent
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression, as_expression, parse
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value, is_variable
from exprgrad.language import inputs, questions
from exprgrad.language.products import letters
from exprgrad.language.questions import Definition, Question
from exprgrad.language.shapes import is_plain
from exprgrad.language.undefined import keeping

__all__ = [
    "CORRECT", "INCORRECT", "PARTLY", "UNDECIDED", "UNREADABLE", "Counterexample", "Verdict",
    "check", "equivalent", "is_simplified", "point_text",
]  # fmt: skip


@budgeted
def check(
    given: Any, claim: Any, wrt: str | Sequence[str] | None = None, *, kind: str = "derivative",
    order: int | None = None, at: Any = None, of: str | None = None, parameter: str | None = None,
    direction: Any = None, constant: str | None = None, where: str | Sequence[str] = (),
    condone_domain: bool = False, budget: Budget | int | None = None,
) -> Verdict:  # fmt: skip
    """Return whether `claim` answers a question about `given`: with `kind="derivative"`, is its derivative.

    `wrt` is a variable or several, and may be left out where there is one; `order` is that of a derivative or a
    polynomial, and `at` a point, whose numbers may be texts such as "pi/4"; a float is its shortest decimal, 1/10 for 0.1. With `where`, a derivative is asked for
    only where these conditions hold: "x > 0, a > 0". With `condone_domain` its claim need not be defined wherever the
    derivative is: ln(x) passes for ln|x|.

    The kinds and their options are those of `rows.KINDS`: `of` is y of an equation in x and y, `parameter`
    that of a curve (x(t), y(t)), `direction` a vector or "steepest", and `constant` says whether an
    antiderivative needs one: "required", "optional" or "forbidden".
    Raises `ExpressionSyntaxError` for a text that cannot be read, `UsageError` where a question is unclear.
    """
    conditions = [text for text in inputs.names(where, "conditions") if text]
    names = () if wrt is None else tuple(map(_variable, inputs.names(wrt)))
    if not all(name.strip() for name in names):
        raise UsageError("the name of a variable is empty")
    kind = inputs.text(kind, "a kind")
    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r}", hint=f"one of: {', '.join(KINDS)}")  # fmt: skip
    match (
        questions.read(given) if isinstance(given, str) and not is_plain(given) else []
    ):
        case [*_, Question("derivative", given=(own,), claims=(), at=None, argument=None) as q] if kind == "derivative":  # fmt: skip
            given, names = own.text, names or q.wrt or q.parameters
            order = order or (None if q.wrt else q.order)
        # x = y^2 is a curve as well, which has tangents
        case [Definition(at=None) as d] if d.parameters or not (
            d.is_curve or kind in CURVES
        ):
            is_clear = kind != "derivative" or len(d.parameters) < 2
            given, names = d.given.text, names or d.parameters * is_clear
    question = Request(
        given, claim, kind, names, order, at, of, parameter, direction, constant, conditions,
        condone_domain,
    )  # fmt: skip
    try:
        return judge(_by_rates(question) or question)
    except Spent:
        if not question.is_one:
            raise
        return _unfinished(question)


@budgeted
def equivalent(
    a: str | Expression, b: str | Expression, wrt: str | None = None, *, budget: Budget | int | None = None
) -> Verdict:  # fmt: skip
    """Return whether two expressions are equal wherever both are defined over the reals."""
    names = () if wrt is None else (inputs.normal(inputs.text(wrt, "the variable")),)
    return judge(Request(a, b, "equivalence", names))


def meant(given: str, claim: str, wrt: str, order: int) -> str | None:
    """Return which shorthands, read otherwise, make an answer right: e^(2x) for e^2x; None where none does."""
    with suppress(ExprgradError):
        if any(consistent(given, claim)):
            return check(given, claim, wrt, order=order).if_read_as
    return None


@keeping()
def _by_rates(question: Request) -> Request | None:
    """The question about 4*pi*r^2*dr/dt, a derivative by t of what has no t in it; None for another."""
    f, claim, by = question.given, question.claim, "".join(question.wrt)
    # a cheap test first: nearly no claim has a rate in it, and r' = 2r only names what it claims
    is_text = isinstance(f, str) and isinstance(claim, str)
    may_have = is_text and (f"d{by}" in claim or ("=" not in claim and {*claim} & {*"'’′"}))  # fmt: skip
    if not may_have or question.kind != "derivative" or question.at is not None or not by or question.order != 1:  # fmt: skip
        return None
    names = letters(f"{f} ; {claim}", None)
    sides = by_rates(parse(f, names, lenient=True), claim, by, lambda text, own: parse(text, {*names, *own}, lenient=True))  # fmt: skip
    return sides and Request(*sides, "equation", asked=f"d/d{by} ({f})")


def _variable(name: str) -> str:
    r"""The name of a variable, as it is read in a formula: y_hat for \hat{y}."""
    own = as_expression(name).variables if "\\" in name else ()
    return own[0] if len(own) == 1 else inputs.normal(name)


def _unfinished(question: Request) -> Verdict:
    """The verdict where the budget is spent before there is one."""
    of = as_expression(question.given)
    own = as_expression(question.claim, of.variables)
    wrt = question.wrt[0] if question.wrt else next(iter(of.variables), "x")
    spent = current()
    assert spent is not None
    return Verdict(UNDECIDED, spent.remark or "", None, None, (*of.notes, *own.notes), of, own, wrt, question.order)  # fmt: skip


def is_simplified(claim: Expression) -> bool:
    """Return whether no shorter way to write an expression is known.

    Shorter is what has fewer operations (a fraction counts as a number), or mentions variables less often.
    """
    from exprgrad.expressions.confirm import simplify

    short, own = _size(simplify(claim.root)), _size(claim.root)
    return short[0] >= own[0] and (short[1] >= own[1] or short[0] > own[0])


def _size(root: Value) -> tuple[int, int]:
    """The operations of a graph without those within a rational number, and the uses of variables."""
    items = [item for item in topological(root) if rational(item) is None]
    uses = sum(is_variable(o) for item in items for o in item.operands)
    return sum(item.operation is not None for item in items), uses
