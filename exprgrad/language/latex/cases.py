"""A test whether the cases of a formula leave out some values."""

from __future__ import annotations

import itertools
from operator import eq

from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.notation.text import to_text

_COMPARING = {"neg", "and", "or", "not", "lt", "le", "gt", "ge", "eq", "ne"}


def cover(conditions: list[Value | None]) -> bool:
    """Return whether one of some conditions always holds: the last two are opposites, or all compare one name with numbers."""
    made = [c for c in conditions if c is not None]
    signs = {c.operation.name for c in made if c.operation is not None}
    if len(made) == 2 and signs in ({"lt", "ge"}, {"gt", "le"}, {"eq", "ne"}):
        sides = ([*map(to_text, c.operands)] for c in made)
        if eq(*sides):
            return True
    items = [item for condition in made for item in topological(condition)]
    leaves = [item for item in items if item.operation is None]
    numbers = [leaf.data for leaf in leaves if isinstance(leaf, Constant)]
    names = {leaf.name for leaf in leaves if not isinstance(leaf, Constant)}
    used = {item.operation.name for item in items if item.operation}
    if None in numbers or len(names) > 1 or not used <= _COMPARING:
        return False
    # comparisons of ±x with ±numbers: between neighbouring ends each is true or false throughout, so one point in
    # every gap, and the ends themselves, tell of all values
    points = sorted({end for x in numbers if x is not None for end in (x, -x)})
    between = [(a + b) / 2 for a, b in itertools.pairwise(points)]
    every = *points, *between, *([points[0] - 1, points[-1] + 1] if points else [])
    return bool(points) and all(any(_holds(c, x) for c in made) for x in every)


def _holds(condition: Value, x: float) -> bool:
    """Return whether a comparison of one variable with numbers holds at a point."""
    from exprgrad.sweeps.tape import Tape, primals

    tape = Tape(condition, [leaf for leaf in topological(condition) if is_variable(leaf)])  # fmt: skip
    return bool(primals(tape, dict.fromkeys(tape.variables, x))[tape.root])
