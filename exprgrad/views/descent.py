"""A descent as people see it: a line while it runs, then the steps and where it ended."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import DomainError, ExprgradError, Hint
from exprgrad.expressions.fields import NONE, elements
from exprgrad.language.notes import shorten
from exprgrad.optimize.descent import DescentStep, Minimum
from exprgrad.optimize.stationary import NOT_MINIMA, above
from exprgrad.views.arrays import text
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, columns, number
from exprgrad.views.formats import csv_line
from exprgrad.views.progress import Progress

MOST_ROWS = 24
"""Steps that the table shows at most, before the last."""

MOST_COLUMNS = 8
"""Variables that the table of steps shows at most."""


MOST_DRAWN = 300
"""Steps from the start that are drawn one by one."""


class Sample:
    """Evenly spaced steps of a descent of any length, and the last one."""

    def __init__(self) -> None:
        self.steps: list[DescentStep] = []
        self.last: DescentStep | None = None
        self._stride, self._begin = 1, list[DescentStep]()

    def add(self, step: DescentStep) -> None:
        """Take a step; when there are too many, drop every other one."""
        self.last = step
        if len(self._begin) < MOST_DRAWN:
            self._begin.append(step)
        if step.step % self._stride:
            return
        self.steps.append(step)
        # what is kept stays evenly spaced and short, however many steps are still to come
        if len(self.steps) > MOST_ROWS:
            self.steps, self._stride = self.steps[::2], 2 * self._stride

    def way(self) -> list[DescentStep]:
        """All of the first steps, and what is kept of the others."""
        return [*self._begin, *(s for s in self.rows() if s.step >= MOST_DRAWN)]

    def rows(self) -> list[DescentStep]:
        """Return what is kept, in order."""
        # the last step is among the others only if its number is a multiple of the stride
        ends = self.steps and self.last is self.steps[-1]
        return self.steps if ends or self.last is None else [*self.steps, self.last]


def watched(steps: Iterable[DescentStep]) -> Iterator[DescentStep]:
    """The steps, with a line on standard error that follows them if that is a terminal."""
    # `text` is called by `advance` alone, so it never meets a `last` that is not there yet
    last: DescentStep

    def text() -> str:
        value, norm = number(last.value, 6), number(last.gradient_norm, 3)
        return f"step {last.step}  value {value}  gradient norm {norm}"

    with Progress(0, "steps", text) as shown:
        for last in steps:
            shown.advance()
            yield last


CONVENTION = "momentum m is v = m*v + g here; where it is v = m*v + (1 - m)*g, the rate for the same steps is 1/(1 - m) times as large"
"""The two conventions for momentum, with g the gradient."""


class DescentView(NamedTuple):
    """The end of a descent, with some of its steps, and notes on how the expression was read."""

    title: str
    found: Minimum
    sample: Sample
    digits: int
    read: Sequence[str] = ()

    def blocks(self) -> list[Block]:
        """Return what was minimised, the steps, why it stopped, and the variables at the end."""
        found = self.found
        steps = "1 step" if found.steps == 1 else f"{found.steps} steps"
        stopped = f"{found.method} stopped after {steps}: {found.reason}"
        notes = [*self.read, stopped, *_judgement(found, self.digits)]
        if found.method in ("momentum", "nesterov"):
            notes.append(CONVENTION)
        title, least = shorten(self.title, 60), minimum_value(found, self.digits)
        head = f"{title} = {found.texts.get('') or number(found.value, self.digits)}"
        if found.verdict is not None and least is not None:  # its digits are known
            head = f"{found.verdict.kind} of {title}: {least}"
        above = Heading(head), _steps_table(self.sample.rows(), found)
        return [*above, *map(Note, notes), variables_table(found, self.digits)]

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        return {"expression": self.title, **self.found.as_dict()}


def minimum_value(found: Minimum, digits: int) -> str | None:
    """The value at the minimum that is shown, where so many digits of it are known."""
    verdict = found.verdict
    if verdict is None or not verdict.is_minimum:
        return None
    if verdict.least is not None:
        return number(verdict.least, digits)
    # the least value is somewhere between these two: what they agree on is known of it
    here, there = (number(x, digits) for x in (found.value, found.value - verdict.drop))
    return here if here == there and "" not in found.texts else None


def _judgement(found: Minimum, digits: int) -> list[str]:
    """Return what is known of the point where a descent ended."""
    verdict = found.verdict
    if verdict is not None:
        less = verdict.drop and minimum_value(found, digits) is None
        more = f"; the value there is at most {above(verdict.drop)} less" if less and verdict.drop < math.inf else ""  # fmt: skip
        return [verdict.reason + more]
    if found.kinks:
        said = "whether there is a minimum at a kink, or an end of the domain, nearby was not decided"
        only = ": kinks are examined in one variable only"
        return [said + only * (len(found.variables) > 1)]
    if any(partial is None for partial in found.gradient.values()):
        return ["no minimum is shown: the gradient does not exist here"]
    norm = found.norm_text or number(found.gradient_norm, 3)
    return [f"this is not yet a minimum: the gradient norm is {norm}"]


def _steps_table(rows: list[DescentStep], found: Minimum) -> Table:
    """A row a step; the last has no gradient norm where the gradient does not exist."""
    there = all(partial is not None for partial in found.gradient.values())
    rated = any(row.rate is not None for row in rows)
    first = rows[0].variables if rows else {}
    names = [n for n, x in first.items() if isinstance(x, float)][:MOST_COLUMNS]
    head = columns("step: number cyan | value: number bold | gradient norm: number")
    head += columns("rate: number spare1 dim") if rated else []
    head += (Column(name, number=True, spare=2) for name in names)
    lines = []
    for row in rows:
        norm = number(row.gradient_norm, 3)
        # the end is computed with more digits than the descent: `norm_text` is a norm that no double holds, 1e-400
        if row.step >= found.steps:
            norm = found.norm_text or number(found.gradient_norm, 3) if there else NONE
        rate = [number(row.rate or 0.0, 3)] if rated else []
        numbers = (number(row.variables[name], 6) for name in names)
        lines.append((str(row.step), number(row.value, 6), norm, *rate, *numbers))
    return Table("", head, lines)


def variables_table(found: Minimum, digits: int) -> Table:
    """The variables where the descent ended, with the gradient there."""
    head = "variable: cyan | value: number bold green | derivative: number spare1"
    rows = []
    for name, x in found.variables.items():
        slope = found.texts.get(name) or text(found.gradient[name], 3)
        rows.append((name, text(x, digits), slope))
    return Table("", columns(head), rows)


def history_lines(steps: Iterable[DescentStep]) -> Iterator[str]:
    """The steps as comma-separated values, one line each."""
    for i, step in enumerate(steps):
        parts = [(n, *own) for n, x in step.variables.items() for own in elements(x)]
        own = {f"{name}{place}": number for name, place, number in parts}
        if i == 0:
            yield csv_line(["step", "value", "gradient_norm", "rate", *own])
        # a step is counted in whole numbers, which a cell of CSV does not take
        numbers = [step.value, step.gradient_norm, step.rate, *own.values()]
        yield csv_line([float(step.step), *numbers])


def failure(found: Minimum) -> ExprgradError | None:
    """The diagnostic of a descent that went wrong, or ended at what is no minimum."""
    if found.kind in NOT_MINIMA and found.verdict is not None:
        return DomainError(found.verdict.reason, None, "try another start")
    if found.status not in ("diverged", "undefined"):
        return None
    rated = found.method not in ("lbfgs", "trust")
    hint = Hint("smaller_steps" if rated else "other_start")
    problem = found.problem
    span, source = (problem.span, problem.source) if problem else (None, None)
    return DomainError(found.reason, span, hint, source=source)
