"""What the commands share: how arguments are prepared and read."""

from __future__ import annotations

import sys

from exprgrad.annotations import TYPE_CHECKING, Any, BinaryIO
from exprgrad.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.data.bindings import Bindings


def source_of(expression: Any, file: Path | str | None) -> Any:
    """The text of the expression: an argument, `-` for standard input, or a file; an `Expression` stays as it is."""
    if (expression is None) == (file is None):
        hint = 'in quotes, such as "x^2 sin x"; or --file FILE, or - for standard input'
        raise UsageError("give one expression", hint=hint)
    if expression is not None and not isinstance(expression, str):
        return expression
    if expression is not None and expression != "-":
        return expression[1:] if expression.startswith(" -") else expression
    from exprgrad.data import files

    if file is not None:
        return files.read(file)
    return files.decoded(standard_input().read(files.LARGEST), "standard input")


def text_of(file: Path | str) -> str:
    """The text of a file, or of standard input for `-`; what has several lines is the text itself."""
    if "\n" in str(file):
        return str(file)
    text: str = source_of("-", None) if str(file) == "-" else source_of(None, file)
    return text


def standard_input() -> BinaryIO:
    """The bytes of standard input. Raises `UsageError` where there is none, or no file is opened."""
    from exprgrad.data.files import refuse_unusable

    refuse_unusable("standard input")
    if sys.stdin is None:
        raise UsageError("there is no standard input to read from")
    return sys.stdin.buffer


def table_stream(data: str) -> BinaryIO | None:
    """Standard input, if that is where the table of `--data` comes from; None for a file."""
    if data != "-":
        return None
    if sys.stdin is not None and sys.stdin.isatty():
        hint = "--data FILE, or pipe a table into it"
        raise UsageError("there is no data", hint=hint)
    return standard_input()


def sources(data: str | None, file: Path | None, *points: Bindings) -> list[Path | int]:
    """What a command reads, for what it writes must not replace that; 0 is standard input."""
    from pathlib import Path

    found: list[Path | int] = [Path(path) for given in points for path in given.files]
    found += [] if file is None else [file]
    return found + ([] if data is None else [0 if data == "-" else Path(data)])


def names(lists: list[str] | None) -> list[str] | None:
    """The names in repeated, comma-separated options; None if there are none."""
    if not lists:
        return None
    return [name for text in lists for name in text.replace(",", " ").split()]


def mapping(texts: list[str]) -> dict[str, str]:
    """`v=column`, several in one text if the names of the columns have no commas."""
    found: dict[str, str] = {}
    for text in texts:
        pairs = text.split(",") if text.count("=") > 1 else [text]
        for pair in pairs:
            name, equals, column = (part.strip() for part in pair.partition("="))
            if not (name and equals and column):
                what = f"--map {text!r} does not name a column"
                raise UsageError(what, hint="write --map v=column")
            if name in found:
                what = f"--map gives {name} two columns"
                raise UsageError(what, hint="remove one of them")
            found[name] = column
    return found
