"""Results in the formats that people and programs ask for.

A view holds a result and has a method for each format that it offers:

    table(), text()                 blocks, for a terminal
    json()                          the fields of one object
    csv()                           a header and rows of cells
    markdown(), latex(), python()   lines

`write(view, "csv")` prints one of them; a new format is a method, and a line of `WRITERS` unless it gives lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from exprgrad.annotations import Any
from exprgrad.operations.operation import show
from exprgrad.views import visible
from exprgrad.views.blocks import Table
from exprgrad.views.output import emit, emit_data, emit_lines, show_blocks

Cells = Sequence[str | float | None]
"""A row for programs: texts, numbers, and None for what does not exist."""

Rows = tuple[Sequence[str], Iterable[Cells]]
"""A header and the rows below it."""


def write(view: object, format_: str) -> None:
    """Print a view in a format that it offers."""
    found = getattr(view, format_)()
    if format_ in WRITERS:
        WRITERS[format_](found)
    else:  # an error on the way leaves nothing half printed
        emit_lines(list(found))


def _emit_data(table: Rows) -> None:
    for line in list(csv_lines(table)):
        emit_data(line)


def to_json(fields: dict[str, Any]) -> str:
    """One JSON object; floats in full precision, whole numbers as such."""
    import json

    text = json.dumps(_whole(fields), ensure_ascii=False, allow_nan=False, indent=2)
    return visible.json(text)


@contextmanager
def in_lines() -> Iterator[None]:
    """Print each JSON object on a line of its own meanwhile."""
    usual = WRITERS["json"]
    WRITERS["json"] = lambda fields: emit(json_line(fields))
    try:
        yield
    finally:
        WRITERS["json"] = usual


def json_line(fields: dict[str, Any]) -> str:
    """The same on one line."""
    import json

    text = json.dumps(_whole(fields), ensure_ascii=False, allow_nan=False)
    return visible.json(text)


def _whole(thing: Any) -> Any:
    if isinstance(thing, float):
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
    line = ",".join(cells)
    if len(cells) - 1 == line.count(",") > 0 and _QUOTED.isdisjoint(line):
        return line  # nothing stands in quotes, and `csv` is not imported for it
    from exprgrad.data import dialect

    return dialect.line(cells)


def markdown_lines(table: Table) -> Iterator[str]:
    """A Markdown table."""
    rule = ["---:" if column.number else "---" for column in table.columns]
    titles = tuple(column.title for column in table.columns)
    every: list[tuple[str, ...]] = [titles, tuple(rule), *table.rows]
    for row in every:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


WRITERS: dict[str, Callable[[Any], None]] = {
    "table": show_blocks,
    "text": show_blocks,
    "json": lambda fields: emit(to_json(fields)),
    "csv": _emit_data,
    "sarif": lambda fields: emit(to_json(fields)),
}
"""How what a view gives for a format is printed; any other is a list of lines."""
