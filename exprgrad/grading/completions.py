r"""Long texts that end in an answer, as models and people write them: what was answered, and whether it is right.

    grade("Find the derivative of $x^2$.", r"... so the answer is \boxed{2x}.").status        # "correct"
    grade(r"\frac{1}{2}", "Adding up gives 0.5").status                                       # "correct"

The question may ask for anything that `check` knows, or be the right answer itself: an expression, a number, a set, a
list, a point, an interval. No text makes this raise, and no clock decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import LIMITS, Budget, OutOfBudgetError, Spent, limited
from exprgrad.checking.fields import judged, on_one_line
from exprgrad.checking.judging import CORRECT, INCORRECT, UNDECIDED, UNREADABLE, Verdict
from exprgrad.checking.problems import Problem, judge
from exprgrad.errors import ExprgradError, InternalError, UsageError
from exprgrad.expressions.taylor import at_place, has_variables
from exprgrad.grading.answers import same, tidy
from exprgrad.grading.plain import is_mathematics
from exprgrad.grading.sheet import read_row
from exprgrad.language import inputs
from exprgrad.lazy import pattern
from exprgrad.notation.text import to_text

LONGEST = 1_000_000
"""Characters of a text in which an answer is looked for: the last ones."""

LONGEST_LINE = 10_000
MOST_MARKS, MOST_PARTS = 10, 24
"""Places that are looked at from the end: after words such as "answer", and boxes."""


class Graded(NamedTuple):
    """The grade of an answer: its text, a status as verdicts have it, and why.

    `verdict` is that of `check` where the question asks for something; None where the question is the right answer.
    """

    status: str
    answer: str
    evidence: str
    notes: tuple[str, ...] = ()
    verdict: Verdict | None = None

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        verdict = None if self.verdict is None else self.verdict.as_dict()
        own = {"judged": judged(self.status), "notes": list(self.notes)}
        return self._asdict() | own | {"verdict": verdict}


def grade(
    question: str, completion: str, *, budget: Budget | int | None = None
) -> Graded:
    """Return the verdict on the answer that a text ends in: what is boxed, what is called the answer, or the last formula."""
    answer = ""
    try:
        asked, answer = _text(question), final_answer(_text(completion))
        if not answer or len(answer) > LIMITS["answer"].most:
            told = "an answer is too long" if answer else "an answer was not found"
            return Graded(UNREADABLE, answer[: LIMITS["answer"].most], told)
        with limited(budget):
            return (_of_question if asks(asked) else _of_answer)(asked, answer)
    except (RecursionError, MemoryError, OutOfBudgetError, Spent):
        return Graded(UNDECIDED, answer, "this is too large to compute")
    except ExprgradError as error:
        return Graded(UNREADABLE, answer, on_one_line(error))
    except Exception as error:  # one that stops is worse than one that does not know
        return Graded(UNDECIDED, answer, InternalError(error).message)


def _text(thing: Any) -> str:
    """Return a text as it is, and a number as one. Raises `UsageError` for anything else."""
    return thing if isinstance(thing, str) else inputs.number_text(thing, "an answer")


def grade_many(
    rows: Iterable[tuple[str, str]], jobs: int = 1, *, budget: int | None = None
) -> Iterator[Graded]:
    """Yield the verdict on each question and completion, in their order, computed by so many processes."""
    from exprgrad.data.processes import in_order

    return in_order(_graded, ((*_pair(row), budget) for row in rows), jobs)


def _pair(row: Any) -> tuple[str, str]:
    if not isinstance(row, tuple | list) or len(row) != 2:
        raise UsageError("a row is a question and a completion")
    return row[0], row[1]


def _graded(row: tuple[str, str, int | None]) -> Graded:
    return grade(*row[:2], budget=row[2])


# Where the answer is

_MARKED = pattern(
    r"(?:\bfinal\s+answer\b|\banswer\b|####|\btherefore\b|\bhence\b)[\s*:,]*(?:is\b|=)?[\s*:]*",
    re.IGNORECASE,
)
_FORMULA = pattern(
    r"\$\$(?P<display>[^$]+)\$\$|\\\[(?P<square>(?:(?!\\\[).)+?)\\\]|\\\((?P<round>(?:(?!\\\()[^\n])+?)\\\)|(?<!\\)\$(?P<inline>(?:\\.|[^$\n\\])+)\$",
    re.DOTALL,
)
_BOX = pattern(r"\\(?:boxed|fbox)\s*\{")
_PERCENT = pattern(r"[\s$})\\]*(?:%|(?:percent|pct)\b)")
_JOINED = pattern(
    r"[\s,;$&+]*|(?=[^.:]*\b(?:and|or)\b)(?:[^.:\w]*\b[a-zA-Z]\w*\b){1,5}[^.:\w]*"
)
"""The text between the parts of one answer: commas, "and", a few words with an "and" among them."""

_LAYOUT = pattern(r"\\(?:q?quad|text|[()\[\],; ])|[{}]")
_SENTENCE = pattern(r"[.!?]\s+(?=[A-Z])|[.!?]?\s*$")
# what programs write around their answers
_CLOSING = pattern(
    r"(?m)<\|.*|I hope it is correct\.?|\\n(?![a-z])|</?(?:answer|think)>|^\(?[A-E][.)]\s+(?=\S)"
    r"|\\(?:begin|end)\s*\{(?:align|aligned|gather|equation)\*?\}|(?:\\\\\s*)?&\s*="
)

# what denies the formula behind it: at the begin of a text, and up to its end
_NOT = r"\b(?:(?:can)?not|\w+n['’]t|never)(?:\s+(?:equals?|be|to|just|simply|really)\b)*(?!\w)"
_DENIES = pattern(rf"{_NOT}\W*(?P<of>.*)")
_DENIED = pattern(rf"(?s).*{_NOT}[\s*:$\\(\[]*")

_AFTERWORD = pattern(
    r"(?s)(?<=[.!\n])\s*(?:This\s+(?:uses|used|follows)|(?:Here\s+)?(?:we|We|I)\s+(?:used|applied))\b[^\n]*\s*$"
)
"""A sentence that explains the answer before it, and is not the answer."""

_OPEN = pattern(r"\\\(|^\s*\$\s*$", re.MULTILINE)
"""The beginning of a formula within a line, which is none unless it ends there."""

_WORDS = pattern(
    r".*\b(?:so|thus|then|is|are|be|by|equals|gives|get|obtain|have)\b[,:]?\s+(?P<rest>\S.*)"
)
_OTHER_WORDS = pattern(r"\b(?:or|and)\b|\\[a-zA-Z]+")
_LAST_NUMBER = pattern(
    r"(?<![\w.,])[€$]?-?\d[\d,.]*(?:\s*/\s*\d+)?\s?(?:%|percent|pct|€|\$|m²)?"
)


def final_answer(text: str) -> str:
    """Return the answer that a text ends in, without what delimits it; an empty text where there is none."""
    text = _CLOSING.sub("\n", text[-LONGEST:].replace("\\\\boxed", "\\boxed"))
    after = _AFTERWORD.search(text)
    if after and any(map(str.isdigit, text[: after.start()])):
        text = text[: after.start()]
    boxes = []
    for found in [*_BOX.finditer(text)][-MOST_PARTS:]:
        # no pattern counts braces; a box that is never closed ends with the text
        depth, end = 1, found.end()
        while depth and end < min(len(text), found.end() + LONGEST_LINE):
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        boxes.append((found.start(), end, text[found.end() : end - (depth == 0)]))
    if boxes:
        return _together(text, boxes)
    behind_marks = (text[m.end() :][:LONGEST_LINE].partition("\n")[0] for m in [*_MARKED.finditer(text)][:-MOST_MARKS:-1])  # fmt: skip
    marked = next((line for line in behind_marks if any(map(str.isalnum, line))), "")
    lines = (line for line in text.splitlines()[::-1] if any(map(str.isalnum, line)))
    # an answer stands right behind a mark, and at the end of a line without one
    piece = marked or next(lines, "")[-LONGEST_LINE:]
    # a full stop within a formula ends no sentence
    stop = _SENTENCE.search(_FORMULA.sub(lambda m: "0" * len(m[0]), piece))
    piece = piece[: stop.start()] if marked and stop else piece
    piece = re.sub(rf",\s+(?:and\s+)?{_NOT}.*", "", piece)
    formulas = _formulas(piece)
    behind = piece[formulas[-1][1] :] if formulas else piece
    words = _WORDS.match(behind)
    if formulas and not (words and any(map(str.isdigit, words["rest"]))):
        return _together(piece, formulas)
    if not formulas and not marked and (every := _formulas(text)):
        return _together(text, every)
    if not formulas and _OPEN.search(text):
        return ""
    answer = tidy(words["rest"] if words else behind)
    # the word before it may belong to what denies it: it cannot be 5
    if words and _is_denied(behind[: words.start("rest")]):
        return ""
    if (denied := _DENIES.match(answer)) and is_mathematics(denied["of"]):
        return ""
    is_prose = " " in answer and not is_mathematics(_OTHER_WORDS.sub("", answer))
    last = answer.rpartition("=")[2]
    if is_prose and last != answer and is_mathematics(_OTHER_WORDS.sub("", last)):
        return tidy(last)
    numbers = [*_LAST_NUMBER.finditer(answer)] if is_prose else []
    if not numbers:
        return answer
    last_number = numbers[-1]
    return "" if _is_denied(answer[: last_number.start()]) else tidy(last_number[0])


def _is_denied(before: str) -> bool:
    """Return whether a text ends in words that deny what stands behind it."""
    return _DENIED.fullmatch(before[-80:]) is not None


def _formulas(text: str) -> list[tuple[int, int, str]]:
    """The formulas of a text with their places."""
    return [(m.start(), m.end(), m[m.lastgroup or 0]) for m in _FORMULA.finditer(text)]


def _together(text: str, pieces: list[tuple[int, int, str]]) -> str:
    """The last piece of a text, with those before it that are parts of the same answer; none where that is denied."""
    first = len(pieces) - 1
    while first:
        between = text[pieces[first - 1][1] : pieces[first][0]][:80]
        if not _JOINED.fullmatch(_LAYOUT.sub(" ", between)):
            break
        first -= 1
    if _is_denied(text[: pieces[first][0]]):
        return ""
    percent = _PERCENT.match(text[pieces[-1][1] :][:40])
    texts = [tidy(piece) for _, _, piece in pieces[first:]]
    return ", ".join(texts) + (" %" if percent else "")


# Questions that ask for something


def asks(text: str) -> bool:
    """Return whether a text asks for something, and is no answer: has a verb of tasks or a sign of a derivative."""
    if _BOX.search(text) or re.search(r"\bfinal\s+answer\b", text, re.IGNORECASE):
        return False
    return _ASKING.search(text) is not None


_ASKING = pattern(
    r"\b(?:find|what|which|how|compute|calculate|determine|evaluate|differentiate|integrate|solve|simplify|write|give|show|if"
    r"|(?:derivative|gradient|hessian|slope|tangent|integral|taylor|critical|inflection|linear)\b.*\b(?:of|to|points?))\b"
    r"|\?|\bd\s*/\s*d|\\frac\s*\{\s*d\b|['′]\s*\(|∂|\\int\b|∫|∇",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip


def _of_question(asked: str, answer: str) -> Graded:
    """The verdict of `check`, which takes a set as the list of its elements."""
    asked, claim = tidy(asked), re.sub(r"^\\?\{(.*?)\\?\}$", r"\1", answer).strip()
    try:
        problem = read_row(asked, claim)
        if right := _value(asked, problem):
            return _of_answer(right, answer)
        verdict = judge(problem)
    except ExprgradError:
        if "=" not in claim:
            raise
        verdict = judge(read_row(asked, tidy(claim.rpartition("=")[2])))
    return Graded(verdict.status, answer, verdict.evidence, verdict.notes, verdict)


_OF_CHANGE = pattern(
    r"deriv|diff|slope|gradient|tangent|rate|chang|['’′∂∇]|\\(?:prime|partial|dot|nabla)|\bd\w*\s*/\s*d|\{\s*d|\bD[_(]",
    re.IGNORECASE,
)


def _value(asked: str, problem: Problem) -> str:
    """Return the number that "what is 2 + 2?" asks for; an empty text where a derivative or a formula is asked for."""
    if not problem.is_derivative or _OF_CHANGE.search(asked):
        return ""
    root = at_place(problem.function.root, problem.exact or {})
    return "" if has_variables(root) else to_text(root)


def _of_answer(asked: str, answer: str) -> Graded:
    """Return whether an answer is the one that is known to be right."""
    right = final_answer(asked)
    if not right:
        return Graded(UNREADABLE, answer, "the right answer was not found")
    plain = [re.sub(r"\s", "", text) for text in (right, answer)]
    if len(right) > 1 and right.isalpha():
        plain = [text.casefold() for text in plain]
    if plain[0] == plain[1]:
        return Graded(CORRECT, answer, "the same text")
    status, notes = same(right, answer)
    told = {CORRECT: "they are equal", INCORRECT: "they are different"}
    return Graded(status, answer, told.get(status, "whether they are equal is open"), notes)  # fmt: skip
