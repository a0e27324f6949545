"""Results in the formats that people and programs ask for.

A view holds a result. Its `blocks()` are what people see, in each format of `DOCUMENTS`; programs get the fields of
`as_dict()` as JSON, and from `csv()` a header and rows of cells. What only some results have is a method of lines with
the name of its format: `svg()`, `python()`.

`write(view, "csv")` prints one of them; a new format for people is a module with a `document` of blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from exprgrad.annotations import Any
from exprgrad.operations.operation import show
from exprgrad.views import visible
from exprgrad.views.blocks import Block
from exprgrad.views.output import emit, emit_data, show_blocks

Cells = Sequence[str | float | None]
"""A row for programs: texts, numbers, and None for what does not exist."""

Rows = tuple[Sequence[str], Iterable[Cells]]
"""A header and the rows below it."""


DOCUMENTS = {
    "plain": "exprgrad.views.layout",
    "markdown": "exprgrad.views.markdown",
    "latex": "exprgrad.views.tex",
    "html": "exprgrad.views.html",
}
"""The modules that write a document: as the terminal has it, without colour, or marked up."""


def document(blocks: Iterable[Block], format_: str) -> list[str]:
    """The lines of a document in one of `DOCUMENTS`."""
    from importlib import import_module

    return list(import_module(DOCUMENTS[format_]).document(blocks))


def write(view: Any, format_: str) -> None:
    """Print a view, or those of a result, in a format that it offers; an error on the way leaves nothing half printed."""
    if format_ in ("table", "text"):
        show_blocks(view.blocks())
        return
    every = getattr(view, "views", [view])  # each of a result
    for own in every:
        for line in lines_of(own, format_, None if every[1:] else 2):
            (emit_data if format_ == "csv" else emit)(line)


def lines_of(view: Any, format_: str, indent: int | None) -> list[str]:
    """The lines of a view in a format that is not drawn, in JSON so far indented, or one alone."""
    if format_ == "json":
        return [to_json(view.as_dict(), indent)]
    if format_ == "csv":
        return list(csv_lines(view.csv()))
    name = format_.replace("-", "_")
    own = getattr(view, name, None) or getattr(getattr(view, "picture", None), name, None)  # fmt: skip
    found = own() if own else document(view.blocks(), format_)
    return found.splitlines() if isinstance(found, str) else list(found)


def to_json(fields: dict[str, Any], indent: int | None = 2) -> str:
    """One JSON object; floats in full precision, whole numbers as such."""
    import json

    own = _whole(fields)
    text = json.dumps(own, ensure_ascii=False, allow_nan=False, indent=indent)
    return visible.json(text)


def json_line(fields: dict[str, Any]) -> str:
    """The same on one line."""
    return to_json(fields, indent=None)


def _whole(thing: Any) -> Any:
    if isinstance(thing, float):
        # beyond 2^53 not every whole number is a double: 1e300 as an int would show 301 digits, most of them made up
        return int(thing) if thing.is_integer() and abs(thing) < 2**53 else thing
    if isinstance(thing, dict):
        return {key: _whole(value) for key, value in thing.items()}
    if hasattr(thing, "tolist"):
        return _whole(thing.tolist())
    if isinstance(thing, (list, tuple)):
        return [_whole(value) for value in thing]
    return thing


_QUOTED = frozenset('"\r\n')


def csv_lines(table: Rows) -> Iterator[str]:
    """Comma-separated values; floats in full precision, nothing for what does not exist."""
    header, rows = table
    yield csv_line(header)
    yield from map(csv_line, rows)


def csv_line(row: Cells) -> str:
    """A row of comma-separated values."""
    cells = [
        "" if cell is None else cell if isinstance(cell, str) else show(cell)
        for cell in row
    ]
    # a lone empty cell goes to `csv`, too, which writes it as "": readers skip an empty line
    line = ",".join(cells)
    if len(cells) - 1 == line.count(",") > 0 and _QUOTED.isdisjoint(line):
        return line  # nothing stands in quotes, and `csv` is not imported for it
    from exprgrad.data import dialect

    return dialect.line(cells)
