"""The record of a mistake, wherever it was made: in a derivative, in a line of a solution, in an answer's text."""

from __future__ import annotations

from exprgrad.annotations import NamedTuple
from exprgrad.errors import Span


class Mistake(NamedTuple):
    """A probable mistake. `name` is the kind, `rule` what to look up.

    `message` tells the student in a sentence, `hint` names the kind without the answer. `span` is the place: in the
    problem, or in the line of a solution with the number `line`. `others` are the names of other mistakes that give
    the same. `right` says what is right in the answer, and `term` is the place of its only wrong term.
    """

    name: str
    rule: str
    message: str
    hint: str
    span: Span | None = None
    others: tuple[str, ...] = ()
    line: int = 0
    right: str = ""
    term: Span | None = None

    @classmethod
    def of(cls, name: str, rule: str, message: str, advice: str = "") -> Mistake:
        """A mistake with its name, and perhaps advice, as the hint."""
        return cls(name, rule, message, f"{name}: {advice}" if advice else name)

    def __str__(self) -> str:
        return f"{self.name} ({self.rule}): {self.message}"
