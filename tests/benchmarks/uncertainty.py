"""Uncertainty budgets against the packages uncertainties and GTC, and samples against NumPy by hand.

    python tests/benchmarks/uncertainty.py [FORMULAS] [SEED]

Random formulas of random inputs: values, standard uncertainties and contributions have to agree, with correlations
too. Then the time of a million samples, as a ratio to the same in NumPy. Needs both packages.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import GTC
import mpmath
import numpy as np
from uncertainties import correlated_values_norm, umath

import exprgrad
from exprgrad.data.monte_carlo import simulate
from exprgrad.expressions.quantities import quantity

NAMES = "abcd"
CLOSE = 1e-11
FUNCTIONS = ("sin", "cos", "exp", "sqrt", "log", "tanh", "atan")

TEN = "V/I*cos(p)*exp(-a*b) + sqrt(c)/(1 + d^2)"
"""A formula of ten operations and more, as people type them."""

SAMPLES = 10**6


def formula(rng: random.Random, depth: int) -> str:
    """A formula in Python's notation, defined near 1 to 2."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(NAMES)
    kind = rng.randrange(6)
    one = formula(rng, depth - 1)
    if kind == 0:
        return f"{rng.choice(FUNCTIONS)}(1 + ({one})**2/9)"
    if kind == 1:
        return f"({one})**{rng.choice((2, 3, 0.5, -1))}"
    return f"(({one}) {'+-*/'[kind - 2]} ({formula(rng, depth - 1)}))"


def by_uncertainties(text: str, at: dict[str, tuple[float, float]], r: Any) -> Any:
    """The value and its standard uncertainty."""
    own = correlated_values_norm(list(at.values()), r)
    known = {name: getattr(umath, name) for name in FUNCTIONS}
    found = eval(text, known, dict(zip(at, own, strict=True)))
    return found.n, found.s


def by_gtc(text: str, at: dict[str, tuple[float, float]], r: Any) -> Any:
    """The same by GTC, with the signed contributions."""
    own = [GTC.ureal(x, u, label=n, independent=False) for n, (x, u) in at.items()]
    for i, a in enumerate(own):
        for j in range(i):
            if r[i][j]:
                GTC.set_correlation(float(r[i][j]), a, own[j])
    known = {name: getattr(GTC, name) for name in FUNCTIONS}
    found = eval(text, known, dict(zip(at, own, strict=True)))
    parts = {n: GTC.component(found, x) for n, x in zip(at, own, strict=True)}
    return found.x, found.u, parts


def by_mpmath(text: str, at: dict[str, tuple[float, float]]) -> dict[str, float]:
    """The contributions by differences of 60 digits, which decide where doubles lose digits."""
    mpmath.mp.dps = 60
    known = {name: getattr(mpmath, name) for name in FUNCTIONS}
    point = {n: mpmath.mpf(x) for n, (x, _) in at.items()}
    return {
        n: float(mpmath.diff(lambda x, n=n: eval(text, known, point | {n: x}), point[n])) * u
        for n, (_, u) in at.items()
    }  # fmt: skip


def correlated(rng: random.Random, count: int) -> Any:
    """A random correlation matrix, or that of independent inputs."""
    if rng.random() < 0.5:
        return np.eye(count)
    rows = np.array([[rng.gauss(0, 1) for _ in range(count + 1)] for _ in range(count)])
    covariance = rows @ rows.T
    size = np.sqrt(np.diag(covariance))
    return covariance / np.outer(size, size)


def off(x: float, y: float, size: float) -> float:
    """How far two numbers are apart, in units of a size."""
    return abs(x - y) / size if size else abs(x - y)


def compare(count: int, seed: int) -> None:
    """Print how many of so many formulas agree, and the worst of them."""
    rng, worst, agree, right, tried = random.Random(seed), 0.0, 0, 0, 0
    while tried < count:
        text = formula(rng, 4)
        at = {n: (rng.uniform(1, 2), rng.uniform(0.001, 0.1)) for n in NAMES}
        r = correlated(rng, len(NAMES))
        try:
            theirs, gtc = by_uncertainties(text, at, r), by_gtc(text, at, r)
        except (ZeroDivisionError, ValueError, OverflowError, AttributeError):
            continue  # a formula without an input, or without a value
        ours = exprgrad.uncertainty(
            text.replace("log(", "ln("), at, correlations=r.tolist()
        )
        root_sum = math.hypot(*ours.contributions.values())
        gaps = [off(ours.value, x, abs(ours.value)) for x in (theirs[0], gtc[0])]
        # u cancels under correlation; what doubles keep of it is relative to the contributions
        gaps += [off(ours.standard_uncertainty, u, root_sum) for u in (theirs[1], gtc[1])]  # fmt: skip
        gaps += [off(abs(ours.contributions[n]), abs(part), root_sum) for n, part in gtc[2].items()]  # fmt: skip
        tried += 1
        if max(gaps) >= CLOSE:
            true = by_mpmath(text, at)
            own = max(off(ours.contributions[n], x, root_sum) for n, x in true.items())
            print(f"differs by {max(gaps):.1e}, ours from 60 digits by {own:.1e}: {text[:50]}")  # fmt: skip
            right += own < CLOSE
            continue
        agree += 1
        worst = max(worst, max(gaps))
    print(f"{agree} of {tried} formulas agree with both packages to {worst:.1e};")
    print(f"of the others {right} are right by 60 digits")


def least(work: Callable[[], object], repeat: int = 5) -> float:
    """The least CPU time of some runs."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def samples() -> None:
    """Print the time of a million samples, relative to NumPy."""
    texts = {"V": "5±0.01", "I": "0.02±0.0001", "p": "1±0.01", "a": "1±0.01", "b": "1±0.01", "c": "2±0.1", "d": "1±0.1"}  # fmt: skip
    given = {name: quantity(text) for name, text in texts.items()}
    own = {"y": exprgrad.parse(TEN)}

    def by_hand() -> Any:
        random = np.random.default_rng(1)
        V, I, p, a, b, c, d = (  # noqa: N806, E741 # as in the formula
            random.normal(q.value.double, q.standard_uncertainty, SAMPLES)
            for q in given.values()
        )
        y = V / I * np.cos(p) * np.exp(-a * b) + np.sqrt(c) / (1 + d**2)
        return y.mean(), y.std(ddof=1), np.quantile(y, [0.025, 0.975])

    ours = least(lambda: simulate(own, given, {}, SAMPLES, seed=1))
    theirs = least(by_hand)
    print(f"a million samples take {ours / theirs:.2f} times as long as in NumPy")


if __name__ == "__main__":
    arguments = [int(text) for text in sys.argv[1:]]
    compare(*(arguments + [300, 1][len(arguments) :]))
    samples()
