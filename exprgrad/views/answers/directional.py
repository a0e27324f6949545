"""A directional derivative in every format, of numbers and of arrays."""

from __future__ import annotations

from collections.abc import Iterator

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.expressions.higher_orders import Directional
from exprgrad.language.notes import shorten
from exprgrad.sweeps.bounds import UNDECIDED
from exprgrad.views.answers import arrays
from exprgrad.views.answers.arrays import elements
from exprgrad.views.answers.corners import corner_fields, edge_note, edge_notes
from exprgrad.views.blocks import Block, Column, Formula, Heading, Note, Table
from exprgrad.views.formats import Cells, Rows
from exprgrad.views.known import (
    cell,
    digits_notes,
    point,
    point_cells,
    point_fields,
    shown,
    text_of,
    written,
)

if TYPE_CHECKING:
    from exprgrad.expressions.directions import ArrayDirectional
    from exprgrad.sweeps.corners import Corner

ALONG = "derivative along the seed"

ONE_SIDE = "the derivative along the seed is taken from one side; the expression is not defined on the other"


class _View:
    """The value, the direction, and the derivative along it; of numbers or arrays."""

    def __init__(self, found: Any, digits: int) -> None:
        self.found, self.digits = found, digits

    def blocks(self) -> list[Block]:
        """The value, and the table of the direction with the derivative along it."""
        expression, value = self.found.expression, self._value()
        title = shorten(expression.title, 60)
        formula = Formula((expression.root, value), title)
        return [
            Heading(f"{title} = {value}", formula),
            *map(Note, self._notes()),
            self._direction()._replace(names=self.found.at),
        ]

    def _value(self) -> str:
        raise NotImplementedError

    def _slope(self) -> str:
        raise NotImplementedError

    def _notes(self) -> list[str]:
        raise NotImplementedError

    def _direction(self) -> Table:
        raise NotImplementedError


class DirectionalView(_View):
    """The value, the direction, and the derivative along it."""

    found: Directional

    def _value(self) -> str:
        return shown(self.found.evaluation, "", self.digits)

    def _slope(self) -> str:
        return written(self.found.slope, self.digits)

    def _notes(self) -> list[str]:
        """How the expression was read, and which numbers are known to fewer digits than are shown."""
        found = self.found
        numbers = [("the value", found.evaluation.known()), ("the derivative", found.slope)]  # fmt: skip
        edge = found.corner is not None and found.corner.kind == "edge"
        side = [ONE_SIDE] if edge else []
        inner = edge_notes(found.evaluation)
        short = digits_notes(numbers, self.digits)
        return [*found.expression.notes, *inner, *side, *short]

    def _direction(self) -> Table:
        found, digits = self.found, self.digits
        columns = [
            Column("variable", style="cyan"),
            Column("value", number=True),
            Column("seed", number=True),
        ]
        seed = point(found.seed, found.direction, digits)
        rows: list[tuple[str, ...]] = [
            (name, value, seed.get(name, "0"))
            for name, value in point(found.at, found.evaluation.given, digits).items()
        ]
        return Table("", columns, rows, f"{ALONG}: {self._slope()}")

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        found = self.found
        given = found.evaluation.given
        out: dict[str, Any] = {
            "expression": found.expression.title,
            "reading": found.expression.reading,
            **point_fields(found.at, given),
            **point_fields(found.seed, found.direction, "seed"),
            "value": found.value,
            "derivative": found.derivative,
            "notes": self._notes(),
        }
        numbers = {"value": found.evaluation.known(), "derivative": found.slope}
        for key, known in numbers.items():
            if known.value is not None:
                out["error" if key == "value" else f"{key}_error"] = known.error
            if text := text_of(known, self.digits):
                out[f"{key}_text"] = text
        return out

    def csv(self) -> Rows:
        """The value with the derivative along the direction, then a row per variable."""
        found = self.found
        at = point_cells(found.at, found.evaluation.given)
        seed = point_cells(found.seed, found.direction)
        rows: list[Cells] = [
            [name, value, seed.get(name, 0.0)] for name, value in at.items()
        ]
        header = ["name", "value", "seed", "derivative"]
        result: Cells = [
            "result",
            cell(found.evaluation.known()),
            None,
            cell(found.slope),
        ]
        return header, [result, *([*row, None] for row in rows)]


