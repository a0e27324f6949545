"""What the editor of a session is made of: history, completion, colours, the preview."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from exprgrad import Session
from exprgrad.session.commands import CHOICES, every
from exprgrad.terminal.editing import (
    STYLES,
    SYMBOLS,
    Completions,
    FileHistory,
    Highlighter,
    Preview,
    escaped,
    folder,
    unescaped,
    value_of,
)
from tests.programs import running
from tests.session.test_session import session

# History


@given(st.text())
def test_an_item_of_history_is_one_line_and_comes_back(text):
    assert "\n" not in escaped(text)
    assert unescaped(escaped(text)) == text


def test_history_is_in_a_file_that_only_its_owner_reads(tmp_path):
    path = tmp_path / "deep" / "history"
    own = FileHistory(path)
    own.append_string("a = 2")
    own.append_string("(a +\n1)")
    own.append_string("(a +\n1)")
    own.append_string("  ")
    assert path.read_text(encoding="utf-8") == "a = 2\n(a +\\n1)\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(FileHistory(path).load_history_strings()) == ["(a +\n1)", "a = 2"]


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path):
    path = tmp_path / "history"
    path.write_text("x\n", encoding="utf-8")
    path.chmod(0o644)
    FileHistory(path).append_string("y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_keys_of_a_walk_are_not_kept(tmp_path):
    path = tmp_path / "history"
    session = Session()
    history = FileHistory(path, session.walk.takes)
    history.append_string("b")
    history = FileHistory(path, lambda text: session.walk.takes(text))
    list(session.run(":walk x^2 at x=3"))
    for line in ("b", " q ", "", "b+1"):
        history.append_string(line)
    assert list(FileHistory(path).load_history_strings()) == ["b+1", "b"]


def test_of_a_long_history_the_end_is_read(tmp_path, monkeypatch):
    path = tmp_path / "history"
    path.write_text("".join(f"line {i}\n" for i in range(1000)), encoding="utf-8")
    monkeypatch.setattr("exprgrad.terminal.editing.MOST_READ", 95)
    items = list(FileHistory(path).load_history_strings())
    assert items[:2] == ["line 999", "line 998"]
    assert 5 < len(items) < 12
    assert all(item.startswith("line ") for item in items)


def test_history_that_cannot_be_kept_says_why_and_does_no_harm(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    own = FileHistory(tmp_path / "file" / "history")
    assert own.problem
    own.append_string("x")
    assert own.get_strings() == ["x"]
    assert list(own.load_history_strings()) == []


def test_the_folder_is_that_of_the_specification(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert folder() == Path("/somewhere/exprgrad")
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/someone")
    assert folder() == Path("/home/someone/.local/state/exprgrad")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert folder() is None
    assert FileHistory(None).problem == "there is no home folder"


APPEND = """
import sys
from pathlib import Path
from exprgrad.terminal.editing import FileHistory
own = FileHistory(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for i in range(300):
    own.append_string(f"{sys.argv[2]} {i} " + "x" * 200)
"""


def test_sessions_that_are_open_at_once_lose_no_line(tmp_path):
    path = tmp_path / "history"
    with ExitStack() as stack:
        started = [
            stack.enter_context(
                running(
                    [sys.executable, "-c", APPEND, str(path), name],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=os.environ,
                )
            )
            for name in ("one", "two", "three")
        ]
        for process in started:
            process.stdout.readline()
        for process in started:
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.communicate(timeout=60)[1] for process in started] == [None] * 3
    lines = path.read_text(encoding="utf-8").splitlines()
    for name in ("one", "two", "three"):
        own = [line for line in lines if line.startswith(name)]
        assert own == [f"{name} {i} " + "x" * 200 for i in range(300)]
    assert len(lines) == 900


# Completion


def completed(own: Session, text: str) -> list[str]:
    """The texts that Tab offers behind a text, as they would stand there."""
    found = Completions(lambda: own).get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + c.start_position] + c.text for c in found]


@pytest.mark.parametrize("name", SYMBOLS)
def test_a_backslash_and_a_name_become_a_symbol(name):
    assert completed(Session(), f"2 \\{name}") == [f"2 {SYMBOLS[name]}"]


def test_the_beginning_of_a_symbol_is_enough():
    assert completed(Session(), "\\the") == ["θ"]
    assert completed(Session(), "\\nothing") == []


def test_names_and_operations_are_completed():
    own = session("alpha = 2", "area(r) = pi*r^2")
    assert completed(own, "2*al") == ["2*alpha"]
    assert {"1 + area", "1 + arctan"} < set(completed(own, "1 + ar"))
    assert completed(own, ":del al") == [":del alpha"]
    assert completed(own, ":trace tan") == [":trace tan", ":trace tanh"]
    assert completed(own, "?tan") == ["?tan", "?tanh"]
    assert completed(own, "2 ") == []


def test_commands_are_completed_from_their_table():
    assert completed(Session(), ":") == [f":{c.name}" for c in every()]
    assert completed(Session(), ":co") == [":compare"]


def test_settings_and_topics_are_completed():
    assert completed(Session(), ":set ") == [f":set {name}" for name in CHOICES]
    assert completed(Session(), ":set mode f") == [":set mode forward"]
    assert completed(Session(), ":set format ") == [
        ":set format text",
        ":set format latex",
    ]
    assert completed(Session(), ":help fun") == [":help funcs", ":help functions"]
    assert completed(Session(), ":vars x") == []
    assert completed(Session(), ":nothing x") == []


def test_files_are_completed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "one.eg").touch()
    (tmp_path / ".hidden").touch()
    assert completed(Session(), ":load ") == [":load work/"]
    assert completed(Session(), ":load work/o") == [":load work/one.eg"]
    assert completed(Session(), ":save nowhere/o") == []
    assert completed(Session(), ":load ~nobody-of-that-name/") == []


# Colours


@given(st.text("ax2 ()+'\n#:?_∂/df|é;", max_size=30))
def test_colours_leave_the_text_as_it_is(text):
    own = Highlighter(lambda: session("a = 2"))
    assert "".join(piece for _, piece in own.pieces(text)) == text
    line = own.lex_document(Document(text))
    shown = [
        "".join(piece[1] for piece in line(i)) for i in range(text.count("\n") + 1)
    ]
    assert "\n".join(shown) == text
    assert line(text.count("\n") + 1) == []


def test_colours_follow_the_meaning():
    own = session("a = 2", "f(x) = x^2")
    pieces = Highlighter(lambda: own).pieces(
        ":trace a*f(1.5) + sin(x) + π + f'(2) ~ # so"
    )
    styles = {text.strip(): style.removeprefix("class:") for style, text in pieces}
    assert styles[":trace"] == "command"
    assert (styles["a"], styles["f"], styles["sin"], styles["x"]) == (
        "bound",
        "function",
        "function",
        "",
    )
    assert (styles["1.5"], styles["π"], styles["f'"]) == (
        "number",
        "constant",
        "derivative",
    )
    assert (styles["~"], styles["# so"]) == ("unknown", "comment")
    assert {style for style in styles.values() if style} <= set(STYLES)


# Preview


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + 1", "= 3"),
        ("f(3)", "= 9"),
        ("y = a/3", "= 0.6666666667"),
        ("* 2", "= 8"),
        ("x^2 at x=5", "= 25"),
        ("a", ""),
        ("a +", ""),
        ("q + 1", "d/dq = 1"),
        ("1/0", ""),
        ("f(x) = x", ""),
        (":trace a", ""),
        ("1; 2 + 3", ""),
        ("", ""),
    ],
)
def test_the_preview_is_the_value(text, expected, monkeypatch):
    monkeypatch.setattr("exprgrad.terminal.editing.LIMIT", 10)  # for a busy machine
    own = session("a = 2", "f(x) = x^2", "4")
    before = own.state
    assert value_of(own, text) == expected if text else not value_of(own, "")
    assert Preview(lambda: own).of(text) == expected
    assert own.state == before


def test_the_preview_of_what_takes_long_is_left_out(monkeypatch):
    monkeypatch.setattr("exprgrad.terminal.editing.LIMIT", 0.001)
    own = session("a = 2", "f0(x) = sin(x)")
    for i in range(8):
        own.run(f"f{i + 1}(x) = f{i}(x + {i}) + f{i}(x - 1/{i + 3})")
    watching = sys.getprofile()
    assert Preview(lambda: own).of("f8(a)") == ""
    assert value_of(own, "f8(a)").startswith("= ")
    assert sys.getprofile() is watching


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, 2]", "= [1, 2]"),
        ("v*2", "= [2, 4, 6]"),
        ("sum(v)", "= 6"),
        ("x^2", "d/dx = 2*x"),
        ("a*x", "d/dx = a"),
        ("x*y", ""),
        ("sum(w*v)", ""),
    ],
)
def test_the_preview_shows_arrays_and_derivatives(text, expected, monkeypatch):
    monkeypatch.setattr("exprgrad.terminal.editing.LIMIT", 10)
    own = session("a = 2", "v = [1, 2, 3]")
    assert Preview(lambda: own).of(text) == expected


def test_only_the_computation_of_a_preview_is_stopped(monkeypatch):
    """Time may be up while something else runs, such as the end of an object."""
    ended = []

    class Slow:
        def __del__(self):
            end = time.monotonic() + 0.02
            while time.monotonic() < end:
                pass
            ended.append(True)

    monkeypatch.setattr("exprgrad.terminal.editing.LIMIT", 0.001)
    own = session("a = 2")
    read = own.read
    monkeypatch.setattr(own, "read", lambda text: (Slow(), read(text))[1])
    Preview(lambda: own).of("a + 1")
    assert ended == [True]


def test_the_preview_is_made_once_for_a_text_and_a_state(monkeypatch):
    calls = []
    own = session("a = 2")
    monkeypatch.setattr(
        "exprgrad.terminal.editing.value_of", lambda *given: calls.append(given) or ""
    )
    preview = Preview(lambda: own)
    for _ in range(3):
        preview.of("a + 1")
    own.run("a = 3")
    preview.of("a + 1")
    assert len(calls) == 2
