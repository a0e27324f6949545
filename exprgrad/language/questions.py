r"""The statements of a text, whatever notation it is in: what it defines, what it asks, and what it claims.

    read("f(x) = x^2; f'(x) = 2x")              a Definition of f; a Question about f with the claim 2x
    read("the slope of x^2 at x=3 is 7")        a Question about x^2 at x=3 with the claim 7
    read("x^2 + y^2 = 25, y' = -x/y")           a Question of kind "implicit"
    read(r"\int 2x\,dx = x^2 + C")              one of kind "antiderivative"

`statements` cuts a text into statements; `NOTATIONS` has a row for every notation of a question, and serves LaTeX as
well as plain text. What is asked of, and claimed, are pieces of the text, for the parser of expressions.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from itertools import pairwise

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Hint, Span
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Value, is_variable, node
from exprgrad.language import brackets, characters, grammar, inputs, leibniz, phrases
from exprgrad.language.brackets import CALLING, closing, nesting, outside, parted
from exprgrad.language.elsewhere import SPELT, refuse_strange
from exprgrad.language.notes import shorten
from exprgrad.language.phrases import CALLED, Phrases
from exprgrad.language.points import lies_on
from exprgrad.language.products import customary, factors, letters
from exprgrad.language.scanning import defined as naming
from exprgrad.language.scanning.reach import Unclear, of_value, takes_all
from exprgrad.language.shapes import assumed, is_latex, is_plain
from exprgrad.language.undefined import FUNCTION_LETTERS
from exprgrad.lazy import pattern
from exprgrad.notation.text import to_text
from exprgrad.operations.operation import of_one_number
from exprgrad.operations.table import ADD
from exprgrad.operations.vocabulary import CONSTANTS, DIFF, is_function

FORMS = "write d/dx (x^2) = 2x, (x^2)' = 2x, or f(x) = x^2; f'(x) = 2x"
_HEADS = "write f(x) = ..., with names in the brackets"


class Piece(NamedTuple):
    """A part of a text: what it says, the text that it stands in, where it begins there, and whether that is LaTeX.

    One in which names have been written out is a text of its own; `typed` says where it stood.
    """

    text: str
    source: str
    offset: int
    latex: bool = False
    typed: Span | None = None

    @classmethod
    def of(cls, source: str, start: int = 0, latex: bool = False) -> Piece:
        """The end of a text from a place, without the blanks around it."""
        text = source[start:]
        return cls(text.strip(), source, start + len(text) - len(text.lstrip()), latex)

    @property
    def span(self) -> Span:
        """Return where it stands in its text."""
        return self.offset, self.offset + len(self.text)

    @property
    def place(self) -> Span:
        """Return where it stands in what was typed."""
        return self.typed or self.span


class Definition(NamedTuple):
    """`name = given`, or `name(parameters) = given`; `whole` is all of it, and `at` the values beside it."""

    whole: Piece
    name: str
    parameters: tuple[str, ...]
    given: Piece
    at: Piece | None = None

    @property
    def is_curve(self) -> bool:
        """Return whether it is the equation of a curve and defines nothing: xy = 4, y = x e^y."""
        is_within = self.name in _letters(self.given.text) and self.given != self.whole
        return not self.parameters and (is_within or {"x", "y"} <= {*self.name})


class Question(NamedTuple):
    """A question, and what is claimed to be the answer: several claims in a chain, none in a mere question.

    `kind` is "derivative", another kind of answer that can be checked, "equation" or "expression". `given` are the
    texts that it is about: one, the two of a curve with a parameter, or none where `name` is not defined. `wrt` holds
    a variable for each order, as far as they are named; `parameters` are those of a function that has a name.
    """

    kind: str
    asked: Piece
    given: tuple[Piece, ...]
    claims: tuple[Piece, ...] = ()
    wrt: tuple[str, ...] = ()
    order: int = 1
    at: Piece | None = None
    along: Piece | None = None
    of: str | None = None
    name: str | None = None
    parameters: tuple[str, ...] = ()
    argument: Piece | None = None

    @property
    def is_of_inverse(self) -> bool:
        """Return whether it is about the inverse of a function: about a curve that is written nowhere."""
        return self.kind == "implicit" and not self.given[0].offset and self.given[0].source != self.asked.source  # fmt: skip

    @property
    def is_partial(self) -> bool:
        """Return whether it is about a partial derivative, which holds all other letters: ∂z/∂x, z_x, D_x z."""
        return re.search(r"∂|\\partial|\A[\s$]*[^\W\d_]+_\{?[^\W\d_]+\}?(?!['’′\w])", self.asked.text) is not None  # fmt: skip

    @property
    def is_of_values(self) -> bool:
        """Return whether it is about the values of functions: an equation, or the slope at a formula, f'(x^2) or f_x(2, y)."""
        inside = self.argument.text[1:-1].strip() if self.argument else ""
        is_own = inputs.listed(inside) == self.parameters or (len(self.parameters) == 1 and inside.isidentifier())  # fmt: skip
        is_composed = self.parameters and not (is_own or self.asked.latex)
        is_called = re.search(r"[^\W\d]['’′]*\s*\(", inside)
        return self.kind == "equation" or bool(is_composed and (is_called or letters(inside, None))) or any(self.takes_slope(claim.text) for claim in self.claims)  # fmt: skip

    def takes_slope(self, text: str) -> bool:
        """Return whether a text holds a partial derivative of the function that is asked about, as f_xy = f_yx does."""
        own = self.parameters or sorted({x for piece in self.given for x in _letters(piece.text) if x.isalpha()})  # fmt: skip
        return bool(self.name) and re.search(slope_of(self.name or "", own), text) is not None  # fmt: skip

    def joined(self, other: Question) -> Question | None:
        """Return what both ask in a chain, as y' and dy/dx do, or f'(x) and (x^2)'; None where they ask different things."""
        both = self, other
        texts = {piece.text.strip(" ()[]") for q in both for piece in q.given}
        by = {q.wrt or q.parameters * q.order for q in both} - {()}
        places = [q.argument.text[1:-1].strip() for q in both if q.argument]
        names = {q.name for q in both} & {x for text in texts for x in _letters(text)}
        if names or self.order != other.order or len(texts) > 1 or len(by) > 1 or not all(map(str.isidentifier, places)):  # fmt: skip
            return None
        return (self if self.given else other)._replace(wrt=self.wrt or other.wrt)

    @property
    def whole(self) -> Piece:
        """Return what is asked with all that is claimed."""
        start, source = self.asked.offset, self.asked.source
        end = (self.claims or (self.asked,))[-1].place[1]
        return self.asked._replace(text=source[start:end])


Said = Definition | Question


def slope_of(name: str, letters: Iterable[str]) -> str:
    """The regular expression of a partial derivative that is called by the name of its function: f_xy, f_{xy}."""
    return rf"(?<![^\W\d]){re.escape(name)}_\{{?[{''.join(letters) or '_'}]+(?!\w)"


Words = tuple[tuple[str, str, str], ...]
"""The words of kinds of questions: of each its name, how it begins, and the whole of it."""


class Scope(NamedTuple):
    """The context that a door adds to a text: definitions by their names, the words of kinds, macros of TeX.

    In the `is_widest` reading, d/dx takes all that stands behind it: (x + 1) sin(x) of d/dx (x + 1) sin(x). A text that
    `is_asking` has its answer elsewhere: the = of "tangent to y = x^3 at 2" is its own. What was defined `before`, the
    last at the end, is what a question may be about that names no function.
    """

    definitions: Mapping[str, Definition] = {}
    kinds: Words = ()
    macros: Mapping[str, Any] = {}
    is_widest: bool = False
    is_asking: bool = False
    before: tuple[Definition, ...] = ()


# Statements

_COMPARISONS = "<>≤≥≠≈→∈∝"
_OPERATORS = frozenset("+-−*·×⋅/÷^=<>≤≥")
_GOES_ON = pattern(r"\s*(?:=(?![=>])|[+*/^·×⋅÷≈≤≥≠]|[-−][ \t])")
_NAME = r"[^\W\d_]\w*"
_LEAD = (
    r"(?:(?:let|if|given|suppose|consider|take|(?:on\s+)?the\s+(?:function|curve)(?:\s+is)?|assume|so|then|hence|thus|therefore|and|but|now|next|also|since|because|finally|similarly|that|we|it\s+follows"
    r"|have|has|get|gets|got|find|obtain|see|know|what\s+is(?=\s+(?:[d∂]\w*/[d∂]|[^\W\d_]['’′]))|is(?!\s+the\s+(?:\w+\s+){0,2}derivative\b)|show|check|verify|prove"
    r"|whether|true\s+or\s+false|I(?=\s+(?:think|believe|claim|get|got|say|find))|think|believe|claim|say|(?:by|using|with)\s+the\s+(?:\w+\s+)?\w+\s+rule|(?:my\s+)?answer(?:\s+is)?)\b[,:?]?\s+)"
)
BEGINS = pattern(
    rf"\s*(?:{_LEAD}|(?:let|if|given|suppose|compute|calculate|determine|what\s+is)\s+)*"
    rf"(?:[d∂](?:\^?[2-9²³])?(?:{_NAME})?\s*(?:[({{][^=]*[)}}]\s*)?/\s*[d∂]|{_NAME}\s*(?:['’′″‴`´]+|\^\s*\{{?\(\d+\))|\([^=]*\)\s*['’′]|(?:find|compute|calculate|evaluate|what\s+is)\s+{_NAME}\(|{_NAME}(?:\{{[^{{}}=]*\}})?\s*(?:\([^()=]*\))?\s*:?=(?!=)|∇"
    r"|(?:the|an?|its)\s+(?:[a-z]+\s+)?(?:derivative|slope|gradient|tangent)\b|grad\b|D_[^\W\d_]\b)",
    re.IGNORECASE,
)
_LEADS = pattern(rf"\s*{_LEAD}+(?=[^\s=*/^+)\]}}])", re.IGNORECASE)
_JOINT = pattern(r"[(\[{]|[)\]}]|\n|;|,|\.(?=\s|$)|[=-]+>|[⇒⟹→]|(?<!\w)(?:then|so|hence|thus|therefore|and|find|compute|calculate|what\s+is|we\s+(?:have|get|find|obtain))(?!\w)", re.IGNORECASE)  # fmt: skip
_ANSWER = pattern(r"\s*(?:my\s+)?(?:answer|ans|solution)\b", re.IGNORECASE)
_PLACE = pattern(r"(?:(?<!\w)(?:at|for|when|where|if|with|given|@)\s[^;]*|\|[^|]*)$")
_NUMBER_OF = rf"{_NAME}\s*=(?!=)\s*(?:[-−+\d.()/*^π{{}}\\]|pi|e\b|[dt]?frac|sqrt)+"
PLACED_FIRST = pattern(rf"\s*(?:(?:and|but|while)\s+)?(?:at|when|where|for)\s+(?:the\s+point\s+)?(?P<place>{_NUMBER_OF}(?:(?:\s*,|\s+and)\s+{_NUMBER_OF})*|\([^()=]*,[^()=]*\))\s*,?(?:\s+|$)(?![\d=])", re.IGNORECASE)  # fmt: skip
"""The values before what holds there: at x = 2, dy/dx = 9."""
_STOP = pattern(r"[.;](?=\s|$)|\n|\b(?:at|when|for|where|while|if|general(?:ly)?|elsewhere|but)\b", re.IGNORECASE)  # fmt: skip

