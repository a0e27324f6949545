"""An error as people read it: the message, the source line with a caret, the fix."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from exprgrad.annotations import Any
from exprgrad.errors import ExprgradError, Span
from exprgrad.language.notes import shorten
from exprgrad.views import visible
from exprgrad.views.layout import width_of
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
        emit_styled([(" " * under + text.pop(2)[2:], "error")], sys.stderr)
        text.pop(1)
    head, *more = _folded(text[0], width) if seen else text[:1]
    if seen:
        text = [part for line in text for part in _folded(line, width)]
    head = head.removeprefix("error: ")
    emit_styled([("error:", "error"), (f" {head}", "bold")], sys.stderr)
    for line in more:
        emit_styled([(line, "bold")], sys.stderr)
    for line in text[1 + len(more) :]:
        style = "error" if set(line) <= {" ", "^"} else ""
        emit_styled([(line, style)], sys.stderr)


def _folded(line: str, width: int) -> list[str]:
    """A message or a hint on a narrow terminal; the source and its caret stay as they are."""
    if not line.startswith(("error:", "  hint:")) or width_of(line) <= width:
        return [line]
    import textwrap

    indent = "  hint: " if line.startswith("  hint:") else "  "
    return textwrap.wrap(line, width, subsequent_indent=" " * len(indent))


LONGEST_MESSAGE = 1000
"""Characters of a message that are shown; what was typed may be part of it."""


def describe(
    error: ExprgradError, width: int = 80, encoding: str = "utf-8"
) -> Iterator[str]:
    """The lines of a diagnostic, without colour, the source as a stream of that encoding can show it."""
    message = str(error.message)
    if len(message) > LONGEST_MESSAGE:
        half = LONGEST_MESSAGE // 2
        message = f"{message[:half]}…{message[-half:]}"
    yield f"error: {message}"
    if error.source and error.span:
        line, column, length = _locate(error.source, *error.span)
        # where the line comes from, and its number after the first
        row = error.source.count("\n", 0, error.span[0])
        origin = shorten(error.origin or ("line" if row else ""), width // 2 - 8)
        label = f"  {origin}{f' {row + 1}:' if row else ''} " if origin else "  "
        yield from _excerpt(line, column, length, width - 4, label, encoding)
    if error.hint:
        yield f"  hint: {error.hint}"


def fields(error: ExprgradError) -> dict[str, Any]:
    """A diagnostic for programs; `span` are places in `source`."""
    return {
        "error": error.message,
        "exit_code": error.exit_code,
        "source": error.source,
        "span": error.span,
        "origin": error.origin,
        "hint": None if error.hint is None else str(error.hint),
    }


def excerpt(source: str, span: Span, width: int) -> Iterator[str]:
    """The line of a text that a span begins in, and carets below the span."""
    line, column, length = _locate(source, *span)
    yield from _excerpt(line, column, length, width, "")


def _locate(source: str, start: int, end: int) -> tuple[str, int, int]:
    """The line that the span begins in, the column there, and how far the span goes on it."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", start)
    last = len(source) if last < 0 else last
    return source[first:last], start - first, max(1, min(end, last) - start)


def _excerpt(
    line: str, column: int, length: int, width: int, label: str, encoding: str = "utf-8"
) -> Iterator[str]:
    """The line and the caret line; a long line is cut to the part around the span."""
    room = max(20, width - len(label)) // (1 if line.isascii() else 2)
    left = right = ""
    if len(line) > room:
        begin = max(0, min(column - room // 3, len(line) - room))
        left, right = "…" * (begin > 0), "…" * (begin + room < len(line))
        line = line[begin : begin + room]
        column -= begin
    line = visible.line("".join(" " if c.isspace() else c for c in line))
    length = max(1, min(length, len(line) - column))
    end = column + length
    pieces = (f"{label}{left}{line[:column]}", line[column:end], f"{line[end:]}{right}")
    before, marked, after = (visible.encodable(text, encoding) for text in pieces)
    yield f"{before}{marked}{after}"
    yield " " * width_of(before) + "^" * max(1, width_of(marked))
