"""Verdicts as fields that programs read."""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.checking.agreement import Basis

ONE_VOCABULARY = {
    "equal": "correct", "different": "incorrect", "follows": "correct", "wrong": "incorrect", "consequent": "incorrect",
    "right": "correct", "unfinished": "undecided", "not_read": "not_checked", "not read": "not_checked",
    "blank": "not_checked",
}  # fmt: skip
"""What words of equivalence, of worked solutions, of documents and of class sets are among those of verdicts."""


def judged(status: str) -> str:
    """Return a status in the words of verdicts: correct, partly, incorrect, undecided, unreadable, not_checked."""
    return ONE_VOCABULARY.get(status, status)


def title_of(given: Any) -> str:
    """The text of an expression; of several, in brackets."""
    if isinstance(given, tuple):
        return f"({', '.join(each.title for each in given)})"
    return str(given.title)


def claim_text(found: Any) -> str:
    """The answer of a verdict as it was typed; of several, in brackets."""
    return found.typed or title_of(found.claim)


def certainty(found: Any) -> dict[str, Any]:
    """The fields of a record of any kind that say what its verdict rests on: see `agreement.Basis`."""
    return {name: getattr(found, name) for name in Basis._fields}


def reasons(found: Any) -> dict[str, Any]:
    """The status of a verdict of any kind and why, for programs."""
    example, mistake = found.counterexample, found.mistake
    return {
        "status": found.status,
        "judged": judged(found.status),
        "evidence": found.evidence,
        "counterexample": None if example is None else example._asdict(),
        "mistake": None if mistake is None else str(mistake),
    }


def verdict_fields(found: Any) -> dict[str, Any]:
    """The fields of JSON output; of an answer of another kind than a derivative a few more."""
    if found.asked:
        right, assumes = found.answer or None, found.assumes
    else:
        derivative = found.expression.derivative(found.wrt, order=found.order)
        right, assumes = derivative.source, derivative.assumptions
    own = {
        "expression": title_of(found.expression),
        "claim": claim_text(found),
        "wrt": found.wrt,
        "order": found.order,
        **reasons(found),
        "place": None if found.mistake is None else found.mistake.span,
        "derivative": right,
        "assumes": list(assumes),
        "notes": list(found.notes),
        "if_read_as": found.if_read_as,
        **certainty(found),
    }
    if not found.asked:
        return own | {"parts": []} | ({"at": dict(found.at)} if found.at else {})
    parts = [
        {"name": p.name, "claim": p.claim.title} | reasons(p) | certainty(p)
        for p in found.parts
    ]
    return {"kind": found.kind, **own, "asked": found.asked, "parts": parts}


def equivalence_fields(found: Any) -> dict[str, Any]:
    """The verdict on two expressions; for a counterexample, the values of both."""
    values, example = None, found.counterexample
    if example is not None:
        values = {"at": example.at, "a": example.derivative, "b": example.claimed}
    return {
        "status": found.status,
        "judged": judged(found.status),
        "evidence": found.evidence,
        "counterexample": values,
        "notes": list(found.notes),
        **certainty(found),
    }


def work_fields(work: Any) -> dict[str, Any]:
    """A worked solution, line by line."""
    credit = work.credit
    return {
        "function": work.function.title,
        "wrt": work.wrt,
        "order": work.order,
        "verdict": work.verdict,
        "judged": judged(work.verdict),
        "conclusion": work.conclusion,
        "first_wrong": work.first_wrong,
        "mistake": work.mistake and work.mistake._asdict(),
        "derivative": work.derivative,
        "credit": {**credit._asdict(), "share": credit.share},
        "lines": [_line(**line._asdict()) for line in work.lines],
    }


def _line(number: int, **own: Any) -> dict[str, Any]:
    """A line of a solution."""
    records = ("counterexample", "mistake")
    own |= {name: own[name] and own[name]._asdict() for name in records}
    own["judged"] = judged(own["status"])
    return {"line": number, **own, "notes": list(own["notes"])}
