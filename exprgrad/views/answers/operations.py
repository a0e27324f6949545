"""The table of operations as people read it, in every format."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.trace import partial_text
from exprgrad.graph.value import SYMBOLS, Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations import table as operations
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.views.blocks import Block, Column, Table, Wrapped

assert operations.ADD  # the table is filled


class OperationsView(NamedTuple):
    """All operations, or all that the table says of those with a name; `more` stands below the list."""

    name: str | None = None
    more: str = ""

    def blocks(self) -> list[Block]:
        """A row per operation with its derivatives; for a single one, all facts and an example."""
        if self.name is not None:
            drawn: list[Block] = []
            for operation in called(self.name):
                text = example(operation)
                drawn.append(facts(operation))
                drawn += [Wrapped((text,), hang=2)] if text else []
            return drawn
        return [short_table()._replace(footer=self.more)]

    def as_dict(self) -> dict[str, Any]:
        """A record per operation."""
        found = operation_table(self.name)
        titles = [column.title for column in found.columns]
        every = [dict(zip(titles, row, strict=True)) for row in found.rows]
        for own in every:  # the key with a blank is the older one
            own["partial_derivatives"] = own["partial derivatives"]
        return {"operations": every}

    def markdown(self) -> Iterator[str]:
        """A row per operation, formulas in backquotes."""
        from exprgrad.views.markdown import table

        return table(operation_table(self.name, code=True))


def short_table() -> Table:
    """How each operation is written, and its derivatives."""
    found = operation_table()
    first, second = found.columns[:2]
    columns = [first, second._replace(wraps=True)]
    return found._replace(columns=columns, rows=[row[:2] for row in found.rows])


def operation_table(name: str | None = None, code: bool = False) -> Table:
    """A row per operation: how it is written, its derivative rules, its domain, other names.

    With a `name`, only the operations of that name; with `code`, formulas in backquotes, for Markdown.
    """
    columns = [
        Column("operation", style="cyan"),
        Column("partial derivatives", style="bold"),
        Column("needs", spare=2),
        Column("also", spare=1, style="dim"),
    ]
    mark = "`" if code else ""
    rows = []
    for operation in TABLE.values() if name is None else called(name):
        names, own = argument_names(operation), "" if operation.whole else mark
        partials = [f"{own}{text}{own}" for text in partial_texts(operation, names) if text]  # fmt: skip
        if len(names) > 1:
            pairs = zip(names, partials, strict=False)
            partials = [f"∂{name}: {text}" for name, text in pairs]
        needs = "; ".join(condition.needs for condition in operation.domain)
        signature, also = f"{mark}{operation.signature}{mark}", ", ".join(operation.aliases)  # fmt: skip
        rows.append((signature, "; ".join(partials), needs, also))
    return Table("", columns, rows)


def partial_texts(operation: Operation, names: list[str]) -> list[str]:
    """Each local partial as a formula; empty for an argument without one.

    For an operation on arrays, what the adjoint g of the result becomes.
    """
    if operation.whole:
        back = operation.whole.back
        return [*back, *[""] * (operation.arity - len(back))]
    arguments = [Value(None, name) for name in names]
    result = node(operation, tuple(arguments))
    return [
        "" if partial is None else partial_text(operation, i, result, arguments)
        for i, partial in enumerate(operation.partials)
    ]


def called(name: str) -> list[Operation]:
    """The operations of that name."""
    return [o for o in TABLE.values() if name in (o.name, o.called, *o.aliases)]


def facts(operation: Operation) -> Table:
    """All that the table says of an operation."""
    names = argument_names(operation)
    facts = [
        (f"∂/∂{name}", text)
        for name, text in zip(names, partial_texts(operation, names), strict=True)
        if text
    ]
    facts += [("needs", condition.needs) for condition in operation.domain]
    if operation.formula is not None:
        arguments = (Value(None, name) for name in names)
        formula = SYMBOLS.bind(operation.formula)(*arguments)
        facts.append(("equals", to_text(formula)))
    if operation.aliases:
        facts.append(("also written", ", ".join(operation.aliases)))
    columns = [
        Column(operation.signature, style="cyan"),
        Column("", style="bold", wraps=True),
    ]
    return Table("", columns, facts)


def argument_names(operation: Operation) -> list[str]:
    """What its signature calls its arguments."""
    signature = operation.signature if operation.called else ""
    inside = signature.partition("(")[2].rstrip(")")
    return inside.split(", ") if inside else list("xyz"[: operation.arity])


_TRIED = (0.5, 2.0, 1.5, 3.0, -2.0, 0.0)
"""Numbers for the examples of operations, of which the first fit that have a derivative."""

_ARRAYS: dict[str, Any] = {
    "x": [1.0, 2.0, 3.0], "y": [0.5, 0.0, 1.0], "z": [[1.0, 2.0]], "t": [1.0],
    "axis": 0.0, "n": -1.0, "i": 1.0,
}  # fmt: skip
"""Arguments for the examples of operations on arrays."""


def example(operation: Operation) -> str:
    """An operation at a point, with its derivatives there; nothing where none is found."""
    from exprgrad.views.answers.arrays import text

    names, whole = argument_names(operation), operation.whole
    rules: Any = map(whole.pull, range(len(names))) if whole else operation.partials
    wrt = [name for name, rule in zip(names, rules, strict=True) if rule is not None]
    formula = Expression.of(node(operation, tuple(Value(None, name) for name in names)))
    numbers = itertools.product(_TRIED, repeat=len(names))
    for values in [[_ARRAYS[name] for name in names]] if whole else numbers:
        try:
            found: Any = formula.evaluate(dict(zip(names, values, strict=True)), wrt)
        except (ExprgradError, ValueError):
            continue
        slopes = found.gradient or {}
        if any(slope is None for slope in slopes.values()):
            continue
        told = "".join(f", ∂/∂{n} = {text(p, 6)}" for n, p in slopes.items())
        point = ", ".join(f"{n} = {text(x, 6)}" for n, x in found.at.items())
        return f"at {point}: {formula} = {text(found.value, 6)}{told}"
    return ""
