r"""The words and wrappings around a problem: "find the derivative of x^2 with respect to x", `$2x$`, `x -> x^2`.

They are taken out of a text without moving the rest:

    read("derivative of x^2 wrt x")     Phrases("\ue000             x^2      ", variable="x")
    read("y = x^2?")                    Phrases("y = x^2 ")
    read("x^2 at x=3")                  Phrases("x^2       ", place=(7, 10))
    read("x -> x^2")                    Phrases("     x^2", variable="x")
"""

from __future__ import annotations

import re
from collections.abc import Collection

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language import characters, inputs
from exprgrad.language.brackets import nesting
from exprgrad.language.products import letters
from exprgrad.lazy import pattern
from exprgrad.operations.vocabulary import is_function

DERIVATIVE = "\ue000"
"""Stands for the words "the derivative of" in a text without them."""

IN_NAME = rf"[^\W\d{characters.RAISED}]"
NAME = rf"[^\W\d_][^\W{characters.RAISED}]*"
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10,
}  # fmt: skip
_SHORT = {"1st": 1, "2nd": 2, "3rd": 3} | {f"{n}th": n for n in range(4, 11)}
_ORDERS = ORDINALS | _SHORT
_ORDERED = "|".join(_ORDERS)

_FACTOR = r"(?:[0-9.]*(?:pi|π)|[0-9.]+(?:\s*(?:°|deg(?:rees?)?\b))?|e(?!\w))"
NUMBER = rf"[-−+]?{_FACTOR}(?:\s*[*/^]\s*{_FACTOR})*"
PLACED = pattern(rf"\s*\(\s*(?:{NUMBER}|({NAME}))\s*\)")
"""A number or a name in brackets: the place where the value of a formula before them is asked for."""

CALLED = frozenset("fgFG")
"""Names of formulas whose brackets are no factor, whatever is in them: f(x + h)."""

RESPECT = r"(?:(?:(?:with|in)\s+)?resp(?:ect|\.)?(?:\s+too?)?|w[./]?r[./]?t\.?|in\s+terms\s+of)"
"""Before the variable by which is differentiated."""

