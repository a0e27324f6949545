"""`exprgrad help`: every page of the manual, on a terminal through the pager, and what is no topic."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys

import pytest

from exprgrad.commands.declared import COMMANDS, command_of
from exprgrad.commands.pages import CONTENTS, page, topics
from exprgrad.session.entries import split
from exprgrad.session.screen import blocks
from exprgrad.session.session import Session
from exprgrad.views.layout import lines

TOPICS = [*topics(), CONTENTS]


def words(text: str) -> list[str]:
    """The words of a page without its marks."""
    text = re.sub(r"<!--.*?-->|\]\([^)]*\)|^\|[ |-]+$", " ", text, flags=re.MULTILINE)
    return re.findall(r"\w+", re.sub(r"^```\w+", "", text, flags=re.MULTILINE))


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_is_written_for_a_browser_with_every_word(run, topic):
    shown = run("help", topic, "--format", "html")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.count("<h1>") == 1
    assert "`" not in "".join(re.findall("<p>.*?</p>", shown.out))
    lines = [line for line in page(topic).text.splitlines() if line[:1] not in ("`", "|", "<")]  # fmt: skip
    assert set(words("\n".join(lines))) <= set(words(html.unescape(shown.out)))
    written = run("help", topic, "--format", "markdown").out
    assert written == f"{page(topic).text.rstrip()}\n"


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_is_shown_whole_and_without_escape_codes(run, topic):
    shown = run("help", topic)
    assert (shown.code, shown.err) == (0, "")
    assert "\x1b" not in shown.out
    text = page(topic).text
    assert shown.out.startswith(text.partition("\n")[0].lstrip("# "))
    left = (
        set(words(text))
        - set(words(shown.out))
        - {"python", "svg", "operation", "also", "needs"}
    )
    assert left == set()


def test_the_contents_list_every_page(run):
    listed = re.findall(r"^- \[(\w+)\]\(\1\.md\)", page(CONTENTS).text, re.MULTILINE)
    assert sorted(listed) == topics()
    assert run("help").out == run("help", CONTENTS).out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_on_a_command_is_its_own_and_names_its_pages(run, command):
    shown = run("help", command).out
    assert shown == run(command, "--help").out
    pages = command_of(command).pages
    assert set(pages.split(", ")) <= {"", *topics()}
    assert pages in shown


def test_a_page_is_found_by_its_title_and_an_operation_by_its_name(run):
    assert run("help", "Worked", "solutions").out == run("help", "solutions").out
    assert run("help", "how-it-works").out == run("help", "internals").out
    assert shown_in_session(":help class sets") == run("help", "sheets").out
    assert run("help", "README").out == run("help").out
    assert "sech(x)^2" in run("help", "tanh").out


@pytest.mark.parametrize(
    ("topic", "hint"),
    [
        ("cheking", "did you mean checking?"),
        ("micrograd", "it is mentioned in speed, python: exprgrad help speed"),
        ("qwertzuiop", "the topics: exprgrad help"),
    ],
)
def test_an_unknown_topic_is_refused_with_a_suggestion(run, topic, hint):
    found = run("help", topic)
    assert (found.code, found.out) == (2, "")
    assert found.err == f"error: there is no topic {topic}\n  hint: {hint}\n"


def shown_in_session(line: str, width: int = 80) -> str:
    session = Session()
    found = blocks(session.execute(*split(line)), session.settings)
    return "".join(
        "".join(t for t, _ in row).rstrip() + "\n" for row in lines(found, width)
    )


def test_a_session_shows_the_same_pages(run):
    assert shown_in_session(":help traces") == run("help", "traces").out
    assert shown_in_session(":help manual") == run("help").out


def test_paragraphs_and_lists_fit_a_narrow_terminal():
    shown = shown_in_session(":help manual", width=40)
    assert max(map(len, shown.splitlines())) <= 40
    assert "\n  every partial derivative" in shown  # below its item


@pytest.mark.slow
def test_a_page_goes_through_the_pager_on_a_terminal_only(tmp_path):
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nhead -n 1\n")
    pager.chmod(0o755)
    command = [sys.executable, "-m", "exprgrad", "help", "values"]
    env = {**os.environ, "PAGER": f"{pager} | sed 's/$/ (paged)/'", "TERM": "xterm"}
    master, slave = pty.openpty()
    subprocess.run(command, stdin=slave, stdout=slave, env=env, check=True, timeout=60)
    os.close(slave)
    seen = os.read(master, 65536).decode()
    os.close(master)
    assert "One expression" in seen
    assert "(paged)" in seen
    assert "at a=" not in seen
    piped = subprocess.run(command, env=env, capture_output=True, check=True)
    assert b"(paged)" not in piped.stdout
