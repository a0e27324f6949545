"""Writing a program of calls on arrays: operations of the table become functions that fill an array.

Local partials are written by the table's own rules, run on `Slot`s, a number type of arrays to be filled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from exprgrad.annotations import Any
from exprgrad.graph.numbering import Numbering
from exprgrad.operations import ufuncs
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.on_arrays import elementwise
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.operations.operators import give_operators
from exprgrad.operations.table import IF, MSE, POW, RELU

Array = np.ndarray[Any, np.dtype[np.float64]]


class Unsupported(Exception):
    """Some operation has no place in a program."""


class Slot:
    """An array that a program fills, as a number type for the rules of the table."""

    __slots__ = ("array", "writer")

    def __init__(self, array: Any, writer: Writer) -> None:
        self.array, self.writer = array, writer


def _applied(name: str, *own: Any) -> Slot:
    writer: Writer = next(slot.writer for slot in own if isinstance(slot, Slot))
    return writer.apply(TABLE[name], own)


give_operators(Slot, "add sub mul div pow neg gt", _applied)


class Writer:
    """Writes a program: `calls` is what there is so far."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], Any]] = []
        self._numbers = Numbering()
        self._slots: list[Slot] = []
        self._truths: set[Slot] = set()
        self.rules = Numbers(lambda o: lambda *own: self.apply(o, own))

    def call(
        self, function: Callable[..., Any], own: Sequence[Any], shape: tuple[int, ...]
    ) -> Slot:
        """The result of a function that takes arrays and where to write; kept for equal calls."""
        key = (function, *(id(a.array) if isinstance(a, Slot) else a for a in own))
        number = self._numbers[key]
        if number == len(self._slots):
            out = np.empty(shape)
            arrays = map(constant, own)
            if function in (np.maximum, np.minimum):  # they want it by name
                self.calls.append(partial(function, *arrays, out=out))
            else:
                self.calls.append(partial(function, *arrays, out))
            self._slots.append(Slot(out, self))
        return self._slots[number]

    def apply(self, operation: Operation, own: Sequence[Any]) -> Slot:
        """An elementwise operation, without the mean of a loss."""
        if not operation.mean and not ufuncs.takes_any_shape(operation):
            raise Unsupported(operation.name)
        if operation.mean:
            if operation is not MSE:
                raise Unsupported(operation.name)
            return self.apply(POW, (own[0] - own[1], 2))
        arrays = [constant(a) for a in own]
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        if not any(a.flags.writeable for a in arrays):
            with np.errstate(all="ignore"):
                return Slot(constant(elementwise(operation, arrays)), self)
        if operation is POW and not arrays[1].shape:
            if _is_number(arrays[1], 2):
                return self.call(np.square, own[:1], shape)
            if _is_number(arrays[1], 1) and isinstance(own[0], Slot):
                return own[0]
        if operation is RELU:
            return self.call(np.maximum, (own[0], 0.0), shape)
        if operation is IF and own[0] in self._truths and _is_truth(arrays):
            return own[0]  # type: ignore[no-any-return] # a slot
        found = self.call(_function(operation), own, shape)
        if operation.rule == "comparison":
            self._truths.add(found)
        return found


def _function(operation: Operation) -> Callable[..., Any]:
    """A function that takes where to write, and allocates nothing if that can be."""
    return ufuncs.universal(operation) or ufuncs.function(operation)


def _is_truth(arrays: Sequence[Array]) -> bool:
    """Whether the choice is one between 1 and 0."""
    return all(
        not a.shape and _is_number(a, n)
        for a, n in zip(arrays[1:], (1, 0), strict=True)
    )


def _is_number(array: Array, number: float) -> bool:
    return not array.flags.writeable and float(array) == number


def constant(thing: Any) -> Any:
    """The array of a slot; a number or an array that nobody fills."""
    if isinstance(thing, Slot):
        return thing.array
    array = np.array(thing, np.float64)
    array.flags.writeable = False
    return array
