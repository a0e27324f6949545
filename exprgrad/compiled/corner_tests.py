"""Corners as conditions: what the `corner` of a row asks of its arguments, found by running it.

A probe stands for an argument and answers comparisons with a `Comparison`. Where the code of the row
asks whether one holds, both answers are followed, and the outcome is a tree of them: the corner of pow,
`y != floor(y) and x == 0`, is False for the exponent 2 and x == 0 for 1.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from exprgrad.operations.operation import TABLE, Operation

Arg = int | float
Emit = Callable[..., Arg]

MOST_ANSWERS = 6
"""Comparisons that are followed in a row; code that asks for more is called instead."""


class Comparison(NamedTuple):
    """`left operator right`, of results by number and floats.

    Two are the same if they look the same: the result 1 is not the number 1.0.
    """

    operator: str
    left: Arg
    right: Arg


class Choice(NamedTuple):
    """`then` where the comparison holds, `otherwise` where it does not."""

    condition: Comparison
    then: CornerTest
    otherwise: CornerTest


class Call(NamedTuple):
    """The code of the row itself, where it cannot be followed."""

    corner: Callable[..., bool]
    arguments: tuple[Arg, ...]


CornerTest = bool | Comparison | Choice | Call


def corner_test(
    corner: Callable[..., Any], args: Sequence[Arg], emit: Emit
) -> CornerTest:
    """The corner at these arguments as a condition; False where there is none.

    `emit` writes the arithmetic within it as instructions.
    """
    try:
        return _follow(corner, args, emit, {})
    except (TypeError, _TooDeep):
        return Call(corner, tuple(args))


class _TooDeep(Exception):
    """The code of a row compares too often."""


class _Asked(Exception):
    """The code of a row wants to know whether a comparison holds."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison


def _follow(
    corner: Callable[..., Any],
    args: Sequence[Arg],
    emit: Emit,
    answers: dict[str, bool],
) -> CornerTest:
    if len(answers) > MOST_ANSWERS:
        raise _TooDeep
    probes = [a if isinstance(a, float) else Probe(a, emit, answers) for a in args]
    try:
        outcome = corner(*probes)
    except _Asked as asked:
        found = asked.comparison
        then, otherwise = (
            _follow(corner, args, emit, answers | {repr(found): answer})
            for answer in (True, False)
        )
        if then is True and otherwise is False:
            return found
        return then if repr(then) == repr(otherwise) else Choice(found, then, otherwise)
    if isinstance(outcome, _Relation):
        return answers.get(repr(outcome.comparison), outcome.comparison)
    return bool(outcome)


class _Relation:
    """The outcome of a comparison of probes."""

    def __init__(self, comparison: Comparison, answers: dict[str, bool]) -> None:
        self.comparison, self._answers = comparison, answers

    def __bool__(self) -> bool:
        answer = self._answers.get(repr(self.comparison))
        if answer is None:
            raise _Asked(self.comparison)
        return answer


class Probe:
    """An argument of which nothing is known."""

    def __init__(self, result: Arg, emit: Emit, answers: dict[str, bool]) -> None:
        self._result, self._emit, self._answers = result, emit, answers

    def _compare(self, operator: str, other: Any) -> _Relation:
        right = other._result if isinstance(other, Probe) else float(other)
        return _Relation(Comparison(operator, self._result, right), self._answers)

    def _apply(self, operation: Operation, *others: Any) -> Probe:
        own = [o._result if isinstance(o, Probe) else float(o) for o in others]
        return Probe(
            self._emit(operation, self._result, *own), self._emit, self._answers
        )

    def __eq__(self, other: object) -> _Relation:  # type: ignore[override] # a relation, not a bool
        return self._compare("==", other)

    def __ne__(self, other: object) -> _Relation:  # type: ignore[override] # a relation, not a bool
        return self._compare("!=", other)

    def __lt__(self, other: Any) -> _Relation:
        return self._compare("<", other)

    def __le__(self, other: Any) -> _Relation:
        return self._compare("<=", other)

    def __gt__(self, other: Any) -> _Relation:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> _Relation:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment] # compared, never looked up

    def __add__(self, other: Any) -> Probe:
        return self._apply(TABLE["add"], other)

    def __mod__(self, other: Any) -> Probe:
        return self._apply(TABLE["mod"], other)

    def __abs__(self) -> Probe:
        return self._apply(TABLE["abs"])

    def __floor__(self) -> Probe:
        return self._apply(TABLE["floor"])
