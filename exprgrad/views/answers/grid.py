"""Evaluations at many points, in every format."""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.data.grid import GridPoint
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.fields import (
    MOST_NOTES,
    NONE,
    cell,
    edge_notes,
    evaluation_texts,
    missing,
    point,
    point_cells,
    point_fields,
    point_text,
    shown,
)
from exprgrad.views.answers.corners import corner_error
from exprgrad.views.answers.evaluation import reading_notes
from exprgrad.views.blocks import Block, Column, Formula, Heading, Note, Table, cut
from exprgrad.views.formats import Cells, Rows


class GridView(NamedTuple):
    """A row per point: the variables that vary, the value, the partial derivatives.

    `varying` are the variables that vary, `wrt` those whose partial derivatives are shown. A table has
    `most` rows; `more` follows the number of those that are left out.
    """

    expression: Expression
    varying: Sequence[str]
    wrt: Sequence[str]
    points: list[GridPoint]
    digits: int
    most: int
    more: str = ""

    @property
    def title(self) -> str:
        """What was typed."""
        return self.expression.title

    def blocks(self) -> list[Block]:
        """The expression, and a table of the points."""
        own = self.expression
        notes = [*reading_notes(own), *map(Note, (*own.notes, *self._edges()))]
        return [
            Heading(own.title, Formula((own.root,), own.title)),
            *notes,
            self._points(),
        ]

    def _edges(self) -> list[str]:
        """Where partials were taken from one side."""
        found = [
            f"at {point_text(self._varied(row), row.given, self.digits)}, {note}"
            for row in self.points
            if row.evaluation is not None
            for note in edge_notes(row.evaluation)
        ]
        more = len(found) - MOST_NOTES
        return found[:MOST_NOTES] + [f"and so with {more} more"] * (more > 0)

    def _varied(self, row: GridPoint) -> dict[str, float]:
        """The coordinates of a row that vary."""
        return {name: row.at[name] for name in self.varying}

    def _points(self) -> Table:
        rows, most = self.points, self.most
        partials = self.wrt if any(row.evaluation for row in rows) else ()
        columns = [
            *(Column(name, number=True, style="cyan") for name in self.varying),
            Column("value", number=True, style="bold"),
            *(Column(f"∂/∂{name}", number=True, style="green") for name in partials),
        ]

        def cells(row: GridPoint) -> tuple[str, ...]:
            found, digits = row.evaluation, self.digits
            own = point(self._varied(row), row.given, digits).values()
            if found is None:
                return (*own, *[NONE] * (1 + len(partials)))
            return (*own, *(shown(found, name, digits) for name in ("", *partials)))

        return Table(
            "", columns, *cut(rows, most, self.more, most // 2, cells), self.varying
        )

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        rows = []
        for row in self.points:
            found, error = row.evaluation, problem(row)
            fields = {
                **point_fields(row.at, row.given),
                "value": found.value if found else None,
                "gradient": found.gradient if found else None,
                "error": error.message if error else None,
            }
            texts = evaluation_texts(found, self.digits) if found else {}
            rows.append(fields | texts)
        return {
            "expression": self.expression.title,
            "reading": self.expression.reading,
            "notes": [*self.expression.notes, *self._edges()],
            "rows": rows,
        }

    def csv(self) -> Rows:
        """The variables that vary, the value, the partial derivatives, and what is wrong."""
        partials = [f"d_{name}" for name in self.wrt]
        header = [*self.varying, "value", *partials, "error"]

        def cells(row: GridPoint) -> Cells:
            found, error = row.evaluation, problem(row)
            place = point_cells(self._varied(row), row.given).values()
            names = ("", *self.wrt)
            numbers = [cell(found.known(name)) if found else None for name in names]
            return [*place, *numbers, error.message if error else ""]

        return header, map(cells, self.points)

    @property
    def problems(self) -> list[ExprgradError]:
        """What is wrong at the points where something is."""
        return list(filter(None, map(problem, self.points)))


def problem(row: GridPoint) -> ExprgradError | None:
    """Why a row lacks its value or a partial derivative, if it does."""
    if row.evaluation is None:
        return row.error
    found = row.evaluation
    for corner in missing(found):
        at = found.at[corner.variable]
        return corner_error(corner, found.expression.source, at, found.subgradient)
    return None
