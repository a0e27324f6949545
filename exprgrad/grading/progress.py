"""A student's right and wrong answers in practice, and the next question.

    record = Record.load(path)
    own = record.next(["chain", "product"], level=2, seed="7")    # what was missed comes back, when it is due
    record.note(own, right=False)
    record.save(path)

A problem that was missed comes back after `AFTER` others, and again until it is right. A topic is drawn the
more often, the more of its problems were missed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from exprgrad.annotations import Any, NamedTuple
from exprgrad.data.files import Replacing, refuse_unusable
from exprgrad.grading.practice import LEVELS, TOPICS, Exercise, exercise

AFTER = 2
"""The number of other problems that are asked before one that was missed comes back."""

MOST_MISSED = 200
"""Missed problems that are remembered."""


class Missed(NamedTuple):
    """A problem that was missed, and after how many answers it is due."""

    topic: str
    level: int
    seed: str
    due: int


class Record:
    """The problems that were missed, and counts of right and wrong answers by topic."""

    def __init__(self) -> None:
        self.asked = 0
        self.counts: dict[str, list[int]] = {}
        self.missed: list[Missed] = []

    @classmethod
    def load(cls, path: Path | None) -> Record:
        """The record in a file; an empty one where there is none, or none that can be read."""
        own = cls()
        if path is None:
            return own
        refuse_unusable(path)
        try:
            for line in path.read_text(encoding="utf-8").splitlines():
                match line.split("\t"):
                    case ["asked", asked]:
                        own.asked = int(asked)
                    case ["topic", topic, right, wrong]:
                        if topic in TOPICS:
                            own.counts[topic] = [int(right), int(wrong)]
                    case ["missed", topic, level, seed, due]:
                        if topic in TOPICS and int(level) in LEVELS:
                            missed = Missed(topic, int(level), seed, int(due))
                            own.missed.append(missed)
                    case _:
                        return cls()
        except (OSError, ValueError):
            return cls()
        return own

    def save(self, path: Path) -> None:
        """Write the record. Raises `UsageError` when it cannot be written."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        rows: list[tuple[Any, ...]] = [("asked", self.asked)]
        rows += [("topic", topic, *pair) for topic, pair in self.counts.items()]
        rows += [("missed", *own) for own in self.missed]
        with Replacing(path) as file:
            for row in rows:
                file.write(("\t".join(map(str, row)) + "\n").encode())

    def next(self, topics: Sequence[str], level: int, seed: str) -> tuple[Exercise, str]:  # fmt: skip
        """The problem to ask now, and the seed that it was made from."""
        for own in self.missed:
            if own.due <= self.asked and own.topic in topics and own.level == level:
                return exercise(own.topic, level, own.seed), own.seed
        fresh = f"{seed}/{self.asked}"
        counts = (self.counts.get(topic, [0, 0]) for topic in topics)
        # from 1 for a topic that is never missed to almost 5 for one that always is
        weights = [1 + 4 * wrong / (1 + right + wrong) for right, wrong in counts]
        (topic,) = random.Random(fresh).choices(list(topics), weights)
        return exercise(topic, level, fresh), fresh

    def note(self, own: Exercise, seed: str, right: bool) -> None:
        """Remember how a problem went."""
        self.asked += 1
        self.counts.setdefault(own.topic, [0, 0])[not right] += 1
        self.missed = [m for m in self.missed if (m.topic, m.seed) != (own.topic, seed)]
        if not right:
            missed = Missed(own.topic, own.level, seed, self.asked + AFTER)
            self.missed = [*self.missed, missed][-MOST_MISSED:]
