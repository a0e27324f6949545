"""The behaviour while a line is typed: its colours, completion by Tab, a preview of its value, and the history of lines."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.lexers import Lexer

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.data.files import folder, locked, reason
from exprgrad.errors import ExprgradError
from exprgrad.lazy import pattern
from exprgrad.operations.vocabulary import GREEK
from exprgrad.views.output import COLOURS

if TYPE_CHECKING:
    from exprgrad.session.session import Session


__all__ = ["FileHistory", "escaped", "folder", "unescaped"]

MOST_READ = 1_000_000
"""Bytes at the end of the file that are read, and kept of one that has become twice as large."""


class FileHistory(History):
    """History in a file that only its owner can read, but for what is a mere key.

    If it cannot be kept, `problem` says why.
    """

    def __init__(
        self, path: Path | None, is_key: Callable[[str], bool] = lambda text: False
    ) -> None:
        super().__init__()
        self._is_key = is_key
        self._path = path or Path(os.devnull)
        self.problem: str | None = None
        if path is None:
            self.problem = "there is no home folder"
            return
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # now, so that a session can say at its beginning that nothing will be kept
            os.close(self._open(os.O_RDWR))
        except OSError as error:
            self.problem = reason(error)

    def _open(self, how: int) -> int:
        return os.open(self._path, how | os.O_CREAT | os.O_APPEND, 0o600)

    def load_history_strings(self) -> Iterable[str]:
        """The items, the newest first."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - MOST_READ))
                lines = file.read().split(b"\n")
        except OSError:
            return []
        # the first line is cut where reading began
        whole = filter(None, reversed(lines if size <= MOST_READ else lines[1:]))
        return [unescaped(line.decode("utf-8", "replace")) for line in whole]

    def append_string(self, string: str) -> None:
        """Keep an item unless it repeats the last one, or is a key."""
        # the arrow keys would show it once for each time that it was typed
        repeats = self.get_strings()[-1:] == [string]
        if not string.strip() or repeats or self._is_key(string):
            return
        super().append_string(string)

    def store_string(self, string: str) -> None:
        """Append an item to the file."""
        if self.problem is not None:
            return
        data = (escaped(string) + "\n").encode("utf-8", "replace")
        try:
            # without a buffer, which a signal might leave half written
            with os.fdopen(self._open(os.O_RDWR), "r+b", buffering=0) as file:
                # a file from elsewhere may be readable by others
                if hasattr(os, "fchmod"):
                    os.fchmod(file.fileno(), 0o600)
                locked(file.fileno(), wait=True)
                if file.seek(0, os.SEEK_END) > 2 * MOST_READ:
                    file.seek(-MOST_READ, os.SEEK_END)
                    data = file.read().partition(b"\n")[2] + data
                    file.truncate(0)
                file.write(data)
        except OSError as error:
            self.problem = reason(error)


