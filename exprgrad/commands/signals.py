"""Signals that end the program, and how it leaves: at once, with nothing left behind.

Ctrl-C ends it with exit code 130, SIGTERM and SIGHUP as they end a program that does not handle them.
Python's own shutdown takes as long as a short run, and nothing here needs it.
"""

from __future__ import annotations

# `signal` would give its numbers names, with `enum`, which takes longer than all that is done here
import _signal as signal  # type: ignore[import-not-found] # it has no stub
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from exprgrad.annotations import Any, NoReturn
from exprgrad.data import unfinished
from exprgrad.errors import INTERRUPTED


def begin(stoppable: bool) -> None:
    """Handle Ctrl-C if it may stop the program, and the other signals unless they are ignored."""
    if stoppable:
        signal.signal(signal.SIGINT, _interrupted)
    for name in ("SIGTERM", "SIGHUP"):
        # Windows has no SIGHUP; nohup has it ignored, which stays so
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _ended)


def _interrupted(number: int, frame: Any) -> NoReturn:
    unfinished.settle()
    leave(INTERRUPTED)


def _ended(number: int, frame: Any) -> None:
    unfinished.settle()
    # ended by the signal itself, not with a code: a shell and a supervisor tell the two apart
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def leave(code: int) -> NoReturn:
    """Write what is still to be written, and end the process."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)


@contextmanager
def raising() -> Iterator[None]:
    """Ctrl-C raises `KeyboardInterrupt` in here, for those who have an answer to it."""
    own = signal.getsignal(signal.SIGINT)
    # called from Python, or within another such block, Ctrl-C raises already; or it is ignored
    if own is not _interrupted:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, own)
