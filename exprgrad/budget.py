"""How much work a call may do: one budget, counted in operations, from which every stage draws.

    with limited(1_000_000) as budget:
        exprgrad.check("sin(x)^2", "2*sin(x)*cos(x)")
    budget.spent, budget.left_out                # 4061, ()

A stage has a share, which without a budget is the usual one: `share(400_000)`. A budget of half of `USUAL` leaves each
stage the half of it, one of ten times that ten times as much, and none more than is left. What a stage does it `spend`s; so an
answer takes a time in proportion to its budget, and as no clock is asked, the same budget gives the same answer everywhere.

An operation is one of the table on doubles. One on balls of many bits counts for as many as it takes the time of.
"""

from __future__ import annotations

from contextvars import ContextVar

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import Hint, UndecidedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Function = TypeVar("Function")

USUAL = 2_000_000
"""The budget at which every stage has its usual share: some ten seconds of work, if all of it is needed."""

LEAST = 1000
"""A smaller budget is enough for nothing."""


class OutOfBudgetError(UndecidedError):
    """The budget of a call was spent before the answer was found."""


class Spent(Exception):  # says what is the case
    """The same within a call: no `ExprgradError`, for it says nothing of the expression, and no stage may take it for that."""


class Budget:
    """So many operations, those of them that are `spent`, and the stages that were cut short."""

    def __init__(self, operations: int) -> None:
        if isinstance(operations, bool) or not isinstance(operations, int):
            raise UsageError("a budget is a whole number of operations")
        if operations < LEAST:
            hint = Hint(
                "argument", name="budget", value=USUAL, does=" is the usual one"
            )
            raise UsageError(f"a budget is at least {LEAST:,} operations", hint=hint)
        self.operations, self.spent = operations, 0
        self._left_out: dict[str, None] = {}

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was left out for want of more, in the order in which it was."""
        return tuple(self._left_out)

    @property
    def remark(self) -> str | None:
        """The same in a sentence; None where nothing was."""
        if not self._left_out:
            return None
        stages = ", ".join(self._left_out)
        return (
            f"out of budget ({self.operations:,} operations), which cut short: {stages}"
        )

    def share(self, usual: int) -> int:
        """What a stage may do that may usually do so much: in proportion, and no more than is left."""
        own = usual * self.operations // USUAL
        return max(1, min(own, self.operations - self.spent))

    def leave_out(self, stage: str) -> None:
        """Note that a stage was cut short."""
        self._left_out[stage] = None

    def spend(self, count: float, stage: str) -> None:
        """Take so many operations for a stage. Raises `Spent` where there are no more."""
        self.spent += int(count)
        if self.spent > self.operations:
            self.leave_out(stage)
            raise Spent


_given: ContextVar[Budget | None] = ContextVar("budget", default=None)

current: Callable[[], Budget | None] = _given.get
"""The budget of the call that is being answered; None where there is none."""


def share(usual: int) -> int:
    """What a stage may do that may usually do so much."""
    budget = current()
    return usual if budget is None else budget.share(usual)


def spend(count: float, stage: str) -> None:
    """Take so many operations for a stage. Raises `Spent` where there are no more."""
    budget = current()
    if budget is not None:
        budget.spend(count, stage)


def leave_out(stage: str) -> None:
    """Note that a stage was cut short, if there is a budget to blame."""
    budget = current()
    if budget is not None:
        budget.leave_out(stage)


class limited:  # noqa: N801 # reads as a word of a `with` statement
    """A block whose work has a budget, or so many operations; with None, that of the call around it, if there is one.

    Raises `OutOfBudgetError` where it is spent.
    """

    def __init__(self, budget: Budget | int | None) -> None:
        if budget is not None and not isinstance(budget, Budget):
            budget = Budget(budget)
        self.budget = budget

    def __enter__(self) -> Any:
        self._around = current()
        self._token = _given.set(self.budget or self._around)
        return self.budget

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        _given.reset(self._token)
        # what a part of a call does is work of the call
        if self.budget is None or self.budget is self._around:
            return
        if self._around is not None:
            self._around.spent += self.budget.spent
        if isinstance(error, Spent):
            raise OutOfBudgetError(
                f"undecided: {self.budget.remark}",
                hint=Hint("argument", name="budget", value=10 * self.budget.operations),
            ) from None


def budgeted(function: Function) -> Function:
    """A function with an argument `budget`, as one whose work has that budget."""
    answer: Any = function

    def run(*args: Any, **named: Any) -> Any:
        if named.get("budget") is None:
            return answer(*args, **named)
        with limited(named["budget"]):
            return answer(*args, **named)

    for name in (
        "__module__",
        "__name__",
        "__qualname__",
        "__doc__",
        "__annotations__",
    ):
        setattr(run, name, getattr(function, name))
    run.__wrapped__ = function  # type: ignore[attr-defined] # which `inspect.signature` follows
    return run  # type: ignore[return-value] # the same, as far as callers see
