"""The grammar files, and the parse tables made from them.

`grammars/expression.lark` is the one source of the language, `homework.lark` that of a line of a homework
sheet; `session.lark` adds statements to the language; all of them share the names of `names.lark`. `latex.lark`
is the language of printed formulas. `expression_tables.py` and the like hold the tables that Lark makes of them, so that starting does not import
Lark; if a grammar has been edited since, its tables are rebuilt in memory. `python -m
exprgrad.language.grammar` writes them to the files.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from importlib import import_module

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.language import lalr

if TYPE_CHECKING:
    import re

_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

FILES = {
    "expression": ("names", "expression"),
    "homework": ("names", "homework"),
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
    module = import_module(f"exprgrad.language.{_module(name)}")
    return lalr.Tables(*module.TABLES)


def build(name: str) -> lalr.Tables:
    """The parse tables of a grammar, rebuilt."""
    return lalr.build(text(name), "statement" if name == "session" else "start")


def _module(name: str) -> str:
    """Where the tables of a grammar are: apart, since most runs need one of them."""
    return f"{name}_tables"


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
def _cutter(name: str) -> re.Pattern[str]:
    import re

    t = tables(name)
    patterns = "|".join(pattern for _, pattern in t.terminals)
    return re.compile(f"{t.ignored}|{patterns}|.", re.DOTALL)


class _Kinds(dict[str, str | None]):
    """The kind of each text that the scanner would match, found once per text."""

    def __init__(self, scanner: re.Pattern[str]) -> None:
        self._match = scanner.match

    def __missing__(self, text: str) -> str | None:
        match = self._match(text)
        kind = self[text] = match.lastgroup if match else None
        return kind


def pieces(source: str, name: str = "expression") -> Iterable[tuple[str | None, str]]:
    """The kinds and texts that a source consists of, without gaps; the kind of what is ignored is None.

    A long source is cut into texts first, without match objects. By itself a text has the same kind as in
    its place, since no terminal looks at its neighbours.
    """
    if len(source) < LONG:
        simple = _simple_pieces(source, name)
        if simple is not None:
            return simple
        plain = source.isascii() and source.isprintable()
        matches = scanner(name, plain).finditer(source)
        return ((match.lastgroup, match.group()) for match in matches)
    texts = _cutter(name).findall(source)
    return zip(map(_Kinds(scanner(name)).__getitem__, texts), texts, strict=True)


_SIGNS = {
    "+": "_PLUS", "-": "_MINUS", "*": "_TIMES", "/": "_OVER", "^": "_POWER",
    "(": "_LPAR", ")": "_RPAR", ",": "_COMMA", "=": "_ASSIGN",
}  # fmt: skip
"""The terminals of the signs of simple texts; a test compares them with what the patterns say."""

_APART = str.maketrans({sign: f" {sign} " for sign in _SIGNS})
_NUMERIC = "0123456789."
_SIMPLE = (
    f"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ{_NUMERIC} {''.join(_SIGNS)}"
)


def _simple_pieces(source: str, name: str) -> list[tuple[str | None, str]] | None:
    """The pieces of a text of names, plain numbers and the usual signs; None for others.

    Most texts are such, and a command that reads one or two does not import `re` for them, and compile a pattern.
    """
    if source.strip(_SIMPLE) or name not in ("expression", "session"):
        return None
    if "**" in source or "==" in source or ("/" in source and "d" in source):
        return None  # signs of two characters, and derivatives such as d/dx
    found: list[tuple[str | None, str]] = []
    end = 0
    for word in source.translate(_APART).split():
        start = source.index(word, end)
        if start > end:
            found.append((None, source[end:start]))
        end = start + len(word)
        if word in _SIGNS:
            found.append((_SIGNS[word], word))
        elif word.isalpha():
            found.append(("NAME", word))
        else:
            rest = word.lstrip(_NUMERIC)
            number = word[: len(word) - len(rest)]
            if number == "." or number.count(".") > 1 or "." in rest:
                return None
            if number:
                if rest[:1] in ("e", "E"):
                    return None  # perhaps an exponent
                found.append(("NUMBER", number))
            if rest:
                found.append(("NAME", rest))
    if end < len(source):
        found.append((None, source[end:]))
    return found


def write() -> None:
    """Write the modules of tables beside this file."""
    for name in NAMES:
        _write(_module(name), build(name))


def _write(module: str, made: lalr.Tables) -> None:
    rows = "".join(f"    {field!r},\n" for field in made.fields)
    header = '"""Parse tables, written by `python -m exprgrad.language.grammar`; not for editing."""\n\n'
    path = os.path.join(_PACKAGE, "language", f"{module}.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{header}TABLES: tuple[object, ...] = (\n{rows})\n")


if __name__ == "__main__":
    write()
