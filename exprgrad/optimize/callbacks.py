"""What a function calls back with, as an iterator that can be left at any time.

    def work(line):
        line.give(1)
        line.give(2)

    list(pulled(work))          # [1, 2]

A function that calls back cannot pause, so it runs in a thread, which waits while an item is looked at:
never do both sides run at once.
"""

from __future__ import annotations

import atexit
import contextvars
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any


class Left(Exception):
    """Raised in the function when nobody takes its items any more."""


class Line:
    """Where the function gives its items."""

    def __init__(self) -> None:
        self.items: SimpleQueue[tuple[bool, Any]] = SimpleQueue()
        self.taken = threading.Semaphore(0)
        self.left = False

    def give(self, item: Any) -> None:
        """Hand over an item, and wait until the next one is asked for. Raises `Left`."""
        self.check()
        self.items.put((True, item))
        self.taken.acquire()
        self.check()

    def check(self) -> None:
        """Raise `Left` if nobody takes items any more."""
        if self.left:
            raise Left

    def run(self, work: Callable[[Line], None]) -> None:
        """The function, to its end, which is handed over with the error that it ends in."""
        problem: BaseException | None = None
        try:
            work(self)
        except BaseException as error:  # for the other side to raise
            problem = error
        self.items.put((False, problem))


def pulled(work: Callable[[Line], None]) -> Iterator[Any]:
    """The items that a function gives to its line; an error of the function is raised here."""
    line = Line()
    run = contextvars.copy_context().run
    thread = threading.Thread(target=run, args=(line.run, work), daemon=True)
    thread.start()

    def leave() -> None:
        line.left = True
        line.taken.release()
        if thread is not threading.current_thread():  # which may collect garbage
            thread.join()

    atexit.register(leave)  # while Python ends, threads no longer can
    try:
        while True:
            more, item = line.items.get()
            if not more:
                if item is not None:
                    raise item
                return
            yield item
            line.taken.release()
    finally:
        atexit.unregister(leave)
        leave()
