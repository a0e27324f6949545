"""`exprgrad repl`: a session, on a terminal or from a pipe; `exprgrad run`: the statements of a file, in batch."""

from __future__ import annotations

import os
import sys

from exprgrad.commands import declared as row
from exprgrad.commands import signals
from exprgrad.errors import ExprgradError, UsageError

MORE = "… "


class EndlessLine(UsageError):
    """Nothing can be read any more behind a line that does not end."""


class Repl(row.Command):
    """Open a session."""

    example = "exprgrad repl"
    pages = "sessions"
    outside = "this is a session"
    operations = seconds = None

    def main(self) -> int:
        """Take statements until the end."""
        with signals.raising():
            if _can_edit():
                from exprgrad.terminal.app import run

                return run()
            return _plain()


def _can_edit() -> bool:
    """Return whether this is a terminal on which a line can be edited."""
    streams = (sys.stdin, sys.stdout)
    # pythonw and services start programs without streams
    if any(stream is None or not stream.isatty() for stream in streams):
        return False
    return os.environ.get("TERM", "dumb") not in ("dumb", "")


def _plain() -> int:
    """A session of whole lines; where nobody can correct an error, the exit code of the first one."""
    from exprgrad.session.commands import BANNER
    from exprgrad.session.screen import Screen
    from exprgrad.session.session import Session
    from exprgrad.views import output

    row.standard_input()
    interactive = sys.stdin.isatty()
    # a script ends with the code of its first error, since those behind it may follow from that
    session, first = Session(), 0
    screen = Screen(session, spaced=not interactive)
    if interactive:
        output.emit_lines(BANNER)
    while not screen.ended:
        try:
            text = _statement(session.walk.prompt if interactive else None)
            if text is None:
                break
            code = screen.play(text)
        except ExprgradError as error:
            screen.report(error)
            code = error.exit_code
            if isinstance(error, EndlessLine):
                return code
        except KeyboardInterrupt:
            if not interactive:
                raise
            output.emit("")
            continue
        first = first or code
    return 0 if interactive else first


def _statement(prompt: str | None) -> str | None:
    """The next line, or lines while a bracket is open, behind a prompt if somebody types; None at the end."""
    from exprgrad.budget import LIMITS, at_most
    from exprgrad.data.files import decoded
    from exprgrad.session.entries import OpenBrackets

    lines: list[str] = []
    brackets = OpenBrackets()
    while True:
        if prompt is not None:
            sys.stdout.write(MORE if lines else prompt)
            sys.stdout.flush()
        # one byte more than is allowed: a line without an end must not fill the memory before it is refused
        data = sys.stdin.buffer.readline(LIMITS["file"].most + 1)
        if not data:
            if prompt is not None:
                sys.stdout.write("\n")
            return "\n".join(lines) if lines else None
        at_most("file", len(data), "a line", EndlessLine)
        lines.append(decoded(data, "this line").removesuffix("\n"))
        if not brackets.after(lines[-1]):
            return "\n".join(lines)


class Run(row.Command):
    """Run a file of statements, as a session would."""

    example = "exprgrad run work.eg"
    pages = "sessions"
    outside = "`:load FILE` runs a file here"

    file: str = row.argument("A file of statements; - reads standard input.", "FILE", needed=True)  # fmt: skip
    keep_going: bool = row.flag("Go on after an error.")

    def main(self) -> int:
        """Execute the statements, to the first error or to the end."""
        from functools import partial

        from exprgrad.session.commands import place
        from exprgrad.session.entries import split
        from exprgrad.session.screen import Screen
        from exprgrad.session.session import Session

        session = Session()
        screen, first = Screen(session, spaced=True), 0
        source = row.text_of(self.file)
        name = "standard input" if self.file == "-" else self.file
        for entry in split(source):
            try:
                result = session.execute(entry)
                code = screen.show(result, entry.hides(result), partial(place, name, entry))  # fmt: skip
            except ExprgradError as error:
                error.message = f"{place(name, entry)}{error.message}"
                screen.report(error)
                code = error.exit_code
            first = first or code
            if screen.ended or (code and not self.keep_going):
                break
        return first
