"""The work that a call may do: one budget, counted in operations, from which every stage draws.

    with limited(1_000_000) as budget:
        exprgrad.check("sin(x)^2", "2*sin(x)*cos(x)")
    budget.spent, budget.left_out                # 4061, ()

A stage has a share, which without a budget is the usual one: `share(400_000)`. A budget of half of `USUAL` leaves each
stage the half of it, one of ten times that ten times as much, and none more than is left. What a stage does it
`spend`s; so an answer takes a time in proportion to its budget, and as no clock is asked, the same budget gives the
same answer everywhere.

An operation is one of the table on doubles. One on balls of many bits counts for as many as it takes the time of.

Who runs what others have typed can also end it after some seconds, or where it takes too many megabytes:

    with limits(seconds=2, memory=256):
        exprgrad.ask(text)                       # OutOfTimeError: undecided: out of time (2 s)
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import wraps
from time import monotonic

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import ExprgradError, Hint, UndecidedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Function = TypeVar("Function")

USUAL = 2_000_000
"""The budget at which every stage has its usual share: some ten seconds of work, if all of it is needed."""

LEAST = 1000
"""A smaller budget is enough for nothing."""

ENDLESS = 10**18
"""More operations than are ever done."""

STAGES = {
    "sweeps with more digits": 400_000,
    "looks at both sides of a corner": 40_000,
    "looks at points": 1_500_000,
    "looks at points with many digits": 300_000,
    "confirming formulas": 600_000,
    "rewriting and proofs": 25_000,
    "the search for critical points": 160_000,
    "the points of a curve": 12_000,
    "the search for pieces of the domain": 1_250_000,
    "steps of the descent": USUAL,
}
"""The operations that a stage may usually do, which it says where it is cut short."""

WEIGHTS = {
    "looks at points": 0,
    "looks at points with many digits": 0,
    "rewriting and proofs": 7,
    "the search for critical points": 5,
    "looks at both sides of a corner": 7,
    "sweeps with more digits": 0.3,
}
"""The time of an operation of a stage, in that of one on doubles; 1 of the others, as measured over 7,000 checks.

Looks at points are weighed where they are had.
"""

LONG, SPARE = 400_000, 10
"""The time of a check, in that of operations on doubles, from which on stages that can be cut short have this part of their
share: some half a second."""


class Limit(NamedTuple):
    """The most that there may be of something, and what is said where there is more."""

    most: int
    of: str
    told: str

    @property
    def sentence(self) -> str:
        """Return what is said, with what differs left out."""
        return self.told.format(what="…", count="…", most=f"{self.most:,}")


_READ = "the {what} has {count} characters; at most {most} are read"
LIMITS = {
    "text": Limit(4_000_000, "characters of an expression", "the text has {count} characters; at most {most} are read"),
    "number": Limit(4000, "digits of a number that is typed", "a number may have up to {most} digits"),
    "macros": Limit(200_000, "tokens of LaTeX with its macros written out", "these macros expand to more than {most} tokens"),
    "function": Limit(200_000, "operations of a session's function where it is called", "{what} expands to more than {most} operations here"),
    "symbols": Limit(10_000_000, "symbols of a formula that is written", "this formula takes more than {most} symbols to write out"),
    "typeset": Limit(200_000, "symbols of a formula on a page", "this formula takes more than {most} symbols to typeset"),
    "file": Limit(20_000_000, "bytes of a file or of standard input", "{what} has more than {most} bytes"),
    "row": Limit(5_000_000, "bytes of a row of a table", "{what} has a line of more than {most} bytes"),
    "sheet": Limit(1_000_000, "characters of a sheet", _READ),
    "line": Limit(10_000, "characters of a line of a sheet or a solution, or of a cell", _READ),
    "solutions": Limit(1_000_000, "characters of worked solutions", _READ),
    "lines": Limit(2000, "lines of a worked solution", "the {what} has {count} lines; at most {most} are read"),
    "document": Limit(5_000_000, "characters of an audited document", "{what} has {count} characters; at most {most} are read"),
    "answer": Limit(5000, "characters of an answer in a text that is graded", "an answer is too long"),
    "points": Limit(100_000, "points of a grid", "these are {count} points; at most {most} are shown"),
    "walk": Limit(300, "operations of a walk on a page", "a walk through {count} operations is too long for a page"),
    "units": Limit(40, "units of a layer in a picture", "a layer of {count} units is too large for a picture"),
    "processes": Limit(256, "processes beside each other", "the number of processes is a whole number from 1 to {most}"),
    "samples": Limit(50_000_000, "samples of a Monte Carlo run", "takes from 100 to {most} samples, not {what}"),
}  # fmt: skip
"""Every limit of what is read and written: the manual's table, the check and the message come from here."""


