r"""Long texts that end in an answer, as models and people write them: what was answered, and whether it is right.

    grade("Find the derivative of $x^2$.", r"... so the answer is \boxed{2x}.").status        # "correct"
    grade(r"\frac{1}{2}", "Adding up gives 0.5").status                                       # "correct"

The question may ask for anything that `check` knows, or be the right answer itself: an expression, a number, a set, a list,
a point, an interval. No text makes this raise, and no clock decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import Budget, limited
from exprgrad.checking.check import check
from exprgrad.checking.fields import judged, on_one_line
from exprgrad.checking.judging import (
    CORRECT,
    INCORRECT,
    PARTLY,
    UNDECIDED,
    UNREADABLE,
    Verdict,
)
from exprgrad.checking.problems import Problem, judge
from exprgrad.errors import ExprgradError, InternalError, Span, UsageError
from exprgrad.grading.answers import same, tidy
from exprgrad.grading.plain import is_mathematics
from exprgrad.grading.sheet import read_row
from exprgrad.language import inputs
from exprgrad.patterns import pattern

LONGEST = 1_000_000
"""Characters of a text in which an answer is looked for: the last ones."""

LONGEST_ANSWER = 5000
"""Characters of an answer."""

MOST_JOBS = 256


class Graded(NamedTuple):
    """What was found of an answer: its text, a status as verdicts have it, and why.

    `verdict` is that of `check` where the question asks for something; None where the question is the right answer.
    """

    status: str
    answer: str
    evidence: str
    notes: tuple[str, ...] = ()
    verdict: Verdict | None = None

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        return {
            "status": self.status,
            "judged": judged(self.status),
            "answer": self.answer,
            "evidence": self.evidence,
            "notes": list(self.notes),
            "verdict": None if self.verdict is None else self.verdict.as_dict(),
        }


def grade(
    question: str, completion: str, *, budget: Budget | int | None = None
) -> Graded:
    """Return the verdict on the answer that a text ends in: what is boxed, what is called the answer, or the last formula."""
    answer = ""
    try:
        asked = question if isinstance(question, str) else ""
        answer = final_answer(completion) if isinstance(completion, str) else ""
        if not answer or len(answer) > LONGEST_ANSWER:
            told = "is too long" if answer else "was not found"
            return Graded(UNREADABLE, answer[:LONGEST_ANSWER], f"an answer {told}")
        if asks(asked):
            return _of_question(tidy(asked), answer, budget)
        with limited(budget) if budget is not None else nullcontext():
            return _of_answer(asked, answer)
    except ExprgradError as error:
        return Graded(UNREADABLE, answer, on_one_line(error))
    except (RecursionError, MemoryError):
        return Graded(UNDECIDED, answer, "this is too large to compute")
    except (
        Exception
    ) as error:  # a grader that stops is worse than one that does not know
        return Graded(UNDECIDED, answer, InternalError(error).message)


def grade_many(
    rows: Iterable[tuple[str, str]], jobs: int = 1, *, budget: int | None = None
) -> Iterator[Graded]:
    """Yield the verdict on each question and completion, in their order, computed by so many processes."""
    from exprgrad.data.processes import in_order

    inputs.count(jobs, "the number of processes", 1, MOST_JOBS)
    return in_order(_graded, ((*_pair(row), budget) for row in rows), jobs)


def _pair(row: Any) -> tuple[str, str]:
    if not isinstance(row, tuple | list) or len(row) != 2:
        raise UsageError("a row is a question and a completion")
    return row[0], row[1]


def _graded(row: tuple[str, str, int | None]) -> Graded:
    question, completion, budget = row
    return grade(question, completion, budget=budget)


# Where the answer is

_MARKED = pattern(
    r"(?:\bfinal\s+answer\b|\banswer\b|####|\btherefore\b|\bhence\b)[\s*:,]*(?:is\b|=)?[\s*:]*(?=(?P<rest>[^\n]+))",
    re.IGNORECASE,
)
_FORMULA = pattern(
    r"\$\$(?P<display>.+?)\$\$|\\\[(?P<square>.+?)\\\]|\\\((?P<round>[^\n]+?)\\\)|(?<!\\)\$(?P<inline>(?:\\.|[^$\n\\])+)\$",
    re.DOTALL,
)
_BOX = pattern(r"\\(?:boxed|fbox)\s*\{")
_PERCENT = r"[\s$})\\]*(?P<percent>%|(?:percent|pct)\b)"
_JOINED = pattern(r"[\s,;$&+]*|(?=[^.:]*\b(?:and|or)\b)(?:[^.:\w]*[a-zA-Z]\w*){1,5}[^.:\w]*")
"""What stands between the parts of one answer: commas, "and", a few words with an "and" among them."""

_LAYOUT = pattern(r"\\(?:q?quad|text|[()\[\],; ])|[{}]")
_SENTENCE = pattern(r"[.!?]\s+(?=[A-Z])|[.!?]?\s*$")
_CLOSING = pattern(r"<\|.*|I hope it is correct\.?|\\n(?![a-z])")
"""What programs write around their answers."""

_OPEN = pattern(r"\\\(|^\s*\$\s*$", re.MULTILINE)
"""What begins a formula within a line; one that does not end there is none."""

_WORDS = pattern(r".*\b(?:so|thus|then|is|are|be|by|equals|gives|get|obtain|have)\b[,:]?\s+(?P<rest>\S.*)")
_LAST_NUMBER = pattern(r"(?<![\w.,])[€$]?-?\d[\d,.]*(?:\s*/\s*\d+)?\s?(?:%|percent|pct|€|\$|m²)?")


def final_answer(text: str) -> str:
    """Return the answer that a text ends in, without what delimits it; an empty text where there is none."""
    text = _CLOSING.sub("\n", text[-LONGEST:].replace("\\\\boxed", "\\boxed"))
    if boxed := _boxed(text):
        return tidy(boxed)
    marked = [m for m in _MARKED.finditer(text) if any(map(str.isalnum, m["rest"]))]
    lines = [line for line in text.splitlines() if any(map(str.isalnum, line))]
    piece = marked[-1]["rest"] if marked else lines[-1] if lines else ""
    if marked and (end := _SENTENCE.search(_FORMULA.sub(lambda m: "0" * len(m[0]), piece))):  # fmt: skip
        piece = piece[: end.start()]
    found = [*_FORMULA.finditer(piece)]
    behind = piece[found[-1].end() :] if found else piece
    words = _WORDS.match(behind)
    if found and not (words and any(map(str.isdigit, words["rest"]))):
        return _joined(piece, found)
    if not found and not marked and (every := [*_FORMULA.finditer(text)]):
        return _joined(text, every)
    if not found and _OPEN.search(text):
        return ""
    answer = tidy(words["rest"] if words else behind)
    is_prose = " " in answer and not is_mathematics(re.sub(r"\b(?:or|and)\b", "", answer))  # fmt: skip
    numbers = [*_LAST_NUMBER.finditer(answer)] if is_prose else []
    return tidy(numbers[-1][0]) if numbers else answer


def _joined(text: str, pieces: list[re.Match[str]]) -> str:
    """The last formula of a text, with those before it that are parts of the same answer."""
    spans = [(found.start(), found.end()) for found in pieces]
    texts = [tidy(found[found.lastgroup or 0]) for found in pieces]
    return _together(text, spans, texts)


def _boxed(text: str) -> str:
    """What stands in the last box, and in those before it that are parts of the same answer."""
    spans, texts = [], []
    for found in _BOX.finditer(text):
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        spans.append((found.start(), end))
        texts.append(text[found.end() : end - (depth == 0)])
    return _together(text, spans, texts)


def _together(text: str, spans: list[Span], texts: list[str]) -> str:
    if not spans:
        return ""
    first = len(spans) - 1
    while first and _JOINED.fullmatch(_LAYOUT.sub(" ", text[spans[first - 1][1] : spans[first][0]][:80])):  # fmt: skip
        first -= 1
    percent = re.match(_PERCENT, text[spans[-1][1] :])
    return ", ".join(texts[first:]) + (" %" if percent else "")


# Questions that ask for something


def asks(text: str) -> bool:
    """Whether a text asks for something, and is no answer: has a verb of tasks or a sign of a derivative."""
    if _BOX.search(text) or re.search(r"\bfinal\s+answer\b", text, re.IGNORECASE):
        return False
    return _ASKING.search(text) is not None


_ASKING = pattern(
    r"\b(?:find|what|which|how|compute|calculate|determine|evaluate|differentiate|integrate|solve|simplify|write|give|show|if"
    r"|(?:derivative|gradient|hessian|slope|tangent|integral|taylor|critical|inflection|linear)\b.*\b(?:of|to|points?))\b"
    r"|\?|\bd\s*/\s*d|\\frac\s*\{\s*d\b|['′]\s*\(|∂|\\int\b|∫|∇",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip


def _of_question(asked: str, answer: str, budget: Any) -> Graded:
    """The verdict of `check`."""
    try:
        verdict = _judged(asked, answer, budget)
    except ExprgradError:
        if "=" not in answer:
            raise
        verdict = _judged(asked, tidy(answer.rpartition("=")[2]), budget)
    return Graded(verdict.status, answer, verdict.evidence, verdict.notes, verdict)


def _judged(asked: str, answer: str, budget: Any) -> Verdict:
    found = read_row(asked, _as_list(answer))
    if not isinstance(found, Problem):
        return judge(found)
    return check(
        found.function, found.claim, found.variable, order=found.order,
        at=found.at, where=found.where, budget=budget,
    )  # fmt: skip


def _of_answer(asked: str, answer: str) -> Graded:
    """Whether an answer is the one that is known to be right."""
    right = final_answer(asked)
    if right and re.sub(r"\s", "", right) == re.sub(r"\s", "", answer):
        return Graded(CORRECT, answer, "the same text")
    if right.isalpha() and right.casefold() == answer.casefold() and len(right) > 1:
        return Graded(CORRECT, answer, "the same word")
    found = same(right, answer)
    told = {CORRECT: "they are equal", INCORRECT: "they are different", PARTLY: "they are equal on a part of the domain"}  # fmt: skip
    evidence = told.get(found.status, "whether they are equal is open")
    return Graded(found.status, answer, evidence, found.notes)


def _as_list(answer: str) -> str:
    """A set as the list of its elements, which `check` takes for points."""
    inside = re.fullmatch(r"\\?\{(.*?)\\?\}", answer)
    return inside[1].strip() if inside else answer
