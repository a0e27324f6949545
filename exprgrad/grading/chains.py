"""A claim of a document as it is found, what it is about, and the verdict on its sides.

A chain is what was read; `About` is what it is about under one reading of the document; `judge` compares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.check import Verdict, check, equivalent
from exprgrad.checking.work.work import check_work
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.grading.claims import NOT_READ, RIGHT, UNDECIDED, WRONG
from exprgrad.grading.definitions import with_values
from exprgrad.graph.unknown import unknown_in
from exprgrad.graph.value import Value
from exprgrad.language.latex.formulas import Head


class Side(NamedTuple):
    """A side with its place in the document."""

    text: str
    start: int


class Chain(NamedTuple):
    """A claim as it was found: what it is about and the sides that are claimed, or the `reason` why it cannot be read."""

    first: Side
    sides: list[Side]
    head: Head | None = None
    operand: str = ""
    wrt: tuple[str, ...] = ()
    latex: bool = True
    order: int = 1
    said: str = ""
    place: str = ""
    reason: str = ""


Found = tuple[str, str, list[tuple[str, str]]]
"""A verdict, its reason, and for every text its status and evidence."""


class About(NamedTuple):
    """The subject of a claim: a function, the variable and the order, where that is evaluated, and where it is defined.

    `answers` are the right answer as the rules give it, and in short; `judge` gives the verdict on sides in `names`.
    """

    function: Expression
    wrt: str
    order: int
    at: dict[str, Expression]
    place: int
    text: str
    answers: list[Value]
    names: set[str]
    judge: Callable[[list[str]], Found]

    @property
    def answer(self) -> Expression:
        """The right answer in short, with the values put in."""
        return with_values(Expression.of(self.answers[-1]), self.at)


VERDICTS = {
    "correct": RIGHT, "equal": RIGHT, "follows": RIGHT, "different": WRONG, "unfinished": RIGHT, "incorrect": WRONG, "partly": UNDECIDED, "undecided": UNDECIDED,
    "unreadable": NOT_READ, "consequent": UNDECIDED,
}  # fmt: skip


def by_lines(function: Expression, wrt: str, order: int, texts: list[str]) -> Found:
    """The verdict on formulas, as on the lines of a solution; those with cases are judged by themselves."""
    # a line that is right for x > 0 alone follows in a solution, but in a document its cases are all claimed; and the
    # lines of a solution have values, which functions that nobody has defined have not
    if any("if(" in text for text in texts) or unknown_in(function.root):
        return by_check(lambda text: check(function, text, wrt, order=order), texts)
    work = check_work(function, texts, wrt, order)
    found = [(UNDECIDED, "")] * len(texts)
    for line in work.lines:
        found[line.number - 1] = VERDICTS.get(line.status, line.status), line.evidence
    verdict = work.verdict
    reason = "" if verdict == "correct" else work.conclusion
    return VERDICTS.get(verdict, RIGHT), reason, found


def by_check(judge: Callable[[Any], Verdict], claims: Sequence[Any]) -> Found:
    """The verdict on formulas, or their texts, that are judged by themselves."""
    found = [(VERDICTS[v.status], v.evidence) for v in map(judge, claims)]
    return _worst([(own, "" if own == RIGHT else why) for own, why in found])


def _worst(found: list[tuple[str, str]]) -> Found:
    """The verdict on a chain whose sides were judged by themselves."""
    rank = (WRONG, NOT_READ, UNDECIDED, RIGHT).index
    status, evidence = min(found, key=lambda one: rank(one[0]), default=(RIGHT, ""))
    return status, evidence, found


def by_values(
    function: Expression, wrt: str, order: int, at: dict[str, Expression], texts: list[str]
) -> Found:  # fmt: skip
    """The verdict on values, f'(3) = 6, or on formulas in letters that have none."""
    right = with_values(function.derivative(wrt, order=order), at)
    exact = {name: value.root for name, value in at.items()}

    def verdict(text: str) -> Verdict:
        claimed = parse(text, right.variables)
        if right.variables or claimed.variables:
            found = equivalent(right, claimed)
        else:
            found = check(function, claimed, wrt, order=order, at=exact)
        if found.counterexample is None:  # there is no derivative, and why is said
            return found
        said = f"this is {_number(claimed)}, the derivative there is {_number(right)}"
        return found._replace(evidence=said)

    try:
        return by_check(verdict, texts)
    except ExprgradError as error:  # there is no value
        return _worst([(UNDECIDED, error.message)] * len(texts))


def _number(expression: Expression) -> str:
    """The value of an expression without variables; of another one, its text."""
    return str(expression) if expression.variables else f"{expression():.10g}"
