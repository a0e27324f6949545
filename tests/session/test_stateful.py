"""Sessions as people drive them: any statement, command or interrupt in any order, on terminals of any width.

A name keeps what it stands for until it is defined again, removed, or the definition is undone; whatever happens else.
"""

from __future__ import annotations

import sys

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from exprgrad import ExprgradError, Session
from exprgrad.errors import InternalError
from exprgrad.session.commands import COMMANDS
from exprgrad.terminal.preview import Preview
from exprgrad.views.layout import lines
from exprgrad.views.session import blocks

pytest.importorskip("numpy", reason="needs the extra arrays")

NAMES = st.sampled_from(["a", "b", "v", "w", "loss"])
FORMULAS = st.sampled_from(
    ["2", "-1/3", "pi/4", "[1,2,3]", "[[1,2],[3,4]]", "a + 1", "x^2*b", "sum(v^2)", "v*w", "f(a)", "f(x)", "ln(a)",
     "1/(a - 2)", "loss", "d/dx f(x)", "max(a, b)", "if(a > 1, v, 2)", "ans", "q", "v[1]", "|a - 2|", "0^0", "2 +", "("]
)  # fmt: skip
ABOUT = st.sampled_from(
    [c.name for c in COMMANDS if c.name not in ("save", "load", "quit", "del", "clear", "undo", "set")]
)  # fmt: skip
ENDS = st.sampled_from(["", " at a=2", " at x=0:1:3", " at x=1, a=2", " wrt x", ", 2x"])


class Sessions(RuleBasedStateMachine):
    """Mirrors what each name was last given."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session()
        self.preview = Preview(lambda: self.session)
        self.given: dict[str, str] = {}
        self.before: list[dict[str, str]] = []

    def play(self, text: str, width: int = 80) -> bool:
        """Type and execute a line, and draw what it gives; whether it was done."""
        self.preview.of(text)
        try:
            for result in self.session.run(text):
                drawn = list(lines(blocks(result, self.session.settings), width))
                assert all(isinstance(line, (list, tuple)) for line in drawn)
        except InternalError as error:
            raise AssertionError(f"{text!r} failed") from error.__cause__
        except ExprgradError:
            return False
        return True

    def change(self, text: str, given: dict[str, str]) -> None:
        before = self.given
        if self.play(text) and given != before:
            self.before = [*self.before[-49:], before]
            self.given = given

    @rule(name=NAMES, formula=FORMULAS)
    def define(self, name: str, formula: str) -> None:
        if formula == "ans":  # is written out
            formula = "7"
        self.change(f"{name} = {formula};", {**self.given, name: formula})

    @rule(formula=st.sampled_from(["x^2", "a*x", "sin(x)/x", "x*v", "g(x)"]))
    def define_function(self, formula: str) -> None:
        self.change(f"f(x) = {formula}", {**self.given, "f": formula})

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        kept = {n: f for n, f in self.given.items() if n != name}
        self.change(f":del {name}", kept)

    @rule()
    def undo(self) -> None:
        done = self.play(":undo")
        assert done == bool(self.before)
        if done:
            self.given = self.before.pop()

    @rule(formula=FORMULAS, end=ENDS, width=st.sampled_from([20, 40, 80, 120]))
    def show(self, formula: str, end: str, width: int) -> None:
        self.play(formula + end, width)

    @rule(command=ABOUT, formula=FORMULAS, end=ENDS, width=st.sampled_from([20, 40, 80]))  # fmt: skip
    def ask(self, command: str, formula: str, end: str, width: int) -> None:
        self.play(f":{command} {formula}{end}", width)
        self.play("", width)

    @rule(formula=FORMULAS, calls=st.integers(1, 3000))
    def interrupt(self, formula: str, calls: int) -> None:
        """Ctrl-C after so many calls, in the middle of a definition."""
        left = calls

        def stop(frame: object, event: str, argument: object) -> None:
            nonlocal left
            left -= event == "call"
            if left < 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

        watching = sys.getprofile()
        before = dict(self.session.scope.definitions)
        sys.setprofile(stop)
        try:
            self.session.run(f"a = {formula}")
        except (KeyboardInterrupt, ExprgradError):
            pass
        finally:
            sys.setprofile(watching)
        kept = self.session.scope.definitions
        if kept != before:
            self.before = [*self.before[-49:], self.given]
            self.given = {**self.given, "a": kept["a"].formula}

    @invariant()
    def nothing_is_lost(self) -> None:
        found = {n: d.formula for n, d in self.session.scope.definitions.items()}
        assert found == self.given


TestSessions = Sessions.TestCase
TestSessions.settings = settings(
    settings.get_profile("short"), max_examples=12, stateful_step_count=20
)
