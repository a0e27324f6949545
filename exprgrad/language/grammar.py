"""The grammar files, and the parse tables made from them.

`grammars/expression.lark` is the one source of the language; `session.lark` adds statements to the language; all of them share the names of `names.lark`. `latex.lark`
is the language of printed formulas. The tables that Lark makes of them stand in `tables`, so that starting does not import
Lark; if a grammar has been edited since, its tables are rebuilt in memory. `python -m
exprgrad.language.grammar` writes them to the files.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from importlib import import_module
from itertools import accumulate, compress
from operator import add

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.language import lalr

if TYPE_CHECKING:
    import re

_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

FILES = {
    "expression": ("names", "expression"),
    "session": ("names", "expression", "session"),
    "latex": ("latex",),
}
"""The files that make up each grammar, in this order."""

NAMES = tuple(FILES)

LONG = 2000
"""The length of a source from which it pays to cut it up first, in characters."""


def text(name: str = "expression") -> str:
    """The text of a grammar."""
    return "\n".join(map(_file, FILES[name]))


def _file(name: str) -> str:
    """A grammar file: inside an installed package, or beside it in a checkout."""
    for folder in (_PACKAGE, os.path.dirname(_PACKAGE)):
        path = os.path.join(folder, "grammars", f"{name}.lark")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError(f"{name}.lark is neither in the package nor beside it")


@functools.cache
def tables(name: str = "expression") -> lalr.Tables:
    """The parse tables of a grammar: the shipped ones, unless it has been edited since."""
    try:
        found = shipped(name)
    except ImportError:
        return build(name)
    return found if lalr.checksum(text(name)) == found.checksum else build(name)


def shipped(name: str) -> lalr.Tables:
    """The parse tables that come with the package."""
    # apart, since most runs need one of them
    module = import_module(f"exprgrad.language.tables.{name}")
    return lalr.Tables(*module.TABLES)


def build(name: str) -> lalr.Tables:
    """The parse tables of a grammar, rebuilt."""
    return lalr.build(text(name), "statement" if name == "session" else "start")


@functools.cache
def scanner(name: str = "expression", plain: bool = False) -> re.Pattern[str]:
    """One pattern for all terminals; the last group says which matched. UNKNOWN is any other character.

    The groups are empty and come after their patterns: `re` skips an alternative faster if it begins
    with a character and not with a group. One for `plain` text, in ASCII, takes a third of the time to compile.
    """
    t = tables(name)
    own = [(kind, _in_ascii(p) if plain else p) for kind, p in t.terminals]
    groups = "|".join(f"(?:{p})(?P<{kind}>)" for kind, p in own if p)
    ignored = _in_ascii(t.ignored) if plain else t.ignored
    import re

    flags = re.DOTALL | re.ASCII if plain else re.DOTALL
    return re.compile(f"{ignored}|{groups}|.(?P<UNKNOWN>)", flags)


def _in_ascii(written: str) -> str:
    """A pattern without the characters beyond ASCII, which stand in classes and alternatives of their own."""
    if written.isascii():
        return written
    kept = ""
    for i, c in enumerate(written):
        between = c == "-" and not (written[i - 1] + written[i + 1 : i + 2]).isascii()
        if c.isascii() and not (between and not written[i - 1].isascii()):
            kept += c
    for empty in ("[]+", "[]"):
        kept = kept.replace(f"|{empty}", "|").replace(f"{empty}|", "|")
    kept = kept.replace("[]+", "").replace("[]", "")
    kept = kept.replace("(?:|", "(?:").replace("|)", ")")
    while "||" in kept:
        kept = kept.replace("||", "|")
    return kept.strip("|")


@functools.cache
def _cutter(name: str, plain: bool) -> re.Pattern[str]:
    """The same pattern without groups: what it finds are texts."""
    import re

    whole = scanner(name, plain)
    return re.compile(re.sub(r"\(\?P<\w+>\)", "", whole.pattern), whole.flags)


class _Kinds(dict[str, Any]):
    """The kind of each text that the scanner would match, found once per text; None for what is ignored."""

    def __init__(self, scanner: re.Pattern[str]) -> None:
        self._match = scanner.match

    def __missing__(self, text: str) -> str | None:
        match = self._match(text)
        kind = self[text] = match.lastgroup if match else None
        return kind


class Pieces(NamedTuple):
    """The tokens of a source, without what is ignored: their texts, where they start and end, and the kinds of texts.

    By itself a text has the same kind as in its place, since terminals hardly look at their neighbours; in a short
    source where it is not so, as for the D_x of D_xπ, `in_turn` has the kinds one by one.
    """

    texts: list[str]
    starts: list[int]
    ends: list[int]
    kinds: dict[str, Any]
    in_turn: list[Any] | None = None

    def tokens(self) -> Iterator[tuple[str, str, int, int]]:
        """Kinds, texts, starts and ends, one after the other."""
        kinds = self.in_turn or map(self.kinds.__getitem__, self.texts)
        return zip(kinds, self.texts, self.starts, self.ends, strict=True)


def pieces(source: str, name: str = "expression") -> Pieces:
    """Cut a source into tokens: all at once, in loops that Python runs in C, where that is possible."""
    simple = name in ("expression", "session") and not source.translate(_NOT_SIMPLE)
    return (simple and _simple_pieces(source)) or _pieces(source, name)


def _pieces(source: str, name: str) -> Pieces:
    """The pieces as the patterns say. A long source is cut into texts first, without match objects."""
    plain = source.isascii() and source.isprintable()
    if len(source) < LONG:
        found = scanner(name, plain).finditer(source)
        matches = [match for match in found if match.lastgroup]
        texts = [match.group() for match in matches]
        starts = [match.start() for match in matches]
        in_turn = [match.lastgroup for match in matches]
        ends = [match.end() for match in matches]
        kinds = dict(zip(texts, in_turn, strict=True))
        differ = [*map(kinds.__getitem__, texts)] != in_turn
        return Pieces(texts, starts, ends, kinds, in_turn if differ else None)
    texts = _cutter(name, plain).findall(source)
    kinds = _Kinds(scanner(name, plain))
    shown = [*map(kinds.__getitem__, texts)]
    starts = [*compress(accumulate(map(len, texts), initial=0), shown)]
    texts = [*compress(texts, shown)]
    return Pieces(texts, starts, [*map(add, starts, map(len, texts))], kinds)


_SIGNS = {
    "+": "_PLUS", "-": "_MINUS", "*": "_TIMES", "/": "_OVER", "^": "_POWER",
    "(": "_LPAR", ")": "_RPAR", ",": "_COMMA", "=": "_ASSIGN",
}  # fmt: skip
"""The terminals of the signs of simple texts; a test compares them with what the patterns say."""

_MOST_BLANKS = 8
"""Blanks in a row in a simple text: each takes one more round over the text."""

_NUMERIC = "0123456789."
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NOT_SIMPLE = str.maketrans("", "", f"{_LETTERS}{_NUMERIC} {''.join(_SIGNS)}")


def _simple_pieces(source: str) -> Pieces | None:
    """The pieces of a text of names, plain numbers, the usual signs and blanks; None where patterns have to say.

    Most texts are such. It takes a third of the time of patterns, and a command that reads one or two does not import `re`.
    """
    if "**" in source or "==" in source or ("/" in source and "d" in source):
        return None  # signs of two characters, and derivatives such as d/dx
    if " " * _MOST_BLANKS in source:
        return None
    start = len(source) - len(source.lstrip(" "))
    apart = source[start:]
    for sign in _SIGNS:
        apart = apart.replace(sign, f"\n{sign}\n")
    while "\n " in apart:  # blanks go with the token before them
        apart = apart.replace("\n ", " \n")
    words = [*filter(None, apart.split("\n"))]
    kinds: dict[str, Any] = {**_SIGNS}
    # words without the blanks behind them; one object for all that are equal
    own: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    for word in {*words}:
        text = own[word] = word.rstrip(" ")
        if text in kinds:
            continue
        if text.isalpha():
            kinds[text] = "NAME"
        elif text.replace(".", "", 1).isdecimal():
            kinds[text] = "NUMBER"
        elif found := _parts(word, kinds):
            parts[word] = found
            own.update({part: part.rstrip(" ") for part in found})
        else:
            return None
    if parts:
        words = [part for word in words for part in parts.get(word, (word,))]
    starts = [*accumulate(map(len, words), initial=start)]
    texts = [*map(own.__getitem__, words)]
    return Pieces(texts, starts[:-1], [*map(add, starts, map(len, texts))], kinds)


def _parts(word: str, kinds: dict[str, Any]) -> list[str]:
    """The names and numbers in 2x or sin x, with the blanks behind them; their kinds are added. Nothing where patterns have to say."""
    found: list[str] = []
    for own in word.split(" "):
        if found:
            found[-1] += " "
        name = own.lstrip(_NUMERIC)
        number = own[: len(own) - len(name)]
        if "." in name or (number and not number.replace(".", "", 1).isdecimal()):
            return []
        if number and name[:1] in ("e", "E"):
            return []  # perhaps an exponent
        if number:
            kinds[number] = "NUMBER"
            found.append(number)
        if name:
            kinds[name] = "NAME"
            found.append(name)
    return found


def write() -> None:
    """Write the modules of tables."""
    for name in NAMES:
        _write(name, build(name))


def _write(name: str, made: lalr.Tables) -> None:
    rows = "".join(f"    {field!r},\n" for field in made.fields)
    header = '"""Parse tables, written by `python -m exprgrad.language.grammar`; not for editing."""\n\n'
    path = os.path.join(_PACKAGE, "language", "tables", f"{name}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{header}TABLES: tuple[object, ...] = (\n{rows})\n")


if __name__ == "__main__":
    write()
