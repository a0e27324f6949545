"""An evaluation as blocks, and as the fields of JSON."""

from __future__ import annotations

from typing import Any

from exprgrad.corners import Corner
from exprgrad.errors import NotDifferentiableError
from exprgrad.expression import Evaluation
from exprgrad.reading import shorten
from exprgrad.trace import Trace, trace
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number

LONGEST_READING = 1000


def blocks(evaluation: Evaluation, digits: int, notes: list[str]) -> list[Block]:
    """The value, the table of partial derivatives, and what was noted about the reading."""
    expression = evaluation.expression
    title = f"{shorten(expression.title, 60)} = {number(evaluation.value, digits)}"
    out: list[Block] = [Heading(title)]
    if expression.implicit:
        reading = expression.reading
        if len(reading) > LONGEST_READING:
            reading = f"{reading[:60]}… ({len(reading)} characters; --format json shows them all)"
        out.append(Note(f"read as {reading}"))
    out += [Note(text) for text in notes]
    if evaluation.gradient:
        out.append(gradient_table(evaluation, digits))
    return out


def gradient_table(evaluation: Evaluation, digits: int) -> Table:
    """A row per differentiated variable: its name, its value, the partial derivative."""
    columns = [
        Column("variable", style="cyan"),
        Column("value", number=True),
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
    missing = [c for c in evaluation.corners if evaluation.gradient[c.variable] is None]
    if missing:
        out["not_differentiable"] = {
            c.variable: {
                "kind": c.kind,
                "operation": c.operation,
                "left": _slope(c.left),
                "right": _slope(c.right),
                "span": c.span,
            }
            for c in missing
        }
    if traced is not None:
        out["trace"] = {
            "forward": [step._asdict() for step in traced.forward],
            "reverse": [step._asdict() for step in traced.reverse],
        }
    return out


def _slope(slope: float | None) -> float | str | None:
    """JSON has no infinity; an infinite slope is a word there."""
    infinite = {float("inf"): "infinity", -float("inf"): "-infinity"}
    return slope if slope is None else infinite.get(slope, slope)


def corner_error(corner: Corner, source: str, at: float) -> NotDifferentiableError:
    """The diagnostic for a partial derivative that does not exist."""
    where = f"∂/∂{corner.variable} does not exist at {corner.variable} = {number(at)}"
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
        "isolated": f"{corner.operation} is defined on neither side of this point",
        "undetermined": f"the slope of {corner.operation} leaves it open here",
    }[corner.kind]
    hint = {
        "corner": "--subgradient takes PyTorch's convention",
        "jump": "--subgradient takes PyTorch's convention",
    }.get(corner.kind, "evaluate at a point nearby")
    return NotDifferentiableError(
        f"{where}: {what}{slopes}", corner.span, hint, source=source
    )


def trace_blocks(
    evaluation: Evaluation, which: str, digits: int, most: int
) -> list[Block]:
    """The tables of the forward and the reverse sweep, cut to `most` rows each."""
    traced = trace(evaluation, lambda x: number(x, digits))
    out: list[Block] = []
    if which in ("both", "forward"):
        out.append(_forward(traced, digits, most))
    if which in ("both", "reverse") and evaluation.gradient:
        out.append(_reverse(traced, digits, most))
    return out


def _forward(traced: Trace, digits: int, most: int) -> Table:
    columns = [
        Column("node", style="cyan"),
        Column("formula"),
        Column("numbers", spare=2),
        Column("value", number=True, style="bold"),
        Column("rule", spare=4, style="dim"),
        Column("uses", spare=3, style="yellow"),
    ]
    rows: list[tuple[str, ...]] = [
        (
            step.name,
            step.formula,
            step.numbers,
            "none" if step.value is None else number(step.value, digits),
            step.rule,
            f"used {step.uses} times" if step.uses > 1 else "",
        )
        for step in traced.forward
    ]
    rows, footer = _cut(rows, most)
    return Table(
        "forward sweep: values, from the variables to the result", columns, rows, footer
    )


def _reverse(traced: Trace, digits: int, most: int) -> Table:
    columns = [
        Column("edge", style="cyan"),
        Column("rule", spare=1, style="dim"),
        Column("partial"),
        Column("adjoint × partial"),
        Column("total", number=True, style="bold"),
        Column("part", spare=2, style="yellow"),
    ]
    rows: list[tuple[str, ...]] = [
        (
            f"{step.node} → {step.operand}",
            step.rule,
            step.formula,
            f"{_factor(number(step.adjoint, digits))} × {_factor(number(step.partial, digits))}"
            f" = {number(step.contribution, digits)}",
            number(step.total, digits),
            f"{step.part} of {step.parts}" if step.parts > 1 else "",
        )
        for step in traced.reverse
    ]
    rows, footer = _cut(rows, most)
    leaves = [f"{node} is {name}" for name, node in traced.names.items()]
    more = [", ".join(leaves[:8]) + (", ..." if len(leaves) > 8 else "")]
    if traced.blocked:
        more.append(f"not crossed, at a corner: {', '.join(traced.blocked[:8])}")
    result = traced.forward[-1].name
    title = f"reverse sweep: adjoints, from {result} (seed 1) back to the variables"
    return Table(title, columns, rows, "\n".join([*filter(None, [footer]), *more]))


def _factor(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _cut(rows: list[tuple[str, ...]], most: int) -> tuple[list[tuple[str, ...]], str]:
    """The first and the last rows of a long table, and a note that says what is missing."""
    if not most or len(rows) <= most:
        return rows, ""
    head = most * 2 // 3
    tail = most - head
    gap = len(rows) - most
    blank = ("…", *[""] * (len(rows[0]) - 1))
    cut = [*rows[:head], blank, *rows[-tail:]]
    return cut, f"({gap} of {len(rows)} rows left out: --rows 0 shows all)"
