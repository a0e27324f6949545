"""How long formulas of derivatives are, in characters of LaTeX, beside the best that SymPy finds.

    python tests/benchmarks/formulas.py [ROWS]          1,000 rows take SymPy half an hour

The rows are read from `../shared/suites`, where there is such a folder; needs SymPy, whose best is the shortest of
`diff`, `factor` and `simplify`, each with ten seconds. Prints the share of rows where the formula here is longer.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import parse
from exprgrad.notation.latex import latex

SUITES = Path(__file__).resolve().parents[3] / "shared" / "suites"
FILES = ("diff_units", "webwork", "webwork_wrong", "rubi")
SECONDS = 10


def rows(count: int) -> list[tuple[str, str]]:
    """Expressions and the variable of each, in an order that is always the same."""
    found: dict[tuple[str, str], None] = {}
    for name in FILES:
        with open(SUITES / f"{name}.jsonl", encoding="utf-8") as file:
            read = map(json.loads, file)
            found |= {(r["expr"], r["var"]): None for r in read if "var" in r}
    drawn = random.Random(7)
    return drawn.sample(list(found), min(count, len(found)))


def within(seconds: int, work: Callable[[], Any]) -> Any:
    """What some work gives; None if it takes too long or fails."""
    signal.alarm(seconds)
    try:
        return work()
    except Exception:
        return None
    finally:
        signal.alarm(0)


def _late(*_: object) -> None:
    raise TimeoutError


def theirs(sympy: Any, source: str, name: str) -> Iterator[str]:
    """The derivative as SymPy writes it, in LaTeX: as it comes, factored, simplified."""
    letters = {c: sympy.Symbol(c) for c in "abcdfghijklmnopqrstuvwxyzACBDEFGIJKLMNOPQRSTUVWXYZ"}  # fmt: skip
    known = letters | {"ln": sympy.log, "e": sympy.E, "abs": sympy.Abs}
    function = sympy.sympify(source.replace("^", "**"), locals=known)
    slope = function.diff(known.get(name, sympy.Symbol(name)))
    for change in (lambda f: f, sympy.factor, sympy.simplify):
        found = within(SECONDS, lambda change=change: sympy.latex(change(slope)))
        if found is not None:
            yield found


def main(count: int = 1000) -> None:
    """Compare, and print the share of rows that are longer here."""
    if not SUITES.is_dir():
        print(f"there is no {SUITES}; nothing is compared")
        return
    import sympy

    signal.signal(signal.SIGALRM, _late)
    compared, longer, times = 0, 0, []
    for source, name in rows(count):
        try:
            f = parse(source)
            start = time.process_time()
            own = f.derivative(name)
            times.append(time.process_time() - start)
        except ExprgradError:
            continue
        best = within(4 * SECONDS, lambda: min(map(len, theirs(sympy, source, name))))
        if best is not None:
            compared += 1
            longer += len(latex(own.root)) > best
    share = longer / max(compared, 1)
    print(f"longer than SymPy's best: {longer} of {compared}, {share:.1%} (wanted: 5%)")
    print(f"median of a derivative: {1000 * median(times):.1f} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
