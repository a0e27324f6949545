"""The commands of the program, as Typer runs them."""

from __future__ import annotations

from typing import Annotated

import typer

from exprgrad import __version__
from exprgrad.cli.batch import batch_command
from exprgrad.cli.check import check_command, same_command
from exprgrad.cli.compare import compare_command
from exprgrad.cli.constructions import (
    critical_command,
    tangent_command,
    taylor_command,
)
from exprgrad.cli.diff import diff_command
from exprgrad.cli.eval import evaluate_command
from exprgrad.cli.fit import fit_command
from exprgrad.cli.minimize import minimize_command
from exprgrad.cli.ops import ops_command
from exprgrad.cli.repl import repl_command
from exprgrad.cli.run import run_command
from exprgrad.errors import INTERRUPTED, ExprgradError, UsageError

# Typer's help by rich, and its tracebacks by rich, would import rich before it is needed.
app = typer.Typer(
    name="exprgrad",
    help="A derivative calculator that shows its work.",
    epilog='Try: exprgrad eval "(a*b+c)^2" --at a=2,b=3,c=1 --trace',
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("eval")(evaluate_command)
app.command("check")(check_command)
app.command("same")(same_command)
app.command("compare")(compare_command)
app.command("diff")(diff_command)
app.command("tangent")(tangent_command)
app.command("taylor")(taylor_command)
app.command("critical")(critical_command)
app.command("batch")(batch_command)
app.command("fit")(fit_command)
app.command("minimize")(minimize_command)
app.command("ops")(ops_command)
app.command("repl")(repl_command)
app.command("run")(run_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"exprgrad {__version__}")
        raise typer.Exit


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
) -> None:
    """A derivative calculator that shows its work; without a command, a session."""
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
        report(
            UsageError(
                describe().rstrip("."),
                hint="exprgrad --help, or exprgrad COMMAND --help",
            )
        )
        return UsageError.exit_code
    return code if isinstance(code, int) else 0
