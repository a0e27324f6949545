"""Commands in their plain forms, without Typer: importing that takes longer than a plain command.

What is not plain (help, values that do not fit, what is no command) is left to Typer, which reads the same
declarations and says what is wrong.
"""

from __future__ import annotations

from importlib import import_module

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.cli.declared import read
from exprgrad.cli.routing import COMMANDS

if TYPE_CHECKING:
    from types import FunctionType


def function_of(command: str) -> FunctionType:
    """The function that a command runs."""
    module, _, name = COMMANDS[command].partition(":")
    function: FunctionType = getattr(
        import_module(f"exprgrad.cli.commands.{module}"), name
    )
    return function


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
        from exprgrad.cli.commands.deriving import differentiate

        if not argv[1].lstrip().startswith("["):
            return differentiate(argv[1].strip(), value_of_constants=True)
    function = function_of(argv[0])
    given = read(function, argv[1:])
    if given is None:
        return None
    code: int = function(**given)
    return code


def version() -> int:
    """Print the version."""
    from exprgrad import __version__
    from exprgrad.views.output import emit

    emit(f"exprgrad {__version__}")
    return 0
