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
    "add": ("add", "{x} + {y}", "adjoint", "adjoint"),
    "sub": ("sub", "{x} - {y}", "adjoint", "-adjoint"),
    "mul": ("mul", "{x} * {y}", "adjoint * y", "adjoint * x"),
    "div": ("truediv", "{x} / {y}", "adjoint * (1 / y)", "adjoint * (-z / y)"),
}
"""By name: Python's operator, the result z of x and y, and what the adjoint of z contributes to those of x and y."""

_NODE = """
new = Scalar()
new._data, new.operation, new.serial = data, {name}, _serial()
new.grad, new.left, new.right = 0.0, self, {right}
"""

_METHOD = """
def {method}(self, other):
    kind = type(other)
    {of_nodes}
    if kind is float or kind is int:
        kind = type(self)
        if kind is Scalar or kind is Value:
            try:
                number = other * 1.0
                data = {result}
            except FAILURES:
                return {otherwise}
            if data - data == 0{finite}:
                {node}
                new.number = number
                return new
    return {otherwise}
"""

_OF_NODES = """
if kind is Scalar or kind is Value:
    try:
        data = {result}
    except FAILURES:  # without data, or a fault
        return {otherwise}
    if data - data == 0:
        {node}
        return new
"""

# `reached` has a place for each number below the root's: a node's turn comes after all that use it, without a search
# or a heap. The loop sees the places that are added meanwhile.
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
                    {of_others}
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

# What a leaf receives waits in `share` until the sweep has gone through: one that gives up halfway must not have
# touched `grad`, in which earlier sweeps add up.
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


_OF_OTHERS = """
data = [operand._data for operand in item.operands]
partials = operation.float_partials or float_partials(operation)
for operand, partial in zip(item.operands, partials):
    if operand.is_constant and not operand.version:
        continue
    to_operand = adjoint * partial(item._data, *data)
    {hand_on}
"""


def methods(known: dict[str, Any]) -> Mapping[str, Any]:
    """The methods of `Value`, which `known` has with the operations by name."""
    names, texts = ["__pow__"], [_method("__pow__", "pow", "power(self._data, number)")]
    for name, (operator, rule, *_) in RULES.items():
        names += f"__{operator}__", f"__r{operator}__"
        result = rule.format(x="self._data", y="number")
        reflected = rule.format(x="number", y="self._data")
        of_nodes = rule.format(x="self._data", y="other._data")
        texts.append(_method(names[-2], name, result, of_nodes=of_nodes))
        texts.append(_method(names[-1], name, reflected, behind=True))
    # A variable without data has None, and None + 2.0 is a TypeError: it is then built as a node that is not
    # computed.
    failures = {"FAILURES": (*ARITHMETIC, TypeError), "power": math.pow}
    namespace = _run("".join(texts), {**known, **failures})
    return {name: namespace[name] for name in names}


def _method(
    method: str, name: str, result: str, of_nodes: str = "", behind: bool = False
) -> str:
    """A method that applies an operation to a node and a number, which may stand `behind` it, or to two nodes."""
    operands = "other, self" if behind else "self, other"
    parts = {
        "name": name.upper(),
        "otherwise": f"_binary({name.upper()}, {operands})",
        # other results are infinite where the number is
        "finite": " and number - number == 0" if name in ("div", "pow") else "",
    }
    if name == "pow":
        parts["otherwise"] = "_power(self, other)"
    made = _NODE.format(right="other", **parts)
    nodes = _OF_NODES.format(result=of_nodes, node=_indented(made, 8), **parts)
    made = _NODE.format(right=behind, **parts)
    return _METHOD.format(
        method=method,
        result=result,
        node=_indented(made, 16),
        of_nodes=_indented(nodes, 4) if of_nodes else "",
        **parts,
    )


def sweep(known: dict[str, Any]) -> Any:
    """The function `swept` of `backward`."""
    operands = "left", "right", "operand"
    left, right, hand_on = (_HAND_ON.format(operand=operand) for operand in operands)
    one, other, number = "left._data", "right._data", "item.number"
    parts = {
        "with_number": _indented(_branches(one, number, left=0), 16),
        "behind_number": _indented(_branches(number, one, left=1), 16),
        "with_node": _indented(_branches(one, other, left=0, right=1), 16),
        "left_of_two": _indented(left, 16),
        "right": _indented(right, 16),
        "left": _indented(left, 12),
        "of_others": _indented(_OF_OTHERS.format(hand_on=_indented(hand_on, 4)), 20),
        "power": known["POW"].slopes[0].code.format("item._data", one, number),
    }
    return _run(_SWEPT.format(**parts), known)["swept"]


def _branches(x: str, y: str, **operands: int) -> str:
    """Return what adjoints receive, operation by operation: of operands, by whether they are x, 0, or y, 1."""
    places = {"x": x, "y": y, "z": "item._data"}
    branches: list[str] = []
    for name, (_, _, *rules) in RULES.items():
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
