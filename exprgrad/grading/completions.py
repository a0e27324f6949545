r"""Long texts that end in an answer, as models and people write them: what was answered, and whether it is right.

    grade("Find the derivative of $x^2$.", r"... so the answer is \boxed{2x}.").status        # "correct"
    grade(r"\frac{1}{2}", "Adding up gives 0.5").status                                       # "correct"

The question may ask for anything that `check` knows, or be the right answer itself: an expression, a number, a set, a list,
a point, an interval. No text makes this raise, and no clock decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import permutations

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import Budget
from exprgrad.checking.check import check, equivalent
from exprgrad.checking.fields import judged, on_one_line
from exprgrad.checking.judging import CORRECT, INCORRECT, UNDECIDED, UNREADABLE, Verdict
from exprgrad.checking.problems import Problem, judge
from exprgrad.errors import ExprgradError, InternalError, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.grading.sheet import read_row
from exprgrad.language import inputs
from exprgrad.language.brackets import parted

LONGEST = 1_000_000
"""Characters of a text in which an answer is looked for: the last ones."""

LONGEST_ANSWER = 5000
"""Characters of an answer."""

MOST_JOBS = 256

MOST_PARTS = 24
"""Entries of a list or a set."""

MOST_SAME = 6
"""Entries of a set up to which every order is tried."""


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
        asked = _plain(question) if isinstance(question, str) else ""
        answer = final_answer(completion) if isinstance(completion, str) else ""
        if not answer or len(answer) > LONGEST_ANSWER:
            told = "is too long" if answer else "was not found"
            return Graded(UNREADABLE, answer[:LONGEST_ANSWER], f"an answer {told}")
        found = _of_question(asked, answer, budget)
        return _same(asked, answer, budget) if found is None else found
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

_MARKED = re.compile(
    r"(?:\bfinal\s+answer\b|\banswer\b|####|\btherefore\b|\bhence\b)[\s*:,]*(?:is\b|=)?[\s*:]*(?P<rest>[^\n]+)",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|\$([^$]+)\$", re.DOTALL)  # fmt: skip


def final_answer(text: str) -> str:
    """Return the answer that a text ends in, without what delimits it; an empty text where there is none."""
    text = text[-LONGEST:]
    if boxed := _boxed(text):
        return _plain(boxed)
    marked = [*_MARKED.finditer(text)]
    piece = marked[-1]["rest"] if marked else ""
    if not marked:
        lines = [line for line in text.splitlines() if line.strip()]
        piece = lines[-1] if lines else ""
    formulas = [*_FORMULA.finditer(piece)] or ([] if marked else [*_FORMULA.finditer(text)])  # fmt: skip
    if not formulas:
        return _plain(_after_words(piece))
    last = [formulas.pop()]
    while formulas and re.fullmatch(r"\s*(?:,|;|and|or|,\s*and)\s*", last[0].string[formulas[-1].end() : last[0].start()]):  # fmt: skip
        last.insert(0, formulas.pop())
    return ", ".join(_plain(next(filter(None, one.groups()))) for one in last)


def _boxed(text: str) -> str:
    """What stands in the last box."""
    found = [*re.finditer(r"\\(?:boxed|fbox)\s*\{", text)]
    if not found:
        return ""
    start, depth = found[-1].end(), 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place]
    return text[start:]


def _after_words(line: str) -> str:
    """What stands behind the last words of a line: 2x of "so the derivative is 2x"."""
    words = r"so|thus|then|is|are|be|equals|gives|get|obtain|have"
    found = re.match(rf".*\b(?:{words})\b[,:]?\s+(?P<rest>\S.*)", line)
    return found["rest"] if found else line


def _plain(text: str) -> str:
    """A text without delimiters of formulas, emphasis, and the point at the end of its sentence."""
    text = text.strip().strip("*`_").strip()
    for begins, ends in (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")):
        if text.startswith(begins) and text.endswith(ends) and len(text) > len(begins + ends):  # fmt: skip
            text = text[len(begins) : -len(ends)]
    text = re.sub(
        r"\\(?:displaystyle|left|right|,|;|!|quad|qquad)(?![a-zA-Z])", " ", text
    )
    text = re.sub(r"\\text\s*\{([^{}]*)\}", r" \1 ", text)
    return re.sub(r"\s+", " ", text).strip().rstrip(".,;: ").strip()


# Questions that ask for something


def _of_question(asked: str, answer: str, budget: Any) -> Graded | None:
    """The verdict of `check`; None where the question is no question but an answer."""
    if not _asks(asked):
        return None
    try:
        verdict = _judged(asked, answer, budget)
    except ExprgradError:
        if "=" not in answer:
            raise
        verdict = _judged(asked, _plain(answer.rpartition("=")[2]), budget)
    return Graded(verdict.status, answer, verdict.evidence, verdict.notes, verdict)


def _judged(asked: str, answer: str, budget: Any) -> Verdict:
    found = read_row(asked, _as_list(answer))
    if not isinstance(found, Problem):
        return judge(found)
    return check(
        found.function, found.claim, found.variable, order=found.order,
        at=found.at, where=found.where, budget=budget,
    )  # fmt: skip


def _asks(text: str) -> bool:
    """Whether a text asks for something: has words, or a sign of a derivative."""
    words = re.findall(r"(?<![\\a-zA-Z])[a-zA-Z]{4,}", text)
    named = [
        w
        for w in words
        if w.lower() not in ("sqrt", "sinh", "cosh", "tanh", "asin", "acos", "atan")
    ]
    return (
        bool(named)
        or re.search(r"\bd\s*/\s*d|\\frac\s*\{\s*d\b|['′]|∂|\\int\b|∫", text)
        is not None
    )


def _as_list(answer: str) -> str:
    """A set as the list of its elements, which `check` takes for points."""
    inside = re.fullmatch(r"\\?\{(.*?)\\?\}", answer)
    return inside[1].strip() if inside else answer


# Answers that are compared with the right one


def _same(right: str, answer: str, budget: Any) -> Graded:
    """Whether two answers mean the same."""
    notes: list[str] = []
    if right.casefold() == answer.casefold() and (right == answer or right.isalpha()):
        return Graded(CORRECT, answer, "the same text")
    found = _compared(_answer(right, notes), _answer(answer, notes), budget)
    told = {CORRECT: "they are equal", INCORRECT: "they are different"}
    return Graded(found, answer, told.get(found, "whether they are equal is open"), tuple(notes))  # fmt: skip


class Entries(NamedTuple):
    """Several entries: a set, in which their order means nothing, or what stands between brackets."""

    brackets: str
    entries: tuple[Any, ...]


def _answer(text: str, notes: list[str]) -> Any:
    """What an answer is: an expression, entries, or a word."""
    text = _without_name(_plain(text))
    parts = re.split(r"\\cup|∪", text)
    if len(parts) > 1:
        return Entries("set", tuple(_answer(part, notes) for part in parts))
    if re.search(r"\\pm|±", text):
        both = [re.sub(r"\\pm|±", sign, text) for sign in (" + ", " - ")]
        return Entries("set", tuple(_answer(one, notes) for one in both))
    inside = re.fullmatch(r"\\?\{(.*?)\\?\}", text)
    if (inside and not text.startswith("{")) or (inside and "," in inside[1]):
        return Entries("set", _entries(inside[1], notes))
    if text[:1] in "([" and text[-1:] in ")]" and len(pieces := _cut(text[1:-1])) > 1:
        return Entries(text[0] + text[-1], tuple(_answer(p, notes) for p in pieces))
    pieces = [p for piece in _cut(text) for p in re.split(r"\s+(?:or|and)\s+", piece)]
    if len(pieces) > 1:
        return Entries("set", tuple(_answer(p, notes) for p in pieces))
    percent = re.fullmatch(r"(.+?)\s*\\?%", text)
    if percent:
        notes.append(f"{text} is read as {percent[1]}/100")
        return _expression(f"({percent[1]})/100")
    return _expression(text)


def _entries(text: str, notes: list[str]) -> tuple[Any, ...]:
    return tuple(_answer(piece, notes) for piece in _cut(text)) if text.strip() else ()


def _cut(text: str) -> list[str]:
    """A text at its commas and semicolons that no bracket holds."""
    text = re.sub(r"(?<=\d)\{?,\}?(?=\d{3}(?!\d))", "", text) if "{,}" in text else text
    return [text[slice(*span)].strip() for span in parted(text.replace(";", ","))][: MOST_PARTS + 1]  # fmt: skip


def _without_name(text: str) -> str:
    """The value in x = 5, f(x) = 5, x ∈ [1, 2)."""
    found = re.fullmatch(r"[a-zA-Z]\w?(?:\([a-z]\))?['′]*\s*(?:=|\\in\b|∈)\s*([^=<>]+)", text)  # fmt: skip
    return found[1].strip() if found else text


def _expression(text: str) -> Expression | str:
    """An expression, or the words that a text is."""
    infinite = re.fullmatch(r"([+-]?)\s*(?:\\infty|∞|oo|infinity)", text)
    if infinite:
        return f"{infinite[1].strip('+')}∞"
    try:
        return parse(text, lenient=True)
    except ExprgradError:
        return re.sub(r"[\W_]+", " ", text).casefold().strip()


def _compared(right: Any, answer: Any, budget: Any) -> str:
    if isinstance(right, Entries) != isinstance(answer, Entries):
        alone = [
            x.entries[0] if isinstance(x, Entries) and len(x.entries) == 1 else x
            for x in (right, answer)
        ]
        if any(isinstance(x, Entries) for x in alone):
            return INCORRECT
        return _compared(alone[0], alone[1], budget)
    if isinstance(right, Entries):
        return _of_entries(right, answer, budget)
    if isinstance(right, str):
        return CORRECT if right == answer else INCORRECT
    if isinstance(answer, str):
        return INCORRECT if "∞" in answer else UNREADABLE
    found = equivalent(right, answer, budget=budget)
    if found.status == "equal" or _rounds(right, answer):
        return CORRECT
    return judged(found.status)


def _of_entries(right: Entries, answer: Entries, budget: Any) -> str:
    one, other = right.entries, answer.entries
    ordered = right.brackets != "set" and answer.brackets != "set"
    if len(one) != len(other) or (ordered and right.brackets != answer.brackets):
        return INCORRECT
    if max(len(one), len(other)) > (MOST_PARTS if ordered else MOST_SAME):
        return UNDECIDED
    statuses = [[_compared(a, b, budget) for b in other] for a in one]
    places = range(len(other))
    worst = INCORRECT
    for order in [places] if ordered else permutations(places):
        own = {statuses[i][j] for i, j in zip(places, order, strict=True)}
        if own <= {CORRECT}:
            return CORRECT
        if own <= {CORRECT, UNDECIDED}:
            worst = UNDECIDED
    return worst


def _rounds(right: Expression, answer: Expression) -> bool:
    """Whether a decimal of three digits or more stands for a number that rounds to it."""
    text = answer.source.strip()
    if right.variables or not re.fullmatch(r"-?\d*\.\d+", text) or len(text.strip("-0.").replace(".", "")) < 3:  # fmt: skip
        return False
    exact = right.evaluate({}, digits=17).value
    return exact is not None and round(Decimal(exact), len(text.partition(".")[2])) == Decimal(text)  # fmt: skip
