"""Texts with more than one expression in them: equations, pairs and lists.

sides("x^2 + y^2 = 25")         ("x^2 + y^2", "25")
entries("(cos t, sin t)")       ("cos t", "sin t")
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from exprgrad.errors import Hint, UsageError
from exprgrad.language.brackets import closed, outside, parted

_COMPARED = frozenset("<>=!≤≥:")


def sides(text: str) -> tuple[str, ...]:
    """Return what stands on either side of `=`; the text alone where there is none."""
    # no part of a comparison
    places = [i for i in outside(text, "=") if _COMPARED.isdisjoint(text[i - 1 : i] + text[i + 1 : i + 2])]  # fmt: skip
    if not places:
        return (text.strip(),)
    if len(places) > 1:
        at = places[1]
        told, hint = "an equation has one '='", "leave the rest out"
        raise UsageError(told, (at, at + 1), hint, source=text)
    [at] = places
    found = text[:at].strip(), text[at + 1 :].strip()
    if not all(found):
        side = "before" if not found[0] else "after"
        nothing = f"there is nothing {side} '='"
        raise UsageError(nothing, (at, at + 1), "write both sides", source=text)
    return found


def entries(text: str) -> tuple[str, ...]:
    """The parts of a list, with or without brackets around it; the text alone where it is none."""
    inside = text.strip()
    if inside[:1] in ("(", "[", "{", "<", "⟨") and _closes(inside):
        own = tuple(_parts(inside[1:-1]))
        if len(own) > 1:
            return own
    return tuple(_parts(inside))


def components(text: str) -> tuple[str, ...]:
    """The components of a vector: 3 and 4 of (3, 4), of <3, 4> and of 3i + 4j."""
    plain = text.replace("î", "i").replace("ĵ", "j").replace("k̂", "k")
    # nothing stands before a sign at the beginning, and '' is in every text: -3i has one term
    signs = (i for i in outside(plain, "+-−") if plain[i - 1 : i] not in "^*/")
    terms = [plain[a:b].strip() for a, b in pairwise([0, *signs, len(plain)])]
    units = "".join(term[-1:] for term in terms)
    if units not in ("ij", "ijk") or any(term[-2:-1].isalpha() for term in terms):
        return entries(text)
    parts = [term[:-1].rstrip(" *").lstrip("+ ") for term in terms]
    return tuple(part if part.strip("-− ") else f"{part}1" for part in parts)


def with_names(values: str, names: Sequence[str]) -> str:
    """Values with the names of these variables: x=1, y=2 of (1, 2). Raises `UsageError` where there are others."""
    if "=" in values:
        return values.replace(" and ", ", ")
    texts = entries(values)
    if len(texts) != len(names):
        raise UsageError(f"which variable is {values}?", hint=Hint("value_beside"))
    return ", ".join(f"{name}={text}" for name, text in zip(names, texts, strict=True))


def _closes(text: str) -> bool:
    """Return whether the first bracket closes at the end."""
    if text[0] in "<⟨":
        return text.endswith({"<": ">", "⟨": "⟩"}[text[0]])
    return closed(text).get(0) == len(text) - 1


def _parts(text: str) -> list[str]:
    return [text[a:b].strip() for a, b in parted(text)]
