"""Texts that may have been meant otherwise: what to type instead.

    misleading("x^2 dx")        ("this may be a differential", "d/dx (x^2)"): it would be read as x^2 times dx
    corrected("x^2'")           "(x^2)'"

What is offered is a whole text, with the formula that was typed, and one that can be read.
"""

from __future__ import annotations

import re
from itertools import accumulate

from exprgrad.errors import ExprgradError, Hint
from exprgrad.graph.order import topological
from exprgrad.graph.value import is_variable
from exprgrad.language import elsewhere
from exprgrad.language.elsewhere import is_word
from exprgrad.language.parser import read
from exprgrad.lazy import pattern
from exprgrad.operations.operation import function_names
from exprgrad.operations.vocabulary import SPOKEN_FUNCTIONS, alike

_N = r"[a-zA-Z]"
_NUMBER = r"[-−]?[0-9.]+"
_DERIVATIVE = r"(?:the\s+)?(?:derivative|differentiate|diff|gradient|slope)"

_MISLEADING = (
    (rf"{_DERIVATIVE}\s+of\s+(?P<of>.+?)\s+d(?P<x>{_N})", "this may be a product or a differential", "d/d{x} ({of})"),
    (rf"(?P<of>.+?)\s+d{_N}\s*/\s*d(?P<x>{_N})", "this may be a product or a derivative", "d/d{x} ({of})"),
    (rf"D/d(?P<x>{_N})\s+(?P<of>.+)", "this may be a product or a derivative", "d/d{x} ({of})"),
    (rf"d(?P<of>(?P<x>{_N})\^[0-9]+)/d(?P=x)", "this may be a quotient or a derivative", "d/d{x} ({of})"),
    (rf"d\s*\((?P<of>.+)\)\s*/\s*d\s+(?P<x>{_N})", "this may be a product or a derivative", "d/d{x} ({of})"),
    (rf"d/d(?P<x>{_N})\s*\(?(?P<of>(?P=x))(?P<n>[2-9])\)?", "this may be a name or a power", "d/d{x} ({x}^{n})"),
    (rf"{_DERIVATIVE}\s+of\s+(?P<of>(?P<x>{_N}))(?P<n>[2-9])", "this may be a name or a power", "d/d{x} ({x}^{n})"),
    (rf"d\s*d(?P<x>{_N})\s+(?P<of>.+)", "this may be a product or a derivative", "d/d{x} ({of})"),
    (rf"d{_N}\s*/\s*d\s+(?P<of>.+)", "a variable is missing behind d", "d/d{x} ({of})"),
    (rf"(?!int_)(?P<of>.*\b(?P<x>{_N})\b.*?)\s+d(?P=x)", "this may be a product or a differential", "d/d{x} ({of})"),
    (rf"(?P<task>{_DERIVATIVE})\s+[fgyo]\s+(?P<of>.*\b(?![fgyo])[a-zA-Z]\b.*)", "this letter may be a factor or a name", "{task} of {of}"),
    (rf"\(\s*d/d(?P<x>{_N})\s+(?P<of>[^()]+)\)\s*\((?P<at>{_NUMBER})\)", "this may be a product or a value", "d/d{x} ({of}) at {x}={at}"),
    (rf"d/d(?P<x>{_N})\s*\((?P<of>[^()]+)\)\s*\|\s*(?P<at>{_NUMBER})", "this may be a bar or a divisor", "d/d{x} ({of}) at {x}={at}"),
)  # fmt: skip
"""Texts that are formulas, but hardly meant as such: a pattern, what is unclear, and what may be meant."""

_CORRECTIONS = (
    (rf"\w+\(\s*['\"](?P<of>[^'\"]+)['\"](?:\s*,\s*['\"]?(?P<x>{_N})['\"]?)?\s*\)", "d/d{x} ({of})"),
    (r"d\s*\((?P<of>.+)\)", "d/d{x} ({of})"),
    (r"(?P<of>[^'=]+?)\s*(?P<primes>['’′]+)", "({of}){primes}"),
    (rf"[dD]_?(?P<x>{_N})\s*\((?P<of>.+)\)", "d/d{x} ({of})"),
    (rf"d\s*/\s*d(?P<x>{_N})\s*[.*·]\s*(?P<of>.+)", "d/d{x} ({of})"),
    (rf"(?P<of>.+?)\s+d/d(?P<x>{_N})", "d/d{x} ({of})"),
    (r"D\s*\^\s*(?P<n>[2-9])\s*\(?(?P<of>.+?)\)?", "d^{n}/d{x}^{n} ({of})"),
    (rf"D_?(?P<x>{_N})\s*\(?(?P<of>.+?)\)?", "d/d{x} ({of})"),
    (r"D\s*\(?(?P<of>.+?)\)?", "d/d{x} ({of})"),
    (rf"{_DERIVATIVE}\s+(?:of\s+)?(?:the\s+)?(?:constant\s+)?(?P<of>{_NUMBER}|pi|e)", "d/dx ({of})"),
    (rf"d\s*(?P<of>[^/]+?)\s*/\s*d\s*(?P<x>{_N})", "d/d{x} ({of})"),
    (r"[\w.]*(?:diff|derivative|derive|grad|deriv)\s*[\[(](?P<of>.+?)(?:\s*,\s*(?P<x>[a-zA-Z]))?\s*[\])]", "d/d{x} ({of})"),
)  # fmt: skip
"""Texts that cannot be read, as patterns, and what may be meant."""


