"""Figures of speed in one table: ratios of CPU time, measured in turns, beside what is wanted.

    python tests/benchmarks/run.py                    all of them
    python tests/benchmarks/run.py startup arrays     some
    python tests/benchmarks/run.py hostile            how cost grows with size

Absolute times are those of one machine, so there are none. Peers (micrograd, pyarrow, SciPy) take part where
they are installed.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # threads that wait would count as work of the peers

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import speed

from exprgrad import minimize
from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Value
from exprgrad.language.scanning.scanner import Tokens
from exprgrad.symbolic.derivative import derivative

Row = tuple[str, float, str]
"""A figure: what it is, the ratio, and what is wanted."""


def best(work: Callable[[], object], repeat: int = 5) -> float:
    """The least CPU time of some calls, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def ratios(*works: Callable[[], object], repeat: int = 7) -> list[float]:
    """The CPU time of each over that of the first, with minima of calls that take turns."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeat):
        for own, work in zip(times, works, strict=True):
            own.append(best(work, 1))
    least = [min(own) for own in times]
    return [time / least[0] for time in least]


def spent(command: list[str]) -> float:
    """The CPU time of a process, whose modules are compiled by the second run."""
    environment = {
        k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, input=b"", env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def over(first: list[str], *others: list[str], repeat: int = 9) -> list[float]:
    """The CPU time of processes over that of the first: medians of runs that take turns."""
    own = [[spent(command) for command in (first, *others)] for _ in range(repeat)]
    middle = [median(column) for column in zip(*own, strict=True)]
    return [time / middle[0] for time in middle[1:]]


PROGRAM = [sys.executable, "-m", "exprgrad"]


def startup() -> Iterator[Row]:
    """Whole commands over an interpreter that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "work.eg")
        script.write_text("a = 2\na^2\n")
        commands = {
            "eval": (["eval", "(a*b+c)^2", "--at", "a=2,b=3,c=1"], "<= 3.0"),
            "eval --format csv": (["eval", "0.1x sin x", "--at", "x=0.3", "--format", "csv"], "<= 3.0"),
            "--version": (["--version"], "<= 2.5"),
            "--help": (["--help"], "<= 2.5"),
            "diff": (["diff", "x^2 sin x"], "<= 5"),
            "check": (["check", "x^2 sin x", "2x sin x + x^2 cos x"], "<= 5"),
            "an expression": (["x^2 sin x"], "<= 5"),
            "run": (["run", str(script)], "<= 6"),
            "a session": ([], "<= 6"),
        }  # fmt: skip
        found = over(
            [sys.executable, "-c", "pass"],
            *([*PROGRAM, *arguments] for arguments, _ in commands.values()),
        )
    for (name, (_, wanted)), ratio in zip(commands.items(), found, strict=True):
        yield f"{name}, over python -c pass", ratio, wanted


def _many(kind: Callable[[float], Value], work: Callable[..., object]) -> object:
    a, b = kind(1.5), kind(0.5)
    for _ in range(5000):
        work(a, b)
    return a


VALUES: dict[str, Callable[..., object]] = {
    "a*b": lambda a, b: a * b,
    "a*0.5": lambda a, b: a * 0.5,
    "a+1": lambda a, b: a + 1,
    "-a": lambda a, b: -a,
    "a**2": lambda a, b: a**2,
    "a/3": lambda a, b: a / 3,
}

SWEPT: dict[str, Callable[..., Value]] = {
    "a*b": lambda a, b: a * b,
    "a**2": lambda a, b: a**2,
    **{
        name: functools.partial(lambda a, b, name: getattr(a, name)(), name=name)
        for name in ("exp", "relu", "sin", "tanh")
    },
}


def values() -> Iterator[Row]:
    """Graphs of `Value`s: number operands over products of two nodes, functions in the sweep over products, micrograd over it."""
    own = ratios(*(functools.partial(_many, Value, w) for w in VALUES.values()))
    for name, ratio in zip(VALUES, own, strict=True):
        if name != "a*b":
            yield f"Value {name}, over a*b", ratio, "<= 1.7"
    own = _sweeps(*SWEPT.values())
    for name, ratio in zip(SWEPT, own, strict=True):
        if name != "a*b":
            yield f"backward over {name}, over a*b", ratio, "<= 1.5"
    try:
        from micrograd.engine import Value as Peer
    except ImportError:
        return
    for name, work in VALUES.items():
        both = ratios(*(functools.partial(_many, k, work) for k in (Value, Peer)))
        yield f"micrograd {name}, over Value", both[1], ">= 1"
    graph = mixed_graph()
    swept = [functools.partial(_swept, kind, graph) for kind in (Value, Peer)]
    both = ratios(*swept, repeat=40)
    yield "micrograd, a graph with numbers and relu, over Value", both[1], ">= 3.5"


