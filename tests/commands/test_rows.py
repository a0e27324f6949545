"""A command is one class with rows, which every door reads: the command line, sessions, notebooks, help and completion."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from exprgrad import ExprgradError, Session
from exprgrad.cli.app import application
from exprgrad.cli.start import run
from exprgrad.commands import declared as row
from exprgrad.commands.help import help_of, man_page, overview
from exprgrad.commands.lines import in_session, read_line
from exprgrad.commands.reading import read
from exprgrad.session.commands import every
from exprgrad.session.screen import blocks
from exprgrad.session.workspace import Settings
from exprgrad.views.formats import to_json
from exprgrad.views.layout import lines


class Twice(row.OnExpression):
    """Two times an expression."""

    example = 'exprgrad twice "x + 1" --at x=2'

    at: list[str] = row.AT
    format: str = row.formats("How to write it.", "text json")

    def run(self) -> row.Result:
        """The product."""
        from exprgrad.commands.typed import expression_at
        from exprgrad.views.formulas import SimplifiedView

        own, _ = expression_at(f"2*({self.source()})", self.at)
        return row.Result(SimplifiedView(own, own.simplify("short"), "short"))


@pytest.fixture
def added() -> Iterator[None]:
    """A command that is there during a test."""
    row.add(Twice)
    yield
    del row.COMMANDS["twice"], row.GROUPS["Added"]


@pytest.mark.slow
def test_a_command_that_is_added_is_found_at_every_door(added, capsys):
    assert run(["twice", "x + 1"]) == 0
    shown = capsys.readouterr().out
    assert "2*(x + 1)" in shown.splitlines()
    assert run(["twice", "--at=x=3", "x + 1"]) == 0  # read by Typer
    assert capsys.readouterr().out == shown
    assert "twice" in overview()
    assert run(["--help"]) == 0
    assert "twice" in capsys.readouterr().out
    assert run(["help", "twice"]) == 0
    assert capsys.readouterr().out == help_of("twice", Twice) + "\n"
    assert ".SS twice" in [*man_page()]
    assert "twice" in typer.main.get_command(application()).commands  # type: ignore[attr-defined] # a group
    [found] = Session().run(":twice x + 1")
    assert run(["twice", "x + 1", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.as_dict()
    assert "twice" in [command.name for command in every()]
    [help_] = Session().run(":help twice")
    assert ":twice x + 1 at x=2" in help_.text


@pytest.mark.slow
def test_a_command_that_is_added_is_a_magic_of_notebooks(added, capsys):
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.history_manager.enabled = False
    shell.run_line_magic("load_ext", "exprgrad")
    shell.run_line_magic("twice", "x + 1")
    shell.history_manager.end_session()
    assert "2*(x + 1)" in capsys.readouterr().out


EVERYWHERE = [n for n in row.COMMANDS if not row.command_of(n).outside]
"""Commands that sessions have as well."""

PROSE = "$\\frac{d}{dx} x^2 = 2x$\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_session_gives_what_the_command_line_gives(name, capsys, tmp_path, monkeypatch):  # fmt: skip
    """The example of each command at both doors: the same fields, document and exit code."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "decay.csv").write_text("t,y\n0,5\n1,3\n2,1.9\n3,1.1\n")
    (tmp_path / "notes.tex").write_text(PROSE)
    (tmp_path / "solution.txt").write_text("y' = 2x sin x + x^2 cos x\n")
    command = row.command_of(name)
    words = shlex.split(command.example)[2:]
    line = in_session(command)
    if name == "work":  # a line of a session is the solution itself
        line = ":work x^2 sin x, y' = 2x sin x + x^2 cos x"
    if name == "practice":
        words, line = ["--export", "3"], ":practice export 3"
    if name in ("diff", "steps"):  # whose derivation is brief in a session
        line = line.removesuffix(" steps") + " --steps full"
    [found] = Session().run(line)
    code = run([name, *words, *(["--no-times"] if name == "compare" else [])])
    printed = capsys.readouterr()
    assert found.code == code
    assert "error" not in printed.err
    drawn = ["".join(text for text, _ in own) for own in lines(blocks(found, Settings()), 80)]  # fmt: skip
    if name not in (
        "walk",
        "diff",
        "steps",
    ):  # the first step; what is differentiated above it
        assert "\n".join(drawn) == printed.out.rstrip("\n")
    if "json" in getattr(row.rows(command).get("format"), "words", ()):
        assert run([name, *words, "--format", "json"]) == code
        fields = json.loads(capsys.readouterr().out)
        assert _without_times(json.loads(to_json(found.as_dict()))) == _without_times(fields)  # fmt: skip


def _without_times(fields: Any) -> Any:
    """Fields without those that say how long something took."""
    if isinstance(fields, dict):
        return {k: _without_times(v) for k, v in fields.items() if k != "seconds"}
    return [*map(_without_times, fields)] if isinstance(fields, list) else fields