def escaped(text: str) -> str:
    """A text on one line."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def unescaped(line: str) -> str:
    """The text of a line."""
    # first the doubled backslashes: \\n is a backslash and an n, and no line break
    parts = line.split("\\\\")
    return "\\".join(part.replace("\\n", "\n") for part in parts)


STYLES = {
    "number": COLOURS["blue"],
    "function": COLOURS["cyan"],
    "bound": "bold",
    "constant": COLOURS["magenta"],
    "derivative": COLOURS["green"],
    "command": COLOURS["magenta"],
    "comment": COLOURS["dim"],
    "unknown": COLOURS["red"],
    "matching-bracket.cursor": "bold underline",
    "matching-bracket.other": "bold underline",
    "bottom-toolbar": f"noreverse {COLOURS['dim']}",
    "prompt": COLOURS["green"],
}
"""The style of every class of tokens, and of what surrounds the line."""

_CLASSES = {
    "NUMBER": "number", "D_BY": "derivative", "D_NAMED": "derivative", "PRIMED": "derivative",
    "_GRAD": "derivative", "LAST": "bound", "UNKNOWN": "unknown",
}  # fmt: skip


class Highlighter(Lexer):
    """Styles the text of the line, given the names of a session."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """The styled pieces of each line."""
        lines: list[StyleAndTextTuples] = [[]]
        for style, text in self.pieces(document.text):
            first, *others = text.split("\n")
            lines[-1].append((style, first))
            lines += [[(style, other)] for other in others]

        return lambda number: lines[number] if number < len(lines) else []

    def pieces(self, text: str) -> list[tuple[str, str]]:
        """The text in pieces, each with its style."""
        if not text:
            return []
        from exprgrad.language import grammar

        # the name of a command is no expression, and its letters would get the colours of one
        command = _NAMED.match(text)
        out = [("class:command", command.group())] if command else []
        start = command.end() if command else 0
        for match in grammar.scanner("session").finditer(text, start):
            name = self._class(match.lastgroup, match.group())
            out.append((f"class:{name}" if name else "", match.group()))
        return out

    def _class(self, kind: str | None, text: str) -> str:
        if kind is None:
            return "comment" if text.startswith("#") else ""
        if kind != "NAME":
            return "" if text == ";" else _CLASSES.get(kind, "")
        from exprgrad.operations.operation import named
        from exprgrad.operations.vocabulary import CONSTANTS

        scope = self._session().scope
        if text in scope.definitions:
            return "function" if scope.definitions[text].parameters else "bound"
        if text in CONSTANTS:
            return "constant"
        return "function" if named(text) else ""


SYMBOLS = GREEK | {
    "partial": "∂", "nabla": "∇", "grad": "∇", "sqrt": "√", "times": "×", "cdot": "·", "div": "÷", "le": "≤", "ge": "≥", "ne": "≠",
}  # fmt: skip
"""What a name behind a backslash stands for."""

_BACKSLASH = pattern(r"\\([A-Za-z]*)$")
_WORD = pattern(r"[^\W\d]\w*$")
_COMMAND = pattern(r"\s*:(\w*)$")
_NAMED = pattern(r"\s*[:?][^\W_]*")
_ARGUMENT = pattern(r"\s*(?::(\w+)\s+|(\?)\s*)(.*)$", re.DOTALL)


class Completions(Completer):
    """The completions of what is typed here, given the names of a session."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """The completions of the text before the cursor."""
        before = document.text_before_cursor
        symbol = _BACKSLASH.search(before)
        command = _COMMAND.match(before)
        # \alp before anything else, as it may stand within the argument of a command
        if symbol:
            return self._symbols(symbol.group(1))
        if command:
            from exprgrad.session.commands import every

            rows = [(c.name, c.summary) for c in every()]
            return _matching(command.group(1), rows)
        return self._arguments(before)

    def _symbols(self, typed: str) -> Iterator[Completion]:
        for name in [typed] if typed in SYMBOLS else SYMBOLS:
            if name.startswith(typed):
                symbol = SYMBOLS[name]
                yield Completion(symbol, -len(typed) - 1, f"\\{name}", symbol)

    def _arguments(self, before: str) -> Iterable[Completion]:
        from exprgrad.session.commands import command_named

        match = _ARGUMENT.match(before)
        kind = "names"
        if match:
            command = command_named(match.group(1) or "ops")
            kind = command.completes if command else ""
        rest = match.group(3) if match else before
        if kind == "files":
            return _files(rest)
        if kind in ("settings", "topics"):
            return _matching(rest.split(" ")[-1], self._choices(kind, rest))
        word = _WORD.search(before)
        return _matching(word.group(), self._names(kind)) if word and kind else []

    def _choices(self, kind: str, rest: str) -> list[tuple[str, str]]:
        from exprgrad.commands.pages import CONTENTS, topics
        from exprgrad.session.commands import CHOICES, TOPICS, every

        if kind == "topics":
            names = [*(c.name for c in every()), *TOPICS, CONTENTS, *topics()]
        else:
            first, _, more = rest.partition(" ")
            is_named = more or rest.endswith(" ")
            names = [*(CHOICES.get(first, ()) if is_named else CHOICES)]
        return [(name, "") for name in names]

    def _names(self, kind: str) -> Iterator[tuple[str, str]]:
        from exprgrad.operations.operation import function_names, named
        from exprgrad.session.statements import ANS

        if kind == "names":
            for name, definition in self._session().scope.definitions.items():
                yield name, " ".join(definition.text.split())[:40]
            yield ANS, "the last result"
        for name in sorted(function_names()):
            for operation in list(named(name).values())[:1]:
                yield name, operation.signature


def _matching(typed: str, rows: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    for name, meaning in rows:
        if name.startswith(typed):
            yield Completion(name, -len(typed), display_meta=meaning)


def _files(typed: str) -> Iterator[Completion]:
    """Folders and files that begin as typed."""
    head, tail = os.path.split(typed)
    try:
        folder = Path(head or ".").expanduser()
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (OSError, ValueError, RuntimeError):  # RuntimeError: ~name of nobody
        return
    for entry in entries:
        if entry.name.startswith(tail) and (tail or not entry.name.startswith(".")):
            end = "/" if entry.is_dir() else ""
            yield Completion(entry.name + end, -len(tail))


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


# not an Exception: no `except Exception` on the way may take it for a failure of its own
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
        # a profiler or a coverage tool may be at work, and goes on afterwards
        watching = sys.getprofile()
        sys.setprofile(_deadline(time.perf_counter() + LIMIT))
        try:
            return value_of(self._session(), text)
        except _TooSlow:
            return ""
        finally:
            sys.setprofile(watching)


def _deadline(end: float) -> Callable[[FrameType, str, Any], None]:
    """Return what stops a computation at a call that comes after the end; no signal is needed.

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
            # where it may not stop, it looks again a few calls later
            if time.perf_counter() > end and _may_stop(frame):
                raise _TooSlow

    return look


def _may_stop(frame: FrameType | None) -> bool:
    """Return whether only the package's own code stands between here and the preview."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_PACKAGE):
            return False
        if frame.f_code is value_of.__code__:
            return True
        frame = frame.f_back
    return False


def value_of(session: Session, text: str) -> str:
    """Return what the statement on a line gives, with the names of the session, which stays as it is.

    That is its value, or the derivative if nothing but its one variable has no value.
    """
    from exprgrad.expressions.expression import Expression
    from exprgrad.session.entries import split
    from exprgrad.views import arrays

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
        # of several variables it is not clear which derivative is wanted
        if len(free) > 1 or expression.tape.on_arrays:
            return ""
        slope = str(expression.derivative(*free))
        return f"d/d{free[0]} = {slope}" if len(slope) <= MOST_WRITTEN else ""
    except (ExprgradError, RecursionError):
        return ""
