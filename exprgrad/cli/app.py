"""The commands of the program, as Typer runs them."""

from __future__ import annotations

import inspect
import pathlib
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from exprgrad.cli import completing, routing
from exprgrad.cli.routing import nearest, no_command, parted, quoted
from exprgrad.commands.declared import PATH, Command, Row, names_of, rows
from exprgrad.commands.help import help_of, overview
from exprgrad.commands.table import COMMANDS, command_of
from exprgrad.errors import INTERRUPTED, ExprgradError, UsageError
from exprgrad.language.notes import shorten


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


def _version(wanted: bool) -> None:
    if wanted:
        raise typer.Exit(routing.version())


def exprgrad(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
    notation: Annotated[Literal["latex", "text"] | None, typer.Option("--input")] = None,
) -> None:  # fmt: skip
    """A derivative calculator that shows its work; without a command, a session."""
    del notation  # taken out before
    if context.invoked_subcommand is None:
        raise typer.Exit(command_of("repl")().main())


def command(argv: list[str]) -> int:
    """Run the command that the arguments name, with Typer; its exit code."""
    from exprgrad.commands.hints import report

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
        report(_usage(argv, error, describe()))
        return UsageError.exit_code
    return code if isinstance(code, int) else 0


def _usage(argv: list[str], error: Any, message: str) -> UsageError:
    """What is wrong with the arguments, with a hint at what was meant."""
    command = getattr(getattr(error, "ctx", None), "command", None)
    name = getattr(command, "name", None)
    named = name not in (None, "exprgrad")
    help_ = f"exprgrad {name} --help" if named else "exprgrad --help"
    known = [o for p in getattr(command, "params", ()) for o in getattr(p, "opts", ())]
    options = [option for option in (*known, "--help") if option.startswith("--")]
    typed = getattr(error, "option_name", None)
    if typed is not None and "requires" in message:
        return UsageError(f"{typed} needs a value", hint=f"{help_} shows examples")
    if typed is not None:
        hint = nearest(typed, options, f"{help_} lists the options")
        ranges = [a[len(typed) + 1 :] for a in argv if a.startswith(f"{typed}=")]
        if name == "plot" and ranges and ":" in ranges[0]:
            hint = f"write --x={ranges[0]}: that is the range of the first variable"
        return UsageError(f"there is no option {typed}", hint=hint)
    if message.startswith("No such command"):
        return no_command(argv)
    if "unexpected extra argument" in message and named:
        return _extra(argv, str(name), options)
    message = shorten(message.rstrip(".").replace("int range", "whole number"), 200)
    return UsageError(message, hint=f"{help_} lists the options")


def _extra(argv: list[str], name: str, options: list[str]) -> UsageError:
    """The error for an expression that the shell has taken apart, or an option with one dash."""
    pieces = [argument.strip() for argument in argv[1:]]
    for piece in pieces:
        if f"-{piece}" in options:
            hint = f"did you mean -{piece}?"
            return UsageError(f"there is no option {piece}", hint=hint)
    given, values = parted(pieces)
    value = "--start" if name == "minimize" else "--at"
    hint = quoted(f"exprgrad {name}", [*given[:1], *values, *given[1:]], value)
    if name == "diff" and len(given) == 2 and given[1].isidentifier():
        hint = f'the variable goes into an option: exprgrad diff "{given[0]}" --wrt {given[1]}'
    message = f"there are {len(given)} arguments where one expression is expected"
    return UsageError(message, hint=hint)
