"""The grammar files, and the parse tables made from them.

`grammars/expression.lark` is the one source of the language; `session.lark` adds statements to the language; all of
them share the names of `names.lark`. `latex.lark` is the language of printed formulas. The tables that Lark makes of
them stand in `tables`, so that starting does not import Lark; if a grammar has been edited since, its tables are
rebuilt in memory. `python -m exprgrad.language.grammar` writes them to the files.
"""

from __future__ import annotations

import functools
import os
from importlib import import_module
from itertools import accumulate
from operator import add

from exprgrad.annotations import TYPE_CHECKING, NamedTuple
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
    return lalr.Tables(*import_module(f"exprgrad.language.tables.{name}").TABLES)


def build(name: str) -> lalr.Tables:
    """The parse tables of a grammar, rebuilt."""
    return lalr.build(text(name), "statement" if name == "session" else "start")


@functools.cache
def scanner(name: str = "expression") -> re.Pattern[str]:
    """One pattern for all terminals; the last group says which matched. UNKNOWN is any other character.

    The groups are empty and come after their patterns: `re` skips an alternative faster if it begins
    with a character and not with a group.
    """
    import re

    t = tables(name)
    groups = "|".join(f"(?:{p})(?P<{kind}>)" for kind, p in t.terminals if p)
    return re.compile(f"{t.ignored}|{groups}|.(?P<UNKNOWN>)", re.DOTALL)


class Pieces(NamedTuple):
    """The tokens of a source, without what is ignored: kinds, texts, and where they start and end."""

    kinds: list[str]
    texts: list[str]
    starts: list[int]
    ends: list[int]


def pieces(source: str, name: str = "expression") -> Pieces:
    """Cut a source into tokens."""
    simple = name in ("expression", "session") and not source.translate(_NOT_SIMPLE)
    if simple and (found := _simple_pieces(source)) is not None:
        return found
    matches = [m for m in scanner(name).finditer(source) if m.lastgroup]
    return Pieces(
        [match.lastgroup or "" for match in matches],
        [match.group() for match in matches],
        [match.start() for match in matches],
        [match.end() for match in matches],
    )


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

    Most texts are such. It takes a third of the time of patterns, and a command that reads one or two does not import
    `re`.
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
    kinds: dict[str, str] = {**_SIGNS}
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
    ends = [*map(add, starts, map(len, texts))]
    return Pieces([*map(kinds.__getitem__, texts)], texts, starts[:-1], ends)


def _parts(word: str, kinds: dict[str, str]) -> list[str]:
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
    header = '"""Parse tables, written by `python -m exprgrad.language.grammar`; not for editing."""\n\n'
    for name in NAMES:
        rows = "".join(f"    {field!r},\n" for field in build(name).fields)
        path = os.path.join(_PACKAGE, "language", "tables", f"{name}.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{header}TABLES: tuple[object, ...] = (\n{rows})\n")


if __name__ == "__main__":
    write()