VERB = r"(?:please\s+)?(?:(?:find|compute|calculate|evaluate|determine|give|state|get|show|work\s+out|what\s+is|what's)\s+)"
_BY_RULE = r"(?:(?:use|using|by)\s+the\s+\w+\s+rule\s*,?\s+(?:to\s+)?)?"
_DERIVATIVE = (
    r"(?:deriv[a-z]+|slope)\s+function|(?:partial\s+)?deriv[a-z]*[a-rt-z]|slope(?:\s+of\s+(?:the\s+|a\s+)?tangent(?:\s+line)?(?=\s+to\s))?"
    r"|(?:instantaneous\s+)?rate\s+of\s+change"
)
"""The noun, also as it is misspelt: derivitave."""
_QUESTION = (
    rf"\s*{_BY_RULE}{VERB}?(?:me\s+)?(?:the\s+)?(?:value\s+of\s+the\s+)?(?:({_ORDERED})\s+)?(?:{_DERIVATIVE})\s*(?::(?!=)|\s(?:of|for|fo|off|pf|to)(?:\s|:))\s*(?:the\s+(?:function|curve|graph\s+of)\s+)?"
    rf"|\s*{VERB}?(?:dy/dx|y'|f'(?:\((?:x|(?P<place>{NUMBER}))\))?)\s*(?::(?!=)|\s(?:of|for|if|when|given|where)\s)\s*(?![^\W\dyf]\w*\s*=\s*{NUMBER}\s*$)"
    r"|\s*(?:please\s+)?(?:differentiat(?:e|ing)|derive|derivative(?:\s+(?:calculator|solver))?|diff|ableitung\s+von|d[ée]riv[ée]e\s+de|derivada\s+de|derivata\s+di|afgeleide\s+van)\s+(?:the\s+function\s+)?(?=[^\s(\[=])"
    r"|\s*(?:please\s+)?(?:differentiate|derive|derivative)\s+(?=\()(?![^,]*,)"
)
_ASKING = rf"\s*{VERB}(?:the\s+)?(?:value\s+of\s+)?(?!d{NAME}/d|{NAME}['’′])(?=[^\s=])"
_GRADIENT = r"\s*(?:the\s+)?(?:gradient\s+of\s+|(?:grad(?:ient)?(?=[\s(])|∇(?!\s*[²^]))\s*(?!\w+\s*$)(?=[\w(]))"
_GIVEN = rf"\s*(?:let|if|given|suppose|consider|for|with)\s+(?:that\s+)?(?:the\s+function\s+)?(?={NAME}\s*(?:\([^()=]*\))?\s*=)"
_FUNCTION = rf"(?:({NAME})\s*\(\s*{NAME}(?:\s*,\s*{NAME})*\s*\)|[yfghsuvwzA-SU-WYZ])\s*:?=(?!=)\s*"
_VALUES = rf"{NAME}\s*=(?!=)[^=]+(?:(?:,|\s+and)\s*{NAME}\s*=(?!=)[^=]+)*"
_AT = rf"(?:(?<![^\s,;])(?:(?:evaluated\s+)?at|for|when|where|if|with|given|@)\s+|\s*\|\s*(?=[^|]*$))({_VALUES})$"
_AT_NUMBER = rf"\s(?:(?:evaluated\s+)?at|@)\s+(?:the\s+point\s+)?({NUMBER}|\([^()=]*,[^()=]*\))$"  # fmt: skip
_BAR = rf"\s*\|\s*(?:_\s*[{{(]?\s*|(?=[^\W\d_{characters.RAISED}]\w*\s*=[^=]))({NAME}\s*=\s*[^=|{{}}]+?(?:,\s*{NAME}\s*=\s*[^=|{{}}]+?)*|{NUMBER}|\([^()=]*,[^()=]*\))\s*[)}}]?\s*(?=$|=(?!=))"
_AT_BEFORE = rf"\s(?:(?:evaluated\s+)?at|@|when|for|where)\s+((?:{NAME}\s*=\s*)?{NUMBER}(?:(?:,|\s+and)\s*{NAME}\s*=\s*{NUMBER})*|\([^()=]*,[^()=]*\))(?=\s*=(?!=))"
_ASKED = rf"[d∂D][⁰¹²³⁴-⁹^0-9]*(?:{NAME})?\s*/\s*[d∂]|['’′]|\bdiff\s*\("
IS = (
    r"(?:is(?!\s+not\b)(?:\s+(?:equal\s+to|given\s+by))?|(?:must|should|would|will)\s+be|equals|becomes|gives|yields|comes\s+out\s+as|turns\s+out\s+to\s+be|we\s+(?:get|obtain|find))"
    r"(?:\s+(?:then|simply|just|therefore))?\s*:?(?=\s+\S)"
)
"""Between what is asked and what is claimed."""
_WRT = rf"(?<![^\s,]){RESPECT}\s+(?!to\s*$)({NAME})(?=\s*(?:=(?!=)|$|of\s|{IS}))"
STATED = rf"(?<=\s){IS}(?:\s+{NAME}['’′]+(?:\((?:{NAME}|{NUMBER})\))?\s*=)?"
_SAID = rf"(?<=\S)(?:\s*,)?\s+(?:((?:is|for)\s+the)|has(?:\s+(?:the|as))?|whose)\s+(?:({_ORDERED})\s+)?derivative(?(1)\s+of|(?:\s+is)?)\s(?=\s*\S)"
"""The words between a claim and what it is about, or the other way round: 2x is the derivative of x^2, x^2 has derivative 2x."""
_AFTER = rf"\s*[,;]\s*({_VALUES})$"
_BESIDE = rf"(?<=[\w)])(?<!(?<!\^)[0-9])\s+(({NAME})=(?!=){NUMBER})$"
_CALLED = rf"\s*({NAME})\s*\(\s*({NAME})\s*\)\s*:?=(.*)[,;.]\s*(?:(?:and\s+)?find\s+)?\1\s*\(([^()=]+)\)\s*$"
_NAMES = rf"{NAME}(?:\s*,\s*{NAME})*"
_ARROW = (
    rf"\s*(?:({NAME})\s*(?::|:?=)\s*(?:[^=↦:]{{1,60}}(?:->|→)[^=↦]{{1,60}}[,;:]\s*(?=[^,;:]*↦))?)?(?:\(\s*({_NAMES})\s*\)|({_NAMES}))\s*(?:->|=>|→|↦|⟼)\s*"
    rf"|\s*(?:({NAME})\s*:?=\s*)?lambda\s+({_NAMES})\s*:\s*"
    rf"|\s*(?:({NAME})\s*:?=\s*)?@\(\s*({_NAMES})\s*\)\s*"
    rf"|\s*def\s+({NAME})\s*\(\s*({_NAMES})\s*\)\s*:\s*return\s+"
)
_FIND = rf"(?:[,;.]\s*|(?<!\s)\s+)(?:and\s+|then\s+)?(?:find|compute|calculate|what\s+is)\s+(?=d{NAME}/d|{NAME}['’′])|[,;]\s*(?=d{NAME}/d{NAME}\s*$|{NAME}['’′])"
_PROMPT = r"\s*(?:>>>|>(?!=)|sage:|\(%i\d+\)|In\s*\[\d+\]\s*:=)\s*"
_MODULE = r"\s*(?:sympy|sp|sym|math)\.(?=(?:diff|Derivative)\s*\()"
_GAP = r"\s{200}"
"""No words are looked for around as many blanks, which many patterns would go over again and again."""

