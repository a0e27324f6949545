"""How the program begins, and what happens to errors, interrupts and closed pipes."""

from __future__ import annotations

import os
import sys

from exprgrad.cli import routing
from exprgrad.cli.routing import for_each_statement, normalise, without_notation
from exprgrad.commands.declared import Misused
from exprgrad.commands.reading import read
from exprgrad.commands.table import COMMANDS, GROUPS, command_of
from exprgrad.errors import INTERRUPTED, ExprgradError, InternalError, UsageError
from exprgrad.language.shapes import assuming

PIPE_CLOSED = 141
"""128 + SIGPIPE, as a shell reports it."""

OVERVIEW = os.path.join(os.path.dirname(__file__), "overview.txt")
"""What `exprgrad --help` prints: what `help.overview` gives, as a test verifies."""


def run(argv: list[str]) -> int:
    """Run the program; the exit code."""
    from exprgrad.views.output import PipeClosed, emit_error

    try:
        code = _run(normalise(argv))
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (PipeClosed, BrokenPipeError):
        _silence()
        return PIPE_CLOSED
    except OSError as error:
        from exprgrad.data.files import unwritable

        _silence()
        emit_error(f"error: {unwritable('the output', error)}")
        return UsageError.exit_code
    return code


def _silence() -> None:
    """Let Python's own flush at exit go nowhere, since nobody reads the output any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> int:
    from exprgrad.commands.hints import begin, finish, report
    from exprgrad.views.output import PipeClosed

    begin(argv)
    try:
        if any("\0" in argument for argument in argv):
            raise UsageError("an argument cannot contain a null character")
        argv, notation = without_notation(argv)
        with assuming(notation):
            return _dispatched(argv)
    except ExprgradError as error:
        report(error)
        return error.exit_code
    except (OSError, MemoryError, PipeClosed):
        raise
    except Exception as error:
        if os.environ.get("EXPRGRAD_DEBUG"):
            raise
        report(InternalError(error))
        return InternalError.exit_code
    finally:
        finish()


def _dispatched(argv: list[str]) -> int:
    """Run the command that is meant; where a text cannot be read, the one that it asks for in words."""
    try:
        return _commanded(argv)
    except Misused:
        raise
    except ExprgradError as error:
        from exprgrad.cli import words

        meant = words.in_words(argv, error)
        if meant is None:
            words.offer(argv, error)
            raise
    words.show(meant)
    return _commanded(meant)


def _commanded(argv: list[str]) -> int:
    """Run the command that is meant; Typer completes for shells."""
    completion = ("--install-completion", "--show-completion")
    if "_EXPRGRAD_COMPLETE" in os.environ or argv[:1] in ([o] for o in completion):
        from exprgrad.cli.app import command

        return command(argv)
    argv, was_put = routing.routed(argv)
    several = for_each_statement(argv)
    if len(several) > 1:
        return _answered_in_turn(several)
    return _ran(several[0] if several else argv, was_put)


def _ran(argv: list[str], was_put: bool) -> int:
    """Run a command, which `was_put` before an expression if none is named."""
    name, *arguments = argv or ["repl"]
    if name in ("-h", "--help"):
        return _overview()
    if name == "--version":
        from exprgrad import __version__
        from exprgrad.views.output import emit

        emit(f"exprgrad {__version__}")
        return 0
    if name not in COMMANDS:
        from exprgrad.commands.complaints import no_command, no_option

        raise no_option(None, name) if name.startswith("-") else no_command(argv)
    row = command_of(name)
    command = read(row, arguments)
    if command is None:
        from exprgrad.commands.help import help_of
        from exprgrad.views.output import emit

        emit(help_of(name, row))
        return 0
    command.was_put = was_put
    return command.main()


def _answered_in_turn(several: list[list[str]]) -> int:
    """Run a command for each of several statements; the worst of the exit codes. In JSON each result is a line."""
    from exprgrad.commands.hints import report
    from exprgrad.views.formats import in_lines

    worst = 0
    with in_lines():
        for argv in several:
            try:
                code = _ran(argv, False)
            except ExprgradError as error:
                report(error)
                code = error.exit_code
            worst = max(worst, code)
    return worst


def _overview() -> int:
    """Print the help of the program; from a file that has it for 80 columns, where there is room."""
    from exprgrad.views.output import columns, emit

    if columns() < 80 or "Added" in GROUPS:
        from exprgrad.commands.help import overview

        emit(overview())
        return 0
    with open(OVERVIEW, encoding="utf-8") as file:
        emit(file.read().rstrip("\n"))
    return 0
