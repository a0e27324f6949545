"""Fuzzers by hand: many inputs of a seed in processes beside each other, their faults, and what was asked in a table.

A campaign is the function that judges one input. Nothing depends on a clock; the time of the processor is reported.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple, Protocol

ASKED, REFUSED = "asked", "refused"

Counts = Counter[tuple[str, str]]
"""How often something happened, by way and kind."""

STUCK = 60.0
"""Seconds of the processor after which an input counts as one that never ends."""


class Fault(Protocol):
    """What is wrong: `str` of it says so in a line."""

    @property
    def kind(self) -> str: ...

    @property
    def way(self) -> str: ...


Make = Callable[[str], str]
"""The input of a name, as text."""

Judge = Callable[[str, str, Sequence[str], Counts, bool], Sequence[Fault]]
"""The faults of an input of that name by some ways; with True, of the smallest inputs that have them."""


class Judged(NamedTuple):
    """What came of one input, and the seconds that it took of the processor."""

    source: str
    faults: Sequence[Fault]
    counts: Counts
    seconds: float


class Stuck(BaseException):
    """Raised in what never ends."""


def _stuck(*_: object) -> None:
    raise Stuck


def judged(
    number: int, make: Make, judge: Judge, seed: str, ways: Sequence[str], small: bool
) -> Judged:
    """What comes of the input of that number."""
    name = f"{seed}/{number}"
    source, counts = make(name), Counts()
    faults: Sequence[Fault] = ()
    start = time.process_time()
    signal.signal(signal.SIGVTALRM, _stuck)
    signal.setitimer(signal.ITIMER_VIRTUAL, STUCK)
    try:
        faults = judge(source, name, ways, counts, small)
    except Stuck:
        counts["", "stuck"] += 1
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return Judged(source, faults, counts, time.process_time() - start)


def campaign(description: str, make: Make, judge: Judge, ways: Sequence[str]) -> int:
    """Judge so many inputs as the arguments of the program say; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("seed")
    parser.add_argument("count", type=int)
    parser.add_argument("--ways", default=",".join(ways), help="some of %(default)s")
    parser.add_argument("--first", type=int, default=0, help="the first number")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--shrink", action="store_true", help="reduce what is wrong")
    parser.add_argument("--show", type=int, default=10, help="faults of a kind and way")
    asked = parser.parse_args()
    one = partial(judged, make=make, judge=judge, seed=asked.seed, ways=asked.ways.split(","), small=asked.shrink)  # fmt: skip
    counts, shown, seconds, slowest = Counts(), Counts(), 0.0, (0.0, "")
    with ProcessPoolExecutor(asked.jobs) as pool:
        numbers = range(asked.first, asked.first + asked.count)
        for done in pool.map(one, numbers, chunksize=10):
            counts.update(done.counts)
            seconds += done.seconds
            slowest = max(slowest, (done.seconds, done.source))
            for fault in done.faults:
                shown[fault.way, fault.kind] += 1
                if shown[fault.way, fault.kind] <= asked.show:
                    print(fault, flush=True)
    print(table(counts))
    print(f"{asked.count} inputs, {seconds:.0f} s of processors; the slowest took {slowest[0]:.1f} s: {slowest[1]}")  # fmt: skip
    return 1 if shown or counts["", "stuck"] else 0


def table(counts: Counts) -> str:
    """A line for every way, a column for every kind."""
    kinds = list(dict.fromkeys(kind for _, kind in counts))
    lines = [f"{'':18}" + "".join(f"{kind:>12}" for kind in kinds)]
    for way in dict.fromkeys(way for way, _ in counts):
        lines.append(f"{way:18}" + "".join(f"{counts[way, kind]:12}" for kind in kinds))
    return "\n".join(lines)
