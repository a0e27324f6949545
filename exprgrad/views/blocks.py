"""The parts that an output is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.notation.numbers import number as number


class Heading(NamedTuple):
    """A line that says what follows."""

    text: str


class Note(NamedTuple):
    """A remark."""

    text: str


class Answer(NamedTuple):
    """A line that belongs to the heading above it."""

    text: str


class Wrapped(NamedTuple):
    """Lines of text that go on below themselves where the screen ends, indented by `hang` more.

    They stand close to the lines above and below them.
    """

    texts: tuple[str, ...]
    hang: int = 4


class Lines(NamedTuple):
    """Lines of text, not wrapped, so that they can be copied whole."""

    texts: tuple[str, ...]


class Styled(NamedTuple):
    """Lines in pieces, each a text with the name of its style.

    They go on below themselves, indented by `hang` more; where it is None, they are not wrapped.
    """

    lines: tuple[tuple[tuple[str, str], ...], ...]
    hang: int | None = 2


class Column(NamedTuple):
    """A column's title, whether it holds numbers, its style, and whether it gives way in a narrow space.

    When a table is too wide, columns with the highest `spare` go first; 0 never goes. A column that `wraps`
    holds words, which then continue on the next line. A column without a single entry is not shown.
    """

    title: str
    number: bool = False
    spare: int = 0
    style: str = ""
    wraps: bool = False


class Table(NamedTuple):
    """A title, columns and rows of text.

    Where the columns that may not go do not fit either, every row becomes a paragraph with the titles
    before the entries.
    """

    title: str
    columns: list[Column]
    rows: Sequence[tuple[str, ...]]
    footer: str = ""


Block = Heading | Answer | Note | Wrapped | Lines | Styled | Table


def cut(
    rows: Sequence[Any],
    most: int,
    more: str,
    head: int,
    write: Callable[[Any], tuple[str, ...]] = tuple,
) -> tuple[list[tuple[str, ...]], str]:
    """The first and the last rows of a long table as cells, `head` of them first, and a note on the others.

    `more` follows the number of those; `write` gives the cells of a row.
    """
    if not most or len(rows) <= most:
        return list(map(write, rows)), ""
    first, last = (list(map(write, own)) for own in (rows[:head], rows[head - most :]))
    blank = ("…", *[""] * (len(last[0]) - 1))
    note = f"({len(rows) - most} of {len(rows)} rows left out{more})"
    return [*first, blank, *last], note
