"""A session text cut into entries: at line breaks outside brackets, and at `;`; those in other notations as sessions write them.

definition("f(x) := x^2")               "f(x) = x^2"
definition("f = lambda x: x**2")        "f(x) = x**2"
in_signs("derivative of x squared")     "d/dx (x^2)"
"""

from __future__ import annotations

import re
from functools import cache

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.language import phrases
from exprgrad.language.brackets import nesting
from exprgrad.language.questions import continues
from exprgrad.lazy import pattern
from exprgrad.operations.vocabulary import is_function

if TYPE_CHECKING:
    from exprgrad.language.words.tasks import Meant

_MARK = pattern(
    r"#[^\n]*|;(?:[^\S\n]*\n)?|(?P<empty>\n[^\S\n]*(?=\n|\Z))|\n|[(\[{]|[)\]}]"
)
_MARK_IN_LINE = pattern(r"#.*|[;()\[\]{}]")


class Entry(NamedTuple):
    """One statement or command as typed: its text, which begins at `start` in `source`.

    A `quiet` one, before `;`, shows no result, unless that is a claim that is not right.
    """

    text: str
    start: int
    source: str
    quiet: bool = False

    def hides(self, result: Any) -> bool:
        """Return whether its result is not shown."""
        return self.quiet and not getattr(result, "code", 0)

    @property
    def line(self) -> int:
        """The number of the line in the source, from 1."""
        return self.source.count("\n", 0, self.start) + 1


class Argument(NamedTuple):
    """The text that was typed after a command, and where it begins in the entry."""

    text: str
    start: int
    entry: Entry


def split(source: str) -> list[Entry]:
    """The entries of a text, without comments and empty ones.

    A statement continues over line breaks while a bracket is open, up to an empty line or a command.
    """
    entries: list[Entry] = []
    pieces: list[str] = []  # of the entry so far, with blanks in place of comments
    start = copied = depth = 0

    def end(at: int, quiet: bool) -> None:
        text = "".join([*pieces, source[copied:at]])
        lead = len(text) - len(text.lstrip())
        if lead < len(text):
            entries.append(Entry(text.strip(), start + lead, source, quiet))

    for match in _MARK.finditer(source):
        mark = match.group()
        is_sign = mark[0] == ";"
        belongs = is_sign and _belongs(source, start, match.start())
        if mark[0] == "#" or belongs:
            # blanks keep the places of what follows on the next lines of a statement
            sign = ";" if belongs else " "
            pieces += [source[copied : match.start()], sign.ljust(len(mark))]
            copied = match.end()
        elif mark == "\n" and depth <= 0 and continues(source, start, match.start()):
            continue
        elif is_sign or (mark[0] == "\n" and (depth <= 0 or match["empty"] or source.startswith(":", match.end()))):  # fmt: skip
            end(match.start(), is_sign)
            start = copied = match.end()
            depth = 0
            pieces.clear()
        else:
            depth += nesting(mark)
    end(len(source), False)
    return entries


def _belongs(source: str, start: int, semicolon: int) -> bool:
    """Return whether a semicolon ends no statement: x^2 + y^2 = 25; dy/dx = -x/y, a command's, or the blank of LaTeX."""
    if source.endswith("\\", 0, semicolon):
        return True
    before = source[start:semicolon].strip(" \t\n$")
    if before.startswith(":check") and source[semicolon + 1 :].lstrip()[:1] != ":":
        return True
    name = re.match(r"([^\W\d]\w*)(?:\s*\([\w\s,]*\))?\s*=", before)
    defines = name and not re.search(rf"(?<!\w){name[1]}(?!\w)", before[name.end() :]) and not ({"x", "y"} <= {*name[1]} or is_function(name[1], called=True))  # fmt: skip
    pair = r"x(?:\(\w\))?\s*=[^,]*,[\s$]*y(?:\(\w\))?\s*=|r\s*=.*(?:θ|theta)"
    is_curve = "=" in before and (not defines or re.match(pair, before))
    return bool(is_curve and _about_curve().match(source, semicolon + 1))


@cache
def _about_curve() -> re.Pattern[str]:
    """Return what asks about a curve that is given before it: dy/dx, or words of the kinds that make y a function."""
    from exprgrad.checking.kinds.rows import KINDS, words

    rows = [own for own in words() if {own[0], *KINDS[own[0]].options} & {"derivative", "of"}]  # fmt: skip
    asked = "|".join(begins for _, begins, _ in rows)
    return re.compile(
        rf"(?:\s*[^\W\d_]\s*=\s*[-−\d./]+\s*;)*(?:\s|\$|\\[ ,;!])*(?:{phrases.VERB})?"
        r"(?:(?:\\[dt]?frac\s*\{\s*d[^{}]*\}\s*\{\s*d[^{}]*\}\s*|d(?:\^?[2-9²³])?\s*[^\W\d_]\s*/\s*d[^=;\n]*?|[^\W\d_]['’′]+(?:\([^()]*\))?\s*)(?:\bat\b[^;\n]*)?(?:=|\bis\b|[;\n]|$)"
        rf"|(?i:(?:(?:the|an?)\s+)?(?:{asked})\b)(?=\s*[^\s*+/^=-]|$))"
    )


