r"""TeX as a list of tokens: macros expanded, layout left out, words of upright letters as one token.

    expanded(r"\newcommand{\half}{\frac12} \half\,x")    \frac 1 2 x, all but the x at the place of \half
    macros(r"\def\R#1{\mathrm{R}_{#1}}")                 {"\\R": Macro(1, ...)}

Every token is (kind, text, start, end): a terminal of `grammars/latex.lark`, or `WORD` for \mathrm{max} and
`UNKNOWN` for a character without a terminal.
"""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from unicodedata import decomposition

from exprgrad.annotations import NamedTuple
from exprgrad.budget import LIMITS
from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language import brackets, characters, grammar
from exprgrad.lazy import pattern

Token = tuple[str, str, int, int]
"""The kind, the text, and where it begins and ends."""

Tokens = Sequence[Token]

MOST_TOKENS = LIMITS["macros"].most
"""The most tokens that macros expand to."""


class Macro(NamedTuple):
    r"""The content of \newcommand or \def: the number of arguments, a default for the first, and the body."""

    arguments: int
    default: tuple[Token, ...] | None
    body: tuple[Token, ...]


Macros = Mapping[str, Macro]


def commands(names: str) -> frozenset[str]:
    """Commands by their names, without a backslash."""
    return frozenset(f"\\{name}" for name in names.split())


_SPACES = (
    ", ; : ! > / quad qquad enspace thinspace medspace thickspace negthinspace negmedspace negthickspace hfill hfil "
    "hfilneg displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits nonumber notag big Big bigg Bigg ds "
    "mathstrut strut noindent centering allowbreak break nobreak linebreak newline null relax mathopen mathclose "
    "mathord mathbin mathrel mathinner mathop normalsize small footnotesize large Large smallskip medskip bigskip "
    "unskip ignorespaces protect checkmark square blacksquare Box qed scriptsize tiny huge Huge par item xspace vrule hidewidth"
)
LAYOUT = commands(_SPACES) | {"\\ ", "\\\n", "\\\t"}
"""Commands that change nothing but how a formula looks."""

_WITH_ARGUMENT = {
    f"\\{name}": count
    for count, names in (
        (1, "color hspace hspace* vspace vspace* label tag tag* phantom vphantom hphantom ref eqref intertext "
            "shortintertext setcounter raisebox cite footnote marginpar textcolor colorbox class cssId style"),
        (2, "rule setlength addtolength"),
    )
    for name in names.split()
}  # fmt: skip
"""Commands that are left out together with so many arguments; a second one of \\textcolor is a formula."""

_WITH_LENGTH = commands("kern mkern mskip hskip vskip")
"""Commands that are left out together with the length behind them, which has no braces: \\kern-3pt."""

UPRIGHT = commands(
    "mathrm operatorname operatorname* text textrm textup mbox hbox mathup mathit textit mathsf textsf"
)
"""Commands whose argument is one word."""

_TEXTS = commands("text textrm textup mbox hbox textit textsf")

_TRANSPARENT = commands(
    "boxed fbox cancel bcancel xcancel smash ensuremath underline overbrace underbrace"
)
"""Commands whose argument is read as if they were not there."""

_DEFINING = commands(
    "newcommand renewcommand providecommand def gdef edef DeclareMathOperator let"
)

_DEFINITIONS = ("def", "command", "Declare", "\\let")
"""What a text holds that defines a macro."""

_SWITCHES = commands("rm upshape")
"""Fonts for the rest of a group: {\\rm e}."""


def are_macros(thing: object) -> bool:
    """Return whether something holds macros by their names."""
    return isinstance(thing, Mapping) and all(
        isinstance(name, str) and isinstance(macro, Macro)
        for name, macro in thing.items()
    )


def scanned(source: str) -> list[Token]:
    """The tokens of a text as they stand there. Raises `ExpressionSyntaxError` for a text that is too long."""
    characters.refuse_long(source)
    text = _TABLE.sub(_as_cases, characters.plain(source))
    return [*zip(*grammar.pieces(text, "latex"), strict=True)]


