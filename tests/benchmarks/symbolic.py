"""Derivatives of homework exercises beside SymPy's: how long the formulas are, and how long they take.

    python tests/benchmarks/symbolic.py         some 300 rows, spread over all
    python tests/benchmarks/symbolic.py 1000    more of them

Needs SymPy, and the rows of ../shared/suites/webwork.jsonl beside the checkout. Absolute times are those
of one machine; quote the ratios.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.value import Value
from exprgrad.symbolic.derivative import derivative

SUITE = Path(__file__).resolve().parents[3] / "shared" / "suites" / "webwork.jsonl"

_NAMES = {"pow": "Pow", "ln": "log", "abs": "Abs", "gamma": "gamma", "min": "Min", "max": "Max"}  # fmt: skip


def rows(most: int) -> list[dict[str, Any]]:
    """So many rows, evenly spread over the file; each expression once."""
    with SUITE.open(encoding="utf-8") as lines:
        every = [json.loads(line) for line in lines]
    distinct = list({(row["expr"], row["var"]): row for row in every}.values())
    step = max(1, len(distinct) // most)
    return distinct[::step][:most]


def operations(root: Value) -> int:
    """Operations of a formula as it is written, shared parts as often as they stand there."""
    total, stack = 0, [root]
    while stack:
        item = stack.pop()
        total += item.operation is not None
        stack += item.operands
    return total


def to_sympy(root: Value) -> Any:
    """The same expression as SymPy's, operation by operation and unevaluated numbers apart."""
    import sympy

    done: dict[Value, Any] = {}
    stack = [root]
    while stack:
        item = stack[-1]
        waiting = [operand for operand in item.operands if operand not in done]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        done[item] = _to_sympy(sympy, item, [done[o] for o in item.operands])
    return done[root]


def _to_sympy(sympy: Any, item: Value, operands: list[Any]) -> Any:
    if item.operation is None:
        constants = {"pi": sympy.pi, "e": sympy.E, "tau": 2 * sympy.pi}
        if item.name is not None:
            is_number = item.data is not None and item.name in constants
            return constants[item.name] if is_number else sympy.Symbol(item.name, real=True)  # fmt: skip
        return sympy.nsimplify(item.data, rational=True)
    match item.operation.name, operands:
        case "add", [a, b]:
            return a + b
        case "sub", [a, b]:
            return a - b
        case "mul", [a, b]:
            return a * b
        case "div", [a, b]:
            return a / b
        case "neg", [a]:
            return -a
        case (("log2" | "log10" as name), [a]):
            return sympy.log(a, int(name[3:]))
        case (("pow_odd" | "pow_even"), [a, b]):
            return a**b
    name = item.operation.name
    return getattr(sympy, _NAMES.get(name, name))(*operands)


def counted(formula: Any) -> int:
    """Operations of SymPy's formula, counted as those of ours: its text is read by our parser."""
    import sympy

    text = sympy.sstr(formula).replace("Abs(", "abs(").replace("E**", "e**")
    return operations(parse(text.replace("log(", "ln("), strict=True).root)


def timed(work: Any) -> tuple[Any, float]:
    """A result, and the wall time of it."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def measure(row: dict[str, Any]) -> tuple[int, int, int, float, float, float] | None:
    """Operations of our derivative, SymPy's diff and its simplify, and the seconds for each."""
    import sympy

    try:
        f: Expression = parse(row["expr"], [row["var"]])
        theirs, by = to_sympy(f.root), sympy.Symbol(row["var"], real=True)
        ours, own = timed(lambda: derivative(f.root, row["var"]))
        raw, to_diff = timed(lambda: theirs.diff(by))
        short, to_simplify = timed(lambda: sympy.simplify(raw))
        counts = operations(ours), counted(raw), counted(short)
    except (ExprgradError, AttributeError, TypeError, ValueError):
        return None
    return *counts, own, to_diff, to_simplify


def main(most: int) -> None:
    """Print averages and ratios."""
    found = [m for m in map(measure, rows(most)) if m is not None]
    if not found:
        print("(no row could be compared)")
        return
    ours, raw, short, own, to_diff, to_simplify = zip(*found, strict=True)
    print(f"{len(found)} rows, operations on average:")
    print(f"  exprgrad            {statistics.fmean(ours):6.2f}")
    print(f"  SymPy, diff         {statistics.fmean(raw):6.2f}   ours are {sum(ours) / sum(raw):.2f} of it")  # fmt: skip
    print(f"  SymPy, simplify     {statistics.fmean(short):6.2f}   ours are {sum(ours) / sum(short):.2f} of it")  # fmt: skip
    ratios = [(d + s) / o for o, d, s in zip(own, to_diff, to_simplify, strict=True)]
    print(f"time: SymPy's diff and simplify take {(sum(to_diff) + sum(to_simplify)) / sum(own):.0f} x as long as exprgrad,")  # fmt: skip
    print(f"{statistics.median(ratios):.0f} x on the median row; its diff alone {sum(to_diff) / sum(own):.1f} x")  # fmt: skip


if __name__ == "__main__":
    try:
        import sympy  # noqa: F401 # only whether it is there
    except ImportError:
        print("(SymPy is not installed)")
        sys.exit()
    if not SUITE.exists():
        print("(the rows are not beside this checkout)")
        sys.exit()
    main(int(sys.argv[1]) if sys.argv[1:] else 300)
