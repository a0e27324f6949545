"""The lines of a worked solution, as people write them: statements, chains of `=`, and notations to fill in.

    statements("2) So y' = 2x sin x + x^2 cos x   (product rule)", ...)
                                        y'   and   2x sin x + x^2 cos x, with their places in the line

Numbering, arrows and words are blanked out, so that every place stays that of the line. What stands for something else,
such as f'(x), y', dy/dx, f_x or (x^2)', is a `Notation`: a leaf in what a side is read as, see `Mentioned`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExpressionSyntaxError, Span, UsageError
from exprgrad.expressions.taylor import Place, at_place, has_variables
from exprgrad.graph.value import Value
from exprgrad.language import brackets
from exprgrad.language.characters import RAISED
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.products import splits
from exprgrad.language.scanning.defined import Defined, Reference
from exprgrad.lazy import pattern
from exprgrad.operations.vocabulary import CONSTANTS, SPOKEN_FUNCTIONS, is_function

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
_LETTERS = rf"[^\W\d_{RAISED}]{{2,}}"
_WORD = pattern(rf"(?<![\w\\]){_LETTERS}(?![\w(\[])")
_WORDS = pattern(_LETTERS)
_LABEL = pattern(
    rf"\s*(?:({_LETTERS})\b[^=:;<>≤≥]*|(?:using|since)\b[^:;]*):(?=\s)", re.IGNORECASE
)
_SENTENCE_END = pattern(rf"(?<=[\w)\]}}{PRIMES}])\.(?=\s)|(?<=[\w)\]}}]):(?=\s)")


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
    """A text that stands for something else, at `span`.

    `kind` is value (of the function `name`), derivative (of it, `wrt` in turn), or inside (the derivative of what is
    written there). `at` has the arguments that are not the variables themselves: f'(3).
    """

    kind: str
    name: str
    wrt: tuple[str, ...]
    span: Span
    at: Place


class Limit(NamedTuple):
    """A side that is a limit: of which variable, where to, and where the rest begins."""

    variable: str
    to: str
    body: int


_TIMES = pattern(r"(?<=[\w)\]}])\s+times\s+(?=\S)")
_DERIVATIVE_OF = pattern(r"\b(?:the\s+)?derivative\s+of\s+(?!\w\s*(?:\(\s*\w\s*\)\s*)?(?:\bis\b|=|$))(?=[\d(√]|\w\b|(?:sin|cos|tan|ln|log|exp|sqrt)\b)(?=[^=;]*?(?<![^\W\d_])([a-df-z])(?![^\W\d_]))", re.IGNORECASE)  # fmt: skip
_IS = pattern(r"(d/d\w\b[^=;]*?[\w)]|\)['’′])(\s+(?:is|equals))(?=\s)")


def in_signs(line: str) -> str:
    """A line with signs for words, where nothing moves: the derivative of x^2 is 2 times x."""
    line = _TIMES.sub(lambda m: "*".center(len(m[0])), line)
    line = _DERIVATIVE_OF.sub(lambda m: f"d/d{m[1]}".ljust(len(m[0])), line)
    return _IS.sub(lambda m: m[1] + "=".rjust(len(m[2])), line)


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
        if len(pieces) == 1 and end - start == 1 and line.strip() != text[start:end]:
            continue  # the a of "a product", or I
        if spans and all(any(map(str.isalnum, text[a:b])) for a, b in spans):
            found.append(Statement(tuple(spans), continued, words, last))
        elif any(a < b for a, b in spans) and len(spans) > 1:
            raise UsageError("one side of this equation is missing", (start, end))
    return found


def _blanked(line: str, known: Collection[str]) -> str:
    """The line without its numbering, arrows, remarks and words; nothing moves."""
    # whatever is replaced, as many signs take its place: an error points into the line as it was typed
    numbering = _NUMBERING.match(line)
    text = " " * numbering.end() + line[numbering.end() :] if numbering else line
    text = _ASIDE.sub(lambda m: " " * len(m[0]), text)
    text = _CONDITION.sub(lambda m: " " * len(m[0]) if m[2] else m[0], text)
    text = text.replace("&", " ").replace("≈", "=").replace("＝", "=").replace("≡", "=")
    text = re.sub(":=|==(?!>)", "= ", text)
    text = re.sub("==?>", lambda m: " " * len(m[0]), text)
    text = _without_remarks(text.replace("$", " "), known)
    label = _label_of(text, known)
    text = " " * len(label) + text[len(label) :]
    text = _SENTENCE_END.sub(";", text)
    # the arrow of lim h -> 0 ends no statement, as others do
    if _LIMIT.search(text):
        text = text.replace("->", "→ ")
    else:
        text = re.sub(f"->|[{ARROWS}]", lambda m: ";".ljust(len(m[0])), text)
    return _WORD.sub(lambda m: _without_word(m, text, known), text)


def _without_remarks(text: str, known: Collection[str]) -> str:
    """Brackets that begin with a word are remarks: (by the chain rule), [since sin' = cos]."""
    for match in re.finditer(rf"(?<!\w)[(\[]\s*({_LETTERS})(?![\w(])", text):
        closed = brackets.closing(text, match.start())
        if closed is not None and not _is_name(match[1], known):
            blank = " " * (closed - match.start())
            text = text[: match.start()] + blank + text[closed:]
    return text


_ASIDE = pattern(r"//.*$|[✓✔✗✘]|^\s*\*\*(?=\S)|\*\*\s*$|\s\|\s+[^\W\d_]{2,}[^=|]*$")
"""Comments, ticks, marks of bold type, and remarks behind a bar."""


def conditions(line: str) -> list[str]:
    """Return what a line restricts itself to: the x > 2 of `f'(x) = 1 for x > 2`."""
    return [(m[1] or m[2]).strip() for m in _CONDITION.finditer(line)]


_BOUND = r"([^\W\d_]\s*(?:[<>]=?|≤|≥)\s*[-−]?[0-9./]+)\s*"
_CONDITION = pattern(
    rf"\b(?:for|if|when|where)\s+{_BOUND}(?=$|[,;:.)]|\band\b|\bbut\b)|(?<=[\w)\]}}])\s+\(\s*{_BOUND}\)\s*$",
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
    # neither is one between two factors that says what to do with them: 2 sine x is not 2
    is_said = word.lower() in (*SPOKEN_FUNCTIONS, "plus", "minus", "over")
    before = text[: match.start()].rstrip()[-2:]
    if is_said and _ENDS_FACTOR.search(before) and _FACTOR.match(text, match.end()):
        return word
    beside = text[: match.start()].rstrip()[-1:] + text[match.end() :].lstrip()[:1]
    # a word next to an operator is no prose: the misspelt sine in 2*sine + 1 is to be refused, not skipped
    if word.lower() not in CONNECTIVES and re.search(r"[-+*/^=·×−]", beside):
        return word
    return ";" + " " * (len(word) - 1)


_FACTOR = pattern(r"\s*(?:[\d(]|[^\W\d_](?![^\W\d_]))")
_ENDS_FACTOR = pattern(r"(?:[\d)]|(?<![^\W\d_])[^\W\d_])\Z")
"""The beginning and the end of a factor: a number, a bracket or a letter."""


def _is_name(word: str, known: Collection[str]) -> bool:
    """Return whether a word is mathematics: a function, a constant, a name of the problem, or a product of these."""
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
            signs = (a + i for i in brackets.outside(text[a:b], "<>≤≥≠!∈"))
            relation = next((i for i in signs if _RELATION.match(text, i)), None)
            if relation is not None:  # y' = 2x - 6 > 0 is a derivative, too
                b = relation if "=" in text[a:relation] else a
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


_LIMIT = pattern(
    r"\s*\\?lim(?:it)?\s*_?\s*[({\[]?\s*([Δδ]?[^\W\d_])\s*(?:->|→|⟶|\\to|to)\s*([-−]?[\w.]+)\s*[)}\]]?\s*"
)


def limit_of(text: str) -> Limit | None:
    """The limit that a side begins with."""
    match = _LIMIT.match(text)
    return Limit(match[1], match[2], match.end()) if match else None


class Mentioned(Defined):
    """Other functions that a side mentions: a leaf in the place of each, and what that stands for.

    `parameters` are those of the function in question.
    """

    in_latex = is_step = True
    asks: bool | None = False

    def __init__(
        self,
        names: Collection[str],
        called: Collection[str],
        variables: tuple[str, ...],
        parameters: tuple[str, ...],
        meaning: Callable[[Notation, Value | None], Value],
    ) -> None:
        own = frozenset(names)
        super().__init__(own, own, own.difference(called))
        self.variables, self._meaning = variables, meaning
        self._parameters = parameters or tuple(sorted(variables))
        self.named: dict[str, Notation] = {}
        self.meanings: dict[str, Value] = {}
        self.inner: dict[str, Value] = {}
        self._bare: dict[str, str] = {}  # the leaves of names without brackets

    def value(
        self, reference: Reference, arguments: tuple[Value, ...] | None, span: Span
    ) -> Value:
        """The leaf of f(x), f'(3), y or dy/du."""
        wrt = reference.wrt or self.variables[:1] * reference.order
        own = (*self.variables, *self.formulas)
        names_of = (self._bare.get(a.name or "", a.name) for a in arguments or ())
        # f(x) is the function itself; f(3) and f(2x) are its value at a place
        is_given = any(name not in own for name in names_of)
        names = self._parameters if len(arguments or ()) > 1 else self.variables[:1]
        if is_given and len(arguments or ()) != len(names):
            raise ExpressionSyntaxError(f"{reference.name} takes other arguments", span)
        filled = map(self.filled, arguments or ())
        place = dict(zip(names, filled, strict=True)) if is_given else {}
        kind = "derivative" if wrt else "value"
        leaf = self._leaf(Notation(kind, reference.name, wrt, span, place))
        if kind == "value" and arguments is None:
            self._bare[leaf.name or ""] = reference.name
        return leaf

    def derivative(self, operand: Value, name: str, order: int, span: Span) -> Value:
        """The leaf of what is to be differentiated; that of f'(3) for d/dx f(3)."""
        known, wrt = self.named.get(operand.name or ""), (name,) * order
        if known and known.kind == "value" and not any(map(has_variables, known.at.values())):  # fmt: skip
            return self._leaf(known._replace(kind="derivative", wrt=wrt, span=span))
        return self._leaf(Notation("inside", "", wrt, span, {}), self.filled(operand))

    def filled(self, root: Value) -> Value:
        """A graph with what its leaves stand for."""
        return at_place(root, self.meanings) if self.meanings else root

    def _leaf(self, notation: Notation, inner: Value | None = None) -> Value:
        name = f"{notation.name}{notation.span}"
        self.named[name] = notation
        self.meanings[name] = self._meaning(notation, inner)
        if inner is not None:
            self.inner[name] = inner
        return Value(None, name)