_VALUE = pattern(rf"\s*{_NAME}\s*=(?!=)\s*[-−+0-9.()/*π\s]*(?:pi|e)?[-−+0-9.()/*π\s]*(?=\s*(?:$|[,;:=\n]|(?:is|equals|gives)\b))")  # fmt: skip


def statements(text: str, scope: Scope) -> Iterator[Span]:
    """The spans of the statements of a text.

    A line continues the one before if a bracket is open, if that one ends with an operator, or if this one begins
    with `+ * / ^ =`, or with `-` and a blank.
    """
    depth, start, begins = 0, 0, _kinds(scope.kinds)[0]
    for mark in _JOINT.finditer(text):
        sign, at = mark[0], mark.start()
        # in a list, a) and b), the brackets close nothing
        depth = max(0, depth + nesting(sign))
        if depth or nesting(sign) or at < start:
            continue
        before = text[start:at]
        if sign == "\n" and continues(text, start, at):
            continue
        is_joined = sign == "," or (sign == "and" and _VALUE.match(text, mark.end()))
        is_placed = sign not in "\n;" and PLACED_FIRST.fullmatch(before)
        if is_placed or (is_joined and begins.match(before)):
            continue  # the points of a list
        rest = text[mark.end() :]
        last = before.rstrip()[-1:]
        is_stop = sign == "." and (last.isalnum() or last in ")]}|'’′²³")
        in_place = sign == "." or (_PLACE.search(before) and _VALUE.match(rest))
        placed = PLACED_FIRST.match(rest)
        is_next = BEGINS.match(rest) or (placed and placed.end() < len(rest))
        begins_next = begins.match(rest) or (not in_place and is_next)
        if sign in "\n;" or is_stop or ("=" in before and begins_next):
            if before.strip():
                yield start, at
            start = at if sign[0].isalpha() else mark.end()
    if text[start:].strip():
        yield start, len(text)


def continues(text: str, start: int, line_break: int) -> bool:
    """Return whether the line behind a line break goes on with the statement that begins at a place."""
    for i in range(line_break - 1, start - 1, -1):
        last = text[i]
        if not last.isspace():
            return last in _OPERATORS or _GOES_ON.match(text, line_break) is not None
    return False


def lines_of(source: str, scope: Scope) -> list[str]:
    """The statements of a text of several lines, each behind as many line breaks as stand before it.

    A text of one statement, or one that defines something, is one.
    """
    if "\n" not in source.strip() or "=" in source.replace("==", "") or is_tex(source):
        return [source]
    text = _COMMENT.sub(lambda m: " " * len(m[0]), source)
    found = [
        "\n" * text.count("\n", 0, start) + text[start:end].lstrip()
        for start, end in statements(text, scope)
    ]
    return found or [source]


# Notations

_ORDER = r"(?:\^[0-9]+|[²³⁴-⁹])?"
_BELOW = rf"\s*/\s*(?:[d∂] ?{leibniz.VARIABLE}{_ORDER})+"
_BY = rf"(?P<by>[d∂]{_ORDER}{_BELOW}|D\s*_\s*(?:\{{[^\W\d_]\}}|[^\W\d_](?!\w)))"
_RATIO = rf"(?P<by>[d∂]{_ORDER}\s*(?P<name>{leibniz.VARIABLE}){_BELOW})"
_GROUP = r"[(\[{].*[)\]}]"
_TASK = rf"(?:{phrases.VERB})?(?:the\s+|an?\s+|its\s+)?"


class Notation(NamedTuple):
    """A notation of a question: its pattern, whose groups name its parts, and the kind of question.

    The groups are `of` (the text that is asked about) or `name`, `by` (an operator such as d/dx) or `wrt`, `primes`
    or `order`, `args` (the brackets of f'(3)), and `call` (those of diff(f, x)).
    """

    pattern: str
    kind: str = "derivative"


_PRIME_SIGNS = "'’′″‴\"`´‘"
_PRIME = f"[{_PRIME_SIGNS}]"
NOTATIONS = [
    Notation(r"[D∂]_\{?(?P<wrt>[^\W\d_])\}?\s*(?P<order>\^[0-9]+|[²³⁴-⁹])\s*(?P<of>\S.*)"),
    Notation(rf"{_BY}\s*(?:of\s+)?(?P<of>\S.*)"),
    Notation(rf"{_RATIO}\s*(?P<args>\(.*\))?"),
    Notation(rf"{_RATIO}\s+(?P<of>[^\s+*/^=·×÷−(-].*)"),
    Notation(rf"[d∂](?P<order>{_ORDER})\s*(?:(?P<group>{_GROUP})|(?P<of>{_NAME}\s*\(\s*\w\s*\)|[^\W\d_]\s*(?:\^\s*[0-9]+|[²³⁴-⁹])))\s*/\s*[d∂]\s?(?P<wrt>{leibniz.VARIABLE}){_ORDER}"),
    Notation(rf"(?P<group>{_GROUP})\s*(?P<primes>{_PRIME}+)\s*(?P<args>\(\s*(?:{phrases.NUMBER}|[-−]?\s*[dt]?frac\s*(?:\{{[-\s\d]*\}}|\d)\s*(?:\{{[\s\d]*\}}|\d))\s*\))?"),
    Notation(rf"(?P<group>{_GROUP})\s*(?P<primes>{_PRIME}+)\(\s*(?P<wrt>[^\W\d_])\s*\)"),
    Notation(rf"(?P<name>{_NAME})\s*(?P<primes>{_PRIME}+)\s*(?P<args>[(\[][^=]*[)\]])?"),
    Notation(r"(?P<name>[^\W\d_])_\{?\s*(?P<wrt>(?:[^\W\d_]\s*)+)\}?\s*(?P<args>\(.*\))?", "partial"),
    Notation(r"(?P<known>[^\W\d_])\s*\^\s*(?=\{|\(\d+\)\s*(?:\(|$))\{?\s*\((?P<order>[1-9]\d*)\)\s*\}?\s*(?P<args>\(.*\))?"),
    Notation(rf"D(?P<order>\^[0-9]+|[²³⁴-⁹])\s*(?P<group>{_GROUP})"),
    Notation(rf"\(?D\s*\(?\s*(?P<known>{_NAME})\s*\)\s*(?P<args>\(.*\))"),
    Notation(rf"D\s*(?P<group>{_GROUP})\s*(?P<args>\(\s*{phrases.NUMBER}\s*\))"),
    Notation(r"D(?P<order>\^[0-9]+|[²³⁴-⁹])?\s*(?P<known>[^\W\d_])\s*(?P<args>\(.*\))?"),
    Notation(rf"(?:[Dd]iff|[Dd]erivative|partial|differentiate|derive|deriv|[dD])\s*(?P<call>{_GROUP})"),
    Notation(rf"{phrases.DERIVATIVE}\s*(?P<of>\S.*)"),
    Notation(rf"(?P<of>\S.*?)\s*{phrases.DERIVATIVE}"),
    Notation(rf"lim\s*_?\s*[({{]?\s*(?P<step>[^\W\d_])\s*(?:->|→|to)\s*(?P<to>0|{phrases.NUMBER})\s*[)}}]?\s*(?:[dt]?frac\s*)?(?P<difference>{_GROUP})\s*[/{{]\s*(?:(?P=step)|\(?\s*(?P=step)\s*[-−]\s*(?P=to)\s*\)?)\s*}}?"),
]  # fmt: skip
"""The notations of questions, in the order in which they are tried on what stands before the claim."""


@functools.cache
def _kinds(words: Words) -> tuple[re.Pattern[str], tuple[Notation, ...]]:
    """Return how questions of other kinds than a derivative begin, and their notations."""
    begins = "|".join(begin for _, begin, _ in words) or "(?!)"
    rows = (Notation(rf"{_TASK}{whole}", kind) for kind, _, whole in words)
    return _compiled(rf"\s*{_TASK}(?:{begins})(?:(?!\w)|(?<!\w))", True), tuple(rows)


_ON_CURVE = pattern(
    rf"\s*(?:{phrases.VERB})?"
    rf"(?P<slope>(?:[d∂]{_ORDER}\s*[^\W\d_]\s*/\s*[d∂]\s*[^\W\d_]{_ORDER}|[^\W\d_]{_PRIME}+(?:\([^()]*\))?)(?:\s+at\s+[^=;]*?(?:=[^=;]*?)?)?)"
    r"(?:\s*=(?!=)[^;=]*?)?(?P<curve_word>\s+(?:if|when|where|for|on|of|given(?:\s+that)?)\s+|\s+(?=y\s*=))(?P<curve>[^;=<>]*=[^;=]*)",
    re.IGNORECASE,
)
"""A question before the definition or the curve that it is about: find dy/dx if x^2 + y^2 = 25."""

_ALSO = pattern(rf"\s*(?P<name>{_NAME})\s*=\s*(?P<definition>(?P<called>{_NAME})\s*\(\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\)\s*=(?!=)[^=]*)")  # fmt: skip
"""A name for the values of a function that is defined behind it: z = f(x, y) = x^2*y."""

_NAMED = pattern(rf"\s*({_NAME})\s*(?:\(\s*(\w)\s*\)\s*)?=\s*")
"""A name for a derivative that is claimed behind it: v(t) = s'(t) = 3t^2."""

_HEAD_BEHIND = pattern(rf"(?<=\s(?:of|to))\s+(?:{_NAME}\s*\([^()=]*\)|[fghz]|y(?!.*y))\s*=(?!=)(?=\s*\S)")  # fmt: skip
"""The name of a function behind words: the gradient of f(x, y) = x^2*y."""

