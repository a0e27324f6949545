"""Names of an answer that the problem does not have: a slip of the pen, or another question.

An answer that depends on such a name cannot be read as an answer to this problem; what it may have meant
is a name of the problem that looks alike.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from exprgrad.checking.question import NOWHERE, Question
from exprgrad.expressions.expression import Expression
from exprgrad.language.elsewhere import SPOKEN
from exprgrad.language.parser import Reading
from exprgrad.operations.vocabulary import CONSTANTS, similar
from exprgrad.sweeps.precise import Probe

TRIED = (0.61803, 2.23717, -1.73911, 3.14717)
"""Values that a name is given to see whether the answer depends on it."""


def strange(question: Question) -> list[str]:
    """The names that the answer depends on and the problem does not have."""
    own = {*question.expression.variables, question.wrt}
    names = [name for name in question.claim.variables if name not in own]
    return [name for name in names if _depends(question, name)]


def _depends(question: Question, name: str) -> bool:
    """Return whether the answer changes with a name; where it has no value, it is taken to."""
    probe = Probe(question.claim.tape)
    others = [n for n in question.claim.variables if n != name]
    compared = False
    # at one base the rest may be 0, or without a value
    for base in (0.83719, 1.61417, 2.37193):
        at = {n: base + 0.37 * i for i, n in enumerate(others)}
        values = [probe.floats({**at, name: x}).value for x in TRIED]
        known = [value for value in values if value is not None]
        compared |= len(known) > 1
        if known and max(known) - min(known) > 1e-9 * max(map(abs, known)):
            return True
    return not compared


DECLINED = frozenset((
    "n/a", "n.a.", "na", "none", "-", "--", "–", "—", "?", "??", "???", "idk", "i don't know", "i dont know", "don't know",
    "dont know", "no idea", "no answer", "not done", "skip", "skipped", "blank", "tbd", "...", "…",
))  # fmt: skip
"""What people write where they have no answer."""


def declines(answer: str, problem: str = "") -> bool:
    """Return whether an answer says that there is none; not where its letters are names of the problem."""
    plain = " ".join(answer.casefold().replace("’", "'").split()).rstrip(".!")
    letters = {c for c in plain if c.isalpha()}
    if letters and letters <= set(problem.casefold()) and len(plain) < 4:
        return False
    # of "..." nothing is left without its points
    return plain in DECLINED or answer.strip() in DECLINED


ABSENT = frozenset((
    "dne", "d.n.e.", "d.n.e", "does not exist", "doesn't exist", "undefined", "not defined", "not differentiable",
    "no derivative", "there is no derivative", "there is none", "nonexistent",
))  # fmt: skip
"""What people write where they say that there is no derivative."""


def says_none(answer: str, names: Collection[str] = ()) -> bool:
    """Return whether an answer says that there is no derivative; not where its word is a name of the problem."""
    plain = " ".join(answer.casefold().replace("’", "'").split()).rstrip("!")
    # "d.n.e." has points of its own, "undefined." ends with one
    return answer.strip() not in names and bool({plain, plain.rstrip(".")} & ABSENT)


def none(answer: str) -> Expression:
    """The claim that there is no derivative, as it was typed."""
    return Expression(Reading(answer.strip(), NOWHERE, (), (), False))


def alternatives(claim: Expression) -> str:
    """Both answers of one that gives two, 2x or -2x; nothing for any other."""
    operation, operands = claim.root.operation, claim.root.operands
    if operation is None or operation.rule != "logic":
        return ""
    # what is no condition was read as u != 0, which stands where u does
    meant = [o.operands[0] for o in operands if o.operands and o.span == o.operands[0].span]  # fmt: skip
    return " and ".join(map(claim.written, meant)) if len(meant) > 1 else ""


def asked(question: Question, names: Sequence[str]) -> str:
    """Return what to ask about names that the problem does not have."""
    if declines(question.claim.source, question.expression.source):
        return f"{question.claim.source.strip()} says that there is no answer"
    word = next((name for name in names if name.casefold() in SPOKEN), None)
    if word is not None:
        return f"{word} is read as a name: write {SPOKEN[word.casefold()]} for {word}"
    own = list(dict.fromkeys((question.wrt, *question.expression.variables)))
    yours, problems = _listed(names), _listed(own)
    closest = _alike(names[0], own) if len(names) == 1 else None
    if closest is None:
        return f"your answer uses {yours}, the problem {problems}"
    return f"your answer uses {yours}, the problem {problems}: did you mean {closest}?"


def _alike(name: str, own: Sequence[str]) -> str | None:
    """The name of the problem that this one may stand for."""
    plain = _plain(name)
    same = [other for other in (*own, *CONSTANTS) if _plain(other) == plain]
    if same:
        return same[0]
    if len(own) == 1 and len(name) == len(own[0]) == 1:
        return own[0]  # t for x; metres are no x
    return similar(name, own)


def _plain(name: str) -> str:
    """A name without case and accents; Greek and Cyrillic letters that look like Latin ones are these."""
    import unicodedata

    text = unicodedata.normalize("NFKD", name).casefold()
    return text.translate(_LOOKALIKES).replace("_", "")


_LOOKALIKES = str.maketrans("\u0445\u0430\u0435\u043e\u0440\u0441\u0443\u03c7\u03bd\u03ba\u03c4\u03c5", "xaeopcyxvktu")  # fmt: skip


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
