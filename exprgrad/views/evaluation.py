"""An evaluation as blocks, and as the fields of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exprgrad.errors import Hint, NotDifferentiableError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.trace import Trace, trace
from exprgrad.language.notes import shorten
from exprgrad.notation.text import text_length
from exprgrad.sweeps.corners import Corner
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number
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


def missing(evaluation: Evaluation) -> list[Corner]:
    """The corners at which a partial derivative does not exist."""
    return [c for c in evaluation.corners if evaluation.gradient[c.variable] is None]


def corner_error(
    corner: Corner, source: str, at: float | None, subgradient: bool = False
) -> NotDifferentiableError:
    """The diagnostic for a partial derivative that does not exist, or one along a direction."""
    where = "the derivative along this direction does not exist"
    if at is not None:
        where = (
            f"∂/∂{corner.variable} does not exist at {corner.variable} = {number(at)}"
        )
    sides = [
        f"{number(slope)} from the {side}"
        if abs(slope) != float("inf")
        else f"infinite from the {side}"
        for side, slope in (("left", corner.left), ("right", corner.right))
        if slope is not None
    ]
    slopes = f"; the slope is {' and '.join(sides)}" if sides else ""
    what = {
        "corner": f"{corner.operation} has a corner here",
        "vertical": f"{corner.operation} is infinitely steep here",
        "jump": f"{corner.operation} jumps here",
        "isolated": "the expression is defined on neither side of this point",
        "undetermined": f"what {corner.operation} does here leaves it open",
    }.get(corner.kind, corner.kind)
    hint = "evaluate at a point nearby"
    if corner.kind in ("corner", "jump") and at is not None and not subgradient:
        hint = Hint("subgradient")
    return NotDifferentiableError(
        f"{where}: {what}{slopes}", corner.span, hint, source=source
    )


def trace_blocks(
    evaluation: Evaluation,
    which: str,
    digits: int,
    most: int,
    more: str = "",
) -> list[Block]:
    """The tables of the forward and the reverse sweep, cut to `most` rows each.

    `more` follows the note on the rows that are left out.
    """
    traced = trace(evaluation, lambda x: number(x, digits))
    if not traced.forward:
        return [Note("there is nothing to trace: the expression is a number")]
    out: list[Block] = []
    if which in ("both", "forward"):
        out.append(_forward(traced, digits, most, more))
    backward = which == "reverse" or (which == "both" and not evaluation.tangents)
    if backward and evaluation.gradient:
        out.append(_reverse(traced, digits, most, more))
    return out


def _forward(traced: Trace, digits: int, most: int, more: str) -> Table:
    columns = [
        Column("node", style="cyan"),
        Column("formula"),
        Column("numbers", spare=2),
        Column("value", number=True, style="bold"),
        *(Column(f"∂/∂{name}", number=True, style="green") for name in traced.tangents),
        Column("rule", spare=4, style="dim"),
        Column("uses", spare=3, style="yellow"),
    ]
    rows: list[tuple[str, ...]] = [
        (
            step.name,
            step.formula,
            step.numbers,
            "none" if step.value is None else number(step.value, digits),
            *(
                number(tangents[step.name], digits)
                for tangents in traced.tangents.values()
            ),
            step.rule,
            f"used {step.uses} times" if step.uses > 1 else "",
        )
        for step in traced.forward
    ]
    rows, footer = _cut(rows, most, more)
    what = "values and tangents" if traced.tangents else "values"
    return Table(
        f"forward sweep: {what}, from the variables to the result",
        columns,
        rows,
        footer,
    )


def _reverse(traced: Trace, digits: int, most: int, hint: str) -> Table:
    columns = [
        Column("edge", style="cyan"),
        Column("rule", spare=4, style="dim"),
        Column("partial", spare=3),
        Column("adjoint × partial", spare=2),
        Column("total", number=True, style="bold"),
        Column("part", spare=5, style="yellow"),
    ]
    rows: list[tuple[str, ...]] = [
        (
            f"{step.node} → {step.operand}",
            step.rule,
            step.formula,
            f"{factor(number(step.adjoint, digits))} × {factor(number(step.partial, digits))}"
            f" = {number(step.contribution, digits)}",
            number(step.total, digits),
            f"{step.part} of {step.parts}" if step.parts > 1 else "",
        )
        for step in traced.reverse
    ]
    rows, footer = _cut(rows, most, hint)
    leaves = [f"{node} is {name}" for name, node in traced.names.items()]
    more = [", ".join(leaves[:8]) + (", ..." if len(leaves) > 8 else "")]
    if traced.blocked:
        more.append(f"not crossed, at a corner: {', '.join(traced.blocked[:8])}")
    result = traced.forward[-1].name
    title = f"reverse sweep: adjoints, from {result} (seed 1) back to the variables"
    return Table(title, columns, rows, "\n".join([*filter(None, [footer]), *more]))


def factor(text: str) -> str:
    """A number as a factor: a negative one in brackets."""
    return f"({text})" if text.startswith("-") else text


def _cut(
    rows: list[tuple[str, ...]], most: int, more: str
) -> tuple[list[tuple[str, ...]], str]:
    """The first and the last rows of a long table, and a note that says what is missing."""
    if not most or len(rows) <= most:
        return rows, ""
    head = most * 2 // 3
    tail = most - head
    gap = len(rows) - most
    blank = ("…", *[""] * (len(rows[0]) - 1))
    cut = [*rows[:head], blank, *rows[-tail:]]
    return cut, f"({gap} of {len(rows)} rows left out{more})"
