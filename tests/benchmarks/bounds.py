"""What bounds cost: `evaluate` beside one sweep in doubles over the same graph.

    python tests/benchmarks/bounds.py [GRAPHS]

Random graphs of 100 operations of the whole table, ties and corners among them, over one forward and one reverse
sweep; mixed graphs of 10 to 100,000 operations, functions included, over `refine=False`; and the longest of all random
graphs at 40 digits. Medians and maxima of ratios within one run, CPU time, the best of a few calls.
"""

from __future__ import annotations

import contextlib
import math
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Constant, Value, node
from exprgrad.operations.number_types import at_corner
from exprgrad.operations.operation import ARITHMETIC, TABLE
from exprgrad.sweeps.tape import primals, pull_back
from tests.benchmarks.speed import NAMES, X0, expression_of, graph, show

NUMBERS = (0, 1, 2, 3, 0.5, 1.5, 4, 10, 0.25, 7, 0.1, 0.3, 1e-5, 123.456, 1e6, -1)
ORDERS = ("polygamma", "sinc_n")
ROWS = [row for row in TABLE.values() if row.whole is None and row.name != "factorial"]
OFTEN = [TABLE[name] for name in ("add", "sub", "mul", "div", "pow")]


def random_graph(
    rng: random.Random, size: int
) -> tuple[Expression, dict[str, float]] | None:
    """A graph of so many operations, each of which has a value at the point; None where the last reaches too few."""
    names = "xyzab"[: rng.choice((1, 2, 3, 5))]
    at = {name: rng.choice((0.1, 1.1, -0.7, 2.5, 1.25, rng.uniform(-3, 3))) for name in names}  # fmt: skip
    pool: list[tuple[Value, float]] = [(Value(None, n), x) for n, x in at.items()]
    leaves = list(pool)
    for _ in range(25 * size):
        if len(pool) >= size + len(leaves):
            break
        row = rng.choice(OFTEN) if rng.random() < 0.4 else rng.choice(ROWS)
        if (row.steps or row.choose is not None) and rng.random() < 0.7:
            continue
        own = [_picked(rng, pool, leaves) for _ in range(row.arity)]
        if row.name in ORDERS:
            own[1] = (Constant(order := rng.randrange(5)), float(order))
        try:
            value = row.kernel(*(x for _, x in own))
        except (*ARITHMETIC, TypeError):
            continue
        alike = len(own) == 2 and own[0][0] is own[1][0]
        if at_corner(row, [x for _, x in own]) and not alike:
            continue  # ties come from what is there twice
        if math.isfinite(value) and (not value or 1e-9 < abs(value) < 1e9):
            pool.append((node(row, tuple(item for item, _ in own)), value))
    expression = Expression.of(pool[-1][0])
    if len(expression.tape.steps) < size // 2 or not expression.variables:
        return None
    return expression, {name: at[name] for name in expression.variables}


def _picked(
    rng: random.Random,
    pool: list[tuple[Value, float]],
    leaves: list[tuple[Value, float]],
) -> tuple[Value, float]:
    """Mostly one of the last, so that graphs are deep; at times a leaf or a number."""
    share = rng.random()
    if share < 0.12:
        number = rng.choice(NUMBERS)
        return Constant(number), float(number)
    if share < 0.3:
        return rng.choice(leaves)
    last = min(len(pool), 1 + int(rng.expovariate(0.35)))
    return pool[-last] if share < 0.85 else rng.choice(pool)


def best(work: Callable[[], object], calls: int = 4) -> float:
    """Seconds of CPU of the shortest call; what is refused counts too."""
    shortest = math.inf
    for _ in range(calls):
        start = time.process_time()
        with contextlib.suppress(ExprgradError):
            work()
        shortest = min(shortest, time.process_time() - start)
    return shortest


def random_graphs(count: int) -> None:
    """Over one sweep in doubles, and the longest at 40 digits."""
    rng, ratios, longest = random.Random(7), [], 0.0
    while len(ratios) < count:
        drawn = random_graph(rng, 100)
        if drawn is None:
            continue
        f, at = drawn
        active = f.tape.active(f.variables)

        def doubles(f: Expression = f, at: dict[str, float] = at, active: list[bool] = active) -> None:  # fmt: skip
            pull_back(f.tape, primals(f.tape, at), active)

        try:
            doubles()
        except (*ARITHMETIC, Exception):
            continue  # at a pole or a corner with an infinite slope
        bounded = best(lambda f=f, at=at: f.evaluate(at))
        ratios.append(bounded / best(doubles, 20))
        longest = max(longest, best(lambda f=f, at=at: f.evaluate(at, digits=40), 1))
    show("random graphs, over one sweep in doubles: median", median(ratios), "<= 12")
    show("random graphs, over one sweep in doubles: worst", max(ratios), "<= 60")
    show("share of them over 60", sum(r > 60 for r in ratios) / count)
    show("the longest at 40 digits, in seconds", longest, "<= 2")


def mixed_graphs(count: int) -> None:
    """Over `refine=False`."""
    ratios = []
    for i in range(count):
        size = int(10 ** (1 + 4 * (i + 0.5) / count))
        f = expression_of(graph(size, True, seed=i))
        at = {name: x for name, x in zip(NAMES, X0, strict=True) if name in f.variables}
        calls = 4 if size < 3000 else 1
        bounded = best(lambda f=f, at=at: f.evaluate(at), calls)
        ratios.append(bounded / best(lambda f=f, at=at: f.evaluate(at, refine=False), calls))  # fmt: skip
    show("mixed graphs, over refine=False: median", median(ratios), "<= 6")
    show("mixed graphs, over refine=False: worst", max(ratios))


def main(count: int = 100) -> None:
    """All three figures."""
    random_graphs(count)
    mixed_graphs(min(count, 100))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
