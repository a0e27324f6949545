"""Random expressions over the whole table, and points for them, both as texts that the package reads."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

Tree = tuple[Any, ...]
"""("var", name), ("num", text), or (row, tree, ...)."""

WRITTEN = {
    "neg": "(-{})", "add": "({} + {})", "sub": "({} - {})", "mul": "({}*{})", "div": "({}/{})", "pow": "({})^({})",
    "pow_even": "({})^(2/3)", "pow_odd": "({})^(1/3)", "polygamma": "digamma({}, {})", "sinc_n": "sinc({}, {})",
    "factorial": "({})!", "huber_at": "huber({}, {}, {})", "lt": "({} < {})", "le": "({} <= {})", "gt": "({} > {})",
    "ge": "({} >= {})", "eq": "({} == {})", "ne": "({} != {})", "not": "(not {})", "and": "({} and {})",
    "or": "({} or {})", "if": "if({}, {}, {})",
}  # fmt: skip
"""How rows are written that are not called by their names."""

ARITIES = {
    "if": 3, "huber_at": 3, "nll_gaussian": 3, "add": 2, "sub": 2, "mul": 2, "div": 2, "pow": 2, "root": 2,
    "hypot": 2, "log": 2, "atan2": 2, "mod": 2, "min": 2, "max": 2, "polygamma": 2, "sinc_n": 2, "mse": 2, "mae": 2,
    "huber": 2, "bce": 2, "bce_logits": 2, "lt": 2, "le": 2, "gt": 2, "ge": 2, "eq": 2, "ne": 2, "and": 2, "or": 2,
}  # fmt: skip

COMMON = (
    "add",
    "sub",
    "mul",
    "div",
    "pow",
    "sqrt",
    "abs",
    "max",
    "if",
    "sin",
    "exp",
    "ln",
)
CONDITIONS = ("lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not")
SPECIAL = (
    "0",
    "1",
    "-1",
    "1/2",
    "-1/2",
    "3/2",
    "2",
    "-2",
    "3",
    "-3",
    "0.1",
    "0.3",
    "-0.7",
    "1e-8",
    "1e8",
)
MULTIPLES = (
    "pi",
    "-1 pi",
    "1/2 pi",
    "-1/2 pi",
    "2 pi",
    "1/4 pi",
    "1/3 pi",
    "1/6 pi",
    "3/2 pi",
    "5/6 pi",
)
FAR = ("1e300", "-1e300", "1e-300", "-1e-300")
NUMBERS = ("0", "1", "2", "3", "0.5", "0.1", "0.3", "1.5", "10", "-1", "-2")


class Case(NamedTuple):
    """An expression and a point, each coordinate a text."""

    tree: Tree
    at: dict[str, str]


def text(tree: Tree) -> str:
    """The expression as it is typed."""
    if tree[0] in ("var", "num"):
        return f"({tree[1]})" if tree[1].startswith("-") else str(tree[1])
    name, *operands = tree
    own = [text(operand) for operand in operands]
    return WRITTEN.get(name, f"{name}({', '.join(['{}'] * len(own))})").format(*own)


def size(tree: Tree) -> int:
    """How many operations it has."""
    return 0 if tree[0] in ("var", "num") else 1 + sum(size(t) for t in tree[1:])


def case(rng: random.Random, rows: tuple[str, ...]) -> Case:
    """An expression of one or two variables, at an ordinary or a special point."""
    names = rng.choice((("x",), ("x",), ("x", "y")))
    tree = _tree(rng, rows, names, rng.choice((1, 1, 2, 2, 3, 4)))
    used = sorted(set(_variables(tree)))
    if not used:
        tree, used = ("add", tree, ("var", "x")), ["x"]
    kind = rng.random()
    at = {name: _coordinate(rng, kind) for name in used}
    return Case(tree, at)


def _variables(tree: Tree) -> list[str]:
    if tree[0] == "var":
        return [tree[1]]
    return [] if tree[0] == "num" else [n for t in tree[1:] for n in _variables(t)]


def _coordinate(rng: random.Random, kind: float) -> str:
    if kind < 0.35:
        return rng.choice(SPECIAL)
    if kind < 0.5:
        return rng.choice(MULTIPLES)
    if kind < 0.55:
        return rng.choice(FAR)
    if kind < 0.6:
        return rng.choice(("sqrt(2)", "sqrt(3)", *SPECIAL, *MULTIPLES))
    digits = rng.choice((0, 1, 3, 6))
    return f"{rng.uniform(-4, 4) * rng.choice((1, 1, 1, 100)):.{digits}f}"


def _leaf(rng: random.Random, names: tuple[str, ...]) -> Tree:
    if rng.random() < 0.7:
        return "var", rng.choice(names)
    if rng.random() < 0.1:
        return "num", rng.choice(("pi", "e"))
    return "num", rng.choice(NUMBERS)


def _tree(
    rng: random.Random, rows: tuple[str, ...], names: tuple[str, ...], depth: int
) -> Tree:
    if depth == 0 or (depth < 3 and rng.random() < 0.1):
        return _leaf(rng, names)
    name = rng.choice(COMMON if rng.random() < 0.35 else rows)
    inside = [_tree(rng, rows, names, depth - 1) for _ in range(ARITIES.get(name, 1))]
    if name == "factorial":
        return name, ("num", rng.choice(("0", "1", "4", "7", "20")))
    if name in ("polygamma", "sinc_n"):
        return name, inside[0], ("num", rng.choice("0123"))
    if name == "huber_at":
        return name, inside[0], inside[1], ("num", rng.choice(("0.5", "2")))
    if name == "if" and rng.random() < 0.8:
        below = [_tree(rng, rows, names, max(0, depth - 2)) for _ in range(2)]
        return name, (rng.choice(CONDITIONS[:6]), *below), *inside[1:]
    if name in ("pow", "root") and rng.random() < 0.5:
        return name, inside[0], ("num", rng.choice(("2", "3", "-1", "0.5", "0", "4")))
    return name, *inside
