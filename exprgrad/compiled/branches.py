"""An expression with an `if`, taken apart: the condition, and the expression with either branch instead.

Where a branch that is not taken has no value, `if(x > 0, x*ln(x), 0)`, code that computes both branches
fails; each of these three does not.
"""

from __future__ import annotations

from exprgrad.annotations import NamedTuple
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Value
from exprgrad.operations.table import IF


class Parts(NamedTuple):
    """Where `condition` is true the expression is that of `then`, else that of `otherwise`."""

    condition: Value
    then: Value
    otherwise: Value


def parts(root: Value) -> Parts | None:
    """The expression by one of its `if`s; None where it has none.

    It is one that is computed whatever other conditions say: not inside a branch. Nor has its own
    condition an `if` inside.
    """
    choice = _decided_first(root)
    if choice is None:
        return None
    condition, then, otherwise = choice.operands
    return Parts(
        condition,
        replaced(root, {choice: then}),
        replaced(root, {choice: otherwise}),
    )


def _decided_first(root: Value) -> Value | None:
    reached = {root}
    found = None
    for item in reversed(topological(root)):
        if item not in reached:
            continue
        if item.operation is IF:
            found = (
                item  # a later one is below: it may stand in the condition of this one
            )
            reached.add(item.operands[0])
        else:
            reached.update(item.operands)
    return found
