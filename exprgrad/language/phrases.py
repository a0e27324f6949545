r"""The words and wrappings around a problem: "find the derivative of x^2 with respect to x", `$2x$`, `x -> x^2`.

They are taken out of a text without moving the rest:

    read("derivative of x^2 wrt x")     Phrases("\ue000             x^2      ", variable="x")
    read("y = x^2?")                    Phrases("y = x^2 ")
    read("x^2 at x=3")                  Phrases("x^2       ", point=(7, 10))
    read("x -> x^2")                    Phrases("     x^2", variable="x")
"""

from __future__ import annotations

import re
from typing import NamedTuple

from exprgrad.errors import Span

DERIVATIVE = "\ue000"
"""Stands for the words "the derivative of" in a text without them."""

_NAME = r"[^\W\d_]\w*"

_QUESTION = (
    r"\s*(?:(?:please\s+)?(?:find|compute|calculate|evaluate|determine|give|get|show|work\s+out|what\s+is|what's)\s+)?"
    r"(?:me\s+)?(?:the\s+)?(?:first\s+)?(?:derivative|derivate|slope|d/dx)\s+(?:of|for)\s+(?:the\s+function\s+)?"
    r"|\s*(?:find\s+)?(?:dy/dx|y')\s+(?:of|for|if|when|given|where)\s+"
    r"|\s*(?:please\s+)?(?:differentiate|derive|derivative)\s+(?:the\s+function\s+)?(?=[^\s(\[=])"
)
_FUNCTION = rf"(?:{_NAME}\s*\(\s*{_NAME}\s*\)|[yfghuvw])\s*:?=(?!=)\s*"
_WRT = rf"(?<![^\s,])(?:with\s+respect\s+to|w\.?r\.?t\.?|in\s+terms\s+of)\s+({_NAME})(?=\s*(?:=(?!=)|$))"
_AT = rf"(?<![^\s,])(?:at|for|when|where|if|@)\s+({_NAME}\s*=(?!=)[^=]+(?:,\s*{_NAME}\s*=(?!=)[^=]+)*)$"
_ARROW = (
    rf"\s*(?:{_NAME}\s*(?::|:?=)\s*)?\(?\s*({_NAME})\s*\)?\s*(?:->|=>|→|↦|⟼)\s*"
    rf"|\s*(?:{_NAME}\s*=\s*)?lambda\s+({_NAME})\s*:\s*"
    rf"|\s*(?:{_NAME}\s*=\s*)?@\(\s*({_NAME})\s*\)\s*"
    rf"|\s*def\s+{_NAME}\s*\(\s*({_NAME})\s*\)\s*:\s*return\s+"
)
_FIND = rf"[,;.]\s*(?:and\s+)?find\s+(?=d{_NAME}/d|{_NAME}['’′])"
_TAIL = " \t\r\n;?"

LONGEST = 10_000
"""Characters of a text in which words are looked for."""

_WRAPPED = (('"', '"'), ("'", "'"), ("`", "`"), ("$$", "$$"), ("$", "$"), ("‘", "’"))


class Phrases(NamedTuple):
    """A text with blanks for its words, what they name, and where values at its end are."""

    text: str
    variable: str | None = None
    point: Span | None = None


def read(source: str) -> Phrases:
    """Take the words out of a text; nothing moves."""
    if len(source) > LONGEST:
        return Phrases(source)
    text = _unwrapped(source)
    text = _without_stop(text).ljust(len(text))
    variable: str | None = None
    find = re.search(_FIND, text)
    if find is not None:
        text = f"{_blanked(text, *find.span())[: find.start()]};{' ' * (len(find[0]) - 1)}{text[find.end() :]}"
    arrow = re.match(_ARROW, text)
    if arrow is not None:
        variable = next(name for name in arrow.groups() if name)
        text = _blanked(text, 0, arrow.end())
    question = re.match(_QUESTION, text, re.IGNORECASE)
    if question is not None:
        text = f"{DERIVATIVE}{' ' * (question.end() - 1)}{text[question.end() :]}"
        function = re.compile(_FUNCTION).match(text, question.end())
        if function is not None:
            text = _blanked(text, function.start(), function.end())
    wrt = re.search(_WRT, text, re.IGNORECASE)
    if wrt is not None:
        variable = wrt[1]
        text = _blanked(text, *wrt.span())
    at = re.search(_AT, text)
    point = at.span(1) if at is not None else None
    if at is not None:
        text = _blanked(text, *at.span())
    return Phrases(text.replace(":=", " ="), variable, point)


def _unwrapped(text: str) -> str:
    """A text without the quotes or dollar signs around all of it, and without its full stop."""
    inside = text.strip()
    for opening, closing in _WRAPPED:
        size = len(opening)
        if (
            len(inside) > 2 * size
            and inside.startswith(opening)
            and inside.rstrip(" .").endswith(closing)
            and "\\" not in inside
        ):
            start = text.index(opening)
            end = text.rindex(closing)
            if opening not in text[start + size : end]:
                text = _blanked(text, start, start + size)
                return _blanked(text, end, len(text))
    return text


def _without_stop(text: str) -> str:
    """A text without the full stop, or the question mark, of a sentence."""
    text = text.rstrip(_TAIL)
    ended = text.endswith(".") and (text[-2:-1].isalnum() or text[-2:-1] in ")]}'’")
    return text[:-1].rstrip(_TAIL) if ended else text


def _blanked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"
