"""Derivatives of textbooks in the form that the answer key prints, up to the order of factors and terms."""

from __future__ import annotations

from pathlib import Path

import pytest

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import parse
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value
from exprgrad.operations.table import ADD, DIV, MUL, NEG, POW, SUB

LINES = (Path(__file__).parent / "textbook.txt").read_text().splitlines()
ROWS = [tuple(map(str.strip, line.split("|"))) for line in LINES if line[0] != "#"]
NAMES = ("a", "b", "c", "d", "x")


def _sum(item: Value, keys: dict[Value, object], sign: int = 1) -> list[object]:
    terms, stack = [], [(item, sign)]
    while stack:
        part, own = stack.pop()
        if part.operation in (ADD, SUB):
            minus = -own if part.operation is SUB else own
            stack += [(part.operands[0], own), (part.operands[1], minus)]
        elif part.operation is NEG:
            stack.append((part.operands[0], -own))
        else:
            terms.append(_product(part, keys, own))
    return sorted(terms, key=repr)


def _product(item: Value, keys: dict[Value, object], sign: int) -> object:
    above, below, stack = [], [], [(item, True)]
    number = [sign, 1]
    while stack:
        part, up = stack.pop()
        operation = part.operation
        if operation is MUL:
            stack += [(o, up) for o in part.operands]
        elif operation is DIV:
            stack += [(part.operands[0], up), (part.operands[1], not up)]
        elif operation is NEG:
            number[0] *= -1
            stack.append((part.operands[0], up))
        elif isinstance(part, Constant) and part.name is None:
            number[not up] *= int(part.data or 0)
        else:
            (above if up else below).append(keys[part])
    return (*number, sorted(above, key=repr), sorted(below, key=repr))


def form(root: Value) -> object:
    """The structure of a formula, whatever the order of its factors and terms."""
    keys: dict[Value, object] = {}
    for item in topological(root):
        operation = item.operation
        if operation in (ADD, SUB, NEG, MUL, DIV):
            keys[item] = ("sum", _sum(item, keys))
        elif operation is None:
            keys[item] = item.name or item.data
        else:
            own = [keys[o] for o in item.operands]
            power = operation.rule == POW.rule
            keys[item] = ("pow" if power else operation.name, own)
    return _sum(root, keys)


@pytest.mark.slow
def test_derivatives_have_the_form_of_the_answer_key():
    other = []
    for source, answer in ROWS:
        found = parse(source, NAMES).derivative("x")
        if form(found.root) != form(parse(answer, NAMES).root):
            other.append(f"{source}: {found}, not {answer}")
    assert len(ROWS) >= 200
    assert len(other) <= 0.05 * len(ROWS), "\n".join(other)


PLACES = (0.37, 1.7, 5.3)


@pytest.mark.slow
def test_answer_key_is_right():
    for source, answer in ROWS:
        f, key = parse(source, NAMES), parse(answer, NAMES)
        compared = 0
        for x in PLACES:
            at = {"a": 1.3, "b": 0.7, "c": 2.1, "d": 0.4, "x": x}
            try:
                slope = f.gradient({name: at[name] for name in f.variables})["x"]
            except ExprgradError:
                continue
            own = key(**{name: at[name] for name in key.variables})
            assert own == pytest.approx(slope, rel=1e-9), source
            compared += 1
        assert compared, source
