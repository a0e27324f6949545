"""A session played on a terminal, key by key: what the screen shows, and what is left the next time."""

from __future__ import annotations

import os
import re
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import compare

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

from tests.screen import Terminal  # noqa: E402 # needs pty's system

SCREENS = Path(__file__).resolve().parent / "screens"


def opened(columns: int, rows: int, state: Path, **env: str) -> Terminal:
    try:
        terminal = Terminal(columns, rows, state, **env)
    except OSError as error:
        pytest.skip(f"no pseudo-terminal can be opened: {error}")
    terminal.wait(">")
    return terminal


@pytest.fixture
def terminal(tmp_path) -> Iterator[Terminal]:
    """A session on a terminal of the usual size."""
    own = opened(80, 30, tmp_path)
    yield own
    try:
        os.kill(own.pid, signal.SIGKILL)
        os.close(own.fd)
        os.waitpid(own.pid, 0)
    except OSError:
        pass  # it has ended


LINES = [
    "a = 2; b = 3",
    "c = 1",
    "(a*b + c)^2",
    "* 2",
    "ans/2",
    ":trace a*b + a",
    "f(x, y) = x^2*y",
    "f(3, 4)",
    "grad f at x=1,y=2",
    "∂f/∂x (1,2)",
    "∂f/∂y",
    "g(t) = sin(t)/t",
    "g'(1)",
    "g''(s)",
    "x^2 sin x",
    "y = a*x^2",
    "dy/dx",
    "x = pi/4",
    "y",
    "a = y",
    "2 + * 3",
    "1/(a - 2)",
    "|t| at t=0",
    "foo(2)",
    ":walk a*b",
    "",
    "",
    "b",
    ":hessian f(x, y) at x=1, y=2",
    ":steps x^2*sin(3x) wrt x",
    ":set digits 5",
    "x",
    "?tanh",
    ":vars",
    ":funcs",
    ":del y",
    ":help names",
    "z = 1e400",
    "  # nothing",
]
"""What is typed, a line each; more follows in the test."""


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(80, 30), (40, 24)])
def test_a_session_of_forty_lines(columns, rows, tmp_path):
    played = opened(columns, rows, tmp_path)
    for line in LINES:
        played.enter(line)
    played.type("(a +\r")
    played.wait("…")
    played.enter("b)")
    played.type(":co\t")
    played.wait("> :compare")
    played.enter(" a*b")
    played.type("2 \\the\t")
    played.wait("> 2 θ")
    played.type("\x03")
    played.wait(">")
    played.type("\x04")
    assert played.end() == 0
    shown = "\n".join(line.rstrip() for line in played.screen.everything())
    compare(SCREENS / f"{columns}.txt", shown.rstrip() + "\n")
    assert max(map(len, played.screen.everything())) <= columns


@pytest.mark.slow
def test_lines_are_recalled_in_the_next_session(tmp_path):
    first = opened(80, 24, tmp_path)
    first.enter("alpha = 1")
    first.type("(alpha +\r")
    first.wait("…")
    first.enter("41)")
    first.enter("beta = 2")
    first.type("\x04")
    assert first.end() == 0
    file = tmp_path / "exprgrad" / "history"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    second = opened(80, 24, tmp_path)
    second.type("\x1b[A")
    second.wait("> beta = 2")
    second.type("\x1b[A")
    second.wait("… 41\\)")
    second.type("\x03")
    second.wait(">")
    second.type("\x12alpha = ")
    second.see("alpha = 1")
    second.type("\r")
    second.wait("> alpha = 1")
    second.type("\r")
    second.see("alpha = 1\nalpha = 1")
    second.wait(">")
    second.type("\x04")
    assert second.end() == 0


def test_control_c_stops_a_long_computation_and_keeps_the_session(terminal, tmp_path):
    steps = "\n".join(
        f"f{i + 1}(x) = f{i}(x + {i}) + f{i}(x - 1/{i + 3});" for i in range(13)
    )
    (tmp_path / "long.eg").write_text(f"f0(x) = sin(x);\n{steps}\n", encoding="utf-8")
    terminal.enter("kept = 42")
    terminal.enter(":load long.eg")
    terminal.type(":trace f13(kept) + f12(kept)\r")
    time.sleep(0.5)
    terminal.type("\x03")
    terminal.see("interrupted")
    terminal.wait(">")
    terminal.enter("kept + 1")
    terminal.see("kept + 1 = 43")
    assert "Traceback" not in "\n".join(terminal.screen.everything())


def test_control_c_clears_the_line_and_control_d_leaves(terminal):
    terminal.type("1 + (2")
    terminal.wait(r"> 1 \+ \(2")
    terminal.type("\x03")
    terminal.wait(">")
    terminal.type("(1\r")
    terminal.wait("…")
    terminal.type("\x03")
    terminal.wait(">")
    terminal.enter("1 + 1")
    terminal.see("1 + 1 = 2")
    terminal.type("\x04")
    assert terminal.end() == 0


def test_the_value_is_shown_while_it_is_typed(terminal):
    terminal.enter("a = 20")
    # On a busy machine it may take longer than it may; it is tried again when the text is another.
    for keys in ("a + 1", *[" ", "\x7f"] * 100):
        terminal.type(keys)
        terminal.wait(r"> a \+ 1")
        if "= 21  a = 20" in terminal.screen.lines():
            break
    assert "= 21  a = 20" in terminal.screen.lines()
    terminal.type("*")
    terminal.wait(r"> a \+ 1 ?\*")
    terminal.read(0.2)
    assert "= 21  a = 20" not in terminal.screen.lines()


def test_history_that_cannot_be_kept_is_said_once(tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    own = opened(80, 24, tmp_path, XDG_STATE_HOME=str(tmp_path / "file"))
    own.enter("1 + 1")
    own.enter("2 + 2")
    own.type("\x04")
    assert own.end() == 0
    shown = "\n".join(own.screen.everything())
    assert shown.count("history is not kept") == 1
    assert "2 + 2 = 4" in shown


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_dumb_terminal_gets_plain_lines(env, tmp_path):
    own = opened(80, 24, tmp_path, **env)
    own.type("a = 2\n")
    own.see("a = 2\r".strip())
    own.wait(">")
    own.type("(a +\n")
    own.wait("…")
    own.type("1)\n")
    own.see("(a + 1) = 3")
    own.type("1/0\n")
    own.see("error: a quotient")
    own.wait(">")
    own.type("\x03")
    own.wait(">")
    own.type("\x04")
    assert own.end() == 0


def test_no_colour_means_no_colour(tmp_path):
    own = opened(80, 24, tmp_path, NO_COLOR="1")
    raw: list[str] = []
    feed = own.screen.feed
    own.screen.feed = lambda text: (raw.append(text), feed(text))[1]  # type: ignore[method-assign]
    own.enter("a = 2; 1/(a - 2)")
    own.type("\x04")
    assert own.end() == 0
    assert re.findall(r"\x1b\[[\d;]*3[0-7][\d;]*m", "".join(raw)) == []
