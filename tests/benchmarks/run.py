"""Figures of speed, each as a ratio of two things measured in the same run.

    python tests/benchmarks/run.py            all of them
    python tests/benchmarks/run.py parsing    one

Absolute times are those of one machine; quote the ratios.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Value
from exprgrad.language import grammar, lalr
from exprgrad.language.parser import Builder, read
from exprgrad.language.scanner import Tokens
from exprgrad.sweeps.tape import primals, pull_back


def best(work: Callable[[], object], repeat: int = 5) -> float:
    """The least of some wall times, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def terms(tokens: int) -> str:
    """A sum of short terms with about so many tokens."""
    term = "2.5*sin(x + y)^2/(1.5 + z*x)"
    return " + ".join([term] * max(1, tokens // 19))


def startup(repeat: int = 15) -> None:
    """Whole commands against an interpreter that does nothing, pair by pair."""
    program = [sys.executable, "-m", "exprgrad"]
    commands = {
        'eval "(a*b+c)^2"': [*program, "eval", "(a*b+c)^2", "--at", "a=2,b=3,c=1"],
        "--help": [*program, "--help"],
    }
    for label, command in commands.items():
        ratios = []
        for _ in range(repeat):
            pair = []
            for argv in (command, [sys.executable, "-c", "pass"]):
                start = time.perf_counter()
                subprocess.run(argv, check=True, capture_output=True)
                pair.append(time.perf_counter() - start)
            ratios.append(pair[0] / pair[1])
        ratio = statistics.median(ratios)
        print(f"{label:32} {ratio:6.1f} x python -c pass (median of {repeat} pairs)")


def parsing() -> None:
    """Tokens a second, against Lark's LALR parser with its own tree on the same token stream."""
    from lark import Lark
    from lark.lexer import Lexer, Token

    class Given(Lexer):
        """Hands Lark the tokens that the scanner settled."""

        def __init__(self, conf: object) -> None:
            pass

        def lex(self, text: str):  # Lark's protocol
            tokens = Tokens(text)
            rows = zip(tokens.kinds[:-1], tokens.texts, tokens.spans, strict=False)
            for kind, word, span in rows:
                yield Token(kind, word, start_pos=span[0], end_pos=span[1])

    lark = Lark(grammar.text(), parser="lalr", lexer=Given)
    for size in (1_000, 10_000, 100_000):
        text = terms(size)
        count = len(Tokens(text).kinds)
        own = best(lambda: read(text))  # called at once
        peer = best(lambda: lark.parse(text))  # called at once
        rate = count / own / 1000
        print(
            f"{count:7} tokens: {rate:6.0f} thousand tokens/s, {peer / own:.1f} x Lark's LALR with its tree"
        )


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


def sweeps() -> None:
    """Value and gradient, per operation, against micrograd where it is installed."""
    n = 1000

    def chain(make: Callable[[float], object]) -> Callable[[], object]:
        def work() -> object:
            x, y = make(0.5), make(0.25)
            total = x * y
            for _ in range(n // 2):
                total = total * y + x
            total.backward()
            return x.grad

        return work

    own = best(chain(Value)) / n
    print(f"Value: {own * 1e9:6.0f} ns an operation")
    text = "x*y" + "".join(["*y+x"] * 2)
    for _ in range(n // 4):
        text = f"({text})*y+x"
    f = parse(text)
    at = {"x": 0.5, "y": 0.25}
    tape = f.tape
    active = tape.active(at)
    graph = best(lambda: pull_back(tape, primals(tape, at), active)) / len(tape.steps)
    print(f"Expression: {graph * 1e9:6.0f} ns an operation")
    try:
        from micrograd.engine import Value as Peer
    except ImportError:
        print("(micrograd is not installed)")
        return
    peer = best(chain(Peer)) / n
    print(
        f"micrograd takes {peer / own:.1f} x as long as Value, {peer / graph:.1f} x as long as Expression"
    )


def driver() -> None:
    """The share of the parser's driver in reading a text."""
    tokens = Tokens(terms(10_000))
    scan = best(lambda: Tokens(tokens.source))
    run = best(
        lambda: lalr.run(
            grammar.tables(),
            tokens.kinds,
            tokens.texts,
            tokens.spans,
            Builder(tokens).actions,
        )
    )
    print(
        f"scanning {100 * scan / (scan + run):.0f} %, driver and actions {100 * run / (scan + run):.0f} %"
    )


BENCHMARKS = {b.__name__: b for b in (startup, parsing, driver, hostile, sweeps)}

if __name__ == "__main__":
    sys.setrecursionlimit(10_000)  # micrograd's backward recurses
    for name in sys.argv[1:] or BENCHMARKS:
        print(f"\n{name}: {BENCHMARKS[name].__doc__}")
        BENCHMARKS[name]()
