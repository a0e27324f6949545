"""How often a wrong derivative is told by the mistake that made it, and no right one is accused.

    python tests/benchmarks/mistakes.py        the figures; with -v, every claim that is not told

Every mistake of the catalogue is made at every place of forty functions, and the claim is typed as the
simplified wrong formula; to these come wrong answers and right ones that were written by hand.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


from exprgrad.checking.check import Verdict, check
from exprgrad.checking.mistakes.misapplied import Search
from exprgrad.checking.question import Question
from exprgrad.expressions.expression import parse
from exprgrad.notation.text import to_text
from exprgrad.symbolic.simplify import simplify
from tests.exercises import FUNCTIONS, MISTAKEN, variable
from tests.rewriting import rewritten


class Claim(NamedTuple):
    """A wrong answer and the mistake that made it."""

    function: str
    wrt: str
    claim: str
    mistake: str


def claims(function: str) -> Iterator[Claim]:
    """Every mistake of the catalogue at every place of a function where it applies."""
    wrt = variable(function)
    expression = parse(function, [wrt])
    sides = Question(expression, expression, wrt).sides()
    some = [at for at, _ in zip(sides.trail, range(40), strict=False)]
    search = Search(expression, wrt, some)
    for candidate in (*search.candidates(), *search.candidates(several=True)):
        wrong = to_text(simplify(search.formula(candidate)))
        yield Claim(function, wrt, wrong, candidate.row.name)


class Timed:
    """A call of check, and the seconds that all of them took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, function: str, claim: str, wrt: str) -> Verdict:
        start = time.perf_counter()
        verdict = check(function, claim, wrt)
        self.seconds.append(time.perf_counter() - start)
        return verdict

    def __str__(self) -> str:
        worst = statistics.quantiles(self.seconds, n=100)[98]
        middle = statistics.median(self.seconds)
        return f"median {1e3 * middle:.1f} ms, 99th percentile {1e3 * worst:.0f} ms"


def is_told(verdict: Verdict, name: str) -> bool:
    """Whether a mistake is the one that a verdict names, or among those that give the same."""
    mistake = verdict.mistake
    return mistake is not None and name in (mistake.name, *mistake.others)


def by_catalogue(timed: Timed) -> str:
    """Every mistake of the catalogue at every place of the functions."""
    told = total = 0
    for function in FUNCTIONS:
        for claim in dict.fromkeys(claims(function)):
            verdict = timed(claim.function, claim.claim, claim.wrt)
            if verdict.status != "incorrect":
                continue  # this mistake gives the derivative here, or no real number anywhere
            total += 1
            found = is_told(verdict, claim.mistake)
            told += found
            if not found and "-v" in sys.argv:
                print(f"  not told: {claim}: {verdict.mistake}")
    return f"{told} of {total} claims of the catalogue are told by their mistake ({told / total:.1%})"


def by_hand(timed: Timed) -> str:
    """Wrong answers that were written by hand, with what made them."""
    told = sum(is_told(timed(f, claim, "x"), name) for f, claim, name in MISTAKEN)
    return f"{told} of {len(MISTAKEN)} claims written by hand are told by their mistake"


def equivalents(timed: Timed, count: int) -> str:
    """Other forms of right answers."""
    refused = accused = 0
    for number in range(count):
        function = FUNCTIONS[number % len(FUNCTIONS)]
        wrt = variable(function)
        derivative = str(parse(function, [wrt]).derivative(wrt))
        other = rewritten(derivative, random.Random(number), 1 + number % 4, wrt)
        verdict = timed(function, other, wrt)
        refused += verdict.status != "correct"
        accused += verdict.mistake is not None
        if verdict.status != "correct" and "-v" in sys.argv:
            print(f"  refused: {function}: {other}: {verdict.evidence}")
    return f"of {count} equivalent forms {refused} are refused and {accused} accused"


def main() -> None:
    """Print the figures and the time that a check takes."""
    for job in (by_catalogue, by_hand, lambda timed: equivalents(timed, 1000)):
        timed = Timed()
        print(f"{job(timed)}; {timed}")


if __name__ == "__main__":
    main()
