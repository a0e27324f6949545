"""What statements of a session give besides answers: records of what was done, each with its document.

Answers are those of commands: `declared.Result`.
"""

from __future__ import annotations

from exprgrad.annotations import Any, NamedTuple
from exprgrad.expressions.fields import coordinate_text
from exprgrad.language.notes import shorten
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.views.blocks import Block, Column, Lines, Note, Table, Wrapped


class Bound(NamedTuple):
    """A name was given a value, or a formula; its value is None if a variable has none.

    `reading` is the formula fully bracketed, if it contains something that was not typed; `notes` say how
    it was read. `number` is the value beyond the range of doubles; `digits` of either are shown.
    """

    name: str
    formula: str
    value: float | None
    reading: str | None
    notes: tuple[str, ...]
    number: Coordinate | None = None
    digits: int = 10

    def blocks(self) -> list[Block]:
        """The definition with its value."""
        text = f"{self.name} = {shorten(self.formula, 200)}"
        if self.value is not None or self.number is not None:
            value = written(self.number or self.value, self.digits)
            text += f" = {value}" if value != self.formula else ""
        return _defined(text, self.reading, self.notes)


class Defined(NamedTuple):
    """A function was defined; see `Bound`."""

    signature: str
    formula: str
    reading: str | None
    notes: tuple[str, ...]

    def blocks(self) -> list[Block]:
        """The definition."""
        text = f"{self.signature} = {shorten(self.formula, 200)}"
        return _defined(text, self.reading, self.notes)


def _defined(text: str, reading: str | None, notes: tuple[str, ...]) -> list[Block]:
    read = [] if reading is None else [f"read as {reading}"]
    return [Lines((text,)), *map(Note, (*read, *notes))]


def written(value: Any, digits: int) -> str:
    """A number, an array, or a number beyond the range of doubles."""
    from exprgrad.views import arrays

    if isinstance(value, Coordinate):
        return coordinate_text(value.double or 0.0, value, digits)
    return arrays.text(value, digits)


class Listed(NamedTuple):
    """A table of names; `empty` is what to say if it has no rows.

    `spare` is the number of a column that a narrow screen may leave out.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = ""
    spare: int | None = None

    def blocks(self) -> list[Block]:
        """The table, the last column in as many lines as it needs."""
        if not self.rows:
            return [Lines((self.empty,))]
        last = len(self.titles) - 1
        columns = [
            Column(title, False, int(i == self.spare), "" if i else "cyan", i == last)
            for i, title in enumerate(self.titles)
        ]
        return [Table("", columns, self.rows)]


class Said(NamedTuple):
    """A remark about what was done."""

    text: str

    def blocks(self) -> list[Block]:
        """The remark."""
        return [Wrapped(tuple(self.text.splitlines()), hang=2)]


class Ran(NamedTuple):
    """The results of the statements in a file."""

    path: str
    results: tuple[Any, ...]

    def blocks(self) -> list[Block]:
        """What they show, and what was loaded."""
        own = [block for each in self.results for block in each.blocks()]
        return [*own, Lines((f"{self.path} is loaded",))]


class Quit(NamedTuple):
    """The session ends."""

    def blocks(self) -> list[Block]:
        """Nothing."""
        return []
