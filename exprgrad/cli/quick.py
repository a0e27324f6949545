"""Commands in their plain forms, without Typer: importing that takes longer than a plain command.

What is not plain (help, values that do not fit, what is no command) is left to Typer, which is told the same rows
and says what is wrong.
"""

from __future__ import annotations

from exprgrad.cli.declared import read
from exprgrad.cli.routing import COMMANDS, command_of


def ran(argv: list[str], routed: bool) -> int | None:
    """Run a plain command; its exit code, or None if Typer has to read the arguments.

    Where a command was put before an expression (`routed`), that of a constant gives its value.
    """
    if not argv:
        argv = ["repl"]
    if argv == ["--version"]:
        return version()
    if argv[0] not in COMMANDS:
        return None
    if routed and len(argv) == 2 and argv[0] == "diff":
        from exprgrad.cli.commands.diff import Diff

        if not argv[1].lstrip().startswith("["):
            return Diff().differentiate(argv[1].strip(), value_of_constants=True)
    command = read(command_of(argv[0]), argv[1:])
    return None if command is None else command.run()


def version() -> int:
    """Print the version."""
    from exprgrad import __version__
    from exprgrad.views.output import emit

    emit(f"exprgrad {__version__}")
    return 0
