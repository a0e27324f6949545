"""The operation table as people read it: `exprgrad ops` and the README."""

from __future__ import annotations

from exprgrad import operations
from exprgrad.graph import Value, node
from exprgrad.operation import TABLE, Operation
from exprgrad.trace import partial_text
from exprgrad.views.blocks import Column, Table

assert operations.ADD  # the table is filled


def operation_table() -> Table:
    """A row per operation: how it is written, its derivative rules, its domain, other names."""
    columns = [
        Column("operation", style="cyan"),
        Column("partial derivatives", style="bold"),
        Column("needs", spare=2),
        Column("also", spare=1, style="dim"),
    ]
    rows = [_row(operation) for operation in TABLE.values()]
    return Table("", columns, rows, "needs: the real domain; empty: any real number")


def _row(operation: Operation) -> tuple[str, ...]:
    names = _argument_names(operation)
    arguments = [Value(None, name) for name in names]
    result = node(operation, tuple(arguments))
    partials = [
        f"∂{name}: {partial_text(operation, i, result, arguments)}"
        for i, name in enumerate(names)
        if operation.partials[i] is not None
    ]
    if len(names) == 1 and partials:
        partials = [partials[0].partition(": ")[2]]
    needs = "; ".join(condition.needs for condition in operation.domain)
    return operation.signature, "; ".join(partials), needs, ", ".join(operation.aliases)


def _argument_names(operation: Operation) -> list[str]:
    inside = (
        operation.signature.partition("(")[2].rstrip(")") if operation.called else ""
    )
    if inside:
        return inside.split(", ")
    return list("xyz"[: operation.arity])
