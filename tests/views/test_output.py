"""Standard output that is closed, full or narrow, and the line that follows a descent."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from exprgrad.errors import UsageError
from exprgrad.views import descent, output, progress
from exprgrad.views.output import PipeClosed


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Closed(Terminal):
    def write(self, text: str) -> int:
        raise BrokenPipeError


class Full(Terminal):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_a_closed_pipe_ends_what_is_written_and_a_full_disk_is_an_error(
    monkeypatch, term
):
    monkeypatch.setenv("TERM", term)
    for stream, error in ((Closed(), PipeClosed), (Full(), UsageError), (None, UsageError)):  # fmt: skip
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(error):
            output.emit("x")
        with pytest.raises(error):
            output.show_lines([[("x", "bold")]])


def test_the_exit_code_says_what_standard_error_cannot(monkeypatch):
    for stream in (Closed(), Full(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        output.emit_error("error: no")


@pytest.mark.parametrize(
    ("encoding", "term", "shown"),
    [("utf-8", "xterm", True), ("utf-8", "dumb", False), ("ascii", "xterm", False)],
)
def test_symbols_are_for_terminals_that_have_them(monkeypatch, encoding, term, shown):
    terminal = Terminal()
    monkeypatch.setattr(type(terminal), "encoding", encoding)
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", term)
    assert output.on_terminal("√") is shown
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not output.on_terminal("√")


def test_there_are_80_columns_where_nobody_knows_better(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "__stdout__", None)
    assert output.columns() == 80
    monkeypatch.setenv("COLUMNS", "123")
    assert output.columns() == 123


def test_a_line_on_the_terminal_follows_a_descent_and_is_wiped_out(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN", -1)
    steps = [SimpleNamespace(step=i, value=1 / (i + 1), gradient_norm=0.5) for i in range(3)]  # fmt: skip
    assert list(descent.watched(steps)) == steps
    lines = sys.stderr.getvalue().split("\r\x1b[K")
    assert lines[3].startswith("step 2  value 0.333333  gradient norm 0.5")
    assert lines[4:] == [""]
