"""Other ways to write an expression, with the same value wherever it is defined over the reals.

    rewritten("2*x*cos(x^2)", random.Random(1), 3)     three steps at random places

A step may leave single points out, as multiplying by u/u does, or define more, as ln(u^2)/2 for ln(u).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from exprgrad.expressions.expression import parse
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import to_text

FACTORS = ("x", "(x^2 + 1)", "cos(x)", "(x - 2)", "e^x", "(3 - 2x)")

Step = Callable[[Value, random.Random], str | None]


def _t(item: Value) -> str:
    return f"({to_text(item)})"


def _is(item: Value, name: str) -> bool:
    return item.operation is not None and item.operation.name == name


def _whole(item: Value, least: int) -> bool:
    if not (_is(item, "pow") and isinstance(item.operands[1], Constant)):
        return False
    exponent = item.operands[1].data or 0.0
    return exponent == int(exponent) and exponent >= least


def _swapped(item: Value, rng: random.Random) -> str | None:
    for name, sign in (("add", "+"), ("mul", "*")):
        if _is(item, name):
            return f"{_t(item.operands[1])} {sign} {_t(item.operands[0])}"
    if _is(item, "sub"):
        return f"-({_t(item.operands[1])} - {_t(item.operands[0])})"
    return None


def _expanded(item: Value, rng: random.Random) -> str | None:
    if _is(item, "mul") or _is(item, "div"):
        a, b = item.operands
        sign = "*" if _is(item, "mul") else "/"
        for name, between in (("add", "+"), ("sub", "-")):
            if _is(a, name):
                c, d = map(_t, a.operands)
                return f"{c}{sign}{_t(b)} {between} {d}{sign}{_t(b)}"
            if _is(b, name) and sign == "*":
                c, d = map(_t, b.operands)
                return f"{_t(a)}*{c} {between} {_t(a)}*{d}"
    if _whole(item, 2) and _is(item.operands[0], "add"):
        a, b = map(_t, item.operands[0].operands)
        rest = (item.operands[1].data or 0) - 2
        return f"({a}^2 + 2*{a}*{b} + {b}^2)*({a} + {b})^{rest:.0f}"
    return None


def _factored(item: Value, rng: random.Random) -> str | None:
    for name, sign in (("add", "+"), ("sub", "-")):
        if _is(item, name):
            a, b = map(_t, item.operands)
            if all(_is(o, "div") for o in item.operands):
                (p, q), (r, s) = (map(_t, o.operands) for o in item.operands)
                return f"({p}*{s} {sign} {r}*{q})/({q}*{s})"
            return rng.choice([f"{a}*(1 {sign} {b}/{a})", f"2*({a}/2 {sign} {b}*0.5)"])
    return None


def _trigonometric(item: Value, rng: random.Random) -> str | None:
    if item.operation is None:
        return None
    u = _t(item.operands[0])
    half = f"({u}/2)"
    choices = {
        "sin": [f"cos(pi/2 - {u})", f"2*sin{half}*cos{half}", f"-sin(-{u})"],
        "cos": [f"cos{half}^2 - sin{half}^2", f"(1 - 2*sin{half}^2)", f"cos(-{u})"],
        "tan": [f"sin({u})/cos({u})", f"1/cot({u})"],
        "sec": [f"1/cos({u})", f"cos({u})^(-1)"],
        "csc": [f"1/sin({u})"],
        "cot": [f"cos({u})/sin({u})"],
        "exp": [f"1/e^(-{u})", f"e^({u} - 1)*e", f"(e^{half})^2", f"cosh{u} + sinh{u}"],
        "ln": [
            f"ln({u}^2)/2",
            f"-ln(1/{u})",
            f"log10({u})*ln(10)",
            f"ln(3*{u}) - ln(3)",
        ],
        "sqrt": [f"{u}^(1/2)", f"{u}/sqrt({u})", f"({u}^2)^(1/4)", f"sqrt(4*{u})/2"],
    }
    found = choices.get(item.operation.name)
    if _whole(item, 2) and item.operands[1].data == 2:
        inside = item.operands[0]
        squares = {"sin": "(1 - cos({})^2)", "cos": "(1 + cos(2*{}))/2", "sec": "(1 + tan({})^2)"}  # fmt: skip
        for name, square in squares.items():
            if _is(inside, name):
                found = [square.format(_t(inside.operands[0]))]
    return rng.choice(found) if found else None


def _power(item: Value, rng: random.Random) -> str | None:
    if _is(item, "div"):
        a, b = map(_t, item.operands)
        return rng.choice([f"{a}*{b}^(-1)", f"{a}*(1/{b})", f"-{a}/(-{b})"])
    if _whole(item, 2):
        base, exponent = _t(item.operands[0]), int(item.operands[1].data or 0)
        return f"{base}^{exponent - 1}*{base}"
    if _is(item, "pow") and isinstance(item.operands[0], Constant):
        return f"e^({_t(item.operands[1])}*ln{_t(item.operands[0])})"
    return None


def _padded(item: Value, rng: random.Random) -> str | None:
    u = rng.choice(FACTORS)
    return rng.choice(
        [f"{_t(item)}*{u}/{u}", f"{_t(item)}*(sin({u})^2 + cos({u})^2)",
         f"{_t(item)} + {u} - {u}", f"(2*{_t(item)} + {_t(item)})/3"]
    )  # fmt: skip


STEPS: Sequence[Step] = (
    *(_swapped, _expanded, _factored, _trigonometric, _trigonometric, _power),
    *(_expanded, _factored, _padded),
)


def rewritten(source: str, rng: random.Random, steps: int, wrt: str = "x") -> str:
    """The expression after that many steps at random places."""
    for _ in range(steps):
        root = parse(source, [wrt]).root
        places = _places(root)
        for _ in range(20):
            item = rng.choice(places or [root])
            other = rng.choice(STEPS)(item, rng)
            if other is not None:
                source = _with(root, item, other, wrt)
                break
    return source


def _places(root: Value) -> list[Value]:
    """The operations, without those of exponents: how x^(1/3) is written tells that it is a real root."""
    order = topological(root)
    inside: set[Value] = set()
    for item in order:
        if _is(item, "pow") or _is(item, "pow_odd") or _is(item, "pow_even"):
            inside.update(topological(item.operands[1]))
    return [item for item in order if item.operation is not None and item not in inside]


def _with(root: Value, item: Value, other: str, wrt: str) -> str:
    """The text of a graph in which a part is replaced."""
    copies = {item: Value(None, "replaced")}
    for part in topological(root):
        if part.operation is not None and part not in copies:
            operands = tuple(copies.get(o, o) for o in part.operands)
            copies[part] = node(part.operation, operands)
    return to_text(copies.get(root, root)).replace("replaced", f"({other})")