class OpenBrackets:
    """A test whether a bracket is open, line by line, so that a statement may continue on the next."""

    def __init__(self) -> None:
        self._depth = 0

    def after(self, line: str) -> bool:
        """Return whether one is open after another line."""
        if not line.strip():
            self._depth = 0
        for mark in _MARK_IN_LINE.findall(line):
            # a semicolon ends the statement whatever is open, as in `split`
            self._depth = 0 if mark == ";" else self._depth + nesting(mark)
        self._depth = max(self._depth, 0)
        return self._depth > 0


def unfinished(source: str) -> bool:
    """Return whether a bracket is open at the end of a text."""
    brackets = OpenBrackets()
    return [brackets.after(line) for line in source.split("\n")][-1]


_NAME = r"[^\W\d]\w*"
_NAMES = rf"{_NAME}(?:\s*,\s*{_NAME})*"
_LET = rf"^\s*(?:let|define|const|var|set)\s+(?={_NAME}\s*(?:\({_NAMES}\)\s*)?:?=)|^\s*\(?(?:[a-h]|\d+(?:\.\d+)*[a-h]?)[.)]\s+(?={_NAME}\s*\({_NAMES}\)\s*=)|^\s*{phrases.VERB}(?={_NAME}['’′]*\()"
_ASSIGNED = rf"(\s*{_NAME}\s*(?:\({_NAMES}\)\s*)?):="

ARROWS = ("->", "=>", "→", "↦", "⟼", "lambda ", "@(")
"""Signs of a function without a name, which may be given one."""


def definition(text: str) -> str | None:
    """A definition as sessions write it, if it is in another notation."""
    if len(text) > phrases.LONGEST or "\n" in text.strip():
        return None
    from exprgrad.language.words.formulas import composed

    plain = composed(re.sub(_LET, "", text, flags=re.IGNORECASE))
    plain = re.sub(rf"({_NAME})\[({_NAME})_\](?=\s*:?=)", r"\1(\2)", plain)
    function = phrases.arrow(plain)
    if function is not None and function.name and plain[function.end :].strip():
        return f"{function.name}({function.parameters}) = {plain[function.end :]}"
    plain = re.sub(_ASSIGNED, r"\1=", plain, count=1)
    return None if plain == text else plain


def asks(text: str) -> bool:
    """Return whether a text with an equals sign begins or ends as one that asks and claims nothing."""
    beginning = r"\s*(?:differentiate\b|solve\b|at\s+\w+\s*=|.+\bdy/dx\s*$)"
    return re.match(beginning, text, re.IGNORECASE) is not None


def in_signs(text: str, most: bool = False) -> str | None:
    """A formula or a task in words as a session writes it, d/dx (x^2) at x=3 or :critical x^3 - 3x; or `most` of it."""
    from exprgrad.language.words.tasks import command, nearest

    read = nearest if most else command
    meant = read(text) if "\n" not in text.strip() else None
    return None if meant is None else _as_entry(meant)


def _as_entry(meant: Meant) -> str | None:
    """A command as a session writes it: d/dx (x^2) at x=3 for a derivative, :name with its options for others."""
    at, wrt = meant.options.get("at"), meant.options.get("wrt", "")
    asks = meant.options.keys() <= {"at", "wrt", "order"} and isinstance(wrt, str) and "," not in wrt  # fmt: skip
    if asks and meant.command in ("diff", "eval") and meant.formula[:1] != "[":
        power = f"^{n}" if (n := meant.options.get("order")) else ""
        asked = f"d{power}/d{wrt}{power} ({meant.formula})" if wrt else meant.formula
        return f"{asked} at {at}" if at else asked
    name, formula, *options = ("at" if a[2:] == "at" else a for a in meant.arguments)
    if name == "eval":
        return f":hessian {formula} at {at}" if "hessian" in meant.options else None
    if name == "diff" and isinstance(wrt, str) and "," in wrt:  # the mixed derivative
        return "".join(f"d/d{x} " for x in wrt.split(",")) + f"({formula})" + (f" at {at}" if at else "")  # fmt: skip
    if meant.claim:
        options = [f", {meant.claim}", *options[1:]]
    return f":{name} {' '.join((formula, *options))}"
