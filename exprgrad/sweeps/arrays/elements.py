"""Tapes on arrays, written out in their elements: a graph of numbers, for answers with bounds.

    whole = Elements(tape, values)             # values: those of a sweep in doubles, for the shapes
    whole.roots, whole.variables               # arrays of nodes: x[0], x[1] ... are variables of their own

A sum of n terms is written as a tree log n deep, so that its rounding errors stay small. Operations on whole
arrays say by their own kernels what they are: these run on nodes, with `np` standing for what follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, partialmethod

import numpy as np

from exprgrad.annotations import Any
from exprgrad.graph.value import Constant, Value, as_value, is_array, node
from exprgrad.operations import table
from exprgrad.operations.array_balls import NUMPYS
from exprgrad.operations.array_kernels import mean, whole
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.generic import forward
from exprgrad.sweeps.tape import Tape


class Elements(Numbers):
    """Arrays of nodes as a number type.

    `nodes` are the elements of every node of the tape, `roots` those of the result, `variables` those of each
    variable, in its shape, and `places` says of each of these whose element it is. Some variables may be given.
    """

    chooses = False  # but element by element, by the nodes themselves

    def __init__(
        self,
        tape: Tape,
        values: Sequence[Any],
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.tape, self._values = tape, values
        self.variables = dict(variables or {})
        for name, i in tape.variables.items():
            if name not in self.variables:
                leaves = self.variables[name] = np.empty(np.shape(values[i]), object)
                for place in np.ndindex(leaves.shape):
                    leaves[place] = Value(None, place_name(name, place))
        self.places = {
            nodes[place]: (name, place)
            for name, nodes in self.variables.items()
            for place in np.ndindex(nodes.shape)
        }
        self.nodes = forward(tape, self, self.variables)
        self.roots = self.nodes[tape.root]

    def constant(self, leaf: Any) -> Any:
        """A constant as one node; the numbers of an array as many."""
        data = leaf.data
        if not is_array(data):
            return _boxed(leaf)
        found = np.empty(np.shape(data), object)
        found.ravel()[:] = [Constant(x) for x in np.ravel(data).tolist()]
        return found

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """The nodes of a result."""
        operation, nodes = step.operation, _Nodes(self.tape.nodes[step.node].span)
        if operation.whole:
            own = [
                a if self._is_number(operation, k, step) else self._values[j]
                for k, (a, j) in enumerate(zip(arguments, step.operands, strict=True))
            ]
            return _boxed(operation.whole.value(nodes, *own))
        found = nodes.each(operation, *arguments)
        return mean(nodes, found) if operation.mean else found

    def _is_number(self, operation: Operation, position: int, step: Step) -> bool:
        """Return whether an argument is one to differentiate by, not an axis, a length or an index."""
        assert operation.whole is not None
        if operation is table.CROSS_ENTROPY and position:
            shapes = [np.shape(self._values[j]) for j in step.operands]
            return bool(shapes[0] == shapes[1])  # else they are classes
        return operation.whole.pull(position) is not None


class _Nodes:
    """A stand-in for `np` in the kernels of operations on whole arrays, so that they build graphs.

    What moves elements only, NumPy does.
    """

    boundless = True

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def __getattr__(self, name: str) -> Any:
        operation = NUMPYS.get(name)
        return getattr(np, name) if operation is None else partial(self.each, operation)

    def each(self, operation: Operation, *arguments: Any) -> Any:
        """An operation of the table, element by element."""
        own = np.broadcast_arrays(*map(_boxed, arguments))
        found = np.empty(own[0].shape, object)
        rows = zip(*(a.ravel().tolist() for a in own), strict=True)
        flat = [node(operation, tuple(row), self._span) for row in rows]
        found.ravel()[:] = flat
        return found

    def _reduced(
        self, operation: Operation, x: Any, axis: Any = None, keepdims: bool = False
    ) -> Any:
        """The elements joined in pairs, and these in pairs again."""
        x = _boxed(x)
        kept = (1,) * x.ndim
        x = x.reshape(-1) if axis is None else np.moveaxis(x, whole(axis), -1)
        if not x.shape[-1]:
            return _boxed(Constant(0))
        while x.shape[-1] > 1:
            # in pairs, so that n terms are nested log n deep, and rounding errors grow as log n
            even = x.shape[-1] // 2 * 2
            pairs = self.each(operation, x[..., 0:even:2], x[..., 1:even:2])
            x = np.concatenate([pairs, x[..., even:]], -1)
        x = x[..., 0] if x.ndim > 1 else _boxed(x[0])
        if not keepdims:
            return x
        return x.reshape(kept) if axis is None else np.expand_dims(x, whole(axis))

    sum = partialmethod(_reduced, table.ADD)
    max = partialmethod(_reduced, table.MAX)
    min = partialmethod(_reduced, table.MIN)

    def dot(self, x: Any, y: Any) -> Any:
        if not x.ndim or not y.ndim:
            return self.multiply(x, y)
        if y.ndim > 1:
            # NumPy's `dot` sums over the last axis of x and the last but one of y
            y = np.moveaxis(y, -2, -1)
        left = x.reshape(*x.shape[:-1], *(1,) * (y.ndim - 1), x.shape[-1])
        return self.sum(self.multiply(left, y), -1)

    def matmul(self, x: Any, y: Any) -> Any:
        if x.ndim == 1 or y.ndim <= 2:
            return self.dot(x, y)
        return self.sum(self.multiply(x[..., :, None, :], np.swapaxes(y, -1, -2)[..., None, :, :]), -1)  # fmt: skip


def _boxed(thing: Any) -> Any:
    """A node, or a number, as an array of nodes without axes; an array as it is."""
    if isinstance(thing, np.ndarray):
        return thing
    found = np.empty((), object)
    found[()] = as_value(thing)
    return found


def place_name(name: str, place: Sequence[int]) -> str:
    """An element as it is written: x[0, 1]; a number by its name."""
    return f"{name}{list(place)}" if len(place) else name


def work(tape: Tape, values: Sequence[Any]) -> int:
    """Return how many nodes there would be, each times its cost."""
    total = sum(np.size(v) for v in values)
    for step in tape.steps:
        own = [values[j] for j in step.operands]
        size = np.size(values[step.node])
        if step.operation in (table.MATMUL, table.DOT):
            size *= 2 * (np.shape(own[0])[-1] if np.ndim(own[0]) else 1)
        elif step.operation.whole or step.operation.mean:
            size = max(size, *map(np.size, own)) * 4
        total += size * step.operation.cost
    return int(total)
