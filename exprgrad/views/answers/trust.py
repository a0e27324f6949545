"""How far the numbers of an evaluation can be trusted, in every format."""

from __future__ import annotations

from exprgrad.expressions.fields import shown
from exprgrad.expressions.trust import DOUBLE_DIGITS, Trusted
from exprgrad.sweeps.bounds import MOST_DIGITS
from exprgrad.views.blocks import Block, Column, Lines, Note, Table, number
from exprgrad.views.layout import excerpt

WIDTH = 76
"""Columns of the source line above the caret."""


def trust_blocks(found: Trusted, digits: int) -> list[Block]:
    """A table of bounds, digits and condition numbers, and the operation that costs digits."""
    out: list[Block] = [trust_table(found, digits)]
    if any(x is not None for x in found.conditions.values()):
        told = "a condition number is x*f'/f: how many times a relative change of x comes back in the value"
        out.append(Note(told))
    loss, source = found.loss, found.evaluation.expression.source
    if loss is None:
        out.append(Note("no operation costs double precision a digit"))
        return out
    # without a value of doubles to compare with, it is what rounding does at worst
    costs = "costs" if "" in found.evaluation.cancelled else "may cost"
    of = f"of its {DOUBLE_DIGITS} digits"
    lost = f"{'all' if loss.digits == DOUBLE_DIGITS else loss.digits} {of}"
    out.append(Note(f"{loss.operation} {costs} double precision {lost}:"))
    if loss.span is not None:
        out.append(Lines(tuple(excerpt(source, loss.span, WIDTH))))
    return out


def trust_table(found: Trusted, digits: int) -> Table:
    """A row for the value and for every partial derivative."""
    columns = [
        Column("", style="cyan"),
        Column("number", number=True),
        Column("error at most", number=True),
        Column("digits known", number=True),
        Column("condition", number=True),
    ]
    rows = []
    for name in ("", *found.conditions):
        known, condition = found.evaluation.known(name), found.conditions.get(name)
        error = sure = ""
        if known.is_number:
            error = f"{known.error:.2g}" if known.value is not None else f"1e-{known.sure} of it"  # fmt: skip
            sure = "all" if known.sure == MOST_DIGITS else str(known.sure)
        what, value = f"∂/∂{name}" if name else "value", shown(found.evaluation, name, digits)  # fmt: skip
        cost = "" if condition is None else number(condition, 3)
        rows.append((what, value, error, sure, cost))
    return Table("", columns, rows)
