r"""Parts of a formula in LaTeX that it only names, and what only lays a formula out.

head_of(tokens)         f of order 1 for f'(x), y of order 2 for \frac{d^2y}{dx^2}, None for x^2
without_bar(tokens)     the side of \left.\frac{dy}{dx}\right|_{x=2} without its bar, and the 2
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.operators import BEGINNINGS, operator
from exprgrad.lazy import pattern

LONGEST_HEAD = 80
"""The most tokens of the name of a chain."""

_LETTER = r"(?:[^\W\d_]+|\\[a-zA-Z]+)"
_SUB = rf"(?: _ (?:\{{ [^{{}}]* \}}|{_LETTER}|\d))?"
_OPEN, _CLOSE = r"(?:\\left |\\big |\\Big |\\bigl |\\Bigl )?[(\[]", r"(?:\\right |\\big |\\Big |\\bigr |\\Bigr )?[)\]]"  # fmt: skip
_ARGUMENT = rf"{_OPEN} (?P<place>[^()=]+?) {_CLOSE}"
_PRIMES = r"(?P<primes>['’′]+|\^ \\prime|\^ \{(?: (?:\\prime|['’′]+))+ \}|\^ \{ \( (?P<nth>\d) \) \})"
_NAMED = pattern(
    rf"(?P<name>{_LETTER})(?P<sub>{_SUB})(?: {_PRIMES}(?P<behind>{_SUB}))?(?: {_ARGUMENT})?"
)
_BEHIND = pattern(rf"(?:{_ARGUMENT})?")
_HELD = pattern(rf"{_OPEN} (\\[dt]?frac [^()]+?) {_CLOSE} _ (?:({_LETTER})|\{{ ({_LETTER}(?: ,? ?{_LETTER})*) \}})")  # fmt: skip
ENDS = frozenset(
    "\\implies \\Rightarrow \\Longrightarrow \\iff \\Leftrightarrow \\therefore \\because \\longrightarrow \\leadsto".split()
)
_MARKS = frozenset(("$", "\\[", "\\]", "\\(", "\\)"))
_SIGNS = frozenset(("=", "+", "-", "−", "\\cdot", "\\times", "/", "*"))


class Head(NamedTuple):
    r"""A first side that only names something: f(x) of order 0, f'(x), \\frac{d^2y}{dx^2}, f_x(x, y).

    `wrt` are the variables where they are named; `arguments` the texts in the brackets, `places` the same as TeX; `held`
    are the letters behind the brackets of a partial derivative in thermodynamics.
    """

    name: str
    order: int = 0
    wrt: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    subscript: str = ""
    places: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


def without_alignment(raw: Sequence[tex.Token], source: str) -> list[tex.Token]:
    """The tokens without what only lays out: alignments, and the marks of formulas. Columns end in a semicolon."""
    out: list[tex.Token] = []
    i = inner = 0
    while i < len(raw):
        kind, text, start, end = raw[i]
        if text in ("\\begin", "\\end"):
            name, after = tex.environment(raw, i)
            if name in commands.ENVIRONMENTS:
                i = after
                continue
            inner += commands.nesting(text)
        space = raw[i - 1][3] if i else 0
        is_gap = not inner and (text == "&" or _SPACE.search(source, space, start))
        if is_gap:
            behind = raw[i + (text == "&") :]
            sides = [t[1] for t in _of_row(reversed(out))], [t[1] for t in _of_row(behind)]  # fmt: skip
            # a formula ends here and another begins; within brackets a blank parts nothing: f(x = 1, \quad y = 2)
            if all("=" in s and s[0] not in _SIGNS and not sum(map(commands.nesting, s)) for s in sides):  # fmt: skip
                out.append(("UNKNOWN", ";", space, end if text == "&" else start))
        i += 1
        if (text == "&" and not inner) or text in _MARKS:
            continue
        # a text in a column of its own, && \text{since u = x}, which a blank marks for `plain`
        remark = kind == "WORD" and not inner and raw[max(i - 2, 0)][1] == "&"
        out.append((kind, f"{text} " if remark else text, start, end))
    return out


_SPACE = pattern(r"\\q?quad(?![a-zA-Z])")


def _of_row(tokens: Iterable[tex.Token]) -> Iterator[tex.Token]:
    """The tokens up to the end of a row, a column or a statement."""
    for token in tokens:
        if token[1] in ("\\\\", "&&", ";") or token[1] in ENDS:
            return
        if token[1] != "&":
            yield token


def head_of(side: Sequence[tex.Token]) -> Head | None:
    """Return what a side names, if it does nothing else."""
    # a head has few tokens, and the pattern below would be tried on formulas of 100,000 tokens
    if len(side) > LONGEST_HEAD:
        return None
    held = _HELD.fullmatch(_words(side))
    if held is not None:
        start = 1 + (side[0][1] != "(")
        inside = head_of(side[start : start + len(held[1].split())])
        return inside and inside._replace(held=tuple(map(joined, re.split("[ ,]+", held[2] or held[3]))))  # fmt: skip
    side, bar = without_bar(side)
    named, behind = [t for t in side if t[1] not in ("&", ":")], list[tex.Token]()
    below = operator(named, 0) if named and named[0][1] in BEGINNINGS else None
    called = below is not None and not below.is_of_numerator
    # \frac{dy}{dx}, \frac{dy}{dx}(2) or \frac{d}{dx}f(x): the name stands above the line or behind the fraction
    if below is not None:
        above, behind = named[slice(*below.above)], named[below.end :]
        named, behind = (behind, []) if called else (above, behind)
    found, at = _NAMED.fullmatch(_words(named)), _BEHIND.fullmatch(_words(behind))
    name = joined(found["name"]) if found is not None else ""
    if found is None or at is None or not name.isalpha() or (below and found["primes"]):
        return None
    places = found["place"] or at["place"]
    if bar and places and not (places.isidentifier() and found["primes"]):
        return None
    places = bar or places
    values = tuple(places.split(" , ")) if places else ()
    arguments = tuple(map(joined, values))
    subscript = joined((found["sub"] or found["behind"] or "").replace("_", "").strip(" {}"))  # fmt: skip
    if not subscript.isalpha() and subscript:
        name, subscript = f"{name}_{subscript}", ""  # P_2 is a name, f_x a derivative
    product = places and not all(a.isidentifier() for a in arguments)
    if below is not None:
        below.check((side[0][2], side[-1][3]))
        if called and (name in below.wrt or product):
            return None
        return Head(name, len(below.wrt), below.wrt, arguments, subscript, values)
    if product and not (found["primes"] or subscript):
        return None
    primes = found["primes"] or ""
    order = int(found["nth"]) if found["nth"] else primes.count("\\prime") + sum(map(primes.count, "'’′"))  # fmt: skip
    return Head(name, order, (), arguments, subscript, values)


def _words(side: Sequence[tex.Token]) -> str:
    return " ".join(token[1] for token in side)


def without_bar(side: Sequence[tex.Token]) -> tuple[Sequence[tex.Token], str]:
    r"""A side without the bar that evaluates it, \\left.\\frac{dy}{dx}\\right|_{x=2}, and the value there, as TeX."""
    bars = [i for i, t in enumerate(side) if t[1] in ("|", "\\vert", "\\rvert")]
    if not bars or [t[1] for t in side[bars[-1] + 1 : bars[-1] + 2]] != ["_"]:
        return side, ""
    inside, after = tex.argument(side, bars[-1] + 2)
    texts = [t[1] for t in inside]
    if after < len(side) or texts.count("=") > 1:
        return side, ""
    value = texts[texts.index("=") + 1 :] if "=" in texts else texts
    if value[:1] == ["("] and value[-1:] == [")"]:
        value = value[1:-1]
    start = 2 if [t[1] for t in side[:2]] == ["\\left", "."] else 0
    end = bars[-1]
    end -= end > 0 and side[end - 1][1] in ("\\right", "\\bigr", "\\Bigr", "\\biggr")
    return side[start:end], " ".join(value)


def limit_of(
    source: str, macros: tex.Macros | None = None
) -> tuple[str, str, str] | None:
    r"""The variable, the place and the rest of a text that begins with \\lim_{x \\to a}; None for another."""
    tokens = tex.expanded(source, macros)
    if [t[1] for t in tokens[:2]] != ["\\lim", "_"]:
        return None
    below, after = tex.argument(tokens, 2)
    arrows = ("\\to", "\\rightarrow")
    if len(below) < 3 or below[1][1] not in arrows or after >= len(tokens):
        return None
    place = source[below[2][2] : below[-1][3]]
    return joined(below[0][1]), place, source[tokens[after][2] : tokens[-1][3]]


def joined(words: str) -> str:
    """Words as a name: Greek letters spelt out, without braces."""
    found = ((w[0] == "\\" and commands.letters(w)) or (w,) for w in words.split())
    return re.sub(r"[{}]|\\left|\\right", "", "".join(names[0] for names in found))
