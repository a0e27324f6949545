"""`exprgrad ops`: the operations with their derivative rules."""

from __future__ import annotations

from exprgrad.cli import completing
from exprgrad.cli.declared import Annotated, Argument, Literal, Option

MORE = "exprgrad ops NAME shows more of one: its real domain, its other names"

FormatOption = Annotated[
    Literal["table", "json", "markdown"],
    Option("--format", help="How to write the table."),
]


def ops_command(
    name: Annotated[
        str | None,
        Argument(
            help="The operation to show in full.", autocompletion=completing.operations
        ),
    ] = None,
    format_: FormatOption = "table",
) -> int:
    """List the operations with their derivative rules."""
    from exprgrad.errors import UsageError
    from exprgrad.operations.operation import function_names
    from exprgrad.operations.vocabulary import did_you_mean
    from exprgrad.views.answers.operations import OperationsView, called
    from exprgrad.views.formats import write

    if name is not None and not called(name):
        hint = did_you_mean(name, function_names(), "exprgrad ops lists them all")
        raise UsageError(f"no operation is called {name}", hint=hint)
    write(OperationsView(name, MORE), format_)
    return 0
