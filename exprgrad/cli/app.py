"""The commands of the program, as Typer runs them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from exprgrad.cli import quick
from exprgrad.cli.commands.repl import repl_command
from exprgrad.cli.declared import for_typer
from exprgrad.cli.help import Command, Group
from exprgrad.cli.routing import COMMANDS, nearest, no_command, parted, quoted
from exprgrad.errors import INTERRUPTED, ExprgradError, UsageError
from exprgrad.language.notes import shorten

# Typer's help by rich, and its tracebacks by rich, would import rich before it is needed.
app = typer.Typer(
    cls=Group,
    name="exprgrad",
    help="A derivative calculator that shows its work.",
    epilog='Try: exprgrad eval "(a*b+c)^2" --at a=2,b=3,c=1 --trace',
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in COMMANDS:
    app.command(_name, cls=Command)(for_typer(quick.function_of(_name)))


def _version(wanted: bool) -> None:
    if wanted:
        raise typer.Exit(quick.version())


@app.callback()
def exprgrad(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the version and exit.",
        ),
    ] = False,
    notation: Annotated[
        Literal["latex", "text"] | None,
        typer.Option(
            "--input",
            help="How expressions are written, for every command. [default: what they look like]",
        ),
    ] = None,
) -> None:
    """A derivative calculator that shows its work; without a command, a session."""
    del notation  # taken out before
    if context.invoked_subcommand is None:
        raise typer.Exit(repl_command())


def command(argv: list[str]) -> int:
    """Run the command that the arguments name, with Typer; its exit code."""
    from exprgrad.cli.hints import report

    try:
        code = app(argv, standalone_mode=False, prog_name="exprgrad")
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
    help_ = (
        f"exprgrad {name} --help"
        if name not in (None, "exprgrad")
        else "exprgrad --help"
    )
    known = [o for p in getattr(command, "params", ()) for o in getattr(p, "opts", ())]
    options = [option for option in (*known, "--help") if option.startswith("--")]
    typed = getattr(error, "option_name", None)
    if typed is not None and "requires" in message:
        return UsageError(f"{typed} needs a value", hint=f"{help_} shows examples")
    if typed is not None:
        hint = nearest(typed, options, f"{help_} lists the options")
        return UsageError(f"there is no option {typed}", hint=hint)
    if message.startswith("No such command"):
        return no_command(argv)
    if "unexpected extra argument" in message and name not in (None, "exprgrad"):
        return _extra(argv, str(name), options)
    message = shorten(message.rstrip(".").replace("int range", "whole number"), 200)
    return UsageError(message, hint=f"{help_} lists the options")


def _extra(argv: list[str], name: str, options: list[str]) -> UsageError:
    """The error for an expression that the shell has taken apart, or an option with one dash."""
    pieces = [argument.strip() for argument in argv[1:]]
    for piece in pieces:
        if f"-{piece}" in options:
            return UsageError(
                f"there is no option {piece}", hint=f"did you mean -{piece}?"
            )
    given, values = parted(pieces)
    if name == "diff" and len(given) == 2 and given[1].isidentifier():
        return UsageError(
            "there are 2 arguments where one expression is expected",
            hint=f'the variable goes into an option: exprgrad diff "{given[0]}" --wrt {given[1]}',
        )
    value = "--start" if name == "minimize" else "--at"
    message = f"there are {len(given)} arguments where one expression is expected"
    return UsageError(
        message,
        hint=quoted(f"exprgrad {name}", [*given[:1], *values, *given[1:]], value),
    )
