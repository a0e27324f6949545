"""Nothing raw reaches the terminal, and what does can be read there."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
import unicodedata

import pytest

from exprgrad.cli.start import run
from exprgrad.views import visible
from exprgrad.views.output import COLOURS

ESC, CSI, RLO = "\x1b", "\x9b", "\u202e"
HOSTILE = f"{ESC}[31m{CSI}2J{RLO}\x07\x08\u2066"


class Screen(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8", terminal: bool = True) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    @property
    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined] # BytesIO


def shown(*argv: str, encoding: str = "utf-8", terminal: bool = True) -> str:
    """What a command writes on both streams."""
    screen = Screen(encoding, terminal)
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        run(list(argv))
    return screen.text.replace("\r\x1b[K", "")  # the line that shows progress


def acted_on(text: str) -> set[str]:
    """The characters that a terminal acts on, apart from line breaks."""
    return {
        c
        for c in text
        if unicodedata.category(c) in ("Cc", "Zl", "Zp")
        or unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    } - {"\n"}  # fmt: skip


@pytest.fixture
def no_colour(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize(
    "argv",
    [
        ["eval", f"x{HOSTILE}^2", "--at", "x=1"],
        ["eval", "x", "--at", f"x={HOSTILE}"],
        ["eval", "x", "--at", f"{HOSTILE}=1"],
        ["eval", "--file", f"{HOSTILE}.txt"],
        ["check", "x^2", f"2x{HOSTILE}"],
        ["ops", HOSTILE],
        [HOSTILE],
        ["batch", "x", "--data", f"{HOSTILE}.csv"],
        ["eval", "x\n+\x85y", "--at", "x=1,y=2", "--format", "json"],
    ],
)
def test_no_control_character_of_an_argument_reaches_the_terminal(argv, no_colour):
    text = shown(*argv)
    assert text
    assert acted_on(text) == set()


@pytest.fixture
def class_set(tmp_path):
    path = tmp_path / "class.csv"
    rows = [
        ["student", "problem", "answer"],
        [f"Eve{HOSTILE}", "d/dx x^2", "3x"],
        ["Ann", "d/dx x^3", f"3x^2{HOSTILE}"],
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def test_names_of_students_and_answers_are_filtered(class_set, no_colour):
    text = shown("check", "--file", class_set)
    assert "Eve" in text
    assert acted_on(text) == set()


def test_a_picture_in_colour_has_only_escapes_of_its_own(class_set, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    text = shown("check", "--file", class_set)
    assert f"Eve{visible.SHOWN_AS}[31m" in text
    assert acted_on(text) <= {ESC}


def test_files_stay_as_they_are_in_a_pipe(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"x,note\n2,{RLO}a\tb\n", encoding="utf-8")
    assert f"{RLO}a\tb" in shown("batch", "x^2", "--data", str(path), terminal=False)
    assert RLO not in shown("batch", "x^2", "--data", str(path))


def test_json_says_the_same_with_its_controls_escaped():
    fields = {"name": HOSTILE, "line": "a\u2028b\x7f"}
    text = visible.json(json.dumps(fields, ensure_ascii=False))
    assert json.loads(text) == fields
    assert acted_on(text) == set()


def test_a_filtered_text_is_as_long_as_before():
    text = f"a{HOSTILE}b\tc\nd\re"
    assert len(visible.line(text)) == len(text)
    assert acted_on(visible.line(text)) == set()


@pytest.mark.parametrize("text", ["3x", "2x", "x"])
def test_marks_in_ascii_cannot_be_read_as_a_formula(text):
    out = shown("check", "x^2", text, encoding="ascii", terminal=False)
    assert out.startswith("ok correct" if text == "2x" else f"WRONG {text} is not")


@pytest.mark.slow
def test_ascii_stand_ins_keep_columns_in_line():
    argv = ["check", "--file", "samples/worksheet.txt"]
    rule = next(
        line
        for line in shown(*argv, encoding="ascii", terminal=False).splitlines()
        if set(line) == {"-", " "}
    )
    assert rule.startswith("-----  ")  # as wide as WRONG


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]  # fmt: skip
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("name", COLOURS)
def test_every_colour_is_legible_on_black_and_on_white(name):
    own = luminance(COLOURS[name]) + 0.05
    assert own / 0.05 > 4.1
    assert 1.05 / own > 4.1


def test_a_closed_standard_output_is_said(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert run(["eval", "1+1"]) == 2
    assert "no standard output" in capsys.readouterr().err
