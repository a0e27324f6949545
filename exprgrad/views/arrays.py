"""Evaluations of arrays: small ones are written out, large ones by shape and norm."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from exprgrad.language.notes import shorten
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number
from exprgrad.views.formats import Cells, Rows, markdown_lines

if TYPE_CHECKING:
    from exprgrad.expressions.expression import ArrayEvaluation

MOST_NUMBERS = 12
"""Elements of an array that is written out."""


def text(value: Any, digits: int) -> str:
    """A number, or an array on one line: its elements, or its shape and norm."""
    if isinstance(value, float | int):
        return number(value, digits)
    if value.size <= MOST_NUMBERS:
        return _nested(value.tolist(), min(digits, 6))
    shape = " x ".join(map(str, value.shape))
    norm = math.sqrt(math.fsum((value * value).ravel().tolist()))
    return f"{shape} numbers, norm {number(norm, min(digits, 6))}"


def _nested(value: Any, digits: int) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_nested(part, digits) for part in value)}]"
    return number(value, digits)


class ArraysView:
    """The value and the gradient of an expression in arrays."""

    def __init__(self, found: ArrayEvaluation, digits: int) -> None:
        self.found, self.digits = found, digits

    def table(self) -> list[Block]:
        """The value, and a table of the gradient."""
        return blocks(self.found, self.digits)

    def json(self) -> dict[str, Any]:
        """The fields; arrays as nested lists."""
        found = self.found
        return {
            "expression": found.expression.title,
            "reading": found.expression.reading,
            "at": found.at,
            "value": found.value,
            "gradient": found.gradient,
            "notes": list(found.expression.notes),
        }

    def csv(self) -> Rows:
        """A row per element: of the result, then of each variable with its partial derivative."""
        return ["name", "value", "partial"], self._elements()

    def _elements(self) -> Iterator[Cells]:
        found = self.found
        yield from ([f"result{p}", x, None] for p, x in elements(found.value))
        for name, value in found.at.items():
            own = None if found.gradient is None else found.gradient.get(name)
            partials = dict(elements(own)) if own is not None else {}
            yield from ([f"{name}{p}", x, partials.get(p)] for p, x in elements(value))

    def markdown(self) -> Iterator[str]:
        """The table of the gradient."""
        return markdown_lines(table(self.found, self.digits))


def blocks(found: ArrayEvaluation, digits: int) -> list[Block]:
    """The value, the table of the gradient, and what was noted about the reading."""
    expression = found.expression
    out: list[Block] = [
        Heading(f"{shorten(expression.title, 60)} = {text(found.value, digits)}")
    ]
    if expression.implicit:
        out.append(Note(f"read as {shorten(expression.reading, 1000)}"))
    out += [Note(note) for note in expression.notes]
    if found.gradient is None:
        some = "sum(...), mean(...) or an element"
        out.append(Note(f"only a single number has a gradient, such as {some}"))
    if found.at:
        out.append(table(found, digits))
    return out


def table(found: ArrayEvaluation, digits: int) -> Table:
    """A row per variable: its name, its value, the partial derivatives in its shape."""
    gradient = found.gradient
    columns = [Column("variable", style="cyan"), Column("value", spare=1)]
    if gradient is None:
        rows: list[tuple[str, ...]] = [
            (n, text(x, digits)) for n, x in found.at.items()
        ]
        return Table("", columns, rows)
    columns.append(Column("partial derivatives", style="bold green"))
    rows = [
        (f"∂/∂{name}", text(found.at[name], digits), text(own, digits))
        for name, own in gradient.items()
    ]
    return Table("", columns, rows)


def elements(value: Any) -> Iterator[tuple[str, float]]:
    """The elements of an array with their places, `[0, 1]`; a number has none."""
    shape = getattr(value, "shape", ())
    if not shape:
        yield "", float(value)
        return
    flat = value.ravel().tolist()
    for i, x in enumerate(flat):
        places, rest = [], i
        for length in reversed(shape):
            places.append(rest % length)
            rest //= length
        yield str(places[::-1]), x
