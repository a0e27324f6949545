"""An expression with an `if`, taken apart: the condition, and the expression with either branch instead.

Where a branch that is not taken has no value, `if(x > 0, x*ln(x), 0)`, code that computes both branches
fails; each of these three does not.
"""

from __future__ import annotations

from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Value
from exprgrad.operations.table import IF


def parts(root: Value) -> tuple[Value, ...]:
    """The condition of one of its `if`s, and the expression with either branch of that; empty where it has none.

    It is one that is computed whatever other conditions say: not inside a branch. Nor has its own
    condition an `if` inside.
    """
    reached, choice = {root}, None
    for item in reversed(topological(root)):
        if item.operation is IF and item in reached:
            choice = item  # a later one is below, perhaps in the condition of this one
            reached.add(item.operands[0])
        elif item in reached:
            reached.update(item.operands)
    if choice is None:
        return ()
    condition, *branches = choice.operands
    return condition, *(replaced(root, {choice: branch}) for branch in branches)