def at_most(
    name: str, count: int, what: str = "", error: type[ExprgradError] = UsageError, **more: Any
) -> None:  # fmt: skip
    """Raise an error that says so where there is more of something than its limit."""
    limit = LIMITS[name]
    if count > limit.most:
        told = limit.told.format(what=what, count=f"{count:,}", most=f"{limit.most:,}")
        raise error(told, **more)


class OutOfBudgetError(UndecidedError):
    """The budget of a call was spent before the answer was found."""


class OutOfTimeError(OutOfBudgetError):
    """The time or the memory of a block was over before the answer was found."""


class Spent(Exception):
    """The same within a call: no `ExprgradError`, for it says nothing of the expression, and no stage may take it for that."""


class Budget:
    """So many operations, those of them that are `spent`, and the stages that were cut short."""

    ended = ""
    """What the host has no more of for it: time or memory."""

    around: Budget | None = None
    """That of the call of which this is a part."""

    left_out: tuple[str, ...] = ()
    """What was left out for want of more, in the order in which it was."""

    def __init__(self, operations: int) -> None:
        if isinstance(operations, bool) or not isinstance(operations, int):
            raise UsageError("a budget is a whole number of operations")
        if operations < LEAST:
            hint = Hint(
                "argument", name="budget", value=USUAL, does=" is the usual one"
            )
            raise UsageError(f"a budget is at least {LEAST:,} operations", hint=hint)
        self.operations, self.spent = operations, 0
        self.weighed = 0
        self.most: float = operations
        self.long: float = ENDLESS

    @property
    def remark(self) -> str | None:
        """The same in a sentence; None where nothing was."""
        ended = self.ended or (self.around.ended if self.around else "")
        if ended:
            return f"out of {ended}"
        if not self.left_out:
            return None
        whole = f"{self.operations:,} operations"
        return f"out of budget ({whole}), which cut short: {', '.join(self.left_out)}"

    def share(self, usual: int) -> int:
        """Return what a stage may do that may usually do so much: in proportion, and no more than is left."""
        # at least 1: a share of 0 would be a stage that never begins, and cannot say that it was cut short
        own = usual * self.operations // USUAL
        return int(max(1, min(own, self.most - self.spent)))

    def leave_out(self, stage: str) -> None:
        """Note that a stage was cut short."""
        if stage not in self.left_out:
            self.left_out += (stage,)

    def spend(self, count: float, stage: str, usual: int | None = None) -> None:
        """Take so many operations for a stage, which usually take the time of so many. Raises `Spent` where there are no more."""
        self.spent += int(count)
        self.weighed += int(count * WEIGHTS.get(stage, 1)) if usual is None else usual
        if self.spent > self.most:
            self.leave_out(stage)
            raise Spent


def _endless() -> Budget:
    """A budget of which every stage has its usual share, however often."""
    budget = Budget(USUAL)
    budget.most = ENDLESS
    return budget


_given: ContextVar[Budget | None] = ContextVar("budget", default=None)

current: Callable[[], Budget | None] = _given.get
"""The budget of the call that is being answered; None where there is none."""

_UNREAD = _endless()
"""The budget of what is done without one: it never ends, and what it notes decides nothing."""


def share(usual: int) -> int:
    """Return what a stage may do that may usually do so much."""
    return (current() or _UNREAD).share(usual)


