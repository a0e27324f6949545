"""Texts that hold a problem and its worked solution, or several one after the other.

    f(x) = x^2 sin x                    the problem; or the solution begins with d/dx (x^2 sin x) = ...
    f'(x) = 2x sin x + x^2 cos x
          = x(2 sin x + x cos x)

A new solution begins behind a blank line, with a line that states a problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from exprgrad.annotations import NamedTuple
from exprgrad.checking.judging import FOLLOWS, UNREADABLE, WRONG, Verdict
from exprgrad.checking.kinds.rows import words
from exprgrad.checking.problems import Problem as Claimed
from exprgrad.checking.problems import judge, problems_of
from exprgrad.checking.work.lines import limit_of
from exprgrad.checking.work.work import check_work, of_lines, shifted
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.questions import Definition, Scope, questions_in, read

LARGEST_TEXT = 1_000_000
"""Characters of a text of solutions."""

_LABEL = r"\s*(?:\(?[0-9]{1,3}[a-z]?[.):]\s+|(?:problem|exercise|differentiate|find|let|given)\b\s*:?\s*)*"
_OPERATOR = (
    r"[d∂](?:\^?(?P<order>[0-9²³]))?\s*/\s*[d∂](?P<wrt>[^\W\d_])(?:\^[0-9]|[²³])?"
)


class Solution(NamedTuple):
    """A problem and its solution: the line that it begins on, and how it was judged, or why it was not."""

    start: int
    work: Verdict | ExprgradError


class Problem(NamedTuple):
    """A problem as a line states it; `own` says that the line is not part of the solution."""

    function: str
    wrt: str | None
    order: int
    own: bool
    name: str = ""


def read_work(
    text: str, wrt: str | None = None, order: int | None = None
) -> list[Solution]:
    """Judge every solution in a text. Raises `UsageError` where none is found."""
    if len(text) > LARGEST_TEXT:
        raise UsageError(
            f"the text has {len(text):,} characters; at most {LARGEST_TEXT:,} are read"
        )
    claimed = _claimed(text) if wrt is None and order is None else None
    if claimed is not None:
        return [claimed]
    found = [_judged(start, lines, wrt, order) for start, lines in _parts(text)]
    if not found:
        raise UsageError(
            "there is no problem in this text",
            hint="begin with f(x) = ... or d/dx (...) = ..., or give the function",
        )
    return found


def _claimed(text: str) -> Solution | None:
    """The verdict on a text that only claims an answer, in any notation of a question; None for worked steps."""
    try:
        said = read(text, Scope(kinds=words()))
    except ExprgradError:
        return None
    asked = questions_in(said)
    if len(asked) != 1 or not asked[0].claims or asked[0].kind != "derivative":
        return None
    [question] = asked
    lines = text.splitlines()
    first = next(line for line in lines if line.strip())
    known = {d.name: d for d in said if isinstance(d, Definition)}
    try:
        problems = problems_of(question, known)
        verdicts = [(p, judge(p)) for p in problems if isinstance(p, Claimed)]
    except ExprgradError as error:
        is_unclear = problem_of(first) is None or not question.given
        return Solution(1, error) if is_unclear else None
    if not verdicts:
        return None
    stated, (asked_of, _) = problem_of(first), verdicts[0]
    is_one = stated is not None and (stated.wrt or len(asked_of.function.variables) < 2)
    if is_one and "=" in first and asked_of.at is None and len(question.parameters) < 2:
        return None  # its lines are judged as steps
    judged = []
    for problem, verdict in verdicts:
        number = text.count("\n", 0, problem.places[1] or 0) + 1
        status = FOLLOWS if verdict.status == "correct" else WRONG if verdict.status == "incorrect" else UNREADABLE  # fmt: skip
        judged.append(Verdict(status, verdict.evidence, verdict.counterexample, number=number, text=lines[number - 1]))  # fmt: skip
    [*_, (problem, verdict)] = verdicts
    worst = next((v for _, v in verdicts if v.status != "correct"), verdict)
    work = of_lines(problem.function, problem.variable, problem.order, judged, worst.status, worst.evidence)  # fmt: skip
    return Solution(1, work)


def _parts(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of each solution, with the number of the first."""
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    start: int | None = None
    for i, line in enumerate(lines):
        blank = i == 0 or not lines[i - 1].strip()
        if problem_of(line) is not None and (start is None or blank):
            if start is not None:
                yield start + 1, lines[start:i]
            start = i
    if start is not None:
        yield start + 1, lines[start:]


def _judged(
    start: int, lines: list[str], wrt: str | None, order: int | None
) -> Solution:
    problem = problem_of(lines[0])
    assert problem is not None
    body = ["", *lines[1:]] if problem.own else lines
    asked = order or max(problem.order, _highest(body))
    try:
        work = check_work(problem.function, body, wrt or problem.wrt, asked)
    except ExprgradError as error:
        return Solution(start, error)
    return Solution(start, shifted(work, start - 1))


def problem_of(line: str) -> Problem | None:
    """The problem that a line states: f(x) = ..., y = ..., or d/dx (...), with a solution or without."""
    definition = re.match(
        rf"{_LABEL}(?P<name>[^\W\d_])(?:\((?P<of>\s*[^\W\d_]\w*(?:\s*,\s*\w+)*\s*)\))?\s*=\s*(?P<f>[^=]+)$",
        line,
        re.IGNORECASE,
    )
    if definition is not None and limit_of(definition["f"]) is None:
        names = (definition["of"] or "").split(",")
        variable = names[0].strip() if len(names) == 1 else ""
        return Problem(
            definition["f"].strip().rstrip(".,;"),
            variable or None,
            1,
            True,
            definition["name"],
        )
    asked = re.match(
        rf"{_LABEL}{_OPERATOR}\s*(?P<f>[^=]+?)\s*(?P<rest>=.*)?$", line, re.IGNORECASE
    )
    if asked is None:
        return None
    order = int((asked["order"] or "1").translate(str.maketrans("²³", "23")))
    return Problem(
        asked["f"].strip().rstrip(".,;:"), asked["wrt"], order, asked["rest"] is None
    )


def _highest(lines: list[str]) -> int:
    """The highest order of the left sides of a solution."""
    found = [1]
    for line in lines:
        left = re.match(rf"\W*[^\W\d_](?P<primes>[{PRIMES}]+)[^=]*=", line)
        if left is not None:
            found.append(len(left["primes"]))
        higher = re.match(
            r"\W*[d∂]\^?(?P<order>[2-9²³])\s*[^\W\d_]\s*/\s*[d∂][^=]*=", line
        )
        if higher is not None:
            found.append(int(higher["order"].translate(str.maketrans("²³", "23"))))
    return max(found)