_OF_KIND_PLACE = pattern(r"(?:\s+cent(?:er|r)ed)?\s+(at|near|about|around|when|along|in\s+(?:the\s+)?direction(?:\s+of)?)\s+(?:the\s+(?:point|vector)\s+)?(?:[uv]\s*=\s*|P\s*=?\s*(?=\())?(?=[^()]*(?:\([^()]*\)[^()]*)*$)")  # fmt: skip
_POINT_VALUE = pattern(r"(?:\s(?:at|when|where|for|and)\s|,)\s*[^\W\d_]\w*\s*=")
_ORDER_BEHIND = pattern(r"\s+(?:of|to)\s+(?:order|degree)\s+[0-9]+\s*$")
_CONNECTIVE = pattern(rf"{phrases.STATED}|(?<=\s)are(?=\s+\S)|(?<=\S)\s(?=(?:does\s+not|doesn['’]t)\s+exist\s*\Z)|(?<![=<>!:])==(?!=)|:(?!=)|(?<!\s\w)(?<!\s\w\s)(?:[=-]+>|[⇒⟹→])", re.IGNORECASE)  # fmt: skip
_REMAINDER = r"\bO\(\s*[^\W\d_]\s*(?:\^\s*\{?[1-9]\}?)?\s*\)\s*$"
"""The order of what is left out: x - x^3/6 + O(x^5)."""

_POWER_OF_D = pattern(r"\s*D\s*[\^²³⁴-⁹]")
"""A power of D, which may be a product too where nothing is claimed about it: D^2(x^3)."""

_EQUALS = pattern(r"(?<=[\s)\]}])(?:equals|is\s+equal\s+to)(?=\s+\S)")


MOST_ROUNDS = 10
"""Times that names within what is written out are written out."""

NOTHING = Scope()
"""The scope of a text that stands alone."""


_ANSWER_HEAD = pattern(
    rf"\s*(?:at\s+)?(?:(?:∇|\\?nabla)\s*{_NAME}\s*(?:\([^()=]*\))?\s*=)?"
)
_MARKS = pattern(r"(\\langle(?![a-z])|⟨)|(\\rangle(?![a-z])|⟩)|\$")
"""What stands before an answer of another kind, ∇f = or at, and brackets and dollars within it."""


def questions_in(said: Sequence[Said]) -> list[Question]:
    """The questions among what a text says."""
    return [item for item in said if isinstance(item, Question)]


def placed_answer(text: str) -> Question | None:
    """Return what an answer says that names a point, 12 at x=2 or f'(2) = 12, with its point as `at`; None for any other text."""
    with suppress(ExpressionSyntaxError):
        for question in () if is_plain(text) else questions_in(read(text)):
            place = question.at or question.argument
            if place and not letters(place.text.rpartition("=")[2], None):
                return question._replace(at=place)
    return None


def read(
    source: str, scope: Scope = NOTHING, before: Sequence[Said] = ()
) -> list[Said]:
    """The definitions and questions of a text that goes on from what was said before it, in order.

    Raises `ExpressionSyntaxError`, with its place.
    """
    try:
        reader = _Reader(source, scope, is_tex(source))
        text = reader.text
        reader.found += before
        reader.known |= {d.name: d for d in before if isinstance(d, Definition)}
        _refuse_brackets(text)
        is_long = len(text) > phrases.LONGEST
        for span in [(0, len(text))] if is_long else statements(text, scope):
            reader.read(span)
        found = [reader.known_by_now(item) for item in reader.found]
        above = (d for d in scope.definitions.values() if d.parameters)
        defined = [*above, *(item for item in found if isinstance(item, Definition))]
        _refuse_rates(found)
        for i, item in enumerate(found):
            if isinstance(item, Question):
                item = written_out(reader.of_inverse(item), defined)
                found[i] = _with_rates(item, reader.known)
        return found
    except ExpressionSyntaxError as error:
        error.source = source
        raise


def _with_rates(question: Question, known: Collection[str]) -> Question:
    """A question with y for y(x) where y'(x) is claimed, and one about (uv)' where u' is claimed as one about (u*v)' by x."""
    *earlier, last = [piece.text for piece in question.claims] or [""]
    # d/dx(x^2 y) = 2xy + x^2 dy/dx = 0 is an equation to solve, or y is one function and no other
    moving = {x or y for text in earlier for x, y in _RATE.findall(text)} - {*known}
    if question.kind == "derivative" and moving & _letters(question.asked.text) and not _RATE.search(last):  # fmt: skip
        told = f"{min(moving)} changes in one part of this chain, and is a constant in the last"  # fmt: skip
        raise Unclear(told, question.claims[-1].span, "check one part at a time")
    claimed = " ".join((*earlier, last))
    primed = dict(_PRIMED.findall(claimed)) if len(question.given) == 1 else {}
    if question.kind != "derivative" or not primed or primed.keys() & {*known}:
        return question
    letters = _letters(question.given[0].text)
    if not (question.wrt or question.parameters) and letters & primed.keys():
        # x before t, whatever the order of a set
        own = filter(None, (*primed.values(), *sorted(letters.difference(primed) & {*"xt"}, reverse=True)))  # fmt: skip
        question = question._replace(wrt=(next(own, "x"),) * question.order)
    called = "".join(y for y, x in primed.items() if x and y not in FUNCTION_LETTERS)
    call = _compiled(rf"(?<!\\)(?<!\\[a-zA-Z])([{called or '_'}]['’′]*)\s*\(\s*[^\W\d_]\s*\)")  # fmt: skip

    def split(found: re.Match[str]) -> str:
        is_glued = len(found[0]) < 4 and not primed.keys().isdisjoint(found[0])
        return "*".join(found[0]) if is_glued and not is_function(found[0], called=True) else found[0]  # fmt: skip

    def bare(piece: Piece) -> Piece:
        text = call.sub(r"\1 ", piece.text)
        text = text if "\\" in text else _LETTERS.sub(split, text)
        return piece if text == piece.text else Piece(text, text, 0, piece.latex, piece.place)  # fmt: skip

    return question._replace(given=(*map(bare, question.given),), claims=(*map(bare, question.claims),))  # fmt: skip


_LETTERS = pattern(r"(?<![^\W_])[^\W\d_]{2,}(?!\w)")
_RATE = pattern(
    r"(?<![a-zA-Z])d\s*([a-z])\s*(?:/|\}\s*\{)\s*d\s*[a-z]|(?<!\\)(?<!\\[a-zA-Z])([^\W\d_])['’′]"
)
_PRIMED = pattern(r"(?<!\\)(?<!\\[a-zA-Z])([^\W\d_])['’′]+(?:\s*\(\s*([^\W\d_])\s*\))?")


def _refuse_rates(found: Sequence[Said]) -> None:
    """Raise `ExpressionSyntaxError` for dr/dt = 3 beside A = pi*r^2 and r = 2: it is given, and no claim about 2."""
    own = [item for item in found if isinstance(item, Definition)]
    values = {d.name for d in own if _is_value(d.whole.text)}
    for question in questions_in(found):
        name = question.name or ""
        is_rate = question.wrt == ("t",) and name in values and question.claims
        formulas = (d.given.text for d in own if d.name != name)
        if is_rate and any(name in _letters(text) for text in formulas):
            message = f"the rate of {name} is given here, and not claimed"
            hint = f"a worked solution, with each statement on a line, takes given rates; or write {name} as a formula in t"
            raise ExpressionSyntaxError(message, question.asked.span, hint)


def formulas(source: str, macros: Mapping[str, Any]) -> Iterator[list[Piece]]:
    """The sides of each statement in LaTeX, up to a comparison or a condition; the first is empty where `=` begins it.

    Raises `ExpressionSyntaxError` for brackets and macros that cannot be understood.
    """
    reader = _Reader(source, Scope(macros=macros), True)
    for whole in statements(reader.text, NOTHING):
        start, end = reader.bare(whole)
        text = reader.text[start:end]
        arrow = phrases.arrow(text) if "↦" in text else None
        if arrow is not None and arrow.name:  # f: x ↦ x^2
            head = f"{arrow.name}({arrow.parameters})"
            yield [Piece(head, head, start), reader.piece((start + arrow.end, end))]
            continue
        text = text[: next(outside(text, _COMPARISONS), None)]
        commas = (i for i in outside(text, ",") if not re.search(r"^,\d|=", text[i:]))
        spans = between_equals(text[: next(commas, None)])
        sides = [reader.piece(_moved(span, start)) for span in spans if span[0] < span[1] or span is spans[0]]  # fmt: skip
        if len(sides) > 1 or sides[0].text:
            yield sides


def written_out(question: Question, defined: Sequence[Definition]) -> Question:
    """A question in which what the same text defines is written out: y = u^2 in terms of x, where u = 3x + 1.

    What is differentiated by stays, and so do the letters of a partial derivative; a number for it is a place, unless
    each answer is a formula in it: x = 2 does not make x^2 the derivative of x^2.
    """
    if question.kind == "derivative" and question.name and not (question.wrt or question.parameters):  # fmt: skip
        question = question._replace(wrt=_customary(question, defined) * question.order)
    own = question.parameters  # of f(u), where u is a function of x
    stay = {question.of, *question.wrt, *(own if {*own} & {*question.wrt} or not question.wrt else ())}  # fmt: skip
    # of y = x^2, the y is that of the line
    stay |= {question.name} if question.kind in ("tangent", "normal") and not own else set()  # fmt: skip
    letters = {x for piece in question.given for x in _letters(piece.text)}
    # of z = x^2 + y^2, ∂z/∂x holds y; ∂z/∂t goes through x and y, where they are formulas in t and s
    is_partial = question.is_partial and {*question.wrt} <= letters
    if question.is_partial and not {*question.wrt} <= reached(letters, defined):
        return question  # z is no function of s here: x and y may be, which are numbers by now
    formulas = {d.name for d in defined if not d.parameters}
    for x in {*question.wrt} & formulas & letters if question.kind == "derivative" and not question.is_partial else ():  # fmt: skip
        along = reached({x}, defined) - {*CONSTANTS, *"pi"}
        if any(x not in own and own & along for own in (reached({n}, defined) for n in letters - {x})):  # fmt: skip
            raise Unclear(f"d{question.name}/d{x} may hold what else {question.name} is made of, or not", question.asked.span, f"write ∂{question.name}/∂{x} to hold it")  # fmt: skip
    for piece in question.given:
        refuse_open_call(piece, formulas)
    # y = x^2 at x=3; dy/dx = 6
    beside = [d.at for d in defined if d.at and d.name == question.name]
    defined = [*defined, *(d for piece in beside for d in _values_in(piece))]
    question, fixed = _placed_by(question, defined, beside, letters, stay)
    stay |= fixed
    every = {d.name: d for d in defined if d.name not in stay}
    holds = _hold(question.given, every.keys() - {question.name}) or _hold(question.claims, every)  # fmt: skip
    if not holds or question.kind in ("implicit", "equation"):
        return question
    every |= {n: d._replace(given=_plain(d.given, every)) for n, d in every.items()}
    named = {name: d for name, d in every.items() if not d.given.latex}
    if is_partial:  # the other letters stand for themselves, but for numbers
        named = {name: d for name, d in named.items() if d.parameters or _is_value(d.whole.text)}  # fmt: skip
    known = {name: d for name, d in named.items() if name != question.name}
    place = question.at or question.argument
    name = "" if place is None else place.text.strip(" ()")
    variable = next(iter(question.wrt), name if name.isidentifier() else "")
    bare = variable if question.order else None

    def written(piece: Piece, names: Mapping[str, Definition]) -> Piece:
        plain = _plain(piece, every).text
        text = _in_full(plain, names, bare)
        return piece if text == plain else Piece(text, text, 0, typed=piece.place)

    given = tuple(written(piece, known) for piece in question.given)
    for left in (m for piece in given for m in _DERIVED.finditer(piece.text)):
        typed = known.get(left["primed"] or left["name"])
        if typed and (left["name"] or not typed.parameters) and "∂" not in left[0]:
            message, hint = f"{left[0]} is not written out here", "write it out"
            raise ExpressionSyntaxError(message, question.asked.span, hint)
    claims = tuple(written(piece, named) for piece in question.claims)
    return question._replace(given=given, claims=claims)


