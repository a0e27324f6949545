"""`exprgrad practice`: problems to solve one after the other, or sheets of them."""

from __future__ import annotations

import os
import sys

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.commands import declared as row
from exprgrad.errors import WRONG, ExprgradError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.grading.practice import Exercise
    from exprgrad.grading.progress import Record
    from exprgrad.views.reports import PracticeView

MOST_EXPORTED = 1000
"""Problems of a sheet."""

MOST_TRIES = 3
"""Wrong answers to a problem before its solution is shown."""

FILE = "practice.tsv"
"""What is remembered, in the folder for state."""


class Practice(row.Command):
    """Practise derivatives: problems, verdicts on your answers, and sheets with their answers."""

    example = "exprgrad practice --topic chain,product"
    pages = "practising"

    topic: list[str] = row.texts(
        "What to practise: power, sum, product, quotient, chain, exponential, logarithm, root, trigonometry, "
        "inverse, hyperbolic; all without it.",
        "chain,product",
        completes="practised",
    )
    level: int = row.whole("How hard.", 2, least=1, most=3)
    seed: str | None = row.text("Chooses the problems.", "N")
    export: int | None = row.whole("Print a sheet of so many problems.", least=1, most=MOST_EXPORTED)  # fmt: skip
    forget: bool = row.flag("Forget what went right and wrong.")
    format: str = row.formats("How to write a sheet.", "text csv moodle-xml")

    def run(self) -> row.Result:
        """Ask problems, or print a sheet."""
        from exprgrad.commands.arguments import names
        from exprgrad.data.files import folder
        from exprgrad.grading.practice import topics_named
        from exprgrad.views.output import emit

        chosen = topics_named(names(self.topic) or [])
        if self.export is not None:
            seed, distract = self.seed or "0", self.format in ("csv", "moodle-xml")
            return row.Result(_sheet(chosen, self.level, seed, self.export, distract))
        if self.format != "text":
            raise UsageError("--format is for a sheet", hint="add --export 10")
        home = folder()
        path = None if home is None else home / FILE
        if self.forget:
            if path is not None:
                path.unlink(missing_ok=True)
            emit("forgotten")
            return row.Result()
        seed = " ".join((self.seed or os.urandom(4).hex()).split())
        return row.Result(code=_ask(chosen, self.level, seed, path))


def _sheet(topics: list[str], level: int, seed: str, count: int, distract: bool) -> PracticeView:  # fmt: skip
    """A sheet of problems, no two of which are the same; with wrong answers, if these are wanted."""
    from exprgrad.grading.practice import distractors, exercise
    from exprgrad.views.progress import Progress
    from exprgrad.views.reports import Item, PracticeView

    items: list[Item] = []
    seen: set[str] = set()
    with Progress(count, "problems") as progress:
        for i in range(20 * count):
            topic = topics[len(items) % len(topics)]
            own = exercise(topic, level, seed if i == 0 else f"{seed}/{i}")
            if own.problem in seen:
                continue
            seen.add(own.problem)
            items.append(Item(own, distractors(own) if distract else ()))
            progress.advance()
            if len(items) == count:
                break
    return PracticeView(items)


def _ask(topics: list[str], level: int, seed: str, path: Path | None) -> int:
    """Ask one problem after the other until the input ends; the exit code."""
    from exprgrad.grading.progress import Record
    from exprgrad.views.output import emit

    record = Record.load(path)
    emit("Type the derivative; ? gives a hint, skip or an empty line shows it, q ends.")
    right = asked = 0
    ended = False
    while not ended:
        own, made_from = record.next(topics, level, seed)
        solved, ended = _solved(own, asked + 1)
        if solved is None:
            break
        asked += 1
        right += solved
        record.note(own, made_from, solved)
        _keep(record, path)
    emit(f"\n{right} of {asked} correct")
    return 0 if right == asked else WRONG


def _solved(own: Exercise, number: int) -> tuple[bool | None, bool]:
    """Ask a problem until it is right or given up, None where nothing was answered; and whether the input ended."""
    from exprgrad.grading.practice import hints
    from exprgrad.views.output import emit

    wrong, ended, given = 0, False, hints(own)
    while wrong < MOST_TRIES:
        emit(f"\n{number}. d/dx ({own.problem}) =")
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin is not None else ""
        answer = line.strip()
        ended = not line or answer.lower() in ("q", "quit", "exit")
        if ended and not wrong:
            return None, True
        if ended or answer.lower() in ("", "skip"):
            break
        if answer == "?":
            emit(next(given, "there are no more hints: skip shows the derivative"))
            continue
        verdict = _judged(own, answer)
        if verdict:
            return True, False
        wrong += verdict is False  # not what cannot be judged
    emit(f"it is {own.answer}")
    return False, ended


def _judged(own: Exercise, answer: str) -> bool | None:
    """Show what is right or wrong with an answer; None where it cannot be read."""
    from exprgrad.checking.check import UNDECIDED, UNREADABLE, check
    from exprgrad.commands.hints import report
    from exprgrad.commands.typed import claim_in
    from exprgrad.views.formats import write
    from exprgrad.views.output import width
    from exprgrad.views.verdicts import Detail, VerdictsView

    try:
        function = own.function
        verdict = check(function, claim_in(answer, 1, function.variables), wrt="x")
    except ExprgradError as error:
        report(error)
        return None
    write(VerdictsView([(verdict, None)], Detail(False, False, width())), "text")
    if verdict.status in (UNREADABLE, UNDECIDED):
        return None
    return verdict.status == "correct"


def _keep(record: Record, path: Path | None) -> None:
    """Write down how it went; where that cannot be done, practice goes on without."""
    if path is None:
        return
    try:
        record.save(path)
    except (ExprgradError, OSError):
        return
