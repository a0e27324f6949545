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

import exprgrad
from exprgrad import ExprgradError, Session, parse
from exprgrad.checking.check import check
from exprgrad.checking.problems import Problem
from exprgrad.cli.start import run
from exprgrad.commands.typed import (
    at_point,
    chains_in,
    command_for,
    equations_in,
    in_common,
    is_expression,
    point_in,
    question,
    variable_of,
)
from exprgrad.grading.sheet import read_sheet
from exprgrad.language import phrases
from exprgrad.language.questions import read

FILE = Path(__file__).resolve().parent / "typed.txt"

LINES = FILE.read_text(encoding="utf-8").splitlines()


def parts() -> dict[str, dict[str, str]]:
    """What is expected for each text, by the headings of the file."""
    found: dict[str, dict[str, str]] = {}
    for line in filter(None, LINES):
        if line.startswith("# "):
            rows = found[line[2:]] = {}
        else:
            typed, expected = line.split(" >> ", 1)
            rows[typed] = expected
    return found


PARTS = parts()
ROWS = [row for rows in PARTS.values() for row in rows.items()]


def points(at):
    """A point in one line."""
    return ", ".join(f"{name}={value:.6g}" for name, value in at.items())


def understood(text):
    """What a text is taken for, in one line."""
    try:
        command = command_for(text, ())
        if command == "check":
            problem = chains_in(text)[-1][-1]
            at = f" at {points(problem.at)}" if problem.at else ""
            order = f"^{problem.order}" if problem.order > 1 else ""
            return (
                f"d{order}/d{problem.variable}{order} ({problem.function.reading})"
                f" = {problem.claim.reading}{at}"
            )
        if command == "same":
            first, last, point = equations_in(text)[-1]
            sides = in_common(first, last)
            sides = sides if point is None else at_point(sides, point)
            return " = ".join(side.reading for side in sides)
        expression, found = question(text, ())
        names = expression.variables
        variable = variable_of(found) or (names[0] if len(names) == 1 else "?")
        count = 0 if found is None else found.order
        order = f"^{count}" if count > 1 else ""
        asked = f"d{order}/d{variable}{order} " if count else ""
        if found is not None and len(set(found.wrt)) > 1:
            asked = f"d/d{' d/d'.join(found.wrt)} "
        point = point_in(found, expression)
        at = f" at {point}" if point else ""
        reading = expression.reading
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
    PARTS, ROWS = {}, []


def test_there_are_three_hundred_and_each_occurs_once():
    texts = [line.partition(" >> ")[0] for line in LINES if " >> " in line]
    assert len(texts) >= 300
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("part", PARTS)
def test_what_people_type_is_understood(part):
    assert {typed: understood(typed) for typed in PARTS[part]} == PARTS[part]


def test_no_word_is_silently_read_as_a_product_of_letters():
    split = [
        (typed, expected)
        for typed, expected in ROWS
        for word in re.findall(r"[a-zA-Z]{3,}", typed)
        if "*".join(word) in expected
    ]
    assert split == []


ANSWERED = [typed for typed, expected in ROWS if not expected.startswith("error")]


@pytest.mark.parametrize("typed", [t for t in ANSWERED if is_expression(t)][::9])
def test_the_program_answers_it_without_a_command(typed, capsys):
    assert run([typed]) in (0, 1, 2, 3)
    printed = capsys.readouterr()
    assert "there is no command" not in printed.err
    assert printed.out or printed.err


@pytest.mark.parametrize(
    ("argv", "fix"),
    [
        (["chekc", "x^2"], "did you mean check?"),
        (["derive", "x^2"], 'exprgrad diff "x^2"'),
        (["derivative", "of", "x^2"], 'exprgrad "derivative of x^2"'),
        (["sin", "x"], 'exprgrad "sin(x)"'),
        (["x^2", "at", "x=3"], 'exprgrad "x^2" --at x=3'),
        (["eval", "x^2", "--at", "x=3", "y=4"], "--at x=3,y=4"),
        (["diff", "x^2", "x"], 'exprgrad diff "x^2" --wrt x'),
        (["diff", "x^2", "--var", "x"], "did you mean --wrt?"),
        (["eval", "x*y", "--at", "3"], "such as x=3"),
        (["minimize", "(a-1)^2+b^2"], "--start a=0,b=0"),
        (["x^2+y^2=25"], 'exprgrad diff "x^2+y^2=25" --implicit'),
    ],
)
def test_what_people_try_first_is_turned_into_what_to_type(argv, fix, capsys):
    assert run(argv) in (1, 2)
    assert fix in capsys.readouterr().err


