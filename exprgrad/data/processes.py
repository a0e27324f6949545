"""Work on a long stream in several processes: the results in the order of the stream, in bounded memory.

Each process has one piece of work at a time and gets the next when it has delivered, so that nothing
piles up and nobody waits for a slow neighbour. A process that loses its parent ends.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count
from typing import TypeVar

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.data import unfinished
from exprgrad.errors import UNDEFINED, ExprgradError, Hint

if TYPE_CHECKING:  # one process alone does not need it
    import multiprocessing
    from multiprocessing.connection import Connection

A = TypeVar("A")
B = TypeVar("B")

AHEAD = 8
"""Results that may wait for an earlier one, for every process."""


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
    if processes <= 1:
        yield from map(work, items)
        return
    crew = _Crew(work, processes)
    try:
        yield from crew.run(iter(items))
    finally:
        crew.end()


class _Crew:
    """The processes, and the work that each of them has."""

    def __init__(self, work: Callable[[Any], Any], size: int) -> None:
        import multiprocessing

        self._pipes: list[Connection] = []
        self._processes: list[multiprocessing.Process] = []
        unfinished.begin(self, self._stop)
        for _ in range(size):
            ours, theirs = multiprocessing.Pipe()
            self._pipes.append(ours)
            process = multiprocessing.Process(
                target=_serve, args=(work, theirs, list(self._pipes)), daemon=True
            )
            process.start()
            theirs.close()
            self._processes.append(process)

    def run(self, items: Iterator[Any]) -> Iterator[Any]:
        """Hand out the items and yield the results in their order."""
        from multiprocessing.connection import wait

        numbers = count()
        doing: dict[Connection, int] = {}
        done: dict[int, Any] = {}
        idle = list(self._pipes)
        following = 0
        while True:
            while idle and len(doing) + len(done) < AHEAD * len(self._pipes):
                item = next(items, self)
                if item is self:
                    break
                pipe = idle.pop()
                self._send(pipe, item)
                doing[pipe] = next(numbers)
            if not doing:
                return
            ready = wait(list(doing))
            for pipe in [pipe for pipe in doing if pipe in ready]:
                done[doing.pop(pipe)] = self._receive(pipe)
                idle.append(pipe)
            while following in done:
                yield done.pop(following)
                following += 1

    def _send(self, pipe: Connection, item: Any) -> None:
        try:
            pipe.send(item)
        except OSError:
            raise self._death() from None

    def _receive(self, pipe: Connection) -> Any:
        try:
            return pipe.recv()
        except (EOFError, OSError):
            raise self._death() from None

    def _death(self) -> ProcessDied:
        return ProcessDied(
            "a process ended before its work was done", hint=Hint("one_process")
        )

    def end(self) -> None:
        """End the processes, at once if they are at work."""
        for pipe in self._pipes:
            pipe.close()
        self._stop()
        for process in self._processes:
            process.join()
            process.close()
        unfinished.end(self)

    def _stop(self) -> None:
        for process in self._processes:
            process.terminate()


def _serve(
    work: Callable[[Any], Any], pipe: Connection, others: list[Connection]
) -> None:
    """What a process does: work on what it is sent, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # and its handlers are not ours
    for other in others:
        other.close()
    with suppress(EOFError, OSError):
        while True:
            pipe.send(work(pipe.recv()))
