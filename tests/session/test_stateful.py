"""Sessions as people drive them: any statement, command or interrupt in any order, on terminals of any width.

A name keeps what it stands for until it is defined again, removed, or the definition is undone; whatever happens else.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from exprgrad import ExprgradError, Session
from exprgrad.errors import InternalError
from exprgrad.session.commands import CHOICES, every
from exprgrad.session.screen import Screen, blocks
from exprgrad.terminal.editing import Preview
from exprgrad.views.layout import lines

pytestmark = pytest.mark.slow
pytest.importorskip("numpy", reason="needs the extra arrays")

NAMES = st.sampled_from(["a", "b", "v", "w", "loss"])
FORMULAS = st.sampled_from(
    ["2", "-1/3", "pi/4", "[1,2,3]", "[[1,2],[3,4]]", "a + 1", "x^2*b", "sum(v^2)", "v*w", "f(a)", "f(x)", "ln(a)",
     "1/(a - 2)", "loss", "d/dx f(x)", "max(a, b)", "if(a > 1, v, 2)", "ans", "q", "v[1]", "|a - 2|", "0^0", "2 +", "("]
)  # fmt: skip
ABOUT = st.sampled_from(
    [c.name for c in every() if c.name not in ("save", "load", "quit", "del", "clear", "undo", "set")]
)  # fmt: skip
SETTINGS = st.sampled_from(
    [f"{name} {value}" for name, own in CHOICES.items() for value in own[:4]]
    + ["digits 0", "mode x", "q 1"]
)
ENDS = st.sampled_from(["", " at a=2", " at x=0:1:3", " at x=1, a=2", " wrt x", ", 2x"])


class Sessions(RuleBasedStateMachine):
    """Mirrors what each name was last given."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session()
        self.preview = Preview(lambda: self.session)
        self.given: dict[str, str] = {}
        self.set = self.settings()
        self.before: list[tuple[dict[str, str], dict[str, str]]] = []
        self.folder = tempfile.TemporaryDirectory()
        self.file = f"{self.folder.name}/work.eg"
        self.saved: dict[str, str] | None = None

    def settings(self) -> dict[str, str]:
        """The settings as `:set` lists them."""
        return {n: str(v) for n, v in self.session.settings._asdict().items()}

    def teardown(self) -> None:
        self.folder.cleanup()

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

    def change(
        self, text: str, given: dict[str, str], settings: dict[str, str] | None = None
    ) -> None:
        before, after = (self.given, self.set), (given, settings or self.set)
        if self.play(text) and after != before:
            self.before = [*self.before[-49:], before]
            self.given, self.set = after

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
            self.given, self.set = self.before.pop()

    @rule()
    def clear(self) -> None:
        self.change(":clear", {})

    @rule(setting=SETTINGS)
    def choose(self, setting: str) -> None:
        name, value = setting.split()
        self.change(f":set {setting}", self.given, {**self.set, name: value})

    @rule()
    def save(self) -> None:
        if self.play(f":save {self.file}"):
            self.saved = {**self.given}

    @rule()
    def load(self) -> None:
        """What is loaded replaces what has the same name; where a line of it fails, nothing has changed."""
        if self.saved is None:
            assert not self.play(f":load {self.file}")
            return
        settings = self.written()
        self.change(f":load {self.file}", {**self.given, **self.saved}, settings)

    def written(self) -> dict[str, str]:
        """The settings that a saved session ends with."""
        text = Path(self.file).read_text(encoding="utf-8")
        found = re.findall(r"^:set (\w+) (\w+)", text, re.MULTILINE)
        return {**self.set, **dict(found)}

    @rule(formula=FORMULAS, end=ENDS, letters=st.sampled_from(["ascii", "utf-8"]))
    def show_on_a_dumb_terminal(self, formula: str, end: str, letters: str) -> None:
        """Plain lines, in the letters that the stream has."""
        stream = io.TextIOWrapper(io.BytesIO(), encoding=letters)
        with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
            screen = Screen(self.session)
            try:
                screen.play(formula + end)
            except InternalError as error:
                raise AssertionError(f"{formula + end!r} failed") from error.__cause__
            except ExprgradError as error:
                screen.report(error)
        stream.flush()
        shown = stream.buffer.getvalue().decode(letters)
        assert "\x1b" not in shown

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

        def stop(frame: FrameType, event: str, argument: object) -> None:
            # not of generators: one that is thrown away is called once more, and whatever it raises then is lost
            nonlocal left
            left -= event == "call" and not frame.f_code.co_flags & CO_GENERATOR
            if left < 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

        watching = sys.getprofile()
        before = {n: d.formula for n, d in self.session.scope.definitions.items()}
        sys.setprofile(stop)
        try:
            self.session.run(f"a = {formula}")
        except (KeyboardInterrupt, ExprgradError):
            pass
        finally:
            sys.setprofile(watching)
        kept = self.session.scope.definitions
        if {n: d.formula for n, d in kept.items()} != before:
            self.before = [*self.before[-49:], (self.given, self.set)]
            self.given = {**self.given, "a": kept["a"].formula}

    @invariant()
    def nothing_is_lost(self) -> None:
        found = {n: d.formula for n, d in self.session.scope.definitions.items()}
        assert found == self.given
        assert self.settings() == self.set


TestSessions = Sessions.TestCase
TestSessions.settings = settings(
    settings.get_profile("short"), max_examples=12, stateful_step_count=20
)
