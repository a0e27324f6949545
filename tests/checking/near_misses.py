"""Pairs that differ at single points, in narrow pieces or far out, and twins of them that are equal, over the table.

    python -m tests.checking.near_misses 7 1000         # the verdicts on so many pairs that are false, or open

What jumps and what levels off is asked of each row, so that a new one is covered by being there.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import exprgrad
from exprgrad.checking.domain import landmarks
from exprgrad.checking.sharp import jumps_at_all, levels_off
from exprgrad.graph.value import Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation

SAME = [
    ("sin(x)^2", "1 - cos(x)^2"),
    ("(x + 1)^2", "x^2 + 2*x + 1"),
    ("sin(2*x)", "2*sin(x)*cos(x)"),
    ("x/(1 + x^2)", "x*(1 + x^2)^-1"),
    ("atan(x)", "-atan(-x)"),
    ("1", "1"),
    ("0", "0"),
]
SLOPES = [
    ("x^2", "2*x"),
    ("sin(x)", "cos(x)"),
    ("x^3/3 + x", "x^2 + 1"),
    ("atan(x)", "1/(1 + x^2)"),
    ("3", "0"),
]


class Pair(NamedTuple):
    """Two texts, and whether they are equal: `f` is the function that the second is the slope of, if there is one."""

    kind: str
    a: str
    b: str
    truth: bool
    f: str = ""

    @property
    def verdict(self) -> str:
        """What the program says: right, wrong, or open."""
        if self.f:
            said = exprgrad.check(self.f, self.b, "x").status
        else:
            said = exprgrad.equivalent(self.a, self.b).status
        if said == "undecided":
            return "open"
        return "right" if (said in ("equal", "correct")) == self.truth else "wrong"


def call(operation: Operation, *texts: str) -> str:
    """The operation on operands that are given as texts."""
    stand_ins = {f"u{i}u": text for i, text in enumerate(texts)}
    text = to_text(node(operation, tuple(Value(None, name) for name in stand_ins)))
    for name, own in stand_ins.items():
        text = text.replace(name, f"({own})")
    return f"({text})"


def rows() -> Iterator[Operation]:
    """The rows that take numbers."""
    return (row for row in TABLE.values() if not row.whole and row.arity in (1, 2))


def single_points() -> list[Callable[[str], str]]:
    """Ways to write what is 0 but where its argument is 0: two of each row that jumps, and more."""
    found: list[Callable[[str], str]] = []
    for row in rows():
        if not jumps_at_all(row):
            continue
        levels = landmarks(row)[0] if row.arity == 1 else (0.0,)
        for level in sorted(levels, key=abs)[:2]:
            found += _both_sides(row, level)
    found += [
        lambda u: f"0^abs({u})",
        lambda u: f"floor(1/(1 + ({u})^2))",
        lambda u: f"1 - ceil(({u})^2/(1 + ({u})^2))",
        lambda u: f"floor(7/(1 + ({u})^2)) - floor(6.999/(1 + ({u})^2))",
        lambda u: f"if({u} == 0, 2, 0)",
        lambda u: f"if(not ({u}), 3, 0)",
        lambda u: f"if({u}, 0, 5)",
        lambda u: f"if({u} <= 0 and {u} >= 0, 1, 0)",
        lambda u: f"if(({u})^2 > 0, 0, 1e-12)",
    ]
    return found


def _both_sides(row: Operation, level: float) -> Iterator[Callable[[str], str]]:
    """The sum and the product of a row's values on both sides of a level, less what they are beside it."""

    def value(u: float, sign: str) -> float:
        one, other = (row.kernel(*_arguments(row, level + v)) for v in (u, -u))
        return one + other if sign == "+" else one * other

    for sign in "+*":
        try:
            beside, at = value(2.0**-20, sign), value(0.0, sign)
        except ARITHMETIC:
            continue
        if abs(at - beside) > 0.1 and beside == round(beside) == value(2.0**-9, sign):
            yield (
                lambda u, sign=sign, beside=beside: (
                    f"{call(row, *_texts(row, level, u))}{sign}"
                    f"{call(row, *_texts(row, level, f'-({u})'))} - ({beside:g})"
                )
            )


def _arguments(row: Operation, x: float) -> list[float]:
    return [x] if row.arity == 1 else [x, 0.0]


def _texts(row: Operation, level: float, u: str) -> list[str]:
    return [f"{level:g} + {u}"] if row.arity == 1 else [u, "0"]


def transitions() -> list[Callable[[str, str], tuple[str, str]]]:
    """Of each row that levels off, two functions of (u, K) that differ where K*u is about 1 alone."""

    def pair(row: Operation, i: int, u: str, k: str) -> tuple[str, str]:
        texts = [["2.4"] * row.arity for _ in range(2)]
        texts[0][i], texts[1][i] = f"-(({k})*({u}))^2", f"-2*(({k})*({u}))^2"
        return call(row, *texts[0]), call(row, *texts[1])

    return [
        lambda u, k, row=row, i=i: pair(row, i, u, k)
        for row in rows()
        for i in range(row.arity)
        if levels_off(row, i, tuple(None if j == i else 2.4 for j in range(row.arity)))
        and _rests_below(row, i)
    ]


