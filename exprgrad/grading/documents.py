r"""The mathematics in a document: TeX, Markdown or plain text, each piece with its place.

    segments(text, ".tex")      $…$, $$…$$, \(…\), \[…\] and environments; comments and verbatim left out
    segments(text, ".md")       the same, fenced ```math and `x^2`; blocks of code left out

`prose` is the text with marks in place of each piece, for sentences such as "the derivative of $x^2$ is $2x$".
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.errors import Span
from exprgrad.language.latex import commands
from exprgrad.lazy import pattern

MARK = "\ue001"
"""Stands for a piece of mathematics in the prose."""

TICK = "\ue002"
"""Stands for the backticks of Markdown around a piece, which are quotation marks in TeX."""


class Segment(NamedTuple):
    """A piece of mathematics: its text, where that begins in the document, and its span with the marks around it."""

    text: str
    start: int
    outer: Span = (0, 0)


_NAMES = "|".join(commands.ENVIRONMENTS)
_INLINE = r"(?:\\.|[^$\\\n]|\n(?!\s*\n))+"
_PIECES = (
    rf"\\begin\s*\{{(?P<name>(?:{_NAMES})\*?)\}}(?:\s*\{{\d+\}})?(?P<body>(?:(?!\\begin\s*\{{(?P=name)\}}).)*?)\\end\s*\{{(?P=name)\}}"
    r"|(?<!\\)\$\$(?P<display>[^$]+)(?<!\\)\$\$"
    r"|(?<!\\)\$(?P<inline>@)\$(?!\d)"
    r"|(?<!\\)\\\[(?P<square>(?:(?!\\\[).)+?)\\\]"
    r"|\\\((?P<round>(?:(?!\\\().)+?)\\\)"
    rf"|{TICK}(?P<ticks>[^{TICK}]+){TICK}"
    r"|^[ \t]*```+[ \t]*math[ \t]*\n(?P<fenced>(?:(?!```).)*)```"
)
_IN_TEX = pattern(_PIECES.replace("@", _INLINE), re.DOTALL | re.MULTILINE)
_IN_TEXT = pattern(
    _PIECES.replace("@", rf"(?=\S){_INLINE}(?<=\S)|[ ]{_INLINE}[ ]"),
    re.DOTALL | re.MULTILINE,
)
"""In text, dollars that enclose a formula have no blanks inside, or on both sides: $20 and $3 are prices."""
_COMMENT = pattern(r"(?<!\\)%[^\n]*")
_VERBATIM = pattern(
    r"\\begin\s*\{(?P<name>verbatim|lstlisting|minted|comment|filecontents)\*?\}.*?(?:\\end\s*\{(?P=name)\*?\}|\Z)|\\verb(?P<mark>[^\w\s])[^\n]*?(?:(?P=mark)|$)",
    re.DOTALL | re.MULTILINE,
)
_FENCED = pattern(r"^[ \t]*(```|~~~)`*[ \t]*(\w*)[^\n]*(?:\n(?![ \t]*\1)[^\n]*)*(?:\n[^\n]*)?", re.MULTILINE)  # fmt: skip
"""A block of code, or of mathematics; one of ~~~ may hold ``` as text."""

_TICKS = pattern(r"(?<!`)`([^`\n]+)`(?!`)")


_MARKDOWN = r'"cell_type"\s*:\s*"markdown"(?:(?!"cell_type").)*?"source"\s*:\s*\[?\s*"'
_CODE = pattern(
    rf'\A.*?(?:{_MARKDOWN}|\Z)|(?<!\\)"\s*(?:\]\s*)?\}}.*?(?:{_MARKDOWN}|\Z)', re.DOTALL
)
"""What stands around the cells of text in a notebook."""

_ESCAPED = pattern(r'\\(?:u[0-9a-fA-F]{4}|["\\bfnrt])|"\s*,\s*"')
_TAG = pattern(
    r"<!(?:--(?:(?!<!--).)*?--|[^<>]*)>|<(?P<hidden>head|script|style|pre|math|svg|textarea)\b[^<>]*>(?:(?!<(?P=hidden)\b).)*?</(?P=hidden)\s*>"
    r"|<(?P<end>/?)(?P<name>[a-z][a-z0-9]*)(?:\s+[\w:-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))?)*\s*/?>"
    r"|&(?:#\d+|#x[\da-f]+|[a-z]+\d*);",
    re.DOTALL | re.IGNORECASE,
)
_UNSEEN = "a abbr b bdi big cite code dfn em font i kbd label mark q s small span strong tt u var wbr /sub /td /th".split()  # fmt: skip
_SIGNS = dict.fromkeys(_UNSEEN, "") | {"sup": "^(", "/sup": ")", "sub": "_", "br": "\n", "td": " | ", "th": " | "}  # fmt: skip
"""What stands for tags; for others a break between paragraphs."""

