"""Tapes in arrays: the value, and the gradient in the shape of each variable.

The forward sweep lets elements without a value pass as nan. If one is left that the result needs, a
sweep back over masks finds the first: a branch that `if` does not take needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from exprgrad.annotations import Any
from exprgrad.errors import ExprgradError
from exprgrad.graph.value import Value
from exprgrad.operations.array_kernels import unbroadcast
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.on_arrays import Arrays, fault
from exprgrad.operations.table import ITEM
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Tape

Written = Callable[[Value], str]
"""How a node stands in the source."""


def evaluate(
    tape: Tape, point: Mapping[str, Any], names: Sequence[str], written: Written
) -> tuple[Any, dict[str, Any] | None]:
    """The value, and the gradient if the value is one number, at a point of numbers and arrays.

    Raises `DomainError` and `ShapeError`, with the place.
    """
    numbers = Placed(tape, written)
    values = forward(tape, numbers, point)
    if not all(np.isfinite(values[step.node]).all() for step in tape.steps):
        refuse(tape, values, written)
    value = values[tape.root]
    if value.size != 1:
        return plain(value), None
    seed = np.ones(value.shape)
    adjoints = reverse(tape, numbers, values, tape.active(names), seed)
    gradient = {}
    for name in names:
        i = tape.variables[name]
        own = np.zeros(values[i].shape) if adjoints[i] is None else adjoints[i]
        gradient[name] = plain(own)
    return plain(value), gradient


def plain(array: Any) -> Any:
    """An array without axes as a float."""
    return array + 0.0 if np.ndim(array) else float(array) + 0.0


class Placed(Arrays):
    """Arrays whose errors have a place in the source."""

    def __init__(self, tape: Tape, written: Written) -> None:
        super().__init__()
        self.tape, self.written = tape, written

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """The result, or an error with its place."""
        try:
            return super().value(step, arguments)
        except ExprgradError as error:
            if step.operation is ITEM and not arguments[0].ndim:
                self._explain_no_elements(error, step)
            error.span = self.tape.nodes[step.node].span
            raise

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """The adjoint that goes to an operand, or an error with its place."""
        try:
            return super().pull(step, position, adjoint, result, own)
        except ExprgradError as error:
            error.span = self.tape.nodes[step.node].span
            raise

    def _explain_no_elements(self, error: ExprgradError, step: Step) -> None:
        """Say that a number has no elements; brackets behind it may have been meant as a product."""
        nodes = [self.tape.nodes[j] for j in step.operands]
        base, *indexes = map(self.written, nodes)
        error.message = f"{base} is a number here and has no elements"
        error.args = (error.message,)
        brackets = self.written(self.tape.nodes[step.node]).endswith("]")
        if brackets and len(indexes) == 1 and nodes[0].operation is None:
            index = indexes[0] if indexes[0].isdigit() else f"({indexes[0]})"
            error.hint = f"write {base}*{index} for the product"


def refuse(tape: Tape, values: list[Any], written: Written) -> None:
    """Raise the error of the first node that lacks a value where the result needs it."""
    masks = needed(tape, values)
    for step in tape.steps:
        mask = masks[step.node]
        if mask is None or not (~np.isfinite(values[step.node]) & mask).any():
            continue
        arguments = [values[j] for j in step.operands]
        counts = True if step.operation.mean else mask
        places = [written(tape.nodes[j]) for j in step.operands]
        error = fault(step.operation, arguments, counts, places)
        error.span = tape.nodes[step.node].span
        raise error


def needed(tape: Tape, values: list[Any]) -> list[Any]:
    """Masks of the elements of each node that the result depends on: not those in a branch that is not taken."""
    everything = [True] * len(tape.nodes)
    seed = np.ones(values[tape.root].shape, bool)
    return reverse(tape, _Masks(), values, everything, seed)


class _Masks(Numbers):
    """Which elements the result depends on, as adjoints: the sum of two masks is their union."""

    chooses = False

    def __init__(self) -> None:
        super().__init__(lambda operation: operation.kernel)

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        shape, choose = own[position].shape, step.operation.choose
        if step.operation.whole or step.operation.mean:
            return np.full(shape, bool(adjoint.any()))
        if choose is not None and position:
            chosen = np.vectorize(lambda c: choose(c) == position, otypes=[bool])
            adjoint = adjoint & chosen(own[0])
        return unbroadcast(np, adjoint.astype(float), shape) > 0