def _rests_below(row: Operation, i: int) -> bool:
    """Whether it has come to rest on the left to so many digits that no other point shows a difference."""
    own = [2.4] * row.arity
    try:
        values = []
        for own[i] in (-100.0, -200.0, -0.5, 0.0):
            values.append(row.kernel(*own))
    except ARITHMETIC:
        return False
    return abs(values[0] - values[1]) < 1e-30 < abs(values[1] - values[2])


def argument(pick: random.Random, single: bool = True) -> str:
    """A text that is 0 at a place that is a double, a fraction, a root, the value of a function; or far out."""
    p, q = pick.randint(-99, 99), pick.choice((3, 7, 97, 9973))
    n = pick.choice((2, 3, 5, 7, 11))
    return pick.choice(
        [
            f"x - {pick.randint(-9, 9)}",
            f"x - {pick.randint(-99, 99)}/16",
            f"x - {p}/{q}",
            f"{q}*x - ({p})",
            f"x - sqrt({n})",
            f"x^2 - {n}",
            f"(x - {n})^2",
            f"x^3 - {n}",
            f"2^x - {2**n}",
            f"exp(x) - {n}",
            f"ln(x^2 + 1) - {n}",
            f"x - pi/{n}",
            f"x^2 + x - {n}",
            f"x - 10^{pick.choice((5, 12))}",
            f"x - 1/10^{pick.choice((5, 12))}",
        ]
        if single
        else [
            "x - y",
            "x*y - 1",
            f"x - {n}*y + 1/3",
            "x - y^2",
            f"y - {p}/{q}",
            f"abs(x - {n}) + abs(y - 1/{q})",
            f"(x - {n})^2 + (y + 1/{q})^2",
        ]
    )


def center(pick: random.Random) -> str:
    """A place of narrow pieces."""
    p, q = pick.randint(-99, 99), pick.choice((1, 3, 16, 97, 9973))
    return pick.choice([f"x - ({p}/{q})", f"x - ({p}/{q})", f"x - sqrt({abs(p) + 2})"])


def defects(pick: random.Random) -> Iterator[tuple[str, str, str, bool]]:
    """Kind, what is added on both sides, and whether it is the same."""
    single, steep = single_points(), transitions()
    while True:
        u = argument(pick)
        way = pick.choice(single)
        yield "single point", way(u), "0", False
        yield "single point", way(u), way(f"1*({u})"), True
        u = argument(pick, single=False)
        way = pick.choice(single)
        yield "single point in two variables", way(u), "0", False
        yield "single point in two variables", way(u), way(f"1*({u})"), True
        u, k = center(pick), f"{pick.randint(1, 9)}*10^{pick.randint(3, 30)}"
        one, other = pick.choice(steep)(u, k)
        yield "transition", one, other, False
        yield "transition", one, one.replace(f"({u})", f"(1*({u}))"), True
        narrow = pick.choice(
            [
                f"max(0, 1 - {k}*abs({u}))",
                f"relu(1 - ({k}*({u}))^2)",
                f"if(abs({u}) < 1/({k}), 1, 0)",
                f"abs({u} + 1/({k})) - abs({u}) + abs({u} - 1/({k})) - abs({u})",
                f"1/(1 + ({k}*({u}))^2)",
                f"exp(-({k}*({u}))^2)",
                f"tanh({k}*({u})) - sign({u})",
                f"sqrt(({u})^2 + 1/({k})^2) - abs({u})",
            ]
        )
        yield "narrow", narrow, "0", False
        yield "narrow", narrow, narrow.replace(f"({u})", f"(1*({u}))"), True
        far = f"10^{pick.randint(2, 60)}"
        wide = pick.choice(
            [
                f"max(0, x - {far})",
                f"relu(-x - {far})/{far}",
                f"abs(x - {far}) + x - {far}",
                f"sqrt((x + {far})^2) - x - {far}",
                f"if(x > {far}, 1, 0)",
                f"x - min(x, {far})",
                f"step(x - {far})",
            ]
        )
        yield "far out", wide, "0", False
        yield "far out", wide, re.sub(r"\bx\b", "(x + 0)", wide), True


def pairs(seed: int, count: int) -> Iterator[Pair]:
    """So many pairs."""
    pick = random.Random(seed)
    found = defects(pick)
    for _ in range(count):
        kind, one, other, truth = next(found)
        if pick.random() < 0.5:
            a, b = pick.choice(SAME)
            yield Pair(kind, f"{a} + {one}", f"{b} + {other}", truth)
        elif other == "0":
            f, slope = pick.choice(SLOPES)
            yield Pair(kind, slope, f"{slope} + ({one})", truth, f)
        else:
            f, slope = pick.choice(SLOPES)
            yield Pair(kind, slope, f"{slope} + ({one}) - ({other})", truth, f)


def main() -> None:
    """Ask about so many pairs, and print what is not right."""
    seed, count = map(int, sys.argv[1:])
    counts: Counter[tuple[str, bool, str]] = Counter()
    for pair in pairs(seed, count):
        said = pair.verdict
        counts[pair.kind, pair.truth, said] += 1
        if said != "right":
            print(said, *pair)
    for key, number in sorted(counts.items()):
        print(number, *key)


if __name__ == "__main__":
    main()
