"""Answers of sessions besides those of commands, which are those of commands: records of what was done, each with its document, and hints."""

from __future__ import annotations

from exprgrad.annotations import Any, NamedTuple
from exprgrad.commands.declared import COMMANDS, command_of
from exprgrad.commands.lines import in_session
from exprgrad.errors import Words
from exprgrad.expressions.fields import coordinate_text
from exprgrad.language.notes import shorten
from exprgrad.notation.numbers import number
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.views.blocks import Block, Column, Lines, Note, Table, Wrapped


def _example(name: str) -> str:
    """Return what to type for what is not asked for within an expression."""
    is_command = name in COMMANDS
    return in_session(command_of(name)) if is_command else "x^2 + y^2 = 1; dy/dx = -x/y"


IN_SESSION: Words = {
    "choose_variable": lambda name: f"end with `wrt {name}`",
    "compare_or_give": lambda: (
        "write == to compare; a definition is name = ... or f(x) = ..."
    ),
    "give_value": lambda names, product=None: (
        f"set it first: {names[0]} = 2, or end with `at {names[0]}=2`"
        + (f"; or did you mean {product}?" if product else "")
    ),
    "instead": lambda text, command=None, others=(): (
        text and f"did you mean: {', or: '.join((text, *others))}"
    ),
    "own_command": lambda name: f"there is a command for it, such as: {_example(name)}",
    "subgradient": lambda: "evaluate at a point nearby",
    "uncertain": lambda: ":uncertainty takes uncertain quantities",
    "value_beside": lambda: "end with `at x=3`",
}
"""Kinds of hints that help here; the others name what a session does not have."""


def _fields(result: Any) -> dict[str, Any]:
    """The fields of a result; a number beyond the range of doubles as a text, arrays as lists."""
    own: dict[str, Any] = result._asdict()
    left_out = {name: own.pop(name, None) for name in ("number", "digits", "spare")}
    if left_out["number"] is not None:
        own["value_text"] = written(left_out["number"], 17)
    if hasattr(own.get("value"), "tolist"):
        own["value"] = own["value"].tolist()
    if "results" in own:
        own["results"] = [each.as_dict() for each in own["results"]]
    return own


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

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        return _fields(self)

    def blocks(self) -> list[Block]:
        """The definition with its value."""
        end = ""
        if self.value is not None or self.number is not None:
            value = written(self.number or self.value, self.digits)
            end = f" = {value}" if value != self.formula else ""
        return _defined(self.name, self, end)


class Defined(NamedTuple):
    """A function was defined; see `Bound`."""

    signature: str
    formula: str
    reading: str | None
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        return _fields(self)

    def blocks(self) -> list[Block]:
        """The definition."""
        return _defined(self.signature, self)


def _defined(name: str, own: Bound | Defined, end: str = "") -> list[Block]:
    read = [] if own.reading is None else [f"read as {own.reading}"]
    text = f"{name} = {shorten(own.formula, 200)}{end}"
    return [Lines((text,)), *map(Note, (*read, *own.notes))]


def written(value: Any, digits: int) -> str:
    """A number, an array, or a number beyond the range of doubles."""
    if isinstance(value, Coordinate):
        return coordinate_text(value.double or 0.0, value, digits)
    if isinstance(value, float):
        return number(value, digits)
    from exprgrad.views import arrays

    return arrays.text(value, digits)


class Listed(NamedTuple):
    """A table of names; `empty` is what to say if it has no rows.

    `spare` is the number of a column that a narrow screen may leave out.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = ""
    spare: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        return _fields(self)

    def blocks(self) -> list[Block]:
        """The table, the last column in as many lines as it needs."""
        if not self.rows:
            return [Lines((self.empty,))]
        # the last column has formulas, which alone get long
        last = len(self.titles) - 1
        columns = [
            Column(title, False, int(i == self.spare), "" if i else "cyan", i == last)
            for i, title in enumerate(self.titles)
        ]
        return [Table("", columns, self.rows)]


class Said(NamedTuple):
    """A remark about what was done."""

    text: str

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        return _fields(self)

    def blocks(self) -> list[Block]:
        """The remark."""
        return [Wrapped(tuple(self.text.splitlines()), hang=2)]


class Ran(NamedTuple):
    """The results of the statements in a file."""

    path: str
    results: tuple[Any, ...]

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        return _fields(self)

    def blocks(self) -> list[Block]:
        """Return what they show, and what was loaded."""
        own = [block for each in self.results for block in each.blocks()]
        return [*own, Lines((f"{self.path} is loaded",))]


class Quit(NamedTuple):
    """The session ends."""

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        return _fields(self)

    def blocks(self) -> list[Block]:
        """Nothing."""
        return []
