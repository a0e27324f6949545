"""Hostile expressions: huge powers, products, factorials and towers, in 2 GB, which Ctrl-C has to stop at once.

    python -m tests.hostile SEED COUNT [--ways value,digits,derivative,factored,check]

Each is asked about in a process of its own. What goes wrong is an abort, an exception that is no `ExprgradError`, or
work in C that a signal waits for: while the timer ticks, the longest time of the processor between two ticks.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import exprgrad
from exprgrad.errors import ExprgradError
from tests.campaigns import ASKED, REFUSED, Counts, campaign

MEMORY = 2 * 2**30
TICK, LATE = 0.02, 0.12
"""Seconds of the processor from one tick to the next; and how many make a Ctrl-C wait too long."""

LONGEST = 30
"""Seconds of the processor after which an answer counts as one that never comes."""

AT = {"x": 1.25, "y": -3.0, "z": 1e300}

NUMBERS = "0 1 2 3 7 10 1/3 0.1 1e9 1e300 10^9 10^15 99999999999999999999 2^63 1e-300 pi".split()
FUNCTIONS = "exp ln sin sqrt gamma lgamma floor abs cosh atan digamma erf".split()


class Wrong(NamedTuple):
    """What went wrong with an expression, asked in some way."""

    kind: str
    way: str
    source: str
    more: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.way}, {self.more}): {self.source}"


def made(name: str) -> str:
    """An expression of that name."""
    rng = random.Random(f"hostile {name}")
    return drawn(rng, rng.randint(1, 4))


def drawn(rng: random.Random, depth: int) -> str:
    """A random expression, so deep at the most."""
    if depth <= 0:
        return rng.choice((*"xyz", rng.choice(NUMBERS), rng.choice(NUMBERS)))

    def part() -> str:
        return f"({drawn(rng, depth - 1 - (rng.random() < 0.3))})"

    count = rng.choice((3, 10, 60, 600, 10**4, 10**6, 10**9, 10**18))
    few = min(count, 300)
    shapes: list[Callable[[], str]] = [
        lambda: f"{part()}^{count}",
        lambda: f"{part()}^{part()}^{part()}",
        lambda: f"(x + y + z + {part()})^{count}",
        lambda: f"{count}!/{part()}",
        lambda: f"{part()}!",
        lambda: "^".join([part(), *(rng.choice(("2", "3", "9", "x")) for _ in range(rng.randint(2, 5)))]),
        lambda: "*".join(f"(x + {k}*y)" for k in range(few)),
        lambda: "*".join(f"(x^{k} - {k})^{k}" for k in range(1, min(few, 40))),
        lambda: f"1/({part()}^{count} - {part()}^{count})",
        lambda: f"({part()} mod {part()}) + floor({part()}*10^{min(count, 10**6)})",
        lambda: "exp(" * min(few, 30) + part() + ")" * min(few, 30),
        lambda: f"{rng.choice(FUNCTIONS)}{part()}",
        lambda: f"{part()} {rng.choice('+-*/')} {part()}",
        lambda: f"max({part()}, {part()}, x)",
        lambda: f"root({part()}, {count + 1})",
    ]  # fmt: skip
    return rng.choice(shapes)()


def asked(way: str, source: str) -> object:
    """Ask about an expression in some way."""
    f = exprgrad.parse(source)
    at = {name: AT[name] for name in f.variables}
    if way == "value":
        return f.evaluate(at).as_dict()
    if way == "digits":
        return f.evaluate(at, digits=40).as_dict()
    if way == "factored":
        return str(f.simplify("factored"))
    derivative = str(f.derivative(f.variables[0])) if f.variables else "0"
    if way == "check":
        return exprgrad.check(source, f"{derivative} + 1", wrt="x").status
    return derivative


def _child(way: str, source: str, pipe: Any) -> None:
    """Ask, and send what came of it and the longest wait between two ticks."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    last, longest = time.process_time(), 0.0

    def tick(*_: object) -> None:
        nonlocal last, longest
        now = time.process_time()
        last, longest = now, max(longest, now - last)

    signal.signal(signal.SIGPROF, tick)
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
    try:
        asked(way, source)
        kind = ASKED
    except ExprgradError:
        kind = REFUSED
    except BaseException as error:
        kind = type(error).__name__
    signal.setitimer(signal.ITIMER_PROF, 0)
    tick()
    pipe.send((kind, longest))
    os._exit(0)  # not by way of the pool that this is a fork of


def judge(
    source: str, name: str, ways: Sequence[str], counts: Counts, small: bool
) -> list[Wrong]:
    """What is wrong with the answers about an expression."""
    found = []
    for way in ways:
        mine, other = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.get_context("fork").Process(target=_child, args=(way, source, other))  # fmt: skip
        child.start()
        other.close()
        try:
            kind, longest = mine.recv()
        except EOFError:
            kind, longest = "abort", 0.0
        child.join()
        counts[way, kind] += 1
        if kind not in (ASKED, REFUSED):
            found.append(Wrong(kind, way, source, f"exit {child.exitcode}"))
        if longest > LATE:
            counts[way, "late"] += 1
            found.append(Wrong("late", way, source, f"{longest:.2f} s"))
    return found


if __name__ == "__main__":
    raise SystemExit(campaign(__doc__ or "", made, judge, ("value", "digits", "derivative", "factored", "check")))  # fmt: skip
