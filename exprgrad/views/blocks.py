"""The parts that an output is made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from exprgrad.notation.numbers import number as number

if TYPE_CHECKING:
    from exprgrad.graph.value import Value


class Derivative(NamedTuple):
    """A derivative that is to be taken: d/dx of a graph, ∂/∂x where it has `several` variables."""

    root: Value
    wrt: tuple[str, ...]
    several: bool


class Formula(NamedTuple):
    """A formula to be typeset: its sides, each a graph, a derivative, or a number as text.

    `title` is the formula in the text that it belongs to. `end` are words behind it, `spread` the standard uncertainty
    of the last side, `at` the point for which it holds, `conditions` those under which it does, in names that are
    `declared`.
    """

    sides: tuple[Value | Derivative | str, ...]
    title: str = ""
    end: str = ""
    spread: str = ""
    at: Mapping[str, str] = {}
    conditions: Sequence[str] = ()
    declared: Collection[str] = ()
    relation: str = "="


class Heading(NamedTuple):
    """A line that says what follows."""

    text: str
    formula: Formula | None = None


class Note(NamedTuple):
    """A remark; one on how a text was `read` says nothing beside a formula that is typeset."""

    text: str
    read: bool = False


class Answer(NamedTuple):
    """A line that belongs to the heading above it; `table` says the same where formulas are not typeset."""

    text: str
    formula: Formula | None = None
    table: Any = None


class Sentence(NamedTuple):
    """A verdict in a sentence of words and formulas, behind the mark of its status; `named` in words, too.

    It is one of several, `indent`ed for a part, and `apart` from what is above it.
    """

    status: str
    mark: str
    pieces: tuple[str | tuple[str, Formula], ...]
    named: str = ""
    indent: int = 0
    apart: bool = False


class Said(NamedTuple):
    """A paragraph below a sentence: of the kind "note", "remark" or "mistake", or of none.

    `source` is the text that it is about, what that is called, and the place in it; `table` has the numbers in it,
    for formats that set them as one.
    """

    text: str
    kind: str = ""
    source: tuple[str, str, tuple[int, int]] | None = None
    table: Any = None


class Marked(NamedTuple):
    """A line of a solution as it was typed, with its number, its status, the mark of that, and what is said of it.

    The place of a mistake in the line itself is its `span`; `first` is the first line that is wrong.
    """

    number: int
    status: str
    mark: str
    text: str
    span: tuple[int, int] | None
    said: tuple[Said, ...]
    first: bool = False


class Derivation(NamedTuple):
    """The steps to a derivative: as lines of text, and as they were found."""

    lines: tuple[str, ...]
    steps: Iterable[Any]
    hang: int = 2


class Wrapped(NamedTuple):
    """Lines of text that go on below themselves where the screen ends, indented by `hang` more.

    They stand close to the lines above and below them.
    """

    texts: tuple[str, ...]
    hang: int = 4


class Lines(NamedTuple):
    """Lines of text, not wrapped, so that they can be copied whole; or formulas, typeset."""

    texts: tuple[str, ...]
    formulas: tuple[Formula, ...] = ()


class Styled(NamedTuple):
    """Lines in pieces, each a text with the name of its style; or the picture that they draw, as SVG.

    They go on below themselves, indented by `hang` more; where it is None, they are not wrapped.
    """

    lines: tuple[tuple[tuple[str, str], ...], ...]
    hang: int | None = 2
    svg: Callable[[], str] | None = None


class Column(NamedTuple):
    """A column's title, whether it holds numbers, its style, and whether it gives way in a narrow space.

    When a table is too wide, columns with the highest `spare` go first; 0 never goes. A column that `wraps`
    holds words, which then continue on the next line. A column without a single entry is not shown; one that is
    `drawn` with characters only on a terminal.
    """

    title: str
    number: bool = False
    spare: int = 0
    style: str = ""
    wraps: bool = False
    drawn: bool = False


def columns(text: str) -> list[Column]:
    """The columns of a table in words: their titles, and behind a colon what there is to say of each.

    columns("variable: cyan | value: number spare1 | path: wraps")
    """
    found = []
    for own in text.split("|"):
        title, _, said = own.partition(":")
        words, spare = said.split(), int(said.partition("spare")[2][:1] or 0)
        style = " ".join(w for w in words if w in _STYLES)
        number, wraps, drawn = (w in words for w in ("number", "wraps", "drawn"))
        found.append(Column(title.strip(), number, spare, style, wraps, drawn))
    return found


_STYLES = "bold dim cyan blue green yellow".split()
"""The styles of columns."""


class Table(NamedTuple):
    """A title, columns and rows of text.

    Where the columns that may not go do not fit either, every row becomes a paragraph with the titles
    before the entries. Titles and entries of the first column that are one of the `names` are variables.
    """

    title: str
    columns: list[Column]
    rows: Sequence[tuple[str, ...]]
    footer: str = ""
    names: Collection[str] = ()

    def only(self, keep: Collection[int]) -> Table:
        """The table with some of its columns."""
        columns = [self.columns[i] for i in keep]
        rows = [tuple(row[i] for i in keep) for row in self.rows]
        return self._replace(columns=columns, rows=rows)

    @property
    def written(self) -> Table:
        """The table without what is drawn, for formats that are not a terminal."""
        every = enumerate(self.columns)
        return self.only([i for i, column in every if not column.drawn])


def matrix(title: str, rows: Mapping[str, Iterable[str]]) -> Table:
    """A square of numbers, with the same names beside its rows as above its columns."""
    columns = [Column("", style="cyan"), *(Column(name, number=True) for name in rows)]
    return Table(title, columns, [(name, *row) for name, row in rows.items()])


Block: TypeAlias = "Heading | Answer | Note | Sentence | Said | Marked | Derivation | Wrapped | Lines | Styled | Table"

MARKS = {
    # the order counts: LaTeX writes words in place of marks, and for ✓ the first status that has it
    "correct": "✓", "equal": "✓", "incorrect": "✗", "different": "✗", "undecided": "?",
    "partly": "~", "unreadable": "!",
}  # fmt: skip
"""The marks of statuses."""


def judged(status: str, *pieces: str | tuple[str, Formula], named: str = "", indent: int = 0, apart: bool = False) -> Sentence:  # fmt: skip
    """A verdict in a sentence, behind its mark."""
    return Sentence(status, MARKS[status], pieces, named, indent, apart)


LINE_MARKS = {"follows": "✓", "wrong": "✗", "consequent": "↳", "unreadable": "?"}
"""Those of the lines of a solution."""

STYLES = {"✓": "green", "✗": "red", "!": "red", **dict.fromkeys("?~↳", "yellow")}
"""Their colours."""


def cut(
    rows: Sequence[Any], most: int, more: str, head: int, write: Any = tuple
) -> tuple[list[tuple[str, ...]], str]:
    """The first and the last rows of a long table as cells, `head` of them first, and a note on the others.

    `more` follows the number of those; `write` gives the cells of a row.
    """
    if not most or len(rows) <= most:
        return list(map(write, rows)), ""
    # `head - most` is negative, so it counts from the end; with head == most it would be 0, and all rows would follow
    first, last = (list(map(write, own)) for own in (rows[:head], rows[head - most :]))
    blank = ("…", *[""] * (len(last[0]) - 1))
    note = f"({len(rows) - most} of {len(rows)} rows left out{more})"
    return [*first, blank, *last], note
