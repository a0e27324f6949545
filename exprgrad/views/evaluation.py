"""An evaluation as blocks, and as the fields of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.trace import Trace
from exprgrad.language.notes import shorten
from exprgrad.notation.text import text_length
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number
from exprgrad.views.corners import missing
from exprgrad.views.formats import markdown_lines

LONGEST_READING = 1000
MOST_NOTES = 5
"""Variables that a kind of note names, one by one."""


def blocks(
    evaluation: Evaluation, digits: int, notes: list[str], more: str = ""
) -> list[Block]:
    """The value, the table of partial derivatives, and what was noted about the reading.

    `more` follows the note that a reading is too long to be shown.
    """
    expression = evaluation.expression
    title = f"{shorten(expression.title, 60)} = {number(evaluation.value, digits)}"
    out: list[Block] = [Heading(title)]
    out += [Note(text) for text in (*_reading(expression, more), *notes)]
    if evaluation.gradient:
        out.append(gradient_table(evaluation, digits))
    if evaluation.tangents:
        out.append(Note(sweeps(len(evaluation.gradient))))
    return out


def _reading(expression: Expression, more: str) -> list[str]:
    """How it was read, if not as it was typed."""
    if not expression.implicit:
        return []
    if text_length(expression.root, LONGEST_READING) <= LONGEST_READING:
        return [f"read as {expression.reading}"]
    return [f"the reading is long{more}"]


def reading_notes(expression: Expression, more: str = "") -> list[str]:
    """The same, and what was noted about the reading."""
    return [*_reading(expression, more), *expression.notes]


def sweeps(count: int) -> str:
    """How much work the two modes are for so many variables."""
    ways = "one sweep" if count == 1 else f"{count} sweeps, one per variable"
    return f"forward mode took {ways}; reverse mode takes one for all"


def gradient_table(evaluation: Evaluation, digits: int) -> Table:
    """A row per differentiated variable: its name, its value, the partial derivative."""
    columns = [
        Column("variable", style="cyan"),
        Column("value", number=True, spare=1),
        Column("partial derivative", number=True, style="bold green"),
    ]
    rows = [
        (
            f"∂/∂{name}",
            number(evaluation.at[name], digits),
            "none" if p is None else number(p, digits),
        )
        for name, p in evaluation.gradient.items()
    ]
    return Table("", columns, rows)


def fields(
    evaluation: Evaluation, notes: list[str], traced: Trace | None
) -> dict[str, Any]:
    """The fields of JSON output, in full precision."""
    expression = evaluation.expression
    out: dict[str, Any] = {
        "expression": expression.title,
        "reading": expression.reading,
        "at": evaluation.at,
        "value": evaluation.value,
        "gradient": evaluation.gradient,
        "notes": notes,
    }
    corners = missing(evaluation)
    if corners:
        out["not_differentiable"] = {
            c.variable: {
                "kind": c.kind,
                "operation": c.operation,
                "left": _slope(c.left),
                "right": _slope(c.right),
                "span": c.span,
            }
            for c in corners
        }
    if traced is not None:
        out["trace"] = {
            "forward": [step._asdict() for step in traced.forward],
            "reverse": [step._asdict() for step in traced.reverse],
        }
        if traced.tangents:
            out["trace"]["tangents"] = traced.tangents
    return out


def _slope(slope: float | None) -> float | str | None:
    """JSON has no infinity; an infinite slope is a word there."""
    infinite = {float("inf"): "infinity", -float("inf"): "-infinity"}
    return slope if slope is None else infinite.get(slope, slope)


def edge_notes(evaluation: Evaluation) -> list[str]:
    """A note for every partial that was taken from one side, where the other is not defined."""
    return [
        f"∂/∂{corner.variable} is the slope from the {'left' if corner.right is None else 'right'}; "
        "the other side is not defined"
        for corner in evaluation.corners
        if corner.kind == "edge" and evaluation.gradient[corner.variable] is not None
    ]


def cancellation_notes(evaluation: Evaluation, traced: bool) -> list[str]:
    """A note for every partial whose sum lost digits that show, in ten or in a trace beside it."""
    changed = [
        (name, partial, found, lost)
        for name, (partial, lost) in evaluation.cancelled.items()
        for found in [evaluation.gradient[name] or 0.0]
        if abs(found - partial) > (0 if traced else 1e-10 * abs(found))
    ]
    notes = []
    for name, partial, found, lost in changed[:MOST_NOTES]:
        how = f"in {lost} digits, so it was computed with 50"
        if not found:
            how = f"to 0; rounding alone would leave {partial:.3g}"
        notes.append(f"∂/∂{name}: contributions cancel {how}")
        if traced:
            notes.append(
                f"the trace shows double precision, which gives ∂/∂{name} = {partial:.10g}"
            )
    if len(changed) > MOST_NOTES:
        notes.append(f"and so do those to {len(changed) - MOST_NOTES} more partials")
    return notes


def extra_blocks(extras: dict[str, Any], digits: int) -> list[Block]:
    """Second partial derivatives as a matrix; derivatives by order as a table."""
    out: list[Block] = []
    if "hessian" in extras:
        matrix: dict[str, dict[str, float]] = extras["hessian"]
        columns = [
            Column("", style="cyan"),
            *(Column(f"∂/∂{name}", number=True) for name in matrix),
        ]
        rows = [
            (f"∂/∂{name}", *(number(value, digits) for value in row.values()))
            for name, row in matrix.items()
        ]
        out.append(Table("second partial derivatives", columns, rows))
    if "derivatives" in extras:
        columns = [
            Column("order", number=True, style="cyan"),
            Column("derivative", number=True),
        ]
        values = enumerate(extras["derivatives"])
        out.append(
            Table("", columns, [(str(k), number(value, digits)) for k, value in values])
        )
    return out


def csv_rows(evaluation: Evaluation) -> list[list[str | float | None]]:
    """The value, then a row per differentiated variable."""
    rows: list[list[str | float | None]] = [["result", evaluation.value, None]]
    return rows + [
        [name, evaluation.at[name], partial]
        for name, partial in evaluation.gradient.items()
    ]


def markdown(evaluation: Evaluation, digits: int) -> Iterator[str]:
    """The value as a line, the partial derivatives as a table."""
    yield f"`{evaluation.expression.title}` = {number(evaluation.value, digits)}"
    if evaluation.gradient:
        yield ""
        yield from markdown_lines(gradient_table(evaluation, digits))
