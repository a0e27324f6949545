"""How the program begins, and what happens to errors, interrupts and closed pipes."""

from __future__ import annotations

import os
import sys

from exprgrad.cli import routing
from exprgrad.cli.routing import for_each_statement, normalise, without_notation
from exprgrad.commands.declared import read
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
    except ExprgradError as error:
        meant = routing.in_words(argv, error)
        if meant is None:
            routing.offer(argv, error)
            raise
    routing.show(meant)
    return _commanded(meant)


def _commanded(argv: list[str]) -> int:
    """Run the command that is meant, without Typer where that is enough."""
    if "_EXPRGRAD_COMPLETE" not in os.environ:  # a shell asks Typer for completions
        if argv in (["-h"], ["--help"]):
            return _overview()
        argv, routed = routing.routed(argv)
        if argv[:1] and argv[0] in COMMANDS and argv[1:] in (["-h"], ["--help"]):
            from exprgrad.commands.help import help_of
            from exprgrad.views.output import emit

            emit(help_of(argv[0], command_of(argv[0])))
            return 0
        several = for_each_statement(argv)
        if len(several) > 1:
            return _answered_in_turn(several)
        return _ran(several[0] if several else argv, routed)
    return _ran(argv, None)


def _ran(argv: list[str], routed: bool | None) -> int:
    """Run a command; None for `routed` leaves its arguments to Typer."""
    code = None if routed is None else run_plainly(argv, routed)
    if code is not None:
        return code
    from exprgrad.cli.app import command

    return command(argv)


def run_plainly(argv: list[str], routed: bool) -> int | None:
    """Run a plain command; its exit code, or None if Typer has to read the arguments.

    Where a command was put before an expression (`routed`), that of a constant gives its value.
    """
    if not argv:
        argv = ["repl"]
    if argv == ["--version"]:
        return routing.version()
    if argv[0] not in COMMANDS:
        return None
    if routed and len(argv) == 2 and argv[0] == "diff":
        from exprgrad.commands.diff import Diff
        from exprgrad.commands.hints import shown

        if not argv[1].lstrip().startswith("["):
            return shown(
                Diff().differentiate(argv[1].strip(), value_of_constants=True), "text"
            )
    command = read(command_of(argv[0]), argv[1:])
    return None if command is None else command.main()


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
