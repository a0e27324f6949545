"""A directional derivative, of numbers and of arrays: the value, the direction, and the derivative along it."""

from __future__ import annotations

from collections.abc import Iterator

from exprgrad.annotations import Any, NamedTuple
from exprgrad.expressions import fields
from exprgrad.expressions.fields import (
    cell,
    elements,
    point,
    point_cells,
    shown,
    written,
)
from exprgrad.expressions.higher_orders import Directional
from exprgrad.language.notes import shorten
from exprgrad.sweeps.bounds import UNDECIDED
from exprgrad.views.answers import arrays
from exprgrad.views.blocks import Block, Column, Formula, Heading, Note, Table
from exprgrad.views.formats import Cells, Rows

HEADER = ["name", "value", "seed", "derivative"]


class DirectionalView(NamedTuple):
    """A derivative along a direction, a `Directional` or an `ArrayDirectional`."""

    found: Any
    digits: int

    def blocks(self) -> list[Block]:
        """The value, and the table of the direction with the derivative along it."""
        found, digits = self.found, self.digits
        if isinstance(found, Directional):
            value, slope = (
                shown(found.evaluation, "", digits),
                written(found.slope, digits),
            )
            notes = fields.directional_notes(found, digits)
            at = point(found.at, found.evaluation.given, digits)
            seed = point(found.seed, found.direction, digits)
            rows = [(name, x, seed.get(name, "0")) for name, x in at.items()]
        else:
            value = arrays.text(found.value, digits, found.evaluation.error)
            open_ = [c.variable for c in found.corners if c.kind == "undetermined"]
            slope = arrays.text(found.derivative, digits, found.error, open_)
            if found.derivative is None and open_:
                slope = UNDECIDED
            notes = fields.array_directional_notes(found, digits)
            rows = [
                (name, arrays.text(x, digits), arrays.text(self._seed(name), digits))
                for name, x in found.at.items()
            ]
        numbers = isinstance(found, Directional)
        columns = [
            Column("variable", style="cyan"),
            Column("value", number=numbers, spare=int(not numbers)),
            Column("seed", number=numbers),
        ]
        footer = f"derivative along the seed: {slope}"
        title = shorten(found.expression.title, 60)
        return [
            Heading(
                f"{title} = {value}", Formula((found.expression.root, value), title)
            ),
            *map(Note, notes),
            Table("", columns, rows, footer, found.at),
        ]

    def _seed(self, name: str) -> Any:
        """The direction of a variable; zeros for one that stands still."""
        own = self.found.seed.get(name)
        return self.found.at[name] * 0.0 if own is None else own

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        own: dict[str, Any] = self.found.as_dict(self.digits)
        return own

    def csv(self) -> Rows:
        """The value with the derivative along the direction, then a row per variable, of arrays per element."""
        return HEADER, self._rows()

    def _rows(self) -> Iterator[Cells]:
        found = self.found
        if isinstance(found, Directional):
            yield ["result", cell(found.evaluation.known()), None, cell(found.slope)]
            seed = point_cells(found.seed, found.direction)
            for name, x in point_cells(found.at, found.evaluation.given).items():
                yield [name, x, seed.get(name, 0.0), None]
            return
        pairs = zip(elements(found.value), elements(found.derivative), strict=True)
        for (place, x), (_, slope) in pairs:
            own = x if x == x else None
            yield [f"result{place}", own, None, slope if slope == slope else None]
        for name, value in found.at.items():
            pairs = zip(elements(value), elements(self._seed(name)), strict=True)
            yield from ([f"{name}{p}", x, t, None] for (p, x), (_, t) in pairs)
