"""The commands of the program, as Typer knows them, and what it completes for shells: operations, topics, variables.

The operations follow `ops`, the topics `help` and `practice --topic`; the variables are those of the expression
on the line, and follow --at, --start and --wrt.
"""

from __future__ import annotations

import inspect
import os
import pathlib
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from exprgrad.commands import declared
from exprgrad.commands.help import help_of, overview
from exprgrad.errors import ExprgradError, UsageError


def operations(incomplete: str) -> list[str]:
    """The operations whose names begin so."""
    import exprgrad.operations.table  # noqa: F401 # fills the table
    from exprgrad.operations.operation import function_names

    return [name for name in sorted(function_names()) if name.startswith(incomplete)]


def topics(incomplete: str) -> list[str]:
    """The pages of the manual and the commands whose names begin so."""
    from exprgrad.commands.pages import topics as pages

    names = sorted({*pages(), *declared.COMMANDS})
    return [name for name in names if name.startswith(incomplete)]


def practised(incomplete: str) -> list[str]:
    """The topics of practice, behind those that are there already."""
    from exprgrad.grading.practice import TOPICS

    return _left(incomplete, TOPICS, "")


def variables(incomplete: str) -> list[str]:
    """The variables of the expression, behind those that are there already."""
    return _behind(incomplete, "")


def values(incomplete: str) -> list[str]:
    """The same with an equals sign."""
    return _behind(incomplete, "=")


def _behind(incomplete: str, ending: str) -> list[str]:
    import shlex

    from exprgrad.checking.equations import sides
    from exprgrad.expressions.expression import parse

    # what stands behind the command: Typer has lost it, since the line is not finished
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation mark is still open
        words = line.split()
    expression = next((word for word in words[2:] if not word.startswith("-")), "")
    try:
        read = [parse(side, lenient=True) for side in sides(expression)]
    except ExprgradError:
        return []
    # each once, in the order in which they occur
    names = dict.fromkeys(name for side in read for name in side.variables)
    return _left(incomplete, names, ending)


def _left(incomplete: str, names: Iterable[str], ending: str) -> list[str]:
    """The names that are not in a list yet, behind what stands there."""
    before, comma, start = incomplete.rpartition(",")
    given = {part.partition("=")[0].strip() for part in before.split(",")}
    left = [n for n in names if n not in given and n.startswith(start)]
    return [f"{before}{comma}{name}{ending}" for name in left]


COMPLETIONS = {own.__name__: own for own in (operations, topics, practised, variables, values)}  # fmt: skip
"""What a row may name in `completes`."""


class _Command(TyperCommand):
    """A command, with its own help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        name = str(self.name)
        formatter.write(help_of(name, declared.command_of(name)) + "\n")


class _Group(TyperGroup):
    """The program, with its own help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(overview() + "\n")


def for_typer(command: type[declared.Command]) -> Callable[..., int]:
    """A function that runs a command, with the signature that Typer reads."""

    def run(**given: Any) -> int:
        return command(**given).main()

    parameters = [_parameter(name, row) for name, row in declared.rows(command).items()]
    # Typer reads the options from a signature, which is made here from the rows: there are no functions to read
    run.__doc__ = command.__doc__
    run.__annotations__ = {own.name: own.annotation for own in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # of any function
    return run


def _parameter(name: str, row: declared.Row) -> inspect.Parameter:
    """A row as Typer declares it."""
    facts: dict[str, Any] = {"help": row.meaning, "metavar": row.metavar or None}
    if row.kind in (int, float):
        facts |= {"min": row.least, "max": row.most}
    if row.completes:
        facts["autocompletion"] = COMPLETIONS[row.completes]
    how = typer.Option(*declared.names_of(name, row), **facts) if row.is_option else typer.Argument(**facts)  # fmt: skip
    kind: Any = {list: list[str], declared.PATH: pathlib.Path}.get(row.kind, row.kind)
    if row.words:
        kind = Literal[row.words]
    if row.default is None and not row.needed:
        kind = kind | None
    default = inspect.Parameter.empty if row.needed else row.default
    told: Any = {"default": default, "annotation": Annotated[kind, how]}
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, **told)


def application() -> typer.Typer:
    """Every command as Typer runs it."""
    # Typer's help by rich, and its tracebacks by rich, would import rich before it is needed
    plainly: Any = {"rich_markup_mode": None, "pretty_exceptions_enable": False}
    help_ = {"help_option_names": ["-h", "--help"]}
    app = typer.Typer(cls=_Group, name="exprgrad", context_settings=help_, **plainly)
    app.callback(invoke_without_command=True)(exprgrad)
    for name in declared.COMMANDS:
        app.command(name, cls=_Command)(for_typer(declared.command_of(name)))
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
    except Exception as error:
        # the base of Typer's usage errors is not public; they know how to say what is wrong
        describe = getattr(error, "format_message", None)
        # a defect of our own is no usage error, and goes on as it is
        if describe is None:
            raise
        raise UsageError(describe()) from None
    return code if isinstance(code, int) else 0
