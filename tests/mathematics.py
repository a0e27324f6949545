"""A fuzzer that knows mathematics: nested functions of every row, judged against their own derivatives at every door.

    python -m tests.mathematics SEED COUNT [--ways own,perturbed,kinds,doors] [--shrink]

Empty domains, constants without a value, floors and gammas inside are drawn often. What goes wrong is an exception that is
no `ExprgradError`, a derivative that its own check calls incorrect, one changed by a factor that it calls correct, or
seconds of the processor.
"""

from __future__ import annotations

import contextlib
import io
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import exprgrad
from exprgrad.checking.kinds.rows import KINDS
from exprgrad.cli.start import run
from exprgrad.errors import ExprgradError, InternalError
from exprgrad.grading.audit import audit
from exprgrad.operations.operation import TABLE
from tests.campaigns import ASKED, REFUSED, Counts, campaign
from tests.shrinking import shrunk

SECONDS = 2.0
"""What no question may take longer than: 1 is promised, where nothing else runs."""

LEAVES = (
    "x",
    "x",
    "x",
    "x",
    "y",
    "2",
    "3",
    "1/2",
    "0",
    "-1",
    "pi",
    "e",
    "10^9",
    "1e-9",
)
ODD = ("asin(2)", "ln(-1)", "x/x", "floor(pi)", "0/x", "sqrt(-x^2)", "floor(2^x)", "gamma(x)", "lgamma(x)", "|x|", "x^pi", "sign(x)", "x^x")  # fmt: skip
"""Constants without a value, functions with no domain, or with holes, jumps and poles."""

CALLED = sorted((o.name, o.arity) for o in TABLE.values() if o.arity in (1, 2) and o.name.isidentifier())  # fmt: skip


class Wrong(NamedTuple):
    """What is wrong with the answers about a function, asked in some way."""

    kind: str
    way: str
    source: str
    more: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.way}, {self.more[:300]}): {self.source}"


def made(name: str) -> str:
    """The function of that name."""
    rng = random.Random(f"mathematics {name}")
    return drawn(rng, rng.randint(1, 4))


def drawn(rng: random.Random, depth: int) -> str:
    """A random function, so deep at the most."""
    if depth <= 0 or rng.random() < 0.1:
        return rng.choice(ODD if rng.random() < 0.3 else LEAVES)
    chance = rng.random()
    if chance < 0.5:
        name, arity = rng.choice(CALLED)
        return f"{name}({', '.join(drawn(rng, depth - 1) for _ in range(arity))})"
    if chance < 0.9:
        return f"({drawn(rng, depth - 1)}) {rng.choice('+-**/')} ({drawn(rng, depth - 1)})"  # fmt: skip
    return f"({drawn(rng, depth - 1)})^({drawn(rng, depth - 2)})"


def claims(source: str) -> tuple[str, str]:
    """The derivative by x, and the same but for a factor that is 1 at 0 only."""
    own = str(exprgrad.parse(source, ("x", "y")).derivative("x"))
    return own, f"({own})*(1 + x/1000)"


def own(source: str) -> None:
    """A derivative, and its shortest form, are not called incorrect."""
    claim, _ = claims(source)
    for text in (claim, str(exprgrad.simplify(claim))):
        found = exprgrad.check(source, text, "x")
        assert found.status not in ("incorrect", "unreadable"), f"{found.status}: {text}, {found.evidence}"  # fmt: skip


def perturbed(source: str) -> None:
    """A derivative with a factor is not called correct, unless that changes nothing."""
    claim, other = claims(source)
    if exprgrad.check(source, other, "x").status == "correct":
        assert exprgrad.equivalent(claim, other).status != "different", other


def kinds(source: str) -> None:
    """Questions of every kind have a verdict."""
    claim, other = claims(source)
    for kind in KINDS:
        for text in (claim, other, "x = 1", "none", f"y = {claim}"):
            with contextlib.suppress(ExprgradError):
                exprgrad.check(source, text, kind=kind)


def doors(source: str) -> None:
    """Every door answers."""
    claim, _ = claims(source)
    asked = f"d/dx ({source}) = {claim}"
    for call in (
        lambda: program("check", source, claim, "--wrt", "x"),
        lambda: program("eval", source, "--at", "x=0.5,y=2"),
        lambda: program("diff", source, "--wrt", "x", "--format", "json"),
        lambda: program("simplify", source),
        lambda: exprgrad.ask(asked),
        lambda: exprgrad.Session(files=False).run(f"f(x) = {source}\nf'(2)\n:check f wrt x"),
        lambda: exprgrad.check_work(source, [claim, f"= {claim}"], wrt="x"),
        lambda: exprgrad.grade(f"Find d/dx ({source}).", f"The answer is ${claim}$."),
        lambda: audit(f"We have $ {asked} $.", "a.md"),
        lambda: exprgrad.parse(source).evaluate({"x": 0.5, "y": 2}, digits=20),
    ):  # fmt: skip
        with contextlib.suppress(ExprgradError):
            call()


def program(*argv: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(argv))
    assert code in (0, 1, 2, 3), f"exit code {code}: {err.getvalue()[:200]}"


WAYS: dict[str, Callable[[str], None]] = {
    "own": own, "perturbed": perturbed, "kinds": kinds, "doors": doors,
}  # fmt: skip


def fault(way: str, source: str, counts: Counts) -> tuple[str, str] | None:
    """What is wrong with the answers, and more about it."""
    begun, kind = time.process_time(), ASKED
    try:
        WAYS[way](source)
    except InternalError as error:
        return type(error.__cause__).__name__, error.message
    except ExprgradError:
        kind = REFUSED
    except AssertionError as error:
        return "false", str(error)
    except Exception as error:
        return type(error).__name__, str(error)
    counts[way, kind] += 1
    parts = {"kinds": 5 * len(KINDS), "doors": 10}.get(way, 2)
    seconds = time.process_time() - begun
    return ("late", f"{seconds:.1f} s") if seconds > SECONDS * parts else None


def judge(
    source: str, name: str, ways: Sequence[str], counts: Counts, small: bool
) -> list[Wrong]:
    """What is wrong with the answers about a function."""

    def found() -> Iterator[Wrong]:
        for way in ways:
            told = fault(way, source, counts)
            if told is None:
                continue
            counts[way, told[0]] += 1
            if small:
                less = shrunk(source, lambda s, w=way, k=told[0]: _is(w, s, k))  # type: ignore[misc]
                yield Wrong(told[0], way, less, told[1])
            else:
                yield Wrong(told[0], way, source, told[1])

    return [*found()]


def _is(way: str, source: str, kind: str) -> bool:
    told: Any = fault(way, source, Counts())
    return told is not None and told[0] == kind


if __name__ == "__main__":
    raise SystemExit(campaign(__doc__ or "", made, judge, [*WAYS]))
