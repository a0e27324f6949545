"""Verdicts as fields that programs read."""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.checking.agreement import Basis
from exprgrad.errors import ExprgradError

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


def _named(found: Any, names: str) -> dict[str, Any]:
    """The fields that have the names of attributes."""
    return {name: getattr(found, name) for name in names.split()}


def certainty(found: Any) -> dict[str, Any]:
    """The fields of a record of any kind that say what its verdict rests on: see `agreement.Basis`."""
    return _named(found, " ".join(Basis._fields))


def reasons(found: Any) -> dict[str, Any]:
    """The status of a verdict of any kind and why, for programs."""
    example, mistake = found.counterexample, found.mistake
    return _named(found, "status judged evidence") | {
        "counterexample": None if example is None else example._asdict(),
        "mistake": None if mistake is None else str(mistake),
    }


def on_one_line(error: ExprgradError) -> str:
    """A diagnostic on one line."""
    where = f"{error.origin}: " if error.origin else ""
    hint = f" ({error.hint})" if error.hint else ""
    return f"{where}{error.message}{hint}"


def verdict_fields(found: Any) -> dict[str, Any]:
    """The fields of JSON output of a verdict of any kind."""
    if found.expression is None:
        return _row_fields(found)
    if found.kind == "equivalence":
        return _equivalence_fields(found)
    if found.kind == "work":
        return _work_fields(found)
    if found.asked:
        right, assumes = found.answer or None, found.assumes
    else:
        derivative = found.expression.derivative(found.wrt, order=found.order)
        right, assumes = derivative.source, derivative.assumptions
    own = {
        "expression": title_of(found.expression),
        "claim": claim_text(found),
        **_named(found, "wrt order"),
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


def _row_fields(found: Any) -> dict[str, Any]:
    """A row of a class set."""
    if found.error is not None:
        return _named(found, "status judged") | {"error": on_one_line(found.error)}
    return {
        **reasons(found),
        "derivative": found.answer,
        "notes": list(found.notes),
        "if_read_as": found.if_read_as,
        **certainty(found),
        **({} if found.first_wrong is None else {"first_wrong": found.first_wrong}),
    }


def _equivalence_fields(found: Any) -> dict[str, Any]:
    """The verdict on two expressions; for a counterexample, the values of both."""
    values, example = None, found.counterexample
    if example is not None:
        values = {"at": example.at, "a": example.derivative, "b": example.claimed}
    own = {"a": found.expression.title, "b": claim_text(found), **reasons(found)}
    del own["mistake"]
    own |= {"counterexample": values, "notes": list(found.notes)}
    return own | certainty(found)


def _work_fields(work: Any) -> dict[str, Any]:
    """A worked solution, line by line."""
    credit = work.credit
    return {
        "function": work.function.title,
        **_named(work, "wrt order verdict judged conclusion first_wrong"),
        "mistake": work.mistake and work.mistake._asdict(),
        "derivative": work.derivative,
        "credit": {**credit._asdict(), "share": credit.share},
        "lines": [_line_fields(line) for line in work.lines],
    }


def _line_fields(line: Any) -> dict[str, Any]:
    """A line of a solution."""
    example, mistake = line.counterexample, line.mistake
    return {
        "line": line.number,
        **_named(line, "text status evidence place after"),
        "counterexample": example and example._asdict(),
        "mistake": mistake and mistake._asdict(),
        "notes": list(line.notes),
        **certainty(line),
        "judged": line.judged,
    }
