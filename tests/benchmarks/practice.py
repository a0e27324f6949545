"""Problems of practice: how many there are, and whether their answers and distractors are what they are said to be.

    nice python tests/benchmarks/practice.py [SEEDS] [DISTRACTED] [TOPIC...]

For each topic and level: the different problems among so many seeds; how many of them have a value and a slope at
places all over their interval, and an official answer that `check` accepts; and of the first DISTRACTED of them,
the distractors, each of which has to be refused, unlike the others, and the mistake that `check` names.
"""

from __future__ import annotations

import sys
from itertools import combinations, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from exprgrad import check, equivalent
from exprgrad.errors import ExprgradError
from exprgrad.grading.practice import (
    LEVELS,
    TOPICS,
    Distractor,
    Exercise,
    distractors,
    exercise,
)

SEEDS = 1000
DISTRACTED = 40
PLACES = 9


def problem_faults(own: Exercise) -> list[str]:
    """Whether a problem has a value and a slope all over its interval, and the answer that is said."""
    low, high = own.interval
    faults = []
    for i in range(PLACES):
        at = low + (high - low) * i / (PLACES - 1)
        try:
            own.function.evaluate({"x": at}, refine=False)
        except ExprgradError as error:
            faults.append(f"{own.problem} at {at}: {error}")
    status = check(own.problem, own.answer, wrt="x").status
    if status != "correct":
        faults.append(f"{own.problem}: {own.answer} is {status}")
    return faults


def distractor_faults(own: Exercise, others: list[Distractor]) -> list[str]:
    """Wrong answers that are not refused, are another mistake than they say, or are the same."""
    faults = []
    for other in others:
        verdict = check(own.problem, other.answer, wrt="x")
        told = verdict.mistake.name if verdict.mistake else None
        if (verdict.status, told) != ("incorrect", other.mistake):
            faults.append(
                f"{own.problem}: {other.answer} is {verdict.status}, {told}, not {other.mistake}"
            )
    for one, other in combinations(others, 2):
        if equivalent(one.answer, other.answer).status != "different":
            faults.append(f"{own.problem}: {one.answer} and {other.answer} are alike")
    return faults


def report(topic: str, level: int, seeds: int, distracted: int) -> list[str]:
    """Print the figures of a topic and a level; what is wrong."""
    made = {
        own.problem: own for own in (exercise(topic, level, n) for n in range(seeds))
    }
    wrong = [fault for own in made.values() for fault in problem_faults(own)]
    numbers = []
    for own in islice(made.values(), distracted):
        others = distractors(own)
        numbers.append(len(others))
        wrong += distractor_faults(own, others)
    print(
        f"{topic:<12} {level:>5} {len(made):>9} {sum(numbers):>11} {min(numbers):>6} {len(wrong):>6}",
        flush=True,
    )
    return wrong


def main(arguments: list[str]) -> int:
    numbers = [int(text) for text in arguments if text.isdigit()]
    topics = [text for text in arguments if not text.isdigit()] or list(TOPICS)
    seeds, distracted = [*numbers, *(SEEDS, DISTRACTED)[len(numbers) :]]
    print("topic        level different distractors fewest faults")
    faults = []
    for topic in topics:
        for level in LEVELS:
            faults += report(topic, level, seeds, distracted)
    print(*faults, sep="\n")
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