_TABLE = pattern(
    r"\\left\s*\\(?:\{|lbrace)\s*\\begin\s*\{(?P<name>array|matrix)\}(?:\s*\{[lcr|\s]*\})?"
    r"(?P<rows>(?:[^\\]|\\(?!begin|end))*+)\\end\s*\{(?P=name)\}\s*\\right\s*\."
)
"""A table with one brace, as the cases of a function were written before there was an environment for them."""


def _as_cases(found: re.Match[str]) -> str:
    """The same rows between the signs of cases; no place moves."""
    begin = "\\begin{cases}".ljust(found.start("rows") - found.start())
    return f"{begin}{found['rows']}".ljust(len(found[0]) - 11) + "\\end{cases}"


def macros(source: str) -> dict[str, Macro]:
    """The macros that a text defines, from wherever in it; definitions that are not understood are passed over."""
    found: dict[str, Macro] = {}
    if not any(name in source for name in _DEFINITIONS):
        return found
    tokens = scanned(source)
    i = 0
    while i < len(tokens):
        i += 1
        if tokens[i - 1][1] in _DEFINING:
            with suppress(ExpressionSyntaxError):
                i = _defined(tokens, i - 1, found)
    return found


def expanded(source: str, known: Macros | None = None) -> list[Token]:
    """The tokens of a formula without macros, layout and comments.

    Macros that the text defines itself come before those that are `known`. Raises `ExpressionSyntaxError`.
    """
    own: dict[str, Macro] = dict(known or {})
    tokens = scanned(source)
    if own or any(name in source for name in _DEFINITIONS):
        tokens = _without_macros(tokens, own)
    return _plain(tokens)


_SET = {"<super": "^{%s}", "<sub": "_{%s}"}
"""How characters above or below the line are written, by what Unicode says of them."""


def _written(token: Token) -> str:
    """Return how TeX writes what a character shows; nothing for the usual ones."""
    parts = characters.FRACTIONS.get(token[1])
    usual = _SET.get(decomposition(token[1][0]).partition(">")[0], "")
    return rf"\frac{{{parts[0]}}}{{{parts[1]}}}" if parts else usual


def shown(tokens: Tokens) -> Iterator[Token]:
    r"""The tokens with x^{2} for x², and \\frac{1}{2} for ½."""
    for form, group in itertools.groupby(tokens, _written):
        own = [*group]
        inside = characters.raised("".join(token[1] for token in own))
        text = form % inside if "%" in form else form * len(own)
        pieces = zip(*grammar.pieces(text, "latex"), strict=True) if form else own
        for kind, piece, *span in pieces:
            start, end = (own[0][2], own[-1][3]) if form else span
            yield kind, piece, start, end


def _defined(tokens: Tokens, i: int, found: dict[str, Macro]) -> int:
    """Take in the definition that begins at a token, and return where it ends."""
    command, span = tokens[i][1], tokens[i][2:]
    j = i + 1
    if command.startswith("\\let"):
        name, j = _name(tokens, j)
        if j < len(tokens) and tokens[j][1] == "=":
            j += 1
        if name and j < len(tokens):
            # the meaning of the moment: with \let\a\b, a later definition of \b leaves \a as it is
            found[name] = found.get(tokens[j][1], Macro(0, None, (tokens[j],)))
        return j + 1
    j += j < len(tokens) and tokens[j][1] == "*"  # \newcommand*
    name, j = _name(tokens, j)
    if not name:
        raise _unclear(span)
    count, default = 0, None
    if "def" in command:
        while j < len(tokens) and tokens[j][1] == "#":
            digits = tokens[j + 1][1] if j + 1 < len(tokens) else ""
            count, j = count + 1, j + 2
            if digits != f"{count}":
                raise _unclear(span)
    elif "command" in command and j < len(tokens) and tokens[j][1] == "[":
        inside, j = group(tokens, j, "]")
        digits = "".join(t[1] for t in inside)
        count = int(digits) if digits.isdecimal() and len(digits) == 1 else 0
        if j < len(tokens) and tokens[j][1] == "[":
            default, j = group(tokens, j, "]")
    body, j = argument(tokens, j)
    if "Math" in command:
        # arc\,sin is one word, arcsin
        body = [("WORD", "".join(t[1] for t in body if t[0] != "COMMAND"), *span)]
    found[name] = Macro(count, None if default is None else tuple(default), tuple(body))
    return j


