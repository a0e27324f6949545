"""Conditional expressions of other programs, as ours: `x if x > 0 else 0` is if(x > 0, x, 0).

in_our_notation("x > 0 ? x : -x")                       "if(x > 0, x, -x)"
in_our_notation("Piecewise((x, x > 0), (0, True))")     "if(x > 0, x, 0)"
in_our_notation("{x < 0: -x, x}")                       "if(x < 0, -x, x)"
in_our_notation("x^2")                                  None
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from exprgrad.language.brackets import closing, nesting

Pair = tuple[str, str]
"""A condition, and the value where it holds; the last condition may be empty."""

_WRAPPED = re.compile(
    r"\s*(?:(?:\w+\.)?(?P<name>[Pp]iecewise)\s*[(\[]|\{)(?P<inside>.*)[)\]}]\s*"
)
_OTHERWISE = frozenset(("", "true", "otherwise", "else"))


def in_our_notation(text: str, is_partial: bool = False) -> str | None:
    """Return a conditional expression in our notation; None for what is none.

    One that `is_partial` may leave out some values, where it has no value then.
    """
    text = text.strip()
    if re.match(r"(?:ifelse|iif|IIF|IfElse)\s*\(", text):  # of R, and others
        return f"if{text[text.index('(') :]}"
    if text[:1] == "(" and closing(text, 0) == len(text):
        return in_our_notation(text[1:-1], is_partial)
    if re.match(r"=?\s*(?:[A-Z]+|if)\(.*;.*\)", text):  # of a spreadsheet
        return text.lstrip("= ").replace(";", ",")
    cases = re.fullmatch(r"if\b(.+?)(?:\bthen\b|:)(.+?)\belse\b:?(.+)", text)
    halves = [(cases[1].strip(), cases[2].strip()), ("", cases[3].strip())] if cases else None  # fmt: skip
    pairs = halves or _said(text) or _nested(text, r"\bif\b", r"\belse\b", False) or _nested(text, r"\?", ":", True) or _listed(text)  # fmt: skip
    if pairs is None or len(pairs) < 2 or not all(c for c, _ in pairs[:-1]):
        return None
    (before, _), (last, _) = pairs[-2:]
    compared = re.fullmatch(r"([^<>=!]+)([<>=!]=?)([^<>=!]+)", before.replace(" ", ""))
    other = _OPPOSITE.get(compared[2]) if compared else None
    rest = f"{compared[1]}{other}{compared[3]}" if compared else ""
    # the last condition holds wherever the one before does not
    if last in _OTHERWISE or last.replace(" ", "") == rest:
        _, other = pairs.pop()
        found = in_our_notation(other) or other
    elif is_partial:
        found = "1/0"
    else:
        return None
    for condition, value in reversed(pairs):
        condition = _CHAINED.sub(r"\1\2 and \2", condition)
        found = f"if({condition}, {in_our_notation(value) or value}, {found})"
    return found


_CHAINED = re.compile(r"([<>≤≥]=?\s*)((?:(?!\b(?:and|or)\b|[&|]{2})(?:[^<>≤≥(),]|\((?:[^()]|\([^()]*\))*\)))+?)(?=\s*[<>≤≥])")  # fmt: skip
"""A comparison, and what is compared again behind it: the < x of 0 < x < 1."""

_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}


_CASE = re.compile(
    r"([^<>]+?)\s*,?\s*\b(?:if|for|when|where)\s+(.+)|([^,]+),\s*([^,]*[<>≤≥≠][^,]*)"
    r"|(?:otherwise|else)\s+(.+)|(.+?)\s*,?\s+(?:otherwise|else)"
)
_BETWEEN_CASES = r";|,(?!\s*(?:if|for|when|where|otherwise$|else$)\b)|\band\b(?=[^,;<>]*\b(?:if|for|when|where)\b)"
"""The signs between cases: a comma that is not before a condition, or a semicolon."""


def _said(text: str) -> list[Pair] | None:
    """Those in words or in lists: a if c, otherwise b; a for c, b for d; {a, c; b, d}."""
    if text[:1] == "{" and closing(text, 0) == len(text):
        text = text[1:-1]
    sign = ";" if ";" in text else _BETWEEN_CASES
    found = [_CASE.fullmatch(part.strip(" .")) for part in _parted(text, sign) if part.strip()]  # fmt: skip
    cases = [[*filter(None, case.groups()), ""] for case in found if case is not None]
    if len(cases) < len(found) or len(found) < 2:
        return None
    return [(case[1].strip(" ,"), case[0].strip()) for case in cases]


def _nested(text: str, opening: str, middle: str, of_c: bool) -> list[Pair] | None:
    """Those of Python, a if c else b, or `of_c`, c ? a : b."""
    first, *rest = _parted(text, opening)
    found = []
    for part in rest:
        halves = [half.strip() for half in _parted(part, middle)]
        if len(halves) != 2 or not first.strip():
            return None
        pair = (halves[0], first.strip())
        found.append(pair[::-1] if of_c else pair)
        first = halves[1]
    return [*found, ("", first)] if found else None


def _listed(text: str) -> list[Pair] | None:
    """Those in brackets: of SymPy and Mathematica values with their conditions, of Desmos conditions with values."""
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is None:
        return None
    parts = [part.strip() for part in _parted(wrapped["inside"], ",")]
    if wrapped["name"] is None:
        halves = [_parted(part, ":") for part in parts]
        return [("".join(h[:-1]).strip(), h[-1].strip()) for h in halves] if all(len(h) < 3 for h in halves) else None  # fmt: skip
    if parts[0][:2] == "{{":  # of Mathematica, with the value elsewhere behind
        others = [("", value) for value in parts[1:]]
        return [*_pairs(_parted(parts[0][1:-1], ",")), *others]
    return _pairs(parts)


def _pairs(parts: Sequence[str]) -> list[Pair]:
    """Values with their conditions, each in brackets."""
    found = []
    for part in parts:
        value, *conditions = _parted(part.strip()[1:-1], ",")
        condition = conditions[0].strip() if conditions else ""
        is_last = condition.lower() in _OTHERWISE
        found.append(("" if is_last else condition, value.strip()))
    return found


def _parted(text: str, sign: str) -> list[str]:
    """A text at a sign that stands outside brackets."""
    parts, start, depth = [], 0, 0
    for mark in re.finditer(rf"[(\[{{)\]}}]|{sign}", text):
        depth += nesting(mark[0])
        if not depth and not nesting(mark[0]):
            parts.append(text[start : mark.start()])
            start = mark.end()
    return [*parts, text[start:]]
