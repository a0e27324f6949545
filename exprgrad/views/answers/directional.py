"""A directional derivative in every format."""

from __future__ import annotations

from collections.abc import Iterator

from exprgrad.annotations import Any
from exprgrad.expressions.higher_orders import Directional
from exprgrad.language.notes import shorten
from exprgrad.notation.latex import latex
from exprgrad.views import tex
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number
from exprgrad.views.formats import Cells, Rows, markdown_lines
from exprgrad.views.known import cell, digits_notes, shown, written

ONE_SIDE = "the derivative along the seed is taken from one side; the expression is not defined on the other"


class DirectionalView:
    """The value, the direction, and the derivative along it."""

    def __init__(self, found: Directional, digits: int) -> None:
        self.found, self.digits = found, digits

    def table(self) -> list[Block]:
        """The value, and the table of the direction with the derivative along it."""
        return [
            Heading(self._title(shorten(self.found.expression.title, 60))),
            *map(Note, self._notes()),
            self._direction(),
        ]

    def _title(self, text: str) -> str:
        return f"{text} = {shown(self.found.evaluation, '', self.digits)}"

    def _notes(self) -> list[str]:
        """How the expression was read, and which numbers are known to fewer digits than are shown."""
        found = self.found
        numbers = [("the value", found.evaluation.known()), ("the derivative", found.slope)]  # fmt: skip
        edge = found.corner is not None and found.corner.kind == "edge"
        side = [ONE_SIDE] if edge else []
        return [*found.expression.notes, *side, *digits_notes(numbers, self.digits)]

    def _direction(self) -> Table:
        found, digits = self.found, self.digits
        columns = [
            Column("variable", style="cyan"),
            Column("value", number=True),
            Column("seed", number=True),
        ]
        rows: list[tuple[str, ...]] = [
            (name, number(value, digits), number(found.seed.get(name, 0.0), digits))
            for name, value in found.at.items()
        ]
        slope = written(found.slope, digits)
        return Table("", columns, rows, f"derivative along the seed: {slope}")

    def json(self) -> dict[str, Any]:
        """The fields, in full precision."""
        found = self.found
        value = found.evaluation.known()
        out: dict[str, Any] = {
            "expression": found.expression.title,
            "reading": found.expression.reading,
            "at": found.at,
            "seed": found.seed,
            "value": found.value,
            "derivative": found.derivative,
            "notes": self._notes(),
        }
        for key, known in (("", value), ("derivative_", found.slope)):
            if known.value is not None:
                out[f"{key}error"] = known.error
            elif known.middle is not None:
                out[f"{key or 'value_'}text"] = known.decimal()
        return out

    def csv(self) -> Rows:
        """The value with the derivative along the direction, then a row per variable."""
        found = self.found
        rows: list[Cells] = [
            [name, value, found.seed.get(name, 0.0)] for name, value in found.at.items()
        ]
        header = ["name", "value", "seed", "derivative"]
        result: Cells = [
            "result",
            cell(found.evaluation.known()),
            None,
            cell(found.slope),
        ]
        return header, [result, *([*row, None] for row in rows)]

    def markdown(self) -> Iterator[str]:
        """The value as a line, the direction as a table, the derivative as a line."""
        direction = self._direction()
        yield self._title(f"`{self.found.expression.title}`")
        yield ""
        yield from markdown_lines(direction)
        yield ""
        yield direction.footer

    def latex(self) -> Iterator[str]:
        """The value as a formula, the direction as a table, the derivative along it."""
        found = self.found
        value = shown(found.evaluation, "", self.digits)
        yield rf"\[ {latex(found.expression.root)} = {tex.value(value)} \]"
        yield from tex.tabular(self._direction()._replace(footer=""), found.at)
        yield ""
        slope = tex.cell(written(found.slope, self.digits))
        yield f"The derivative along the seed: {slope}."
        yield from tex.notes(self._notes())