@pytest.mark.parametrize("text", ["sinx", "pi", "xsinx", "kx", "-x^2"])
def test_a_lone_word_that_can_only_be_an_expression_is_one(text, capsys):
    assert run([text]) == 0
    assert "=" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["compare", "y = x^2", "--at", "x=2", "--no-times"], "symbolic"),
        (["tangent", "y = x^2 at x=3"], "y = 6*x - 9"),
        (["taylor", "f(x) = sinx"], "x - 1/6*x^3"),
        (["critical", "y = x^3-3x"], "local maximum"),
        (["minimize", "y = (x-1)^2", "--start", "x=0"], "minimum at x = 1"),
        (["diff", "D[x^3, {x, 2}]"], "6*x"),
        (["diff", "diff(x^2*y, x, y)"], "2*x"),
        (["check", "cosx", "y = sinx + C", "--kind", "antiderivative"], "correct"),
    ],
)
def test_every_command_reads_what_people_type(argv, shown, capsys):
    assert run(argv) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize("text", ["," * 6000, "x" + " " * 9000 + "^", " " * 9000])
def test_no_words_are_looked_for_around_a_long_gap(text):
    assert phrases.read(text) == phrases.Phrases(text)
    with pytest.raises(ExprgradError):
        parse(text)


@pytest.mark.slow
def test_a_text_asks_for_so_many_derivatives():
    assert parse("d/dx x^2" * 3)(x=1) == 24
    with pytest.raises(ExprgradError, match="more than 400 derivatives"):
        parse("d/dx x^2" * 401)


def verdict(problem):
    """How a problem is judged; that it cannot be."""
    if not isinstance(problem, Problem):
        return "unreadable"
    found = check(problem.function, problem.claim, problem.variable, order=problem.order, at=problem.exact)  # fmt: skip
    return found.status


def of_command(text):
    try:
        return verdict(chains_in(text)[-1][-1])
    except ExprgradError:
        return "unreadable"


def of_session(text):
    try:
        return Session().run(text)[-1].verdict.status
    except ExprgradError:
        return "unreadable"


def of_sheet(text):
    return verdict(read_sheet(text)[-1])


def is_claim(text):
    try:
        return command_for(text, ()) == "check"
    except ExprgradError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("text", [text for text, *_ in ROWS if is_claim(text)])
def test_the_command_line_sessions_and_sheets_judge_a_claim_alike(text):
    if all(getattr(said, "kind", "derivative") == "derivative" for said in read(text)):
        assert of_command(text) == of_session(text) == of_sheet(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("d(x^2)", "write d/dx (x^2) for the derivative, d*(x^2) for a product"),
        ("f(x+1)", "for a product f*(x+1)"),
        ("φ(x)", "φ(x) = x^2"),
        ("sqrt[4](x)", "write root(x, n), or cbrt(x)"),
        ("differenciate x^2", "did you mean differentiate?"),
        ("x^2 diff", "write * before or behind diff for a product"),
        ("rate x", "write * before or behind rate for a product"),
        ("2 rate + 1", "write * before or behind rate for a product"),
    ],
)
def test_what_could_be_two_things_is_asked_about(text, hint):
    with pytest.raises(ExprgradError) as caught:
        parse(text, lenient=True)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("mass*v^2/2", "mass*v^2/2"),
        ("2*rate + 1", "2*rate + 1"),
        ("f + f(x+1)", "f + f*(x + 1)"),
        ("sqrt[3](x)^2", "cbrt(x)^2"),
    ],
)
def test_what_has_one_meaning_is_not_asked_about(text, read):
    assert str(parse(text, lenient=True)) == read


def test_a_function_of_a_module_in_another_is_noted_once():
    assert parse("scipy.special.erf(x)", lenient=True).notes == ("scipy.special.erf is read as erf",)  # fmt: skip


@pytest.mark.parametrize("text", ["log[2](x)", "5C2", "D x^2", "x mod 2"])
def test_python_refuses_what_the_command_line_does(text):
    with pytest.raises(exprgrad.ExpressionSyntaxError):
        parse(text)
    with pytest.raises(exprgrad.ExpressionSyntaxError):
        exprgrad.equivalent(text, "x")