class ArrayDirectionalView(_View):
    """The value, the direction, and the derivative along it, where any of them is an array."""

    found: ArrayDirectional

    def _value(self) -> str:
        found = self.found
        return arrays.text(found.value, self.digits, found.evaluation.error)

    def _notes(self) -> list[str]:
        """How it was read, which slopes are one-sided, and which numbers are known to fewer digits than are shown."""
        found = self.found
        own = {
            "the value": (found.value, found.evaluation.error),
            "the derivative": (found.derivative, found.error),
        }
        short = arrays.short_of_digits(own, self.digits)
        inner = edge_notes(found.evaluation)
        return [*found.expression.notes, *inner, *self._one_sided(), *short]

    def _one_sided(self) -> Iterator[str]:
        for corner in self.found.corners:
            if corner.kind == "edge":
                of = f" of element {corner.variable}" if corner.variable else ""
                yield edge_note(f"the derivative{of} along the seed", corner)

    def _direction(self) -> Table:
        found, digits = self.found, self.digits
        columns = [
            Column("variable", style="cyan"),
            Column("value", spare=1),
            Column("seed"),
        ]
        rows: list[tuple[str, ...]] = [
            (name, arrays.text(value, digits), arrays.text(self._seed(name), digits))
            for name, value in found.at.items()
        ]
        return Table("", columns, rows, f"{ALONG}: {self._slope()}")

    def _seed(self, name: str) -> Any:
        """The direction of a variable; zeros for one that stands still."""
        if name in self.found.seed:
            return self.found.seed[name]
        return self.found.at[name] * 0.0

    def _slope(self) -> str:
        found = self.found
        open_ = [c.variable for c in found.corners if c.kind == "undetermined"]
        if found.derivative is None and open_:
            return UNDECIDED
        return arrays.text(found.derivative, self.digits, found.error, open_)

    def as_dict(self) -> dict[str, Any]:
        """The fields; arrays as nested lists, null for what does not exist."""
        found = self.found
        out: dict[str, Any] = {
            "expression": found.expression.title,
            "reading": found.expression.reading,
            "at": found.at,
            "seed": found.seed,
            "value": arrays.finite(found.value),
            "derivative": arrays.finite(found.derivative),
            "notes": self._notes(),
            "error": arrays.finite(found.evaluation.error),
            "derivative_error": arrays.finite(found.error),
        }
        corners = [
            c._replace(variable=f"result{c.variable}")
            for c in missing_along(found, True)
        ]
        if corners:
            out["not_differentiable"] = corner_fields(corners)
        return out

    def csv(self) -> Rows:
        """The elements of the value with those of the derivative, then a row per element of each variable."""
        header = ["name", "value", "seed", "derivative"]
        return header, self._elements()

    def _elements(self) -> Iterator[Cells]:
        found = self.found
        pairs = zip(elements(found.value), elements(found.derivative), strict=True)  # fmt: skip
        for (place, x), (_, slope) in pairs:
            own = x if x == x else None
            yield [f"result{place}", own, None, slope if slope == slope else None]
        for name, value in found.at.items():
            pairs = zip(elements(value), elements(self._seed(name)), strict=True)  # fmt: skip
            yield from ([f"{name}{p}", x, t, None] for (p, x), (_, t) in pairs)


def missing_along(found: Any, arrays: bool) -> list[Corner]:
    """The corners at which there is no derivative along the direction; of arrays, by their places in the result."""
    if not arrays:
        return [c for c in [found.corner] if c is not None and c.kind != "edge"]
    slopes = dict(elements(found.derivative))
    return [c for c in found.corners if slopes[c.variable] != slopes[c.variable]]
