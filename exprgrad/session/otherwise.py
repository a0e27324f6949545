"""Statements in the notations of other programs, as sessions write them.

    definition("f(x) := x^2")               "f(x) = x^2"
    definition("f = lambda x: x**2")        "f(x) = x**2"
    definition("def f(x): return x**2")     "f(x) = x**2"
    without_words("x -> x^2")               "x^2"
    without_words(">>> x**2")               "x**2"
    in_signs("derivative of x squared")     "d/dx (x^2)"

For what is in no other notation they give None.
"""

from __future__ import annotations

import re

from exprgrad.language import phrases
from exprgrad.patterns import pattern

_NAME = r"[^\W\d]\w*"
_NAMES = rf"{_NAME}(?:\s*,\s*{_NAME})*"
_LET = rf"\s*(?:let|define|const|var|set)\s+(?={_NAME}\s*(?:\({_NAMES}\)\s*)?:?=)"
_ASSIGNED = rf"(\s*{_NAME}\s*(?:\({_NAMES}\)\s*)?):="

_ASKED = pattern(rf"\s*(?:{phrases.VERB}(?:the\s+)?(?:value\s+of\s+)?|is\s+)", re.IGNORECASE)  # fmt: skip

OF_TASKS = ("critical", "minimize", "tangent", "taylor")
"""Commands that answer tasks in words, beside derivatives and values."""

ARROWS = ("->", "=>", "→", "↦", "⟼", "lambda ", "@(")
"""Signs of a function without a name, which may be given one."""


def definition(text: str) -> str | None:
    """A definition as sessions write it, if it is in another notation."""
    if len(text) > phrases.LONGEST or "\n" in text.strip():
        return None
    from exprgrad.language.words.formulas import composed

    plain = composed(re.sub(_LET, "", text))
    function = phrases.arrow(plain)
    if function is not None and function.name and plain[function.end :].strip():
        return f"{function.name}({function.parameters}) = {plain[function.end :]}"
    plain = re.sub(_ASSIGNED, r"\1=", plain, count=1)
    return None if plain == text else plain


def without_words(text: str) -> str | None:
    """A formula without the words, the prompt, the quotes or the equals sign of a cell around it."""
    if len(text) > phrases.LONGEST:
        return None
    found = phrases.read(_ASKED.sub("", text))
    plain = found.text.strip().removeprefix("=").removesuffix("=").strip()
    if phrases.DERIVATIVE in plain or plain == text.strip():
        return None
    return plain if found.point is None else f"{plain} at {found.point}"


def in_signs(text: str) -> str | None:
    """A formula or a task in words as a session writes it: d/dx (x^2) at x=3, or :critical x^3 - 3x."""
    from exprgrad.language.words.tasks import command

    meant = command(text) if "\n" not in text.strip() else None
    if meant is not None and meant.command in OF_TASKS:
        name, formula, *options = meant.arguments
        return f":{name} {' '.join((formula, *options))}"
    if meant is None or meant.command not in ("diff", "eval"):
        return None
    at, wrt = meant.options.get("at"), meant.options.get("wrt", "")
    if meant.options.keys() - {"at", "wrt", "order"} or not isinstance(wrt, str) or "," in wrt:  # fmt: skip
        return None
    power = f"^{n}" if (n := meant.options.get("order")) else ""
    asked = f"d{power}/d{wrt}{power} ({meant.formula})" if wrt else meant.formula
    return f"{asked} at {at}" if at else asked
