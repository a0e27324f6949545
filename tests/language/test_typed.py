"""What people type, from manuals of calculators, computer algebra, Python, spreadsheets and school books, and what is understood.

A line of `typed.txt` is the text, `>>`, and what the command line makes of it without a command: the expression fully
bracketed, `d/dx` of one, a claim as an equation, or `error:` with the message. EXPRGRAD_UPDATE_GOLDEN=1 writes what
is understood anew (without -n); look at what it wrote.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from exprgrad import ExprgradError
from exprgrad.cli.start import run
from exprgrad.cli.typed import (
    command_for,
    in_common,
    is_expression,
    problem_in,
    question,
    sides_of,
)

FILE = Path(__file__).resolve().parent / "typed.txt"

LINES = FILE.read_text(encoding="utf-8").splitlines()
ROWS = [
    tuple(line.split(" >> ", 1)) for line in LINES if line and not line.startswith("#")
]


def understood(text):
    """What a text is taken for, in one line."""
    try:
        command = command_for(text, ())
        if command == "check":
            problem = problem_in(text)
            order = f"^{problem.order}" if problem.order > 1 else ""
            return (
                f"d{order}/d{problem.variable}{order} ({problem.function.reading})"
                f" = {problem.claim.reading}"
            )
        if command == "same":
            return " = ".join(side.reading for side in in_common(*sides_of(text)))
        found = question(text, ())
        names = found.expression.variables
        variable = found.variable or (names[0] if len(names) == 1 else "?")
        order = f"^{found.order}" if found.order > 1 else ""
        asked = f"d{order}/d{variable}{order} " if found.order else ""
        if found.mixed:
            asked = f"d/d{' d/d'.join(found.mixed)} "
        at = f" at {found.point}" if found.point else ""
        reading = found.expression.reading
        return f"{asked}({reading}){at}" if asked else f"{reading}{at}"
    except ExprgradError as error:
        return f"error: {error.message}"


def write() -> None:
    lines = []
    for line in LINES:
        typed = line.partition(" >> ")[0]
        plain = not line or line.startswith("#")
        lines.append(line if plain else f"{typed} >> {understood(typed)}")
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if os.environ.get("EXPRGRAD_UPDATE_GOLDEN") == "1":
    write()
    ROWS = []


def test_there_are_three_hundred_and_each_occurs_once():
    texts = [typed for typed, _ in ROWS]
    assert len(texts) >= 300
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("row", ROWS, ids=[typed for typed, _ in ROWS])
def test_what_people_type_is_understood(row):
    typed, expected = row
    assert understood(typed) == expected


@pytest.mark.parametrize("row", ROWS, ids=[typed for typed, _ in ROWS])
def test_no_word_is_silently_read_as_a_product_of_letters(row):
    typed, expected = row
    for word in re.findall(r"[a-zA-Z]{3,}", typed):
        assert "*".join(word) not in expected


ANSWERED = [typed for typed, expected in ROWS if not expected.startswith("error")]


@pytest.mark.parametrize("typed", [t for t in ANSWERED if is_expression(t)][::9])
def test_the_program_answers_it_without_a_command(typed, capsys):
    assert run([typed]) in (0, 1, 2, 3)
    printed = capsys.readouterr()
    assert "No such command" not in printed.err
    assert printed.out or printed.err
