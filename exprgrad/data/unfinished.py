"""Tasks that must still be done if a signal ends the program at once: parts of files removed, a line on the terminal cleared.

    unfinished.begin(owner, task)
    unfinished.end(owner)               # it was done in the ordinary way
    unfinished.settle()                 # a signal has come: do all of it

A handler that raised could do so inside any callback, where an exception is lost; so it settles and leaves.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

_tasks: dict[object, tuple[int, Callable[[], object]]] = {}


def begin(owner: object, task: Callable[[], object]) -> None:
    """Have a signal lead to `task` from here on."""
    _tasks[owner] = os.getpid(), task


def end(owner: object) -> None:
    """Forget the task of an owner, who has done it."""
    _tasks.pop(owner, None)


def settle() -> None:
    """Do what is to be done, the latest first. What a parent has begun is not for its children to end."""
    while _tasks:
        process, task = _tasks.popitem()[1]
        if process == os.getpid():
            with suppress(Exception):
                task()
