"""The lines of a worked solution, as people write them: statements, chains of `=`, and notations to fill in.

    statements("2) So y' = 2x sin x + x^2 cos x   (product rule)", ...)
                                        y'   and   2x sin x + x^2 cos x, with their places in the line

Numbering, arrows and words are blanked out, so that every place stays that of the line. What the expression
language does not have, such as f'(x), y', dy/dx, f_x or (x^2)', is a `Notation`, which the parser takes for a name.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExprgradError, Span, UsageError
from exprgrad.language import brackets, grammar
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.products import splits
from exprgrad.language.reach import operand_of
from exprgrad.operations.vocabulary import CONSTANTS, is_function
from exprgrad.patterns import pattern

CONNECTIVES = frozenset(
    "so hence thus therefore then and by using the we get have which gives is let where with now since because "
    "or as it to for from of at put set use answer equals finally first second next also here".split()
)  # fmt: skip
"""Words that may stand right beside an operator: "so = 2x"."""

ARROWS = "⇒⟹→⟶↦∴∵⇔⟺•"

_NUMBERING = pattern(
    r"""\s*(?: \( \s* (?:[0-9]{1,2}[a-z]?|[a-z]|[ivx]+) \) (?=\s+[^\s*/^=+]) (?!\s+[-−])
          | (?: (?:step|line|part) \s* )? [0-9]{1,2} [a-z]? \s* [.):] (?!\d)
          | [a-z] [):] \s | \#[0-9]+ [.:]?
          | [-–*•] \s+ (?= (?: [a-z] (?:\([a-z]\))? ['’′] | [d∂][a-z]? / [d∂] ) [^=]* = ) )""",
    re.VERBOSE | re.IGNORECASE,
)
_RELATION = pattern(r"[<>≤≥≠]|!=|∈")
_WORD = pattern(r"(?<![\w\\])[^\W\d_]{2,}(?![\w(\[])")
_WORDS = pattern(r"[^\W\d_]{2,}")
_LABEL = pattern(
    r"\s*(?:([^\W\d_]{2,})\b[^=:;<>≤≥]*|(?:using|since)\b[^:;]*):(?=\s)", re.IGNORECASE
)
_SENTENCE_END = pattern(rf"(?<=[\w)\]}}{PRIMES}])\.(?=\s)|(?<=[\w)\]}}]):(?=\s)")
_PRIMES = f"[{PRIMES}]"


class Statement(NamedTuple):
    """A chain: the spans of its sides in the line; `continued` where it begins with `=`.

    `words` are those that introduce it: at the beginning of the line before a colon, or right before it.
    `last` is the last of them where it stands beside the chain.
    """

    sides: tuple[Span, ...]
    continued: bool
    words: frozenset[str] = frozenset()
    last: str = ""


class Notation(NamedTuple):
    """What stands for something else, at `span`.

    `kind` is value (of the function `name`), derivative (of it, `wrt` in turn), or inside (the derivative of the
    text at `inner`). `at` is the span of an argument that is not the variable itself: f'(3).
    """

    kind: str
    name: str
    wrt: tuple[str, ...]
    span: Span
    inner: Span | None = None
    at: Span | None = None
    below: str = ""


class Limit(NamedTuple):
    """A side that is a limit: of which variable, where to, and where the rest begins."""

    variable: str
    to: str
    body: int


def with_signs(line: str) -> str:
    """A line with the sign of what the word times says."""
    return _TIMES.sub(lambda m: "*".center(len(m[0])), line)


_TIMES = pattern(r"(?<=[\w)\]}])\s+times\s+(?=\S)")


def statements(line: str, known: Collection[str], alone: str = "") -> list[Statement]:
    """The statements of a line, in order; `known` are the names that the problem has, `alone` is it without words."""
    text = alone or (line.partition("#")[0] if "#" in line[1:] else line)
    text = _blanked(text, known)
    label, before = _WORDS.findall(_label_of(line, known).lower()), 0
    found = []
    for start, end in _parts(text):
        own = _WORDS.findall(line[before:start].lower())
        words, last, before = frozenset((*label, *own)), own[-1] if own else "", end
        pieces = [*brackets.parted(text[start:end], "=")]
        spans = [trimmed(text, start + a, start + b) for a, b in pieces]
        continued = len(spans) > 1 and spans[0][0] >= spans[0][1]
        spans = spans[1:] if continued else spans
        lone = len(pieces) == 1 and end - start == 1 and line.strip() != text[start:end]
        if lone:
            continue  # the a of "a product", or I
        if spans and all(any(map(str.isalnum, text[a:b])) for a, b in spans):
            found.append(Statement(tuple(spans), continued, words, last))
        elif any(a < b for a, b in spans) and len(spans) > 1:
            raise UsageError("one side of this equation is missing", (start, end))
    return found


def _blanked(line: str, known: Collection[str]) -> str:
    """The line without its numbering, arrows, remarks and words; nothing moves."""
    numbering = _NUMBERING.match(line)
    text = " " * numbering.end() + line[numbering.end() :] if numbering else line
    text = _ASIDE.sub(lambda m: " " * len(m[0]), text)
    text = text.replace("&", " ").replace("≈", "=").replace("＝", "=").replace("≡", "=")
    text = re.sub(":=|==(?!>)", "= ", text)
    text = re.sub("==?>", lambda m: " " * len(m[0]), text)
    text = _without_remarks(text.replace("$", " "), known)
    label = _label_of(text, known)
    text = " " * len(label) + text[len(label) :]
    text = _SENTENCE_END.sub(";", text)
    if _limit().search(text):
        text = text.replace("->", "→ ")
    else:
        text = text.replace("->", "; ")
        text = re.sub(f"[{ARROWS}]", ";", text)
    return _WORD.sub(lambda m: _without_word(m, text, known), text)


def _without_remarks(text: str, known: Collection[str]) -> str:
    """Brackets that begin with a word are remarks: (by the chain rule), [since sin' = cos]."""
    for match in re.finditer(r"(?<!\w)[(\[]\s*([^\W\d_]{2,})(?![\w(])", text):
        closed = brackets.closing(text, match.start())
        if closed is not None and not _is_name(match[1], known):
            blank = " " * (closed - match.start())
            text = text[: match.start()] + blank + text[closed:]
    return text


_ASIDE = pattern(r"//.*$|[✓✔✗✘]|^\s*\*\*(?=\S)|\*\*\s*$|\s\|\s+[^\W\d_]{2,}[^=|]*$")
"""Comments, ticks, marks of bold type, and remarks behind a bar."""


def conditions(line: str) -> list[str]:
    """What a line restricts itself to: the x > 2 of `f'(x) = 1 for x > 2`."""
    return [m[1].strip() for m in _CONDITION.finditer(line)]


_CONDITION = pattern(
    r"\b(?:for|if|when|where)\s+([^\W\d_]\s*(?:[<>]=?|≤|≥)\s*[-−]?[0-9./]+)\s*(?=$|[,;:.)]|\band\b|\bbut\b)",
    re.IGNORECASE,
)


def _label_of(text: str, known: Collection[str]) -> str:
    """The words before a colon: "At x = 2:", "Multiply by y:"."""
    match = _LABEL.match(text)
    return "" if match is None or _is_name(match[1] or "", known) else match[0]


def _without_word(match: re.Match[str], text: str, known: Collection[str]) -> str:
    word = match[0]
    if _is_name(word, known):
        return word
    beside = text[: match.start()].rstrip()[-1:] + text[match.end() :].lstrip()[:1]
    if word.lower() not in CONNECTIVES and re.search(r"[-+*/^=·×−]", beside):
        return word
    return ";" + " " * (len(word) - 1)


def _is_name(word: str, known: Collection[str]) -> bool:
    """Whether a word is mathematics: a function, a constant, a name of the problem, or a product of these."""
    if word in known or word in CONSTANTS or word in ("lim", "dx", "dy"):
        return True
    if is_function(word, called=False) or is_function(word, called=True):
        return word.lower() not in CONNECTIVES
    return word.lower() not in CONNECTIVES and bool(splits(word, known))


def _parts(text: str) -> Iterator[Span]:
    """The statements between semicolons, commas, full stops at the end, and relations, which are remarks."""
    for start, end in brackets.parted(text, ";"):
        for first, last in brackets.parted(text[start:end]):
            a, b = start + first, start + last
            relation = _RELATION.search(text, a, b)
            if (
                relation is not None
            ):  # f'(x) = 2x - 6 > 0 says what the derivative is, too
                b = relation.start() if "=" in text[a : relation.start()] else a
            span = trimmed(text, a, b)
            if span[0] < span[1]:
                yield span


def trimmed(text: str, start: int, end: int) -> Span:
    """A span without blanks, and the punctuation around a statement."""
    while end > start and text[end - 1] in " \t\u00a0.;:,!?":
        end -= 1
    while start < end and text[start] in " \t\u00a0;:,\ufeff":
        start += 1
    return start, end


@functools.cache
def _limit() -> re.Pattern[str]:
    return re.compile(
        r"\s*\\?lim(?:it)?\s*_?\s*[({\[]?\s*([Δδ]?[^\W\d_])\s*(?:->|→|⟶|\\to|to)\s*([-−]?[\w.]+)\s*[)}\]]?\s*"
    )


def limit_of(text: str) -> Limit | None:
    """The limit that a side begins with."""
    match = _limit().match(text)
    return Limit(match[1], match[2], match.end()) if match else None


class _Form(NamedTuple):
    """How a notation is written, and whether it may stand within a word.

    The groups of the pattern are `name`, `below` the line, `order` or `primes` or a `subscript`, and `at`, an argument.
    """

    kind: str
    pattern: re.Pattern[str]


@functools.cache
def _forms(functions: tuple[str, ...], variables: tuple[str, ...]) -> tuple[_Form, ...]:
    """The notations of derivatives and values of these functions, in the order in which they are tried."""
    n = "|".join(map(re.escape, sorted(functions, key=len, reverse=True))) or r"(?!)"
    v = "|".join(map(re.escape, sorted(variables, key=len, reverse=True))) or "x"
    held = "|".join(map(re.escape, variables[1:])) or r"(?!)"
    power, name = r"(?:\^[0-9]|[²³])?", rf"(?P<name>{n})"
    call = r"(?:\(\s*(?P<at>[^()=]*)\)|)"
    place = rf"\s*\|\s*_?\s*[({{\[]?\s*(?:{v})\s*=\s*(?P<at>[^|=(){{}}\[\]]+)[)}}\]]?"
    operator = rf"[d∂](?P<order>{power})\s*/\s*[d∂]\s*(?P<below>{v}){power}\s*"
    forms = {
        "ratio": rf"[d∂]{power}\s*(?P<name>{n}|{held})\s*/\s*[d∂]\s*(?P<below>[^\W\d_])(?P<order>{power})(?!\w)(?:{place})?",
        "operator": rf"{operator}{name}(?!\w|{_PRIMES}|\s*\()",
        "operator on a call": rf"{operator}{name}\((?P<at>[^()=]*)\)",
        "operator on brackets": rf"{operator}(?=[(\[{{])",
        "capital": rf"D[ ]?{name}(?![\w(]|{_PRIMES})",
        "ratio of brackets": rf"[d∂](?P<order>{power})(?=[(\[{{])",
        "primed": rf"{name}[ ]?(?P<primes>{_PRIMES}+)(?:[ ]?(?=\(\s*(?:{v})\s*\)))?{call}",
        "partial": rf"(?<![\w\\]){name}_(?P<subscript>(?:{v})+)(?!\w){call}",
        "called": rf"{name}\(\s*(?P<at>[^()=]*)\)",
        "bare": rf"{name}(?![0-9_(])",
        "primed brackets": rf"[)\]}}](?P<primes>{_PRIMES}+)",
    }
    return tuple(_Form(kind, re.compile(own)) for kind, own in forms.items())


_ANYWHERE = {"ratio", "operator", "operator on a call", "operator on brackets", "primed brackets"}  # fmt: skip
"""Notations that no letters in front of them make a part of a word."""


def notations(
    text: str,
    functions: Collection[str],
    variables: tuple[str, ...],
    wrt: str,
    called: Collection[str] = (),
) -> dict[str, Notation]:
    """The notations in a text that are not in the language, by names: what was typed, with a number if it comes again.

    `functions` are names that stand for expressions: f and y, and what the solution defines. Those of
    `called` are written with their variable, f(x); of others, y(x + 1) is a product.
    """
    order = (wrt, *(v for v in variables if v != wrt))
    apart = _apart(text, functions, variables)
    forms = _forms(tuple(sorted(functions)), order)
    named: dict[str, Notation] = {}
    at = 0
    while True:
        matches = ((kind, own.search(text, at)) for kind, own in forms)
        found = [(kind, match) for kind, match in matches if match is not None]
        if not found:
            return named
        kind, match = min(found, key=lambda one: one[1].start())
        if not _stands_alone(kind, match, text, apart):
            at = match.start() + 1
            continue
        notation = _notation(kind, match, text, order, called)
        at = match.end()
        if notation is not None:
            start, at = notation.span
            # what (f(x) + 1)' differentiates is read by itself
            named = {n: own for n, own in named.items() if own.span[1] <= start}
            name = text[start:at]
            named[f"{name}_{at}" if name in named else name] = notation


def _stands_alone(kind: str, match: re.Match[str], text: str, apart: set[int]) -> bool:
    """Whether a name is one of its own, and not a part of a longer one."""
    before, after = text[: match.start()][-1:], text[match.end() : match.end() + 1]
    if kind in _ANYWHERE:
        return True
    if kind in ("capital", "ratio of brackets"):
        return not before.isalpha()
    if before.isalpha() and match.start() not in apart:
        return False
    return kind != "bare" or not after.isalpha() or match.end() in apart


def _apart(
    text: str, functions: Collection[str], variables: Collection[str]
) -> set[int]:
    """Where, within a run of letters, each letter is a name of its own: uv, where u and v stand for functions."""
    found: set[int] = set()
    own = {n for n in (*functions, *variables) if len(n) == 1}
    for match in re.finditer(r"[^\W\d_]{2,}", text):
        run = match[0]
        called = is_function(run, called=False) or is_function(run, called=True)
        word = called or run in CONSTANTS
        if not word and own.issuperset(run):
            found.update(range(match.start() + 1, match.end()))
    return found


def _notation(
    kind: str,
    match: re.Match[str],
    text: str,
    variables: tuple[str, ...],
    called: Collection[str],
) -> Notation | None:
    groups, span = match.groupdict(), match.span()
    name, primes = groups.get("name"), groups.get("primes")
    is_value = kind in ("called", "bare")
    order = (groups.get("order") or "").strip("^").translate(str.maketrans("²³", "23"))
    times = len(primes) if primes else 0 if is_value else int(order or 1)
    wrt = (groups.get("below") or variables[0],) * times
    if name is None:
        return _inside(kind, match, text, wrt)
    what = "value" if is_value else "derivative"
    if kind == "ratio":
        at = match.span("at") if groups["at"] is not None else None
        return Notation(what, name, wrt, span, at=at, below=groups["below"])
    given = groups.get("at") or ""
    is_factor = name not in called and given.strip() not in variables and re.search(r"[^\W\d_]", given)  # fmt: skip
    if (
        kind in ("primed", "called") and is_factor
    ):  # y(ln x + 1), where no one writes y(x)
        end = text.rindex("(", 0, match.start("at"))
        return Notation(what, name, wrt, (span[0], end))
    if kind == "partial":
        longest = "|".join(map(re.escape, sorted(variables, key=len, reverse=True)))
        wrt = tuple(re.findall(longest, groups["subscript"]))
    at = _argument(match, variables) if "at" in groups else None
    return Notation(what, name, wrt, span, at=at)


def _inside(
    kind: str, match: re.Match[str], text: str, wrt: tuple[str, ...]
) -> Notation | None:
    """The derivative of what stands in brackets: d/dx (x^2), d(x^2)/dx, (x^2)', or of a call, sin(x)'."""
    start, end = match.span()
    if kind == "primed brackets":
        pairs = {end: start for start, end in brackets.closed(text).items()}
        if (opened := pairs.get(start)) is None:
            return None
        word = re.search(r"[^\W\d_]+\Z", text[:opened])
        if word is not None and is_function(word[0], called=True):
            return Notation("inside", "", wrt, (word.start(), end), (word.start(), start + 1))  # fmt: skip
        return Notation("inside", "", wrt, (opened, end), (opened + 1, start))
    closed = brackets.closing(text, end)
    below = _BELOW.match(text, closed) if closed else None
    if closed is None or (below is None and kind == "ratio of brackets"):
        return None
    inner = end + 1, closed - 1
    if kind == "ratio of brackets" and below is not None:
        wrt = (below[1],) * len(wrt)
        return Notation("inside", "", wrt, (start, below.end()), inner)
    reached = _reached(text, end, wrt)
    if reached > closed:  # d/dx (x^2)^3
        return Notation("inside", "", wrt, (start, reached), (end, reached))
    return Notation("inside", "", wrt, (start, closed), inner)


def _reached(text: str, start: int, wrt: Collection[str]) -> int:
    """Where the operand of an operator ends that stands before the brackets at `start`; there, if it is not clear."""
    pieces = grammar.pieces(text[start:])
    tokens = [*zip(*pieces, strict=True)]
    try:
        count = operand_of(tokens, wrt, text[start:], brackets.CALLING)
    except ExprgradError:
        return start
    return start + pieces.ends[count - 1] if count else start


_BELOW = pattern(r"\s*/\s*[d∂]\s*([^\W\d_])(?:\^[0-9]|[²³])?(?!\w)")


def _argument(match: re.Match[str], variables: tuple[str, ...]) -> Span | None:
    """Where an argument stands that is not just the variables: the 3 of f'(3)."""
    given = match["at"]
    names = [] if given is None else [part.strip() for part in given.split(",")]
    return None if all(n in variables for n in names) else match.span("at")