def _customary(question: Question, defined: Sequence[Definition]) -> tuple[str, ...]:
    """The variable of a prime by custom, x of y = A e^(kx), where there are other letters as well."""
    named = {x for piece in question.given for x in _letters(piece.text)}
    within = reached(named, defined)
    own = [d for d in defined if d.name in within]
    texts = [piece.text for piece in (*question.given, *(d.given for d in own))]
    formulas = [d.name for d in own if not _is_value(d.whole.text)]
    usual = customary(texts, [d.name for d in own], formulas)
    return tuple(x for x in usual if letters(" ; ".join(texts), x) != {x})


def refuse_open_call(piece: Piece, formulas: Collection[str]) -> None:
    """Raise `Unclear` for y(x + 1) where y is one of some formulas: a value of y, or a product."""
    call = _OPEN_CALL.search(piece.text) if "y" in formulas else None
    if call is not None:
        hint = f"write y*({call[1]}), or define y(x) = ... for the value"
        raise Unclear(f"y({call[1]}) may be a product, or a value of y", _moved(call.span(), piece.offset), hint, source=piece.source)  # fmt: skip


_OPEN_CALL = pattern(rf"(?<!{phrases.IN_NAME})y\s*\((?!\s*x\s*\))([^()]*(?<!{phrases.IN_NAME})x(?!\w)[^()]*)\)")  # fmt: skip


def _placed_by(
    question: Question, defined: Sequence[Definition], beside: Sequence[Piece], letters: Set[str], stay: Set[str | None]
) -> tuple[Question, Set[str]]:  # fmt: skip
    """A question at the place that numbers among definitions make, and the names that stay as they are for that."""
    numbers = [d for d in defined if _is_value(d.whole.text)]
    given = _values_in(question.at) if question.at else []
    inner = next((d for d in defined if d.name in question.wrt and not d.parameters), None)  # fmt: skip
    if inner and given and letters.isdisjoint(d.name for d in given):
        # of y = u^3, dy/du at x = 1
        known = {d.name: d for d in (*defined, *given)}
        at = f"{inner.name}={_in_full(inner.given.text, known, None)}"
        return question._replace(at=Piece(at, at, 0)), set()
    if question.at is not None:  # a = 3; tangent at a
        *head, value = question.at.text.rpartition("=")
        number = next((d for d in numbers if d.name == value.strip()), None)
        text = "".join(head) + number.given.text if number else question.at.text
        return question._replace(at=question.at._replace(text=text)), set()
    fixed = {"t", "θ", "theta"} & letters if question.kind == "parametric" and question.order else set()  # fmt: skip
    stay = stay | fixed
    is_placed = any(d.name in stay or letters == {d.name} for d in numbers)
    # of C = S*d with d = S/K, a number for K is a part of the place as well
    within = stay | reached(letters, defined)
    places = [d.whole.text for d in numbers if is_placed and d.name in within]
    places += [piece.text for piece in beside if not _values_in(piece)]  # at 3
    answers = [_letters(piece.text) for piece in question.claims]
    is_formula = answers and all(not stay.isdisjoint(own) for own in answers)
    if not places or is_formula or not question.order:
        return question, fixed
    placed = question._replace(at=Piece(text := ", ".join(places), text, 0))
    return placed, fixed | {d.name for d in numbers}


def _values_in(piece: Piece) -> list[Definition]:
    """The values in a point, x=3 and y=4, as definitions; none of a number alone."""
    wholes = [Piece(text.strip(), text.strip(), 0, piece.latex) for text in re.split(r",|\sand\s", piece.text)]  # fmt: skip
    are_values = all(_is_value(whole.text) for whole in wholes)
    return [Definition(w, w.text.partition("=")[0].strip(), (), w._replace(text=w.text.partition("=")[2])) for w in wholes if are_values]  # fmt: skip


def reached(letters: Set[str], defined: Collection[Definition]) -> set[str]:
    """Some letters, and those that the formulas in their places are made of."""
    found, before = {*letters}, set[str]()
    while found != before:
        before = {*found}
        for own in (own for own in defined if own.name in found):
            found |= {*_letters(own.given.text), *own.parameters}
    return found


def _hold(pieces: Iterable[Piece], names: Iterable[str]) -> bool:
    r"""Return whether one of some names may stand in a piece: f in f(x), and not in \frac."""
    texts = [piece.text for piece in pieces]
    bare = [re.sub(r"\\[^\W\d_]+", " ", text) for text in texts]
    return any(n[0] in text for n in names for text in (bare if len(n) == 1 else texts))


_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def _plain(piece: Piece, known: Mapping[str, Definition]) -> Piece:
    """A piece in plain text, where what is `known` stands by its name; of LaTeX that cannot be read, the piece."""
    if not piece.latex:
        return piece._replace(text=piece.text.translate(_LOWERED))
    products = frozenset(name for name, d in known.items() if not d.parameters)
    root = _value_of(piece, naming.Defined(frozenset(known), frozenset(), products))
    return piece if root is None else Piece(text := to_text(root), text, 0)


def _without_primes(text: str, known: Mapping[str, Definition]) -> str:
    """A text with d/dt (5t^2) for s', s'(t) and ds/dt, where s(t) = 5t^2: the velocity in v(t) = s'(t)."""

    def written(found: re.Match[str]) -> str:
        own = known.get(found["primed"] or found["name"])
        if own is None or own.given.latex or _stands_for_itself(own):
            return found[0]
        own = _in_its_letters(own, known)
        names = own.parameters
        x = found["x"] or found["argument"] or (names[0] if len(names) == 1 else "")
        is_renamed = x not in names and names != ()
        is_partial = "∂" in found[0] and names != (x,)
        if not x or x in known or is_partial or (is_renamed and (found["x"] or len(names) > 1)):  # fmt: skip
            return found[0]
        body = _call(own, f"({x})", 0)[0] if is_renamed else f"({own.given.text})"
        order = len(found["primes"] or "") or int((found["order"] or "1").lstrip("^"))
        power = f"^{order}" if order > 1 else ""
        # f f' is a product: without a sign, f would be called
        before = re.search(rf"{phrases.NAME}(?=\s*\Z)", text[: found.start()])
        sign = "*" if before and before[0] in known else ""
        return f"{sign}(d{power}/d{x}{power} {body})"

    return _DERIVED.sub(written, text)


def _in_its_letters(own: Definition, known: Mapping[str, Definition]) -> Definition:
    """A formula without derivatives, as a function of the letters that are left in it when all others are written out."""
    within = reached({own.name}, known.values()) - {own.name}
    return _lettered(own, tuple(d for name, d in known.items() if name in within))


# c = b' + x*b, b = a' + x*a, ...: each is asked for by all behind it, in every round
@functools.lru_cache(100)
def _lettered(own: Definition, others: tuple[Definition, ...]) -> Definition:
    if own.parameters or own.given.latex:
        return own
    text = _in_full(own.given.text, {d.name: d for d in others}, None)
    return own._replace(given=Piece(text, text, 0), parameters=tuple(letters(text, None)))  # fmt: skip


_DERIVED = pattern(
    rf"(?<!{phrases.IN_NAME})(?:(?P<primed>{phrases.NAME})(?P<primes>['’′]+)"
    rf"(?:\s*\(\s*(?P<argument>{phrases.NAME})\s*\))?(?!\s*\()|[d∂](?P<order>\^[2-9])?(?P<name>{phrases.NAME})\s*/\s*[d∂](?P<x>[^\W\d_])(?:(?P=order)|(?:∂(?P=x))*)(?!\w|\^|∂))"
)
"""A derivative of a function by its name: f'', f'(x), df/dx, d^2f/dx^2."""


def _in_full(text: str, known: Mapping[str, Definition], bare: str | None) -> str:
    """A text without the names of others; as it is where these go round in a circle.

    Functions may stand `bare`, fg for f(x)*g(x): if each has one variable they are of that one, whose name may be
    empty, as in (fg)'.
    """
    first = text
    values = {name: f"({d.given.text})" for name, d in known.items() if not d.parameters}  # fmt: skip
    lists = [d.parameters for d in known.values() if d.parameters]
    own = (bare,) if len({*lists}) > 1 and bare else next(iter(lists), ())
    is_same = len({*map(len, lists), len(own)}) == 1
    is_bare = bare is not None and is_same and (len({*lists}) < 2 or {*sum(lists, ())}.isdisjoint(known))  # fmt: skip
    if is_bare:
        inside = f"({', '.join(own)})"
        for name, d in known.items():
            if _stands_for_itself(d):
                values[name] = f"{name}{inside}"
            elif d.parameters:
                values[name] = f"({d.given.text})" if d.parameters == own else _call(d, inside, 0)[0]  # fmt: skip
    for _ in range(MOST_ROUNDS):
        before, text = text, _without_primes(text, known)
        letters = factors(text, known)
        end, parts = 0, []
        for found in _WORD.finditer(text):
            if found.start() < end:
                continue  # in the brackets of a call
            word, head = found[0], ""
            power = _RAISED_CALL.match(text, found.end())
            is_call = power is not None or text[found.end() :].lstrip()[:1] in CALLING
            if is_call and word not in known and word[-1] in known and letters.issuperset(word):  # fmt: skip
                # of af(x), the brackets are those of f
                word, head = word[-1], f"{_factors_of(word[:-1], values, letters)}*"
            called = known.get(word)
            at, is_f = phrases.PLACED.match(text, found.end()), word in CALLED
            if called is not None and (at or (is_f and is_call)):
                its = _in_its_letters(called, known)  # of y = x^2, y(3) is 9
                is_own = is_f or (at and at[1] in (None, *its.parameters))
                called = its if is_own and len(its.parameters) == 1 else called
            if called is not None and called.parameters and (is_call or not is_bare):
                value, behind = _call(called, text, (power or found).end())
                if power is not None and value != called.name:  # f^2(x) is f(x)^2
                    value += power[0]
                if _stands_for_itself(called):
                    value = text[found.end() - len(word) : behind]
            else:
                value, behind = _factors_of(word, values, letters), found.end()
            parts += [text[end : found.start()], head, value]
            end = behind
        text = "".join([*parts, text[end:]])
        if text == before:
            return text
        # f(x) = f(x) + f(x) doubles with every round
        if len(text) > phrases.LONGEST:
            break
    return first


