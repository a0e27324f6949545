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
new = _new(Value)
new._data, new.operation, new.serial = data, {name}, _serial()
new.operands, new.grad = {operands}, 0.0
new.name = new.span = None
return new
"""

_CONSTANT = """
constant = _new(Constant)
constant._data, constant.grad, constant.version = number, 0.0, 0
constant.name = constant.exact = constant.written = constant.span = None
"""

_METHOD = """
def {method}(self, other):
    kind = type(other)
    if kind is Value:
        try:
            data = {of_nodes}
        except FAILURES:  # without data, or a fault
            return _binary({name}, self, other)
        if data - data == 0:
            {node}
    elif (kind is float or kind is int) and type(self) is Value:
        try:
            number = other if kind is float else other * 1.0
            data = {of_number}
        except FAILURES:
            return _binary({name}, self, other)
        if data - data == 0{finite}:
            {constant}
            {with_number}
    return _binary({name}, self, other)

def {reflected}(self, other):
    kind = type(other)
    if (kind is float or kind is int) and type(self) is Value:
        try:
            number = other if kind is float else other * 1.0
            data = {by_number}
        except FAILURES:
            return _binary({name}, other, self)
        if data - data == 0:
            {constant}
            {behind_number}
    return _binary({name}, other, self)
"""

_POWER = """
def __pow__(self, other):
    kind = type(other)
    if (kind is float or kind is int) and type(self) is Value:
        try:
            number = other if kind is float else other * 1.0
            data = power(self._data, number)
        except FAILURES:
            return _power(self, other)
        if data - data == 0 and (kind is int or number - number == 0):
            {constant}
            {with_number}
    return _power(self, other)
"""

_SWEPT = """
def swept(root):
    last, room = root.serial, 64
    reached = [None] * room  # by how far behind the root they came
    reached[0] = root
    root.grad = 1.0
    leaves = []
    try:
        for item in reached:  # which grows on the way
            if item is None:
                continue
            operation, adjoint = item.operation, item.grad
            {branches}
            else:
                operands = item.operands
                partials = operation.float_partials or float_partials(operation)
                if len(operands) == 1:
                    (left,) = operands
                    to_left = adjoint * partials[0](item._data, left._data)
                elif len(operands) == 2 and operands[1].is_constant and not operands[1].version:
                    left, right = operands
                    to_left = adjoint * partials[0](item._data, left._data, right._data)
                else:
                    hand_on(item, last, reached, leaves)
                    room = len(reached)
                    continue
                {alone}
                continue
            {left}
            {right}
        return add_up(leaves)
    except FAILURES:
        return False
    finally:
        for leaf in leaves:
            leaf.share = None
"""

_BRANCH = """
{test} operation is {name}:
    left, right = item.operands
    {loads}
    to_left, to_right = {to_left}, {to_right}
"""

_HAND_ON = """
if {operand}.serial:
    there = last - {operand}.serial
    if there >= room:
        room = grow(reached, there)
    if reached[there] is None:
        reached[there] = {operand}
        {operand}.grad = to_{operand}
    else:
        {operand}.grad += to_{operand}
elif {operand}.operation is not None or {operand}.version > item.serial:
    return False  # it was given other data
elif {operand}.is_constant:
    pass
elif {operand}.share is None:
    leaves.append({operand})
    {operand}.share = to_{operand}
else:
    {operand}.share += to_{operand}
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
            "finite": " and (kind is int or number - number == 0)"
            if name == "div"
            else "",
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
    operands = {
        "node": "(self, other)",
        "with_number": "(self, constant)",
        "behind_number": "(constant, self)",
    }
    nodes = {key: _NODE.format(name=name, operands=o) for key, o in operands.items()}
    texts = {**nodes, "constant": _CONSTANT}
    return {"name": name} | {key: _indented(text) for key, text in texts.items()}


def sweep(known: dict[str, Any]) -> Any:
    """The function `swept` of `backward`."""
    branches = "".join(
        _BRANCH.format(
            test="elif" if i else "if", name=name.upper(),
            loads=_loads(rule[1] + rule[2]), to_left=rule[1], to_right=rule[2],
        )
        for i, (name, rule) in enumerate(RULES.items())
    )  # fmt: skip
    left, right = (_HAND_ON.format(operand=operand) for operand in ("left", "right"))
    parts = {"branches": branches, "left": left, "right": right}
    inner = {key: _indented(text) for key, text in parts.items()}
    inner["alone"] = _indented(left, 16)
    return _run(_SWEPT.format(**inner), known)["swept"]


def _loads(partials: str) -> str:
    """The statement that loads what the partials look at."""
    places = {"x": "left._data", "y": "right._data", "z": "item._data"}
    used = [name for name in places if name in partials]
    values = ", ".join(places[name] for name in used)
    return f"{', '.join(used)} = {values}" if used else "pass"


def _indented(text: str, by: int = 12) -> str:
    return text.strip().replace("\n", "\n" + " " * by)


def _run(source: str, known: dict[str, Any]) -> dict[str, Any]:
    namespace = dict(known)
    exec(compile(source, __file__, "exec"), namespace)  # text of this file alone
    return namespace
