"""The second derivatives of an expression at a point.

The gradient is taken as formulas g_i; with extra variables w_i, one reverse sweep over sum_i w_i*g_i
gives the Hessian times w. Unit vectors w give its rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from exprgrad.annotations import SupportsFloat
from exprgrad.errors import NotDifferentiableError
from exprgrad.expressions.confirm import derivative
from exprgrad.graph.value import Value, node
from exprgrad.operations.number_types import Fault
from exprgrad.operations.table import ADD, MUL
from exprgrad.sweeps.careful import pull_back_carefully
from exprgrad.sweeps.corners import below
from exprgrad.sweeps.tape import Tape, primals

Point = Mapping[str, SupportsFloat]
"""Values by name."""


class Curvature:
    """The second derivatives of a graph: prepared once, taken at any point.

    `first` gives the point as floats if there is a gradient, and raises if not.
    """

    def __init__(
        self, root: Value, tape: Tape, first: Callable[[Point], dict[str, float]]
    ) -> None:
        self.names = tuple(tape.variables)
        self._first = first
        self._weights = {name: Value(None, f"w.{name}") for name in self.names}
        leaves = [tape.nodes[i] for i in tape.variables.values()]
        total: Value | None = None
        for name in self.names:
            weighted = node(MUL, (self._weights[name], derivative(root, name)))
            total = weighted if total is None else node(ADD, (total, weighted))
        self._tape = None
        if total is not None:
            self._tape = Tape(total, [*leaves, *self._weights.values()])

    def product(self, at: Point, vector: Point) -> dict[str, float]:
        """The Hessian at a point times a vector."""
        first = self._first(at)
        if self._tape is None:
            return {}
        weights = {
            weight.name or "": float(vector.get(name, 0.0))
            for name, weight in self._weights.items()
        }
        return _sweep(self._tape, first | weights, self.names)


def _sweep(
    tape: Tape, point: dict[str, float], names: tuple[str, ...]
) -> dict[str, float]:
    """The gradient of the weighted sum with respect to the names."""
    try:
        values = primals(tape, point)
    except Fault:
        raise _no_second() from None
    adjoints, _, blocked = pull_back_carefully(tape, values, tape.active(names))
    found = {name: adjoints[tape.variables[name]] + 0.0 for name in names}
    if blocked or not all(map(math.isfinite, found.values())):
        culprits = below(tape, values, blocked)
        if any(name in culprits for name in names) or not culprits:
            raise _no_second()
    return found


def _no_second() -> NotDifferentiableError:
    return NotDifferentiableError(
        "the second derivatives do not exist here", hint="evaluate at a point nearby"
    )
