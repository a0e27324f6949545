"""A comparison of methods in every format."""

from __future__ import annotations

from exprgrad.annotations import Any, NamedTuple
from exprgrad.expressions.comparison import Comparison
from exprgrad.expressions.fields import point
from exprgrad.language.notes import shorten
from exprgrad.sweeps.bounds import DIGITS
from exprgrad.views.blocks import Block, Column, Formula, Heading, Note, Table


class ComparisonView(NamedTuple):
    """The methods side by side; without `times`, which differ from run to run, if that is wanted."""

    found: Comparison
    times: bool = True

    def blocks(self) -> list[Block]:
        """The point, the table, and how large the formulas are."""
        found = self.found
        at = point(found.at, found.given, DIGITS)
        told = ", ".join(f"{name} = {x}" for name, x in at.items())
        sizes = [f"∂/∂{name} {size}" for name, size in found.formula_sizes.items()]
        more = f" and {len(sizes) - 8} more" if len(sizes) > 8 else ""
        operations = "1 operation" if found.size == 1 else f"{found.size} operations"
        notes = [
            f"the expression has {operations}, its symbolic derivatives have: {', '.join(sizes[:8])}{more}",
            "reverse mode gets all partials from one sweep; the other methods need their work once "
            "for each variable",
        ]
        # in a session the text may name the point itself
        text = found.expression.title.partition(" at ")[0]
        return [
            Heading(
                f"{shorten(text, 50)} at {told}",
                Formula((found.expression.root,), text, at=at),
            ),
            methods_table(found, self.times),
            *map(Note, notes if len(sizes) > 1 else notes[:1]),
        ]

    def as_dict(self) -> dict[str, Any]:
        """The fields of the comparison."""
        return self.found.as_dict()


def methods_table(found: Comparison, times: bool) -> Table:
    """A row per method; those of one variable, where there are several, below a row with its name."""
    columns = [
        Column("method", style="cyan"),
        Column("derivative", number=True, style="bold"),
        Column("error", number=True),
        Column("evaluations", number=True, spare=2),
        Column("nodes", number=True, spare=1),
        Column("µs", number=True, style="dim", spare=3),
    ][: 6 if times else 5]
    rows: list[tuple[str, ...]] = []
    several, variable = len(found.at) > 1, None
    for m in found.methods:
        if several and m.variable != variable:
            rows.append((f"∂/∂{m.variable}", *[""] * (len(columns) - 1)))
        variable = m.variable
        cells = (
            m.name,
            "none" if m.value is None else f"{m.value:.15g}",
            m.error_text if m.error is None else f"{m.error:.0e}" if m.error else "0",
            str(m.evaluations) if m.evaluations else "",
            str(m.nodes),
            f"{m.seconds * 1e6:.0f}",
        )
        rows.append(cells[: len(columns)])
    return Table("", columns, rows, "errors are relative to a reference of 50 digits")
