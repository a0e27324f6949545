"""The computation graph: `Value` nodes, each a leaf or an operation applied to operands.

Built from numbers a node is computed at once, as in the tutorials:

    a, b = Value(2.0), Value(3.0)
    L = (a * b + 1) ** 2
    L.backward()                # a.grad == 42.0

Nodes compare by identity and know only their operands, which exist before them; so a cycle cannot
be built, and whoever is older in the graph comes first in a topological order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from exprgrad.errors import NotDifferentiableError, Span
from exprgrad.operation import (
    TABLE,
    Numbers,
    Operation,
    compute,
    local_partial,
    named,
    show,
)

Number = int | float | Fraction


class Value:
    """A node of the graph.

    `data` is the primal, `grad` the adjoint of the last sweep (for leaves: the sum over sweeps),
    `operation` and `operands` how the node came about (None and () for a leaf), `name` an optional
    name, `span` the piece of source text that the node was read from.
    """

    __slots__ = ("data", "grad", "name", "operands", "operation", "span")

    data: float | None
    grad: float
    name: str | None
    operation: Operation | None
    operands: tuple[Value, ...]
    span: Span | None

    def __init__(self, data: Number | None = None, name: str | None = None) -> None:
        self.data = None if data is None else float(data)
        self.grad = 0.0
        self.operation = None
        self.operands = ()
        self.name = name
        self.span = None

    def __repr__(self) -> str:
        parts = [] if self.data is None else [f"data={show(self.data)}"]
        if self.name:
            parts.append(f"name={self.name!r}")
        parts.append(f"grad={show(self.grad)}")
        if self.operation:
            parts.append(f"operation={self.operation.name!r}")
        return f"Value({', '.join(parts)})"

    def __apply__(self, operation: Operation, operands: Sequence[Any]) -> Value:
        return apply(operation, *operands)

    def __bool__(self) -> bool:
        if self.data is None:
            raise TypeError("a variable without data is neither true nor false")
        return bool(self.data)

    def __getattr__(self, name: str) -> Callable[..., Value]:
        operation = named(name).get(1)
        if operation is None:
            raise AttributeError(f"a Value has no operation named {name!r}")
        return lambda: apply(operation, self)

    def __add__(self, other: Value | Number) -> Value:
        return apply(TABLE["add"], self, other)

    def __radd__(self, other: Value | Number) -> Value:
        return apply(TABLE["add"], other, self)

    def __sub__(self, other: Value | Number) -> Value:
        return apply(TABLE["sub"], self, other)

    def __rsub__(self, other: Value | Number) -> Value:
        return apply(TABLE["sub"], other, self)

    def __mul__(self, other: Value | Number) -> Value:
        return apply(TABLE["mul"], self, other)

    def __rmul__(self, other: Value | Number) -> Value:
        return apply(TABLE["mul"], other, self)

    def __truediv__(self, other: Value | Number) -> Value:
        return apply(TABLE["div"], self, other)

    def __rtruediv__(self, other: Value | Number) -> Value:
        return apply(TABLE["div"], other, self)

    def __pow__(self, other: Value | Number) -> Value:
        return apply(power_operation(as_value(other)), self, other)

    def __rpow__(self, other: Value | Number) -> Value:
        return apply(power_operation(self), other, self)

    def __mod__(self, other: Value | Number) -> Value:
        return apply(TABLE["mod"], self, other)

    def __rmod__(self, other: Value | Number) -> Value:
        return apply(TABLE["mod"], other, self)

    def __neg__(self) -> Value:
        return apply(TABLE["neg"], self)

    def __pos__(self) -> Value:
        return self

    def __abs__(self) -> Value:
        return apply(TABLE["abs"], self)

    def __lt__(self, other: Value | Number) -> Value:
        return apply(TABLE["lt"], self, other)

    def __le__(self, other: Value | Number) -> Value:
        return apply(TABLE["le"], self, other)

    def __gt__(self, other: Value | Number) -> Value:
        return apply(TABLE["gt"], self, other)

    def __ge__(self, other: Value | Number) -> Value:
        return apply(TABLE["ge"], self, other)

    def backward(self) -> None:
        """Sweep the adjoints from this node, seeded with 1, down to the leaves.

        An inner node's `grad` is its adjoint in this sweep, however often `backward` runs; a leaf's
        `grad` adds up over sweeps until `zero_grad`. At a corner the convention of the table's rule
        holds (the slope of relu at 0 is 0). Raises `NotDifferentiableError` where a local partial
        is infinite, and `TypeError` where a variable has no data.
        """
        order = topological(self)
        for item in order:
            if item.operation is not None:
                item.grad = 0.0
        self.grad += 1.0
        for item in reversed(order):
            if item.operation is not None and item.grad:
                _pull_back(item, item.operation)

    def zero_grad(self) -> None:
        """Set `grad` to 0 on this node and on all that it was computed from."""
        for item in topological(self):
            item.grad = 0.0


class Constant(Value):
    """A leaf that is a number and nothing else: it takes no gradient.

    `exact` is the number as a fraction when it was given as one. `name` is set for π, e and tau.
    """

    __slots__ = ("exact",)

    def __init__(
        self, data: Number, name: str | None = None, span: Span | None = None
    ) -> None:
        super().__init__(data, name)
        self.span = span
        self.exact = data if isinstance(data, Fraction) else None


def _pull_back(item: Value, operation: Operation) -> None:
    """Hand the adjoint of a node on to its operands."""
    data = [operand.data for operand in item.operands]
    if item.data is None or None in data:
        raise TypeError(
            "backward() needs data on every variable: give Value(2.0), not Value()"
        )
    for index, operand in enumerate(item.operands):
        if type(operand) is Constant:
            continue
        partial = local_partial(operation, index, item.data, data)  # type: ignore[arg-type] # no None
        if not math.isfinite(partial):
            raise NotDifferentiableError(
                f"{operation.signature} has no finite slope at {data}"
            )
        operand.grad += item.grad * partial


def as_value(thing: Value | Number) -> Value:
    """A node as it is; a constant for a number."""
    if isinstance(thing, Value):
        return thing
    if isinstance(thing, (int, float, Fraction)):
        return Constant(thing)
    raise TypeError(
        f"cannot compute with {type(thing).__name__}: give a number or a Value"
    )


def node(
    operation: Operation, operands: tuple[Value, ...], span: Span | None = None
) -> Value:
    """A node that is not computed."""
    new = Value.__new__(Value)
    new.data, new.grad, new.name, new.span = None, 0.0, None, span
    new.operation, new.operands = operation, operands
    return new


def apply(operation: Operation, *operands: Value | Number) -> Value:
    """The operation on operands, computed at once when every operand has data.

    Constants alone are left as they are: nothing is simplified while a graph is built. Raises
    `DomainError` where the operation is not defined.
    """
    nodes = tuple(map(as_value, operands))
    new = node(operation, nodes)
    if any(type(item) is not Constant for item in nodes):
        data = tuple(item.data for item in nodes)
        if None not in data:
            new.data = compute(operation, data)  # type: ignore[arg-type] # no None among them
    return new


SYMBOLS = Numbers(
    lambda operation: lambda *operands: apply(operation, *operands),
    {"pi": Constant(math.pi, "pi")},
)
"""Graph nodes as a number type: a rule that runs on them builds its formula."""


def power_operation(exponent: Value) -> Operation:
    """Which power it is: an exponent written as a fraction with odd denominator takes real roots."""
    fraction = rational(exponent)
    if fraction is None or fraction.denominator == 1 or fraction.denominator % 2 == 0:
        return TABLE["pow"]
    return TABLE["pow_odd" if fraction.numerator % 2 else "pow_even"]


def rational(root: Value, most: int = 60) -> Fraction | None:
    """The exact value of a small graph of whole numbers and + - * /, if it is one."""
    if root.operation is None:
        return _exact(root, [])
    if root.operation.name not in ("neg", "add", "sub", "mul", "div"):
        return None
    known: dict[Value, Fraction] = {}
    for item in topological(root, most):
        value = _exact(item, [known[operand] for operand in item.operands])
        if value is None or max(abs(value.numerator), value.denominator) > 10**9:
            return None
        known[item] = value
    return known.get(root)


def _exact(item: Value, arguments: list[Fraction]) -> Fraction | None:
    if isinstance(item, Constant):
        whole = item.exact is None and item.name is None and item.data is not None
        if whole and item.data.is_integer():  # type: ignore[union-attr] # not None
            return Fraction(int(item.data))  # type: ignore[arg-type] # not None
        return item.exact
    match item.operation and item.operation.name, arguments:
        case "neg", [x]:
            return -x
        case "add", [x, y]:
            return x + y
        case "sub", [x, y]:
            return x - y
        case "mul", [x, y]:
            return x * y
        case "div", [x, y] if y:
            return x / y
    return None


def topological(root: Value, most: int | None = None) -> list[Value]:
    """Every node from `root` down, operands before the nodes that use them.

    By an explicit stack, so that depth does not matter. With `most`, an empty list when there are
    more nodes than that.
    """
    order: list[Value] = []
    done: set[Value] = set()
    stack = [root]
    while stack:
        item = stack[-1]
        waiting = [operand for operand in item.operands if operand not in done]
        if waiting:
            waiting.reverse()
            stack += waiting
            if most is not None and len(order) + len(stack) > most:
                return []
        else:
            stack.pop()
            if item not in done:
                done.add(item)
                order.append(item)
    return order
