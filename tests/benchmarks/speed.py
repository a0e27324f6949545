"""Every figure of speed that the manual quotes, each as a ratio of two things measured in the same run.

    python tests/benchmarks/speed.py                    all of them, in about five minutes
    python tests/benchmarks/speed.py arrays compiled    some

Absolute times are those of one machine; quote the ratios. Needs the extra `test`; compares with micrograd,
JAX and Lark where they are installed. A busy machine is no place for this: where two runs differ by a
fifth, take the better one.
"""

from __future__ import annotations

import csv
import gc
import math
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.value import Value

PHI = "(0.5*(1+erf(({})/sqrt(2))))"
D1 = "((log(S/K)+(r+v^2/2)*T)/(v*sqrt(T)))"
H = [f"tanh(w{i}1*x1+w{i}2*x2+w{i}3*x3+b{i})" for i in (1, 2)]
CASES: dict[str, tuple[str, dict[str, tuple[float, float]]]] = {
    "Gaussian": ("exp(-(x-m)^2/(2*s^2))/(s*sqrt(2*pi))", {"x": (-2, 2), "m": (-1, 1), "s": (0.5, 2)}),
    "Black-Scholes": (
        f"S*{PHI.format(D1)}-K*exp(-r*T)*{PHI.format(f'({D1}-v*sqrt(T))')}",
        {"S": (80, 120), "K": (80, 120), "T": (0.2, 2), "r": (0.01, 0.05), "v": (0.1, 0.5)},
    ),
    "Rosenbrock": ("(1-x)^2+100*(y-x^2)^2", {"x": (-2, 2), "y": (-1, 3)}),
    "van der Waals": (
        "n*8.314462618*T/(V-n*b)-a*n^2/V^2",
        {"n": (0.5, 2), "T": (250, 500), "V": (0.01, 0.05), "a": (0.1, 0.6), "b": (2e-5, 1e-4)},
    ),
    "tanh network": (
        f"tanh(u1*{H[0]}+u2*{H[1]}+c)",
        dict.fromkeys("x1 x2 x3 w11 w12 w13 w21 w22 w23 b1 b2 u1 u2 c".split(), (-1, 1)),
    ),
}  # fmt: skip
"""Five expressions that people evaluate, with the ranges of their variables."""


def best(work: Callable[[], object], least: float = 0.05, repeat: int = 7) -> float:
    """Seconds a call takes, the least of some samples."""
    work()
    times = []
    for _ in range(repeat):
        count, start = 0, time.perf_counter()
        while (taken := time.perf_counter() - start) < least:
            work()
            count += 1
        times.append(taken / count)
    return min(times)


def mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def show(label: str, ratio: float, wanted: str = "") -> None:
    """One line: what was compared, the ratio, and what it is to be."""
    print(f"  {label:66} {ratio:6.2f}{f'   (wanted: {wanted})' if wanted else ''}")


# Start-up


