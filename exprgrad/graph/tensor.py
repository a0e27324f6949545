"""`Value`s that hold arrays.

W, x = Value(np.ones((2, 3))), Value([1.0, 2.0, 3.0])
L = (W @ x).tanh().sum()
L.backward()                # W.grad has the shape of W
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from exprgrad.errors import ChangedDataError, UsageError
from exprgrad.graph.backward import LOCK, topological
from exprgrad.graph.value import Constant, Value, as_value, node
from exprgrad.operations.on_arrays import as_data, compute, pull, quiet
from exprgrad.operations.operation import TABLE, Operation


class Tensor(Value):
    """A `Value` that holds an array, or was computed from one. Do not make one: `Value(array)` does."""

    __slots__ = ()

    data: Any
    grad: Any

    def __repr__(self) -> str:
        parts = [f"data={self.data!r}"]
        if self.name:
            parts.append(f"name={self.name!r}")
        if self.operation:
            parts.append(f"operation={self.operation.name!r}")
        return f"Value({', '.join(parts)})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return np.shape(self.data)

    @property
    def T(self) -> Value:  # noqa: N802 # NumPy's name
        """The axes in reverse."""
        return build(TABLE["transpose"], self)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, key: Any) -> Value:
        self.data[key]  # an IndexError ends a loop over the rows
        places = key if isinstance(key, tuple) else (key,)
        if all(type(place) is int for place in places):
            return build(TABLE["item"], self, *places)
        constant = Constant(0.0)
        constant.data = places  # type: ignore[assignment] # no number
        return build(TABLE["take"], self, constant)

    def backward(self) -> None:
        """Sweep the adjoints from this number down to the leaves: see `Value.backward`."""
        if np.size(self.data) != 1:
            raise UsageError(
                f"backward() starts from one number, not from shape {self.shape}",
                hint="take sum(), mean() or an element first",
            )
        order = topological(self)
        _refuse_changed(order)
        adjoints: dict[Value, Any] = {self: np.ones(self.shape)}
        for item in reversed(order):
            if item.operation is None or item not in adjoints:
                continue
            data = [operand.data for operand in item.operands]
            for index, operand in enumerate(item.operands):
                if type(operand) is Constant:
                    continue
                own = pull(item.operation, index, adjoints[item], item.data, data)
                if own is not None:
                    before = adjoints.get(operand)
                    adjoints[operand] = own if before is None else before + own
        with LOCK:
            for item, adjoint in adjoints.items():
                total: Any = adjoint if isinstance(item, Tensor) else float(adjoint)
                if item.operation is None:
                    total = item.grad + total
                item.grad = total

    def zero_grad(self) -> None:
        """Set `grad` to 0 on this node and on all that it was computed from."""
        for item in topological(self):
            zero: Any = np.zeros(item.shape) if isinstance(item, Tensor) else 0.0
            item.grad = zero


def _refuse_changed(order: Sequence[Value]) -> None:
    """Raise `ChangedDataError` if an operation on a leaf does not have the data that it gives now."""
    for item in order:
        if item.operation is None or all(o.operation for o in item.operands):
            continue
        fresh = quiet(item.operation, [operand.data for operand in item.operands])
        if not np.array_equal(fresh, np.asarray(item.data)):
            raise ChangedDataError(
                f"the data of an operand of {item.operation.title} changed after the graph was built",
                hint="build the graph again from the new data, then call backward()",
            )


def _binary_method(name: str, reverse: bool) -> Callable[[Any, Any], Value]:
    def method(self: Value, other: Any) -> Value:
        pair = (other, self) if reverse else (self, other)
        operation = TABLE[name]
        if name == "pow":
            from exprgrad.graph.value import power_operation

            exponent = as_value(pair[1])
            scalar = isinstance(exponent.data, float)
            operation = power_operation(exponent) if scalar else operation
        return build(operation, *pair)

    return method


for _name, _symbol in (
    ("add", "add"), ("sub", "sub"), ("mul", "mul"), ("div", "truediv"), ("pow", "pow"),
    ("mod", "mod"), ("matmul", "matmul"), ("lt", "lt"), ("le", "le"), ("gt", "gt"), ("ge", "ge"),
):  # fmt: skip
    setattr(Tensor, f"__{_symbol}__", _binary_method(_name, reverse=False))
    if _name not in ("lt", "le", "gt", "ge"):
        setattr(Tensor, f"__r{_symbol}__", _binary_method(_name, reverse=True))
Tensor.__neg__ = lambda self: build(TABLE["neg"], self)  # type: ignore[method-assign] # as above
Tensor.__abs__ = lambda self: build(TABLE["abs"], self)  # type: ignore[method-assign] # as above


def build(operation: Operation, *operands: Any) -> Value:
    """`graph.apply` where an operand is an array, or the operation one on arrays."""
    nodes = tuple(map(as_value, operands))
    new = node(operation, nodes)
    new.__class__ = Tensor
    data = [item.data for item in nodes]
    if all(x is not None for x in data):
        new.data = compute(operation, data)
    return new


def leaf(item: Value, data: Any) -> None:
    """Let a leaf hold an array."""
    array: Any = as_data(data)
    item.data = array
    if type(item) is Value:
        item.__class__ = Tensor
        item.grad = np.zeros(array.shape)  # type: ignore[assignment] # an array
