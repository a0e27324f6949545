"""The claims of a document with their verdicts, as they are reported."""

from __future__ import annotations

import re

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.fields import judged

RIGHT, WRONG, UNDECIDED, NOT_READ = "right", "wrong", "undecided", "not read"
STATUSES = (RIGHT, WRONG, UNDECIDED, NOT_READ)
"""The statuses of a claim."""

_WHY = {
    r"integral": "integral", r"limit": "limit", r"equation to solve": "condition", r"not (?:defined|given|known)": "undefined",
    r"arguments|values for": "arguments", r"which variable": "variable", r"several formulas": "layout", r"increases": "behaviour",
}  # fmt: skip
"""The reasons for which claims are not read, as one word each; "notation" for any other."""


class Step(NamedTuple):
    """A side of a claim: its line in the document, its text, and what is said of it."""

    line: int
    column: int
    text: str
    status: str
    evidence: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields of its claim."""
        return self._asdict() | {"evidence": self.evidence or None}


class Claim(NamedTuple):
    """A claim: where it begins, what it is about, its steps and the verdict.

    `function` and `wrt` are what is differentiated, where that is known. `reason` says why a claim was not read.
    """

    line: int
    column: int
    text: str
    status: str
    steps: tuple[Step, ...] = ()
    function: str = ""
    wrt: tuple[str, ...] = ()
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        wrong = self.wrong
        return {
            "line": self.line,
            "column": self.column,
            "claim": self.text,
            "status": self.status,
            "judged": judged(self.status),
            "function": self.function or None,
            "wrt": list(self.wrt),
            "first_wrong": wrong and wrong.as_dict(),
            "reason": self.reason or None,
            "why": self.why,
            "steps": [step.as_dict() for step in self.steps],
        }

    @property
    def why(self) -> str | None:
        """Return why it was not read, in one word."""
        if self.status != NOT_READ:
            return None
        # the first that is found counts: an integral with an unknown name is an integral
        words = (word for told, word in _WHY.items() if re.search(told, self.reason))
        return next(words, "notation")

    @property
    def wrong(self) -> Step | None:
        """The first wrong step."""
        return next((step for step in self.steps if step.status == WRONG), None)

    @property
    def places(self) -> list[tuple[int, int]]:
        """The lines and columns of its steps."""
        return [(step.line, step.column) for step in self.steps]

    @property
    def place(self) -> tuple[int, int]:
        """The line and column to look at: of the first wrong step, or of the claim."""
        wrong = self.wrong
        return (self.line, self.column) if wrong is None else (wrong.line, wrong.column)


class Audit(NamedTuple):
    """The claims of a document, in order."""

    name: str
    claims: tuple[Claim, ...]

    def count(self, status: str) -> int:
        """Return how many claims there are of a status."""
        return sum(claim.status == status for claim in self.claims)

    def as_dict(self) -> dict[str, Any]:
        """The counts, and the fields of every claim."""
        counts = {status.replace(" ", "_"): self.count(status) for status in STATUSES}
        claims = [claim.as_dict() for claim in self.claims]
        return {"file": self.name, **counts, "claims": claims}