def startup(repeat: int = 15) -> None:
    """Whole commands over `python -c pass`, pair by pair, with warm files."""
    program = [sys.executable, "-m", "exprgrad"]
    commands = {
        'eval "(a*b+c)^2" --at a=2,b=3,c=1': (["eval", "(a*b+c)^2", "--at", "a=2,b=3,c=1"], "<= 8"),
        "--help": (["--help"], "<= 6"),
        "diff x^2": (["diff", "x^2"], ""),
    }  # fmt: skip
    for label, (arguments, wanted) in commands.items():
        ratios = []
        for _ in range(repeat):
            pair = [
                _wall([*program, *arguments]),
                _wall([sys.executable, "-c", "pass"]),
            ]
            ratios.append(pair[0] / pair[1])
        show(f"exprgrad {label}", median(ratios), wanted)
    traced = subprocess.run(
        [sys.executable, "-X", "importtime", *program[1:], *commands['eval "(a*b+c)^2" --at a=2,b=3,c=1'][0]],
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    own = [
        line.split("|")
        for line in traced.splitlines()
        if line.startswith("import time")
    ][1:]
    slowest = sorted(own, key=lambda row: -int(row[0].split(":")[1]))[:6]
    names = ", ".join(
        f"{row[2].strip()} {int(row[0].split(':')[1]) / 1000:.1f} ms" for row in slowest
    )
    print(f"  what it imports, slowest by themselves: {names}")


def _wall(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


# Scalar graphs: programs of operations on five inputs, as (operation, left, right)

X0 = (1.1, 0.7, 1.3, 0.9, 1.7)
NAMES = ("x0", "x1", "x2", "x3", "x4")
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
}  # fmt: skip
FUNCTIONS = ("sin", "exp", "ln", "tanh")
Step = tuple[str, int, int]


def graph(size: int, functions: bool, seed: int = 7) -> list[Step]:
    """Blocks of nine operations whose values stay between 0.2 and 3, added to a running sum."""
    rng = random.Random(seed)
    symbols = [*ARITHMETIC, *(["^", *FUNCTIONS] if functions else [])]
    steps: list[Step] = []
    values = list(X0)
    total: int | None = None
    while len(steps) < size:
        first, last = len(values), rng.randrange(5)
        for _ in range(min(9, size - len(steps))):
            while True:
                symbol = rng.choice(symbols)
                own = range(first, len(values))
                other = (
                    rng.choice(own) if own and rng.random() < 0.4 else rng.randrange(5)
                )
                value = _apply(symbol, values[last], values[other])
                if 0.2 <= value <= 3:
                    break
            steps.append((symbol, last, other))
            values.append(value)
            last = len(values) - 1
        if total is None:
            total = last
        elif len(steps) < size:
            steps.append(("+", total, last))
            values.append(values[total] + values[last])
            total = len(values) - 1
    if total is not None and total != len(values) - 1:
        steps[-1] = ("+", total, len(values) - 2)
    return steps


def _apply(symbol: str, a: Any, b: Any) -> Any:
    if symbol in ARITHMETIC:
        return ARITHMETIC[symbol](a, b)
    if symbol == "^":
        return a**b
    if isinstance(a, Value):
        return getattr(a, symbol)()
    return getattr(math, {"ln": "log"}.get(symbol, symbol))(a) if a > 0 else -9.0


def run_graph(steps: list[Step], inputs: list[Any]) -> Any:
    """The value of a program, in whatever numbers the inputs are."""
    values = list(inputs)
    for symbol, a, b in steps:
        values.append(_apply(symbol, values[a], values[b]))
    return values[-1]


def expression_of(steps: list[Step]) -> Expression:
    """The program as an expression."""
    return Expression.of(run_graph(steps, [Value(None, name) for name in NAMES]))


def value_only(steps: list[Step]) -> Callable[..., float]:
    """The value alone as straight-line Python: what no gradient can be faster than."""
    lines = [f"def f({', '.join(NAMES)}, sin=sin, exp=exp, ln=ln, tanh=tanh):"]
    names = list(NAMES)
    for i, (symbol, a, b) in enumerate(steps):
        own = f"{names[a]}{symbol.replace('^', '**')}{names[b]}"
        lines.append(
            f" v{i}={own if symbol not in FUNCTIONS else f'{symbol}({names[a]})'}"
        )
        names.append(f"v{i}")
    known: dict[str, Any] = {
        "sin": math.sin,
        "exp": math.exp,
        "ln": math.log,
        "tanh": math.tanh,
    }
    exec("\n".join([*lines, f" return {names[-1]}"]), known)
    function: Callable[..., float] = known["f"]
    return function


def interpreter() -> None:
    """One-shot value and gradient of a graph of + - * / with 1,000 nodes, against micrograd on the same."""
    steps = graph(1000, functions=False)
    own = best(lambda: _backward(Value, steps))
    f = expression_of(steps)
    at = {name: x for name, x in zip(NAMES, X0, strict=True) if name in f.variables}
    swept = best(lambda: f.evaluate(at))
    print(
        f"  Value: {own * 1e6:.0f} ns an operation; Expression.evaluate: {swept * 1e6:.0f} ns"
    )
    try:
        from micrograd.engine import Value as Peer
    except ImportError:
        print("  (micrograd is not installed)")
    else:
        sys.setrecursionlimit(20_000)  # its backward recurses
        peer = best(lambda: _backward(Peer, steps))
        show("micrograd over Value", peer / own, ">= 5")
        show("micrograd over Expression.evaluate", peer / swept, ">= 7")
        gc.disable()
        own, peer = (best(lambda: _backward(kind, steps)) for kind in (Value, Peer))
        swept = best(lambda: f.evaluate(at))
        gc.enable()
        show("    the same without Python's garbage collector: Value", peer / own)
        show("    Expression.evaluate", peer / swept)
    _growth()


def _growth() -> None:
    """What an operation costs in ever larger graphs, over what it costs in a tenth of that.

    Python's garbage collector goes through all nodes again and again while they become more.
    """
    before: dict[str, float] = {}
    for n in (1000, 10_000, 100_000, 1_000_000):
        steps = graph(n, functions=False)
        f = expression_of(steps)
        at = {name: x for name, x in zip(NAMES, X0, strict=True) if name in f.variables}
        for collecting in (True, False):
            (gc.enable if collecting else gc.disable)()
            own = "" if collecting else ", without the collector"
            for kind, work in (
                ("Value", lambda: _backward(Value, steps)),
                ("Expression", lambda: f.evaluate(at)),
            ):
                cost = best(work, repeat=3) / n
                if kind + own in before:
                    label = f"{kind}, an operation among {n:,} over one among {n // 10:,}{own}"
                    show(label, cost / before[kind + own])
                before[kind + own] = cost
        gc.enable()


def _backward(kind: Callable[[float], Any], steps: list[Step]) -> Any:
    inputs = [kind(x) for x in X0]
    result = run_graph(steps, inputs)
    result.backward()
    return inputs[0].grad


def compiled() -> None:
    """Compiled value and gradient over the value alone as straight-line Python."""
    for size, wanted, seeds in (
        (10, "<= 2", range(7, 47)),
        (1000, "<= 3.5", range(7, 10)),
    ):
        by_powers: dict[bool, list[float]] = {False: [], True: []}
        for seed in seeds:
            steps = graph(size, functions=True, seed=seed)
            f, alone = expression_of(steps), value_only(steps)
            call = f.compile()
            point = [X0[NAMES.index(name)] for name in f.variables]
            value, _ = call(*point)
            assert math.isclose(value, alone(*X0), rel_tol=1e-9)
            pair = best(lambda: call(*point), 0.01), best(lambda: alone(*X0), 0.01)
            has_power = any(symbol == "^" for symbol, _, _ in steps)
            by_powers[has_power].append(pair[0] / pair[1])
        for has_power, ratios in by_powers.items():
            if ratios:
                kind = "with powers x^y" if has_power else "without"
                label = f"{size} operations, {len(ratios)} random graphs {kind}"
                span = f"({min(ratios):.2f} to {max(ratios):.2f})"
                show(f"{label} {span}", mean(ratios), wanted)
    ratios = []
    for text, ranges in CASES.values():
        f = parse(text, variables=list(ranges))
        call, alone = f.compile(), _by_hand_scalar(text, f.variables)
        point = [sum(ranges[name]) / 2 + 0.01 for name in f.variables]
        ratios.append(
            best(lambda: call(*point), 0.02) / best(lambda: alone(*point), 0.02)
        )
    show("the five expressions, over their text as Python", mean(ratios))


def _by_hand_scalar(text: str, names: tuple[str, ...]) -> Callable[..., float]:
    known = {k: getattr(math, k) for k in ("exp", "log", "sqrt", "erf", "tanh", "pi")}
    exec(f"def f({', '.join(names)}): return {text.replace('^', '**')}", known)
    function: Callable[..., float] = known["f"]
    return function


# Arrays


def by_hand(np: Any, erf: Any) -> dict[str, Callable[..., Any]]:
    """The values alone as a careful person writes them for arrays."""

    def gaussian(x: Any, m: Any, s: Any) -> Any:
        t = (x - m) / s
        return np.exp(-0.5 * t * t) / (s * math.sqrt(2 * math.pi))

    def black_scholes(S: Any, K: Any, T: Any, r: Any, v: Any) -> Any:  # noqa: N803 # the usual names
        q = v * np.sqrt(T)
        d1 = (np.log(S / K) + (r + v * v / 2) * T) / q
        c = 1 / math.sqrt(2)
        first = S * (0.5 * (1 + erf(d1 * c)))
        return first - K * np.exp(-r * T) * (0.5 * (1 + erf((d1 - q) * c)))

    def rosenbrock(x: Any, y: Any) -> Any:
        p, q = 1 - x, y - x * x
        return p * p + 100 * q * q

    def van_der_waals(n: Any, T: Any, V: Any, a: Any, b: Any) -> Any:  # noqa: N803 # the usual names
        return n * 8.314462618 * T / (V - n * b) - a * n * n / (V * V)

    def network(*z: Any) -> Any:
        x1, x2, x3, w11, w12, w13, w21, w22, w23, b1, b2, u1, u2, c = z
        h1 = np.tanh(w11 * x1 + w12 * x2 + w13 * x3 + b1)
        h2 = np.tanh(w21 * x1 + w22 * x2 + w23 * x3 + b2)
        return np.tanh(u1 * h1 + u2 * h2 + c)

    functions = (gaussian, black_scholes, rosenbrock, van_der_waals, network)
    return dict(zip(CASES, functions, strict=True))


SIZES = {1: "<= 0.5", 100: "<= 3.5", 10_000: "<= 2.5", 1_000_000: "<= 1.5"}


def arrays() -> None:
    """Value and full gradient over the value alone in NumPy by hand: geometric means of five expressions."""
    # JAX in a process of its own: its threads and its memory would take part in what is timed here
    peer = subprocess.run(
        [sys.executable, __file__, "jax"], capture_output=True, text=True
    )
    theirs = dict(line.split(": ") for line in peer.stdout.splitlines() if ": " in line)
    for count, wanted in SIZES.items():
        own = [_over_numpy(name, count, *_own(*case)) for name, case in CASES.items()]
        each = ", ".join(f"{ratio:.2f}" for ratio in own)
        show(f"N = {count:,} ({each})", mean(own), wanted)
        if str(count) in theirs:
            show("    JAX (jit, vmap, float64)", float(theirs[str(count)]))
    if not theirs:
        print("  (JAX is not installed)")


def jax() -> None:
    """The same for JAX."""
    build = _jax()
    for count in SIZES if build is not None else ():
        ratios = [
            _over_numpy(name, count, build(text, list(ranges)))
            for name, (text, ranges) in CASES.items()
        ]
        print(f"{count}: {mean(ratios)}")


def _own(
    text: str, ranges: dict[str, Any]
) -> tuple[Callable[..., Any], list[str] | None]:
    names = list(ranges)
    call = parse(text, variables=names).compile()
    return call.arrays, list(call.variables)


def _over_numpy(
    name: str, count: int, work: Callable[..., Any], order: list[str] | None = None
) -> float:
    """The time that it takes over that of the value alone by hand; calls of both take turns.

    `order` names its arguments where they are in an order of their own.
    """
    import numpy as np
    from scipy.special import erf

    rng = np.random.default_rng(0)
    ranges = CASES[name][1]
    given = {name: rng.uniform(*ends, count) for name, ends in ranges.items()}
    columns = list(given.values())
    own = [given[name] for name in order or given]
    alone = by_hand(np, erf)[name]
    work(*own), alone(*columns)
    pairs = [
        (_once(lambda: work(*own)), _once(lambda: alone(*columns)))
        for _ in range(40 if count < 10**5 else 12)
    ]
    ours, hands = (min(column) for column in zip(*pairs, strict=True))
    return ours / hands


def _once(work: Callable[[], object], least: float = 0.001) -> float:
    count, start = 0, time.perf_counter()
    while True:
        work()
        count += 1
        taken = time.perf_counter() - start
        if taken >= least:
            return taken / count


def _jax() -> Callable[[str, list[str]], Callable[..., Any]] | None:
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")

    def build(text: str, names: list[str]) -> Callable[..., Any]:
        known = {k: getattr(jax.numpy, k) for k in ("exp", "log", "sqrt", "tanh", "pi")}
        known["erf"] = jax.scipy.special.erf
        exec(f"def f({', '.join(names)}): return {text.replace('^', '**')}", known)
        every = tuple(range(len(names)))
        swept = jax.jit(jax.vmap(jax.value_and_grad(known["f"], argnums=every)))
        return lambda *columns: jax.block_until_ready(swept(*columns))

    return build


# Tables


PLAIN = """
import csv, random, sys
source, target, variables = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(source, newline="") as opened, open(target, "w", newline="") as written:
    reader, writer = csv.reader(opened), csv.writer(written)
    writer.writerow(next(reader) + ["value"] * (variables + 1) + ["error"])
    numbers = [[random.random() for _ in range(variables + 1)] for _ in range(9973)]
    for i, row in enumerate(reader):
        for cell in row[1:]:
            float(cell)
        writer.writerow(row + numbers[i % 9973] + [""])
"""


def batch(count: int = 1_000_000) -> None:
    """`exprgrad batch` over a million rows, over reading that file and writing one of that shape alone."""
    text, ranges = CASES["Black-Scholes"]
    with tempfile.TemporaryDirectory() as folder:
        data, target = Path(folder, "data.csv"), Path(folder, "out.csv")
        rng = random.Random(1)
        with data.open("w") as stream:
            stream.write(",".join(["id", *ranges]) + "\n")
            for i in range(count):
                cells = [f"{rng.uniform(*ends):.6f}" for ends in ranges.values()]
                stream.write(f"{i},{','.join(cells)}\n")
        program = [
            sys.executable,
            "-m",
            "exprgrad",
            "batch",
            text,
            "--data",
            str(data),
            "--output",
            str(target),
        ]
        plain = [
            sys.executable,
            "-c",
            PLAIN,
            str(data),
            str(Path(folder, "plain.csv")),
            str(len(ranges)),
        ]
        for jobs in (1, 2):
            pairs = [
                (_spent([*program, "--jobs", str(jobs)]), _spent(plain))
                for _ in range(2)
            ]
            ratio = min(ours[0] / theirs[0] for ours, theirs in pairs)
            show(
                f"{count:,} rows, --jobs {jobs}, over plain reading and writing",
                ratio,
                "<= 1.5" if jobs == 1 else "",
            )
            if jobs == 1:
                show(
                    "    its peak memory in MB",
                    max(ours[1] for ours, _ in pairs),
                    "< 300",
                )
        _compare(text, list(ranges), target)


SPENT = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
spent = time.perf_counter() - start
print(spent, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def _spent(command: list[str]) -> tuple[float, float]:
    """Wall seconds of a process, and its peak memory in MB (of a small parent's, whose it would start with)."""
    done = subprocess.run(
        [sys.executable, "-c", SPENT, *command],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory / (1024 if sys.platform != "darwin" else 1 << 20)


def _compare(text: str, names: list[str], target: Path, every: int = 9973) -> None:
    """Samples of the rows against `evaluate`."""
    f = parse(text, variables=names)
    worst = 0.0
    with target.open(newline="") as stream:
        for i, row in enumerate(csv.DictReader(stream)):
            if i % every == 0:
                found = f.evaluate(
                    {name: float(row[name]) for name in names}, refine=False
                )
                pairs = [(found.value, float(row["value"]))]
                pairs += [
                    (found.gradient[name] or 0.0, float(row[f"d_{name}"]))
                    for name in names
                ]
                worst = max(worst, *(abs(a - b) / abs(a) for a, b in pairs))
    print(f"  samples agree with evaluate within a relative {worst:.0e}")


# Reading


def parsing() -> None:
    """Tokens a second, over Lark's LALR with an inline transformer that makes tuples, on a small grammar."""
    from lark import Lark, Transformer, v_args

    from exprgrad.language.parser import read

    grammar = r"""
        ?start: start "+" term -> add | start "-" term -> sub | term
        ?term: term "*" factor -> mul | term "/" factor -> div | factor
        ?factor: "-" factor -> neg | power
        ?power: atom "^" factor -> pow | atom
        ?atom: NUMBER -> number | NAME -> var | NAME "(" start ")" -> call | "(" start ")"
        NUMBER: /\d+\.?\d*/
        NAME: /[A-Za-z_]\w*/
        %ignore " "
    """

    @v_args(inline=True)
    class Tuples(Transformer):  # type: ignore[type-arg,misc] # Lark's own pattern
        def number(self, token: str) -> Any:
            return "number", float(token)

        def __default__(self, data: str, children: list[Any], meta: Any) -> Any:
            return (str(data), *children)

    for name in ("add", "sub", "mul", "div", "neg", "pow", "var", "call"):
        setattr(
            Tuples,
            name,
            v_args(inline=True)(lambda self, *args, name=name: (name, *args)),
        )
    peer = Lark(grammar, parser="lalr", transformer=Tuples()).parse
    for size in (10_000, 100_000):
        text, tokens = random_text(size)
        times = [
            (_once(lambda: read(text)), _once(lambda: peer(text))) for _ in range(5)
        ]
        own, theirs = (min(column) for column in zip(*times, strict=True))
        show(
            f"{tokens:,} tokens at {tokens / own / 1000:.0f} thousand a second",
            theirs / own,
            ">= 3",
        )


def random_text(tokens: int) -> tuple[str, int]:
    """A sum of short terms, and how many tokens it has."""
    rng = random.Random(1)

    def atom() -> str:
        return (
            rng.choice("abcxyz") if rng.random() < 0.6 else f"{rng.uniform(0.5, 3):.3f}"
        )

    def term(depth: int) -> str:
        kind = rng.random()
        if depth == 0 or kind < 0.25:
            return atom()
        inner = [term(depth - 1) for _ in range(2)]
        shapes = (
            "({0} + {1})",
            "{0}*{1}",
            "{0}/({1}^2 + 1.5)",
            "({0})^2",
            "sin({0})",
            "tanh({0})",
        )
        return rng.choice(shapes).format(*inner)

    import re

    pattern = re.compile(r"\d+\.?\d*|[A-Za-z_]\w*|[-+*/^()]")
    parts, count = [], 0
    while count < tokens:
        parts.append(term(3))
        count += len(pattern.findall(parts[-1])) + 1
    return " + ".join(parts), count - 1


BENCHMARKS = {
    f.__name__: f for f in (startup, interpreter, compiled, arrays, batch, parsing)
}

if __name__ == "__main__":
    if sys.argv[1:] == ["jax"]:
        jax()
        sys.exit()
    for name in sys.argv[1:] or BENCHMARKS:
        print(f"\n{name}: {BENCHMARKS[name].__doc__}")
        BENCHMARKS[name]()