def _sweeps(*works: Callable[[Value, Value], Value], count: int = 2000) -> list[float]:
    """What so many nodes take in a sweep, over those of the first kind; that of the sum over them is taken off."""
    a = Value(0.7) * Value(0.9)
    roots = [sum([a] * count)]
    for work in works:
        roots.append(sum([work(a, a) for _ in range(count)]))
    alone, *swept = ratios(*(root.backward for root in roots), repeat=15)
    return [(time - alone) / (swept[0] - alone) for time in swept]


TEMPLATES = ("{a}+{b}", "{a}-{b}", "{a}*{b}", "{a}/{b}", "-{a}", "{a}**2", "{a}.relu()",
             "{a}*{c}", "{a}+{c}", "{c}-{a}", "{a}/{c}")  # fmt: skip


def mixed_graph(size: int = 1000) -> Callable[..., Any]:
    """A function of five nodes that makes a graph of so many, some with numbers, which all matter to the result.

    In blocks of nine, each on the one before, whose absolute values stay between 0.2 and 3; they are added up.
    """
    rng = random.Random(7)
    known = {name: Value(x) for name, x in zip(speed.NAMES, speed.X0, strict=True)}
    lines = [f"def graph({', '.join(known)}):", f" total = {speed.NAMES[0]}"]
    while len(known) < size:
        last = rng.choice(speed.NAMES)
        for _ in range(9):
            found = 9.0
            while not 0.2 <= abs(found) <= 3:
                names = {"a": last, "b": rng.choice(speed.NAMES), "c": f"{rng.uniform(0.3, 2):.2f}"}  # fmt: skip
                text = rng.choice(TEMPLATES).format(**names)
                found = eval(text, dict(known)).data  # our own text
            new = f"v{len(known)}"
            known[new] = Value(found)
            lines.append(f" {new} = {text}")
            last = new
        lines.append(f" total = total+{last}")
    made: dict[str, Any] = {}
    exec("\n".join([*lines, " return total"]), made)
    graph: Callable[..., Any] = made["graph"]
    return graph


def _swept(kind: Callable[[float], Any], graph: Callable[..., Any]) -> float:
    leaves = [kind(x) for x in speed.X0]
    graph(*leaves).backward()
    return float(leaves[0].grad)


def formulas() -> Iterator[Row]:
    """The derivative of a product of 40 factors, over SymPy's `diff`, which does not simplify."""
    try:
        import sympy
        from sympy.core.cache import clear_cache
    except ImportError:
        return
    for factor in ("x+{}", "x^{}+1"):
        text = "*".join(f"({factor.format(i)})" for i in range(1, 41))
        peer, x = sympy.sympify(text.replace("^", "**")), sympy.Symbol("x")

        def theirs(peer: Any = peer, x: Any = x) -> None:
            clear_cache()
            peer.diff(x)

        root = parse(text).root
        both = ratios(theirs, functools.partial(derivative, root, "x"))
        label = factor.format("i")
        yield f"the derivative of 40 factors {label}, over SymPy's", both[1], "<= 1"