def _stands_for_itself(definition: Definition) -> bool:
    """Return whether a function is known by its name alone, as the ones of a session are."""
    return bool(definition.parameters) and definition.given == definition.whole


_CALLING = ("(", "[")
_RAISED_CALL = pattern(r"\s*(?:\^\s*(?:[2-9]|\{\s*[2-9]\s*\})|[²³⁴-⁹])(?=\s*\()")
"""The power between the name of a function and its brackets."""

_WORD = pattern(rf"(?<!{phrases.IN_NAME})(?>{phrases.NAME})(?!\s*['’′])")


def _factors_of(word: str, values: Mapping[str, str], letters: Set[str]) -> str:
    """A name with its value in its place, also where it is glued to others: of ue^u the u and the e."""
    if word in values:
        return values[word]
    if len(word) > 1 and set(word) <= letters:
        return "*".join(values.get(letter, letter) for letter in word)
    return word


def _call(definition: Definition, text: str, end: int) -> tuple[str, int]:
    """Return what stands for a call of a function whose name ends there, and where that ends; the name if it is called otherwise."""
    behind = closing(text, end) if text[end:].lstrip()[:1] in CALLING else None
    inside = text[end:behind].strip()[1:-1]
    values = [inside[slice(*span)].strip() for span in parted(inside)]
    if behind is None or len(values) != len(definition.parameters):
        return definition.name, end
    own = dict(zip(definition.parameters, (f"({value})" for value in values), strict=True))  # fmt: skip
    body = definition.given.text
    letters = factors(body, definition.parameters)
    return f"({_WORD.sub(lambda m: _factors_of(m[0], own, letters), body)})", behind


_LETTER = r"[^\W\d_⁰¹²³⁴-⁹]"
_REMARK = pattern(rf"(?<=\s)\((?=[^()]*{_LETTER}{{3}})(?=[^()]*{_LETTER}\s+{_LETTER})\s*({_LETTER}{{2,}})(?:[\s,.]+{_LETTER}{{2,}})+\.?\s*\)")  # fmt: skip
_WITH_HEAD = rf"{_NAME}\s*\(\s*\w\s*\)\s*=.*['’′/]|(?:the|its)\s+(?:\w+\s+)?(?:derivative|slope)\b"
_IN_SIGNS = rf"[d∂]\w*\s*/\s*[d∂]|y\s*=.*['’′/]|\(.*\)\s*['’′]|{_WITH_HEAD}"
_COMMENT = pattern(rf"#[^\n]*|\A\s*(?i:(?:question|problem|exercise|task|aufgabe|ejercicio|exercice|ex|q|no)\.?\s*\d+[a-z]?\s*[.:)]|(?:answer|ans|solution|claim|(?-i:[AQ]))\s*:)\s+(?=\S)|\A\s*(?:\((?:[a-h]|i+v?)\)|(?:[a-h]|\d+(?:\.\d+)*[a-h]?)[.)]|\*)\s+(?={_IN_SIGNS})|\A\s*(?:[-−–—]|\d+(?:\.\d+)*)\s+(?={_WITH_HEAD})")  # fmt: skip
"""A comment, and the number of a problem, or its bullet: (a) d/dx x^2, 1) y = x^2; y' = 2x, - f(x) = x^2; f'(x) = 2x."""
_RIGHT = pattern(r"\\(?:right|[bB]igg?r?)\s*$")
_GREEK = pattern(rf"(?:(?<=,)|\A)\s*\\(?:var)?({'|'.join(SPELT)})\s*(?=,|\Z)")
_DOT = pattern(r"\\left\s*\.\s*\Z")
_BLANK = dict.fromkeys(map(ord, "\u200b\ufeff\u00a0"), " ")


def is_tex(source: str) -> bool:
    """Return whether a text is LaTeX, or has formulas of LaTeX in it."""
    if assumed():
        return is_latex(source)
    return "\\" in source or ("$" in source and is_latex(source))


@functools.cache
def _compiled(pattern: str, any_case: bool = False) -> re.Pattern[str]:
    """The regular expression of a notation: `re` takes longer to find its own than most take to fail."""
    return re.compile(pattern, re.DOTALL | (re.IGNORECASE if any_case else 0))


