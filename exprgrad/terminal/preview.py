"""The value of what is being typed, if it can be computed within some milliseconds."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from exprgrad.errors import ExprgradError

if TYPE_CHECKING:
    from exprgrad.session.session import Session

LIMIT = 0.005
"""Seconds that a preview may take."""

_PACKAGE = __file__.rpartition("terminal")[0]

LONGEST = 4000
"""Characters of a line up to which a preview is tried."""


class _TooSlow(BaseException):
    """Raised within a computation that takes too long."""


class Preview:
    """Remembers the preview of the last text, since a screen is drawn more often than a key is hit."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session
        self._last: tuple[str, Any, str] = ("", None, "")

    def of(self, text: str) -> str:
        """The value as `= 49`; empty if there is none or it takes too long."""
        if not text:
            return ""
        state = self._session().state
        if self._last[:2] != (text, state):
            self._last = (text, state, self._value(text))
        return self._last[2]

    def _value(self, text: str) -> str:
        text = text.strip()
        on_time = hasattr(signal, "setitimer") and (
            threading.current_thread() is threading.main_thread()
        )
        if not text or len(text) > LONGEST or text[0] in ":?" or not on_time:
            return ""
        previous = signal.signal(signal.SIGALRM, _too_slow)
        try:
            # it comes again, in case it was put off the first time
            signal.setitimer(signal.ITIMER_REAL, LIMIT, LIMIT)
            try:
                return value_of(self._session(), text)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except _TooSlow:
            return ""
        finally:
            signal.signal(signal.SIGALRM, previous)


def _too_slow(number: int, frame: FrameType | None) -> None:
    """Stop the computation, if it is the package's own code or mpmath's that runs.

    It may also be an import, or the end of an object that the garbage collector found, which must not fail. The
    signal comes again.
    """
    while frame is not None:
        file = frame.f_code.co_filename
        if not (file.startswith(_PACKAGE) or f"{os.sep}mpmath{os.sep}" in file):
            return
        if frame.f_code is value_of.__code__:
            raise _TooSlow
        frame = frame.f_back


def value_of(session: Session, text: str) -> str:
    """The value of the statement on a line, given the names of the session, which stays as it is."""
    from exprgrad.expressions.expression import Expression
    from exprgrad.session.entries import split
    from exprgrad.views.blocks import number

    try:
        lines = split(text)
        if len(lines) != 1 or lines[0].text.startswith((":", "?")):
            return ""
        statement = session.read(lines[0].text)
        reading = statement.reading
        if statement.kind not in ("shown", "bound") or not reading.root.operands:
            return ""
        expression = Expression(reading)
        point = session.point(expression, statement.given)
        if len(point) < len(expression.variables):
            return ""
        return f"= {number(expression(**point), session.settings.digits)}"
    except (ExprgradError, RecursionError):
        return ""
