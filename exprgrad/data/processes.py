"""Work on a long stream in several processes: the results in the order of the stream, in bounded memory.

Each process takes the next piece of work when it has delivered, so that nobody waits for a slow neighbour. Every
process holds the reading end of a pipe whose other end only the parent has: it ends at once when the parent closes
that, or is lost.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TypeVar

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.budget import LIMITS
from exprgrad.data import unfinished
from exprgrad.errors import UNDEFINED, ExprgradError, Hint
from exprgrad.language import inputs

if TYPE_CHECKING:  # one process alone does not need it
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

A = TypeVar("A")
B = TypeVar("B")

AHEAD = 4
"""Pieces of work that may wait for an earlier one, done or not, for every process."""


class ProcessDied(ExprgradError):
    """A process ended before it had delivered its result."""

    exit_code = UNDEFINED


def cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(work: Callable[[A], B], items: Iterable[A], processes: int) -> Iterator[B]:
    """`map(work, items)` by so many processes. `work` is a function of a module, and may not raise.

    Raises `ProcessDied` when a process was ended from outside. Leaving the iterator early ends them all.
    """
    most = LIMITS["processes"].most
    if inputs.count(processes, "the number of processes", 1, most) == 1:
        return map(work, items)
    return _pooled(work, iter(items), processes)


def _pooled(work: Callable[[A], B], source: Iterator[A], processes: int) -> Iterator[B]:  # fmt: skip
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import Pipe

    waiting: deque[Future[B]] = deque()
    lifeline, held = Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, None, _begin, (lifeline, held))
    unfinished.begin(pool, held.close)
    try:
        while True:
            room = AHEAD * processes - len(waiting)
            waiting.extend(pool.submit(work, item) for item in islice(source, room))
            if not waiting:
                return
            yield waiting.popleft().result()
    except BrokenProcessPool:
        what = "a process ended before its work was done"
        raise ProcessDied(what, hint=Hint("one_process")) from None
    finally:
        held.close()
        lifeline.close()
        pool.shutdown(cancel_futures=True)
        unfinished.end(pool)


def _begin(lifeline: Connection, held: Connection) -> None:
    """Prepare a process: signals are the parent's to handle, and its end is the end of this."""
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # A fork has both ends: while it keeps the one to write to, it would never see it closed.
    held.close()
    Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    # `sys.exit` would end this thread alone.
    os._exit(0)
