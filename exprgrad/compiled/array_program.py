"""Programs for arrays of fixed shapes: value and gradient as a list of calls on arrays that stay.

Each call is a NumPy function with its arguments and, last, where it writes; nothing is allocated and
nothing looked up while the program runs. A row that has no NumPy function raises `Unsupported`, and the
interpreter takes over. Local partials are written by the table's own rules, run on `Slot`s, a number type of arrays
to be filled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from exprgrad.annotations import Any
from exprgrad.graph.numbering import Numbering
from exprgrad.operations.array_kernels import unbroadcast
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.on_arrays import elementwise, quiet, universal, writing
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.operations.operators import give_operators
from exprgrad.operations.table import (
    IF,
    MATMUL,
    MEAN,
    MSE,
    POW,
    RELU,
    RESHAPE,
    SUM,
    TRANSPOSE,
)
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.tape import Tape

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
        # Arrays stand for themselves: each is filled once in a run, so that one call on it serves all that want its
        # result.
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
        if operation.mean:
            if operation is not MSE:
                raise Unsupported(operation.name)
            return self.apply(POW, (own[0] - own[1], 2))
        arrays = [constant(a) for a in own]
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        # What nobody fills is constant: it is computed here, and not in every run.
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
        if operation is IF and own[0] in self._truths:
            ends = zip(arrays[1:], (1, 0), strict=True)
            if all(not a.shape and _is_number(a, n) for a, n in ends):
                return own[0]  # type: ignore[no-any-return] # it is 1 or 0 itself
        function = universal(operation) or writing(operation)
        found = self.call(function, own, shape)
        if operation.rule == "comparison":
            self._truths.add(found)
        return found


def _is_number(array: Array, number: float) -> bool:
    return not array.flags.writeable and float(array) == number


def constant(thing: Any) -> Any:
    """The array of a slot; a number or an array that nobody fills."""
    if isinstance(thing, Slot):
        return thing.array
    array = np.array(thing, np.float64)
    array.flags.writeable = False
    return array


_reduced: Callable[..., Any] = np.add.reduce


def compiled(
    tape: Tape, point: Mapping[str, Any], names: Sequence[str]
) -> Callable[[Array], tuple[float, Array]]:
    """The value and the flat gradient by `names`, as a function of these as one flat array.

    The shapes, and the values of the other variables, are those of the point.
    """
    writer = Writer()
    numbers = _Slots(writer)
    flat = np.concatenate([np.ravel(np.asarray(point[n], np.float64)) for n in names])
    gradient = np.zeros_like(flat)
    own: dict[str, Any] = dict(point)
    targets: dict[int, Array] = {}
    start = 0
    for name in names:
        shape = np.shape(point[name])
        end = start + math.prod(shape)
        own[name] = Slot(flat[start:end].reshape(shape), writer)
        targets[tape.variables[name]] = gradient[start:end].reshape(shape)
        start = end
    slots = forward(tape, numbers, own)
    seed = numbers.number(np.ones(slots[tape.root].array.shape))
    adjoints = reverse(tape, numbers, slots, tape.active(names), seed)
    for i, target in targets.items():
        if adjoints[i] is not None:
            writer.calls.append(partial(np.copyto, target, adjoints[i].array))
    value = slots[tape.root].array

    def run(there: Array) -> tuple[float, Array]:
        """The value and the gradient there; not finite where something went wrong."""
        flat[:] = there
        with np.errstate(all="ignore"):
            for call in writer.calls:
                call()
        # A copy, since the next call fills these arrays again, and a minimizer keeps the gradient before.
        return value.item(), gradient.copy()

    return run


def _mean(writer: Writer, slot: Slot) -> Slot:
    total: Any = writer.call(_sum, (slot,), ())
    return total * (1.0 / float(slot.array.size))  # type: ignore[no-any-return] # a slot


def _into(value: Callable[..., Any], *args: Any) -> None:
    *own, out = args
    out[...] = value(np, *own)


class _Slots(Numbers):
    """Arrays to be filled: a sweep over them writes the calls that fill them."""

    chooses = False  # but element by element

    def __init__(self, writer: Writer) -> None:
        super().__init__()
        self._writer = writer

    def number(self, number: Any) -> Slot:
        return (
            number if isinstance(number, Slot) else Slot(constant(number), self._writer)
        )

    def constant(self, leaf: Any) -> Slot:
        return self.number(leaf.data)

    def value(self, step: Step, arguments: Sequence[Any]) -> Slot:
        operation, writer, own = step.operation, self._writer, arguments
        whole = operation.whole
        if whole is None:
            found = writer.apply(operation, own)
            return _mean(writer, found) if operation.mean else found
        data = [slot.array for slot in own]
        shape = quiet(operation, data).shape
        if operation is MATMUL:
            return writer.call(np.matmul, own, shape)
        if operation is SUM:
            return writer.call(_sum, own, shape)
        if operation is MEAN:
            return _mean(writer, own[0])
        if operation in (TRANSPOSE, RESHAPE):
            view = whole.value(np, *data)
            if np.shares_memory(view, data[0]):
                return Slot(view, writer)
        return writer.call(partial(_into, whole.value), own, shape)

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Slot:
        operation, writer, g = step.operation, self._writer, adjoint
        shape = own[position].array.shape
        if whole := operation.whole:
            # A transpose is a view: filled as often as its array is, and no call.
            if operation is MATMUL and own[0].array.ndim == own[1].array.ndim == 2:
                other = Slot(own[1 - position].array.T, writer)
                pair = (g, other) if position == 0 else (other, g)
                return writer.call(np.matmul, pair, shape)
            if operation is SUM:
                return writer.call(_spread, (g,), shape)
            if operation is MEAN:
                return writer.call(_spread, (g * (1.0 / own[0].array.size),), shape)
            rule = whole.pull(position)
            if rule is None:
                raise Unsupported(operation.name)
            return writer.call(partial(_into, rule), (g, result, *own), shape)
        if operation.mean:
            sizes = np.broadcast_shapes(*(slot.array.shape for slot in own))
            g = g * (1.0 / math.prod(sizes))
        slope: Any = operation.partials[position]
        if callable(slope):
            slope = writer.rules.partials(operation)[position](result, *own)
        if isinstance(slope, Slot):
            found = g * slope
        else:
            found = g if slope == 1 else g * float(slope or 0.0)
        # summed over the axes along which the operand was repeated, or repeated itself
        wide = found.array.shape
        if wide == shape:
            return found  # type: ignore[no-any-return] # a slot
        more = len(wide) - len(shape)
        if more > 0 and wide[more:] == shape:
            along = partial(_sum_along, tuple(range(more)))
            return writer.call(along, (found,), shape)
        fitted = partial(_into, lambda own, x: unbroadcast(own, x, shape))
        return writer.call(fitted, (found,), shape)


def _sum_along(axes: tuple[int, ...] | None, x: Array, out: Array) -> None:
    _reduced(x, axes, None, out)


_sum = partial(_sum_along, None)


_spread = partial(_into, lambda _, x: x)
