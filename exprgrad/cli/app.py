"""The commands of the program, as Typer knows them: it completes them for shells."""

from __future__ import annotations

import inspect
import pathlib
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from exprgrad.cli import completing
from exprgrad.commands.declared import PATH, Command, Row, names_of, rows
from exprgrad.commands.help import help_of, overview
from exprgrad.commands.table import COMMANDS, command_of
from exprgrad.errors import INTERRUPTED, ExprgradError, UsageError


class _Command(TyperCommand):
    """A command, with its own help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        name = str(self.name)
        formatter.write(help_of(name, command_of(name)) + "\n")


class _Group(TyperGroup):
    """The program, with its own help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(overview() + "\n")


def for_typer(command: type[Command]) -> Callable[..., int]:
    """A function that runs a command, with the signature that Typer reads."""

    def run(**given: Any) -> int:
        return command(**given).main()

    parameters = [_parameter(name, row) for name, row in rows(command).items()]
    run.__doc__ = command.__doc__
    run.__annotations__ = {own.name: own.annotation for own in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # of any function
    return run


def _parameter(name: str, row: Row) -> inspect.Parameter:
    """A row as Typer declares it."""
    facts: dict[str, Any] = {"help": row.meaning, "metavar": row.metavar or None}
    if row.kind in (int, float):
        facts |= {"min": row.least, "max": row.most}
    if row.completes:
        facts["autocompletion"] = getattr(completing, row.completes)
    how = typer.Option(*names_of(name, row), **facts) if row.is_option else typer.Argument(**facts)  # fmt: skip
    kind: Any = {list: list[str], PATH: pathlib.Path}.get(row.kind, row.kind)
    if row.words:
        kind = Literal[row.words]
    if row.default is None and not row.needed:
        kind = kind | None
    default = inspect.Parameter.empty if row.needed else row.default
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, how]
    )  # fmt: skip


def application() -> typer.Typer:
    """Every command as Typer runs it."""
    # Typer's help by rich, and its tracebacks by rich, would import rich before it is needed
    app = typer.Typer(
        cls=_Group,
        name="exprgrad",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=exprgrad,
    )
    for name in COMMANDS:
        app.command(name, cls=_Command)(for_typer(command_of(name)))
    return app


def exprgrad(
    version: Annotated[bool, typer.Option("--version")] = False,
    notation: Annotated[Literal["latex", "text"] | None, typer.Option("--input")] = None,
) -> None:  # fmt: skip
    """A derivative calculator that shows its work; without a command, a session."""
    del version, notation  # taken out before


def command(argv: list[str]) -> int:
    """Run the command that the arguments name, with Typer; its exit code. Raises `UsageError`."""
    try:
        code = application()(argv, standalone_mode=False, prog_name="exprgrad")
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort:
        return INTERRUPTED
    except ExprgradError:
        raise
    except Exception as error:
        # the base of Typer's usage errors is not public; they know how to say what is wrong
        describe = getattr(error, "format_message", None)
        if describe is None:
            raise
        raise UsageError(describe()) from None
    return code if isinstance(code, int) else 0