class _Reader:
    """Goes through the statements of a text."""

    def __init__(self, source: str, scope: Scope, latex: bool) -> None:
        self.source, self.latex = source, latex
        self.starts, self.ends = dict[int, int](), dict[int, int]()
        if latex:
            from exprgrad.language.latex.plain import plain

            text, self.starts, self.ends = plain(source, scope.macros)
        else:
            text = leibniz.usual(characters.plain(source).translate(_BLANK), ())
        text = _COMMENT.sub(lambda m: " " * len(m[0]), text)
        # what begins with a function is no remark
        self.text = _REMARK.sub(lambda m: m[0] if is_function(m[1].lower(), called=False) else " " * len(m[0]), text)  # fmt: skip
        self.scope, self.known = scope, dict(scope.definitions)
        self.found: list[Said] = []
        self.place: tuple[Piece, int] | None = None

    def piece(self, span: Span) -> Piece:
        """The part of the source that a span of the text stands for, without blanks around it."""
        start, end = _trimmed(self.text, span, "")
        start, end = self.starts.get(start, start), self.ends.get(end, end)
        if not self.latex and self.text[start - 1 : start] == " " and self.source[start - 1] in "([":  # fmt: skip
            start -= 1  # of (d/dx)
        text = self.source[start:end]
        if self.latex and text.count("\\right") > text.count("\\left"):
            before = _DOT.search(self.source[max(start - 12, 0) : start])
            start -= len(before[0]) if before is not None else 0
        return Piece(self.source[start:end], self.source, start, self.latex)

    def _inside(self, brackets: Span) -> Piece:
        r"""Return what stands in brackets, without the sign of their size: of \left(x\right) the x."""
        piece = self.piece((brackets[0] + 1, brackets[1] - 1))
        text = _GREEK.sub(r"\1", _RIGHT.sub("", piece.text))
        return piece._replace(text=text)

    def bare(self, span: Span) -> Span:
        r"""A statement without the words around it: then, we have, right?; and without the braces of \boxed{y = x^2}."""
        lead = _LEADS.match(self.text, *span)
        tag = _TAG.search(self.text, lead.end() if lead else span[0], span[1])
        span = lead.end() if lead else span[0], tag.start() if tag else span[1]
        start, end = _trimmed(self.text, span)
        is_boxed = self.latex and self.text[start:end][:1] == "{" and closing(self.text, start) == end  # fmt: skip
        if is_boxed and any(_equals(self.text[start + 1 : end - 1])):
            return start + 1, end - 1
        return span

    def read(self, span: Span) -> None:
        """Read a statement, and join it to those before it where it is about them."""
        start, end = self.bare(span)
        placed = PLACED_FIRST.match(self.text, start, end)
        if placed is not None and placed.end() < end:
            self.place = self.piece(placed.span("place")), placed.end()
            self.read((placed.end(), end))
            return
        reordered = _ON_CURVE.fullmatch(self.text, start, end)
        curve = self.piece(reordered.span("curve")).text if reordered else ""
        # behind y = x^3, y' y = 3x^5 is an equation
        if reordered is not None and not (_is_value(curve) or (reordered["curve_word"].isspace() and curve.partition("=")[0].strip() in self.known)):  # fmt: skip
            self.read(reordered.span("curve"))
            self.read((reordered.start("slope"), reordered.start("curve_word")))
            return
        before = self.found[-1] if self.found else None
        is_asked = isinstance(before, Question) and not before.claims
        is_answer = _ANSWER.match(self.text, *span) and "=" not in self.text[start:end]
        if isinstance(before, Question) and is_asked and (before.kind not in _OWN or is_answer):  # fmt: skip
            self.found[-1] = before._replace(claims=(self.piece((start, end)),))
            return
        found: Said
        function = phrases.arrow(self.text[start:end])
        also = _ALSO.fullmatch(self.text, start, end)
        is_named = also is not None and not is_function(also["called"], called=True)
        inner = self._statement(*also.span("definition")) if also and is_named else None
        if function is not None and function.name:  # f = lambda x: x^2
            names = tuple(map(str.strip, function.parameters.split(",")))
            given = self.piece((start + function.end, end))
            found = Definition(self.piece(span), function.name, names, given)
        elif also is not None and isinstance(inner, Definition):
            self.known[inner.name] = inner
            self.found.append(inner)
            found = inner._replace(whole=self.piece(span), name=inputs.normal(also["name"]), parameters=())  # fmt: skip
        else:
            found = self._placed(self._of_kind(start, end) or self._statement(start, end), start)  # fmt: skip
        if isinstance(found, Definition):
            self.known[found.name] = found
        elif found.name is not None and found.kind == "derivative":
            found = self._about_curve(found)
        if isinstance(found, Question) and isinstance(before, Question) and is_asked and found.claims:  # fmt: skip
            again = before.joined(found)
            if again is not None:  # find y'; y' = 2x
                self.found.pop()
                found = again._replace(claims=found.claims)
        self.found.append(found)
        if isinstance(found, Question) and found.kind == "derivative" and not found.at:
            named = _NAMED.fullmatch(self.text[start : found.asked.offset])
            names = inputs.listed(named[2]) if named and named[2] else ()
            if named and (names or not found.argument):  # m = f'(3) is a number
                name = inputs.normal(named[1])
                self.known[name] = Definition(found.whole, name, names, found.asked)
                self.found.append(self.known[name])

    def _placed(self, found: Said, start: int) -> Said:
        """What a statement says at the place that its sentence begins with: y = 4 is a value there, and defines nothing."""
        place, since = self.place or (None, start)
        if place is None or _STOP.search(self.text, since, start) or found.at:
            return found
        if isinstance(found, Question):
            is_placed = found.argument and _is_value(f"x = {found.argument.text[1:-1]}")
            return found if is_placed else found._replace(at=place)
        value = Question("expression", found.whole, (found.given,), order=0, at=place)
        return value if _is_value(f"{found.name} = {found.given.text}") else found

    # Questions of other kinds than a derivative

    def _of_kind(self, start: int, end: int) -> Question | None:
        text = self.text[start:end]
        begins, notations = _kinds(self.scope.kinds)
        if begins.match(text) is None:
            return None
        head = _HEAD_BEHIND.search(text)
        # behind f(x, y) = x^2*y, the gradient of f = (2xy, x^2) is a claim
        name = head[0].partition("(")[0].strip(" =") if head else ""
        if head and name in self.known and text[head.end() :].lstrip()[:1] in {*"(["}:
            head = None
        names = re.search(r"\(([^()]+)\)", head[0]) if head else None
        parameters = () if names is None else inputs.listed(names[1])
        text = text.rstrip(" \t\r\n.,?")
        text = _HEAD_BEHIND.sub(lambda m: " " * len(m[0]), text) if head else text
        cut, claim = _cut(text, self.scope.is_asking)
        asked, places = _placed(text[:cut])
        last = self._last()
        for notation in notations:
            fits = _compiled(notation.pattern, True).fullmatch
            bare = fits(f"{asked.strip()} of {last}") if last else None
            is_bare = bare is not None and bare["of"] == last
            match = bare if is_bare else fits(asked.strip())
            is_curve = match is not None and not is_bare and re.fullmatch(r"(?!y\s*=.*y).*[^=<>]=[^=].*", match["of"]) and "y" in _letters(match["of"])  # fmt: skip
            is_said = {"directional": "along" in places, "derivative": is_bare or is_curve}  # fmt: skip
            if match is None or not is_said.get(notation.kind, True):
                continue
            shift = start + len(asked) - len(asked.lstrip())
            if notation.kind == "derivative" and is_curve:
                self.read(_moved(match.span("of"), shift))
                last, is_bare = self._last(), True
            groups = match.groupdict()
            pieces = {n: self.piece(_moved(at, start)) for n, at in places.items()}
            wrt = (inputs.normal(groups["wrt"]),) if groups.get("wrt") else ()
            typed = (groups.get("order") or ("1" if notation.kind == "derivative" else "0")).lower()  # fmt: skip
            order = phrases.ORDINALS.get(typed) or int(typed.rstrip("dhnrst"))
            claim = _ANSWER_HEAD.match(text, claim).end()  # type: ignore[union-attr]
            answer = self.piece((start + claim, start + len(text)))
            answer = answer._replace(text=_MARKS.sub(lambda m: ("(" if m[1] else ")" if m[2] else "").ljust(len(m[0])), answer.text))  # fmt: skip
            claims = (answer,) if claim < len(text) else ()
            question = Question(notation.kind, self.piece((start, start + cut)), (), claims, wrt, order, pieces.get("at"), pieces.get("along"), parameters=parameters)  # fmt: skip
            if not is_bare:
                return self._resolved(question, _moved(match.span("of"), shift))
            if last in self.known:
                return self._about(question, last)
            if question.kind == "derivative":
                return self._about_curve(question._replace(name="y", wrt=("x",)))
            self.found = [item for item in self.found if item.whole.text not in last]
            return question._replace(given=(Piece(last, last, 0),))
        return None

    def _last(self) -> str:
        """The name of the function, or the curve, that was given last: f of f(x) = x^2; tangent at 3."""
        # y' = 2x says something of y, and gives nothing new
        every = [d for d in (*self.scope.before, *self.found) if getattr(d, "kind", "") != "derivative" or not d.name]  # fmt: skip
        given = [d for d in every if getattr(d, "is_curve", False) or not _is_value(d.whole.text)]  # fmt: skip
        own = {d.name: d.whole.text for d in given[-2:] if isinstance(d, Definition)}
        if not given or own.keys() >= {"x", "y"}:  # x = cos t, y = sin t
            return f"{own['x']}, {own['y']}" if own else ""
        last, whole = given[-1], given[-1].whole.text
        if isinstance(last, Definition):
            return whole if last.is_curve or (last.name == "x" and "y" in _letters(last.given.text)) else last.name  # fmt: skip
        return whole if last.kind == "equation" and "y" in _letters(whole) else ""

    def _resolved(self, question: Question, of: Span) -> Question:
        """A question about a text, or about the function that the text names: f, f(x); of another kind also f(1, 2)."""
        text = self.text[slice(*of)].strip()
        named = re.fullmatch(rf"\(?({_NAME})\s*(\([^()]*\))?\)?", text)
        definition = self.known.get(named[1]) if named else None
        is_named = question.kind == "derivative" and text in ("yfgFG" if question.wrt else "fgFG")  # fmt: skip
        if definition is None and text and is_named and text not in question.wrt:
            return question._replace(name=text)  # d/dx y, where y is not defined
        if definition is None or named is None or named[1] in question.wrt:
            return question._replace(given=(self.piece(of),))
        if named[2] and inputs.listed(named[2][1:-1]) != definition.parameters:
            if question.kind == "derivative" and _is_value(f"x = {named[2][1:-1]}"):
                raise of_value(question.asked.text, named[1] + named[2], definition.parameters, question.asked.span)  # fmt: skip
            if question.kind == "derivative":
                return question._replace(given=(self.piece(of),))
            question = question._replace(argument=self.piece((self.text.index("(", of[0]), of[1])))  # fmt: skip
        return self._about(question, definition.name)

    # Derivatives, definitions, equations and expressions

    def _statement(self, start: int, end: int) -> Said:
        text = self.text[start:end]
        own = {d.name for d in self.found if isinstance(d, Definition)}
        known: Set[str] = own
        for sign in _CONNECTIVE.finditer(text):  # d/dx x^2 is 2x; y = x^2; y': 2x
            head = phrases.read(text[: sign.start()])
            left = head.text.lstrip()
            if any(_equals(left)) or sum(map(nesting, left)) != 0:
                continue
            asked = self._derivative(left, start + sign.start() - len(left), head)
            if asked is not None and (asked.given or self.found or sign[0] != ":"):
                text, known = phrases.replaced(text, sign, "="), self.known.keys()
                break
        words = phrases.read(text, known)
        text = _EQUALS.sub(lambda m: "=".ljust(len(m[0])), words.text)
        point = self.piece(_moved(words.place, start)) if words.place else None
        sides = between_equals(text)
        if len(sides) == 2 and text[slice(*sides[1])][:1] == phrases.DERIVATIVE:
            sides.reverse()  # 2x is the derivative of x^2
        first = text[slice(*sides[0])]
        question = self._derivative(first, start + sides[0][0], words)
        claims = tuple(self.piece(_moved(side, start)) for side in sides[1:])
        claims = claims[:-1] if claims and not claims[-1].text else claims
        named = re.fullmatch(rf"\s*{_NAME}\s*(?:\(\s*\w\s*\)\s*)?", first)
        while len(claims) > 1 and (question or named):
            again = self._derivative(text[slice(*sides[1])], start + sides[1][0], words)
            joined = question.joined(again) if question and again else again
            if joined is None:
                break
            question, claims, sides = joined, claims[1:], sides[1:]
        empty = next((claim for claim in claims if not claim.text), None)
        if empty is not None or (claims and first.strip() == phrases.DERIVATIVE):
            place = empty.span if empty is not None else claims[0].span
            raise ExpressionSyntaxError("something is missing before this", (place[0], place[0] + 1), FORMS)  # fmt: skip
        if question is not None and (claims or not _POWER_OF_D.match(first)):
            return question._replace(claims=claims, at=question.at or point)
        if claims:
            definition = self._definition(first, start, sides, claims)
            if definition is not None:
                return definition._replace(at=point)
            self._refuse_equation(first, text, _moved(sides[0], start), start)
        kind = "equation" if claims else "expression"
        if len(claims) == 1 and not first:  # = x^2, as in a cell
            kind, sides, claims = "expression", sides[1:], ()
        span = _moved(sides[0], start)
        whole = self.piece(span)
        wrt = (words.variable,) if words.variable else ()
        question = Question(kind, whole, (whole,), claims, wrt, 0, point)
        if kind == "expression" and first.partition("(")[0] in own and "(" in first:
            return self._resolved(question, span)  # f(x) = x^2; f(3)
        return question

    def _refuse_equation(self, first: str, text: str, span: Span, start: int) -> None:
        """Raise `ExpressionSyntaxError` for a differential equation, and for an expansion with its remainder."""
        ratio = re.match(rf"{_RATIO}\s*[-+−*/^·×÷]|[^=]*?[\w)]\s*{_RATIO.replace('name', 'other').replace('by', 'within')}", first)  # fmt: skip
        if ratio and any(inputs.normal(m["name"]) not in self.known for m in re.finditer(_RATIO, first)):  # fmt: skip
            hint = f"a derivative stands alone: y = x^2; {ratio['by'] or 'dy/dx'} = 2x"
            raise ExpressionSyntaxError("differential equations are not read", span, hint)  # fmt: skip
        if left_out := re.search(_REMAINDER, text):
            place = _moved(left_out.span(), start)
            hint = "ask for the polynomial: Taylor polynomial of order 2 of e^x at 0: 1 + x + x^2/2"
            raise ExpressionSyntaxError("this says what is left out", place, hint)

    def _derivative(self, text: str, start: int, words: Phrases) -> Question | None:
        """The derivative that a side asks for, if it is in a notation for one."""
        text = text.rstrip()
        for notation in NOTATIONS:
            match = _compiled(notation.pattern).fullmatch(text)
            if match is not None:
                found = self._asked(notation, match, start, words)
                if found is not None:
                    return found
        return None

    def _asked(
        self, notation: Notation, match: re.Match[str], start: int, words: Phrases
    ) -> Question | None:
        """The question of a match; None where the text is not what the notation takes."""
        groups = {name: text for name, text in match.groupdict().items() if text}
        span = {name: _moved(match.span(name), start) for name in groups}
        brackets = (span[name] for name in ("args", "group", "call") if name in span)
        if any(closing(self.text, first) != end for first, end in brackets):
            return None
        whole = self.piece((start, start + match.end()))
        wrt: tuple[str, ...] = (words.variable,) if words.variable else ()
        question = Question("derivative", whole, (), wrt=wrt, order=words.order)
        if "by" in groups:
            name, wrt = leibniz.read(re.sub(r"[\s{}]", "", groups["by"]), span["by"])
            question = question._replace(wrt=wrt, order=len(wrt))
        elif "wrt" in groups:
            wrt = (inputs.normal(groups["wrt"].replace(" ", "")),)
            order = leibniz.order_of(groups.get("order")) if notation.kind != "partial" else 1  # fmt: skip
            question = question._replace(wrt=wrt * order, order=order)
        elif "order" in groups:
            order = leibniz.checked_order(groups["order"], span["order"])
            question = question._replace(order=order)
        if "primes" in groups:
            order = sum(_SEVERAL.get(sign, 1) for sign in groups["primes"])
            question = question._replace(order=leibniz.check_order(order, span["primes"]))  # fmt: skip
        if "args" in groups:
            inside = self._inside(span["args"])
            if inside.text[-1:] in {*"+-−⁺⁻"}:
                refuse_strange(self.source, ())
            question = question._replace(argument=inside._replace(text=f"({inside.text})", offset=inside.offset - 1))  # fmt: skip
        if "call" in groups:
            return self._call(question, span["call"])
        if "difference" in groups:
            return self._limit(question, groups["step"], groups["to"], span["difference"])  # fmt: skip
        if "group" in groups:
            if question.argument is not None:  # (x^2)'(3)
                question = question._replace(at=self._inside(span["args"]), argument=None)  # fmt: skip
            return question._replace(given=(self.piece(span["group"]),))
        if "known" in groups:  # Df, of a function that is
            name = inputs.normal(groups["known"])
            return self._about(question, name) if name in self.known or of_one_number(name) else None  # fmt: skip
        if notation.kind == "partial":
            return self._partial(question, groups["name"], groups["wrt"])
        if "of" in groups:
            if {"by", "order"} & groups.keys() and "name" not in groups and not self.scope.is_widest and not is_whole(self.text, span["of"], question.wrt):  # fmt: skip
                return None
            if "name" in groups and inputs.normal(groups["name"]) in self.known:
                return None
            for place in outside(self.text[slice(*span["of"])], _PRIME_SIGNS):
                message = "a prime cannot stand here"
                hint = "put the function in brackets, (x^2)', or give it a name, f'(x)"
                prime = _moved((place, place + 1), span["of"][0])
                raise ExpressionSyntaxError(message, prime, hint, source=self.source)
            return self._resolved(question, span["of"])
        return self._about(question, inputs.normal(groups["name"]))

    def _limit(
        self, question: Question, step: str, to: str, brackets: Span
    ) -> Question | None:
        """The derivative as the limit of (f(x + h) - f(x))/h, of (f(3 + h) - 9)/h or of (f(x) - 9)/(x - 3)."""
        start, end = brackets[0] + 1, brackets[1] - 1
        for sign in outside(self.text[start:end], "-"):
            of = start + sign + 1, end
            both = self.piece((start, start + sign)), self.piece(of)
            first, second = (piece._replace(text=_in_full(piece.text, self.known, None)) for piece in both)  # fmt: skip
            at = Piece(f"{step}={to}", "", 0)
            shifted, place, value = map(_value_of, (first, at._replace(text=to), second))  # fmt: skip
            name = _shifted_by(step, shifted, value) if to == "0" else None
            if name is not None:
                return self._resolved(question._replace(wrt=(name,)), of)
            if shifted is None or place is None or value is None:
                continue
            own = {leaf.name for leaf in topological(shifted) if is_variable(leaf)}
            if own == {step} and lies_on(shifted, place, value):
                return question._replace(wrt=(step,), given=(first,), at=at)
        return None

    def _about(self, question: Question, name: str) -> Question:
        """A question about the function of that name."""
        definition = self.known.get(name)
        inside = question.argument.text[1:-1].strip() if question.argument else ""
        if definition is None and of_one_number(name):
            x = inside if inside.isidentifier() and inside not in CONSTANTS else "x"
            own = Piece(f"{name}({x})", f"{name}({x})", 0)
            return question._replace(name=name, given=(own,), parameters=(x,))
        if definition is None:
            return question._replace(name=name)
        if not definition.parameters and inside not in {*self.known, *CONSTANTS} and any(inside in _letters(d.given.text) for d in self.known.values()):  # fmt: skip
            question = question._replace(argument=None, wrt=(inside,))  # y = x^2; y'(x)
        given, parameters = definition.given, definition.parameters
        is_other = inside.isidentifier() and inside not in {*self.known, *CONSTANTS, *_letters(given.text)}  # fmt: skip
        if is_other and len(parameters) == 1 and not (given.latex or _stands_for_itself(definition)):  # fmt: skip
            body = _call(definition, f"({inside})", 0)[0][1:-1]  # f(x) = x^2; f'(a)
            given, parameters = Piece(body, body, 0), (inside,)
        return question._replace(name=name, given=(given,), parameters=parameters)

    def known_by_now(self, item: Said) -> Said:
        """Return what was found, about a function that may have been defined behind it: dy/dx = 2x; y = x^2."""
        if isinstance(item, Definition) or item.given or item.name not in self.known:
            return item
        return self._about_curve(self._about(item, item.name))

    def _partial(self, question: Question, name: str, below: str) -> Question | None:
        """The partial derivative f_xy of a function that is defined."""
        definition = self.known.get(name)
        if definition is None:
            return None
        own = definition.parameters or _letters(definition.given.text)
        words = ([word] if word in own else word for word in below.split())
        wrt = tuple(x for letters in words for x in letters)
        if not set(wrt) <= set(own) and own != {name}:  # a formula of a session
            return None
        return self._about(question._replace(wrt=wrt, order=len(wrt)), name)

    def _call(self, question: Question, brackets: Span) -> Question | None:
        """Return what diff(f, x, 2), diff(f, x$2), D[f, {x, 2}], diff(f, x, y) and diff(f, 2) ask for."""
        first = brackets[0] + 1
        inside = self.text[first : brackets[1] - 1]
        parts = [_moved(part, first) for part in parted(inside)]
        operator, name = question.asked.text[:2].rstrip("( "), inside.strip()
        is_own = "D" in self.known or (name.isidentifier() and name not in self.known)
        if len(parts) == 1 and (operator == "d" or (operator == "D" and is_own)):
            return None  # d(x^2) may be a product, D(t) = 3t is a definition
        if len(parts) == 3 and self.text[slice(*parts[1])].strip().isdecimal():
            parts[1:] = parts[2], parts[1]  # diff(f, 2, x)
        names: list[str] = []
        order, before = question.order, "x"
        for span in parts[1:]:
            word = self.text[slice(*span)].strip()
            times = re.fullmatch(r"[{(]\s*(\w+)\s*,\s*([0-9]+)\s*[})]|(\w+)\s*\$\s*([0-9]+)", word)  # fmt: skip
            if times is not None:
                count = leibniz.checked_order(times[2] or times[4], span)
                names += [times[1] or times[3]] * count
            elif word.isidentifier():
                names.append(word)
            elif word.isdecimal() and before.isidentifier() and (names or len(parts) == 2):  # fmt: skip
                order = leibniz.checked_order(word, span)
                names += names[-1:] * (order - 1)
            else:
                message = "the variable is not clear here"
                raise ExpressionSyntaxError(message, brackets, "write diff(f, x)")
            before = word
        wrt = tuple(map(inputs.normal, names)) or question.wrt
        count = leibniz.check_order(len(names) or order, brackets)
        return self._resolved(question._replace(wrt=wrt, order=count), parts[0])

    def _definition(
        self, first: str, start: int, sides: Sequence[Span], claims: Sequence[Piece]
    ) -> Definition | None:
        """The definition that an equation is: y = x^2, f(x) = x^2; None for sin(2x) = ..., x(x+1) = ... ."""
        head = re.fullmatch(rf"({_NAME})\s*(?:[(\[{{]([^()=]*)[)\]}}])?", first.strip())
        if head is None:
            return None
        if not head[1].isascii():
            refuse_strange(self.source, ())
        names = tuple(inputs.normal(n.strip().rstrip("_")) for n in head[2].split(",")) if head[2] else ()  # fmt: skip
        called = is_function(head[1], called=True)
        if head[2] is not None and (called or not all(map(str.isidentifier, names))):
            return None
        if len(claims) > 1:
            second = self.text.rfind("=", start, start + sides[2][0])
            message = "a definition has one '='"
            hint = "put a semicolon before what follows"
            raise ExpressionSyntaxError(message, (second, second + 1), hint)
        whole = self.piece((start + sides[0][0], start + sides[-1][1]))
        return Definition(whole, inputs.normal(head[1]), names, claims[0])

    # Curves

    def _about_curve(self, question: Question) -> Question:
        """The slope y' of the curve that was given before: by an equation, or by x and y in a parameter."""
        y, x = question.name or "", question.wrt[0] if question.wrt else ""
        if x and x == y:  # dx/dx is 1, whatever x is
            return question._replace(given=(Piece(x, x, 0),), name=None)
        own = {d.name: d for d in self.found if isinstance(d, Definition)}
        is_curve = x in own and y in own and not _is_value(own[x].whole.text)
        if is_curve and x not in _letters(own[y].given.text):
            self.found = [d for d in self.found if d not in (own[x], own[y])]
            return question._replace(kind="parametric", given=(own[x].given, own[y].given), wrt=(), name=None, parameters=(x, y))  # fmt: skip
        polar = own.get("r") if (x, y) == ("x", "y") and own.keys() == {"r"} else None
        angle = next((t for t in ("θ", "theta", "t") if polar and t in _letters(polar.given.text)), "")  # fmt: skip
        if polar and angle:  # r = 1 + cos θ
            texts = (f"({polar.given.text})*{f}({angle})" for f in ("cos", "sin"))
            self.found.remove(polar)
            return question._replace(kind="parametric", given=tuple(Piece(t, t, 0) for t in texts), wrt=(), name=None, parameters=(x, y))  # fmt: skip
        is_explicit = y in own and bool({x} & _letters(own[y].given.text))
        is_number = y in own and _is_value(own[y].whole.text)
        # the nearest one before: of two curves in a text, y' is about the second
        for i in reversed(range(len(self.found))):
            before = self.found[i]
            if isinstance(before, Definition):
                letters = _letters(before.whole.text)
                # in xy = 4 no name is defined, in loss = x^2 that of dloss/dx
                is_one = before.parameters or before.name in (y, before.name[0])
                within = _letters(before.given.text) if is_one else letters
                is_other = is_explicit and before.name != y and is_one
                if y not in within or (x and x not in letters) or is_other:
                    continue  # z = x^2 + y^2 is no curve where y = 3x
                curve = before.whole
            elif before.kind == "equation" and (is_number or not question.given):
                call = re.fullmatch(rf"({_NAME})\s*\(.*\)", before.asked.text)
                if call is not None and not (_OPEN_CALL.fullmatch(call[0]) or is_function(call[1], called=True)):  # fmt: skip
                    continue  # g(x) = ..., but not sin(y) = x, or y(x + 1) = x
                curve = before.whole
            else:
                continue
            del self.found[i]
            return question._replace(kind="implicit", given=(curve,), of=y, name=None)
        return question

    def of_inverse(self, question: Question) -> Question:
        """A question about the inverse f^-1 of a function as one about the curve f(y) = x; any other as it is."""
        named = _INVERSE.fullmatch(question.given[0].text) if question.given else None
        f = self.known.get(named["name"]) if named else None
        is_stated = f is not None and f.parameters and not _stands_for_itself(f)
        if f is not None and is_stated and question.kind == "equation":
            hint = f"check what it does: {f.name}({question.claims[0].text}) = {f.parameters[0]}"
            message = "the inverse function has no formula here"
            raise ExpressionSyntaxError(message, question.asked.span, hint)
        place = question.at or question.argument
        if f is None or len(f.parameters) != 1 or question.kind != "derivative":
            return question
        # y = f^-1(x) is the curve f(y) = x, whose slope 1/f'(y) is that of the inverse (inverse function theorem)
        x = next(filter(None, (*question.wrt, named and named["x"])), f.parameters[0])
        y = next(n for n in "yzuvw" if n not in {x, *_letters(f.given.text)})
        body = f"{f.name}({y})"
        if not _stands_for_itself(f):
            root = _value_of(f.given)
            if root is None:
                return question
            own = (leaf for leaf in topological(root) if is_variable(leaf) and leaf.name == f.parameters[0])  # fmt: skip
            body = to_text(replaced(root, {leaf: Value(None, y) for leaf in own}))
        curve = f"{body} = {x}"
        inside = place.text.strip("() ") if place else x
        at = None if inside == x else Piece(text := f"{x}={inside.rpartition('=')[2]}", text, 0)  # fmt: skip
        return question._replace(kind="implicit", given=(Piece(curve, curve, 0),), wrt=(x,), of=y, at=at, argument=None, name=None)  # fmt: skip


