"""Where the results of a session go: standard output, and diagnostics to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable

from exprgrad.errors import UNDEFINED, WRONG, ExprgradError, InternalError
from exprgrad.session.entries import split
from exprgrad.session.results import Answered, Checked, Equated, Quit, Result
from exprgrad.session.session import Session
from exprgrad.session.shown import blocks, corner_errors
from exprgrad.views import output
from exprgrad.views.blocks import Answer, Block, Heading, Lines, Note, Wrapped


class Screen:
    """Draws the results and errors of a session; if `spaced`, with empty lines between long results.

    `ended` is set once a result says that the session is over.
    """

    def __init__(self, session: Session, spaced: bool = False) -> None:
        self.ended = False
        self._session = session
        self._spaced = spaced
        self._before: bool | None = None

    def play(self, text: str) -> int:
        """Execute what was typed and draw what it gives; the exit code that it stands for.

        Keys of a walk lead through it. Raises `ExprgradError` at the first statement that fails.
        """
        code = 0
        if self._session.walk.takes(text):
            for result in self._session.run(text):
                self.show(result)
            return code
        for entry in split(text):
            code = code or self.show(self._session.execute(entry), entry.quiet)
            if self.ended:
                break
        return code

    def show(
        self, result: Result, quiet: bool = False, place: Callable[[], str] = str
    ) -> int:
        """Draw a result; the exit code that it stands for. `place` says where its errors are."""
        self.ended = isinstance(result, Quit)
        try:
            drawn = [] if quiet else blocks(result, self._session.settings)
        except Exception as cause:  # the result stands, though it cannot be drawn
            raise InternalError(cause) from cause
        if drawn:
            self._space(drawn)
            output.show_blocks(drawn)
        errors = corner_errors(result)
        for error in errors:
            error.message = f"{place()}{error.message}"
            self.report(error)
        if isinstance(result, Answered):
            return result.code
        if isinstance(result, Checked | Equated):
            found = result.verdict if isinstance(result, Checked) else result.found
            right = {"correct": 0, "equal": 0, "incorrect": WRONG, "different": WRONG}
            return right.get(found.status, UNDEFINED)
        return UNDEFINED if errors else 0

    def _space(self, drawn: list[Block]) -> None:
        first, *others = drawn
        short = isinstance(first, Heading | Note)
        short = short or (isinstance(first, Lines | Wrapped) and len(first.texts) < 2)
        long = not short or not all(isinstance(block, Answer) for block in others)
        if self._spaced and self._before is not None and (long or self._before):
            output.emit("")
        self._before = long

    def report(self, error: ExprgradError) -> None:
        """Draw a diagnostic, behind what has been written so far."""
        from exprgrad.views.diagnostic import report

        if sys.stdout is not None:
            sys.stdout.flush()
        report(error)