LONGEST = 200
"""Characters of a text for which another one is offered."""


_TASK_ALONE = pattern(
    r"(maxim\w+|minim\w+|slope|derivative|differentiate|gradient|taylor|tangent|normal|extrem\w+|simplify|factor|expand|plot|graph|integra\w+|solve|vertex|hessian|limit)\s+(?:[-−](?=\S)|at\s)",
    re.IGNORECASE,
)
"""The word for a task before a formula with a sign, or before nothing but a point: maximize -x^2, slope at 3."""


def misleading(text: str) -> tuple[str, str] | None:
    """Return what is unclear in a text that would be read as a formula, and a hint at what to type instead."""
    task = _TASK_ALONE.match(text)
    if task is not None:
        hint = elsewhere.instead(task[1]) or elsewhere.ALONE
        return f"the word {task[1]} stands beside something else", hint
    if len(text) > LONGEST or "=" in text:
        return None
    for shape, message, template in _MISLEADING:
        instead = _filled(shape, template, text)
        if instead is not None:
            return message, Hint("instead", text=instead)
    # x2 beside an x is hardly a name of its own: the derivative of x2 + x
    digit = re.search(r"(?<![a-zA-Z_])([a-zA-Z])[2-9](?![\w.(])", text)
    asks = re.match(rf"\s*(?:{_DERIVATIVE}\b|d/d[a-z]\b)", text, re.IGNORECASE)
    if digit and asks and re.search(rf"(?<![a-zA-Z_])(?:d/d)?{digit[1]}(?!\w)", text):
        instead = re.sub(rf"(?<![a-zA-Z_]){digit[1]}([2-9])(?![\w.(])", rf"{digit[1]}^\1", text)  # fmt: skip
        return "this may be a name or a power", Hint("instead", text=instead)
    return None


def offers(text: str, error: ExprgradError) -> list[str]:
    """Return what may be typed instead of a text with an error, the likeliest first."""
    whole = corrected(text)
    return [whole] if whole else respelt(text[:LONGEST], error)


def corrected(text: str) -> str | None:
    """Return what may have been meant by a text that cannot be read."""
    if len(text) > LONGEST:
        return None
    found = (_filled(pattern, template, text) for pattern, template in _CORRECTIONS)
    return next(filter(None, found), None) or _closed(text)


def _closed(text: str) -> str | None:
    """A text with the bracket that is missing at its end, or without the one too many, or an operator at its end."""
    whole = re.sub(r"\s*[-+*/^]+$", "", text)
    if whole != text:
        return whole
    depths = [*accumulate((c == "(") - (c == ")") for c in text)]
    if -1 in depths and min(depths) == depths[-1]:
        extra = depths.index(-1)
        return text[:extra] + text[extra + 1 :]
    return text + ")" * depths[-1] if depths and depths[-1] > 0 <= min(depths) else None  # fmt: skip


def respelt(text: str, error: ExprgradError) -> list[str]:
    """Return a text with each word that is most like the one that its error is about in place of that."""
    if error.source is None or error.span is None or error.source not in text:
        return []
    start, (first, last) = text.find(error.source), error.span
    unknown = error.source[first:last]
    if isinstance(error.hint, Hint) and error.hint.kind == "instead":
        instead = [error.hint.details["text"], *error.hint.details.get("others", ())]
    else:
        meant = re.findall(r"did you mean (\w+)\?", str(error.hint))
        # a word that has a meaning elsewhere, such as plot, is not misspelt
        is_slip = unknown.isalpha() and elsewhere.instead(unknown) is None
        known = (*function_names(), *SPOKEN_FUNCTIONS, *_WORDS) if is_slip else ()
        own = () if unknown in known else alike(unknown, known)
        instead = [SPOKEN_FUNCTIONS.get(w, w) for w in (*own, *meant) if w != unknown]
    before, after = text[: start + first], text[start + last :]
    return [f"{before}{word}{after}" for word in dict.fromkeys(instead)]


_WORDS = (
    "derivative differentiate derive gradient tangent slope critical minimum maximum value find simplify taylor "
    "otherwise else where when with respect squared cubed over times plus minus"
).split()


def _filled(pattern: str, template: str, text: str) -> str | None:
    """The text that a template makes; None if the pattern does not fit or the formula in it cannot be read."""
    match = re.fullmatch(pattern, text.strip())
    # words side by side are a sentence, though every one of them could be a variable
    if match is None or re.search(r"[a-zA-Z]{3,}\s+[a-zA-Z]", match["of"]):
        return None
    parts = {key: value for key, value in match.groupdict().items() if value}
    try:
        root = read(parts["of"]).root
    except ExprgradError:
        return None
    names = {item.name or "" for item in topological(root) if is_variable(item)}
    # in d(speed) a variable may be meant, but a word is more often a part of a sentence
    if any(map(is_word, names)):
        return None
    if "x" not in parts and "{x}" in template:
        if len(names) != 1:
            return None
        parts["x"] = str(*names)
    return template.format(**parts)