def reading() -> Iterator[Row]:
    """Thousands of tokens a second, which is no ratio."""
    for size, wanted in ((100, ">= 400"), (10_000, ">= 900")):
        text, _ = speed.random_text(size)
        count, again = len(Tokens(text).kinds), max(1, 5000 // size)
        took = best(lambda: [parse(text) for _ in range(again)]) / again
        yield (
            f"reading {count:,} tokens, thousands a second",
            count / took / 1000,
            wanted,
        )


def _again(work: Callable[[], object], count: int) -> None:
    """Calls one after another, each of whose results is dropped before the next."""
    for _ in range(count):
        work()


def arrays() -> Iterator[Row]:
    """Value and gradient of five expressions in columns, over the value alone in NumPy by hand; by machine code too."""
    import numpy as np
    from scipy.special import erf

    rng = np.random.default_rng(0)
    kinds = {False: "arrays", True: "native arrays"}
    if importlib.util.find_spec("numba") is None:
        del kinds[True]
    for count, *wanted in (
        (100, "<= 3.5", "<= 1.8"),
        (10_000, "<= 2.4", "<= 1.6"),
        (1_000_000, "<= 1.4", "<= 0.8"),
    ):
        found: dict[bool, list[float]] = {native: [] for native in kinds}
        for name, (text, ranges) in speed.CASES.items():
            given = {n: rng.uniform(*ends, count) for n, ends in ranges.items()}
            alone = functools.partial(speed.by_hand(np, erf)[name], *given.values())
            again = max(1, 100_000 // count)
            for native, own in found.items():
                call = parse(text, variables=list(ranges)).compile(native=native)
                ours = functools.partial(call.arrays, *map(given.get, call.variables))
                works = [functools.partial(_again, w, again) for w in (alone, ours)]
                own.append(ratios(*works)[1])
        for native, own in found.items():
            what = f"{kinds[native]} of {count:,}, over the value by hand"
            yield what, speed.mean(own), wanted[native]


PEER = """
import sys, numpy, pyarrow.csv as c, pyarrow.parquet as q
source, target = sys.argv[1:]
table = q.read_table(source) if source.endswith("parquet") else c.read_csv(source)
for i in range(4):
    table = table.append_column(f"r{i}", [numpy.random.rand(len(table))])
(q.write_table if source.endswith("parquet") else c.write_csv)(table, target)
"""


WITHOUT_PYARROW = """
import sys
sys.modules["exprgrad.data.arrow_text"] = None
from exprgrad.cli.start import run
sys.exit(run(sys.argv[1:]))
"""


def batch() -> Iterator[Row]:
    """A table of 300,000 rows with value and three partials, over pyarrow's own reading and writing of as much."""
    try:
        import numpy as np
        import pyarrow
        from pyarrow import csv, parquet
    except ImportError:
        return
    rng = np.random.default_rng(0)
    columns = {n: rng.uniform(0.1, 2, 300_000).round(6) for n in ("a", "k", "x")}
    table = pyarrow.table(columns)
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(table, f"{folder}/t.parquet")
        csv.write_csv(table, f"{folder}/t.csv")
        for kind in ("parquet", "csv"):
            source, target = f"{folder}/t.{kind}", f"{folder}/o.{kind}"
            command = ["batch", "a*exp(-k*x)*sin(x)", "--data", source, "--output", target]  # fmt: skip
            found = over(
                [sys.executable, "-c", PEER, source, target],
                [*PROGRAM, *command],
                repeat=3,
            )
            yield f"batch on {kind}, over pyarrow alone", found[0], "<= 3"
        many = {n: np.tile(column, 4)[:1_000_000] for n, column in columns.items()}
        csv.write_csv(pyarrow.table(many), source)
        slow = [sys.executable, "-c", WITHOUT_PYARROW, *command]
        (ratio,) = over([*PROGRAM, *command], slow, repeat=3)
        yield "batch without pyarrow, a million rows, over with it", ratio, ">= 3"


def descents() -> Iterator[Row]:
    """Rosenbrock's function from its usual start, over SciPy with a gradient by hand."""
    try:
        import numpy as np
        from scipy import optimize
    except ImportError:
        return

    def value(v: np.ndarray) -> float:
        return float((1 - v[0]) ** 2 + 100 * (v[1] - v[0] ** 2) ** 2)

    def slope(v: np.ndarray) -> np.ndarray:
        x, y = v
        return np.array([2 * (x - 1) - 400 * x * (y - x * x), 200 * (y - x * x)])

    def bend(v: np.ndarray) -> np.ndarray:
        x, y = v
        return np.array([[2 - 400 * (y - 3 * x * x), -400 * x], [-400 * x, 200]])

    text, start = "(1-x)^2+100*(y-x^2)^2", {"x": -1.2, "y": 1.0}
    for method, peer, more in (
        ("lbfgs", "L-BFGS-B", {}),
        ("trust", "trust-exact", {"hess": bend}),
    ):
        both = ratios(
            functools.partial(
                optimize.minimize, value, [-1.2, 1.0], jac=slope, method=peer, **more
            ),
            lambda: list(minimize(text, start, method=method)),
        )
        yield f"minimize by {method}, over SciPy", both[1], "<= 3"


def hostile() -> None:
    """Time for ten times the size over ten: 1 is linear."""
    shapes: dict[str, Callable[[int], str]] = {
        "nested parentheses": lambda n: "(" * n + "x" + ")" * n,
        "x+x+...": lambda n: "+".join(["x"] * n),
        "x^x^...": lambda n: "^".join(["x"] * n),
        "sin(sin(...": lambda n: "sin(" * n + "x" + ")" * n,
        "----x": lambda n: "-" * n + "x",
        "x x x ...": lambda n: " ".join(["x"] * n),
        "n variables": lambda n: "+".join(f"x{i}" for i in range(n)),
        "max of n": lambda n: f"max({','.join(['x'] * n)})",
    }
    for label, shape in shapes.items():
        small, large = (_time_of(shape(n)) for n in (10_000, 100_000))
        print(
            f"{label:20} 100,000: {large:5.2f} s, growth {large / small / 10:.2f} (1 is linear)"
        )


def _time_of(text: str) -> float:
    return best(lambda: _answer(text), 3)


def _answer(text: str) -> None:
    f = parse(text)
    f.evaluate(dict.fromkeys(f.variables, 0.5))
    str(f)


BENCHMARKS = {
    b.__name__: b for b in (startup, values, reading, formulas, arrays, batch, descents)
}


def main(names: list[str]) -> None:
    """Print the table."""
    if names == ["hostile"]:
        hostile()
        return
    print(f"{'figure':58} {'ratio':>7}  wanted")
    for name in names or BENCHMARKS:
        for what, ratio, wanted in BENCHMARKS[name]():
            limit = float(wanted[3:])
            holds = ratio <= limit if wanted[0] == "<" else ratio >= limit
            print(
                f"{what:58} {ratio:7.2f}  {wanted}{'' if holds else '  missed'}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