_OTHER_LANGUAGES = {
    "ableitung": "derivative", "steigung": "slope", "tangente": "tangent", "an der stelle": "at", "im punkt": "at", "bei": "at", "an": "to",
    "die": "the", "die funktion": "", "der funktion": "of", "von": "of", "nach": "with respect to", "mit": "with", "für": "for", "wobei": "where",
    "ist": "is", "ist die steigung": "the slope is", "ist die ableitung": "the derivative is", "in": "at", "lautet": "is", "beträgt": "is", "hat": "has", "sei": "let", "gegeben ist": "let", "gegeben sei": "let", "wenn": "if", "dann": "then",
    "dann ist": "then", "gilt": "", "und": "and", "also": "so", "somit": "so", "daher": "so", "ihre": "its", "seine": "its", "deren": "its",
    "erste": "first", "zweite": "second", "dritte": "third", "weil": "where", "da": "where",
    "dérivée": "derivative", "dérivée seconde": "second derivative", "pente": "slope", "la": "the", "sa": "its", "de": "of", "de la fonction": "of",
    "au point": "at", "en": "at", "à": "to", "est": "is", "vaut": "is", "soit": "let", "alors": "then", "donc": "so", "on a": "", "et": "and",
    "pour": "for", "par rapport à": "with respect to", "car": "where", "derivada": "derivative", "derivata": "derivative", "es": "is", "di": "of", "è": "is",
}  # fmt: skip
"""Words of German, French, Spanish and Italian around formulas, in English."""

_IN_OTHERS = pattern(r"(?<!\w)(?:ableitung|steigung|tangente|dann|gilt|dérivée|pente|soit|alors|derivada|derivata)(?!\w)", re.IGNORECASE)  # fmt: skip
_SAID = pattern(
    rf"(?<![\w\\])(?:{'|'.join(sorted((w.replace(' ', '[ ]') for w in _OTHER_LANGUAGES), key=len, reverse=True))})(?![\w'’])"
    r"|(?P<point>\(\s*-?\d+,-?\d+\s*\))|(?<=\d),(?=\d)",
    re.IGNORECASE,
)
_DECIMAL = pattern(
    r"(?P<whole>(?:^|[=+*/−-])\s*\d+),(?=(?:\d\d?|\d{4,})(?:[a-zA-Z(]|\\[a-z]))",
    re.MULTILINE,
)


def readable(text: str, suffix: str) -> tuple[str, Sequence[int]]:
    """Return what a person reads of a document, and where each sign of that stands in it.

    Comments, verbatim text and blocks of code are blanked out; tags of HTML and the signs of a notebook are read.
    """
    origins: Sequence[int] = range(len(text) + 1)
    # in TeX, backticks are quotation marks; elsewhere, % is a per cent sign and no comment
    if suffix == ".tex":
        text = _COMMENT.sub(_blank, _VERBATIM.sub(_blank, text))
    if suffix == ".ipynb":
        text, origins = _replaced(text, origins, _CODE, lambda _: "\n\n")
        text, origins = _replaced(text, origins, _ESCAPED, lambda m: "" if m[0][0] == '"' else m[0].encode().decode("unicode_escape"))  # fmt: skip
    if suffix != ".tex":
        text = _FENCED.sub(lambda m: m[0] if m[2] == "math" else _blank(m), text)
        text, origins = _replaced(text, origins, _TAG, _read_tag)
        text = _TICKS.sub(rf"{TICK}\1{TICK}", text)
    if _IN_OTHERS.search(text):  # (1,2) is a point, 1,2 a number
        return _replaced(text, origins, _SAID, lambda m: m["point"] or _OTHER_LANGUAGES.get(m[0].lower(), "."))  # fmt: skip
    return _DECIMAL.sub(r"\g<whole>.", text), origins


def _replaced(
    text: str, origins: Sequence[int], marks: re.Pattern[str], by: Callable[[re.Match[str]], str]
) -> tuple[str, Sequence[int]]:  # fmt: skip
    """A text with something else for its marks, and where each sign of that stood."""
    parts, places, end = list[str](), list[int](), 0
    for found in marks.finditer(text):
        parts += (text[end : found.start()], new := by(found))
        places += [*origins[end : found.start()], *[origins[found.start()]] * len(new)]
        end = found.end()
    return ("".join([*parts, text[end:]]), [*places, *origins[end:]]) if end else (text, origins)  # fmt: skip


def _read_tag(found: re.Match[str]) -> str:
    r"""Return what stands for a tag or an entity of HTML: ^( for <sup>, a break for <p>, π for &pi;."""
    if found[0][0] == "&":
        return html.unescape(found[0]).replace("\xa0", " ")
    name = (found["name"] or "span").lower()  # of a comment nothing is seen
    return _SIGNS.get(f"{found['end'] or ''}{name}", _SIGNS.get(name, "\n\n"))


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def segments(text: str, is_tex: bool = True) -> Iterator[Segment]:
    """The pieces of mathematics in a document without its comments, in order."""
    for found in (_IN_TEX if is_tex else _IN_TEXT).finditer(text):
        group = found.lastgroup or ""
        group = "body" if group == "name" else group
        yield Segment(found[group], found.start(group), found.span())


def prose(text: str, pieces: Sequence[Segment]) -> str:
    """The document with marks in place of the pieces; nothing moves."""
    out, end = list[str](), 0
    for piece in pieces:
        start = piece.outer[0]
        out += (text[end:start], MARK * (piece.outer[1] - start))
        end = piece.outer[1]
    return "".join([*out, text[end:]])
