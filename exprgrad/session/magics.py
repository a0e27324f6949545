"""`%load_ext exprgrad` in IPython and in notebooks: a session that goes on from cell to cell.

%diff x^2 sin(x)
%check x^2, 2x
%%exprgrad
f(x) = x^2
f'(3)
"""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.errors import ExprgradError
from exprgrad.session.entries import Entry
from exprgrad.session.results import Checked, Derived
from exprgrad.session.screen import Screen
from exprgrad.session.session import Session


class Magics:
    """The session of a notebook."""

    def __init__(self) -> None:
        self.session = Session()
        self.screen = Screen(self.session)

    def diff(self, line: str) -> Any:
        """Give the derivative of an expression: `%diff x^2 sin(x)`, `%diff x*y wrt x, y`."""
        return self._result(f":diff {line}")

    def check(self, line: str) -> Any:
        """Judge a claimed derivative: `%check x^2, 2x`."""
        return self._result(f":check {line}")

    def cell(self, line: str, cell: str) -> None:
        """Run a cell as a session would."""
        try:
            self.screen.play(f"{line}\n{cell}" if line.strip() else cell)
        except ExprgradError as error:
            self.screen.report(error)

    def _result(self, text: str) -> Any:
        """What a command gives: formulas and verdicts as such, so that they show themselves; else drawn."""
        try:
            result = self.session.execute(Entry(text.strip(), 0, text.strip()))
        except ExprgradError as error:
            self.screen.report(error)
            return None
        if isinstance(result, Derived):
            found = {", ".join(f.wrt): f.derivative for f in result.derivatives.formulas}  # fmt: skip
            return next(iter(found.values())) if len(found) == 1 else found
        if isinstance(result, Checked):
            return result.verdict
        self.screen.show(result)
        return None


def load_ipython_extension(shell: Any) -> None:
    """Register `%diff`, `%check` and `%%exprgrad`."""
    magics = Magics()
    shell.register_magic_function(magics.diff, "line", "diff")
    shell.register_magic_function(magics.check, "line", "check")
    shell.register_magic_function(magics.cell, "cell", "exprgrad")
