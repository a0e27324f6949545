"""The value of what is being typed, if it can be computed within some milliseconds; else its derivative."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import ExprgradError

if TYPE_CHECKING:
    from exprgrad.session.session import Session

LIMIT = 0.02
"""Seconds that a preview may take."""

LOOKS = 16
"""Calls of functions from one look at the clock to the next."""

GENERATOR = 0x20
"""The flag of a function's code that says that it is a generator; `inspect` is not worth its import."""

_PACKAGE = __file__.rpartition("terminal")[0]

LONGEST = 4000
"""Characters of a line up to which a preview is tried."""

MOST_WRITTEN = 60
"""Characters of a derivative that is shown."""


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
        if not text or len(text) > LONGEST or text[0] in ":?":
            return ""
        watching = sys.getprofile()
        sys.setprofile(_deadline(time.perf_counter() + LIMIT))
        try:
            return value_of(self._session(), text)
        except _TooSlow:
            return ""
        finally:
            sys.setprofile(watching)


def _deadline(end: float) -> Callable[[FrameType, str, Any], None]:
    """What stops a computation at a call that comes after the end; no signal is needed.

    It stops the package's own code. It does not stop an import, or the end of an object that
    the garbage collector found, which must not fail: there it waits for the next call.
    """
    left = LOOKS

    def look(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal left
        # a generator is called again when it ends, where what is raised is lost
        if event != "call" or frame.f_code.co_flags & GENERATOR:
            return
        left -= 1
        if left < 0:
            left = LOOKS
            if time.perf_counter() > end and _may_stop(frame):
                raise _TooSlow

    return look


def _may_stop(frame: FrameType | None) -> bool:
    """Whether only the package's own code stands between here and the preview."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_PACKAGE):
            return False
        if frame.f_code is value_of.__code__:
            return True
        frame = frame.f_back
    return False


def value_of(session: Session, text: str) -> str:
    """What the statement on a line gives, with the names of the session, which stays as it is.

    That is its value, or the derivative if nothing but its one variable has no value.
    """
    from exprgrad.expressions.expression import Expression
    from exprgrad.session.entries import split
    from exprgrad.views.answers import arrays

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
        free = [name for name in expression.variables if name not in point]
        if not free:
            value = expression(**point)
            return f"= {arrays.text(value, session.settings.digits)}"
        if len(free) > 1 or expression.tape.on_arrays:
            return ""
        slope = str(expression.derivative(*free))
        return f"d/d{free[0]} = {slope}" if len(slope) <= MOST_WRITTEN else ""
    except (ExprgradError, RecursionError):
        return ""