_TAIL = " \t\r\n;,?"
_UNANSWERED = r"\s(?:is|equals)(?:\s+(?:equal\s+to|what))?$"

LONGEST = 10_000
"""Characters of a text in which words are looked for."""

_WRAPPED = ('""', "''", "``", "«»", "$$$$", "$$", "‘’")
"""Signs around a whole text: the first half before it, the other behind it."""


class Phrases(NamedTuple):
    """A text with blanks for its words; the variable and the order that they name, and the place of the values at its end.

    These may be a value without the name of its variable, as in "at 3".
    """

    text: str
    variable: str | None = None
    order: int = 1
    place: Span | None = None


def read(source: str, known: Collection[str] = ()) -> Phrases:
    """Take the words out of a text; nothing moves. The derivative of a `known` f = 2x is that of f, and 2x claimed."""
    if len(source) > LONGEST:
        return Phrases(source)
    whole = _unwrapped(source)
    text = re.sub(_UNANSWERED, "", whole.rstrip(_TAIL), flags=re.IGNORECASE)
    if text.endswith("$") and text.count("$") == 1:  # the end of a line in Maxima
        text = text[:-1]
    last = text[:-1].rstrip()[-1:]
    # the full stop, or the question mark, of a sentence
    ended = text.endswith(".") and (last.isalnum() or last in ")]}|'’²³")
    text = (text[:-1].rstrip(_TAIL) if ended else text).ljust(len(whole))
    if re.search(_GAP, text.rstrip()) is not None or not text.strip():
        return Phrases(source)
    text = _without(text, _PROMPT, _MODULE, _GIVEN)
    find = re.search(_FIND, text, re.IGNORECASE)
    if find is not None and "=" in text[: find.start()]:
        text = f"{_blanked(text, *find.span())[: find.start()]};{' ' * (len(find[0]) - 1)}{text[find.end() :]}"
    variable = None
    if (mapped := arrow(text)) is not None:
        variable = None if "," in mapped.parameters else inputs.normal(mapped.parameters)  # fmt: skip
        text = _blanked(text, 0, mapped.end)
    wrt = re.search(_WRT, text, re.IGNORECASE)
    if wrt is not None:
        variable = inputs.normal(wrt[1])
        text = _blanked(text, *wrt.span())
    text, question, order, place = _asking(text, known)
    asks = question or re.search(_ASKED, text) is not None
    stated = re.search(STATED, text, re.IGNORECASE) if asks else None
    if stated is not None and "=" not in text[stated.end() :]:
        text = replaced(text, stated, "=")
    text, at = _with_point(text, asks)
    if not question:
        alone = _without(text, _ASKING, _GRADIENT)
        is_word = re.fullmatch(r"\s*[a-z]{2,}\s*", alone) and text != alone
        text = text if is_word else alone  # what is calculus?
    elif text.strip() == DERIVATIVE:
        return Phrases(source)  # of nothing
    return Phrases(text.replace(":=", " ="), variable, order, at or place)


def _without(text: str, *patterns: str) -> str:
    """A text without what stands at its beginning."""
    for words in patterns:
        found = re.match(words, text, re.IGNORECASE)
        if found is not None:
            text = _blanked(text, 0, found.end())
    return text


class Arrow(NamedTuple):
    """The text before the formula of x -> x^2 or f = lambda x: x^2: a name perhaps, parameters; and where it ends."""

    name: str
    parameters: str
    end: int


def arrow(text: str) -> Arrow | None:
    """The beginning of a function in the notation of a program; None for any other text."""
    found = re.match(_ARROW, text)
    if found is None:
        return None
    *name, parameters = (part for part in found.groups() if part)
    return Arrow("".join(name), parameters, found.end())


