"""The place where the results of a session go: standard output, and diagnostics to standard error.

In IPython and in notebooks, `%load_ext exprgrad` opens a session that goes on from cell to cell.

    %diff x^2 sin(x)
    %check x^2, 2x
    %%exprgrad
    f(x) = x^2
    f'(3)
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from exprgrad.annotations import Any
from exprgrad.commands.declared import Result
from exprgrad.errors import ExprgradError, InternalError, worded
from exprgrad.session.commands import every
from exprgrad.session.entries import Entry
from exprgrad.session.results import IN_SESSION, Quit
from exprgrad.session.session import Session
from exprgrad.session.workspace import Settings
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
        """Execute what was typed, draw what it gives, and return the exit code that it stands for.

        Keys of a walk lead through it. Raises `ExprgradError` at the first statement that fails.
        """
        code = 0
        if self._session.walk.takes(text):
            for result in self._session.run(text):
                self.show(result)
            return code
        for result, hidden in self._session.results(text):
            own = self.show(result, hidden)
            code = code or own  # the first that is not 0 stands for the whole
            if self.ended:
                break
        return code

    def show(
        self, result: Any, hidden: bool = False, place: Callable[[], str] = str
    ) -> int:
        """Draw a result that is not `hidden`, and return the exit code that it stands for. `place` says where its errors are."""
        self.ended = isinstance(result, Quit)
        try:
            drawn = [] if hidden else blocks(result, self._session.settings)
        except ExprgradError:  # f(1), where f(x) = g(x) + k and g is not defined yet
            raise
        except Exception as cause:  # the result stands, though it cannot be drawn
            raise InternalError(cause) from cause
        if drawn:
            self._space(drawn)
            output.show_blocks(drawn)
        if not isinstance(result, Result):
            return 0
        for error in result.errors:
            error.hint = worded(error.hint, IN_SESSION)
            error.message = f"{place()}{error.message}"
            self.report(error)
        return result.code

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


def blocks(result: Any, settings: Settings) -> list[Block]:
    """Return what a statement or a command gives, for the settings of the session: as LaTeX where that is set."""
    drawn: list[Block] = result.blocks()
    if isinstance(result, Result):
        drawn += (Note(text) for text in result.remarks)
        if settings.format == "latex":
            from exprgrad.views.formats import document

            return [Lines(tuple(document(drawn, "latex")))]
    return drawn


class Magics:
    """The session of a notebook."""

    def __init__(self) -> None:
        self.session = Session()
        self.screen = Screen(self.session)

    def cell(self, line: str, cell: str) -> None:
        """Run a cell as a session would."""
        try:
            self.screen.play(f"{line}\n{cell}" if line.strip() else cell)
        except ExprgradError as error:
            self.screen.report(error)

    def result(self, text: str) -> Any:
        """Return what a command gives: formulas and verdicts as such, so that they show themselves; else drawn."""
        from exprgrad.views.formulas import FormulasView
        from exprgrad.views.pictures import Pictured
        from exprgrad.views.verdicts import VerdictsView

        try:
            result = self.session.execute(Entry(text.strip(), 0, text.strip()))
        except ExprgradError as error:
            self.screen.report(error)
            return None
        own = getattr(result, "views", [None])[:1]
        if own and isinstance(own[0], FormulasView):
            found = {", ".join(f.wrt): f.derivative for f in result.derivatives.formulas}  # fmt: skip
            return next(iter(found.values())) if len(found) == 1 else found
        if own and isinstance(own[0], VerdictsView) and not result.verdict.asked:
            return result.verdict
        if own and isinstance(own[0], Pictured) and not result.errors:
            return own[0]
        self.screen.show(result)
        while self.session.walk.steps:  # a notebook has no keys to go on with
            self.screen.play("")
        return None


def load_ipython_extension(shell: Any) -> None:
    """Register `%%exprgrad`, and `%name` for every command whose name is not a magic of IPython itself."""
    magics = Magics()

    for command in every():
        if command.name in ("diff", "check") or shell.find_line_magic(command.name) is None:  # fmt: skip
            shell.register_magic_function(lambda line, name=command.name: magics.result(f":{name} {line}"), "line", command.name)  # fmt: skip
    shell.register_magic_function(magics.cell, "cell", "exprgrad")