_INVERSE = pattern(rf"(?:\\left)?\(?\s*(?P<name>{_NAME})\s*(?:\^\s*[({{]?\s*[-−]\s*1\s*[)}}]?|⁻¹)\s*(?:\(\s*(?P<x>{_NAME})\s*\))?\s*(?:\\right)?\)?")  # fmt: skip
"""The inverse of a function: f^-1, f⁻¹(x), (f^{-1})."""

_OWN = ("derivative", "expression", "equation")


_TAG = pattern(r"(?<=[\w)\]}])(?:(?:\s*[,.]\s*|\s+)(?:right|correct|true|yes|true\s+or\s+false|QED|(?:by|using|via|from|with)\s+the\s+(?:\w+\s+)?\w+\s+rule|(?:power|product|quotient|chain|sum)\s+rule|for\s?all\s+[^\W\d_])|\s*[✓✔□■∎]|\s*[(\[]\s*[0-9]+\s*(?:points?|pts?|marks?)\s*[)\]]|(?<![0-9])\.{3}|\s*(?=\?!))[\s.?!]*\Z")  # fmt: skip
"""What asks whether a claim is right, behind it, or ends a proof; the rule that was used, and the points for it."""


def _value_of(piece: Piece, defined: naming.Defined = naming.NOTHING) -> Value | None:
    """A part of a text as a graph; None if it is no formula."""
    from exprgrad.language.latex import reader
    from exprgrad.language.parser import read as value

    try:
        if piece.latex:
            return reader.read(piece.text, defined=defined).sides[-1].root
        return value(piece.text, lenient=True).root
    except ExprgradError:
        return None


