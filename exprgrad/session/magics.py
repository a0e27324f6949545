"""`%load_ext exprgrad` in IPython and in notebooks: a session that goes on from cell to cell.

%diff x^2 sin(x)
%check x^2, 2x
%tangent x^2 at x=3
%%exprgrad
f(x) = x^2
f'(3)
"""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.errors import ExprgradError
from exprgrad.session.commands import every
from exprgrad.session.entries import Entry
from exprgrad.session.screen import Screen
from exprgrad.session.session import Session
from exprgrad.views.formulas import FormulasView
from exprgrad.views.verdicts import VerdictsView


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
        """What a command gives: formulas and verdicts as such, so that they show themselves; else drawn."""
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
        self.screen.show(result)
        return None


def load_ipython_extension(shell: Any) -> None:
    """Register `%%exprgrad`, and `%name` for every command whose name is not a magic of IPython itself."""
    magics = Magics()

    def register(name: str) -> None:
        shell.register_magic_function(
            lambda line: magics.result(f":{name} {line}"), "line", name
        )

    for command in every():
        if command.name in ("diff", "check") or shell.find_line_magic(command.name) is None:  # fmt: skip
            register(command.name)
    shell.register_magic_function(magics.cell, "cell", "exprgrad")
