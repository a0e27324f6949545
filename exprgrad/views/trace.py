"""The sweeps of an evaluation as tables: a row per node, then a row per edge."""

from __future__ import annotations

from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.trace import Trace, trace
from exprgrad.views.blocks import Block, Column, Note, Table, number


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
