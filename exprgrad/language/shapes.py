r"""The signs that tell LaTeX from text.

is_latex(r"\sin x")         True, for a backslash and a letter, $…$, ^{ or _{
is_latex("x^2")             False
with assuming("latex"):     everything is
    is_latex("x^2")         True
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from exprgrad.lazy import pattern

LATEX, TEXT = "latex", "text"
NOTATIONS = (LATEX, TEXT)

_SIGNS = frozenset("=:?.;'\"`$@>,|\n\\{")
"""Signs of what is more than an expression."""

_MARKS = pattern(r"\\[a-zA-Z]|\\[\[({]|[\^_]\{|\$[^$]*\$")
_assumed: list[str] = []


def is_latex(source: str) -> bool:
    """Return whether a text is LaTeX."""
    if _assumed:
        return _assumed[-1] == LATEX
    has_signs = "\\" in source or "{" in source or "$" in source
    return has_signs and _MARKS.search(source) is not None


def assumed() -> str | None:
    """The notation that everything is in, if that has been said."""
    return _assumed[-1] if _assumed else None


@contextmanager
def assuming(notation: str | None) -> Iterator[None]:
    """Take everything that is read meanwhile to be in a notation; None says nothing."""
    if notation is None:
        yield
        return
    _assumed.append(notation)
    try:
        yield
    finally:
        _assumed.pop()


def points_in_numbers(source: str) -> bool:
    """Return whether every point in a text stands between two digits."""
    pairs = pairwise(source.split("."))
    return all(a[-1:].isdigit() and b[:1].isdigit() for a, b in pairs)


def is_plain(source: str) -> bool:
    """Return whether a text can only be an expression: most are, and the grammar of sentences takes long to load."""
    if "." in source and points_in_numbers(source):
        source = source.replace(".", "")
    if not source.isascii() or not _SIGNS.isdisjoint(source):
        return False
    from exprgrad.operations.vocabulary import CONSTANTS, DIFF, is_function

    # letters may have any meaning within a formula, but d and D may ask for a derivative, and longer words may be a sentence
    words = {*"".join(c if c.isalpha() else " " for c in source).split()}
    named = words - {word for word in words if len(word) == 1} - {*CONSTANTS}
    asks = not words.isdisjoint(("d", "D", DIFF))
    return not asks and all(is_function(name, called=True) for name in named)
