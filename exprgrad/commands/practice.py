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

MOST_EXPORTED = 1000
"""Problems of a sheet."""

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

    def run(self) -> int:
        """Ask problems, or print a sheet."""
        from exprgrad.commands.arguments import names
        from exprgrad.data.state import folder
        from exprgrad.grading.practice import topics_named
        from exprgrad.views.output import emit

        chosen = topics_named(names(self.topic) or [])
        if self.export is not None:
            return _export(chosen, self.level, self.seed or "0", self.export, self.format)  # fmt: skip
        if self.format != "text":
            raise UsageError("--format is for a sheet", hint="add --export 10")
        home = folder()
        path = None if home is None else home / FILE
        if self.forget:
            if path is not None:
                path.unlink(missing_ok=True)
            emit("forgotten")
            return 0
        seed = " ".join((self.seed or os.urandom(4).hex()).split())
        return _ask(chosen, self.level, seed, path)


def _export(topics: list[str], level: int, seed: str, count: int, format_: str) -> int:
    """Print a sheet of problems, no two of which are the same."""
    from exprgrad.grading.practice import distractors, exercise
    from exprgrad.views.formats import write
    from exprgrad.views.progress import Progress
    from exprgrad.views.verdicts.practice import Item, PracticeView

    items: list[Item] = []
    seen: set[str] = set()
    wanted = format_ in ("csv", "moodle-xml")
    with Progress(count, "problems") as progress:
        for i in range(20 * count):
            topic = topics[len(items) % len(topics)]
            own = exercise(topic, level, seed if i == 0 else f"{seed}/{i}")
            if own.problem in seen:
                continue
            seen.add(own.problem)
            items.append(Item(own, distractors(own) if wanted else ()))
            progress.advance()
            if len(items) == count:
                break
    write(PracticeView(items), format_)
    return 0


def _ask(topics: list[str], level: int, seed: str, path: Path | None) -> int:
    """Ask one problem after the other until the input ends; the exit code."""
    from exprgrad.grading.progress import Record
    from exprgrad.views.output import emit

    record = Record.load(path)
    emit("Type the derivative; an empty line shows it, q ends.")
    right = asked = 0
    while True:
        own, made_from = record.next(topics, level, seed)
        emit(f"\n{asked + 1}. d/dx ({own.problem}) =")
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line or line.strip().lower() in ("q", "quit", "exit"):
            break
        verdict = _judged(own, line.strip())
        if verdict is None:
            continue  # nothing that can be judged: the same problem again
        asked += 1
        right += verdict
        record.note(own, made_from, verdict)
        _keep(record, path)
    emit(f"\n{right} of {asked} correct")
    return 0 if right == asked else WRONG


def _judged(own: Exercise, answer: str) -> bool | None:
    """Show what is right or wrong with an answer; None where it cannot be read."""
    from exprgrad.checking.check import UNDECIDED, UNREADABLE, check
    from exprgrad.commands.hints import report
    from exprgrad.commands.typed import claim_in
    from exprgrad.views.formats import write
    from exprgrad.views.output import emit, width
    from exprgrad.views.verdicts.checking import Detail, VerdictsView

    if not answer:
        emit(f"it is {own.answer}")
        return False
    try:
        function = own.function
        verdict = check(function, claim_in(answer, 1, function.variables), wrt="x")
    except ExprgradError as error:
        report(error)
        return None
    write(VerdictsView([(verdict, None)], Detail(False, False, width())), "text")
    if verdict.status in (UNREADABLE, UNDECIDED):
        return None
    if verdict.status != "correct":
        emit(f"it is {own.answer}")
    return verdict.status == "correct"


def _keep(record: Record, path: Path | None) -> None:
    """Write down how it went; where that cannot be done, practice goes on without."""
    if path is None:
        return
    try:
        record.save(path)
    except (ExprgradError, OSError):
        return