def _unclear(span: Span) -> ExpressionSyntaxError:
    message = "this definition of a macro is not understood"
    return ExpressionSyntaxError(message, span, r"write \newcommand{\name}[1]{...}")


def _name(tokens: Tokens, j: int) -> tuple[str, int]:
    """The macro that is being defined, with or without braces, and what follows it."""
    if j < len(tokens) and tokens[j][0] == "COMMAND":
        return tokens[j][1], j + 1
    inside, after = argument(tokens, j)
    return (inside[0][1], after) if len(inside) == 1 else ("", after)


def argument(tokens: Tokens, j: int) -> tuple[list[Token], int]:
    """The argument of a command that begins at a token, without its braces, and what follows it."""
    if j >= len(tokens):
        return [], j
    return group(tokens, j, "}") if tokens[j][1] == "{" else ([tokens[j]], j + 1)


def group(tokens: Tokens, j: int, close: str) -> tuple[list[Token], int]:
    """Return what stands in the braces, or brackets, that open at a token, and what follows them."""
    depth = 0
    for k in range(j + 1, len(tokens)):
        text = tokens[k][1]
        if text == close and depth == 0:
            return [tokens[i] for i in range(j + 1, k)], k + 1
        # only braces nest in TeX: the default of \newcommand{\a}[1][{[2]}]{x#1} is [2]
        depth += (text == "{") - (text == "}")
    message = f"this {tokens[j][1]!r} is never closed"
    raise ExpressionSyntaxError(message, tokens[j][2:], f"add {close!r}")


def environment(tokens: Tokens, i: int) -> tuple[str, int]:
    r"""The name behind \\begin or \\end, without its star, and what follows it and the columns of alignat."""
    inside, after = argument(tokens, i + 1)
    name = "".join(token[1] for token in inside).rstrip("*")
    if name in ("alignat", "alignedat") and tokens[i][1] == "\\begin":
        _, after = argument(tokens, after)
    return name, after


def _without_macros(tokens: list[Token], known: dict[str, Macro]) -> list[Token]:
    """The tokens with macros expanded, each at the place where it is used."""
    out: list[Token] = []
    waiting = deque(tokens)
    budget = MOST_TOKENS
    while waiting:
        text = waiting[0][1]
        if text in _DEFINING:
            _without(waiting, _defined(waiting, 0, known))
            continue
        token = waiting.popleft()
        macro = known.get(text) if token[0] == "COMMAND" else None
        if macro is None:
            out.append(token)
            continue
        given, used = _arguments(macro, waiting, token)
        end = waiting[used - 1][3] if used else token[3]
        _without(waiting, used)
        body = _filled(macro.body, given, token, max(end, token[3]))
        # counts what macros yield, not how deep they nest: \def\a{\a\a}\a doubles without end
        budget -= len(body)
        if budget < 0:
            message = f"the macro {text} expands to too much"
            raise ExpressionSyntaxError(message, token[2:], "write it out")
        waiting.extendleft(reversed(body))
    return out


def _without(waiting: deque[Token], count: int) -> None:
    """Take tokens off the front of those to come."""
    for _ in range(min(count, len(waiting))):
        waiting.popleft()


def _arguments(macro: Macro, waiting: Tokens, token: Token) -> tuple[list[Tokens], int]:
    """Return what a macro is given, and how many tokens that took."""
    if not macro.arguments:
        return [], 0
    given: list[Tokens] = []
    used = 0
    if macro.default is not None:
        if waiting and waiting[0][1] == "[":
            inside, used = group(waiting, 0, "]")
            given.append(inside)
        else:
            # where the macro is used, not where it was defined, perhaps in another text
            given.append([(*own[:2], *token[2:]) for own in macro.default])
    while len(given) < macro.arguments:
        if used >= len(waiting):
            count = f"{macro.arguments} argument{'s' * (macro.arguments > 1)}"
            message = f"the macro {token[1]} needs {count}"
            raise ExpressionSyntaxError(message, token[2:])
        inside, used = argument(waiting, used)
        given.append(inside)
    return given, used


