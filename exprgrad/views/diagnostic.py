"""An error as people read it: the message, the source line with a caret, the fix."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from exprgrad.annotations import Any
from exprgrad.errors import ExprgradError
from exprgrad.language.notes import shorten
from exprgrad.views import visible
from exprgrad.views.layout import excerpt_lines, folded, located
from exprgrad.views.output import columns, emit_styled


def report(error: ExprgradError, under: int | None = None) -> None:
    """Print a diagnostic on standard error.

    With `under`, the source was just typed that many columns from the left: the caret goes below it.
    """
    seen = sys.stderr is not None and sys.stderr.isatty()
    width = columns() if seen else 80
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    text = [visible.line(line) for line in describe(error, width, encoding)]
    if under is not None and error.source and error.span:
        # of message, source and caret, the caret comes first, right below the source on the screen, which is left out
        emit_styled([(" " * under + text.pop(2)[2:], "error")])
        text.pop(1)
    for i, line in enumerate(text):
        styled = [("error:", "error"), (line.removeprefix("error:"), "bold")]
        if i:
            styled = [(line, "error" if set(line) <= {" ", "^"} else "")]
        # lines in a file stay whole: there one searches for them. So do commands, to be copied, and the source above its caret
        is_told = line.startswith(("error:", "  hint:")) and "exprgrad " not in line
        folds = seen and is_told
        for part in folded(styled, width, 6 if i else 2) if folds else [styled]:
            emit_styled(part)


LONGEST_MESSAGE = 1000
"""Characters of a message that are shown; what was typed may be part of it."""


def describe(
    error: ExprgradError, width: int = 80, encoding: str = "utf-8"
) -> Iterator[str]:
    """The lines of a diagnostic, without colour, the source as a stream of that encoding can show it."""
    message = str(error.message)
    if len(message) > LONGEST_MESSAGE:
        # what makes a message long is a text that was typed, and that mostly stands in its middle
        half = LONGEST_MESSAGE // 2
        message = f"{message[:half]}…{message[-half:]}"
    yield f"error: {message}"
    if error.source and error.span:
        line, column, length = located(error.source, *error.span)
        # where the line comes from, and its number after the first
        row = error.source.count("\n", 0, error.span[0])
        origin = shorten(error.origin or ("line" if row else ""), width // 2 - 8)
        label = f"  {origin}{f' {row + 1}:' if row else ''} " if origin else "  "
        yield from excerpt_lines(line, column, length, width - 4, label, encoding)
    if error.hint:
        yield from f"  hint: {error.hint}".replace("\n", f"\n{' ' * 8}").splitlines()


def fields(error: ExprgradError) -> dict[str, Any]:
    """A diagnostic for programs; `span` are places in `source`."""
    names = "exit_code", "source", "span", "origin"
    own = {"error": error.message, **{name: getattr(error, name) for name in names}}
    return {**own, "hint": None if error.hint is None else str(error.hint)}
