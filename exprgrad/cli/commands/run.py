"""`exprgrad run`: the statements of a file, in batch."""

from __future__ import annotations

from exprgrad.cli.declared import Annotated, Argument, Option


def run_command(
    file: Annotated[
        str,
        Argument(metavar="FILE", help="A file of statements; - reads standard input."),
    ],
    keep_going: Annotated[
        bool, Option("--keep-going", help="Go on after an error.")
    ] = False,
) -> int:
    """Run a file of statements, as a session would."""
    from functools import partial

    from exprgrad.cli.arguments import source_of
    from exprgrad.errors import ExprgradError
    from exprgrad.session.entries import split
    from exprgrad.session.scripts import place
    from exprgrad.session.session import Session
    from exprgrad.views.screen import Screen

    session = Session()
    screen, first = Screen(session, spaced=True), 0
    source = source_of("-", None) if file == "-" else source_of(None, file)
    name = "standard input" if file == "-" else file
    for entry in split(source):
        try:
            result = session.execute(entry)
            code = screen.show(result, entry.quiet, partial(place, name, entry))
        except ExprgradError as error:
            error.message = f"{place(name, entry)}{error.message}"
            screen.report(error)
            code = error.exit_code
        first = first or code
        if screen.ended or (code and not keep_going):
            break
    return first