def _filled(body: Tokens, given: Sequence[Tokens], at: Token, end: int) -> list[Token]:
    """The body of a macro with its arguments in place, where the macro is used up to `end`.

    Arguments in their order keep their places, if each is used once; otherwise all stands where the whole call does.
    """
    pairs = itertools.pairwise(body) if given else ()
    used = [following[1][:1] for token, following in pairs if token[1] == "#"]
    whole = used != sorted(set(used))
    span = (at[2], end) if whole or not used else at[2:]
    out: list[Token] = []
    place = iter(body)
    for kind, text, _, _ in place:
        if text == "#" and given:
            number = next(place, None)
            which = int(number[1][0]) if number and number[1][:1].isdecimal() else 0
            if number and 1 <= which <= len(given):
                out += [(*t[:2], *span) if whole else t for t in given[which - 1]]
                if not whole:
                    # what follows an argument stands at the end of the call, so that places never go back
                    span = end - 1, end
                # TeX takes one digit: #12 is the first argument and a 2
                if len(number[1]) > 1:
                    out.append(("NUMBER", number[1][1:], *span))
                continue
        out.append((kind, text, *span))
    return out


def _plain(tokens: list[Token]) -> list[Token]:
    """The tokens without layout, with words in one piece."""
    out: list[Token] = []
    pairs: dict[int, int] = {}
    noted: set[int] = set()
    i, count = 0, len(tokens)
    while i < count:
        token = tokens[i]
        if token[0] != "COMMAND":
            out.append(token)
            i += 1
            if i - 1 in noted and i < count and tokens[i][1] in ("_", "^"):
                _, i = argument(tokens, i + 1)  # the note at a brace
            continue
        text = token[1]
        if text in LAYOUT or text in _TRANSPARENT:
            i += 1
            if text in ("\\overbrace", "\\underbrace"):
                pairs = pairs or brackets.pairs([t[1] for t in tokens], ("{",), ("}",))
                noted.add(pairs.get(i, -1))
        elif text in UPRIGHT:
            inside, after = argument(tokens, i + 1)
            end = tokens[after - 1][3] if after > i + 1 else token[3]
            if out or not _LABEL.fullmatch("".join(t[1] for t in inside)):
                _word(inside, token, end, out)
            i = after
        elif text in _SWITCHES:
            i += 1
            letters = i
            while i < count and tokens[i][0] == "NAME":
                i += 1
            word = "".join(t[1] for t in tokens[letters:i])
            if word and out and out[-1][1] == "{" and tokens[i : i + 1] and tokens[i][1] == "}":  # fmt: skip
                token = out.pop()  # {\rm d} is \mathrm{d}
                i += 1
            if word:
                out.append(("WORD", word, token[2], tokens[i - 1][3]))
        elif text in _WITH_ARGUMENT:
            i += 1
            for _ in range(_WITH_ARGUMENT[text]):
                _, i = argument(tokens, i)
        elif text in _WITH_LENGTH:
            i += 1
            while i < count and tokens[i][0] in ("_MINUS", "NUMBER"):
                i += 1
            i += 2  # the letters of the unit
        else:
            out.append(token)
            i += 1
    return out


def _word(inside: Tokens, command: Token, end: int, out: list[Token]) -> None:
    r"""The content of \\text{...} as a word; what is in dollars there is a formula again."""
    letters: list[str] = []
    formula, last = False, 0
    # a dollar at the end closes the word that is open
    for token in (*inside, ("", "$", end, end)):
        kind, text, first, behind = token
        if letters and last < first and kind:
            letters.append(" ")
        last = behind
        if text == "$":
            formula = not formula
            if letters:
                out.append(("WORD", "".join(letters).strip(), command[2], end))
            letters = []
        elif formula:
            out.append(token)
        elif kind in ("NAME", "NUMBER") or text in _IN_WORDS:
            letters.append(text.removeprefix("\\"))
        # \text{otherwise.} loses its point, but \mathrm{a+b} must not become the name ab
        elif command[1] not in _TEXTS and text not in {*LAYOUT, "{", "}"}:
            letters.append(text)


_LABEL = pattern(r"\((?:[a-h1-9]|i{1,3}|i?v)\)|(?:[a-h1-9]|i{1,3}|i?v)[).]")
"""The number of a problem or a claim, (a) or a)."""

_IN_WORDS = ("_", "\\_", "\\&", "-", "/", "\\%")
