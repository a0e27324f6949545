"""`exprgrad run`: the statements of a file, in batch."""

from __future__ import annotations

from exprgrad.commands import declared as row


class Run(row.Command):
    """Run a file of statements, as a session would."""

    example = "exprgrad run work.eg"
    pages = "sessions"
    outside = "`:load FILE` runs a file here"

    file: str = row.argument("A file of statements; - reads standard input.", "FILE", needed=True)  # fmt: skip
    keep_going: bool = row.flag("Go on after an error.")

    def main(self) -> int:
        """Execute the statements, to the first error or to the end."""
        from functools import partial

        from exprgrad.commands.arguments import text_of
        from exprgrad.errors import ExprgradError
        from exprgrad.session.entries import split
        from exprgrad.session.screen import Screen
        from exprgrad.session.scripts import place
        from exprgrad.session.session import Session

        session = Session()
        screen, first = Screen(session, spaced=True), 0
        source = text_of(self.file)
        name = "standard input" if self.file == "-" else self.file
        for entry in split(source):
            try:
                result = session.execute(entry)
                code = screen.show(result, entry.quiet, partial(place, name, entry))
            except ExprgradError as error:
                error.message = f"{place(name, entry)}{error.message}"
                screen.report(error)
                code = error.exit_code
            first = first or code
            if screen.ended or (code and not self.keep_going):
                break
        return first
