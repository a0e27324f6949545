"""Points by hand: `python -m tests.oracle --points 100000 [--seed 1] [--first 0] [--show 20]`."""

from __future__ import annotations

import argparse
from collections import Counter

from tests.oracle.answers import by_evaluate
from tests.oracle.judge import (  # fmt: skip
    INVENTED,
    OVERFLOW,
    REFUSED,
    RIGHT,
    UNDECIDED,
    WRONG,
    cases,
    judge,
    report,
)
from tests.oracle.trees import text

BAD = (WRONG, INVENTED, REFUSED, UNDECIDED)


def main() -> int:
    """Judge so many random points; 1 if there is a wrong or an invented answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for done, given in enumerate(cases(options.seed, options.points, options.first)):
        if done and done % 5000 == 0:
            print(f"after {done} points:", dict(counts), flush=True)
        for verdict in judge(given, by_evaluate):
            counts[verdict.kind] += 1
            if verdict.kind in (RIGHT, OVERFLOW) or shown[verdict.kind] >= options.show:
                continue
            shown[verdict.kind] += 1
            about = f"∂/∂{verdict.about} of " if verdict.about else ""
            print(f"{verdict.kind}: {about}{text(given.tree)} at {given.at}")
            print(f"    said {verdict.said}, truth {verdict.wanted}")
    print(report(counts))
    return 1 if counts[WRONG] or counts[INVENTED] else 0


raise SystemExit(main())
