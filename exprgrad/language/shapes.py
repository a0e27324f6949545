r"""What tells LaTeX from text.

is_latex(r"\sin x")         True, for a backslash and a letter, $…$, ^{ or _{
is_latex("x^2")             False
"""

from __future__ import annotations

from exprgrad.patterns import pattern

_MARKS = pattern(r"\\[a-zA-Z]|\\[\[({]|[\^_]\{|\$[^$]*\$")


def is_latex(source: str) -> bool:
    """Whether a text is LaTeX."""
    return ("\\" in source or "{" in source or "$" in source) and bool(
        _MARKS.search(source)
    )