def spare(usual: int) -> int:
    """Return what a stage that can be cut short may do: a part of its share once the call has taken long."""
    budget = current() or _UNREAD
    return budget.share(usual // SPARE if budget.weighed > budget.long else usual)


def spend(count: float, stage: str) -> None:
    """Take so many operations for a stage. Raises `Spent` where there are no more."""
    (current() or _UNREAD).spend(count, stage)


def weigh(count: int) -> None:
    """Note what takes the time of so many operations on doubles, and is bounded elsewhere."""
    (current() or _UNREAD).weighed += count


def end() -> float:
    """Return up to where a part that begins now goes on: until the call has taken nearly twice `LONG`, or the part a quarter of it."""
    budget = current() or _UNREAD
    return max(budget.long + 3 * LONG // 4, budget.weighed + LONG // 4)


def is_over(end: float, stage: str) -> bool:
    """Return whether a call has taken so much, and note then that a stage was cut short."""
    # without a budget nothing is over, not even a part that began within one
    budget = current()
    return budget is not None and is_spent(budget.weighed, end, stage)


def is_spent(done: float, most: float, stage: str) -> bool:
    """Return whether a stage has done more than it may, and note then that it was cut short."""
    if done > most:
        leave_out(stage)
    return done > most


def leave_out(stage: str) -> None:
    """Note that a stage was cut short, if there is a budget to blame."""
    (current() or _UNREAD).leave_out(stage)


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
        if self.budget is not None and self.budget is not self._around:
            self.budget.around = self._around
        self._token = _given.set(self.budget or self._around)
        return self.budget

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        _given.reset(self._token)
        # what a part of a call does is work of the call
        if self.budget is None or self.budget is self._around:
            return
        if self._around is not None:
            self._around.spent += self.budget.spent
            self._around.weighed += self.budget.weighed
        if isinstance(error, Spent) and self.budget.ended:
            raise OutOfTimeError(f"undecided: {self.budget.remark}") from None
        if isinstance(error, Spent) and not (self._around and self._around.ended):
            raise OutOfBudgetError(
                f"undecided: {self.budget.remark}",
                hint=Hint("argument", name="budget", value=10 * self.budget.operations),
            ) from None


class counted(limited):  # noqa: N801 # as above
    """A block whose work is counted: by the budget of the call, or by one without an end where it has none.

    Without a budget, stages that can be cut short do a part of what is usual once the block has taken `LONG`.
    """

    def __init__(self) -> None:
        super().__init__(current() or _endless())

    def __enter__(self) -> Any:
        budget = super().__enter__()
        self._long = budget.long
        if budget.most == ENDLESS:
            budget.long = min(budget.long, budget.weighed + LONG)
        return budget

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self.budget is not None:
            self.budget.long = self._long
        super().__exit__(kind, error, trace)


class limits(limited):  # noqa: N801 # as above
    """A block that ends after so many seconds, or where the process has grown by so many megabytes; `budget` as ever.

    Raises `OutOfTimeError` then, unless what was cut short says so itself: no answer is another one for that. A call of C
    is ended when it returns, and what other processes do is not.
    """

    def __init__(
        self, seconds: float | None = None, memory: float | None = None, budget: int | None = None
    ) -> None:  # fmt: skip
        for name, value in (("seconds", seconds), ("memory", memory)):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and not (is_number and 0 < value < 1e9):
                raise UsageError(f"{name} are a number greater than 0")
        self.own = _endless() if budget is None else Budget(budget)
        super().__init__(self.own)
        self.seconds, self.memory = seconds, memory

    def __enter__(self) -> Any:
        from _thread import allocate_lock, get_ident, start_new_thread
        from weakref import ref

        self._thread = get_ident()
        self._running, self._raising = allocate_lock(), allocate_lock()
        self._running.acquire()
        found = super().__enter__()
        if self.seconds is not None or self.memory is not None:
            # a weak reference: a block that is left without an end, as by a generator, must not be watched for good
            start_new_thread(_watch, (ref(self), self._running))
        return found

    def look(self, begun: float, taken: float) -> float:
        """End the budget if there is no more time or memory, and the block where that was not noticed; when to look again."""
        if self.own.ended:
            with self._raising:
                if self._running.locked():
                    _raise(self._thread, Spent)
            return AGAIN
        left = begun + (self.seconds or 1e9) - monotonic()
        if left <= 0:
            self.own.ended = f"time ({self.seconds:g} s)"
        elif self.memory is not None and _megabytes() - taken > self.memory:
            self.own.ended = f"memory ({self.memory:g} MB)"
        if not self.own.ended:
            return max(0.001, min(PERIOD, left))
        # the next `spend` from this budget raises `Spent`, at a place that is made for it
        self.own.most = -1
        return PATIENCE

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            self._leave()
        except Spent:  # which came too late
            self._leave()
        super().__exit__(kind, error, trace)

    def _leave(self) -> None:
        """End the watch; what it has raised and has not arrived arrives here, where a loop goes round."""
        with self._raising:
            if self._running.locked():
                self._running.release()
        for _ in range(2 if self.own.ended else 0):
            # nothing takes it back: in CPython 3.11, a null leaves its mark, and the next function that is traced never begins
            pass


PERIOD, PATIENCE, AGAIN = 0.02, 0.2, 0.5
"""Seconds from one look at time and memory to the next; from the end of a budget until that is raised where it was not
noticed; and until that is done again."""


def _watch(block: Callable[[], limits | None], running: Any) -> None:
    """Look after a block until it ends, by whatever way: then there is nothing left of it."""
    begun, taken, wait = monotonic(), _megabytes(), 0.0
    while not running.acquire(timeout=wait):
        own = block()
        if own is None:
            return
        wait = own.look(begun, taken)
        del own


def _raise(thread: int, error: type[Exception]) -> None:
    """Let a thread raise an error at its next step in Python."""
    from ctypes import c_ulong, py_object, pythonapi

    pythonapi.PyThreadState_SetAsyncExc(c_ulong(thread), py_object(error))


def _megabytes() -> float:
    """The memory that the process has; 0 on systems that do not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            # the second number is the pages in memory; the first counts what was only reserved, too
            from resource import getpagesize

            return int(file.read().split()[1]) * getpagesize() / 2**20
    except OSError:
        return 0.0


def budgeted(function: Function) -> Function:
    """A function with an argument `budget`, as one whose work has that budget."""
    answer: Any = function

    @wraps(answer)
    def run(*args: Any, **named: Any) -> Any:
        if named.get("budget") is None:
            return answer(*args, **named)
        with limited(named["budget"]):
            return answer(*args, **named)

    return run  # type: ignore[return-value] # the same, as far as callers see
