"""The arithmetic that most nodes are, written out where a call would cost as much as the node.

Sums, differences, products and quotients of nodes, and of a node and a number, are computed in `Value` and
swept in `backward` without a call of their kernels and partials; powers of a node to a number are computed so.
Their code is text, made from one template for each place and from what `RULES` says; tests hold it to the table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from exprgrad.annotations import Any
from exprgrad.operations.operation import ARITHMETIC

RULES = {
    "add": ("{x} + {y}", "adjoint", "adjoint"),
    "sub": ("{x} - {y}", "adjoint", "-adjoint"),
    "mul": ("{x} * {y}", "adjoint * y", "adjoint * x"),
    "div": ("{x} / {y}", "adjoint * (1 / y)", "adjoint * (-z / y)"),
}
"""By name: the result z of x and y, and what the adjoint of z contributes to those of x and y."""

METHODS = {
    "add": ("__add__", "__radd__"),
    "sub": ("__sub__", "__rsub__"),
    "mul": ("__mul__", "__rmul__"),
    "div": ("__truediv__", "__rtruediv__"),
}
"""The methods of Python's operators: with a node on the left, and with a number there."""


_NODE = """
new = Scalar()
new._data, new.operation, new.serial = data, {name}, _serial()
new.grad, new.left, new.right = 0.0, self, RIGHT
"""

_NUMBER = "new.number = number"

_METHOD = """
def {method}(self, other):
    kind = type(other)
    if kind is Scalar or kind is Value:
        try:
            data = {of_nodes}
        except FAILURES:  # without data, or a fault
            return _binary({name}, self, other)
        if data - data == 0:
            {with_node}
            return new
    elif kind is float or kind is int:
        kind = type(self)
        if kind is Scalar or kind is Value:
            try:
                number = other * 1.0
                data = {of_number}
            except FAILURES:
                return _binary({name}, self, other)
            if data - data == 0{finite}:
                {with_number}
                return new
    return _binary({name}, self, other)

def {reflected}(self, other):
    kind, own = type(other), type(self)
    if (kind is float or kind is int) and (own is Scalar or own is Value):
        try:
            number = other * 1.0
            data = {by_number}
        except FAILURES:
            return _binary({name}, other, self)
        if data - data == 0:
            {behind_number}
            return new
    return _binary({name}, other, self)
"""

_POWER = """
def __pow__(self, other):
    kind, own = type(other), type(self)
    if (kind is float or kind is int) and (own is Scalar or own is Value):
        try:
            number = other * 1.0
            data = power(self._data, number)
        except FAILURES:
            return _power(self, other)
        if data - data == 0:
            if number - number == 0:
                {with_number}
                return new
    return _power(self, other)
"""

_SWEPT = """
def swept(root):
    last = root.serial
    reached = [None] * 64  # by how far behind the root they came
    reached[0] = root
    root.grad = 1.0
    leaves = []
    try:
        for item in reached:  # which grows on the way
            if item is None:
                continue
            operation, adjoint = item.operation, item.grad
            left, right = item.left, item.right
            if right is None:
                partials = operation.float_partials or float_partials(operation)
                to_left = adjoint * partials[0](item._data, left._data)
            elif right is False:
                {with_number}
                else:
                    to_left = adjoint * {power}
            elif right is True:
                {behind_number}
            else:
                {with_node}
                else:
                    hand_on(item, last, reached, leaves)
                    continue
                {left_of_two}
                {right}
                continue
            {left}
        return add_up(leaves, reached)
    except FAILURES:
        return False
    finally:
        for leaf in leaves:
            leaf.share = None
"""

_HAND_ON = """
serial = {operand}.serial
if serial:
    serial = last - serial
    try:
        known = reached[serial]
    except IndexError:
        known = grow(reached, serial)
    if known is None:
        reached[serial] = {operand}
        {operand}.grad = to_{operand}
    else:
        {operand}.grad += to_{operand}
elif {operand}.share is not None:
    {operand}.share += to_{operand}
elif not {operand}.is_constant:
    leaves.append({operand})
    {operand}.share = to_{operand}
elif {operand}.version > item.serial:
    return False  # it was given other data
"""


def methods(known: dict[str, Any]) -> Mapping[str, Any]:
    """The methods of `Value`, which `known` has with the operations by name."""
    texts = [_POWER.format(**_made("POW"))]
    for name, (result, *_) in RULES.items():
        method, reflected = METHODS[name]
        results = {
            "of_nodes": result.format(x="self._data", y="other._data"),
            "of_number": result.format(x="self._data", y="number"),
            "by_number": result.format(x="number", y="self._data"),
            # the other results are infinite where the number is
            "finite": " and number - number == 0" if name == "div" else "",
        }
        text = _METHOD.format(
            method=method, reflected=reflected, **results, **_made(name.upper())
        )
        texts.append(text)
    namespace = _run(
        "".join(texts),
        {**known, "FAILURES": (*ARITHMETIC, TypeError), "power": math.pow},
    )
    names = [name for pair in METHODS.values() for name in pair]
    return {name: namespace[name] for name in (*names, "__pow__")}


def _made(name: str) -> dict[str, str]:
    """The pieces of the methods that make nodes of an operation."""
    node = _NODE.format(name=name)
    pieces = {
        "with_node": _indented(node.replace("RIGHT", "other"), 12),
        "with_number": _indented(node.replace("RIGHT", "False") + _NUMBER, 16),
        "behind_number": _indented(node.replace("RIGHT", "True") + _NUMBER, 12),
    }
    return {"name": name, **pieces}


def sweep(known: dict[str, Any]) -> Any:
    """The function `swept` of `backward`."""
    left, right = (_HAND_ON.format(operand=operand) for operand in ("left", "right"))
    one, other, number = "left._data", "right._data", "item.number"
    parts = {
        "with_number": _indented(_branches(one, number, left=0), 16),
        "behind_number": _indented(_branches(number, one, left=1), 16),
        "with_node": _indented(_branches(one, other, left=0, right=1), 16),
        "left_of_two": _indented(left, 16),
        "right": _indented(right, 16),
        "left": _indented(left, 12),
        "power": known["POW"].slopes[0].code.format("item._data", one, number),
    }
    return _run(_SWEPT.format(**parts), known)["swept"]


def _branches(x: str, y: str, **operands: int) -> str:
    """What adjoints receive, operation by operation: of operands, by whether they are x, 0, or y, 1."""
    places = {"x": x, "y": y, "z": "item._data"}
    branches: list[str] = []
    for name, (_, *rules) in RULES.items():
        to = {operand: rules[which] for operand, which in operands.items()}
        lines = [f"{v} = {p}" for v, p in places.items() if v in "".join(to.values())]
        lines += [f"to_{operand} = {rule}" for operand, rule in to.items()]
        test = "elif" if branches else "if"
        branches.append("\n    ".join([f"{test} operation is {name.upper()}:", *lines]))
    return "\n".join(branches)


def _indented(text: str, by: int) -> str:
    return text.strip().replace("\n", "\n" + " " * by)


def _run(source: str, known: dict[str, Any]) -> dict[str, Any]:
    namespace = dict(known)
    exec(compile(source, __file__, "exec"), namespace)  # text of this file alone
    return namespace
