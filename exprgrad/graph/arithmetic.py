"""The arithmetic that most nodes are, written out where a call would cost as much as the node.

Sums, differences, products and quotients are computed in `Value` and swept in `backward` without a call
of their kernels and partials. Their code is text, made from one template for each place and from what
`RULES` says; a test holds it to the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RULES = {
    "add": ("{x} + {y}", "adjoint", "adjoint"),
    "sub": ("{x} - {y}", "adjoint", "-adjoint"),
    "mul": ("{x} * {y}", "adjoint * y", "adjoint * x"),
    "div": ("{x} / {y}", "adjoint * (1 / y)", "adjoint * (-z / y)"),
}
"""By name: the result z of x and y, and what the adjoint of z contributes to those of x and y."""

METHODS = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__"}
"""The methods of Python's operators."""

_METHOD = """
def {method}(self, other):
    if type(other) is Value:
        try:
            data = {result}
        except (TypeError, ZeroDivisionError):  # without data, or a fault
            return _binary({name}, self, other)
        if data - data == 0:
            new = _new(Value)
            new._data, new.operation, new.serial = data, {name}, _serial()
            new.operands, new.grad = (self, other), 0.0
            new.name = new.span = None
            return new
    return _binary({name}, self, other)
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
                hand_on(item, last, reached, leaves)
                room = len(reached)
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
elif {operand}.share is None:
    if {operand}.operation is not None or {operand}.version > item.serial:
        return False  # it was given other data
    leaves.append({operand})
    {operand}.share = to_{operand}
elif {operand}.version > item.serial:
    return False
else:
    {operand}.share += to_{operand}
"""


def methods(known: dict[str, Any]) -> Mapping[str, Any]:
    """The methods of `Value`, which `known` has with the operations by name."""
    texts = [
        _METHOD.format(
            method=METHODS[name],
            name=name.upper(),
            result=rule[0].format(x="self._data", y="other._data"),
        )
        for name, rule in RULES.items()
    ]
    namespace = _run("".join(texts), known)
    return {method: namespace[method] for method in METHODS.values()}


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
    return _run(_SWEPT.format(**inner), known)["swept"]


def _loads(partials: str) -> str:
    """The statement that loads what the partials look at."""
    places = {"x": "left._data", "y": "right._data", "z": "item._data"}
    used = [name for name in places if name in partials]
    values = ", ".join(places[name] for name in used)
    return f"{', '.join(used)} = {values}" if used else "pass"


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n" + " " * 12)


def _run(source: str, known: dict[str, Any]) -> dict[str, Any]:
    namespace = dict(known)
    exec(compile(source, __file__, "exec"), namespace)  # text of this file alone
    return namespace