def _shifted_by(step: str, first: Value | None, second: Value | None) -> str | None:
    """The variable x of two formulas f(x + h) and f(x), where h is a step."""
    if first is None or second is None:
        return None
    h = Value(None, step)
    # The step is put in and the formulas are compared as they are written: none is simplified, so both orders are tried.
    for x in filter(is_variable, topological(second)):
        for total in (node(ADD, (x, h)), node(ADD, (h, x))):
            if to_text(replaced(second, {x: total})) == to_text(first):
                return x.name
    return None


def refusal(question: Question) -> ExpressionSyntaxError:
    """The error for a text that is no claim about a derivative, with its place."""
    asked = question.asked
    source, text = asked.source, asked.text
    refuse_strange(source, ())
    whole = question.whole.span
    before = len(source[: asked.offset].rstrip())
    behind = source[before - 1 : before] == "="
    head = re.fullmatch(rf"({_NAME})\s*\(([^()]*)\)", text) if question.claims else None
    if behind or not text or re.fullmatch(_BY, text):
        whole, hint = (before - 1, before) if behind else asked.span, FORMS
        message = "there is nothing to differentiate"
    elif head is not None and is_function(head[1], called=True):
        message, hint = f"{head[1]} is a function and cannot be defined", _HEADS
    elif head is not None:
        given, hint = shorten(head[2].strip()), _HEADS
        message = f"{given!r} cannot be a variable of {head[1]}"
    else:
        shown, hint = shorten(source[slice(*whole)]), FORMS
        message = f"{shown!r} does not say what to differentiate"
    return ExpressionSyntaxError(message, whole, hint, source=source)


def no_expression(question: Question) -> ExpressionSyntaxError:
    """The error for an equation in place of an expression, with the place of its sign, which may be a word."""
    source, end = question.asked.source, question.asked.span[1]
    sign = source[end : question.claims[0].span[0]].strip()
    place = source.index(sign, end)
    message, whole = f"'{sign}' does not belong in an expression", (place, place + len(sign))  # fmt: skip
    return ExpressionSyntaxError(message, whole, Hint("compare_or_give"), source=source)


def _refuse_brackets(text: str) -> None:
    """Raise `ExpressionSyntaxError` for a bracket that is not closed, or closes nothing."""
    opened, closing = brackets.unpaired(text)
    if closing:
        message, place = f"this {text[closing[0]]!r} closes nothing", closing[0]
        raise ExpressionSyntaxError(message, (place, place + 1), "open a bracket before it")  # fmt: skip
    if opened:
        sign, span = text[opened[-1]], (opened[-1], opened[-1] + 1)
        raise ExpressionSyntaxError(f"this {sign!r} is never closed", span, f"add {brackets.CLOSED_BY[sign]!r}")  # fmt: skip
    twice = re.search(_TWO_VALUES, text) if text.count("=") > 1 else None
    if twice is not None:  # x^2 x=3 x=4
        raise ExpressionSyntaxError(f"{twice[1]} has two values here", twice.span(), f"give one at a time: at {twice[1]}={twice[2]}")  # fmt: skip


_TWO_VALUES = rf"(?<=[\w)])(?<!\bare)\s+({phrases.NAME})\s*=\s*({phrases.NUMBER})[\s,]+\1\s*=\s*{phrases.NUMBER}\s*$"
_SEVERAL = {"″": 2, '"': 2, "‴": 3}


def _moved(span: Span, by: int) -> Span:
    """A span of a part of a text that begins there."""
    return span[0] + by, span[1] + by


def _letters(text: str) -> set[str]:
    """The names in a text, and the letters of which they may be products; functions and commands of LaTeX are none."""
    word = r"(?<!\\)(?<![^\W\d])(?!(?:if|for|and|or)\b)[^\W\d_]\w*"
    names = set(re.findall(word, text.translate(_LOWERED)))
    return names | {letter for name in names if not is_function(name, called=True) and {*name}.isdisjoint("_0123456789") for letter in name}  # fmt: skip


def _is_value(text: str) -> bool:
    r"""Return whether an equation gives a number to a name: x = 3, x = \frac12."""
    # `_letters` of pi are its p and its i as well, since it might be a product
    name, equals, number = text.replace("pi", "π").partition("=")
    return equals == "=" and name.strip().isidentifier() and _letters(number) <= {*CONSTANTS}  # fmt: skip


def between_equals(text: str) -> list[Span]:
    """The spans between the equals signs of a text."""
    return [_trimmed(text, (a + 1, b)) for a, b in pairwise([-1, *_equals(text), len(text)])]  # fmt: skip


def _trimmed(text: str, span: Span, marks: str = ",;?") -> Span:
    """A span without blanks around it, and without the punctuation at its end."""
    end = span[1]
    start = end - len(text[slice(*span)].lstrip())
    while start < end and (text[end - 1].isspace() or text[end - 1] in marks):
        end -= 1
    return start, end


def is_whole(text: str, of: Span, wrt: Sequence[str]) -> bool:
    """Return whether d/dx applies to all that stands behind it: not with brackets right behind it, or other derivatives.

    Raises `Unclear` where (3) behind these brackets may be a factor or a place.
    """
    # with blanks before it, so that places are those of the whole text
    pieces = grammar.pieces(text[slice(*of)].rjust(of[1]))
    if text[of[0]] not in brackets.CLOSED_BY and "D_BY" not in pieces.kinds and DIFF not in pieces.texts:  # fmt: skip
        return True
    return takes_all(pieces, wrt, text)


def _cut(text: str, is_asking: bool) -> tuple[int, int]:
    """Return where a question of some kind ends, and where its answer begins: at a colon, a verb, or the last = of a claim."""
    stated = [m for m in _CONNECTIVE.finditer(text) if sum(map(nesting, text[: m.start()])) == 0]  # fmt: skip
    stated.sort(key=lambda found: found[0] != ":")
    is_colon = bool(stated) and stated[0][0] == ":"
    if stated and (is_colon or not re.match(r"\s*what\b", text, re.IGNORECASE)):
        return stated[0].start(), stated[0].end()
    values = {found.end() - 1 for found in _POINT_VALUE.finditer(text)}
    places = [place for place in _equals(text) if place not in values]
    if not places or is_asking:
        return len(text), len(text)
    return places[-1], places[-1] + 1


def _equals(text: str) -> Iterator[int]:
    """Yield where a text has equals signs, outside brackets and comparisons."""
    depth = 0
    for i, sign in enumerate(text):
        depth += nesting(sign)
        # slices, since at an end of the text there is no sign beside it
        around = text[i - 1 : i] + text[i + 1 : i + 2]
        if sign == "=" and depth <= 0 and not set(around) & set("<>!:="):
            yield i


def _placed(text: str) -> tuple[str, dict[str, Span]]:
    """A question without its places, and the spans behind `at` and `along`."""
    places: dict[str, Span] = {}
    marks = list(_OF_KIND_PLACE.finditer(text))
    for i, mark in enumerate(marks):
        end = marks[i + 1].start() if i + 1 < len(marks) else len(text)
        last = "along" if mark[1][:2].lower() in {"al", "in"} else "at"
        places[last] = mark.end(), end
    if marks:
        rest = _ORDER_BEHIND.search(text, marks[0].end())
        if rest:
            places[last] = places[last][0], rest.start()
        text = text[: marks[0].start()] + (rest[0] if rest else "")
    return text, places