def test_a_statement_gives_what_eval_gives(capsys):
    [found] = Session().run("(a*b+c)^2 at a=2, b=3, c=1")
    argv = ["eval", "(a*b+c)^2", "--at", "a=2,b=3,c=1"]
    assert run(argv) == 0
    drawn = ["".join(text for text, _ in own) for own in lines(found.blocks(), 80)]
    assert "\n".join(drawn) == capsys.readouterr().out.rstrip("\n")
    assert run([*argv, "--format", "json"]) == 0
    assert json.loads(to_json(found.as_dict())) == json.loads(capsys.readouterr().out)


def test_a_worked_solution_is_judged_by_a_command_of_its_own(tmp_path, capsys):
    file = tmp_path / "solution.txt"
    file.write_text("y' = 3x^(3-1)\n= 3x^2\n")
    assert run(["work", "x^3", str(file)]) == 0
    shown = capsys.readouterr().out
    assert run(["check", "x^3", "--work", str(file)]) == 0
    assert capsys.readouterr().out == shown
    assert run(["work", str(file)]) == 2  # it does not state its function


def test_names_and_values_of_a_session_are_filled_in():
    own = Session()
    own.run("f(x) = x^3 - 3x; a = 2; x^2")
    [found] = own.run(":tangent a*f(x) at x=2")
    assert found.as_dict()["result"] == "y = 18*x - 32"
    [found] = own.run(":minimize (x - a)^2 start x=0")
    assert found.as_dict()["value"] == 0
    [found] = own.run(":critical")
    assert "x = 0" in found.as_dict()["result"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (":batch x^2", "no command of sessions"),
        (":same x^2", "two expressions"),
        (":taylor sin x order many", "order many"),
        (":practice everything", "not expected"),
    ],
)
def test_a_line_that_does_not_fit_is_refused(line, message):
    with pytest.raises(ExprgradError) as caught:
        Session().run(line)
    assert message in caught.value.message


@pytest.mark.parametrize("name", [n for n in row.COMMANDS if n not in ("repl", "help", "run")])  # fmt: skip
def test_an_example_in_a_session_reads_like_the_one_on_the_command_line(name):
    command = row.command_of(name)
    words = shlex.split(command.example)[2:]
    from exprgrad.cli.start import normalise

    on_line = read(command, normalise([name, *words])[1:])
    line = in_session(command).partition(" ")[2]
    given = read_line(command, line)
    assert on_line is not None
    assert vars(on_line) == vars(command(**given))


# Our reader and Typer


def _words(declared: dict[str, row.Row], rng: random.Random) -> list[str]:
    words = [
        "x^2",
        "x=1",
        "3",
        "-1",
        "json",
        "text",
        "forward",
        "0.5",
        "--",
        "-",
        "nan",
        "x y",
        "--no",
        "short",
    ]
    options = [
        o
        for n, own in declared.items()
        if own.is_option
        for name in row.names_of(n, own)
        for o in name.split("/")
    ]
    out = []
    for _ in range(rng.randrange(6)):
        out.append(
            rng.choice(options) if options and rng.random() < 0.5 else rng.choice(words)
        )
    return out


UsageErrors = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "UsageError")
"""The errors of Typer about arguments, whose class is not public."""


def _comparable(command: row.Command) -> dict[str, object]:
    """The values of a command; Typer turns tuples into lists and texts into paths when it runs it."""
    values = vars(command)
    return {n: [*v] if isinstance(v, list | tuple) else str(v) for n, v in values.items()}  # fmt: skip


@pytest.mark.slow
def test_arguments_are_read_as_typer_reads_them():
    """Typer knows the same commands: it takes what is taken, with the same values, and refuses what is refused."""
    rng = random.Random(37)
    group: Any = typer.main.get_command(application())
    accepted = refused = 0
    for name in row.COMMANDS:
        command = row.command_of(name)
        declared = row.rows(command)
        for _ in range(400):
            argv = _words(declared, rng)
            try:
                ours = read(command, list(argv))
            except row.Misused:
                refused += 1
                with pytest.raises(UsageErrors):
                    group.commands[name].make_context(name, list(argv))
                continue
            assert ours is not None
            accepted += 1
            context = group.commands[name].make_context(name, list(argv))
            slow = command(**context.params)
            assert _comparable(ours) == _comparable(slow), (name, argv)
    assert accepted > 1000
    assert refused > 1000


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["walk", "[1,2,3]"], "this needs numbers, not arrays"),
        (
            ["walk", "x @ y", "--at", "x=[1,2],y=[3,4]"],
            "this needs numbers, not arrays",
        ),
        (["plot", "z @ [z, z]"], "this needs numbers, not arrays"),
        (["why", "3"], "the expression has no variable"),
    ],
)
def test_a_command_that_cannot_work_on_something_says_why(argv, message, capsys):
    assert run(argv) == 2
    assert message in capsys.readouterr().err


def test_an_option_with_many_words_is_broken_between_them(monkeypatch):
    from exprgrad.commands.declared import command_of
    from exprgrad.commands.help import help_of

    for name in ("check", "graph", "audit"):
        for width in (40, 80):
            monkeypatch.setenv("COLUMNS", str(width))
            told = help_of(name, command_of(name))
            assert max(map(len, told.splitlines())) <= width
            assert "derivative|" in told or name != "check"