def _asking(text: str, known: Collection[str]) -> tuple[str, bool, int, Span | None]:
    """A text with `DERIVATIVE` in place of words for it, whether there were any, the order and the place that they name."""
    question = re.match(_QUESTION, text, re.IGNORECASE)
    if question is None:
        said = re.search(_SAID, text, re.IGNORECASE)
        lead = text[: said.start()] if said else ""
        if said is None or re.search(r"(?:^\s*|[a-zA-Z]{2,}\s+)[a-zA-Z]{2,}$", lead):
            return text, False, 1, None  # where is the derivative of ... zero
        signs = f"={DERIVATIVE}" if said[1] else f"{DERIVATIVE}=".rjust(len(said[0]))
        return replaced(text, said, signs), True, _ORDERS.get((said[2] or "first").lower(), 1), None  # fmt: skip
    if question[0].rstrip().endswith(":") and re.search(_ASKED, text[question.end() :].partition("=")[0]):  # fmt: skip
        # the derivative: d/dx x^2
        return _blanked(text, *question.span()), False, 1, None
    text = replaced(text, question, DERIVATIVE)
    function = re.compile(_FUNCTION).match(text, question.end())
    name = function[1] or function[0][0] if function else ""
    is_claimed = name in known and text.count("=") < 2
    if function and not is_claimed and not is_function(name, called=True):
        curve = text[function.start() :].strip()
        body = re.split(STATED, text[function.end() :], flags=re.IGNORECASE)[0]
        if function[1] is None and name in letters(body, None):
            hint = f"ask for its slope: {curve}; d{name}/dx"
            message = f"{name} stands on both sides"
            raise ExpressionSyntaxError(message, function.span(), hint)
        text = _blanked(text, function.start(), function.end())
    order = _ORDERS.get((question[1] or "first").lower(), 1)
    return text, True, order, (question.span("place") if question["place"] else None)


def _with_point(text: str, asks: bool) -> tuple[str, Span | None]:
    """A text without the values at its end, or before the answer to what it asks, and where these are."""
    trimmed = text.rstrip()
    called = re.match(_CALLED, text, re.IGNORECASE)
    if called is not None and "=" not in called[3]:  # f(x) = x^2; f(3)
        return _blanked(text, called.end(3), len(text)), called.span(4)
    at = re.search(_BAR, trimmed) or (re.search(_AT_BEFORE, trimmed) if asks else None)
    if at is not None and text[: at.start()].strip():  # d/dx x^2 at x=3 = 6
        return _blanked(text, *at.span()), at.span(1)
    at = re.search(_AT, trimmed) or re.search(_AT_NUMBER, trimmed)
    beside = re.search(_BESIDE, trimmed) if asks and at is None else None
    if beside and re.search(rf"(?<![\w/]){beside[2]}(?!\w)", text[: beside.start()]):
        at = beside  # d/dx x^2 x=3
    if at is None:
        at = re.search(_AFTER, trimmed)
        if at and ("=" in text[: at.start()] or not re.search(r"[0-9π]|pi", at[1])):
            at = None  # several equations
    if at is None or not text[: at.start()].strip() or sum(map(nesting, at[1])) != 0:
        return text, None  # it stands alone, or in a bracket that is not closed
    if at[0].lstrip()[0] == "|" and text.count("|") % 2 == 0:
        return text, None  # a bar of |x|
    return _blanked(text, *at.span()), at.span(1)


def _unwrapped(text: str) -> str:
    """A text without the quotes or dollar signs around all of it, and without its full stop."""
    begins = text.lstrip()
    for marks in _WRAPPED:
        opening, closing = marks[: len(marks) // 2], marks[len(marks) // 2 :]
        inside = rf"\s*{re.escape(opening)}(?P<inside>[^\\]+){re.escape(closing)}[\s.]*"
        found = re.fullmatch(inside, text) if begins.startswith(opening) else None
        if found is not None and opening not in found["inside"]:
            text = _blanked(text, 0, found.start("inside"))
            return _blanked(text, found.end("inside"), len(text))
    return text


def replaced(text: str, found: re.Match[str], signs: str) -> str:
    """A text with signs in place of a match; nothing else moves."""
    return f"{text[: found.start()]}{signs.ljust(len(found[0]))}{text[found.end() :]}"


def _blanked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"
